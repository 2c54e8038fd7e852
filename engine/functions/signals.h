// Lines of samples: differences of neighbours, slopes, areas, sums of products of two lines, values between points.
#pragma once

#include <optional>
#include <vector>

#include "functions/elementwise.h"
#include "functions/shaping.h"

namespace quern {

// The axis that samples lie along, as a front end reads it.
struct SampledAxis {
  size_t place;
};

// The distance of neighbours: one number, or an array of one (without dimensions) or of the coordinates of all samples.
struct Spacing {
  double number = 1;
  std::optional<Array> array;
};
// None: the axes' distances are 1; one number: it is of all axes.
struct Spacings {
  std::vector<Spacing> of_axes;
  bool is_one = false;  // not a list of one
  bool is_given = false;
};
// The slopes along axes, or all: central differences inside, one-sided ones of an order (1 or 2) at the ends. By NumPy's rules
// evenly spaced coordinates count as one distance, for which they are evaluated. Raises ErrorKind::value for arrays that are too
// small and coordinates that do not fit.
OneForEach slopes(const Rules& rules, const Array& f, const Spacings& spacings, const std::optional<Axes>& axes,
                  int64_t edge_order);

// Which sums of products of two lines: all where the two overlap, as many as the longer one has samples, or where both overlap
// completely.
enum class Overlap : uint8_t { valid, same, full };
Array convolution(const Array& a, const Array* v, Overlap mode);        // sums of a[i] v[k - i]
Array cross_correlation(const Array& a, const Array* v, Overlap mode);  // sums of a[k + i] conj(v[i])
Array correlation_of_alike(const Alike& of, Overlap mode);

}  // namespace quern
