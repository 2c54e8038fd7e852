// Views with other axes, arrays put together and taken apart, elements repeated and moved. Axes count from the front.
#pragma once

#include <optional>
#include <vector>

#include "graph/array.h"

namespace quern {

// ---- views

Array moved_axes(const Array& array, const std::vector<size_t>& from, const std::vector<size_t>& to);
Array with_new_axes(const Array& array, std::vector<size_t> axes);        // of one element, at these places of the result
Array without_axes(const Array& array, const std::vector<size_t>& axes);  // which have one element each
Array flipped(const Array& array, const std::vector<size_t>& axes);
// The parts between cuts, which count as in a[start:stop]; as many parts as equal as can be, the first ones longer by one.
std::vector<Array> parts_between(const Array& array, size_t axis, const std::vector<int64_t>& cuts);
std::vector<Array> parts(const Array& array, int64_t count, size_t axis, bool must_be_equal);
std::vector<Array> broadcast_together(const std::vector<Array>& arrays);
// What meshgrid() gives: each array along an axis of its own; `by_rows` is "ij", else the first two change
// places; `is_sparse`: the other axes have one element.
std::vector<Array> grid_of(const std::vector<Array>& arrays, bool by_rows, bool is_sparse);

// ---- new arrays

// One after the other along an axis. Without a type: the common one. Raises ErrorKind::value for shapes that do not fit.
Array joined(const std::vector<Array>& arrays, size_t axis, std::optional<DType> dtype = {});
void join_into(const Array& out, const std::vector<Array>& arrays, size_t axis);
// Along a new axis.
Array stacked(const std::vector<Array>& arrays, size_t axis, std::optional<DType> dtype = {});
Array tiled(const Array& array, const std::vector<int64_t>& times);
// Each element follows itself so many times: one number for all, or one for each along the axis.
Array repeated(const Array& array, const std::vector<int64_t>& times, size_t axis);
// Elements move on along axes; those that leave at the end come in at the start.
Array rolled(const Array& array, const std::vector<int64_t>& shifts, const std::vector<size_t>& axes);

}  // namespace quern
