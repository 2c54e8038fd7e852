"""Numba's classes of types, for isinstance() in functions of types: `types.Integer`, `types.Sequence`, `types.Callable`...

Types are of the classes in quern/kernel/types.py, which sort them as kernels do. Each class here says which of them Numba counts to it, and
makes what is called by its name. Those of lists, dictionaries and whatever else kernels have no values of are at the end.
"""

from quern.kernel import types
from quern.kernel.linked import CPointer as _CPointer


class _Class(type):
    """Of a class that others' instances are instances of: ``holds(type)`` decides, ``made`` makes one."""

    def __new__(cls, name, bases, members, holds=None, made=None):
        return super().__new__(cls, name, bases, members)

    def __init__(cls, name, bases, members, holds=None, made=None):
        super().__init__(name, bases, members)
        cls._holds, cls._made = staticmethod(holds), made

    def __instancecheck__(cls, value):
        return isinstance(value, types.Type) and bool(cls._holds(value))

    def __call__(cls, *args, **kwargs):
        if cls._made is None:
            raise TypeError(f"[types.{cls.__name__}] this class cannot be instantiated; use it with isinstance()")
        return cls._made(*args, **kwargs)

    def __getattr__(cls, name):
        if name.startswith("__") or cls._made is None:
            raise AttributeError(f"types.{cls.__name__} has no attribute '{name}'")
        return getattr(cls._made, name)


def _named(function, name):
    """Give a lambda the name of the class that calls it: Python's errors of wrong calls show it."""
    if getattr(function, "__name__", "") == "<lambda>":
        function.__qualname__ = name


def _class(name, doc, holds, made=None):
    _named(made, name)
    return _Class(name, (), {"__doc__": doc, "__module__": __name__}, holds=holds, made=made)


def _is(*classes):
    return lambda t: isinstance(t, classes)


def _known(t, kinds):
    return isinstance(t, types.Known) and not isinstance(t, types.Literal) and kinds(t.obj)


def _is_tuple(t, named=None, uniform=None):
    is_named = isinstance(t, types.NamedTuple)
    return isinstance(t, types.Tuple) and named in (None, is_named) and uniform in (None, t.is_uniform)


def _uniform(base):
    return lambda dtype, count, *of: base([dtype] * count, *of)


def _is_uniform(t):
    return _is_tuple(t, uniform=True)


def _is_written_in_python(obj):
    return callable(getattr(obj, "py_func", None))


