"""The faces of functions that make arrays of no others. How to read and write these files stands in tools/faces.py."""

class zeros:
    """Return an array of zeros; see :func:`full`.

    >>> zeros(2)
    array([0., 0.])

    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """

    def numpy(shape, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, dtype=float, order="C", *, device=None): ...
    def keras(shape, dtype=None): ...
    def array_api(shape, *, dtype=None, device=None): ...
    def torch(*size, **new): ...

class ones:
    """Return an array of ones; see :func:`full`.

    >>> ones(2, int)
    array([1, 1])

    >>> torch.ones(2, dtype=torch.int64)
    tensor([1, 1])
    """

    def numpy(shape, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, dtype=float, order="C", *, device=None): ...
    def keras(shape, dtype=None): ...
    def array_api(shape, *, dtype=None, device=None): ...
    def torch(*size, **new): ...

class empty:
    """Return an array whose values do not matter (they are zero); see :func:`full`.

    >>> empty(2).shape
    (2,)

    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """

    def numpy(shape, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, dtype=float, order="C", *, device=None): ...
    def keras(shape, dtype=None): ...
    def array_api(shape, *, dtype=None, device=None): ...
    def torch(*size, memory_format=None, **new): ...

class full:
    """Return an array of that ``shape`` in which every element is ``fill_value``.

    Parameters: ``dtype``: by default that of ``fill_value``; ``order``: "C" for rows, "F" for columns without gaps. Raises ValueError for
    negative dimensions.

    >>> full(2, 7)
    array([7, 7])

    >>> torch.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """

    def numpy(shape, fill_value, dtype=None, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, fill_value, dtype=None, order="C", *, device=None): ...
    def keras(shape, fill_value, dtype=None): ...
    def array_api(shape, fill_value, *, dtype=None, device=None): ...
    def torch(size: integers, fill_value: operand, **new): ...

class asarray:
    """Convert ``a`` to an array: a quern or NumPy array, a number, or nested sequences of them.

    Parameters: ``dtype``: the data type, by default that of ``a``; ``order``: "C" or "F" for elements in that order in memory, "A" or "K"
    as they are; ``device``: where the array is to be, by default where ``a`` is if it is a quern array or on a GPU, else the current
    device; ``copy``: True for a new array in any case, False for one that shares the memory of ``a``, on the CPU also that of a NumPy
    array. By default, the memory of NumPy arrays is copied. Raises TypeError for strings, TypeError (torch: RuntimeError) for other objects
    that are not numbers, ValueError (torch: ValueError) where ``copy`` is False and a copy is needed.

    >>> asarray([1, 2, 3]) * 2
    array([2, 4, 6])

    >>> torch.as_tensor([1.0, 2.0, 3.0])
    tensor([1., 2., 3.])
    """

    @named("asarray", "asanyarray")
    def numpy(a, dtype=None, order=None, *, device=None, copy=None, like: ignored = None): ...
    def array_api(obj, /, *, dtype=None, device=None, copy=None): ...
    @named("asarray", "asanyarray")
    def cupy(a, dtype=None, order=None, *, blocking: ignored = False): ...
    @submodule("core")
    @named("convert_to_tensor")
    def keras(x, dtype=None, sparse=None, ragged=None): ...
    @submodule("core")
    @named("cast")
    def keras(x, dtype): ...
    @named("array")
    def keras(x, dtype=None): ...
    def torch(obj, *, dtype=None, device=None, copy=None, requires_grad: boolean = False): ...
    @named("as_tensor")
    def torch(data, *, dtype=None, device=None): ...

