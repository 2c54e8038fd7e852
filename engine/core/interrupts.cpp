#include "core/interrupts.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace quern {

namespace {

std::atomic<uint64_t> last_number{0};
std::atomic<bool> any_dropped{false};

struct Made {
  uint64_t number;
  std::vector<uint64_t> inputs;
};

struct Dropped {
  std::mutex lock;
  std::unordered_set<uint64_t> numbers;
  std::deque<Made> recent;  // in the order of submission

  bool has_any(std::span<const uint64_t> inputs) const {
    return std::any_of(inputs.begin(), inputs.end(), [&](uint64_t input) { return numbers.contains(input); });
  }
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
  for (const Made& made : all().recent) {
    if (all().has_any(made.inputs)) all().numbers.insert(made.number);
  }
  any_dropped = true;
}

void record_inputs(uint64_t number, std::span<const uint64_t> inputs) {
  constexpr size_t most = 1 << 14;  // more than streams take before they make those wait who submit
  std::lock_guard hold(all().lock);
  if (all().has_any(inputs)) all().numbers.insert(number);  // dropped meanwhile
  all().recent.push_back({number, {inputs.begin(), inputs.end()}});
  if (all().recent.size() > most) all().recent.pop_front();
}

bool is_dropped(uint64_t number) {
  if (number == 0 || !any_dropped.load(std::memory_order_acquire)) return false;
  std::lock_guard hold(all().lock);
  return all().numbers.contains(number);
}

}  // namespace quern
