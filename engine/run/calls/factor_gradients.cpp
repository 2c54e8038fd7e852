// The formulas are PyTorch's (Giles; Walter and Lehmann; Boeddeker et al.). Results that are no functions of the matrix, such as
// the vectors of equal eigenvalues, get infinities or NaN. What reads one triangle has the gradient of the whole matrix.
#include "run/calls/factor_gradients.h"

#include "core/error.h"
#include "run/calls/formulas.h"
#include "run/calls/lapack.h"

namespace quern {

using namespace formulas;

namespace {

using Gradients = std::vector<std::optional<Array>>;
using Given = const std::optional<Array>&;

Array solved(const Array& a, const Array& b, std::string_view mode = "") {
  DType type = is_complex(b.dtype()) ? b.dtype() : a.dtype();
  Array both[] = {a.dtype() == type ? a : astype(a, type), b.dtype() == type ? b : astype(b, type)};
  return factor("solve", both, mode, 0)[0];
}
// x a^-1, x a^-H
Array divided(const Array& x, const Array& a) { return matrix_transpose(solved(matrix_transpose(a), matrix_transpose(x))); }
Array divided_by_adjoint(const Array& x, const Array& a) { return adjoint(solved(a, adjoint(x))); }

Array real_of(const Array& x) { return is_complex(x.dtype()) ? x.real() : x; }

// Where row - column is so: triangles and diagonals; elsewhere 0.
Array masked(Op op, const Array& x, double other = 0) {
  return where(compute(op, below(x.shape().back(), x.device()), 0), x, other);
}

Gradients of_solve(const GradientCall& call) {
  Array gb = solved(adjoint(call.operands[0]), *call.given[0]);
  Gradients out(2);
  if (call.wanted[0]) out[0] = negative(matmul(gb, adjoint(call.results[0])));
  if (call.wanted[1]) out[1] = gb;
  return out;
}

Gradients of_slogdet(const GradientCall& call) {
  const Array& a = call.operands[0];
  Given sign = call.given[0], logarithm = call.given[1];
  bool turns = is_complex(a.dtype()) && sign;  // a real sign stays as it is
  std::optional<Array> g = logarithm;
  if (turns) {
    Array z = *sign * conj(call.results[0]), other = (z - conj(z)) * 0.5;
    g = g ? *g + other : other;
  }
  if (!g) return {zeros(a.shape(), a.dtype(), a.device())};
  Array one = masked(Op::equal, full(a.shape(), operand(1).scalar(), a.dtype(), a.device()));
  return {solved(adjoint(a), one, "q") * of_matrices(*g)};
}

// Of a = l l^H.
Array of_lower(const Array& l, const Array& g) {
  Array product = matmul(adjoint(l), g), strict = masked(Op::greater, product);
  Array middle = strict + adjoint(strict) + on_diagonal(real_of(diagonal(product)));
  Array left = solved(adjoint(l), middle);
  return divided(left, l) * 0.5;
}

Array of_cholesky(std::string_view mode, const GradientCall& call) {
  bool is_upper = !mode.empty() && mode[0] == 'u';
  const Array &factor = call.results[0], &g = *call.given[0];
  return is_upper ? of_lower(adjoint(factor), adjoint(g)) : of_lower(factor, g);
}

// Of square matrices. What is below the diagonal belongs to L, whose diagonal is 1.
Array of_lu(const GradientCall& call) {
  const Array &factors = call.results[0], &rows = call.results[2], &g = *call.given[0];
  const int64_t n = factors.shape().back();
  if (factors.shape()[factors.rank() - 2] != n)
    raise(ErrorKind::not_implemented, "derivative for lu of matrices that are not square is not implemented");
  Array one = full(factors.shape(), operand(1).scalar(), factors.dtype(), factors.device());
  Array lower = masked(Op::greater, factors) + masked(Op::equal, one), upper = masked(Op::less_equal, factors);
  Array left = masked(Op::greater, matmul(adjoint(lower), masked(Op::greater, g)));
  Array right = masked(Op::less_equal, matmul(masked(Op::less_equal, g), adjoint(upper)));
  Array inner = divided_by_adjoint(solved(adjoint(lower), left + right), upper);
  Array swaps = equal(reshape(arange(n, factors.device()), {n, 1}), as_row(rows));
  return matmul(astype(swaps, inner.dtype()), inner);
}

// Of m x n with m >= n; `r` is square.
Array of_tall_qr(const Array& q, const Array& r, Given gq, Given gr) {
  std::optional<Array> m;
  if (gr) m = matmul(*gr, adjoint(r));
  if (gq) {
    Array other = matmul(adjoint(q), *gq);
    m = m ? *m - other : negative(other);
  }
  // The upper triangle, mirrored.
  Array strict = masked(Op::less, *m);
  Array left = matmul(q, strict + adjoint(strict) + on_diagonal(real_of(diagonal(*m))));
  if (gq) left = *gq + left;
  return divided_by_adjoint(left, r);
}

Gradients of_qr(std::string_view mode, const GradientCall& call) {
  const Shape& shape = call.layouts[0]->shape;
  size_t rank = shape.size();
  int64_t m = shape[rank - 2], n = shape[rank - 1];
  char what = mode.empty() ? 'e' : mode[0];
  if (what == 'w' || (what == 'c' && m > n))
    raise(ErrorKind::not_implemented, "derivative for qr in mode '{}' is not implemented; use mode 'reduced'",
          what == 'w' ? "raw" : "complete");
  std::optional<Array> gq, gr;
  Array q, r;
  if (what == 'r') {
    std::vector<Array> both = factor("qr", {&call.operands[0], 1}, "e", 0);
    q = both[0], r = both[1], gr = call.given[0];
  } else {
    q = call.results[0], r = call.results[1], gq = call.given[0], gr = call.given[1];
  }
  if (m >= n) return {of_tall_qr(q, r, gq, gr)};
  // The first m columns are q r1, the others q r2.
  Array out = zeros(shape, call.types[0], call.device);
  std::optional<Array> g1;
  if (gr) {
    Array a2 = matmul(q, part(r, rank - 1, m, n)), g2 = part(*gr, rank - 1, m, n);
    Array more = matmul(a2, adjoint(g2));
    gq = gq ? *gq + more : more;
    g1 = part(*gr, rank - 1, 0, m);
    assign(part(out, rank - 1, m, n), Argument(matmul(q, g2)));
  }
  assign(part(out, rank - 1, 0, m), Argument(of_tall_qr(q, part(r, rank - 1, 0, m), gq, g1)));
  return {out};
}

// values[j] - values[i]; 1 where they are the same one.
Array gaps(const Array& values) {
  Array out = as_row(values) - as_column(values);
  return masked(Op::not_equal, out, 1.0);
}

Gradients of_eigh(std::string_view mode, const GradientCall& call) {
  bool has_vectors = mode.size() > 1;
  Array values, vectors;
  Given g_values = call.given[0];
  std::optional<Array> g_vectors;
  if (has_vectors) {
    values = call.results[0], vectors = call.results[1], g_vectors = call.given[1];
  } else {
    std::vector<Array> both = factor("eigh", {&call.operands[0], 1}, std::string(mode) + "v", 0);
    values = both[0], vectors = both[1];
  }
  if (!g_vectors) return {matmul(vectors * as_row(*g_values), adjoint(vectors))};
  Array middle = masked(Op::not_equal, matmul(adjoint(vectors), *g_vectors) / gaps(values));
  if (g_values) middle = middle + on_diagonal(*g_values);
  Array out = matmul(matmul(vectors, middle), adjoint(vectors));  // of a symmetric matrix: its symmetric part
  return {(out + adjoint(out)) * 0.5};
}

Gradients of_eig(std::string_view mode, const GradientCall& call) {
  bool has_vectors = !mode.empty() && mode[0] == 'v';
  Array values, vectors;
  Given g_values = call.given[0];
  std::optional<Array> g_vectors, middle;
  if (has_vectors) {
    values = call.results[0], vectors = call.results[1], g_vectors = call.given[1];
  } else {
    std::vector<Array> both = factor("eig", {&call.operands[0], 1}, "v", 0);
    values = both[0], vectors = both[1];
  }
  if (g_vectors) {  // the vectors have the length 1
    Array product = matmul(adjoint(vectors), *g_vectors);
    Array along_them = matmul(adjoint(vectors), vectors * as_row(real_of(diagonal(product))));
    middle = masked(Op::not_equal, (product - along_them) / conj(gaps(values)));
  }
  if (g_values) middle = middle ? *middle + on_diagonal(*g_values) : on_diagonal(*g_values);
  return {solved(adjoint(vectors), matmul(*middle, adjoint(vectors)))};
}

Array skew(const Array& x) { return x - adjoint(x); }

Gradients of_svd(std::string_view mode, const GradientCall& call) {
  const Shape& shape = call.layouts[0]->shape;
  size_t rank = shape.size();
  int64_t m = shape[rank - 2], n = shape[rank - 1], k = std::min(m, n);
  bool has_vectors = mode.empty() || mode[0] != 'n';
  std::vector<Array> f = has_vectors ? call.results : factor("svd", {&call.operands[0], 1}, "s", 0);
  auto columns = [&](const Array& x) { return part(x, rank - 1, 0, k); };
  auto rows = [&](const Array& x) { return part(x, rank - 2, 0, k); };
  const Array u = columns(f[0]), &s = f[1], vh = rows(f[2]);
  std::optional<Array> gu, gs = call.given[has_vectors ? 1 : 0], gv;
  if (has_vectors && call.given[0]) gu = columns(*call.given[0]);
  if (has_vectors && call.given[2]) gv = rows(*call.given[2]);
  if (!gu && !gv) return {matmul(u * as_row(*gs), vh)};

  Array squares = square(s), apart = gaps(squares), middle;
  std::optional<Array> of_u, of_v;
  if (gu) of_u = skew(matmul(adjoint(u), *gu));
  if (gv) of_v = skew(matmul(vh, adjoint(*gv)));
  if (gu && gv) {
    middle = (*of_u * as_row(s) + as_column(s) * *of_v) / apart;
  } else {
    middle = gu ? *of_u / apart * as_row(s) : as_column(s) * (*of_v / apart);
  }
  middle = masked(Op::not_equal, middle);
  if (gs) middle = middle + on_diagonal(*gs);
  if (is_complex(u.dtype()) && gu && gv) middle = middle + on_diagonal(diagonal(*of_u) / (s * 2.0));
  if (m > k && gu) {
    Array scaled = *gu / as_row(s);
    return {matmul(matmul(u, middle) + scaled - matmul(u, matmul(adjoint(u), scaled)), vh)};
  }
  if (n > k && gv) {
    Array scaled = *gv / as_column(s);
    return {matmul(u, matmul(middle, vh) + scaled - matmul(matmul(scaled, adjoint(vh)), vh))};
  }
  return {matmul(matmul(u, middle), vh)};
}

}  // namespace

FactorKeeps factor_keeps(std::string_view name, std::string_view mode) {
  if (name == "solve" || name == "slogdet") return {true, true};
  if (name == "cholesky" || name == "lu") return {false, true};
  bool has_no_vectors = name == "qr"     ? !mode.empty() && mode[0] == 'r'
                        : name == "eigh" ? mode.size() < 2
                        : name == "eig"  ? mode.empty() || mode[0] != 'v'
                                         : !mode.empty() && mode[0] == 'n';
  return {has_no_vectors, !has_no_vectors};
}

std::vector<std::optional<Array>> factor_gradients(std::string_view name, std::string_view mode, const GradientCall& call) {
  if (name == "solve") return of_solve(call);
  if (name == "slogdet") return of_slogdet(call);
  if (name == "cholesky") return {of_cholesky(mode, call)};
  if (name == "qr") return of_qr(mode, call);
  if (name == "eigh") return of_eigh(mode, call);
  if (name == "eig") return of_eig(mode, call);
  if (name == "svd") return of_svd(mode, call);
  if (name == "lu") return {of_lu(call)};
  raise(ErrorKind::not_implemented, "derivative for {} is not implemented; compute its gradient in an autograd.Function", name);
}

}  // namespace quern
