"""Wrong kernels of CUDA C++, each with a mistake of one kind: the check finds it, at its line."""

import os

import numpy as np
import pytest
import quern as qn
from checked import INTS, N, is_found, kinds, line_of_mistake, run_text

pytestmark = pytest.mark.usefixtures("on_the_cpu")


def with_n(n):
    return lambda x, y: (x, y, np.int32(n))


# (kind, what it is, text, how it is launched); the line with the mistake ends in "// <-"
WRONG = [
    # ---- outside of arrays
    ("out_of_bounds", "a tile at the edge of a matrix", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  int column = blockIdx.x * 4 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  y[row * 9 + column] = x[0];  // <-
}""", {"block": (4, 4), "grid": (2, 2)}),
    ("out_of_bounds", "a stride over the grid that begins too late", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  for (int i = threadIdx.x + 1; i <= n; i += blockDim.x) y[i] = 0;  // <-
}""", {}),
    ("out_of_bounds", "rows and columns exchanged", r"""
extern "C" __global__ void k(const float* in, float* out, int n) {
  const int rows = 4, columns = 16;
  int c = threadIdx.x, r = threadIdx.y;
  out[r * columns + c] = in[c * columns + r];  // <-
}""", {"block": (16, 4)}),
    ("out_of_bounds", "a field of the last record", r"""
struct particle { float x, y, z, mass; };
extern "C" __global__ void k(float* x, particle* all, int n) {
  int i = threadIdx.x;
  if (i <= 16) all[i].mass = 1;  // <-
}""", {}),
    ("out_of_bounds", "a template's constant that is too large", r"""
template <int width> __device__ float row_sum(const float* p, int row) {
  float s = 0;
  for (int j = 0; j < width; ++j) s += p[row * width + j];  // <-
  return s;
}
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = row_sum<9>(x, threadIdx.x); }""", {"block": 8}),
    ("out_of_bounds", "a histogram's bin", r"""
extern "C" __global__ void k(const float* x, int* bins, int n) {
  int b = (int)x[threadIdx.x];
  atomicAdd(&bins[b], 1);  // <-
}""", {"values": lambda x, y: (x, qn.zeros(32, dtype="int32"), np.int32(N))}),
    ("out_of_bounds", "a gather by indices from memory", r"""
extern "C" __global__ void k(const int* at, float* y, int n) { y[threadIdx.x] = y[at[threadIdx.x] * 2]; }  // <-
""", {"values": lambda x, y: (qn.arange(N, dtype="int32"), y, np.int32(N))}),
    ("out_of_bounds", "the address of the manual of compute-sanitizer", r"""
extern "C" __global__ void k(float* x, float* y, int n) { *(int*)0x87654320 = 42; }  // <-
""", {"block": 1}),
    ("out_of_bounds", "a double where floats are", r"""
extern "C" __global__ void k(double* x, float* y, int n) { x[threadIdx.x] = 1; }  // <-
""", {}),
    ("out_of_bounds", "a lambda's index", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  auto at = [&](int i) -> float& { return x[i * 2]; };
  at(threadIdx.x) = 3;  // <-
}""", {}),
    ("out_of_bounds", "shared rows without the column of padding", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float tile[8][8];
  int c = threadIdx.x, r = threadIdx.y;
  tile[r][c] = 0;
  __syncthreads();
  (&tile[0][0])[r * 9 + c] = x[0];  // <-
}""", {"block": (8, 8)}),
    ("out_of_bounds", "dynamic shared memory in two parts", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  extern __shared__ float parts[];
  float* second = parts + blockDim.x;
  second[threadIdx.x] = x[threadIdx.x];  // <-
}""", {"shared": 4 * N + 64}),
    ("out_of_bounds", "a stack of its own", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int stack[4], top = 0;
  for (int i = 0; i < (int)threadIdx.x % 8; ++i) stack[top++] = i;  // <-
  y[threadIdx.x] = top ? stack[0] : 0;
}""", {}),
    ("out_of_bounds", "constant memory behind its end", r"""
__constant__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void k(float* x, float* y, int n) {
  float s = 0;
  for (int i = 0; i <= 8; ++i) s += weights[i];  // <-
  y[threadIdx.x] = s;
}""", {}),
    # ---- null
    ("null", "a pointer that was never set", r"""
__device__ float* table;
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = table[threadIdx.x]; }  // <-
""", {}),
    ("null", "a list's last link", r"""
struct link { int value; link* next; };
extern "C" __global__ void k(float* x, float* y, int n) {
  link first{1, nullptr};
  link* at = &first;
  int s = 0;
  for (int i = 0; i < 2; ++i) { s += at->value; at = at->next; }  // <-
  y[threadIdx.x] = s;
}""", {"block": 1}),
    ("null", "a member far into nothing", r"""
struct big { float head[100]; float tail; };
extern "C" __global__ void k(float* x, float* y, int n) { big* b = n > 5 ? nullptr : (big*)x; b->tail = 1; }  // <-
""", {"block": 1}),
    # ---- alignment
    ("misaligned", "an int inside of another", r"""
__device__ int x_of_device[4];
extern "C" __global__ void k(float* x, float* y, int n) { *(int*)((char*)x_of_device + 1) = 42; }  // <-
""", {"block": 1}),
    ("misaligned", "a float2 at an odd float", r"""
extern "C" __global__ void k(float* x, float2* y, int n) {
  float2* odd = (float2*)(x + 1);
  y[threadIdx.x].x = odd[threadIdx.x].y;
  float2 whole = *(float2*)(x + 2 * threadIdx.x + 1);  // <-
  y[threadIdx.x] = whole;
}""", {"block": 16}),
    ("misaligned", "eight bytes behind a header of four", r"""
extern "C" __global__ void k(char* bytes, long long* y, int n) {
  y[threadIdx.x] = *(long long*)(bytes + 4 + 8 * threadIdx.x);  // <-
}""", {"block": 16}),
    ("misaligned", "an atomic on half a word", r"""
extern "C" __global__ void k(char* x, float* y, int n) { atomicMax((unsigned int*)(x + 2), 7u); }  // <-
""", {"block": 2}),
    ("misaligned", "shared bytes as int4", r"""
extern "C" __global__ void k(int4* x, float* y, int n) {
  __shared__ __align__(16) unsigned char raw[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) raw[i] = 0;
  __syncthreads();
  x[threadIdx.x] = *(int4*)(raw + 8 * threadIdx.x);  // <-
}""", {"block": 8}),
    # ---- const
    ("const_written", "a reference without const", r"""
__device__ void twice(float& v) { v *= 2; }  // <-
extern "C" __global__ void k(const float* x, float* y, int n) { twice(const_cast<float&>(x[threadIdx.x])); }
""", {}),
    ("const_written", "an atomic on what is only to be read", r"""
extern "C" __global__ void k(const int* x, float* y, int n) { atomicAdd((int*)x, 1); }  // <-
""", {"values": INTS}),
    ("const_written", "a vector through a cast", r"""
extern "C" __global__ void k(const float* __restrict__ x, float* y, int n) {
  ((float4*)x)[threadIdx.x] = make_float4(0, 0, 0, 0);  // <-
}""", {"block": 16}),
    ("const_written", "memset", r"""
extern "C" __global__ void k(const float* x, float* y, int n) { memset((void*)x, 0, 16); }  // <-
""", {"block": 1}),
    ("const_written", "a field of a const record", r"""
struct pair { int a, b; };
extern "C" __global__ void k(const pair* x, float* y, int n) { ((pair*)x)[threadIdx.x].b = 5; }  // <-
""", {"block": 32}),
    # ---- never written
    ("never_written", "the manual's addition of a part", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float v[128];
  v[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + 64];  // <-
}""", {}),
    ("never_written", "a variable set in a branch", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float v;
  if (threadIdx.x < 10) v = 1;
  y[threadIdx.x] = v;  // <-
}""", {}),
    ("never_written", "a sum that does not start", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float sum;
  for (int i = 0; i < n; ++i) sum += x[i];  // <-
  y[threadIdx.x] = sum;
}""", {"block": 1}),
    ("never_written", "a minimum that a loop may not set", r"""
