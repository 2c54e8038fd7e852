// Where a CUDA toolkit is installed: the types and numbers of device/cuda_driver.h are those of cuda.h.
#include "device/cuda_driver.h"

#include "device/attributes.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <type_traits>

// cuda.h gives this name to a newer function; ours is the first one, with the same parameters.
#undef cuEventElapsedTime
extern "C" CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end);
#undef cuGraphGetEdges
extern "C" CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count);

namespace quern::cuda {
namespace {

static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(IpcMemory) == sizeof(CUipcMemHandle));
static_assert(sizeof(ArrayDescription) == sizeof(CUDA_ARRAY3D_DESCRIPTOR));
static_assert(offsetof(ArrayDescription, flags) == offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags));
static_assert(sizeof(BoxCopy) == sizeof(CUDA_MEMCPY3D));
static_assert(offsetof(BoxCopy, from.array) == offsetof(CUDA_MEMCPY3D, srcArray));
static_assert(offsetof(BoxCopy, to.x_bytes) == offsetof(CUDA_MEMCPY3D, dstXInBytes));
static_assert(offsetof(BoxCopy, to.height) == offsetof(CUDA_MEMCPY3D, dstHeight));
static_assert(offsetof(BoxCopy, width_bytes) == offsetof(CUDA_MEMCPY3D, WidthInBytes));
static_assert(sizeof(ResourceDescription) == sizeof(CUDA_RESOURCE_DESC));
static_assert(offsetof(ResourceDescription, of.linear.bytes) == offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes));
static_assert(offsetof(ResourceDescription, of.pitched.pitch) == offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes));
static_assert(offsetof(ResourceDescription, flags) == offsetof(CUDA_RESOURCE_DESC, flags));
static_assert(sizeof(TextureDescription) == sizeof(CUDA_TEXTURE_DESC));
static_assert(offsetof(TextureDescription, border) == offsetof(CUDA_TEXTURE_DESC, borderColor));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS));
static_assert(offsetof(KernelNode, shared_bytes) == offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes));
static_assert(offsetof(KernelNode, extra) == offsetof(CUDA_KERNEL_NODE_PARAMS, extra));
static_assert(offsetof(KernelNode, kernel) == offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
static_assert(sizeof(Address) == sizeof(CUdeviceptr) && sizeof(DeviceHandle) == sizeof(CUdevice));

// A parameter of ours may stand for one of cuda.h's when it is passed the same way.
template <class Ours, class Theirs>
constexpr bool same_parameter() {
  if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
    return std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
  } else {
    return sizeof(Ours) == sizeof(Theirs) && std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}
template <class Ours, class Theirs>
constexpr bool same_call = false;
template <class... Ours, class... Theirs>
constexpr bool same_call<Result (*)(Ours...), CUresult (*)(Theirs...)> = [] {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs)) return (same_parameter<Ours, Theirs>() && ...);
  return false;
}();

#define QUERN_CUDA_SAME(name, version, params) static_assert(same_call<decltype(Driver::name), decltype(&::name)>, #name);
QUERN_CUDA_SYMBOLS(QUERN_CUDA_SAME)
#undef QUERN_CUDA_SAME

