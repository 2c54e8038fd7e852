"""Averages, what leaves NaN out, covariances, differences: as NumPy has them."""

import itertools

import numpy as np
import pytest
import quern as qn
from arrays import cases, check
from quern.lib import _engine

EXACT = """
m.ptp(a) | m.ptp(a, 0) | m.ptp(a, -1, keepdims=True) | m.ptp(u) | m.ptp(i8) | m.ptp(b) | m.ptp(empty) | m.ptp(empty, 1) | m.ptp(f) | m.ptp(a, 2) | m.ptp(hollow, 1)
m.ptp(a, 0, m.zeros(4, int)) | m.nanmax(f) | m.nanmax(f, 0) | m.nanmax(f, 1, keepdims=True) | m.nanmax(n) | m.nanmax(n, 0) | m.nanmax(a) | m.nanmax(b, 1) | m.nanmax(empty) | m.nanmax(empty, 1)
m.nanmin(f) | m.nanmin(f, 0) | m.nanmin(f.T, 1) | m.nanmin(n, 1) | m.nanmin(u) | m.nanmin(f2) | m.nanmax(f2) | m.nanmax(zero) | m.nanmin(f, (0, 1)) | m.nanmax(f, 3) | m.nanmin(empty, 0)
m.nanmax(g, 0, m.zeros(4)) | m.nanmax(g, 0, m.zeros(3)) | m.nansum(a) | m.nansum(u) | m.nansum(n) | m.nansum(b, 0) | m.nansum(empty) | m.nanprod(n, 0) | m.nanprod(a, 1) | m.nanprod(empty, 0)
m.nansum(f, 0) | m.nansum(f, 0, dtype='float32') | m.nansum(f[:, ::-1], 1, keepdims=True)
m.diff(v) | m.diff(v, 2) | m.diff(v, 9) | m.diff(a, axis=0) | m.diff(t, axis=0) | m.diff(a, 1, 1) | m.diff(b) | m.diff(b, 2) | m.diff(u) | m.diff(v, prepend=0) | m.diff(v, append=[1.5])
m.diff(a, prepend=0, append=one) | m.diff(a, axis=0, prepend=7) | m.diff(zero) | m.diff(v, -1) | m.diff(a, 1, 2) | m.diff(f) | m.diff(empty) | m.diff(c) | m.diff([1, 4]) | m.diff(v, 0)
m.ediff1d(a) | m.ediff1d(v, [9]) | m.ediff1d(v, to_begin=[1, 2], to_end=3) | m.ediff1d(u) | m.ediff1d(u, 1) | m.ediff1d(v, 1.5) | m.ediff1d([]) | m.ediff1d([1]) | m.ediff1d(f4, to_end=m.asarray(1.5)) | m.ediff1d(b)
m.gradient(v) | m.gradient(g) | m.gradient(a) | m.gradient(g, 2.0) | m.gradient(g, 2, 3.5) | m.gradient(g, axis=0) | m.gradient(g, axis=(1, 0)) | m.gradient(g, edge_order=2) | m.gradient(f4) | m.gradient(t, axis=-1)
m.gradient(v, edge_order=3) | m.gradient(m.zeros(1)) | m.gradient(m.zeros(2), edge_order=2) | m.gradient(g, 1, 2, 3) | m.gradient(g, w, axis=0) | m.gradient(g, a, 1) | m.gradient(g, axis=2) | m.gradient(c8) | m.gradient(b[0])
m.gradient(g, axis=(0, 0)) | m.gradient(v, m.arange(6)) | m.gradient(u) | m.gradient(m.zeros(2)) | m.gradient(zero)
m.sum(zero, 0) | m.max(zero, -1) | m.sum(zero, (0,)) | m.sum(zero, 1) | m.nanmax(zero, 0) | m.count_nonzero(zero, 0) | m.mean(zero, 0) | m.std(zero, 0) | m.ptp(zero, -1) | m.all(zero, 0) | m.cumsum(zero, 0)
m.sum(a, True) | m.max(a, axis=True) | m.argmax(a, True) | m.cumsum(a, True) | m.nansum(a, True) | m.average(a, [0, 1]) | m.cumulative_sum(a, axis=(-1,)) | m.cumulative_sum(a, axis=(0, 1)) | m.cumulative_sum(v, axis=(0,))
"""

