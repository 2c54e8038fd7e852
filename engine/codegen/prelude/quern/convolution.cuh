// On a GPU: convolutions as products of matrices whose elements are read where they lie. The result of a product is cut into squares
// of 64 x 64; a block of 256 threads sums up one of them, 16 terms at a time in shared memory, 4 x 4 sums to a thread.
#pragma once

#include "quern/bfloat.cuh"
#include "quern/complex.cuh"
#include "quern/half.cuh"

extern "C++" {
namespace quern {
namespace op {

// Axes: sample, channel, then three sizes. `input` and `result` are of all groups, `weight` has the channels of one.
struct ConvolutionPlan {
  int samples, channels, results;  // channels and results of one group
  int in[3], kernel[3], out[3];
  int stride[3], before[3], dilation[3];
  long long input[5], weight[5], result[5];  // steps
  int parts;                                 // of the gradient of the weights: into how many sums its terms are cut
};

template <class T>
struct SumOf {
  typedef T type;
};
template <>
struct SumOf<__half> {
  typedef float type;
};
template <>
struct SumOf<__nv_bfloat16> {
  typedef float type;
};

struct Position {
  int sample, at[3];
};
__device__ inline Position position_of(int i, const int* size) {
  Position p;
  p.at[2] = i % size[2], i /= size[2];
  p.at[1] = i % size[1], i /= size[1];
  p.at[0] = i % size[0];
  p.sample = i / size[0];
  return p;
}

// The place of an element of the input under element `k` of the kernel at a position of the result; -1: beside the input.
__device__ inline long long input_place(const ConvolutionPlan& p, const Position& out, const Position& k) {
  long long place = out.sample * p.input[0] + k.sample * p.input[1];
  for (int d = 0; d < 3; ++d) {
    const int at = out.at[d] * p.stride[d] - p.before[d] + k.at[d] * p.dilation[d];
    if (at < 0 || at >= p.in[d]) return -1;
    place += at * p.input[2 + d];
  }
  return place;
}
// The place of the result to which an element of the input is added through an element of the kernel.
__device__ inline long long result_place(const ConvolutionPlan& p, const Position& in, const Position& k) {
  long long place = in.sample * p.result[0] + k.sample * p.result[1];
  for (int d = 0; d < 3; ++d) {
    const int steps = in.at[d] + p.before[d] - k.at[d] * p.dilation[d], at = steps / p.stride[d];
    if (steps < 0 || at * p.stride[d] != steps || at >= p.out[d]) return -1;
    place += at * p.result[2 + d];
  }
  return place;
}
__device__ inline long long weight_place(const ConvolutionPlan& p, int result, int channel, const int* k) {
  return result * p.weight[0] + channel * p.weight[1] + k[0] * p.weight[2] + k[1] * p.weight[3] + k[2] * p.weight[4];
}

// Each of these is a product: left(row, term) * right(term, column), summed over the terms.
template <class T>
struct ResultOf {
  const ConvolutionPlan& p;
  const T *input, *weight;
  int group;
  __device__ int rows() const { return p.results; }
  __device__ int columns() const { return p.samples * p.out[0] * p.out[1] * p.out[2]; }
  __device__ int terms() const { return p.channels * p.kernel[0] * p.kernel[1] * p.kernel[2]; }
  __device__ T left(int row, int term) const {
    const Position k = position_of(term, p.kernel);
    return weight[weight_place(p, group * p.results + row, k.sample, k.at)];
  }
  __device__ T right(int term, int column) const {
    Position k = position_of(term, p.kernel);
    k.sample += group * p.channels;
    const long long place = input_place(p, position_of(column, p.out), k);
    return place < 0 ? T(0) : input[place];
  }
  __device__ long long place(int row, int column) const {
    const Position at = position_of(column, p.out);
    return at.sample * p.result[0] + (group * p.results + row) * p.result[1] + at.at[0] * p.result[2] + at.at[1] * p.result[3] +
           at.at[2] * p.result[4];
  }
};

template <class T>
struct InputOf {
  const ConvolutionPlan& p;
  const T *result, *weight;
  int group;
  __device__ int rows() const { return p.channels; }
  __device__ int columns() const { return p.samples * p.in[0] * p.in[1] * p.in[2]; }
  __device__ int terms() const { return p.results * p.kernel[0] * p.kernel[1] * p.kernel[2]; }
  __device__ T left(int row, int term) const {
    const Position k = position_of(term, p.kernel);
    return weight[weight_place(p, group * p.results + k.sample, row, k.at)];
  }
  __device__ T right(int term, int column) const {
    Position k = position_of(term, p.kernel);
    k.sample += group * p.results;
    const long long place = result_place(p, position_of(column, p.in), k);
    return place < 0 ? T(0) : result[place];
  }
  __device__ long long place(int row, int column) const {
    const Position at = position_of(column, p.in);
    return at.sample * p.input[0] + (group * p.channels + row) * p.input[1] + at.at[0] * p.input[2] + at.at[1] * p.input[3] +
           at.at[2] * p.input[4];
  }
};

template <class T>
struct WeightOf {
  const ConvolutionPlan& p;
  const T *input, *result;
  int group;
  __device__ int rows() const { return p.results; }
  __device__ int columns() const { return p.channels * p.kernel[0] * p.kernel[1] * p.kernel[2]; }
  __device__ int terms() const { return p.samples * p.out[0] * p.out[1] * p.out[2]; }
  __device__ T left(int row, int term) const {
    const Position at = position_of(term, p.out);
    return result[at.sample * p.result[0] + (group * p.results + row) * p.result[1] + at.at[0] * p.result[2] +
                  at.at[1] * p.result[3] + at.at[2] * p.result[4]];
  }
  __device__ T right(int term, int column) const {
    Position k = position_of(column, p.kernel);
    k.sample += group * p.channels;
    const long long place = input_place(p, position_of(term, p.out), k);
    return place < 0 ? T(0) : input[place];
  }
  // In memory without gaps: the sums of each part, which sum_parts() adds up.
  __device__ long long place(int row, int column) const {
    return (static_cast<long long>(group) * p.results + row) * columns() + column;
  }
};

// Which = ResultOf, InputOf, WeightOf; grid: squares of columns, of rows, and groups times parts.
template <template <class> class Which, class T, class Out>
__global__ void __launch_bounds__(256) convolve(ConvolutionPlan p, const T* first, const T* second, Out* out) {
  typedef typename SumOf<T>::type Sum;
  __shared__ Sum a[16][65], b[16][65];
  const int part = blockIdx.z % p.parts;
  const Which<T> of{p, first, second, static_cast<int>(blockIdx.z / p.parts)};
  const int rows = of.rows(), columns = of.columns(), terms = of.terms();
  const int share = (terms + p.parts - 1) / p.parts, from = part * share, end = from + share < terms ? from + share : terms;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  const int mine = threadIdx.x / 16 * 4, beside = threadIdx.x % 16;
  Sum sums[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sums[i][j] = Sum(0);
  for (int term = from; term < end; term += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) {
      const int t = i % 16, r = i / 16;
      a[t][r] = term + t < end && row + r < rows ? Sum(of.left(row + r, term + t)) : Sum(0);
      const int c = i % 64, u = i / 64;
      b[u][c] = term + u < end && column + c < columns ? Sum(of.right(term + u, column + c)) : Sum(0);
    }
    __syncthreads();
    for (int t = 0; t < 16; ++t) {
      Sum left[4], right[4];
      for (int i = 0; i < 4; ++i) left[i] = a[t][mine + i];
      for (int j = 0; j < 4; ++j) right[j] = b[t][beside + 16 * j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  const long long all = static_cast<long long>(gridDim.z / p.parts) * rows * columns;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = row + mine + i, c = column + beside + 16 * j;
      if (r < rows && c < columns) out[part * all + of.place(r, c)] = Out(sums[i][j]);
    }
}

// The gradient of the weights: the sums of all parts, in order.
template <class Sum, class T>
__global__ void sum_parts(ConvolutionPlan p, const Sum* sums, T* out, long long n) {
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += static_cast<long long>(gridDim.x) * blockDim.x) {
    Sum sum = sums[i];
    for (int part = 1; part < p.parts; ++part) sum += sums[part * n + i];
    const int columns = p.channels * p.kernel[0] * p.kernel[1] * p.kernel[2];
    const Position k = position_of(static_cast<int>(i % columns), p.kernel);
    out[weight_place(p, static_cast<int>(i / columns), k.sample, k.at)] = T(sum);
  }
}

}  // namespace op
}  // namespace quern
}
