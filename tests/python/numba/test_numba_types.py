"""What the types tell of themselves: attributes as Numba's types have them."""

import collections
import enum
import pickle

import numpy as np
import pytest
from quern import cuda, numba
from quern.kernel.errors import TypingError
from quern.numba import types

Point = collections.namedtuple("Point", "x y")
RECORD = np.dtype([("a", "i4"), ("b", "f8", (2,)), ("c", bool)])


class Color(enum.IntEnum):
    RED = 1


class Weight(enum.Enum):
    HEAVY = 1.5


# What Numba 0.68 prints: str, and repr where it is another.
PRINTED = """
types.boolean: bool
types.bool_[:,]: array(bool, 1d, A) | Array(bool, 1, 'A', False, aligned=True)
types.float32[:,::1]: array(float32, 2d, C) | Array(float32, 2, 'C', False, aligned=True)
types.float32[::1,:,]: array(float32, 2d, F) | Array(float32, 2, 'F', False, aligned=True)
types.int32[::1, ::1]: array(int32, 2d, F) | Array(int32, 2, 'F', False, aligned=True)
types.Array(types.float32, 2, "A", readonly=True): readonly array(float32, 2d, A) | Array(float32, 2, 'A', True, aligned=True)
types.Array(types.float32, 2, "C", aligned=False): unaligned array(float32, 2d, C) | Array(float32, 2, 'C', False, aligned=False)
types.Array(types.float32, 0, "C"): array(float32, 0d, C) | Array(float32, 0, 'C', False, aligned=True)
types.none: none
types.Optional(types.boolean): OptionalType(bool)
types.UniTuple(types.boolean, 3): UniTuple(bool x 3) | UniTuple(bool, 3)
types.Tuple((types.boolean, types.int8)): Tuple(bool, int8) | Tuple((bool, int8))
types.Tuple([types.int8, types.int8]): UniTuple(int8 x 2) | UniTuple(int8, 2)
types.Tuple(()): Tuple() | Tuple(())
types.NamedTuple((types.int32, types.float64), Point): Point(int32, float64)
types.NamedUniTuple(types.int32, 2, Point): Point(int32 x 2)
types.NPDatetime("D"): datetime64[D]
types.NPTimedelta(""): timedelta64[]
types.CPointer(types.float32): float32*
types.voidptr: void*
types.DType(types.float32): dtype(float32)
types.literal(3): Literal[int](3)
types.literal("x"): Literal[str](x)
types.string: unicode_type
types.NestedArray(types.int32, (2, 3)): nestedarray(int32, (2, 3)) | NestedArray(int32, (2, 3))
types.List(types.int32): list(int32)<iv=None> | List(int32, False)
types.Set(types.int32): set(int32) | Set(int32, False)
types.ListType(types.int32): ListType[int32] | ListType(int32)
types.DictType(types.int32, types.float64): DictType[int32,float64]<iv=None> | DictType(int32, float64)
types.FunctionType(types.int32(types.boolean)): FunctionType[int32(bool)]
types.NumberClass(types.int32): class(int32)
types.Omitted(3): omitted(default=3)
types.TypeRef(types.int32): typeref[int32]
types.UnicodeCharSeq(3): [unichr x 3] | UnicodeCharSeq(3)
types.pyobject: pyobject
types.slice2_type: slice<a:b>
types.slice3_type: slice<a:b:c>
types.Any: any
types.void(types.boolean, types.float32[:,]): (bool, Array(float32, 1, 'A', False, aligned=True)) -> none
types.boolean(types.int32): (int32,) -> bool
types.void(): () -> none
types.Integer("int32"): int32
types.Complex("complex64", types.float32): complex64
types.Integer.from_bitwidth(32, False): uint32
types.py_float: float64
types.np_float_: float32
types.c_intp: int64
numba.typeof(True): bool
numba.typeof(Point(1, 2)): Point(int64 x 2)
numba.typeof(Color.RED): IntEnum<int64>(Color)
numba.typeof(Weight.HEAVY): Enum<float64>(Weight)
numba.typeof([1, 2]): reflected list(int64)<iv=None> | List(int64, True)
numba.typeof({1, 2}): reflected set(int64) | Set(int64, True)
numba.typeof(np.int32): class(int32)
numba.typeof(np.zeros((4, 4))[::2, ::2]): array(float64, 2d, A) | Array(float64, 2, 'A', False, aligned=True)
""".strip().split("\n")


