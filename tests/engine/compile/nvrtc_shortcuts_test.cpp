#include "compile/nvrtc_shortcuts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace quern {
namespace {

TEST(NvrtcShortcuts, TextsThatNeedNoRuntime) {
  EXPECT_TRUE(is_minimal("", {}));
  EXPECT_TRUE(is_minimal("#include \"quern/python.cuh\"\n#line 3 \"/home/me/cuda/textures.py\"\n__global__ void k() {}", {}));
  EXPECT_FALSE(is_minimal("#line 3 \"/home/me/k.py\"\n__global__ void k(cudaTextureObject_t t) {}", {}));
  EXPECT_FALSE(is_minimal("__global__ void k(float* x) { x[0] = tex1Dfetch<float>(0, 1); }", {}));
  EXPECT_FALSE(is_minimal("__global__ void k(int s) { surf1Dwrite(1, s, 0); }", {}));
  EXPECT_FALSE(is_minimal("__global__ void inner() {} __global__ void k() { inner<<<1, 1>>>(); }", {}));
  EXPECT_FALSE(is_minimal("#include <cub/block/block_reduce.cuh>\n", {}));
  EXPECT_TRUE(is_minimal("__global__ void k() {}", {"--pre-include=quern/device.cuh"}));
  EXPECT_FALSE(is_minimal("__global__ void k() {}", {"--pre-include=nvcc_includes.h"}));
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

// Writes what an option says, as NVRTC does; the file, "" where nothing is to be written.
std::string written(const std::string& option) {
  const std::string writes = "--create-pch=";
  if (!option.starts_with(writes)) return "";
  std::string file = option.substr(writes.size());
  std::ofstream(file) << "parsed";
  return file;
}

TEST(NvrtcShortcuts, HeadsThatReturn) {
  Heads heads;
  const std::vector<std::string> words = {"--std=c++17"};
  EXPECT_EQ(heads.option("#include \"a.h\"\nint x;", words), "");
  EXPECT_EQ(heads.option("#include \"a.h\"\nint y;", words), "");
  EXPECT_EQ(heads.option("#include \"a.h\"\nint y;", {"--std=c++14"}), "");
  EXPECT_EQ(heads.option("#include \"b.h\"\nint y;", words), "");
  std::string writes = heads.option("#include \"a.h\"\nint z;", words), file = written(writes);
  ASSERT_NE(file, "") << writes;
  EXPECT_EQ(heads.option("#include \"a.h\"\nint z;", words), "");  // another thread meanwhile
  heads.compiled(writes);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
  std::string reads = heads.option("#include \"a.h\"\nint z;", words);
  ASSERT_TRUE(reads.starts_with("--use-pch=/proc/self/fd/")) << reads;
  std::string text;
  std::ifstream(reads.substr(reads.find('/'))) >> text;
  EXPECT_EQ(text, "parsed");
  heads.compiled(reads);
  EXPECT_EQ(heads.option("#include \"a.h\"\nint z;", words), reads);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(heads.option("#define N 3\nint x;", words), "");  // nothing to parse

  EXPECT_EQ(heads.option("#include <cub/cub.cuh>\nint x;", words), "");
  std::string failed = heads.option("#include <cub/cub.cuh>\nint y;", words);
  EXPECT_TRUE(failed.starts_with("--create-pch=")) << failed;
  heads.compiled(failed);  // nothing was written
  EXPECT_EQ(heads.option("#include <cub/cub.cuh>\nint y;", words), "");

  for (int k = 0; k < 9; ++k) {  // two of eight are gone
    std::string head = "#include <c" + std::to_string(k) + ">\nint x;";
    for (int i = 0; i < 5; ++i) {
      std::string option = heads.option(head, words);
      EXPECT_EQ(option.substr(0, 6), i < 2 || k >= 6 ? "" : i == 2 ? "--crea" : "--use-") << k << " " << i;
      written(option);
      heads.compiled(option);
    }
  }
  EXPECT_EQ(heads.option("#include \"a.h\"\nint z;", words), reads);
}

TEST(NvrtcShortcuts, NothingIsKeptWhereNothingCanBe) {
  const char* before = std::getenv("TMPDIR");
  std::string kept = before ? before : "";
  setenv("TMPDIR", "/proc", 1);
  Heads heads;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(heads.option("#include <cub/cub.cuh>\nint x;", {}), "");
  if (before)
    setenv("TMPDIR", kept.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

}  // namespace
}  // namespace quern
