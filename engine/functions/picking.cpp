#include "functions/picking.h"

#include "core/error.h"
#include "functions/parts.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

namespace quern {

using namespace steps;

namespace {

// One index for each axis.
std::vector<Pick> picks_of(const std::vector<Array>& indices) {
  std::vector<Pick> out;
  for (const Array& index : indices) out.push_back({out.size(), index});
  return out;
}

bool has_nothing(Shape::const_iterator from, Shape::const_iterator to) { return std::find(from, to, 0) != to; }

}  // namespace

Array fitted_places(const Array& places, int64_t size, std::string_view mode) {
  if (mode == "raise") return places;
  Array wide = as_type(places, DType::int64);
  if (mode == "wrap") return remainder(wide, size);
  if (mode == "clip") return limited(wide, whole(0), whole(size - 1));
  raise(ErrorKind::value, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '{}')", mode);
}

Array taken(const Array& array, const Array& places, std::optional<size_t> axis, std::string_view mode) {
  if (!axis || array.rank() == 0) return taken(array.rank() == 1 ? array : raveled(array, Order::c), places, 0, mode);
  if (places.device() != array.device())
    raise(ErrorKind::value, "[take] the indices are on another device than the array; move one with to_device()");
  const Shape& shape = array.shape();
  auto here = shape.begin() + static_cast<ptrdiff_t>(*axis);
  if (*here > 0 || places.size() == 0) return take_along(array, fitted_places(places, *here, mode), *axis);
  if (!has_nothing(shape.begin(), here) && (mode == "raise" || !has_nothing(here + 1, shape.end())))
    raise(ErrorKind::index, "[take] cannot do a non-empty take from an empty axis");
  Shape out(shape.begin(), here);
  out.insert(out.end(), places.shape().begin(), places.shape().end());
  out.insert(out.end(), here + 1, shape.end());
  return full(out, whole(0), array.dtype(), array.device());
}

Array taken_within(const Array& array, const Array& places, std::optional<size_t> axis) {
  static constexpr OutOfRange no_slice{ErrorKind::value, "indices contain {0}, which is not in [0, {2})", true};
  if (!is_whole(places.dtype()) && places.size() > 0)
    raise(ErrorKind::value, "[take] `indices` must have an integer type, not {}; convert them with cast()",
          row(places.dtype()).name);
  if (!axis) return taken_within(raveled(array, Order::c), places, 0);
  const bool is_index = is_integer(places.dtype()) && places.dtype() != DType::uint64;
  return take_along(array, is_index ? places : as_type(places, DType::int32), *axis, &no_slice);
}

std::vector<Array> indices_along(const Array& array, const Array& places, size_t axis) {
  if (!is_integer(places.dtype()))
    raise(ErrorKind::index, "[take_along_axis] `indices` must be an integer array, not {}", row(places.dtype()).name);
  if (places.rank() != array.rank())
    raise(ErrorKind::value, "[take_along_axis] `indices` and `arr` must have the same number of dimensions, not {} and {}",
          places.rank(), array.rank());
  std::vector<Array> out;
  for (size_t n = 0; n < array.rank(); ++n) {
    Shape shape(array.rank(), 1);
    shape[n] = array.shape()[n];
    out.push_back(n == axis ? places : reshape(arange(shape[n], array.device()), shape));
  }
  return out;
}

Array taken_along(const Array& array, const Array& places, size_t axis) {
  return take(array, picks_of(indices_along(array, places, axis)));
}

// The same of places among all elements, too; -1 is the last one. Raises ErrorKind::type for places that are no integers.
Array taken_along_or_flat(const Array& array, const Array& places, std::optional<size_t> axis) {
  if (!is_integer(places.dtype()))
    raise(ErrorKind::type, "take_along_axis indices must be of integer type, got {}", row(places.dtype()).name);
  if (!axis && places.rank() != 1)
    raise(ErrorKind::value, "take_along_axis indices must be 1D if axis=None, got shape {}", to_string(places.shape()));
  for (size_t n = 0; axis && n < std::min(array.rank(), places.rank()); ++n) {
    const int64_t one = array.shape()[n], other = places.shape()[n];
    if (n != *axis && one != other && one != 1 && other != 1)
      raise(ErrorKind::value, "[take_along_axis] the shapes {} and {} do not broadcast", to_string(array.shape()),
            to_string(places.shape()));
  }
  return axis ? taken_along(array, places, *axis) : taken_along(raveled(array, Order::c), places, 0);
}

void put_along(const Array& array, const Array& places, const Argument& values, size_t axis) {
  put(array, picks_of(indices_along(array, places, axis)), values);
}

// The same in an array of a shape; numbers wrap around along each axis.
std::vector<Array> coordinates_in(const Array& given, const std::vector<int64_t>& shape) {
  Array places = given.dtype() == DType::boolean ? as_type(given, DType::int32) : given;
  std::vector<Array> out;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    out.push_back(as_type(remainder(places, *size), places.dtype()));
    places = as_type(floor_divide(places, *size), places.dtype());
  }
  std::ranges::reverse(out);
  return out;
}
std::vector<Array> coordinates(const Array& array, const Array& places) {
  if (array.rank() == 1) return {places};
  Array flat = where(less(places, 0), add(places, array.size()), places);
  std::vector<Array> out;
  int64_t rest = array.size();
  for (size_t n = 0; n < array.rank(); ++n) {
    int64_t size = array.shape()[n];
    rest /= std::max<int64_t>(size, 1);
    Array place = floor_divide(flat, std::max<int64_t>(rest, 1));
    out.push_back(n == 0 ? place : remainder(place, size));
  }
  return out;
}

