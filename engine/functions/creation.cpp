#include "functions/creation.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/room.h"
#include "device/check/checker.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/transfer.h"

namespace quern {

using namespace steps;

std::optional<Array> converted(const Array& array, const Conversion& to) {
  const bool moves = to.device && *to.device != array.device();
  const Array there = moves ? moved_to(array, context_on(*to.device)) : array;
  if (to.copies || to.dtype != there.dtype() || !is_in_order(there, to.order)) return astype(there, to.dtype, to.order);
  return moves ? std::optional(there) : std::nullopt;
}

namespace {

// The axes lie in memory from the outermost to the innermost.
LayoutRef layout_by_axes(const Shape& shape, const std::vector<size_t>& axes) {
  Layout layout = Layout::contiguous(shape);
  int64_t step = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    layout.strides[*axis] = step;
    step *= std::max<int64_t>(shape[*axis], 1);
  }
  return interned(std::move(layout));
}

LayoutRef layout_of(const Shape& shape, const Making& how, const Array* like) {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 0; }))
    raise(ErrorKind::value, "negative dimensions are not allowed");
  if (!how.axes.empty()) return layout_by_axes(shape, how.axes);
  if (like) return layout_beside(*like, shape, how.order);
  if (how.order == Order::any || how.order == Order::keep) raise(ErrorKind::value, "only 'C' or 'F' order is permitted");
  return interned(how.order == Order::fortran ? Layout::fortran(shape) : Layout::contiguous(shape));
}

Array of_value(const Shape& shape, const Scalar& value, DType dtype, const Making& how, const Array* like = nullptr) {
  GraphLock lock;
  return full_in(layout_of(shape, how, like), value, dtype, how.device);
}

DType type_of_number(const Scalar& value, const Rules& rules) {
  if (!value.is_weak) return value.dtype;
  const bool is_torchs = rules.types == TypeRules::torch;
  switch (value.kind) {
    case WeakScalar::boolean:
      return DType::boolean;
    case WeakScalar::integer:
      if (value.is_huge)
        raise(ErrorKind::type, "Unsupported dtype object: an integer of more than 64 bits; pass a floating-point dtype");
      return value.is_natural && !is_torchs ? DType::uint64 : DType::int64;
    case WeakScalar::real:
      return is_torchs ? torch_default() : DType::float64;
    default:
      return is_torchs && torch_default() != DType::float64 ? DType::complex64 : DType::complex128;
  }
}

// PyTorch takes the number that a tensor holds.
DType type_of_filling(DType type, const Rules& rules) {
  if (rules.types != TypeRules::torch || type == DType::boolean) return type;
  if (is_integer(type)) return DType::int64;
  return is_complex(type) ? torch_default() == DType::float64 ? DType::complex128 : DType::complex64 : torch_default();
}

Array filled(const Rules& rules, const Shape& shape, const Argument& value, const Making& how, const Array* like) {
  if (const Array* values = value.array()) {
    Array out = of_value(shape, whole(0), how.dtype ? *how.dtype : type_of_filling(values->dtype(), rules), how, like);
    assign(out, Argument(moved_to(*values, context_on(how.device))));
    return out;
  }
  const DType type = how.dtype ? *how.dtype : type_of_number(value.scalar(), rules);
  const bool is_torchs = rules.types == TypeRules::torch;
  return of_value(shape, is_torchs ? steps::fitted_as_torch(value.scalar(), type) : value.scalar(), type, how, like);
}

// Memory of its own, which counts as unwritten.
Array unwritten(Array array) {
  if (check::on() && array.device().is_cpu() && array.size() > 0) check::unwritten(*evaluate(array).block());
  return array;
}

const Shape& shape_of(const Array& like, const MakingLike& how) { return how.shape ? *how.shape : like.shape(); }

}  // namespace

Array zeros(const Shape& shape, const Making& how) { return of_value(shape, whole(0), how.dtype.value_or(DType::float64), how); }
Array ones(const Shape& shape, const Making& how) { return of_value(shape, whole(1), how.dtype.value_or(DType::float64), how); }
Array empty(const Shape& shape, const Making& how) { return unwritten(zeros(shape, how)); }
Array filled_with(const Rules& rules, const Shape& shape, const Argument& value, const Making& how) {
  return filled(rules, shape, value, how, nullptr);
}

