"""The faces of functions that search and count elements. How to read and write these files stands in tools/faces.py."""

class aminmax:
    """Return (min, max): the smallest and the largest element of all, or along a dimension.

    >>> smallest, largest = torch.aminmax(torch.tensor([[3, 9], [8, 2]]), dim=1)
    >>> smallest
    tensor([3, 2])
    >>> largest
    tensor([9, 8])
    """

    def torch(input: array, *, dim=None, keepdim: boolean = False, out=None): ...

class msort:
    """Return the elements of each column in order.

    >>> torch.msort(torch.tensor([[3, 1], [2, 5], [1, 4]]))
    tensor([[1, 1],
            [2, 4],
            [3, 5]])
    """

    def torch(input: array, *, out=None): ...

class searchsorted:
    """Return where elements ``v`` have to go into the sorted array ``a`` to keep it sorted.

    Parameters: ``side``: "left": before what is equal, "right": after it; ``sorter``: places that sort ``a``, if it is not.
    Returns an array of int64 of the shape of ``v``. Raises ValueError for an unknown ``side``, and unless ``a`` has one dimension.

    >>> searchsorted([1, 2, 3], [2, 5])
    array([1, 3])
    """

    def numpy(a, v, side="left", sorter=None): ...
    cupy = numpy
    def keras(sorted_sequence, values, side="left"): ...

class searchsorted_in_lines:
    """Return where each value has to go into a sorted sequence: before what is equal, or behind it (``right``).

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]))
    tensor([1, 3])
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]), right=True)
    tensor([2, 3])
    """

    @named("searchsorted")
    def torch(
        sorted_sequence: array, input: operand, *, out_int32: boolean = False, right: boolean = False, side=None,
        sorter: array = None, out=None
    ): ...

class bucketize:
    """Return between which boundaries each value lies; ``right``: a boundary belongs to the values below it.

    >>> torch.bucketize(torch.tensor([0.5, 3.0, 9.0]), torch.tensor([1.0, 3.0, 5.0]))
    tensor([0, 1, 3])
    """

    def torch(input: operand, boundaries: array, *, out_int32: boolean = False, right: boolean = False, out=None): ...

class digitize:
    """Return the number of the bin that each element falls into; ``bins`` are edges that rise or fall (this reads them).

    Parameters: ``right``: an edge belongs to the bin before it. Returns an array of int64. Raises ValueError for edges that are not
    monotonic, TypeError for complex ``x``.

    >>> digitize([0.5, 2.5], [0, 1, 2])
    array([1, 3])
    """

    def numpy(x, bins, right=False): ...
    cupy = numpy
    def keras(x, bins): ...

class isin:
    """Return where elements are among ``test_elements`` (``invert``: are not).

    ``assume_unique`` and ``kind`` change nothing, as in NumPy they change no result. Raises ValueError for an unknown ``kind``.

    >>> isin([1, 2, 3], [2, 5])
    array([False,  True, False])
    """

    def numpy(element, test_elements, assume_unique: ignored = False, invert=False, *, kind=None): ...
    def cupy(element, test_elements, assume_unique: ignored = False, invert=False): ...
    def keras(x1, x2, assume_unique: ignored = False, invert=False): ...

class isin_either:
    """Return whether each element is among the test elements (``invert``: is not).

    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False])
    """

    @named("isin")
    def torch(
        elements: operand, test_elements: operand, *, assume_unique: ignored[boolean] = False, invert: boolean = False, out=None
    ): ...

class nonzero:
    """Return where elements are not zero: an array of places for each axis. This waits for the values.

    >>> nonzero([0, 3, 0, 5])
    (array([1, 3]),)
    """

    def numpy(a): ...
    cupy = numpy
    def keras(x): ...

class unravel_index:
    """Return the places along each axis of an array of that ``shape`` of places among all its elements.

    >>> keras.ops.unravel_index([5, 1], (2, 3))
    (array([1, 0], dtype=int32), array([2, 1], dtype=int32))
    """

    def keras(indices, shape): ...

@submodule("math")
class segment_sum:
    """Return the sums of the rows that belong to each segment.

    >>> keras.ops.segment_sum(keras.ops.array([1, 2, 3, 4]), keras.ops.array([0, 0, 1, 2]), num_segments=3)
    array([3, 3, 4], dtype=int32)
    """

    def keras(data, segment_ids, num_segments=None, sorted: ignored = False): ...

@submodule("math")
class segment_prod:
    """Return the products of the rows that belong to each segment.

    >>> keras.ops.segment_prod(keras.ops.array([2, 3, 4]), keras.ops.array([0, 0, 1]), num_segments=2)
    array([6, 4], dtype=int32)
    """

    def keras(data, segment_ids, num_segments=None, sorted: ignored = False): ...

@submodule("math")
class segment_max:
    """Return the largest elements of the rows that belong to each segment; of an empty one -inf, or the least integer.

    >>> keras.ops.segment_max(keras.ops.array([1, 7, 3]), keras.ops.array([0, 0, 1]), num_segments=2)
    array([7, 3], dtype=int32)
    """

    def keras(data, segment_ids, num_segments=None, sorted: ignored = False): ...

