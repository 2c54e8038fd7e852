"""The faces of running results, and of functions that choose elements by their order. How to read and write these files stands in
tools/faces.py."""

class cumsum:
    """Return the sums of the first element, of the first two, and so on, along ``axis`` (None: of the flattened array).

    Parameters: ``dtype``: what is computed in, for small integers 64 bits by default.
    Raises ValueError (torch: none) for an ``out`` of another shape, AxisError for an axis out of range.

    >>> cumsum([1, 2, 3])
    array([1, 3, 6])

    >>> torch.cumsum(torch.tensor([[1, 2, 3], [4, 5, 6]]), dim=1)
    tensor([[ 1,  3,  6],
            [ 4,  9, 15]])
    """

    def numpy(a, axis=None, dtype=None, out=None): ...
    cupy = numpy
    def keras(x, axis=None, dtype=None): ...
    def torch(input: array, dim: integer, *, dtype=None, out=None): ...

class cumprod:
    """Return the products of the first element, of the first two, and so on; the parameters are as :func:`cumsum` has them.

    >>> cumprod([1, 2, 3])
    array([1, 2, 6])

    >>> torch.cumprod(torch.tensor([1, 2, 3, 4]), dim=0)
    tensor([ 1,  2,  6, 24])
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

    Returns an array of int64, or of ``dtype``. Raises ValueError (torch: IndexError) for an empty array,
    ValueError (torch: none) for an ``out`` of another shape.

    >>> argmax([3, 1, 4])
    array(2)

    >>> torch.argmax(torch.tensor([[3, 9, 4], [8, 2, 1]]), dim=1)
    tensor([1, 0])
    """

    def numpy(a, axis=None, out=None, *, keepdims=False, dtype=None): ...
    def cupy(a, axis=None, dtype=None, out=None, keepdims=False): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class argmin:
    """Return where the smallest element along ``axis`` stands first (None: in the flattened array); a NaN counts as the smallest.

    Returns an array of int64, or of ``dtype``. Raises ValueError (torch: IndexError) for an empty array,
    ValueError (torch: none) for an ``out`` of another shape.

    >>> argmin([3, 1, 4])
    array(1)

    >>> torch.argmin(torch.tensor([[3, 9, 4], [8, 2, 1]]))
    tensor(5)
    """

    def numpy(a, axis=None, out=None, *, keepdims=False, dtype=None): ...
    def cupy(a, axis=None, dtype=None, out=None, keepdims=False): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class argsort_along:
    """Return the places that put the lines of a dimension in order.

    >>> torch.argsort(torch.tensor([30, 10, 20]))
    tensor([1, 2, 0])
    """

    @named("argsort")
    def torch(input: array, dim: integer = -1, descending: boolean = False, stable: ignored = False): ...

class sort_along:
    """Return (values, indices): the elements of each line of a dimension in order, and where they stood.

    >>> values, indices = torch.sort(torch.tensor([30, 10, 20]), descending=True)
    >>> values
    tensor([30, 20, 10])
    >>> indices
    tensor([0, 2, 1])
    """

    @named("sort")
    def torch(input: array, dim: integer = -1, descending: boolean = False, stable: ignored = False, *, out=None): ...

class topk:
    """Return (values, indices): the ``k`` largest or smallest elements of each line of a dimension, in order.

    >>> values, indices = torch.topk(torch.tensor([30, 10, 20]), 2)
    >>> values
    tensor([30, 20])
    >>> indices
    tensor([0, 2])
    """

    def torch(
        input: array, k: integer, dim: integer = -1, largest: boolean = True, sorted: ignored[boolean] = True, *, out=None
    ): ...

@submodule("math")
class top_k:
    """Return the ``k`` largest elements along the last axis, the largest first, and their places; of equal ones the first is first.

    >>> values, indices = keras.ops.top_k(keras.ops.array([30, 10, 20]), 2)
    >>> values
    array([30, 20], dtype=int32)
    >>> indices
    array([0, 2], dtype=int32)
    """

    def keras(x, k, sorted: ignored = True): ...

