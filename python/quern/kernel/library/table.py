"""The table of what kernels may call, by object: ``math.sin``, ``len``, ``cuda.syncthreads``."""

from __future__ import annotations

import ast
import difflib
import enum
import types as python_types

import numpy

from quern.kernel import overloads, types
from quern.kernel.errors import DEBUGGER, MissingAttribute, TypingError
from quern.kernel.library.elementwise import is_of_arrays, over_arrays
from quern.kernel.library.ufunc_loops import in_its_loop
from quern.kernel.linked import DeclaredFunction, pointer_to
from quern.kernel.value import MISSING, Value, cast, known

_calls = {}  # id -> (object, function, how many arguments it takes)
_attributes = {}  # id of an object -> {name: function()}
_methods = {}  # (class of type, name) -> function(compiler, owner, node)
_freezers = []


def entry(*objects, takes=None):
    """Decorates ``f(compiler, arguments, named, node) -> Value``, which compiles a call of each of the objects.

    ``takes``: how many arguments, none of them named: a number, or the least and the most (None: any); None: f looks itself.
    """

    def enter(f):
        for obj in objects:
            _calls[id(obj)] = (obj, f, (takes, takes) if isinstance(takes, int) else takes)
        return f

    return enter


def rows(obj, *signatures, integer=""):
    """A function by its overloads, tried in order: ``("float32(float32)", "sinf({0})")``.

    The one that its arguments reach with the least conversion is taken. ``integer``: what its first argument is that must be one.
    """
    overloads = [_parsed(s, text) for s, text in signatures]
    takes = [parameters for parameters, _, _ in overloads]

    @entry(obj)
    def compile_call(compiler, arguments, named, node):
        if integer and arguments and not isinstance(arguments[0].type, (types.Integer, types.Boolean)):
            raise compiler.error(TypingError, node, f"{integer} must be an integer, not {arguments[0].type}")
        which, texts = chosen(compiler, obj, takes, arguments, named, node)
        _, result, text = overloads[which]
        return Value(result, text.format(*texts), natural=isinstance(result, types.Integer) and not result.signed)


def chosen(compiler, obj, takes, arguments, named, node):
    """Which of the lists of types the arguments reach with the least conversion, and their texts as these types."""
    if named:
        raise compiler.error(TypingError, node, f"{_name(obj)} takes no keyword arguments in a kernel")
    best, least = None, None
    for i, parameters in enumerate(takes):
        if len(parameters) == len(arguments):
            costs = [_cost(a.type, p) for a, p in zip(arguments, parameters, strict=True)]
            if None not in costs and (least is None or sum(costs) < least):
                best, least = i, sum(costs)
    if best is None:
        listed = " or ".join(f"({', '.join(map(str, t))})" for t in takes)
        raise compiler.error(TypingError, node, f"{_name(obj)} does not take {_listed(arguments)}", f"it takes {listed}")
    return best, [cast(a, p).text for a, p in zip(arguments, takes[best], strict=True)]


def _parsed(signature, text):
    result, _, parameters = signature.partition("(")
    names = [p.strip() for p in parameters.rstrip(")").split(",") if p.strip()]
    return tuple(types.of_name(n) for n in names), types.of_name(result.strip()), text


def _cost(given, wanted):
    """How far a type is from a parameter's: 0 for the same; None where a value does not go in without losing its fraction."""
    if not isinstance(given, types.Number) or not isinstance(wanted, types.Number):
        return None
    if given == wanted:
        return 0
    if isinstance(given, types.Boolean):
        return 1
    if isinstance(wanted, types.Boolean):
        return 2 if isinstance(given, types.Integer) else None
    if isinstance(wanted, types.Integer):
        if not isinstance(given, types.Integer):
            return None
        return (1 if given.bits < wanted.bits else 8 if given.bits > wanted.bits else 2) + (given.signed != wanted.signed)
    if isinstance(wanted, types.Float):
        if isinstance(given, types.Integer):
            return 4 if wanted.bits == 64 or given.bits < wanted.bits else 9
        if isinstance(given, types.Float):
            return 1 if given.bits < wanted.bits else 12
        return None
    if isinstance(given, types.Complex) and given.bits > wanted.bits:
        return 12
    return 5


def attributes_of(obj, **made):
    """Attributes of an object that are values in a kernel: ``x=("int32", "text")``."""
    _attributes[id(obj)] = {name: (types.of_name(t), text) for name, (t, text) in made.items()}


def method(kind, *names):
    """Decorates ``f(compiler, owner, node)``: an attribute of values of the type class ``kind``."""

    def enter(f):
        for name in names:
            _methods[kind, name] = f
        return f

    return enter


def freezer(f):
    """Decorates ``f(object)``: the value that a global object has in a kernel, or None."""
    _freezers.append(f)
    return f


def frozen(obj):
    for f in _freezers:
        made = f(obj)
        if made is not None:
            return made
    return None


