#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, const float* a1, float* o0, float c0, I n0) {
  const I i0 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i0 >= n0) return;
  const float k0 = c0;
  const float x0 = a0[i0];
  const float x1 = a1[i0];
  float v0;
  { const float a = x0; const float b = x1; v0 = op::multiply(a, b); }
  float v1;
  { const float a = v0; const float b = k0; v1 = op::add(a, b); }
  float v2;
  { const float a = v1; v2 = op::sqrt(a); }
  o0[i0] = v2;
}
