"""What orders threads under `quern check`: fences with flags, tickets and locks, barriers of blocks, warps and the grid."""

import numpy as np
import pytest
import quern as qn
from checked import INTS, ZEROS, N, is_found, run_text

pytestmark = pytest.mark.usefixtures("on_the_cpu")
COUNTS = lambda x, y: (qn.zeros(N, dtype="float32"), y, np.int32(N))  # noqa: E731

# (kind, what it is, text, how it is launched); the line with the mistake ends in "// <-"
WRONG = [
    ("race", "two buffers, and a barrier in every other round", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float b[2][64];
  for (int k = 0; k < 4; ++k) {
    b[k & 1][t] = x[t] + k;  // <-
    if (k & 1) __syncthreads();
    y[t] += b[k & 1][63 - t];
  }
}""", {}),
    ("race", "a transposition in place", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int c = threadIdx.x, r = threadIdx.y;
  __shared__ float s[8][8];
  s[r][c] = x[r * 8 + c];
  __syncthreads();
  s[c][r] = s[r][c];  // <-
  __syncthreads();
  y[r * 8 + c] = s[r][c];
}""", {"block": (8, 8)}),
    ("race", "a warp that is taken to run in step", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[32];
  s[t] = x[t];
  __syncwarp();
  for (int d = 16; d; d >>= 1)
    if (t < d) s[t] += s[t + d];  // <-
  y[t] = s[0];
}""", {"block": 32}),
    ("race", "a warp's rounds with one barrier instead of two", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[32];
  s[t] = x[t];
  __syncwarp();
  for (int d = 16; d; d >>= 1) {
    float v = s[t ^ d];  // <-
    s[t] += v;
    __syncwarp();
  }
  y[t] = s[t];
}""", {"block": 32}),
    ("race", "halves of a warp with masks of their own", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[32];
  s[t] = x[t];
  if (t < 16)
    __syncwarp(0xffff);
  else
    __syncwarp(0xffff0000);
  y[t] = s[31 - t];  // <-
}""", {"block": 32}),
    ("race", "bits that all threads set", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ unsigned m;
  if (t == 0) m = 0;
  __syncthreads();
  m |= 1u << (t & 31);  // <-
  __syncthreads();
  y[t] = m;
}""", {}),
    ("race", "an int over bytes of other threads", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ __align__(4) unsigned char s[64];
  s[t] = t;  // <-
  if (t < 16) y[t] = ((int*)s)[t];
}""", {}),
    ("race", "two buffers whose last turn has no barrier", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float a[64], b[64];
  float *p = a, *q = b;
  p[t] = x[t];
  for (int k = 0; k < 3; ++k) {
    __syncthreads();
    q[t] = p[(t + 1) & 63];  // <-
    float* z = p;
    p = q;
    q = z;
  }
  y[t] = p[63 - t];
}""", {}),
    ("race", "a value of the block that its threads do not wait for", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(y, blockDim.x);
  x[base + threadIdx.x] = 1;  // <-
}""", {"values": INTS, "block": 32}),
    ("race", "a fence of one thread, others wrote without a barrier", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ bool last;
  y[blockIdx.x * 16 + threadIdx.x] = 1 + threadIdx.x;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd((int*)x, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float s = 0;
    for (int k = 0; k < n; ++k) s += y[k];  // <-
    x[1 + threadIdx.x] = s;
  }
}""", {"block": 16, "grid": 4, "values": COUNTS}),
    ("race", "a flag without a fence", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (blockIdx.x == 0) {
    x[5] = 1;
    atomicExch((int*)y, 1);
  } else {
    while (atomicAdd((int*)y, 0) == 0) {
    }
    y[9] = x[5];  // <-
  }
}""", {"block": 1, "grid": 2, "values": ZEROS}),
    ("race", "a fence behind the flag", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (blockIdx.x == 0) {
    x[5] = 1;
    atomicExch((int*)y, 1);
    __threadfence();
  } else {
    while (atomicAdd((int*)y, 0) == 0) {
    }
    y[9] = x[5];  // <-
  }
}""", {"block": 1, "grid": 2, "values": ZEROS}),
    ("race", "a fence before the write", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (blockIdx.x == 0) {
    __threadfence();
    x[5] = 1;
    atomicExch((int*)y, 1);
  } else {
    while (atomicAdd((int*)y, 0) == 0) {
    }
    y[9] = x[5];  // <-
  }
}""", {"block": 1, "grid": 2, "values": ZEROS}),
    ("race", "a fence of the block, for another block", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (blockIdx.x == 0) {
    x[5] = 1;
    __threadfence_block();
    atomicExch((int*)y, 1);
  } else {
    while (atomicAdd((int*)y, 0) == 0) {
    }
    y[9] = x[5];  // <-
  }
}""", {"block": 1, "grid": 2, "values": ZEROS}),
    ("race", "one thread polls, the others do not wait for it", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      x[5] = 1;
      __threadfence();
      atomicExch((int*)y, 1);
    }
  } else {
    if (threadIdx.x == 0)
      while (atomicAdd((int*)y, 0) == 0) {
      }
    y[9 + threadIdx.x] = x[5];  // <-
  }
}""", {"block": 4, "grid": 2, "values": ZEROS}),
    ("race", "a fence and a barrier of the block, for neighbours in other blocks", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;  // <-
  __threadfence();
  __syncthreads();
  y[i] = x[(i + 16) % n];
}""", {"block": 16, "grid": 4}),
    ("race", "an unlock without a lock", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x == 0) {
    x[0] += 1;  // <-
    __threadfence();
    atomicExch((int*)y, 0);
  }
}""", {"block": 32, "grid": 4, "values": ZEROS}),
    ("race", "a write behind the lock", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS((int*)y, 0, 1)) {
    }
    __threadfence();
    x[0] += 1;
    __threadfence();
    atomicExch((int*)y, 0);
    x[1] += 1;  // <-
  }
}""", {"block": 32, "grid": 4, "values": ZEROS}),
    ("race", "a plain store that unlocks", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS((int*)y, 0, 1)) {  // <-
    }
    __threadfence();
    x[0] += 1;
    __threadfence();
    *(int*)y = 0;
  }
}""", {"block": 32, "grid": 2, "values": ZEROS}),
    ("race", "the last element of the block before", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i;
  if (threadIdx.x == 0 && blockIdx.x > 0) x[i] = y[i - 1];  // <-
}""", {"block": 16, "grid": 4}),
    ("race", "an atomic and a plain write", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&y[0], 1.f);  // <-
  if (i == 40) y[0] = 0;
}""", {"block": 16, "grid": 4}),
    ("race", "a grid barrier that is missing between rounds", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(float* x, float* y, int n) {
  auto g = cg::this_grid();
  int i = g.thread_rank();
  for (int k = 0; k < 3; ++k) {
    y[i] = x[(i + 1) % n];
    g.sync();
    x[i] = y[(i + 1) % n];  // <-
  }
}""", {"block": 16, "grid": 4, "cooperative": True}),
    ("race", "a volatile write and a plain read", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile float* v = y;
  int t = threadIdx.x;
  if (t == 0)
    v[1] = 5;
  else
    x[t] = y[1];  // <-
}""", {}),
    ("race", "a variable of the device", r"""
