"""Kernels as plain Python, for a debugger: with QUERN_PURE_PYTHON=1 what @cuda.jit makes runs by itself, each CUDA thread a thread of
Python's; with NUMBA_ENABLE_CUDASIM=1 kernels that call a debugger do so.

One block runs at a time; a launch whose blocks wait for each other (cg.this_grid) runs all at once. A kernel that waits nowhere, and a
block of one thread, run in the thread that launched them, one after the other, so that breakpoint() works in them. Numbers are
Python's and NumPy's own; powers of integers are those of compiled kernels (powers.py), and functions of numbers by CUDA's names run
compiled. Start at PlainKernel, then Thread; what threads do to wait for each other is Team's.
"""

from __future__ import annotations

import bdb
import ctypes
import functools
import itertools
import math
import operator
import os
import sys
import threading
import types as python_types

import numpy

from quern.arrays import core as _core
from quern.device import current_device
from quern.errors import LogicError
from quern.kernel import intrinsics, signatures, types
from quern.kernel.hosted import HostFunction
from quern.kernel.intrinsics import running
from quern.kernel.launching import checked_tasks
from quern.kernel.linked import CPointer
from quern.kernel.powers import with_integer_powers
from quern.lib import _engine

MOST_THREADS = 1024  # of a block
MOST_TOGETHER = 4096  # of a launch whose blocks wait for each other
MOST_ELEMENTS = 2**32  # behind an address
WARP = 32


def is_on(function):
    """Does it run as plain Python: because of QUERN_PURE_PYTHON, or in place of Numba's simulator, because it calls a debugger?"""
    return _is_set("QUERN_PURE_PYTHON") or _is_set("NUMBA_ENABLE_CUDASIM") and not _DEBUGGERS.isdisjoint(_names_used(function))


def _is_set(name):
    return os.environ.get(name, "0") not in ("", "0")


class _Ended(BaseException):
    """For threads that wait while another one has failed."""


# ---- waiting


class _Meeting:
    def __init__(self, expected):
        self.expected, self.values, self.is_over = expected, {}, False


class Team:
    """Threads that run at the same time and may wait for each other. ``members``: their numbers."""

    def __init__(self, members):
        self.alive = set(members)
        self.changed = threading.Condition()
        self.meetings = {}
        self.waiting = 0
        self.error = None

    def meet(self, key, expected, me, value=None):
        """Waits for all of ``expected`` that have not ended; returns what each of them brought."""
        with self.changed:
            meeting = self.meetings.setdefault(key, _Meeting(expected))
            meeting.values[me] = value
            self.waiting += 1
            self._settle()
            while not meeting.is_over:
                if self.error is not None:
                    raise _Ended
                self.changed.wait()
            return meeting.values

    def leave(self, me):
        with self.changed:
            self.alive.discard(me)
            self._settle()

    def fail(self, error):
        with self.changed:
            self.error = self.error or error
            self.changed.notify_all()

    def _settle(self):
        for key, meeting in list(self.meetings.items()):
            if len(meeting.values) >= len(meeting.expected & self.alive):
                meeting.is_over = True
                del self.meetings[key]
                self.waiting -= len(meeting.values)
                self.changed.notify_all()
        if self.meetings and self.waiting == len(self.alive) and self.error is None:
            places = " and ".join(sorted({key[0] for key in self.meetings}))
            self.error = LogicError(
                f"[plain] deadlock: the threads wait for each other at {places}: not all of them reach the same barrier"
            )
            self.changed.notify_all()


# ---- threads


class _Block:
    """What the threads of a block have in common."""

    def __init__(self, place, number, members, dynamic):
        self.place, self.number, self.members = place, number, members
        self.shared = {}  # where it is asked for -> array
        self.dynamic = numpy.zeros(dynamic, numpy.uint8)


