"""pycuda.curandom: what is drawn, and that the same seeds draw it again."""

import random

import numpy as np
import pytest
from quern.pycuda import curandom, elementwise, gpuarray
from quern.pycuda import driver as drv

SEEDED = [curandom.XORWOWRandomNumberGenerator, curandom.MRG32k3aRandomNumberGenerator]
OTHERS = [
    curandom.Sobol32RandomNumberGenerator,
    curandom.ScrambledSobol32RandomNumberGenerator,
    curandom.Sobol64RandomNumberGenerator,
    curandom.ScrambledSobol64RandomNumberGenerator,
]
N = 200_000


def is_like(x, distribution, spread=1.95):
    """Kolmogorov and Smirnov's test: the largest distance from the distribution, beyond which 1 of 1000 samples is."""
    x = np.sort(np.asarray(x, np.float64))
    wanted, n = distribution(x), len(x)
    distance = max((np.arange(1, n + 1) / n - wanted).max(), (wanted - np.arange(n) / n).max())
    return distance < spread / n**0.5


def normal(x):
    from math import erf

    points = np.linspace(-8, 8, 4001)
    return np.interp(x, points, [(1 + erf(p / 2**0.5)) / 2 for p in points])


def fixed(n):
    return gpuarray.to_gpu(np.arange(n, dtype=np.int32))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rand(device, dtype):
    a = curandom.rand((400, 500), dtype=np.dtype(dtype))
    x = a.get()
    assert a.shape == (400, 500) and a.dtype == dtype and x.min() >= 0 and x.max() < 1 and is_like(x.ravel(), lambda v: v)
    assert curandom.rand(7).dtype == np.float32 and curandom.rand(7).shape == (7,)


def test_rand_of_other_types(device):
    for dtype in ("int32", "uint32", "int64", "uint64"):
        x = curandom.rand(N, np.dtype(dtype)).get()
        info = np.iinfo(dtype)
        assert x.dtype == dtype and is_like((x.astype(np.float64) - info.min) / (float(info.max) - info.min), lambda v: v)
    z = curandom.rand(N, np.complex64).get()
    assert z.dtype == np.complex64 and is_like(z.real, lambda v: v) and is_like(z.imag, lambda v: v) and abs(np.corrcoef(z.real, z.imag)[0, 1]) < 0.01
    with pytest.raises(NotImplementedError):
        curandom.rand(3, np.int8)


def test_numpys_seed_decides(device):
    np.random.seed(5)
    x, y = curandom.rand(10).get(), curandom.rand(10).get()
    np.random.seed(5)
    assert np.array_equal(curandom.rand(10).get(), x) and not np.array_equal(x, y)


