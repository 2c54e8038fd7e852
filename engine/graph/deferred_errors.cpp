#include "graph/deferred_errors.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace quern {

class Deferral {
 public:
  enum class State { open, nothing, true_, told };
  explicit Deferral(uint64_t number) : number(number) {}

  const uint64_t number;  // in the order of their opening
  std::atomic<State> state{State::open};
  bool is_told_once = false;  // with the lock held, as the text
  Failed failed;

  bool matters() const {
    const State now = state.load(std::memory_order_acquire);
    return now == State::open || now == State::true_;
  }
};

namespace {

constexpr size_t most_of_a_value = 1024;

std::mutex lock;
std::vector<DeferredError>& opened() {
  static auto* those = new std::vector<DeferredError>;  // never destroyed: work may end late
  return *those;
}

bool is_before(const DeferredError& a, const DeferredError& b) { return a->number < b->number; }

}  // namespace

DeferredError open_deferred() {
  static uint64_t count = 0;
  return opened().emplace_back(std::make_shared<Deferral>(++count));
}

OpenedDeferred::OpenedDeferred() : from_(opened().size()) {}

std::vector<DeferredError> OpenedDeferred::take() {
  const auto first = opened().begin() + static_cast<ptrdiff_t>(from_);
  std::vector<DeferredError> mine(first, opened().end());
  opened().erase(first, opened().end());
  return mine;
}

void tell_once(const DeferredError& error) {
  std::lock_guard hold(lock);
  error->is_told_once = true;
}

void settle_deferred(const DeferredError& error) { error->state.store(Deferral::State::nothing, std::memory_order_release); }

void confirm_deferred(const DeferredError& error, Failed failed) {
  std::lock_guard hold(lock);
  error->failed = std::move(failed);
  error->state.store(Deferral::State::true_, std::memory_order_release);
}

bool came_to_nothing(const DeferredError& error) {
  return error->state.load(std::memory_order_acquire) == Deferral::State::nothing;
}

void add_deferred(std::vector<DeferredError>& to, std::span<const DeferredError> from) {
  if (std::ranges::includes(to, from, is_before)) return;  // so of most operands, and of none
  for (const DeferredError& error : from) {
    if (!error->matters()) continue;
    auto at = std::lower_bound(to.begin(), to.end(), error, is_before);
    if (at == to.end() || *at != error) to.insert(at, error);
  }
  if (to.size() > most_of_a_value) to.erase(to.begin(), to.end() - most_of_a_value);
}

bool any_open(std::span<const DeferredError> deferred) {
  return std::ranges::any_of(deferred, [](auto& d) { return d->state.load(std::memory_order_acquire) == Deferral::State::open; });
}

void raise_confirmed(std::span<const DeferredError> deferred) {
  if (deferred.empty()) return;
  Failed found;
  {
    std::lock_guard hold(lock);
    auto first = std::ranges::find_if(deferred, [](auto& d) { return d->state == Deferral::State::true_; });
    if (first == deferred.end()) return;
    found = (*first)->failed;
    if ((*first)->is_told_once) (*first)->state = Deferral::State::told;
  }
  raise_text(found.kind, found.text + recorded_at(found.site));  // may take Python's lock: with none of ours
}

}  // namespace quern
