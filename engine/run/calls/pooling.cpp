#include "run/calls/pooling.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/call_launch.h"
#include "run/calls/formulas.h"

// Which elements a window has, as host functions.
#define __QUERN_BOTH inline
#include "codegen/prelude/quern/pooling.cuh"

namespace quern {

using namespace algebra;

namespace {

enum class Pooled : uint8_t {
  largest,  // x -> the largest elements, and their places
  picked,   // x, places -> the elements there
  spread,   // elements, places -> as x: their sums there
  means,    // x -> means of windows
  shares,   // means -> as x: sums of their shares
};
constexpr std::string_view names[] = {"max_pool", "max_pool_picked", "max_pool_spread", "avg_pool", "avg_pool_shares"};

constexpr const char* text = R"(#include "quern/pooling.cuh"
using namespace quern::op;
#define QUERN_EACH for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
template <class T>
__global__ void largest(PoolPlan p, long long n, const T* in, T* out, long long* places) {
  QUERN_EACH pool_largest(p, in, out, places, i);
}
template <class T>
__global__ void picked(PoolPlan p, long long n, const T* in, const long long* places, T* out) {
  QUERN_EACH pool_pick(p, in, places, out, i);
}
template <class T>
__global__ void spread(PoolPlan p, long long n, const T* given, const long long* places, T* out) {
  QUERN_EACH pool_spread(p, given, places, out, i);
}
template <class T>
__global__ void means(PoolPlan p, long long n, const T* in, T* out) {
  QUERN_EACH pool_mean(p, in, out, i);
}
template <class T>
__global__ void shares(PoolPlan p, long long n, const T* given, T* out) {
  QUERN_EACH pool_share(p, given, out, i);
}
)";
constexpr std::string_view kernels[] = {"largest", "picked", "spread", "means", "shares"};

bool is_wide_result(Pooled what) { return what == Pooled::spread || what == Pooled::shares; }
bool has_places(Pooled what) { return what == Pooled::picked || what == Pooled::spread; }

void set_steps(const CallView& view, long long* steps) {
  const size_t missing = Windows::axes + 2 - view.shape().size();
  std::fill_n(steps, Windows::axes + 2, 0);
  for (size_t i = 0; i < view.shape().size(); ++i) steps[i < 2 ? i : i + missing] = view.strides()[i];
}
void set_sizes(const Shape& shape, int* sizes) {
  const size_t missing = Windows::axes + 2 - shape.size();
  for (size_t i = 0; i < Windows::axes; ++i) sizes[i] = i < missing ? 1 : static_cast<int>(shape[2 + i - missing]);
}

// ---- the CPU: rows of windows along the last axis, of one channel or, where the channels are last, of all of them

struct Row {
  int64_t wide, narrow;  // where the plane of the input and the row of results begin, in elements
  int z, y;
};

// f(row) for the rows of some planes; g(first element of the input's planes) before those.
template <class F, class G>
void each_row(const op::PoolPlan& p, const F& f, const G& g) {
  const int64_t planes = p.is_last ? p.samples : int64_t{p.samples} * p.channels;
  const int64_t windows = int64_t{p.out[0]} * p.out[1] * p.out[2] * (p.is_last ? p.channels : 1);
  auto some = [&](int64_t from, int64_t to) {
    for (int64_t plane = from; plane < to; ++plane) {
      const int64_t sample = p.is_last ? plane : plane / p.channels, channel = p.is_last ? 0 : plane % p.channels;
      const int64_t wide = sample * p.wide[0] + channel * p.wide[1], narrow = sample * p.narrow[0] + channel * p.narrow[1];
      g(wide);
      for (int z = 0; z < p.out[0]; ++z)
        for (int y = 0; y < p.out[1]; ++y) f(Row{wide, narrow + z * p.narrow[2] + y * p.narrow[3], z, y});
    }
  };
  in_slices(planes, some, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, windows)));
}

// One element of each of several windows that lie side by side: along a row, or in all channels. `place`: in the plane.
struct Lane {
  int64_t in, in_step, out, out_step, count;
  long long place, place_step;
};

// The k-th elements of a row's windows in a line of the input, as far as they are within it.
template <class F>
void each_lane_along(const op::PoolPlan& p, const Row& row, int64_t line, long long place, const F& f) {
  const int stride = p.stride[2];
  for (int k = 0; k < p.window[2]; ++k) {
    const int at = k * p.dilation[2] - p.before[2];
    const int first = at < 0 ? (-at + stride - 1) / stride : 0;
    const int end = std::min(p.out[2], at < p.in[2] ? (p.in[2] - 1 - at) / stride + 1 : 0);
    if (first >= end) continue;
    const int from = at + first * stride;
    f(Lane{line + from * p.wide[4], stride * p.wide[4], row.narrow + first * p.narrow[4], p.narrow[4], end - first, place + from,
           stride});
  }
}

