// quern/matrices.h on views, run/calls/matmul.h and functions/einsum.h.
#include "quern/matrices.h"

#include <numeric>

#include "functions/einsum.h"
#include "run/calls/matmul.h"
#include "api/bodies.h"

namespace qn {

using namespace inside;

namespace {

Array triangle(const char* name, const Array& a, int64_t k, bool lower, Here here) {
  return asked(here, [&] {
    Shape shape = a.shape();
    if (shape.size() < 2) raise(ErrorKind::value, "[{}] the array has {} axes; it must have two or more", name, shape.size());
    int64_t rows = shape[shape.size() - 2], columns = shape.back();
    Array row = numbers(rows, a).reshape({rows, 1}, here), column = numbers(columns, a);
    Array below = compute(Op::greater_equal, compute(Op::add, row, lower ? k : k - 1), column);
    Array zero = made({1}, whole(0), a.dtype(), a.device());
    return lower ? compute(Op::where, below, a, zero) : compute(Op::where, below, zero, a);
  });
}

Array diagonal_of(const Array& a, int64_t k, int axis1, int axis2) {
  const quern::Array& array = a.handle();
  if (array.rank() < 2) raise(ErrorKind::value, "[diagonal] the array has {} axes; it must have two or more", array.rank());
  size_t first = checked_axis(axis1, array.rank()), second = checked_axis(axis2, array.rank());
  if (first == second) raise(ErrorKind::value, "[diagonal] the two axes are the same");
  Layout part = cut(a, k >= 0 ? second : first, k >= 0 ? k : -k, {}).handle().layout(), out;
  out.offset = part.offset;
  for (size_t n = 0; n < array.rank(); ++n) {
    if (n == first || n == second) continue;
    out.shape.push_back(part.shape[n]);
    out.strides.push_back(part.strides[n]);
  }
  out.shape.push_back(std::min(part.shape[first], part.shape[second]));
  out.strides.push_back(part.strides[first] + part.strides[second]);
  return view(a, std::move(out));
}

Array sum_of_products(const Array& a, const Array& b) {
  if (a.dtype() == DType::boolean && b.dtype() == DType::boolean)
    return reduced(Reduction::any, compute(Op::bitwise_and, a, b), -1, false);
  Array product = compute(Op::multiply, a, b);
  return reduced(Reduction::sum, product, -1, false, product.dtype());
}

Array contracted(const Array& a, const Array& b, std::vector<int> left, std::vector<int> right, Here here) {
  Shape of_a = a.shape(), of_b = b.shape();
  if (left.size() != right.size())
    raise(ErrorKind::value, "[tensordot] {} axes of a and {} of b are named; name as many", left.size(), right.size());
  int64_t inner = 1;
  for (size_t i = 0; i < left.size(); ++i) {
    size_t n = checked_axis(left[i], of_a.size()), m = checked_axis(right[i], of_b.size());
    if (of_a[n] != of_b[m])
      raise(ErrorKind::value, "[tensordot] shapes {} and {} do not fit: {} elements in axis {}, {} in axis {}",
            quern::to_string(of_a), quern::to_string(of_b), of_a[n], n, of_b[m], m);
    left[i] = static_cast<int>(n);
    right[i] = static_cast<int>(m);
    inner *= of_a[n];
  }
  auto others = [](const Shape& shape, const std::vector<int>& gone, Shape& sizes) {
    std::vector<int> out;
    for (size_t n = 0; n < shape.size(); ++n) {
      auto times = std::count(gone.begin(), gone.end(), static_cast<int>(n));
      if (times > 1) raise(ErrorKind::value, "[tensordot] axis {} is named twice", n);
      if (times == 1) continue;
      out.push_back(static_cast<int>(n));
      sizes.push_back(shape[n]);
    }
    return out;
  };
  Shape rows, columns;
  std::vector<int> first = others(of_a, left, rows), second = others(of_b, right, columns);
  first.insert(first.end(), left.begin(), left.end());
  right.insert(right.end(), second.begin(), second.end());
  auto product = [](const Shape& sizes) { return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()); };
  Array x = transposed(a, first).reshape({product(rows), inner}, here);
  Array y = transposed(b, right).reshape({inner, product(columns)}, here);
  rows.insert(rows.end(), columns.begin(), columns.end());
  return wrap(quern::matmul(x.handle(), y.handle())).reshape(rows, here);
}

Array product_over(const char* name, const Array& a, const Array& b, int axis, Here here) {
  size_t rank_a = a.handle().rank(), rank_b = b.handle().rank();
  if (rank_a == 0 || rank_b == 0) return compute(Op::multiply, a, b);
  int64_t last = a.shape().back(), other = b.shape()[checked_axis(axis, rank_b)];
  if (last != other)
    raise(ErrorKind::value, "[{}] shapes {} and {} do not fit: {} and {} elements", name, quern::to_string(a.shape()),
          quern::to_string(b.shape()), last, other);
  return rank_a == 1 && rank_b == 1 ? sum_of_products(a, b) : contracted(a, b, {-1}, {axis}, here);
}

void check_rank(const char* name, const Array& a, size_t least) {
  if (a.handle().rank() < least)
    raise(ErrorKind::value, "[{}] the array has {} axes; it must have {} or more", name, a.handle().rank(), least);
}

void check_cores(const char* name, int64_t a, int64_t b) {
  if (a != b) raise(ErrorKind::value, "[{}] {} and {} elements do not fit together", name, a, b);
}

Array conjugated(const Array& a) { return quern::is_complex(a.dtype()) ? compute(Op::conjugate, a) : a; }

}  // namespace

