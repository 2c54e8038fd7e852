// The least that kernels.cu needs of CUDA, written straight on the lowering's functions.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ __attribute__((always_inline)) inline
#define __restrict__ __restrict
#define DEVICE __device__ __attribute__((always_inline)) inline

extern "C" {
__device__ unsigned __quern_tid_x(), __quern_tid_y(), __quern_tid_z();
__device__ unsigned __quern_ctaid_x(), __quern_ctaid_y(), __quern_ctaid_z();
__device__ unsigned __quern_ntid_x(), __quern_ntid_y(), __quern_ntid_z();
__device__ unsigned __quern_nctaid_x(), __quern_nctaid_y(), __quern_nctaid_z();
__device__ void* __quern_warp_buffer();
__device__ void* __quern_block_buffer();
__device__ __attribute__((convergent, nothrow)) void __quern_barrier();
__device__ __attribute__((convergent, nothrow)) void __quern_warp_barrier(unsigned mask);
__device__ __attribute__((convergent, nothrow)) void __quern_grid_barrier();
}

#define INDEX(Type, name, source)                                     \
  struct Type {                                                       \
    __declspec(property(get = get_x)) unsigned x;                     \
    __declspec(property(get = get_y)) unsigned y;                     \
    __declspec(property(get = get_z)) unsigned z;                     \
    DEVICE unsigned get_x() const { return source##_x(); }            \
    DEVICE unsigned get_y() const { return source##_y(); }            \
    DEVICE unsigned get_z() const { return source##_z(); }            \
  };                                                                  \
  extern const __device__ __attribute__((weak)) Type name;
INDEX(thread_index, threadIdx, __quern_tid)
INDEX(block_index, blockIdx, __quern_ctaid)
INDEX(block_size, blockDim, __quern_ntid)
INDEX(grid_size, gridDim, __quern_nctaid)

DEVICE void __syncthreads() { __quern_barrier(); }
DEVICE void __syncwarp(unsigned mask = ~0u) { __quern_warp_barrier(mask); }
DEVICE int __syncthreads_count(int predicate) {
  int* counter = (int*)__quern_block_buffer();
  int own = predicate != 0;
  __atomic_fetch_add(counter, own, __ATOMIC_RELAXED);
  __quern_barrier();
  int total = *(volatile int*)counter;
  __quern_barrier();
  __atomic_fetch_sub(counter, own, __ATOMIC_RELAXED);
  return total;
}

DEVICE unsigned lane() { return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31; }
template <class T>
DEVICE T exchange(unsigned mask, T value, unsigned source) {
  T* buffer = (T*)__quern_warp_buffer();
  buffer[lane()] = value;
  __quern_warp_barrier(mask);
  T result = buffer[source & 31];
  __quern_warp_barrier(mask);
  return result;
}
template <class T>
DEVICE T __shfl_sync(unsigned mask, T value, int source) { return exchange(mask, value, source); }
template <class T>
DEVICE T __shfl_down_sync(unsigned mask, T value, unsigned step) {
  unsigned from = lane() + step;
  return exchange(mask, value, from > 31 ? lane() : from);
}
template <class T>
DEVICE T __shfl_up_sync(unsigned mask, T value, unsigned step) {
  return exchange(mask, value, lane() < step ? lane() : lane() - step);
}
template <class T>
DEVICE T __shfl_xor_sync(unsigned mask, T value, int bits) { return exchange(mask, value, lane() ^ bits); }
DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned* buffer = (unsigned*)__quern_warp_buffer();
  buffer[lane()] = predicate ? 1u : 0u;
  __quern_warp_barrier(mask);
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) result |= (buffer[i] & (mask >> i) & 1u) << i;
  __quern_warp_barrier(mask);
  return result;
}
DEVICE int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }

DEVICE int atomicAdd(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
DEVICE float atomicAdd(float* p, float v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
DEVICE int atomicExch(int* p, int v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
DEVICE int atomicCAS(int* p, int expected, int v) {
  __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
DEVICE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
DEVICE float expf(float x) { return __builtin_expf(x); }
DEVICE int min(int a, int b) { return a < b ? a : b; }
