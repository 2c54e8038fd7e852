"""cupy's r_ and c_, *_like(subok=), weights of cov, and packed bits: what CuPy takes, and the errors for what it does not."""

import numpy as np
import pytest
import quern.cupy as cp


def test_rows_and_columns_are_joined_without_numpy(recwarn):
    a = cp.arange(3.0)
    assert np.array_equal(cp.asnumpy(cp.r_[a, 0, [1, 2], a]), np.r_[np.arange(3.0), 0, [1, 2], np.arange(3.0)])
    assert np.array_equal(cp.asnumpy(cp.c_[a, a]), np.c_[np.arange(3.0), np.arange(3.0)])
    assert np.array_equal(cp.asnumpy(cp.c_[cp.ones((2, 2)), cp.zeros((2, 1))]), np.c_[np.ones((2, 2)), np.zeros((2, 1))])
    assert cp.r_[cp.arange(3, dtype="int8"), 1].dtype == np.int8
    assert cp.r_[cp.arange(3, dtype="float32"), 1.5].dtype == np.float32
    assert type(cp.r_[a]) is cp.ndarray
    assert not [w for w in recwarn if "NumPy" in str(w.message)]


@pytest.mark.parametrize("key", ["r", "0,2", "-1", "c"])
def test_directives_of_joined_arrays_are_refused(key):
    for joined in (cp.r_, cp.c_):
        with pytest.raises(NotImplementedError, match="directives"):
            joined[key, cp.ones(2)]
        with pytest.raises(NotImplementedError, match="slices"):
            joined[0:4]
        with pytest.raises(ValueError, match="special directives"):
            joined[cp.ones(2), key]


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like", "full_like"])
def test_subok_is_refused(name):
    function, more = getattr(cp, name), (7,) if name == "full_like" else ()
    for subok in (True, False):
        with pytest.raises(TypeError, match="subok is not supported yet"):
            function(cp.ones(2), *more, subok=subok)
        with pytest.raises(TypeError, match="subok is not supported yet"):
            function(cp.ones(2), *more, None, "K", subok)
    assert function(cp.ones(2), *more, None, "K", None).shape == (2,)
    assert function(cp.ones(2), *more, "float32", shape=(3,)).shape == (3,)


def test_weights_of_covariances_are_arrays():
    a = cp.arange(4.0)
    for name in ("fweights", "aweights"):
        with pytest.raises(TypeError, match="make an array of it with cupy.asarray"):
            cp.cov(a, **{name: [1, 2, 3, 4]})
        with pytest.raises(TypeError, match="make an array of it with cupy.asarray"):
            cp.cov(a, **{name: np.array([1, 2, 3, 4])})
    with pytest.raises(TypeError, match="fweights must be integer"):
        cp.cov(a, fweights=cp.ones(4))
    weights = [1, 2, 1, 1]
    assert np.allclose(cp.asnumpy(cp.cov(a, fweights=cp.array(weights))), np.cov(np.arange(4.0), fweights=weights))


def test_bits_are_packed_without_numpy(recwarn):
    r = np.random.default_rng(0)
    a, bytes_ = r.integers(0, 2, (3, 5, 11)), r.integers(0, 256, (2, 3), dtype=np.uint8)
    for order in ("big", "little"):
        for axis in (None, 0, 1, -1):
            assert np.array_equal(cp.asnumpy(cp.packbits(cp.array(a), axis, order)), np.packbits(a, axis, order))
        for axis in (None, 0, 1):
            assert np.array_equal(cp.asnumpy(cp.unpackbits(cp.array(bytes_), axis, order)), np.unpackbits(bytes_, axis, bitorder=order))
    assert cp.packbits(cp.zeros(0, bool)).shape == (0,)
    assert not [w for w in recwarn if "NumPy" in str(w.message)]


@pytest.mark.parametrize("order", ["x", "b", 1, None])
def test_orders_of_bits(order):
    for function in (cp.packbits, cp.unpackbits):
        with pytest.raises(ValueError, match="bitorder must be either 'big' or 'little'"):
            function(cp.ones(8, "uint8"), bitorder=order)
    with pytest.raises(TypeError, match="integer or boolean"):
        cp.packbits(cp.ones(3))
    with pytest.raises(TypeError, match="unsigned byte"):
        cp.unpackbits(cp.ones(3, "int64"))
