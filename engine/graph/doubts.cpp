#include "graph/doubts.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace quern {

namespace {

constexpr size_t most_of_a_value = 16;

struct Doubts {
  std::mutex lock;
  Doubt next = 0;
  std::set<Doubt> open;
  std::map<Doubt, Failed> confirmed;
  std::set<Doubt> told_once;
};
Doubts& all() {
  static auto* doubts = new Doubts;  // never destroyed: work may end late
  return *doubts;
}

}  // namespace

Doubt open_doubt() {
  std::lock_guard hold(all().lock);
  all().open.insert(all().next);
  return all().next++;
}

Doubt next_doubt() {
  std::lock_guard hold(all().lock);
  return all().next;
}

void tell_once(Doubt doubt) {
  std::lock_guard hold(all().lock);
  if (all().open.contains(doubt) || all().confirmed.contains(doubt)) all().told_once.insert(doubt);
}

void settle_doubt(Doubt doubt) {
  std::lock_guard hold(all().lock);
  all().open.erase(doubt);
  all().told_once.erase(doubt);
}

void confirm_doubt(Doubt doubt, Failed failed) {
  std::lock_guard hold(all().lock);
  all().open.erase(doubt);
  all().confirmed[doubt] = std::move(failed);
}

void add_doubts(std::vector<Doubt>& to, std::span<const Doubt> from) {
  if (from.empty()) return;
  std::lock_guard hold(all().lock);
  for (Doubt doubt : from) {
    bool matters = all().open.contains(doubt) || all().confirmed.contains(doubt);
    auto at = std::lower_bound(to.begin(), to.end(), doubt);
    if (matters && (at == to.end() || *at != doubt)) to.insert(at, doubt);
  }
  if (to.size() > most_of_a_value) to.erase(to.begin(), to.end() - most_of_a_value);
}

bool any_open(std::span<const Doubt> doubts) {
  if (doubts.empty()) return false;
  std::lock_guard hold(all().lock);
  return std::any_of(doubts.begin(), doubts.end(), [](Doubt d) { return all().open.contains(d); });
}

void raise_confirmed(std::span<const Doubt> doubts) {
  if (doubts.empty()) return;
  Failed found;
  {
    std::lock_guard hold(all().lock);
    auto first = std::find_if(doubts.begin(), doubts.end(), [](Doubt d) { return all().confirmed.contains(d); });
    if (first == doubts.end()) return;
    found = all().confirmed[*first];
    if (all().told_once.erase(*first) > 0) all().confirmed.erase(*first);
  }
  std::string where = describe_site(found.site);  // may take Python's lock: with none of ours
  raise_text(found.kind, where.empty() ? found.text : found.text + " (recorded at " + where + ")");
}

}  // namespace quern
