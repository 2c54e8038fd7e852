"""The types of values in kernels, by Numba's names: ``int32``, ``complex64``, ``Array(float32, 2, "C")``.

A type says how C++ spells it (``c``) and is compared by its name. ``str`` of a type is its name, ``repr`` what makes it, as Numba has both.
"""

from __future__ import annotations

import collections
import functools

import ml_dtypes
import numpy

from quern.kernel.errors import TypingError
from quern.kernel.type_docstrings import TypeDocstring


class Type:
    """Base of all types. ``name`` is what messages say, ``c`` the C++ text."""

    name = c = "?"

    def __init__(self, name=None):
        if name is not None:
            self.name = name

    def __call__(self, *parameters):
        """A signature: ``void(float32[:], int32)``."""
        return Signature(self, parameters)

    def __getitem__(self, key):
        """``float32[:]``, ``float32[:, ::1]``: an array type, as Numba writes it."""
        if not isinstance(self, (Number, Record, Time)):
            raise TypeError(f"{self} has no arrays")
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(p, slice) and p.start is None and p.stop is None and p.step in (None, 1) for p in parts):
            raise KeyError(f"an array type is written {self.name}[:] or {self.name}[:, ::1], not with {key!r}")
        steps = [p.step for p in parts]
        layout = "F" if steps[0] == 1 and len(steps) > 1 else "C" if steps[-1] == 1 else "A"
        return Array(self, len(parts), layout)

    @property
    def memory(self):
        """How C++ spells an element of that type."""
        return self.c

    key = property(lambda self: self.name, doc="What types are compared by.")
    mutable, reflected = False, False

    def is_precise(self):
        """Is it a type that values have? All types here are."""
        return True

    def __repr__(self):
        return self.name

    def __str__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, Type) and type(other) is type(self) and other.name == self.name

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return (of_name, (self.name,))


class Signature:
    """The types of arguments and of what is returned: ``args`` and ``return_type``. ``recvr``: the type whose method it is;
    ``pysig``: Python's parameters."""

    def __init__(self, return_type, args, recvr=None, pysig=None):
        self.return_type, self.args, self.recvr, self.pysig = return_type, tuple(args), recvr, pysig

    is_method = property(lambda self: self.recvr is not None)

    def replace(self, **changed):
        """Another one, with some of it changed."""
        return Signature(**{**vars(self), **changed})

    def as_method(self):
        """Of a method of its first argument's type."""
        return self if self.is_method else Signature(self.return_type, self.args[1:], recvr=self.args[0])

    def as_function(self):
        """Of a function whose first argument is what it is a method of."""
        return Signature(self.return_type, (self.recvr, *self.args)) if self.is_method else self

    def as_type(self):
        """The type of functions that have it."""
        return FunctionType(self)

    def is_precise(self):
        """Are all its types such as values have?"""
        return all(t.is_precise() for t in (*self.args, self.return_type))

    def __repr__(self):
        return f"{self.args} -> {self.return_type!r}"

    def __eq__(self, other):
        return isinstance(other, Signature) and vars(other) == vars(self)

    def __hash__(self):
        return hash((self.return_type, self.args))

    def __reduce__(self):
        return (Signature, (self.return_type, self.args, self.recvr, self.pysig))


def signature(return_type, *args, recvr=None):
    """A :class:`Signature`."""
    return Signature(return_type, args, recvr)


