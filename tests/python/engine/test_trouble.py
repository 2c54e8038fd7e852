"""Bad input and faults: one clear message each, and the process lives on."""

import resource
import threading

import numpy as np
import pytest
import quern
from programs import code
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

SCALE = "__global__ void scale(float* x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }"


@pytest.fixture
def scale(device):
    return SourceModule(SCALE).get_function("scale")


@pytest.fixture
def x(device):
    return drv.to_device(np.ones(64, np.float32))


def still_works(scale):
    x = drv.to_device(np.ones(64, np.float32))
    scale(x, np.float32(3), np.int32(64), block=(64, 1, 1))
    assert (drv.from_device(x, 64, np.float32) == 3).all()


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_argument_count(scale, x, count):
    with pytest.raises(TypeError, match=r"'scale' takes 3 arguments"):
        scale(*[x, np.float32(1), np.int32(1), np.int32(1)][:count], block=(1, 1, 1))
    still_works(scale)


@pytest.mark.parametrize(
    "wrong, what",
    [
        (np.complex128(1), "argument 2 of 'scale'"),
        (np.int32(1), "argument 2 of 'scale'"),
        ("text", "parameter #1|argument 2"),
        (None, "parameter #1|argument 2"),
        (1j, "argument 2 of 'scale'"),
    ],
)
def test_argument_type(scale, x, wrong, what):
    with pytest.raises(TypeError, match=what):
        scale(x, wrong, np.int32(64), block=(64, 1, 1))
    still_works(scale)


def test_a_number_that_does_not_fit(scale, x):
    with pytest.raises(OverflowError, match="argument 3"):
        scale(x, 1.0, 2**40, block=(64, 1, 1))


def test_a_numpy_array_is_not_device_memory(scale):
    with pytest.raises(TypeError, match="In\\(a\\)"):
        scale(np.ones(64, np.float32), np.float32(1), np.int32(64), block=(64, 1, 1))


def test_freed_memory(scale, x):
    x.free()
    with pytest.raises(drv.LogicError, match="freed"):
        scale(x, np.float32(1), np.int32(64), block=(64, 1, 1))
    with pytest.raises(drv.LogicError, match="freed"):
        x.free()
    with pytest.raises(drv.LogicError, match="freed"):
        int(x)
    with pytest.raises(drv.LogicError, match="freed"):
        drv.memcpy_htod(x, np.ones(64, np.float32))
    still_works(scale)


@pytest.mark.parametrize(
    "shape, what",
    [
        (dict(block=(2048, 1, 1)), "block.x"),
        (dict(block=(1, 1, 65)), "block.z"),
        (dict(block=(0, 1, 1)), "block.x"),
        (dict(block=(64, 64, 1)), "4096 threads"),
        (dict(block=(1, 1, 1), grid=(0, 1)), "grid.x"),
        (dict(block=(1, 1, 1), grid=(1, 65536)), "grid.y"),
        (dict(block=(1, 1, 1), shared=1 << 20), "shared memory"),
    ],
)
def test_shapes_over_the_limits(scale, x, shape, what):
    with pytest.raises(drv.LogicError, match=what):
        scale(x, np.float32(1), np.int32(64), **shape)
    still_works(scale)


def test_block_is_needed(scale, x):
    with pytest.raises(ValueError, match="block size"):
        scale(x, np.float32(1), np.int32(64))


def test_unknown_kernel(device):
    module = SourceModule(SCALE)
    with pytest.raises(drv.LogicError, match="no kernel 'scales'.*it has: scale"):
        module.get_function("scales")


def test_compile_error_shows_line_and_source(device):
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void f(int* a)\n{\n    a[0] = missing;\n}\n")
    text = str(caught.value)
    assert "missing" in text and "a[0] = missing;" in text
    assert "kernel.cu(3)" in text or "kernel.cu:3" in text


@pytest.mark.parametrize(
    "source, what",
    [
        ("#include <thrust/sort.h>\n__global__ void f() {}", "(?i)thrust"),
        ("#include <cub/device/device_reduce.cuh>\n__global__ void f() {}", "(?i)cub"),
        ("texture<double, 1> t;\n__global__ void f(double* o) { o[0] = tex1Dfetch(t, 0); }", "double as an int2"),
    ],
)
def test_unsupported_features_raise(device, source, what):
    with pytest.raises(drv.CompileError, match=what):
        SourceModule(source)