__device__ int first_above(const float* x, int n, float limit) {
  int found;
  for (int i = 0; i < n; ++i)
    if (x[i] > limit) { found = i; break; }
  return found;  // <-
}
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = first_above(x, n, 60.0f + threadIdx.x); }
""", {"block": 8}),
    ("never_written", "a local array filled to its half", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float a[8];
  for (int i = 0; i < 4; ++i) a[i] = i;
  float s = 0;
  for (int i = 0; i < 8; ++i) s += a[i];  // <-
  y[threadIdx.x] = s;
}""", {}),
    ("never_written", "a local array that each round begins anew", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  for (int round = 0; round < 2; ++round) {
    int count[4];
    if (round == 0) for (int i = 0; i < 4; ++i) count[i] = 0;
    count[threadIdx.x % 4] += 1;  // <-
    y[threadIdx.x] = count[threadIdx.x % 4];
  }
}""", {}),
    ("never_written", "the other case of a switch", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int weight;
  switch (threadIdx.x % 3) {
    case 0: weight = 1; break;
    case 1: weight = 5; break;
  }
  y[threadIdx.x] = weight * 2;  // <-
}""", {}),
    ("never_written", "a flag in shared memory", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ bool found;
  if (x[threadIdx.x] > 1000) found = true;
  __syncthreads();
  if (found) y[threadIdx.x] = 1;  // <-
}""", {}),
    # ---- races in a block
    ("race", "the manual's sum", r"""
