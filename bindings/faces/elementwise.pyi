"""The faces of elementwise functions. How to read and write these files stands in tools/faces.py."""

class negative:
    """Return the elements with the other sign."""

    def keras(x): ...
    @named("neg", "negative")
    @in_place_too
    def torch(input: array, *, out=None): ...

class absolute:
    """Return the absolute value of each element: of complex numbers the distance from 0."""

    @named("absolute", "abs")
    def keras(x): ...
    @named("abs", "absolute")
    @in_place_too
    def torch(input: array, *, out=None): ...

class exp:
    """Return e to the power of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class exp2:
    """Return 2 to the power of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class expm1:
    """Return ``exp(x) - 1`` of each element, with all its digits where that is close to 0."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log:
    """Return the natural logarithm of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log2:
    """Return the logarithm to base 2 of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log10:
    """Return the logarithm to base 10 of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log1p:
    """Return ``log(1 + x)`` of each element, with all its digits where x is close to 0."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class sqrt:
    """Return the square root of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class sin:
    """Return the sine of each element, an angle in radians."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class cos:
    """Return the cosine of each element, an angle in radians."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class tan:
    """Return the tangent of each element, an angle in radians."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class arcsin:
    """Return the inverse sine of each element, in radians."""

    def keras(x): ...
    @named("asin", "arcsin")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arccos:
    """Return the inverse cosine of each element, in radians."""

    def keras(x): ...
    @named("acos", "arccos")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arctan:
    """Return the inverse tangent of each element, in radians."""

    def keras(x): ...
    @named("atan", "arctan")
    @in_place_too
    def torch(input: array, *, out=None): ...

class sinh:
    """Return the hyperbolic sine of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class cosh:
    """Return the hyperbolic cosine of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class tanh:
    """Return the hyperbolic tangent of each element."""

    @submodule("nn")
    def keras(x): ...
    @submodule("nn.functional")
    def torch(input: array): ...
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class arcsinh:
    """Return the inverse hyperbolic sine of each element."""

    def keras(x): ...
    @named("asinh", "arcsinh")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arccosh:
    """Return the inverse hyperbolic cosine of each element."""

    def keras(x): ...
    @named("acosh", "arccosh")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arctanh:
    """Return the inverse hyperbolic tangent of each element."""

    def keras(x): ...
    @named("atanh", "arctanh")
    @in_place_too
    def torch(input: array, *, out=None): ...

class erf:
    """Return the error function of each element."""

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class erfc:
    """Return ``1 - erf(x)`` of each element, with all its digits where that is close to 0."""

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class lgamma:
    """Return the logarithm of the absolute value of the gamma function of each element."""

    @in_place_too
    def torch(input: array, *, out=None): ...

class digamma:
    """Return the derivative of :func:`lgamma` of each element."""

    @in_place_too
    def torch(input: array, *, out=None): ...

class floor:
    """Return the largest whole number that is not above each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class ceil:
    """Return the smallest whole number that is not below each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class trunc:
    """Return each element without its fraction."""

    @named("trunc", "fix")
    @in_place_too
    def torch(input: array, *, out=None): ...
    def keras(x): ...

class square:
    """Return the square of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class reciprocal:
    """Return ``1 / x`` of each element."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class degrees:
    """Return each angle in degrees, from radians."""

    @named("rad2deg")
    def keras(x): ...
    @named("rad2deg")
    @in_place_too
    def torch(input: array, *, out=None): ...

class radians:
    """Return each angle in radians, from degrees."""

    @named("deg2rad")
    def keras(x): ...
    @named("deg2rad")
    @in_place_too
    def torch(input: array, *, out=None): ...

class relu:
    """Return each element, 0 where it is negative. ``inplace``: in the input's memory."""

    @in_place_too
    def torch(input: array): ...
    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, inplace=False): ...

class invert:
    """Return the elements with all bits inverted; of bools the other value."""

    @named("bitwise_not")
    @in_place_too
    def torch(input: array, *, out=None): ...
    @named("bitwise_not", "bitwise_invert")
    def keras(x): ...