@submodule("math")
class in_top_k:
    """Return whether each row's element at its target is among the ``k`` largest ones; those equal to the last of them are.

    >>> keras.ops.in_top_k(keras.ops.array([1, 0]), keras.ops.array([[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]]), 2)
    array([ True, False])
    """

    def keras(targets, predictions, k): ...

class kthvalue:
    """Return (values, indices): the ``k``-th smallest element of each line of a dimension.

    >>> values, indices = torch.kthvalue(torch.tensor([30, 10, 20]), 2)
    >>> values
    tensor(20)
    >>> indices
    tensor(2)
    """

    def torch(input: array, k: integer, dim: integer = -1, keepdim: boolean = False, *, out=None): ...

class middle:
    """Return the element in the middle, the lower one of two; NaN where there is one.

    >>> torch.median(torch.tensor([4.0, 1.0, 3.0, 2.0]))
    tensor(2.)
    """

    @named("median")
    @overload
    def torch(input: array, *, out=None): ...

class median_along:
    """Return (values, indices) along ``dim``: the element in the middle, the lower one of two; NaN where there is one.

    >>> values, indices = torch.median(torch.tensor([[3, 1, 2], [9, 7, 8]]), dim=1)
    >>> values
    tensor([2, 8])
    >>> indices
    tensor([2, 2])
    """

    @named("median")
    @overload
    def torch(input: array, dim: integer, keepdim: boolean = False, *, out=None): ...

class nanmiddle:
    """Return the element in the middle of what is no NaN.

    >>> torch.nanmedian(torch.tensor([4.0, float("nan"), 3.0, 2.0]))
    tensor(3.)
    """

    @named("nanmedian")
    @overload
    def torch(input: array, *, out=None): ...

class nanmedian_along:
    """Return (values, indices) along ``dim``: the element in the middle of what is not NaN.

    >>> torch.nanmedian(torch.tensor([[3.0, float("nan"), 5.0], [9.0, 7.0, 8.0]]), dim=1).values
    tensor([3., 8.])
    """

    @named("nanmedian")
    @overload
    def torch(input: array, dim: integer, keepdim: boolean = False, *, out=None): ...

class mode:
    """Return (values, indices): the element of each line that occurs most often, the smallest of several, and where it stands last.

    >>> values, indices = torch.mode(torch.tensor([[1, 2, 2], [5, 4, 5]]))
    >>> values
    tensor([2, 5])
    >>> indices
    tensor([2, 2])
    """

    def torch(input: array, dim: integer = -1, keepdim: boolean = False, *, out=None): ...

class logcumsumexp:
    """Return the logarithm of the running sums of ``exp(input)`` along a dimension, without overflow.

    Returns same shape as the input, in its floating-point dtype.

    >>> torch.logcumsumexp(torch.tensor([0.0, 0.0, 0.0]), dim=0)
    tensor([0.0000, 0.6931, 1.0986])
    """

    def torch(input: array, dim: integer, *, out=None): ...

class cummax:
    """Return (values, indices): the largest of the first element, of the first two, and so on along a dimension, and where it stands
    last.

    >>> values, indices = torch.cummax(torch.tensor([1, 3, 2, 5]), dim=0)
    >>> values
    tensor([1, 3, 3, 5])
    >>> indices
    tensor([0, 1, 1, 3])
    """

    def torch(input: array, dim: integer, *, out=None): ...

class cummin:
    """Return (values, indices): the smallest of the first element, of the first two, and so on along a dimension, and where it stands
    last.

    >>> values, indices = torch.cummin(torch.tensor([4, 3, 5, 1]), dim=0)
    >>> values
    tensor([4, 3, 3, 1])
    >>> indices
    tensor([0, 1, 1, 3])
    """

    def torch(input: array, dim: integer, *, out=None): ...
