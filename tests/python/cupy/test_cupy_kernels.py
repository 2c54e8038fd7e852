"""CuPy's kernels on arrays: ElementwiseKernel, ReductionKernel, fuse, vectorize, RawModule and cupyx."""

import itertools
import pickle

import numpy as np
import pytest
import quern as qn
from programs import quern
from quern import cupy as cp
from quern import cupyx
from quern.cupyx.profiler import benchmark, time_range
from quern.lib import _engine

TYPES = ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
RNG = np.random.default_rng(7)


def both(shape, dtype="float64"):
    """Random values, as NumPy's array and as ours."""
    host = (RNG.standard_normal(shape) * 8).astype(dtype)
    if host.dtype.kind == "c":
        host = (host + 1j * RNG.standard_normal(shape)).astype(dtype)
    return host, cp.asarray(host)


def views(shape):
    """The same values in arrays that lie differently."""
    host, whole = both(shape)
    yield host, whole
    yield host[::-1], whole[::-1]
    yield host[..., ::-2], whole[..., ::-2]
    yield host.T, whole.T
    yield np.broadcast_to(host[:1], shape), cp.broadcast_to(whole[:1], shape)


# ---- elementwise kernels

squared_diff = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add_generic")


def test_elementwise(device):
    x, y = np.arange(10, dtype=np.float32).reshape(2, 5), np.arange(5, dtype=np.float32)
    got = squared_diff(cp.asarray(x), cp.asarray(y))
    assert type(got) is cp.ndarray
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got.get(), (x - y) ** 2)
    np.testing.assert_array_equal(squared_diff(cp.asarray(x), 5).get(), (x - 5) ** 2)
    out = cp.empty((2, 5), dtype=np.float32)
    assert squared_diff(cp.asarray(x), cp.asarray(y), out) is out
    np.testing.assert_array_equal(out.get(), (x - y) ** 2)


@pytest.mark.parametrize("dtype", TYPES)
def test_types(device, dtype):
    host, x = both((3, 4), dtype)
    got = add(x, x)
    assert got.dtype == host.dtype
    np.testing.assert_array_equal(got.get(), host + host)
    raw = cp.ElementwiseKernel("raw T x, T y", "T z", "z = x[i] + y", "add_raw")(x, x)
    np.testing.assert_array_equal(raw.get(), host + host)
    scaled = cp.ElementwiseKernel("T x, T k", "T z", "z = x * k", "scaled")(x, 2 if dtype != "bool" else True)
    np.testing.assert_array_equal(scaled.get(), host * host.dtype.type(2))


@pytest.mark.parametrize("raw", [False, True])
def test_layouts(device, raw):
    text = "z = x[i] * 2 + y" if raw else "z = x * 2 + y"
    kernel = cp.ElementwiseKernel("raw T x, T y" if raw else "T x, T y", "T z", text, "layouts")
    for (hx, x), (hy, y) in itertools.product(views((4, 4)), views((4, 4))):
        if hx.shape == hy.shape:
            np.testing.assert_array_equal(kernel(x, y).get(), hx * 2 + hy)


def test_empty_and_zero_dimensions(device):
    assert add(cp.zeros((0, 3)), 1).shape == (0, 3)
    assert add(cp.asarray(2.0), 1).get() == 3
    assert add(cp.asarray(2.0), cp.asarray([1.0, 2.0])).get().tolist() == [3, 4]
    index = cp.ElementwiseKernel("T x", "T y", "y = x + i", "index")
    assert index(cp.zeros((0, 3))).shape == (0, 3)
    assert index(cp.asarray(2.0)).get() == 2