@submodule("math")
class segment_min:
    """Return the smallest elements of the rows that belong to each segment; of an empty one inf, or the largest integer.

    >>> keras.ops.segment_min(keras.ops.array([1, 7, 3]), keras.ops.array([0, 0, 1]), num_segments=2)
    array([1, 3], dtype=int32)
    """

    def keras(data, segment_ids, num_segments=None, sorted: ignored = False): ...

class flatnonzero:
    """Return where elements of the flattened array are not zero. This waits for the values.

    >>> flatnonzero([[0, 3], [0, 5]])
    array([1, 3])
    """

    def numpy(a): ...
    cupy = numpy

class argwhere:
    """Return the places of elements that are not zero, as rows. This waits for the values.

    >>> argwhere([[0, 3], [5, 0]])
    array([[0, 1],
           [1, 0]])
    """

    def numpy(a): ...
    cupy = numpy

class bincount:
    """Return how often 0, 1, 2 ... occur in ``x``, or with ``weights`` the sums of these.

    Parameters: ``minlength``: the result has at least so many elements. On a GPU the order in which weights are added up is not fixed.
    Returns an array of int64, or of float64. This waits for the largest number. Raises TypeError for inputs that are not integers,
    ValueError for negative ones, for more than one dimension, and for weights of another length.

    >>> bincount(array([0, 2, 2]))
    array([1, 0, 2])
    """

    def numpy(x, /, weights=None, minlength: integer = 0): ...
    def cupy(x: array, weights=None, minlength: integer = 0): ...

class bincount_as_torch:
    """Return how often each of 0, 1, 2 ... occurs, or the sums of the weights there. This waits for the values.

    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    >>> torch.bincount(torch.tensor([0, 2, 2]), weights=torch.tensor([0.5, 1.0, 2.0]))
    tensor([0.5000, 0.0000, 3.0000])
    """

    @named("bincount")
    def torch(input: array, weights: array = None, minlength: integer = 0): ...

class bincount_of_rows:
    """Return how often each of 0, 1, 2 ... occurs, or the sums of the weights there; of a matrix that of each row.

    >>> keras.ops.bincount(keras.ops.array([0, 2, 2]), minlength=4)
    array([1, 0, 2, 0], dtype=int32)
    """

    @named("bincount")
    def keras(x, weights=None, minlength=0, sparse=False): ...

class histogram:
    """Return how many elements lie in each of ``bins``, and their edges.

    Parameters: ``bins``: number of bins of equal width, or their edges; ``range``: lower and upper limit, by default the smallest and
    the largest element (which are read); ``density``: whether to divide so that the area is 1; ``weights``: weight of each element.
    Raises ValueError for edges that do not increase, an invalid range, and a number of bins below 1.

    >>> histogram([1, 2, 2, 4], bins=3)
    (array([1, 2, 1]), array([1., 2., 3., 4.]))
    """

    def numpy(a, bins=10, range=None, density=None, weights=None): ...
    def cupy(x, bins=10, range=None, weights=None, density=False): ...

class histogram_bin_edges:
    """Return the edges of the bins that :func:`histogram` counts in.

    >>> histogram_bin_edges([0, 4], bins=2)
    array([0., 2., 4.])
    """

    def numpy(a, bins=10, range=None, weights=None): ...

class histogram_of_floats:
    """Return (hist, bin_edges): how many elements, or which ``weight``, lies between neighbouring edges, the last of which counts too.

    >>> hist, bin_edges = torch.histogram(torch.tensor([0.5, 1.5, 1.5, 2.0]), 2, range=(0.0, 2.0))
    >>> hist
    tensor([1., 3.])
    >>> bin_edges
    tensor([0., 1., 2.])
    """

    @named("histogram")
    def torch(input: array, bins, *, range=None, weight: array = None, density: boolean = False): ...

class histogram_of_reals:
    """Return how many elements lie in each of ``bins`` and their edges, both in the type of the elements.

    Parameters: ``range``: from where to where, by default from the smallest to the largest element.

    >>> hist, bin_edges = keras.ops.histogram([0.5, 1.5, 1.5, 2.0], bins=2, range=(0, 2))
    >>> hist
    array([1., 3.], dtype=float32)
    >>> bin_edges
    array([0., 1., 2.], dtype=float32)
    """

    @named("histogram")
    def keras(x, bins=10, range=None): ...

class take_within:
    """Return the elements, or slices along ``axis``, at places; negative ones count from the end. Others raise ValueError.

    >>> keras.ops.take([10, 20, 30], [2, 0, -1])
    array([30, 10, 30], dtype=int32)
    """

    @named("take")
    def keras(x, indices, axis=None): ...

class take_along:
    """Return elements by places along ``axis``, or among all elements: in other dimensions both go together, and broadcast.

    >>> keras.ops.take_along_axis([[10, 20], [30, 40]], [[1], [0]], axis=1)
    array([[20],
           [30]], dtype=int32)
    """

    @named("take_along_axis")
    def keras(x, indices, axis=None): ...

class histc:
    """Return how many elements lie in each of so many equal parts of [min, max]; by default of the range of the elements.

    >>> torch.histc(torch.tensor([0.5, 1.5, 1.5, 2.0]), bins=2, min=0, max=2)
    tensor([1., 3.])
    """

    def torch(input: array, bins: integer = 100, min: number = 0, max: number = 0, *, out=None): ...