// The elements of a row's windows, those of each in C order: f(lane).
template <class F>
void each_lane(const op::PoolPlan& p, const Row& row, const std::vector<op::PoolRange>& along, const F& f) {
  const op::PoolRange planes = op::pool_range(p, 0, row.z), lines = op::pool_range(p, 1, row.y);
  const int64_t channels = p.is_last ? p.channels : 1;
  for (int z = planes.from; z < planes.end; z += planes.step)
    for (int y = lines.from; y < lines.end; y += lines.step) {
      const int64_t line = row.wide + z * p.wide[2] + y * p.wide[3];
      const long long place = (static_cast<long long>(z) * p.in[1] + y) * p.in[2];
      if (!p.is_last && !p.is_adaptive) {
        each_lane_along(p, row, line, place, f);
        continue;
      }
      for (int x = 0; x < p.out[2]; ++x)
        for (int at = along[x].from; at < along[x].end; at += along[x].step)
          f(Lane{line + at * p.wide[4], p.wide[1], row.narrow + x * p.narrow[4], p.narrow[1], channels, place + at, 0});
    }
}

template <class T>
class OnHost {
 public:
  explicit OnHost(const op::PoolPlan& plan)
      : p(plan),
        channels(plan.is_last ? plan.channels : 1),
        is_even((p.in[1] == 1 || p.wide[3] == p.in[2] * p.wide[4]) &&
                (p.in[0] == 1 || p.wide[2] == p.in[1] * p.in[2] * p.wide[4])),
        step(p.wide[4]) {
    for (int x = 0; x < p.out[2]; ++x) along.push_back(op::pool_range(p, 2, x));
  }

  void largest(const T* in, T* out, long long* places) const {
    auto one = [&](const Row& row) {
      each_result(row, [&](int64_t at, int64_t, int) { out[at] = op::pool_least<T>(), places[at] = -1; });
      each_lane(p, row, along, [&](const Lane& lane) { raise_to(lane, in, out, places); });
    };
    each_row(p, one, [](int64_t) {});
  }
  void picked(const T* in, const long long* places, T* out) const {
    auto one = [&](const Row& row) {
      each_result(row, [&](int64_t at, int64_t plane, int) { out[at] = places[at] < 0 ? T() : in[plane + offset(places[at])]; });
    };
    each_row(p, one, [](int64_t) {});
  }
  void spread(const T* given, const long long* places, T* out) const {
    auto one = [&](const Row& row) { spread_row(row, given, places, out); };
    each_row(p, one, [&](int64_t wide) { clear(out + wide); });
  }
  void means(const T* in, T* out) const {
    auto one = [&](const Row& row) {
      each_result(row, [&](int64_t at, int64_t, int) { out[at] = T(); });
      each_lane(p, row, along, [&](const Lane& lane) {
        for (int64_t i = 0; i < lane.count; ++i) out[lane.out + i * lane.out_step] += in[lane.in + i * lane.in_step];
      });
      const std::vector<T> divisors = divisors_of(row);
      each_result(row, [&](int64_t at, int64_t, int x) { out[at] /= divisors[static_cast<size_t>(x)]; });
    };
    each_row(p, one, [](int64_t) {});
  }
  void shares(const T* given, T* out) const {
    auto one = [&](const Row& row) {
      const std::vector<T> divisors = divisors_of(row);
      each_lane(p, row, along, [&](const Lane& lane) {
        const int64_t first = p.narrow[4] == 0 ? 0 : (lane.out - row.narrow) / p.narrow[4];
        for (int64_t i = 0; i < lane.count; ++i)
          out[lane.in + i * lane.in_step] +=
              given[lane.out + i * lane.out_step] / divisors[static_cast<size_t>(p.is_last ? first : first + i)];
      });
    };
    each_row(p, one, [&](int64_t wide) { clear(out + wide); });
  }

