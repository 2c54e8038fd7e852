#include "compile/nvrtc_shortcuts.h"

#include <gtest/gtest.h>

namespace quern {
namespace {

TEST(NvrtcShortcuts, TextsThatNeedNoRuntime) {
  EXPECT_TRUE(is_minimal(""));
  EXPECT_TRUE(is_minimal("#include \"quern/python.cuh\"\n#line 3 \"/home/me/cuda/textures.py\"\n__global__ void k() {}"));
  EXPECT_FALSE(is_minimal("#line 3 \"/home/me/k.py\"\n__global__ void k(cudaTextureObject_t t) {}"));
  EXPECT_FALSE(is_minimal("__global__ void k(float* x) { x[0] = tex1Dfetch<float>(0, 1); }"));
  EXPECT_FALSE(is_minimal("__global__ void k(int s) { surf1Dwrite(1, s, 0); }"));
  EXPECT_FALSE(is_minimal("__global__ void inner() {} __global__ void k() { inner<<<1, 1>>>(); }"));
  EXPECT_FALSE(is_minimal("#include <cub/block/block_reduce.cuh>\n"));
}

TEST(NvrtcShortcuts, Heads) {
  EXPECT_EQ(head_of(""), "");
  EXPECT_EQ(head_of("int x;\n#include \"a.h\"\n"), "");
  EXPECT_EQ(head_of("#include \"a.h\"\nint x;"), "#include \"a.h\"");
  EXPECT_EQ(head_of("// one\n/* two\n */ #define A \\\n 1\n#include <b>\n\n  int x;\n#include <c>"),
            "// one\n/* two\n */ #define A \\\n 1\n#include <b>");
  EXPECT_EQ(head_of("#include <a>"), "#include <a>");
  EXPECT_EQ(head_of("#include <a>\n/* without an end"), "#include <a>");
}

TEST(NvrtcShortcuts, HeadsThatReturn) {
  Heads heads;
  const std::vector<std::string> words = {"--std=c++17"};
  EXPECT_FALSE(heads.returns("#include \"a.h\"\nint x;", words));
  EXPECT_FALSE(heads.returns("#include \"a.h\"\nint y;", words));
  EXPECT_FALSE(heads.returns("#include \"a.h\"\nint y;", {"--std=c++14"}));
  EXPECT_FALSE(heads.returns("#include \"b.h\"\nint y;", words));
  EXPECT_TRUE(heads.returns("#include \"a.h\"\nint z;", words));
  EXPECT_TRUE(heads.returns("#include \"a.h\"\nint z;", words));
  EXPECT_FALSE(heads.returns("#include <cub/cub.cuh>\nint x;", words));
  EXPECT_TRUE(heads.returns("#include <cub/cub.cuh>\nint y;", words));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(heads.returns("#define N 3\nint x;", words));  // nothing to parse
  for (int k = 0; k < 9; ++k) {                                                           // two are kept by now
    std::string text = "#include <c" + std::to_string(k) + ">\nint x;";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(heads.returns(text, words), i >= 2 && k < 6) << k << " " << i;
  }
  EXPECT_TRUE(heads.returns("#include \"a.h\"\nint z;", words));
}

}  // namespace
}  // namespace quern
