// Gradients that come for parts of a value, as views saw them: what they come to for the whole of it.
#pragma once

#include <optional>
#include <vector>

#include "graph/tape.h"

namespace quern {

// A gradient of a part of an entry's value, which it was seen through.
struct GradientPart {
  LayoutRef layout;
  DType dtype;
  Array g;
  bool is_unclear = false;  // a view on the way has shares (has_unclear_parts())
};

// All that has come for the entry, in its shape: the sum of what came for all of it, and the parts.
Array total(const Entry& entry, std::optional<Array>& sum, std::vector<GradientPart>& parts);
// Elements of an expanded value share a place, and a part that was seen through a view does not say of which of them it is. Their
// sum is known, and each one's share of it is what total() gives; their own gradients are not known.
bool has_unclear_parts(const Entry& entry, const std::vector<GradientPart>& parts);
// The gradient of an entry that writes into a part of its memory, as its value lies there: the layout of the part counts in that.
Array as_memory(const Entry& entry, const Array& g);
// Does it have elements that are one and the same, by strides of 0?
bool repeats(const Layout& layout);

}  // namespace quern
