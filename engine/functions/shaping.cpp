#include "functions/shaping.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/room.h"
#include "functions/elementwise.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/records.h"
#include "graph/tape.h"

namespace quern {

using namespace steps;

namespace {

Array between(const Array& array, size_t axis, std::optional<int64_t> start, std::optional<int64_t> stop) {
  return array.view(sliced(array.layout(), axis, start, stop, 1));
}

Array repeated_to(const Array& array, const Shape& shape) { return array.view(array.layout().broadcast_to(shape)); }

Array whole_view(const Array& array) { return array.view(array.layout()); }

// The shape with its -1 replaced.
Shape known_sizes(const Array& array, const Shape& given) {
  Shape shape = given;
  int64_t* unknown = nullptr;
  int64_t rest = 1;
  bool fits = true;
  for (int64_t& size : shape) {
    if (size == -1 && unknown) raise(ErrorKind::value, "can only specify one unknown dimension");
    if (size == -1)
      unknown = &size;
    else
      fits = fits && size >= 0 && !__builtin_mul_overflow(rest, size, &rest);
  }
  if (fits) fits = unknown ? rest != 0 && array.size() % rest == 0 : rest == array.size();
  if (!fits) raise(ErrorKind::value, "cannot reshape array of size {} into shape {}", array.size(), to_string(given));
  if (unknown) *unknown = array.size() / rest;
  return shape;
}

// The memory as elements of another type; along the last axis there are more or fewer where they have another size.
Array viewed_as(const Array& array, DType dtype) {
  auto have = static_cast<int64_t>(size_of(array.dtype())), want = static_cast<int64_t>(size_of(dtype));
  Shape shape = array.shape();
  std::vector<int64_t> strides = strides_in_bytes(array);
  if (have != want) {
    std::string_view from = row(array.dtype()).name, to = row(dtype).name;
    if (shape.empty()) raise(ErrorKind::value, "self.dim() cannot be 0 to view {} as {} (different element sizes)", from, to);
    if (strides.back() != have)
      raise(ErrorKind::value, "self.stride(-1) must be 1 to view {} as {} (different element sizes)", from, to);
    if (shape.back() * have % want != 0)
      raise(ErrorKind::value, "self.size(-1) must be divisible by {} to view {} as {}", want / have, from, to);
    shape.back() = shape.back() * have / want;
    strides.back() = want;
  }
  return view_of_bytes(array, shape, strides, offset_in_bytes(array), dtype);
}

constexpr int64_t most_parts = int64_t{1} << 26;

void check_has_axes(const Array& array) {
  if (array.rank() == 0) raise(ErrorKind::index, "Dimension specified as 0 but tensor has no dimensions");
}

// What NumPy calls a scalar.
Array as_number(const Array& array) {
  Array out = array.apart();
  out.set_value(true);
  return out;
}

// In memory of its own.
Array reshaped_copy(const Array& array, const Shape& shape) {
  Array out = reshape(array, shape);
  return out.cell() == array.cell() ? copied(out, out.dtype()) : out;
}

// The result's shape; checks that the others fit to the first.
Shape joined_shape(const std::vector<Array>& arrays, size_t axis) {
  if (arrays.empty()) raise(ErrorKind::value, "[concatenate] need at least one array to concatenate");
  Shape shape = arrays[0].shape();
  if (shape.empty()) raise(ErrorKind::value, "[concatenate] zero-dimensional arrays cannot be concatenated; use stack()");
  if (auto wrong = unfit(arrays, axis)) {
    const Shape& other = arrays[wrong->array].shape();
    if (other.size() != shape.size())
      raise(ErrorKind::value,
            "all the input arrays must have same number of dimensions, but the array at index 0 has {} dimension(s) and the "
            "array at "
            "index {} has {} dimension(s)",
            shape.size(), wrong->array, other.size());
    raise(ErrorKind::value,
          "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {}, the "
          "array at "
          "index 0 has size {} and the array at index {} has size {}",
          wrong->axis, shape[wrong->axis], wrong->array, other[wrong->axis]);
  }
  shape[axis] = 0;
  for (const Array& a : arrays) shape[axis] += a.shape()[axis];
  return shape;
}

bool any_wants_gradient(const std::vector<Array>& arrays) {
  return GradientMode::is_on() && std::any_of(arrays.begin(), arrays.end(), wants_gradient);
}

// Joined arrays are a single autograd node: with a node for each part, every part's write would record the whole array.
class Joined : public GradientBody {
 public:
  explicit Joined(size_t axis) : axis_(axis) {}
  std::string_view name() const override { return "cat"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    std::vector<std::optional<Array>> out(call.wanted.size());
    int64_t at = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      int64_t next = at + call.layouts[i]->shape[axis_];
      if (call.wanted[i]) out[i] = between(*call.given[0], axis_, at, next);
      at = next;
    }
    return out;
  }

