"""CuPy's names, each called on small data: cupy_names.py and cupy_cuda_names.py have the calls.

QUERN_API_NAMES names a folder with cupy.tsv (module, name, kind, signature), the list of what CuPy has; then the tables are counted too.
"""

import collections
import contextlib
import ctypes
import io
import os
import unittest
import warnings

import cupy_cuda_names
import cupy_names
import numpy as np
import pytest
import quern as qn
from arrays import operands, same
from quern import cupy as cp
from quern import cupyx as cx
from quern.cupy.cuda._constants import CONSTANTS

API_NAMES = os.environ.get("QUERN_API_NAMES")
COUNTED = """cupy cupy.ndarray cupy.linalg cupy.fft cupy.random cupy.random.Generator cupy.random.RandomState cupy.ufunc cupy.cuda
cupy.cuda.Device cupy.cuda.Stream cupy.cuda.Event cupy.cuda.MemoryPool cupy.cuda.PinnedMemoryPool cupy.cuda.MemoryPointer
cupy.cuda.runtime cupy.ElementwiseKernel cupy.ReductionKernel cupy.RawKernel cupy.RawModule cupy.testing
cupyx.jit""".split()
TWICE = (
    '__device__ float factor = 2; extern "C" __global__ void twice(float* a, int n) '
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= factor; }"
)
TYPES = """bool_ byte cdouble complex128 complex64 csingle double float16 float32 float64 half int16 int32 int64 int8 int_ intc intp long
longlong short single ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong ushort""".split()


def lines(table):
    for module, text in table.items():
        for line in text.strip().splitlines():
            name, _, expression = line.partition(": ")
            yield module, name, expression


def compared():
    for module, groups in cupy_names.COMPARED.items():
        for template, names in groups.items():
            for name in names.split():
                yield module, name, template.format(name)
    yield from lines(cupy_names.LINES)


def true():
    for table in (cupy_names.TRUE, cupy_cuda_names.TRUE):
        yield from lines(table)
    for name in TYPES:
        yield "cupy", name, f"cp.{name} is np.{name} and cp.zeros(2, cp.{name}).dtype == np.{name}"


def case(expression, **names):
    """The value of an expression; of several, the last one's."""
    *before, last = expression.split("; ")
    for line in before:
        exec(line, names)
    return eval(last, names)


def as_host(value):
    """A result to compare: what is ours and has a part that is not is brought to the host."""
    if isinstance(value, qn.Array):
        return qn.asnumpy(value)
    if isinstance(value, (list, tuple)):
        return type(value)(*map(as_host, value)) if hasattr(value, "_fields") else type(value)(as_host(v) for v in value)
    return value


@pytest.mark.parametrize(("module", "name", "expression"), list(compared()))
def test_as_numpy(device, module, name, expression):
    results = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for m in (np, cp):
            given = operands(m)
            given["s"] = m.asarray(np.array([[4.0, 1, 2], [1, 3, 0], [2, 0, 5]]))
            results.append(case(expression, **given))
    want, got = results
    if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)):
        assert len(got) == len(want)
        for ours, theirs in zip(got, want, strict=True):
            check(ours, theirs)
    else:
        check(got, want)


def check(got, want):
    if isinstance(want, (np.ndarray, np.generic)):
        if isinstance(got, qn.Array):
            assert type(got) is cp.ndarray
            same(got, want, exact=False)
        else:  # NumPy's own, or Python's number
            np.testing.assert_allclose(got, want)
        return
    assert as_host(got) == want


# ---- what NumPy does not have


class Protocol:
    def __init__(self, ptr):
        self.ptr = ptr

    def __cuda_stream__(self):
        return (0, self.ptr)


def raised(function):
    try:
        function()
    except Exception as error:
        return type(error)
    return None


def printed(function):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        function()
    return out.getvalue()


def launched(kernel):
    y = cp.ones(5, "f4")
    kernel((1,), (32,), (y, 5))
    return y.tolist() == [2] * 5


def module(cuda):
    out = cuda.Module()
    out.load(cuda.compiler.compile_using_nvrtc(TWICE)[0])
    return out


def called(give, stream):
    seen = []
    give(seen.append)
    stream.synchronize()
    return seen


def copied(copy):
    """Does it bring these values to memory of the device?"""
    y, host = cp.zeros(4, np.int64), np.array([5, 6, 7, 8])
    copy(y.data, host)
    cp.cuda.Device().synchronize()
    return y.tolist() == [5, 6, 7, 8]


def inside(stream):
    with stream as entered:
        found = cp.cuda.get_current_stream() is stream
        y = cp.arange(4) * 2
    return entered is stream and found and cp.cuda.get_current_stream() == cp.cuda.Stream.null and y.tolist() == [0, 2, 4, 6]


