"""pycuda.cumath compared with NumPy."""

import numpy as np
import pytest
from quern.pycuda import cumath, gpuarray
from quern.pycuda import driver as drv

UNARY = {
    "fabs": (-10, 10), "ceil": (-10, 10), "floor": (-10, 10), "exp": (-3, 3), "log": (0.1, 10), "log10": (0.1, 10), "sqrt": (0, 10),
    "sin": (-10, 10), "cos": (-10, 10), "tan": (-1, 1), "asin": (-0.9, 0.9), "acos": (-0.9, 0.9), "atan": (-10, 10), "sinh": (-2, 2),
    "cosh": (-2, 2), "tanh": (-2, 2),
}  # fmt: skip
NUMPY = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "fabs": np.abs}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [0, 1, 10, 100_000])
def test_functions_of_one_array(device, name, dtype, n):
    if dtype[0] == "c" and name in ("fabs", "ceil", "floor"):
        return
    random, (low, high) = np.random.default_rng(0), UNARY[name]
    x = random.uniform(low, high, n)
    x = (x + 1j * random.uniform(-1, 1, n) if dtype[0] == "c" else x).astype(dtype)
    function, a = getattr(cumath, name), gpuarray.to_gpu(x)
    wanted = NUMPY.get(name, getattr(np, name, None))(x)
    close = {"rtol": 1e-4, "atol": 1e-6} if dtype in ("float32", "complex64") else {"rtol": 1e-12, "atol": 1e-13}
    got = function(a)
    assert got.dtype == x.dtype and got.shape == x.shape and np.allclose(got.get(), wanted, **close)
    out = gpuarray.empty_like(a)
    assert function(a, out=out) is out and np.allclose(out.get(), wanted, **close)
    out = gpuarray.empty_like(a)
    assert function(a, out) is out and np.allclose(out.get(), wanted, **close)
    stream = drv.Stream()
    for got in (function(a, stream), function(a, stream=stream)):
        values = got.get_async(stream)
        stream.synchronize()
        assert np.allclose(values, wanted, **close)


def test_shapes_and_errors(device):
    x = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    a = gpuarray.to_gpu(x)
    got = cumath.sqrt(a)
    assert got.shape == (3, 4) and got.flags.f_contiguous and np.allclose(got.get(), np.sqrt(x))
    assert np.allclose(cumath.sqrt(a[::2, ::-1]).get(), np.sqrt(x[::2, ::-1]))
    i = cumath.sqrt(gpuarray.to_gpu(np.array([1, 4, 10], np.int32)))
    assert i.dtype == np.int32 and i.get().tolist() == [1, 2, 3]
    special = cumath.log(gpuarray.to_gpu(np.array([0, -1, np.nan, np.inf], np.float32))).get()
    assert special[0] == -np.inf and np.isnan(special[1:3]).all() and special[3] == np.inf
    for wrong in (lambda: cumath.sin(x), lambda: cumath.sin(a, nonsense=1), lambda: cumath.sin(3.0)):
        with pytest.raises(TypeError):
            wrong()
    for out in (a[0], a.astype(np.float64)):
        with pytest.raises(ValueError):
            cumath.sin(a, out=out)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_others(device, dtype):
    random = np.random.default_rng(0)
    x, y = (random.uniform(-10, 10, 1000).astype(dtype) for _ in range(2))
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    assert np.allclose(cumath.fmod(a, b).get(), np.fmod(x, y), rtol=1e-5, atol=1e-5)
    significand, exponent = cumath.frexp(a)
    assert significand.dtype == exponent.dtype == x.dtype
    assert np.array_equal(significand.get(), np.frexp(x)[0]) and np.array_equal(exponent.get(), np.frexp(x)[1])
    assert np.array_equal(cumath.ldexp(significand, exponent).get(), x)
    fraction, whole = cumath.modf(a)
    assert fraction.dtype == whole.dtype == x.dtype
    assert np.array_equal(fraction.get(), np.modf(x)[0]) and np.array_equal(whole.get(), np.modf(x)[1])
    with pytest.raises(TypeError):
        cumath.modf(a.astype(np.complex64))
    with pytest.raises(NotImplementedError):
        cumath.fmod(a, b[:5])