 private:
  size_t axis_;
};

Array rolled_by(const Array& array, const std::vector<int64_t>& shifts);

class Rolled : public GradientBody {
 public:
  explicit Rolled(std::vector<int64_t> shifts) : shifts_(std::move(shifts)) {}
  std::string_view name() const override { return "roll"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    std::vector<int64_t> back;
    for (int64_t by : shifts_) back.push_back(-by);
    return {rolled_by(*call.given[0], back)};
  }

 private:
  std::vector<int64_t> shifts_;  // along each axis
};

// `by`: for each axis less than its size.
Array rolled_by(const Array& array, const std::vector<int64_t>& shifts) {
  std::vector<int64_t> by = shifts;
  for (size_t n = 0; n < by.size(); ++n)
    if (int64_t size = std::max<int64_t>(array.shape()[n], 1); true) by[n] = (by[n] % size + size) % size;
  if (std::all_of(by.begin(), by.end(), [](int64_t n) { return n == 0; })) return copied(array, array.dtype(), Order::keep);
  if (any_wants_gradient({array})) {
    auto roll = [&] { return std::vector<Array>{rolled_by(array, by)}; };
    return differentiable(std::make_shared<Rolled>(by), {&array, 1}, {}, roll)[0];
  }
  GraphLock lock;
  Array out = full_in(copied_layout(array, Order::keep), Scalar{}, array.dtype(), array.device());
  // Along each axis that rolls there are two parts: what moves on, and what comes in at the start.
  auto place = [&](auto&& self, const Array& target, const Array& source, size_t axis) -> void {
    if (axis == by.size()) return assign(target, Argument(source));
    if (by[axis] == 0) return self(self, target, source, axis + 1);
    self(self, between(target, axis, {}, by[axis]), between(source, axis, -by[axis], {}), axis + 1);
    self(self, between(target, axis, by[axis], {}), between(source, axis, {}, -by[axis]), axis + 1);
  };
  place(place, out, array, 0);
  return out;
}

}  // namespace

// ---- views

Array moved_axes(const Array& array, const Axes& from, const Axes& to) {
  if (from.size() != to.size())
    raise(ErrorKind::value, "`source` and `destination` arguments must have the same number of elements");
  if (array.rank() == 0) return whole_view(array);
  std::vector<int> order;
  for (size_t n = 0; n < array.rank(); ++n)
    if (std::find(from.begin(), from.end(), n) == from.end()) order.push_back(static_cast<int>(n));
  std::vector<std::pair<size_t, size_t>> moves;
  for (size_t i = 0; i < from.size(); ++i) moves.emplace_back(to[i], from[i]);
  std::sort(moves.begin(), moves.end());
  for (auto [target, source] : moves) order.insert(order.begin() + static_cast<ptrdiff_t>(target), static_cast<int>(source));
  return transpose(array, order);
}

Array swapped_axes(const Array& array, size_t one, size_t other) {
  if (array.rank() == 0) return whole_view(array);
  std::vector<int> order(array.rank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[one], order[other]);
  return transpose(array, order);
}

Array permuted(const Array& array, const Permutation& order) {
  std::vector<int> axes(array.rank());
  for (size_t n = 0; n < axes.size(); ++n) axes[n] = static_cast<int>(order.axes ? (*order.axes)[n] : axes.size() - 1 - n);
  return transpose(array, axes);
}

