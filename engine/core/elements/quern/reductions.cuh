// Reductions: the functions, and the order in which elements are taken. Only for array.cuh.
//
// The elements of one result are numbered in the array's logical order. Up to 32 are reduced one after the other. Chunks of
// reduce_chunk elements (of 1024 for few results on a GPU) are reduced by 32 lanes, lane l taking elements l, l + 32, ...; then
// the lanes in a tree; then the chunks' results by lanes and tree again. So a result depends on nothing but the shape, the type,
// the kind of device and the values.
#pragma once

namespace quern {
namespace op {

constexpr int reduce_lanes = 32, reduce_chunk = 4096;
constexpr int reduce_width = 32;  // most results that a block makes
constexpr int reduce_block = 512; // threads of a block that makes one

template <class T>
struct Limits {  // of integers
  static constexpr bool is_signed = Type<T>::is_signed;
  static constexpr T highest = is_signed ? static_cast<T>((typename Wrap<T>::type(1) << (sizeof(T) * 8 - 1)) - 1) : static_cast<T>(~typename Wrap<T>::type(0));
  __QUERN_DEVICE static T low() { return is_signed ? static_cast<T>(-highest - 1) : T(0); }
  __QUERN_DEVICE static T high() { return highest; }
};
template <>
struct Limits<bool> {
  __QUERN_DEVICE static bool low() { return false; }
  __QUERN_DEVICE static bool high() { return true; }
};
__QUERN_DEVICE float infinity() { return __uint_as_float(0x7f800000u); }
#define __QUERN_LIMITS(T)                                                                     \
  template <>                                                                                 \
  struct Limits<T> {                                                                          \
    __QUERN_DEVICE static T low() { return to<T>(-infinity()); }                     \
    __QUERN_DEVICE static T high() { return to<T>(infinity()); }                     \
  };
__QUERN_SHORT(__QUERN_LIMITS(float16))
__QUERN_SHORT(__QUERN_LIMITS(bfloat16))
__QUERN_LIMITS(float)
__QUERN_LIMITS(double)
#undef __QUERN_LIMITS
template <class P>
struct Limits<complex<P>> {
  __QUERN_DEVICE static complex<P> low() { return complex<P>(Limits<P>::low(), Limits<P>::low()); }
  __QUERN_DEVICE static complex<P> high() { return complex<P>(Limits<P>::high(), Limits<P>::high()); }
};

template <class A>
struct Sum {
  __QUERN_DEVICE static A start() { return A(0); }  // so a sum of -0 is 0, as in NumPy
  __QUERN_DEVICE static A both(const A& a, const A& b) { return add(a, b); }
};
template <class A>
struct Product {
  __QUERN_DEVICE static A start() { return A(1); }
  __QUERN_DEVICE static A both(const A& a, const A& b) { return multiply(a, b); }
};
template <class A>
struct Maximum {
  __QUERN_DEVICE static A start() { return Limits<A>::low(); }
  __QUERN_DEVICE static A both(const A& a, const A& b) { return maximum(a, b); }
};
template <class A>
struct Minimum {
  __QUERN_DEVICE static A start() { return Limits<A>::high(); }
  __QUERN_DEVICE static A both(const A& a, const A& b) { return minimum(a, b); }
};
template <class A>
struct Any {
  __QUERN_DEVICE static A start() { return false; }
  __QUERN_DEVICE static A both(const A& a, const A& b) { return a || b; }
};
template <class A>
struct All {
  __QUERN_DEVICE static A start() { return true; }
  __QUERN_DEVICE static A both(const A& a, const A& b) { return a && b; }
};

// The lanes' results in a tree; the lanes are overwritten.
template <class R, class A>
__QUERN_DEVICE A reduce_tree(A* lanes) {
  for (int half = reduce_lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lanes[l] = R::both(lanes[l], lanes[l + half]);
  }
  return lanes[0];
}
// Those that lie `step` apart, which stay.
template <class R, class A>
__QUERN_DEVICE A reduce_tree(const A* lanes, int step) {
  A left[reduce_lanes / 2];
  for (int l = 0; l < reduce_lanes / 2; ++l) left[l] = R::both(lanes[l * step], lanes[(l + reduce_lanes / 2) * step]);
  for (int half = reduce_lanes / 4; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) left[l] = R::both(left[l], left[l + half]);
  }
  return left[0];
}

// What lane `lane` adds of partial[begin] ... partial[end - 1]: each element that lies `reduce_lanes` after the one before. A GPU has
// several on their way at a time.
template <class R, int ahead, class A, class I>
__QUERN_DEVICE A reduce_share(const A* partial, I begin, I end, int lane) {
  A sum = R::start();
#if defined(__CUDACC_RTC__) && !defined(__QUERN_CPU__)
  for (I k = begin + lane; k < end; k += ahead * reduce_lanes) {
    A next[ahead];
#pragma unroll
    for (int u = 0; u < ahead; ++u)
      if (k + u * reduce_lanes < end) next[u] = partial[k + u * reduce_lanes];
#pragma unroll
    for (int u = 0; u < ahead; ++u)
      if (k + u * reduce_lanes < end) sum = R::both(sum, next[u]);
  }
#else
  for (I k = begin; k < end; k += reduce_lanes) {  // as often in each lane
    if (k + lane < end) sum = R::both(sum, partial[k + lane]);
  }
#endif
  return sum;
}

}  // namespace op
}  // namespace quern
