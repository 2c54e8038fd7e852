#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, const float* a1, float* o0, I n0, I n1, I n2, I n3, I n4) {
  const I i1 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i1 >= n1) return;
  const I row = ((I)blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
  if (row >= n0) return;
  const I i0 = row;
  const float x0 = a0[i0 * n2 + i1];
  const float x1 = a1[i0 * n3 + i1];
  float v0;
  { const float a = x0; const float b = x1; v0 = op::add(a, b); }
  const float v1 = v0;
  o0[i0 * n4 + i1] = v1;
}
