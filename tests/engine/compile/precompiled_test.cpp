// The file of precompiled kernels: what is written is found at its level, and a file that is damaged or foreign counts as absent.
#include "compile/precompiled.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace quern;

namespace {

class PrecompiledTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("precompiled_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / Precompiled::file_name()).string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::vector<std::byte> code(char c, size_t size) { return std::vector<std::byte>(size, std::byte(c)); }
  static CacheKey key(const char* text) { return text_key({text}, {}); }
  void write() {
    Precompiled::write(path_, "a maker",
                       {Precompiled::Kernels{{key("one"), code('1', 100)}, {key("two"), code('2', 7)}},
                        Precompiled::Kernels{{key("two"), code('3', 50)}}});
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& text) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << text; }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(PrecompiledTest, WhatIsWrittenIsFoundAtItsLevel) {
  write();
  const Precompiled third(path_, "x86-64-v3"), fourth(path_, "x86-64-v4");
  EXPECT_EQ(third.size(), 2u);
  EXPECT_EQ(third.find(key("one"))->code, code('1', 100));
  EXPECT_EQ(third.find(key("two"))->code, code('2', 7));
  EXPECT_EQ(fourth.find(key("two"))->code, code('3', 50));
  EXPECT_EQ(fourth.find(key("one")), nullptr);
  EXPECT_FALSE(third.has(key("three")));
  EXPECT_TRUE(third.belongs_to("a maker"));
  EXPECT_FALSE(third.belongs_to("another"));
}

TEST_F(PrecompiledTest, OptionsArePartOfTheKey) {
  CompileOptions exact;
  exact.exact_arithmetic = true;
  CompileOptions defined;
  defined.flags = {"-DA"};
  EXPECT_FALSE(text_key({"text"}, {}) == text_key({"text"}, exact));
  EXPECT_FALSE(text_key({"text"}, {}) == text_key({"text"}, defined));
}

TEST_F(PrecompiledTest, WithoutAFileOrALevelThereIsNothing) {
  EXPECT_EQ(Precompiled(path_, "x86-64-v3").size(), 0u);
  write();
  EXPECT_EQ(Precompiled(path_, "").size(), 0u);
  EXPECT_EQ(Precompiled(path_, "x86-64-v9").size(), 0u);
}

TEST_F(PrecompiledTest, ADamagedOrForeignFileCountsAsAbsent) {
  write();
  const std::string whole = bytes();
  for (size_t size : {size_t{0}, size_t{10}, whole.size() / 2, whole.size() - 1}) {
    put(whole.substr(0, size));
    EXPECT_EQ(Precompiled(path_, "x86-64-v3").size(), 0u) << size;
  }
  for (size_t at : {size_t{0}, size_t{12}}) {  // the kind of file, the compiler
    std::string other = whole;
    other[at] ^= 1;
    put(other);
    EXPECT_EQ(Precompiled(path_, "x86-64-v3").size(), 0u) << at;
  }
}

}  // namespace
