// How a result lies in memory: NumPy's answer, for everything that makes one. This is the only place that decides it.
#pragma once

#include "graph/array.h"

namespace quern {

// While one that is on lives, results on its thread lie as PyTorch has them: reductions, running results and joined arrays in C
// order, elementwise work and copies as TensorIterator places them.
class TorchOrder {
 public:
  explicit TorchOrder(bool on = true);
  ~TorchOrder();
  TorchOrder(const TorchOrder&) = delete;
  static bool is_on();

 private:
  bool before_;
};

// The array, in C order while one lives.
Array in_result_order(const Array& array);

// A copy of the array: by the strides alone, so that an axis along which it is repeated (stride 0) becomes the innermost one.
LayoutRef copied_layout(const Array& array, Order order = Order::keep);
// A new array of another shape beside it; of another number of axes in C order, unless Fortran's is asked for.
LayoutRef layout_beside(const Array& array, const Shape& shape, Order order = Order::keep);
// The layout of the same elements in another shape; nothing where only a copy has it. Of axes of one element, NumPy's or
// PyTorch's strides.
std::optional<Layout> reshaped_layout(const Layout& layout, const Shape& shape);
// The layout with axes of one element put in at `places`, which rise.
Layout layout_with_axes(const Layout& layout, const std::vector<size_t>& places);
// The array with the strides of `like` along axes of one element, where it lies as that otherwise: what NumPy computes in place.
Array laid_as(const Array& array, const Array& like);
// What elementwise work gives: as its operands lie. Where they disagree about two axes, C order wins; axes of one element, and
// those along which an operand is repeated, say nothing.
LayoutRef result_layout(const Shape& shape, std::span<const Argument> arguments);
// The same for a row of ops.def. NumPy's ufuncs copy Fortran's order, axes of one element too, from operands that need no
// conversion; its `where`, which is none, does not.
LayoutRef ufunc_layout(Op op, DType compute, const Shape& shape, std::span<const Argument> arguments);
// Matrices in C order; stacks of them lie as elementwise work on the operands' stacks does.
LayoutRef matrices_layout(const Shape& shape, const Array& left, const Array& right);
// What is left of an array when some axes go, and that with axes of one element in their place.
struct Reduced {
  LayoutRef result;
  Layout shown;
};
Reduced reduced_layouts(const Array& array, const std::vector<bool>& goes, bool keep_dims);
// Scans along an axis (running sums, products, extrema): as elementwise work.
LayoutRef running_layout(const Array& array);
// Arrays one after the other: as elementwise work, but that repeated elements count.
LayoutRef joined_layout(const Shape& shape, std::span<const Array> parts);
// What arrays pick, as PyTorch has it: of the first operand that steps along two axes, the axis with the smaller steps, or of
// equal ones the shorter, is the inner one. `steps`: each operand's along each axis, 0 where it says nothing.
LayoutRef picked_layout(const Shape& shape, std::span<const std::vector<int64_t>> steps);
// PyTorch's format of a result beside a tensor: the channels last where they are so there, else C order.
LayoutRef format_beside(const Array& array, const Shape& shape);
LayoutRef channels_last_layout(const Shape& shape);  // of two axes or more
bool suggests_channels_last(const Layout& layout);
// Do the elements lie so without gaps?
bool is_channels_last(const Layout& layout);
// The gradient of a tensor: as the tensor lies where it has no gaps, else in C order.
LayoutRef gradient_layout(const LayoutRef& of);
// The lines of that axis are rows, one after the other.
LayoutRef rows_of(const Shape& shape, size_t axis);

// Does the array lie as a copy in that order would?
bool is_in_order(const Array& array, Order order);
// The array where it does so, else a copy.
Array in_order(const Array& array, Order order);
// The elements in memory of their own that lies so: the array where it does, else a copy.
Array arranged(const Array& array, const LayoutRef& layout);
// The array where the lines of that axis are rows of memory, one after the other, else a copy.
Array in_rows(const Array& array, size_t axis);
// One dimension, the elements in that order: a view where nothing has to move, else a copy.
Array raveled(const Array& array, Order order);
// The same elements, read and put into `shape` in C, Fortran or any order; a view where that is possible.
Array reshaped(const Array& array, const Shape& shape, Order order);

}  // namespace quern
