"""PyCUDA's devices, contexts, enumerations, and what its driver refuses in clear words."""

import pickle
import threading

import numpy as np
import pytest
from programs import quern
from quern.pycuda import driver as drv


@pytest.fixture
def first(device):
    return drv.Device(device.index if device.kind == "cuda" and drv.Device.count() > device.index else 0)


@pytest.fixture
def no_context():
    """Contexts that other tests have left current are so again afterwards."""
    left = []
    while (current := drv.Context.get_current()) is not None:
        current.pop()
        left.append(current)
    yield
    for context in reversed(left):
        context.push()


def test_contexts_are_a_stack(first, no_context):
    assert drv.Context.get_current() is None
    with pytest.raises(drv.LogicError, match="no context is current"):
        drv.Context.get_device()
    with pytest.raises(drv.LogicError, match="no context is current"):
        drv.Context.pop()
    with pytest.raises(drv.LogicError, match="no context is current"):
        drv.Context.attach()
    one, two = first.make_context(), first.make_context(drv.ctx_flags.SCHED_AUTO)
    assert drv.Context.get_current() is two and one == two and hash(one) == hash(two) and one.handle == two.handle
    assert drv.Context.attach() is two
    two.pop()
    assert drv.Context.get_current() is one and drv.Context.get_device() == first
    three = first.retain_primary_context()
    assert drv.Context.get_current() is one  # not pushed yet
    three.push()
    assert drv.Context.get_current() is three
    one.detach()  # from below the uppermost
    assert drv.Context.get_current() is three
    three.detach()
    assert drv.Context.get_current() is None
    three.detach()  # a second time: nothing
    with pytest.raises(drv.Error):
        drv.Context()


def test_threads_push_contexts(first):
    context = first.make_context()
    results = []

    def work(value):
        try:
            assert drv.Context.get_current() is None
            context.push()
            try:
                memory = drv.to_device(np.full(1000, value, np.int32))
                results.append((drv.from_device(memory, 1000, np.int32) == value).all())
            finally:
                context.pop()
            assert drv.Context.get_current() is None
        except BaseException as e:
            results.append(e)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    context.pop()
    assert results == [True] * 8


def test_what_a_context_is_asked(first):
    context = first.make_context()
    try:
        for which, value in drv.limit.names.items():
            before = context.get_limit(value)
            context.set_limit(value, before + 1)
            assert drv.Context.get_limit(value) == before + 1, which
            context.set_limit(value, before)
        with pytest.raises(drv.LogicError, match="not a supported context limit"):
            context.get_limit(77)
        assert context.get_cache_config() == drv.func_cache.PREFER_NONE
        context.set_cache_config(drv.func_cache.PREFER_L1)
        assert context.get_cache_config() is drv.func_cache.PREFER_L1
        context.set_cache_config(0)
        context.set_shared_config(drv.shared_config.EIGHT_BYTE_BANK_SIZE)
        assert str(context.get_shared_config()) == "EIGHT_BYTE_BANK_SIZE"
        context.set_shared_config(drv.shared_config.DEFAULT_BANK_SIZE)
        assert isinstance(context.get_api_version(), int)
    finally:
        context.pop()


def test_attributes_of_devices(first):
    attributes = first.get_attributes()
    assert attributes[drv.device_attribute.WARP_SIZE] == first.warp_size == first.WARP_SIZE == 32
    assert all(type(k) is drv.device_attribute and isinstance(v, int) for k, v in attributes.items())
    for name, value in drv.device_attribute.names.items():
        try:
            assert getattr(first, name) == first.get_attribute(value)
        except drv.LogicError as e:
            assert "attribute" in str(e), name
    for wrong in (0, 1000):
        with pytest.raises(drv.LogicError, match="attribute"):
            first.get_attribute(wrong)
    with pytest.raises(AttributeError):
        _ = first.no_such_attribute
    assert first.pci_bus_id() and drv.Device(first.pci_bus_id()) == first
    with pytest.raises(drv.LogicError, match="no device at"):
        drv.Device("ffff:ff:ff.f")


def test_attributes_are_one_table_for_all_front_ends(first):
    from quern import cupy
    from quern.numba import cuda

    runtime, numba_device = cupy.cuda.Device(0).attributes, cuda.gpus[0]
    assert runtime == {name: runtime[name] for name in cupy.cuda._constants.DEVICE_ATTRIBUTES if name in runtime}
    for ours, theirs in {"MAX_PITCH": "MaxPitch", "MAXIMUM_TEXTURE2D_LAYERED_LAYERS": "MaxTexture2DLayeredLayers",
                         "COOPERATIVE_LAUNCH": "CooperativeLaunch", "MULTI_GPU_BOARD": "IsMultiGpuBoard"}.items():  # fmt: skip
        number = getattr(cupy.cuda.runtime, f"cudaDevAttr{theirs}")
        assert number == drv.device_attribute.names[ours]
        assert runtime[theirs] == first.get_attribute(number) == getattr(numba_device, ours) == getattr(first, ours)
    for name, other in {"MAX_TEXTURE_2D_WIDTH": "MAXIMUM_TEXTURE2D_WIDTH", "MAX_SURFACE_1D_LAYERED_WIDTH": "MAXIMUM_SURFACE1D_LAYERED_WIDTH",
                        "MAX_TEXTURE_3D_DEPTH_ALT": "MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE", "IS_MULTI_GPU_BOARD": "MULTI_GPU_BOARD"}.items():  # fmt: skip
        assert getattr(numba_device, name) == getattr(first, other)
    assert not any(name.startswith(("VIRTUAL", "CAN_TEX2D")) for name in runtime) and "Reserved92" in runtime
    assert drv.device_attribute.SHARED_MEMORY_PER_BLOCK is drv.device_attribute.MAX_SHARED_MEMORY_PER_BLOCK
    assert drv.device_attribute(92).name is None and drv.device_attribute(27).name == "MAXIMUM_TEXTURE2D_LAYERED_WIDTH"