def elapsed(cuda):
    start, end = cuda.Event(), cuda.Event()
    start.record()
    y = cp.ones(1000) + 1
    end.record()
    end.synchronize()
    assert float(y[0]) == 2
    return cuda.get_elapsed_time(start, end)


def limited(pool):
    try:
        pool.free_all_blocks()
        pool.set_limit(size=pool.total_bytes() + (1 << 20))
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="the pool's limit is"):
            pool.malloc(1 << 24)
        pool.set_limit(fraction=0.5)
        assert 0 < pool.get_limit() <= cp.cuda.Device().mem_info[1]
        for wrong in ({"size": 1, "fraction": 0.5}, {"size": -1}, {"fraction": 1.5}):
            with pytest.raises(ValueError, match="memory limit|at one time"):
                pool.set_limit(**wrong)
    finally:
        pool.set_limit(size=0)
    return pool.malloc(1 << 24).mem.size == 1 << 24


def gives_back(pool, size):
    memory = pool.malloc(size)
    before = pool.n_free_blocks()
    del memory
    return pool.n_free_blocks() == before + 1


def remembers(cp):
    calls = []

    @cp.memoize(for_each_device=True)
    def function(n):
        calls.append(n)
        return n

    return [function(1), function(1), function(2)] == [1, 1, 2] and calls == [1, 2]


def c_functions():
    """Addresses of two functions of C that hand out and take back memory."""
    kept = c_functions.kept = []
    malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    block = ctypes.create_string_buffer(64)
    kept += [block, malloc(lambda param, size, device: ctypes.addressof(block)), free(lambda param, ptr, device: None)]
    return [ctypes.cast(f, ctypes.c_void_p).value for f in kept[1:]]


def python_allocator(cuda):
    given, freed = [], []

    def malloc(size, device):
        given.append(cuda.runtime.malloc(size))
        return given[-1]

    def free(ptr, device):
        freed.append(ptr)
        cuda.runtime.free(ptr)

    allocator = cuda.PythonFunctionAllocator(malloc, free)
    memory = allocator.malloc(64)
    found = memory.ptr == given[0]
    del memory
    found &= freed == given
    with cuda.using_allocator(allocator.malloc):
        made = cp.zeros(8)
        found &= made.data.ptr == given[-1] and made.tolist() == [0] * 8
    del made
    cuda.Device().synchronize()  # it goes back once nothing on the device uses it
    return found and freed == given


def pinned_allocator(cuda):
    mine = cuda.PinnedMemoryPool()
    try:
        cuda.set_pinned_memory_allocator(mine.malloc)
        memory = cuda.alloc_pinned_memory(64)
        del memory
        return mine.n_free_blocks() == 1
    finally:
        cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)


def uses_allocator(cuda):
    mine = cuda.MemoryPool().malloc
    with cuda.using_allocator(mine):
        found = cuda.get_allocator() == mine
        assert raised(lambda: cuda.set_allocator(None)) is ValueError
    return found and cuda.get_allocator() != mine


def registered(rt):
    host = np.zeros(4096, np.uint8)
    rt.hostRegister(host.ctypes.data, host.nbytes, 0)
    known = rt.pointerGetMemoryType(host.ctypes.data) == rt.memoryTypeHost
    rt.hostUnregister(host.ctypes.data)
    return known


def raw_plus(cp):
    kernel = cp.ElementwiseKernel("raw T x", "T y", "y = x[i] + 1", "raw_plus")
    kernel(cp.arange(3), size=3).get()
    return kernel


def successor(number):
    return number + 1


def in_kernel(name):
    """Does it mean something inside of kernels only?"""
    return raised(name) is RuntimeError and "cupyx.jit" in repr(name)


def forbidden(cx, x):
    with cx.allow_synchronize(False):
        return raised(x.get)


def runs(cls):
    loaded = unittest.defaultTestLoader.loadTestsFromTestCase(cls)
    result = loaded.run(unittest.TestResult())
    return result.testsRun > 0 and result.wasSuccessful()


def seen(decorator, *names):
    found = []
    if len(names) == 1:

        def test(**given):
            found.append(given[names[0]])
    else:

        def test(**given):
            found.append(tuple(given[n] for n in names))

    import inspect

    test.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names])
    decorator(test)()
    return found


def axes_seen(decorator):
    found = []

    class Case:
        shape, order = (2, 3), "C"

        @decorator
        def test(self, axis):
            found.append(axis)

    Case().test()
    return found


