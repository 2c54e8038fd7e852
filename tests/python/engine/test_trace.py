"""The trace: every compile, copy, launch and wait, with bytes, times, device and line."""

import inspect
import time

import numpy as np
import pytest
import quern
from quern.lib import _engine
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("fused")


def here():
    return inspect.currentframe().f_back.f_lineno


def test_everything_is_recorded(device):
    a = np.arange(1000, dtype=np.float32)
    with quern.trace() as events:
        module = SourceModule("__global__ void f(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }")
        f = module.get_function("f")
        x = drv.mem_alloc(a.nbytes)
        drv.memcpy_htod(x, a)
        drv.memset_d32(x, 0, 1000)
        line = here() + 1
        f(x, np.int32(1000), block=(256, 1, 1), grid=(4, 1))
        drv.memcpy_dtoh(a, x)
        drv.Context.synchronize()
    kinds = [e["kind"] for e in events]
    assert kinds == ["compile", "load", "allocate", "host_to_device", "fill", "launch", "device_to_host", "wait"]
    by_kind = {e["kind"]: e for e in events}
    assert by_kind["compile"]["detail"] in ("memory", "disk", "compiled")
    assert by_kind["host_to_device"]["bytes"] == by_kind["device_to_host"]["bytes"] == by_kind["fill"]["bytes"] == 4000
    launch = by_kind["launch"]
    assert launch["name"] == "f" and launch["site"].endswith(f"test_trace.py:{line}") and launch["device_ms"] >= 0
    assert launch["device"] == device.name and "grid 4x1x1 block 256x1x1" in launch["detail"]
    assert all(e["host_ns"] >= 0 and e["start_ns"] > 0 for e in events)
    assert (a == 1).all()


def test_off_means_off(device):
    with quern.trace() as events:
        pass
    f = SourceModule("__global__ void f() {}").get_function("f")
    f(block=(1, 1, 1))
    assert events == []


def test_a_second_build_comes_from_memory(device):
    source = "__global__ void only_here(int* a) { *a = 1; }"
    SourceModule(source)
    with quern.trace() as events:
        SourceModule(source)
    assert [e["detail"] for e in events if e["kind"] == "compile"] == ["memory"]


def test_lines_of_a_loop_and_of_functions(device):
    f = SourceModule("__global__ void f() {}").get_function("f")

    def inner():
        f(block=(1, 1, 1))

    with quern.trace() as events:
        for _ in range(3):
            inner()
        f(
            block=(1, 1, 1),
        )
    sites = [e["site"] for e in events]
    assert len(set(sites)) == 2 and sites[0] == sites[1] == sites[2] != sites[3]


def launches_of(f):
    quern.synchronize()
    with quern.trace() as events:
        f()
        quern.synchronize()
    return [e for e in events if e.kind == "launch"]


def test_events_say_what_a_kernel_is(device):
    """Equal work has equal keys, whatever its numbers and from wherever it is launched."""
    x, y = (quern.asarray(np.arange(5000.0)) for _ in range(2))
    look = _engine.array_evaluate
    first = launches_of(lambda: look(((x * y + 1) ** 2).sum()))
    second = launches_of(lambda: look(((y * x + 3) ** 2).sum()))
    other = launches_of(lambda: look(x * y - 1))
    assert first[0].ops[:2] == ["multiply", "add"] and first[0].ops[-1] == "sum"
    assert other[0].ops == ["multiply", "subtract"]
    assert [e.key for e in first] == [e.key for e in second] != [e.key for e in other]
    assert isinstance(first[0].key, int) and first[0].site != second[0].site


def test_events_say_how_a_kernel_was_launched(device):
    f = SourceModule("extern __shared__ int room[]; __global__ void f() { if (gridDim.x > 1) room[0] = 1; }").get_function("f")
    with quern.trace() as events:
        f(block=(32, 2, 1), grid=(4, 3), shared=256)
        f(block=(1, 1, 1))
        quern.synchronize()
    first, second, wait = events
    assert (first.grid, first.block, first.shared) == ((4, 3, 1), (32, 2, 1), 256)
    assert (second.grid, second.block, second.shared) == ((1, 1, 1), (1, 1, 1), 0)
    assert first.detail == "grid 4x3x1 block 32x2x1"
    assert first.key == second.key and first.ops == []  # source of the user
    assert (wait.grid, wait.block, wait.key, wait.ops) == (None, None, None, [])
    assert first.id < second.id < wait.id
    assert first.stream == second.stream and first.device == device.name
    with pytest.raises(AttributeError, match="no 'colour'"):
        first.colour  # noqa: B018


def test_times_are_by_the_devices_clock(device):
    """In the order in which a stream worked, beside the host's time."""
    x = quern.asarray(np.arange(100_000.0))
    before = time.monotonic_ns()
    launches = launches_of(lambda: [_engine.array_evaluate(quern.sqrt(x + n)) for n in range(5)])
    after = time.monotonic_ns()
    assert len(launches) == 5
    for event in launches:
        assert event.device_start_ns <= event.device_end_ns
        assert abs(event.device_end_ns - event.device_start_ns - event.device_ms * 1e6) < 1000
    starts = [e.device_start_ns for e in launches]
    assert starts == sorted(starts)
    margin = 0 if device.kind == "cpu" else 10**8
    assert before - margin <= starts[0] and launches[-1].device_end_ns <= after + margin


def test_pinned_memory_is_in_the_trace(device):
    with quern.trace() as events:
        memory = drv.pagelocked_empty(1000, np.float32)
    assert [(e.kind, e.name, e.bytes) for e in events] == [("allocate", "pinned", 4000)]
    del memory


def test_every_event_has_its_line(device):
    """Evaluations, copies and waits release Python's lock before they are traced; their line is known all the same."""

    def first(function):
        return f"{__file__}:{function.__code__.co_firstlineno}"

    x = quern.asarray(np.arange(50_000.0))
    quern.synchronize()
    works = [
        lambda: float((x * 3.7).sum()),
        lambda: quern.asnumpy(x),
        lambda: quern.asarray(np.arange(70_000.0)),
        lambda: bool(x[5] > 1),
        lambda: x.tolist(),
        lambda: quern.synchronize(),
        lambda: quern.asnumpy(quern.sort(x[::-1])),
        lambda: quern.asnumpy(x[x > 9]),
    ]
    for work in works:
        with quern.trace() as events:
            work()
        told = [e for e in events if e.kind not in ("compile", "load", "allocate")]  # compilers work on threads of their own, too
        assert told and all(e.site == first(work) for e in told), [(e.kind, e.site) for e in events]
