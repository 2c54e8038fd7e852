"""Kernels as plain Python (QUERN_PURE_PYTHON=1): the same results as compiled; errors name the thread; a debugger works in them."""

import bdb
import subprocess
import sys
import threading

import numpy as np
import pytest
from kernels import module_of
from programs import environment
from quern import cuda, errors
from quern.kernel import plain
from quern.kernel.records import DeviceRecords

KERNELS = """
TABLE = np.array([1.5, 2.5, 3.5])
@cuda.jit
def elementwise(x, out):
    i, step = cuda.grid(1), cuda.gridsize(1)
    for k in range(i, x.size, step):
        out[k] = helper(x[k], k) + TABLE[k % 3]
@cuda.jit(device=True)
def helper(a, k):
    return math.sqrt(a) * k if k % 2 else a
@cuda.jit
def two_dimensions(out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = 100 * cuda.blockIdx.x + 10 * cuda.threadIdx.y + cuda.blockDim.x + cuda.gridDim.y
@cuda.jit
def sums_of_blocks(x, out):
    own = cuda.shared.array(16, np.float64)
    other = cuda.shared.array(16, numba.float64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    own[t] = x[i]
    other[t] = 1
    half = 8
    while half:
        cuda.syncthreads()
        if t < half:
            own[t] += own[t + half]
            other[t] += other[t + half]
        half //= 2
    cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = own[0] + 1000 * other[0]
@cuda.jit
def dynamic(x, out):
    own = cuda.shared.array(0, np.int64)
    t = cuda.threadIdx.x
    own[t] = x[t]
    cuda.syncthreads()
    out[t] = own[own.size - 1 - t]
@cuda.jit
def atomics(counts, extremes, x):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(counts, int(x[i]) % 3, 1)
        cuda.atomic.max(extremes, 0, x[i])
        cuda.atomic.min(extremes, 1, x[i])
        cuda.atomic.cas(counts, 3, 0, 7)
        cuda.atomic.inc(counts, 4, 4)
@cuda.jit
def warps(x, out):
    t = cuda.threadIdx.x
    value = x[t]
    for k in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, k)
    out[0, t] = cuda.shfl_sync(0xFFFFFFFF, value, 0)
    out[1, t] = cuda.ballot_sync(0xFFFFFFFF, x[t] > 5)
    out[2, t] = cuda.any_sync(0xFFFFFFFF, x[t] == 5) + 2 * cuda.all_sync(0xFFFFFFFF, x[t] == 5)
    out[3, t] = cuda.laneid * 2 + cuda.warpsize
    out[4, t] = cuda.syncthreads_count(x[t] > 3) + 100 * cuda.syncthreads_or(x[t] > 100)
    out[5, t] = cuda.shfl_xor_sync(0xFFFFFFFF, x[t], 1) + cuda.shfl_up_sync(0xFFFFFFFF, x[t], 3)
    out[6, t] = cuda.popc(x[t]) + cuda.clz(x[t]) + cuda.ffs(x[t])
    cuda.syncwarp()
@cuda.jit
def leaves_early(x, out):
    t = cuda.threadIdx.x
    if t >= 5:
        return
    own = cuda.local.array(2, np.float64)
    own[0] = x[t]
    own[1] = 2 * x[t]
    cuda.syncthreads()
    out[t] = own[0] + own[1]
@cuda.jit
def whole_grid(m):
    column = cuda.grid(1)
    g = cuda.cg.this_grid()
    for row in range(1, m.shape[0]):
        m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
        g.sync()
@cuda.jit
def records(a, one, b=None):
    own = cuda.shared.array(8, a.dtype)
    i = cuda.grid(1)
    if i < a.size:
        a[i].x += one.x if b is None else b
        own[i].n = i
        a["n"][i] = own["n"][i]
        if i == 0:
            one.n += 1
"""


def numbers(n, seed=0):
    return np.random.default_rng(seed).integers(0, 40, n)


