// Kernels for driver.cpp. Each `// run:` line launches the kernel below it by regions and by coroutines, which must agree.
//   args: f<n> float buffer, u<n> int buffer of small numbers, z<n> int buffer of zeros, i<n> an int
//   by: how Strategy::automatic must serve it (regions, both, coroutines)

// run: grid=5 block=256 args=f1200,f1200,f1200,i1200 by=regions
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// run: grid=5 block=100 args=f1200,f1200,i450 by=regions
extern "C" __global__ void early_out(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] * 2;
}

// run: grid=3,2 block=16,8 args=f4096,f4096,i45,i13 by=regions
extern "C" __global__ void image(const float* a, float* c, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  c[y * w + x] = a[y * w + x] + x - y;
}

// run: grid=4 block=256 args=f8192,f4,i8000 by=regions
// run: grid=4 block=64 args=f8192,f4,i1900 by=regions
extern "C" __global__ void reduce(const float* a, float* out, int n) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x * 8 + t, k = 0; k < 8; k++, i += blockDim.x) if (i < n) sum += a[i];
  s[t] = sum;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// run: grid=4 block=256 args=f8192,f4,i8000 by=both
// run: grid=4 block=48 args=f8192,f4,i1500 by=both
extern "C" __global__ void warp_reduce(const float* a, float* out, int n) {
  __shared__ float s[32];
  unsigned t = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x * 8 + t, k = 0; k < 8; k++, i += blockDim.x) if (i < n) v += a[i];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if ((t & 31) == 0) s[t >> 5] = v;
  __syncthreads();
  if (t < 32) {
    v = t < blockDim.x / 32 ? s[t] : 0.f;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}

#define T 16
// run: grid=3,3 block=16,16 args=f2304,f2304,f2304,i48 by=regions
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int N) {
  __shared__ float As[T][T], Bs[T][T];
  int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < N; k += T) {
    As[threadIdx.y][threadIdx.x] = A[r * N + k + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * N + c];
    __syncthreads();
    for (int j = 0; j < T; j++) acc += As[threadIdx.y][j] * Bs[j][threadIdx.x];
    __syncthreads();
  }
  C[r * N + c] = acc;
}

// run: grid=5 block=256 args=f1200,f1200,i1100 by=regions
// run: grid=7 block=256 args=f1800,f1800,i1100 by=regions
extern "C" __global__ void return_before_barrier(const float* a, float* o, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = a[i];
  __syncthreads();
  int other = threadIdx.x ^ 1;
  o[i] = (blockIdx.x * blockDim.x + other < n) ? s[other] : 0;
}

// run: grid=4 block=256 args=f2048,f1024,u1024 by=regions
extern "C" __global__ void return_on_data(const float* a, float* o, const int* stop) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = 1;
  __syncthreads();
  for (int k = 0; k < 6; k++) {
    if (stop[i] == k) { o[i] = -k; return; }
    float v = s[threadIdx.x];
    __syncthreads();
    s[threadIdx.x] = v + a[i + k];
    __syncthreads();
  }
  o[i] = s[threadIdx.x];
}

// run: grid=4 block=256 args=f2048,f1024,i7 by=regions
extern "C" __global__ void local_array(const float* a, float* o, int n) {
  __shared__ float s[256];
  float v[4];
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) v[(k + t) & 3] = a[t + k * blockDim.x];
  s[t] = v[t & 3];
  __syncthreads();
  for (int r = 0; r < 3; r++) {
    float x = s[(t + r * 7) % 256];
    __syncthreads();
    if (r != 1) {
      s[t] = x + v[(r + t) & 3];
      __syncthreads();
    }
    v[r] += x;
  }
  o[blockIdx.x * blockDim.x + t] = s[t] + v[0] + v[1] + v[2];
}

// run: grid=4 block=256 shared=1024 args=f2048,f1024,i7 by=regions
extern "C" __global__ void dynamic(const float* a, float* o, int n) {
  extern __shared__ float d[];
  int t = threadIdx.x;
  d[t] = a[t];
  __syncthreads();
  int k = n & 7;
  while (k > 0) {
    float x = d[(t + k) % blockDim.x];
    __syncthreads();
    d[t] += 0.5f * x;
    __syncthreads();
    k--;
  }
  o[blockIdx.x * blockDim.x + t] = d[t];
}