extern "C" __global__ void k(int* in, int* sum, int n) {
  __shared__ int smem[128];
  int tx = threadIdx.x;
  smem[tx] = in[tx] + tx;
  if (tx == 0) {
    *sum = 0;
    for (int i = 0; i < 64; ++i) *sum += smem[i];  // <-
  }
}""", {"values": INTS}),
    ("race", "warps that pass a result on", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float of_warps[2];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  float v = x[t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (lane == 0) of_warps[warp] = v;
  if (t == 0) y[0] = of_warps[0] + of_warps[1];  // <-
}""", {}),
    ("race", "a matrix product without the second barrier", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float a[8][8], b[8][8];
  int c = threadIdx.x, r = threadIdx.y;
  float s = 0;
  for (int part = 0; part < 2; ++part) {
    a[r][c] = x[r * 8 + c];
    b[r][c] = x[c * 8 + r];
    __syncthreads();
    for (int i = 0; i < 8; ++i) s += a[r][i] * b[i][c];  // <-
  }
  y[r * 8 + c] = s;
}""", {"block": (8, 8)}),
    ("race", "a bitonic step", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[63 - t];
  __syncthreads();
  for (int j = 32; j > 0; j /= 2) {
    int other = t ^ j;
    if (other > t && s[t] > s[other]) { float v = s[t]; s[t] = s[other]; s[other] = v; }  // <-
  }
  y[t] = s[t];
}""", {}),
    ("race", "a barrier inside of too small a group", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[64];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = x[threadIdx.x];
  tile.sync();
  y[threadIdx.x] = s[(threadIdx.x + 16) % 64];  // <-
}""", {}),
    ("race", "a queue whose head is read as it is", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  __shared__ int head, items[64];
  if (threadIdx.x == 0) head = 0;
  __syncthreads();
  items[atomicAdd(&head, 1)] = threadIdx.x;
  if (threadIdx.x < head) y[threadIdx.x] = items[threadIdx.x];  // <-
}""", {}),
    ("race", "a count that is read as it is before it is added to", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  int before = y[0];  // <-
  atomicAdd(&y[0], 3);
  y[1 + threadIdx.x] = before;
}""", {}),
    ("race", "a sum of doubles that is read before it is added to", r"""
extern "C" __global__ void k(double* x, double* y, int n) {
  __shared__ double sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  double before = sum;  // <-
  atomicAdd(&sum, 0.5);
  y[threadIdx.x] = before;
}""", {"values": lambda x, y: (qn.zeros(N, dtype="float64"), qn.zeros(N, dtype="float64"), np.int32(N))}),
    ("race", "two halves of one struct by one word", r"""
