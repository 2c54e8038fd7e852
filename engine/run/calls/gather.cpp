// take() and put(): see quern/index.cuh for how an element finds its place.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "graph/memory_order.h"
#include "graph/records.h"
#include "graph/tape.h"
#include "graph/tier0.h"
#include "run/calls/call_launch.h"
#include "run/calls/formulas.h"
#include "run/calls/indexing.h"
#include "run/found_errors.h"
#include "run/tier0.h"

// The device functions, as host functions.
#define __QUERN_BOTH inline
#include "codegen/prelude/quern/index.cuh"

namespace quern {

Shape shape_of(std::span<const Pick> picks) {
  std::vector<Shape> shapes;
  for (const Pick& pick : picks) shapes.push_back(pick.index.shape());
  try {
    return broadcast_shapes(shapes);
  } catch (const Error&) {
    std::string text;
    for (const Shape& shape : shapes) text += " " + to_string(shape);
    raise(ErrorKind::index, "shape mismatch: indexing arrays could not be broadcast together with shapes{}", text);
  }
}

static thread_local bool all_have_gradients = false;

AllHaveGradients::AllHaveGradients() : before_(std::exchange(all_have_gradients, true)) {}
AllHaveGradients::~AllHaveGradients() { all_have_gradients = before_; }

namespace {

using op::IndexPlan;

constexpr const char* text = R"(#include "quern/index.cuh"
using namespace quern::op;
template <class T>
__global__ void take(IndexPlan p, const T* in, T* out) {
  for (long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x; e < p.n; e += (long long)gridDim.x * blockDim.x)
    out[e] = in[picked(p, pick_of(p, e)) + rest_offset(p, rest_of(p, e))];
}
// Which element of the indexed axes pick b takes, counted in C order.
__device__ long long element_of(const IndexPlan& p, long long b) {
  long long place = 0;
  QUERN_EACH_AXIS
  for (int k = 0; k < p.picks; ++k) place = place * p.size[k] + place_of(p, k, b);
  return place;
}
// Picks that meet at one element: the last one's value stays.
template <class T>
__global__ void put(IndexPlan p, const T* values, long long step, T* memory, const unsigned long long* owner) {
  for (long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x; e < p.n; e += (long long)gridDim.x * blockDim.x) {
    const long long b = e / p.rest;
    if (owner) {
      if (owner[element_of(p, b)] != b + 1) continue;
    }
    memory[picked(p, b) + rest_offset(p, e % p.rest)] = values[e * step];
  }
}
template <class T>
__global__ void claim(IndexPlan p, T* owner) {
  const long long picks = p.rest ? p.n / p.rest : 0;
  for (long long b = (long long)blockIdx.x * blockDim.x + threadIdx.x; b < picks; b += (long long)gridDim.x * blockDim.x) {
    atomicMax(&owner[element_of(p, b)], (T)(b + 1));
  }
}
)";

// Picks that meet at one element add up. A text for each type: most have no need of the 16-bit ones' headers.
// Integers wrap around, which atomics have for unsigned ones.
std::string_view added_type(DType type) {
  if (!algebra::is_whole(type)) return row(type).cuda;
  return size_of(type) == 8 ? "unsigned long long" : "unsigned int";
}

std::string adding_text(DType real) {
  std::string_view header = real == DType::bfloat16 ? "#include \"quern/bfloat_pairs.cuh\"\n"
                            : size_of(real) == 2    ? "#include \"quern/half.cuh\"\n"
                                                    : "";
  return formatted(R"(#include "quern/index.cuh"
{}using namespace quern::op;
typedef {} T;
extern "C" __global__ void add(IndexPlan p, const T* values, long long step, T* memory, int parts) {{
  for (long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x; e < p.n; e += (long long)gridDim.x * blockDim.x) {{
    const long long at = picked(p, e / p.rest) + rest_offset(p, e % p.rest);
    for (int i = 0; i < parts; ++i) atomicAdd(&memory[at * parts + i], values[e * step * parts + i]);
  }}
}}
)",
                   header, added_type(real));
}

