"""Matrix products against NumPy's."""

import numpy as np
import pytest
import quern as qn

pytestmark = pytest.mark.alone  # with OpenBLAS's threads, which workers do without

STACKS = [((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (3, 4)), ((5, 1, 2, 3), (2, 3, 4)), ((2, 0), (0, 4)),
          ((0, 3), (3, 4)), ((0, 2, 3), (3, 1)), ((1, 3), (3, 1)), ((70, 80), (80, 90))]  # fmt: skip
TYPES = ["?", "i1", "u1", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("shapes", STACKS, ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_against_numpy(device, shapes, dtype):
    rng = np.random.default_rng(3)
    a, b = ((rng.random(s) * 4).astype(dtype) for s in shapes)
    if a.dtype.kind == "c":
        a = a + a.dtype.type(1j)
    want, got = a @ b, qn.asnumpy(qn.asarray(a) @ qn.asarray(b))
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol={"f2": 3e-2, "f4": 1e-5, "c8": 1e-5}.get(dtype, 1e-12))


@pytest.mark.parametrize("dtype", ["f4", "i4"])
def test_layouts(device, dtype):
    rng = np.random.default_rng(4)
    a, b = ((rng.random((40, 40)) * 9).astype(dtype) for _ in range(2))
    views = [lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x[::2, ::2][:10, :10], lambda x: x[:, 3:13]]
    for left in views:
        for right in views:
            p, q, ours, other = left(a), right(b), left(qn.asarray(a)), right(qn.asarray(b))
            if p.shape[1] != q.shape[0]:
                with pytest.raises(ValueError, match="mismatch in its core dimension"):
                    ours @ other
                continue
            np.testing.assert_allclose(qn.asnumpy(ours @ other), p @ q, rtol=1e-5)


def test_types_that_differ(device):
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.ones((3, 2), np.float32)
    got = qn.asnumpy(qn.asarray(a) @ qn.asarray(b))
    assert got.dtype == (a @ b).dtype and np.array_equal(got, a @ b)


def test_one_after_the_other(device):
    """Products among elementwise work and updates in place."""
    rng = np.random.default_rng(5)
    a, b = rng.random((30, 30)), rng.random((30, 30))
    x, y = qn.asarray(a), qn.asarray(b)
    for _ in range(3):
        x = (x @ y) / 10 + 1
        a = (a @ b) / 10 + 1
        y[1:] += x[:-1]
        b[1:] += a[:-1]
    np.testing.assert_allclose(qn.asnumpy(x), a, rtol=1e-10)
    np.testing.assert_allclose(qn.asnumpy(y), b, rtol=1e-10)


def test_errors(device):
    x = qn.asarray(np.ones((2, 3)))
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        x @ qn.asarray(1.0)
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        x @ 2
    with pytest.raises(ValueError, match="size 2 is different from 3"):
        x @ x
    with pytest.raises(ValueError, match="could not be broadcast"):
        qn.asarray(np.ones((2, 2, 3))) @ qn.asarray(np.ones((3, 3, 2)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_one_form_of_product_in_many_places(device, dtype):
    """The same shapes again and again, with operands that begin at any element, in other memory each time."""
    rng = np.random.default_rng(6)
    tolerance = {"f2": 3e-2, "f4": 1e-5, "c8": 1e-5}.get(dtype, 1e-12)
    for m, k, n in ((33, 17, 9), (64, 256, 64)):
        a, b = (rng.random(size + 9).astype(dtype) for size in (m * k, k * n))
        x, y = qn.asarray(a), qn.asarray(b)
        kept = []
        for start in (0, 0, 0, 4, 4, 4, 1, 1, 8, 0, 3):
            for turned in (False, True):
                shape = (n, k) if turned else (k, n)
                p, q = a[start : start + m * k].reshape(m, k), b[8 - start : 8 - start + k * n].reshape(shape)
                left, right = x[start : start + m * k].reshape(m, k), y[8 - start : 8 - start + k * n].reshape(shape)
                kept.append((left @ (right.T if turned else right), p @ (q.T if turned else q)))
        for ours, want in kept:
            np.testing.assert_allclose(qn.asnumpy(ours), want, rtol=tolerance)


def test_a_loop_of_products_and_elementwise_work(device):
    """Rounds that come again: their launches may go out together, over memory that changes."""
    rng = np.random.default_rng(7)
    a, w = rng.random((20, 20)) / 10, rng.random((20, 20)) / 10
    x, y = qn.asarray(a), qn.asarray(w)
    seen = []
    for i in range(40):
        x = qn.tanh(x @ y + i / 100) - x * 0.5
        a = np.tanh(a @ w + i / 100) - a * 0.5
        if i % 3 == 0:
            seen.append((x, a))
            float(x[0, 0])
    for ours, want in [*seen, (x, a)]:
        np.testing.assert_allclose(qn.asnumpy(ours), want, rtol=1e-10)


SHORT = ["float16", "bfloat16"]


def in_short(values, dtype):
    """The array in that type, and its values in float64 as they are then."""
    x = qn.asarray(values.astype("float32")).astype(dtype)
    return x, qn.asnumpy(x.astype("float64"))


@pytest.mark.parametrize("dtype", SHORT)
@pytest.mark.parametrize(
    ("m", "k", "n"), [(1, 1, 1), (3, 5, 2), (1, 700, 1), (64, 64, 64), (400, 1000, 390), (5, 0, 4), (0, 3, 2), (2, 3, 800)]
)
def test_products_of_short_floats_sum_in_float32(device, dtype, m, k, n):
    rng = np.random.default_rng(m + k + n)
    a, wide_a = in_short(rng.normal(size=(m, k)), dtype)
    b, wide_b = in_short(rng.normal(size=(k, n)), dtype)
    ends = {"float16": (2.0**-11, 1e-6), "bfloat16": (2.0**-8, 1e-6)}[dtype]
    want = wide_a @ wide_b
    error = ends[0] * np.abs(want) + 2e-7 * np.sqrt(k + 1) * (np.abs(wide_a) @ np.abs(wide_b)) + ends[1]
    if device.kind == "cuda":  # cuBLASLt may round parts of the sum, as PyTorch lets it
        error += 4 * ends[0] * np.sqrt(k)
    got = a @ b
    assert str(got.dtype) == dtype and got.shape == (m, n)
    assert (np.abs(qn.asnumpy(got.astype("float64")) - want) <= error).all()
    # As they lie: turned, with steps, in a stack, broadcast.
    other = (b.T @ a.T).T
    assert (np.abs(qn.asnumpy(other.astype("float64")) - want) <= error).all()
    turned = qn.asarray(a.T.copy()).T
    assert (np.abs(qn.asnumpy((turned @ b).astype("float64")) - want) <= error).all()
    stack = qn.stack([a, a[::-1]]) @ b
    assert (np.abs(qn.asnumpy(stack.astype("float64")) - np.stack([want, want[::-1]])) <= np.stack([error, error[::-1]])).all()
    if k:
        np.testing.assert_array_equal(qn.asnumpy((a[:, ::-1] @ b[::-1]).astype("float64")).shape, (m, n))


@pytest.mark.parametrize("dtype", SHORT)
def test_sums_of_short_floats_do_not_stop(device, dtype):
    """4096 ones and more: a sum that were kept in the short type would stand still."""
    a = qn.ones((2, 5000), dtype="float32").astype(dtype)
    got = qn.asnumpy((a @ a.T).astype("float32"))
    np.testing.assert_array_equal(got, qn.asnumpy(qn.asarray(np.full((2, 2), 5000, "float32")).astype(dtype).astype("float32")))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 100, 4097, 131072, 131073, 400000])
def test_products_of_vectors(device, dtype, n):
    """Those that are there, at once; others as all products: on the CPU with the same bits, whatever the steps."""
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal(2 * n + 3).astype(dtype), rng.standard_normal(3 * n + 3).astype(dtype)
    a, b = qn.asarray(x), qn.asarray(y)
    for cut, other in [(np.s_[:n], np.s_[:n]), (np.s_[: 2 * n : 2], np.s_[: 3 * n : 3]), (np.s_[1 : n + 1], np.s_[2 : n + 2])]:
        for left, right in ((cut, other), (other, cut)):
            if x[left].size != y[right].size:
                continue
            want = np.dot(x[left].astype(np.longdouble), y[right].astype(np.longdouble))
            bound = np.finfo(dtype).eps * (np.abs(x[left]) @ np.abs(y[right])).astype(float) + np.finfo(dtype).tiny
            got = qn.dot(a[left], b[right])
            assert (got.shape, got.dtype.name) == ((), dtype)
            assert abs(float(got) - float(want)) <= bound
            again = float(a[left] @ b[right])
            assert again == float(got) if device.kind == "cpu" else abs(again - float(want)) <= bound
            assert abs(float(qn.vdot(a[left], b[right])) - float(want)) <= bound
    for turned in (a[:n][::-1] @ b[:n], a[:n] @ b[:n][::-1]):
        bound = np.finfo(dtype).eps * float(np.abs(x[:n][::-1]) @ np.abs(y[:n])) + np.finfo(dtype).tiny
        assert turned.shape == ()
        assert abs(float(turned)) <= float(np.linalg.norm(x[:n]) * np.linalg.norm(y[:n])) * 1.001 + bound


def test_a_product_of_vectors_reads_what_was_written(device):
    a, b = qn.ones(1000), qn.arange(1000.0)
    first = a @ b
    a[...] = 2
    assert (float(first), float(a @ b)) == (499500.0, 999000.0)
    x = qn.asarray([1.0, np.nan, 2.0])
    assert np.isnan(float(x @ x))
    assert float(qn.asarray([np.inf, 1.0]) @ qn.asarray([1.0, 2.0])) == np.inf
    with pytest.raises(ValueError):
        a @ b[:7]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_few_rows_times_many_columns(device, dtype):
    """Large enough for several threads, which divide the columns."""
    rng = np.random.default_rng(0)
    for m, k, n in ((1, 400, 2001), (3, 401, 777), (17, 128, 401)):
        a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
        turned = np.ascontiguousarray(b.T)
        left, right, other = (qn.asarray(one, device=device) for one in (a, b, turned))
        for product in (left @ right, left @ other.T, qn.asarray(np.stack([a, a]), device=device)[1] @ right):
            np.testing.assert_allclose(product.get(), a @ b, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int8", "bool"])
@pytest.mark.parametrize("inner", [1, 2, 7, 100, 300])
def test_many_short_sums(dtype, inner):
    """einsum without rows and columns, and products of a few elements; 16-bit factors are added in float32."""
    generator = np.random.default_rng(inner)
    a, b = ((generator.standard_normal((50, 3, inner)) * 3).astype(dtype) for _ in range(2))
    for text in ("abi,abi->ab", "abi,abi->ba", "abi,abi->a"):
        wide = "float64" if dtype == "float16" else dtype
        wanted = np.einsum(text, a.astype(wide), b.astype(wide)).astype(dtype)
        found = qn.asnumpy(qn.einsum(text, qn.array(a), qn.array(b)))
        assert found.dtype == wanted.dtype
        near = {"float16": 2e-3, "float32": 1e-4, "float64": 1e-12, "complex64": 1e-4}.get(dtype, 0)
        np.testing.assert_allclose(found, wanted, rtol=near, atol=near * 10)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 2, 2), (3, 1, 3), (1, 3, 5), (4, 4, 4), (4, 5, 4), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_of_few_elements(sizes, dtype):
    m, k, n = sizes
    generator = np.random.default_rng(0)
    a, b = generator.standard_normal((400, m, k)).astype(dtype), generator.standard_normal((400, n, k)).astype(dtype)
    wanted = a @ b.transpose(0, 2, 1)
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    for left in (qn.array(a), qn.array(a.transpose(0, 2, 1).copy()).transpose(0, 2, 1)):
        for right in (qn.array(b).transpose(0, 2, 1), qn.array(b.transpose(0, 2, 1).copy())):
            np.testing.assert_allclose(qn.asnumpy(left @ right), wanted, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(qn.asnumpy(qn.array(a[0]) @ qn.array(b[0].T)), wanted[0], rtol=tolerance, atol=tolerance)
