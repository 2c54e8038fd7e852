"""pycuda.elementwise: ElementwiseKernel and the makers of kernels."""

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda import elementwise, gpuarray
from quern.pycuda.elementwise import ElementwiseKernel, ScalarArg, VectorArg


def numbers(n=1000, seed=0):
    return np.random.default_rng(seed).standard_normal(n).astype(np.float32)


@pytest.mark.parametrize("n", [1, 31, 1000, 1_000_000])
@pytest.mark.parametrize("operation", ["z[i] = a * x[i] + y[i]", "z[i] = a * x[i]; z[i] += y[i]", "int j = i; z[j] = a * x[j] + y[j]"])
def test_saxpy(device, n, operation):
    x, y = numbers(n), numbers(n, 1)
    z = gpuarray.empty(n, np.float32)
    kernel = ElementwiseKernel("float a, float *x, const float *y, float *z", operation, "saxpy")
    assert kernel(5, gpuarray.to_gpu(x), gpuarray.to_gpu(y), z) is None
    assert np.allclose(z.get(), 5 * x + y, rtol=1e-6, atol=1e-5)


def test_values_that_stay_are_read_first(device):
    x = numbers()
    for operation in ("if (x[i] < 0) x[i] = 0;", "x[i] = x[i] < 0 ? 0 : x[i]", "if (x[i] < 0) { x[i] = i; x[i] = 0; }", "float *p = x + i; if (*p < 0) *p = 0"):
        a = gpuarray.to_gpu(x)
        ElementwiseKernel("float *x", operation)(a)
        assert np.array_equal(a.get(), np.maximum(x, 0)), operation


def test_what_is_written_is_seen(device):
    """Each text gives what C gives, whether it is recorded or launched at once."""
    swap = "template <class T> __device__ void exchange(T&& a, T&& b) { T t = a; a = b; b = t; }"
    for text, first, second, kwargs in (
        ("y[i] = 1; (x[i]) = 7", [7, 7], [1, 1], {}),
        ("y[i] = x[i] = 7", [7, 7], [7, 7], {}),
        ("(x[i] > 1 ? x[i] : y[i]) = 0", [1, 0], [0, 4], {}),
        ("float t = x[i]; x[i] = y[i]; y[i] = t", [3, 4], [1, 2], {}),
        ("float &r = x[i]; r = 5; y[i] = r", [5, 5], [5, 5], {}),
        ("y[i] = x[i]; x[i]--; --x[i]", [-1, 0], [1, 2], {}),
        ("y[i] = 0; exchange(x[i], y[i])", [0, 0], [1, 2], {"preamble": swap.replace("&&", "&")}),
        ("// x[i] = 9\ny[i] = x[i] + 1;;", [1, 2], [2, 3], {}),
        ("if (x[i] > 1) continue; x[i] = 9", [9, 2], [3, 4], {}),
        ("while (x[i] < 10) x[i] *= 2", [16, 16], [3, 4], {}),
        ("sincosf(0 * x[i], &x[i], &y[i])", [0, 0], [1, 1], {}),
        ("auto f = [](float v) { return v + 1; }; x[i] = f(x[i])", [2, 3], [3, 4], {}),
        ("y[i] = x[i] && y[i]", [1, 2], [1, 1], {}),
    ):
        a, b = (gpuarray.to_gpu(np.array(v, np.float32)) for v in ([1, 2], [3, 4]))
        ElementwiseKernel("float *x, float *y", text, **kwargs)(a, b)
        assert (a.get().tolist(), b.get().tolist()) == (first, second), text


def test_the_same_array_twice(device):
    a = gpuarray.to_gpu(np.array([1, 2], np.float32))
    ElementwiseKernel("float *x, float *y", "y[i] = x[i] + 1")(a, a)
    assert a.get().tolist() == [2, 3]


