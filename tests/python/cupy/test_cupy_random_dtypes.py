"""cupy.random: the type, the shape and the place of what is drawn, of every distribution. NumPy's distributions are the oracle."""

import numpy as np
import pytest
from cupy_names import DISTRIBUTIONS
from quern import cupy as cp

INTEGERS = "binomial geometric hypergeometric logseries negative_binomial poisson zipf".split()
ONLY_FLOATS = "exponential normal standard_exponential standard_normal uniform".split()  # CuPy's generators of bits make no others
VECTORS = {"dirichlet": ([1.0, 2.0, 3.0],), "multivariate_normal": ([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]])}
MANY = 20_000


def sources(seed=3):
    """Who has distributions: the module, a RandomState, a Generator."""
    cp.random.seed(seed)
    return cp.random, cp.random.RandomState(seed), cp.random.default_rng(seed)


def types_of(name):
    return ("f4", "f8", "i4", "i8", "u2") if name in INTEGERS else ("f4", "f8") if name in ONLY_FLOATS else ("f2", "f4", "f8")


@pytest.mark.parametrize("name", [*DISTRIBUTIONS, *VECTORS])
def test_every_distribution_takes_a_type(device, name):
    parameters = VECTORS.get(name) or DISTRIBUTIONS[name][0]
    tail = (len(parameters[0]),) if name in VECTORS else ()
    for n, source in enumerate(sources()):
        draw = getattr(source, name)
        if n == 2 and name.startswith("standard_") and name not in ("standard_cauchy", "standard_t"):
            types = ("f4", "f8")
        else:
            types = types_of(name)
        for kind in types:
            drawn = draw(*parameters, size=(3, 2), dtype=kind)
            assert isinstance(drawn, cp.ndarray)
            assert drawn.dtype == kind and drawn.shape == (3, 2, *tail)
            if name != "multivariate_normal" and not name.startswith("standard_"):
                assert draw(*parameters, 4, kind).dtype == kind
            assert draw(*parameters, size=(0, 2), dtype=kind).shape == (0, 2, *tail)
        drawn = draw(*parameters)
        assert drawn.shape == tail
        assert drawn.dtype == ("i8" if name in INTEGERS else "f8")
        for kind in ("c8", "?") if name in INTEGERS else ("c8", "?", "i4", "u8"):
            with pytest.raises(TypeError):
                draw(*parameters, size=3, dtype=kind)
        with pytest.raises(TypeError):
            draw(*parameters, size=3, type="f8")


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_numbers_of_a_type_are_those_of_the_distribution(device, name):
    """They have NumPy's mean, and are those of the widest type but for the conversion."""
    kind = "i4" if name in INTEGERS else "f4"
    parameters, mean, deviation = DISTRIBUTIONS[name]
    for source in (cp.random.RandomState, cp.random.default_rng):
        drawn = getattr(source(5), name)(*parameters, size=MANY, dtype=kind).get()
        if name not in ONLY_FLOATS and name != "standard_gamma":
            wide = getattr(source(5), name)(*parameters, size=MANY).get()
            np.testing.assert_array_equal(drawn, wide.astype(kind))
        if mean is not None and deviation is not None:
            assert abs(drawn.astype(float).mean() - mean) < 6 * deviation / MANY**0.5
            assert abs(drawn.astype(float).std() / deviation - 1) < 0.1


def test_rand_and_randn_take_a_type(device):
    for source in sources()[:2]:
        for name in ("rand", "randn"):
            assert getattr(source, name)(2, 3, dtype="f4").dtype == "f4"
        assert source.random_sample((2, 3), "f4").dtype == "f4"
        assert source.randint(0, 5, (2, 3), dtype="i1").dtype == "i1"
        with pytest.raises(TypeError):
            source.random_sample(3, dtype="i4")


def test_parameters_are_arrays_of_the_device(device):
    for source in sources():
        for name, parameters in (("gamma", ([2.0, 3.0], 1.0)), ("binomial", ([5, 9], [0.5, 0.25])), ("standard_t", ([4.0, 9.0],))):
            given = [cp.asarray(p) for p in parameters]
            drawn = getattr(source, name)(*given, size=(4, 2), dtype="i4" if name == "binomial" else "f4")
            assert drawn.shape == (4, 2)
            assert getattr(source, name)(*given).shape == (2,)