CLOSE = """
m.average(a) | m.average(g, 0) | m.average(a, 1, keepdims=True) | m.average(g, 1, w) | m.average(g, weights=g) | m.average(a, 0, [1, 2, 3]) | m.average(g, weights=w) | m.average(g, 0, w)
m.average(g, (0, 1), g) | m.average(a, returned=True) | m.average(g, 0, [1, 2, 3], returned=True) | m.average(g, 1, [1, -1, 0, 0]) | m.average(f4, 1, [1, 2, 3]) | m.average(f4, 0, weights=f4, returned=True)
m.average(q, (0, 1), weights=m.ones((2, 3))) | m.average(q, (1, 0), weights=[[1, 2], [3, 4], [5, 6]]) | m.average(a, (0, 0)) | m.average(a, 2) | m.average(g, 1, w, keepdims=True) | m.average(c8, weights=[1, 2, 3]) | m.average(u)
m.average(f4, axis=1, returned=True) | m.average(f4)
m.nanmean(f) | m.nanmean(f[:, :2], 0) | m.nanmean(n, 1) | m.nanmean(a, 1) | m.nanmean(g, keepdims=True) | m.nanmean(f4) | m.nanmean(empty) | m.nanmean(empty, 0) | m.nanmean(c) | m.nanmean(g, dtype=int)
m.nanvar(f[2]) | m.nanvar(g, 0) | m.nanvar(f[:, :2], 0, ddof=1) | m.nanvar(n) | m.nanvar(a) | m.nanvar(f4, 1, keepdims=True) | m.nanvar(f[:2, :2], 1, ddof=2) | m.nanvar(c) | m.nanvar(g, dtype=int)
m.nanstd(f[:, 1]) | m.nanstd(g, 1) | m.nanstd(a, 0) | m.nanstd(f4, 0, ddof=1) | m.nanstd(g, 0, 'float32') | m.nanvar(g, (0, 1)) | m.nansum(f2) | m.nanmean(f2) | m.nanprod(f4)
m.nansum(c) | m.nanmean(g, 0, out=m.zeros(4)) | m.nanstd(empty) | m.nanmean(g, 0, out=m.zeros(4, int))
m.cov(g) | m.cov(g, rowvar=False) | m.cov(w) | m.cov(g[0], g[1]) | m.cov(g, bias=True) | m.cov(g, ddof=0) | m.cov(g, ddof=1.5) | m.cov(a) | m.cov(f4) | m.cov(q) | m.cov(g, fweights=[1, 2, 0, 1]) | m.cov(g, aweights=w)
m.cov(g, fweights=[1, 2, 3, 1], aweights=w) | m.cov(g, fweights=[1.5, 1, 1, 1]) | m.cov(g, fweights=[-1, 1, 1, 1]) | m.cov(g, aweights=[1, 2]) | m.cov(g, fweights=g) | m.cov(c8, c8[::-1]) | m.cov(m.zeros((0, 3)))
m.cov(f4, dtype='float32') | m.cov(one) | m.cov(g, g[:2], rowvar=False) | m.cov(g[0], g[1], rowvar=False) | m.cov(g, aweights=w, ddof=0) | m.corrcoef(g) | m.corrcoef(w) | m.corrcoef(g[0], g[2]) | m.corrcoef(g, rowvar=False) | m.corrcoef(c8, c8[::-1])
m.trapezoid(v) | m.trapezoid(g, axis=0) | m.trapezoid(g, w) | m.trapezoid(g, dx=0.5) | m.trapezoid(g, g) | m.trapezoid(g, [1, 2, 4], axis=0) | m.trapezoid(a, axis=2) | m.trapezoid(empty) | m.trapezoid(empty, axis=0) | m.trapezoid(g, v) | m.trapezoid(c8) | m.trapezoid(w, g) | m.trapezoid(zero)
m.gradient(g, [0, 1, 3], [0, 1, 2, 4]) | m.gradient(g, m.asarray([0.0, 1.0, 3.0]), axis=0, edge_order=2) | m.gradient(v, [0, 1, 3, 4, 9, 10], edge_order=2) | m.gradient(f4, [1, 2, 4], axis=1) | m.gradient(g, 0.3, edge_order=2)
"""


@pytest.mark.parametrize("case", cases(EXACT))
def test_exact(case):
    check(case)


@pytest.mark.parametrize("case", cases(CLOSE))
def test_close(case):
    check(case, exact=False)


