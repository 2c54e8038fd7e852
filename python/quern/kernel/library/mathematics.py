"""math, cmath and NumPy's ufuncs: functions of numbers, by the device functions of arrays (core/elements/quern/array.cuh).

Integers become float64 (for NumPy's functions float32, where they have up to 16 bits); float32 stays what it is; cmath's functions
and NumPy's take complex numbers.
"""

from __future__ import annotations

import ast
import cmath
import math
import operator

import numpy

from quern.kernel import operators, times, types
from quern.kernel.errors import TypingError
from quern.kernel.library.table import entry, rows
from quern.kernel.value import Value, cast

# Functions of one number, by the prelude's name: whether complex numbers have them.
ONE = {
    "sqrt": True, "exp": True, "log": True, "log2": True, "log10": True, "sin": True, "cos": True, "tan": True, "arcsin": True,
    "arccos": True, "arctan": True, "sinh": True, "cosh": True, "tanh": True, "arcsinh": True, "arccosh": True, "arctanh": True,
    "exp2": True, "expm1": True, "log1p": True, "cbrt": False, "fabs": False, "degrees": False, "radians": False,
    "spacing": False,
}  # fmt: skip
MATH_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
}  # fmt: skip
TWO = {
    "arctan2": "arctan2", "hypot": "hypot", "copysign": "copysign", "nextafter": "nextafter", "fmod": "fmod",
    "logaddexp": "logaddexp", "logaddexp2": "logaddexp2", "heaviside": "heaviside",
}  # fmt: skip


def _for_numpy(t):
    """As what NumPy's functions of reals take a number, in Numba."""
    return types.float32 if isinstance(t, (types.Integer, types.Boolean)) and t.bits <= 16 else operators.real_for(t)


def _complex_for(t):
    if isinstance(t, types.Complex):
        return t
    return types.complex64 if t == types.float32 else types.complex128


def _one(text, takes_complex, work=operators.real_for):
    def compile_call(compiler, arguments, named, node):
        value = compiler.number(arguments[0], node)
        if isinstance(value.type, types.Complex) and not takes_complex:
            raise compiler.error(TypingError, node, f"it does not take {value.type}")
        value = cast(value, work(value.type))
        return Value(value.type, f"op::{text}({value.text})")

    return compile_call


def _beside_float32(t):
    """Of the functions of `math`: an integer that a float32 holds leaves the other argument a float32."""
    return types.float32 if isinstance(t, (types.Integer, types.Boolean)) and t.bits <= 16 and t != types.uint16 else operators.real_for(t)


def _two(text, work=operators.real_for):
    def compile_call(compiler, arguments, named, node):
        values = [compiler.number(a, node) for a in arguments]
        has_float32 = work is operators.real_for and any(v.type == types.float32 for v in values)
        to = types.common_real(*((_beside_float32 if has_float32 else work)(v.type) for v in values))
        if isinstance(to, types.Complex):
            raise compiler.error(TypingError, node, f"it does not take {to}")
        if text == "power" and isinstance(values[1].type, types.Integer):
            to = types.float64  # of whole exponents Numba knows powers of doubles alone
        return Value(to, f"op::{text}({cast(values[0], to).text}, {cast(values[1], to).text})")

    return compile_call


for _name, _complex in ONE.items():
    if hasattr(numpy, _name):
        entry(getattr(numpy, _name), takes=1)(_one(_name, _complex, _for_numpy))
    if hasattr(math, _name):
        entry(getattr(math, _name), takes=1)(_one(_name, False))
    if hasattr(cmath, _name):
        entry(getattr(cmath, _name), takes=1)(_one(_name, True, _complex_for))
for _name, _text in MATH_NAMES.items():
    entry(getattr(math, _name), takes=1)(_one(_text, False))
    entry(getattr(cmath, _name), takes=1)(_one(_text, True, _complex_for))
for _name, _text in TWO.items():
    if hasattr(math, _name):  # of copysign Numba knows no integers: small ones are float32
        entry(getattr(math, _name), takes=2)(_two(_text, _beside_float32 if _name == "copysign" else operators.real_for))
    if hasattr(numpy, _name):
        entry(getattr(numpy, _name), takes=2)(_two(_text, _for_numpy))
entry(math.atan2, takes=2)(_two("arctan2"))
entry(numpy.deg2rad, takes=1)(_one("radians", False, _for_numpy))
entry(numpy.rad2deg, takes=1)(_one("degrees", False, _for_numpy))

for _name in ("erf", "erfc", "gamma", "lgamma"):
    _c = {"gamma": "tgamma"}.get(_name, _name)
    rows(
        getattr(math, _name),
        ("float64(int64)", f"::{_c}(static_cast<double>({{0}}))"),
        ("float32(float32)", f"::{_c}f({{0}})"),
        ("float64(float64)", f"::{_c}({{0}})"),
    )