def test_the_bit_generator_can_be_replaced(device):
    rng = cp.random.default_rng(1)
    bits = cp.random.Philox4x3210(seed=4)
    rng.bit_generator = bits
    assert rng.bit_generator is bits
    first = rng.random(5).get()
    rng.standard_normal(3)
    rng.bit_generator = cp.random.Philox4x3210(seed=4)
    np.testing.assert_array_equal(rng.random(5).get(), first)
    np.testing.assert_array_equal(cp.random.Generator(cp.random.Philox4x3210(4)).random(5).get(), first)
    for wrong in (4, None, np.random.Philox(4)):
        with pytest.raises(TypeError):
            rng.bit_generator = wrong


@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a", "Philox4x3210"])
def test_bit_generators_take_a_seed_and_a_size(device, kind):
    make = getattr(cp.random, kind)
    bits = make(seed=3, size=1000).random_raw(4)
    assert type(bits) is cp.ndarray and bits.dtype == "u8"
    np.testing.assert_array_equal(bits.get(), make(3).random_raw(4).get())
    assert isinstance(make(3).random_raw(), int)
    assert type(make(3).jumped()) is make and type(make(3).spawn(1)[0]) is make


@pytest.mark.parametrize("name, parameters", [("random", ()), ("standard_exponential", ()), ("standard_normal", ()), ("standard_gamma", (3.0,))])
def test_out_takes_the_numbers(device, name, parameters):
    def draw(**kwargs):
        return getattr(cp.random.default_rng(2), name)(*parameters, **kwargs)

    for kind in ("f4", "f8"):
        want = draw(size=(3, 2), dtype=kind)
        for order in "C" if name == "standard_gamma" else "CF":
            out = cp.zeros((3, 2), kind, order=order)
            assert draw(dtype=kind, out=out) is out
            np.testing.assert_array_equal(out.get(), want.get())
            assert draw(dtype=kind, size=(3, 2), out=out) is out
    assert draw(out=cp.zeros(0)).shape == draw(size=0).shape == (0,)
    assert draw(size=(2, 0, 3), dtype="f4").shape == (2, 0, 3)
    assert draw(size=()).shape == draw().shape == ()
    with pytest.raises(ValueError):
        draw(out=cp.zeros((4, 6))[:3, :2])
    with pytest.raises(TypeError):
        draw(out=cp.zeros((3, 2), "f4"))
    with pytest.raises(ValueError):
        draw(size=(3, 2), out=cp.zeros((3, 3)))
    with pytest.raises(TypeError):
        draw(out=np.zeros(3))
    with pytest.raises(TypeError):
        draw(size=3, dtype="i1")


def test_dirichlet_of_one_number_fills_the_last_axis(device):
    for source in sources():
        for alpha in (5, 1.0, cp.array(5.0)):
            for size in (5, (3, 2)):
                drawn = source.dirichlet(alpha, size=size, dtype="f4")
                assert drawn.shape == ((5,) if size == 5 else size)
                np.testing.assert_allclose(drawn.get().sum(-1), 1, rtol=1e-6)
        with pytest.raises(ValueError):
            source.dirichlet(-1.0, size=3)


def test_hypergeometric_picks_all_at_most(device):
    for source in sources():
        assert source.hypergeometric(5, 3, 20, 4).tolist() == [5] * 4
        assert source.hypergeometric(cp.array([5, 6]), 3, cp.array([9, 8])).tolist()[0] == 5
        for nsample in (0, -1, cp.array([3, 0])):
            with pytest.raises(ValueError):
                source.hypergeometric(5, 3, nsample)
        with pytest.raises(ValueError):
            source.hypergeometric(-1, 3, 1)


