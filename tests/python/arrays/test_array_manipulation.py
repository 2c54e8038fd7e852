"""Joining, splitting, repeating, moving, padding, diagonals, grids: as NumPy does them."""

import warnings

import numpy as np
import pytest
import quern as qn
from arrays import cases, check, is_view, operands

JOINED = """
m.ndim(a) | m.ndim(3) | m.shape([[1, 2]]) | m.shape(q) | m.size(a) | m.size(a, 1) | m.size(q, (0, -1)) | m.size(a, 2) | m.size(a, (0, 0))
m.atleast_1d(3.0) | m.atleast_1d(zero, a) | m.atleast_2d(3) | m.atleast_2d(v) | m.atleast_2d(q, v) | m.atleast_1d()
m.atleast_3d(zero) | m.atleast_3d(v) | m.atleast_3d(r) | m.atleast_3d(q, a)
m.broadcast_shapes((3, 1), (4,), 1) | m.broadcast_shapes((3,), (4,)) | m.broadcast_shapes()
m.broadcast_arrays(a, one) | m.broadcast_arrays(zero, v) | m.broadcast_arrays(a, v) | m.broadcast_arrays(empty, 1)
m.hstack((v, w)) | m.hstack((a, one)) | m.hstack((1, 2)) | m.hstack([a, t]) | m.hstack(5) | m.hstack(()) | m.hstack(a)
m.hstack((u, i8), dtype='float32') | m.hstack((g, g), dtype=int) | m.hstack((g, one), dtype=int, casting='unsafe')
m.vstack((v, v)) | m.vstack((a, a[:1])) | m.vstack((a, v)) | m.vstack((zero, [[1]])) | m.vstack([empty, empty])
m.dstack((v, v)) | m.dstack((a, a)) | m.dstack((q, q)) | m.dstack((a, v))
m.column_stack((v, v)) | m.column_stack((a, [1, 2, 3])) | m.column_stack((zero, zero)) | m.column_stack((a, v))
m.append(v, [1.5, 2]) | m.append(a, 3) | m.append(a, a, 0) | m.append(a, one, 1) | m.append(a, v, 0) | m.append(r, zero) | m.append(a, a, 2)
m.split(v, 3) | m.split(v, 4) | m.split(a, 2, 1) | m.split(v, [1, 4]) | m.split(v, [4, 1, 9]) | m.split(a, [1], axis=-1) | m.split(a, 2, 5)
m.array_split(v, 4) | m.array_split(a, 3, 1) | m.array_split(v, 0) | m.array_split(v, 8) | m.array_split(empty, 2) | m.array_split(v, (2, -1))
m.hsplit(a, 2) | m.hsplit(v, 2) | m.hsplit(zero, 1) | m.vsplit(a, 3) | m.vsplit(v, 2) | m.dsplit(q, 2) | m.dsplit(a, 2)
m.unstack(a) | m.unstack(a, axis=1) | m.unstack(v) | m.unstack(zero) | m.unstack(a, axis=2) | m.unstack(empty)
"""

