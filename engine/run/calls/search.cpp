// extreme_places(), places_in() and counts_of(). On a GPU see quern/search.cuh.
#include <algorithm>
#include <cstring>
#include <memory>

#include "graph/fold.h"

#include "graph/tape.h"
#include "graph/tier0/loops.h"
#include "run/calls/call_launch.h"
#include "run/calls/indexing.h"
#include "run/calls/order.h"
#include "run/calls/sorting.h"
#include "run/tier0.h"

namespace quern {

namespace {

Kernel& search_kernel(Context& context, DType dtype, std::string_view name, std::string_view more = "") {
  static constexpr const char* text = "#include \"quern/search.cuh\"\nusing namespace quern::op;\n";
  return instance_of(context, TextOf::search, text, formatted("{}<{}{}>", name, order_type(dtype), more));
}

// ---- argmax, argmin

// Elements that one thread of the CPU searches alone; with tier 0's loops to wake another costs more than so many.
constexpr int64_t share_of_keys = 1 << 15, share_of_loops = 1 << 18;

// `find`: tier 0's loop, which is made of vectors; null for types that have none.
template <class O, bool least>
void extremes_on_cpu(const char* data, int64_t* out, int64_t rows, int64_t n, tier0::RunPlace find) {
  using Key = typename O::Key;
  const auto* in = reinterpret_cast<const typename O::Bits*>(data);
  auto best_in = [&](int64_t row, int64_t from, int64_t to) {
    const auto* line = in + row * n;
    if (find) {
      int64_t place = from + find(reinterpret_cast<const char*>(line + from), to - from);
      return std::pair{op::extreme_key<O, least>(line[place]), place};
    }
    int64_t place = from;
    Key best = op::extreme_key<O, least>(line[from]);
    for (int64_t i = from + 1; i < to; ++i) {
      Key key = op::extreme_key<O, least>(line[i]);
      if (best < key) {
        best = key;
        place = i;
      }
    }
    return std::pair{best, place};
  };
  const int64_t share = find ? share_of_loops : share_of_keys;
  int64_t parts = rows >= 32 ? 1 : std::clamp<int64_t>(n / share, 1, 256);
  if (parts == 1) {
    in_slices(
        rows,
        [&](int64_t from, int64_t to) {
          for (int64_t row = from; row < to; ++row) out[row] = best_in(row, 0, n).second;
        },
        std::max<int64_t>(1, share / n));
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<std::pair<Key, int64_t>> best(static_cast<size_t>(parts));
    on_cpu_threads(static_cast<size_t>(parts), [&](size_t p) {
      int64_t part = static_cast<int64_t>(p);
      best[p] = best_in(row, n * part / parts, n * (part + 1) / parts);
    });
    auto found = best[0];
    for (const auto& other : best) {
      if (found.first < other.first) found = other;
    }
    out[row] = found.second;
  }
}

class Extreme : public CallBody {
 public:
  explicit Extreme(bool least) : least_(least) {}
  std::string_view name() const override { return least_ ? "argmin" : "argmax"; }

  void run(const CallRun& run) const override {
    const CallView& view = run.inputs[0];
    int64_t rows = run.outputs[0].layout->elements;
    if (rows == 0) return;
    int64_t n = view.layout->elements / rows;
    if (run.device.is_gpu()) return on_gpu(run, rows, n);
    tier0::RunPlace find = tier0::extreme_place(least_, view.dtype);
    on_cpu(run, name(), find ? view.layout->elements / 16 : view.layout->elements,
           [in = view.data, out = run.outputs[0].data, rows, n, dtype = view.dtype, find, least = least_] {
             with_order(dtype, [&](auto order) {
               using O = decltype(order);
               auto* places = reinterpret_cast<int64_t*>(out);
               least ? extremes_on_cpu<O, true>(in, places, rows, n, find) : extremes_on_cpu<O, false>(in, places, rows, n, find);
             });
           });
  }

