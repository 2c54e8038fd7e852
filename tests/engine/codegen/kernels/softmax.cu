#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, float* o0, I n0, I n1, I n2, I n3, I chunks) {
  const I results = n0, count = n1;
  const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ float t0[op::reduce_width][op::reduce_lanes];
  __shared__ float t3[op::reduce_width][op::reduce_lanes];
  if (result >= results || chunk >= chunks) return;
  const I i0 = result;
  const I begin = chunk * 4096, end = count - begin < 4096 ? count : begin + 4096;
  float s0 = op::Maximum<float>::start();
  {
    I k = begin;
    for (; end - k >= 8 * op::reduce_lanes; k += 8 * op::reduce_lanes) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const I j = k + u * op::reduce_lanes + threadIdx.x;
        const I i1 = j;
        const float x0 = a0[i0 * n2 + i1];
        s0 = op::Maximum<float>::both(s0, x0);
      }
    }
    if (k < end) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const int step = u * op::reduce_lanes + threadIdx.x;
        const bool is_there = step < end - k;
        const I j = is_there ? k + step : end - 1;
        const I i1 = j;
        const float x0 = a0[i0 * n2 + i1];
        if (is_there) s0 = op::Maximum<float>::both(s0, x0);
      }
    }
  }
  t0[threadIdx.y][threadIdx.x] = s0;
  __syncthreads();
  if (threadIdx.x == 0) {
    t0[threadIdx.y][0] = op::reduce_tree<op::Maximum<float>>(t0[threadIdx.y], 1);
  }
  __syncthreads();
  const float z0 = t0[threadIdx.y][0];
  const float w0 = op::to<float>(z0);
  float s3 = op::Sum<float>::start();
  {
    I k = begin;
    for (; end - k >= 8 * op::reduce_lanes; k += 8 * op::reduce_lanes) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const I j = k + u * op::reduce_lanes + threadIdx.x;
        const I i1 = j;
        const float x0 = a0[i0 * n2 + i1];
        float v1;
        { const float a = x0; const float b = w0; v1 = op::subtract(a, b); }
        float v2;
        { const float a = v1; v2 = op::exp(a); }
        s3 = op::Sum<float>::both(s3, v2);
      }
    }
    if (k < end) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const int step = u * op::reduce_lanes + threadIdx.x;
        const bool is_there = step < end - k;
        const I j = is_there ? k + step : end - 1;
        const I i1 = j;
        const float x0 = a0[i0 * n2 + i1];
        float v1;
        { const float a = x0; const float b = w0; v1 = op::subtract(a, b); }
        float v2;
        { const float a = v1; v2 = op::exp(a); }
        if (is_there) s3 = op::Sum<float>::both(s3, v2);
      }
    }
  }
  t3[threadIdx.y][threadIdx.x] = s3;
  __syncthreads();
  if (threadIdx.x == 0) {
    t3[threadIdx.y][0] = op::reduce_tree<op::Sum<float>>(t3[threadIdx.y], 1);
  }
  __syncthreads();
  const float z3 = t3[threadIdx.y][0];
  const float w3 = op::to<float>(z3);
  {
    I k = begin;
    for (; end - k >= 8 * op::reduce_lanes; k += 8 * op::reduce_lanes) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const I j = k + u * op::reduce_lanes + threadIdx.x;
        const I i1 = j;
        const float x0 = a0[i0 * n2 + i1];
        float v1;
        { const float a = x0; const float b = w0; v1 = op::subtract(a, b); }
        float v2;
        { const float a = v1; v2 = op::exp(a); }
        float v4;
        { const float a = v2; const float b = w3; v4 = op::true_divide(a, b); }
        o0[i0 * n3 + i1] = v4;
      }
    }
    if (k < end) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const int step = u * op::reduce_lanes + threadIdx.x;
        const bool is_there = step < end - k;
        const I j = is_there ? k + step : end - 1;
        const I i1 = j;
        const float x0 = a0[i0 * n2 + i1];
        float v1;
        { const float a = x0; const float b = w0; v1 = op::subtract(a, b); }
        float v2;
        { const float a = v1; v2 = op::exp(a); }
        float v4;
        { const float a = v2; const float b = w3; v4 = op::true_divide(a, b); }
        if (is_there) o0[i0 * n3 + i1] = v4;
      }
    }
  }
  if (threadIdx.x == 0) {
  }
}