def test_hypergeometric_of_arrays_has_numpys_moments(device):
    good, bad, sample = np.array([30, 3, 0]), np.array([[20], [7]]), np.array([10, 4, 2])
    drawn = cp.random.RandomState(1).hypergeometric(cp.asarray(good), cp.asarray(bad), cp.asarray(sample), (MANY, 2, 3)).get()
    share = good / (good + bad)
    deviation = np.sqrt(sample * share * (1 - share) * (good + bad - sample) / (good + bad - 1))
    assert (abs(drawn.mean(0) - sample * share) <= 6 * deviation / MANY**0.5).all()
    np.testing.assert_allclose(drawn.std(0), deviation, rtol=0.05)
    assert (drawn >= np.maximum(0, sample - bad)).all() and (drawn <= np.minimum(good, sample)).all()


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13])
def test_multinomial_has_numpys_moments(device, count):
    p = np.random.default_rng(count).random(count)
    p[count // 2] *= count <= 2  # an outcome that never comes
    p /= p.sum()
    for source in sources():
        drawn = source.multinomial(40, cp.asarray(p), size=(MANY // 2, 2)).get().reshape(MANY, count)
        assert drawn.dtype == np.int64
        assert (drawn.sum(-1) == 40).all()
        deviation = np.sqrt(40 * p * (1 - p))
        assert (abs(drawn.mean(0) - 40 * p) <= 6 * deviation / MANY**0.5).all()
        covariance = 40 * (np.diag(p) - np.outer(p, p))
        np.testing.assert_allclose(np.cov(drawn.T).reshape(count, count), covariance, atol=0.6)


def test_multinomial_takes_what_numpys_takes(device):
    for source in sources():
        assert source.multinomial(3, [0.5, 0.5]).shape == (2,)
        assert source.multinomial(3, [0.5, 0.5], 0).shape == (0, 2)
        assert source.multinomial(0, [0.5, 0.5], 2).tolist() == [[0, 0], [0, 0]]
        drawn = source.multinomial(cp.array([3, 1000]), [0.2, 0.3])
        assert drawn.sum(-1).tolist() == [3, 1000]
        assert source.multinomial([[3], [4]], [[0.1, 0.9], [1, 0]], (5, 2, 2)).sum(-1).tolist() == [[[3, 3], [4, 4]]] * 5
        for n, p, size in ((-1, [1.0], None), (3, [0.6, 0.6, 0.1], None), (3, 0.5, None), (3, [np.nan, 1], None), ([3, 4], [0.5, 0.5], (3,))):
            with pytest.raises(ValueError):
                source.multinomial(n, p, size)
    p = np.array([0.25, 0.25])
    cp.random.multinomial(3, p)
    assert p.tolist() == [0.25, 0.25]


def test_multivariate_hypergeometric_has_numpys_moments(device):
    colors = np.array([30, 0, 40, 5])
    rng = cp.random.default_rng(3)
    for method in ("marginals", "count"):
        drawn = rng.multivariate_hypergeometric(cp.asarray(colors), 20, MANY, method=method).get()
        assert drawn.shape == (MANY, 4)
        assert (drawn.sum(-1) == 20).all() and (drawn <= colors).all()
        share = colors / 75
        deviation = np.sqrt(20 * share * (1 - share) * 55 / 74)
        assert (abs(drawn.mean(0) - 20 * share) <= 6 * deviation / MANY**0.5).all()
        np.testing.assert_allclose(drawn.std(0), deviation, rtol=0.05)
    assert rng.multivariate_hypergeometric([3, 4], 7).tolist() == [3, 4]
    assert rng.multivariate_hypergeometric([3, 4], 0, (2, 1)).tolist() == [[[0, 0]], [[0, 0]]]
    for wrong in (([3, 4], 8), ([-1, 4], 1), ([[3]], 1), ([3.5], 1), ([3, 4], -1)):
        with pytest.raises((ValueError, TypeError)):
            rng.multivariate_hypergeometric(*wrong)


def test_a_generator_is_made_of_a_bit_generator(device):
    for given in (3, "x", None, cp.random.RandomState(3)):
        with pytest.raises(TypeError, match="requires a bit generator"):
            cp.random.Generator(given)
    for bits in (cp.random.XORWOW(3), cp.random.MRG32k3a(3), np.random.PCG64(3)):
        assert cp.random.Generator(bits).random(3).shape == (3,)
    first = cp.random.default_rng(cp.random.XORWOW(4)).random(3)
    np.testing.assert_array_equal(first.get(), cp.random.Generator(cp.random.XORWOW(4)).random(3).get())
