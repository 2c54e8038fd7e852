"""Shuffles and votes under `quern check`: lanes that take no part, that meet elsewhere, and what such operations do not order."""

import pytest
from checked import ZEROS, is_found, run_text

pytestmark = pytest.mark.usefixtures("on_the_cpu")

# (kind, what it is, text, how it is launched); the line with the mistake ends in "// <-"
WRONG = [
    ("race", "a shuffle as a barrier", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[32];
  s[t] = x[t];
  float v = __shfl_xor_sync(0xffffffff, x[t], 1);
  y[t] = s[t ^ 1] + v;  // <-
}""", {"block": 32}),
    ("race", "a vote as a barrier", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  __shared__ float s[32];
  s[t] = x[t];
  unsigned v = __ballot_sync(0xffffffff, t & 1);
  y[t] = s[t ^ 1] + v;  // <-
}""", {"block": 32}),
    ("barrier_missing", "a barrier of the block, and a shuffle", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t < 31)
    __syncthreads();
  else
    y[t] = __shfl_sync(0xffffffff, x[t], 0);  // <-
}""", {"block": 32}),
    ("barrier_missing", "as many barriers as the lane says", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  for (int k = 0; k < t % 3; ++k) __syncwarp();  // <-
  __syncthreads();
}""", {"block": 32}),
    ("barrier_places", "a shuffle and a vote with one mask", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t < 16)
    y[t] = __shfl_sync(0xffffffff, x[t], 0);
  else
    y[t] = __ballot_sync(0xffffffff, 1);  // <-
}""", {"block": 32}),
    ("barrier_missing", "a lane that has left", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t >= 20) return;
  y[t] = __shfl_down_sync(0xffffffff, x[t], 16);  // <-
}""", {"block": 32}),
    ("barrier_missing", "lanes that a short warp lacks", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float v = x[t];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);  // <-
  if (t % 32 == 0) y[t] = v;
}""", {"block": 40}),
    ("barrier_missing", "a lane that the mask does not name", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t < 8) y[t] = __shfl_sync(0xff, x[t], 12);  // <-
}""", {"block": 32}),
]  # fmt: skip

RIGHT = [
    ("places by a vote", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  bool keep = ((int)x[t]) % 3 == 0;
  unsigned m = __ballot_sync(0xffffffff, keep);
  int at = __popc(m & ((1u << (t & 31)) - 1));
  __shared__ int base[2];
  if ((t & 31) == 0) base[t / 32] = __popc(m);
  __syncthreads();
  if (keep) y[at + (t >= 32 ? base[0] : 0)] = x[t];
}""", {}),
    ("a sum over half of a warp", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t < 16) {
    float v = x[t];
    for (int d = 8; d; d /= 2) v += __shfl_down_sync(0xffff, v, d);
    if (t == 0) y[0] = v;
  }
}""", {"block": 32}),
    ("segments of eight", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float v = x[t];
  for (int d = 4; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d, 8);
  y[t] = v;
  y[t] += __shfl_sync(0xffffffff, v, 0, 8);
}""", {}),
    ("a neighbour that the last lane lacks", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float v = x[t];
  float o = __shfl_down_sync(0xffffffff, v, 1);
  if ((t & 31) < 31) v += o;
  y[t] = v;
}""", {}),
    ("a part of a warp with its own mask", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  unsigned m = __ballot_sync(0xffffffff, t < 20);
  if (t < 20) {
    float v = __shfl_sync(m, x[t], (t + 1) % 20);
    y[t] = v;
  }
}""", {"block": 32}),
    ("a short warp that asks which lanes there are", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  unsigned m = __activemask();
  float v = x[t];
  for (int d = 16; d; d /= 2) {
    float o = __shfl_down_sync(m, v, d);
    if ((t & 31) + d < 8 || t < 32) v += o;
  }
  if (t % 32 == 0) y[t] = v;
}""", {"block": 40}),
    ("loops of other lengths before a shuffle", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  float s = 0;
  for (int k = 0; k < t; ++k) s += x[k];
  __syncwarp();
  y[t] = __shfl_xor_sync(0xffffffff, s, 1);
}""", {}),
    ("threads that come together", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t % 3 == 0) {
    auto g = cg::coalesced_threads();
    float v = x[t];
    for (int d = 1; d < g.size(); d *= 2) {
      float o = g.shfl_down(v, d);
      if (g.thread_rank() + d < g.size()) v += o;
    }
    if (g.thread_rank() == 0) y[t] = v;
  }
}""", {"block": 32}),
    ("tiles of four", r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  auto g = cg::tiled_partition<4>(cg::this_thread_block());
  __shared__ int s[64];
  s[t] = t;
  g.sync();
  int v = s[t ^ 3];
  g.sync();
  s[t] = v;
  g.sync();
  y[t] = s[t ^ 1];
}""", {}),
    ("a sum of cooperative groups", r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  auto w = cg::tiled_partition<32>(cg::this_thread_block());
  float v = cg::reduce(w, x[t], cg::plus<float>());
  if (w.thread_rank() == 0) y[t / 32] = v;
}""", {}),
    ("one atomic for equal lanes", r"""
extern "C" __global__ void k(float* x, float* y, int n) {
  int t = threadIdx.x;
  unsigned m = __match_any_sync(0xffffffff, t & 3);
  int leader = __ffs(m) - 1;
  if ((t & 31) == leader) atomicAdd((int*)y + (t & 3), __popc(m));
}""", {"values": ZEROS}),
]  # fmt: skip


@pytest.mark.parametrize("kind, name, text, options", WRONG, ids=[f"{kind}: {name}" for kind, name, *_ in WRONG])
def test_mistakes_are_found(kind, name, text, options):
    is_found(run_text(text, **options), kind, text)


@pytest.mark.parametrize("name, text, options", RIGHT, ids=[name for name, *_ in RIGHT])
def test_right_kernels(name, text, options):
    report = run_text(text, **options)
    assert not len(report), f"{report}"


def test_what_is_said_of_a_lane_that_is_not_there():
    text = next(text for _, name, text, _ in WRONG if name == "a lane that has left")
    (found,) = run_text(text, block=32)
    assert found.title == "a shuffle takes the value of lane 20, which takes no part in it" and found.count == 12
    assert "thread (4,0,0) of block (0,0,0) uses what came of it" in str(found) and "if (lane + d < count)" in found.advice
