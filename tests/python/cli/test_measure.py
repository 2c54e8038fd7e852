"""explain() and bench()."""

import numpy as np
import pytest
import quern as qn


def large(device):
    return qn.asarray(np.linspace(0, 1, 100_000))


def test_explain_shows_groups_kernels_and_reasons(device):
    x = large(device)
    y = (x * 2 + 1).sum()
    z = x[::-1] + y
    text = qn.explain(z)
    assert text.startswith("group 1: 3 nodes over (100000,), with reductions")
    assert "not part of an earlier one: it needs what a group before it computes" in text
    assert text.count("__global__ void") == 2 and "test_measure.py:" in text and "(stored)" in text
    with qn.trace() as events:
        qn.explain(z)
    assert events == []
    assert float(z[0]) == pytest.approx(1 + 2 * np.linspace(0, 1, 100_000).sum() + 100_000)
    assert "nothing would run" in qn.explain(z)


def test_explain_names_functions_of_whole_arrays(device):
    m = large(device)[:90_000].reshape(300, 300)
    text = qn.explain((m + 1) @ m - 1)
    assert "matmul float64 (300, 300)" in text and "a function of whole arrays is no part of a kernel" in text


def test_explain_wants_an_array():
    with pytest.raises(TypeError, match="is not a quern array"):
        qn.explain(3)


def test_bench(device):
    x = large(device)
    timing = qn.bench(lambda: qn.sqrt(x * x + 1), repeats=5)
    assert timing.compiles == 0 and timing.launches == 1 and timing.repeats == 5
    assert 0 < timing.submit <= timing.wall and timing.device > 0 and "wall" in str(timing)
    assert qn.bench(lambda: 1, repeats=1).device is None
    with pytest.raises(ValueError, match="repeats"):
        qn.bench(lambda: 1, repeats=0)
