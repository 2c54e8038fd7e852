"""What functions of torch take: each is wrapped in one that looks at its arguments first, by the names of the parameters.

A wrapper is made as text: it has its function's parameters, raises TypeError in PyTorch's words for what is no tensor or no number
where one is needed, and takes NumPy's names ``axis`` and ``keepdims`` for ``dim`` and ``keepdim``.
"""

import functools
import inspect
import operator
import os

from quern.arrays.public_names import settle
from quern.lib import _engine

_BareArray = _engine.BareArray
_FILE = os.path.join(os.path.dirname(__file__), "<arguments>")  # of wrappers: inside the package, whose lines no error names

# By the parameter's name. "other" is a tensor or a number: what is neither is refused by the operation itself.
_TENSORS = set(
    """input self index mask tensor tensor1 tensor2 end_ mat1 mat2 mat vec vec1 vec2 batch1 batch2 A B L U x1 x2 condition boundaries
    sorted_sequence sorter weights fweights aweights source_ tensor_ query target_ LU_data LU_pivots tau input2 input3 indices_ x y
    grid real imag abs angle end src_ other_ weight_ q_ from_tensor""".split()
)
_LISTS = {"tensors", "matrices"}
_INTS = {
    "dim0": "int", "dim1": "int", "dim2": "int", "axis0": "int", "axis1": "int", "k": "int", "offset": "int", "diagonal": "int",
    "chunks": "int", "bins_": "int", "minlength": "int", "num_samples": "int", "steps": "int", "row": "int", "col": "int", "size_": "int",
    "dimension": "int", "step_": "int", "start_dim": "int", "end_dim": "int", "decimals": "int", "window_length": "int", "n_": "int",
}  # fmt: skip
_BOOLS = {"keepdim", "descending", "largest", "sorted", "unbiased"}  # which have no whole numbers for them
_INPUTS = {"A", "B", "L", "b"}  # linear algebra's names for what PyTorch also takes as `input`
_BY_NAME = {"dims", "shape", "size", "repeats"}  # integers one by one, or all of them in a sequence by this name
_BOTH = {("view", "size")}  # a type may stand in their place
_NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}


def wrong(function, parameter, place, wanted, value):
    """Raises PyTorch's error for an argument of another type."""
    where = f" (position {place})" if place else ""
    raise TypeError(f"{function}(): argument '{parameter}'{where} must be {wanted}, not {_type_name(value)}")


def _type_name(value):
    """As C has it: types that are written in Python by their names, others with their modules."""
    kind, made_in_python = type(value), 1 << 9
    return kind.__name__ if kind.__flags__ & made_in_python or kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def whole(function, parameter, place, value):
    """The argument as an int; TypeError where it is none."""
    try:
        return operator.index(value)
    except TypeError:
        wrong(function, parameter, place, "int", value)


def listed(function, parameter, place, value):
    """Looks at a sequence of tensors."""
    if isinstance(value, _BareArray) or not isinstance(value, (list, tuple)):
        wrong(function, parameter, place, "tuple of Tensors", value)
    for i, one in enumerate(value):
        if not isinstance(one, _BareArray):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(one).__name__}")


def listed_by_name(function, parameter, given, value):
    """The positional arguments that a sequence given by its name stands for."""
    if given:
        raise TypeError(f"{function}() received an invalid combination of arguments: '{parameter}' is given twice")
    if isinstance(value, int):
        wrong(function, parameter, 0, "tuple of ints", value)
    return (value,)


def missing(function, parameter):
    """Raises PyTorch's error for an argument that is not given."""
    raise TypeError(f'{function}() missing 1 required positional arguments: "{parameter}"')


def of_several(method):
    """A method that accepts the integers of its first argument one by one, too."""

    @functools.wraps(method)
    def function(self, *given, **named):
        return method(self, given, **named) if len(given) > 1 else method(self, *given, **named)

    return function


_MISSING = object()


