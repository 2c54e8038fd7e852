"""How results lie in memory: strides, flags, and what is a view of what, for every function and every layout; NumPy is the oracle."""

import pickle

import layouts
import numpy as np
import pytest
import quern as qn
from arrays import cases
from quern import cupy as cp
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("quiet")


def compare(call, name, layout, dtype="float64"):
    """Is the result of a call laid out as NumPy's? False where NumPy refuses the call, or gives no array."""
    if name == "rot90" and ".3" in call:  # NumPy's versions differ in turns that are no integers
        return False
    host, n = layouts.made(np, layout, dtype)
    names = {"np": np, "n": n}
    try:
        want = layouts.arrays_in(eval(call, names | {"m": np, "x": host, "f": name and layouts.named(np, name)}))
    except Exception:
        return False
    x, n = layouts.made(qn, layout, dtype)
    names = {"np": np, "n": lambda *shape: qn.asnumpy(n(*shape))}
    try:
        got = layouts.arrays_in(eval(call, names | {"m": qn, "x": x, "f": name and layouts.named(qn, name)}))
    except Exception:
        return False  # what is refused is compared elsewhere
    if len(got) != len(want):  # numbers have no layout
        got, want = [a for a in got if a.ndim], [a for a in want if a.ndim]
    for ours, theirs in zip(got, want, strict=False):
        if ours.shape != theirs.shape:
            return False
        where = f"{name or ''} {call} of {layout}: (strides, C, Fortran, writeable) are"
        assert layouts.described(ours) == layouts.described(theirs), where
        if theirs.size:
            shared = np.shares_memory(theirs, host)
            assert ours._shares_cell(x) == shared, f"{name or ''} {call} of {layout}: is it a view? NumPy: {shared}"
            if shared or theirs.flags.owndata:
                assert ours.flags.owndata == theirs.flags.owndata, f"{name or ''} {call} of {layout}: owndata"
    return bool(want)


@pytest.mark.parametrize("name", [name for name in layouts.functions(qn) if name not in layouts.OTHERWISE])
def test_functions(device, name):
    for call in layouts.EINSUMS if name == "einsum" else layouts.CALLS:
        for layout in layouts.LAYOUTS:
            if "repeated" not in layout or name not in layouts.REPEATED:
                compare(call, name, layout)


def test_most_functions_are_compared():
    names = layouts.functions(qn)
    assert len(names) > 300
    assert all(name in names for name in layouts.OTHERWISE)
    compared = sum(compare(call, name, "Fortran") for name in names if name not in layouts.OTHERWISE for call in ("f(x)", "f(x, x)", "f(x, axis=0)"))
    assert compared > 250


@pytest.mark.parametrize("limit", [0, _engine.tier0_limit])
@pytest.mark.parametrize("layout", layouts.LAYOUTS)
def test_methods(device, layout, limit):
    _engine.set_tier0_limit(limit)
    try:
        for call in layouts.METHODS:
            compare(call, "", layout)
            compare(call, "", layout, "complex64")
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


ORDERED = """
x.ravel({}) | x.flatten({}) | x.copy({}) | x.astype('f4', {}) | m.ravel(x, {}) | m.copy(x, {}) | m.array(x, order={}) | m.asarray(x, order={})
x.reshape(-1, order={}) | m.reshape(x, (-1,), {}) | x.tobytes({})
"""
ORDERED = cases(ORDERED)


@pytest.mark.parametrize("m", [qn, cp], ids=["quern", "cupy"])
@pytest.mark.parametrize("layout", layouts.LAYOUTS)
def test_values_in_every_order(device, m, layout):
    host, _ = layouts.made(np, layout)
    x, _ = layouts.made(m, layout)
    for call in ORDERED:
        for order in ("None", "'C'", "'f'", "'A'", "'k'", "'x'", "1"):
            text = call.format(order)
            try:
                want = eval(text, {"m": np, "x": host})
            except Exception as error:
                with pytest.raises(type(error)):
                    eval(text, {"m": m, "x": x})
                continue
            got = eval(text, {"m": m, "x": x})
            if isinstance(want, bytes):
                assert got == want, text
            else:
                assert qn.asnumpy(got).tolist() == want.tolist(), (text, layout)


@pytest.mark.parametrize("m", [qn, cp], ids=["quern", "cupy"])
@pytest.mark.parametrize("part", ["x[::2]", "x[::-1]", "y[:, :1]", "y.T", "y[::-1]", "z.transpose(1, 2, 0)", "z[:, ::2]"])
def test_writing_through_ravel(device, m, part):
    """What is not contiguous in the order asked for is copied, everything else is a view."""
    for order in "CFAK":
        results = []
        for module in (np, m):
            x, y = module.arange(6), module.arange(6).reshape(2, 3)
            z = module.arange(24).reshape(2, 3, 4)
            r = eval(part).ravel(order)
            r += 100
            results.append([np.asarray(qn.asnumpy(a) if module is m else a).tolist() for a in (x, y, z, r)])
        assert results[0] == results[1], (part, order)


