"""ufunc.at and reduceat, and accumulate of what has no scan: NumPy is the oracle, and nothing of it runs on the host."""

import numpy as np
import pytest
import quern as qn
from arrays import cases, check

pytestmark = pytest.mark.usefixtures("no_fallback")


REDUCEAT = """
m.add.reduceat(v, [0, 2, 4]) | m.add.reduceat(v, [0, 2, 1, 5]) | m.add.reduceat(v, [3, 3, 0]) | m.add.reduceat(v, [0]) | m.add.reduceat(v, [5, 0])
m.add.reduceat(a, [0, 2], axis=1) | m.add.reduceat(t, [0, 2], axis=1) | m.add.reduceat(r, [1, 0]) | m.add.reduceat(q, [0, 1, 0], 1)
m.add.reduceat(i8, [0, 2]) | m.add.reduceat(u, [1, 3]) | m.add.reduceat(b, [0, 1], 1) | m.add.reduceat(v, [0, 2], dtype='f4') | m.add.reduceat(c8, [0, 1])
m.add.reduceat(v, [0, 2], 0, None, m.zeros(2)) | m.add.reduceat(v, [0, 2], out=m.zeros(2, 'i1')) | m.add.reduceat(v, [0, 2], out=m.zeros(3))
m.add.reduceat(v, []) | m.add.reduceat(v, m.asarray([], dtype=int)) | m.add.reduceat(empty, [0], axis=1) | m.add.reduceat(empty, []) | m.add.reduceat(empty, [0])
m.add.reduceat(hollow, [0, 1]) | m.add.reduceat(hollow, [0], axis=1) | m.add.reduceat(zero, [0]) | m.add.reduceat(v, 0) | m.add.reduceat(v, [[0, 1]])
m.add.reduceat(v, [-1]) | m.add.reduceat(v, [6]) | m.add.reduceat(v, [2**40]) | m.add.reduceat(v, [0.0, 1.0]) | m.add.reduceat(v, m.asarray([0.0, 1.0]))
m.add.reduceat(v, [True, False]) | m.add.reduceat(v, m.asarray([0, 2])) | m.add.reduceat(v, np.array([0, 2], np.int8)) | m.add.reduceat(v, np.array([0], np.uint64))
m.add.reduceat(v, [0, 2], axis=None) | m.add.reduceat(v, [0, 2], axis=(0,)) | m.add.reduceat(a, [0, 2], axis=None) | m.add.reduceat(v, [0], 1)
m.multiply.reduceat(v, [0, 3, 4]) | m.maximum.reduceat(v, [5, 0, 0, 3]) | m.minimum.reduceat(a, [0, 1, 3], -1) | m.maximum.reduceat(f, [0, 1], 1)
m.fmax.reduceat(f, [0, 3, 1], 1) | m.fmin.reduceat(f, [2, 1]) | m.logical_or.reduceat(v, [0, 2]) | m.logical_and.reduceat(f, [0, 1], 1) | m.logical_xor.reduceat(v, [0, 1])
m.logical_and.reduceat(v, [0, 2], dtype=int) | m.bitwise_and.reduceat(v, [0, 1]) | m.bitwise_or.reduceat(u, [0, 1]) | m.bitwise_xor.reduceat(v, [1, 4, 0])
m.bitwise_and.reduceat(w, [0]) | m.gcd.reduceat(v, [1, 4]) | m.gcd.reduceat(v, [4, 0]) | m.lcm.reduceat(v, [0, 4]) | m.subtract.reduceat(v, [0, 3]) | m.subtract.reduceat(b, [0])
m.sqrt.reduceat(w, [0]) | m.divmod.reduceat(v, [0]) | m.add.reduceat(-0.0 * w, [0, 3, 1])
"""

ROUNDED = """
m.hypot.reduceat(v, [0, 1]) | m.logaddexp.reduceat(w, [0, 1, 3]) | m.logaddexp2.reduceat(g, [0, 1], 1) | m.divide.reduceat(v, [0, 3]) | m.subtract.reduceat(g, [0, 2])
m.add.reduceat(w, [0, 1]) | m.add.reduceat(f4, [0, 1], 1) | m.multiply.reduceat(g, [1, 2], 1) | m.divide.reduceat(w, [1, 2]) | m.hypot.accumulate(g)
m.logaddexp.accumulate(g, 1) | m.logaddexp2.accumulate(w) | m.subtract.accumulate(g, 1) | m.hypot.accumulate(v) | m.subtract.accumulate(w, dtype='f4')
"""