 private:
  // f(where the result lies, where its channel of the input begins, its place in the row)
  template <class F>
  void each_result(const Row& row, const F& f) const {
    const int count = p.out[2];
    const int64_t across = p.narrow[4], own_channels = channels, channel = p.narrow[1], plane = p.wide[1];
    int64_t at = row.narrow;
    for (int x = 0; x < count; ++x, at += across)
      for (int64_t c = 0; c < own_channels; ++c) f(at + c * channel, row.wide + c * plane, x);
  }
  [[gnu::noinline]] void spread_row(const Row& row, const T* given, const long long* places, T* out) const {
    each_result(row, [=, this](int64_t at, int64_t plane, int) {
      if (places[at] >= 0) out[plane + offset(places[at])] += given[at];
    });
  }
  // Without branches, which would be mispredicted; of equal elements the first, of NaN the last.
  [[gnu::noinline]] static void raise_to(const Lane& lane, const T* in, T* out, long long* places) {
    const int64_t count = lane.count, in_step = lane.in_step, out_step = lane.out_step;
    in += lane.in, out += lane.out, places += lane.out;
    for (int64_t i = 0; i < count; ++i) {
      const T value = *in, largest = *out;
      const long long is_it = -static_cast<long long>((*places < 0) | (value > largest) | (value != value));
      *out = selected(is_it, value, largest);
      *places = ((lane.place + i * lane.place_step) & is_it) | (*places & ~is_it);
      in += in_step, out += out_step, places += out_step;
    }
  }
  static T selected(long long mask, T one, T other) {
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
      const Bits m = static_cast<Bits>(mask);
      return std::bit_cast<T>(static_cast<Bits>((std::bit_cast<Bits>(one) & m) | (std::bit_cast<Bits>(other) & ~m)));
    } else {
      return mask ? one : other;
    }
  }
  std::vector<T> divisors_of(const Row& row) const {
    std::vector<T> out;
    for (int x = 0; x < p.out[2]; ++x) {
      const int at[] = {row.z, row.y, x};
      out.push_back(static_cast<T>(op::pool_divisor(p, at)));
    }
    return out;
  }
  int64_t offset(long long place) const {
    if (is_even) return place * step;
    const long long row = place / p.in[2];
    return row / p.in[1] * p.wide[2] + row % p.in[1] * p.wide[3] + place % p.in[2] * p.wide[4];
  }
  void clear(T* planes) const {
    const int64_t count = int64_t{p.in[0]} * p.in[1] * p.in[2];
    if (is_even && step == channels && (channels == 1 || p.wide[1] == 1)) return void(std::fill_n(planes, count * channels, T()));
    for (int z = 0; z < p.in[0]; ++z)
      for (int y = 0; y < p.in[1]; ++y)
        for (int x = 0; x < p.in[2]; ++x)
          for (int64_t c = 0; c < channels; ++c) planes[z * p.wide[2] + y * p.wide[3] + x * p.wide[4] + c * p.wide[1]] = T();
  }

  const op::PoolPlan& p;
  const int64_t channels;  // of a window
  const bool is_even;      // a place in the plane is so many steps of the last axis
  const int64_t step;
  std::vector<op::PoolRange> along;
};

template <class T>
void pool_on_host(Pooled what, const op::PoolPlan& p, const std::vector<char*>& data) {
  const OnHost<T> host{p};
  auto as = [&](size_t i) { return reinterpret_cast<T*>(data[i]); };
  auto places = [&](size_t i) { return reinterpret_cast<long long*>(data[i]); };
  switch (what) {
    case Pooled::largest:
      return host.largest(as(0), as(1), places(2));
    case Pooled::picked:
      return host.picked(as(0), places(1), as(2));
    case Pooled::spread:
      return host.spread(as(0), places(1), as(2));
    case Pooled::means:
      return host.means(as(0), as(1));
    case Pooled::shares:
      return host.shares(as(0), as(1));
  }
}

Array pooled(Pooled what, const Windows& windows, std::span<const Array> operands, const Shape& shape, bool is_last = false);

