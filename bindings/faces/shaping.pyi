"""The faces of views and arrangements of arrays. How to read and write these files stands in tools/faces.py."""

class moveaxis:
    """Return a view with axes moved to other places.

    Parameters: ``source``, ``destination``: an int each, or as many ints.

    >>> moveaxis(zeros((3, 4, 5)), 0, -1).shape
    (4, 5, 3)

    >>> torch.movedim(torch.zeros(3, 4, 5), 0, -1).shape
    torch.Size([4, 5, 3])
    """

    def numpy(a, source, destination): ...
    cupy = numpy
    @named("movedim")
    def torch(input: array, source, destination): ...
    def torch(input: array, source, destination): ...
    def keras(x, source, destination): ...

class swapaxes:
    """Return a view with two axes swapped.

    >>> swapaxes([[1, 2, 3]], 0, 1).shape
    (3, 1)

    >>> torch.transpose(torch.tensor([[1, 2, 3]]), 0, 1)
    tensor([[1],
            [2],
            [3]])
    """

    def numpy(a, axis1, axis2): ...
    cupy = numpy
    @named("transpose")
    def torch(input: array, dim0: integer, dim1: integer): ...
    @named("swapdims")
    def torch(input: array, dim0: integer, dim1: integer): ...
    def torch(input: array, axis0: integer, axis1: integer): ...
    def keras(x, axis1, axis2): ...

class expand_dims:
    """Return a view with a dimension of one element put in at each of ``axis``.

    >>> expand_dims([1, 2], 0).shape
    (1, 2)

    >>> torch.unsqueeze(torch.tensor([1, 2]), 1)
    tensor([[1],
            [2]])
    """

    def numpy(a, axis): ...
    cupy = numpy
    @named("unsqueeze")
    def torch(input: array, dim: integer): ...
    def keras(x, axis): ...

class squeeze:
    """Return a view without dimensions of one element: all of them, or those of ``axis``. The array itself where none goes.

    >>> squeeze([[1, 2]]).shape
    (2,)
    """

    def numpy(a, axis=None): ...
    cupy = numpy
    def keras(x, axis=None): ...

class squeezed:
    """Return a view without dimensions of one element: all of them, or those of ``axis``.

    >>> torch.squeeze(torch.tensor([[[1], [2]]]))
    tensor([1, 2])
    >>> torch.squeeze(torch.tensor([[[1], [2]]]), 0).shape
    torch.Size([2, 1])
    """

    @named("squeeze")
    def torch(input: array, dim=None): ...
    @named("squeeze")
    def Tensor(self: array, *dim: any | None): ...

class flip:
    """Return the elements along ``axis`` (None: along all axes) in the other direction.

    NumPy's result is a view, PyTorch's a copy.

    >>> flip([1, 2, 3])
    array([3, 2, 1])

    >>> torch.flip(torch.tensor([[1, 2, 3], [4, 5, 6]]), [1])
    tensor([[3, 2, 1],
            [6, 5, 4]])
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

    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """

    def numpy(m): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class fliplr:
    """Return the columns in the other order.

    >>> fliplr([[1, 2], [3, 4]])
    array([[2, 1],
           [4, 3]])

    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """

    def numpy(m): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class rot90:
    """Return the elements turned by ``k`` quarters, from the first of ``axis`` towards the second.

    NumPy's result is a view, PyTorch's a copy. Raises ValueError unless ``axis`` are two different ones,
    ValueError (torch: IndexError) for an axis out of range.

    >>> rot90([[1, 2], [3, 4]])
    array([[2, 4],
           [1, 3]])

    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """

    def numpy(m, k=1, axes=(0, 1)): ...
    cupy = numpy
    def torch(input: array, k: integer = 1, dims=(0, 1)): ...
    def keras(array, k=1, axes=(0, 1)): ...

class reshape:
    """Return the same elements in another shape, of which one size may be -1: a view where that is possible.

    Parameters: ``order``: in which order they are read and put down again, "C", "F", or "A" for "F" where the array has it; ``copy``: True
    for new memory in any case, False for a view or ValueError.

    >>> reshape(arange(6), (2, -1)).shape
    (2, 3)

    >>> torch.reshape(torch.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """

    def numpy(a, /, shape, order="C", *, copy=None): ...
    cupy = numpy
    def Array(self, *shape, order="C", copy=None): ...
    def torch(input: array, shape: integers): ...
    def Tensor(self: array, *shape: integers): ...
    @named("reshape_as")
    def Tensor(self: array, other: array): ...
    def keras(x, newshape): ...

