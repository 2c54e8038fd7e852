"""Older names of interpolate(), which warn; interpolate() itself is a face of the engine's (bindings/faces/images.pyi)."""

import warnings

from quern.lib import _engine

_interpolate = _engine.functions_of("torch", "quern.torch.nn.functional", binds=False, submodule="nn.functional")["interpolate"]


def _warn(name):
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """Return the input in another size, as :func:`interpolate` does; this name is deprecated and warns.

    Parameters
    ----------
    input : Tensor
        Signals (N, C, L), images (N, C, H, W) or volumes (N, C, D, H, W).
    size : int or tuple of int, optional
        Sizes of the result.
    scale_factor : float or tuple of float, optional
        Sizes of the result divided by those of the input.
    mode : {'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear', 'area'}, optional
        How elements between those of the input are computed.
    align_corners : bool, optional
        Whether the elements at the corners keep their places.

    Returns
    -------
    Tensor
        Shape (N, C, sizes), in the input's dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.functional.upsample(torch.ones(1, 1, 2), scale_factor=2).shape
    torch.Size([1, 1, 4])
    """
    _warn("upsample")
    return _interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """Return the input with each element repeated, as :func:`interpolate` does; this name is deprecated and warns.

    Parameters
    ----------
    input : Tensor
        Signals (N, C, L), images (N, C, H, W) or volumes (N, C, D, H, W).
    size : int or tuple of int, optional
        Sizes of the result.
    scale_factor : float or tuple of float, optional
        Sizes of the result divided by those of the input.

    Returns
    -------
    Tensor
        Shape (N, C, sizes), in the input's dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.functional.upsample_nearest(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    _warn("upsample_nearest")
    return _interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """Return images between whose elements means are computed, the corners kept; this name is deprecated and warns.

    Parameters
    ----------
    input : Tensor
        Images (N, C, H, W).
    size : int or tuple of int, optional
        Sizes of the result.
    scale_factor : float or tuple of float, optional
        Sizes of the result divided by those of the input.

    Returns
    -------
    Tensor
        Shape (N, C, sizes), in the input's dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.functional.upsample_bilinear(torch.tensor([[[[1.0, 3.0]]]]), size=(1, 3))
    tensor([[[[1., 2., 3.]]]])
    """
    _warn("upsample_bilinear")
    return _interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
