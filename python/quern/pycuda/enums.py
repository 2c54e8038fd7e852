"""PyCUDA's enumerations, with CUDA's numbers."""

from __future__ import annotations

from quern.lib import _engine


class _Enumeration(int):
    """A number of one enumeration, which prints its name."""

    names: dict[str, _Enumeration] = {}
    values: dict[int, _Enumeration] = {}
    name: str | None = None

    def __new__(cls, number):
        known = cls.values.get(int(number))
        return int.__new__(cls, number) if known is None else known

    def __repr__(self):
        return f"pycuda._driver.{type(self).__name__}.{self.name or f'unnamed({int(self)})'}"

    def __str__(self):
        return self.name or int.__repr__(self)

    def is_integer(self):  # Python's int has it from 3.12 on
        return True

    def __reduce__(self):
        return _value, (type(self).__name__, int(self))


def _value(enumeration, number):
    return globals()[enumeration](number)


_DOCUMENTATION = """Values of CUDA's enumeration ``{name}``, ints with names.

Parameters
----------
number : int
    Number of the value.

Examples
--------
>>> from quern.pycuda import driver
>>> int(driver.{name}.{first})
{number}
"""


def _enum(_name, **numbers):
    first, number = next(iter(numbers.items()))
    doc = _DOCUMENTATION.format(name=_name, first=first, number=number)
    cls = type(_name, (_Enumeration,), {"__module__": __name__, "__qualname__": _name, "__doc__": doc, "names": {}, "values": {}})
    for name, number in numbers.items():
        value = cls.values.get(number)
        if value is None:
            value = cls.values[number] = int.__new__(cls, number)
            value.name = name
        cls.names[name] = value
        setattr(cls, name, value)
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
mem_host_register_flags = _enum("mem_host_register_flags", PORTABLE=1, DEVICEMAP=2, IOMEMORY=4, READ_ONLY=8)
mem_attach_flags = _enum("mem_attach_flags", GLOBAL=1, HOST=2, SINGLE=4)
func_cache = _enum("func_cache", PREFER_NONE=0, PREFER_SHARED=1, PREFER_L1=2, PREFER_EQUAL=3)
shared_config = _enum("shared_config", DEFAULT_BANK_SIZE=0, FOUR_BYTE_BANK_SIZE=1, EIGHT_BYTE_BANK_SIZE=2)
limit = _enum(
    "limit",
    STACK_SIZE=0,
    PRINTF_FIFO_SIZE=1,
    MALLOC_HEAP_SIZE=2,
    DEV_RUNTIME_SYNC_DEPTH=3,
    DEV_RUNTIME_PENDING_LAUNCH_COUNT=4,
    MAX_L2_FETCH_GRANULARITY=5,
    PERSISTING_L2_CACHE_SIZE=6,
)
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
    MAX=16,
)
pointer_attribute = _enum(
    "pointer_attribute",
    CONTEXT=1,
    MEMORY_TYPE=2,
    DEVICE_POINTER=3,
    HOST_POINTER=4,
    P2P_TOKENS=5,
    SYNC_MEMOPS=6,
    BUFFER_ID=7,
    IS_MANAGED=8,
    DEVICE_ORDINAL=9,
)
ipc_mem_flags = _enum("ipc_mem_flags", LAZY_ENABLE_PEER_ACCESS=1)
profiler_output_mode = _enum("profiler_output_mode", KEY_VALUE_PAIR=0, CSV=1)
graphics_register_flags = _enum("graphics_register_flags", NONE=0, READ_ONLY=1, WRITE_DISCARD=2, SURFACE_LDST=4, TEXTURE_GATHER=8)
jit_option = _enum(
    "jit_option",
    MAX_REGISTERS=0,
    THREADS_PER_BLOCK=1,
    WALL_TIME=2,
    INFO_LOG_BUFFER=3,
    INFO_LOG_BUFFER_SIZE_BYTES=4,
    ERROR_LOG_BUFFER=5,
    ERROR_LOG_BUFFER_SIZE_BYTES=6,
    OPTIMIZATION_LEVEL=7,
    TARGET_FROM_CUCONTEXT=8,
    TARGET=9,
    FALLBACK_STRATEGY=10,
    GENERATE_DEBUG_INFO=11,
    LOG_VERBOSE=12,
    GENERATE_LINE_INFO=13,
    CACHE_MODE=14,
)
_targets = (10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90)
jit_target = _enum("jit_target", **{f"COMPUTE_{number}": number for number in _targets})
jit_fallback = _enum("jit_fallback", PREFER_PTX=0, PREFER_BINARY=1)
jit_input_type = _enum("jit_input_type", CUBIN=0, PTX=1, FATBINARY=2, OBJECT=3, LIBRARY=4)
array_format = _enum(
    "array_format",
    UNSIGNED_INT8=0x01,
    UNSIGNED_INT16=0x02,
    UNSIGNED_INT32=0x03,
    SIGNED_INT8=0x08,
    SIGNED_INT16=0x09,
    SIGNED_INT32=0x0A,
    HALF=0x10,
    FLOAT=0x20,
)
array3d_flags = _enum("array3d_flags", LAYERED=1, SURFACE_LDST=2, CUBEMAP=4, TEXTURE_GATHER=8, DEPTH_TEXTURE=16,
                      ARRAY3D_LAYERED=1, ARRAY3D_2DARRAY=1, **{"2DARRAY": 1})  # fmt: skip
array_cubemap_face = _enum("array_cubemap_face", POSITIVE_X=0, NEGATIVE_X=1, POSITIVE_Y=2, NEGATIVE_Y=3, POSITIVE_Z=4, NEGATIVE_Z=5)
address_mode = _enum("address_mode", WRAP=0, CLAMP=1, MIRROR=2, BORDER=3)
filter_mode = _enum("filter_mode", POINT=0, LINEAR=1)
direction_vector_set = _enum("direction_vector_set", VECTOR_32=101, SCRAMBLED_VECTOR_32=102, VECTOR_64=103, SCRAMBLED_VECTOR_64=104)
TRSA_OVERRIDE_FORMAT = 0x01
TRSF_READ_AS_INTEGER = 0x01
TRSF_NORMALIZED_COORDINATES = 0x02
TR_DEFAULT = -1

device_attribute = _enum("device_attribute", **{name: number for number, name, _ in _engine.device_attributes() if name})
