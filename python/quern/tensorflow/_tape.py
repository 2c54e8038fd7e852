"""tf.GradientTape and tf.Variable: the engine's tape always records; a GradientTape is a span of it, and what was watched."""

import contextlib
import functools
import operator
import sys
import weakref

import keras
import numpy as np
from keras.src import tree

import quern as qn
from quern.keras.backend import recording
from quern.keras.backend._tensor import is_real
from quern.keras.backend.core import Array, convert_to_tensor, on_read
from quern.lib import _engine
from quern.tensorflow import _gathering
from quern.tensorflow._constants import converted
from quern.tensorflow._operands import OPERATORS, computed, exactly, is_tensor, is_within, loads_attribute
from quern.tensorflow._tensors import device_name, get_item, result_of_ufunc, value_text
from quern.tensorflow.dtypes import DType
from quern.tensorflow.errors import InvalidArgumentError, checked
from quern.user_files import warn_user


def _operator(name, is_reflected=False):
    """Return the method of an operator of variables: their value's, by TensorFlow's rules of operands."""

    def operate(self, other):
        return computed(name, other, self) if is_reflected else computed(name, self, other)

    return operate


def _refuse_in_place(sign, word):
    def refuse(self, other):
        raise RuntimeError(
            f"`variable {sign} value` with `tf.Variable`s is not supported. Use `{word}` to modify the variable value and "
            f"`out = variable {sign[:-1]} value` if you need to get a new output Tensor."
        )

    return refuse


def _scatter_nd(word, doc):
    def scatter(self, indices, updates, name=None):
        return self.assign(getattr(_gathering, f"tensor_scatter_nd_{word}")(self, indices, updates))

    scatter.__qualname__ = f"Variable.scatter_nd_{word}"
    scatter.__doc__ = doc
    return scatter


def _scatter(word, doc):
    def scatter(self, sparse_delta, use_locking=False, name=None):
        return self.assign(_gathering.with_slices(word, self._tensor(), sparse_delta))

    scatter.__qualname__ = f"Variable.scatter_{word}"
    scatter.__doc__ = doc
    return scatter


