#include "functions/steps.h"

#include <numeric>

#include "run/calls/indexing.h"

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

Array moveaxis(const Array& array, size_t from, size_t to) {
  std::vector<int> order(array.rank());
  std::iota(order.begin(), order.end(), 0);
  auto at = [&](size_t n) { return order.begin() + static_cast<ptrdiff_t>(n); };
  std::rotate(at(std::min(from, to)), at(from < to ? from + 1 : from), at(std::max(from, to) + 1));
  return transpose(array, order);
}

Array from_host(const void* data, size_t bytes, const Shape& shape, DType dtype, DeviceId device) {
  return copied_in(context_on(device), data, bytes, shape, dtype, CopyKind::host_to_device);
}

Scalar scalar_in(const Array& array) {
  Scalar out;
  DTypeKind kind = row(array.dtype()).kind;
  if (kind == DTypeKind::natural) {
    uint64_t number = values_of<uint64_t>(array)[0];
    out = whole(static_cast<int64_t>(number));
    out.natural = number;
    out.is_natural = out.integer < 0;
  } else if (kind == DTypeKind::integer || kind == DTypeKind::boolean) {
    out = whole(values_of<int64_t>(array)[0]);
  } else {
    out = real_number(values_of<double>(array)[0]);
  }
  out.is_weak = false;
  out.dtype = array.dtype();
  return out;
}

}  // namespace quern::steps
