"""Fourier transforms: every length, layout, level of instructions and way to go through lines of the CPU, with bounds of their errors.

The oracle is numpy.fft in more digits. Errors are root mean squares over that of the result, which random signs let grow as the root of
the number of passes: at most eps * sqrt(log2(2 n)).
"""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import quern as qn
from differences import gradients, leaves
from long_runs import part
from quern.device import set_current_device
from quern.lib import _engine


@pytest.fixture(autouse=True)
def here(request):
    """Tests that take no device are of the CPU."""
    request.getfixturevalue("device" if "device" in request.fixturenames else "on_the_cpu")


LEVELS = ["baseline", "avx2", "avx512"]
KINDS = ["fft", "ifft", "rfft", "irfft"]
SINGLE = {"fft": np.complex64, "ifft": np.complex64, "rfft": np.float32, "irfft": np.complex64}
DOUBLE = {"fft": np.complex128, "ifft": np.complex128, "rfft": np.float64, "irfft": np.complex128}

PRIMES = [521, 613, 997, 1009, 2003, 4093, 4099, 8191, 10007, 16381]
MIXED = [600, 625, 720, 1000, 1024, 2**11, 3**7, 5**5, 7**4, 11**3, 13**3, 17 * 64, 31 * 37, 127 * 8, 131 * 8, 2310, 4096, 5040]
MIXED += [30030, 2**15, 3**10, 5**7, 46080, 2 * 10007, 65536, 65537, 99999, 100000, 2**17, 131 * 1009]
HUGE = [2**18 + 2**10, 3**12, 700001, 2**20]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def precise(x):
    """Return the transform with more digits than the tested one has."""
    return x.astype({"f": np.float64, "d": np.longdouble, "F": np.complex128, "D": np.clongdouble}[x.dtype.char])


def of_length(n, kind, **keywords):
    return {"n": n, **keywords} if kind == "irfft" else keywords


def error(got, want, dtype):
    """Root mean square, over that of what is wanted; in the type's eps."""
    difference = np.abs(np.asarray(got).astype(want.dtype) - want)
    assert np.isfinite(difference).all()
    size = np.sqrt((np.abs(want) ** 2).mean())
    return float(np.sqrt((difference**2).mean()) / max(size, np.finfo(dtype).tiny) / np.finfo(dtype).eps)