 private:
  void on_gpu(const CallRun& run, int64_t rows, int64_t n) const {
    Context& context = context_on(run.device);
    DType dtype = run.inputs[0].dtype;
    const char* in = run.inputs[0].data;
    char* out = run.outputs[0].data;
    int width = n <= 1024 && rows > 1 ? 32 : 256;
    int64_t parts = width == 32 ? 1 : std::clamp<int64_t>(n / 16384, 1, std::max<int64_t>(1, 132 * 16 / rows));
    LaunchShape shape;
    shape.block[0] = 256;
    int64_t groups = rows * parts, held = 256 / width;
    shape.grid[0] = static_cast<uint32_t>((groups + held - 1) / held);
    std::vector<Buffer> used;
    void* keys = nullptr;
    void* places = out;
    if (parts > 1) {
      used = {temporary(run, static_cast<size_t>(groups) * size_of(dtype)), temporary(run, static_cast<size_t>(groups) * 8)};
      keys = used[0].pointer();
      places = used[1].pointer();
    }
    launch(run, search_kernel(context, dtype, "extremes", least_ ? ", true" : ", false"), shape,
           Parameters()
               .add(in)
               .add(keys)
               .add(places)
               .add(static_cast<long long>(rows))
               .add(static_cast<long long>(n))
               .add(static_cast<int>(parts))
               .add(width),
           used);
    if (parts == 1) return;
    shape.grid[0] = static_cast<uint32_t>((rows + 7) / 8);
    launch(run, search_kernel(context, dtype, "extremes_of_parts"), shape,
           Parameters().add(keys).add(places).add(out).add(static_cast<long long>(rows)).add(static_cast<int>(parts)), used);
  }

  bool least_;
};

// ---- searchsorted

class Places : public CallBody {
 public:
  explicit Places(bool right) : right_(right) {}
  std::string_view name() const override { return "searchsorted"; }

  void run(const CallRun& run) const override {
    int64_t n = run.inputs[0].layout->elements, count = run.inputs[1].layout->elements;
    if (count == 0) return;
    DType dtype = run.inputs[0].dtype;
    const char* sorted = run.inputs[0].data;
    const char* values = run.inputs[1].data;
    char* out = run.outputs[0].data;
    if (run.device.is_gpu()) {
      Kernel& kernel = search_kernel(context_on(run.device), dtype, "places_of");
      return launch(run, kernel, shape_for(count),
                    Parameters()
                        .add(sorted)
                        .add(static_cast<long long>(n))
                        .add(values)
                        .add(out)
                        .add(static_cast<long long>(count))
                        .add(static_cast<int>(right_)));
    }
    on_cpu(run, name(), count, [sorted, values, out, n, count, dtype, right = right_] {
      with_order(dtype, [&](auto order) {
        using O = decltype(order);
        const auto* all = reinterpret_cast<const typename O::Bits*>(sorted);
        const auto* wanted = reinterpret_cast<const typename O::Bits*>(values);
        auto* places = reinterpret_cast<int64_t*>(out);
        in_slices(
            count,
            [&](int64_t from, int64_t to) {
              for (int64_t i = from; i < to; ++i) places[i] = op::place_of<O>(all, n, O::key(wanted[i], true), right);
            },
            2048);
      });
    });
  }

