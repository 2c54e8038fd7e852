"""The faces of running results, and of functions that choose elements by their order. How to read and write these files stands in
tools/faces.py."""

class cumsum:
    """Return the sums of the first element, of the first two, and so on, along ``axis`` (None: of the flattened array).

    Parameters: ``dtype``: what is computed in, for small integers 64 bits by default; ``out``: an array that takes the result.
    Raises ValueError for an ``out`` of another shape, AxisError for an axis that is not there.

    >>> cumsum([1, 2, 3])
    array([1, 3, 6])
    """

    def numpy(a, axis=None, dtype=None, out=None): ...
    cupy = numpy
    def keras(x, axis=None, dtype=None): ...
    def torch(input: array, dim: integer, *, dtype=None, out=None): ...

class cumprod:
    """Return the products of the first element, of the first two, and so on; the parameters are as :func:`cumsum` has them.

    >>> cumprod([1, 2, 3])
    array([1, 2, 6])
    """

    def numpy(a, axis=None, dtype=None, out=None): ...
    cupy = numpy
    def keras(x, axis=None, dtype=None): ...
    def torch(input: array, dim: integer, *, dtype=None, out=None): ...

class cumulative_sum:
    """Return :func:`cumsum` as the Array API has it: ``axis`` is needed for several dimensions; ``include_initial``: with a 0 in front.

    >>> cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    """

    def numpy(x, /, *, axis=None, dtype=None, out=None, include_initial=False): ...
    cupy = numpy

class cumulative_prod:
    """Return :func:`cumprod` as the Array API has it: ``axis`` is needed for several dimensions; ``include_initial``: with a 1 in front.

    >>> cumulative_prod([1, 2, 3], include_initial=True)
    array([1, 1, 2, 6])
    """

    def numpy(x, /, *, axis=None, dtype=None, out=None, include_initial=False): ...
    cupy = numpy

class argmax:
    """Return where the largest element along ``axis`` stands first (None: in the flattened array); a NaN counts as the largest.

    Returns an array of int64, or of ``dtype``. Raises ValueError for nothing to choose from and for an ``out`` of another shape.

    >>> argmax([3, 1, 4])
    array(2)
    """

    def numpy(a, axis=None, out=None, *, keepdims=False, dtype=None): ...
    def cupy(a, axis=None, dtype=None, out=None, keepdims=False): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class argmin:
    """Return where the smallest element along ``axis`` stands first (None: in the flattened array); a NaN counts as the smallest.

    Returns an array of int64, or of ``dtype``. Raises ValueError for nothing to choose from and for an ``out`` of another shape.

    >>> argmin([3, 1, 4])
    array(1)
    """

    def numpy(a, axis=None, out=None, *, keepdims=False, dtype=None): ...
    def cupy(a, axis=None, dtype=None, out=None, keepdims=False): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class argsort_along:
    """Return the places that put the lines of a dimension in order."""

    @named("argsort")
    def torch(input: array, dim: integer = -1, descending: boolean = False, stable: ignored = False): ...

class sort_along:
    """Return (values, indices): the elements of each line of a dimension in order, and where they stood."""

    @named("sort")
    def torch(input: array, dim: integer = -1, descending: boolean = False, stable: ignored = False, *, out=None): ...

class topk:
    """Return (values, indices): the ``k`` largest or smallest elements of each line of a dimension, in order."""

    def torch(
        input: array, k: integer, dim: integer = -1, largest: boolean = True, sorted: ignored[boolean] = True, *, out=None
    ): ...

@submodule("math")
class top_k:
    """Return the ``k`` largest elements along the last axis, the largest first, and their places; of equal ones the first is first."""

    def keras(x, k, sorted: ignored = True): ...

@submodule("math")
class in_top_k:
    """Return whether each row's element at its target is among the ``k`` largest ones; those equal to the last of them are."""

    def keras(targets, predictions, k): ...

class kthvalue:
    """Return (values, indices): the ``k``-th smallest element of each line of a dimension."""

    def torch(input: array, k: integer, dim: integer = -1, keepdim: boolean = False, *, out=None): ...

class middle:
    """Return the element in the middle, the lower one of two; NaN where there is one."""

    @named("median")
    @overload
    def torch(input: array, *, out=None): ...

class median_along:
    """Return (values, indices) along a dimension."""

    @named("median")
    @overload
    def torch(input: array, dim: integer, keepdim: boolean = False, *, out=None): ...

class nanmiddle:
    """Return the element in the middle of what is no NaN."""

    @named("nanmedian")
    @overload
    def torch(input: array, *, out=None): ...

class nanmedian_along:
    """Return (values, indices) along a dimension."""

    @named("nanmedian")
    @overload
    def torch(input: array, dim: integer, keepdim: boolean = False, *, out=None): ...

class mode:
    """Return (values, indices): the element of each line that occurs most often, the smallest of several, and where it stands last."""

    def torch(input: array, dim: integer = -1, keepdim: boolean = False, *, out=None): ...

class logcumsumexp:
    """Return the logarithm of the running sums of ``exp(input)`` along a dimension, without overflow."""

    def torch(input: array, dim: integer, *, out=None): ...

class cummax:
    """Return (values, indices): the largest of the first element, of the first two, and so on along a dimension, and where it stands
    last."""

    def torch(input: array, dim: integer, *, out=None): ...

class cummin:
    """Return (values, indices): the smallest of the first element, of the first two, and so on along a dimension, and where it stands
    last."""

    def torch(input: array, dim: integer, *, out=None): ...