ACCUMULATE = """
m.gcd.accumulate(v) | m.lcm.accumulate(v) | m.subtract.accumulate(v) | m.subtract.accumulate(a, 1) | m.subtract.accumulate(t, 1) | m.gcd.accumulate(r, 1)
m.gcd.accumulate(v[:1]) | m.gcd.accumulate(v[:0]) | m.subtract.accumulate(v[:0]) | m.subtract.accumulate(v[:1]) | m.subtract.accumulate(b) | m.subtract.accumulate(i8)
m.gcd.accumulate(v, out=m.zeros(6, int)) | m.gcd.accumulate(v, out=m.zeros(5, int)) | m.gcd.accumulate(w) | m.add.accumulate(v, None) | m.add.accumulate(a, None)
m.add.accumulate(v, (0,)) | m.logical_and.accumulate(v) | m.logical_and.accumulate(v, dtype=int) | m.add.accumulate(zero)
"""

AT = """
x = v; m.add.at(x, [0, 0, 2], 5); x | x = v; m.add.at(x, [0, 0, 2], [1, 2, 3]); x | x = v; m.add.at(x, [-1, 5], 1); x | x = v; m.add.at(x, [6], 1); x
x = v; m.add.at(x, [], 1); x | x = v; m.add.at(x, [0, 1], [1, 2, 3]); x | x = v; m.add.at(x, x > 0, [1, 2, 3, 4]); x | x = v; m.add.at(x, x > 0, [1, 2]); x
x = v; m.add.at(x, [[0, 1], [1, 1]], 3); x | x = a; m.add.at(x, [0, 0], [1, 2, 3, 4]); x | x = a; m.add.at(x, (slice(None), [0, 0]), 1); x | x = a; m.add.at(x, ([0, 0], [1, 1]), 9); x
x = t; m.add.at(x, [0, 3, 3], 1); x | x = r; m.add.at(x, [0, 0], 1); x | x = v[::-1]; m.add.at(x, [0, 0, 1], [1, 2, 3]); x | x = v[::2]; m.maximum.at(x, [0, 0], [7, 5]); v
x = v; m.subtract.at(x, [0, 0, 0], [1, 2, 3]); x | x = v; m.multiply.at(x, [0, 0, 0, 2], 2); x | x = v; m.maximum.at(x, [0, 0, 1], [9, 4, -3]); x
x = v; m.minimum.at(x, [0, 0, 1], [9, 2, -3]); x | x = i8; m.add.at(x, [0, 0, 1], [1, 2, 300]); x | x = u; m.add.at(x, [0, 0], 200); x | x = i8; m.add.at(x, 0, 300); x
x = v; m.bitwise_or.at(x, [0, 0, 1], [4, 8, 1]); x | x = v; m.bitwise_and.at(x, [0, 0], [2, 1]); x | x = v; m.bitwise_xor.at(x, [0, 0], [2, 1]); x
x = v.astype('u8'); m.bitwise_or.at(x, [3, 3], [4, 8]); x | x = v.astype('i4'); m.bitwise_xor.at(x, [3, 3], [4, 8]); x | x = v.astype('u8'); m.add.at(x, [0, 0], 1); x
x = v.astype('i4'); m.maximum.at(x, [0, 0], m.asarray([5, 6])); x | x = v.astype('i4'); m.add.at(x, [1, 1], [2, 3]); x | x = v.astype('u4'); m.minimum.at(x, [1, 1], [2, 3]); x
x = v; m.add.at(x, [0, 0], 1.75); x | x = v; m.add.at(x, [0, 0], [1.5, 1.5]); x | x = v; m.divide.at(x, [1, 2], 2); x | x = v; m.divide.at(x, [2, 2], 2); x
x = w; m.add.at(x, [0, 0, 1], [1, 2.5, 3]); x | x = w; m.subtract.at(x, [0, 0], [0.5, 0.25]); x | x = w; m.maximum.at(x, [0, 0, 1, 1], [nan, 9, 1, nan]); x
x = w.astype('f4'); m.minimum.at(x, [0, 0], [-1, -2]); x | x = w; m.fmax.at(x, [0, 0, 1], [nan, 9, 1]); x | x = c; m.add.at(x, ([0, 0], [0, 0]), 1 + 1j); x
x = c8; m.subtract.at(x, [0, 0], [1j, 2]); x | x = b; m.add.at(x, ([0, 0], [1, 1]), True); x | x = b; m.logical_xor.at(x, ([0, 0], [1, 1]), True); x | x = b; m.subtract.at(x, [0], True); x
x = v; m.power.at(x, [0, 0], 2); x | x = v; m.floor_divide.at(x, [5, 5], 2); x | x = v; m.gcd.at(x, [5, 5], [6, 4]); x | x = v; m.logical_and.at(x, [0, 0], [3, 0]); x
x = v; m.negative.at(x, [0, 0, 1]); x | x = v; m.invert.at(x, [0, 0, 0]); x | x = w; m.sqrt.at(x, [3, 3]); x | x = v; m.sqrt.at(x, [2]); x | x = v; m.equal.at(x, [0], 3); x
x = zero; m.add.at(x, (), 2); x | x = zero; m.add.at(x, ..., 2); x | x = zero; m.add.at(x, [], 2); x | x = zero; m.add.at(x, np.array(True), 2); x | x = v; m.add.at(x, None, 5); x
x = v; m.add.at(x, [0.5], 5); x | x = v; m.add.at(x, (0, 0), 5); x | x = v; m.add.at(x, [True, False], 1); x | x = w; m.bitwise_or.at(x, [0], 1); x
x = v; m.add.at(x, m.asarray([0, 0, -1]), m.asarray([1, 2, 3])); x | x = v; m.add.at(x, [5, 4, 3, 2, 1, 0], x); x | x = v; m.multiply.at(x, [0, 0], x[1:3]); x
x = empty; m.add.at(x, [], 1); x | x = hollow; m.add.at(x, [0, 0], 1); x | x = v; m.divmod.at(x, 0, 1); x | x = v; m.add.at(x, [0, 0]); x | x = v; m.negative.at(x, [0], 1); x
"""


