"""float16 in kernels, and numba.cuda.fp16, compared with NumPy."""

import numpy as np
import pytest
from kernels import kernel_of, module_of
from quern import cuda, numba
from quern.cuda import fp16

VALUES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.75, 3.14, 1e-4, 700.0, 65504.0, np.inf, -np.inf, np.nan], np.float16)
ONE = {
    "hsin": np.sin, "hcos": np.cos, "hlog": np.log, "hlog10": np.log10, "hlog2": np.log2, "hexp": np.exp, "hexp2": np.exp2,
    "hexp10": lambda x: np.power(np.float64(10), x), "hfloor": np.floor, "hceil": np.ceil, "hsqrt": np.sqrt, "hrsqrt": lambda x: 1 / np.sqrt(x),
    "hrcp": lambda x: 1 / x, "hrint": np.rint, "htrunc": np.trunc, "hneg": np.negative, "habs": np.abs,
}  # fmt: skip
TWO = {"hadd": np.add, "hsub": np.subtract, "hmul": np.multiply, "hdiv": np.divide, "hmax": np.fmax, "hmin": np.fmin}
# As CUDA's, all are false where one is no number; `!=` is true then.
TESTS = {
    "heq": np.equal, "hne": lambda a, b: (a < b) | (a > b), "hgt": np.greater, "hge": np.greater_equal, "hlt": np.less,
    "hle": np.less_equal,
}  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=")


def pairs():
    a, b = np.meshgrid(VALUES, VALUES)
    return np.ascontiguousarray(a.ravel()), np.ascontiguousarray(b.ravel())


def near(got, wanted, units):
    """Within so many of float16's last places."""
    with np.errstate(all="ignore"):
        wanted = np.asarray(wanted).astype(np.float16)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
        exact = ~np.isfinite(wanted) if units else np.ones(wanted.shape, bool)
        np.testing.assert_array_equal(got[exact], wanted[exact])
        assert np.all(np.abs(got[~exact].astype(float) - wanted[~exact]) <= units * np.abs(wanted[~exact].astype(float)) / 1024 + 1e-7)


def test_functions_of_one(device, tmp_path):
    kernel = kernel_of(tmp_path, [f"cuda.fp16.{name}(<x>)" for name in ONE], ["x"])
    out = np.zeros((len(ONE), len(VALUES)), np.float16)
    kernel[1, 32](VALUES, out)
    with np.errstate(all="ignore"):
        for k, (name, function) in enumerate(ONE.items()):
            units = 0 if name in ("hfloor", "hceil", "hrint", "htrunc", "hneg", "habs", "hsqrt", "hrcp") else 2
            near(out[k], function(VALUES.astype(np.float64)), units)
    assert np.signbit(out[list(ONE).index("hneg")][0])


def test_functions_of_two(device, tmp_path):
    a, b = pairs()
    kernel = kernel_of(tmp_path, [f"cuda.fp16.{name}(<a>, <b>)" for name in {**TWO, **TESTS}], ["a", "b"])
    out = np.zeros((len(TWO) + len(TESTS), a.size), np.float16)
    kernel[2, 128](a, b, out)
    with np.errstate(all="ignore"):
        for k, function in enumerate([*TWO.values(), *TESTS.values()]):
            near(out[k], function(a, b), 0)


def test_fma_rounds_once(device, tmp_path):
    rng = np.random.default_rng(1)
    a, b, c = (rng.normal(size=2000).astype(np.float16) for _ in range(3))
    c = (c * np.float16(0.01)).astype(np.float16)
    out = np.zeros((1, a.size), np.float16)
    kernel_of(tmp_path, ["cuda.fp16.hfma(<a>, <b>, <c>)"], ["a", "b", "c"])[16, 128](a, b, c, out)
    np.testing.assert_array_equal(out[0], (a.astype(float) * b + c).astype(np.float16))


def test_operators(device, tmp_path):
    a, b = pairs()
    out = np.zeros((len(OPERATORS), a.size), np.float16)
    kernel_of(tmp_path, [f"<a> {op} <b>" for op in OPERATORS], ["a", "b"])[2, 128](a, b, out)
    with np.errstate(all="ignore"):
        for k, op in enumerate(OPERATORS):
            near(out[k], eval(f"a {op} b"), 0)


def test_values_and_types(device, tmp_path):
    text = """
@cuda.jit
def kernel(x, n, out):
    half = numba.float16(1.5)
    out[0] = half + x[0]
    out[1] = np.float16(n) * half      # 2049 rounds to 2048
    out[2] = math.sqrt(x[0])
    out[3] = abs(-half)
    out[4] = max(half, x[0])
    out[5] = float(half) / 3
    out[6] = int(x[0] * half)
    out[7] = half if x[0] > 1 else numba.types.float16(0)
    out[8] = numba.float32(x[0]) + n
    s = cuda.shared.array(2, numba.float16)
    s[0] = x[0]
    out[9] = -s[0]
    half += x[0]
    out[10] = half
    out[12] = numba.float64(numba.float32(0.1)) == 0.1
    out[13] = numba.float32(0.1) < 0.1
    out[11] = numba.float16(1.0) + numba.float16(0.0003)    # stays a float16
"""
    out = np.zeros(14)
    module_of(tmp_path, text).kernel[1, 1](np.array([4.0], np.float16), 2049, out)
    assert out.tolist() == [5.5, 3072.0, 2.0, 1.5, 4.0, 0.5, 6.0, 1.5, 2053.0, -4.0, 5.5, 1.0, 0.0, 0.0]


def test_numbers_as_arguments_and_signatures(device, tmp_path):
    text = "@cuda.jit('void(float16, float16[:])')\ndef kernel(x, out):\n    out[0] = cuda.fp16.hadd(x, out[1])\n"
    out = np.array([0, 2], np.float16)
    module_of(tmp_path, text).kernel[1, 1](np.float16(0.5), out)
    assert out[0] == 2.5


def test_host_side():
    assert cuda.is_float16_supported() is True
    assert cuda.is_fp8_supported() is False
    assert cuda.fp16 is fp16 and len(fp16.__all__) == 30
    assert numba.float16 == numba.types.float16
    with pytest.raises(RuntimeError, match=r"cuda\.fp16\.hadd"):
        cuda.fp16.hadd(np.float16(1), np.float16(2))
    with pytest.raises(TypeError, match="does not take"):
        numba.cuda.jit("void(complex64)")(_of_complex)


def _of_complex(x):
    cuda.fp16.hneg(x)