class Number(Type):
    """Of arithmetic; ``bits`` is the size, ``dtype`` NumPy's type, ``kind`` its letter (of bfloat16, too, "f")."""

    def __init__(self, name, *of_numba, c=None):
        if c is None and (name not in NUMBERS or type(NUMBERS[name]) is not type(self)):
            raise ValueError(f"kernels have no {type(self).__name__} '{name}'; there is {', '.join(NUMBERS)}")
        self.name, self.c = name, c or NUMBERS[name].c
        self.dtype = numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
        self.bits = self.dtype.itemsize * 8
        self.kind = "f" if name == "bfloat16" else self.dtype.kind

    bitwidth = property(lambda self: self.bits)

    def cast_python_value(self, value):
        """The value in this type, as NumPy has it."""
        if self.name == "bfloat16" and isinstance(value, (str, bytes)):
            value = float(value)  # ml_dtypes ends the process
        return self.dtype.type(value)

    def __call__(self, *arguments):
        """With types: a signature, ``float32(float32, int64)``. With a value: that value in this type."""
        if all(isinstance(a, Type) for a in arguments):
            return super().__call__(*arguments)
        return self.cast_python_value(*arguments)

    def __lt__(self, other):
        """Of one kind: has it fewer bits?"""
        if type(other) is not type(self) or getattr(other, "signed", None) != getattr(self, "signed", None):
            return NotImplemented
        return self.bits < other.bits

    def __le__(self, other):
        return self == other or self.__lt__(other)


class Integer(Number):
    def __init__(self, name, *of_numba, c=None):
        super().__init__(name, c=c)
        self.signed = self.dtype.kind == "i"

    @classmethod
    def from_bitwidth(cls, bitwidth, signed=True):
        """The type of so many bits."""
        return cls(f"{'' if signed else 'u'}int{bitwidth}")

    minval = property(lambda self: int(numpy.iinfo(self.dtype).min), doc="The least value.")
    maxval = property(lambda self: int(numpy.iinfo(self.dtype).max), doc="The greatest value.")


class Float(Number):
    pass


class Complex(Number):
    @property
    def part(self):
        return float32 if self.bits == 64 else float64

    underlying_float = part


class Boolean(Number):
    def cast_python_value(self, value):
        return bool(value)


class NoneType(Type):
    name, c = "none", "void"


class GridGroup(Type):
    __doc__ = TypeDocstring("Type of ``cuda.cg.this_grid()``.", "Type of ``cuda.cg.this_grid()``: all threads of a launch.")

    name, c = "GridGroup", "::cooperative_groups::grid_group"


class Known(Type):
    """Of what is known while a kernel is compiled and has no value in it: a module, a function, a type, a text."""

    def __init__(self, obj):
        self.obj = obj
        text = str(getattr(obj, "__name__", obj))
        self.name = f"{type(obj).__name__}({text if len(text) <= 40 else text[:40] + '...'})"

    def __eq__(self, other):
        return isinstance(other, Known) and (other.obj is self.obj or (isinstance(self.obj, str) and other.obj == self.obj))

    def __hash__(self):
        return hash(self.obj) if isinstance(self.obj, str) else id(self.obj)


class Literal(Known):
    """Of a parameter that must be known while the function is compiled, such as a shape: numbers and tuples of them."""

    def __init__(self, obj):
        super().__init__(obj)
        self.name = f"Literal[{type(obj).__name__}]({obj})"

    literal_value = property(lambda self: self.obj)
    literal_type = property(lambda self: unicode_type if isinstance(self.obj, str) else of_dtype(type(self.obj)))

    def __reduce__(self):
        return (type(self), (self.obj,))

    def __eq__(self, other):
        return isinstance(other, Literal) and (other.obj, type(other.obj)) == (self.obj, type(self.obj))

    def __hash__(self):
        return hash(self.obj)


class StringLiteral(Literal):
    """Of a text that is known while a kernel is compiled."""


class IntegerLiteral(Literal):
    """Of an integer that is known while a kernel is compiled."""


class BooleanLiteral(Literal):
    """Of a bool that is known while a kernel is compiled."""


class UnicodeType(Type):
    """Of texts, which have no values in kernels but those known while it is compiled."""

    def __reduce__(self):
        return (UnicodeType, (self.name,))


class DType(Type):
    """Of a data type that is handed to a function."""

    def __init__(self, dtype):
        super().__init__(f"dtype({dtype})")
        self.dtype = dtype

    key = property(lambda self: self.dtype)

    def __reduce__(self):
        return (DType, (self.dtype,))


