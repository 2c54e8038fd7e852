// The texts that include CUB compile with NVRTC: sorting for every type and every length of row. Their cache keys hold CUB's
// version. No GPU is needed; without NVRTC the compiles are skipped.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "compile/cache.h"
#include "compile/cccl.h"
#include "compile/nvrtc.h"
#include "core/error.h"
#include "core/nvidia_libraries.h"
#include "device/cubin.h"
#include "python_paths.h"
#include "run/calls/sorting.h"

namespace quern {
namespace {

class Cub : public testing::Test {
 protected:
  void SetUp() override {
    static const std::vector<std::string> paths = python_paths();
    set_nvidia_search_paths(paths);
    if (!chosen_nvidia_source()) GTEST_SKIP() << "no NVRTC on this machine";
  }

  static std::vector<std::string> kernels(const std::string& text, const std::string& arch) {
    CompileOptions options;
    options.exact_arithmetic = options.with_cub = true;
    Binary binary = nvrtc_compiler().compile({text, "cub_test.cu"}, options, {DeviceKind::cuda, arch});
    auto contents = read_cubin(binary.code);
    std::vector<std::string> names;
    for (const CubinKernel& kernel : contents.value().kernels) names.push_back(kernel.symbol);
    std::sort(names.begin(), names.end());
    return names;
  }

  struct Text {
    std::string text;
    std::vector<std::string> kernels;
    std::string arch = "sm_90";
  };
  static void check(const std::vector<Text>& texts) {
    std::atomic<size_t> next{0};
    std::vector<std::string> failures(texts.size());
    auto work = [&] {
      for (size_t i; (i = next++) < texts.size();) {
        try {
          if (kernels(texts[i].text, texts[i].arch) != texts[i].kernels)
            failures[i] = "other kernels than those that are launched";
        } catch (const std::exception& error) {
          failures[i] = error.what();
        }
      }
    };
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < std::clamp(std::thread::hardware_concurrency(), 1u, 4u); ++k) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(failures[i], "") << texts[i].arch << "\n" << texts[i].text;
  }
};

const std::vector<std::string> long_values = {"counts", "pass", "starts"}, long_places = {"counts", "keys", "pass", "starts"};

TEST_F(Cub, LongRowsOfEveryType) {
  std::vector<Text> texts;
  for (size_t i = 0; i < dtype_count; ++i) {
    DType dtype = static_cast<DType>(i);
    texts.push_back({sort_text(dtype, true, i % 2, 1'000'000), long_places});
    if (row(dtype).kind != DTypeKind::complex) texts.push_back({sort_text(dtype, false, i % 2 == 0, 1'000'000), long_values});
  }
  for (DType dtype : {DType::uint8, DType::float64}) {  // whose places need 64 bits
    texts.push_back({sort_text(dtype, true, false, INT64_C(5'000'000'000)), long_places});
    texts.push_back({sort_text(dtype, false, false, INT64_C(5'000'000'000)), long_values});
  }
  check(texts);
}

TEST_F(Cub, ShortRows) {
  // Each length that has kernels of its own, with one type after the other; the longest of a type are the shared memory's limit.
  constexpr DType types[] = {DType::float32, DType::int64, DType::complex128, DType::uint8};
  std::vector<Text> texts;
  size_t i = 0;
  for (int64_t n : {5, 30, 60, 100, 200, 500, 1000})
    texts.push_back({sort_text(types[i++ % 4], n != 100, n % 20 == 0, n), {"rows"}});
  texts.push_back({sort_text(DType::complex128, true, false, 200), {"rows"}});
  texts.push_back({sort_text(DType::complex128, true, true, 500), {"rows"}});
  texts.push_back({sort_text(DType::complex128, true, false, 2048), {"rows"}});
  texts.push_back({sort_text(DType::float64, true, false, 4096), {"rows"}});
  texts.push_back({sort_text(DType::uint32, true, false, 8192), {"rows"}});
  for (DType dtype : {DType::int16, DType::bfloat16, DType::complex64, DType::boolean})
    texts.push_back({sort_text(dtype, true, false, 100), {"rows"}});
  check(texts);
}

TEST_F(Cub, OtherGpus) {
  std::vector<Text> texts;
  for (const char* arch : {"sm_80", "sm_100"}) {
    texts.push_back({sort_text(DType::float32, true, false, 100), {"rows"}, arch});
    texts.push_back({sort_text(DType::float32, false, false, 1'000'000), long_values, arch});
  }
  check(texts);
}

TEST_F(Cub, UsersTextsSeeItAndAreKept) {
  Source source{"#include <cub/block/block_reduce.cuh>\n#include <cuda/std/array>\n__global__ void k() {}", "k.cu"};
  Binary binary = nvrtc_compiler().compile(source, {}, {DeviceKind::cuda, "sm_90"});
  EXPECT_FALSE(binary.code.empty());
  EXPECT_TRUE(binary.lasting);
  EXPECT_TRUE(binary.files.empty());  // quern's own, which its id stands for
  EXPECT_THROW(nvrtc_compiler().compile({"#include <cub/device/device_sort.cuh>\n", "k.cu"}, {}, {DeviceKind::cuda, "sm_90"}),
               Error);
}

TEST(Cccl, HeadersLieBesideTheLibrary) {
  EXPECT_NE(cccl_folder().find("/cccl"), std::string::npos);
  EXPECT_EQ(cccl_version().rfind("cccl 13.", 0), 0u) << cccl_version();
}

}  // namespace
}  // namespace quern
