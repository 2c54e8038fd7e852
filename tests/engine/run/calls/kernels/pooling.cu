// names: largest<float>; largest<long long>; picked<double>; spread<float>; means<float>; means<long long>; shares<double>
#include "quern/pooling.cuh"
using namespace quern::op;
#define QUERN_EACH for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
template <class T>
__global__ void largest(PoolPlan p, long long n, const T* in, T* out, long long* places) {
  QUERN_EACH pool_largest(p, in, out, places, i);
}
template <class T>
__global__ void picked(PoolPlan p, long long n, const T* in, const long long* places, T* out) {
  QUERN_EACH pool_pick(p, in, places, out, i);
}
template <class T>
__global__ void spread(PoolPlan p, long long n, const T* given, const long long* places, T* out) {
  QUERN_EACH pool_spread(p, given, places, out, i);
}
template <class T>
__global__ void means(PoolPlan p, long long n, const T* in, T* out) {
  QUERN_EACH pool_mean(p, in, out, i);
}
template <class T>
__global__ void shares(PoolPlan p, long long n, const T* given, T* out) {
  QUERN_EACH pool_share(p, given, out, i);
}
