"""cupyx.jit: kernels written in Python by CuPy's names and rules."""

import math
import warnings

import numpy as np
import pytest
from quern import cupy as cp
from quern.cupyx import jit
from quern.kernel import signatures
from quern.kernel.cupy_rules import RULES
from quern.kernel.errors import KernelError
from quern.kernel.program import Program

FACTOR = 3


@jit.rawkernel()
def copied(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


def typed(function, *args, mode="cuda"):
    """The type that a function of these numbers returns in a kernel."""
    kernel = jit.rawkernel(mode=mode)(function)
    parameters = tuple(signatures.typeof(kernel._argument(a)) for a in args)
    return str(Program(function, parameters, False, rules=RULES[mode]).kernel.result)


def test_launches(device):
    x = cp.arange(1000, dtype=cp.float32)
    for launch in (
        lambda y: copied((4,), (64,), (x, y, cp.uint32(1000))),
        lambda y: copied[4, 64](x, y, 1000),
        lambda y: copied[(4, 1), (64, 1, 1)](x, y, np.int64(1000)),
        lambda y: copied(grid=(2,), block=(32,), args=(x, y, 1000), shared_mem=16, stream=cp.cuda.Stream(non_blocking=True)),
        lambda y: copied[2, 32](x, y, 1000, shared_mem=0, stream=None),
    ):
        y = cp.zeros_like(x)
        launch(y)
        cp.cuda.Device().synchronize()
        np.testing.assert_array_equal(y.get(), x.get())


def test_arrays_of_any_layout(device):
    @jit.rawkernel()
    def transposed(x, y):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[j, i] = x[i, j] * x.ndim + len(x) - x.size

    host = np.arange(48.0).reshape(6, 8)
    for x in (cp.asarray(host), cp.asarray(host)[::2, 1::3], cp.asfortranarray(cp.asarray(host)), cp.asarray(host)[::-1].T):
        y = cp.zeros(x.shape[::-1])
        transposed[(2, 2), (8, 8)](x, y)
        np.testing.assert_array_equal(y.get(), x.get().T * 2 + len(x) - x.size)


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (lambda: 1, (), "int32"),
        (lambda: 2**40, (), "int64"),
        (lambda: 0.5, (), "float32"),
        (lambda: 1j, (), "complex64"),
        (lambda x: x, (1,), "int32"),
        (lambda x: x, (1.5,), "float32"),
        (lambda x: x, (2j,), "complex64"),
        (lambda x: x, (True,), "bool"),
        (lambda x: x + 1, (np.int8(1),), "int32"),
        (lambda x, y: x + y, (np.int8(1), np.int8(1)), "int8"),
        (lambda x: x * 2.0, (np.float64(1),), "float64"),
        (lambda x: x * 2.0, (np.float32(1),), "float32"),
        (lambda x: x * 2.0, (np.int64(1),), "float32"),
        (lambda x, y: x + y, (np.int32(1), np.uint32(1)), "uint32"),
        (lambda x, y: x * y, (np.uint32(1), np.int64(1)), "int64"),
        (lambda x, y: x * y, (np.uint64(1), np.int64(1)), "uint64"),
        (lambda x, y: x - y, (np.int64(1), np.float32(1)), "float32"),
        (lambda x, y: x - y, (np.float64(1), np.complex64(1)), "complex64"),
        (lambda x, y: x / y, (np.int32(1), np.int32(2)), "float64"),
        (lambda x, y: x / y, (np.int8(1), np.int8(2)), "float32"),
        (lambda x, y: x // y, (np.int32(1), np.int32(2)), "int32"),
        (lambda x: x**2, (np.float32(1),), "float32"),
        (lambda x: -x, (np.int8(1),), "int8"),
        (lambda x: ~x, (np.uint16(1),), "uint16"),
        (lambda x: x << 1, (np.uint8(1),), "int32"),
        (lambda x, y: x < y, (np.int32(1), 2.0), "bool"),
        (lambda x, y: x and y, (np.int32(1), 2), "bool"),
        (lambda x: x if x > 0 else 0, (np.float64(1),), "float64"),
        (lambda x: 0 if x > 0 else x, (np.int8(1),), "int8"),
        (lambda x: x if x > 0 else 0.5, (np.int64(1),), "int64"),
        (lambda x: cp.where(x > 0, x, 0.5), (np.int64(1),), "float32"),
        (lambda x: 2 if x > 0 else 1, (np.int64(1),), "int32"),
        (lambda x: (x if x > 0 else True), (np.bool_(1),), "bool"),
        (lambda x, y: x > 0 and (x if x > y else 0), (np.float32(1), np.float64(1)), "bool"),
        (lambda x, y: not x or 1.5, (np.int32(1), 2), "bool"),
        (lambda x: min(x, 2), (np.uint8(1),), "int32"),
        (lambda x: cp.sqrt(x), (np.float32(1),), "float32"),
        (lambda x: cp.sqrt(x), (np.int32(1),), "float64"),
        (lambda x: cp.sqrt(x), (np.int8(1),), "float32"),
        (lambda x: cp.abs(x), (np.complex64(1),), "float32"),
        (lambda x: cp.float64(x), (1,), "float64"),
        (lambda: jit.threadIdx.x, (), "uint32"),
        (lambda: jit.threadIdx.x - 1, (), "uint32"),
        (lambda: jit.grid(1), (), "uint32"),
        (lambda: jit.gridsize(2), (), "UniTuple(uint32 x 2)"),
        (lambda: jit.laneid() + jit.warpsize, (), "uint32"),
    ],
)
def test_types_of_mode_cuda(function, args, expected):
    assert typed(function, *args) == expected


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (lambda: 0.5, (), "float64"),
        (lambda x: x, (1,), "int64"),
        (lambda x: x * 2.0, (np.float32(1),), "float32"),
        (lambda x, y: x + y, (np.int32(1), np.uint32(1)), "int64"),
        (lambda x, y: x - y, (np.int64(1), np.float32(1)), "float64"),
        (lambda x, y: x / y, (np.int8(1), np.int8(2)), "float64"),
        (lambda x: cp.sqrt(x), (np.int8(1),), "float16"),
        (lambda x: x if x > 0 else 0.5, (np.int64(1),), "int64"),
        (lambda x: x if x > 0 else 0.5, (np.float32(1),), "float32"),
        (lambda x: x if x > 0 else 1, (np.int8(1),), "int8"),
        (lambda x, y: x and y, (np.float32(1), np.int8(2)), "bool"),
        (lambda x: x or 1, (np.int8(1),), "bool"),
        (lambda: jit.threadIdx.x + 1, (), "uint32"),
    ],
)
def test_types_of_mode_numpy(function, args, expected):
    assert typed(function, *args, mode="numpy") == expected