Array matrix_transposed(const Array& array) {
  size_t rank = array.rank();
  if (rank < 2)
    raise(ErrorKind::value,
          "matrix transpose with ndim < 2 is undefined; Input array must be at least 2-dimensional, but it is {}", rank);
  return swapped_axes(array, rank - 1, rank - 2);
}

Array transposed_matrix(const Array& array) {
  if (array.rank() > 2) raise(ErrorKind::value, "t() expects a tensor with <= 2 dimensions, but self is {}D", array.rank());
  return permuted(array, {});
}

// The elements in another shape, of which one size may be -1, read and put down in an order: a view where that is possible.
// `copies`: true for new memory in any case, false for a view or ErrorKind::value.
Array reshaped_as(const Array& array, const Shape& given, Order order, std::optional<bool> copies) {
  Shape shape = known_sizes(array, given);
  if (copies.value_or(false)) return reshaped(copied(array, array.dtype(), order), shape, order);
  // As NumPy: an array of this shape stays as it is, one whose shape was asked for by -1 loses odd strides of axes of one
  // element.
  const bool stays = given == array.shape() && order != Order::keep && !TorchOrder::is_on();
  Array out = stays ? array.view(array.layout()) : reshaped(array, shape, order);
  if (copies && out.cell() != array.cell()) raise(ErrorKind::value, "Unable to avoid creating a copy while reshaping.");
  return out;
}

Array viewed(const Array& array, const std::optional<Shape>& shape, std::optional<DType> dtype) {
  if (!shape) return dtype && *dtype != array.dtype() ? viewed_as(array, *dtype) : whole_view(array);
  std::optional<Layout> layout = array.layout_in_shape(known_sizes(array, *shape));
  if (!layout)
    raise(ErrorKind::value,
          "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
          "subspaces). Use .reshape(...) instead.");
  return array.view(std::move(*layout));
}

std::optional<Array> merged_axes(const Array& array, size_t first, size_t last) {
  if (array.rank() == 0) return reshape(array, {1});
  if (first > last) raise(ErrorKind::value, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (first == last) return {};
  Shape shape = array.shape();
  auto begin = shape.begin() + static_cast<ptrdiff_t>(first), end = shape.begin() + static_cast<ptrdiff_t>(last) + 1;
  *begin = std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
  shape.erase(begin + 1, end);
  return reshape(array, shape);
}

Array broadcast_view(const Array& array, const Shape& given) {
  Shape shape = given;
  size_t more = std::max(shape.size(), array.rank()) - array.rank();
  for (size_t n = more; n < shape.size(); ++n)
    if (shape[n] == -1) shape[n] = array.shape()[n - more];
  return repeated_to(array, shape);
}

Array with_new_axes(const Array& array, const NewAxes& axes) {
  std::vector<size_t> places = axes.places;
  std::sort(places.begin(), places.end());
  return array.view(layout_with_axes(array.layout(), places));
}

Array without_axes(const Array& array, const Axes& axes) {
  Layout layout = array.layout();
  for (size_t n = array.rank(); n-- > 0;) {
    if (std::find(axes.begin(), axes.end(), n) == axes.end()) continue;
    if (layout.shape[n] != 1)
      raise(ErrorKind::value, "[squeeze] axis {} has size {}; only axes of size one can be removed", n, layout.shape[n]);
    layout = layout.without(n, 0);
  }
  return array.view(std::move(layout));
}

std::optional<Array> squeezed_or_same(const Array& array, const SqueezedAxes& goes) {
  const Shape& shape = array.shape();
  Axes axes = goes.axes.value_or(Axes{});
  for (size_t n = 0; !goes.axes && n < shape.size(); ++n)
    if (shape[n] == 1) axes.push_back(n);
  if (axes.empty()) return {};
  for (size_t axis : axes)
    if (axis < shape.size() && shape[axis] != 1)
      raise(ErrorKind::value, "cannot select an axis to squeeze out which has size not equal to one");
  if (axes.empty()) return {};
  return without_axes(array, axes);
}
Array squeezed(const Array& array, const SqueezedAxes& goes) {
  std::optional<Array> out = squeezed_or_same(array, goes);
  return out ? *std::move(out) : array.view(array.layout());
}

Array flipped(const Array& given, const std::optional<Axes>& axes) {
  if (given.rank() == 0) return as_number(given);
  Axes all = axes.value_or(Axes{});
  for (size_t n = 0; !axes && n < given.rank(); ++n) all.push_back(n);
  const bool is_repeated =
      std::ranges::any_of(all, [&](size_t n) { return given.layout().strides[n] == 0 && given.shape()[n] > 1; });
  // Elements that share a place lie there as before; their gradients change places.
  const Array array = is_repeated && wants_gradient(given) ? copied(given, given.dtype()) : given;
  Layout layout = array.layout();
  for (size_t axis : all) layout = sliced(layout, axis, {}, {}, -1);
  return array.view(std::move(layout));
}

Array flipped_rows(const Array& array) {
  if (array.rank() < 1) raise(ErrorKind::value, "Input must be >= 1-d.");
  return flipped(array, Axes{0});
}

Array flipped_columns(const Array& array) {
  if (array.rank() < 2) raise(ErrorKind::value, "Input must be >= 2-d.");
  return flipped(array, Axes{1});
}

Array turned(const Array& array, int64_t quarters, const Axes& plane) {
  if (plane.size() != 2) raise(ErrorKind::value, "len(axes) must be 2.");
  switch ((quarters % 4 + 4) % 4) {
    case 0:
      return whole_view(array);
    case 1:
      return swapped_axes(flipped(array, Axes{plane[1]}), plane[0], plane[1]);
    case 2:
      return flipped(array, plane);
    default:
      return flipped(swapped_axes(array, plane[0], plane[1]), Axes{plane[1]});
  }
}

std::vector<Array> parts_between(const Array& array, size_t axis, const std::vector<int64_t>& cuts) {
  std::vector<Array> out;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) out.push_back(between(array, axis, cuts[i], cuts[i + 1]));
  return out;
}