class Time(Type):
    """Of datetime64 and timedelta64: an integer of 64 bits that counts ``unit``, NumPy's word; "": of no unit."""

    c, bits = "long long", 64

    def __init__(self, unit=""):
        self.unit, self.unit_code = unit, UNITS[unit]
        self.dtype = numpy.dtype(f"{self.kind}8[{unit}]" if unit else f"{self.kind}8")
        self.name = f"{self.word}[{unit}]"

    def __reduce__(self):
        return (type(self), (self.unit,))


class NPDatetime(Time):
    kind, word = "M", "datetime64"


class NPTimedelta(Time):
    kind, word = "m", "timedelta64"


# As NumPy numbers them.
UNITS = {"Y": 0, "M": 1, "W": 2, "D": 4, "h": 5, "m": 6, "s": 7, "ms": 8, "us": 9, "ns": 10, "ps": 11, "fs": 12, "as": 13, "": 14}


RecordField = collections.namedtuple("RecordField", "type offset alignment title")


class Record(Type):
    """Of NumPy's structured types. A value is an address, so that ``r = a[i]`` sees the array's memory.

    ``aligned_at``: the power of two that its address is a multiple of; fields that want more are read byte by byte.
    """

    def __init__(self, dtype, aligned_at=None, readonly=False):
        self.dtype = numpy.dtype(dtype)
        self.size, self.bits = self.dtype.itemsize, self.dtype.itemsize * 8
        self.aligned, self.readonly = self.dtype.isalignedstruct, readonly
        whole = min(16, self.size & -self.size)
        self.aligned_at = whole if aligned_at is None else min(whole, aligned_at)
        fields = ",".join(f"{name}[type={_of_field(of)};offset={offset}]" for name, (of, offset, *_) in self.dtype.fields.items())
        note = ("" if self.aligned_at == whole else f";at {self.aligned_at}") + (";readonly" if readonly else "")
        self.name = f"Record({fields};{self.size};{self.aligned}{note})"
        self.c = f"record<{self.size}>*"

    memory = property(lambda self: self.c[:-1])
    mutable = property(lambda self: not self.readonly)
    members = property(lambda self: [(name, self.typeof(name)) for name in self.dtype.names])

    @property
    def fields(self):
        """Of each field's name its ``type``, ``offset``, ``alignment`` (None where fields lie anywhere) and ``title``."""
        titled = {name: (*field, None)[2] for name, field in self.dtype.fields.items()}
        return {name: RecordField(self.typeof(name), self.offset(name), self.alignof(name), titled[name]) for name in self.dtype.names}

    def __repr__(self):
        fields = ", ".join(
            f"({name!r}, {{'type': {of.type!r}, 'offset': {of.offset}, 'alignment': {of.alignment}, 'title': {of.title}, }})"
            for name, of in self.fields.items()
        )
        return f"Record([{fields}], {self.size}, {self.aligned})"

    def alignof(self, name):
        """What a field's offset is a multiple of, in an aligned record; else None."""
        return self.dtype.fields[name][0].alignment if self.aligned else None

    @staticmethod
    def make_c_struct(fields):
        """A record as C lays it out, of pairs (name, type)."""
        return Record(numpy.dtype([(name, type_.dtype) for name, type_ in fields], align=True))

    def typeof(self, name):
        """The type of a field."""
        return _of_field(self.dtype.fields[name][0])

    def offset(self, name):
        """Where a field begins, in bytes."""
        return self.dtype.fields[name][1]

    def alignment(self, offset):
        """The power of two that the address so many bytes behind the beginning is a multiple of."""
        return min(self.aligned_at, offset & -offset) if offset else self.aligned_at

    def __reduce__(self):
        return (Record, (self.dtype, self.aligned_at, self.readonly))


def _of_field(dtype):
    """What a record's name says of a field; for one that kernels have no type for, NumPy's name."""
    base, shape = dtype.subdtype or (dtype, ())
    try:
        found = of_dtype(base)
    except TypeError:
        found = base
    return NestedArray(found, shape) if shape and isinstance(found, Type) else f"nestedarray({found}, {shape})" if shape else found