def error_of(n, kind, dtype, rows=3):
    x = numbers((rows, n // 2 + 1 if kind == "irfft" else n), dtype, n)
    want = getattr(np.fft, kind)(precise(x), **of_length(n, kind))
    got = getattr(qn.fft, kind)(qn.asarray(x), **of_length(n, kind)).get()
    assert got.shape == want.shape
    assert got.dtype == getattr(np.fft, kind)(np.ones(4, dtype)).dtype
    return error(got, want, dtype)


def worst(lengths, rows=3):
    """Lengths whose error is above the bound, and the largest error over the bound."""
    above, largest = [], 0.0
    for n in lengths:
        for kind in KINDS:
            for dtype in (SINGLE[kind], DOUBLE[kind]):
                ratio = error_of(n, kind, dtype, rows) / np.sqrt(np.log2(2 * n))
                largest = max(largest, ratio)
                if ratio > 1:
                    above.append((n, kind, np.dtype(dtype).name, ratio))
    return above, largest


@pytest.mark.parametrize("first", range(1, 513, 64))
def test_every_length(first):
    assert worst(range(first, first + 64))[0] == []


def test_primes_and_mixed_lengths():
    assert worst(part(PRIMES + MIXED, 16))[0] == []


def test_huge_lengths():
    assert worst(part(HUGE, 2), rows=1)[0] == []


@pytest.mark.parametrize("rows", [1, 2, 5, 8, 16, 17, 33])
def test_batches(rows):
    """Few lines, those that fill vectors and those that are left."""
    assert worst([1, 2, 3, 7, 16, 30, 37, 64, 100, 131, 256, 1000, 1009], rows)[0] == []


@pytest.mark.parametrize("level", LEVELS)
def test_levels(level):
    if LEVELS.index(_engine.tier0_level()) < LEVELS.index(level):
        pytest.skip(f"this processor, or QUERN_TIER0_LEVEL, allows {_engine.tier0_level()} at most")
    code = (
        "import json, test_array_fft_lines as t; from quern.lib import _engine\n"
        "print(json.dumps([_engine.tier0_level(), t.worst(t.part([*range(1, 513), *t.PRIMES, *t.MIXED[:-6]], 150), 5)[0], t.tall_errors()]))"
    )
    environment = dict(os.environ, QUERN_DEVICE="cpu", QUERN_TIER0_LEVEL=level, PYTHONPATH=os.pathsep.join([os.path.dirname(__file__), *sys.path]))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [level, [], []]


def test_parts_of_complex_numbers(device):
    """cuFFT takes whole complex numbers: views that begin within one are copied."""
    for single, dtype in (("complex64", "float32"), ("complex128", "float64")):
        x = np.arange(42, dtype=dtype) % 7
        a = qn.asarray(x)
        for begin in (1, 2, 3):
            part, of = a[begin : begin + 32], x[begin : begin + 32]
            np.testing.assert_allclose(qn.fft.rfft(part).get(), np.fft.rfft(of), rtol=1e-5)
            pairs = np.ascontiguousarray(of).view(single)
            np.testing.assert_allclose(qn.fft.fft(part.view(single)).get(), np.fft.fft(pairs), rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(qn.fft.irfft(part.view(single)).get(), np.fft.irfft(pairs), rtol=1e-5, atol=1e-5)


# ---- layouts


def checked(x, a, kind, axis, **keywords):
    n = keywords.get("n") or 2 * (x.shape[axis] - 1)
    keywords = of_length(n, kind, **keywords)
    want = getattr(np.fft, kind)(precise(x), axis=axis, **keywords)
    got = getattr(qn.fft, kind)(a, axis=axis, **keywords).get()
    assert got.shape == want.shape
    assert error(got, want, x.dtype) <= np.sqrt(np.log2(2 * max(x.shape[axis], n))), (x.shape, x.strides, kind, axis, x.dtype)


# Few long lines, side by side or in any other way, go as matrices.
TALL = [((20000, 8), 0), ((32768, 3), 0), ((20000, 17), 0), ((2, 15000, 16), 1), ((20011, 4), 0), ((30030, 9), 0)]


def tall_errors():
    above = []
    for shape, axis in TALL:
        for kind in KINDS:
            for dtype in (SINGLE[kind], DOUBLE[kind]):
                x = numbers(shape, dtype)
                a = qn.asarray(x)
                for n in {shape[axis], 2 * (shape[axis] - 1)} if kind == "irfft" else {shape[axis]}:
                    want = getattr(np.fft, kind)(precise(x), axis=axis, **of_length(n, kind))
                    ratio = error(getattr(qn.fft, kind)(a, axis=axis, **of_length(n, kind)).get(), want, dtype) / np.sqrt(np.log2(2 * n))
                    if ratio > 1:
                        above.append((shape, kind, np.dtype(dtype).name, ratio))
    return above


def test_tall_arrays():
    assert tall_errors() == []


def test_tall_views():
    for kind in KINDS:
        for dtype in (SINGLE[kind], DOUBLE[kind]):
            x = numbers((20000, 24), dtype)
            a = qn.asarray(x)
            for cut in (np.s_[:, :8], np.s_[::-1, 3:19], np.s_[:, ::2], np.s_[:, ::-1], np.s_[::2, 5:14]):
                checked(x[cut], a[cut], kind, 0)


def some_view(rng, x, a):
    """The same view of both: axes exchanged, steps of either sign, parts, a row for many."""
    order = rng.permutation(x.ndim).tolist()
    cut = []
    for n in x.shape:
        step = int(rng.choice([1, 1, 2, -1, -2, 3]))
        begin = int(rng.integers(0, max(n // 3, 1)))
        cut.append(slice(begin, None, step) if step > 0 else slice(n - 1 - begin, None, step))
    x, a = x[tuple(cut)].transpose(order), a[tuple(cut)].transpose(order)
    if rng.random() < 0.2:
        x, a = np.broadcast_to(x, (3, *x.shape)), qn.broadcast_to(a, (3, *a.shape))
    return x, a


@pytest.mark.parametrize("seed", range(24))
def test_views(device, seed):
    rng = np.random.default_rng(seed)
    for _ in range(12):
        rank = int(rng.integers(1, 5))
        most = {1: 3000, 2: 150, 3: 40, 4: 14}[rank]
        kind = str(rng.choice(KINDS))
        dtype = (SINGLE if rng.random() < 0.5 else DOUBLE)[kind]
        whole = numbers(rng.integers(1, most, rank).tolist(), dtype, seed)
        x, a = some_view(rng, whole, qn.asarray(whole))
        if x.size == 0:
            continue
        axis = int(rng.integers(-x.ndim, x.ndim))
        n = None if rng.random() < 0.5 else int(rng.integers(1, 2 * x.shape[axis] + 2))
        if n is None and kind == "irfft" and x.shape[axis] == 1:
            n = 1
        norm = [None, "ortho", "forward", "backward"][rng.integers(4)]
        want = getattr(np.fft, kind)(precise(x), n, axis=axis, norm=norm)
        got = getattr(qn.fft, kind)(a, n, axis=axis, norm=norm).get()
        assert got.shape == want.shape
        bound = 1.5 * np.sqrt(np.log2(4 * max(x.shape[axis], n or 0)))
        assert error(got, want, dtype) <= bound, (x.shape, x.strides, kind, axis, n, norm, dtype)


@pytest.mark.parametrize("seed", range(16))
def test_several_axes(device, seed):
    rng = np.random.default_rng(seed)
    for _ in range(8):
        rank = int(rng.integers(2, 5))
        kind = str(rng.choice(["fftn", "ifftn", "rfftn", "irfftn"]))
        dtype = (SINGLE if rng.random() < 0.5 else DOUBLE)[kind[:-1]]
        whole = numbers(rng.integers(2, {2: 300, 3: 50, 4: 16}[rank], rank).tolist(), dtype, seed)
        x, a = some_view(rng, whole, qn.asarray(whole))
        axes = rng.permutation(x.ndim)[: rng.integers(1, x.ndim + 1)].tolist()
        if kind == "irfftn" and x.shape[axes[-1]] == 1:
            continue
        want = getattr(np.fft, kind)(precise(x), axes=axes)
        got = getattr(qn.fft, kind)(a, axes=axes).get()
        assert got.shape == want.shape
        bound = 1.5 * np.sqrt(sum(np.log2(4 * x.shape[axis]) for axis in axes))
        assert error(got, want, dtype) <= bound, (x.shape, x.strides, kind, axes, dtype)


@pytest.mark.parametrize("shape", [(64, 64, 64), (1000, 60), (31, 997), (5, 20000, 3)])
def test_planes_and_volumes(device, shape):
    for kind in ("fftn", "rfftn", "irfftn"):
        for dtype in (SINGLE[kind[:-1]], DOUBLE[kind[:-1]]):
            x = numbers(shape, dtype)
            want = getattr(np.fft, kind)(precise(x))
            bound = 1.5 * np.sqrt(sum(np.log2(4 * n) for n in shape))
            assert error(getattr(qn.fft, kind)(qn.asarray(x)).get(), want, dtype) <= bound


def test_numbers_that_are_none():
    """A line with NaN or infinity in it says so everywhere; the others know nothing of it."""
    for n in (8, 100, 131, 1000, 4096):
        for bad in (np.nan, np.inf):
            x = numbers((20, n), np.complex128)
            x[3, n // 2] = bad
            got = qn.fft.fft(qn.asarray(x)).get()
            assert not np.isfinite(got[3]).any()
            others = np.delete(np.arange(20), 3)
            np.testing.assert_allclose(got[others], np.fft.fft(x[others]), rtol=0, atol=1e-11)


# ---- into memory that is there


@pytest.mark.parametrize("shape, axis", [((40, 30), 0), ((40, 30), 1), ((300, 400), 0), ((300, 400), 1), ((20000, 8), 0), ((65536,), 0)])
def test_in_place_and_overlapping(shape, axis):
    x = numbers(shape, np.complex128)
    want = np.fft.fft(x, axis=axis)
    atol = 1e-13 * np.abs(want).max()
    a = qn.asarray(x)
    qn.fft.fft(a, axis=axis, out=a)
    np.testing.assert_allclose(a.get(), want, rtol=0, atol=atol)
    a = qn.asarray(x)
    a[...] = qn.fft.fft(a, axis=axis)
    np.testing.assert_allclose(a.get(), want, rtol=0, atol=atol)
    host = np.concatenate([x, x])
    both = qn.asarray(host)
    n = len(x)
    both[n // 2 : n // 2 + n] = qn.fft.fft(both[:n], axis=axis)
    host[n // 2 : n // 2 + n] = want
    np.testing.assert_allclose(both.get(), host, rtol=0, atol=atol)
    a = qn.asarray(x)
    a[::-1] = qn.fft.fft(a, axis=axis)
    np.testing.assert_allclose(a.get(), want[::-1], rtol=0, atol=atol)


# ---- gradients and threads


@pytest.mark.parametrize("shape, axis", [((3, 1000), 1), ((509,), 0), ((1009, 4), 0), ((20000, 8), 0), ((70000,), 0)])
def test_gradients(shape, axis):
    """Transforms are linear: the gradient of what is weighted is the other direction's transform of the weights."""
    n = shape[axis]
    (x,) = leaves([numbers(shape, np.complex128)])
    w = numbers(shape, np.complex128, 1)
    (g,) = gradients(qn.real(qn.fft.fft(x, axis=axis) * qn.asarray(w.conj())).sum(), [x])
    want = n * np.fft.ifft(w, axis=axis)
    assert error(qn.asnumpy(g), want, np.complex128) < 3 * np.sqrt(np.log2(2 * n))
    (r,) = leaves([numbers(shape, np.float64)])
    h = numbers(np.fft.rfft(numbers(shape, np.float64), axis=axis).shape, np.complex128, 2)
    (g,) = gradients(qn.real(qn.fft.rfft(r, axis=axis) * qn.asarray(h.conj())).sum(), [r])
    full = np.zeros(shape, np.complex128)
    full[tuple(slice(0, k) for k in h.shape)] = h
    want = (n * np.fft.ifft(full, axis=axis)).real
    assert error(qn.asnumpy(g), want, np.float64) < 4 * np.sqrt(np.log2(2 * n))


def test_several_threads_at_once(device):
    """The same bits as by itself, whichever lengths others work on, while plans come and go."""
    lengths = [1000, 1009, 4096, 10007, 65536, *range(300, 400)]
    inputs = {n: numbers((3, n), np.complex64, n) for n in lengths}
    tall = numbers((20000, 8), np.complex64)
    alone = {n: qn.fft.fft(qn.asarray(x)).get() for n, x in inputs.items()}
    tall_alone = qn.fft.fft(qn.asarray(tall), axis=0).get()
    problems = []

    def work(seed):
        try:
            set_current_device(device)
            rng = np.random.default_rng(seed)
            for _ in range(4):
                for n in rng.permutation(lengths):
                    if not np.array_equal(qn.fft.fft(qn.asarray(inputs[n])).get(), alone[n]):
                        problems.append(f"thread {seed}: {n}")
                if not np.array_equal(qn.fft.fft(qn.asarray(tall), axis=0).get(), tall_alone):
                    problems.append(f"thread {seed}: tall")
        except Exception as error:
            problems.append(f"thread {seed}: {error!r}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert problems == []
