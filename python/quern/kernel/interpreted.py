"""Functions for the host that cannot be compiled, run by Python with Numba's types.

Python's own arithmetic gives other numbers: its integers do not wrap, NumPy's narrow ones do, a Python float beside a float32 makes a
float32, `math` raises where C's functions give inf and NaN, NumPy divides by 0. The function is compiled once more, in its own lines,
with its operators, comparisons and calls handed to this module: an integer works in 64 bits, a literal has the type int64 or float64.

Unlike in compiled functions a name has the type of the value that it holds, not the one that its values on all ways unify to.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import math
import operator

import numpy

from quern.kernel.errors import KernelError, MissingAttribute, TypingError
from quern.kernel.library.ufunc_loops import loop_of
from quern.kernel.operators import BINARY, COMPARE, division_by_zero
from quern.kernel.powers import integer_power, rewritten
from quern.kernel.source import Source, is_of_literals
from quern.kernel.types import of_dtype

_HELPERS = "_types_of_quern"
_IN_PLACE = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul, ast.Div: operator.itruediv, ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod, ast.Pow: operator.ipow, ast.LShift: operator.ilshift, ast.RShift: operator.irshift, ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior, ast.BitXor: operator.ixor, ast.MatMult: operator.imatmul,
}  # fmt: skip
_OPERATORS = {kind: (symbol, compute) for kind, (symbol, _, compute) in BINARY.items()} | {ast.MatMult: ("@", operator.matmul)}
_BY_NAME = {kind.__name__: kind for kind in _OPERATORS}
_COMPARISONS = {kind: (symbol, compute) for kind, (symbol, _, compute) in COMPARE.items()}
_COMPARISONS |= {ast.In: ("in", lambda a, b: _is_in(a, b)), ast.NotIn: ("not in", lambda a, b: not _is_in(a, b))}
_COMPARISONS |= {ast.Is: ("is", lambda a, b: _is(a, b)), ast.IsNot: ("is not", lambda a, b: not _is(a, b))}
_COMPARED_BY_NAME = {kind.__name__: kind for kind in _COMPARISONS}
_INTEGERS = (numpy.integer, numpy.bool_)
_REALS = (*_INTEGERS, numpy.floating)


# ---- values


def strong(value):
    """A number of Python's own with the type that Numba gives it; others as they are."""
    kind = type(value)
    if kind is int:
        return numpy.int64(value) if -(2**63) <= value < 2**63 else numpy.uint64(value)
    if kind is float:
        return numpy.float64(value)
    return numpy.complex128(value) if kind is complex else numpy.bool_(value) if kind is bool else value


def wide(value):
    """An integer or a bool in 64 bits."""
    return numpy.uint64(value) if isinstance(value, numpy.unsignedinteger) else numpy.int64(value)


