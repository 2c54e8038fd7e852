"""Functions, methods and attributes that programs add to kernels, and modules by the names that Numba and its simulator have them in."""

import os
import subprocess
import sys

import numpy as np
import pytest
from quern import cuda
from quern.cuda.extending import _REFUSED, overload, overload_attribute, overload_method, register_jitable
from quern.kernel import overloads
from quern.kernel.errors import TypingError
from quern.numba import extending, types


def scaled(x, by=1):
    raise NotImplementedError


@overload(scaled)
def _of_types(x, by=1):
    if isinstance(x, types.Integer):
        return lambda x, by=1: x + by
    if isinstance(x, types.Float):

        def impl(x, by=1):
            return x * 2.5 * by

        return impl
    if isinstance(x, types.Array):
        return lambda x, by=1: x.sum() * by
    if isinstance(x, types.UniTuple) and len(x) == 2:
        return lambda x, by=1: x[0] * x[1]
    if isinstance(x, types.StringLiteral) and x.literal_value == "ten":
        return lambda x, by=1: 10
    if x is types.none:
        return lambda x, by=1: -1
    return None


@overload_method(types.Array, "weighed")
def _weighed(array, weight):
    if not isinstance(weight, types.Number):
        return None

    def impl(array, weight):
        total = 0.0
        for v in array.flat:
            total += v * weight
        return total

    return impl


@overload_method(types.Integer, "squared")
def _squared(x):
    return lambda x: x * x


@overload_attribute(types.Array, "first")
def _first(array):
    return (lambda array: array[0]) if array.ndim == 1 else (lambda array: array[0, 0])


@register_jitable
def plain(x):
    return x + 1


@cuda.jit
def everything(out, v, m):
    out[0] = scaled(3)
    out[1] = scaled(2.0)
    out[2] = scaled(v, 2)
    out[3] = scaled((4, 5))
    out[4] = scaled("ten")
    out[5] = scaled(None)
    out[6] = scaled(2.0, by=3)
    out[7] = v.weighed(2)
    out[8] = m.weighed(0.5)
    out[9] = v.first + m.first
    i = 7
    out[10] = i.squared()
    out[11] = plain(1)


def test_what_overloads_give_is_compiled(device):
    out = np.zeros(12)
    everything[1, 1](out, np.arange(1, 4.0), np.arange(6.0).reshape(2, 3).T)
    assert out.tolist() == [4, 5, 12, 20, 10, -1, 15, 12, 7.5, 1, 49, 2]


def test_no_overload_takes_the_types():
    @cuda.jit
    def called(out):
        out[0] = scaled((1, 2.5))

    @cuda.jit
    def of_a_method(out):
        out[0] = out.weighed("x")

    with pytest.raises(TypingError, match=r"no overload of .*scaled takes \(Tuple\(int64, float64\)\)"):
        called[1, 1](np.zeros(1))
    with pytest.raises(TypingError, match=r"no overload of array\(float64, 1d, C\).weighed takes"):
        of_a_method[1, 1](np.zeros(1))


def test_the_last_overload_leads_and_what_kernels_have_stays(device, monkeypatch):
    monkeypatch.setattr(overloads, "_functions", dict(overloads._functions))

    def chosen(x):
        raise NotImplementedError

    overload(chosen)(lambda x: lambda x: 1)
    overload(chosen, inline="always", target="cuda")(lambda x: (lambda x: 2) if isinstance(x, types.Float) else None)
    overload(np.hypot)(lambda x, y: (lambda x, y: 100) if isinstance(x, types.StringLiteral) else None)

    @cuda.jit
    def kernel(out):
        out[0] = chosen(1)
        out[1] = chosen(1.0)
        out[2] = np.hypot(3, 4)
        out[3] = np.hypot("a", 4)

    out = np.zeros(4)
    kernel[1, 1](out)
    assert out.tolist() == [1, 2, 5, 100]


@pytest.mark.parametrize("name", _REFUSED)
def test_types_of_a_programs_own_are_refused_where_they_are_used(name):
    refused = getattr(extending, name)
    assert "not supported" in repr(refused)
    with pytest.raises(NotImplementedError, match=rf"\[numba.extending.{name}\] .*overload"):
        refused(object)
    with pytest.raises(NotImplementedError, match=name):
        refused.register(object)
    with pytest.raises(TypeError, match="a class of types"):
        overload_method(types.int32, "x")


PROGRAM = """
import numba.extending, numba.cuda.extending
from numba.extending import overload, register_jitable, typeof_impl
from numba.core.extending import overload_method
from numba import cuda
from numba.cuda import simulator
from numba.cuda.simulator.kernel import FakeCUDAKernel
from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray
from numba.cuda.simulator.cudadrv.driver import Stream
from numba.cuda.simulator.api import to_device
from numba.cuda.simulator.reduction import Reduce
from numba.cuda.simulator.vector_types import float32x4
from numba.cuda.api import synchronize
from numba.cuda.args import In, InOut, Out
from numba.cuda.kernels.reduction import Reduce as same
assert numba.extending.overload is overload and numba.cuda.extending.overload is overload
assert Reduce is same is cuda.Reduce and float32x4 is cuda.float32x4
assert isinstance(cuda.jit(lambda a: None), FakeCUDAKernel) and isinstance(to_device([1]), FakeCUDAArray)
print("fine")
"""


def test_names_of_modules(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p or os.getcwd() for p in sys.path)}
    command = [sys.executable, "-m", "quern", "run", "program.py"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.stdout == "fine\n", ran.stderr
