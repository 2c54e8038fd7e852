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
Array lexsort(const std::vector<Array>& keys, int axis, Here here) {
  return asked(here, [&] {
    size_t rank = keys.empty() ? 0 : keys[0].handle().rank();
    return wrap(quern::sorted_places_by(given(keys), rank == 0 ? 0 : checked_axis(axis, rank)));
  });
}

Array partition(const Array& a, int64_t kth, int axis, Here here) {
  return call(here, quern::partitioned, a, Along{a, axis}, std::vector{kth});
}

Array searchsorted(const Array& sorted, const Array& values, bool right, Here here) {
  return call(here, quern::searched, sorted, values, right, nullptr);
}
Array searchsorted(const Array& a, const Array& values, bool right, const Array& sorter, Here here) {
  return call(here, quern::searched, a, values, right, &sorter.handle());
}

}  // namespace qn