ENUMERATIONS = [
    "address_mode array3d_flags array_cubemap_face array_format compute_mode ctx_flags device_attribute direction_vector_set event_flags",
    "filter_mode func_cache function_attribute graphics_register_flags host_alloc_flags ipc_mem_flags jit_fallback jit_input_type jit_option",
    "jit_target limit mem_attach_flags mem_host_register_flags memory_type pointer_attribute profiler_output_mode shared_config",
]


@pytest.mark.parametrize("name", " ".join(ENUMERATIONS).split())
def test_enumerations(name):
    enumeration = getattr(drv, name)
    assert enumeration.names and isinstance(enumeration, type)
    for text, value in enumeration.names.items():
        assert getattr(enumeration, text) is value and type(value) is enumeration and isinstance(value, int)
        assert enumeration(int(value)) is enumeration.values[int(value)] is value == int(value)
        assert str(value) == f"{value}" == value.name and enumeration.names[value.name] is value
        assert repr(value) == f"pycuda._driver.{name}.{value.name}"
        assert pickle.loads(pickle.dumps(value)) is value
        assert {value: 1}[int(value)] == 1 and value | 0 == int(value) and value < int(value) + 1
    unknown = enumeration(12345)
    assert unknown == 12345 and type(unknown) is enumeration and str(unknown) == "12345" and "12345" in repr(unknown)


def test_cudas_numbers():
    assert (drv.array_format.FLOAT, drv.array_format.HALF, drv.array_format.SIGNED_INT32) == (32, 16, 10)
    assert (drv.address_mode.CLAMP, drv.filter_mode.LINEAR, drv.memory_type.UNIFIED) == (1, 1, 4)
    assert (drv.TRSA_OVERRIDE_FORMAT, drv.TRSF_READ_AS_INTEGER, drv.TRSF_NORMALIZED_COORDINATES, drv.TR_DEFAULT) == (1, 1, 2, -1)
    assert (drv.jit_target.COMPUTE_90, drv.jit_input_type.LIBRARY, drv.pointer_attribute.HOST_POINTER) == (90, 4, 4)
    assert drv.device_attribute.MAX_BLOCKS_PER_MULTIPROCESSOR == 106 and drv.device_attribute.MEMORY_POOLS_SUPPORTED == 115
    assert drv.dtype_to_array_format(np.float32) is drv.array_format.FLOAT
    assert drv.dtype_to_array_format("uint16") is drv.array_format.UNSIGNED_INT16
    with pytest.raises(TypeError, match="float64"):
        drv.dtype_to_array_format(np.float64)


def test_descriptors_hold_what_they_are_given():
    d = drv.ArrayDescriptor3D()
    d.width, d.height, d.depth, d.format, d.num_channels, d.flags = 1, 2, 3, drv.array_format.HALF, 4, drv.array3d_flags.SURFACE_LDST
    assert (d.width, d.height, d.depth, d.format, d.num_channels, d.flags) == (1, 2, 3, 16, 4, 2) and isinstance(d, drv.ArrayDescriptor)


def test_versions_and_switches():
    assert drv.init() is None and len(drv.get_version()) == 3 and drv.get_driver_version() > 10000 and len(drv.get_curand_version()) == 3
    assert drv.have_gl_ext() is False
    drv.set_debugging()
    assert drv.CUDA_DEBUGGING is True
    drv.set_debugging(False)
    drv.initialize_profiler("", "", drv.profiler_output_mode.CSV)
    drv.start_profiler()
    drv.stop_profiler()


def test_the_errors_are_of_one_family():
    for kind in (drv.CompileError, drv.LogicError, drv.LaunchError, drv.MemoryError, drv.RuntimeError):
        assert issubclass(kind, drv.Error)
    assert issubclass(drv.MemoryError, MemoryError)


def test_too_much_memory(device):
    with pytest.raises(drv.MemoryError):
        drv.mem_alloc(1 << 60)


def test_opengl_is_refused_at_import(tmp_path):
    for module in ("pycuda.gl", "pycuda.gl.autoinit"):
        path = tmp_path / "program.py"
        path.write_text(f"try:\n    import {module}\nexcept ImportError as e:\n    print(type(e).__name__, e)\n")
        done = quern("run", path)
        assert done.stdout.startswith("ImportError pycuda.gl is not supported"), done.stdout + done.stderr


def test_automatic_contexts(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import pycuda.autoprimaryctx as automatic\n"
        "import pycuda.driver as drv\n"
        "assert drv.Context.get_current() is automatic.context and automatic.device == drv.Context.get_device()\n"
        "assert automatic.context == automatic.device.retain_primary_context()\n"
        "print('done')\n"
    )
    done = quern("run", path)
    assert done.stdout == "done\n", done.stderr
