"""Arrays of structured and void types: views of fields, assignment, copies, comparison, sorting. NumPy is the oracle."""

import pickle

import numpy as np
import pytest
import quern as qn
from hypothesis import given, settings
from hypothesis import strategies as st
from quern import cupy

PAIR = [("x", "f4"), ("n", "i8")]
TYPES = {
    "packed": np.dtype(PAIR),
    "aligned": np.dtype([("b", "i1"), ("w", "f8"), ("h", "f2")], align=True),
    "odd": np.dtype([("b", "u1"), ("w", "f8"), ("z", "c8"), ("ok", "?")]),
    "nested": np.dtype([("p", PAIR), ("v", "f4", (3,)), ("q", PAIR, (2,)), ("k", "i2")]),
    "gaps": np.dtype({"names": ["b", "a"], "formats": ["i2", "f4"], "offsets": [12, 2], "itemsize": 20}),
    "overlap": np.dtype({"names": ["low", "whole"], "formats": ["u2", "u4"], "offsets": [0, 0], "itemsize": 4}),
    "texts": np.dtype([("name", "S5"), ("when", "M8[s]"), ("k", "i4")]),
    "one": np.dtype([("only", "f8")]),
    "bytes": np.dtype("V10"),
}
NUMBERS = [name for name in TYPES if name not in ("texts", "bytes")]


def filled(dtype, shape, seed=0):
    """Small values in every field, ties among them."""
    rng = np.random.default_rng(seed)
    out = np.zeros(shape, dtype)

    def fill(array):
        if array.dtype.names is None:
            whole = rng.integers(0, 4, array.shape)
            if array.dtype.kind == "V":
                array[...] = whole.astype("u1").astype("S1").astype(array.dtype)
            else:
                array[...] = whole.astype("M8[s]" if array.dtype.kind == "M" else array.dtype)
            return
        for name in array.dtype.names:
            fill(array[name])

    fill(out)
    return out


def same(got, want):
    """Values, type, shape, strides and flags."""
    assert isinstance(got, qn.Array)
    assert got.dtype == want.dtype and got.shape == want.shape and got.size == want.size and got.itemsize == want.itemsize
    if want.size:
        assert got.strides == want.strides
    assert got.flags.c_contiguous == want.flags.c_contiguous and got.flags.f_contiguous == want.flags.f_contiguous
    host = qn.asnumpy(got)
    assert host.dtype == want.dtype
    equal_fields(host, want)


def equal_fields(got, want):
    if want.dtype.names is None:
        assert got.tobytes() == want.tobytes() if want.dtype.kind == "V" else np.array_equal(got, want, equal_nan=want.dtype.kind in "fc")
        return
    for name in want.dtype.names:
        equal_fields(got[name], want[name])


