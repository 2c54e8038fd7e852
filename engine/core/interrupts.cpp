#include "core/interrupts.h"

#include <atomic>
#include <mutex>
#include <unordered_set>

namespace quern {

namespace {

std::atomic<uint64_t> last_number{0};
std::atomic<bool> any_dropped{false};

struct Dropped {
  std::mutex lock;
  std::unordered_set<uint64_t> numbers;
};
Dropped& all() {
  static auto* dropped = new Dropped;  // never destroyed: work may end late
  return *dropped;
}

}  // namespace

thread_local uint64_t ArrayWork::current_ = 0;

ArrayWork::ArrayWork() : before_(current_) { current_ = last_number.fetch_add(1, std::memory_order_relaxed) + 1; }

void drop_work(uint64_t number) {
  if (number == 0) return;
  std::lock_guard hold(all().lock);
  all().numbers.insert(number);
  any_dropped = true;
}

bool is_dropped(uint64_t number) {
  if (number == 0 || !any_dropped.load(std::memory_order_acquire)) return false;
  std::lock_guard hold(all().lock);
  return all().numbers.contains(number);
}

}  // namespace quern