rows(
    math.remainder,
    ("float64(int64, int64)", "::remainder(static_cast<double>({0}), static_cast<double>({1}))"),
    ("float32(float32, float32)", "::remainderf({0}, {1})"),
    ("float64(float64, float64)", "::remainder({0}, {1})"),
)
rows(
    math.ldexp,
    ("float64(int64, int32)", "op::ldexp_of(static_cast<double>({0}), {1})"),
    *[(f"{t}({t}, int32)", "op::ldexp_of({0}, {1})") for t in ("float32", "float64")],
)


rows(numpy.ldexp, *[(f"{t}({t}, int32)", "op::ldexp_of({0}, {1})") for t in ("float32", "float64")])


@entry(math.frexp, takes=1)
def call_frexp(compiler, arguments, named, node):
    value = _real(compiler, arguments, node)
    exponent = compiler.temporary("exponent")
    compiler.head.append(f"int {exponent} = 0;")
    fraction = compiler.kept(Value(value.type, f"op::frexp_of({value.text}, &{exponent})"))
    return compiler.tuple_of([fraction, Value(types.int32, exponent)])


@entry(math.modf, takes=1)
def call_modf(compiler, arguments, named, node):
    value = _real(compiler, arguments, node)
    whole = compiler.temporary("whole")
    compiler.head.append(f"{value.type.c} {whole} = 0;")
    fraction = compiler.kept(Value(value.type, f"::modf({value.text}, &{whole})"))
    return compiler.tuple_of([fraction, Value(value.type, whole)])


def _real(compiler, arguments, node):
    """One number, as float32 or float64."""
    value = compiler.number(arguments[0], node)
    if isinstance(value.type, types.Complex):
        raise compiler.error(TypingError, node, f"it does not take {value.type}")
    return cast(value, types.float32 if value.type in (*types.HALVES, types.float32) else types.float64)


def _rounding(text):
    """Integers stay. Of a number with a fraction the type stays in kernels, as in Numba's; functions for the host give an integer."""

    def compile_call(compiler, arguments, named, node):
        value = compiler.number(arguments[0], node)
        if isinstance(value.type, types.Complex):
            raise compiler.error(TypingError, node, f"it does not take {value.type}")
        if isinstance(value.type, types.Integer):
            return value if compiler.program.kernel.is_kernel else cast(value, operators.wide(value.type))
        made = f"op::{text}({value.text})"
        return Value(value.type, made) if compiler.program.kernel.is_kernel else Value(types.int64, f"cast<long long>({made})")

    return compile_call


for _name in ("floor", "ceil", "trunc"):
    entry(getattr(math, _name), takes=1)(_rounding(_name))

def _rounding_of_numpy(text):
    """Of integers it gives them as they are."""
    of_reals = _one(text, False, _for_numpy)

    def compile_call(compiler, arguments, named, node):
        value = compiler.number(arguments[0], node)
        if isinstance(value.type, (types.Integer, types.Boolean)):
            return value
        return of_reals(compiler, [value], named, node)

    return compile_call


for _name in ("floor", "ceil", "trunc"):
    entry(getattr(numpy, _name), takes=1)(_rounding_of_numpy(_name))
entry(numpy.rint, takes=1)(_one("rint", False, _for_numpy))


_POWER = _two("power")


@entry(math.pow, takes=2)
def call_power(compiler, arguments, named, node):
    """0 to the power of a negative integer is an error under each error model, as in Numba."""
    base, exponent = (compiler.number(a, node) for a in arguments)
    if isinstance(base.type, (types.Integer, types.Boolean)):
        base = cast(base, types.float64)
    return _POWER(compiler, compiler.base(base, exponent, may_divide=False), named, node)


def _test(text):
    def compile_call(compiler, arguments, named, node):
        value = compiler.number(arguments[0], node)
        return Value(types.boolean, f"op::{text}({cast(value, operators.real_for(value.type)).text})")

    return compile_call


