#include "run/calls/checks.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "run/calls/call_launch.h"
#include "run/found_errors.h"

namespace quern {

namespace {

constexpr const char* text = R"(
template <class T, bool zeros>
__global__ void check(const T* in, T* out, long long n, long long* error) {
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
    if (zeros ? in[i] == 0 : in[i] < 0) error[0] = 1;
    out[i] = in[i];
  }
}
template <class T>
__global__ void check_range(const T* in, T* out, T low, T high, long long* error, long long* no_number) {
  const T number = *out = *in, whole = (T)trunc((double)number) == number ? number : (T)trunc((double)number);
  if (number != number) {
    no_number[0] = 1;
  } else if (whole < low || whole > high) {
    memcpy(error + 1, in, 8);
    error[0] = 1;
  }
}
template <class T>
__global__ void refuse(const T* in, long long n, long long low, long long high, long long except, bool* out, long long* error) {
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  for (long long i = first; i < n; i += (long long)gridDim.x * blockDim.x) {
    const long long number = in[i];
    if ((number < low || number >= high) && number != except) {
      *(volatile long long*)(error + 1) = number;
      *(volatile long long*)error = 1;
    }
  }
  if (first == 0) *out = true;
}
)";

// Copies integers, and looks for negative ones, or for zeros.
template <bool zeros>
void check_integers(const CallRun& run) {
  long long n = run.outputs[0].layout->elements;
  if (n == 0) return;
  FoundError found = watch_for_error(
      context_on(run.device), zeros ? ErrorKind::runtime : ErrorKind::value,
      [](int64_t, int64_t) { return zeros ? "ZeroDivisionError" : "Integers to negative integer powers are not allowed."; },
      run.site);
  const char* in = run.inputs[0].data;
  char* out = run.outputs[0].data;
  size_t bytes = size_of(run.outputs[0].dtype);
  if (run.device.is_gpu()) {
    std::string_view type = row(run.outputs[0].dtype).cuda;
    Kernel& kernel = instance_of(context_on(run.device), TextOf::checks, text, formatted("check<{}, {}>", type, zeros));
    launch(run, kernel, shape_for(n), Parameters().add(in).add(out).add(n).add(found.on_device));
    return;
  }
  on_cpu(run, zeros ? "check_divisors" : "check_exponents", n, [=] {
    auto part = [&](auto zero) {
      using T = decltype(zero);
      const T* from = reinterpret_cast<const T*>(in);
      in_slices(n, [=](int64_t begin, int64_t end) {
        bool is_wrong = false;
        for (int64_t i = begin; i < end; ++i) is_wrong |= zeros ? from[i] == 0 : from[i] < 0;
        if (is_wrong) found.set(0);
      });
    };
    bytes == 1 ? part(int8_t{}) : bytes == 2 ? part(int16_t{}) : bytes == 4 ? part(int32_t{}) : part(int64_t{});
    std::memcpy(out, in, static_cast<size_t>(n) * bytes);
  });
}

template <class T>
struct Range {
  T low, high;
};

// What `dtype` can hold, of T: int64_t, uint64_t or double.
template <class T>
Range<T> range_of(DType dtype) {
  const bool has_sign = row(dtype).kind == DTypeKind::integer;
  const int digits = 8 * static_cast<int>(size_of(dtype)) - has_sign;  // as std::numeric_limits counts them
  if constexpr (std::is_floating_point_v<T>) {
    return {has_sign ? -std::ldexp(T(1), digits) : T(0), std::nextafter(std::ldexp(T(1), digits), T(0))};
  } else {
    T high = static_cast<T>(std::min<uint64_t>(std::numeric_limits<T>::max(), ~uint64_t{0} >> (64 - digits)));
    return {has_sign && std::is_signed_v<T> ? static_cast<T>(-high - 1) : T(0), high};
  }
}

template <class T>
std::string out_of_bounds(int64_t bits, DType dtype) {
  T number = std::bit_cast<T>(bits);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isinf(number)) return "cannot convert float infinity to integer";
    return formatted("Python integer {:.0f} out of bounds for {}", std::trunc(number), row(dtype).name);
  } else {
    return formatted("Python integer {} out of bounds for {}", number, row(dtype).name);
  }
}

template <class T>
void check_range(const CallRun& run, DType dtype) {
  Context& context = context_on(run.device);
  FoundError outside = watch_for_error(
      context, ErrorKind::overflow, [dtype](int64_t bits, int64_t) { return out_of_bounds<T>(bits, dtype); }, run.site);
  FoundError none;
  if constexpr (std::is_floating_point_v<T>)
    none = watch_for_error(
        context, ErrorKind::value, [](int64_t, int64_t) { return "cannot convert float NaN to integer"; }, run.site);
  const T* in = reinterpret_cast<const T*>(run.inputs[0].data);
  T* out = reinterpret_cast<T*>(run.outputs[0].data);
  const Range<T> range = range_of<T>(dtype);
  if (run.device.is_gpu()) {
    Kernel& kernel = instance_of(context, TextOf::checks, text, formatted("check_range<{}>", row(run.inputs[0].dtype).cuda));
    launch(run, kernel, LaunchShape{},
           Parameters().add(in).add(out).add(range.low).add(range.high).add(outside.on_device).add(none.on_device));
    return;
  }
  on_cpu(run, "check_range", 1, [=] {
    *out = *in;
    T whole = *in;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(whole)) return none.set(0);
      whole = std::trunc(whole);
    }
    if (whole < range.low || whole > range.high) outside.set(std::bit_cast<int64_t>(*in));
  });
}

