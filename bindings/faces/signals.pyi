"""The faces of functions of sampled signals: differences, slopes, areas, sums of products, values between points. How to read and write
these files stands in tools/faces.py."""

@submodule("math")
class extract_sequences:
    """Return pieces of a length along the last axis, each ``stride`` further.

    >>> keras.ops.extract_sequences(keras.ops.array([1, 2, 3, 4, 5]), 3, 2)
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)
    """

    def keras(x, sequence_length, sequence_stride): ...

class diff:
    """Return the differences of neighbours along ``axis``, taken ``n`` times; of bools: where they differ.

    Parameters: ``prepend``, ``append``: values put before and after the samples first; a number counts as one element.
    Raises ValueError for a negative ``n`` or an array without dimensions, AxisError for an axis out of range.

    >>> diff([1, 4, 9])
    array([3, 5])

    >>> torch.diff(torch.tensor([1, 4, 9, 16]))
    tensor([3, 5, 7])
    >>> torch.diff(torch.tensor([1, 4, 9, 16]), n=2)
    tensor([2, 2])
    """

    def numpy(a, n=1, axis=-1, prepend=None, append=None): ...
    cupy = numpy
    def torch(input: array, n: integer = 1, dim: integer = -1, prepend: array = None, append: array = None, *, out=None): ...
    def keras(a, n=1, axis=-1): ...

class ediff1d:
    """Return the differences of neighbours of the flattened array, with the values of ``to_begin`` and ``to_end`` around them.

    Raises TypeError where ``to_begin`` or ``to_end`` cannot be converted to the array's dtype.

    >>> ediff1d([1, 4, 9], to_end=[99])
    array([ 3,  5, 99])
    """

    def numpy(ary, to_end=None, to_begin=None): ...
    def cupy(arr, to_end=None, to_begin=None): ...

class gradient:
    """Return the slopes along each axis: central differences inside, one-sided ones of order ``edge_order`` (1 or 2) at the ends.

    Parameters: ``spacing``: the distance of neighbours, one for all axes or one for each, or the coordinates along an axis (an array of
    them is evaluated, as evenly spaced ones count as one distance); ``axis``: the axes, None for all.
    Returns an array, or a tuple of one for each of several axes. Raises ValueError for arrays that are too small and coordinates that do
    not fit, TypeError (torch: RuntimeError) for a wrong number of distances.

    >>> gradient([1.0, 4.0, 9.0])
    array([3., 4., 5.])

    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0]))
    (tensor([3., 4., 5.]),)
    """

    def numpy(f, *varargs: arrays, axis=None, edge_order=1): ...
    cupy = numpy
    def torch(input: array, *, spacing=None, dim=None, edge_order: integer = 1): ...

class trapezoid:
    """Return the area under ``y`` along ``axis``, by trapezoids between the coordinates ``x`` or steps of ``dx``.

    >>> trapezoid([1, 2, 3])
    array(4.)

    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.0, 2.0, 4.0]))
    tensor(8.)
    """

    def numpy(y, x=None, dx=1.0, axis=-1): ...
    @named("trapezoid", "trapz")
    def cupy(y, x=None, dx=1.0, axis=-1): ...
    @named("trapezoid", "trapz")
    def torch(y: array, x: array = None, *, dx: number = None, dim: integer = -1): ...

class trapezoid_alike:
    """Return the area under ``y`` along ``axis``, by trapezoids between the coordinates ``x`` or steps of ``dx``.

    >>> keras.ops.trapezoid([1.0, 2.0, 3.0])
    array(4., dtype=float32)
    >>> keras.ops.trapezoid([1.0, 2.0, 3.0], x=[0.0, 2.0, 4.0])
    array(8., dtype=float32)
    """

    @named("trapezoid")
    def keras(y, x=None, dx=1.0, axis=-1): ...

class cumulative_trapezoid:
    """Return the areas under ``y`` up to each place of a dimension, by trapezoids between the coordinates ``x`` or steps of ``dx``.

    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])
    """

    def torch(y: array, x: array = None, *, dx: number = None, dim: integer = -1): ...

class convolve:
    """Return the convolution of two lines: the sums of a[i] * v[k - i].

    Parameters: ``mode``: "full": wherever the two overlap; "same": as many as the longer one has; "valid": where both overlap completely.
    Returns an array of the operands' common type. Raises ValueError for empty inputs and for more than one dimension. More than 2^27
    products are taken by Fourier transforms, whose errors are those of the largest element.

    >>> convolve([1, 2, 3], [0, 1, 2])
    array([0, 1, 4, 7, 6])
    """

    def numpy(a, v, mode="full"): ...
    cupy = numpy

class correlate:
    """Return the cross-correlation of two lines: the sums of a[k + i] * conj(v[i]). The parameters are those of :func:`convolve`.

    >>> correlate([1, 2, 3], [0, 1, 2])
    array([8])
    """

    def numpy(a, v, mode="valid"): ...
    cupy = numpy

class correlate_alike:
    """Return the cross-correlation of two lines: the sums of ``x1[k + i] * x2[i]``; modes "valid", "same" and "full".

    >>> keras.ops.correlate([1.0, 2.0, 3.0], [0.0, 1.0, 0.5], mode="same")
    array([2. , 3.5, 3. ], dtype=float32)
    """

    @named("correlate")
    def keras(x1, x2, mode="valid"): ...

class interp:
    """Return the values at ``x`` of the lines between the points (``xp``, ``fp``).

    Parameters: ``xp``: coordinates of the points, in rising order; ``fp``: values of the points, real or complex; ``left``: value
    before the first point, by default that of the first point; ``right``: value after the last point, by default that of the last
    point; ``period``: period of ``x`` and ``xp``, which then need no order.
    Returns an array of float64 or complex128 of the shape of ``x``. Raises ValueError without points, for
    ``xp`` and ``fp`` of different lengths, and for a ``period`` of 0.

    >>> interp([2.5, 9], [1, 2, 3], [3, 2, 0])
    array([1., 0.])
    """

    def numpy(x, xp, fp, left=None, right=None, period=None): ...
    cupy = numpy
