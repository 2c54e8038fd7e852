#include "graph/call.h"

#include "core/error.h"
#include "core/room.h"
#include "graph/calls_at_once.h"
#include "graph/tape.h"

namespace quern {

namespace {

constexpr int64_t tiny = 512;  // elements: done at once on the CPU

bool is_tiny(const Node& node) {
  if (node.device.is_gpu() || node.size() > tiny) return false;
  for (const Operand& o : node.call->operands) {
    if (!o.node->is_settled || o.layout->elements > tiny) return false;
  }
  for (const CallResult& result : node.call->more) {
    if (Layout::contiguous(result.shape).size() > tiny) return false;
  }
  return true;
}

NodeRef call_node(std::shared_ptr<const CallBody> body, DType dtype, LayoutRef layout, DeviceId device) {
  check_room(layout->elements, dtype, device);
  NodeRef node = new_node(Op::call, dtype, std::move(layout), device);
  node->site = current_site();
  node->call = std::make_unique<Call>();
  node->call->body = std::move(body);
  return node;
}

// A function on one device cannot read another's memory.
void check_devices(const CallBody& body, std::span<const Array> operands, DeviceId device) {
  if (body.crosses_devices()) return;
  for (const Array& array : operands) {
    if (array.device() != device)
      raise(ErrorKind::value, "[{}] the operands are on different devices; move one with to_device()", body.name());
  }
}

// Records the node, whose first result is its own value. With the graph's lock held.
std::vector<Array> recorded_call(const NodeRef& node, std::span<const CallResult> results) {
  node->call->more.assign(results.begin() + 1, results.end());
  graph.pending.add(*node);
  bool now = reads_exposed(*node) || calls_at_once;
  std::vector<Array> out{Array(node)};
  for (size_t i = 1; i < results.size(); ++i) {
    NodeRef part = new_node(Op::part, results[i].dtype, layout_of_result(results[i]), node->device);
    part->site = node->site;
    part->part = static_cast<uint8_t>(i);
    part->operands[0] = {node, node->layout, node->dtype};
    part->operand_count = 1;
    graph.pending.add(*part);
    out.emplace_back(std::move(part));
  }
  if (is_tiny(*node)) {
    std::vector<Node*> targets;
    for (const Array& array : out) targets.push_back(array.cell()->node.get());
    execute(Ask::done, targets);
    for (Node* target : targets) target->is_settled = true;
  } else if (now) {
    submit_now(*node);
  }
  recorded();
  return out;
}

}  // namespace

std::string_view Call::name() const {
  if (body) return body->name();
  return check->what == Check::For::range      ? "check_range"
         : check->what == Check::For::no_zeros ? "check_divisors"
                                               : "check_exponents";
}

std::vector<Array> record_call(std::shared_ptr<const CallBody> body, std::span<const Array> operands,
                               std::span<const CallResult> results, DeviceId device) {
  GraphLock lock;
  check_devices(*body, operands, device);
  NodeRef node = call_node(std::move(body), results[0].dtype, layout_of_result(results[0]), device);
  for (const Array& array : operands) node->call->operands.push_back(array.operand());
  std::shared_ptr<const CallBody> held = node->call->body;
  std::vector<Array> out = recorded_call(node, results);
  if (is_taping()) tape_call(held, node->site, operands, out);
  return out;
}

std::vector<std::optional<Array>> CallBody::gradients(const GradientCall&) const {
  raise(ErrorKind::not_implemented, "derivative for {} is not implemented; compute its gradient in an autograd.Function", name());
}

Array checked(const Array& values, const Check& check) {
  GraphLock lock;
  DType dtype = values.dtype();
  if (check.what == Check::For::range) {  // in the widest type of its kind
    const bool is_real = row(dtype).kind == DTypeKind::real;
    dtype = is_real ? DType::float64 : dtype == DType::uint64 ? DType::uint64 : DType::int64;
  }
  const CallResult result{values.shape(), dtype};
  NodeRef node = call_node(nullptr, dtype, layout_of_result(result), values.device());
  node->call->check = check;
  node->call->operands.push_back(in_c_order(values, dtype).operand());
  return recorded_call(node, {&result, 1})[0];
}

void record_call_into(std::shared_ptr<const CallBody> body, const Array& target, std::span<const Array> operands) {
  GraphLock lock;
  if (target.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
  check_devices(*body, operands, target.device());
  check_may_write(target);
  EntryRef entry = is_taping() ? tape_call_into(body, current_site(), target, operands) : EntryRef();
  Node* old = target.cell()->node.get();
  NodeRef node = call_node(std::move(body), old->dtype, old->layout, old->device);
  node->target = target.layout_ref();
  node->target_dtype = target.dtype();
  node->writes_exposed = target.is_exposed();
  node->call->in_place = true;
  node->call->operands.push_back({NodeRef(old), old->layout, old->dtype});
  for (const Array& array : operands) {
    bool changes = array.cell() != target.cell() && share_memory(*array.operand().node, *old);  // while the body writes
    node->call->operands.push_back((changes ? copied(array, array.dtype()) : array).operand());
  }
  if (node->writes_exposed && old->buffer) ++old->buffer.block()->writes;
  graph.pending.add(*node);
  replace(target.cell(), std::move(node));
  wrote(target, std::move(entry));
  if (calls_at_once) submit_now(*target.cell()->node);
  recorded();
}

LayoutRef layout_of_result(const CallResult& result) { return result.layout ? result.layout : contiguous_layout(result.shape); }

LayoutRef layout_like(const Array& array) {
  return array.layout_ref()->dense ? array.layout_ref() : contiguous_layout(array.shape());
}

Array in_c_order(const Array& array) {
  if (array.layout().is_contiguous()) return array;
  return in_c_order(array, array.dtype());
}

Array in_c_order(const Array& array, DType dtype) {
  if (array.dtype() == dtype && array.layout().is_contiguous()) return array;
  return copied(array, dtype);
}

Array evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, DType dtype, DeviceId device) {
  check_room(count, dtype, device);
  DType work = is_integer(dtype) ? DType::int64 : dtype;
  Array i = positions({count}, device);
  Argument times[] = {Argument(i), Argument(step)};
  Array scaled = elementwise(Op::multiply, times, nullptr, Loop{work, work});
  Argument sum[] = {Argument(scaled), Argument(start)};
  Array out = elementwise(Op::add, sum, nullptr, Loop{work, work});
  return work == dtype ? out : astype(out, dtype);
}

Array positions(const Shape& shape, DeviceId device) {
  GraphLock lock;
  NodeRef node = new_node(Op::index, DType::int64, contiguous_layout(shape), device);
  node->site = current_site();  // of its conversion to another dtype, too
  node->is_computed = node->is_settled = true;
  return Array(std::move(node));
}

}  // namespace quern
