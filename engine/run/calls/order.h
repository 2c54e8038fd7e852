// The order of a type's values: the host's keys (codegen/prelude/quern/order.cuh) and the text's name of them.
#pragma once

#include <cstdint>
#include <string>

#include "core/dtype.h"

#ifndef __QUERN_BOTH
#define __QUERN_BOTH inline
#endif
#include "codegen/prelude/quern/order.cuh"

namespace quern {

// f(Order{}) with the type's order.
template <class F>
decltype(auto) with_order(DType dtype, F&& f) {
  using namespace op;
  switch (dtype) {
    case DType::boolean:
      return f(TruthOrder{});
    case DType::uint8:
      return f(NaturalOrder<uint8_t>{});
    case DType::uint16:
      return f(NaturalOrder<uint16_t>{});
    case DType::uint32:
      return f(NaturalOrder<uint32_t>{});
    case DType::uint64:
      return f(NaturalOrder<unsigned long long>{});
    case DType::int8:
      return f(IntegerOrder<uint8_t>{});
    case DType::int16:
      return f(IntegerOrder<uint16_t>{});
    case DType::int32:
      return f(IntegerOrder<uint32_t>{});
    case DType::int64:
      return f(IntegerOrder<unsigned long long>{});
    case DType::float16:
      return f(RealOrder<uint16_t, 0x7c00>{});
    case DType::bfloat16:
      return f(RealOrder<uint16_t, 0x7f80>{});
    case DType::float32:
      return f(RealOrder<uint32_t, 0x7f800000u>{});
    case DType::float64:
      return f(RealOrder<unsigned long long, 0x7ff0000000000000ull>{});
    case DType::complex64:
      return f(ComplexOrder<uint32_t, 0x7f800000u>{});
    default:
      return f(ComplexOrder<unsigned long long, 0x7ff0000000000000ull>{});
  }
}

// The dtype's order in kernel source, in namespace quern::op.
inline std::string_view order_type(DType dtype) {
  static constexpr const char* names[] = {"TruthOrder",
                                          "IntegerOrder<unsigned char>",
                                          "IntegerOrder<unsigned short>",
                                          "IntegerOrder<unsigned int>",
                                          "IntegerOrder<unsigned long long>",
                                          "NaturalOrder<unsigned char>",
                                          "NaturalOrder<unsigned short>",
                                          "NaturalOrder<unsigned int>",
                                          "NaturalOrder<unsigned long long>",
                                          "RealOrder<unsigned short, 0x7c00>",
                                          "RealOrder<unsigned short, 0x7f80>",
                                          "RealOrder<unsigned int, 0x7f800000u>",
                                          "RealOrder<unsigned long long, 0x7ff0000000000000ull>",
                                          "ComplexOrder<unsigned int, 0x7f800000u>",
                                          "ComplexOrder<unsigned long long, 0x7ff0000000000000ull>"};
  return names[static_cast<size_t>(dtype)];
}

}  // namespace quern
