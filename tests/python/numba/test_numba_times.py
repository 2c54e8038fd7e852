"""datetime64 and timedelta64 in kernels and on the device. NumPy says what is right."""

import operator

import numpy as np
import pytest
from kernels import module_of
from quern import cuda, numba
from quern.cuda.cudadrv.devicearray import DeviceNDArray
from quern.kernel import errors, types

# NumPy 2.5 wants a unit with every number; kernels do not ask.
pytestmark = pytest.mark.filterwarnings("ignore:The 'generic' unit:DeprecationWarning")

DATES = np.array(["2020-01-01", "NaT", "1969-12-31", "2024-02-29", "1600-03-01", "0001-01-01", "2100-02-28"], "M8[D]")
SPANS = np.array([3601, -7, 0, "NaT", 1, -86400, 10**9], "m8[s]")
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"]


def same(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert (got.view("i8") == want.view("i8")).all() if want.dtype.kind in "mM" else np.array_equal(got, want, want.dtype.kind == "f")


def applied(folder, expression, *arrays, like):
    """A kernel computes the expression of the arrays' elements a, b, c into an array like that one."""
    names = "abc"[: len(arrays)]
    loads = "".join(f"        {n} = all_{n}[i]\n" for n in names)
    text = f"D = np.timedelta64(3, 'h')\n\n\n@cuda.jit\ndef kernel({''.join(f'all_{n}, ' for n in names)}out):\n    i = cuda.grid(1)\n"
    text += f"    if i < out.size:\n{loads}        out[i] = {expression}\n"
    out = np.zeros(like.shape, like.dtype)
    module_of(folder, text).kernel[1, 64](*arrays, out)
    return out


# ---- operations


@pytest.mark.parametrize(
    "expression",
    ["a - b", "a + c", "c + a", "a - c", "a - (a - b)", "max(a, b)", "min(a, b)", "a - D", "a + np.timedelta64(2, 'm')", "a + 5"]
    + ["np.subtract(a, b)", "np.maximum(a, b)", "np.fmin(a, b)", "operator.sub(a, b)", "np.datetime64('2001-02-03') - a"],
)
def test_dates(device, tmp_path, expression):
    a, b = np.repeat(DATES, len(SPANS)), np.tile(DATES.astype("M8[s]") + 3600, len(SPANS))
    c = np.tile(SPANS, len(DATES))
    with np.errstate(all="ignore"):
        names = {"np": np, "operator": operator, "max": np.maximum, "min": np.minimum}
        want = eval(expression, names, dict(a=a, b=b, c=c, D=np.timedelta64(3, "h")))
    same(applied(tmp_path, expression, a, b, c, like=want), want)


@pytest.mark.parametrize(
    "expression",
    ["a + b", "a - b", "-a", "+a", "abs(a)", "a * 3", "3 * a", "a * 1.5", "0.3 * a", "a * c", "a * True", "a / 2", "a / 2.5", "a // 2"]
    + ["a // 2.5", "a / c", "a / b", "a // b", "a % b", "max(a, b)", "min(a, b, D)", "a + D", "a / D", "a / 0", "a / np.float32(2)"]
    + ["np.add(a, b)", "np.multiply(a, c)", "np.true_divide(a, b)", "np.minimum(a, b)", "np.fmax(a, b)", "operator.floordiv(a, b)", "a + 7"],
)
def test_spans(device, tmp_path, expression):
    a, b = np.repeat(SPANS, len(SPANS)), np.tile(SPANS.astype("m8[ms]") + 250, len(SPANS))
    c = np.tile(np.arange(-3, 4), len(SPANS))
    names = {"np": np, "operator": operator, "max": np.maximum, "min": lambda *v: np.minimum.reduce(np.broadcast_arrays(*v)), "abs": np.abs}
    with np.errstate(all="ignore"):
        want = eval(expression, names, dict(a=a, b=b, c=c, D=np.timedelta64(3, "h")))
    same(applied(tmp_path, expression, a, b, c, like=want), want)


@pytest.mark.parametrize("symbol", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("values", [DATES, SPANS], ids=["dates", "spans"])
def test_comparisons(device, tmp_path, symbol, values):
    a, b = np.repeat(values, len(values)), np.tile(values.astype(values.dtype.str[:3] + "[ms]"), len(values))
    want = eval(f"a {symbol} b", dict(a=a, b=b))
    same(applied(tmp_path, f"a {symbol} b", a, b, like=want), want)


def test_what_is_not_a_time(device, tmp_path):
    same(applied(tmp_path, "np.isnat(a)", DATES, like=np.zeros(7, bool)), np.isnat(DATES))
    same(applied(tmp_path, "int(a)", SPANS, like=np.zeros(7, "i8")), SPANS.view("i8"))
    same(applied(tmp_path, "np.int64(a) + a.view(np.int64) - a.astype(np.int64)", SPANS, like=np.zeros(7, "i8")), SPANS.view("i8"))
    same(applied(tmp_path, "a == a and not np.isnat(a)", SPANS, like=np.zeros(7, bool)), ~np.isnat(SPANS))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", "Mm")
def test_units(device, tmp_path, kind, unit):
    values = np.array([0, 1, -1, 13, -700, 4000, -9000, "NaT"], f"{kind}8[{unit}]")
    for other in UNITS:
        try:
            want = values.astype(f"{kind}8[{other}]")
            np.promote_types(values.dtype, want.dtype)
        except (TypeError, OverflowError):
            continue
        if kind == "m" and (unit in "YM") != (other in "YM"):
            continue  # NumPy takes a month for 30.4 days
        if kind == "M" and other == "W" and unit in "YM":
            continue
        same(applied(tmp_path, f"a.astype('{kind}8[{other}]')", values, like=want), want)


def test_months_begin_where_they_do(device, tmp_path):
    days = np.arange(-(2**20), 2**20, 37).astype("M8[D]")
    out = np.zeros(len(days), "M8[M]")
    kernel = module_of(tmp_path, "@cuda.jit\ndef kernel(a, m, d):\n    i = cuda.grid(1)\n    if i < a.size:\n"
                       "        m[i] = a[i].astype('M8[M]')\n        d[i] = m[i]\n").kernel  # fmt: skip
    back = np.zeros(len(days), "M8[D]")
    kernel.forall(len(days))(days, out, back)
    same(out, days.astype("M8[M]"))
    same(back, days.astype("M8[M]").astype("M8[D]"))


@cuda.jit
def of_scalars(start, step, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = start + i * step


def test_scalars_records_and_tuples(device):
    out = np.zeros(5, "M8[h]")
    of_scalars[1, 32](np.datetime64("2020-01-01"), np.timedelta64(12, "h"), out)
    same(out, np.datetime64("2020-01-01T00") + np.arange(5) * np.timedelta64(12, "h"))
    of_scalars[1, 32](np.datetime64("NaT", "D"), np.timedelta64(1, "h"), out)
    assert np.isnat(out).all()

    @cuda.jit
    def of_records(records, pair, out):
        records[0]["due"] = pair[0]
        records[1].due = records[0].due + pair[1]
        out[0] = records[1]["due"] - records[2]["due"]

    for align in (True, False):
        records = np.zeros(3, np.dtype([("n", "i1"), ("due", "M8[s]")], align=align))
        got = np.zeros(1, "m8[s]")
        of_records[1, 1](records, (np.datetime64("2020-01-01"), np.timedelta64(90, "m")), got)
        assert records["due"].astype(str).tolist() == ["2020-01-01T00:00:00", "2020-01-01T01:30:00", "1970-01-01T00:00:00"]
        assert got[0] == records["due"][1] - np.datetime64(0, "s")


DAY = types.NPDatetime("D")
GLOBALS = np.array(["2020-01-01", "NaT"], "M8[D]")


def test_memory_of_a_kernel_and_globals(device):
    @cuda.jit
    def kernel(a, out):
        shared = cuda.shared.array(4, "m8[s]")
        local = cuda.local.array(2, DAY)
        t = cuda.threadIdx.x
        shared[t] = a[t]
        cuda.syncthreads()
        local[0] = GLOBALS[0]
        out[t] = shared[3 - t] + (local[0] - GLOBALS[0])
        if t == 0 and not np.isnat(GLOBALS[1]):
            out[t] = np.timedelta64("NaT")

    out = np.zeros(4, "m8[s]")
    kernel[1, 4](SPANS[:4], out)
    same(out, SPANS[3::-1])


def test_slices_and_views(device):
    @cuda.jit
    def kernel(a, b):
        a[1:3] = a[:2]
        a[3:] = np.datetime64("2000-01-01")
        b[:] = a.view(np.int64)

    a, b = DATES.copy(), np.zeros(7, "i8")
    kernel[1, 1](a, b)
    want = DATES.copy()
    want[1] = want[0]
    want[2] = want[1]
    want[3:] = np.datetime64("2000-01-01")
    assert (b == a.view("i8")).all() and (a[3:] == want[3:]).all() and a[0] == DATES[0]


# ---- arrays of the device


def test_arrays_of_the_device(device):
    d = cuda.to_device(DATES)
    assert isinstance(d, DeviceNDArray) and d.dtype == DATES.dtype and d.shape == (7,) and d.nbytes == 56
    same(d.copy_to_host(), DATES)
    same(d[1:5:2].copy_to_host(), DATES[1:5:2])
    assert d[0] == DATES[0] and np.isnat(d[1])
    same(d.view(np.int64).copy_to_host(), DATES.view("i8"))
    d[1] = np.datetime64("2000-01-01")
    d[2:4] = np.array(["1999-01-01", "NaT"], "M8[D]")
    want = DATES.copy()
    want[1], want[2:4] = np.datetime64("2000-01-01"), np.array(["1999-01-01", "NaT"], "M8[D]")
    same(d.copy_to_host(), want)
    d.copy_to_device(DATES)
    same(d.copy_to_host(np.empty(7, "M8[D]")), DATES)
    d.copy_to_device(cuda.to_device(want))
    same(d.copy_to_host(), want)
    with pytest.raises(TypeError, match="dtype"):
        d.copy_to_device(DATES.astype("M8[s]"))
    whole = np.asfortranarray(DATES[:6].reshape(2, 3))
    same(cuda.to_device(whole).copy_to_host(), whole)
    assert cuda.to_device(whole).is_f_contiguous() and cuda.device_array_like(whole).dtype == DATES.dtype
    made = cuda.device_array((2, 3), "m8[ms]")
    assert made.dtype == np.dtype("m8[ms]") and made.shape == (2, 3) and cuda.device_array_like(made).dtype == made.dtype
    for of_host in (cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
        assert of_host(3, "M8[s]").dtype == np.dtype("M8[s]")


def test_kernels_take_them(device):
    a, out = cuda.to_device(DATES), cuda.device_array(7, "M8[s]")
    _shifted.forall(7)(a, np.timedelta64(90, "s"), out)
    same(out.copy_to_host(), DATES + np.timedelta64(90, "s"))
    assert len(_shifted.signatures) == 1
    _shifted.forall(7)(DATES.astype("M8[h]"), np.timedelta64(90, "s"), out)
    assert len(_shifted.signatures) == 2


@cuda.jit
def _shifted(a, by, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] + by


def test_vectorize_and_guvectorize(device):
    @cuda.jit(device=True)
    def apart(x, y):
        return x - y

    @numba.vectorize(target="cuda")
    def open_one(x, y):
        return apart(x, y)

    @numba.vectorize(["NPTimedelta('D')(NPDatetime('D'), NPDatetime('D'))"], target="cuda")
    def closed_one(x, y):
        return x - y

    want = DATES - DATES[::-1]
    for f in (open_one, closed_one):
        same(f(DATES, DATES[::-1]), want)
        same(f(cuda.to_device(DATES), cuda.to_device(DATES[::-1])).copy_to_host(), want)
        same(f(DATES, np.datetime64("2020-02-01")), DATES - np.datetime64("2020-02-01"))
        assert f(DATES[0], DATES[3]) == DATES[0] - DATES[3]
        for out in (np.zeros(7, "m8[D]"), cuda.device_array(7, "m8[D]")):
            assert f(DATES, DATES[::-1], out=out) is out
            same(out if isinstance(out, np.ndarray) else out.copy_to_host(), want)
    with pytest.raises(TypeError):
        closed_one(DATES, 3)

    day = (types.NPDatetime("D")[:], types.NPDatetime("D")[:], types.NPTimedelta("D")[:])

    @numba.guvectorize([day], "(n),(n)->(n)", target="cuda")
    def general(x, y, out):
        for i in range(x.shape[0]):
            out[i] = x[i] - y[i]

    same(general(DATES, DATES[::-1]), want)
    same(general(cuda.to_device(DATES), cuda.to_device(DATES)).copy_to_host(), DATES - DATES)
    two = np.stack([DATES, DATES[::-1]])
    same(general(two, DATES), two - DATES)

    @numba.vectorize(target="cuda")
    def late(x, limit):
        return x > limit

    same(late(DATES, np.datetime64("2020-01-01")), np.datetime64("2020-01-01") < DATES)


def test_functions_of_the_host():
    @numba.njit
    def longest(dates):
        out = np.timedelta64(0, "D")
        for date in dates:
            out = max(out, date - dates[0])
        return out

    got = longest(DATES[[2, 0, 3]])
    assert got == DATES[3] - DATES[2] and got.dtype == np.dtype("m8[D]")


# ---- types, and what is refused


def test_types(device):
    assert numba.typeof(DATES) == types.NPDatetime("D")[::1] and str(numba.typeof(np.timedelta64(3, "ms"))) == "timedelta64[ms]"
    assert numba.from_dtype(np.dtype("M8[ns]")) == types.NPDatetime("ns") and numba.types.NPTimedelta("s").unit == "s"
    assert numba.types.NPDatetime("D").unit_code == 4 and numba.types.NPTimedelta("").dtype == np.dtype("m8")
    with pytest.raises(TypeError, match="25"):
        numba.typeof(np.zeros(2, "M8[25s]"))
    with pytest.raises(TypeError):
        _shifted[1, 1](DATES.astype(">M8[D]"), np.timedelta64(1), DATES)


@pytest.mark.parametrize(
    "line, said",
    [
        ("d[0] = d[0] + d[1]", r"unsupported operand types for \+: datetime64\[D\] and datetime64\[D\]"),
        ("d[0] = d[0] * 2", r"unsupported operand types for \*: datetime64\[D\] and int64"),
        ("s[0] = s[0] ** 2", r"unsupported operand types for \*\*: timedelta64\[s\] and int64"),
        ("d[0] = -d[0]", r"bad operand type for unary -: datetime64\[D\]"),
        ("d[0] = s[0]", r"does not convert to datetime64\[D\]"),
        ("s[0] = 3", "int64 cannot be written"),
        ("x[0] = s[0]", "cannot be written"),
        ("x[0] = d[0] < s[0]", r"unsupported operand types for <: datetime64\[D\] and timedelta64\[s\]"),
        ("x[0] = s[0] == 3", "unsupported operand types"),
        ("d[0] += m[0]", r"unsupported operand types for \+: datetime64\[D\] and timedelta64\[M\]"),
        ("x[0] = 1 if s[0] else 2", "neither true nor false"),
        ("s[0] = s.sum()", "write a loop"),
        ("d[0] = np.max(d)", "write a loop"),
        ("s[:] = d", "write a loop"),
        ("cuda.atomic.add(s, 0, s[0])", "does not update elements of type timedelta64"),
        ("print(s[0])", "cannot be printed"),
        ("x[d[0]] = 1", "an index must be an integer"),
        ("s[0] = np.timedelta64(1, x)", "the unit must be a string"),
        ("d[0] = np.datetime64('today, or so')", "Error parsing datetime"),
    ],
)
def test_what_is_refused(device, tmp_path, line, said):
    kernel = module_of(tmp_path, f"@cuda.jit\ndef kernel(d, s, m, x):\n    {line}\n").kernel
    with pytest.raises(errors.TypingError, match=said):
        kernel[1, 1](DATES.copy(), SPANS.copy(), np.zeros(2, "m8[M]"), np.zeros(3))
