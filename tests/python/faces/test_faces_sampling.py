"""Random integers, picks and vectors as faces of the engine's table: odd arguments compared with NumPy, numbers of a seed, functions of a state."""

import inspect
import pickle

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
from test_faces import events_of

nan, inf = np.nan, np.inf
CALLS = """
integers(0, 5, size=()) | integers(5, size=-1) | integers(5, size=(2, -1)) | integers(2.5) | integers(nan) | integers([nan]) | integers(0, [inf])
integers(-1, 5, dtype='u1') | integers([[1], [2]], [3, 4, 5]) | integers([1, 2], [3, 4, 5]) | integers([1, 2], 3, size=(3, 2)) | integers(1 << 70)
integers(0, 1 << 64, dtype='u8') | integers(0, 1 << 64) | integers(0, 1 << 64, dtype='u8', endpoint=True) | integers([5], [5]) | integers(True)
integers([5], [5], endpoint=True) | integers([-1], 5, dtype='u8') | integers(0, [-3]) | integers(np.uint64(1 << 63), (1 << 64) - 1, dtype='u8')
integers(np.array([1 << 63], 'u8'), np.array([(1 << 64) - 1], 'u8'), dtype='u8') | integers(np.array([1 << 63], 'u8'), 5) | integers([])
integers(0, [1 << 64], dtype='u8') | integers(0, [1 << 64], dtype='u8', endpoint=True) | integers(0, [1 << 65], dtype='u8') | integers(0, 3, dtype=bool)
integers(0, []) | integers(np.array(5), size=2) | integers(0, 5, dtype='f4') | integers(np.float64(4.7)) | integers(1j) | integers([1, 2], 3, size=(3,))
choice(5, size=()) | choice(5, -1) | choice(-1) | choice(-1, 0) | choice(0, 0) | choice(2.5) | choice('abc') | choice([], 0) | choice(5, (2, 3), False)
choice(5, (2, 2), False) | choice(3, p=[nan, .5, .5]) | choice(3, p=[[.5, .25, .25]]) | choice(3, p=[]) | choice(0, 0, p=[]) | choice(None)
choice(3, 2, False, p=[1, 0, 0]) | choice([1, 2, 3], p=np.float32([.1, .2, .7])) | choice(1000, p=np.full(1000, np.float32(.001)))
choice([[1, 2], [3, 4]], axis=-1) | choice(np.array(5)) | choice(range(5)) | choice(3, p=[.5, .5, inf]) | choice(3, p=[.5, .5, .1])
permutation(5.5) | permutation(-3) | permutation([[1, 2], [3, 4]], axis=2) | permutation([[1, 2], [3, 4]], axis=-1) | permutation([])
permuted([]) | permuted([[1, 2], [3, 4]], axis=2) | permuted([[1, 2], [3, 4]], axis=-1) | permuted(np.zeros((0, 3)), axis=1)
vonmises(nan, 1) | vonmises(1, nan) | vonmises(0, -1) | vonmises(0, -0.0) | vonmises(0, inf) | vonmises([0, 1], [1, 2, 3]) | vonmises(0, 1, ()) | vonmises(0, 0)
vonmises(0, 1, -1) | vonmises(0, 1e20) | vonmises([0, nan], 1) | zipf(1) | zipf(nan) | zipf([2, 1]) | zipf(2000) | zipf(2, -1) | zipf(2, ())
hypergeometric(-1, 2, 1) | hypergeometric(1, -2, 1) | hypergeometric(1, 2, -1) | hypergeometric(1, 2, 4) | hypergeometric(1, 2, 0)
hypergeometric(nan, 2, 1) | hypergeometric(2.7, 2, 1) | hypergeometric([1, 2], [1, 2, 3], 1) | hypergeometric([], 2, 1) | hypergeometric(5, 5, 5, -1)
hypergeometric(5, [5, 6], 5, (3,)) | hypergeometric(0, 0, 0) | multinomial(5, []) | multinomial(5, .5) | multinomial(-5, [.5, .5]) | multinomial(0, [.5, .5])
multinomial(5, [.6, .6, .1]) | multinomial(5, [nan, .5]) | multinomial(5, [-.1, .5]) | multinomial(5, [1.5]) | multinomial(5, [.2, .2])
multinomial(5, [.5, .5], ()) | multinomial(5, [.5, .5], -1) | multinomial([5, 6], [.5, .5], 3) | multinomial([5, 6], [.5, .5], (3, 2))
multinomial(5, [[.5, .5], [.1, .9]]) | multinomial([5, 6, 7], [[.5, .5], [.1, .9]]) | multinomial([], [.5, .5]) | multinomial(5, [0, 0, 0])
multivariate_hypergeometric([3, 4], -1) | multivariate_hypergeometric([3, 4], 8) | multivariate_hypergeometric([], 0) | multivariate_hypergeometric(5, 1)
multivariate_hypergeometric([2.5], 1) | multivariate_hypergeometric([-1, 5], 1) | multivariate_hypergeometric([3, 4], 2, -1)
multivariate_hypergeometric([3, 4], 2, ()) | multivariate_hypergeometric([3, 4], 2, method='x') | multivariate_hypergeometric([3, 4], 2, 0)
multivariate_normal(1, [[1]]) | multivariate_normal([1], [1]) | multivariate_normal([1], [[1, 2]]) | multivariate_normal([1, 2], [[1]])
multivariate_normal([1], [[1]], ()) | multivariate_normal([1], [[1]], -1) | multivariate_normal([1], [[-1]], check_valid='raise')
multivariate_normal([1], [[1]], check_valid='x') | multivariate_normal([1], [[1]], method='x') | multivariate_normal([1], [[1]], (2, 0))
multivariate_normal([1, 2], [[1, 2], [2, 1]], method='cholesky') | multivariate_normal([1], [[1j]]) | multivariate_normal([nan], [[1]]) | normal([1j])
"""


