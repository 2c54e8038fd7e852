// The driver: which node is tiny, where its operands lie, and the loop that it takes (graph/tier0/loops.h). Start at run_tier0().
#include "run/tier0.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "device/check/checker.h"
#include "graph/records.h"
#include "graph/reduction_order.h"
#include "graph/tier0.h"
#include "graph/tier0/levels.h"
#include "graph/tier0/loops.h"
#include "run/element_walk.h"
#include "run/recompute.h"
#include "run/streams.h"

namespace quern {

using namespace tier0;

namespace {

// What is tiny: where a fused group would not be faster by more than its launch costs (docs/decisions/0006-tiny-work.md).
constexpr int64_t most_bytes = 8192;  // of an operand or a result
constexpr int64_t most_of_functions = 256, most_of_halves = 512;
constexpr int64_t most_reduced_bytes = 1 << 20;  // of an array that is reduced to one number as it lies
int64_t most_elements = tier0_limit;

// Those of the C library: fused groups have vectors of them.
bool is_function(const Node& node) {
  if (node.op >= Op{row_count}) return false;
  Cost cost = row(node.op).cost;
  bool whole = is_integer(node.compute) || node.compute == DType::boolean;
  if (is_in_vectors(node.op, node.compute)) return false;
  return cost == Cost::function || (cost == Cost::function_of_reals && !whole);
}

bool is_tiny(const Node& node, int64_t elements) {
  if (elements > most_elements) return false;
  static_assert(most_of_functions * size_of(DType::complex128) <= most_bytes);
  if (elements <= most_of_functions) return true;
  if (is_function(node)) return false;
  if (node.compute == DType::float16 || node.compute == DType::bfloat16) return elements <= most_of_halves;
  return elements * static_cast<int64_t>(std::max(size_of(node.dtype), size_of(node.compute))) <= most_bytes;
}

const char* memory_of(const Node& node) {
  return node.op == Op::constant ? node.constant.bytes.data() : static_cast<const char*>(node.buffer.pointer());
}

// The operand's elements, in C order and as type `to`.
void gather(const Operand& operand, const Layout& layout, DType to, char* out) {
  if (operand.node->op == Op::index) return gather_positions(layout, to, out);
  gather(memory_of(*operand.node), operand.dtype, layout, to, out);
}

// For operands that lie otherwise in memory or are of another type, and for a result before it goes to its place.
struct alignas(64) Scratch {
  char bytes[most_bytes];
};
thread_local std::array<Scratch, 4> scratch;

bool is_ready(const Operand& operand) {
  return operand.node->op == Op::constant || (operand.node->is_settled && !operand.node->error);
}

void run_row(Node& node) {
  int64_t n = node.size();
  std::array<In, 3> in;
  bool linear = true;  // everything lies in memory as the result does
  for (Operand& o : node.inputs()) {
    if (o.node->op != Op::constant && (!(o.layout == node.layout) || o.node->op == Op::index)) linear = false;
  }
  for (int i = 0; i < node.operand_count; ++i) {
    Operand& o = node.operands[i];
    DType wanted = operand_type(row(node.op), i, node.compute);
    if (o.node->op == Op::constant && o.dtype == wanted) {
      in[i] = {o.node->constant.bytes.data(), 0};
    } else if ((linear || o.layout->dense) && (linear || node.layout->dense) && o.dtype == wanted && o.node->op != Op::index) {
      in[i] = {memory_of(*o.node), 1};
    } else if (linear && o.node->op != Op::constant) {
      conversion(o.dtype, wanted)(memory_of(*o.node), 1, scratch[i].bytes, 1, n);
      in[i] = {scratch[i].bytes, 1};
    } else {
      gather(o, *o.layout, wanted, scratch[i].bytes);
      in[i] = {scratch[i].bytes, 1};
    }
  }
  RunLoop run = loop_of(node.op, node.compute);
  char* out = static_cast<char*>(node.buffer.pointer());
  if (linear || node.layout->dense) {
    run(in.data(), out, n);
  } else {
    run(in.data(), scratch[3].bytes, n);
    scatter(scratch[3].bytes, node.dtype, out, *node.layout, node.dtype);
  }
}

void run_update(Node& node, bool in_place) {
  Operand &old = node.operands[0], &value = node.operands[1];
  if (!in_place) std::memcpy(node.buffer.pointer(), old.node->buffer.pointer(), node.buffer.bytes());
  gather(value, *value.layout, node.target_dtype, scratch[0].bytes);
  scatter(scratch[0].bytes, node.target_dtype, static_cast<char*>(node.buffer.pointer()), *node.target, node.target_dtype);
}

// One number of all elements, as they lie in memory: in loops that need no memory beside.
bool is_whole_reduction(const Node& node) {
  const Operand& in = node.operands[0];
  return in.layout->dense && in.dtype == accumulator(node.reduction, node.compute) && in.dtype == node.dtype &&
         node.size() == 1 && in.node->op != Op::constant && in.node->op != Op::index;
}

// Chunks, then their results, in the order of kernels (graph/reduction_order.h).
void reduce_whole(Reduction what, DType type, const char* values, int64_t n, char* out) {
  RunExtreme extreme =
      what == Reduction::maximum || what == Reduction::minimum ? extreme_value(what == Reduction::minimum, type) : nullptr;
  if (extreme && n > 0 && extreme(values, n, out)) return;
  RunReduction run = reduction(what, type);
  if (n <= chunk_elements) return run(values, 1, n, out);
  constexpr int64_t most = most_reduced_bytes / chunk_elements + reduce_lanes + 1;
  alignas(64) char results[most * size_of(DType::complex128)], last[(reduce_lanes + 1) * size_of(DType::complex128)];
  const int64_t size = static_cast<int64_t>(size_of(type)), chunks = (n + chunk_elements - 1) / chunk_elements;
  // Lanes also where numbers are few: they begin with what a reduction of none gives.
  auto begin = [&](char* numbers, int64_t from) {
    for (int64_t i = from; i <= reduce_lanes; ++i) run(nullptr, 1, 0, numbers + i * size);
  };
  for (int64_t i = 0; i < chunks; ++i) {
    int64_t count = std::min(n - i * chunk_elements, chunk_elements);
    const char* chunk = values + i * chunk_elements * size;
    if (count <= reduce_lanes) {
      std::memcpy(last, chunk, static_cast<size_t>(count * size));
      begin(last, count);
      chunk = last;
      count = reduce_lanes + 1;
    }
    run(chunk, 1, count, results + i * size);
  }
  begin(results, chunks);
  run(results, 1, std::max(chunks, reduce_lanes + 1), out);
}

void run_reduction(Node& node) {
  const Operand& in = node.operands[0];
  DType work = accumulator(node.reduction, node.compute);
  if (is_whole_reduction(node)) {
    reduce_whole(node.reduction, work, memory_of(*in.node), in.layout->elements, static_cast<char*>(node.buffer.pointer()));
    return;
  }
  auto [order, results, count] = kept_first(node, in.shape());
  if (in.layout->elements > 0) gather(in, in.layout->transposed(order), work, scratch[0].bytes);
  char* out = static_cast<char*>(node.buffer.pointer());
  bool direct = work == node.dtype && node.layout->dense;
  char* to = direct ? out : scratch[1].bytes;
  reduction(node.reduction, work)(scratch[0].bytes, results, count, to);
  if (!direct) scatter(to, work, out, *node.layout, node.dtype);
}

// An array that is too large for tiny work, but is there: to read it takes less than a launch.
bool is_reduced_at_once(const Node& node) {
  if (node.op != Op::reduce || most_elements != tier0_limit || !is_whole_reduction(node)) return false;
  const int64_t bytes = node.operands[0].layout->elements * static_cast<int64_t>(size_of(node.dtype));
  switch (node.dtype) {
    case DType::int32:
    case DType::int64:
    case DType::float32:
    case DType::float64:
      return bytes <= most_reduced_bytes && level() != Level::baseline;
    default:
      return false;
  }
}

}  // namespace

void set_tier0_limit(int64_t elements) { most_elements = std::min(elements, tier0_limit); }

bool run_tier0(Node& node) {
  if (node.device.is_gpu() || node.op == Op::user || !is_tiny(node, node.size())) return false;
  for (const Operand& o : node.inputs()) {
    if (!is_ready(o)) return false;
    if (node.op != Op::update && !is_tiny(node, o.layout->elements) && !is_reduced_at_once(node)) return false;
  }
  bool in_place = false;
  if (node.op == Op::update) {
    if (!is_tiny(node, node.target->elements)) return false;
    // Nobody else holds the old value: its cell does, and this node.
    const Node& old = *node.operands[0].node;
    uint32_t here = node.operands[1].node.get() == &old ? 3 : 2;
    in_place = node.writes_exposed || (old.references <= 2 && old.cells <= 1);
    if (node.writes_exposed && old.references > here) return false;  // somebody is still to read it
  }
  for (const Operand& o : node.inputs()) {
    if (o.node->is_exposed() && !array_work_ended(cpu_context())) return false;  // kernels that know the address may be at work
  }
  // Memory without pending work can be read at any time; written only when nobody may be reading it.
  if (in_place && !array_work_ended(cpu_context())) {
    if (node.writes_exposed) return false;
    in_place = false;
  }
  size_t bytes = static_cast<size_t>(node.size()) * size_of(node.dtype);
  node.buffer = in_place ? node.operands[0].node->buffer : cpu_context().allocate(std::max<size_t>(bytes, 1), node.site);
  if (node.size() > 0) {
    if (node.op == Op::update) {
      run_update(node, in_place);
    } else if (node.op == Op::reduce) {
      run_reduction(node);
    } else {
      run_row(node);
    }
  }
  if (check::on()) {
    check::written(node.buffer.pointer(), node.buffer.bytes());
    if (check::options().nan) tell_if_not_finite(node);
  }
  for (const Operand& o : node.inputs()) add_deferred(node.deferred, o.node->deferred);
  node.is_computed = node.is_settled = true;
  node.drop_inputs();
  return true;
}

const char* at_hand(const Array& array, int64_t most) {
  if (is_record(array.dtype())) return nullptr;
  const Node& node = *array.cell()->node;
  if (node.device.is_gpu() || !node.is_settled || !node.buffer || node.error || !node.deferred.empty()) return nullptr;
  if (array.size() > most || most_elements != tier0_limit) return nullptr;
  if (node.is_exposed() && !array_work_ended(cpu_context())) return nullptr;  // kernels that know the address may be at work
  return static_cast<const char*>(node.buffer.pointer()) + offset_in_bytes(array);
}

Array made_now(LayoutRef layout, DType dtype, char*& memory) {
  ++graph.operations_recorded;
  NodeRef node = new_node(Op::data, dtype, std::move(layout), DeviceId::cpu());
  node->site = current_site();
  const size_t bytes = static_cast<size_t>(node->size()) * size_of(dtype);
  node->buffer = cpu_context().allocate(std::max<size_t>(bytes, 1), node->site);
  node->is_computed = node->is_settled = true;
  memory = static_cast<char*>(node->buffer.pointer());
  return Array(std::move(node));
}

}  // namespace quern
