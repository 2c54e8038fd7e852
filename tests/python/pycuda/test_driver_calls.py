"""What the trace claims, held against the calls of NVIDIA's driver: a loop of arrays copies nothing and waits for nothing.

Without a GPU the driver is the tests' own (tests/engine/device/fake_cuda): kernels are compiled by NVRTC and compute nothing there, but
whatever is asked of the driver is counted.
"""

import functools
import json

import pytest
from programs import has_nvrtc, python, stand_in
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


MAPPED = """
import ctypes, gc, json, os
import numpy as np
from quern import cuda
from quern.lib import _engine


@cuda.jit
def group(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


class Launch(ctypes.Structure):  # of the tests' own driver
    _fields_ = [("symbol", ctypes.c_char * 256), ("numbers", ctypes.c_uint * 7), ("stream", ctypes.c_void_p),
                ("args", ctypes.c_ubyte * 4096), ("bytes", ctypes.c_size_t), ("cooperative", ctypes.c_int)]


own = ctypes.CDLL(os.environ["QUERN_CUDA_DRIVER"]) if "QUERN_CUDA_DRIVER" in os.environ else None
told, addresses = {}, {}


def launched(name, x):
    group[1, 8](x)
    cuda.synchronize()
    _engine.count_driver_calls(True)
    group[1, 8](x)
    told[name] = _engine.driver_calls()
    cuda.synchronize()
    if own:
        launch = Launch()
        own.fake_cuda_last_launch(ctypes.byref(launch))
        addresses[name] = int.from_bytes(bytes(launch.args[:8]), "little") - x.ctypes.data


def freed(name, make):
    made = [make(8)]
    group[1, 8](made[0])
    first = made[0].ctypes.data
    part = made.pop()[2:4]
    live = own.fake_cuda_live
    live.restype = ctypes.c_size_t
    before = live(b"host"), live(b"memory")
    _engine.count_driver_calls(True)
    gc.collect()
    assert not _engine.driver_calls()
    del part
    told[name] = _engine.driver_calls()
    cuda.synchronize()
    _engine.count_driver_calls(True)
    again = make(8)
    told[name + " again"] = _engine.driver_calls()
    addresses[name + " again"] = again.ctypes.data == first
    del again
    _engine.current_device().trim_pinned()
    addresses[name] = before[0] - live(b"host"), before[1] - live(b"memory")


mapped, managed, plain, pinned = cuda.mapped_array(8), cuda.managed_array(8), np.zeros(8), cuda.pinned_array(8)
mapped[:] = managed[:] = pinned[:] = 0
launched("mapped", mapped)
launched("mapped[2:]", mapped[2:])
launched("mapped[::-1]", mapped[::-1])
launched("managed", managed)
launched("managed[1::2]", managed[1::2])
launched("plain in mapped", np.asarray(mapped))
launched("pinned", pinned)
with cuda.mapped(plain) as m:
    launched("registered", m)
    launched("plain in registered", plain)
launched("plain", plain)
if own:
    freed("free mapped", cuda.mapped_array)
    freed("free managed", cuda.managed_array)
values = [a.tolist() for a in (mapped, managed, plain, pinned)]
print(json.dumps({"told": told, "addresses": addresses, "values": values}))
"""


@pytest.fixture(scope="module")
def counted():
    """The counts of the program above, and whether kernels ran."""
    return run(PROGRAM)


def run(program, folder=None):
    """The program with a GPU's driver, or with the tests' own; what it printed."""
    if folder:  # kernels written in Python are read from files
        (folder / "program.py").write_text(program)
        code = functools.partial(python, folder / "program.py")
    else:
        code = functools.partial(python, "-c", program)
    if _engine.cuda_count():
        done = code()
    else:
        fake = stand_in()
        if not fake:
            pytest.skip("no GPU, and the tests' own driver is not built (ninja -C build/develop)")
        if not has_nvrtc():
            pytest.skip("no GPU, and no NVRTC to compile for one (pip install nvidia-cuda-nvrtc-cu12)")
        done = code(QUERN_CUDA_DRIVER=fake)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def named(calls, *parts):
    return sum(count for name, count in calls.items() if any(part in name for part in parts))


def waits(calls):
    """A wait on the thread that handles signals is an event of its own, which is asked until it has come."""
    return named(calls, "Synchronize", "EventRecord")


def test_a_loop_copies_nothing_and_waits_for_nothing(counted):
    for calls in (counted["traced"], counted["plain"]):
        assert named(calls, "Memcpy", "Memset", "Synchronize", "WaitEvent", "LaunchHostFunc") == 0, calls
        assert 100 < named(calls, "cuLaunchKernel", "cuGraphLaunch") <= 1000, calls
    assert waits(counted["plain"]) == 0, counted["plain"]
    assert "cuGraphLaunch" not in counted["traced"]  # each launch is measured
    assert named(counted["plain"], "Module", "MemHost", "MemFree", "Attribute") == 0, counted["plain"]


def test_the_trace_says_what_the_driver_did(counted):
    trace, calls = counted["trace"], counted["traced"]
    assert trace["launch"] == named(calls, "cuLaunchKernel")
    assert trace.get("load", 0) == named(calls, "cuModuleLoadData")
    assert not {"wait", "fill", "host_to_device", "device_to_host", "device_to_device"} & set(trace)


def test_reading_a_value_is_one_copy_and_a_wait_on_each_side(counted):
    """Before it, since the driver would wait there itself, and behind it."""
    assert named(counted["look"], "Memcpy") == named(counted["look"], "MemcpyDtoH") == 1, counted["look"]
    assert waits(counted["look"]) == 2, counted["look"]


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


def test_mapped_and_managed_memory_is_not_copied(tmp_path):
    result = run(MAPPED, tmp_path)
    told, addresses = result["told"], result["addresses"]
    for name, calls in told.items():
        if name.startswith("free"):
            continue
        copies, expected = (2, 2) if name in ("plain", "pinned") else (0, int(name.startswith("plain in")))
        assert named(calls, "Memcpy") == copies, (name, calls)
        assert waits(calls) == expected, (name, calls)
        assert calls["cuLaunchKernel"] == 1, (name, calls)
        assert not _engine.cuda_count() or named(calls, "WaitEvent", "LaunchHostFunc", "Pointer") == 0
        if addresses:
            assert (addresses[name] == 0) == (copies == 0), name
    if addresses:  # the last array gives the memory back, after the work on it
        assert told["free managed"]["cuMemFree_v2"] == told["free managed"]["cuCtxSynchronize"] == 1, told
        assert addresses["free managed"] == [0, 1]
        # Pinned memory goes to its pool: nobody waits, and the next one has it.
        assert named(told["free mapped"], "MemFree", "Synchronize") == 0, told["free mapped"]
        assert named(told["free mapped again"], "MemHostAlloc") == 0, told["free mapped again"]
        assert addresses["free mapped again"] and addresses["free mapped"] == [1, 0]
    if _engine.cuda_count():
        mapped, managed, plain, pinned = result["values"]
        assert mapped == [6, 6, *[8] * 6]
        assert managed == [2, 4] * 4
        assert plain == [6] * 8
        assert pinned == [2] * 8
