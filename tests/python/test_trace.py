"""The trace: every compile, copy, launch and wait, with bytes, times, device and line."""

import inspect

import numpy as np
import quern
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule


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
