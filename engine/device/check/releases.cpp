#include "device/check/releases.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace quern::check {

namespace {

SeenPtr joined_seen(const SeenPtr& one, const Seen* other) {
  if (!other || other->empty() || one.get() == other) return one;
  if (!one) return std::make_shared<Seen>(*other);
  bool is_part = std::all_of(other->begin(), other->end(), [&](const auto& entry) {
    auto found = one->find(entry.first);
    return found != one->end() && found->second >= entry.second;
  });
  if (is_part) return one;
  auto both = std::make_shared<Seen>(*one);
  for (auto [address, number] : *other) (*both)[address] = std::max((*both)[address], number);
  return both;
}

void see_all(std::shared_ptr<Seen>& seen, const Seen& other) {
  if (!seen) seen = std::make_shared<Seen>();
  for (auto [address, number] : other) (*seen)[address] = std::max((*seen)[address], number);
}

Scope between(uint64_t block, uint64_t other) { return block == other ? of_block : of_device; }

}  // namespace

bool Told::covers(uint32_t other, uint32_t tick, Scope scope) const {
  const Ready& own = mine[scope];
  if (other == thread && tick <= own.own) return true;
  if (own.of_warp && other / 32 == thread / 32 && tick <= (*own.of_warp)[other % 32]) return true;
  for (const Ready* one : {&own, &common[scope]})
    if (tick <= one->of_all || (one->of_threads && tick <= (*one->of_threads)[other])) return true;
  return false;
}

// ---- a block

BlockReleases::Of& BlockReleases::of(uint32_t thread) {
  if (of_threads_.empty()) of_threads_.resize(threads_);
  is_new_ = true;
  return of_threads_[thread];
}

void BlockReleases::fence(uint32_t thread, Scope scope, uint32_t tick, uint32_t barrier_tick, const Joined& joined) {
  Of& mine = of(thread);
  mine.told = nullptr;
  for (Scope each : {of_device, of_block}) {
    if (each == of_device && scope == of_block) continue;
    Ready& ready = mine.ready[each];
    ready.own = tick;
    ready.of_all = std::max(ready.of_all, barrier_tick - 1);
    const uint32_t* row = joined.data() + thread % 32 * 32;
    if (std::any_of(row, row + 32, [&](uint32_t known) { return known > barrier_tick; })) {
      auto lanes = ready.of_warp ? std::make_shared<std::array<uint32_t, 32>>(*ready.of_warp)
                                 : std::make_shared<std::array<uint32_t, 32>>();
      for (size_t lane = 0; lane < 32; ++lane)
        if (row[lane]) (*lanes)[lane] = std::max((*lanes)[lane], row[lane] - 1);
      ready.of_warp = std::move(lanes);
    }
    ready.seen = joined_seen(joined_seen(ready.seen, mine.seen.get()), common_seen_.get());
  }
}

void BlockReleases::pass_barrier() {
  if (!is_new_) return;
  for (Scope scope : {of_device, of_block}) {
    if (std::none_of(of_threads_.begin(), of_threads_.end(), [&](const Of& one) { return one.ready[scope].any(); })) continue;
    Ready& common = common_[scope];
    auto all = common.of_threads ? std::make_shared<std::vector<uint32_t>>(*common.of_threads)
                                 : std::make_shared<std::vector<uint32_t>>(threads_);
    for (uint32_t t = 0; t < threads_; ++t) {
      Ready& ready = of_threads_[t].ready[scope];
      common.of_all = std::max(common.of_all, ready.of_all);
      (*all)[t] = std::max((*all)[t], ready.own);
      if (ready.of_warp)
        for (uint32_t other = t / 32 * 32; other < std::min(threads_, t / 32 * 32 + 32); ++other)
          (*all)[other] = std::max((*all)[other], (*ready.of_warp)[other % 32]);
      common.seen = joined_seen(common.seen, ready.seen.get());
      ready = {};
    }
    common.of_threads = std::move(all);
  }
  for (Of& one : of_threads_) {
    one.told = nullptr;
    if (!one.seen) continue;
    see_all(common_seen_, *one.seen);
    one.seen = nullptr;
  }
  is_new_ = false;
}

