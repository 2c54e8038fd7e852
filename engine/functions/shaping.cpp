#include "functions/shaping.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"

namespace quern {

using namespace steps;

namespace {

Array between(const Array& array, size_t axis, std::optional<int64_t> start, std::optional<int64_t> stop) {
  return array.view(sliced(array.layout(), axis, start, stop, 1));
}

Array repeated_to(const Array& array, const Shape& shape) { return array.view(array.layout().broadcast_to(shape)); }

// In memory of its own.
Array reshaped_copy(const Array& array, const Shape& shape) {
  Array out = reshape(array, shape);
  return out.cell() == array.cell() ? copied(out, out.dtype()) : out;
}

// The result's shape; checks that the others fit to the first.
Shape joined_shape(const std::vector<Array>& arrays, size_t axis) {
  if (arrays.empty()) raise(ErrorKind::value, "[concatenate] there must be one array at least");
  Shape shape = arrays[0].shape();
  if (shape.empty()) raise(ErrorKind::value, "[concatenate] arrays without axes cannot be joined; use stack()");
  shape[axis] = 0;
  for (const Array& a : arrays) {
    Shape rest = a.shape();
    int64_t length = rest.size() == shape.size() ? std::exchange(rest[axis], shape[axis]) : 0;
    if (rest != shape)
      raise(ErrorKind::value, "[concatenate] arrays of shape {} and {} do not fit together along axis {}",
            to_string(arrays[0].shape()), to_string(a.shape()), axis);
    shape[axis] += length;
  }
  return shape;
}

bool any_wants_gradient(const std::vector<Array>& arrays) {
  return GradientMode::is_on() && std::any_of(arrays.begin(), arrays.end(), wants_gradient);
}

// What was put together is one entry of the tape: its parts' writes would each be one of the whole.
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

class Rolled : public GradientBody {
 public:
  Rolled(std::vector<int64_t> shifts, std::vector<size_t> axes) : shifts_(std::move(shifts)), axes_(std::move(axes)) {}
  std::string_view name() const override { return "roll"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    std::vector<int64_t> back;
    for (int64_t by : shifts_) back.push_back(-by);
    return {rolled(*call.given[0], back, axes_)};
  }

 private:
  std::vector<int64_t> shifts_;
  std::vector<size_t> axes_;
};

}  // namespace

// ---- views

Array moved_axes(const Array& array, const std::vector<size_t>& from, const std::vector<size_t>& to) {
  std::vector<int> order;
  for (size_t n = 0; n < array.rank(); ++n)
    if (std::find(from.begin(), from.end(), n) == from.end()) order.push_back(static_cast<int>(n));
  std::vector<std::pair<size_t, size_t>> moves;
  for (size_t i = 0; i < from.size(); ++i) moves.emplace_back(to[i], from[i]);
  std::sort(moves.begin(), moves.end());
  for (auto [target, source] : moves) order.insert(order.begin() + static_cast<ptrdiff_t>(target), static_cast<int>(source));
  return transposed(array, order);
}

Array with_new_axes(const Array& array, std::vector<size_t> axes) {
  std::sort(axes.begin(), axes.end());
  Array out = array;
  for (size_t axis : axes) out = with_axis(out, axis);
  return out;
}

Array without_axes(const Array& array, const std::vector<size_t>& axes) {
  Layout layout = array.layout();
  for (size_t n = array.rank(); n-- > 0;) {
    if (std::find(axes.begin(), axes.end(), n) == axes.end()) continue;
    if (layout.shape[n] != 1)
      raise(ErrorKind::value, "[squeeze] axis {} has {} elements; only axes of one can be taken out", n, layout.shape[n]);
    layout = layout.without(n, 0);
  }
  return array.view(std::move(layout));
}

Array flipped(const Array& array, const std::vector<size_t>& axes) {
  Layout layout = array.layout();
  for (size_t axis : axes) layout = sliced(layout, axis, {}, {}, -1);
  return array.view(std::move(layout));
}

std::vector<Array> parts_between(const Array& array, size_t axis, const std::vector<int64_t>& cuts) {
  std::vector<Array> out;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) out.push_back(between(array, axis, cuts[i], cuts[i + 1]));
  return out;
}