def test_index_and_size(device):
    host, x = both(10)
    np.testing.assert_array_equal(
        cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse")(x, x).get(), host + host[::-1]
    )
    count = cp.ElementwiseKernel("", "raw int64 y", "y[i] = n * 100 + i", "count")
    assert count(size=4).get().tolist() == [400, 401, 402, 403]
    both_ways = cp.ElementwiseKernel(
        "raw T x", "raw T y", "y[i] = x[{i % 2, i / 2}]; int at[] = {int(i % 2), int(i / 2)}; y[i] += x[at]", "two"
    )
    m = np.arange(6.0).reshape(2, 3)
    for host, ours in ((m, cp.asarray(m)), (m[:, ::-1], cp.asarray(m)[:, ::-1]), (m, cp.asarray(np.asfortranarray(m)))):
        np.testing.assert_array_equal(both_ways(ours, size=6).get(), 2 * host.T.reshape(-1))
    shapes = cp.ElementwiseKernel("raw T x", "raw int64 y", "y[i] = x.size() * 100 + x.shape()[0] * 10 + x.strides()[1]", "shapes")
    assert shapes(cp.asarray(m), size=1).get().tolist() == [628]
    place = cp.ElementwiseKernel("T x", "int64 y", "y = _ind.get()[0] * 10 + _ind.get()[1]", "place", reduce_dims=False)
    assert place(cp.asarray(m)).get().tolist() == [[0, 1, 2], [10, 11, 12]]


def test_loop_parts(device):
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x + before", "parts", loop_prep="T before = 3;", after_loop="before += 1;")
    assert kernel(cp.asarray([1, 2])).get().tolist() == [4, 5]
    assert kernel.kwargs == {"loop_prep": "T before = 3;", "after_loop": "before += 1;"}


def test_preamble_and_options(device):
    text = "template <class T> __device__ T twice(T x) { return x + x; }"
    assert cp.ElementwiseKernel("T x", "T y", "y = twice(x)", "pre", preamble=text)(cp.asarray([1.5])).get() == 3
    one = cp.ElementwiseKernel("T x", "T y", "y = f(x)", "one", preamble="__device__ double f(double x) { return x + 1; }")
    two = cp.ElementwiseKernel("T x", "T y", "y = f(x)", "two", preamble="__device__ double f(double x) { return x * 10; }")
    x = cp.asarray([1.0, 2.0])
    one(x), two(x)
    assert (one(x) + two(x)).get().tolist() == [12, 23]  # in one kernel
    defined = cp.ElementwiseKernel("T x", "T y", "y = x + N", "opt", options=("-DN=7",))
    assert defined(cp.asarray([1])).get() == 8
    macro = cp.ElementwiseKernel("T x", "T y", "y = x + M", "macro", preamble="#define M 5")
    assert macro(cp.asarray([1])).get() == 6


def test_parameters_called_n_and_raw_numbers(device):
    host, x = both((4, 6))
    powers = cp.ElementwiseKernel("T x, int32 n", "T y", "y = 1; for (int k = 0; k < n; k++) y *= x", "powers")
    np.testing.assert_allclose(cp.asnumpy(powers(x, 3)), host**3)
    assert cp.asnumpy(cp.sum(powers(x, 2) + 1)) == pytest.approx((host**2 + 1).sum())
    cosines = cp.ElementwiseKernel(
        "float64 step, raw T a, int64 n", "T w", "w = 0; for (int k = 0; k < n; k++) w += a[k] * cos(k * i * step)"
    )
    made = cp.empty(9)
    cosines(0.25, cp.asarray(host[0]), 6, made)
    np.testing.assert_allclose(cp.asnumpy(made), [sum(a * np.cos(k * i * 0.25) for k, a in enumerate(host[0])) for i in range(9)])
    largest = cp.ReductionKernel("T x, T n", "T y", "x / n", "max(a, b)", "y = a", "-1e300", "largest_of_n")
    assert largest(x, 2.0) == host.max() / 2
    shifted = cp.ElementwiseKernel("raw T x, raw int64 count, raw T by", "T y", "y = x[(i + 1) % count] + by", "shifted_by_raw")
    made = cp.empty((4, 6))
    shifted(x, host.size, 0.5, made)
    np.testing.assert_array_equal(cp.asnumpy(made).ravel(), np.roll(host.ravel(), -1) + 0.5)
    assert cp.ElementwiseKernel("T x", "T y, int64 m", "y = x; m = n", "counts_all")(x)[1].get().tolist() == np.full((4, 6), 24).tolist()


