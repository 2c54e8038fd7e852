"""Regions of mixed precision. Which function computes in which dtype is a table of the engine."""

import collections.abc
import functools

import numpy

from quern.torch import _autocast as state
from quern.torch import _types, cuda
from quern.torch._core import Tensor
from quern.user_files import warn_user

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_DTYPES = tuple(_types.DTYPES[name] for name in ("bfloat16", "float16"))


def is_autocast_available(device_type):
    """Return whether autocast exists for a type of devices.

    Parameters
    ----------
    device_type : str
        The type of devices.

    Returns
    -------
    bool
        True for "cpu" and "cuda".

    Examples
    --------
    >>> from quern import torch
    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return _types.device(device_type).type in ("cpu", "cuda")


class autocast:
    """Compute matrix products, convolutions and attention in 16 bits, and what needs digits in float32: a region or a decorator.

    Casts of weights are kept until the outermost region ends, so that each weight is cast once; its gradient arrives in float32.

    Parameters
    ----------
    device_type : {"cuda", "cpu"}
        The type of devices.
    dtype : dtype, optional
        Dtype of products, float16 or bfloat16; None is ``torch.get_autocast_dtype(device_type)``: float16 for "cuda", bfloat16 for
        "cpu".
    enabled : bool, optional
        Whether the region casts; False within another region computes in the operands' dtypes.
    cache_enabled : bool, optional
        Whether casts of weights are kept; None is ``torch.is_autocast_cache_enabled()``.

    Raises
    ------
    ValueError
        For a `device_type` that is not a string.
    RuntimeError
        For another type of devices.

    Examples
    --------
    >>> from quern import torch
    >>> a = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     print((a @ a).dtype, torch.nn.functional.mse_loss(a @ a, a).dtype)
    torch.bfloat16 torch.float32
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = state.get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = state.is_autocast_cache_enabled() if cache_enabled is None else bool(cache_enabled)
        if enabled and device_type == "cuda" and not cuda.is_available():
            warn_user("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        if enabled and self.fast_dtype not in _DTYPES:
            name = device_type.upper()
            warn_user(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of {', '.join(map(str, _DTYPES))} currently."
            )
            enabled = False
        self._enabled = bool(enabled)

    def __enter__(self):
        self.prev_cache_enabled = state.is_autocast_cache_enabled()
        self.prev = state.is_autocast_enabled(self.device)
        self.prev_fastdtype = state.get_autocast_dtype(self.device)
        state.set_autocast_enabled(self.device, self._enabled)
        if self.fast_dtype is not self.prev_fastdtype:
            state.set_autocast_dtype(self.device, self.fast_dtype)
        state.autocast_increment_nesting()
        state.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        if state.autocast_decrement_nesting() == 0:
            state.clear_autocast_cache()
        state.set_autocast_enabled(self.device, self.prev)
        if self.fast_dtype is not self.prev_fastdtype:
            state.set_autocast_dtype(self.device, self.prev_fastdtype)
        state.set_autocast_cache_enabled(self.prev_cache_enabled)
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as a context manager? "
                "For example:\n    with torch.autocast(device_type=...):\n        output = model(input)"
            )

        @functools.wraps(func)
        def decorated(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return decorated


def _cast(value, device_type, dtype):
    if isinstance(value, Tensor):
        is_eligible = value.is_floating_point() and value.device.type == device_type and value.dtype is not _types.DTYPES["float64"]
        return value.to(dtype) if is_eligible else value
    if isinstance(value, (str, bytes, numpy.ndarray)):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, collections.abc.Iterable):
        made = (_cast(v, device_type, dtype) for v in value)
        return type(value)(made) if isinstance(value, (list, tuple)) else made
    return value


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorate ``forward()`` of an :class:`torch.autograd.Function` for mixed precision.

    Parameters
    ----------
    fwd : callable, optional
        The method; None returns a decorator.
    device_type : {"cuda", "cpu"}
        The type of devices.
    cast_inputs : dtype, optional
        Dtype to which floating-point inputs are cast within a region, where the method then runs without casts.

    Returns
    -------
    callable
        The decorated method.

    Raises
    ------
    ValueError
        For a `device_type` that is not a string.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx, *args, **kwargs):
        ctx._dtype = state.get_autocast_dtype(device_type)
        is_on = state.is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = is_on and cast_inputs is None
        if cast_inputs is None or not is_on:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd=None, *, device_type):
    """Decorate ``backward()`` of an :class:`torch.autograd.Function`: it runs in the state that ``forward()`` had.

    Parameters
    ----------
    bwd : callable, optional
        The method; None returns a decorator.
    device_type : {"cuda", "cpu"}
        The type of devices.

    Returns
    -------
    callable
        The decorated method.

    Raises
    ------
    ValueError
        For a `device_type` that is not a string.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx, *args, **kwargs):
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return decorated
