"""Importing this makes the first device's context current, until the program ends."""

from quern.pycuda import driver as _driver
from quern.pycuda.tools import make_default_context as _make_default_context

_driver.init()
context = _make_default_context()
device = context.get_device()
