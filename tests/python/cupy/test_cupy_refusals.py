"""What CuPy refuses or warns of, and NumPy does not: its documentation and its source say so."""

import warnings

import numpy as np
import pytest
from arrays import cases
from quern import cupy as cp
from quern import cupyx

HOST = np.ones(3)
OPERANDS = """
g + HOST | HOST + g | g - HOST | HOST * g | g / [1, 2, 3] | g // HOST | HOST ** g | g ** HOST | g @ HOST | HOST @ g | g < HOST | g == HOST | g != [1, 2, 3]
g + np.array(2.0) | cp.add(g, HOST) | cp.add(HOST, g) | cp.sin(HOST) | cp.sin([1.0]) | cp.maximum(1, HOST) | np.add(g, HOST) | np.add(HOST, g) | np.add(g, g, out=HOST.copy()) | np.add(HOST, HOST, out=g)
cp.concatenate([g, HOST]) | cp.stack([HOST, g]) | cp.vstack([g, HOST]) | cp.where(HOST > 0, g, g) | cp.where(g > 0, HOST, g) | cp.dot(g, HOST)
cp.sin(g, out=HOST.copy()) | cp.add(g, g, HOST.copy()) | cp.add(g, g, out=HOST.copy()) | g.sum(out=np.zeros(())) | cp.sum(g, out=np.zeros(())) | g.clip(0, 1, out=HOST.copy()) | cp.cumsum(g, out=HOST.copy()) | g.dot(HOST) | g.dot(g, out=np.zeros(()))
cp.outer(HOST, g) | cp.copyto(g, HOST) | cp.bincount(np.array([1])) | cp.angle(HOST) | cp.isclose(g, HOST) | cp.vectorize(lambda x: x + 1)(HOST)
"""


@pytest.mark.parametrize("text", cases(OPERANDS))
def test_arrays_of_the_host_are_no_operands(device, text):
    with pytest.raises(TypeError, match=r"Unsupported type <class '(numpy.ndarray|list)'>.*cupy.asarray\(\)"):
        eval(text, {"g": cp.ones(3), "HOST": HOST, "np": np, "cp": cp})


def test_what_goes_beside_arrays(device):
    g = cp.ones(3)
    assert (g + np.float32(1)).tolist() == (np.float64(1) + g).tolist() == [2, 2, 2]
    assert (g < np.array(2.0)).all() and not (np.array(2.0) == g).any()
    g[:2] = np.array([5.0, 6.0])
    g[2] = np.array(7.0)
    assert g.tolist() == [5, 6, 7]
    for one in (np.array(2.0), np.array([2.0]), np.float32(2)):
        g[0] = 0
        cp.copyto(g, one)
        assert g.tolist() == [2, 2, 2]
    for function in (cp.linalg.inv, cp.linalg.cholesky, cp.linalg.svd, lambda a: cp.linalg.solve(a, cp.ones(2))):
        with pytest.raises(cp.linalg.LinAlgError, match="cupy.linalg only supports cupy.ndarray"):
            function(np.eye(2))


INDICES = """
cp.take(cp.arange(5), 1.5) | cp.arange(5).take(np.float32(1)) | cp.take(cp.arange(5), "x") | cp.take(cp.arange(5), cp.array(1.5))
cupyx.scatter_add(cp.zeros(3, bool), [0, 0], True) | cupyx.scatter_max(cp.zeros(3, bool), [0], True) | cupyx.scatter_min(cp.zeros(3, bool), [0], True)
"""


@pytest.mark.parametrize("text", cases(INDICES))
def test_indices_and_types_of_elements(device, text):
    with pytest.raises(TypeError):
        eval(text, {"cp": cp, "cupyx": cupyx, "np": np})
    assert cp.take(cp.arange(5), True) == 1 and cp.take(cp.arange(5), [1.5, 3]).tolist() == [1, 3]


WARNINGS = """
DeprecationWarning: cp.ones(3).scatter_add([0], 1) | DeprecationWarning: cp.ones(3).scatter_max([0], 1) | DeprecationWarning: cp.ones(3).scatter_min([0], 1)
DeprecationWarning: +(cp.ones(3) > 0) | DeprecationWarning: cp.ones(4).reduced_view(np.int64) | DeprecationWarning: cp.corrcoef(cp.eye(2), bias=1)
DeprecationWarning: cp.percentile(cp.ones(3), 50, interpolation="lower") | DeprecationWarning: cp.quantile(cp.ones(3), 0.5, interpolation="nearest")
RuntimeWarning: cp.histogram(cp.ones(3) > 0) | FutureWarning: cp.fft.config.set_cufft_gpus(2)
VisibleDeprecationWarning: cp.ones(3).toDlpack() | DeprecationWarning: cp.fft.config.enable_nd_planning
"""


