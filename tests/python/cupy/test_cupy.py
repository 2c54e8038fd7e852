"""The CuPy front end: the programs that people have, the array type, kernels on arrays, and the clocks of `quern run`."""

import os

import numpy as np
import pytest
import quern as qn
from programs import quern
from quern import cupy as cp

PROGRAMS = os.environ.get("QUERN_PROGRAMS")


@pytest.mark.parametrize("name", ["cupy_add.py", "cupy_norm.py", "cupy_bench.py"])
@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_programs_run_unmodified(name):
    done = quern("run", os.path.join(PROGRAMS, name))
    assert done.returncode == 0, done.stderr
    if name == "cupy_add.py":
        assert done.stdout == "[11 22 33 44 55]\n"
    elif name == "cupy_norm.py":
        assert done.stdout.count("7.0710678118654755") == 2
        assert "<class 'cupy.ndarray'>" in done.stdout
        assert "<class 'numpy.ndarray'>" in done.stdout
    else:
        seconds = float(done.stdout.split("CuPy: ")[1].split()[0])
        # 800 MB are written and read: no machine does that in the time that recording takes.
        assert seconds > 1e-4


def test_clocks_wait_unless_disabled(tmp_path):
    file = tmp_path / "clocks.py"
    file.write_text(
        "import time, timeit, cupy as cp\n"
        "from quern.lib import _engine\n"
        "x = cp.ones((100, 1000))\n"
        "y = x + 1\n"
        "time.perf_counter()\n"
        "print(_engine.array_pending())\n"
        "timeit.timeit(lambda: x + 2, number=1)\n"
        "print(_engine.array_pending())\n"
    )
    assert quern("run", file).stdout == "0\n0\n"
    assert quern("run", "--raw-clock", file).stdout == "2\n2\n"


def test_results_have_the_type_of_their_first_operand():
    x = cp.asarray([1.0, 2.0])
    for value in (
        x,
        x + 1,
        1 + x,
        x[1:],
        x.sum(),
        cp.sqrt(x),
        x.T,
        x.astype(int),
        -x,
        x.reshape(2, 1),
        cp.zeros(3),
        cp.concatenate([x, x]),
    ):
        assert type(value) is cp.ndarray
    assert type(qn.asarray([1.0]) + x[:1]) is qn.Array
    assert qn.asnumpy(x).tolist() == [1.0, 2.0]


def test_get_and_set():
    x = cp.zeros((2, 2))
    x.set(np.eye(2))
    np.testing.assert_array_equal(x.get(), np.eye(2))
    out = np.empty((2, 2))
    assert x.get(out=out) is out
    with pytest.raises(ValueError, match="Shape mismatch"):
        x.set(np.eye(3))
    with pytest.raises(TypeError, match="cannot be set"):
        x.set(np.eye(2, dtype=np.float32))


def test_kernels_on_arrays():
    add = cp.RawKernel('extern "C" __global__ void add(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] += 1; }', "add")
    x = cp.asarray(np.arange(8, dtype=np.float32))
    before = x * 10
    view = x[2:]
    add((1,), (32,), (view, 3))
    after = x * 10
    np.testing.assert_array_equal(before.get(), np.arange(8) * 10)
    np.testing.assert_array_equal(after.get(), np.array([0, 1, 3, 4, 5, 5, 6, 7]) * 10)


def test_missing_names_say_so():
    with pytest.raises(AttributeError, match="quern does not support"):
        cp.busday_count  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cp.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="quern does not support"):
        cp.cuda.nothing  # noqa: B018


def test_devices():
    assert cp.cuda.runtime.getDeviceCount() >= 1
    with cp.cuda.Device(0) as device:
        assert int(device) == 0
        device.synchronize()
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidDevice: there is no device 99"):
        cp.cuda.Device(99)
    cp.cuda.Stream.null.synchronize()