// Ours, and CUDA's.
const int numbers[][2] = {
    {error_out_of_memory, CUDA_ERROR_OUT_OF_MEMORY},
    {launch_attribute_cluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION},
    {launch_attribute_programmatic, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION},
    {node_kernel, CU_GRAPH_NODE_TYPE_KERNEL},
    {capture_thread_local, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
    {memory_host, CU_MEMORYTYPE_HOST},
    {memory_device, CU_MEMORYTYPE_DEVICE},
    {memory_array, CU_MEMORYTYPE_ARRAY},
    {resource_array, CU_RESOURCE_TYPE_ARRAY},
    {resource_linear, CU_RESOURCE_TYPE_LINEAR},
    {resource_pitched, CU_RESOURCE_TYPE_PITCH2D},
    {texture_read_as_integer, CU_TRSF_READ_AS_INTEGER},
    {texture_normalized_coordinates, CU_TRSF_NORMALIZED_COORDINATES},
    {error_not_initialized, CUDA_ERROR_NOT_INITIALIZED},
    {error_deinitialized, CUDA_ERROR_DEINITIALIZED},
    {error_stub_library, CUDA_ERROR_STUB_LIBRARY},
    {error_no_device, CUDA_ERROR_NO_DEVICE},
    {error_invalid_image, CUDA_ERROR_INVALID_IMAGE},
    {error_no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU},
    {error_ecc, CUDA_ERROR_ECC_UNCORRECTABLE},
    {error_invalid_ptx, CUDA_ERROR_INVALID_PTX},
    {error_nvlink, CUDA_ERROR_NVLINK_UNCORRECTABLE},
    {error_unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
    {error_invalid_handle, CUDA_ERROR_INVALID_HANDLE},
    {error_not_found, CUDA_ERROR_NOT_FOUND},
    {error_not_ready, CUDA_ERROR_NOT_READY},
    {error_illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS},
    {error_launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES},
    {error_launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT},
    {error_context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED},
    {error_assert, CUDA_ERROR_ASSERT},
    {error_peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED},
    {error_too_many_peers, CUDA_ERROR_TOO_MANY_PEERS},
    {error_host_memory_already_registered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED},
    {error_host_memory_not_registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED},
    {error_hardware_stack, CUDA_ERROR_HARDWARE_STACK_ERROR},
    {error_illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION},
    {error_misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS},
    {error_invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE},
    {error_invalid_pc, CUDA_ERROR_INVALID_PC},
    {error_launch_failed, CUDA_ERROR_LAUNCH_FAILED},
    {error_cooperative_too_large, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE},
    {error_not_supported, CUDA_ERROR_NOT_SUPPORTED},
    {error_unknown, CUDA_ERROR_UNKNOWN},
    {device_attribute::max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {device_attribute::max_block_dim_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
    {device_attribute::max_grid_dim_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
    {device_attribute::max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    {device_attribute::warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {device_attribute::multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {device_attribute::compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
    {device_attribute::compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    {device_attribute::max_shared_memory_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    {function_max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {function_shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
    {function_const_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES},
    {function_local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
    {function_registers, CU_FUNC_ATTRIBUTE_NUM_REGS},
    {function_max_dynamic_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
    {jit_max_registers, CU_JIT_MAX_REGISTERS},
    {jit_info_log, CU_JIT_INFO_LOG_BUFFER},
    {jit_info_log_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES},
    {input_cubin, CU_JIT_INPUT_CUBIN},
    {input_ptx, CU_JIT_INPUT_PTX},
    {input_fatbin, CU_JIT_INPUT_FATBINARY},
    {input_object, CU_JIT_INPUT_OBJECT},
    {input_archive, CU_JIT_INPUT_LIBRARY},
    {jit_error_log, CU_JIT_ERROR_LOG_BUFFER},
    {jit_error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
    {event_blocking_sync, CU_EVENT_BLOCKING_SYNC},
    {event_disable_timing, CU_EVENT_DISABLE_TIMING},
    {stream_non_blocking, CU_STREAM_NON_BLOCKING},
    {managed_attach_global, CU_MEM_ATTACH_GLOBAL},
    {host_portable, CU_MEMHOSTALLOC_PORTABLE},
    {host_mapped, CU_MEMHOSTALLOC_DEVICEMAP},
    {host_write_combined, CU_MEMHOSTALLOC_WRITECOMBINED},
    {launch_attribute_cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE},
};

TEST(CudaHeader, Numbers) {
  for (const auto& row : numbers) EXPECT_EQ(row[0], row[1]);
  EXPECT_EQ(launch_param_end, CU_LAUNCH_PARAM_END);
  EXPECT_EQ(launch_param_buffer, CU_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(launch_param_size, CU_LAUNCH_PARAM_BUFFER_SIZE);
}

}  // namespace
}  // namespace quern::cuda

#else

TEST(CudaHeader, Numbers) { GTEST_SKIP() << "no cuda.h on this machine"; }

#endif