RECORDS = np.dtype([("x", np.float32), ("n", np.int64)])
CALLS = {
    "elementwise": (2, 8, lambda: (numbers(40).astype(float), np.zeros(40))),
    "two_dimensions": ((2, 3), (4, 2), lambda: (np.zeros((7, 6), np.int64),)),
    "sums_of_blocks": (3, 16, lambda: (numbers(48).astype(float), np.zeros(3))),
    "dynamic": (1, 12, lambda: (numbers(12), np.zeros(12))),
    "atomics": (2, 32, lambda: (np.zeros(5, np.uint32), np.array([-1.0, 99.0]), numbers(50).astype(float))),
    "warps": (1, 64, lambda: (numbers(64), np.zeros((7, 64), np.int64))),
    "leaves_early": (2, 16, lambda: (numbers(16).astype(float), np.zeros(16))),
    "whole_grid": (4, 8, lambda: (np.resize(np.arange(32), (6, 32)),)),
}


@pytest.fixture
def both(tmp_path, monkeypatch):
    """The kernels compiled, and as plain Python."""
    compiled = module_of(tmp_path, KERNELS)
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    return compiled, module_of(tmp_path, KERNELS)


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_the_compiled_kernel(device, both, name):
    grid, block, arguments = CALLS[name]
    results = []
    for module in both:
        given = arguments()
        getattr(module, name)[grid, block, 0, 96 if name == "dynamic" else 0](*given)
        results.append(given)
    assert isinstance(getattr(both[1], name), plain.PlainKernel) and not isinstance(getattr(both[0], name), plain.PlainKernel)
    for compiled, in_python in zip(*results, strict=True):
        assert compiled.dtype == in_python.dtype
        np.testing.assert_allclose(in_python, compiled, rtol=1e-15)


def test_arrays_of_the_device_get_their_values_back(device, both):
    x, out = cuda.to_device(np.arange(10.0)), cuda.device_array(10, np.float64)
    both[1].elementwise[1, 16](x, out)
    wanted = np.zeros(10)
    both[0].elementwise[1, 16](np.arange(10.0), wanted)
    np.testing.assert_allclose(out.copy_to_host(), wanted, rtol=1e-15)
    both[1].elementwise.forall(10)(cuda.In(np.arange(10.0)), cuda.Out(wanted))
    np.testing.assert_allclose(out.copy_to_host(), wanted, rtol=1e-15)


def test_records_and_none(device, both):
    results = []
    for module in both:
        host, made, one = np.zeros(5, RECORDS), DeviceRecords.of(np.zeros(5, RECORDS)), np.array([(1.5, 3)], RECORDS)
        for b in ((), (None,), (2.5,)):
            module.records[1, 8](host, one[0], *b)
            module.records[1, 8](made, one[0], *b)
        results.append(np.concatenate([host, made.copy_to_host(), one]))
    np.testing.assert_array_equal(*results)


