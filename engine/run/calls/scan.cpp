// running(): on the CPU a row goes in tiles of fixed size, each started from what the earlier ones have, which is found from the
// tiles' own results in order; a row of one tile is done from its first element to its last. On a GPU see quern/scan.cuh.
#include "graph/device_functions.h"

#include "codegen/prelude/quern/scan_ops.cuh"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/call_launch.h"
#include "run/calls/formulas.h"
#include "run/calls/lines.h"
#include "run/calls/sorting.h"
#include "run/tier0.h"

namespace quern {

namespace {

constexpr int64_t tile = 8192;

enum class Takes { number, whole, truth };
struct ScanRow {
  std::string_view name;
  Takes takes;
};
#define SCANS(X)        \
  X(add, number)        \
  X(multiply, number)   \
  X(maximum, number)    \
  X(minimum, number)    \
  X(fmax, number)       \
  X(fmin, number)       \
  X(bitwise_and, whole) \
  X(bitwise_or, whole)  \
  X(bitwise_xor, whole) \
  X(logical_and, truth) \
  X(logical_or, truth)  \
  X(logical_xor, truth)
constexpr ScanRow rows_of_scans[] = {
#define X(name, takes) {#name, Takes::takes},
    SCANS(X)
#undef X
};

size_t number_of(std::string_view scan) {
  auto found = std::ranges::find(rows_of_scans, scan, &ScanRow::name);
  return static_cast<size_t>(found - std::begin(rows_of_scans));
}

constexpr bool takes(Takes what, DType dtype) {
  DTypeKind kind = row(dtype).kind;
  bool is_bool = kind == DTypeKind::boolean;
  return what == Takes::number ||
         (what == Takes::truth ? is_bool : is_bool || kind == DTypeKind::integer || kind == DTypeKind::natural);
}

template <class R, class T>
void scan_part(const T* in, T* out, int64_t n, const typename R::A* before) {
  using A = typename R::A;
  A sum = op::to<A>(in[0]);
  if (before) sum = R::both(*before, sum);
  out[0] = op::to<T>(sum);
  for (int64_t i = 1; i < n; ++i) {
    sum = R::both(sum, op::to<A>(in[i]));
    out[i] = op::to<T>(sum);
  }
}

template <class R, class T>
void scan_on_cpu(const char* data, char* result, int64_t rows, int64_t n) {
  using A = typename R::A;
  const T* in = reinterpret_cast<const T*>(data);
  T* out = reinterpret_cast<T*>(result);
  int64_t tiles = (n + tile - 1) / tile;
  if (tiles == 1) {
    for (int64_t r = 0; r < rows; ++r) scan_part<R, T>(in + r * n, out + r * n, n, nullptr);
    return;
  }
  auto sums = std::make_unique_for_overwrite<A[]>(static_cast<size_t>(rows * tiles));
  auto each = [&](auto&& f) {
    in_slices(
        rows * tiles,
        [&](int64_t from, int64_t to) {
          for (int64_t k = from; k < to; ++k)
            f(k, k % tiles, k / tiles * n + k % tiles * tile, std::min(tile, n - k % tiles * tile));
        },
        2);
  };
  each([&](int64_t k, int64_t t, int64_t place, int64_t count) {
    if (t == tiles - 1) return;
    A sum = op::to<A>(in[place]);
    for (int64_t i = 1; i < count; ++i) sum = R::both(sum, op::to<A>(in[place + i]));
    sums[static_cast<size_t>(k)] = sum;
  });
  for (int64_t r = 0; r < rows; ++r) {
    A* here = &sums[static_cast<size_t>(r * tiles)];
    for (int64_t t = 1; t < tiles - 1; ++t) here[t] = R::both(here[t - 1], here[t]);
  }
  each([&](int64_t k, int64_t t, int64_t place, int64_t count) {
    scan_part<R, T>(in + place, out + place, count, t > 0 ? &sums[static_cast<size_t>(k - 1)] : nullptr);
  });
}

// Lines that lie side by side, all at once: the same additions in the same order as scan_on_cpu() has them.
constexpr int64_t most_beside = 128;
template <class R, class T>
void scan_beside(const char* data, char* result, int64_t n, int64_t in_step, int64_t out_step, int64_t width) {
  using A = typename R::A;
  A sums[most_beside], carried[most_beside], own[most_beside];
  const T* in = reinterpret_cast<const T*>(data);
  T* out = reinterpret_cast<T*>(result);
  for (int64_t first = 0; first < n; first += tile) {
    int64_t end = std::min(first + tile, n);
    bool is_first = first == 0, is_last = end == n;
    for (int64_t k = first; k < end; ++k, in += in_step, out += out_step) {
      bool starts = k == first;
      for (int64_t w = 0; w < width; ++w) {
        A element = op::to<A>(in[w]);
        sums[w] = !starts ? R::both(sums[w], element) : is_first ? element : R::both(carried[w], element);
        out[w] = op::to<T>(sums[w]);
      }
      if (is_last) continue;
      for (int64_t w = 0; w < width; ++w) own[w] = starts ? op::to<A>(in[w]) : R::both(own[w], op::to<A>(in[w]));
    }
    if (is_last) break;
    for (int64_t w = 0; w < width; ++w) carried[w] = is_first ? own[w] : R::both(carried[w], own[w]);
  }
}

struct OnCpu {
  void (*rows)(const char*, char*, int64_t, int64_t) = nullptr;
  void (*beside)(const char*, char*, int64_t, int64_t, int64_t, int64_t) = nullptr;
};

template <DType dtype>
OnCpu function_for([[maybe_unused]] std::string_view name) {
  using T = typename HostType<dtype>::type;
#define X(op_name, what)                                                                                           \
  if constexpr (takes(Takes::what, dtype)) {                                                                       \
    if (name == #op_name) return {&scan_on_cpu<op::Scan_##op_name<T>, T>, &scan_beside<op::Scan_##op_name<T>, T>}; \
  }
  SCANS(X)
#undef X
  return {};
}

template <size_t... i>
OnCpu function_for(std::string_view name, DType dtype, std::index_sequence<i...>) {
  using Find = OnCpu (*)(std::string_view);
  static constexpr Find by_type[] = {&function_for<static_cast<DType>(i)>...};
  return by_type[static_cast<size_t>(dtype)](name);
}
OnCpu function_for(std::string_view name, DType dtype) {
  return function_for(name, dtype, std::make_index_sequence<dtype_count>{});
}

// Long rows are shared out in tiles, others row by row.
void scan_lines(OnCpu f, const Lines& lines, const char* in, char* out, size_t bytes, int64_t n) {
  if (lines.are_rows() && n > tile) return f.rows(in, out, lines.count(), n);
  if (lines.side_by_side() >= 4) {
    return lines.each_beside(in, bytes, out, bytes, most_beside, [&](const char* from, char* to, int64_t width) {
      f.beside(from, to, n, lines.in_step(), lines.out_step(), width);
    });
  }
  lines.each(
      in, bytes, out, bytes, [=](const char* from, char* to, int64_t rows) { f.rows(from, to, rows, n); },
      std::max<int64_t>(1, 16384 / n));
}

class Running : public CallBody {
 public:
  Running(std::string name, DType dtype, size_t axis)
      : name_(std::move(name)), scan_(number_of(name_)), on_cpu_(function_for(name_, dtype)), axis_(axis) {}
  std::string_view name() const override { return name_; }
  bool keeps_operand(size_t) const override { return name_ != "add"; }
  bool keeps_result(size_t) const override { return name_ != "add"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override;

  void run(const CallRun& run) const override {
    const CallView &view = run.inputs[0], &result = run.outputs[0];
    int64_t total = view.layout->elements;
    if (total == 0) return;
    int64_t n = view.shape()[axis_];
    const char* in = view.data;
    char* out = result.data;
    if (run.device.is_gpu()) return on_gpu(run, in, out, total / n, n);
    Lines lines(*view.layout, *result.layout, axis_);
    on_cpu(run, name(), total, [=, f = on_cpu_, bytes = size_of(view.dtype)] { scan_lines(f, lines, in, out, bytes, n); });
  }

 private:
  void on_gpu(const CallRun& run, const char* in, char* out, int64_t rows, int64_t n) const {
    Context& context = context_on(run.device);
    DType dtype = run.inputs[0].dtype;
    const uint64_t word = scan_ << 8 | static_cast<uint64_t>(dtype);
    auto kernel = [&](std::string_view name) -> Kernel& {
      return kernel_of(context, TextOf::scan, {&word, 1}, name, [&] {
        return formatted("#include \"quern/scan.cuh\"\nusing namespace quern;\ntypedef {} T;\nQUERN_SCAN({}, T)\n",
                         row(dtype).cuda, name_);
      });
    };
    LaunchShape shape;
    if (n <= 512 && rows > 1) {
      shape.block[0] = 256;
      shape.grid[0] = static_cast<uint32_t>((rows + 7) / 8);
      return launch(run, kernel("rows"), shape,
                    Parameters().add(in).add(out).add(static_cast<long long>(rows)).add(static_cast<int>(n)));
    }
    // As ScanTile has it.
    int64_t each = std::max<int64_t>(1, 16 / static_cast<int64_t>(size_of(dtype))), size = each * 4 * 512;
    int64_t tiles = (n + size - 1) / size;
    shape.block[0] = 512;
    shape.grid[0] = static_cast<uint32_t>(rows * tiles);
    std::vector<Buffer> used;
    void* sums = nullptr;
    if (tiles > 1) {
      used.push_back(temporary(run, static_cast<size_t>(rows * tiles) * std::max<size_t>(4, size_of(dtype))));
      sums = used[0].pointer();
      launch(run, kernel("sums"), shape,
             Parameters().add(in).add(sums).add(static_cast<long long>(n)).add(static_cast<int>(tiles)), used);
      LaunchShape carrying;
      carrying.block[0] = 1024;
      carrying.grid[0] = static_cast<uint32_t>(rows);
      launch(run, kernel("carries"), carrying, Parameters().add(sums).add(static_cast<int>(tiles)), used);
    }
    launch(run, kernel("tiles"), shape,
           Parameters().add(in).add(out).add(sums).add(static_cast<long long>(n)).add(static_cast<int>(tiles)), used);
  }

  std::string name_;
  size_t scan_;
  OnCpu on_cpu_;
  size_t axis_;
};

}  // namespace

bool has_scan(std::string_view op, DType dtype) {
  return std::ranges::any_of(rows_of_scans, [&](const ScanRow& r) { return r.name == op && takes(r.takes, dtype); });
}

Array running(const Array& given, std::string_view op, size_t axis) {
  GraphLock lock;
  if (!has_scan(op, given.dtype())) bug("a scan that is not there");
  LayoutRef layout = running_layout(given);
  if (const char* in = given.size() > 0 && !(is_taping() && wants_gradient(given)) ? at_hand(given) : nullptr) {
    char* out;
    Array sums = made_now(layout, given.dtype(), out);
    int64_t n = given.shape()[axis];
    OnCpu f = function_for(op, given.dtype());
    if (given.layout().is_contiguous() && layout->dense && axis + 1 == given.rank())
      f.rows(in, out, given.size() / n, n);
    else
      scan_lines(f, Lines(given.layout(), *layout, axis), in, out, size_of(given.dtype()), n);
    return sums;
  }
  bool on_gpu = given.device().is_gpu();  // which works on rows
  Array array = on_gpu ? in_rows(given, axis) : given;
  CallResult result{given.shape(), given.dtype(), on_gpu ? rows_of(given.shape(), axis) : layout};
  auto body = std::make_shared<Running>(std::string(op), given.dtype(), axis);
  return arranged(record_call(std::move(body), {&array, 1}, {&result, 1}, given.device())[0], layout);
}

// ---- derivatives

static Array sum_from_the_end(const Array& x, size_t axis) {
  return formulas::flipped(running(formulas::flipped(x, axis), "add", axis), axis);
}

std::vector<std::optional<Array>> Running::gradients(const GradientCall& call) const {
  using namespace formulas;
  const Array& g = *call.given[0];
  if (name_ == "add") return {sum_from_the_end(g, axis_)};
  const Array &x = call.operands[0], &y = call.results[0];
  if (name_ == "multiply" && WithSlopes::now() == Slopes::tensorflow) {  // which has no slope at zeros
    Array is_zero = equal(x, 0);
    return {where(is_zero, 0, sum_from_the_end(g * conj(y), axis_) / conj(where(is_zero, 1, x)))};
  }
  if (name_ == "multiply" && GradientMode::is_on()) {  // these are differentiated themselves: no branches, no quotients
    // As in PyTorch, without zeros it goes through the products, which may have hooks.
    Array factors = conj(x), is_zero = equal(x, 0);
    Array with_zeros = reduce(Reduction::any, is_zero, std::vector<bool>(x.rank(), true), false);
    Array by_factors = products_before(factors, axis_) * sums_of_products_behind(g, factors, axis_);
    Array by_products = sum_from_the_end(g * conj(y), axis_) / conj(where(is_zero, 1, x));
    return {where(with_zeros, by_factors, by_products)};
  }
  if (name_ == "multiply") {
    // In front of a line's first zero the products are divided by the factor; the first zero's own are those without it;
    // behind it all are zero.
    Array is_zero = equal(x, 0), zeros_so_far = running(astype(is_zero, DType::int64), "add", axis_);
    Array is_first = logical_and(is_zero, equal(zeros_so_far, 1));
    Array without_first = running(where(is_first, 1, x), "multiply", axis_);
    Array at_first = sum_from_the_end(g * conj(without_first), axis_);
    Array before = sum_from_the_end(g * conj(y), axis_) / conj(where(is_zero, 1, x));
    return {where(equal(zeros_so_far, 0), before, where(is_first, at_first, 0))};
  }
  // To where the extreme stood: of equal ones the last.
  Array stands = equal(x, y);
  if (row(x.dtype()).kind == DTypeKind::real || is_complex(x.dtype()))
    stands = logical_or(stands, logical_and(isnan(x), isnan(y)));
  Array places = where(stands, along(arange(x.shape()[axis_], x.device()), axis_, x.rank()), 0);
  return {scattered(g, running(places, "maximum", axis_), axis_, true)};
}

}  // namespace quern
