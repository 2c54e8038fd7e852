"""A step of training as a list of calls: recorded once by running it, then called again without Keras's layers around it.

Keras's Python costs more than the work of a small model. While a step is recorded it runs as always, but its tensors are of the type
Traced, and each function of the backend that is called with them is noted: what it was called with, and what came of it. Replaying the
notes calls the same functions on other data of the same shapes. Whatever cannot be noted (reading a value, an operation that the
backend does not know) makes the recording void, and the step stays plain Python; it has run rightly in any case. So does array work
that happens outside of the noted calls (the engine counts the operations), and a tensor that is still held when the step has ended: a
program that replays the step would not renew it. Start reading at Recorder.call().

As under other backends' compilation, what Python decides while a step is recorded stays decided.
"""

import functools
import itertools
import operator
import threading
import types
import weakref

from keras.src.backend.common import KerasVariable
from keras.src.backend.common.stateless_scope import in_stateless_scope

from quern.keras.backend._tensor import Tensor as Array
from quern.lib import _engine

_active = None  # the recorder at work


def recorder():
    """The recorder that notes what this thread does now, or None."""
    r = _active
    return r if r is not None and not r.is_inside and not r.failed and r.thread == threading.get_ident() else None


def host_read():
    """What reads a value on the host says so: a program would have it as a constant."""
    r = recorder() if _active is not None else None
    if r is not None:
        r.void("a value that was read on the host")


# ---- tensors of a recording


class Traced(Array):
    """An array whose place in the recording is known: ``slot``; ``plain`` is the array as it is elsewhere."""

    slot = None
    plain = None




def plain(x):
    """The array of a traced one; everything else as it is."""
    if type(x) is Traced:
        return x._as(Array) if x.plain is None else x.plain
    return x


def _noted(name):
    base = getattr(Array, name)

    def method(self, *args, **kwargs):
        r = recorder()
        if r is None:
            return base(plain(self), *[plain(a) for a in args], **kwargs)
        return r.call(base, (self, *args), kwargs)

    method.__name__ = name
    return method


def _voids(name):
    def method(self, *args, **kwargs):
        r = recorder()
        if r is not None:
            r.void(f"a value that {name} read")
        method = getattr(Array, name)  # quern.tensorflow has methods of its own
        return method(plain(self), *[plain(a) for a in args], **kwargs)

    method.__name__ = name
    return method


_OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
for _name in [
    *[f"__{_one}__" for _one in [*_OPERATORS, *["r" + _one for _one in _OPERATORS]]],
    *"__neg__ __pos__ __abs__ __invert__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __getitem__".split(),
    *"""astype reshape transpose sum mean max min prod any all argmax argmin copy ravel flatten squeeze swapaxes clip take repeat cumsum
    cumprod dot var std conj round trace diagonal""".split(),
]:
    setattr(Traced, _name, _noted(_name))
for _one in _OPERATORS:
    setattr(Traced, f"__i{_one}__", getattr(Traced, f"__{_one}__"))
for (
    _name
) in """__bool__ __int__ __float__ __complex__ __index__ __array__ __contains__ __repr__ __str__ __format__ __setitem__ get item tolist
tobytes fill sort partition put __array_ufunc__ __array_function__ __dlpack__""".split():
    if hasattr(Array, _name):
        setattr(Traced, _name, _voids(_name))
Traced.__hash__ = None


def _property(name):
    get = operator.attrgetter(name)

    def read(self):
        r = recorder()
        return get(plain(self)) if r is None else r.call(get, (self,), {})

    return property(read)


for _name in ("T", "mT", "real", "imag"):
    setattr(Traced, _name, _property(_name))


def _array_ufunc(self, host, method, *inputs, **kwargs):
    # An operator whose left operand is NumPy's comes back as one of this; whatever else NumPy computes reads values.
    of_host = not kwargs and method == "__call__" and not isinstance(inputs[0], Array) and host.__name__ in Array._reflected
    return Array.__array_ufunc__(self, host, method, *inputs) if of_host else _host_ufunc(self, host, method, *inputs, **kwargs)


_host_ufunc = Traced.__array_ufunc__
Traced.__array_ufunc__ = _array_ufunc


def _iterate(self):
    return (self[i] for i in range(self.shape[0]))


Traced.__iter__ = _iterate


# ---- the functions of the backend


def _note(function, args, kwargs):
    """The result of a face of the engine's table, noted; NotImplemented where the face itself is to compute it."""
    r = recorder()
    if r is None:
        return NotImplemented
    return r.call(function, args, kwargs, always=function.__module__ in _DRAWING)


_DRAWING = frozenset(("quern.keras.backend.random",))