class array:
    """Return a new array of ``a``; see :func:`asarray`.

    Parameters: ``copy``: None copies where that is needed, False never; ``ndmin``: at least so many dimensions, ones are put in front. A
    tensor of Python's numbers is of bools, of int64 or of the default floating-point dtype. Raises TypeError for strings, ValueError
    (torch: ValueError) for nested sequences of different lengths.

    >>> array([[1, 2], [3, 4]]) * 2
    array([[2, 4],
           [6, 8]])

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([1, 2], dtype=torch.float64)
    tensor([1., 2.], dtype=torch.float64)
    """

    def numpy(object, dtype=None, *, copy=True, order="K", subok: ignored = False, ndmin=0, ndmax=0, like: ignored = None): ...
    def cupy(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking: ignored = False): ...
    @named("tensor")
    def torch(data, *, dtype=None, device=None, requires_grad: boolean = False, pin_memory: ignored = False): ...

class ascontiguousarray:
    """Return ``a`` with rows without gaps and at least one dimension; itself where it is so already. See :func:`asarray`.

    >>> ascontiguousarray([[1, 2], [3, 4]]).flags.c_contiguous
    True
    """

    def numpy(a, dtype=None, *, like: ignored = None): ...
    def cupy(a, dtype=None): ...

class asfortranarray:
    """Return ``a`` with columns without gaps and at least one dimension; itself where it is so already. See :func:`asarray`.

    >>> asfortranarray([[1, 2], [3, 4]]).flags.f_contiguous
    True
    """

    def numpy(a, dtype=None, *, like: ignored = None): ...
    def cupy(a, dtype=None): ...