@pytest.mark.parametrize("line", PRINTED)
def test_how_types_are_printed(line):
    made, _, wanted = line.partition(": ")
    text, _, written = wanted.partition(" | ")
    of = eval(made)
    assert str(of) == text and repr(of) == (written or text)
    again = pickle.loads(pickle.dumps(of))
    assert again == of and hash(again) == hash(of)


def test_how_records_are_printed():
    field = "{'type': %s, 'offset': %d, 'alignment': None, 'title': None, }"
    of = numba.from_dtype(RECORD)
    name = "Record(a[type=int32;offset=0],b[type=nestedarray(float64, (2,));offset=4],c[type=bool;offset=20];21;False)"
    fields = [("a", "int32", 0), ("b", "NestedArray(float64, (2,))", 4), ("c", "bool", 20)]
    assert str(of) == name
    assert repr(of) == f"Record([{', '.join(f'({n!r}, {field % (t, at)})' for n, t, at in fields)}], 21, False)"
    assert str(of[:]) == f"unaligned array({name}, 1d, A)" and isinstance(of.typeof("b"), types.NestedArray)


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
    with pytest.raises(TypeError, match="not an int, bool or str"):
        types.literal(1.5)


def test_typeof_texts_and_dtypes():
    assert numba.typeof("x") == types.unicode_type and numba.typeof(np.dtype("f4")) == types.DType(types.float32)
    assert types.DType(types.float32).key == types.float32


# Which of these types are instances of a class in Numba 0.68.
SHOWN = {
    "i": types.int32, "f": types.float32, "c": types.complex64, "b": types.boolean, "array": types.float32[:], "none": types.none,
    "uni": types.UniTuple(types.int32, 2), "tuple": types.Tuple((types.int32, types.int8)), "empty": types.Tuple(()),
    "named": types.NamedTuple((types.int32, types.int8), Point), "uninamed": types.NamedUniTuple(types.int32, 2, Point),
    "optional": types.Optional(types.int32), "date": types.NPDatetime("D"), "span": types.NPTimedelta("D"),
    "pointer": types.CPointer(types.int32), "record": numba.from_dtype(np.dtype([("a", "i4")])), "3": types.literal(3),
    "True": types.literal(True), "text": types.literal("x"), "unicode": types.unicode_type, "dtype": types.DType(types.int32),
    "color": numba.typeof(Color.RED), "weight": numba.typeof(Weight.HEAVY), "list": types.List(types.int32),
    "listtype": types.ListType(types.int32), "dict": types.DictType(types.int32, types.int8), "set": types.Set(types.int32),
    "nested": types.NestedArray(types.int32, (2,)), "function": types.FunctionType(types.int32(types.int32)),
    "class": types.NumberClass(types.int32), "omitted": types.Omitted(3),
}  # fmt: skip
HOLD = {
    "Array": "array nested", "ArrayCompatible": "array nested", "Buffer": "array nested", "BaseAnonymousTuple": "uni tuple empty",
    "BaseNamedTuple": "named uninamed", "BaseTuple": "uni tuple empty named uninamed", "Boolean": "b True", "BooleanLiteral": "True",
    "CPointer": "pointer", "Callable": "class", "Complex": "c", "ConstSized": "uni tuple empty named uninamed",
    "Container": "uni uninamed list set", "DType": "dtype", "DTypeSpec": "dtype class", "DictType": "dict",
    "Dummy": "none text dtype class omitted", "EnumMember": "color weight", "Float": "f", "FunctionType": "function",
    "Hashable": "i f c b uni tuple empty named uninamed 3 True unicode", "IntEnumMember": "color", "Integer": "i 3",
    "IntegerLiteral": "3", "Iterable": "uni tuple empty named uninamed", "IterableType": "array uni uninamed unicode list listtype dict set nested",
    "List": "list", "ListType": "listtype", "Literal": "3 True text", "MutableSequence": "list", "NPDatetime": "date",
    "NPTimedelta": "span", "NamedTuple": "named", "NamedUniTuple": "uninamed", "NestedArray": "nested", "NoneType": "none",
    "Number": "i f c 3", "NumberClass": "class", "Omitted": "omitted", "Opaque": "none dtype class omitted", "Optional": "optional",
    "RawPointer": "", "Record": "record", "Sequence": "uni uninamed list", "Set": "set", "Sized": "uni tuple empty named uninamed list set",
    "StringLiteral": "text", "Tuple": "tuple empty", "Type": " ".join(SHOWN), "UniTuple": "uni", "UnicodeType": "unicode",
    "Function": "", "Dispatcher": "", "Module": "",
}  # fmt: skip


