#include "graph/deferred_errors.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>

namespace quern {

namespace {

constexpr size_t most_of_a_value = 1024;

struct DeferredErrors {
  std::mutex lock;
  DeferredError first = 0;   // of those in `is_open`
  std::deque<bool> is_open;  // by the order of their opening; the first one is
  std::map<DeferredError, Failed> confirmed;
  std::set<DeferredError> told_once;
  std::set<DeferredError> came_true;  // told or not

  DeferredError end() const { return first + static_cast<DeferredError>(is_open.size()); }
  bool open(DeferredError error) const { return error >= first && error < end() && is_open[error - first]; }
  bool matters(DeferredError error) const { return open(error) || (!confirmed.empty() && confirmed.contains(error)); }
  void close(DeferredError error) {
    if (!open(error)) return;
    is_open[error - first] = false;
    for (; !is_open.empty() && !is_open.front(); ++first) is_open.pop_front();
  }
};
DeferredErrors& all() {
  static auto* deferred = new DeferredErrors;  // never destroyed: work may end late
  return *deferred;
}

}  // namespace

DeferredError open_deferred() {
  std::lock_guard hold(all().lock);
  all().is_open.push_back(true);
  return all().end() - 1;
}

DeferredError next_deferred() {
  std::lock_guard hold(all().lock);
  return all().end();
}

void tell_once(DeferredError error) {
  std::lock_guard hold(all().lock);
  if (all().matters(error)) all().told_once.insert(error);
}

void settle_deferred(DeferredError error) {
  std::lock_guard hold(all().lock);
  all().close(error);
  all().told_once.erase(error);
}

void confirm_deferred(DeferredError error, Failed failed) {
  std::lock_guard hold(all().lock);
  all().close(error);
  all().confirmed[error] = std::move(failed);
  all().came_true.insert(error);
}

bool came_to_nothing(DeferredError error) {
  std::lock_guard hold(all().lock);
  return !all().open(error) && !all().came_true.contains(error);
}

void add_deferred(std::vector<DeferredError>& to, std::span<const DeferredError> from) {
  if (std::includes(to.begin(), to.end(), from.begin(), from.end())) return;  // so of most operands, and of none
  std::lock_guard hold(all().lock);
  for (DeferredError error : from) {
    if (!all().matters(error)) continue;
    auto at = std::lower_bound(to.begin(), to.end(), error);
    if (at == to.end() || *at != error) to.insert(at, error);
  }
  if (to.size() > most_of_a_value) to.erase(to.begin(), to.end() - most_of_a_value);
}

bool any_open(std::span<const DeferredError> deferred) {
  if (deferred.empty()) return false;
  std::lock_guard hold(all().lock);
  return std::any_of(deferred.begin(), deferred.end(), [](DeferredError d) { return all().open(d); });
}

void raise_confirmed(std::span<const DeferredError> deferred) {
  if (deferred.empty()) return;
  Failed found;
  {
    std::lock_guard hold(all().lock);
    auto first = std::find_if(deferred.begin(), deferred.end(), [](DeferredError d) { return all().confirmed.contains(d); });
    if (first == deferred.end()) return;
    found = all().confirmed[*first];
    if (all().told_once.erase(*first) > 0) all().confirmed.erase(*first);
  }
  std::string where = describe_site(found.site);  // may take Python's lock: with none of ours
  raise_text(found.kind, where.empty() ? found.text : found.text + " (recorded at " + where + ")");
}

}  // namespace quern
