"""guvectorize: functions of small arrays over the leading axes of larger ones. NumPy is the oracle."""

import numpy as np
import pytest
import quern as qn
from quern.kernel.errors import KernelError
from quern.numba import cuda, float64, guvectorize, int64


@pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
def test_vectors(device, target):
    @guvectorize(["void(float64[:], float64, float64[:])", "void(complex128[:], complex128, complex128[:])"], "(n),()->(n)", target=target)
    def shifted(x, by, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + by

    a = np.arange(24.0).reshape(2, 3, 4)
    made = shifted(a, 2)
    assert isinstance(made, np.ndarray)
    np.testing.assert_array_equal(made, a + 2)
    by = np.arange(3.0)
    np.testing.assert_array_equal(shifted(a, by), a + by[:, None])
    np.testing.assert_array_equal(shifted(a[0, 0], np.arange(6.0).reshape(2, 3)), a[0, 0] + np.arange(6.0).reshape(2, 3)[..., None])
    np.testing.assert_array_equal(shifted(a[::-1, ::2, ::-1], 1j), a[::-1, ::2, ::-1] + 1j)
    np.testing.assert_array_equal(shifted(np.arange(3, dtype=np.int8), 1.5), np.arange(3) + 1.5)
    assert shifted.types == ["dd->d", "DD->D"] and shifted.signature == "(n),()->(n)"


def test_matrix_products(device):
    @guvectorize([(float64[:, :], float64[:, :], float64[:, :])], "(m,n),(n,p)->(m,p)")
    def product(a, b, out):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                out[i, j] = total

    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 1, 3, 4)), rng.normal(size=(2, 4, 6))
    np.testing.assert_allclose(product(a, b), a @ b)
    with pytest.raises(ValueError, match="'n' is 4"):
        product(a, b[:, :3])
    with pytest.raises(ValueError, match="dimensions"):
        product(a, b[0, 0])


def test_results_without_dimensions(device):
    @guvectorize(["void(int64[:], int64[:], int64[:])"], "(n)->(),()")
    def ends(x, low, high):
        low[0] = high[0] = x[0]
        for v in x:
            low[0] = min(low[0], v)
            high[0] = max(high[0], v)

    x = np.random.default_rng(1).integers(-50, 50, (4, 5, 9))
    low, high = ends(x)
    np.testing.assert_array_equal(low, x.min(-1))
    np.testing.assert_array_equal(high, x.max(-1))
    assert ends(x[0, 0]) == (x[0, 0].min(), x[0, 0].max())


def test_arrays_of_the_device_and_given_results(device):
    @guvectorize([(float64[:], float64[:])], "(n)->(n)", target="cuda")
    def running(x, out):
        total = 0.0
        for i in range(x.size):
            total += x[i]
            out[i] = total

    x = np.arange(12.0).reshape(3, 4)
    on_device = cuda.to_device(x)
    np.testing.assert_array_equal(np.asarray(running(on_device)), x.cumsum(-1))
    out = cuda.device_array((3, 4))
    assert running(on_device, out) is out
    np.testing.assert_array_equal(out.copy_to_host(), x.cumsum(-1))
    host = np.zeros((3, 4))
    assert running(x, out=host) is host
    np.testing.assert_array_equal(host, x.cumsum(-1))
    with pytest.raises(ValueError, match="shape"):
        running(x, out=np.zeros((2, 4)))
    assert running(np.zeros((0, 4))).shape == (0, 4)


def test_without_signatures(device):
    @guvectorize("(n)->()")
    def total(x, out):
        out[0] = 0
        for v in x:
            out[0] += v

    out = np.zeros(3, np.float32)
    total(np.ones((3, 4), np.float32), out)
    assert (out == 4).all()
    with pytest.raises(TypeError):
        guvectorize("(n)->()")(lambda x, out: None)(np.ones(3))


def test_what_is_refused():
    for layout in ("n->n", "(n)", "(n)->(n)->(n)", "(n->(n)"):
        with pytest.raises(ValueError, match="layout"):
            guvectorize([(int64[:], int64[:])], layout)(lambda x, y: None)
    with pytest.raises(NameError, match="'m'"):
        guvectorize([(int64[:], int64[:])], "(n)->(m)")(lambda x, y: None)
    with pytest.raises(TypeError, match="fit the layout"):
        guvectorize([(int64[:, :], int64[:])], "(n)->(n)")(lambda x, y: None)
    with pytest.raises(TypeError, match="2 arguments"):
        guvectorize([(int64[:],)], "(n)->(n)")(lambda x, y: None)
    with pytest.raises(ValueError, match="target"):
        guvectorize([(int64[:], int64[:])], "(n)->(n)", target="tpu")


