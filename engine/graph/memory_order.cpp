#include "graph/memory_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "graph/records.h"
#include "graph/tape.h"

namespace quern {

namespace {

constexpr int64_t says_nothing = -1;
thread_local bool is_torchs = false;

// NumPy's search for the order of axes that several operands have: for each axis a stride that determines its place. Axes of
// which nothing is known stay where the search finds them, which begins at the innermost axis or, where arrays are joined, at the
// outermost. `stride`: (operand, axis) -> how far apart its elements lie.
template <class Stride>
std::vector<int64_t> strides_in_order(size_t rank, size_t operands, const Stride& stride, bool outer_first = false) {
  std::vector<size_t> found(rank);
  for (size_t i = 0; i < rank; ++i) found[i] = outer_first ? i : rank - 1 - i;
  for (size_t i = 1; i < rank; ++i) {
    size_t axis = found[i], to = i;
    for (size_t j = i; j-- > 0;) {
      bool is_known = false, swaps = false;
      for (size_t k = 0; k < operands; ++k) {
        int64_t outer = stride(k, outer_first ? found[j] : axis), inner = stride(k, outer_first ? axis : found[j]);
        if (outer == says_nothing || inner == says_nothing) continue;
        if (inner <= outer)
          swaps = false;
        else if (!is_known)
          swaps = true;
        is_known = true;
      }
      if (is_known && !swaps) break;
      if (is_known) to = j;
    }
    std::rotate(found.begin() + static_cast<ptrdiff_t>(to), found.begin() + static_cast<ptrdiff_t>(i),
                found.begin() + static_cast<ptrdiff_t>(i) + 1);
  }
  std::vector<int64_t> strides(rank);
  for (size_t i = 0; i < rank; ++i) strides[found[i]] = static_cast<int64_t>(outer_first ? rank - i : i + 1);
  return strides;
}

template <class Stride>
LayoutRef layout_in_order(const Shape& shape, size_t operands, const Stride& stride, bool outer_first = false) {
  return interned(Layout::ordered(shape, strides_in_order(shape.size(), operands, stride, outer_first)));
}

// A stride that NumPy's elementwise work goes by.
int64_t known_stride(const Layout& layout, size_t axis) {
  return layout.shape[axis] == 1 || layout.strides[axis] == 0 ? says_nothing : std::abs(layout.strides[axis]);
}

// Without elements all strides are contiguous, and results have them anew.
bool is_in_c_order(const Array& array) { return array.layout_ref()->dense && array.size() > 0; }

// PyTorch's memory format of images: (batch, channels, ...) where the channels of a place lie side by side.
Layout channels_last(const Shape& shape) {
  std::vector<int64_t> order(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) order[axis] = static_cast<int64_t>(shape.size() - axis);
  order[0] += 1, order[1] = 0;
  return Layout::ordered(shape, order);
}

// C order as a new array has it: in an array that lies so, axes of one element may have any strides.
LayoutRef plain_c_order(const Array& array) {
  const Layout& layout = array.layout();
  int64_t step = 1;
  for (size_t axis = layout.rank(); axis-- > 0; step *= layout.shape[axis])
    if (layout.strides[axis] != step) return contiguous_layout(layout.shape);
  return array.layout_ref();
}

bool is_fortran_only(const Layout& layout) { return layout.is_fortran() && !layout.is_contiguous(); }

std::vector<int> backwards(size_t rank) {
  std::vector<int> axes(rank);
  for (size_t i = 0; i < rank; ++i) axes[i] = static_cast<int>(rank - 1 - i);
  return axes;
}

// The axes from the one with the largest steps on.
std::vector<int> axes_by_stride(const Layout& layout) {
  std::vector<int> axes(layout.rank());
  std::iota(axes.begin(), axes.end(), 0);
  std::stable_sort(axes.begin(), axes.end(), [&](int x, int y) {
    return std::abs(layout.strides[static_cast<size_t>(x)]) > std::abs(layout.strides[static_cast<size_t>(y)]);
  });
  return axes;
}

// Does every element of the memory belong to one place? Axes of one element may have any strides.
bool fills_memory(const Layout& layout) {
  if (layout.size() == 0) return true;
  std::vector<int> axes = axes_by_stride(layout);
  int64_t step = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    const auto axis = static_cast<size_t>(axes[i]);
    if (layout.shape[axis] == 1) continue;
    if (std::abs(layout.strides[axis]) != step) return false;
    step *= layout.shape[axis];
  }
  return true;
}

std::vector<int64_t> steps_of(const Layout& layout) {
  std::vector<int64_t> steps = layout.strides;
  for (int64_t& step : steps) step = std::abs(step);
  return steps;
}
LayoutRef with_strides_of(const Layout& layout) { return interned(Layout{layout.shape, steps_of(layout), 0}); }

// A copy that keeps the format of what it is made of.
LayoutRef torchs_copy(const Layout& layout) {
  if (fills_memory(layout)) return with_strides_of(layout);
  const std::vector<int64_t> steps[] = {steps_of(layout)};
  return picked_layout(layout.shape, steps);
}

// As PyTorch reshapes: axes that are merged need not be longer than one, and an axis of one element goes on from the one inside
// it.
std::optional<Layout> reshaped_as_torch(const Layout& layout, const Shape& to) {
  Layout out{to, std::vector<int64_t>(to.size(), 1), layout.offset};
  if (layout.rank() == 0) return out;
  int64_t step = layout.strides.back(), merged = 1, placed = 1;
  size_t left = to.size();
  for (size_t axis = layout.rank(); axis-- > 0;) {
    merged *= layout.shape[axis];
    if (axis > 0 && (layout.shape[axis - 1] == 1 || layout.strides[axis - 1] == merged * step)) continue;
    for (; left > 0 && (placed < merged || to[left - 1] == 1); --left) {
      out.strides[left - 1] = placed * step;
      placed *= to[left - 1];
    }
    if (placed != merged) return std::nullopt;
    if (axis > 0) step = layout.strides[axis - 1], merged = placed = 1;
  }
  return out;
}

// Operations with a number for which PyTorch has a function of one tensor.
bool takes_number(Op op) { return op == Op::power || op == Op::maximum || op == Op::minimum; }

// As TensorIterator places a new result. Operands of one shape and one order give it; else their strides are compared.
LayoutRef torchs_layout(Op op, const Shape& shape, std::span<const Argument> arguments) {
  const bool is_exponential = op == Op::power && !arguments[0].array();  // 2 ** x has a result of its own making
  if (shape.empty() || is_exponential) return contiguous_layout(shape);
  std::vector<const Array*> arrays;
  bool has_one_shape = true;
  for (const Argument& a : arguments) {
    if (a.array()) arrays.push_back(a.array());
    has_one_shape = has_one_shape && (a.array() ? a.array()->shape() == shape : takes_number(op));
  }
  if (has_one_shape) {
    auto all = [&](auto&& is_so) { return std::ranges::all_of(arrays, is_so); };
    if (all([](const Array* a) { return a->layout().is_contiguous(); })) return contiguous_layout(shape);
    if (all([](const Array* a) { return is_channels_last(a->layout()); })) return interned(channels_last(shape));
    const Layout& first = arrays[0]->layout();
    if (all([&](const Array* a) { return a->layout().strides == first.strides; }) && fills_memory(first))
      return with_strides_of(first);
  }
  std::vector<std::vector<int64_t>> steps;
  for (const Array* a : arrays) {
    std::vector<int64_t>& step = steps.emplace_back(shape.size(), 0);
    const size_t missing = shape.size() - a->rank();
    for (size_t axis = missing; axis < shape.size(); ++axis)
      if (a->shape()[axis - missing] == shape[axis]) step[axis] = std::abs(a->layout().strides[axis - missing]);
  }
  return picked_layout(shape, steps);
}

}  // namespace