struct packed { unsigned int a : 16, b : 16; };
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ packed p;
  if (threadIdx.x == 0) p.a = 1;  // <-
  if (threadIdx.x == 1) p.b = 2;
  __syncthreads();
  y[threadIdx.x] = p.a;
}""", {}),
    # ---- races between blocks
    ("race", "a maximum without an atomic", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > y[0]) y[0] = x[i];  // <-
}""", {"block": 16, "grid": 4}),
    ("race", "halos that overlap", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int i = blockIdx.x * 14 + threadIdx.x;
  if (i < n) y[i] = x[i] + blockIdx.x;  // <-
}""", {"block": 16, "grid": 4}),
    ("race", "a two-step scan in one launch", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x == 0) y[blockIdx.x] = x[blockIdx.x * 16];
  __syncthreads();
  float before = 0;
  for (int b = 0; b < blockIdx.x; ++b) before += y[b];  // <-
  x[blockIdx.x * 16 + threadIdx.x] = before;
}""", {"block": 16, "grid": 4}),
    ("race", "Jacobi's step in place", r"""
extern "C" __global__ void k(float* u, float* y, int n) {
  int c = blockIdx.x * 4 + threadIdx.x, r = threadIdx.y;
  if (c > 0 && c < 7 && r > 0 && r < 7)
    u[r * 8 + c] = 0.25f * (u[r * 8 + c - 1] + u[r * 8 + c + 1] + u[r * 8 - 8 + c] + u[r * 8 + 8 + c]);  // <-
}""", {"block": (4, 8), "grid": 2}),
    ("race", "one lock, two mutexes", r"""
extern "C" __global__ void k(float* x, int* locks, int n) {
  if (threadIdx.x == 0) {
    int* mine = locks + blockIdx.x;
    while (atomicCAS(mine, 0, 1) != 0) {}
    __threadfence();
    x[0] += 1;  // <-
    __threadfence();
    atomicExch(mine, 0);
  }
}""", {"block": 32, "grid": 2, "values": lambda x, y: (x, qn.zeros(N, dtype="int32"), np.int32(N))}),
    ("race", "a scatter to the same place", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[(i * 7) % 32] = x[i];  // <-
}""", {"block": 32, "grid": 2}),
    # ---- barriers
    ("barrier_places", "one barrier for each side of a branch", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x % 2) { y[threadIdx.x] = 1; __syncthreads(); }
  else { y[threadIdx.x] = 2; __syncthreads(); }  // <-
}""", {}),
    ("barrier_places", "in a loop whose rounds depend on the thread", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  for (int i = threadIdx.x; i < 100; i += 64) __syncthreads();
  y[threadIdx.x] = 1;
  __syncthreads();  // <-
}""", {}),
    ("barrier_places", "in a device function that some call earlier", r"""
__device__ void meet(float* y) { *y += 1; __syncthreads(); }
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x < 8) meet(y + threadIdx.x);
  else __syncthreads();  // <-
}""", {}),
    ("barrier_places", "a vote on one side", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x >= 32) y[threadIdx.x] = __syncthreads_or(threadIdx.x == 40);
  else __syncthreads();  // <-
}""", {}),
    ("barrier_missing", "a shuffle that asks a lane which waits elsewhere", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x < 16) y[threadIdx.x] = __shfl_xor_sync(0xffffffff, x[threadIdx.x], 16);  // <-
  else __syncthreads();
}""", {"block": 32}),
    ("barrier_missing", "a vote of a full warp in a branch", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x & 1) { if (__any_sync(0xffffffff, x[threadIdx.x] > 3)) y[0] = 1; }  // <-
  else __syncthreads();
}""", {"block": 32}),
    ("barrier_missing", "the manual's mask that leaves out who calls", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  __shared__ int smem[32];
  unsigned int tid = threadIdx.x;
  unsigned int mask = __ballot_sync(0xffffffff, tid < 16);
  if (tid <= 16) {
    smem[tid] = tid;
    __syncwarp(mask);  // <-
    y[tid] = smem[tid];
  }
}""", {"block": 32}),
    ("barrier_missing", "masks that differ", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  unsigned int mask = threadIdx.x < 16 ? 0xffff00ffu : 0xffffffffu;
  y[threadIdx.x] = __shfl_sync(mask, x[threadIdx.x], 0);  // <-
}""", {"block": 32}),
    ("barrier_missing", "a tile's barrier in a branch of it", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* x, float* y, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (tile.thread_rank() < 3) tile.sync();  // <-
  else __syncthreads();
}""", {"block": 32}),
    # ---- arithmetic
    ("division", "a divisor from the host", r"""
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = 100 / n; }  // <-
""", {"values": with_n(0)}),
    ("division", "the remainder of a thread's number", r"""
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = n % threadIdx.x; }  // <-
""", {}),
    ("division", "an average of nothing", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  int count = 0, sum = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 100 + threadIdx.x) { ++count; sum += (int)x[i]; }
  y[threadIdx.x] = sum / count;  // <-
}""", {}),
    ("division", "the lowest int by -1", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int lowest = -2147483647 - (n > 0), by = -(int)threadIdx.x;
  y[threadIdx.x] = by ? lowest / by : 0;  // <-
}""", {"block": 2}),
    ("division", "a long one in a template", r"""
