#include "graph/deferred_errors.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace quern {

namespace {

constexpr size_t most_of_a_value = 16;

struct DeferredErrors {
  std::mutex lock;
  DeferredError next = 0;
  std::set<DeferredError> open;
  std::map<DeferredError, Failed> confirmed;
  std::set<DeferredError> told_once;
};
DeferredErrors& all() {
  static auto* deferred = new DeferredErrors;  // never destroyed: work may end late
  return *deferred;
}

}  // namespace

DeferredError open_deferred() {
  std::lock_guard hold(all().lock);
  all().open.insert(all().next);
  return all().next++;
}

DeferredError next_deferred() {
  std::lock_guard hold(all().lock);
  return all().next;
}

void tell_once(DeferredError error) {
  std::lock_guard hold(all().lock);
  if (all().open.contains(error) || all().confirmed.contains(error)) all().told_once.insert(error);
}

void settle_deferred(DeferredError error) {
  std::lock_guard hold(all().lock);
  all().open.erase(error);
  all().told_once.erase(error);
}

void confirm_deferred(DeferredError error, Failed failed) {
  std::lock_guard hold(all().lock);
  all().open.erase(error);
  all().confirmed[error] = std::move(failed);
}

void add_deferred(std::vector<DeferredError>& to, std::span<const DeferredError> from) {
  if (from.empty()) return;
  std::lock_guard hold(all().lock);
  for (DeferredError error : from) {
    bool matters = all().open.contains(error) || all().confirmed.contains(error);
    auto at = std::lower_bound(to.begin(), to.end(), error);
    if (matters && (at == to.end() || *at != error)) to.insert(at, error);
  }
  if (to.size() > most_of_a_value) to.erase(to.begin(), to.end() - most_of_a_value);
}

bool any_open(std::span<const DeferredError> deferred) {
  if (deferred.empty()) return false;
  std::lock_guard hold(all().lock);
  return std::any_of(deferred.begin(), deferred.end(), [](DeferredError d) { return all().open.contains(d); });
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
