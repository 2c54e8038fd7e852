"""pycuda.reduction: ReductionKernel and the makers of such kernels."""

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda import gpuarray, reduction
from quern.pycuda.elementwise import ScalarArg, VectorArg
from quern.pycuda.reduction import ReductionKernel


def numbers(n=1000, seed=0, dtype=np.float32):
    return (np.random.default_rng(seed).standard_normal(n) * 9).astype(dtype)


@pytest.mark.parametrize("n", [0, 1, 33, 1000, 1_000_003])
def test_dot(device, n):
    x, y = numbers(n), numbers(n, 1)
    dot = ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y", name="dot")
    result = dot(gpuarray.to_gpu(x), gpuarray.to_gpu(y))
    assert isinstance(result, gpuarray.GPUArray) and result.shape == () and result.dtype == np.float32
    assert np.allclose(result.get(), (x.astype(np.float64) * y).sum(), rtol=1e-4, atol=0.3)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128"])
def test_types(device, dtype):
    x = np.abs(numbers(500, 0, np.complex128) if dtype[0] == "c" else numbers(500)).astype(dtype)
    total = ReductionKernel(dtype, "0", "a+b", arguments=[VectorArg(dtype, "x")])(gpuarray.to_gpu(x))
    wanted = x.astype(np.complex128).sum() if dtype[0] in "cf" else x.sum(dtype=dtype)
    assert total.dtype == x.dtype and np.allclose(total.get(), wanted, rtol=1e-5)


def test_i_n_and_numbers(device):
    x = numbers(200)
    a = gpuarray.to_gpu(x)
    weighed = ReductionKernel(np.float64, "0", "a+b", "x[i] * i + k", [VectorArg(np.float32, "x"), ScalarArg(np.float64, "k")])
    assert np.allclose(weighed(a, 0.5).get(), (x.astype(float) * np.arange(200) + 0.5).sum())
    steps = ReductionKernel(np.float32, "0", "fmaxf(a, b)", "fabsf(x[i] - x[(i + 1) % n])", "float *x")
    assert steps(a).get() == np.abs(x - np.roll(x, -1)).max()
    only = ReductionKernel(np.int32, "0", "a+b", "f(i) ? 1 : 0", "float *x", preamble="__device__ bool f(long long j) { return j % 3 == 0; }")
    assert only(a).get() == 67
    default = ReductionKernel(np.float32, "-INFINITY", "max(a,b)")
    assert default(a).get() == x.max()


def test_names_and_pointers(device):
    x, y = numbers(), numbers(1000, 1)
    a, b, limit = gpuarray.to_gpu(x), gpuarray.to_gpu(y), gpuarray.to_gpu(np.array([0.5], np.float32))
    dot = ReductionKernel(np.float64, neutral="0", reduce_expr="a+b", map_expr="(double)a[i] * b[i]", arguments="float *a, float *b", name="dot")
    assert np.allclose(dot(a, b).get(), (x.astype(float) * y).sum())
    count = ReductionKernel(np.int32, "0", "a+b", "x[i] > *limit ? 1 : 0", "float *x, const float *limit", name="max")
    assert count(a, limit).get() == (x > 0.5).sum()
    above = "__device__ int above(float *p, int k, float limit) { return p[k] > limit; }"
    count = ReductionKernel(np.int32, "0", "a+b", "above(x, i, limit[0])", "float *x, float *limit", preamble=above, name="exp")
    assert count(a, limit).get() == (x > 0.5).sum()
    several = ReductionKernel(np.complex64, "0", "a+b", "z[i] * conj(z[i])", "pycuda::complex<float> *z")
    assert np.allclose(several(gpuarray.to_gpu(x + 1j * y).astype(np.complex64)).get(), (x.astype(float) ** 2 + y.astype(float) ** 2).sum())
    made = ReductionKernel(np.float32, "0", "a+b", "pycuda::complex<float>(x[i], 1).real()", "float *x")
    assert np.allclose(made(a).get(), x.sum(), rtol=1e-4, atol=1e-2)


def test_where_the_largest_is(device):
    x = numbers(5000)
    # Both in 64 bits: the value's order above, the place below.
    text = "((unsigned long long)key(x[i]) << 32) | (unsigned)i"
    key = "__device__ unsigned key(float v) { unsigned b = __float_as_uint(v); return b & 0x80000000u ? ~b : b | 0x80000000u; }"
    largest = ReductionKernel(np.uint64, "0", "a > b ? a : b", text, "float *x", preamble=key)
    assert int(largest(gpuarray.to_gpu(x)).get()) & 0xFFFFFFFF == x.argmax()