@pytest.mark.parametrize("name", HOLD)
def test_classes_of_types(name):
    kind = getattr(types, name)
    assert [n for n, of in SHOWN.items() if isinstance(of, kind)] == [n for n in SHOWN if n in HOLD[name].split()]
    assert not isinstance(3, kind) and isinstance(types.voidptr, types.RawPointer)


def test_numbers_are_ordered_and_made():
    assert types.int8 < types.int16 <= types.int16 < types.int64 and types.float16 < types.float64 and types.complex64 < types.complex128
    for other in (types.float32, types.uint64):
        with pytest.raises(TypeError):
            types.int32 < other  # noqa: B015
    assert types.boolean(3) is True and types.int32(3.7) == 3 and types.float32("3") == 3
    assert types.Integer("int32") == types.int32 and types.Boolean("bool") == types.boolean
    for made in (lambda: types.Integer("int24", 24, True), lambda: types.Float("int32")):
        with pytest.raises(ValueError, match="kernels have no (Integer|Float) 'int"):
            made()
    assert types.float32[:].key == (types.float32, 1, "A", True, True) and types.UniTuple(types.int8, 2).key == (types.int8, 2)
    assert types.literal(3).literal_type == types.int64 and types.maybe_literal([3]) is None and types.is_homogeneous(types.int8, types.int8)
    assert types.parse_integer_bitwidth("uint16") == 16 and not types.parse_integer_signed("uint16")


def test_signatures():
    of = types.float32(types.int32, types.boolean)
    assert of == types.float32(types.int32, types.boolean) != types.float32(types.int32) and hash(of) == hash(pickle.loads(pickle.dumps(of)))
    assert of.replace(return_type=types.int8) == types.int8(types.int32, types.boolean) and of.is_precise() and not of.is_method
    method = of.as_method()
    assert method.is_method and (method.recvr, method.args) == (types.int32, (types.boolean,)) and method.as_function() == of
    assert of.as_type() == types.FunctionType(of) and of.as_type().signature == of


@pytest.mark.parametrize("of", [types.ListType(types.int32), types.Optional(types.DictType(types.int8, types.int8)), types.pyobject])
def test_types_without_values_in_signatures(device, of):
    for make in (numba.njit, cuda.jit, lambda s: numba.vectorize([s])):
        with pytest.raises(TypingError, match="kernels do not support values of type .*; pass arrays, numbers and tuples of them"):
            make(types.void(types.int32, of))(lambda x, y: None)


def test_what_is_refused():
    for value in ({1: 2}, range(3), print, object(), np.array("abc")):
        for kind in (ValueError, TypeError):
            with pytest.raises(kind, match="Cannot determine Numba type of <class"):
                numba.typeof(value)
    for made in (lambda: types.Array(types.float32, 1, "Q"), lambda: types.Array("float32", 1, "C"), lambda: types.Array(types.int8[:], 1, "C")):
        with pytest.raises(TypingError):
            made()
    with pytest.raises(TypeError, match="use it with isinstance"):
        types.Sequence(3)
    with pytest.raises(AttributeError, match="module 'numba.types' has no attribute 'ClassType': kernels do not support such values"):
        types.ClassType  # noqa: B018
