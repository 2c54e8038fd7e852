// Atomic updates in kernels written in Python; each returns the old value. Apart from python.cuh, since few kernels need them and NVRTC
// reads every line anew.
#pragma once

#include "quern/python.cuh"

extern "C++" {
namespace quern {
namespace py {

// By compare and swap; `f` gives the new value.
template <class T, class F>
__QUERN_DEVICE T atomic_update(T* place, const F& f) {
  typedef typename bits_of<sizeof(T)>::type Bits;
  Bits* address = reinterpret_cast<Bits*>(place);
  Bits old = *reinterpret_cast<volatile Bits*>(address), seen;
  do {
    seen = old;
    const T next = f(of_bits<T>(seen));
    if (bits(next) == seen) return of_bits<T>(seen);
    old = atomicCAS(address, seen, bits(next));
  } while (old != seen);
  return of_bits<T>(old);
}

// The types that CUDA's own functions have, by the name here.
template <class T>
struct atomic_type {
  typedef T type;
};
template <>
struct atomic_type<long long> {
  typedef unsigned long long type;
};
#define QUERN_ATOMIC(name, function)                                         \
  template <class T>                                                         \
  __QUERN_DEVICE T name(T* place, const T& value) {                          \
    typedef typename atomic_type<T>::type U;                                 \
    return static_cast<T>(function(reinterpret_cast<U*>(place), static_cast<U>(value))); \
  }
QUERN_ATOMIC(atomic_add, ::atomicAdd)
QUERN_ATOMIC(atomic_and, ::atomicAnd)
QUERN_ATOMIC(atomic_or, ::atomicOr)
QUERN_ATOMIC(atomic_xor, ::atomicXor)
QUERN_ATOMIC(atomic_exch, ::atomicExch)
#undef QUERN_ATOMIC
__QUERN_DEVICE double atomic_exch(double* place, const double& value) {
  return of_bits<double>(::atomicExch(reinterpret_cast<unsigned long long*>(place), bits(value)));
}
#ifndef QUERN_NO_SHORT_FLOATS
__QUERN_DEVICE op::float16 atomic_add(op::float16* place, const op::float16& value) {
  return atomic_update(place, [&](const op::float16& old) { return op::add(old, value); });
}
__QUERN_DEVICE op::bfloat16 atomic_add(op::bfloat16* place, const op::bfloat16& value) {
  return atomic_update(place, [&](const op::bfloat16& old) { return op::add(old, value); });
}
#endif
template <class T>
__QUERN_DEVICE T atomic_sub(T* place, const T& value) {
  return atomic_add(place, static_cast<T>(op::negative(value)));
}
__QUERN_DEVICE unsigned int atomic_inc(unsigned int* place, unsigned int limit) { return ::atomicInc(place, limit); }
__QUERN_DEVICE unsigned int atomic_dec(unsigned int* place, unsigned int limit) { return ::atomicDec(place, limit); }
__QUERN_DEVICE unsigned long long atomic_inc(unsigned long long* place, unsigned long long limit) {
  return atomic_update(place, [&](unsigned long long old) { return old >= limit ? 0ull : old + 1; });
}
__QUERN_DEVICE unsigned long long atomic_dec(unsigned long long* place, unsigned long long limit) {
  return atomic_update(place, [&](unsigned long long old) { return old == 0 || old > limit ? limit : old - 1; });
}

__QUERN_DEVICE int atomic_max(int* place, int value) { return ::atomicMax(place, value); }
__QUERN_DEVICE int atomic_min(int* place, int value) { return ::atomicMin(place, value); }
__QUERN_DEVICE unsigned int atomic_max(unsigned int* place, unsigned int value) { return ::atomicMax(place, value); }
__QUERN_DEVICE unsigned int atomic_min(unsigned int* place, unsigned int value) { return ::atomicMin(place, value); }
__QUERN_DEVICE long long atomic_max(long long* place, long long value) { return ::atomicMax(place, value); }
__QUERN_DEVICE long long atomic_min(long long* place, long long value) { return ::atomicMin(place, value); }
__QUERN_DEVICE unsigned long long atomic_max(unsigned long long* place, unsigned long long value) { return ::atomicMax(place, value); }
__QUERN_DEVICE unsigned long long atomic_min(unsigned long long* place, unsigned long long value) { return ::atomicMin(place, value); }
// A NaN that is there stays; one that comes changes nothing, as Numba has it.
#define QUERN_EXTREME(T, name, test)                                                        \
  __QUERN_DEVICE T atomic_##name(T* place, T value) {                                       \
    return atomic_update(place, [&](T old) { return value test old ? value : old; });       \
  }                                                                                         \
  __QUERN_DEVICE T atomic_nan##name(T* place, T value) {                                    \
    return atomic_update(place, [&](T old) { return old != old || value test old ? value : old; }); \
  }
QUERN_EXTREME(float, max, >)
QUERN_EXTREME(float, min, <)
QUERN_EXTREME(double, max, >)
QUERN_EXTREME(double, min, <)
#undef QUERN_EXTREME
template <class T>
__QUERN_DEVICE T atomic_nanmax(T* place, T value) {
  return atomic_max(place, value);
}
template <class T>
__QUERN_DEVICE T atomic_nanmin(T* place, T value) {
  return atomic_min(place, value);
}

template <class T>
__QUERN_DEVICE T atomic_cas(T* place, const T& old, const T& value) {
  if constexpr (sizeof(T) == 1) {
    // Within the word that holds it.
    const unsigned long long address = reinterpret_cast<unsigned long long>(place);
    unsigned int* word = reinterpret_cast<unsigned int*>(address & ~3ull);
    const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;
    unsigned int seen = *reinterpret_cast<volatile unsigned int*>(word);
    for (;;) {
      const unsigned char here = static_cast<unsigned char>(seen >> shift);
      if (here != static_cast<unsigned char>(old)) return static_cast<T>(here);
      const unsigned int next = (seen & ~(0xffu << shift)) | (static_cast<unsigned int>(static_cast<unsigned char>(value)) << shift);
      const unsigned int before = atomicCAS(word, seen, next);
      if (before == seen) return old;
      seen = before;
    }
  } else {
    typedef typename bits_of<sizeof(T)>::type Bits;
    return of_bits<T>(atomicCAS(reinterpret_cast<Bits*>(place), bits(old), bits(value)));
  }
}

}  // namespace py
}  // namespace quern
}
