"""What the options of a function's decorator say: about errors (divisions by 0, indices outside of arrays), and the types of its names."""

from __future__ import annotations

from typing import NamedTuple


class Settings(NamedTuple):
    """``divides``: a division by 0 gives a number. ``checks_bounds``: an index outside of its array raises IndexError.
    ``locals``: (name, type) of the local names whose type is given, whatever they are assigned."""

    divides: bool = False
    checks_bounds: bool = False
    locals: tuple = ()


DEFAULT = Settings()
# NUMBA_BOUNDSCHECK, which counts more than the option; None where it is not set. quern/cuda/decorators.py knows it.
hooks = {"boundscheck": lambda: None}


def settings_of(options, caller=None):
    """The settings of a function with these options. A function that says nothing about its error model has that of its caller."""
    model, everywhere = options.get("error_model"), hooks["boundscheck"]()
    divides = caller.divides if model is None and caller is not None else model == "numpy"
    checks = bool(options.get("boundscheck") if everywhere is None else everywhere)
    return Settings(divides, checks, tuple((options.get("locals") or {}).items()))
