"""The tables of test_cupy_names.py for cupy.cuda, kernels, cupyx and cupy.testing; see cupy_names.py."""

TRUE = {
    "cupy.cuda": """
BaseMemory: issubclass(cuda.Memory, cuda.BaseMemory)
CFunctionAllocator: cuda.CFunctionAllocator(0, *c_functions(), None).malloc(64).ptr != 0
PythonFunctionAllocator: python_allocator(cuda)
Device: int(cuda.Device(0)) == 0
Event: cuda.Event().done is True
ExternalStream: cuda.ExternalStream(stream.ptr) == stream
Function: launched(module(cuda).get_function('twice'))
Module: isinstance(module(cuda).get_function('twice'), cuda.Function)
ManagedMemory: cuda.ManagedMemory(64).ptr != 0
Memory: cuda.Memory(64).size == 64
MemoryAsync: cuda.MemoryAsync(64).ptr != 0
MemoryAsyncPool: cuda.MemoryAsyncPool().malloc(64).mem.size == 64
MemoryHook: [h := cuda.MemoryHook(), h.__enter__() is h, h.__exit__() is None] [1:] == [True, True]
MemoryPointer: (cuda.MemoryPointer(pointer.mem, 8).ptr - pointer.ptr) == 8
MemoryPool: cuda.MemoryPool().malloc(64).ptr != 0
PinnedMemory: cuda.PinnedMemory(64).size == 64
PinnedMemoryPointer: isinstance(cuda.alloc_pinned_memory(64), cuda.PinnedMemoryPointer)
PinnedMemoryPool: cuda.PinnedMemoryPool().malloc(64).size() >= 64
Stream: cuda.Stream.null.ptr == 0
UnownedMemory: cuda.UnownedMemory(pointer.ptr, 8, pointer).ptr == pointer.ptr
alloc: cuda.alloc(64).mem.size == 64
alloc_pinned_memory: np.frombuffer(cuda.alloc_pinned_memory(64), float, 8).shape == (8,)
common: cuda.common.__name__.endswith('common')
compiler: len(cuda.compiler.compile_using_nvrtc(TWICE)[0]) > 0
cub: cuda.cub.available is False
device: cuda.device.Device is cuda.Device
driver: cuda.driver.get_build_version() >= 12000
function: cuda.function.Function is cuda.Function
get_allocator: callable(cuda.get_allocator())
get_cuda_path: cuda.get_cuda_path() is None or isinstance(cuda.get_cuda_path(), str)
get_current_stream: cuda.get_current_stream() == cuda.Stream.null
get_device_id: cuda.get_device_id() == cuda.Device().id
get_elapsed_time: elapsed(cuda) >= 0
get_hipcc_path: cuda.get_hipcc_path() is None
get_local_runtime_version: cuda.get_local_runtime_version() >= 12000
get_nvcc_path: cuda.get_nvcc_path() is None or isinstance(cuda.get_nvcc_path(), str)
get_rocm_path: cuda.get_rocm_path() is None
graph: cuda.graph.Graph is cuda.Graph
is_available: cuda.is_available() is True
malloc_async: cuda.malloc_async(64).ptr != 0
malloc_managed: cuda.malloc_managed(64).ptr != 0
memory: issubclass(cuda.memory.OutOfMemoryError, MemoryError)
memory_hook: cuda.memory_hook.MemoryHook is cuda.MemoryHook
memory_hooks: cuda.memory_hooks.LineProfileHook().name == 'LineProfileHook' and issubclass(cuda.memory_hooks.DebugPrintHook, cuda.MemoryHook)
nvrtc: cuda.nvrtc.getVersion() >= (12, 0)
nvtx: cuda.nvtx.RangePush('a') == 0 and cuda.nvtx.RangePop() == 0 and cuda.nvtx.Mark('b') is None
pinned_memory: cuda.pinned_memory.PinnedMemory is cuda.PinnedMemory
profile: cuda.profile().__enter__() is None
profiler: cuda.profiler.start() is None and cuda.profiler.stop() is None
runtime: cuda.runtime.getDeviceCount() >= 1
set_allocator: [cuda.set_allocator(cuda.MemoryPool().malloc), cuda.alloc(8).ptr != 0][-1]
set_pinned_memory_allocator: pinned_allocator(cuda)
stream: cuda.stream.get_current_stream is cuda.get_current_stream
texture: cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, 2).get_channel_format()["x"] == 32
thrust: cuda.thrust.available is False
using_allocator: uses_allocator(cuda)
""",
    "cupy.cuda.Device": """
__enter__: [d := cuda.Device(0), d.__enter__() is d, d.__exit__(None, None, None)][1]
__exit__: [d := cuda.Device(0), d.__enter__(), d.__exit__(None, None, None) is None][-1]
__eq__: cuda.Device(0) == cuda.Device(0)
__ne__: cuda.Device(0) != 0
__lt__: not cuda.Device(0) < cuda.Device(0)
__le__: cuda.Device(0) <= cuda.Device(0)
__gt__: not cuda.Device(0) > cuda.Device(0)
__ge__: cuda.Device(0) >= cuda.Device(0)
__format__: format(cuda.Device(0)) == '<CUDA Device 0>'
__int__: int(cuda.Device(0)) == 0
__reduce__: __import__('pickle').loads(__import__('pickle').dumps(cuda.Device(0))) == cuda.Device(0)
attributes: cuda.Device(0).attributes['WarpSize'] == 32 and cuda.Device(0).attributes['MaxThreadsPerBlock'] == 1024
compute_capability: int(cuda.Device(0).compute_capability) >= 70
from_pci_bus_id: cuda.Device.from_pci_bus_id(cuda.Device(0).pci_bus_id) == cuda.Device(0)
id: cuda.Device(0).id == 0
mem_info: 0 < cuda.Device(0).mem_info[0] <= cuda.Device(0).mem_info[1]
pci_bus_id: cuda.Device(0).pci_bus_id.count(':') == 2
synchronize: cuda.Device(0).synchronize() is None
use: cuda.Device().use() is None
""",
    "cupy.cuda.Stream": """
__enter__: inside(stream)
__exit__: inside(stream)
__eq__: stream == stream and stream != cuda.Stream.null
__ne__: stream != cuda.Stream()
__lt__: raised(lambda: stream < stream) is TypeError
__le__: raised(lambda: stream <= stream) is TypeError
__gt__: raised(lambda: stream > stream) is TypeError
__ge__: raised(lambda: stream >= stream) is TypeError
__format__: format(cuda.Stream.null) == '<Stream 0 (device -1)>'
__reduce__: raised(stream.__reduce__) is TypeError
add_callback: called(lambda f: stream.add_callback(lambda s, status, arg: f((s is stream, status, arg)), 5), stream) == [(True, 0, 5)]
launch_host_func: called(lambda f: stream.launch_host_func(f, 7), stream) == [7]
done: [stream.synchronize(), stream.done is True][-1]
from_external: cuda.Stream.from_external(stream) is stream and cuda.Stream.from_external(Protocol(stream.ptr)) == stream
is_capturing: stream.is_capturing() is False
is_non_blocking: cuda.Stream(non_blocking=True).is_non_blocking is True and stream.is_non_blocking is False
null: cuda.Stream.null == cuda.Stream(null=True)
priority: cuda.Stream(priority=-1).priority == -1
ptds: cuda.Stream.ptds.ptr == 2
record: isinstance(stream.record(), cuda.Event)
synchronize: stream.synchronize() is None
use: [stream.use(), cuda.get_current_stream() is stream, cuda.Stream.null.use()][1]
wait_event: stream.wait_event(cuda.Stream.null.record()) is None
""",
    "cupy.cuda.Event": """
__eq__: event == event
__ne__: event != cuda.Event()
__lt__: raised(lambda: event < event) is TypeError
__le__: raised(lambda: event <= event) is TypeError
__gt__: raised(lambda: event > event) is TypeError
__ge__: raised(lambda: event >= event) is TypeError
__format__: 'Event' in format(event)
__reduce__: raised(event.__reduce__) is TypeError
done: [event.record(), event.synchronize(), event.done is True][-1]
record: event.record(stream) is None
synchronize: [event.record(), event.synchronize() is None][-1]
""",
    "cupy.cuda.MemoryPool": """
__eq__: pool == pool
__ne__: pool != cuda.MemoryPool()
__lt__: raised(lambda: pool < pool) is TypeError
__le__: raised(lambda: pool <= pool) is TypeError
__gt__: raised(lambda: pool > pool) is TypeError
__ge__: raised(lambda: pool >= pool) is TypeError
__format__: 'MemoryPool' in format(pool)
__reduce__: raised(pool.__reduce__) is TypeError
free_all_blocks: [pool.free_all_blocks(), pool.free_bytes() == 0][-1]
free_all_free: [pool.free_all_free(), pool.n_free_blocks() == 0][-1]
free_bytes: pool.free_bytes() == pool.total_bytes() - pool.used_bytes()
get_limit: pool.get_limit() == 0
malloc: pool.malloc(100).mem.size == 100
n_free_blocks: gives_back(pool, 12345678)
set_limit: limited(pool)
total_bytes: pool.total_bytes() >= pool.used_bytes()
used_bytes: [n := pool.used_bytes(), y := pool.malloc(4096), pool.used_bytes() - n == 4096][-1]
""",
    "cupy.cuda.PinnedMemoryPool": """
__eq__: pinned == pinned
__ne__: pinned != cuda.PinnedMemoryPool()
__lt__: raised(lambda: pinned < pinned) is TypeError
__le__: raised(lambda: pinned <= pinned) is TypeError
__gt__: raised(lambda: pinned > pinned) is TypeError
__ge__: raised(lambda: pinned >= pinned) is TypeError
__format__: 'PinnedMemoryPool' in format(pinned)
__reduce__: raised(pinned.__reduce__) is TypeError
free_all_blocks: [pinned.malloc(64), pinned.free_all_blocks(), pinned.n_free_blocks() == 0][-1]
malloc: pinned.malloc(1000).size() >= 1000
n_free_blocks: gives_back(pinned, 64)
""",
    "cupy.cuda.MemoryPointer": """
__add__: (pointer + 8).ptr == pointer.ptr + 8
__radd__: (8 + pointer).ptr == pointer.ptr + 8
__sub__: (pointer - 8).ptr == pointer.ptr - 8
__rsub__: raised(lambda: 8 - pointer) is TypeError
__iadd__: [p := pointer + 0, p.__iadd__(8) is p, p.ptr == pointer.ptr + 8][-1]
__isub__: [p := pointer + 8, p.__isub__(8) is p, p.ptr == pointer.ptr][-1]
__eq__: pointer == pointer
__ne__: pointer != pointer + 0
__lt__: raised(lambda: pointer < pointer) is TypeError
__le__: raised(lambda: pointer <= pointer) is TypeError
__gt__: raised(lambda: pointer > pointer) is TypeError
__ge__: raised(lambda: pointer >= pointer) is TypeError
__format__: 'MemoryPointer' in format(pointer)
__int__: int(pointer) == pointer.ptr
__reduce__: raised(pointer.__reduce__) is TypeError
copy_from: copied(lambda p, host: p.copy_from(host.ctypes.data, 32))
copy_from_async: copied(lambda p, host: p.copy_from_async(host.ctypes.data, 32, stream))
copy_from_device: copied(lambda p, host: p.copy_from_device(cp.asarray(host).data, 32))
copy_from_device_async: copied(lambda p, host: p.copy_from_device_async(cp.asarray(host).data, 32, stream))
copy_from_host: copied(lambda p, host: p.copy_from_host(c_void_p(host.ctypes.data), 32))
copy_from_host_async: copied(lambda p, host: p.copy_from_host_async(host.ctypes.data, 32))
copy_to_host: [y := np.empty(4, int), x.data.copy_to_host(y.ctypes.data, 32), y.tolist() == [0, 1, 2, 3]][-1]
copy_to_host_async: [y := np.empty(4, int), x.data.copy_to_host_async(y.ctypes.data, 32), stream.synchronize(), y.tolist() == [0, 1, 2, 3]][-1]
device: pointer.device == cuda.Device()
device_id: pointer.device_id == cuda.Device().id
mem: pointer.mem.size == 32
memset: [y := cp.ones(4), y.data.memset(0, 16), y.tolist() == [0, 0, 1, 1]][-1]
memset_async: [y := cp.ones(4), y.data.memset_async(0, 16, stream), stream.synchronize(), y.tolist() == [0, 0, 1, 1]][-1]
ptr: pointer.ptr > 0
""",
    "cupy.cuda.runtime": """
CUDARuntimeError: rt.CUDARuntimeError(2).status == 2 and 'cudaErrorMemoryAllocation' in str(rt.CUDARuntimeError(2))
MemPoolProps: rt.MemPoolProps(1, 0, 1, 0).devId == 0
PointerAttributes: rt.pointerGetAttributes(pointer.ptr).type == rt.memoryTypeDevice
check_status: rt.check_status(0) is None and raised(lambda: rt.check_status(1)) is rt.CUDARuntimeError
is_hip: rt.is_hip is False
deviceCanAccessPeer: rt.deviceCanAccessPeer(0, 0) == 0
deviceDisablePeerAccess: raised(lambda: rt.deviceDisablePeerAccess(0)) is rt.CUDARuntimeError
deviceEnablePeerAccess: raised(lambda: rt.deviceEnablePeerAccess(rt.getDevice())) is rt.CUDARuntimeError
deviceGetAttribute: rt.deviceGetAttribute(rt.cudaDevAttrWarpSize, 0) == 32
deviceGetByPCIBusId: rt.deviceGetByPCIBusId(rt.deviceGetPCIBusId(0)) == 0
deviceGetDefaultMemPool: rt.deviceGetDefaultMemPool(0) == rt.deviceGetMemPool(0)
deviceGetLimit: rt.deviceGetLimit(rt.cudaLimitStackSize) > 0
deviceGetMemPool: rt.deviceGetMemPool(0) > 0
deviceGetPCIBusId: rt.deviceGetPCIBusId(0).count(':') == 2
deviceSetLimit: [rt.deviceSetLimit(0, 2048), rt.deviceGetLimit(0) == 2048][-1]
deviceSetMemPool: rt.deviceSetMemPool(0, 1) is None
deviceSynchronize: rt.deviceSynchronize() is None
driverGetVersion: rt.driverGetVersion() >= 12000
runtimeGetVersion: rt.runtimeGetVersion() >= 12000
eventCreate: rt.eventDestroy(rt.eventCreate()) is None
eventCreateWithFlags: rt.eventDestroy(rt.eventCreateWithFlags(rt.eventDisableTiming)) is None
eventDestroy: raised(lambda: rt.eventDestroy(10**9)) is rt.CUDARuntimeError
eventElapsedTime: [a := rt.eventCreate(), b := rt.eventCreate(), rt.eventRecord(a, 0), rt.eventRecord(b, 0), rt.eventSynchronize(b), rt.eventElapsedTime(a, b) >= 0][-1]
eventQuery: [a := rt.eventCreate(), rt.eventRecord(a, 0), rt.eventSynchronize(a), rt.eventQuery(a) == 0][-1]
eventRecord: [a := rt.eventCreate(), rt.eventRecord(a, stream.ptr) is None][-1]
eventSynchronize: [a := rt.eventCreate(), rt.eventRecord(a, 0), rt.eventSynchronize(a) is None][-1]
free: rt.free(rt.malloc(64)) is None and rt.free(0) is None and raised(lambda: rt.free(12345)) is rt.CUDARuntimeError
freeAsync: rt.freeAsync(rt.mallocAsync(64, 0), 0) is None
freeHost: rt.freeHost(rt.hostAlloc(64, 0)) is None
getDevice: rt.getDevice() == cp.zeros(1).device.id
getDeviceCount: rt.getDeviceCount() >= 1
getDeviceProperties: rt.getDeviceProperties(0)['warpSize'] == 32 and isinstance(rt.getDeviceProperties(0)['name'], bytes)
hostAlloc: rt.pointerGetMemoryType(rt.hostAlloc(64, rt.hostAllocDefault)) == rt.memoryTypeHost
hostRegister: registered(rt)
hostUnregister: registered(rt)
launchHostFunc: called(lambda f: rt.launchHostFunc(stream.ptr, f, 3), stream) == [3]
malloc: rt.malloc(64) > 0
mallocAsync: rt.mallocAsync(64, 0) > 0
mallocFromPoolAsync: rt.mallocFromPoolAsync(64, 1, 0) > 0
mallocManaged: rt.pointerGetMemoryType(rt.mallocManaged(64)) == rt.memoryTypeManaged
memAdvise: rt.memAdvise(0, 0, rt.cudaMemAdviseSetReadMostly, 0) is None
memGetInfo: 0 < rt.memGetInfo()[0] <= rt.memGetInfo()[1]
memPoolCreate: rt.memPoolCreate(rt.MemPoolProps()) > 0
memPoolDestroy: rt.memPoolDestroy(1) is None
memPoolGetAttribute: rt.memPoolGetAttribute(1, rt.cudaMemPoolAttrUsedMemCurrent) > 0
memPoolSetAttribute: [rt.memPoolSetAttribute(1, rt.cudaMemPoolAttrReleaseThreshold, 64), rt.memPoolGetAttribute(1, 4) == 64][-1]
memPoolTrimTo: rt.memPoolTrimTo(1, 0) is None
memPrefetchAsync: rt.memPrefetchAsync(0, 0, 0, 0) is None
memcpy: copied(lambda p, host: rt.memcpy(p.ptr, host.ctypes.data, 32, rt.memcpyHostToDevice))
memcpyAsync: copied(lambda p, host: rt.memcpyAsync(p.ptr, host.ctypes.data, 32, rt.memcpyHostToDevice, stream.ptr))
memcpyPeer: copied(lambda p, host: (lambda a: rt.memcpyPeer(p.ptr, 0, a.data.ptr, 0, 32))(cp.asarray(host)))
memcpyPeerAsync: copied(lambda p, host: (lambda a: rt.memcpyPeerAsync(p.ptr, 0, a.data.ptr, 0, 32, 0))(cp.asarray(host)))
memcpy2D: copied(lambda p, host: rt.memcpy2D(p.ptr, 16, host.ctypes.data, 16, 16, 2, rt.memcpyHostToDevice))
memcpy2DAsync: copied(lambda p, host: rt.memcpy2DAsync(p.ptr, 16, host.ctypes.data, 16, 16, 2, rt.memcpyHostToDevice, 0))
memset: [y := cp.ones(4), rt.memset(y.data.ptr, 0, 16), y.tolist() == [0, 0, 1, 1]][-1]
memsetAsync: [y := cp.ones(4), rt.memsetAsync(y.data.ptr, 0, 16, stream.ptr), stream.synchronize(), y.tolist() == [0, 0, 1, 1]][-1]
pointerGetAttributes: rt.pointerGetAttributes(pointer.ptr).devicePointer == pointer.ptr
pointerGetMemoryType: rt.pointerGetMemoryType(pointer.ptr) == 2 and rt.pointerGetMemoryType(16) == rt.memoryTypeUnregistered
profilerStart: rt.profilerStart() is None
profilerStop: rt.profilerStop() is None
setDevice: rt.setDevice(rt.getDevice()) is None and raised(lambda: rt.setDevice(99)) is rt.CUDARuntimeError
streamAddCallback: called(lambda f: rt.streamAddCallback(stream.ptr, lambda s, e, arg: f(arg), 3), stream) == [3]
streamCreate: rt.streamDestroy(rt.streamCreate()) is None
streamCreateWithFlags: [s := rt.streamCreateWithFlags(rt.streamNonBlocking), rt.streamGetFlags(s) == 1][-1]
streamCreateWithPriority: [s := rt.streamCreateWithPriority(rt.streamDefault, -1), rt.streamGetPriority(s) == -1][-1]
streamDestroy: raised(lambda: rt.streamDestroy(stream.ptr + 1)) is rt.CUDARuntimeError
streamGetFlags: rt.streamGetFlags(stream.ptr) == 0
streamGetPriority: rt.streamGetPriority(stream.ptr) == 0
streamIsCapturing: rt.streamIsCapturing(stream.ptr) is False
streamQuery: [rt.streamSynchronize(stream.ptr), rt.streamQuery(stream.ptr) == 0][-1]
streamSynchronize: rt.streamSynchronize(0) is None
streamWaitEvent: [a := rt.eventCreate(), rt.eventRecord(a, 0), rt.streamWaitEvent(stream.ptr, a) is None][-1]
""",
    "cupy.ElementwiseKernel": """
__call__: plus(x, 2).tolist() == [2, 3, 4, 5]
__eq__: plus == plus
__ne__: plus != total
__format__: format(plus) != ''
__ge__: raised(lambda: plus >= plus) is TypeError
__gt__: raised(lambda: plus > plus) is TypeError
__le__: raised(lambda: plus <= plus) is TypeError
__lt__: raised(lambda: plus < plus) is TypeError
__reduce__: __import__('pickle').loads(__import__('pickle').dumps(plus)).name == plus.name
cached_code: isinstance(raw_plus(cp).cached_code, str)
cached_codes: len(raw_plus(cp).cached_codes) == 1
in_params: [p.name for p in plus.in_params] == ['x', 'y']
out_params: [p.name for p in plus.out_params] == ['z']
params: [p.name for p in plus.params] == ['x', 'y', 'z']
kwargs: plus.kwargs == {}
name: plus.name == 'plus'
nargs: plus.nargs == 3
nin: plus.nin == 2
nout: plus.nout == 1
no_return: plus.no_return is False
operation: plus.operation == 'z = x + y'
preamble: plus.preamble == ''
reduce_dims: plus.reduce_dims is True
return_tuple: plus.return_tuple is False
""",
    "cupy.ReductionKernel": """
__call__: int(total(x)) == 6
__eq__: total == total
__ne__: total != plus
__format__: format(total) != ''
__ge__: raised(lambda: total >= total) is TypeError
__gt__: raised(lambda: total > total) is TypeError
__le__: raised(lambda: total <= total) is TypeError
__lt__: raised(lambda: total < total) is TypeError
__reduce__: __import__('pickle').loads(__import__('pickle').dumps(total)).name == total.name
cached_code: [total(x).get(), isinstance(total.cached_code, str)][-1]
cached_codes: [total(x).get(), len(total.cached_codes) >= 1][-1]
identity: total.identity == '0'
in_params: [p.name for p in total.in_params] == ['x']
out_params: [p.name for p in total.out_params] == ['y']
params: [p.name for p in total.params] == ['x', 'y']
map_expr: total.map_expr == 'x'
name: total.name == 'total'
nargs: total.nargs == 2
nin: total.nin == 1
nout: total.nout == 1
options: total.options == ()
post_map_expr: total.post_map_expr == 'y = a'
preamble: total.preamble == ''
reduce_dims: total.reduce_dims is True
reduce_expr: total.reduce_expr == 'a + b'
reduce_type: total.reduce_type == 'T'
""",
    "cupy.RawKernel": """
__call__: launched(twice)
__eq__: twice == twice
__ne__: twice != plus
__format__: format(twice) != ''
__ge__: raised(lambda: twice >= twice) is TypeError
__gt__: raised(lambda: twice > twice) is TypeError
__le__: raised(lambda: twice <= twice) is TypeError
__lt__: raised(lambda: twice < twice) is TypeError
__reduce__: __import__('pickle').loads(__import__('pickle').dumps(twice)).name == twice.name
attributes: twice.attributes['max_threads_per_block'] > 0
backend: twice.backend == 'nvrtc'
binary_version: twice.binary_version >= 70
cache_mode_ca: twice.cache_mode_ca == 0
code: twice.code == TWICE
compile: twice.compile() is None
const_size_bytes: twice.const_size_bytes >= 0
enable_cooperative_groups: twice.enable_cooperative_groups is False
file_path: twice.file_path is None
kernel: type(twice.kernel) is cp.RawKernel
local_size_bytes: twice.local_size_bytes >= 0
max_dynamic_shared_size_bytes: twice.max_dynamic_shared_size_bytes >= 48 * 1024
max_threads_per_block: twice.max_threads_per_block >= 64
name: twice.name == 'twice'
num_regs: twice.num_regs >= 0
options: twice.options == ()
preferred_shared_memory_carveout: twice.preferred_shared_memory_carveout == -1
ptx_version: twice.ptx_version >= 70
shared_size_bytes: twice.shared_size_bytes == 0
""",
    "cupy.RawModule": """
__eq__: raw == raw
__ne__: raw != plus
__format__: format(raw) != ''
__ge__: raised(lambda: raw >= raw) is TypeError
__gt__: raised(lambda: raw > raw) is TypeError
__le__: raised(lambda: raw <= raw) is TypeError
__lt__: raised(lambda: raw < raw) is TypeError
__reduce__: __import__('pickle').loads(__import__('pickle').dumps(raw)).code == raw.code
backend: raw.backend == 'nvrtc'
code: raw.code == TWICE
compile: raw.compile() is None
enable_cooperative_groups: raw.enable_cooperative_groups is False
file_path: raw.file_path is None
get_function: launched(raw.get_function('twice'))
get_global: [p := raw.get_global('factor'), cp.ndarray((1,), 'f4', memptr=p).tolist() == [2.0]][-1]
module: type(raw.module).__name__ == 'Program'
name_expressions: raw.name_expressions == ()
options: raw.options == ()
""",
    "cupyx": """
DeviceSynchronized: issubclass(cx.DeviceSynchronized, RuntimeError)
GeneralizedUFunc: cx.GeneralizedUFunc(lambda a, b: a @ b, '(m,n),(n,p)->(m,p)')(cp.ones((4, 2, 3)), cp.ones((3, 2))).shape == (4, 2, 2)
allow_synchronize: forbidden(cx, x) is cx.DeviceSynchronized
empty_like_pinned: cx.empty_like_pinned(np.ones((2, 3), order='F')).flags.f_contiguous
empty_pinned: cx.empty_pinned((2, 3), 'f4').dtype == np.float32
errstate: [w := cx.errstate(linalg='raise'), w.__enter__(), cx.geterr()['linalg'], w.__exit__(None, None, None)][2] == 'raise'
get_runtime_info: 'NumPy Version' in str(cx.get_runtime_info())
geterr: cx.geterr()['divide'] is None
linalg: cp.allclose(cx.linalg.invh(cp.asarray([[2.0, 1], [1, 3]])) @ cp.asarray([[2.0, 1], [1, 3]]), cp.eye(2))
optimizing: cx.optimizing.optimize(key='a', path=None, max_trials=3)(lambda: 5)() == 5 and raised(lambda: cx.optimizing.optimize(trials=3)(id)(1)) is TypeError
profiler: cx.profiler.benchmark(lambda: x + 1, n_repeat=2).cpu_times.shape == (2,)
rsqrt: float(cx.rsqrt(cp.asarray(4.0))) == 0.5
scatter_add: [y := cp.zeros(3), cx.scatter_add(y, [0, 0], 1), y.tolist() == [2, 0, 0]][-1]
scatter_max: [y := cp.zeros(3), cx.scatter_max(y, [0, 0], cp.asarray([3.0, 1])), y.tolist() == [3, 0, 0]][-1]
scatter_min: [y := cp.zeros(3), cx.scatter_min(y, [0, 0], cp.asarray([-3.0, 1])), y.tolist() == [-3, 0, 0]][-1]
seterr: cx.seterr()['linalg'] is None
time: cx.time.repeat(lambda: x + 1, n_repeat=2, n_warmup=0).cpu_times.shape == (2,)
zeros_like_pinned: cx.zeros_like_pinned(np.ones(3)).tolist() == [0, 0, 0]
zeros_pinned: cx.zeros_pinned(3).tolist() == [0, 0, 0]
""",
    "cupyx.jit": """
atomic_add: in_kernel(cx.jit.atomic_add)
atomic_and: in_kernel(cx.jit.atomic_and)
atomic_cas: in_kernel(cx.jit.atomic_cas)
atomic_dec: in_kernel(cx.jit.atomic_dec)
atomic_exch: in_kernel(cx.jit.atomic_exch)
atomic_inc: in_kernel(cx.jit.atomic_inc)
atomic_max: in_kernel(cx.jit.atomic_max)
atomic_min: in_kernel(cx.jit.atomic_min)
atomic_or: in_kernel(cx.jit.atomic_or)
atomic_sub: in_kernel(cx.jit.atomic_sub)
atomic_xor: in_kernel(cx.jit.atomic_xor)
blockDim: raised(lambda: cx.jit.blockDim.x) is RuntimeError
blockIdx: raised(lambda: cx.jit.blockIdx.x) is RuntimeError
cg: in_kernel(cx.jit.cg.this_grid) and in_kernel(cx.jit.cg.sync)
cub: raised(lambda: cx.jit.cub.WarpReduce) is NotImplementedError
grid: in_kernel(cx.jit.grid)
gridDim: raised(lambda: cx.jit.gridDim.x) is RuntimeError
gridsize: in_kernel(cx.jit.gridsize)
laneid: in_kernel(cx.jit.laneid)
range: in_kernel(cx.jit.range)
rawkernel: cx.jit.rawkernel(device=True)(forbidden).py_func is forbidden
shared_memory: in_kernel(cx.jit.shared_memory)
shfl_down_sync: in_kernel(cx.jit.shfl_down_sync)
shfl_sync: in_kernel(cx.jit.shfl_sync)
shfl_up_sync: in_kernel(cx.jit.shfl_up_sync)
shfl_xor_sync: in_kernel(cx.jit.shfl_xor_sync)
syncthreads: in_kernel(cx.jit.syncthreads)
syncwarp: in_kernel(cx.jit.syncwarp)
threadIdx: raised(lambda: cx.jit.threadIdx.x) is RuntimeError
thrust: raised(lambda: cx.jit.thrust.sort) is NotImplementedError
warpsize: in_kernel(cx.jit.warpsize)
""",
    "cupyx.profiler": """
benchmark: 'CPU' in str(cx.profiler.benchmark(lambda: x + 1, n_repeat=2))
profile: cx.profiler.profile().__enter__() is None
time_range: type(cx.profiler.time_range('a').__enter__()) is cx.profiler.time_range
""",
    "cupy.testing": """
AssertFunctionIsCalled: [w := t.AssertFunctionIsCalled('os.getcwd'), w.__enter__(), __import__('os').getcwd(), w.__exit__(None, None, None)] != []
NumpyAliasBasicTestBase: runs(type('T', (t.NumpyAliasBasicTestBase,), {'func': 'vdot', 'test_argspec': None, '__module__': 'a'}))
NumpyAliasValuesTestBase: runs(type('T', (t.NumpyAliasValuesTestBase,), {'func': 'sum', 'args': ([1, 2],), '__module__': 'a'}))
assert_allclose: t.assert_allclose(x, x.get()) is None and raised(lambda: t.assert_allclose(x, x + 1)) is AssertionError
assert_array_almost_equal: t.assert_array_almost_equal(x, x) is None
assert_array_almost_equal_nulp: t.assert_array_almost_equal_nulp(x * 1.0, x * 1.0) is None
assert_array_equal: raised(lambda: t.assert_array_equal(x, x[::-1])) is AssertionError
assert_array_less: t.assert_array_less(x, x + 1) is None
assert_array_list_equal: t.assert_array_list_equal([x], [x.get()]) is None
assert_array_max_ulp: not t.assert_array_max_ulp(x * 1.0, x * 1.0).any()
assert_warns: raised(lambda: t.assert_warns(UserWarning).__enter__()) is None
fix_random: t.fix_random()(lambda: float(cp.random.rand()))() == t.fix_random()(lambda: float(cp.random.rand()))()
for_CF_orders: seen(t.for_CF_orders(), 'order') == [None, 'C', 'F', 'c', 'f']
for_all_dtypes: len(seen(t.for_all_dtypes(), 'dtype')) == 16
for_all_dtypes_combination: len(seen(t.for_all_dtypes_combination(('a', 'b')), 'a', 'b')) == 16
for_complex_dtypes: seen(t.for_complex_dtypes(), 'dtype') == [np.complex64, np.complex128]
for_contiguous_axes: axes_seen(t.for_contiguous_axes()) == [(0, 1), (1,)]
for_dtypes: seen(t.for_dtypes('bf'), 'dtype') == [np.int8, np.float32]
for_dtypes_combination: len(seen(t.for_dtypes_combination('bf', ('a', 'b'), full=True), 'a', 'b')) == 4
for_float_dtypes: seen(t.for_float_dtypes(no_float16=True), 'dtype') == [np.float64, np.float32]
for_int_dtypes: np.bool_ in seen(t.for_int_dtypes(), 'dtype')
for_int_dtypes_combination: len(seen(t.for_int_dtypes_combination(('a',)), 'a')) == 11
for_orders: seen(t.for_orders('CF'), 'order') == ['C', 'F']
for_signed_dtypes: np.int8 in seen(t.for_signed_dtypes(), 'dtype')
for_signed_dtypes_combination: len(seen(t.for_signed_dtypes_combination(('a',)), 'a')) == 5
for_unsigned_dtypes: np.uint8 in seen(t.for_unsigned_dtypes(), 'dtype')
for_unsigned_dtypes_combination: len(seen(t.for_unsigned_dtypes_combination(('a',)), 'a')) == 5
generate_matrix: np.allclose(np.linalg.svd(t.generate_matrix((3, 3), dtype='f8', singular_values=[3, 2, 1]).get())[1], [3, 2, 1])
generate_seed: isinstance(t.generate_seed(), int)
installed: t.installed('numpy>=1.20') and not t.installed('no-such-package')
multi_gpu: callable(t.multi_gpu(1))
numpy_cupy_allclose: t.numpy_cupy_allclose()(lambda xp: xp.sin(xp.arange(3.0)))() is None and raised(t.numpy_cupy_allclose()(lambda xp: xp.asarray(xp is cp))) is AssertionError
numpy_cupy_array_almost_equal: t.numpy_cupy_array_almost_equal()(lambda xp: xp.arange(3.0))() is None
numpy_cupy_array_almost_equal_nulp: t.numpy_cupy_array_almost_equal_nulp()(lambda xp: xp.arange(3.0))() is None
numpy_cupy_array_equal: t.numpy_cupy_array_equal()(lambda xp: xp.arange(3))() is None
numpy_cupy_array_less: t.numpy_cupy_array_less()(lambda xp: xp.arange(3) - (xp is cp))() is None
numpy_cupy_array_list_equal: t.numpy_cupy_array_list_equal()(lambda xp: [xp.arange(3)])() is None
numpy_cupy_array_max_ulp: t.numpy_cupy_array_max_ulp()(lambda xp: xp.arange(3.0))() is None
numpy_cupy_equal: t.numpy_cupy_equal()(lambda xp: xp.arange(3).shape)() is None
numpy_cupy_raises: t.numpy_cupy_raises()(lambda xp: xp.arange(3).reshape(7))() is None
numpy_satisfies: t.numpy_satisfies('>=1.20')
parameterize: runs(t.parameterize({'a': 1}, {'a': 2})(type('T', (__import__('unittest').TestCase,), {'test_a': lambda self: self.assertIn(self.a, (1, 2)), '__module__': 'a'})))
product: t.product({'a': [1, 2], 'b': [3]}) == [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
product_dict: t.product_dict([{'a': 1}], [{'b': 2}]) == [{'a': 1, 'b': 2}]
shaped_arange: t.shaped_arange((2, 2)).tolist() == [[1, 2], [3, 4]]
shaped_linspace: t.shaped_linspace(0, 1, (3,)).tolist() == [0, 0.5, 1]
shaped_random: t.shaped_random((3,)).tolist() == t.shaped_random((3,), np).tolist()
shaped_reverse_arange: t.shaped_reverse_arange((2, 2)).tolist() == [[4, 3], [2, 1]]
slow: callable(t.slow)
with_requires: callable(t.with_requires('numpy'))
""",
}