class Array(Type):
    """Of arrays: layout "C", "F" or "A" (any), perhaps read-only; ``packed``: its numbers do not lie where their type wants them."""

    def __init__(self, dtype, ndim, layout, readonly=False, packed=False, *, name=None, aligned=True):
        if not isinstance(dtype, Type) or isinstance(dtype, Array):
            raise TypingError(f"the element type of an array must be a scalar type of numba.types, not {dtype!r}")
        if layout not in ("C", "F", "A"):
            raise TypingError(f"Invalid layout {layout!r}; it is 'C', 'F' or 'A'")
        packed = packed or not (aligned or isinstance(dtype, Record))
        self.dtype, self.ndim, self.layout, self.readonly, self.packed = dtype, ndim, layout, readonly, packed
        self.name = f"{'readonly ' if readonly else ''}{'' if self.aligned else 'unaligned '}array({dtype}, {ndim}d, {layout})"
        element = f"packed<{dtype.memory}>" if packed else dtype.memory
        self.c = f"array<{element}, {ndim}, {'true' if layout == 'C' else 'false'}>"

    def __reduce__(self):
        return (Array, (self.dtype, self.ndim, self.layout, self.readonly, self.packed))

    def __repr__(self):
        return f"Array({self.dtype!r}, {self.ndim}, {self.layout!r}, {self.readonly}, aligned={self.aligned})"

    def part(self, ndim, layout):
        """The type of a view of such an array."""
        return Array(self.dtype, ndim, layout, self.readonly, self.packed)

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        """The type with some of it changed."""
        dtype, readonly = self.dtype if dtype is None else dtype, self.readonly if readonly is None else readonly
        return Array(dtype, self.ndim if ndim is None else ndim, layout or self.layout, readonly, self.packed)

    key = property(lambda self: (self.dtype, self.ndim, self.layout, self.mutable, self.aligned))
    mutable = property(lambda self: not self.readonly)
    aligned = property(lambda self: not self.packed and getattr(self.dtype, "aligned", True))
    is_c_contig = property(lambda self: self.layout == "C" or (self.ndim <= 1 and self.layout == "F"))
    is_f_contig = property(lambda self: self.layout == "F" or (self.ndim <= 1 and self.layout == "C"))
    is_contig = property(lambda self: self.layout in ("C", "F"))


class FixedArray(Array):
    """Of an array whose shape is known now and whose memory the kernel has: shared and local ones."""

    def __init__(self, dtype, shape):
        super().__init__(dtype, len(shape), "C")
        self.shape = tuple(shape)
        self.name = f"array({dtype}, {'x'.join(map(str, shape))})"
        self.c = f"fixed_array<{', '.join([dtype.memory, *map(str, self.shape)])}>"

    def __reduce__(self):
        return (FixedArray, (self.dtype, self.shape))

    @property
    def loose(self):
        return Array(self.dtype, self.ndim, "C", self.readonly)


class NestedArray(Array):
    """Of an array that is a field of records."""

    def __init__(self, dtype, shape):
        super().__init__(dtype, len(shape), "C")
        self.shape = tuple(shape)
        self.name = f"nestedarray({dtype}, {self.shape})"

    def __repr__(self):
        return f"NestedArray({self.dtype!r}, {self.shape})"

    def __reduce__(self):
        return (NestedArray, (self.dtype, self.shape))