class Thread:
    """One CUDA thread: where it is, and what the names of intrinsics.py do in it."""

    def __init__(self, launch, block, place, number, team):
        self.launch, self.block, self.place, self.number, self.team = launch, block, place, number, team
        self.me = block.number * math.prod(launch.blockdim) + number

    def __str__(self):
        return f"thread {self.place} of block {self.block.place}"

    def axis(self, name, axis):
        of = {"threadIdx": self.place, "blockIdx": self.block.place, "blockDim": self.launch.blockdim, "gridDim": self.launch.griddim}
        return of[name]["xyz".index(axis)]

    def value(self, name):
        return WARP if name == "warpsize" else self.number % WARP

    def call(self, function, args, kwargs):
        name = function.__name__
        method = _FUNCTIONS.get(name)
        if method is None and name.startswith(_COMPILED) and not kwargs:
            with _lock:
                return _compiled(function, len(args)).of_numbers(*args)
        if method is None:
            raise RuntimeError(f"[{name}] this is not supported in plain Python (QUERN_PURE_PYTHON); run the kernel compiled")
        return method(self, *args, **kwargs)

    # ---- waiting

    def _need_team(self):
        if self.team is None:
            raise LogicError("[plain] a wait was not seen before the launch: name cuda.syncthreads where the kernel can be read")

    def wait_block(self, value=None):
        self._need_team()
        return self.team.meet(("syncthreads", self.block.number), self.block.members, self.me, value)

    def wait_grid(self):
        self._need_team()
        return self.team.meet(("grid.sync",), self.launch.members, self.me)

    def wait_warp(self, mask, value):
        """What each lane of the mask brings, by lane."""
        self._need_team()
        first = self.me - self.number % WARP
        lanes = frozenset(first + k for k in range(WARP) if int(mask) >> k & 1 and first + k in self.block.members)
        if self.me not in lanes:
            raise LogicError(f"[plain] this thread, lane {self.number % WARP}, is not in the mask {int(mask):#x} that it gives")
        values = self.team.meet(("a warp's function", first, int(mask)), lanes, self.me, value)
        return {me - first: v for me, v in values.items()}


class _Grid:
    def __init__(self, thread):
        self._thread = thread

    def sync(self):
        self._thread.wait_grid()


# ---- what the names do


def _dtype(given):
    return numpy.dtype(given.dtype if isinstance(given, types.Type) else given)


def _with_fields(array):
    """The same memory; of records, so that ``a[i].x`` means a field."""
    return array.view(numpy.recarray) if array.dtype.names else array


def _grid(t, ndim):
    at = tuple(b * n + i for b, n, i in zip(t.block.place, t.launch.blockdim, t.place, strict=True))
    return at[0] if ndim == 1 else at[:ndim]


def _gridsize(t, ndim):
    all_of = tuple(a * b for a, b in zip(t.launch.griddim, t.launch.blockdim, strict=True))
    return all_of[0] if ndim == 1 else all_of[:ndim]


