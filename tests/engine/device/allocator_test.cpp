// The pool: what is handed out again and when, with streams whose work ends as the test says; trimming, limits, no memory left.
#include "device/allocator.h"
#include "device/stream_order.h"
#include "fake_device.h"

#include <gtest/gtest.h>

namespace quern {
namespace {

constexpr size_t kib = 1024, mib = 1024 * kib;

class PoolOf : public testing::Test {
 protected:
  PoolOf() {
    set_site_hooks({nullptr, [](Site site) { return "script.py:" + std::to_string(site); }});
  }
  ~PoolOf() override {
    device.synchronize();
    pool.trim();
  }
  // Submits work on the memory.
  static void use(const std::shared_ptr<FakeStream>& stream, const Buffer& buffer) {
    use_on(stream, *buffer.block(), true);
    stream->submit();
  }
  std::string error(size_t bytes) {
    try {
      pool.allocate(bytes, 9);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::out_of_memory);
      return e.what();
    }
    return "there was room";
  }

  FakeDevice device;
  Pool pool{device};
};

TEST_F(PoolOf, SizesThatAreNearlyEqualShareBlocks) {
  struct Case {
    size_t bytes, capacity;
  };
  for (Case c : {Case{0, 256}, Case{1, 256}, Case{257, 512}, Case{2049, 2304}, Case{4097, 4608}, Case{65 * kib, 72 * kib},
                 Case{mib, mib}, Case{mib + 1, mib + 128 * kib}}) {
    Buffer buffer = pool.allocate(c.bytes, 1);
    EXPECT_EQ(buffer.block()->capacity, c.capacity) << c.bytes;
    EXPECT_EQ(buffer.bytes(), c.bytes);
  }
}

TEST_F(PoolOf, WhatCameBackIsHandedOutAgain) {
  for (size_t bytes : {size_t{100}, 2 * mib}) {
    Buffer first = pool.allocate(bytes, 1);
    void* pointer = first.pointer();
    Buffer second = pool.allocate(bytes, 1);
    EXPECT_NE(second.pointer(), pointer);
    first.reset();
    Buffer third = pool.allocate(bytes - 1, 2);
    EXPECT_EQ(third.pointer(), pointer);
    EXPECT_EQ(third.block()->site, 2u);
    EXPECT_EQ(third.bytes(), bytes - 1);
  }
  EXPECT_EQ(device.allocations, 4u);
}

TEST_F(PoolOf, CountsWhatItHas) {
  Buffer a = pool.allocate(1000, 1), b = pool.allocate(2 * mib, 1);
  b.reset();
  PoolInfo info = pool.info();
  EXPECT_EQ(info.used, 1000u);
  EXPECT_EQ(info.held, 1024u);
  EXPECT_EQ(info.blocks, 1u);
  EXPECT_EQ(info.kept, 2 * mib);
  EXPECT_EQ(info.waiting, 1u);
  EXPECT_TRUE(pool.holds(static_cast<char*>(a.pointer()) + 999));
  EXPECT_FALSE(pool.holds(static_cast<char*>(a.pointer()) + 1000));
  EXPECT_EQ(pool.describe(a.pointer()), "1000 bytes made at script.py:1");
  EXPECT_EQ(pool.describe(&info), "");
}

TEST_F(PoolOf, MemoryThatAStreamUsesWaitsForIt) {
  auto side = device.stream("side");
  Buffer a = pool.allocate(mib, 1);
  void* pointer = a.pointer();
  use(side, a);
  a.reset();
  Buffer b = pool.allocate(mib, 1);
  EXPECT_NE(b.pointer(), pointer);  // its work goes on
  side->finish();
  Buffer c = pool.allocate(mib, 1);
  EXPECT_EQ(c.pointer(), pointer);
}

// What is submitted behind the work that still uses the memory may have it now.
TEST_F(PoolOf, WorkOfTheDefaultStreamMayHaveItsMemorySooner) {
  Buffer a = pool.allocate(mib, 1);
  void* pointer = a.pointer();
  use(device.main_stream(), a);
  a.reset();
  Buffer other = pool.allocate(mib, 1);  // for whoever does not say so
  EXPECT_NE(other.pointer(), pointer);
  // By that question its end was marked: it counts as any stream's.
  device.main().finish();
  Buffer b = pool.allocate(mib, 1);
  EXPECT_EQ(b.pointer(), pointer);

  use(device.main_stream(), b);
  b.reset();
  Buffer c = pool.allocate(mib, 1, true);
  EXPECT_EQ(c.pointer(), pointer);
  EXPECT_FALSE(device.main().done());
  c.reset();  // it still belongs to the stream's work
  Buffer d = pool.allocate(mib, 1);
  EXPECT_NE(d.pointer(), pointer);
}

// A loop that never waits, whose work is done a little later each time: its memory does not grow with its rounds.
TEST_F(PoolOf, ALoopThatNeverWaitsIsGivenTheSameBlocksAgain) {
  constexpr uint64_t behind = 5;
  for (int round = 0; round < 2000; ++round) {
    Buffer a = pool.allocate(mib, 1);
    use(device.main_stream(), a);
    FakeWork& work = *device.main().work;
    work.finished = std::max(work.finished, work.submitted - std::min(behind, work.submitted));
  }
  EXPECT_LE(device.allocations, 2 * (behind + 1));
  // Nor where some of it is asked for in order.
  for (int round = 0; round < 2000; ++round) {
    Buffer a = pool.allocate(mib, 1), b = pool.allocate(mib, 1, true);
    use(device.main_stream(), a);
    use(device.main_stream(), b);
    FakeWork& work = *device.main().work;
    work.finished = std::max(work.finished, work.submitted - behind);
  }
  EXPECT_LE(device.allocations, 4 * (behind + 1));
}

TEST_F(PoolOf, MemoryWhoseAddressIsKnownWaitsForAllStreams) {
  auto side = device.stream("side");
  pool.know(side);
  EXPECT_EQ(pool.streams().size(), 1u);
  Buffer a = pool.allocate(mib, 1);
  void* pointer = a.pointer();
  a.block()->escaped = true;
  side->submit();  // which uses it, for all one knows
  a.reset();
  Buffer b = pool.allocate(mib, 1);
  EXPECT_NE(b.pointer(), pointer);
  side->finish();
  Buffer c = pool.allocate(mib, 1);
  EXPECT_EQ(c.pointer(), pointer);
  side.reset();
  EXPECT_EQ(pool.streams().size(), 0u);
}

TEST_F(PoolOf, TrimGivesBackWhatNobodyUses) {
  auto side = device.stream("side");
  Buffer live = pool.allocate(mib, 1), busy = pool.allocate(2 * mib, 1), free = pool.allocate(3 * mib, 1),
         tiny = pool.allocate(10, 1);
  use(side, busy);
  busy.reset();
  free.reset();
  tiny.reset();
  EXPECT_EQ(pool.trim(), 3 * mib + 256);
  EXPECT_EQ(pool.info().kept, 2 * mib);
  EXPECT_EQ(device.live.size(), 2u);
  side->finish();
  EXPECT_EQ(pool.trim(), 2 * mib);
  EXPECT_EQ(device.live.size(), 1u);
  EXPECT_EQ(pool.info().held, mib);
}

TEST_F(PoolOf, WithoutMemoryItTrimsAndTriesAgain) {
  auto side = device.stream("side");
  device.room = 8 * mib;
  Buffer a = pool.allocate(5 * mib, 1);
  use(side, a);
  a.reset();
  Buffer b = pool.allocate(6 * mib, 2);  // the device is waited for, and gets the 5 MiB back
  EXPECT_EQ(b.bytes(), 6 * mib);
  EXPECT_EQ(device.live.size(), 1u);
}

TEST_F(PoolOf, WithoutMemoryTheLargestAreNamed) {
  device.room = 8 * mib;
  Buffer a = pool.allocate(5 * mib, 1), b = pool.allocate(2 * mib, 2);
  EXPECT_EQ(error(3 * mib),
            "[memory] out of memory: no room for 3.0 MiB on a fake (1.0 MiB free of 1.0 GiB); the largest live blocks: 5.0 MiB "
            "from script.py:1, "
            "2.0 MiB from script.py:2");
  Buffer c = pool.allocate(mib, 3);  // and nothing is spoiled
  EXPECT_EQ(pool.info().blocks, 3u);
}

TEST_F(PoolOf, KeepsItsLimit) {
  pool.set_limit(4 * mib);
  Buffer a = pool.allocate(3 * mib, 1);
  EXPECT_EQ(error(2 * mib),
            "[memory] out of memory: no room for 2.0 MiB on a fake: the pool's limit is 4.0 MiB, of which 3.0 MiB are in use; "
            "raise the limit; the "
            "largest live blocks: 3.0 MiB from script.py:1");
  a.reset();
  Buffer b = pool.allocate(2 * mib, 1);  // what was kept goes
  EXPECT_EQ(pool.info().kept, 0u);
  pool.set_limit(0);
  Buffer c = pool.allocate(9 * mib, 1);
  EXPECT_EQ(c.bytes(), 9 * mib);
}

TEST_F(PoolOf, MoreThanThereIsIsRefused) {
  EXPECT_EQ(error(~size_t{0} - 5), "[memory] 18446744073709551610 bytes are more than any device has");
}

}  // namespace
}  // namespace quern
