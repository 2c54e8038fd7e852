"""The array API standard's strict module: every name and signature of version 2024.12, and its meaning where NumPy has another."""

import inspect
import itertools

import numpy as np
import pytest
import quern as qn
import quern.array_api as xp
import quern.cupy as cp

MAIN = """
(x, /): abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan log log10
    log1p log2 logical_not matrix_transpose negative nonzero positive real reciprocal round sign signbit sin sinh sqrt square tan
    tanh trunc unique_all unique_counts unique_inverse unique_values
(x1, x2, /): add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal
    floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor matmul maximum minimum
    multiply nextafter not_equal pow remainder subtract
(x, /, *, axis=None, keepdims=False): all any argmax argmin count_nonzero max mean min
(start, /, stop=None, step=1, *, dtype=None, device=None): arange
(x, /, *, axis=-1, descending=False, stable=True): argsort sort
(obj, /, *, dtype=None, device=None, copy=None): asarray
(x, dtype, /, *, copy=True, device=None): astype
(*arrays): broadcast_arrays
(x, /, shape): broadcast_to
(from_, to, /): can_cast
(x, /, min=None, max=None): clip
(arrays, /, *, axis=0): concat stack
(x, /, *, axis=None, dtype=None, include_initial=False): cumulative_prod cumulative_sum
(x, /, *, axis=-1, n=1, prepend=None, append=None): diff
(shape, *, dtype=None, device=None): empty ones zeros
(x, /, *, dtype=None, device=None): empty_like ones_like zeros_like
(x, /, *, axis=0): unstack
(x, /, axis=0): expand_dims
(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None): eye
(type, /): finfo iinfo
(x, /, *, axis=None): flip
(x, /, *, device=None, copy=None): from_dlpack
(shape, fill_value, *, dtype=None, device=None): full
(x, /, fill_value, *, dtype=None, device=None): full_like
(dtype, kind): isdtype
(start, stop, /, num, *, dtype=None, device=None, endpoint=True): linspace
(*arrays, indexing='xy'): meshgrid
(x, source, destination, /): moveaxis
(x, /, axes): permute_dims
(x, /, *, axis=None, dtype=None, keepdims=False): prod sum
(x, repeats, /, *, axis=None): repeat
(x, /, shape, *, copy=None): reshape
(*arrays_and_dtypes): result_type
(x, /, shift, *, axis=None): roll
(x1, x2, /, *, side='left', sorter=None): searchsorted
(x, /, axis): squeeze
(x, /, *, axis=None, correction=0.0, keepdims=False): std var
(x, indices, /, *, axis=None): take
(x, indices, /, *, axis=-1): take_along_axis
(x1, x2, /, *, axes=2): tensordot
(x, repetitions, /): tile
(x, /, *, k=0): tril triu
(x1, x2, /, *, axis=-1): vecdot
(condition, x1, x2, /): where
"""
LINALG = """
(x, /, *, upper=False): cholesky
(x1, x2, /, *, axis=-1): cross vecdot
(x, /): det eigh eigvalsh inv matrix_transpose slogdet svdvals
(x, /, *, offset=0): diagonal
(x1, x2, /): matmul outer solve
(x, /, *, keepdims=False, ord='fro'): matrix_norm
(x, n, /): matrix_power
(x, /, *, rtol=None): matrix_rank pinv
(x, /, *, mode='reduced'): qr
(x, /, *, full_matrices=True): svd
(x1, x2, /, *, axes=2): tensordot
(x, /, *, offset=0, dtype=None): trace
(x, /, *, axis=None, keepdims=False, ord=2): vector_norm
"""
FFT = """
(x, /, *, n=None, axis=-1, norm='backward'): fft hfft ifft ihfft irfft rfft
(x, /, *, s=None, axes=None, norm='backward'): fftn ifftn irfftn rfftn
(n, /, *, d=1.0, dtype=None, device=None): fftfreq rfftfreq
(x, /, *, axes=None): fftshift ifftshift
"""


def signatures(text):
    """(name, signature) of each function in a text of "(parameters): names", with lines that go on indented."""
    for line in text.strip().replace("\n    ", " ").splitlines():
        signature, names = line.split("): ")
        yield from ((name, signature + ")") for name in names.split())


@pytest.mark.parametrize(("module", "text"), [(xp, MAIN), (xp.linalg, LINALG), (xp.fft, FFT)], ids=["main", "linalg", "fft"])
def test_signatures(module, text):
    for name, signature in signatures(text):
        assert name in module.__all__
        assert inspect.getdoc(getattr(module, name)), name
        assert str(inspect.signature(getattr(module, name))) == signature, name


