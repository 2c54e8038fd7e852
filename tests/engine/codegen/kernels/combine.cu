#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef long long I;

extern "C" __global__ void group(const double* partial, float* out, I results, I count, I chunks) {
  const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ double t[op::reduce_width][op::reduce_lanes];
  double s = op::Sum<double>::start();
  if (result < results && chunk < chunks) {
    const I begin = chunk * op::reduce_chunk, end = count - begin < op::reduce_chunk ? count : begin + op::reduce_chunk;
#ifdef __QUERN_CPU__
    for (I k = begin; k < end; k += op::reduce_lanes) {
      const I j = k + threadIdx.x;
      if (j < end) s = op::Sum<double>::both(s, partial[result * count + j]);
    }
#else  // in the same order, but several are on their way at a time
    constexpr int ahead = 8;
    for (I k = begin + threadIdx.x; k < end; k += ahead * op::reduce_lanes) {
      double next[ahead];
#pragma unroll
      for (int u = 0; u < ahead; ++u)
        if (k + u * op::reduce_lanes < end) next[u] = partial[result * count + k + u * op::reduce_lanes];
#pragma unroll
      for (int u = 0; u < ahead; ++u)
        if (k + u * op::reduce_lanes < end) s = op::Sum<double>::both(s, next[u]);
    }
#endif
  }
  t[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.x == 0 && result < results && chunk < chunks)
    out[result * chunks + chunk] = op::to<float>(op::reduce_tree<op::Sum<double>>(t[threadIdx.y], 1));
}
