"""Multivariate normal distributions, of a full covariance or a low-rank one, and distributions of matrices."""

import math

from quern.torch import _namespace as torch
from quern.torch import linalg
from quern.torch._matrix_functions import cholesky_inverse
from quern.torch.distributions import constraints
from quern.torch.distributions._positive import Beta, Gamma
from quern.torch.distributions.distribution import Distribution, ExponentialFamily, expand_parameters
from quern.torch.distributions.utils import is_number, lazy_property, standard_normal

_LOG_2_PI = math.log(2 * math.pi)


def _times_vectors(matrices, vectors):
    return torch.matmul(matrices, vectors.unsqueeze(-1)).squeeze(-1)


def _lengths(factor, vectors):
    """The squared Mahalanobis lengths of vectors (S..., B..., N) by lower factors (B..., N, N), which are not copied for each sample."""
    n, batch = vectors.shape[-1], factor.dim() - 2
    shape = torch.broadcast_shapes(vectors.shape[:-1], factor.shape[:-2])
    vectors = vectors.expand(shape + (n,))
    samples = len(shape) - batch
    order = (*range(samples, len(shape)), len(shape), *range(samples))
    columns = vectors.permute(order).reshape(shape[samples:] + (n, -1))
    lengths = linalg.solve_triangular(factor.expand(shape[samples:] + (n, n)), columns, upper=False).square().sum(-2)
    lengths = lengths.reshape(shape[samples:] + shape[:samples])
    return lengths.permute((*range(batch, len(shape)), *range(batch)))


def _log_of_diagonal(factor):
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def factor_of_inverse(matrix):
    """The lower Cholesky factor of the inverse of positive definite matrices."""
    flipped = linalg.cholesky(torch.flip(matrix, (-2, -1)))
    upper = torch.flip(flipped, (-2, -1)).mT
    one = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return linalg.solve_triangular(upper, one.expand(upper.shape), upper=False)


