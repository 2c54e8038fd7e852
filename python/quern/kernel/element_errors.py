"""Exceptions that functions of elements raise: those of vectorize and guvectorize, on any device.

Each element has a number that says what was raised for it, 0 for nothing; the call waits for the greatest of them. What is raised then is
what the function, compiled for the host, raises for such an element: its arguments are values that only the element has.
"""

from __future__ import annotations

import numpy

from quern.arrays import core as _core
from quern.arrays.mathematics import reductions
from quern.kernel.hosted import HostFunction
from quern.kernel.program import Program
from quern.kernel.raised import Raised
from quern.kernel.settings import Settings


def told_program(function, parameters, settings, **options):
    """The Program of a function of elements. Where it may raise it takes a `status`, whose ``left`` is the number. ``settings``: None where
    exceptions only end the element, as in Numba's functions for CUDA."""
    options["of_host"] = settings is not None
    program = Program(function, parameters, False, settings=settings or Settings(divides=True), **options)
    if settings is None or not program.may_raise:
        return program
    return Program(function, parameters, False, settings=settings, raised=Raised(), **options)


def numbers_of_failed(failed):
    """The numbers, as NumPy's array, where some element has raised; else None."""
    if not failed.size or not _core.asnumpy(reductions.max(failed)):
        return None
    return _core.asnumpy(failed)


def error_of(program, number, values):
    """The exception that the function raises for these values, for which it has reported ``number``."""
    function = HostFunction(program.kernel.source.function, error_model="numpy", boundscheck=program.settings.checks_bounds)
    try:
        with numpy.errstate(all="ignore"):
            function(*values)
    except Exception as e:
        return e.with_traceback(None)
    return program.raised.error(number)


def store_others(out, made, failed):
    """Writes the elements for which nothing was raised."""
    values = numpy.array(_core.asnumpy(out) if isinstance(out, _core.Array) else out)
    values[failed == 0] = _core.asnumpy(made)[failed == 0]
    if isinstance(out, numpy.ndarray):
        out[...] = values
    else:
        _core.Array.__setitem__(out, ..., values)
