"""`qn.check()` and `quern check`: wrong kernels are found, with their lines; right ones pass without a word."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import quern as qn
from checked import N, kinds, run
from programs import environment, quern
from quern import cuda
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("on_the_cpu")

I = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"  # noqa: E741
T = "int t = threadIdx.x;\n"

WRONG = {
    # outside of arrays
    "read behind the end": ("out_of_bounds", I + "x[i] = y[i + 1];", {}),
    "write behind the end": ("out_of_bounds", I + "x[i + 1] = 1;", {}),
    "read before the beginning": ("out_of_bounds", I + "x[i] = y[i - 1];", {}),
    "far away": ("out_of_bounds", I + "x[i] = y[i * 100000];", {}),
    "no guard of a larger grid": ("out_of_bounds", I + "x[i] = 2;", {"grid": 2}),
    "a guard with <=": ("out_of_bounds", I + "if (i <= n) x[i] = 2;", {"grid": 2}),
    "two dimensions exchanged": ("out_of_bounds", "x[threadIdx.x * 16 + threadIdx.y] = 1;", {"block": (16, 4)}),
    "in a device function": ("out_of_bounds", I + "x[i] = get(y, i + 1);", {"helpers": "__device__ float get(float* p, int k) { return p[k]; }"}),
    "a vector over the end": ("out_of_bounds", T + "float4 v = ((float4*)x)[t]; y[t] = v.x;", {}),
    "an atomic behind the end": ("out_of_bounds", I + "atomicAdd(&x[i + 1], 1.0f);", {}),
    "a pointer that runs too far": ("out_of_bounds", "for (float* p = x; p <= x + n; ++p) *p = 0;", {"block": 1}),
    "bytes over the end": ("out_of_bounds", T + "((char*)x)[t * 5] = 1;", {}),
    "an index from data": ("out_of_bounds", I + "x[(int)x[i] * 2] = 0;", {}),
    "__ldg": ("out_of_bounds", I + "x[i] = __ldg(&y[i + 2]);", {}),
    "memcpy": ("out_of_bounds", "memcpy(x, y, 4 * n + 4);", {"block": 1}),
    "memset": ("out_of_bounds", "memset(x + 1, 0, 4 * n);", {"block": 1}),
    # of arrays that the kernel has itself
    "shared array": ("out_of_bounds", T + "__shared__ float s[64]; __shared__ float other[64]; s[t + 1] = 0; other[t] = s[t]; x[t] = other[t];", {}),
    "shared array in two dimensions": ("out_of_bounds", "__shared__ float s[8][8]; s[threadIdx.x][threadIdx.y] = 1; x[0] = s[0][0];", {"block": (9, 4)}),
    "dynamic shared array": ("out_of_bounds", T + "extern __shared__ float s[]; s[t] = 1; x[t] = s[t];", {"shared": 4 * 60}),
    "dynamic shared array without memory": ("out_of_bounds", T + "extern __shared__ float s[]; s[t] = 1; x[t] = s[t];", {}),
    "local array": ("out_of_bounds", T + "float a[8]; for (int k = 0; k <= 8; ++k) a[k] = k; x[t] = a[t & 7];", {}),
    "local array by data": ("out_of_bounds", T + "int a[4] = {1, 2, 3, 4}; x[t] = a[(int)y[t] * 5 + (t & 3)];", {}),
    "device variable": ("out_of_bounds", T + "table[t] = 1; x[t] = table[t & 15];", {"helpers": "__device__ float table[32];"}),
    "constant memory": ("out_of_bounds", T + "x[t] = c[t];", {"helpers": "__constant__ float c[32];"}),
    # null, alignment, const
    "null": ("null", I + "x[i] = 1;", {"values": lambda x, y: (np.uint64(0), y, np.int32(N)), "arguments": "float* x, float* y, int n"}),
    "near null": ("null", I + "float* p = nullptr; p[i] = x[i];", {}),
    "a null member": ("null", I + "node* a = nullptr; x[i] = a->next ? 1 : 0;", {"helpers": "struct node { int v; node* next; };"}),
    "float4 at any float": ("misaligned", T + "float4 v = *(float4*)(x + 1 + 4 * (t & 7)); y[t] = v.x;", {}),
    "double at a float": ("misaligned", T + "if (t < 20) *(double*)(x + 1 + 2 * t) = 1;", {}),
    "int at a byte": ("misaligned", T + "if (t < 8) y[t] = *(int*)((char*)x + 1 + 4 * t);", {}),
    "short at a byte": ("misaligned", T + "if (t < 8) y[t] = *(short*)((char*)x + 1 + 2 * t);", {}),
    "an atomic at a byte": ("misaligned", "atomicAdd((int*)((char*)x + 2), 1);", {"block": 1}),
    "const cast away": ("const_written", I + "((float*)y)[i] = x[i];", {"arguments": "float* x, const float* y, int n"}),
    # races in shared memory
    "no barrier before a read": ("race", T + "__shared__ float s[64]; s[t] = x[t]; x[t] = s[63 - t];", {}),
    "no barrier in a reduction": ("race", T + "__shared__ float s[64]; s[t] = x[t]; __syncthreads();\n"
                                  "for (int k = 32; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; }\nif (t == 0) y[0] = s[0];", {}),
    "no barrier before the next round": ("race", T + "__shared__ float s[64];\nfor (int k = 0; k < 3; ++k) {\ns[t] = x[t] + k;\n"
                                         "__syncthreads();\ny[t] += s[63 - t];\n}", {}),
    "all write one element": ("race", T + "__shared__ float s[1]; s[0] = x[t]; __syncthreads(); y[t] = s[0];", {}),
    "a counter without an atomic": ("race", T + "__shared__ int c; if (t == 0) c = 0; __syncthreads(); c += 1; __syncthreads(); y[t] = c;", {}),
    "an atomic beside a plain read": ("race", T + "__shared__ int c; if (t == 0) c = 0; __syncthreads(); atomicAdd(&c, 1); y[t] = c;", {}),
    "a scan in place": ("race", T + "__shared__ float s[64]; s[t] = x[t]; __syncthreads();\n"
                        "for (int d = 1; d < 64; d *= 2) { if (t >= d) s[t] += s[t - d]; __syncthreads(); }\ny[t] = s[t];", {}),
    "the warps' last step without barriers": ("race", T + "__shared__ float s[64]; s[t] = x[t]; __syncthreads();\n"
                                              "if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; }\nif (t == 0) y[0] = s[0];", {}),
    "__syncwarp with half of the lanes": ("race", T + "__shared__ float s[64]; s[t] = x[t];\nif (t < 16) __syncwarp(0xffff);\n"
                                          "y[t] = s[t ^ 16];", {}),
    "__syncwarp between two warps": ("race", T + "__shared__ float s[64]; s[t] = x[t]; __syncwarp(); y[t] = s[t ^ 32];", {}),
    "one thread's setting": ("race", T + "__shared__ float f; if (t == 0) f = x[3]; y[t] = f;", {}),
    "bytes of one word are two elements, one is shared": ("race", T + "__shared__ unsigned char s[64]; s[t / 2] = t; __syncthreads(); y[t] = s[t];", {}),
    # races in global memory
    "neighbours": ("race", I + "if (i + 1 < n) x[i] = x[i + 1];", {}),
    "between blocks": ("race", I + "x[i % 32] += 1;", {"block": 32, "grid": 2}),
    "a sum of all threads": ("race", I + "y[0] += x[i];", {}),
    "a sum of blocks": ("race", I + "if (threadIdx.x == 0) y[0] += x[i];", {"block": 32, "grid": 2}),
    "a stencil in place": ("race", I + "if (i > 0 && i + 1 < n) x[i] = (x[i - 1] + x[i + 1]) / 2;", {"block": 32, "grid": 2}),
    "a barrier does not reach other blocks": ("race", I + "x[i] = i; __syncthreads(); y[i] = x[(i + 32) % n];", {"block": 32, "grid": 2}),
    "a flag without a fence": ("race", "volatile int* flag = (volatile int*)y;\nif (blockIdx.x == 0) { x[5] = 1; flag[0] = 7; }\n"
                               "else { if (flag[0] == 7) y[9] = x[5]; }", {"block": 1, "grid": 2}),
    "the last block without a fence": ("race", "__shared__ bool last;\nif (threadIdx.x == 0) {\nx[blockIdx.x] = blockIdx.x + 1;\n"
                                       "last = atomicAdd((int*)y, 1) == gridDim.x - 1; }\n__syncthreads();\n"
                                       "if (last && threadIdx.x == 0) { float s = 0; for (int k = 0; k < gridDim.x; ++k) s += x[k]; x[40] = s; }",
                                       {"block": 32, "grid": 3, "values": lambda x, y: (x, qn.zeros(N, dtype="float32"), np.int32(N))}),
    # memory that nobody wrote
    "shared memory not filled": ("never_written", T + "__shared__ float s[64]; x[t] = s[t];", {}),
    "half of it filled": ("never_written", T + "__shared__ float s[64]; if (t < 32) s[t] = 1; __syncthreads(); x[t] = s[t];", {}),
    "a counter that nobody set": ("never_written", T + "__shared__ int c; atomicAdd(&c, 1); __syncthreads(); x[t] = c;", {}),
    "the halo is not filled": ("never_written", T + "__shared__ float s[66]; s[t + 1] = x[t]; __syncthreads(); y[t] = s[t] + s[t + 2];", {}),
    "dynamic shared memory not filled": ("never_written", T + "extern __shared__ float s[]; if (t) s[t] = 1; __syncthreads(); x[t] = s[t];", {"shared": 256}),
    # barriers
    "in a branch": ("barrier_places", T + "if (t < 32) { volatile int k = 0; while (k < 2) { __syncthreads(); ++k; } } else __syncthreads();", {}),
    "two different ones": ("barrier_places", T + "if (t < 32) { x[t] = 1; __syncthreads(); } else { __syncthreads(); x[t] = 2; }", {}),
    "rounds that differ": ("barrier_places", T + "for (int k = 0; k < (t < 5 ? 2 : 1); ++k) __syncthreads();\n__syncthreads();", {}),
    "lanes that are not there": ("barrier_missing", T + "if (t < 8) x[t] = __shfl_sync(0xffffffff, x[t], 9); else { __syncthreads(); }", {"block": 32}),
    "__syncwarp in a branch": ("barrier_missing", T + "if (t % 2) __syncwarp(); else __syncthreads();", {"block": 32}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_are_found(name):
    kind, body, options = WRONG[name]
    report = run(body, **options)
    assert kind in kinds(report), f"{report}"
    one = next(one for one in report if one.kind == kind)
    assert one.kernel == "k" and one.access["line"] >= 1 and one.count >= 1
    assert one.access["source"].strip() and "RawKernel" not in one.access["source"]
    assert os.path.basename(one.launched).startswith("checked.py:")


RIGHT = {
    "a guard": (I + "if (i < n) x[i] = y[i];", {"grid": 2}),
    "a reduction": (T + "__shared__ float s[64]; s[t] = x[t]; __syncthreads();\n"
                    "for (int k = 32; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }\nif (t == 0) y[0] = s[0];", {}),
    "rounds with two barriers": (T + "__shared__ float s[64];\nfor (int k = 0; k < 3; ++k) { s[t] = x[t] + k; __syncthreads(); y[t] += s[63 - t];\n"
                                 "__syncthreads(); }", {}),
    "warp steps": (T + "__shared__ float s[64]; s[t] = x[t]; __syncthreads();\nif (t < 32) { float v = s[t] + s[t + 32];\n"
                   "for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);\nif (t == 0) y[0] = v; }", {}),
    "__syncwarp in one warp": (T + "__shared__ float s[64]; s[t] = x[t]; __syncwarp(); y[t] = s[t ^ 1];", {}),
    "masks that meet": (T + "__shared__ float s[64]; s[t] = x[t];\nif ((t & 31) < 16) { __syncwarp(0xffff); y[t] = s[t ^ 8]; }", {}),
    "atomics alone": (I + "atomicAdd(&y[0], x[i]); atomicMax((int*)&y[1], i);", {"block": 32, "grid": 2}),
    "atomics on shared memory": (T + "__shared__ int c; if (t == 0) c = 0; __syncthreads(); atomicAdd(&c, 1); __syncthreads(); y[t] = c;", {}),
    "float4": (T + "if (t < 16) ((float4*)x)[t] = ((float4*)y)[t];", {}),
    "the last block": ("__shared__ bool last;\nif (threadIdx.x == 0) {\nx[blockIdx.x] = blockIdx.x + 1; __threadfence();\n"
                       "last = atomicAdd((int*)y, 1) == gridDim.x - 1; }\n__syncthreads();\n"
                       "if (last && threadIdx.x == 0) { float s = 0; for (int k = 0; k < gridDim.x; ++k) s += x[k]; x[40] = s; }",
                       {"block": 32, "grid": 3, "values": lambda x, y: (x, qn.zeros(N, dtype="float32"), np.int32(N))}),
    "a lock": ("if (threadIdx.x == 0) { while (atomicCAS((int*)y, 0, 1) != 0) {} __threadfence(); x[0] += 1; __threadfence(); atomicExch((int*)y, 0); }",
               {"block": 32, "grid": 4, "values": lambda x, y: (x, qn.zeros(N, dtype="float32"), np.int32(N))}),
    "a flag with a fence": ("volatile int* flag = (volatile int*)y;\nif (blockIdx.x == 0) { x[5] = 1; __threadfence(); flag[0] = 7; }\n"
                            "else { while (flag[0] != 7) {} __threadfence(); y[9] = x[5]; }", {"block": 1, "grid": 2}),
    "early return before a barrier": (T + "if (t >= 40) return;\n__shared__ float s[40]; s[t] = x[t]; __syncthreads(); y[t] = s[39 - t];", {}),
    "a local array": (T + "float a[8]; for (int k = 0; k < 8; ++k) a[k] = k; x[t] = a[t & 7];", {}),
    "recursion": (T + "x[t] = fact(t & 7);", {"helpers": "__device__ int fact(int k) { int a[2] = {k, 1}; return k < 2 ? a[1] : a[0] * fact(k - 1); }"}),
    "a cooperative group": (T + "auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());\n"
                            "__shared__ float s[64]; s[t] = x[t]; tile.sync(); y[t] = s[t ^ 3];", {"helpers": "#include <cooperative_groups.h>"}),
    "structures": (T + "pair p = ((pair*)x)[t & 15]; p.b += 1; ((pair*)y)[t & 15].a = t < 16 ? p.a : y[0];",
                   {"block": 16, "helpers": "struct pair { float a; float b; };"}),
    "halves": (T + "__shared__ __half h[64]; h[t] = __float2half(x[t]); __syncthreads(); y[t] = __half2float(h[63 - t]);",
               {"helpers": "#include <cuda_fp16.h>"}),
    "bytes": (T + "__shared__ unsigned char s[64]; s[t] = t; __syncthreads(); y[t] = s[63 - t];", {}),
    "votes": (T + "unsigned b = __ballot_sync(0xffffffff, t & 1); y[t] = __popc(b) + __syncthreads_count(t < 5);", {}),
    "one writes what it has read": (T + "x[t] = x[0];", {}),
    "printf": (T + "if (t == 0) printf(\"%d\\n\", t);", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernels_pass(name):
    body, options = RIGHT[name]
    report = run(body, **options)
    assert not len(report), f"{report}"


def test_a_grid_barrier_orders_blocks():
    body = I + "x[i] = i; {} y[i] = x[(i + 32) % n];"
    text = '#include <cooperative_groups.h>\nextern "C" __global__ void k(float* x, float* y, int n) {{\n' + body + "\n}}"
    for barrier, expected in (("cooperative_groups::this_grid().sync();", set()), ("__syncthreads();", {"race"})):
        x, y = qn.zeros(N, dtype="float32"), qn.zeros(N, dtype="float32")
        with qn.check() as report:
            kernel = qn.RawKernel(text.format(barrier), "k", enable_cooperative_groups=True)
            kernel((2,), (32,), (x, y, np.int32(N)))
            qn.synchronize()
        assert kinds(report) == expected, f"{report}"
        assert y.get().tolist() == [(i + 32) % N for i in range(N)] or expected


def test_launches_after_a_failed_grid():
    text = """#include <cooperative_groups.h>
    extern "C" __global__ void k(float* x, int stops) {
      cooperative_groups::this_grid().sync();
      if (stops && blockIdx.x == 1) __trap();
      x[blockIdx.x] = 1;
      x[4 + blockIdx.x] = threadIdx.x;
    }"""
    x = qn.zeros(N, dtype="float32")
    with qn.check() as report:
        kernel = qn.RawKernel(text, "k", enable_cooperative_groups=True)
        for stops in (1, 0, 1, 0):
            try:
                kernel((4,), (32,), (x, np.int32(stops)))
                qn.synchronize()
                assert not stops
            except qn.LaunchError:
                assert stops
    assert kinds(report) == {"race"} and x.get()[:5].tolist() == [1, 1, 1, 1, 31]


def test_launches_in_order_do_not_race():
    x = qn.zeros(N, dtype="float32")
    with qn.check() as report:
        kernel = qn.RawKernel('extern "C" __global__ void k(float* x, int d) { x[(threadIdx.x + d) % 64] += 1; }', "k")
        for d in range(5):
            kernel((1,), (N,), (x, np.int32(d)))
    assert not len(report) and (x.get() == 5).all()


def test_freed_memory():
    from quern.pycuda import driver as drv

    text = 'extern "C" __global__ void k(float** p, float* out) { out[threadIdx.x] = p[0][threadIdx.x]; }'
    out = qn.zeros(N, dtype="float32")
    with qn.check() as report:
        kernel = qn.RawKernel(text, "k")
        memory = drv.mem_alloc(4 * N)
        drv.memset_d32(memory, 0, N)
        table = qn.array(np.array([int(memory)], np.uint64))
        kernel((1,), (N,), (table, out))
        qn.synchronize()
        assert True
        memory.free()
        kernel((1,), (N,), (table, out))
        qn.synchronize()
    assert kinds(report) == {"after_release"} and report[0].count == N
    assert "memory that was freed" in str(report) and os.path.basename(report[0].allocated).startswith("test_check.py:")


def test_memory_that_nobody_wrote():
    from quern.pycuda import driver as drv

    text = 'extern "C" __global__ void k(const float* p, float* out) { out[threadIdx.x] = p[threadIdx.x]; }'
    out = qn.zeros(N, dtype="float32")
    for fill, expected in ((None, {"never_written"}), (32, {"never_written"}), (N, set())):
        with qn.check() as report:
            memory = drv.mem_alloc(4 * N)
            if fill:
                drv.memset_d32(memory, 0, fill)
            qn.RawKernel(text, "k")((1,), (N,), (memory, out))
            qn.synchronize()
        assert kinds(report) == expected
    with qn.check(never_written=False) as report:
        qn.RawKernel(text, "k")((1,), (N,), (drv.mem_alloc(4 * N), out))
        qn.synchronize()
    assert not len(report)


FILLS = {
    6: r"""extern "C" __global__ void k(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }""",
    24: r"""extern "C" __global__ void k(unsigned char* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }""",
}


@pytest.mark.parametrize("most", FILLS)
def test_memory_that_checks_take(most):
    """So many bytes for each one of the arrays that kernels use: of four bytes and more, and of single ones."""
    from quern.pycuda import driver as drv

    with qn.check() as report:
        memory = drv.mem_alloc(1 << 16)
        drv.memset_d32(memory, 0, 100)  # the rest is unwritten
        qn.RawKernel(FILLS[most], "k")((2,), (N,), (memory,))
        qn.synchronize()
        used, kept = _engine.checked_memory()
    assert not len(report) and used == 1 << 16 and 0 < kept <= most * used


def test_wrong_accesses_harm_nobody():
    report = run(I + "x[i + 1000000] = 5; y[i] = x[i + 1000000];")
    assert kinds(report) == {"out_of_bounds"} and {one.count for one in report} == {N}


def test_the_texts_of_findings():
    text = str(run(T + "__shared__ float tile[64];\ntile[t] = x[t];\ny[t] = tile[63 - t];"))
    assert "race in kernel 'k': two threads use the same element" in text
    assert "tile[t] = x[t];\n" in text and "y[t] = tile[63 - t];\n" in text
    assert "^ thread (32,0,0) of block (0,0,0) writes" in text and "shared array 'tile', 256 bytes" in text
    assert "put __syncthreads() between the two accesses" in text and text.endswith("findings")
    line, caret = next(pair for pair in zip(text.splitlines(), text.splitlines()[1:], strict=False) if "tile[t] = x[t]" in pair[0])
    assert line[caret.index("^")] == "="


# ---- kernels in Python


def in_python(kernel, *arguments, grid=1, block=N):
    with qn.check() as report:
        compiled = cuda.jit(kernel)
        compiled[grid, block](*arguments)
        cuda.synchronize()
    return report


def test_python_kernels_have_their_own_lines():
    def behind(x, y):
        i = cuda.grid(1)
        y[i] = x[i + 1]

    x = np.ones(N, np.float32)
    report = in_python(behind, x, np.zeros(N, np.float32))
    assert kinds(report) == {"out_of_bounds"} and os.path.samefile(report[0].access["file"], __file__)
    assert report[0].access["line"] == behind.__code__.co_firstlineno + 2 and "y[i] = x[i + 1]" in str(report)


def test_python_kernels_that_race():
    def reversed_(x, y):
        s = cuda.shared.array(64, np.float32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        y[t] = s[63 - t]

    def ordered(x, y):
        s = cuda.shared.array(64, np.float32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        y[t] = s[63 - t]

    x, y = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    assert "race" in kinds(in_python(reversed_, x, y))
    assert not len(in_python(ordered, x, y)) and (y == x[::-1]).all()


def test_strided_host_arrays_are_memory():
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    x = np.arange(2 * N, dtype=np.float32)[::-2]
    assert not len(in_python(double, x)) and x[0] == 2 * (2 * N - 1)


# ---- one at a time, and off again


def test_one_check_at_a_time():
    with qn.check() as report:
        with pytest.raises(RuntimeError, match="a check is already active"):
            with qn.check():
                pass
    assert len(report) == 0 and str(report) == "quern check: nothing found"


def test_work_of_a_gpu_is_not_checked(device):
    """It runs as ever, with a word on what was left out."""

    @cuda.jit
    def halves(x, n):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = (x[i] << n) // n

    x = qn.arange(32)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", RuntimeWarning)
        with qn.check() as report:
            halves[1, 32](x, 2)
            assert x.tolist() == [2 * i for i in range(32)]
    said = [str(w.message) for w in heard if w.category is RuntimeWarning]
    assert len(report) == 0 and len(said) == (device.kind != "cpu") and all("on a GPU were not checked" in text for text in said)


def test_kernels_are_plain_again_afterwards():
    run(T + "x[t] = y[t];")
    x = qn.zeros(N, dtype="float32")
    qn.RawKernel('extern "C" __global__ void k(float* x) { x[threadIdx.x] = 3; }', "k")((1,), (N,), (x,))
    assert (x.get() == 3).all()


# ---- the command

PROGRAM = """\
import numpy as np
import cupy as cp