class view:
    """Return the same memory in another shape, or as elements of another type. Raises RuntimeError where a copy
    would be needed.

    >>> torch.arange(6).view(2, 3)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """

    @overload
    def Tensor(self: array, *size: integers): ...
    @overload
    def Tensor(self: array, dtype: dtype): ...
    @named("view_as")
    def Tensor(self: array, other: array): ...

class ravel:
    """Return the elements as one dimension: a view where they lie in that order without gaps, else a copy.

    ``order``: "C" for rows, "F" for columns, "A" for "F" where the array has it, "K" for the order in memory.

    >>> ravel([[1, 2], [3, 4]], "F")
    array([1, 3, 2, 4])

    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """

    def numpy(a, order="C"): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class flatten:
    """Return a copy of the elements as one dimension; ``order`` is as :func:`ravel` has it.

    >>> array([[1, 2], [3, 4]]).flatten()
    array([1, 2, 3, 4])
    >>> array([[1, 2], [3, 4]]).flatten("F")
    array([1, 3, 2, 4])
    """

    def Array(self, order="C"): ...

class copy:
    """Return a copy of the tensor.

    >>> keras.ops.copy([1, 2])
    array([1, 2], dtype=int32)
    """

    def keras(x): ...

class merge_axes:
    """Return the dimensions from ``axis1`` to ``axis2`` as one: the tensor itself where they are one, a view where that is possible.

    >>> torch.flatten(torch.zeros(2, 3, 4), start_dim=1).shape
    torch.Size([2, 12])
    """

    @named("flatten")
    def torch(input: array, start_dim: integer = 0, end_dim: integer = -1): ...

class transpose:
    """Return a view with the axes in another order, by default reversed.

    >>> transpose(zeros((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)

    >>> torch.permute(torch.zeros(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """

    def numpy(a, axes=None): ...
    @named("permute_dims")
    def numpy(a, axes=None): ...
    cupy = numpy
    def Array(self, *axes: any | None): ...
    @named("permute")
    def torch(input: array, dims: integers): ...
    @named("permute")
    def Tensor(self: array, *dims: integers): ...
    def keras(x, axes=None): ...

class matrix_transpose:
    """Return a view with the last two axes swapped. Raises ValueError for fewer than two dimensions.

    >>> matrix_transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """

    def numpy(x, /): ...
    cupy = numpy

class t:
    """Return a matrix transposed, as a view; less than two dimensions as they are.

    >>> torch.t(torch.tensor([[1, 2, 3], [4, 5, 6]]))
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """

    def torch(input: array): ...

class broadcast_to:
    """Return a view of ``shape`` in which the elements repeat; NumPy's is read-only.

    >>> broadcast_to([1, 2], (2, 2))
    array([[1, 2],
           [1, 2]])

    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    >>> torch.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """

    def numpy(array, shape, subok: ignored = False): ...
    def cupy(array, shape): ...
    def torch(input: array, size: integers): ...
    def Tensor(self: array, *size: integers): ...
    @named("expand")
    def Tensor(self: array, *size: integers, implicit: ignored = False): ...
    @named("expand_as")
    def Tensor(self: array, other: array): ...
    def keras(x, shape): ...

class roll:
    """Return a new array whose elements are moved on by ``shift`` along ``axis``; those that leave at the end come in at the start.

    Parameters: ``shift``, ``axis``: ints, or tuples that broadcast; ``axis`` None: the flattened array is rolled.

    >>> roll([1, 2, 3, 4], 1)
    array([4, 1, 2, 3])

    >>> torch.roll(torch.tensor([1, 2, 3, 4]), 1)
    tensor([4, 1, 2, 3])
    """

    def numpy(a, shift, axis=None): ...
    cupy = numpy
    def torch(input: array, shifts, dims=()): ...
    def keras(x, shift, axis=None): ...

class atleast_1d:
    """Return views with at least one dimension: of one array that view, of several a tuple of them.

    >>> atleast_1d(3.0)
    array([3.])

    >>> torch.atleast_1d(torch.tensor(3.0))
    tensor([3.])
    """

    def numpy(*arys: arrays): ...
    cupy = numpy
    def torch(*tensors: arrays): ...

class atleast_2d:
    """Return views with at least two dimensions; ones are put in front. Of several arrays a tuple.

    >>> atleast_2d([1, 2])
    array([[1, 2]])

    >>> torch.atleast_2d(torch.tensor([1, 2]))
    tensor([[1, 2]])
    """

    def numpy(*arys: arrays): ...
    cupy = numpy
    def torch(*tensors: arrays): ...

