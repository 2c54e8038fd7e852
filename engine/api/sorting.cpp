// quern/sorting.h on functions/ordering.h and functions/sets.h.
#include "quern/sorting.h"

#include "api/bodies.h"
#include "functions/ordering.h"
#include "functions/sets.h"

namespace qn {

using namespace inside;

namespace {

// The axis, or none for the flattened array, which a number is whatever axis it is given.
std::optional<size_t> along(const Array& a, std::optional<int> axis) {
  size_t rank = a.handle().rank();
  if (!axis || (rank == 0 && (*axis == 0 || *axis == -1))) return {};
  return checked_axis(*axis, rank);
}

Array extreme(const Array& a, std::optional<int> axis, bool keepdims, bool least, Here here) {
  return asked(here, [&] { return wrap(quern::extreme(a.handle(), along(a, axis), keepdims, least)); });
}

Array searched(const Array& a, const Array& values, bool right, const quern::Array* sorter, Here here) {
  return asked(here, [&] { return wrap(quern::searched(a.handle(), values.handle(), right, sorter)); });
}

std::vector<Array> distinct(const Array& a, bool places, bool inverse, bool counts, bool equal_nan, Here here) {
  return asked(here, [&] {
    std::vector<Array> out;
    for (quern::Array& one : quern::distinct(a.handle(), {}, places, inverse, counts, equal_nan))
      out.push_back(wrap(std::move(one)));
    return out;
  });
}

}  // namespace

Array sort(const Array& a, int axis, bool descending, Here here) {
  return asked(here, [&] { return wrap(quern::ordered(a.handle(), descending, checked_axis(axis, a.handle().rank()))); });
}
Array argsort(const Array& a, int axis, bool descending, Here here) {
  return asked(here, [&] { return wrap(quern::ordered_places(a.handle(), descending, along(a, axis))); });
}
Array lexsort(const std::vector<Array>& keys, int axis, Here here) {
  return asked(here, [&] {
    std::vector<quern::Array> given;
    for (const Array& key : keys) given.push_back(key.handle());
    size_t rank = keys.empty() ? 0 : given[0].rank();
    return wrap(quern::sorted_places_by(given, rank == 0 ? 0 : checked_axis(axis, rank)));
  });
}

Array partition(const Array& a, int64_t kth, int axis, Here here) {
  return asked(here, [&] { return wrap(quern::partitioned(a.handle(), checked_axis(axis, a.handle().rank()), {kth})); });
}
Array argpartition(const Array& a, int64_t kth, int axis, Here here) {
  return asked(here, [&] { return wrap(quern::partitioned_places(a.handle(), along(a, axis), {kth})); });
}

Array argmax(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return extreme(a, axis, keepdims, false, here);
}
Array argmin(const Array& a, std::optional<int> axis, bool keepdims, Here here) { return extreme(a, axis, keepdims, true, here); }

Array searchsorted(const Array& sorted, const Array& values, bool right, Here here) {
  return searched(sorted, values, right, nullptr, here);
}
Array searchsorted(const Array& a, const Array& values, bool right, const Array& sorter, Here here) {
  return searched(a, values, right, &sorter.handle(), here);
}

Array unique(const Array& a, Here here) { return distinct(a, false, false, false, true, here)[0]; }
UniqueCounts unique_counts(const Array& a, Here here) {
  std::vector<Array> all = distinct(a, false, false, true, false, here);
  return {all[0], all[1]};
}
UniqueInverse unique_inverse(const Array& a, Here here) {
  std::vector<Array> all = distinct(a, false, true, false, false, here);
  return {all[0], all[1]};
}
UniqueAll unique_all(const Array& a, Here here) {
  std::vector<Array> all = distinct(a, true, true, true, false, here);
  return {all[0], all[1], all[2], all[3]};
}

Array isin(const Array& a, const Array& values, Here here) {
  return asked(here, [&] { return wrap(quern::is_among(a.handle(), values.handle(), false)); });
}

}  // namespace qn
