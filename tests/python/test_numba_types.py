"""What the types tell of themselves: attributes as Numba's types have them."""

import collections
import pickle

import numpy as np
import pytest
from quern import numba
from quern.numba import types

Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_integers(name):
    of = getattr(types, name)
    info = np.iinfo(name)
    assert (of.bitwidth, of.signed, of.minval, of.maxval) == (info.bits, info.kind == "i", info.min, info.max)
    assert of.key == of.name == str(of) == name
    assert of.cast_python_value(3.7) == 3 and of.cast_python_value(3.7).dtype == name


def test_other_numbers():
    assert [getattr(types, n).bitwidth for n in ("float16", "float32", "float64", "complex64", "complex128")] == [16, 32, 64, 64, 128]
    assert types.float32.is_precise() and not types.float32.mutable
    assert types.int32(types.float32).recvr is None


@pytest.mark.parametrize(
    ("of", "c", "f"),
    [
        (types.float32[:], False, False),
        (types.float32[::1], True, True),
        (types.float32[:, ::1], True, False),
        (types.float32[::1, :], False, True),
        (types.float32[:, :], False, False),
    ],
)
def test_arrays(of, c, f):
    assert (of.is_c_contig, of.is_f_contig, of.is_contig) == (c, f, c or f)
    assert of.mutable and of.aligned and not of.copy(readonly=True).mutable
    assert of.copy() == of and of.copy(ndim=3, layout="A") == types.float32[:, :, :]
    assert of.copy(dtype=types.int8).dtype == types.int8 and of.copy(dtype=types.int8).layout == of.layout


def test_tuples():
    uniform, mixed = types.UniTuple(types.int32, 3), types.Tuple((types.int32, types.float32))
    assert isinstance(uniform, types.UniTuple) and isinstance(uniform, types.BaseTuple) and not isinstance(mixed, types.UniTuple)
    assert uniform.dtype == types.int32 and len(uniform) == uniform.count == 3 and list(mixed) == [types.int32, types.float32]
    assert mixed[1] == types.float32 and not hasattr(mixed, "dtype")
    assert types.Tuple(()) and len(types.Tuple(())) == 0 and pickle.loads(pickle.dumps(uniform)) == uniform
    named = types.NamedUniTuple(types.int32, 2, Point)
    assert named == types.NamedTuple((types.int32, types.int32), Point) and isinstance(named, types.NamedUniTuple)
    assert str(named) == "Point(int32 x 2)" and str(numba.typeof(Point(1, 2.0))) == "Point(int64, float64)"
    assert not isinstance(numba.typeof(Point(1, 2.0)), types.NamedUniTuple)


def test_records():
    record = types.Record.make_c_struct([("a", types.int32), ("b", types.float64)])
    assert record.fields == {"a": (types.int32, 0, 4, None), "b": (types.float64, 8, 8, None)} and record.fields["b"].offset == 8
    assert record.members == [("a", types.int32), ("b", types.float64)] and record.alignof("b") == 8
    assert numba.from_dtype(np.dtype([("a", "i4"), ("b", "f8")])).alignof("b") is None


def test_literals():
    for value, kind, of in ((3, types.IntegerLiteral, types.int64), (True, types.BooleanLiteral, types.boolean)):
        literal = types.literal(value)
        assert isinstance(literal, kind) and isinstance(literal, types.Literal) and literal.literal_value is value
        assert str(literal) == f"Literal[{type(value).__name__}]({value})" and types.unliteral(literal) == of
    assert isinstance(types.literal("x"), types.StringLiteral) and types.unliteral(types.literal("x")) == types.unicode_type
    assert types.unliteral(types.int8) == types.int8 and types.literal(1) != types.literal(True)
    with pytest.raises(TypeError, match="no integer, bool or text"):
        types.literal(1.5)


def test_typeof_texts_and_dtypes():
    assert numba.typeof("x") == types.unicode_type and numba.typeof(np.dtype("f4")) == types.DType(types.float32)
    assert types.DType(types.float32).key == types.float32
