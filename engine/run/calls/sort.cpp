// sorted() and sorted_places(). On the CPU a row is sorted by radix, a long one in parts that are merged; on a GPU see
// quern/sort.cuh. Both are stable, so the result is one whatever the number of threads.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "core/error.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/call_launch.h"
#include "run/calls/formulas.h"
#include "run/calls/lines.h"
#include "run/calls/order.h"
#include "run/calls/quicksort.h"
#include "run/calls/sorting.h"
#include "run/tier0.h"

namespace quern {

namespace {

// ---- the CPU

constexpr int64_t few = 256;       // sorted by comparing
constexpr int64_t many = 1 << 17;  // sorted in parts
struct NoPlace {};                 // where only values are sorted

template <class K, class P>
struct Run {  // keys, and the places that go with them
  K* keys;
  P* places;
  Run at(int64_t i) const { return {keys + i, places ? places + i : nullptr}; }
};

template <class K, class P>
void move(const Run<K, P>& from, int64_t i, const Run<K, P>& to, int64_t j) {
  to.keys[j] = from.keys[i];
  if constexpr (!std::is_same_v<P, NoPlace>) to.places[j] = from.places[i];
}

template <class K, class P>
void insertion_sort(const Run<K, P>& run, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    K key = run.keys[i];
    [[maybe_unused]] P place{};
    if constexpr (!std::is_same_v<P, NoPlace>) place = run.places[i];
    int64_t j = i;
    for (; j > 0 && key < run.keys[j - 1]; --j) move(run, j - 1, run, j);
    run.keys[j] = key;
    if constexpr (!std::is_same_v<P, NoPlace>) run.places[j] = place;
  }
}

// Merges the sorted a and b, of which equal keys of a come first: elements [from, to) of the result.
template <class K, class P>
void merge_part(const Run<K, P>& a, int64_t na, const Run<K, P>& b, int64_t nb, const Run<K, P>& out, int64_t from, int64_t to) {
  int64_t low = std::max<int64_t>(0, from - nb), high = std::min(from, na);
  while (low < high) {
    int64_t i = low + (high - low) / 2;
    if (!(b.keys[from - i - 1] < a.keys[i]))
      low = i + 1;
    else
      high = i;
  }
  int64_t i = low, j = from - low;
  for (int64_t k = from; k < to; ++k) {
    if (j >= nb || (i < na && !(b.keys[j] < a.keys[i])))
      move(a, i++, out, k);
    else
      move(b, j++, out, k);
  }
}

// Sorts `run`, with `other` as room; true: the result lies in `other`. `ranks`: the places that matter; none: all.
template <class K, class P>
bool sort_part(const Run<K, P>& run, const Run<K, P>& other, int64_t n, std::span<const int64_t> ranks = {}) {
  if constexpr (std::is_same_v<P, NoPlace> && sizeof(K) >= 4 && sizeof(K) <= 8) {
    using Bits = std::conditional_t<sizeof(K) == 4, uint32_t, uint64_t>;
    if (quicksort(reinterpret_cast<Bits*>(run.keys), reinterpret_cast<Bits*>(other.keys), n, ranks)) return false;
  }
  if (n <= few) {
    constexpr int64_t step = 16;
    for (int64_t i = 0; i < n; i += step) insertion_sort(run.at(i), std::min(step, n - i));
    Run<K, P> from = run, to = other;
    for (int64_t width = step; width < n; width *= 2) {
      for (int64_t i = 0; i < n; i += 2 * width) {
        int64_t na = std::min(width, n - i), nb = std::min(width, n - i - na);
        merge_part(from.at(i), na, from.at(i + na), nb, to.at(i), 0, na + nb);
      }
      std::swap(from, to);
    }
    return from.keys == other.keys;
  }
  constexpr int passes = sizeof(K);
  auto counts = std::make_unique<int64_t[]>(passes * 256);
  for (int64_t i = 0; i < n; ++i) {
    for (int pass = 0; pass < passes; ++pass) ++counts[static_cast<size_t>(pass * 256) + op::key_digit(run.keys[i], pass)];
  }
  Run<K, P> from = run, to = other;
  for (int pass = 0; pass < passes; ++pass) {
    int64_t* starts = &counts[static_cast<size_t>(pass) * 256];
    if (starts[op::key_digit(from.keys[0], pass)] == n) continue;  // all have the same digit
    for (int64_t digit = 0, sum = 0; digit < 256; ++digit) sum += std::exchange(starts[digit], sum);
    for (int64_t i = 0; i < n; ++i) move(from, i, to, starts[op::key_digit(from.keys[i], pass)]++);
    std::swap(from, to);
  }
  return from.keys == other.keys;
}

template <class K, class P>
bool sort_in_parts(const Run<K, P>& run, const Run<K, P>& other, int64_t n) {
  int64_t parts = static_cast<int64_t>(std::bit_floor(std::min(cpu_threads(), 64u)));
  if (n < many || parts < 2) return sort_part(run, other, n);
  auto start = [&](int64_t p) { return n * p / parts; };
  on_cpu_threads(static_cast<size_t>(parts), [&](size_t i) {
    int64_t from = start(static_cast<int64_t>(i)), count = start(static_cast<int64_t>(i) + 1) - from;
    if (!sort_part(run.at(from), other.at(from), count)) return;
    for (int64_t k = from; k < from + count; ++k) move(other, k, run, k);
  });
  Run<K, P> from = run, to = other;
  for (int64_t width = 1; width < parts; width *= 2) {
    int64_t pieces = 2 * width;  // of each merge: `parts` pieces of work in every round
    on_cpu_threads(static_cast<size_t>(parts), [&](size_t i) {
      int64_t piece = static_cast<int64_t>(i) % pieces, first = static_cast<int64_t>(i) - piece;
      int64_t begin = start(first), middle = start(first + width), end = start(first + 2 * width), size = end - begin;
      merge_part(from.at(begin), middle - begin, from.at(middle), end - middle, to.at(begin), size * piece / pieces,
                 size * (piece + 1) / pieces);
    });
    std::swap(from, to);
  }
  return from.keys == other.keys;
}

struct Sorting {
  bool places, descending;
  std::vector<int64_t> ranks = {};  // of values: the places that matter, in ascending order; none: all
};

// Rows that lie one behind the other.
template <class O, class P>
void sort_on_cpu(const char* in, char* out, int64_t n, int64_t rows, const Sorting& how, bool alone) {
  using K = typename O::Key;
  using Bits = typename O::Bits;
  constexpr bool with_places = !std::is_same_v<P, NoPlace>;
  size_t size = static_cast<size_t>(n);
  auto keys = std::make_unique_for_overwrite<K[]>(2 * size);
  auto places = std::make_unique_for_overwrite<P[]>(with_places ? 2 * size : 0);
  Run<K, P> run{keys.get(), with_places ? places.get() : nullptr}, other = run.at(n);
  auto each = [&](auto&& f) { alone ? in_slices(n, f) : f(0, n); };
  for (int64_t row = 0; row < rows; ++row) {
    const Bits* from = reinterpret_cast<const Bits*>(in) + row * n;
    each([&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        K key = O::key(from[i], with_places);
        run.keys[i] = how.descending ? op::inverse_key(key) : key;
        if constexpr (with_places) run.places[i] = static_cast<P>(i);
      }
    });
    bool in_other = alone ? sort_in_parts(run, other, n) : sort_part(run, other, n, how.ranks);
    const Run<K, P>& sorted = in_other ? other : run;
    each([&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (with_places)
          reinterpret_cast<int64_t*>(out)[row * n + i] = static_cast<int64_t>(sorted.places[i]);
        else
          reinterpret_cast<Bits*>(out)[row * n + i] = O::bits(how.descending ? op::inverse_key(sorted.keys[i]) : sorted.keys[i]);
      }
    });
  }
}

