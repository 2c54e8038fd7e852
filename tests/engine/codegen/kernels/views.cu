#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, const float* a1, const float* a2, float* o0, I n0, I n1, I n2, I n3, I n4) {
  const I i1 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i1 >= n1) return;
  const I row = ((I)blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
  if (row >= n0) return;
  const I i0 = row;
  const float x0 = a0[i0 * n2 + i1];
  const float x1 = a1[i1];
  const float x2 = a2[i0 + i1 * n3];
  float v0;
  { const float a = x0; const float b = x1; v0 = op::multiply(a, b); }
  float v1;
  { const float a = v0; const float b = x2; v1 = op::add(a, b); }
  o0[i0 * n4 + i1] = v1;
}