kernel = cp.RawKernel('''
extern "C" __global__ void move(float* x) {
  x[threadIdx.x] = x[threadIdx.x + 16];
}''', "move")
x = cp.arange(32, dtype=cp.float32)
kernel((1,), (16,), (x,))
print(x.sum())
"""


def test_the_command(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = quern("check", path)
    assert done.returncode == 0 and done.stdout == "752.0\n" and done.stderr == "quern check: nothing found\n"
    path.write_text(PROGRAM.replace("+ 16", "+ 17"))
    done = quern("check", path)
    assert done.returncode == 3 and "out of bounds in kernel 'move'" in done.stderr and "quern check: 1 finding" in done.stderr
    assert "x[threadIdx.x] = x[threadIdx.x + 17];" in done.stderr and f"launched at {path}:9" in done.stderr
    out = tmp_path / "found.json"
    done = quern("check", "--json", out, path)
    (found,) = json.loads(out.read_text())
    assert done.returncode == 3 and found["kind"] == "out_of_bounds" and found["access"]["line"] == 3 and found["title"]


def test_a_program_that_fails_under_check(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import sys\nprint(sys.argv[1:])\nraise KeyError('mine')\n")
    done = quern("check", path, "a", "--b")
    assert done.returncode == 1 and done.stdout == "['a', '--b']\n" and "KeyError: 'mine'" in done.stderr and "quern/cli" not in done.stderr
    assert done.stderr.endswith("quern check: no errors in kernels; the program ended with KeyError\n")
    path.write_text("import sys\nsys.exit(7)\n")
    assert quern("check", path).returncode == 7


def test_a_program_that_fails_after_a_mistake(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("+ 16", "+ 17") + "raise KeyError('mine')\n")
    done = quern("check", path)
    assert done.returncode == 3 and "KeyError: 'mine'" in done.stderr and "out of bounds in kernel 'move'" in done.stderr


ONLY_A_GPU = """\
import cupy as cp

