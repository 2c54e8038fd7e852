"""cupyx.profiler: how long a function takes on the host and on the device."""

import contextlib
import math
import re
import textwrap
import time

import numpy

from quern.device import current_device, synchronize
from quern.lib import _engine

__all__ = ["benchmark", "profile", "time_range"]


class _PerfCaseResult:
    """The seconds of each run: ``cpu_times``, one row of numbers; ``gpu_times``, a row for each device."""

    def __init__(self, name, cpu_times, gpu_times, devices):
        self.name = name
        self.cpu_times = cpu_times
        self.gpu_times = gpu_times
        self._devices = devices

    def _row(self, label, seconds):
        micro = seconds * 1e6
        text = f"    {label}: {micro.mean():9.3f} us"
        if len(micro) > 1:
            text += f"   +/- {micro.std():6.3f} (min: {micro.min():9.3f} / max: {micro.max():9.3f}) us"
        return text

    def to_str(self, show_gpu=False):
        """One line of text with the host's times, and with the devices' when ``show_gpu``."""
        parts = [f"{self.name:<20s}:", self._row("CPU", self.cpu_times)]
        if show_gpu:
            parts += [self._row(f"GPU-{d}", times) for d, times in zip(self._devices, self.gpu_times, strict=True)]
        return " ".join(parts)

    def __str__(self):
        return self.to_str(show_gpu=True)

    def __repr__(self):
        return str(self)


def benchmark(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf, devices=None):  # noqa: B006
    """Time calls of a function, on the host and on the device.

    The host's time ends when the call returns, the device's when its work is done: what the call recorded is submitted at its end.

    Parameters
    ----------
    func : callable
        Function that is timed.
    args : tuple, optional
        Its positional arguments.
    kwargs : dict, optional
        Its keyword arguments.
    n_repeat : int, optional
        Largest number of timed calls.
    name : str, optional
        Name in the result; None is the function's.
    n_warmup : int, optional
        Number of calls before the timed ones.
    max_duration : float, optional
        Seconds after which no further call is made.
    devices : tuple of int, optional
        Numbers of the devices; None is the current one.

    Returns
    -------
    object
        Its ``cpu_times`` and ``gpu_times`` are NumPy arrays of seconds, ``gpu_times`` with a row for each device; ``to_str()`` is the
        text that ``print`` shows.

    Raises
    ------
    ValueError
        For arguments of the wrong type.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> from quern.cupyx.profiler import benchmark
    >>> x = cp.ones(1000)
    >>> benchmark(cp.sqrt, (x,), n_repeat=10).cpu_times.shape
    (10,)
    """
    if name is None:
        name = getattr(func, "__name__", type(func).__name__)
    if not callable(func):
        raise ValueError("`func` should be a callable object.")
    if not isinstance(args, tuple):
        raise ValueError("`args` should be of tuple type.")
    if not isinstance(kwargs, dict):
        raise ValueError("`kwargs` should be of dict type.")
    if not isinstance(n_repeat, int):
        raise ValueError("`n_repeat` should be an integer.")
    if not isinstance(name, str):
        raise ValueError("`name` should be a string.")
    if not isinstance(n_warmup, int):
        raise ValueError("`n_warmup` should be an integer.")
    if not isinstance(max_duration, (int, float)):
        raise ValueError("`max_duration` should be given in seconds")
    if devices is None:
        from quern.cupy.cuda import Device

        devices = (Device().id,)
    if not isinstance(devices, tuple):
        raise ValueError("`devices` should be of tuple type")
    clock = getattr(time.perf_counter, "__wrapped__", time.perf_counter)  # `quern run` makes the clock wait
    for _ in range(n_warmup):
        result = func(*args, **kwargs)  # held, or what it recorded would never run
        _engine.array_evaluate_all()
    synchronize()
    device = current_device()
    start, stop = _engine.Event(device, True, False), _engine.Event(device, True, False)
    cpu_times, gpu_times = [], [[] for _ in devices]
    spent = 0.0
    for _ in range(n_repeat):
        start.record(None)
        begin = clock()
        result = func(*args, **kwargs)  # noqa: F841
        _engine.array_evaluate_all()
        end = clock()
        stop.record(None)
        stop.synchronize()
        cpu_times.append(end - begin)
        seconds = stop.elapsed_since(start) * 1e-3
        for times in gpu_times:
            times.append(seconds)
        spent += max(end - begin, seconds)
        if spent >= max_duration:
            break
    return _PerfCaseResult(name, numpy.asarray(cpu_times, dtype=numpy.float64), numpy.asarray(gpu_times, dtype=numpy.float64), devices)


class time_range:  # noqa: N801
    """Marks a piece of the program, as a context manager or a decorator. It has no effect yet but to wait at its end when ``sync``."""

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("Only either color_id or argb_color can be specified")
        self.message = message
        self.sync = sync

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self.sync:
            synchronize()

    def __call__(self, func):
        import functools

        @functools.wraps(func)
        def call(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return call


@contextlib.contextmanager
def profile():
    """Marks the part of the program that CUDA's profiler records; here it only waits for the device at both ends."""
    synchronize()
    try:
        yield
    finally:
        synchronize()


def load_ipython_extension(ipython):
    """Registers ``%gpu_timeit`` and ``%%gpu_timeit``: benchmark() of an expression, or of a cell."""
    ipython.register_magic_function(_timed_by(ipython), "line_cell", "gpu_timeit")


def _timed_by(shell):
    def gpu_timeit(line, cell=None):
        """Times code: ``%gpu_timeit [-n REPEATS] [-w WARM-UPS] [--max-duration SECONDS] EXPRESSION``, or a cell below such a line."""
        options, expression = _read_options(line)
        if cell is not None and expression:
            raise ValueError(f"[gpu_timeit] the code must be in the cell; {expression!r} is not an option")
        if cell is None and not expression:
            raise ValueError("[gpu_timeit] write an expression behind the options, or a cell below %%gpu_timeit")
        code = compile(expression, "<gpu_timeit>", "eval") if cell is None else compile(textwrap.dedent(cell), "<gpu_timeit>", "exec")

        def run():
            return eval(code, shell.user_ns)  # of a cell, too: what it assigns stays, as the cell's own would

        print(benchmark(run, **options))

    return gpu_timeit


def _read_options(line):
    """benchmark()'s keywords, and the code behind them, as it stands."""
    kinds = {"-n": ("n_repeat", int), "--n-repeat": ("n_repeat", int), "-w": ("n_warmup", int), "--n-warmup": ("n_warmup", int)}
    kinds["--max-duration"] = ("max_duration", float)
    found, rest = {}, line.strip()
    while rest.startswith("-"):
        match = re.match(r"(--[a-z-]+|-[a-z])(?:\s*=\s*|\s*)(\S+)\s*", rest)
        if not match or match[1] not in kinds:
            break  # an expression such as -x
        name, kind = kinds[match[1]]
        try:
            found[name] = kind(match[2])
        except ValueError:
            raise ValueError(f"[gpu_timeit] {match[1]} takes a number, not {match[2]!r}") from None
        rest = rest[match.end() :]
    return found, rest
