"""PyCUDA's enumerations, with CUDA's numbers."""

from __future__ import annotations


class _Value(int):
    """A number that prints its name."""

    def __new__(cls, owner, name, number):
        self = super().__new__(cls, number)
        self.name = name
        self._owner = owner
        return self

    def __repr__(self):
        return f"pycuda._driver.{self._owner}.{self.name}"

    __str__ = __repr__

    def __reduce__(self):
        return int, (int(self),)


def _enum(_name, **numbers):
    cls = type(_name, (), {"__module__": "pycuda.driver", "names": {}, "values": {}})
    for name, number in numbers.items():
        value = _Value(_name, name, number)
        setattr(cls, name, value)
        cls.names[name] = value
        cls.values.setdefault(number, value)
    return cls


ctx_flags = _enum(
    "ctx_flags",
    SCHED_AUTO=0,
    SCHED_SPIN=1,
    SCHED_YIELD=2,
    SCHED_BLOCKING_SYNC=4,
    BLOCKING_SYNC=4,
    SCHED_MASK=7,
    MAP_HOST=8,
    LMEM_RESIZE_TO_MAX=16,
    FLAGS_MASK=31,
)
event_flags = _enum("event_flags", DEFAULT=0, BLOCKING_SYNC=1, DISABLE_TIMING=2, INTERPROCESS=4)
host_alloc_flags = _enum("host_alloc_flags", PORTABLE=1, DEVICEMAP=2, WRITECOMBINED=4)
mem_host_register_flags = _enum("mem_host_register_flags", PORTABLE=1, DEVICEMAP=2)
mem_attach_flags = _enum("mem_attach_flags", GLOBAL=1, HOST=2, SINGLE=4)
func_cache = _enum("func_cache", PREFER_NONE=0, PREFER_SHARED=1, PREFER_L1=2, PREFER_EQUAL=3)
shared_config = _enum("shared_config", DEFAULT_BANK_SIZE=0, FOUR_BYTE_BANK_SIZE=1, EIGHT_BYTE_BANK_SIZE=2)
limit = _enum("limit", STACK_SIZE=0, PRINTF_FIFO_SIZE=1, MALLOC_HEAP_SIZE=2)
memory_type = _enum("memory_type", HOST=1, DEVICE=2, ARRAY=3, UNIFIED=4)
compute_mode = _enum("compute_mode", DEFAULT=0, EXCLUSIVE=1, PROHIBITED=2, EXCLUSIVE_PROCESS=3)
function_attribute = _enum(
    "function_attribute",
    MAX_THREADS_PER_BLOCK=0,
    SHARED_SIZE_BYTES=1,
    CONST_SIZE_BYTES=2,
    LOCAL_SIZE_BYTES=3,
    NUM_REGS=4,
    PTX_VERSION=5,
    BINARY_VERSION=6,
    CACHE_MODE_CA=7,
    MAX_DYNAMIC_SHARED_SIZE_BYTES=8,
    PREFERRED_SHARED_MEMORY_CARVEOUT=9,
)
device_attribute = _enum(
    "device_attribute",
    MAX_THREADS_PER_BLOCK=1,
    MAX_BLOCK_DIM_X=2,
    MAX_BLOCK_DIM_Y=3,
    MAX_BLOCK_DIM_Z=4,
    MAX_GRID_DIM_X=5,
    MAX_GRID_DIM_Y=6,
    MAX_GRID_DIM_Z=7,
    MAX_SHARED_MEMORY_PER_BLOCK=8,
    SHARED_MEMORY_PER_BLOCK=8,
    TOTAL_CONSTANT_MEMORY=9,
    WARP_SIZE=10,
    MAX_PITCH=11,
    MAX_REGISTERS_PER_BLOCK=12,
    REGISTERS_PER_BLOCK=12,
    CLOCK_RATE=13,
    TEXTURE_ALIGNMENT=14,
    GPU_OVERLAP=15,
    MULTIPROCESSOR_COUNT=16,
    KERNEL_EXEC_TIMEOUT=17,
    INTEGRATED=18,
    CAN_MAP_HOST_MEMORY=19,
    COMPUTE_MODE=20,
    MAXIMUM_TEXTURE1D_WIDTH=21,
    MAXIMUM_TEXTURE2D_WIDTH=22,
    MAXIMUM_TEXTURE2D_HEIGHT=23,
    MAXIMUM_TEXTURE3D_WIDTH=24,
    MAXIMUM_TEXTURE3D_HEIGHT=25,
    MAXIMUM_TEXTURE3D_DEPTH=26,
    SURFACE_ALIGNMENT=30,
    CONCURRENT_KERNELS=31,
    ECC_ENABLED=32,
    PCI_BUS_ID=33,
    PCI_DEVICE_ID=34,
    TCC_DRIVER=35,
    MEMORY_CLOCK_RATE=36,
    GLOBAL_MEMORY_BUS_WIDTH=37,
    L2_CACHE_SIZE=38,
    MAX_THREADS_PER_MULTIPROCESSOR=39,
    ASYNC_ENGINE_COUNT=40,
    UNIFIED_ADDRESSING=41,
    PCI_DOMAIN_ID=50,
    COMPUTE_CAPABILITY_MAJOR=75,
    COMPUTE_CAPABILITY_MINOR=76,
    STREAM_PRIORITIES_SUPPORTED=78,
    GLOBAL_L1_CACHE_SUPPORTED=79,
    LOCAL_L1_CACHE_SUPPORTED=80,
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR=81,
    MAX_REGISTERS_PER_MULTIPROCESSOR=82,
    MANAGED_MEMORY=83,
    MULTI_GPU_BOARD=84,
    MULTI_GPU_BOARD_GROUP_ID=85,
    HOST_NATIVE_ATOMIC_SUPPORTED=86,
    SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO=87,
    PAGEABLE_MEMORY_ACCESS=88,
    CONCURRENT_MANAGED_ACCESS=89,
    COMPUTE_PREEMPTION_SUPPORTED=90,
    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM=91,
    COOPERATIVE_LAUNCH=95,
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN=97,
)