Array tril(const Array& a, int64_t k, Here here) { return triangle("tril", a, k, true, here); }
Array triu(const Array& a, int64_t k, Here here) { return triangle("triu", a, k, false, here); }

Array diagonal(const Array& a, int64_t k, int axis1, int axis2, Here here) {
  return asked(here, [&] { return diagonal_of(a, k, axis1, axis2); });
}

Array diag(const Array& a, int64_t k, Here here) {
  return asked(here, [&] {
    size_t rank = a.handle().rank();
    if (rank == 2) return diagonal_of(a, k, 0, 1);
    if (rank != 1) raise(ErrorKind::value, "[diag] the array has {} axes; it must have one or two", rank);
    int64_t n = a.size() + std::abs(k);
    Array out = made({n, n}, whole(0), a.dtype(), a.device());
    quern::assign(diagonal_of(out, k, 0, 1).handle(), operand(a));
    return out;
  });
}

Array trace(const Array& a, int64_t k, int axis1, int axis2, Here here) {
  return asked(
      here, [&] { return reduced(Reduction::sum, diagonal_of(a, k, axis1, axis2), -1, false, quern::summed_type(a.dtype())); });
}

Array dot(const Array& a, const Array& b, Here here) {
  return asked(here, [&] { return product_over("dot", a, b, b.handle().rank() > 1 ? -2 : -1, here); });
}
Array inner(const Array& a, const Array& b, Here here) {
  return asked(here, [&] { return product_over("inner", a, b, -1, here); });
}
Array vdot(const Array& a, const Array& b, Here here) {
  return asked(here, [&] {
    if (a.size() != b.size())
      raise(ErrorKind::value, "[vdot] the arrays have {} and {} elements; give both as many", a.size(), b.size());
    Array first = a.ravel(here);
    return sum_of_products(conjugated(first), b.ravel(here));
  });
}
Array outer(const Array& a, const Array& b, Here here) {
  return asked(here, [&] { return compute(Op::multiply, a.reshape({a.size(), 1}, here), b.ravel(here)); });
}

Array tensordot(const Array& a, const Array& b, int axes, Here here) {
  return asked(here, [&] {
    if (axes < 0) raise(ErrorKind::value, "[tensordot] {} axes were asked for; it must be none or more", axes);
    std::vector<int> left, right;
    for (int n = 0; n < axes; ++n) {
      left.push_back(n - axes);
      right.push_back(n);
    }
    return contracted(a, b, left, right, here);
  });
}
Array tensordot(const Array& a, const Array& b, const std::vector<int>& of_a, const std::vector<int>& of_b, Here here) {
  return asked(here, [&] { return contracted(a, b, of_a, of_b, here); });
}

Array kron(const Array& a, const Array& b, Here here) {
  return asked(here, [&] { return wrap(quern::kron(a.handle(), b.handle())); });
}

Array cross(const Array& a, const Array& b, int axis, Here here) {
  return asked(here, [&] {
    auto components = [&](const Array& x) {
      Array lines = with_last(x, checked_axis(axis, x.handle().rank()));
      if (lines.shape().back() != 3)
        raise(ErrorKind::value, "[cross] the vectors have {} components; they must have three", lines.shape().back());
      std::vector<Array> out;
      for (int64_t n = 0; n < 3; ++n) out.push_back(view(lines, lines.handle().layout().without(lines.handle().rank() - 1, n)));
      return out;
    };
    std::vector<Array> x = components(a), y = components(b), parts;
    for (size_t n = 0; n < 3; ++n) {
      size_t i = (n + 1) % 3, j = (n + 2) % 3;
      parts.push_back(compute(Op::subtract, compute(Op::multiply, x[i], y[j]), compute(Op::multiply, x[j], y[i])));
    }
    return stack(parts, axis, here);
  });
}

Array vecdot(const Array& a, const Array& b, int axis, Here here) {
  return asked(here, [&] {
    Array x = with_last(a, checked_axis(axis, a.handle().rank())), y = with_last(b, checked_axis(axis, b.handle().rank()));
    check_cores("vecdot", x.shape().back(), y.shape().back());
    return sum_of_products(conjugated(x), y);
  });
}
Array matvec(const Array& a, const Array& b, Here here) {
  return asked(here, [&] {
    check_rank("matvec", a, 2);
    check_rank("matvec", b, 1);
    check_cores("matvec", a.shape().back(), b.shape().back());
    Array out = wrap(quern::matmul(a.handle(), b.expand_dims(-1, here).handle()));
    return view(out, out.handle().layout().without(out.handle().rank() - 1, 0));
  });
}
Array vecmat(const Array& a, const Array& b, Here here) {
  return asked(here, [&] {
    check_rank("vecmat", a, 1);
    check_rank("vecmat", b, 2);
    check_cores("vecmat", a.shape().back(), b.shape(-2));
    Array out = wrap(quern::matmul(conjugated(a).expand_dims(-2, here).handle(), b.handle()));
    return view(out, out.handle().layout().without(out.handle().rank() - 2, 0));
  });
}

Array matrix_transpose(const Array& a, Here here) {
  return asked(here, [&] {
    check_rank("matrix_transpose", a, 2);
    return a.swapaxes(-1, -2, here);
  });
}

Array einsum(const std::string& subscripts, const std::vector<Array>& operands, Here here) {
  return asked(here, [&] {
    std::vector<quern::Array> given;
    for (const Array& a : operands) given.push_back(a.handle());
    return wrap(quern::einsum(subscripts, given));
  });
}

}  // namespace qn