def test_constants_of_cuda(device):
    """Those of math_constants.h, which no text has to include."""
    host, x = both(50)
    least = cp.ReductionKernel("T x", "T y", "x", "min(a, b)", "y = a", "CUDART_INF_F", "least")
    assert least(x) == host.min() and least(x[:0]) == np.inf
    turn = cp.ElementwiseKernel("float64 x", "float64 y, bool nan", "y = x * CUDART_PI; nan = isnan(CUDART_NAN * x)", "turn")
    y, nan = turn(x)
    np.testing.assert_allclose(cp.asnumpy(y), host * np.pi)
    assert nan.all()


def test_outputs_keep_what_is_not_set(device):
    step = cp.ElementwiseKernel("T g, T rate", "T p", "p -= rate * g", "step")
    some = cp.ElementwiseKernel("T x", "T y", "if (x > 0) y = x", "some")
    p = cp.ones(4)
    step(cp.arange(4.0), 0.5, p[::-1])
    assert p.get().tolist() == [-0.5, 0, 0.5, 1]
    some(cp.asarray([1.0, -1.0, 2.0, -2.0]), p)
    assert p.get().tolist() == [1, 0, 2, 1]
    grid = cp.zeros((4, 4))
    add(grid[0] + 1, 1, grid[:, 2])
    assert grid.get().sum(0).tolist() == [0, 0, 8, 0]
    x = cp.arange(4.0)
    add(x, x[::-1], x)
    assert x.get().tolist() == [3, 3, 3, 3]


def test_several_outputs(device):
    host, x = both((5, 6))
    split = cp.ElementwiseKernel("T x", "T whole, T part, bool up", "whole = floor(x); part = x - whole; up = x > 0", "split")
    whole, part, up = split(x)
    assert up.dtype == np.bool_
    np.testing.assert_array_equal((whole + part).get(), np.floor(host) + (host - np.floor(host)))
    np.testing.assert_array_equal(up.get(), host > 0)
    many = cp.ElementwiseKernel("T a, T b, T c, T d, S e", "T y", "y = a + b * c - d / e", "many")
    a = [both((5, 6)) for _ in range(5)]
    np.testing.assert_allclose(many(*(ours for _, ours in a)).get(), a[0][0] + a[1][0] * a[2][0] - a[3][0] / a[4][0], rtol=1e-12)


def test_returns(device):
    x = cp.asarray([1.0])
    assert cp.ElementwiseKernel("T x", "T y", "y = x", "none", no_return=True)(x) is None
    assert isinstance(cp.ElementwiseKernel("T x", "T y", "y = x", "tuple", return_tuple=True)(x), tuple)
    leave = cp.ElementwiseKernel("T x", "T y", "y = 1; if (x > 1) return; if (x < 0) continue; y = 2; // a comment", "leave")
    assert leave(cp.asarray([2.0, -1.0, 0.5])).get().tolist() == [1, 1, 2]


def test_mathematics(device):
    z, ours = both(6, "complex64")
    kernel = cp.ElementwiseKernel(
        "complex64 z", "float32 r", "complex<float> w = conj(z) * 2.0f; r = w.real() + abs(z) + norm(z)", "complex"
    )
    np.testing.assert_allclose(kernel(ours).get(), 2 * z.real + np.abs(z) + np.abs(z) ** 2, rtol=1e-5)
    h = np.array([0.5, -1.25, 3.0], np.float16)
    half = cp.ElementwiseKernel(
        "float16 x", "T y", "float16 s = x * 2 + 0.5f; s += 1; y = max(s, float16(0)) + exp(x) + (isnan(x) ? 1 : 0)", "half"
    )
    want = np.maximum(h.astype(float) * 2 + 1.5, 0) + np.exp(h.astype(np.float32))
    np.testing.assert_allclose(half(cp.asarray(h), cp.zeros(3)).get(), want, rtol=1e-3)


def test_rows_fuse(device):
    host, x = both((100, 100))
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x * 3", "thrice")
    kernel(x)  # the first call compiles
    _engine.array_evaluate_all()
    y = kernel(x + 1) - 1
    total = y.sum()
    assert _engine.array_pending() > 2
    np.testing.assert_allclose(total.get(), ((host + 1) * 3 - 1).sum())


