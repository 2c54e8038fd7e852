"""What the pages of numba-cuda's user guide show, page by page, as programs of our own: each checks its answer."""

import math

import numpy as np
import pytest
import quern.cupy as cp
from quern import cuda, numba
from quern.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32
from quern.numba import float32, float64, guvectorize, int32, vectorize, void


def close(a, b, rtol=1e-12, atol=1e-12):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol)


# ---- writing kernels


def test_positions_by_hand_by_grid_and_by_stride(device):
    @cuda.jit
    def by_hand(a):
        place = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        if place < a.size:
            a[place] += 1

    @cuda.jit
    def by_grid(a):
        place = cuda.grid(1)
        if place < a.size:
            a[place] += 1

    @cuda.jit
    def in_strides(a):
        for place in range(cuda.grid(1), a.size, cuda.gridsize(1)):
            a[place] += 1

    @cuda.jit
    def of_two_axes(a):
        row, column = cuda.grid(2)
        if row < a.shape[0] and column < a.shape[1]:
            a[row, column] += row - column

    for n in (1, 31, 1000):
        a = np.arange(n, dtype=np.float32)
        per_block = 32
        for kernel in (by_hand, by_grid):
            kernel[(a.size + per_block - 1) // per_block, per_block](a)
        in_strides[2, 16](a)
        in_strides.forall(n)(a)
        np.testing.assert_array_equal(a, np.arange(n) + 4)
    plane = np.zeros((37, 21))
    blocks = math.ceil(plane.shape[0] / 16), math.ceil(plane.shape[1] / 16)
    of_two_axes[blocks, (16, 16)](plane)
    np.testing.assert_array_equal(plane, np.subtract.outer(np.arange(37.0), np.arange(21.0)))


def test_places_of_three_axes(device):
    @cuda.jit
    def numbered(out):
        x, y, z = cuda.grid(3)
        wide, high, deep = cuda.gridsize(3)
        if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
            out[x, y, z] = (x * high + y) * deep + z

    out = np.zeros((4, 6, 2), np.int64)
    numbered[(2, 3, 1), (2, 2, 2)](out)
    np.testing.assert_array_equal(out.ravel(), np.arange(48))


def test_a_kernel_that_does_nothing(device):
    @cuda.jit
    def nothing(a):
        """It has a docstring alone."""
        # and a comment

    a = np.arange(5.0)
    nothing[(a.size + 31) // 32, 32](a)
    cuda.synchronize()
    np.testing.assert_array_equal(a, np.arange(5.0))


# ---- memory


def test_copies_and_shapes(device):
    @cuda.jit
    def squared(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= a[i]

    stream = cuda.stream()
    there = cuda.to_device(np.arange(60), stream=stream)
    squared[3, 32, stream](there)
    host = np.empty(shape=there.shape, dtype=there.dtype)
    assert there.copy_to_host(host, stream=stream) is host
    stream.synchronize()
    np.testing.assert_array_equal(host, np.arange(60) ** 2)
    turned = there.reshape(4, 15, order="F")
    assert turned.is_f_contiguous() and not turned.is_c_contiguous() and turned.shape == (4, 15)
    np.testing.assert_array_equal(turned.copy_to_host(), host.reshape(4, 15, order="F"))
    np.testing.assert_array_equal(turned.ravel(order="F").copy_to_host(), host)
    np.testing.assert_array_equal(np.concatenate([p.copy_to_host() for p in there.split(16)]), host)
    with cuda.defer_cleanup(), cuda.defer_cleanup():
        del there, turned
    for stream in (cuda.default_stream(), cuda.legacy_default_stream(), cuda.per_thread_default_stream()):
        stream.synchronize()
    mapped = np.ones(5)
    with cuda.mapped(mapped) as seen:
        squared[1, 32](seen)
        cuda.synchronize()
    assert cuda.pinned_array_like(mapped).shape == cuda.mapped_array_like(mapped).shape == cuda.managed_array(5).shape == (5,)


def test_memory_of_the_launch_that_is_printed(device, capfd):
    @cuda.jit
    def one_memory():
        reals, integers = cuda.shared.array(0, dtype=np.float32), cuda.shared.array(0, dtype=np.int32)
        reals[0] = 2.5
        print(reals[0])
        print(integers[0])

    @cuda.jit
    def two_parts():
        reals, integers = cuda.shared.array(0, dtype=np.float32), cuda.shared.array(0, dtype=np.int32)[1:]
        reals[0] = 2.5
        integers[0] = 6
        print(reals[0])
        print(integers[0])

    one_memory[1, 1, 0, 4]()
    two_parts[1, 1, 0, 8]()
    cuda.synchronize()
    assert capfd.readouterr().out.split() == ["2.500000", str(np.float32(2.5).view(np.int32)), "2.500000", "6"]


LENGTH = 3 * 4


def test_shapes_that_are_known(device):
    around = LENGTH - 2

    @cuda.jit
    def kernel(out):
        n = 5
        a, b = cuda.shared.array(6, float32), cuda.local.array(n, float32)
        c, d = cuda.shared.array(LENGTH, float32), cuda.local.array((2, around), float32)
        out[0], out[1], out[2], out[3], out[4] = a.size, b.size, c.size, d.shape[0], d.shape[1]

    out = np.zeros(5)
    kernel[1, 1](out)
    assert out.tolist() == [6, 5, 12, 2, 10]

    @cuda.jit
    def unknown(out, n):
        out[0] = cuda.shared.array(n, float32).size

    with pytest.raises(numba.errors.RequireLiteralValue, match="must be known when the kernel is compiled"):
        unknown[1, 1](out, 4)


# ---- globals

RATE, TABLE = 0.25, np.array([4.0, 8.0, 12.0])


def test_globals_are_constants(device, monkeypatch):
    table = np.array([1.0, 2.0, 3.0])

    @cuda.jit
    def totals(count, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = count[i] * TABLE[i] * (1 + RATE) + table[i]

    count, out = cuda.to_device(np.array([1.0, 2, 3])), cuda.device_array(3, dtype=np.float64)
    totals[1, 32](count, out)
    wanted = [6.0, 22.0, 48.0]
    np.testing.assert_array_equal(out.copy_to_host(), wanted)
    monkeypatch.setitem(globals(), "RATE", 7.0)
    monkeypatch.setitem(globals(), "TABLE", np.zeros(3))
    table[:] = 100
    totals[1, 32](count, out)
    np.testing.assert_array_equal(out.copy_to_host(), wanted)


def test_arrays_of_the_device_around_a_kernel_are_seen_as_they_are(device):
    for make in (cp.asarray, cuda.to_device):
        prices = make(np.array([3.0, 5, 7], np.float32))

        @cuda.jit(cache=True)
        def totals(count, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = count[i] * prices[i]  # noqa: B023

        count, out = cp.asarray(np.full(3, 2, np.float32)), cp.zeros(3, np.float32)
        totals[1, 32](count, out)
        assert out.get().tolist() == [6, 10, 14]
        prices[:] = make(np.array([30.0, 50, 70], np.float32))
        totals[1, 32](count, out)
        assert out.get().tolist() == [60, 100, 140]


# ---- the language


@cuda.jit("int64(int64)", device=True)
def steps_to_one(n):
    if n <= 1:
        return 0
    return 1 + (steps_to_one(n // 2) if n % 2 == 0 else steps_to_one(3 * n + 1))


@cuda.jit
def halved_until(x, y):  # of other types in itself than from outside
    if x > 1 and y > 0:
        return x + halved_until(x - y, y)
    else:
        return y


@cuda.jit(device=True)
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


@cuda.jit(device=True)
def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


def test_functions_that_call_themselves(device):
    @cuda.jit
    def kernel(out):
        out[0], out[1] = steps_to_one(6), steps_to_one(1)  # a GPU's thread has 1 KiB for calls
        out[2] = halved_until(5, 1.5)
        out[3], out[4] = is_even(10), is_odd(4)

    out = np.zeros(5)
    kernel[1, 1](out)
    assert out.tolist() == [8, 0, 5 + 3.5 + 2 + 1.5, 1, 0]


def test_errors_of_threads(device):
    def body(x, by):
        i = cuda.grid(1)
        if i < x.size:
            assert x[i] < 100, "too much"
            if x[i] < 0:
                raise ValueError("too little")
            x[i] = 1 / by[i]

    silent, told = cuda.jit(body), cuda.jit(debug=True, opt=False)(body)
    x = np.array([1.0, 200, -3])
    silent[1, 32](x, np.array([2.0, 0, -0.0]))
    assert x.tolist() == [0.5, math.inf, math.inf] or x[0] == 0.5  # those that fail may end there
    for first, by, kind in ((200, 1, AssertionError), (-3, 1, ValueError), (1, 0, ZeroDivisionError)):
        with pytest.raises(kind, match=r"In function 'body', file .*, line \d+, tid=\[0, 0, 0\] ctaid=\[0, 0, 0\]"):
            told[1, 32](np.array([first, 1.0]), np.array([by, 1.0]))
    told[1, 32](x := np.array([4.0, 5]), np.array([2.0, 4]))
    assert x.tolist() == [0.5, 0.25]


def test_what_is_printed(device, capfd):
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i == 0:
            print("place", i, "has", x[i], "and", 0.5)
            print(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32)

    kernel[1, 2](np.array([7, 8]))
    cuda.synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert lines == ["place 0 has 7 and 0.500000", " ".join(map(str, range(1, 33)))]


def test_arrays_there_and_back(device):
    host = np.linspace(0, 1, 50)
    there = cuda.to_device(host)
    again = np.empty_like(host)
    there.copy_to_host(again)
    close(again, host)
    made, like = cuda.device_array((5, 10), np.float32), cuda.device_array_like(there)
    assert made.shape == (5, 10) and made.dtype == np.float32 and like.shape == host.shape
    like.copy_to_device(there)
    stream = cuda.stream()
    with stream.auto_synchronize():
        back = like.copy_to_host(stream=stream)
    close(back, host)
    pinned = cuda.pinned_array(50, dtype=np.float64)
    pinned[:] = host
    with cuda.pinned(host):
        close(cuda.to_device(host, stream=stream).copy_to_host(), pinned)
    with cuda.defer_cleanup():
        del there
        close(like.copy_to_host(), host)


def test_shared_memory_of_fixed_and_of_launched_size(device):
    width = 32

    @cuda.jit
    def turned(a, out):
        tile = cuda.shared.array((width, width), float32)
        i, j = cuda.threadIdx.x, cuda.threadIdx.y
        tile[i, j] = a[i, j]
        cuda.syncthreads()
        out[i, j] = tile[j, i]

    a = np.random.default_rng(1).random((width, width)).astype(np.float32)
    out = np.empty_like(a)
    turned[1, (width, width)](a, out)
    np.testing.assert_array_equal(out, a.T)

    @cuda.jit
    def one_memory(x):  # arrays of no length all show the memory of the launch from its start
        floats, integers = cuda.shared.array(0, float32), cuda.shared.array(0, int32)
        floats[0] = 1
        x[0] = integers[0]

    bits = np.zeros(1, np.int32)
    one_memory[1, 1, 0, 4](bits)
    assert bits[0] == 0x3F800000

    @cuda.jit
    def halves(out):
        first, second = cuda.shared.array(0, float32)[:4], cuda.shared.array(0, float32)[4:8]
        i = cuda.threadIdx.x
        first[i], second[i] = i, 10 * i
        cuda.syncthreads()
        out[i] = first[3 - i] + second[i]

    out = np.zeros(4, np.float32)
    halves[1, 4, 0, 32](out)
    np.testing.assert_array_equal(out, [3, 12, 21, 30])


def test_local_and_constant_memory(device):
    table = np.array([[2.0, 3.0], [5.0, 7.0]])

    @cuda.jit
    def looked_up(out):
        fixed = cuda.const.array_like(table)
        own = cuda.local.array(4, float64)
        i = cuda.grid(1)
        for k in range(4):
            own[k] = fixed[k // 2, k % 2] * i
        if i < out.size:
            out[i] = own[0] + own[3]

    out = np.zeros(5)
    looked_up[1, 8](out)
    np.testing.assert_array_equal(out, 9 * np.arange(5.0))


# ---- device functions, atomics, cooperative groups


def test_device_functions(device):
    @cuda.jit(device=True)
    def weighed(a, b, by=0.5):
        return a * by, b * (1 - by)

    @cuda.jit("float64(float64, float64)", device=True, inline="never")
    def larger(a, b):
        return a if a > b else b

    @cuda.jit
    def kernel(x, y, out):
        i = cuda.grid(1)
        if i < x.size:
            a, b = weighed(x[i], y[i])
            out[i] = larger(a + b, weighed(x[i], y[i], by=0.25)[1])

    rng = np.random.default_rng(2)
    x, y, out = rng.random(40), rng.random(40), np.zeros(40)
    kernel[2, 32](x, y, out)
    close(out, np.maximum((x + y) / 2, y * 0.75))


def test_atomics(device):
    @cuda.jit
    def largest(result, values):
        place = cuda.grid(1)
        if place < values.size:
            cuda.atomic.max(result, 0, values[place])

    @cuda.jit
    def largest_of_three_axes(result, values):
        i, j, k = cuda.grid(3)
        if i < values.shape[0] and j < values.shape[1] and k < values.shape[2]:
            cuda.atomic.max(result, (0, 1, 2), values[i, j, k])

    @cuda.jit
    def counted(places, count, old):
        i = cuda.grid(1)
        if i < places.size:
            old[i] = cuda.atomic.add(count, places[i], 1)

    @cuda.jit
    def locked(lock, out):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(lock, 0, 0, 1) != 0:
                pass
            cuda.threadfence()
            out[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)

    rng = np.random.default_rng(3)
    values, result = rng.random(1000), np.zeros(1)
    largest[32, 32](result, values)
    assert result[0] == values.max()
    cube, result = rng.random((10, 9, 8)), np.zeros((3, 3, 3))
    largest_of_three_axes[(5, 3, 4), (2, 3, 2)](result, cube)
    assert result[0, 1, 2] == cube.max() and np.count_nonzero(result) == 1
    places, count, old = rng.integers(0, 7, 500), np.zeros(7, np.int64), np.zeros(500, np.int64)
    counted[4, 128](places, count, old)
    np.testing.assert_array_equal(count, np.bincount(places, minlength=7))
    for place in range(7):
        np.testing.assert_array_equal(np.sort(old[places == place]), np.arange(count[place]))
    lock, out = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(1, np.int32))
    locked[16, 32](lock, out)
    assert out.copy_to_host()[0] == 16


def test_rows_one_after_the_other(device):
    @cuda.jit(void(int32[:, ::1]))
    def after_the_row_above(m):
        column, grid = cuda.grid(1), cuda.cg.this_grid()
        for row in range(1, m.shape[0]):
            opposite = m.shape[1] - column - 1
            m[row, column] = m[row - 1, opposite] + 1
            grid.sync()

    m = np.empty((64, 256), np.int32)
    m[:] = 0
    definition = after_the_row_above.overloads[(int32[:, ::1],)]
    assert definition.max_cooperative_grid_blocks(32) >= 1
    after_the_row_above[256 // 32, 32](m)
    np.testing.assert_array_equal(m, np.broadcast_to(np.arange(64)[:, None], m.shape))


# ---- random numbers


def test_pi_and_three_axes_of_random_numbers(device):
    @cuda.jit
    def inside(states, each, out):
        thread = cuda.grid(1)
        count = 0
        for _ in range(each):
            x, y = xoroshiro128p_uniform_float32(states, thread), xoroshiro128p_uniform_float32(states, thread)
            if x * x + y * y <= 1:
                count += 1
        out[thread] = 4.0 * count / each

    states = create_xoroshiro128p_states(64 * 24, seed=1)
    out = np.zeros(64 * 24, np.float32)
    inside[24, 64](states, 500, out)
    assert abs(out.mean() - math.pi) < 0.01

    @cuda.jit
    def filled(a, states):
        first, second, third = cuda.grid(3)
        x, y, z = cuda.gridsize(3)
        thread = (third * y + second) * x + first
        for i in range(first, a.shape[0], x):
            for j in range(second, a.shape[1], y):
                for k in range(third, a.shape[2], z):
                    a[i, j, k] = xoroshiro128p_normal_float64(states, thread)

    a = np.zeros((21, 17, 13))
    filled[(2, 1, 1), (4, 4, 4)](a, create_xoroshiro128p_states(128, seed=9))
    assert abs(a.mean()) < 0.06 and abs(a.std() - 1) < 0.05 and np.unique(a).size == a.size


def test_vectorized_functions(device):
    @vectorize(["float32(float32, float32, float32)", "float64(float64, float64, float64)"], target="cuda")
    def discriminant(a, b, c):
        return math.sqrt(b**2 - 4 * a * c)

    @cuda.jit(device=True)
    def inner(x, y):
        return x**2 + y

    @vectorize(["float64(float64, float64)"], target="cuda")
    def outer(x, y):
        return inner(x, y) / 2

    rng = np.random.default_rng(7)
    a, b, c = (rng.uniform(low, high, 500).astype(np.float32) for low, high in ((0, 1), (10, 20), (0, 5)))
    found = discriminant(a, b, c)
    assert found.dtype == np.float32
    close(found, np.sqrt(b.astype(float) ** 2 - 4 * a * c), 1e-5)
    stream = cuda.stream()
    with stream.auto_synchronize():
        there = [cuda.to_device(x, stream) for x in (a, b, c)]
        out = discriminant(*there, stream=stream)
        assert isinstance(out, cuda.devicearray.DeviceNDArray) and out.dtype == np.float32
        back = out.copy_to_host(stream=stream)
    close(back, found)
    discriminant.max_blocksize = 32
    close(discriminant(a, b, c), found)
    close(outer(a.astype(float), 3.0), (a.astype(float) ** 2 + 3) / 2)


def test_generalized_functions(device):
    @guvectorize([void(float32[:, :], float32[:, :], float32[:, :])], "(m,n),(n,p)->(m,p)", target="cuda")
    def product(a, b, c):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                c[i, j] = total

    a = np.arange(1000 * 2 * 4, dtype=np.float32).reshape(1000, 2, 4)
    b = np.arange(1000 * 4 * 5, dtype=np.float32).reshape(1000, 4, 5)
    close(product(a, b), a @ b, 1e-5)
    product.max_blocksize = 32
    out = cuda.device_array((1000, 2, 5), np.float32)
    product(cuda.to_device(a), cuda.to_device(b), out=out)
    close(out.copy_to_host(), a @ b, 1e-5)

    @guvectorize(["(float64[:], float64[:], float64[:])"], "(n),()->(n)", target="cuda")
    def shifted(x, by, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + by[0]

    close(shifted(np.ones((3, 4)), np.arange(3.0)), 1 + np.arange(3.0)[:, None] + np.zeros(4))


# ---- arrays of others, code of others, streams, the device


def test_arrays_of_others(device):
    if device.kind == "cpu":
        pytest.skip("the interface is of a GPU's memory")

    class Foreign:
        def __init__(self, array):
            self.kept = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    @cuda.jit
    def doubled(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    there = cuda.to_device(np.arange(6.0))
    doubled[1, 32](Foreign(there))
    seen = cuda.as_cuda_array(Foreign(there))
    assert cuda.is_cuda_array(seen) and seen.shape == (6,) and seen.dtype == np.float64
    close(seen.copy_to_host(), 2 * np.arange(6.0))
    close(cuda.from_cuda_array_interface(there.__cuda_array_interface__, owner=there).copy_to_host(), seen)


CODE = """extern "C" __device__ int product_of(float* out, float a, float b) { *out = a * b; return 0; }
extern "C" __device__ int sum_of(int* out, const int* x, int n) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += x[i];
  *out = total;
  return 0;
}
"""


def test_code_of_others(device, tmp_path):
    source = tmp_path / "functions.cu"
    source.write_text(CODE)
    product_of = cuda.declare_device("product_of", "float32(float32, float32)")

    @cuda.jit(link=[str(source)])
    def multiplied(a, b, out):
        i = cuda.grid(1)
        if i < len(out):
            out[i] = product_of(a[i], b[i])

    a, b = np.random.default_rng(8).random((2, 32), np.float32)
    out = np.zeros(32, np.float32)
    multiplied[1, 32](a, b, out)
    close(out, a * b, 1e-6)


def test_addresses_for_code_of_others(device):
    sum_of = cuda.declare_device("sum_of", "int32(CPointer(int32), int32)", link=cuda.CUSource(CODE))

    class FFI:  # as cffi has it, which need not be installed
        def from_buffer(self, array):
            raise AssertionError("this is for kernels")

    ffi = FFI()

    @cuda.jit
    def totalled(out, x):
        out[0] = sum_of(ffi.from_buffer(x), len(x))

    total = np.zeros(1, np.int32)
    totalled[1, 1](total, np.arange(10, dtype=np.int32))
    assert total[0] == 45


def test_an_array_of_one_stream_that_another_fills(device):
    """Its consumer works in the array's stream, which waits for the one that the kernel is launched in."""

    @cuda.jit(void(int32[::1]))
    def numbered(x):
        i = cuda.grid(1)
        if i < len(x):
            x[i] = i

    of_the_array, of_the_kernel = cuda.stream(), cuda.stream()
    x = cuda.device_array(4096, np.int32, stream=of_the_array)
    numbered[4096 // 128, 128, of_the_kernel](x)
    event = cuda.event()
    event.record(of_the_kernel)
    event.wait(of_the_array)
    consumed = cp.asarray(x)
    assert int(consumed.sum()) == 4096 * 4095 // 2
    np.testing.assert_array_equal(x.copy_to_host(stream=of_the_array), np.arange(4096))


def test_arrays_of_cupy_in_strides(device):
    @cuda.jit
    def added(x, y, out):
        for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
            out[i] = x[i] + y[i]

    a = cp.arange(100)
    b, out = a * 2, cp.zeros_like(a)
    added[1, 32](a, b, out)
    np.testing.assert_array_equal(out.get(), 3 * np.arange(100))


def test_arrays_with_a_mask(device):
    class Masked:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (0, False), "version": 3, "mask": object()}

    @cuda.jit
    def kernel(x):
        x[0] = 1

    for use in (kernel[1, 1], cuda.as_cuda_array, lambda m: cuda.from_cuda_array_interface(m.__cuda_array_interface__)):
        with pytest.raises(NotImplementedError):
            use(Masked())


def test_reductions(device):
    total, largest = cuda.reduce(lambda a, b: a + b), cuda.Reduce(lambda a, b: a if a > b else b)
    x = np.arange(777.0) + 1
    there, out, stream = cuda.to_device(x), cuda.device_array(1, np.float64), cuda.stream()
    assert total(x) == x.sum() == total(there) and largest(x, size=20, init=3) == 20 and total(x[:0], init=9) == 9
    total(there, res=out, stream=stream, init=1)
    stream.synchronize()
    assert out.copy_to_host()[0] == x.sum() + 1


def test_streams_and_events(device):
    @cuda.jit
    def scaled(x, by):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= by

    first, second = cuda.stream(), cuda.stream()
    a, b = cuda.to_device(np.ones(100), stream=first), cuda.to_device(np.ones(100), stream=second)
    start, end = cuda.event(), cuda.event()
    start.record(first)
    scaled[4, 32, first](a, 3.0)
    end.record(first)
    end.wait(second)
    scaled[4, 32, second](b, 4.0)
    first.synchronize()
    second.synchronize()
    assert cuda.event_elapsed_time(start, end) >= 0 and end.query()
    close(a.copy_to_host() + b.copy_to_host(), np.full(100, 7.0))
    called = []
    first.add_callback(lambda stream, status, arg: called.append(arg), "done")
    first.synchronize()
    assert called == ["done"]


def test_the_device(device):
    there = cuda.get_current_device()
    assert there.WARP_SIZE == 32 and there.MAX_THREADS_PER_BLOCK >= 1024 and len(there.compute_capability) == 2
    assert len(cuda.gpus) >= 1 and cuda.gpus.lst[0].id == 0
    with cuda.gpus[there.id]:
        assert cuda.current_context().device.id == there.id
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    assert cuda.is_available() and isinstance(cuda.detect(), bool)


def test_a_device_is_selected_and_closed(device):
    chosen = cuda.select_device(0)
    assert chosen.id == 0 and isinstance(chosen.uuid, str) and chosen.uuid.startswith("GPU-")
    assert cuda.current_context().device.uuid == cuda.gpus[0].uuid == cuda.get_current_device().uuid
    with pytest.raises((ValueError, numba.errors.CudaAPIError, IndexError), match="no device 97|invalid device number 97"):
        cuda.select_device(97)
    with cuda.gpus[0]:
        there = cuda.to_device(np.arange(3))
    with cuda.profiling():
        assert there.copy_to_host().tolist() == [0, 1, 2] and len(cuda.list_devices().lst) >= 1
    context = cuda.current_context()
    context.push()
    context.pop()
    del there
    cuda.close()
    cuda.select_device(0)
    assert cuda.to_device(np.arange(4)).copy_to_host().sum() == 6


def test_what_a_kernel_is_made_of(device):
    @cuda.jit("void(float64[:], float64)", max_registers=64, lineinfo=True)
    def filled(x, value):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = value

    x = np.zeros(10)
    filled[1, 16](x, 4.5)
    np.testing.assert_array_equal(x, 4.5)
    (signature,) = filled.signatures
    assert filled.get_regs_per_thread(signature) <= 64 and filled.get_max_threads_per_block(signature) >= 32
    assert filled.get_shared_mem_per_block(signature) == 0 and filled.get_local_mem_per_thread(signature) >= 0
    cuda.profile_start()
    filled[1, 16](x, 2.0)
    cuda.profile_stop()
    np.testing.assert_array_equal(x, 2)
