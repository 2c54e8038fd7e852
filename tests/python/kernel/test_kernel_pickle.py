"""Compiled functions in pickle, copy and other processes."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from quern import cuda
from quern.numba import guvectorize, njit, vectorize


@njit(["int64(int64)", "float64(float64)"])
def twice(x):
    return 2 * x


@vectorize(["float64(float64)", "complex128(complex128)"])
def square(x):
    return x * x


@guvectorize(["void(float64[:],float64[:])"], "(n)->(n)")
def running(x, out):
    out[0] = x[0]
    for i in range(1, x.shape[0]):
        out[i] = out[i - 1] + x[i]


@cuda.jit
def kernel(x):
    x[0] = 1


def plain(x):
    return x + 1


def plain_kernel(x):
    x[0] = 2


named = njit(plain)
named_ufunc = vectorize(plain)
named_declared = vectorize(["int64(int64)"])(plain)
named_kernel = cuda.jit(plain_kernel)


class Holder:
    def __init__(self, function):
        self.function = function

    def call(self, x):
        return self.function(x)


@pytest.mark.parametrize("made", [twice, square, running, kernel])
def test_functions_of_modules_are_themselves(made):
    assert pickle.loads(pickle.dumps(made)) is made
    assert copy.copy(made) is made and copy.deepcopy(made) is made
    assert pickle.loads(pickle.dumps(Holder(made))).function is made


def test_functions_by_another_name():
    assert pickle.loads(pickle.dumps(named))(2) == 3 and copy.deepcopy(named)(2.5) == 3.5
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(named_ufunc))(np.arange(3)), [1, 2, 3])
    again = pickle.loads(pickle.dumps(named_declared))
    assert again.types == named_declared.types
    with pytest.raises(TypeError, match="no signature takes"):
        again(2.5)
    x = np.zeros(1)
    pickle.loads(pickle.dumps(named_kernel))[1, 1](x)
    assert x[0] == 2


def test_functions_in_functions():
    by = 3

    @njit
    def inner(x):
        return x * by

    assert copy.deepcopy(inner)(2) == 6 and copy.deepcopy(Holder(inner)).call(2) == 6
    with pytest.raises(Exception, match="local object"):
        pickle.dumps(inner)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(twice, [1, 2.5]) == [2, 5.0]
        assert pool.map(Holder(named).call, [1, 2]) == [2, 3]
        assert pool.map(square, [2.0]) == [4.0]
