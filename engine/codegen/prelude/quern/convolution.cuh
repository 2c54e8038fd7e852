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

__device__ inline long long weight_place(const ConvolutionPlan& p, int result, int channel, const int* k) {
  return result * p.weight[0] + channel * p.weight[1] + k[0] * p.weight[2] + k[1] * p.weight[3] + k[2] * p.weight[4];
}

// Each of the three is a product: left(row, term) * right(term, column), summed over the terms. What a term and a column add to the
// places of the factors is computed once for each; `at` are their parts of the place along the three axes.
struct Term {
  long long left, right;
  int at[3];
};
struct Column {
  long long right;
  int at[3];
};

// The place of an element of the input under the kernel; -1: beside the input.
__device__ inline long long input_place(const ConvolutionPlan& p, const Term& term, const Column& column) {
  long long place = term.right + column.right;
  for (int d = 0; d < 3; ++d) {
    const int at = column.at[d] + term.at[d];
    if (static_cast<unsigned int>(at) >= static_cast<unsigned int>(p.in[d])) return -1;
    place += at * p.input[2 + d];
  }
  return place;
}
// The place of the result to which an element of the input is added through an element of the kernel.
__device__ inline long long result_place(const ConvolutionPlan& p, const Term& term, const Column& column) {
  long long place = term.right + column.right;
  for (int d = 0; d < 3; ++d) {
    int at = column.at[d] - term.at[d];
    if (at < 0) return -1;
    if (p.stride[d] > 1) {
      const int steps = at / p.stride[d];
      if (steps * p.stride[d] != at) return -1;
      at = steps;
    }
    if (at >= p.out[d]) return -1;
    place += at * p.result[2 + d];
  }
  return place;
}

// Terms: elements of a patch. Columns: positions of the result.
template <class T>
struct ResultOf {
  const ConvolutionPlan& p;
  const T *input, *weight;
  int group;
  __device__ int rows() const { return p.results; }
  __device__ int columns() const { return p.samples * p.out[0] * p.out[1] * p.out[2]; }
  __device__ int terms() const { return p.channels * p.kernel[0] * p.kernel[1] * p.kernel[2]; }
  __device__ Term term(int i) const {
    const Position k = position_of(i, p.kernel);
    Term t;
    t.left = weight_place(p, 0, k.sample, k.at);
    t.right = (static_cast<long long>(group) * p.channels + k.sample) * p.input[1];
    for (int d = 0; d < 3; ++d) t.at[d] = k.at[d] * p.dilation[d] - p.before[d];
    return t;
  }
  __device__ Column column(int i) const {
    const Position out = position_of(i, p.out);
    Column c;
    c.right = out.sample * p.input[0];
    for (int d = 0; d < 3; ++d) c.at[d] = out.at[d] * p.stride[d];
    return c;
  }
  __device__ T left(int row, const Term& term) const {
    return weight[(static_cast<long long>(group) * p.results + row) * p.weight[0] + term.left];
  }
  __device__ T right(const Term& term, const Column& column) const {
    const long long place = input_place(p, term, column);
    return place < 0 ? T(0) : input[place];
  }
  __device__ long long place(int row, int column) const {
    const Position at = position_of(column, p.out);
    return at.sample * p.result[0] + (group * p.results + row) * p.result[1] + at.at[0] * p.result[2] + at.at[1] * p.result[3] +
           at.at[2] * p.result[4];
  }
};

// Terms: elements of the kernels of all results. Columns: positions of the input.
template <class T>
struct InputOf {
  const ConvolutionPlan& p;
  const T *result, *weight;
  int group;
  __device__ int rows() const { return p.channels; }
  __device__ int columns() const { return p.samples * p.in[0] * p.in[1] * p.in[2]; }
  __device__ int terms() const { return p.results * p.kernel[0] * p.kernel[1] * p.kernel[2]; }
  __device__ Term term(int i) const {
    const Position k = position_of(i, p.kernel);
    const int mine = group * p.results + k.sample;
    Term t;
    t.left = weight_place(p, mine, 0, k.at);
    t.right = mine * p.result[1];
    for (int d = 0; d < 3; ++d) t.at[d] = k.at[d] * p.dilation[d];
    return t;
  }
  __device__ Column column(int i) const {
    const Position in = position_of(i, p.in);
    Column c;
    c.right = in.sample * p.result[0];
    for (int d = 0; d < 3; ++d) c.at[d] = in.at[d] + p.before[d];
    return c;
  }
  __device__ T left(int row, const Term& term) const { return weight[row * p.weight[1] + term.left]; }
  __device__ T right(const Term& term, const Column& column) const {
    const long long place = result_place(p, term, column);
    return place < 0 ? T(0) : result[place];
  }
  __device__ long long place(int row, int column) const {
    const Position at = position_of(column, p.in);
    return at.sample * p.input[0] + (group * p.channels + row) * p.input[1] + at.at[0] * p.input[2] + at.at[1] * p.input[3] +
           at.at[2] * p.input[4];
  }
};

