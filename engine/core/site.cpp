#include "core/site.h"

#include "core/site_pairs.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace quern {

namespace {

std::atomic<Site (*)()> current_hook{nullptr};
std::atomic<std::string (*)(Site)> describe_hook{nullptr};

// ---- places in C++ programs

constexpr Site in_cpp = 0x80000000u, is_pair = 0x40000000u;

struct Places {
  std::mutex lock;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, Site> numbers;
  std::vector<std::string> texts;  // "heat.cpp:12"
};
// Never destroyed: static objects of the user's may still work with arrays.
Places& places() {
  static auto* all = new Places;
  return *all;
}

std::atomic<bool> any_place{false};
thread_local Site place_now = no_site;

struct Recent {
  const char* file = nullptr;
  uint32_t line = 0, column = 0;
  Site site = no_site;
};
thread_local std::array<Recent, 256> recent;

Site intern(const std::source_location& place) {
  Places& all = places();
  std::lock_guard hold(all.lock);
  auto [found, is_new] = all.numbers.try_emplace({place.file_name(), place.line(), place.column()}, no_site);
  if (!is_new) return found->second;
  all.texts.push_back(std::string(place.file_name()) + ":" + std::to_string(place.line()));
  any_place = true;
  return found->second = static_cast<Site>(all.texts.size() - 1) | in_cpp;
}

// ---- pairs

struct Pairs {
  static constexpr size_t most = 1 << 20;
  std::mutex lock;
  std::map<std::pair<Site, Site>, Site> numbers;
  std::vector<SitePair> all;
};
Pairs& pairs() {
  static auto* one = new Pairs;
  return *one;
}

}  // namespace

Site site_pair(Site of, Site asked_by) {
  if (auto pair = pair_of(of)) of = pair->of;
  if (auto pair = pair_of(asked_by)) asked_by = pair->asked_by;
  if (of == no_site) return asked_by;
  if (asked_by == no_site || asked_by == of) return of;
  Pairs& known = pairs();
  std::lock_guard hold(known.lock);
  auto [found, is_new] = known.numbers.try_emplace({of, asked_by}, no_site);
  if (!is_new) return found->second;
  if (known.all.size() >= Pairs::most) {
    known.numbers.erase(found);
    return of;
  }
  known.all.push_back({of, asked_by});
  any_place = true;
  return found->second = static_cast<Site>(known.all.size() - 1) | is_pair;
}

std::optional<SitePair> pair_of(Site site) {
  if ((site & (in_cpp | is_pair)) != is_pair) return std::nullopt;
  Pairs& known = pairs();
  std::lock_guard hold(known.lock);
  size_t number = site & ~is_pair;
  return number < known.all.size() ? std::optional(known.all[number]) : std::nullopt;
}

void set_site_hooks(SiteHooks hooks) {
  current_hook = hooks.current;
  describe_hook = hooks.describe;
}

Site current_site() {
  // A thread's variable costs a call; programs without C++ places do not pay for it.
  auto hook = current_hook.load(std::memory_order_relaxed);
  if (any_place.load(std::memory_order_relaxed) && place_now != no_site) {
    auto pair = hook ? pair_of(place_now) : std::nullopt;
    if (!pair) return place_now;
    // A program's own function that is called on the way has its own lines.
    Site here = hook();
    return here == pair->asked_by ? place_now : here;
  }
  return hook ? hook() : no_site;
}

std::string recorded_at(Site site) {
  std::string where = describe_site(site);
  const bool is_package =
      where.find("/site-packages/") != std::string::npos || where.find("/dist-packages/") != std::string::npos;
  return where.empty() || is_package ? "" : " (recorded at " + where + ")";
}

std::string describe_site(Site site) {
  if (auto pair = pair_of(site)) site = pair->of;
  if (site & in_cpp) {
    Places& all = places();
    std::lock_guard hold(all.lock);
    size_t number = site & ~in_cpp;
    return number < all.texts.size() ? all.texts[number] : std::string();
  }
  auto hook = describe_hook.load(std::memory_order_relaxed);
  return hook && site != no_site ? hook(site) : std::string();
}

Site site_of(const std::source_location& place) {
  const char* file = place.file_name();
  Recent& slot = recent[(reinterpret_cast<uintptr_t>(file) / 8 + place.line() * 31u + place.column()) % 256];
  if (slot.file != file || slot.line != place.line() || slot.column != place.column())
    slot = {file, place.line(), place.column(), intern(place)};
  return slot.site;
}

AtSite::AtSite(Site site) : before_(place_now) { place_now = site; }
AtSite::~AtSite() { place_now = before_; }

}  // namespace quern
