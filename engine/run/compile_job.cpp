#include "run/compile_job.h"

#include <pthread.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace quern {

namespace {

// The jobs that run, in this process.
struct JobsAtWork {
  std::mutex lock;
  std::condition_variable none;
  int count = 0;
  bool is_ending = false;

  bool begin() {
    std::lock_guard hold(lock);
    if (!is_ending) ++count;
    return !is_ending;
  }
  void end() {
    std::lock_guard hold(lock);
    --count;
    none.notify_all();
  }
  void wait() {
    std::unique_lock hold(lock);
    is_ending = true;
    none.wait(hold, [this] { return count == 0; });
  }
};

JobsAtWork*& jobs() {
  static JobsAtWork* those = [] {
    std::atexit(end_compile_jobs);
    pthread_atfork(nullptr, nullptr, [] { jobs() = new JobsAtWork; });  // a forked child has none of the threads
    return new JobsAtWork;
  }();
  return those;
}

}  // namespace

CompileJob::CompileJob(CacheClaim claimed, Compiler& with, Source text, CompileOptions flags, Target for_target)
    : claim(std::move(claimed)),
      compiler(with),
      source(std::move(text)),
      options(std::move(flags)),
      target(std::move(for_target)) {
  jobs();  // its handler at exit is registered before the thread begins
}

void CompileJob::run() noexcept {
  if (!jobs()->begin()) return;
  try {
    claim.make([&] { return compiler.compile(source, options, target); });
  } catch (...) {
    // Whoever needs the kernel compiles it once more, and raises.
  }
  jobs()->end();
}

void end_compile_jobs() noexcept { jobs()->wait(); }

}  // namespace quern