for _name, _text in {"isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}.items():
    for _module in (math, cmath, numpy):
        entry(getattr(_module, _name), takes=1)(_test(_text))


def _of_times(arguments):
    return any(isinstance(a.type, types.Time) for a in arguments)


def _operator(node_type, is_numpys=False):
    def compile_call(compiler, arguments, named, node):
        left, right = arguments
        if _of_times(arguments):
            return times.binary(node_type, left, right, compiler.failing(node))
        if not is_numpys:
            left, right = compiler.base(left, right) if node_type is ast.Pow else (left, compiler.divisor(node_type, left, right, node))
        return operators.binary(node_type, left, right, compiler.failing(node))

    return compile_call


def _arithmetic(name, of_reals):
    """NumPy's: integers stay in their own type, which operators of Python's make 64 bits."""

    def compile_call(compiler, arguments, named, node):
        if _of_times(arguments):
            return of_reals(compiler, arguments, named, node)
        values = [compiler.number(a, node) for a in arguments]
        to = types.unified(values[0].type, values[1].type)
        if name == "true_divide" or not isinstance(to, (types.Integer, types.Boolean)):
            if isinstance(to, types.Float):  # of int64 and uint64
                values = [cast(v, to) for v in values]
            return of_reals(compiler, values, named, node)
        if isinstance(to, types.Boolean) and name == "subtract":
            raise compiler.error(TypingError, node, "numpy boolean subtract, the `-` operator, is not supported", "write numpy.logical_xor")
        if isinstance(to, types.Boolean) and name in ("add", "multiply"):
            return Value(to, f"({values[0].text} {'||' if name == 'add' else '&&'} {values[1].text})")
        to = types.int8 if isinstance(to, types.Boolean) else to
        return Value(to, f"op::{name}({cast(values[0], to).text}, {cast(values[1], to).text})")

    return compile_call


_QUOTIENT = _arithmetic("floor_divide", _operator(ast.FloorDiv, True))
_REMAINDER = _arithmetic("remainder", _operator(ast.Mod, True))


@entry(numpy.divmod, takes=2)
def call_numpy_divmod(compiler, arguments, named, node):
    operands = [compiler.kept(compiler.number(a, node)) for a in arguments]
    return compiler.tuple_of([compute(compiler, operands, {}, node) for compute in (_QUOTIENT, _REMAINDER)])


def _comparison(node_type, is_numpys=False):
    def compile_call(compiler, arguments, named, node):
        if all(isinstance(a.type, types.Time) for a in arguments):
            return times.compare(node_type, *arguments, compiler.failing(node))
        return operators.compare(node_type, arguments[0], arguments[1], compiler.failing(node), is_numpys)

    return compile_call


_WORDS = {"and_": "iand", "or_": "ior"}  # of `&=`; the others are named with an i before
for _node, (_, _name, _function) in operators.BINARY.items():
    entry(_function, getattr(operator, _WORDS.get(_function.__name__, "i" + _function.__name__)), takes=2)(_operator(_node))
    if hasattr(numpy, _name):
        entry(getattr(numpy, _name), takes=2)(_arithmetic(_name, _operator(_node, True)))
entry(numpy.fmod, takes=2)(_arithmetic("fmod", _two("fmod", _for_numpy)))
for _node, (_symbol, _, _function) in operators.COMPARE.items():
    entry(_function, takes=2)(_comparison(_node))
for _name, _node in {
    "equal": ast.Eq, "not_equal": ast.NotEq, "less": ast.Lt, "less_equal": ast.LtE, "greater": ast.Gt, "greater_equal": ast.GtE,
}.items():  # fmt: skip
    entry(getattr(numpy, _name), takes=2)(_comparison(_node, True))


def _extreme(text):
    def compile_call(compiler, arguments, named, node):
        if _of_times(arguments):
            return times.chosen(text, arguments, compiler.failing(node))
        values = [compiler.number(a, node) for a in arguments]
        to = types.unified(values[0].type, values[1].type)
        return Value(to, f"op::{text}({cast(values[0], to).text}, {cast(values[1], to).text})")

    return compile_call


for _name in ("maximum", "minimum", "fmax", "fmin"):
    entry(getattr(numpy, _name), takes=2)(_extreme(_name))


def _bits(text, count):
    """In the operands' own type, as NumPy has it."""

    def compile_call(compiler, arguments, named, node):
        values = [compiler.number(a, node) for a in arguments]
        if not all(isinstance(v.type, (types.Integer, types.Boolean)) for v in values):
            raise compiler.error(TypingError, node, f"it takes integers, not {' and '.join(str(v.type) for v in values)}")
        to = values[0].type if count == 1 else types.unified(values[0].type, values[1].type)
        if isinstance(to, types.Float):
            raise compiler.error(TypingError, node, f"there is no integer type for {values[0].type} and {values[1].type}")
        if text.endswith("shift") and isinstance(to, types.Boolean):
            to = types.int8
        return Value(to, f"op::{text}({', '.join(cast(v, to).text for v in values)})")

    return compile_call


for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
    entry(getattr(numpy, _name), takes=2)(_bits(_name, 2))
entry(numpy.invert, takes=1)(_bits("invert", 1))  # which bitwise_not is, too
for _name in ("gcd", "lcm"):
    entry(getattr(numpy, _name), takes=2)(_bits(_name, 2))
    rows(getattr(math, _name), ("int64(int64, int64)", f"op::{_name}({{0}}, {{1}})"))


def _logical(text):
    def compile_call(compiler, arguments, named, node):
        tests = [operators.truth(compiler.number(a, node), compiler.failing(node)).text for a in arguments]
        return Value(types.boolean, text.format(*tests))

    return compile_call


entry(numpy.logical_and, takes=2)(_logical("({0} && {1})"))
entry(numpy.logical_or, takes=2)(_logical("({0} || {1})"))
entry(numpy.logical_xor, takes=2)(_logical("({0} != {1})"))
entry(numpy.logical_not, takes=1)(_logical("(!{0})"))


def _unary(node_type):
    def compile_call(compiler, arguments, named, node):
        return operators.unary(node_type, arguments[0], compiler.failing(node))

    return compile_call


entry(operator.neg, takes=1)(_unary(ast.USub))


@entry(numpy.negative, takes=1)
def call_negative(compiler, arguments, named, node):
    """Integers stay in their own type, which the operator makes 64 bits."""
    made = _unary(ast.USub)(compiler, arguments, named, node)
    own = types.int8 if isinstance(arguments[0].type, types.Boolean) else arguments[0].type
    return cast(made, own) if isinstance(own, types.Integer) else made


entry(operator.pos, takes=1)(_unary(ast.UAdd))
entry(operator.invert, operator.inv, takes=1)(_unary(ast.Invert))
entry(operator.not_, takes=1)(_unary(ast.Not))


# ---- complex numbers


@entry(cmath.exp, takes=1)
def call_complex_exp(compiler, arguments, named, node):
    z = _complex(compiler, arguments, node)
    # Where the angle means nothing, Python's zeros have no sign.
    vanishes = f"{z.text}.re < 0 && {z.text}.re + {z.text}.re == {z.text}.re && {z.text}.im - {z.text}.im != 0"
    return Value(z.type, f"({vanishes} ? {z.type.c}(0, 0) : op::exp({z.text}))")


_log = _one("log", True, _complex_for)


@entry(cmath.log, takes=(1, 2))
def call_complex_log(compiler, arguments, named, node):
    logs = [_log(compiler, [a], {}, node) for a in arguments]
    return logs[0] if len(logs) == 1 else operators.binary(ast.Div, *logs, compiler.failing(node))


@entry(cmath.phase, takes=1)
def call_phase(compiler, arguments, named, node):
    value = _complex(compiler, arguments, node)
    return Value(value.type.part, f"op::arctan2({value.text}.im, {value.text}.re)")


@entry(cmath.polar, takes=1)
def call_polar(compiler, arguments, named, node):
    value = _complex(compiler, arguments, node)
    part = value.type.part
    return compiler.tuple_of([Value(part, f"op::absolute({value.text})"), Value(part, f"op::arctan2({value.text}.im, {value.text}.re)")])


def _complex(compiler, arguments, node):
    value = compiler.number(arguments[0], node)
    return compiler.kept(Value(_complex_for(value.type), cast(value, _complex_for(value.type)).text))


@entry(cmath.rect, takes=2)
def call_rect(compiler, arguments, named, node):
    values = [compiler.number(a, node) for a in arguments]
    part = types.float32 if all(v.type == types.float32 for v in values) else types.float64
    if any(isinstance(v.type, types.Complex) for v in values):
        raise compiler.error(TypingError, node, "the length and the angle must be real")
    to = types.complex64 if part == types.float32 else types.complex128
    return Value(to, f"quern::polar<{part.c}>({cast(values[0], part).text}, {cast(values[1], part).text})")


def _in_its_type(text, takes_bools=True):
    def compile_call(compiler, arguments, named, node):
        value = compiler.number(arguments[0], node)
        if isinstance(value.type, types.Boolean) and not takes_bools:
            raise compiler.error(TypingError, node, f"it does not take {value.type}", "convert it to an integer")
        return Value(value.type, text.format(value.text))

    return compile_call


for _name in ("square", "conjugate"):
    entry(getattr(numpy, _name), takes=1)(_in_its_type(f"op::{_name}({{0}})"))
for _name in ("sign", "reciprocal"):
    entry(getattr(numpy, _name), takes=1)(_in_its_type(f"op::{_name}({{0}})", False))
entry(numpy.positive, takes=1)(_in_its_type("{0}", False))


@entry(numpy.signbit, takes=1)
def call_signbit(compiler, arguments, named, node):
    value = compiler.number(arguments[0], node)
    if isinstance(value.type, types.Complex):
        raise compiler.error(TypingError, node, f"it does not take {value.type}")
    return Value(types.boolean, f"op::signbit({cast(value, _for_numpy(value.type)).text})")


@entry(numpy.float_power, takes=2)
def call_float_power(compiler, arguments, named, node):
    values = [compiler.number(a, node) for a in arguments]
    to = types.complex128 if any(isinstance(v.type, types.Complex) for v in values) else types.float64
    return Value(to, f"op::power({cast(values[0], to).text}, {cast(values[1], to).text})")
