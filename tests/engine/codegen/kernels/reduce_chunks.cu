#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, float* o0, I n0, I chunks) {
  const I results = 1, count = n0;
  const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ float t0[op::reduce_width][op::reduce_lanes];
  if (result >= results || chunk >= chunks) return;
  const I begin = chunk * 4096, end = count - begin < 4096 ? count : begin + 4096;
  float s0 = op::Sum<float>::start();
  {
    for (I k = begin; k < end; k += op::reduce_lanes) {
      const I j = k + threadIdx.x;
      if (j < end) {
        const I i0 = j;
        const float x0 = a0[i0];
        s0 = op::Sum<float>::both(s0, x0);
      }
    }
  }
  t0[threadIdx.y][threadIdx.x] = s0;
  __syncthreads();
  if (threadIdx.x == 0) {
    const float z0 = op::reduce_tree<op::Sum<float>>(t0[threadIdx.y], 1);
    o0[(0) * chunks + chunk] = z0;
  }
}
