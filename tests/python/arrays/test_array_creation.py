"""New arrays and their layouts, and what stands on them: against NumPy."""

import numpy as np
import pytest
import quern as qn
from arrays import cases, check

pytestmark = pytest.mark.usefixtures("no_fallback")


VALUES = cases("""
m.zeros(3) | m.zeros((2, 3), int, 'F') | m.zeros(2, dtype=None) | m.ones((2, 2), dtype='int8') | m.full((2, 2), 3, order='F') | m.zeros(-1)
m.full(2, [1, 2]) | m.zeros_like(a) | m.zeros_like(t) | m.ones_like(r, dtype=float) | m.full_like(a, 7.9) | m.zeros_like(a, shape=(2, 5))
m.full_like(a, [1, 2, 3, 4]) | m.ones_like(q.transpose(2, 0, 1)) | m.zeros_like(3) | m.zeros_like(a, order='X') | m.full_like(v, 2, shape=3, order='F')
m.zeros(2**62) | m.ones((2**40, 2**40)) | m.broadcast_to(w[:1], (2**31, 2**31)) + 1
m.eye(3) | m.eye(2, 4) | m.eye(4, 2, k=-1, dtype=int) | m.eye(3, k=5) | m.eye(3, k=-7) | m.eye(0) | m.eye(3, 4, 2, order='F') | m.eye(2, dtype=bool)
m.arange(3) | m.arange(1, 7, 2) | m.arange(0.5, 3) | m.arange(3, dtype='float32') | m.arange(start=1, stop=4) | m.linspace(0, 1, 5)
m.arange(3, dtype=bool) if 0 else m.arange(2, dtype=bool) | m.arange(3, dtype='float16') | m.arange(3, dtype=complex) | m.arange(0, 1, 0.1) | m.arange(0, 1, 0.1, 'float32') | m.arange(5, 1, -2) | m.arange(5, 1) | m.arange(0.5, 4.5, dtype=int)
m.arange(2, None) | m.arange() | m.arange(1, 3, 0) | m.arange(stop=3) | m.arange(np.float32(1), 3) | m.arange(np.uint8(3)) | m.arange(np.uint64(3)) | m.arange(2**63, 2**63 + 2, dtype='uint64') | m.arange(-3, 3, 2, 'int8') | m.arange(float('nan')) | m.arange(float('inf'))
m.arange('a') | m.arange(1j, 3) | m.arange(True, 3) | m.arange(10**18, 10**18 + 3) | m.arange(3, dtype='S3') | m.arange(v[1], v[2]) | m.arange(2**53, 2**53 + 5, 2) | m.full(2, True) | m.full(2, 1j) | m.full(2, np.float32(1.5)) | m.full((2, 2), v[:2])
m.full(2, 300, 'uint8') | m.full(2, 2**63) | m.full(2, float('nan'), int) | m.full(2, 1.9, int) | m.full((), 3) | m.full((2, 2), [1, 2], 'float32', 'F') | m.full(2, [1, 2, 3]) | m.zeros(2, order='K') | m.zeros(None) | m.zeros('a') | m.zeros(2.0) | m.ones(2, 'V') if 0 else m.ones(2)
m.full_like(a, 1j) | m.full_like(a, 300, dtype='int8') | m.full_like([1.5], 2) | m.zeros_like([[1, 2]], float, 'F') | m.ones_like(a, shape=()) | m.zeros_like(a, shape=-1) | m.eye(2, None, 1) | m.eye(-1) | m.eye(2, 2, 1.5) | m.eye(2, dtype=complex) | m.eye(2, order='X')
m.ascontiguousarray(t) | m.asfortranarray(a) | m.ascontiguousarray(3) | m.isfortran(t) | m.isfortran(a) | m.asanyarray([1, 2]) | m.require(a, float, 'F')
m.require(a, requirements=['C', 'F']) | m.require(a, requirements=['X']) | m.asarray_chkfinite(w) | m.asarray_chkfinite(f) | m.require(t, None, ['C', 'W'])
m.shares_memory(a, t) | m.shares_memory(a[::2], a[1::2]) | m.may_share_memory(a[:, ::2], a[:, 1::2]) | m.shares_memory(a, v) | m.may_share_memory(a[:1], a[1:])
m.shares_memory(c.real, c.imag) | m.may_share_memory(c.real, c)
m.rollaxis(q, 2) | m.rollaxis(q, 0, 3) | m.rollaxis(q, -1, 1) | m.rollaxis(q, 1, 9) | m.rollaxis(q, 5)
m.select([a > 3, a < 0], [a, -a]) | m.select([w > 1], [1.5], 7) | m.select([], []) | m.select([a > 3], [a, a]) | m.select([a], [a]) | m.select([v > 1, v > 0], [v[:, None], 1], 0.5)
m.block([a, a]) | m.block([[a, g], [g, a]]) | m.block([1, 2]) | m.block(a) | m.block([]) | m.block([[1], 2]) | m.block((1, 2)) | m.block([v, [q]]) | m.block([v, 3])
m.tensordot(a, a) | m.tensordot(a, t, 1) | m.tensordot(q, f4, axes=([0, 1], [0, 1])) | m.tensordot(v, w, 0) | m.tensordot(a, a, 1) | m.tensordot(q, q, (0, 0)) | m.tensordot(a, g, ((0, 1), (0, 1)))
m.polyval([3, 0, 1], v) | m.polyval(w, g) | m.polyval([], w) | m.polyval(c8, 2.0) | m.polyadd([1, 2], [9, 5, 4]) | m.polysub(v, w) | m.polyadd(1, [1, 2]) | m.polyder(v) | m.polyder(w, 2) | m.polyder(w, -1)
m.polyder([1]) | m.diag_indices_from(a[:, :3]) | m.diag_indices_from(a) | m.tril_indices_from(a) | m.triu_indices_from(a, 1) | m.triu_indices_from(v)
""")


