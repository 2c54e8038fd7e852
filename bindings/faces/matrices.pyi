"""The faces of products of vectors and matrices, and of parts of matrices. How to read and write these files stands in tools/faces.py."""

class matmul:
    """Return the product of matrices in the last two dimensions; a vector counts as a row on the left, a column on the right.

    >>> matmul([[1, 2]], [[3], [4]])
    array([[11]])

    >>> torch.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [1, 1]]))
    tensor([[3, 2],
            [7, 4]])
    >>> torch.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]))
    tensor([12, 34])
    """

    def torch(input: array, other: array, *, out=None): ...
    @submodule("linalg")
    def torch(input: array, other: array, *, out=None): ...
    @submodule("linalg")
    def numpy(x1, x2, /): ...

class matmul_alike:
    """Return the product of matrices in the last two dimensions; a vector counts as a row on the left, a column on the right.

    >>> keras.ops.matmul([[1, 2], [3, 4]], [[1, 0], [1, 1]])
    array([[3, 2],
           [7, 4]], dtype=int32)
    """

    @named("matmul")
    def keras(x1, x2): ...

class dot_alike:
    """Return the sums of products over the last axis of ``x1`` and the last but one of ``x2``; a number multiplies all elements.

    >>> keras.ops.dot([1, 2, 3], [4, 5, 6])
    array(32, dtype=int32)
    """

    @named("dot")
    def keras(x1, x2): ...

class mm:
    """Return the product of two matrices.

    >>> torch.mm(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [1, 1]]))
    tensor([[3, 2],
            [7, 4]])
    """

    def torch(input: array, mat2: array, *, out=None): ...

class bmm:
    """Return the products of two stacks of matrices.

    >>> torch.bmm(torch.tensor([[[1, 2]], [[3, 4]]]), torch.tensor([[[1], [1]], [[10], [1]]])).flatten()
    tensor([ 3, 34])
    """

    def torch(input: array, mat2: array, *, out=None): ...

class mv:
    """Return the product of a matrix and a vector.

    >>> torch.mv(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]))
    tensor([12, 34])
    """

    def torch(input: array, vec: array, *, out=None): ...

class dot:
    """Return the sums of products over the last axis of ``a`` and the last but one of ``b`` (the only one of a vector).

    Matrices are multiplied; with a number, each element is. Raises ValueError for sizes that differ, ValueError
    (torch: none) for an ``out`` of another shape.

    >>> dot([1, 2], [3, 4])
    array(11)

    >>> torch.dot(torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6]))
    tensor(32)
    """

    def numpy(a, b, out=None): ...
    def cupy(a: own, b: own, out=None): ...
    def ndarray(self, b: own, out=None): ...
    def torch(input: array, tensor: array, *, out=None): ...

class vdot_alike:
    """Return the sum of the products of the flattened arrays, the first conjugated.

    >>> keras.ops.vdot([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    array(5, dtype=int32)
    """

    @named("vdot")
    def keras(x1, x2): ...

class inner_alike:
    """Return the sums of products over the last axes of both.

    >>> keras.ops.inner([[1, 2], [3, 4]], [10, 1])
    array([12, 34], dtype=int32)
    """

    @named("inner")
    def keras(x1, x2): ...

class outer_alike:
    """Return the products of each element of ``x1`` with each of ``x2``, both flattened.

    >>> keras.ops.outer(keras.ops.array([1, 2]), keras.ops.array([3, 4, 5]))
    array([[ 3,  4,  5],
           [ 6,  8, 10]], dtype=int32)
    """

    @named("outer")
    def keras(x1, x2): ...

class kron_alike:
    """Return the Kronecker product: ``x2`` in place of each element of ``x1``, times it.

    >>> keras.ops.kron([[1, 2]], [[1, 1], [0, 1]])
    array([[1, 1, 2, 2],
           [0, 1, 0, 2]], dtype=int32)
    """

    @named("kron")
    def keras(x1, x2): ...

class tensordot_alike:
    """Return the sum of products over axes of both arrays: so many, or two lists of them.

    >>> keras.ops.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    array(5, dtype=int32)
    >>> keras.ops.tensordot([[1, 2], [3, 4]], [10, 1], axes=[[0], [0]])
    array([13, 24], dtype=int32)
    """

    @named("tensordot")
    def keras(x1, x2, axes=2): ...