def weak(value):
    """Python's own numbers in place of NumPy's, as from Numba's functions; in lists, where they are."""
    if isinstance(value, numpy.generic) and not isinstance(value, (numpy.datetime64, numpy.timedelta64, numpy.void)):
        return value.item()
    if isinstance(value, tuple):
        made = [weak(v) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    if isinstance(value, list) and any(isinstance(v, (numpy.generic, tuple, list)) for v in value):
        value[:] = [weak(v) for v in value]
    elif type(value) is dict:
        return {weak(k): weak(v) for k, v in value.items()}
    elif type(value) is set:
        return {weak(v) for v in value}
    return value


def _rounded(result, arguments):
    """Of float32 alone C's functions give a float32."""
    kinds = {type(a) for a in arguments}
    return numpy.float32(result) if kinds == {numpy.float32} and isinstance(result, float) else strong(result)


class _Wrapping:
    """An array of integers, of whose type elements become; NumPy refuses single numbers that the type does not hold."""

    def __init__(self, array):
        self.array = array

    def __setitem__(self, index, value):
        value = strong(value)
        self.array[index] = numpy.array(value) if isinstance(value, numpy.number) else value


def target(owner):
    """What takes the element in ``owner[index] = value``."""
    return _Wrapping(owner) if isinstance(owner, numpy.ndarray) and owner.dtype.kind in "iu" else owner


# ---- what Python's operators become


class Types:
    """The operators and functions of a rewritten function. ``raises``: is a division by 0 an error?"""

    def __init__(self, raises):
        self.raises = raises

    def binary(self, name, a, b, meant=""):
        """``a <operator> b``. ``meant``: what errors are about, in place of the operator."""
        symbol, compute = _OPERATORS[_BY_NAME[name]]
        a, b = strong(a), strong(b)
        if not (isinstance(a, numpy.number | numpy.bool_) and isinstance(b, numpy.number | numpy.bool_)):
            return compute(*_of_arrays(symbol, _beside(a, b), _beside(b, a)))
        whole = isinstance(a, _INTEGERS) and isinstance(b, _INTEGERS)
        if symbol in ("/", "//", "%") and not b:
            if self.raises:
                raise ZeroDivisionError(division_by_zero(meant or symbol, of_dtype(a.dtype), of_dtype(b.dtype)))
            if whole and symbol != "/":
                return wide(a) * wide(0)
        if symbol == "**" and self.raises and isinstance(b, _INTEGERS) and b < 0 and not a and a.dtype.kind != "c":
            raise ZeroDivisionError("0 cannot be raised to a negative power" if whole else "division by zero")
        if not whole:
            return compute(_beside_real(a, b), _beside_real(b, a))
        if symbol in ("&", "|", "^") and isinstance(a, numpy.bool_) and isinstance(b, numpy.bool_):
            return compute(a, b)
        a, b = wide(a), wide(b)
        if symbol == "**":
            return integer_power(a, b)
        if symbol in ("<<", ">>"):
            return compute(a, b.astype(a.dtype))
        if symbol == "/":
            return numpy.float64(a) / numpy.float64(b)
        work = numpy.uint64 if a.dtype == b.dtype == numpy.uint64 else numpy.int64
        return compute(a.astype(work), b.astype(work))

    def in_place(self, name, a, b):
        """``a += b`` of a name."""
        if isinstance(a, (numpy.number, numpy.bool_, int, float, complex)):
            return self.binary(name, a, b)
        return _IN_PLACE[_BY_NAME[name]](a, _beside(strong(b), a))

    def item_in_place(self, name, array, index, b):
        """``array[index] += b``."""
        target(array)[index] = self.in_place(name, array[index], b)

    def unary(self, name, a):
        compute = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}[name]
        a = strong(a)
        if isinstance(a, numpy.bool_):
            return ~a if name == "Invert" else compute(wide(a))
        made = compute(a)  # a narrow integer in its own type: ~uint8(1) is 254
        return wide(made) if isinstance(made, _INTEGERS) else made

    def compare(self, name, a, b):
        """``a <comparison> b``."""
        symbol, compute = _COMPARISONS[_COMPARED_BY_NAME[name]]
        if symbol.endswith("in"):
            _check_membership(symbol, a, b)
            return compute(a, b)
        if symbol.startswith("is"):
            return compute(a, b)
        a, b = strong(a), strong(b)
        _check_comparison(symbol, a, b)
        return compute(a, b)

    strong, target = staticmethod(strong), staticmethod(target)

    def function(self, f):
        """What is called where the function calls ``f``."""
        try:
            made = _of_ufunc if isinstance(f, numpy.ufunc) else _FUNCTIONS.get(f)
        except TypeError:  # it has no hash
            return f
        if made is None and isinstance(getattr(f, "__self__", None), tuple) and f.__name__ == "count":
            made = _of_elements
        return f if made is None else made(self, f)


