"""Kernels written in Python, launched: grids, arguments of every kind, signatures, what is compiled when, errors by name."""

import pickle
import threading

import numpy as np
import pytest
import quern as qn
from quern import trace
from quern.cuda import In, InOut, Out
from quern.device import set_current_device
from quern.numba import cuda, float32, float64, int32, types, void


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def test_arrays_of_every_kind_are_arguments(device):
    host = np.arange(100, dtype=np.float32)
    expected = host * 2
    for make in (np.copy, cuda.to_device, qn.asarray):
        out = make(np.zeros_like(host))
        add[4, 32](make(host), make(host), out)
        np.testing.assert_array_equal(out.copy_to_host() if isinstance(out, cuda.DeviceNDArray) else np.asarray(out), expected)


def test_recorded_work_comes_before_and_after(device):
    x = qn.arange(64, dtype="float64") * 2
    y = qn.zeros(64)
    z = y + 1
    add[1, 64](x, x + 1, y)
    y += 1
    add[1, 64](y, y, x)
    assert (np.asarray(x) == (np.arange(64) * 4 + 2) * 2).all()
    assert (np.asarray(z) == 1).all() and (np.asarray(y) == np.arange(64) * 4 + 2).all()


def test_parts_of_arrays_are_written_in_place(device):
    x = cuda.to_device(np.zeros((6, 8)))

    @cuda.jit
    def mark(a):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            a[i, j] = 10 * i + j + 1

    mark[(2, 2), (4, 4)](x[1::2, ::3])
    expected = np.zeros((6, 8))
    expected[1::2, ::3] = [[10 * i + j + 1 for j in range(3)] for i in range(3)]
    np.testing.assert_array_equal(x.copy_to_host(), expected)


def test_host_arrays_with_gaps(device):
    whole = np.zeros((6, 8))
    add_one_d = whole[2, ::2]
    add[1, 32](np.arange(10.0)[1::2][:4], np.arange(4.0), add_one_d)
    assert list(whole[2]) == [1, 0, 4, 0, 7, 0, 10, 0] and whole.sum() == 22
    back = np.arange(5.0)
    add[1, 32](back[::-1], np.zeros(5), back)  # in place, backwards: each is read before or after it is written
    assert back.size == 5


def test_in_out_and_inout(device):
    @cuda.jit
    def kernel(a, b, c):
        i = cuda.grid(1)
        if i < a.size:
            b[i] = a[i] * 2
            c[i] += 1
            a[i] = -1

    a, b, c = np.arange(4.0), np.zeros(4), np.ones(4)
    kernel[1, 4](In(a), Out(b), InOut(c))
    np.testing.assert_array_equal(b, np.arange(4.0) * 2)
    np.testing.assert_array_equal(c, np.full(4, 2.0))
    if device.kind != "cpu":  # on the CPU host arrays are used in place
        np.testing.assert_array_equal(a, np.arange(4.0))


def test_numbers_have_their_types(device):
    @cuda.jit
    def kernel(out, x):
        out[0] = x

    for value in (True, 5, -5, 2.5, np.int8(-3), np.uint16(9), np.float32(0.1), 2**63 + 1, np.float16(0.5)):
        out = np.zeros(1, np.asarray(value).dtype if not isinstance(value, int) or value < 2**63 else np.uint64)
        kernel[1, 1](out, value)
        assert out[0] == value
    out = np.zeros(1, np.complex128)
    kernel[1, 1](out, 1 + 2j)
    assert out[0] == 1 + 2j
    names = {str(s[1]) for s in kernel.signatures}
    assert names == {"bool", "int64", "uint64", "float64", "int8", "uint16", "float32", "float16", "complex128"}


def test_grids(device):
    @cuda.jit
    def kernel(out):
        i = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)
        j = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
        out[i, j] = 1 + i * 100 + j

    out = np.zeros((24, 30), np.int64)
    kernel[(2, 3, 4), (5, 3, 2)](out)
    np.testing.assert_array_equal(out, 1 + np.arange(24)[:, None] * 100 + np.arange(30))
    out[:] = 0
    kernel[np.int64(24), 30](out)
    assert out.all()


