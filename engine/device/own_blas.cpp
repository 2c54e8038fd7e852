#include "device/own_blas.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "device/host_blas.h"

namespace quern {

namespace {

constexpr int transposed = 112, conjugated = 113;
constexpr BlasInt deep = 256, wide = 256;  // of the block of b that stays in a core's cache

template <class T>
T times(T x, T y) {
  return x * y;
}
// Without the standard's treatment of infinities, which a library leaves out, too.
template <class T>
std::complex<T> times(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

template <class T>
struct Matrix {
  const T* data;
  BlasInt step;
  int way;
  T at(BlasInt row, BlasInt column) const {
    if (way != transposed && way != conjugated) return data[row * step + column];
    T value = data[column * step + row];
    if constexpr (!std::is_floating_point_v<T>)
      if (way == conjugated) return std::conj(value);
    return value;
  }
};

// c[row] += a[row][l] * b[l] for a block of b. `Rows` at once, so that what is loaded of b is used as often.
template <int Rows, class T>
void add_block(const Matrix<T>& a, T alpha, BlasInt row, BlasInt from, BlasInt depth, const T* b, BlasInt width, T* c,
               BlasInt step) {
  for (BlasInt l = 0; l < depth; ++l) {
    T factors[Rows];
    for (int r = 0; r < Rows; ++r) factors[r] = times(alpha, a.at(row + r, from + l));
    const T* line = b + l * width;
    for (int r = 0; r < Rows; ++r) {
      T* out = c + r * step;
      const T factor = factors[r];
      for (BlasInt j = 0; j < width; ++j) out[j] += times(factor, line[j]);
    }
  }
}

template <class T>
void multiply(Matrix<T> a, Matrix<T> b, BlasInt m, BlasInt n, BlasInt k, T alpha, T beta, T* c, BlasInt step) {
  for (BlasInt i = 0; i < m; ++i) {
    if (beta == T(0)) {
      std::fill_n(c + i * step, n, T(0));
    } else if (beta != T(1)) {
      for (BlasInt j = 0; j < n; ++j) c[i * step + j] = times(beta, c[i * step + j]);
    }
  }
  std::vector<T> block(static_cast<size_t>(std::min(deep, k) * std::min(wide, n)));
  for (BlasInt j = 0; j < n; j += wide) {
    const BlasInt width = std::min(wide, n - j);
    for (BlasInt l = 0; l < k; l += deep) {
      const BlasInt depth = std::min(deep, k - l);
      for (BlasInt y = 0; y < depth; ++y)
        for (BlasInt x = 0; x < width; ++x) block[static_cast<size_t>(y * width + x)] = b.at(l + y, j + x);
      BlasInt i = 0;
      for (; i + 4 <= m; i += 4) add_block<4>(a, alpha, i, l, depth, block.data(), width, c + i * step + j, step);
      for (; i < m; ++i) add_block<1>(a, alpha, i, l, depth, block.data(), width, c + i * step + j, step);
    }
  }
}

template <class T>
void gemm(int, int way_a, int way_b, BlasInt m, BlasInt n, BlasInt k, T alpha, const T* a, BlasInt step_a, const T* b,
          BlasInt step_b, T beta, T* c, BlasInt step_c) {
  multiply<T>({a, step_a, way_a}, {b, step_b, way_b}, m, n, k, alpha, beta, c, step_c);
}

template <class T>
void complex_gemm(int, int way_a, int way_b, BlasInt m, BlasInt n, BlasInt k, const void* alpha, const void* a, BlasInt step_a,
                  const void* b, BlasInt step_b, const void* beta, void* c, BlasInt step_c) {
  using Number = std::complex<T>;
  Number factors[2];
  std::memcpy(&factors[0], alpha, sizeof(Number));
  std::memcpy(&factors[1], beta, sizeof(Number));
  multiply<Number>({static_cast<const Number*>(a), step_a, way_a}, {static_cast<const Number*>(b), step_b, way_b}, m, n, k,
                   factors[0], factors[1], static_cast<Number*>(c), step_c);
}

// In eight sums, whose order depends on the length alone.
template <class T>
T dot(BlasInt count, const T* x, BlasInt step_x, const T* y, BlasInt step_y) {
  T sums[8] = {};
  BlasInt i = 0;
  for (; i + 8 <= count; i += 8)
    for (BlasInt lane = 0; lane < 8; ++lane) sums[lane] += x[(i + lane) * step_x] * y[(i + lane) * step_y];
  for (; i < count; ++i) sums[i % 8] += x[i * step_x] * y[i * step_y];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

int one_thread() { return 1; }
void set_threads(int) {}

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* own_blas(const char* name) {
  const struct {
    const char* name;
    void* function;
  } all[] = {
      {"cblas_sgemm", address(&gemm<float>)},
      {"cblas_dgemm", address(&gemm<double>)},
      {"cblas_cgemm", address(&complex_gemm<float>)},
      {"cblas_zgemm", address(&complex_gemm<double>)},
      {"cblas_sdot", address(&dot<float>)},
      {"cblas_ddot", address(&dot<double>)},
      {"openblas_get_num_threads", address(&one_thread)},
      {"openblas_set_num_threads", address(&set_threads)},
  };
  for (const auto& one : all)
    if (std::strcmp(name, one.name) == 0) return one.function;
  return nullptr;
}

}  // namespace quern
