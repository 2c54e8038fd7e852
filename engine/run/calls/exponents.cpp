#include "run/calls/exponents.h"

#include <cstring>

#include "run/calls/machine.h"
#include "run/found_errors.h"

namespace quern {

namespace {

constexpr const char* text = R"(
template <class T>
__device__ void check(const T* in, T* out, long long n, long long* error) {
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
    if (in[i] < 0) error[0] = 1;
    out[i] = in[i];
  }
}
#define KERNEL(bytes, T) \
  extern "C" __global__ void check##bytes(const T* in, T* out, long long n, long long* error) { check(in, out, n, error); }
KERNEL(1, signed char)
KERNEL(2, short)
KERNEL(4, int)
KERNEL(8, long long)
)";

class CheckExponents : public CallBody {
 public:
  std::string_view name() const override { return "check_exponents"; }

  void run(const CallRun& run) const override {
    long long n = run.outputs[0].space->size;
    if (n == 0) return;
    FoundError found = watch_for_error(
        context_on(run.device), ErrorKind::value, [](int64_t) { return "Integers to negative integer powers are not allowed."; },
        run.site);
    const char* in = run.inputs[0].data;
    char* out = run.outputs[0].data;
    size_t bytes = size_of(run.outputs[0].dtype);
    if (run.device >= 0) {
      Kernel& kernel = kernel_of(context_on(run.device), text, fmt::format("check{}", bytes));
      launch(run, kernel, shape_for(n), Packed().add(in).add(out).add(n).add(found.on_device));
      return;
    }
    on_cpu(run, name(), n, [=] {
      auto part = [&](auto zero) {
        using T = decltype(zero);
        const T* from = reinterpret_cast<const T*>(in);
        in_slices(n, [=](int64_t begin, int64_t end) {
          bool negative = false;
          for (int64_t i = begin; i < end; ++i) negative |= from[i] < 0;
          if (negative) found.set(0);
        });
      };
      bytes == 1 ? part(int8_t{}) : bytes == 2 ? part(int16_t{}) : bytes == 4 ? part(int32_t{}) : part(int64_t{});
      std::memcpy(out, in, static_cast<size_t>(n) * bytes);
    });
  }
};

}  // namespace

Array without_negatives(const Array& exponents) {
  Array operand[] = {in_c_order(exponents)};
  CallResult result{exponents.shape(), exponents.dtype()};
  return record_call(std::make_shared<CheckExponents>(), operand, {&result, 1}, exponents.device())[0];
}

}  // namespace quern
