// The determinant and its derivatives, which singular matrices have, too: all by singular values s and their vectors, A = U
// diag(s) V^H. The derivative of det(A) is the matrix of cofactors, t conj(U) diag(p) V^T with t = det(U) det(V^H) and p_i the
// product of all s but s_i. The derivative of that needs the products p_ij of all but two; no equal or vanishing singular values
// disturb it.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "functions/linalg.h"
#include "functions/matrices.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/matmul.h"
#include "run/calls/sorting.h"

namespace quern::linalg {

using namespace steps;

namespace {

struct Factors {
  Array u, s, vh, turns;  // turns: det(u) det(vh)
};
Factors factors_of(const Array& a) {
  std::vector<Array> f = factored("svd", a, "s");
  Array turns = multiply(factored("slogdet", f[0], "")[0], factored("slogdet", f[2], "")[0]);
  return {f[0], f[1], f[2], turns};
}

// Of each number in the last axis: the product of the others.
Array products_of_others(const Array& s) {
  const int64_t n = last_size(s);
  Array others = full(s.shape(), real_number(1), s.dtype(), s.device());
  for (int step : {1, -1}) {  // of those before it, and of those behind it
    auto line = [&](const Array& x) { return step > 0 ? x : part(x, -1, n - 1, -1, -1); };
    Array products = part(running(line(s), "multiply", s.rank() - 1), -1, 0, n - 1);
    Array place = part(line(others), -1, 1, n);
    Argument both[] = {Argument(place), Argument(products)};
    if (n > 1) elementwise(Op::multiply, both, &place);
  }
  return others;
}

// Of each two: the product of all but them; 0 on the diagonal.
Array products_but_two(const Array& s) {
  const int64_t n = last_size(s);
  const Array k = arange(n, s.device()), j = expand_dims(k, 1), i = expand_dims(j, 2);
  const Array is_left_out = logical_or(equal(i, k), equal(j, k));
  const Array factors = expand_dims(expand_dims(s, s.rank() - 1), s.rank() - 1);
  const Array products = reduced(Reduction::product, where(is_left_out, 1.0, factors));
  return as_type(where(equal(j, k), 0.0, products), s.dtype());
}

Array cofactors(const Array& a);

class Cofactors : public GradientBody {
 public:
  std::string_view name() const override { return "linalg_det_backward"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    const Array &a = call.operands[0], &g = *call.given[0];
    if (GradientMode::is_on()) return {by_inverse(a, g)};
    if (a.size() == 0) return {full(a.shape(), whole(0), a.dtype(), call.device)};
    const Factors f = factors_of(a);
    const Array products = products_but_two(f.s), turns = of_matrices(conj(f.turns));
    const Array y = multiply(turns, matmul(matrix_transpose(f.u), matmul(g, matrix_transpose(f.vh))));
    const Array diagonals = expand_dims(diagonal(y, 0, y.rank() - 2, y.rank() - 1), y.rank() - 2);
    const Array sums = reduced(Reduction::sum, multiply(products, diagonals));
    const Array k = arange(last_size(f.s), call.device);
    const Array inner =
        where(equal(expand_dims(k, 1), k), expand_dims(sums, sums.rank()), negative(multiply(products, matrix_transpose(y))));
    return {matmul(f.u, matmul(inner, f.vh))};
  }

 private:
  // For third derivatives, which singular matrices are refused: of conj(det) (sum(B W) B - B W^T B) with B the adjoint's inverse.
  static Array by_inverse(const Array& a, const Array& g) {
    const Array b = inv(conj(matrix_transpose(a)));
    const Array sum = reduced(Reduction::sum, reduced(Reduction::sum, multiply(b, g)));
    const Array both = subtract(multiply(of_matrices(sum), b), matmul(b, matmul(matrix_transpose(g), b)));
    return multiply(of_matrices(conj(det(a))), both);
  }
};

Array cofactors(const Array& a) {
  auto make = [&] {
    const Factors f = factors_of(a);
    const Array left = multiply(conj(f.u), expand_dims(products_of_others(f.s), f.s.rank() - 1));
    return std::vector<Array>{multiply(of_matrices(f.turns), matmul(left, conj(f.vh)))};
  };
  if (!wants_gradient(a)) return make()[0];
  return differentiable(std::make_shared<Cofactors>(), {&a, 1}, {{true}, {false}}, make)[0];
}

// Is a determinant far smaller than the product of its rows' lengths, which bounds it? This waits for the values.
bool may_be_singular(const Array& a, const Array& det) {
  const Array size = absolute(det), sizes = absolute(a);
  const Array squares = reduced(Reduction::sum, multiply(sizes, sizes));
  const Array bound = reduced(Reduction::product, sqrt(squares));
  const double least = std::sqrt(size_of(size.dtype()) == 8 ? 0x1p-52 : 0x1p-23);
  const Array is_large = greater(size, multiply(bound, least));
  const std::vector<uint8_t> values = values_of<uint8_t>(as_type(is_large, DType::uint8));
  return std::ranges::find(values, 0) != values.end();
}

class Determinant : public GradientBody {
 public:
  std::string_view name() const override { return "linalg_det"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    const Array &a = call.operands[0], &det = call.results[0], &g = *call.given[0];
    if (a.size() == 0) return {full(a.shape(), whole(0), a.dtype(), call.device)};
    if (!GradientMode::is_on() || may_be_singular(a, det)) return {multiply(of_matrices(g), conj(cofactors(a)))};
    // Through the determinant, as PyTorch's second derivatives go, which its hooks see.
    return {multiply(of_matrices(multiply(g, conj(det))), inv(conj(matrix_transpose(a))))};
  }
};

}  // namespace

Array det(const Array& a) {
  auto by_factors = [&] {
    std::vector<Array> f = factored("slogdet", a, "");
    return std::vector<Array>{multiply(f[0], exp(f[1]))};
  };
  if (!wants_gradient(a)) return by_factors()[0];
  return differentiable(std::make_shared<Determinant>(), {&a, 1}, {{true}, {true}}, by_factors)[0];
}

}  // namespace quern::linalg
