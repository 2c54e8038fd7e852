#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void __launch_bounds__(512) group(const float* a0, const float* a1, float* o0, float* f0, unsigned* ended, I n0, I chunks) {
  const I results = 1, count = n0;
  const I result = blockIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ float t1[1024];
  if (result >= results || chunk >= chunks) return;
  const I begin = chunk * 1024, end = count - begin < 1024 ? count : begin + 1024;
  float s1 = op::Sum<float>::start();
  for (I k = begin; k < end; k += 1024) {
    const I stop = end - k < 1024 ? end : k + 1024;
#pragma unroll 8
    for (I j = k + threadIdx.x; j < stop; j += op::reduce_block) {
      const I i0 = j;
      const float x0 = a0[i0];
      const float x1 = a1[i0];
      float v0;
      { const float a = x0; const float b = x1; v0 = op::multiply(a, b); }
      t1[j - k] = v0;
    }
    __syncthreads();
    if (threadIdx.x < op::reduce_lanes) {
#pragma unroll 8
      for (int e = threadIdx.x; e < stop - k; e += op::reduce_lanes) {
        s1 = op::Sum<float>::both(s1, t1[e]);
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < op::reduce_lanes) {
    t1[threadIdx.x] = s1;
    for (int half = op::reduce_lanes / 2; half > 0; half /= 2) {
      __syncwarp();
      if (threadIdx.x < half) t1[threadIdx.x] = op::Sum<float>::both(t1[threadIdx.x], t1[threadIdx.x + half]);
    }
    __syncwarp();
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
    u1[lane] = op::reduce_share<op::Sum<float>, 16>(o0 + r * chunks, I(0), chunks, lane);
    for (int half = op::reduce_lanes / 2; half > 0; half /= 2) {
      __syncwarp();
      if (lane < half) u1[lane] = op::Sum<float>::both(u1[lane], u1[lane + half]);
    }
    __syncwarp();
    if (lane == 0) f0[r] = op::to<float>(u1[0]);
    __syncwarp();
  }
}
