#!/usr/bin/env python3
"""The spine's speed: bandwidth, compile times, start, launches; compared with NumPy, Numba and CuPy where they are installed.

    python bench/spine.py [--device cpu|cuda] [--out FILE.json]

Every figure is a median; what it is compared with is measured in the same run. Results are printed as a table and, with --out, kept as
data with the machine's name.
"""

import argparse
import ctypes
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measure import fresh_folder, keep, median_ms, report  # isort: skip, finds quern
import numpy as np  # isort: skip
import quern  # isort: skip
from quern.device import set_current_device  # isort: skip
from quern.lib import _engine  # isort: skip
from quern.pycuda import driver as drv  # isort: skip
from quern.pycuda.compiler import SourceModule  # isort: skip

KERNELS = """
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void reduce(const float* a, float* out, int n) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  float sum = 0;
  for (int k = 0, i = blockIdx.x * blockDim.x * 8 + t; k < 8; ++k, i += blockDim.x) if (i < n) sum += a[i];
  s[t] = sum;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void shuffle_reduce(const float* a, float* out, int n) {
  __shared__ float s[32];
  unsigned t = threadIdx.x;
  float v = 0;
  for (int k = 0, i = blockIdx.x * blockDim.x * 8 + t; k < 8; ++k, i += blockDim.x) if (i < n) v += a[i];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if ((t & 31) == 0) s[t >> 5] = v;
  __syncthreads();
  if (t < 32) {
    v = t < blockDim.x / 32 ? s[t] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}
__global__ void grid_stride_reduce(const float* a, float* out, int n) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += a[i];
  s[t] = sum;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
#define T 16
__global__ void matmul(const float* A, const float* B, float* C, int N) {
  __shared__ float As[T][T], Bs[T][T];
  int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < N; k += T) {
    As[threadIdx.y][threadIdx.x] = A[r * N + k + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * N + c];
    __syncthreads();
    for (int j = 0; j < T; ++j) sum += As[threadIdx.y][j] * Bs[j][threadIdx.x];
    __syncthreads();
  }
  C[r * N + c] = sum;
}
__global__ void expf_all(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i]);
}
// Two pairs: the fast path on the right must cost little more than the kernel written to avoid it on the left.
__global__ void guarded(const float* a, float* o, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? a[i] : 0.0f;
  __syncthreads();
  if (i < n) o[i] = s[threadIdx.x ^ 1] + a[i];
}
__global__ void early_return(const float* a, float* o, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = a[i];
  __syncthreads();
  o[i] = s[threadIdx.x ^ 1] + a[i];
}
__global__ void all_warps(const float* a, float* out, int n) {
  __shared__ float s[32];
  unsigned t = threadIdx.x;
  float v = 0;
  for (int k = 0, i = blockIdx.x * blockDim.x * 8 + t; k < 8; ++k, i += blockDim.x) if (i < n) v += a[i];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if ((t & 31) == 0) s[t >> 5] = v;
  __syncthreads();
  v = t < blockDim.x / 32 ? s[t] : 0.0f;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (t == 0) out[blockIdx.x] = v;
}
"""


def event_ms(call, rounds=15, warm=3):
    """Median of device times."""
    for _ in range(warm):
        call()
    times = []
    for _ in range(rounds):
        start, end = drv.Event(), drv.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.time_till(end))
    return statistics.median(times)


def threaded_memcpy_ms(n_bytes, threads):
    """One copy of n_bytes shared by several threads, C's memcpy in each."""
    source, target = np.ones(n_bytes, np.uint8), np.zeros(n_bytes, np.uint8)
    copy = ctypes.CDLL(None).memcpy
    copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    part = n_bytes // threads
    go, done = threading.Barrier(threads + 1), threading.Barrier(threads + 1)
    rounds = 18

    def work(k):
        for _ in range(rounds):
            go.wait()
            copy(target.ctypes.data + k * part, source.ctypes.data + k * part, part)
            done.wait()

    workers = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(threads)]
    for w in workers:
        w.start()
    times = []
    for _ in range(rounds):
        go.wait()
        start = time.perf_counter()
        done.wait()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[3:])


def device_array(values):
    return drv.to_device(np.ascontiguousarray(values))


