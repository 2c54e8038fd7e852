// The parameters of kernels that codegen/ prints, in the words of their printer.
#pragma once

#include "graph/node.h"
#include "run/parameters.h"

namespace quern {

// The arguments of a group's kernel; their order stands where they are printed.
class GroupArguments : public Parameters {
 public:
  void pointer(const Buffer& buffer, int64_t offset, bool writes) {
    add(static_cast<char*>(buffer.pointer()) + offset);
    if (buffer) uses(*buffer.block(), writes);
  }
  void index(int64_t value, bool wide) { wide ? add(value) : add(static_cast<int32_t>(value)); }
  void constant(const Node& node) {
    size_t size = size_of(node.dtype), part = is_complex(node.dtype) ? size / 2 : size;
    for (size_t at = 0; at < size; at += part) raw(node.constant.bytes.data() + at, part, part);
  }
};

}  // namespace quern
