"""fastmath(): values are right but for rounding, and nothing outside of the block changes."""

import threading

import numpy as np
import pytest
import quern as qn

N = 5003  # above what is computed at once, and no multiple of any vector

pytestmark = pytest.mark.usefixtures("fused")


@pytest.fixture
def numbers(device):
    rng = np.random.default_rng(3)
    return rng.normal(size=(4, N)), lambda a: qn.asarray(a, device=device)


def near(made, wanted, rtol=1e-12):
    np.testing.assert_allclose(qn.asnumpy(made), wanted, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype, rtol", [("float32", 2e-5), ("float64", 1e-12), ("complex64", 2e-5), ("complex128", 1e-12), ("int64", 0)])
def test_values(numbers, dtype, rtol):
    host, put = numbers
    a, b, c = (host[:3] * 10).astype(dtype)
    if dtype.startswith("complex"):
        a = a + (1j * host[3]).astype(dtype)

    def work(m, x, y, z):
        v = x * y + z * 2 - x / 4 if dtype != "int64" else x * y + z * 2 - x // 4
        return v, (v * 3).sum(), m.where(m.abs(v) > 1, v, -v)

    with qn.fastmath():
        made = work(qn, put(a), put(b), put(c))
    wanted = work(np, a, b, c)
    for one, other in zip(made, wanted, strict=True):
        assert one.dtype == other.dtype
        scale = np.abs(a).sum() if one.ndim == 0 else 1
        np.testing.assert_allclose(qn.asnumpy(one), other, rtol=rtol * 10, atol=rtol * 10 * scale)


def test_what_is_outside_keeps_its_bits(numbers):
    host, put = numbers
    a, b, c, d = host
    x, y, z, w = map(put, host)
    before = x * y + z  # pending while the block records
    with qn.fastmath():
        inside = before * w + x * y
    after = inside * 0.5 + x * y + z
    qn.synchronize()
    np.testing.assert_array_equal(qn.asnumpy(before), a * b + c)
    near(inside, (a * b + c) * d + a * b)
    np.testing.assert_array_equal(qn.asnumpy(after), qn.asnumpy(inside) * 0.5 + a * b + c)


def test_a_number_outside_keeps_its_bits(numbers):
    host, put = numbers
    x, y = put(host[0]), put(host[1])
    number = y[0] * y[1] + y[2]  # waits for the kernel that needs it
    with qn.fastmath():
        near(x * number + x, host[0] * (host[1][0] * host[1][1] + host[1][2]) + host[0])
    assert float(number) == host[1][0] * host[1][1] + host[1][2]


def test_constants_of_one_loop(numbers):
    """A kernel without a part of a constant that is 0 must not be used for a constant that has it."""
    host, put = numbers
    x, y = (host[0] + 1j * host[1]).astype("complex64"), (host[2] - 1j * host[3]).astype("complex64")
    a, b = put(x), put(y)
    for factor in (2, 2j, 1 + 1j, 0, -3j, 0.5, 2, 1 - 2j):
        with qn.fastmath():
            near(a * factor + b * (1 + 2j) - a, x * np.complex64(factor) + y * np.complex64(1 + 2j) - x, 2e-5)


def test_no_part_is_left_out_outside(numbers):
    host, put = numbers
    x = (host[0] + 1j * host[1]).astype("complex64")
    x[7] = complex(np.inf, 1)
    with qn.fastmath():
        qn.synchronize()
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(qn.asnumpy(put(x) * 2 + put(x)), x * np.complex64(2) + x)


def test_fuses_products_with_sums(device):
    """The block has an effect: (1 + e)(1 - e) - 1 is 0 where the product is rounded, and -e * e where it is not."""
    e = np.float64(2.0**-30)
    x, y = (qn.full(N, 1 + s * e, device=device) * qn.asarray(np.ones(N), device=device) for s in (1, -1))
    one = qn.asarray(np.ones(N), device=device)
    qn.synchronize()
    assert not qn.asnumpy(x * y - one).any()
    with qn.fastmath():
        fused = x * y - one
    assert set(qn.asnumpy(fused).tolist()) == {-(2.0**-60)}


def test_isnan_of_what_is_in_memory(numbers):
    host, put = numbers
    host[0][5] = np.nan
    with qn.fastmath():
        made = qn.where(qn.isnan(put(host[0])), 0, put(host[1])) * 2
    near(made, np.where(np.isnan(host[0]), 0, host[1]) * 2)


def test_nested_decorated_and_left_by_an_exception(device):
    @qn.fastmath()
    def inside(x):
        return x * 2 + 1

    with qn.fastmath(), qn.fastmath():
        pass
    with pytest.raises(KeyError), qn.fastmath():
        raise KeyError
    e = 2.0**-30
    x, y = (qn.asarray(np.full(N, 1 + s * e), device=device) for s in (1, -1))
    near(inside(x), (1 + e) * 2 + 1)
    assert not qn.asnumpy(x * y - 1).any()


def test_other_threads_compute_as_always(device):
    e = 2.0**-30
    x, y = (qn.asarray(np.full(N, 1 + s * e), device=device) for s in (1, -1))
    made = []
    with qn.fastmath():
        thread = threading.Thread(target=lambda: made.append(x * y - 1))
        thread.start()
        thread.join()
    assert not qn.asnumpy(made[0]).any()


def test_gradients(device):
    x = qn.asarray(np.linspace(1, 2, N), device=device)
    qn.autograd.requires_grad(x)
    with qn.fastmath():
        qn.autograd.backward((x * x * x + 2 * x).sum())
    near(qn.autograd.grad_of(x), 3 * np.linspace(1, 2, N) ** 2 + 2)


def test_a_decorated_function_in_two_threads(device):
    e = 2.0**-30
    x, y = (qn.asarray(np.full(N, 1 + s * e), device=device) for s in (1, -1))
    entered, leave = threading.Event(), threading.Event()

    @qn.fastmath()
    def step(wait):
        if wait:
            entered.set()
            leave.wait()

    thread = threading.Thread(target=step, args=(True,))
    thread.start()
    entered.wait()
    step(False)
    leave.set()
    thread.join()
    assert not qn.asnumpy(x * y - 1).any()


@pytest.mark.parametrize("name", ["exp2", "expm1", "log1p", "tanh", "arctanh", "sinh", "tan", "erf", "cbrt", "arcsinh"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_functions_keep_their_accuracy(device, name, dtype):
    if dtype == "complex64" and name in ("erf", "cbrt"):
        pytest.skip("real functions")
    scales = np.repeat([1e-12, 1e-5, 1e-2, 0.5], N // 4 + 1)[:N]
    host = (np.random.default_rng(5).uniform(-1, 1, N) * scales).astype(dtype)
    x = qn.asarray(host + (host[::-1] * 1j).astype(dtype) if dtype == "complex64" else host, device=device)
    plain = qn.asnumpy(getattr(qn, name)(x))
    with qn.fastmath():
        fast = qn.asnumpy(getattr(qn, name)(x))
    np.testing.assert_allclose(fast, plain, rtol=4e-7 if dtype != "float64" else 1e-15)


def test_where_functions_overflow_inside(device):
    x = qn.linspace(0, 100, N, device=device).astype("complex64") + 1j
    plain = qn.asnumpy(qn.tanh(x))
    with qn.fastmath():
        fast = qn.asnumpy(qn.tanh(x))
    assert np.isfinite(fast).all()
    np.testing.assert_allclose(fast, plain, rtol=1e-6)


def test_infinity_in_memory(device):
    x = np.ones(N)
    x[3] = np.inf
    with qn.fastmath():
        assert qn.asnumpy(qn.isinf(qn.asarray(x, device=device))).nonzero()[0].tolist() == [3]


def test_small_divisors(device):
    x, y = (qn.full(N, v, "float32", device=device) * qn.ones(N, "float32", device=device) for v in (1e-5, 3e-44))
    with qn.fastmath():
        assert np.isfinite(qn.asnumpy(x / y)).all()


def test_users_code_is_compiled_as_always(device):
    from quern import cupy

    text = "s = a + b; double bb = s - a; t = (a - (s - bb)) + (b - bb);"
    two = cupy.ElementwiseKernel("float64 a, float64 b", "float64 s, float64 t", text, "twosum")
    a, b = (cupy.full(N, v) * cupy.ones(N) for v in (1e16, 0.4998))
    with qn.fastmath():
        lost = two(a, b)[1]
    assert float(lost[1]) == 0.4998
