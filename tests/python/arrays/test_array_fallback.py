"""Functions without a native implementation: NumPy computes them on the host, with a warning, and results come back."""

import warnings

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
from arrays import cases, check

pytestmark = pytest.mark.usefixtures("silent_fallback")


def test_modes():
    assert qn.set_fallback("warn") == "silent"
    with pytest.warns(qn.FallbackWarning, match=r"\[roots\] is not supported natively"):
        qn.roots([1.0, -3.0, 2.0])
    assert qn.set_fallback("error") == "warn"
    with pytest.raises(NotImplementedError, match=r"\[roots\].*set_fallback"):
        qn.roots([1.0, -3.0, 2.0])
    qn.set_fallback("silent")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(qn.roots([1.0, -3.0, 2.0]), qn.Array)
    with pytest.raises(ValueError, match="silent"):
        qn.set_fallback("loud")
    assert issubclass(qn.FallbackWarning, UserWarning)


def test_one_warning_for_each_line():
    qn.set_fallback("warn")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            qn.roots([1.0, -3.0, 2.0])
        qn.roots([1.0, -3.0, 2.0])
    seen = [w for w in seen if w.category is qn.FallbackWarning]
    assert len(seen) == 2
    assert all(w.filename == __file__ for w in seen)
    assert seen[0].lineno < seen[1].lineno


def test_it_shows_in_the_trace(device):
    x = qn.arange(1000)
    with qn.trace() as events:
        qn.apply_along_axis(np.sum, 0, x)
    kinds = [event["kind"] for event in events]
    assert "device_to_host" in kinds
    assert "host_to_device" in kinds


VALUES = cases("""
m.apply_along_axis(np.sort, 1, a) | m.histogram(w, 3) | m.interp([1.5, 2.5], [1, 2, 3], [3, 2, 0]) | m.roots([1.0, -3.0, 2.0])
m.einsum('ij->ji', a) | m.unravel_index(5, (2, 3)) | m.polyfit([0.0, 1, 2], [1.0, 3, 5], 1) | m.percentile(w, 30) | m.piecewise(w, [w < 1], [0, 1])
m.repeat(v, [1, 2, 0, 1, 3, 1]) | m.pad(v, 2, mode=lambda v, w, *_: v.fill(0)) | m.nanpercentile(w, 30, method='inverted_cdf') | m.linalg.norm(g[:, :3], 2)
m.linalg.det(g[:, :3]) | m.linalg.slogdet(g[:, :3]) | m.fft.fft(w) | m.fft.fftfreq(8)
m.array_split(v, 4) | m.linalg.eigh(a[:, :3] + a[:, :3].T)[0]
x = v; m.put(x, [0, 2], [7, 8]); x | x = v; m.place(x, x > 2, [1, 2]); x | x = v; m.putmask(x, x > 2, 0); x | x = v; m.copyto(x, 3); x
x = m.zeros((3, 3)); m.fill_diagonal(x, 5); x
x = v; x.sort(); x | x = v; x.partition(2); x.sort(); x | x = v; x.put([0], 4); x | v.searchsorted(3) | a.tobytes() | v.argsort() | a.cumsum(1)
v.take([0, 1]) | v.nonzero() | v.byteswap() | v.view('uint64') | v.choose([1, 2]) | a.argmax(0) | a.nothing | v.compress([True, False, True])
x = v; x.byteswap(inplace=True); x | m.median(a, axis=0, out=m.zeros(4)) | m.sum(v, foo=3) | m.nothing | m.max([[1, 2]], 0, None, True)
m.array_repr(v) | m.array2string(w) | m.isdtype(w.dtype, 'real floating') | m.issubdtype(w.dtype, m.floating)
m.iinfo('int8').max | m.dtype('float32') | m.bool is np.bool | m.float32 is np.float32 | m.complex64 is np.complex64 | m.euler_gamma
m.tril_indices(3) | m.ix_([0, 1], [2]) | m.fromiter(range(4), float) | m.r_[1:4, 0] | m.c_[w, w] | m.s_[1:2] | m.polynomial.polynomial.polyval(w, [1, 2])
3 in v | 99 in v | 1.5 in w | v.round() | g.round(1) | m.array([1.0, 2.0], order='F') | m.linalg.LinAlgError
m.median('abc') | m.sort(v, axis=4) | m.fft.fft(w, axis=3)
""")


@pytest.mark.parametrize("case", VALUES)
def test_values(case, device):
    check(case, exact=not any(word in case for word in ("fft", "linalg", "polyfit", "roots", "pad")))


def test_where_copies_go_back(device):
    x = qn.asarray([[3.0, 1.0], [2.0, 5.0]])
    out = qn.zeros(2)
    assert qn.median(x, 0, out) is out  # `out` as a positional argument
    assert out.tolist() == [2.5, 3.0]
    view = x[0]
    view.sort()
    assert x.tolist() == [[1, 3], [2, 5]]


def test_results_of_unsupported_types():
    assert isinstance(qn.char.add(["a"], ["b"]), np.ndarray)
    assert qn.mintypecode(["d", "f"]) == np.mintypecode(["d", "f"])


def test_submodules_are_modules():
    from quern.fft import fftfreq
    from quern.linalg import norm
    from quern.random import default_rng

    assert qn.linalg.norm is norm
    assert fftfreq(4).shape == (4,)
    assert default_rng is qn.random.default_rng
    with pytest.raises(AttributeError, match="nothing"):
        qn.linalg.nothing  # noqa: B018


def test_a_native_function_wins():
    """A function written in a module is taken, and NumPy's stands behind it."""
    from quern.arrays import fallback

    namespace = {"__name__": "some", "numpy": np}
    exec("def median(a):\n    return 'native'", namespace)
    getter = fallback.serve_module(namespace, np, "")
    assert namespace["median"]([1, 2]) == "native"
    assert namespace["median"]([[1, 2]], axis=1).tolist() == [1.5]
    assert getter("percentile")([1.0, 2.0], 50).item() == 1.5
    with pytest.raises(TypeError):
        namespace["median"]([1], foo=3)


def test_errors_inside_native_functions_are_not_hidden():
    qn.set_fallback("error")
    with pytest.raises(TypeError):
        qn.sum(qn.arange(3), axis="x")
    with pytest.raises(TypeError):
        qn.reshape()


def test_cupys_names(device):
    qn.set_fallback("warn")
    x = cp.asarray([3.0, 1.0, 2.0])
    with pytest.warns(qn.FallbackWarning):
        assert type(cp.unwrap(x)) is cp.ndarray
    qn.set_fallback("silent")
    for value in (
        cp.linalg.inv(cp.eye(2)),
        cp.fft.ifft(x),
        cp.random.rand(3),
        cp.random.default_rng(1).normal(size=2),
        x.argsort(),
        cp.sort(x),
    ):
        assert type(value) is cp.ndarray
    assert type(cp.linalg.eigh(cp.eye(2))[1]) is cp.ndarray
    assert type(cp.linalg.norm(x)) is cp.ndarray
    for module, name in ((cp, "matvec"), (cp, "nothing"), (cp.linalg, "nothing"), (cp.fft, "rfft4"), (cp.random, "PCG64")):
        with pytest.raises(AttributeError):
            getattr(module, name)
