// The end of a process that uses a GPU, against the fake driver in fake_cuda/: each test in a process of its own.
#include "device/device.h"

#include "core/error.h"
#include "core/log.h"
#include "device/cuda_driver.h"
#include "fake_cuda/control.h"
#include "fake_cuda/cubin_maker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace quern {
namespace {

Binary binary() {
  Binary binary;
  binary.code = CubinMaker().kernel({"_Z4nonev", {}}).make();
  return binary;
}

template <class F>
void say(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

class CudaEndDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    FAKE(fake_cuda_reset)();
  }
  Device& device = cuda_device(0);
};

TEST_F(CudaEndDeathTest, AfterShutDownCallsDoNothing) {
  auto end = [&] {
    auto module = device.load(binary());
    auto stream = device.create_stream({});
    LoadedKernel& none = *module->kernel("none");
    device.launch(*stream, none, {}, nullptr, 0, 1);
    device.shut_down();
    device.shut_down();
    uint64_t calls = FAKE(fake_cuda_calls)();
    if (device.allocate(64) != nullptr) std::exit(1);
    device.launch(*stream, none, {}, nullptr, 0, 1);
    device.synchronize();
    stream->synchronize();
    if (!stream->done()) std::exit(2);
    device.create_stream({});
    device.create_event({});
    auto empty = device.load(binary());
    if (empty->kernel("none") != nullptr) std::exit(3);
    stream.reset();
    module.reset();
    if (FAKE(fake_cuda_calls)() != calls) std::exit(4);
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

TEST_F(CudaEndDeathTest, DriverThatEndedFirstIsNoLostContext) {
  auto end = [&] {
    set_log_level(static_cast<int>(LogLevel::errors));
    auto module = device.load(binary());
    auto stream = device.create_stream({});
    device.launch(*stream, *module->kernel("none"), {}, nullptr, 0, 1);
    FAKE(fake_cuda_fail_next)("cuCtxGetCurrent", cuda::error_deinitialized);
    device.finish_work();
    uint64_t calls = FAKE(fake_cuda_calls)();
    device.shut_down();
    device.synchronize();
    stream.reset();
    module.reset();
    if (FAKE(fake_cuda_calls)() != calls) std::exit(1);
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "^$");
}

TEST_F(CudaEndDeathTest, ForkedChildGetsOneError) {
  auto forking = [&] {
    auto stream = device.create_stream({});
    void* p = device.allocate(64);
    pid_t child = fork();
    if (child == 0) {
      say([&] { device.allocate(64); });
      say([&] { cuda_device(0); });
      device.release(p);
      stream.reset();
      device.shut_down();
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    device.release(p);
    std::exit(WEXITSTATUS(status));
  };
  EXPECT_EXIT(forking(), testing::ExitedWithCode(0),
              "this process was forked after CUDA was initialised.*\n.*this process was forked after CUDA was initialised");
}

}  // namespace
}  // namespace quern

int main(int argc, char** argv) {
  setenv("QUERN_CUDA_DRIVER", QUERN_FAKE_CUDA, 0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
