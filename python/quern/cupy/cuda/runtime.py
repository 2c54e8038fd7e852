"""cupy.cuda.runtime: the calls of CUDA's runtime API that mean something on the engine, and its constants.

Memory, streams and events are the engine's; what these functions give out are their addresses or numbers, kept in tables here until
they are freed. Wrong arguments raise CUDARuntimeError, with CUDA's status.
"""

import ctypes
import itertools

from quern.arrays.public_names import settle as _settle
from quern.cupy.cuda import _unserved
from quern.cupy.cuda._constants import *  # noqa: F403
from quern.cupy.cuda._constants import CONSTANTS as _constants
from quern.cupy.cuda._errors import CUDARuntimeError, _as_runtime_errors, _call, check_status  # noqa: F401
from quern.cupy.cuda.device import Device, _by_pci_bus_id, _current_id, _engine_of, _id_of_memory
from quern.cupy.cuda.stream import Event, ExternalStream, Stream, _by_handle
from quern.device import current_device, door_devices, set_current_device
from quern.lib import _engine

is_hip = False


# ---- devices and versions


@_call
def getDevice():
    """The number of the current device."""
    return _current_id()


@_call
def getDeviceCount():
    """How many devices there are; without a GPU the CPU is one."""
    return len(door_devices())


def _device(number):
    if not 0 <= int(number) < len(door_devices()):
        raise CUDARuntimeError(101)
    return _engine_of(int(number))


@_call
def setDevice(device):
    """Makes the device of that number the current one of this thread."""
    set_current_device(_device(device))


@_call
def deviceGetAttribute(attrib, device):
    """An attribute of a device, by CUDA's number for it."""
    try:
        return _device(device).attribute(int(attrib))
    except ValueError as error:
        raise CUDARuntimeError(1, str(error)) from None


@_call
def deviceGetPCIBusId(device):
    """Where the device is, such as "0000:01:00.0"."""
    return _device(device).info()["pci_bus_id"]


@_call
def deviceGetByPCIBusId(pciBusId):
    """The number of the device at that place."""
    return _by_pci_bus_id(pciBusId)


@_call
def deviceSynchronize():
    """Waits for all work of the current device, what arrays have recorded included."""
    Device().synchronize()


@_call
def deviceCanAccessPeer(device, peerDevice):
    """1 where one device can read and write the other's memory, else 0."""
    return int(_device(device).can_reach(_device(peerDevice)))


_peers = set()  # (device, other): the pairs that the program has enabled


@_call
def deviceEnablePeerAccess(peerDevice):
    """Lets kernels of the current device work on memory of the other's. Copies between the two need no such call.

    Raises CUDARuntimeError where the devices cannot do that, or where it is enabled already.
    """
    device, other = _engine.current_device(), _device(peerDevice)
    if not device.can_reach(other):
        raise CUDARuntimeError(217, f"{device.name} cannot see the memory of {other.name}; copies between them need no such access")
    if (device.name, other.name) in _peers:
        raise CUDARuntimeError(704)
    device.reach(other)
    _peers.add((device.name, other.name))


@_call
def deviceDisablePeerAccess(peerDevice):
    """Ends what deviceEnablePeerAccess() began; the devices go on to see each other's memory, for copies.

    Raises CUDARuntimeError where it is not enabled.
    """
    pair = _engine.current_device().name, _device(peerDevice).name
    if pair not in _peers:
        raise CUDARuntimeError(705)
    _peers.remove(pair)


_limits = {0: 1024, 1: 1 << 20, 2: 8 << 20, 3: 2, 4: 2048, 5: 64}


def deviceGetLimit(limit):
    """A limit of the device's, as it was set; the engine decides for itself."""
    if int(limit) not in _limits:
        raise CUDARuntimeError(1)
    return _limits[int(limit)]


def deviceSetLimit(limit, value):
    """Remembers a limit; the engine decides for itself."""
    deviceGetLimit(limit)
    _limits[int(limit)] = int(value)


