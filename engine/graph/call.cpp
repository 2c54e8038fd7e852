#include "graph/call.h"

#include "core/error.h"
#include "graph/tier0.h"

namespace quern {

namespace {

constexpr int64_t tiny = 512;  // elements: done at once on the CPU

bool is_tiny(const Node& node) {
  if (node.device >= 0 || node.size() > tiny) return false;
  for (const Operand& o : node.call->operands) {
    if (!o.node->is_settled || o.space->size > tiny) return false;
  }
  for (const CallResult& result : node.call->more) {
    if (Layout::contiguous(result.shape).size() > tiny) return false;
  }
  return true;
}

NodeRef call_node(std::shared_ptr<const CallBody> body, DType dtype, SpaceRef space, int8_t device) {
  NodeRef node = new_node(Op::call, dtype, std::move(space), device);
  node->site = current_site();
  node->call = std::make_unique<Call>();
  node->call->body = std::move(body);
  return node;
}

// A function on one device cannot read another's memory.
void check_devices(const CallBody& body, std::span<const Array> operands, int8_t device) {
  if (body.crosses_devices()) return;
  for (const Array& array : operands) {
    if (array.device() != device)
      raise(ErrorKind::value, "[{}] the operands are on different devices; move one with to_device()", body.name());
  }
}

}  // namespace

std::vector<Array> record_call(std::shared_ptr<const CallBody> body, std::span<const Array> operands,
                               std::span<const CallResult> results, int8_t device) {
  GraphLock lock;
  check_devices(*body, operands, device);
  NodeRef node = call_node(std::move(body), results[0].dtype, space_of_result(results[0]), device);
  for (const Array& array : operands) node->call->operands.push_back(array.operand());
  node->call->more.assign(results.begin() + 1, results.end());
  graph.pending.add(*node);
  bool now = reads_pinned(*node);
  std::vector<Array> out{Array(node)};
  for (size_t i = 1; i < results.size(); ++i) {
    NodeRef part = new_node(Op::part, results[i].dtype, space_of_result(results[i]), device);
    part->site = node->site;
    part->part = static_cast<uint8_t>(i);
    part->operands[0] = {node, node->space, node->dtype};
    part->operand_count = 1;
    graph.pending.add(*part);
    out.emplace_back(std::move(part));
  }
  if (is_tiny(*node)) {
    std::vector<Node*> targets;
    for (const Array& array : out) targets.push_back(array.cell()->node.get());
    evaluator().evaluate(targets);
    if (!evaluator().idle(device)) evaluator().finish(device);
    for (Node* target : targets) target->is_settled = true;
  } else if (now) {
    submit_now(*node);
  }
  recorded();
  return out;
}

void record_call_into(std::shared_ptr<const CallBody> body, const Array& target, std::span<const Array> operands) {
  GraphLock lock;
  if (target.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
  check_devices(*body, operands, target.device());
  Node* old = target.cell()->node.get();
  NodeRef node = call_node(std::move(body), old->dtype, old->space, old->device);
  node->target = target.space();
  node->target_dtype = target.dtype();
  node->writes_pinned = target.is_pinned();
  node->call->in_place = true;
  node->call->operands.push_back({NodeRef(old), old->space, old->dtype});
  for (const Array& array : operands) {
    bool changes = array.cell() != target.cell() && share_memory(*array.operand().node, *old);  // while the body writes
    node->call->operands.push_back((changes ? copied(array, array.dtype()) : array).operand());
  }
  graph.pending.add(*node);
  replace(target.cell(), std::move(node));
  recorded();
}

const char* at_hand(const Array& array, int64_t most) {
  const Node& node = *array.cell()->node;
  if (node.device >= 0 || !node.is_settled || !node.buffer || node.error || !node.doubts.empty()) return nullptr;
  if (array.size() > most || !is_tier0_whole()) return nullptr;
  if (node.is_pinned() && !evaluator().idle(node.device)) return nullptr;  // kernels that know the address may be at work
  return static_cast<const char*>(node.buffer.pointer()) + array.layout().offset * static_cast<int64_t>(size_of(array.dtype()));
}

Array made_now(SpaceRef space, DType dtype, char*& memory) {
  constexpr int8_t cpu = -1;
  NodeRef node = new_node(Op::data, dtype, std::move(space), cpu);
  node->site = current_site();
  node->buffer = evaluator().allocate(cpu, static_cast<size_t>(node->size()) * size_of(dtype), node->site);
  node->is_computed = node->is_settled = true;
  memory = static_cast<char*>(node->buffer.pointer());
  return Array(std::move(node));
}

SpaceRef space_of_result(const CallResult& result) { return result.space ? result.space : contiguous_space(result.shape); }

SpaceRef space_like(const Array& array) { return array.space()->contiguous ? array.space() : contiguous_space(array.shape()); }

Array in_c_order(const Array& array) {
  if (array.layout().is_contiguous()) return array;
  return in_c_order(array, array.dtype());
}

Array in_c_order(const Array& array, DType dtype) {
  if (array.dtype() == dtype && array.layout().is_contiguous()) return array;
  return copied(array, dtype);
}

Array evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, DType dtype, int8_t device) {
  DType work = is_integer(dtype) ? DType::int64 : dtype;
  Array i = positions({count}, device);
  Argument times[] = {Argument(i), Argument(step)};
  Array scaled = elementwise(Op::multiply, times, nullptr, Loop{work, work});
  Argument sum[] = {Argument(scaled), Argument(start)};
  Array out = elementwise(Op::add, sum, nullptr, Loop{work, work});
  return work == dtype ? out : astype(out, dtype);
}

Array positions(const Shape& shape, int8_t device) {
  GraphLock lock;
  NodeRef node = new_node(Op::index, DType::int64, contiguous_space(shape), device);
  node->is_computed = node->is_settled = true;
  return Array(std::move(node));
}

}  // namespace quern
