// Where CUPTI's headers are installed: the types and numbers of device/cupti_types.h are theirs.
#include "device/cupti_types.h"

#include <gtest/gtest.h>

#if __has_include(<cupti_activity.h>) && __has_include(<cuda.h>)
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>

namespace quern::cupti {
namespace {

#define SAME(ours, member, theirs, name) static_assert(offsetof(ours, member) == offsetof(theirs, name))
SAME(CallbackData, function_name, CUpti_CallbackData, functionName);
SAME(CallbackData, symbol_name, CUpti_CallbackData, symbolName);
SAME(CallbackData, correlation, CUpti_CallbackData, correlationId);
SAME(KernelRecord, registers, CUpti_ActivityKernel9, registersPerThread);
SAME(KernelRecord, start, CUpti_ActivityKernel9, start);
SAME(KernelRecord, end, CUpti_ActivityKernel9, end);
SAME(KernelRecord, device, CUpti_ActivityKernel9, deviceId);
SAME(KernelRecord, stream, CUpti_ActivityKernel9, streamId);
SAME(KernelRecord, grid, CUpti_ActivityKernel9, gridX);
SAME(KernelRecord, block, CUpti_ActivityKernel9, blockX);
SAME(KernelRecord, static_shared, CUpti_ActivityKernel9, staticSharedMemory);
SAME(KernelRecord, dynamic_shared, CUpti_ActivityKernel9, dynamicSharedMemory);
SAME(KernelRecord, correlation, CUpti_ActivityKernel9, correlationId);
SAME(KernelRecord, name, CUpti_ActivityKernel9, name);
SAME(CopyRecord, copy_kind, CUpti_ActivityMemcpy5, copyKind);
SAME(CopyRecord, bytes, CUpti_ActivityMemcpy5, bytes);
SAME(CopyRecord, start, CUpti_ActivityMemcpy5, start);
SAME(CopyRecord, correlation, CUpti_ActivityMemcpy5, correlationId);
SAME(CopyBetweenRecord, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
SAME(CopyBetweenRecord, stream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME(CopyBetweenRecord, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(FillRecord, bytes, CUpti_ActivityMemset4, bytes);
SAME(FillRecord, start, CUpti_ActivityMemset4, start);
SAME(FillRecord, correlation, CUpti_ActivityMemset4, correlationId);
#undef SAME

TEST(CuptiHeader, NumbersAreTheSame) {
  EXPECT_EQ(kind_memcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
  EXPECT_EQ(kind_memset, CUPTI_ACTIVITY_KIND_MEMSET);
  EXPECT_EQ(kind_kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_EQ(kind_memcpy_between, CUPTI_ACTIVITY_KIND_MEMCPY2);
  EXPECT_EQ(copy_in, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  EXPECT_EQ(copy_out, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  EXPECT_EQ(domain_driver, CUPTI_CB_DOMAIN_DRIVER_API);
  EXPECT_EQ(domain_runtime, CUPTI_CB_DOMAIN_RUNTIME_API);
  EXPECT_EQ(site_enter, CUPTI_API_ENTER);
  EXPECT_EQ(error_max_limit_reached, CUPTI_ERROR_MAX_LIMIT_REACHED);
  EXPECT_EQ(error_multiple_subscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace quern::cupti

#else
TEST(CuptiHeader, NumbersAreTheSame) { GTEST_SKIP() << "no headers of CUPTI here"; }
#endif