class Tuple(Type):
    def __init__(self, types):
        self.types = tuple(types)
        self.count = sum(t.count if isinstance(t, Tuple) else 1 for t in self.types)  # of what is no tuple
        self.name = f"UniTuple({self.types[0]} x {len(self.types)})" if self.is_uniform else f"Tuple({', '.join(map(str, self.types))})"
        self.c = f"tuple<{', '.join('bool' if isinstance(t, NoneType) else t.c for t in self.types)}>"

    key = property(lambda self: (self.types[0], len(self.types)) if self.is_uniform else self.types)

    def __repr__(self):
        return f"UniTuple({self.types[0]!r}, {len(self.types)})" if self.is_uniform else f"Tuple({self.types!r})"

    def __reduce__(self):
        return (Tuple, (self.types,))

    def __len__(self):
        return len(self.types)

    def __bool__(self):
        return True

    def __getitem__(self, i):
        return self.types[i]

    def __iter__(self):
        return iter(self.types)

    @property
    def is_uniform(self):
        """Are all its values of one type?"""
        return bool(self.types) and all(t == self.types[0] for t in self.types)

    @property
    def dtype(self):
        """The type of each value, where they have one in common. Raises AttributeError where they have not."""
        if not self.is_uniform:
            raise AttributeError(f"the values of {self} have no common type")
        return self.types[0]


class NamedTuple(Tuple):
    """Of a named tuple: ``instance_class``, and a type for each of its ``fields``."""

    def __init__(self, types, cls):
        super().__init__(types)
        self.instance_class, self.fields = cls, tuple(cls._fields)
        inner = f"{self.types[0]} x {len(self.types)}" if self.is_uniform else ", ".join(map(str, self.types))
        self.name = f"{cls.__name__}({inner})"

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, NamedTuple) and (other.instance_class, other.types) == (self.instance_class, self.types)

    def __hash__(self):
        return hash((self.instance_class, self.types))

    def __reduce__(self):
        return (NamedTuple, (self.types, self.instance_class))


class EnumMember(Type):
    """Of the members of an enumeration ``instance_class``, which are what their values are: of type ``dtype``."""

    def __init__(self, cls, dtype):
        self.instance_class, self.dtype = cls, dtype
        self.name, self.c = f"Enum<{dtype}>({cls.__name__})", dtype.c

    def __eq__(self, other):
        return isinstance(other, EnumMember) and (other.instance_class, other.dtype) == (self.instance_class, self.dtype)

    def __hash__(self):
        return hash((self.instance_class, self.dtype))

    def __reduce__(self):
        return (type(self), (self.instance_class, self.dtype))


class IntEnumMember(EnumMember):
    """Of an enumeration of integers; in kernels its members are integers."""

    def __init__(self, cls, dtype):
        super().__init__(cls, dtype)
        self.name = f"Int{self.name}"


class Unserved(Type):
    """Of what kernels have no values of: lists, dictionaries. Such types can be named and compared; a signature takes none."""

    def __init__(self, name, *parts, written=None):
        self.name, self.parts, self.written = name, parts, written

    def __repr__(self):
        return self.written or self.name

    def __reduce__(self):
        return (_unserved, (type(self), self.name, self.parts, self.written))


def _unserved(cls, name, parts, written):
    made = cls.__new__(cls)
    Unserved.__init__(made, name, *parts, written=written)
    return made


class ListOrSet(Unserved):
    """``reflected``: of one that a function is given."""

    def __init__(self, dtype, reflected=False):
        kind = f"{'reflected ' if reflected else ''}{self.of_what}({dtype}){'<iv=None>' if self.of_what == 'list' else ''}"
        super().__init__(kind, dtype, reflected, written=f"{type(self).__name__}({dtype!r}, {reflected})")

    dtype = property(lambda self: self.parts[0])
    reflected = property(lambda self: self.parts[1])


class List(ListOrSet):
    """Of lists."""

    of_what = "list"


class Set(ListOrSet):
    """Of sets."""

    of_what = "set"


class NumberClass(Unserved):
    """Of a type of numbers itself, such as ``numpy.float32``."""

    def __init__(self, instance_type):
        super().__init__(f"class({instance_type})", instance_type)

    dtype = instance_type = property(lambda self: self.parts[0])


class FunctionType(Unserved):
    """Of functions of one signature."""

    def __init__(self, signature):
        super().__init__(f"FunctionType[{signature.return_type}({', '.join(map(str, signature.args))})]", signature)

    signature = property(lambda self: self.parts[0])


