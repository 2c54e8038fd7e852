#include "run/calls/formulas.h"

namespace quern::formulas {

Array scattered(const Array& given, const Array& places, size_t axis, bool adds) {
  std::vector<int> order, back(given.rank());
  for (size_t i = 0; i < given.rank(); ++i)
    if (i != axis) order.push_back(static_cast<int>(i));
  order.push_back(static_cast<int>(axis));
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int>(i);
  Array g = given.view(given.layout().transposed(order)), at = places.view(places.layout().transposed(order));
  Shape shape = g.shape();
  int64_t n = shape.back(), rows = n ? g.size() / n : 0;
  if (g.size() == 0) return zeros(given.shape(), given.dtype(), given.device());
  // In all rows as one line.
  Array starts = reshape(counted(rows, g.device()) * n, {rows, 1});
  Pick pick{0, reshape(reshape(at, {rows, n}) + starts, {rows * n})};
  Array out = zeros({rows * n}, g.dtype(), g.device()), values = reshape(g, {rows * n});
  adds ? put_add(out, {&pick, 1}, Argument(values)) : put(out, {&pick, 1}, Argument(values));
  out = reshape(out, shape);
  return out.view(out.layout().transposed(back));
}

}  // namespace quern::formulas
