#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const float* a0, float* o0, I n0, I chunks) {
  const I results = 1, count = n0;
  if (threadIdx.x) return;
  const I result = blockIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  float t0[op::reduce_lanes];
  if (result >= results || chunk >= chunks) return;
  const I begin = chunk * 4096, end = count - begin < 4096 ? count : begin + 4096;
  {
    float q0[op::reduce_lanes];
#pragma clang loop unroll(disable) vectorize(enable)
    for (int lane = 0; lane < op::reduce_lanes; ++lane) {
      q0[lane] = op::Sum<float>::start();
    }
    I k = begin;
    for (; end - k >= op::reduce_lanes; k += op::reduce_lanes) {
#pragma clang loop unroll(disable) vectorize(enable)
      for (int lane = 0; lane < op::reduce_lanes; ++lane) {
        const I j = k + lane;
        const I i0 = j;
        float s0 = q0[lane];
        const float x0 = a0[i0];
        s0 = op::Sum<float>::both(s0, x0);
        q0[lane] = s0;
      }
    }
#pragma clang loop unroll(disable) vectorize(enable)
    for (int lane = 0; lane < op::reduce_lanes; ++lane) {
      t0[lane] = q0[lane];
    }
    for (int lane = 0; k + lane < end; ++lane) {
      const I j = k + lane;
      const I i0 = j;
      float s0 = t0[lane];
      const float x0 = a0[i0];
      s0 = op::Sum<float>::both(s0, x0);
      t0[lane] = s0;
    }
  }
  const float z0 = op::reduce_tree<op::Sum<float>>(t0);
  o0[(0) * chunks + chunk] = z0;
}
