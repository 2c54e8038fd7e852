"""Distributions of random numbers that are faces of the engine's table: calls, parameters, refusals, and what runs in a call."""

import inspect
import pickle

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
from test_faces import events_of

PARAMETERS = {
    "standard_cauchy": (), "uniform": (1, 3), "normal": (1, 2), "exponential": (2,), "lognormal": (0, 0.5), "laplace": (1, 2),
    "logistic": (1, 2), "gumbel": (1, 2), "rayleigh": (2,), "weibull": (1.5,), "pareto": (3,), "power": (2,), "triangular": (0, 1, 3),
    "wald": (1, 2), "gamma": (1.5, 2), "beta": (1.5, 2), "chisquare": (3,), "noncentral_chisquare": (3, 1), "f": (3, 9),
    "noncentral_f": (3, 9, 1), "standard_t": (9,), "poisson": (4,), "binomial": (7, 0.3), "negative_binomial": (5, 0.4),
    "geometric": (0.3,), "logseries": (0.6,), "standard_gamma": (2,),
}  # fmt: skip


def same(a, b):
    return a.dtype == b.dtype and np.array_equal(np.asarray(a.get()), np.asarray(b.get()))


@pytest.mark.parametrize("name", PARAMETERS)
def test_methods_and_functions_draw_the_same(name):
    """Of one seed: the generator's method, the state's, the module's function and CuPy's; numbers and arrays of them."""
    given = PARAMETERS[name]
    wanted = getattr(qn.random.default_rng(3), name)(*given, size=(2, 3))
    assert wanted.shape == (2, 3) and wanted.dtype == getattr(np.random.default_rng(3), name)(*given, size=3).dtype
    assert same(getattr(qn.random.RandomState(3), name)(*given, size=(2, 3)), wanted)
    qn.random.seed(3)
    assert same(getattr(qn.random, name)(*given, size=[2, 3]), wanted)
    cp.random.seed(3)
    found = getattr(cp.random, name)(*given, size=(2, 3))
    assert type(found) is cp.ndarray and np.array_equal(found.get(), wanted.get())
    arrays = [np.full((2, 1), value) for value in given]
    assert same(getattr(qn.random.default_rng(3), name)(*arrays, size=(2, 3)), wanted)
    if given:
        lists, (first, *rest) = [[value, value] for value in given], [qn.asarray([float(value)]) for value in given]
        assert getattr(qn.random.default_rng(3), name)(*lists).shape == (2,)
        assert getattr(qn.random.default_rng(3), name)(first, *rest).shape == (1,)
        assert getattr(qn.random.default_rng(3), name)(cp.asarray(np.array([float(given[0])])), *given[1:]).__class__ is cp.ndarray


@pytest.mark.parametrize("name", PARAMETERS)
def test_signatures_are_numpys(name):
    ours = inspect.signature(getattr(qn.random.Generator, name)).parameters
    theirs = inspect.signature(getattr(np.random.Generator, name)).parameters
    assert [n for n in ours if n != "dtype" or n in theirs] == list(theirs)
    assert [p.default for n, p in ours.items() if n in theirs and n != "dtype"] == [p.default for n, p in theirs.items() if n != "dtype"]


def test_calls_run_no_python():
    g, s, a = qn.random.default_rng(1), qn.random.RandomState(1), qn.asarray([0.5, 1.5])
    for call in (
        lambda: g.normal(0, 1, (2, 3)),
        lambda: g.random(5, dtype=np.float32),
        lambda: g.uniform(a, 3.0),
        lambda: s.rand(2, 3),
        lambda: s.randn(),
        lambda: qn.random.poisson(3.5, 4),
        lambda: qn.random.random_sample((2, 2)),
    ):
        assert events_of(call) == []


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("normal", (0, -1), "scale < 0"), ("normal", (0, [1, -1]), "scale < 0"), ("lognormal", (0, -1), "sigma < 0"), ("weibull", (-1,), "a < 0"),
        ("pareto", (0,), "a <= 0"), ("beta", (1, 0), "b <= 0"), ("f", (0, 1), "dfnum <= 0"), ("f", (1, 0), "dfden <= 0"),
        ("noncentral_chisquare", (1, -1), "nonc < 0"), ("wald", (0, 1), "mean <= 0"), ("wald", (1, 0), "scale <= 0"),
        ("poisson", (-1,), "lam < 0"), ("poisson", (np.nan,), "lam < 0 or lam is NaN"), ("poisson", (1e19,), "too large"),
        ("binomial", (-1, 0.5), "n < 0"), ("binomial", (1, 1.5), "p < 0, p > 1 or p is NaN"), ("binomial", (1, [0.5, np.nan]), "p is NaN"),
        ("geometric", (0,), "p <= 0"), ("logseries", (1,), "p >= 1"), ("triangular", (2, 1, 3), "left > mode"),
        ("triangular", (0, 4, 3), "mode > right"), ("triangular", (1, 1, 1), "left == right"), ("normal", (0, 1, -2), "negative dimensions"),
        ("normal", ([0, 1, 2], 1, 1), "not compatible"),
    ],
)  # fmt: skip
def test_refusals(name, given, words):
    with pytest.raises(ValueError):
        getattr(np.random.default_rng(1), name)(*given)
    for generator in (qn.random.default_rng(1), qn.random.RandomState(1), cp.random.RandomState(1)):
        with pytest.raises(ValueError, match=words):
            getattr(generator, name)(*given)
        assert generator._bits.state["state"]["counter"] == 0  # nothing was drawn


def test_other_refusals():
    g = qn.random.default_rng(1)
    for call, error, words in (
        (lambda: g.uniform(0, np.inf), OverflowError, "Range exceeds valid bounds"),
        (lambda: g.random(3, dtype=int), TypeError, r"Unsupported dtype dtype\('int64'\) for random"),
        (lambda: g.random(out=np.zeros(3)), TypeError, "out must be an array of quern's"),
        (lambda: g.random(out=qn.zeros(3, "float32")), TypeError, "Supplied output array has the wrong type"),
        (lambda: g.random(4, out=qn.zeros(3)), ValueError, "size must match out.shape"),
        (lambda: g.normal(1j), TypeError, "real number|complex"),
        (lambda: g.normal("a"), (TypeError, ValueError), "float|number"),
        (lambda: g.normal(0, 1, 2.5), TypeError, "integer"),
        (lambda: g.gamma(), TypeError, "missing 1 required positional argument: 'shape'"),
        (lambda: g.normal(sigma=2), TypeError, "unexpected keyword argument 'sigma'"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_out_takes_the_numbers():
    for name, given in (("random", ()), ("standard_normal", ()), ("standard_exponential", ()), ("standard_gamma", (2.0,))):
        for dtype in ("float64", "float32"):
            out = qn.zeros((2, 3), dtype)
            assert getattr(qn.random.default_rng(5), name)(*given, dtype=dtype, out=out) is out
            assert same(out, getattr(qn.random.default_rng(5), name)(*given, (2, 3), dtype=dtype))


def test_streams_are_kept():
    bits = qn.random.Philox(7)
    g = qn.random.Generator(bits)
    g.normal(size=5)
    assert bits.state["state"]["counter"] == 5
    again = pickle.loads(pickle.dumps(g))
    assert same(again.random(3), qn.random.Generator(bits.jumped(0)).random(3))
    bits.state = {"bit_generator": "Philox4x32", "state": {"key": 1, "counter": (1 << 64) - 2}}
    assert g.random(4).shape == (4,) and bits.state["state"]["counter"] == 2  # the stream goes round
