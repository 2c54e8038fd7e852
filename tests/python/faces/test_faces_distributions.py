"""Distributions of random numbers that are faces of the engine's table: calls, parameters, refusals, and what runs in a call."""

import inspect
import pickle

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
import quern.torch as torch
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
        lists, (first, *rest) = [[value, value] for value in given], [qn.asarray([value]) for value in given]
        assert getattr(qn.random.default_rng(3), name)(*lists).shape == (2,)
        assert getattr(qn.random.default_rng(3), name)(first, *rest).shape == (1,)
        assert getattr(qn.random.default_rng(3), name)(cp.asarray(np.array([given[0]])), *given[1:]).__class__ is cp.ndarray


@pytest.mark.parametrize("name", PARAMETERS)
def test_signatures_are_numpys(name):
    ours = inspect.signature(getattr(qn.random.Generator, name)).parameters
    theirs = inspect.signature(getattr(np.random.Generator, name)).parameters
    assert "dtype" not in ours or ours["dtype"].default is float
    assert [n for n in ours if n != "dtype" or n in theirs] == list(theirs)
    assert [p.default for n, p in ours.items() if n in theirs and n != "dtype"] == [p.default for n, p in theirs.items() if n != "dtype"]


def test_calls_run_no_python(no_allocator):
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
        (lambda: g.random(out=np.zeros(3)), TypeError, "out must be a quern array"),
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


FILLING = {"uniform_": (1, 3), "normal_": (1, 2), "exponential_": (2.5,), "cauchy_": (1, 2), "log_normal_": (0, 0.5), "geometric_": (0.3,)}


def test_tensors_are_filled_from_one_stream():
    """The float64 values are NumPy's functions of the same stream."""
    g = torch.Generator().manual_seed(3)
    key = g._stream.key
    filled = {name: getattr(torch.zeros(4, dtype=torch.float64), name)(*given, generator=g).numpy() for name, given in FILLING.items()}
    bits = qn.random.Philox(key=key)
    u, n, more = (lambda: qn.random.Generator(bits).random(4).get()), (lambda: qn.random.Generator(bits).standard_normal(4).get()), {}
    more["uniform_"], more["normal_"], more["exponential_"] = u() * 2 + 1, n() * 2 + 1, -np.log(1 - u()) / 2.5
    more["cauchy_"], more["log_normal_"] = 1 + 2 * np.tan(np.pi * (u() - 0.5)), np.exp(n() * 0.5)
    more["geometric_"] = np.maximum(np.ceil(np.log(1 - u()) / np.log1p(-0.3)), 1)
    for name in FILLING:
        np.testing.assert_allclose(filled[name], more[name], rtol=1e-14)
    assert g.get_state().numpy().view(np.uint64)[1] == 24


@pytest.mark.parametrize("name", FILLING)
def test_filling_gives_the_tensor(name):
    given = FILLING[name]
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.complex64):
        t = torch.zeros(3, 2, dtype=dtype).T
        if name == "exponential_" and dtype.is_complex:
            with pytest.raises(RuntimeError, match="must be a floating point"):
                t.exponential_()
        elif not (name == "geometric_" and dtype.is_complex):
            assert getattr(t, name)(*given) is t and t.dtype is dtype
            assert bool((t != 0).all())
    whole = torch.zeros(3, dtype=torch.int64)
    if name == "geometric_":
        assert bool((whole.geometric_(0.3) >= 1).all())
    else:
        with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
            getattr(whole, name)(*given)
    with pytest.raises(RuntimeError, match="leaf"):
        getattr(torch.zeros(2, requires_grad=True), name)(*given)


