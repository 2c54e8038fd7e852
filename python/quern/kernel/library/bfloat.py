"""cuda.bf16: functions of bfloat16, by CUDA's names and by Numba's. A row says what is returned, what is taken, CUDA's function, the
names: `a=b` are two of one function.
"""

from __future__ import annotations

from quern.kernel.intrinsics import Intrinsic
from quern.kernel.library.table import rows

_B = "bfloat16"
# What they return, what they take, CUDA's function by the first name, the functions' names.
TABLE = [
    (_B, (_B,), "{name}", "hsin hcos htanh htanh_approx hlog hlog2 hlog10 hexp hexp2 hexp10 hsqrt hrsqrt hrcp hfloor hceil hrint htrunc"),
    (_B, (_B,), "__{name}", "habs hneg"),
    (_B, (_B, _B), "__{name}", "hadd hsub hmul hdiv hadd_rn hsub_rn hmul_rn hadd_sat hsub_sat hmul_sat hmax hmin hmax_nan hmin_nan"),
    (_B, (_B, _B, _B), "__{name}", "hfma hfma_sat hfma_relu"),
    ("bool", (_B, _B), "__{name}", "heq hne hlt hle hgt hge hequ hneu hltu hleu hgtu hgeu"),
    ("bool", (_B,), "__{name}", "hisnan"),
    ("int32", (_B,), "__{name}", "hisinf"),
    ("float32", (_B,), "__{name}", "bfloat162float=bfloat16_to_float32"),
    (_B, ("float32",), "__{name}", "float2bfloat16=float32_to_bfloat16"),
    (_B, ("float64",), "__{name}", "double2bfloat16=float64_to_bfloat16"),
    ("int16", (_B,), "__{name}", "bfloat16_as_short=bfloat16_as_int16"),
    ("uint16", (_B,), "__{name}", "bfloat16_as_ushort=bfloat16_as_uint16"),
    (_B, ("int16",), "__{name}", "short_as_bfloat16=int16_as_bfloat16"),
    (_B, ("uint16",), "__{name}", "ushort_as_bfloat16=uint16_as_bfloat16"),
    ("int8", (_B,), "__{name}", "bfloat162char_rz=bfloat16_to_int8_rz"),
    ("uint8", (_B,), "__{name}", "bfloat162uchar_rz=bfloat16_to_uint8_rz"),
]
_OF_CUDA = {"short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64", "float": "float32"}
for _c, _type in _OF_CUDA.items():
    for _mode in ("rn", "rz", "rd", "ru"):
        TABLE.append((_B, (_type,), "__{name}", f"{_c}2bfloat16_{_mode}={_type}_to_bfloat16_{_mode}"))
        if _c != "float":
            TABLE.append((_type, (_B,), "__{name}", f"bfloat162{_c}_{_mode}=bfloat16_to_{_type}_{_mode}"))

functions = {}  # name -> Intrinsic

for _returned, _takes, _cuda, _words in TABLE:
    for _word in _words.split():
        _name, *_others = _word.split("=")
        _function = _cuda.replace("{name}", _name)
        _doc = f"{_name}({', '.join('abc'[: len(_takes)])}): CUDA's {_function}; takes ({', '.join(_takes)}), gives {_returned}."
        _made = Intrinsic(f"bf16.{_name}", _doc)
        functions.update(dict.fromkeys((_name, *_others), _made))
        _arguments = ", ".join(f"{{{i}}}" for i in range(len(_takes)))
        rows(_made, (f"{_returned}({', '.join(_takes)})", f"::{_function}({_arguments})"))
