// On a GPU: where the greatest or smallest value of a row is, places in sorted values, and how often numbers occur.
#pragma once

#include "quern/order.cuh"

extern "C++" {
namespace quern {
namespace op {

template <class K>
__QUERN_DEVICE bool is_better(const K& a, long long at, const K& b, long long bt) {
  return b < a || (a == b && at < bt);
}

// The best of a block's (or, with 32 threads, a warp's) candidates; the first thread gets it.
template <class K>
__QUERN_DEVICE void best_of(K& key, long long& place, K* keys, long long* places, int width) {
  const int i = threadIdx.x % width;
  keys[threadIdx.x] = key;
  places[threadIdx.x] = place;
  for (int half = width / 2; half > 0; half /= 2) {
    if (width > 32) __syncthreads(); else __syncwarp();
    if (i < half) {
      const K other = keys[threadIdx.x + half];
      const long long at = places[threadIdx.x + half];
      if (is_better(other, at, key, place)) {
        key = other;
        place = at;
        keys[threadIdx.x] = key;
        places[threadIdx.x] = place;
      }
    }
  }
}

// `parts` groups of `width` threads share a row of n. With one part the places are the result, else candidates.
template <class O, bool least>
__global__ void __launch_bounds__(256) extremes(const typename O::Bits* in, typename O::Key* keys, long long* places, long long rows, long long n,
                             int parts, int width) {
  typedef typename O::Key Key;
  __shared__ Key best_keys[256];
  __shared__ long long best_places[256];
  const long long group = static_cast<long long>(blockIdx.x) * (256 / width) + threadIdx.x / width;
  const long long row = group / parts, part = group % parts, share = (n + parts - 1) / parts;
  const long long from = part * share, end = from + share < n ? from + share : n;
  long long place = n;
  Key key = inverse_key(last_key<Key>());
  if (row < rows) {
    for (long long i = from + threadIdx.x % width; i < end; i += width) {
      const Key k = extreme_key<O, least>(in[row * n + i]);
      if (is_better(k, i, key, place)) {
        key = k;
        place = i;
      }
    }
  }
  best_of(key, place, best_keys, best_places, width);
  if (threadIdx.x % width == 0 && row < rows) {
    places[group] = place;
    if (parts > 1) keys[group] = key;
  }
}

// A warp for each row chooses among its candidates.
template <class O>
__global__ void __launch_bounds__(256)
    extremes_of_parts(const typename O::Key* keys, const long long* places, long long* out, long long rows, int parts) {
  typedef typename O::Key Key;
  __shared__ Key best_keys[256];
  __shared__ long long best_places[256];
  const long long row = static_cast<long long>(blockIdx.x) * 8 + threadIdx.x / 32;
  long long place = 0x7fffffffffffffffll;
  Key key = inverse_key(last_key<Key>());
  if (row < rows) {
    for (int p = threadIdx.x % 32; p < parts; p += 32) {
      const Key k = keys[row * parts + p];
      const long long at = places[row * parts + p];
      if (is_better(k, at, key, place)) {
        key = k;
        place = at;
      }
    }
  }
  best_of(key, place, best_keys, best_places, 32);
  if (threadIdx.x % 32 == 0 && row < rows) out[row] = place;
}

template <class O>
__global__ void places_of(const typename O::Bits* sorted, long long n, const typename O::Bits* values, long long* out,
                          long long count, int right) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    out[i] = place_of<O>(sorted, n, O::key(values[i], true), right);
}

constexpr int count_bins = 4096;  // so many a block counts for itself

}  // namespace op
}  // namespace quern
}  // extern "C++"

// Zeros stand in `out`. The order in which weights are added up is not fixed.
#define QUERN_COUNTING                                                                                                         \
  extern "C" __global__ void count(const long long* in, long long n, long long* out, long long bins) {                         \
    __shared__ unsigned int mine[quern::op::count_bins];                                                                       \
    const bool is_small = bins <= quern::op::count_bins;                                                                       \
    if (is_small) {                                                                                                            \
      for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;                                                        \
      __syncthreads();                                                                                                         \
    }                                                                                                                          \
    const long long step = (long long)gridDim.x * blockDim.x;                                                                  \
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {                                   \
      const long long b = in[i];                                                                                               \
      if (b < 0 || b >= bins) continue;                                                                                        \
      if (is_small)                                                                                                            \
        atomicAdd(&mine[b], 1u);                                                                                               \
      else                                                                                                                     \
        atomicAdd((unsigned long long*)&out[b], 1ull);                                                                         \
    }                                                                                                                          \
    if (!is_small) return;                                                                                                     \
    __syncthreads();                                                                                                           \
    for (int b = threadIdx.x; b < bins; b += blockDim.x)                                                                       \
      if (mine[b]) atomicAdd((unsigned long long*)&out[b], (unsigned long long)mine[b]);                                       \
  }                                                                                                                            \
  extern "C" __global__ void weigh(const long long* in, const double* weights, long long n, double* out, long long bins) {     \
    const long long step = (long long)gridDim.x * blockDim.x;                                                                  \
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)                                     \
      if (in[i] >= 0 && in[i] < bins) atomicAdd(&out[in[i]], weights[i]);                                                      \
  }
