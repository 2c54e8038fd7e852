// quern/linalg.h on factor() of run/calls/lapack.h. Start at factored().
#include "quern/linalg.h"

#include <cmath>
#include <limits>

#include "api/bodies.h"
#include "quern/picking.h"
#include "run/calls/lapack.h"
#include "run/calls/matmul.h"
#include "run/transfer.h"

namespace qn::linalg {

using namespace inside;

namespace {

// The common one of float32, float64, complex64, complex128.
DType work_type(std::initializer_list<const Array*> arrays) {
  std::optional<DType> out;
  for (const Array* a : arrays) {
    DType type = is_integer_or_bool(a->dtype()) ? DType::float64 : a->dtype();
    if (type == DType::float16 || type == DType::bfloat16)
      raise(ErrorKind::type, "[linalg] matrices of {} are not served; convert them to float32", name_of(type));
    out = out ? common_type({*out, type}) : type;
  }
  return *out;
}

void check_stack(const Array& a) {
  if (a.handle().rank() < 2)
    raise(ErrorKind::algebra, "[linalg] the array has {} axes; a matrix has two or more", a.handle().rank());
}

void check_square(const Array& a) {
  check_stack(a);
  Shape shape = a.shape();
  if (shape.back() != shape[shape.size() - 2])
    raise(ErrorKind::algebra, "[linalg] the matrices must be square, not of shape {}", quern::to_string(shape));
}

// LAPACK's results; see run/calls/lapack.h.
std::vector<Array> factored(std::string_view name, std::string_view mode, std::initializer_list<Array> operands,
                            double number = 0) {
  std::vector<quern::Array> given;
  for (const Array& a : operands) given.push_back(a.handle());
  std::vector<Array> out;
  for (quern::Array& result : quern::factor(name, given, mode, number)) out.push_back(wrap(std::move(result)));
  return out;
}

double step_of(DType type) {
  bool is_single = type == DType::float32 || type == DType::complex64;
  return is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

int64_t larger_size(const Array& a) { return std::max(a.shape(-1), a.shape(-2)); }

// b has columns; both have the type.
Array solved(const Array& a, const Array& b, Here here) {
  Shape of_a = a.shape(), of_b = b.shape();
  Shape stacks[] = {{of_a.begin(), of_a.end() - 2}, {of_b.begin(), of_b.end() - 2}};
  Shape left = quern::broadcast_shapes(stacks), right = left;
  left.insert(left.end(), of_a.end() - 2, of_a.end());
  right.insert(right.end(), of_b.end() - 2, of_b.end());
  return factored("solve", "", {a.broadcast_to(left, here), b.broadcast_to(right, here)})[0];
}

Array values_of(const Array& a) {
  check_stack(a);
  return factored("svd", "n", {as_type(a, work_type({&a}))})[0];
}

Array product(const Array& a, const Array& b) { return wrap(quern::matmul(a.handle(), b.handle())); }

Array in_reals(const Array& a) { return is_integer_or_bool(a.dtype()) ? as_type(a, DType::float64) : a; }

Array root_of_squares(const Array& a, const Axes& axes, bool keepdims, Here here) {
  Array squares;
  if (quern::is_complex(a.dtype())) {
    Array re = a.real(here), im = a.imag(here);
    squares = compute(Op::add, compute(Op::multiply, re, re), compute(Op::multiply, im, im));
  } else {
    squares = compute(Op::multiply, a, a);
  }
  return compute(Op::sqrt, squares.sum(axes, keepdims, here));
}

// The norm of nothing is 0.
Array largest(const Array& a, int axis, bool keepdims, Here here) {
  size_t n = checked_axis(axis, a.handle().rank());
  if (a.shape()[n] > 0) return a.max(axis, keepdims, here);
  return reduced(Reduction::sum, a, axis, keepdims);
}

std::vector<Array> eigenvalues(const Array& a, std::string_view mode, Here here) {
  check_square(a);
  if (!bool(compute(Op::isfinite, a).all({}, false, here)))
    raise(ErrorKind::algebra, "[linalg] the matrices hold infinities or NaN");
  return factored("eig", mode, {as_type(a, work_type({&a}))});
}

std::vector<Array> symmetric(const Array& a, bool upper, bool with_vectors) {
  check_square(a);
  return factored("eigh", std::string(upper ? "U" : "L") + (with_vectors ? "v" : ""), {as_type(a, work_type({&a}))});
}

}  // namespace

Array solve(const Array& a, const Array& b, Here here) {
  return asked(here, [&] {
    check_square(a);
    size_t rank = b.handle().rank();
    if (rank == 0) raise(ErrorKind::value, "[solve] the right side has no axes; give it one or more");
    Array right = rank == 1 ? b.expand_dims(1, here) : b;
    if (right.shape(-2) != a.shape(-1))
      raise(ErrorKind::value, "[solve] the matrix has {} rows and the right side {}", a.shape(-1), right.shape(-2));
    DType type = work_type({&a, &b});
    Array x = solved(as_type(a, type), as_type(right, type), here);
    return rank == 1 ? view(x, x.handle().layout().without(x.handle().rank() - 1, 0)) : x;
  });
}

Array inv(const Array& a, Here here) {
  return asked(here, [&] {
    check_square(a);
    DType type = work_type({&a});
    return solved(as_type(a, type), eye(a.shape(-1), {}, 0, type, a.device(), here), here);
  });
}

Array pinv(const Array& a, double rcond, Here here) {
  return asked(here, [&] {
    check_stack(a);
    DType type = work_type({&a});
    if (a.shape(-1) == 0 || a.shape(-2) == 0) return made(a.swapaxes(-1, -2, here).shape(), whole(0), type, a.device());
    Array given = as_type(a, type);
    if (quern::is_complex(type)) given = compute(Op::conjugate, given);
    std::vector<Array> f = factored("svd", "s", {given});
    Array& s = f[1];
    Array counts = compute(Op::greater, s, compute(Op::multiply, s.max(-1, true, here), rcond));
    Array inverted = compute(Op::true_divide, 1, compute(Op::where, counts, s, 1));
    s = as_type(compute(Op::where, counts, inverted, 0), s.dtype());
    return product(f[2].swapaxes(-1, -2, here), compute(Op::multiply, s.expand_dims(-1, here), f[0].swapaxes(-1, -2, here)));
  });
}

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond, Here here) {
  return asked(here, [&] {
    bool is_vector = b.handle().rank() == 1;
    Array right = is_vector ? b.expand_dims(1, here) : b;
    for (const Array* x : {&a, static_cast<const Array*>(&right)})
      if (x->handle().rank() != 2)
        raise(ErrorKind::algebra, "[lstsq] an array has {} axes; a matrix has two", x->handle().rank());
    int64_t m = a.shape(0), n = a.shape(1);
    if (right.shape(0) != m) raise(ErrorKind::algebra, "[lstsq] the matrix has {} rows and the right side {}", m, right.shape(0));
    DType type = work_type({&a, &b});
    double limit = rcond.value_or(step_of(type) * static_cast<double>(std::max(m, n)));
    std::vector<Array> f = factored("lstsq", "", {as_type(a, type), as_type(right, type)}, limit);
    LeastSquares out{f[0], f[1], f[2].item<int64_t>(here), f[3]};
    if (out.rank != n || m <= n) out.residuals = cut(out.residuals, 0, {}, 0);
    if (is_vector) out.x = view(out.x, out.x.handle().layout().without(1, 0));
    return out;
  });
}

SignAndLogarithm slogdet(const Array& a, Here here) {
  return asked(here, [&] {
    check_square(a);
    std::vector<Array> f = factored("slogdet", "", {as_type(a, work_type({&a}))});
    return SignAndLogarithm{f[0], f[1]};
  });
}

Array det(const Array& a, Here here) {
  return asked(here, [&] {
    SignAndLogarithm parts = slogdet(a, here);
    return compute(Op::multiply, parts.sign, compute(Op::exp, parts.logarithm));
  });
}

Array cholesky(const Array& a, bool upper, Here here) {
  return asked(here, [&] {
    check_square(a);
    return factored("cholesky", upper ? "u" : "l", {as_type(a, work_type({&a}))})[0];
  });
}

QR qr(const Array& a, bool complete, Here here) {
  return asked(here, [&] {
    check_stack(a);
    std::vector<Array> f = factored("qr", complete ? "c" : "e", {as_type(a, work_type({&a}))});
    return QR{f[0], f[1]};
  });
}

SVD svd(const Array& a, bool full_matrices, Here here) {
  return asked(here, [&] {
    check_stack(a);
    std::vector<Array> f = factored("svd", full_matrices ? "a" : "s", {as_type(a, work_type({&a}))});
    return SVD{f[0], f[1], f[2]};
  });
}

Array svdvals(const Array& a, Here here) {
  return asked(here, [&] { return values_of(a); });
}

Eigen eigh(const Array& a, bool upper, Here here) {
  return asked(here, [&] {
    std::vector<Array> f = symmetric(a, upper, true);
    return Eigen{f[0], f[1]};
  });
}
Array eigvalsh(const Array& a, bool upper, Here here) {
  return asked(here, [&] { return symmetric(a, upper, false)[0]; });
}

Eigen eig(const Array& a, Here here) {
  return asked(here, [&] {
    std::vector<Array> f = eigenvalues(a, "v", here);
    return Eigen{f[0], f[1]};
  });
}
Array eigvals(const Array& a, Here here) {
  return asked(here, [&] { return eigenvalues(a, "", here)[0]; });
}

Array matrix_power(const Array& a, int64_t n, Here here) {
  return asked(here, [&] {
    check_square(a);
    if (n == 0) return eye(a.shape(-1), {}, 0, a.dtype(), a.device(), here).broadcast_to(a.shape(), here).copy(here);
    Array power = n < 0 ? inv(a, here) : a, out;
    uint64_t left = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    for (; left > 0; left >>= 1) {
      if (left & 1) out = out.valid() ? product(out, power) : power.copy(here);
      if (left > 1) power = product(power, power);
    }
    return out;
  });
}

Array norm(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return asked(here, [&] { return root_of_squares(in_reals(a), axes, keepdims, here); });
}

Array vector_norm(const Array& a, double ord, int axis, bool keepdims, Here here) {
  return asked(here, [&] {
    Array x = in_reals(a);
    if (ord == 2) return root_of_squares(x, axis, keepdims, here);
    Array size = compute(Op::absolute, x);
    if (ord == HUGE_VAL) return largest(size, axis, keepdims, here);
    if (ord == -HUGE_VAL) return size.min(axis, keepdims, here);
    if (ord == 0) return as_type(compute(Op::not_equal, x, 0), size.dtype()).sum(axis, keepdims, here);
    if (ord == 1) return size.sum(axis, keepdims, here);
    auto power = [](const Array& base, double by) { return wrap(quern::raised(operand(base), operand(by))); };
    return power(power(size, ord).sum(axis, keepdims, here), 1 / ord);
  });
}

Array matrix_norm(const Array& a, MatrixNorm which, Here here) {
  return asked(here, [&] {
    check_stack(a);
    Array x = in_reals(a);
    auto sums = [&](int axis) { return compute(Op::absolute, x).sum(axis, false, here); };
    switch (which) {
      case MatrixNorm::nuclear:
        return values_of(x).sum(-1, false, here);
      case MatrixNorm::largest_value:
        return largest(values_of(x), -1, false, here);
      case MatrixNorm::smallest_value:
        return values_of(x).min(-1, false, here);
      case MatrixNorm::largest_column:
        return largest(sums(-2), -1, false, here);
      case MatrixNorm::smallest_column:
        return sums(-2).min(-1, false, here);
      case MatrixNorm::largest_row:
        return largest(sums(-1), -1, false, here);
      case MatrixNorm::smallest_row:
        return sums(-1).min(-1, false, here);
      default:
        return root_of_squares(x, {-2, -1}, false, here);
    }
  });
}

Array cond(const Array& a, Here here) {
  return asked(here, [&] {
    Array s = values_of(a);
    if (s.shape(-1) == 0) raise(ErrorKind::algebra, "[cond] an empty matrix has none");
    size_t last = s.handle().rank() - 1;
    const Layout& layout = s.handle().layout();
    Array out = compute(Op::true_divide, view(s, layout.without(last, 0)), view(s, layout.without(last, s.shape(-1) - 1)));
    // 0 / 0 is infinite too, unless there was a NaN.
    Array lost = compute(Op::logical_and, compute(Op::isnan, out),
                         compute(Op::logical_not, compute(Op::isnan, a).any({-2, -1}, false, here)));
    return as_type(compute(Op::where, lost, HUGE_VAL, out), out.dtype());
  });
}

Array matrix_rank(const Array& a, std::optional<double> rtol, Here here) {
  return asked(here, [&] {
    if (a.handle().rank() < 2) return as_type(compute(Op::not_equal, a, 0).any({}, false, here), DType::int64);
    Array s = values_of(a);
    double factor = rtol.value_or(step_of(s.dtype()) * static_cast<double>(larger_size(a)));
    Array limit = compute(Op::multiply, largest(s, -1, true, here), factor);
    return count_nonzero(compute(Op::greater, s, limit), -1, false, here);
  });
}

}  // namespace qn::linalg