def unserved_in(type_):
    """A type within this one that kernels have no values of; None where there is none."""
    if isinstance(type_, Unserved):
        return type_
    inner = type_.types if isinstance(type_, Tuple) else [type_.type] if isinstance(type_, Optional) else ()
    return next((found for t in inner if (found := unserved_in(t))), None)


class Vector(Type):
    """Of CUDA's vectors, ``float32x4``: up to four numbers of one type, ``x``, ``y``, ``z`` and ``w``."""

    def __init__(self, base, count, c):
        self.base, self.axes = base, "xyzw"[:count]
        self.name, self.c = f"{base}x{count}", c

    def __call__(self, *arguments):
        """With types: a signature, ``float32x4(float32x4)``. Vectors themselves are made in kernels only."""
        if arguments and all(isinstance(a, Type) for a in arguments):
            return Signature(self, arguments)
        raise RuntimeError(f"cuda.{self.name} makes a vector inside of a kernel only; call it from a function under @cuda.jit")


_KINDS = {Integer: "integers", Float: "floating-point numbers", Complex: "complex numbers", Boolean: "truth values"}
for _kind, _said in _KINDS.items():
    _kind.__doc__ = TypeDocstring(f"Types of {_said}.", f"Type of {_said} of {{type.bits}} bits: {{type}}.")
Vector.__doc__ = TypeDocstring(Vector.__doc__, "CUDA's vector of numbers of type {type.base}, with the fields {type.axes}: {type}.")
NoneType.__doc__ = TypeDocstring("Type of None.", "Type of None, and of what a function without a result returns.")

boolean = Boolean("bool", c="bool")
int8, int16 = Integer("int8", c="signed char"), Integer("int16", c="short")
int32, int64 = Integer("int32", c="int"), Integer("int64", c="long long")
uint8, uint16 = Integer("uint8", c="unsigned char"), Integer("uint16", c="unsigned short")
uint32, uint64 = Integer("uint32", c="unsigned int"), Integer("uint64", c="unsigned long long")
float16, float32, float64 = Float("float16", c="op::float16"), Float("float32", c="float"), Float("float64", c="double")
bfloat16 = Float("bfloat16", c="op::bfloat16")
complex64, complex128 = Complex("complex64", c="complex<float>"), Complex("complex128", c="complex<double>")
none = NoneType()
unicode_type = UnicodeType("unicode_type")
grid_group = GridGroup()
intp, uintp = int64, uint64

