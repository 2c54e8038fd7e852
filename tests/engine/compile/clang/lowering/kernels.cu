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

// ---- loops of a thread's own

// run: grid=3 block=64 args=f1000,f1000,i1000 by=regions
// run: grid=3 block=50 args=f1000,f1000,i999 by=regions
extern "C" __global__ void grid_stride(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = 2 * x[i] + y[i];
}

// run: grid=3 block=64 args=f1000,f1000,i1000 by=regions
extern "C" __global__ void grid_stride_wide(const float* x, float* y, int n) {
  for (unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (x[i] < 0.3f) continue;
    y[i] = 2 * x[i] + y[i];
  }
}

// run: grid=3 block=64 args=f1000,f192,i1000 by=regions
extern "C" __global__ void grid_stride_sum(const float* x, float* y, int n) {
  float sum = 0, most = 0;
  int last = -1;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    sum += x[i];
    if (x[i] > most) { most = x[i]; last = i; }
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum + 10 * most + last;
}

// run: grid=3 block=64 args=f1000,f192,i1000 by=regions
extern "C" __global__ void grid_stride_break(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    sum += x[i];
    if (sum > 1.2f) break;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// run: grid=2,2 block=16,16 args=f1024,f1024,f1024,i29 by=regions
extern "C" __global__ void naive_matmul(const float* A, const float* B, float* C, int N) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < N && c < N) {
    float acc = 0;
    for (int k = 0; k < N; k++) acc += A[r * N + k] * B[k * N + c];
    C[r * N + c] = acc;
  }
}

// run: grid=2 block=128 args=f512,f512,f512,i200 by=regions
extern "C" __global__ void bodies(const float* x, const float* m, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = 0, b = 1;
  for (int j = 0; j < n; j++) {
    float d = x[j] - x[i];
    if (d < 0) d = -d * 0.5f;
    a += m[j] * d;
    float t = a;
    a = b;
    b = t;
  }
  o[i] = a - b;
}

// run: grid=2 block=64 args=f1000,f128,i10 by=regions
extern "C" __global__ void loop_under_condition(const float* x, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 1;
  if (x[t] > 0.5f) {
    for (int k = 0; k < n; k++) sum += x[t + k];
  } else {
    for (int k = 0; k < n * 2; k++) sum -= x[t + k];
  }
  y[t] = sum;
}

// run: grid=2 block=64 args=f1000,f128,i10 by=regions
extern "C" __global__ void nested_loops(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  float sum = 0;
  for (int a = 0; a < n; a++) {
    s[t] = x[g + a];
    __syncthreads();
    for (int b = 0; b < n; b++) sum += s[(t + b) & 63] * x[b];
    for (int b = 0; b < t; b += 7) sum -= s[b];
    __syncthreads();
  }
  y[g] = sum;
}

// run: grid=2 block=64 args=f1000,f128,i10 by=regions
extern "C" __global__ void do_while(const float* x, float* y, int n) {
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, k = n;
  float sum = 0;
  do {
    sum += x[g + k];
    k -= 3;
  } while (k > 0);
  y[g] = sum + k;
}

// run: grid=2 block=64 args=f1000,u128,i10 by=regions
extern "C" __global__ void switches(const float* x, int* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  s[t] = x[g];
  switch (n + blockIdx.x) {
    case 10: __syncthreads(); s[t ^ 1] = t; break;
    case 11: __syncthreads(); s[t ^ 2] = t * 2;
    case 12: __syncthreads(); s[t ^ 3] += t * 3; break;
    default: break;
  }
  __syncthreads();
  switch (y[g]) {
    case 1: y[g] = s[t] * 100; break;
    case 2: y[g] = s[t] * 200;
    case 5: y[g] += 7; break;
    default: y[g] = -1;
  }
}

