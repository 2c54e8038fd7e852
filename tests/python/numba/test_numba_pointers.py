"""carray and farray: arrays over the memory that pointers point to."""

import ctypes

import numpy as np
import pytest
from kernels import module_of
from quern import cuda, numba
from quern.kernel import errors


class FFI:  # as cffi has it, which need not be installed
    def from_buffer(self, array):
        raise AssertionError("this is for kernels")


ffi = FFI()


@cuda.jit(device=True)
def corner(pointer, n):
    return numba.carray(pointer, (2, n))[1, 0]


def test_arrays_over_pointers(device):
    @cuda.jit
    def kernel(x, out):
        pointer = ffi.from_buffer(x)
        c, f = numba.carray(pointer, (2, 3)), numba.farray(pointer, (2, 3), numba.float64)
        line = numba.carray(pointer, x.size, dtype=np.float64)
        out[0], out[1], out[2] = c[1, 0], f[1, 0], line[4]
        out[3], out[4], out[5] = corner(pointer, 2), c.shape[1], f.sum()
        out[6] = f[-1, -1]
        line[0] = 9
        c[1, 2] = 8

    x, out = np.arange(6.0), np.zeros(7)
    kernel[1, 1](x, out)
    assert out.tolist() == [3, 1, 4, 2, 3, 15, 5] and x.tolist() == [9, 1, 2, 3, 4, 8]


def test_a_function_of_a_pointer_is_compiled(device):
    made = corner.compile_device(("CPointer(float32)", "int32"))
    assert made.signature.return_type == numba.float32 and "float* v_pointer" in made.text


def test_on_the_host():
    x = np.arange(6.0)
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert np.array_equal(numba.carray(pointer, (2, 3)), x.reshape(2, 3)) and np.array_equal(numba.farray(pointer, (2, 3)), x.reshape(3, 2).T)
    numba.carray(ctypes.cast(pointer, ctypes.c_void_p), 6, np.float64)[2] = 7
    assert x[2] == 7 and numba.carray(pointer, (6,), np.float64)[5] == 5
    for wrong in (lambda: numba.carray(3, 3), lambda: numba.farray(ctypes.c_void_p(), 3), lambda: numba.carray(pointer, 3, np.int32)):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize(
    "line, said",
    [
        ("out[0] = numba.carray(x, 3)[0]", "carray takes a pointer, not array"),
        ("out[0] = numba.farray(ffi.from_buffer(x), 3, np.int32)[0]", "mismatching dtype 'int32'"),
        ("out[0] = numba.carray(ffi.from_buffer(x))[0]", "carray takes a pointer, a shape"),
        ("out[0] = numba.carray(ffi.from_buffer(x), (1.5,))[0]", "a length is needed, not float64"),
    ],
)
def test_what_is_refused(device, tmp_path, line, said):
    text = f"from {__name__} import ffi\n\n\n@cuda.jit\ndef kernel(x, out):\n    {line}\n"
    with pytest.raises(errors.TypingError, match=said):
        module_of(tmp_path, text).kernel[1, 1](np.zeros(4), np.zeros(4))


# ---- objects that only offer memory of a GPU


class Offers:
    def __init__(self, array, **changes):
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


def test_functions_of_arrays_take_what_offers_memory(device):
    if device.kind == "cpu":
        pytest.skip("the interface is of GPU memory")

    @numba.vectorize(["float64(float64, float64)"], target="cuda")
    def add(x, y):
        return x + y

    @numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")
    def after(x, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + 1

    d = cuda.to_device(np.arange(4.0))
    for given in (Offers(d), Offers(d, stream=1)):
        assert add(given, given).copy_to_host().tolist() == [0, 2, 4, 6] and add(given, 3).copy_to_host().tolist() == [3, 4, 5, 6]
        assert add(np.ones(4), given).copy_to_host().tolist() == [1, 2, 3, 4] and after(given).copy_to_host().tolist() == [1, 2, 3, 4]


def test_the_stream_of_the_interface(device):
    if device.kind == "cpu":
        pytest.skip("the interface is of GPU memory")
    stream = cuda.stream()
    plain, streamed = cuda.to_device(np.arange(4.0)), cuda.to_device(np.arange(4.0), stream=stream)
    assert plain.__cuda_array_interface__["stream"] is None and streamed.__cuda_array_interface__["stream"] == int(stream)
    assert cuda.device_array(3, stream=stream).__cuda_array_interface__["stream"] == int(stream)
    assert cuda.as_cuda_array(Offers(plain)).stream == 0
    for sync in (True, False):
        made = cuda.as_cuda_array(Offers(streamed), sync=sync)
        assert int(made.stream) == int(stream) and made.copy_to_host().tolist() == [0, 1, 2, 3]
    assert cuda.as_cuda_array(Offers(plain, stream=1)).copy_to_host().tolist() == [0, 1, 2, 3]


def test_a_stream_by_its_handle_is_the_stream(device):
    """It lives as long as one of its objects: a driver that is asked about one that is gone may crash."""
    if device.kind == "cpu":
        pytest.skip("the CPU has no streams of others")
    stream = cuda.stream()
    handle = int(stream)
    again = cuda.external_stream(handle)
    array = cuda.to_device(np.arange(4.0), stream=again)
    del stream
    other = [cuda.stream() for _ in range(3)]
    assert int(again) == handle and handle not in map(int, other)
    assert array.copy_to_host(stream=again).tolist() == [0, 1, 2, 3]
    again.synchronize()
