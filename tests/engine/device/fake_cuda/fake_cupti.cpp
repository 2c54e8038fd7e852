// A stand-in for libcupti in tests: it watches the stand-in for the driver (QUERN_CUDA_DRIVER), and reports each kernel, copy
// and fill that it ran a microsecond, by a clock of its own. It is loaded through QUERN_CUPTI.
//
//   FAKE_CUPTI_HELD=1    another tool has subscribed
//   FAKE_CUPTI_REFUSES=1 activities cannot be recorded
#include "core/clock.h"
#include "device/cupti_types.h"
#include "fake_cuda.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <list>
#include <string>
#include <vector>

using namespace quern::cupti;

namespace {

constexpr uint64_t clock_offset = 1'000'000'000'000'000, work_ns = 1000;
constexpr Result not_permitted = 35;

struct State {
  OnCall call = nullptr;
  WantBuffer want = nullptr;
  HaveBuffer have = nullptr;
  bool subscribed = false, driver = false;
  uint32_t enabled = 0, correlation = 0;  // a bit for each kind
  std::list<std::string> names;
  std::vector<std::vector<uint8_t>> records;
};
State& state() {
  static auto* one = new State;
  return *one;
}

uint64_t clock_now() { return static_cast<uint64_t>(quern::now_ns()) + clock_offset; }

template <class T>
void keep(State& s, T record, int kind) {
  if (!(s.enabled >> kind & 1)) return;
  record.kind = kind;
  record.start = clock_now();
  record.end = record.start + work_ns;
  record.stream = 7;
  record.correlation = s.correlation;
  std::vector<uint8_t> bytes(sizeof record);
  std::memcpy(bytes.data(), &record, sizeof record);
  s.records.push_back(std::move(bytes));
}

void observe(const char* symbol, const FakeCudaLaunch* launch) {
  State& s = state();
  if (launch) {
    KernelRecord kernel{};
    for (int d = 0; d < 3; ++d) {
      kernel.grid[d] = static_cast<int32_t>(launch->grid[d]);
      kernel.block[d] = static_cast<int32_t>(launch->block[d]);
    }
    kernel.registers = 21;
    kernel.name = s.names.emplace_back(launch->symbol).c_str();
    return keep(s, kernel, kind_kernel);
  }
  ++s.correlation;
  if (s.driver && s.call) {
    CallbackData data{};
    data.site = site_enter;
    data.function_name = symbol;
    data.correlation = s.correlation;
    uint32_t number = 1;  // as the driver's, it is the function's: by its name
    for (const char* c = symbol; *c; ++c) number = (number * 31 + static_cast<unsigned char>(*c)) % 4000;
    s.call(nullptr, domain_driver, number, &data);
  }
  std::string name = symbol;
  CopyRecord copy{};
  copy.bytes = 64;
  if (name.rfind("cuMemcpyHtoD", 0) == 0) copy.copy_kind = copy_in;
  if (name.rfind("cuMemcpyDtoH", 0) == 0) copy.copy_kind = copy_out;
  if (name.rfind("cuMemcpy", 0) == 0) return keep(s, copy, kind_memcpy);
  if (name.rfind("cuMemset", 0) == 0) keep(s, FillRecord{}, kind_memset);
}

}  // namespace

extern "C" {

Result cuptiSubscribe(Subscriber* subscriber, OnCall call, void*) {
  State& s = state();
  if (std::getenv("FAKE_CUPTI_HELD") || s.subscribed) return error_multiple_subscribers;
  void* driver = dlopen(std::getenv("QUERN_CUDA_DRIVER"), RTLD_NOW);
  auto observer = static_cast<decltype(&fake_cuda_observer)>(dlsym(driver, "fake_cuda_observer"));
  if (!observer) return not_permitted;
  *observer = observe;
  s.call = call;
  s.subscribed = true;
  *subscriber = reinterpret_cast<Subscriber>(&s);
  return success;
}
Result cuptiUnsubscribe(Subscriber) {
  state().subscribed = false;
  state().call = nullptr;
  return success;
}
Result cuptiEnableDomain(uint32_t on, Subscriber, int domain) {
  if (domain == domain_driver) state().driver = on != 0;
  return success;
}
Result cuptiActivityRegisterCallbacks(WantBuffer want, HaveBuffer have) {
  state().want = want;
  state().have = have;
  return success;
}
Result cuptiActivityEnable(int kind) {
  if (std::getenv("FAKE_CUPTI_REFUSES")) return not_permitted;
  state().enabled |= 1u << kind;
  return success;
}
Result cuptiActivityDisable(int kind) {
  state().enabled &= ~(1u << kind);
  return success;
}
// Buffers of few records, so that there are several.
Result cuptiActivityFlushAll(uint32_t) {
  State& s = state();
  constexpr size_t few = 3;
  for (size_t i = 0; i < s.records.size(); i += few) {
    uint8_t* buffer = nullptr;
    size_t bytes = 0, most = 0, used = 0;
    s.want(&buffer, &bytes, &most);
    for (size_t r = i; r < s.records.size() && r < i + few; ++r) {
      std::memcpy(buffer + used, s.records[r].data(), s.records[r].size());
      used += s.records[r].size();
    }
    s.have(nullptr, 0, buffer, bytes, used);
  }
  s.records.clear();
  return success;
}
Result cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, Record** record) {
  auto size_of = [](const Record& r) {
    return r.kind == kind_kernel ? sizeof(KernelRecord) : r.kind == kind_memset ? sizeof(FillRecord) : sizeof(CopyRecord);
  };
  uint8_t* next = *record ? reinterpret_cast<uint8_t*>(*record) + size_of(**record) : buffer;
  if (next >= buffer + valid) return error_max_limit_reached;
  *record = reinterpret_cast<Record*>(next);
  return success;
}
Result cuptiGetTimestamp(uint64_t* nanoseconds) {
  *nanoseconds = clock_now();
  return success;
}
Result cuptiGetResultString(Result result, const char** text) {
  *text = result == not_permitted ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_UNKNOWN";
  return success;
}

}  // extern "C"
