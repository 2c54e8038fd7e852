"""Anomaly detection: check every gradient for NaN."""

from quern.lib import _engine


class set_detect_anomaly:  # noqa: N801
    """Enable or disable the check of every gradient for NaN, from the call on or as a context manager.

    A gradient that is NaN raises RuntimeError with the operation and its source line.

    Parameters
    ----------
    mode : bool
        Whether gradients are checked.
    check_nan : bool, optional
        False disables the check in any case.

    Examples
    --------
    >>> from quern import torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, mode, check_nan=True):
        self._before = _engine.anomaly_mode()
        _engine.set_anomaly_mode(bool(mode and check_nan))

    def __enter__(self):
        pass

    def __exit__(self, *error):
        _engine.set_anomaly_mode(self._before)


class detect_anomaly(set_detect_anomaly):  # noqa: N801
    """Check every gradient for NaN, as a context manager.

    A gradient that is NaN raises RuntimeError with the operation and its source line.

    Parameters
    ----------
    check_nan : bool, optional
        False disables the check.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.zeros(1, requires_grad=True)
    >>> with torch.autograd.detect_anomaly():
    ...     (x * 2).sum().backward()
    >>> x.grad
    tensor([2.])
    """

    def __init__(self, check_nan=True):
        super().__init__(True, check_nan)


def is_anomaly_enabled():
    """Return whether every gradient is checked.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_anomaly_enabled()
    False
    """
    return _engine.anomaly_mode()
