// CPU: atomic functions. CUDA's are relaxed; the _block and _system ones differ in scope only, which a CPU does not know.
#pragma once

#define __QUERN_SCOPES(T, name)                                                       \
  __QUERN_DEVICE T name##_block(T* address, T value) { return name(address, value); } \
  __QUERN_DEVICE T name##_system(T* address, T value) { return name(address, value); }
#define __QUERN_ATOMIC(T, name, builtin)                                                           \
  __QUERN_DEVICE T name(T* address, T value) { return builtin(address, value, __ATOMIC_RELAXED); } \
  __QUERN_SCOPES(T, name)

__QUERN_ATOMIC(int, atomicAdd, __atomic_fetch_add)
__QUERN_ATOMIC(unsigned int, atomicAdd, __atomic_fetch_add)
__QUERN_ATOMIC(unsigned long long, atomicAdd, __atomic_fetch_add)
__QUERN_ATOMIC(float, atomicAdd, __atomic_fetch_add)
__QUERN_ATOMIC(double, atomicAdd, __atomic_fetch_add)
__QUERN_ATOMIC(int, atomicSub, __atomic_fetch_sub)
__QUERN_ATOMIC(unsigned int, atomicSub, __atomic_fetch_sub)

__QUERN_ATOMIC(int, atomicExch, __atomic_exchange_n)
__QUERN_ATOMIC(unsigned int, atomicExch, __atomic_exchange_n)
__QUERN_ATOMIC(unsigned long long, atomicExch, __atomic_exchange_n)
__QUERN_DEVICE float atomicExch(float* address, float value) {
  return __uint_as_float(__atomic_exchange_n(reinterpret_cast<unsigned int*>(address), __float_as_uint(value), __ATOMIC_RELAXED));
}
__QUERN_SCOPES(float, atomicExch)

#define __QUERN_ATOMIC_INTEGERS(name, builtin) \
  __QUERN_ATOMIC(int, name, builtin)           \
  __QUERN_ATOMIC(unsigned int, name, builtin)  \
  __QUERN_ATOMIC(long long, name, builtin)     \
  __QUERN_ATOMIC(unsigned long long, name, builtin)
__QUERN_ATOMIC_INTEGERS(atomicMin, __atomic_fetch_min)
__QUERN_ATOMIC_INTEGERS(atomicMax, __atomic_fetch_max)
__QUERN_ATOMIC_INTEGERS(atomicAnd, __atomic_fetch_and)
__QUERN_ATOMIC_INTEGERS(atomicOr, __atomic_fetch_or)
__QUERN_ATOMIC_INTEGERS(atomicXor, __atomic_fetch_xor)

// Counts up to `limit` and starts again at 0; counts down and starts again at `limit`.
__QUERN_DEVICE unsigned int atomicInc(unsigned int* address, unsigned int limit) {
  unsigned int old = __atomic_load_n(address, __ATOMIC_RELAXED), next;
  do {
    next = old >= limit ? 0 : old + 1;
  } while (!__atomic_compare_exchange_n(address, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
__QUERN_DEVICE unsigned int atomicDec(unsigned int* address, unsigned int limit) {
  unsigned int old = __atomic_load_n(address, __ATOMIC_RELAXED), next;
  do {
    next = old == 0 || old > limit ? limit : old - 1;
  } while (!__atomic_compare_exchange_n(address, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
__QUERN_SCOPES(unsigned int, atomicInc)
__QUERN_SCOPES(unsigned int, atomicDec)

#define __QUERN_ATOMIC_CAS(T)                                                                                     \
  __QUERN_DEVICE T atomicCAS(T* address, T compare, T value) {                                                    \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);             \
    return compare;                                                                                               \
  }                                                                                                               \
  __QUERN_DEVICE T atomicCAS_block(T* address, T compare, T value) { return atomicCAS(address, compare, value); } \
  __QUERN_DEVICE T atomicCAS_system(T* address, T compare, T value) { return atomicCAS(address, compare, value); }
__QUERN_ATOMIC_CAS(int)
__QUERN_ATOMIC_CAS(unsigned int)
__QUERN_ATOMIC_CAS(unsigned long long)
__QUERN_ATOMIC_CAS(unsigned short)

#undef __QUERN_ATOMIC_CAS
#undef __QUERN_ATOMIC_INTEGERS
#undef __QUERN_ATOMIC
#undef __QUERN_SCOPES
