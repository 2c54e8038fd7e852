"""Argument checks of torch's functions: each is wrapped in one that checks its arguments first, by the names of the parameters.

The wrapper raises TypeError in PyTorch's words for what is no tensor or no number where one is needed, and accepts NumPy's names ``axis``
and ``keepdims`` for ``dim`` and ``keepdim``.
"""

import functools
import inspect
import operator

from quern.arrays.public_names import settle
from quern.lib import _engine

_BareArray = _engine.BareArray

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
    """Check a sequence of tensors."""
    if isinstance(value, _BareArray) or not isinstance(value, (list, tuple)):
        wrong(function, parameter, place, "tuple of Tensors", value)
    for i, one in enumerate(value):
        if not isinstance(one, _BareArray):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(one).__name__}")


def listed_by_name(function, parameter, given, value):
    """The positional arguments that a sequence given by its name stands for."""
    if given:
        raise TypeError(f"{function}() got multiple values for argument '{parameter}'")
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


def _look(function, p, place, tensors, free):
    """Return the function that checks an argument for a parameter and returns its value, or None."""
    is_optional = p.default is None

    def tensor(value):
        if not isinstance(value, _BareArray) and not (is_optional and value is None):
            wrong(function, p.name, place, "Tensor", value)
        return value

    def number(value):
        return value if value.__class__ is int or (is_optional and value is None) else whole(function, p.name, place, value)

    def truth(value):
        if value.__class__ is not bool and not (is_optional and value is None):
            wrong(function, p.name, place, "bool", value)
        return value

    def sequence(value):
        listed(function, p.name, place, value)
        return value

    if p.kind is p.VAR_POSITIONAL or p.name in free:
        return None
    if p.name in tensors or p.name in _TENSORS:
        return tensor
    return sequence if p.name in _LISTS else number if p.name in _INTS else truth if p.name in _BOOLS else None


class _Parameters:
    """What is known of a function's parameters: the check of each, other names, and which PyTorch's error names when they are missing."""

    def __init__(self, function, shown, tensors, free):
        every = list(inspect.signature(function).parameters.values())
        self.shown, self.first = shown, every[0].name if every else None
        looks = {p.name: _look(shown, p, 0 if p.kind is p.KEYWORD_ONLY else n, tensors, free) for n, p in enumerate(every, 1)}
        self.looks = {name: look for name, look in looks.items() if look}
        by_position = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.count = len(by_position)
        self.at = [(n, self.looks[p.name]) for n, p in enumerate(by_position) if p.name in self.looks]
        rest = next((p.name for p in every if p.kind is p.VAR_POSITIONAL), None)
        is_by_name = rest in _BY_NAME and not any(p.name in _BY_NAME for p in every if p.name != rest)
        self.rest = rest if is_by_name else None
        self.needs_rest = is_by_name and (function.__name__, rest) not in _BOTH
        self.by_input = self.first in _INPUTS and all(p.name != "input" for p in every)
        is_plain = rest is None and not any(p.name in _NUMPY_NAMES.values() for p in every)
        self.renamed = {_NUMPY_NAMES[p.name]: p.name for p in every if p.name in _NUMPY_NAMES} if is_plain else {}
        self.first_is_tensor = self.first in looks and self.first in tensors | _TENSORS and self.first not in free
        self.needed, is_behind = [], False
        for n, p in enumerate(every):
            is_free = p.default is p.empty and p.kind is not p.VAR_POSITIONAL
            is_other = (self.by_input and n == 0) or p.name in self.renamed.values()
            if is_free and (is_other or (is_behind and n < self.count)):
                self.needed.append((n, p.name))
            is_behind |= p.default is not p.empty or (is_free and is_other)

    def require(self, args, kwargs):
        """Raises PyTorch's error for the first argument that is not given."""
        for place, name in self.needed:
            if place >= len(args) and name not in kwargs:
                missing(self.shown, name)

    def has_work(self):
        return bool(self.looks or self.rest or self.by_input or self.renamed or self.needed)

    def named(self, args, kwargs):
        """Return the positional arguments; those by keyword get the function's own names and are checked."""
        if self.by_input and "input" in kwargs:
            kwargs[self.first] = kwargs.pop("input")
        for theirs, ours in self.renamed.items():
            if theirs in kwargs:
                kwargs[ours] = kwargs.pop(theirs)
        if self.rest in kwargs:
            args += listed_by_name(self.shown, self.rest, args[self.count :], kwargs.pop(self.rest))
        for name, look in self.looks.items():
            if name in kwargs:
                kwargs[name] = look(kwargs[name])
        return args


def checked(function=None, *, tensors="", free="", told=None, same_out=False):
    """A decorator: the function with checks of its arguments, by the names of the parameters.

    Parameters: ``tensors``: parameters that are tensors too; ``free``: those that need not be; ``told``: the function's name in messages,
    where that is another one; ``same_out``: does ``out`` need the result's type?
    """
    if function is None:
        return functools.partial(checked, tensors=tensors, free=free, told=told, same_out=same_out)
    name = function.__name__
    known = _Parameters(function, told or (name.rstrip("_") if name.startswith("_") else name), set(tensors.split()), set(free.split()))
    if not known.has_work() and not same_out:
        return function
    if same_out:
        from quern.torch._core import finish_same

    special = frozenset((*known.looks, *known.renamed, *(["input"] if known.by_input else []), *([known.rest] if known.rest else [])))
    least = 1 + max((place for place, _ in known.needed), default=-1)
    first = known.at[0][1] if known.at and known.at[0][0] == 0 and known.first_is_tensor else None
    others = known.at[1:] if first else known.at

    @functools.wraps(function)
    def call(*args, **kwargs):
        if kwargs and not special.isdisjoint(kwargs):
            args = known.named(args, kwargs)
        if len(args) < least:
            known.require(args, kwargs)
        if known.needs_rest and len(args) <= known.count:
            missing(known.shown, known.rest)
        if first and args and not isinstance(args[0], _BareArray):
            first(args[0])
        for place, look in others:
            if place >= len(args):
                break
            value = look(args[place])
            if value is not args[place]:
                args = (*args[:place], value, *args[place + 1 :])
        if not kwargs:
            return function(*args)
        if same_out and kwargs.get("out") is not None:
            out = kwargs.pop("out")
            return finish_same(function(*args, **kwargs), out)
        return function(*args, **kwargs)

    return call


def check_all(module, names, tensors=None, free=None, told=None, same_out=""):
    """Replaces functions of a module by those that check their arguments; see :func:`checked`."""
    for name in dict.fromkeys(names):
        if inspect.isfunction(module[name]) and not hasattr(module[name], "__wrapped__"):
            parts = {"tensors": (tensors or {}).get(name, ""), "free": (free or {}).get(name, ""), "told": (told or {}).get(name)}
            module[name] = checked(module[name], **parts, same_out=name in same_out.split())
    settle(module["__name__"])
