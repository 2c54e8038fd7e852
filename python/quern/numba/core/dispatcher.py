"""numba.core.dispatcher and numba.core.registry: what ``@njit`` makes. It is in quern/kernel/hosted.py."""

from quern.kernel.hosted import HostFunction as CPUDispatcher

Dispatcher = CPUDispatcher

__all__ = ["CPUDispatcher", "Dispatcher"]


def __getattr__(name):
    raise AttributeError(f"[numba.core] there is no '{name}' here: of Numba's own compiler there is what @njit makes, CPUDispatcher")