// What all picks of a call share. The indices come as the call's operands, in C order and as int64.
struct Picks {
  std::vector<int64_t> size, step;         // of the indexed axes
  Layout rest;                             // the other axes
  int64_t count = 0;                       // picks
  int64_t inner = -1;                      // elements of the axes behind the picks; -1: of all others
  std::vector<size_t> axes, told_axes;     // that each index is for; and of the array as it was given, for messages
  bool wraps = false;                      // what is out of range
  std::vector<const OutOfRange*> refused;  // what is said of each; null: it is in range, or NumPy's words serve

  // By the number of the index among them. Threads that find errors at once may mix up whose it is.
  std::string told(int64_t i, size_t k) const {
    constexpr const char* numpys = "index {} is out of bounds for axis {} with size {}";
    return formatted(fmt::runtime(refused[k] ? refused[k]->text : numpys), i, told_axes[k], size[k]);
  }
  const OutOfRange* rule() const {
    auto found = std::find_if(refused.begin(), refused.end(), [](const OutOfRange* one) { return one != nullptr; });
    return found == refused.end() ? nullptr : *found;
  }

  IndexPlan plan(const CallRun& run, size_t first) const {
    IndexPlan p{};
    p.rest = rest.size();
    p.n = count * p.rest;
    p.inner = inner < 0 ? p.rest : inner;
    p.count = count;
    p.picks = static_cast<int>(size.size());
    p.dims = static_cast<int>(rest.rank());
    for (size_t k = 0; k < size.size(); ++k) {
      p.index[k] = reinterpret_cast<const long long*>(run.inputs[first + k].data);
      p.size[k] = size[k];
      p.step[k] = step[k];
    }
    for (size_t d = 0; d < rest.rank(); ++d) {
      p.shape[d] = rest.shape[d];
      p.stride[d] = rest.strides[d];
    }
    if (wraps) return p;
    const OutOfRange* words = rule();
    p.counts_forward = words && !words->from_end;
    FoundError found = watch_for_error(
        context_on(run.device), words ? words->kind : ErrorKind::index,
        [picks = *this](int64_t i, int64_t which) { return picks.told(i, static_cast<size_t>(which - 1)); }, run.site);
    p.error = reinterpret_cast<long long*>(run.device.is_cpu() ? found.on_host : found.on_device);
    return p;
  }
};

// f(element of the picked array, place in memory, how many follow in both) for all of picks [from, to).
template <class F>
void walk(const IndexPlan& p, int64_t from, int64_t to, F&& f) {
  bool rows = p.dims == 0 || p.stride[p.dims - 1] == 1;
  int64_t run = p.dims == 0 ? 1 : rows ? std::min<int64_t>(p.shape[p.dims - 1], p.inner) : 1;
  for (int64_t b = from; b < to; ++b) {
    int64_t at = op::picked(p, b);
    for (int64_t r = 0; r < p.rest; r += run) {
      int64_t e = p.inner == p.rest ? b * p.rest + r : (r / p.inner * p.count + b) * p.inner + r % p.inner;
      f(e, at + (p.dims <= 1 && rows ? r : op::rest_offset(p, r)), run);
    }
  }
}

// walk() for picks of single elements by one index, as most are.
template <class T>
void take_line(const IndexPlan& p, const T* in, T* out, int64_t from, int64_t to) {
  const long long *index = p.index[0], size = p.size[0], step = p.step[0], from_end = p.counts_forward ? 0 : size;
  for (int64_t b = from; b < to; ++b) {
    long long i = index[b];
    i += i < 0 ? from_end : 0;
    out[b] = in[static_cast<unsigned long long>(i) < static_cast<unsigned long long>(size) ? i * step : op::picked(p, b)];
  }
}