def _check_comparison(symbol, a, b):
    """Raises TypingError for a tuple beside what is none, but for tests whether it is None or a text; NumPy makes an array of it.

    Elements of tuples must have an order, whichever of them decides.
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        for pair in zip(a, b, strict=False):
            _check_comparison(symbol, *pair)
            arrays = sum(isinstance(one, numpy.ndarray) and one.ndim > 0 for one in pair)
            if arrays == 2:
                raise ValueError("The truth value of an array with more than one element is ambiguous; compare the arrays themselves")
            if arrays:
                raise TypingError(f"unsupported operand types for {symbol}: a tuple with an array, and one that has none in its place")
            if symbol not in ("==", "!=") and not _have_order(*map(strong, pair)):
                raise TypingError(f"unsupported operand types for {symbol}: elements {pair[0]!r} and {pair[1]!r} have no order")
    elif isinstance(a, tuple) or isinstance(b, tuple):
        other = b if isinstance(a, tuple) else a
        if symbol not in ("==", "!=") or not (other is None or isinstance(other, (str, dict))):
            kinds = [type(strong(one)).__name__ for one in (a, b)]
            raise TypingError(f"unsupported operand types for {symbol}: {kinds[0]} and {kinds[1]}; a tuple is compared with tuples")


def _have_order(a, b):
    if isinstance(a, tuple) and isinstance(b, tuple):
        return True
    return (isinstance(a, _REALS) and isinstance(b, _REALS)) or (isinstance(a, str) and isinstance(b, str))


def _is(a, b):
    """Two tuples of the same types are one where their elements are equal."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        pairs = [(strong(x), strong(y)) for x, y in zip(a, b, strict=False)]
        return len(a) == len(b) and all(type(x) is type(y) and (_is(x, y) if isinstance(x, tuple) else bool(x == y)) for x, y in pairs)
    if (isinstance(a, tuple) and isinstance(b, range)) or (isinstance(a, range) and isinstance(b, tuple)):
        raise TypingError("unsupported operand types for is: a tuple and a range")
    return a is b


def _is_in(a, container):
    """``a in container``. A text is none of a tuple's arrays."""
    if isinstance(a, str) and isinstance(container, tuple):
        return any(isinstance(one, str) and one == a for one in container)
    return a in container


def _check_membership(symbol, a, container):
    if not hasattr(container, "__contains__") or isinstance(a, tuple) and isinstance(container, (str, range)):
        raise TypingError(f"unsupported operand types for {symbol}: {type(a).__name__} and {type(container).__name__}")
    if isinstance(container, (tuple, list)):
        for one in container:
            _check_comparison("==", a, one)
    elif isinstance(container, numpy.ndarray) and isinstance(a, tuple):
        raise TypingError(f"unsupported operand types for {symbol}: tuple and array; an array has no elements that are tuples")


def _beside(value, other):
    """An integer as Python's own beside what is no number of NumPy's (``[0] * n``), and beside arrays of floats, which keep their type."""
    if not isinstance(value, _INTEGERS) or isinstance(other, numpy.generic):
        return value
    return value if isinstance(other, numpy.ndarray) and other.dtype.kind in "biu" else value.item()


def _of_arrays(symbol, a, b):
    """Operands where one is an array: as Numba has it integers beside float32 are float32, and so are quotients of 8 and 16 bits."""
    if symbol not in ("+", "-", "*", "/", "//", "%", "**") or not all(isinstance(v, numpy.ndarray | numpy.generic) for v in (a, b)):
        return a, b
    kinds = {a.dtype.kind, b.dtype.kind}
    is_narrow = symbol == "/" and kinds <= set("iub") and max(a.itemsize, b.itemsize) <= 2
    if is_narrow or (numpy.float32 in (a.dtype, b.dtype) and kinds & set("iub")):
        return a.astype(numpy.float32), b.astype(numpy.float32)
    return a, b


def _beside_real(value, other):
    """A uint16 beside a float32 is a float64, in Numba alone."""
    return numpy.float64(value) if isinstance(value, numpy.uint16) and isinstance(other, (numpy.float32, numpy.complex64)) else value


def _of_math(types_, f):
    """A function of `math`: where it raises NumPy's has the value."""

    def call(*arguments):
        arguments = [strong(a) for a in arguments]
        if f is math.pow and arguments[0] == 0 and isinstance(arguments[0], _REALS) and isinstance(arguments[1], _INTEGERS):
            if arguments[1] < 0:
                raise ZeroDivisionError("division by zero")
        try:
            result = f(*(a.item() if isinstance(a, numpy.generic) else a for a in arguments))
        except (ValueError, OverflowError):
            like = _LIKE_MATH.get(f.__name__)
            if like is None:
                raise
            result = float(like(*(numpy.float64(a) for a in arguments)))
        return _rounded(result, arguments)

    return call


