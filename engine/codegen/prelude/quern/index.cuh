// Picking elements by arrays of indices. Compiled for GPUs as kernels, and into quern itself for the CPU.
#pragma once

namespace quern {
namespace op {

constexpr int most_picks = 16, most_rest = 16;

// Loops over axes seldom turn more than once or twice; unrolled, they would be most of what a compiler works on.
#ifdef __CUDACC_RTC__
#define QUERN_EACH_AXIS _Pragma("unroll 1")
#else
#define QUERN_EACH_AXIS
#endif

// Element e of the picked array stands for pick b = e / rest and element r = e % rest of what each pick takes. Where the picks lie
// within the other axes, `inner` of those elements follow each pick; else that is `rest`.
struct IndexPlan {
  long long n, rest, inner, count;
  long long* error;  // found: which index it is among them, from 1 on, and its value; null: one out of range wraps around
  int picks, dims;
  int counts_forward;  // not 0: a negative index is out of range
  const long long* index[most_picks];
  long long size[most_picks], step[most_picks];    // of the axis that each one indexes
  long long shape[most_rest], stride[most_rest];   // of the other axes
};

__QUERN_BOTH long long pick_of(const IndexPlan& p, long long e) {
  return p.inner == p.rest ? e / p.rest : e / p.inner % p.count;
}
__QUERN_BOTH long long rest_of(const IndexPlan& p, long long e) {
  return p.inner == p.rest ? e % p.rest : e / (p.inner * p.count) * p.inner + e % p.inner;
}

// The first one that is seen stays. Several threads may report at the same time; whose index is reported does not matter.
__QUERN_BOTH void report(long long* error, int which, long long index) {
#ifdef __CUDACC_RTC__
  if (*(volatile long long*)error != 0) return;
  *(volatile long long*)(error + 1) = index;
  *(volatile long long*)error = which + 1;
#else
  if (__atomic_load_n(error, __ATOMIC_RELAXED) != 0) return;
  __atomic_store_n(error + 1, index, __ATOMIC_RELAXED);
  __atomic_store_n(error, which + 1, __ATOMIC_RELAXED);
#endif
}

// The place on its axis that pick b has by its index k; one out of range that is reported counts as 0.
__QUERN_BOTH long long place_of(const IndexPlan& p, int k, long long b) {
  long long i = p.index[k][b];
  const long long size = p.size[k];
  if (i < (p.counts_forward ? 0 : -size) || i >= size) {
    if (p.error) report(p.error, k, i);
    i = p.error ? 0 : i % size;
  }
  return i < 0 ? i + size : i;
}

// Where pick b starts.
__QUERN_BOTH long long picked(const IndexPlan& p, long long b) {
  long long at = 0;
  QUERN_EACH_AXIS
  for (int k = 0; k < p.picks; ++k) at += place_of(p, k, b) * p.step[k];
  return at;
}

__QUERN_BOTH long long rest_offset(const IndexPlan& p, long long r) {
  long long at = 0;
  QUERN_EACH_AXIS
  for (int d = p.dims; d-- > 0;) {
    at += r % p.shape[d] * p.stride[d];
    r /= p.shape[d];
  }
  return at;
}

struct Sixteen {
  unsigned long long low, high;
};

}  // namespace op
}  // namespace quern
