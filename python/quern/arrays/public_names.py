"""Functions are found where they are shown: what pickle, help() and inspect go by."""

from __future__ import annotations

import sys
from types import FunctionType


def settle(module, names=None):
    """Makes ``module`` the home of its functions that are not found where they say: wrapped or renamed ones. ``names``: those alone."""
    for name, value in (vars(sys.modules[module]) if names is None else names).items():
        if name[0] != "_" and (type(value) is FunctionType or hasattr(value, "__quern_native__")):
            home = sys.modules.get(value.__module__)
            if home is None or vars(home).get(value.__qualname__) is not value:
                value.__module__, value.__qualname__ = module, name