@pytest.mark.parametrize("body", ["y = foo", "y = x > 1 ? foo : x", "y = bar; y = foo", "if (x > 1) y = foo; else y = x"])
def test_unknown_names_are_named(device, body):
    with pytest.raises(cp.cuda.compiler.CompileException, match=r"k(:1:\d+|\(1\)): error: (.*\n)*.*foo") as caught:
        cp.ElementwiseKernel("float64 x", "float64 y", body, "k")(cp.ones(2))
    assert "row" not in str(caught.value)


def test_elementwise_errors(device):
    x = cp.asarray([1.0, 2.0])
    with pytest.raises(TypeError, match="mismatched"):
        squared_diff(x, x)
    with pytest.raises(TypeError, match="mismatched"):
        add(x, x.astype(np.float32))
    with pytest.raises(TypeError, match="Wrong number"):
        add(x)
    with pytest.raises(TypeError, match="Unsupported type"):
        add(np.ones(2), x)
    with pytest.raises(TypeError):
        add(x, x, np.ones(2))
    with pytest.raises(TypeError):
        add(x, x, wrong=1)
    with pytest.raises(TypeError):
        add(x, 1j)
    with pytest.raises(TypeError):
        cp.ElementwiseKernel("T x", "S y", "y = x", "unknown")(x)
    with pytest.raises(TypeError, match="not understood"):
        cp.ElementwiseKernel("nothing x", "T y", "y = x")
    with pytest.raises(ValueError, match="mismatched"):
        add(cp.zeros((2, 2)), x, cp.zeros(2))
    with pytest.raises(ValueError, match="broadcast"):
        add(x, x, cp.zeros(3))
    with pytest.raises(ValueError, match="broadcast"):
        add(x, cp.zeros(3))
    with pytest.raises(ValueError, match="undecided"):
        squared_diff(1, 2)
    with pytest.raises(ValueError, match="size"):
        add(x, x, size=2)
    with pytest.raises(ValueError, match="undecided"):
        cp.ElementwiseKernel("T x", "raw T y", "y[i] = x", "raw_out")(x)
    with pytest.raises(ValueError):
        add(x, x, block_size=0)
    for params in ("T i", "T _x", "T", "odd T x", "T x, T x"):
        with pytest.raises(ValueError):
            cp.ElementwiseKernel(params, "T y", "y = 0")
    with pytest.raises(ValueError, match="name"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "no name")
    other = x + 1
    with pytest.raises(qn.CompileError, match="nothing"):
        cp.ElementwiseKernel("T x", "T y", "y = nothing(x)", "wrong")(x)
    assert other.get().tolist() == [2, 3]  # its mistake is its own


def test_what_is_known_of_a_kernel(device):
    kernel = cp.ElementwiseKernel("T x, raw int32 y", "float32 z", "z = x + y[i]", "known")
    assert (kernel.nin, kernel.nout, kernel.nargs, kernel.name) == (2, 1, 3, "known")
    assert kernel.in_params[1].raw
    assert kernel.in_params[0].dtype is None
    assert kernel.out_params[0].dtype == np.float32
    with pytest.warns(UserWarning, match="No codes"):
        assert kernel.cached_codes == {}
    kernel(cp.asarray([1]), cp.asarray([1], dtype=np.int32))
    assert "known" in kernel.cached_code


# ---- reductions

l2norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
largest = cp.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", None, "largest")
mean_of = cp.ReductionKernel(
    "T x, T y", "float64 z", "x * y", "a + b", "z = double(a) / (_in_ind.size() / _out_ind.size())", "0", "mean_of"
)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (1, 2), (2, 0), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduction(device, axis, keepdims):
    host, x = both((5, 70, 6))
    numpy_axis = axis
    for h, ours in ((host, x), (host[:, ::-1, ::2], x[:, ::-1, ::2]), (host.T, x.T)):
        got = l2norm(ours, axis=axis, keepdims=keepdims)
        want = np.sqrt((h * h).sum(axis=numpy_axis, keepdims=keepdims))
        assert got.shape == want.shape
        np.testing.assert_allclose(got.get(), want, rtol=1e-12)
        np.testing.assert_array_equal(largest(ours, axis=axis, keepdims=keepdims).get(), h.max(axis=numpy_axis, keepdims=keepdims))


