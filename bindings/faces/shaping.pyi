"""The faces of views and arrangements of arrays. How to read and write these files stands in tools/faces.py."""

class moveaxis:
    """Return a view with axes moved to other places.

    Parameters: ``source``, ``destination``: an int each, or as many ints.

    >>> moveaxis(zeros((3, 4, 5)), 0, -1).shape
    (4, 5, 3)
    """

    def numpy(a, source, destination): ...
    cupy = numpy
    @named("movedim")
    def torch(input: array, source, destination): ...
    def torch(input: array, source, destination): ...
    def keras(x, source, destination): ...

class swapaxes:
    """Return a view with two axes swapped."""

    def numpy(a, axis1, axis2): ...
    cupy = numpy
    @named("transpose")
    def torch(input: array, dim0: integer, dim1: integer): ...
    @named("swapdims")
    def torch(input: array, dim0: integer, dim1: integer): ...
    def torch(input: array, axis0: integer, axis1: integer): ...
    def keras(x, axis1, axis2): ...

class expand_dims:
    """Return a view with a dimension of one element put in at each of ``axis``."""

    def numpy(a, axis): ...
    cupy = numpy
    @named("unsqueeze")
    def torch(input: array, dim: integer): ...
    def keras(x, axis): ...

class squeeze:
    """Return a view without dimensions of one element: all of them, or those of ``axis``."""

    def numpy(a, axis=None): ...
    cupy = numpy
    def torch(input: array, dim=None): ...
    def Tensor(self: array, *dim: any | None): ...
    def keras(x, axis=None): ...

class flip:
    """Return the elements along ``axis`` (None: along all axes) in the other direction.

    NumPy's result is a view, PyTorch's a copy.

    >>> flip([1, 2, 3])
    array([3, 2, 1])
    """

    def numpy(m, axis=None): ...
    cupy = numpy
    def torch(input: array, dims: integers): ...
    def Tensor(self: array, *dims: integers): ...
    def keras(x, axis=None): ...

class flipud:
    """Return the rows in the other order.

    >>> flipud([[1, 2], [3, 4]])
    array([[3, 4],
           [1, 2]])
    """

    def numpy(m): ...
    cupy = numpy
    def torch(input: array): ...

class fliplr:
    """Return the columns in the other order.

    >>> fliplr([[1, 2], [3, 4]])
    array([[2, 1],
           [4, 3]])
    """

    def numpy(m): ...
    cupy = numpy
    def torch(input: array): ...

class rot90:
    """Return the elements turned by ``k`` quarters, from the first of ``axis`` towards the second.

    NumPy's result is a view, PyTorch's a copy. Raises ValueError for axes that do not do.

    >>> rot90([[1, 2], [3, 4]])
    array([[2, 4],
           [1, 3]])
    """

    def numpy(m, k=1, axes=(0, 1)): ...
    cupy = numpy
    def torch(input: array, k: integer = 1, dims=(0, 1)): ...
    def keras(array, k=1, axes=(0, 1)): ...

class roll:
    """Return a new array whose elements are moved on by ``shift`` along ``axis``; those that leave at the end come in at the start.

    Parameters: ``shift``, ``axis``: ints, or tuples that broadcast; ``axis`` None: the flattened array is rolled.

    >>> roll([1, 2, 3, 4], 1)
    array([4, 1, 2, 3])
    """

    def numpy(a, shift, axis=None): ...
    cupy = numpy
    def torch(input: array, shifts, dims=()): ...
    def keras(x, shift, axis=None): ...
