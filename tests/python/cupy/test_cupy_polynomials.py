"""cupy.poly1d and the functions that take it. numpy.poly1d is the oracle."""

import operator
import pickle

import numpy as np
import pytest
from quern import cupy as cp


def same(ours, theirs):
    """Of one kind: polynomials, arrays, pairs of them, bools."""
    theirs = bool(theirs) if isinstance(theirs, np.bool_) else theirs
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for pair in zip(ours, theirs, strict=True):
            same(*pair)
    elif isinstance(theirs, np.poly1d):
        assert isinstance(ours, cp.poly1d)
        assert ours.coeffs.dtype == theirs.coeffs.dtype
        np.testing.assert_allclose(ours.coeffs.get(), theirs.coeffs, atol=1e-12)
        assert ours.variable == theirs.variable
    elif isinstance(theirs, (np.ndarray, np.generic)):
        assert isinstance(ours, cp.ndarray)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, atol=1e-12)
    else:
        assert type(ours) is type(theirs) and ours == theirs


def outcome(work, xp):
    try:
        return work(xp)
    except (TypeError, ValueError) as e:
        return type(e)


def check(work):
    ours, theirs = outcome(work, cp), outcome(work, np)
    if isinstance(theirs, type):
        assert ours is theirs
    else:
        same(ours, theirs)


MAKES = {
    "list": lambda xp: xp.poly1d([1, 2, 3]),
    "array": lambda xp: xp.poly1d(xp.array([1.5, 2, 3])),
    "numpy": lambda xp: xp.poly1d(np.array([1, 2, 3], "f4")),
    "zeros in front": lambda xp: xp.poly1d([0, 0, 1, 2, 0]),
    "zeros": lambda xp: xp.poly1d([0, 0]),
    "nothing": lambda xp: xp.poly1d([]),
    "number": lambda xp: xp.poly1d(3),
    "array of one": lambda xp: xp.poly1d(xp.array(3.0)),
    "roots": lambda xp: xp.poly1d([1, 2, -3], True),
    "roots of an array": lambda xp: xp.poly1d(xp.array([1.0, 2.0]), r=True, variable="z"),
    "complex": lambda xp: xp.poly1d([1 + 2j, 3]),
    "variable": lambda xp: xp.poly1d([1, 2], variable="t"),
    "another": lambda xp: xp.poly1d(xp.poly1d([1, 2], variable="t")),
    "another with a variable": lambda xp: xp.poly1d(xp.poly1d([1, 2], variable="t"), variable="s"),
    "numpy's": lambda xp: xp.poly1d(np.poly1d([1, 2], variable="t")),
    "two dimensions": lambda xp: xp.poly1d([[1, 2], [3, 4]]),
}


@pytest.mark.parametrize("name", MAKES)
def test_a_polynomial_is_made(device, name):
    check(MAKES[name])
    made, oracle = outcome(MAKES[name], cp), outcome(MAKES[name], np)
    if isinstance(oracle, type):
        return
    assert isinstance(made, cp.poly1d) and isinstance(cp.poly1d, type)
    assert cp.get_array_module(made) is cp
    assert repr(made) == repr(oracle)
    assert str(made) == str(oracle)
    assert len(made) == len(oracle) and made.order == made.o == oracle.order
    assert made.c is made.coef is made.coefficients is made.coeffs
    same(made.roots, np.asarray(oracle.roots))
    np.testing.assert_array_equal(made.get().coeffs, oracle.coeffs)
    assert made.get().variable == oracle.variable
    again = pickle.loads(pickle.dumps(made))
    assert again == made and again.variable == made.variable
    assert [float(abs(c)) for c in made] == [abs(c) for c in oracle]


OTHERS = {
    "array": lambda xp: xp.array([1, 2, 3]),
    "short array": lambda xp: xp.array([1.0, 2.0]),
    "int": lambda xp: 2,
    "float": lambda xp: 2.5,
    "complex": lambda xp: 2j,
    "numpy's number": lambda xp: np.float64(2),
    "array of one": lambda xp: xp.array(2),
    "polynomial": lambda xp: xp.poly1d([1, 1]),
    "same": lambda xp: xp.poly1d([1, 2, 3]),
    "list": lambda xp: [1, 2],
}
OPERATORS = "add sub mul truediv eq ne pow".split()


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("other", OTHERS)
def test_operators_take_all_kinds_on_either_side(device, op, other):
    function = getattr(operator, op)
    check(lambda xp: function(xp.poly1d([1, 2, 3]), OTHERS[other](xp)))
    check(lambda xp: function(OTHERS[other](xp), xp.poly1d([1, 2, 3])))


