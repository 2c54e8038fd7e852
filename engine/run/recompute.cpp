#include "run/recompute.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "device/check/checker.h"
#include "run/element_walk.h"

namespace quern {

namespace {

constexpr int64_t most_work = int64_t{1} << 26;  // elements times nodes; larger groups are not recomputed

bool is_real(DType type) { return row(type).kind == DTypeKind::real || is_complex(type); }

double tolerance(DType type) {
  switch (type) {
    case DType::float64:
    case DType::complex128:
      return 1e-9;
    case DType::float32:
    case DType::complex64:
      return 1e-4;
    default:
      return 2e-2;
  }
}

// Functions with steps: what differs in its last digit may be on either side.
bool has_steps(const Node& node) {
  static const std::set<std::string_view> names = {
      "floor",     "ceil",     "trunc",     "rint", "round",   "sign",       "remainder",    "fmod",      "floor_divide",
      "heaviside", "copysign", "equal",     "less", "greater", "less_equal", "signbit",      "not_equal", "isfinite",
      "isinf",     "isnan",    "nextafter", "modf", "divmod",  "spacing",    "greater_equal"};
  return names.contains(name_of(node.op)) || (!is_real(node.dtype) && node.op < Op::constant);
}

// A real part and, of complex numbers, an imaginary one: as doubles.
std::vector<double> as_doubles(const char* memory, DType type, int64_t n) {
  if (is_complex(type)) {
    n *= 2;
    type = type == DType::complex64 ? DType::float32 : DType::float64;
  }
  std::vector<double> out(static_cast<size_t>(n));
  tier0::conversion(type, DType::float64)(memory, 1, out.data(), 1, n);
  return out;
}

void tell(check::Kind kind, const Node& node, int64_t where, double first, double second) {
  check::Finding found;
  found.kind = kind;
  found.work = std::string(name_of(node.op)), found.launch = node.site;
  found.offset = where, found.size = static_cast<uint64_t>(node.size());
  found.first = std::bit_cast<int64_t>(first), found.second = std::bit_cast<int64_t>(second);
  check::tell(std::move(found));
}

template <class Gather>
void find_not_finite(const Node& node, const char* memory, Gather&& gather) {
  if (node.op >= Op{row_count} || row(node.dtype).kind != DTypeKind::real || node.size() == 0) return;
  std::vector<double> results(static_cast<size_t>(node.size()));
  ::quern::gather(memory, node.dtype, *node.layout, DType::float64, reinterpret_cast<char*>(results.data()));
  if (std::all_of(results.begin(), results.end(), [](double x) { return std::isfinite(x); })) return;
  std::vector<std::vector<double>> operands;
  for (int i = 0; i < node.operand_count; ++i) {
    if (is_complex(node.operands[i].dtype)) return;
    operands.emplace_back(results.size());
    gather(node.operands[i], DType::float64, reinterpret_cast<char*>(operands.back().data()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (std::isfinite(results[i])) continue;
    if (operands.empty() || !std::all_of(operands.begin(), operands.end(), [&](const auto& o) { return std::isfinite(o[i]); }))
      continue;
    return tell(check::Kind::not_finite, node, static_cast<int64_t>(i), results[i], operands.back()[i]);
  }
}

}  // namespace

Recomputed::Recomputed(const Group& group) : group_(group) {
  int64_t work = 0;
  for (const Node* node : group.nodes) {
    work += node->size();
    for (int i = 0; i < node->operand_count; ++i) work += node->operands[i].layout->elements;
  }
  if (work > most_work) return;
  is_done_ = true;
  for (const Node* node : group.nodes) {
    Value& value = values_[node];
    value.bytes.resize(static_cast<size_t>(node->size()) * size_of(node->dtype));
    note(*node, value);
    if (!value.is_known) continue;
    compute(*node, value);
    if (is_real(node->dtype))
      for (double x : as_doubles(value.bytes.data(), node->dtype, node->size()))
        if (std::isfinite(x)) largest_ = std::max(largest_, std::abs(x));
    if (value.is_known && check::options().nan)
      find_not_finite(*node, value.bytes.data(), [&](const Operand& o, DType to, char* out) { gather_operand(o, to, out); });
  }
}

const char* Recomputed::memory_of(const Node& node) const {
  if (auto found = values_.find(&node); found != values_.end()) return found->second.bytes.data();
  return node.op == Op::constant ? node.constant.bytes.data() : static_cast<const char*>(node.buffer.pointer());
}

void Recomputed::gather_operand(const Operand& operand, DType to, char* out) const {
  if (operand.node->op == Op::index) return gather_positions(*operand.layout, to, out);
  gather(memory_of(*operand.node), operand.dtype, *operand.layout, to, out);
}

// What is known of a value before it is computed.
void Recomputed::note(const Node& node, Value& out) {
  bool has_loop =
      node.op == Op::update || node.op == Op::reduce || (node.op < Op{row_count} && tier0::loop_of(node.op, node.compute));
  out.is_known = has_loop;
  bool rounded_before = false;
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& o = node.operands[i];
    if (auto found = values_.find(o.node.get()); found != values_.end()) {
      out.is_known = out.is_known && found->second.is_known;
      out.is_doubtful = out.is_doubtful || found->second.is_doubtful;
      rounded_before = rounded_before || found->second.is_rounded;
    } else if (is_real(o.dtype) && o.node->op != Op::index && out.is_known) {
      std::vector<char> elements(static_cast<size_t>(o.layout->elements) * size_of(o.dtype));
      gather_operand(o, o.dtype, elements.data());
      for (double x : as_doubles(elements.data(), o.dtype, o.layout->elements))
        if (std::isfinite(x)) largest_ = std::max(largest_, std::abs(x));
    }
  }
  out.is_rounded = rounded_before || (is_real(node.dtype) && node.op != Op::update);
  out.is_doubtful = out.is_doubtful || (rounded_before && has_steps(node));
}

void Recomputed::compute(const Node& node, Value& value) const {
  int64_t n = node.size();
  if (node.op == Op::update) {
    const Operand &old = node.operands[0], &given = node.operands[1];
    std::memcpy(value.bytes.data(), memory_of(*old.node), value.bytes.size());
    std::vector<char> elements(static_cast<size_t>(given.layout->elements) * size_of(node.target_dtype));
    gather_operand(given, node.target_dtype, elements.data());
    scatter(elements.data(), node.target_dtype, value.bytes.data(), *node.target, node.target_dtype);
    return;
  }
  if (n == 0) return;
  if (node.op == Op::reduce) {
    const Operand& in = node.operands[0];
    DType work = accumulator(node.reduction, node.compute);
    auto [order, results, count] = kept_first(node, in.shape());
    std::vector<char> elements(static_cast<size_t>(in.layout->elements) * size_of(work));
    std::vector<char> out(static_cast<size_t>(n) * size_of(work));
    Operand turned = in;
    turned.layout = interned(in.layout->transposed(order));
    if (in.layout->elements > 0) gather_operand(turned, work, elements.data());
    tier0::reduction(node.reduction, work)(elements.data(), results, count, out.data());
    scatter(out.data(), work, value.bytes.data(), *node.layout, node.dtype);
    return;
  }
  std::array<std::vector<char>, 3> operands;
  std::array<tier0::In, 3> in;
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& o = node.operands[i];
    DType wanted = operand_type(row(node.op), i, node.compute);
    operands[i].resize(static_cast<size_t>(n) * size_of(wanted));
    gather_operand(o, wanted, operands[i].data());
    in[i] = {operands[i].data(), 1};
  }
  std::vector<char> out(value.bytes.size());
  tier0::loop_of(node.op, node.compute)(in.data(), out.data(), n);
  scatter(out.data(), node.dtype, value.bytes.data(), *node.layout, node.dtype);
}

bool Recomputed::is_same(const Node& node, const Value& value, int64_t& where, double& fused, double& alone) const {
  const auto* memory = static_cast<const char*>(node.buffer.pointer());
  size_t size = size_of(node.dtype);
  if (!is_real(node.dtype)) {
    for (where = 0; where < node.size(); ++where) {
      size_t at = static_cast<size_t>(where) * size;
      if (std::memcmp(memory + at, value.bytes.data() + at, size) == 0) continue;
      fused = as_doubles(memory + at, node.dtype, 1)[0], alone = as_doubles(value.bytes.data() + at, node.dtype, 1)[0];
      return false;
    }
    return true;
  }
  std::vector<double> a = as_doubles(memory, node.dtype, node.size()),
                      b = as_doubles(value.bytes.data(), node.dtype, node.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (std::abs(a[i] - b[i]) <= tolerance(node.dtype) * std::max({std::abs(a[i]), std::abs(b[i]), largest_})) continue;
    where = static_cast<int64_t>(is_complex(node.dtype) ? i / 2 : i), fused = a[i], alone = b[i];
    return false;
  }
  return true;
}

void Recomputed::compare() const {
  if (!is_done_) return;
  for (uint32_t index : group_.stores) {
    const Node& node = *group_.nodes[index];
    const Value& value = values_.at(&node);
    int64_t where = 0;
    double fused = 0, alone = 0;
    if (!value.is_known || value.is_doubtful || is_same(node, value, where, fused, alone)) continue;
    tell(check::Kind::recomputed, node, where, fused, alone);
  }
}

void tell_if_not_finite(const Node& node) {
  if (!node.buffer) return;
  find_not_finite(node, static_cast<const char*>(node.buffer.pointer()), [](const Operand& o, DType to, char* out) {
    if (o.node->op == Op::index) return gather_positions(*o.layout, to, out);
    const auto* memory =
        static_cast<const char*>(o.node->op == Op::constant ? o.node->constant.bytes.data() : o.node->buffer.pointer());
    gather(memory, o.dtype, *o.layout, to, out);
  });
}

}  // namespace quern
