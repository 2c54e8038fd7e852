"""Functions, methods and attributes that a program adds to kernels: what the ``overload*`` decorators of numba.extending register.

Each is entered with a function that is called with the types of the arguments and gives the Python function to compile, or None.
"""

from __future__ import annotations

import inspect

from quern.kernel import types
from quern.kernel.launching import asking, current_launch

_functions = {}  # id -> (object, its choosers)
_members = {}  # (is it a method?, name) -> [(class of types, chooser)]
_chosen = {}  # (id of a chooser, types) -> (chooser, what it gave): one function for each, so that it is compiled once
_askers = set()  # keys of _chosen whose choosers read the launch configuration: their results are for that launch alone


def add_function(obj, chooser):
    """Calls of ``obj`` in kernels are calls of what ``chooser`` gives; of those that were added the last one that gives something."""
    _functions.setdefault(id(obj), (obj, []))[1].insert(0, chooser)


def add_member(kind, name, chooser, is_method):
    """Values of the types ``kind`` have a method or an attribute ``name``."""
    _members.setdefault((is_method, name), []).insert(0, (kind, chooser))


def is_overloaded(obj):
    return id(obj) in _functions


def function_for(obj, arguments, named):
    """The Python function for a call of ``obj`` with these Values; None where no chooser gives one."""
    return first_of(_functions[id(obj)][1], arguments, named)


def member_of(owner, name):
    """``(is it a method?, the choosers)`` of an attribute of a value; None where there are none."""
    for is_method in (True, False):
        found = [chooser for kind, chooser in _members.get((is_method, name), ()) if isinstance(owner.type, kind)]
        if found:
            return is_method, found
    return None


def first_of(choosers, arguments, named):
    """The Python function that the first chooser gives that gives one; None where none does."""
    given, by_name = [_as_seen(a) for a in arguments], {name: _as_seen(a) for name, a in named.items()}
    for chooser in choosers:
        key = (id(chooser), tuple(given), tuple(by_name.items()))
        launch = current_launch()
        chosen = launch.chosen if launch is not None and key in _askers else _chosen
        if key not in chosen:
            with asking() as asked:
                made = (chooser, chooser(*given, **by_name) if _takes(chooser, given, by_name) else None)
            if asked and launch is not None:
                _askers.add(key)
                chosen = launch.chosen
            chosen[key] = made
        if chosen[key][1] is not None:
            return chosen[key][1]
    return None


def _takes(chooser, given, by_name):
    try:
        inspect.signature(chooser).bind(*given, **by_name)
    except TypeError:
        return False
    return True


def _as_seen(value):
    """Return the type that a chooser receives: of a string the string itself, of an array with a shape of its own that of any array."""
    if isinstance(value.foreseen, str):
        return types.StringLiteral(value.foreseen)
    return value.type.loose if isinstance(value.type, types.FixedArray) else value.type