 private:
  bool right_;
};

// ---- bincount

class Counts : public CallBody {
 public:
  std::string_view name() const override { return "bincount"; }
  bool keeps_operand(size_t i) const override { return i == 0; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {  // of the weights
    Pick pick{0, call.operands[0]};
    return {std::nullopt, take(*call.given[0], {&pick, 1})};
  }

  void run(const CallRun& run) const override {
    int64_t n = run.inputs[0].layout->elements, bins = run.outputs[0].layout->elements;
    if (bins == 0) return;
    const auto* numbers = reinterpret_cast<const int64_t*>(run.inputs[0].data);
    const char* weights = run.inputs.size() > 1 ? run.inputs[1].data : nullptr;
    char* out = run.outputs[0].data;
    if (run.device.is_gpu()) {
      Context& context = context_on(run.device);
      mark_used(run);
      context.fill(context.work_stream, out, 0, 0, 4, static_cast<size_t>(bins) * 2, 1);
      if (n == 0) return;
      Parameters packed;
      packed.add(numbers);
      if (weights) packed.add(weights);
      packed.add(static_cast<long long>(n)).add(out).add(static_cast<long long>(bins));
      LaunchShape shape = shape_for(n);
      if (!weights) shape.grid[0] = std::min(shape.grid[0], 132u * 8);
      return launch(
          run,
          kernel_of(context, TextOf::counting, "#include \"quern/search.cuh\"\nQUERN_COUNTING\n", weights ? "weigh" : "count"),
          shape, packed);
    }
    on_cpu(run, name(), n + bins, [=] {
      if (weights)
        add<double>(numbers, n, bins, reinterpret_cast<double*>(out),
                    [w = reinterpret_cast<const double*>(weights)](int64_t i) { return w[i]; });
      else
        add<int64_t>(numbers, n, bins, reinterpret_cast<int64_t*>(out), [](int64_t) { return int64_t{1}; });
    });
  }

 private:
  template <class T, class Weight>
  static void add(const int64_t* numbers, int64_t n, int64_t bins, T* out, Weight weight) {
    auto one = [&](int64_t from, int64_t to, T* sums) {
      for (int64_t i = from; i < to; ++i) {
        if (numbers[i] >= 0 && numbers[i] < bins) sums[numbers[i]] += weight(i);
      }
    };
    std::fill_n(out, bins, T{});
    // Weights in one go: the order in which they are added up is that of the numbers.
    constexpr int64_t slice = 1 << 18;
    if (std::is_same_v<T, double> || n < 2 * slice || bins > slice) return one(0, n, out);
    size_t slices = std::min<size_t>(static_cast<size_t>(n / slice), cpu_threads());
    std::vector<std::unique_ptr<T[]>> sums(slices);
    on_cpu_threads(slices, [&](size_t s) {
      sums[s] = std::make_unique<T[]>(static_cast<size_t>(bins));
      int64_t k = static_cast<int64_t>(s), all = static_cast<int64_t>(slices);
      one(n * k / all, n * (k + 1) / all, sums[s].get());
    });
    for (const auto& part : sums) {
      for (int64_t b = 0; b < bins; ++b) out[b] += part[static_cast<size_t>(b)];
    }
  }
};

}  // namespace

Array extreme_places(const Array& given, bool least) {
  GraphLock lock;
  if (given.rank() == 1 && given.size() > 0 && given.layout().strides[0] == 1) {
    tier0::RunPlace find = tier0::extreme_place(least, given.dtype());
    const bool is_in_vectors = tier0::extreme_place_in_vectors(least, given.dtype());
    if (const char* in = find ? at_hand(given, is_in_vectors ? share_of_loops / 2 : 4 * at_once) : nullptr) {
      static const auto* none = new LayoutRef(contiguous_layout({}));
      char* out;
      Array place = made_now(*none, DType::int64, out);
      *reinterpret_cast<int64_t*>(out) = find(in, given.size());
      return place;
    }
  }
  Shape shape = given.shape();
  if (!shape.empty()) shape.pop_back();
  // Of equal numbers the first.
  bool repeats = given.rank() > 0 && given.layout().strides.back() == 0;
  if (given.size() > 0 && (repeats || number_of(given)))
    return full(shape, Scalar{.kind = WeakScalar::integer}, DType::int64, given.device());
  Array array = in_c_order(given);
  CallResult result{shape, DType::int64};
  return record_call(std::make_shared<Extreme>(least), {&array, 1}, {&result, 1}, array.device())[0];
}

Array places_in(const Array& sorted, const Array& values, bool right) {
  GraphLock lock;
  Array operands[] = {in_c_order(sorted), in_c_order(values)};
  CallResult result{values.shape(), DType::int64};
  return record_call(std::make_shared<Places>(right), operands, {&result, 1}, sorted.device())[0];
}

Array counts_of(const Array& numbers, const Array* weights, int64_t bins) {
  GraphLock lock;
  std::vector<Array> operands{in_c_order(numbers, DType::int64)};
  if (weights) operands.push_back(in_c_order(*weights, DType::float64));
  CallResult result{{bins}, weights ? DType::float64 : DType::int64};
  return record_call(std::make_shared<Counts>(), operands, {&result, 1}, numbers.device())[0];
}

}  // namespace quern
