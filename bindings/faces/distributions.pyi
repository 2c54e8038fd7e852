"""The faces of distributions of random numbers. How to read and write these files stands in tools/faces.py."""

class random:
    """Draw numbers in [0, 1), all equally likely: float64 or float32. ``out``: an array that takes them.

    >>> random.random(2).shape
    (2,)
    """

    def Generator(self, size=None, dtype=float, out=None): ...
    @named("random_sample", "random", "ranf", "sample")
    def RandomState(self, size=None, dtype=float): ...
    @named("rand")
    def RandomState(self, *shape: any | None, dtype=float): ...
    CupyGenerator = Generator
    CupyRandomState = RandomState

class standard_normal:
    """Draw from the normal distribution with mean 0 and standard deviation 1: float64 or float32.

    >>> random.standard_normal(2).shape
    (2,)
    """

    def Generator(self, size=None, dtype=float, out=None): ...
    def RandomState(self, size=None, dtype=float): ...
    @named("randn")
    def RandomState(self, *shape: any | None, dtype=float): ...
    CupyGenerator = Generator
    CupyRandomState = RandomState

class standard_exponential:
    """Draw from the exponential distribution with mean 1.

    >>> random.standard_exponential(2).shape
    (2,)
    """

    def Generator(self, size=None, dtype=float, method: ignored = "zig", out=None): ...
    def RandomState(self, size=None, dtype=float): ...
    CupyGenerator = Generator
    CupyRandomState = RandomState

class standard_gamma:
    """Draw from the gamma distribution with scale 1. Raises ValueError for a negative ``shape``.

    >>> random.standard_gamma(3, 2).shape
    (2,)
    """

    def Generator(self, shape, size=None, dtype=float, out=None): ...
    def RandomState(self, shape, size=None): ...
    CupyGenerator = Generator
    def CupyRandomState(self, shape, size=None, dtype=float): ...
    @submodule("random")
    @named("gamma")
    def keras(shape, alpha, dtype=None, seed=None): ...

