#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void __launch_bounds__(512) group(const float* a0, const float* a1, float* o0, float* f0, unsigned* ended, I n0, I chunks) {
  const I results = 1, count = n0;
  const I result = blockIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ float t1[op::reduce_block];
  if (result >= results || chunk >= chunks) return;
  const I begin = chunk * 1024, end = count - begin < 1024 ? count : begin + 1024;
  float s1 = op::Sum<float>::start();
  for (I k = begin; k < end; k += op::reduce_block) {
    const I j = k + threadIdx.x;
    if (j < end) {
      const I i0 = j;
      const float x0 = a0[i0];
      const float x1 = a1[i0];
      float v0;
      { const float a = x0; const float b = x1; v0 = op::multiply(a, b); }
      t1[threadIdx.x] = v0;
    }
    __syncthreads();
    if (threadIdx.x < op::reduce_lanes) {
      for (int e = threadIdx.x; e < op::reduce_block && k + e < end; e += op::reduce_lanes) {
        s1 = op::Sum<float>::both(s1, t1[e]);
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < op::reduce_lanes) {
    t1[threadIdx.x] = s1;
    __syncwarp();
    if (threadIdx.x == 0) {
      op::reduce_tree<op::Sum<float>>(t1);
    }
  }
  __syncthreads();
  const float z1 = t1[0];
  if (threadIdx.x == 0) {
    o0[(0) * chunks + chunk] = z1;
  }
  __shared__ unsigned order;
  const unsigned last = gridDim.x * (unsigned)chunks - 1;
  __threadfence();
  __syncthreads();
  if ((threadIdx.x | threadIdx.y) == 0) order = atomicInc(ended, last);
  __syncthreads();
  const int lane = threadIdx.y * blockDim.x + threadIdx.x;
  if (order != last || lane >= op::reduce_lanes) return;
  __threadfence();
  __shared__ float u1[op::reduce_lanes];
  for (I r = 0; r < results; ++r) {
    float c = op::Sum<float>::start();
    for (I j = lane; j < chunks; j += op::reduce_lanes) c = op::Sum<float>::both(c, o0[r * chunks + j]);
    u1[lane] = c;
    __syncwarp();
    if (lane == 0) f0[r] = op::to<float>(op::reduce_tree<op::Sum<float>>(u1));
    __syncwarp();
  }
}
