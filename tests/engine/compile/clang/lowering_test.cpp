// Kernels that the lowering to loops, or the code generator behind it, once took apart wrongly. fuzz_lowering finds such kernels.
#include <gtest/gtest.h>

#include "plugin_runner.h"

using namespace quern_test;

namespace {

// "(q & <1, 0, 0, 0>) ^ 1" summed up, where q is a quotient: LLVM 19 took the sum for undefined.
TEST(Lowering, SumsOfMaskedQuotients) {
  Module module(R"(
#define KERNEL(name, sum)                                                   \
  extern "C" __global__ void name(unsigned* out) {                          \
    unsigned t = threadIdx.x, b = blockIdx.x, v = out[t];                   \
    if ((t >> 5) & 1u) v = __ballot_sync(~0u, (int)t & 1);                  \
    v = sum;                                                                \
    out[b * blockDim.x + t] = v;                                            \
  }
#define BIT (((t / ((b * 7 + 1) | 1u)) << (t & 31u)) & 1u)
KERNEL(count, __syncthreads_count(!BIT))
KERNEL(none, __syncthreads_and(!BIT))
KERNEL(any, __syncthreads_or(!BIT))
KERNEL(all, __syncthreads_and(BIT))
)");
  for (auto [name, expected] : {std::pair{"count", 32u}, {"none", 1u}, {"any", 1u}, {"all", 0u}}) {
    std::vector<unsigned> out(96, 7u);
    module.launch(name, {3}, {32}, 0, out.data());
    for (unsigned value : out) ASSERT_EQ(value, expected) << name;
  }
}

// Several cases of a switch go to one block, where values of each thread meet: the compiler crashed.
TEST(Lowering, CasesThatMeet) {
  const char* const ways[] = {"if (b < 7) if (b < 2) {} else WORK", "switch (b) { case 0: case 3: case 5: break; default: WORK }",
                              "switch (b) { case 1: case 2: WORK break; case 6: return; }"};
  for (const char* way : ways) {
    std::string kernel = R"(
#define WORK { v = t % 3 ? in[63 - t] : v * t; __syncthreads(); }
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[64];
  unsigned t = threadIdx.x, b = blockIdx.x & 7u, v = in[t];
  s[t] = t * 3;
  __syncthreads();
  )" + std::string(way) + R"(
  __syncthreads();
  out[blockIdx.x * 64 + t] = v + s[63 - t];
})";
    Module module(kernel);
    std::vector<unsigned> in(64), out(8 * 64, 7u);
    for (unsigned i = 0; i < 64; ++i) in[i] = i * i + 1;
    module.launch("k", {8}, {64}, 0, in.data(), out.data());
    for (unsigned b = 0; b < 8; ++b) {
      bool works = way == ways[0] ? b >= 2 && b < 7 : way == ways[1] ? b != 0 && b != 3 && b != 5 : b == 1 || b == 2;
      for (unsigned t = 0; t < 64; ++t) {
        unsigned v = !works ? in[t] : t % 3 ? in[63 - t] : in[t] * t;
        bool left = way == ways[2] && b == 6;
        ASSERT_EQ(out[b * 64 + t], left ? 7u : v + (63 - t) * 3) << way << " block " << b << " thread " << t;
      }
    }
  }
}

}  // namespace
