"""An element's bits do not depend on where it stands in its array, nor on what is computed in the same kernel."""

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

N = 5003  # above what is computed at once, and no multiple of any vector
ONE = """arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh erf erfc exp exp2 expm1 log log10 log1p log2 sin sinh sqrt tan
tanh""".split()
TWO = ["arctan2", "float_power", "hypot", "logaddexp", "logaddexp2", "power"]
POSITIVE = {"arccosh": 1.0, "log": 0.01, "log10": 0.01, "log1p": 0.0, "log2": 0.01, "power": 0.0, "float_power": 0.0, "sqrt": 0.0}


@pytest.fixture(autouse=True)
def compiled():
    before = _engine.set_tiered(False)  # test_tiers.py compares the tiers
    yield
    _engine.set_tiered(before)


def operands(name, dtype):
    rng = np.random.default_rng(sum(map(ord, name)))
    x, y = rng.normal(size=(2, N))
    if dtype.startswith("complex"):
        x, y = x + 1j * y, y - 1j * x
    elif name in POSITIVE:
        x = np.abs(x) + POSITIVE[name]
    elif name in ("arccos", "arcsin", "arctanh"):
        x = np.clip(x / 4, -1, 1)
    return [qn.asarray(a.astype(dtype), device=qn.device("cpu")) for a in (x, y)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ONE + TWO)
def test_everywhere(name, dtype):
    f = getattr(qn, name)
    x, y = operands(name, dtype)

    def compute(view):
        return f(view(x), view(y)) if name in TWO else f(view(x))

    try:
        whole = qn.asnumpy(compute(lambda a: a))
    except TypeError:
        pytest.skip("no loop for this dtype")
    rows, short = N // 7 * 7, N // 3 * 3
    views = {
        "from the second on": lambda a: a[1:],
        "from the eighth on": lambda a: a[7:],
        "backwards": lambda a: a[::-1],
        "each third": lambda a: a[::3],
        "columns": lambda a: a[:rows].reshape(-1, 7).T,
        "two of three": lambda a: a[:short].reshape(-1, 3)[:, :2],
    }
    for what, view in views.items():
        assert qn.asnumpy(compute(view)).tobytes() == np.ascontiguousarray(view(whole)).tobytes(), what
    fused = compute(lambda a: qn.negative(qn.negative(a)))
    assert qn.asnumpy(-fused).tobytes() == (-whole).tobytes()
    wider = {"float32": "float64", "complex64": "complex128"}.get(dtype, dtype)
    assert qn.asnumpy(compute(lambda a: a).astype(wider) * 2).tobytes() == (whole.astype(wider) * 2).tobytes()
