"""Right programs pass `quern check` without a word: kernels of CUDA C++, the examples, the programs of QUERN_PROGRAMS, and the kernels of
other tests, which run once more under a check."""

import os
import pathlib
import re

import numpy as np
import pytest
import quern as qn
from checked import INTS, ZEROS, N, run_text
from long_runs import part
from places import PACKAGE, TESTS
from programs import ROOT, python, quern

RIGHT = [
    ("a stride over the grid", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * 2;
}""", {"block": 8, "grid": 3}),
    ("a tile with padding", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float tile[8][9];
  int c = threadIdx.x, r = threadIdx.y;
  tile[r][c] = x[r * 8 + c];
  __syncthreads();
  y[r * 8 + c] = tile[c][r];
}""", {"block": (8, 8)}),
    ("a matrix product with both barriers", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float a[4][4], b[4][4];
  int c = threadIdx.x, r = threadIdx.y, column = blockIdx.x * 4 + c, row = blockIdx.y * 4 + r;
  float s = 0;
  for (int part = 0; part < 8; part += 4) {
    a[r][c] = x[row * 8 + part + c];
    b[r][c] = x[(part + r) * 8 + column];
    __syncthreads();
    for (int i = 0; i < 4; ++i) s += a[r][i] * b[i][c];
    __syncthreads();
  }
  y[row * 8 + column] = s;
}""", {"block": (4, 4), "grid": (2, 2)}),
    ("a bitonic sort", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[63 - t];
  for (int size = 2; size <= 64; size *= 2)
    for (int j = size / 2; j > 0; j /= 2) {
      __syncthreads();
      int other = t ^ j;
      if (other > t && ((t & size) == 0) == (s[t] > s[other])) { float v = s[t]; s[t] = s[other]; s[other] = v; }
    }
  __syncthreads();
  y[t] = s[t];
}""", {}),
    ("a scan of Blelloch's", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    int i = (t + 1) * d * 2 - 1;
    if (i < 64) s[i] += s[i - d];
  }
  if (t == 0) s[63] = 0;
  for (int d = 32; d > 0; d /= 2) {
    __syncthreads();
    int i = (t + 1) * d * 2 - 1;
    if (i < 64) { float v = s[i - d]; s[i - d] = s[i]; s[i] += v; }
  }
  __syncthreads();
  y[t] = s[t];
}""", {}),
    ("two buffers that take turns", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[2][64];
  int t = threadIdx.x, from = 0;
  s[0][t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from = 1 - from;
    __syncthreads();
  }
  y[t] = s[from][t];
}""", {}),
    ("a histogram in shared memory", r"""
extern "C" __global__ void k(const int* x, int* y, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[x[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
}""", {"block": 32, "grid": 2, "values": INTS}),
    ("a queue", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  __shared__ int head, items[64];
  if (threadIdx.x == 0) head = 0;
  __syncthreads();
  if (x[threadIdx.x] % 3 == 0) items[atomicAdd(&head, 1)] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < head) y[threadIdx.x] = items[threadIdx.x];
}""", {"values": INTS}),
    ("a product of all by exchanges", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  unsigned int* word = (unsigned int*)y;
  unsigned int old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __float_as_uint(__uint_as_float(seen) * 1.01f));
  } while (old != seen);
}""", {"block": 32, "grid": 2}),
    ("a maximum by exchanges whose first guess is a plain read", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  int mine = (int)threadIdx.x * 7 % 64, seen = y[0];
  while (seen < mine) {
    int old = atomicCAS(&y[0], seen, mine);
    if (old == seen) break;
    seen = old;
  }
}""", {"values": INTS}),
    ("a count that decides about the addition", r"""
extern "C" __global__ void k(int* x, int* y, int n) { if (y[0] < 10) atomicAdd(&y[0], 1); }
""", {"values": INTS}),
    ("a sum of doubles", r"""
extern "C" __global__ void k(float* x, double* y, int n) { atomicAdd(y, (double)x[threadIdx.x]); }
""", {"values": lambda x, y: (x, qn.zeros(4, dtype="float64"), np.int32(N))}),
    ("records and their fields", r"""
struct particle { float x, y, z, mass; };
extern "C" __global__ void k(particle* all, float* y, int n) {
  particle p = all[threadIdx.x];
  p.x += p.mass;
  all[threadIdx.x] = p;
  y[threadIdx.x] = p.x;
}""", {"block": 16}),
    ("bytes that are moved by ints", r"""
