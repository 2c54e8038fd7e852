// Views with other axes, arrays put together and taken apart, elements repeated and moved. Axes count from the front.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/memory_order.h"

namespace quern {

using Axes = std::vector<size_t>;

// Where axes of one element are put in: places in the result.
struct NewAxes {
  std::vector<size_t> places;
};
struct NewAxis {
  size_t place;
};
// Which axes of one element are taken out; none: all that there are.
struct SqueezedAxes {
  std::optional<Axes> axes;
};

// In which order axes go; none: backwards.
struct Permutation {
  std::optional<Axes> axes;
};

// The type that arrays are put together in; none: the common one.
struct JoinedType {
  std::optional<DType> dtype;
};
// A function's results where it gives one array for one and several for several.
struct OneForEach {
  std::vector<Array> arrays;
  bool is_always_tuple = false;
};

// How an axis is taken apart: a number of parts or of elements in each, or places, or sizes.
struct Division {
  std::optional<int64_t> number;
  std::vector<int64_t> numbers;
};
struct Parts {
  std::vector<Array> arrays;
};

// ---- views
//
// An array without dimensions may be asked for its axis 0, as PyTorch's functions allow; nothing changes along it.

// Raises ErrorKind::value where there are not as many places as axes.
Array moved_axes(const Array& array, const Axes& from, const Axes& to);
Array swapped_axes(const Array& array, size_t one, size_t other);
Array with_new_axes(const Array& array, const NewAxes& axes);
Array without_axes(const Array& array, const Axes& axes);  // which have one element each
Array squeezed(const Array& array, const SqueezedAxes& goes);
std::optional<Array> squeezed_or_same(const Array& array, const SqueezedAxes& goes);  // nothing where no axis goes
Array flipped(const Array& array, const std::optional<Axes>& axes);                   // none: along all
Array flipped_rows(const Array& array);
Array flipped_columns(const Array& array);
// By quarters, from the first of two axes towards the second.
Array turned(const Array& array, int64_t quarters, const Axes& plane);
// The same memory in another shape or, without one, as elements of another type. Raises ErrorKind::value where that is not
// possible.
Array viewed(const Array& array, const std::optional<Shape>& shape, std::optional<DType> dtype);
// Neighbouring axes as one; nothing where there is only one already.
std::optional<Array> merged_axes(const Array& array, size_t first, size_t last);
Array permuted(const Array& array, const Permutation& order);
Array matrix_transposed(const Array& array);  // the last two axes swapped
Array transposed_matrix(const Array& array);  // of two axes at most
// Elements repeat along axes of one element and along new ones; -1 keeps a size.
Array broadcast_view(const Array& array, const Shape& shape);
// The parts between cuts, which count as in a[start:stop]; as many parts as equal as can be, the first ones longer by one.
std::vector<Array> parts_between(const Array& array, size_t axis, const std::vector<int64_t>& cuts);
std::vector<Array> parts(const Array& array, int64_t count, size_t axis, bool must_be_equal);
// By the number of elements in each part, or their sizes; by the greatest number of parts of one size.
Parts split_by_sizes(const Array& array, const Division& by, size_t axis);
Parts chunks_of(const Array& array, int64_t count, size_t axis);
std::vector<Array> elements_along(const Array& array, size_t axis);
std::vector<Array> broadcast_together(const std::vector<Array>& arrays);
// With axes of one element put in where there are fewer: in front, the third one behind.
std::vector<Array> with_rank(const std::vector<Array>& arrays, size_t rank);
OneForEach at_least_1d(const std::vector<Array>& arrays);
OneForEach at_least_2d(const std::vector<Array>& arrays);
OneForEach at_least_3d(const std::vector<Array>& arrays);
// What meshgrid() gives: each array along an axis of its own; `by_rows` is "ij", else the first two change
// places; `is_sparse`: the other axes have one element.
std::vector<Array> grid_of(const std::vector<Array>& arrays, bool by_rows, bool is_sparse);

// ---- new arrays

Array flattened(const Array& array, Order order);  // a copy of one dimension
Array copy_of(const Array& array);                 // in C order

// One after the other along an axis. Without a type: the common one. Raises ErrorKind::value for shapes that do not fit.
Array joined(const std::vector<Array>& arrays, size_t axis, std::optional<DType> dtype = {});
// Of several arrays the first that does not fit to the first one, and along which axis: the one that joins counts for none.
struct Unfit {
  size_t array, axis;
};
std::optional<Unfit> unfit(const std::vector<Array>& arrays, size_t axis);
// Along an axis, or all flattened.
Array concatenated(const std::vector<Array>& arrays, std::optional<size_t> axis, JoinedType type);
Array stacked_along(const std::vector<Array>& arrays, NewAxis axis, JoinedType type);
// Side by side; one below the other; one behind the other; with lines as columns.
Array stacked_columns(const std::vector<Array>& arrays, JoinedType type);
Array stacked_rows(const std::vector<Array>& arrays, JoinedType type);
Array stacked_depths(const std::vector<Array>& arrays, JoinedType type);
Array columns_of(const std::vector<Array>& arrays, JoinedType type);
void join_into(const Array& out, const std::vector<Array>& arrays, size_t axis);
// Along a new axis.
Array stacked(const std::vector<Array>& arrays, size_t axis, std::optional<DType> dtype = {});
Array tiled(const Array& array, const std::vector<int64_t>& times);
// Each element follows itself so many times: one number for all, or one for each along the axis.
Array repeated(const Array& array, const std::vector<int64_t>& times, size_t axis);
// Elements move on along axes, or all along the flattened array; those that leave at the end come in at the start. One shift is
// for all axes, several go along one axis one after the other.
Array rolled(const Array& array, const std::vector<int64_t>& shifts, const std::optional<Axes>& axes);

}  // namespace quern