kernel = cp.RawKernel('''
extern "C" __global__ void only(unsigned long long* x) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"((unsigned int)threadIdx.x));
}''', "only")
kernel((1,), (1,), (cp.zeros(4, dtype=cp.uint64),))
"""


def test_a_program_for_gpus_alone(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(ONLY_A_GPU)
    done = quern("check", path)
    assert done.returncode == 1 and "mbarrier.init" in done.stderr and "inline PTX" in done.stderr, done.stderr
    assert "quern check: no errors in kernels; the program ended with " in done.stderr.splitlines()[-1]


OPTIONS = """\
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

m = SourceModule("__global__ void k(float* x) { x[blockIdx.x] = logf(-1.0f - x[blockIdx.x]); }")
x = drv.mem_alloc(16)
drv.memset_d32(x, 0, 4)
m.get_function("k")(x, block=(1, 1, 1), grid=(4, 1))
"""


def test_options_of_the_command(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(OPTIONS)
    assert quern("check", path).returncode == 0
    done = quern("check", "--nan", "--leaks", "--orders", "3", path)
    assert done.returncode == 3 and "NaN or infinity in kernel 'k'" in done.stderr and "leak: 16 bytes of device memory" in done.stderr, (
        done.stderr
    )
    assert f"its memory was allocated at {path}:6" in done.stderr and done.stderr.endswith("quern check: 2 findings\n")


PROCESSES = """\
import concurrent.futures
import multiprocessing
import sys
def work(k):
    import cupy as cp
    kernel = cp.RawKernel('extern "C" __global__ void k(float* x) { x[threadIdx.x + 1] = 1; }', "k")
    x = cp.zeros(32, dtype=cp.float32)
    kernel((1,), (32,), (x,))
    return float(x.sum())
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:  # whose workers are ended by a signal
        print(pool.map(work, range(4)))
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        print(list(pool.map(work, range(4))))
    context.Process(target=work, args=(3,)).start()  # nobody waits for it
