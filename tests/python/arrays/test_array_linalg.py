"""Linear algebra and Einstein's sums: NumPy is the oracle; nothing here runs through the fallback."""

import warnings

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
from arrays import cases, check, same
from quern.device import set_current_device
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("no_fallback")

LinAlgError = np.linalg.LinAlgError


TYPES = ["float32", "float64", "complex64", "complex128", "int64"]


def matrix(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "int64":
        return rng.integers(-9, 9, shape)
    x = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def close(got, want, bits=11):
    """Equal but for so many of the last bits."""
    got, want = qn.asnumpy(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    eps = 2**bits * np.finfo(want.dtype if want.dtype.kind in "fc" else float).eps
    np.testing.assert_allclose(got, want, rtol=eps, atol=eps * max(1, np.abs(want).max(initial=0)))


def closes(got, want):
    assert type(got) is type(want)
    assert len(got) == len(want)
    for ours, theirs in zip(got, want, strict=True):
        close(ours, theirs)


SHAPES = [(4, 4), (1, 1), (0, 0), (3, 5, 5), (2, 0, 4, 4), (40, 3, 3), (130, 130)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_square_matrices(device, shape, dtype):
    x = matrix(shape, dtype) + 3 * np.eye(shape[-1], dtype=dtype)
    a = qn.asarray(x)
    close(qn.linalg.inv(a), np.linalg.inv(x))
    if shape[-1] < 100:
        close(qn.linalg.det(a), np.linalg.det(x))
    closes(qn.linalg.slogdet(a), np.linalg.slogdet(x))
    b = matrix((shape[-1], 3), dtype, 1)
    close(qn.linalg.solve(a, qn.asarray(b)), np.linalg.solve(x, b))
    close(qn.linalg.solve(a, qn.asarray(b[:, 0])), np.linalg.solve(x, b[:, 0]))
    turned = np.swapaxes(x, -1, -2)
    close(qn.linalg.inv(a.swapaxes(-1, -2)), np.linalg.inv(turned))
    positive = x @ turned.conj() + np.eye(shape[-1], dtype=dtype)
    p = qn.asarray(positive)
    close(qn.linalg.cholesky(p), np.linalg.cholesky(positive))
    close(qn.linalg.cholesky(p, upper=True), np.linalg.cholesky(positive, upper=True))
    for n in (-2, 0, 1, 3):
        if shape[-1] < 100 and (dtype != "int64" or n >= 0):
            close(qn.linalg.matrix_power(a, n) * 1.0, np.linalg.matrix_power(x, n) * 1.0)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenvalues(device, shape, dtype):
    x = matrix(shape, dtype)
    hermitian = x + np.swapaxes(x, -1, -2).conj()
    h = qn.asarray(hermitian)
    values, vectors = qn.linalg.eigh(h)
    want = np.linalg.eigh(hermitian)
    assert type(qn.linalg.eigh(h)) is type(want)
    close(values, want[0])
    close(qn.linalg.eigvalsh(h, "U"), np.linalg.eigvalsh(hermitian, "U"))
    v = vectors.get()
    assert v.dtype == want[1].dtype
    close(qn.asarray(v * values.get()[..., None, :]), (hermitian @ v).astype(v.dtype))
    a = qn.asarray(x)
    for given, array in ((x, a), (hermitian, h)):
        values, vectors = qn.linalg.eig(array)
        want = np.linalg.eig(given)
        assert type(qn.linalg.eig(array)) is type(want)
        v, w = vectors.get(), values.get()
        assert (v.dtype, w.dtype) == (want[1].dtype, want[0].dtype)
        assert v.shape == want[1].shape
        np.testing.assert_allclose(given @ v, v * w[..., None, :], atol=2000 * np.finfo(v.dtype).eps * max(1, np.abs(given).max(initial=1)))
        assert qn.linalg.eigvals(array).dtype == np.linalg.eigvals(given).dtype


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (5, 3), (3, 5), (2, 6, 4), (0, 3), (3, 0), (2, 3, 0)])
def test_orthogonal_factors(device, shape, dtype):
    x = matrix(shape, dtype)
    a = qn.asarray(x)
    for mode in ("reduced", "complete"):
        q, r = qn.linalg.qr(a, mode)
        want = np.linalg.qr(x, mode)
        assert type(qn.linalg.qr(a, mode)) is type(want)
        assert q.shape == want[0].shape
        close(q, want[0])
        close(r, want[1])
    close(qn.linalg.qr(a, "r"), np.linalg.qr(x, "r"))
    if x.size:
        closes(qn.linalg.qr(a, "raw"), np.linalg.qr(x, "raw"))
    close(qn.linalg.svdvals(a), np.linalg.svdvals(x))
    for full in (True, False):
        u, s, vh = qn.linalg.svd(a, full)
        want = np.linalg.svd(x, full)
        assert type(qn.linalg.svd(a, full)) is type(want)
        assert [y.shape for y in (u, s, vh)] == [y.shape for y in want]
        u, s, vh = (y.get() for y in (u, s, vh))
        k = s.shape[-1]
        close(qn.asarray((u[..., :k] * s[..., None, :]) @ vh[..., :k, :]), x.astype(u.dtype))
    close(qn.linalg.pinv(a), np.linalg.pinv(x), bits=15)  # of a matrix that is nearly singular
    if x.size:
        same(qn.linalg.matrix_rank(a), np.linalg.matrix_rank(x))
        orders = [None, 2, -2]
        if shape[-1] == shape[-2] and shape[-1] < 100:
            orders += [1, np.inf, "fro"] + [-1, -np.inf, "nuc"] * (dtype != "int64")  # some of the integers' are singular
        for p in orders:
            got, want = qn.linalg.cond(a, p).get(), np.linalg.cond(x, p)
            # Of a singular matrix rounding alone says how far it is from being one.
            single = dtype in ("float32", "complex64")
            most = 1e5 if single else 1e13
            got, want = (np.clip(y, 1 / most, most) for y in (got, want))
            np.testing.assert_allclose(got, want, rtol=0.01 if single else 1e-6)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4), (5, 1)])
