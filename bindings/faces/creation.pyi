"""The faces of functions that make arrays of no others. How to read and write these files stands in tools/faces.py."""

class zeros:
    """Return an array of zeros; see :func:`full`.

    >>> zeros(2)
    array([0., 0.])
    """

    def numpy(shape, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, dtype=float, order="C", *, device=None): ...
    def keras(shape, dtype=None): ...
    def torch(
        *size,
        out=None,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        pin_memory: ignored = False,
    ): ...

class ones:
    """Return an array of ones; see :func:`full`.

    >>> ones(2, int)
    array([1, 1])
    """

    def numpy(shape, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, dtype=float, order="C", *, device=None): ...
    def keras(shape, dtype=None): ...
    def torch(
        *size,
        out=None,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        pin_memory: ignored = False,
    ): ...

class empty:
    """Return an array whose values do not matter (they are zero); see :func:`full`.

    >>> empty(2).shape
    (2,)
    """

    def numpy(shape, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, dtype=float, order="C", *, device=None): ...
    def keras(shape, dtype=None): ...
    def torch(
        *size,
        out=None,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        pin_memory: ignored = False,
        memory_format=None,
    ): ...

class full:
    """Return an array of that ``shape`` in which every element is ``fill_value``.

    Parameters: ``dtype``: by default that of ``fill_value``; ``order``: "C" for rows, "F" for columns without gaps. Raises ValueError for
    negative dimensions.

    >>> full(2, 7)
    array([7, 7])
    """

    def numpy(shape, fill_value, dtype=None, order="C", *, device=None, like: ignored = None): ...
    def cupy(shape, fill_value, dtype=None, order="C", *, device=None): ...
    def torch(
        size: integers,
        fill_value: operand,
        *,
        out=None,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        pin_memory: ignored = False,
    ): ...

class zeros_like:
    """Return zeros of the shape, type and device of ``a``, unless others are asked for; see :func:`full_like`.

    >>> zeros_like([1, 2])
    array([0, 0])
    """

    def numpy(a, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(a, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def keras(x, dtype=None): ...
    def torch(
        input: array,
        *,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        memory_format=None,
        pin_memory: ignored = False,
    ): ...
    @named("new_zeros")
    def Tensor(
        self: array,
        *size,
        dtype=None,
        device=None,
        requires_grad: boolean = False,
        layout: ignored = None,
        pin_memory: ignored = False,
    ): ...

class ones_like:
    """Return ones of the shape, type and device of ``a``, unless others are asked for; see :func:`full_like`.

    >>> ones_like([1, 2])
    array([1, 1])
    """

    def numpy(a, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(a, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def keras(x, dtype=None): ...
    def torch(
        input: array,
        *,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        memory_format=None,
        pin_memory: ignored = False,
    ): ...
    @named("new_ones")
    def Tensor(
        self: array,
        *size,
        dtype=None,
        device=None,
        requires_grad: boolean = False,
        layout: ignored = None,
        pin_memory: ignored = False,
    ): ...

class empty_like:
    """Return an array of the shape, type and device of ``a`` whose values do not matter; see :func:`full_like`.

    >>> empty_like([1, 2]).shape
    (2,)
    """

    def numpy(prototype, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(prototype, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def torch(
        input: array,
        *,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        memory_format=None,
        pin_memory: ignored = False,
    ): ...
    @named("new_empty")
    def Tensor(
        self: array,
        *size,
        dtype=None,
        device=None,
        requires_grad: boolean = False,
        layout: ignored = None,
        pin_memory: ignored = False,
    ): ...

class full_like:
    """Return an array of the shape, type and device of ``a`` in which every element is ``fill_value``.

    Parameters: ``dtype``, ``shape``, ``device``: in place of those of ``a``; ``order``: "K" for axes that lie in memory as those of ``a``,
    "C" for rows, "F" for columns, "A" for columns if ``a`` has them.

    >>> full_like([1, 2], 9)
    array([9, 9])
    """

    def numpy(a, fill_value, dtype=None, order="K", subok: ignored = True, shape=None, *, device=None): ...
    def cupy(a, fill_value, dtype=None, order="K", subok: ignored[nothing] = None, shape=None, *, device=None): ...
    def torch(
        input: array,
        fill_value: operand,
        *,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        memory_format=None,
        pin_memory: ignored = False,
    ): ...
    @named("new_full")
    def Tensor(
        self: array,
        size: integers,
        fill_value: operand,
        *,
        dtype=None,
        device=None,
        requires_grad: boolean = False,
        layout: ignored = None,
        pin_memory: ignored = False,
    ): ...

class arange:
    """Return evenly spaced values in [start, stop): ``arange(stop)``, ``arange(start, stop[, step])``.

    >>> arange(2, 10, 3)
    array([2, 5, 8])
    """

    def numpy(start=NoValue, stop=NoValue, step=NoValue, dtype=None, *, device=None, like: ignored = None): ...
    def cupy(start=NoValue, stop=NoValue, step=NoValue, dtype=None, *, device=None): ...
    def torch(
        start=NoValue,
        end=NoValue,
        step=NoValue,
        *,
        out=None,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        pin_memory: ignored = False,
    ): ...

class eye:
    """Return a matrix with ones on its ``k``-th diagonal and zeros elsewhere.

    >>> eye(2)
    array([[1., 0.],
           [0., 1.]])
    """

    def numpy(N, M=None, k=0, dtype=float, order="C", *, device=None, like: ignored = None): ...
    def cupy(N, M=None, k=0, dtype=float, order="C", *, device=None): ...
    def torch(
        n: integer,
        m: integer = None,
        *,
        out=None,
        dtype=None,
        layout: ignored = None,
        device=None,
        requires_grad: boolean = False,
        pin_memory: ignored = False,
    ): ...