@pytest.mark.parametrize("size", [1, 31, 32, 33, 4096, 4097, 300_000])
def test_reduction_sizes(device, size):
    host, x = both(size)
    np.testing.assert_allclose(l2norm(x).get(), np.sqrt((host * host).sum()), rtol=1e-12)
    np.testing.assert_allclose(mean_of(x, 2.0).get(), 2 * host.mean(), rtol=1e-9, atol=1e-12)  # of all elements, not of the last stage's
    assert largest(x).get() == host.max()
    assert largest(-cp.absolute(x)).get() == (-np.abs(host)).max()  # no zero comes in


def test_order_depends_on_the_shape_alone(device):
    host, x = both((64, 900), "float32")
    padded = cp.zeros((64, 1801), dtype=np.float32)
    padded[:, ::2] = 0
    padded[:, 1::2] = x
    for axis in (None, 0, 1):
        a, b = l2norm(x, axis=axis).get(), l2norm(padded[:, 1::2], axis=axis).get()
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, l2norm(cp.asarray(np.asfortranarray(host)), axis=axis).get())


def test_reduction_of_several(device):
    (hx, x), (hy, y) = both((4, 5)), both(5)
    np.testing.assert_allclose(mean_of(x, y, axis=1).get(), (hx * hy).mean(axis=1))
    np.testing.assert_allclose(mean_of(x, 2, axis=0).get(), (hx * 2).mean(axis=0))
    np.testing.assert_allclose(l2norm(x + 1).get(), np.sqrt(((hx + 1) ** 2).sum()))
    out = cp.zeros(4)
    assert l2norm(x, out=out, axis=1) is out
    assert l2norm(x, out, axis=1) is out
    np.testing.assert_allclose(out.get(), np.sqrt((hx * hx).sum(1)))
    position = cp.ReductionKernel(
        "T x", "int64 y", "Pair{x, (long long)_J}", "a.value >= b.value ? a : b", "y = a.place", None, "position",
        reduce_type="Pair", preamble="struct Pair { T value; long long place; };",
    )  # fmt: skip
    h = RNG.permutation(9000).astype(np.float32)
    assert position(cp.asarray(h)).get() == h.argmax()


def test_reduction_types(device):
    for dtype in ("int32", "float16", "float32", "complex64"):
        host, x = both((3, 40), dtype)
        total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
        wide = np.complex128 if dtype == "complex64" else np.float64
        np.testing.assert_allclose(total(x, axis=1).get(), host.sum(axis=1, dtype=wide), rtol=2e-2, atol=0.5)
        assert total(x).dtype == host.dtype


def test_reduction_edges_and_errors(device):
    assert l2norm(cp.zeros((0,))).get() == 0
    assert l2norm(cp.zeros((0, 3)), axis=0).get().tolist() == [0, 0, 0]
    assert l2norm(cp.asarray(-3.0)).get() == 3
    assert largest(cp.zeros((0, 3)), axis=1).shape == (0,)
    with pytest.raises(ValueError, match="zero-size array to reduction operation largest which has no identity"):
        largest(cp.zeros((0,)))
    x = cp.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        l2norm(x, axis=2)
    with pytest.raises(ValueError, match="duplicate"):
        l2norm(x, axis=(0, 0))
    with pytest.raises(ValueError, match="mismatched"):
        l2norm(x, out=cp.zeros(3), axis=1)
    with pytest.raises(ValueError, match="both"):
        l2norm(x, cp.zeros(2), out=cp.zeros(2), axis=1)
    with pytest.raises(TypeError):
        l2norm(x, x, x)
    with pytest.raises(TypeError):
        mean_of(x, x.astype(np.float32))
    with pytest.raises(ValueError, match="undecided"):
        l2norm(3.0)
    with pytest.raises(qn.CompileError):
        cp.ReductionKernel("T x", "T y", "x", "a +", "y = a", "0", "wrong")(x)


