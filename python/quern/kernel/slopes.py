"""The slopes of what functions of numbers may call: for each function an expression for each of its arguments, as Python text.

Those of the engine's operations come from grads.def (rules.py); here are the functions that are none.

In an expression a, b, c are the arguments, y is the result and d what its slope is multiplied with; numbers that stand there have the
arguments' type. derivative.py puts them into the functions that it writes.
"""

from __future__ import annotations

import ast
import cmath
import math
import operator

import numpy

from quern.kernel import intrinsics, operators, types
from quern.kernel.intrinsics import Intrinsic
from quern.kernel.library.libdevice import functions as libdevice
from quern.kernel.library.table import entry, rows
from quern.kernel.rules import RULES
from quern.kernel.value import Value, cast

# ---- functions that only derivatives call

zero_like = Intrinsic("zero_like", "zero_like(x): 0 of the type of x, whatever that is; for a tuple a tuple.")
number_like = Intrinsic("number_like", "number_like(n, x, ...): the number n in the type of the others' arithmetic.")
digamma = Intrinsic("digamma", "digamma(x): the derivative of the logarithm of the gamma function.")
polygamma = Intrinsic("polygamma", "polygamma(n, x): the derivative of order n of digamma(x).")
real_product = Intrinsic("real_product", "real_product(g, d): the real part of g times the conjugate of d.")


@entry(zero_like, takes=1)
def call_zero_like(compiler, arguments, named, node):
    return _zero(compiler, arguments[0], node)


def _zero(compiler, value, node):
    if isinstance(value.type, types.Tuple):
        return compiler.tuple_of([_zero(compiler, part, node) for part in compiler.parts(value, node)])
    if isinstance(value.type, (types.Integer, types.Boolean)):
        return operators.constant(False)  # takes the type of what it is added to
    compiler.number(value, node, "a number or a tuple of numbers")
    return cast(operators.constant(0), value.type)


@entry(number_like, takes=(2, None))
def call_number_like(compiler, arguments, named, node):
    to = None
    for other in arguments[1:]:
        one = operators.real_for(compiler.number(other, node).type)
        to = one if to is None else types.common_real(to, one)
    return cast(arguments[0], to)


rows(digamma, *[(f"{t}({t})", "op::digamma({0})") for t in ("float32", "float64")])
rows(polygamma, *[(f"{t}({t}, {t})", "op::polygamma({0}, {1})") for t in ("float32", "float64")])


@entry(real_product, takes=2)
def call_real_product(compiler, arguments, named, node):
    g, d = (compiler.number(a, node) for a in arguments)
    if not isinstance(g.type, types.Complex) and not isinstance(d.type, types.Complex):
        return operators.binary(ast.Mult, g, d, compiler.failing(node))
    to = types.common_real(*(operators.real_for(v.type) for v in (g, d)))
    g, d = (compiler.kept(cast(v, to)) for v in (g, d))
    return Value(to.part, f"({g.text}.re * {d.text}.re + {g.text}.im * {d.text}.im)")


# What the expressions call.
NAMES = {
    "np": numpy,
    "math": math,
    "abs": abs,
    "digamma": digamma,
    "polygamma": polygamma,
    "real_product": real_product,
    "zero": zero_like,
    "rect": cmath.rect,
}

# ---- the table

_ROOT_PI = repr(math.sqrt(math.pi))
_LONG = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
# Functions that are no operations of the engine; of math and of libdevice, of real numbers.
_REAL = {
    "gamma": ("d * y * digamma(a)",),
    "remainder": ("d", "-d * np.rint(a / b)"),
}
_LIBDEVICE = {
    **_REAL,
    "tgamma": _REAL["gamma"],
    "erfinv": (f"d * ({_ROOT_PI} / 2) * np.exp(y * y)",),
    "erfcinv": (f"-d * ({_ROOT_PI} / 2) * np.exp(y * y)",),
    "erfcx": (f"d * (2 * a * y - 2 / {_ROOT_PI})",),
    "normcdf": (f"d * np.exp(-(a * a) / 2) * {1 / math.sqrt(2 * math.pi)!r}",),
    "normcdfinv": (f"d * np.exp(y * y / 2) * {math.sqrt(2 * math.pi)!r}",),
    "exp10": (f"d * y * {math.log(10)!r}",),
    "rsqrt": ("-d * y / (a + a)",),
    "rcbrt": ("-d * y / (3 * a)",),
    "cospi": (f"-d * {math.pi!r} * np.sin({math.pi!r} * a)",),
    "sinpi": (f"d * {math.pi!r} * np.cos({math.pi!r} * a)",),
    "fdim": ("d if a > b else 0", "-d if a > b else 0"),
    "fma": ("d * b", "d * a", "d"),
    "saturatef": ("d if a > 0 and a < 1 else 0",),
}
_OF_RULES = {  # libdevice's name -> the operation's
    **{n: n for n in "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt fabs erf erfc lgamma ldexp".split()},
    **{n: n for n in "copysign hypot fmod fmax fmin".split()},
    **_LONG,
    "atan2": "arctan2",
    "scalbn": "ldexp",
}

# What operators mean, by the node that writes them.
OPERATORS = {}
for _names, _node in (
    ("add iadd", "Add"), ("sub isub", "Sub"), ("mul imul", "Mult"), ("truediv itruediv", "Div"), ("floordiv ifloordiv", "FloorDiv"),
    ("mod imod", "Mod"), ("pow ipow", "Pow"),
):  # fmt: skip
    for _name in _names.split():
        OPERATORS[id(getattr(operator, _name))] = _node
