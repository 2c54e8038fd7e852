"""CUDA C++ that kernels written in Python call: cuda.declare_device, link=, CUSource; loops over tuples of several types."""

import gc
import io

import numpy as np
import pytest
from kernels import module_of
from quern import cuda, numba
from quern.cuda import errors
from quern.kernel.errors import LinkError

SOURCE = """
#include <cstdint>
static __device__ int twice(int x) { return 2 * x; }
extern "C" __device__ int add_twice(int* out, int a, int b) { *out = a + twice(b); return 0; }
extern "C" __device__ int half_of(double* out, float x) { *out = x / 2.0; return 0; }
extern "C" __device__ int is_odd(bool* out, long long x) { *out = x % 2 != 0; return 0; }
extern "C" __device__ int total(float* out, const float* values, int64_t n) {
  float s = 0;
  for (int64_t i = 0; i < n; ++i) s += values[i];
  *out = s;
  return 0;
}
extern "C" __device__ int clear(void* out, float* values, int n) {
  for (int i = 0; i < n; ++i) values[i] = 0;
  return 0;
}
extern "C" __device__ float plain(float a, float b) { return a * b + 1; }
extern "C" __device__ void set_to(int* where, int value) { *where = value; }
"""
CODE = cuda.CUSource(SOURCE, name="functions.cu")

add_twice = cuda.declare_device("add_twice", "int32(int32, int32)", link=CODE)
half_of = cuda.declare_device("half_of", numba.float64(numba.float32), link=[CODE])
is_odd = cuda.declare_device("is_odd", "boolean(int64)", link=CODE)
total = cuda.declare_device("total", "float32(CPointer(float32), int64)", link=CODE)
clear = cuda.declare_device("clear", "void(CPointer(float32), int32)", link=CODE)
plain = cuda.declare_device("plain", "float32(float32, float32)", link=CODE, abi="c")
set_to = cuda.declare_device("set_to", cuda.void(cuda.types.CPointer(cuda.int32), cuda.int32), link=CODE, abi="c")
unlinked = cuda.declare_device("add_twice", "int32(int32, int32)")


def test_numbers(device):
    @cuda.jit
    def kernel(x, out, halves, odd):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = add_twice(x[i], 10)
            halves[i] = half_of(x[i])
            odd[i] = is_odd(x[i])

    x = np.arange(100)
    out, halves, odd = np.zeros(100, np.int64), np.zeros(100), np.zeros(100, bool)
    kernel[4, 32](x, out, halves, odd)
    np.testing.assert_array_equal(out, x + 20)
    np.testing.assert_array_equal(halves, x / 2)
    np.testing.assert_array_equal(odd, x % 2 == 1)


def test_arrays_go_as_pointers(device):
    @cuda.jit
    def kernel(rows, sums):
        i = cuda.grid(1)
        if i < rows.shape[0]:
            own = cuda.local.array(3, numba.float32)
            for k in range(3):
                own[k] = rows[i, k]
            sums[i] = total(rows[i], rows.shape[1]) + total(own, 3)
            clear(rows[i], 3)

    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    given, sums = rows.copy(), np.zeros(3, np.float32)
    kernel[1, 32](given, sums)
    np.testing.assert_array_equal(sums, rows.sum(axis=1) + rows[:, :3].sum(axis=1))
    rows[:, :3] = 0  # what the function writes comes back
    np.testing.assert_array_equal(given, rows)


def test_plain_functions(device):
    @cuda.jit
    def kernel(x, n):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = plain(x[i], 2)
            set_to(n[i : i + 1], i)

    x, n = np.arange(5, dtype=np.float32), np.zeros(5, np.int32)
    kernel[1, 32](x, n)
    assert x.tolist() == [1, 3, 5, 7, 9]
    assert n.tolist() == [0, 1, 2, 3, 4]


def kernel_of(scaled):
    @cuda.jit
    def kernel(x):
        x[0] = scaled(x[0])

    return kernel


def test_what_is_linked_may_be_a_file(device, tmp_path):
    (tmp_path / "values.h").write_text("#define FACTOR 7\n")
    path = tmp_path / "scaled.cu"
    path.write_text('#include "values.h"\nextern "C" __device__ int scaled(int* out, int x) { *out = FACTOR * x; return 0; }\n')
    for link in (str(path), path, [path], cuda.CUSource(io.StringIO("#define FACTOR 7\n" + path.read_text().split("\n", 1)[1]))):
        x = np.array([6])
        kernel_of(cuda.declare_device("scaled", "int32(int32)", link=link))[1, 1](x)
        assert x[0] == 42
    with pytest.raises(FileNotFoundError):
        cuda.jit(link=[str(tmp_path / "nothing.cu")])


def test_the_kernel_or_a_device_function_may_say_what_is_linked(device):
    @cuda.jit(link=[CODE])
    def kernel(x):
        x[0] = unlinked(x[0], 3)

    @cuda.jit(device=True, link=CODE)
    def helper(a):
        return unlinked(a, 4)

    @cuda.jit
    def other(x):
        x[0] = helper(x[0])

    x = np.array([1])
    kernel[1, 1](x)
    assert x[0] == 7
    other[1, 1](x)
    assert x[0] == 15


