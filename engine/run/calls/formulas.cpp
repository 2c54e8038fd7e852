#include "run/calls/formulas.h"

namespace quern::formulas {

// Both by doubling: after a step each place knows twice as many of its neighbours.
Array products_before(const Array& x, size_t axis) {
  int64_t n = x.shape()[axis];
  Array y = full(x.shape(), operand(1).scalar(), x.dtype(), x.device());
  if (n == 0) return y;
  assign(part(y, axis, 1, n), Argument(part(x, axis, 0, n - 1)));
  for (int64_t d = 1; d < n; d *= 2) {
    Array longer = copied(y, y.dtype());
    assign(part(longer, axis, d, n), Argument(part(y, axis, d, n) * part(y, axis, 0, n - d)));
    y = longer;
  }
  return y;
}

Array sums_of_products_behind(const Array& g, const Array& x, size_t axis) {
  int64_t n = x.shape()[axis];
  Array sums = copied(g, g.dtype()), factors = zeros(x.shape(), x.dtype(), x.device());
  if (n == 0) return sums;
  assign(part(factors, axis, 0, n - 1), Argument(part(x, axis, 1, n)));
  for (int64_t d = 1; d < n; d *= 2) {
    Array more = copied(sums, sums.dtype()), longer = copied(factors, factors.dtype());
    Array so_far = part(factors, axis, 0, n - d);
    assign(part(more, axis, 0, n - d), Argument(part(sums, axis, 0, n - d) + so_far * part(sums, axis, d, n)));
    assign(part(longer, axis, 0, n - d), Argument(so_far * part(factors, axis, d, n)));
    sums = more, factors = longer;
  }
  return sums;
}

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
  Array starts = reshape(arange(rows, g.device()) * n, {rows, 1});
  Pick pick{0, reshape(reshape(at, {rows, n}) + starts, {rows * n})};
  Array out = zeros({rows * n}, g.dtype(), g.device()), values = reshape(g, {rows * n});
  adds ? put_add(out, {&pick, 1}, Argument(values)) : put(out, {&pick, 1}, Argument(values));
  out = reshape(out, shape);
  return out.view(out.layout().transposed(back));
}

}  // namespace quern::formulas