OPERATORS |= {id(pow): "Pow", id(math.pow): "Pow"}
OPERATIONS = {"Mult": "multiply", "Div": "true_divide", "Mod": "remainder", "FloorDiv": "floor_divide"}  # a node's, of grads.def
for _name, _node in {
    "add": "Add", "subtract": "Sub", "multiply": "Mult", "true_divide": "Div", "floor_divide": "FloorDiv", "remainder": "Mod",
    "power": "Pow",
}.items():  # fmt: skip
    OPERATORS[id(getattr(numpy, _name))] = _node
for _letter, _kind in (("d", "d"), ("f", "f")):
    for _name, _node in {"add": "Add", "mul": "Mult", "div": "Div", "sub": "Sub"}.items():
        for _mode in ("rd", "rn", "ru", "rz"):
            _function = libdevice.get(f"{_letter}{_name}_{_mode}")
            if _function is not None:
                OPERATORS[id(_function)] = _node

SLOPES = {}  # id of a function -> texts, one for each argument


def _enter(function, texts):
    SLOPES[id(function)] = texts


for _name, _texts in RULES.items():
    for _module in (numpy, math, cmath):
        if _texts and hasattr(_module, _name) and (_module, _name) != (math, "remainder"):
            _enter(getattr(_module, _name), _texts)
_enter(numpy.rad2deg, RULES["degrees"])
_enter(numpy.deg2rad, RULES["radians"])
for _name, _long in _LONG.items():
    for _module in (math, cmath):
        _enter(getattr(_module, _name), RULES[_long])
_enter(math.atan2, RULES["arctan2"])
for _name, _texts in _REAL.items():
    _enter(getattr(math, _name), _texts)
for _name, _texts in (_LIBDEVICE | {n: RULES[theirs] for n, theirs in _OF_RULES.items()}).items():
    for _end in ("", "f"):
        if _name + _end in libdevice:
            _enter(libdevice[_name + _end], _texts)
for _name in "cos exp log log2 log10 sin tan".split():
    _enter(libdevice[f"fast_{_name}f"], RULES[_name])
_enter(libdevice["fast_exp10f"], _LIBDEVICE["exp10"])
_enter(libdevice["fast_fdividef"], RULES["true_divide"])
for _mode in ("rd", "rn", "ru", "rz"):
    for _letter in "df":
        _enter(libdevice[f"{_letter}rcp_{_mode}"], RULES["reciprocal"])
        _enter(libdevice[f"{_letter}sqrt_{_mode}"], RULES["sqrt"])
    for _name in ("fma", "fmaf"):
        _enter(libdevice[f"{_name}_{_mode}"], _LIBDEVICE["fma"])
_enter(libdevice["frsqrt_rn"], _LIBDEVICE["rsqrt"])
_enter(intrinsics.fma, _LIBDEVICE["fma"])
_enter(intrinsics.cbrt, RULES["cbrt"])
_enter(intrinsics.selp, ("", "d if a else zero(d)", "zero(d) if a else d"))
_enter(cmath.phase, ("(d / a).imag",))
_enter(cmath.rect, ("rect(d, b)", f"rect(d * a, b + {math.pi / 2!r})"))
_enter(operator.neg, RULES["negative"])
_enter(operator.pos, RULES["positive"])
_enter(polygamma, RULES["polygamma"])
_enter(digamma, RULES["digamma"])
_enter(real_product, ("real_product(d, b)", "real_product(a, d)"))
_enter(libdevice["double2float_rn"], ("d",))
for _name in ("powf", "pow", "fast_powf", "powi", "powif"):
    OPERATORS[id(libdevice[_name])] = "Pow"

# abs() of complex numbers; of real ones fabs'.
ABSOLUTE = {id(abs), id(numpy.absolute)}
OF_COMPLEX = "real_product(d, a) / y if y != 0 else 0"
(OF_REAL,) = RULES["absolute"]

# What has no slope: whole numbers, truths, and what changes in steps.
_FLAT = [int, bool, round, len, range, print, zero_like, number_like, intrinsics.prange]
_FLAT += [getattr(math, n) for n in ("floor", "ceil", "trunc", "isnan", "isinf", "isfinite")]
_FLAT += [getattr(cmath, n) for n in ("isnan", "isinf", "isfinite")]
_FLAT += [getattr(numpy, n) for n, texts in RULES.items() if not any(texts) and isinstance(getattr(numpy, n, None), numpy.ufunc)]
_FLAT += [getattr(operator, n) for n in "eq ne lt le gt ge not_".split()]
_FLAT += [
    libdevice[n + end]
    for n in "ceil floor nearbyint rint round trunc".split()
    for end in ("", "f")
]  # fmt: skip
_FLAT += [
    libdevice[n]
    for n in """ilogb ilogbf logb logbf llrint llrintf llround llroundf isfinited isinfd isnand signbitd finitef isinff isnanf
    signbitf""".split()
]
_FLAT += [
    f
    for n, f in libdevice.items()
    if n.startswith(("double2int", "double2uint", "double2ll", "double2ull", "float2int", "float2uint", "float2ll"))
]
FLAT = {id(f) for f in _FLAT}
