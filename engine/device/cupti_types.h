// CUPTI's functions and types, as far as they are used: the beginnings of its records, which all versions from 12.0 on share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::cupti {

using Result = int;  // CUptiResult
using Subscriber = struct SubscriberTag*;
enum : Result { success = 0, error_max_limit_reached = 12, error_multiple_subscribers = 39 };

enum : int { kind_memcpy = 1, kind_memset = 2, kind_kernel = 10, kind_memcpy_between = 22 };  // CUpti_ActivityKind
enum : uint8_t { copy_in = 1, copy_out = 2 };                                                 // CUpti_ActivityMemcpyKind
enum : int { domain_driver = 1, domain_runtime = 2, site_enter = 0 };  // CUpti_CallbackDomain, CUpti_ApiCallbackSite

struct CallbackData {  // CUpti_CallbackData
  int site;
  const char* function_name;
  const void* params;
  void* result;
  const char* symbol_name;
  void* context;
  uint32_t context_uid;
  uint64_t* correlation_data;
  uint32_t correlation;
};

struct Record {  // CUpti_Activity
  int kind;
};
struct KernelRecord {  // CUpti_ActivityKernel7 and later
  int kind;
  uint8_t cache_config, shared_config;
  uint16_t registers;
  int partitioned_requested, partitioned_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3], static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total, correlation;
  int64_t grid_id;
  const char* name;
};
struct CopyRecord {  // CUpti_ActivityMemcpy5 and later
  int kind;
  uint8_t copy_kind, source_kind, target_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};
struct CopyBetweenRecord {  // CUpti_ActivityMemcpyPtoP4 and later
  int kind;
  uint8_t copy_kind, source_kind, target_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, source_device, source_context, target_device, target_context, correlation;
};
struct FillRecord {  // CUpti_ActivityMemset3 and later
  int kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};

using OnCall = void (*)(void* user, int domain, uint32_t number, const CallbackData* data);
using WantBuffer = void (*)(uint8_t** buffer, size_t* bytes, size_t* most_records);
using HaveBuffer = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);

#define QUERN_CUPTI_SYMBOLS(X)                                                    \
  X(cuptiSubscribe, (Subscriber * subscriber, OnCall call, void* user))           \
  X(cuptiUnsubscribe, (Subscriber subscriber))                                    \
  X(cuptiEnableDomain, (uint32_t on, Subscriber subscriber, int domain))          \
  X(cuptiActivityRegisterCallbacks, (WantBuffer want, HaveBuffer have))           \
  X(cuptiActivityEnable, (int kind))                                              \
  X(cuptiActivityDisable, (int kind))                                             \
  X(cuptiActivityFlushAll, (uint32_t flags))                                      \
  X(cuptiActivityGetNextRecord, (uint8_t* buffer, size_t valid, Record** record)) \
  X(cuptiGetTimestamp, (uint64_t* nanoseconds))                                   \
  X(cuptiGetResultString, (Result result, const char** text))

struct Functions {
#define QUERN_CUPTI_MEMBER(name, params) Result(*name) params = nullptr;
  QUERN_CUPTI_SYMBOLS(QUERN_CUPTI_MEMBER)
#undef QUERN_CUPTI_MEMBER
};

}  // namespace quern::cupti
