#include "device/cublas.h"

#include <dlfcn.h>

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "core/error.h"
#include "core/nvidia_libraries.h"
#include "device/cuda_capture.h"

namespace quern {

namespace {

using Status = int;
struct Opaque;
using Handle = Opaque*;

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};

enum : int {
  compute_32f = 68,
  compute_tf32 = 77,
  compute_64f = 70,
  desc_trans_a = 3,
  desc_trans_b = 4,
  layout_batch = 5,
  layout_batch_step = 6
};
enum : int { op_transposed = 1 };
enum : int {
  preference_workspace = 1,
  preference_alignment_a = 5,
  preference_alignment_b = 6,
  preference_alignment_c = 7,
  preference_alignment_d = 8
};

// Every symbol used.
struct Library {
  Status (*create)(Handle*);
  Status (*desc_create)(Handle*, int compute, int scale);
  Status (*desc_set)(Handle, int what, const void* value, size_t size);
  Status (*layout_create)(Handle*, int type, uint64_t rows, uint64_t columns, int64_t step);
  Status (*layout_set)(Handle, int what, const void* value, size_t size);
  Status (*preference_create)(Handle*);
  Status (*preference_set)(Handle, int what, const void* value, size_t size);
  Status (*heuristic)(Handle, Handle desc, Handle a, Handle b, Handle c, Handle d, Handle preference, int wanted, Heuristic*,
                      int*);
  Status (*matmul)(Handle, Handle desc, const void* alpha, const void* a, Handle a_layout, const void* b, Handle b_layout,
                   const void* beta, const void* c, Handle c_layout, void* d, Handle d_layout, const Algorithm*, void* workspace,
                   size_t workspace_size, void* stream);
};

const Library& library() {
  static const Library* loaded = [] {
    void* handle = open_nvidia_library("cublasLt");
    auto* l = new Library;
    auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
      if (!function) raise(ErrorKind::runtime, "[matmul] cuBLASLt has no {}; install another version", name);
    };
    get(l->create, "cublasLtCreate");
    get(l->desc_create, "cublasLtMatmulDescCreate");
    get(l->desc_set, "cublasLtMatmulDescSetAttribute");
    get(l->layout_create, "cublasLtMatrixLayoutCreate");
    get(l->layout_set, "cublasLtMatrixLayoutSetAttribute");
    get(l->preference_create, "cublasLtMatmulPreferenceCreate");
    get(l->preference_set, "cublasLtMatmulPreferenceSetAttribute");
    get(l->heuristic, "cublasLtMatmulAlgoGetHeuristic");
    get(l->matmul, "cublasLtMatmul");
    return l;
  }();
  return *loaded;
}

void check(Status status, const char* call) {
  if (status) raise(ErrorKind::runtime, "[matmul] {} failed with cuBLAS status {}", call, status);
}

struct Types {
  int data, scale, compute;
};
Types types_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {2, 0, compute_32f};
    case DType::bfloat16:
      return {14, 0, compute_32f};
    case DType::float32:
      return {0, 0, compute_32f};
    case DType::float64:
      return {1, 1, compute_64f};
    case DType::complex64:
      return {4, 4, compute_32f};
    case DType::complex128:
      return {5, 5, compute_64f};
    default:
      bug("a matrix product of {} by cuBLASLt", row(dtype).name);
  }
}

// What is found out once for each form of a product.
struct MatmulPlan {
  Handle desc = nullptr, a = nullptr, b = nullptr, c = nullptr;
  Heuristic chosen{};
  uint64_t uses = 0;
  std::optional<CapturedCall> learned;
};
// Alignments among the last: a way of multiplying may need 16 bytes.
using PlanKey = std::tuple<int, DType, std::array<int64_t, 8>, bool, bool, bool, std::array<uint32_t, 3>>;

uint32_t alignment_of(const void* pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer) | CapturedCall::alignment;
  return static_cast<uint32_t>(address & -address);
}

