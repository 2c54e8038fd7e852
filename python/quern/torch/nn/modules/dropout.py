"""Dropout: elements or channels that are left out at random in training."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class _DropoutNd(Module):
    """What all of them share. ``p``: the probability of being left out; ``inplace``: in the input's memory."""

    __constants__ = ["p", "inplace"]

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0.0 or p > 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Set elements to 0 at random in training; in evaluation, return the input.

    Parameters
    ----------
    p : float, optional
        Probability of 0, in [0, 1]; other elements are divided by ``1 - p``.
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    ValueError
        For a `p` outside of [0, 1].

    Notes
    -----
    The input is a floating-point tensor of any shape; the result has its shape and dtype.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.Dropout(0.25)
    >>> layer(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    >>> layer.eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Set channels of (N, C, L) or (C, L) to 0 at random in training.

    Parameters
    ----------
    p : float, optional
        Probability of 0, in [0, 1].
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    ValueError
        For a `p` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Dropout1d(0.0)(torch.ones(1, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, L) or (C, L)."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Set channels of (N, C, H, W) to 0 at random in training.

    Parameters
    ----------
    p : float, optional
        Probability of 0, in [0, 1].
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    ValueError
        For a `p` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Dropout2d(0.0)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2])
    """

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, H, W)."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Set channels of (N, C, D, H, W) or (C, D, H, W) to 0 at random in training.

    Parameters
    ----------
    p : float, optional
        Probability of 0, in [0, 1].
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    ValueError
        For a `p` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Dropout3d(0.0)(torch.ones(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, D, H, W) or (C, D, H, W)."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Mask elements at random in training so that mean 0 and variance 1 stay, for layers with :class:`SELU`.

    Parameters
    ----------
    p : float, optional
        Probability of 0, in [0, 1].
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    ValueError
        For a `p` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AlphaDropout(0.0)(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-2.0000,  0.5000,  3.0000])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """Mask channels of (N, C, ...) at random in training so that mean 0 and variance 1 stay.

    Parameters
    ----------
    p : float, optional
        Probability of 0, in [0, 1].
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    ValueError
        For a `p` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.FeatureAlphaDropout(0.0)(torch.ones(1, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, ...)."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
