// CPU: the keywords of CUDA C++, the place of a thread in its grid, and barriers. Functions called __quern_... without a body
// are the lowering's (compile/clang/lowering/lower.h).
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __forceinline__ __attribute__((always_inline)) inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __nv_pure__ __attribute__((pure))

// What NVRTC defines for the newest architecture whose features we have.
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_LIST__ 900
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 12090
#define CUDA_VERSION 12090
#define __QUERN_CPU__ 1

#define __QUERN_DEVICE __device__ __attribute__((always_inline)) inline
#define __QUERN_BOTH __host__ __device__ __attribute__((always_inline)) inline

#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;

// ---- what templates here need of <type_traits>

template <bool condition, class T = void>
struct __quern_enable_if {};
template <class T>
struct __quern_enable_if<true, T> {
  typedef T type;
};
template <class T>
struct __quern_is_integer {
  static constexpr bool value = false;
};
#define __QUERN_INTEGER(T)              \
  template <>                           \
  struct __quern_is_integer<T> {        \
    static constexpr bool value = true; \
  };
__QUERN_INTEGER(bool)
__QUERN_INTEGER(char)
__QUERN_INTEGER(signed char)
__QUERN_INTEGER(unsigned char)
__QUERN_INTEGER(short)
__QUERN_INTEGER(unsigned short)
__QUERN_INTEGER(int)
__QUERN_INTEGER(unsigned int)
__QUERN_INTEGER(long)
__QUERN_INTEGER(unsigned long)
__QUERN_INTEGER(long long)
__QUERN_INTEGER(unsigned long long)
#undef __QUERN_INTEGER

// ---- the lowering's functions

extern "C" {
#define __QUERN_PURE __device__ __attribute__((const, nothrow))
__QUERN_PURE unsigned __quern_tid_x();
__QUERN_PURE unsigned __quern_tid_y();
__QUERN_PURE unsigned __quern_tid_z();
__QUERN_PURE unsigned __quern_ctaid_x();
__QUERN_PURE unsigned __quern_ctaid_y();
__QUERN_PURE unsigned __quern_ctaid_z();
__QUERN_PURE unsigned __quern_ntid_x();
__QUERN_PURE unsigned __quern_ntid_y();
__QUERN_PURE unsigned __quern_ntid_z();
__QUERN_PURE unsigned __quern_nctaid_x();
__QUERN_PURE unsigned __quern_nctaid_y();
__QUERN_PURE unsigned __quern_nctaid_z();
__QUERN_PURE unsigned __quern_lane();
__QUERN_PURE void* __quern_warp_buffer();
__QUERN_PURE void* __quern_block_buffer();
#undef __QUERN_PURE
__device__ __attribute__((convergent, nothrow)) unsigned __quern_place();
__device__ __attribute__((convergent, nothrow)) void __quern_barrier();
__device__ __attribute__((convergent, nothrow)) void __quern_warp_barrier(unsigned mask);
__device__ __attribute__((convergent, nothrow)) void __quern_grid_barrier();
}

// ---- threadIdx and related variables

struct uint3 {
  unsigned int x, y, z;
};

struct dim3 {
  unsigned int x, y, z;
  __QUERN_BOTH constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  __QUERN_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __QUERN_BOTH constexpr operator uint3() const { return uint3{x, y, z}; }
};

#define __QUERN_INDEX(Type, name, source)                                                           \
  struct Type {                                                                                     \
    __declspec(property(get = __get_x)) unsigned int x;                                             \
    __declspec(property(get = __get_y)) unsigned int y;                                             \
    __declspec(property(get = __get_z)) unsigned int z;                                             \
    __QUERN_DEVICE unsigned int __get_x() const { return source##_x(); }                            \
    __QUERN_DEVICE unsigned int __get_y() const { return source##_y(); }                            \
    __QUERN_DEVICE unsigned int __get_z() const { return source##_z(); }                            \
    __QUERN_DEVICE operator uint3() const {                                                         \
      uint3 v = {source##_x(), source##_y(), source##_z()};                                         \
      return v;                                                                                     \
    }                                                                                               \
    __QUERN_DEVICE operator dim3() const { return dim3(source##_x(), source##_y(), source##_z()); } \
  };                                                                                                \
  extern const __device__ __attribute__((weak)) Type name;
__QUERN_INDEX(__quern_thread_index, threadIdx, __quern_tid)
__QUERN_INDEX(__quern_block_index, blockIdx, __quern_ctaid)
__QUERN_INDEX(__quern_block_size, blockDim, __quern_ntid)
__QUERN_INDEX(__quern_grid_size, gridDim, __quern_nctaid)
#undef __QUERN_INDEX

static constexpr int warpSize = 32;

// ---- barriers and fences

__QUERN_DEVICE void __syncthreads() { __quern_barrier(); }

// Counts how many threads of the block say yes. Each takes back what it added once all have read the sum, so that the counter
// is zero again before the next barrier.
__QUERN_DEVICE int __syncthreads_count(int predicate) {
  int* counter = static_cast<int*>(__quern_block_buffer());
  int own = predicate != 0;
  __atomic_fetch_add(counter, own, __ATOMIC_RELAXED);
  __quern_barrier();
  int total = *static_cast<volatile int*>(counter);
  __quern_barrier();
  __atomic_fetch_sub(counter, own, __ATOMIC_RELAXED);
  return total;
}
__QUERN_DEVICE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }
__QUERN_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
__QUERN_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __quern_warp_barrier(mask); }

// The threads of a block run on one core.
__QUERN_DEVICE void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
__QUERN_DEVICE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__QUERN_DEVICE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
