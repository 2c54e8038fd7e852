"""What the trace claims, held against the calls of NVIDIA's driver: a loop of arrays copies nothing and waits for nothing.

Without a GPU the driver is the tests' own (tests/engine/fake_cuda): kernels are compiled by NVRTC and compute nothing there, but
whatever is asked of the driver is counted.
"""

import glob
import json
import os

import pytest
from programs import ROOT, code
from quern.lib import _engine

PROGRAM = """
import json
import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

set_current_device(qn.device("cuda:0"))


def slope(x, v):
    return v, -x - 0.1 * v


def step(x, v, h):
    a, b = slope(x, v)
    c, d = slope(x + h / 2 * a, v + h / 2 * b)
    e, f = slope(x + h / 2 * c, v + h / 2 * d)
    g, k = slope(x + h * e, v + h * f)
    return x + h / 6 * (a + 2 * c + 2 * e + g), v + h / 6 * (b + 2 * d + 2 * f + k)


def run(steps):
    global x, v
    _engine.count_driver_calls(True)
    for _ in range(steps):
        x, v = step(x, v, 0.01)
    return _engine.driver_calls()


x, v = qn.asarray(np.ones(4096)), qn.asarray(np.zeros(4096))
run(300)
with qn.trace() as events:
    traced = run(1000)
plain = run(1000)
_engine.count_driver_calls(True)
values = qn.asnumpy(x)
look = _engine.driver_calls()
kinds = [event["kind"] for event in events]
print(json.dumps({"traced": traced, "plain": plain, "look": look, "trace": {k: kinds.count(k) for k in kinds}, "x": float(values[0])}))
"""


@pytest.fixture(scope="module")
def counted():
    """The counts of the program above, and whether kernels ran."""
    if _engine.cuda_count():
        done = code(PROGRAM)
    else:
        fake = glob.glob(os.path.join(ROOT, "build", "*", "tests", "engine", "libfake_cuda.so"))
        if not fake:
            pytest.skip("no GPU, and the tests' own driver is not built (ninja -C build/develop)")
        if not any(name == "nvrtc" and where != "not found" for name, where in _engine.cuda_report()):
            pytest.skip("no GPU, and no NVRTC to compile for one (pip install nvidia-cuda-nvrtc-cu12)")
        done = code(PROGRAM, QUERN_CUDA_DRIVER=max(fake, key=os.path.getmtime))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def named(calls, *parts):
    return sum(count for name, count in calls.items() if any(part in name for part in parts))


def test_a_loop_copies_nothing_and_waits_for_nothing(counted):
    for calls in (counted["traced"], counted["plain"]):
        assert named(calls, "Memcpy", "Memset", "Synchronize", "WaitEvent", "LaunchHostFunc") == 0, calls
        assert 100 < calls["cuLaunchKernel"] <= 1000, calls
    assert named(counted["plain"], "Module", "MemHost", "MemFree", "Attribute") == 0, counted["plain"]


def test_the_trace_says_what_the_driver_did(counted):
    trace, calls = counted["trace"], counted["traced"]
    assert trace["launch"] == named(calls, "cuLaunchKernel")
    assert trace.get("load", 0) == named(calls, "cuModuleLoadData")
    assert not {"wait", "fill", "host_to_device", "device_to_host", "device_to_device"} & set(trace)


def test_a_look_is_one_copy_and_one_wait(counted):
    assert named(counted["look"], "Memcpy") == named(counted["look"], "MemcpyDtoH") == 1, counted["look"]
    assert named(counted["look"], "Synchronize") == 1, counted["look"]


def test_the_values_are_right(counted):
    """On a GPU; the tests' own driver computes nothing."""
    x, v, h = 1.0, 0.0, 0.01
    for _ in range(2300):
        a, b = v, -x - 0.1 * v
        c, d = v + h / 2 * b, -(x + h / 2 * a) - 0.1 * (v + h / 2 * b)
        e, f = v + h / 2 * d, -(x + h / 2 * c) - 0.1 * (v + h / 2 * d)
        g, k = v + h * f, -(x + h * e) - 0.1 * (v + h * f)
        x, v = x + h / 6 * (a + 2 * c + 2 * e + g), v + h / 6 * (b + 2 * d + 2 * f + k)
    assert not _engine.cuda_count() or abs(counted["x"] - x) < 1e-9