def attribute(compiler, owner, name, node):
    """The Value of ``owner.name``; None where there is none."""
    if isinstance(owner.type, types.Known):
        made = _attributes.get(id(owner.const), {}).get(name)
        if made is not None:
            return Value(made[0], made[1], natural=True)
        if not hasattr(owner.const, name):
            if isinstance(owner.const, python_types.ModuleType):
                near = difflib.get_close_matches(name, dir(owner.const), 1)
                hint = f"did you mean '{near[0]}'?" if near else ""
                kind = TypingError if compiler.program.kernel.is_kernel else MissingAttribute
                raise compiler.error(kind, node, f"module '{owner.const.__name__}' has no '{name}'", hint)
            return None
        return compiler.of_object(getattr(owner.const, name), node)
    for kind in type(owner.type).__mro__:
        found = _methods.get((kind, name))
        if found is not None:
            return found(compiler, owner, node)
    added = overloads.member_of(owner, name)
    return None if added is None else _added_member(compiler, owner, name, added, node)


def call(compiler, function, arguments, named, node):
    """The Value of a call."""
    if function.bound is not None:
        return function.const(compiler, function.bound, arguments, named, node)
    obj = function.const if isinstance(function.type, types.Known) else None
    if obj is None:
        raise compiler.error(TypingError, node, f"{function.type} cannot be called")
    if overloads.is_overloaded(obj):
        chosen_one = overloads.function_for(obj, arguments, named)
        if chosen_one is not None:
            return compiler.call_function(chosen_one, arguments, named, node)
        if id(obj) not in _calls:
            raise compiler.error(TypingError, node, f"no overload of {_name(obj)} takes {_listed(arguments)}")
    if id(obj) in _calls and obj is not isinstance and obj is not print:  # these two get None as it is
        arguments = [compiler.present(a, node) for a in arguments]
    if id(obj) in _calls:
        _, compile_call, takes = _calls[id(obj)]
        if isinstance(obj, numpy.ufunc):
            compile_call = in_its_loop(obj, compile_call)
            if is_of_arrays(arguments, named):
                return over_arrays(compiler, obj, compile_call, arguments, named, node)
        if takes is not None:
            _check_count(compiler, obj, takes, arguments, named, node)
        return compile_call(compiler, arguments, named, node)
    if isinstance(obj, DeclaredFunction):
        return obj.compile_call(compiler, arguments, named, node)
    if isinstance(obj, types.Number):
        return _conversion(compiler, obj, arguments, named, node)
    if isinstance(obj, enum.EnumMeta):
        return _member(compiler, obj, arguments, named, node)
    if isinstance(obj, type) and issubclass(obj, tuple) and hasattr(obj, "_fields"):
        return _named_tuple(compiler, obj, arguments, named, node)
    if obj is numpy.dtype and len(arguments) == 1 and not named and arguments[0].foreseen is not MISSING:
        return compiler.of_object(numpy.dtype(arguments[0].foreseen), node)
    numpy_type = _number_type(obj)
    if numpy_type is not None:
        return _conversion(compiler, numpy_type, arguments, named, node)
    if getattr(obj, "__qualname__", "").endswith("FFI.from_buffer") and len(arguments) == 1:  # of cffi, which need not be there
        return pointer_to(compiler, arguments[0], node)
    callee = getattr(obj, "py_func", obj)
    is_numpys = _name(obj).startswith("numpy.") and not isinstance(obj, type)
    if isinstance(callee, python_types.FunctionType) and not (callee is obj and (is_own(callee) or is_numpys)):
        compiler.program.link(getattr(obj, "links", ()))
        settings = obj.settings(compiler.settings) if hasattr(obj, "settings") else None
        return compiler.call_function(callee, arguments, named, node, getattr(obj, "declared", ()), settings)
    hint = _instead_of_numpys(compiler, _name(obj), node) if is_numpys else ""
    if obj is breakpoint or _name(obj).endswith(".set_trace"):
        hint = DEBUGGER
    where = "a kernel" if compiler.program.kernel.is_kernel else "a compiled function"
    raise compiler.error(TypingError, node, f"{_name(obj).replace('.RandomState.', '.')} cannot be called in {where}", hint)


_MAKERS = ("array", "empty", "zeros", "ones", "full", "arange", "linspace", "empty_like", "zeros_like", "ones_like", "full_like")


def _instead_of_numpys(compiler, name, node):
    """What to write in place of a function of NumPy's that kernels, or compiled functions of the host, do not have."""
    is_kernel, last = compiler.program.kernel.is_kernel, name.rpartition(".")[2]
    if name.startswith("numpy.random."):
        return "pass random numbers in as an array" + ", or use numba.cuda.random" * (is_kernel and compiler.offers_local_arrays)
    if not is_kernel:
        does = "they make no arrays: make it outside and pass it in" if last in _MAKERS else "write a loop, or call it outside"
        return f"compiled functions have loops, numbers, and elements of arrays; {does}"
    if last in _MAKERS and compiler.offers_local_arrays:
        size = ast.unparse(node.args[0]) if last in ("empty", "zeros", "ones", "full") and node.args else "shape"
        return f"write cuda.local.array({size}, dtype), which begins without values, or pass an array in"
    return "a kernel works on one element at a time: write a loop"