def test_least_squares(device, shape, dtype):
    x, b = matrix(shape, dtype), matrix((shape[0], 2), dtype, 1)
    for right in (b, b[:, 0]):
        got, want = qn.linalg.lstsq(qn.asarray(x), qn.asarray(right)), np.linalg.lstsq(x, right)
        for ours, theirs in zip(got[:2] + got[3:], want[:2] + want[3:], strict=True):
            if right.ndim == 1 and theirs is want[1]:
                theirs = np.asarray(theirs)
            close(ours, theirs)
        assert int(got[2]) == want[2]
    short = np.ones(shape, dtype)
    got, want = qn.linalg.lstsq(qn.asarray(short), qn.asarray(b)), np.linalg.lstsq(short, b)
    assert int(got[2]) == want[2] == 1
    close(got[0], want[0])
    assert got[1].shape == want[1].shape


SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def test_matrices_that_do_not_allow_it(device):
    """The error is raised at evaluation, with NumPy's type and message."""
    a = qn.asarray(SINGULAR)
    for f, text in (
        (lambda: qn.linalg.inv(a), "Singular matrix"),
        (lambda: qn.linalg.solve(a, qn.asarray([1.0, 2.0])), "Singular matrix"),
        (lambda: qn.linalg.cholesky(-a), "not positive definite"),
        (lambda: qn.linalg.inv(qn.asarray(np.stack([np.eye(2)] * 500 + [SINGULAR]))), "Singular matrix"),
    ):
        with pytest.raises(LinAlgError, match=text):
            f().get()
    assert qn.linalg.det(a).item() == 0
    assert qn.linalg.slogdet(a).logabsdet.item() == -np.inf
    assert qn.linalg.cond(a, 1).item() == np.inf
    assert float(qn.linalg.inv(qn.asarray([[2.0]]))[0, 0]) == 0.5  # nothing is left of the errors