// Picks along an axis behind others: row after row of the result, where walk() would go from row to row for each pick.
template <class T>
void take_rows(const IndexPlan& p, const T* in, T* out) {
  const auto offsets = std::make_unique_for_overwrite<int64_t[]>(static_cast<size_t>(p.count));
  auto find = [&](int64_t from, int64_t to) {
    for (int64_t b = from; b < to; ++b) offsets[b] = op::picked(p, b);
  };
  in_slices(p.count, find);
  const int64_t run = p.stride[p.dims - 1] == 1 ? std::min<int64_t>(p.shape[p.dims - 1], p.inner) : 1;
  auto rows = [&](int64_t from, int64_t to) {
    for (int64_t row = from; row < to; ++row) {
      T* target = out + row * p.count * p.inner;
      for (int64_t r = 0; r < p.inner; r += run) {
        const T* source = in + op::rest_offset(p, row * p.inner + r);
        if (run == 1) {
          for (int64_t b = 0; b < p.count; ++b) target[b * p.inner + r] = source[offsets[b]];
        } else {
          for (int64_t b = 0; b < p.count; ++b) std::copy_n(source + offsets[b], run, target + b * p.inner + r);
        }
      }
    }
  };
  in_slices(p.rest / p.inner, rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, p.count * p.inner)));
}

class Take : public CallBody {
 public:
  // `order`: the axes of the result in the order in which they lie in memory; none: as they are.
  explicit Take(Picks picks, std::vector<int> order = {}) : picks_(std::move(picks)), order_(std::move(order)) {}
  std::string_view name() const override { return "take"; }
  bool keeps_operand(size_t i) const override { return i > 0; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override;

  void run(const CallRun& run) const override {
    if (run.outputs[0].layout->elements == 0) return;
    IndexPlan p = picks_.plan(run, 1);
    const char* in = run.inputs[0].data;
    char* out = run.outputs[0].data;
    size_t bytes = size_of(run.outputs[0].dtype);
    if (run.device.is_gpu()) {
      Kernel& kernel = instance_of(context_on(run.device), TextOf::indexing, text, formatted("take<{}>", word_type(bytes)));
      launch(run, kernel, shape_for(p.n), Parameters().add(p).add(in).add(out));
      return;
    }
    on_cpu(run, name(), p.n, [p, in, out, bytes, count = picks_.count] {
      auto part = [&](auto zero) {
        using T = decltype(zero);
        if (p.dims > 0 && p.inner > 0 && p.inner < p.rest)
          return take_rows(p, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out));
        in_slices(
            count,
            [&](int64_t from, int64_t to) {
              if (p.picks == 1 && p.dims == 0)
                return take_line(p, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), from, to);
              walk(p, from, to, [&](int64_t e, int64_t at, int64_t n) {
                const T* source = reinterpret_cast<const T*>(in) + at;
                T* target = reinterpret_cast<T*>(out) + e;
                if (n == 1)
                  *target = *source;
                else
                  std::memcpy(target, source, static_cast<size_t>(n) * sizeof(T));
              });
            },
            std::max<int64_t>(1, 16384 / p.rest));
      };
      bytes == 1   ? part(uint8_t{})
      : bytes == 2 ? part(uint16_t{})
      : bytes == 4 ? part(uint32_t{})
      : bytes == 8 ? part(uint64_t{})
                   : part(op::Sixteen{});
    });
  }

 private:
  Picks picks_;
  std::vector<int> order_;
};