// All lines, by this thread and those that help it; `alone`: one after the other, each by all threads.
void sort_lines(const Lines& lines, const char* in, char* out, int64_t n, DType dtype, const Sorting& how) {
  with_order(dtype, [&](auto order) {
    using O = decltype(order);
    auto part = [&](const char* from, char* to, int64_t rows, bool alone) {
      if (!how.places) {
        if constexpr (O::has_bits) sort_on_cpu<O, NoPlace>(from, to, n, rows, how, alone);
      } else if (n <= INT64_C(0xffffffff)) {
        sort_on_cpu<O, uint32_t>(from, to, n, rows, how, alone);
      } else {
        sort_on_cpu<O, int64_t>(from, to, n, rows, how, alone);
      }
    };
    bool alone = how.ranks.empty() && n >= many && lines.count() < int64_t{cpu_threads()} * 2;
    lines.each(
        in, size_of(dtype), out, how.places ? sizeof(int64_t) : size_of(dtype),
        [&](const char* from, char* to, int64_t rows) { part(from, to, rows, alone); },
        alone ? lines.count() : std::max<int64_t>(1, 4096 / n));
  });
}

// ---- a GPU: the sizes that the kernels of quern/sort.cuh are made with, as measured on an H200

constexpr int64_t longest_part = int64_t{1} << 29;  // of a row in one launch: a pass counts with 30 bits

