#include "graph/tier0.h"

#include "graph/device_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace quern {

namespace {

int64_t limit = 512;

// ---- the loops: one for each op and type

constexpr bool takes(Typing typing, DType type) {
  DTypeKind kind = row(type).kind;
  bool is_bool = kind == DTypeKind::boolean, whole = kind == DTypeKind::integer || kind == DTypeKind::natural;
  bool is_real = kind == DTypeKind::real;
  switch (typing) {
    case Typing::number_no_bool:
      return !is_bool;
    case Typing::number_not_complex:
    case Typing::sign_test:
    case Typing::round:
      return kind != DTypeKind::complex;
    case Typing::real_of:
    case Typing::ratio:
      return !is_bool && !whole;
    case Typing::real_only:
      return is_real;
    case Typing::widest:
      return type == DType::float64 || type == DType::complex128;
    case Typing::integer:
      return is_bool || whole;
    case Typing::integer_no_bool:
    case Typing::integer_only:
    case Typing::count:
      return whole;
    case Typing::truth:
      return is_bool;
    case Typing::random:
      return type == DType::uint64;
    case Typing::seeded:
      return type == DType::float64;
    default:
      return true;
  }
}

// Element i of an operand is at data + i * step; a step is 0 or 1.
struct In {
  const void* data;
  int64_t step;
};
using RunLoop = void (*)(const In* in, void* out, int64_t n);

#define ROW(name, operands, typing, ...)                                                                     \
  struct Row_##name {                                                                                        \
    template <class A, class T>                                                                              \
    static auto run([[maybe_unused]] const A& a, [[maybe_unused]] const T& b, [[maybe_unused]] const T& c) { \
      return __VA_ARGS__;                                                                                    \
    }                                                                                                        \
  };
#include "graph/ops.def"
#undef ROW

template <class Row, int operands, class A, class T>
void loop(const In* in, void* out, int64_t n) {
  using R = decltype(Row::template run<A, T>(std::declval<A>(), std::declval<T>(), std::declval<T>()));
  R* to = static_cast<R*>(out);
  const A* a = static_cast<const A*>(in[0].data);
  if constexpr (operands == 1) {
    if (in[0].step) {
      for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(a[i], T(), T());
    } else {
      R value = Row::template run<A, T>(*a, T(), T());
      for (int64_t i = 0; i < n; ++i) to[i] = value;
    }
  } else if constexpr (operands == 2) {
    const T* b = static_cast<const T*>(in[1].data);
    if (in[0].step && in[1].step) {
      for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(a[i], b[i], T());
    } else if (in[0].step) {
      T value = *b;
      for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(a[i], value, T());
    } else {
      A value = *a;
      for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(value, b[i * in[1].step], T());
    }
  } else {
    const T *b = static_cast<const T*>(in[1].data), *c = static_cast<const T*>(in[2].data);
    for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(a[i * in[0].step], b[i * in[1].step], c[i * in[2].step]);
  }
}

template <class Row, int operands, Typing typing, DType dtype>
constexpr RunLoop loop_of() {
  if constexpr (takes(typing, dtype)) {
    using T = typename HostType<dtype>::type;
    using Seed = std::conditional_t<typing == Typing::seeded, unsigned long long, T>;
    using A = std::conditional_t<typing == Typing::choose, bool, Seed>;
    return &loop<Row, operands, A, T>;
  } else {
    return nullptr;
  }
}

using LoopsOfRow = std::array<RunLoop, dtype_count>;
template <class Row, int operands, Typing typing, size_t... types>
constexpr LoopsOfRow loops_of(std::index_sequence<types...>) {
  return {loop_of<Row, operands, typing, static_cast<DType>(types)>()...};
}

constexpr std::array<LoopsOfRow, row_count> loops{{
#define ROW(name, operands, typing, ...) loops_of<Row_##name, operands, Typing::typing>(std::make_index_sequence<dtype_count>()),
#include "graph/ops.def"
#undef ROW
}};

// ---- conversions between types and memory orders

