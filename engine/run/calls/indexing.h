// Indexing by arrays.
#pragma once

#include <optional>

#include "core/error.h"
#include "graph/call.h"

namespace quern {

// What a peer says of an index that is not there: {0} stands for it, {1} for the axis, {2} for its size.
struct OutOfRange {
  ErrorKind kind;
  const char* text;
  bool from_end;  // -1 is the last; else it is not there either
};

// Indices for one axis. All of one call broadcast together to the shape of the picks.
struct Pick {
  size_t axis;
  Array index;                           // integers; -1 is the last
  bool wraps = false;                    // what is out of range wraps around, as CuPy has it; else it is an error
  const OutOfRange* refused = nullptr;   // such as this one, kept for good; none: what NumPy says
  std::optional<size_t> told_axis = {};  // the axis in the caller's array; none: that one
};

Shape shape_of(std::span<const Pick> picks);  // that all indices broadcast to

// The picked elements, of shape picks' shape + the other axes. An index out of range is an error at evaluation.
Array take(const Array& array, std::span<const Pick> picks);
// The same of an array of one dimension, where that is little work and every index is in range; else none.
std::optional<Array> take_now(const Array& array, const Array& index, bool from_end = true);
// The same along one axis, in C order: the picks' shape stands in the axis' place.
Array take_along(const Array& array, const Array& index, size_t axis, const OutOfRange* refused = nullptr,
                 std::optional<size_t> told_axis = {});
// Writes them; where an element is picked several times, the last value stays.
void put(const Array& array, std::span<const Pick> picks, const Argument& value);
// While it lives, gradients of what put() records on this thread are PyTorch's: of values that meet at one element all have its
// gradient, not the last one alone.
class AllHaveGradients {
 public:
  AllHaveGradients();
  ~AllHaveGradients();
  AllHaveGradients(const AllHaveGradients&) = delete;
  AllHaveGradients& operator=(const AllHaveGradients&) = delete;

 private:
  bool before_;
};
// Adds them to real and complex numbers there; where an element is picked several times, all count.
void put_add(const Array& array, std::span<const Pick> picks, const Argument& value);

// The positions of the true elements of a bool array, counted in C order: int64, one dimension. This waits for the values.
Array true_positions(const Array& mask);
// The values where a mask of the same shape is true, in one dimension; on a GPU, of an array without gaps.
Array selected(const Array& values, const Array& mask);

}  // namespace quern
