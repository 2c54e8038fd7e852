"""vectorize and reduce: functions of numbers as functions of arrays."""

import numpy as np
import pytest
import quern as qn
from quern import trace
from quern.kernel.errors import KernelError
from quern.numba import cuda, float32, float64, vectorize


@pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
def test_a_signature(device, target):
    @vectorize(["float64(float64, float64)"], target=target)
    def f(x, y):
        return x * 2 + y if x > y else x - y

    x, y = np.linspace(-3, 3, 50), np.linspace(2, -2, 50)
    expected = np.where(x > y, x * 2 + y, x - y)
    made = f(x, y)
    assert isinstance(made, np.ndarray) and made.dtype == np.float64
    np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(f(x[:, None], y).shape, (50, 50))
    np.testing.assert_array_equal(f(x, 1.0), np.where(x > 1, x * 2 + 1, x - 1))
    assert f(3.0, 1) == 7.0 and isinstance(f(3.0, 1), np.float64)


def test_arrays_of_the_device_stay_there(device):
    @vectorize([float32(float32, float32), float64(float64, float64)])
    def f(x, y):
        return x * y + 1

    a = np.arange(5, dtype=np.float32)
    on_device = cuda.to_device(a)
    made = f(on_device, a)
    assert isinstance(made, cuda.DeviceNDArray) and made.dtype == np.float32
    np.testing.assert_array_equal(made.copy_to_host(), a * a + 1)
    assert f(on_device, np.arange(5.0)).dtype == np.float64
    out = cuda.device_array(5, np.float32)
    assert f(on_device, on_device, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), a * a + 1)
    host = np.zeros(5)
    assert f(a, a, out=host) is host
    np.testing.assert_array_equal(host, a * a + 1)


def test_types_are_chosen_as_numpy_chooses(device):
    @vectorize(["int32(int32)", "float32(float32)", "float64(float64)"])
    def f(x):
        return x + 1

    assert f(np.ones(2, np.int16)).dtype == np.int32
    assert f(np.ones(2, np.float16)).dtype == np.float32
    assert f(np.ones(2, np.int64)).dtype == np.float64
    assert f.types == ["i->i", "f->f", "d->d"] and (f.nin, f.nout, f.ntypes) == (1, 1, 3)
    with pytest.raises(TypeError, match=r"no signature takes \(complex128\); there is int32\(int32\); float32\(float32\); float64\(float64\)"):
        f(np.ones(2, complex))


def test_without_signatures(device):
    @vectorize
    def f(x, y):
        return x**2 + y

    for dtype in ("i4", "f4", "f8", "c16"):
        x = np.arange(4).astype(dtype)
        np.testing.assert_allclose(f(x, x), x**2 + x)
    np.testing.assert_array_equal(f(2, 3), 7)


@pytest.mark.usefixtures("fused")
def test_it_is_fused_with_what_is_around_it(device):
    @cuda.jit(device=True)
    def helper(x, k):
        return x * k

    @vectorize(["float64(float64, float64)"])
    def f(x, y):
        return helper(x, 3) + y

    x = qn.arange(1000, dtype="float64")
    np.asarray(f(x + 1, x) * 2 - x)
    with trace() as events:
        y = f(x + 1, x) * 2 - x
        got = np.asarray(y)
    assert [e["kind"] for e in events].count("launch") == 1
    n = np.arange(1000.0)
    np.testing.assert_array_equal(got, ((n + 1) * 3 + n) * 2 - n)


