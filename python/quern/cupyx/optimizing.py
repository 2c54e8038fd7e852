"""cupyx.optimizing: accepted; the shapes of launches are the engine's choice, so nothing is searched for."""

import contextlib

_SETTINGS = ("max_trials", "timeout", "expected_total_time_per_trial", "max_total_time_per_trial")


@contextlib.contextmanager
def optimize(*, key=None, path=None, readonly=False, **config_dict):
    """A ``with`` block in which CuPy would search for the best shapes of launches. The block runs as ever.

    Parameters: ``key``, ``path``, ``readonly`` and the settings ``max_trials``, ``timeout``, ``expected_total_time_per_trial`` and
    ``max_total_time_per_trial``: accepted; no file is read or written. Raises TypeError for other settings.

    Examples
    --------
    >>> import quern.cupy as cp
    >>> from quern.cupyx.optimizing import optimize
    >>> with optimize():
    ...     print(cp.arange(5).sum())
    10
    """
    for name in config_dict:
        if name not in _SETTINGS:
            raise TypeError(f"[cupyx.optimizing.optimize] there is no setting {name!r}; they are {', '.join(_SETTINGS)}")
    yield