Number = _class(
    "Number",
    "Of numbers; bool is none.",
    lambda t: isinstance(t, (types.Number, types.IntegerLiteral)) and not isinstance(t, types.Boolean),
)
Integer = _class("Integer", "Of integers, known ones too.", _is(types.Integer, types.IntegerLiteral), types.Integer)
Float = _class("Float", "Of real numbers.", _is(types.Float), types.Float)
Complex = _class("Complex", "Of complex numbers.", _is(types.Complex), types.Complex)
Boolean = _class("Boolean", "Of bool, known ones too.", _is(types.Boolean, types.BooleanLiteral), types.Boolean)
Tuple = _class("Tuple", "Of tuples whose values differ in type, and of the empty one.", lambda t: _is_tuple(t, False, False), types.Tuple)
UniTuple = _class("UniTuple", "Of tuples of one type.", lambda t: _is_tuple(t, False, True), _uniform(types.Tuple))
NamedTuple = _class("NamedTuple", "Of named tuples whose values differ in type.", lambda t: _is_tuple(t, True, False), types.NamedTuple)
NamedUniTuple = _class("NamedUniTuple", "Of named tuples of one type.", lambda t: _is_tuple(t, True, True), _uniform(types.NamedTuple))
BaseTuple = _class("BaseTuple", "Of all tuples.", _is_tuple)
BaseAnonymousTuple = _class("BaseAnonymousTuple", "Of tuples without names.", lambda t: _is_tuple(t, False))
BaseNamedTuple = _class("BaseNamedTuple", "Of named tuples.", lambda t: _is_tuple(t, True))
Sequence = _class("Sequence", "Of what is indexed and of one type.", lambda t: _is_uniform(t) or isinstance(t, types.List))
MutableSequence = _class("MutableSequence", "Of lists.", lambda t: isinstance(t, types.List))
Container = _class("Container", "Of what holds values of one type.", lambda t: _is_uniform(t) or isinstance(t, types.ListOrSet))
ConstSized = _class("ConstSized", "Of what has a length that its type knows.", _is_tuple)
Sized = _class("Sized", "Of what has a length: tuples, lists, sets.", _is(types.Tuple, types.ListOrSet))
Iterable = _class("Iterable", "Of tuples.", _is_tuple)
IterableType = _class(
    "IterableType",
    "Of what is looped over and has one type for each value.",
    lambda t: _is_uniform(t) or isinstance(t, (types.Array, types.UnicodeType, types.ListOrSet, ListType, DictType)),
)
Buffer = _class("Buffer", "Of arrays.", _is(types.Array))
ArrayCompatible = _class("ArrayCompatible", "Of arrays.", _is(types.Array))
Hashable = _class(
    "Hashable",
    "Of numbers, tuples and texts.",
    _is(types.Number, types.Tuple, types.UnicodeType, types.IntegerLiteral, types.BooleanLiteral),
)
DTypeSpec = _class("DTypeSpec", "Of data types that are handed to a function.", _is(types.DType, types.NumberClass))
RawPointer = _class("RawPointer", "Of addresses of no type.", lambda t: isinstance(t, _CPointer) and isinstance(t.dtype, types.NoneType))
CPointer = _class("CPointer", "Of the address of values of one type.", _is(_CPointer), _CPointer)
Opaque = _class(
    "Opaque",
    "Of what has no parts: None, addresses.",
    lambda t: isinstance(t, (types.NoneType, types.DType, types.NumberClass, RawPointer, Omitted)),
)
Dummy = _class("Dummy", "Of what has no values.", lambda t: isinstance(t, (Opaque, types.StringLiteral)))
Callable = _class("Callable", "Of functions.", lambda t: isinstance(t, types.NumberClass) or _known(t, callable))
Function = _class("Function", "Of functions that kernels know.", lambda t: _known(t, callable) and not isinstance(t, Dispatcher))
BaseFunction = _class("BaseFunction", "Of functions that kernels know.", lambda t: isinstance(t, Function))
Dispatcher = _class("Dispatcher", "Of functions that jit made.", lambda t: _known(t, _is_written_in_python))
Module = _class("Module", "Of modules.", lambda t: _known(t, lambda m: type(m).__name__ == "module"))


def _unserved(name, doc, spelt, written=None):
    """A class of types that kernels have no values of: ``spelt(parts)`` is its name."""
    _named(spelt, name)

    def __init__(self, *parts, **named):  # noqa: N807
        parts += tuple(named.values())
        types.Unserved.__init__(self, spelt(*parts), *parts, written=written and written(*parts))

    return type(name, (types.Unserved,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})


ListType = _unserved("ListType", "Of numba.typed.List.", lambda of: f"ListType[{of}]", lambda of: f"ListType({of!r})")
DictType = _unserved("DictType", "Of numba.typed.Dict.", lambda k, v: f"DictType[{k},{v}]<iv=None>", lambda k, v: f"DictType({k!r}, {v!r})")
Omitted = _unserved("Omitted", "Of an argument that is left out; its default is ``value``.", "omitted(default={})".format)
TypeRef = _unserved("TypeRef", "Of a type that is handed to a function.", "typeref[{}]".format)
Bytes = _unserved("Bytes", "Of bytes.", lambda of, ndim, layout: f"bytes({of}, {ndim}d, {layout})")
CharSeq = _unserved("CharSeq", "Of bytes of a length.", "[char x {}]".format)
UnicodeCharSeq = _unserved("UnicodeCharSeq", "Of a text of a length.", "[unichr x {}]".format, "UnicodeCharSeq({})".format)
SliceType = _unserved("SliceType", "Of slices.", lambda name, members: name)
PyObject = _unserved("PyObject", "Of Python's objects.", lambda name: str(name))
Omitted.value = property(lambda self: self.parts[0])
ListType.dtype = ListType.item_type = property(lambda self: self.parts[0])
DictType.key_type, DictType.value_type = (property(lambda self, i=i: self.parts[i]) for i in (0, 1))
pyobject = PyObject("pyobject")
slice2_type, slice3_type = SliceType("slice<a:b>", 2), SliceType("slice<a:b:c>", 3)
ellipsis, undefined, unknown = (types.Unserved(name) for name in ("...", "undefined", "unknown"))
Any = types.Unserved("any")
List, Set, FunctionType, NumberClass, NestedArray = types.List, types.Set, types.FunctionType, types.NumberClass, types.NestedArray

__all__ = [name for name, value in vars().items() if isinstance(value, (_Class, type, types.Type)) and not name.startswith("_")]