def noted(function):
    """The function, noted where a recording is made."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if _active is None:
            return function(*args, **kwargs)
        r = recorder()
        return function(*args, **kwargs) if r is None else r.call(function, args, kwargs)

    call.plain_function = function
    return call


def note_functions(module, leave=()):
    """Has all public functions of a module noted, but those in ``leave``. Faces of the engine's table are in any case."""
    for name, value in list(module.items()):
        if isinstance(value, types.FunctionType) and name[0] != "_" and name not in leave and not hasattr(value, "plain_function"):
            if value.__module__ == module["__name__"]:
                module[name] = noted(value)


_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


class _Untraceable(Exception):
    pass


class Recorder:
    """What notes the calls of a step. ``failed``: why the recording is void, or None."""

    def __init__(self, inputs):
        self.thread = threading.get_ident()
        self.failed = None
        self.is_inside = False  # a function that is noted itself
        self.notes = []  # (function, argument expressions, keyword expressions, slots of results, records gradients)
        self.constants = []
        self.noted_operations = 0  # of the engine, within the noted calls
        self.slots = itertools.count()
        self.made = []  # weak references to the traced tensors
        self.inputs = [self._traced(x, next(self.slots)) for x in inputs]
        self.input_slots = [x.slot for x in self.inputs]

    def __enter__(self):
        global _active
        self.before, _active = _active, self
        _engine.set_noter(_note)
        self.begun, self.reads = _engine.operations_recorded(), _engine.host_reads()
        return self

    def __exit__(self, *error):
        global _active
        _active = self.before
        _engine.set_noter(None if _active is None else _note)
        if _engine.operations_recorded() - self.begun != self.noted_operations:
            self.void("array work outside of the backend's functions")
        if _engine.host_reads() != self.reads:  # also within noted calls: sizes that depend on values are constants for Python
            self.void("values that were read on the host")

    def _traced(self, array, slot):
        made = array._as(Traced)
        made.slot, made.plain = slot, array
        self.made.append(weakref.ref(made))
        return made

    def check_escaped(self):
        """Void the recording if something still holds one of its tensors. The caller holds none any more."""
        self.inputs.clear()
        if any(one() is not None for one in self.made):
            self.void("a tensor that is kept after the step")

    def void(self, why):
        """Gives the recording up."""
        self.failed = self.failed or why

    def call(self, function, args, kwargs, always=False):
        """Calls a function, notes it, and returns its result in traced tensors. ``always``: also when none goes in (random numbers)."""
        found = []  # the traced tensors that go in
        try:
            given, args = self._expression(args, found)
            keywords = {}
            for name, value in kwargs.items():
                keywords[name], kwargs[name] = self._expression(value, found)
        except _Untraceable:
            return function(*args, **kwargs)
        result = self._run(function, args, kwargs)
        if self.failed or not found and not always:
            return result
        return self._noted(function, given, keywords, result, found)

    def effect(self, function, *args):
        """Calls a function for what it changes, and notes it."""
        try:
            given, args = self._expression(args, [])
        except _Untraceable:
            self.void(f"what {function} was given")
            function(*[plain(one) for one in args])
            return
        before = _engine.host_reads()
        self._run(function, args, {})
        self.reads += _engine.host_reads() - before  # a replay reads them again, and nothing comes out of it
        self.notes.append((function, given, {}, None, _engine.gradient_mode()))

    def _run(self, function, args, kwargs):
        """Call a function, whose own calls are not noted."""
        self.is_inside = True
        before = _engine.operations_recorded()
        try:
            return function(*args, **kwargs)
        finally:
            self.is_inside = False
            self.noted_operations += _engine.operations_recorded() - before

    def read(self, variable):
        """The value of a variable, as a traced tensor; None where it has none."""
        array = self._run(_value_of, (variable,), {})
        if array is None:
            return None
        slot = next(self.slots)
        self.notes.append((_value_of, ("tuple", [self._constant(variable)]), {}, slot, True))
        return self._traced(array, slot)

    def _noted(self, function, given, keywords, result, found):
        kind = type(result)
        if issubclass(kind, Array):
            for x in found:
                if x.plain is result:  # what went in
                    return x
            slot = next(self.slots)
            out = self._traced(result, slot)
        elif kind in (list, tuple) and any(isinstance(x, Array) for x in result):
            if not all(x is None or isinstance(x, Array) for x in result):
                self.void(f"the results of {function}")
                return result
            slot = [next(self.slots) for _ in result]
            out = kind([None if x is None else self._traced(x, s) for x, s in zip(result, slot, strict=True)])
        elif _is_static(result):
            return result
        else:
            self.void(f"the result of {function}")
            return result
        self.notes.append((function, given, keywords, slot, _engine.gradient_mode()))
        return out

    def _constant(self, value):
        self.constants.append(value)
        return ("constant", len(self.constants) - 1)

    def _expression(self, value, found):
        """How the program writes a value, and the value with plain arrays in it."""
        kind = type(value)
        if kind is Traced:
            if value.slot is None:
                self.void("an operation that the backend does not know")
                raise _Untraceable
            found.append(value)
            return ("slot", value.slot), value.plain
        if isinstance(value, KerasVariable):
            return self._expression(value.value, found)
        if kind is tuple or kind is list:
            pairs = [self._expression(one, found) for one in value]
            if any(e[0] != "constant" for e, _ in pairs):
                return (kind.__name__, [e for e, _ in pairs]), kind([v for _, v in pairs])
            return self._constant(value), value
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            if any(isinstance(one, Array) for one in parts):
                self.void("an index that is a tensor")
                raise _Untraceable
        if kind is dict:
            pairs = {name: self._expression(one, found) for name, one in value.items()}
            return ("dict", {name: e for name, (e, _) in pairs.items()}), {name: v for name, (_, v) in pairs.items()}
        if isinstance(value, _FUNCTIONS):
            raise _Untraceable
        return self._constant(value), value