void BlockReleases::pass_warp_barrier(size_t warp, uint32_t lanes) {
  if (!is_new_) return;
  auto each = [&](auto&& f) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1 && warp * 32 + lane < threads_) f(lane, of_threads_[warp * 32 + lane]);
  };
  for (Scope scope : {of_device, of_block}) {
    Ready all;
    auto of_lanes = std::make_shared<std::array<uint32_t, 32>>();
    bool any = false;
    each([&](uint32_t lane, Of& one) {
      const Ready& ready = one.ready[scope];
      any = any || ready.any();
      all.of_all = std::max(all.of_all, ready.of_all);
      (*of_lanes)[lane] = std::max((*of_lanes)[lane], ready.own);
      for (uint32_t other = 0; ready.of_warp && other < 32; ++other)
        (*of_lanes)[other] = std::max((*of_lanes)[other], (*ready.of_warp)[other]);
      all.seen = joined_seen(all.seen, ready.seen.get());
    });
    if (!any) continue;
    each([&](uint32_t, Of& one) {
      Ready& ready = one.ready[scope];
      ready.of_all = all.of_all, ready.of_warp = of_lanes, ready.seen = all.seen;
    });
  }
  std::shared_ptr<Seen> seen;
  each([&](uint32_t, Of& one) {
    one.told = nullptr;
    if (one.seen) see_all(seen, *one.seen);
  });
  if (seen) each([&](uint32_t, Of& one) { one.seen = std::make_shared<Seen>(*seen); });
}

void BlockReleases::see(uint32_t thread, uintptr_t address, uint64_t number) {
  auto& seen = of(thread).seen;
  if (!seen) seen = std::make_shared<Seen>();
  (*seen)[address] = number;
  has_seen_any_ = true;
}

std::shared_ptr<const Told> BlockReleases::told_by(uint32_t thread) {
  if (of_threads_.empty()) return nullptr;
  Of& mine = of_threads_[thread];
  if (!mine.told) {
    if (!mine.ready[of_block].any() && !common_[of_block].any()) return nullptr;
    mine.told = std::make_shared<Told>(Told{thread, mine.ready, common_});
  }
  return mine.told;
}

std::array<const Seen*, 2> BlockReleases::seen_by(uint32_t thread) const {
  return {of_threads_.empty() ? nullptr : of_threads_[thread].seen.get(), common_seen_.get()};
}

void BlockReleases::clear() { *this = BlockReleases(threads_); }

// ---- a launch

void Releases::add(uintptr_t address, uint64_t block, std::shared_ptr<const Told> told) {
  auto& all = at_[address][block];
  if (!all.empty() && all.back().told == told) return;
  all.push_back({++count_, std::move(told)});
}

void Releases::clear() { at_.clear(); }

bool Releases::lead_to(const BlockReleases& mine, uint32_t my_thread, uint64_t my_block, uint64_t block, uint32_t thread,
                       uint32_t tick) const {
  auto seen = mine.seen_by(my_thread);
  auto is_told = [&](uintptr_t address, uint64_t up_to, uint64_t who) {
    auto at = at_.find(address);
    if (at == at_.end()) return false;
    auto of_block = at->second.find(block);
    if (of_block == at->second.end()) return false;
    const auto& all = of_block->second;
    for (auto one = all.rbegin(); one != all.rend(); ++one)
      if (one->number <= up_to && one->told->covers(thread, tick, between(who, block))) return true;
    return false;
  };
  for (const Seen* one : seen)
    if (one)
      for (auto [address, up_to] : *one)
        if (is_told(address, up_to, my_block)) return true;
  // By others, who had seen it before they told.
  std::vector<std::tuple<uintptr_t, uint64_t, uint64_t>> next;
  std::unordered_map<uintptr_t, uint64_t> visited;
  std::unordered_set<const Seen*> known;
  auto look_at = [&](const Seen* one, uint64_t who) {
    if (!one || !known.insert(one).second) return;
    for (auto [address, up_to] : *one) next.emplace_back(address, up_to, who);
  };
  for (const Seen* one : seen) look_at(one, my_block);
  while (!next.empty()) {
    auto [address, up_to, who] = next.back();
    next.pop_back();
    if (who != my_block && is_told(address, up_to, who)) return true;
    uint64_t& from = visited[address];
    if (up_to <= from) continue;
    if (auto at = at_.find(address); at != at_.end())
      for (const auto& [of, all] : at->second)
        for (const Release& one : all)
          if (one.number > from && one.number <= up_to)
            for (const auto* ready : {&one.told->mine, &one.told->common}) look_at((*ready)[between(who, of)].seen.get(), of);
    from = up_to;
  }
  return false;
}

}  // namespace quern::check