// Rows that a block or fewer threads sort on their own: as long as they fit into registers and shared memory.
constexpr int64_t longest_short_row(size_t key_bytes) { return key_bytes <= 4 ? 8192 : key_bytes == 8 ? 4096 : 2048; }
struct RowBlock {
  int threads, lanes, items;  // lanes 0: the whole block has one row
};
constexpr RowBlock row_block(size_t key_bytes, int64_t n) {
  return n <= 8      ? RowBlock{128, 4, 2}
         : n <= 32   ? RowBlock{128, 8, 4}
         : n <= 64   ? RowBlock{128, 8, 8}
         : n <= 128  ? RowBlock{128, 8, 16}
         : n <= 256  ? RowBlock{128, 16, 16}
         : n <= 512  ? (key_bytes <= 4 ? RowBlock{64, 0, 8} : RowBlock{128, 32, 16})
         : n <= 1024 ? RowBlock{128, 0, 8}
         : n <= 2048 ? RowBlock{128, 0, 16}
         : n <= 4096 ? RowBlock{256, 0, 16}
                     : RowBlock{384, 0, 22};
}

// A pass over long rows.
constexpr bool has_wide_counts(int64_t n) { return n > INT64_C(0xffffffff); }
struct PassBlock {
  int threads, items;
};
constexpr PassBlock pass_block(size_t key_bytes, bool places, int64_t n) {
  size_t widest = places && has_wide_counts(n) ? std::max<size_t>(key_bytes, 8) : key_bytes;
  return {384, widest <= 4 ? 23 : widest == 8 ? 15 : 7};
}

// What sort_text() depends on.
constexpr uint64_t sort_key(DType dtype, bool places, bool descending, int64_t n) {
  size_t key_bytes = size_of(dtype);
  bool is_long = n > longest_short_row(key_bytes);
  PassBlock pass = pass_block(key_bytes, places, n);
  RowBlock row = is_long ? RowBlock{pass.threads, 0, pass.items} : row_block(key_bytes, n);
  uint64_t flags = uint64_t{places} | uint64_t{descending} << 1 | uint64_t{is_long} << 2 | uint64_t{has_wide_counts(n)} << 3;
  return static_cast<uint64_t>(dtype) | flags << 8 | static_cast<uint64_t>(row.threads) << 16 |
         static_cast<uint64_t>(row.lanes) << 32 | static_cast<uint64_t>(row.items) << 40;
}

// ---- the call