def _shared(t, shape, dtype, alignment=None):
    dtype = _dtype(dtype)
    if shape in (0, (0,)):
        return _with_fields(t.block.dynamic[: t.block.dynamic.size // dtype.itemsize * dtype.itemsize].view(dtype))
    frame = sys._getframe(3)  # past call() and the intrinsic: each place in the kernel has an array of its own
    with _lock:
        return t.block.shared.setdefault((frame.f_code, frame.f_lasti), _with_fields(numpy.zeros(shape, dtype)))


def _constant(t, array):
    out = array.view()
    out.flags.writeable = False
    return out


_lock = threading.RLock()


def _atomic(f):
    """``f(old, *values)`` gives what goes there; None: it stays."""

    def update(t, array, index, *values):
        with _lock:
            old = array[index]
            new = f(old, *[old.dtype.type(v) for v in values])
            if new is not None:
                array[index] = new
            return old

    return update


def _of_nan(choose):
    return lambda old, v: v if old != old else choose(old, v)


_larger = lambda old, v: v if v > old else None  # noqa: E731
_smaller = lambda old, v: v if v < old else None  # noqa: E731
_swapped = _atomic(lambda old, expected, v: v if old == expected else None)


def _compare_and_swap(t, array, old, value):
    return _swapped(t, array, (0,) * array.ndim, old, value)


def _shuffle(source):
    def shuffle(t, mask, value, by):
        lane = t.number % WARP
        values = t.wait_warp(mask, value)
        return values.get(source(lane, int(by)), value)

    return shuffle


def _match_any(t, mask, value):
    return sum(1 << lane for lane, v in t.wait_warp(mask, value).items() if v == value)


def _match_all(t, mask, value):
    same = all(v == value for v in t.wait_warp(mask, value).values())
    return (int(mask), True) if same else (0, False)


def _ballot(t, mask, predicate):
    return sum(1 << lane for lane, p in t.wait_warp(mask, bool(predicate)).items() if p)


def _store(t, array, index, value):
    array[index] = value


# What is of numbers alone runs compiled: its results are those of kernels.
_COMPILED = ("fp16.", "bf16.", "libdevice.", "popc", "brev", "clz", "ffs", "fma", "cbrt")


@functools.cache
def _compiled(function, count):
    def one(a):
        return function(a)

    def two(a, b):
        return function(a, b)

    def three(a, b, c):
        return function(a, b, c)

    try:
        return HostFunction({1: one, 2: two, 3: three}[count])
    except KeyError:
        raise TypeError(f"[{function.__name__}] it takes one to three numbers, not {count}") from None


_FUNCTIONS = {
    "grid": _grid,
    "gridsize": _gridsize,
    "shared.array": _shared,
    "local.array": lambda t, shape, dtype, alignment=None: _with_fields(numpy.zeros(shape, _dtype(dtype))),
    "const.array_like": _constant,
    "cg.this_grid": _Grid,
    "syncthreads": lambda t: t.wait_block() and None,
    "syncthreads_count": lambda t, p: sum(map(bool, t.wait_block(p).values())),
    "syncthreads_and": lambda t, p: int(all(t.wait_block(p).values())),
    "syncthreads_or": lambda t, p: int(any(t.wait_block(p).values())),
    "syncwarp": lambda t, mask=2**WARP - 1: t.wait_warp(mask, None) and None,
    "all_sync": lambda t, mask, p: all(t.wait_warp(mask, p).values()),
    "any_sync": lambda t, mask, p: any(t.wait_warp(mask, p).values()),
    "eq_sync": lambda t, mask, p: len({bool(v) for v in t.wait_warp(mask, p).values()}) == 1,
    "ballot_sync": _ballot,
    "shfl_sync": _shuffle(lambda lane, by: by % WARP),
    "shfl_up_sync": _shuffle(operator.sub),
    "shfl_down_sync": _shuffle(operator.add),
    "shfl_xor_sync": _shuffle(operator.xor),
    "match_any_sync": _match_any,
    "match_all_sync": _match_all,
    "activemask": lambda t: (1 << min(WARP, len(t.block.members) - t.number // WARP * WARP)) - 1,
    "lanemask_lt": lambda t: (1 << t.number % WARP) - 1,
    "selp": lambda t, condition, a, b: a if condition else b,
    **{f"atomic.{name}": _atomic(f) for name, f in {
        "add": operator.add, "sub": operator.sub, "and_": operator.and_, "or_": operator.or_, "xor": operator.xor,
        "inc": lambda old, top: old.dtype.type(0) if old >= top else old + old.dtype.type(1),
        "dec": lambda old, top: top if old == 0 or old > top else old - old.dtype.type(1),
        "exch": lambda old, v: v, "max": _larger, "min": _smaller, "nanmax": _of_nan(_larger), "nanmin": _of_nan(_smaller),
    }.items()},
    "atomic.cas": _swapped,
    "atomic.compare_and_swap": _compare_and_swap,
    **{name: lambda t, *args: None for name in ("threadfence", "threadfence_block", "threadfence_system", "nanosleep")},
    **{name: lambda t, array, index: array[index] for name in ("ldca", "ldcg", "ldcs", "ldlu", "ldcv")},
    **{name: _store for name in ("stcg", "stcs", "stwb", "stwt")},
}  # fmt: skip

_DEBUGGERS = {"breakpoint", "set_trace"}

# Where threads wait, by the names that a function uses.
_WAITS = {name.rpartition(".")[2] for name in _FUNCTIONS if "sync" in name} | {"this_grid", "sync"}


def _names_used(function, seen=None):
    """All names that a function, and the Python functions it refers to, use."""
    seen = set() if seen is None else seen
    code = getattr(function, "__code__", None)
    if code is None or code in seen:
        return set()
    seen.add(code)
    names, codes = set(), [code]
    while codes:
        part = codes.pop()
        names |= {*part.co_names, *part.co_freevars}
        codes += [c for c in part.co_consts if isinstance(c, python_types.CodeType)]
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    for name in list(names):
        try:
            value = cells[name].cell_contents if name in cells else function.__globals__.get(name)
        except ValueError:
            continue
        if isinstance(value, intrinsics.Intrinsic):
            names.add(value.__name__.rpartition(".")[2])
        names |= _names_used(getattr(value, "py_func", value), seen)
    return names


# ---- launches


class PlainKernel:
    """What ``@cuda.jit`` makes of a kernel with QUERN_PURE_PYTHON=1; with NUMBA_ENABLE_CUDASIM=1, of one that calls a debugger.

    Arrays of the device are copied to the host before a launch, and back after it; NumPy arrays are used in place. An error in a
    thread is raised by the launch, as what it is, with the thread's place in its text.
    """

    specialized = False

    def __init__(self, function, given_signatures=None, **options):
        functools.update_wrapper(self, function)
        self.py_func, self.targetoptions, self.overloads = function, options, {}
        self._pointers = {  # the place of a parameter -> the type of what lies there
            i: type_.dtype
            for given in given_signatures or ()
            for i, type_ in enumerate(signatures.parsed(given).args)
            if isinstance(type_, CPointer)
        }

    def __getitem__(self, key):
        if not isinstance(key, tuple) or not 2 <= len(key) <= 4:
            raise ValueError("[launch] a kernel is launched as kernel[grid, block], or kernel[grid, block, stream, shared_bytes]")
        griddim, blockdim = _dimensions(key[0], "griddim"), _dimensions(key[1], "blockdim")
        return Launch(self.py_func, griddim, blockdim, int(key[3]) if len(key) > 3 else 0, self._pointers)

    def __call__(self, *args):
        if getattr(running, "thread", None) is not None:  # of a kernel that calls it
            return with_integer_powers(self.py_func)(*args)
        raise ValueError(f"[{self.__name__}] Kernel launch configuration was not specified: write {self.__name__}[blocks, threads](...)")

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        ntasks, tpb = checked_tasks(ntasks, tpb)
        tpb = tpb or 64
        return self[-(-ntasks // tpb), tpb, stream, sharedmem] if ntasks else lambda *args: None

    def compile(self, sig):
        """Nothing: there is nothing to compile."""

    def specialize(self, *args):
        return self


def _dimensions(given, what):
    parts = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    try:
        parts = tuple(operator.index(n) for n in parts)
    except TypeError:
        raise TypeError(f"[launch] {what} must be a sequence of integers, got {list(parts)}") from None
    if not 1 <= len(parts) <= 3 or any(n < 1 for n in parts):
        raise ValueError(f"[launch] {what} must contain one to three integers of at least 1, not {given}")
    return parts + (1,) * (3 - len(parts))


class Launch:
    """``kernel[grid, block]``: called with the kernel's arguments."""

    def __init__(self, function, griddim, blockdim, sharedmem, pointers):
        self.function, self.griddim, self.blockdim, self.sharedmem, self.pointers = function, griddim, blockdim, sharedmem, pointers
        self.body = with_integer_powers(function)
        self.pre_launch_callbacks = []
        self.threads = math.prod(blockdim)
        if self.threads > MOST_THREADS:
            raise LogicError(f"[{function.__name__}] a block of {self.threads} threads; {MOST_THREADS} are the most")
        self.members = frozenset(range(math.prod(griddim) * self.threads))

    def __call__(self, *args):
        for callback in self.pre_launch_callbacks:
            callback(self.function, self)
        back = []
        args = [self._over_address(a, self.pointers[i]) if i in self.pointers else _on_host(a, back) for i, a in enumerate(args)]
        names = _names_used(self.function)
        waits = names & _WAITS and self.threads > 1
        try:
            if "this_grid" in names and len(self.members) > 1:
                if len(self.members) > MOST_TOGETHER:
                    name, count = self.function.__name__, len(self.members)
                    raise LogicError(f"[{name}] {count} threads would run at once in plain Python; {MOST_TOGETHER} are the most")
                self._together(list(self._blocks()), args)
            else:
                for block in self._blocks():
                    self._together([block], args) if waits else self._in_turn(block, args)
        finally:
            for put in back:
                put()

    def _over_address(self, address, type_):
        """The memory from there on, as an array of which nobody knows where it ends."""
        device = current_device()
        if device.kind != "cpu":
            raise LogicError(f"[{self.function.__name__}] plain Python does not see a GPU's memory by its address; pass the array")
        device.synchronize()
        dtype = numpy.dtype(numpy.uint8) if isinstance(type_, types.NoneType) else _dtype(type_)
        memory = (ctypes.c_char * (MOST_ELEMENTS * dtype.itemsize)).from_address(int(address))
        return _with_fields(numpy.frombuffer(memory, dtype))

    def _blocks(self):
        for number, (z, y, x) in enumerate(itertools.product(*map(range, reversed(self.griddim)))):
            first = number * self.threads
            yield _Block((x, y, z), number, frozenset(range(first, first + self.threads)), self.sharedmem)

    def _threads(self, block, team):
        for number, (z, y, x) in enumerate(itertools.product(*map(range, reversed(self.blockdim)))):
            yield Thread(self, block, (x, y, z), number, team)

    def _in_turn(self, block, args):
        team = Team(block.members) if self.threads == 1 else None
        for thread in self._threads(block, team):
            self._run(thread, args)

    def _together(self, blocks, args):
        team = Team(member for block in blocks for member in block.members)

        def body(thread):
            try:
                self._run(thread, args)
            except _Ended:
                pass
            except BaseException as e:
                team.fail(e)
            finally:
                team.leave(thread.me)

        started = [
            threading.Thread(target=body, args=(thread,), name=f"{self.function.__name__}, {thread}", daemon=True)
            for block in blocks
            for thread in self._threads(block, team)
        ]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
        if team.error is not None:
            raise team.error

    def _run(self, thread, args):
        before = getattr(running, "thread", None)
        running.thread = thread
        try:
            with numpy.errstate(all="ignore"):
                self.body(*args)
        except bdb.BdbQuit:
            raise
        except Exception as e:
            text = f"[{self.function.__name__}] {thread}: {e}"
            try:
                told = type(e)(text)
            except Exception:
                told = RuntimeError(f"{text} ({type(e).__name__})")
            raise told from e
        finally:
            running.thread = before


def _on_host(value, back):
    """The argument as plain Python has it; what puts device memory right afterwards is added to ``back``."""
    if isinstance(value, tuple):
        return tuple(_on_host(v, back) for v in value)
    copies_out = True
    if isinstance(value, _engine.Transfer):
        value = value.ary_like
    if isinstance(value, _core.Array):
        host = value.copy_to_host() if hasattr(value, "copy_to_host") else _core.asnumpy(value)
        if not host.flags.writeable:
            host, copies_out = host.copy(), False
        if copies_out and not getattr(value, "is_read_only", False):
            back.append(functools.partial(_put, value, host))
        return _with_fields(host)
    if isinstance(value, numpy.ndarray):
        return _with_fields(value)
    if isinstance(value, numpy.void) and value.dtype.names:
        host = numpy.array([value])
        back.append(lambda: [value.__setitem__(name, host[0][name]) for name in host.dtype.names])
        return _with_fields(host)[0]
    if not isinstance(value, (numpy.ndarray, numpy.generic)) and hasattr(value, "__cuda_array_interface__"):
        return _on_host(_core.asarray(value, copy=False), back)
    return value


def _put(array, host):
    if hasattr(array, "copy_to_device"):
        array.copy_to_device(host)
    else:
        _core.Array.__setitem__(array, ..., host)
