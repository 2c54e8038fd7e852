"""reduce, accumulate, reduceat, at and outer of vectorize functions, compared with those of NumPy's ufuncs."""

import numpy as np
import pytest
from quern.numba import cuda, vectorize

LESS = vectorize(["i8(i8, i8)", "f8(f8, f8)"])(lambda x, y: x - y)
CUBE = np.arange(24).reshape(2, 3, 4) % 7


@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_one_element_after_the_other(device, target):
    less = vectorize(["i8(i8, i8)", "f8(f8, f8)"], target=target)(lambda x, y: x - y)
    smooth = vectorize(["f8(f8, f8)"], target=target)(lambda y, x: 0.75 * y + 0.25 * x)
    smooth_of_numpy = np.frompyfunc(lambda y, x: 0.75 * y + 0.25 * x, 2, 1)
    for given in (CUBE, CUBE.astype(float), CUBE.astype("f4"), CUBE.astype("i2"), np.asfortranarray(CUBE)):
        for axis in (0, 1, 2, -1, (1,), ()):
            made, wanted = less.reduce(given, axis), np.subtract.reduce(given.astype(float), axis)
            np.testing.assert_array_equal(made, wanted)
            assert made.dtype == np.result_type(given, "i8" if given.dtype.kind == "i" else "f8")
        for axis in (0, 1, 2):
            np.testing.assert_array_equal(less.reduce(given, axis, keepdims=True), np.subtract.reduce(given.astype(float), axis, keepdims=True))
            wanted = smooth_of_numpy.reduce(given.astype(object), axis).astype(float)
            np.testing.assert_allclose(smooth.reduce(given, axis), wanted, rtol=1e-14)
    on_device = less.reduce(cuda.to_device(CUBE), 1)
    assert isinstance(on_device, cuda.DeviceNDArray)
    np.testing.assert_array_equal(on_device.copy_to_host(), np.subtract.reduce(CUBE, 1))
    assert less.reduce([7, 2, 1]) == 4 and less.reduce(3) == less.reduce(3, axis=None) == 3


def test_sums_have_the_bits_of_a_loop(device):
    x = np.random.default_rng(3).random(3001)
    add = vectorize(["f8(f8, f8)"])(lambda x, y: x + y)
    if device.kind == "cpu":
        assert add.reduce(x) == np.add.accumulate(x)[-1]
    np.testing.assert_allclose(add.reduce(x), x.sum(), rtol=1e-13)
    numbers = np.random.default_rng(4).integers(-1000, 1000, (60, 70))
    functions = [(lambda x, y: y + x, np.add), (lambda x, y: x * y, np.multiply), (lambda x, y: max(x, y), np.maximum), (lambda x, y: min(y, x), np.minimum)]
    for function, of_numpy in [*functions, (lambda x, y: x & y, np.bitwise_and), (lambda x, y: x ^ y, np.bitwise_xor)]:
        made = vectorize(["i4(i4, i4)", "i8(i8, i8)"])(function)
        for dtype in ("i4", "i8"):
            np.testing.assert_array_equal(made.reduce(numbers.astype(dtype), 1), of_numpy.reduce(numbers, 1, dtype=dtype))
            assert made.reduce(numbers[0].astype(dtype), initial=5) == of_numpy.reduce(numbers[0], initial=5, dtype=dtype)