class vdot:
    """Return the sum of the products of the flattened arrays, the first conjugated. Raises ValueError for different sizes.

    >>> vdot([1j, 2], [1j, 2])
    array(5.+0.j)

    >>> torch.vdot(torch.tensor([1j, 2.0]), torch.tensor([1j, 2.0]))
    tensor(5.+0.j)
    """

    def numpy(a, b, /): ...
    def cupy(a: own, b: own): ...
    def torch(input: array, other: array, *, out=None): ...

class inner:
    """Return the sums of products over the last axes of both. Raises ValueError for sizes that differ.

    >>> inner([1, 2], [3, 4])
    array(11)

    >>> torch.inner(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]))
    tensor([12, 34])
    """

    def numpy(a, b, /): ...
    def cupy(a: own, b: own): ...
    def torch(input: array, other: array, *, out=None): ...

class outer:
    """Return the products of each element of ``a`` with each of ``b``, both flattened.

    >>> outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])

    >>> torch.outer(torch.tensor([1, 2]), torch.tensor([3, 4, 5]))
    tensor([[ 3,  4,  5],
            [ 6,  8, 10]])
    """

    def numpy(a, b, out=None): ...
    def cupy(a: own, b: own, out=None): ...
    @named("outer", "ger")
    def torch(input: array, vec2: array, *, out=None): ...

class kron:
    """Return the Kronecker product: ``b`` in place of each element of ``a``, times it.

    >>> kron([1, 10], [1, 2, 3])
    array([ 1,  2,  3, 10, 20, 30])

    >>> torch.kron(torch.tensor([1, 10]), torch.tensor([1, 2, 3]))
    tensor([ 1,  2,  3, 10, 20, 30])
    """

    def numpy(a, b): ...
    cupy = numpy
    def torch(input: array, other: array, *, out=None): ...

class einsum:
    """Return the sum of products of the operands' elements by Einstein's convention.

    ``einsum("ij,jk->ik", a, b)`` and ``einsum(a, [0, 1], b, [1, 2], [0, 2])`` both multiply matrices: subscripts that the result
    lacks are summed over. An ellipsis stands for further axes. Without "->" the result has the subscripts that occur once, in
    alphabetical order.

    Parameters: ``optimize``: order of the contractions, as in NumPy, by default from left to right; ``dtype``: dtype of the
    computation; ``casting``: which conversions to this dtype are allowed. Raises ValueError for subscripts that do not fit the operands.

    >>> einsum("ii", [[1, 2], [3, 4]])
    array(5)

    >>> torch.einsum("ij,j->i", torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]))
    tensor([12, 34])
    """

    def numpy(*operands: arrays, out=None, optimize=False, dtype=None, order="K", casting="safe"): ...
    def cupy(*operands: arrays, out=None, optimize=False, dtype=None, order="K", casting="safe"): ...
    def torch(equation, *operands: arrays): ...
    def keras(subscripts, *operands: arrays, optimize=False): ...

class tensordot:
    """Return the sum of products over axes of both arrays, as one matrix product.

    Parameters: ``axes``: a number (so many last axes of ``a`` with the first of ``b``), or a pair of axes or lists of axes.
    Raises ValueError for axes whose sizes differ.

    >>> tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    array(5)
    """

    def numpy(a, b, axes=2): ...
    def cupy(a: own, b: own, axes=2): ...
    @submodule("linalg")
    def numpy(x1, x2, /, *, axes=2): ...

class tensordot_of_ones:
    """Return the sums of products over dimensions of both tensors: so many, or two lists of them. A size of 1 stands for any.

    >>> torch.tensordot(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]), dims=1)
    tensor([12, 34])
    >>> torch.tensordot(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]), dims=([0], [0]))
    tensor([13, 24])
    """

    @named("tensordot")
    def torch(a: array, b: array, dims=2, out=None): ...

class cross:
    """Return the cross products of vectors of three components (or two, where the installed NumPy still allows it).

    Parameters: ``axisa``, ``axisb``, ``axisc``: the axis of the components in ``a``, ``b`` and the result; ``axis``: all three.
    Raises ValueError unless the vectors have two or three components.

    >>> cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """

    def numpy(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None): ...
    cupy = numpy

