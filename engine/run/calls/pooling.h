// What is largest in windows of an array, and means of windows; and their gradients, which are linear and have gradients of the
// same kind. How an element is found stands in quern/pooling.cuh, for both devices.
#pragma once

#include <array>
#include <utility>

#include "graph/array.h"

namespace quern {

// Windows over the last one to three axes of (samples, channels, sizes); the axes that are missing come first.
struct Windows {
  static constexpr size_t axes = 3;
  std::array<int64_t, axes> size{1, 1, 1}, stride{1, 1, 1}, before{0, 0, 0}, dilation{1, 1, 1};
  bool is_adaptive = false;    // as many windows as the result has elements cover the input
  bool counts_border = false;  // of means: elements around the input count as zeros
  int64_t divisor = 0;         // of means; 0: how many elements there are
};

// The largest elements, `out` sizes of them, and their places in the plane (int64). Real numbers or integers.
std::pair<Array, Array> largest_in(const Array& x, const Windows& windows, const Shape& out);
// Means of real numbers.
Array means_in(const Array& x, const Windows& windows, const Shape& out);

}  // namespace quern