def test_where_reductions_begin(device):
    """Compared with what NumPy makes of such ufuncs, as Numba's are."""
    assert LESS.reduce([1, 2, 3], initial=100) == 94 and LESS.reduce([1, 2, 3], initial=1.5) == -5
    assert LESS.reduce([1, 2, 3], where=[True, False, True], initial=50) == LESS.reduce([1, 2, 3], where=[1, 0, 1], initial=50) == 46
    masked = LESS.reduce(CUBE, axis=1, where=np.arange(4) > 1, initial=50)
    np.testing.assert_array_equal(masked, np.subtract.reduce(CUBE, 1, where=np.arange(4) > 1, initial=50))
    assert LESS.reduce([1, 2, 3], 0, None, None, False, 9, [True, True, False]) == 6
    zero = vectorize(["i8(i8, i8)"], identity=0)(lambda x, y: x - y)
    assert zero.reduce([1, 2, 3]) == -6 and zero.reduce([1, 2, 3], initial=None) == -4 and zero.reduce(np.zeros(0, int)) == 0
    assert zero.reduce([1, 2, 3], where=[True, False, True]) == -4 and zero.reduce(CUBE, axis=None) == -CUBE.sum()
    reorderable = vectorize(["i8(i8, i8)"], identity="reorderable")(lambda x, y: x - y)
    assert reorderable.reduce([1, 2, 3]) == -4
    np.testing.assert_array_equal(reorderable.reduce(CUBE, axis=(0, 1)), 2 * CUBE[0, 0] - CUBE.sum((0, 1)))
    assert LESS.reduce(np.zeros((3, 0)), axis=0).shape == (0,)
    np.testing.assert_array_equal(LESS.reduce(np.zeros((0, 2)), initial=7), [7, 7])
    for fold, empty in ((LESS, []), (LESS, np.zeros((0, 3))), (reorderable, np.zeros(0, int))):
        with pytest.raises(ValueError, match="zero-size array to reduction operation <lambda> which has no identity"):
            fold.reduce(empty)
    for axis in (None, (0, 1)):
        with pytest.raises(ValueError, match="reduction operation '<lambda>' is not reorderable, so at most one axis may be specified"):
            LESS.reduce(CUBE, axis=axis)
    with pytest.raises(ValueError, match="does not have an identity, so to use a where mask one has to specify 'initial'"):
        LESS.reduce([1, 2, 3], where=[True, False, True])
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        zero.reduce(CUBE, axis=(0, 0))
    with pytest.raises(np.exceptions.AxisError):
        LESS.reduce(CUBE, axis=5)


def test_types_and_results(device):
    assert LESS.reduce([1, 2, 3], dtype="f8").dtype == np.float64 and LESS.reduce([1.5, 2, 3], dtype="i8") == -4
    for out in (np.zeros((2, 4)), np.zeros((2, 4), "f4"), np.zeros((2, 4), "i4"), cuda.device_array((2, 4), "i8")):
        assert LESS.reduce(CUBE, 1, out=out) is out and LESS.reduce(CUBE, 1, out=(out,)) is out
        np.testing.assert_array_equal(np.asarray(out), np.subtract.reduce(CUBE, 1))
    for shape in ((3, 4), (5, 2, 4)):
        with pytest.raises(ValueError, match="the result has shape"):
            LESS.reduce(CUBE, 1, out=np.zeros(shape, int))
    with pytest.raises(TypeError, match="no loop of complex128"):
        LESS.reduce([1, 2], dtype=complex)
    greater = vectorize(["b1(f8, f8)"])(lambda x, y: x > y)
    for work in (greater.reduce, greater.accumulate):
        with pytest.raises(TypeError, match="none of its loops gives what its first argument is"):
            work(np.zeros(3))
    mixed = vectorize(["f8(f8, i4)"])(lambda x, y: x - y)
    assert mixed.reduce(np.array([5, 2, 1], "i4")) == 2.0
    with pytest.raises(TypeError, match="a loop of one type"):
        mixed.accumulate(np.array([5, 2, 1], "i4"))
    one = vectorize(["i8(i8)"])(lambda x: x + 1)
    for name in ("reduce", "accumulate", "reduceat", "outer"):
        with pytest.raises(ValueError, match="only supported for binary functions"):
            getattr(one, name)(CUBE, [0]) if name in ("reduceat", "outer") else getattr(one, name)(CUBE)


@pytest.mark.parametrize("dtype", ["f2", "f4", "c8", "c16", "u1", "i2"])
def test_each_step_is_of_the_type(device, dtype):
    f = vectorize([f"{dtype}({dtype}, {dtype})"])(lambda x, y: x * y - y)
    a = (np.arange(6) + 1).astype(dtype)
    steps = [a[0]]
    with np.errstate(over="ignore"):
        for v in a[1:]:
            steps.append((steps[-1] * v - v).astype(dtype))
    assert f.reduce(a) == steps[-1] and f.reduce(a).dtype == dtype
    np.testing.assert_array_equal(f.accumulate(a), steps)


def test_the_target_cuda_folds_in_any_order(device):
    add = vectorize(["f8(f8, f8)"], target="cuda")(lambda x, y: x + y)
    a = np.arange(12.0).reshape(3, 4)
    for given in (a, cuda.to_device(a)):
        np.testing.assert_array_equal(np.asarray(add.reduce(given)), a.sum(0))
        np.testing.assert_array_equal(np.asarray(add.reduce(given, axis=1)), a.sum(1))
        assert add.reduce(given, axis=None) == 66


