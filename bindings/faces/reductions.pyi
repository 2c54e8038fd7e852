"""The faces of the reductions. How to read and write these files stands in tools/faces.py."""

class sum:
    """Return the sum of the elements over ``axis`` (an int, a tuple, or None for all). Integers are added up in 64 bits.

    Parameters: ``initial``: what the sum starts with. Raises ValueError (torch: none) for an ``out`` of another shape, ValueError where
    the shape of ``where`` does not broadcast, AxisError for an axis out of range. The order of the additions depends on the shape and
    type alone: a sum is the same bit for bit however it is computed.

    >>> sum([1, 2, 3], where=[True, False, True])
    array(4)

    >>> torch.sum(torch.tensor([[1, 2], [3, 4]]), dim=0)
    tensor([4, 6])
    >>> torch.sum(torch.tensor([True, True, False]))
    tensor(2)
    """

    def numpy(a, axis=None, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    @named("add")
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, dtype=None, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class prod:
    """Return the product of the elements over ``axis``; the other parameters are as :func:`sum` has them.

    >>> prod([2, 3, 4])
    array(24)

    >>> torch.prod(torch.tensor([2, 3, 4]))
    tensor(24)
    """

    def numpy(a, axis=None, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    @named("multiply")
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, dtype=None, out=None): ...
    def keras(x, axis=None, keepdims=False, dtype=None): ...

class max:
    """Return the largest element over ``axis``; NaN if there is one.

    ``initial``: the least that the result can be, needed with ``where``, which says what elements count. Raises ValueError for an empty
    array, ValueError (torch: IndexError) for an empty axis.

    >>> max([3, 1, 4], initial=5)
    array(5)

    >>> torch.amax(torch.tensor([[3, 9, 4], [8, 2, 1]]), dim=1)
    tensor([9, 8])
    >>> torch.max(torch.tensor([[3, 9, 4], [8, 2, 1]]))
    tensor(9)
    """

    def numpy(a, axis=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    @named("amax")
    def numpy(a, axis=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    @named("maximum")
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    @overload
    def torch(input: array, *, out=None): ...
    @named("amax")
    def torch(input: array, dim=(), keepdim: boolean = False, *, out=None): ...
    @named("amax")
    def keras(x, axis=None, keepdims=False): ...
    def keras(x, axis=None, keepdims=False, initial=None): ...

class min:
    """Return the smallest element over ``axis``; NaN if there is one. See :func:`max`.

    >>> min([[3, 1], [2, 4]], axis=0)
    array([2, 1])

    >>> torch.amin(torch.tensor([[3, 9, 4], [8, 2, 1]]), dim=1)
    tensor([3, 1])
    >>> torch.min(torch.tensor([[3, 9, 4], [8, 2, 1]]))
    tensor(1)
    """

    def numpy(a, axis=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    @named("amin")
    def numpy(a, axis=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    cupy = numpy
    @named("minimum")
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    @overload
    def torch(input: array, *, out=None): ...
    @named("amin")
    def torch(input: array, dim=(), keepdim: boolean = False, *, out=None): ...
    @named("amin")
    def keras(x, axis=None, keepdims=False): ...
    def keras(x, axis=None, keepdims=False, initial=None): ...

class max_along:
    """Return (values, indices) along a dimension, the largest elements and where they stand first.

    >>> values, indices = torch.max(torch.tensor([[3, 9, 4], [8, 2, 1]]), dim=1)
    >>> values
    tensor([9, 8])
    >>> indices
    tensor([1, 0])
    """

    @named("max")
    @overload
    def torch(input: array, dim: integer, keepdim: boolean = False, *, out=None): ...

class min_along:
    """Return (values, indices) along a dimension, the smallest elements and where they stand first.

    >>> values, indices = torch.min(torch.tensor([[3, 9, 4], [8, 2, 1]]), dim=0)
    >>> values
    tensor([3, 2, 1])
    >>> indices
    tensor([0, 1, 1])
    """

    @named("min")
    @overload
    def torch(input: array, dim: integer, keepdim: boolean = False, *, out=None): ...

class ptp:
    """Return the largest less the smallest element over ``axis``. Raises ValueError for an empty array, TypeError for bools.

    >>> ptp([3, 1, 4])
    array(3)
    """

    def numpy(a, axis=None, out=None, keepdims=False): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...

class any:
    """Return whether any element over ``axis`` is true.

    >>> any([[True, False], [False, False]], axis=1)
    array([ True, False])

    >>> torch.any(torch.tensor([[True, False], [False, False]]), dim=1)
    tensor([ True, False])
    """

    def numpy(a, axis=None, out=None, keepdims=False, *, where=True): ...
    cupy = numpy
    @named("logical_or")
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class all:
    """Return whether all elements over ``axis`` are true.

    >>> all([[True, True], [True, False]], axis=1)
    array([ True, False])

    >>> torch.all(torch.tensor([[True, True], [True, False]]), dim=1)
    tensor([ True, False])
    """

    def numpy(a, axis=None, out=None, keepdims=False, *, where=True): ...
    cupy = numpy
    @named("logical_and")
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=NoValue, where=True): ...
    def torch(input: array, dim=None, keepdim: boolean = False, *, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class count_nonzero:
    """Return how many elements over ``axis`` are not zero.

    >>> count_nonzero([0, 1, 2])
    array(2)

    >>> torch.count_nonzero(torch.tensor([[0, 1, 2], [0, 0, 3]]), dim=1)
    tensor([2, 1])
    """

    def numpy(a, axis=None, *, keepdims=False): ...
    cupy = numpy
    def torch(input: array, dim=None): ...
    def Tensor(self: array, *dim: any | None): ...
    def keras(x, axis=None): ...

class mean:
    """Return the arithmetic mean over ``axis``.

    >>> mean([1, 2, 6], where=[True, True, False])
    array(1.5)

    >>> torch.mean(torch.tensor([[1.0, 2.0], [3.0, 6.0]]), dim=1, keepdim=True)
    tensor([[1.5000],
            [4.5000]])
    """

    def numpy(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True): ...
    cupy = numpy
    def torch(input: array, dim=None, keepdim: boolean = False, *, dtype=None, out=None): ...
    def keras(x, axis=None, keepdims=False): ...

class var:
    """Return the variance over ``axis``: the mean of the squared distances from the mean, over the number of elements less ``ddof``.

    Parameters: ``mean``: the mean, where it is known (with ones for the axes that go); ``correction``: the array API's name of ``ddof``;
    Raises ValueError (torch: none) where both are passed.

    >>> var([1, 2, 3, 4], correction=1)
    array(1.66666667)

    >>> torch.var(torch.tensor([1.0, 2.0, 3.0, 6.0]))
    tensor(4.6667)
    >>> torch.var(torch.tensor([1.0, 2.0, 3.0, 6.0]), correction=0)
    tensor(3.5000)
    """

    def numpy(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=NoValue, correction=NoValue): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...
    @overload
    def torch(input: array, unbiased: boolean, *, out=None): ...
    @overload
    def torch(input: array, dim=None, unbiased: boolean = True, keepdim: boolean = False, *, out=None): ...
    @overload
    def torch(input: array, dim=None, *, correction: number = 1, keepdim: boolean = False, out=None): ...

class std:
    """Return the standard deviation over ``axis``: the root of :func:`var`, which says what the parameters are.

    >>> std([1.0, 3.0])
    array(1.)

    >>> torch.std(torch.tensor([[1.0, 3.0], [2.0, 2.0]]), dim=1, correction=0)
    tensor([1., 0.])
    """

    def numpy(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=NoValue, correction=NoValue): ...
    cupy = numpy
    def keras(x, axis=None, keepdims=False): ...
    @overload
    def torch(input: array, unbiased: boolean, *, out=None): ...
    @overload
    def torch(input: array, dim=None, unbiased: boolean = True, keepdim: boolean = False, *, out=None): ...
    @overload
    def torch(input: array, dim=None, *, correction: number = 1, keepdim: boolean = False, out=None): ...
