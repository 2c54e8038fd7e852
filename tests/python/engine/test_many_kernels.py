"""Thousands of kernels in one process: they share memory maps, and keep what is theirs apart. bench/many.py is the longer run."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import quern
from programs import ROOT, code, environment
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule, compile

KERNEL = """
// nvrtc: skip
__device__ int variable = {k};
extern "C" __global__ void f(int* x) {{ x[threadIdx.x] = x[threadIdx.x] * 2 + variable + {k}; }}
"""


def maps():
    with open("/proc/self/maps") as f:
        return sum(1 for _ in f)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def cpu_only(device):
    if device.kind != "cpu":
        pytest.skip("the driver loads what runs on a GPU")


@pytest.mark.parametrize("what", ["groups", "kept", "dropped"])
def test_maps_and_descriptors_are_level(device, tmp_path, what):
    cpu_only(device)
    done = subprocess.run(
        [sys.executable, pathlib.Path(ROOT) / "bench" / "many.py", "--here", "--only", what, "--count", "240"],
        capture_output=True,
        text=True,
        env=environment(QUERN_DEVICE="cpu", QUERN_CACHE_DIR=str(tmp_path)),  # else the compiler may be loaded late
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, last = (done.stdout.splitlines()[i].split() for i in (4, -2))
    assert int(last[2]) <= int(first[2]) + 10 and int(last[4]) <= int(first[4]) + 2, done.stdout


def test_two_of_the_same_text_share_nothing(device):
    x = drv.to_device(np.zeros(1, np.int32))
    text = "__device__ int variable = 5; __global__ void f(int* x) { x[0] = variable; variable += 1; }"
    one, two = (SourceModule(text, no_extern_c=False) for _ in range(2))
    seen = []
    for module in (one, one, two, one, two):
        module.get_function("f")(x, block=(1, 1, 1))
        seen.append(int(drv.from_device(x, 1, np.int32)[0]))
    assert seen == [5, 6, 5, 7, 6]


def test_a_place_that_was_used_is_clean(device):
    """Variables without a value begin at 0, whatever lay there."""
    text = "__device__ int table[3000]; __global__ void f(int* x, int v) { x[threadIdx.x] = table[threadIdx.x * 90]; table[threadIdx.x * 90] = v; }"
    for k in range(50):
        x = drv.to_device(np.full(32, 9, np.int32))
        SourceModule(text + f"// {k % 3}").get_function("f")(x, np.int32(k + 1), block=(32, 1, 1))
        assert (drv.from_device(x, 32, np.int32) == 0).all()


def test_sizes_of_all_kinds(device):
    kept = []
    for size in (1, 100, 1024, 5000, 300_000, 1_000_000, 9_000_000):
        for start in ("", " = {7}"):
            module = SourceModule(
                f"__device__ int t[{size}]{start}; __global__ void f(int* x) {{ x[0] = t[0]; x[1] = t[{size - 1}]; t[{size - 1}] = {size}; }}"
            )
            kept.append((module, size, 7 if start else 0))
    x = drv.to_device(np.zeros(2, np.int32))
    for again in (False, True):
        for module, size, start in kept:
            module.get_function("f")(x, block=(1, 1, 1))
            first = size if size == 1 and again else start
            last = size if again else start if size == 1 else 0
            assert list(drv.from_device(x, 2, np.int32)) == [first, last], (size, start, again)
            pointer, bytes = module.get_global("t")
            assert bytes == 4 * size and drv.from_device(pointer + bytes - 4, 1, np.int32)[0] == size


@pytest.mark.parametrize("size", [1000, 1_000_000, 5_000_000])
def test_constants_of_all_sizes(device, size):
    """They lie with the code: in an arena, by themselves, and so large that variables begin later."""
    module = SourceModule(
        f"__device__ const int t[{size}] = {{4, 5}}; __device__ int v = 3; __global__ void f(int* x, int i) {{ x[0] = t[i] + v; v += 1; }}"
    )
    x = drv.to_device(np.zeros(1, np.int32))
    for i, expected in ((0, 7), (1, 9), (size - 1, 5), (1, 11)):
        module.get_function("f")(x, np.int32(i), block=(1, 1, 1))
        assert drv.from_device(x, 1, np.int32)[0] == expected


def test_an_alignment_above_a_page(device):
    cpu_only(device)
    for alignment in (64, 4096, 65536):
        module = SourceModule(
            f"__device__ __align__({alignment}) int t[10] = {{1, 2, 3}}; __global__ void f(long long* x) {{ x[0] = (long long)t; x[1] = t[2]; }}"
        )
        x = drv.to_device(np.zeros(2, np.int64))
        module.get_function("f")(x, block=(1, 1, 1))
        address, value = drv.from_device(x, 2, np.int64)
        assert address % alignment == 0 and value == 3


def test_nothing_is_writable_and_executable(device):
    """In a process of its own: other libraries (libffi's closures) may have such pages."""
    cpu_only(device)
    done = code(f"""
import quern
from quern.device import set_current_device
set_current_device(quern.device({device.name!r}))
kept = [quern.RawKernel({KERNEL!r}.format(k=k), "f").compile() for k in range(5)]
with open("/proc/self/maps") as f:
    print([line for line in f if line.split()[1].startswith("rwx")])
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"


def test_loaded_by_threads_at_once(device):
    import threading

    wrong = []

    def work(t):
        for k in range(30):
            x = drv.to_device(np.full(32, 3, np.int32))
            quern.RawKernel(KERNEL.format(k=1000 * t + k), "f")((1,), (32,), (x,))
            if not (drv.from_device(x, 32, np.int32) == 6 + 2 * (1000 * t + k)).all():
                wrong.append((t, k))

    threads = [threading.Thread(target=work, args=(t,)) for t in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_dropped_kernels_leave_nothing(device):
    cpu_only(device)

    def rounds(count):
        for k in range(count):
            SourceModule(KERNEL.format(k=k % 10)).get_function("f")

    rounds(30)
    before = maps(), descriptors()
    rounds(300)
    after = maps(), descriptors()
    assert after[0] <= before[0] + 4 and after[1] <= before[1] + 1


def test_what_is_no_code_is_refused(device):
    cpu_only(device)
    good = compile("__global__ void f(int* x) { x[0] = 1; }")
    for wrong in (b"", b"\x7fELF", bytes(1000), good[:64], good[:500], b"X" + good[1:], good[:16] + b"\x01" + good[17:]):
        with pytest.raises(ValueError, match=r"\[load\]"):
            drv.module_from_buffer(wrong)
    x = drv.to_device(np.zeros(1, np.int32))
    drv.module_from_buffer(good).get_function("f")(x, block=(1, 1, 1))
    assert drv.from_device(x, 1, np.int32)[0] == 1