# CUDA's names of properties: those of the attributes, without cudaDevAttr.
_PROPERTIES = {
    "regsPerBlock": "MaxRegistersPerBlock",
    "memPitch": "MaxPitch",
    "clockRate": "ClockRate",
    "totalConstMem": "TotalConstantMemory",
    "textureAlignment": "TextureAlignment",
    "texturePitchAlignment": "TexturePitchAlignment",
    "kernelExecTimeoutEnabled": "KernelExecTimeout",
    "integrated": "Integrated",
    "canMapHostMemory": "CanMapHostMemory",
    "computeMode": "ComputeMode",
    "concurrentKernels": "ConcurrentKernels",
    "ECCEnabled": "EccEnabled",
    "pciBusID": "PciBusId",
    "pciDeviceID": "PciDeviceId",
    "pciDomainID": "PciDomainId",
    "tccDriver": "TccDriver",
    "asyncEngineCount": "AsyncEngineCount",
    "unifiedAddressing": "UnifiedAddressing",
    "memoryClockRate": "MemoryClockRate",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "l2CacheSize": "L2CacheSize",
    "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiProcessor",
    "streamPrioritiesSupported": "StreamPrioritiesSupported",
    "globalL1CacheSupported": "GlobalL1CacheSupported",
    "localL1CacheSupported": "LocalL1CacheSupported",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "managedMemory": "ManagedMemory",
    "isMultiGpuBoard": "IsMultiGpuBoard",
    "multiGpuBoardGroupID": "MultiGpuBoardGroupID",
    "singleToDoublePrecisionPerfRatio": "SingleToDoublePrecisionPerfRatio",
    "pageableMemoryAccess": "PageableMemoryAccess",
    "concurrentManagedAccess": "ConcurrentManagedAccess",
    "computePreemptionSupported": "ComputePreemptionSupported",
    "canUseHostPointerForRegisteredMem": "CanUseHostPointerForRegisteredMem",
    "cooperativeLaunch": "CooperativeLaunch",
    "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
    "reservedSharedMemPerBlock": "ReservedSharedMemoryPerBlock",
}


@_call
def getDeviceProperties(device):
    """Return the properties of a device: a dict, with text as bytes."""
    found = _device(device)
    info = found.info()

    def attribute(name):
        try:
            return found.attribute(_constants[f"cudaDevAttr{name}"])
        except Exception:  # one that the driver does not know
            return 0

    out = {
        "name": info["name"].encode(),
        "totalGlobalMem": info["total_memory"],
        "sharedMemPerBlock": info["max_shared"],
        "sharedMemPerBlockOptin": info["max_shared_optin"],
        "warpSize": info["warp_size"],
        "maxThreadsPerBlock": info["max_threads_per_block"],
        "maxThreadsDim": tuple(info["max_block"]),
        "maxGridSize": tuple(info["max_grid"]),
        "major": info["compute_capability"][0],
        "minor": info["compute_capability"][1],
        "multiProcessorCount": info["multiprocessors"],
    }
    return out | {key: attribute(name) for key, name in _PROPERTIES.items()}


def _version():
    """CUDA's version that kernels are compiled for: that of the libraries that were found, else the one that the language follows."""
    for source in _engine.nvidia_sources() if current_device().kind == "cuda" else ():
        if not source["passed_over"]:
            major, _, minor = source["version"].partition(".")
            return int(major) * 1000 + int(minor or 0) * 10
    return 12090


def driverGetVersion():
    """CUDA's version, 12090 for 12.9, that the driver supports; on the CPU that whose language the compiler knows."""
    return _engine.cuda_driver_version() if current_device().kind == "cuda" else 12090


def runtimeGetVersion():
    """CUDA's version, 12090 for 12.9, whose language kernels are written in."""
    return _version()


# ---- memory


_allocations = {}  # address -> what keeps it
_numbers = itertools.count(1)


def _keep(memory, address):
    _allocations[address] = memory
    return address


