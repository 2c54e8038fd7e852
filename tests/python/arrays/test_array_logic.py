"""Tests of values and types, and rounding: as NumPy has them."""

import pytest
from arrays import cases, check

EXACT = """
m.isclose(g, g + 1e-9) | m.isclose(f, f) | m.isclose(f, f, equal_nan=True) | m.isclose(a, 4) | m.isclose(3, a) | m.isclose(1.0, 1.0 + 1e-9) | m.isclose(1, 2) | m.isclose(inf, f) | m.isclose(f4, 0.4, atol=0.1)
m.isclose(i8, -128) | m.isclose(u, 255.0) | m.isclose(g, v) | m.isclose(c, c, equal_nan=True) | m.isclose(g, one, rtol=[[0.1], [1], [2]]) | m.isclose(b, b) | m.isclose(f4, f4.astype('float64')) | m.isclose(u, i8)
m.allclose(g, g) | m.allclose(f, f) | m.allclose(f, f, equal_nan=True) | m.allclose(empty, 1) | m.allclose(a, a + 1) | m.allclose([1e10, 1e-7], [1.00001e10, 1e-8])
m.array_equal(a, a) | m.array_equal(a, t) | m.array_equal(f, f) | m.array_equal(f, f, True) | m.array_equal(a, a, equal_nan=True) | m.array_equal(3, 3) | m.array_equal([1], [1.0]) | m.array_equal(empty, hollow)
m.array_equiv(a, a[:1]) | m.array_equiv([1, 1], 1) | m.array_equiv(a, v) | m.array_equiv(f, f) | m.array_equiv([1, 2], [[1, 2], [1, 2]]) | m.array_equiv(empty, 3)
m.isin(a, [1, 4]) | m.isin(a, [1, 4], invert=True) | m.isin(r, v) | m.isin(a, []) | m.isin(3, [3]) | m.isin(f, [m.nan, 2.5]) | m.isin(u, [255, 7.0]) | m.isin(empty, [1]) | m.isin(a, a, kind='no') | m.isin(g, [1], kind='table')
m.isin(b, [True]) | m.isin(a, 1, assume_unique=True) | m.isin(c, [0.5])
m.iscomplex(c) | m.iscomplex(a) | m.isreal(c) | m.isreal(f) | m.isreal(3) | m.iscomplex(1j) | m.isreal(empty) | m.iscomplexobj(c) | m.iscomplexobj(a) | m.isrealobj(a) | m.isrealobj(c8) | m.iscomplexobj(1j) | m.isrealobj([1j])
m.isposinf(f) | m.isneginf(f) | m.isposinf(a) | m.isneginf(u) | m.isposinf(c) | m.isneginf(-inf) | m.isneginf(b) | m.isposinf(f, m.zeros((3, 4), dtype=bool)) | m.isneginf(f2) | m.isposinf(f, m.zeros(3, dtype=bool))
m.isscalar(3) | m.isscalar('a') | m.isscalar([1]) | m.isscalar(a) | m.isscalar(np.float32(2)) | m.isscalar(zero)
m.nan_to_num(f) | m.nan_to_num(f, nan=-1, posinf=7, neginf=-7) | m.nan_to_num(a) | m.nan_to_num(c) | m.nan_to_num(nan) | m.nan_to_num(f.T) | m.nan_to_num(f4) | m.nan_to_num(f2) | m.nan_to_num(b) | m.nan_to_num(c8, copy=False)
m.nan_to_num(f, copy=False); f | m.nan_to_num(c[::-1], copy=False, nan=5.0); c | m.nan_to_num(f[::-1, 1:], copy=False); f | m.nan_to_num(empty)
m.around(g) | m.around(g, 1) | m.around(g, 2) | m.around(g, -1) | m.around(f, 1) | m.around(a, 1) | m.around(a * 37, -1) | m.around(a * 37, -2) | m.around(u, -1) | m.around(b) | m.around(f4, 1) | m.around(f2, 1) | m.around(c, 1) | m.around(c)
m.round(g, 3) | m.round(2.5) | m.round(zero) | m.around(g, 1, m.zeros((3, 4))) | m.around(g, 1, m.zeros(3)) | m.around(g, 0, m.zeros((3, 4), int)) | m.around(empty, 2) | m.around(i8, -2) | m.round(g * 1e5, -3) | m.around(c8, 2) | m.around(b, 1) | m.around(a, 1.5)
m.fix(f) | m.fix(a) | m.fix(g * 1.7) | m.fix(-0.5) | m.fix(c) | m.fix(f2) | m.fix(g, m.zeros((3, 4)))
m.modf(f) | m.modf(a) | m.modf(g) | m.modf(u) | m.modf(f2) | m.modf(c) | m.modf(f4) | m.modf(-0.0) | m.modf(b) | m.modf(empty) | m.divmod(a, 3) | m.divmod(a, -2) | m.divmod(g, 0.3) | m.divmod(f, 2.0) | m.divmod(u, 4) | m.divmod(c, 1) | m.divmod(a, v)
m.divmod(b, True) | m.divmod(i8, m.asarray(-1).astype('int8'))
m.result_type(f4, 2) | m.result_type(f4, 2.5, a) | m.result_type('int8', 'uint8') | m.result_type(u, i8) | m.result_type(3, 1j) | m.result_type() | m.can_cast('int32', 'float32') | m.can_cast(a.dtype, 'int8', 'same_kind') | m.can_cast(3, 'int8')
m.promote_types('int32', 'float32') | m.promote_types('f4', 'nothing') | m.min_scalar_type(300) | m.min_scalar_type(-1) | m.min_scalar_type(a) | m.min_scalar_type(zero) | m.min_scalar_type(1e50)
m.common_type(f4, a) | m.common_type(f4) | m.common_type(b) | m.common_type(c8, g) | m.common_type(f2, f4)
"""

CLOSE = """
m.angle(c) | m.angle(a) | m.angle(c, True) | m.angle(1j) | m.angle(c8) | m.angle(f) | m.angle(c8, deg=True) | m.angle(u) | m.angle(b) | m.angle(empty)
m.sinc(g) | m.sinc(a) | m.sinc(f) | m.sinc(0) | m.sinc(f4) | m.sinc(f2) | m.sinc(c8) | m.sinc(b)
"""


@pytest.mark.parametrize("case", cases(EXACT))
def test_exact(case):
    check(case)


@pytest.mark.parametrize("case", cases(CLOSE))
def test_close(case):
    check(case, exact=False)


COMPILED = """
m.isclose(f, f + 1e-9, equal_nan=True) | m.array_equiv(a, a[:1]) | m.isin(a, [1, 4]) | m.nan_to_num(c[::-1], copy=False, nan=5.0); c | m.around(g, 1) | m.around(f2, 1) | m.modf(f) | m.angle(c, True) | m.sinc(f4) | m.isneginf(f.T)
"""


@pytest.mark.parametrize("case", cases(COMPILED))
def test_in_both_tiers(case, tier):
    check(case, exact="angle" not in case and "sinc" not in case)
