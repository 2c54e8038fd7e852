"""The faces of quantiles, averages and covariances. How to read and write these files stands in tools/faces.py."""

class var_mean:
    """Return (variance, mean) along dimensions.

    >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """

    @overload
    def torch(input: array, unbiased: boolean): ...
    @overload
    def torch(input: array, dim=None, unbiased: boolean = True, keepdim: boolean = False): ...
    @overload
    def torch(input: array, dim=None, *, correction: number = 1, keepdim: boolean = False): ...

class std_mean:
    """Return (standard deviation, mean) along dimensions.

    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 2.0]]), dim=1, correction=0)
    (tensor([1., 0.]), tensor([2., 2.]))
    """

    @overload
    def torch(input: array, unbiased: boolean): ...
    @overload
    def torch(input: array, dim=None, unbiased: boolean = True, keepdim: boolean = False): ...
    @overload
    def torch(input: array, dim=None, *, correction: number = 1, keepdim: boolean = False): ...

class logsumexp:
    """Return ``log(sum(exp(a)))`` over axes, without overflow.

    >>> torch.logsumexp(torch.tensor([[1000.0, 1000.0], [0.0, 0.0]]), dim=1)
    tensor([1.0007e+03, 6.9315e-01])
    """

    def torch(input: array, dim, keepdim: boolean = False, *, out=None): ...
    @submodule("math")
    def keras(x, axis=None, keepdims=False): ...

class median:
    """Return the middle of the sorted elements over ``axis``, or the mean of the two in the middle; NaN where there is one.

    Parameters: ``axis``: an int, a tuple, or None for all; ``overwrite_input`` changes nothing.

    >>> median([3, 1, 2, 10])
    array(2.5)
    """

    def numpy(a, axis=None, out=None, overwrite_input: ignored = False, keepdims=False): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class nanmedian:
    """Return the :func:`median` of what is not NaN; NaN where there is nothing.

    >>> nanmedian([1.0, nan, 3.0])
    array(2.)
    """

    def numpy(a, axis=None, out=None, overwrite_input: ignored = False, keepdims=NoValue): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class quantile:
    """Return the quantiles ``q`` (0 to 1) of the elements over ``axis``; NaN where there is one.

    Parameters: ``axis``: an int, a tuple, or None for all; ``method``: how a place between two elements is taken, NumPy's names;
    ``overwrite_input``: the elements of a CuPy array may be sorted in its own memory. Returns an array whose first axes are those
    of ``q``. Raises ValueError for ``q`` out of range and an unknown ``method``, TypeError for complex numbers and bools.

    >>> quantile([1, 2, 3, 4], [0, 0.5])
    array([1. , 2.5])
    """

    def numpy(a, q, axis=None, out=None, overwrite_input: ignored = False, method="linear", keepdims=False, *, weights=None): ...
    def cupy(
        a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None
    ): ...
    def keras(x, q, axis=None, method="linear", keepdims=False): ...

class percentile:
    """Return the percentiles ``q`` (0 to 100) of the elements over ``axis``; see :func:`quantile`.

    Raises ValueError for a ``q`` outside of [0, 100], an unknown ``method``, or an ``out`` of another shape.

    >>> percentile([1, 2, 3, 4], 50)
    array(2.5)
    """

    def numpy(a, q, axis=None, out=None, overwrite_input: ignored = False, method="linear", keepdims=False, *, weights=None): ...
    def cupy(
        a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None
    ): ...
    def keras(x, q, axis=None, method="linear", keepdims=False): ...

class nanquantile:
    """Return the :func:`quantile` of what is not NaN; NaN where there is nothing.

    >>> nanquantile([1.0, nan, 3.0], 0.5)
    array(2.)
    """

    def numpy(a, q, axis=None, out=None, overwrite_input: ignored = False, method="linear", keepdims=NoValue, *, weights=None): ...
    def keras(x, q, axis=None, method="linear", keepdims=False): ...

class nanpercentile:
    """Return the :func:`percentile` of what is not NaN; NaN where there is nothing.

    >>> nanpercentile([1.0, nan, 3.0], 50)
    array(2.)
    """

    def numpy(a, q, axis=None, out=None, overwrite_input: ignored = False, method="linear", keepdims=NoValue, *, weights=None): ...
    def keras(x, q, axis=None, method="linear", keepdims=False): ...

class quantile_along:
    """Return the quantiles ``q``, numbers in [0, 1], of all elements or along a dimension; between neighbours by ``interpolation``.

    >>> torch.quantile(torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([0.25, 0.5]))
    tensor([1.7500, 2.5000])
    """

    @named("quantile")
    def torch(input: array, q: operand, dim=None, keepdim: boolean = False, *, interpolation="linear", out=None): ...

class nanquantile_along:
    """Return the quantiles of what is no NaN; NaN where that is nothing.

    >>> torch.nanquantile(torch.tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.)
    """

    @named("nanquantile")
    def torch(input: array, q: operand, dim=None, keepdim: boolean = False, *, interpolation="linear", out=None): ...

class average:
    """Return the average over ``axis``, in which elements count as much as their ``weights`` say.

    Parameters: ``weights``: of the shape of ``a``, or of the axes that go; ``returned``: the sum of the weights as well. Returns an
    array, or two. Raises ZeroDivisionError where the weights' sum is zero (this reads them), ValueError or TypeError for weights whose
    shape does not fit.

    >>> average([1.0, 2.0], weights=[3, 1])
    array(1.25)
    """

    def numpy(a, axis=None, weights=None, returned=False, *, keepdims=False): ...
    cupy = numpy

class average_alike:
    """Return the average over ``axis``, in which elements count as much as their ``weights`` say.

    >>> keras.ops.average([1.0, 2.0, 6.0], weights=[2.0, 1.0, 1.0])
    array(2.5, dtype=float32)
    """

    @named("average")
    def keras(x, axis=None, weights=None): ...

class cov:
    """Return the covariances of variables, which are the rows of ``m`` (and ``y``), or the columns unless ``rowvar``.

    Parameters: ``ddof``: the sum is divided by the number of observations less this (default 1, with ``bias`` 0); ``fweights``:
    how often each observation was made, ``aweights``: how much it counts (this reads both); ``dtype``: at least float64 by
    default. Raises ValueError, TypeError and RuntimeError for arguments that do not fit.

    >>> cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def numpy(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None): ...
    def cupy(a, y=None, rowvar=True, bias=False, ddof=None, fweights: array = None, aweights: array = None, *, dtype=None): ...

class cov_of_rows:
    """Return the covariances of the rows, whose columns are observations. Weights are read.

    >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """

    @named("cov")
    def torch(input: array, *, correction: integer = 1, fweights: array = None, aweights: array = None): ...

class corrcoef:
    """Return the correlation coefficients of variables: :func:`cov` divided by the standard deviations, limited to [-1, 1].

    >>> corrcoef([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def numpy(x, y=None, rowvar=True, *, dtype=None): ...
    def cupy(a, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None): ...

class corrcoef_of_rows:
    """Return the correlation coefficients of the rows.

    >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """

    @named("corrcoef")
    def torch(input: array): ...
    @named("corrcoef")
    def keras(x): ...