# ---- Python functions


def test_fuse(device):
    @cp.fuse
    def plain(x, y):
        return (x - y) * (x - y)

    @cp.fuse(kernel_name="in_place")
    def in_place(x, y, out):
        x += y
        cp.add(x, 1, out=out)
        return cp.sqrt(cp.absolute(out)), x.sum(axis=0)

    (hx, x), (hy, y) = both((3, 4)), both(4)
    np.testing.assert_array_equal(plain(x, y).get(), (hx - hy) ** 2)
    np.testing.assert_array_equal(plain(x, 2).get(), (hx - 2) ** 2)
    assert plain(3, 2) == 1
    out = cp.zeros((3, 4))
    root, total = in_place(x, y, out)
    np.testing.assert_allclose(x.get(), hx + hy)
    np.testing.assert_allclose(out.get(), hx + hy + 1)
    np.testing.assert_allclose(root.get(), np.sqrt(np.abs(hx + hy + 1)))
    np.testing.assert_allclose(total.get(), (hx + hy).sum(axis=0))
    assert plain.__name__ == "plain"
    with pytest.raises(TypeError, match="mix"):
        plain(x, np.ones(4))
    with pytest.raises(TypeError, match="Invalid argument"):
        plain(x, [1, 2, 3, 4])
    with pytest.raises(TypeError):
        cp.fuse(wrong=1)


def test_fuse_is_not_cut(device):
    before = []

    @cp.fuse()
    def long(x):
        for _ in range(600):
            x = x + 1
        before.append(_engine.array_pending())
        return x

    x = cp.zeros((50, 50)) + 0
    assert long(x).get().sum() == 600 * 2500
    assert before[0] >= 600


def test_vectorize(device):
    f = cp.vectorize(lambda x, y: x * x + y)
    assert f(cp.arange(3), 1).get().tolist() == [1, 2, 5]
    assert cp.vectorize(lambda x: x, otypes="f")(cp.arange(3)).dtype == np.float32
    assert cp.vectorize(lambda x: 1 if x > 0 else 0)(cp.arange(3)).get().tolist() == [0, 1, 1]


# ---- RawModule, cupyx

MODULE = r"""
struct Pair { float x; int y; };
extern "C" __global__ void scale(const float* x, float* y, float k, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * k;
}
extern "C" __global__ void of_struct(float* out, Pair p) { out[0] = p.x + p.y; }
template <class T> __global__ void fill(T* out, T value) { out[threadIdx.x] = value; }
"""


def test_raw_module(device):
    module = cp.RawModule(code=MODULE, name_expressions=["fill<double>", "fill<int>"])
    x, y = cp.arange(8, dtype=np.float32), cp.zeros(8, dtype=np.float32)
    scale = module.get_function("scale")
    for k, n in ((2.0, 8), (np.float32(2), np.int64(8))):
        y[...] = 0
        scale((1,), (32,), (x + 1, y, k, n))
        assert y.get().tolist() == [2 * (i + 1) for i in range(8)]
    pair = np.zeros((), np.dtype([("x", np.float32), ("y", np.int32)]))
    pair["x"], pair["y"] = 1.5, 3
    module.get_function("of_struct")((1,), (1,), (y, pair[()]))
    assert y[0].get() == 4.5
    filled = qn.zeros(4, dtype=np.int32)  # an array of another front end
    module.get_function("fill<int>")((1,), (4,), (filled, 7))
    assert qn.asnumpy(filled).tolist() == [7] * 4
    assert module.enable_cooperative_groups is False
    assert module.module.has_kernel("scale")
    assert scale.attributes["num_regs"] >= 0
    assert {"binary_version", "ptx_version", "cache_mode_ca", "preferred_shared_memory_carveout"} <= set(scale.attributes)
    assert scale.file_path is None