// Terms: positions of the result. Columns: elements of a patch.
template <class T>
struct WeightOf {
  const ConvolutionPlan& p;
  const T *input, *result;
  int group;
  __device__ int rows() const { return p.results; }
  __device__ int columns() const { return p.channels * p.kernel[0] * p.kernel[1] * p.kernel[2]; }
  __device__ int terms() const { return p.samples * p.out[0] * p.out[1] * p.out[2]; }
  __device__ Term term(int i) const {
    const Position out = position_of(i, p.out);
    Term t;
    t.left = out.sample * p.result[0] + out.at[0] * p.result[2] + out.at[1] * p.result[3] + out.at[2] * p.result[4];
    t.right = out.sample * p.input[0];
    for (int d = 0; d < 3; ++d) t.at[d] = out.at[d] * p.stride[d] - p.before[d];
    return t;
  }
  __device__ Column column(int i) const {
    const Position k = position_of(i, p.kernel);
    Column c;
    c.right = (static_cast<long long>(group) * p.channels + k.sample) * p.input[1];
    for (int d = 0; d < 3; ++d) c.at[d] = k.at[d] * p.dilation[d];
    return c;
  }
  __device__ T left(int row, const Term& term) const {
    return result[(static_cast<long long>(group) * p.results + row) * p.result[1] + term.left];
  }
  __device__ T right(const Term& term, const Column& column) const {
    const long long place = input_place(p, term, column);
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
  __shared__ Term shared_terms[16];
  const int part = blockIdx.z % p.parts;
  const Which<T> of{p, first, second, static_cast<int>(blockIdx.z / p.parts)};
  const int rows = of.rows(), columns = of.columns(), terms = of.terms();
  const int share = (terms + p.parts - 1) / p.parts, from = part * share, end = from + share < terms ? from + share : terms;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  const int mine = threadIdx.x / 16 * 4, beside = threadIdx.x % 16;
  // Of the right factors a thread reads one column, of the left ones one term.
  const int c = threadIdx.x % 64, t = threadIdx.x % 16;
  const bool has_column = column + c < columns;
  const Column own = of.column(has_column ? column + c : 0);
  auto read_terms = [&](int first_term) {
    if (threadIdx.x < 16 && first_term + static_cast<int>(threadIdx.x) < end) shared_terms[threadIdx.x] = of.term(first_term + threadIdx.x);
  };
  Sum sums[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sums[i][j] = Sum(0);
  read_terms(from);
  __syncthreads();
  for (int term = from; term < end; term += 16) {
    for (int r = threadIdx.x / 16; r < 64; r += 16)
      a[t][r] = term + t < end && row + r < rows ? Sum(of.left(row + r, shared_terms[t])) : Sum(0);
    for (int u = threadIdx.x / 64; u < 16; u += 4)
      b[u][c] = term + u < end && has_column ? Sum(of.right(shared_terms[u], own)) : Sum(0);
    __syncthreads();
    read_terms(term + 16);
    for (int u = 0; u < 16; ++u) {
      Sum left[4], right[4];
      for (int i = 0; i < 4; ++i) left[i] = a[u][mine + i];
      for (int j = 0; j < 4; ++j) right[j] = b[u][beside + 16 * j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  const long long all = static_cast<long long>(gridDim.z / p.parts) * rows * columns;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = row + mine + i, at = column + beside + 16 * j;
      if (r < rows && at < columns) out[part * all + of.place(r, at)] = Out(sums[i][j]);
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
