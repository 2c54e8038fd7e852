// The end of the process on a GPU: what is submitted is done, and no thread is in the driver when it takes itself down.
#include "device/cuda.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace quern {

using namespace cuda;

void CudaDevice::finish_work() noexcept {
  if (!usable()) return;
  try {
    Use use(*this, "exit");
    if (!use) return;
    // An endless kernel that the user has interrupted is left to the driver, which ends it with the process.
    if (!(left_running_ && driver().cuStreamQuery(nullptr) == error_not_ready)) driver().cuCtxSynchronize();
    std::fflush(stdout);
  } catch (...) {
  }
}

void CudaDevice::shut_down() noexcept {
  finish_work();
  state_.store(State::shut_down, std::memory_order_release);
}

namespace {

// How deep the threads are in calls of the driver. Each writes its own number alone; who ends the process reads them all.
struct Threads {
  std::mutex mutex;
  std::vector<std::atomic<int>*> depths;
};

Threads& threads() {
  static Threads& all = *new Threads;  // never destroyed
  return all;
}

thread_local std::atomic<int>* depth_of_thread = nullptr;
thread_local bool is_thread_over = false;

struct ThreadEntry {
  std::atomic<int> depth{0};
  ThreadEntry() {
    std::lock_guard hold(threads().mutex);
    threads().depths.push_back(&depth);
    depth_of_thread = &depth;
  }
  ~ThreadEntry() {
    std::lock_guard hold(threads().mutex);
    std::erase(threads().depths, &depth);
    depth_of_thread = nullptr;
    is_thread_over = true;  // destructors of the thread may still call the driver
  }
};

bool is_alone() {
  std::lock_guard hold(threads().mutex);
  return threads().depths.size() == (depth_of_thread ? 1u : 0u);
}

bool are_others_out() {
  auto is_out = [](std::atomic<int>* depth) { return depth == depth_of_thread || depth->load() == 0; };
  std::lock_guard hold(threads().mutex);
  return std::all_of(threads().depths.begin(), threads().depths.end(), is_out);
}

}  // namespace

bool others_leave_driver() noexcept {
  if (is_alone() || cuda::forked()) return true;
  for (int ms = 0; ms < 200; ++ms) {
    // First the pause: what other threads wrote before has arrived after it.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (are_others_out()) return true;
  }
  return false;
}

InDriver::InDriver() noexcept {
  if (!depth_of_thread && !is_thread_over) static thread_local ThreadEntry entry;
  depth_ = depth_of_thread;
  if (depth_) depth_->store(depth_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

InDriver::~InDriver() {
  if (depth_) depth_->store(depth_->load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

}  // namespace quern
