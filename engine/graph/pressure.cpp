#include "graph/pressure.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace quern {

namespace {

// Below `low` nothing is submitted; from there to `high` places are compared; with `most` pending nobody waits any longer.
constexpr size_t low = 256, high = 512, most = 1024;
constexpr size_t most_places = 256;
int held_back = 0;
Site last = no_site;

struct Place {
  Site site, before;  // the op's, and that of the op before it
  size_t alive;       // values that the program could still look at
  size_t count;       // pending then
};
std::optional<Place> chosen;
std::vector<Place> seen;
size_t choose_at = high;   // pending then, a place is chosen of those seen
size_t give_up_at = most;  // pending then, the chosen place does not come again

void submit() {
  seen.clear();
  evaluator().evaluate({});
}

}  // namespace

void submit_under_pressure(Site site) {
  size_t count = pending_count();
  Site before = std::exchange(last, site);
  if (count < low || held_back > 0) return;
  size_t alive = pending_visible();
  // Results that a loop keeps grow with what is pending; one value more may have come from before the loop.
  if (chosen && chosen->site == site && chosen->before == before &&
      alive <= (chosen->alive * count + chosen->count - 1) / chosen->count + 1) {
    chosen = {site, before, alive, count};
    give_up_at = std::max(high, count + low);
    return submit();
  }
  if (count >= most) {
    chosen.reset();
    choose_at = high;
    return submit();
  }
  if (chosen && count < give_up_at) return;
  if (chosen) {
    // The program has left that place: another one is looked for.
    chosen.reset();
    choose_at = count + (high - low);
  }
  if (count < choose_at) {
    auto known =
        std::find_if(seen.begin(), seen.end(), [&](const Place& place) { return place.site == site && place.before == before; });
    if (known != seen.end()) {
      if (alive < known->alive) *known = {site, before, alive, count};
    } else if (seen.size() < most_places) {
      seen.push_back({site, before, alive, count});
    }
  } else if (!seen.empty()) {
    chosen = *std::min_element(seen.begin(), seen.end(), [](const Place& a, const Place& b) { return a.alive < b.alive; });
    seen.clear();
    choose_at = high;
    give_up_at = most;
  }
}

KeepPending::KeepPending() {
  GraphLock lock;
  ++held_back;
}
KeepPending::~KeepPending() {
  GraphLock lock;
  --held_back;
}

}  // namespace quern