def test_accumulate(device):
    product = vectorize(["i8(i8, i8)", "f8(f8, f8)"])(lambda x, y: x * y)
    a = np.arange(1, 7.0).reshape(2, 3)
    for given in (a, cuda.to_device(a)):
        for axis in (0, 1, -1, (1,)):
            made = product.accumulate(given, axis)
            assert type(made) is type(given)
            np.testing.assert_array_equal(np.asarray(made), np.multiply.accumulate(a, axis[0] if axis == (1,) else axis))
    assert product.accumulate(np.arange(1, 8)).tolist() == np.multiply.accumulate(np.arange(1, 8)).tolist()
    assert product.accumulate(np.zeros(0)).shape == (0,) and LESS.accumulate(np.arange(4), dtype="f8").dtype == np.float64
    out = np.zeros(4)
    assert LESS.accumulate(np.arange(4), out=out) is out and out.tolist() == [0, -1, -3, -6]
    halves = vectorize(["f8(f8, f8)"])(lambda x, y: x + y * 0.5)
    np.testing.assert_array_equal(halves.accumulate(np.array([1, 1])), [1, 1.5])
    for axis in (0, 1, 2):
        np.testing.assert_array_equal(LESS.accumulate(CUBE, axis), np.subtract.accumulate(CUBE, axis))
    for axis in (None, (0, 1)):
        with pytest.raises(ValueError, match="accumulate does not allow multiple axes"):
            LESS.accumulate(CUBE, axis=axis)
    with pytest.raises(TypeError, match="cannot accumulate on a scalar"):
        LESS.accumulate(3)


def test_reduceat(device):
    for given in (np.arange(8), cuda.to_device(np.arange(8))):
        np.testing.assert_array_equal(np.asarray(LESS.reduceat(given, [0, 4, 1, 5])), np.subtract.reduceat(np.arange(8), [0, 4, 1, 5]))
    for axis, places in ((0, [1, 0]), (1, [0, 2, 1]), (2, [3, 3]), (-1, [0])):
        np.testing.assert_array_equal(LESS.reduceat(CUBE, places, axis=axis), np.subtract.reduceat(CUBE, places, axis=axis))
    assert LESS.reduceat(np.arange(8), []).shape == (0,) and LESS.reduceat(np.arange(8), [0, 3], dtype="f8").tolist() == [-3.0, -19.0]
    for wrong in (9, -1):
        with pytest.raises(IndexError, match=rf"index {wrong} out-of-bounds in <lambda>.reduceat \[0, 8\)"):
            LESS.reduceat(np.arange(8), [0, wrong])
    with pytest.raises(ValueError, match="of one dimension"):
        LESS.reduceat(np.arange(8), [[0]])


def test_at(device):
    pairs = [([0, 0, 2], [1, 2, 3]), ([0, 0, 2], 10), ([-1, 3, 3], 1), (slice(1, 3), 4), (np.array([True, False, True, True]), [1, 2, 3])]
    for indices, values in pairs:
        wanted = np.arange(4)
        np.subtract.at(wanted, indices, values)
        for given in (np.arange(4), cuda.to_device(np.arange(4))):
            assert LESS.at(given, indices, values) is None
            np.testing.assert_array_equal(np.asarray(given), wanted)
    for indices in (([0, 0, 1], [1, 1, 2]), (slice(None), [1, 1]), (1,)):
        made, wanted = np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3)
        LESS.at(made, indices, 10)
        np.subtract.at(wanted, indices, 10)
        np.testing.assert_array_equal(made, wanted)
    made = np.arange(4, dtype="f4")
    LESS.at(made[::2], [0, 0, 1], 1.5)
    assert made.tolist() == [-3.0, 1.0, 0.5, 3.0]
    one = vectorize(["i8(i8)"])(lambda x: x + 1)
    made = np.arange(4)
    one.at(made, [0, 0, 2])
    one.at(made, [])
    assert made.tolist() == [2, 1, 3, 3]
    made = np.arange(4)
    LESS.at(made, [0], 1.5)  # Numba's ufuncs cast what they give here
    assert made.tolist() == [-1, 1, 2, 3]
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        LESS.at(np.arange(4), [9], 1)
    for operands in ((np.arange(4), [0]), (np.arange(4), [0], 1, 2), ([1, 2], [0], 1)):
        with pytest.raises(TypeError, match=r"\[<lambda>.at\]"):
            LESS.at(*operands)


def test_outer(device):
    product = vectorize(["i8(i8, i8)", "f8(f8, f8)"])(lambda x, y: x * y)
    a, b = np.arange(1, 7.0).reshape(2, 3), np.arange(3)
    for given in (a, cuda.to_device(a)):
        np.testing.assert_array_equal(np.asarray(product.outer(given, b)), np.multiply.outer(a, b))
    assert product.outer(2, [3, 4]).tolist() == [6, 8]
