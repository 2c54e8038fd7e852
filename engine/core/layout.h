// Layouts: how an array's elements lie in memory. Pure values, no memory behind them.
//
// A Layout is a shape, a stride for each dimension and an offset, all counted in elements. Views (slice, transpose, broadcast)
// make new layouts; collapse() merges dimensions that several operands walk alike, which is what kernels are keyed by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quern {

using Shape = std::vector<int64_t>;

// NumPy's orders of elements in memory: C, Fortran, and those that look at an array: A is Fortran's where that has it (and not
// C's), K is as close to the array's own as can be.
enum class Order : uint8_t { c, fortran, any, keep };

struct Layout {
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;

  // Without gaps; without elements, the strides are 0.
  static Layout contiguous(Shape shape);  // C order
  static Layout fortran(Shape shape);
  static Layout ordered(Shape shape, std::span<const int64_t> strides);  // the axes lie in memory as those strides have them

  size_t rank() const { return shape.size(); }
  int64_t size() const;        // elements
  bool is_contiguous() const;  // C order, no gaps; also when empty or a single element
  bool is_fortran() const;
  std::pair<int64_t, int64_t> extent() const;  // lowest and one past the highest element touched; equal when empty

  Layout transposed(std::span<const int> axes) const;
  Layout sliced(size_t axis, int64_t start, int64_t count, int64_t step) const;
  Layout without(size_t axis, int64_t index) const;
  Layout broadcast_to(const Shape& to) const;             // raises ErrorKind::value when it does not fit
  std::optional<Layout> reshaped(const Shape& to) const;  // nothing when a copy is needed

  bool operator==(const Layout&) const = default;
};

// The shape of so many elements with its -1, of which there may be one, replaced; raises ErrorKind::value where nothing fits.
Shape known_shape(const Shape& shape, int64_t size);

// The shape that all broadcast to; raises ErrorKind::value naming the shapes.
Shape broadcast_shapes(std::span<const Shape> shapes);

// Drops dimensions of one element and merges neighbours that every layout walks as one. All layouts have the same shape.
void collapse(std::vector<Layout>& layouts);

std::string to_string(const Shape& shape);  // "(2, 3)", "(4,)", "()"

}  // namespace quern