"""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes_of_the_program(tmp_path, way):
    path = tmp_path / "program.py"
    path.write_text(PROCESSES)
    done = quern("check", "--json", tmp_path / "found.json", path, way)
    assert done.returncode == 3 and done.stdout == "[31.0, 31.0, 31.0, 31.0]\n" * 2, done.stderr
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert found["kind"] == "out_of_bounds" and found["count"] == 9 and found["launched"].endswith("program.py:8")


ENDED_TWICE = """\
import json, multiprocessing, os, signal, sys
def work(depth):
    import cupy as cp
    theirs = json.dump
    def dump(*args, **kwargs):  # as multiprocessing.Pool does with a worker that is about to end
        os.kill(os.getpid(), signal.SIGTERM)
        theirs(*args, **kwargs)
    json.dump = dump
    cp.RawKernel('extern "C" __global__ void k(float* x) { x[8] = 1; }', "k")((1,), (1,), (cp.zeros(8, dtype=cp.float32),))
    if depth:
        child = context.Process(target=work, args=(depth - 1,))
        child.start()
        child.join()
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    work_process = context.Process(target=work, args=(1,))
    work_process.start()
    work_process.join()
"""


TERMINATED = """\
import ctypes, multiprocessing, time
def work(ready):
    import cupy as cp
    cp.RawKernel('extern "C" __global__ void k(float* x) { x[8] = 1; }', "k")((1,), (1,), (cp.zeros(8, dtype=cp.float32),))
    cp.cuda.get_current_stream().synchronize()
    ready.set()
    mutex = ctypes.create_string_buffer(64)
    for _ in range(2):
        ctypes.CDLL(None).pthread_mutex_lock(mutex)  # the second waits, and no signal interrupts that