__device__ float total;
extern "C" __global__ void k(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  total += x[i];  // <-
  y[i] = 0;
}""", {"block": 16, "grid": 2}),
    ("barrier_missing", "a grid barrier that one block leaves out", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(float* x, float* y, int n) {
  auto g = cg::this_grid();
  if (blockIdx.x == 0) g.sync();  // <-
  y[g.thread_rank()] = 1;
}""", {"block": 16, "grid": 2, "cooperative": True}),
    ("race", "a counter that is read behind its atomic", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  atomicAdd(y, 1);
  if (*y > 10) x[threadIdx.x] = 1;  // <-
}""", {"values": lambda x, y: (x, qn.zeros(N, dtype="int32"), np.int32(N))}),
]  # fmt: skip

RIGHT = [
    ("a sum whose last warp has barriers of its own", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ volatile float s[64];
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    s[t] = s[t] + s[t + 32];
    __syncwarp();
    for (int d = 16; d; d /= 2) {
      float v = s[t + d];
      __syncwarp();
      s[t] = s[t] + v;
      __syncwarp();
    }
  }
  if (t == 0) y[0] = s[0];
}""", {}),
    ("a butterfly with __syncwarp()", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[64];
  s[t] = x[t];
  __syncwarp();
  for (int d = 16; d; d /= 2) {
    float v = s[t ^ d];
    __syncwarp();
    s[t] += v;
    __syncwarp();
  }
  y[t] = s[t];
}""", {}),
    ("a volatile flag between blocks", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile int* f = (volatile int*)y;
  volatile float* v = x;
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) {
      v[3] = 9;
      __threadfence();
      f[0] = 1;
    }
  } else {
    if (threadIdx.x == 0)
      while (f[0] == 0) {
      }
    __syncthreads();
    y[8 + threadIdx.x] = v[3];
  }
}""", {"block": 4, "grid": 2, "values": ZEROS}),
    ("a flag, fences by all threads before the barrier", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile int* f = (volatile int*)y;
  if (blockIdx.x == 1) {
    x[threadIdx.x] = 9;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) f[0] = 1;
  } else {
    if (threadIdx.x == 0) {
      while (f[0] == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    y[8 + threadIdx.x] = x[3 - threadIdx.x];
  }
}""", {"block": 4, "grid": 2, "values": ZEROS}),
    ("a flag, a barrier, then a fence by one thread", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile int* f = (volatile int*)y;
  if (blockIdx.x == 1) {
    x[threadIdx.x] = 9;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      f[0] = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (f[0] == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    y[8 + threadIdx.x] = x[3 - threadIdx.x];
  }
}""", {"block": 4, "grid": 2, "values": ZEROS}),
    ("a chain of flags", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile int* f = (volatile int*)y;
  int b = blockIdx.x;
  if (b > 0) {
    while (f[b - 1] == 0) {
    }
    __threadfence();
  } else
    x[0] = 5;
  if (b == 3) y[20] = x[0];
  __threadfence();
  f[b] = 1;
}""", {"block": 1, "grid": 4, "values": ZEROS}),
    ("a chain of flags, with barriers of the blocks", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile int* f = (volatile int*)y;
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    if (b > 0) {
      while (f[b - 1] == 0) {
      }
      __threadfence();
    } else
      x[0] = 5;
  }
  __syncthreads();
  if (b == 3) y[20 + threadIdx.x] = x[0];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    f[b] = 1;
  }
}""", {"block": 8, "grid": 4, "values": ZEROS}),
    ("the last block of a sum", r"""
__device__ unsigned int done = 0;
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float s[16];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 16 + t];
  __syncthreads();
  for (int d = 8; d; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    y[blockIdx.x] = s[0];
    __threadfence();
    unsigned k = atomicInc(&done, gridDim.x);
    last = k == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float v = 0;
    for (int k = t; k < gridDim.x; k += 16) v += y[k];
    s[t] = v;
    __syncthreads();
    for (int d = 8; d; d /= 2) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
    if (t == 0) {
      y[32] = s[0];
      done = 0;
    }
  }
}""", {"block": 16, "grid": 4, "values": ZEROS}),
    ("a ticket behind fences of all threads", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ bool last;
  int t = threadIdx.x;
  y[blockIdx.x * 8 + t] = t;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd((int*)x, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    float s = 0;
    for (int k = 0; k < 32; ++k) s += y[k];
    x[8 + t] = s;
  }
}""", {"block": 8, "grid": 4, "values": COUNTS}),
    ("a ticket behind a barrier", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ bool last;
  int t = threadIdx.x;
  y[blockIdx.x * 8 + t] = t;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    last = atomicAdd((int*)x, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    __threadfence();
    float s = 0;
    for (int k = 0; k < 32; ++k) s += y[k];
    x[8 + t] = s;
  }
}""", {"block": 8, "grid": 4, "values": COUNTS}),
    ("a ticket for each thread", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  y[blockIdx.x * 8 + t] = t;
  __threadfence();
  unsigned k = atomicAdd((unsigned*)x, 1u);
  if (k == gridDim.x * blockDim.x - 1) {
    float s = 0;
    for (int k = 0; k < 32; ++k) s += y[k];
    x[8] = s;
  }
}""", {"block": 8, "grid": 4, "values": COUNTS}),
    ("a lock for each element", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  for (int done = 0; !done;) {
    if (atomicCAS((int*)y + (t & 3), 0, 1) == 0) {
      __threadfence();
      x[t & 3] += 1;
      __threadfence();
      atomicExch((int*)y + (t & 3), 0);
      done = 1;
    }
  }
}""", {"block": 32, "grid": 2, "values": ZEROS}),
    ("a lock around volatile data", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile float* v = x;
  if (threadIdx.x == 0) {
    while (atomicCAS((int*)y, 0, 1) != 0);
    v[0] = v[0] + 1;
    __threadfence();
    atomicExch((int*)y, 0);
  }
}""", {"block": 32, "grid": 4, "values": ZEROS}),
    ("a lock that a warp's leader takes", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  if ((threadIdx.x & 31) == 0) {
    while (atomicCAS((int*)y, 0, 1) != 0);
    __threadfence();
    x[0] += 1;
    x[1] = x[0] * 2;
    __threadfence();
    atomicExch((int*)y, 0);
  }
}""", {"block": 64, "grid": 2, "values": ZEROS}),
    ("a lock that a block takes", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t == 0) {
    while (atomicCAS((int*)y, 0, 1) != 0);
    __threadfence();
  }
  __syncthreads();
  x[t] += 1;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicExch((int*)y, 0);
  }
}""", {"block": 32, "grid": 3, "values": ZEROS}),
    ("a grid barrier of its own", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  x[blockIdx.x * 8 + t] = t;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicAdd((int*)y, 1);
    while (atomicAdd((int*)y, 0) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  y[8 + blockIdx.x * 8 + t] = x[(blockIdx.x * 8 + t + 8) % 32];
}""", {"block": 8, "grid": 4, "values": ZEROS}),
    ("a grid barrier of its own that polls a volatile counter", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  volatile int* c = (volatile int*)y;
  x[blockIdx.x * 8 + t] = t;
  __threadfence();
  __syncthreads();
  if (t == 0) {
    atomicAdd((int*)y, 1);
    while (*c < gridDim.x) {
    }
  }
  __syncthreads();
  y[8 + blockIdx.x * 8 + t] = x[(blockIdx.x * 8 + t + 8) % 32];
}""", {"block": 8, "grid": 4, "values": ZEROS}),
    ("a read of the block before", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  volatile int* st = (volatile int*)y;
  volatile float* pre = x + 32;
  int b = blockIdx.x;
  __shared__ float before;
  if (threadIdx.x == 0) {
    float own = 0;
    for (int k = 0; k < 8; ++k) own += x[b * 8 + k];
    float s = 0;
    if (b > 0) {
      while (st[b - 1] == 0) {
      }
      __threadfence();
      s = pre[b - 1];
    }
    pre[b] = s + own;
    __threadfence();
    st[b] = 1;
    before = s;
  }
  __syncthreads();
  if (threadIdx.x == 0) x[48 + b] = before;
}""", {"block": 8, "grid": 4, "values": ZEROS}),
    ("a grid barrier and two buffers", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(float* x, float* y, int n) {
  auto g = cg::this_grid();
  float *a = x, *b = y;
  int i = g.thread_rank();
  for (int k = 0; k < 4; ++k) {
    b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
    g.sync();
    float* c = a;
    a = b;
    b = c;
  }
}""", {"block": 16, "grid": 4, "cooperative": True}),
    ("a grid barrier in a function", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void meet() { cg::this_grid().sync(); }
extern "C" __global__ void k(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
  meet();
  y[i] = x[63 - i];
}""", {"block": 8, "grid": 8, "cooperative": True}),
    ("two buffers and one barrier", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float b[2][64];
  for (int k = 0; k < 5; ++k) {
    b[k & 1][t] = x[t] + k;
    __syncthreads();
    y[t] += b[k & 1][63 - t];
  }
}""", {}),
    ("three buffers that are filled ahead", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float b[3][32];
  b[0][t] = x[t];
  float s = 0;
  for (int k = 0; k < 6; ++k) {
    if (k < 5) b[(k + 1) % 3][t] = x[(t + k + 1) & 63];
    __syncthreads();
    s += b[k % 3][31 - t];
  }
  y[t] = s;
}""", {"block": 32}),
    ("shared memory with one type after the other", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  extern __shared__ int s[];
  float* f = (float*)s;
  s[t] = t;
  __syncthreads();
  int v = s[63 - t];
  __syncthreads();
  f[t] = v;
  __syncthreads();
  y[t] = f[t ^ 1];
}""", {"shared": 256}),
    ("a list whose head is exchanged", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  int* head = (int*)y;
  int* next = head + 1;
  int old = *(volatile int*)head, seen;
  do {
    seen = old;
    next[t] = seen;
    old = atomicCAS(head, seen, t);
  } while (old != seen);
}""", {"block": 32, "values": ZEROS}),
    ("sets that are joined by atomics", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  int* p = (int*)y;
  int a = threadIdx.x, b = (threadIdx.x + 1) % 32;
  while (a != b) {
    if (a < b) {
      int c = a;
      a = b;
      b = c;
    }
    int o = atomicMin(&p[a], b);
    if (o == a) break;
    a = o;
  }
}""", {"block": 32, "values": lambda x, y: (x, qn.arange(N, dtype="int32"), np.int32(N))}),
    ("memory that one thread asks for and all use", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  __shared__ float* p;
  int t = threadIdx.x;
  if (t == 0) p = (float*)malloc(4 * blockDim.x);
  __syncthreads();
  p[t] = x[t];
  __syncthreads();
  y[t] = p[blockDim.x - 1 - t];
  __syncthreads();
  if (t == 0) free(p);
}""", {"block": 16}),
    ("a warp that fills and one that takes", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[32];
  for (int k = 0; k < 2; ++k) {
    if (t < 32) s[t] = x[t + 32 * k];
    __syncthreads();
    if (t >= 32) y[t - 32 + 32 * k] = s[63 - t];
    __syncthreads();
  }
}""", {}),
    ("a flag in shared memory between warps", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ volatile int f;
  __shared__ volatile float d;
  if (t == 0) {
    f = 0;
  }
  __syncthreads();
  if (t == 0) {
    d = 5;
    __threadfence_block();
    f = 1;
  }
  if (t == 32) {
    while (f == 0) {
    }
    __threadfence_block();
    y[0] = d;
  }
}""", {}),
    ("cuda::atomic_ref, released and acquired", r"""
#include <cuda/atomic>
extern "C" __global__ void k(float* x, float* y, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(((int*)y)[0]);
  if (blockIdx.x == 0) {
    x[3] = 7;
    a.store(1, cuda::std::memory_order_release);
  } else {
    while (a.load(cuda::std::memory_order_acquire) == 0) {
    }
    y[5] = x[3];
  }
}""", {"values": ZEROS, "block": 1, "grid": 2}),
    ("a minimum that ends early where it is no lower", r"""
__device__ float lower(float* p, float v) {
  int *word = (int*)p, old = *word, seen;
  while (v < __int_as_float(old)) {
    seen = old;
    old = atomicCAS(word, seen, __float_as_int(v));
    if (old == seen) break;
  }
  return __int_as_float(old);
}
extern "C" __global__ void k(float* x, float* y, int n) { lower(y, x[threadIdx.x] - 5); }""", {}),
    ("a read before a maximum", r"""
extern "C" __global__ void k(int* x, int* y, int n) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (v > y[v % 4]) atomicMax(&y[v % 4], v);
}""", {"block": 16, "grid": 4, "values": INTS}),
    ("a read before a place is taken", r"""
extern "C" __global__ void k(float* x, int* y, int n) {
  int at = threadIdx.x % 7;
  if (y[at] == 0 && atomicExch(&y[at], 1) == 0) x[at] = 1;
}""", {"values": lambda x, y: (x, qn.zeros(N, dtype="int32"), np.int32(N))}),
]  # fmt: skip