REPEATED = """
m.tile(v, 2) | m.tile(v, (2, 1)) | m.tile(a, (2, 2)) | m.tile(t, (1, 1)) | m.tile(q, 2) | m.tile(zero, 3) | m.tile(r, (2, 1, 3))
m.tile(a, 0) | m.tile(empty, (2, 2)) | m.tile(a, -1) | m.tile(one, (1, 3)) | m.tile([1], 4) | m.tile(a, ())
m.repeat(v, 2) | m.repeat(a, 3) | m.repeat(a, 2, 0) | m.repeat(a, 2, 1) | m.repeat(r, 2, -1) | m.repeat(t, 2) | m.repeat(zero, 3)
m.repeat(a, 0, 1) | m.repeat(a, -1) | m.repeat(a, 1.5) | m.repeat(a, w[:1]) | m.repeat(a, 2, 2) | m.repeat(a, [2], 0) | m.repeat(a, [2, 2, 2], 0) | m.repeat(a, [2, 2], 0)
m.repeat(a, [1, 0, 3, 2], 1) | m.repeat(a, [1, 2, 0, 1], -1) | m.repeat(t, [2, 1, 3], 1) | m.repeat(q, [1, 2, 0], 1) | m.repeat(q, range(q.shape[2]), 2)
m.repeat(one, 2, 1) | m.repeat(a, 1, 0) | m.repeat(empty, 2, 0) | m.repeat(v, True)
m.resize(v, (2, 4)) | m.resize(a, 5) | m.resize(a, (5, 4)) | m.resize(r, (2, 2)) | m.resize(empty, (2, 2)) | m.resize(v, -1) | m.resize(zero, 3)
m.resize(v, 0) | m.resize(v, ()) | m.resize(v, 6)
m.roll(v, 2) | m.roll(v, -1) | m.roll(v, 20) | m.roll(a, 1) | m.roll(a, 1, 0) | m.roll(a, -1, 1) | m.roll(a, (1, 2), (0, 1)) | m.roll(a, 1, (0, 1))
m.roll(r, 1, 0) | m.roll(t, 5) | m.roll(empty, 1, 0) | m.roll(a, 0, 1) | m.roll(a, 1, 2) | m.roll(zero, 1) | m.roll(a, (1, 2), 1) | m.roll(a, (1, 1), (0, 0))
m.roll(a, (1, 2), (0, 1, 1)) | m.rot90(a) | m.rot90(a, 2) | m.rot90(a, 3) | m.rot90(a, 4) | m.rot90(a, -1) | m.rot90(q, 1, (1, 2)) | m.rot90(q, 1, (2, 0))
m.rot90(a, 1, (0, 0)) | m.rot90(a, 1, (0, 2)) | m.rot90(v) | m.rot90(a, 1, (0,)) | m.fliplr(a) | m.fliplr(v) | m.flipud(r) | m.flipud(zero) | m.flipud(v)
m.roll(q, (1, -1, 1), (0, 1, 2)) | m.roll(t, (1, 2), (0, 1)) | m.roll(a, (3, 1), (0, 1)) | m.roll(hollow, (1, 1), (0, 1)) | m.roll(f, (1, 1), (1, 0)) | m.repeat(zero, 2, 0) | m.repeat(zero, 2, 1)
"""