LayoutRef channels_last_layout(const Shape& shape) { return interned(channels_last(shape)); }

bool is_channels_last(const Layout& layout) {
  if (layout.rank() != 4 && layout.rank() != 5) return false;
  if (layout.size() == 0) return true;
  const Layout wanted = channels_last(layout.shape);
  for (size_t axis = 0; axis < layout.rank(); ++axis)
    if (layout.shape[axis] != 1 && layout.strides[axis] != wanted.strides[axis]) return false;
  return true;
}

// Do the strides say so, gaps left aside? An image of one channel and one pixel lies in both orders and counts as contiguous.
bool suggests_channels_last(const Layout& layout) {
  const size_t rank = layout.rank();
  if ((rank != 4 && rank != 5) || layout.strides[1] == 0) return false;
  int64_t least = 0;
  for (size_t i = 0; i < rank; ++i) {  // the channels, then the other axes from the innermost one on
    const size_t axis = i == 0 ? 1 : i + 1 == rank ? 0 : rank - i;
    if (layout.shape[axis] == 0 || layout.strides[axis] < least) return false;
    if (axis == 0 && least == layout.strides[1]) return false;
    least = layout.strides[axis] * layout.shape[axis];
  }
  return true;
}

static DType common_type_of(std::span<const Argument> arguments) {
  std::vector<OperandType> types;
  for (const Argument& a : arguments) types.push_back(a.type());
  return common_type(types);
}

