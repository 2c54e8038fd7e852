// The public API from several threads at once: arrays, kernels, streams, the caches and the pool of memory. Each test checks the
// values; tools/sanitize.py thread runs them under ThreadSanitizer, which checks the order of every access of the engine's.
#include "arrays_fixture.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <mutex>
#include <thread>

namespace {

using namespace arrays_test;

class Threads : public OnDevices {
 protected:
  static constexpr int count = 4;

  // work(0) ... work(count - 1), each on its thread, all begun together. What one throws is a failure.
  template <class F>
  static void together(F&& work) {
    std::latch start(count);
    std::vector<std::thread> threads;
    for (int k = 0; k < count; ++k) {
      threads.emplace_back([&, k] {
        start.arrive_and_wait();
        try {
          work(k);
        } catch (const std::exception& e) {
          ADD_FAILURE() << "thread " << k << ": " << e.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  static Reals numbers(size_t n, double first = 0) {
    Reals out(n);
    for (size_t i = 0; i < n; ++i) out[i] = first + static_cast<double>(i);
    return out;
  }
};
ON_DEVICES(Threads);

// Tiny ones (tier 0), some that need a kernel, and some that more than one thread of the device works on.
constexpr int64_t sizes[] = {10, 700, 5000, 100'000};

TEST_P(Threads, RecordArraysOfTheirOwnAndRead) {
  std::vector<qn::Array> shared;
  for (int64_t n : sizes) shared.push_back(qn::arange(n, DType::float64, device()) * 0.5);
  together([&](int k) {
    for (size_t s = 0; s < std::size(sizes); ++s) {
      auto n = static_cast<size_t>(sizes[s]);
      Reals host = numbers(n, k);
      qn::Array x = qn::array(host, device());
      for (int round = 0; round < 12; ++round) {
        switch ((round + k) % 4) {
          case 0:
            x = x * 0.5 + shared[s];
            for (size_t i = 0; i < n; ++i) host[i] = host[i] * 0.5 + static_cast<double>(i) * 0.5;
            break;
          case 1:
            x += 1;
            for (double& v : host) v += 1;
            break;
          case 2:
            x({{}, {}, 3}) *= 0.25;
            for (size_t i = 0; i < n; i += 3) host[i] *= 0.25;
            break;
          default:
            x + shared[s] * 2;  // nobody reads it
            EXPECT_EQ(reals(x), host) << "thread " << k << ", " << n << " elements";
        }
      }
      EXPECT_EQ(reals(x), host) << "thread " << k << ", " << n << " elements";
    }
  });
  for (size_t s = 0; s < std::size(sizes); ++s)
    EXPECT_EQ(shared[s].sum().item<double>(), 0.25 * static_cast<double>(sizes[s]) * static_cast<double>(sizes[s] - 1));
}

// Each update is whole, and none is lost, whoever records it.
TEST_P(Threads, UpdateOneArray) {
  constexpr int rounds = 60;
  for (int64_t n : {10, 3000}) {
    qn::Array x = qn::zeros({n}, DType::float64, device()), one = qn::ones({n}, DType::float64, device());
    together([&](int) {
      qn::Array mine = x;
      for (int round = 0; round < rounds; ++round) {
        mine += one;
        if (round % 20 == 10) mine.to_vector<double>();
        if (round % 20 == 15) mine.evaluate();
      }
    });
    EXPECT_EQ(reals(x), Reals(static_cast<size_t>(n), rounds * count));
  }
}

// What one thread has recorded, the others look at, all at the same time.
TEST_P(Threads, LookAtTheSamePendingWork) {
  for (int round = 0; round < 20; ++round) {
    qn::Array a = qn::arange(4000, DType::float64, device()), b = qn::sqrt(a) * round, c = b.sum();
    double expected = 0;
    for (int i = 0; i < 4000; ++i) expected += std::sqrt(i) * round;
    together([&](int k) {
      if (k % 2) {
        EXPECT_NEAR(c.item<double>(), expected, 1e-12 * expected);
      } else {
        EXPECT_DOUBLE_EQ(b(k + 1).item<double>(), std::sqrt(k + 1) * round);
        EXPECT_EQ(b.shape(), qn::Shape{4000});
        EXPECT_FALSE(c.to_string().empty());
      }
    });
  }
}

TEST_P(Threads, UseTheFunctionsOfWholeArrays) {
  together([&](int k) {
    for (int round = 0; round < 3; ++round) {
      qn::Array a = qn::arange(60'000, DType::float64, device()) + k;
      EXPECT_EQ(qn::sort(a.flip())(5).item<double>(), k + 5);
      EXPECT_EQ(qn::argmax(a).item<int64_t>(), 59'999);
      EXPECT_EQ(qn::cumsum(a)(999).item<double>(), 999.0 * 1000 / 2 + 1000 * k);
      EXPECT_EQ(a(a < k + 7).size(), 7);
      EXPECT_EQ(qn::median(a).item<double>(), 59'999 / 2.0 + k);
      qn::Array places = qn::array({3, 59'999, -1, 0}, device());
      EXPECT_EQ(reals(a(places)), (Reals{k + 3.0, k + 59'999.0, k + 59'999.0, k + 0.0}));
      a(places) = -1;
      EXPECT_EQ((a < 0).sum().item<int64_t>(), 3);
      qn::Array signal = qn::zeros({64, 256}, DType::float64, device());
      signal({}, 0) = k + 1;
      EXPECT_NEAR(qn::fft::rfft(signal)(7, 100).item<std::complex<double>>().real(), k + 1, 1e-12);
      if (!has_blas()) continue;
      qn::Array m = qn::eye(40, {}, 0, DType::float64, device()) * (k + 2.0);
      EXPECT_NEAR(qn::matmul(m, m)(3, 3).item<double>(), (k + 2.0) * (k + 2.0), 1e-12);
      EXPECT_NEAR(qn::linalg::inv(m)(9, 9).item<double>(), 1 / (k + 2.0), 1e-12);
    }
  });
}

// The numbers of one stream: each is drawn once.
TEST_P(Threads, DrawFromOneGenerator) {
  constexpr int rounds = 25, each = 400;
  qn::random::Generator rng(42, device());
  std::mutex lock;
  Reals drawn;
  together([&](int) {
    for (int round = 0; round < rounds; ++round) {
      Reals mine = reals(rng.random({each}));
      std::lock_guard hold(lock);
      drawn.insert(drawn.end(), mine.begin(), mine.end());
    }
  });
  EXPECT_EQ(rng.counter(), static_cast<uint64_t>(count * rounds * each));
  Reals expected = reals(qn::random::Generator(42, device()).random({count * rounds * each}));
  std::sort(drawn.begin(), drawn.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(drawn, expected);
}

// The error of a thread's own work is raised where that thread reads a value, with its line, and in no other.
TEST_P(Threads, GetTheErrorsOfTheirOwnWork) {
  qn::Array a = qn::arange(3000, DType::int64, device());
  together([&](int k) {
    for (int round = 0; round < 10; ++round) {
      qn::Array places = qn::full({2000}, k % 2 ? 3000 + k : k, {}, device());
      qn::Array taken = a(places);
      if (k % 2) {
        expect_error(ErrorKind::index, "index " + std::to_string(3000 + k), [&] { taken.to_vector<int64_t>(); });
      } else {
        EXPECT_EQ(taken.sum().item<int64_t>(), 2000 * k);
      }
    }
  });
}

const std::string add_source = R"(
  __global__ void add(float* x, int n, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += by; }
  __global__ void count(int* n) { atomicAdd(n, 1); })";

// The same text and texts of their own, from the caches and into them.
TEST_P(Threads, CompileAndLaunchOnTheirStreams) {
  together([&](int k) {
    for (int round = 0; round < 3; ++round) {
      qn::CompileOptions own{{"-DOWN=" + std::to_string(k * 3 + round)}, {}};
      qn::Program program(device(), add_source);
      qn::Program another(device(), "__global__ void set(float* x) { x[threadIdx.x] = OWN; }", own);
      qn::Kernel add = program.kernel("add"), set = another.kernel("set");
      qn::Stream stream(device());
      for (int size : {256, 20'000}) {
        qn::Buffer<float> x(device(), static_cast<size_t>(size));
        std::vector<float> host(static_cast<size_t>(size), 1.0f);
        x.copy_from(host, stream);
        qn::Event start(stream);
        for (int i = 0; i < 30; ++i) {
          uint32_t blocks = (static_cast<uint32_t>(size) + 255) / 256;
          add(qn::Launch{{blocks}, {256}, 0, &stream}, x, size, static_cast<float>(k));
        }
        set(qn::Launch{{1}, {100}, 0, &stream}, x);
        qn::Event end(stream);
        x.copy_to(host, stream);
        end.synchronize();
        stream.synchronize();
        EXPECT_GE(end.milliseconds_since(start), 0);
        EXPECT_EQ(host[99], static_cast<float>(k * 3 + round));
        EXPECT_EQ(host[100], 1.0f + 30.0f * static_cast<float>(k));
        EXPECT_EQ(host.back(), 1.0f + 30.0f * static_cast<float>(k));
      }
    }
  });
}

// More launches than the queue of a stream holds, with waits and polls between them.
TEST_P(Threads, LaunchOnOneStream) {
  constexpr int rounds = 800;
  qn::Stream stream(device());
  qn::Buffer<int> n(device(), 1);
  n.clear();
  device().synchronize();
  qn::Program program(device(), add_source);
  together([&](int k) {
    qn::Kernel add_one = program.kernel("count");
    for (int round = 0; round < rounds; ++round) {
      add_one(qn::Launch{{2}, {32}, 0, &stream}, n);
      if (round % 100 == 50 + k) stream.synchronize();
      if (round % 100 == 70 + k) stream.done();
      if (round % 300 == 90 + k) device().synchronize();
    }
  });
  stream.synchronize();
  EXPECT_EQ(n.to_vector()[0], count * rounds * 64);
}

TEST_P(Threads, MeetKernelsThatFail) {
  if (name() != "cpu") GTEST_SKIP() << "a kernel that fails there ends the work of the device";
  qn::Program program(device(), R"(
    __global__ void fails(int* x, int wrong) { if (wrong) __trap(); x[threadIdx.x] = 7; })");
  together([&](int k) {
    qn::Kernel fails = program.kernel("fails");
    qn::Stream stream(device());
    qn::Buffer<int> x(device(), 32);
    for (int round = 0; round < 20; ++round) {
      bool wrong = (round + k) % 2 == 0;
      fails(qn::Launch{{1}, {32}, 0, &stream}, x, wrong ? 1 : 0);
      if (wrong) {
        expect_error(ErrorKind::launch, "fails", [&] { stream.synchronize(); });
      } else {
        stream.synchronize();
      }
    }
    fails(qn::Launch{{1}, {32}, 0, &stream}, x, 0);
    stream.synchronize();
    EXPECT_EQ(x.to_vector(), std::vector<int>(32, 7));
  });
}

// Memory of one size from the pool, used on several streams, filled and let go of by another thread than its maker.
TEST_P(Threads, HandMemoryOn) {
  constexpr int rounds = 60;
  struct Place {
    std::mutex lock;
    std::vector<std::pair<int, qn::Buffer<int>>> buffers;
  };
  std::array<Place, count> places;
  std::atomic<int> taken{0};
  qn::Program program(device(), R"(
    __global__ void fill(int* x, int n, int value) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = value; })");
  together([&](int k) {
    qn::Stream stream(device());
    qn::Kernel fill = program.kernel("fill");
    for (int round = 0; round < rounds; ++round) {
      int size = round % 2 ? 100 : 40'000;
      qn::Buffer<int> made(device(), static_cast<size_t>(size));
      fill(qn::Launch{{static_cast<uint32_t>(size + 255) / 256}, {256}, 0, &stream}, made, size, k * 1000 + round);
      if (round % 3) stream.synchronize();  // else whoever takes it waits for all work
      {
        Place& next = places[static_cast<size_t>((k + 1) % count)];
        std::lock_guard hold(next.lock);
        next.buffers.emplace_back(k * 1000 + round, std::move(made));
      }
      std::vector<std::pair<int, qn::Buffer<int>>> mine;
      {
        Place& place = places[static_cast<size_t>(k)];
        std::lock_guard hold(place.lock);
        mine.swap(place.buffers);
      }
      for (auto& [value, buffer] : mine) {
        if (value % 1000 % 3 == 0) device().synchronize();
        std::vector<int> got = buffer.to_vector();
        EXPECT_EQ(got.front(), value);
        EXPECT_EQ(got.back(), value);
        ++taken;
      }
    }
  });
  for (Place& place : places) taken += static_cast<int>(place.buffers.size());
  EXPECT_EQ(taken, count * rounds);
}

// A trace of what the others do, and explanations of it, change nothing.
TEST_P(Threads, AreTracedByOne) {
  std::atomic<int> at_work{count - 1};
  together([&](int k) {
    if (k == 0) {
      size_t events = 0;
      do {
        qn::Trace trace;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        events += trace.stop().size();
      } while (at_work > 0);
      EXPECT_GT(events, 0u);
      return;
    }
    for (int round = 0; round < 80; ++round) {
      qn::Array x = qn::arange(6000, DType::float64, device()) * k + round;
      if (round % 10 == 0) EXPECT_FALSE(x.explain().empty());
      EXPECT_EQ(x.sum().item<double>(), 5999.0 * 3000 * k + 6000.0 * round);
    }
    --at_work;
  });
}

// The process may end at any time: it waits for the kernel that another thread compiles.
TEST(ProcessEnd, WaitsForTheCompiler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string cache = testing::TempDir() + "quern_process_end";
  std::filesystem::remove_all(cache);
  setenv("QUERN_CACHE_DIR", cache.c_str(), 1);  // of the new process, whose kernels are not compiled yet
  const auto compute_and_exit = [] {
    qn::Array x = qn::arange(40'000, DType::float64, qn::Device::cpu()), y = x;
    for (int round = 0; round < 40; ++round) {
      y = y * 0.5 + x - y * y * 0.25 + round;
      y.evaluate();
    }
    std::exit(y.size() == 40'000 ? 7 : 1);
  };
  EXPECT_EXIT(compute_and_exit(), testing::ExitedWithCode(7), "");
  unsetenv("QUERN_CACHE_DIR");
}

// A race on purpose: two copies into the same memory. tools/sanitize.py runs it to see that it is found, and in the engine.
TEST(ThreadSanitizer, DISABLED_FindsARace) {
  qn::Device device = qn::Device::cpu();
  std::vector<int> host(5000, 1);
  std::latch start(2);
  auto copy = [&] {
    qn::Stream stream(device);
    qn::Buffer<int> x(device, host.size());
    start.arrive_and_wait();
    for (int i = 0; i < 300; ++i) x.copy_to(host, stream);
  };
  std::thread other(copy);
  copy();
  other.join();
}

}  // namespace
