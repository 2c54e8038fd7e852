"""Sorting, searching, picking, sets, quantiles and counting, natively: NumPy is the oracle."""


import numpy as np
import pytest
import quern as qn
from arrays import cases, check, same

pytestmark = pytest.mark.usefixtures("no_fallback")

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
SHAPES = [(1,), (17,), (3, 40), (300,), (4, 2048), (2, 2049), (0,), (3, 0), (0, 3), (5, 7, 6)]


def values(dtype, shape, seed=0):
    """Values with ties, both zeros, NaN and infinities."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        spread = rng.integers(ends.min, ends.max, shape, dtype=dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.5, rng.integers(0, 9, shape).astype(dtype), spread)

    def part():
        x = np.round(rng.normal(size=shape) * 3, 1)
        for value, share in ((np.nan, 0.02), (-0.0, 0.05), (0.0, 0.05), (np.inf, 0.01), (-np.inf, 0.01)):
            x[rng.random(shape) < share] = value
        return x

    if dtype.kind == "c":
        out = np.empty(shape, dtype)
        out.real, out.imag = part(), part()
        return out
    return part().astype(dtype)


def equal(got, want):
    same(got, np.asarray(want))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sort_and_argsort(device, dtype, shape):
    x = values(dtype, shape)
    a = qn.asarray(x)
    for axis in [None, *range(-1, len(shape))]:
        equal(qn.sort(a, axis=axis), np.sort(x, axis=axis))
        equal(qn.argsort(a, axis=axis), np.argsort(x, axis=axis, kind="stable"))
    backwards = qn.asnumpy(qn.sort(a, descending=True))[..., ::-1]
    np.testing.assert_array_equal(backwards, np.sort(x))
    order = qn.asnumpy(qn.argsort(a, descending=True))
    np.testing.assert_array_equal(np.take_along_axis(x, order, -1)[..., ::-1], np.sort(x))
    if x.size and x.dtype.kind in "iu":  # ties stay as they stand
        wanted = np.argsort(-x.astype(float), axis=-1, kind="stable")
        np.testing.assert_array_equal(np.take_along_axis(x, order, -1), np.take_along_axis(x, wanted, -1))
        ties = np.diff(np.take_along_axis(x, order, -1).astype(float)) == 0
        assert (np.diff(order)[ties] > 0).all()


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "complex64", "uint64"])
def test_large(device, dtype):
    x = values(dtype, 200_000)
    a = qn.asarray(x)
    equal(qn.sort(a), np.sort(x))
    equal(qn.argsort(a), np.argsort(x, kind="stable"))
    equal(qn.sort(a[::-2]), np.sort(x[::-2]))
    equal(qn.argmax(a), np.argmax(x))
    equal(qn.argmin(a), np.argmin(x))
    equal(qn.sort(a.reshape(2, -1)), np.sort(x.reshape(2, -1)))
    got, want = qn.unique(a, True, True, True), np.unique(x, True, True, True)
    for ours, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(qn.asnumpy(ours), theirs)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32", "float64", "int64", "uint64"])
def test_every_short_length(device, dtype):
    """Parts of vectors, many equal keys, the greatest key of all, NaN and both zeros."""
    rng = np.random.default_rng(1)
    for n in [*range(70), 127, 128, 129, 255, 257, 1000, 4095]:
        for values in (rng.standard_normal(n) * 1000, rng.integers(0, 4, n), np.arange(n)[::-1], np.zeros(n)):
            with np.errstate(invalid="ignore"):
                x = np.asarray(values).astype(dtype)
            if n > 3 and x.dtype.kind == "f":
                x[[0, n // 2]], x[1], x[2] = np.nan, -np.inf, -0.0
            elif n > 3:
                x[[0, n // 2]], x[1] = np.iinfo(dtype).max, np.iinfo(dtype).min
            np.testing.assert_array_equal(qn.asnumpy(qn.sort(qn.asarray(x))), np.sort(x))


def test_sort_method(device):
    x = values("float32", (6, 50))
    for view in (np.s_[:], np.s_[::-1, ::3], np.s_[2]):
        for axis in (-1, 0):
            want, a = x.copy(), qn.asarray(x)
            want[view].sort(axis=axis)
            a[view].sort(axis=axis)
            equal(a, want)
    a = qn.asarray(x)
    assert a.sort() is None
    a = qn.asarray([3, 1, 2])
    a.partition(1)
    equal(a, np.array([1, 2, 3]))


def test_bfloat16(device):
    x = np.array([2.5, -1.0, 0.0, np.nan, -np.inf, 3.0, -1.0], np.float32)
    a = qn.asarray(x).astype("bfloat16")
    equal(qn.sort(a).astype("float32"), np.sort(x))
    equal(qn.argsort(a), np.argsort(x, kind="stable"))
    equal(qn.argmax(a), np.argmax(x))
    equal(qn.argmin(a[:3]), np.argmin(x[:3]))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1,), (40,), (3, 40), (5000,), (3, 2, 50), (70, 3), (2, 3000)], ids=str)
def test_extremes(device, dtype, shape):
    for x in (values(dtype, shape), np.nan_to_num(values(dtype, shape, 1))):
        a = qn.asarray(x)
        for axis in [None, *range(-1, len(shape))]:
            for name in ("argmax", "argmin"):
                equal(getattr(qn, name)(a, axis=axis), getattr(np, name)(x, axis=axis))
                equal(getattr(a, name)(axis, keepdims=True), getattr(np, name)(x, axis=axis, keepdims=True))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(device, dtype, side):
    x, v = np.sort(values(dtype, 300)), values(dtype, (5, 40), 1)
    equal(qn.searchsorted(qn.asarray(x), qn.asarray(v), side), np.searchsorted(x, v, side))
    equal(qn.asarray(x).searchsorted(x[7], side), np.searchsorted(x, x[7], side))


TABLE = """
m.argmax(a) | m.argmax(a, 0) | a.argmin(axis=1) | m.argmax(f, 1) | m.argmin(f) | m.argmax(c) | m.argmin(c, 1) | m.argmax(empty, 1)
m.argmax(empty) | m.argmax(hollow, 1) | m.argmax(a, 2) | m.argmax(zero) | m.argmin(zero, 0) | m.argmax(b, axis=0)
o = m.zeros(3, dtype=int); m.argmax(a, 1, o); o | m.argmax(a, 1, m.zeros(2, dtype=int))
m.nanargmax(f) | m.nanargmin(f, 0) | m.nanargmax(n) | m.nanargmin(a, 1) | m.nanargmax(f, 1, keepdims=True)
m.sort(f) | m.sort(f, 0) | m.sort(f, None) | m.sort(c) | m.sort(t, 0) | m.sort(r) | m.sort(q, 1) | m.sort(v, kind='heapsort') | m.sort(zero)
m.sort(v, kind='x') | m.sort(v, order='x') | m.sort(v, kind='stable', stable=True) | m.sort(a, 3) | m.sort(v, stable=True)
m.argsort(v) | m.argsort(a, 0) | m.argsort(f, None, kind='stable') | m.argsort(zero) | m.argsort(v, kind=3) | v.argsort() | m.argsort(i8)
m.partition(v, 9) | m.partition(v, 1.5) | m.argpartition(v, -9) | m.lexsort((v, v)) | m.lexsort((a[0], -a[1])) | m.lexsort(a) | m.lexsort(())
m.lexsort((a, a * 0), axis=0) | m.lexsort((a[0], v)) | m.sort_complex(v) | m.sort_complex(u) | m.sort_complex(c8)
m.searchsorted(m.sort(v), [0, 4, 100]) | m.searchsorted(v, 3, sorter=m.argsort(v)) | m.searchsorted(a, 3) | m.searchsorted(v, 3, 'x')
m.searchsorted(m.sort(v), 3.5) | m.searchsorted(m.sort(v), v, 'right', [1, 2]) | m.searchsorted(m.sort(f, None), [0.0, nan, -inf])
m.digitize(w, [0, 1, 5]) | m.digitize(w, [5, 1, 0]) | m.digitize(w, [0.25, 4], True) | m.digitize(w, [1, 0, 2]) | m.digitize(c8, [0, 1])
m.digitize(v, [3]) | m.digitize(f, [-1, 0, 2.5])
m.nonzero(a) | m.nonzero(f) | m.nonzero(b) | m.nonzero(zero) | a.nonzero() | m.where(b) | m.nonzero(empty) | m.nonzero(c)
m.flatnonzero(b) | m.argwhere(a > 2) | m.argwhere(zero) | m.argwhere(b) | m.argwhere(hollow) | m.count_nonzero(f) | m.count_nonzero(b, 0)
m.take(a, [1, -1]) | m.take(a, [[1, 0], [2, 2]], 1) | m.take(a, 1, 0) | m.take(q, [1, 0], 1) | m.take(q, [[0, 1]], 2) | a.take(3)
m.take(v, [7, -8], mode='wrap') | m.take(v, [7, -8], mode='clip') | m.take(v, m.asarray([0.5])) | m.take(empty, [0], 0) | m.take(zero, [0, 0])
m.take(a, [True, False], 0) | m.take(q, 1, 1) | m.take(t, [2, 1], 0) | m.take(a, [], 0) | m.take(v, [1], mode='x') | m.take(empty, [1], 1)
o = m.zeros(2, dtype=int); m.take(v, [1, 2], out=o); o | m.take(v, [1, 2], out=m.zeros(3, dtype=int))
m.take_along_axis(a, m.argsort(a, 1), 1) | m.take_along_axis(a, m.argsort(a, 0), 0) | m.take_along_axis(a, m.asarray([[1], [0], [2]]), 1)
m.take_along_axis(a, m.asarray([1, 2]), None) | m.take_along_axis(a, m.asarray([1]), 0) | m.take_along_axis(f, m.asarray([[0, -1, 1, 2]]), 0)
m.put_along_axis(a, m.asarray([[1], [0], [2]]), 99, 1); a | m.put_along_axis(t, m.asarray([[1, 2, 0]]), v[:3], 0); a
m.put(v, [0, 2], [7, 8]); v | m.put(a, [0, -1, 5], 9); a | m.put(t, [1, 5], [7]); a | m.put(v, [9, -9], 1, mode='clip'); v
m.put(v, [9, -9], [1, 2], mode='wrap'); v | m.put(v, [0, 1, 2], [5, 6]); v | a.put([1, 2], 5); a | m.put(r, [0, 5], [1, 2]); a
m.choose([0, 1, 0, 1], [w, -w]) | m.choose([0, 2], [v[:2], v[2:4]]) | m.choose([0, 2, -1], [[1, 2, 3], [4, 5, 6]], mode='wrap')
m.choose([0, 9, -1], [[1, 2, 3], [4, 5, 6]], mode='clip') | m.choose(b * 1, [1.5, 2]) | (v % 2).choose([v, v * 10]) | m.choose(b, [u[:3], i8[:3]])
m.compress([True, False, True], a, 0) | m.compress([0, 1], a, 1) | m.compress([1, 0, 1], v) | a.compress([1, 0, 1, 1], axis=1) | m.compress(b, a)
m.extract(a > 2, a) | m.extract(b, m.arange(6)) | m.extract(t > 0, t)
m.place(a, a > 2, [1, 2, 3]); a | m.place(a, a > 2, []); a | m.place(a, b, [1]) | m.place(t, t > 2, [7, 8]); a | m.place(f, m.isnan(f), 0); f
m.putmask(a, a > 2, a * 10); a | m.putmask(a, a > 2, [1, 2, 3]); a | m.putmask(a, b, 1) | m.putmask(v, v > 0, w) | m.putmask(w, w > 1, [5]); w
m.copyto(a, 5, where=a > 2); a
m.unique(v) | m.unique(a, True, True, True) | m.unique(f, return_counts=True) | m.unique(f, equal_nan=False) | m.unique(c) | m.unique(b)
m.unique(a % 2, axis=0) | m.unique(a % 2, True, True, True, axis=1) | m.unique(empty) | m.unique(zero, True, True, True) | m.unique(u)
m.unique(v, axis=0) | m.unique(v, axis=1) | m.unique(q % 2, return_inverse=True, axis=-1) | m.unique([], True, True, True)
m.unique_all(v) | m.unique_counts(f) | m.unique_inverse(a) | m.sort(m.unique_values(v))
m.isin(a, [3, 5]) | m.isin(a, m.arange(-3, 40, 2)) | m.isin(f, m.linspace(-3, 3, 49)) | m.isin(v, a, invert=True) | m.isin(v, [], kind='table')
m.isin(w, [1.0], kind='table') | m.isin(v, [1], kind='x') | m.isin(zero, m.arange(30)) | m.isin(f, m.concatenate((f.ravel(), f.ravel())))
m.union1d(v, [3, 77]) | m.intersect1d(v, [9, 4, 4, 8]) | m.intersect1d(v, [4, 9, 4], return_indices=True) | m.setdiff1d(v, [4, 9])
m.setxor1d(v, [4, 9, 10]) | m.intersect1d(v, [4, 9], True) | m.intersect1d(v, [4, 9], True, True) | m.setdiff1d(v, [4], True)
m.setxor1d([], []) | m.union1d(f, f) | m.setxor1d(v, [4, 4, 9], True) | m.intersect1d(v, [])
m.bincount([0, 2, 2, 7]) | m.bincount([0, 2], minlength=6) | m.bincount([]) | m.bincount([-1, 2]) | m.bincount(m.asarray([0.5])) | m.bincount(a) | m.bincount(u)
m.bincount([0, 2, 2], [0.5, 1, 2]) | m.bincount([0, 1], [1.0]) | m.bincount([1], minlength=-1) | m.bincount([], minlength=3) | m.bincount(zero)
m.histogram(v) | m.histogram(v, 3) | m.histogram(w, [0, 1, 5]) | m.histogram(v, 4, (0, 5)) | m.histogram(g, 5, density=True) | m.histogram(b, 2)
m.histogram(v, 3, weights=v) | m.histogram(w, [0, 1, 5], weights=w) | m.histogram(v, 0) | m.histogram(v, [3, 1]) | m.histogram(v, 3, (5, 1))
m.histogram(f) | m.histogram([]) | m.histogram([2, 2, 2]) | m.histogram(f4, 7) | m.histogram(v, 2.5) | m.histogram_bin_edges(v, 4)
m.histogram(u, 5) | m.histogram(i8, 9) | m.histogram(f, 5, (-2, 2)) | m.histogram(m.linspace(0, 1, 50), 10)
m.take(v, 2.5) | m.take(v, [1.5]) | m.take(v, np.float64(1)) | m.take(v, 1j) | m.sort_complex(f4) | m.sort_complex(u) | m.linalg.matrix_rank(empty) | m.linalg.matrix_rank(hollow)
m.union1d(u, 2) | m.union1d(u, 1.5) | m.arange(3, np.int8(9)) | m.arange(np.float32(3)) | m.arange(np.uint64(3)) | m.linalg.norm(empty, 2) | m.linalg.norm(hollow, m.inf)
m.linalg.norm(empty, -2) | m.linalg.norm(hollow, -1) | m.linalg.norm(empty[0, :0], m.inf) | m.concatenate((u, 2), None) | m.concatenate((u, 300), None) | m.concatenate((2, 3), None)
m.concatenate((f4, 1j), None) | m.concatenate((u, np.int64(2)), None) | m.clip(b, 0, np.float32(2)) | m.clip(u, i8, np.float16(2)) | m.clip(i8, 0, np.float16(1)) | m.clip(b, 0, 1)
m.nan_to_num(f2, nan=m.asarray(5.0)) | m.nan_to_num(f4, nan=m.zeros(7)) | m.nan_to_num(w, nan=a) | m.nan_to_num(w, nan=1j)
m.put(i8, [0], 300) | m.put(u, 1, m.asarray(300)); u | m.place(i8, i8 > 0, [300]) | m.putmask(i8, i8 > 0, 300) | m.putmask(u, u > 3, 7); u | m.putmask(b, b, 2); b | m.putmask(u, u > 3, m.asarray([1])) | m.putmask(v, v > 0, [1.5])
"""


@pytest.mark.parametrize("case", cases(TABLE))
def test_table(device, tier, case):
    check(case, exact="histogram" not in case)


QUANTILES = """
m.median(a) | m.median(a, 0) | m.median(v) | m.median(f) | m.median(f, 1) | m.median(g, (0, 1)) | m.median(q, (0, 2)) | m.median(f2) | m.median(b)
m.median(g, 0, keepdims=True) | m.median(empty, 1) | m.median(f4, 1) | m.median(c8) | m.median(zero) | m.median(a, keepdims=True)
o = m.zeros(4); m.median(a, 0, o); o | m.median(a, 5) | m.median(a, (0, 0)) | m.median([])
m.nanmedian(f) | m.nanmedian(f, 0) | m.nanmedian(f, 1, keepdims=True) | m.nanmedian(n, 1) | m.nanmedian(a, 1) | m.nanmedian(f2) | m.nanmedian(g, 0)
m.percentile(a, 30) | m.percentile(a, [0, 25, 100], 1) | m.percentile(f, 50, 1) | m.percentile(f4, 40) | m.percentile(f4, [40, 50]) | m.percentile(v, 101)
m.quantile(g, 0.3, 0) | m.quantile(g, [[0.1, 0.9]], (0, 1)) | m.quantile(q, [0.2, 0.7], 1, keepdims=True) | m.quantile(a, -0.1) | m.quantile(c, 0.5)
m.quantile(v, 0.5, method='x') | m.quantile(f, [0.1, 0.6]) | m.quantile(g, 1) | m.quantile(zero, 0.5) | m.quantile(u, 0.9)
m.nanquantile(f, 0.3) | m.nanquantile(f, [0.3, 0.9], 0) | m.nanpercentile(f, 25, 1) | m.nanpercentile(n, 50, 1) | m.nanquantile(a, 0.2, 1)
m.nanquantile(f, 0.4, 1, keepdims=True) | m.nanquantile(f, 0.4, method='hazen') | m.nanquantile(g, [0, 1], 1)
m.quantile(b, 1) | m.quantile(b, [0, 1]) | m.quantile(b, 0.5) | m.quantile(b, 0.5, method='lower') | m.quantile(g, []) | m.nanquantile(f, []) | m.nanquantile(f, [], 0) | m.nanpercentile(zero, [])
"""
METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear median_unbiased "
    "normal_unbiased lower higher midpoint nearest"
).split()


@pytest.mark.parametrize("case", cases(QUANTILES))
def test_quantiles(device, case):
    check(case, exact=False)


@pytest.mark.parametrize("method", METHODS)
def test_quantile_methods(device, method):
    for case in ("v, 0.3", "g, [0.0, 0.1, 0.25, 0.5, 0.77, 1.0]", "g, [0.2, 0.5], 1", "a, [0.25, 0.5, 0.75], 0", "f, 0.6, 1", "f4, 0.5"):
        check(f"m.quantile({case}, method='{method}')", exact=False)
    if method not in ("inverted_cdf", "averaged_inverted_cdf", "closest_observation"):  # NumPy computes these
        for case in ("f, 0.6", "f, [0.0, 0.3, 0.5, 1.0], 1", "n, 0.4, 0", "g, [0.2, 0.5], 1", "f4, 0.5"):
            check(f"m.nanquantile({case}, method='{method}')", exact=False)


def test_places_out_of_range(device):
    for function in (lambda a: qn.take(a, [0, 9]), lambda a: qn.take_along_axis(a, qn.asarray([7]), 0)):
        with pytest.raises(IndexError):
            qn.asnumpy(function(qn.asarray([1, 2, 3])))
    with pytest.raises(IndexError):
        a = qn.asarray([1, 2, 3])
        qn.put(a, [5], 1)
        qn.asnumpy(a)


def test_large_counts(device):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 300, 600_000)
    equal(qn.bincount(qn.asarray(x)), np.bincount(x))
    wide = rng.integers(0, 400_000, 600_000)
    equal(qn.bincount(qn.asarray(wide)), np.bincount(wide))
    w = rng.random(600_000)
    np.testing.assert_allclose(qn.asnumpy(qn.bincount(qn.asarray(x), qn.asarray(w))), np.bincount(x, w))
    y = rng.normal(size=200_000).astype(np.float32)
    for got, want in zip(qn.histogram(qn.asarray(y), 50), np.histogram(y, 50), strict=True):
        np.testing.assert_array_equal(qn.asnumpy(got), want)


def test_unserved_goes_to_the_host(device):
    qn.set_fallback("silent")
    x = np.arange(12).reshape(3, 4)
    same(
        qn.quantile(qn.asarray(x), 0.5, weights=np.ones((3, 4)), method="inverted_cdf"),
        np.quantile(x, 0.5, weights=np.ones((3, 4)), method="inverted_cdf"),
    )
    same(qn.histogram(qn.asarray(x), "auto")[0], np.histogram(x, "auto")[0])
    y = np.zeros((3, 70), int)
    same(qn.unique(qn.asarray(y), axis=0), np.unique(y, axis=0))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(
    "bins", [[0, 1, np.nan], [np.nan, 1, 0], [0, 1, np.nan, np.nan], [np.nan], [np.nan, np.nan], [0, 1, 1, 2], [2, 1, 1, 0], [1, 1, 1], [], [np.nan, 2, 1, 1], [0, np.nan, 1]]
)
def test_digitize_with_edges_that_are_nan(device, quiet, bins, right):
    x, bins = np.array([-1, 0, 0.5, 1, 1.5, 2, 3, np.nan, np.inf]), np.array(bins, float)
    np.testing.assert_array_equal(qn.asnumpy(qn.digitize(x, bins, right)), np.digitize(x, bins, right))


@pytest.mark.parametrize("dtype", "f2 f4 f8 i4 i8 u1".split())
def test_the_first_extreme_of_lines_of_all_lengths(device, dtype):
    """NaN first of all, infinities, zeros of both signs; lengths around those that vectors and threads take at once."""
    rng = np.random.default_rng(8)
    for n in (1, 5, 31, 33, 63, 64, 65, 127, 128, 200, 5000, 20_000, 600_001):
        for special in ((), (np.nan,), (np.inf, -np.inf), (-0.0, 0.0), (np.nan, np.inf)) if dtype[0] == "f" else ((), (1, 2)):
            a = (rng.random(n) * 100).astype(dtype)
            for value in special:
                a[rng.integers(0, n, 2)] = value
            x = qn.asarray(a)
            assert (int(qn.argmax(x)), int(qn.argmin(x))) == (np.argmax(a), np.argmin(a)), (n, special)
