// quern/standard.h: the questions about types.
#include "quern/standard.h"

#include "api/bodies.h"

namespace qn {

using namespace inside;

DType result_type(const std::vector<DType>& types, Here here) {
  return asked(here, [&] {
    if (types.empty()) raise(ErrorKind::value, "[result_type] at least one dtype is required");
    DType out = types[0];
    for (DType type : types) out = quern::promote(out, type);
    return out;
  });
}

bool can_cast(DType from, DType to) { return quern::can_cast_safely(from, to); }

bool isdtype(DType type, const std::string& kind, Here here) {
  return asked(here, [&] {
    quern::DTypeKind is = quern::row(type).kind;
    bool is_signed = is == quern::DTypeKind::integer, is_unsigned = is == quern::DTypeKind::natural;
    bool is_real = is == quern::DTypeKind::real, is_complex = is == quern::DTypeKind::complex;
    if (kind == "bool") return is == quern::DTypeKind::boolean;
    if (kind == "signed integer") return is_signed;
    if (kind == "unsigned integer") return is_unsigned;
    if (kind == "integral") return is_signed || is_unsigned;
    if (kind == "real floating") return is_real;
    if (kind == "complex floating") return is_complex;
    if (kind == "numeric") return is != quern::DTypeKind::boolean;
    raise(ErrorKind::value,
          "[isdtype] unknown kind '{}'; use bool, signed integer, unsigned integer, integral, real floating, "
          "complex floating or numeric",
          kind);
  });
}

}  // namespace qn