def test_the_error_names_the_line(device):
    """Of the call that recorded the factorisation, also where only a dependent value is read."""
    singular, negative = qn.asarray(SINGULAR), qn.asarray(np.stack([np.eye(3)] * 3 + [-np.eye(3)] * 2))
    for record, text, looks in (
        (lambda: qn.linalg.inv(singular), "Singular matrix", 2),
        (lambda: qn.linalg.cholesky(negative), "not positive definite", 2),
        (lambda: qn.linalg.solve(singular, singular) * 2 + 1, "Singular matrix", 1),
        (lambda: qn.linalg.cholesky(negative)[0].sum(), "not positive definite", 1),
    ):
        bad = record()
        for _ in range(looks):
            with pytest.raises(LinAlgError, match=text + ".*test_array_linalg.py"):
                qn.asnumpy(bad)
    close(qn.linalg.inv(singular + qn.eye(2)), np.linalg.inv(SINGULAR + np.eye(2)))


@pytest.mark.parametrize("dtype", TYPES[:4])
@pytest.mark.parametrize("shape", [(5, 5), (6, 4, 4), (40, 40)])
def test_only_the_named_triangle_counts(device, shape, dtype):
    x, other = matrix(shape, dtype), matrix(shape, dtype, 1)
    hermitian = x @ np.swapaxes(x, -1, -2).conj() + np.eye(shape[-1], dtype=dtype)
    low, high = np.tril(hermitian) + np.triu(other, 1), np.triu(hermitian) + np.tril(other, -1)
    for given in (low, np.asfortranarray(low)):
        close(qn.linalg.cholesky(qn.asarray(given)), np.linalg.cholesky(hermitian))
        close(qn.linalg.eigvalsh(qn.asarray(given)), np.linalg.eigvalsh(hermitian))
    close(qn.linalg.cholesky(qn.asarray(high), upper=True), np.swapaxes(np.linalg.cholesky(hermitian), -1, -2).conj())
    for given, triangle in ((low, "L"), (high, "U")):
        values, vectors = (y.get() for y in qn.linalg.eigh(qn.asarray(given), triangle))
        close(qn.asarray(values), np.linalg.eigvalsh(hermitian))
        close(qn.asarray(vectors * values[..., None, :]), (hermitian @ vectors).astype(dtype))


def test_operands_stay(device):
    """Factorisations overwrite copies only, whatever way the operand lies in memory."""
    x = matrix((4, 6, 6), "float64") + 5 * np.eye(6)
    for given in (x, np.ascontiguousarray(x[:, ::-1])[:, ::-1], np.ascontiguousarray(np.swapaxes(x, 1, 2)).swapaxes(1, 2)):
        a = qn.asarray(given)
        b = a.swapaxes(1, 2)
        right = a[:, :, :2]
        for y, array in ((x, a), (np.swapaxes(x, 1, 2), b)):
            close(qn.linalg.solve(array, right), np.linalg.solve(y, x[:, :, :2]))
            close(qn.linalg.det(array), np.linalg.det(y))
            close(qn.linalg.svdvals(array), np.linalg.svdvals(y))
            closes(qn.linalg.qr(array), np.linalg.qr(y))
            qn.linalg.eigh(array), qn.linalg.eig(array), qn.linalg.cholesky(array @ array.swapaxes(1, 2)).get()
        np.testing.assert_array_equal(a.get(), x)


@pytest.mark.parametrize("dtype", TYPES[:4])
@pytest.mark.parametrize("shape", [(3, 3), (16, 4), (5, 4, 6), (3, 40, 35)])
def test_singular_values_that_are_0(device, shape, dtype):
    ones = np.ones(shape, dtype)
    for x in (ones * 0, ones, ones * np.arange(shape[-1]).astype(dtype)):
        u, s, vh = (y.get() for y in qn.linalg.svd(qn.asarray(x), False))
        close(qn.asarray(s), np.linalg.svd(x, compute_uv=False))
        close(qn.asarray((u * s[..., None, :]) @ vh), x)
        close(
            qn.asarray(np.swapaxes(u, -1, -2).conj() @ u),
            np.broadcast_to(np.eye(s.shape[-1], dtype=dtype), (*shape[:-2], *[s.shape[-1]] * 2)),
        )
        same(qn.linalg.matrix_rank(qn.asarray(x)), np.linalg.matrix_rank(x))


