// File: quern/standard.h
//
// The names of the Python array API standard for what the other headers call by NumPy's: acos for arccos, concat for concatenate,
// functions for what are members of arrays; and its questions about types.
//
//   qn::Array b = qn::permute_dims(qn::pow(a, 2), {1, 0});
//   qn::DType type = qn::result_type({a.dtype(), qn::DType::float32});
#pragma once

#include "quern/array.h"
#include "quern/linalg.h"
#include "quern/matrices.h"
#include "quern/sorting.h"

namespace qn {

// ---- types

// The type of a result of arrays of these types. Throws ErrorKind::value for none.
DType result_type(const std::vector<DType>& types, Here here = Here::current());
// Does every value of one type keep its value, or a near one, in the other, as NumPy's "safe" has it?
bool can_cast(DType from, DType to);
// Is it of that kind? "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric".
// Throws ErrorKind::value for another.
bool isdtype(DType type, const std::string& kind, Here here = Here::current());

// ---- element by element

inline Array acos(const Operand& a) { return arccos(a); }
inline Array acosh(const Operand& a) { return arccosh(a); }
inline Array asin(const Operand& a) { return arcsin(a); }
inline Array asinh(const Operand& a) { return arcsinh(a); }
inline Array atan(const Operand& a) { return arctan(a); }
inline Array atan2(const Operand& a, const Operand& b) { return arctan2(a, b); }
inline Array atanh(const Operand& a) { return arctanh(a); }
inline Array bitwise_invert(const Operand& a) { return invert(a); }
inline Array bitwise_left_shift(const Operand& a, const Operand& b) { return left_shift(a, b); }
inline Array bitwise_right_shift(const Operand& a, const Operand& b) { return right_shift(a, b); }
inline Array conj(const Operand& a) { return conjugate(a); }
inline Array divide(const Operand& a, const Operand& b) { return true_divide(a, b); }
inline Array pow(const Operand& a, const Operand& b) { return power(a, b); }
inline Array real(const Array& a, Here here = Here::current()) { return a.real(here); }
inline Array imag(const Array& a, Here here = Here::current()) { return a.imag(here); }

// ---- shapes

inline Array astype(const Array& a, DType dtype, Here here = Here::current()) { return a.astype(dtype, here); }
inline Array broadcast_to(const Array& a, const Shape& shape, Here here = Here::current()) { return a.broadcast_to(shape, here); }
inline Array concat(const std::vector<Array>& arrays, int axis = 0, Here here = Here::current()) {
  return concatenate(arrays, axis, here);
}
inline Array expand_dims(const Array& a, int axis, Here here = Here::current()) { return a.expand_dims(axis, here); }
inline Array flip(const Array& a, const Axes& axes = {}, Here here = Here::current()) { return a.flip(axes, here); }
inline Array moveaxis(const Array& a, int from, int to, Here here = Here::current()) { return a.moveaxis(from, to, here); }
inline Array permute_dims(const Array& a, const std::vector<int>& axes, Here here = Here::current()) {
  return a.transpose(axes, here);
}
inline Array reshape(const Array& a, const Shape& shape, Here here = Here::current()) { return a.reshape(shape, here); }
inline Array squeeze(const Array& a, const Axes& axes = {}, Here here = Here::current()) { return a.squeeze(axes, here); }

// NaN counts as one value here too.
inline Array unique_values(const Array& a, Here here = Here::current()) { return unique(a, here); }

namespace linalg {

using qn::cross;
using qn::matmul;
using qn::matrix_transpose;
using qn::outer;
using qn::tensordot;
using qn::vecdot;
// The diagonals of matrices, which are in the last two axes: a view; their sums.
inline Array diagonal(const Array& a, int64_t k = 0, Here here = Here::current()) { return qn::diagonal(a, k, -2, -1, here); }
inline Array trace(const Array& a, int64_t k = 0, Here here = Here::current()) { return qn::trace(a, k, -2, -1, here); }

}  // namespace linalg

}  // namespace qn
