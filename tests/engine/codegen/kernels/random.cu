#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(long long a0, float* o0, unsigned long long c0, unsigned long long c1, I n0) {
  const I first = ((I)blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (first >= n0) return;
  const unsigned long long k0 = c0;
  const unsigned long long k1 = c1;
  if (n0 - first < 4) {
    for (I i0 = first; i0 < n0; ++i0) {
      const long long x0 = a0 + (i0);
      float v0;
      { const unsigned long long a = op::to<unsigned long long>(x0); const unsigned long long b = k0; const unsigned long long c = k1; v0 = op::random_normal32(a, b, c); }
      o0[i0] = v0;
    }
    return;
  }
  op::Pack<float, 4> q0;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const I i0 = first + e;
    const long long x0 = ((a0 & ~15ll) + first) | e;
    float v0;
    { const unsigned long long a = op::to<unsigned long long>(x0); const unsigned long long b = k0; const unsigned long long c = k1; v0 = op::random_normal32(a, b, c); }
    q0.v[e] = v0;
  }
  *reinterpret_cast<op::Pack<float, 4>*>(o0 + first) = q0;
}
