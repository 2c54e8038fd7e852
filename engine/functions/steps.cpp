#include "functions/steps.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/error.h"
#include "run/calls/indexing.h"

namespace quern::steps {

Array picked(const Array& lines, const Array& places) {
  Array index = places;
  if (lines.rank() > 1 && lines.size() > 0) {
    Shape rows = lines.shape();
    int64_t n = rows.back();
    rows.back() = 1;
    Array first = evenly_spaced(whole(0), whole(n), lines.size() / n, DType::int64, lines.device());
    index = compute(Op::add, reshape(first, rows), places);
  }
  Pick pick{0, index};
  return take(reshape(lines, {lines.size()}), {&pick, 1});
}

Array moveaxis(const Array& array, size_t from, size_t to) {
  std::vector<int> order(array.rank());
  std::iota(order.begin(), order.end(), 0);
  auto at = [&](size_t n) { return order.begin() + static_cast<ptrdiff_t>(n); };
  std::rotate(at(std::min(from, to)), at(from < to ? from + 1 : from), at(std::max(from, to) + 1));
  return transpose(array, order);
}

Array from_host(const void* data, size_t bytes, const Shape& shape, DType dtype, DeviceId device) {
  return copied_in(context_on(device), data, bytes, shape, dtype, CopyKind::host_to_device);
}

Scalar scalar_in(const Array& array) {
  Scalar out;
  DTypeKind kind = row(array.dtype()).kind;
  if (kind == DTypeKind::natural) {
    uint64_t number = values_of<uint64_t>(array)[0];
    out = whole(static_cast<int64_t>(number));
    out.natural = number;
    out.is_natural = out.integer < 0;
  } else if (kind == DTypeKind::integer || kind == DTypeKind::boolean) {
    out = whole(values_of<int64_t>(array)[0]);
  } else {
    out = real_number(values_of<double>(array)[0]);
  }
  out.is_weak = false;
  out.dtype = array.dtype();
  return out;
}

double largest(DType type) {
  switch (type) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.fep127;
    case DType::float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

Scalar fitted_as_torch(const Scalar& given, DType type) {
  const auto refuse = [&] {
    const DTypeKind kind = row(type).kind;
    const bool is_whole = kind == DTypeKind::integer || kind == DTypeKind::natural;
    raise(ErrorKind::runtime, "value cannot be converted to type {} without overflow",
          is_whole                 ? std::string(row(type).name) + "_t"
          : type == DType::float32 ? "float"
          : type == DType::float64 ? "double"
          : type == DType::float16 ? "c10::Half"
          : is_complex(type)       ? "c10::complex<float>"
                                   : "c10::BFloat16");
  };
  Scalar value = given;
  if (value.kind == WeakScalar::complex && !is_complex(type)) {
    if (type == DType::boolean) {
      value.integer = value.re != 0 || value.im != 0;
      value.kind = WeakScalar::boolean;
    } else {
      if (value.im != 0) refuse();
      value.kind = WeakScalar::real;
    }
  }
  if (type == DType::boolean || value.kind == WeakScalar::boolean) return value;
  if (!is_integer(type)) {
    const double size = std::abs(value.kind >= WeakScalar::real || value.is_huge ? value.re
                                 : value.is_natural                              ? static_cast<double>(value.natural)
                                                                                 : static_cast<double>(value.integer));
    const auto is_beyond = [&](double part) { return std::isfinite(part) && std::abs(part) > largest(real_part_type(type)); };
    if (is_beyond(size) || (value.kind == WeakScalar::complex && is_beyond(value.im))) refuse();
    return value;
  }
  if (value.kind == WeakScalar::real) {
    if (!(std::abs(value.re) < 0x1p64)) refuse();
    const double cut = std::trunc(value.re);
    value = whole(0);
    value.is_natural = cut >= 0x1p63;
    if (value.is_natural)
      value.natural = static_cast<uint64_t>(cut);
    else if (cut < -0x1p63)
      refuse();
    else
      value.integer = static_cast<int64_t>(cut);
  }
  if (value.is_huge) refuse();
  const bool is_signed = row(type).kind == DTypeKind::integer;
  const size_t bits = 8 * size_of(type) - is_signed;
  if (value.is_natural) {
    if (bits < 64) refuse();
    return value;
  }
  if (bits >= 63) {
    if (!is_signed && value.integer < 0) value.is_natural = true, value.natural = static_cast<uint64_t>(value.integer);
    return value;
  }
  const int64_t end = int64_t{1} << bits;
  if (value.integer >= end || value.integer < -end + !is_signed) refuse();
  if (!is_signed && value.integer < 0) value.integer += end;
  return value;
}

}  // namespace quern::steps
