#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

#include "quern/user.cuh"

namespace row_3b767abe4dcd5fe3 {

__QUERN_DEVICE void quern_row(const float x, const float f, float& y, int& s) {
  do {
#line 1 "scale_and_sign"
y = x * f; s = x < 0 ? -1 : 1;
  } while (0);
}
}

extern "C" __global__ void group(const float* a0, const float* a1, float* o0, int* o1, double* o2, I n0) {
  const I i0 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i0 >= n0) return;
  const float x0 = a0[i0];
  const float x1 = a1[i0];
  float u0_0 = {};
  int u0_1 = {};
  row_3b767abe4dcd5fe3::quern_row(x0, x1, u0_0, u0_1);
  const float v0 = u0_0;
  const int v1 = u0_1;
  double v2;
  { const double a = op::to<double>(v0); const double b = op::to<double>(v1); v2 = op::add(a, b); }
  o0[i0] = v0;
  o1[i0] = v1;
  o2[i0] = v2;
}