def _let_go(ptr):
    if not ptr:
        return
    memory = _allocations.pop(int(ptr), None)
    if memory is None:
        raise CUDARuntimeError(1, f"{int(ptr):#x} is not memory that was allocated here")
    memory.free()


@_call
def malloc(size):
    """The address of new device memory; free() gives it back."""
    if size == 0:
        return 0
    memory = _engine.Allocation(current_device(), int(size))
    return _keep(memory, int(memory))


def mallocAsync(size, stream):
    """The same: the engine orders reuse by streams."""
    return malloc(size)


def mallocFromPoolAsync(size, pool, stream):
    """The same, of the one pool."""
    return malloc(size)


@_call
def mallocManaged(size, flags=1):
    """The address of memory that the host and the device both reach."""
    memory = _engine.managed(current_device(), int(size), int(flags))
    return _keep(memory, memory.address)


@_call
def free(ptr):
    """Gives device memory back, when the work that uses it is done."""
    _let_go(ptr)


def freeAsync(ptr, stream):
    """The same."""
    free(ptr)


@_call
def hostAlloc(size, flags):
    """The address of new pinned memory of the host."""
    flags = int(flags)
    memory = _engine.pinned(current_device(), int(size), bool(flags & 1), bool(flags & 2), bool(flags & 4))
    return _keep(memory, memory.address)


@_call
def freeHost(ptr):
    """Gives pinned memory back."""
    _let_go(ptr)


_registered = {}


@_call
def hostRegister(ptr, size, flags):
    """Pins memory of the host."""
    _registered[int(ptr)] = _engine.register_host(current_device(), _bytes_at(ptr, size), int(flags))


@_call
def hostUnregister(ptr):
    """Ends that."""
    memory = _registered.pop(int(ptr), None)
    if memory is None:
        raise CUDARuntimeError(1, "this memory was not registered")
    memory.free()


@_call
def memGetInfo():
    """(free, total) bytes of the current device's memory."""
    return tuple(current_device().memory())


def _bytes_at(address, size):
    _engine.require_host_memory(int(address), int(size), "memcpy")
    return (ctypes.c_char * int(size)).from_address(int(address))


def _copy(dst, src, size, kind, stream, blocking):
    size, device = int(size), current_device()
    if size == 0:
        return
    on_cpu = device.kind == "cpu"
    if kind == 4:  # the driver sees from the addresses what is where; on the CPU all is the host's
        kind = 3
    if kind == 0 or (on_cpu and kind == 3 and blocking):
        if stream is not None:
            stream.synchronize()
        else:
            device.synchronize()
        for address in (dst, src):
            _engine.require_host_memory(int(address), size, "memcpy")
        ctypes.memmove(int(dst), int(src), size)
    elif kind == 1:
        _engine.htod(device, int(dst), _bytes_at(src, size), stream, blocking=blocking)
    elif kind == 2:
        _engine.dtoh(device, _bytes_at(dst, size), int(src), stream, blocking=blocking)
    elif kind == 3:
        _engine.dtod(device, int(dst), int(src), size, stream)
        if blocking:
            (device.default_stream() if stream is None else stream).synchronize()
    else:
        raise CUDARuntimeError(21 if kind in range(5) else 1, f"{kind} is not a cudaMemcpyKind")


@_call
def memcpy(dst, src, size, kind):
    """Copies bytes between addresses; ``kind``: one of the memcpy* constants. Waits for it."""
    _copy(dst, src, size, kind, None, True)


@_call
def memcpyAsync(dst, src, size, kind, stream):
    """The same in a stream."""
    _copy(dst, src, size, kind, _stream(stream), False)