@pytest.mark.parametrize("kind, name, text, options", WRONG, ids=[f"{kind}: {name}" for kind, name, *_ in WRONG])
def test_mistakes_are_found(kind, name, text, options):
    is_found(run_text(text, **options), kind, text)


@pytest.mark.parametrize("name, text, options", RIGHT, ids=[name for name, *_ in RIGHT])
def test_right_kernels(name, text, options):
    report = run_text(text, **options)
    assert not len(report), f"{report}"


TURNS = r"""
__device__ int next;
extern "C" __global__ void k(int* who) { who[atomicAdd(&next, 1)] = blockIdx.x * blockDim.x + threadIdx.x; }
extern "C" __global__ void behind(int* who) {
  __syncthreads();
  who[atomicAdd(&next, 1)] = blockIdx.x * blockDim.x + threadIdx.x;
}"""


@pytest.mark.parametrize("kernel", ["k", "behind"])
def test_the_order_of_turns_is_the_seeds(kernel):
    def turns(seed):
        who = qn.zeros(64, dtype="int32")
        with qn.check(seed=seed) as report:
            qn.RawModule(code=TURNS).get_function(kernel)((4,), (16,), (who,))
            order = who.get().tolist()
        assert len(report) == 0
        assert sorted(order) == list(range(64))
        return order

    assert turns(0) == list(range(64))
    assert turns(5) == turns(5) != turns(0)
    assert len({tuple(turns(seed)) for seed in range(1, 9)}) > 3
    with pytest.raises(ValueError, match="seed is -1"):
        qn.check(seed=-1)
