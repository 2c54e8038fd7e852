"""quern.random: Philox against its published vectors, the same numbers on every device, distributions against NumPy's."""

import math
import pickle

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
from arrays import cases

pytestmark = pytest.mark.usefixtures("no_fallback", "fused")

COUNT = 100_000

VECTORS = [  # of Random123: counter, key, result
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def words(low, high):
    return low | high << 32


def test_philox_is_philox(device):
    """A user's row calls the device function itself."""
    row = cp.ElementwiseKernel(
        "uint64 counter, uint64 high, uint64 key",
        "uint64 x, uint64 y",
        "quern::op::Random128 r = quern::op::philox(counter, high, key); x = r.low; y = r.high",
        "philox_vector",
    )
    columns = [[words(*c[:2]) for c, _, _ in VECTORS], [words(*c[2:]) for c, _, _ in VECTORS], [words(*k) for _, k, _ in VECTORS]]
    x, y = row(*[cp.asarray(np.array(column, np.uint64)) for column in columns])
    assert [int(v) for v in x.get()] == [words(*r[:2]) for _, _, r in VECTORS]
    assert [int(v) for v in y.get()] == [words(*r[2:]) for _, _, r in VECTORS]
    assert qn.random.Philox(key=0).random_raw() == words(*VECTORS[0][2][:2])


def philox(counter, key):
    """Philox4x32-10 in Python; the low 64 bits."""
    return philox_halves(counter, key)[0]


def philox_halves(counter, key):
    x = [counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [q >> 32 ^ x[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ x[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return words(x[0], x[1]), words(x[2], x[3])


@pytest.mark.parametrize("count", [7, 1000])
def test_numbers_are_those_of_the_stream(device, count, tier):
    """Whatever the device, the tier and the size: equal bit for bit."""
    key = 0x0123456789ABCDEF
    bits = np.array([philox(n, key) for n in range(count)], np.uint64)
    rng = qn.random.Generator(qn.random.Philox(key=key))
    np.testing.assert_array_equal(rng.random(count).get(), (bits >> np.uint64(11)) * 2.0**-53)
    rng.bit_generator.advance(-count)
    np.testing.assert_array_equal(rng.random(count, np.float32).get(), (bits >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24))
    rng.bit_generator.advance(-count)
    np.testing.assert_array_equal(rng.integers(0, 1 << 64, count, np.uint64).get(), bits)
    rng.bit_generator.advance(-count)
    np.testing.assert_array_equal(rng.integers(-5, 1000, count).get(), [(int(b) * 1005 >> 64) - 5 for b in bits])


@pytest.mark.parametrize("count", [7, 1000, 100_003])
def test_normal_numbers_are_those_of_the_stream(device, count, tier):
    """Two doubles, or four floats, of each counter: a length from one half or quarter, times the cosine and the sine of an angle."""
    key, seen = 0x0123456789ABCDEF, min(count, 64)
    rng = qn.random.Generator(qn.random.Philox(key=key))
    doubles = rng.standard_normal(count)
    assert rng.bit_generator.state["state"]["counter"] == count
    rng.bit_generator.advance(-count)
    floats = rng.standard_normal(count, dtype="f4")
    assert doubles.dtype == "f8" and floats.dtype == "f4"
    for got, shared, tolerance in ((doubles.get(), 2, 1e-14), (floats.get(), 4, 2e-6)):
        for n in [*range(seen), *range(count - 3, count)]:
            halves = philox_halves(n // shared, key)
            if shared == 2:
                length, angle = ((halves[0] >> 11) + 1) * 2.0**-53, halves[1] * 2.0**-64
            else:
                half = halves[n % 4 // 2]
                length, angle = ((half & 0xFFFFFFFF) + 0.5) * 2.0**-32, (half >> 32) * 2.0**-32
            side = (math.sin if n % 2 else math.cos)(2 * math.pi * angle)
            assert abs(got[n] - math.sqrt(-2 * math.log(length)) * side) < tolerance * max(1, abs(got[n])), n


def test_numbers_are_those_of_cpp(device):
    """tests/engine/api/random_test.cpp has the same calls and constants."""
    rng = qn.random.default_rng(42)
    assert rng.bit_generator.state["state"] == {"key": 11465652750463011511, "counter": 0}
    exact, near = np.testing.assert_array_equal, np.testing.assert_allclose
    exact(rng.random(3).get(), [0.06771607840373872, 0.20643347375413268, 0.9022433232869224])
    exact(rng.random(3, dtype="f4").get(), np.float32([0.8239753246307373, 0.37762898206710815, 0.26797735691070557]))
    exact(rng.uniform(-2, 3, 3).get(), [-0.24428820221692993, -1.5358438178829559, 1.0331960072726334])
    exact(rng.integers(-5, 1000, 4).get(), [357, 150, 735, 458])
    exact(rng.integers(0, 255, 4, dtype="u1", endpoint=True).get(), [217, 52, 116, 90])
    near(rng.standard_normal(3).get(), [1.3252535798471379, 0.15870334183901996, -0.8850028826607866], 1e-13)
    near(rng.standard_normal(3, dtype="f4").get(), [-1.1507304906845093, -1.0690314769744873, -0.20212659239768982], 1e-6)
    near(rng.normal(10, 2, 3).get(), [9.261289386473516, 8.682895429848395, 10.336882944373562], 1e-13)
    near(rng.exponential(2.0, 3).get(), [3.45344992272259, 1.8432105050136867, 0.12006958425337504], 1e-13)
    near(rng.gamma(2.5, 2.0, 3).get(), [5.711700624258908, 3.050442496945795, 5.757175702900551], 1e-13)
    exact(rng.poisson(7.5, 4).get(), [4, 8, 6, 6])
    exact(rng.binomial(20, 0.3, 4).get(), [10, 6, 11, 4])
    exact(rng.permutation(8).get(), [5, 4, 2, 7, 3, 6, 0, 1])
    exact(rng.choice(100, 4).get(), [78, 32, 15, 18])
    exact(rng.choice(6, 4, replace=False).get(), [1, 0, 4, 3])
    assert rng.bit_generator.state["state"]["counter"] == 58


@pytest.mark.parametrize("seed", [0, 1, 1 << 31, 1 << 40, (1 << 64) - 1, 1 << 200, [1, 2, 3], [1 << 40, 5], list(range(9))])
def test_a_seed_is_numpys(seed):
    sequence = np.random.SeedSequence(seed)
    for own in (sequence, *sequence.spawn(2)):
        assert qn.random.Philox(own).state["state"]["key"] == int(own.generate_state(1, np.uint64)[0])
    assert qn.random.Philox(seed).state == qn.random.Philox(sequence).state
    wide = np.random.SeedSequence(3, pool_size=8)
    assert qn.random.Philox(wide).state["state"]["key"] == int(wide.generate_state(1, np.uint64)[0])


def test_numbers_fuse(device):
    rng = qn.random.default_rng(1)
    qn.asarray(0).get()
    value = (rng.random(COUNT) * 2 - 1) ** 2
    with qn.trace() as trace:
        total = float(value.sum())
    assert abs(total / COUNT - 1 / 3) < 0.01
    assert sum(e["kind"] == "launch" for e in trace) <= 2  # a sum is of chunks, then of their sums


def test_state():
    rng = qn.random.default_rng(5)
    first = rng.normal(size=4).get()
    state = rng.bit_generator.state
    copy = pickle.loads(pickle.dumps(rng))
    second = rng.normal(size=4).get()
    assert (first != second).all()
    np.testing.assert_array_equal(copy.normal(size=4).get(), second)
    rng.bit_generator.state = state
    np.testing.assert_array_equal(rng.normal(size=4).get(), second)
    np.testing.assert_array_equal(qn.random.default_rng(5).normal(size=4).get(), first)
    assert qn.random.default_rng(rng) is rng
    children = rng.spawn(2)
    assert float(children[0].random()) != float(children[1].random())
    with pytest.raises(TypeError):
        rng.bit_generator.state = 3
    with pytest.raises(ValueError, match="Philox4x32"):
        rng.bit_generator.state = {"bit_generator": "PCG64"}
    qn.random.seed(3)
    one = qn.random.rand(2, 2).get()
    kept = qn.random.get_state()
    two = qn.random.randn(3).get()
    qn.random.set_state(kept)
    np.testing.assert_array_equal(qn.random.randn(3).get(), two)
    qn.random.seed(3)
    np.testing.assert_array_equal(qn.random.rand(2, 2).get(), one)


DRAWS = """
random(n) | random(n, dtype='f4') | uniform(-3, 5, n) | standard_normal(n) | standard_normal(n, dtype='f4') | normal(3, 2, n)
standard_exponential(n) | standard_exponential(n, 'f4') | exponential(2, n) | gamma(0.3, size=n) | gamma(7.5, 2, n)
standard_gamma(1.0, n) | poisson(0.2, n) | poisson(9.5, n) | poisson(11, n) | poisson(500, n) | binomial(10, 0.3, n)
binomial(30, 0.5, n) | binomial(1000, 0.7, n) | binomial(100000, 0.0001, n) | beta(2, 3, n) | beta(0.4, 0.3, n) | chisquare(4, n)
geometric(0.2, n) | laplace(1, 2, n) | logistic(1, 2, n) | gumbel(1, 2, n) | triangular(0, 1, 3, n) | standard_t(10, n)
f(5, 10, n) | negative_binomial(5, 0.4, n) | rayleigh(2, n) | weibull(1.5, n) | pareto(5, n) | power(3, n) | lognormal(0, 0.5, n)
choice(5, n) | choice(5, n, p=[0.1, 0.2, 0.3, 0.4, 0]) | integers(10, size=n) | integers(-3, 3, n, endpoint=True)
integers(0, 256, n, 'u1') | integers(0, 2, n, bool) | permutation(n) | standard_cauchy(n)
"""
DRAWS = cases(DRAWS)


@pytest.mark.parametrize("case", DRAWS)
def test_distributions(device, case):
    """Kolmogorov and Smirnov's distance between our sample and NumPy's; type and shape."""
    ours = eval("rng." + case, {"rng": qn.random.default_rng(11), "n": COUNT, "bool": bool})
    theirs = eval("rng." + case, {"rng": np.random.default_rng(12), "n": COUNT, "bool": bool})
    assert isinstance(ours, qn.Array)
    ours = ours.get()
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    assert np.isfinite(ours).all()
    every = np.sort(np.concatenate([ours, theirs]).astype(float))
    distance = np.searchsorted(np.sort(ours), every, "right") - np.searchsorted(np.sort(theirs), every, "right")
    assert abs(distance).max() / COUNT < 2.0 / (COUNT / 2) ** 0.5


def test_neighbours_are_independent(device):
    x = qn.random.default_rng(3).standard_normal((2, COUNT)).get()
    assert abs(np.corrcoef(x)[0, 1]) < 0.02
    assert abs(np.corrcoef(x[0, 1:], x[0, :-1])[0, 1]) < 0.02


def test_parameters_in_arrays(device):
    rng = qn.random.default_rng(2)
    mean = qn.asarray([0.0, 100.0, 1000.0])
    np.testing.assert_allclose(rng.normal(mean, 1.0, (20000, 3)).get().mean(0), [0, 100, 1000], atol=0.05)
    np.testing.assert_allclose(rng.poisson(mean, (20000, 3)).get().mean(0), [0, 100, 1000], rtol=0.01)
    assert rng.gamma(mean).shape == (3,)
    assert rng.binomial([5, 6], [[0.5], [0.1]]).shape == (2, 2)
    low = np.array([0, 10, -(2**62)])
    drawn = rng.integers(low, low + [1, 5, 2**62], (1000, 3)).get()
    assert (drawn >= low).all()
    assert (drawn < low + [1, 5, 2**62]).all()
    assert set(drawn[:, 1]) == set(range(10, 15))
    np.testing.assert_allclose(rng.dirichlet([1.0, 2.0, 3.0], 5).get().sum(-1), 1)


def test_picking(device):
    rng = qn.random.default_rng(4)
    x = qn.asarray(np.arange(24).reshape(6, 4))
    assert sorted(rng.permutation(24).get()) == list(range(24))
    picked = rng.choice(24, 10, replace=False).get()
    assert len(set(picked)) == 10
    assert rng.choice(x, (2, 3)).shape == (2, 3, 4)
    assert rng.choice(x, 3, axis=1, replace=False).shape == (6, 3)
    weighted = [tuple(rng.choice(4, 2, replace=False, p=[0.7, 0.3, 0, 0]).get()) for _ in range(50)]
    assert set(weighted) == {(0, 1), (1, 0)}
    assert (np.sort(rng.permutation(x, axis=1).get(), 1) == x.get()).all()
    own = rng.permuted(x, axis=1).get()
    assert (np.sort(own, 1) == x.get()).all()
    assert sorted(rng.permuted(x).get().ravel()) == list(range(24))
    y = x.copy()
    rng.shuffle(y)
    assert (y.get()[np.argsort(y.get()[:, 0])] == x.get()).all()
    plain = list(range(10))
    rng.shuffle(plain)
    assert sorted(plain) == list(range(10))
    assert len(rng.bytes(11)) == 11


def test_out_and_empty(device):
    rng = qn.random.default_rng(4)
    out = qn.zeros((3, 4))
    assert rng.random(out=out) is out
    assert (out.get() > 0).all()
    view = qn.zeros((3, 4))[:, ::2]
    rng.standard_normal(out=view)
    assert (view.get() != 0).all()
    assert rng.random((0, 3)).shape == (0, 3)
    assert rng.integers(5, size=0).dtype == np.int64
    assert rng.random().shape == ()


ERRORS = """
random(3, dtype=int) | random(-1) | integers(0) | integers(5, 5) | integers(3, 2, endpoint=True) | integers(0, 300, dtype='u1')
integers(-1, 5, dtype='u8') | integers(5, dtype=float) | normal(0, -1) | exponential(-1) | gamma(-1) | poisson(-1) | binomial(-1, 0.5)
binomial(3, 1.5) | choice(5, 6, replace=False) | choice(0) | choice(3, p=[0.5, 0.5]) | choice(2, p=[0.5, 0.6]) | choice([], 2)
choice(2, p=[-0.5, 1.5]) | beta(0, 1) | geometric(0) | uniform(0, float('inf')) | triangular(1, 0, 2) | dirichlet([-1, 1])
normal([1, 2], size=3) | choice([[1, 2]], axis=2) | nothing()
"""
ERRORS = cases(ERRORS)


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        eval("rng." + case, {"rng": np.random.default_rng(1)})
    with pytest.raises(theirs.type):
        eval("rng." + case, {"rng": qn.random.default_rng(1)})


def test_the_cupy_front_end():
    cp.random.seed(1)
    values = [cp.random.rand(3), cp.random.randn(2, 2), cp.random.randint(5, size=3), cp.random.normal(size=3), cp.random.permutation(4)]
    values += [cp.random.default_rng(1).random(3), cp.random.RandomState(1).uniform(size=3), cp.random.choice(5, 3), cp.random.random(4)]
    for value in values:
        assert type(value) is cp.ndarray
    assert cp.random.rand(3, dtype=np.float32).dtype == np.float32
    drawn = []
    for _ in range(2):
        cp.random.seed(3)
        value = cp.random.vonmises(0, 1, 3)
        assert type(value) is cp.ndarray
        drawn.append(value.get())
    assert (drawn[0] == drawn[1]).all()
    qn.random.seed(3)
    assert (qn.random.vonmises(0, 1, 3).get() == drawn[0]).all()
    assert type(cp.random.default_rng(1).vonmises(0, 1, 3)) is cp.ndarray


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_number_beside_arrays(device, shape, tier):
    """It is what it is alone, also within the kernel of what reads it."""
    for draw in (lambda rng: rng.standard_normal(shape), lambda rng: rng.random(shape), lambda rng: rng.integers(3, 1000, shape)):
        alone = draw(qn.random.Generator(qn.random.Philox(key=11))).get()
        number = draw(qn.random.Generator(qn.random.Philox(key=11)))
        wide = qn.ones((200, 300)) * number
        total = (qn.ones((7, 5)) + number).sum()
        np.testing.assert_array_equal(wide.get(), np.ones((200, 300)) * alone)
        np.testing.assert_allclose(float(total), 35 * (1 + float(alone.reshape(()))), rtol=1e-12)
        np.testing.assert_array_equal(number.get(), alone)