class Put : public CallBody {
 public:
  explicit Put(Picks picks) : picks_(std::move(picks)), all_have_gradients_(all_have_gradients) {}
  std::string_view name() const override { return "put"; }
  bool keeps_operand(size_t i) const override { return i > 1; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override;

  void run(const CallRun& run) const override {
    IndexPlan p = picks_.plan(run, 1);
    if (p.n == 0) return;
    const char* values = run.inputs[0].data;
    long long step = run.inputs[0].layout->elements == 1 ? 0 : 1;
    char* out = run.outputs[0].data;
    size_t bytes = size_of(run.outputs[0].dtype);
    if (run.device.is_gpu()) {
      on_gpu(run, p, values, step, out, bytes);
      return;
    }
    // One thread, in order: the last value stays.
    on_cpu(run, name(), p.n, [p, values, step, out, bytes, count = picks_.count] {
      auto part = [&](auto zero) {
        using T = decltype(zero);
        walk(p, 0, count, [&](int64_t e, int64_t at, int64_t n) {
          const T* source = reinterpret_cast<const T*>(values);
          T* target = reinterpret_cast<T*>(out) + at;
          if (step == 0)
            std::fill_n(target, n, *source);
          else if (n == 1)
            *target = source[e];
          else
            std::memcpy(target, source + e, static_cast<size_t>(n) * sizeof(T));
        });
      };
      bytes == 1   ? part(uint8_t{})
      : bytes == 2 ? part(uint16_t{})
      : bytes == 4 ? part(uint32_t{})
      : bytes == 8 ? part(uint64_t{})
                   : part(op::Sixteen{});
    });
  }

 private:
  void on_gpu(const CallRun& run, const IndexPlan& p, const char* values, long long step, char* out, size_t bytes) const {
    Context& context = context_on(run.device);
    Buffer owner;
    std::vector<Buffer> temporaries;
    if (step != 0 && picks_.count > 1) {
      size_t places = 1;
      for (int64_t size : picks_.size) places *= static_cast<size_t>(std::max<int64_t>(size, 1));
      owner = temporary(run, places * 8);
      temporaries.push_back(owner);
      use_on(context.work_stream, *owner.block(), true);
      context.fill(context.work_stream, owner.pointer(), 0, 0, 4, places * 2, 1);
      launch(run, instance_of(context, TextOf::indexing, text, "claim<unsigned long long>"), shape_for(picks_.count),
             Parameters().add(p).add(owner.pointer()), temporaries);
    }
    launch(run, instance_of(context, TextOf::indexing, text, formatted("put<{}>", word_type(bytes))), shape_for(p.n),
           Parameters().add(p).add(values).add(step).add(out).add(owner.pointer()), temporaries);
  }

  Picks picks_;
  bool all_have_gradients_;
};

// What is put is added to what stands there; in order on the CPU, by atomics on a GPU.
class Add : public CallBody {
 public:
  explicit Add(Picks picks) : picks_(std::move(picks)) {}
  std::string_view name() const override { return "put_add"; }
  bool keeps_operand(size_t i) const override { return i > 1; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override;

  void run(const CallRun& run) const override {
    IndexPlan p = picks_.plan(run, 1);
    if (p.n == 0) return;
    DType dtype = run.outputs[0].dtype, real = real_part_type(dtype);
    int parts = is_complex(dtype) ? 2 : 1;
    const char* values = run.inputs[0].data;
    char* out = run.outputs[0].data;
    long long step = run.inputs[0].layout->elements == 1 ? 0 : 1;
    if (run.device.is_gpu()) {
      const auto word = static_cast<uint64_t>(real);
      Kernel& kernel =
          kernel_of(context_on(run.device), TextOf::indexing, {&word, 1}, "add", [real] { return adding_text(real); });
      launch(run, kernel, shape_for(p.n), Parameters().add(p).add(values).add(step).add(out).add(parts));
      return;
    }
    on_cpu(run, name(), p.n, [p, values, step, out, parts, real, count = picks_.count] {
      auto part = [&](auto zero) {
        using T = decltype(zero);
        walk(p, 0, count, [&](int64_t e, int64_t at, int64_t n) {
          const T* source = reinterpret_cast<const T*>(values) + e * step * parts;
          T* target = reinterpret_cast<T*>(out) + at * parts;
          for (int64_t i = 0; i < n * parts; ++i) {
            const T& value = source[step == 0 ? i % parts : i];
            if constexpr (std::is_same_v<T, uint16_t>)
              tier0_convert(tier0_wide(target[i], real) + tier0_wide(value, real), real, &target[i]);
            else
              target[i] = static_cast<T>(target[i] + value);
          }
        });
      };
      if (algebra::is_whole(real)) return size_of(real) == 8 ? part(uint64_t{}) : part(uint32_t{});
      size_of(real) == 2 ? part(uint16_t{}) : real == DType::float32 ? part(float{}) : part(double{});
    });
  }

 private:
  Picks picks_;
};

struct Prepared {
  Picks picks;
  std::vector<Array> indices;
  Shape shape;  // of the picked array
};

Prepared prepare(const Array& array, std::span<const Pick> given) {
  if (given.size() > op::most_picks)
    raise(ErrorKind::not_implemented, "[index] {} arrays as indices are too many; at most {} are supported", given.size(),
          op::most_picks);
  Prepared out;
  const Shape picked = shape_of(given);
  Layout rest{{}, {}, 0};
  std::vector<bool> gone(array.rank(), false);
  for (const Pick& pick : given) {
    gone[pick.axis] = true;
    out.picks.size.push_back(array.shape()[pick.axis]);
    out.picks.step.push_back(array.layout().strides[pick.axis]);
    out.picks.axes.push_back(pick.axis);
    out.picks.told_axes.push_back(pick.told_axis.value_or(pick.axis));
    out.picks.wraps |= pick.wraps;
    out.picks.refused.push_back(pick.refused);
    Array index = pick.index;
    if (index.shape() != picked) index = index.view(index.layout().broadcast_to(picked));
    out.indices.push_back(in_c_order(index, DType::int64));
  }
  out.shape = picked;
  for (size_t i = 0; i < array.rank(); ++i) {
    if (gone[i]) continue;
    rest.shape.push_back(array.shape()[i]);
    rest.strides.push_back(array.layout().strides[i]);
    out.shape.push_back(array.shape()[i]);
  }
  out.picks.count = Layout::contiguous(picked).size();
  for (size_t k = 0; k < given.size() && out.picks.count > 0; ++k) {
    if (out.picks.size[k] > 0) continue;
    const OutOfRange* words = out.picks.rule();
    raise(words ? words->kind : ErrorKind::index, "index is out of bounds for {} {} with size 0", words ? "dimension" : "axis",
          out.picks.told_axes[k]);
  }
  std::vector<Layout> layouts{rest};
  collapse(layouts);
  if (layouts[0].rank() > op::most_rest)
    raise(ErrorKind::not_implemented, "[index] a non-contiguous array of {} dimensions is not supported", layouts[0].rank());
  out.picks.rest = std::move(layouts[0]);
  return out;
}

// The axes of the result from the outermost in memory on, once the array's and the indices' are turned so that this is C order.
std::vector<int> order_of_picks(Array& array, std::vector<Pick>& picks) {
  std::vector<Shape> shapes;
  for (const Pick& pick : picks) shapes.push_back(pick.index.shape());
  Shape picked;
  try {
    picked = broadcast_shapes(shapes);
  } catch (const Error&) {
    return {};  // which prepare() reports in other words
  }
  auto by_stride = [](const Layout& layout) {
    std::vector<int> axes(layout.rank());
    std::iota(axes.begin(), axes.end(), 0);
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
      return std::abs(layout.strides[static_cast<size_t>(a)]) > std::abs(layout.strides[static_cast<size_t>(b)]);
    });
    return axes;
  };
  // The indices' own order counts only where each picks a single element.
  std::vector<Argument> indices;
  for (const Pick& pick : picks) indices.emplace_back(pick.index);
  bool are_elements = picks.size() == array.rank();
  std::vector<int> order = by_stride(are_elements ? Layout(*result_layout(picked, indices)) : Layout::contiguous(picked));
  for (Pick& pick : picks) pick.index = pick.index.view(pick.index.layout().broadcast_to(picked).transposed(order));

