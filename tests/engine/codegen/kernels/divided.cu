#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const int* a0, int* o0, int* o1, int c0, I n0) {
  const I i0 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i0 >= n0) return;
  const int k0 = c0;
  const op::Divisor<int> d0(k0);
  const int x0 = a0[i0];
  int v0;
  { const int a = x0; const op::Divisor<int>& b = d0; v0 = op::floor_divide(a, b); }
  int v1;
  { const int a = v0; const int b = x0; v1 = op::remainder(a, b); }
  o0[i0] = v0;
  o1[i0] = v1;
}
