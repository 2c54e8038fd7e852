// cuBLASLt, found at run time: matrix products on a GPU. No CUDA header is used; the numbers are those of cublasLt.h. A form of
// product is the library's call the first time; then its kernels are known, and launched without it (cuda_capture.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "device/device.h"

namespace quern {

// A batch of matrices in memory: element (i, j) of matrix b lies at data + b * batch_step + (transposed ? j * step + i : i * step
// + j).
struct MatrixBatch {
  void* data;
  bool transposed;
  int64_t step, batch_step;
};

// c = a @ b for `count` matrices, a: m x k, b: k x n, c: m x n in C order. `workspace`: memory that the product may use.
// float16, bfloat16, float32, float64, complex64, complex128. Raises ErrorKind::runtime with the library's status.
struct MatrixProduct {
  DType dtype;
  int64_t m, n, k, count;
  MatrixBatch a, b;
  void* c;
  bool tf32 = false;  // factors of float32 may be rounded to TF32
};
constexpr size_t product_workspace = size_t{32} << 20;
void multiply_on_gpu(Device& device, Stream& stream, const MatrixProduct& product, void* workspace, Site site);

}  // namespace quern
