"""Addresses that programs hand over as numbers, on the CPU: copies and fills that reach outside of memory are refused, and nothing is
written. On a GPU the driver checks them."""

import ctypes

import numpy as np
import pytest
from quern import cupy as cp
from quern.errors import LogicError
from quern.pycuda import driver

LARGE, HUGE = 10**9, 10**7
runtime = cp.cuda.runtime
nowhere = 12345


def numbers(n=HUGE):
    return np.zeros(n)


DRIVER = {
    "memset": lambda a, b: driver.memset_d8(a, 0, LARGE),
    "memset of nothing": lambda a, b: driver.memset_d32(nowhere, 0, 4),
    "memset of rows": lambda a, b: driver.memset_d2d8(a, 1000, 0, 1000, 10**6),
    "to the device": lambda a, b: driver.memcpy_htod(a, numbers()),
    "to the device, in a stream": lambda a, b: driver.memcpy_htod_async(a, numbers(), driver.Stream()),
    "to nothing": lambda a, b: driver.memcpy_htod(nowhere, numbers(4)),
    "from the device": lambda a, b: driver.memcpy_dtoh(numbers(), a),
    "an array from the device": lambda a, b: driver.from_device(a, (HUGE,), np.float32),
    "within the device": lambda a, b: driver.memcpy_dtod(a, b, LARGE),
    "from nothing": lambda a, b: driver.memcpy_dtod(a, nowhere, 8),
    "from the middle": lambda a, b: driver.memcpy_dtod(a, b + 32, 4096),
}
RUNTIME = {
    "memset": lambda a, b: runtime.memset(a, 0, LARGE),
    "memset of nothing": lambda a, b: runtime.memset(nowhere, 0, 4),
    "memcpy": lambda a, b: runtime.memcpy(a, b, LARGE, runtime.memcpyDeviceToDevice),
    "memcpy in a stream": lambda a, b: runtime.memcpyAsync(a, b, LARGE, runtime.memcpyDeviceToDevice, 0),
    "memcpy from the host": lambda a, b: runtime.memcpy(a, nowhere, 8, runtime.memcpyHostToDevice),
    "memcpy to the host": lambda a, b: runtime.memcpy(numbers(4).ctypes.data, a, LARGE, runtime.memcpyDeviceToHost),
    "memcpy on the host": lambda a, b: runtime.memcpy(nowhere, numbers(4).ctypes.data, 8, runtime.memcpyHostToHost),
    "rows": lambda a, b: runtime.memcpy2D(a, 10**6, b, 10**6, 10**6, 100, runtime.memcpyDeviceToDevice),
    "a pointer's memset": lambda a, b: cp.cuda.alloc(64).memset(0, LARGE),
    "a pointer's copy": lambda a, b: cp.cuda.alloc(64).copy_from_device(cp.cuda.alloc(64), LARGE),
    "a pointer's copy from the host": lambda a, b: cp.cuda.alloc(64).copy_from_host(ctypes.c_void_p(numbers(2).ctypes.data), LARGE),
    "a pointer's copy from nothing": lambda a, b: cp.cuda.alloc(64).copy_from(nowhere, 64),
    "a pointer's copy to nothing": lambda a, b: cp.cuda.alloc(64).copy_to_host(nowhere, 64),
    "somebody else's memory": lambda a, b: cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(nowhere, 64, None), 0).memset(0, 64),
}


@pytest.fixture
def blocks(device):
    if device.kind != "cpu":
        pytest.skip("the driver checks addresses")
    a, b = driver.mem_alloc(64), driver.mem_alloc(64)
    driver.memcpy_htod(a, np.arange(16, dtype=np.float32))
    driver.memcpy_htod(b, np.arange(16, dtype=np.float32))
    yield int(a), int(b)
    for one in (a, b):
        assert driver.from_device(one, 16, np.float32).tolist() == list(range(16))


@pytest.mark.parametrize("name", DRIVER)
def test_the_drivers_calls(blocks, name):
    with pytest.raises(LogicError, match="do not fit into device memory of 64 bytes|has fewer than [0-9]* bytes"):
        DRIVER[name](*blocks)


@pytest.mark.parametrize("name", RUNTIME)
def test_cupys_calls(blocks, name):
    with pytest.raises(runtime.CUDARuntimeError, match="do not fit into device memory of 64 bytes|has fewer than [0-9]* bytes"):
        RUNTIME[name](*blocks)


def test_what_lies_in_memory_is_copied(blocks):
    a, b = blocks
    host = np.arange(16, dtype=np.float32)
    driver.memcpy_htod(a, host)  # to the last byte
    runtime.memcpy(a + 32, b + 32, 32, runtime.memcpyDeviceToDevice)
    driver.memset_d8(host.ctypes.data + 60, 0, 4)  # an array's memory is the CPU's, too
    driver.Context.synchronize()
    assert host[-1] == 0
    out = np.zeros(16, np.float32)
    cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(a, 64, None), 0).copy_to_host(out.ctypes.data, 64)
    assert out.tolist() == list(range(16))
    driver.memcpy_dtoh(out, b)
    assert out.tolist() == list(range(16))
