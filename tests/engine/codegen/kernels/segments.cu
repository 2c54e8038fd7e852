#define QUERN_NO_SHORT_FLOATS
#include "quern/array.cuh"
using namespace quern;
typedef int I;

struct Segment {
  const float* a0;
  const float* a1;
  float* o0;
  float c0;
  I n0;
};
struct Segments {
  unsigned first[64];
  Segment segments[64];
};

extern "C" __global__ void group(const Segments all) {
  int at = 0;
  at += blockIdx.x >= all.first[at + 32] ? 32 : 0;
  at += blockIdx.x >= all.first[at + 16] ? 16 : 0;
  at += blockIdx.x >= all.first[at + 8] ? 8 : 0;
  at += blockIdx.x >= all.first[at + 4] ? 4 : 0;
  at += blockIdx.x >= all.first[at + 2] ? 2 : 0;
  at += blockIdx.x >= all.first[at + 1] ? 1 : 0;
  const unsigned block = blockIdx.x - all.first[at];
  const float* a0 = all.segments[at].a0;
  const float* a1 = all.segments[at].a1;
  float* o0 = all.segments[at].o0;
  float c0 = all.segments[at].c0;
  I n0 = all.segments[at].n0;
  const I i0 = (I)block * blockDim.x + threadIdx.x;
  if (i0 >= n0) return;
  const float k0 = c0;
  const float x0 = a0[i0];
  const float x1 = a1[i0];
  float v0;
  { const float a = x0; const float b = k0; v0 = op::multiply(a, b); }
  float v1;
  { const float a = v0; const float b = x1; v1 = op::add(a, b); }
  o0[i0] = v1;
}
