// The arguments of kernels that codegen/ prints, and the memory behind them.
#pragma once

#include "run/calls/machine.h"

#include <algorithm>
#include <vector>

namespace quern {

// The arguments of a group's kernel; their order stands where they are printed.
class GroupArguments : public Packed {
 public:
  void pointer(const Buffer& buffer, int64_t offset, bool writes) {
    add(static_cast<char*>(buffer.pointer()) + offset);
    if (buffer) blocks_.push_back({buffer.block(), writes});
  }
  void index(int64_t value, bool wide) { wide ? add(value) : add(static_cast<int32_t>(value)); }
  void constant(const Node& node) {
    size_t size = size_of(node.dtype), part = is_complex(node.dtype) ? size / 2 : size;
    for (size_t at = 0; at < size; at += part) raw(node.constant.bytes.data() + at, part, part);
  }
  bool any_pinned() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Used& used) { return used.block->pins > 0; });
  }
  void use_on(const StreamPtr& stream) const {
    for (const Used& used : blocks_) quern::use_on(stream, *used.block, used.writes);
  }

 private:
  struct Used {
    Block* block;
    bool writes;
  };
  std::vector<Used> blocks_;
};

}  // namespace quern