std::optional<Layout> reshaped_layout(const Layout& layout, const Shape& shape) {
  if (is_torchs && layout.size() == 0 && layout.shape == shape) return layout;
  std::optional<Layout> plain = layout.reshaped(shape);  // raises where the numbers of elements differ
  return is_torchs && layout.size() > 0 ? reshaped_as_torch(layout, shape) : plain;
}

Layout layout_with_axes(const Layout& layout, const std::vector<size_t>& places) {
  Layout out = layout;
  for (size_t place : places) {
    const auto at = static_cast<ptrdiff_t>(place);
    out.strides.insert(out.strides.begin() + at, place < out.rank() ? out.shape[place] * out.strides[place] : 1);
    out.shape.insert(out.shape.begin() + at, 1);
  }
  return is_torchs ? out : *layout.reshaped(out.shape);  // which an axis of one element never hinders
}

Array laid_as(const Array& array, const Array& like) {
  const Layout &layout = array.layout(), &wanted = like.layout();
  if (is_torchs || layout.strides == wanted.strides || layout.shape != wanted.shape) return array;
  for (size_t axis = 0; axis < layout.rank(); ++axis)
    if (layout.shape[axis] != 1 && layout.strides[axis] != wanted.strides[axis]) return array;
  Layout out{layout.shape, wanted.strides, layout.offset};
  Array laid = array.of_shape(std::move(out));
  take_shape(laid);
  return laid;
}

TorchOrder::TorchOrder(bool on) : before_(std::exchange(is_torchs, on)) {}
TorchOrder::~TorchOrder() { is_torchs = before_; }
bool TorchOrder::is_on() { return is_torchs; }
Array in_result_order(const Array& array) { return is_torchs ? in_order(array, Order::c) : array; }

LayoutRef layout_beside(const Array& array, const Shape& shape, Order order) {
  if (is_torchs && order == Order::keep && shape == array.shape()) return torchs_copy(array.layout());
  const ElementLayout lies(array);
  const Layout& layout = *lies;
  if (order == Order::any) order = is_fortran_only(layout) ? Order::fortran : Order::c;
  if (order == Order::keep && (shape.size() != layout.rank() || layout.is_contiguous())) order = Order::c;
  if (order == Order::keep && layout.is_fortran()) order = Order::fortran;
  if (order == Order::c) return contiguous_layout(shape);
  return interned(order == Order::fortran ? Layout::fortran(shape) : Layout::ordered(shape, layout.strides));
}

LayoutRef copied_layout(const Array& array, Order order) {
  if (is_torchs && order == Order::keep) return torchs_copy(array.layout());
  if (is_in_c_order(array) && order != Order::fortran) return plain_c_order(array);
  return layout_beside(array, array.shape(), order);
}

LayoutRef ufunc_layout(Op op, DType compute, const Shape& shape, std::span<const Argument> arguments) {
  if (is_torchs) return torchs_layout(op, shape, arguments);
  const OpRow& r = row(op);
  bool all_are_fortran = shape.size() > 1 && std::ranges::find(shape, 1) != shape.end();  // elsewhere the search finds the same
  const DType needed = r.typing == Typing::truth && all_are_fortran ? common_type_of(arguments) : compute;  // loops of all types
  bool any = false;
  for (size_t k = 0; all_are_fortran && k < arguments.size(); ++k) {
    const Array* array = arguments[k].array();
    if (!array || array->rank() == 0) continue;
    any = true;
    all_are_fortran = is_fortran_only(array->layout()) && array->shape() == shape &&
                      array->dtype() == operand_type(r, static_cast<int>(k), needed);
  }
  return any && all_are_fortran && op != Op::where ? interned(Layout::fortran(shape)) : result_layout(shape, arguments);
}

