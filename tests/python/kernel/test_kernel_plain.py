"""Kernels as plain Python (QUERN_PURE_PYTHON=1): the same results as compiled; errors name the thread; a debugger works in them."""

import bdb
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
from kernels import module_of
from programs import environment
from quern import cuda, errors
from quern.kernel import plain
from quern.kernel.library import bfloat, half

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
LEVEL = 3
@cuda.jit(device=True)
def lowered(a, b):
    return a ** -b
def made_powers(offset):
    @cuda.jit
    def powers(signed, natural, exponents, out, naturals, reals):
        i = cuda.grid(1)
        a, b = signed[i % signed.size], exponents[i % exponents.size]
        out[0, i] = a ** b
        out[1, i] = lowered(a, b)
        out[2, i] = pow(natural[i % natural.size], b) + offset
        out[3, i] = operator.pow(a, natural[i % natural.size])
        a **= b
        out[4, i] = a
        out[5, i] = LEVEL ** -1 + LEVEL ** 2
        naturals[i] = natural[i % natural.size] ** natural[i * 7 % natural.size]
        reals[0, i] = 4 ** -1 + 0.5 ** b
        reals[1, i] = natural[i % natural.size] ** 0.5
    return powers
powers = made_powers(offset=10)
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
    "powers": (9, 14, lambda: (
        np.array([0, 1, -1, 2, -2, 3, -7, 2**62, -(2**63)]), np.array([0, 1, 2, 3, 10, 2**63, 2**64 - 1, 70000], np.uint64),
        np.array([0, 1, -1, 2, -2, 3, -3, 62, 64, 65537, 70000, -70001, 2**62, -(2**63)]),
        np.zeros((6, 126), np.int64), np.zeros(126, np.uint64), np.zeros((2, 126)))),
    "whole_grid": (4, 8, lambda: (np.resize(np.arange(32), (6, 32)),)),
}  # fmt: skip


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
        host, made, one = np.zeros(5, RECORDS), cuda.to_device(np.zeros(5, RECORDS)), np.array([(1.5, 3)], RECORDS)
        for b in ((), (None,), (2.5,)):
            module.records[1, 8](host, one[0], *b)
            module.records[1, 8](made, one[0], *b)
        results.append(np.concatenate([host, made.copy_to_host(), one]))
    np.testing.assert_array_equal(*results)


def test_functions_of_short_floats(device, tmp_path, monkeypatch):
    """Every function of cuda.fp16 and cuda.bf16, and cuda.fma and related functions: bit by bit what the compiled kernel gives."""
    edges = [0.0, -0.0, 1.0, -1.0, 0.3, 2.5, -2.75, 100.7, 1e-7, 65504.0, -3e38, np.inf, -np.inf, np.nan]
    integers = [0, 1, -1, 100, 257, 32767, -32768, 2**31 - 1, -(2**31), 2**53 + 1, 2**62 + 1, -(2**63)]
    reals = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64}
    with np.errstate(over="ignore"):
        x = {name: np.resize(np.array(edges).astype(t), 21) for name, t in reals.items()}
    x |= {f"{s}int{n}": np.resize(np.array(integers), 21).astype(f"{s}int{n}") for s in ("", "u") for n in (8, 16, 32, 64)}
    calls = [("libdevice.fma_rd", "float64", ("float64",) * 3), ("cbrt", "float64", ("float64",)), ("fma", "float32", ("float32",) * 3)]
    calls += [(name, "uint64", (t,)) for name in ("popc", "brev", "clz", "ffs") for t in ("int32", "uint32", "int64", "uint64")]
    for module, table in (("fp16", half.TABLE), ("bf16", bfloat.TABLE)):
        for returned, takes, _, names in table:
            takes = ("float16",) * takes if isinstance(takes, int) else takes
            calls += [(f"{module}.{name}", returned, takes) for name in names.replace("=", " ").split()]
    assert len({name for name, _, _ in calls}) > 200
    lines = [f"@cuda.jit\ndef kernel(x, {', '.join(x)}, out, int64s, uint64s):", "    i = cuda.grid(1)", "    if i < x.size:"]
    for k, (name, returned, takes) in enumerate(calls):
        given = ", ".join(f"{t}[(i * {j + 1} + {j}) % x.size]" for j, t in enumerate(takes))
        lines.append(f"        {f'{returned}s' if 'int64' in returned else 'out'}[{k}, i] = cuda.{name}({given})")
    results = []
    for mode in "01":
        monkeypatch.setenv("QUERN_PURE_PYTHON", mode)
        outs = [np.zeros((len(calls), 21), t) for t in (np.float64, np.int64, np.uint64)]
        module_of(tmp_path, "\n".join(lines) + "\n").kernel[1, 32](np.zeros(21), *x.values(), *outs)
        results.append(outs)
    for k, (name, *_) in enumerate(calls):
        compiled, in_python = ([out[k] for out in outs] for outs in results)
        np.testing.assert_array_equal(in_python[1:], compiled[1:], name)
        if device.kind == "cpu":
            np.testing.assert_array_equal(in_python[0], compiled[0], name)
            number = compiled[0] == compiled[0]
            np.testing.assert_array_equal(np.signbit(in_python[0][number]), np.signbit(compiled[0][number]), name)
        else:
            np.testing.assert_allclose(in_python[0], compiled[0], 2**-7, 2**-24, err_msg=name)


