"""As autoinit; contexts are primary ones here in any case."""

from quern.pycuda.autoinit import context, device  # noqa: F401