COMPILED = """
m.ptp(a, 0) | m.nanmax(f, 0) | m.nanmean(f[:, :2], 0) | m.nanvar(f[:, :2], 0, ddof=1) | m.average(g, 1, w) | m.cov(g, aweights=w) | m.corrcoef(g)
m.gradient(g, edge_order=2) | m.trapezoid(g, w) | m.diff(a, prepend=0, append=one) | m.nanmin(f2) | m.nansum(c)
"""


@pytest.mark.parametrize("case", cases(COMPILED))
def test_in_both_tiers(case, tier):
    check(case, exact=False)


def test_parts_of_single_complex_numbers(device):
    """The part of a number that is computed on the way is no number of the same kernel."""
    for limit in (0, _engine.tier0_limit):
        _engine.set_tier0_limit(limit)
        try:
            for dtype in ("complex64", "complex128"):
                x = np.asarray(1.5 - 2j).astype(dtype)
                a = qn.asarray(x)
                twice = a * 2 + 1
                parts = [twice.real + 1, twice.imag.sum(), (twice * twice.conj()).real * 2, qn.var(a), (a + a).sum().real * a.imag]
                want = x * 2 + 1
                wants = [want.real + 1, want.imag, (want * want.conj()).real * 2, np.var(x), (x + x).real * x.imag]
                for got, expected in zip(parts, wants, strict=True):
                    np.testing.assert_allclose(qn.asnumpy(got), expected, rtol=1e-6)
                many = qn.asarray(np.full(5000, x))
                total = many.sum()
                np.testing.assert_allclose(qn.asnumpy(many.real / total.real), 1 / 5000, rtol=1e-5)
        finally:
            _engine.set_tier0_limit(_engine.tier0_limit)


