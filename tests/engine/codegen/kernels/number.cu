#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* __restrict__ a0, const float* a1, float* o0, float* o1, I n0) {
  const I i0 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i0 >= n0) return;
  const float x0 = *a0;
  float v0;
  { const float a = x0; v0 = op::sqrt(a); }
  if ((blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y) == 0) { *o0 = v0; }
  const float x1 = a1[i0];
  float v1;
  { const float a = x1; const float b = v0; v1 = op::true_divide(a, b); }
  o1[i0] = v1;
}
