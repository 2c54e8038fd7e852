"""What all that launches compiled kernels has in common: dispatcher.py, generalized.py, hosted.py, plain.py."""

from __future__ import annotations

import operator

from quern.kernel import types


def leaves_of(name, type_):
    if isinstance(type_, types.Tuple):
        for part in type_.types:
            yield from leaves_of(name, part)
    elif not isinstance(type_, types.NoneType):
        yield name, type_


def numbers_of(parameters):
    """The type's name for each number among the arguments, "" for an array."""
    out = []

    def walk(type_):
        if isinstance(type_, types.Tuple):
            for part in type_.types:
                walk(part)
        elif isinstance(type_, (types.Array, types.Record)):
            out.append("")
        elif not isinstance(type_, types.NoneType):
            of = type_.dtype if isinstance(type_, types.EnumMember) else types.int64 if isinstance(type_, types.Time) else type_
            out.append("bool" if of == types.boolean else of.name)

    for type_ in parameters:
        walk(type_)
    return out


def checked_tasks(ntasks, tpb):
    """What ``forall`` is given, as ints. Raises ValueError, or TypeError where they are no integers."""
    try:
        ntasks, tpb = operator.index(ntasks), operator.index(tpb or 0)
    except TypeError:
        raise TypeError(f"[forall] ntasks and tpb are integers, not {ntasks!r} and {tpb!r}") from None
    if ntasks < 0:
        raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
    if tpb < 0:
        raise ValueError(f"[forall] tpb, the number of threads of a block, is from 0 up, not {tpb}")
    return ntasks, tpb