  Layout rest{{}, {}, 0};
  std::vector<int> others, whole;
  std::vector<size_t> place(array.rank());
  auto is_picked = [&](size_t axis) {
    return std::any_of(picks.begin(), picks.end(), [&](const Pick& p) { return p.axis == axis; });
  };
  for (size_t i = 0; i < array.rank(); ++i) {
    if (is_picked(i)) {
      whole.push_back(static_cast<int>(i));
    } else {
      others.push_back(static_cast<int>(i));
      rest.shape.push_back(array.shape()[i]);
      rest.strides.push_back(array.layout().strides[i]);
    }
  }
  for (int at : by_stride(rest)) {
    order.push_back(at + static_cast<int>(picked.size()));
    whole.push_back(others[static_cast<size_t>(at)]);
  }
  for (size_t i = 0; i < whole.size(); ++i) place[static_cast<size_t>(whole[i])] = i;
  array = array.view(array.layout().transposed(whole));
  for (Pick& pick : picks) pick.axis = place[pick.axis];
  return order;
}

}  // namespace

std::optional<Array> take_now(const Array& array, const Array& index, bool from_end) {
  constexpr int64_t most = 4 * at_once;
  GraphLock lock;
  if (is_taping() && wants_gradient(array)) return std::nullopt;
  if (array.rank() != 1 || index.dtype() != DType::int64 || !index.layout().is_contiguous()) return std::nullopt;
  const char* in = at_hand(array, std::numeric_limits<int64_t>::max());
  const auto* places = reinterpret_cast<const int64_t*>(in ? at_hand(index, most) : nullptr);
  if (!places) return std::nullopt;
  char* memory;
  Array result = made_now(layout_like(index), array.dtype(), memory);
  int64_t count = index.size(), size = array.size(), step = array.layout().strides[0];
  auto pick = [&](auto zero) {
    using T = decltype(zero);
    const T* from = reinterpret_cast<const T*>(in);
    T* to = reinterpret_cast<T*>(memory);
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = places[i];
      if (place < 0 && from_end) place += size;
      if (static_cast<uint64_t>(place) >= static_cast<uint64_t>(size)) return false;
      to[i] = from[place * step];
    }
    return true;
  };
  bool all = false;
  switch (size_of(array.dtype())) {
    case 1:
      all = pick(uint8_t{});
      break;
    case 2:
      all = pick(uint16_t{});
      break;
    case 4:
      all = pick(uint32_t{});
      break;
    case 8:
      all = pick(uint64_t{});
      break;
    default:
      all = pick(op::Sixteen{});
  }
  if (!all) return std::nullopt;
  return result;
}