class MultivariateNormal(Distribution):
    """Multivariate normal distribution, by its covariance, the inverse of that, or its Cholesky factor.

    Parameters
    ----------
    loc : Tensor
        Mean, of shape (..., N).
    covariance_matrix : Tensor, optional
        Covariance, positive definite, of shape (..., N, N).
    precision_matrix : Tensor, optional
        Inverse of the covariance, in its place.
    scale_tril : Tensor, optional
        Lower Cholesky factor of the covariance, in its place.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For none or several of the matrices, for ones that violate their constraint, or for too few dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> normal = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> normal.log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    expand = expand_parameters

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril, "precision_matrix": precision_matrix}
        matrices = {name: matrix for name, matrix in matrices.items() if matrix is not None}
        if len(matrices) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = matrices.items()
        if matrix.dim() < 2:
            said = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{said} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + matrix.shape[-2:]))
        self.loc = loc.expand(batch_shape + loc.shape[-1:])
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._factor_of(name, matrix)

    @staticmethod
    def _factor_of(name, matrix):
        return {"scale_tril": lambda m: m, "covariance_matrix": linalg.cholesky, "precision_matrix": factor_of_inverse}[name](matrix)

    def _expanded(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """Lower Cholesky factor of the covariance."""
        return self._expanded(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """Covariance."""
        return self._expanded(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """Inverse of the covariance."""
        return self._expanded(cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self):
        """Mean."""
        return self.loc

    mode = mean

    @property
    def variance(self):
        """Variances of the elements."""
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        return self.loc + _times_vectors(self._unbroadcasted_scale_tril, standard_normal(self._extended_shape(sample_shape), self.loc))

    def log_prob(self, value):
        """Return the logarithm of the density at a vector."""
        self._check(value)
        lengths = _lengths(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * _LOG_2_PI + lengths) - _log_of_diagonal(self._unbroadcasted_scale_tril)

    def entropy(self):
        """Return the entropy in nats."""
        result = 0.5 * self._event_shape[0] * (1.0 + _LOG_2_PI) + _log_of_diagonal(self._unbroadcasted_scale_tril)
        return result.expand(self._batch_shape) if self._batch_shape else result


class LowRankMultivariateNormal(Distribution):
    """Multivariate normal distribution of the covariance ``cov_factor @ cov_factor.T + diag(cov_diag)``.

    Parameters
    ----------
    loc : Tensor
        Mean, of shape (..., N).
    cov_factor : Tensor
        Factor of the covariance, of shape (..., N, R).
    cov_diag : Tensor
        Diagonal of the covariance's rest, above 0, of shape (..., N).
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For shapes that do not fit, or a diagonal that is not positive.

    Examples
    --------
    >>> from quern import torch
    >>> normal = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.0], [0.0]]), torch.ones(2))
    >>> normal.variance
    tensor([2., 1.])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    expand = expand_parameters

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self.loc, self.cov_diag = loc.expand(batch_shape + event_shape), cov_diag.expand(batch_shape + event_shape)
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    @lazy_property
    def _capacitance_tril(self):
        """The lower Cholesky factor of I + W.T D**-1 W, by which the covariance is inverted (Woodbury)."""
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        one = torch.eye(w.shape[-1], dtype=w.dtype, device=w.device)
        return linalg.cholesky((w.mT / d.unsqueeze(-2)) @ w + one)

    def _expanded(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self):
        """Covariance."""
        w = self._unbroadcasted_cov_factor
        return self._expanded(w @ w.mT + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def scale_tril(self):
        """Lower Cholesky factor of the covariance."""
        return linalg.cholesky(self.covariance_matrix)

    @lazy_property
    def precision_matrix(self):
        """Inverse of the covariance."""
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        part = linalg.solve_triangular(self._capacitance_tril, w.mT / d.unsqueeze(-2), upper=False)
        return self._expanded(torch.diag_embed(d.reciprocal()) - part.mT @ part)

    @property
    def mean(self):
        """Mean."""
        return self.loc

    mode = mean

    @lazy_property
    def variance(self):
        """Variances of the elements."""
        result = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return result.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        shape = self._extended_shape(sample_shape)
        few = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc)
        own = standard_normal(shape, self.loc)
        return self.loc + _times_vectors(self._unbroadcasted_cov_factor, few) + self._unbroadcasted_cov_diag.sqrt() * own

    def log_determinant(self):
        """Logarithm of the covariance's determinant."""
        return 2 * _log_of_diagonal(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def log_prob(self, value):
        """Return the logarithm of the density at a vector."""
        self._check(value)
        lengths = low_rank_lengths(self, value - self.loc)
        return -0.5 * (self._event_shape[0] * _LOG_2_PI + self.log_determinant() + lengths)

    def entropy(self):
        """Return the entropy in nats."""
        result = 0.5 * (self._event_shape[0] * (1.0 + _LOG_2_PI) + self.log_determinant())
        return result.expand(self._batch_shape) if self._batch_shape else result


def low_rank_lengths(normal, vectors):
    """The squared Mahalanobis lengths of vectors by the covariance of a low-rank normal distribution."""
    w, d = normal._unbroadcasted_cov_factor, normal._unbroadcasted_cov_diag
    inner = _times_vectors(w.mT / d.unsqueeze(-2), vectors)
    return (vectors.square() / d).sum(-1) - _lengths(normal._capacitance_tril, inner)


class LKJCholesky(Distribution):
    """LKJ distribution of the lower Cholesky factors of correlation matrices (Lewandowski, Kurowicka and Joe, 2009).

    Parameters
    ----------
    dim : int
        Number of rows, 2 or more.
    concentration : Tensor or float, optional
        Concentration, above 0: with 1 all correlation matrices are as likely.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For a `dim` below 2.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.LKJCholesky(3, 0.5).sample().shape
    torch.Size([3, 3])
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        self.concentration = torch.tensor(concentration) if is_number(concentration) else concentration
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    expand = expand_parameters

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples, by the onion method: rows are unit vectors whose squared lengths without the diagonal are beta numbers."""
        with torch.no_grad():
            return self._onion(sample_shape)

    def _onion(self, sample_shape):
        like = self.concentration
        half = 0.5 * torch.arange(self.dim, dtype=like.dtype, device=like.device)  # of each row's number; the first one draws nothing
        beta = Beta(half.clamp(min=0.5), like.unsqueeze(-1) + 0.5 * (self.dim - 1) - half)
        square = beta.sample(sample_shape).unsqueeze(-1)
        rows = standard_normal(self._extended_shape(sample_shape), like).tril(-1)
        norms = rows.norm(dim=-1, keepdim=True)
        directions = rows / torch.where(norms == 0, 1.0, norms)  # the first row is 0
        is_first = torch.arange(self.dim, device=like.device).unsqueeze(-1) == 0
        square = torch.where(is_first, 0.0, square)
        lengths = torch.clamp(1 - square.squeeze(-1), min=torch.finfo(rows.dtype).tiny)
        return square.sqrt() * directions + torch.diag_embed(lengths.sqrt())

    def log_prob(self, value):
        """Return the logarithm of the density at a Cholesky factor."""
        self._check(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = (order * diagonal.log()).sum(dim=-1)
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        top = torch.lgamma(alpha) * count
        bottom = torch.mvlgamma(alpha - 0.5, count)
        return unnormalized - (0.5 * count * math.log(math.pi) + bottom - top)


class Wishart(ExponentialFamily):
    """Wishart distribution of positive definite matrices.

    Parameters
    ----------
    df : Tensor or float
        Degrees of freedom, above N - 1.
    covariance_matrix : Tensor, optional
        Scale matrix, positive definite, of shape (..., N, N).
    precision_matrix : Tensor, optional
        Inverse of the scale matrix, in its place.
    scale_tril : Tensor, optional
        Lower Cholesky factor of the scale matrix, in its place.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For none or several of the matrices, or degrees of freedom that are too few.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    expand = expand_parameters

    @property
    def arg_constraints(self):
        """Constraints of the parameters."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        matrices = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril, "precision_matrix": precision_matrix}
        matrices = {name: matrix for name, matrix in matrices.items() if matrix is not None}
        if len(matrices) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = matrices.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device) if is_number(df) else df
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
        if (df <= matrix.shape[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {matrix.shape[-1] - 1}.")
        setattr(self, name, matrix.expand(batch_shape + matrix.shape[-2:]))
        self.df = df.expand(batch_shape)
        self._event_shape = matrix.shape[-2:]
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = MultivariateNormal._factor_of(name, matrix)

    def _expanded(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """Lower Cholesky factor of the scale matrix."""
        return self._expanded(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """Scale matrix."""
        return self._expanded(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """Inverse of the scale matrix."""
        return self._expanded(cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self):
        """Mean."""
        return self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        """Mode; NaN for too few degrees of freedom."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor <= 0, math.nan, factor)
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        """Variances of the elements."""
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self.df.view(self._batch_shape + (1, 1)) * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def rsample(self, sample_shape=torch.Size(), max_try_correction=None):  # noqa: B008
        """Return samples through which gradients reach the parameters (Bartlett's decomposition)."""
        n, shape = self._event_shape[-1], self._extended_shape(sample_shape)
        degrees = self.df.unsqueeze(-1) - torch.arange(n, dtype=self.df.dtype, device=self.df.device)
        chi = Gamma(0.5 * degrees, 0.5, validate_args=False).rsample(sample_shape).clamp(min=torch.finfo(self.df.dtype).tiny).sqrt()
        lower = standard_normal(shape, self.df).tril(-1) + torch.diag_embed(chi)
        factor = self._unbroadcasted_scale_tril @ lower
        return factor @ factor.mT

    def _log_norm(self):
        n, df = self._event_shape[-1], self.df
        return df * (_log_of_diagonal(self._unbroadcasted_scale_tril) + n * math.log(2) / 2) + torch.mvlgamma(df / 2, n)

    def log_prob(self, value):
        """Return the logarithm of the density at a matrix."""
        self._check(value)
        n, factor = self._event_shape[-1], self._unbroadcasted_scale_tril
        solved = torch.cholesky_solve(value, factor.expand(value.shape[:-2] + factor.shape[-2:]))
        trace = solved.diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return -self._log_norm() + (self.df - n - 1) / 2 * linalg.slogdet(value).logabsdet - trace / 2

    def entropy(self):
        """Return the entropy in nats."""
        n, df = self._event_shape[-1], self.df
        places = torch.arange(n, dtype=df.dtype, device=df.device)
        psi = torch.digamma((df.unsqueeze(-1) - places) / 2).sum(-1)
        log_det = 2 * _log_of_diagonal(self._unbroadcasted_scale_tril) + n * math.log(2) + psi
        return self._log_norm() - (df - n - 1) / 2 * log_det + df * n / 2

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        n = self._event_shape[-1]
        return (y + (n + 1) / 2) * (-linalg.slogdet(-2 * x).logabsdet + math.log(2) * n) + torch.mvlgamma(y + (n + 1) / 2, n)
