"""How well an argument's type converts to a parameter's, by Numba's ranking, and which of several signatures a call means.

The ranks are those of Numba's typing rules; `nearest` compares signatures as Numba's dispatchers do: fewest unsafe conversions first, then
fewest safe ones, then fewest promotions.
"""

from __future__ import annotations

from quern.kernel import types
from quern.kernel.linked import CPointer

EXACT, PROMOTE, SAFE, UNSAFE = range(4)


def conversion(given, wanted):
    """The rank of the conversion; None where there is none."""
    if given == wanted:
        return EXACT
    if isinstance(given, types.Optional) or isinstance(wanted, types.Optional):
        return _of_optional(given, wanted)
    if isinstance(given, types.Number) and isinstance(wanted, types.Number):
        return _of_numbers(given, wanted)
    if isinstance(given, types.Integer) and isinstance(wanted, CPointer):
        return UNSAFE if given.bits == 64 else None
    if isinstance(given, types.Array) and isinstance(wanted, types.Array):
        fits = (given.dtype, given.ndim) == (wanted.dtype, wanted.ndim) and wanted.layout in ("A", given.layout)
        return SAFE if fits and given.mutable >= wanted.mutable and given.packed <= wanted.packed else None
    if isinstance(given, types.Record) and isinstance(wanted, types.Record):
        return EXACT if given.dtype == wanted.dtype else None
    if isinstance(given, types.Tuple) and isinstance(wanted, types.Tuple) and len(given.types) == len(wanted.types):
        ranks = [conversion(g, w) for g, w in zip(given.types, wanted.types, strict=True)]
        return None if None in ranks else max(ranks, default=SAFE)
    return None


def _of_optional(given, wanted):
    if isinstance(given, types.NoneType):
        return PROMOTE
    least = EXACT if isinstance(given, types.Optional) and isinstance(wanted, types.Optional) else PROMOTE
    if not isinstance(wanted, types.Optional):
        least = SAFE
    given, wanted = (t.type if isinstance(t, types.Optional) else t for t in (given, wanted))
    found = conversion(given, wanted)
    return None if found is None else max(found, least)


def _of_numbers(given, wanted):
    if isinstance(given, types.Complex) and not isinstance(wanted, types.Complex):
        return None
    if isinstance(given, types.Boolean):
        return SAFE
    if isinstance(wanted, types.Boolean):
        return UNSAFE
    if isinstance(given, types.Integer) and isinstance(wanted, types.Integer):
        if given.signed == wanted.signed:
            return PROMOTE if given.bits < wanted.bits else UNSAFE
        return SAFE if wanted.signed and given.bits < wanted.bits else UNSAFE
    if type(given) is type(wanted):
        return PROMOTE if given.bits < wanted.bits else UNSAFE
    if isinstance(wanted, types.Integer):
        return UNSAFE
    room = wanted.bits // 2 if isinstance(wanted, types.Complex) else wanted.bits
    if isinstance(given, types.Integer):
        return SAFE if room == 64 or given.bits * (2 if given.signed else 4) <= room else UNSAFE
    return SAFE if given.bits <= room else UNSAFE


def nearest(signatures, given):
    """Those of the lists of types that the given types convert to best, in order; several where Numba calls them ambiguous."""
    best, found = None, []
    for parameters in signatures:
        if len(parameters) != len(given):
            continue
        ranks = [conversion(g, p) for g, p in zip(given, parameters, strict=True)]
        if None in ranks:
            continue
        rating = tuple(map(ranks.count, (UNSAFE, SAFE, PROMOTE)))
        if best is None or rating < best:
            best, found = rating, []
        if rating == best:
            found.append(parameters)
    return found


def only_nearest(signatures, given, name):
    """The one signature, for a call by the host. Raises TypeError, as Numba does, where there is none or more than one."""
    found = nearest(signatures, given)
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"({', '.join(map(str, p))})" for p in found or signatures)
    if found:
        said = f"Ambiguous overloading for ({', '.join(map(str, given))}): {listed}; convert the arguments to one of these"
    else:
        said = f"No matching definition for argument type(s) {', '.join(map(str, given))}; there is {listed}"
    raise TypeError(f"[{name}] {said}")