extern "C" __global__ void k(const int* x, int* y, int n) {
  unsigned char* bytes = (unsigned char*)(y + threadIdx.x);
  for (int i = 0; i < 4; ++i) bytes[i] = (unsigned char)(x[threadIdx.x] + i);
}""", {"values": INTS}),
    ("half of the threads leave", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[64];
  if (threadIdx.x >= 40) return;
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[39 - threadIdx.x];
}""", {}),
    ("one barrier that all pass in a loop", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int i = 0; i < n; i += 16) {
    __syncthreads();
    if (t == 0) s[i] += 1;
    __syncthreads();
    y[t] = s[i];
  }
}""", {}),
    ("a variable that each way sets", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float v;
  if (threadIdx.x % 2) v = x[threadIdx.x]; else v = -x[threadIdx.x];
  float w;
  for (int i = 0; i < 3; ++i) { if (i == 0) w = 0; w += v; }
  y[threadIdx.x] = w;
}""", {}),
    ("an out-parameter", r"""
__device__ bool find(const float* x, int n, float v, int* at) {
  for (int i = 0; i < n; ++i) if (x[i] == v) { *at = i; return true; }
  return false;
}
extern "C" __global__ void k(float* x, float* y, int n) {
  int at;
  y[threadIdx.x] = find(x, n, (float)(63 - threadIdx.x), &at) ? at : -1;
}""", {}),
    ("a local table", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float table[16] = {1, 2, 3};
  int counts[4];
  for (int i = 0; i < 4; ++i) counts[i] = 0;
  for (int i = 0; i < n; ++i) ++counts[(int)x[i] & 3];
  y[threadIdx.x] = table[threadIdx.x & 15] + counts[threadIdx.x & 3];
}""", {}),
    ("a local array that a function fills", r"""
__device__ void fill(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = i * 0.5f; }
extern "C" __global__ void k(float* x, float* y, int n) {
  float a[8];
  fill(a, 8);
  y[threadIdx.x] = a[threadIdx.x & 7];
}""", {}),
    ("recursion with an array", r"""
__device__ int depth(int k) { int a[3] = {k, 1, 0}; return k == 0 ? a[2] : a[1] + depth(k - 1); }
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = depth(threadIdx.x & 15); }
""", {}),
    ("templates and lambdas", r"""
template <class F> __device__ void each(int n, F f) { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); }
extern "C" __global__ void k(float* x, float* y, int n) {
  each(n, [&](int i) { y[i] = x[n - 1 - i]; });
}""", {"block": 16}),
    ("a class with a cursor", r"""
