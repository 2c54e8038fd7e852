"""numba.core.utils: the version of Python, the size of an address."""

import sys

PYVERSION = sys.version_info[:2]
MACHINE_BITS = 64

__all__ = ["MACHINE_BITS", "PYVERSION"]
