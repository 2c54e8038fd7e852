"""njit functions over whole arrays: reductions and their types, arrays without elements, slices that overlap, steps of 0. Numba is the oracle."""

import numba_oracle
import numpy as np
import pytest
from long_runs import part
from quern import cuda
from quern.numba import njit

pytestmark = pytest.mark.usefixtures("no_fallback")

REDUCTIONS = {
    "sum": "a.sum()", "prod": "a.prod()", "mean": "a.mean()", "var": "a.var()", "std": "a.std()", "least": "a.min()", "greatest": "np.max(a)",
    "place_of_least": "a.argmin()", "place_of_greatest": "np.argmax(a)", "extent": "np.ptp(a)", "nansum": "np.nansum(a)",
    "nanprod": "np.nanprod(a)", "nanmean": "np.nanmean(a)", "nanvar": "np.nanvar(a)", "nanstd": "np.nanstd(a)", "nanmin": "np.nanmin(a)",
    "nanmax": "np.nanmax(a)", "nanargmin": "np.nanargmin(a)", "nanargmax": "np.nanargmax(a)", "every": "a.all()", "some": "np.any(a)",
    "count": "np.count_nonzero(a)", "scaled": "a.mean() * np.float32(0.001)",
}  # fmt: skip
REDUCED = "import numpy as np\n" + "".join(f"@njit\ndef {name}(a):\n    return {text}\n\n" for name, text in REDUCTIONS.items())
# Numba has no order of complex numbers for places, and its order of those with NaN is not NumPy's.
COMPLEX = REDUCTIONS.keys() - {"place_of_least", "place_of_greatest", "nanargmin", "nanargmax", "nanmin", "nanmax"}

ASSIGNED = """
@njit
def forward(a, n):
    a[n:] = a[:-n]

@njit
def back(a, n):
    a[:-n] = a[n:]

@njit
def backwards(a, n):
    a[:] = a[::-1]

@njit
def thinned(a, n):
    a[:3] = a[::n][:3]

@njit
def itself(a, n):
    a[n:] = a[n:]

@njit
def turned(a, n):
    a[:, :] = a.T

@njit
def first_row(a, n):
    a[:] = a[n]

@njit
def into(source, target):
    target[:] = source

@njit
def within(a, n):
    into(a[:-n], a[n:])
"""
NUMBERED = """
@njit
def each(a, b):
    return divmod(a, b)

@njit
def steps(n, m):
    total = 0
    for i in range(0, n, m):
        total += i
    return total

@njit
def thinned_sum(a, n):
    return a[::n].sum()
"""
NUMBERS = {
    "float": ["0.1", "0.2", "0.3", "1.7", "2.3", "1", "5"], "with_nan": ["1.5", "nan", "-2.25", "inf"], "nan": ["nan", "nan"],
    "long": [repr(x) for x in np.random.default_rng(5).normal(3, 2, 50).tolist()],
}  # fmt: skip
INTEGERS = [[-100, 100, 0, 1, 100], [3]]


def reduced():
    cases = []
    for kind in ("float32", "float64", "complex64", "complex128"):
        is_complex = kind.startswith("complex")
        names = COMPLEX if is_complex else REDUCTIONS
        numbers = [v for name, v in NUMBERS.items() if not is_complex or name in ("float", "long")]
        calls = [[["array:" + kind, given]] for given in [[], *numbers]]
        cases += [[REDUCED, name, calls] for name in sorted(names)]
    for kind in ("bool", "int8", "int32", "int64", "uint8", "uint32", "uint64"):
        of_kind = [np.array(given).astype(kind).tolist() if kind[0] != "u" else [abs(x) for x in given] for given in INTEGERS]
        calls = [[["array:" + kind, given]] for given in [[], *of_kind]]
        cases += [[REDUCED, name, calls] for name in sorted(REDUCTIONS) if (kind, name) != ("bool", "extent")]
    return cases