def test_i_and_n(device):
    a = gpuarray.empty(100, np.int32)
    ElementwiseKernel("int *z", "z[i] = n - 1 - i")(a)
    assert np.array_equal(a.get(), np.arange(100)[::-1])
    b = gpuarray.empty(100, np.int32)
    ElementwiseKernel("int *y, int *z", "z[i] = y[n - 1 - i] + y[(i + 1) % n]")(a, b)
    assert np.array_equal(b.get(), np.arange(100) + np.roll(np.arange(100)[::-1], -1))


def test_preamble_loop_prep_and_after_loop(device):
    x = numbers()
    a, b = gpuarray.to_gpu(x), gpuarray.zeros(1, np.int32)
    twice = ElementwiseKernel("float *x", "x[i] = twice(x[i])", preamble="__device__ float twice(float v) { return 2 * v; }")
    twice(a)
    assert np.array_equal(a.get(), 2 * x)
    half = ElementwiseKernel("float *x", "halve(x[i])", preamble="__device__ void halve(float &v) { v /= 2; }")
    half(a)
    assert np.array_equal(a.get(), x)
    macro = ElementwiseKernel("float *x", "x[i] = F(x[i])", preamble="#define F(v) ((v) + 1)")
    macro(a)
    assert np.array_equal(a.get(), x + 1)
    count = ElementwiseKernel("float *x, int *c", "k += x[i] < 1e9f", loop_prep="int k = 0", after_loop="atomicAdd(c, k)")
    count(a, b)
    assert b.get() == [1000]


def test_what_headers_define(device):
    for text, wanted in (("M_PI", np.pi), ("INFINITY", np.inf), ("FLT_MAX", np.finfo(np.float32).max), ("(int32_t)7", 7), ("std::abs(-2.f)", 2)):
        for operation in (f"x[i] = {text}", f"x[i] = {text} + 0 * i"):
            a = gpuarray.zeros(3, np.float32)
            ElementwiseKernel("float *x", operation)(a)
            assert (a.get() == np.float32(wanted)).all()


def test_options(device):
    a = gpuarray.zeros(10, np.float32)
    ElementwiseKernel("float *x", "x[i] = N", options=["-DN=4"])(a)
    assert (a.get() == 4).all()


def test_slice_and_range(device):
    x = numbers(100)
    for kwargs in ({"slice": slice(10, 90, 3)}, {"slice": slice(None, None, -2)}, {"slice": slice(-20, None)}, {"range": slice(5, 50, 4)}, {"range": slice(50, 5, -4)}, {"range": slice(3)}, {"slice": slice(7, 7)}):
        a = gpuarray.to_gpu(x)
        ElementwiseKernel("float *x", "x[i] = 100 + i")(a, **kwargs)
        wanted = x.copy()
        key = kwargs.get("slice") or kwargs["range"]
        wanted[key] = 100 + np.arange(100)[key]
        assert np.array_equal(a.get(), wanted), kwargs
    with pytest.raises(TypeError):
        ElementwiseKernel("float *x", "x[i] = i")(a, range=slice(3), slice=slice(3))


def test_types(device):
    a = gpuarray.to_gpu(np.array([1 + 2j, 3j], np.complex64))
    b = gpuarray.empty(2, np.float32)
    ElementwiseKernel("pycuda::complex<float> *z, float *r", "r[i] = real(z[i] * conj(z[i]))")(a, b)
    assert np.allclose(b.get(), [5, 9])
    ElementwiseKernel([VectorArg(np.complex64, "z"), ScalarArg(np.complex64, "f")], "z[i] = z[i] * f")(a, 1j)
    assert np.allclose(a.get(), np.array([1 + 2j, 3j]) * 1j)
    for name, dtype in (("unsigned int", "u4"), ("long", "i8"), ("unsigned char", "u1"), ("short", "i2"), ("double", "f8"), ("size_t", "u8"), ("bool", "?")):
        c = gpuarray.zeros(5, dtype)
        ElementwiseKernel(f"{name} *x, {name} v", "x[i] = x[i] + v")(c, 1)
        ElementwiseKernel(f"{name} *x, {name} v", "x[i] = x[i] + (i > 2 ? v : 0)")(c, 1)
        assert np.array_equal(c.get(), (np.ones(5) + (np.arange(5) > 2)).astype(dtype))
    v = gpuarray.vec.make_float3(1, 2, 3)
    d = gpuarray.zeros(6, np.float32)
    ElementwiseKernel("float3 *x", "if (i < 2) x[i] = make_float3(i, 2 * i, 5)")(d)
    assert d.get().tolist() == [0, 0, 5, 1, 2, 5]
    ElementwiseKernel("unsigned *x", "x[i] = x[i] | 0x80000000u")(d)
    assert np.signbit(d.get()).all()
    d = gpuarray.zeros(4, np.float32)
    ElementwiseKernel("float *x, float3 v", "x[i] = v.x + v.y * v.z + i")(d, v)
    assert np.array_equal(d.get(), 7 + np.arange(4))