PARTS = {
    "all": lambda a: a, "slice": lambda a: a[1:3], "steps": lambda a: a[::2, ::-1], "row": lambda a: a[2], "column": lambda a: a[:, 1],
    "record": lambda a: a[1, 2], "turned": lambda a: a.T, "line": lambda a: a.ravel(), "line of turned": lambda a: a.T.ravel(),
    "Fortran's line": lambda a: a.ravel("F"), "shape": lambda a: a.reshape(2, 2, 5), "new axis": lambda a: a[:, None], "none": lambda a: a[2:2],
    "copy": lambda a: a.copy(), "copy of turned": lambda a: a.T.copy(), "Fortran's copy": lambda a: a.copy("F"), "back": lambda a: a[::-1],
    "picked": lambda a: a[[3, 0, 0]], "picked twice": lambda a: a[[0, 1], [4, 2]], "chosen": lambda a: a[np.arange(4) % 2 == 0],
    "swapped": lambda a: a.swapaxes(0, 1)[1:], "squeezed": lambda a: a[:1].squeeze(), "bytes": lambda a: a.view(f"V{a.itemsize}"),
    "as uint8": lambda a: a.view("u1"), "astype": lambda a: a.astype(a.dtype), "diagonal": lambda a: a.diagonal(),
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", TYPES)
def test_parts(device, kind, part):
    host = filled(TYPES[kind], (4, 5))
    got, want = PARTS[part](qn.asarray(host)), PARTS[part](host)
    same(got, np.asarray(want))


FUNCTIONS = {
    "concatenate": lambda m, a: m.concatenate([a, a[1:]]), "stack": lambda m, a: m.stack([a, a], 1), "vstack": lambda m, a: m.vstack([a, a]),
    "tile": lambda m, a: m.tile(a, (2, 1)), "repeat": lambda m, a: m.repeat(a, 2, axis=1), "roll": lambda m, a: m.roll(a, 2),
    "flip": lambda m, a: m.flip(a), "take": lambda m, a: m.take(a, m.asarray([3, 1, 1])), "take rows": lambda m, a: m.take(a, m.asarray([1, 0]), 0),
    "moveaxis": lambda m, a: m.moveaxis(a, 0, 1), "broadcast": lambda m, a: m.broadcast_to(a[0], (3, 5)), "split": lambda m, a: m.split(a, 2)[1],
    "where": lambda m, a: m.where(m.asarray([True, False, True, False, True]), a, a[::-1]), "zeros": lambda m, a: m.zeros_like(a),
    "zeros of shape": lambda m, a: m.zeros((2, 3), a.dtype), "expand": lambda m, a: m.expand_dims(a, 0), "rot90": lambda m, a: m.rot90(a),
    "delete": lambda m, a: m.delete(a, 1, 0), "compress": lambda m, a: m.compress(m.asarray([True, False, True]), a, 0),
    "ascontiguous": lambda m, a: m.ascontiguousarray(a.T), "array": lambda m, a: m.array(a), "take_along": lambda m, a: m.take_along_axis(a, m.asarray([[0, 4]] * 4), 1),
    "full": lambda m, a: m.full((2, 2), a[1, 1], a.dtype),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", TYPES)
def test_functions_that_move_elements(device, kind, name):
    host = filled(TYPES[kind], (4, 5))
    got, want = FUNCTIONS[name](qn, qn.asarray(host)), FUNCTIONS[name](np, host)
    assert got.dtype == want.dtype and got.shape == want.shape
    equal_fields(qn.asnumpy(got), want)


def leaves(dtype, path=()):
    """The paths to all fields, those of fields among them."""
    for name in dtype.names or ():
        yield (*path, name)
        yield from leaves(dtype.fields[name][0].base, (*path, name))


@pytest.mark.parametrize("kind", NUMBERS)
def test_fields_are_views(device, kind):
    host = filled(TYPES[kind], (4, 5))
    a = qn.asarray(host)
    for path in leaves(host.dtype):
        got, want = a, host
        for name in path:
            got, want = got[name], want[name]
        assert got.dtype == want.dtype and got.shape == want.shape and got.strides == want.strides
        equal_fields(qn.asnumpy(got), want)
        if want.dtype.names:
            continue
        new = (np.arange(want.size).reshape(want.shape) % 2).astype(want.dtype)
        got[...] = new
        want[...] = new
        got[::2] = 1
        want[::2] = 1
        same(a, host)
        if want.dtype.kind in "iuf":
            got += 1
            want += 1
            same(a, host)
            np.testing.assert_allclose(qn.asnumpy(got * 2 + got[::-1]), want * 2 + want[::-1])
            np.testing.assert_allclose(qn.asnumpy(got.sum(axis=0)), want.sum(axis=0))
            np.testing.assert_array_equal(qn.asnumpy(qn.sort(got, axis=None)), np.sort(want, axis=None))
            np.testing.assert_array_equal(qn.asnumpy(qn.maximum(got, 2)), np.maximum(want, 2))


def test_several_fields_are_a_view(device):
    host = filled(TYPES["nested"], 6)
    a = qn.asarray(host)
    same(a[["k", "p"]], host[["k", "p"]])
    a[["k"]]["k"][...] = 9
    host["k"] = 9
    a[["k", "p"]] = (3, (4, 5))
    host[["k", "p"]] = (3, (4, 5))
    same(a, host)
    for wrong in (["k", "nothing"], "nothing"):
        with pytest.raises((KeyError, ValueError), match="nothing"):
            a[wrong]
        with pytest.raises((KeyError, ValueError), match="nothing"):
            a[wrong] = 1
    with pytest.raises((IndexError, ValueError)):
        qn.arange(3)["x"]


@pytest.mark.parametrize("kind", NUMBERS)
def test_assignment_of_records(device, kind):
    dtype = TYPES[kind]
    host, more = filled(dtype, (4, 5)), filled(dtype, 5, seed=7)
    a, others = qn.asarray(host), qn.asarray(more)
    for array, row in ((a, others), (host, more)):
        array[1] = row
        array[2, 3] = row[0]
        array[:, 4] = row[1]
        array[[0, 3]] = row
        array[3, 1:] = row[1:][::-1]
    same(a, host)
    a[0, 0] = tuple(more[2])
    host[0, 0] = tuple(more[2])
    a[1:] = a[:-1]
    host[1:] = host[:-1].copy()
    same(a, host)
    a[2] = more  # NumPy's array, and one of its records
    a[3, 3] = more[4]
    host[2], host[3, 3] = more, more[4]
    same(a, host)
    a[0] = 1
    host[0] = 1
    same(a, host)
    mask = np.arange(20).reshape(4, 5) % 3 == 0
    a[qn.asarray(mask)] = others[2]
    host[mask] = more[2]
    same(a, host)
    with pytest.raises(ValueError):
        a[0] = others[:3]


@pytest.mark.parametrize("value", [(1, 2), [(1, 2)], 7, np.array((3, 4), PAIR)[()], np.array((3, 4), PAIR), (1, 2, 3)])
def test_fill(device, value):
    outcomes = []
    for make in (np.zeros, qn.zeros, cupy.zeros):
        a = make((2, 3), PAIR)
        try:
            a.fill(value)
            outcomes.append(np.asarray(qn.asnumpy(a) if isinstance(a, qn.Array) else a).tolist())
        except (TypeError, ValueError):
            outcomes.append(None)
    assert outcomes[1] == outcomes[2] == outcomes[0]
    with pytest.raises(ValueError, match="sequence"):
        qn.zeros(3).fill((1, 2))


def test_records_become_others_by_position(device):
    host = filled(np.dtype([("a", "i4"), ("b", "f8"), ("v", "f4", (2,))]), 5)
    to = np.dtype([("x", "f2"), ("y", "i8"), ("z", "c8", (2,))])
    a = qn.asarray(host)
    same(a.astype(to), host.astype(to))
    b, want = qn.zeros(5, to), np.zeros(5, to)
    b[...] = a
    want[...] = host
    same(b, want)
    with pytest.raises(TypeError, match="fields"):
        a.astype([("x", "f4")])
    with pytest.raises(TypeError):
        a.astype("f8")
    one = filled(TYPES["one"], 3)
    np.testing.assert_array_equal(qn.asnumpy(qn.asarray(one).astype("f4")), one["only"].astype("f4"))


WITHOUT_TEXTS = [name for name in TYPES if name != "texts"]  # which NumPy compares as such; here they are bytes


@pytest.mark.parametrize("kind", WITHOUT_TEXTS)
def test_equality(device, kind):
    host, more = filled(TYPES[kind], (40, 2)), filled(TYPES[kind], (40, 2), seed=1)
    more[::3] = host[::3]
    a, b = qn.asarray(host), qn.asarray(more)
    same(a == b, host == more)
    same(a != b, host != more)
    same(a == b[0], host == more[0])
    np.testing.assert_array_equal(qn.asnumpy(a == more[0, 0]), host == more[0, 0])
    for wrong in (lambda: a < b, lambda: a == 1, lambda: a == qn.zeros((40, 2), [("no", "i4")])):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("kind", WITHOUT_TEXTS)
def test_sorting(device, kind):
    host = filled(TYPES[kind], (6, 50))
    a = qn.asarray(host)
    for axis in (-1, 0, None):
        want = np.argsort(host, axis=axis, kind="stable")
        np.testing.assert_array_equal(qn.asnumpy(qn.argsort(a, axis=axis)), want)
        equal_fields(qn.asnumpy(qn.sort(a, axis=axis)), np.sort(host, axis=axis, kind="stable"))
    for name in host.dtype.names or ():
        np.testing.assert_array_equal(qn.asnumpy(qn.argsort(a, order=name)), np.argsort(host, order=name, kind="stable"))
        equal_fields(qn.asnumpy(qn.sort(a, order=[name])), np.sort(host, order=[name], kind="stable"))
    b = a.copy()
    b.sort(axis=0)
    equal_fields(qn.asnumpy(b), np.sort(host, axis=0, kind="stable"))
    for wrong in ("nothing", ["b", "b"]):
        with pytest.raises(ValueError):
            qn.sort(a, order=wrong)
    with pytest.raises(ValueError, match="no fields"):
        qn.sort(qn.arange(3), order="x")


@pytest.mark.parametrize("kind", TYPES)
def test_exchange(device, kind):
    host = filled(TYPES[kind], (3, 4))
    a = qn.asarray(host)
    for protocol in range(2, 6):
        back = pickle.loads(pickle.dumps(a.T, protocol))
        same(back, host.T)
    equal_fields(np.asarray(a), host)
    assert np.asarray(a).dtype == host.dtype
    assert a.tobytes() == host.tobytes() and len(a) == 3 and a.nbytes == host.nbytes
    equal_fields(cupy.asarray(host).get(), host)
    b = cupy.empty((3, 4), host.dtype)
    b.set(host)
    equal_fields(b.get(), host)
    into = np.zeros_like(host)
    b.T.get(out=into.T, order="F")
    equal_fields(into, host)
    if device.kind == "cpu":
        seen = qn.asarray(host.copy(), copy=False)
        same(seen, host)
        if host.dtype.names and host.dtype[0].kind in "iuf":
            seen[host.dtype.names[0]][...] = 3
            assert (np.asarray(seen)[host.dtype.names[0]] == 3).all()
    with pytest.raises((BufferError, TypeError)):
        a.__dlpack__()


def test_texts(device):
    host = filled(TYPES["nested"], 3)
    a = qn.asarray(host)
    assert str(a) == str(host) and repr(a)[:7] == "array([" and str(a[1]) == str(host[1])
    assert str(a.tolist()) == str(host.tolist()) and str(a[1].item()) == str(host[1].item()) and str(a.item(2)) == str(host.item(2))


WRONG = {
    "add": lambda a: a + 1, "add themselves": lambda a: a + a, "negative": lambda a: -a, "sin": lambda a: qn.sin(a), "sum": lambda a: a.sum(),
    "max": lambda a: qn.max(a), "mean": lambda a: a.mean(), "cumsum": lambda a: qn.cumsum(a), "dot": lambda a: a @ a, "less": lambda a: a < a,
    "float": lambda a: float(a[0]), "in place": lambda a: a.__iadd__(1), "real": lambda a: a.real + 1, "as numbers": lambda a: a.astype(int),
    "sum of type": lambda a: qn.sum(qn.arange(3), dtype=a.dtype), "index": lambda a: qn.arange(3)[a], "unary": lambda a: ~a,
    "out": lambda a: qn.add(qn.arange(3), 1, out=a), "histogram": lambda a: qn.histogram(a), "einsum": lambda a: qn.einsum("i,i", a, a),
    "into numbers": lambda a: qn.zeros(3).__setitem__(..., a), "mixed": lambda a: qn.concatenate([a, qn.arange(3)]), "fft": lambda a: qn.fft.fft(a),
    "range": lambda a: qn.arange(3, dtype=a.dtype), "add of type": lambda a: qn.add(1, 2, dtype=a.dtype), "where": lambda a: qn.where(a["n"] > 0, a, 1),
    "clip": lambda a: qn.clip(a, 0, 1), "unique": lambda a: qn.unique(a), "argmax": lambda a: a.argmax(), "solve": lambda a: qn.linalg.inv(a),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_computes_is_refused(device, what):
    before = qn.set_fallback("error")
    try:
        a = qn.asarray(filled(TYPES["packed"], 3))
        with pytest.raises(IndexError if what == "index" else TypeError):
            qn.asnumpy(WRONG[what](a))
        same(a, filled(TYPES["packed"], 3))
    finally:
        qn.set_fallback(before)


def test_types_that_arrays_cannot_have(device):
    for wrong, message in (
        ([("o", object)], "Python objects"), (">i4,f4", "byte order"), ([("t", ">f8")], "byte order"), ("V0", "itemsize is 0"), ("S3", "Unsupported dtype"),
        (("f4", (3,)), "shape to the array's shape"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=message):
            qn.zeros(3, np.dtype(wrong))


@st.composite
def record_types(draw, depth=2):
    names = [f"f{n}" for n in range(draw(st.integers(1, 4)))]
    formats = []
    for _ in names:
        kind = draw(st.sampled_from("? i1 u2 i4 f4 f8 c8 i8 f2".split()))
        inner = draw(record_types(depth - 1)) if depth > 1 and draw(st.booleans()) else np.dtype(kind)
        formats.append((inner, draw(st.sampled_from([(2,), (2, 3), (1,)]))) if draw(st.integers(0, 3)) == 0 else inner)
    return np.dtype(list(zip(names, formats, strict=True)), align=draw(st.booleans()))


@settings(deadline=None, max_examples=60)
@given(record_types(), st.data())
def test_any_type(dtype, data):
    """Fields to read and write, parts, copies and equality, of types as they come."""
    host = filled(dtype, (3, 4), seed=data.draw(st.integers(0, 99)))
    a = qn.asarray(host)
    same(a, host)
    same(a[::2, ::-1], host[::2, ::-1])
    path = data.draw(st.sampled_from(list(leaves(dtype))))
    got, want = a, host
    for name in path:
        got, want = got[name], want[name]
    equal_fields(qn.asnumpy(got), want)
    got[1:] = got[:-1].copy()
    want[1:] = want[:-1].copy()
    if want.dtype.names is None:
        got[0] = 1
        want[0] = 1
    same(a, host)
    other = host.copy()
    other[1] = filled(dtype, 4, seed=3)
    same(a == qn.asarray(other), host == other)
    order = np.argsort(host, axis=None, kind="stable")
    np.testing.assert_array_equal(qn.asnumpy(qn.argsort(a, axis=None)), order)
    same(a.ravel()[qn.asarray(order)], host.ravel()[order])