// run: grid=4 block=256 args=u4096,z64,i4000 by=regions
extern "C" __global__ void histogram(const int* a, int* o, int n) {
  __shared__ int h[64];
  int t = threadIdx.x;
  if (t < 64) h[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) atomicAdd(&h[a[i] & 63], 1);
  __syncthreads();
  if (t < 64) atomicAdd(&o[t], h[t]);
}

// run: grid=4 block=256 args=f1024,f1024,i1024 by=both
extern "C" __global__ void scan(const float* a, float* o, int n) {
  int t = threadIdx.x, l = t & 31;
  float v = a[blockIdx.x * blockDim.x + t];
  for (int d = 1; d < 32; d *= 2) {
    float u = __shfl_up_sync(~0u, v, d);
    if (l >= d) v += u;
  }
  unsigned b = __ballot_sync(~0u, v > 8.f);
  o[blockIdx.x * blockDim.x + t] = v + __builtin_popcount(b);
}

// run: grid=4 block=256 args=f1024,f1024,i7 by=regions
// run: grid=4 block=256 args=f1024,f1024,i3 by=regions
extern "C" __global__ void uniform_branches(const float* a, float* o, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = a[t];
  if (n > 5) {
    __syncthreads();
    s[t] = s[255 - t] * 0.f + a[255 - t];
    if (blockIdx.x & 1) {
      __syncthreads();
    } else {
      float q = s[t];
      __syncthreads();
      s[t] = q * 2;
    }
  }
  __syncthreads();
  o[blockIdx.x * blockDim.x + t] = s[(t + 3) & 255];
}

// run: grid=4 block=256 args=f1024,f1024,i100 by=regions
extern "C" __global__ void until_done(const float* a, float* o, int n) {
  __shared__ int changed;
  __shared__ float s[256];
  int t = threadIdx.x, rounds = 0;
  s[t] = a[blockIdx.x * 256 + t] * n;
  do {
    __syncthreads();
    if (t == 0) changed = 0;
    __syncthreads();
    if (s[t] > 1) { s[t] *= 0.5f; changed = 1; }
    rounds++;
    __syncthreads();
  } while (changed);
  o[blockIdx.x * 256 + t] = s[t] + rounds;
}

// run: grid=4 block=256 args=f1024,z1024,i0 by=regions
extern "C" __global__ void counts(const float* a, int* o, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  int c = __syncthreads_count(a[i] > 0.5f);
  if (c > 10) o[i] = __syncthreads_count(a[i] > 0.7f) + c;
}

// run: grid=3 block=128 args=f12800,f128,i100,i41 by=both
// run: grid=2,1 block=32,4 args=f12800,f128,i100,i41 by=both
extern "C" __global__ void row_for_each_warp(const float* a, float* o, int rows, int columns) {
  int warps = blockDim.x * blockDim.y / 32 * gridDim.x;
  int warp = (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x) / 32, l = threadIdx.x % 32;
  for (int r = warp; r < rows; r += warps) {
    float sum = 0;
    for (int c = l; c < columns; c += 32) sum += a[r * columns + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (l == 0) o[r] = sum;
  }
}

// run: grid=2 block=256 args=f1024,f512,i0 by=both
extern "C" __global__ void half_warp(const float* a, float* o, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = a[i];
  if ((t & 31) < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0xffffu, v, d);
  } else {
    v = v * 2 - 1;
  }
  o[i] = v;
}

// run: grid=2 block=256 args=f1024,f512,i0 by=both
extern "C" __global__ void by_warp(const float* a, float* o, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, w = t / 32;
  float v = a[i];
  if (w == 0) {
    v += __shfl_down_sync(~0u, v, 3);
  } else if (w < 4) {
    v *= __shfl_up_sync(~0u, v, 2);
    if (w == 2) v -= __shfl_xor_sync(~0u, v, 1);
  } else {
    while (__any_sync(~0u, v < 40.f)) v = v * 1.5f + 1;
  }
  __syncthreads();
  o[i] = v;
}

