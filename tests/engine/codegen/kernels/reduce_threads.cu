#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, float* o0, I n0, I n1, I n2, I chunks) {
  const I results = n0, count = n1;
  const I result = (I)blockIdx.x * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  if (result >= results || chunk >= chunks) return;
  const I i0 = result;
  float s1 = op::Sum<float>::start();
  for (I j = 0; j < count; ++j) {
    const I i1 = j;
    const float x0 = a0[i0 * n2 + i1];
    float v0;
    { const float a = x0; v0 = op::square(a); }
    s1 = op::Sum<float>::both(s1, v0);
  }
  const float z1 = s1;
  const float w1 = op::to<float>(z1);
  o0[i0] = w1;
}