template <class T> struct span {
  T* data; int size;
  __device__ T& operator[](int i) const { return data[i]; }
  __device__ T* begin() const { return data; }
  __device__ T* end() const { return data + size; }
};
extern "C" __global__ void k(float* x, float* y, int n) {
  span<float> all{x, n};
  float s = 0;
  for (float v : all) s += v;
  y[threadIdx.x] = s + all[threadIdx.x];
}""", {}),
    ("dynamic shared memory in two parts", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  extern __shared__ float parts[];
  int* second = (int*)(parts + blockDim.x);
  parts[threadIdx.x] = x[threadIdx.x];
  second[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = parts[63 - threadIdx.x] + second[threadIdx.x ^ 1];
}""", {"shared": 8 * N}),
    ("constants and device variables", r"""
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ float scale = 2;
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = weights[threadIdx.x & 3] * scale; }
""", {}),
    ("shuffles up and down", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float v = x[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) { float o = __shfl_up_sync(0xffffffff, v, d); if (threadIdx.x % 32 >= d) v += o; }
  y[threadIdx.x] = v + __shfl_sync(0xffffffff, v, 31);
}""", {}),
    ("votes and matches", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  unsigned int same = __ballot_sync(0xffffffff, x[threadIdx.x] & 1);
  y[threadIdx.x] = __popc(same) + __all_sync(0xffffffff, n > 0) + __ffs(same) + __syncthreads_and(n == 64);
}""", {"values": INTS}),
    ("a warp's active lanes", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  if (threadIdx.x % 3 == 0) {
    unsigned int here = __activemask();
    int leader = __ffs(here) - 1, at = 0;
    if ((int)(threadIdx.x & 31) == leader) at = atomicAdd(y, __popc(here));
    at = __shfl_sync(here, at, leader);
    x[threadIdx.x] = at;
  }
}""", {"block": 32, "values": INTS}),
    ("tiles of a block", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[64];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  s[threadIdx.x] = x[threadIdx.x];
  tile.sync();
  float v = s[threadIdx.x ^ 15];
  for (int d = 8; d > 0; d /= 2) v += tile.shfl_down(v, d);
  block.sync();
  if (tile.thread_rank() == 0) s[threadIdx.x / 16] = v;
  block.sync();
  y[threadIdx.x] = s[0];
}""", {}),
    ("a barrier of the grid", r"""
#include <cooperative_groups.h>
extern "C" __global__ void k(float* x, float* y, int n) {
  auto grid = cooperative_groups::this_grid();
  for (int round = 0; round < 3; ++round) {
    int i = grid.thread_rank();
    y[i] = x[(i + 1) % n];
    grid.sync();
    x[i] = y[(i + 1) % n];
    grid.sync();
  }
}""", {"block": 16, "grid": 4, "cooperative": True}),
    ("the last block that is done", r"""
__device__ unsigned int done;
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ bool is_last;
  float s = 0;
  for (int i = 0; i < 16; ++i) s += x[blockIdx.x * 16 + i];
  if (threadIdx.x == 0) {
    y[blockIdx.x] = s;
    __threadfence();
    is_last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) { s = 0; for (int b = 0; b < gridDim.x; ++b) s += ((volatile float*)y)[b]; y[8] = s; }
}""", {"block": 32, "grid": 4, "values": ZEROS}),
    ("blocks in a row", r"""
extern "C" __global__ void k(float* x, int* turn, int n) {
  if (threadIdx.x == 0) {
    while (atomicAdd(turn, 0) != blockIdx.x) {}
    __threadfence();
    x[0] = x[0] * 2 + blockIdx.x;
    __threadfence();
    atomicExch(turn, blockIdx.x + 1);
  }
}""", {"block": 4, "grid": 4, "values": lambda x, y: (x, qn.zeros(2, dtype="int32"), np.int32(N))}),
    ("a rest that is tested", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int d = threadIdx.x % 4;
  y[threadIdx.x] = d ? 100 / d + 7 % d : 0;
}""", {}),
    ("shifts within the width", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  unsigned int lane = threadIdx.x & 31;
  y[threadIdx.x] = (1u << lane) - 1 + (n >> lane) + (int)(1ull << (threadIdx.x & 63)) + (x[threadIdx.x] << 5);
}""", {"values": INTS}),
    ("a hash that wraps", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  unsigned int h = 2166136261u;
  for (int i = 0; i < 4; ++i) { h ^= x[threadIdx.x] + i; h *= 16777619u; }
  h ^= h >> 15;
  y[threadIdx.x] = x[h % 64];
}""", {"values": INTS}),
    ("an index of 64 bits", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  long long row = 100000, columns = 100000;
  y[threadIdx.x] = x[(row * columns + threadIdx.x) % n];
}""", {}),
    ("a random number of its own", r"""
#include <curand_kernel.h>
extern "C" __global__ void k(float* x, float* y, int n) {
  curandState state;
  curand_init(7, threadIdx.x, 0, &state);
  float s = 0;
  for (int i = 0; i < 4; ++i) s += curand_uniform(&state) + curand_normal(&state) * 0;
  y[threadIdx.x] = s;
}""", {"block": 8}),
    ("halves", r"""
#include <cuda_fp16.h>
extern "C" __global__ void k(float* x, __half* y, int n) {
  __half2 both = __floats2half2_rn(x[threadIdx.x], 1);
  ((__half2*)y)[threadIdx.x] = __hadd2(both, both);
}""", {"values": lambda x, y: (x, qn.zeros(2 * N, dtype="float16"), np.int32(N))}),
    ("inline PTX", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  int sum, lane;
  asm("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(x[threadIdx.x]), "r"(n));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  y[threadIdx.x] = sum + lane;
}""", {"values": INTS}),
    ("memset and memcpy", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  memset(x + threadIdx.x * 4, 0, 16);
  memcpy(y + threadIdx.x * 4, x + threadIdx.x * 4, 16);
}""", {"block": 16}),
    ("memory that the kernel asks for", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float* own = (float*)malloc(16);
  for (int i = 0; i < 4; ++i) own[i] = x[i];
  y[threadIdx.x] = own[threadIdx.x & 3];
  free(own);
}""", {"block": 8}),
    ("unions", r"""