@pytest.mark.parametrize("case", VALUES)
def test_values(case, device):
    check(case, exact="polyval" not in case and "tensordot" not in case)


@pytest.mark.parametrize(
    "case",
    cases("""
m.zeros((2, 3), order='F') | m.full((2, 3, 4), 1.0, order='F') | m.zeros_like(t) | m.ones_like(q.transpose(2, 0, 1)) | m.zeros_like(t, order='C') | m.empty_like(a, order='F')
m.full_like(t, 2, order='A') | m.zeros_like(r) | m.eye(3, order='F') | m.ascontiguousarray(t) | m.asfortranarray(a) | m.require(t, requirements='C')
"""),
)
def test_layouts(case):
    from arrays import operands

    strides = [eval(case, operands(m)).strides for m in (np, qn)]
    assert strides[0] == strides[1]


def test_on_a_device(device):
    for make in (
        lambda **k: qn.zeros(3, **k), lambda **k: qn.full(3, 2, **k), lambda **k: qn.arange(3, **k), lambda **k: qn.linspace(0, 1, 3, **k),
        lambda **k: qn.eye(2, **k), lambda **k: qn.ones_like(qn.arange(3), **k),
    ):  # fmt: skip
        assert make(device="cpu").device.kind == "cpu"
        assert make(device=device).device == device
    there = qn.zeros(2, device="cpu")
    assert qn.zeros_like(there).device.kind == "cpu"


HOSTS = {
    "rows": np.arange(24.0).reshape(2, 3, 4),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "turned": np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1),
    "backwards": np.arange(6.0).reshape(2, 3)[::-1],
    "part": np.arange(24.0).reshape(2, 3, 4)[:, ::2],
    "a row": np.ones((1, 3)),
    "a column": np.ones((3, 1)),
    "an axis of one": np.ones((2, 1, 3)).transpose(2, 1, 0),
    "repeated": np.broadcast_to(np.arange(3.0), (2, 3)),
    "repeated and turned": np.broadcast_to(np.arange(4.0), (3, 2, 4)).transpose(1, 0, 2),
    "nothing": np.ones((3, 0, 2)),
    "a number": np.array(3.0),
}


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "c", "f", "a", "k"])
@pytest.mark.parametrize("name", ["array", "copy", "zeros_like", "ones_like", "empty_like", "full_like"])
def test_numpy_arrays_keep_their_layout(device, name, order):
    more = (3,) if name == "full_like" else ()
    for what, host in HOSTS.items():
        want, got = getattr(np, name)(host, *more, order=order), getattr(qn, name)(host, *more, order=order)
        assert got.strides == want.strides, what
        assert (got.flags.c_contiguous, got.flags.f_contiguous) == (want.flags.c_contiguous, want.flags.f_contiguous), what
        if name in ("array", "copy"):
            np.testing.assert_array_equal(got.get(), host)


def test_matrix_power_of_zero(device):
    for host in (np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3).T):
        want, got = np.linalg.matrix_power(host, 0), qn.linalg.matrix_power(qn.array(host), 0)
        assert got.strides == want.strides
        np.testing.assert_array_equal(got.get(), want)


@pytest.mark.parametrize("text", [
    "m.zeros(B)", "m.ones((2, B))", "m.empty(-B)", "m.full(2**63, 1)", "m.arange(B)", "m.arange(0, -B, -1)", "m.eye(B)", "m.eye(2, B)",
    "m.linspace(0, 1, B)", "m.identity(B)", "m.zeros(4).reshape(B)", "m.reshape(m.zeros(4), (B, 1))", "m.broadcast_to(m.zeros(3), (B, 3))",
    "m.full_like(m.zeros(3), 1, shape=B)", "m.zeros(3)[B]", "m.zeros(3)[-B]", "m.zeros((3, 3))[0, B]", "m.zeros(3).__setitem__(B, 1)", "m.zeros(3)[B:]",
])  # fmt: skip
def test_sizes_and_places_beyond_an_integer(text):
    def answer(m):
        try:
            return eval(text, {"m": m, "B": 10**20}).shape
        except Exception as e:
            return type(e)

    assert answer(qn) == answer(np)