def test_results_that_do_not_fit(device):
    @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def f(x, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + 1

    x = np.arange(3.0)
    for call, kind, message in (
        (lambda: f(), TypeError, "gufunc accepts 1 positional argument .* or 2 positional arguments .* Got 0 positional arguments"),
        (lambda: f(x, x, x), TypeError, "Got 3 positional arguments"),
        (lambda: f(x, 3), TypeError, "an output must be an array, not a int"),
        (lambda: f(x, out="a"), TypeError, "an output must be an array, not a str"),
        (lambda: f(x, out=(x, x)), TypeError, "it has 1 results, and 2 arrays are given for them"),
        (lambda: f(x, np.zeros(4)), ValueError, r"the result has shape \(3,\), and `out` \(4,\)"),
        (lambda: f(x, np.zeros(3, "i4")), TypeError, "the result is float64, which cannot be cast to an array of int32"),
        (lambda: f(x + 1j), TypeError, r"no signature takes \(complex128\); there is float64\(float64\)"),
        (
            lambda: f.add("float64(float64[:], float64[:])"),
            TypeError,
            r"guvectorized functions cannot return values: signature .* specifies float64 return type",
        ),
    ):
        with pytest.raises(kind, match=message):
            call()
    out = np.zeros(3)
    assert f(x, out=out) is out
    np.testing.assert_array_equal(out, x + 1)


def doubled(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * 2


def test_results_beside_arrays_of_the_device(device):
    f = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")(doubled)
    x = np.arange(6.0).reshape(2, 3)
    made = f(cuda.to_device(x))
    assert type(made) is cuda.DeviceNDArray
    np.testing.assert_array_equal(made.copy_to_host(), x * 2)
    np.testing.assert_array_equal(f((cuda.to_device(x[0]), x[1])), x * 2)
    with pytest.raises(ValueError, match="cannot specify argument 'out' as both positional and keyword"):
        f(x, x, out=x)


def test_arguments_take_the_types_of_the_signature(device):
    @guvectorize(["void(int32, int32[:], int32[:])"], "(),(n)->(n)", target="cuda")
    def scaled(by, x, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * by

    x = np.arange(3, dtype=np.int32)
    for by in (3, np.int64(3), np.array(3), np.int16(3), True + 2):
        made = scaled(by, x)
        assert made.dtype == np.int32 and made.tolist() == [0, 3, 6]
    assert scaled(np.array([1, 2], np.int32), x).tolist() == [[0, 1, 2], [0, 2, 4]]
    assert scaled(3, x.astype(np.int64)).dtype == np.int32
    with pytest.raises(TypeError, match="no signature takes"):
        scaled(3.5, x)

    @guvectorize(["void(float64[:], float64[:])"], "()->()", target="cuda")
    def one(x, out):
        out[0] = x[0] + x.shape[0]

    assert one(2.0) == 3 and one(np.arange(3.0)).tolist() == [1, 2, 3] and one(cuda.to_device(np.arange(3.0))).shape == (3,)


def test_options_of_the_target_cuda():
    def make(**options):
        return guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda", **options)(doubled)

    make(nopython=True)
    with pytest.raises(TypeError, match="^nopython flag must be True$"):
        make(nopython=False)
    with pytest.raises(TypeError, match="^The following target options are not supported: 'what1', 'ever2'$"):
        make(what1=True, ever2=True)


def test_arguments_wider_than_the_signature_are_cast_to_it(device):
    """As in Numba for the target "cuda", where no loop takes them otherwise; numbers are cast as well. Other targets refuse them."""

    def shifted(x, by, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + by

    kinds = ["void(int32[:], int32, int32[:])", "void(float32[:], float32, float32[:])"]
    with pytest.raises(TypeError, match="no signature takes"):
        guvectorize(kinds, "(n),()->(n)")(shifted)(np.arange(4), np.int64(3))
    shifted = guvectorize(kinds, "(n),()->(n)", target="cuda")(shifted)

    for x, by, dtype in (
        (np.arange(4), np.int64(3), np.int32),
        (np.arange(4), np.arange(3), np.int32),
        (np.arange(4.0), 3.5, np.float32),
        (np.arange(4.0), 3, np.float32),
        (np.arange(4, dtype=np.int16), 3, np.int32),
        (np.arange(4, dtype=np.float16), 3, np.float32),
    ):
        made = shifted(x, by)
        assert made.dtype == dtype
        np.testing.assert_array_equal(made, x + np.asarray(by)[..., None] if np.ndim(by) else x + by)
    for x, by in ((np.arange(4) * 1j, 3), (np.arange(4), 2.5), (np.arange(4), np.arange(3.0))):
        with pytest.raises(TypeError, match="no signature takes"):
            shifted(x, by)


def test_what_cannot_be_compiled_is_run_by_python(device):
    def largest(x, scale, out, count):
        out[:] = np.sort(x)[::-1][:2] / scale
        count[0] = len(x)

    given = [(float64[:], float64, float64[:], int64[:])]
    with pytest.warns(qn.FallbackWarning, match=r"(?s)\[largest\] runs as plain Python .*cannot be called in a compiled function"):
        function = guvectorize(given, "(n),()->(2),()")(largest)
    x = np.random.default_rng(3).random((4, 1, 5))
    scales = np.array([1.0, 2.0, 4.0])
    values, counts = function(x, scales)
    np.testing.assert_array_equal(values, np.sort(x, axis=-1)[..., ::-1][..., :2] / scales[:, None])
    assert counts.shape == (4, 3) and (counts == 5).all()
    on_device, _ = function(qn.asarray(x), 2)
    np.testing.assert_array_equal(qn.asnumpy(on_device), values[:, 1:2])
    out = np.zeros((4, 3, 2)), np.zeros((4, 3), np.int64)
    function(x, scales, *out)
    np.testing.assert_array_equal(out[0], values)
    with pytest.raises(KernelError, match="cannot be called in a compiled function"):
        guvectorize(given, "(n),()->(2),()", target="cuda")(largest)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("kind", ["host", "device"])
def test_functions_see_what_is_in_the_arrays_for_results(device, target, kind):
    @guvectorize([(int64[:, :], int64, int64[:, :])], "(n,m),()->(n,m)", target=target)
    def grown(cells, least, out):
        for i in range(cells.shape[0]):
            for j in range(cells.shape[1]):
                if cells[i, j] > least:  # all others stay as they are
                    out[i, j] += cells[i, j]

    @guvectorize([(float64, float64[:])], "()->()", target=target)
    def held(least, out):
        out[0] = max(out[0], least)

    place = cuda.to_device if kind == "device" else np.array
    back = (lambda a: a.copy_to_host()) if kind == "device" else np.array
    cells = np.array([[1, 5, 2], [7, 0, 3]])
    out = place(np.full((2, 3), 10))
    assert grown(place(cells), 2, out) is out
    np.testing.assert_array_equal(back(out), np.where(cells > 2, 10 + cells, 10))
    several = place(np.arange(12).reshape(2, 2, 3))  # more leading axes than the inputs
    grown(place(cells), 2, out=several)
    np.testing.assert_array_equal(back(several), np.arange(12).reshape(2, 2, 3) + np.where(cells > 2, cells, 0))
    same = place(cells)
    grown(same, 2, out=same)
    np.testing.assert_array_equal(back(same), np.where(cells > 2, 2 * cells, cells))
    single = place(np.array([0.1, 0.9, 0.5], np.float32))
    held(0.4, out=single)
    np.testing.assert_array_equal(back(single), np.array([0.4, 0.9, 0.5], np.float32))
    with pytest.raises(ValueError, match=r"shape \(3,\), and `out` \(1,\)"):
        held(np.ones(3), out=np.zeros(1))


@guvectorize([(float64[:], float64, float64[:])], "(n),()->(n)")
def scaled(x, by, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * by


@guvectorize([(float64[:], float64[:])], "(n)->()")
def total(x, out):
    out[0] = 0
    for v in x:
        out[0] += v


def test_leading_axes_of_one_element(device):
    x, out = np.arange(4.0), np.zeros(4)
    assert scaled(x, np.array([2.0]), out) is out
    np.testing.assert_array_equal(out, 2 * x)
    assert scaled(x, np.array([2.0])).shape == (1, 4)
    wide = np.zeros((3, 4))
    scaled(np.ones((3, 4)), np.array([[2.0]]), wide)
    np.testing.assert_array_equal(wide, np.full((3, 4), 2.0))
    with pytest.raises(ValueError):
        scaled(x, np.array([2.0, 3.0]), out)


def test_axes_of_core_dimensions(device):
    x = np.arange(24.0).reshape(2, 3, 4)
    for array in (x, qn.asarray(x)):
        for axis in (0, 1, 2, -1, -2):
            np.testing.assert_array_equal(qn.asnumpy(total(array, axis=axis)), x.sum(axis))
            np.testing.assert_array_equal(qn.asnumpy(total(array, axis=axis, keepdims=True)), x.sum(axis, keepdims=True))
            np.testing.assert_array_equal(qn.asnumpy(scaled(array, 2.0, axis=axis)), 2 * x)
    out = np.zeros((2, 3, 4))
    by = np.arange(8.0).reshape(2, 4)
    assert scaled(x, by, out=out, axis=1) is out
    np.testing.assert_array_equal(out, x * by[:, None])
    kept = np.zeros((2, 1, 4))
    total(x, kept, axis=1, keepdims=True)
    np.testing.assert_array_equal(kept, x.sum(1, keepdims=True))
    np.testing.assert_array_equal(scaled(x, by, axes=[1, (), 0]), np.moveaxis(x * by[:, None], 1, 0))
    np.testing.assert_array_equal(total(x, axes=[(0,)]), x.sum(0))
    np.testing.assert_array_equal(total(x, axes=[1], keepdims=True), x.sum(1, keepdims=True))
    np.testing.assert_array_equal(total(x, axes=[1, 0], keepdims=True), np.moveaxis(x.sum(1, keepdims=True), 1, 0))


def test_axes_that_are_refused(device):
    @guvectorize([(float64[:, :], float64[:])], "(m,n)->(m)")
    def rows(x, out):
        for i in range(x.shape[0]):
            out[i] = x[i, 0]

    x = np.arange(12.0).reshape(3, 4)
    with pytest.raises(np.exceptions.AxisError):
        total(x, axis=2)
    for function, named in (
        (rows, {"axis": 0}),
        (scaled, {"keepdims": True}),
        (total, {"axis": 0, "axes": [0]}),
        (total, {"unknown": 1}),
    ):
        with pytest.raises(TypeError):
            function(*([x] if function is not scaled else [x, 1.0]), **named)
    for function, named, cls, said in (
        (total, {"axis": 2}, np.exceptions.AxisError, "axis 2 is out of bounds for array of dimension 2"),
        (total, {"axes": [0, 1]}, np.exceptions.AxisError, "total: operand 1 has 0 core dimensions, but the axes item is a single integer."),
        (rows, {"axes": [(0,), 0]}, np.exceptions.AxisError, "rows: operand 0 has 2 core dimensions, but 1 dimensions are specified"),
        (rows, {"axes": [(0, 1)]}, ValueError, "axes should be a list with an entry for all 2 inputs and outputs; entries for outputs can"),
        (total, {"keepdims": 1}, TypeError, "'keepdims' must be a boolean"),
        (total, {"axis": 1.5}, TypeError, "cannot be interpreted as an integer"),
        (rows, {"axis": 0}, TypeError, "with a single shared core dimension, not with the 2 distinct ones implied by signature"),
    ):
        with pytest.raises(cls, match=said.replace("(", "\\(")):
            function(x, **named)


def test_loops_by_dtype_and_signature(device):
    @guvectorize(["(int64[:], int64[:])", "(float64[:], float64[:])"], "(n)->()")
    def first(x, out):
        out[0] = x[0]

    x = np.arange(3)
    assert first(x).dtype == np.int64
    for named in ({"dtype": float}, {"signature": "d->d"}, {"sig": (float, float)}):
        assert first(x, **named).dtype == np.float64
        assert first(np.ones((2, 3), int), axis=0, **named).dtype == np.float64
    with pytest.raises(TypeError, match="No loop matching the specified signature"):
        first(x, dtype=np.float32)


def test_without_signatures_inputs_without_dimensions_are_numbers(device):
    @guvectorize("(n),()->(n)")
    def added(x, by, out):
        for i in range(x.size):
            out[i] = x[i] + by

    for by in (2.0, np.float64(2), np.array([2.0])):
        out = np.zeros(3)
        added(np.arange(3.0), by, out)
        np.testing.assert_array_equal(out, [2, 3, 4])
