"""CuPy's array type and functions where they are easily taken for something else: layouts, operators, flat, checks. NumPy is the oracle."""

import operator
import warnings

import numpy as np
import pytest
import quern as qn
from programs import quern
from quern import cupy as cp


def outcome(work, xp):
    """The value, or the kind of the error."""
    try:
        value = work(xp)
    except (AttributeError, IndexError, TypeError, ValueError) as e:
        return next(k for k in (AttributeError, IndexError, TypeError, ValueError) if isinstance(e, k))
    return value


def check(work, strides=True):
    """``work(cupy)`` is what ``work(numpy)`` is: values, types, strides, errors."""
    ours, theirs = outcome(work, cp), outcome(work, np)
    if isinstance(theirs, (np.ndarray, np.generic)):
        assert isinstance(ours, cp.ndarray), (ours, theirs)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.get(), theirs)
        assert ours.shape == theirs.shape
        assert not strides or ours.strides == theirs.strides
    else:
        assert ours == theirs


SOURCES = {
    "permuted": lambda xp: xp.arange(24).reshape(2, 3, 4).transpose(2, 0, 1),
    "transposed": lambda xp: xp.arange(6).reshape(2, 3).T,
    "sliced": lambda xp: xp.arange(24).reshape(4, 6)[::-2, ::2],
    "broadcast": lambda xp: xp.broadcast_to(xp.arange(3), (2, 3)),
    "fortran": lambda xp: xp.asfortranarray(xp.arange(24).reshape(2, 3, 4)),
}


@pytest.mark.parametrize("order", list("CFAKcfak"))
@pytest.mark.parametrize("source", SOURCES)
def test_orders_of_either_case_lie_as_those_of_numpy(device, source, order):
    x = SOURCES[source]
    check(lambda xp: x(xp).ravel(order))
    check(lambda xp: xp.ravel(x(xp), order=order))
    check(lambda xp: x(xp).flatten(order))
    check(lambda xp: x(xp).copy(order))
    check(lambda xp: xp.copy(x(xp), order=order))
    check(lambda xp: x(xp).astype("f4", order=order))
    check(lambda xp: xp.array(x(xp), order=order))
    check(lambda xp: xp.zeros_like(x(xp), order=order))
    check(lambda xp: xp.full_like(x(xp), 3, order=order, shape=(5, 2, 2)))
    check(lambda xp: x(xp).reshape(-1, order=order))
    check(lambda xp: x(xp).astype(x(xp).dtype, order=order, copy=False))
    if order in "CFKcfk":
        check(lambda xp: xp.array(x(np), order=order))


@pytest.mark.parametrize("order", list("CFcf"))
def test_new_arrays_have_orders_of_either_case(device, order):
    for work in (
        lambda xp: xp.zeros((2, 3), order=order),
        lambda xp: xp.ones((2, 3), order=order),
        lambda xp: xp.full((2, 3), 7, order=order),
        lambda xp: xp.eye(2, 3, order=order),
        lambda xp: xp.reshape(xp.arange(6), (2, 3), order=order),
        lambda xp: xp.einsum("ij,jk->ik", xp.ones((2, 3)), xp.ones((3, 4)), order=order),
    ):
        check(work)
    assert cp.empty((2, 3), order=order).strides == np.empty((2, 3), order=order).strides
    assert cp.ndarray((2, 3), order=order).strides == np.ndarray((2, 3), order=order).strides


def test_an_order_that_is_none_is_refused(device):
    for work in (lambda xp: xp.zeros(2, order="z"), lambda xp: xp.ones(2).ravel("z"), lambda xp: xp.ndarray(2, order="z")):
        assert outcome(work, cp) is outcome(work, np) is ValueError