void put_in_line(const Array& array, const Array& places, const Argument& values, std::string_view mode) {
  const Array* given = values.array();
  int64_t count = places.size();
  if (count > 0 && array.size() == 0) raise(ErrorKind::index, "[put] cannot replace elements of an empty array");
  if (count == 0 || (given && given->size() == 0)) return;
  Array flat = fitted_places(raveled(as_type(places, DType::int64), Order::c), array.size(), mode), row;
  if (given) row = raveled(*given, Order::c);
  if (given && row.size() > count) row = part(row, 0, 0, count);
  if (given && row.size() > 1 && row.size() < count)
    row = take_along(row, remainder(arange(count, array.device()), row.size()), 0);
  Argument value = given ? Argument(row) : values;
  if (std::optional<Layout> line = array.layout_in_shape({array.size()})) {
    Pick pick{0, flat};
    put(array.view(*line), {&pick, 1}, value);
  } else {
    put(array, picks_of(coordinates(array, flat)), value);
  }
}

std::vector<Array> nonzero(const Array& array) {
  if (array.rank() == 0)
    raise(ErrorKind::value, "[nonzero] calling nonzero on 0d arrays is not allowed; reshape it to {{1}}, as atleast_1d() does");
  return indices_of(as_type(array, DType::boolean));
}

Array flat_nonzero(const Array& array) { return true_positions(as_type(raveled(array, Order::c), DType::boolean)); }

std::vector<Array> nonzero_of_lines(const Array& array) {
  return array.rank() == 0 ? std::vector{flat_nonzero(array)} : nonzero(array);
}

Array rows_of_nonzero(const Array& array) {
  if (array.rank() == 0) return full({flat_nonzero(array).size(), 0}, whole(0), DType::int64, array.device());
  std::vector<Array> rows;
  for (const Array& index : nonzero(array)) rows.push_back(expand_dims(index, 0));
  return transpose(joined(rows, 0), {1, 0});
}

Array count_nonzero(const Array& array, const Over& over) { return sum(as_type(array, DType::boolean), over); }

Array compressed(const Array& condition, const Array& array, std::optional<size_t> axis) {
  if (condition.rank() != 1) raise(ErrorKind::value, "[compress] condition must be a 1-d array, not {}-d", condition.rank());
  Array places = flat_nonzero(condition);
  bool has_axis = axis && array.rank() > 0;
  int64_t n = has_axis ? array.shape()[*axis] : array.size();
  auto first = array.shape().begin(), at = first + static_cast<ptrdiff_t>(has_axis ? *axis : 0);
  if (condition.size() > n && n > 0 && places.size() > 0 && !has_nothing(first, at)) {
    int64_t last = values_of<int64_t>(element(places, 0, places.size() - 1))[0];  // it was waited for
    if (last >= n)
      raise(ErrorKind::index, "[compress] index {} is out of bounds for axis {} with size {}", last, axis.value_or(0), n);
  }
  return taken(array, places, axis, "raise");
}

Array extracted(const Array& condition, const Array& array) { return taken(array, flat_nonzero(condition), {}, "raise"); }

}  // namespace quern