LayoutRef result_layout(const Shape& shape, std::span<const Argument> arguments) {
  bool any = false;  // is there an operand in another order?
  for (const Argument& a : arguments) {
    if (!a.array() || a.array()->rank() == 0) continue;
    if (is_in_c_order(*a.array())) {
      if (&a.array()->shape() == &shape || a.array()->shape() == shape) return plain_c_order(*a.array());
    } else if (a.array()->rank() > 1) {
      any = true;
    }
  }
  if (!any || shape.size() < 2) return contiguous_layout(shape);
  return layout_in_order(shape, arguments.size(), [&](size_t operand, size_t axis) -> int64_t {
    const Array* array = arguments[operand].array();
    if (!array) return says_nothing;
    size_t missing = shape.size() - array->rank();
    return axis < missing ? says_nothing : known_stride(array->layout(), axis - missing);
  });
}

LayoutRef matrices_layout(const Shape& shape, const Array& left, const Array& right) {
  if (shape.size() < 4 || is_torchs) return contiguous_layout(shape);
  auto stack_of = [](const Array& x) {
    Layout layout = x.layout();
    layout.shape.resize(layout.rank() - 2);
    layout.strides.resize(layout.shape.size());
    return x.view(std::move(layout));
  };
  Array stacks[] = {stack_of(left), stack_of(right)};
  Argument both[] = {Argument(stacks[0]), Argument(stacks[1])};
  LayoutRef stack = result_layout({shape.begin(), shape.end() - 2}, both);
  if (stack->dense) return contiguous_layout(shape);
  std::vector<int64_t> order = stack->strides;
  for (int64_t& step : order) step += 2;
  order.insert(order.end(), {1, 0});
  return interned(Layout::ordered(shape, order));
}

Reduced reduced_layouts(const Array& array, const std::vector<bool>& goes, bool keep_dims) {
  static const auto* none_kept = new LayoutRef(contiguous_layout({}));
  const Layout& layout = array.layout();
  Shape kept, ones(layout.rank(), 1);
  for (size_t i = 0; i < layout.rank(); ++i)
    if (!goes[i]) kept.push_back(ones[i] = layout.shape[i]);
  Reduced out{kept.empty() ? *none_kept : LayoutRef(), {}};
  if (is_torchs || layout.is_contiguous() || layout.rank() < 2) {
    if (!out.result) out.result = contiguous_layout(kept);
    if (keep_dims) out.shown = Layout::contiguous(ones);
    return out;
  }
  std::vector<int64_t> order =
      strides_in_order(layout.rank(), 1, [&](size_t, size_t axis) { return known_stride(layout, axis); });
  if (keep_dims) out.shown = Layout::ordered(ones, order);
  if (out.result) return out;
  std::vector<int64_t> left;
  for (size_t i = 0; i < layout.rank(); ++i)
    if (!goes[i]) left.push_back(order[i]);
  out.result = interned(Layout::ordered(kept, left));
  return out;
}

LayoutRef running_layout(const Array& array) {
  const Argument only(array);
  return is_torchs ? contiguous_layout(array.shape()) : result_layout(array.shape(), {&only, 1});
}

LayoutRef joined_layout(const Shape& shape, std::span<const Array> parts) {
  bool all_c = std::all_of(parts.begin(), parts.end(), [](const Array& part) { return ElementLayout(part)->is_contiguous(); });
  if (is_torchs) {
    const bool are_last = std::ranges::all_of(parts, [](const Array& part) { return suggests_channels_last(part.layout()); });
    return are_last ? interned(channels_last(shape)) : contiguous_layout(shape);
  }
  if (all_c || shape.size() < 2) return contiguous_layout(shape);
  auto stride = [&](size_t part, size_t axis) -> int64_t {
    const Layout& layout = parts[part].layout();  // of records, too: their order is the same
    return layout.shape[axis] == 1 ? says_nothing : std::abs(layout.strides[axis]);
  };
  return layout_in_order(shape, parts.size(), stride, true);
}

