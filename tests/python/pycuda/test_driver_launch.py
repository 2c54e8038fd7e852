"""PyCUDA's functions: their attributes, the old ways to launch them, prepared calls, the linker."""

import struct
import time

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule, compile

SOURCE = """
__global__ void scale(float* x, int n, double by, short plus) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * by + plus;
}
__global__ void fill(int* x) { extern __shared__ int s[]; s[threadIdx.x] = threadIdx.x; __syncthreads(); x[threadIdx.x] = s[threadIdx.x]; }
"""


@pytest.fixture
def scale(device):
    return SourceModule(SOURCE).get_function("scale")


def values(memory, n=100):
    return drv.from_device(memory, n, np.float32)


def test_parameters_by_their_place(scale):
    x = drv.to_device(np.arange(100, dtype=np.float32))
    scale.set_block_shape(32, 1, 1)
    scale.param_seti(8, 100)
    scale.param_setv(0, np.uintp(int(x)))
    scale.param_setv(16, struct.pack("d", 2.0))
    scale.param_setv(24, np.int16(-1))
    scale.param_set_size(26)
    scale.launch_grid(4, 1)
    expected = np.arange(100, dtype=np.float32) * 2 - 1
    assert np.array_equal(values(x), expected)
    stream = drv.Stream()
    scale.launch_grid_async(4, 1, stream)
    stream.synchronize()
    assert np.array_equal(values(x), expected * 2 - 1)
    scale.set_block_shape(100)
    scale.launch()
    assert np.array_equal(values(x), (expected * 2 - 1) * 2 - 1)


def test_parameters_in_a_row(scale):
    x = drv.to_device(np.ones(100, np.float32))
    scale.param_set(x, np.int32(50), np.float64(3), np.int16(1))
    scale.set_block_shape(128)
    scale.launch()
    assert values(x).tolist() == [4] * 50 + [1] * 50
    scale.param_set(int(x) and x, np.int32(100), np.float64(0), np.int16(7))
    scale.launch()
    assert (values(x) == 7).all()


def test_floats_and_shared_memory(device):
    module = SourceModule("__global__ void f(float* o, float a, int b) { o[0] = a + b; }" + SOURCE)
    f, out = module.get_function("f"), drv.mem_alloc(4)
    f.param_setv(0, np.uintp(int(out)))
    f.param_setf(8, 1.5)
    f.param_seti(12, -3)
    f.set_block_shape(1)
    f.launch()
    assert values(out, 1)[0] == -1.5
    fill, x = module.get_function("fill"), drv.mem_alloc(400)
    fill.param_set(x)
    fill.set_block_shape(100)
    fill.set_shared_size(400)
    fill.launch()
    assert drv.from_device(x, 100, np.int32).tolist() == list(range(100))


def test_what_the_old_ways_refuse(scale):
    with pytest.raises(drv.LogicError, match="set_block_shape"):
        scale.launch()
    for refused in (
        lambda: scale.param_set_size(5000),
        lambda: scale.param_seti(4095, 1),
        lambda: scale.param_setf(-4, 1),
        lambda: scale.param_setv(0, bytes(5000)),
    ):
        with pytest.raises(drv.LogicError, match="4096"):
            refused()
    with pytest.raises(TypeError, match="get_texref"):
        scale.param_set_texref(None)
    with pytest.raises(TypeError, match="NumPy scalar"):
        scale.param_set(5)


def test_times_of_calls(scale):
    x = drv.to_device(np.ones(100, np.float32))
    begin = time.perf_counter()
    seconds = scale(x, np.int32(100), np.float64(2), np.int16(0), block=(128, 1, 1), time_kernel=True)
    assert 0 < seconds <= time.perf_counter() - begin  # a part of the call, in its unit
    scale.prepare("Pidh")
    begin = time.perf_counter()
    took = scale.prepared_timed_call((1, 1), (128, 1, 1), x, 100, 2.0, 0)
    assert 0 <= took() <= time.perf_counter() - begin and took() == took()
    assert (values(x) == 4).all()
    with pytest.raises(struct.error):
        scale.prepared_call((1, 1), (128, 1, 1), x, 2**40, 2.0, 0)


def test_attributes_of_functions(scale):
    known = {name: scale.get_attribute(value) for name, value in drv.function_attribute.names.items() if value < 10}
    assert known["MAX_THREADS_PER_BLOCK"] == scale.max_threads_per_block == 1024
    assert known["PTX_VERSION"] == known["BINARY_VERSION"] >= 30
    assert known["MAX_DYNAMIC_SHARED_SIZE_BYTES"] >= 48 * 1024
    assert known["SHARED_SIZE_BYTES"] == scale.shared_size_bytes == 0 and scale.num_regs >= 0
    assert known["PTX_VERSION"] == scale.ptx_version >= 50 and known["CACHE_MODE_CA"] == scale.cache_mode_ca
    with pytest.raises(AttributeError, match="'Function' object has no attribute 'registers'"):
        print(scale.registers)
    with pytest.raises(drv.LogicError, match="function_attribute.MAX"):
        scale.get_attribute(drv.function_attribute.MAX)
    scale.set_attribute(drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 * 1024)
    scale.set_attribute(drv.function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 50)
    with pytest.raises(drv.LogicError, match="the device has"):
        scale.set_attribute(drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 24)
    with pytest.raises(drv.LogicError, match="read-only function attribute"):
        scale.set_attribute(drv.function_attribute.NUM_REGS, 3)
    scale.set_cache_config(drv.func_cache.PREFER_L1)