// run: grid=2 block=96 args=f4000,f192,i700 by=both
// run: grid=2 block=32,3 args=f4000,f192,i700 by=both
extern "C" __global__ void shuffles_in_loop(const float* x, float* y, int n) {
  int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  float total = 0;
  for (int i = blockIdx.x * threads; i < n; i += gridDim.x * threads) {
    float v = i + t < n ? x[i + t] : 0;
    for (int d = 1; d < 32; d *= 2) {
      float u = __shfl_up_sync(~0u, v, d);
      if ((t & 31) >= d) v += u;
    }
    total += v * __shfl_sync(~0u, v, 31);
    __syncthreads();
  }
  y[blockIdx.x * threads + t] = total;
}

// run: grid=2 block=64 args=f4000,z128,i700 by=both
extern "C" __global__ void leaders(const float* x, int* y, int n) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  unsigned votes = __ballot_sync(~0u, x[blockIdx.x * 64 + t] > 0.5f);
  if ((t & 31) == 0) atomicAdd(&found, __builtin_popcount(votes));
  __syncthreads();
  int before = __builtin_popcount(votes & ((1u << (t & 31)) - 1));
  y[blockIdx.x * 64 + t] = found * 100 + before;
}

// run: grid=2 block=40,3,2 args=f4000,f1000,i3 by=regions
extern "C" __global__ void three_dimensions(const float* x, float* y, int n) {
  __shared__ float s[2][3][40];
  int g = ((blockIdx.x * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  s[threadIdx.z][threadIdx.y][threadIdx.x] = x[g];
  __syncthreads();
  float sum = 0;
  if (threadIdx.x > 0) sum += s[threadIdx.z][threadIdx.y][threadIdx.x - 1];
  if (threadIdx.x < blockDim.x - 1) sum += s[threadIdx.z][threadIdx.y][threadIdx.x + 1];
  if (threadIdx.y >= 1) sum += s[threadIdx.z][threadIdx.y - 1][threadIdx.x];
  if (threadIdx.z == 1) sum += s[0][threadIdx.y][threadIdx.x] * n;
  __syncthreads();
  if (threadIdx.x <= n && threadIdx.y != 1) y[g] = sum;
  if (threadIdx.x == 5 && threadIdx.z == 0) y[g] = -sum;
}

// run: grid=2 block=40 args=f4000,f1000,i80 by=regions
extern "C" __global__ void negative_bases(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x - 5;
  float v = 0;
  if (i >= 0 && i < n) v = x[i];
  unsigned j = blockIdx.x * blockDim.x + threadIdx.x - 7u;
  if (j < n) v += x[j] * 3;
  y[i + 5] = v;
  if (i > 10) y[i + 5] += x[i - 10];
}

__device__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
// run: grid=2 block=40 args=u80,u80,i80 by=regions
extern "C" __global__ void recursive(const int* x, int* y, int n) {
  __shared__ int s[40];
  s[threadIdx.x] = factorial(x[threadIdx.x] + 1);
  __syncthreads();
  y[blockIdx.x * 40 + threadIdx.x] = s[39 - threadIdx.x];
}

// run: grid=2 block=64 args=f128,f128,i128 by=regions
extern "C" __global__ void trapping(const float* x, float* y, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (x[i] < 0) __builtin_trap();
  s[threadIdx.x] = x[i];
  __syncthreads();
  for (int k = 0; k < 3; k++) {
    if (s[threadIdx.x] < 0) __builtin_trap();
    __syncthreads();
    s[threadIdx.x ^ 1] += 1;
    __syncthreads();
  }
  y[i] = s[threadIdx.x];
}

// run: grid=4 block=64 args=f512,z8,i512 by=regions
extern "C" __global__ void last_block(const float* x, int* y, int n) {
  __shared__ bool last;
  __shared__ int s[64];
  s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x] * 10;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int k = 0; k < 64; k++) sum += s[k];
    atomicAdd(&y[0], sum);
    __threadfence();
    last = atomicAdd(&y[1], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) y[2] = y[0] + 1;
}
