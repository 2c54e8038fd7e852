#include "graph/composed.h"

namespace quern {

namespace {

Array divided(const Array& total, int64_t count) {
  Scalar number;
  number.kind = WeakScalar::integer;
  number.integer = count;
  Argument both[] = {Argument(total), Argument(number)};
  Array out = elementwise(Op::true_divide, both);
  return out.dtype() == total.dtype() ? out : astype(out, total.dtype());
}

DType work_type(DType type) { return row(type).kind == DTypeKind::real || is_complex(type) ? type : DType::float64; }

Array mean_of(const Array& array, bool keep_dims) {
  DType work = work_type(array.dtype());
  return divided(reduce(Reduction::sum, array, std::vector<bool>(array.rank(), true), keep_dims, work), array.size());
}

}  // namespace

DType summed_type(DType type) {
  switch (row(type).kind) {
    case DTypeKind::boolean:
    case DTypeKind::integer:
      return DType::int64;
    case DTypeKind::natural:
      return DType::uint64;
    default:
      return type;
  }
}

Array reduced_to_one(Reduction reduction, const Array& array) {
  bool adds = reduction == Reduction::sum || reduction == Reduction::product;
  return reduce(reduction, array, std::vector<bool>(array.rank(), true), false,
                adds ? std::optional(summed_type(array.dtype())) : std::nullopt);
}

bool has_mean(DType type) { return type != DType::float16 && type != DType::bfloat16; }
bool has_variance(DType type) { return has_mean(type) && !is_complex(type); }

Array mean(const Array& array) { return mean_of(array, false); }

Array variance(const Array& array) {
  Array center = mean_of(array, true);
  Argument apart[] = {Argument(array), Argument(center)};
  Array far = elementwise(Op::subtract, apart);
  Argument twice[] = {Argument(far), Argument(far)};
  Array squares = elementwise(Op::multiply, twice);
  return divided(reduced_to_one(Reduction::sum, squares), array.size());
}

bool is_plain_limit(DType type, const Scalar& limit) {
  bool is_real = row(type).kind == DTypeKind::real;
  return is_real && limit.is_weak && (limit.kind == WeakScalar::real || limit.kind == WeakScalar::integer) && !limit.is_natural;
}

Array limited(const Array& array, const Scalar& low, const Scalar& high) {
  Argument from[] = {Argument(array), Argument(low)};
  Array above = elementwise(Op::maximum, from);
  Argument to[] = {Argument(above), Argument(high)};
  return elementwise(Op::minimum, to);
}

}  // namespace quern