std::vector<Array> parts(const Array& array, int64_t count, size_t axis, bool must_be_equal) {
  int64_t total = array.shape()[axis];
  if (count <= 0) raise(ErrorKind::value, "number of sections must be larger than 0, got {}", count);
  if (must_be_equal && total % count != 0)
    raise(ErrorKind::value,
          "array split does not result in an equal division: {} elements in {} parts; array_split() makes unequal ones", total,
          count);
  if (count > most_parts) raise(ErrorKind::value, "[split] there is no memory for {} parts", count);
  std::vector<int64_t> cuts;
  for (int64_t i = 0; i <= count; ++i) cuts.push_back(i * (total / count) + std::min(i, total % count));
  return parts_between(array, axis, cuts);
}

static Parts divided(const Array& array, const Division& by, size_t axis, bool must_be_equal) {
  if (array.rank() == 0)
    raise(ErrorKind::value, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  if (by.number) return {parts(array, *by.number, axis, must_be_equal)};
  std::vector<int64_t> cuts = {0};
  cuts.insert(cuts.end(), by.numbers.begin(), by.numbers.end());
  cuts.push_back(array.shape()[axis]);
  return {parts_between(array, axis, cuts)};
}

// By a number of parts, or places where they begin. Equal parts, else ErrorKind::value; or parts as equal as can be.
Parts split_equally(const Array& array, const Division& by, size_t axis) { return divided(array, by, axis, true); }
Parts split_nearly(const Array& array, const Division& by, size_t axis) { return divided(array, by, axis, false); }

Parts split_columns(const Array& array, const Division& by) {
  if (array.rank() < 1) raise(ErrorKind::value, "hsplit only works on arrays of 1 or more dimensions");
  return divided(array, by, array.rank() > 1 ? 1 : 0, true);
}
// equally along the first, the second (or only), the third axis
Parts split_rows(const Array& array, const Division& by) {
  if (array.rank() < 2) raise(ErrorKind::value, "vsplit only works on arrays of 2 or more dimensions");
  return divided(array, by, 0, true);
}
Parts split_depths(const Array& array, const Division& by) {
  if (array.rank() < 3) raise(ErrorKind::value, "dsplit only works on arrays of 3 or more dimensions");
  return divided(array, by, 2, true);
}

Parts split_by_sizes(const Array& array, const Division& by, size_t axis) {
  check_has_axes(array);
  int64_t total = array.shape()[axis], at = 0;
  std::vector<int64_t> cuts = {0};
  if (by.number) {
    int64_t each = *by.number;
    if (each < 0 || (each == 0 && total > 0))
      raise(ErrorKind::value, "split expects split_size be non-negative, but got split_size={}", each);
    while (at < total) cuts.push_back(at += std::min(each, total - at));
    if (total == 0) cuts.push_back(0);
  } else {
    for (int64_t size : by.numbers)
      if (size < 0)
        raise(ErrorKind::value, "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={}",
              in_brackets(by.numbers));
    for (int64_t size : by.numbers) {
      at = size > total - at ? total + 1 : at + size;
      cuts.push_back(at);
      if (at > total) break;
    }
    if (at != total)
      raise(ErrorKind::value,
            "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {}), but got "
            "split_sizes={}",
            total, axis, in_brackets(by.numbers));
  }
  return {parts_between(array, axis, cuts)};
}

Parts chunks_of(const Array& array, int64_t count, size_t axis) {
  if (count <= 0) raise(ErrorKind::value, "chunk expects `chunks` to be greater than 0, got: {}", count);
  check_has_axes(array);
  int64_t total = array.shape()[axis];
  if (total > 0) return split_by_sizes(array, {(total - 1) / count + 1, {}}, axis);
  return {parts(array, count, axis, false)};
}

std::vector<Array> elements_along(const Array& array, size_t axis) {
  check_has_axes(array);
  std::vector<Array> out;
  for (int64_t i = 0; i < array.shape()[axis]; ++i) out.push_back(element(array, static_cast<int>(axis), i));
  return out;
}

std::vector<Array> broadcast_together(const std::vector<Array>& arrays) {
  std::vector<Shape> shapes;
  for (const Array& a : arrays) shapes.push_back(a.shape());
  Shape all = broadcast_shapes(shapes);
  std::vector<Array> out;
  for (const Array& a : arrays) out.push_back(repeated_to(a, all));
  return out;
}

std::vector<Array> with_rank(const std::vector<Array>& arrays, size_t rank) {
  std::vector<Array> out;
  for (const Array& a : arrays) {
    Array wide = a;
    while (wide.rank() < rank) wide = expand_dims(wide, wide.rank() == 2 ? 2 : 0);
    out.push_back(wide);
  }
  return out;
}

OneForEach at_least_1d(const std::vector<Array>& arrays) { return {with_rank(arrays, 1)}; }
OneForEach at_least_2d(const std::vector<Array>& arrays) { return {with_rank(arrays, 2)}; }
OneForEach at_least_3d(const std::vector<Array>& arrays) { return {with_rank(arrays, 3)}; }

std::vector<Array> grid_of(const std::vector<Array>& arrays, bool by_rows, bool is_sparse) {
  size_t rank = arrays.size();
  std::vector<Array> out;
  for (size_t n = 0; n < rank; ++n) {
    Shape shape(rank, 1);
    shape[!by_rows && rank > 1 && n < 2 ? 1 - n : n] = arrays[n].size();
    out.push_back(reshape(arrays[n], shape));
  }
  return is_sparse ? out : broadcast_together(out);
}

// The same, by a name or none ("xy", "ij"), in new memory unless `copies` says otherwise.
std::vector<Array> grid_by_name(const std::vector<Array>& arrays, bool copies, bool is_sparse,
                                std::optional<std::string_view> name) {
  if (name && name != "xy" && name != "ij") raise(ErrorKind::value, "Valid values for `indexing` are 'xy' and 'ij'.");
  std::vector<Array> out = grid_of(arrays, name != "xy", is_sparse);
  if (copies)
    for (Array& one : out) one = copied(one, one.dtype());
  return out;
}

// ---- new arrays

Array copy_of(const Array& array) { return copied(array, array.dtype(), Order::c); }

Array flattened(const Array& array, Order order) {
  Array out = raveled(array, order);
  return out.cell() == array.cell() ? copied(out, out.dtype()) : out;
}

Array joined(const std::vector<Array>& arrays, size_t axis, std::optional<DType> dtype) {
  Shape shape = joined_shape(arrays, axis);
  if (!dtype) {
    std::vector<OperandType> types;
    for (const Array& a : arrays) types.push_back({a.dtype()});
    dtype = common_type(types);
  }
  auto join = [&] {
    GraphLock lock;
    Array out = full_in(joined_layout(shape, arrays), Scalar{}, *dtype, arrays[0].device());
    join_into(out, arrays, axis);
    return std::vector<Array>{out};
  };
  return any_wants_gradient(arrays) ? differentiable(std::make_shared<Joined>(axis), arrays, {}, join)[0] : join()[0];
}

// One after the other along an axis, or both flattened.
Array appended(const AlikeArrays& of, std::optional<size_t> axis) {
  if (axis) return joined({of.a, *of.b}, *axis);
  return joined({raveled(of.a, Order::c), raveled(*of.b, Order::c)}, 0);
}

void join_into(const Array& out, const std::vector<Array>& arrays, size_t axis) {
  if (Shape shape = joined_shape(arrays, axis); out.shape() != shape)
    raise(ErrorKind::value, "[concatenate] the result has the shape {}, the output array {}", to_string(shape),
          to_string(out.shape()));
  int64_t at = 0;
  for (const Array& a : arrays) {
    int64_t next = at + a.shape()[axis];
    assign(between(out, axis, at, next), Argument(a));
    at = next;
  }
}

Array stacked(const std::vector<Array>& arrays, size_t axis, std::optional<DType> dtype) {
  if (arrays.empty()) raise(ErrorKind::value, "[stack] need at least one array to stack");
  std::vector<Array> wide;
  for (const Array& a : arrays) {
    if (a.shape() != arrays[0].shape())
      raise(ErrorKind::value, "all input arrays must have the same shape, not {} and {}", to_string(arrays[0].shape()),
            to_string(a.shape()));
    wide.push_back(expand_dims(a, axis));
  }
  return joined(wide, axis, dtype);
}

std::optional<Unfit> unfit(const std::vector<Array>& arrays, size_t axis) {
  const Shape& first = arrays[0].shape();
  for (size_t i = 1; i < arrays.size(); ++i) {
    const Shape& shape = arrays[i].shape();
    if (shape.size() != first.size()) return Unfit{i, axis};
    for (size_t n = 0; n < shape.size(); ++n)
      if (n != axis && shape[n] != first[n]) return Unfit{i, n};
  }
  return {};
}

Array concatenated(const std::vector<Array>& arrays, std::optional<size_t> axis, JoinedType type) {
  if (axis) return joined(arrays, *axis, type.dtype);
  std::vector<Array> lines;
  for (const Array& a : arrays) lines.push_back(raveled(a, Order::c));
  return joined(lines, 0, type.dtype);
}

Array stacked_along(const std::vector<Array>& arrays, NewAxis axis, JoinedType type) {
  return stacked(arrays, axis.place, type.dtype);
}

Array stacked_columns(const std::vector<Array>& arrays, JoinedType type) {
  std::vector<Array> wide = with_rank(arrays, 1);
  return joined(wide, wide.empty() || wide[0].rank() == 1 ? 0 : 1, type.dtype);
}

Array stacked_rows(const std::vector<Array>& arrays, JoinedType type) { return joined(with_rank(arrays, 2), 0, type.dtype); }

Array stacked_depths(const std::vector<Array>& arrays, JoinedType type) { return joined(with_rank(arrays, 3), 2, type.dtype); }

Array columns_of(const std::vector<Array>& arrays, JoinedType type) {
  std::vector<Array> columns;
  for (const Array& a : arrays) columns.push_back(a.rank() < 2 ? reshape(a, {a.size(), 1}) : a);
  return joined(columns, 1, type.dtype);
}

Array tiled(const Array& array, const std::vector<int64_t>& given) {
  Shape sizes = array.shape();
  std::vector<int64_t> times = given;
  times.insert(times.begin(), std::max(sizes.size(), times.size()) - times.size(), 1);
  sizes.insert(sizes.begin(), times.size() - sizes.size(), 1);
  Shape apart, pairs, out;
  for (size_t n = 0; n < sizes.size(); ++n) {
    if (times[n] < 0) raise(ErrorKind::value, "[tile] negative dimensions are not allowed: {} times", times[n]);
    apart.insert(apart.end(), {1, sizes[n]});
    pairs.insert(pairs.end(), {times[n], sizes[n]});
    out.push_back(times[n] * sizes[n]);
  }
  bool is_copy = std::all_of(times.begin(), times.end(), [](int64_t n) { return n == 1; });  // which lies as the array does
  if (is_copy && sizes.size() == array.rank()) return copied(array, array.dtype(), Order::keep);
  if (is_copy) return reshape(copied(array, array.dtype(), Order::keep), sizes);
  return reshaped_copy(repeated_to(reshape(array, apart), pairs), out);
}

// How many elements there are when those of an axis are repeated; raises where no memory holds them.
static int64_t count_repeated(const Array& array, const std::vector<int64_t>& times, size_t axis) {
  const int64_t size = array.shape()[axis], others = size > 0 ? array.size() / size : 0;
  int64_t along = 0, all = 0;
  bool is_too_large = false;
  for (int64_t count : times) is_too_large |= __builtin_add_overflow(along, count, &along);
  if (times.size() == 1) is_too_large |= __builtin_mul_overflow(along, size, &along);
  is_too_large |= __builtin_mul_overflow(along, others, &all);
  if (is_too_large) raise(ErrorKind::value, "[repeat] there are more than 2^63 elements in the result");
  check_room(all, array.dtype(), array.device());
  return along;
}

Array repeated(const Array& array, const std::vector<int64_t>& times, size_t axis) {
  int64_t size = array.shape()[axis];
  if (times.size() != 1 && static_cast<int64_t>(times.size()) != size)
    raise(ErrorKind::value, "[repeat] the repeats and the axis must have the same length: {} repeats for {} elements",
          times.size(), size);
  for (int64_t count : times)
    if (count < 0) raise(ErrorKind::value, "[repeat] repeats may not contain negative values, such as {}", count);
  const int64_t count_along = times.empty() ? size : count_repeated(array, times, axis);
  if (std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) == times.end()) {
    int64_t count = times.empty() ? 1 : times[0];
    Shape out = array.shape(), wide = out;
    wide.insert(wide.begin() + static_cast<ptrdiff_t>(axis) + 1, count);
    out[axis] = count_along;
    return reshaped_copy(repeated_to(expand_dims(array, axis + 1), wide), out);
  }
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(count_along));
  for (int64_t i = 0; i < size; ++i) places.insert(places.end(), static_cast<size_t>(times[static_cast<size_t>(i)]), i);
  Pick pick{axis, array_of(places, array.device())};
  Array picked = take(array, {&pick, 1});  // that axis is the first now
  return axis == 0 ? picked : copied(moved_axes(picked, {0}, {axis}), picked.dtype(), Order::c);
}

// The same along an axis, or of the flattened array.
Array repeated_by(const Array& array, const std::vector<int64_t>& times, std::optional<size_t> axis) {
  return axis ? repeated(array, times, *axis) : repeated(raveled(array, Order::c), times, 0);
}

Array rolled(const Array& array, const std::vector<int64_t>& shifts, const std::optional<Axes>& axes) {
  if (!axes) return reshape(rolled(reshape(array, {array.size()}), shifts, Axes{0}), array.shape());
  const size_t count = shifts.size() == 1 ? axes->size() : shifts.size();
  for (size_t given : {shifts.size(), axes->size()})
    if (given != 1 && given != count)
      raise(ErrorKind::value, "shape mismatch: objects cannot be broadcast to a single shape: {} shifts for {} axes",
            shifts.size(), axes->size());
  std::vector<int64_t> by(array.rank(), 0);
  for (size_t i = 0; i < count && array.rank() > 0; ++i) {
    size_t axis = (*axes)[axes->size() == 1 ? 0 : i];
    int64_t size = std::max<int64_t>(array.shape()[axis], 1);
    by[axis] += shifts[shifts.size() == 1 ? 0 : i] % size;
  }
  return rolled_by(array, by);
}

}  // namespace quern
