// What the tests of the public arrays share: every device present, and short names for reads and errors.
#pragma once

#include "core/nvidia_libraries.h"
#include "device/host_blas.h"
#include "python_paths.h"

#include <gtest/gtest.h>
#include <quern/quern.h>

#include <limits>
#include <string>
#include <vector>

namespace arrays_test {

using qn::DType;
using quern::ErrorKind;

class OnDevices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    static const std::vector<std::string> paths = quern::python_paths();
    std::vector<std::string> blas;
    for (const std::string& path : paths) blas.insert(blas.end(), {path + "/numpy.libs", path + "/scipy_openblas64/lib"});
    quern::set_host_blas_folders(blas);
    if (name() == "cpu") return;
    if (qn::Device::cuda_count() == 0) GTEST_SKIP() << "no GPU";
    quern::set_nvidia_search_paths(paths);
    if (!quern::chosen_nvidia_source()) GTEST_SKIP() << "no NVRTC on this machine";
  }
  static bool has_blas() { return !quern::host_blas_path().empty(); }
  std::string name() const { return GetParam(); }
  qn::Device device() const { return name() == "cpu" ? qn::Device::cpu() : qn::Device::cuda(0); }
  // 0 1 2 3 / 4 5 6 7 / 8 9 10 11
  qn::Array grid(DType dtype = DType::int64) const { return qn::arange(12, dtype, device()).reshape({3, 4}); }
};

#define ON_DEVICES(suite)                                                    \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::Values("cpu", "cuda:0"), \
                           [](const auto& info) { return std::string(info.param).substr(0, 4) == "cpu" ? "cpu" : "cuda"; })

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
using Ints = std::vector<int64_t>;
using Reals = std::vector<double>;

inline Ints ints(const qn::Array& a) { return a.to_vector<int64_t>(); }
inline Reals reals(const qn::Array& a) { return a.to_vector<double>(); }

inline void expect_near(const qn::Array& a, const Reals& expected, double error = 1e-12) {
  Reals got = reals(a);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], error) << "element " << i;
}

template <class F>
void expect_error(ErrorKind kind, const std::string& part, F&& f) {
  try {
    f();
  } catch (const quern::Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    return;
  }
  ADD_FAILURE() << "nothing was thrown; expected: " << part;
}

}  // namespace arrays_test