@pytest.mark.usefixtures("fused")
def test_two_functions_and_a_sum_are_one_kernel(device):
    @cuda.jit(device=True)
    def slope(f, g):
        return -2j * f - 1j * (2 * g - 1)

    @vectorize(["c8(c8, c8, c8)"], target="cuda")
    def step_f(f, g, dt):
        return f + dt * slope(f + dt / 2 * slope(f, g), g)

    @vectorize(["c8(c8, c8, c8)"], target="cuda")
    def step_g(f, g, dt):
        return g + dt * slope(g, f)

    rng = np.random.default_rng(5)
    start_f, start_g = (rng.random((64, 50)).astype(np.complex64) for _ in range(2))
    dt = np.complex64(0.01)

    def rounds(f, g, count):
        for _ in range(count):
            f, g = step_f(f, g, dt), step_g(f, g, dt)
            total = f.sum()
            np.asarray(total)
        return f, g, total

    rounds(qn.asarray(start_f), qn.asarray(start_g), 2)
    with trace() as events:
        f, g, total = rounds(qn.asarray(start_f), qn.asarray(start_g), 1)
    assert [e["kind"] for e in events].count("launch") == 1

    def exact(f, g):
        return -2j * f - 1j * (2 * g - 1)

    wide_f, wide_g = start_f.astype(np.complex128), start_g.astype(np.complex128)
    expected = wide_f + 0.01 * exact(wide_f + 0.005 * exact(wide_f, wide_g), wide_g)
    np.testing.assert_allclose(np.asarray(f), expected, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(g), wide_g + 0.01 * exact(wide_g, wide_f), rtol=1e-5)
    np.testing.assert_allclose(np.asarray(total), expected.sum(), rtol=1e-4)


def test_complex_and_half(device):
    @vectorize(["c8(c8, c8)"], target="cuda")
    def f(x, y):
        return x * y.conjugate() - 1j

    x = np.array([1 + 2j, 3 - 1j], np.complex64)
    np.testing.assert_allclose(f(x, x[::-1]), x * x[::-1].conj() - 1j, rtol=1e-6)

    @vectorize(["f2(f2)"])
    def g(x):
        return x * x

    h = np.array([0.5, 2, 3], np.float16)
    assert g(h).dtype == np.float16
    np.testing.assert_array_equal(g(h), h * h)


