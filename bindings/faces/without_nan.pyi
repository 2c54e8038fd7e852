"""The faces of reductions and running results of what is no NaN. How to read and write these files stands in tools/faces.py."""

class nansum:
    """Return the sum over ``axis`` with zero in place of NaN; the parameters are as :func:`sum` has them.

    >>> nansum([1.0, nan])
    array(1.)

    >>> torch.nansum(torch.tensor([[1.0, float("nan")], [2.0, 3.0]]), dim=1)
    tensor([1., 5.])
    """

    def numpy(a, axis=None, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, dtype=None, out=None): ...

class nanprod:
    """Return the product over ``axis`` with one in place of NaN; the parameters are as :func:`sum` has them.

    >>> nanprod([2.0, nan])
    array(2.)
    """

    def numpy(a, axis=None, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class nanmax:
    """Return the largest element over ``axis`` that is not NaN; NaN where there is none. Raises ValueError for nothing to choose from.

    >>> nanmax([1.0, nan])
    array(1.)
    """

    def numpy(a, axis=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class nanmin:
    """Return the smallest element over ``axis`` that is not NaN; NaN where there is none. Raises ValueError for nothing to choose from.

    >>> nanmin([1.0, nan])
    array(1.)
    """

    def numpy(a, axis=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class nanmean:
    """Return the mean over ``axis`` of what is not NaN; NaN where there is nothing.

    Raises TypeError (torch: RuntimeError) for a ``dtype`` or ``out`` of integers where the elements have fractions.

    >>> nanmean([1.0, nan, 3.0])
    array(2.)

    >>> torch.nanmean(torch.tensor([1.0, float("nan"), 3.0]))
    tensor(2.)
    """

    def numpy(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, dtype=None, out=None): ...

class nanvar:
    """Return the variance over ``axis`` of what is not NaN, over their number less ``ddof``; NaN where that is not positive.

    Raises TypeError for a ``dtype`` or ``out`` of integers where the elements have fractions.

    >>> nanvar([1.0, nan, 3.0])
    array(1.)
    """

    def numpy(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=NoValue, correction=NoValue): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class nanstd:
    """Return the standard deviation over ``axis`` of what is not NaN: the root of :func:`nanvar`.

    >>> nanstd([1.0, nan, 3.0])
    array(1.)
    """

    def numpy(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=NoValue, correction=NoValue): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class nancumsum:
    """Return :func:`cumsum` with zero in place of NaN.

    >>> nancumsum([1.0, nan, 2.0])
    array([1., 1., 3.])
    """

    def numpy(a, axis=None, dtype=None, out=None): ...
    cupy = numpy
    def keras(x, axis=None, dtype=None): ...

class nancumprod:
    """Return :func:`cumprod` with one in place of NaN.

    >>> nancumprod([1.0, nan, 2.0])
    array([1., 1., 2.])
    """

    def numpy(a, axis=None, dtype=None, out=None): ...
    cupy = numpy
    def keras(x, axis=None, dtype=None): ...