def test_cupyx(device):
    x = cp.asarray([4.0, 16.0])
    assert cupyx.rsqrt(x).get().tolist() == [0.5, 0.25]
    assert cupyx.rsqrt(cp.asarray([4, 16])).dtype == np.float64
    with pytest.raises(TypeError):
        cupyx.rsqrt(x + 1j)
    with pytest.raises(AttributeError, match="does not support"):
        cupyx.nothing  # noqa: B018


def test_benchmark(device):
    x = cp.ones((100, 100))
    result = benchmark(lambda a: a + 1, (x,), n_repeat=3, n_warmup=1, name="plus")
    assert result.cpu_times.shape == (3,)
    assert result.gpu_times.shape == (1, 3)
    assert (result.cpu_times > 0).all()
    assert str(result).startswith("plus")
    gpu = f"GPU-{device.index if device.kind == 'cuda' else 0}"
    assert gpu in result.to_str(show_gpu=True)
    assert gpu not in result.to_str()
    assert len(benchmark(lambda: None, n_repeat=50, max_duration=0).cpu_times) == 1
    for wrong in ({"args": [1]}, {"kwargs": 1}, {"n_repeat": 1.5}, {"name": 3}, {"devices": 0}):
        with pytest.raises(ValueError):
            benchmark(lambda: None, **wrong)
    with time_range("part", sync=True):
        pass


def test_front_ends(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        "import cupy as cp, cupyx\n"
        "from cupyx.profiler import benchmark\n"
        "k = cp.ElementwiseKernel('T x', 'T y', 'y = x * x', 'sq')\n"
        "print(k(cp.arange(3)), cupyx.rsqrt(cp.asarray([4.0])), benchmark(k, (cp.arange(3),), n_repeat=2).cpu_times.size)\n"
    )
    done = quern("run", file)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[0 1 4] [0.5] 2\n"


def test_several_outputs_are_given_after_the_inputs(device):
    split = cp.ElementwiseKernel("T x", "T whole, T part", "whole = floor(x); part = x - whole", "split")
    x, whole, part = cp.asarray([1.5, -0.25]), cp.zeros(2), cp.zeros(2)
    out = split(x, whole, part)
    assert out[0] is whole and out[1] is part
    assert (whole.tolist(), part.tolist()) == ([1.0, -1.0], [0.5, 0.75])
    with pytest.raises(TypeError, match="Wrong number of arguments"):
        split(x, whole)
    for name, value in (("excluded", {0}), ("cache", True), ("signature", "(n)->()")):
        with pytest.raises(NotImplementedError, match="not supported"):
            cp.vectorize(lambda x: x, **{name: value})


def test_generalized_ufuncs_take_axes(device):
    dot = cupyx.GeneralizedUFunc(lambda a, b: (a * b).sum(), "(n),(n)->()")
    x = np.arange(24.0).reshape(2, 3, 4)
    for keywords in ({"axis": 0}, {"axis": 1, "keepdims": True}, {"axes": [0, 0]}, {"axes": [(1,), (1,), ()]}):
        np.testing.assert_allclose(cp.asnumpy(dot(cp.asarray(x), cp.asarray(x), **keywords)), np.vecdot(x, x, **keywords))
    with pytest.raises(TypeError, match="axis can only be used"):
        cupyx.GeneralizedUFunc(lambda a: a, "(m,n)->(n,m)")(cp.ones((2, 3)), axis=0)


def test_kernels_are_pickled(device):
    twice = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice", loop_prep="")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    x = cp.arange(6.0)
    for compiled in (False, True):
        again, summed = pickle.loads(pickle.dumps((twice, total)))
        assert again(x).get().tolist() == [0, 2, 4, 6, 8, 10] and summed(x) == 15
        if not compiled:
            twice(x), total(x)
    module = pickle.loads(pickle.dumps(cp.RawModule(code='__device__ int n; extern "C" __global__ void f() {}', options=("-DA=1",))))
    assert isinstance(module, cp.RawModule) and module.options == ("-DA=1",) and module.get_global("n").mem.size == 4
    module.get_function("f")((1,), (1,), ())


PLUS = 'extern "C" __global__ void plus(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }'