# These raise NotImplementedError, which says what is not supported.
RAISES = {
    "cupy": "set_string_function: cp.set_string_function(repr)",
    "cupy.ndarray": "cstruct: x.cstruct",
    "cupy.cuda": "Graph: cuda.Graph()\nget_cublas_handle: cuda.get_cublas_handle()",
    "cupy.cuda.Device": "\n".join(
        f"{n}: cuda.Device(0).{n}" for n in "cublas_handle cusolver_handle cusolver_sp_handle cusparse_handle cutensor_handle".split()
    ),
    "cupy.cuda.Stream": "begin_capture: stream.begin_capture()\nend_capture: stream.end_capture()",
    "cupy.cuda.runtime": "\n".join(
        f"{n}: rt.{n}(1)"
        for n in """createSurfaceObject createTextureObject destroySurfaceObject destroyTextureObject freeArray malloc3DArray mallocArray
        memcpy2DFromArray memcpy2DFromArrayAsync memcpy2DToArray memcpy2DToArrayAsync memcpy3D memcpy3DAsync graphDebugDotPrint
        graphDestroy graphExecDestroy graphInstantiate graphLaunch graphUpload streamBeginCapture streamEndCapture ipcCloseMemHandle
        ipcGetEventHandle ipcGetMemHandle ipcOpenEventHandle ipcOpenMemHandle""".split()
    ),
    "cupy.testing": "shaped_sparse_random: t.shaped_sparse_random((3, 3))",
}