# Around the lanes, the chunks and the blocks that sums go by.
@pytest.mark.parametrize("shape", [(33, 513), (100, 1000), (4097, 70), (8200, 3), (40, 1), (1, 700)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_sums_and_greatest_of_rows_and_columns(shape, dtype, device):
    rng = np.random.default_rng(shape[0])
    a = (rng.standard_normal(shape) * 9).astype(dtype)
    for axis in (0, 1, None):
        x = qn.array(a)
        total, square, most = x.sum(axis=axis), (x * x).sum(axis=axis), x.real.max(axis=axis)
        wide = a.astype("complex128" if dtype == "complex64" else "float64" if dtype == "float32" else a.dtype)
        near = {"rtol": 1e-5, "atol": 1e-3} if dtype in ("float32", "complex64") else {"rtol": 1e-12, "atol": 1e-10}
        np.testing.assert_allclose(qn.asnumpy(total), wide.sum(axis=axis), **near)
        np.testing.assert_allclose(qn.asnumpy(square), (a * a).astype(wide.dtype).sum(axis=axis), **near)
        np.testing.assert_array_equal(qn.asnumpy(most), a.real.max(axis=axis))


@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("ddof", [0, 1])
def test_moments_of_many_short_floats(device, axis, ddof):
    """70,000 elements are more than float16 can count, and their sums are larger than its largest number."""
    values = np.where(np.arange(70_000) % 2 == 0, 1.0, 9.0)
    given = qn.asarray(values.astype("float16"))
    for name in ("var", "std"):
        got = getattr(qn, name)(given, axis=axis, ddof=ddof)
        assert got.dtype == np.float16
        np.testing.assert_allclose(float(got), getattr(np, name)(values, ddof=ddof), rtol=1e-3)
    assert float(qn.mean(given, axis=axis)) == 5.0


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("values", [5.0, [1.0, 2.0, 3.0]])
def test_a_mean_that_is_larger_than_the_array(device, name, values):
    """NumPy divides by the count of the smaller array then, which is nothing anybody wants."""
    with pytest.raises(ValueError, match="a mean of shape"):
        getattr(qn, name)(values, mean=qn.ones((2, 3)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("percentile(x, 150)", r"\[percentile\] 150 is not in the range \[0, 100\]"),
        ("nanpercentile(x, [50, -1])", r"\[nanpercentile\] -1 is not in the range \[0, 100\]"),
        ("percentile(x, numpy.array(100.5))", r"\[percentile\] 100.5 is not in the range \[0, 100\]"),
        ("quantile(x, 1.5)", r"\[quantile\] 1.5 is not in the range \[0, 1\]"),
        ("nanquantile(x, -0.1)", r"\[nanquantile\] -0.1 is not in the range \[0, 1\]"),
        ("percentile(x, 50, method='q')", r"\[percentile\] 'q' is not a valid method"),
    ],
)
def test_errors_of_quantiles_name_the_function_called(call, said):
    with pytest.raises(ValueError, match=said):
        eval(f"qn.{call}", {"qn": qn, "numpy": np, "x": qn.array([1.0, 2.0, 3.0])})


@pytest.mark.parametrize("n", [1, 2, 31, 33, 129, 1000, 5003, 140_000])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16", "float16"])
def test_medians_and_quantiles_select_from_lines_in_any_order(dtype, n, device):
    rng = np.random.default_rng(n)
    numbers = (rng.normal(size=n) * 50).astype(dtype)
    lines = {"any": numbers, "equal": np.full(n, 3, dtype), "few": rng.integers(0, 3, n).astype(dtype), "falling": np.sort(numbers)[::-1].copy()}
    if dtype.startswith("float"):
        lines["NaN"] = np.where(np.arange(n) == n // 3, np.nan, numbers).astype(dtype)
        lines["infinite"] = np.where(np.arange(n) % 3 == 0, np.inf, numbers).astype(dtype)
    for what, host in lines.items():
        x = qn.asarray(host, device=device)
        with np.errstate(invalid="ignore"):
            expected = np.median(host), np.percentile(host, [0, 12.5, 50, 99.9, 100]), np.quantile(host, [0.2, 0.7], method="lower")
        found = qn.median(x), qn.percentile(x, [0, 12.5, 50, 99.9, 100]), qn.quantile(x, [0.2, 0.7], method="lower")
        for ours, theirs in zip(found, expected, strict=True):
            assert np.asarray(ours).dtype == theirs.dtype, what
            np.testing.assert_allclose(np.asarray(ours), theirs, rtol=2e-3 if dtype == "float16" else 1e-6, err_msg=what)


@pytest.mark.parametrize("inner", [32, 33, 49, 64, 100, 784, 5000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
def test_sums_over_outer_and_inner_axes(device, inner, dtype):
    """The order of additions follows from logical positions: the same bits as over one axis of the same elements."""
    generator = np.random.default_rng(inner)
    for outer in (2, 7, 200 if inner < 200 else 3):
        numbers = (generator.standard_normal((outer, 5, inner)) * 100).astype(dtype)
        a, rows = qn.array(numbers), qn.array(np.moveaxis(numbers, 1, 0).reshape(5, -1))
        for reduce in ("sum", "max", "any") if dtype != "complex64" else ("sum", "any"):
            found, in_rows = (qn.asnumpy(getattr(x, reduce)(axis)) for x, axis in ((a, (0, 2)), (rows, 1)))
            np.testing.assert_array_equal(found, in_rows)
        wanted = numbers.astype("complex128" if dtype == "complex64" else "float64").sum((0, 2))
        np.testing.assert_allclose(qn.asnumpy(a.sum((0, 2))), wanted, rtol=1e-4, atol=1e-4 * np.sqrt(outer * inner))
        stored = qn.where(a.real > 0, a, 0)  # stored by the same kernel
        sums = stored.sum((0, 2))
        np.testing.assert_allclose(qn.asnumpy(sums), np.where(numbers.real > 0, numbers, 0).sum((0, 2)), rtol=1e-4, atol=1e-2)
        np.testing.assert_array_equal(qn.asnumpy(stored), np.where(numbers.real > 0, numbers, 0))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool"])
@pytest.mark.parametrize("shape", [(3, 40, 5, 7), (2, 33, 3, 130), (50, 40, 8), (3, 50, 2), (7, 9, 11, 13, 20), (40, 1000), (600, 3, 40)], ids=str)
def test_reductions_of_columns_beside_other_axes(device, shape, dtype):
    """Any axes but the last: what each block's columns have lies side by side in one row."""
    numbers = np.random.default_rng(3).integers(-9, 9, shape).astype(dtype)
    a = qn.array(numbers)
    for count in range(1, len(shape)):
        for axes in itertools.combinations(range(len(shape) - 1), count):
            for reduce in ("sum", "max", "any"):
                found, wanted = getattr(qn, reduce)(a, axes), getattr(np, reduce)(numbers, axis=axes)
                assert found.dtype == wanted.dtype and found.shape == wanted.shape
                np.testing.assert_array_equal(qn.asnumpy(found), wanted)
            turned = qn.transpose(a)  # the same in another order of memory
            other = tuple(len(shape) - 1 - axis for axis in axes)
            np.testing.assert_array_equal(qn.asnumpy(turned.sum(other)), numbers.T.sum(other))