def test_unmapped_memory_in_a_kernel_on_the_cpu():
    drv_device = quern.device("cpu")
    from quern.device import set_current_device

    set_current_device(drv_device)
    try:
        bad = SourceModule("__global__ void bad(int* p) { p[threadIdx.x] = 1; }").get_function("bad")
        bad(np.intp(4096), block=(4, 1, 1))
        with pytest.raises(drv.LaunchError, match=r"kernel 'bad' failed: it accessed memory at .*launched at .*test_trouble\.py:\d+"):
            drv.Context.synchronize()
        drv.Context.synchronize()  # said once
        still_works(SourceModule(SCALE).get_function("scale"))
    finally:
        set_current_device(None)


def test_large_memory_ends_at_a_guard_page():
    from quern.device import set_current_device

    set_current_device(quern.device("cpu"))
    try:
        n = 1 << 20
        f = SourceModule("__global__ void past(float* x, int n) { x[n + threadIdx.x] = 1; }").get_function("past")
        x = drv.mem_alloc(4 * n)
        f(x, np.int32(n - 64), block=(64, 1, 1))
        drv.Context.synchronize()
        f(x, np.int32(n), block=(64, 1, 1))
        with pytest.raises(drv.LaunchError, match="'past'"):
            drv.Context.synchronize()
    finally:
        set_current_device(None)


@pytest.mark.parametrize("bytes", [64 << 10, 100_000, 400_000, 1_200_000, 4_000_000])
def test_arrays_from_64_kib_on_end_at_a_guard_page(on_the_cpu, bytes):
    """At the next multiple of 256 bytes, as docs/kernels.md says, whatever size the pool's block has."""
    f = SourceModule("__global__ void put(char* x, long at) { ((volatile char*)x)[at] = 1; }").get_function("put")
    arrays = [quern.zeros(bytes, "uint8") + 1 for _ in range(2)]
    for x in [*arrays, drv.mem_alloc(bytes)]:
        end = -(-bytes // 256) * 256
        f(x, np.int64(bytes - 1), block=(1, 1, 1))
        drv.Context.synchronize()
        for beyond in (end, end + 4095):
            f(x, np.int64(beyond), block=(1, 1, 1))
            with pytest.raises(drv.LaunchError, match="'put' failed: it accessed memory at"):
                drv.Context.synchronize()


def test_integer_division_by_zero_does_not_trap(device):
    f = SourceModule("__global__ void f(int* o, int a, int b) { o[0] = a / b; o[1] = a % b; o[2] = 7; }").get_function("f")
    out = np.zeros(3, np.int32)
    for a, b in ((5, 0), (-(2**31), -1)):
        f(drv.Out(out), np.int32(a), np.int32(b), block=(1, 1, 1))
        assert out[2] == 7


@pytest.fixture
def on_the_cpu():
    """With the main thread's stack as most systems have it."""
    from quern.device import set_current_device

    set_current_device(quern.device("cpu"))
    limits = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_STACK, limits)
    set_current_device(None)


# Frames of some words, of nearly a page, of many pages: the last would reach past a guard page.
DEEP = """
// nvrtc: skip
__device__ __noinline__ int deep(int n, int* p)
{
    volatile int big[WORDS];
    big[n % WORDS] = n;
    p[0] = big[0];
    return n == 0 ? 0 : deep(n - 1, p) + big[n % WORDS];
}
__global__ void deeper(int* p, int n, int who) { if (blockIdx.x == who) p[1] = deep(n, p); BARRIER }
"""
OVERFLOWED = r"kernel 'deeper' failed: its stack overflowed: a recursion too deep .*launched at .*test_trouble\.py:\d+"


def deeper(words, barrier=""):
    return SourceModule(DEEP.replace("WORDS", str(words)).replace("BARRIER", barrier)).get_function("deeper")


@pytest.mark.parametrize("words", [4, 1000, 50_000])
@pytest.mark.parametrize("block", [0, 63])  # of the calling thread mostly, and of any
def test_a_stack_that_overflows_on_the_cpu(on_the_cpu, words, block):
    f = deeper(words)
    p = drv.mem_alloc(64)
    for n in (10, 1 << 30, 10):
        f(p, np.int32(n), np.int32(block), block=(1, 1, 1), grid=(64, 1))
        if n == 10:
            drv.Context.synchronize()
            continue
        with pytest.raises(drv.LaunchError, match=OVERFLOWED):
            drv.Context.synchronize()
        still_works(SourceModule(SCALE).get_function("scale"))


def test_a_stack_that_overflows_in_another_thread(on_the_cpu):
    f, said = deeper(4), []
    p = drv.mem_alloc(64)

    def work():
        from quern.device import set_current_device

        set_current_device(quern.device("cpu"))
        f(p, np.int32(1 << 30), np.int32(0), block=(1, 1, 1))
        try:
            drv.Context.synchronize()
        except drv.LaunchError as error:
            said.append(str(error))

    before = threading.stack_size(256 << 10)
    try:
        for _ in range(3):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    finally:
        threading.stack_size(before)
    assert len(said) == 3
    assert all("its stack overflowed" in text for text in said)