template <class T> __device__ T per(T a, T b) { return a / b; }  // <-
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = per<long long>(n, threadIdx.x / 2); }
""", {}),
    ("division", "unsigned, of a column", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  unsigned int columns = gridDim.x - 1, i = threadIdx.x;
  y[i] = x[i / columns % 64];  // <-
}""", {}),
    ("shift", "a bit for each thread", r"""
extern "C" __global__ void k(float* x, unsigned int* y, int n) { y[threadIdx.x] = 1u << threadIdx.x; }  // <-
""", {}),
    ("shift", "a mask of all lanes", r"""
extern "C" __global__ void k(float* x, unsigned int* y, int n) { y[threadIdx.x] = (1u << (n / 2)) - 1; }  // <-
""", {}),
    ("shift", "to the right, by the rest", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  int used = threadIdx.x % 4;
  y[threadIdx.x] = n >> (32 - used);  // <-
}""", {}),
    ("shift", "by a negative number", r"""
extern "C" __global__ void k(float* x, int* y, int n) { y[threadIdx.x] = n << ((int)threadIdx.x - 1); }  // <-
""", {"block": 8}),
    ("shift", "64 bits in a device function", r"""
__device__ unsigned long long bit(int i) { return 1ull << i; }  // <-
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = bit(threadIdx.x + 1) & 1; }
""", {}),
    ("shift", "an assignment", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  int v = n;
  for (int i = 1; i <= 64; i *= 2) v >>= i;  // <-
  y[threadIdx.x] = v;
}""", {"block": 1}),
    ("overflow", "a row times the columns", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int row = n * 1000, columns = 50000;
  if (threadIdx.x == 0) y[(row * columns) & 63] = 1;  // <-
}""", {}),
    ("overflow", "an offset in bytes", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  int record = 90000000 + (int)threadIdx.x;
  const char* p = (const char*)x + (record * 32 & 3) * 4;  // <-
  y[threadIdx.x] = *(const float*)p;
}""", {}),
    ("overflow", "a sum beyond the end", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  int last = 2147483647;
  y[threadIdx.x] = x[(last + n) & 63];  // <-
}""", {}),
    ("overflow", "below the lowest", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  int i = -2147483647 - 1;
  y[threadIdx.x] = x[(i - n) & 63];  // <-
}""", {}),
    ("overflow", "a loop that doubles", r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  int stride = 1;
  for (int i = 0; i < 33; ++i) stride = stride * 2 + 1;  // <-
  y[threadIdx.x] = x[stride & 63];
}""", {"block": 1}),
    ("overflow", "a depth in a device function", r"""
__device__ int at(int z, int y, int x, int side) { return (z * side + y) * side + x; }  // <-
extern "C" __global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = x[at(n, n, threadIdx.x, 40000) & 63]; }
""", {"block": 4}),
    ("out_of_bounds", "a third dimension of the grid", r"""
extern "C" __global__ void k(float* x, float* y, int n) { x[blockIdx.z * 32 + threadIdx.x] = 1; }  // <-""", {"block": 32, "grid": (1, 1, 3)}),
    ("out_of_bounds", "a local array in three dimensions", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  int a[2][3][4];
  for (int p = 0; p < 2; ++p)
    for (int q = 0; q < 3; ++q)
      for (int r = 0; r < 4; ++r) a[p][q][r] = 0;
  int k = t % 3;
  a[k][2][3] = t;  // <-
  x[t] = a[t & 1][1][1];
}""", {}),
    ("out_of_bounds", "an array in a constant structure", r"""