def test_what_is_refused(device):
    with pytest.raises(ValueError, match="target"):
        vectorize(["f8(f8)"], target="tpu")
    with pytest.raises(TypeError, match="takes 1 argument"):
        vectorize(["f8(f8, f8)"])(lambda x: x)

    @vectorize(["f8(f8)"])
    def f(x):
        return x + 1

    with pytest.raises(TypeError, match=r"no signature takes \(<U1\)"):
        f("a")
    with pytest.raises(TypeError, match="it takes 1 argument, not 3"):
        f(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'order'"):
        f(1.0, order="F")
    with pytest.raises(ValueError):
        f(np.zeros((2, 3)), out=np.zeros((4, 5)))
    with pytest.raises(TypeError):
        f(np.zeros(3), out=np.zeros(3, int))


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8", "c8"])
def test_reduce(device, dtype):
    @cuda.reduce
    def add(a, b):
        return a + b

    x = np.arange(1, 5001).astype(dtype)
    for given in (x, cuda.to_device(x)):
        made = add(given)
        assert made.dtype == x.dtype
        np.testing.assert_allclose(made, x.sum(dtype=dtype), rtol=1e-5)
    np.testing.assert_allclose(add(x, size=10), x[:10].sum())
    np.testing.assert_allclose(add(x[:100], init=7), x[:100].sum() + 7, rtol=1e-6)
    assert add(x[:0], init=3) == 3
    res = cuda.device_array(1, dtype)
    assert add(cuda.to_device(x), res=res) is None
    np.testing.assert_allclose(res.copy_to_host()[0], x.sum(dtype=dtype), rtol=1e-5)
    with pytest.raises(TypeError, match="one dimension"):
        add(x.reshape(50, 100))


def test_reduce_with_another_function(device):
    largest = cuda.reduce(lambda a, b: max(a, b))
    x = np.random.default_rng(0).normal(size=3001)
    assert largest(x, init=x[0]) == x.max()


@pytest.mark.usefixtures("fused")
def test_sums_and_products_fuse_with_what_is_summed(device):
    total, product = cuda.reduce(lambda a, b: a + b), cuda.reduce(lambda a, b: a * b)

    @cuda.reduce
    def from_the_left(a, b):
        return b + a

    for dtype in ("i8", "u8", "f4", "f8", "c8", "c16", "i4", "f2"):
        host = (np.arange(12) % 3 + 1).astype(dtype)
        x = cuda.to_device(host)
        for view, values in ((x, host), (x[::2], host[::2]), (x[::-1], host), (x[2:7], host[2:7]), (x.reshape(3, 4).T[1], host[1::4])):
            assert total(view) == from_the_left(view) == values.sum(dtype=dtype)
            assert product(view) == values.prod(dtype=dtype)
        assert total(x, size=3, init=7) == host[:3].sum() + 7
        assert total(host) == host.sum(dtype=dtype) and total(host).dtype == np.dtype(dtype)
    assert total(cuda.to_device(np.arange(8.0)).view("i8")) == np.arange(8.0).view("i8").sum()

    @vectorize(["float64(float64)"], target="cuda")
    def twice(x):
        return 2 * x

    a, out, into = cuda.to_device(np.arange(12.0).reshape(3, 4)), cuda.device_array((3, 4)), cuda.device_array(2)
    for _ in range(2):
        with trace() as events:
            twice(a, out=out)
            total(out.reshape(12), res=into)
            assert into[0] == 132
    assert [e["kind"] for e in events].count("launch") <= 2  # the sum with what is summed, and its way into the array
    np.testing.assert_array_equal(out.copy_to_host(), 2 * np.arange(12.0).reshape(3, 4))


def test_options_of_the_target_cuda(device):
    def make(**options):
        return vectorize(["float64(float64, float64)"], target="cuda", **options)(lambda x, y: x + y)

    for flag in (True, False):
        with pytest.warns(RuntimeWarning, match="nopython kwarg for cuda target is redundant") as seen:
            make(nopython=flag)
        assert len(seen) == 1 and seen[0].filename == __file__
    with pytest.raises(KeyError, match="Unrecognized options. cuda vectorize target does not support option: 'what'"):
        make(what=True)
    x, stream = np.arange(5.0), cuda.stream()
    assert make().reduce(x, stream=stream) == 10 and make().reduce(cuda.to_device(x), stream=stream) == 10


def test_shapes_that_do_not_fit_raise_numpys_error(device):
    @vectorize(["float64(float64, float64)"], target="cuda")
    def added(x, y):
        return x + y

    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(2,3\) \(4,\)"):
        added(np.zeros((2, 3)), np.zeros(4))


def test_what_cannot_be_compiled_is_run_by_python(device):
    def mean_of(a, b):
        return np.sort(np.array([a, b, 1])).sum() / 2

    loops = ["int32(int32, int32)", "float64(float64, float64)"]
    with pytest.warns(qn.FallbackWarning, match=r"(?s)\[mean_of\] runs as plain Python .*cannot be called in a compiled function"):
        mean = vectorize(loops)(mean_of)
    x, n = np.arange(3.0), np.arange(6, dtype=np.int32).reshape(2, 3)
    np.testing.assert_array_equal(mean(x, 2), (x + 3) / 2)
    made = mean(n, n[0])
    assert made.dtype == np.int32 and (made == (n + n[0] + 1) // 2).all()
    assert mean(1.0, 2.0) == 2.0 and mean(x[:0], 1.0).shape == (0,)
    out = np.zeros(3)
    assert mean(x, x, out) is out and (out == x + 0.5).all()
    on_device = mean(qn.asarray(x), 2.0)
    assert isinstance(on_device, qn.ndarray) and (qn.asnumpy(on_device) == (x + 3) / 2).all()
    assert (qn.asnumpy(mean(qn.asarray(x), 1.0, out=qn.asarray(out))) == (x + 2) / 2).all()
    for make in (lambda: vectorize(loops, target="cuda")(mean_of), lambda: vectorize(mean_of)(x, x)):
        with pytest.raises(KernelError, match="cannot be called in a compiled function"):
            make()
