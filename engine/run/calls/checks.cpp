#include "run/calls/checks.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

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
template <class T>
__device__ void check_range(const T* in, T* out, T low, T high, long long* error, long long* no_number) {
  const T number = *out = *in, whole = (T)trunc((double)number) == number ? number : (T)trunc((double)number);
  if (number != number) {
    no_number[0] = 1;
  } else if (whole < low || whole > high) {
    memcpy(error + 1, in, 8);
    error[0] = 1;
  }
}
#define RANGE(name, T)                                                                                                   \
  extern "C" __global__ void range_##name(const T* in, T* out, T low, T high, long long* error, long long* no_number) { \
    check_range(in, out, low, high, error, no_number);                                                                    \
  }
RANGE(int64, long long)
RANGE(uint64, unsigned long long)
RANGE(float64, double)
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
      Kernel& kernel = kernel_of(context_on(run.device), TextOf::checks, text, fmt::format("check{}", bytes));
      launch(run, kernel, shape_for(n), Parameters().add(in).add(out).add(n).add(found.on_device));
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

// T: int64_t, uint64_t or double.
template <class T>
class CheckRange : public CallBody {
 public:
  CheckRange(DType from, DType to) : from_(from), to_(to) {
    bool has_sign = row(to).kind == DTypeKind::integer;
    int digits = 8 * static_cast<int>(size_of(to)) - has_sign;  // as std::numeric_limits counts them
    if constexpr (std::is_floating_point_v<T>) {
      low_ = has_sign ? -std::ldexp(T(1), digits) : T(0);
      high_ = std::nextafter(std::ldexp(T(1), digits), T(0));
    } else {
      high_ = static_cast<T>(std::min<uint64_t>(std::numeric_limits<T>::max(), ~uint64_t{0} >> (64 - digits)));
      low_ = has_sign && std::is_signed_v<T> ? static_cast<T>(-high_ - 1) : T(0);
    }
  }
  std::string_view name() const override { return "check_range"; }

  void run(const CallRun& run) const override {
    Context& context = context_on(run.device);
    FoundError range =
        watch_for_error(context, ErrorKind::overflow, [to = to_](int64_t bits) { return says(bits, to); }, run.site);
    FoundError none;
    if constexpr (std::is_floating_point_v<T>)
      none = watch_for_error(context, ErrorKind::value, [](int64_t) { return "cannot convert float NaN to integer"; }, run.site);
    const T* in = reinterpret_cast<const T*>(run.inputs[0].data);
    T* out = reinterpret_cast<T*>(run.outputs[0].data);
    if (run.device >= 0) {
      Kernel& kernel = kernel_of(context, TextOf::checks, text, fmt::format("range_{}", row(from_).name));
      launch(run, kernel, LaunchShape{},
             Parameters().add(in).add(out).add(low_).add(high_).add(range.on_device).add(none.on_device));
      return;
    }
    on_cpu(run, name(), 1, [=, low = low_, high = high_] {
      *out = *in;
      T whole = *in;
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(whole)) return none.set(0);
        whole = std::trunc(whole);
      }
      if (whole < low || whole > high) range.set(std::bit_cast<int64_t>(*in));
    });
  }

 private:
  static std::string says(int64_t bits, DType to) {
    T number = std::bit_cast<T>(bits);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isinf(number)) return "cannot convert float infinity to integer";
      return fmt::format("Python integer {:.0f} out of bounds for {}", std::trunc(number), row(to).name);
    } else {
      return fmt::format("Python integer {} out of bounds for {}", number, row(to).name);
    }
  }

  DType from_, to_;
  T low_, high_;
};

std::shared_ptr<CallBody> range_check(DType from, DType to) {
  if (from == DType::int64) return std::make_shared<CheckRange<int64_t>>(from, to);
  if (from == DType::uint64) return std::make_shared<CheckRange<uint64_t>>(from, to);
  return std::make_shared<CheckRange<double>>(from, to);
}

}  // namespace

Array within_range(const Array& number, DType dtype) {
  DType as = row(number.dtype()).kind == DTypeKind::real ? DType::float64
             : number.dtype() == DType::uint64           ? DType::uint64
                                                         : DType::int64;
  Array operand[] = {in_c_order(number, as)};
  CallResult result{number.shape(), as};
  return record_call(range_check(as, dtype), operand, {&result, 1}, number.device())[0];
}

Array without_negatives(const Array& exponents) {
  Array operand[] = {in_c_order(exponents)};
  CallResult result{exponents.shape(), exponents.dtype()};
  return record_call(std::make_shared<CheckExponents>(), operand, {&result, 1}, exponents.device())[0];
}

}  // namespace quern
