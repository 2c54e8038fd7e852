#include "functions/steps.h"

#include <numeric>

#include "run/calls/indexing.h"
#include "run/calls/sorting.h"

namespace quern::steps {

Array picked(const Array& lines, const Array& places) {
  Array index = places;
  if (lines.rank() > 1 && lines.size() > 0) {
    Shape rows = lines.shape();
    int64_t n = rows.back();
    rows.back() = 1;
    Array first = evenly_spaced(whole(0), whole(n), lines.size() / n, DType::int64, lines.device());
    index = compute(Op::add, reshape(first, rows), places);
  }
  Pick pick{0, index};
  return take(reshape(lines, {lines.size()}), {&pick, 1});
}

Array ordered(const Array& lines) {
  return is_complex(lines.dtype()) ? picked(lines, sorted_places(lines, false)) : sorted(lines, false);
}

namespace {

std::vector<int> axes_in_order(size_t rank) {
  std::vector<int> out(rank);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace

Array with_last(const Array& array, size_t axis) {
  std::vector<int> order = axes_in_order(array.rank());
  auto at = order.begin() + static_cast<ptrdiff_t>(axis);
  std::rotate(at, at + 1, order.end());
  return transposed(array, order);
}

Array from_last(const Array& array, size_t axis) {
  std::vector<int> order = axes_in_order(array.rank());
  std::rotate(order.begin() + static_cast<ptrdiff_t>(axis), order.end() - 1, order.end());
  return transposed(array, order);
}

Array from_host(const void* data, size_t bytes, const Shape& shape, DType dtype, int8_t device) {
  return copied_in(context_on(device), data, bytes, shape, dtype, CopyKind::host_to_device);
}

}  // namespace quern::steps