def test_forall(device):
    x = np.arange(1000.0)
    add.forall(1000)(x, x, x)
    np.testing.assert_array_equal(x, np.arange(1000.0) * 2)
    add.forall(0)(x, x, x)

    @cuda.jit
    def counts(x):
        x[cuda.grid(1)] += 1

    for n in (1, 7, 100):  # a thread for each task, where they are few
        x = np.zeros(300)
        counts.forall(n)(x)
        assert x.sum() == n
    with pytest.raises(ValueError, match="negative task count: -1"):
        add.forall(-1)


def test_a_second_call_compiles_nothing(device):
    @cuda.jit
    def kernel(x):
        x[0] += 1

    x = cuda.to_device(np.zeros(2))
    kernel[1, 1](x)
    with trace() as events:
        for _ in range(3):
            kernel[1, 1](x)
        cuda.synchronize()
    kinds = [e["kind"] for e in events]
    assert kinds.count("launch") == 3 and "compile" not in kinds and not any("_to_" in k for k in kinds)
    assert x.copy_to_host()[0] == 4


def test_layouts_share_no_kernel_wrongly(device):
    @cuda.jit
    def kernel(a, out):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[i, j] = a[i, j]

    c = np.arange(12.0).reshape(3, 4)
    for a in (c, np.asfortranarray(c), np.arange(96.0).reshape(8, 12)[1::3, ::3], c[::-1, ::-1]):
        out = np.zeros((3, 4))
        kernel[1, (4, 4)](a, out)
        np.testing.assert_array_equal(out, a)
    assert [s[0].layout for s in kernel.signatures] == ["C", "F", "A"]


# ---- signatures


def test_eager_signatures(device):
    @cuda.jit("void(float32[:], float32, int32)")
    def kernel(x, by, n):
        i = cuda.grid(1)
        if i < n:
            x[i] *= by

    assert kernel.specialized and len(kernel.overloads) == 1
    x = np.ones(4, np.float32)
    kernel[1, 8](x, 2.5, 3)
    np.testing.assert_array_equal(x, [2.5, 2.5, 2.5, 1])
    kernel[1, 8](np.ones(8, np.float32)[::2], 2, np.int64(1))
    with pytest.raises(TypeError, match=r"No matching definition for argument type\(s\) array\(float64, 1d, C\), float64, int64"):
        kernel[1, 8](np.ones(4), 2.5, 3)
    for n in (2**40 + 3, np.int64(2**40 + 3), np.uint64(2**63 + 3)):  # int32, as C converts it
        x[:] = 1
        kernel[1, 8](x, 2.5, n)
        np.testing.assert_array_equal(x, [2.5, 2.5, 2.5, 1])


@pytest.mark.parametrize(
    "given",
    [
        "void(float64[:, ::1])",
        "(f8[:, ::1],)",
        void(float64[:, ::1]),
        (float64[:, ::1],),
        types.void(types.float64[:, ::1]),
        [void(float64[:, ::1]), "void(float32[:, :])"],
    ],
)
def test_ways_to_write_a_signature(device, given):
    @cuda.jit(given)
    def kernel(x):
        x[0, 1] = 5

    x = np.zeros((2, 2))
    kernel[1, 1](x)
    assert x[0, 1] == 5


def test_signatures_that_are_none(device):
    for given in ("void(float99[:])", "void(", 5, "void(x y)"):
        with pytest.raises(TypeError):
            cuda.jit(given)(lambda x: None)
    with pytest.raises(TypeError, match="CUDA kernel must have void return type"):
        cuda.jit("int32(int32)")(lambda x: None)


def test_types_are_named_as_numba_names_them():
    assert str(float32[:]) == "array(float32, 1d, A)" and str(int32[:, ::1]) == "array(int32, 2d, C)"
    assert str(float32[::1, :]) == "array(float32, 2d, F)"
    assert str(void(float32, int32[:])) == "(float32, Array(int32, 1, 'A', False, aligned=True)) -> none"
    assert types.UniTuple(int32, 3) == types.Tuple((int32, int32, int32)) and str(types.UniTuple(int32, 3)) == "UniTuple(int32 x 3)"
    assert float64(3) == 3.0 and isinstance(int32(2.0), np.int32)


