#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void __launch_bounds__(1024) group(const float* a0, float* o0, I n0, I n1, I n2, I chunks) {
  const I results = n0, count = n1;
  const I result = (I)blockIdx.x * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ float t0[op::reduce_lanes][op::reduce_width];
  if (result >= results || chunk >= chunks) return;
  const I i0 = result;
  const I begin = chunk * 4096, end = count - begin < 4096 ? count : begin + 4096;
  float s0 = op::Maximum<float>::start();
  {
    I k = begin;
    for (; end - k >= 8 * op::reduce_lanes; k += 8 * op::reduce_lanes) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const I j = k + u * op::reduce_lanes + threadIdx.y;
        const I i1 = j;
        const float x0 = a0[i0 + i1 * n2];
        s0 = op::Maximum<float>::both(s0, x0);
      }
    }
    if (k < end) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const int step = u * op::reduce_lanes + threadIdx.y;
        const bool is_there = step < end - k;
        const I j = is_there ? k + step : end - 1;
        const I i1 = j;
        const float x0 = a0[i0 + i1 * n2];
        if (is_there) s0 = op::Maximum<float>::both(s0, x0);
      }
    }
  }
  t0[threadIdx.y][threadIdx.x] = s0;
  __syncthreads();
  if (threadIdx.y == 0) {
    const float z0 = op::reduce_tree<op::Maximum<float>>(&t0[0][threadIdx.x], op::reduce_width);
    const float w0 = op::to<float>(z0);
    o0[i0] = w0;
  }
}
