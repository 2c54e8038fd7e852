"""pycuda.scan: prefixes compared with NumPy's."""

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda import gpuarray
from quern.pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

SIZES = [0, 1, 2, 127, 1024, 1025, 1_000_003]


def whole(n, dtype, seed=0):
    return np.random.default_rng(seed).integers(-9, 10, n).astype(dtype)


def exclusive(inclusive, neutral):
    return np.concatenate([[neutral], inclusive[:-1]]).astype(inclusive.dtype) if len(inclusive) else inclusive


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
@pytest.mark.parametrize("text", ["a+b", "b + a + 0"])
def test_sums(device, n, dtype, text):
    x = whole(n, dtype)
    sums = np.cumsum(x, dtype=dtype)
    a = gpuarray.to_gpu(x)
    assert InclusiveScanKernel(dtype, text)(a) is a and np.array_equal(a.get(), sums)
    a = gpuarray.to_gpu(x)
    assert ExclusiveScanKernel(dtype, text, 0)(a) is a and np.array_equal(a.get(), exclusive(sums, 0))


@pytest.mark.parametrize("n", SIZES)
def test_other_expressions(device, n):
    x = whole(n, "float32", 1) * np.float32(0.5)
    a = gpuarray.to_gpu(x)
    largest = InclusiveScanKernel(np.float32, "max(a, b)", neutral="-INFINITY")
    out = largest(a, "new")
    assert out is not a and np.array_equal(out.get(), np.maximum.accumulate(x)) and np.array_equal(a.get(), x)
    before = ExclusiveScanKernel(np.float32, "max(a, b)", neutral="-INFINITY")
    out = gpuarray.empty_like(a)
    assert before(a, out) is out and np.array_equal(out.get(), exclusive(np.maximum.accumulate(x), -np.inf))


def test_the_order_is_kept(device):
    x = np.random.default_rng(0).integers(0, 2**64, 100_000, np.uint64)
    # Both halves are a map v -> p * v + q; one after the other is associative, but not the other way round.
    preamble = """__device__ unsigned long long then(unsigned long long f, unsigned long long g) {
      unsigned p = (unsigned)(f >> 32) * (unsigned)(g >> 32), q = (unsigned)f * (unsigned)(g >> 32) + (unsigned)g;
      return (unsigned long long)p << 32 | q; }"""
    wanted, f = [], None
    for g in x.tolist():
        if f is not None:
            gp, gq = g >> 32, g & 0xFFFFFFFF
            g = (((f >> 32) * gp) & 0xFFFFFFFF) << 32 | (((f & 0xFFFFFFFF) * gp + gq) & 0xFFFFFFFF)
        f = g
        wanted.append(f)
    got = InclusiveScanKernel(np.uint64, "then(a, b)", preamble=preamble)(gpuarray.to_gpu(x))
    assert got.get().tolist() == wanted


def test_complex_products_slices_and_streams(device):
    x = np.exp(1j * np.random.default_rng(0).uniform(0, 6, 5000))
    a = gpuarray.to_gpu(x)
    product = InclusiveScanKernel(np.complex128, "a * b")
    assert np.allclose(product(a[::2], "new").get(), np.cumprod(x[::2]))
    product(a[::-1])
    assert np.allclose(a.get()[::-1], np.cumprod(x[::-1]))
    stream = drv.Stream()
    b = gpuarray.to_gpu(x)
    values = product(b, "new", stream=stream).get_async(stream)
    stream.synchronize()
    assert np.allclose(values, np.cumprod(x))
    assert np.allclose(product(b * 1, "new").get(), np.cumprod(x))


def test_errors(device):
    a = gpuarray.zeros(5, np.int32)
    with pytest.raises(ValueError):
        ExclusiveScanKernel(np.int32, "a+b")
    scan = InclusiveScanKernel(np.int32, "a+b")
    for wrong in (lambda: scan(a, gpuarray.zeros(4, np.int32)), lambda: scan(gpuarray.zeros((2, 2), np.int32))):
        with pytest.raises(ValueError):
            wrong()
    for wrong in (lambda: scan(a.astype(np.float32)), lambda: scan(np.zeros(3, np.int32))):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(drv.CompileError):
        InclusiveScanKernel(np.int32, "nonsense(a, b)")(a)
