"""cuda_fp16.h and cuda_bf16.h in kernels: what they have in common, compared with NumPy with ml_dtypes' bfloat16."""

import ml_dtypes
import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv

TYPES = {"half": ("cuda_fp16.h", "__half", "half", np.float16), "bfloat16": ("cuda_bf16.h", "__nv_bfloat16", "bfloat16", ml_dtypes.bfloat16)}
VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.75, 3.14, 0.007, 300.0, 65504.0, -40000.0, np.inf, -np.inf, np.nan]


def run(kind, texts, inputs, out_dtype, more=""):
    """out[k, i] = texts[k] of the i-th x, y, z."""
    header, name, _, _ = TYPES[kind]
    names = "xyz"[: len(inputs)]
    results = {np.uint16: "unsigned short", np.float32: "float", np.int64: "long long", np.uint32: "unsigned int"}
    parameters = ", ".join(f"const {name}* {n}_" for n in names)
    loads = " ".join(f"{name} {n} = {n}_[i]; {name}2 {n}2({n}, {n}_[n - 1 - i]);" for n in names)
    body = "\n".join(f"  out[{k} * n + i] = {t};" for k, t in enumerate(texts))
    text = f"""
#include <{header}>
__device__ unsigned short bits({name} v) {{ return __{TYPES[kind][2]}_as_ushort(v); }}
{more}
extern "C" __global__ void f({parameters}, {results[out_dtype]}* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  {loads}
{body}
}}
"""
    places = [drv.to_device(np.ascontiguousarray(v).view(np.uint16)) for v in inputs]
    out = np.zeros((len(texts), inputs[0].size), out_dtype)
    place = drv.to_device(out)
    quern.RawKernel(text, "f")((-(-inputs[0].size // 64),), (64,), (*places, place, np.int32(inputs[0].size)))
    return drv.from_device_like(place, out)


def pairs(kind):
    dtype = TYPES[kind][3]
    with np.errstate(all="ignore"):
        x, y = np.meshgrid(np.array(VALUES).astype(dtype), np.array(VALUES).astype(dtype))
    return np.ascontiguousarray(x.ravel()), np.ascontiguousarray(y.ravel())


def same(got, wanted, dtype, text):
    got, wanted = got.view(dtype).astype(np.float32), np.asarray(wanted).astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(got, wanted, err_msg=text)


def saturated(x):
    return np.where(np.isnan(x), 0, np.clip(x, 0, 1))


@pytest.mark.parametrize("kind", TYPES)
def test_arithmetic(device, kind):
    dtype = TYPES[kind][3]
    x, y = pairs(kind)
    a, b = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(all="ignore"):
        table = {
            "x + y": a + b, "x - y": a - b, "x * y": a * b, "x / y": a / b, "-x": -a, "__hadd(x, y)": a + b, "__hmul_rn(x, y)": a * b,
            "__hsub(x, y)": a - b, "__hdiv(x, y)": a / b, "__habs(x)": abs(a), "__hneg(x)": -a, "__hmax(x, y)": np.fmax(a, b),
            "__hmin(x, y)": np.fmin(a, b), "__hmax_nan(x, y)": np.maximum(a, b), "__hmin_nan(x, y)": np.minimum(a, b),
            "hsqrt(x)": np.sqrt(a), "hceil(x)": np.ceil(a), "hfloor(x)": np.floor(a), "hrint(x)": np.rint(a), "htrunc(x)": np.trunc(a),
            "hrcp(x)": 1 / a, "__hadd_sat(x, y)": saturated((a + b).astype(dtype).astype(float)), "__hmul_sat(x, y)": saturated(a * b),
            "__hfma_sat(x, y, x)": saturated(a * b + a), "__hfma_relu(x, y, x)": np.maximum(a * b + a, 0), "__hfma(x, y, x)": a * b + a,
        }  # fmt: skip
        for row, (text, wanted) in zip(run(kind, [f"bits({t})" for t in table], [x, y], np.uint16), table.items(), strict=True):
            same(row, wanted, dtype, text)


@pytest.mark.parametrize("kind", TYPES)
def test_pairs(device, kind):
    """Both lanes of the functions of two at a time."""
    dtype = TYPES[kind][3]
    x, y = pairs(kind)
    a, b = x.astype(np.float64), y.astype(np.float64)
    two = "half2" if kind == "half" else "bfloat162"
    with np.errstate(all="ignore"):
        table = {
            "x2 + y2": a + b, "x2 - y2": a - b, "x2 * y2": a * b, "x2 / y2": a / b, "-x2": -a, "__hadd2(x2, y2)": a + b,
            "__hfma2(x2, y2, x2)": a * b + a, "__hfma2_relu(x2, y2, x2)": np.maximum(a * b + a, 0), "__hmul2_sat(x2, y2)": saturated(a * b),
            "__hmax2(x2, y2)": np.fmax(a, b), "__hmin2_nan(x2, y2)": np.minimum(a, b), "__h2div(x2, y2)": a / b, "__habs2(x2)": abs(a),
            "__heq2(x2, y2)": a == b, "__hneu2(x2, y2)": a != b, "__hlt2(x2, y2)": a < b, "__hgeu2(x2, y2)": ~(a < b), "__hisnan2(x2)": np.isnan(a),
            "h2sqrt(x2)": np.sqrt(a), "h2floor(x2)": np.floor(a), "h2rcp(x2)": 1 / a,
            f"__halves2{two}(x2.x, x2.y)": a, "__lowhigh2highlow(__lowhigh2highlow(x2))": a,
        }  # fmt: skip
        texts = [f"bits(({t}).{lane})" for t in table for lane in "xy"]
        got = run(kind, texts, [x, y], np.uint16)
        for k, (text, wanted) in enumerate(table.items()):
            same(got[2 * k], wanted, dtype, text)
            same(got[2 * k + 1], np.asarray(wanted)[::-1], dtype, text)
        masks = run(kind, ["__hlt2_mask(x2, y2)", "__hbeq2(x2, y2)", "x2 == y2", "x2 >= y2"], [x, y], np.uint32)
    both = lambda test: test & test[::-1]  # noqa: E731
    assert np.array_equal(masks[0], np.where(a < b, 0xFFFF, 0) | np.where((a < b)[::-1], 0xFFFF0000, 0))
    assert np.array_equal(masks[1], both(a == b)) and np.array_equal(masks[2], both(a == b)) and np.array_equal(masks[3], both(a >= b))


@pytest.mark.parametrize("kind", TYPES)
def test_comparisons(device, kind):
    x, y = pairs(kind)
    a, b = x.astype(np.float64), y.astype(np.float64)
    none = np.isnan(a) | np.isnan(b)
    for name, function in (("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater), ("ge", np.greater_equal)):
        got = run(kind, [f"__h{name}(x, y)", f"__h{name}u(x, y)"], [x, y], np.uint32)
        assert np.array_equal(got[0], function(a, b) & ~none), name
        assert np.array_equal(got[1], function(a, b) | none), name
    got = run(kind, ["x == y", "x != y", "x < y", "x <= y", "x > y", "x >= y"], [x, y], np.uint32)
    for row, function in zip(got, (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal), strict=True):
        assert np.array_equal(row, function(a, b))


@pytest.mark.parametrize("kind", TYPES)
def test_functions(device, kind):
    dtype, short = TYPES[kind][3], TYPES[kind][2]
    x = np.array([0.01, 0.5, 1.0, 2.0, 3.3, -1.5, 10.0, np.inf, np.nan]).astype(dtype)
    a = x.astype(np.float64)
    with np.errstate(all="ignore"):
        table = {
            "hexp": np.exp(a), "hexp2": np.exp2(a), "hexp10": 10.0**a, "hlog": np.log(a), "hlog2": np.log2(a), "hlog10": np.log10(a),
            "hsin": np.sin(a), "hcos": np.cos(a), "hrsqrt": 1 / np.sqrt(a), "htanh": np.tanh(a),
        }  # fmt: skip
        for prefix in ("h", "h2"):
            texts = [f"bits({prefix}{n[1:]}(x{'2' if prefix == 'h2' else ''}){'.x' if prefix == 'h2' else ''})" for n in table]
            for row, (name, wanted) in zip(run(kind, texts, [x], np.uint16), table.items(), strict=True):
                got = row.view(dtype).astype(np.float64)
                wanted = wanted.astype(dtype).astype(np.float64)
                np.testing.assert_allclose(got, wanted, rtol=2**-7 if short == "bfloat16" else 2**-9, atol=1e-3, err_msg=name)


@pytest.mark.parametrize("kind", TYPES)
def test_conversions(device, kind):
    dtype, short = TYPES[kind][3], TYPES[kind][2]
    with np.errstate(all="ignore"):
        x = np.array([0.0, 1.0, -1.5, 2.5, 300.25, -70.75, 5e4, -6e4, np.inf, -np.inf, np.nan]).astype(dtype)
    a = x.astype(np.float64)
    ends = {"int": (-(2**31), 2**31 - 1), "uint": (0, 2**32 - 1), "short": (-(2**15), 2**15 - 1), "ushort": (0, 2**16 - 1), "ll": (-(2**63), 2**63 - 1)}
    ways = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}
    texts = [f"__{short}2{t}_{m}(x)" for t in ends for m in ways]
    got = iter(run(kind, texts, [x], np.int64))
    for name, (low, high) in ends.items():
        for function in ways.values():
            none = -(2**63) if name == "ll" else 0
            wanted = [none if np.isnan(v) else low if function(v) <= low else high if function(v) >= high else int(function(v)) for v in a]
            assert next(got).tolist() == wanted, (name, function)
    numbers = [1, -1, 3, 257, 2049, 2051, 65519, -65519, 70001, 2**24 + 1, -(2**31) + 1, 1234567]
    texts = [f"bits(__int2{short}_{m}({n}))" for m in ways for n in numbers] + [f"bits(__float2{short}_{m}({float(np.float32(n))}f / 4096.0f))" for m in ways for n in numbers]
    values = [float(n) for n in numbers] * 4 + [float(np.float32(n)) / 4096 for n in numbers] * 4
    got = run(kind, texts, [x[:1]], np.uint16)[:, 0].view(dtype).astype(np.float64)
    largest = float(ml_dtypes.finfo(dtype).max)
    with np.errstate(all="ignore"):
        every = np.unique(np.arange(2**16, dtype=np.uint16).view(dtype).astype(np.float64))
    every = every[np.isfinite(every)]
    for text, value, result in zip(texts, values, got, strict=True):
        mode = text.split("(")[1][-2:]
        below, above = every[every <= value], every[every >= value]
        down, up = below[-1] if below.size else -np.inf, above[0] if above.size else np.inf
        if mode == "rn":
            with np.errstate(all="ignore"):
                wanted = float(np.array(value).astype(dtype)) if abs(value) < largest else result
        else:
            wanted = {"rd": down, "ru": up, "rz": down if value > 0 else up}[mode]
        assert result == wanted, (text, value, result, wanted)


@pytest.mark.parametrize("kind", TYPES)
def test_atomics_and_shuffles(device, kind):
    header, name, _, dtype = TYPES[kind]
    text = f"""
#include <{header}>
extern "C" __global__ void f({name}* sums, {name}2* pair, float* out) {{
  atomicAdd(&sums[threadIdx.x & 1], {name}(1.0f));
  atomicAdd(pair, {name}2({name}(1.0f), {name}(2.0f)));
  {name} v = {name}((float)threadIdx.x);
  out[threadIdx.x] = (float)__shfl_xor_sync(0xffffffffu, v, 1) + (float)__shfl_down_sync(0xffffffffu, {name}2(v, v), 2).y;
}}
"""
    sums, pair, out = np.zeros(2, np.uint16), np.zeros(2, np.uint16), np.zeros(32, np.float32)
    places = [drv.to_device(v) for v in (sums, pair, out)]
    quern.RawKernel(text, "f")((1,), (32,), tuple(places))
    assert drv.from_device_like(places[0], sums).view(dtype).astype(float).tolist() == [16, 16]
    assert drv.from_device_like(places[1], pair).view(dtype).astype(float).tolist() == [32, 64]
    lanes = np.arange(32)
    assert np.array_equal(drv.from_device_like(places[2], out), (lanes ^ 1) + np.where(lanes + 2 < 32, lanes + 2, lanes))
