"""Tensors, variables and control flow: the part of the backend that everything else stands on.

A variable is a cell: assign() writes in place, and trainable ones ask for gradients, which the engine's tape gives. What the host knows
of a variable without looking (the count of steps, a learning rate, the state of a seed generator) stays there until an operation needs
it, so that no step waits to read back a value that the host wrote.
"""

import builtins
import contextlib
import functools
import itertools
import threading

import numpy as np
from keras.src import tree
from keras.src.backend.common import KerasVariable, global_state, standardize_dtype
from keras.src.backend.common.dtypes import result_type  # noqa: F401
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.stateless_scope import StatelessScope, in_stateless_scope
from keras.src.backend.common.symbolic_scope import SymbolicScope
from keras.src.backend.common.variables import get_autocast_scope
from keras.src.backend.config import epsilon, floatx
from keras.src.utils import module_utils

import quern as qn
from quern.keras.backend import recording
from quern.keras.backend._tensor import OPERATORS, Tensor, as_tensor, is_real, typed
from quern.keras.backend.layer import Changes
from quern.lib import _engine

SUPPORTS_SPARSE_TENSORS = False
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = False  # callbacks run in the thread that trains

for _module in (module_utils.tensorflow, module_utils.gfile):
    _module.import_error_msg = (
        "This function of Keras calls TensorFlow itself, which the quern backend works without. Use keras.ops, keras.layers, and "
        "model.save() for files; text becomes numbers in Python, for example with a dict"
    )
Array = Tensor  # which every function gives; arrays of other kinds are taken, too
_SMALL = 16  # the host keeps copies of values up to this number of elements
_engine_mode = _engine.set_gradient_mode
_alone = _engine.alone
on_read = []  # the last one is called with each variable that is read and its value; it returns what the reader gets


class no_gradients:  # noqa: N801
    """While it lasts, nothing is recorded."""

    __slots__ = ("before",)

    def __enter__(self):
        self.before = _engine_mode(False)

    def __exit__(self, *error):
        _engine_mode(self.before)


class without_readers:  # noqa: N801
    """While it lasts, readers of variables get the variables' own memory, of which gradients() gives the gradients."""

    __slots__ = ("before",)

    def __enter__(self):
        self.before = on_read.copy()
        on_read.clear()

    def __exit__(self, *error):
        on_read[:] = self.before


def _mask_of(x):
    """The mask that a layer has given a tensor; Keras keeps masks by the tensors' ids where they take no attributes."""
    masks = global_state.get_global_attribute("_keras_mask_dict") or {}
    if id(x) not in masks:
        raise AttributeError(f"{type(x).__name__!r} object has no attribute '_keras_mask'")
    return masks[id(x)]


Array._keras_mask = property(_mask_of)  # programs look at it


# ---- variables


