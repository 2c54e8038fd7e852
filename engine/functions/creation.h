// New arrays: copies in another type, order or place.
#pragma once

#include <optional>

#include "graph/array.h"

namespace quern {

// What becomes of an array's elements. No device: that of the array.
struct Conversion {
  DType dtype;
  Order order = Order::keep;
  bool copies = true;  // also where nothing changes
  std::optional<DeviceId> device{};
};
// Nothing: the array itself, which has that type and order and need not be copied.
std::optional<Array> converted(const Array& array, const Conversion& to);

}  // namespace quern