EDITED = """
m.delete(v, 1) | m.delete(v, -1) | m.delete(v, 6) | m.delete(a, 1) | m.delete(a, 1, 0) | m.delete(a, -2, 1) | m.delete(a, 4, 1) | m.delete(a, 0, 2)
m.delete(v, slice(1, 4)) | m.delete(v, slice(None, None, 2)) | m.delete(v, slice(None, None, -2)) | m.delete(a, slice(0, 9), 1) | m.delete(v, slice(3, 1))
m.delete(v, [1, 3]) | m.delete(v, [3, 1, 1, -1]) | m.delete(v, []) | m.delete(v, [True, False, True, False, False, False]) | m.delete(v, [True]) | m.delete(v, [9])
m.delete(m.arange(20), slice(1, 18, 3)) | m.delete(m.arange(20), slice(None, None, 7)) | m.delete(m.arange(20).reshape(2, 10)[::-1], slice(0, 10, 3), 1)
m.delete(v, 1.5) | m.delete(empty, 0, 1) | m.delete(empty, 0, 0)
m.insert(v, 1, 9) | m.insert(v, -1, [7, 8]) | m.insert(v, 6, 5) | m.insert(v, 7, 5) | m.insert(v, -7, 1) | m.insert(a, 1, 99) | m.insert(a, 1, 99, 0)
m.insert(a, 1, [1, 2, 3], 1) | m.insert(a, 2, a, 0) | m.insert(a, 1, one, 1) | m.insert(a, [1], one, 1) | m.insert(a, [1], [1, 2, 3], 1) | m.insert(a, 1, v, 0)
m.insert(v, [1, 3], [7, 8]) | m.insert(v, [3, 1, 1], [7, 8, 9]) | m.insert(v, [1, 3], 5) | m.insert(v, slice(0, 6, 2), 0) | m.insert(v, slice(None), [1, 2, 3, 4, 5, 6])
m.insert(v, [], []) | m.insert(v, [], 4) | m.insert(v, [9, 1], 1) | m.insert(v, 1, 2.75) | m.insert(u, 0, 2.5) | m.insert(a, slice(0, 2), 5, 1)
m.insert(a, [0, 2], [[1], [2], [3]], 1) | m.insert(v, 1, [[1, 2]]) | m.insert(v, 1.5, 2) | m.insert(v, [1, 2], [1, 2, 3]) | m.insert(r, 1, 7, 1) | m.insert(a, 0, 1, 2)
m.copyto(a, 5); a | m.copyto(a, a[:1]); a | m.copyto(a, [[1], [2], [3]], where=[True, False, True, True]); a | m.copyto(a, 1.5) | m.copyto(a, w)
m.copyto(a, w, casting='unsafe'); a | m.copyto(a, v) | m.copyto(g, a); g | m.copyto(g, 7, where=g > 1); g | m.copyto(a[::-1, 1:], 3, where=b.T[:, :1]); a
m.copyto(f4, g[:2, :3]); f4 | m.copyto(a, 1, where=v) | m.copyto(g, inf); g | m.copyto(c, 2.5); c | m.copyto(g, 1j) | m.copyto(a, a[:, ::-1]); a | m.copyto([1], 2)
m.insert(i8, 1, 300) | m.insert(i8, 1, m.asarray([300])) | m.insert(u, 1, -1) | m.squeeze(zero, 0) | m.squeeze(zero, 1) | m.transpose(v, 0) | m.transpose(a, 0) | m.ravel(a, None)
m.flip(a, [0, 1]) | m.flip(a, [0, 2]) | m.matrix_transpose(v) | m.argsort(zero, 0) | m.argpartition(zero, 0, 0) | m.choose([0, 1, 0, 1], [u, 1]) | m.choose([0, 1, 1, 1], [u, 300])
"""

PADDED = """
m.pad(v, 2) | m.pad(v, (1, 3)) | m.pad(a, 1) | m.pad(a, ((0, 1), (2, 0))) | m.pad(a, ((1, 2),)) | m.pad(a, (1, 2), constant_values=((1, 2), (3, 4)))
m.pad(a, {1: 2}) | m.pad(a, {-1: (0, 3), 0: 1}, constant_values=9) | m.pad(g, 1, constant_values=(1.5, -1)) | m.pad(u, 1, constant_values=7)
m.pad(a, -1) | m.pad(a, 1.5) | m.pad(a, ((1, 2), (3, 4), (5, 6))) | m.pad(a, 1, 'nothing') | m.pad(a, 1, 'edge', stat_length=2) | m.pad(zero, 1) | m.pad(a, 0)
m.pad(v, 2, 'edge') | m.pad(a, ((1, 2), (3, 0)), 'edge') | m.pad(r, 2, 'edge') | m.pad(empty, 1, 'edge') | m.pad(empty, ((0, 0), (1, 1)), 'edge') | m.pad(empty, 1)
m.pad(v, 3, 'reflect') | m.pad(v, 17, 'reflect') | m.pad(a, 2, 'reflect') | m.pad(r, ((3, 1), (4, 5)), 'reflect') | m.pad(v, (14, 3), 'reflect', reflect_type='odd')
m.pad(one, 2, 'reflect') | m.pad(v, 3, 'symmetric') | m.pad(v, 19, 'symmetric') | m.pad(a, ((5, 0), (0, 9)), 'symmetric') | m.pad(v, 3, 'symmetric', reflect_type='odd')
m.pad(v, (2, 15), 'symmetric', reflect_type='odd') | m.pad(u, 2, 'reflect', reflect_type='odd') | m.pad(v, 4, 'wrap') | m.pad(v, 15, 'wrap') | m.pad(a, ((0, 4), (5, 1)), 'wrap')
m.pad(t, 3, 'wrap') | m.pad(one, 1, 'wrap') | m.pad(one, 3, 'symmetric') | m.pad(a, 2, 'maximum') | m.pad(a, 2, 'minimum', stat_length=2) | m.pad(a, 1, 'mean')
m.pad(a, 2, 'maximum', stat_length=((1, 2), (3, 9))) | m.pad(v, 2, 'maximum', stat_length=0) | m.pad(v, 2, 'empty').shape | m.pad(empty, 2, 'wrap') | m.pad(b, 1, 'edge') | m.pad(b, 1, 'reflect', reflect_type='odd')
m.pad(c, 1, 'reflect') | m.pad(m.zeros((0,)), 0, 'reflect') | m.pad(v, [2, 1], 'reflect') | m.pad(u, 1, constant_values=300) | m.pad(u, 1, constant_values=(-1, 2)) | m.pad(v, 1, constant_values=2.7) | m.pad(v, m.asarray([1, 2]))
m.pad(v, 2, 'median') | m.pad(a, ((1, 0), (2, 2)), 'median', stat_length=2) | m.pad(v, 4, 'linear_ramp') | m.pad(v, (1, 3), 'linear_ramp', end_values=(2.5, -3)) | m.pad(empty, 1, 'linear_ramp') | m.pad(v, 1, 'median', end_values=1)
m.pad(i8, 1, constant_values=300) | m.pad(i8, 1, constant_values=[1, 300]) | m.pad(g, 1, constant_values=nan) | m.pad(a, 1, constant_values=nan) | m.pad(u, 1, constant_values=2.5)
m.pad(a, 1, constant_values=5) | m.pad(c, (1, 0), constant_values=1j) | m.pad(empty, 1, constant_values=4) | m.pad(b, 1, constant_values=True) | m.pad(g, 1, constant_values=[[1, 2], [3, 4]])
m.pad(i8, 0, constant_values=300) | m.pad(f2, 2, constant_values=7) | m.pad(t, ((1, 0), (0, 2)), constant_values=-3) | m.pad(g, 1, constant_values=[[1], [2]]) | m.pad(g, 1, constant_values=[1, 2, 3])
"""

