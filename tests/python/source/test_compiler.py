"""SourceModule's text is written for nvcc: what nvcc's own headers give is there, and lines stay the user's."""

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule, compile

F, D = np.finfo(np.float32), np.finfo(np.float64)
# Without any #include: C's headers, in double.
C_VALUES = {
    "INFINITY": np.inf,
    "-INFINITY": -np.inf,
    "NAN": np.nan,
    "HUGE_VAL": np.inf,
    "M_PI": np.pi,
    "M_SQRT1_2": np.sqrt(0.5),
    "FLT_MAX": F.max,
    "FLT_EPSILON": F.eps,
    "FLT_MIN": F.tiny,
    "DBL_MAX": D.max,
    "DBL_EPSILON": D.eps,
    "CUDART_INF_F": np.inf,
    "CUDART_PI": np.pi,
    "INT_MAX": 2**31 - 1,
    "INT_MIN": -(2**31),
    "UINT_MAX": 2**32 - 1,
    "LLONG_MAX": 2**63 - 1,
    "CHAR_BIT": 8,
    "RAND_MAX": 2**31 - 1,
    "sizeof(int8_t)": 1,
    "sizeof(int64_t)": 8,
    "(u_int32_t)-1": 2**32 - 1,
    "sizeof(ulong)": 8,
    "isinf(INFINITY)": 1,
    "isnan(1.0f)": 0,
    "sizeof(size_t)": 8,
}
# And C++'s.
STD_VALUES = {"std::sqrt(2.0)": np.sqrt(2), "std::abs(-1.5f)": 1.5, "std::is_same<int, int>::value": 1, "std::isnan(NAN)": 1}


@pytest.mark.parametrize("values", [C_VALUES, STD_VALUES], ids=["C", "C++"])
def test_what_nvcc_includes(device, values):
    lines = "".join(f"    o[{i}] = (double)({v});\n" for i, v in enumerate(values))
    f = SourceModule(f"__global__ void f(double* o)\n{{\n{lines}}}\n").get_function("f")
    out = np.zeros(len(values))
    f(drv.Out(out), block=(1, 1, 1))
    np.testing.assert_allclose(out, np.array(list(values.values()), np.float64), rtol=1e-15)


def test_a_text_may_include_and_define_the_same(device):
    f = SourceModule("""
#include <cfloat>
#include <limits.h>
#include <math.h>
#include <math_constants.h>
#include <stdint.h>
#define M_PI 3.0f
typedef long int64_t;
typedef unsigned long ulong;
__global__ void f(float* o) { o[0] = M_PI; o[1] = FLT_MAX; o[2] = (int64_t)4 + (uint32_t)INT_MAX * 0u; }
""").get_function("f")
    out = np.zeros(3, np.float32)
    f(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [3, F.max, 4]


def test_names_that_nvcc_leaves_to_the_text(device):
    f = SourceModule(
        "typedef unsigned long long uint64_t;\ntypedef unsigned char uint8_t;\n__global__ void f(uint64_t* o) { o[0] = (uint8_t)257; }"
    ).get_function("f")
    out = np.zeros(1, np.uint64)
    f(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 1


@pytest.mark.parametrize("std", ["", "std::"])
def test_lines_stay_the_users(device, std):
    f = SourceModule(f"\n__global__ void f(int* o) {{ o[0] = __LINE__ + 0 * {std}isnan(1.0f); }}").get_function("f")
    out = np.zeros(1, np.int32)
    f(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 2
    for build in (SourceModule, compile):
        with pytest.raises(drv.CompileError, match=r"kernel\.cu[:(]3.*nothing"):
            build(f"\n\n__global__ void f(float* o) {{ o[0] = {std}sqrt(nothing); }}\n")


def test_the_users_own_include_option(device, tmp_path):
    (tmp_path / "mine.h").write_text("#define MINE 5\n")
    f = SourceModule(
        "__global__ void f(int* o) { o[0] = MINE + __LINE__; }  // nvrtc: skip",
        options=["-include", "mine.h"],
        include_dirs=[str(tmp_path)],
    ).get_function("f")
    out = np.zeros(1, np.int32)
    f(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 6


def test_code_of_its_own(device):
    module = drv.module_from_buffer(compile("__global__ void f(float* o) { o[0] = INFINITY; }"))
    out = np.zeros(1, np.float32)
    module.get_function("f")(drv.Out(out), block=(1, 1, 1))
    assert out[0] == np.inf