def test_functions_of_numbers_take_what_compiled_ones_do(device, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    text = """
@cuda.jit
def kernel(z, out):
    out[0] = cuda.fp16.hneg(z)
@cuda.jit
def many(z, out):
    out[0] = cuda.fp16.hadd(z)
@cuda.jit
def several(x, out):
    out[0], out[1] = cuda.libdevice.sincos(x)
"""
    module, out = module_of(tmp_path, text), np.zeros(2)
    for kernel in (module.kernel, module.many):
        with pytest.raises(TypeError, match="does not take"):
            kernel[1, 1](1j, out)
    module.several[1, 1](0.5, out)
    np.testing.assert_allclose(out, [np.sin(0.5), np.cos(0.5)])


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


def test_kernels_with_powers_keep_their_lines(device, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    text = """
def made(power):
    @cuda.jit
    def kernel(x: "an array", least=2) -> None:
        x[0] = x[0] ** power + least
        x[1] = x[9]
    return kernel
"""
    module = module_of(tmp_path, text)
    x = np.array([2, 3])
    with pytest.raises(IndexError) as told:
        module.made(3)[1, 1](x)
    assert x.tolist() == [10, 3]
    last = told.value.__cause__.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    assert last.tb_frame.f_code.co_filename == module.__file__ and last.tb_lineno == 9
    assert last.tb_frame.f_locals["least"] == 2


def test_threads_that_wait_for_ever_are_reported(device, tmp_path, monkeypatch):
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
    with pytest.raises(errors.LogicError, match="wait for each other at a warp's function and syncthreads"):
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
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        kernel(1)
    with pytest.raises(RuntimeError, match="available only inside a kernel"):
        cuda.threadIdx.x  # noqa: B018
    with pytest.raises(RuntimeError, match="available only inside a kernel"):
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
waits = {"sync": cuda.syncthreads}
@cuda.jit
def kernel(x):
    waits["sync"]()
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
        module.kernel[1, 2](x)
    with pytest.raises(errors.LogicError, match="this thread, lane 0, is not in the mask 0x2 that it gives"):
        module.lanes[1, 2](x)
    with pytest.raises(errors.LogicError, match="threads would run at once in plain Python; .* are the most"):
        module.grid[plain.MOST_TOGETHER, 2](x)
    with pytest.raises(ValueError, match="negative task count: -1"):
        module.grid.forall(-1)


def test_leaving_the_debugger_leaves_the_program(tmp_path, monkeypatch):
    """What pdb raises at `q` goes through, as it is."""
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")
    module = module_of(tmp_path, "import bdb\n@cuda.jit\ndef kernel(x):\n    raise bdb.BdbQuit\n")
    with pytest.raises(bdb.BdbQuit):
        module.kernel[1, 1](np.zeros(1))