@pytest.mark.parametrize("ord", [None, 1, 2, 3, 0, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_vector_norms(ord, dtype):
    x = (np.arange(12) - 4).reshape(3, 4).astype(dtype)
    got = qn.linalg.norm(qn.asarray(x), ord, axis=1)
    want = np.linalg.norm(x, ord, axis=1)
    np.testing.assert_allclose(qn.asnumpy(got), want, rtol=1e-5)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("ord", [None, "fro", 1, -1, np.inf, -np.inf])
def test_matrix_norms(ord):
    x = (np.arange(12.0) - 4).reshape(3, 4)
    np.testing.assert_allclose(qn.asnumpy(qn.linalg.norm(qn.asarray(x), ord)), np.linalg.norm(x, ord))
    np.testing.assert_allclose(
        qn.asnumpy(qn.linalg.norm(qn.asarray(x), ord, (0, 1), keepdims=True)), np.linalg.norm(x, ord, (0, 1), keepdims=True)
    )


def test_single_elements_are_views(device):
    x = cp.arange(6).reshape(2, 3)
    one = x[1, 2]
    one += 10
    x[0, 0] = 7
    assert x.tolist() == [[7, 1, 2], [3, 4, 15]]
    assert int(one) == 15
    q = qn.arange(3)
    value = q[1]
    value += 5
    assert q.tolist() == [0, 1, 2]


def test_arrays_over_memory(device):
    memory = cp.cuda.alloc(64)
    a, b = cp.ndarray((4,), "f8", memory), cp.ndarray((2, 2), "f8", memory + 16, strides=(16, 8))
    a[...] = cp.arange(4)
    assert b.tolist()[0] == [2, 3]
    b[0] = 9
    assert a.tolist() == [0, 1, 9, 9]
    with pytest.raises(ValueError, match="does not fit"):
        cp.ndarray((9,), "f8", memory)
    with pytest.raises(ValueError, match="does not fit"):
        cp.ndarray((4,), "f8", memory - 8)
    whole = np.arange(4.0)
    over = cp.ndarray((4,), "f8", cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(a.data.ptr, 32, a), 0))
    over.set(whole)
    assert a.tolist() == whole.tolist()


ADD = 'extern "C" __global__ void add(float* a, int n, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += by; }'


@pytest.mark.parametrize("non_blocking", [False, True])
def test_streams_and_arrays_keep_their_order(device, non_blocking):
    add = cp.RawKernel(ADD, "add")
    n = 1 << 18
    stream, other = cp.cuda.Stream(non_blocking=non_blocking), cp.cuda.Stream(non_blocking=non_blocking)
    for _ in range(5):
        x = cp.zeros(n, "f4")
        with stream:
            x += 1
            add((n // 256,), (256,), (x, n, np.float32(2)))
            y = x * 10
            with other:
                x += 1
                add((n // 256,), (256,), (x, n, np.float32(4)))
            assert cp.cuda.get_current_stream() is stream
        add((n // 256,), (256,), (x, n, np.float32(8)), stream=other)
        assert float(y.min()) == float(y.max()) == 30
        assert float(x.min()) == float(x.max()) == 16
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


def test_events_time_what_was_recorded_before_them(device):
    from quern.lib import _engine

    start, end = cp.cuda.Event(), cp.cuda.Event()
    x = cp.ones((300, 300))
    x.get()
    start.record()
    y = x @ x
    assert _engine.array_pending() > 0
    end.record()
    assert _engine.array_pending() == 0
    end.synchronize()
    assert end.done
    assert 0 < cp.cuda.get_elapsed_time(start, end) < 60_000
    assert float(y[0, 0]) == 300
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidValue"):
        cp.cuda.get_elapsed_time(cp.cuda.Event(), end)
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.get_elapsed_time(cp.cuda.Event(disable_timing=True), end)


def test_the_limit_of_the_pool_holds_for_arrays(device):
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    x = cp.zeros(1 << 18)
    assert pool.used_bytes() >= before + (1 << 21)
    cp.cuda.Device().synchronize()  # what work still uses is not freed
    pool.free_all_blocks()
    pool.set_limit(size=1 << 20)
    try:
        with pytest.raises(MemoryError, match=r"no room for 8.0 MiB .*the pool's limit"):
            cp.ones(1 << 20)
        del x
        pool.set_limit(size=0)
        assert float((cp.ones(1 << 20) + 1)[5]) == 2
    finally:
        pool.set_limit(size=0)


TOO_LARGE = """
cp.ones(1 << 21)
cp.zeros((1 << 10, 1 << 11))
cp.empty(1 << 21, "f8")
cp.full(1 << 21, 3.0)
cp.arange(1 << 21)
cp.linspace(0, 1, 1 << 21)
cp.random.rand(1 << 21)
cp.random.default_rng(3).standard_normal((1 << 10, 1 << 11))
cp.ones((1400, 1)) @ cp.ones((1, 1400))
"""


@pytest.mark.parametrize("text", TOO_LARGE.strip().splitlines())
def test_what_the_size_alone_decides_is_raised_at_the_call(device, text):
    pool = cp.get_default_memory_pool()
    pool.set_limit(size=1 << 21)
    try:
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="no room for .* on .*raise the limit"):
            eval(text, {"cp": cp})
    finally:
        pool.set_limit(size=0)


def test_out_of_memory_is_raised_only_by_what_depends_on_it(device):
    """The pool, waits, kernels and other arrays go on; so does whatever is computed later."""
    pool, a, b = cp.get_default_memory_pool(), cp.arange(1000.0), cp.arange(5.0)
    add_one = cp.RawKernel('extern "C" __global__ void k(double* x) { x[threadIdx.x] += 1; }', "k")
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    pool.set_limit(size=pool.total_bytes() + (1 << 21))
    try:
        large = cp.broadcast_to(a, (2000, 1000)) * 2  # recorded: who reads a sum of it needs no memory
        assert pool.get_limit() > 0 and pool.used_bytes() > 0
        for stream in (cp.cuda.Device(), cp.cuda.Stream.null, cp.cuda.Stream()):
            stream.synchronize()
        add_one((1,), (5,), (b,))
        add_one((1,), (1000,), (a,))  # which the large one reads first
        a += 1
        assert b.tolist() == [1, 2, 3, 4, 5] and a[:3].tolist() == [2, 3, 4]
        for look in (lambda: large[3].get(), lambda: large.sum(), lambda: float(large[0, 0])):
            with pytest.raises(cp.cuda.memory.OutOfMemoryError):
                float(cp.max(look()))
    finally:
        pool.set_limit(size=0)
    assert float((cp.broadcast_to(a, (2000, 1000)) * 2)[0, 1]) == 6


def test_free_all_blocks_frees_at_once(device):
    pool = cp.get_default_memory_pool()
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    before = pool.total_bytes()
    x = cp.ones(1 << 20)
    y = (x + 1).sum()
    del x
    pool.free_all_blocks()
    assert pool.total_bytes() < before + (1 << 16) and pool.free_bytes() == 0
    assert float(y) == 2 << 20


def test_a_function_gives_memory_to_arrays(device):
    asked, given = [], []

    def mine(size):
        asked.append(size)
        given.append(cp.cuda.MemoryPointer(cp.cuda.Memory(size), 0))
        return given[-1]

    a = cp.array([3.0, 1.0, 2.0])
    with cp.cuda.using_allocator(mine):
        for make in (lambda: cp.zeros(3), lambda: cp.ndarray(3), lambda: cp.sort(a), lambda: cp.array([1.0, 2.0, 3.0]), lambda: cp.cuda.alloc(24)):
            asked.clear()
            make()
            assert asked == [24]
        made = cp.sort(a)
        assert type(made) is cp.ndarray
        values, vectors = cp.linalg.eigh(cp.eye(2))
        assert values.tolist() == [1, 1]
        assert cp.asfortranarray(cp.arange(6).reshape(2, 3)).strides == (8, 16)
        assert cp.zeros(0).shape == (0,)
        row = cp.expand_dims(a, 0)
        for make, expected in [
            (lambda: a + 1, [4, 2, 3]),
            (lambda: 2 * a - a, [3, 1, 2]),
            (lambda: -a, [-3, -1, -2]),
            (lambda: cp.add(a, a), [6, 2, 4]),
            (lambda: a.copy(), [3, 1, 2]),
            (lambda: a.astype("f4").astype("f8"), [3, 1, 2]),
            (lambda: a[cp.array([0, 1, 2])], [3, 1, 2]),
            (lambda: a @ cp.eye(3), [3, 1, 2]),
            (lambda: a.cumsum(), [3, 4, 6]),
            (lambda: cp.asarray([7.0, 8.0, 9.0]), [7, 8, 9]),
            (lambda: cp.random.uniform(2, 2, size=3), [2, 2, 2]),
        ]:
            asked.clear()
            out = make()
            assert type(out) is cp.ndarray and asked[-1] == 24
            assert out.data.ptr == given[-1].ptr
            np.testing.assert_array_equal(out.get(), expected)
        assert cp.asarray(out) is out and cp.add(a, a, out=out) is out and out.data.ptr == given[-1].ptr
        total, before = a.copy(), len(asked)
        total += 1
        assert total[1:].base is total and len(asked) == before  # neither writes nor views ask for memory
    asked.clear()
    np.testing.assert_array_equal(made.get(), [1, 2, 3])
    np.testing.assert_array_equal((made + cp.zeros(3)).get(), [1, 2, 3])
    row[0, 0] = 9
    assert int(a[0]) == 9  # a view stays one
    assert not asked


def test_errors_of_an_allocator_are_the_callers(device, capfd):
    def full(size):
        raise cp.cuda.memory.OutOfMemoryError("no room")

    a = cp.array([3.0, 1.0, 2.0])
    with cp.cuda.using_allocator(full):
        for work in (
            lambda: cp.sort(a),
            lambda: cp.argsort(a),
            lambda: cp.lexsort(cp.vstack([a, a])),
            lambda: cp.percentile(a, 50),
            lambda: cp.empty(3),
            lambda: a + 1,
            lambda: a.copy(),
            lambda: cp.exp(a),
            lambda: cp.cuda.alloc(8),
            lambda: cp.asarray([1, 2]),
            lambda: cp.asanyarray(np.ones(3), dtype="f4"),
            lambda: cp.random.rand(3),
            lambda: cp.random.RandomState(3).gamma(2.0, size=3),
            lambda: cp.random.default_rng(3).standard_normal(3, dtype="f4"),
            lambda: cp.random.default_rng(3).integers(0, 5, 3),
            lambda: cp.random.permutation(5),
            lambda: cp.random.choice(5, 3),
        ):
            with pytest.raises(cp.cuda.memory.OutOfMemoryError):
                work()
    assert capfd.readouterr().err == ""
    with cp.cuda.using_allocator(lambda size: None), pytest.raises(TypeError, match="MemoryPointer"):
        cp.ones(3)
    with pytest.raises(TypeError):
        cp.cuda.set_allocator(3)
    with pytest.raises(NotImplementedError, match="pools with an allocator are not supported"):
        cp.cuda.MemoryPool(lambda size: None)
    assert cp.zeros(3).tolist() == [0, 0, 0]


@pytest.mark.filterwarnings("ignore::quern.FallbackWarning")
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64", "int16", "complex64"])
@pytest.mark.filterwarnings("ignore:`ndarray.scatter_:DeprecationWarning")
def test_scatter(device, dtype):
    places = ([0, 1, 1, 2, 0], [1, 1, 1, 3, 1])
    for name, ufunc in (("add", np.add), ("max", np.maximum), ("min", np.minimum)):
        if dtype == "complex64" and name != "add":
            continue
        want = (np.arange(12).reshape(3, 4) * 3 % 7).astype(dtype)
        got, values = cp.asarray(want), np.array([5, 7, 0, 2, 3], dtype)
        scatter = getattr(got, f"scatter_{name}")
        scatter(places, values)
        ufunc.at(want, places, values)
        getattr(got[::-1].T, f"scatter_{name}")([1, 1, 0], 4)
        ufunc.at(want[::-1].T, [1, 1, 0], np.asarray(4, dtype))
        mask = want == want[0, 0]
        scatter(cp.asarray(mask), 1)
        ufunc.at(want, mask, np.asarray(1, dtype))
        np.testing.assert_array_equal(got.get(), want)
    got = cp.zeros(3, dtype)
    got.scatter_add([0, 3, -5], 1)  # what is out of range wraps around
    np.testing.assert_array_equal(got.get(), np.array([2, 1, 0], dtype))


def test_environment_sets_the_limit():
    from programs import code

    text = "from quern import cupy as cp; print(cp.get_default_memory_pool().get_limit())"
    assert code(text, CUPY_GPU_MEMORY_LIMIT="1048576").stdout == "1048576\n"
    assert int(code(text, CUPY_GPU_MEMORY_LIMIT="50%").stdout) > 1 << 20


def test_pinned_memory_may_outlive_the_interpreter():
    """Memory that a module's name holds is given back while the interpreter ends."""
    from programs import code

    for text in (
        "from quern import cupyx; a = cupyx.zeros_pinned(10); print(a.sum())",
        "from quern.pycuda import autoinit, driver; a = driver.pagelocked_zeros(10, 'f4'); print(a.sum())",
    ):
        done = code(text, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "0.0\n", "")


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_integers_to_negative_powers(device, dtype):
    """CuPy gives what an integer holds of the quotient, where NumPy and quern itself refuse: 1 and -1 for these, 0 for all others."""
    bases, powers = [2, 4, 1, -1, -1, 0, -3, 5], [-1, -2, -7, -3, -4, -1, -2, 2]
    want = [0, 0, 1, -1, 1, 0, 0, 25]
    a, b = cp.asarray(bases, dtype=dtype), cp.asarray(powers, dtype=dtype)
    assert (a**b).tolist() == want
    assert cp.power(a, b).tolist() == want
    assert cp.power(a, b, out=cp.zeros(8, dtype)).tolist() == want
    assert cp.power(a, b, where=cp.ones(8, bool)).tolist() == want
    assert (a**-1).tolist() == [0, 0, 1, -1, -1, 0, 0, 0]
    assert ((-1) ** b).tolist() == [-1, 1, -1, -1, 1, -1, 1, 1]
    assert (a**b).dtype == dtype
    c = a.copy()
    c **= b
    assert c.tolist() == want
    many = cp.arange(-60, 60, dtype=dtype).repeat(100) ** -1
    assert int(abs(many).sum()) == 200
    x = qn.asarray(bases, dtype=dtype)
    for f in (lambda: x**-1, lambda: qn.power(x, -1), lambda: (x ** qn.asarray(powers, dtype=dtype)).tolist()):
        with pytest.raises(ValueError, match="negative integer powers"):
            f()


def test_results_with_lists_are_of_the_front_end():
    x = cp.arange(6.0).reshape(2, 3)
    for made in (
        x.compress([True, False, True], axis=1),
        cp.compress([True, False], x, 0),
        cp.extract([[True, False, True], [False] * 3], x),
        cp.concatenate(([[1.0, 2.0, 3.0]], x)),
        cp.dot([1.0, 2.0], x),
        cp.cross([1.0, 0.0, 0.0], x[0]),
        cp.searchsorted([1.0, 2.0], x[0]),
    ):
        assert type(made) is cp.ndarray


def test_events_of_a_stream_with_nothing_left_to_do_are_done_at_once(device):
    device.synchronize()
    stream = cp.cuda.Stream()
    start, end = stream.record(), stream.record()
    if device.kind != "cpu":
        end.synchronize()
    assert end.done
    assert 0 <= cp.cuda.get_elapsed_time(start, end) < 1000