@_call
def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copies bytes between devices."""
    _engine.dtod(_device(dstDevice), int(dst), int(src), int(size))


@_call
def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """The same in a stream."""
    _engine.dtod(_device(dstDevice), int(dst), int(src), int(size), _stream(stream))


def _copy_rows(dst, dpitch, src, spitch, width, height, kind, stream, blocking):
    if width > min(dpitch, spitch):
        raise CUDARuntimeError(1, "the width of the rows exceeds the pitch")
    for row in range(int(height)):
        _copy(int(dst) + row * dpitch, int(src) + row * spitch, width, kind, stream, blocking)


@_call
def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies ``height`` rows of ``width`` bytes, which start ``dpitch`` and ``spitch`` bytes apart."""
    _copy_rows(dst, dpitch, src, spitch, width, height, kind, None, True)


@_call
def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """The same in a stream."""
    _copy_rows(dst, dpitch, src, spitch, width, height, kind, _stream(stream), False)


@_call
def memset(ptr, value, size):
    """Sets bytes to ``value``."""
    if size:
        _engine.fill(current_device(), int(ptr), 0, int(value) & 255, 1, int(size))


@_call
def memsetAsync(ptr, value, size, stream):
    """The same in a stream."""
    if size:
        _engine.fill(current_device(), int(ptr), 0, int(value) & 255, 1, int(size), 1, _stream(stream))


def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Accepted: managed memory moves when it is used."""


def memAdvise(devPtr, count, advice, device):
    """Accepted: it is advice."""


class PointerAttributes:
    """What is known of an address: ``device``, ``devicePointer``, ``hostPointer`` and ``type``, one of the memoryType* constants."""

    def __init__(self, device=-1, devicePointer=0, hostPointer=0, type=-1):
        self.device, self.devicePointer, self.hostPointer, self.type = device, devicePointer, hostPointer, type


def _inside(table, ptr):
    for start, memory in table.items():
        if start <= ptr < start + memory.nbytes:
            return memory
    return None


@_call
def pointerGetAttributes(ptr):
    """What memory an address is in: a PointerAttributes."""
    ptr = int(ptr)
    memory = _inside(_allocations, ptr)
    if isinstance(memory, _engine.HostMemory):
        managed = memory.is_managed
        return PointerAttributes(_current_id(), ptr, ptr, 3 if managed else 1)
    if _inside(_registered, ptr) is not None:
        return PointerAttributes(_current_id(), ptr, ptr, 1)
    if memory is not None or current_device().pool_holds(ptr) or _engine.device_of_memory(ptr) is not None:
        return PointerAttributes(_id_of_memory(ptr), ptr, ptr if current_device().kind == "cpu" else 0, 2)
    return PointerAttributes(-2, 0, ptr, 0)


def pointerGetMemoryType(ptr):
    """What memory an address is in: one of the memoryType* constants."""
    return pointerGetAttributes(ptr).type


# ---- pools: there is one


class MemPoolProps:
    """How a pool of CUDA's is to be; kept for programs that make one, which the engine's pool stands for."""

    def __init__(self, allocType=1, handleTypes=0, locationType=1, devId=0):
        self.allocType, self.handleTypes, self.locationType, self.devId = allocType, handleTypes, locationType, devId


_pool_attributes = {1: 1, 2: 1, 3: 1, 4: 0}


def deviceGetDefaultMemPool(device):
    """A number for the device's pool, which is one."""
    _device(device)
    return int(device) + 1


def deviceGetMemPool(device):
    """The same."""
    return deviceGetDefaultMemPool(device)


def deviceSetMemPool(device, pool):
    """Accepted: there is one pool for each device."""
    _device(device)


def memPoolCreate(props):
    """A number for the device's pool, which is one."""
    return deviceGetDefaultMemPool(props.devId)


def memPoolDestroy(pool):
    """Accepted: the pool stays."""


@_call
def memPoolTrimTo(pool, minBytesToKeep):
    """Gives what waits in the pool back to the device."""
    if current_device().pool_info()["kept"] > minBytesToKeep:
        current_device().trim()


