"""Control flow: tf's functions that call a program's own functions. Python runs it; gradients pass through all of them."""

import builtins
import contextlib

import keras
from keras.src import tree

from quern.keras.backend.core import convert_to_tensor as _tensor

_ops = keras.ops


def _true(value):
    return builtins.bool(_tensor(value)) if hasattr(value, "dtype") else builtins.bool(value)


def _result(made):
    return tree.map_structure(lambda x: x if x is None else _tensor(x), made)


def cond(pred, true_fn=None, false_fn=None, name=None):
    """What one of two functions gives: the first where ``pred`` holds."""
    return (true_fn if _true(pred) else false_fn)()


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name=None):
    """What the function of the first condition that holds gives, else the default's."""
    for pred, function in pred_fn_pairs:
        if _true(pred):
            return function()
    if default is None:
        raise ValueError("[tf.case] no condition holds and there is no default; pass default=")
    return default()


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """What the function of a number gives; of another number the default's, else the last one's."""
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns)
    functions = dict(pairs if not isinstance(branch_fns, (list, tuple)) or not isinstance(branch_fns[0], tuple) else branch_fns)
    last = functions[max(functions)]
    return functions.get(int(branch_index), default or last)()


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               maximum_iterations=None, name=None):  # fmt: skip
    """The variables after as many rounds of ``body`` as ``cond`` holds before."""
    values = _result(tuple(loop_vars) if isinstance(loop_vars, (list, tuple)) else (loop_vars,))
    rounds = 0
    while (maximum_iterations is None or rounds < int(maximum_iterations)) and _true(cond(*values)):
        made = body(*values)
        values = _result(tuple(made) if isinstance(made, (list, tuple)) else (made,))
        rounds += 1
    return list(values) if isinstance(loop_vars, list) else values if isinstance(loop_vars, tuple) else values[0]


def _slices(elems):
    elems = _result(elems)
    first = tree.flatten(elems)[0]
    if not first.ndim:
        raise ValueError("elements in elems must be 1+ dimensional Tensors, not scalars")
    return [tree.map_structure(lambda x, i=i: x[i], elems) for i in builtins.range(first.shape[0])]


def _stacked(parts):
    return tree.map_structure(lambda *xs: _ops.stack(xs), *parts)


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None,
           fn_output_signature=None):  # fmt: skip
    """A function of each slice along the first axis; the results are stacked. Of several tensors it gets one structure."""
    kinds = fn_output_signature if fn_output_signature is not None else dtype
    made = [_result(fn(one)) for one in _slices(elems)]
    if not made:
        raise ValueError("[tf.map_fn] elems is empty, so the shape of the results cannot be inferred")
    made = _stacked(made)
    return made if kinds is None else tree.map_structure(lambda x, kind: _tensor(x, getattr(kind, "dtype", kind)), made, kinds)


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """A function of each slice along the first axis; the results are stacked."""
    return map_fn(fn, elems)


def _walk(fn, elems, initializer, reverse):
    parts = _slices(elems)
    parts = parts[::-1] if reverse else parts
    if initializer is None:
        state, parts = parts[0], parts[1:]
        yield state
    else:
        state = _result(initializer)
    for part in parts:
        state = _result(fn(state, part))
        yield state


def scan(
    fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True, reverse=False, name=None
):
    """All states of a function of a state and a slice; without an initializer the first slice is the first state."""
    states = list(_walk(fn, elems, initializer, reverse))
    return _stacked(states[::-1] if reverse else states)


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """The last state of a function of a state and a slice, from the first slice on."""
    state = initializer
    for state in _walk(fn, elems, initializer, reverse=False):  # noqa: B007
        pass
    return _result(state)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """The last state of a function of a state and a slice, from the last slice on."""
    state = initializer
    for state in _walk(fn, elems, initializer, reverse=True):  # noqa: B007
        pass
    return _result(state)


def group(*inputs, **options):
    """Nothing: work runs in the order of the program."""


def no_op(name=None):
    """Nothing."""


def executing_eagerly():
    """True: functions run as Python."""
    return True


@contextlib.contextmanager
def name_scope(name):
    """The name; names change nothing."""
    yield name


@contextlib.contextmanager
def control_dependencies(control_inputs):
    """Nothing: work runs in the order of the program."""
    yield


@contextlib.contextmanager
def init_scope():
    """Nothing: there is no graph to leave."""
    yield


NAMES = sorted(name for name in globals() if name[0] != "_" and name not in ("builtins", "contextlib", "keras", "tree", "NAMES"))
__all__ = NAMES
