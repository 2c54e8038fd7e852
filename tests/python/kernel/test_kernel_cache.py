"""One cache for the kernels of every text that the engine prints: it is printed when its kernels are not there yet, once for each device,
and kept where QUERN_KEEP_TEXTS says."""

import glob
import os

import numpy as np
import pytest
import quern as qn
from programs import has_nvrtc, python, stand_in
from quern import cupy as cp
from quern.lib import _engine

FAKE = stand_in()


def printed(f):
    """How many texts are printed for f()."""
    before = _engine.texts_printed()
    f()
    return _engine.texts_printed() - before


def test_groups_print_once(device):
    x, y = qn.asarray(np.arange(5000.0)), qn.asarray(np.arange(5000.0))

    def work(scale):
        _engine.array_evaluate(qn.sqrt(x * scale + 0.123) - y / 0.456)

    printed(lambda: work(2.0))
    assert printed(lambda: work(3.0)) == printed(lambda: work(4.0)) == 0


def test_an_elementwise_kernel_prints_once_for_each_type_and_form(device):
    kernel = cp.ElementwiseKernel("raw T x, S y", "T z", "z = x[n - 1 - i] + y", "turned_sum")
    x, y, small, wide = (cp.asarray(np.arange(n, dtype=t)) for n, t in ((10, "d"), (10, "d"), (10, "f"), (20, "d")))
    assert printed(lambda: kernel(x, y)) == 1
    assert printed(lambda: kernel(x, y)) == printed(lambda: kernel(y, x)) == 0
    assert printed(lambda: kernel(x, small)) == 1  # another type
    assert printed(lambda: kernel(x, wide[::2])) == 1  # another form
    assert printed(lambda: kernel(x[::-1], y)) == 1
    assert printed(lambda: kernel(x[::-1], y)) == printed(lambda: kernel(x, small)) == printed(lambda: kernel(x, wide[::2])) == 0
    assert len(kernel.cached_codes) == 4
    np.testing.assert_array_equal(cp.asnumpy(kernel(x, y)), np.full(10, 9.0))


def test_kernels_of_equal_text_but_other_options_are_two(device):
    def made(value):
        return cp.ElementwiseKernel("raw T x", "T z", "z = x[i] + VALUE", "plus", options=(f"-DVALUE={value}",))

    three, four = made(3), made(4)
    x = cp.zeros(5)
    for _ in range(2):
        assert cp.asnumpy(three(x, size=5))[0] == 3
        assert cp.asnumpy(four(x, size=5))[0] == 4


def test_what_goes_takes_its_kernels_along(device):
    """And the next one, which may lie where it lay, has its own."""
    x = cp.ones(5)
    for n in range(20):
        kernel = cp.ElementwiseKernel("raw T x", "T z", f"z = x[i] + {n % 3}", "next_one")
        assert cp.asnumpy(kernel(x, size=5))[0] == 1 + n % 3
        del kernel


def test_a_reduction_prints_once_for_each_form(device):
    kernel = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    x, y = (cp.asarray(np.arange(60.0).reshape(3, 4, 5)) for _ in range(2))
    assert printed(lambda: kernel(x)) == 1
    assert printed(lambda: kernel(x)) == printed(lambda: kernel(y)) == 0
    assert printed(lambda: kernel(x, axis=1)) == 1
    assert printed(lambda: kernel(x, axis=1)) == 0
    assert float(kernel(x)) == (np.arange(60.0) ** 2).sum()


# On GPUs functions of whole arrays have texts, too.
WORK = """
import sys
import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

def printed(f):
    before = _engine.texts_printed()
    f()
    return _engine.texts_printed() - before

def work(name):
    set_current_device(qn.device(name))
    look = _engine.array_evaluate
    numbers = qn.asarray(np.arange(20_000.0))
    places = qn.asarray(np.arange(20_000) % 7)
    counts = []
    for f in (
        lambda: look(qn.sort(numbers)),
        lambda: look(qn.sort(numbers.reshape(1000, 20))),
        lambda: look(qn.argsort(numbers.reshape(20, 1000))),
        lambda: look(qn.argsort(numbers.astype("c16"))),
        lambda: look(qn.cumsum(numbers)),
        lambda: look(qn.searchsorted(numbers, numbers)),
        lambda: look(qn.argmax(numbers)),
        lambda: look(numbers[places]),
        lambda: look(qn.bincount(places, minlength=7)),
    ):
        counts += [printed(f), printed(f)]
    return counts
"""


def on_tests_driver(text, **environment):
    """What Python prints on two GPUs that compute nothing."""
    if not FAKE:
        pytest.skip("the tests' own driver is not built (ninja -C build/develop)")
    if not has_nvrtc():
        pytest.skip("there is no NVRTC (pip install nvidia-cuda-nvrtc-cu12)")
    done = python("-c", WORK + text, QUERN_CUDA_DRIVER=FAKE, **environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_calls_print_once_for_each_device():
    first, second, again = map(eval, on_tests_driver("for name in ('cuda:0', 'cuda:1', 'cuda:0'): print(work(name))\n"))
    assert first[::2] == second[::2] and sum(first[::2]) >= 8  # nothing is shared by two devices
    assert first[1::2] == second[1::2] == [0] * (len(first) // 2)
    assert again == [0] * len(first)


def test_texts_of_calls_are_kept(tmp_path):
    """In the folder of the whole run, where it has one: tools/check_nvrtc.py reads that."""
    folder = os.environ.get("QUERN_KEEP_TEXTS") or str(tmp_path)
    on_tests_driver("work('cuda:0')\n", QUERN_KEEP_TEXTS=folder)
    texts = []
    for path in glob.glob(os.path.join(folder, "*.cu")):
        with open(path) as f:
            texts.append(f.read())
    for word in ("QUERN_SORT_VALUES(", "QUERN_SORT_SHORT(", "QUERN_SORT_PLACES(", "QUERN_SCAN(add, T)", "names: extremes<", "names: take<", "QUERN_COUNTING"):
        assert any(word in text for text in texts), word
    assert all("// nvrtc: --include-path=" in text for text in texts if "sort.cuh" in text)  # of CUB