class logical_not:
    """Return True where an element is 0."""

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class isnan:
    """Return True where an element is NaN."""

    def keras(x): ...
    def torch(input: array): ...

class isinf:
    """Return True where an element is infinite."""

    def keras(x): ...
    def torch(input: array): ...

class isfinite:
    """Return True where an element is neither infinite nor NaN."""

    def keras(x): ...
    def torch(input: array): ...

class signbit:
    """Return True where an element has a minus sign, -0.0 and NaN included."""

    def keras(x): ...
    def torch(input: array, *, out=None): ...

class add:
    """Return the sums of the elements."""

    def keras(x1, x2): ...

class subtract:
    """Return the differences of the elements."""

    def keras(x1, x2): ...

class logaddexp:
    """Return ``log(exp(x1) + exp(x2))`` without overflow."""

    def keras(x1, x2): ...

class multiply:
    """Return the products of the elements."""

    def keras(x1, x2): ...
    @named("mul", "multiply")
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class true_divide:
    """Return the quotients of the elements; integers are divided as real numbers."""

    @named("true_divide", "divide")
    def keras(x1, x2): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class floor_divide:
    """Return the quotients of the elements, rounded down."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class remainder:
    """Return the remainders of the divisions, which have the divisor's sign."""

    @named("mod")
    def keras(x1, x2): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class fmod:
    """Return the remainders of the divisions, which have the dividend's sign."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class power:
    """Return the elements of the first to the power of those of the second. One of them may be a number."""

    def keras(x1, x2): ...
    @named("pow")
    @in_place_too
    def torch(input: operand, exponent: operand, *, out=None): ...

class float_power:
    """Return the elements of the first to the power of those of the second, in float64 or complex128."""

    @in_place_too
    def torch(input: operand, exponent: operand, *, out=None): ...

class maximum:
    """Return the larger element of both; NaN if one is NaN."""

    def keras(x1, x2): ...
    @named("max")
    @overload
    def torch(input: array, other: array, *, out=None): ...
    def torch(input: array, other: array, *, out=None): ...

class minimum:
    """Return the smaller element of both; NaN if one is NaN."""

    def keras(x1, x2): ...
    @named("min")
    @overload
    def torch(input: array, other: array, *, out=None): ...
    def torch(input: array, other: array, *, out=None): ...

class fmax:
    """Return the larger element of both; of a number and NaN the number."""

    def keras(x1, x2): ...
    def torch(input: array, other: array, *, out=None): ...

class fmin:
    """Return the smaller element of both; of a number and NaN the number."""

    def keras(x1, x2): ...
    def torch(input: array, other: array, *, out=None): ...

class arctan2:
    """Return the angle of the point (other, input), in radians."""

    def keras(x1, x2): ...
    @named("atan2", "arctan2")
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class hypot:
    """Return the length of the hypotenuse of a right triangle with these legs."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class copysign:
    """Return the elements of the first with the signs of the second."""

    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class nextafter:
    """Return the next floating-point number after the elements of the first, towards those of the second."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class gcd:
    """Return the greatest common divisors."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class lcm:
    """Return the least common multiples."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class logaddexp2:
    """Return ``log2(2 ** input + 2 ** other)`` without overflow."""

    def keras(x1, x2): ...
    def torch(input: array, other: array, *, out=None): ...

class bitwise_and:
    """Return the bits that are set in both."""

    def keras(x, y): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class bitwise_or:
    """Return the bits that are set in one of both."""

    def keras(x, y): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class bitwise_xor:
    """Return the bits that are set in exactly one of both."""

    def keras(x, y): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class left_shift:
    """Return the elements of the first with their bits shifted to the left."""

    @named("left_shift", "bitwise_left_shift")
    def keras(x, y): ...
    @named("bitwise_left_shift")
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class right_shift:
    """Return the elements of the first with their bits shifted to the right."""

    @named("right_shift", "bitwise_right_shift")
    def keras(x, y): ...
    @named("bitwise_right_shift")
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class logical_and:
    """Return True where neither element is 0."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class logical_or:
    """Return True where one of the elements is not 0."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class logical_xor:
    """Return True where exactly one of the elements is 0."""

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class equal:
    """Return True where both are equal."""

    def keras(x1, x2): ...
    @named("eq")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class not_equal:
    """Return True where both differ."""

    def keras(x1, x2): ...
    @named("ne", "not_equal")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class less:
    """Return True where the first is less than the second."""

    def keras(x1, x2): ...
    @named("lt", "less")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class less_equal:
    """Return True where the first is less than or equal to the second."""

    def keras(x1, x2): ...
    @named("le", "less_equal")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class greater:
    """Return True where the first is greater than the second."""

    def keras(x1, x2): ...
    @named("gt", "greater")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class greater_equal:
    """Return True where the first is greater than or equal to the second."""

    def keras(x1, x2): ...
    @named("ge", "greater_equal")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class add_multiple:
    """Return ``input + alpha * other``, which broadcast together. ``out``: takes the result."""

    @named("add")
    @in_place_too
    def torch(input: operand, other: operand, *, alpha: number = 1, out=None): ...

class subtract_multiple:
    """Return ``input - alpha * other``, which broadcast together. ``out``: takes the result."""

    @named("sub", "subtract")
    @in_place_too
    def torch(input: operand, other: operand, *, alpha: number = 1, out=None): ...

class divide:
    """Return the quotients of the elements, rounded: ``rounding_mode`` is "trunc" for towards zero, "floor" for downwards, or None."""

    @named("div", "divide")
    @in_place_too
    def torch(input: operand, other: operand, *, rounding_mode=None, out=None): ...

class rsqrt:
    """Return ``1 / sqrt(x)`` of each element."""

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class expit:
    """Return the logistic function ``1 / (1 + exp(-x))`` of each element."""

    @submodule("nn.functional")
    @named("sigmoid")
    def torch(input: array): ...
    @named("sigmoid")
    @in_place_too
    def torch(input: array, *, out=None): ...

class logit:
    """Return ``log(x / (1 - x))`` of each element, limited to [eps, 1 - eps] where ``eps`` is not None."""

    @in_place_too
    def torch(input: array, eps: number = None, *, out=None): ...

class sgn:
    """Return -1, 0 or 1 by the sign of each element; of complex numbers those of size 1 with their angle."""

    @in_place_too
    def torch(input: array, *, out=None): ...

class sign:
    """Return -1, 0 or 1 by the sign of each element."""

    def keras(x): ...

class real_sign:
    """Return -1, 0 or 1 by the sign of each element; 0 of NaN."""

    @named("sign")
    @in_place_too
    def torch(input: array, *, out=None): ...

class round_by_scale:
    """Return each element rounded to so many ``decimals`` (negative: to tens, hundreds), halves to even."""

    @named("round")
    def keras(x, decimals=0): ...

class real:
    """Return the real part: a view for complex arrays, the array itself for others.

    >>> real([1 + 2j, 3])
    array([1., 3.])
    """

    def numpy(a): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class imag:
    """Return the imaginary part: a view for complex arrays, zeros for others. Raises TypeError for PyTorch's real tensors.

    >>> imag([1 + 2j, 3])
    array([2., 0.])
    """

    def numpy(a): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class angle:
    """Return the angle of complex numbers in the plane, in radians, or degrees if ``deg``.

    >>> angle([1j, -1])
    array([1.57079633, 3.14159265])
    """

    def numpy(z, deg=False): ...
    def cupy(z: array, deg=False): ...
    def torch(input: array, *, out=None): ...

class angle_of_reals:
    """Return the angle of complex numbers in the plane, in radians; of real ones 0 or pi."""

    @named("angle")
    def keras(x): ...

class ldexp_of_reals:
    """Return ``x1 * 2 ** x2``. Raises TypeError where ``x2`` are no integers."""

    @named("ldexp")
    def keras(x1, x2): ...

class select:
    """Return elements of the first of ``choicelist`` whose condition holds, else ``default``; all broadcast.

    Raises ValueError for lists of different lengths or of nothing, TypeError for conditions that are no bools.

    >>> select([asarray([True, False, False]), asarray([True, True, False])], [1, 2], 3)
    array([1, 2, 3])
    """

    def numpy(condlist, choicelist, default=0): ...
    def keras(condlist, choicelist, default=0): ...

class frac:
    """Return each element without its whole part, with its sign."""

    @in_place_too
    def torch(input: array, *, out=None): ...

class round:
    """Return each element rounded to so many ``decimals`` (negative: to tens, hundreds), halves to even. Integers stay integers.

    Raises TypeError or ValueError for an ``out`` that cannot take the result.

    >>> around([1.25, 2.5, -0.04], 1)
    array([ 1.2,  2.5, -0. ])
    """

    @named("round", "around")
    def numpy(a, decimals=0, out=None): ...
    cupy = numpy
    @in_place_too
    def torch(input: array, *, decimals: integer = 0, out=None): ...

class clamp:
    """Return each element limited to [min, max]. A limit may be None, a number, or a tensor that broadcasts."""

    @named("clamp", "clip")
    @in_place_too
    def torch(input: array, min: operand = None, max: operand = None, *, out=None): ...
    @named("clamp_min")
    @in_place_too
    def torch(input: array, min: operand, *, out=None): ...
    @named("clamp_max")
    @in_place_too
    def torch(input: array, max: operand, *, out=None): ...

class where:
    """Return elements of ``x`` where ``condition`` holds, else of ``y``; all three broadcast. Without both: see :func:`nonzero`.

    A Python integer that the type of the other does not hold raises OverflowError; before NumPy 2.5 it wraps around.

    >>> where([True, False], 1, 2)
    array([1, 2])
    """

    def numpy(condition, x: some, y: some, /): ...
    def cupy(condition: own, x: own, y: own): ...
    def keras(condition, x1: some, x2: some): ...
    def torch(condition: array, input: operand, other: operand, *, out=None): ...
    def Tensor(self: array, condition: array, other: operand): ...

class nonzero:
    """Return, with the condition alone, the indices where it is true."""

    @named("where")
    def numpy(condition, x: ignored[nothing] = NoValue, y: ignored[nothing] = NoValue, /): ...
    @named("where")
    def cupy(condition: own, x: ignored[nothing] = None, y: ignored[nothing] = None): ...
    @named("where")
    def keras(condition, x1: ignored[nothing] = None, x2: ignored[nothing] = None): ...

class nonzero_of_lines:
    """Return, with the condition alone, the indices where it is true, a tensor for each dimension."""

    @named("where")
    def torch(condition: array): ...

class where:
    """Raises ValueError for one of ``x`` and ``y`` alone."""

    @named("where")
    def numpy(condition, x=NoValue, y=NoValue, /): ...
    @named("where")
    def cupy(condition: own, x: own = NoValue, y: own = NoValue): ...
    @named("where")
    def keras(condition, x1: some = None, x2: some = None): ...

class clip:
    """Return the elements limited to [a_min, a_max]; a limit may be None. ``min`` and ``max`` are other names of the limits.

    ``where``, ``casting``, ``order``, ``dtype`` and ``signature`` are those of ufuncs. Raises TypeError for a limit that is missing,
    ValueError for limits given twice.

    >>> clip([1, 5, 9], 2, 6)
    array([2, 5, 6])
    """

    def numpy(
        a,
        a_min=NoValue,
        a_max=NoValue,
        out=None,
        *,
        min=NoValue,
        max=NoValue,
        where=True,
        casting="same_kind",
        order="K",
        dtype=None,
        subok: ignored = True,
        signature=None,
    ): ...
    def Array(
        self,
        min=None,
        max=None,
        out=None,
        *,
        where=True,
        casting="same_kind",
        order="K",
        dtype=None,
        subok: ignored = True,
        signature=None,
    ): ...
    def cupy(a: own, a_min=NoValue, a_max=NoValue, out=None, *, min=NoValue, max=NoValue): ...
    def keras(x, x_min, x_max): ...

class astype:
    """Return the array with its values converted to ``dtype``.

    Parameters: ``order``: how they lie in memory, "C", "F", "A" for "F" where the array has it, "K" for as the array lies; ``casting``:
    which conversions are allowed; ``copy``: False for the array itself where it has that type and order already; ``device``: where the
    result is. Raises TypeError for a conversion that is not allowed.

    >>> astype(array([1.5, 2.5]), "int64")
    array([1, 2])
    """

    def numpy(x: array, dtype, /, *, copy=True, device=None): ...
    def cupy(x: array, dtype, /, *, copy=True, device=None): ...
    def Array(self, dtype, order="K", casting="unsafe", subok: ignored = True, copy=True): ...
    def ndarray(self, dtype, order="K", casting="unsafe", subok=None, copy=True): ...

class nan_to_num:
    """Return the elements with numbers for NaN (``nan``) and the infinities (``posinf``, ``neginf``); integers as they are.

    By default these are 0, the largest and the smallest number of the type; ``copy``: False to write them into the array itself.

    >>> nan_to_num([nan, 1.0], nan=-1.0)
    array([-1.,  1.])
    """

    def numpy(x, copy=True, nan=0.0, posinf=None, neginf=None): ...
    cupy = numpy
    def keras(x, nan=0.0, posinf=None, neginf=None): ...
    @in_place_too
    def torch(input: array, nan: number = None, posinf: number = None, neginf: number = None, *, out=None): ...

class lerp:
    """Return ``input + weight * (end - input)``; ``weight``: a number or a tensor."""

    @in_place_too
    def torch(input: array, end: array, weight: operand, *, out=None): ...

class addcmul:
    """Return ``input + value * tensor1 * tensor2``."""

    @in_place_too
    def torch(input: array, tensor1: array, tensor2: array, *, value: number = 1, out=None): ...

class addcdiv:
    """Return ``input + value * tensor1 / tensor2``."""

    @in_place_too
    def torch(input: array, tensor1: array, tensor2: array, *, value: number = 1, out=None): ...

class isclose:
    """Return True where ``|a - b| <= atol + rtol * |b|`` or both are equal; NaN equals NaN if ``equal_nan``.

    Raises ValueError for shapes that do not broadcast.

    >>> isclose([1.0, 2.0], [1.0 + 1e-9, 2.1])
    array([ True, False])
    """

    def numpy(a, b, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    def cupy(a: operand, b: operand, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    def keras(x1, x2, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    def torch(input: array, other: array, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: boolean = False): ...

class allclose:
    """Return whether all elements are close, as :func:`isclose` says: a bool of Python's. This waits for the values.

    >>> allclose([1.0], [1.0 + 1e-9])
    True
    """

    def numpy(a, b, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    cupy = numpy
    def torch(input: array, other: array, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: boolean = False): ...

class all_close:
    """Return whether all elements are close, as :func:`isclose` says: a bool tensor without axes."""

    @named("allclose")
    def keras(x1, x2, rtol=1e-05, atol=1e-08, equal_nan=False): ...

class divide_no_nan:
    """Return ``x1 / x2``, and 0 where x2 is 0."""

    def keras(x1, x2): ...

class erfinv:
    """Return the number whose erf each element is: infinite at -1 and 1, NaN outside."""

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class bessel_i0:
    """Return the modified Bessel function of the first kind and of order 0 of each element."""

    @named("i0")
    def keras(x): ...
    @named("i0")
    @in_place_too
    def torch(input: array, *, out=None): ...

class ndtr:
    """Return the probability that a number of the standard normal distribution is below each element."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class log_ndtr:
    """Return the logarithm of :func:`ndtr`, with all its digits in both tails."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class ndtri:
    """Return the inverse of :func:`ndtr`: infinite at 0 and 1, NaN outside."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class erfcx:
    """Return ``exp(x * x) * erfc(x)``, without overflow for large elements."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_j0:
    """Return the Bessel function of the first kind and of order 0 of each element."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_j1:
    """Return the Bessel function of the first kind and of order 1 of each element."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_y0:
    """Return the Bessel function of the second kind and of order 0 of each element."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_y1:
    """Return the Bessel function of the second kind and of order 1 of each element."""

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_i1:
    """Return the modified Bessel function of the first kind and of order 1 of each element."""

    @submodule("special")
    @named("i1", "modified_bessel_i1")
    def torch(input: array, *, out=None): ...

