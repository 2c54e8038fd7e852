"""Arrays of another type than the kernel's parameter: `quern check` reports them, and other programs warn."""

import warnings

import numpy as np
import pytest
import quern as qn
from quern.pycuda import driver
from quern.pycuda.compiler import SourceModule

# Each test puts its own type there.
SOURCE = """
extern "C" __global__ void k(float* x) {}
"""
WRONG = [
    ("float", "float64", "float32"), ("double", "float32", "float64"), ("float", "int64", "float32"), ("float", "int32", "float32"),
    ("const int", "int64", "int32"), ("long long", "int32", "int64"), ("int", "float64", "int32"),
]  # fmt: skip
# Bits, pairs, bytes and vectors are what programs mean.
RIGHT = [
    ("float", "float32"), ("int", "float32"), ("unsigned int", "int32"), ("unsigned int", "float32"), ("float", "complex64"),
    ("float4", "float32"), ("unsigned char", "float64"), ("float", "uint8"), ("void", "float64"), ("unsigned long long", "float64"),
]  # fmt: skip


def kernel(type_):
    return qn.RawKernel(SOURCE.replace("float", type_), "k")


@pytest.mark.parametrize("type_, dtype, wanted", WRONG)
def test_wrong_types(on_the_cpu, type_, dtype, wanted):
    with pytest.warns(UserWarning, match=rf"argument 1 of 'k' is an array of {dtype}, the kernel reads it as {type_}\*"):
        kernel(type_)((1,), (1,), (qn.zeros(4, dtype=dtype),))
    with qn.check() as report:
        kernel(type_)((1,), (1,), (qn.zeros(4, dtype=dtype),))
    (found,) = report
    assert found.kind == "argument_type" and f"for example x.astype('{wanted}')" in found.advice
    assert f"argument 1 is an array of {dtype}, the kernel reads it as {type_}*" in str(report)


@pytest.mark.parametrize("type_, dtype", RIGHT)
def test_right_types(on_the_cpu, type_, dtype):
    with warnings.catch_warnings(), qn.check() as report:
        warnings.simplefilter("error")
        kernel(type_)((1,), (1,), (qn.zeros(4, dtype=dtype),))
    assert len(report) == 0


def test_memory_of_pycuda(on_the_cpu):
    f = SourceModule("__global__ void k(float* x) {}").get_function("k")
    memory = driver.mem_alloc(32)
    driver.memcpy_htod(memory, np.ones(4))
    for wrong in (memory, driver.In(np.ones(4)), driver.Out(np.ones(4)), driver.InOut(np.ones(4))):
        with pytest.warns(UserWarning, match="pass an array of float32, such as x.astype.'float32'"):
            f(wrong, block=(1, 1, 1))
    driver.memcpy_htod(memory, np.ones(8, np.float32))
    f(memory, block=(1, 1, 1))


@pytest.mark.parametrize("number", [1, 3, -1, np.int64(5), np.intp(4095)])
def test_numbers_are_no_pointers(on_the_cpu, number):
    with pytest.raises(TypeError, match=r"argument 1 of 'k' is the number .*, the kernel takes float\*; pass an array on the device"):
        kernel("float")((1,), (1,), (number,))
    kernel("float")((1,), (1,), (0,))  # a null pointer