MATRICES = """
m.identity(3) | m.identity(2, int) | m.identity(0) | m.tri(3) | m.tri(2, 4, 1) | m.tri(4, 2, -1, int) | m.tri(0) | m.tri(3, dtype=bool) | m.tri(3, k=-5)
m.tril(a) | m.tril(a, 1) | m.tril(q, -1) | m.tril(v) | m.tril(zero) | m.triu(a) | m.triu(a, -1) | m.triu(t, 2) | m.triu(f) | m.tril(b) | m.tril(empty) | m.triu(c8)
m.diagonal(a) | m.diagonal(a, 1) | m.diagonal(a, -1) | m.diagonal(a, 9) | m.diagonal(a, -3) | m.diagonal(q, 1, 1, 2) | m.diagonal(q, 0, 2, 0) | m.diagonal(v) | m.diagonal(a, 0, 1, 1)
m.diagonal(r) | m.diagonal(t, 1) | m.diagonal(a, 0, 0, 2) | m.diagonal(c.real) | m.diagonal(empty) | m.diagonal(q, 0, -1, 0)
m.diag(v) | m.diag(v, 2) | m.diag(v, -1) | m.diag(a) | m.diag(a, -2) | m.diag(q) | m.diag(zero) | m.diag([]) | m.diag(w[::-2]) | m.diagflat(a) | m.diagflat([[1, 2]], 1) | m.diagflat(3)
m.fill_diagonal(a, 9); a | m.fill_diagonal(t, 9); a | m.fill_diagonal(t, [7, 8]); t | m.fill_diagonal(a, v); a | m.fill_diagonal(v, 1) | m.fill_diagonal(q, 1) | m.fill_diagonal(a, []); a | m.fill_diagonal(r, 1.9); a
x = m.zeros((3, 3, 3)); m.fill_diagonal(x, [1, 2]); x | x = m.zeros((9, 2), dtype=int); m.fill_diagonal(x, 4, True); x | x = m.zeros((9, 2), dtype=int); m.fill_diagonal(x, v, True); x
x = m.zeros((8, 3), dtype=int); m.fill_diagonal(x[::-1], [1, 2], True); x | x = m.zeros((5, 2), dtype=int); m.fill_diagonal(x, 7); x | x = m.zeros((2, 5)); m.fill_diagonal(x, 7, True); x
m.vander(v) | m.vander(v, 3) | m.vander(w, 4, True) | m.vander(v, 0) | m.vander(a) | m.vander(u, 2) | m.vander([], 2) | m.vander(c8, 3) | m.vander(v[::-1], 1)
m.outer(v, w) | m.outer(a, b) | m.outer(zero, v) | m.outer(empty, v) | m.outer(u, i8) | m.kron(v, [1, 10]) | m.kron(a, b) | m.kron(v, a) | m.kron(q, v) | m.kron(zero, a) | m.kron(t, r)
m.dot(v, v) | m.dot(w, w) | m.dot(u, u) | m.dot(b[0], b[1]) | m.dot(v, w) | m.dot(3, a) | m.dot(zero, v) | m.dot(c8, c8) | m.dot(f4[0], f4[1]) | m.inner(v, v[::-1]) | m.inner(2, v)
m.vdot(a, t) | m.vdot(c8, c8) | m.vdot(c, c8) | m.vdot(a, a) | m.vdot(m.zeros(0), m.zeros(0)) | m.dot(m.zeros(0), m.zeros(0)) | m.vdot(2, 3) | m.vdot(i8, i8)
m.cross([1, 2, 3], [4, 5, 6]) | m.cross(a[:, :3], a[:, 1:]) | m.cross(a.T, t) | m.cross(v[:2], v[2:4]) | m.cross(v[:3], v[:2]) | m.cross(v[:2], v[:3]) | m.cross(t.T, t.T, axis=0)
m.cross(v, v) | m.cross(zero, v) | m.cross(one, a, 0, 0) | m.cross(one, a, 0, 0, 0) | m.cross(g[:, :3], u[:3]) | m.cross(a, a, 0, 0, 5) | m.cross(v[:3], v[:3], 3)
"""

