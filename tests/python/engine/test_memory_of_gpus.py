"""Objects with `__cuda_array_interface__` where there is no GPU: each front end says so; memory that quern has given is used."""

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
import quern.pycuda.driver as drv
import quern.torch as torch
from quern import cuda
from quern.cuda.testing import ForeignArray
from quern.kernel.errors import KernelError
from quern.lib import _engine
from quern.numba import njit, vectorize
from quern.pycuda import gpuarray
from quern.pycuda.compiler import SourceModule

SOURCE = 'extern "C" __global__ void set(float* a) { a[0] = 1; }'
FLOATS = {"shape": (3,), "typestr": "<f4", "version": 3, "strides": None}


class Attribute:
    def __init__(self, address):
        self.__cuda_array_interface__ = {**FLOATS, "data": (address, False)}


class Property:
    def __init__(self, address):
        self.address = address

    @property
    def __cuda_array_interface__(self):
        return {**FLOATS, "data": (self.address, False)}


@cuda.jit
def kernel(a):
    a[0] = 1


@vectorize(["float32(float32)"], target="cuda")
def more(x):
    return x + 1


CALLS = {
    "qn.asarray": qn.asarray,
    "qn.array": qn.array,
    "qn.sum": qn.sum,
    "operator": lambda x: qn.ones(3) + x,
    "cupy.asarray": cp.asarray,
    "cupy.stack": lambda x: cp.stack([cp.ones(3), x]),
    "cupy.RawKernel": lambda x: cp.RawKernel(SOURCE, "set")((1,), (1,), (x,)),
    "as_cuda_array": cuda.as_cuda_array,
    "to_device": cuda.to_device,
    "cuda.jit": lambda x: kernel[1, 1](x),
    "vectorize": more,
    "vectorize, out": lambda x: more(np.ones(3, np.float32), out=x),
    "njit": lambda x: njit(lambda a: a[0])(x),
    "to_gpu": gpuarray.to_gpu,
    "memcpy_dtoh": lambda x: drv.memcpy_dtoh(np.zeros(3, np.float32), x),
    "SourceModule": lambda x: SourceModule(SOURCE, no_extern_c=True).get_function("set")(x, block=(1, 1, 1)),
}
OF_TORCH = {"as_tensor": torch.as_tensor, "tensor": torch.tensor, "asarray": torch.asarray}
of_gpus = pytest.mark.skipif(_engine.cuda_count() > 0, reason="there is a GPU, whose memory it may be")


@of_gpus
@pytest.mark.parametrize("kind", [Attribute, Property])
@pytest.mark.parametrize("name", [*CALLS, *OF_TORCH])
def test_memory_of_a_gpu_is_named_where_there_is_none(name, kind):
    with pytest.raises(RuntimeError if name in OF_TORCH else ValueError, match=rf"`{kind.__name__}` describes memory of a GPU"):
        (CALLS | OF_TORCH)[name](kind(0x7F0000000000))


@of_gpus
def test_what_keras_converts():
    core = pytest.importorskip("quern.keras.backend.core")
    with pytest.raises(ValueError, match="`Attribute` describes memory of a GPU"):
        core.convert_to_tensor(Attribute(0x7F0000000000))


@of_gpus
def test_descriptions_without_an_object():
    with pytest.raises(ValueError, match="from_cuda_array_interface.* describes memory of a GPU"):
        cuda.from_cuda_array_interface(Property(0x7F0000000000).__cuda_array_interface__)


@pytest.mark.parametrize("kind", [Attribute, Property])
def test_memory_that_quern_has_given(device, kind):
    x = cuda.to_device(np.arange(3, dtype=np.float32))
    there = kind(x.device_ctypes_pointer.value)
    cuda.as_cuda_array(there)[1] = 7
    kernel[1, 1](there)
    assert qn.asarray(there).tolist() == torch.as_tensor(there).tolist() == cp.asarray(there).tolist() == [1, 7, 2]
    assert x.copy_to_host().tolist() == [1, 7, 2]


GLOBAL = None


@cuda.jit(device=True)
def in_a_function(i):
    return GLOBAL[i]


def test_kernels_find_arrays_of_other_libraries(device, monkeypatch):
    monkeypatch.setitem(globals(), "GLOBAL", ForeignArray(cuda.to_device(np.arange(4.0))))
    columns = cuda.to_device(np.arange(6.0).reshape(2, 3)).T
    array = ForeignArray(columns)

    @cuda.jit
    def finds(out):
        out[0] = in_a_function(3) + GLOBAL.size + len(GLOBAL)
        out[1] = array[2, 1]
        array[0, 0] = 8

    @cuda.jit("void(float64[:])")
    def declared(out):
        out[0] = array[1, 1]

    out = np.zeros(2)
    finds[1, 1](out)
    assert out.tolist() == [11, 5] and columns[0, 0] == 8
    declared[1, 1](out)
    assert out[0] == 4


def test_kernels_find_tensors(device):
    tensor = torch.arange(3.0, device=device.name)

    @cuda.jit
    def finds(out):
        out[0] = tensor[2]

    out = np.zeros(1)
    finds[1, 1](out)
    assert out[0] == 2


def test_functions_that_cannot_find_them_say_what_to_do(device):
    array = ForeignArray(cuda.to_device(np.arange(4.0)))
    with pytest.raises(KernelError, match="pass it as an argument"):

        @vectorize(["float64(float64)"], target="cuda")
        def finds(x):
            return x + array[0]
