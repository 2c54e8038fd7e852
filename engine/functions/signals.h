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

// The differences of neighbours, taken `times`; of bools: where they differ. `prepend` and `append` are put before and after the
// samples first; an array without dimensions counts as one element of each line. Nothing: the array itself, where times is 0.
std::optional<Array> differences_with(const Rules& rules, const Array& a, int64_t times, SampledAxis axis, const Array* prepend,
                                      const Array* append);
// Of the flattened array, with what stands after and before. Raises ErrorKind::type for what has no type of the same kind.
Array flat_differences(const Array& a, const Array* to_end, const Array* to_begin);

// Pieces of a length along the last axis, each `stride` further. Raises ErrorKind::value where there is no last axis, and for
// strides that are not positive.
Array pieces_along_last(const Array& a, int64_t length, int64_t stride);

// The distance of neighbours: one number, or an array of one (without dimensions) or of the coordinates of all samples.
struct Spacing {
  double number = 1;
  std::optional<Array> array;
};
// None: the axes' distances are 1; one number: it is of all axes.
struct Spacings {
  std::vector<Spacing> of_axes;
  bool is_one = false;  // not a list of one
};
// The slopes along axes, or all: central differences inside, one-sided ones of an order (1 or 2) at the ends. By NumPy's rules
// evenly spaced coordinates count as one distance, for which they are evaluated. Raises ErrorKind::value for arrays that are too
// small and coordinates that do not fit.
OneForEach slopes(const Rules& rules, const Array& f, const Spacings& spacings, const std::optional<Axes>& axes,
                  int64_t edge_order);

// The area under y by trapezoids, between coordinates x or steps of dx; and up to each sample.
Array area(const Rules& rules, const Array& y, const Array* x, const Argument* dx, SampledAxis axis);
Array running_area(const Rules& rules, const Array& y, const Array* x, const Argument* dx, SampledAxis axis);

// Which sums of products of two lines: all where the two overlap, as many as the longer one has samples, or where both overlap
// completely.
enum class Overlap : uint8_t { valid, same, full };
Array convolution(const Array& a, const Array* v, Overlap mode);        // sums of a[i] v[k - i]
Array cross_correlation(const Array& a, const Array* v, Overlap mode);  // sums of a[k + i] conj(v[i])
Array correlation_of_alike(const Alike& of, Overlap mode);

// The values at x of the lines between points (xp, fp), where xp rises; beyond the ends `left` and `right`, by default the values
// there. With a period of x and xp these need not rise.
Array interpolated(const Array& x, const Array* xp, const Array* fp, const Argument* left, const Argument* right,
                   std::optional<double> period);

}  // namespace quern
