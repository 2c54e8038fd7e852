#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(long long a0, long long* o0, long long c0, I n0) {
  const I i0 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i0 >= n0) return;
  const long long k0 = c0;
  const long long x0 = a0 + (i0);
  long long v0;
  { const long long a = x0; const long long b = k0; v0 = op::multiply(a, b); }
  o0[i0] = v0;
}
