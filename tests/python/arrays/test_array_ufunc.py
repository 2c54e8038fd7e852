"""ufunc objects: attributes, keywords, methods, and the ones that are composed."""

import pickle
import warnings

import numpy as np
import pytest
import quern as qn
from arrays import cases, check

pytestmark = pytest.mark.usefixtures("silent_fallback")

UFUNCS = sorted(name for name in dir(np) if isinstance(getattr(np, name), np.ufunc))


@pytest.mark.parametrize("name", UFUNCS)
def test_every_ufunc_of_numpy_is_one_here(name):
    ours, theirs = getattr(qn, name), getattr(np, name)
    assert isinstance(ours, qn.ufunc)
    for attribute in ("__name__", "nin", "nout", "nargs", "identity", "signature"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert set(ours.types) <= set(theirs.types)
    assert ours.ntypes == len(ours.types)
    assert pickle.loads(pickle.dumps(ours)) is getattr(qn, theirs.__name__)
    assert ours.__doc__


CALLS = cases("""
m.add(a, 1) | m.add([1, 2], [3, 4]) | m.add(a, a, dtype='float32') | m.add(a, 1.5, dtype=int, casting='unsafe') | m.add(1, 2)
m.add(a, 1.5, dtype=int) | m.add(a) | m.add(a, a, a, a) | m.add(a, a, foo=1) | m.add(a, f[0], casting='no') | m.add(a, 2, dtype='float32', casting='equiv') | m.add(a, 2, out=m.zeros((3, 4), 'float32'), casting='equiv') | m.add(a, a, casting='odd')
m.sqrt(g, where=g > 0, out=m.zeros((3, 4))) | m.add(a, 1, where=a > 2, out=m.ones((3, 4))) | m.add(a, 1, where=[1, 0, 1, 0], out=m.ones((3, 4))) | m.add(a, 1, where=m.asarray([1, 0, 1, 0]))
m.add(a, 1, out=(m.zeros((3, 4)),)) | m.add(a, 1, out=(m.zeros((3, 4)), m.zeros((3, 4)))) | m.add(a, 1, out=3) | m.add(a, 1, out=m.zeros(3))
m.add(a, 1.5, out=m.zeros((3, 4), int)) | m.add(a, 1.5, out=m.zeros((3, 4), int), casting='unsafe') | m.add(a, a, order='X')
m.add(a, 1, m.zeros((3, 4))) | m.add(a, 1, m.zeros((3, 4)), out=m.zeros((3, 4))) | m.add(a, 1, out=m.zeros((2, 3, 4)))
m.exp(f4, dtype='float64') | m.less(a, 3, dtype=bool) | m.logical_and(a, g) | m.true_divide(a, 2, dtype='float32')
m.sin(c, dtype='float32') | m.multiply(u, 2, dtype='uint16') | m.negative(b) | m.invert(f) | m.add(a, 1, signature='dd->d')
m.add(a, 1, sig='dd->d') | m.add(a, 1, signature=(None, None, 'float32')) | m.add(a, 1, dtype=float, signature='dd->d')
m.equal(a, 1, out=m.zeros((3, 4))) | m.add(a, 1, subok=False) | m.add(a, 1, subok=3) | m.add(v, v[:, None]) | m.add(v, w)
m.divmod(v, 4) | m.divmod(v, 4, out=(m.zeros(6, int), m.zeros(6, int))) | m.divmod(v, 4, m.zeros(6), m.zeros(6)) | m.divmod(c, 2)
m.divmod(v, 4, out=m.zeros(6)) | m.divmod(v, 4, out=(None, m.zeros(6))) | m.divmod(v, 4, dtype=float) | m.divmod(g, 0.75)
m.modf(g) | m.modf(f) | m.modf(v) | m.modf(i8) | m.modf(f2) | m.modf(c) | m.modf(w, where=w > 1, out=(m.zeros(4), m.zeros(4)))
m.frexp(g) | m.frexp(f) | m.frexp(v) | m.frexp(i8) | m.frexp(f2) | m.frexp(f4) | m.frexp(c) | m.frexp(2.5)
m.ldexp(g, 3) | m.ldexp(f, -2) | m.ldexp(w, [1, 2, 3, -4]) | m.ldexp(f2, 2) | m.ldexp(f4, 150) | m.ldexp(1.0, -1074) | m.ldexp(1.0, 5000)
m.ldexp(w, 1.5) | m.ldexp(v, 2) | m.ldexp(b, 2) | m.ldexp(c, 1) | m.ldexp(w, m.asarray([1, 2, 3, 4], dtype='uint64'))
m.spacing(g) | m.spacing(f) | m.spacing(f2) | m.spacing(f4) | m.spacing(v) | m.spacing(c) | m.spacing(-0.0) | m.positive(f) | m.positive(b)
m.isnat(w) | m.vecdot(a, a) | m.vecdot(g, v[:4]) | m.vecdot(c, c[:, ::-1]) | m.vecdot(u, u) | m.vecdot(b, b) | m.vecdot(v, w) | m.vecdot(1, w)
m.matvec(a, v[:4]) | m.matvec(q, f4) | m.matvec(a, v) | m.matvec(v, v) | m.vecmat(v[:3], a) | m.vecmat(c[0], c.T) | m.vecmat(f4, q[..., 0])
m.vecdot(a, a, dtype=float) | m.vecdot(a, a, axis=0) | m.matmul(a, a.T) | m.matmul(a, v) | m.vecdot(a, a, out=m.zeros(3))
m.modf(2.5, m.zeros(3)) | m.frexp(zero, m.zeros(3)) | m.divmod(v[:1], 4, m.zeros(6, int)) | m.ldexp(3, [2, 2]) | m.ldexp(w, 2**31) | m.ldexp(b, 2**31) | m.ldexp(3, b)
m.vecdot(a, a, where=a > 0) | m.vecdot(m.zeros((0, 3)), m.zeros(3)) | m.matvec(m.zeros((2, 0)), m.zeros(0))
""")


@pytest.mark.parametrize("case", CALLS)
def test_calls(case, device):
    check(case, exact=not any(word in case for word in ("sin", "exp", "vecmat", "vecdot", "matvec")))


REDUCTIONS = cases("""
m.add.reduce(a) | m.add.reduce(a, 1) | m.add.reduce(a, axis=None) | m.add.reduce(a, axis=(0, 1), keepdims=True) | m.add.reduce(5)
m.add.reduce(zero, 1) | m.add.reduce(a, dtype='float32') | m.add.reduce(b) | m.add.reduce(i8) | m.add.reduce(a, where=a > 0)
m.add.reduce(a, initial=10) | m.add.reduce(hollow, 1) | m.add.reduce(empty) | m.add.reduce(empty, initial=None) | m.add.reduce(a, out=m.zeros(4))
m.add.reduce(a, out=(m.zeros(4),)) | m.add.reduce(a, out=m.zeros(3)) | m.add.reduce(a, out=3) | m.add.reduce(a, axis=7) | m.add.reduce(a, axis=(0, 0))
m.multiply.reduce(u) | m.multiply.reduce(a, 1, initial=2) | m.maximum.reduce(f, axis=None) | m.maximum.reduce(a, where=a > 0, initial=-9)
m.maximum.reduce(a, where=a > 0) | m.minimum.reduce(empty) | m.minimum.reduce(empty, initial=3) | m.maximum.reduce(v, initial=2.5)
m.logical_or.reduce(a) | m.logical_and.reduce(a, axis=None) | m.logical_or.reduce(a, dtype=int) | m.logical_xor.reduce(a) | m.logical_xor.reduce(b, 1)
m.bitwise_and.reduce(v) | m.bitwise_or.reduce(a, 1) | m.bitwise_xor.reduce(a, axis=None) | m.bitwise_and.reduce(hollow, 1) | m.bitwise_or.reduce(w)
m.gcd.reduce(a) | m.lcm.reduce(v) | m.fmax.reduce(f) | m.fmin.reduce(f, 1, keepdims=True) | m.fmax.reduce(empty) | m.fmax.reduce(f, axis=(0, 1))
m.hypot.reduce(g) | m.hypot.reduce(empty) | m.logaddexp.reduce(g, 1) | m.logaddexp2.reduce(g, axis=None) | m.hypot.reduce(g, initial=3.0)
m.subtract.reduce(v) | m.subtract.reduce(a, 1) | m.subtract.reduce(i8) | m.subtract.reduce(a, axis=(0, 1)) | m.subtract.reduce(v, initial=7)
m.subtract.reduce(empty) | m.subtract.reduce(w, keepdims=True) | m.subtract.reduce(v, where=v > 0) | m.subtract.reduce(v, where=v > 0, initial=3)
m.divide.reduce(w) | m.divide.reduce(v) | m.divide.reduce(g, 1) | m.power.reduce(w) | m.power.reduce(a, axis=None) | m.floor_divide.reduce(v)
m.sqrt.reduce(w) | m.divmod.reduce(v) | m.matmul.reduce(a) | m.arctan2.reduce(g) | m.remainder.reduce(v) | m.fmax.reduce(f4, out=m.zeros(3))
m.bitwise_and.reduce(v, where=v > 0) | m.gcd.reduce(v, initial=6) | m.logical_and.reduce(a, where=b[0, 0]) | m.logical_and.reduce(m.zeros((0, 2)))
m.add.accumulate(v) | m.multiply.accumulate(a, 1) | m.maximum.accumulate(f) | m.subtract.accumulate(a, axis=1, dtype=float) | m.add.accumulate(zero)
m.add.accumulate(v, out=m.zeros(6)) | m.sqrt.accumulate(w) | m.add.accumulate(a, 2) | m.add.reduceat(v, [0, 2, 4]) | m.add.reduceat(a, [0, 2], axis=1)
m.add.reduceat(v, [0, 9]) | m.sqrt.reduceat(w, [0]) | m.minimum.reduceat(v, [3, 1])
m.add.outer(v, w) | m.multiply.outer(a, v) | m.subtract.outer(3, w) | m.less.outer(v, v, out=m.zeros((6, 6), bool)) | m.sqrt.outer(w) | m.matmul.outer(a, a)
m.divmod.outer(v, [2, 3]) | m.add.outer(v, w, dtype='float32')
x = v; m.add.at(x, slice(0, 3), 5); x | x = v; m.add.at(x, [0, 0, 2], 5); x | x = a; m.negative.at(x, (slice(None), 1)); x
x = v; m.add.at(x, 0, 1.5); x | x = v; m.add.at(x, 1, 2); x | x = w; m.sqrt.at(x, [1, 2]); x | x = w; m.add.at(x, 0); x | x = w; m.sqrt.at(x, 0, 1); x
x = v; m.add.at(x, m.asarray([1, 1]), m.asarray([2, 3])); x | m.add.at([1, 2], 0, 1) | x = w; m.divmod.at(x, 0, 1); x
""")


@pytest.mark.parametrize("case", REDUCTIONS)
def test_methods(case, device):
    check(case, exact=not any(name in case for name in ("hypot", "log", "divide", "power", "arctan", "subtract")))


FUNCTIONS = cases("""
m.sum(a, where=a > 0) | m.sum(a, 1, where=[True, False, True, False]) | m.sum(a, initial=5) | m.sum(f4, initial=0.5) | m.sum(v, initial=2.5)
m.sum(a, where=m.ones((2, 3, 4), dtype=bool)) | m.sum(v, where=[1, 0, 1, 0, 2, 0]) | m.sum(v, where=v) | m.sum(a, 0, out=m.zeros(4)) | m.sum(g, 0, out=m.zeros(4, int))
m.sum(a, out=m.zeros(2)) | m.sum(a, 0, out=m.zeros(3)) | m.sum(b, where=b) | m.sum(f2, where=~m.isnan(f2)) | m.prod(a, where=a != 0, initial=2)
m.prod(u, 0, initial=3, keepdims=True) | m.max(a, initial=100) | m.max(a, 1, where=a > 0, initial=0) | m.max(a, where=a > 0) | m.max(empty)
m.max(empty, initial=1.0) | m.max(empty, 0, initial=1.0) | m.min(v, initial=m.asarray(2)) | m.min(v, initial=inf) | m.min(f, where=~m.isnan(f), initial=9)
m.any(a, where=a > 100) | m.all(a, 0, where=a != 0) | m.any(b, 1, where=[True, False, True]) | m.any(a, out=m.zeros(())) | m.all(a, keepdims=True, where=b[0, 0])
m.mean(g, where=g > 0) | m.mean(a, 1, where=a > 2) | m.mean(f2, where=f2 == f2) | m.mean(g, 0, out=m.zeros(4)) | m.mean(a, 1, keepdims=True, where=a > 0)
m.var(g, where=g > 0) | m.var(g, 0, correction=1) | m.var(g, ddof=1, correction=1) | m.std(g, 1, correction=2) | m.std(c, 0) | m.var(a, 0, out=m.zeros(4))
m.std(g, 1, where=g < 3, ddof=1) | m.var(g, 1, mean=m.mean(g, 1, keepdims=True)) | m.std(g, keepdims=True, mean=m.mean(g)) | m.mean(a, out=m.zeros(3))
m.std(f4, 0, dtype=float) | m.mean(v, dtype='float32') | m.any(a, initial=True) | m.mean(a, initial=3) | g.sum(where=g > 0) | g.max(initial=50.0, axis=0)
m.clip(a, 0, 5) | m.clip(a, None, 5) | m.clip(a, 2, None) | m.clip(a, min=1, max=3) | m.clip(a, max=3) | m.clip(a, 1, 2, min=3) | m.clip(a, 1)
m.clip(u, -5, 300) | m.clip(i8, -1000, 5) | m.clip(a, None, None) | m.clip(w, 1, 5, dtype='float32') | m.clip(g, [0, 1, 2, 3], 4) | m.clip(a, 0, 5, out=m.zeros((3, 4)))
m.clip(f, 0, 1) | m.clip(a, 5, 1) | m.clip(v, 0, 5, out=m.zeros(6), where=v > 0) | a.clip(0, 3) | a.clip(min=2)
""")


@pytest.mark.parametrize("case", FUNCTIONS)
def test_reductions(case, device):
    check(case, exact=not any(name in case for name in ("var", "std", "mean", "sum(g", "sum(f")))


def test_out_may_be_numpys(device):
    x = qn.asarray([1.0, 2.0, 3.0])
    out = np.zeros(3, np.float32)
    assert qn.add(x, 1, out=out) is out
    assert out.tolist() == [2, 3, 4]
    assert qn.add(x, 1, out=out, where=[True, False, True]) is out
    with pytest.raises(TypeError):
        qn.add(x, 1.5, out=np.zeros(3, int))
    total = np.zeros(())
    assert qn.sum(x, out=total) is total
    assert total == 6


def test_where_keeps_what_is_there(device):
    x = qn.asarray([1.0, 4.0, 9.0])
    out = qn.full(3, -1.0)
    assert qn.sqrt(x, out=out, where=[True, False, True]) is out
    assert out.tolist() == [1, -1, 3]
    assert qn.sqrt(x, where=[True, False, True]).tolist() == [1, 0, 3]


def test_order(device):
    x = qn.asarray(np.arange(6.0).reshape(2, 3))
    assert qn.add(x, 1, order="F").strides == (8, 16)
    assert qn.add(x.T, 1, order="C").strides == (16, 8)
    assert qn.add(x.T, 1).strides == (8, 24)
    assert qn.add(x, 1, order="F").tolist() == (np.asarray(x) + 1).tolist()


def test_overlap_of_out_and_operands(device):
    x, y = qn.arange(8), np.arange(8)
    qn.add(x[:-1], x[1:], out=x[1:])
    np.add(y[:-1], y[1:], out=y[1:])
    assert x.tolist() == y.tolist()


def test_no_warnings_from_native_calls(device):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = qn.set_fallback("error")
        try:
            qn.add.reduce(qn.arange(5), where=[True] * 5)
            qn.subtract.reduce(qn.arange(5))
            qn.add.outer([1, 2], [3, 4])
            qn.gcd.reduce([4, 6])
            x = qn.arange(5)
            qn.add.at(x, slice(1, 3), 2)
            with pytest.raises(NotImplementedError):
                qn.power.accumulate(x)
        finally:
            qn.set_fallback(before)


def test_large_reductions_by_halves(device):
    x = np.random.default_rng(0).integers(0, 1 << 40, 5003)
    for name in ("bitwise_xor", "bitwise_or", "gcd", "fmax", "logical_xor"):
        assert int(getattr(qn, name).reduce(qn.asarray(x))) == getattr(np, name).reduce(x)


CORE_AXES = """
m.matmul(a, b, axes=[(1, 2), (1, 2), (0, 1)]) | m.matmul(a, b, axes=[(0, 2), (1, 0), (2, 0)]) | m.matmul(a, b, axis=1)
m.matmul(a, b, keepdims=True) | m.matmul(a, b, axes=[(1, 2), (1, 2)]) | m.matmul(a, b, axes=[1, (1, 2), (0, 1)])
m.matmul(a, b, axes=3) | m.matmul(a, b, axes=[(1, 1), (1, 2), (0, 1)]) | m.matmul(a, b, axes=[(1, 7), (1, 2), (0, 1)])
m.matmul(a, b[0, :, 0], axes=[(1, 2), (0, ), (0, )]) | m.matmul(a, b[0, :, 0], axes=[(1, 2), 0, 0])
m.matmul(a, b[0, :, 0], axes=[(1, 2), (0, 1), (0, )]) | m.vecdot(a, a, axis=0) | m.vecdot(a, a, axis=1, keepdims=True)
m.vecdot(a, a, keepdims=True) | m.vecdot(a, a, axes=[0, 1]) | m.vecdot(a, a, axes=[0, 0]) | m.vecdot(a, a, axes=[(0, ), (0, ), ()])
m.vecdot(a, a, axes=[0, 0, 0]) | m.vecdot(a, a, axes=[0, 0, 0], keepdims=True) | m.vecdot(a, a, axes=[0, 0], keepdims=True)
m.vecdot(a, a, axis=5) | m.vecdot(a, a, axis=(0, )) | m.vecdot(a, a, axis=1.5) | m.vecdot(a, a, axis=0, axes=[0, 0])
m.vecdot(a, a, keepdims=1) | m.matvec(a, m.ones((3, 4)), axes=[(1, 2), 1, 0]) | m.matvec(a, m.ones((4, )), axes=[(1, 2), 0, 0])
m.matvec(a, m.ones((4, )), axis=1) | m.vecmat(m.ones(3), a, axes=[0, (1, 2), -1]) | m.vecdot(a, a, axes=[0, 0, None])
m.vecdot(a, a, axes=None) | m.vecdot(a, a, axis=None) | m.vecdot(a, a, axes=((0, ), (0, ), ()))
m.vecdot(a, a, axes=[0, 0], out=m.zeros((3, 4))) | m.matmul(a, b, axes=[(1, 2), (1, 2), (0, 1)], out=m.zeros((3, 3, 2)))
m.matmul(a, b, axes=[(1, 2), (1, 2), (0, 1)], out=m.zeros((3, 3))) | m.vecdot(a, a, axis=0, out=m.zeros((2, 2)))
m.vecdot(a, a, axis=1, keepdims=True, out=m.zeros((2, 1, 4))) | m.vecdot(a[0, 0], a, axis=1) | m.vecdot(1.0, a, axis=0)
m.vecdot(a, a, axis=np.int64(1)) | m.vecdot(a, a, axis=True) | m.vecdot(a, a, foo=1)
m.matmul(a, b, axes=[(1, 2), (1, 2), (0, 1)], dtype='f4') | m.matmul(a, b, axes=[(1, 2), (1, 2), (1, )])
m.matmul(a, b, axes=[(1, 2), (1, 2), (3, 1)]) | m.matmul(a, b, axes=[(1, 2), (1, 2), (0, 0)])
m.vecdot(a, a, axis=1, out=(m.zeros((2, 4)), )) | m.matmul(a[0], b[0], axes=[(0, 1), (0, 1), (1, 0)])
m.matmul(a, m.array(3.0), axes=[(1, 2), (1, 2), (0, 1)]) | m.matmul(a, m.array(3.0)) | m.matmul(m.ones(4), b, axes=[0, (1, 2), 0])
m.matmul(m.ones(4), m.ones(4), axes=[0, 0, ()]) | m.matmul(m.ones(4), m.ones(4), axes=[0, 0])
m.vecdot(a, a, axes=[0, 0, ()], keepdims=True) | m.vecdot(a, a, axes=[0]) | m.vecdot(a + 1j, a, axis=1, keepdims=True)
m.matmul(a, b, axes=[(-1, -2), (-1, -2), (-1, -2)]) | m.linalg.vecdot(a, a, axis=1)
"""


@pytest.mark.parametrize("expression", [e.strip() for line in CORE_AXES.strip().split("\n") for e in line.split(" | ")])
def test_axes_of_vectors_and_matrices(device, expression):
    """axes=, axis= and keepdims= as NumPy has them, with its types of errors; nothing runs on the host."""
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(2, 4, 3)
    try:
        want = eval(expression, {"m": np, "np": np, "a": x, "b": y})
    except Exception as error:
        with pytest.raises(type(error)):
            eval(expression, {"m": qn, "np": np, "a": qn.asarray(x), "b": qn.asarray(y)})
        return
    before = qn.set_fallback("error")
    try:
        got = qn.asnumpy(eval(expression, {"m": qn, "np": np, "a": qn.asarray(x), "b": qn.asarray(y)}))
    finally:
        qn.set_fallback(before)
    assert (got.shape, got.dtype) == (np.shape(want), np.asarray(want).dtype)
    np.testing.assert_allclose(got, want)


def test_axes_with_out(device):
    x = np.arange(24.0).reshape(2, 3, 4)
    out = qn.zeros((3, 4))
    assert qn.vecdot(qn.asarray(x), qn.asarray(x), axis=0, out=out) is out
    np.testing.assert_allclose(qn.asnumpy(out), np.vecdot(x, x, axis=0))