class Variable(keras.Variable):
    """A variable that is assigned to in place: ``assign()``, ``assign_add()``, ``numpy()``.

    Parameters: ``initial_value``: a tensor, an array, a number, or a function without arguments that gives one; ``trainable``: whether
    tapes follow it.
    """

    is_untracked_late = True  # see quern/keras/backend/layer.py

    def __init__(self, initial_value=None, trainable=True, validate_shape=True, caching_device=None, name=None, dtype=None, **options):
        if callable(initial_value):
            initial_value = initial_value()
        if initial_value is None:
            raise ValueError("Argument `initial_value` must be specified: a tensor, an array, a number, or a function that returns one")
        value = convert_to_tensor(exactly(initial_value, dtype)) if is_tensor(initial_value) else converted(initial_value, dtype)
        super().__init__(value, dtype=value._dtype_name, trainable=trainable is None or bool(trainable), name=name or "Variable")

    @property
    def name(self):
        """The name."""
        return f"{self._name}:0"

    @property
    def value(self):
        """The value now: a tensor of its own, of which tapes know from watch(). For the program it is a method, as TensorFlow's."""
        return self._tensor if loads_attribute(sys._getframe(1)) else self._tensor()

    def _tensor(self):
        value = super().value
        return value if on_read or recording._active is not None or not is_real(value) else value[...]

    @property
    def trainable(self):
        """Whether tapes follow it. Keras, whose layers hold variables of TensorFlow's, trains no integers."""
        has_gradient = "float" in self._dtype or "complex" in self._dtype
        return self._trainable and (has_gradient or not is_within(sys._getframe(1)))

    @trainable.setter
    def trainable(self, value):
        self._trainable = bool(value)

    @property
    def handle(self):
        """Raise AttributeError: variables have no resource."""
        raise AttributeError("'Variable' object has no attribute 'handle': its memory is an array, and no resource; pass the variable")

    @property
    def dtype(self):
        """The data type."""
        return DType(super().dtype)

    @property
    def device(self):
        """The name of the device that holds the value."""
        return device_name(self._tensor())

    def read_value(self):
        """The value now, as a tensor of its own."""
        return self.value.copy()

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Write a value in place; it has the variable's shape. Returns the variable, or None without ``read_value``."""
        super().assign(self._checked(value))
        return self._written(read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Add a value of the variable's shape in place. Returns the variable, or None without ``read_value``."""
        super().assign_add(self._of_its_shape(delta))
        return self._written(read_value)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Subtract a value of the variable's shape in place. Returns the variable, or None without ``read_value``."""
        super().assign_sub(self._of_its_shape(delta))
        return self._written(read_value)

    def _written(self, read_value):
        for tape in GradientTape._active:  # a tape that is open watches what is written, too
            if tape._follows_variable(self):
                tape._variables[id(self)] = self
        return self if read_value else None

    def _checked(self, value):
        """The value, where the variable's type holds it."""
        if isinstance(value, (bool, int, float, complex, str, list, tuple)):
            made = converted(value, self.dtype)
            return made if isinstance(value, (list, tuple)) else value
        return exactly(value, self.dtype) if is_tensor(value) else converted(value, self.dtype) if value is None else value

    def _of_its_shape(self, value):
        value = self._checked(value)
        if np.shape(value) != tuple(self._shape):
            raise InvalidArgumentError(
                f"Cannot update variable with shape {list(self._shape)} using a Tensor with shape {list(np.shape(value))}, shapes must be "
                "equal; use assign() with variable + value"
            )
        return value

    def __getitem__(self, key):
        part = get_item(self.value, key)
        _note_part(part, self, key)
        return part

    def __repr__(self):
        text = f"shape={tuple(self._shape)} dtype={self.dtype.name}, numpy={value_text(self.numpy())}"
        return f"<tf.Variable {self.name!r} {text}>"

    __str__ = __repr__

    def is_initialized(self):
        """True: a variable has a value from its beginning."""
        return convert_to_tensor(True)

    def gather_nd(self, indices, name=None):
        """The elements, or slices, at places."""
        return _gathering.gather_nd(self, indices)

    def sparse_read(self, indices, name=None):
        """The slices at places of the first axis."""
        return _gathering.gather(self, indices)

    scatter_nd_update = _scatter_nd("update", "Write values at places.")
    scatter_nd_add = _scatter_nd("add", "Add values at places.")
    scatter_nd_sub = _scatter_nd("sub", "Subtract values at places.")
    scatter_nd_max = _scatter_nd("max", "Keep the larger ones of the elements and of values at places.")
    scatter_nd_min = _scatter_nd("min", "Keep the smaller ones of the elements and of values at places.")
    scatter_update = _scatter("update", "Write slices: ``sparse_delta`` is a tf.IndexedSlices.")
    scatter_add = _scatter("add", "Add slices: ``sparse_delta`` is a tf.IndexedSlices.")
    scatter_sub = _scatter("sub", "Subtract slices: ``sparse_delta`` is a tf.IndexedSlices.")
    scatter_mul = _scatter("mul", "Multiply by slices: ``sparse_delta`` is a tf.IndexedSlices.")
    scatter_div = _scatter("div", "Divide by slices: ``sparse_delta`` is a tf.IndexedSlices.")
    scatter_max = _scatter("max", "Keep the larger ones of the elements and of slices: ``sparse_delta`` is a tf.IndexedSlices.")
    scatter_min = _scatter("min", "Keep the smaller ones of the elements and of slices: ``sparse_delta`` is a tf.IndexedSlices.")

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Write slices into each element of the leading axes: ``sparse_delta`` is a tf.IndexedSlices."""
        return self.assign(_gathering.with_slices_of_batches(self._tensor(), sparse_delta))

    __add__, __radd__ = _operator("add"), _operator("add", is_reflected=True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", is_reflected=True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", is_reflected=True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", is_reflected=True)
    __floordiv__, __rfloordiv__ = _operator("floor_divide"), _operator("floor_divide", is_reflected=True)
    __mod__, __rmod__ = _operator("remainder"), _operator("remainder", is_reflected=True)
    __pow__, __rpow__ = _operator("power"), _operator("power", is_reflected=True)
    __matmul__, __rmatmul__ = _operator("matmul"), _operator("matmul", is_reflected=True)
    __and__, __rand__ = _operator("bitwise_and"), _operator("bitwise_and", is_reflected=True)
    __or__, __ror__ = _operator("bitwise_or"), _operator("bitwise_or", is_reflected=True)
    __xor__, __rxor__ = _operator("bitwise_xor"), _operator("bitwise_xor", is_reflected=True)
    __lt__ = _operator("less")
    __le__ = _operator("less_equal")
    __gt__ = _operator("greater")
    __ge__ = _operator("greater_equal")
    __iadd__ = _refuse_in_place("+=", "variable.assign_add(value)")
    __isub__ = _refuse_in_place("-=", "variable.assign_sub(value)")
    __imul__ = _refuse_in_place("*=", "variable.assign(variable * value)")
    __itruediv__ = _refuse_in_place("/=", "variable.assign(variable / value)")
    __ifloordiv__ = _refuse_in_place("//=", "variable.assign(variable // value)")
    __ipow__ = _refuse_in_place("**=", "variable.assign(variable ** value)")
    __hash__ = keras.Variable.__hash__

    __eq__ = _operator("equal")
    __ne__ = _operator("not_equal")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        caller = sys._getframe(1)
        if out is None and not is_within(caller):
            return result_of_ufunc(caller, ufunc, method, inputs, kwargs)
        if method == "__call__" and out is None and not kwargs and ufunc.__name__ in OPERATORS and len(inputs) == 2:
            return computed(ufunc.__name__, *inputs)
        return super().__array_ufunc__(ufunc, method, *inputs, out=out, **kwargs)

    def __iter__(self):
        return iter(self.value)

    def __setitem__(self, key, value):
        raise TypeError("'Variable' object does not support item assignment. Use assign(), or tf.tensor_scatter_nd_update() and assign()")


def read_all(structure):
    """The structure with tensors in place of variables: their values now."""
    if type(structure) is Array or not any(isinstance(one, Variable) for one in tree.flatten(structure)):
        return structure
    return tree.map_structure(lambda one: one._tensor() if isinstance(one, Variable) else one, structure)


_parts = {}  # by the id of a tensor that indexing a variable returned: a weak reference to it, the variable and the index


def _note_part(part, variable, key):
    number = id(part)
    _parts[number] = weakref.ref(part, lambda _: _parts.pop(number, None)), variable, key


def _assign_of(tensor):
    """The method that parts of variables have: it writes a value to that part of the variable, and returns the variable."""
    entry = _parts.get(id(tensor))
    if entry is None or entry[0]() is not tensor:
        raise AttributeError("'Tensor' object has no attribute 'assign': tensors are immutable. Use a tf.Variable")
    _, variable, key = entry

    def assign(value, name=None):
        value = variable._checked(value)
        value = value if is_tensor(value) else converted(value, variable.dtype)
        sizes = np.broadcast_shapes(tuple(value.shape), tuple(tensor.shape))
        if sizes != tuple(tensor.shape):
            raise InvalidArgumentError(f"[assign] Shape mismatch: {tuple(tensor.shape)} and {tuple(value.shape)}")
        variable.assign(_replaced(variable.value, value, key))
        return variable

    return checked(assign)


@recording.noted
def _replaced(whole, value, key):
    whole = whole.copy()
    whole[tuple(key) if isinstance(key, list) else key] = value
    return whole


Array.assign = property(_assign_of)


class _Spans:
    """The parts of the engine's tape that belong to a GradientTape. A recorded step opens and closes them again each time it runs."""

    def __init__(self):
        self.closed, self.since = [], None

    def restart(self):
        self.closed, self.since = [], _engine.tape_length()

    def open(self):
        self.since = _engine.tape_length()

    def close(self):
        self.closed.append((self.since, _engine.tape_length()))
        self.since = None

    def now(self):
        return self.closed if self.since is None else [*self.closed, (self.since, _engine.tape_length())]


def _effect(function, *args):
    """Call a function for what it changes; it becomes part of a step that is being recorded."""
    r = recording.recorder()
    if r is None:
        function(*[recording.plain(one) for one in args])
    else:
        r.effect(function, *args)


def _raw_value(variable):
    """The memory of a variable, whatever scope casts it."""
    r = recording.recorder()
    return variable._value if r is None else r.read(variable)


_leaves = {}  # by the id of a variable: the variable, its memory, and what that is for the tapes that are open now


def _read(variable, value):
    """Return a variable's value for a reader while tapes are open.

    A tape follows reads, not variables: a value that was read before it opened is a constant for it. So a variable is a leaf of its
    own from one opening or closing of a tape to the next, and each read is a view of that leaf, whose gradients can be asked for, too.
    """
    tapes = [tape for tape in GradientTape._active if tape._follows_variable(variable)]
    if not tapes:
        return _engine.detached(value) if is_real(value) else value
    if not is_real(value):  # integers are watched, without a gradient
        for tape in tapes:
            tape._variables[id(variable)] = variable
        return value
    memory = variable._array
    known = _leaves.get(id(variable))
    if known is None or known[1] is not memory:
        known = _leaves[id(variable)] = variable, memory, _own_leaf(value)
    for tape in tapes:
        tape._note(variable, known[2])
    return _own_read(known[2])


@recording.noted
def _own_leaf(value):
    if not is_real(value):
        return value
    value = _engine.detached(value)
    _engine.want_gradient(value, True)
    return value


@recording.noted
def _own_read(leaf):
    return leaf[...]


class GradientTape:
    """Records what is computed while it is open, to compute gradients.

    Parameters
    ----------
    persistent : bool
        Whether gradient() may be called more than once.
    watch_accessed_variables : bool
        Whether trainable variables that are read are watched without watch().

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    _active = []

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent, self._used = persistent, False
        self._watched = {}  # by id: the tensors that are watched, and what they were when that began
        self._variables, self._leaves = {}, {}  # by id: those that were read or are watched; what they were at each time
        self._follows, self._spans, self._is_new = watch_accessed_variables, _Spans(), True
        self._others = weakref.WeakSet()  # tapes that were open at the same time: they share what was computed

    def __enter__(self):
        if self in GradientTape._active:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._before = _engine.set_gradient_mode(True)
        _effect(self._spans.restart if self._is_new else self._spans.open)
        self._is_new = False
        for other in GradientTape._active:
            self._others.add(other)
            other._others.add(self)
        self._begin()
        return self

    def __exit__(self, *error):
        self._end()
        _effect(self._spans.close)
        _engine.set_gradient_mode(self._before)

    def _begin(self):
        GradientTape._active.append(self)
        on_read.append(_read)
        _leaves.clear()

    def _end(self):
        GradientTape._active.remove(self)
        on_read.remove(_read)
        _leaves.clear()

    def _follows_variable(self, variable):
        return id(variable) in self._variables or self._follows and variable._trainable

    def _note(self, variable, leaf):
        self._variables[id(variable)] = variable
        leaves = self._leaves.setdefault(id(variable), [])
        if not any(one is leaf for one in leaves):
            leaves.append(leaf)

    def watch(self, tensor):
        """Follows tensors, as it does variables."""
        for x in tree.flatten(tensor):
            if isinstance(x, keras.Variable):
                if id(x) not in self._variables:
                    self._variables[id(x)] = x
                    _leaves.clear()  # what was read before is none of it
            elif isinstance(x, Array):
                if id(x) in self._watched:
                    continue
                if is_real(x):
                    _effect(_want_gradient, x)
                    self._watched[id(x)] = x, _as_it_is(x)
                else:
                    warn_user(f"The dtype of the watched tensor must be floating (e.g. tf.float32), got {x._dtype_name}")
            else:
                raise ValueError(f"Passed in object {x} of type {type(x).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType.")

    def watched_variables(self):
        """The variables that were read while it lasted, in the order in which they were made."""
        return tuple(sorted(self._variables.values(), key=lambda variable: variable.made))

    @contextlib.contextmanager
    def stop_recording(self):
        """While it lasts, this tape records nothing; others do."""
        self._end()
        _effect(self._spans.close)
        try:
            yield
        finally:
            _effect(self._spans.open)
            self._begin()

    def reset(self):
        """Forgets what was computed before."""
        self._used = False
        _effect(self._spans.restart)
        for known in (self._watched, self._variables, self._leaves, _leaves):
            known.clear()

    def jacobian(self, target, sources, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True):
        """The gradients of each element of ``target``, one after the other: of the target's shape and then the source's."""
        target, kept = convert_to_tensor(target), self._persistent
        rows = []
        ones = qn.eye(target.size, dtype=target._dtype_name)
        self._persistent = True
        try:
            for i in range(target.size):
                rows.append(self.gradient(target, sources, ones[i].reshape(target.shape), unconnected_gradients))
        finally:
            self._persistent = kept

        def joined(*parts):
            return None if parts[0] is None else qn.stack(parts).reshape(target.shape + parts[0].shape)

        flat = [joined(*parts) for parts in zip(*[[r] if not tree.is_nested(sources) else _flat(r, sources) for r in rows], strict=True)]
        return tree.pack_sequence_as(sources, flat) if tree.is_nested(sources) else flat[0]

    def batch_jacobian(self, target, source, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True):
        """jacobian() of each row of ``target`` with respect to the same row of ``source``."""
        target, source = convert_to_tensor(target), source
        whole, count = self.jacobian(target, source, unconnected_gradients), target.shape[0]
        if whole is None:
            return None
        inner = target.ndim - 1
        rows = [whole[(i, *(slice(None),) * inner, i)] for i in range(count)]
        return qn.stack(rows)

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients="none"):
        """The gradients of ``target`` (its elements' sum) with respect to ``sources``, in their structure; None where there is none."""
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")
        self._used = True
        flat_targets, flat_sources = tree.flatten(target), tree.flatten(sources)
        targets = [self._values_of(one)[-1] for one in flat_targets]
        given = [None] * len(targets) if output_gradients is None else [convert_to_tensor(g) for g in tree.flatten(output_gradients)]
        groups = [self._values_of(one) for one in flat_sources]
        same = [[i for i, one in enumerate(flat_targets) if one is source] for source in flat_sources]
        watched = [*[x for _, x in self._watched.values()], *[leaf for leaves in self._leaves.values() for leaf in leaves]]
        again = bool(GradientTape._active)  # another tape wants gradients of these
        keeps = again or self._persistent or any(not other._used or other._persistent for other in self._others)
        zeros = str(getattr(unconnected_gradients, "value", unconnected_gradients)).lower() == "zero"
        found = _gradients(self._spans, targets, given, groups, same, watched, keeps, again, zeros)
        if not self._persistent:
            self._leaves.clear()  # so that variables are updated where they are
        return tree.pack_sequence_as(sources, list(found)) if tree.is_nested(sources) else found[0]

    def _values_of(self, one):
        """Return the tensors that a target or a source is: a variable is the leaves as which it was read while the tape was open."""
        if not isinstance(one, keras.Variable):
            known = self._watched.get(id(one))
            if known is not None:
                return [known[1]]
            of = next((v for v in self._variables.values() if v._array is one), None)  # `layer.kernel.value`, of Keras's variables
            return [convert_to_tensor(one)] if of is None else self._values_of(of)
        return self._leaves.get(id(one)) or [_raw_value(one)]


@contextlib.contextmanager
def variables_read():
    """While it lasts, note the trainable variables that are read, by their ids."""
    tape = GradientTape()
    tape._begin()
    try:
        yield tape._variables
    finally:
        tape._end()


def _want_gradient(x):
    """Make a tensor a view of what it is, so that what is made of it from now on differs from what was made before."""
    if not _engine.wants_gradient(x):
        _engine.set_view(x, _own_leaf.plain_function(x)[...])
    elif _engine.gradient_node(x) is not None:  # else it is a variable's own memory
        _engine.set_view(x, x[...])


@recording.noted
def _as_it_is(x):
    return x._as(Array)


@recording.noted
def _gradients(spans, targets, given, groups, same, watched, keeps, again, zeros):
    """Return the gradients of the targets' sum by each group of arrays, which stand for one source, as a list.

    Parameters: ``same``: the targets that each source is, which has their gradients also where nothing was recorded.

    None, or zeros, for a source that it does not depend on. Part of a recorded step like a function of the backend: where the tape
    begins and ends is found anew each time.
    """
    spans = spans.now()
    ones = [_filled(1, t) if g is None else g for t, g in zip(targets, given, strict=True)]
    used = [(t, g) for t, g in zip(targets, ones, strict=True) if _engine.wants_gradient(t)]
    known = [(i, a) for i, group in enumerate(groups) for a in group if _engine.wants_gradient(a) and _engine.depends_on(a, watched, spans)]
    found = [None] * len(groups)
    if used and known:
        results, starts = zip(*used, strict=True)
        made = _engine.gradients(results, starts, tuple(a for _, a in known), keeps, again, True, spans)
        for (i, _), g in zip(known, made, strict=True):
            found[i] = g if found[i] is None else found[i] if g is None else found[i] + g
    for i, places in enumerate(same):
        if found[i] is None and places:
            found[i] = functools.reduce(operator.add, [ones[place] for place in places])._as(Array)
    return [_filled(0, group[0])._as(Array) if zeros and g is None else g for group, g in zip(groups, found, strict=True)]


def _flat(found, sources):
    """Gradients in the structure of sources, None among them, as a list."""
    if isinstance(sources, dict):
        return [one for name in sorted(sources) for one in _flat(found[name], sources[name])]
    if isinstance(sources, (list, tuple)):
        return [one for f, s in zip(found, sources, strict=True) for one in _flat(f, s)]
    return [found]


def _filled(value, x):
    return qn.full(x.shape, value, dtype=x._dtype_name)