union word { float f; unsigned int u; unsigned char b[4]; };
extern "C" __global__ void k(float* x, float* y, int n) {
  word w;
  w.f = x[threadIdx.x];
  w.u ^= 0x80000000u;
  y[threadIdx.x] = w.f + w.b[3] * 0;
}""", {}),
    ("bytes, then ints", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ __align__(4) unsigned char s[64];
  s[t] = t;
  __syncthreads();
  if (t < 16) ((int*)y)[t] = ((int*)s)[t];
}""", {}),
    ("a guard before the access", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  y[t] = (t + 1 < n && x[t + 1] > 3) ? x[t + 1] : 0;
}""", {}),
    ("a pointer that runs back", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float* p = x + n;
  while (p-- != x) *p = 1;
}""", {"block": 1}),
    ("shifts by the hardware's rules", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  y[t] = __funnelshift_l(1u, 2u, t) + __funnelshift_rc(1u, 2u, t);
}""", {}),
    ("a divisor that is tested before", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  y[t] = (t != 0 && 100 % t == 0) ? 100 / t : -1;
}""", {}),
    ("a structure with padding", r"""
struct P {
  char a;
  float b;
};
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  P p;
  p.a = 1;
  p.b = x[t];
  ((P*)y)[t & 7] = p;
}""", {"block": 8}),
    ("a structure of which a part is set and used", r"""
struct P {
  float a, b;
};
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  P p;
  p.a = x[t];
  if (t & 1) p.b = 2;
  y[t] = (t & 1) ? p.a + p.b : p.a;
}""", {}),
    ("a ring of its own", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float r[4];
  for (int k = 0; k < 4; ++k) r[k] = x[k];
  float s = 0;
  for (int k = 4; k < n; ++k) {
    s += r[k & 3];
    r[k & 3] = x[k];
  }
  y[t] = s;
}""", {}),
    ("a stack of its own", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  int st[8], top = 0;
  st[top++] = t;
  while (top) {
    int k = st[--top];
    if (k > 1 && top + 2 <= 8) {
      st[top++] = k / 2;
      if (k % 3 == 0) st[top++] = k / 3;
    }
  }
  y[t] = top;
}""", {}),
    ("a variable that the first round sets", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float best;
  for (int k = 0; k < n; ++k)
    if (k == 0 || x[k] > best) best = x[k];
  y[t] = best;
}""", {}),
    ("goto", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float v;
  if (t > 5) goto other;
  v = 1;
  goto end;
other:
  v = 2;
end:
  y[t] = v;
}""", {}),
    ("a value with a flag", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  int at;
  bool found = false;
  for (int k = 0; k < n; ++k)
    if (x[k] == t) {
      at = k;
      found = true;
    }
  if (found) y[t] = at;
}""", {}),
    ("a structure that memcpy fills", r"""
struct P {
  float a, b, c;
};
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  P p;
  memcpy(&p, x + (t & 7) * 3, sizeof p);
  y[t] = p.a + p.c;
}""", {}),
    ("a local array as float4", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __align__(16) float a[4];
  *(float4*)a = ((float4*)x)[t & 15];
  y[t] = a[3];
}""", {}),
    ("virtual functions", r"""
struct A {
  __device__ virtual int f(int k) { return k; }
};
struct B : A {
  __device__ int f(int k) override { return 2 * k; }
};
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  A a;
  B b;
  A* p = t & 1 ? &a : (A*)&b;
  y[t] = p->f(t);
}""", {}),
    ("a pointer to a function", r"""
typedef float (*op_t)(float);
__device__ float one(float v) { return v; }
__device__ float two(float v) { return 2 * v; }
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  op_t o = t & 1 ? one : two;
  y[t] = o(x[t]);
}""", {}),
    ("a function with shared memory, called twice", r"""
__device__ float exchange(float v, int from) {
  __shared__ float s[64];
  s[threadIdx.x] = v;
  __syncthreads();
  float o = s[from];
  __syncthreads();
  return o;
}
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float a = exchange(x[t], 63 - t);
  y[t] = a + exchange(a, t ^ 1);
}""", {}),
    ("a sort by neighbours", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[64];
  s[t] = x[63 - t];
  for (int k = 0; k < 64; ++k) {
    __syncthreads();
    int a = 2 * t + (k & 1);
    if (a + 1 < 64)
      if (s[a] > s[a + 1]) {
        float v = s[a];
        s[a] = s[a + 1];
        s[a + 1] = v;
      }
  }
  __syncthreads();
  y[t] = s[t];
}""", {}),
    ("cells in shared memory", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int c = threadIdx.x, r = threadIdx.y;
  __shared__ int s[8][8];
  s[r][c] = (int)x[r * 8 + c] & 1;
  for (int k = 0; k < 3; ++k) {
    __syncthreads();
    int z = s[(r + 1) & 7][c] + s[r][(c + 7) & 7];
    __syncthreads();
    s[r][c] = z & 1;
  }
  y[r * 8 + c] = s[r][c];
}""", {"block": (8, 8)}),
    ("bit fields", r"""
struct flags { unsigned a : 3, b : 5, c : 24; };
extern "C" __global__ void k(float* x, float* y, int n) {
  flags f;
  f.a = threadIdx.x & 7;
  f.b = 9;
  f.c = n;
  y[threadIdx.x] = f.a + f.b + f.c;
}""", {}),
    ("a structure handed over and given back", r"""
struct range { int begin, end, step; };
__device__ range half(range r) { r.end = (r.begin + r.end) / 2; return r; }
extern "C" __global__ void k(float* x, float* y, int n) {
  range r;
  r.begin = 0;
  r.end = n;
  r = half(r);
  y[threadIdx.x] = r.end - r.begin;
}""", {}),
]  # fmt: skip

