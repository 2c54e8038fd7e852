#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const double* a0, double* o0, I n0, I n1, I n2, I chunks) {
  const I results = n0, count = n1;
  const I result = (I)blockIdx.x * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  double t0[op::reduce_lanes];
  if (result >= results || chunk >= chunks) return;
  const I i0 = result;
  const I begin = chunk * 4096, end = count - begin < 4096 ? count : begin + 4096;
  for (int lane = 0; lane < op::reduce_lanes; ++lane) {
    double s0 = op::Sum<double>::start();
    for (I j = begin + lane; j < end; j += op::reduce_lanes) {
      const I i1 = j;
      const double x0 = a0[i0 + i1 * n2];
      s0 = op::Sum<double>::both(s0, x0);
    }
    t0[lane] = s0;
    __syncthreads();
  }
  const double z0 = op::reduce_tree<op::Sum<double>>(t0);
  const double w0 = op::to<double>(z0);
  o0[i0] = w0;
}
