"""What all that launches compiled kernels has in common: dispatcher.py, generalized.py, hosted.py, plain.py."""

from __future__ import annotations

import contextlib
import functools
import operator
import sys
import threading

from quern.kernel import types
from quern.kernel.linked import CPointer

_compiling = threading.local()  # .launch: the LaunchConfig that a kernel is compiled for; .asked: lists to which each reader of it is added


def current_launch(looks=False):
    """The LaunchConfig that a kernel is compiled for now in this thread, or None. ``looks``: what the caller does depends on it."""
    if looks:
        for asked in getattr(_compiling, "asked", ()):
            asked.append(True)
    return getattr(_compiling, "launch", None)


@contextlib.contextmanager
def asking():
    """A list that is empty until something within the block depends on the launch."""
    asked, before = [], getattr(_compiling, "asked", ())
    _compiling.asked = (*before, asked)
    try:
        yield asked
    finally:
        _compiling.asked = before


class LaunchConfig:
    """A launch that makes a kernel be compiled: ``griddim``, ``blockdim``, ``stream``, ``sharedmem``, ``args``, ``dispatcher``."""

    def __init__(self, launch, args):
        self.dispatcher, self.args, self.pre_launch_callbacks = launch.dispatcher, args, launch.pre_launch_callbacks
        self.griddim, self.blockdim, self.stream, self.sharedmem = launch.griddim, launch.blockdim, launch.stream, launch.sharedmem
        self._is_sensitive = False
        self.chosen = {}  # for overloads.py

    def mark_kernel_as_launch_config_sensitive(self):
        """The kernel's code depends on grid, block or shared memory: it is compiled for each of them."""
        self._is_sensitive = True

    def is_kernel_launch_config_sensitive(self):
        """Was it marked so?"""
        return self._is_sensitive

    get_kernel_launch_config_sensitive = is_kernel_launch_config_sensitive

    def __enter__(self):
        self._before, _compiling.launch = current_launch(), self
        return self

    def __exit__(self, *error):
        _compiling.launch = self._before


def shape_of(launch):
    """What of a launch a kernel's code may depend on."""
    return launch.griddim, launch.blockdim, launch.sharedmem


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
            out.append("uint64" if isinstance(of, CPointer) else "bool" if of == types.boolean else of.name)

    for type_ in parameters:
        walk(type_)
    return out


def checked_tasks(ntasks, tpb):
    """What ``forall`` is given, as ints. Raises ValueError, or TypeError where they are not integers."""
    try:
        ntasks, tpb = operator.index(ntasks), operator.index(tpb or 0)
    except TypeError:
        raise TypeError(f"[forall] ntasks and tpb must be integers, not {ntasks!r} and {tpb!r}") from None
    if ntasks < 0:
        raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
    if tpb < 0:
        raise ValueError(f"[forall] tpb, the number of threads of a block, must be non-negative, not {tpb}")
    return ntasks, tpb


def reduced(made, *arguments, **options):
    """What pickle keeps of a compiled function: its name where its module has it by that, as of functions; else what it was made from."""
    found = sys.modules.get(made.__module__)
    for name in made.__qualname__.split("."):
        found = getattr(found, name, None)
    if found is made:
        return made.__qualname__
    return functools.partial(type(made), **options), (made.py_func, *arguments)
