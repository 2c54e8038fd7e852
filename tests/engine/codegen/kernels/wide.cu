#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef long long I;

extern "C" __global__ void group(const signed char* a0, signed char* o0, I n0) {
  const I first = ((I)blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (first >= n0) return;
  if (n0 - first < 8) {
    for (I i0 = first; i0 < n0; ++i0) {
      const signed char x0 = a0[i0];
      signed char v0;
      { const signed char a = x0; v0 = op::negative(a); }
      o0[i0] = v0;
    }
    return;
  }
  const op::Pack<signed char, 8> p0 = *reinterpret_cast<const op::Pack<signed char, 8>*>(a0 + first);
  op::Pack<signed char, 8> q0;
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const I i0 = first + e;
    const signed char x0 = p0.v[e];
    signed char v0;
    { const signed char a = x0; v0 = op::negative(a); }
    q0.v[e] = v0;
  }
  *reinterpret_cast<op::Pack<signed char, 8>*>(o0 + first) = q0;
}