def test_integers_wrap_as_in_c(device):
    @jit.rawkernel()
    def kernel(out, small, n):
        i = jit.threadIdx.x
        if i - 1 > i:  # of thread 0 alone
            out[0] = i - 1
        out[1] = n * n
        small[0] = small[1] + small[2]
        out[2] = -7 // n * 0 - 7 // FACTOR
        out[3] = n % -100

    out, small = cp.zeros(4, "q"), cp.asarray([0, 100, 100], "b")
    kernel[1, 4](out, small, 70001)
    wrapped = int(np.array(70001, "i") * np.array(70001, "i"))
    assert out.get().tolist() == [2**32 - 1, wrapped, -7 // 70001 * 0 - 2, 70001 % -100] and small.get().tolist() == [-56, 100, 100]


def test_a_variable_keeps_its_first_type(device):
    @jit.rawkernel()
    def kernel(x, out):
        s = 0.0
        for i in range(x.size):
            s += x[i]
        out[0] = s

    x, out = cp.asarray([1.0, 1e-9, 2.0]), cp.zeros(1)
    kernel[1, 1](x, out)
    assert out.get()[0] == 3.0  # float32

    @jit.rawkernel()
    def bad(x, out):
        s = 0
        for i in range(x.size):
            s += x[i]
        out[0] = s

    with pytest.raises(TypeError, match="Cannot cast from 'float64' to 'int32' with casting rule same_kind"):
        bad[1, 1](x, out)

    @jit.rawkernel()
    def stored(x, out):
        out[0] = x[0]

    with pytest.raises(TypeError, match="Cannot cast from 'float64' to 'int32'"):
        stored[1, 1](x, cp.zeros(1, "i"))
    stored[1, 1](cp.ones(1, "f"), out)
    stored[1, 1](cp.ones(1, "L"), cp.zeros(1, "i"))
    assert out.get()[0] == 1.0


def test_shared_memory(device):
    @jit.rawkernel()
    def total(x, y, size):
        tid = jit.threadIdx.x
        value = cp.float32(0)
        for i in range(tid, size, jit.blockDim.x):
            value += x[i]
        smem = jit.shared_memory(cp.float32, 1024, alignment=16)
        smem[tid] = value
        jit.syncthreads()
        if tid == cp.uint32(0):
            value = cp.float32(0)
            for i in range(jit.blockDim.x):
                value += smem[i]
            y[0] = value

    @jit.rawkernel()
    def reversed_(x):
        smem = jit.shared_memory(x.dtype, None)
        i = jit.threadIdx.x
        smem[i] = x[i]
        jit.syncthreads()
        x[i] = smem[jit.blockDim.x - i - 1]

    x, y = cp.arange(3000, dtype="f") % 7, cp.zeros(1, "f")
    total((1,), (128,), (x, y, x.size))
    assert float(y[0]) == float(x.sum())
    x = cp.arange(64)
    reversed_((1,), (64,), (x,), shared_mem=64 * 8)
    assert x.get().tolist() == list(range(63, -1, -1))
    with pytest.raises(Exception, match="dynamic shared memory"):
        reversed_((1,), (64,), (x,))


def test_atomics(device):
    @jit.rawkernel()
    def kernel(a, f, m):
        i = jit.grid(1)
        jit.atomic_add(a, 0, 1)
        jit.atomic_sub(a, 1, 1)
        jit.atomic_max(a, 2, i)
        jit.atomic_min(a, 3, i)
        jit.atomic_exch(a, 4, 7)
        jit.atomic_inc(a, 5, 9)
        jit.atomic_dec(a, 6, 4)
        jit.atomic_cas(a, 7, 0, 5)
        jit.atomic_and(a, 8, ~(1 << (i % 8)))
        jit.atomic_or(a, 9, 1 << (i % 8))
        jit.atomic_xor(a, index=10, value=1)
        jit.atomic_add(f, i % f.size, 0.5)
        old = jit.atomic_add(m, (0, 1), 1.0)
        if old == 0:
            jit.atomic_exch(m, (1, 0), old + 3)

    a, f, m = cp.asarray([0, 500, 0, 90, 0, 0, 0, 0, 0xFF, 0, 1], "I"), cp.zeros(4, "f"), cp.zeros((2, 2))
    kernel[2, 32](a, f, m)
    assert a.get().tolist() == [64, 436, 63, 0, 7, 64 % 10, (5 - 64 % 5) % 5, 5, 0, 0xFF, 1]
    assert f.get().tolist() == [8.0] * 4 and m.get().tolist() == [[0, 64], [3, 0]]
    for text, match in (("a, 0, 1, 2", "no alt_value"), ("a, 0", "takes"), ("x, 0, 1", "array is needed")):
        with pytest.raises(TypeError, match=match):
            _KERNELS[text][1, 1](cp.zeros(1, "i"), 1)


@jit.rawkernel()
def _too_many(a, x):
    jit.atomic_add(a, 0, 1, 2)


@jit.rawkernel()
def _too_few(a, x):
    jit.atomic_add(a, 0)


@jit.rawkernel()
def _of_a_number(a, x):
    jit.atomic_add(x, 0, 1)


_KERNELS = {"a, 0, 1, 2": _too_many, "a, 0": _too_few, "x, 0, 1": _of_a_number}


def test_warps(device):
    @jit.rawkernel()
    def kernel(out, real):
        i = jit.threadIdx.x
        lane = jit.laneid()
        jit.syncwarp()
        jit.syncwarp(mask=0xFFFFFFFF)
        out[0, i] = jit.shfl_sync(0xFFFFFFFF, lane, 5)
        out[1, i] = jit.shfl_up_sync(0xFFFFFFFF, lane, 1)
        out[2, i] = jit.shfl_down_sync(0xFFFFFFFF, lane, 1, width=8)
        out[3, i] = jit.shfl_xor_sync(0xFFFFFFFF, i, 2)
        out[4, i] = jit.warpsize
        value = real[i]
        for k in jit.range(5, unroll=True):
            value += jit.shfl_down_sync(0xFFFFFFFF, value, 16 >> k)
        real[i] = value

    out, real = cp.zeros((5, 64), "i"), cp.arange(64.0)
    kernel[1, 64](out, real)
    lane, i = np.arange(64) % 32, np.arange(64)
    expected = [lane * 0 + 5, np.maximum(lane - 1, 0), np.where(lane % 8 < 7, lane + 1, lane), i ^ 2, lane * 0 + 32]
    np.testing.assert_array_equal(out.get(), expected)
    assert real.get()[[0, 32]].tolist() == [sum(range(32)), sum(range(32, 64))]

    @jit.rawkernel()
    def masked(out, mask):
        out[0] = jit.shfl_sync(mask, 1, 0)

    @jit.rawkernel()
    def narrow(out):
        out[0] = jit.shfl_sync(0xFFFFFFFF, 1, 0, width=3)

    with pytest.raises(TypeError, match="mask must be an integer"):
        masked[1, 32](out[0], 1)
    with pytest.raises(TypeError, match="width needs to be power of 2"):
        narrow[1, 32](out[0])


def test_ranges(device):
    @jit.rawkernel()
    def kernel(out, n):
        k = 0
        for i in jit.range(n):
            k += i
        for i in jit.range(0, 12, 3, unroll=4):
            k += i
        for i in jit.range(n, 0, -1, unroll=False):
            k += i
        for i in range(10, -2, -n):
            k += 100 + i * 0
        while True:
            k += 1
            if k % 2 == 0:
                break
        out[0] = k

    out = cp.zeros(1, "i")
    kernel[1, 1](out, 5)
    expected = 10 + 18 + 15 + 300 + 1
    assert out.get()[0] == expected + expected % 2

    @jit.rawkernel()
    def of_reals(out):
        for i in range(2.5):
            out[0] = i

    with pytest.raises(TypeError, match="integer"):
        of_reals[1, 1](out)


def test_device_functions(device):
    @jit.rawkernel(device=True)
    def scaled(x, by=2.0):
        return x * by

    @jit.rawkernel(device=True)
    def pair(x):
        return x, scaled(x)

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.grid(1)
        if i < x.size:
            a, b = pair(x[i])
            y[i] = a + b + scaled(x[i], by=FACTOR)

    x, y = cp.arange(5.0), cp.zeros(5)
    kernel[1, 32](x, y)
    assert y.get().tolist() == [0, 6, 12, 18, 24]
    with pytest.raises(TypeError, match="device function"):
        scaled[1, 1](x)


FAR = 1 << 45  # elements behind an array: whoever reads there fails


@jit.rawkernel(device=True)
def counted(seen, value):
    jit.atomic_add(seen, 0, 1)
    return value


@pytest.mark.parametrize("mode", ["cuda", "numpy"])
def test_only_what_is_asked_for_is_computed(device, mode):
    @jit.rawkernel(mode=mode)
    def kernel(x, table, y, n, far):
        i = jit.threadIdx.x
        y[i, 0] = 1 if i < n and 0 < x[i + far * (i >= n)] < 3 else 0
        y[i, 1] = 1 if i >= n or not 1 <= x[i + far * (i >= n)] <= 2 else 0
        y[i, 2] = min(max(x[i + far * (i >= n)], 1), table[i + far * (i >= n), 0]) if i < n else 7
        y[i, 3] = 8 if i >= n else (table[i, 1] if 0 <= x[i + far * (i >= n)] < 2 else -x[i + far * (i >= n)])
        k = i
        while k < n and 0 <= table[k + far * (k >= n), 0] < 40:
            k += 1
        y[i, 4] = k
        if (i < n and 0 < x[i + far * (i >= n)] < 3) or (n <= i < n + 2):
            y[i, 5] = 1
        y[i, 6] = x[i] if i < n and (i == 2 or i == 3 and 2 < x[i + far * (i != 3)] < 4) else 0.5

    x, table, y = cp.arange(5.0), cp.arange(10.0).reshape(5, 2) * 10, cp.zeros((8, 7))
    kernel[1, 8](x, table, y, 5, FAR)
    wanted = np.zeros((8, 7))
    for i in range(8):
        inside = i < 5
        wanted[i, 0] = inside and 0 < i < 3
        wanted[i, 1] = not inside or not 1 <= i <= 2
        wanted[i, 2] = min(max(i, 1), 20 * i) if inside else 7
        wanted[i, 3] = (20 * i + 10 if i < 2 else -i) if inside else 8
        wanted[i, 4] = max(i, 2)
        wanted[i, 5] = inside and 0 < i < 3 or 5 <= i < 7
        wanted[i, 6] = i if i in (2, 3) else 0.5
    np.testing.assert_array_equal(y.get(), wanted)


@pytest.mark.parametrize("mode", ["cuda", "numpy"])
def test_calls_are_made_only_where_they_count(device, mode):
    """One of scalars and elements, of every kind of choice; how often the other part was called stands in `seen`."""

    @jit.rawkernel(mode=mode)
    def kernel(x, seen, y, flag):
        i = jit.threadIdx.x
        y[i] = counted(seen, x[i]) if flag else 2
        if flag or counted(seen, x[i]) > 1:
            y[i] += 10
        if flag and 0 < counted(seen, x[i]) < 3:
            y[i] += 100

    x = cp.arange(4.0)
    for flag, calls, values in ((True, 8, [10, 111, 112, 13]), (False, 4, [2, 2, 12, 12])):
        seen, y = cp.zeros(1, cp.int32), cp.zeros(4)
        kernel[1, 4](x, seen, y, flag)
        assert (int(seen[0]), y.get().tolist()) == (calls, values)


def test_functions_of_cupy_and_python(device):
    @jit.rawkernel()
    def kernel(x, out):
        i = jit.threadIdx.x
        out[0, i] = cp.sin(x[i]) + cp.exp(x[i]) * math.pi
        out[1, i] = cp.maximum(x[i], cp.float32(0.5)) + np.floor(x[i])
        out[2, i] = max(x[i], 0.25, -1) - min(1, x[i]) + abs(x[i])
        out[3, i] = cp.isnan(x[i]) or cp.logical_not(x[i] > 0)
        out[4, i] = cp.int32(x[i] * 3) + int(x[i] > 1) + bool(x[i])

    host = np.array([0.0, 0.75, -1.5, 2.25], "f")
    x, out = cp.asarray(host), cp.zeros((5, 4), "f")
    kernel[1, 4](x, out)
    expected = [
        np.sin(host) + np.exp(host) * np.float32(math.pi),
        np.maximum(host, 0.5) + np.floor(host),
        np.maximum(host, 0.25) - np.minimum(host, 1) + abs(host),
        ~(host > 0),
        (host * 3).astype("i") + (host > 1) + (host != 0),
    ]
    np.testing.assert_allclose(out.get(), np.array(expected, "f"), rtol=1e-6)


@pytest.mark.parametrize("character", "?bBhHiIlLefdFD")
def test_every_type_is_copied(device, character):
    x = cp.asarray(np.array([0, 1, 2, 3, 1, 0]).astype(character))
    y = cp.zeros_like(x)
    copied[1, 32](x, y, x.size)
    np.testing.assert_array_equal(y.get(), x.get())

    @jit.rawkernel()
    def doubled(x, y, n):
        i = jit.grid(1)
        if i < n:
            y[i] = x[i] + x[i] * x[i]

    doubled[1, 32](x, y, 6)
    np.testing.assert_array_equal(y.get(), x.get() + x.get() * x.get())


def test_cooperative_groups(device):
    @jit.rawkernel()
    def over_the_grid(x, out):
        grid = jit.cg.this_grid()
        i = jit.grid(1)
        x[i] = i
        grid.sync()
        jit.cg.sync(grid)
        if grid.thread_rank() == 0:
            total = 0
            for k in range(x.size):
                total += x[k]
            out[0] = total
            out[1] = grid.size()
            out[2] = grid.num_blocks() + grid.group_dim().x

    @jit.rawkernel()
    def in_a_block(x, out):
        smem = jit.shared_memory(cp.int32, 32)
        block = jit.cg.this_thread_block()
        jit.cg.memcpy_async(block, smem, 0, x, jit.blockIdx.x * 32, 32 * 4)
        jit.cg.wait(block)
        i = block.thread_rank()
        out[jit.blockIdx.x * 32 + i] = smem[31 - i] + block.group_index().x - block.size()
        block.sync()

    x, out = cp.zeros(64, "i"), cp.zeros(3, "i")
    over_the_grid[2, 32](x, out)
    assert out.get().tolist() == [63 * 32, 64, 4]
    out = cp.zeros(64, "i")
    in_a_block[2, 32](x, out)
    np.testing.assert_array_equal(out.get(), np.arange(64).reshape(2, 32)[:, ::-1].ravel() + np.repeat([0, 1], 32) - 32)


def test_mode_numpy(device):
    @jit.rawkernel(mode="numpy")
    def kernel(x, out, n, a):
        i = jit.grid(1)
        if i < n:
            s = 0
            for k in range(n):
                s += x[k] * 0.1
            out[i] = s * a + x[i] / n

    x, out = cp.arange(4), cp.zeros(4)
    kernel[1, 4](x, out, 4, 2.0)
    s = sum(k * 0.1 for k in range(4))
    np.testing.assert_array_equal(out.get(), [s * 2.0 + i / 4 for i in range(4)])


def test_sources_of_kernels(device):
    @jit.rawkernel()
    def kernel(x):
        x[0] = 1

    with pytest.warns(UserWarning, match="No codes are cached"):
        assert kernel.cached_codes == {}
    kernel[1, 1](cp.zeros(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "__global__" in kernel.cached_code and list(kernel.cached_codes.values()) == [kernel.cached_code]
    kernel[1, 1](cp.zeros(1, "i"))
    assert len(kernel.cached_codes) == 2
    assert (kernel.__name__, kernel.py_func.__name__) == ("kernel", "kernel")


def test_what_is_refused(device):
    with pytest.raises(TypeError, match="is not supported for RawKernel"):
        copied[1, 1](np.zeros(3), cp.zeros(3), 3)
    with pytest.raises(TypeError, match="is not supported for RawKernel"):
        copied[1, 1](cp.zeros(3), cp.zeros(3), "3")
    with pytest.raises(ValueError, match="mode"):
        jit.rawkernel(mode="c")
    with pytest.raises(TypeError):
        jit.rawkernel(lambda x: x)
    with pytest.raises(TypeError, match="function written in Python"):
        jit.rawkernel()(abs)
    for call in (lambda: jit.grid(1), jit.syncthreads, lambda: jit.threadIdx.x, jit.cg.this_grid):
        with pytest.raises(RuntimeError, match="only inside a kernel"):
            call()
    for part in (lambda: jit.thrust.sort, lambda: jit.cub.BlockReduce):
        with pytest.raises(NotImplementedError, match="is not supported"):
            part()

    @jit.rawkernel()
    def sorted_(x):
        jit.thrust.sort(x)

    with pytest.raises(NotImplementedError, match="thrust.sort is not supported"):
        sorted_[1, 1](cp.zeros(3))

    @jit.rawkernel()
    def returns(x):
        return x[0]

    with pytest.raises(TypeError, match="must have void return type"):
        returns[1, 1](cp.zeros(3))

    @jit.rawkernel()
    def with_a_list(x):
        a = [x[0], x[1]]
        x[2] = a[0]

    with pytest.raises(KernelError):
        with_a_list[1, 1](cp.zeros(3))
