// The operations of scans (running sums, products, extrema): Scan_add<float>::both(a, b). Compiled for GPUs and into quern itself for the CPU.
#pragma once

#include "quern/array.cuh"

extern "C++" {
namespace quern {
namespace op {

// What a half is added up in.
template <class T>
struct ScanWork {
  typedef T type;
};
template <>
struct ScanWork<float16> {
  typedef float type;
};
template <>
struct ScanWork<bfloat16> {
  typedef float type;
};
#define __QUERN_SCAN(name, ...)                                       \
  template <class T>                                                  \
  struct Scan_##name {                                                \
    typedef typename ScanWork<T>::type A;                             \
    __QUERN_DEVICE static A both(const A& a, const A& b) { return __VA_ARGS__; } \
  };
__QUERN_SCAN(add, add(a, b))
__QUERN_SCAN(multiply, multiply(a, b))
__QUERN_SCAN(maximum, maximum(a, b))
__QUERN_SCAN(minimum, minimum(a, b))
__QUERN_SCAN(fmax, fmax(a, b))
__QUERN_SCAN(fmin, fmin(a, b))
__QUERN_SCAN(bitwise_and, bitwise_and(a, b))
__QUERN_SCAN(bitwise_or, bitwise_or(a, b))
__QUERN_SCAN(bitwise_xor, bitwise_xor(a, b))
__QUERN_SCAN(logical_and, a && b)
__QUERN_SCAN(logical_or, a || b)
__QUERN_SCAN(logical_xor, a != b)
#undef __QUERN_SCAN

}  // namespace op
}  // namespace quern
}  // extern "C++"
