// Parts of arrays that begin at given places, and values that are put, added or combined at indices, as Keras has them: negative
// indices count from the end, a part that does not fit is moved, and values for places that are not there are left out.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "functions/ranking.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

// The part of these sizes that begins at `starts`; -1: what follows the start.
Array part_at(const Array& array, const std::vector<int64_t>& starts, const std::vector<int64_t>& sizes) {
  if (starts.size() != sizes.size())
    raise(ErrorKind::value, "Length of `start_indices` must match length of `shape`. Received: start_indices={}, shape={}",
          to_string(starts), to_string(sizes));
  if (starts.size() != array.rank())
    raise(ErrorKind::value, "Argument `start_indices` must have a number for each axis of {}. Received: start_indices={}",
          to_string(array.shape()), to_string(starts));
  Array out = array;
  for (size_t axis = 0; axis < starts.size(); ++axis) {
    const int64_t n = array.shape()[axis], start = starts[axis] < 0 ? starts[axis] + n : starts[axis];
    const int64_t size = sizes[axis] < 0 ? std::max<int64_t>(n - start, 0) : sizes[axis];
    if (size > n)
      raise(ErrorKind::type, "slice sizes must be less than or equal to the operand's shape, got sizes {} for shape {}",
            to_string(sizes), to_string(array.shape()));
    const int64_t first = std::clamp<int64_t>(start, 0, n - size);
    out = part(out, static_cast<int>(axis), first, first + size);
  }
  return out;
}

// A copy with `updates` in place of the part that begins at `starts`.
Array with_part_at(const Array& array, const std::vector<int64_t>& starts, const Array& updates) {
  const bool has_axes = updates.rank() == array.rank();
  for (size_t axis = 0; axis < array.rank(); ++axis)
    if (!has_axes || updates.shape()[axis] > array.shape()[axis])
      raise(ErrorKind::type, "slice_update: `updates` must {} than the operand, got shape {} for the operand's shape {}",
            has_axes ? "not be larger" : "have no other rank", to_string(updates.shape()), to_string(array.shape()));
  Array out = copied(array, array.dtype());
  assign(part_at(out, starts, updates.shape()), Argument(as_type(updates, array.dtype())));
  return out;
}

namespace {

// The number among the parts of an array that each row of indices names; `count` for those that are not there.
struct Indexed {
  Array places;
  size_t depth;
  int64_t count = 1;

