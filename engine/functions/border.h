// Arrays with a border, as numpy.pad makes it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/array.h"

namespace quern {

// What the border holds: constants; the element at the edge; the array again, mirrored without (reflect) or with (symmetric) the
// edge element, from the other end (wrap); the largest, smallest, mean or middle element of each line; a ramp to a constant;
// nothing in particular.
enum class Border : uint8_t { constant, edge, reflect, symmetric, wrap, maximum, minimum, mean, median, linear_ramp, empty };

struct BorderOptions {
  std::vector<std::pair<Scalar, Scalar>> constants = {};  // of each axis: before and after; for constant and linear_ramp
  std::vector<std::pair<int64_t, int64_t>> lengths = {};  // so many elements at an end count for maximum ... median; -1: all
  bool is_odd = false;                                    // reflect, symmetric: turned at the end element, 2 * end - element
};

// So many elements before and after along each axis. Raises ErrorKind::value for negative widths, for an empty axis that there is
// nothing to continue from, and for a length of 0 without a largest or smallest element.
Array with_border(const Array& array, std::span<const std::pair<int64_t, int64_t>> widths, Border mode,
                  const BorderOptions& options = {});

// The border that a name of NumPy's stands for; none: there is no such name.
std::optional<Border> border_named(std::string_view name);

struct Bordering {
  std::vector<std::pair<int64_t, int64_t>> widths;
  Border mode = Border::constant;
  BorderOptions options = {};
};
inline Array bordered(const Array& array, const Bordering& how) { return with_border(array, how.widths, how.mode, how.options); }

}  // namespace quern