using Convert = void (*)(const void* in, int64_t in_step, void* out, int64_t out_step, int64_t n);
template <DType from, DType to>
void convert(const void* in, int64_t in_step, void* out, int64_t out_step, int64_t n) {
  using From = typename HostType<from>::type;
  using To = typename HostType<to>::type;
  const From* a = static_cast<const From*>(in);
  To* b = static_cast<To*>(out);
  if (in_step == 1 && out_step == 1) {
    for (int64_t i = 0; i < n; ++i) b[i] = op::to<To>(a[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) b[i * out_step] = op::to<To>(a[i * in_step]);
  }
}
template <size_t... pairs>
constexpr std::array<Convert, sizeof...(pairs)> make_conversions(std::index_sequence<pairs...>) {
  return {&convert<static_cast<DType>(pairs / dtype_count), static_cast<DType>(pairs % dtype_count)>...};
}
constexpr auto conversions = make_conversions(std::make_index_sequence<dtype_count * dtype_count>());
Convert conversion(DType from, DType to) {
  return conversions[static_cast<size_t>(from) * dtype_count + static_cast<size_t>(to)];
}

// Walks an array in C order of its dimensions, a row of the last one at a time.
template <class F>
void for_rows(const Layout& layout, F&& f) {
  size_t rank = layout.rank();
  if (std::find(layout.shape.begin(), layout.shape.end(), 0) != layout.shape.end()) return;
  if (rank == 0) return f(layout.offset, int64_t{0}, int64_t{1});
  int64_t width = layout.shape[rank - 1], step = layout.strides[rank - 1];
  std::vector<int64_t> at(rank, 0);
  int64_t offset = layout.offset;
  for (int64_t row = 0;; ++row) {
    f(offset, step, width);
    size_t d = rank - 1;
    for (;; --d) {
      if (d == 0) return;
      offset += layout.strides[d - 1];
      if (++at[d - 1] < layout.shape[d - 1]) break;
      offset -= layout.strides[d - 1] * at[d - 1];
      at[d - 1] = 0;
    }
  }
}

const char* memory_of(const Node& node) {
  return node.op == Op::constant ? node.constant.bytes.data() : static_cast<const char*>(node.buffer.pointer());
}

// The operand's elements, in C order and as type `to`.
void gather(const Operand& operand, const Layout& layout, DType to, char* out) {
  const char* memory = memory_of(*operand.node);
  if (operand.node->op == Op::index) {
    for_rows(layout, [&](int64_t offset, int64_t step, int64_t width) {
      for (int64_t i = 0; i < width; ++i, out += size_of(to)) {
        int64_t position = offset + i * step;
        conversion(DType::int64, to)(&position, 1, out, 1, 1);
      }
    });
    return;
  }
  size_t from_size = size_of(operand.dtype), to_size = size_of(to);
  Convert run = conversion(operand.dtype, to);
  for_rows(layout, [&](int64_t offset, int64_t step, int64_t width) {
    run(memory + offset * static_cast<int64_t>(from_size), step, out, 1, width);
    out += width * static_cast<int64_t>(to_size);
  });
}

void scatter(const char* in, DType from, char* memory, const Layout& layout, DType to) {
  size_t from_size = size_of(from), to_size = size_of(to);
  Convert run = conversion(from, to);
  for_rows(layout, [&](int64_t offset, int64_t step, int64_t width) {
    run(in, 1, memory + offset * static_cast<int64_t>(to_size), step, width);
    in += width * static_cast<int64_t>(from_size);
  });
}

constexpr size_t most_bytes = 512 * 16;
struct alignas(64) Scratch {
  char bytes[most_bytes];
};

bool is_ready(const Operand& operand) {
  return operand.node->op == Op::constant || (operand.node->is_settled && !operand.node->error);
}

void run_row(Node& node) {
  int64_t n = node.size();
  thread_local std::array<Scratch, 4> scratch;
  std::array<In, 3> in;
  bool linear = true;  // everything lies in memory as the result does
  for (Operand& o : node.inputs()) {
    if (o.node->op != Op::constant && (!(o.space == node.space) || o.node->op == Op::index)) linear = false;
  }
  for (int i = 0; i < node.operand_count; ++i) {
    Operand& o = node.operands[i];
    DType wanted = operand_type(row(node.op), i, node.compute);
    if (o.node->op == Op::constant && o.dtype == wanted) {
      in[i] = {o.node->constant.bytes.data(), 0};
    } else if ((linear || o.space->contiguous) && (linear || node.space->contiguous) && o.dtype == wanted &&
               o.node->op != Op::index) {
      in[i] = {memory_of(*o.node), 1};
    } else if (linear && o.node->op != Op::constant) {
      conversion(o.dtype, wanted)(memory_of(*o.node), 1, scratch[i].bytes, 1, n);
      in[i] = {scratch[i].bytes, 1};
    } else {
      gather(o, o.space->layout, wanted, scratch[i].bytes);
      in[i] = {scratch[i].bytes, 1};
    }
  }
  RunLoop run = loops[static_cast<size_t>(node.op)][static_cast<size_t>(node.compute)];
  char* out = static_cast<char*>(node.buffer.pointer());
  if (linear || node.space->contiguous) {
    run(in.data(), out, n);
  } else {
    run(in.data(), scratch[3].bytes, n);
    scatter(scratch[3].bytes, node.dtype, out, node.space->layout, node.dtype);
  }
}

void run_update(Node& node, bool in_place) {
  Operand &old = node.operands[0], &value = node.operands[1];
  if (!in_place) std::memcpy(node.buffer.pointer(), old.node->buffer.pointer(), node.buffer.bytes());
  thread_local Scratch scratch;
  gather(value, value.space->layout, node.target_dtype, scratch.bytes);
  scatter(scratch.bytes, node.target_dtype, static_cast<char*>(node.buffer.pointer()), node.target->layout, node.target_dtype);
}

template <class R, class A>
A reduce_one(const A* values, int64_t count) {
  if (count <= op::reduce_lanes) {
    A sum = R::start();
    for (int64_t j = 0; j < count; ++j) sum = R::both(sum, values[j]);
    return sum;
  }
  A lanes[op::reduce_lanes];
  for (A& lane : lanes) lane = R::start();
  for (int64_t j = 0; j < count; ++j) lanes[j % op::reduce_lanes] = R::both(lanes[j % op::reduce_lanes], values[j]);
  for (int half = op::reduce_lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lanes[l] = R::both(lanes[l], lanes[l + half]);
  }
  return lanes[0];
}

template <template <class> class R, DType dtype>
void reduce_all(const char* values, int64_t results, int64_t count, char* out) {
  using T = typename HostType<dtype>::type;
  for (int64_t i = 0; i < results; ++i) {
    T value = reduce_one<R<T>, T>(reinterpret_cast<const T*>(values) + i * count, count);
    reinterpret_cast<T*>(out)[i] = value;
  }
}

using RunReduction = void (*)(const char* values, int64_t results, int64_t count, char* out);
template <template <class> class R, size_t... types>
constexpr std::array<RunReduction, sizeof...(types)> reductions_of(std::index_sequence<types...>) {
  return {&reduce_all<R, static_cast<DType>(types)>...};
}
constexpr auto all_types = std::make_index_sequence<dtype_count>();
constexpr std::array<std::array<RunReduction, dtype_count>, 4> reductions{
    {reductions_of<op::Sum>(all_types), reductions_of<op::Product>(all_types), reductions_of<op::Maximum>(all_types),
     reductions_of<op::Minimum>(all_types)}};

void run_reduction(Node& node) {
  const Operand& in = node.operands[0];
  // The kept dimensions first, then those that go, each in their order.
  std::vector<int> order;
  int64_t results = 1, count = 1;
  for (bool goes : {false, true}) {
    for (size_t i = 0; i < node.axes.size(); ++i) {
      if (node.axes[i] != goes) continue;
      order.push_back(static_cast<int>(i));
      (goes ? count : results) *= in.shape()[i];
    }
  }
  DType work = accumulator(node.reduction, node.compute);
  thread_local std::array<Scratch, 2> scratch;
  if (in.space->size > 0) gather(in, in.space->layout.transposed(order), work, scratch[0].bytes);
  char* out = static_cast<char*>(node.buffer.pointer());
  bool direct = work == node.dtype && node.space->contiguous;
  char* to = direct ? out : scratch[1].bytes;
  switch (node.reduction) {
    case Reduction::any:
      reduce_all<op::Any, DType::boolean>(scratch[0].bytes, results, count, to);
      break;
    case Reduction::all:
      reduce_all<op::All, DType::boolean>(scratch[0].bytes, results, count, to);
      break;
    default:
      reductions[static_cast<size_t>(node.reduction)][static_cast<size_t>(work)](scratch[0].bytes, results, count, to);
  }
  if (!direct) scatter(to, work, out, node.space->layout, node.dtype);
}

}  // namespace