@pytest.mark.parametrize("call", ["cumsum(x, axis=0)", "cumprod(x, 0)", "sort(x, 0)", "argsort(x, 0)", "take(x, [1, 0], 1)", "fft.fft(x, axis=0).real * 1"])
@pytest.mark.parametrize("rows", [3, 300])
def test_writing_through_ravel_of_results(device, call, rows):
    results = []
    for m in (np, qn):
        c = eval("m." + call, {"m": m, "x": m.asarray(np.arange(rows * 40.0).reshape(rows, 40) * 7919 % 30011)})
        c.ravel()[:5] = 50
        results.append(np.asarray(c))
    np.testing.assert_allclose(*results, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("shape", [(7, 30), (300, 40), (9000, 3), (20000, 2), (3, 9000), (5, 60, 70)])
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128", "int8"])
def test_work_along_every_axis(device, shape, dtype):
    host = (np.arange(np.prod(shape)) * 7919 % 1013 % 100 / 8).astype(dtype).reshape(shape)
    views = (lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a.swapaxes(0, -1)[..., ::2])
    for view in views:
        turned, x = view(host), view(qn.asarray(host))
        for axis in range(turned.ndim):
            for name in ("cumsum", "sort", "argsort"):
                kwargs = {"kind": "stable"} if name == "argsort" else {}
                want, got = getattr(np, name)(turned, axis=axis, **kwargs), getattr(qn, name)(x, axis=axis)
                same = np.testing.assert_array_equal if name != "cumsum" or dtype in ("int64", "int8") else lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4)
                same(qn.asnumpy(got), want)
                assert layouts.described(got)[0] == layouts.described(want)[0], (name, axis)
            if dtype != "int8" and shape != (20000, 2):
                np.testing.assert_allclose(qn.asnumpy(qn.fft.fft(x, axis=axis)), np.fft.fft(turned, axis=axis), rtol=1e-3, atol=0.5)
            index = np.array([[1, 0], [-1, 1]])
            np.testing.assert_array_equal(qn.asnumpy(qn.take(x, index, axis)), np.take(turned, index, axis))


@pytest.mark.parametrize("call", ["x[i]", "x[f]", "x[f, f]", "x[i, f]", "x[f, f, f]", "x[f, i[:1], i[:1]]", "x[:, f]", "x.T[i]", "x.T[i, i]", "x[:, ::2][i]", "x[p, p, p]", "x[..., p]", "x[p[::-1], 0]"])
def test_picked_elements(device, call):
    results = []
    for m in (np, qn):
        names = {"x": m.asarray(np.arange(60.0).reshape(3, 4, 5)), "i": m.asarray(np.arange(6).reshape(2, 3) % 3)}
        names["f"] = m.asarray(np.asfortranarray(np.arange(6).reshape(2, 3) % 3))
        names["p"] = m.asarray((np.arange(24) % 2).reshape(2, 3, 4).transpose(1, 2, 0))
        results.append(eval(call, names))
    assert layouts.described(results[1])[:3] == layouts.described(results[0])[:3]
    np.testing.assert_array_equal(np.asarray(results[1]), results[0])


PRODUCTS = """
n(4, 3).T @ n(2, 4).T | n(4, 3) @ n(2, 3).T | n(1, 6, 6) @ n(6, 6, 1) | n(2, 3, 4, 5).transpose(1, 0, 2, 3) @ n(2, 3, 4, 5).transpose(1, 0, 3, 2)
n(5, 4, 3, 2).T @ n(3, 4, 5, 2).transpose(3, 0, 2, 1) | m.matmul(n(2, 3, 4).T, n(2)) | m.matmul(n(4), n(3, 4, 2).swapaxes(0, 2))
n(3, 4, 2, 5).swapaxes(0, 1) @ n(5, 2) | n(5, 2).T @ n(3, 4, 5, 2).swapaxes(0, 1) | n(3, 4, 2, 1).swapaxes(0, 1) @ n(4, 3, 1, 2)
"""


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool"])
@pytest.mark.parametrize("call", cases(PRODUCTS))
def test_matrix_products(device, call, dtype):
    """Matrices in C order, whatever their stack is in; with a library and without."""
    results = []
    for m in (np, qn):
        results.append(eval(call, {"m": m, "n": lambda *shape, m=m: m.asarray((np.arange(np.prod(shape)) % 5).astype(dtype).reshape(shape))}))
    assert layouts.described(results[1]) == layouts.described(results[0])
    np.testing.assert_array_equal(np.asarray(results[1]), results[0])


def test_shape_in_place(device):
    for m in (np, qn):
        x = m.arange(6)
        y = x
        x.shape = (2, 3)
        assert y.shape == (2, 3)
        x.shape = (-1, 2)
        x.shape = [3, 2]
        x[0, 0] = 9
        assert y[0, 0] == 9
        x.shape = 6
        assert x.shape == (6,)
        with pytest.raises(ValueError, match="reshape array of size 6"):
            x.shape = (4,)
        x.shape = (2, 3)
        turned = x.T
        with pytest.raises(AttributeError, match="[Ii]ncompatible shape"):
            turned.shape = (6,)
        with pytest.raises(TypeError):
            x.shape = "ab"