@_call
def memPoolGetAttribute(pool, attr):
    """An attribute of the pool: bytes in use or reserved, or what was set."""
    info = current_device().pool_info()
    if attr in (7, 8):
        return info["held"]
    if attr in (5, 6):
        return info["held"] + info["kept"]
    if attr in _pool_attributes:
        return _pool_attributes[attr]
    raise CUDARuntimeError(1)


def memPoolSetAttribute(pool, attr, value):
    """Remembers an attribute; the engine's pool decides for itself."""
    if attr not in _pool_attributes and attr not in (6, 8):
        raise CUDARuntimeError(1)
    if attr in _pool_attributes:
        _pool_attributes[attr] = int(value)


# ---- streams and events


_streams, _events = {}, {}


def _stream(handle):
    if isinstance(handle, Stream):
        return handle
    handle = int(handle)
    if handle in (0, 1, 2):
        return Stream.null
    found = _streams.get(handle) or _by_handle.get(handle)
    if found is None and current_device().kind == "cpu":
        raise CUDARuntimeError(400, f"{handle:#x} is not a stream")
    return found or ExternalStream(handle)


def _new_stream(flags, priority):
    if flags not in (0, 1):
        raise CUDARuntimeError(1, f"{flags} are not stream flags")
    made = Stream(non_blocking=bool(flags), priority=priority)
    _streams[made.ptr] = made
    return made.ptr


@_call
def streamCreate():
    """A new stream's handle."""
    return _new_stream(0, 0)


@_call
def streamCreateWithFlags(flags):
    """The same; ``flags``: streamDefault or streamNonBlocking."""
    return _new_stream(flags, 0)


@_call
def streamCreateWithPriority(flags, priority):
    """The same, with a priority: lower is more urgent."""
    return _new_stream(flags, priority)


@_call
def streamDestroy(stream):
    """Forgets a stream; its work is done all the same."""
    if _streams.pop(int(stream), None) is None:
        raise CUDARuntimeError(400)


@_call
def streamGetFlags(stream):
    """Its flags, as it was made."""
    return int(_stream(stream).is_non_blocking)


@_call
def streamGetPriority(stream):
    """Its priority, as it was made."""
    return _stream(stream).priority


@_call
def streamSynchronize(stream):
    """Waits for its work."""
    _stream(stream).synchronize()


@_call
def streamQuery(stream):
    """Is its work done? 0, or 600 (cudaErrorNotReady)."""
    return 0 if _stream(stream).done else 600


@_call
def streamWaitEvent(stream, event, flags=0):
    """What the stream is given from now on waits for the event."""
    _stream(stream).wait_event(_event(event))


@_call
def streamAddCallback(stream, callback, arg, flags=0):
    """Calls ``callback(stream, status, arg)`` when the work so far is done."""
    handle = stream
    _stream(stream)._call(lambda: callback(handle, 0, arg))


@_call
def launchHostFunc(stream, callback, arg):
    """Calls ``callback(arg)`` when the work so far is done."""
    _stream(stream).launch_host_func(callback, arg)


def streamIsCapturing(stream):
    """Is it captured? Never."""
    _stream(stream)
    return False


def _event(handle):
    if isinstance(handle, Event):
        return handle
    found = _events.get(int(handle))
    if found is None:
        raise CUDARuntimeError(400, f"{handle} is not an event")
    return found


@_call
def eventCreate():
    """A new event's handle."""
    return eventCreateWithFlags(0)


@_call
def eventCreateWithFlags(flags):
    """The same; ``flags``: the event* constants, added."""
    made = Event(bool(flags & 1), bool(flags & 2), bool(flags & 4))
    handle = made.handle or next(_numbers)  # the CPU's have an address only once they are recorded
    if handle in _events or current_device().kind == "cpu":
        handle = next(_numbers)
    _events[handle] = made
    return handle


@_call
def eventDestroy(event):
    """Forgets an event."""
    if _events.pop(int(event), None) is None:
        raise CUDARuntimeError(400)


@_call
def eventRecord(event, stream):
    """Marks where the stream is now."""
    _event(event).record(_stream(stream))