def test_slices_out_and_streams(device):
    x = numbers(100)
    a = gpuarray.to_gpu(x)
    total = ReductionKernel(np.float64, "0", "a+b", "x[i] * i", "float *x")
    for key in (slice(10, 50), slice(None, None, 3), slice(80, 10, -7), slice(5, 5)):
        assert np.allclose(total(a, slice=key).get(), (x.astype(float) * np.arange(100))[key].sum())
    for out in (gpuarray.empty((), np.float64), gpuarray.empty(1, np.float64)):
        assert total(a, out=out) is out and np.allclose(out.get(), (x.astype(float) * np.arange(100)).sum())
    stream = drv.Stream()
    values = total(a, stream=stream).get_async(stream)
    stream.synchronize()
    assert np.allclose(values, out.get())
    assert np.allclose(total(2 * a + 1).get(), ((2 * x + 1.0) * np.arange(100)).sum(), rtol=1e-6)
    assert np.allclose(total(a.reshape(4, 25)).get(), out.get())


def test_errors(device):
    a = gpuarray.zeros(3, np.float32)
    total = ReductionKernel(np.float32, "0", "a+b", "x[i] + k", "float *x, float k")
    for wrong in (lambda: total(a), lambda: total(a, a), lambda: total(1, 2), lambda: total(a.astype(np.float64), 1), lambda: total(a, 1, nonsense=2)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        total(a, 1, out=gpuarray.empty(2, np.float32))
    with pytest.raises(RuntimeError):
        ReductionKernel(np.float32, "0", "a+b", "k", "float k")
    with pytest.raises(ValueError, match="f4"):  # which has no name in C
        ReductionKernel(np.dtype("f4,i4"), "0", "a+b")
    with pytest.raises(drv.CompileError):
        ReductionKernel(np.float32, "0", "nonsense(a, b)")(a).get()


def test_makers(device):
    x, y = numbers(), numbers(1000, 1)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    at = np.random.default_rng(0).integers(0, 1000, 50)
    subset = gpuarray.to_gpu(at)
    f, d, i = np.float32, np.float64, np.int64
    close = {"rtol": 1e-5, "atol": 1e-2}
    wide = x.astype(d)
    assert np.allclose(reduction.get_sum_kernel(d, f)(a).get(), wide.sum())
    assert np.allclose(reduction.get_subset_sum_kernel(f, i, f)(subset, a).get(), wide[at].sum(), **close)
    assert np.allclose(reduction.get_dot_kernel(f, f, f)(a, b).get(), (wide * y).sum(), **close)
    assert np.allclose(reduction.get_dot_kernel(f)(a, b).get(), (wide * y).sum(), **close)
    assert np.allclose(reduction.get_subset_dot_kernel(f, i)(subset, a, b).get(), (wide * y)[at].sum(), **close)
    assert reduction.get_minmax_kernel("max", f)(a).get() == x.max()
    assert reduction.get_subset_minmax_kernel("min", f, i)(subset, a).get() == x[at].min()
    for dtype in ("int8", "int64", "uint64", "int32"):
        z = (numbers() * 3).astype(dtype)
        for what in ("min", "max"):
            assert reduction.get_minmax_kernel(what, dtype)(gpuarray.to_gpu(z)).get() == getattr(z, what)()
    assert reduction.get_any_kernel(np.int8, f)(a).get() == 1 and reduction.get_all_kernel(np.bool_, f)(a).get()
    assert not reduction.get_any_kernel(np.int8, f)(0 * a).get()
    with pytest.raises(TypeError):
        reduction.get_minmax_neutral("max", np.complex64)


@pytest.mark.parametrize("block", [32, 96, 256])
def test_stages(device, block):
    x = numbers(5000, dtype=np.float64)
    a, parts, out = gpuarray.to_gpu(x), gpuarray.empty(100, np.float64), gpuarray.empty(1, np.float64)
    first, arguments = reduction.get_reduction_kernel_and_types(1, "double", block, "0", "a+b", "x[i] * x[i]", "double *x")
    second, _ = reduction.get_reduction_kernel_and_types(2, "double", block, "0", "a+b", None, "double *x")
    blocks = -(-5000 // (block * 4))
    first.prepared_call((blocks, 1), (block, 1, 1), parts.gpudata, a.gpudata, 4, 5000)
    second.prepared_call((1, 1), (block, 1, 1), out.gpudata, parts.gpudata, a.gpudata, 4, blocks)
    assert [type(v) for v in arguments] == [VectorArg] and np.allclose(out.get(), (x * x).sum())


def test_texts_of_elements_alone_take_arrays_of_one_shape_by_elements(device):
    """Others, and arrays of other shapes than the first, by address: the same sums."""
    x, y = np.arange(6, dtype="f4"), np.arange(8, dtype="f4") + 1
    dot = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[ i ]", "const float *x, float *y")
    assert dot(gpuarray.to_gpu(x), gpuarray.to_gpu(y[:6])).get() == (x * y[:6]).sum()
    assert dot(gpuarray.to_gpu(x), gpuarray.to_gpu(y)).get() == (x * y[:6]).sum()  # as long as the first
    assert dot(gpuarray.to_gpu(x), gpuarray.to_gpu(y[:6]), slice=slice(1, 6, 2)).get() == (x * y[:6])[1:6:2].sum()
    turned = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[n-1-i]", "float *x, float *y")
    assert turned(gpuarray.to_gpu(x), gpuarray.to_gpu(y[:6])).get() == (x * y[5::-1]).sum()
    total = gpuarray.to_gpu(x) * 2  # not computed yet
    assert dot(total, total).get() == (4 * x * x).sum()


def test_elements_are_counted_as_they_lie(device):
    x = np.random.default_rng(0).random((30, 40)).astype(np.float32)
    count = ReductionKernel(np.float32, "0", "a + b", "x[i] * i", "const float *x")
    product = ReductionKernel(np.float32, "0", "a + b", "x[i] * y[n - 1 - i]", "const float *x, const float *y")
    for a in (gpuarray.to_gpu(x), gpuarray.to_gpu(x).T, gpuarray.to_gpu(x.T)):
        assert np.allclose(count(a).get(), (x.ravel() * np.arange(x.size)).sum(), rtol=1e-4)
        assert np.allclose(product(a, a).get(), (x.ravel() * x.ravel()[::-1]).sum(), rtol=1e-4)


@pytest.mark.parametrize("n", [1, 100, 1_000_003])
def test_kernels_are_wrapped(device, n):
    x = np.random.default_rng(0).integers(0, 9, n).astype(np.int32)
    total, calls, taken = ReductionKernel(np.int32, "0", "a + b", "x[i]", "int *x"), [], []

    def wrapper(function):
        def call(grid, block, stream, *args, **kwargs):
            calls.append(grid)
            function(grid, block, stream, *args, **kwargs)

        return call

    def allocator(size):
        taken.append(size)
        return drv.mem_alloc(size)

    stream = drv.Stream()
    a = gpuarray.to_gpu(x)
    assert total(a, kernel_wrapper=wrapper, stream=stream).get() == x.sum() and len(calls) == (1 if n < 1000 else 3) and calls[-1] == (1, 1)
    assert total(a, allocator=allocator).get() == x.sum() and taken == [4]


@pytest.mark.parametrize("name", ["a", "in", "out", "acc", "T", "_x", "__y", "all", "width"])
def test_names_of_arguments(device, name):
    x = numbers(3000)
    a = gpuarray.to_gpu(x)
    assert np.isclose(ReductionKernel(np.float32, "0", "a + b", f"{name}[i] * q", f"const float *{name}, float q")(a, 2).get(), 2 * x.sum(), rtol=1e-3)
    ends = ReductionKernel(np.float32, "0", "a + b", f"fabsf({name}[i] - {name}[2999 - i])", f"float *{name}")
    assert np.isclose(ends(a).get(), np.abs(x - x[::-1]).sum(), rtol=1e-4)
    assert np.isclose(ends(a, slice=slice(5, 100, 3)).get(), np.abs(x - x[::-1])[5:100:3].sum(), rtol=1e-4)
    if name == "out":  # the stage's own
        return
    stage, _ = reduction.get_reduction_kernel_and_types(1, "float", 64, "0", "a + b", f"{name}[i]", f"float *{name}")
    total = gpuarray.zeros(1, np.float32)
    stage.prepared_call((1, 1), (64, 1, 1), total.gpudata, a.gpudata, 47, 3000)
    assert np.isclose(total.get()[0], x.sum(), rtol=1e-3)