class atleast_3d:
    """Return views with at least three dimensions: (N,) becomes (1, N, 1), (M, N) becomes (M, N, 1). Of several arrays a tuple.

    >>> atleast_3d([1, 2]).shape
    (1, 2, 1)

    >>> torch.atleast_3d(torch.tensor([1, 2])).shape
    torch.Size([1, 2, 1])
    """

    def numpy(*arys: arrays): ...
    cupy = numpy
    def torch(*tensors: arrays): ...

class broadcast_arrays:
    """Return a tuple of views of one shape, the one that the arrays broadcast to. Raises ValueError for
    shapes that do not broadcast.

    >>> [a.shape for a in broadcast_arrays([1, 2], [[3], [4]])]
    [(2, 2), (2, 2)]

    >>> a, b = torch.broadcast_tensors(torch.tensor([1, 2]), torch.tensor([[3], [4]]))
    >>> b
    tensor([[3, 3],
            [4, 4]])
    """

    def numpy(*args: arrays, subok: ignored = False): ...
    def cupy(*args: arrays): ...
    @named("broadcast_tensors")
    def torch(*tensors: arrays): ...

class concatenate:
    """Return arrays one after the other along ``axis``; None: flattened.

    Parameters: ``out``: an array that takes the result; ``dtype``: of the result, without ``out``; ``casting``: which conversions to
    that are allowed. Raises ValueError for shapes that do not match, TypeError for conversions that ``casting`` does not allow, and for
    both ``out`` and ``dtype``.

    >>> concatenate(([1, 2], [3]))
    array([1, 2, 3])

    >>> torch.cat((torch.tensor([[1, 2]]), torch.tensor([[3, 4], [5, 6]])))
    tensor([[1, 2],
            [3, 4],
            [5, 6]])
    """

    def numpy(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"): ...
    @named("concat")
    def numpy(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"): ...
    cupy = numpy
    @named("cat")
    def torch(tensors: arrays, dim: integer = 0, *, out=None): ...
    @named("concat")
    def torch(tensors: arrays, dim: integer = 0, *, out=None): ...
    def torch(tensors: arrays, dim: integer = 0, *, out=None): ...
    def keras(xs, axis=0): ...

class stack:
    """Return arrays of one shape, joined along a new axis; see :func:`concatenate`.

    >>> stack(([1, 2], [3, 4]), 1)
    array([[1, 3],
           [2, 4]])

    >>> torch.stack((torch.tensor([1, 2]), torch.tensor([3, 4])), dim=1)
    tensor([[1, 3],
            [2, 4]])
    """

    def numpy(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"): ...
    cupy = numpy
    def torch(tensors: arrays, dim: integer = 0, *, out=None): ...
    def keras(x, axis=0): ...

class hstack:
    """Return arrays side by side: along the second axis, or the first of 1-D arrays.

    ``dtype``: of the result; ``casting``: which conversions to it are allowed, else TypeError. Raises ValueError for shapes that
    do not match.

    >>> hstack(([1, 2], [3]))
    array([1, 2, 3])

    >>> torch.hstack((torch.tensor([[1], [2]]), torch.tensor([[3, 4], [5, 6]])))
    tensor([[1, 3, 4],
            [2, 5, 6]])
    """

    def numpy(tup, *, dtype=None, casting="same_kind"): ...
    cupy = numpy
    def torch(tensors: arrays, *, out=None): ...
    def keras(xs): ...

class vstack:
    """Return arrays one below the other, along the first axis; 1-D arrays are rows. See :func:`hstack`.

    >>> vstack(([1, 2], [3, 4]))
    array([[1, 2],
           [3, 4]])

    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
    """

    def numpy(tup, *, dtype=None, casting="same_kind"): ...
    cupy = numpy
    @named("row_stack")
    def numpy(tup, *, dtype=None, casting="same_kind"): ...
    def torch(tensors: arrays, *, out=None): ...
    @named("row_stack")
    def torch(tensors: arrays, *, out=None): ...
    def keras(xs): ...

class dstack:
    """Return arrays one behind the other, along the third axis; (M, N) counts as (M, N, 1), (N,) as (1, N, 1).

    >>> dstack(([1, 2], [3, 4])).shape
    (1, 2, 2)

    >>> torch.dstack((torch.tensor([1, 2]), torch.tensor([3, 4]))).shape
    torch.Size([1, 2, 2])
    """

    def numpy(tup): ...
    cupy = numpy
    def torch(tensors: arrays, *, out=None): ...
    def keras(xs): ...

class column_stack:
    """Return a matrix with the 1-D arrays as columns; 2-D arrays are put in as they are. Raises ValueError for shapes that do not match.

    >>> column_stack(([1, 2], [3, 4]))
    array([[1, 3],
           [2, 4]])

    >>> torch.column_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
    """

    def numpy(tup): ...
    cupy = numpy
    def torch(tensors: arrays, *, out=None): ...

class split:
    """Return a list of views: so many equal parts, or parts cut at given places. Raises ValueError where the parts are not equal.

    >>> split(arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """

    def numpy(ary, indices_or_sections, axis=0): ...
    cupy = numpy
    def keras(x, indices_or_sections, axis=0): ...

class array_split:
    """Return views of so many parts, of which the first are one longer where it does not come out even, or of parts cut at given places.

    Raises ValueError for a number of sections below 1.

    >>> [p.size for p in array_split(arange(7), 3)]
    [3, 2, 2]

    >>> torch.tensor_split(torch.arange(5), 3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.tensor_split(torch.arange(5), (1, 4))
    (tensor([0]), tensor([1, 2, 3]), tensor([4]))
    """

    def numpy(ary, indices_or_sections, axis=0): ...
    cupy = numpy
    def keras(x, indices_or_sections, axis=0): ...
    @named("tensor_split")
    def torch(
        input: array, indices_or_sections=None, dim: integer = 0, *, indices=None, sections=None, tensor_indices_or_sections=None
    ): ...

class hsplit:
    """Return views of equal parts, or of parts cut at places, along the second axis, or the first of a 1-D array.

    >>> [p.shape for p in hsplit(zeros((2, 4)), 2)]
    [(2, 2), (2, 2)]

    >>> torch.hsplit(torch.tensor([1, 2, 3, 4]), 2)
    (tensor([1, 2]), tensor([3, 4]))
    """

    def numpy(ary, indices_or_sections): ...
    cupy = numpy
    def torch(input: array, indices_or_sections=None, *, indices=None, sections=None): ...
    def Tensor(self: array, *indices_or_sections: any | None, indices=None, sections=None): ...
    def keras(x, indices_or_sections): ...

class vsplit:
    """Return views of equal parts, or of parts cut at places, along the first axis of an array of at least two dimensions.

    >>> [p.shape for p in vsplit(zeros((2, 4)), 2)]
    [(1, 4), (1, 4)]

    >>> torch.vsplit(torch.tensor([[1, 2], [3, 4]]), 2)
    (tensor([[1, 2]]), tensor([[3, 4]]))
    """

    def numpy(ary, indices_or_sections): ...
    cupy = numpy
    def torch(input: array, indices_or_sections=None, *, indices=None, sections=None): ...
    def Tensor(self: array, *indices_or_sections: any | None, indices=None, sections=None): ...
    def keras(x, indices_or_sections): ...

class dsplit:
    """Return views of equal parts, or of parts cut at places, along the third axis of an array of at least three dimensions.

    >>> [p.shape for p in dsplit(zeros((2, 2, 4)), 2)]
    [(2, 2, 2), (2, 2, 2)]

    >>> [part.shape for part in torch.dsplit(torch.zeros(2, 2, 4), 2)]
    [torch.Size([2, 2, 2]), torch.Size([2, 2, 2])]
    """

    def numpy(ary, indices_or_sections): ...
    cupy = numpy
    def torch(input: array, indices_or_sections=None, *, indices=None, sections=None): ...
    def Tensor(self: array, *indices_or_sections: any | None, indices=None, sections=None): ...
    def keras(x, indices_or_sections): ...

class split_by_sizes:
    """Return views of parts along ``axis``: of so many elements each, or of these sizes.

    >>> torch.split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.split(torch.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """

    @named("split")
    def torch(input: array, split_size_or_sections=None, dim: integer = 0, *, split_size=None): ...
    @named("split_with_sizes")
    def torch(input: array, split_sizes: integers, dim: integer = 0): ...
    @named("unsafe_split")
    def torch(input: array, split_size: integer, dim: integer = 0): ...
    @named("unsafe_split_with_sizes")
    def torch(input: array, split_sizes: integers, dim: integer = 0): ...

class chunk:
    """Return views of at most ``chunks`` parts along ``axis``, all but the last of one size.

    >>> torch.chunk(torch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """

    def torch(input: array, chunks: integer, dim: integer = 0): ...
    @named("unsafe_chunk")
    def torch(input: array, chunks: integer, dim: integer = 0): ...

class unstack:
    """Return a tuple of views of the elements along ``axis``.

    >>> [p.tolist() for p in unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]

    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]), dim=1)
    (tensor([1, 3]), tensor([2, 4]))
    """

    def numpy(x, /, *, axis=0): ...
    @named("unbind")
    def torch(input: array, dim: integer = 0): ...
    @submodule("core")
    def keras(x, num: ignored = None, axis=0): ...

class repeat:
    """Return each element so many times one after the other, along ``axis`` or of the flattened tensor.

    ``repeats``: an int, or one for each element along the axis.

    >>> keras.ops.repeat([1, 2], 2)
    array([1, 1, 2, 2], dtype=int32)
    >>> keras.ops.repeat([1, 2], keras.ops.array([1, 3]))
    array([1, 2, 2, 2], dtype=int32)
    """

    def keras(x, repeats, axis=None): ...

class pad:
    """Return the tensor with a border, whose elements ``mode`` says: constants, or those at the edge, mirrored, and so on.

    ``pad_width``: how many elements before and after: an int, a pair, or a pair for each axis.

    >>> keras.ops.pad([1, 2, 3], (1, 2))
    array([0, 1, 2, 3, 0, 0], dtype=int32)
    >>> keras.ops.pad([1, 2, 3], (1, 2), mode="reflect")
    array([2, 1, 2, 3, 2, 1], dtype=int32)
    """

    def keras(x, pad_width, mode="constant", constant_values=None): ...

class slice:
    """Return the part of a ``shape`` that begins at ``start_indices``, moved to where it fits.

    Parameters: ``start_indices``: first index along each axis; ``shape``: size along each axis, -1 for what follows the start.
    Returns an array of ``shape``, in the input's dtype.

    >>> keras.ops.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 2])
    array([[2, 3],
           [5, 6]], dtype=int32)
    """

    @submodule("core")
    def keras(inputs, start_indices, shape): ...

class slice_update:
    """Return a copy with ``updates`` in place of the part that begins at ``start_indices``, moved to where it fits.

    Parameters: ``start_indices``: first index along each axis; ``updates``: the new values. Returns same shape and dtype as the input.

    >>> keras.ops.slice_update([1, 2, 3, 4], [1], [9, 9])
    array([1, 9, 9, 4], dtype=int32)
    """

    @submodule("core")
    def keras(inputs, start_indices, updates): ...

class scatter_update:
    """Return a copy with ``updates`` at the indices that the rows of ``indices`` name; others are left out.

    Parameters: ``indices``: a row of indices for each update; ``updates``: the new values; ``reduction``: None to replace the values, or
    "add", "mul", "max" or "min" to combine them. Returns same shape and dtype as the input.

    >>> keras.ops.scatter_update([1, 2, 3, 4], [[0], [2]], [9, 9])
    array([9, 2, 9, 4], dtype=int32)
    """

    @submodule("core")
    def keras(inputs, indices, updates, reduction=None): ...

class scatter:
    """Return zeros of a ``shape`` with ``values`` added at the indices that the rows of ``indices`` name.

    Parameters: ``indices``: a row of indices for each value; ``values``: what is added.
    Returns an array of ``shape``, in the dtype of ``values``.

    >>> keras.ops.scatter([[0], [2]], [5, 6], (4,))
    array([5, 0, 6, 0], dtype=int32)
    """

    @submodule("core")
    def keras(indices, values, shape): ...

class append_alike:
    """Return the elements of both, one after the other along ``axis`` or both flattened.

    >>> keras.ops.append([1, 2], [[3, 4]])
    array([1, 2, 3, 4], dtype=int32)
    """

    @named("append")
    def keras(x1, x2, axis=None): ...

class tile:
    """Return a new array of copies of the array side by side, ``reps`` (an int or one for each axis) times along each axis.

    >>> tile([1, 2], (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])

    >>> torch.tile(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    >>> torch.tensor([1, 2]).repeat(3)
    tensor([1, 2, 1, 2, 1, 2])
    """

    def numpy(A, reps): ...
    cupy = numpy
    def torch(input: array, dims: integers): ...
    def Tensor(self: array, *dims: integers): ...
    @named("repeat")
    def Tensor(self: array, *repeats: integers): ...
    def keras(x, repeats): ...