@pytest.fixture
def named(device, tmp_path):
    """What the expressions of the tables name."""
    count = iter(range(100))

    def saved(write, ending=""):
        path = str(tmp_path / f"{next(count)}{ending or '.npy'}")
        write(path)
        return path

    cuda = cp.cuda
    yield {
        "cp": cp,
        "cx": cx,
        "np": np,
        "cuda": cuda,
        "rt": cuda.runtime,
        "t": cp.testing,
        "x": cp.arange(4),
        "rng": cp.random.default_rng(3),
        "state": cp.random.RandomState(3),
        "stream": cuda.Stream(),
        "event": cuda.Event(),
        "pool": cuda.MemoryPool(),
        "pinned": cuda.PinnedMemoryPool(),
        "pointer": cuda.alloc(32),
        "plus": cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "plus"),
        "total": cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total"),
        "twice": cp.RawKernel(TWICE, "twice"),
        "raw": cp.RawModule(code=TWICE),
        "on_cpu": device.kind == "cpu",
        "c_void_p": ctypes.c_void_p,
        "saved": saved,
        **{name: value for name, value in globals().items() if not name.startswith(("_", "test"))},
    } | {"module": module}
    cuda.Stream.null.use()
    cuda.set_allocator(cp.get_default_memory_pool().malloc)


@pytest.mark.parametrize(("table", "name", "expression"), list(true()))
def test_own(named, table, name, expression):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert bool(eval(expression, named)), expression


@pytest.mark.parametrize(("table", "name", "expression"), list(lines(cupy_cuda_names.RAISES)))
def test_unsupported_names(named, table, name, expression):
    with pytest.raises(NotImplementedError, match=r"^\["):
        eval(expression, named)


@pytest.mark.parametrize("name", cupy_names.IN_PLACE.split())
def test_in_place(device, name):
    results = []
    for m in (np, cp):
        x = m.asarray(np.array([3, 1, 4, 1, 5]))
        assert getattr(x, name)(2) is x
        results.append(x)
    same(results[1], results[0])


@pytest.mark.parametrize("name", list(cupy_names.DISTRIBUTIONS))
def test_distributions(device, name):
    """Of the module, of RandomState and, where NumPy's has it, of Generator."""
    parameters, mean, deviation = cupy_names.DISTRIBUTIONS[name]
    cp.random.seed(11)
    sources = [cp.random, cp.random.RandomState(12)]
    if hasattr(np.random.Generator, name):
        sources.append(cp.random.default_rng(13))
    for source in sources:
        draw = getattr(source, name)
        if name == "standard_exponential" or not parameters:
            x = draw(size=(100, 200))
        else:
            x = draw(*parameters, size=(100, 200))
        want = getattr(np.random.default_rng(1), name)(*parameters, size=3)
        assert type(x) is cp.ndarray
        assert x.shape == (100, 200)
        assert x.dtype == want.dtype
        assert draw(*parameters).shape == ()
        if mean is not None:
            assert abs(float(x.mean()) - mean) < 6 * float(x.std()) / np.sqrt(x.size) + 1e-3
        if deviation is not None:
            assert abs(float(x.std()) / deviation - 1) < 0.05


@pytest.mark.parametrize("name", list(CONSTANTS))
def test_constants(name):
    assert getattr(cp.cuda.runtime, name) == CONSTANTS[name]


def test_constants_have_the_numbers_of_cuda():
    rt = cp.cuda.runtime
    assert (rt.cudaDevAttrMaxThreadsPerBlock, rt.cudaDevAttrComputeCapabilityMajor, rt.cudaDevAttrCooperativeLaunch) == (1, 75, 95)
    assert (rt.memcpyHostToDevice, rt.memcpyDeviceToHost, rt.memcpyDeviceToDevice, rt.memcpyDefault) == (1, 2, 3, 4)
    assert (rt.streamNonBlocking, rt.eventDisableTiming, rt.hostAllocMapped, rt.CUDA_C_64F) == (1, 2, 2, 5)


def covered():
    out = collections.defaultdict(set)
    for table, name, _ in [*compared(), *true(), *lines(cupy_cuda_names.RAISES)]:
        out[table].add(name)
    out["cupy.ndarray"] |= set(cupy_names.IN_PLACE.split())
    out["cupy.cuda.runtime"] |= set(CONSTANTS)
    for table in ("cupy.random", "cupy.random.Generator", "cupy.random.RandomState"):
        out[table] |= set(cupy_names.DISTRIBUTIONS)
    return out


@pytest.mark.skipif(not API_NAMES, reason="QUERN_API_NAMES is not set")
def test_most_names_have_a_call():
    wanted = collections.defaultdict(set)
    with open(os.path.join(API_NAMES, "cupy.tsv")) as file:
        for line in file:
            table, name = line.split("\t")[:2]
            if table in COUNTED:
                wanted[table].add(name)
    found = covered()
    missing = {table: sorted(names - found[table]) for table, names in wanted.items() if names - found[table]}
    for table, names in wanted.items():
        assert len(names & found[table]) >= 0.8 * len(names), (table, missing[table])
    total = sum(map(len, wanted.values()))
    assert sum(len(names & found[table]) for table, names in wanted.items()) >= 0.9 * total, missing