def test_order_of_effects(device):
    x = numbers(1000)
    a = gpuarray.to_gpu(x)
    plain, own = ElementwiseKernel("float *x", "x[i] = x[i] + 1"), ElementwiseKernel("float *x", "x[i] = x[i] * 2 + 0 * i")
    wanted = x
    for _ in range(5):
        plain(a)
        a *= 3
        own(a)
        wanted = ((wanted + 1) * 3) * 2
    before = a + 0
    plain(a)
    assert np.allclose(before.get(), wanted, rtol=1e-6) and np.allclose(a.get(), wanted + 1, rtol=1e-6)
    stream = drv.Stream()
    plain(a, stream=stream)
    own(a, stream=stream)
    values = a.get_async(stream)
    stream.synchronize()
    assert np.allclose(values, (wanted + 2) * 2, rtol=1e-6)
    out = np.empty_like(x)
    plain(a)
    drv.memcpy_dtoh(out, a.gpudata)
    assert np.allclose(out, (wanted + 2) * 2 + 1, rtol=1e-6)


def test_shapes(device):
    x = np.asfortranarray(numbers(12).reshape(3, 4))
    a = gpuarray.to_gpu(x)
    ElementwiseKernel("float *x", "x[i] = 2 * x[i]")(a)
    assert np.array_equal(a.get(), 2 * x)
    ElementwiseKernel("float *x", "x[i] = 2 * x[i] + 0 * i")(a)
    assert np.array_equal(a.get(), 4 * x)
    b = gpuarray.zeros(12, np.float32)  # by their places in memory, as PyCUDA does
    ElementwiseKernel("float *x, float *y", "y[i] = x[i]")(a, b)
    assert np.array_equal(b.get(), 4 * x.ravel("F"))
    ElementwiseKernel("float *x", "x[i] = 2 * x[i]")(gpuarray.empty(0, np.float32))
    for part in (a[::2], a[1:, 1:]):
        with pytest.raises(RuntimeError):
            ElementwiseKernel("float *x", "x[i] = 0")(part)


ALIASES = {  # text of c, a and d where c and a are one array -> what it makes of them
    "c[i] = a[i] + 1; d[i] = a[i]": lambda x: (x + 1, x + 1),
    "c[i] = 2 * a[i]; c[i] += a[i]; d[i] = c[i] - a[i]": lambda x: (4 * x, 0 * x),
    "float t = a[i]; d[i] = t; c[i] = t + 1; d[i] += a[i]": lambda x: (x + 1, 2 * x + 1),
    "if (a[i] > 0) { c[i] = -1; d[i] = a[i]; } else d[i] = c[i]": lambda x: (np.where(x > 0, -1, x), np.where(x > 0, -1, x)),
    "float t = a[i] * c[i]; d[i] = t + 1": lambda x: (x, x * x + 1),
}


