// Launches that go out together (device/cuda_together.h), against the stand-in for the driver.
#include "core/error.h"
#include "device/cuda_driver.h"
#include "device/device.h"
#include "fake_cuda/control.h"
#include "fake_cuda/cubin_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace quern {
namespace {

Binary binary() {
  Binary binary;
  binary.code = CubinMaker().kernel({"_Z5saxpyfPKfPfi", {{0, 4}, {8, 8}, {16, 8}, {24, 4}}}).kernel({"_Z4nonev", {}}).make();
  return binary;
}

struct SaxpyArgs {
  float a;
  const void* x;
  void* y;
  int n;
};

class Together : public testing::Test {
 protected:
  void SetUp() override {
    FAKE(fake_cuda_reset)();
    module = device.load(binary());
    x = static_cast<float*>(device.allocate(64));
    y = static_cast<float*>(device.allocate(64));
    std::fill_n(x, 16, 1.0f);
    std::fill_n(y, 16, 0.0f);
  }
  void TearDown() override {
    device.release(x);
    device.release(y);
    module.reset();
    device.synchronize();
  }

  // y += a * x
  void add(Stream& stream, float a, uint32_t blocks = 1) {
    SaxpyArgs args{a, x, y, 16};
    device.launch(stream, *module->kernel("saxpy"), {{blocks, 1, 1}, {32, 1, 1}}, &args, sizeof args, no_site);
  }
  size_t launches() { return FAKE(fake_cuda_launch_count)(); }
  size_t graphs() { return FAKE(fake_cuda_graph_launches)() - graphs_before_; }

  Device& device = cuda_device(0);
  std::shared_ptr<LoadedModule> module;
  std::unique_ptr<Stream> stream = device.create_stream({});
  float *x = nullptr, *y = nullptr;
  size_t graphs_before_ = FAKE(fake_cuda_graph_launches)();
};

TEST_F(Together, WhatComesAgainIsAGraph) {
  float sum = 0;
  for (int round = 1; round <= 5; ++round) {
    stream->begin_together();
    for (int i = 0; i < 3; ++i) {
      float a = static_cast<float>(10 * round + i);
      add(*stream, a);
      sum += a;
    }
    EXPECT_EQ(launches(), static_cast<size_t>(3 * (round - 1)));
    stream->end_together();
    EXPECT_EQ(launches(), static_cast<size_t>(3 * round));
    EXPECT_EQ(y[0], sum);
    EXPECT_EQ(graphs(), static_cast<size_t>(std::max(0, round - 1)));
  }
}

TEST_F(Together, OtherGridsAreOtherGraphs) {
  for (uint32_t blocks : {1, 2, 1, 2, 1, 2}) {
    stream->begin_together();
    add(*stream, 1, blocks);
    stream->end_together();
    FakeCudaLaunch last;
    ASSERT_TRUE(FAKE(fake_cuda_last_launch)(&last));
    EXPECT_EQ(last.grid[0], blocks);
  }
  EXPECT_EQ(graphs(), 4u);
  EXPECT_EQ(y[0], 6);
}

// What is asked of the stream comes after what was launched.
TEST_F(Together, AnythingElseSendsThemOut) {
  auto event = device.create_event({});
  float host = 0;
  const std::function<void()> others[] = {
      [&] { event->record(*stream); },
      [&] { stream->wait(*event); },
      [&] { stream->native(); },
      [&] { stream->idle(); },
      [&] { stream->synchronize(); },
      [&] { device.synchronize(); },
      [&] { device.copy(*stream, &host, y, sizeof host, CopyKind::device_to_host); },
      [&] { device.fill(*stream, x, 0x3f800000, 4, 16); },
      [&] {
        LaunchShape shape;
        shape.cooperative = true;
        device.launch(*stream, *module->kernel("none"), shape, nullptr, 0, no_site);
      },
  };
  size_t number = 0;
  for (const auto& other : others) {
    stream->begin_together();
    add(*stream, 1);
    size_t before = launches();
    other();
    EXPECT_GT(launches(), before) << number;
    add(*stream, 1);
    stream->end_together();
    EXPECT_EQ(y[0], static_cast<float>(2 * ++number));
  }
}

TEST_F(Together, OnlyTheStreamThatBegan) {
  auto other = device.create_stream({});
  stream->begin_together();
  other->begin_together();
  add(*other, 1);
  EXPECT_EQ(launches(), 1u);
  add(*stream, 1);
  other->end_together();
  EXPECT_EQ(launches(), 1u);
  stream->end_together();
  EXPECT_EQ(launches(), 2u);
}

// A handler of a signal that uses arrays: its work is submitted when it returns, and the rest goes on together.
TEST_F(Together, OneInsideAnother) {
  stream->begin_together();
  add(*stream, 1);
  stream->begin_together();
  add(*stream, 2);
  stream->end_together();
  EXPECT_EQ(launches(), 2u);
  add(*stream, 4);
  EXPECT_EQ(launches(), 2u);
  stream->end_together();
  EXPECT_EQ(y[0], 7);
}

TEST_F(Together, ARefusedLaunchIsToldOnce) {
  auto round = [&] {
    stream->begin_together();
    add(*stream, 1);
    add(*stream, 1);
    stream->end_together();
  };
  for (int i = 0; i < 3; ++i) round();
  FAKE(fake_cuda_fail_next)("cuLaunchKernel", 1);  // the graph's first launch: they go out one by one
  round();
  EXPECT_EQ(y[0], 8);
  FAKE(fake_cuda_fail_next)("cuLaunchKernel", 2);
  stream->begin_together();
  add(*stream, 1, 3);
  EXPECT_THROW(stream->end_together(), Error);
  stream->begin_together();
  stream->end_together();
  round();
  EXPECT_EQ(y[0], 10);
}

TEST_F(Together, GraphsGoBeforeTheirFunctions) {
  size_t before = FAKE(fake_cuda_graphs)();
  for (int i = 0; i < 2; ++i) {
    stream->begin_together();
    add(*stream, 1);
    stream->end_together();
  }
  EXPECT_EQ(FAKE(fake_cuda_graphs)(), before + 1);
  module.reset();
  device.synchronize();
  EXPECT_EQ(FAKE(fake_cuda_graphs)(), 0u);
  module = device.load(binary());
}

TEST_F(Together, FewGraphsAreKept) {
  for (uint32_t blocks = 1; blocks <= 300; ++blocks) {
    for (int i = 0; i < 2; ++i) {
      stream->begin_together();
      add(*stream, 1, blocks);
      stream->end_together();
    }
  }
  EXPECT_LE(FAKE(fake_cuda_graphs)(), 128u);
  EXPECT_EQ(y[0], 600);
}

}  // namespace
}  // namespace quern

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("QUERN_CUDA_DRIVER", QUERN_FAKE_CUDA, 0);
  return RUN_ALL_TESTS();
}