@submodule("linalg")
class cross_of_three:
    """Return the cross products of vectors of three components along ``axis``. Raises ValueError for other
    numbers of components.

    >>> cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """

    @named("cross")
    def numpy(x1, x2, /, *, axis=-1): ...

class cross_alike:
    """Return the cross products of vectors of two or three components.

    >>> keras.ops.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1], dtype=int32)
    """

    @named("cross")
    def keras(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None): ...

class cross_along:
    """Return the cross products of vectors of three components along ``axis``, by default the first of size 3.

    >>> torch.linalg.cross(torch.tensor([[1, 0, 0], [0, 1, 0]]), torch.tensor([[0, 1, 0]]))
    tensor([[0, 0, 1],
            [0, 0, 0]])
    """

    @named("cross")
    def torch(input: array, other: array, dim=None, *, out=None): ...
    @named("cross")
    @submodule("linalg")
    def torch(input: array, other: array, *, dim: integer = -1, out=None): ...

@submodule("linalg")
class outer_of_vectors:
    """Return the products of each element of one vector with each of the other. Raises ValueError for inputs
    of more than one dimension.

    >>> outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """

    @named("outer")
    def numpy(x1, x2, /): ...

class addmm:
    """Return ``beta * a + alpha * x @ y`` of matrices.

    >>> torch.addmm(torch.tensor([[1, 1]]), torch.tensor([[1, 2]]), torch.tensor([[1, 0], [0, 1]]), beta=10)
    tensor([[11, 12]])
    """

    @in_place_too
    def torch(input: array, mat1: array, mat2: array, *, beta: number = 1, alpha: number = 1, out=None): ...

class addmv:
    """Return ``beta * a + alpha * x @ y`` of a matrix and a vector.

    >>> torch.addmv(torch.tensor([1, 1]), torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]))
    tensor([13, 35])
    """

    @in_place_too
    def torch(input: array, mat: array, vec: array, *, beta: number = 1, alpha: number = 1, out=None): ...

class addr:
    """Return ``beta * a + alpha * outer(x, y)``.

    >>> torch.addr(torch.tensor([[1, 1], [1, 1]]), torch.tensor([1, 2]), torch.tensor([10, 20]))
    tensor([[11, 21],
            [21, 41]])
    """

    @in_place_too
    def torch(input: array, vec1: array, vec2: array, *, beta: number = 1, alpha: number = 1, out=None): ...

class baddbmm:
    """Return ``beta * a + alpha * x @ y`` of stacks of matrices.

    >>> torch.baddbmm(torch.tensor([[[1]]]), torch.tensor([[[1, 2]], [[3, 4]]]), torch.tensor([[[1], [1]], [[10], [1]]])).flatten()
    tensor([ 4, 35])
    """

    @in_place_too
    def torch(input: array, batch1: array, batch2: array, *, beta: number = 1, alpha: number = 1, out=None): ...

class addbmm:
    """Return ``beta * a + alpha * sum(x @ y)``, the sum over the stack.

    >>> torch.addbmm(torch.tensor([[1]]), torch.tensor([[[1, 2]], [[3, 4]]]), torch.tensor([[[1], [1]], [[10], [1]]]))
    tensor([[38]])
    """

    @in_place_too
    def torch(input: array, batch1: array, batch2: array, *, beta: number = 1, alpha: number = 1, out=None): ...

class tril:
    """Return a new array with zeros above the ``k``-th diagonal of the last two axes.

    >>> tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])

    >>> torch.tril(torch.tensor([[1, 2, 3], [4, 5, 6]]))
    tensor([[1, 0, 0],
            [4, 5, 0]])
    """

    def numpy(m, k=0): ...
    cupy = numpy
    def array_api(x, /, *, k=0): ...
    def keras(x, k=0): ...
    @in_place_too
    def torch(input: array, diagonal: integer = 0, *, out=None): ...

class triu:
    """Return a new array with zeros below the ``k``-th diagonal of the last two axes.

    >>> triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])

    >>> torch.triu(torch.tensor([[1, 2, 3], [4, 5, 6]]), diagonal=1)
    tensor([[0, 2, 3],
            [0, 0, 6]])
    """

    def numpy(m, k=0): ...
    cupy = numpy
    def array_api(x, /, *, k=0): ...
    def keras(x, k=0): ...
    @in_place_too
    def torch(input: array, diagonal: integer = 0, *, out=None): ...

