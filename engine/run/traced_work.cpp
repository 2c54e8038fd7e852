#include "run/traced_work.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace quern {

namespace {

// Elements that are read together move as whole pieces of memory.
constexpr int64_t piece_of_cpu = 64, piece_of_gpu = 32;

// Elements are used with neighbours that are so many of them apart.
void add_elements(TracedWork& work, int64_t elements, int64_t apart, size_t size, DeviceId device) {
  auto bytes = static_cast<int64_t>(size), piece = device.is_cpu() ? piece_of_cpu : piece_of_gpu;
  work.bytes += static_cast<uint64_t>(elements * bytes);
  work.fetched += static_cast<uint64_t>(elements * std::clamp(apart * bytes, bytes, std::max(piece, bytes)));
}

constexpr int64_t few = 8;  // so short an axis says nothing of how the elements lie

// Walks over the paths of a form, in the order of its numbers.
class Paths {
 public:
  Paths(const Form& form, DeviceId device) : form_(form), device_(device) {
    if (form.numbers.size() > form.shape.size()) next_ = form.numbers.data() + form.shape.size();
    bool one_after_another = form.walk == Walk::lanes_inside || form.walk == Walk::rows || form.walk == Walk::block ||
                             (device.is_cpu() && form.walk == Walk::threads);
    neighbours_ = form.reduced > 0 && one_after_another ? form.kept + form.reduced : form.kept;
  }

  void add(TracedWork& work, const Path& path, size_t size) {
    int64_t elements = 1, apart = 1;
    for (size_t d = 0; d < path.steps.size(); ++d) {
      if (path.steps[d] != Step::none) elements *= form_.shape[d];
      if (path.steps[d] != Step::numbered) continue;
      int64_t stride = *next_++;
      if (d + 1 == neighbours_ && form_.shape[d] >= few) apart = std::abs(stride);
    }
    add_elements(work, elements, apart, size, device_);
  }

 private:
  const Form& form_;
  const DeviceId device_;
  const int64_t* next_ = nullptr;
  size_t neighbours_;  // the dimension along which elements are read together, and one more
};

bool is_floating(DType type) { return row(type).kind == DTypeKind::real || is_complex(type); }

}  // namespace

void add_work(TracedWork& work, const Group& group, const Form& form) {
  for (const auto& node : group.nodes) work.lines.push_back(node->site);
  Paths paths(form, group.device);
  // Views of one value that overlap are read from memory once.
  std::map<const Node*, TracedWork> read;
  for (size_t i = 0; i < group.loads.size(); ++i)
    paths.add(read[group.loads[i].node], form.loads[i], size_of(group.loads[i].dtype));
  for (const auto& [node, once] : read) {
    if (node->op == Op::index) continue;
    uint64_t again = once.bytes - std::min(once.bytes, static_cast<uint64_t>(node->size()) * size_of(node->dtype));
    work.bytes += once.bytes - again;
    work.fetched += once.fetched - again;
  }
  for (size_t i = 0; i < group.stores.size(); ++i) {
    const Node& node = *group.nodes[group.stores[i]];
    paths.add(work, form.stores[i], size_of(node.op == Op::update ? node.target_dtype : node.dtype));
  }
  for (size_t i = 0; i < group.nodes.size(); ++i) {
    const Node& node = *group.nodes[i];
    bool computes = (node.op < Op::constant && node.op != Op::cast) || node.op == Op::reduce || node.op == Op::user;
    if (!computes || !is_floating(node.compute) || group.is_uniform(node)) continue;
    work.operations += static_cast<uint64_t>(form.results * (group.reduces && !group.per_result[i] ? form.count : 1));
  }
}

void add_operand(TracedWork& work, const Layout& layout, size_t size, DeviceId device) {
  int64_t apart = 0;  // 0: no axis is long enough
  for (size_t d = 0; d < layout.rank(); ++d) {
    int64_t stride = std::abs(layout.strides[d]);
    if (layout.shape[d] >= few && stride > 0) apart = apart == 0 ? stride : std::min(apart, stride);
  }
  add_elements(work, layout.size(), std::max<int64_t>(apart, 1), size, device);
}

std::vector<uint32_t> widened_ops(const Group& group) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < group.nodes.size(); ++i) {
    Node& node = *group.nodes[i];
    if (node.op >= Op::constant || node.compute != DType::float64) continue;
    bool narrow = false, wide = false;
    for (const Operand& operand : node.inputs()) {
      if (!operand.node) continue;
      narrow |= is_floating(operand.dtype) && size_of(operand.dtype) < size_of(DType::float64);
      // A conversion that was asked for is no accident.
      wide |= operand.dtype == DType::float64 && operand.node->op != Op::cast;
    }
    if (narrow && wide) out.push_back(static_cast<uint32_t>(i));
  }
  return out;
}

}  // namespace quern
