"""The faces of elementwise functions. How to read and write these files stands in tools/faces.py."""

class negative:
    """Return the elements with the other sign.

    >>> torch.neg(torch.tensor([1, -2, 3]))
    tensor([-1,  2, -3])
    """

    def keras(x): ...
    @named("neg", "negative")
    @in_place_too
    def torch(input: array, *, out=None): ...

class absolute:
    """Return the absolute value of each element: of complex numbers the distance from 0.

    >>> torch.abs(torch.tensor([-1.5, 2.0]))
    tensor([1.5000, 2.0000])
    >>> torch.abs(torch.tensor([3 + 4j]))
    tensor([5.])
    """

    @named("absolute", "abs")
    def keras(x): ...
    @named("abs", "absolute")
    @in_place_too
    def torch(input: array, *, out=None): ...

class exp:
    """Return e to the power of each element.

    >>> torch.exp(torch.tensor([0.0, 1.0, -1.0]))
    tensor([1.0000, 2.7183, 0.3679])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class exp2:
    """Return 2 to the power of each element.

    >>> torch.exp2(torch.tensor([3.0, -1.0]))
    tensor([8.0000, 0.5000])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class expm1:
    """Return ``exp(x) - 1`` of each element, with all its digits where that is close to 0.

    >>> torch.expm1(torch.tensor(1e-10, dtype=torch.float64))
    tensor(1.0000e-10, dtype=torch.float64)
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log:
    """Return the natural logarithm of each element.

    >>> torch.log(torch.tensor([1.0, 2.718281828, 0.0, -1.0]))
    tensor([0., 1., -inf, nan])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log2:
    """Return the logarithm to base 2 of each element.

    >>> torch.log2(torch.tensor([8.0, 0.25]))
    tensor([ 3., -2.])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log10:
    """Return the logarithm to base 10 of each element.

    >>> torch.log10(torch.tensor([1000.0, 0.1]))
    tensor([ 3., -1.])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class log1p:
    """Return ``log(1 + x)`` of each element, with all its digits where x is close to 0.

    >>> torch.log1p(torch.tensor(1e-10, dtype=torch.float64))
    tensor(1.0000e-10, dtype=torch.float64)
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class sqrt:
    """Return the square root of each element.

    >>> torch.sqrt(torch.tensor([4.0, 2.0, -1.0]))
    tensor([2.0000, 1.4142,    nan])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class sin:
    """Return the sine of each element, an angle in radians.

    >>> torch.sin(torch.tensor([0.0, torch.pi / 2]))
    tensor([0., 1.])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class cos:
    """Return the cosine of each element, an angle in radians.

    >>> torch.cos(torch.tensor([0.0, torch.pi]))
    tensor([ 1., -1.])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class tan:
    """Return the tangent of each element, an angle in radians.

    >>> torch.tan(torch.tensor([0.0, torch.pi / 4]))
    tensor([0., 1.])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class arcsin:
    """Return the inverse sine of each element, in radians.

    >>> torch.asin(torch.tensor([0.0, 1.0, 2.0]))
    tensor([0.0000, 1.5708,    nan])
    """

    def keras(x): ...
    @named("asin", "arcsin")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arccos:
    """Return the inverse cosine of each element, in radians.

    >>> torch.acos(torch.tensor([1.0, 0.0, -1.0]))
    tensor([0.0000, 1.5708, 3.1416])
    """

    def keras(x): ...
    @named("acos", "arccos")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arctan:
    """Return the inverse tangent of each element, in radians.

    >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
    tensor([0.0000, 0.7854, 1.5708])
    """

    def keras(x): ...
    @named("atan", "arctan")
    @in_place_too
    def torch(input: array, *, out=None): ...

class sinh:
    """Return the hyperbolic sine of each element.

    >>> torch.sinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class cosh:
    """Return the hyperbolic cosine of each element.

    >>> torch.cosh(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class tanh:
    """Return the hyperbolic tangent of each element.

    >>> torch.tanh(torch.tensor([0.0, 1.0, 20.0]))
    tensor([0.0000, 0.7616, 1.0000])
    """

    @submodule("nn")
    def keras(x): ...
    @submodule("nn.functional")
    def torch(input: array): ...
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class arcsinh:
    """Return the inverse hyperbolic sine of each element.

    >>> torch.asinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """

    def keras(x): ...
    @named("asinh", "arcsinh")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arccosh:
    """Return the inverse hyperbolic cosine of each element.

    >>> torch.acosh(torch.tensor([1.0, 2.0, 0.5]))
    tensor([0.0000, 1.3170,    nan])
    """

    def keras(x): ...
    @named("acosh", "arccosh")
    @in_place_too
    def torch(input: array, *, out=None): ...

class arctanh:
    """Return the inverse hyperbolic tangent of each element.

    >>> torch.atanh(torch.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.5493,    inf])
    """

    def keras(x): ...
    @named("atanh", "arctanh")
    @in_place_too
    def torch(input: array, *, out=None): ...

class erf:
    """Return the error function of each element.

    >>> torch.erf(torch.tensor([0.0, 1.0, 5.0]))
    tensor([0.0000, 0.8427, 1.0000])
    """

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class erfc:
    """Return ``1 - erf(x)`` of each element, with all its digits where that is close to 0.

    >>> torch.erfc(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    >>> torch.erfc(torch.tensor(10.0, dtype=torch.float64))
    tensor(2.0885e-45, dtype=torch.float64)
    """

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class lgamma:
    """Return the logarithm of the absolute value of the gamma function of each element.

    >>> torch.lgamma(torch.tensor([1.0, 5.0, 0.5]))
    tensor([0.0000, 3.1781, 0.5724])
    """

    @in_place_too
    def torch(input: array, *, out=None): ...

class digamma:
    """Return the derivative of :func:`lgamma` of each element.

    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])
    """

    @in_place_too
    def torch(input: array, *, out=None): ...

class floor:
    """Return the largest whole number that is not above each element.

    >>> torch.floor(torch.tensor([1.7, -1.2]))
    tensor([ 1., -2.])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class ceil:
    """Return the smallest whole number that is not below each element.

    >>> torch.ceil(torch.tensor([1.2, -1.7]))
    tensor([ 2., -1.])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class trunc:
    """Return each element without its fraction.

    >>> torch.trunc(torch.tensor([1.7, -1.7]))
    tensor([ 1., -1.])
    """

    @named("trunc", "fix")
    @in_place_too
    def torch(input: array, *, out=None): ...
    def keras(x): ...

class square:
    """Return the square of each element.

    >>> torch.square(torch.tensor([3, -4]))
    tensor([ 9, 16])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class reciprocal:
    """Return ``1 / x`` of each element.

    >>> torch.reciprocal(torch.tensor([4.0, 0.0]))
    tensor([0.2500,    inf])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class degrees:
    """Return each angle in degrees, from radians.

    >>> torch.rad2deg(torch.tensor([torch.pi, torch.pi / 6]))
    tensor([180.0000,  30.0000])
    """

    @named("rad2deg")
    def keras(x): ...
    @named("rad2deg")
    @in_place_too
    def torch(input: array, *, out=None): ...

class radians:
    """Return each angle in radians, from degrees.

    >>> torch.deg2rad(torch.tensor([180.0, 90.0]))
    tensor([3.1416, 1.5708])
    """

    @named("deg2rad")
    def keras(x): ...
    @named("deg2rad")
    @in_place_too
    def torch(input: array, *, out=None): ...

class relu:
    """Return each element, 0 where it is negative.

    >>> torch.relu(torch.tensor([-1.0, 0.0, 2.5]))
    tensor([0.0000, 0.0000, 2.5000])
    """

    @in_place_too
    def torch(input: array): ...
    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, inplace=False): ...

class invert:
    """Return the elements with all bits inverted; of bools the other value.

    >>> torch.bitwise_not(torch.tensor([0, 1, -3]))
    tensor([-1, -2,  2])
    >>> torch.bitwise_not(torch.tensor([True, False]))
    tensor([False,  True])
    """

    @named("bitwise_not")
    @in_place_too
    def torch(input: array, *, out=None): ...
    @named("bitwise_not", "bitwise_invert")
    def keras(x): ...

class logical_not:
    """Return True where an element is 0.

    >>> torch.logical_not(torch.tensor([0, 1, -3]))
    tensor([ True, False, False])
    """

    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class isnan:
    """Return True where an element is NaN.

    >>> torch.isnan(torch.tensor([1.0, float("nan"), float("inf")]))
    tensor([False,  True, False])
    """

    def keras(x): ...
    def torch(input: array): ...

class isinf:
    """Return True where an element is infinite.

    >>> torch.isinf(torch.tensor([1.0, float("nan"), float("-inf")]))
    tensor([False, False,  True])
    """

    def keras(x): ...
    def torch(input: array): ...

class isfinite:
    """Return True where an element is neither infinite nor NaN.

    >>> torch.isfinite(torch.tensor([1.0, float("nan"), float("inf")]))
    tensor([ True, False, False])
    """

    def keras(x): ...
    def torch(input: array): ...

class signbit:
    """Return True where an element has a minus sign, -0.0 and NaN included.

    >>> torch.signbit(torch.tensor([1.0, -2.0, -0.0]))
    tensor([False,  True,  True])
    """

    def keras(x): ...
    def torch(input: array, *, out=None): ...

class add:
    """Return the sums of the elements.

    >>> keras.ops.add([1, 2], [10.5, 20.5])
    array([11.5, 22.5], dtype=float32)
    """

    def keras(x1, x2): ...

class subtract:
    """Return the differences of the elements.

    >>> keras.ops.subtract([[10], [20]], [1, 2])
    array([[ 9,  8],
           [19, 18]], dtype=int32)
    """

    def keras(x1, x2): ...

class logaddexp:
    """Return ``log(exp(x1) + exp(x2))`` without overflow.

    >>> keras.ops.logaddexp([0.0, 1000.0], [-1000.0, 1000.0])
    array([   0.    , 1000.6932], dtype=float32)
    """

    def keras(x1, x2): ...

class multiply:
    """Return the products of the elements.

    >>> torch.mul(torch.tensor([[1], [2]]), torch.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """

    def keras(x1, x2): ...
    @named("mul", "multiply")
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class true_divide:
    """Return the quotients of the elements; integers are divided as real numbers.

    >>> torch.true_divide(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    """

    @named("true_divide", "divide")
    def keras(x1, x2): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class floor_divide:
    """Return the quotients of the elements, rounded down.

    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class remainder:
    """Return the remainders of the divisions, which have the divisor's sign.

    >>> torch.remainder(torch.tensor([7, -7]), 3)
    tensor([1, 2])
    """

    @named("mod")
    def keras(x1, x2): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class fmod:
    """Return the remainders of the divisions, which have the dividend's sign.

    >>> torch.fmod(torch.tensor([7, -7]), 3)
    tensor([ 1, -1])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class power:
    """Return the elements of the first to the power of those of the second. One of them may be a number.

    >>> torch.pow(torch.tensor([2, 3]), 3)
    tensor([ 8, 27])
    >>> torch.pow(2, torch.tensor([-1.0, 0.5]))
    tensor([0.5000, 1.4142])
    """

    def keras(x1, x2): ...
    @named("pow")
    @in_place_too
    def torch(input: operand, exponent: operand, *, out=None): ...

class float_power:
    """Return the elements of the first to the power of those of the second, in float64 or complex128.

    >>> torch.float_power(torch.tensor([2, 3]), -1)
    tensor([0.5000, 0.3333], dtype=torch.float64)
    """

    @in_place_too
    def torch(input: operand, exponent: operand, *, out=None): ...

class maximum:
    """Return the larger element of both; NaN if one is NaN.

    >>> torch.maximum(torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([2.0, 2.0, 2.0]))
    tensor([2., nan, 3.])
    """

    def keras(x1, x2): ...
    @named("max")
    @overload
    def torch(input: array, other: array, *, out=None): ...
    def torch(input: array, other: array, *, out=None): ...

class minimum:
    """Return the smaller element of both; NaN if one is NaN.

    >>> torch.minimum(torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([2.0, 2.0, 2.0]))
    tensor([1., nan, 2.])
    """

    def keras(x1, x2): ...
    @named("min")
    @overload
    def torch(input: array, other: array, *, out=None): ...
    def torch(input: array, other: array, *, out=None): ...

class fmax:
    """Return the larger element of both; of a number and NaN the number.

    >>> torch.fmax(torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([2.0, 2.0, 2.0]))
    tensor([2., 2., 3.])
    """

    def keras(x1, x2): ...
    def torch(input: array, other: array, *, out=None): ...

class fmin:
    """Return the smaller element of both; of a number and NaN the number.

    >>> torch.fmin(torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([2.0, 2.0, 2.0]))
    tensor([1., 2., 2.])
    """

    def keras(x1, x2): ...
    def torch(input: array, other: array, *, out=None): ...

class arctan2:
    """Return the angle of the point (other, input), in radians.

    >>> torch.atan2(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, -1.0, 0.0]))
    tensor([ 0.7854,  2.3562, -1.5708])
    """

    def keras(x1, x2): ...
    @named("atan2", "arctan2")
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class hypot:
    """Return the length of the hypotenuse of a right triangle with these legs.

    >>> torch.hypot(torch.tensor([3.0, 5.0]), torch.tensor([4.0, 12.0]))
    tensor([ 5., 13.])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class copysign:
    """Return the elements of the first with the signs of the second.

    >>> torch.copysign(torch.tensor([1.0, -2.0]), torch.tensor([-0.0, 3.0]))
    tensor([-1.,  2.])
    """

    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class nextafter:
    """Return the next floating-point number after the elements of the first, towards those of the second.

    >>> torch.nextafter(torch.tensor(1.0, dtype=torch.float64), torch.tensor(2.0, dtype=torch.float64)).item()
    1.0000000000000002
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class gcd:
    """Return the greatest common divisors.

    >>> torch.gcd(torch.tensor([12, 7]), torch.tensor([18, 5]))
    tensor([6, 1])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class lcm:
    """Return the least common multiples.

    >>> torch.lcm(torch.tensor([4, 7]), torch.tensor([6, 5]))
    tensor([12, 35])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class logaddexp2:
    """Return ``log2(2 ** input + 2 ** other)`` without overflow.

    >>> torch.logaddexp2(torch.tensor([0.0, 2000.0]), torch.tensor([0.0, 2000.0]))
    tensor([1.0000e+00, 2.0010e+03])
    """

    def keras(x1, x2): ...
    def torch(input: array, other: array, *, out=None): ...

class bitwise_and:
    """Return the bits that are set in both.

    >>> torch.bitwise_and(torch.tensor([6, 5]), 3)
    tensor([2, 1])
    """

    def keras(x, y): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class bitwise_or:
    """Return the bits that are set in one of both.

    >>> torch.bitwise_or(torch.tensor([6, 5]), 3)
    tensor([7, 7])
    """

    def keras(x, y): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class bitwise_xor:
    """Return the bits that are set in exactly one of both.

    >>> torch.bitwise_xor(torch.tensor([6, 5]), 3)
    tensor([5, 6])
    """

    def keras(x, y): ...
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class left_shift:
    """Return the elements of the first with their bits shifted to the left.

    >>> torch.bitwise_left_shift(torch.tensor([1, 3]), 4)
    tensor([16, 48])
    """

    @named("left_shift", "bitwise_left_shift")
    def keras(x, y): ...
    @named("bitwise_left_shift")
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class right_shift:
    """Return the elements of the first with their bits shifted to the right.

    >>> torch.bitwise_right_shift(torch.tensor([16, -16]), 2)
    tensor([ 4, -4])
    """

    @named("right_shift", "bitwise_right_shift")
    def keras(x, y): ...
    @named("bitwise_right_shift")
    @in_place_too
    def torch(input: operand, other: operand, *, out=None): ...

class logical_and:
    """Return True where neither element is 0.

    >>> torch.logical_and(torch.tensor([0, 1, 2]), torch.tensor([1.0, 0.0, 5.0]))
    tensor([False, False,  True])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class logical_or:
    """Return True where one of the elements is not 0.

    >>> torch.logical_or(torch.tensor([0, 1, 2]), torch.tensor([0.0, 0.0, 5.0]))
    tensor([False,  True,  True])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class logical_xor:
    """Return True where exactly one of the elements is 0.

    >>> torch.logical_xor(torch.tensor([0, 1, 2]), torch.tensor([1.0, 0.0, 5.0]))
    tensor([ True,  True, False])
    """

    def keras(x1, x2): ...
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class equal:
    """Return True where both are equal.

    >>> torch.eq(torch.tensor([1.0, 2.0, float("nan")]), torch.tensor([1.0, 5.0, float("nan")]))
    tensor([ True, False, False])
    """

    def keras(x1, x2): ...
    @named("eq")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class not_equal:
    """Return True where both differ.

    >>> torch.ne(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False,  True])
    """

    def keras(x1, x2): ...
    @named("ne", "not_equal")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class less:
    """Return True where the first is less than the second.

    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """

    def keras(x1, x2): ...
    @named("lt", "less")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class less_equal:
    """Return True where the first is less than or equal to the second.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """

    def keras(x1, x2): ...
    @named("le", "less_equal")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class greater:
    """Return True where the first is greater than the second.

    >>> torch.gt(torch.tensor([1, 2, 3]), torch.tensor([[2], [0]]))
    tensor([[False, False,  True],
            [ True,  True,  True]])
    """

    def keras(x1, x2): ...
    @named("gt", "greater")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class greater_equal:
    """Return True where the first is greater than or equal to the second.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """

    def keras(x1, x2): ...
    @named("ge", "greater_equal")
    @in_place_too
    def torch(input: array, other: operand, *, out=None): ...

class add_multiple:
    """Return ``input + alpha * other``, which broadcast together.

    >>> torch.add(torch.tensor([1, 2]), torch.tensor([10, 20]), alpha=3)
    tensor([31, 62])
    """

    @named("add")
    @in_place_too
    def torch(input: operand, other: operand, *, alpha: number = 1, out=None): ...

class subtract_multiple:
    """Return ``input - alpha * other``, which broadcast together.

    >>> torch.sub(torch.tensor([1, 2]), torch.tensor([10, 20]), alpha=2)
    tensor([-19, -38])
    """

    @named("sub", "subtract")
    @in_place_too
    def torch(input: operand, other: operand, *, alpha: number = 1, out=None): ...

class divide:
    """Return the quotients of the elements, rounded: ``rounding_mode`` is "trunc" for towards zero, "floor" for downwards, or None.

    >>> torch.div(torch.tensor([7.0, -7.0]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7.0, -7.0]), 2, rounding_mode="trunc")
    tensor([ 3., -3.])
    """

    @named("div", "divide")
    @in_place_too
    def torch(input: operand, other: operand, *, rounding_mode=None, out=None): ...

class rsqrt:
    """Return ``1 / sqrt(x)`` of each element.

    >>> torch.rsqrt(torch.tensor([4.0, 0.25, 0.0]))
    tensor([0.5000, 2.0000,    inf])
    """

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class expit:
    """Return the logistic function ``1 / (1 + exp(-x))`` of each element.

    >>> torch.sigmoid(torch.tensor([-5.0, 0.0, 2.0]))
    tensor([0.0067, 0.5000, 0.8808])
    """

    @submodule("nn.functional")
    @named("sigmoid")
    def torch(input: array): ...
    @named("sigmoid")
    @in_place_too
    def torch(input: array, *, out=None): ...

class logit:
    """Return ``log(x / (1 - x))`` of each element, limited to [eps, 1 - eps] where ``eps`` is not None.

    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]))
    tensor([0.0000, 2.1972,    inf])
    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]), eps=1e-6)
    tensor([ 0.0000,  2.1972, 13.8023])
    """

    @in_place_too
    def torch(input: array, eps: number = None, *, out=None): ...

class sgn:
    """Return -1, 0 or 1 by the sign of each element; of complex numbers those of size 1 with their angle.

    >>> torch.sgn(torch.tensor([3 + 4j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """

    @in_place_too
    def torch(input: array, *, out=None): ...

class sign:
    """Return -1, 0 or 1 by the sign of each element.

    >>> keras.ops.sign([-2.5, 0.0, 7.0])
    array([-1.,  0.,  1.], dtype=float32)
    """

    def keras(x): ...

class real_sign:
    """Return -1, 0 or 1 by the sign of each element; 0 of NaN.

    >>> torch.sign(torch.tensor([-2.5, 0.0, 7.0]))
    tensor([-1.,  0.,  1.])
    """

    @named("sign")
    @in_place_too
    def torch(input: array, *, out=None): ...

class round_by_scale:
    """Return each element rounded to so many ``decimals`` (negative: to tens, hundreds), halves to even.

    >>> keras.ops.round([0.5, 1.5, 2.5])
    array([0., 2., 2.], dtype=float32)
    >>> keras.ops.round([1234.0], -2)
    array([1200.], dtype=float32)
    """

    @named("round")
    def keras(x, decimals=0): ...

class real:
    """Return the real part: a view for complex arrays, the array itself for others.

    >>> real([1 + 2j, 3])
    array([1., 3.])

    >>> torch.real(torch.tensor([1 + 2j, 3 - 1j]))
    tensor([1., 3.])
    """

    def numpy(a): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class imag:
    """Return the imaginary part: a view for complex arrays, zeros for others. Raises TypeError (numpy: none; cupy: none) for real tensors.

    >>> imag([1 + 2j, 3])
    array([2., 0.])

    >>> torch.imag(torch.tensor([1 + 2j, 3 - 1j]))
    tensor([ 2., -1.])
    """

    def numpy(a): ...
    cupy = numpy
    def torch(input: array): ...
    def keras(x): ...

class angle:
    """Return the angle of complex numbers in the plane, in radians, or degrees if ``deg``.

    >>> angle(array([1j, -1]))
    array([1.57079633, 3.14159265])

    >>> torch.angle(torch.tensor([1j, -1.0, 1 + 1j]))
    tensor([1.5708, 3.1416, 0.7854])
    """

    def numpy(z, deg=False): ...
    def cupy(z: array, deg=False): ...
    def torch(input: array, *, out=None): ...

class angle_of_reals:
    """Return the angle of complex numbers in the plane, in radians; of real ones 0 or pi.

    >>> keras.ops.angle([1.0, -1.0])
    array([0.       , 3.1415927], dtype=float32)
    """

    @named("angle")
    def keras(x): ...

class ldexp_of_reals:
    """Return ``x1 * 2 ** x2``. Raises TypeError where ``x2`` are not integers.

    >>> keras.ops.ldexp([1.0, 3.0], [4, -1])
    array([16. ,  1.5], dtype=float32)
    """

    @named("ldexp")
    def keras(x1, x2): ...

class select:
    """Return elements of the first of ``choicelist`` whose condition holds, else ``default``; all broadcast.

    Raises ValueError for lists of different lengths and for empty lists, TypeError for conditions that are not bool.

    >>> select([asarray([True, False, False]), asarray([True, True, False])], [1, 2], 3)
    array([1, 2, 3])
    """

    def numpy(condlist, choicelist, default=0): ...
    def keras(condlist, choicelist, default=0): ...

class frac:
    """Return each element without its whole part, with its sign.

    >>> torch.frac(torch.tensor([1.25, -1.25]))
    tensor([ 0.2500, -0.2500])
    """

    @in_place_too
    def torch(input: array, *, out=None): ...

class round:
    """Return each element rounded to so many ``decimals`` (negative: to tens, hundreds), halves to even. Integers stay integers.

    Raises TypeError (torch: RuntimeError) for an ``out`` of another dtype, ValueError (torch: none) for one of another shape.

    >>> around([1.25, 2.5, -0.04], 1)
    array([ 1.2,  2.5, -0. ])

    >>> torch.round(torch.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    >>> torch.round(torch.tensor([1.234, 5.678]), decimals=1)
    tensor([1.2000, 5.7000])
    """

    @named("round", "around")
    def numpy(a, decimals=0, out=None): ...
    cupy = numpy
    @in_place_too
    def torch(input: array, *, decimals: integer = 0, out=None): ...

class clamp:
    """Return each element limited to [min, max]. A limit may be None, a number, or a tensor that broadcasts.

    >>> torch.clamp(torch.tensor([-2, 1, 5]), min=0, max=3)
    tensor([0, 1, 3])
    """

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
    """Return elements of ``x`` where ``condition`` is true, and of ``y`` elsewhere; all three broadcast.

    Raises OverflowError (torch: none) where NumPy is 2.5 or newer, for a Python integer that the dtype of the other value cannot hold,
    RuntimeError (numpy: none; cupy: none) for a Python number that this dtype cannot hold.

    >>> where([True, False], 1, 2)
    array([1, 2])

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1, 2]), torch.tensor([10, 20]))
    tensor([ 1, 20])
    >>> torch.tensor([1, 2]).where(torch.tensor([True, False]), 10)
    tensor([ 1, 10])
    """

    def numpy(condition, x: some, y: some, /): ...
    def cupy(condition: own, x: own, y: own): ...
    def keras(condition, x1: some, x2: some): ...
    def torch(condition: array, input: operand, other: operand, *, out=None): ...
    def Tensor(self: array, condition: array, other: operand): ...

class nonzero:
    """Without the values, return the indices where ``condition`` is true, as :func:`nonzero` does.

    >>> where([0, 3, 0, 5])
    (array([1, 3]),)
    """

    @named("where")
    def numpy(condition, x: ignored[nothing] = NoValue, y: ignored[nothing] = NoValue, /): ...
    @named("where")
    def cupy(condition: own, x: ignored[nothing] = None, y: ignored[nothing] = None): ...
    @named("where")
    def keras(condition, x1: ignored[nothing] = None, x2: ignored[nothing] = None): ...

class nonzero_of_lines:
    """Without the values, return the indices where ``condition`` is true, a tensor for each dimension.

    >>> torch.where(torch.tensor([[0, 3], [5, 0]]))
    (tensor([0, 1]), tensor([1, 0]))
    """

    @named("where")
    def torch(condition: array): ...

class where:
    """Raises ValueError for one of ``x`` and ``y`` alone.

    >>> where([True, False], [1, 2], [10, 20])
    array([ 1, 20])
    """

    @named("where")
    def numpy(condition, x=NoValue, y=NoValue, /): ...
    @named("where")
    def cupy(condition: own, x: own = NoValue, y: own = NoValue): ...
    @named("where")
    def keras(condition, x1: some = None, x2: some = None): ...

class clip:
    """Return the elements limited to [a_min, a_max]; a limit may be None. ``min`` and ``max`` are other names of the limits.

    Raises TypeError where only one limit is passed by position, ValueError for limits that are passed twice.

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

    >>> torch.nan_to_num(torch.tensor([float("nan"), float("inf"), 1.0]), nan=-1.0, posinf=9.0)
    tensor([-1.,  9.,  1.])
    """

    def numpy(x, copy=True, nan=0.0, posinf=None, neginf=None): ...
    cupy = numpy
    def keras(x, nan=0.0, posinf=None, neginf=None): ...
    @in_place_too
    def torch(input: array, nan: number = None, posinf: number = None, neginf: number = None, *, out=None): ...

class lerp:
    """Return ``input + weight * (end - input)``; ``weight``: a number or a tensor.

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.25)
    tensor([ 0.2500, 12.5000])
    """

    @in_place_too
    def torch(input: array, end: array, weight: operand, *, out=None): ...

class addcmul:
    """Return ``input + value * tensor1 * tensor2``.

    >>> torch.addcmul(torch.tensor([1, 2]), torch.tensor([3, 4]), torch.tensor([5, 6]), value=10)
    tensor([151, 242])
    """

    @in_place_too
    def torch(input: array, tensor1: array, tensor2: array, *, value: number = 1, out=None): ...

class addcdiv:
    """Return ``input + value * tensor1 / tensor2``.

    >>> torch.addcdiv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([2.0, 8.0]), value=10)
    tensor([16.,  7.])
    """

    @in_place_too
    def torch(input: array, tensor1: array, tensor2: array, *, value: number = 1, out=None): ...

class isclose:
    """Return True where ``|a - b| <= atol + rtol * |b|`` or both are equal; NaN equals NaN if ``equal_nan``.

    Raises ValueError for shapes that do not broadcast.

    >>> isclose(array([1.0, 2.0]), array([1.0 + 1e-9, 2.1]))
    array([ True, False])

    >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0 + 1e-9, 2.1]))
    tensor([ True, False])
    """

    def numpy(a, b, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    def cupy(a: operand, b: operand, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    def keras(x1, x2, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    def torch(input: array, other: array, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: boolean = False): ...

class allclose:
    """Return whether all elements are close, as :func:`isclose` says: a bool of Python's. This waits for the values.

    >>> allclose([1.0], [1.0 + 1e-9])
    True

    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]))
    True
    """

    def numpy(a, b, rtol=1e-05, atol=1e-08, equal_nan=False): ...
    cupy = numpy
    def torch(input: array, other: array, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: boolean = False): ...

class all_close:
    """Return whether all elements are close, as :func:`isclose` says: a bool tensor without axes.

    >>> keras.ops.allclose([1.0, 2.0], [1.0, 2.000001])
    array(True)
    """

    @named("allclose")
    def keras(x1, x2, rtol=1e-05, atol=1e-08, equal_nan=False): ...

class divide_no_nan:
    """Return ``x1 / x2``, and 0 where x2 is 0.

    >>> keras.ops.divide_no_nan([1.0, 5.0], [2.0, 0.0])
    array([0.5, 0. ], dtype=float32)
    """

    def keras(x1, x2): ...

class erfinv:
    """Return the number whose erf each element is: infinite at -1 and 1, NaN outside.

    >>> torch.erfinv(torch.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.4769,    inf])
    """

    @submodule("math")
    def keras(x): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class bessel_i0:
    """Return the modified Bessel function of the first kind and of order 0 of each element.

    >>> keras.ops.i0([1.0, 5.0])
    array([ 1.2660658, 27.239872 ], dtype=float32)

    >>> torch.i0(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661])
    """

    @named("i0")
    def keras(x): ...
    @named("i0")
    @in_place_too
    def torch(input: array, *, out=None): ...

class ndtr:
    """Return the probability that a number of the standard normal distribution is below each element.

    >>> torch.special.ndtr(torch.tensor([0.0, 1.0, 2.0]))
    tensor([0.5000, 0.8413, 0.9772])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class log_ndtr:
    """Return the logarithm of :func:`ndtr`, with all its digits in both tails.

    >>> torch.special.log_ndtr(torch.tensor([0.0, 1.0, 2.0]))
    tensor([-0.6931, -0.1728, -0.0230])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class ndtri:
    """Return the inverse of :func:`ndtr`: infinite at 0 and 1, NaN outside.

    >>> torch.special.ndtri(torch.tensor([0.0, 0.5, 0.975]))
    tensor([  -inf, 0.0000, 1.9600])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class erfcx:
    """Return ``exp(x * x) * erfc(x)``, without overflow for large elements.

    >>> torch.special.erfcx(torch.tensor([0.0, 1.0, 2.0]))
    tensor([1.0000, 0.4276, 0.2554])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_j0:
    """Return the Bessel function of the first kind and of order 0 of each element.

    >>> torch.special.bessel_j0(torch.tensor([0.0, 1.0, 2.0]))
    tensor([1.0000, 0.7652, 0.2239])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_j1:
    """Return the Bessel function of the first kind and of order 1 of each element.

    >>> torch.special.bessel_j1(torch.tensor([0.0, 1.0, 2.0]))
    tensor([0.0000, 0.4401, 0.5767])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_y0:
    """Return the Bessel function of the second kind and of order 0 of each element.

    >>> torch.special.bessel_y0(torch.tensor([1.0, 2.0]))
    tensor([0.0883, 0.5104])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_y1:
    """Return the Bessel function of the second kind and of order 1 of each element.

    >>> torch.special.bessel_y1(torch.tensor([1.0, 2.0]))
    tensor([-0.7812, -0.1070])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class bessel_i1:
    """Return the modified Bessel function of the first kind and of order 1 of each element.

    >>> torch.special.i1(torch.tensor([0.0, 1.0, 2.0]))
    tensor([0.0000, 0.5652, 1.5906])
    """

    @submodule("special")
    @named("i1", "modified_bessel_i1")
    def torch(input: array, *, out=None): ...

class bessel_i0_scaled:
    """Return the modified Bessel function of the first kind and of order 0, times ``exp(-|x|)``.

    >>> torch.special.i0e(torch.tensor([0.0, 1.0, 2.0]))
    tensor([1.0000, 0.4658, 0.3085])
    """

    @submodule("special")
    @named("i0e")
    def torch(input: array, *, out=None): ...

class bessel_i1_scaled:
    """Return the modified Bessel function of the first kind and of order 1, times ``exp(-|x|)``.

    >>> torch.special.i1e(torch.tensor([0.0, 1.0, 2.0]))
    tensor([0.0000, 0.2079, 0.2153])
    """

    @submodule("special")
    @named("i1e")
    def torch(input: array, *, out=None): ...

class bessel_k0:
    """Return the modified Bessel function of the second kind and of order 0 of each element.

    >>> torch.special.modified_bessel_k0(torch.tensor([1.0, 2.0]))
    tensor([0.4210, 0.1139])
    """

    @submodule("special")
    @named("modified_bessel_k0")
    def torch(input: array, *, out=None): ...

class bessel_k1:
    """Return the modified Bessel function of the second kind and of order 1 of each element.

    >>> torch.special.modified_bessel_k1(torch.tensor([1.0, 2.0]))
    tensor([0.6019, 0.1399])
    """

    @submodule("special")
    @named("modified_bessel_k1")
    def torch(input: array, *, out=None): ...

class bessel_k0_scaled:
    """Return the modified Bessel function of the second kind and of order 0, times ``exp(x)``.

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0, 2.0]))
    tensor([1.1445, 0.8416])
    """

    @submodule("special")
    @named("scaled_modified_bessel_k0")
    def torch(input: array, *, out=None): ...

class bessel_k1_scaled:
    """Return the modified Bessel function of the second kind and of order 1, times ``exp(x)``.

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0, 2.0]))
    tensor([1.6362, 1.0335])
    """

    @submodule("special")
    @named("scaled_modified_bessel_k1")
    def torch(input: array, *, out=None): ...

class gammainc:
    """Return the regularized lower incomplete gamma function of shape ``input`` at ``other``.

    >>> torch.igamma(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
    tensor([0.6321, 0.8009])
    """

    @named("igamma")
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class gammaincc:
    """Return 1 - :func:`gammainc`, with all its digits where that is close to zero.

    >>> torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
    tensor([0.3679, 0.1991])
    """

    @named("igammac")
    @in_place_too
    def torch(input: array, other: array, *, out=None): ...

class sinc:
    """Return ``sin(pi x) / (pi x)`` of each element, 1 at 0.

    >>> sinc(array([0.0, 1.0]))
    array([1.00000000e+00, 3.89817183e-17])

    >>> torch.sinc(torch.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])
    """

    def numpy(x): ...
    def cupy(x: operand): ...
    @in_place_too
    def torch(input: array, *, out=None): ...

class sinc_of_reals:
    """Return ``sin(pi x) / (pi x)`` of each element, 1 at 0.

    >>> keras.ops.sinc([0.0, 0.5])
    array([1.        , 0.63661975], dtype=float32)
    """

    @named("sinc")
    def keras(x): ...

class cbrt:
    """Return the cube root of each element.

    >>> keras.ops.cbrt([8.0, -27.0])
    array([ 2., -3.], dtype=float32)
    """

    def keras(x): ...

class fabs:
    """Return the absolute value of each real number.

    >>> keras.ops.fabs([-1.5, 2.0])
    array([1.5, 2. ], dtype=float32)
    """

    def keras(x): ...

class conjugate:
    """Return the elements with the other sign of the imaginary part.

    >>> keras.ops.conj([1 + 2j, 3 - 1j])
    array([1.-2.j, 3.+1.j], dtype=complex64)
    """

    @named("conjugate", "conj")
    def keras(x): ...

class heaviside:
    """Return 0 for elements below 0, 1 for those above, and ``x2`` at 0.

    >>> keras.ops.heaviside([-1.5, 0.0, 2.0], 0.5)
    array([0. , 0.5, 1. ], dtype=float32)
    """

    def keras(x1, x2): ...

class isposinf:
    """Return True where an element is positive infinity. Raises TypeError for complex numbers.

    >>> isposinf(array([inf, -inf, 1.0]))
    array([ True, False, False])

    >>> torch.isposinf(torch.tensor([float("inf"), float("-inf"), 1.0]))
    tensor([ True, False, False])
    """

    def numpy(x, out=None): ...
    def cupy(x: operand, out=None): ...
    def torch(input: array, *, out=None): ...
    def keras(x): ...

class isneginf:
    """Return True where an element is negative infinity. Raises TypeError for complex numbers.

    >>> isneginf(array([inf, -inf, 1.0]))
    array([False,  True, False])

    >>> torch.isneginf(torch.tensor([float("inf"), float("-inf"), 1.0]))
    tensor([False,  True, False])
    """

    def numpy(x, out=None): ...
    def cupy(x: operand, out=None): ...
    def torch(input: array, *, out=None): ...
    def keras(x): ...

class isreal:
    """Return True where the imaginary part is zero.

    >>> isreal([1 + 1j, 2])
    array([False,  True])

    >>> torch.isreal(torch.tensor([1 + 1j, 2 + 0j]))
    tensor([False,  True])
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
    """Return 0 where ``input`` is negative, 1 where it is positive, ``values`` where it is 0; both have one dtype.

    >>> torch.heaviside(torch.tensor([-1.5, 0.0, 2.0]), torch.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    @named("heaviside")
    @in_place_too
    def torch(input: array, values: array, *, out=None): ...

class log_of_sum:
    """Return ``log(exp(input) + exp(other))`` without overflow.

    >>> torch.logaddexp(torch.tensor([0.0, 1000.0]), torch.tensor([0.0, 1000.0]))
    tensor([6.9315e-01, 1.0007e+03])
    """

    @named("logaddexp")
    def torch(input: array, other: array, *, out=None): ...

class are_equal:
    """Return whether both have the same shape and values: a bool of Python's. This waits for them.

    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([[1, 2]]))
    False
    """

    @named("equal")
    def torch(input: array, other: array): ...
