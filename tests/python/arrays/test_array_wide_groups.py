"""Groups that need many registers: many arrays, complex numbers, powers, several reductions at once, over each kind of walk.

On a GPU a block must be no larger than its kernel's registers allow. Without one the tests' own driver says so, which reads from the
code that NVRTC makes how many registers it takes (tests/engine/device/fake_cuda).
"""

import os
import random

import numpy as np
import pytest
import quern as qn
from long_runs import part
from places import TESTS
from programs import has_nvrtc, python, stand_in
from quern.lib import _engine

SHAPES = [(30000,), (3, 5000), (700, 64), (40, 9, 33), (2000, 7), (1, 65536)]


def program(m, array, seed, shape=None):
    """Results of one wide group after the other; ``m``: the module, ``array``: makes its array of NumPy's."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    shape = shape or rng.choice(SHAPES)
    dtype = rng.choice(["complex128", "complex128", "float64", "complex64", "float32"])
    count = rng.choice([4, 12, 24, 46])
    inputs = []
    for _ in range(count):
        values = numbers.random(shape) + 0.5
        if dtype.startswith("complex"):
            values = values + 1j * numbers.random(shape)
        inputs.append(array(values.astype(dtype)))
    out, axes = [], rng.choice([None, 0, -1])
    for _ in range(rng.randint(1, 4)):
        rng.shuffle(inputs)
        values = [
            rng.choice([lambda x: x, lambda x: x**1.5, m.sqrt, m.exp, lambda x: 1 / x, m.sin, m.log, m.tanh])(x) for x in inputs
        ]
        total = values[0]
        for n, value in enumerate(values[1:]):
            total = rng.choice([lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * 0.5 + b])(total, value)
            if n % 7 == 6:
                total = total / (abs(total) + 1)
        kind = rng.choice(["sum", "sum", "mean", "prod", "norm", "map", "largest"])
        if kind == "map":
            out.append(total)
        elif kind == "norm":
            out.append(total / m.sqrt((abs(total) ** 2).sum(-1, keepdims=True)))
        elif kind == "largest":
            out.append(abs(total).max(axes))
        elif kind == "prod":
            out.append((1 + total / 1e5 / (1 + abs(total))).prod(axes))
        else:
            out.append(getattr(total, kind)(axes))
    return out


@pytest.mark.parametrize("seed", part(range(24), 12))
def test_wide_groups(device, seed):
    want = program(np, lambda x: x, seed)
    got = program(qn, qn.asarray, seed)
    for w, g in zip(want, got, strict=True):
        w = np.asarray(w)
        assert (g.shape, g.dtype) == (w.shape, w.dtype)
        loose = 2e-3 if w.dtype.name in ("float32", "complex64") else 1e-9
        np.testing.assert_allclose(qn.asnumpy(g), w, rtol=loose, atol=loose * float(np.max(np.abs(w))))


def test_cupy_kernels_with_many_registers(device):
    """Blocks are as large as the kernel's registers allow."""
    import quern.cupy as cp

    steps = "".join(f"complex<double> v{n} = pow(x + {n}.0, y * {n}.25); " for n in range(20))
    last = " + ".join(f"v{n} * v{(n * 7 + 3) % 20}" for n in range(20))
    x = cp.asarray(np.linspace(0.5, 1, 3000).reshape(60, 50).astype("complex128"))
    y = cp.asarray(np.full((60, 50), 0.25 + 0.125j))
    powers = [(qn.asnumpy(x) + n) ** (qn.asnumpy(y) * float(f"{n}.25")) for n in range(20)]
    want = sum(powers[n] * powers[(n * 7 + 3) % 20] for n in range(20))
    k = cp.ElementwiseKernel("complex128 x, complex128 y", "complex128 z", f"{steps} z = {last};", "wide")
    np.testing.assert_allclose(cp.asnumpy(k(x, y, block_size=1024)), want, rtol=1e-9)
    text = f"pow(x, y) + pow(x + 1.0, y) * exp(x) / {' / '.join(f'pow(y, x + {n}.0)' for n in range(6))}"
    r = cp.ReductionKernel("complex128 x, complex128 y", "complex128 z", text, "a + b", "z = a", "0", "wide_sum")
    a, b = qn.asnumpy(x), qn.asnumpy(y)
    terms = (a + 1) ** b * np.exp(a)
    for n in range(6):
        terms = terms / b ** (a + n)
    terms = terms + a**b
    for axis in (0, 1, None):
        np.testing.assert_allclose(cp.asnumpy(r(x, y, axis=axis)), terms.sum(axis), rtol=1e-9)


def test_blocks_fit_their_kernels():
    """Nothing is computed there: only that every kernel can be launched."""
    fake = stand_in()
    if not fake:
        pytest.skip("the tests' own driver is not built (ninja -C build/develop)")
    if not has_nvrtc():
        pytest.skip("there is no NVRTC (pip install nvidia-cuda-nvrtc-cu12)")
    if _engine.cuda_count():
        pytest.skip("there is a GPU, on which the tests above run")
    folder = os.path.dirname(os.path.abspath(__file__))
    text = f"""
import sys
sys.path[:0] = {[folder, str(TESTS / "support")]!r}
import quern as qn
from quern.device import set_current_device
from test_array_wide_groups import SHAPES, program
set_current_device(qn.device("cuda:0"))
for seed, shape in enumerate(SHAPES):
    for result in program(qn, qn.asarray, seed + 100, shape):
        qn.asnumpy(result)
print("launched")
"""
    done = python("-c", text, QUERN_CUDA_DRIVER=fake, QUERN_KEEP_TEXTS="")  # compiled here
    assert (done.returncode, done.stdout) == (0, "launched\n"), done.stderr[-3000:]
