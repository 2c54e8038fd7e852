#include "device/thread_pool.h"

#include "core/clock.h"
#include "core/spin.h"
#include "core/trace.h"

namespace quern {

namespace {
constexpr int spins_before_sleep = 4000, spins_for_the_last = 2000;
}

std::atomic<int64_t> ThreadPool::time_in_bodies_{0};

void ThreadPool::call(void (*body)(void*), void* context) {
  if (!tracing()) return body(context);
  int64_t start = now_ns();
  body(context);
  time_in_bodies_.fetch_add(now_ns() - start, std::memory_order_relaxed);
}

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { worker(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard hold(entry_);
    closing_ = true;
  }
  calls_.fetch_add(1);
  calls_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::worker() {
  for (uint32_t seen = 0;;) {
    // Launches often follow one another at once: look for a while before sleeping.
    spin_while(spins_before_sleep, [&] { return calls_.load(std::memory_order_relaxed) == seen; });
    if (calls_.load(std::memory_order_acquire) == seen) {
      asleep_.fetch_add(1);
      calls_.wait(seen, std::memory_order_acquire);
      asleep_.fetch_sub(1);
    }
    seen = calls_.load(std::memory_order_acquire);
    std::unique_lock hold(entry_);
    if (closing_) return;
    if (!body_) continue;  // it is over already
    auto body = body_;
    void* context = context_;
    ++inside_;
    hold.unlock();
    call(body, context);
    hold.lock();
    if (--inside_ == 0) left_.notify_one();
  }
}

void ThreadPool::run(void (*body)(void*), void* context) {
  std::unique_lock alone(running_, std::try_to_lock);
  if (!alone || workers_.empty()) return call(body, context);
  {
    std::lock_guard hold(entry_);
    body_ = body;
    context_ = context;
  }
  calls_.fetch_add(1);
  if (asleep_.load() > 0) calls_.notify_all();
  call(body, context);
  std::unique_lock hold(entry_);
  body_ = nullptr;  // whoever comes now is too late
  hold.unlock();
  spin_while(spins_for_the_last, [&] {
    std::lock_guard look(entry_);
    return inside_ > 0;
  });
  hold.lock();
  left_.wait(hold, [&] { return inside_ == 0; });
}

}  // namespace quern
