// New arrays: of one value, of numbers in even steps, matrices with a diagonal; copies in another type, order or place.
#pragma once

#include <optional>
#include <vector>

#include "functions/elementwise.h"
#include "functions/matrices.h"
#include "functions/shaping.h"
#include "graph/array.h"

namespace quern {

// What becomes of an array's elements. No device: that of the array.
struct Conversion {
  DType dtype;
  Order order = Order::keep;
  bool copies = true;  // also where nothing changes
  std::optional<DeviceId> device{};
};
// Nothing: the array itself, which has that type and order and need not be copied.
std::optional<Array> converted(const Array& array, const Conversion& to);

// How a new array is made. `axes`: from the outermost to the innermost in memory, in place of an order.
struct Making {
  std::optional<DType> dtype;  // none: that of the value
  Order order = Order::c;
  std::vector<size_t> axes{};
  DeviceId device;
};
// Raise ErrorKind::value for negative sizes, and for an order that asks for another array.
Array zeros(const Shape& shape, const Making& how);
Array ones(const Shape& shape, const Making& how);
Array empty(const Shape& shape, const Making& how);  // zeros, too; a check reports kernels that read them before they are written
// A value is a number, or an array that broadcasts to the shape. By PyTorch's rules a number must fit the type, and real numbers
// are of the default type.
Array filled_with(const Rules& rules, const Shape& shape, const Argument& value, const Making& how);

// The same beside an array: its shape, type and device unless others are asked for.
struct MakingLike {
  Making how;
  std::optional<Shape> shape;
};
Array zeros_like(const Array& like, const MakingLike& how);
Array ones_like(const Array& like, const MakingLike& how);
Array empty_like(const Array& like, const MakingLike& how);
Array filled_like(const Rules& rules, const Array& like, const Argument& value, const MakingLike& how);

// How an array made so lies in memory.
LayoutRef layout_like(const Array& like, const MakingLike& to);

// What a front end made of values of the host; none: the argument itself, an array.
struct MadeOfValues {
  std::optional<Array> array;
};
inline std::optional<Array> made_of(const MadeOfValues& values) { return values.array; }

// start, start + step ...
struct EvenNumbers {
  Scalar start, step;
  int64_t count;
  DType dtype, work;  // computed in `work`
  DeviceId device;
  std::optional<Array> made{};  // these instead
};

// Ones on the `k`-th diagonal, zeros elsewhere.
struct Sides {
  int64_t rows, columns;
};

}  // namespace quern