@pytest.mark.parametrize("kind", SEEDED + OTHERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(device, kind, dtype):
    generator = kind(fixed) if kind in SEEDED else kind()
    for x in (generator.gen_uniform(N, np.dtype(dtype)), generator((N,), np.dtype(dtype))):
        assert x.shape == (N,) and x.dtype == dtype and x.get().min() > 0 and x.get().max() <= 1 and is_like(x.get(), lambda v: v)
    data = gpuarray.zeros((200, 1000), np.dtype(dtype))
    generator.fill_uniform(data)
    assert is_like(data.get().ravel(), lambda v: v)
    assert is_like(generator.gen_normal((200, 1000), np.dtype(dtype)).get().ravel(), normal)
    generator.fill_normal(data)
    assert is_like(data.get().ravel(), normal)
    assert is_like((np.log(generator.gen_log_normal(N, np.dtype(dtype), 2, 0.5).get()) - 2) / 0.5, normal)
    generator.fill_log_normal(data, 1, 2)
    assert is_like((np.log(data.get().ravel().astype(np.float64)) - 1) / 2, normal)


@pytest.mark.parametrize("kind", SEEDED)
def test_poisson(device, kind):
    generator = kind(fixed)
    x = generator.gen_poisson(N, np.uint32, 4).get()
    assert x.dtype == np.uint32 and abs(x.mean() - 4) < 0.03 and abs(x.var() - 4) < 0.1
    data = gpuarray.empty(N, np.uint32)
    generator.fill_poisson(data, 10)
    assert abs(data.get().mean() - 10) < 0.05
    means = gpuarray.zeros(N, np.float32) + 3
    generator.fill_poisson(means)
    assert abs(means.get().mean() - 3) < 0.03 and (means.get() % 1 == 0).all()
    with pytest.raises(ValueError):
        generator.gen_poisson(3, np.uint32, -1)


@pytest.mark.parametrize("kind", SEEDED)
def test_the_same_seeds_give_the_same_numbers(device, kind):
    a, b, c = kind(fixed), kind(fixed), kind(lambda n: gpuarray.zeros(n, np.int32))
    x = a.gen_uniform(1000, np.float32).get()
    assert np.array_equal(b.gen_uniform(1000, np.float32).get(), x) and not np.array_equal(c.gen_uniform(1000, np.float32).get(), x)
    assert not np.array_equal(a.gen_uniform(1000, np.float32).get(), x)
    assert not np.array_equal(SEEDED[0](fixed).gen_uniform(10, np.float32).get(), SEEDED[1](fixed).gen_uniform(10, np.float32).get())
    assert np.array_equal(kind(fixed, offset=10).gen_uniform(10, np.float32).get(), x[10:20])
    random.seed(3)
    y = kind().gen_uniform(10, np.float32).get()
    random.seed(3)
    assert np.array_equal(kind(curandom.seed_getter_uniform).gen_uniform(10, np.float32).get(), y)


@pytest.mark.parametrize("kind", SEEDED)
def test_skips(device, kind):
    count = kind.generators_per_block * kind(fixed).block_count
    skips = {
        "call_skip_ahead": 3,
        "call_skip_ahead_array": gpuarray.to_gpu(np.full(count, 3, np.uint32)),
        "call_skip_ahead_sequence": 2,
        "call_skip_ahead_sequence_array": gpuarray.to_gpu(np.full(count, 2, np.uint32)),
    }
    if kind is curandom.MRG32k3aRandomNumberGenerator:
        skips["call_skip_ahead_subsequence"] = 2
        skips["call_skip_ahead_subsequence_array"] = gpuarray.to_gpu(np.full(count, 2, np.uint32))
    x = kind(fixed).gen_uniform(1000, np.float32).get()
    for name, value in skips.items():
        a, b = kind(fixed), kind(fixed)
        getattr(a, name)(value)
        getattr(b, name)(value)
        y = a.gen_uniform(1000, np.float32).get()
        assert np.array_equal(y, b.gen_uniform(1000, np.float32).get()) and not np.array_equal(x, y)


@pytest.mark.parametrize("kind", SEEDED)
def test_skips_of_many(device, kind):
    count = kind.generators_per_block * kind(fixed).block_count
    x = kind(fixed).gen_uniform(1000, np.float32).get()
    for first in (1, 65535):  # of all generators together that is more than there are numbers
        a, b, c = kind(fixed), kind(fixed), kind(fixed)
        a.call_skip_ahead_sequence(first)
        b.call_skip_ahead_sequence_array(gpuarray.to_gpu(np.full(count, first, np.uint32)))
        one = np.zeros(count, np.uint32)
        one[0] = first
        c.call_skip_ahead_sequence_array(gpuarray.to_gpu(one))
        y, z = (g.gen_uniform(1000, np.float32).get() for g in (a, b))
        assert np.array_equal(y, z) and not np.array_equal(x, y)
        assert not np.array_equal(x, c.gen_uniform(1000, np.float32).get())
    with pytest.raises(ValueError, match="too far to skip"):
        kind(fixed).call_skip_ahead_sequence(65536)


def test_seed_getters(device):
    assert len(set(curandom.seed_getter_uniform(100).get().tolist())) == 1
    assert len(set(curandom.seed_getter_unique(100).get().tolist())) > 90
    assert curandom.seed_getter_unique(100).dtype == np.int32


def test_streams_and_errors(device):
    generator = curandom.XORWOWRandomNumberGenerator(curandom.seed_getter_unique)
    stream = drv.Stream()
    x = (generator.gen_normal(1000, np.float32, stream=stream) * 2).get_async(stream)
    stream.synchronize()
    assert 1.8 < x.std() < 2.2
    for wrong in (lambda: generator.gen_normal(3, np.int32), lambda: generator.gen_uniform(3, np.int8)):
        with pytest.raises(NotImplementedError):
            wrong()
    for getter in (lambda n: np.zeros(n, np.int32), lambda n: gpuarray.zeros(n, np.int64), lambda n: gpuarray.zeros(3, np.int32)):
        with pytest.raises(TypeError):
            curandom.XORWOWRandomNumberGenerator(getter)
    wide = curandom.ScrambledSobol64RandomNumberGenerator()
    assert [wide.gen_uniform(4, kind).dtype for kind in (np.int32, np.uint32, np.int64, np.uint64)] == [np.int32, np.uint32, np.int64, np.uint64]
    assert generator.gen_log_normal(1000, np.float32, mean=3, stddev=0.01).get().mean() > 19
    generator.fill_log_normal(data := gpuarray.zeros(1000, np.float32), mean=-3, stddev=0.01)
    assert 0 < data.get().max() < 0.06
    vector = gpuarray.zeros(32, np.uint32)
    for wrong in (
        lambda: curandom.Sobol32RandomNumberGenerator(vector),
        lambda: curandom.ScrambledSobol32RandomNumberGenerator(None, vector),
        lambda: curandom.generate_direction_vectors(3),
        lambda: curandom.generate_scramble_constants32(3),
        lambda: curandom.generate_scramble_constants64(3),
    ):
        with pytest.raises(drv.LogicError):
            wrong()
    assert curandom.get_curand_version() and int(curandom.direction_vector_set.VECTOR_32) == 101


def test_numbers_in_a_text(device):
    text = curandom.md5_code + "x[i] = a; if ((i += total_threads) < n) x[i] = b; if ((i += total_threads) < n) x[i] = c; if ((i += total_threads) < n) x[i] = d;"
    kernel = elementwise.get_elwise_kernel("unsigned int *x, unsigned int seed", text, "draw")
    drawn = []
    for seed in (1, 1, 2):
        x = gpuarray.zeros(N, np.uint32)
        kernel.prepared_async_call(x._grid, x._block, None, x.gpudata, seed, N)
        drawn.append(x.get())
        assert is_like(drawn[-1] / 2**32, lambda p: p)
    assert np.array_equal(drawn[0], drawn[1]) and np.mean(drawn[0] == drawn[2]) < 1e-3
