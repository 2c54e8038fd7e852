// quern/matrices.h on functions/matrices.h and functions/einsum.h.
#include "quern/matrices.h"

#include "api/bodies.h"
#include "functions/einsum.h"
#include "functions/matrices.h"

namespace qn {

using namespace inside;

namespace {

Array triangle(const char* name, const Array& a, int64_t k, bool lower, Here here) {
  return asked(here, [&] {
    size_t rank = a.handle().rank();
    if (rank < 2) raise(ErrorKind::value, "[{}] the array has {} axes; it must have two or more", name, rank);
    return wrap(quern::triangle(a.handle(), k, lower));
  });
}

}  // namespace

Array tril(const Array& a, int64_t k, Here here) { return triangle("tril", a, k, true, here); }
Array triu(const Array& a, int64_t k, Here here) { return triangle("triu", a, k, false, here); }

Array matvec(const Array& a, const Array& b, Here here) { return call(here, quern::matvec, a, b); }
Array vecmat(const Array& a, const Array& b, Here here) { return call(here, quern::vecmat, a, b); }
Array vecdot(const Array& a, const Array& b, int axis, Here here) {
  return asked(here, [&] {
    using quern::steps::with_last;
    quern::Array x = with_last(a.handle(), given(Along{a, axis})), y = with_last(b.handle(), given(Along{b, axis}));
    return wrap(quern::vecdot(x, y));
  });
}

Array tensordot(const Array& a, const Array& b, int axes, Here here) {
  return asked(here, [&] {
    if (axes < 0) raise(ErrorKind::value, "[tensordot] the number of axes must be non-negative, not {}", axes);
    std::vector<int64_t> left, right;
    for (int n = 0; n < axes; ++n) {
      left.push_back(n - axes);
      right.push_back(n);
    }
    return wrap(quern::tensordot(a.handle(), b.handle(), left, right));
  });
}
Array tensordot(const Array& a, const Array& b, const std::vector<int>& of_a, const std::vector<int>& of_b, Here here) {
  return call(here, quern::tensordot, a, b, std::vector<int64_t>(of_a.begin(), of_a.end()),
              std::vector<int64_t>(of_b.begin(), of_b.end()));
}

Array cross(const Array& a, const Array& b, int axis, Here here) {
  return asked(here, [&] {
    size_t rank = std::max(a.handle().rank(), b.handle().rank());
    for (const Array* x : {&a, &b}) {
      int64_t count = x->shape()[given(Along{*x, axis})];
      if (count != 3) raise(ErrorKind::value, "[cross] the vectors have {} components; they must have three", count);
    }
    return wrap(quern::cross(a.handle(), b.handle(), given(Along{a, axis}), given(Along{b, axis}), checked_axis(axis, rank)));
  });
}

Array matrix_transpose(const Array& a, Here here) {
  return asked(here, [&] {
    size_t rank = a.handle().rank();
    if (rank < 2) raise(ErrorKind::value, "[matrix_transpose] the array has {} axes; it must have 2 or more", rank);
    return a.swapaxes(-1, -2, here);
  });
}

Array einsum(const std::string& subscripts, const std::vector<Array>& operands, Here here) {
  return asked(here, [&] { return wrap(quern::einsum(subscripts, given(operands))); });
}

}  // namespace qn