class Sort : public CallBody {
 public:
  Sort(const Sorting& how, size_t axis) : how_(how), axis_(axis) {}
  std::string_view name() const override { return how_.places ? "argsort" : "sort"; }
  bool keeps_operand(size_t) const override { return !how_.places; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {  // back to where the values came from
    return {formulas::scattered(*call.given[0], sorted_places(call.operands[0], how_.descending, axis_), axis_, false)};
  }

  void run(const CallRun& run) const override {
    const CallView& view = run.inputs[0];
    int64_t total = view.layout->elements;
    if (total == 0) return;
    int64_t n = view.shape()[axis_];
    if (run.device.is_gpu()) return on_gpu(run, total / n, n);
    const char* in = view.data;
    char* out = run.outputs[0].data;
    Lines lines(*view.layout, *run.outputs[0].layout, axis_);
    on_cpu(run, name(), total,
           [in, out, n, lines, dtype = view.dtype, how = how_] { sort_lines(lines, in, out, n, dtype, how); });
  }

 private:
  void on_gpu(const CallRun& run, int64_t rows, int64_t n) const {
    DType dtype = run.inputs[0].dtype;
    if (n > longest_short_row(size_of(dtype))) return long_rows(run, rows, n);
    RowBlock block = row_block(size_of(dtype), n);
    int64_t held = block.lanes ? block.threads / block.lanes : 1;
    LaunchShape shape;
    shape.block[0] = static_cast<uint32_t>(block.threads);
    shape.grid[0] = static_cast<uint32_t>((rows + held - 1) / held);
    const void* none = nullptr;
    char* out = run.outputs[0].data;
    Parameters packed;
    packed.add(run.inputs[0].data).add(how_.places ? none : out).add(how_.places ? out : none);
    packed.add(static_cast<long long>(rows)).add(static_cast<int>(n));
    launch(run, kernel(context_on(run.device), dtype, n, "rows"), shape, packed);
  }

  Kernel& kernel(Context& context, DType dtype, int64_t n, std::string_view name) const {
    auto text = [&] { return sort_text(dtype, how_.places, how_.descending, n); };
    const uint64_t word = sort_key(dtype, how_.places, how_.descending, n);
    return kernel_of(context, TextOf::sort, {&word, 1}, name, text, true);
  }

  // What quern/sort.cuh calls a SortPass.
  struct Pass {
    const void* starts;
    void* next_starts;
    void* look_back;
    void* tickets;
    long long n, begin;
    int held, tiles, starts_step, pass;
  };

  // How long rows are sorted: where everything lies in the scratch memory, and the steps.
  //
  // Counts of all passes come first; then, for each pass and part, words to look back in and a ticket for each row. These lie
  // together where they are few, and are cleared once; else every launch clears the same ones. The passes go to and fro between
  // two arrays; sorted values can use the result as one of them. It is one piece: to allocate and to mark as used costs the host
  // more than a small sort costs the GPU.
  struct LongRows {
    LongRows(int64_t rows, int64_t n, DType dtype, bool places) : rows(rows), n(n) {
      size_t key_bytes = size_of(dtype), elements = static_cast<size_t>(rows * n);
      passes = static_cast<int>(key_bytes);
      threads = pass_block(key_bytes, places, n).threads;
      tile = int64_t{threads} * pass_block(key_bytes, places, n).items;
      part = std::min<int64_t>((longest_part / tile) * tile, n);
      parts = (n + part - 1) / part;
      int64_t tiles = (part + tile - 1) / tile;
      count_bytes = has_wide_counts(n) ? 8 : 4;
      counts_bytes = static_cast<size_t>(rows * passes) * 256 * count_bytes;
      words_bytes = static_cast<size_t>(rows * tiles * 256 + tickets()) * 4;
      at_once = words_bytes * static_cast<size_t>(passes) <= size_t{4} << 20;
      place(counts_bytes + words_bytes * static_cast<size_t>(at_once ? passes : 1));
      for (int k = 0; k < 2; ++k) {
        if (parts > 1) next_at[k] = place(static_cast<size_t>(rows) * 256 * count_bytes);
        if (passes > 1 && (places || k == 0)) keys_at[k] = place(elements * key_bytes);
        if (passes > 1 && places) places_at[k] = place(elements * count_bytes);
      }
    }
    size_t place(size_t bytes) { return std::exchange(end, end + (bytes + 255) / 256 * 256); }
    int64_t tickets() const { return (rows + 3) / 4 * 4; }
    size_t cleared_first() const { return counts_bytes + (at_once ? words_bytes * static_cast<size_t>(passes) : 0); }
    size_t words_of(int pass) const { return counts_bytes + (at_once ? static_cast<size_t>(pass) * words_bytes : 0); }

    int64_t rows, n, tile = 0, part = 0, parts = 0;
    int passes = 0, threads = 0;
    bool at_once = false;
    size_t count_bytes = 0, counts_bytes = 0, words_bytes = 0, end = 0;
    size_t next_at[2] = {}, keys_at[2] = {}, places_at[2] = {};
  };

  void long_rows(const CallRun& run, int64_t rows, int64_t n) const {
    DType dtype = run.inputs[0].dtype;
    LongRows plan(rows, n, dtype, how_.places);
    Buffer scratch = temporary(run, plan.end);
    char* memory = static_cast<char*>(scratch.pointer());
    clear(run, scratch, memory, plan.cleared_first());
    const char* from = run.inputs[0].data;
    if (row(dtype).kind == DTypeKind::complex) {
      launch(run, kernel(context_on(run.device), dtype, n, "keys"), shape_for(rows * n),
             Parameters().add(from).add(memory + plan.keys_at[1]).add(static_cast<long long>(rows * n)), {&scratch, 1});
      from = memory + plan.keys_at[1];
    }
    count(run, plan, from, scratch);
    const void* from_places = nullptr;
    for (int pass = 0; pass < plan.passes; ++pass) {
      bool last = pass == plan.passes - 1;
      void* to = run.outputs[0].data;
      void* to_places = nullptr;
      if (how_.places) {
        to = last ? nullptr : memory + plan.keys_at[pass % 2];
        to_places = last ? nullptr : memory + plan.places_at[pass % 2];
      } else if (!last && pass % 2 == 0) {  // an even number of passes, or one: the last ends in the result
        to = memory + plan.keys_at[0];
      }
      sort_pass(run, plan, pass, {from, to, from_places, to_places}, scratch);
      from = static_cast<const char*>(to);
      from_places = to_places;
    }
  }

  static void clear(const CallRun& run, const Buffer& scratch, char* from, size_t bytes) {
    Context& context = context_on(run.device);
    use_on(context.work_stream, *scratch.block(), true);
    context.fill(context.work_stream, from, 0, 0, 4, bytes / 4, 1);
  }

  // How often each digit of each pass comes in each row, and from that where its elements go.
  void count(const CallRun& run, const LongRows& plan, const char* from, const Buffer& scratch) const {
    Context& context = context_on(run.device);
    DType dtype = run.inputs[0].dtype;
    LaunchShape counting;
    counting.block[0] = 128;
    counting.grid[1] = static_cast<uint32_t>(std::min<int64_t>(plan.rows, 65535));
    counting.grid[0] = static_cast<uint32_t>(std::clamp<int64_t>(plan.n / 4096, 1, std::max<int64_t>(1, 2112 / plan.rows)));
    launch(
        run, kernel(context, dtype, plan.n, "counts"), counting,
        Parameters().add(from).add(scratch.pointer()).add(static_cast<long long>(plan.n)).add(static_cast<long long>(plan.rows)),
        {&scratch, 1});
    LaunchShape starting;
    starting.block[0] = 256;
    starting.grid[0] = static_cast<uint32_t>(plan.rows * plan.passes);
    launch(run, kernel(context, dtype, plan.n, "starts"), starting, Parameters().add(scratch.pointer()), {&scratch, 1});
  }

  struct Moved {  // by one pass
    const void* from;
    void* to;
    const void* from_places;
    void* to_places;
  };

  void sort_pass(const CallRun& run, const LongRows& plan, int pass, const Moved& moved, const Buffer& scratch) const {
    Kernel& sorting = kernel(context_on(run.device), run.inputs[0].dtype, plan.n, "pass");
    char* memory = static_cast<char*>(scratch.pointer());
    char* words = memory + plan.words_of(pass);
    Pass p{};
    p.starts = memory + static_cast<size_t>(pass) * 256 * plan.count_bytes;
    p.starts_step = plan.passes * 256;
    p.n = plan.n;
    p.pass = pass;
    p.tickets = words;
    p.look_back = words + static_cast<size_t>(plan.tickets()) * 4;
    for (int64_t k = 0; k < plan.parts; ++k) {
      if (!plan.at_once) clear(run, scratch, words, plan.words_bytes);
      p.begin = k * plan.part;
      p.held = static_cast<int>(std::min<int64_t>(plan.part, plan.n - p.begin));
      p.tiles = static_cast<int>((p.held + plan.tile - 1) / plan.tile);
      p.next_starts = k + 1 < plan.parts ? memory + plan.next_at[k % 2] : nullptr;
      LaunchShape shape;
      shape.block[0] = static_cast<uint32_t>(plan.threads);
      shape.grid[0] = static_cast<uint32_t>(plan.rows * p.tiles);
      Parameters packed;
      packed.add(p).add(moved.from).add(moved.to);
      if (how_.places) {
        void* result = pass == plan.passes - 1 ? run.outputs[0].data : nullptr;
        packed.add(moved.from_places).add(moved.to_places).add(static_cast<int>(pass == 0)).add(result);
      }
      launch(run, sorting, shape, packed, {&scratch, 1});
      p.starts = p.next_starts;
      p.starts_step = 256;
    }
  }
  Sorting how_;
  size_t axis_;
};

// NumPy sorts a copy, and puts places into C order.
Array recorded_sort(const Array& given, const Sorting& how, size_t axis) {
  GraphLock lock;
  const bool places = how.places;
  DType type = places ? DType::int64 : given.dtype();
  LayoutRef layout = places ? layout_like(given) : copied_layout(given);
  bool is_recorded = !places && is_taping() && wants_gradient(given);
  if (const char* in = given.size() > 0 && !is_recorded ? at_hand(given) : nullptr) {
    char* out;
    Array result = made_now(layout, type, out);
    sort_lines(Lines(given.layout(), *layout, axis), in, out, given.shape()[axis], given.dtype(), how);
    return result;
  }
  bool on_gpu = given.device().is_gpu();  // which works on rows
  Array array = on_gpu ? in_rows(given, axis) : given;
  CallResult result{given.shape(), type, on_gpu ? rows_of(given.shape(), axis) : layout};
  auto body = std::make_shared<Sort>(how, axis);
  return arranged(record_call(std::move(body), {&array, 1}, {&result, 1}, given.device())[0], layout);
}

}  // namespace