  Indexed(const Array& indices, const Shape& sizes) : depth(0) {
    if (!is_integer(indices.dtype()))
      raise(ErrorKind::type, "Indexer must have integer or boolean type, got indexer with type {}", row(indices.dtype()).name);
    if (indices.rank() == 0) raise(ErrorKind::index, "Argument `indices` must be at least rank 1. Received: indices.shape=()");
    depth = static_cast<size_t>(indices.shape().back());
    if (depth > sizes.size())
      raise(ErrorKind::index, "Too many indices: array is {}-dimensional, but {} were indexed", sizes.size(), depth);
    Shape shape(indices.shape().begin(), indices.shape().end() - 1);
    Array is_there = full(shape, whole(1), DType::boolean, indices.device());
    places = full(shape, whole(0), DType::int64, indices.device());
    for (size_t axis = 0; axis < depth; ++axis) {
      const int64_t n = sizes[axis];
      Array index = as_type(element(indices, -1, static_cast<int64_t>(axis)), DType::int64);
      index = where(less(index, 0), add(index, n), index);
      is_there = logical_and(is_there, logical_and(greater_equal(index, 0), less(index, n)));
      places = add(multiply(places, n), index);
      count *= n;
    }
    places = reshape(where(is_there, places, count), {places.size()});
  }
};

// Of rows and values at places the extremes; of equal ones each has its share of the gradient.
class ScatteredExtreme : public GradientBody {
 public:
  std::string_view name() const override { return "scatter_extreme"; }
  Gradients gradients(const GradientCall& call) const override {
    const Array &rows = call.operands[0], &values = call.operands[1], &made = call.results[0], &g = *call.given[0];
    const Pick pick{0, call.operands[2]};
    const Array is_kept = equal(rows, made), is_put = equal(values, take(made, {&pick, 1}));
    const Array count = copied(is_kept, g.dtype());
    put_add(count, {&pick, 1}, Argument(as_type(is_put, g.dtype())));
    const Array share = true_divide(g, maximum(count, 1));
    return {where(is_kept, share, 0), where(is_put, take(share, {&pick, 1}), 0), std::nullopt};
  }
};

// The rows, of which the last stands for what is left out, with values put, or combined with what is there, at places. Values for
// one place are first combined with each other: in the order of the places each step adds what stands 1, 2, 4 ... before.
Array combined(Op op, const Array& rows, const Array& places, const Array& values) {
  const Pick by_place{0, sorted_places_along(places, 0, false)};
  const Array place = take(places, {&by_place, 1});
  Array value = take(values, {&by_place, 1});
  const int64_t n = place.size();
  for (int64_t step = 1; step < n; step *= 2) {
    const Array is_same = expand_dims(equal(part(place, 0, step, n), part(place, 0, 0, n - step)), 1);
    const Array later = part(value, 0, step, n), both = compute(op, later, part(value, 0, 0, n - step));
    value = joined({part(value, 0, 0, step), where(is_same, both, later)}, 0);
  }
  const Array is_last =
      joined({not_equal(part(place, 0, 1, n), part(place, 0, 0, n - 1)), full({1}, whole(1), DType::boolean, place.device())}, 0);
  const Pick all{0, place}, last{0, where(is_last, place, rows.shape()[0] - 1)};
  const Array out = copied(rows, rows.dtype());
  put(out, {&last, 1}, Argument(compute(op, take(rows, {&all, 1}), value)));
  return out;
}

Array extremes_at(Op op, const Array& rows, const Array& places, const Array& values) {
  const std::array<Array, 3> inputs{rows, values, places};
  return differentiable(std::make_shared<ScatteredExtreme>(), inputs, {{true, true, true}, {true}},
                        [&] { return std::vector<Array>{combined(op, rows, places, values)}; })[0];
}

enum class Scattering { put, add, multiply, maximum, minimum };

Scattering scattering_of(std::optional<std::string_view> reduction, DType type) {
  if (!reduction) return Scattering::put;
  if (type == DType::boolean && (*reduction == "add" || *reduction == "mul"))
    raise(ErrorKind::type, "reduction \"{}\" does not accept dtype bool; convert with cast() before", *reduction);
  if (*reduction == "add") return Scattering::add;
  if (*reduction == "mul") return Scattering::multiply;
  if (*reduction == "max") return Scattering::maximum;
  if (*reduction == "min") return Scattering::minimum;
  raise(ErrorKind::value, "Unsupported reduction: {}", *reduction);
}

}  // namespace

// A copy with updates at the places that the rows of `indices` name: in place of what is there, or combined with it by "add",
// "mul", "max" or "min".
Array with_scattered(const Array& array, const Array& indices, const Array& updates, std::optional<std::string_view> reduction) {
  const DType type = array.dtype();
  const Scattering how = scattering_of(reduction, type);
  const Indexed at(indices, array.shape());
  Shape wanted(indices.shape().begin(), indices.shape().end() - 1);
  wanted.insert(wanted.end(), array.shape().begin() + static_cast<ptrdiff_t>(at.depth), array.shape().end());
  const Array spread = broadcast_view(as_type(updates, type), wanted);
  if (array.size() == 0 || spread.size() == 0) return copied(array, type);
  const int64_t elements = array.size() / at.count;
  const Array values = reshape(spread, {at.places.size(), elements});
  Array rows = joined({reshape(array, {at.count, elements}), full({1, elements}, whole(0), type, array.device())}, 0);
  const Pick pick{0, at.places};
  switch (how) {
    case Scattering::put:
      put(rows, {&pick, 1}, Argument(values));
      break;
    case Scattering::add:
      put_add(rows, {&pick, 1}, Argument(values));
      break;
    case Scattering::multiply:
      rows = combined(Op::multiply, rows, at.places, values);
      break;
    default:
      rows = extremes_at(how == Scattering::maximum ? Op::maximum : Op::minimum, rows, at.places, values);
  }
  return reshape(part(rows, 0, 0, at.count), array.shape());
}

// Zeros of a shape with values added at the places that the rows of `indices` name.
Array scattered(const Array& indices, const Array& values, const std::vector<int64_t>& shape) {
  return with_scattered(full(shape, whole(0), values.dtype(), values.device()), indices, values, "add");
}

}  // namespace quern