GRIDS = """
m.meshgrid(v, w) | m.meshgrid(v, w, indexing='ij') | m.meshgrid(v, w, sparse=True) | m.meshgrid(v, w, [1, 2]) | m.meshgrid(v) | m.meshgrid() | m.meshgrid(v, w, indexing='no')
m.meshgrid(3, v) | m.meshgrid(a, v, copy=False) | m.meshgrid([], v) | m.indices((2, 3)) | m.indices((2, 3), sparse=True) | m.indices((2, 0)) | m.indices(()) | m.indices((2, 3), float) | m.indices(3)
m.indices((2, 2, 3), 'int8') | m.ogrid[:3] | m.ogrid[:2, 1:4] | m.ogrid[0:1:5j, 0:2] | m.mgrid[:3] | m.mgrid[:2, 1:4] | m.mgrid[0:1:5j, 0:2] | m.mgrid[:2, :3, :2] | m.mgrid[5:1, :2]
m.logspace(0, 2, 5) | m.logspace(0, 3, 4, base=2, dtype=int) | m.geomspace(1, 1000, 4) | m.geomspace(-1, -8, 4) | m.geomspace(0, 1) | m.logspace(w, 2, 3)
m.bartlett(7) | m.blackman(6) | m.hamming(5) | m.hanning(8) | m.kaiser(6, 8.6) | m.hanning(1) | m.hanning(0) | m.bartlett(-1) | m.hamming(1)
"""


TRACES = """
trace(a) | trace(a, 1) | trace(q) | trace(u.reshape(2, 2)) | trace(g, dtype='float32') | trace(v) | trace(b) | trace(a, 7) | trace(q, 0, 1, 2)
"""


@pytest.mark.parametrize("case", cases(JOINED + REPEATED + EDITED + PADDED + MATRICES + GRIDS))
def test_as_numpy(case):
    # Bessel functions are quern's own, and the last bit of NumPy's powers is its build's.
    check(case, exact="kaiser" not in case and "logspace" not in case)


