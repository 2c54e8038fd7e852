// The NVIDIA driver, found at run time: the list of every symbol used, and the few types they need.
//
// No CUDA header is used. Types and numbers are those of cuda.h (tests/engine/cuda_header_test.cpp compares them where a toolkit
// is installed). Start at QUERN_CUDA_SYMBOLS; device/cuda*.cpp are the only callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace quern::cuda {

using Result = int;                  // CUresult
using DeviceHandle = int;            // CUdevice
using Address = unsigned long long;  // CUdeviceptr
using ContextHandle = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;
using LinkHandle = struct LinkTag*;
using ArrayHandle = struct ArrayTag*;
using GraphHandle = struct GraphTag*;
using GraphExecHandle = struct GraphExecTag*;
using GraphNodeHandle = struct GraphNodeTag*;

struct IpcMemory {  // CUipcMemHandle
  char bytes[64];
};

struct IpcEvent {  // CUipcEventHandle
  char bytes[64];
};

struct ArrayDescription {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

struct CopySide {  // one half of CUDA_MEMCPY3D
  size_t x_bytes, y, z, lod;
  int memory_type;
  void* host;
  Address device;
  ArrayHandle array;
  void* reserved;
  size_t pitch, height;
};
struct BoxCopy {  // CUDA_MEMCPY3D
  CopySide from, to;
  size_t width_bytes, height, depth;
};
enum : int { memory_host = 1, memory_device = 2, memory_array = 3 };  // CUmemorytype

struct ResourceDescription {  // CUDA_RESOURCE_DESC
  int type;
  union {
    ArrayHandle array;
    struct {
      Address memory;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      Address memory;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitched;
    int reserved[32];
  } of;
  unsigned flags;
};
enum : int { resource_array = 0, resource_linear = 2, resource_pitched = 3 };  // CUresourcetype

struct TextureDescription {  // CUDA_TEXTURE_DESC
  int address_mode[3];
  int filter_mode;
  unsigned flags, max_anisotropy;
  int mipmap_filter_mode;
  float mipmap_bias, least_mipmap, most_mipmap;
  float border[4];
  int reserved[12];
};
enum : unsigned { texture_read_as_integer = 1, texture_normalized_coordinates = 2 };

struct LaunchAttribute {  // CUlaunchAttribute
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
  } value;
};

struct LaunchConfig {  // CUlaunchConfig
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

enum : int {  // CUlaunchAttributeID
  launch_attribute_cooperative = 2,
  launch_attribute_cluster = 4,
  launch_attribute_programmatic = 6
};

struct KernelNode {  // CUDA_KERNEL_NODE_PARAMS_v2
  FunctionHandle function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  void** params;
  void** extra;
  void* kernel;
  ContextHandle context;
};
enum : int { node_kernel = 0, capture_thread_local = 1 };  // CUgraphNodeType, CUstreamCaptureMode

// The values of CUresult that something here asks for.
enum : Result {
  success = 0,
  error_invalid_value = 1,
  error_out_of_memory = 2,
  error_not_initialized = 3,
  error_deinitialized = 4,
  error_stub_library = 34,
  error_no_device = 100,
  error_invalid_image = 200,
  error_invalid_context = 201,
  error_no_binary_for_gpu = 209,
  error_ecc = 214,
  error_invalid_ptx = 218,
  error_nvlink = 220,
  error_unsupported_ptx_version = 222,
  error_contained = 226,
  error_invalid_handle = 400,
  error_not_found = 500,
  error_not_ready = 600,
  error_illegal_address = 700,
  error_launch_out_of_resources = 701,
  error_launch_timeout = 702,
  error_peer_access_already_enabled = 704,
  error_context_is_destroyed = 709,
  error_assert = 710,
  error_too_many_peers = 711,
  error_host_memory_already_registered = 712,
  error_host_memory_not_registered = 713,
  error_hardware_stack = 714,
  error_illegal_instruction = 715,
  error_misaligned_address = 716,
  error_invalid_address_space = 717,
  error_invalid_pc = 718,
  error_launch_failed = 719,
  error_cooperative_too_large = 720,
  error_tensor_memory_leak = 721,
  error_not_supported = 801,
  error_unknown = 999,
};

enum : int {  // CUfunction_attribute
  function_max_threads = 0,
  function_shared_bytes = 1,
  function_const_bytes = 2,
  function_local_bytes = 3,
  function_registers = 4,
  function_max_dynamic_shared = 8,
};

enum : int {
  jit_max_registers = 0,
  jit_info_log = 3,
  jit_info_log_bytes = 4,
  jit_error_log = 5,
  jit_error_log_bytes = 6
};  // CUjit_option
enum : int { input_cubin = 0, input_ptx = 1, input_fatbin = 2, input_object = 3, input_archive = 4 };  // CUjitInputType
enum : unsigned {
  event_blocking_sync = 1,
  event_disable_timing = 2,
  event_interprocess = 4,
  stream_non_blocking = 1,
  managed_attach_global = 1
};
enum : int { pointer_memory_type = 2, pointer_device_ordinal = 9 };  // CUpointer_attribute
enum : unsigned { host_portable = 1, host_mapped = 2, host_write_combined = 4 };

// How cuLaunchKernel takes a packed parameter block.
inline void* const launch_param_end = nullptr;
inline void* const launch_param_buffer = reinterpret_cast<void*>(1);
inline void* const launch_param_size = reinterpret_cast<void*>(2);

// X(symbol as libcuda.so.1 exports it, CUDA version of the driver that has it, parameters). All return CUresult. Symbols newer
// than `oldest_driver` may be missing: their pointer is then nullptr.
inline constexpr int oldest_driver = 12000;

#define QUERN_CUDA_SYMBOLS(X)                                                                                                    \
  /* the driver and its devices */                                                                                               \
  X(cuInit, 2000, (unsigned flags))                                                                                              \
  X(cuDriverGetVersion, 2020, (int* version))                                                                                    \
  X(cuGetErrorName, 6000, (Result error, const char** text))                                                                     \
  X(cuGetErrorString, 6000, (Result error, const char** text))                                                                   \
  X(cuDeviceGetCount, 2000, (int* count))                                                                                        \
  X(cuDeviceGet, 2000, (DeviceHandle * device, int ordinal))                                                                     \
  X(cuDeviceGetName, 2000, (char* name, int bytes, DeviceHandle device))                                                         \
  X(cuDeviceGetAttribute, 2000, (int* value, int attribute, DeviceHandle device))                                                \
  X(cuDeviceGetPCIBusId, 4010, (char* text, int bytes, DeviceHandle device))                                                     \
  X(cuDeviceTotalMem_v2, 3020, (size_t* bytes, DeviceHandle device))                                                             \
  /* the primary context */                                                                                                      \
  X(cuDevicePrimaryCtxRetain, 7000, (ContextHandle * context, DeviceHandle device))                                              \
  X(cuCtxGetCurrent, 4000, (ContextHandle * context))                                                                            \
  X(cuCtxSetCurrent, 4000, (ContextHandle context))                                                                              \
  X(cuCtxSynchronize, 2000, ())                                                                                                  \
  X(cuDeviceCanAccessPeer, 4000, (int* can, DeviceHandle device, DeviceHandle peer))                                             \
  X(cuCtxEnablePeerAccess, 4000, (ContextHandle peer, unsigned flags))                                                           \
  /* memory */                                                                                                                   \
  X(cuMemGetInfo_v2, 3020, (size_t* free, size_t* total))                                                                        \
  X(cuMemAlloc_v2, 3020, (Address * pointer, size_t bytes))                                                                      \
  X(cuMemFree_v2, 3020, (Address pointer))                                                                                       \
  X(cuMemHostAlloc, 2020, (void** pointer, size_t bytes, unsigned flags))                                                        \
  X(cuMemFreeHost, 2000, (void* pointer))                                                                                        \
  X(cuMemHostRegister_v2, 6050, (void* pointer, size_t bytes, unsigned flags))                                                   \
  X(cuMemHostUnregister, 4000, (void* pointer))                                                                                  \
  X(cuMemHostGetDevicePointer_v2, 3020, (Address * device, void* host, unsigned flags))                                          \
  X(cuPointerGetAttribute, 4000, (void* value, int attribute, Address pointer))                                                  \
  X(cuMemAllocManaged, 6000, (Address * pointer, size_t bytes, unsigned flags))                                                  \
  X(cuIpcGetMemHandle, 4010, (IpcMemory * handle, Address pointer))                                                              \
  X(cuIpcOpenMemHandle_v2, 11000, (Address * pointer, IpcMemory handle, unsigned flags))                                         \
  X(cuIpcCloseMemHandle, 4010, (Address pointer))                                                                                \
  X(cuIpcGetEventHandle, 4010, (IpcEvent * handle, EventHandle event))                                                           \
  X(cuIpcOpenEventHandle, 4010, (EventHandle * event, IpcEvent handle))                                                          \
  /* copies and fills */                                                                                                         \
  X(cuMemcpyHtoDAsync_v2, 3020, (Address dst, const void* src, size_t bytes, StreamHandle stream))                               \
  X(cuMemcpyDtoHAsync_v2, 3020, (void* dst, Address src, size_t bytes, StreamHandle stream))                                     \
  X(cuMemcpyAsync, 4000, (Address dst, Address src, size_t bytes, StreamHandle stream))                                          \
  X(cuMemsetD8Async, 3020, (Address dst, unsigned char value, size_t count, StreamHandle stream))                                \
  X(cuMemsetD16Async, 3020, (Address dst, unsigned short value, size_t count, StreamHandle stream))                              \
  X(cuMemsetD32Async, 3020, (Address dst, unsigned value, size_t count, StreamHandle stream))                                    \
  X(cuMemsetD2D8Async, 3020, (Address dst, size_t pitch, unsigned char value, size_t width, size_t height, StreamHandle stream)) \
  X(cuMemsetD2D16Async, 3020,                                                                                                    \
    (Address dst, size_t pitch, unsigned short value, size_t width, size_t height, StreamHandle stream))                         \
  X(cuMemsetD2D32Async, 3020, (Address dst, size_t pitch, unsigned value, size_t width, size_t height, StreamHandle stream))     \
  /* streams and events */                                                                                                       \
  X(cuStreamCreateWithPriority, 5050, (StreamHandle * stream, unsigned flags, int priority))                                     \
  X(cuStreamDestroy_v2, 4000, (StreamHandle stream))                                                                             \
  X(cuStreamSynchronize, 2000, (StreamHandle stream))                                                                            \
  X(cuStreamQuery, 2000, (StreamHandle stream))                                                                                  \
  X(cuStreamWaitEvent, 3020, (StreamHandle stream, EventHandle event, unsigned flags))                                           \
  X(cuLaunchHostFunc, 10000, (StreamHandle stream, void (*call)(void*), void* data))                                             \
  X(cuEventCreate, 2000, (EventHandle * event, unsigned flags))                                                                  \
  X(cuEventDestroy_v2, 4000, (EventHandle event))                                                                                \
  X(cuEventRecord, 2000, (EventHandle event, StreamHandle stream))                                                               \
  X(cuEventSynchronize, 2000, (EventHandle event))                                                                               \
  X(cuEventQuery, 2000, (EventHandle event))                                                                                     \
  X(cuEventElapsedTime, 2000, (float* milliseconds, EventHandle start, EventHandle end))                                         \
  /* textures */                                                                                                                 \
  X(cuArray3DCreate_v2, 3020, (ArrayHandle * array, const ArrayDescription* description))                                        \
  X(cuArrayDestroy, 2000, (ArrayHandle array))                                                                                   \
  X(cuMemcpy3DAsync_v2, 3020, (const BoxCopy* copy, StreamHandle stream))                                                        \
  X(cuTexObjectCreate, 5000,                                                                                                     \
    (unsigned long long* texture, const ResourceDescription* resource, const TextureDescription* description, const void* view)) \
  X(cuTexObjectDestroy, 5000, (unsigned long long texture))                                                                      \
  X(cuSurfObjectCreate, 5000, (unsigned long long* surface, const ResourceDescription* resource))                                \
  X(cuSurfObjectDestroy, 5000, (unsigned long long surface))                                                                     \
  /* code */                                                                                                                     \
  X(cuModuleLoadDataEx, 2010, (ModuleHandle * module, const void* image, unsigned count, int* options, void** values))           \
  X(cuLinkCreate_v2, 6050, (unsigned count, int* options, void** values, LinkHandle* link))                                      \
  X(cuLinkAddData_v2, 6050,                                                                                                      \
    (LinkHandle link, int input, void* data, size_t bytes, const char* name, unsigned count, int* options, void** values))       \
  X(cuLinkComplete, 5050, (LinkHandle link, void** code, size_t* bytes))                                                         \
  X(cuLinkDestroy, 5050, (LinkHandle link))                                                                                      \
  X(cuModuleUnload, 2000, (ModuleHandle module))                                                                                 \
  X(cuModuleGetFunction, 2000, (FunctionHandle * function, ModuleHandle module, const char* name))                               \
  X(cuModuleGetGlobal_v2, 3020, (Address * pointer, size_t* bytes, ModuleHandle module, const char* name))                       \
  X(cuFuncGetAttribute, 2020, (int* value, int attribute, FunctionHandle function))                                              \
  X(cuFuncSetAttribute, 9000, (FunctionHandle function, int attribute, int value))                                               \
  X(cuFuncGetParamInfo, 12040, (FunctionHandle function, size_t index, size_t* offset, size_t* bytes))                           \
  X(cuLaunchKernel, 4000,                                                                                                        \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,             \
     unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** params, void** extra))                                 \
  X(cuLaunchKernelEx, 11060, (const LaunchConfig* config, FunctionHandle function, void** params, void** extra))                 \
  /* graphs of launches */                                                                                                       \
  X(cuGraphCreate, 10000, (GraphHandle * graph, unsigned flags))                                                                 \
  X(cuGraphDestroy, 10000, (GraphHandle graph))                                                                                  \
  X(cuGraphAddKernelNode_v2, 12000,                                                                                              \
    (GraphNodeHandle * node, GraphHandle graph, const GraphNodeHandle* after, size_t count, const KernelNode* launch))           \
  X(cuGraphInstantiateWithFlags, 11040, (GraphExecHandle * exec, GraphHandle graph, unsigned long long flags))                   \
  X(cuGraphExecKernelNodeSetParams_v2, 12000, (GraphExecHandle exec, GraphNodeHandle node, const KernelNode* launch))            \
  X(cuGraphExecDestroy, 10000, (GraphExecHandle exec))                                                                           \
  X(cuGraphLaunch, 10000, (GraphExecHandle exec, StreamHandle stream))                                                           \
  X(cuStreamBeginCapture_v2, 10010, (StreamHandle stream, int mode))                                                             \
  X(cuStreamEndCapture, 10000, (StreamHandle stream, GraphHandle * graph))                                                       \
  X(cuGraphGetNodes, 10000, (GraphHandle graph, GraphNodeHandle * nodes, size_t* count))                                         \
  X(cuGraphGetEdges, 10000, (GraphHandle graph, GraphNodeHandle * from, GraphNodeHandle * to, size_t* count))                    \
  X(cuGraphNodeGetType, 10000, (GraphNodeHandle node, int* type))                                                                \
  X(cuGraphKernelNodeGetParams_v2, 12000, (GraphNodeHandle node, KernelNode * launch))                                           \
  X(cuGraphKernelNodeGetAttribute, 11000, (GraphNodeHandle node, int attribute, void* value))

struct Driver {
#define QUERN_CUDA_MEMBER(name, version, params) Result(*name) params = nullptr;
  QUERN_CUDA_SYMBOLS(QUERN_CUDA_MEMBER)
#undef QUERN_CUDA_MEMBER
};

// The table, filled when the driver was found. Call through it only after driver_report().reason is empty.
Driver& driver();

// What was found, for device/cuda.cpp and for a report to the user. The first call loads and initialises the driver.
struct DriverReport {
  std::string path;  // of the library
  int version = 0;   // 12040 for CUDA 12.4
  int devices = 0;
  std::string reason;  // why there is no GPU; "" when there is one
};
const DriverReport& driver_report() noexcept;

// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
std::string describe(Result result);

// True in a child process that was forked after the driver was initialised: it cannot use CUDA.
bool forked() noexcept;

// For tests and for holding the trace against the truth: counts the calls of every symbol while on.
void count_calls(bool on);
void reset_call_counts();
std::vector<std::pair<const char*, uint64_t>> call_counts();  // symbols called at least once

}  // namespace quern::cuda
