// Medians and quantiles of rows: elements of the sorted rows, and what lies between them.
#pragma once

#include <span>
#include <string_view>

#include "graph/array.h"

namespace quern {

// The middle of each row (the last axis), or the mean of the two in the middle; NaN where there is one, or nothing.
Array median_of_lines(const Array& lines);

// What the quantiles were given as: that decides what is computed in, by NumPy's rules.
struct QuantileType {
  bool is_whole = false;           // integers, that is 0 and 1: the elements themselves where a method names them
  bool is_weak = false;            // one number, which takes the type of the elements
  DType weights = DType::float64;  // else: what the weights of two neighbours have
};

// The quantiles of each row (the last axis, not empty) by NumPy's method of this name: an axis of as many as `q` stands in front.
// NaN where there is one; or, `skips_nan`, of what is none, NaN where that is nothing, by the methods that interpolate. Raises
// ErrorKind::value for another method or numbers beyond [0, 1], ErrorKind::type for complex numbers, and for bools that would
// have to be interpolated.
Array quantiles_of_lines(const Array& lines, std::span<const double> q, std::string_view method, QuantileType type,
                         bool skips_nan);
bool interpolates(std::string_view method);

}  // namespace quern