class Pool : public CallBody {
 public:
  Pool(Pooled what, const Windows& windows) : what_(what), windows_(windows) {}
  std::string_view name() const override { return names[static_cast<size_t>(what_)]; }
  bool keeps_operand(size_t i) const override { return has_places(what_) && i == 1; }
  bool keeps_result(size_t i) const override { return what_ == Pooled::largest && i == 1; }

  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    std::vector<std::optional<Array>> out(call.wanted.size());
    if (!call.wanted[0] || !call.given[0]) return out;
    static constexpr Pooled backwards[] = {Pooled::spread, Pooled::spread, Pooled::picked, Pooled::shares, Pooled::means};
    std::vector<Array> operands{*call.given[0]};
    if (what_ == Pooled::largest) operands.push_back(call.results[1]);
    if (has_places(what_)) operands.push_back(call.operands[1]);
    const Layout& layout = *call.layouts[0];
    out[0] = pooled(backwards[static_cast<size_t>(what_)], windows_, operands, layout.shape, suggests_channels_last(layout));
    return out;
  }

  // A mean of all elements is none of windows for PyTorch.
  bool gradient_is_of_operand(const GradientCall& call) const override {
    const Shape& shape = call.result_shapes[0];
    const bool is_of_all = windows_.is_adaptive && std::all_of(shape.begin() + 2, shape.end(), [](int64_t n) { return n == 1; });
    return what_ == Pooled::largest || (what_ == Pooled::means && !is_of_all);
  }

  void run(const CallRun& run) const override {
    const CallView& result = run.outputs[0];
    const int64_t n = result.layout->elements;
    if (n == 0) return;
    const op::PoolPlan plan = plan_of(run);
    std::vector<char*> data;
    for (const CallView& view : run.inputs) data.push_back(view.data);
    for (const CallView& view : run.outputs) data.push_back(view.data);
    if (run.device.is_gpu()) {
      const std::string instance = formatted("{}<{}>", kernels[static_cast<size_t>(what_)], row(result.dtype).cuda);
      Parameters parameters;
      parameters.add(plan).add(static_cast<long long>(n));
      for (char* pointer : data) parameters.add(pointer);
      return launch(run, instance_of(context_on(run.device), TextOf::pooling, text, instance), shape_for(n), parameters);
    }
    on_cpu(run, name(), n * 8, [what = what_, plan, data, dtype = result.dtype] {
      if (dtype == DType::float32) return pool_on_host<float>(what, plan, data);
      if (dtype == DType::float64) return pool_on_host<double>(what, plan, data);
      pool_on_host<long long>(what, plan, data);
    });
  }

 private:
  op::PoolPlan plan_of(const CallRun& run) const {
    const bool is_wide = is_wide_result(what_);
    const CallView &wide = is_wide ? run.outputs[0] : run.inputs[0], &narrow = is_wide ? run.inputs[0] : run.outputs[0];
    op::PoolPlan plan{};
    plan.samples = static_cast<int>(wide.shape()[0]);
    plan.channels = static_cast<int>(wide.shape()[1]);
    set_sizes(wide.shape(), plan.in);
    set_sizes(narrow.shape(), plan.out);
    for (size_t d = 0; d < Windows::axes; ++d) {
      plan.window[d] = static_cast<int>(windows_.size[d]);
      plan.stride[d] = static_cast<int>(windows_.stride[d]);
      plan.before[d] = static_cast<int>(windows_.before[d]);
      plan.dilation[d] = static_cast<int>(windows_.dilation[d]);
    }
    plan.is_adaptive = windows_.is_adaptive;
    plan.counts_border = windows_.counts_border;
    plan.divisor = windows_.divisor;
    set_steps(wide, plan.wide);
    set_steps(narrow, plan.narrow);
    plan.is_last = run.outputs[0].strides()[1] == 1 && plan.channels > 1;
    return plan;
  }

  Pooled what_;
  Windows windows_;
};

// Like the first operand in memory, or with the channels last: the places lie as the elements do.
std::vector<Array> recorded(Pooled what, const Windows& windows, std::span<const Array> operands, const Shape& shape,
                            bool is_last = false) {
  const Array& first = operands[0];
  const LayoutRef layout = is_last ? channels_last_layout(shape) : format_beside(first, shape);
  std::vector<CallResult> results{{shape, first.dtype(), layout}};
  if (what == Pooled::largest) results.push_back({shape, DType::int64, layout});
  std::vector<Array> all(operands.begin(), operands.end());
  if (has_places(what)) {
    const LayoutRef narrow = what == Pooled::picked ? layout : format_beside(first, first.shape());
    all[1] = arranged(all[1], narrow);
    if (what == Pooled::spread) all[0] = arranged(all[0], narrow);
  }
  return record_call(std::make_shared<Pool>(what, windows), all, results, first.device());
}

Array pooled(Pooled what, const Windows& windows, std::span<const Array> operands, const Shape& shape, bool is_last) {
  const DType dtype = operands[0].dtype();
  if (size_of(dtype) != 2) return recorded(what, windows, operands, shape, is_last)[0];
  std::vector<Array> wide(operands.begin(), operands.end());
  wide[0] = astype(wide[0], DType::float32);
  return astype(recorded(what, windows, wide, shape, is_last)[0], dtype);
}

Shape result_shape(const Array& x, const Shape& out) {
  Shape shape{x.shape()[0], x.shape()[1]};
  shape.insert(shape.end(), out.begin(), out.end());
  return shape;
}

}  // namespace

std::pair<Array, Array> largest_in(const Array& x, const Windows& windows, const Shape& out) {
  const DType dtype = x.dtype(), computed = is_integer(dtype) ? DType::int64 : size_of(dtype) == 2 ? DType::float32 : dtype;
  const Array operand = as_type(x, computed);
  std::vector<Array> found = recorded(Pooled::largest, windows, {&operand, 1}, result_shape(x, out));
  return {as_type(found[0], dtype), found[1]};
}

Array means_in(const Array& x, const Windows& windows, const Shape& out) {
  if (!is_integer(x.dtype())) return pooled(Pooled::means, windows, {&x, 1}, result_shape(x, out));
  const Array operand = as_type(x, DType::int64);
  return as_type(recorded(Pooled::means, windows, {&operand, 1}, result_shape(x, out))[0], x.dtype());
}

}  // namespace quern