def _is_static(result):
    """Is it something that depends on shapes and types alone?"""
    if isinstance(result, (list, tuple)):
        return all(_is_static(one) for one in result)
    return result is None or isinstance(result, (int, str)) and not isinstance(result, bool)


def _value_of(variable):
    return variable._value


# ---- the program


def program(recorder, outputs):
    """A function of the input arrays that does what was recorded. ``outputs``: slots of tensors, whose arrays it returns in a list."""
    last = {}
    for number, (_, given, keywords, _slots, _) in enumerate(recorder.notes):
        for slot in _slots_in(given) + [s for e in keywords.values() for s in _slots_in(e)]:
            last[slot] = number
    kept = set(outputs)
    names = {"mode": _engine.set_gradient_mode}
    names |= {f"c{i}": value for i, value in enumerate(recorder.constants)}
    functions = {}
    lines = []
    mode = None
    for number, (function, given, keywords, slots, records) in enumerate(recorder.notes):
        if records != mode and function is not _value_of:
            lines.append(f"mode({records})")
            mode = records
        name = functions.setdefault(function, f"f{len(functions)}")
        names[name] = function
        text = ", ".join([*[_text(e) for e in _items(given)], *[f"{k}={_text(e)}" for k, e in keywords.items()]])
        if function is _value_of:
            text = f"{_text(given[1][0])}._value"
            lines.append(f"s{slots} = {text}")
            dead = [] if slots in last or slots in kept else [slots]
        else:
            made = [] if slots is None else slots if isinstance(slots, list) else [slots]
            target = "" if slots is None else f"s{slots} = " if not isinstance(slots, list) else "".join(f"s{s}, " for s in slots) + "= "
            lines.append(f"{target}{name}({text})")
            dead = [s for s in made if s not in last and s not in kept]
        dead += [s for s, n in last.items() if n == number and s not in kept]
        if dead:
            lines.append("del " + ", ".join(f"s{s}" for s in dict.fromkeys(dead)))
    arguments = ", ".join(f"s{slot}" for slot in recorder.input_slots)
    lines.append(f"return [{', '.join(f's{slot}' for slot in outputs)}]")
    exec(compile(f"def step({arguments}):\n    " + "\n    ".join(lines), "<recorded step>", "exec"), names)
    step = names["step"]

    def run(arrays):
        before = _engine.gradient_mode()
        try:
            return step(*arrays)
        finally:
            _engine.set_gradient_mode(before)

    run.text = lines
    return run


def _items(expression):
    return expression[1] if expression[0] in ("tuple", "list") else [("each", expression)]


def _slots_in(expression):
    kind, value = expression
    if kind == "slot":
        return [value]
    if kind in ("tuple", "list"):
        return [s for e in value for s in _slots_in(e)]
    if kind == "dict":
        return [s for e in value.values() for s in _slots_in(e)]
    return []


def _text(expression):
    kind, value = expression
    if kind == "slot":
        return f"s{value}"
    if kind == "constant":
        return f"c{value}"
    if kind == "each":
        return f"*{_text(value)}"
    if kind == "dict":
        return "{" + ", ".join(f"{k!r}: {_text(e)}" for k, e in value.items()) + "}"
    inner = ", ".join(_text(e) for e in value)
    return f"[{inner}]" if kind == "list" else f"({inner}{',' if value else ''})"


def can_begin():
    """May a recording begin here?"""
    return _active is None and not in_stateless_scope()
