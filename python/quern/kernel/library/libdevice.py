"""libdevice: CUDA's mathematical functions and intrinsics by NVIDIA's names. A row says for which functions it is, what they take and
return, and their text; the objects and their docstrings are made of the rows.

In a text {name} is the function's name, {fast} the one behind "fast_", {0} {1} {2} are the arguments. Functions that
give more than one number take pointers in C++: `{&}` are the addresses of what comes after the first of the types that are returned, or
of all of them where the text begins with "void ".
"""

from __future__ import annotations

from quern.kernel import types
from quern.kernel.intrinsics import Intrinsic
from quern.kernel.library.table import chosen, entry, rows
from quern.kernel.value import Value

_MODES = ("rd", "rn", "ru", "rz")


def _modes(*stems):
    return " ".join(f"{stem}_{mode}" for stem in stems for mode in _MODES)


# What they return, what they take, the text, the functions' names.
TABLE = [
    # Functions of reals: double, then float.
    ("float64", "float64", "::{name}({0})",
     "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs floor j0 j1 lgamma "
     "log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1"),
    ("float32", "float32", "::{name}({0})",
     "acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf cospif erfcf erfcinvf erfcxf erff erfinvf exp10f exp2f expf expm1f "
     "fabsf floorf j0f j1f lgammaf log10f log1pf log2f logbf logf nearbyintf normcdff normcdfinvf rcbrtf rintf roundf rsqrtf sinf "
     "sinhf sinpif sqrtf tanf tanhf tgammaf truncf y0f y1f"),
    ("float64", "float64 float64", "::{name}({0}, {1})", "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"),
    ("float32", "float32 float32", "::{name}({0}, {1})",
     "atan2f copysignf fdimf fmaxf fminf fmodf hypotf nextafterf powf remainderf"),
    ("float64", "float64 float64 float64", "::{name}({0}, {1}, {2})", "fma"),
    ("float32", "float32 float32 float32", "::{name}({0}, {1}, {2})", "fmaf"),
    ("float64", "int32 float64", "::{name}({0}, {1})", "jn yn"),
    ("float32", "int32 float32", "::{name}({0}, {1})", "jnf ynf"),
    ("float64", "float64 int32", "::{name}({0}, {1})", "ldexp scalbn"),
    ("float32", "float32 int32", "::{name}({0}, {1})", "ldexpf scalbnf"),
    ("float64", "float64 int32", "::pow({0}, {1})", "powi"),
    ("float32", "float32 int32", "static_cast<float>(::pow(static_cast<double>({0}), {1}))", "powif"),
    ("int32", "float64", "::{name}({0})", "ilogb"),
    ("int32", "float32", "::{name}({0})", "ilogbf"),
    ("int64", "float64", "::{name}({0})", "llrint llround"),
    ("int64", "float32", "::{name}({0})", "llrintf llroundf"),
    ("int32", "float64", "static_cast<int>(::isfinite({0}))", "isfinited"),
    ("int32", "float64", "static_cast<int>(::isinf({0}))", "isinfd"),
    ("int32", "float64", "static_cast<int>(::isnan({0}))", "isnand"),
    ("int32", "float64", "static_cast<int>(::signbit({0}))", "signbitd"),
    ("int32", "float32", "static_cast<int>(::isfinite({0}))", "finitef"),
    ("int32", "float32", "static_cast<int>(::isinf({0}))", "isinff"),
    ("int32", "float32", "static_cast<int>(::isnan({0}))", "isnanf"),
    ("int32", "float32", "static_cast<int>(::signbit({0}))", "signbitf"),
    # More than one result.
    ("float64 int32", "float64", "::frexp({0}, {&})", "frexp"),
    ("float32 int32", "float32", "::frexpf({0}, {&})", "frexpf"),
    ("float64 float64", "float64", "::modf({0}, {&})", "modf"),
    ("float32 float32", "float32", "::modff({0}, {&})", "modff"),
    ("float64 int32", "float64 float64", "::remquo({0}, {1}, {&})", "remquo"),
    ("float32 int32", "float32 float32", "::remquof({0}, {1}, {&})", "remquof"),
    ("float64 float64", "float64", "void ::{name}({0}, {&})", "sincos sincospi"),
    ("float32 float32", "float32", "void ::{name}({0}, {&})", "sincosf sincospif"),
    ("float32 float32", "float32", "void ::__sincosf({0}, {&})", "fast_sincosf"),
    # Fast and less exact.
    ("float32", "float32", "::__{fast}({0})", "fast_cosf fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf"),
    ("float32", "float32 float32", "::__{fast}({0}, {1})", "fast_fdividef fast_powf"),
    ("float32", "float32", "::__{name}({0})", "saturatef"),
    # Arithmetic that rounds in a given direction.
    ("float64", "float64", "::__{name}({0})", _modes("drcp", "dsqrt")),
    ("float32", "float32", "::__{name}({0})", _modes("frcp", "fsqrt") + " frsqrt_rn"),
    ("float64", "float64 float64", "::__{name}({0}, {1})", _modes("dadd", "ddiv", "dmul")),
    ("float32", "float32 float32", "::__{name}({0}, {1})", _modes("fadd", "fdiv", "fmul", "fsub")),
    ("float64", "float64 float64 float64", "::__{name}({0}, {1}, {2})", _modes("fma")),
    ("float32", "float32 float32 float32", "::__{name}({0}, {1}, {2})", _modes("fmaf")),
    # Conversions.
    ("int32", "float64", "::__{name}({0})", _modes("double2int") + " double2hiint double2loint"),
    ("int32", "float64", "static_cast<int>(::__{name}({0}))", _modes("double2uint")),
    ("int64", "float64", "::__{name}({0})", _modes("double2ll") + " double_as_longlong"),
    ("int64", "float64", "static_cast<long long>(::__{name}({0}))", _modes("double2ull")),
    ("float32", "float64", "::__{name}({0})", _modes("double2float")),
    ("int32", "float32", "::__{name}({0})", _modes("float2int") + " float_as_int"),
    ("int32", "float32", "static_cast<int>(::__{name}({0}))", _modes("float2uint")),
    ("int64", "float32", "::__{name}({0})", _modes("float2ll")),
    ("int64", "float32", "static_cast<long long>(::__{name}({0}))", _modes("float2ull")),
    ("float32", "int32", "::__{name}({0})", _modes("int2float") + " int_as_float"),
    ("float32", "int32", "::__{name}(static_cast<unsigned int>({0}))", _modes("uint2float")),
    ("float32", "int64", "::__{name}({0})", _modes("ll2float")),
    ("float32", "int64", "::__{name}(static_cast<unsigned long long>({0}))", _modes("ull2float")),
    ("float64", "int64", "::__{name}({0})", _modes("ll2double") + " longlong_as_double"),
    ("float64", "int64", "::__{name}(static_cast<unsigned long long>({0}))", _modes("ull2double")),
    ("float64", "int32", "::__{name}({0})", "int2double_rn"),
    ("float64", "int32", "::__{name}(static_cast<unsigned int>({0}))", "uint2double_rn"),
    ("float64", "int32 int32", "::__{name}({0}, {1})", "hiloint2double"),
    ("int16", "float32", "static_cast<short>(op::float16({0}).__x)", "float2half_rn"),
    ("float32", "int16", "static_cast<float>(of_bits<op::float16>(static_cast<unsigned short>({0})))", "half2float"),
    # Integers. Those without a sign take and give the bits of ones with a sign.
    ("int32", "int32", "::abs({0})", "abs"),
    ("int64", "int64", "::llabs({0})", "llabs"),
    ("int32", "int32 int32", "::{name}({0}, {1})", "max min"),
    ("int64", "int64 int64", "::max({0}, {1})", "llmax"),
    ("int64", "int64 int64", "::min({0}, {1})", "llmin"),
    *[("int32", "int32 int32", f"static_cast<int>(::{f}(static_cast<unsigned int>({{0}}), static_cast<unsigned int>({{1}})))", f"u{f}")
      for f in ("max", "min")],
    *[("int64", "int64 int64",
       f"static_cast<long long>(::{f}(static_cast<unsigned long long>({{0}}), static_cast<unsigned long long>({{1}})))", f"ull{f}")
      for f in ("max", "min")],
    ("int32", "int32", "static_cast<int>(::__{name}({0}))", "brev clz ffs popc"),
    ("int32", "int64", "::__{name}({0})", "clzll ffsll popcll"),
    ("int64", "int64", "static_cast<long long>(::__{name}({0}))", "brevll"),
    ("int32", "int32 int32", "static_cast<int>(::__{name}({0}, {1}))", "hadd mul24 mulhi rhadd uhadd umul24 umulhi urhadd"),
    ("int64", "int64 int64", "static_cast<long long>(::__{name}({0}, {1}))", "mul64hi umul64hi"),
    ("int32", "int32 int32 int32", "static_cast<int>(::__{name}({0}, {1}, {2}))", "byte_perm sad usad"),
]  # fmt: skip

