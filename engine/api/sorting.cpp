// quern/sorting.h on functions/ordering.h and functions/sets.h.
#include "quern/sorting.h"

#include "api/bodies.h"
#include "functions/ordering.h"
#include "functions/sets.h"

namespace qn {

using namespace inside;

Array sort(const Array& a, int axis, bool descending, Here here) {
  return call(here, quern::ordered, a, descending, Along{a, axis});
}
Array argsort(const Array& a, int axis, bool descending, Here here) {
  return call(here, quern::ordered_places, a, descending, AlongOrFlat{a, axis});
}
Array lexsort(const std::vector<Array>& keys, int axis, Here here) {
  return asked(here, [&] {
    size_t rank = keys.empty() ? 0 : keys[0].handle().rank();
    return wrap(quern::sorted_places_by(given(keys), rank == 0 ? 0 : checked_axis(axis, rank)));
  });
}

Array partition(const Array& a, int64_t kth, int axis, Here here) {
  return call(here, quern::partitioned, a, Along{a, axis}, std::vector{kth});
}
Array argpartition(const Array& a, int64_t kth, int axis, Here here) {
  return call(here, quern::partitioned_places, a, AlongOrFlat{a, axis}, std::vector{kth});
}

Array argmax(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return call(here, quern::extreme, a, AlongOrFlat{a, axis}, keepdims, false);
}
Array argmin(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return call(here, quern::extreme, a, AlongOrFlat{a, axis}, keepdims, true);
}

Array searchsorted(const Array& sorted, const Array& values, bool right, Here here) {
  return call(here, quern::searched, sorted, values, right, nullptr);
}
Array searchsorted(const Array& a, const Array& values, bool right, const Array& sorter, Here here) {
  return call(here, quern::searched, a, values, right, &sorter.handle());
}

static std::vector<Array> distinct(const Array& a, bool places, bool inverse, bool counts, bool equal_nan, Here here) {
  return call(here, quern::distinct, a, std::nullopt, places, inverse, counts, equal_nan);
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

Array isin(const Array& a, const Array& values, Here here) { return call(here, quern::is_among, a, values, false); }

}  // namespace qn