def throughput(device):
    wait = device.synchronize
    module = SourceModule(KERNELS)
    f = {
        name: module.get_function(name)
        for name in ("add", "reduce", "shuffle_reduce", "grid_stride_reduce", "matmul", "expf_all", "guarded", "early_return", "all_warps")
    }
    n = 20_000_000
    a = np.random.default_rng(0).random(n, dtype=np.float32)
    da, db, dc = device_array(a), device_array(a), drv.mem_alloc(4 * n)
    blocks = (n + 255) // 256
    cpu = device.kind == "cpu"
    timed = (lambda call, **k: median_ms(call, wait, **k)) if cpu else event_ms
    copy_ms = threaded_memcpy_ms(4 * n, os.cpu_count()) if cpu else event_ms(lambda: drv.memcpy_dtod(dc, da, 4 * n))
    copy_rate = 8 * n / copy_ms / 1e6
    report("memcpy 80 MB" + (", all threads" if cpu else " on the device"), copy_rate, "GB/s")

    ms = timed(lambda: f["add"](da, db, dc, np.int32(n), block=(256, 1, 1), grid=(blocks, 1)))
    report("vector add 20 M float32", 12 * n / ms / 1e6, "GB/s", copy_rate, "memcpy", ">= 0.90 of memcpy" if cpu else "")
    assert np.array_equal(drv.from_device(dc, n, np.float32), a + a)
    if not cpu:
        cupy_add(n, ms)
    part = drv.mem_alloc(4 * ((n + 2047) // 2048))
    many = ((n + 2047) // 2048, 1)
    for name, what in (("reduce", "block reduction"), ("shuffle_reduce", "shuffle reduction, if (t < 32)")):
        ms = timed(lambda name=name: f[name](da, part, np.int32(n), block=(256, 1, 1), grid=many))
        total = drv.from_device(part, many[0], np.float32).sum(dtype=np.float64)
        assert abs(total / a.sum(dtype=np.float64) - 1) < 1e-5
        target = ">= 0.65 of memcpy" if cpu and name == "reduce" else ""
        report(f"{what} 20 M float32", 4 * n / ms / 1e6, "GB/s", copy_rate, "memcpy", target)
    ms = timed(lambda: f["grid_stride_reduce"](da, part, np.int32(n), block=(256, 1, 1), grid=(160, 1)))
    report("grid-stride reduction 20 M float32", 4 * n / ms / 1e6, "GB/s", copy_rate, "memcpy")
    ms = timed(lambda: f["expf_all"](da, dc, np.int32(n), block=(256, 1, 1), grid=(blocks, 1)))
    report("expf 20 M float32", ms, "ms", median_ms(lambda: np.exp(a), lambda: None, 5, 1) if cpu else None, "NumPy")
    left = timed(lambda: f["guarded"](da, dc, np.int32(n), block=(256, 1, 1), grid=(blocks, 1)))
    right = timed(lambda: f["early_return"](da, dc, np.int32(n), block=(256, 1, 1), grid=(blocks, 1)))
    report("early return before a barrier", right, "ms", left, "rewritten", "<= 1.5")
    left = timed(lambda: f["all_warps"](da, part, np.int32(n), block=(256, 1, 1), grid=many))
    right = timed(lambda: f["shuffle_reduce"](da, part, np.int32(n), block=(256, 1, 1), grid=many))
    report("if (t < 32) with shuffles", right, "ms", left, "rewritten", "<= 1.5")

    size = 1024
    x = np.random.default_rng(1).random((size, size), dtype=np.float32)
    dx, dy = device_array(x), drv.mem_alloc(x.nbytes)
    ms = timed(lambda: f["matmul"](dx, dx, dy, np.int32(size), block=(16, 16, 1), grid=(64, 64)), rounds=9)
    assert np.allclose(drv.from_device(dy, x.shape, np.float32), x @ x, rtol=1e-3)
    numpy_ms = median_ms(lambda: x @ x, lambda: None, 9) if cpu else None
    report(
        "matmul 1024, 16x16 tiles",
        2e-6 * size**3 / ms,
        "GFLOP/s",
        2e-6 * size**3 / numpy_ms if cpu else None,
        "NumPy",
        ">= 0.5 of NumPy" if cpu else "",
    )


def compile_times(device):
    def new(template, count=20):
        times = []
        for k in range(count + 1):
            source = template.replace("@", str(k + 1) + str(time.time_ns() % 10**6))
            start = time.perf_counter()
            _engine.Function(_engine.build(device, source, "new.cu"), "f")
            times.append(1e3 * (time.perf_counter() - start))
        return statistics.median(times[1:])

    elementwise = (
        "__global__ void f(const float* a, const float* b, const float* c, const float* d, float* o, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = (a[i] * b[i] + c[i] * @.5f) / sqrtf(d[i]); }"
    )
    barrier = (
        "__global__ void f(const float* a, float* out, int n) { __shared__ float s[256]; unsigned t = threadIdx.x; float sum = @.0f;"
        " for (int k = 0, i = blockIdx.x * blockDim.x * 8 + t; k < 8; ++k, i += blockDim.x) if (i < n) sum += a[i];"
        " s[t] = sum; __syncthreads(); for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) { if (t < d) s[t] += s[t + d];"
        " __syncthreads(); } if (t == 0) out[blockIdx.x] = s[0]; }"
    )
    cpu = device.kind == "cpu"
    report("a new elementwise kernel", new(elementwise), "ms", target="<= 15 ms" if cpu else "<= 50 ms")
    report("a new barrier kernel", new(barrier), "ms", target="<= 60 ms" if cpu else "")
    source = elementwise.replace("@", "7")
    _engine.build(device, source, "kept.cu")
    times = []
    for _ in range(21):
        _engine.cache_forget_memory()
        start = time.perf_counter()
        program = _engine.build(device, source, "kept.cu")
        _engine.Function(program, "f")
        times.append(1e3 * (time.perf_counter() - start))
        assert program.cache == "disk"
    report("a cached kernel, from disk", statistics.median(times[1:]), "ms", target="<= 0.3 ms" if cpu else "<= 1 ms")


START = """
import time
start = time.perf_counter()
import numpy as np
numpy_done = time.perf_counter()
import quern
from quern.device import set_current_device
from quern.lib import _engine
set_current_device(quern.device({device!r}))
from quern.pycuda import driver as drv
if {device!r} != "cpu": drv.mem_alloc(4)
before = time.perf_counter()
f = _engine.Function(_engine.build(quern.current_device(), '__global__ void f(int* a) {{ *a = 3; }}', "start.cu"), "f")
built = time.perf_counter()
x = drv.mem_alloc(4)
f(x, block=(1, 1, 1))
assert drv.from_device(x, 1, np.int32)[0] == 3
end = time.perf_counter()
print(1e3 * (built - before), 1e3 * (end - numpy_done))
"""


def start_times(device):
    def run(cache):
        env = dict(os.environ, QUERN_CACHE_DIR=cache, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
        out = subprocess.run([sys.executable, "-c", START.format(device=device.name)], env=env, capture_output=True, text=True, check=True)
        return [float(x) for x in out.stdout.split()]

    cold = [run(fresh_folder())[0] for _ in range(7)]
    report("the first kernel of a process, compiled", statistics.median(cold), "ms", target="<= 120 ms" if device.kind == "cpu" else "")
    cache = fresh_folder()
    run(cache)
    warm = [run(cache) for _ in range(9)]
    report("warm start over import numpy", statistics.median(w[1] for w in warm), "ms", target="<= 80 ms" if device.kind == "cpu" else "")


def enqueue(device):
    f = SourceModule(
        "__global__ void f(float* a, float* b, float* c, int n) { if (threadIdx.x == 9999) a[0] = b[0] + c[0] + n; }"
    ).get_function("f")
    raw = quern.RawKernel('extern "C" __global__ void f(float* a, float* b, float* c, int n) { if (threadIdx.x == 9999) a[0] = n; }', "f")
    x, n = drv.mem_alloc(64), np.int32(5)
    grid, block, args = (1, 1), (32, 1, 1), (x, x, x, n)

    def many(call, rounds=10_000):
        for _ in range(500):
            call()
        device.synchronize()
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        took = time.perf_counter() - start
        device.synchronize()
        return 1e6 * took / rounds

    target, peer = "<= 1 us", None
    if device.kind == "cuda":
        peer, driver = cupy_enqueue(), driver_enqueue()
        target = ""
        if driver is not None:
            report("enqueue, 4 arguments, the driver's own call in C", driver, "us")
            target = f"<= {driver + 0.4:.2f} us"
    report(
        "enqueue, 4 arguments, PyCUDA's call",
        statistics.median(many(lambda: f(x, x, x, n, block=block, grid=grid)) for _ in range(5)),
        "us",
        peer,
        "CuPy",
        target,
    )
    report(
        "enqueue, 4 arguments, RawKernel",
        statistics.median(many(lambda: raw(grid, block, args)) for _ in range(5)),
        "us",
        peer,
        "CuPy",
        target,
    )


def cupy_add(n, ours_ms):
    try:
        import cupy
    except ImportError:
        return
    f = cupy.RawKernel(
        'extern "C" __global__ void add(const float* a, const float* b, float* c, int n) '
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }",
        "add",
    )
    a, b, c = (cupy.ones(n, cupy.float32) for _ in range(3))
    times = []
    for k in range(18):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        f(((n + 255) // 256,), (256,), (a, b, c, np.int32(n)))
        end.record()
        end.synchronize()
        if k > 2:
            times.append(cupy.cuda.get_elapsed_time(start, end))
    report("vector add 20 M float32, device time", ours_ms, "ms", statistics.median(times), "CuPy", "<= 1.03")


def driver_enqueue():
    """What the driver takes for the same, called from C; None without a compiler."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "driver_launch")
        subprocess.run([compiler, "-O2", "-o", made, pathlib.Path(__file__).with_name("driver_launch.cpp"), "-ldl"], check=True)
        return float(subprocess.run([made], capture_output=True, text=True, check=True).stdout)


def cupy_enqueue():
    try:
        import cupy
    except ImportError:
        return None
    f = cupy.RawKernel('extern "C" __global__ void f(float* a, float* b, float* c, int n) { if (threadIdx.x == 9999) a[0] = n; }', "f")
    x, n = cupy.zeros(16, cupy.float32), np.int32(5)
    for _ in range(500):
        f((1,), (32,), (x, x, x, n))
    cupy.cuda.Device().synchronize()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(10_000):
            f((1,), (32,), (x, x, x, n))
        times.append(1e2 * (time.perf_counter() - start))
        cupy.cuda.Device().synchronize()
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default=None)
    parser.add_argument("--out", default=None)
    options = parser.parse_args()
    device = quern.device(options.device)
    set_current_device(device)
    print(f"{device.info()['name']}, Python {platform.python_version()}, NumPy {np.__version__}\n")
    throughput(device)
    compile_times(device)
    start_times(device)
    enqueue(device)
    keep(options.out, "bench/spine.py", device)


if __name__ == "__main__":
    main()