class bessel_i0_scaled:
    """Return the modified Bessel function of the first kind and of order 0, times ``exp(-|x|)``."""

    @submodule("special")
    @named("i0e")
    def torch(input: array, *, out=None): ...

class bessel_i1_scaled:
    """Return the modified Bessel function of the first kind and of order 1, times ``exp(-|x|)``."""

    @submodule("special")
    @named("i1e")
    def torch(input: array, *, out=None): ...

class bessel_k0:
    """Return the modified Bessel function of the second kind and of order 0 of each element."""

    @submodule("special")
    @named("modified_bessel_k0")
    def torch(input: array, *, out=None): ...

class bessel_k1:
    """Return the modified Bessel function of the second kind and of order 1 of each element."""

    @submodule("special")
    @named("modified_bessel_k1")
    def torch(input: array, *, out=None): ...

class bessel_k0_scaled:
    """Return the modified Bessel function of the second kind and of order 0, times ``exp(x)``."""

    @submodule("special")
    @named("scaled_modified_bessel_k0")
    def torch(input: array, *, out=None): ...

class bessel_k1_scaled:
    """Return the modified Bessel function of the second kind and of order 1, times ``exp(x)``."""

    @submodule("special")
    @named("scaled_modified_bessel_k1")
    def torch(input: array, *, out=None): ...