if __name__ == "__main__":
    ready = multiprocessing.Event()
    process = multiprocessing.Process(target=work, args=(ready,))
    process.start()
    ready.wait()
    time.sleep(0.5)
    process.terminate()
    process.join()
    print(process.exitcode)
"""


def test_a_process_that_is_terminated_in_a_wait_leaves_its_findings(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(TERMINATED)
    done = quern("check", "--json", tmp_path / "found.json", path, timeout=100)
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert done.returncode == 3 and done.stdout == "-15\n" and found["count"] == 1, done.stderr


def test_a_process_that_is_terminated_while_it_ends_leaves_its_findings(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(ENDED_TWICE)
    done = quern("check", "--json", tmp_path / "found.json", path)
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert done.returncode == 3 and found["count"] == 2, done.stderr


@pytest.mark.parametrize("arguments, text", [(["no.py"], "no.py: No such file"), ([], "usage: quern check"), (["--json", "/", "x.py"], "is a folder"),
                                             (["--what", "x.py"], "--what"), (["--orders", "no", "x.py"], "is not a number from 1 to 1000")])  # fmt: skip
def test_wrong_arguments(arguments, text, tmp_path):
    done = quern("check", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr


def test_a_check_that_is_ended_shows_what_was_found(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import numpy as np, quern as qn\nx = qn.zeros(8, dtype='int32')\n"
        "k = qn.RawKernel('extern \"C\" __global__ void k(int* x) { x[threadIdx.x] = 1; }', 'k')\n"
        "print('begins', flush=True)\nwhile True:\n    k((1,), (9,), (x,))\n    qn.synchronize()\n    print('.', flush=True)\n"
    )
    command = [sys.executable, "-m", "quern", "check", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        for _ in range(3):
            process.stdout.readline()
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 3 and "out of bounds in kernel 'k'" in said and "quern check: 1 finding" in said, said
