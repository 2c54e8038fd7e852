"""Threads, fork and exit."""

import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from programs import code, python, quern, stand_in
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

SETUP = """
import os, sys, threading
import numpy as np
import quern
from quern.device import set_current_device
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule
device = quern.device(DEVICE)
set_current_device(device)
f = SourceModule("__global__ void f(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }"
                 "__global__ void slow(int* x, int n) { int v = x[0]; for (int i = 0; i < n; ++i) v = v * 3 + 1; x[threadIdx.x] = v; }"
                 "__global__ void bad(int* x) { *x = 1; }")
add, slow, bad = (f.get_function(n) for n in ("f", "slow", "bad"))
def works(n=100000):
    x = drv.to_device(np.zeros(n, np.int32))
    for _ in range(5):
        add(x, np.int32(n), block=(256, 1, 1), grid=((n + 255) // 256, 1))
    assert (drv.from_device(x, n, np.int32) == 5).all()
"""


def run(device, text, **named):
    return code(SETUP.replace("DEVICE", repr(device.name)) + text, **named)


def test_many_threads_launch_and_free_at_random(device):
    from quern.device import set_current_device

    problems = []

    def work(seed):
        try:
            set_current_device(device)
            random = np.random.default_rng(seed)
            f = SourceModule(
                "__global__ void f(int* x, int v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += v; }"
            ).get_function("f")
            live = []
            stream = drv.Stream()
            for _ in range(150):
                action = random.integers(4)
                if action == 0 or not live:
                    n = int(random.integers(1, 50_000))
                    live.append((drv.to_device(np.zeros(n, np.int32)), np.zeros(n, np.int32)))
                elif action == 1:
                    live.pop(int(random.integers(len(live))))
                elif action == 2:
                    memory, host = live[int(random.integers(len(live)))]
                    value = int(random.integers(100))
                    host += value
                    f(memory, np.int32(value), np.int32(host.size), block=(128, 1, 1), grid=((host.size + 127) // 128, 1), stream=stream)
                else:
                    memory, host = live[int(random.integers(len(live)))]
                    stream.synchronize()
                    if not np.array_equal(drv.from_device_like(memory, host), host):
                        problems.append(f"thread {seed}: wrong values")
        except Exception as e:
            problems.append(f"thread {seed}: {e!r}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems, problems


def test_memory_is_not_reused_while_it_is_in_use(device):
    slow = SourceModule(
        "__global__ void slow(int* x, int n, int rounds) { int i = blockIdx.x * blockDim.x + threadIdx.x; int v = 0;"
        " for (int k = 0; k < rounds; ++k) v = v * 3 + k; if (i < n) x[i] = v; }"
    ).get_function("slow")
    n = 4096
    first, second = drv.Stream(1), drv.Stream(1)
    for _ in range(30):
        x = drv.mem_alloc(4 * n)
        slow(x, np.int32(n), np.int32(20_000), block=(256, 1, 1), grid=(n // 256, 1), stream=first)
        x.free()
        y = drv.mem_alloc(4 * n)
        drv.memset_d32_async(y, 7, n, second)
        second.synchronize()
        first.synchronize()
        assert (drv.from_device(y, n, np.int32) == 7).all()
        y.free()


def test_exit_with_work_pending(device):
    done = run(device, "x = drv.mem_alloc(4096)\nfor _ in range(50): slow(x, np.int32(200000), block=(1, 1, 1), stream=drv.Stream())\n")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_exit_from_a_thread_while_others_wait(device):
    done = run(
        device,
        "x = drv.mem_alloc(4096)\n"
        "def wait():\n    set_current_device(device)\n    slow(x, np.int32(3000000), block=(1, 1, 1))\n    drv.Context.synchronize()\n"
        "t = threading.Thread(target=wait, daemon=True); t.start()\n",
    )
    assert done.returncode == 0, done.stderr


def test_objects_that_outlive_the_engine(device):
    done = run(
        device,
        "import atexit\nkeep = drv.mem_alloc(100)\nstream = drv.Stream()\nsys.modules['keep_for_ever'] = (keep, stream, f)\nworks()\n",
    )
    assert done.returncode == 0, done.stderr


def test_exit_after_a_fault_nobody_waited_for(device):
    done = run(device, "bad(np.intp(4096), block=(1, 1, 1))\n")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


LATE = """
import atexit, sys
atexit.register(lambda: print("late", x.sum(), qn.asnumpy(y)[:2].tolist(), (x * 3)[:2].tolist(), float(qn.sort(qn.arange(5.0))[4])))
import quern as qn
x = qn.ones(1000) * 2
y = x + 1
class Last:
    def __init__(self): self.kept = qn.arange(4.0) + 1
    def __del__(self): print("deleted", self.kept.tolist(), (self.kept * 2).tolist())
last = Last()
sys.modules["kept_for_ever"] = Last()
"""


def test_values_that_finalizers_read(device):
    """In handlers that were registered before quern was imported, and while the interpreter takes its modules down."""
    done = code(LATE, QUERN_DEVICE=device.name)
    assert done.returncode == 0, done.stderr
    deleted = "deleted [1.0, 2.0, 3.0, 4.0] [2.0, 4.0, 6.0, 8.0]"
    assert done.stdout.splitlines() == ["late 2000.0 [3.0, 3.0] [6.0, 6.0] 4.0", deleted, deleted] and done.stderr == ""


@pytest.mark.parametrize("work", ["float((x * 1.0001 + 1).sum())", "x = x + 1; qn.synchronize()", "qn.asnumpy(qn.sort(x))", "str(x)"])
def test_daemon_threads_that_compute_at_the_end(device, work):
    text = (
        "import threading, time\nimport quern as qn\n"
        f"def go():\n    x = qn.ones(1000)\n    while True: {work}\n"
        "for _ in range(3): threading.Thread(target=go, daemon=True).start()\n"
        "time.sleep(0.2)\nprint('end')\n"
    )
    for _ in range(3):
        done = code(text, QUERN_DEVICE=device.name)
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_the_package_is_imported_again():
    done = code(
        "import sys, quern\n"
        "x = quern.ones(3)\n"
        "del sys.modules['quern']\n"
        "import quern as again\n"
        "print(again.ones(3).sum(), x.sum())\n"
        "for name in [n for n in sys.modules if n.partition('.')[0] == 'quern']: del sys.modules[name]\n"
        "import quern as third\n"
        "print(third.ones(3).sum(), float((x + 1).sum()))\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "3.0 3.0\n3.0 6.0\n", "")


STREAMS = {
    "cupy": "from quern import cupy as cp\nx = cp.ones(8)\nk = cp.RawKernel(TEXT, 'k')\n"
    "def use():\n    s = cp.cuda.Stream(non_blocking=True)\n    k((1,), (1,), (x,), stream=s)\n    s.synchronize()\n",
    "pycuda": "from quern.pycuda import driver as drv\nfrom quern.pycuda.compiler import SourceModule\nimport quern.pycuda.autoinit\n"
    "x = drv.mem_alloc(64); k = SourceModule(TEXT, no_extern_c=True).get_function('k')\n"
    "def use():\n    s = drv.Stream()\n    k(x, block=(1, 1, 1), stream=s)\n    s.synchronize()\n",
    "numba": "from quern import cuda\nx = cuda.device_array(8)\n@cuda.jit\ndef k(x): x[0] += 1\n"
    "def use():\n    s = cuda.stream()\n    k[1, 1, s](x)\n    s.synchronize()\n",
}


@pytest.mark.parametrize("front_end", STREAMS)
def test_streams_give_back_what_they_took(front_end, tmp_path):
    """Many streams, one after the other, that used the same memory: none of them leaves a thread of the system's behind."""
    (tmp_path / "program.py").write_text(
        "import os, time\nTEXT = 'extern \"C\" __global__ void k(double* x) { x[0] += 1; }'\n"
        + STREAMS[front_end] + "use()\nbefore = len(os.listdir('/proc/self/task'))\n"
        "for _ in range(100): use()\n"
        "time.sleep(0.1)\nprint(len(os.listdir('/proc/self/task')) - before)\n"
    )
    done = quern("run", tmp_path / "program.py", QUERN_DEVICE="cpu")
    assert done.returncode == 0 and int(done.stdout) < 15, done.stdout + done.stderr


BROKEN_HEAP = """
import ctypes
import quern
quern.RawKernel('extern "C" __global__ void f(float* a) { a[0] = 1; }', "f").compile()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
for _ in range(1000):
    ctypes.memset(libc.malloc(2000), 0xFF, 2200)
    libc.malloc(100_000)
"""


def test_an_abort_in_malloc_ends_the_process():
    """The compiler's handlers of signals must not ask for memory then."""
    assert code(BROKEN_HEAP, timeout=60, QUERN_DEVICE="cpu").returncode < 0


def test_fork_on_the_cpu(device):
    if device.kind != "cpu":
        pytest.skip("for GPUs see below")
    done = run(
        device,
        """
works()
x = drv.mem_alloc(4096)
slow(x, np.int32(1000000), block=(1, 1, 1))
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        works()
        stream = drv.Stream()
        slow(x, np.int32(1000), block=(1, 1, 1), stream=stream)
        stream.synchronize()
        os._exit(17)
    works()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 17
import multiprocessing
def child(q):
    works(); q.put("fine")
context = multiprocessing.get_context("fork")
q = context.Queue()
p = context.Process(target=child, args=(q,)); p.start()
assert q.get(timeout=60) == "fine"
p.join()
""",
    )
    assert done.returncode == 0, done.stderr


def test_fork_on_a_gpu_is_one_clear_error(device):
    if device.kind != "cuda":
        pytest.skip("the CPU goes on working in the child")
    done = run(
        device,
        """
works()
pid = os.fork()
if pid == 0:
    try:
        drv.mem_alloc(100)
    except Exception as e:
        print(type(e).__name__, e, flush=True)
        os._exit(17)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 17
works()
""",
    )
    assert done.returncode == 0, done.stderr
    assert "fork" in done.stdout


def test_fork_before_any_use(device):
    done = code(
        "import os\nimport quern\npid = os.fork()\n"
        + "if pid == 0:\n"
        + "".join(
            "    " + line + "\n" for line in (SETUP.replace("DEVICE", repr(device.name)) + "works()\nos._exit(17)").strip().splitlines()
        )
        + "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 17\n"
    )
    assert done.returncode == 0, done.stderr


def test_an_illegal_access_on_a_gpu(device):
    if device.kind != "cuda":
        pytest.skip("see test_trouble.py for the CPU")
    done = run(
        device,
        """
works()
bad(np.intp(4096), block=(1, 1, 1))   # line 24
for _ in range(2):
    try:
        drv.Context.synchronize()
    except drv.LaunchError as e:
        print(e)
try:
    drv.mem_alloc(100); works()
except drv.LaunchError as e:
    print(e)
""",
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and all("bad" in line and "<string>:" in line for line in lines), lines


@pytest.mark.parametrize(
    "body, says, printed",
    [
        ("assert(n > 0);", "assert", "Assertion `n > 0` failed"),
        ("if (n <= 0) __trap();", "launch failure|illegal instruction", ""),
    ],
)
def test_a_kernel_that_stops_itself_on_a_gpu(device, body, says, printed):
    if device.kind != "cuda":
        pytest.skip("see test_trouble.py for the CPU")
    done = run(
        device,
        """
stops = SourceModule("__global__ void stops(int n) { BODY }").get_function("stops")
stops(np.int32(1), block=(2, 1, 1))
drv.Context.synchronize()
stops(np.int32(0), block=(2, 1, 1))
for _ in range(2):
    try:
        drv.Context.synchronize()
    except drv.LaunchError as e:
        print(e)
""".replace("BODY", body),
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and all("stops" in line and "<string>:" in line and re.search(says, line) for line in lines), lines
    assert printed in done.stderr  # by the driver


def test_ctrl_c_while_waiting(device):
    done = run(
        device,
        """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is started with the signal ignored
x = drv.mem_alloc(4096)
works()
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    slow(x, np.int32(2000000000 if device.kind == "cuda" else 400000000), block=(1, 1, 1))
    drv.Context.synchronize()
    time.sleep(0.5)
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "interrupted"


def test_a_callback_in_a_stream(device):
    calls = []
    stream = drv.Stream()
    stream.add_callback(lambda: calls.append(threading.get_ident()))
    stream.synchronize()
    device.synchronize()
    assert len(calls) == 1


def test_the_queue_may_be_full(device):
    f = SourceModule("__global__ void f(int* x) { x[0] += 1; }").get_function("f")
    x = drv.to_device(np.zeros(1, np.int32))
    stream = drv.Stream()
    done = []
    for i in range(5000):
        f(x, block=(1, 1, 1), stream=stream)
        if i % 1000 == 0:
            stream.add_callback(lambda: done.append(1))
    stream.synchronize()
    assert drv.from_device(x, 1, np.int32)[0] == 5000 and len(done) == 5
    assert os.getpid()


CHILDREN = """
import concurrent.futures, multiprocessing
import cupy as cp
from numba import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def work(n):
    x = cp.arange(n)
    double[1, 64](x)
    return int(x.sum())


if __name__ == "__main__":
    for way in ("spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(2) as pool:
            print(way, pool.map(work, [10, 20]))
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        print(pool.submit(work, 5).result())
"""


def test_front_ends_are_set_up_in_the_processes_of_a_program(device, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(CHILDREN)
    done = quern("run", path, QUERN_DEVICE=device.name, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "spawn [90, 380]\nforkserver [90, 380]\n20\n"


def test_a_program_without_processes_does_not_import_multiprocessing(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import cupy, sys\nprint('multiprocessing.spawn' in sys.modules)\n")
    assert quern("run", path).stdout == "False\n"


# With the function that it calls, the last name of a stream goes: not while the stream is busy with that.
STREAMS_THAT_GO = """
import time
from quern import cupy as cp

told = []
for k in range(50):
    stream = cp.cuda.Stream()
    stream.add_callback(lambda stream, error, n: told.append(n), k)
    del stream
    if k % 2:
        (cp.arange(5000.0) * k).sum().get()
while len(told) < 50:
    time.sleep(0.001)
print(sorted(told) == list(range(50)))
"""


def test_a_stream_may_go_with_the_function_that_it_calls(device):
    done = code(STREAMS_THAT_GO, QUERN_DEVICE=device.name, timeout=60)
    assert done.stdout.split() == ["True"], done.stderr


def test_driver_calls_do_not_keep_functions_from_python(tmp_path):
    """Loading a module, allocating and launching may wait in the driver for a function that a stream calls, and that waits for Python."""
    driver = stand_in()
    if driver is None:
        pytest.skip("the tests' own driver is not built (ninja -C build/develop)")
    program = STREAMS_THAT_GO.replace("range(50)", "range(12)").replace("len(told) < 50", "len(told) < 12").replace("5000.0", "(5000.0 + k)")
    toolkit = os.path.join(os.path.dirname(driver), "fake_toolkit")
    named = {"QUERN_CUDA_DRIVER": driver, "CUDA_HOME": toolkit, "FAKE_CUDA_HOST_THREAD": 1, "QUERN_CACHE_DIR": tmp_path}
    done = python("-c", program, QUERN_DEVICE="cuda", timeout=100, **named)
    assert done.stdout.split() == ["True"], done.stderr


def test_import_loads_only_what_arrays_need():
    """The profiler, the checker, random numbers and transforms are loaded when they are asked for, in any of Python's ways."""
    late = "quern.tools.profile quern.tools.check quern.tools.measure quern.arrays.random quern.arrays.fft numpy.random numpy.fft html json statistics".split()
    names = "profile Profile check bench Timing explain fft random SourceModule".split()
    program = f"""
import sys, numpy, quern
assert not [name for name in {late} if name in sys.modules], sys.modules.keys() & set({late})
assert set({names}) <= set(dir(quern)) & set(quern.__all__)
import quern.random, quern.fft
from quern.random import default_rng
from quern import check, profile, fft
assert quern.random is sys.modules["quern.random"] is sys.modules["quern.arrays.random"] and fft is quern.fft is sys.modules["quern.arrays.fft"]
assert quern.profile is quern.tools.profile.profile is profile and quern.check is sys.modules["quern.tools.check"].check is check
assert quern.fft.fft([1, 2]).shape == default_rng(1).random(2).shape == (2,)
assert all(hasattr(quern, name) for name in {names})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
