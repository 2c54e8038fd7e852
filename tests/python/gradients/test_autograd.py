"""quern.autograd: gradients of array programs by its functions. What they compute is test_gradients.py's."""

import doctest

import numpy as np
import pytest
import quern as qn
from quern import autograd
from quern.autograd import backward, clear_grad, detach, grad_of, gradients, no_grad, requires_grad


def test_its_example():
    result = doctest.testmod(autograd)
    assert result.attempted and not result.failed


def test_backward(device):
    x = requires_grad(qn.array([1.0, 2.0, 3.0]))
    assert grad_of(x) is None
    backward((x * x).sum())
    assert np.asarray(grad_of(x)).tolist() == [2, 4, 6]
    backward(x * 2, qn.array([1.0, 10.0, 100.0]))
    assert np.asarray(grad_of(x)).tolist() == [4, 24, 206]
    clear_grad(x)
    assert grad_of(x) is None
    with pytest.raises(RuntimeError):
        backward(detach(x).sum())
    with pytest.raises(RuntimeError):
        requires_grad(qn.arange(3))


def test_elements_of_a_detached_leaf(device):
    """They are numbers of their own where NumPy has scalars, with the leaf's record."""
    leaf = requires_grad(detach(requires_grad(qn.array([1.0, 2.0]))))
    for a in (leaf, leaf[:2], leaf[1:]):
        last = qn.unstack(a)[-1]
        (g,) = gradients(last * last, leaf)
        assert np.asarray(g).tolist() == [0, 4]
    assert gradients(detach(leaf)[0] + leaf[1], leaf)[0].tolist() == [0, 1]


def test_gradients_name_the_value_of_a_variable():
    class Variable:
        value = requires_grad(qn.ones(2))

    with pytest.raises(TypeError, match="must be an array, not Variable; pass its `.value`"):
        gradients((Variable.value * 2).sum(), [Variable()])


def test_gradients(device):
    x, y = requires_grad(qn.array([1.0, 2.0])), requires_grad(qn.array([3.0, 5.0]))
    found = gradients((x * x * y).sum(), (x, y))
    assert [np.asarray(g).tolist() for g in found] == [[6, 20], [1, 4]]
    (slope,) = gradients((x**3).sum(), x, create_graph=True)
    (second,) = gradients(slope.sum(), x)
    assert np.asarray(second).tolist() == [6, 12]
    assert gradients(x.sum(), (x, y), allow_unused=True)[1] is None
    with pytest.raises(RuntimeError):
        gradients(x.sum(), y)
    assert grad_of(x) is None


def test_no_grad(device):
    x = requires_grad(qn.array([1.0, 2.0]))
    with pytest.raises(RuntimeError):
        x += 1
    with no_grad():
        x += 1
        z = (x * 2).sum()
    with pytest.raises(RuntimeError):
        backward(z)
    assert np.asarray(x).tolist() == [2, 3]