def test_layouts_survive(device):
    """NumPy's arrays, copies of them, pickles, and what goes back lie as they did."""
    base = np.arange(24.0).reshape(2, 3, 4)
    for host in (np.asfortranarray(base), base.transpose(1, 0, 2), base.T, base):
        x = qn.asarray(host)
        assert x.strides == host.strides
        assert np.asarray(x).strides == host.strides
        assert pickle.loads(pickle.dumps(x)).strides == pickle.loads(pickle.dumps(host)).strides
        np.testing.assert_array_equal(qn.asnumpy(pickle.loads(pickle.dumps(x))), host)
        assert qn.array(x).strides == np.array(host).strides
        assert cp.asarray(host).strides == host.strides
        assert cp.asarray(host).get().flags.c_contiguous


def test_orders_that_are_none(device):
    for call in ("m.zeros((2, 2), order='K')", "m.ones((2, 2), order='A')", "m.full((2, 2), 1, order='k')", "m.empty(2, order='a')", "m.eye(2, order='K')"):
        with pytest.raises(ValueError, match="only 'C' or 'F' order is permitted"):
            eval(call, {"m": qn})
    with pytest.raises(ValueError, match="not permitted for reshaping"):
        qn.arange(4).reshape(2, 2, order="K")
    with pytest.raises(TypeError, match="order must be str"):
        qn.arange(4).ravel(1)
    with pytest.raises(ValueError, match="Unable to avoid"):
        qn.arange(6).reshape(2, 3).T.reshape(6, copy=False)


def test_copies_of_what_is_empty(device):
    """Their strides are made anew: they count where arrays are joined."""
    for m in (np, qn):
        x = m.asarray(np.arange(12.0).reshape(4, 3)).T
        e = x[-1:2:-1]
        assert [m.append(y, x, 0).strides for y in (e.copy(), e + 1, e.astype("f4"), m.isfinite(e))] == [(32, 8)] * 4
        assert m.append(e, x, 0).strides == (8, 24)


def test_shared_memory_of_random_views_as_numpy_reports_it(device):
    rng = np.random.default_rng(5)
    ours, theirs = qn.zeros((6, 8)), np.zeros((6, 8))
    other = qn.zeros((6, 8))

    def part():
        keys = []
        for n in theirs.shape:
            first, last = sorted(rng.integers(0, n + 1, 2))
            keys.append(slice(int(first), int(last), int(rng.integers(1, 4))))
        return tuple(keys)

    for _ in range(200):
        a, b = part(), part()
        for function in ("may_share_memory", "shares_memory"):
            told, expected = getattr(qn, function)(ours[a], ours.T[b[::-1]].T), getattr(np, function)(theirs[a], theirs.T[b[::-1]].T)
            assert told is expected, (function, a, b)
            assert not getattr(qn, function)(ours[a], other[b])
            told, expected = getattr(qn, function)(ours[a][::-1], ours[b].view("i8")), getattr(np, function)(theirs[a][::-1], theirs[b])
            assert told is expected, (function, a, b)
    assert not qn.may_share_memory(ours, theirs)


ELEMENTWISE = {
    "add": lambda m, a, b: a + b,
    "less": lambda m, a, b: a < b,
    "maximum": lambda m, a, b: m.maximum(a, b),
    "where": lambda m, a, b: m.where(a < 2, a, b),
    "negative": lambda m, a, b: -a,
    "sqrt, which converts": lambda m, a, b: m.sqrt(a),
    "a number": lambda m, a, b: a * 2.5,
    "copy": lambda m, a, b: a.copy("K"),
    "astype": lambda m, a, b: a.astype("f2"),
    "a chain": lambda m, a, b: (a + b) * a - b,
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_axes_of_one_element(device, name):
    """Their strides are NumPy's, too: functions like ones_like(x, shape=...) order axes by them."""
    rng = np.random.default_rng(len(name))

    def operand(shape):
        sizes = [1 if rng.random() < 0.15 else n for n in shape][rng.integers(len(shape)) if rng.random() < 0.15 else 0 :]
        order, step = rng.permutation(len(sizes)), rng.choice([1, 1, 1, 1, -1, 2], len(sizes))
        whole = [n * 2 if s == 2 else n for n, s in zip(sizes, step, strict=True)]
        dtype = rng.choice(["u4", "u4", "f8", "i1"])
        axes, parts = np.argsort(order).tolist(), tuple(slice(None, None, int(s)) for s in step)
        return lambda m: m.zeros([whole[i] for i in order], str(dtype)).transpose(axes)[parts]

    for _ in range(400):
        shape = rng.choice([1, 1, 2, 3], rng.integers(1, 5)).tolist()
        a, b = operand(shape), operand(shape)
        want, got = (ELEMENTWISE[name](m, a(m), b(m)) for m in (np, qn))
        where = [(x.shape, x.strides, x.dtype) for x in (a(np), b(np))]
        assert (got.shape, got.strides) == (want.shape, want.strides), where