Array take(const Array& array, std::span<const Pick> given) {
  GraphLock lock;
  if (is_record(array.dtype())) return of_units(take(units_of(array), given), array.dtype());
  if (given.size() == 1) {
    const bool from_end = !given[0].refused || given[0].refused->from_end;
    if (std::optional<Array> now = take_now(array, given[0].index, from_end)) return std::move(*now);
  }
  // As NumPy has it, the picks come first in memory, in the order of the indices; then what each takes, as it lies in the array.
  std::vector<Pick> picks(given.begin(), given.end());
  for (Pick& pick : picks) pick.told_axis = pick.told_axis.value_or(pick.axis);
  Array from = array;
  std::vector<int> order;
  auto all_c = [](const Pick& pick) { return pick.index.layout().is_contiguous(); };
  if (!array.layout().is_contiguous() || !std::all_of(picks.begin(), picks.end(), all_c)) order = order_of_picks(from, picks);
  Prepared p = prepare(from, picks);
  std::vector<Array> operands{from};
  operands.insert(operands.end(), p.indices.begin(), p.indices.end());
  CallResult result{p.shape, array.dtype()};
  if (!order.empty()) {
    Layout layout = Layout::contiguous(p.shape), turned{Shape(p.shape.size()), std::vector<int64_t>(p.shape.size()), 0};
    for (size_t i = 0; i < order.size(); ++i) {
      turned.shape[static_cast<size_t>(order[i])] = layout.shape[i];
      turned.strides[static_cast<size_t>(order[i])] = layout.strides[i];
    }
    result = {turned.shape, array.dtype(), interned(std::move(turned))};
  }
  return record_call(std::make_shared<Take>(std::move(p.picks), std::move(order)), operands, {&result, 1}, array.device())[0];
}