def test_handlers_of_the_programs_own(scale):
    told = []

    class Handler(drv.ArgumentHandler):
        def pre_call(self, stream):
            told.append("before")
            drv.memcpy_htod(self.get_device_alloc(), self.array)

        def post_call(self, stream):
            told.append("after")
            drv.memcpy_dtoh(self.array, self.get_device_alloc())

    a = np.ones(10, np.float32)
    scale(Handler(a), np.int64(10), np.float32(5), np.int32(-1), block=(32, 1, 1))
    assert told == ["before", "after"] and (a == 4).all()


def test_the_linker(device):
    code = compile(SOURCE)
    told = []
    linker = drv.Linker(message_handler=lambda *given: told.append(given))
    with pytest.raises(drv.LogicError, match="no code to link"):
        linker.link_module()
    linker.add_data(code, drv.jit_input_type.CUBIN, "scale.cubin")
    module = linker.link_module()
    assert len(told) == 1 and told[0][0] is True
    x = drv.to_device(np.ones(100, np.float32))
    module.get_function("scale")(x, np.int32(100), np.float64(2), np.int16(1), block=(128, 1, 1))
    assert (values(x) == 3).all()
    with pytest.raises(drv.LogicError, match="jit_input_type"):
        linker.add_data(code, 99)
    with pytest.raises(drv.LogicError, match="cannot be read"):
        linker.add_file("/no/such/file", drv.jit_input_type.PTX)
    if device.kind == "cpu":
        linker.add_data(b".version 8.0", drv.jit_input_type.PTX)
        with pytest.raises(drv.LogicError, match="GPU code cannot be linked"):
            linker.link_module()
    else:
        ptx = compile('extern "C" __global__ void g(int* x) { *x = 5; }', target="ptx")
        linker = drv.Linker()
        linker.add_data(ptx, drv.jit_input_type.PTX)
        linker.link_module().get_function("g")(x, block=(1, 1, 1))
        assert drv.from_device(x, 1, np.int32)[0] == 5


def test_modules_from_files(device, tmp_path):
    path = tmp_path / "scale.cubin"
    path.write_bytes(compile(SOURCE))
    told = []
    for module in (drv.module_from_file(str(path)), drv.module_from_buffer(path.read_bytes(), message_handler=lambda *g: told.append(g))):
        x = drv.to_device(np.ones(100, np.float32))
        module.get_function("scale")(x, np.int32(100), np.float64(2), np.int16(1), block=(128, 1, 1))
        assert (values(x) == 3).all()
    assert len(told) == 1


def test_errors_of_launches(scale):
    x = drv.to_device(np.ones(100, np.float32))
    args = (x, np.int32(100), np.float64(2), np.int16(1))
    with pytest.raises(drv.LogicError, match="block"):
        scale(*args, block=(2048, 1, 1))
    with pytest.raises(drv.LogicError, match="grid"):
        scale(*args, block=(1, 1, 1), grid=(1, 70000))
    with pytest.raises(ValueError, match="block size"):
        scale(*args)
    with pytest.raises(TypeError, match="4 arguments"):
        scale(*args[:3], block=(1, 1, 1))
    with pytest.raises(TypeError, match="stream must be"):
        scale(*args, block=(1, 1, 1), stream=5)
    x.free()
    with pytest.raises(drv.LogicError, match="freed"):
        scale(*args, block=(1, 1, 1))


@pytest.mark.parametrize("make", [np.empty, drv.pagelocked_empty])
def test_handlers_have_copied_when_the_call_returns(device, make):
    slow = SourceModule(
        """__global__ void slow(float* out, const float* in) {
             for (int k = 0; k < 20; k++) __nanosleep(100000);
             out[threadIdx.x] = 2 * in[threadIdx.x];
           }"""
    ).get_function("slow")
    given, out, both, stream = make(64, np.float32), make(64, np.float32), make(64, np.float32), drv.Stream()
    given[:], out[:], both[:] = np.arange(64), -1, 3
    slow(drv.Out(out), drv.In(given), block=(64, 1, 1), stream=stream)
    given[:] = 0
    assert np.array_equal(out, 2 * np.arange(64))
    slow(drv.InOut(both), drv.In(out), block=(64, 1, 1), stream=stream)
    assert np.array_equal(both, 4 * np.arange(64))


def test_formats_of_prepared_calls(device):
    text = """
        struct Three { int a; float b[2]; };
        __global__ void f(double* o, Three t, int i, int j, short k, float x) {
          o[0] = t.a; o[1] = t.b[1]; o[2] = i; o[3] = j; o[4] = k; o[5] = x;
        }"""
    f, three = SourceModule(text).get_function("f"), struct.pack("iff", 7, 1.5, 2.5)
    for formats in ("P12s2ihf", "P 12s ii h f", ["P", "12s", "ii", "hf"], [np.intp, "12s2i", np.int16, "f4"], ["P", np.dtype("i4, 2f4"), "i", "i", "h", "f"]):
        o = drv.to_device(np.zeros(6))
        f.prepare(formats).prepared_call((1, 1), (1, 1, 1), o, three, 3, -4, 5, 6.5)
        assert drv.from_device(o, 6, np.float64).tolist() == [7, 2.5, 3, -4, 5, 6.5]
    with pytest.raises(struct.error, match="6 items"):
        f.prepare("P12s2ihf").prepared_call((1, 1), (1, 1, 1), o, three, 3, -4, 5)


def test_what_calls_refuse(scale):
    x = drv.to_device(np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="extra keyword arguments: threads"):
        scale(x, np.int32(4), 2.0, np.int16(1), block=(1, 1, 1), threads=3)
    with pytest.raises(TypeError, match="takes an array, not list"):
        scale(drv.InOut([1.0, 2.0]), np.int32(2), 2.0, np.int16(1), block=(1, 1, 1))
