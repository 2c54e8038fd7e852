#include "functions/creation.h"

#include "graph/memory_order.h"
#include "run/transfer.h"

namespace quern {

std::optional<Array> converted(const Array& array, const Conversion& to) {
  const bool moves = to.device && *to.device != array.device();
  const Array there = moves ? moved_to(array, context_on(*to.device)) : array;
  if (to.copies || to.dtype != there.dtype() || !is_in_order(there, to.order)) return astype(there, to.dtype, to.order);
  return moves ? std::optional(there) : std::nullopt;
}

}  // namespace quern
