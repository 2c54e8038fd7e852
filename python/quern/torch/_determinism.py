"""torch.use_deterministic_algorithms and its relatives: whether a program gives the same bits each time."""

from quern.lib import _engine

_warns_only = [False]


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Set whether operations must give the same bits each time.

    Sums have one order already. With True, convolutions on a GPU use only algorithms of cuDNN that are deterministic. The values of
    `scatter_add`, `index_add` and `put_` with `accumulate=True` may still differ in their last bits on a GPU.

    Parameters
    ----------
    mode : bool
        Whether they must.
    warn_only : bool, optional
        Accepted for compatibility: no operation raises an error because of `mode`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.use_deterministic_algorithms(True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    _engine.set_only_deterministic_algorithms(mode)
    _warns_only[0] = bool(mode and warn_only)


def are_deterministic_algorithms_enabled():
    """Return whether :func:`use_deterministic_algorithms` was called last with True.

    Returns
    -------
    bool
        Whether they are.

    Examples
    --------
    >>> from quern import torch
    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return _engine.only_deterministic_algorithms()


def is_deterministic_algorithms_warn_only_enabled():
    """Return whether :func:`use_deterministic_algorithms` was called last with True and ``warn_only=True``.

    Returns
    -------
    bool
        Whether it is so.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _warns_only[0]


def get_deterministic_debug_mode():
    """Return 0, or if deterministic algorithms are required 1 (with ``warn_only=True``) or 2.

    Returns
    -------
    int
        0, 1 or 2.

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_deterministic_debug_mode()
    0
    """
    return 0 if not are_deterministic_algorithms_enabled() else 1 if _warns_only[0] else 2


def set_deterministic_debug_mode(debug_mode):
    """Set whether operations must give the same bits each time, by a number or a word.

    Parameters
    ----------
    debug_mode : {0, 1, 2, 'default', 'warn', 'error'}
        0 and "default" are ``use_deterministic_algorithms(False)``, the others ``use_deterministic_algorithms(True)``, 1 and "warn" with
        ``warn_only=True``.

    Raises
    ------
    TypeError
        For something else than a number or a str.
    RuntimeError
        For another value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    words = {"default": 0, "warn": 1, "error": 2}
    if isinstance(debug_mode, str):
        if debug_mode not in words:
            raise RuntimeError(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}")
        debug_mode = words[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)
