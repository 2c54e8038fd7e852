"""Signatures, as objects and as text: ``"void(float32[:], int32)"``; the type of a host value."""

from __future__ import annotations

import ast
import enum

import numpy

from quern.kernel import types
from quern.kernel.errors import TypingError
from quern.kernel.linked import CPointer
from quern.kernel.number_names import ALIASES
from quern.kernel.types import Signature
from quern.lib import _engine


def named(name):
    """The type of a name such as ``float32``, ``f4``, ``void``; None for a name that is none."""
    if name in ("void", "none"):
        return types.none
    return types.NUMBERS.get(ALIASES.get(name, name)) or types.VECTORS.get(types.VECTOR_ALIASES.get(name, name))


def parsed(given):
    """A Signature from what ``@jit(...)`` takes: a Signature, text, or a tuple of types (what is returned is then not said: None).

    Raises TypeError for what is no signature, TypingError for types that kernels have no values of.
    """
    made = _parsed(given)
    for type_ in (*made.args, made.return_type):
        wrong = type_ is not None and types.unserved_in(type_)
        if wrong:
            raise TypingError(f"[signature] kernels do not support values of type {wrong}; pass arrays, numbers and tuples of them")
    return made


def _parsed(given):
    if isinstance(given, Signature):
        return given
    if isinstance(given, (tuple, list)):
        return Signature(None, [as_type(a) for a in given])
    if not isinstance(given, str):
        raise TypeError(f"[signature] {given!r} is not a signature; write it as 'void(float32[:], int32)'")
    try:
        tree = ast.parse(given.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise TypeError(f"[signature] {given!r} is not a signature; write it as 'void(float32[:], int32)'") from None
    if isinstance(tree, ast.Call):
        if tree.keywords:
            raise TypeError(f"[signature] {given!r} is not a signature; write it as 'void(float32[:], int32)'")
        return Signature(_of_node(tree.func, given), [_of_node(a, given) for a in tree.args])
    if isinstance(tree, ast.Tuple):
        return Signature(None, [_of_node(a, given) for a in tree.elts])
    return Signature(None, [_of_node(tree, given)])


def as_type(given):
    """A type, from a type, its text or NumPy's dtype. Raises TypeError for another."""
    if isinstance(given, types.Type):
        return given
    if isinstance(given, str):
        try:
            return _of_node(ast.parse(given.strip(), mode="eval").body, given)
        except (SyntaxError, ValueError):
            raise TypeError(f"[signature] {given!r} is not a type") from None
    if given is None:
        return types.none
    try:
        return types.of_dtype(given)
    except TypeError as e:
        raise TypeError(f"[signature] {given!r} is not a type: {e}") from None


def _of_node(node, text):
    if isinstance(node, ast.Attribute):
        node = ast.Name(node.attr)
    if isinstance(node, ast.Name):
        found = named(node.id)
        if found is None:
            raise TypeError(f"[signature] unknown type '{node.id}' in {text!r}")
        return found
    if isinstance(node, ast.Constant) and node.value is None:
        return types.none
    if isinstance(node, ast.Subscript):
        element = _of_node(node.value, text)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        whole = all(isinstance(p, ast.Slice) and p.lower is None and p.upper is None for p in parts)
        if isinstance(element, (types.Number, types.Time)) and whole:
            steps = [1 if isinstance(p.step, ast.Constant) and p.step.value == 1 else p.step for p in parts]
            if all(step in (None, 1) for step in steps):
                return element[tuple(slice(None, None, step) for step in steps)]
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in ("optional", "Optional") and len(node.args) == 1:
            return types.Optional(_of_node(node.args[0], text))
        values = [a.value if isinstance(a, ast.Constant) else None for a in node.args]
        if name in ("NPDatetime", "NPTimedelta") and len(values) == 1 and values[0] in types.UNITS:
            return getattr(types, name)(values[0])
        if name == "UniTuple" and len(node.args) == 2 and type(values[1]) is int and values[1] >= 0:
            return types.Tuple([_of_node(node.args[0], text)] * values[1])
        if name == "Tuple" and len(node.args) == 1 and isinstance(node.args[0], (ast.Tuple, ast.List)):
            return types.Tuple(_of_node(a, text) for a in node.args[0].elts)
        if name == "CPointer" and len(node.args) == 1:
            return CPointer(_of_node(node.args[0], text))
        if (
            name in ("Array", "array")
            and len(node.args) == 3
            and type(values[1]) is int
            and values[1] >= 0
            and values[2] in ("C", "F", "A")
        ):
            return types.Array(_of_node(node.args[0], text), values[1], values[2])
    raise TypeError(f"[signature] {ast.unparse(node)!r} is not a type, in {text!r}")


class NoType(TypeError, ValueError):
    """Of a host value that kernels do not take: a TypeError, as launches raise, and a ValueError, as Numba's typeof does."""


def argument_type(value):
    """The type of a host value, as a kernel that is given it sees it. Raises NoType for what kernels do not take."""
    try:
        return of_description(_engine.argument_types(value)[0])
    except TypeError as e:
        raise NoType(f"Cannot determine Numba type of {type(value)}: {str(e).removeprefix('[launch] argument 1 is ')}") from None


def typeof(value):
    """Return the type that a value of the host has in kernels.

    Strings, NumPy's dtypes, number types, members of enumerations, lists and sets have types, too.

    Parameters
    ----------
    value : object
        Value.

    Returns
    -------
    Type
        Type; a value that kernels do not accept raises NoType, which is a TypeError and a ValueError.

    Examples
    --------
    >>> import numpy
    >>> from quern import numba
    >>> numba.typeof(numpy.ones((2, 3), numpy.float32))
    Array(float32, 2, 'C', False, aligned=True)
    """
    if isinstance(value, str):
        return types.unicode_type
    if isinstance(value, numpy.dtype):
        return types.DType(types.of_dtype(value))
    if isinstance(value, types.Number) or (isinstance(value, type) and issubclass(value, numpy.generic)):
        return types.NumberClass(value if isinstance(value, types.Number) else types.of_dtype(value))
    if isinstance(value, enum.IntEnum):
        return types.IntEnumMember(type(value), types.int64)
    if isinstance(value, (list, set)) and value:
        return (types.List if isinstance(value, list) else types.Set)(typeof(next(iter(value))), reflected=True)
    return argument_type(value)


def of_description(described):
    """The type, from how the engine says it: ("int64",), ("float32", 2, "C", False), None, a list of these for a tuple, (class, list) for
    a named one.

    Of records, NumPy's dtype is in place of the name. A last part is what elements are aligned at, where their type wants more.
    """
    if described is None:
        return types.none
    if isinstance(described, list):
        return types.Tuple(of_description(d) for d in described)
    if isinstance(described[0], type) and issubclass(described[0], enum.Enum):
        return types.EnumMember(described[0], of_members(described[0]) or of_description(described[1]))
    if isinstance(described[0], type):
        return types.NamedTuple([of_description(d) for d in described[1]], described[0])
    dtype = types.of_dtype(described[0])
    if len(described) == 1:
        return dtype
    if len(described) == 2:
        return types.Record(dtype.dtype, described[1])
    if len(described) == 5 and isinstance(dtype, types.Record):
        return types.Array(types.Record(dtype.dtype, described[4]), *described[1:4])
    return types.Array(dtype, *described[1:4], packed=len(described) == 5)


def of_members(cls):
    """The type that the values of an enumeration's members have; None where they are no numbers."""
    found = None
    for member in cls:
        if type(member.value) not in (bool, int, float, complex):
            return None
        of = argument_type(member.value)
        found = of if found is None else types.unified(found, of)
    return found


def listed(given):
    """Types as declarations have them, for reports: ``float32[:], int64``."""
    return ", ".join(f"{t.dtype}[{', '.join(':' * t.ndim)}]" if isinstance(t, types.Array) else str(t) for t in given)