void set_tier0_limit(int64_t elements) { limit = std::min<int64_t>(elements, 512); }

uint16_t tier0_half(double value, DType dtype) {
  return dtype == DType::float16 ? op::float16(value).__x : op::bfloat16(static_cast<float>(value)).__x;
}

bool run_tier0(Node& node, Evaluator& evaluator) {
  if (node.device >= 0 || node.size() > limit || node.op == Op::user) return false;
  for (const Operand& o : node.inputs()) {
    if (!is_ready(o)) return false;
    if (node.op != Op::update && o.space->size > limit) return false;
  }
  bool in_place = false;
  if (node.op == Op::update) {
    if (node.target->size > limit) return false;
    // Nobody else holds the old value: its cell does, and this node.
    const Node& old = *node.operands[0].node;
    uint32_t here = node.operands[1].node.get() == &old ? 3 : 2;
    in_place = node.writes_pinned || (old.references <= 2 && old.cells <= 1);
    if (node.writes_pinned && old.references > here) return false;  // somebody is still to read it
  }
  for (const Operand& o : node.inputs()) {
    if (o.node->is_pinned() && !evaluator.idle(node.device)) return false;  // kernels that know the address may be at work
  }
  // Settled memory can be read at any time; written only when nobody may be reading it.
  if (in_place && !evaluator.idle(node.device)) {
    if (node.writes_pinned) return false;
    in_place = false;
  }
  size_t bytes = static_cast<size_t>(node.size()) * size_of(node.dtype);
  node.buffer = in_place ? node.operands[0].node->buffer : evaluator.allocate(node.device, bytes, node.site);
  if (node.size() > 0) {
    if (node.op == Op::update) {
      run_update(node, in_place);
    } else if (node.op == Op::reduce) {
      run_reduction(node);
    } else {
      run_row(node);
    }
  }
  node.is_computed = node.is_settled = true;
  node.drop_inputs();
  return true;
}

}  // namespace quern