def assigned():
    cases = []
    for name in ("forward", "back", "backwards", "thinned", "itself", "within"):
        cases.append([ASSIGNED, name, [[["array:" + k, list(range(7))], ["int64", n]] for k in ("int64", "float32", "uint8") for n in (1, 2, 3)]])
    square = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    for name in ("forward", "back", "backwards", "turned", "first_row", "within"):
        cases.append([ASSIGNED, name, [[["array:" + k, square], ["int64", n]] for k in ("int32", "float64", "complex64") for n in (1, 2)]])
    return cases


def numbered():
    numbers = [["uint64", 7], ["int64", -7], ["int8", 7], ["uint8", 7], ["int32", -9], ["float32", 7.5], ["float64", -7.5], ["bool", True]]
    cases = [[NUMBERED, "each", [[a, b]]] for a in numbers for b in numbers]
    cases.append([NUMBERED, "steps", [[["int64", 10], ["int64", n]] for n in (3, 1, -2, 0)]])
    return [*cases, [NUMBERED, "thinned_sum", [[["array:float64", [1, 2, 3]], ["int64", n]] for n in (2, -1, 0)]]]


ADDED = ("sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "place_of_least", "place_of_greatest")


def in_columns():
    values = np.random.default_rng(7).normal(3, 20, 1000).astype("float32")
    shapes = [values[:60].reshape(12, 5) / 30, values.reshape(20, 50) / 30, values.reshape(10, 20, 5) / 30]
    return [[REDUCED, name, [[[f"fortran:{kind}", a.tolist()]] for a in shapes for kind in ("float32", "float64")]] for name in ADDED]


def check(cases, folder):
    wrong = []
    for (_, name, calls), here, there in zip(cases, numba_oracle.run(cases, njit, folder), numba_oracle.recorded(cases), strict=True):
        wrong += [f"{name} {c}\nhere  {a}\nNumba {b}" for c, a, b in zip(calls, here, there, strict=True) if numba_oracle.differs(a, b, {})]
    assert not wrong, "\n\n".join(wrong)


def test_reductions(tmp_path):
    check(part(reduced(), 60), tmp_path)


def test_fortran_arrays_are_added_in_the_order_of_memory(tmp_path):
    check(part(in_columns(), 6), tmp_path)


def test_numbers(tmp_path):
    check(numbered(), tmp_path)


def test_slices_that_overlap(tmp_path):
    check(part(assigned(), 5), tmp_path)


def test_slices_of_another_length():
    @njit
    def into(source, target):
        target[:] = source

    for source, target in (((2,), (3,)), ((3,), (2,)), ((2, 3), (3, 3)), ((0,), (3,)), ((3, 2), (3, 3))):
        held = np.full(target, 7.0)
        with pytest.raises(ValueError, match="cannot assign slice"):
            into(np.ones(source), held)
        assert (held == 7).all()
    into(np.ones(1), held)
    assert (held == 1).all()


def test_overlap_of_two_types():
    @njit
    def into(source, target):
        target[:] = source

    for source, target in (("i2", "i4"), ("u1", "f8"), ("f8", "f4")):
        a, b = np.arange(10, dtype="f8"), np.arange(10, dtype="f8")
        n = 10 * 8 // np.dtype(target).itemsize
        n = min(n, a.view(source).size)
        into(a.view(source)[:n], a.view(target)[:n])
        with np.errstate(all="ignore"):
            b.view(target)[:n] = b.view(source)[:n].copy()  # NumPy itself mixes them up where sizes differ
        np.testing.assert_array_equal(a.view("u8"), b.view("u8"))


def test_kernels_move_rows(device):
    @cuda.jit
    def shifted(a):
        i = cuda.grid(1)
        if i < a.shape[0]:
            a[i, 1:] = a[i, :-1]
            a[i, :] = a[i, ::-1]

    numbers = np.arange(12).reshape(3, 4)
    made = numbers.copy()
    shifted[1, 4](made)
    np.testing.assert_array_equal(made, numbers[:, [2, 1, 0, 0]])


def test_functions_without_numba_s_errors():
    """Numbers are divided as kernels divide them."""

    @njit(error_model="numpy")
    def var(a):
        return a.var()

    assert np.isnan(var(np.zeros(0)))


def test_booleans_have_no_extent():
    @njit
    def extent(a):
        return np.ptp(a)

    with pytest.raises(Exception, match="boolean subtract"):
        extent(np.ones(2, bool))
