#include "device/cublas_batches.h"

#include <dlfcn.h>

#include <limits>
#include <map>
#include <mutex>

#include "core/error.h"
#include "core/nvidia_libraries.h"

namespace quern {

namespace {

using Status = int;
struct Opaque;
using Handle = Opaque*;

constexpr int letters = 4;  // S, D, C, Z

// Every symbol used.
struct Library {
  Status (*create)(Handle*);
  Status (*set_stream)(Handle, void* stream);
  Status (*getrf[letters])(Handle, int n, void* const* a, int step, int* pivots, int* info, int count);
  Status (*getrs[letters])(Handle, int transposed, int n, int k, const void* const* a, int a_step, const int* pivots,
                           void* const* b, int b_step, int* info_on_host, int count);
};

// Null where there is none.
const Library* library() {
  static const Library* loaded = []() -> const Library* {
    void* handle = open_nvidia_library_if_any("cublas");
    if (!handle) return nullptr;
    auto* l = new Library{};
    bool is_whole = true;
    auto get = [&](auto& function, const std::string& name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, ("cublas" + name).c_str()));
      is_whole &= function != nullptr;
    };
    get(l->create, "Create_v2");
    get(l->set_stream, "SetStream_v2");
    for (int i = 0; i < letters; ++i) {
      get(l->getrf[i], std::string(1, "SDCZ"[i]) + "getrfBatched");
      get(l->getrs[i], std::string(1, "SDCZ"[i]) + "getrsBatched");
    }
    return is_whole ? l : nullptr;
  }();
  return loaded;
}

void check(Status status, const char* call) {
  if (status) raise(ErrorKind::runtime, "[linalg] cublas{} failed with cuBLAS status {}", call, status);
}

int letter_of(DType dtype) {
  return dtype == DType::float32 ? 0 : dtype == DType::float64 ? 1 : dtype == DType::complex64 ? 2 : 3;
}

// f(handle) with the lock held and the device in use.
template <class F>
void with_handle(const SolverCall& call, F f) {
  static auto* lock = new std::mutex;
  static auto* handles = new std::map<std::pair<int, uintptr_t>, Handle>;
  auto use = call.device.use();
  std::lock_guard hold(*lock);
  Handle& handle = (*handles)[{call.device.index, call.stream.native()}];
  if (!handle) {
    Handle made = nullptr;
    check(library()->create(&made), "Create_v2");
    check(library()->set_stream(made, reinterpret_cast<void*>(call.stream.native())), "SetStream_v2");
    handle = made;
  }
  f(handle);
}

}  // namespace

bool has_lu_in_batches(const SolverCall& call, int64_t n) {
  constexpr int64_t few = 4, large = 128;  // one after the other is as good with fewer or larger ones
  return call.count >= few && n <= large && call.count <= std::numeric_limits<int>::max() && library();
}

void lu_in_batches(const SolverCall& call, int64_t n, void** a, int* pivots, int* info) {
  int size = static_cast<int>(n);
  with_handle(call, [&](Handle handle) {
    check(library()->getrf[letter_of(call.dtype)](handle, size, a, size, pivots, info, static_cast<int>(call.count)),
          "getrfBatched");
  });
}

void lu_solve_in_batches(const SolverCall& call, int64_t n, int64_t k, void** a, const int* pivots, void** b) {
  if (k > std::numeric_limits<int>::max()) raise(ErrorKind::value, "[linalg] {} columns are too many for cuBLAS's solve", k);
  int size = static_cast<int>(n), info = 0;
  with_handle(call, [&](Handle handle) {
    check(library()->getrs[letter_of(call.dtype)](handle, 0, size, static_cast<int>(k), a, size, pivots, b, size, &info,
                                                  static_cast<int>(call.count)),
          "getrsBatched");
  });
}

}  // namespace quern