functions = {}  # name -> Intrinsic


def _parameters(taken):
    return ", ".join("xyz"[: len(taken)])


def _entered(name, returned, taken, text):
    given = f"({', '.join(returned)})" if len(returned) > 1 else returned[0]
    function = functions[name] = Intrinsic(
        f"libdevice.{name}",
        f"{name}({_parameters(taken)}): CUDA's function of this name, on ({', '.join(taken)}); gives {given}.",
    )
    fast = name.removeprefix("fast_")
    text = text.replace("{name}", name).replace("{fast}", fast)
    if len(returned) == 1:
        rows(function, (f"{returned[0]}({', '.join(taken)})", text))
    else:
        _several(function, [types.of_name(r) for r in returned], [types.of_name(t) for t in taken], text)


def _several(function, returned, taken, text):
    is_void = text.startswith("void ")

    @entry(function)
    def compile_call(compiler, arguments, named, node):
        _, texts = chosen(compiler, function, [taken], arguments, named, node)
        names = []
        for type_ in returned if is_void else returned[1:]:
            names.append(compiler.temporary("got"))
            compiler.head.append(f"{type_.c} {names[-1]}{{}};")
        made = text.removeprefix("void ").replace("{&}", ", ".join("&" + n for n in names)).format(*texts)
        values = [Value(t, n) for t, n in zip(returned[-len(names) :], names, strict=True)]
        if is_void:
            compiler.emit(f"{made};")
        else:
            values.insert(0, compiler.kept(Value(returned[0], made)))
        return compiler.tuple_of(values)


for _returned, _taken, _text, _names in TABLE:
    for _name in _names.split():
        _entered(_name, _returned.split(), _taken.split(), _text)