@pytest.mark.parametrize("text", ALIASES)
def test_an_array_that_is_two_arguments(device, text):
    kernel = ElementwiseKernel("float *c, float *a, float *d", text)
    x = numbers(500)
    for same in (lambda a: a, lambda a: a[:], lambda a: a.reshape(20, 25).reshape(500)):
        a, d = gpuarray.to_gpu(x), gpuarray.zeros(500, np.float32)
        kernel(same(a), a, d)
        wanted = ALIASES[text](x)
        assert np.allclose(a.get(), wanted[0], rtol=1e-6) and np.allclose(d.get(), wanted[1], rtol=1e-6, atol=1e-6)
    a, c, d = (gpuarray.to_gpu(v) for v in (x, x + 3, x))
    kernel(c, a, d)
    assert np.array_equal(a.get(), x)


@pytest.mark.parametrize("text", ["y[i] = x[i] + threadIdx.x + blockDim.x * blockIdx.x", "y[i] = x[i] + own()"])
def test_texts_that_know_of_threads(device, text):
    kernel = ElementwiseKernel("float *x, float *y", text, preamble="__device__ int own() { return blockIdx.x * blockDim.x + threadIdx.x; }")
    x = numbers(60, 2).reshape(5, 12)
    y = gpuarray.zeros((5, 12), np.float32)
    kernel(gpuarray.to_gpu(x), y)
    assert np.allclose(y.get(), x + np.arange(60).reshape(5, 12))


def test_arrays_of_other_sizes(device):
    x, short, long = (gpuarray.to_gpu(numbers(n)) for n in (100, 7, 300))
    copy = ElementwiseKernel("float *x, float *y", "y[i] = x[i]", "copied")
    with pytest.raises(ValueError, match="copied.*'y' has 7 elements, fewer than the 100"):
        copy(x, short)
    before = long.get()
    copy(x, long)  # as many as the first one has
    assert np.array_equal(long.get(), np.concatenate([x.get(), before[100:]]))
    z = gpuarray.zeros(100, np.float32)
    ElementwiseKernel("float *z, float *table", "z[i] = table[i % 7]", "looked_up")(z, short)  # the text sees to it
    assert np.array_equal(z.get(), short.get()[np.arange(100) % 7])
    copy(x, short, range=slice(0, 7))
    assert np.array_equal(short.get(), x.get()[:7])


def test_errors(device):
    a = gpuarray.zeros(3, np.float32)
    kernel = ElementwiseKernel("float *x, float y", "x[i] = y")
    for wrong in (lambda: kernel(a), lambda: kernel(a, 1, 2), lambda: kernel(a, a), lambda: kernel(a.astype(np.float64), 1), lambda: kernel(a, 1, nonsense=2), lambda: kernel(0, 1)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError):
        ElementwiseKernel("float *x", "x[i] = 1", nonsense=3)
    with pytest.raises(RuntimeError):
        ElementwiseKernel("float x", "x = 1")
    for text in ("nonsense *x", "float", "float **x"):
        with pytest.raises(ValueError):
            ElementwiseKernel(text, "x[i] = 1")
    with pytest.raises(drv.CompileError):
        ElementwiseKernel("float *x", "x[i] = nonsense(i)")(a)
    with pytest.raises(drv.CompileError):
        ElementwiseKernel("float *x", "x[i] = nonsense(x[i])")(a)
        a.get()