def test_signs_powers_derivatives(device):
    for work in (
        lambda xp: -xp.poly1d([1, 2, 3]),
        lambda xp: +xp.poly1d([1, 2, 3]),
        lambda xp: xp.poly1d([1, 2, 3]) ** 0,
        lambda xp: xp.poly1d([1, 2, 3]) ** 3,
        lambda xp: xp.poly1d([1.5, 2]) ** 2,
        lambda xp: xp.poly1d([1, 2, 3]) ** -1,
        lambda xp: xp.poly1d([1, 2, 3]).deriv(),
        lambda xp: xp.poly1d([1, 2, 3]).deriv(2),
        lambda xp: xp.poly1d([1, 2, 3]).deriv(-1),
        lambda xp: xp.poly1d([1, 2, 3]).integ(),
        lambda xp: xp.poly1d([1, 2, 3]).integ(2, k=[1, 2]),
    ):
        check(work)


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
def test_functions_of_two_polynomials(device, name):
    kinds = [lambda xp: xp.poly1d([1, 2, 3]), lambda xp: xp.array([2, 5]), lambda xp: [0, 1, 4], lambda xp: 3, lambda xp: xp.array(2.5)]
    for a in kinds:
        for b in kinds:
            check(lambda xp: getattr(xp, name)(a(xp), b(xp)))  # noqa: B023


def test_values(device):
    for p in (lambda xp: xp.poly1d([1, 2, 3]), lambda xp: xp.array([1.5, 0, 2])):
        for x in (lambda xp: 2, lambda xp: xp.array([1.0, 2.0]), lambda xp: np.float32(3), lambda xp: 2j):
            ours, theirs = cp.polyval(p(cp), x(cp)), np.polyval(p(np), x(np))
            assert type(ours) is cp.ndarray
            np.testing.assert_allclose(ours.get(), theirs)
    check(lambda xp: xp.polyval(xp.poly1d([1, 2, 3]), xp.poly1d([1, 1])))
    check(lambda xp: xp.polyval(xp.array([1, 2, 3]), xp.poly1d([1, 1])))
    assert int(cp.poly1d([1, 2, 3])(2)) == 11
    check(lambda xp: xp.poly1d([1, 2, 3])(xp.poly1d([2, 0])))
    check(lambda xp: xp.roots(xp.array([1.0, -3.0, 2.0])))
    check(lambda xp: xp.roots(xp.poly1d([1.0, -3.0, 2.0])))


def test_items(device):
    def changed(xp):
        p = xp.poly1d([1.0, 2.0, 3.0])
        p[0] = 9
        p[5] = 7
        return p

    check(changed)
    p, oracle = cp.poly1d([1, 2, 3]), np.poly1d([1, 2, 3])
    for n in range(-2, 6):
        assert int(p[n]) == oracle[n]
    with pytest.raises(ValueError, match="negative powers"):
        p[-1] = 2
    with pytest.raises(AttributeError):
        p.coeffs = cp.array([1])
    p.coeffs *= 2
    assert p.coeffs.tolist() == [2, 4, 6]
    with pytest.raises(AttributeError):
        p.variable = "y"
    with pytest.raises(TypeError):
        hash(p)


def test_to_the_host_and_back(device):
    p = cp.poly1d([1.0, 2.0, 3.0], variable="z")
    out = np.poly1d([9.0, 9.0, 9.0])
    assert p.get(out=out) is out
    assert out.coeffs.tolist() == [1, 2, 3]
    assert p.get(stream=cp.cuda.Stream.null) == out
    p.set(np.poly1d([4.0, 5.0, 6.0], variable="s"))
    assert p.coeffs.tolist() == [4, 5, 6] and p.variable == "s"
    for wrong in (cp.poly1d([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), [1, 2, 3]):
        with pytest.raises(TypeError):
            p.set(wrong)
    with pytest.raises(ValueError):
        p.set(np.poly1d([1.0, 2.0]))
    with pytest.raises(TypeError):
        np.asarray(p)
