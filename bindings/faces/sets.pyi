"""The faces of sorts, and of arrays as sets. How to read and write these files stands in tools/faces.py.

NaN comes after every number; equal elements keep their order wherever that can be seen, so ``kind`` and ``stable`` change nothing.
"""

class nanargmax:
    """Return the :func:`argmax` of what is not NaN. Raises ValueError where all elements are NaN (this reads the values).

    >>> nanargmax([1.0, nan, 3.0])
    array(2)
    """

    def numpy(a, axis=None, out=None, *, keepdims=NoValue): ...
    def cupy(a, axis=None, dtype=None, out=None, keepdims=False): ...

class nanargmin:
    """Return the :func:`argmin` of what is not NaN. Raises ValueError where all elements are NaN (this reads the values).

    >>> nanargmin([1.0, nan, 3.0])
    array(0)
    """

    def numpy(a, axis=None, out=None, *, keepdims=NoValue): ...
    def cupy(a, axis=None, dtype=None, out=None, keepdims=False): ...

class nanargmax_or_none:
    """Return the place of the largest element that is not NaN, along ``axis``; -1 where there is none.

    >>> keras.ops.nanargmax([[1.0, float("nan")], [3.0, 2.0]], axis=1)
    array([0, 0], dtype=int32)
    """

    @named("nanargmax")
    def keras(x, axis=None, keepdims=False): ...

class nanargmin_or_none:
    """Return the place of the smallest element that is not NaN, along ``axis``; -1 where there is none.

    >>> keras.ops.nanargmin([[float("nan"), 1.0], [3.0, 2.0]], axis=1)
    array([1, 1], dtype=int32)
    """

    @named("nanargmin")
    def keras(x, axis=None, keepdims=False): ...

class sort:
    """Return a sorted copy along ``axis`` (None: flattened). Records are compared by their fields, one after the other.

    Parameters: ``descending``: the largest first; ``order``: a field of records, or several, that are compared before the others;
    ``kind`` and ``stable`` are checked and change nothing.
    Raises ValueError for an unknown ``kind`` and any ``order``, AxisError for an axis out of range.

    >>> sort([3, 1, 2])
    array([1, 2, 3])
    """

    def numpy(a, axis=-1, kind=None, order=None, *, stable=None, descending=False): ...
    cupy = numpy
    def keras(x, axis=-1): ...

class argsort:
    """Return the places, int64, that sort ``a`` along ``axis`` (None: flattened). Equal elements keep their order.

    Parameters and errors are those of :func:`sort`.

    >>> argsort([3, 1, 2])
    array([1, 2, 0])
    """

    def numpy(a, axis=-1, kind=None, order=None, *, stable=None, descending=False): ...
    cupy = numpy

class argsort_of_numbers:
    """Return the places that sort ``a`` along ``axis`` (None: flattened). Equal elements keep their order.

    >>> keras.ops.argsort([30, 10, 20])
    array([1, 2, 0], dtype=int32)
    """

    @named("argsort")
    def keras(x, axis=-1): ...

class sort_in_place:
    """Sort the array's own elements along ``axis``: see :func:`sort`.

    >>> a = array([3, 1, 2])
    >>> a.sort()
    >>> a
    array([1, 2, 3])
    """

    @named("sort")
    def Array(self, axis=-1, kind=None, order=None, *, stable=None): ...

class partition:
    """Return a copy in which element ``kth`` (an int or several) of ``axis`` is where sorting puts it: all of them are.

    Raises ValueError for ``kth`` out of range, TypeError where it is no integer.

    >>> partition([3, 1, 2], 1)
    array([1, 2, 3])
    """

    def numpy(a, kth, axis=-1, kind="introselect", order=None): ...
    cupy = numpy

class argpartition:
    """Return the places, int64, that :func:`partition` ``a`` along ``axis``.

    Raises ValueError for ``kth`` out of range, TypeError where it is no integer.

    >>> argpartition([3, 1, 2], 1)
    array([1, 2, 0])
    """

    def numpy(a, kth, axis=-1, kind="introselect", order=None): ...
    cupy = numpy

class argpartition_of_numbers:
    """Return the places that partition ``a`` along ``axis``: place ``kth`` is the one that sorting puts there.

    >>> keras.ops.argpartition(keras.ops.array([30, 10, 20]), 1)
    array([1, 2, 0], dtype=int32)
    """

    @named("argpartition")
    def keras(x, kth, axis=-1): ...

class partition_in_place:
    """Partition the array's own elements along ``axis``: see :func:`partition`.

    >>> a = array([7, 1, 9, 2])
    >>> a.partition(2)
    >>> int(a[2])
    7
    """

    @named("partition")
    def Array(self, kth, axis=-1, kind="introselect", order=None): ...