def _added_member(compiler, owner, name, added, node):
    is_method, choosers = added

    def call_method(compiler, owner, arguments, named, node):
        function = overloads.first_of(choosers, [owner, *arguments], named)
        if function is None:
            raise compiler.error(TypingError, node, f"no overload of {owner.type}.{name} takes {_listed(arguments)}")
        return compiler.call_function(function, [owner, *arguments], named, node)

    return bound(call_method, owner) if is_method else call_method(compiler, owner, [], {}, node)


def _listed(arguments):
    return f"({', '.join(str(a.type) for a in arguments)})"


def _check_count(compiler, obj, takes, arguments, named, node):
    least, most = takes
    if named:
        raise compiler.error(TypingError, node, f"{_name(obj)} takes no keyword arguments in a kernel")
    if len(arguments) < least or (most is not None and len(arguments) > most):
        wanted = f"{least or 'no'} argument{'s' * (least != 1)}" if least == most else f"{least} to {most} arguments"
        wanted = f"at least {least} arguments" if most is None else wanted
        raise compiler.error(TypingError, node, f"{_name(obj)} takes {wanted} in a kernel, not {len(arguments)}")


def is_own(function):
    """Is it a function of quern's?"""
    return (function.__module__ or "").partition(".")[0] == "quern"


def _number_type(obj):
    if isinstance(obj, type) and issubclass(obj, numpy.generic):
        try:
            return types.of_dtype(obj)
        except TypeError:
            return None
    return None


def _conversion(compiler, to, arguments, named, node):
    if len(arguments) != 1 or named:
        raise compiler.error(TypingError, node, f"{to}() takes one number")
    text = arguments[0].foreseen
    if isinstance(text, str) and isinstance(to, types.Float):  # np.float32("nan")
        arguments = [_calls[id(float)][1](compiler, arguments, {}, node)]
    if isinstance(arguments[0].type, types.NPTimedelta) and isinstance(to, (types.Integer, types.Float)):
        return cast(Value(types.int64, arguments[0].text), to)
    value = compiler.number(arguments[0], node)
    if isinstance(value.type, types.Complex) and to is types.boolean:
        return Value(to, f"({value.text} != {value.type.c}(0))")
    if isinstance(value.type, types.Complex) and not isinstance(to, types.Complex):
        raise compiler.error(TypingError, node, f"{value.type} does not convert to {to}", "take its .real")
    return cast(value, to)


def _named_tuple(compiler, cls, arguments, named, node):
    given = {**dict(zip(cls._fields, arguments, strict=False)), **named}
    for name, default in cls._field_defaults.items():
        if name not in given:
            given[name] = compiler.of_object(default, node)
    if given.keys() != set(cls._fields) or len(arguments) > len(cls._fields):
        raise compiler.error(TypingError, node, f"{cls.__name__} takes {', '.join(cls._fields)}")
    return compiler.tuple_of([given[name] for name in cls._fields], cls=cls)


def _member(compiler, cls, arguments, named, node):
    """``Color(1)``; a value that is not known at compile time is not checked."""
    if len(arguments) != 1 or named:
        raise compiler.error(TypingError, node, f"{cls.__name__} takes the value of a member")
    (value,) = arguments
    if value.is_const:
        try:
            return compiler.of_object(cls(value.const), node)
        except ValueError as e:
            raise compiler.error(TypingError, node, str(e)) from None
    some = compiler.of_object(next(iter(cls)), node)
    if isinstance(some.type, types.Known):
        raise compiler.error(TypingError, node, f"the member of {cls.__name__} must be known when the kernel is compiled")
    of = some.type.dtype if isinstance(some.type, types.EnumMember) else some.type
    return Value(some.type, compiler.converted(compiler.number(value, node), of, node).text)


def bound(function, owner):
    """A method of a value, to be called: ``function(compiler, owner, arguments, named, node)``."""
    return Value(types.Known(function), const=function, bound=owner)


def _name(obj):
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if name is None:
        return repr(obj)[:60]
    module = getattr(obj, "__module__", None) or ""
    module = {"_operator": "operator", "builtins": ""}.get(module, "cuda" if module.startswith("quern.cuda") else module)
    return f"{module}.{name}" if module else "numpy." + name if isinstance(obj, numpy.ufunc) else name


__all__ = ["attribute", "attributes_of", "bound", "call", "chosen", "entry", "freezer", "frozen", "is_own", "known", "method", "rows"]
