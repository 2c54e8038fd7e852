// Finding libcuda.so.1 and filling the table of its symbols. The order of things is in find_driver().
#include "device/cuda_driver.h"
#include "core/format.h"

#include "core/log.h"
#include "core/nvidia_libraries.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>

namespace quern::cuda {
namespace {

// The order of QUERN_CUDA_SYMBOLS, as numbers for the counters.
enum SymbolIndex : size_t {
#define QUERN_CUDA_INDEX(name, version, params) index_##name,
  QUERN_CUDA_SYMBOLS(QUERN_CUDA_INDEX)
#undef QUERN_CUDA_INDEX
      symbol_count
};

constexpr const char* symbol_names[] = {
#define QUERN_CUDA_NAME(name, version, params) #name,
    QUERN_CUDA_SYMBOLS(QUERN_CUDA_NAME)
#undef QUERN_CUDA_NAME
};

// None of these has a destructor: the driver may be called until the process ends.
Driver table, real;
std::atomic<uint64_t> counters[symbol_count];
std::atomic<bool> forked_flag{false};

template <size_t index, class F>
struct Counted;
template <size_t index, class... Args>
struct Counted<index, Result (*)(Args...)> {
  static Result (*target)(Args...);
  static Result call(Args... args) {
    counters[index].fetch_add(1, std::memory_order_relaxed);
    return target(args...);
  }
};
template <size_t index, class... Args>
Result (*Counted<index, Result (*)(Args...)>::target)(Args...) = nullptr;

void* open_driver(std::string& path) {
  if (const char* chosen = std::getenv("QUERN_CUDA_DRIVER")) {
    path = chosen;
    return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
  }
  // Containers and WSL mount the driver where the loader may not look.
  for (const char* name : {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"}) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      path = name;
      return handle;
    }
  }
  return nullptr;
}

void fill_table(void* handle, int version, std::string& missing) {
#define QUERN_CUDA_LOAD(name, since, params)                                                                                    \
  real.name = version < since && since > oldest_driver ? nullptr : reinterpret_cast<decltype(real.name)>(dlsym(handle, #name)); \
  if (!real.name && since <= oldest_driver && missing.empty()) missing = #name;
  QUERN_CUDA_SYMBOLS(QUERN_CUDA_LOAD)
#undef QUERN_CUDA_LOAD
  table = real;
}

std::string cuda_version_text(int version) { return formatted("{}.{}", version / 1000, version % 1000 / 10); }

DriverReport find_driver() {
  DriverReport report;
  std::string path;
  void* handle = open_driver(path);
  if (!handle) {
    const char* chosen = std::getenv("QUERN_CUDA_DRIVER");
    const char* error = chosen ? dlerror() : nullptr;
    report.reason = chosen ? formatted("QUERN_CUDA_DRIVER={} cannot be opened: {}", chosen, error ? error : "no reason given")
                           : "no NVIDIA driver was found on this machine (libcuda.so.1 is not there)";
    return report;
  }
  report.path = path;
  auto get_version = reinterpret_cast<Result (*)(int*)>(dlsym(handle, "cuDriverGetVersion"));
  if (get_version) get_version(&report.version);
  Dl_info where;
  if (get_version && dladdr(reinterpret_cast<void*>(get_version), &where) && where.dli_fname) report.path = where.dli_fname;
  std::string missing;
  fill_table(handle, report.version, missing);
  if (report.version && report.version < oldest_driver) {
    report.reason = formatted("the NVIDIA driver supports CUDA {}; CUDA {} or newer is needed: update the driver",
                              cuda_version_text(report.version), cuda_version_text(oldest_driver));
    return report;
  }
  if (!missing.empty()) {
    report.reason = formatted("{} lacks {}: it is no working NVIDIA driver", report.path, missing);
    return report;
  }
  Result result = real.cuInit(0);
  if (result == success) result = real.cuDeviceGetCount(&report.devices);
  if (result == success && report.devices == 0) result = error_no_device;
  if (result != success) {
    report.devices = 0;
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (result == error_no_device && visible) {
      report.reason = formatted("CUDA_VISIBLE_DEVICES='{}' leaves no GPU visible", visible);
    } else if (result == error_stub_library) {
      report.reason = report.path + " is the toolkit's stub, not a driver: take it out of LD_LIBRARY_PATH";
    } else {
      report.reason = "the NVIDIA driver does not start: " + describe(result);
    }
    return report;
  }
  pthread_atfork(nullptr, nullptr, [] { forked_flag.store(true, std::memory_order_relaxed); });
  limit_nvidia_libraries(report.version);
  log(LogLevel::compiles, "cuda: driver {} for CUDA {}, {} device(s)", report.path, cuda_version_text(report.version),
      report.devices);
  return report;
}

}  // namespace

Driver& driver() { return table; }

const DriverReport& driver_report() noexcept {
  static const DriverReport* report = new DriverReport(find_driver());  // never destroyed
  return *report;
}

std::string describe(Result result) {
  const char *text = nullptr, *name = nullptr;
  if (real.cuGetErrorString) real.cuGetErrorString(result, &text);
  if (real.cuGetErrorName) real.cuGetErrorName(result, &name);
  if (!text && !name) return formatted("CUDA error {}", result);
  return formatted("{} ({})", text ? text : "no description", name ? name : "no name");
}

bool forked() noexcept { return forked_flag.load(std::memory_order_relaxed); }

void count_calls(bool on) {
#define QUERN_CUDA_COUNT(name, version, params)                                      \
  if (real.name) {                                                                   \
    Counted<index_##name, decltype(real.name)>::target = real.name;                  \
    table.name = on ? &Counted<index_##name, decltype(real.name)>::call : real.name; \
  }
  QUERN_CUDA_SYMBOLS(QUERN_CUDA_COUNT)
#undef QUERN_CUDA_COUNT
}

void reset_call_counts() {
  for (std::atomic<uint64_t>& counter : counters) counter.store(0, std::memory_order_relaxed);
}

std::vector<std::pair<const char*, uint64_t>> call_counts() {
  std::vector<std::pair<const char*, uint64_t>> counts;
  for (size_t i = 0; i < symbol_count; ++i) {
    if (uint64_t n = counters[i].load(std::memory_order_relaxed)) counts.emplace_back(symbol_names[i], n);
  }
  return counts;
}

}  // namespace quern::cuda
