// Indexing as NumPy has it. Start at places_of().
#include "functions/parts.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "graph/memory_order.h"
#include "graph/records.h"
#include "graph/tape.h"
#include "run/transfer.h"

namespace quern {

namespace {

Scalar whole(int64_t value) {
  Scalar out;
  out.kind = WeakScalar::integer;
  out.integer = value;
  return out;
}

void put_axis(Layout& layout, size_t axis, int64_t stride = 0) {
  layout.shape.insert(layout.shape.begin() + static_cast<ptrdiff_t>(axis), 1);
  layout.strides.insert(layout.strides.begin() + static_cast<ptrdiff_t>(axis), stride);
}

void check_range(int64_t index, int64_t size, size_t axis) {
  if (index < -size || index >= size)
    raise(ErrorKind::index, "index {} is out of bounds for axis {} with size {}", index, axis, size);
}

size_t picks_rank(const Places& places) {
  size_t rank = 0;
  for (const Pick& pick : places.picks) rank = std::max(rank, pick.index.rank());
  return rank;
}

// The picks' shape comes first; this puts it where it belongs.
Array placed(const Array& picked, const Places& places) {
  if (places.picks_at == 0) return picked;
  std::vector<int> order;
  int rank = static_cast<int>(picked.rank()), first = static_cast<int>(picks_rank(places)),
      at = static_cast<int>(places.picks_at);
  for (int i = 0; i < at; ++i) order.push_back(first + i);
  for (int i = 0; i < first; ++i) order.push_back(i);
  for (int i = first + at; i < rank; ++i) order.push_back(i);
  return picked.view(picked.layout().transposed(order));
}

// Where PyTorch puts what is picked: the array's own axes count first, then those of the indices.
LayoutRef layout_as_torch(const Array& view, const Places& places, const Shape& shape) {
  const size_t first = picks_rank(places), at = places.picks_at;
  std::vector<std::vector<int64_t>> steps(1 + places.picks.size(), std::vector<int64_t>(shape.size()));
  auto is_picked = [&](size_t axis) {
    return std::any_of(places.picks.begin(), places.picks.end(), [&](const Pick& pick) { return pick.axis == axis; });
  };
  size_t to = 0;
  for (size_t axis = 0; axis < view.rank(); ++axis) {
    if (is_picked(axis)) continue;
    steps[0][to < at ? to : to + first] = view.layout().strides[axis];
    ++to;
  }
  for (size_t k = 0; k < places.picks.size(); ++k) {
    const Layout& index = places.picks[k].index.layout();
    std::vector<int64_t>& step = steps[k + 1];
    const size_t missing = at + first - index.rank();
    for (size_t i = 0; i < index.rank(); ++i)
      if (index.shape[i] == shape[missing + i]) step[missing + i] = index.strides[i];
    // Axes of one element beside them have the steps of a view with such axes.
    for (size_t i = 0; i < shape.size() && first > 0; ++i) {
      if (shape[i] != 1) continue;
      if (i < at) step[i] = step[at] * shape[at];
      if (i >= at + first) step[i] = step[at + first - 1];
    }
  }
  return picked_layout(shape, steps);
}

Array picked_as_torch(const Array& view, const Places& places) {
  if (places.picks.size() == 1) {
    const Pick& pick = places.picks[0];
    Shape shape = view.shape();
    auto from = shape.erase(shape.begin() + static_cast<ptrdiff_t>(pick.axis));
    shape.insert(from, pick.index.shape().begin(), pick.index.shape().end());
    if (layout_as_torch(view, places, shape)->dense) return take_along(view, pick.index, pick.axis, pick.refused, pick.told_axis);
  }
  Array out = placed(take(view, places.picks), places);
  LayoutRef layout = layout_as_torch(view, places, out.shape());
  bool lies_so = true;
  for (size_t i = 0; i < out.rank(); ++i) lies_so &= out.shape()[i] == 1 || out.layout().strides[i] == layout->strides[i];
  if (!lies_so) return copied(out, out.dtype(), layout);
  Layout shown = *layout;
  shown.offset = out.layout().offset;
  return out.layout() == shown ? out : out.view(std::move(shown));
}

}  // namespace

std::string in_brackets(const Shape& shape) {
  std::string text;
  for (int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

std::vector<Array> indices_of(const Array& mask) {
  Array flat = true_positions(mask);
  std::vector<Array> out(mask.rank());
  Array left = flat;
  for (size_t d = mask.rank(); d-- > 0;) {
    if (d == 0) {
      out[d] = left;
      break;
    }
    Argument both[] = {Argument(left), Argument(whole(std::max<int64_t>(mask.shape()[d], 1)))};
    out[d] = elementwise(Op::remainder, both);
    left = elementwise(Op::floor_divide, both);
  }
  return out;
}

Layout sliced(const Layout& layout, size_t axis, std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step) {
  if (step == 0) raise(ErrorKind::value, "[slice] the step cannot be zero");
  step = std::max(step, -std::numeric_limits<int64_t>::max());
  int64_t size = layout.shape[axis];
  auto cut = [&](std::optional<int64_t> place, int64_t otherwise) {
    if (!place) return otherwise;
    int64_t at = *place < 0 ? *place + size : *place;
    return step > 0 ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, size - 1);
  };
  int64_t first = cut(start, step > 0 ? 0 : size - 1), end = cut(stop, step > 0 ? size : -1);
  int64_t count = 0;
  if (step > 0 && first < end) count = (end - first - 1) / step + 1;
  if (step < 0 && end < first) count = (first - end - 1) / -step + 1;
  int64_t far;
  if (count <= 1 && __builtin_mul_overflow(step, layout.strides[axis], &far)) step = 1;
  return layout.sliced(axis, first, count, step);
}

IndexPart part_of(const Array& array, DeviceId device) {
  bool is_bool = array.dtype() == DType::boolean;
  if (!is_integer(array.dtype()) && !is_bool)
    raise(ErrorKind::index, "arrays used as indices must be of integer (or boolean) type");
  IndexPart out;
  if (array.rank() == 0 && !is_bool) {
    out.kind = IndexPart::Kind::integer;
    Array wide = array.dtype() == DType::int64 ? array : astype(array, DType::int64);
    read_into(wide, &out.integer, sizeof out.integer);
    if (array.dtype() == DType::uint64 && out.integer < 0)
      raise(ErrorKind::index, "cannot fit {} into an index-sized integer", static_cast<uint64_t>(out.integer));
    return out;
  }
  if (array.device() != device)
    raise(ErrorKind::value, "[index] the index is on another device than the array; move one with to_device()");
  out.kind = IndexPart::Kind::array;
  out.array = &array;
  return out;
}

namespace {

// What stands in an index, before any of it is applied.
struct Census {
  size_t used = 0;  // axes of the array
  bool dots = false, advanced = false, selects = false;
};

Census census_of(std::span<const IndexPart> parts) {
  using Kind = IndexPart::Kind;
  Census out;
  for (const IndexPart& part : parts) {
    out.selects |= part.selects;
    switch (part.kind) {
      case Kind::dots:
        if (out.dots) raise(ErrorKind::index, "an index can only have a single ellipsis ('...')");
        out.dots = true;
        break;
      case Kind::axis:
        break;
      case Kind::array:
        out.used += part.array->dtype() == DType::boolean ? part.array->rank() : 1;
        out.advanced = true;
        break;
      default:
        ++out.used;
    }
  }
  return out;
}

// Applies the parts of an index one after the other. With arrays among them, integers are picks too, unless they select.
class Walker {
 public:
  Walker(const Array& array, const Census& census) : array_(array), census_(census) { out_.layout = array.layout(); }

  void take(const IndexPart& part, size_t number) {
    number_ = number;
    switch (part.kind) {
      case IndexPart::Kind::dots:
        axis_ += array_.rank() - census_.used;
        from_ += array_.rank() - census_.used;
        break;
      case IndexPart::Kind::axis:
        put_axis();
        ++axis_;
        break;
      case IndexPart::Kind::slice:
        out_.layout = sliced(out_.layout, axis_++, part.start, part.stop, part.step);
        ++from_;
        break;
      case IndexPart::Kind::integer:
        take_integer(part.integer);
        break;
      case IndexPart::Kind::array:
        part.array->dtype() == DType::boolean ? take_mask(*part.array) : take_indices(part);
        break;
    }
  }

  Places result() && {
    if (!side_by_side_) out_.picks_at = 0;
    out_.all_integers = gone_ && out_.layout.rank() == 0 && !census_.dots;
    out_.as_torch = census_.selects;
    return std::move(out_);
  }

 private:
  // The steps of a new axis are seen in a tensor's stride().
  void put_axis() {
    const Layout& now = out_.layout;
    const int64_t whole = axis_ < now.rank() ? now.shape[axis_] * now.strides[axis_] : 1;
    quern::put_axis(out_.layout, axis_, census_.selects ? whole : 0);
  }

  void take_integer(int64_t at) {
    int64_t size = out_.layout.shape[axis_];
    check_range(at, size, from_);
    if (census_.advanced && !census_.selects) {
      pick(full({}, whole(at), DType::int64, array_.device()));
    } else {
      out_.layout = out_.layout.without(axis_, at < 0 ? at + size : at);
      gone_ = true;
    }
    ++from_;
  }

  void take_indices(const IndexPart& part) {
    if (part.limits && !part.wraps) {
      check_range(part.limits->first, out_.layout.shape[axis_], from_);
      check_range(part.limits->second, out_.layout.shape[axis_], from_);
    }
    pick(*part.array, part.wraps);
    ++from_;
  }

  void take_mask(const Array& mask) {
    if (mask.rank() == 0) {  // a new axis of one element, or of none
      put_axis();
      return pick(true_positions(reshape(mask, {1})));
    }
    for (size_t d = 0; d < mask.rank(); ++d) {
      if (mask.shape()[d] != out_.layout.shape[axis_ + d] && census_.selects)
        raise(ErrorKind::index,
              "The shape of the mask {} at index {} does not match the shape of the indexed tensor {} at index {}",
              in_brackets(mask.shape()), d, in_brackets(out_.layout.shape), axis_ + d);
      if (mask.shape()[d] != out_.layout.shape[axis_ + d] && mask.shape()[d] != 0)
        raise(ErrorKind::index,
              "boolean index did not match indexed array along axis {}; size of axis is {} but size of corresponding boolean "
              "axis is {}",
              from_ + d, out_.layout.shape[axis_ + d], mask.shape()[d]);
    }
    for (Array& where : indices_of(mask)) {
      pick(std::move(where));
      ++from_;
    }
  }

  void pick(Array index, bool wraps = false) {
    if (out_.picks.empty()) {
      out_.picks_at = axis_;
    } else if (census_.selects ? axis_ > last_axis_ + 1 : number_ > last_pick_ + 1) {
      side_by_side_ = false;
    }
    last_pick_ = number_, last_axis_ = axis_;
    out_.picks.push_back({axis_, std::move(index), wraps, nullptr, from_});
    ++axis_;
  }

  const Array& array_;
  const Census census_;
  Places out_;
  size_t axis_ = 0, from_ = 0;  // of the result so far, of the array
  size_t number_ = 0, last_pick_ = 0, last_axis_ = 0;
  bool gone_ = false, side_by_side_ = true;
};

}  // namespace

Places places_of(const Array& array, std::span<const IndexPart> parts) {
  Census census = census_of(parts);
  if (census.used > array.rank() && census.selects && array.rank() > 0)
    raise(ErrorKind::index, "too many indices for tensor of dimension {}", array.rank());
  if (census.used > array.rank() && census.selects)
    raise(ErrorKind::index, "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert it to a number");
  if (census.used > array.rank())
    raise(ErrorKind::index, "too many indices for array: array is {}-dimensional, but {} were indexed", array.rank(),
          census.used);
  if (census.advanced && parts.size() == 1) {
    const Array& index = *parts[0].array;
    if (index.dtype() == DType::boolean && index.rank() > 0 && index.shape() == array.shape()) {
      Places out;
      out.layout = array.layout();
      out.mask = index;
      return out;
    }
  }
  Walker walker(array, census);
  for (size_t i = 0; i < parts.size(); ++i) walker.take(parts[i], i);
  return std::move(walker).result();
}

// Picks of the flattened array where that is a view.
void find_true(const Array& array, Places& places) {
  if (!places.mask) return;
  if (is_in_order(array, Order::c)) {
    places.layout = Layout{{array.size()}, {units_in(array.dtype())}, array.layout().offset};
    places.picks = {{0, true_positions(*places.mask)}};
  } else {
    std::vector<Array> where = indices_of(*places.mask);
    for (size_t d = 0; d < where.size(); ++d) places.picks.push_back({d, where[d]});
  }
  places.mask.reset();
}

Shape shape_of(const Places& places) {
  std::vector<bool> is_picked(places.layout.rank());
  for (const Pick& pick : places.picks) is_picked[pick.axis] = true;
  Shape out;
  for (size_t i = 0; i < is_picked.size(); ++i)
    if (!is_picked[i]) out.push_back(places.layout.shape[i]);
  if (places.picks.empty()) return out;
  const Shape picked = shape_of(std::span(places.picks));
  out.insert(out.begin() + static_cast<ptrdiff_t>(places.picks_at), picked.begin(), picked.end());
  return out;
}

Array at(const Array& array, Places places) {
  bool is_selected = places.mask && array.device().is_gpu() && array.layout().is_contiguous() && !is_record(array.dtype());
  if (is_selected && !(GradientMode::is_on() && wants_gradient(array))) return selected(array, *places.mask);
  find_true(array, places);
  Array view = array.view(places.layout);
  if (places.picks.empty()) return view;
  return places.as_torch && !is_record(array.dtype()) ? picked_as_torch(view, places) : placed(take(view, places.picks), places);
}

void assign_at(const Array& array, Places places, const Argument& value) {
  if (array.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
  const Array* given = value.array();
  if (places.is_view()) {
    Array view = array.view(places.layout);
    // x[i] += y comes here with the view that was just written.
    if (given && given->cell() == view.cell() && given->layout() == view.layout() && given->dtype() == view.dtype()) return;
    if (places.all_integers && given && given->rank() > 0) raise(ErrorKind::value, "setting an array element with a sequence.");
    assign(view, value);
    return;
  }
  if (places.mask && given && given->rank() > 1)
    raise(ErrorKind::type, "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has {} dimensions",
          given->rank());
  if (places.mask && (!given || given->size() == 1) && !is_record(array.dtype())) {
    // One value where the mask is true: nobody has to count. Python's numbers must fit, as in put().
    if (!given && value.scalar().is_weak) check_fits(value.scalar(), array.dtype());
    Array one = given ? reshape(*given, {}) : Array();
    Argument parts[] = {Argument(*places.mask), given ? Argument(one) : value, Argument(array)};
    elementwise(Op::where, parts, &array, Loop{array.dtype(), array.dtype()});
    return;
  }
  if (places.mask) {
    find_true(array, places);
    int64_t picked = places.picks[0].index.size();
    if (given && given->size() != 1 && given->size() != picked)
      raise(ErrorKind::value,
            "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values "
            "where the mask is true",
            given->size(), picked);
  }
  Array view = places.layout == array.layout() ? array : array.view(places.layout);
  size_t at = places.picks_at, first = picks_rank(places), rank = first + view.rank() - places.picks.size();
  if (at == 0 || !given) return put(view, places.picks, value);
  // The value's axes as the picked array has them: the picks' first.
  Layout layout = given->layout();
  while (layout.rank() > rank && layout.shape[0] == 1) layout = layout.without(0, 0);
  if (layout.rank() > rank) return put(view, places.picks, value);  // says what does not fit
  while (layout.rank() < rank) put_axis(layout, 0);
  std::vector<int> order;
  for (size_t i = 0; i < first; ++i) order.push_back(static_cast<int>(at + i));
  for (size_t i = 0; i < at; ++i) order.push_back(static_cast<int>(i));
  for (size_t i = at + first; i < rank; ++i) order.push_back(static_cast<int>(i));
  put(view, places.picks, Argument(given->view(layout.transposed(order))));
}

}  // namespace quern