MatmulPlan make_plan(Handle handle, const MatrixProduct& p, const std::array<uint32_t, 3>& alignments) {
  const Library& lt = library();
  const MatrixBatch &first = p.b, &second = p.a;
  Types types = types_of(p.dtype);
  MatmulPlan plan;
  int32_t on = op_transposed;
  check(lt.desc_create(&plan.desc, p.tf32 ? compute_tf32 : types.compute, types.scale), "cublasLtMatmulDescCreate");
  if (first.transposed) check(lt.desc_set(plan.desc, desc_trans_a, &on, sizeof on), "cublasLtMatmulDescSetAttribute");
  if (second.transposed) check(lt.desc_set(plan.desc, desc_trans_b, &on, sizeof on), "cublasLtMatmulDescSetAttribute");
  auto layout = [&](Handle& out, int64_t rows, int64_t columns, int64_t step, int64_t batch_step) {
    check(lt.layout_create(&out, types.data, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), step),
          "cublasLtMatrixLayoutCreate");
    int32_t count = static_cast<int32_t>(p.count);
    check(lt.layout_set(out, layout_batch, &count, sizeof count), "cublasLtMatrixLayoutSetAttribute");
    check(lt.layout_set(out, layout_batch_step, &batch_step, sizeof batch_step), "cublasLtMatrixLayoutSetAttribute");
  };
  layout(plan.a, first.transposed ? p.k : p.n, first.transposed ? p.n : p.k, first.step, first.batch_step);
  layout(plan.b, second.transposed ? p.m : p.k, second.transposed ? p.k : p.m, second.step, second.batch_step);
  layout(plan.c, p.n, p.m, p.n, p.m * p.n);
  Handle preference;
  check(lt.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
  auto prefer = [&](int what, const auto& value) {
    check(lt.preference_set(preference, what, &value, sizeof value), "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(preference_workspace, product_workspace);
  prefer(preference_alignment_a, alignments[0]);
  prefer(preference_alignment_b, alignments[1]);
  prefer(preference_alignment_c, alignments[2]);
  prefer(preference_alignment_d, alignments[2]);
  int count = 0;
  Status status = lt.heuristic(handle, plan.desc, plan.a, plan.b, plan.c, plan.c, preference, 1, &plan.chosen, &count);
  if (status || count == 0)
    raise(ErrorKind::runtime, "[matmul] cuBLASLt has no algorithm to multiply {} matrices of {}x{} and {}x{} (status {})",
          row(p.dtype).name, p.m, p.k, p.k, p.n, status);
  return plan;
}

// `pointers`: of the library's a, b and c, and of the workspace.
Status call_library(Handle handle, const MatmulPlan& plan, DType dtype, std::span<char* const> pointers, void* stream) {
  static constexpr double one[2] = {1, 0}, zero[2] = {0, 0};
  static constexpr float one_f[2] = {1, 0};
  int scale = types_of(dtype).scale;
  const void* alpha = scale == 0 || scale == 4 ? static_cast<const void*>(one_f) : one;
  return library().matmul(handle, plan.desc, alpha, pointers[0], plan.a, pointers[1], plan.b, zero, pointers[2], plan.c,
                          pointers[2], plan.c, &plan.chosen.algorithm, pointers[3], product_workspace, stream);
}

}  // namespace

void multiply_on_gpu(Device& device, Stream& stream, const MatrixProduct& p, void* workspace, Site site) {
  static std::mutex lock;
  static auto* handles = new std::map<int, Handle>;
  static auto* plans = new std::map<PlanKey, MatmulPlan>;
  static auto* name = new std::string("matmul");
  auto use = device.use();
  std::lock_guard hold(lock);
  Handle& handle = (*handles)[device.index];
  if (!handle) check(library().create(&handle), "cublasLtCreate");

  // The library's matrices lie in columns: c' = b' a'.
  const MatrixBatch &first = p.b, &second = p.a;
  const std::array<uint32_t, 3> alignments{alignment_of(first.data), alignment_of(second.data), alignment_of(p.c)};
  PlanKey key{
      device.index,     p.dtype,           {p.m, p.n, p.k, p.count, first.step, second.step, first.batch_step, second.batch_step},
      first.transposed, second.transposed, p.tf32,
      alignments};
  auto found = plans->find(key);
  if (found == plans->end()) found = plans->emplace(key, make_plan(handle, p, alignments)).first;
  MatmulPlan& plan = found->second;
  char* pointers[] = {static_cast<char*>(first.data), static_cast<char*>(second.data), static_cast<char*>(p.c),
                      static_cast<char*>(workspace)};
  CudaStream& on = static_cast<CudaStream&>(stream);
  // The library loads what a plan needs when it first runs: then it is not captured yet.
  if (++plan.uses == 2) {
    plan.learned = CapturedCall::learn(on.cuda_device, pointers, [&](std::span<char* const> given, cuda::StreamHandle to) {
      return call_library(handle, plan, p.dtype, given, to) == 0;
    });
  }
  if (plan.learned) return plan.learned->launch(on, pointers, name, site);
  check(call_library(handle, plan, p.dtype, pointers, reinterpret_cast<void*>(stream.native())), "cublasLtMatmul");
}

}  // namespace quern