def _text(name, function, tensors, free, told, same_out):
    """The wrapper of a function as text, or None where there is nothing to look at; and the defaults that the text names."""
    parameters = list(inspect.signature(function).parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in parameters) or not parameters:
        return None, {}
    shown = told or (name.rstrip("_") if name.startswith("_") else name)
    heads, checks, calls, defaults = [], [], [], {}
    star = False
    by_input = parameters[0].name in _INPUTS and not any(p.name == "input" for p in parameters)
    with_names = not any(p.name in _NUMPY_NAMES.values() for p in parameters)
    renamed = []
    required_after = False
    for place, p in enumerate(parameters, 1):
        if p.kind is p.VAR_POSITIONAL:
            by_name = p.name in _BY_NAME and not any(q.name in _BY_NAME for q in parameters if q is not p)
            heads.append(f"*{p.name}s_given" if by_name else f"*{p.name}")
            calls.append(f"*{p.name}s_given" if by_name else f"*{p.name}")
            if by_name:
                heads.append(f"{p.name}=_MISSING")
                given = f"{p.name}s_given"
                checks.append(f" if {p.name} is not _MISSING: {given} = listed_by_name({shown!r}, {p.name!r}, {given}, {p.name})")
                if (name, p.name) not in _BOTH:
                    checks.append(f" elif not {given}: missing({shown!r}, {p.name!r})")
            star = True
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            heads.append("*")
            star = True
        default = p.default
        if by_input and place == 1 and default is p.empty:
            default = _MISSING
        if p.name in _NUMPY_NAMES and with_names and not any(q.kind is q.VAR_POSITIONAL for q in parameters):
            renamed.append(p.name)
            if default is p.empty:
                default = _MISSING
        if required_after and default is p.empty and not star:
            default = _MISSING
        if default is p.empty:
            heads.append(p.name)
        else:
            required_after = True
            defaults[f"_{p.name}_default"] = default
            heads.append(f"{p.name}=_{p.name}_default")
        calls.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name)
        shown_place = place if p.kind is not p.KEYWORD_ONLY else 0
        is_optional = p.default is None
        guard = f"{p.name} is not None and " if is_optional else ""
        if p.name in free:
            pass
        elif p.name in tensors or p.name in _TENSORS:
            checks.append(
                f" if {guard}not isinstance({p.name}, _BareArray): wrong({shown!r}, {p.name!r}, {shown_place}, 'Tensor', {p.name})"
            )
        elif p.name in _LISTS and p.kind is not p.VAR_POSITIONAL:
            checks.append(f" listed({shown!r}, {p.name!r}, {shown_place}, {p.name})")
        elif p.name in _INTS:
            checks.append(f" if {guard}{p.name}.__class__ is not int: {p.name} = whole({shown!r}, {p.name!r}, {shown_place}, {p.name})")
        elif p.name in _BOOLS:
            checks.append(f" if {guard}{p.name}.__class__ is not bool: wrong({shown!r}, {p.name!r}, {shown_place}, 'bool', {p.name})")
    if by_input:
        if not star:
            heads.append("*")
            star = True
        heads.append("input=_MISSING")
        checks.insert(0, f" if input is not _MISSING: {parameters[0].name} = input")
    if renamed:
        if not star:
            heads.append("*")
        lines = []
        for one in renamed:
            old = _NUMPY_NAMES[one]
            heads.append(f"{old}=_MISSING")
            lines.append(f" if {old} is not _MISSING: {one} = {old}")
        checks[:0] = lines
    for p in parameters:
        if defaults.get(f"_{p.name}_default") is _MISSING:
            checks.insert(
                len(renamed) + by_input,
                f" if {p.name} is _MISSING: raise TypeError('{shown}() missing 1 required positional arguments: \"{p.name}\"')",
            )
    if same_out:
        without = ", ".join("out=None" if one.startswith("out=") else one for one in calls)
        checks.append(f" if out is not None: return finish_same(_function({without}), out)")
    if not checks:
        return None, {}
    return f"def {name}({', '.join(heads)}):\n" + "\n".join(checks) + f"\n return _function({', '.join(calls)})\n", defaults


def checked(name, function, tensors=(), free=(), told=None, same_out=False):
    """A function with a look at its arguments: ``tensors`` names parameters that are tensors too, ``free`` those that need not be.

    ``told``: the function's name in messages, where that is another one. ``same_out``: does ``out`` need the result's type?
    """
    text, defaults = _text(name, function, set(tensors), set(free), told, same_out)
    if text is None:
        return function
    names = {"_BareArray": _BareArray, "wrong": wrong, "whole": whole, "listed": listed, "_MISSING": _MISSING, "_function": function}
    names["listed_by_name"], names["missing"] = listed_by_name, missing
    if same_out:
        from quern.torch._core import finish_same

        names["finish_same"] = finish_same
    names |= defaults
    exec(compile(text, _FILE, "exec"), names)
    made = names[name]
    made.__doc__, made.__module__, made.__wrapped__ = function.__doc__, function.__module__, function
    made.__qualname__ = function.__qualname__
    return made


def check_all(module, names, tensors=None, free=None, told=None, same_out=""):
    """Replaces functions of a module by those that look at their arguments.

    Parameters: ``tensors``, ``free``: for a function its parameters that are tensors, or need be none, against the rule of their name;
    ``told``: the functions' names in messages, where these are others; ``same_out``: functions whose ``out`` needs the result's type.
    """
    tensors, free, told = tensors or {}, free or {}, told or {}
    same_out = set(same_out.split())
    done = {}
    for name in dict.fromkeys(names):
        function = module[name]
        if not inspect.isfunction(function) or getattr(function, "__wrapped__", None) is not None:
            continue
        if function not in done:
            named = tensors.get(name, "").split(), free.get(name, "").split()
            done[function] = checked(name, function, *named, told.get(name), name in same_out)
        module[name] = done[function]
    settle(module, module["__name__"])
