#include "core/print.h"

#include <atomic>
#include <cstdio>
#include <mutex>

namespace quern {

namespace {
std::mutex lock;
std::string printed;
std::atomic<bool> any{false};
PrintHooks print_hooks;  // set once, before any work
}  // namespace

void set_print_hooks(PrintHooks hooks) { print_hooks = hooks; }

void append_print(const std::string& text) {
  std::lock_guard hold(lock);
  printed += text;
  any = true;
}

void deliver_prints() {
  if (!any.load(std::memory_order_acquire)) return;
  std::string text;
  {
    std::lock_guard hold(lock);
    text.swap(printed);
    any = false;
  }
  if (text.empty()) return;
  if (print_hooks.write) {
    print_hooks.write(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
}

void flush_host_output() {
  if (print_hooks.flush) print_hooks.flush();
  std::fflush(stdout);
}

}  // namespace quern
