"""May this thread wait for the device? What cupyx.allow_synchronize() switches, and all that waits asks."""

import contextlib
import threading


class _Local(threading.local):
    def __init__(self):
        self.may_wait = True


_local = _Local()


class DeviceSynchronized(RuntimeError):
    """Something waits for the device where cupyx.allow_synchronize(False) forbids that."""

    def __init__(self, message=None):
        super().__init__("Device synchronized" if message is None else message)


@contextlib.contextmanager
def allow_synchronize(allow):
    """While it lasts, may this thread wait for the device? Where not, copies to the host, item(), tolist() and synchronize() raise
    DeviceSynchronized; ``if x`` and float(x) are not watched."""
    before = _local.may_wait
    _local.may_wait = bool(allow)
    try:
        yield
    finally:
        _local.may_wait = before


def _may_wait(what):
    if not _local.may_wait:
        raise DeviceSynchronized(f"{what} waits for the device, and cupyx.allow_synchronize(False) forbids that")