class Variable(KerasVariable):
    """Keras's variable over an array.

    ``_value`` is the array, or None; ``_told`` is a NumPy array where the host knows the value, and the array lacks it while ``_late``.
    """

    _array = None
    _told = None
    _late = False
    _count = itertools.count()
    # Operators of NumPy's arrays and of quern's leave the work to these, which record gradients.
    __array_priority__ = 2000

    @property
    def _value(self):
        if self._late:
            self._late = False
            with no_gradients():
                if self._array is None:
                    self._array = as_tensor(qn.array(self._told))
                else:
                    self._array = _alone(self._array)
                    self._array[...] = self._told.item() if self._told.ndim == 0 else self._told
        return self._array

    @_value.setter
    def _value(self, value):
        self._told, self._late = None, False
        self._array = value

    def _initialize(self, value):
        self._shape = self._validate_shape(value.shape)
        self.made = next(Variable._count)  # the order in which memory was taken
        self._own(value)

    def _own(self, value):
        """Takes a copy of a value as the variable's memory."""
        if isinstance(value, np.ndarray):
            value = qn.array(value)
        with no_gradients():
            array = as_tensor(_engine.detached(value)._astype(standardize_dtype(self._dtype), "C"))
        self._value = array
        self._want()

    def _want(self):
        array = self._array
        if array is not None and is_real(array):
            _engine.want_gradient(array, self._trainable)

    @property
    def trainable(self):
        """Whether the variable is trainable: such ones ask for gradients."""
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        Changes.count += self._trainable != bool(value)
        self._trainable = bool(value)
        if self._value is not None:
            self._want()

    @KerasVariable.constraint.setter
    def constraint(self, value):
        Changes.count += 1
        KerasVariable.constraint.fset(self, value)

    @KerasVariable.regularizer.setter
    def regularizer(self, value):
        Changes.count += 1
        KerasVariable.regularizer.fset(self, value)

    @property
    def value(self):
        """The current value, an array: the variable's own memory, but a converted copy in a scope that casts."""
        if not in_stateless_scope():
            r = recording.recorder() if recording._active is not None else None
            value = self._value if r is None else r.read(self)
            if value is not None:
                if on_read:
                    value = on_read[-1](self, value)
                return value if get_autocast_scope() is None else self._maybe_autocast(value)
        return KerasVariable.value.fget(self)

    def known(self):
        """The value as a NumPy array where the host knows it without asking the device; else None."""
        return None if in_stateless_scope() else self._told

    def assign(self, value):
        """Writes a value in place; it has the variable's shape. Returns the value."""
        r = recording.recorder() if recording._active is not None else None
        if r is not None:
            if isinstance(value, KerasVariable):
                value = value.value
            r.effect(self.assign, value)
            return value if isinstance(value, qn.ndarray) else self
        if not in_stateless_scope() and self._keeps(value):
            return self
        return super().assign(value)

    def _keeps(self, value):
        """Notes a value of the host's; False for what is none, or too much."""
        if type(value) not in _ON_HOST and not isinstance(value, (np.ndarray, np.generic)):
            return False
        value = np.asarray(value)
        if value.size > _SMALL or value.shape != tuple(self._shape) or value.dtype.kind not in "biuf":
            return False
        kind = standardize_dtype(self._dtype)
        if kind == "bfloat16":
            return False
        with np.errstate(all="ignore"):
            self._told = value.astype(kind)
        self._late = True
        return True

    def assign_add(self, value):
        """Adds a value in place."""
        if recording._active is not None and type(value) in _ON_HOST:
            r = recording.recorder()
            if r is not None:
                r.effect(self.assign_add, value)
                return self
        if self._told is not None and type(value) in _ON_HOST and not in_stateless_scope():
            with np.errstate(all="ignore"):
                self._told = self._told + np.asarray(value).astype(self._told.dtype)
            self._late = True
            return self
        return super().assign_add(value)

    def memory(self):
        """The array, which is about to be written: what holds the value that it has keeps that."""
        self._array = array = _alone(self._value)
        self._told = None
        return array

    def _direct_assign(self, value):
        with no_gradients():
            if self._array is None:
                self._own(value)
            else:
                self._array = _alone(self._array)
                self._array[...] = value
        self._told, self._late = None, False

    def _convert_to_tensor(self, value, dtype=None):
        return convert_to_tensor(value, dtype=dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        of_array = isinstance(inputs[0], qn.ndarray)  # an operator of an array and this
        inputs = [x.value if isinstance(x, KerasVariable) else x for x in inputs]
        if method == "__call__" and out is None:
            if of_array and not kwargs and ufunc.__name__ in OPERATORS:
                return OPERATORS[ufunc.__name__][0](*inputs)
            if hasattr(qn, ufunc.__name__):
                return typed(getattr(qn, ufunc.__name__)(*inputs, **kwargs))
        return getattr(ufunc, method)(*[x.get() if isinstance(x, qn.ndarray) else x for x in inputs], out=out, **kwargs)

    def __array__(self, dtype=None, copy=None):
        value = convert_to_numpy(self)
        return value if dtype is None else value.astype(dtype)

    def __float__(self):
        return float(self._read())

    def __int__(self):
        return int(self._read())

    def __bool__(self):
        return bool(self._read())

    def _read(self):
        recording.host_read()
        known = self.known()
        return self.value if known is None else known


_ON_HOST = (int, float, bool)


# ---- tensors


def _named(dtype):
    return dtype if type(dtype) is str and dtype in _NAMES else standardize_dtype(dtype)


_NAMES = frozenset(_engine.dtype_names())

_engine.set_front_end("keras", type=Array, variable=KerasVariable, symbolic=KerasTensor)
_engine.set_front_end("keras", name_of_dtype=_named, default_real=floatx, epsilon=epsilon)
_faces = _engine.add_functions(__name__, "keras", "core")
convert_to_tensor, cast, unstack, slice, slice_update, scatter, scatter_update = (  # noqa: A001
    _faces[_name] for _name in "convert_to_tensor cast unstack slice slice_update scatter scatter_update".split()
)
_engine.set_front_end("keras", convert=convert_to_tensor)


def convert_to_numpy(x):
    """The values as a NumPy array of its own; this waits for them."""
    if type(x) is not Array:
        if isinstance(x, KerasVariable):
            recording.host_read()
            known = x.known() if isinstance(x, Variable) and get_autocast_scope() is None else None
            if known is not None:
                return np.array(known)
            x = x.value
        if not isinstance(x, _engine.BareArray):
            return np.array(convert_to_tensor(x).get() if _has_tensors(x) else x)
        x = as_tensor(x)
    return x.get()


def _has_tensors(x):
    return isinstance(x, (list, tuple)) and any(isinstance(one, (qn.ndarray, KerasVariable)) for one in tree.flatten(x))


def is_tensor(x):
    """Is it an array of quern's?"""
    return isinstance(x, qn.ndarray)


def shape(x):
    """The shape, a tuple."""
    return x.shape


@contextlib.contextmanager
def device_scope(device_name):
    """While it lasts, new arrays are made on a device: "cpu", "gpu" or "gpu:N"."""
    name = str(device_name).lower()
    kind, _, number = name.partition(":")
    if kind in ("gpu", "cuda"):
        name = f"cuda:{number}" if number else "cuda"
    elif kind == "cpu":
        name = "cpu"
    with on_device(qn.device(name)):
        yield


@contextlib.contextmanager
def on_device(device):
    """While it lasts, a device is the current one of this thread."""
    before = _engine.current_device()
    _engine.set_current_device(device)
    try:
        yield
    finally:
        _engine.set_current_device(before)


def random_seed_dtype():
    """The type of the states of seed generators."""
    return "uint32"


def stop_gradient(variable):
    """The same values; gradients do not pass."""
    return _engine.detached(convert_to_tensor(variable))


# ---- shapes and types of results


_symbolic = threading.local()


def placeholder(shape, dtype):
    """An array of a shape that takes no memory."""
    return qn.broadcast_to(as_tensor(qn.zeros((), dtype=dtype)), shape)


def compute_output_spec(fn, *args, **kwargs):
    """What a function gives for symbolic tensors: KerasTensors, found by recording the function alone.

    Sizes that are not known are two different numbers in turn; what differs in the results depends on them.
    """
    flat = tree.flatten((args, kwargs))
    open_sizes = any(isinstance(x, KerasTensor) and None in x.shape for x in flat)

    def concrete(size):
        def one(x):
            if not isinstance(x, KerasTensor):
                return x
            return placeholder([size if n is None else n for n in x.shape], x.dtype)

        return tree.map_structure(one, (args, kwargs))

    def spec(x, other):
        if not isinstance(x, qn.ndarray):
            return x
        sizes = [n if n == m else None for n, m in zip(x.shape, other.shape, strict=True)]
        return KerasTensor(sizes, x._dtype_name)

    with StatelessScope(), SymbolicScope(), no_gradients():
        first_args, first_kwargs = concrete(83)
        first = fn(*first_args, **first_kwargs)
        second = first
        if open_sizes:
            more_args, more_kwargs = concrete(89)
            second = fn(*more_args, **more_kwargs)
        return tree.map_structure(spec, first, second) if open_sizes else tree.map_structure(lambda x: spec(x, x), first)


# ---- control flow: Python's own, over the tape


def cond(pred, true_fn, false_fn):
    """The result of one of two functions."""
    if isinstance(pred, KerasVariable):
        pred = pred._read() if isinstance(pred, Variable) else pred.value
    return true_fn() if pred else false_fn()


def switch(index, branches, *operands):
    """The result of the function at an index, which is limited to those there are."""
    index = builtins.min(builtins.max(int(convert_to_tensor(index)), 0), len(branches) - 1)
    return branches[index](*operands)


def while_loop(cond, body, loop_vars, maximum_iterations=None):
    """Calls ``body`` on its own results while ``cond`` of them holds, at most ``maximum_iterations`` times."""
    many = isinstance(loop_vars, (tuple, list))
    values = tuple(loop_vars) if many else (loop_vars,)
    values = tree.map_structure(convert_to_tensor, values)
    count = 0
    while (maximum_iterations is None or count < maximum_iterations) and cond(*values):
        values = body(*values)
        values = tuple(values) if isinstance(values, (list, tuple)) else (values,)
        count += 1
    return values if many else values[0]


def fori_loop(lower, upper, body_fun, init_val):
    """Calls ``body_fun(i, value)`` for each number of a range."""
    value = init_val
    for i in range(int(lower), int(upper)):
        value = body_fun(i, value)
    return value


def map(f, xs):
    """A function of each element along the first axis, its results stacked."""
    return scan(lambda _, x: ((), f(x)), (), xs)[1]


def vectorized_map(function, elements):
    """A function of each element along the first axis of a tensor or of a list of them, its results stacked."""
    if not isinstance(elements, (list, tuple, dict)):
        elements = convert_to_tensor(elements)
        made = [function(elements[i]) for i in range(elements.shape[0])]
    else:
        elements = tree.map_structure(convert_to_tensor, elements)
        count = tree.flatten(elements)[0].shape[0]
        made = [function(tree.map_structure(lambda x, i=i: x[i], elements)) for i in range(count)]
    return tree.map_structure(lambda *parts: qn.stack([convert_to_tensor(p) for p in parts]), *made)


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """Carries a value along the first axis of ``xs``: ``carry, y = f(carry, x)``. Returns the last carry and the ys, stacked."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}")
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    xs = None if xs is None else tree.map_structure(convert_to_tensor, xs)
    count = int(length) if length is not None else tree.flatten(xs)[0].shape[0]
    carry = tree.map_structure(convert_to_tensor, init)
    nothing = tree.map_structure(qn.zeros_like, carry)
    ys = []
    order = range(count)
    for i in reversed(order) if reverse else order:
        carry, y = f(carry, None if xs is None else tree.map_structure(lambda x, i=i: x[i], xs))
        ys.append(nothing if y is None else y)
    if reverse:
        ys.reverse()
    if not ys:
        return carry, nothing
    return carry, tree.map_structure(lambda *parts: qn.stack([convert_to_tensor(p) for p in parts]), *ys)


def associative_scan(f, elems, reverse=False, axis=0):
    """All results of an associative function along an axis: of the first element, of the first two, and so on, by doubling."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    flat = [convert_to_tensor(x) for x in tree.flatten(elems)]
    count = flat[0].shape[axis]
    if not builtins.all(x.shape[axis] == count for x in flat[1:]):
        raise ValueError(f"Array inputs to associative_scan must have the same first dimension. (saw: {[x.shape for x in flat]})")

    def part(x, start, stop):
        place = [builtins.slice(None)] * x.ndim
        place[axis] = builtins.slice(start, stop)
        return x[tuple(place)]

    def combined(a, b):
        return [convert_to_tensor(x) for x in tree.flatten(f(tree.pack_sequence_as(elems, a), tree.pack_sequence_as(elems, b)))]

    if reverse:
        flat = [qn.flip(x, axis) for x in flat]
    step = 1
    while step < count:
        later = combined([part(x, 0, count - step) for x in flat], [part(x, step, count) for x in flat])
        flat = [qn.concatenate([part(x, 0, step), y], axis=axis) for x, y in zip(flat, later, strict=True)]
        step *= 2
    if reverse:
        flat = [qn.flip(x, axis) for x in flat]
    return tree.pack_sequence_as(elems, flat)


# ---- gradients


class custom_gradient:  # noqa: N801
    """Gives a function its own derivative: the function returns its result and ``grad``, which takes the gradients of the results."""

    def __init__(self, fun):
        self.fun = fun
        functools.update_wrapper(self, fun)

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args, **kwargs):
        if not _engine.gradient_mode():
            return self.fun(*args, **kwargs)[0]
        if (r := recording.recorder()) is not None:
            r.void("a gradient that is a function of the program's own")
        places = [i for i, x in enumerate(args) if isinstance(x, (qn.ndarray, KerasVariable))]
        inputs = [convert_to_tensor(args[i]) for i in places]
        with no_gradients():
            results, grad = self.fun(*args, **kwargs)
        flat = [convert_to_tensor(r) for r in tree.flatten(results)]

        names = [is_real(x) for x in flat]

        def compute():
            made = []
            for x, has_gradient in zip(flat, names, strict=True):
                if has_gradient:  # what shares memory with an argument or another result gets a record of its own
                    made.append(_engine.detached(x) if any(x._shares_cell(one) for one in [*inputs, *made]) else x)
            return made

        def derivative(given, asked):
            of_all, given = [], iter(given)
            for x, has_gradient in zip(flat, names, strict=True):
                one = next(given) if has_gradient else None
                of_all.append(qn.zeros_like(x) if one is None else one)
            found = grad(*of_all)
            found = list(found) if isinstance(found, (tuple, list)) else [found]
            of_inputs = [found[i] if i < len(found) else None for i in places]
            return [None if g is None else _engine.summed_to(convert_to_tensor(g, x.dtype), list(x.shape)) if one else None
                    for g, x, one in zip(of_inputs, inputs, asked, strict=True)]  # fmt: skip

        made = iter(_engine.differentiable("custom_gradient", inputs, compute, derivative, Array))
        flat = [next(made) if has_gradient else x for x, has_gradient in zip(flat, names, strict=True)]
        return tree.pack_sequence_as(results, flat) if tree.is_nested(results) else flat[0]


def remat(f):
    """Keras's rematerialization: the results are kept here, as without it; the gradients are the same."""
    return f


def gradients(loss, variables):
    """The gradients of a loss with respect to Keras's variables: a list, zeros for those that it does not depend on, as on JAX."""
    return _gradients(convert_to_tensor(loss), [v._value for v in variables])


@recording.noted
def _gradients(loss, arrays):
    depends = _engine.wants_gradient(loss)
    found = _engine.gradients((loss,), (None,), tuple(arrays), False, False, True) if depends else [None] * len(arrays)
    return [as_tensor(qn.zeros(a.shape, dtype=a._dtype_name)) if g is None else g for g, a in zip(found, arrays, strict=True)]


# ---- what a recording of a step notes

stop_gradient, scatter, scatter_update, slice, slice_update = (
    recording.noted(function) for function in (stop_gradient, scatter, scatter_update, slice, slice_update)
)
