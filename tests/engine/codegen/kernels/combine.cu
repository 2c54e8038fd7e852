#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef long long I;

extern "C" __global__ void group(const double* partial, float* out, I results, I count, I chunks) {
  const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ double t[op::reduce_width][op::reduce_lanes];
  double s = op::Sum<double>::start();
  if (result < results && chunk < chunks) {
    const I begin = chunk * op::reduce_chunk, end = count - begin < op::reduce_chunk ? count : begin + op::reduce_chunk;
    s = op::reduce_share<op::Sum<double>, 8>(partial + result * count, begin, end, static_cast<int>(threadIdx.x));
  }
  t[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.x == 0 && result < results && chunk < chunks)
    out[result * chunks + chunk] = op::to<float>(op::reduce_tree<op::Sum<double>>(t[threadIdx.y], 1));
}