Array zeros_like(const Array& like, const MakingLike& to) {
  return of_value(shape_of(like, to), whole(0), to.how.dtype.value_or(like.dtype()), to.how, &like);
}
Array ones_like(const Array& like, const MakingLike& to) {
  return of_value(shape_of(like, to), whole(1), to.how.dtype.value_or(like.dtype()), to.how, &like);
}
Array empty_like(const Array& like, const MakingLike& to) { return unwritten(zeros_like(like, to)); }
Array filled_like(const Rules& rules, const Array& like, const Argument& value, const MakingLike& to) {
  Making how = to.how;
  how.dtype = how.dtype.value_or(like.dtype());
  return filled(rules, shape_of(like, to), value, how, &like);
}

LayoutRef layout_like(const Array& like, const MakingLike& to) { return layout_of(shape_of(like, to), to.how, &like); }

Array even_numbers(const EvenNumbers& numbers) {
  if (numbers.made) return *numbers.made;
  return as_type(evenly_spaced(numbers.start, numbers.step, numbers.count, numbers.work, numbers.device), numbers.dtype);
}

Array with_ones_on_diagonal(Sides sides, int64_t k, const Making& how) {
  const auto [rows, columns] = sides;
  const DType type = how.dtype.value_or(DType::float64);
  if (rows < 0 || columns < 0) raise(ErrorKind::value, "negative dimensions are not allowed");
  const bool is_beside = k >= columns || k <= -rows;
  if (is_beside || is_record(type)) return of_value({rows, columns}, whole(0), type, how);
  const Array places = add(reshaped(arange(rows, how.device), {rows, 1}, Order::c), k);
  const Array is_one = equal(places, arange(columns, how.device));
  if (how.order == Order::fortran) return copied(is_one, type, Order::fortran);
  layout_of({rows, columns}, how, nullptr);  // raises for other orders
  return as_type(is_one, type);
}

// Ones on and below it.
Array with_ones_below_diagonal(Sides sides, DiagonalNumber k, const Making& how) {
  const int64_t rows = std::max<int64_t>(sides.rows, 0), columns = std::max<int64_t>(sides.columns, 0);
  const Array places = reshaped(arange(rows, how.device), {rows, 1}, Order::c);
  const Array last = subtract(places, static_cast<int64_t>(-k.value));  // of the ones in each row
  return as_type(greater_equal(last, arange(columns, how.device)), how.dtype.value_or(DType::float64));
}

namespace {

// The columns of row `row` that `ends` gives: the first, and the one behind the last.
template <class F>
Array places_in_rows(int64_t rows, const Making& how, F&& ends) {
  int64_t count = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const auto [column, end] = ends(row);
    if (end > column && __builtin_add_overflow(count, end - column, &count))
      raise(ErrorKind::value, "there are more than 2^63 elements in a matrix of {} rows", rows);
  }
  if (count > INT64_MAX / 2)
    raise(ErrorKind::value, "there are more than 2^63 elements in the indices of a matrix of {} rows", rows);
  check_room(2 * count, DType::int64, how.device);
  std::vector<int64_t> places(static_cast<size_t>(2 * count));
  size_t at = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (auto [column, end] = ends(row); column < end; ++column, ++at) {
      places[at] = row;
      places[at + static_cast<size_t>(count)] = column;
    }
  return as_type(reshaped(array_of(places, how.device), {2, count}, Order::c), how.dtype.value_or(DType::int64));
}

}  // namespace

// The places of a matrix's elements on and below a diagonal, or on and above it: their rows, and their columns.
Array lower_places(int64_t rows, int64_t columns, int64_t k, const Making& how) {
  return places_in_rows(rows, how, [&](int64_t row) { return std::pair(int64_t{0}, std::min(columns, row + k + 1)); });
}
Array upper_places(int64_t rows, int64_t columns, int64_t k, const Making& how) {
  return places_in_rows(rows, how, [&](int64_t row) { return std::pair(std::max<int64_t>(0, row + k), columns); });
}

// The indices of a grid, one array for all axes; or one for each, which broadcast.
OneForEach grid_indices(const Shape& shape, bool is_sparse, const Making& how) {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 0; }))
    raise(ErrorKind::value, "negative dimensions are not allowed");
  const DType type = how.dtype.value_or(DType::int64);
  OneForEach out{{}, is_sparse};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    Shape line(shape.size(), 1);
    line[axis] = shape[axis];
    out.arrays.push_back(as_type(reshaped(arange(shape[axis], how.device), line, Order::c), type));
  }
  if (is_sparse) return out;
  Shape all = shape;
  all.insert(all.begin(), static_cast<int64_t>(shape.size()));
  const Array made = of_value(all, whole(0), type, how);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    assign(element(made, 0, static_cast<int64_t>(axis)), Argument(out.arrays[axis]));
  return {{made}, false};
}

}  // namespace quern
