// Random integers, and what is picked at random: one body each, on the draws of distributions.h. What says how likely something
// is, and how often it is there, lies on the host.
#pragma once

#include "functions/distributions.h"

namespace quern::random {

// An integer of any size that limits of integers have, or an array of int64 or uint64, which are `more` in truth.
struct Whole {
  __int128 number = 0;
  std::optional<Array> array{};
  int more = 0;
};
// Without `high`, `low` is that.
struct Limits {
  Whole low{};
  std::optional<Whole> high{};
};
// Integers of `size.type` in [low, high), or [low, high] where that has an end; without `high` in [0, low), or [1, low]. Raise
// ErrorKind::value for limits that the type does not hold or that leave nothing.
Array integers(const Stream& stream, const Limits& limits, const Size& size, bool has_end);
Array integers_to_end(const Stream& stream, const Limits& limits, const Size& size);
Array integers_by_unit(const Stream& stream, const Limits& limits,
                       const Size& size);                        // of a real number each; nothing is refused
Array natural_integers(const Stream& stream, const Size& size);  // from 0 to the greatest int64

// What is picked from: an array along an axis, or the integers from 0 to `count` - 1.
struct Population {
  int64_t count = 0;
  std::optional<Array> array{};
  size_t axis = 0;
};
// Numbers of the host, by rows. `device`: of the array that they were read from.
template <class T>
struct HostNumbers {
  Shape shape;
  std::vector<T> values;
  std::optional<DeviceId> device = {};
  double precision = 0;  // of real numbers: the least difference to 1 that their type has
};
using Odds = HostNumbers<double>;
using Counts = HostNumbers<int64_t>;

// Raises ErrorKind::value for odds that are no distribution, and for nothing to pick from.
Array choice(const Stream& stream, const Population& from, const std::optional<Odds>& odds, const Size& size, bool replaces);
Array permutation(const Stream& stream, const Population& of, const Size& size);  // a copy in another order along the axis
// Each line along the axis in an order of its own; without one all elements.
Array permuted(const Stream& stream, const Array& array, std::optional<size_t> axis);

// How many good ones are among those picked. Raise ErrorKind::value for negative numbers, and for more picked than there are; the
// second one picks one at least, and at most all.
Array hypergeometric(const Stream& stream, const Counts& good, const Counts& bad, const Counts& picked, const Size& size);
Array hypergeometric_at_most(const Stream& stream, const Counts& good, const Counts& bad, const Counts& picked, const Size& size);
// Is it drawn by tables that are short enough?
bool has_tables(const Counts& good, const Counts& bad, const Counts& picked);
// How many of each color are among those picked: one axis more. The names of methods change nothing.
struct PickMethod {};
// Are so many few enough for it?
bool are_few(const Counts& colors, const Size& size);

// Vectors of normal numbers, whose covariance is the product of a factor, transposed, and the factor.
struct NormalVectors {
  Array mean, factor;
};
enum class FactorBy : uint8_t { cholesky, eigenvalues };
// Raises ErrorKind::value for shapes that are none of a mean and a covariance.
NormalVectors normal_vectors(const Array& mean, const Array& covariance, FactorBy by);
bool has_covariance(const NormalVectors& vectors, const Array& covariance, double tolerance);
Array multivariate_normal(const Stream& stream, const NormalVectors& vectors, const Size& size);

}  // namespace quern::random
