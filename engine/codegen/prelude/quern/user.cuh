// What the text of user rows and of elementwise and reduction kernels finds besides CUDA C++: CuPy's names.
//
// CArray is an argument declared raw (`dense`: it lies in C order without gaps): x[k] is its k-th element in C order, x[{i, j}] or x[indices] the one at those indices;
// x.size(), x.shape()[d], x.strides()[d] (in bytes, as NumPy counts them). CIndexer is `_ind`, the place of an element in the loop.
#pragma once

#include "quern/array.cuh"
#include "cupy/complex.cuh"
#include "math_constants.h"
#include "stdint.h"

extern "C++" {

#ifndef QUERN_NO_SHORT_FLOATS
typedef __half half;
typedef __half2 half2;

// A half that computes as a float: x * 2 and x + 0.5f mean what they say.
struct __align__(2) float16 {
  unsigned short __x;

  float16() = default;
  __QUERN_BOTH float16(const __half& x) : __x(x.__x) {}
  template <class T>
  __QUERN_BOTH float16(const T& x) : __x(__half(x).__x) {}
  __QUERN_BOTH operator float() const { return __quern_half_to_float(__x); }
  __QUERN_BOTH __half half() const { return __quern_half_of(__x); }
#define __QUERN_ASSIGN(op) \
  __QUERN_BOTH float16& operator op##=(float y) { return *this = float16(static_cast<float>(*this) op y); }
  __QUERN_ASSIGN(+)
  __QUERN_ASSIGN(-)
  __QUERN_ASSIGN(*)
  __QUERN_ASSIGN(/)
#undef __QUERN_ASSIGN
};

__QUERN_BOTH float16 min(float16 a, float16 b) { return static_cast<float>(a) < static_cast<float>(b) ? a : b; }
__QUERN_BOTH float16 max(float16 a, float16 b) { return static_cast<float>(a) < static_cast<float>(b) ? b : a; }
__QUERN_BOTH bool isnan(float16 x) { return (x.__x & 0x7fff) > 0x7c00; }
__QUERN_BOTH bool isinf(float16 x) { return (x.__x & 0x7fff) == 0x7c00; }
__QUERN_BOTH bool isfinite(float16 x) { return (x.__x & 0x7c00) != 0x7c00; }
__QUERN_DEVICE float16 atomicAdd(float16* address, float16 value) {
  return __quern_half_atomic_add(reinterpret_cast<__half*>(address), value.half());
}
#endif

// Its numbers are the kernel's arguments: the shape, then the strides, both in elements.
template <class T, int rank, bool dense>
class CArray {
 public:
  static constexpr int ndim = rank;

  template <class... Numbers>
  __QUERN_DEVICE CArray(T* data, Numbers... numbers) : data_(data) {
    const ptrdiff_t all[] = {static_cast<ptrdiff_t>(numbers)..., 0};
    for (int d = 0; d < rank; ++d) {
      shape_[d] = all[d];
      steps_[d] = all[rank + d];
      strides_[d] = steps_[d] * static_cast<ptrdiff_t>(sizeof(T));
      size_ *= all[d];
    }
  }

  __QUERN_DEVICE ptrdiff_t size() const { return size_; }
  __QUERN_DEVICE const ptrdiff_t* shape() const { return shape_; }
  __QUERN_DEVICE const ptrdiff_t* strides() const { return strides_; }

  template <class I>
  __QUERN_DEVICE T& operator[](I k) const {
    if constexpr (rank == 0 || dense) {
      return data_[k];
    } else {
      ptrdiff_t rest = static_cast<ptrdiff_t>(k), at = 0;
      for (int d = rank - 1; d > 0; --d) {
        at += rest % shape_[d] * steps_[d];
        rest /= shape_[d];
      }
      return data_[at + rest * steps_[0]];
    }
  }
  template <class I>
  __QUERN_DEVICE T& operator[](const I* indices) const {
    ptrdiff_t at = 0;
    for (int d = 0; d < rank; ++d) at += static_cast<ptrdiff_t>(indices[d]) * steps_[d];
    return data_[at];
  }
  template <class I>
  __QUERN_DEVICE T& operator[](I* indices) const {
    return (*this)[static_cast<const I*>(indices)];
  }
  __QUERN_DEVICE T& operator[](const ptrdiff_t (&indices)[rank == 0 ? 1 : rank]) const {
    return (*this)[static_cast<const ptrdiff_t*>(indices)];
  }

 private:
  T* data_;
  ptrdiff_t size_ = 1;
  ptrdiff_t shape_[rank + 1], strides_[rank + 1], steps_[rank + 1];
};

template <int rank>
class CIndexer {
 public:
  static constexpr int ndim = rank;

  template <class... Numbers>
  __QUERN_DEVICE explicit CIndexer(ptrdiff_t size, Numbers... numbers) : size_(size) {
    const ptrdiff_t all[] = {static_cast<ptrdiff_t>(numbers)..., 0};
    for (int d = 0; d < rank; ++d) shape_[d] = all[d];
  }

  __QUERN_DEVICE ptrdiff_t size() const { return size_; }
  __QUERN_DEVICE const ptrdiff_t* shape() const { return shape_; }
  __QUERN_DEVICE const ptrdiff_t* get() const { return index_; }
  __QUERN_DEVICE void set(ptrdiff_t k) { set<0, rank>(k); }
  // Only the dimensions from `begin` to `end`.
  template <int begin, int end>
  __QUERN_DEVICE void set(ptrdiff_t k) {
    for (int d = end - 1; d > begin; --d) {
      index_[d] = k % shape_[d];
      k /= shape_[d];
    }
    if constexpr (begin < end) index_[begin] = k;
  }

 private:
  ptrdiff_t size_;
  ptrdiff_t shape_[rank + 1], index_[rank + 1];
};

}  // extern "C++"
