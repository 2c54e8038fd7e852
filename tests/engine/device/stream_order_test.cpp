// The order of streams that work on the same memory: who waits for whom, and who does not.
#include "device/stream_order.h"
#include "device/allocator.h"
#include "fake_device.h"

#include <gtest/gtest.h>

namespace quern {
namespace {

using Waits = std::vector<std::string>;

class StreamOrder : public testing::Test {
 protected:
  void reads(const std::shared_ptr<FakeStream>& stream, const Buffer& buffer) {
    use_on(stream, *buffer.block(), false);
    stream->submit();
  }
  void writes(const std::shared_ptr<FakeStream>& stream, const Buffer& buffer) {
    use_on(stream, *buffer.block(), true);
    stream->submit();
  }
  Waits waits() { return device.waits(); }

  FakeDevice device;
  Pool pool{device};
  Buffer x = pool.allocate(1 << 20, no_site), y = pool.allocate(1 << 20, no_site);
  std::shared_ptr<FakeStream> a = device.stream("a"), b = device.stream("b"), c = device.stream("c");
};

TEST_F(StreamOrder, AStreamDoesNotWaitForItself) {
  writes(a, x);
  reads(a, x);
  writes(a, x);
  EXPECT_EQ(waits(), Waits{});
}

TEST_F(StreamOrder, AReaderWaitsForTheWriter) {
  writes(a, x);
  reads(b, x);
  EXPECT_EQ(waits(), Waits{"b waits for a 1"});
}

TEST_F(StreamOrder, AWriterWaitsForAllReaders) {
  writes(a, x);
  reads(b, x);
  reads(c, x);
  waits();
  writes(a, x);
  EXPECT_EQ(waits(), (Waits{"a waits for b 1", "a waits for c 1"}));
}

// Once it is known that others use the memory, readers and writers are distinguished.
TEST_F(StreamOrder, ReadersDoNotWaitForReaders) {
  writes(a, x);
  reads(b, x);
  reads(c, x);
  EXPECT_EQ(waits(), (Waits{"b waits for a 1", "c waits for a 1"}));
  reads(b, x);
  reads(c, x);
  reads(a, x);
  EXPECT_EQ(waits(), Waits{});
}

TEST_F(StreamOrder, WhatWasWaitedForIsNotWaitedForAgain) {
  writes(a, x);
  writes(a, y);
  reads(b, x);
  EXPECT_EQ(waits(), Waits{"b waits for a 2"});  // for all that it has
  reads(b, x);
  EXPECT_EQ(waits(), Waits{});
  writes(a, x);
  EXPECT_EQ(waits(), Waits{"a waits for b 2"});
  reads(b, x);
  EXPECT_EQ(waits(), Waits{"b waits for a 3"});
}

TEST_F(StreamOrder, OtherMemoryIsNobodysBusiness) {
  writes(a, x);
  writes(b, y);
  EXPECT_EQ(waits(), Waits{});
}

TEST_F(StreamOrder, WorkThatIsDoneIsNotWaitedFor) {
  writes(a, x);
  a->finish();
  reads(b, x);
  EXPECT_EQ(waits(), Waits{});
}

// Memory whose address was handed out may be used at any time: its streams are waited for each time.
TEST_F(StreamOrder, WhatIsUnknownIsWaitedForEachTime) {
  used_on(a, *x.block());
  a->submit();
  reads(b, x);
  used_on(a, *x.block());
  EXPECT_EQ(waits(), Waits{"b waits for a 1"});
  reads(b, x);
  reads(b, x);
  EXPECT_EQ(waits(), (Waits{"b waits for a 1", "b waits for a 1"}));
}

// Memory that lives long does not keep every stream that ever touched it.
TEST_F(StreamOrder, StreamsWhoseWorkIsDoneAreForgotten) {
  writes(a, x);
  std::weak_ptr<FakeStream> gone;
  for (int i = 0; i < 20; ++i) {
    std::shared_ptr<FakeStream> one = device.stream("one of many");
    i % 2 ? reads(one, x) : used_on(one, *x.block());
    one->finish();
    if (i == 0) gone = one;
  }
  EXPECT_TRUE(gone.expired());
  EXPECT_LE(x.block()->uses.size(), 9u);
  waits();
  reads(b, x);  // what was not done is waited for as before
  EXPECT_EQ(waits(), Waits{"b waits for a 1"});
}

TEST_F(StreamOrder, AStreamWaitsForWhatTheOtherHasNow) {
  a->submit();
  a->submit();
  wait_for(*b, *a);
  a->submit();
  EXPECT_EQ(waits(), Waits{"b waits for a 2"});
  a->finish();
  wait_for(*b, *a);
  EXPECT_EQ(waits(), Waits{});
}

}  // namespace
}  // namespace quern