@pytest.mark.parametrize("case", cases(WARNINGS))
def test_warnings(device, case):
    name, _, text = case.partition(": ")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        eval(text, {"cp": cp, "np": np})
    assert [w.category.__name__ for w in seen] == [name]
    assert seen[0].filename == "<string>"


ERRORS = """
ValueError: cp.zeros(3, "3i") | ValueError: cp.empty(3, "V") | ValueError: cp.zeros(3, ">i4") | ValueError: cp.ndarray(3, ">f8") | ValueError: cp.array(["a"])
ValueError: cp.full(3, 1, ">i2") | ValueError: cp.zeros(3, object) | ValueError: cp.zeros(3, "M8[s]") | ValueError: cp.zeros(3, np.dtype([("a", object)]))
TypeError: cp.zeros(3, "S3") | TypeError: cp.zeros_like(g, subok=True) | TypeError: cp.full_like(g, 1, subok=False) | TypeError: g.astype(int, subok=True)
NotImplementedError: cp.r_[1:3] | NotImplementedError: cp.c_["r", 1] | ValueError: cp.r_[1, "0"] | ValueError: cp.cov(cp.eye(2), ddof=1.5)
TypeError: cp.cov(cp.eye(2), fweights=cp.ones(2)) | TypeError: cp.cov(cp.eye(2), aweights=np.ones(2)) | RuntimeError: cp.cov(cp.eye(2), aweights=cp.ones((2, 1)))
ValueError: cp.packbits(cp.array([1]), bitorder="x") | ValueError: cp.unpackbits(cp.array([1], "u1"), bitorder=3) | ValueError: g.put([0], 1, mode="x")
TypeError: cp.select([g > 0], [g], [2]) | TypeError: cp.select([g > 0], [[1, 2, 3]]) | IndexError: g.flat[(0,)] | ValueError: cp.histogram(g, weights=np.ones(3))
NotImplementedError: cp.lib.stride_tricks.sliding_window_view(g, 2, writeable=True) | ValueError: cp.ndarray((2, 3), strides=(8, 128)) | ValueError: cp.ndarray((2, 3), strides=(-8, 8))
TypeError: cp.repeat(g, np.array([1, 2, 3])) | TypeError: cp.repeat(g, cp.array([1, 2, 3], "Q")) | ValueError: cp.repeat(g, -1)
TypeError: cp.random.seed(1.5) | TypeError: cp.random.seed("x") | TypeError: cp.random.seed(cp.array(5)) | ValueError: cp.random.seed(-1) | TypeError: g.set([1, 2, 3])
"""


@pytest.mark.parametrize("case", cases(ERRORS))
def test_errors(device, case):
    name, _, text = case.partition(": ")
    with pytest.raises(Exception) as caught:
        eval(text, {"cp": cp, "np": np, "g": cp.ones(3)})
    assert name in [kind.__name__ for kind in type(caught.value).__mro__], caught.value


def test_seeds(device):
    for seed in (5, np.int64(5), True, np.array(5), np.array([3, 1])):
        drawn = []
        for _ in range(2):
            cp.random.seed(seed)
            drawn.append(cp.random.rand(3).tolist())
        assert drawn[0] == drawn[1]


def test_grids_of_bounds_that_are_arrays(device):
    assert cp.mgrid[cp.array(0) : cp.array(1) : 3j].tolist() == [0, 0.5, 1]
    assert cp.ogrid[cp.array(1) : cp.array(4)].tolist() == [1, 2, 3]
    assert [line.shape for line in cp.ogrid[0 : cp.array(3), 0:1:2j]] == [(3, 1), (1, 2)]


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQefdFD")
def test_types_of_powers_of_polynomials(device, dtype):
    coefficients = np.array([1, 0, 1], dtype)
    p = cp.poly1d(cp.asarray(coefficients))
    for power in (0, 1, 2, 3):
        kind = "complex128" if dtype in "FD" else "float64" if dtype in "efdLQ" else "int64"
        assert (p**power).coeffs.dtype == ("int64" if power == 0 else kind)


def test_masks_of_no_elements_pick_nothing(device):
    for module in (cp, np):
        x = module.zeros((2, 3, 4))
        for mask in (module.zeros(0, bool), module.zeros((2, 0), bool), module.zeros((0, 3), bool)):
            assert x[mask].shape == (0, *x.shape[mask.ndim :])
        with pytest.raises(IndexError):
            x[module.zeros((3, 0), bool)]


def test_new_arrays_like_those_of_a_subclass_are_plain(device):
    class Own(cp.ndarray):
        pass

    own = cp.arange(3.0).view(Own)
    made = [cp.zeros_like(own), cp.empty_like(own), cp.ones_like(own), cp.full_like(own, 2)]
    assert type(own) is Own and all(type(one) is cp.ndarray for one in made)
    assert type(own.copy()) is Own and type(own + 1) is Own