@pytest.mark.parametrize("rcond", [None, -1, 0.3, 2.0])
def test_what_counts_as_0_in_least_squares(device, rcond):
    for shape in ((7, 4), (4, 7), (5, 5)):
        x, b = matrix(shape, "float64"), matrix((shape[0], 3), "float64", 1)
        only_rounding = rcond in (-1, 2.0)  # what is smaller than the type's last bits counts as 0
        x[:, 1] = x[:, 0] * 2 + only_rounding * 1e-6 * x[::-1, 0]
        got, want = qn.linalg.lstsq(qn.asarray(x), qn.asarray(b), rcond), np.linalg.lstsq(x, b, rcond)
        assert int(got[2]) == want[2]
        close(
            qn.asarray(x) @ got[0] if only_rounding else got[0], x @ want[0] if only_rounding else want[0], bits=24 if only_rounding else 11
        )
        close(got[3], want[3])
        assert got[1].shape == want[1].shape


def test_helper_arrays_are_where_the_operand_is(device):
    """Whatever the current device is."""
    x = matrix((4, 4), "float64") + 4 * np.eye(4)
    a = qn.asarray(x)
    set_current_device(qn.device("cpu"))
    close(qn.linalg.inv(a), np.linalg.inv(x))
    close(qn.linalg.pinv(a), np.linalg.pinv(x))
    close(qn.linalg.pinv(a[None], [1e-3]), np.linalg.pinv(x[None], [1e-3]))
    close(qn.linalg.cond(a, 1), np.linalg.cond(x, 1))
    for n in (-1, 0, 2):
        close(qn.linalg.matrix_power(a, n), np.linalg.matrix_power(x, n))
    close(qn.linalg.svd(a, hermitian=True)[1], np.linalg.svd(x, hermitian=True)[1])
    close(qn.linalg.lstsq(a, a)[0], np.linalg.lstsq(x, x)[0])
    assert qn.linalg.matrix_rank(a, 0.5).item() == np.linalg.matrix_rank(x, 0.5)
    assert qn.linalg.pinv(a[:0]).shape == (4, 0)
    for value in (qn.linalg.eigh(a)[1], qn.linalg.qr(a)[0], qn.linalg.det(a), qn.tril(a), qn.triu(a, 1)):
        assert value._device_number == a._device_number


@pytest.mark.skipif(not _engine.cuda_count(), reason="no GPU")
def test_nothing_leaves_a_gpu_before_evaluation():
    """A solve, a cholesky, an eigh and an svd copy nothing to or from the host and wait for nothing."""
    x = matrix((48, 48), "float64") + 20 * np.eye(48)
    stack = matrix((10, 6, 6), "float64") + 9 * np.eye(6)
    a, b, s = (qn.asarray(y, device="cuda:0") for y in (x, x[:, :3], stack))
    for _ in range(2):  # the second time all is compiled and loaded
        qn.synchronize()
        with qn.trace() as events:
            made = []
            for y in (a, s):
                made += [qn.linalg.solve(y, y), qn.linalg.cholesky(y @ y.swapaxes(-1, -2)), *qn.linalg.eigh(y), *qn.linalg.svd(y)]
            made += [qn.linalg.solve(a, b), qn.linalg.det(s), *qn.linalg.qr(a)]
            for y in made:
                _engine.array_evaluate(y)
        kinds = {event["kind"] for event in events}
        assert not kinds & {"host_to_device", "device_to_host", "wait"}, kinds
    close(made[0], np.linalg.solve(x, x))


@pytest.mark.parametrize(
    "case",
    cases("""
m.linalg.inv(g) | m.linalg.inv(w) | m.linalg.det(g) | m.linalg.solve(g[:, :3], w) | m.linalg.cholesky(g) | m.linalg.eigh(g[:, :3], 'X')
m.linalg.qr(g, 'x') | m.linalg.qr(w) | m.linalg.svd(w) | m.linalg.eig(f[:, :3]) | m.linalg.inv(f2.reshape(2, 2)) | m.linalg.matrix_power(g, 2)
m.linalg.matrix_power(g[:, :3], 1.5) | m.linalg.lstsq(q, w) | m.linalg.lstsq(g, w) | m.linalg.multi_dot([g]) | m.linalg.multi_dot([q, g])
m.linalg.tensorinv(g, 0) | m.linalg.tensorsolve(g, w) | m.linalg.outer(g, w) | m.linalg.cross(g, g) | m.linalg.norm(g, 3) | m.linalg.norm(q, 2)
m.linalg.matrix_transpose(w) | m.linalg.norm(w, 'fro') | m.linalg.cond(m.zeros((0, 0))) | m.linalg.pinv(g, 0.1, rtol=0.1) | m.dot(g, g) | m.inner(g, a[:, :3])
m.dot(g, w, out=m.zeros(2)) | m.vdot(a, v)
"""),
)
def test_errors(case):
    check(case)