@_call
def eventSynchronize(event):
    """Waits until the stream has passed it."""
    _event(event).synchronize()


@_call
def eventQuery(event):
    """Was it passed? 0, or 600 (cudaErrorNotReady)."""
    return 0 if _event(event).done else 600


@_call
def eventElapsedTime(start, end):
    """Milliseconds between two events."""
    return _event(end).elapsed_since(_event(start))


# ---- profiler


def profilerStart():
    """Accepted; quern.trace() is what measures here."""


def profilerStop():
    """Accepted; quern.trace() is what measures here."""


# ---- not supported

_TEXTURES = "the calls of the runtime for textures are not supported; use cupy.cuda.texture"
_GRAPHS = "CUDA graphs are not supported; array work is fused and launched without them"
_PROCESSES = "sharing memory and events between processes is not supported"
createSurfaceObject = _unserved.function("cupy.cuda.runtime.createSurfaceObject", _TEXTURES)
createTextureObject = _unserved.function("cupy.cuda.runtime.createTextureObject", _TEXTURES)
destroySurfaceObject = _unserved.function("cupy.cuda.runtime.destroySurfaceObject", _TEXTURES)
destroyTextureObject = _unserved.function("cupy.cuda.runtime.destroyTextureObject", _TEXTURES)
freeArray = _unserved.function("cupy.cuda.runtime.freeArray", _TEXTURES)
malloc3DArray = _unserved.function("cupy.cuda.runtime.malloc3DArray", _TEXTURES)
mallocArray = _unserved.function("cupy.cuda.runtime.mallocArray", _TEXTURES)
memcpy2DFromArray = _unserved.function("cupy.cuda.runtime.memcpy2DFromArray", _TEXTURES)
memcpy2DFromArrayAsync = _unserved.function("cupy.cuda.runtime.memcpy2DFromArrayAsync", _TEXTURES)
memcpy2DToArray = _unserved.function("cupy.cuda.runtime.memcpy2DToArray", _TEXTURES)
memcpy2DToArrayAsync = _unserved.function("cupy.cuda.runtime.memcpy2DToArrayAsync", _TEXTURES)
memcpy3D = _unserved.function("cupy.cuda.runtime.memcpy3D", _TEXTURES)
memcpy3DAsync = _unserved.function("cupy.cuda.runtime.memcpy3DAsync", _TEXTURES)
graphDebugDotPrint = _unserved.function("cupy.cuda.runtime.graphDebugDotPrint", _GRAPHS)
graphDestroy = _unserved.function("cupy.cuda.runtime.graphDestroy", _GRAPHS)
graphExecDestroy = _unserved.function("cupy.cuda.runtime.graphExecDestroy", _GRAPHS)
graphInstantiate = _unserved.function("cupy.cuda.runtime.graphInstantiate", _GRAPHS)
graphLaunch = _unserved.function("cupy.cuda.runtime.graphLaunch", _GRAPHS)
graphUpload = _unserved.function("cupy.cuda.runtime.graphUpload", _GRAPHS)
streamBeginCapture = _unserved.function("cupy.cuda.runtime.streamBeginCapture", _GRAPHS)
streamEndCapture = _unserved.function("cupy.cuda.runtime.streamEndCapture", _GRAPHS)
ipcCloseMemHandle = _unserved.function("cupy.cuda.runtime.ipcCloseMemHandle", _PROCESSES)
ipcGetEventHandle = _unserved.function("cupy.cuda.runtime.ipcGetEventHandle", _PROCESSES)
ipcGetMemHandle = _unserved.function("cupy.cuda.runtime.ipcGetMemHandle", _PROCESSES)
ipcOpenEventHandle = _unserved.function("cupy.cuda.runtime.ipcOpenEventHandle", _PROCESSES)
ipcOpenMemHandle = _unserved.function("cupy.cuda.runtime.ipcOpenMemHandle", _PROCESSES)
_settle(__name__)