class zeros_like:
    """Return zeros of the shape, type and device of ``a``, unless others are asked for; see :func:`full_like`.

    >>> zeros_like([1, 2])
    array([0, 0])

    >>> torch.zeros_like(torch.tensor([1.5, 2.5]))
    tensor([0., 0.])
    """

    def numpy(a, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(a, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def keras(x, dtype=None): ...
    def array_api(x, /, *, dtype=None, device=None): ...
    def torch(input: array, **like): ...
    @named("new_zeros")
    def Tensor(self: array, *size: integers, **typed): ...

class ones_like:
    """Return ones of the shape, type and device of ``a``, unless others are asked for; see :func:`full_like`.

    >>> ones_like([1, 2])
    array([1, 1])

    >>> torch.ones_like(torch.tensor([1.5, 2.5]))
    tensor([1., 1.])
    """

    def numpy(a, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(a, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def keras(x, dtype=None): ...
    def array_api(x, /, *, dtype=None, device=None): ...
    def torch(input: array, **like): ...
    @named("new_ones")
    def Tensor(self: array, *size: integers, **typed): ...

class empty_like:
    """Return an array of the shape, type and device of ``a`` whose values do not matter; see :func:`full_like`.

    >>> empty_like([1, 2]).shape
    (2,)

    >>> torch.empty_like(torch.tensor([1.5, 2.5])).dtype
    torch.float32
    """

    def numpy(prototype, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(prototype, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def array_api(x, /, *, dtype=None, device=None): ...
    def torch(input: array, **like): ...
    @named("new_empty")
    def Tensor(self: array, *size: integers, **typed): ...
    def keras(x, dtype=None): ...

class full_like:
    """Return an array of the shape, type and device of ``a`` in which every element is ``fill_value``.

    Parameters: ``dtype``, ``shape``, ``device``: of the result, by default as in ``a``; ``order``: "K" for axes that lie in memory as
    those of ``a``, "C" for rows, "F" for columns, "A" for columns if ``a`` has them.

    >>> full_like([1, 2], 9)
    array([9, 9])

    >>> torch.full_like(torch.tensor([1.5, 2.5]), 9)
    tensor([9., 9.])
    """

    def numpy(a, fill_value, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(a, fill_value, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def array_api(x, /, fill_value, *, dtype=None, device=None): ...
    def torch(input: array, fill_value: operand, **like): ...
    @named("new_full")
    def Tensor(self: array, size: integers, fill_value: operand, **typed): ...
    def keras(x, fill_value, dtype=None): ...

class arange:
    """Return evenly spaced values in [start, stop): ``arange(stop)``, ``arange(start, stop[, step])``.

    >>> arange(2, 10, 3)
    array([2, 5, 8])

    >>> torch.arange(2, 10, 3)
    tensor([2, 5, 8])
    >>> torch.arange(0.0, 1.0, 0.25)
    tensor([0.0000, 0.2500, 0.5000, 0.7500])
    """

    def numpy(start=NoValue, stop=NoValue, step=NoValue, dtype=None, *, device=None, like: ignored = None): ...
    def cupy(start=NoValue, stop=NoValue, step=NoValue, dtype=None, *, device=None): ...
    def array_api(start, /, stop=None, step=1, *, dtype=None, device=None): ...
    def keras(start, stop=None, step=None, dtype=None): ...
    def torch(start=NoValue, end=NoValue, step=NoValue, **new): ...

class eye:
    """Return a matrix with ones on its ``k``-th diagonal and zeros elsewhere.

    >>> eye(2)
    array([[1., 0.],
           [0., 1.]])

    >>> torch.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """

    def numpy(N, M=None, k=0, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(N, M=None, k=0, dtype=float, order="C", *, device=None): ...
    def keras(N, M=None, k=0, dtype=None): ...
    def array_api(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None): ...
    def torch(n: integer, m: integer = None, **new): ...

class identity:
    """Return a square matrix of ``n`` rows with ones on its diagonal and zeros elsewhere.

    >>> identity(2)
    array([[1., 0.],
           [0., 1.]])
    """

    def numpy(n, dtype=None, *, like: ignored = None): ...
    def cupy(n, dtype=None): ...
    def keras(n, dtype=None): ...

class tri:
    """Return an N x M matrix with ones on and below its ``k``-th diagonal and zeros above.

    >>> tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """

    def numpy(N, M=None, k=0, dtype=float, *, like: ignored = None): ...
    def cupy(N, M=None, k=0, dtype=float): ...
    def keras(N, M=None, k=0, dtype=None): ...

class tril_indices:
    """Return the places of a matrix on and below its ``offset``-th diagonal: two rows, of row and of column numbers.

    >>> torch.tril_indices(3, 2)
    tensor([[0, 1, 1, 2, 2],
            [0, 0, 1, 0, 1]])
    """

    def torch(row: integer, col: integer, offset: integer = 0, *, dtype=None, device=None, layout: ignored = None): ...

class triu_indices:
    """Return the places of a matrix on and above its ``offset``-th diagonal: two rows, of row and of column numbers.

    >>> torch.triu_indices(2, 3, offset=1)
    tensor([[0, 0, 1],
            [1, 2, 2]])
    """

    def torch(row: integer, col: integer, offset: integer = 0, *, dtype=None, device=None, layout: ignored = None): ...

class indices:
    """Return the indices of a grid: an array of shape (N, *dimensions); with ``sparse`` a tuple of N arrays that broadcast to it.

    >>> indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """

    def numpy(dimensions, dtype=int, sparse=False): ...
    def cupy(dimensions, dtype=int): ...

class meshgrid:
    """Return the coordinates of the points of a grid, one array for each of the vectors.

    Parameters: ``indexing``: "xy" (the first vector runs along the second axis) or "ij"; ``sparse``: sizes of one where a
    coordinate does not change; ``copy``: False for views. Raises ValueError for an unknown ``indexing``.

    >>> [a.tolist() for a in meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]

    >>> rows, columns = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    >>> rows
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> columns
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """

    def numpy(*xi: arrays, copy=True, sparse=False, indexing="xy"): ...
    cupy = numpy
    def torch(*tensors: arrays, indexing=None): ...
    def keras(*x: arrays, indexing="xy"): ...

class arange_to_end:
    """Return numbers from ``start`` to ``end``, which is among them: PyTorch's old form of arange().

    >>> torch.range(1, 2, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """

    @named("range")
    def torch(start=NoValue, end=NoValue, step=NoValue, **new): ...

class linspace:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``, which may be arrays that broadcast.

    Parameters: ``endpoint``: whether ``stop`` is included; ``retstep``: whether to return the distance, too; ``axis``: axis of the result
    along which the values lie. Raises ValueError for a negative ``num``.

    >>> linspace(0, 1, 3)
    array([0. , 0.5, 1. ])

    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """

    def numpy(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None): ...
    def cupy(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0): ...
    keras = cupy
    def array_api(start, stop, /, num, *, dtype=None, device=None, endpoint=True): ...
    def torch(start: operand, end: operand, steps: integer, **new): ...

class logspace:
    """Return the powers of ``base`` with ``num`` evenly spaced exponents from ``start`` to ``stop``.

    >>> logspace(0, 2, 3)
    array([  1.,  10., 100.])

    >>> torch.logspace(0, 3, 4)
    tensor([   1.,   10.,  100., 1000.])
    """

    def numpy(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0): ...
    cupy = numpy
    def keras(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0): ...
    def torch(start: operand, end: operand, steps: integer, base: number = 10.0, **new): ...

class geomspace:
    """Return ``num`` numbers from ``start`` to ``stop``, each the same multiple of the one before. Raises ValueError for
    an end of zero.

    >>> geomspace(1, 100, 3)
    array([  1.,  10., 100.])
    """

    def numpy(start, stop, num=50, endpoint=True, dtype=None, axis=0): ...
    def keras(start, stop, num=50, endpoint=True, dtype=None, axis=0): ...

class bartlett:
    """Return the Bartlett window of ``M`` points, a triangle; ``periodic``: as one longer, without its last value.

    >>> bartlett(3)
    array([0., 1., 0.])

    >>> torch.bartlett_window(5, periodic=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """

    def numpy(M): ...
    cupy = numpy
    @named("bartlett_window")
    def torch(window_length: integer, periodic: boolean = True, **typed): ...
    def keras(x): ...

class blackman:
    """Return the Blackman window of ``M`` points, of three cosines; ``periodic``: as one longer, without its last value.

    >>> blackman(3).shape
    (3,)

    >>> torch.blackman_window(5, periodic=False)[1:4]
    tensor([0.3400, 1.0000, 0.3400])
    """

    def numpy(M): ...
    cupy = numpy
    @named("blackman_window")
    def torch(window_length: integer, periodic: boolean = True, **typed): ...
    def keras(x): ...

class hanning:
    """Return the Hann window of ``M`` points, a raised cosine that ends in zeros; ``periodic``: as one longer, without its last value.

    >>> hanning(3)
    array([0., 1., 0.])

    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    >>> torch.hann_window(5, periodic=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """

    def numpy(M): ...
    cupy = numpy
    @named("hann_window")
    def torch(window_length: integer, periodic: boolean = True, **typed): ...
    def keras(x): ...

class hamming:
    """Return the Hamming window of ``M`` points, a raised cosine; ``periodic``: as one longer, without its last value.

    >>> hamming(3)
    array([0.08, 1.  , 0.08])

    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """

    def numpy(M): ...
    cupy = numpy
    @named("hamming_window")
    def torch(window_length: integer, periodic: boolean = True, alpha: number = 0.54, beta: number = 0.46, **typed): ...
    def keras(x): ...

class kaiser:
    """Return the Kaiser window of ``M`` points: the larger ``beta``, the narrower. ``periodic``: as one longer, without its last value.

    >>> kaiser(3, 0)
    array([1., 1., 1.])

    >>> torch.kaiser_window(3, periodic=False, beta=1.0)
    tensor([0.7898, 1.0000, 0.7898])
    """

    def numpy(M, beta): ...
    cupy = numpy
    @named("kaiser_window")
    def torch(window_length: integer, periodic: boolean = True, beta: number = 12.0, **typed): ...
    def keras(x, beta): ...