@pytest.mark.parametrize(
    "case",
    cases("""
m.linalg.norm(g, 2) | m.linalg.norm(g, -2) | m.linalg.norm(g, 'nuc') | m.linalg.norm(q, 2, (0, 2)) | m.linalg.norm(q, 'nuc', (0, 2), True)
m.linalg.norm(g[:, :2], 2, (0, 1), True) | m.linalg.matrix_norm(g) | m.linalg.matrix_norm(q, ord=1) | m.linalg.matrix_norm(q, ord='nuc', keepdims=True)
m.linalg.vector_norm(g) | m.linalg.vector_norm(q, axis=1) | m.linalg.vector_norm(q, axis=(0, 2), ord=3) | m.linalg.vector_norm(q, keepdims=True)
m.linalg.vector_norm(q, axis=(0, 1), keepdims=True, ord=1) | m.linalg.diagonal(g) | m.linalg.diagonal(q, offset=1) | m.linalg.trace(q)
m.linalg.trace(a, offset=1) | m.linalg.matrix_transpose(q) | m.linalg.outer(w, v) | m.linalg.cross(g[:, :3], a[:, :3]) | m.linalg.matmul(g, g.T)
m.linalg.vecdot(g, g) | m.linalg.vecdot(c, c, axis=0) | m.linalg.tensordot(a, g, axes=2) | m.linalg.multi_dot([g, g.T, g]) | m.linalg.multi_dot([w, g.T, g, w])
m.linalg.multi_dot([g.T, g, w]) | m.linalg.matrix_rank(w) | m.linalg.matrix_rank(m.zeros((3, 3))) | m.linalg.matrix_rank(g, 3.0)
m.linalg.matrix_rank(g, rtol=0.5) | m.linalg.matrix_rank(m.ones((2, 3, 3))) | m.linalg.pinv(m.ones((3, 3))) | m.linalg.pinv(g, rtol=None)
m.linalg.pinv(g, rcond=0.5) | m.linalg.matrix_power(a[:, :3], 3) | m.linalg.tensorinv(m.eye(6).reshape(2, 3, 3, 2) + 1) | m.linalg.svd(a[:, :3] + a[:, :3].T, compute_uv=False, hermitian=True)
m.linalg.tensorsolve(m.eye(6).reshape(2, 3, 6) + 1, m.ones((2, 3))) | m.linalg.inv([[1, 2], [3, 4]]) | m.linalg.det([[1, 2], [3, 4]])
m.dot(g, w) | m.dot(a, g.T) | m.dot(q, a[:2, :]) | m.dot(q, w[:2]) | m.dot(q, q.swapaxes(1, 2)) | m.dot(2, a) | m.dot(b, b.T) | m.dot(c, c.T)
m.dot(g, w, out=m.zeros(3)) | m.inner(g, g) | m.inner(q, a[:, :2]) | m.inner(q, w[:2]) | m.inner(a, 3) | m.vdot(c[0], c[1]) | m.dot(empty, m.zeros((3, 2)))
m.dot(hollow, m.zeros((0, 2))) | m.dot(i8, i8) | m.dot(i8[:, None], i8[None]) | g.dot(w)
"""),
)
def test_values(case, device):
    check(case, exact=False)