def test_specialize(device):
    x = np.zeros(3)
    made = add.specialize(x, x, x)
    assert made.specialized and len(made.signatures) == 1
    made[1, 4](x + 1, x + 2, x)
    assert (x == 3).all()


# ---- what a dispatcher says


def test_resources(device):
    @cuda.jit("void(float32[:])")
    def kernel(x):
        room = cuda.shared.array(32, float32)
        room[cuda.threadIdx.x] = x[cuda.threadIdx.x]
        cuda.syncthreads()
        x[cuda.threadIdx.x] = room[31 - cuda.threadIdx.x]

    assert kernel.get_shared_mem_per_block() == 128
    assert kernel.get_max_threads_per_block() >= 32
    for number in (kernel.get_regs_per_thread(), kernel.get_local_mem_per_thread(), kernel.get_const_mem_size()):
        assert number >= 0
    assert kernel.__name__ == "kernel" and kernel.py_func.__name__ == "kernel"
    assert "__shared__" in kernel.inspect_cuda()
    add[1, 1](np.zeros(1), np.zeros(1), np.zeros(1))
    assert set(add.get_shared_mem_per_block().values()) == {0}


def test_inspect_types(device, capsys):
    add[1, 1](np.zeros(1), np.zeros(1), np.zeros(1))
    add.inspect_types()
    text = capsys.readouterr().out
    assert "i: int64" in text and "a: array(float64, 1d, C)" in text


def test_pickle(device):
    assert pickle.loads(pickle.dumps(add)) is add


def test_many_first_launches_compile_once(device):
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(x, i, 1)

    x = cuda.to_device(np.zeros(8))
    failures = []

    def work():
        set_current_device(device)  # each thread has its own
        try:
            kernel[1, 8](x)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work) for _ in range(1000)]
    with trace() as events:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        cuda.synchronize()
    assert not failures and (x.copy_to_host() == 1000).all()
    assert len(kernel.overloads) == 1 and [e["kind"] for e in events].count("compile") <= 1


# ---- errors by name


def test_launch_errors(device):
    x = np.zeros(4)
    for wrong, message in (
        (lambda: add(x, x, x), "launch configuration was not specified"),
        (lambda: add[1](x, x, x), "kernel\\[grid, block\\]"),
        (lambda: add[1, 2, 3, 4, 5], "kernel\\[grid, block\\]"),
        (lambda: add[0, 4](x, x, x), "at least 1"),
        (lambda: add[1, (2, 2, 2, 2)](x, x, x), r"blockdim must be a sequence of 1, 2 or 3 integers, got \[2, 2, 2, 2\]"),
        (lambda: add[2.0, 1](x, x, x), r"griddim must be a sequence of integers, got \[2.0\]"),
        (lambda: add[(1, None), 1](x, x, x), r"griddim must be a sequence of integers, got \[1, None\]"),
        (lambda: add[1, "a"](x, x, x), r"blockdim must be a sequence of integers, got \['a'\]"),
        (lambda: add[1, 2000](x, x, x), "2000"),
        (lambda: add[1, 4, "stream"](x, x, x), "Stream or 0"),
        (lambda: add[1, 4, 0, -1](x, x, x), "shared memory"),
        (lambda: add[1, 4](x, x), "it takes 3 arguments, not 2"),
        (lambda: add[1, 4](x, x, x, x), "it takes 3 arguments, not 4"),
        (lambda: add[1, 4](x, "a", x), "argument 2 is a str"),
        (lambda: add[1, 4](x, np.array(["a"]), x), "argument 2"),
        (lambda: add[1, 4](x, x.astype(">f8"), x), "byte order"),
        (lambda: add[1, 4](x, x.astype("M8[D]"), x), r"unsupported operand types for \+: float64 and datetime64\[D\]"),
        (lambda: add[1, 4](x, x, x.astype("m8[s]")), r"float64 cannot be written into an element of type timedelta64\[s\]"),
        (lambda: add[1, 4](x, x.astype(">M8[D]"), x), r"argument 2 is a NumPy array of >M8\[D\]; .* byte order"),
        (lambda: add[1, 4](x, x.astype("M8[25s]"), x), r"kernels count times in whole units, and datetime64\[25s\] has 25"),
        (lambda: add[1, 4](x, 2**70, x), "64 bits"),
        (lambda: add[1, 4](a=x, b=x, out=x), "keyword arguments"),
        (lambda: cuda.jit(lambda a, b, c, d, e: None)[1, 4](*[np.zeros((1,) * 60)] * 5), "take more than 3,000 bytes"),
    ):
        with pytest.raises(Exception, match=message) as caught:
            wrong()
        assert not isinstance(caught.value, qn.InternalError), caught.value
    add[1, 4](x, x, x)


