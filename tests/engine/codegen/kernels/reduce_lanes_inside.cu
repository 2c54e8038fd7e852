#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const __half* a0, __half* o0, I n0, I n1, I n2, I chunks) {
  const I results = n0, count = n1;
  const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ float t0[op::reduce_width][op::reduce_lanes];
  if (result >= results || chunk >= chunks) return;
  const I i0 = result;
  const I begin = chunk * 4096, end = count - begin < 4096 ? count : begin + 4096;
  float s0 = op::Sum<float>::start();
  {
    I k = begin;
    for (; end - k >= 8 * op::reduce_lanes; k += 8 * op::reduce_lanes) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const I j = k + u * op::reduce_lanes + threadIdx.x;
        const I i1 = j;
        const __half x0 = a0[i0 * n2 + i1];
        s0 = op::Sum<float>::both(s0, op::to<float>(x0));
      }
    }
    if (k < end) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const int step = u * op::reduce_lanes + threadIdx.x;
        const bool is_there = step < end - k;
        const I j = is_there ? k + step : end - 1;
        const I i1 = j;
        const __half x0 = a0[i0 * n2 + i1];
        if (is_there) s0 = op::Sum<float>::both(s0, op::to<float>(x0));
      }
    }
  }
  t0[threadIdx.y][threadIdx.x] = s0;
  __syncthreads();
  if (threadIdx.x == 0) {
    const float z0 = op::reduce_tree<op::Sum<float>>(t0[threadIdx.y], 1);
    const __half w0 = op::to<__half>(z0);
    o0[i0] = w0;
  }
}
