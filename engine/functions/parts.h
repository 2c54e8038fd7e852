// An index taken apart as NumPy does it: a[1:, None, mask, 3]. Integers, slices, new axes and dots make a view, in which arrays
// then pick elements. The bindings and the public headers translate what stands between the brackets; what it means is here.
#pragma once

#include "run/calls/indexing.h"

#include <optional>
#include <utility>

namespace quern {

// What stands at one place of an index.
struct IndexPart {
  enum class Kind : uint8_t { dots, axis, slice, integer, array };  // ..., None, start:stop:step, a number, integers or bools
  Kind kind = Kind::slice;
  std::optional<int64_t> start = {}, stop = {};
  int64_t step = 1;
  int64_t integer = 0;
  const Array* array = nullptr;
  std::optional<std::pair<int64_t, int64_t>> limits = {};  // of an array whose values are known: the least and the greatest
  bool wraps = false;                                      // see Pick
  bool selects = false;  // as in PyTorch, integers take their axis away before arrays index, and do not count as arrays
};

// The part that an array stands for: one integer is read and counts as a number. Raises ErrorKind::index for other types
// than integers and bools, ErrorKind::value for another device than that.
IndexPart part_of(const Array& array, DeviceId device);

// The elements that an index names. `layout` is the view by its basic parts, in which each pick indexes an axis.
struct Places {
  Layout layout;
  std::vector<Pick> picks;
  size_t picks_at = 0;             // where their shape goes in the result
  bool all_integers = false;       // every dimension was taken away by an integer
  bool as_torch = false;           // what is picked lies in memory as PyTorch's results do, not as NumPy's
  std::optional<Array> mask = {};  // the only part is a bool array of the whole shape; nobody has counted yet
  bool is_view() const { return picks.empty() && !mask; }
};

// Raises ErrorKind::index for too many parts, and for what is out of range as far as that is known here.
Places places_of(const Array& array, std::span<const IndexPart> parts);
// A mask's true elements become picks: this waits for it. at() and assign_at() do it where they must.
void find_true(const Array& array, Places& places);
std::string in_brackets(const Shape& shape);  // as PyTorch writes it
Shape shape_of(const Places& places);         // of what they name; of a mask's only once find_true() has been there
Array at(const Array& array, Places places);  // a view; with arrays among the parts a new array
void assign_at(const Array& array, Places places, const Argument& value);

// What Python's start:stop:step leaves of an axis.
Layout sliced(const Layout& layout, size_t axis, std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step);

// Where a bool array is true: an index for each of its axes.
std::vector<Array> indices_of(const Array& mask);

}  // namespace quern