COMPILED = """
m.hstack((a, one)) | m.tile(a, (2, 2)) | m.repeat(r, 2, -1) | m.roll(a, (1, 2), (0, 1)) | m.rot90(a) | m.delete(a, slice(0, 4, 2), 1) | m.insert(v, [3, 1, 1], [7, 8, 9])
m.copyto(g, 7, where=g > 1); g | m.pad(a, ((0, 1), (2, 0)), 'reflect') | m.triu(t, 2) | m.diag(v, -1) | x = m.zeros((9, 2), dtype=int); m.fill_diagonal(x, v, True); x
m.vander(w, 4, True) | m.kron(a, b) | m.vdot(c8, c8) | m.cross(a[:, :3], a[:, 1:]) | m.dot(b[0], b[1]) | m.mgrid[:2, 1:4]
"""


@pytest.mark.parametrize("case", cases(COMPILED))
def test_in_both_tiers(case, tier):
    check(case, exact="c8" not in case)


@pytest.mark.parametrize("case", cases(TRACES))
def test_trace(case):
    check("m." + case)
    check("np." + case)


def test_trace_is_two_things():
    x = qn.asarray([[1, 2], [3, 4]])
    with qn.trace() as events:
        total = qn.trace(x)
        assert int(total) == 5
    assert events[-1]["kind"] == "device_to_host"
    assert int(qn.trace(a=x, offset=1)) == 2
    assert int(qn.linalg.trace(x)) == int(x.trace()) == 5
    with pytest.raises(TypeError, match="'a'"):
        qn.trace(offset=1)


VIEWS = """
m.atleast_2d(a) | m.atleast_3d(a) | m.broadcast_arrays(a, 1) | m.split(a, 3) | m.hsplit(a, 2) | m.unstack(a) | m.rot90(a) | m.rot90(a, 0) | m.rot90(a, 2) | m.fliplr(a)
m.flipud(a) | m.diff(a, 0) | m.tile(a, 1) | m.repeat(a, 1) | m.roll(a, 0) | m.roll(a, 0, 0) | m.resize(a, (3, 4)) | m.append(a, a) | m.delete(a, slice(0), 0) | m.pad(a, 0)
m.tril(a, 9) | m.meshgrid(a[0], a[1], copy=False) | m.meshgrid(a[0], a[1]) | m.nan_to_num(a) | m.nan_to_num(a, copy=False) | m.around(a) | m.insert(a, [], 1, 0)
"""


@pytest.mark.parametrize("case", cases(VIEWS))
def test_views(case):
    is_view(case)


def test_diagonal_is_a_view():
    import quern as qn

    a = operands(qn)["a"]
    for k in (-1, 0, 2):
        view = qn.diagonal(a, k)
        view.flags.writeable = True
        view[...] = 50
        view[0] = 51
        assert qn.diag(a, k)[0] == 51
        assert (qn.diagonal(a, k)[1:] == 50).all()
        assert qn.diagonal(a, k)[0] == 51


@pytest.mark.parametrize("name", ["tril", "triu"])
@pytest.mark.parametrize("k", [2.5, -1.5, 1.0, True, np.int8(-1), np.array(2), "one", None, 2**70])
def test_diagonals_that_need_not_be_whole(name, k):
    x = np.arange(12.0).reshape(3, 4)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy 2.5, about diagonals that are floats
            want = getattr(np, name)(x, k)
    except Exception as error:
        with pytest.raises(type(error)):
            getattr(qn, name)(qn.asarray(x), k)
    else:
        assert np.array_equal(qn.asnumpy(getattr(qn, name)(qn.asarray(x), k)), want)


def test_numbers_that_are_too_large_or_none():
    x = qn.arange(6)
    assert qn.roll(x, 2**70 + 1).tolist() == np.roll(np.arange(6), 2**70 + 1).tolist()
    with pytest.raises(OverflowError):
        qn.repeat(x, 2**70)
    with pytest.raises(TypeError, match="integer"):
        qn.roll(x, 1, 0.5)
    with pytest.raises(OverflowError):
        qn.vander(x, 2**70)