def test_a_stack_that_overflows_in_a_coroutine(on_the_cpu):
    """Threads that wait for memory run as coroutines."""
    f = deeper(4, "volatile int* v = p + 8; while (*v == 0) {}")
    p = drv.to_device(np.ones(16, np.int32))
    f(p, np.int32(1 << 30), np.int32(1), block=(2, 1, 1), grid=(4, 1))
    with pytest.raises(drv.LaunchError, match=OVERFLOWED):
        drv.Context.synchronize()
    still_works(SourceModule(SCALE).get_function("scale"))


def test_recursion_without_an_end_in_python(on_the_cpu):
    from quern import cuda

    @cuda.jit(device=True)
    def endless(n):
        if n < 0:
            return 0
        return endless(n + 1) + n

    @cuda.jit
    def start(out):
        out[0] = endless(out[1])

    out = np.array([0, 1], np.int64)
    with pytest.raises(quern.LaunchError, match="its stack overflowed"):
        start[1, 1](out)
        drv.Context.synchronize()
    still_works(SourceModule(SCALE).get_function("scale"))


def test_a_wild_pointer_is_no_overflow(on_the_cpu):
    """What lies near the stack, and the stack's own guard page, told from the rest by where the stack pointer is."""
    source = "__global__ void wild(int* p, long far) { int here[4]; int* q = here; p[0] = q[far / 4]; }"
    f = SourceModule(source).get_function("wild")
    p = drv.mem_alloc(64)
    for far in (-(1 << 40), 1 << 46):
        f(p, np.int64(far), block=(1, 1, 1))
        with pytest.raises(drv.LaunchError, match="'wild' failed: it accessed memory at"):
            drv.Context.synchronize()


@pytest.mark.parametrize(
    "body, says",
    [
        ("assert(n > 0);", "Assertion `n > 0` failed"),
        ("if (n <= 0) __trap();", "the kernel called __trap\\(\\)"),
    ],
)
def test_assert_and_trap(device, scale, body, says):
    if device.kind == "cuda":
        pytest.skip("it ends the GPU's context, and with it this process's other tests: see test_process.py")
    f = SourceModule("#include <assert.h>\n__global__ void checked(int n) { BODY }".replace("BODY", body)).get_function("checked")
    f(np.int32(1), block=(2, 1, 1))
    drv.Context.synchronize()
    f(np.int32(0), block=(2, 1, 1))
    with pytest.raises(drv.LaunchError, match=says):
        drv.Context.synchronize()
    still_works(scale)


def test_out_of_memory_names_the_largest(device):
    keep = drv.mem_alloc(3 << 20)
    with pytest.raises(drv.MemoryError, match=r"no room for .*largest live blocks: .*test_trouble\.py:\d+"):
        drv.mem_alloc(1 << 50)
    assert issubclass(drv.MemoryError, MemoryError)
    keep.free()


def test_out_of_memory_trims_and_tries_again(device):
    device.trim()
    piece = 8 << 20
    device.set_pool_limit(device.pool_info()["held"] + 7 * piece)
    try:
        blocks = [drv.mem_alloc(piece) for _ in range(5)]
        del blocks
        drv.Context.synchronize()
        assert device.pool_info()["kept"] >= 5 * piece
        again = drv.mem_alloc(piece * 6)  # another size: what was kept must go first
        with pytest.raises(drv.MemoryError, match="the pool's limit"):
            drv.mem_alloc(piece * 2)
        again.free()
    finally:
        device.set_pool_limit(0)


def test_mem_alloc_of_nothing(device):
    for wrong in (0, -4):
        with pytest.raises(drv.LogicError):
            drv.mem_alloc(wrong)


def test_copies_beyond_the_memory(device, x):
    with pytest.raises(drv.LogicError, match="do not fit"):
        drv.memcpy_htod(x, np.zeros(65, np.float32))
    with pytest.raises(drv.LogicError, match="do not fit"):
        drv.memcpy_dtoh(np.zeros(65, np.float32), x)


def test_the_log_has_errors_alone():
    """Dtypes that are tried are no errors."""
    program = "import quern as qn, quern.torch\nprint('begin', flush=True)\ntry: qn.ones(3) + qn.ones(2)\nexcept ValueError: pass"
    done = code(program, QUERN_DEBUG="1")
    assert done.stderr.startswith("[quern] error: [broadcast]") and done.stderr.count("error:") == 1, done.stderr