def test_prepared_kernels(device):
    x, y = numbers(), numbers(1000, 1)
    a, b, z = gpuarray.to_gpu(x), gpuarray.to_gpu(y), gpuarray.empty(1000, np.float32)
    grid, block = gpuarray.splay(1000)

    def check(function, wanted, *args):
        function.prepared_async_call(grid, block, None, *(p.gpudata if isinstance(p, gpuarray.GPUArray) else p for p in args), 1000)
        assert np.allclose(z.get(), wanted, rtol=1e-5, atol=1e-6)

    f = np.float32
    check(elementwise.get_elwise_kernel("float *x, float *z", "z[i] = 3 * x[i]"), 3 * x, a, z)
    check(elementwise.get_axpbyz_kernel(f, f, f), 2 * x - 3 * y, 2, a, -3, b, z)
    check(elementwise.get_axpbz_kernel(f, f), 2 * x + 5, 2, a, 5, z)
    check(elementwise.get_binary_op_kernel(f, f, f, "*"), x * y, a, b, z)
    check(elementwise.get_binary_func_kernel("fmaxf", f, f, f), np.maximum(x, y), a, b, z)
    check(elementwise.get_binary_func_scalar_kernel("fmaxf", f, f, f), np.maximum(x, 0.5), a, 0.5, z)
    check(elementwise.get_binary_minmax_kernel("min", f, f, f, False), np.minimum(x, y), a, b, z)
    check(elementwise.get_rdivide_elwise_kernel(f, f), 2 / x, a, 2, z)
    check(elementwise.get_fill_kernel(f), np.full(1000, 7), 7, z)
    check(elementwise.get_reverse_kernel(f), x[::-1], a, z)
    check(elementwise.get_copy_kernel(f, f), x, z, a)
    check(elementwise.get_arange_kernel(f), 3 + 0.5 * np.arange(1000), z, 3, 0.5)
    check(elementwise.get_pow_array_kernel(f, f, f, True, False), np.abs(x) ** 0.5, abs(a), 0.5, z)
    check(elementwise.get_pow_array_kernel(f, f, f, False, True), 2**x, 2, a, z)
    check(elementwise.get_fmod_kernel(), np.fmod(x, y), a, b, z)
    check(elementwise.get_unary_func_kernel("expf", f), np.exp(x), a, z)
    check(elementwise.get_if_positive_kernel(f, f), np.where(x > 0, x, y), a, a, b, z)
    check(elementwise.get_where_kernel(f, f), x, a, a, b, z)
    check(elementwise.get_scalar_op_kernel(f, f, f, "-"), x - 2, a, 2, z)
    check(elementwise.get_logical_not_kernel(f, f), np.zeros(1000), a, z)
    check(elementwise.get_linear_combination_kernel(((False, f, f), (False, f, f)), f)[0], 2 * x - 3 * y, 2, a, -3, b, z)
    combine, factors = elementwise.get_linear_combination_kernel(((True, np.float64, f), (False, f, f), (True, f, f)), f)
    gpuarray.to_gpu(np.array(5.0)).bind_to_texref_ext(factors[0], allow_double_hack=True)
    gpuarray.to_gpu(np.array([7, 1], f)).bind_to_texref_ext(factors[1])
    check(combine, 5 * x + 2 * x + 7 * y, a, 2, a, b, z)
    c = gpuarray.to_gpu(x + 1j * y)
    check(elementwise.get_real_kernel(np.complex128, f), x, c.astype(np.complex128), z)
    check(elementwise.get_imag_kernel(np.complex64, f), y, c.astype(np.complex64), z)
    at = gpuarray.to_gpu(np.random.default_rng(0).permutation(1000).astype(np.int32))
    check(elementwise.get_put_kernel(f, np.int32), x[np.argsort(at.get())], at, z, a)
    take, (source,) = elementwise.get_take_kernel(f, np.int32)
    a.bind_to_texref_ext(source)
    check(take, x[at.get()], at, z)
    put, (source,) = elementwise.get_take_put_kernel(f, np.int32, False)
    a.bind_to_texref_ext(source)
    check(put, x, at, at, z)
    put, (source,) = elementwise.get_take_put_kernel(f, np.int32, True)
    a.bind_to_texref_ext(source)
    check(put, x, at, at - 1, z, 1)
    check(elementwise.get_ldexp_kernel(), np.ldexp(x, 3), a, gpuarray.zeros_like(a) + 3, z)
    w = gpuarray.empty_like(z)
    check(elementwise.get_modf_kernel(), np.modf(x)[1], a, z, w)
    assert np.allclose(w.get(), np.modf(x)[0])
    check(elementwise.get_frexp_kernel(), np.frexp(x)[0], a, z, w)
    assert np.array_equal(w.get(), np.frexp(x)[1])
    d = gpuarray.empty(1000, np.complex64)
    elementwise.get_conj_kernel(np.complex64, np.complex64).prepared_call(grid, block, c.astype(np.complex64).gpudata, d.gpudata, 1000)
    assert np.allclose(d.get(), x - 1j * y)