// run: grid=2 block=256 args=f1024,f512,i300 by=both
extern "C" __global__ void warps_that_leave(const float* a, float* o, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  s[t] = a[i];
  __syncthreads();
  float v = s[t];
  unsigned mask = __ballot_sync(~0u, 1);
  if (t < 64) v += __shfl_xor_sync(mask, v, 1);
  o[i] = v;
}

// run: grid=2 block=64 args=f1024,f128,i0 by=coroutines
extern "C" __global__ void different_barriers(const float* a, float* o, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = a[t];
    __syncthreads();
    o[blockIdx.x * 64 + t] = s[t + 32];
  } else {
    s[t] = a[t] * 3;
    __syncthreads();
    o[blockIdx.x * 64 + t] = s[t - 32];
  }
}

// run: grid=2 block=256 args=f1024,f512,i300 by=regions
extern "C" __global__ void uneven_loop(const float* a, float* o, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = t; i < n; i += blockDim.x) {
    s[t] += a[i];
    __syncthreads();
  }
  o[blockIdx.x * 256 + t] = s[t];
}

struct Pair { float x, y; };
// run: grid=2 block=64 args=f1024,f512,i300 by=regions
extern "C" __global__ void addressed(const float* a, float* o, int n) {
  __shared__ float s[64];
  Pair p{a[threadIdx.x], 1}, q{2, a[threadIdx.x + 1]};
  Pair* which = (threadIdx.x % 3) ? &p : &q;
  s[threadIdx.x] = which->x;
  __syncthreads();
  which->y += s[threadIdx.x ^ 3];
  __syncthreads();
  o[blockIdx.x * 64 + threadIdx.x] = p.x + p.y * 10 + q.x * 100 + q.y * 1000;
}

// run: grid=4 block=256 args=f8192,f4,i1024 by=both
extern "C" __global__ void old_reduce(const float* a, float* out, int n) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = a[blockIdx.x * blockDim.x + t];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile float* v = s;
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// run: grid=4 block=64 args=z4,f256,z256 by=coroutines
extern "C" __global__ void lock(int* mutex, const float* a, int* o) {
  while (atomicCAS(&mutex[0], 0, 1) != 0) {}
  __threadfence();
  mutex[1] = mutex[1] + 1;
  __threadfence();
  atomicExch(&mutex[0], 0);
}

// run: grid=4 block=64 args=z8,f256,z256 by=coroutines
extern "C" __global__ void blocks_in_turn(volatile int* turn, const float* a, int* o) {
  if (threadIdx.x == 0) {
    while (turn[0] != (int)(gridDim.x - 1 - blockIdx.x)) {}
    turn[1] = turn[1] * 3 + blockIdx.x;
    __threadfence();
    turn[0] = turn[0] + 1;
  }
  __syncthreads();
  o[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}

// run: grid=4 block=64 args=f256,f256,i0 by=coroutines
extern "C" __global__ void grid_sync(const float* a, float* o, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  o[i] = a[i] * 2;
  __quern_grid_barrier();
  float v = o[255 - i];
  __quern_grid_barrier();
  o[i] += v;
}

DEVICE float atomic_max(float* p, float v) {
  int* q = (int*)p;
  int old = *q, assumed;
  do {
    assumed = old;
    old = atomicCAS(q, assumed, __builtin_bit_cast(int, __builtin_bit_cast(float, assumed) > v ? __builtin_bit_cast(float, assumed) : v));
  } while (assumed != old);
  return __builtin_bit_cast(float, old);
}
// run: grid=4 block=64 args=f256,z4,i0 by=regions
extern "C" __global__ void maximum(const float* a, float* o, int n) { atomic_max(&o[0], a[blockIdx.x * 64 + threadIdx.x]); }

// run: grid=1 block=64 args=u256,z256,i5 by=regions
extern "C" __global__ void edges(const int* a, int* o, int n) {
  int t = threadIdx.x, d = a[t], s = a[t] * 12;
  o[t] = n / d + (-2147483647 - 1) / (d - 4) + n % (d - 3);
  o[t + 64] = (1 << s) + (n >> s) + ((unsigned)(n * 1000) >> s);
  o[t + 128] = (int)(a[t + 1] * 1e9f) + (int)(unsigned char)(a[t] * 100.f) + (int)(-3e9f * d);
}