class gammainc:
    """Return the regularized lower incomplete gamma function of shape ``input`` at ``other``."""

    @named("igamma")
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class gammaincc:
    """Return 1 - :func:`gammainc`, with all its digits where that is close to zero."""

    @named("igammac")
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class sinc:
    """Return ``sin(pi x) / (pi x)`` of each element, 1 at 0.

    >>> sinc([0.0, 1.0])
    array([1.00000000e+00, 3.89817183e-17])
    """

    def numpy(x): ...
    def cupy(x: operand): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class sinc_of_reals:
    """Return ``sin(pi x) / (pi x)`` of each element, 1 at 0."""

    @named("sinc")
    def keras(x): ...

class cbrt:
    """Return the cube root of each element."""

    def keras(x): ...

class fabs:
    """Return the absolute value of each real number."""

    def keras(x): ...

class conjugate:
    """Return the elements with the other sign of the imaginary part."""

    @named("conjugate", "conj")
    def keras(x): ...

class heaviside:
    """Return 0 for elements below 0, 1 for those above, and ``x2`` at 0."""

    def keras(x1, x2): ...

class isposinf:
    """Return True where an element is positive infinity. Raises TypeError for complex numbers.

    >>> isposinf([inf, -inf, 1.0])
    array([ True, False, False])
    """

    def numpy(x, out=None): ...
    def cupy(x: operand, out=None): ...
    def torch(input: array, *, out=None): ...
    def keras(x): ...

class isneginf:
    """Return True where an element is negative infinity. Raises TypeError for complex numbers.

    >>> isneginf([inf, -inf, 1.0])
    array([False,  True, False])
    """

    def numpy(x, out=None): ...
    def cupy(x: operand, out=None): ...
    def torch(input: array, *, out=None): ...
    def keras(x): ...

class isreal:
    """Return True where the imaginary part is zero.

    >>> isreal([1 + 1j, 2])
    array([False,  True])
    """

    def numpy(x): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class iscomplex:
    """Return True where the imaginary part is not zero.

    >>> iscomplex([1 + 1j, 2])
    array([ True, False])
    """

    def numpy(x): ...
    cupy = numpy

class step:
    """Return 0 where ``input`` is negative, 1 where it is positive, ``values`` where it is 0; both have one dtype."""

    @named("heaviside")
    @in_place_too
    def torch(input: array, values: array, *, out=None): ...

class log_of_sum:
    """Return ``log(exp(input) + exp(other))`` without overflow."""

    @named("logaddexp")
    def torch(input: array, other: array, *, out=None): ...

class are_equal:
    """Return whether both have the same shape and values: a bool of Python's. This waits for them."""

    @named("equal")
    def torch(input: array, other: array): ...