def test_errors_name_the_thread(device, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    text = """
@cuda.jit
def kernel(x):
    x[cuda.grid(1)] = 1
@cuda.jit
def waits(x):
    i = cuda.grid(1)
    if i == 6:
        raise ValueError("no sixth")
    cuda.syncthreads()
    x[i] = 1
"""
    module = module_of(tmp_path, text)
    x = np.zeros(5)
    with pytest.raises(IndexError, match=r"\[kernel\] thread \(1, 0, 0\) of block \(1, 0, 0\): index 5 is out of bounds"):
        module.kernel[2, 4](x)
    assert (x == 1).all()
    with pytest.raises(ValueError, match=r"\[waits\] thread \(2, 0, 0\) of block \(1, 0, 0\): no sixth"):
        module.waits[2, 4](np.zeros(8))
    assert not [t for t in threading.enumerate() if t.name.startswith("waits")]


def test_threads_that_wait_for_ever_are_told(device, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    text = """
@cuda.jit
def kernel(x):
    if cuda.threadIdx.x == 0:
        cuda.syncthreads()
    else:
        cuda.syncwarp()
    x[0] = 1
"""
    with pytest.raises(errors.LogicError, match="wait for each other for ever, at a warp's function and syncthreads"):
        module_of(tmp_path, text).kernel[1, 4](np.zeros(1))


def test_where_threads_run(device, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    text = """
import threading
seen = []
@cuda.jit
def apart():
    seen.append(threading.current_thread())
@cuda.jit
def together():
    seen.append(threading.current_thread())
    wait()
@cuda.jit(device=True)
def wait():
    cuda.syncthreads()
"""
    module = module_of(tmp_path, text)
    module.apart[2, 3]()
    assert set(module.seen) == {threading.main_thread()} and len(module.seen) == 6
    module.seen.clear()
    module.together[2, 3]()
    assert len(set(module.seen)) == 6 and threading.main_thread() not in module.seen
    assert "block (1, 0, 0)" in module.seen[-1].name
    module.seen.clear()
    module.together[2, 1]()
    assert module.seen == [threading.main_thread()] * 2


def test_launches_that_cannot_be(both):
    kernel = both[1].elementwise
    for key in (1, (1,), (0, 1), (1, (1, 1, 1, 1)), (1, -1)):
        with pytest.raises(ValueError, match=r"\[launch\]"):
            kernel[key]
    with pytest.raises(TypeError, match=r"\[launch\]"):
        kernel["a", 1]
    with pytest.raises(errors.LogicError, match="1024 are the most"):
        kernel[1, 2000]
    with pytest.raises(ValueError, match="is launched with a grid"):
        kernel(1)
    with pytest.raises(RuntimeError, match="inside of a kernel only"):
        cuda.threadIdx.x  # noqa: B018
    with pytest.raises(RuntimeError, match="inside of a kernel only"):
        cuda.syncthreads()


def test_a_debugger_stops_in_a_kernel(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import numpy as np
from numba import cuda

@cuda.jit
def kernel(x):
    i = cuda.grid(1)
    if i == 2:
        breakpoint()
    x[i] = 10 * i

x = np.zeros(4)
kernel[2, 2](x)
print(x.tolist())
""")
    commands = "p 'i is', i, cuda.blockIdx.x\nnext\nc\n"
    command = [sys.executable, "-m", "quern", "run", str(program)]
    done = subprocess.run(command, input=commands, capture_output=True, text=True, timeout=300, env=environment(QUERN_PURE_PYTHON="1"))
    assert done.returncode == 0, done.stderr
    assert "('i is', 2, 1)" in done.stdout and "[0.0, 10.0, 20.0, 30.0]" in done.stdout


def test_what_plain_python_does_not_have(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    text = """
def hidden(): cuda.syncthreads()
waits = {"sync": cuda.syncthreads, "sin": cuda.libdevice.sin}
@cuda.jit
def kernel(x, which):
    waits["sin" if which else "sync"](*((1.0,) if which else ()))
@cuda.jit
def lanes(x):
    cuda.shfl_sync(0b10, x[0], 0)
@cuda.jit
def grid(x):
    cuda.cg.this_grid().sync()
"""
    module = module_of(tmp_path, text)
    x = np.zeros(4)
    with pytest.raises(errors.LogicError, match="a wait was not seen before the launch: name cuda.syncthreads"):
        module.kernel[1, 2](x, 0)
    with pytest.raises(RuntimeError, match=r"libdevice.sin\] this has no meaning in plain Python"):
        module.kernel[1, 1](x, 1)
    with pytest.raises(errors.LogicError, match="this thread, lane 0, is not in the mask 0x2 that it gives"):
        module.lanes[1, 2](x)
    with pytest.raises(errors.LogicError, match="threads would run at once in plain Python; .* are the most"):
        module.grid[plain.MOST_TOGETHER, 2](x)
    with pytest.raises(ValueError, match="are from 0 up, not -1 and 0"):
        module.grid.forall(-1)


def test_leaving_the_debugger_leaves_the_program(tmp_path, monkeypatch):
    """What pdb raises at `q` goes through, as it is."""
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    module = module_of(tmp_path, "import bdb\n@cuda.jit\ndef kernel(x):\n    raise bdb.BdbQuit\n")
    with pytest.raises(bdb.BdbQuit):
        module.kernel[1, 1](np.zeros(1))
