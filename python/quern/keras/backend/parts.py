"""The objects and functions that a model's steps call: layers, losses, metrics, and what these hold (regularizers, schedules, functions).

is_pure() says whether a step may be recorded without having been asked for, State whether what a step was recorded with has changed.
Start at held().
"""

import builtins
import dis
import functools
import types

from keras.src import constraints, losses, metrics, regularizers
from keras.src.optimizers.schedules import learning_rate_schedule

from quern.keras.backend.core import Array, Variable
from quern.keras.backend.layer import Counted

_WATCHED = (
    regularizers.Regularizer,
    constraints.Constraint,
    losses.Loss,
    metrics.Metric,
    learning_rate_schedule.LearningRateSchedule,
)
_CONSTANTS = (int, float, complex, str, bytes, type(None), type(...), Array, Variable)
_NUMBERS = (int, float, complex, str, bytes)
_LIBRARIES = ("keras", "quern", "tensorflow", "numpy", "math", "functools", "operator", "builtins")
_STORES = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME"}
_WITH_EFFECTS = {"print", "input", "open", "next", "setattr", "delattr", "exec", "eval", "globals", "vars", "locals", "id"}


def held(model):
    """Return all objects and functions that the model's steps may call, each once."""
    roots = [*model._flatten_layers(), *model.metrics, model._compile_loss, model._compile_metrics, getattr(model, "optimizer", None)]
    found, waiting, seen = [], [], {id(None)}
    waiting += roots
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, (list, tuple, set)):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, functools.partial):
            waiting += [one.func, one.args, one.keywords]
        elif isinstance(one, types.MethodType):
            roots.append(one.__self__)  # may hold anything that the function reads
            waiting += [one.__self__, one.__func__]
        elif isinstance(one, types.FunctionType):
            found.append(one)
            waiting += [] if _is_known(one) else _constants(one).values()
        elif _is_known(type(one)) and hasattr(one, "__dict__"):
            found.append(one)
            waiting += vars(one).values()
        elif callable(one) and not isinstance(one, type) or any(one is root for root in roots):
            found.append(one)
    return found


def is_pure(model):
    """Whether a step computes the same each time: all is Keras's, but for functions that read and write nothing that may change."""
    return all(_is_known(one) or _is_pure(one) if isinstance(one, types.FunctionType) else _is_of_a_library(one) for one in held(model))


class State:
    """What a step was recorded with: attributes, and the lists and dicts among them. Layers and optimizers count theirs themselves."""

    def __init__(self, model):
        self.kept = []  # what changes in place, what it held, and whether that is a part of it
        for one in held(model):
            if isinstance(one, types.FunctionType):
                if not _is_known(one):
                    constants = _constants(one)
                    self.kept.append((one.__globals__, {name: value for name, value in constants.items() if name in one.__globals__}, True))
                    self._keep(constants)
            elif isinstance(one, Counted):
                self._keep({name: value for name, value in vars(one).items() if name[0] != "_"})
            elif hasattr(one, "__dict__") and (isinstance(one, _WATCHED) or not _is_of_a_library(one)):
                self._keep({None: vars(one), **vars(one)})

    def _keep(self, values):
        self.kept += [(value, value.copy(), False) for value in values.values() if isinstance(value, (list, dict))]

    def is_the_same(self):
        return all(map(_is_unchanged, self.kept))


def _is_unchanged(kept):
    now, then, is_part = kept
    if isinstance(then, list):
        return len(now) == len(then) and all(map(_is_equal, now, then))
    return all(name in now and _is_equal(now[name], value) for name, value in then.items()) and (is_part or len(now) == len(then))


def _is_equal(now, then):
    return now is then or (isinstance(now, _NUMBERS) and type(now) is type(then) and now == then)


def _library(one):
    return (one.__module__ or "").split(".")[0]


def _is_known(one):
    """Of Keras's, and not of its backend, whose objects have states of their own."""
    return _library(one) == "keras" and ".src.backend" not in one.__module__ and one.__name__ != "Lambda"


def _is_of_a_library(one):
    kind = type(one)
    return _library(kind) in _LIBRARIES and kind.__name__ != "Lambda"


def _constants(function):
    """Return what a function reads besides its arguments, by name."""
    found = dict(enumerate([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            pass
    for name in _names(function.__code__):
        if name in function.__globals__:
            found[name] = function.__globals__[name]
    return found


def _is_pure(function):
    """Whether a program's own function computes from its arguments and from constants alone. Functions that it calls are in held(), too."""
    code = function.__code__
    names = _names(code)
    if "random" in names or any(name not in function.__globals__ and name in _WITH_EFFECTS and hasattr(builtins, name) for name in names):
        return False
    for step in _steps(code):
        if step.opname in _STORES or (step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in code.co_freevars):
            return False
    return all(map(_is_constant, _constants(function).values()))


def _codes(code):
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _codes(one)


def _names(code):
    return {name for one in _codes(code) for name in one.co_names}


def _steps(code):
    return (step for one in _codes(code) for step in dis.get_instructions(one))


def _is_constant(value):
    if isinstance(value, types.ModuleType):
        return value.__name__.split(".")[0] in _LIBRARIES
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    if isinstance(value, (type, types.BuiltinFunctionType)):
        return _library(value) in _LIBRARIES
    return isinstance(value, (*_CONSTANTS, types.FunctionType)) or _is_known(type(value)) or type(value).__name__ == "array_function"
