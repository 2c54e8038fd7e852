// File: quern/standard.h
//
// Names of the Python array API standard for what the other headers have under NumPy's names (acos for arccos, concat for
// concatenate), free functions for members of Array, and functions on dtypes.
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

// The common dtype after promotion. Throws ErrorKind::value for an empty list.
DType result_type(const std::vector<DType>& types, Here here = Here::current());
// Whether values can be converted under NumPy's "safe" casting rule.
bool can_cast(DType from, DType to);
// Whether the dtype is of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
// "numeric". Throws ErrorKind::value for other kinds.
bool isdtype(DType type, const std::string& kind, Here here = Here::current());

// ---- elementwise functions

// The functions of array.h that they call; they throw what those throw.
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

// The members of Array that they call.
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

// NaNs are equal, as in unique().
inline Array unique_values(const Array& a, Here here = Here::current()) { return unique(a, here); }

namespace linalg {

using qn::cross;
using qn::matmul;
using qn::matrix_transpose;
using qn::outer;
using qn::tensordot;
using qn::vecdot;
// Diagonals over the last two axes, as a view; their sums.
inline Array diagonal(const Array& a, int64_t k = 0, Here here = Here::current()) { return qn::diagonal(a, k, -2, -1, here); }
inline Array trace(const Array& a, int64_t k = 0, Here here = Here::current()) { return qn::trace(a, k, -2, -1, here); }

}  // namespace linalg

}  // namespace qn