@pytest.mark.parametrize(
    "case",
    cases("""
m.einsum('ij->ji', a) | m.einsum('ij', a) | m.einsum('ji', a) | m.einsum('ij->', g) | m.einsum('ij->i', g) | m.einsum('ii', a[:, :3]) | m.einsum('ii->i', a[:, :3])
m.einsum('ij,jk', a, a.T) | m.einsum('ij,jk->ki', g, g.T) | m.einsum('ij,kj->ik', g, a) | m.einsum('i,i', v, v) | m.einsum('i,j->ij', v, w) | m.einsum('i,j', v, w)
m.einsum('ijk,ij->k', q, q[..., 0]) | m.einsum('ijk,ilk->ijl', q, q) | m.einsum('...j,j', q, w[:2]) | m.einsum('...j,...j->...', q, q) | m.einsum('...ij->...ji', q)
m.einsum('i...->...', q) | m.einsum('ij,ij->ij', a, g) | m.einsum('ij,ij', a, a) | m.einsum('ij,j,i->', g, w, w[:3]) | m.einsum('ij,jk,kl->il', g, g.T, g)
m.einsum('ij,jk,kl->il', g, g.T, g, optimize=True) | m.einsum('ij,jk,kl,lm->im', g, g.T, g, g.T, optimize='optimal') | m.einsum(a, [0, 1], g, [2, 1], [0, 2])
m.einsum(a, [0, 1], [1, 0]) | m.einsum(q, [0, Ellipsis, 1]) | m.einsum('ij,jk->ik', a, a.T, dtype='float64') | m.einsum('i,i->i', v, 1.0 * v)
m.einsum('ij,jk->ik', a, a.T, out=m.zeros((3, 3), int)) | m.einsum('ij,kj->ik', b, b) | m.einsum('ij->i', b) | m.einsum('ij,ij->ij', b, b) | m.einsum('ij,jk->ik', c[:, :2], c[:, :2])
m.einsum('ij,j->ij', one, m.ones(1)) | m.einsum('ij,ij->i', one, m.ones((3, 4))) | m.einsum('i,ij', m.ones(1), g) | m.einsum(' i j , j -> i ', g, w) | m.einsum('ij,i->ij', empty, m.zeros(0))
m.einsum('ij,jk->ik', hollow, m.zeros((0, 2))) | m.einsum(',i->i', 3, v) | m.einsum('iij->j', m.ones((2, 2, 3))) | m.einsum('iji->ij', m.ones((2, 3, 2)))
m.einsum('ij,jk', a) | m.einsum('ij', v) | m.einsum('i', a) | m.einsum('ij->ik', a) | m.einsum('ij->ii', a) | m.einsum('ij,jk', a, a) | m.einsum('i1', a) | m.einsum('i->i->', v)
m.einsum('...->', a) | m.einsum() | m.einsum('ij,jk->ik', g, g.T, dtype='int64') | m.einsum_path('ij,jk,kl->il', g, g.T, g)[0]
"""),
)
def test_einsum(case, device):
    check(case, exact=False)


def test_the_results_of_front_ends():
    a = cp.asarray(SINGULAR + np.eye(2))
    for value in (cp.linalg.inv(a), cp.linalg.eigh(a)[0], cp.linalg.svd(a)[2], cp.einsum("ij->i", a), cp.dot(a, a), cp.linalg.det(a)):
        assert type(value) is cp.ndarray


WITH_NAN = np.array([[2.0, np.nan], [0.0, 1.0]])


def cond_of_numpy(x):
    """NumPy's condition number; before 2.5 it raised for a matrix with NaN, whose number is NaN since."""
    lost = np.isnan(x).any(axis=(-2, -1))
    return np.where(lost, np.nan, np.linalg.cond(np.where(lost[..., None, None], np.eye(x.shape[-1]), x))).astype(x.real.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "eigh", "eigvalsh", "svd", "svdvals", "pinv", "matrix_rank", "cond", "eig"])