def test_names():
    functions = {name for name, _ in signatures(MAIN)}
    types = set("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split())
    rest = {"e", "inf", "nan", "newaxis", "pi", "fft", "linalg", "__array_api_version__", "__array_namespace_info__"}
    assert set(xp.__all__) == functions | types | rest
    assert set(xp.linalg.__all__) == {name for name, _ in signatures(LINALG)}
    assert set(xp.fft.__all__) == {name for name, _ in signatures(FFT)}
    assert xp.__array_api_version__ == "2024.12"
    assert xp.newaxis is None
    assert xp.pi == np.pi and xp.e == np.e and xp.inf == np.inf and xp.nan != xp.nan


def same(got, want):
    got, want = np.asarray(got.get()), np.asarray(want)
    assert got.dtype == want.dtype
    is_short = want.dtype in (np.float32, np.complex64)
    np.testing.assert_allclose(got, want, rtol=1e-5 if is_short else 1e-11, atol=1e-6 if is_short else 1e-12)


SAMPLES = {"float32": [-2.5, -0.5, 0.25, 0.75, 3.0], "float64": [-1.5, 0.0, 0.5, 1.0, 7.25], "complex64": [1 + 2j, -0.5j, 0.5, -1 - 1j, 2],
           "int32": [-3, 0, 1, 2, 5], "uint8": [0, 1, 2, 3, 200], "bool": [False, True, True, False, True]}  # fmt: skip


@pytest.mark.parametrize("dtype", SAMPLES)
@pytest.mark.parametrize("name", [name for name, signature in signatures(MAIN) if signature in ("(x, /)", "(x1, x2, /)")])
def test_values_as_numpy(device, name, dtype):
    """What the standard's functions of one and two arrays give where NumPy has the type too."""
    host = np.array(SAMPLES[dtype], dtype)
    twice = dict(signatures(MAIN))[name] == "(x1, x2, /)"
    if name == "matrix_transpose":
        host = host.reshape(1, -1)
    hosts = (host, np.roll(host, 2)) if twice else (host,)
    try:
        with np.errstate(all="ignore"):
            want = getattr(np, name)(*hosts)
    except (TypeError, ValueError):
        return
    got = getattr(xp, name)(*(xp.asarray(one, copy=True) for one in hosts))
    for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
        if name == "unique_values":  # in any order
            g, w = xp.sort(g), np.sort(w)
        if w.dtype != np.float16:  # NumPy's answer for a small integer; the standard has no such type
            same(g, w)


def test_namespaces(device):
    assert xp.ones(2).__array_namespace__() is xp
    assert cp.ones(2).__array_namespace__() is cp


def test_lists(device):
    grid = xp.meshgrid(xp.arange(2), xp.arange(3), indexing="ij")
    assert type(grid) is list and [g.shape for g in grid] == [(2, 3), (2, 3)]
    assert type(xp.broadcast_arrays(xp.ones(2), xp.ones((3, 1)))) is list


def test_limits():
    for given in (xp.float32, np.dtype("float32"), xp.complex64, xp.ones(2, dtype=xp.float32)):
        limits = xp.finfo(given)
        assert [type(getattr(limits, name)) for name in ("bits", "eps", "max", "min", "smallest_normal")] == [int, float, float, float, float]
        assert limits.eps == 2.0**-23 and limits.dtype == xp.float32
    assert xp.iinfo(xp.int8).min == -128 and xp.iinfo(xp.ones(2, dtype=xp.uint64)).max == 2**64 - 1
    assert type(xp.iinfo(xp.int8).max) is int


def test_types_of_results(device):
    assert xp.result_type(xp.ones(2, dtype=xp.float32), 1.5) == xp.float32
    assert xp.result_type(xp.int8, xp.uint8) == xp.int16
    with pytest.raises(ValueError, match="at least one"):
        xp.result_type(1, 2.0)
    assert xp.can_cast(xp.ones(1, dtype=xp.int8), xp.int16) and not xp.can_cast(xp.int16, xp.int8)
    x = xp.asarray([1, 5, 9], dtype=xp.uint8)
    assert xp.clip(x, 2, 7).dtype == xp.uint8 and xp.clip(x, None, xp.asarray(4)).dtype == xp.uint8
    same(xp.clip(x, max=4), np.array([1, 4, 4], "u1"))
    same(xp.clip(x), np.array([1, 5, 9], "u1"))
    assert xp.fft.fftfreq(4, dtype=xp.float32).dtype == xp.float32 and xp.fft.rfftfreq(4).dtype == xp.float64
    assert xp.astype(x, xp.uint8, copy=False) is x
    assert xp.zeros(2).dtype == xp.float64 and xp.full(2, 1j).dtype == xp.complex128 and xp.arange(3).dtype == xp.int64


def test_arguments_that_are_needed(device):
    square = xp.ones((2, 2))
    for call in (lambda: xp.take(square, xp.asarray([0])), lambda: xp.cumulative_sum(square), lambda: xp.cumulative_prod(square), lambda: xp.nonzero(xp.asarray(1))):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        xp.add(x1=square, x2=square)
    same(xp.take(xp.arange(4), xp.asarray([3, 0])), np.array([3, 0]))
    same(xp.cumulative_sum(xp.arange(4), include_initial=True), np.array([0, 0, 1, 3, 6]))


ENDS = [np.inf, -np.inf, 2.5, -2.5, 0.0, -0.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floor_divide_of_infinities(device, dtype):
    a, b = (np.array(side, dtype) for side in zip(*itertools.product(ENDS, ENDS), strict=True))
    got = xp.floor_divide(xp.asarray(a), xp.asarray(b)).get()
    with np.errstate(all="ignore"):
        ended, quotient, plain = np.isinf(a) | np.isinf(b), a / b, a // b
    want = np.where(ended, quotient, plain)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))
    assert got.dtype == dtype
    same(xp.floor_divide(xp.asarray([7, -7]), xp.asarray([2, 2])), np.array([3, -4]))