@pytest.mark.parametrize("case", cases(REDUCEAT + ACCUMULATE + AT))
def test_as_numpy(case, device):
    check(case)


@pytest.mark.parametrize("case", cases(ROUNDED))
def test_as_numpy_but_for_the_last_bits(case, device):
    check(case, exact=False)


@pytest.mark.parametrize("case", cases(REDUCEAT)[::5] + cases(AT)[::5] + cases(ACCUMULATE)[::3])
def test_in_both_tiers(case, tier):
    check(case)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "float32", "float64"])
def test_many_values_for_few_places(device, dtype):
    places = np.arange(5000) * 7919 % 13
    values = (np.arange(5000) % 17).astype(dtype)
    for name in ("add", "subtract", "multiply", "maximum", "minimum", "hypot"):
        given = values % 2 + 1 if name == "multiply" else values
        want, got = np.ones(13, dtype), qn.ones(13, dtype)
        if name == "multiply" and dtype[0] == "f":
            given = given / 2 + 0.5
            given = given.astype(dtype)
        if name == "hypot" and dtype[0] != "f":
            continue
        with np.errstate(all="ignore"):
            getattr(np, name).at(want, places, given)
        getattr(qn, name).at(got, qn.asarray(places), qn.asarray(given))
        np.testing.assert_allclose(qn.asnumpy(got), want, rtol=1e-4 if dtype == "float32" else 1e-9)


@pytest.mark.parametrize("lengths", [[1] * 40, [7, 1, 3, 12, 2, 500, 1], [16] * 30, [1000, 1, 1000], [2, 3]])
def test_parts_of_many_lengths(device, lengths):
    starts = np.cumsum([0, *lengths])[:-1]
    x = (np.arange(3 * sum(lengths)).reshape(3, -1) * 31 % 101) - 50
    for name in ("add", "maximum", "multiply", "bitwise_xor", "subtract"):
        want = getattr(np, name).reduceat(x, starts, axis=1)
        got = getattr(qn, name).reduceat(qn.asarray(x), starts, axis=1)
        np.testing.assert_array_equal(qn.asnumpy(got), want)


def test_what_is_read_only_is_not_written():
    x = qn.broadcast_to(qn.asarray([1, 2]), (2, 2))
    with pytest.raises(ValueError, match="read-only"):
        qn.add.at(x, [0, 0], 1)


def test_places_on_a_device_wait_for_nothing(device):
    x, places = qn.zeros(100), qn.asarray(np.arange(1000) % 100)
    qn.add.at(x, places, 1.0)
    qn.synchronize()
    with qn.trace() as events:
        qn.add.at(x, places, 1.0)
    assert [e for e in events if e["kind"] in ("wait", "device_to_host")] == []


def test_a_result_is_no_view(device):
    x = qn.asarray([1, 2, 3])
    for y in (qn.add.reduceat(x, [0, 1, 2]), qn.gcd.accumulate(x[:1]), qn.maximum.reduceat(x, [0, 1, 2])):
        y[0] = 99
    np.testing.assert_array_equal(qn.asnumpy(x), [1, 2, 3])
