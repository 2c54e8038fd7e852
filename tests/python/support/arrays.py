"""What tests of array functions share: NumPy is the oracle. A case is an expression, run with `m` as numpy and as quern."""

import warnings

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine


def cases(text):
    """The expressions in a table: lines of them with bars between."""
    return [case.strip() for line in text.strip().splitlines() for case in line.split(" | ")]


def operands(m):
    """The arrays that cases name, as `m`'s own: views, edges of sizes, types, and values that are no numbers."""
    a = m.asarray(np.arange(12).reshape(3, 4) * 7 % 11 - 3)
    f = m.asarray(np.array([[0.5, -1.25, np.nan, 3.0], [np.inf, 2.5, -0.0, 0.0], [1e-3, np.nan, -np.inf, -2.75]]))
    g = m.asarray(np.array([[0.5, -1.25, 2.0, 3.0], [7.5, 2.5, -0.125, 0.0], [1e-3, 9.0, 4.0, -2.75]]))
    return {
        "m": m,
        "a": a,  # int64, 3 x 4
        "v": m.asarray(np.array([3, -1, 4, 1, -5, 9])),
        "w": m.asarray(np.array([1.5, 0.25, 4.0, 8.0])),
        "f": f,  # with NaN and infinities
        "g": g,  # without
        "t": a.T,
        "r": a[::-1, ::2],
        "q": a.reshape(2, 3, 2),
        "n": m.asarray(np.full((2, 3), np.nan)),
        "zero": m.asarray(np.array(5)),
        "empty": m.zeros((0, 3)),
        "hollow": m.zeros((3, 0), dtype=int),
        "one": m.asarray(np.array([[2.0], [3.0], [5.0]])),
        "b": m.asarray(np.array([[True, False, True], [False, False, True]])),
        "u": m.asarray(np.array([250, 3, 7, 255], np.uint8)),
        "i8": m.asarray(np.array([-128, 127, 4, -7], np.int8)),
        "f4": m.asarray(np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)),
        "f2": m.asarray(np.array([0.5, 1.25, np.nan, -3.0], np.float16)),
        "c": m.asarray(np.array([[1 + 2j, -3j, 0.5], [2, np.nan + 1j, -1 - 1j]])),
        "c8": m.asarray(np.array([1 + 2j, -3j, 0.5], np.complex64)),
        "inf": np.inf,
        "nan": np.nan,
        "np": np,
    }


def evaluate(case, m):
    """The value of an expression; of several lines, of the last one."""
    *lines, last = case.split("; ")
    names = operands(m)
    for line in lines:
        exec(line, names)
    return eval(last, names)


def host(array):
    """An array or tensor of any front end as NumPy's."""
    return np.asarray(array.get() if isinstance(array, qn.Array) else array.numpy() if isinstance(array, _engine.BareArray) else array)


def equal(got, want, rtol=0.0, atol=0.0, kind=None):
    """The same dtype, shape and values; with tolerances, of real and complex numbers nearly the same values. ``kind``: got is of that type."""
    assert kind is None or isinstance(got, kind)
    got, want = host(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if want.dtype.kind in "fc" and (rtol or atol):
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(got, want)


def same(got, want, exact=True):
    """Is it the same structure of the same values, types and shapes?"""
    if isinstance(want, (list, tuple)):
        assert type(got) is type(want)
        assert len(got) == len(want)
        for ours, theirs in zip(got, want, strict=True):
            same(ours, theirs, exact)
        return
    if not isinstance(want, (np.ndarray, np.generic)) or isinstance(want, np.bool_) and isinstance(got, bool):
        assert got == want
        return
    assert isinstance(got, qn.Array)
    bits = 0 if exact or want.dtype.kind not in "fc" else np.finfo(want.dtype).eps
    equal(got, want, rtol=32 * bits, atol=4 * bits)


def check(case, exact=True):
    """Runs a case with NumPy and with quern: both give the same, or raise the same."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            want = evaluate(case, np)
        except Exception as error:
            kind = type(error) if not type(error).__module__.startswith("numpy._core") else TypeError
            with pytest.raises(kind):
                evaluate(case, qn)
        else:
            same(evaluate(case, qn), want, exact)


def is_view(case):
    """Does writing to the result of a case change the array `a`? As NumPy has it."""
    answers = []
    for m in (np, qn):
        names = operands(m)
        before = np.asarray(names["a"]).copy()
        out = eval(case, names)
        out = out[-1] if isinstance(out, (list, tuple)) else out
        if isinstance(out, np.ndarray):
            answers.append(np.shares_memory(out, names["a"]))
        else:
            out[...] = 99
            answers.append(bool((np.asarray(names["a"]) != before).any()))
    assert answers[0] == answers[1]