std::vector<Array> parts(const Array& array, int64_t count, size_t axis, bool must_be_equal) {
  int64_t total = array.shape()[axis];
  if (count <= 0) raise(ErrorKind::value, "[split] {} parts were asked for; it must be one or more", count);
  if (must_be_equal && total % count != 0)
    raise(ErrorKind::value, "[split] {} elements do not make {} equal parts; array_split() makes unequal ones", total, count);
  std::vector<int64_t> cuts;
  for (int64_t i = 0; i <= count; ++i) cuts.push_back(i * (total / count) + std::min(i, total % count));
  return parts_between(array, axis, cuts);
}

std::vector<Array> broadcast_together(const std::vector<Array>& arrays) {
  std::vector<Shape> shapes;
  for (const Array& a : arrays) shapes.push_back(a.shape());
  Shape all = broadcast_shapes(shapes);
  std::vector<Array> out;
  for (const Array& a : arrays) out.push_back(repeated_to(a, all));
  return out;
}

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

// ---- new arrays

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

void join_into(const Array& out, const std::vector<Array>& arrays, size_t axis) {
  if (Shape shape = joined_shape(arrays, axis); out.shape() != shape)
    raise(ErrorKind::value, "[concatenate] the result has the shape {}, the array that takes it {}", to_string(shape),
          to_string(out.shape()));
  int64_t at = 0;
  for (const Array& a : arrays) {
    int64_t next = at + a.shape()[axis];
    assign(between(out, axis, at, next), Argument(a));
    at = next;
  }
}

Array stacked(const std::vector<Array>& arrays, size_t axis, std::optional<DType> dtype) {
  if (arrays.empty()) raise(ErrorKind::value, "[stack] there must be one array at least");
  std::vector<Array> wide;
  for (const Array& a : arrays) {
    if (a.shape() != arrays[0].shape())
      raise(ErrorKind::value, "[stack] all arrays must have the same shape; {} and {} are given", to_string(arrays[0].shape()),
            to_string(a.shape()));
    wide.push_back(with_axis(a, axis));
  }
  return joined(wide, axis, dtype);
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
  if (is_copy) return reshape(copied(array, array.dtype(), Order::keep), sizes);
  return reshaped_copy(repeated_to(reshape(array, apart), pairs), out);
}

Array repeated(const Array& array, const std::vector<int64_t>& times, size_t axis) {
  int64_t size = array.shape()[axis];
  if (times.size() != 1 && static_cast<int64_t>(times.size()) != size)
    raise(ErrorKind::value, "[repeat] the repeats and the axis must have the same length: {} numbers are given for {} elements",
          times.size(), size);
  for (int64_t count : times)
    if (count < 0) raise(ErrorKind::value, "[repeat] repeats may not contain negative values, such as {}", count);
  if (std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) == times.end()) {
    int64_t count = times.empty() ? 1 : times[0];
    Shape out = array.shape(), wide = out;
    wide.insert(wide.begin() + static_cast<ptrdiff_t>(axis) + 1, count);
    out[axis] *= count;
    return reshaped_copy(repeated_to(with_axis(array, axis + 1), wide), out);
  }
  std::vector<int64_t> places;
  for (int64_t i = 0; i < size; ++i) places.insert(places.end(), static_cast<size_t>(times[static_cast<size_t>(i)]), i);
  Pick pick{axis, array_of(places, array.device())};
  Array picked = take(array, {&pick, 1});  // that axis is the first now
  return axis == 0 ? picked : copied(moved_axes(picked, {0}, {axis}), picked.dtype(), Order::c);
}

Array rolled(const Array& array, const std::vector<int64_t>& shifts, const std::vector<size_t>& axes) {
  std::vector<int64_t> by(array.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) by[axes[i]] += shifts[i];
  for (size_t n = 0; n < by.size(); ++n)
    if (int64_t size = std::max<int64_t>(array.shape()[n], 1); true) by[n] = (by[n] % size + size) % size;
  if (std::all_of(by.begin(), by.end(), [](int64_t n) { return n == 0; })) return copied(array, array.dtype(), Order::keep);
  if (any_wants_gradient({array})) {
    auto roll = [&] { return std::vector<Array>{rolled(array, shifts, axes)}; };
    return differentiable(std::make_shared<Rolled>(shifts, axes), {&array, 1}, {}, roll)[0];
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

}  // namespace quern