struct C {
  int n;
  float w[8];
};
__constant__ C c;
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  x[t] = c.w[t];  // <-
}""", {}),
    ("out_of_bounds", "memcpy into an array that is too short", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float a[4];
  memcpy(a, x, 4 * (n / 8));  // <-
  y[threadIdx.x] = a[0];
}""", {}),
    ("out_of_bounds", "memory from malloc that is too short", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float* m = (float*)malloc(8);
  m[0] = 1;
  m[1] = 2;
  m[2] = 3;  // <-
  y[threadIdx.x] = m[0];
  free(m);
}""", {"block": 2}),
    ("after_release", "memory from malloc that was freed", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float* m = (float*)malloc(16);
  m[0] = 1;
  free(m);
  y[threadIdx.x] = m[0];  // <-
}""", {"block": 1}),
    ("after_release", "memory from new that was deleted", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int* m = new int[4];
  m[1] = 3;
  delete[] m;
  m[1] = 4;  // <-
  y[0] = 1;
}""", {"block": 1}),
    ("null", "malloc that had no memory", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float* m = (float*)malloc((size_t)1 << 50);
  m[threadIdx.x] = 1;  // <-
}""", {"block": 1}),
    ("never_written", "a member of a structure", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  struct P {
    float a;
    float b;
  };
  P p;
  p.a = x[t];
  y[t] = p.a + p.b;  // <-
}""", {}),
    ("never_written", "a pointer that is set in a branch", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float* p;
  if (t > 5) p = x;
  y[t] = *p;  // <-
}""", {}),
    ("never_written", "memory from malloc", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float* m = (float*)malloc(16);
  y[threadIdx.x] = m[2];  // <-
  free(m);
}""", {"block": 1}),
    ("never_written", "a matrix of its own, but for its diagonal", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float a[3][3];
  for (int k = 0; k < 3; ++k) a[k][k] = 1;
  float s = 0;
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q) s += a[p][q];  // <-
  y[t] = s;
}""", {}),
    ("never_written", "an out-parameter that is not always set", r"""
__device__ void get(float* x, int* v) {
  if (x[0] > 5) *v = 1;
}
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  int v;
  get(x, &v);
  y[t] = v;  // <-
}""", {}),
    ("never_written", "an array that a function fills in part", r"""
__device__ __noinline__ void half_fill(float* a) {
  a[0] = 1;
  a[1] = 2;
}
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float a[4];
  half_fill(a);
  y[t] = a[t & 3];  // <-
}""", {}),
    ("division", "an assignment", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  int v = 1000;
  v /= (t - 5);  // <-
  y[t] = v;
}""", {}),
    ("overflow", "the lowest one's opposite", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int lo = -2147483647 - 1;
  int k = -lo;  // <-
  y[k & 63] = 1;
}""", {"block": 1}),
    ("shift", "by a literal", r"""
extern "C" __global__ void k(float* x, unsigned* y, int n) { y[threadIdx.x] = (unsigned)n >> 32; }  // <-
""", {}),
    ("division", "by a template's constant", r"""
template <int size> __device__ int row(int i) { return i / size; }  // <-
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = row<0>(n); }
""", {}),
    ("never_written", "a class whose constructor leaves a member out", r"""
struct range {
  int begin, end, step;
  __device__ range(int n) : begin(0), end(n) {}
  __device__ int size() const { return (end - begin) * step; }  // <-
};
extern "C" __global__ void k(float* x, float* y, int n) { range r(n); y[threadIdx.x] = r.size(); }
""", {}),
]  # fmt: skip

