"""The slopes of what functions of numbers may call: for each function an expression for each of its arguments, as Python text.

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
from quern.kernel.value import Value, cast

# ---- functions that only derivatives call

zero_like = Intrinsic("zero_like", "zero_like(x): 0 of the type of x, whatever that is; for a tuple a tuple.")
number_like = Intrinsic("number_like", "number_like(n, x, ...): the number n in the type of the others' arithmetic.")
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
NAMES = {"np": numpy, "math": math, "polygamma": polygamma, "real_product": real_product, "zero": zero_like, "rect": cmath.rect}

# ---- the table

_ROOT_PI = repr(math.sqrt(math.pi))
# By NumPy's name: of one argument, also of complex numbers.
ONE = {
    "sqrt": "d / (y + y)",
    "exp": "d * y",
    "exp2": f"d * y * {math.log(2)!r}",
    "expm1": "d * (y + 1)",
    "log": "d / a",
    "log2": f"d / (a * {math.log(2)!r})",
    "log10": f"d / (a * {math.log(10)!r})",
    "log1p": "d / (a + 1)",
    "sin": "d * np.cos(a)",
    "cos": "-d * np.sin(a)",
    "tan": "d * (1 + y * y)",
    "arcsin": "d / np.sqrt(1 - a * a)",
    "arccos": "-d / np.sqrt(1 - a * a)",
    "arctan": "d / (1 + a * a)",
    "sinh": "d * np.cosh(a)",
    "cosh": "d * np.sinh(a)",
    "tanh": "d * (1 - y * y)",
    "arcsinh": "d / np.sqrt(a * a + 1)",
    "arccosh": "d / (np.sqrt(a - 1) * np.sqrt(a + 1))",
    "arctanh": "d / (1 - a * a)",
    "cbrt": "d / (3 * y * y)",
    "fabs": "d if a > 0 else (-d if a < 0 else 0)",
    "degrees": f"d * {180 / math.pi!r}",
    "rad2deg": f"d * {180 / math.pi!r}",
    "radians": f"d * {math.pi / 180!r}",
    "deg2rad": f"d * {math.pi / 180!r}",
    "square": "(d + d) * a",
    "negative": "-d",
    "conjugate": "np.conjugate(d)",
}
_LONG = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
# Of two arguments; "" where none passes.
TWO = {
    "arctan2": ("d * b / (a * a + b * b)", "-d * a / (a * a + b * b)"),
    "hypot": ("d * (a / y)", "d * (b / y)"),
    "copysign": ("0 if a == 0 else d * (y / a)", ""),
    "fmod": ("d", "-d * np.trunc(a / b)"),
    "maximum": ("d if a > b or a != a else (d / 2 if a == b else 0)", "d if b > a or b != b else (d / 2 if a == b else 0)"),
    "minimum": ("d if a < b or a != a else (d / 2 if a == b else 0)", "d if b < a or b != b else (d / 2 if a == b else 0)"),
    "fmax": ("d if a >= b or b != b else 0", "0 if a >= b or b != b else d"),
    "fmin": ("d if a <= b or b != b else 0", "0 if a <= b or b != b else d"),
}
# Of math and of libdevice, of real numbers.
_REAL = {
    "erf": (f"d * (2 / {_ROOT_PI}) * np.exp(-(a * a))",),
    "erfc": (f"-d * (2 / {_ROOT_PI}) * np.exp(-(a * a))",),
    "gamma": ("d * y * polygamma(0, a)",),
    "lgamma": ("d * polygamma(0, a)",),
    "remainder": ("d", "-d * np.rint(a / b)"),
    "ldexp": ("math.ldexp(d, b)", ""),
}
_LIBDEVICE = {
    **_REAL,
    "tgamma": _REAL["gamma"],
    "scalbn": _REAL["ldexp"],
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
    "fast_fdividef": ("d / b", "-d * y / b"),
    "saturatef": ("d if a > 0 and a < 1 else 0",),
}
_SAME = {  # libdevice's name -> NumPy's
    **{n: n for n in "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt fabs".split()},
    **_LONG,
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


for _name, _text in ONE.items():
    for _module in (numpy, math, cmath):
        if hasattr(_module, _name):
            _enter(getattr(_module, _name), (_text,))
for _name, _long in _LONG.items():
    for _module in (math, cmath):
        _enter(getattr(_module, _name), (ONE[_long],))
for _name, _texts in TWO.items():
    for _module in (numpy, math):
        if hasattr(_module, _name):
            _enter(getattr(_module, _name), _texts)
_enter(math.atan2, TWO["arctan2"])
for _name, _texts in _REAL.items():
    _enter(getattr(math, _name), _texts)
for _name, _texts in {
    **_LIBDEVICE,
    **{n: (ONE[theirs],) for n, theirs in _SAME.items()},
    **{n: TWO[theirs] for n, theirs in {"atan2": "arctan2", "copysign": "copysign", "hypot": "hypot", "fmod": "fmod", "fmax": "fmax",
                                       "fmin": "fmin"}.items()},
}.items():  # fmt: skip
    for _end in ("", "f"):
        if _name + _end in libdevice:
            _enter(libdevice[_name + _end], _texts)
for _name in "cos exp log log2 log10 sin tan".split():
    _enter(libdevice[f"fast_{_name}f"], (ONE[_name],))
_enter(libdevice["fast_exp10f"], _LIBDEVICE["exp10"])
for _mode in ("rd", "rn", "ru", "rz"):
    for _letter in "df":
        _enter(libdevice[f"{_letter}rcp_{_mode}"], ("-d * y * y",))
        _enter(libdevice[f"{_letter}sqrt_{_mode}"], (ONE["sqrt"],))
    for _name in ("fma", "fmaf"):
        _enter(libdevice[f"{_name}_{_mode}"], _LIBDEVICE["fma"])
_enter(libdevice["frsqrt_rn"], _LIBDEVICE["rsqrt"])
_enter(intrinsics.fma, _LIBDEVICE["fma"])
_enter(intrinsics.cbrt, (ONE["cbrt"],))
_enter(intrinsics.selp, ("", "d if a else zero(d)", "zero(d) if a else d"))
_enter(cmath.phase, ("(d / a).imag",))
_enter(cmath.rect, ("rect(d, b)", f"rect(d * a, b + {math.pi / 2!r})"))
_enter(operator.neg, ("-d",))
_enter(operator.pos, ("d",))
_enter(polygamma, ("", "d * polygamma(a + 1, b)"))
_enter(real_product, ("real_product(d, b)", "real_product(a, d)"))
_enter(libdevice["double2float_rn"], ("d",))
for _name in ("powf", "pow", "fast_powf", "powi", "powif"):
    OPERATORS[id(libdevice[_name])] = "Pow"

# abs() of complex numbers; of real ones fabs'.
ABSOLUTE = {id(abs), id(numpy.absolute)}
OF_COMPLEX = "real_product(d, a) / y if y != 0 else 0"
OF_REAL = ONE["fabs"]

# What has no slope: whole numbers, truths, and what changes in steps.
_FLAT = [int, bool, round, len, range, print, zero_like, number_like, intrinsics.prange]
_FLAT += [getattr(math, n) for n in ("floor", "ceil", "trunc", "isnan", "isinf", "isfinite")]
_FLAT += [getattr(cmath, n) for n in ("isnan", "isinf", "isfinite")]
_FLAT += [
    getattr(numpy, n)
    for n in """floor ceil trunc rint isnan isinf isfinite equal not_equal less less_equal greater greater_equal logical_and logical_or
    logical_xor logical_not""".split()
]
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