def found(module, call):
    try:
        made = eval(f"g.{call}", {"np": np, "nan": nan, "inf": inf, "g": module.random.default_rng(1)})
        values = np.asarray(qn.asnumpy(made) if isinstance(made, qn.Array) else made)
    except Exception as error:  # noqa: BLE001
        return next(one for one in (TypeError, OverflowError, np.linalg.LinAlgError, ValueError, Exception) if isinstance(error, one))
    return values.shape, values.dtype, np.isnan(values).tolist()


@pytest.mark.parametrize("call", [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")])
def test_odd_arguments(call, device):
    """The same shape, type and places without a number as NumPy's, or an error of the same type."""
    assert found(qn, call) == found(np, call)


def test_numbers_of_a_seed(device):
    """They stay as they are."""
    rng = qn.random.default_rng(11)
    assert rng.integers([1, 2, 3], 10).tolist() == [8, 9, 9]
    assert rng.integers(0, 1 << 64, 2, "u8").tolist() == [7626342742343736506, 1786902058260837484]
    assert rng.choice(5, 6, p=[0.1, 0.2, 0.3, 0.4, 0]).tolist() == [2, 3, 3, 3, 0, 2]
    assert rng.choice(6, 4, False, [0.1, 0.1, 0.1, 0.1, 0.3, 0.3]).tolist() == [4, 5, 0, 3]
    assert rng.permutation([5, 6, 7, 8]).tolist() == [6, 8, 5, 7]
    assert rng.permuted([[1, 2, 3], [4, 5, 6]], axis=1).tolist() == [[3, 2, 1], [6, 5, 4]]
    assert rng.zipf(2, 6).tolist() == [2, 178, 2, 1, 1, 14]
    assert rng.hypergeometric(10, 5, 7, 6).tolist() == [5, 6, 5, 4, 4, 5]
    assert rng.hypergeometric([10, 20], 5, [3, 4]).tolist() == [3, 3]
    assert rng.multinomial(20, [0.2, 0.3, 0.5], 2).tolist() == [[1, 10, 9], [6, 5, 9]]
    assert rng.multivariate_hypergeometric([3, 4, 5], 6, 2).tolist() == [[0, 3, 3], [2, 3, 1]]
    np.testing.assert_allclose(rng.vonmises(1, 2, 3).get(), [0.24028404070878928, 0.4632040202182961, 0.2406756326806837], rtol=1e-10)
    vector = rng.multivariate_normal([1, 2], [[2, 1], [1, 3]]).get()
    if device.kind == "cpu":  # a GPU's singular vectors have signs of their own
        np.testing.assert_allclose(vector, [0.47561126168835943, 3.195368690967138], rtol=1e-10)
    assert rng.bit_generator.state["state"]["counter"] == 102


def test_functions_are_methods_of_the_state(no_allocator):
    for module, kind in ((qn.random, qn.random.RandomState), (cp.random, cp.random.RandomState)):
        function, method = module.normal, kind.normal
        assert list(inspect.signature(function).parameters) == list(inspect.signature(method).parameters)[1:]
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__doc__ == method.__doc__ and not hasattr(module, "tomaxint")
        assert list(inspect.signature(module.random_sample).parameters) == ["size", "dtype"]
        with pytest.raises(TypeError, match="argument 'self'"):
            function(self=1)

        class Own:
            draw = function

        assert Own().draw(size=3).shape == (3,)  # no method of other classes
    x = qn.asarray([1, 2, 3])
    calls = (lambda: qn.random.randint(0, 5, 3), lambda: cp.random.choice(5, 3), lambda: qn.random.permutation(5), lambda: cp.random.permutation(x))
    for call in calls:
        assert events_of(call) == []


def test_the_state_of_cupy_can_be_replaced(monkeypatch):
    before = cp.random.get_random_state()
    try:
        state = cp.random.RandomState(5)
        cp.random.set_random_state(state)
        assert cp.random.get_random_state() is state
        wanted = cp.random.RandomState(5)
        for name, given in (("random_sample", (3,)), ("randint", (9, None, 4)), ("bytes", (5,)), ("permutation", (6,))):
            one, other = (getattr(of, name)(*given) for of in (cp.random, wanted))
            assert one == other if name == "bytes" else one.tolist() == other.tolist()
        with pytest.raises(TypeError, match="must be an instance of RandomState"):
            cp.random.set_random_state(qn.random.RandomState(5))
        monkeypatch.setenv("CUPY_SEED", "7")
        cp.random.reset_states()
        assert cp.random.rand(3).tolist() == cp.random.RandomState(7).rand(3).tolist()
    finally:
        cp.random.set_random_state(before)


def test_who_draws_gives_the_type_of_arrays():
    """CuPy's generators CuPy's arrays, NumPy's that of their parameters."""
    x, y = qn.asarray([1, 2, 3]), cp.asarray([1, 2, 3])
    for name, given in (("choice", ()), ("permutation", ()), ("permuted", ()), ("integers", (9,)), ("zipf", ()), ("multinomial", ([0.5, 0.5],))):
        add = 1 if name == "zipf" else 0
        assert type(getattr(cp.random.default_rng(1), name)(x + add, *given)) is cp.ndarray
        if name != "multinomial":
            assert type(getattr(qn.random.default_rng(1), name)(y + add, *given)) is cp.ndarray
        assert type(getattr(qn.random.default_rng(1), name)(x + add, *given)) is qn.Array


def test_only_vectors_for_states():
    for state in (np.random.RandomState(1), qn.random.RandomState(1), cp.random.RandomState(1)):
        with pytest.raises(ValueError, match="must be 1-dimensional"):
            state.choice([[1, 2]])
        with pytest.raises(TypeError):
            state.choice([1, 2], axis=0)


def test_permuted_into_an_array(device):
    x, out = qn.asarray([[1, 2, 3], [4, 5, 6]]), qn.zeros((2, 3), int)
    assert qn.random.default_rng(3).permuted(x, axis=1, out=out) is out
    assert out.tolist() == qn.random.default_rng(3).permuted(x, axis=1).tolist()
    for wrong, error in ((qn.zeros(6, int), ValueError), (qn.zeros((2, 3), "int32"), TypeError)):
        with pytest.raises(error):
            qn.random.default_rng(3).permuted(x, out=wrong)
        assert not wrong.any()


def test_very_many_are_drawn_on_the_host():
    before = qn.set_fallback("silent")
    try:
        for rng in (qn.random.default_rng(1), cp.random.default_rng(1)):
            drawn = rng.hypergeometric(3_000_000, 4_000_000, 2_500_000, 50)
            assert drawn.dtype == np.int64 and abs(float(drawn.mean()) - 2_500_000 * 3 / 7) < 300
            assert rng.multivariate_hypergeometric([1] * 70, 6, 4).sum(-1).tolist() == [6] * 4
        assert type(drawn) is cp.ndarray and rng.hypergeometric(3_000_000, 4_000_000, 2_500_000, 3, "f4").dtype == "f4"
        qn.set_fallback("error")
        with pytest.raises(NotImplementedError, match="hypergeometric"):
            qn.random.hypergeometric(3_000_000, 4_000_000, 2_500_000)
    finally:
        qn.set_fallback(before)


def test_large_concentrations(device):
    """From 1e10 on angles are normal; below, the general way has its digits."""
    for kappa in (1e4, 1e9, 1e11, 1e16):
        drawn = qn.random.default_rng(2).vonmises([0.5], kappa, 20_000).get()
        np.testing.assert_allclose(drawn.std(), kappa**-0.5, rtol=0.03)
        assert abs(drawn.mean() - 0.5) < 4 * kappa**-0.5 / 20_000**0.5


def test_a_covariance_that_is_none_is_said():
    rng, cov = qn.random.default_rng(1), [[1.0, 2.0], [2.0, 1.0]]
    with pytest.warns(RuntimeWarning, match="not symmetric positive-semidefinite"):
        rng.multivariate_normal([0, 0], cov)
    rng.multivariate_normal([0, 0], cov, check_valid="ignore")
    rng.multivariate_normal([0, 0], [[1.0, 1.0], [1.0, 1.0]], check_valid="raise")