def reshaped(xp, source, shape):
    a = source(xp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy's, from 2.5 on
        a.shape = shape
    return a


@pytest.mark.parametrize("shape", [(2, 3), 6, -1, (3, -1), (3, 1, 2), 5, (-1, -1)])
@pytest.mark.parametrize("source", [lambda xp: xp.arange(6), lambda xp: xp.arange(6).reshape(2, 3).T])
def test_the_shape_is_set_in_place(device, source, shape):
    check(lambda xp: reshaped(xp, source, shape))


def flat_set(xp, key, value):
    a = xp.zeros((2, 3, 4), "i4")
    a.flat[key] = value(xp)
    return a


@pytest.mark.parametrize(
    "key", [slice(None), slice(2, 9), slice(None, None, -1), slice(20, 3, -3), slice(5, 5), slice(None, None, 7), 3, -25, 24]
)
def test_flat_repeats_or_cuts_what_is_assigned(device, key):
    values = [lambda xp: 7] if isinstance(key, int) else []
    if isinstance(key, slice):
        values = [
            lambda xp: [1, 2],
            lambda xp: xp.array([1, 2, 3]),
            lambda xp: xp.arange(40),
            lambda xp: xp.arange(6).reshape(2, 3).T,
            lambda xp: xp.array(5),
            lambda xp: xp.array([]),
        ]
    for value in values:
        check(lambda xp, value=value: flat_set(xp, key, value))


def test_flat_of_columns_and_as_a_whole(device):
    def part(xp):
        a = xp.zeros((2, 3), "i4")
        a.T.flat[1:5] = [1, 2, 3]
        return a

    def whole(xp):
        a = xp.zeros((2, 3)).T
        a.flat = xp.arange(20)
        return a

    check(part)
    check(whole)
    check(lambda xp: xp.arange(6).reshape(2, 3).T.flat[::-2])


@pytest.mark.parametrize("key", [True, None, [0], np.array([0]), "array", 1.5])
def test_flat_takes_integers_and_slices_alone(device, key):
    key = cp.array([0]) if isinstance(key, str) else key
    with pytest.raises(IndexError):
        cp.arange(6).flat[key]
    with pytest.raises(IndexError):
        cp.arange(6).flat[key] = 1


class Plain:
    pass


@pytest.mark.parametrize("other", [None, "x", b"x", Plain(), {}, {1}])
@pytest.mark.parametrize("op", [operator.eq, operator.ne])
def test_what_is_no_number_is_compared_element_by_element(device, op, other):
    check(lambda xp: op(xp.arange(6).reshape(2, 3), other))
    check(lambda xp: op(other, xp.arange(6).reshape(2, 3)))


class Ufuncs:
    """Returns which ufunc called it."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, [isinstance(x, Ufuncs) for x in inputs], "out" in kwargs


OPERATORS = """lt le gt ge eq ne add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift
iadd isub imul itruediv ipow iand imatmul divmod""".split()


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_ask_the_ufunc_of_another_class(device, name):
    op = divmod if name == "divmod" else getattr(operator, name)
    check(lambda xp: op(xp.arange(3), Ufuncs()))
    check(lambda xp: op(Ufuncs(), xp.arange(3)))


class Refuses:
    def __array_ufunc__(self, *args, **kwargs):
        return NotImplemented

    def __radd__(self, other):
        return "radd"


class NoUfuncs:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __gt__(self, other):
        return "gt"


class First:
    __array_priority__ = 10000

    def __radd__(self, other):
        return "radd"


@pytest.mark.parametrize("kind", [Refuses, NoUfuncs, First])
@pytest.mark.parametrize("op", [operator.add, operator.iadd])
def test_sums_with_another_class(device, op, kind):
    check(lambda xp: op(xp.arange(3), kind()))
    if kind is NoUfuncs:
        check(lambda xp: xp.arange(3) < kind())


@pytest.mark.parametrize("other", [None, "x", Plain(), {1}])
def test_a_sum_in_place_with_what_cannot_be_added_raises(device, other):
    with pytest.raises(TypeError):
        operator.iadd(cp.arange(3), other)


def test_real_of_a_real_array_is_the_array(device):
    a = cp.arange(3.0)
    assert a.real is a
    assert cp.real(a) is a
    z = a + 1j
    z.real[0] = 9
    z.imag = 2
    z.imag[1] = 7
    np.testing.assert_array_equal(z.get(), [9 + 2j, 1 + 7j, 2 + 2j])


def test_the_imaginary_part_of_a_real_array_cannot_be_set(device):
    for a in (cp.arange(3.0), cp.arange(3)):
        with pytest.raises(TypeError):
            a.imag = 5
        a.imag[...] = 5  # a copy, as CuPy has it
        np.testing.assert_array_equal(a.get(), [0, 1, 2])
        np.testing.assert_array_equal(a.imag.get(), [0, 0, 0])
    with pytest.raises(TypeError):
        qn.arange(3.0).imag = 5


def test_strided_views_write_to_the_array_and_stay_inside(device):
    a = cp.arange(6)
    view = cp.lib.stride_tricks.as_strided(a[1:], (2, 2), (8, 16))
    np.testing.assert_array_equal(view.get(), [[1, 3], [2, 4]])
    view[0, 0] = 9
    assert int(a[1]) == 9
    np.testing.assert_array_equal(cp.lib.stride_tricks.as_strided(a[5:], (6,), (-8,)).get(), a.get()[::-1])
    for shape, strides in (((7,), (8,)), ((2,), (-8,)), ((2, 2), (8,))):
        with pytest.raises(ValueError):
            cp.lib.stride_tricks.as_strided(a, shape, strides)


def test_modules_below_cupy_are_imported(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        "import cupy, cupy.lib, cupy.exceptions\n"
        "from cupy.lib import stride_tricks\n"
        "from cupy.exceptions import AxisError, ComplexWarning\n"
        "import cupy.lib.stride_tricks as tricks\n"
        "print(tricks is stride_tricks, stride_tricks.as_strided(cupy.arange(6), (2, 2), (8, 8)).tolist())\n"
        "try:\n    cupy.ones(3).sum(axis=4)\nexcept AxisError:\n    print('AxisError')\n"
    )
    done = quern("run", file)
    assert done.stdout == "True [[0, 1], [1, 2]]\nAxisError\n", done.stderr


CHECKS = {
    "reshape copies": lambda xp: xp.arange(6).reshape(2, 3).T.reshape(-1, copy=False),
    "reshape text": lambda xp: xp.arange(6).reshape(-1, copy="x"),
    "array text": lambda xp: xp.array(xp.arange(6), copy="x"),
    "moveaxis": lambda xp: xp.moveaxis(xp.ones((2, 3)), [0, 1], [1, 1]),
    "squeeze": lambda xp: xp.squeeze(xp.ones((1, 3)), axis=(0, 0)),
    "flip": lambda xp: xp.flip(xp.ones((2, 3)), axis=(0, -2)),
    "fill": lambda xp: xp.ones(3).fill(xp.array([1.0])),
    "einsum": lambda xp: xp.einsum("ii->i", xp.ones((1, 3))),
    "ndarray": lambda xp: xp.ndarray((1,) * 65),
    "reshape": lambda xp: xp.ones(1).reshape((1,) * 65),
    "histogramdd": lambda xp: xp.histogramdd(xp.ones((4, 2)), bins=[[[1, 2]], [[3, 4]]]),
    "polyval": lambda xp: xp.polyval(3, xp.arange(3)),
    "polyval array": lambda xp: xp.polyval(xp.array(3.0), xp.arange(3)),
    "cov": lambda xp: xp.cov(xp.ones((2, 3)), dtype=int),
    "corrcoef": lambda xp: xp.corrcoef(xp.ones((2, 3)), dtype="i4"),
    "putmask": lambda xp: xp.putmask(xp.zeros(3, "i4"), xp.ones(3, bool), xp.arange(3)),
}


@pytest.mark.parametrize("name", CHECKS)
def test_calls_that_numpy_refuses_are_refused(device, name, quiet):
    theirs = outcome(CHECKS[name], np)
    assert theirs in (TypeError, ValueError)
    assert outcome(CHECKS[name], cp) is theirs


@pytest.mark.parametrize("function", ["percentile", "quantile"])
def test_more_than_one_dimension_of_q_is_refused(device, function):
    with pytest.raises(ValueError):
        getattr(cp, function)(cp.arange(5.0), cp.ones((1, 2, 2)) * 0.5)


@pytest.mark.parametrize("source, target", [((1, 1, 3, 4), (3, 4)), ((1, 2, 1, 4), (2, 3, 4)), ((1, 1), ()), ((1, 1, 1), (3,)), ((2, 3), (3,))])
def test_dimensions_of_length_1_are_dropped_where_an_array_is_written(device, source, target):
    def copied(xp):
        a = xp.zeros(target)
        xp.copyto(a, xp.arange(float(np.prod(source))).reshape(source))
        return a

    def assigned(xp):
        a = xp.zeros(target)
        a[...] = xp.arange(float(np.prod(source))).reshape(source)
        return a

    check(copied)
    check(assigned)


@pytest.mark.parametrize("where", [4, 0, 2.5, True, False])
def test_copyto_takes_any_scalar_for_where(device, where):
    a = cp.zeros(3)
    cp.copyto(a, cp.ones(3), where=where)
    np.testing.assert_array_equal(a.get(), [float(bool(where))] * 3)


def test_sizes_of_what_is_no_array(device):
    for value in ("x", None, {1}, b"x", [1, 2], ((1, 2),), 1.5):
        for function in ("ndim", "shape", "size"):
            assert getattr(cp, function)(value) == getattr(np, function)(value)
    assert cp.ndim(Plain()) == 0
    assert cp.shape([cp.ones(2), cp.ones(2)]) == (2, 2)


def test_small_things_of_the_array_type(device):
    assert cp.ndarray[int].__origin__ is cp.ndarray
    assert cp.min_scalar_type(cp.array(-1.0)) == np.float64
    for a in (cp.arange(3), cp.array(5), cp.zeros((0,))):
        assert bytes(a) == a.get().tobytes()
    for function in ("argmax", "argmin"):
        place = getattr(cp, function)(cp.array([3, 1, 4]), dtype="i4")
        assert place.dtype == np.int32
        assert int(place) == getattr(np, function)([3, 1, 4])
        assert getattr(cp.ones((2, 2)), function)(axis=0, dtype="i2").dtype == np.int16


@pytest.mark.parametrize("subscripts, shape", [("iii->i", (3, 3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ij", (2, 3)), ("...j->j...", (2, 3))])
def test_einsum_of_nothing_but_a_view_keeps_the_type(device, subscripts, shape):
    for kind in ("f4", "f8", "c8", "i4"):
        check(lambda xp, kind=kind: xp.einsum(subscripts, xp.arange(float(np.prod(shape))).reshape(shape), dtype=kind))
    a = cp.zeros(shape)
    cp.einsum(subscripts, a, dtype="f4")[...] = 1
    assert float(a.sum()) > 0
    assert int(cp.einsum("->", 2, dtype="f4")) == np.einsum("->", 2, dtype="f4")


def test_eigenvalues_of_float16_are_computed_in_float32(device):
    m = np.array([[2, 1], [1, 3]], "f2")
    w, v = cp.linalg.eigh(cp.array(m))
    assert w.dtype == v.dtype == cp.linalg.eigvalsh(cp.array(m)).dtype == np.float16
    np.testing.assert_allclose(w.get(), np.linalg.eigh(m.astype("f4"))[0], rtol=1e-3)
    np.testing.assert_allclose(cp.linalg.eigvalsh(cp.array(m)).get(), w.get())
    np.testing.assert_allclose(cp.linalg.eigh(cp.array(m, "f8"))[0].get(), np.linalg.eigh(m.astype("f8"))[0])


def test_an_object_that_holds_an_array_is_that_array(device):
    class Holder:
        def __init__(self):
            self.held = cp.arange(3)

        def __cupy_get_ndarray__(self):
            return self.held

    holder = Holder()
    assert cp.asarray(holder) is holder.held
    assert cp.asanyarray(holder) is holder.held
    made = cp.array(holder)
    made[0] = 9
    assert int(holder.held[0]) == 0
    np.testing.assert_array_equal(cp.asarray(holder, "f4").get(), [0, 1, 2])


BAD = {
    "inv": lambda: cp.linalg.inv(cp.zeros((2, 2))),
    "inv of a stack": lambda: cp.linalg.inv(cp.stack([cp.eye(2), cp.zeros((2, 2))])),
    "cholesky": lambda: cp.linalg.cholesky(-cp.eye(2)),
    "solve": lambda: cp.linalg.solve(cp.zeros((2, 2)), cp.ones(2)),
    "tensorinv": lambda: cp.linalg.tensorinv(cp.zeros((4, 2, 2)), ind=1),
    "matrix_power": lambda: cp.linalg.matrix_power(cp.zeros((2, 2)), -1),
}


@pytest.mark.parametrize("name", BAD)
def test_matrices_without_a_result_do_what_errstate_says(device, name):
    import quern.cupyx as cupyx

    with cupyx.errstate(linalg="raise"):
        with pytest.raises(np.linalg.LinAlgError):
            BAD[name]()
        assert cupyx.geterr()["linalg"] == "raise"
        np.testing.assert_array_equal(cp.linalg.inv(cp.eye(2) * 2).get(), np.eye(2) / 2)
        assert cp.linalg.eigh(cp.eye(2)).eigenvalues.tolist() == [1, 1]
    for said in ("ignore", None):
        with cupyx.errstate(linalg=said):
            left = BAD[name]()
            assert type(left) is cp.ndarray
            assert name == "cholesky" or not np.isfinite(left.get()).all()
            np.testing.assert_array_equal(cp.linalg.inv(cp.stack([cp.eye(2) * 2, cp.zeros((2, 2))]))[0].get(), np.eye(2) / 2)
            with pytest.raises(np.linalg.LinAlgError):
                cp.linalg.inv(cp.ones((2, 3)))
    cp.cuda.Device().synchronize()
    import quern as qn

    with pytest.raises(np.linalg.LinAlgError):
        qn.asnumpy(qn.linalg.inv(qn.zeros((2, 2))))


def test_messages_that_programs_match(device):
    for work, kind, text in (
        (lambda: cp.zeros(None), TypeError, r"^Use \(\) "),
        (lambda: cp.ndarray(None), TypeError, r"^Use \(\) "),
        (lambda: cp.ones((2, 3)).reshape(6, order="K"), ValueError, "order 'K' is not permitted for reshaping"),
        (lambda: cp.repeat(cp.arange(3), [1, 2]), ValueError, "same length"),
        (lambda: cp.matrix_transpose(cp.ones(3)), ValueError, "matrix transpose with ndim < 2 is undefined"),
        (lambda: cp.ones(3).mT, ValueError, "matrix transpose with ndim < 2 is undefined"),
        (lambda: cp.ndarray((2, 3), strides=(8,)), ValueError, r"^ndarray\(\) with strides "),
        (lambda: cp.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[i]", "k")(cp.arange(3), cp.arange(3)), ValueError, "^Loop size is undecided."),
        (
            lambda: cp.ElementwiseKernel("T x", "T y", "y = x", "k")(cp.arange(3), size=3),
            ValueError,
            "^Specified 'size' can be used only if all of the ndarray are 'raw'.",
        ),
    ):
        with pytest.raises(kind, match=text):
            work()


def test_the_base_of_a_view_is_the_array_itself(device):
    a = cp.arange(12)
    for view in (a[1:], a[1:][::2], a.reshape(3, 4), a.reshape(3, 4).T, a.view("i4"), a[None], cp.expand_dims(a, 0), a.reshape(3, 4).diagonal()):
        assert view.base is a
    assert a.base is None and a.copy().base is None and (a + 1).base is None and a[a > 3].base is None
    assert a.real is a and cp.real(a) is a
    z = cp.zeros(3, complex)
    assert z.real.base is z and z.imag.base is z and z.T.real.base is z
    a += 1
    view = a[1:]
    assert view.base is a and a.ravel().base is a
    del a
    base = view.base  # a new object, of the same memory
    assert base is view.base and base.shape == (12,) and int(base[1]) == int(view[0])
    base[1] = 77
    assert int(view[0]) == 77


def test_the_base_of_a_view_of_a_class_of_the_users(device):
    class Named(cp.ndarray):
        pass

    a = cp.zeros((2, 3)).view(Named)
    assert type(a[0]) is Named and type(a[0].base) in (Named, cp.ndarray) and a[0].base.shape == (2, 3)


def test_an_aligned_type_lies_as_a_gpu_wants_it(device):
    made = cp.make_aligned_dtype([("a", "i1"), ("z", "c16"), ("in", [("x", "i1"), ("y", "f8")]), ("m", "f4", (3,)), ("last", "i1")])
    assert {n: made.fields[n][1] for n in made.names} == {"a": 0, "z": 16, "in": 32, "m": 48, "last": 60}
    assert made.itemsize == 64 and made.isalignedstruct and made["in"].fields["y"][1] == 8
    pair = cp.make_aligned_dtype([("x", "f4"), ("y", "f4")], alignment=16)
    assert pair.itemsize == 16 and pair.metadata == {"__cuda_alignment__": 16}
    within = cp.make_aligned_dtype([("a", "i1"), ("p", pair), ("b", "i1")])
    assert within.fields["p"][1] == 16 and within.itemsize == 48
    packed = np.dtype([("x", "i1"), ("y", "f8")])
    assert cp.make_aligned_dtype([("p", packed)], recurse=False)["p"] == packed and cp.make_aligned_dtype([("p", packed)])["p"] != packed
    assert cp.make_aligned_dtype("f8") == np.float64 and cp.make_aligned_dtype("f8", alignment=8) == np.float64
    for given, alignment, said in ((packed, 4, "smaller"), (packed, 24, "power of two"), (packed, 0, "power of two"), ("f4", 8, "fewer")):
        with pytest.raises(ValueError, match=said):
            cp.make_aligned_dtype(given, alignment=alignment)
    a = cp.zeros(3, made)
    a["z"] = cp.arange(3) + 1j
    np.testing.assert_array_equal(a.get()["z"], np.arange(3) + 1j)


def test_eye_of_negative_sizes(device):
    for given in ((-1,), (2, -1), (-2, 3)):
        check(lambda xp, given=given: xp.eye(*given))
    check(lambda xp: xp.eye(2, 0))
    check(lambda xp: xp.identity(-1))


@pytest.mark.parametrize("convert", [int, float, complex])
def test_arrays_of_several_elements_are_no_numbers(device, convert):
    for shape in ((2,), (0,), (2, 3)):
        for xp in (np, cp):
            with pytest.raises(TypeError, match="only 0-dimensional arrays"):
                convert(xp.zeros(shape))
        with pytest.raises(ValueError, match="size 1"):
            cp.zeros(shape).item()
    assert convert(cp.asarray(3)) == 3 and convert(cp.asarray([3.0])) == 3
