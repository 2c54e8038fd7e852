"""What tests of gradients share: gradients by the tape's words, without a front end that has tensors, compared with central differences."""

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

STEP = 1e-6


def leaves(arrays):
    out = [qn.asarray(a) for a in arrays]
    for leaf in out:
        _engine.want_gradient(leaf, True)
    return out


def backward(result, given=None, inputs=(), retain_graph=False, create_graph=False):
    _engine.backward([result], [given], list(inputs), retain_graph, create_graph)


def gradients(results, inputs, given=None, retain_graph=False, create_graph=False, allow_unused=False):
    results = results if isinstance(results, list) else [results]
    return _engine.gradients(results, given or [None] * len(results), inputs, retain_graph, create_graph, allow_unused)


def gradient(leaf):
    g = _engine.gradient(leaf)
    return None if g is None else qn.asnumpy(g)


def grads(function, arrays):
    """The gradient of a function of arrays with one real number as its result; zeros where the result does not depend on one."""
    inputs = leaves(arrays)
    found = gradients(function(*inputs), inputs, allow_unused=True)
    return [np.zeros_like(a) if g is None else qn.asnumpy(g) for g, a in zip(found, arrays, strict=True)]


def differences(function, arrays):
    """The same from central differences; a complex number's by PyTorch's convention."""
    out = []
    value = lambda given: float(qn.asnumpy(function(*[qn.asarray(a) for a in given])))  # noqa: E731
    for k, a in enumerate(arrays):
        g = np.zeros_like(a)
        for place in np.ndindex(a.shape):
            for unit in (1, 1j) if np.iscomplexobj(a) else (1,):
                moved = [b.copy() for b in arrays]
                moved[k][place] = a[place] + STEP * unit
                above = value(moved)
                moved[k][place] = a[place] - STEP * unit
                g[place] += unit * (above - value(moved)) / (2 * STEP)
        out.append(g)
    return out


def weighted(y, seed=7):
    """A real number to which each element of the result, real and imaginary part, adds as much as nobody else does."""
    draw = np.random.default_rng(seed)
    if "complex" in str(y.dtype):
        return (y.real * draw.normal(size=y.shape)).sum() + (y.imag * draw.normal(size=y.shape)).sum()
    return (y * qn.asarray(draw.normal(size=y.shape))).sum()


def agrees(function, *arrays, error=1e-5):
    arrays = [np.asarray(a) for a in arrays]
    for got, want in zip(grads(function, arrays), differences(function, arrays), strict=True):
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=error, atol=error)


def reals(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def numbers(kind, *shape, seed=0):
    """Real or complex ones."""
    return reals(*shape, seed=seed) if kind == "real" else reals(*shape, seed=seed) + 1j * reals(*shape, seed=seed + 100)


def each(results):
    return sum((weighted(r, 7 + i) for i, r in enumerate(results)), qn.asarray(0.0))


KINDS = pytest.mark.parametrize("kind", ["real", "complex"])