NAN = [
    ("the logarithm of what is negative", r"""
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = logf(x[threadIdx.x] - 3); }  // <-
"""),
    ("0 / 0", r"""
extern "C" __global__ void k(float* x, float* y, int n) { float sum = x[0]; y[threadIdx.x] = x[0] / sum; }  // <-
"""),
    ("a softmax without its maximum", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float e = expf(x[threadIdx.x] * 3);  // <-
  y[threadIdx.x] = e;
}"""),
    ("a product beyond the type", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float f = 1;
  for (int i = 0; i < 40; ++i) f *= 10;  // <-
  y[threadIdx.x] = f;
}"""),
    ("a root in a device function", r"""
__device__ double distance(double a) { return sqrt(1 - a); }  // <-
extern "C" __global__ void k(float* x, float* y, int n) { y[threadIdx.x] = (float)distance(x[threadIdx.x]); }
"""),
    ("a double that is no float", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  double big = 1e30;
  big *= 1e20;
  y[threadIdx.x] = (float)big;  // <-
}"""),
    ("a sum by atomics that becomes infinite", r"""
extern "C" __global__ void k(float* x, float* y, int n) { atomicAdd(y, 1e37f); }  // <-
"""),
    ("the reciprocal of a difference", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  float d = x[threadIdx.x] - x[5];
  y[threadIdx.x] = d * (1.0f / (d * d));  // <-
}"""),
]  # fmt: skip


@pytest.mark.parametrize("kind, name, text, options", WRONG, ids=[f"{kind}: {name}" for kind, name, *_ in WRONG])
def test_mistakes_are_found(kind, name, text, options):
    is_found(run_text(text, **options), kind, text)


@pytest.mark.parametrize("name, text", NAN, ids=[name for name, _ in NAN])
def test_numbers_that_become_nan_or_infinite(name, text):
    assert not kinds(run_text(text)) & {"not_finite"}
    is_found(run_text(text, nan=True), "not_finite", text)


def test_what_is_no_number_already_is_not_made_again():
    text = r"""
extern "C" __global__ void k(const float* x, float* y, int n) {
  float v = x[threadIdx.x];
  y[threadIdx.x] = sqrtf(v) * 2 + v / 3;
}"""
    given = np.array([np.nan, np.inf] * 32, np.float32)
    report = run_text(text, nan=True, values=lambda x, y: (qn.array(given), y, np.int32(N)))
    assert not len(report), f"{report}"


# ---- memory that is freed between two launches. Each kernel gets its address as a number.

FREED = {
    "written": r"""
extern "C" __global__ void k(float* p, float* out) { p[threadIdx.x] = out[threadIdx.x]; }  // <-
""",
    "by an atomic": r"""
extern "C" __global__ void k(float* p, float* out) { atomicAdd(p + 3, out[threadIdx.x]); }  // <-
""",
    "four floats at once": r"""
extern "C" __global__ void k(float4* p, float* out) {
  if (threadIdx.x < 16) { float4 v = p[threadIdx.x]; out[threadIdx.x] = v.x + v.w; }  // <-
}""",
    "a field": r"""
struct node { int key; float value; };
extern "C" __global__ void k(node* p, float* out) { if (threadIdx.x < 32) out[threadIdx.x] = p[threadIdx.x].value; }  // <-
""",
    "into shared memory": r"""
extern "C" __global__ void k(const float* p, float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = p[threadIdx.x];  // <-
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}""",
    "in a function": r"""
__device__ float last(const float* p, int n) { return p[n - 1]; }  // <-
extern "C" __global__ void k(const float* p, float* out) { out[threadIdx.x] = last(p, 64); }
""",
}


@pytest.mark.parametrize("name", FREED)
def test_memory_that_was_freed(name):
    from quern.pycuda import driver as drv

    out = qn.zeros(N, dtype="float32")
    with qn.check() as report:
        kernel = qn.RawKernel(FREED[name], "k")
        memory = drv.mem_alloc(4 * N)
        drv.memset_d32(memory, 0, N)
        address = np.uint64(int(memory))
        kernel((1,), (N,), (address, out))
        qn.synchronize()
        memory.free()
        kernel((1,), (N,), (address, out))
        qn.synchronize()
    found = [one for one in report if one.kind == "after_release"]
    assert kinds(report) == {"after_release"} and line_of_mistake(FREED[name]) == found[0].access["line"], f"{report}"
    assert os.path.basename(found[0].allocated).startswith("test_check_wrong.py:")