# Small runs of the examples that have kernels.
EXAMPLES = {
    "histogram.py": "", "jit_bilateral.py": "", "jit_black_scholes.py": "2000", "jit_heat_grid_sync.py": "32 10", "jit_histogram.py": "20000",
    "jit_k_means.py": "500", "jit_life.py": "3", "jit_mandelbrot.py": "64", "jit_matmul.py": "50", "jit_monte_carlo.py": "256",
    "jit_prefix_sum.py": "5000", "mandelbrot.py": "", "matmul_tiled.py": "", "n_body_tiles.py": "", "prefix_sum.py": "",
    "pycuda_monte_carlo.py": "", "reduction_shuffle.py": "", "rotate_texture.py": "--size 48", "smoke_textures.py": "--size 32 --steps 3",
    "sobel.py": "", "sparse_matvec.py": "", "transpose.py": "",
}  # fmt: skip

PROGRAMS = os.environ.get("QUERN_PROGRAMS")


@pytest.mark.parametrize("name, text, options", RIGHT, ids=[name for name, *_ in RIGHT])
def test_right_kernels(name, text, options, on_the_cpu):
    report = run_text(text, **options)
    assert not len(report), f"{report}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, tmp_path):
    done = quern("check", os.path.join(ROOT, "examples", name), *EXAMPLES[name].split(), cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.endswith("quern check: nothing found\n"), done.stderr + done.stdout


@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
@pytest.mark.parametrize("name", ["cupy_add.py", "cupy_norm.py", "numba_add.py", "numba_add_shared.py", "numba_vecadd_auto.py",
                                  "numba_vecadd_device.py", "pycuda_add.py", "pycuda_stream.py"])  # fmt: skip
def test_programs(name, tmp_path):
    text = pathlib.Path(PROGRAMS, name).read_text()
    path = tmp_path / name
    path.write_text(re.sub(r"\b(n = \d{2})\d{5,}\b", r"\g<1>000", text))  # a hundredth of the elements does
    done = quern("check", path, cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.endswith("quern check: nothing found\n"), done.stderr + done.stdout


@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_the_program_that_is_wrong(tmp_path):
    done = quern("check", os.path.join(PROGRAMS, "numba_add_shared_wrong.py"), cwd=tmp_path)
    ends = "quern check: no errors in kernels; the program ended with TypingError\n"
    assert done.returncode == 1 and "the name 'numba' is not defined" in done.stderr and done.stderr.endswith(ends), done.stderr


# Files whose kernels are right, but for those of some tests: they divide by 0, or all threads write one element, as is meant there.
FILES = """source/test_raw.py source/test_cooperative_groups.py kernel/test_kernel_launch.py kernel/test_kernel_language.py numba/test_numba.py
cupy/test_cupyx_jit.py""".split()
LEFT_OUT = ["division_by_zero", "with_gaps", "votes_of_a_block", "numbers_of_cuda", "integers_wrap"]


def test_kernels_of_the_tests():
    arguments = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "under_check",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:benchmark",
        *part(FILES, 3),
        "-k",
        f"not ({' or '.join(LEFT_OUT)})",
    ]
    done = python(*arguments, cwd=TESTS, PYTHONPATH=f"{TESTS}/support{os.pathsep}{PACKAGE}", QUERN_PROGRAMS=None, CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 0, done.stdout[-5000:]
