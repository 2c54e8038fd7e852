#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const double* a0, double* o0, I n0, I n1, I n2, I chunks) {
  const I results = n0, count = n1;
  const I blocks = (n0 + (I)blockDim.x - 1) / (I)blockDim.x, row = (I)blockIdx.x / blocks;
  const I column = (I)blockIdx.x % blocks * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ double t0[op::reduce_lanes * 192];
  if (column >= n0 || chunk >= chunks) return;
  const I i0 = column;
  const I begin = chunk * 4096, end = count - begin < 4096 ? count : begin + 4096;
  for (int lane = 0; lane < op::reduce_lanes; ++lane) {
    t0[lane * blockDim.x + threadIdx.x] = op::Sum<double>::start();
  }
  __syncthreads();
  for (I j = begin; j < end; ++j) {
    const I at = (j - begin) % op::reduce_lanes * (I)blockDim.x + threadIdx.x;
    const I i1 = j;
    double s0 = t0[at];
    const double x0 = a0[i0 + i1 * n2];
    s0 = op::Sum<double>::both(s0, x0);
    t0[at] = s0;
  }
  __syncthreads();
  const double z0 = op::reduce_tree<op::Sum<double>>(t0 + threadIdx.x, blockDim.x);
  const double w0 = op::to<double>(z0);
  o0[i0] = w0;
}
