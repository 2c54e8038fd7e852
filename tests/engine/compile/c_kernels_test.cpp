// Which kernels a source declares extern "C", and what is known of their types.
#include "compile/c_kernels.h"

#include <gtest/gtest.h>

namespace {

using namespace quern;
using Names = std::vector<std::string>;

TEST(CKernels, AreFoundInTexts) {
  EXPECT_EQ(c_kernels("extern \"C\" __global__ void scale(float* x, int n) {}"), Names{"scale"});
  EXPECT_EQ(c_kernels("__global__ void scale(float* x) {}"), Names{});
  EXPECT_EQ(c_kernels("extern \"C\"\n__launch_bounds__(256, 2) __global__ static void\nf (int) {}"), Names{"f"});
  EXPECT_EQ(c_kernels("extern \"C\" __global__ void __launch_bounds__(8 * (2 + 1)) f(int a, void (*g)(int)) {}"), Names{"f"});
  EXPECT_EQ(c_kernels("extern \"C\" { __device__ int h() { return 1; } __global__ void f(int) { { } } __global__ void g() {} }\n"
                      "__global__ void other() {}"),
            (Names{"f", "g"}));
  EXPECT_EQ(
      c_kernels(
          "extern \"C\" {\n#define __global__ x\n// __global__ void a();\n/* __global__ void b(); */ __global__ void c();\n}"),
      Names{"c"});
  EXPECT_EQ(c_kernels("extern \"C\" __global__ void f(int); template <class T> __global__ void t(T) {} extern \"C\" __global__ "
                      "void f(int) {}"),
            Names{"f"});
  EXPECT_EQ(c_kernels("const char* s = \"extern \\\"C\\\" __global__ void f()\"; __global__ void g() {}"), Names{});
  for (const char* half : {"extern \"C\" __global__", "extern \"C\" __global__ void f", "extern \"C",
                           "extern \"C\" { __global__ void __x((", "/* \"C\" __global__"})
    EXPECT_LE(c_kernels(half).size(), 1u) << half;
}

TEST(CKernels, TypesAreTold) {
  EXPECT_EQ(type_told("_Z13__quern_typesIPFvPffiEEvT_"), "Pffi");
  EXPECT_EQ(type_told("_Z13__quern_typesIPFvPKfS1_PfiEEvT_"), "PKfPKfPfi");
  EXPECT_EQ(type_told("_Z13__quern_typesIPFvvEEvT_"), "v");
  EXPECT_EQ(type_told("_Z5scalePf"), "");
  EXPECT_TRUE(is_of_type_request("_Z13__quern_typesIPFvvEEvT_"));
  EXPECT_FALSE(is_of_type_request("scale"));
}

}  // namespace