def test_intrinsics_have_no_meaning_outside():
    with pytest.raises(RuntimeError, match="only inside a kernel"):
        cuda.syncthreads()
    with pytest.raises(RuntimeError, match="only inside a kernel"):
        cuda.grid(1)


def test_options():
    with pytest.raises(TypeError, match="unrecognized option nothing"):
        cuda.jit(nothing=1)

    @cuda.jit(fastmath=True, max_registers=32, lineinfo=True, opt=True, cache=True, launch_bounds=64)
    def kernel(x):
        x[0] = 1

    x = np.zeros(1)
    kernel[1, 1](x)
    assert x[0] == 1


def test_a_device_function_is_for_kernels(device):
    @cuda.jit(device=True)
    def twice(x):
        return x * 2

    with pytest.raises(RuntimeError, match="py_func"):
        twice(2)
    assert twice.py_func(2) == 4


def test_print(device, capfd):
    @cuda.jit
    def kernel(x, n):
        i = cuda.grid(1)
        if i == 1:
            print("value:", x[i], n, n > 2, 1.5)

    kernel[1, 4](np.arange(4), 3)
    cuda.synchronize()
    print("after")
    text = capfd.readouterr().out
    assert text.split() == ["value:", "1", "3", "True", "1.500000", "after"]


def test_names_that_cplusplus_has_for_itself(device):
    @cuda.jit
    def double(float, int):
        float[0] = int

    @cuda.jit
    def exp(x):
        x[0] = 3

    x = np.zeros(1)
    double[1, 1](x, 5)
    assert x[0] == 5
    exp[1, 1](x)
    assert x[0] == 3


def test_an_array_handed_over_twice_is_one_memory(device):
    @cuda.jit
    def kernel(given, out):
        i = cuda.threadIdx.x
        out[i] = i + 1
        cuda.syncthreads()
        seen = given[(i + 1) % given.size]
        cuda.syncthreads()
        out[i] = seen

    x = qn.zeros(8)
    y = x.copy()  # recorded: the two may share memory until one is written
    kernel[1, 8](x, x)
    np.testing.assert_array_equal(np.asarray(x), np.roll(np.arange(1, 9), -1))
    assert not np.asarray(y).any()


def test_what_is_only_handed_in_stays_as_it_was(device):
    record = np.dtype([("a", "i4"), ("b", "f8")])

    @cuda.jit
    def doubled(x, y):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2
            y[i] = x[i]

    @cuda.jit
    def set_first(r):
        r[0].a = 5

    for x in (np.arange(4.0), np.arange(8.0)[::2], np.asfortranarray(np.arange(4.0))):
        before, y = x.copy(), np.zeros(4)
        doubled[1, 4](cuda.In(x), cuda.Out(y))
        np.testing.assert_array_equal(x, before)
        np.testing.assert_array_equal(y, before * 2)
        doubled[1, 4](cuda.InOut(x), y)
        np.testing.assert_array_equal(x, before * 2)
    r = np.zeros(2, record)
    set_first[1, 1](cuda.In(r))
    assert r[0]["a"] == 0
    set_first[1, 1](cuda.InOut(r))
    assert r[0]["a"] == 5
