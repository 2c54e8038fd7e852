// Medians and quantiles: elements of sorted lines, and what lies between them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "functions/reductions.h"

namespace quern {

// The middle one of the sorted elements, or the mean of the two in the middle; NaN where there is one, or nothing.
Array median(const Array& array, const Counted& over);
Array median_without_nan(const Array& array, const Counted& over);

// How a place between two elements is taken: NumPy's names, in the order of QuantileMethod of quern/statistics.h.
inline constexpr std::string_view quantile_methods[] = {"linear",
                                                        "lower",
                                                        "higher",
                                                        "midpoint",
                                                        "nearest",  // as the elements around it have it
                                                        "inverted_cdf",
                                                        "averaged_inverted_cdf",
                                                        "closest_observation",
                                                        "interpolated_inverted_cdf",  //
                                                        "hazen",
                                                        "weibull",
                                                        "median_unbiased",
                                                        "normal_unbiased"};

// What the quantiles were given as: that decides what is computed in, by NumPy's rules.
struct QuantileType {
  bool is_whole = false;           // integers, that is 0 and 1: the elements themselves where a method names them
  bool is_weak = false;            // one number, which takes the type of the elements
  DType weights = DType::float64;  // else: what the weights of two neighbours have
};

struct Quantiles {
  std::vector<double> values;
  Shape shape;
  QuantileType type;
  bool are_axes_of_nothing = false;        // also of quantile_without_nan() of an empty array, which NumPy gives no axes of `q`
  std::string_view function = "quantile";  // that was called, for errors
  double whole = 1;                        // 100: the values were given as percentages
};
struct QuantileMethod {
  std::string_view name = "linear";
};

// The quantiles by NumPy's method of this name, in C order: axes of the shape of `q` stand in front. NaN where there is one.
// `overwrites`: the elements may be left in order. Raises ErrorKind::value for another method or numbers beyond [0, 1],
// ErrorKind::index for nothing, ErrorKind::type for complex numbers, and for bools that would have to be interpolated.
Array quantile(const Array& array, const Quantiles& q, const Counted& over, QuantileMethod method, bool overwrites);
// Of what is no NaN, NaN where that is nothing.
Array quantile_without_nan(const Array& array, const Quantiles& q, const Counted& over, QuantileMethod method);
// Is there quantile_without_nan() by this method? NumPy's three that are neither continuous nor name neighbours are left out.
bool skips_nan_by(std::string_view method);

}  // namespace quern