def test_filling_refuses_parameters():
    t = torch.zeros(2)
    for call, words in (
        (lambda: t.uniform_(2, 1), "uniform_ expects to return a \\[from, to\\) range, but found from=2 > to=1"),
        (lambda: t.uniform_(**{"from": 2, "to": 1}), "found from=2 > to=1"),
        (lambda: t.normal_(0, -1), "normal expects std >= 0.0, but found std -1"),
        (lambda: t.exponential_(0), "exponential_ expects lambda > 0.0, but found lambda=0"),
        (lambda: t.cauchy_(0, 0), "cauchy_ expects sigma > 0.0, but found sigma=0"),
        (lambda: t.log_normal_(0, 0), "log_normal_ expects std > 0.0, but found std=0"),
        (lambda: t.geometric_(1), r"geometric_ expects p to be in \(0, 1\), but got p=1"),
        (lambda: torch.rand(2, -1), r"Trying to create tensor with negative dimension -1: \[2, -1\]"),
        (lambda: torch.rand(2, dtype=torch.float64, out=torch.zeros(2)), "dtype torch.float64 does not match dtype of out parameter"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()
    for call in (lambda: torch.randn(1 << 40, 1 << 10), lambda: torch.ones(1 << 46), lambda: torch.zeros(1).repeat(1 << 46)):
        with pytest.raises(torch.OutOfMemoryError, match="out of memory: can.t allocate memory .*; make it smaller"):
            call()
    with pytest.raises(NotImplementedError, match="\"rand\" not implemented for 'Long'"):
        torch.rand(2, dtype=torch.int64)
    with pytest.raises(TypeError, match="size"):
        torch.randn()


def test_new_random_tensors():
    for function in (torch.rand, torch.randn):
        for given in ((2, 3), ((2, 3),), ([2, 3],), (torch.Size([2, 3]),)):
            assert function(*given).shape == (2, 3)
        assert function(size=(4,)).shape == (4,) and function(()).shape == () and function(0).numel() == 0
        made = function(2, dtype=torch.float64, device="cpu", requires_grad=True)
        assert made.requires_grad and made.is_leaf and made.dtype is torch.float64
        out = torch.empty(0)
        assert function(3, out=out) is out and out.shape == (3,)
    t = torch.zeros(3)
    assert events_of(lambda: t.normal_(0, 2)) == events_of(lambda: t.exponential_()) == []


SAMPLERS = """torch.normal(m, 1.0) | torch.normal(m, m) | torch.normal(2.0, m) | torch.normal(0.0, 1.0, (3,)) | torch.bernoulli(m) | torch.bernoulli(i, 0.5)
m.bernoulli() | torch.poisson(m) | torch.multinomial(m, 2) | torch.multinomial(m, 5, True) | t.bernoulli_(0.5) | t.bernoulli_(m)
t.random_() | t.random_(5) | i.random_(3, 9)"""


@pytest.mark.parametrize("call", [call.strip() for line in SAMPLERS.splitlines() for call in line.split(" | ")])
def test_samplers_of_tensors(call):
    m, i, t = torch.tensor([0.2, 0.5, 0.3]), torch.tensor([1, 2, 3]), torch.zeros(3)
    draw = eval(f"lambda: {call}", {"torch": torch, "m": m, "i": i, "t": t})
    assert events_of(draw) == []

    def drawn(seed):
        torch.manual_seed(seed)
        return draw().tolist()

    many = [drawn(seed) for seed in (1, 1, *range(2, 20))]
    assert many[0] == many[1] and len({str(one) for one in many}) > 1


def test_numbers_of_a_seed():
    """They stay as they are."""
    torch.manual_seed(1)
    assert torch.bernoulli(torch.full((8,), 0.5)).tolist() == [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert torch.multinomial(torch.tensor([[0.1, 0.9, 0.0], [1, 0, 0]]), 4, True).tolist() == [[1, 1, 1, 1], [0, 0, 0, 0]]
    assert torch.poisson(torch.full((4,), 4.0)).tolist() == [5.0, 4.0, 4.0, 2.0]
    assert torch.zeros(4, dtype=torch.uint8).random_().tolist() == [193, 124, 54, 174]


def test_limits_of_random_numbers():
    for dtype, end in ((torch.bool, 2), (torch.uint8, 256), (torch.int8, 128), (torch.bfloat16, 256), (torch.float16, 2048)):
        made = torch.zeros(5000, dtype=dtype).random_().to(torch.float64)
        assert made.min() >= 0 and end * 0.9 <= float(made.max()) + 1 <= end
    assert set(torch.zeros(100).random_(**{"from": 2, "to": 4}).tolist()) == {2.0, 3.0}


@pytest.mark.parametrize(
    "call",
    """gamma(nan) | gamma(1, nan) | gamma([1.0, nan]) | standard_gamma(nan) | beta(nan, 1) | beta(1, [nan, nan]) | chisquare(nan) | f(nan, 1) | standard_t(nan)
    noncentral_chisquare(nan, 1) | noncentral_chisquare(1, nan) | dirichlet([nan, 1.0]) | normal(0, nan)""".replace("\n", "|").split("|"),
)
def test_parameters_that_are_nan(call, device):
    rows = [eval(f"m.random.default_rng(1).{call.strip()}", {"m": m, "nan": np.nan}) for m in (np, qn)]
    want, got = np.asarray(rows[0]), qn.asnumpy(rows[1])
    assert (np.isnan(want) == np.isnan(got)).all() and np.isnan(got).any()


def test_tiny_parameters(device):
    rng = qn.random.default_rng(1)
    for form in (1e-300, 1e-5, 0.01):
        values = rng.beta(form, form, 2000).get()
        assert ((values >= 0) & (values <= 1)).all() and 0.45 < values.mean() < 0.55
        values = rng.dirichlet([form, 2 * form, form], 2000).get()
        np.testing.assert_allclose(values.sum(-1), 1)
        np.testing.assert_allclose(values.mean(0), [0.25, 0.5, 0.25], atol=0.05)
    assert rng.dirichlet([0.0, 0.0]).tolist() == [0, 0] and rng.dirichlet([0.0, 1.0]).tolist() == [0, 1]
    values = rng.beta(0.05, 0.09, 20_000).get()
    np.testing.assert_allclose([values.mean(), values.std()], [0.05 / 0.14, np.sqrt(0.05 * 0.09 / (0.14**2 * 1.14))], rtol=0.03)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        ("uniform(2, -1)", ValueError, "high - low < 0"),
        ("uniform(2, [-1, 3])", ValueError, "high - low < 0"),
        ("uniform(0, [np.inf])", OverflowError, "Range exceeds valid bounds"),
        ("negative_binomial(5, 0)", ValueError, "p <= 0, p > 1 or p contains NaNs"),
        ("negative_binomial(5, [0.0, 0.5])", ValueError, "p <= 0, p > 1 or p contains NaNs"),
        ("negative_binomial(np.nan, 0.5)", ValueError, "n must not be NaN"),
        ("negative_binomial(5, 1e-300)", ValueError, "n too large or p too small"),
        ("binomial(np.array([2.5]), 0.5)", TypeError, "according to the rule 'safe'"),
        ("binomial(np.nan, 0.5)", ValueError, "cannot convert float NaN to integer"),
        ("normal(0, -0.0)", ValueError, "scale < 0"),
        ("dirichlet([1.0, 1.0], -1)", ValueError, "negative dimensions are not allowed"),
        ("dirichlet([-1.0, 1.0])", ValueError, "alpha < 0"),
        ("dirichlet(1.0)", TypeError, "alpha must be a one-dimensional sequence"),
        ("integers(0, 5, dtype='>i4')", ValueError, "non-native byteorder"),
    ],
)
def test_parameters_without_a_distribution(call, error, text, device):
    for m in (np, qn):
        with pytest.raises(error, match=text if m is qn else None):
            eval(f"m.random.default_rng(1).{call}", {"m": m, "np": np})


def test_numpys_old_generator_takes_what_it_took(device):
    state = qn.random.RandomState(1)
    assert -1 < float(state.uniform(2, -1)) <= 2
    with pytest.raises(ValueError, match="alpha <= 0"):
        state.dirichlet([0.0, 1.0])
    for seed in (1 << 32, -1, [1, 1 << 32]):
        for m in (np, qn):
            with pytest.raises(ValueError, match="Seed must be between 0 and"):
                m.random.RandomState(seed)
            with pytest.raises(ValueError, match="Seed must be between 0 and"):
                m.random.RandomState(1).seed(seed)
    assert qn.random.RandomState((1 << 32) - 1).rand() < 1


def test_fractions_of_tries_are_cut_off(device):
    rng = qn.random.default_rng(1)
    assert set(rng.binomial(1.9, 0.5, 200).tolist()) == {0, 1}


def test_zipf_close_to_one(device):
    rng = qn.random.default_rng(1)
    values = rng.zipf(1.0000001, 2000).get()
    assert values.min() >= 1 and (values == 1).mean() < 0.1  # nearly all are far away
    few = rng.zipf(3.0, 50_000).get()
    np.testing.assert_allclose([(few == k).mean() for k in (1, 2, 3)], np.array([1, 1 / 8, 1 / 27]) / 1.2020569, atol=0.01)
