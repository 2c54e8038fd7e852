#include "device/check/host_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "device/check/state.h"
#include "device/cpu.h"

namespace quern::check {

namespace {

struct Kept {
  WorkPtr work;
  Range range;
  uintptr_t pages = 0;
  size_t bytes = 0;
};

struct Pages {
  std::recursive_mutex lock;  // a fault may come while it is held
  std::vector<Kept> kept;
  std::atomic<bool> any{false};
  int open = 0;
};

Pages& pages() {
  static auto* one = new Pages;
  return *one;
}

// As far as what is kept of these pages asks for.
void protect(uintptr_t begin, size_t bytes) {
  Pages& all = pages();
  int allowed = PROT_READ | PROT_WRITE;
  if (!all.open)
    for (const Kept& one : all.kept)
      if (one.pages == begin) allowed = one.range.written ? PROT_NONE : std::min(allowed, PROT_READ);
  mprotect(reinterpret_cast<void*>(begin), bytes, allowed);
}

void protect_all() {
  for (const Kept& one : pages().kept) protect(one.pages, one.bytes);
}

template <class Is>
void drop(Is&& is) {
  Pages& all = pages();
  std::vector<Kept> dropped;
  std::erase_if(all.kept, [&](const Kept& one) {
    if (!is(one)) return false;
    dropped.push_back(one);
    return true;
  });
  for (const Kept& one : dropped) protect(one.pages, one.bytes);
  all.any = !all.kept.empty();
}

}  // namespace

void keep_from_host(const WorkPtr& work, const Range& range) {
  auto [begin, bytes] = static_cast<CpuDevice&>(cpu_device()).pinned_pages(reinterpret_cast<const void*>(range.begin));
  if (!bytes) return;
  catch_faults();
  Pages& all = pages();
  std::lock_guard hold(all.lock);
  all.kept.push_back({work, range, reinterpret_cast<uintptr_t>(begin), bytes});
  all.any = true;
  protect(reinterpret_cast<uintptr_t>(begin), bytes);
}

void give_back_to_host() {
  Pages& all = pages();
  if (!all.any) return;
  std::lock_guard hold(all.lock);
  drop([](const Kept& one) { return timeline().is_over(*one.work); });
}

void forget_host_pages() {
  std::lock_guard hold(pages().lock);
  drop([](const Kept&) { return true; });
}

HostPagesOpen::HostPagesOpen() {
  std::lock_guard hold(pages().lock);
  if (pages().open++ == 0) protect_all();
}

HostPagesOpen::~HostPagesOpen() {
  std::lock_guard hold(pages().lock);
  if (--pages().open == 0) protect_all();
}

bool host_touched(const void* address, bool writes) {
  Pages& all = pages();
  if (!all.any) return false;
  std::lock_guard hold(all.lock);
  auto at = reinterpret_cast<uintptr_t>(address);
  auto on_page = [&](const Kept& one) { return at >= one.pages && at < one.pages + one.bytes; };
  if (std::none_of(all.kept.begin(), all.kept.end(), on_page)) return false;
  for (const Kept& one : all.kept) {
    if (!on_page(one) || at < one.range.begin || at >= one.range.end || !(writes || one.range.written)) continue;
    Finding found;
    found.kind = Kind::unordered;
    found.work = writes ? "a write by the host" : "a read by the host", found.launch = current_site();
    found.other_work = one.work->name, found.other_launch = one.work->site;
    found.bytes = one.range.end - one.range.begin;
    state().findings.add(std::move(found));
    break;
  }
  drop(on_page);
  return true;
}

}  // namespace quern::check