@pytest.mark.parametrize("make", [lambda: cp.RawKernel(PLUS, "plus"), lambda: cp.RawModule(code=PLUS).get_function("plus")])
def test_a_kernel_is_called_by_keyword(device, make):
    kernel, x = make(), cp.zeros(6, "f4")
    kernel(grid=(2,), block=(4,), args=(x, 5))
    kernel((2,), (4,), args=(x, 5), shared_mem=16)
    kernel((2,), block=(4,), args=(x, 5), stream=cp.cuda.Stream.null, enable_cooperative_groups=False)
    kernel((2,), (4,), (x, 5), shared_mem=0)
    assert x.tolist() == [4, 4, 4, 4, 4, 0]


def test_records_and_arrays_of_one_are_passed_by_value(device):
    code = """#include <cupy/complex.cuh>
template <class T> struct Matrix { T d[4]; };
struct Pair { float a; double b; };
extern "C" __global__ void f(Pair p, float3 v, complex<float> c, Matrix<float> m, int n, double* out) {
  out[0] = p.a + p.b; out[1] = v.x + 2 * v.y + 3 * v.z; out[2] = c.real() + c.imag(); out[3] = m.d[3]; out[4] = n;
}"""
    pair = np.dtype([("a", "f4"), ("b", "f8")], align=True)
    vector = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
    matrix = np.array((np.arange(4, dtype="f4"),), np.dtype([("d", "f4", 4)]))
    out = cp.zeros(5)
    for given in (np.array((1.5, 2.25), pair), np.array([(1.5, 2.25)], pair)[0]):
        args = (given, np.array((1, 2, 3), vector), np.complex64(5 + 6j), matrix, np.array(7, "i4"), out)
        cp.RawKernel(code, "f")((1,), (1,), args)
        assert out.tolist() == [3.75, 14, 11, 3, 7]
        out.fill(0)


def test_names_of_fixed_width_may_be_the_users(device):
    preamble = (
        "typedef unsigned long long uint64_t; typedef unsigned int uint32_t; typedef unsigned char uint8_t; typedef long long int64_t;"
    )
    assert cp.ElementwiseKernel("T x", "T y", "y = x + (uint64_t)1", "k", preamble=preamble)(cp.arange(3)).tolist() == [1, 2, 3]
    x = cp.zeros(1, "u8")
    cp.RawKernel(preamble + '\nextern "C" __global__ void f(uint64_t* x) { x[0] = 5; }', "f")((1,), (1,), (x,))
    assert x.tolist() == [5]


def test_what_is_not_there_is_a_drivers_error(device):
    module = cp.RawModule(code=PLUS)
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND.*named symbol not found"):
        module.get_function("absent")
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND.*no __device__ or __constant__ variable 'nowhere'"):
        cp.RawModule(code="__device__ int n; __global__ void f() {}").get_global("nowhere")
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_FILE_NOT_FOUND"):
        cp.RawModule(path="missing.cubin").get_function("plus")
    template = cp.RawModule(code="template <class T> __global__ void f(T* x) { x[0] = 1; }", name_expressions=["f<float>"])
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="named symbol not found"):
        template.get_function("f<double>")


def test_the_compilers_warnings_go_to_the_log(device):
    import io

    for make in (cp.RawModule, lambda code: cp.RawKernel(code, "plus")):
        log = io.StringIO()
        make(code=PLUS + "\n#warning told\n").compile(log_stream=log)
        assert "told" in log.getvalue()


@pytest.mark.parametrize("wrong", ["map_expr", "reduce_expr", "post_map_expr", "identity"])
def test_errors_of_a_reduction_name_its_expression(wrong):
    texts = {"map_expr": "x * x", "reduce_expr": "a + b", "post_map_expr": "y = a", "identity": "0"} | {wrong: "y = missing"}
    kernel = cp.ReductionKernel("T x", "T y", **texts, name="total")
    with pytest.raises(qn.CompileError, match=rf"total {wrong}(:1:\d+|\(1\)): error: .*\n.*y = missing") as caught:
        kernel(cp.arange(3.0))
    assert "_quern_both" not in str(caught.value)