def test_matrices_with_nan(device, name, dtype):
    """NaN where NumPy gives NaN, LinAlgError where it raises that: alone, and in a stack of sound ones."""
    for x in (WITH_NAN, WITH_NAN.T.copy(), np.full((2, 2), np.nan), np.stack([np.eye(2), WITH_NAN.T])):
        x = x.astype(dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                want = cond_of_numpy(x) if name == "cond" else getattr(np.linalg, name)(x)
            except np.linalg.LinAlgError:
                with pytest.raises(np.linalg.LinAlgError):
                    got = getattr(qn.linalg, name)(qn.asarray(x))
                    [np.asarray(qn.asnumpy(part)) for part in (got if isinstance(got, tuple) else (got,))]
                continue
        got = getattr(qn.linalg, name)(qn.asarray(x))
        pairs = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
        for ours, theirs in pairs:
            ours, theirs = qn.asnumpy(ours), np.asarray(theirs)
            assert ours.dtype == theirs.dtype
            assert np.array_equal(np.isnan(ours), np.isnan(theirs))
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("p", [None, 2, -2, 1, np.inf, "fro", "nuc"])
def test_cond_with_nan(device, p):
    x = np.stack([np.eye(2) * 3, WITH_NAN, np.array([[1.0, 2.0], [2.0, 4.0]])])
    got = qn.asnumpy(qn.linalg.cond(qn.asarray(x), p))
    assert np.isnan(got[1])
    want = [np.linalg.cond(x[0], p), np.nan, np.linalg.cond(x[2], 1 if p == "nuc" else p)]
    np.testing.assert_array_equal(got > 1e15, np.array(want) > 1e15)
    np.testing.assert_allclose(got[0], want[0])


@pytest.mark.parametrize("p", [None, 1])
def test_cond_with_infinities(device, p):
    x = np.array([[np.inf, -np.inf], [2.0, 3.0]])
    assert qn.linalg.cond(qn.asarray(x), p).item() == np.linalg.cond(x, p) == np.inf


def test_equations_with_nan(device):
    for x, b in ((WITH_NAN, np.ones(2)), (np.eye(2), np.array([np.nan, 1.0]))):
        np.testing.assert_array_equal(qn.asnumpy(qn.linalg.solve(qn.asarray(x), qn.asarray(b))), np.linalg.solve(x, b))


@pytest.mark.parametrize(
    "shapes", [((3, 0), (3, 2)), ((3, 0), (3,)), ((0, 3), (0, 2)), ((0, 0), (0, 2)), ((3, 0), (3, 0)), ((3, 2), (3, 0))]
)
def test_least_squares_of_nothing(device, shapes):
    """Without columns all of b is left."""
    x, b = np.ones(shapes[0]), np.arange(1.0, 1 + np.prod(shapes[1], dtype=int)).reshape(shapes[1])
    got, want = qn.linalg.lstsq(qn.asarray(x), qn.asarray(b)), np.linalg.lstsq(x, b)
    for ours, theirs in zip(got, want, strict=True):
        ours, theirs = qn.asnumpy(qn.asarray(ours)), np.asarray(theirs)
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        np.testing.assert_allclose(ours, theirs)


def test_orders_of_norms_that_are_arrays_or_none():
    x = np.arange(9.0).reshape(3, 3)
    for order in (2, np.array(1), np.float32(2)):
        assert np.allclose(qn.asnumpy(qn.linalg.norm(qn.asarray(x), order)), np.linalg.norm(x, order))
        assert np.allclose(qn.asnumpy(qn.linalg.norm(qn.asarray(x[1]), order)), np.linalg.norm(x[1], order))
    for order in ([1, 2], "x", qn.arange(2)):
        with pytest.raises((TypeError, ValueError)):
            qn.linalg.norm(qn.asarray(x[1]), order)
        with pytest.raises((TypeError, ValueError)):
            qn.linalg.norm(qn.asarray(x), order)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (1, 2), (2, 0)])
def test_singular_values_of_what_is_not_finite(device, bad, place):
    """LinAlgError, and NaN where errors are off; never what was in memory before, and never without an end."""
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
    a[place] = bad
    x, b = qn.asarray(a), qn.ones(3)
    calls = {
        "svd": lambda: qn.linalg.svd(x)[1],
        "svdvals": lambda: qn.linalg.svd(x, compute_uv=False),
        "norm": lambda: qn.linalg.norm(x, 2),
        "nuclear": lambda: qn.linalg.norm(x, "nuc"),
        "rank": lambda: qn.linalg.matrix_rank(x),
        "pinv": lambda: qn.linalg.pinv(x),
        "lstsq": lambda: qn.linalg.lstsq(x, b)[0],
    }
    for call in calls.values():
        with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
            qn.asnumpy(call())
    stack = qn.asarray(np.stack([np.eye(3), a]))
    y = cp.asarray(stack)
    u, s, vh = cp.linalg.svd(y)
    assert not np.isnan(cp.asnumpy(s)[0]).any() and all(np.isnan(cp.asnumpy(part)[1]).all() for part in (u, s, vh))
    assert np.isnan(cp.asnumpy(cp.linalg.pinv(cp.asarray(x)))).all()
