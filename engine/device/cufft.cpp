#include "device/cufft.h"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <tuple>

#include "core/error.h"
#include "core/nvidia_libraries.h"

namespace quern {

namespace {

using Status = int;
using Handle = int;

enum : int { r2c = 0x2a, c2r = 0x2c, c2c = 0x29, d2z = 0x6a, z2d = 0x6c, z2z = 0x69, forward = -1, inverse = 1 };

// Every symbol used.
struct Library {
  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  Status (*set_auto_allocation)(Handle, int on);
  Status (*make_plan)(Handle, int rank, long long* n, long long* in_size, long long in_step, long long in_distance,
                      long long* out_size, long long out_step, long long out_distance, int type, long long count,
                      size_t* workspace);
  Status (*set_stream)(Handle, void* stream);
  Status (*set_workspace)(Handle, void* memory);
  Status (*c2c)(Handle, void* in, void* out, int direction);
  Status (*z2z)(Handle, void* in, void* out, int direction);
  Status (*r2c)(Handle, void* in, void* out);
  Status (*d2z)(Handle, void* in, void* out);
  Status (*c2r)(Handle, void* in, void* out);
  Status (*z2d)(Handle, void* in, void* out);
};

const Library& library() {
  static const Library* loaded = [] {
    void* handle = open_nvidia_library("cufft");
    auto* l = new Library;
    auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
      if (!function) raise(ErrorKind::runtime, "[fft] cuFFT has no {}; install another version", name);
    };
    get(l->create, "cufftCreate");
    get(l->destroy, "cufftDestroy");
    get(l->set_auto_allocation, "cufftSetAutoAllocation");
    get(l->make_plan, "cufftMakePlanMany64");
    get(l->set_stream, "cufftSetStream");
    get(l->set_workspace, "cufftSetWorkArea");
    get(l->c2c, "cufftExecC2C");
    get(l->z2z, "cufftExecZ2Z");
    get(l->r2c, "cufftExecR2C");
    get(l->d2z, "cufftExecD2Z");
    get(l->c2r, "cufftExecC2R");
    get(l->z2d, "cufftExecZ2D");
    return l;
  }();
  return *loaded;
}

void check(Status status, const char* call) {
  if (status) raise(ErrorKind::runtime, "[fft] {} failed with cuFFT status {}", call, status);
}

struct CufftPlan {
  Handle handle = 0;
  size_t workspace = 0;
};
using PlanKey = std::tuple<int, int, int64_t, int64_t>;  // device, type, n, count

std::mutex& plan_lock() {
  static auto* lock = new std::mutex;
  return *lock;
}

// Called with the lock held and the device in use.
CufftPlan& plan_of(Device& device, const TransformOnGpu& t) {
  static auto* plans = new std::map<PlanKey, CufftPlan>;
  const Library& fft = library();
  int type = t.half ? (t.is_double ? d2z : r2c) : t.whole ? (t.is_double ? z2d : c2r) : (t.is_double ? z2z : c2c);
  if (plans->size() > 64) {  // a plan keeps tables on the GPU
    for (auto& [key, plan] : *plans) fft.destroy(plan.handle);
    plans->clear();
  }
  auto [found, is_new] = plans->try_emplace(PlanKey{device.index, type, t.n, t.count});
  CufftPlan& plan = found->second;
  if (!is_new) return plan;
  Status status = fft.create(&plan.handle);
  if (!status) status = fft.set_auto_allocation(plan.handle, 0);
  if (!status) {
    long long n = t.n;
    status = fft.make_plan(plan.handle, 1, &n, nullptr, 1, 0, nullptr, 1, 0, type, t.count, &plan.workspace);
  }
  if (status) {
    plans->erase(found);
    raise(ErrorKind::runtime, "[fft] cuFFT cannot transform {} rows of {} numbers (status {})", t.count, t.n, status);
  }
  return plan;
}

}  // namespace

size_t transform_workspace(Device& device, const TransformOnGpu& transform) {
  auto use = device.use();
  std::lock_guard hold(plan_lock());
  return plan_of(device, transform).workspace;
}

void transform_on_gpu(Device& device, Stream& stream, const TransformOnGpu& t, const void* in, void* out, void* workspace) {
  auto use = device.use();
  std::lock_guard hold(plan_lock());
  Handle plan = plan_of(device, t).handle;
  const Library& fft = library();
  check(fft.set_stream(plan, reinterpret_cast<void*>(stream.native())), "cufftSetStream");
  check(fft.set_workspace(plan, workspace), "cufftSetWorkArea");
  void* from = const_cast<void*>(in);
  if (t.half) return check((t.is_double ? fft.d2z : fft.r2c)(plan, from, out), "cufftExecR2C");
  if (t.whole) return check((t.is_double ? fft.z2d : fft.c2r)(plan, from, out), "cufftExecC2R");
  check((t.is_double ? fft.z2z : fft.c2c)(plan, from, out, t.backward ? inverse : forward), "cufftExecC2C");
}

}  // namespace quern
