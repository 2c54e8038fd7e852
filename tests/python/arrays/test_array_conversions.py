"""Conversions whose result the type cannot hold: one table (docs/numerics.md) on every device, for every size, alone and fused."""

import math

import ml_dtypes
import numpy as np
import pytest
import quern as qn
from quern import cuda
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("device", "quiet")

REALS = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SIZES = [1, 7, 1000, 5000, 100_000]  # tiny, and compiled in one piece and in several


def numpy_type(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def by_table(value, to):
    """A number as docs/numerics.md writes it down."""
    to = np.dtype(to)
    if to.itemsize < 4 or to == np.int32:
        bits = 32
    else:
        bits = 64
    upper = to == np.uint64 and value >= 2.0**63
    value -= 2.0**63 if upper else 0.0
    whole = int(value) if math.isfinite(value) and abs(value) < 2.0 ** (bits - 1) else -(2 ** (bits - 1))
    whole ^= 2**63 if upper else 0
    whole %= 2 ** (8 * to.itemsize)
    return whole - 2 ** (8 * to.itemsize) if to.kind == "i" and whole >> (8 * to.itemsize - 1) else whole


def values_of(name):
    """Around each power of two, with the type's nearest neighbours; what is infinite and no number."""
    found = [0.0, -0.0, math.nan, math.inf, -math.inf, 255.0, 300.0, 70000.0, 3e9, 2.5, 1e300]
    for e in [*range(-3, 70), 100, 127, 128, 600, 1023]:
        for d in (0, 0.5, 1, -0.5, -1, 1.5, -1.5):
            found += [2.0**e + d, math.nextafter(2.0**e, math.inf), math.nextafter(2.0**e, 0), 2.0**e * 1.7]
    found += [-v for v in found]
    typed = np.array(found).astype(numpy_type(name))
    if typed.dtype.kind == "c":
        typed.imag = np.where(np.arange(typed.size) % 3 == 0, 7, typed.imag)
    return typed[np.argsort(np.arange(typed.size) % 37, kind="stable")]  # so that neighbours differ


def expected(values, to):
    return np.array([by_table(float(v.real), to) for v in values], dtype=object).astype(np.dtype(to))


def on_device(values):
    return qn.asarray(values)


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("to", INTEGERS)
def test_the_table_is_numpys(source, to):
    """Where NumPy's own loops agree with one another, they agree with the table."""
    values = values_of(source)
    want = expected(values, to)
    real = values.real.astype(np.float64)
    stable = (real > -(2.0**31)) & (real < 2.0**32) if to == "uint32" else np.full(values.size, True)
    for size in SIZES[1:]:
        got = np.resize(values, size).astype(to)
        keep = np.resize(stable, size)
        assert np.array_equal(got[keep], np.resize(want, size)[keep])
    one_by_one = np.array([v.astype(to) for v in values])
    assert np.array_equal(one_by_one, want)


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("to", INTEGERS)
def test_astype(tier, source, to):
    values = values_of(source)
    want = expected(values, to)
    for size in SIZES:
        host = np.resize(values, size)
        right = np.resize(want, size)
        x = on_device(host)
        assert np.array_equal(qn.asnumpy(x.astype(to)), right)
        assert np.array_equal(qn.asnumpy(x[::-1].astype(to)), right[::-1])
        assert np.array_equal(qn.asnumpy(x[::3].astype(to)), right[::3])
    pairs = on_device(np.resize(values, (40, 60)))
    assert np.array_equal(qn.asnumpy(pairs.T.astype(to)), np.resize(want, (40, 60)).T)


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("to", INTEGERS)
def test_in_the_middle_of_other_work(tier, source, to):
    values = values_of(source)
    want = expected(values, to)
    one = np.dtype(to).type(1)
    for size in (1000, 5000):
        host, right = np.resize(values, size), np.resize(want, size)
        x = on_device(host)
        fused = x.conj().conj().astype(to) ^ one
        assert np.array_equal(qn.asnumpy(fused), right ^ one)
        narrow = x.astype(to).astype("int8")
        assert np.array_equal(qn.asnumpy(narrow), right.astype("int8"))
        if not source.startswith("complex"):
            chosen = qn.where(x > 0, x, x).astype(to)
            assert np.array_equal(qn.asnumpy(chosen), right)


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("to", INTEGERS)
def test_assigned(tier, source, to):
    values = values_of(source)
    want = expected(values, to)
    for size in (7, 1000, 5000):
        host, right = np.resize(values, size), np.resize(want, size)
        whole, part = qn.zeros(size, to), qn.zeros((size, 2), to)
        whole[...] = on_device(host)
        part[:, 1] = on_device(host)
        assert np.array_equal(qn.asnumpy(whole), right)
        assert np.array_equal(qn.asnumpy(part[:, 1]), right)
        assert not qn.asnumpy(part[:, 0]).any()
        picked = qn.zeros(size, to)
        picked[np.arange(size)] = on_device(host)
        assert np.array_equal(qn.asnumpy(picked), right)
        masked = qn.zeros(size, to)
        masked[qn.asarray(np.full(size, True))] = on_device(host)
        assert np.array_equal(qn.asnumpy(masked), right)
        copied = qn.zeros(size, to)
        qn.copyto(copied, on_device(host), casting="unsafe")
        assert np.array_equal(qn.asnumpy(copied), right)


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("to", INTEGERS)
def test_arrays_of_the_host(tier, source, to):
    values = values_of(source)
    want = expected(values, to)
    for size in (7, 1000, 5000):
        host, right = np.resize(values, size), np.resize(want, size)
        assert np.array_equal(qn.asnumpy(qn.asarray(host, dtype=to)), right)
        assert np.array_equal(qn.asnumpy(qn.array(host[::-1], to)), right[::-1])
        target = qn.zeros(size, to)
        target[...] = host
        assert np.array_equal(qn.asnumpy(target), right)


@pytest.mark.parametrize("source", [s for s in REALS if s != "bfloat16"])
@pytest.mark.parametrize("to", INTEGERS)
def test_out(tier, source, to):
    values = values_of(source)
    want = expected(values, to)
    for size in (7, 1000, 5000):
        out = qn.zeros(size, to)
        qn.positive(on_device(np.resize(values, size)), out=out, casting="unsafe")
        assert np.array_equal(qn.asnumpy(out), np.resize(want, size))


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("to", INTEGERS)
def test_reduced_in_another_type(tier, source, to):
    values = values_of(source)
    with np.errstate(all="ignore"):
        for size in (7, 1000, 5000, 100_000):
            host = np.resize(values, size)
            right = np.resize(expected(values, to), size)
            x = on_device(host)
            assert qn.sum(x, dtype=to).item() == right.sum(dtype=to)
            assert qn.prod(x, dtype=to).item() == right.prod(dtype=to)
            assert np.array_equal(qn.asnumpy(qn.cumsum(x, dtype=to)), np.cumsum(right, dtype=to))
            assert qn.asnumpy(qn.add.reduce(x, dtype=to)) == right.sum(dtype=to)


@pytest.mark.parametrize("to", INTEGERS)
def test_numbers_of_the_host(tier, to):
    for value in values_of("float64"):
        want = by_table(float(value), to)
        for size in (3, 5000):
            assert qn.full(size, float(value), dtype=to)[0].item() == want
        assert qn.full(3, np.float64(value), dtype=to)[1].item() == want
        assert qn.full(5000, float(value)).astype(to)[-1].item() == want
        assert qn.asarray(float(value)).astype(to).item() == want
    for value in values_of("float16")[::9]:
        assert qn.full(3, value, dtype=to)[1].item() == by_table(float(value), to)


@pytest.mark.parametrize("source", REALS)
def test_as_bool(tier, source):
    values = values_of(source)
    for size in (7, 1000, 5000):
        host = np.resize(values, size)
        assert np.array_equal(qn.asnumpy(on_device(host).astype(bool)), host.astype(bool))


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("to", [*INTEGERS, *REALS])
def test_integers(tier, source, to):
    """The low bits; to reals the nearest, to bfloat16 by way of float32."""
    info = np.iinfo(source)
    around = [2**e + d for e in range(64) for d in (-1, 0, 1)]
    held = [n for n in [*around, *(-n for n in around), info.min, info.max] if info.min <= n <= info.max]
    values = np.array(held, source)
    for size in (7, 1000, 5000):
        host = np.resize(values, size)
        want = host.astype(numpy_type(to))
        got = qn.asnumpy(on_device(host).astype(to))
        assert got.dtype == want.dtype
        assert np.array_equal(got.view(np.uint8), want.view(np.uint8))


@pytest.mark.parametrize("source", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("to", ["float16", "bfloat16", "float32", "complex64"])
def test_reals_beyond_the_largest(tier, source, to):
    values = values_of(source)
    for size in (7, 1000, 5000):
        host = np.resize(values, size)
        part = host if to == "complex64" else host.real
        want = part.astype(np.float32).astype(ml_dtypes.bfloat16) if to == "bfloat16" else part.astype(numpy_type(to))
        got = qn.asnumpy(on_device(host).astype(to))
        assert np.array_equal(np.isnan(got), np.isnan(want))
        assert np.array_equal(got[~np.isnan(got)].view(np.uint8), want[~np.isnan(want)].view(np.uint8))


def test_kernels_keep_cudas_casts(device):
    """An integer takes of a real what comes nearest, and 0 for NaN."""
    x = np.array([-1.0, 3e9, -3e9, np.nan, np.inf], np.float32)
    want = [-1, 2**31 - 1, -(2**31), 0, 2**31 - 1]
    raw = qn.RawKernel('extern "C" __global__ void k(const float* x, int* o) { o[threadIdx.x] = (int)x[threadIdx.x]; }', "k")
    out = qn.zeros(5, "int32")
    raw((1,), (5,), (qn.asarray(x), out))
    assert qn.asnumpy(out).tolist() == want

    @cuda.jit
    def jitted(x, o):
        i = cuda.threadIdx.x
        o[i] = x[i]

    out = qn.zeros(5, "int32")
    jitted[1, 5](qn.asarray(x), out)
    assert qn.asnumpy(out).tolist() == want


def test_tiers_are_what_they_say():
    if _engine.default_device().kind == "cpu":
        assert SIZES[2] <= _engine.tier0_limit < SIZES[3]