def test_callbacks_of_linked_code(device):
    seen = []
    code = cuda.CUSource(SOURCE, setup_callback=lambda p: seen.append("in"), teardown_callback=lambda p: seen.append("out"))

    def make():
        @cuda.jit(link=[code])
        def kernel(x):
            x[0] = unlinked(x[0], 3)

        kernel[1, 1](np.array([1]))
        kernel[1, 1](np.array([1]))

    make()
    assert seen[:1] == ["in"]
    gc.collect()
    assert seen == ["in", "out"]
    with pytest.raises(TypeError, match="setup_callback"):
        cuda.CUSource("", setup_callback=3)


def test_a_buffer_of_cffi(device):
    class FFI:  # as cffi has it, which need not be installed
        def from_buffer(self, array):
            raise AssertionError("this is for kernels")

    ffi = FFI()

    @cuda.jit
    def kernel(x, out):
        pointer = ffi.from_buffer(x)
        out[0] = total(pointer, x.size)

    out = np.zeros(1)
    kernel[1, 1](np.arange(4, dtype=np.float32), out)
    assert out[0] == 6


def test_faults_are_told(device):
    @cuda.jit
    def nowhere(x):
        x[0] = unlinked(x[0], 3)

    with pytest.raises(LinkError, match="add_twice"):
        nowhere[1, 1](np.zeros(1, int))
    with pytest.raises(errors.LinkerError, match=r"broken\.cu"):

        @cuda.jit("void(int64[:])", link=[cuda.CUSource("int broken(", name="broken.cu")])
        def broken(x):
            x[0] = 1

    with pytest.raises(errors.TypingError, match="2 arguments"):

        @cuda.jit("void(int64[:])")
        def few(x):
            x[0] = add_twice(x[0])

    with pytest.raises(errors.TypingError, match=r"float32\*, not float64\*"):

        @cuda.jit("void(float64[::1])")
        def other_type(x):
            x[0] = total(x, 3)

    with pytest.raises(errors.TypingError, match="gaps"):

        @cuda.jit("void(float32[:])")
        def with_gaps(x):
            x[0] = total(x, 3)

    with pytest.raises(errors.TypingError, match="a number is needed"):

        @cuda.jit("void(float32[::1])")
        def no_number(x):
            x[0] = add_twice(x, 3)

    with pytest.raises(NotImplementedError, match="ABI"):
        cuda.declare_device("f", "int32()", abi="rust")
    with pytest.raises(TypeError, match="what is returned"):
        cuda.declare_device("f", "(int32, int32)")
    with pytest.raises(TypeError, match="not int"):
        cuda.declare_device("f", "int32()", link=[3])
    with pytest.raises(RuntimeError, match="called by kernels"):
        add_twice(1, 2)


def test_functions_of_arrays_are_not_linked(device):
    @cuda.vectorize
    def f(x):
        return add_twice(x, 1)

    with pytest.raises(errors.UnsupportedError, match="called by kernels"):
        f(np.arange(3))


def test_a_function_that_waits_for_the_grid(device):
    source = """#include <cooperative_groups.h>
extern "C" __device__ int wait(int* out) { cooperative_groups::this_grid().sync(); *out = 1; return 0; }"""
    wait = cuda.declare_device("wait", "int32()", link=cuda.CUSource(source), use_cooperative=True)

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        x[i] = i
        if wait() == 1:
            out[i] = x[x.size - 1 - i]

    x, out = cuda.to_device(np.zeros(64, int)), np.zeros(64, int)
    kernel[4, 16](x, out)
    np.testing.assert_array_equal(out, np.arange(64)[::-1])


AFTER = """
a = np.zeros(1)
@cuda.jit
def kernel(arrays, x):
    for a in arrays:
        x[0] += a[0]
    {}
"""


def test_a_loop_over_a_tuple_of_several_types(device, tmp_path):
    @cuda.jit
    def kernel(arrays, out):
        for a in cuda.literal_unroll(arrays):
            out[0] += a[0]
        for n in cuda.literal_unroll((1, 2.5, True)):
            out[0] += n

    out = np.zeros(1)
    kernel[1, 1]((np.array([1]), np.array([2.5]), np.array([[4.0]], np.float32)[0]), out)
    assert out[0] == 12

    @cuda.jit
    def several(arrays, out):
        for i, (a, factor) in enumerate(zip(arrays, (1, 2.5))):  # noqa: B905
            b = a[0] * factor
            if i == 1:
                continue
            out[i] = b
        for a in arrays:  # once more
            for k in range(a.size):
                a[k] += 1

    first, second, out = np.array([3]), np.array([4.0]), np.zeros(2)
    several[1, 1]((first, second), out)
    assert out.tolist() == [3, 0]
    assert first[0] == 4
    assert second[0] == 5
    module_of(tmp_path, AFTER.format("x[0] = a[0]")).kernel[1, 1]((first, second), out)  # the last one
    assert out[0] == second[0]
    with pytest.raises(errors.TypingError, match="cannot also be"):
        module_of(tmp_path, AFTER.format("a = 1")).kernel[1, 1]((first, second), out)
    with pytest.raises(errors.TypingError, match="takes a tuple"):

        @cuda.jit("void(float64[:])")
        def wrong(x):
            for n in cuda.literal_unroll(3):
                x[0] = n
