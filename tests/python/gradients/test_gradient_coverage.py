"""Nothing that a public function computes from an array that wants a gradient loses the record without a word.

Every public function is called with arrays that want one, in several ways. What it gives must be recorded, or the call must say that it has
no derivative; else its result must not depend on the arrays' values. Nothing here is a list of functions: a new one is called as well.
"""

import inspect
import warnings

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

SEED = np.array([[1.3, 0.4, -0.6], [0.7, 2.1, 0.9], [-0.2, 0.8, 1.7]])


def leaf(values):
    made = qn.asarray(np.array(values))
    _engine.want_gradient(made, True)
    return made


# How functions are called: with matrices, lines and numbers of positive values, and with what often stands beside them.
def ways():
    square = SEED @ SEED.T + np.eye(3)
    line = np.array([0.3, 0.9, 0.5])
    cube = np.linspace(0.2, 0.9, 12).reshape(2, 3, 2)
    for x in (square, line, np.float64(0.4), cube, np.array([[0.1, 0.7]])):
        yield [x], []
        yield [x, x * 0.5 + 0.1], []
        yield [x], [0]
        yield [x], [1]
        yield [x], [2.0]
        yield [x], [(1, 0)]
        yield [x], [[1, 2]]
        yield [x], [0, 0.25]
        yield [x, x * 0.5, x * 0.2 + 0.3], []
        yield [x], [1, 0]
        yield [x], [0, 1]
        yield ["list", x, x * 0.5], []
        yield ["second", x], [np.array([0.5, 1.5, 2.5])]
        yield ["second", x], [3]
        yield ["second", x], [(2, 3)]
        yield ["places", x], []
        yield ["string", x], []


def called(function, way, scale):
    """The result for these values, moved a little, and whether its arrays are recorded."""
    kind = way[0][0] if isinstance(way[0][0], str) else None
    inputs = [leaf(x * scale) for x in way[0] if not isinstance(x, str)]
    if kind == "list":
        return function(inputs)
    if kind == "second":
        return function(*way[1], *inputs)
    if kind == "places":
        return function(inputs[0], np.array([0, 0]))
    if kind == "string":
        return function("i,i->i" if inputs[0].ndim == 1 else "...i->...", *inputs * (2 if inputs[0].ndim == 1 else 1))
    return function(*inputs, *way[1])


def floats(result):
    """The arrays of real and complex numbers in a result."""
    if isinstance(result, _engine.BareArray):
        return [result] if result.dtype.kind in "fc" else []
    if isinstance(result, (float, complex, np.floating, np.complexfloating, np.ndarray)):
        return [np.asarray(result)] if np.asarray(result).dtype.kind in "fc" else []
    if isinstance(result, (list, tuple)):
        return [a for part in result for a in floats(part)]
    return []


def silent(function):
    """The first way in which a result depends on what the tape does not know of; None where there is none. And how many calls went."""
    went = 0
    for way in ways():
        try:
            found = floats(called(function, way, 1.0))
        except Exception:  # it does not take these, or says that it has no derivative
            continue
        went += 1
        lost = [i for i, a in enumerate(found) if not (isinstance(a, _engine.BareArray) and _engine.wants_gradient(a))]
        if not lost:
            continue
        again, moved = floats(called(function, way, 1.0)), floats(called(function, way, 1.0001))
        for i in lost:
            try:
                first, second, third = (np.asarray(x[i]) if i < len(x) else None for x in (found, again, moved))
            except Exception:  # the call's own, told now
                break
            if second is None or third is None or first.shape != third.shape:
                continue
            if np.array_equal(first, second, equal_nan=True) and not np.array_equal(first, third, equal_nan=True):
                return way, went
    return None, went


# Of memory, files and types, or what is asked for its value.
ASIDE = {
    "asnumpy", "save", "savetxt", "savez", "savez_compressed", "array2string", "array_repr", "array_str", "from_dlpack", "copyto", "put",
    "spacing", "format_float_positional", "format_float_scientific", "frombuffer",
}  # fmt: skip


def functions():
    for module in (qn, qn.linalg, qn.fft):
        names = set(vars(module)) | set(dir({"quern": np, "quern.arrays.linalg": np.linalg, "quern.arrays.fft": np.fft}[module.__name__]))
        for name in sorted(names):
            if name.startswith("_") or name in ASIDE:
                continue
            try:
                value = getattr(module, name)
            except AttributeError:
                continue
            if callable(value) and not inspect.isclass(value) and not inspect.ismodule(value):
                yield pytest.param(value, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize("function", list(functions()))
def test_arrays(function, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        way, _ = silent(function)
    assert way is None, f"{function.__name__} forgets what its result was computed from: {way}"


METHODS = sorted(
    n for n in dir(qn.Array) if not n.startswith("_") and n not in ("tolist", "item", "tobytes", "tofile", "dump", "dumps", "numpy", "get")
)


@pytest.mark.parametrize("name", METHODS)
def test_methods(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def function(*values):
        if not isinstance(values[0], qn.Array):
            raise TypeError("a method is an array's")
        found = getattr(values[0], name)
        return found(*values[1:]) if callable(found) else found

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        way, _ = silent(function)
    assert way is None, f"Array.{name} forgets what its result was computed from: {way}"


def test_the_check_sees_what_is_lost():
    assert silent(lambda x: _engine.detached(x) * 2)[0] is not None
    assert silent(lambda x: x * 2)[0] is None
    assert silent(lambda x: np.asarray(x) * 2)[0] is not None


@pytest.mark.parametrize("name", ["unwrap", "poly", "apply_along_axis", "i0", "piecewise"])
def test_what_the_host_computes(name):
    x = leaf([0.1, 0.5, 3.0])
    arguments = {"apply_along_axis": (np.sum, 0, x), "piecewise": (x, [x > 0], [1.0])}.get(name, (x,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(NotImplementedError, match=rf"\[{name}\] derivative for {name} is not implemented.*detach"):
            getattr(qn, name)(*arguments)
