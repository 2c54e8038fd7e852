// What functions of arrays that are made of operations are written with: the words of graph/algebra.h, lines by places, values
// of the host.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/algebra.h"
#include "graph/tape.h"
#include "run/transfer.h"

namespace quern::steps {

// The array's values without a way to gradients: the array itself where nothing may want one.
inline Array untaped(const Array& array) { return is_taping() ? detached(array) : array; }

using namespace algebra;

// out[..., i] = lines[..., places[..., i]]; no place is negative.
Array picked(const Array& lines, const Array& places);
// An axis goes to another place, the others keep their order. It becomes the last one, and back.
Array moveaxis(const Array& array, size_t from, size_t to);
inline Array with_last(const Array& array, size_t axis) { return moveaxis(array, axis, array.rank() - 1); }
inline Array from_last(const Array& array, size_t axis) { return moveaxis(array, array.rank() - 1, axis); }

// Values of the host as an array of one dimension, on a device; and the other way: the values in C order, waited for.
Array from_host(const void* data, size_t bytes, const Shape& shape, DType dtype, DeviceId device);
template <class T>
Array array_of(const std::vector<T>& values, DeviceId device) {
  constexpr DType type = qn::dtype_of<T>();
  return from_host(values.data(), values.size() * sizeof(T), {static_cast<int64_t>(values.size())}, type, device);
}
template <class T>
std::vector<T> values_of(const Array& array) {
  Array given = as_type(array, qn::dtype_of<T>());
  std::vector<T> out(static_cast<size_t>(given.size()));
  read_into(given, out.data(), out.size() * sizeof(T));
  return out;
}
// The number in an array of one element, with its type.
Scalar scalar_in(const Array& array);

// ---- functions that are a single autograd node

using Gradients = std::vector<std::optional<Array>>;

// What halves are computed in.
inline DType wide_type(DType type) { return type == DType::float16 || type == DType::bfloat16 ? DType::float32 : type; }
inline Array added(const std::optional<Array>& sum, const Array& more) { return sum ? add(*sum, more) : more; }

double largest(DType type);  // finite number of a type of reals
// The number as an element of the type, as PyTorch converts it: fractions are cut off, and unsigned integers have negative
// numbers of their size. Raises ErrorKind::runtime for what the type cannot hold.
Scalar fitted_as_torch(const Scalar& given, DType type);

}  // namespace quern::steps