class sort_complex:
    """Return a sorted copy along the last axis as complex numbers, which order by the real part, then by the imaginary one.

    >>> sort_complex([2, 1])
    array([1.+0.j, 2.+0.j])
    """

    def numpy(a): ...
    cupy = numpy

class lexsort:
    """Return the places that sort by several keys: by the last of ``keys``, where that is equal by the one before, and so on.

    Parameters: ``keys``: arrays of one shape, or an array of them. Raises TypeError without keys, ValueError for keys of different shapes.

    >>> lexsort(([1, 0, 1], [5, 5, 4]))
    array([2, 1, 0])
    """

    def numpy(keys, axis=-1): ...
    def cupy(keys): ...

class unique:
    """Return the distinct elements, sorted; with ``axis`` the distinct parts of it.

    Parameters: ``return_index``: where each stands first; ``return_inverse``: the number that each element has among them;
    ``return_counts``: how often each occurs; ``equal_nan``: is NaN one element, or each for itself. ``sorted`` changes nothing.
    Returns an array, or a tuple of it and what was asked for, of int64. Raises AxisError for an axis out of range.

    >>> unique([3, 1, 3], return_counts=True)
    (array([1, 3]), array([1, 2]))
    """

    def numpy(
        ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted: ignored = True
    ): ...
    cupy = numpy

class unique_of_size:
    """Return the distinct elements in order, each NaN for itself; with ``axis`` the distinct parts of it.

    Parameters: ``return_index``: also where each stands first; ``return_inverse``: also the number that each element has among them;
    ``return_counts``: also how often each occurs; ``size``: exactly so many, the last ones ``fill_value`` or the smallest.

    >>> keras.ops.unique([3, 1, 3])
    array([1, 3], dtype=int32)
    """

    @named("unique")
    def keras(
        x, sorted: ignored = True, return_index=False, return_inverse=False, return_counts=False, axis=None, size=None, fill_value=None
    ): ...

class unique_all:
    """Return the distinct elements (each NaN for itself), where each stands first, the number of each element among them, and how often
    each occurs: a named tuple.

    >>> unique_all([3, 1, 3]).counts
    array([1, 2])
    """

    def numpy(x): ...
    cupy = numpy

class unique_counts:
    """Return the distinct elements (each NaN for itself), and how often each occurs: a named tuple.

    >>> unique_counts([3, 1, 3]).counts
    array([1, 2])
    """

    def numpy(x): ...
    cupy = numpy

class unique_inverse:
    """Return the distinct elements (each NaN for itself), and the number of each element among them: a named tuple.

    >>> unique_inverse([3, 1, 3]).inverse_indices
    array([1, 0, 1])
    """

    def numpy(x): ...
    cupy = numpy

class unique_values:
    """Return the distinct elements (each NaN for itself), sorted.

    >>> unique_values([3, 1, 3])
    array([1, 3])
    """

    def numpy(x): ...
    cupy = numpy

class unique_along:
    """Return the distinct elements in order; also where each element is among them, and how often each occurs. This waits for them.

    >>> values, counts = torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    >>> values
    tensor([1, 3])
    >>> counts
    tensor([1, 2])
    """

    @named("unique")
    def torch(
        input: array, sorted: ignored[boolean] = True, return_inverse: boolean = False, return_counts: boolean = False, dim=None
    ): ...

class unique_consecutive:
    """Return the elements, or the slices along ``dim``, without those that equal the one before. This waits for them.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]))
    tensor([1, 2, 1])
    """

    def torch(input: array, return_inverse: boolean = False, return_counts: boolean = False, dim=None): ...

class union1d:
    """Return the distinct elements of both arrays together, sorted.

    >>> union1d([1, 2], [2, 3])
    array([1, 2, 3])
    """

    def numpy(ar1, ar2): ...
    cupy = numpy

class intersect1d:
    """Return the distinct elements that both arrays have, sorted.

    Parameters: ``assume_unique``: no array has an element twice; ``return_indices``: also where they stand first in each.

    >>> intersect1d([1, 2, 3], [3, 2, 5])
    array([2, 3])
    """

    def numpy(ar1, ar2, assume_unique=False, return_indices=False): ...
    cupy = numpy

class setdiff1d:
    """Return the distinct elements of ``ar1`` that ``ar2`` has not, sorted; with ``assume_unique`` as they stand.

    >>> setdiff1d([1, 2, 3], [2])
    array([1, 3])
    """

    def numpy(ar1, ar2, assume_unique=False): ...
    cupy = numpy

class setxor1d:
    """Return the distinct elements that only one of the arrays has, sorted.

    >>> setxor1d([1, 2, 3], [2, 5])
    array([1, 3, 5])
    """

    def numpy(ar1, ar2, assume_unique=False): ...
    cupy = numpy