class standard_cauchy:
    """Draw from the Cauchy distribution around 0.

    >>> random.standard_cauchy(2).shape
    (2,)
    """

    def Generator(self, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class uniform_in_order:
    """Draw numbers in [low, high), all equally likely. Limits may be arrays. Raises ValueError where ``high`` is below ``low``,
    OverflowError for a range that is infinite.

    >>> random.default_rng(0).uniform([0.0, 10.0], [1.0, 11.0]) // 1
    array([ 0., 10.])
    """

    @named("uniform")
    def Generator(self, low=0.0, high=1.0, size=None, dtype=float): ...

class uniform:
    """Draw numbers between low and high, all equally likely. Limits may be arrays. Raises OverflowError for a range that is infinite.

    >>> random.uniform(-1, 1, 2).shape
    (2,)
    """

    def RandomState(self, low=0.0, high=1.0, size=None, dtype=float): ...
    CupyGenerator = CupyRandomState = RandomState

class normal:
    """Draw from the normal distribution with mean ``loc`` and standard deviation ``scale``, which may be arrays.

    Raises ValueError for a negative ``scale``.

    >>> random.normal(0, 2, 2).shape
    (2,)
    """

    def Generator(self, loc=0.0, scale=1.0, size=None, dtype=float): ...
    RandomState = Generator
    CupyGenerator = CupyRandomState = Generator

class exponential:
    """Draw from the exponential distribution with mean ``scale``. Raises ValueError for a negative ``scale``.

    >>> random.exponential(3, 2).shape
    (2,)
    """

    def Generator(self, scale=1.0, size=None, dtype=float): ...
    RandomState = Generator
    CupyGenerator = CupyRandomState = Generator

class lognormal:
    """Draw numbers whose logarithms are of the normal distribution.

    >>> random.lognormal(0, 1, 2).shape
    (2,)
    """

    def Generator(self, mean=0.0, sigma=1.0, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, mean=0.0, sigma=1.0, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class laplace:
    """Draw from the Laplace distribution around ``loc``.

    >>> random.laplace(0, 1, 2).shape
    (2,)
    """

    def Generator(self, loc=0.0, scale=1.0, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, loc=0.0, scale=1.0, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class logistic:
    """Draw from the logistic distribution around ``loc``.

    >>> random.logistic(0, 1, 2).shape
    (2,)
    """

    def Generator(self, loc=0.0, scale=1.0, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, loc=0.0, scale=1.0, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class gumbel:
    """Draw from the Gumbel distribution: largest values.

    >>> random.gumbel(0, 1, 2).shape
    (2,)
    """

    def Generator(self, loc=0.0, scale=1.0, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, loc=0.0, scale=1.0, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class rayleigh:
    """Draw from the Rayleigh distribution.

    >>> random.rayleigh(1, 2).shape
    (2,)
    """

    def Generator(self, scale=1.0, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, scale=1.0, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class weibull:
    """Draw from the Weibull distribution of shape ``a``.

    >>> random.weibull(2, 2).shape
    (2,)
    """

    def Generator(self, a, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, a, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class pareto:
    """Draw from the Pareto II (Lomax) distribution of shape ``a``.

    >>> random.pareto(3, 2).shape
    (2,)
    """

    def Generator(self, a, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, a, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class power_of_unit:
    """Draw numbers in [0, 1], as likely as x ** (a - 1).

    >>> random.power(3, 2).shape
    (2,)
    """

    @named("power")
    def Generator(self, a, size=None): ...
    RandomState = Generator
    @named("power")
    def CupyGenerator(self, a, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class triangular:
    """Draw from the triangular distribution. Raises ValueError unless left <= mode <= right and left < right.

    >>> random.triangular(0, 1, 2, 2).shape
    (2,)
    """

    def Generator(self, left, mode, right, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, left, mode, right, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class wald:
    """Draw from the inverse Gaussian distribution. Raises ValueError unless both parameters are above 0.

    >>> random.wald(1, 1, 2).shape
    (2,)
    """

    def Generator(self, mean, scale, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, mean, scale, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class vonmises:
    """Draw angles in [-pi, pi] around ``mu``, closer to it the larger ``kappa`` is. Raises ValueError for a negative ``kappa``.

    >>> random.vonmises(0, 4, 2).shape
    (2,)
    """

    def Generator(self, mu, kappa, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, mu, kappa, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class gamma:
    """Draw from the gamma distribution. Raises ValueError for negative parameters.

    >>> random.gamma(2, 1, 2).shape
    (2,)
    """

    def Generator(self, shape, scale=1.0, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, shape, scale=1.0, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class beta:
    """Draw from the beta distribution, in [0, 1]. Raises ValueError unless both parameters are above 0.

    >>> random.beta(2, 3, 2).shape
    (2,)
    """

    def Generator(self, a, b, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, a, b, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator
    @submodule("random")
    def keras(shape, alpha, beta, dtype=None, seed=None): ...

class dirichlet:
    """Draw numbers that sum to 1 along the last axis. Raises ValueError for a negative ``alpha``, TypeError for a scalar.

    >>> random.default_rng(0).dirichlet([1.0, 2.0, 3.0], 2).shape
    (2, 3)
    """

    def Generator(self, alpha, size=None): ...

class dirichlet_above_zero:
    """Draw numbers that sum to 1 along the last axis. Raises ValueError (cupy: none) unless ``alpha`` is above 0, TypeError for a scalar.

    >>> random.dirichlet([1, 2, 3], 2).shape
    (2, 3)
    """

    @named("dirichlet")
    def RandomState(self, alpha, size=None): ...

class dirichlet_of_one_too:
    """Draw numbers that sum to 1 along the last axis: one for each of ``alpha``; for a single ``alpha`` as many as ``size`` has there.

    >>> random.default_rng(0).dirichlet(array([1.0, 2.0, 3.0]), 2).shape
    (2, 3)
    """

    @named("dirichlet")
    def CupyGenerator(self, alpha, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class chisquare:
    """Draw sums of ``df`` squares of normal numbers. Raises ValueError unless ``df`` is above 0.

    >>> random.chisquare(3, 2).shape
    (2,)
    """

    def Generator(self, df, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, df, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class noncentral_chisquare:
    """Draw sums of ``df`` squares of normal numbers around means whose squares sum to ``nonc``. Raises ValueError unless df > 0, nonc >=
    0.

    >>> random.noncentral_chisquare(3, 1, 2).shape
    (2,)
    """

    def Generator(self, df, nonc, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, df, nonc, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class f:
    """Draw from the F distribution: the ratio of two chi-square means.

    >>> random.f(2, 3, 2).shape
    (2,)
    """

    def Generator(self, dfnum, dfden, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, dfnum, dfden, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class noncentral_f:
    """Draw from the F distribution with a numerator of :meth:`noncentral_chisquare`. Raises ValueError unless dfnum, dfden > 0, nonc >=
    0.

    >>> random.noncentral_f(2, 3, 1, 2).shape
    (2,)
    """

    def Generator(self, dfnum, dfden, nonc, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, dfnum, dfden, nonc, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class standard_t:
    """Draw from Student's t distribution with ``df`` degrees of freedom.

    >>> random.standard_t(3, 2).shape
    (2,)
    """

    def Generator(self, df, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, df, size=None, dtype=float): ...
    CupyRandomState = CupyGenerator

class poisson:
    """Draw how many rare events there are, ``lam`` on average: int64. Raises ValueError for a negative or too large ``lam``.

    >>> random.poisson(4, 2).shape
    (2,)
    """

    def Generator(self, lam=1.0, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, lam=1.0, size=None, dtype=int): ...
    CupyRandomState = CupyGenerator

class binomial:
    """Draw how many of ``n`` tries succeed, each with probability ``p``: int64. Raises ValueError for p outside [0, 1] or n < 0.

    >>> random.binomial(10, 0.5, 2).shape
    (2,)
    """

    def Generator(self, n, p, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, n, p, size=None, dtype=int): ...
    CupyRandomState = CupyGenerator
    @submodule("random")
    def keras(shape, counts, probabilities, dtype=None, seed=None): ...

class negative_binomial:
    """Draw how many tries fail before ``n`` succeed: int64.

    >>> random.negative_binomial(3, 0.5, 2).shape
    (2,)
    """

    def Generator(self, n, p, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, n, p, size=None, dtype=int): ...
    CupyRandomState = CupyGenerator

class geometric:
    """Draw how many tries it takes to succeed once, each with probability ``p``: int64.

    >>> random.geometric(0.5, 2).shape
    (2,)
    """

    def Generator(self, p, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, p, size=None, dtype=int): ...
    CupyRandomState = CupyGenerator

class logseries:
    """Draw natural numbers of the logarithmic distribution: int64. Raises ValueError unless 0 <= p < 1.

    >>> random.logseries(0.5, 2).shape
    (2,)
    """

    def Generator(self, p, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, p, size=None, dtype=int): ...
    CupyRandomState = CupyGenerator

class zipf:
    """Draw natural numbers, each as likely as its power to ``-a``: int64. Raises ValueError unless ``a`` is above 1.

    >>> random.zipf(2, 2).shape
    (2,)
    """

    def Generator(self, a, size=None): ...
    RandomState = Generator
    def CupyGenerator(self, a, size=None, dtype=int): ...
    CupyRandomState = CupyGenerator

class integers:
    """Draw integers in [low, high), all equally likely; in [0, low) without ``high``; ``endpoint``: ``high`` is one of them.

    Limits may be arrays. Raises ValueError for limits outside of ``dtype``, and for an empty range.

    >>> random.randint(0, 6, 2).shape
    (2,)
    """

    def Generator(self, low, high=None, size=None, dtype=int, endpoint=False): ...
    @named("randint")
    def RandomState(self, low, high=None, size=None, dtype=int): ...
    CupyGenerator = Generator
    CupyRandomState = RandomState

class integers_to_end:
    """Draw integers in [low, high]; in [1, low] without ``high``.

    >>> random.random_integers(1, 6, 2).shape
    (2,)
    """

    @named("random_integers")
    def RandomState(self, low, high=None, size=None): ...
    CupyRandomState = RandomState

class tomaxint:
    """Draw integers from 0 to the largest int64.

    >>> random.RandomState(0).tomaxint(3).dtype
    dtype('int64')
    """

    def RandomState(self, size=None): ...
    CupyRandomState = RandomState

class choice:
    """Return random elements of an array, or of range(a) for an int.

    Parameters: ``size``: shape of the picks, by default one element; ``axis``: the axis along which elements are picked; ``p``:
    probability of each element, by default all equal. Raises ValueError where ``p`` are not probabilities whose sum is 1, and for more
    draws than there are elements.

    >>> random.choice([1, 2, 3], 2).shape
    (2,)
    """

    def Generator(self, a, size=None, replace=True, p=None, axis=0, shuffle: ignored = True): ...
    def RandomState(self, a, size=None, replace=True, p=None): ...
    CupyGenerator = Generator
    CupyRandomState = RandomState

class permutation:
    """Return a copy of an array in random order; of an int, range() of it in random order.

    Parameters: ``axis``: the axis along which the order changes.

    >>> random.permutation(5).shape
    (5,)
    """

    def Generator(self, x, axis=0): ...
    def RandomState(self, x): ...
    CupyGenerator = Generator
    @named("permutation")
    def CupyRandomState(self, a): ...
    @submodule("random")
    @named("shuffle")
    def keras(x, axis=0, seed=None): ...

class permuted:
    """Return a copy of ``a`` in which each line along ``axis`` has an order of its own; without one all elements.

    >>> sorted(random.default_rng(0).permuted(array([3, 1, 2])).tolist())
    [1, 2, 3]
    """

    def Generator(self, x, *, axis=None, out=None): ...
    CupyGenerator = Generator

class hypergeometric:
    """Draw how many good ones are among ``nsample`` picked of ``ngood`` good and ``nbad`` bad ones: int64.

    Raises ValueError for negative numbers, and for more samples than items. The values of array parameters are checked; very large
    ones, and very many, are drawn by NumPy on the host.

    >>> random.hypergeometric(5, 5, 3, 2).shape
    (2,)
    """

    def Generator(self, ngood, nbad, nsample, size=None): ...
    RandomState = Generator

class hypergeometric_at_most:
    """Draw how many good ones are among ``nsample`` picked of ``ngood`` good and ``nbad`` bad ones, all of them at most: int64.

    Raises ValueError for a negative number, and for ``nsample`` below 1.

    >>> random.default_rng(0).hypergeometric(5, 0, 3, size=2)
    array([3, 3])
    """

    @named("hypergeometric")
    def CupyGenerator(self, ngood, nbad, nsample, size=None, dtype=int): ...
    CupyRandomState = CupyGenerator

class multivariate_hypergeometric:
    """Draw how many of each color are among ``nsample`` picked of ``colors[i]`` of color i: int64, one axis more than ``size``.

    ``method`` changes nothing. Raises ValueError for negative numbers, and for more samples than items. Draws of many are NumPy's,
    on the host.

    >>> random.default_rng(0).multivariate_hypergeometric([2, 3], 5)
    array([2, 3])
    """

    def Generator(self, colors, nsample, size=None, method="marginals"): ...
    CupyGenerator = Generator

class multinomial:
    """Draw how often each of several outcomes comes in ``n`` tries: int64, one axis more than ``size``.

    Parameters: ``n``: the tries, a number or an array; ``pvals``: how likely each outcome is, along the last axis; the last one takes what
    the others leave of 1. Raises ValueError for a negative ``n``, and where ``pvals`` are no probabilities.

    >>> random.multinomial(10, [0.5, 0.5], 2).shape
    (2, 2)
    """

    def Generator(self, n, pvals, size=None): ...
    RandomState = CupyGenerator = CupyRandomState = Generator

class multivariate_normal:
    """Draw vectors of normal numbers with these means and covariances.

    Parameters: ``mean``: a vector; ``cov``: a symmetric matrix without negative eigenvalues; ``size``: the shape in front;
    ``check_valid``: "warn", "raise" or "ignore", what to do where ``cov`` is none, within ``tol``; ``method``: "svd", "eigh" or
    "cholesky". Raises ValueError for shapes that do not fit.

    >>> random.multivariate_normal([0, 0], [[1, 0], [0, 1]], 2).shape
    (2, 2)
    """

    def Generator(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"): ...
    def RandomState(self, mean, cov, size=None, check_valid="warn", tol=1e-8): ...
    def CupyGenerator(self, mean, cov, size=None, check_valid="warn", tol=1e-8, method="svd", dtype=float): ...
    CupyRandomState = CupyGenerator

@submodule("random")
class scaled_normal:
    """Draw numbers of a normal distribution.

    >>> keras.random.normal((2, 3), mean=10.0, stddev=0.1, seed=1).shape
    (2, 3)
    """

    @named("normal")
    def keras(shape, mean=0.0, stddev=1.0, dtype=None, seed=None): ...

@submodule("random")
class scaled_unit:
    """Draw numbers in [minval, maxval), all equally likely.

    >>> keras.random.uniform((2,), minval=3.0, maxval=4.0, seed=1) // 1
    array([3., 3.], dtype=float32)
    """

    @named("uniform")
    def keras(shape, minval=0.0, maxval=1.0, dtype=None, seed=None): ...

@submodule("random")
class truncated_normal:
    """Draw numbers of a normal distribution, none of them further than two standard deviations from the mean.

    >>> keras.ops.max(keras.ops.abs(keras.random.truncated_normal((1000,), seed=1))) <= 2
    array(True)
    """

    def keras(shape, mean=0.0, stddev=1.0, dtype=None, seed=None): ...

@submodule("random")
class integers_by_unit:
    """Draw integers in [minval, maxval), all equally likely.

    >>> keras.ops.unique(keras.random.randint((1000,), 3, 6, seed=1))
    array([3, 4, 5], dtype=int32)
    """

    @named("randint")
    def keras(shape, minval, maxval, dtype="int32", seed=None): ...

@submodule("random")
class places_by_logarithm:
    """Draw places by the logarithms of their odds: for each row of ``logits``, ``num_samples`` of them.

    >>> keras.random.categorical(keras.ops.array([[0.0, 1000.0, 0.0]]), 4, seed=1)
    array([[1, 1, 1, 1]], dtype=int32)
    """

    @named("categorical")
    def keras(logits, num_samples, dtype="int64", seed=None): ...

@submodule("random")
class dropped:
    """Return the inputs with each element 0 with probability ``rate``, all others divided by 1 - rate.

    >>> keras.ops.unique(keras.random.dropout(keras.ops.ones(1000), 0.75, seed=1))
    array([0., 4.], dtype=float32)
    """

    @named("dropout")
    def keras(inputs, rate, noise_shape=None, seed=None): ...

class rand:
    """Draw numbers in [0, 1), all equally likely, of that ``size``.

    >>> torch.rand(2, 3).shape
    torch.Size([2, 3])
    """

    def torch(*size, generator=None, **new): ...

class randn:
    """Draw numbers of the standard normal distribution, of that ``size``.

    >>> torch.randn(2, 3, dtype=torch.float64).dtype
    torch.float64
    """

    def torch(*size, generator=None, **new): ...

class rand_like:
    """Draw numbers in [0, 1), of the size and type of ``input``.

    >>> torch.rand_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def torch(input: array, *, generator=None, **like): ...

class randn_like:
    """Draw numbers of the standard normal distribution, of the size and type of ``input``.

    >>> torch.randn_like(torch.zeros(2, 3, dtype=torch.float64)).dtype
    torch.float64
    """

    def torch(input: array, *, generator=None, **like): ...

class randint:
    """Draw integers in [low, high), all equally likely; ``randint(high, size)`` starts at 0.

    >>> torch.randint(3, 6, (1000,)).unique()
    tensor([3, 4, 5])
    """

    @overload
    def torch(low, high, size: integers, *, generator=None, **new): ...
    @overload
    def torch(high, size: integers, *, generator=None, **new): ...

class randint_like:
    """Draw integers in [low, high), of the size and type of ``input``; ``randint_like(input, high)`` starts at 0.

    >>> torch.randint_like(torch.zeros(1000), 2).unique()
    tensor([0., 1.])
    """

    @overload
    def torch(input: array, low, high, **like): ...
    @overload
    def torch(input: array, high, **like): ...

class randperm:
    """Return the numbers 0 to ``n`` - 1 in random order.

    >>> torch.randperm(5).sort().values
    tensor([0, 1, 2, 3, 4])
    """

    def torch(n: integer, *, generator=None, **new): ...

class uniform_for:
    """Fill the tensor with numbers in [from, to); returns it.

    >>> torch.zeros(1000).uniform_(3, 4).floor().unique()
    tensor([3.])
    """

    @named("uniform_")
    def Tensor(self: array, from_: number = 0.0, to: number = 1.0, *, generator=None): ...

class normal_for:
    """Fill the tensor with numbers of a normal distribution; returns it.

    >>> torch.zeros(3).normal_(mean=5.0, std=0.0)
    tensor([5., 5., 5.])
    """

    @named("normal_")
    def Tensor(self: array, mean: number = 0.0, std: number = 1.0, *, generator=None): ...

class exponential_for:
    """Fill the tensor with numbers of the exponential distribution of that rate; returns it.

    >>> (torch.zeros(1000).exponential_() > 0).all()
    tensor(True)
    """

    @named("exponential_")
    def Tensor(self: array, lambd: number = 1, *, generator=None): ...

class cauchy_for:
    """Fill the tensor with numbers of the Cauchy distribution; returns it.

    >>> torch.zeros(2, 3).cauchy_().shape
    torch.Size([2, 3])
    """

    @named("cauchy_")
    def Tensor(self: array, median: number = 0, sigma: number = 1, *, generator=None): ...

class lognormal_for:
    """Fill the tensor with numbers whose logarithms are normal; returns it.

    >>> (torch.zeros(1000).log_normal_() > 0).all()
    tensor(True)
    """

    @named("log_normal_")
    def Tensor(self: array, mean: number = 1, std: number = 2, *, generator=None): ...

class geometric_for:
    """Fill the tensor with how many trials of probability ``p`` it takes; returns it.

    >>> torch.zeros(1000).geometric_(0.5).min()
    tensor(1.)
    """

    @named("geometric_")
    def Tensor(self: array, p: number, *, generator=None): ...

class random_for:
    """Fill the tensor with integers in [from, to), by default all that its type has from 0 on; returns it.

    >>> torch.zeros(1000).random_(0, 3).unique()
    tensor([0., 1., 2.])
    """

    @named("random_")
    def Tensor(self: array, from_=None, to=None, *, generator=None): ...

class bernoulli_for:
    """Fill the tensor with ones of probability ``p``, a number or a tensor, and zeros; returns it.

    >>> torch.zeros(1000).bernoulli_(0.5).unique()
    tensor([0., 1.])
    """

    @named("bernoulli_")
    def Tensor(self: array, p: operand = 0.5, *, generator=None): ...

class bernoulli:
    """Return 1 with the probability that each element says, or ``p``, and else 0.

    >>> torch.bernoulli(torch.tensor([0.0, 1.0, 1.0]))
    tensor([0., 1., 1.])
    """

    def torch(input: array, p: number = None, *, generator=None, out=None): ...

class normal_around:
    """Return numbers of normal distributions whose means or standard deviations are tensors.

    >>> torch.normal(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    tensor([1., 2.])
    """

    @overload
    @named("normal")
    def torch(mean: array, std: operand = 1.0, *, generator=None, out=None): ...
    @overload
    @named("normal")
    def torch(mean: operand, std: array, *, generator=None, out=None): ...

class normal_of_numbers:
    """Return numbers of one normal distribution, of that ``size``.

    >>> torch.normal(0.0, 1.0, (2, 3)).shape
    torch.Size([2, 3])
    """

    @overload
    @named("normal")
    def torch(mean: number, std: number, size: integers, *, generator=None, **new): ...

class poisson_around:
    """Return numbers of Poisson distributions with the elements as means.

    >>> torch.poisson(torch.tensor([0.0, 0.0]))
    tensor([0., 0.])
    """

    @named("poisson")
    def torch(input: array, generator=None): ...

class gamma_around:
    """Return numbers of gamma distributions with the elements as shapes and scale 1, which move with them: gradients pass.

    >>> torch._standard_gamma(torch.ones(2)).shape
    torch.Size([2])
    """

    @named("_standard_gamma")
    def torch(input: array, generator=None): ...

class dirichlet_around:
    """Return numbers of Dirichlet distributions with the elements as concentrations: they sum to 1 along the last axis.

    >>> torch._sample_dirichlet(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """

    @named("_sample_dirichlet")
    def torch(input: array, generator=None): ...

class binomial_around:
    """Return how many of ``count`` trials succeed, each with probability ``prob``.

    >>> torch.binomial(torch.tensor([3.0, 4.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 4.])
    """

    @named("binomial")
    def torch(count: array, prob: array, generator=None): ...

class places_by_weight:
    """Return places drawn with the elements of each row as weights; with ``replacement`` the same may come again.

    >>> torch.multinomial(torch.tensor([0.0, 3.0, 1.0]), 2).sort().values
    tensor([1, 2])
    """

    @named("multinomial")
    def torch(input: array, num_samples: integer, replacement: boolean = False, *, generator=None, out=None): ...