class Refused : public CallBody {
 public:
  explicit Refused(Refusal refusal) : refusal_(std::move(refusal)) {}
  std::string_view name() const override { return "refuse"; }

  void run(const CallRun& run) const override {
    Context& context = context_on(run.device);
    FoundError found = watch_for_error(
        context, refusal_.kind, [refusal = refusal_](int64_t number, int64_t) { return refusal.told(number); }, run.site);
    const CallView& in = run.inputs[0];
    char* out = run.outputs[0].data;
    const int64_t n = in.layout->elements;
    remember(in, found.error);
    if (run.device.is_gpu()) {
      std::string_view type = row(in.dtype).cuda;
      Kernel& kernel = instance_of(context, TextOf::checks, text, formatted("refuse<{}>", type));
      Parameters packed;
      packed.add(in.data).add(n).add(refusal_.low).add(refusal_.high).add(refusal_.except).add(out).add(found.on_device);
      return launch(run, kernel, shape_for(n), packed);
    }
    on_cpu(run, name(), n, [refusal = refusal_, data = in.data, is_bool = in.dtype == DType::boolean, n, out, found] {
      auto look = [&](auto* numbers) {
        std::atomic<int64_t> first = n;  // that is refused
        in_slices(n, [&](int64_t begin, int64_t end) {
          const auto* at = std::find_if(numbers + begin, numbers + end, [&](int64_t i) { return refusal.is_refused(i); });
          for (int64_t here = at - numbers, known = first; here < end && here < known;)
            if (first.compare_exchange_weak(known, here)) break;
        });
        if (first < n) found.set(numbers[first]);
      };
      is_bool ? look(reinterpret_cast<const bool*>(data)) : look(reinterpret_cast<const int64_t*>(data));
      *reinterpret_cast<bool*>(out) = true;
    });
  }

 private:
  // So that the same numbers need not be looked through again.
  void remember(const CallView& in, const DeferredError& error) const {
    constexpr size_t most = 64;  // parts of a value
    std::vector<LookedThrough>& known = in.node->looked_through;
    if (in.block->escaped || in.dtype != in.node->dtype) return;
    if (known.size() >= most) known.erase(known.begin());
    known.push_back(
        {in.layout->offset, in.layout->offset + in.layout->elements, refusal_.low, refusal_.high, refusal_.except, error});
  }

  Refusal refusal_;
};

}  // namespace

std::string Refusal::told(int64_t number) const {
  const auto last = static_cast<int64_t>(texts.size()) - 1;
  const int64_t at = number < low ? 0 : std::min(number - high + 1, last);
  return formatted(fmt::runtime(texts[static_cast<size_t>(at)]), number);
}

Array nothing_refused(const Array& numbers, Refusal refusal) {
  Array given = in_c_order(numbers, numbers.dtype() == DType::boolean ? DType::boolean : DType::int64);
  const CallResult result{{}, DType::boolean};
  auto body = std::make_shared<Refused>(std::move(refusal));
  return record_call(std::move(body), {&given, 1}, {&result, 1}, numbers.device())[0];
}

bool is_known_to_pass(const Array& numbers, const Refusal& refusal) {
  GraphLock lock;
  const Operand o = numbers.operand();
  const Node& node = *o.node;
  if (node.looked_through.empty() || !node.buffer || node.buffer.block()->escaped || o.dtype != node.dtype ||
      !o.layout->is_contiguous())
    return false;
  auto tells = [&](const LookedThrough& part) {
    return part.begin <= o.layout->offset && o.layout->offset + o.layout->elements <= part.end && part.low == refusal.low &&
           part.high == refusal.high && part.except == refusal.except && came_to_nothing(part.error);
  };
  return std::any_of(node.looked_through.begin(), node.looked_through.end(), tells);
}

void run_check(const Check& check, const CallRun& run) {
  if (check.what == Check::For::no_negatives) return check_integers<false>(run);
  if (check.what == Check::For::no_zeros) return check_integers<true>(run);
  switch (run.inputs[0].dtype) {
    case DType::int64:
      return check_range<int64_t>(run, check.dtype);
    case DType::uint64:
      return check_range<uint64_t>(run, check.dtype);
    default:
      return check_range<double>(run, check.dtype);
  }
}

}  // namespace quern