def _of_ufunc(types_, f):
    """A ufunc with operands as Numba's loop takes them."""

    def call(*arguments, **named):
        given = [strong(a) for a in arguments]
        fits = not named and len(given) == f.nin and all(map(_has_loops, given))
        loop = loop_of(f, tuple(of_dtype(a.dtype) for a in given)) if fits else None
        return f(*arguments, **named) if loop is None else f(*(a.astype(t.dtype) for a, t in zip(given, loop[0], strict=True)))

    return call


def _has_loops(value):
    return isinstance(value, numpy.ndarray | numpy.generic) and value.dtype.kind in "biufc" and value.dtype != numpy.float16


def _sum(types_, f):
    def call(values, start=0):
        if isinstance(values, numpy.ndarray):
            return numpy.sum(values)
        return functools.reduce(lambda a, b: types_.binary("Add", a, b), values, start)

    return call


def _of_elements(types_, f):
    """A function that compares elements of a tuple, or asks whether they are true: Numba has none for arrays among them.

    Arrays alone, of one tuple, are compared by max() and min().
    """
    owner = getattr(f, "__self__", None)

    def call(*arguments, **named):
        elements = owner if isinstance(owner, tuple) else arguments[0] if len(arguments) == 1 else arguments
        arrays = [isinstance(one, numpy.ndarray) for one in elements] if isinstance(elements, tuple) else []
        if any(arrays) and not (f in (builtins.max, builtins.min) and all(arrays) and len(arguments) == 1):
            raise TypingError(f"{f.__name__}() does not accept a tuple with arrays")
        return f(*arguments, **named)

    return call


def _rounding(types_, f):
    def call(value, digits=None):
        value = strong(value)
        if digits is not None and isinstance(value, _INTEGERS):
            value = numpy.float64(value)
        return f(value, digits)

    return call


def _of_linalg(types_, f):
    """A function of matrices, with Numba's errors."""

    def call(*arguments, **named):
        for a in arguments if f in _OF_FINITE else ():
            if isinstance(a, numpy.ndarray) and not numpy.isfinite(a).all():
                raise numpy.linalg.LinAlgError("Array must not contain infs or NaNs.")
        try:
            return f(*arguments, **named)
        except numpy.linalg.LinAlgError as e:
            raise numpy.linalg.LinAlgError(_LIKE_LINALG.get(str(e), str(e))) from None

    return call


def _power(types_, f):
    return lambda a, b: types_.binary("Pow", a, b)


def _divmod(types_, f):
    return lambda a, b: (types_.binary("FloorDiv", a, b, "divmod"), types_.binary("Mod", a, b))


def _absolute(types_, f):
    def call(a):
        made = f(strong(a))
        return wide(made) if isinstance(made, _INTEGERS) else made

    return call


def _print(types_, f):
    return lambda *values, **named: f(*map(weak, values), **named)


def _isinstance(types_, f):
    return lambda value, classes: f(value, classes) or (isinstance(value, numpy.generic) and f(value.item(), classes))


def _gamma(x):
    return numpy.inf if x == 0 or x > 0 else numpy.nan


_LIKE_MATH = {
    **{name: getattr(numpy, name) for name in "sqrt exp expm1 log log2 log10 log1p sin cos tan sinh cosh fmod hypot ldexp".split()},
    **{name: getattr(numpy, f"arc{name[1:]}") for name in "asin acos atan asinh acosh atanh atan2".split()},
    "pow": numpy.power,
    "gamma": _gamma,
    "lgamma": lambda x: numpy.inf,
}
_LIKE_LINALG = {
    "Singular matrix": "Matrix is singular to machine precision.",
    "Matrix is not positive definite": "Matrix is not positive definite.",
    "Last 2 dimensions of the array must be square": "Last 2 dimensions of the array must be square.",
    "Incompatible dimensions": "Incompatible array sizes, system is not dimensionally valid.",
}
_OF_FINITE = {getattr(numpy.linalg, name) for name in "inv det slogdet eig eigh eigvals eigvalsh svd pinv qr solve lstsq".split()}
_NAMED = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh atan2 pow fmod hypot ldexp "
    "gamma lgamma erf erfc fabs degrees radians copysign"
)
_FUNCTIONS = {
    **{getattr(math, name): _of_math for name in _NAMED.split() if hasattr(math, name)},
    **dict.fromkeys([*_OF_FINITE, numpy.linalg.cholesky, numpy.linalg.matrix_power], _of_linalg),
    builtins.round: _rounding,
    **dict.fromkeys((builtins.any, builtins.all, builtins.max, builtins.min), _of_elements),
    builtins.sum: _sum,
    builtins.pow: _power,
    operator.pow: _power,
    builtins.divmod: _divmod,
    builtins.abs: _absolute,
    builtins.print: _print,
    builtins.isinstance: _isinstance,
}


