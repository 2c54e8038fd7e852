"""Which loop of a universal function a call means, by NumPy's rules and, for the target "cuda", by those of Numba's GPU ufuncs.

A loop is a tuple of types, of arguments and then of results. What is known of an argument is a NumPy dtype, or of a Python number its
class. Start with `nearest`.
"""

from __future__ import annotations

import numpy

from quern.kernel import types

_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
_PYTHON = {int: numpy.dtype(numpy.int64), float: numpy.dtype(numpy.float64), complex: numpy.dtype(numpy.complex128)}


def known_of(value):
    """What is known of an argument."""
    found = getattr(value, "dtype", None)
    if found is not None:
        return found
    return type(value) if type(value) in _PYTHON else numpy.asarray(value).dtype


def is_python(known):
    """Is it a number of Python's, which takes a loop's type? Booleans are arrays as NumPy's are."""
    return known in _PYTHON


def nearest(name, loops, known, wanted=None, casting="same_kind", is_exact=False):
    """The first loop that all arguments can be cast to safely.

    A Python number takes a loop's type of its kind or a wider kind where an array's kind is as wide; else it is of its default dtype.
    `wanted`: for each operand None or the type that the loop must have; then arguments are cast by the rule `casting`, but for loops of
    several types of which not all are named.
    `is_exact`: a loop of the arguments' very dtypes comes first, as for generalized ufuncs.
    Raises TypeError where there is no such loop.
    """
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got {casting!r})")
    if is_exact and wanted is None and not any(k in _PYTHON for k in known):
        for loop in loops:
            if all(k == t.dtype for k, t in zip(known, loop, strict=False)):
                return loop
    ranks = [_rank_of(_PYTHON.get(k, k)) for k in known]
    widest = max((rank for rank, k in zip(ranks, known, strict=True) if k not in _PYTHON), default=-1)
    known = [_PYTHON[k] if k in _PYTHON and rank > widest else k for rank, k in zip(ranks, known, strict=True)]
    safe = casting if casting in ("no", "equiv") else "safe"
    for loop in loops:
        if wanted is not None and not all(w is None or w == t for w, t in zip(wanted, loop, strict=True)):
            continue
        rule = casting if wanted is not None and (None not in wanted or len(set(loop)) == 1) else safe
        if all(_goes(k, t, rule) for k, t in zip(known, loop, strict=False)):
            return loop
    if wanted is not None:
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")
    raise refusal(name, loops, known)


def exact(name, loops, args):
    """The loop of the arrays' very dtypes, as ufuncs of the target "cuda" have it; numbers take its types."""
    is_number = [isinstance(a, (bool, int, float, complex, numpy.number)) for a in args]
    known = [numpy.asarray(a).dtype if n else known_of(a) for a, n in zip(args, is_number, strict=True)]
    for free in ([False] * len(known), is_number):
        found = []
        for loop in loops:
            if all((f and isinstance(t, types.Number)) or k == t.dtype for k, t, f in zip(known, loop, free, strict=False)):
                found.append(loop)
        if len(found) == 1:
            return found[0]
        if found:
            raise TypeError(f"[{name}] the types of the numbers are ambiguous; make one of them a NumPy number, as in numpy.float32(2)")
    raise refusal(name, loops, known, how="of the very dtypes ")


def refusal(name, loops, known, how=""):
    """The TypeError for arguments that no loop takes."""
    listed = "; ".join(f"{', '.join(map(str, loop[len(known) :]))}({', '.join(map(str, loop[: len(known)]))})" for loop in loops)
    given = ", ".join(str(k if isinstance(k, numpy.dtype) else k.__name__) for k in known)
    return TypeError(f"[{name}] no signature takes {how}({given}); there is {listed}. Convert the arguments with astype()")


def wanted_types(name, nin, nout, dtype=None, signature=None):
    """The types that `dtype=` and `signature=` ask for, one for each operand or None; None where neither is given.

    A signature is written "dd->d" or as a tuple of dtypes.
    """
    if dtype is not None and signature is not None:
        raise TypeError(f"[{name}] cannot specify both 'signature' and 'dtype'")
    if dtype is not None:
        return [None] * nin + [types.of_dtype(dtype)] * nout
    if signature is None:
        return None
    parts = list(signature.replace("->", "")) if isinstance(signature, str) else list(signature)
    if isinstance(signature, str) and "->" in signature and signature.index("->") != nin:
        raise ValueError(f"[{name}] the signature {signature!r} is not of {nin} arguments and {nout} results")
    if len(parts) == 1:
        raise TypeError(f"[{name}] the signature {signature!r} is of one type; write dtype={signature!r}")
    if len(parts) != nin + nout:
        raise ValueError(f"[{name}] the signature {signature!r} is not of {nin} arguments and {nout} results")
    return [None if p is None else types.of_dtype(p) for p in parts]


def _rank_of(dtype):
    """Booleans, integers, and what has fractions; -1 for what is no number."""
    return min(_RANKS.get("f" if dtype == types.bfloat16.dtype else dtype.kind, -1), 2)


def _goes(known, type_, rule):
    if known not in _PYTHON:
        return numpy.can_cast(known, type_.dtype, rule)
    if isinstance(type_, types.Number) and _RANKS[_PYTHON[known].kind] <= _RANKS[type_.kind]:
        return True
    return isinstance(type_, types.Number) and numpy.can_cast(_PYTHON[known], type_.dtype, rule)