def numbers_of(pairs):
    return np.array([complex(*pair) for pair in pairs])


def exactly(got, want):
    for part in ("real", "imag"):
        g, w = getattr(got, part), getattr(want, part)
        np.testing.assert_array_equal(g, w)
        ends = (w == 0) | np.isinf(w)
        np.testing.assert_array_equal(np.signbit(g[ends]), np.signbit(w[ends]))


def test_tanh_of_complex_infinities(device):
    inf, nan = np.inf, np.nan
    given = [(inf, 0.0), (inf, 2.0), (inf, -2.0), (inf, inf), (inf, nan), (-inf, 2.0), (-inf, -2.0), (0.0, 0.0), (nan, 0.0), (0.0, inf), (0.0, nan)]
    want = [(1, 0.0), (1, 0.0), (1, -0.0), (1, 0.0), (1, 0.0), (-1, 0.0), (-1, -0.0), (0.0, 0.0), (nan, 0.0), (0.0, nan), (0.0, nan)]
    exactly(xp.tanh(xp.asarray(numbers_of(given))).get(), numbers_of(want))


def test_expm1_of_complex_infinities(device):
    inf, nan = np.inf, np.nan
    given = [(inf, 0.0), (inf, 2.0), (inf, inf), (inf, nan), (-inf, 1.0), (-inf, inf), (-inf, nan), (nan, 0.0), (0.0, 0.0), (0.0, inf), (nan, 1.0)]
    want = [(inf, 0.0), (-inf, inf), (inf, nan), (inf, nan), (-1, 0.0), (-1, 0.0), (-1, 0.0), (nan, 0.0), (0.0, 0.0), (nan, nan), (nan, nan)]
    exactly(xp.expm1(xp.asarray(numbers_of(given))).get(), numbers_of(want))


def test_linear_algebra(device):
    rng = np.random.default_rng(4)
    host = rng.normal(size=(2, 3, 3)).astype("float32")
    host = host @ host.transpose(0, 2, 1) + np.eye(3, dtype="float32")
    x = xp.asarray(host)
    assert xp.linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert xp.linalg.qr(x)._fields == ("Q", "R") and xp.linalg.svd(x)._fields == ("U", "S", "Vh")
    assert xp.linalg.slogdet(x)._fields == ("sign", "logabsdet")
    np.testing.assert_allclose(xp.linalg.inv(x).get(), np.linalg.inv(host), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(xp.linalg.pinv(x, rtol=1e-6).get(), np.linalg.pinv(host), rtol=1e-3, atol=1e-5)
    assert xp.linalg.matrix_rank(x, rtol=1e-5).get().tolist() == [3, 3]
    np.testing.assert_allclose(xp.linalg.cholesky(x, upper=True).get(), np.linalg.cholesky(host).transpose(0, 2, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(xp.linalg.vector_norm(x, axis=-1).get(), np.linalg.norm(host, axis=-1), rtol=1e-5)
    np.testing.assert_allclose(xp.linalg.trace(x).get(), np.trace(host, axis1=1, axis2=2), rtol=1e-5)
    assert xp.fft.fft(xp.astype(x, xp.complex64)).dtype == xp.complex64


def test_memory_of_other_libraries(device):
    x = xp.asarray([1.0, 2.0])
    again = xp.from_dlpack(x)
    assert isinstance(again, qn.ndarray) and again.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError):
        xp.asarray([1, 2], copy=False)
    assert xp.asarray(x, copy=False) is x
