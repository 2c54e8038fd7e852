"""Anomaly detection: check every gradient for NaN."""

from quern.lib import _engine


class set_detect_anomaly:  # noqa: N801
    """Check every gradient: one that is NaN raises RuntimeError with the operation and its line. As a context, while it lasts."""

    def __init__(self, mode, check_nan=True):
        self._before = _engine.anomaly_mode()
        _engine.set_anomaly_mode(bool(mode and check_nan))

    def __enter__(self):
        pass

    def __exit__(self, *error):
        _engine.set_anomaly_mode(self._before)


class detect_anomaly(set_detect_anomaly):  # noqa: N801
    """While it lasts, a gradient that is NaN raises RuntimeError with the operation and its line."""

    def __init__(self, check_nan=True):
        super().__init__(True, check_nan)


def is_anomaly_enabled():
    """Return whether every gradient is checked."""
    return _engine.anomaly_mode()