Array take_along(const Array& array, const Array& index, size_t axis, const OutOfRange* refused,
                 std::optional<size_t> told_axis) {
  GraphLock lock;
  if (is_record(array.dtype())) return of_units(take_along(units_of(array), index, axis, refused, told_axis), array.dtype());
  Pick pick{axis, index, false, refused, told_axis};
  if (array.rank() == 1) {
    if (std::optional<Array> now = take_now(array, index, !refused || refused->from_end)) return std::move(*now);
  }
  Prepared p = prepare(array, {&pick, 1});
  p.picks.inner = 1;
  const Shape &has = array.shape(), picked = index.shape();
  Shape shape(has.begin(), has.begin() + static_cast<ptrdiff_t>(axis));
  shape.insert(shape.end(), picked.begin(), picked.end());
  for (size_t i = axis + 1; i < has.size(); ++i) {
    p.picks.inner *= has[i];
    shape.push_back(has[i]);
  }
  std::vector<Array> operands{array, p.indices[0]};
  CallResult result{std::move(shape), array.dtype()};
  return record_call(std::make_shared<Take>(std::move(p.picks)), operands, {&result, 1}, array.device())[0];
}

template <class Body>
static void put_by(const Array& array, std::span<const Pick> picks, const Argument& value);

// The values in the array's type first: then both are units.
static void put_records(const Array& array, std::span<const Pick> picks, const Argument& value) {
  DType type = array.dtype();
  if (!is_record(type)) {
    Array numbers = settled(*value.array());
    if (is_record(numbers.dtype())) refuse_records("index", numbers.dtype());
    return put_by<Put>(array, picks, Argument(numbers));
  }
  Array values = full(value.shape(), Scalar{}, type, array.device());
  assign(values, value);
  size_t unit = std::min(unit_of(type), unit_of(values.dtype()));
  Array units = units_of(values, unit);
  put_by<Put>(units_of(array, unit), picks, Argument(units));
}

// Records the body that makes something of the values at the places.
template <class Body>
static void put_by(const Array& array, std::span<const Pick> picks, const Argument& value) {
  GraphLock lock;
  if (is_record(array.dtype()) || (value.array() && is_record(value.array()->dtype()))) return put_records(array, picks, value);
  Prepared p = prepare(array, picks);
  Array values;
  if (const Array* given = value.array()) {
    if (given->device() != array.device())
      raise(ErrorKind::value, "[index] the operands are on different devices; move one with to_device()");
    Shape from = given->shape();
    while (from.size() > p.shape.size() && from.front() == 1) from.erase(from.begin());
    Array shaped = from == given->shape() ? *given : reshape(*given, from);
    bool fits = from.size() <= p.shape.size();
    for (size_t i = 0; fits && i < from.size(); ++i) fits = from[i] == 1 || from[i] == p.shape[p.shape.size() - from.size() + i];
    if (!fits)
      raise(ErrorKind::value, "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
            to_string(given->shape()), to_string(p.shape));
    if (shaped.size() != 1 && from != p.shape) shaped = shaped.view(shaped.layout().broadcast_to(p.shape));
    values = in_c_order(shaped, array.dtype());
    // The values must not change while they are written.
    if (values.cell() == array.cell()) values = copied(values, array.dtype());
  } else {
    // Python's numbers must fit; NumPy's are converted, as arrays are.
    if (value.scalar().is_weak) check_fits(value.scalar(), array.dtype());
    values = full({}, value.scalar(), value.scalar().is_weak ? array.dtype() : value.scalar().dtype, array.device());
    values = in_c_order(values, array.dtype());
  }
  const bool is_nothing = p.picks.count == 0 || (array.size() == 0 && p.picks.rest.size() == 0);
  if (is_nothing && !wants_gradient(values)) return;  // else what is written has no effect, and a gradient of zeros
  std::vector<Array> operands{values};
  operands.insert(operands.end(), p.indices.begin(), p.indices.end());
  for (Array& index : operands) {
    if (index.cell() == array.cell()) index = copied(index, index.dtype());
  }
  record_call_into(std::make_shared<Body>(std::move(p.picks)), array, operands);
}

