"""Importing this makes the first device's primary context current, as autoinit does: contexts are primary ones here in any case."""

from quern.pycuda.autoinit import context, device  # noqa: F401
