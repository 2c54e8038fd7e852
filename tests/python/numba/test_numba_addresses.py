"""Kernels that receive an address alone: what they write is seen by whatever reads the array next."""

import numpy as np
import pytest
import quern as qn
from quern import cuda
from quern.numba import types, uint8, uint32, void

READS = {
    "copy_to_host": lambda there, shared: there.copy_to_host()[3],
    "element": lambda there, shared: there[3],
    "number": lambda there, shared: int(shared[3]),
    "item": lambda there, shared: shared.item(3),
    "list": lambda there, shared: shared.tolist()[3],
    "operation": lambda there, shared: (shared + 0).get()[3],
    "sum": lambda there, shared: int(shared[3:4].sum()),
}


@cuda.jit(void(types.CPointer(uint8), types.uint32))
def inverted(p, n):
    i = cuda.grid(1)
    if i < n:
        p[i] ^= 255


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("by", ["device_ctypes_pointer", "device_pointer"])
def test_reads_wait_for_it(read, by):
    there = cuda.to_device(np.arange(20, dtype=np.uint8))
    shared = qn.asarray(there)
    address = there.device_ctypes_pointer.value if by == "device_ctypes_pointer" else cuda.cudadrv.driver.device_pointer(there)
    for turn in range(1, 41):
        inverted[1, 32](address, uint32(20))
        assert int(READS[read](there, shared)) == (252 if turn % 2 else 3)