std::string sort_text(DType dtype, bool places, bool descending, int64_t n) {
  std::string text = formatted("#include \"quern/sort.cuh\"\ntypedef quern::op::{} Order;\n", order_type(dtype));
  size_t key_bytes = size_of(dtype);
  if (n > longest_short_row(key_bytes)) {
    PassBlock block = pass_block(key_bytes, places, n);
    return text + formatted("QUERN_SORT_{}(Order, {}, {}, {}, {})\n", places ? "PLACES" : "VALUES", descending,
                            has_wide_counts(n) ? "unsigned long long" : "unsigned int", block.threads, block.items);
  }
  RowBlock block = row_block(key_bytes, n);
  if (block.lanes)
    return text + formatted("QUERN_SORT_SHORT(Order, {}, {}, {}, {}, {})\n", places, descending, block.threads, block.lanes,
                            block.items);
  return text + formatted("QUERN_SORT_BLOCK(Order, {}, {}, {}, {})\n", places, descending, block.threads, block.items);
}

Array sorted(const Array& array, bool descending, size_t axis) { return recorded_sort(array, {false, descending}, axis); }
Array sorted_places(const Array& array, bool descending, size_t axis) { return recorded_sort(array, {true, descending}, axis); }
Array sorted_at(const Array& array, std::vector<int64_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  return recorded_sort(array, {false, false, std::move(ranks)}, array.rank() - 1);
}

}  // namespace quern