LayoutRef picked_layout(const Shape& shape, std::span<const std::vector<int64_t>> steps) {
  enum Answer { unknown, stays, swaps };
  // Of two axes, `inner` stands inside now.
  auto asked = [&](size_t inner, size_t outer) {
    for (const std::vector<int64_t>& step : steps) {
      if (step[inner] == 0 || step[outer] == 0) continue;
      if (step[inner] != step[outer]) return step[inner] < step[outer] ? stays : swaps;
      if (shape[inner] > shape[outer]) return swaps;
    }
    return unknown;
  };
  std::vector<size_t> found(shape.size());
  std::iota(found.rbegin(), found.rend(), 0);
  for (size_t i = 1; i < found.size(); ++i) {
    size_t at = i;
    for (size_t j = i; j-- > 0;) {
      Answer answer = asked(found[j], found[at]);
      if (answer == stays) break;
      if (answer == unknown) continue;
      std::swap(found[j], found[at]);
      at = j;
    }
  }
  std::vector<int64_t> order(shape.size());
  for (size_t i = 0; i < found.size(); ++i) order[found[i]] = static_cast<int64_t>(i) + 1;
  return interned(Layout::ordered(shape, order));
}

LayoutRef format_beside(const Array& array, const Shape& shape) {
  return suggests_channels_last(array.layout()) && shape.size() == array.rank() ? interned(channels_last(shape))
                                                                                : contiguous_layout(shape);
}

LayoutRef gradient_layout(const LayoutRef& of) { return fills_memory(*of) ? with_strides_of(*of) : contiguous_layout(of->shape); }

LayoutRef rows_of(const Shape& shape, size_t axis) {
  if (axis + 1 == shape.size()) return contiguous_layout(shape);
  std::vector<int64_t> strides(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) strides[i] = i == axis ? 1 : static_cast<int64_t>(shape.size() - i) + 1;
  return interned(Layout::ordered(shape, strides));
}

bool is_in_order(const Array& array, Order order) {
  const ElementLayout lies(array);
  const Layout& layout = *lies;
  if (order == Order::keep) return true;
  if (order == Order::any) return layout.is_contiguous() || layout.is_fortran();
  return order == Order::c ? layout.is_contiguous() : layout.is_fortran();
}

Array in_order(const Array& array, Order order) {
  return is_in_order(array, order) ? array : copied(array, array.dtype(), order == Order::any ? Order::c : order);
}

Array arranged(const Array& array, const LayoutRef& layout) {
  return array.is_whole() && array.layout_ref() == layout ? array : copied(array, array.dtype(), layout);
}

Array in_rows(const Array& array, size_t axis) {
  LayoutRef layout = rows_of(array.shape(), axis);
  const Layout &has = array.layout(), &needs = *layout;
  bool lies_so = true;
  for (size_t i = 0; i < has.rank(); ++i) lies_so &= has.shape[i] == 1 || has.strides[i] == needs.strides[i];
  return lies_so || array.size() == 0 ? array : copied(array, array.dtype(), layout);
}

Array raveled(const Array& array, Order order) {
  const ElementLayout lies(array);
  const Layout& layout = *lies;
  Layout line{{array.size()}, {array.size() == 0 ? 0 : units_in(array.dtype())}, array.layout().offset};
  if (order == Order::any) order = is_fortran_only(layout) ? Order::fortran : Order::c;
  if (order != Order::fortran && layout.is_contiguous()) return array.view(line);
  if (order != Order::c && layout.is_fortran()) return array.view(line);
  if (order == Order::fortran) return raveled(array.view(array.layout().transposed(backwards(array.rank()))), Order::c);
  if (order == Order::keep) {
    if (layout.transposed(axes_by_stride(layout)).is_contiguous()) return array.view(line);
    Argument only(array);
    Layout copy = *result_layout(array.shape(), {&only, 1});
    return raveled(array.view(array.layout().transposed(axes_by_stride(copy))), Order::c);
  }
  line.offset = 0;
  return copied(array, array.dtype()).of_shape(line);
}

Array reshaped(const Array& array, const Shape& shape, Order order) {
  if (order == Order::keep) raise(ErrorKind::value, "order 'K' is not permitted for reshaping");
  if (order == Order::any) order = is_fortran_only(*ElementLayout(array)) ? Order::fortran : Order::c;
  if (order == Order::c) return reshape(array, shape);
  Array turned = array.view(array.layout().transposed(backwards(array.rank())));
  Array out = reshape(turned, Shape(shape.rbegin(), shape.rend()));
  return out.view(out.layout().transposed(backwards(shape.size())));
}

}  // namespace quern