def test_grids_of_arrays(device):
    a = gpuarray.arange(1000, dtype=np.float32)
    b = a._new_like_me()
    twice = elementwise.get_elwise_kernel("float *x, float *z", "z[i] = 2 * x[i]")
    twice.prepared_async_call(a._grid, a._block, None, a.gpudata, b.gpudata, a.mem_size)
    assert np.array_equal(b.get(), 2 * a.get()) and a._new_like_me(np.int32).dtype == np.int32


def test_modules(device):
    z = gpuarray.zeros(100, np.float32)
    f = elementwise.get_elwise_module("float *z", "z[i] = i", "f").get_function("f")
    f(z, np.uint64(100), block=(32, 1, 1), grid=(2, 1))
    assert np.array_equal(z.get(), np.arange(100))
    f = elementwise.get_elwise_range_module("float *z", "z[i] = 0", "f").get_function("f")
    f(z, np.int64(10), np.int64(50), np.int64(2), block=(32, 1, 1), grid=(2, 1))
    assert z.get()[10:50:2].sum() == 0 and z.get()[11] == 11
    module, function, arguments = elementwise.get_elwise_kernel_and_types("float *z, int k", "z[i] = k")
    assert [(type(a), a.name) for a in arguments] == [(VectorArg, "z"), (ScalarArg, "k"), (ScalarArg, "n")] and module.get_function("kernel")
    f = elementwise.get_elwise_module([VectorArg(np.float32, "z"), ScalarArg(np.uintp, "n")], "z[i] = min(i, n - 5)", "f").get_function("f")
    f(z, np.uint64(100), block=(32, 1, 1), grid=(2, 1))
    assert np.array_equal(z.get(), np.minimum(np.arange(100), 95))
    assert elementwise.dtype_to_ctype(np.float32) == "float"


def test_the_counter_is_a_size(device):
    z = gpuarray.zeros(100, np.float32)
    ElementwiseKernel("float *z", "z[i] = max(i, size_t(3)) + (sizeof(i) == sizeof(size_t))", "f")(z)
    assert np.array_equal(z.get(), np.maximum(np.arange(100), 3) + 1)


def test_texture_references_of_kernels(device):
    table = gpuarray.to_gpu(np.arange(10, dtype=np.float32) ** 2)
    z = gpuarray.zeros(10, np.float32)
    f = ElementwiseKernel("float *z", "z[i] += tex1Dfetch(table, 9 - i)", "f", preamble="texture<float, 1> table;")
    table.bind_to_texref_ext(f.get_texref("table"))
    f(z)
    assert np.array_equal(z.get(), table.get()[::-1])
    (2 * table).bind_to_texref_ext(f.get_texref("table", use_range=True))
    f(z, slice=slice(0, 5))
    assert np.array_equal(z.get(), np.where(np.arange(10) < 5, 3, 1) * table.get()[::-1])
    places = gpuarray.to_gpu(np.array([3, 7, 1], np.int32))
    f = ElementwiseKernel("float *z, int *at", "z[i] = tex1Dfetch(table, at[i])", "f", preamble="texture<float, 1, cudaReadModeElementType> table;")
    table.bind_to_texref_ext(f.get_texref("table"))
    f(z[:3], places)
    assert z.get()[:3].tolist() == [9, 49, 1]


def test_more_arrays_than_a_kernel_takes():
    for make in (elementwise.get_put_kernel, elementwise.get_take_kernel):
        with pytest.raises(ValueError, match="takes up to"):
            make(np.float32, np.int32, 2**63)