NUMBERS = {
    t.name: t
    for t in (
        *(boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
        *(float16, bfloat16, float32, float64, complex64, complex128),
    )
}
HALVES = (float16, bfloat16)  # whose C++ types are classes
# How CUDA calls vectors; the first name is the one in the text.
_VECTOR_NAMES = {
    "int8": ("char",), "int16": ("short",), "int32": ("int",), "int64": ("longlong", "long"),
    "uint8": ("uchar",), "uint16": ("ushort",), "uint32": ("uint",), "uint64": ("ulonglong", "ulong"),
    "float32": ("float",), "float64": ("double",),
}  # fmt: skip
VECTORS = {f"{base}x{n}": Vector(NUMBERS[base], n, f"{names[0]}{n}") for base, names in _VECTOR_NAMES.items() for n in (1, 2, 3, 4)}
VECTOR_ALIASES = {f"{name}{n}": f"{base}x{n}" for base, names in _VECTOR_NAMES.items() for name in names for n in (1, 2, 3, 4)}


_OTHERS = {t.name: t for t in (none, grid_group)}


class Optional(Type):
    """Of what may be None. A kernel that has such a parameter is compiled for either."""

    def __init__(self, type):
        self.type = type
        self.name, self.c = f"OptionalType({type})", f"perhaps<{type.c}>"

    key = property(lambda self: self.type)

    def __reduce__(self):
        return (Optional, (self.type,))


def of_name(name):
    return _OTHERS.get(name) or NUMBERS.get(name) or VECTORS[name]


def of_dtype(dtype):
    """The type of NumPy's ``dtype``. Raises TypeError for one that kernels do not have."""
    return _of_dtype(dtype, isinstance(dtype, numpy.dtype) and dtype.isalignedstruct)  # types that `==` finds equal


@functools.cache
def _of_dtype(dtype, aligned):
    dtype = bfloat16.dtype if dtype == "bfloat16" else numpy.dtype(dtype)
    if dtype.names:
        return Record(dtype)
    if dtype.kind in "mM" and dtype.isnative:
        unit, count = numpy.datetime_data(dtype)
        if count != 1:
            raise TypeError(f"kernels count times in whole units, and {dtype} has {count}; convert with astype()")
        return (NPDatetime if dtype.kind == "M" else NPTimedelta)("" if unit == "generic" else unit)
    found = NUMBERS.get(dtype.name)
    if found is None or not dtype.isnative:
        raise TypeError(f"kernels do not support values of type {dtype}; convert to one of: {', '.join(NUMBERS)}")
    return found


def unified(a, b):
    """The type of a variable that is given values of both types; None where there is none."""
    if a == b:
        return a
    if isinstance(a, Number) and isinstance(b, Number):
        return _unified_numbers(a, b)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.types) == len(b.types):
        parts = [either(x, y) for x, y in zip(a.types, b.types, strict=True)]
        if None in parts:
            return None
        is_named = isinstance(a, NamedTuple) and isinstance(b, NamedTuple) and a.instance_class is b.instance_class
        return NamedTuple(parts, a.instance_class) if is_named else Tuple(parts)
    if isinstance(a, Array) and isinstance(b, Array) and (a.dtype, a.ndim, a.packed) == (b.dtype, b.ndim, b.packed):
        return Array(a.dtype, a.ndim, a.layout if a.layout == b.layout else "A", a.readonly or b.readonly, a.packed)
    if isinstance(a, Time) and type(a) is type(b):
        return _unified_times(a, b)
    if isinstance(a, Record) and isinstance(b, Record) and a.dtype == b.dtype:
        return Record(a.dtype, min(a.aligned_at, b.aligned_at), a.readonly or b.readonly)
    return None


def either(a, b, unify=unified):
    """The same where either may be None."""
    inner = [t.type if isinstance(t, Optional) else t for t in (a, b) if not isinstance(t, NoneType)]
    if not inner:
        return none
    to = unify(inner[0], inner[-1]) if len(inner) > 1 else inner[0]
    if to is None or isinstance(to, Known):
        return to if len(inner) > 1 and to == inner[0] == inner[1] else None
    may_be_none = len(inner) < 2 or isinstance(a, Optional) or isinstance(b, Optional)
    return Optional(to.loose if isinstance(to, FixedArray) else to) if may_be_none else to


def _unified_times(a, b):
    try:
        return of_dtype(numpy.promote_types(a.dtype, b.dtype))
    except TypeError:  # years or months as so many days
        return None


def _unified_numbers(a, b):
    if isinstance(a, Boolean) or isinstance(b, Boolean):
        return b if isinstance(a, Boolean) else a
    if isinstance(a, Integer) and isinstance(b, Integer):
        if a.signed == b.signed:
            return a if a.bits >= b.bits else b
        signed, natural = (a, b) if a.signed else (b, a)
        if signed.bits > natural.bits:
            return signed
        return {8: int16, 16: int32, 32: int64, 64: float64}[natural.bits]
    return common_real(a, b)


def common_real(a, b):
    """The smallest type with fractions that holds both, as Numba and NumPy have it."""
    if bfloat16 in (a, b):
        other = b if a == bfloat16 else a
        if isinstance(other, (Integer, Boolean)):
            return {8: bfloat16, 16: float32}.get(other.bits, float64)
        return float32 if other == float16 else other
    return of_dtype(numpy.promote_types(a.dtype, b.dtype))