class diagonal:
    """Return a view of the ``offset``-th diagonals of the planes of ``row`` and ``column``, as the last axis; NumPy's is read-only.

    Raises ValueError for one axis named twice, ValueError (torch: IndexError) for fewer than two dimensions, AxisError for an axis out of
    range.

    >>> diagonal([[1, 2], [3, 4]], 1)
    array([2])

    >>> torch.diagonal(torch.tensor([[1, 2, 3], [4, 5, 6]]), 1)
    tensor([2, 6])
    """

    def numpy(a, offset=0, axis1=0, axis2=1): ...
    cupy = numpy
    def keras(x, offset=0, axis1=0, axis2=1): ...
    def torch(input: array, offset: integer = 0, dim1: integer = 0, dim2: integer = 1): ...
    @submodule("linalg")
    def torch(A: array, *, offset: integer = 0, dim1: integer = -2, dim2: integer = -1): ...

@submodule("linalg")
class diagonal_of_matrices:
    """Return a view of the ``offset``-th diagonals of matrices.

    >>> diagonal([[1, 2], [3, 4]])
    array([1, 4])
    """

    @named("diagonal")
    def numpy(x, /, *, offset=0): ...

class diag:
    """Return the ``k``-th diagonal of a matrix, a view; of a vector a new matrix with it on the ``k``-th diagonal. Else ValueError.

    >>> diag([1, 2])
    array([[1, 0],
           [0, 2]])
    """

    def numpy(v, k=0): ...
    cupy = numpy
    def keras(x, k=0): ...

class diag_copy:
    """Return the ``k``-th diagonal of a matrix, or a matrix with the vector on its ``k``-th diagonal.

    >>> torch.diag(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    >>> torch.diag(torch.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """

    @named("diag")
    def torch(input: array, diagonal: integer = 0, *, out=None): ...

class diagflat:
    """Return a new matrix with the flattened array on its ``k``-th diagonal.

    >>> diagflat([[1], [2]])
    array([[1, 0],
           [0, 2]])

    >>> torch.diagflat(torch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """

    def numpy(v, k=0): ...
    cupy = numpy
    def keras(x, k=0): ...
    def torch(input: array, offset: integer = 0): ...

class diag_embed:
    """Return matrices with the elements of the last axis on a diagonal; they are the axes ``row`` and ``column`` of the result.

    >>> torch.diag_embed(torch.tensor([1, 2]), offset=-1)
    tensor([[0, 0, 0],
            [1, 0, 0],
            [0, 2, 0]])
    """

    def torch(input: array, offset: integer = 0, dim1: integer = -2, dim2: integer = -1): ...

class trace:
    """Return the sums of :func:`diagonal`. In ``quern`` itself the name does more: without an array, ``quern.trace`` records launches.

    >>> trace([[1, 2], [3, 4]])
    array(5)
    """

    def numpy(a, offset=0, axis1=0, axis2=1, dtype=None, out=None): ...
    cupy = numpy
    def keras(x, offset=0, axis1=0, axis2=1): ...

class trace_of_matrices:
    """Return the sum of a matrix's diagonal.

    >>> trace([[1, 2], [3, 4]])
    array(5)

    >>> torch.trace(torch.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """

    @named("trace")
    def torch(input: array): ...
    @named("trace")
    @submodule("linalg")
    def numpy(x, /, *, offset=0, dtype=None): ...

class vander:
    """Return a matrix whose columns are powers of the vector ``x``, ``N`` of them, falling unless ``increasing``.

    >>> vander([1, 2, 3])
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])

    >>> torch.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """

    def numpy(x, N=None, increasing=False): ...
    cupy = numpy
    def torch(x: array, N: integer = None, increasing: boolean = False): ...

class vander_in_type:
    """Return a matrix whose columns are powers of the vector ``x``, ``N`` of them, falling unless ``increasing``.

    >>> keras.ops.vander(keras.ops.array([1, 2, 3]))
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]], dtype=int32)
    """

    @named("vander")
    def keras(x, N=None, increasing=False): ...