# ---- the function


class _Typing(ast.NodeTransformer):
    def _call(self, name, node, *arguments):
        helper = ast.Attribute(ast.Name(_HELPERS, ast.Load()), name, ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Call(helper, list(arguments), []), node))

    def visit_BinOp(self, node):
        if is_of_literals(node):  # Python makes a number of those by itself
            return node
        self.generic_visit(node)
        return self._call("binary", node, ast.Constant(type(node.op).__name__), node.left, node.right)

    def visit_UnaryOp(self, node):
        if is_of_literals(node) or isinstance(node.op, ast.Not):
            return node if is_of_literals(node) else self.generic_visit(node)
        self.generic_visit(node)
        return self._call("unary", node, ast.Constant(type(node.op).__name__), node.operand)

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
            return self._call("compare", node, ast.Constant(type(node.ops[0]).__name__), node.left, node.comparators[0])
        if all(isinstance(op, (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops):
            node.left = self._call("strong", node.left, node.left)
            node.comparators = [self._call("strong", c, c) for c in node.comparators]
        return node

    def visit_AugAssign(self, node):
        name, place, node.value = ast.Constant(type(node.op).__name__), node.target, self.visit(node.value)
        if isinstance(place, ast.Name):
            load = ast.copy_location(ast.Name(place.id, ast.Load()), place)
            return ast.copy_location(ast.Assign([place], self._call("in_place", node, name, load, node.value)), node)
        if isinstance(place, ast.Subscript) and not any(isinstance(n, ast.Slice) for n in ast.walk(place.slice)):
            parts = self.visit(place.value), self.visit(place.slice)
            return ast.copy_location(ast.Expr(self._call("item_in_place", node, name, *parts, node.value)), node)
        node.value = self._call("strong", node.value, node.value)
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._call("target", node.value, node.value)
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        if any(isinstance(place, ast.Subscript) for place in node.targets):
            node.value = self._call("strong", node.value, node.value)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        node.func = self._call("function", node.func, node.func)
        return node


@functools.lru_cache(maxsize=256)
def with_types(function, raises=True):
    """The function with Numba's types. Raises UnsupportedError where its source cannot be read: what it would give is not known."""
    source = Source(function)
    typed = rewritten(function, source, _Typing().visit(source.tree), {_HELPERS: Types(raises)})

    @functools.wraps(function)
    def run(*arguments, **named):
        with numpy.errstate(all="ignore"):
            try:
                return weak(typed(*arguments, **named))
            except Exception as e:
                e.args = weak(e.args)
                wrong = _typing_error(e, function.__name__)
                if wrong is not None:
                    raise wrong from e
                raise

    return run


# Of NumPy's errors, those that say that an operand's type is wrong: dimensions are part of an array's type.
_ABOUT_TYPES = ("too many indices for array", "valid indices", "zero-dimensional arrays cannot be concatenated", "inhomogeneous shape")


def _typing_error(error, name):
    """What Numba raises where an operation's operands have wrong types; None: the error is another one, or the program's own."""
    if isinstance(error, KernelError) or _is_raised_by_program(error.__traceback__.tb_next):
        return None
    if isinstance(error, AttributeError):
        return MissingAttribute(f"[{name}] {error}")
    if isinstance(error, TypeError) or isinstance(error, (IndexError, ValueError)) and any(said in str(error) for said in _ABOUT_TYPES):
        return TypingError(f"[{name}] {error}")
    return None


def _is_raised_by_program(traceback):
    """Whether the exception is a ``raise`` statement's, or of a call that never began."""
    if traceback is None:
        return True
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    is_library = frame.f_globals.get("__name__", "").partition(".")[0] in ("quern", "numpy")
    return not is_library and dis.opname[frame.f_code.co_code[traceback.tb_lasti]] == "RAISE_VARARGS"