void put(const Array& array, std::span<const Pick> picks, const Argument& value) { put_by<Put>(array, picks, value); }
void put_add(const Array& array, std::span<const Pick> picks, const Argument& value) {
  if (!algebra::is_whole(array.dtype()) || size_of(array.dtype()) >= 4) return put_by<Add>(array, picks, value);
  const Array wide = copied(array, DType::int64);
  put_by<Add>(wide, picks, value);
  assign(array, Argument(wide));
}

// ---- derivatives

// The picks of a call whose indices are the kept operands from `first` on.
static std::vector<Pick> picks_again(const Picks& picks, const GradientCall& call, size_t first) {
  std::vector<Pick> out;
  for (size_t k = 0; k < picks.axes.size(); ++k) out.push_back({picks.axes[k], call.operands[first + k], picks.wraps});
  return out;
}

std::vector<std::optional<Array>> Take::gradients(const GradientCall& call) const {
  Array g = *call.given[0];
  std::vector<Pick> picks = picks_again(picks_, call, 1);
  if (!order_.empty()) g = g.view(g.layout().transposed(order_));
  size_t at = picks[0].axis, rank = picks[0].index.rank();
  if (picks_.inner >= 0 && at > 0) {  // the picks stand in the axis' place; put them in front
    std::vector<int> axes;
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int>(at + i));
    for (size_t i = 0; i < g.rank(); ++i)
      if (i < at || i >= at + rank) axes.push_back(static_cast<int>(i));
    g = g.view(g.layout().transposed(axes));
  }
  Array into = full(call.layouts[0]->shape, Scalar{}, call.types[0], call.device);
  put_add(into, picks, Argument(g));
  return {into};
}

// Which of the picks' values stayed, where several picks meet at one element: bool, with axes of one element for the others.
static Array stayed(const Picks& picks, const std::vector<Pick>& given, size_t others) {
  std::vector<Pick> places;
  for (size_t k = 0; k < given.size(); ++k) places.push_back({k, given[k].index, picks.wraps});
  DeviceId device = given[0].index.device();
  Array owners = full(picks.size, Scalar{}, DType::int64, device);
  Array numbers = reshape(formulas::arange(picks.count, device), given[0].index.shape());
  put(owners, places, Argument(numbers));
  Array out = formulas::equal(take(owners, places), numbers);
  Shape shape = out.shape();
  shape.insert(shape.end(), others, 1);
  return reshape(out, shape);
}

std::vector<std::optional<Array>> Put::gradients(const GradientCall& call) const {
  const Array& g = *call.given[0];
  std::vector<Pick> picks = picks_again(picks_, call, 2);
  std::vector<std::optional<Array>> out(call.wanted.size());
  if (call.wanted[1]) {
    out[1] = take(g, picks);
    if (picks_.count > 1 && !all_have_gradients_)
      out[1] = formulas::where(stayed(picks_, picks, g.rank() - picks.size()), *out[1], 0);
  }
  if (call.wanted[0]) {
    Array rest = copied(g, g.dtype());
    put(rest, picks, Argument(Scalar{}));
    out[0] = rest;
  }
  return out;
}

std::vector<std::optional<Array>> Add::gradients(const GradientCall& call) const {
  std::vector<std::optional<Array>> out(call.wanted.size());
  out[0] = call.given[0];
  if (call.wanted[1]) out[1] = take(*call.given[0], picks_again(picks_, call, 2));
  return out;
}

}  // namespace quern
