"""Parametrizations of weights: orthogonal ones, ones of a length and a direction, and ones whose largest singular value is 1."""

from quern.torch import _namespace as torch
from quern.torch import linalg
from quern.torch.nn import functional as F  # noqa: N812
from quern.torch.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from quern.torch.nn.modules.module import Module
from quern.torch.nn.utils import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

TRANSPOSED = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)


def lengths_along(v, dim):
    """The norms of the parts of a tensor at each index of a dimension; -1: the norm of all elements."""
    return v.norm() if dim == -1 else v.norm(2, [axis for axis in range(v.dim()) if axis != dim], keepdim=True)


def scaled_direction(v, g, dim):
    """The direction of `v` with the length `g`, apart for each index of a dimension; -1: of all elements together."""
    return v * (g / lengths_along(v, dim))


def as_matrix(weight, dim):
    """A weight as a matrix with a row for each index of a dimension."""
    return (weight if dim == 0 else weight.movedim(dim, 0)).flatten(1)


def _weight_of(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def _with_orthogonal_columns(a):
    """The orthogonal factor of a matrix whose triangular factor has a positive diagonal."""
    q, r = linalg.qr(a)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):  # noqa: N803
        is_wide = X.size(-2) < X.size(-1)
        x = X.mT if is_wide else X
        q = self._reflected(x) if self.orthogonal_map == "householder" else self._rotation(x)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if is_wide else q

    def _rotation(self, x):
        n, k = x.shape[-2:]
        lower = x.tril()
        if n != k:
            lower = torch.cat([lower, lower.new_zeros((*x.shape[:-2], n, n - k))], dim=-1)
        skew = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            return torch.matrix_exp(skew)[..., :k]
        one = torch.eye(n, dtype=skew.dtype, device=skew.device)
        return linalg.solve(one - 0.5 * skew, one + 0.5 * skew)[..., :k]

    def _reflected(self, x):
        lower = x.tril(diagonal=-1)
        q = linalg.householder_product(lower, 2.0 / (1.0 + lower.square().sum(dim=-2)))
        return q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def right_inverse(self, Q):  # noqa: N803
        with torch.no_grad():
            return self._original_of(Q)

    def _original_of(self, given):
        if given.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {given.shape}.")
        is_wide = given.size(-2) < given.size(-1)
        q = given.mT if is_wide else given
        n, k = q.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when use_trivialization=False."
                )
            a, tau = torch.geqrf(q)
            signs = a.diagonal(dim1=-2, dim2=-1).sign()
            a = a - torch.diag_embed(a.diagonal(dim1=-2, dim2=-1), dim1=-2, dim2=-1)[..., :n, :k] if n == k else a.tril(-1) + a.triu(1)
            diagonal = torch.where(tau == 0, -signs, signs)
            places = torch.arange(k, device=a.device)
            a[..., places, places] = diagonal
            return a.mT if is_wide else a
        if n != k:
            q = _with_orthogonal_columns(torch.cat([q, torch.randn(*q.shape[:-2], n, n - k, dtype=q.dtype, device=q.device)], dim=-1))
        elif not self._is_orthogonal(q):
            q = _with_orthogonal_columns(q)
        self.base = q.clone()
        original = torch.zeros_like(given)
        original.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return original

    def _is_orthogonal(self, q):
        one = torch.eye(q.size(-1), dtype=q.dtype, device=q.device)
        return torch.allclose(q.mH @ q, one.expand(q.shape), atol=10.0 * q.size(-2) * torch.finfo(q.dtype).eps)


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Make a matrix of a module orthogonal: its rows or columns, the fewer ones, are unit vectors at right angles.

    Parameters
    ----------
    module : Module
        Module with the matrix, or matrices.
    name : str, optional
        Name of the matrix.
    orthogonal_map : str, optional
        ``"matrix_exp"``, ``"cayley"`` or ``"householder"``; by default the first one for square and complex matrices, else the last one.
    use_trivialization : bool, optional
        Whether the map is applied around the current matrix, so that a matrix can be assigned.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    ValueError
        For a name without a tensor, a tensor with fewer than two dimensions, or an unknown map.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(3), atol=1e-5)
    True
    """
    weight = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return scaled_direction(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return lengths_along(weight, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Make a weight the product of lengths and a direction (Salimans and Kingma, 2016), two parameters.

    Parameters
    ----------
    module : Module
        Module with the weight.
    name : str, optional
        Name of the weight.
    dim : int, optional
        Dimension whose indices have a length each; None: one length of all elements.

    Returns
    -------
    Module
        The module.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([2, 1])
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_old_names(state_dict, prefix, *others):
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(take_old_names)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim).detach()
            for key, size in (("_u", matrix.size(0)), ("_v", matrix.size(1))):
                drawn = torch.empty(size, dtype=matrix.dtype, device=matrix.device).normal_(0, 1)
                self.register_buffer(key, F.normalize(drawn, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _iterate(self, matrix, count):
        """The power method: both singular vectors come closer to those of the largest singular value."""
        with torch.no_grad():
            for _ in range(count):
                self._u.copy_(F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(torch.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        return weight / torch.vdot(self._u.clone(), torch.mv(matrix, self._v.clone()))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value, which the power method estimates (Miyato et al., 2018).

    Parameters
    ----------
    module : Module
        Module with the weight.
    name : str, optional
        Name of the weight.
    n_power_iterations : int, optional
        Iterations at each use while the module trains.
    eps : float, optional
        Least length of vectors that are divided by their lengths.
    dim : int, optional
        Dimension of the outputs: 1 of transposed convolutions, else 0.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    ValueError
        For a name without a tensor, or no iterations.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 2), n_power_iterations=9)
    >>> abs(torch.linalg.matrix_norm(layer.weight, 2).item() - 1) < 0.1
    True
    """
    weight = _weight_of(module, name)
    if dim is None:
        dim = 1 if isinstance(module, TRANSPOSED) else 0
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
