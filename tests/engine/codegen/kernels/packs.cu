#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, const float* __restrict__ a1, const float* a2, float* o0, I n0) {
  const I first = ((I)blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (first >= n0) return;
  const float x1 = *a1;
  if (n0 - first < 4) {
    for (I i0 = first; i0 < n0; ++i0) {
      const float x0 = a0[i0];
      const float x2 = a2[i0];
      bool v0;
      { const float a = x0; const float b = x1; v0 = op::less(a, b); }
      float v1;
      { const bool a = v0; const float b = x0; const float c = x2; v1 = a ? b : c; }
      o0[i0] = v1;
    }
    return;
  }
  const op::Pack<float, 4> p0 = *reinterpret_cast<const op::Pack<float, 4>*>(a0 + first);
  const op::Pack<float, 4> p2 = *reinterpret_cast<const op::Pack<float, 4>*>(a2 + first);
  op::Pack<float, 4> q0;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const I i0 = first + e;
    const float x0 = p0.v[e];
    const float x2 = p2.v[e];
    bool v0;
    { const float a = x0; const float b = x1; v0 = op::less(a, b); }
    float v1;
    { const bool a = v0; const float b = x0; const float c = x2; v1 = a ? b : c; }
    q0.v[e] = v1;
  }
  *reinterpret_cast<op::Pack<float, 4>*>(o0 + first) = q0;
}
