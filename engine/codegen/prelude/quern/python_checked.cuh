// Kernels written in Python under `quern check` (on the CPU): an index outside of its axis leads to other memory and is reported, and so
// are divisors of 0 and shifts beyond the width, which have no meaning in C++. The compiler puts the calls in
// (compile/clang/checks/instrument.cpp says what becomes of them). To be included before arrays are used.
#pragma once

#include "quern/python.cuh"

#ifdef __QUERN_CPU__
extern "C" __device__ void* __quern_check_index(const void* data, long long index, long long extent, unsigned int axis);
extern "C" __device__ void __quern_check_value(unsigned int what, long long first, long long second);

extern "C++" {
namespace quern {
namespace py {

template <class T>
struct element_check<T, void> {
  static constexpr bool is_on = true;
  // The place, if the index is one of the axis; else the memory that is used instead. Without branches of our own: the checks see in
  // the compiled code that a pointer is one or the other.
  template <class A, class Place>
  __QUERN_DEVICE static Place* within_axis(const A& a, long long index, int axis, Place* place) {
    return static_cast<unsigned long long>(index) < static_cast<unsigned long long>(a.extent(axis))
               ? place
               : static_cast<Place*>(__quern_check_index(a.data, index, a.extent(axis), axis));
  }
  template <int axis = 0, class A>
  __QUERN_DEVICE static T* within(const A& a, const long long* at, T* place) {
    if constexpr (axis == A::ndim) {
      return place;
    } else {
      return within_axis(a, at[axis], axis, within<axis + 1>(a, at, place));
    }
  }
};

// The numbers are those of cpu_module.h.
template <class T>
__QUERN_DEVICE T checked_divisor(const T& b) {
  constexpr unsigned int division = 1;
  if (b == T(0)) __quern_check_value(division, 0, 0);
  return b;
}
template <class T>
__QUERN_DEVICE T checked_amount(const T& b) {
  constexpr unsigned int shift = 2, bits = sizeof(T) * 8;
  if (b < T(0) || static_cast<unsigned long long>(b) >= bits) __quern_check_value(shift, static_cast<long long>(b), bits);
  return b;
}

}  // namespace py
}  // namespace quern
}
#else  // a GPU's kernels are not checked
extern "C++" {
namespace quern {
namespace py {

template <class T>
__QUERN_DEVICE T checked_divisor(const T& b) {
  return b;
}
template <class T>
__QUERN_DEVICE T checked_amount(const T& b) {
  return b;
}

}  // namespace py
}  // namespace quern
}
#endif
