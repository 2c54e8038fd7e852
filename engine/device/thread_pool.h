// The CPU device's threads. A call is over when its work is done, not when every thread has woken: on a machine that is busy with
// other things the caller does the work of those that do not come (docs/decisions/0002).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace quern {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);  // the caller is one of them
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;

  // Calls body(context) here and, in as many threads as come in time, elsewhere; each call takes pieces of the work until there
  // are none; it throws nothing. Returns when all these calls have ended. A second caller at the same time works alone.
  void run(void (*body)(void*), void* context);

  // f(0) ... f(count - 1), in any order; what one of them throws ends the rest and is thrown here.
  template <class F>
  void for_each(size_t count, F&& f) {
    struct Work {
      F& f;
      size_t count;
      std::atomic<size_t> next{0};
      std::atomic<bool> failed{false};
      std::exception_ptr error{};
    } work{f, count};
    run(
        [](void* context) {
          Work& work = *static_cast<Work*>(context);
          try {
            for (size_t i; (i = work.next.fetch_add(1, std::memory_order_relaxed)) < work.count && !work.failed;) work.f(i);
          } catch (...) {
            if (!work.failed.exchange(true)) work.error = std::current_exception();
          }
        },
        &work);
    if (work.error) std::rethrow_exception(work.error);
  }

  // Of all threads together, in bodies that ran while somebody traced.
  static int64_t time_in_bodies() { return time_in_bodies_.load(std::memory_order_relaxed); }

 private:
  void worker();
  static void call(void (*body)(void*), void* context);

  static std::atomic<int64_t> time_in_bodies_;

  std::mutex running_;  // one call at a time
  std::mutex entry_;    // guards what follows
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  unsigned inside_ = 0;  // workers that are in a body
  bool closing_ = false;
  std::condition_variable left_;
  std::atomic<uint32_t> calls_{0};
  std::atomic<unsigned> asleep_{0};
  std::vector<std::thread> workers_;
};

}  // namespace quern
