// Products of matrices by the host's BLAS, each matrix given by its first element and its two steps.
#pragma once

#include <algorithm>
#include <complex>
#include <type_traits>

#include "device/host_blas.h"

namespace quern {

// Steps in elements; one of them is 1.
template <class T>
struct HostMatrix {
  T* data;
  int64_t down, across;
  HostMatrix turned() const { return {data, across, down}; }
};

template <class T>
constexpr const char* gemm_name() {
  if constexpr (std::is_same_v<T, float>) return "cblas_sgemm";
  if constexpr (std::is_same_v<T, double>) return "cblas_dgemm";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "cblas_cgemm";
  return "cblas_zgemm";
}

// c = a @ b, or c += a @ b, of m x k and k x n elements.
template <class T>
void multiply_matrices(HostMatrix<const T> a, HostMatrix<const T> b, HostMatrix<T> c, int64_t m, int64_t n, int64_t k,
                       bool adds) {
  if (m == 0 || n == 0) return;
  if (c.across != 1 && n > 1) return multiply_matrices<T>(b.turned(), a.turned(), c.turned(), n, m, k, adds);
  enum : int { row_major = 101, plain = 111, transposed = 112 };
  auto is_plain = [](const auto& x, int64_t rows, int64_t columns) { return x.across == 1 && (rows == 1 || x.down >= columns); };
  auto step = [](const auto& x, int64_t rows, int64_t columns, bool is_plain) {
    return is_plain ? std::max<int64_t>(rows == 1 ? columns : x.down, 1) : std::max<int64_t>(columns == 1 ? rows : x.across, 1);
  };
  const bool a_plain = is_plain(a, m, k), b_plain = is_plain(b, k, n);
  const BlasInt a_step = step(a, m, k, a_plain), b_step = step(b, k, n, b_plain), c_step = m == 1 ? n : c.down;
  const int a_form = a_plain ? plain : transposed, b_form = b_plain ? plain : transposed;
  using Real = T;
  if constexpr (std::is_floating_point_v<T>) {
    using Gemm =
        void(int, int, int, BlasInt, BlasInt, BlasInt, Real, const Real*, BlasInt, const Real*, BlasInt, Real, Real*, BlasInt);
    static auto* const gemm = host_blas_as<Gemm>(gemm_name<T>());
    gemm(row_major, a_form, b_form, m, n, k, T(1), a.data, a_step, b.data, b_step, T(adds), c.data, c_step);
  } else {
    using Gemm = void(int, int, int, BlasInt, BlasInt, BlasInt, const void*, const void*, BlasInt, const void*, BlasInt,
                      const void*, void*, BlasInt);
    static auto* const gemm = host_blas_as<Gemm>(gemm_name<T>());
    const T one(1), scale(adds ? 1 : 0);
    gemm(row_major, a_form, b_form, m, n, k, &one, a.data, a_step, b.data, b_step, &scale, c.data, c_step);
  }
}

}  // namespace quern
