#include "device/check/findings.h"

#include <algorithm>
#include <utility>

namespace quern::check {

void Findings::add(Finding finding) {
  std::lock_guard hold(lock_);
  // The order in which two racing lines come says nothing.
  auto here = std::tie(finding.access.file, finding.access.line, finding.access.column);
  auto there = std::tie(finding.other.file, finding.other.line, finding.other.column);
  const auto &a = here < there ? finding.access : finding.other, &b = here < there ? finding.other : finding.access;
  Key key{finding.kind, finding.kernel, a.file, a.line, a.column, b.file, b.line, b.column, no_site, no_site};
  // One barrier of a warp that is missing is many pairs of lines; where other warps take part, it is another one's.
  const bool is_known = known_.contains(key);
  if (!is_known && finding.kind == Kind::race && finding.of_warp && !finding.object.empty())
    key = {finding.kind, finding.kernel, finding.object, 0, 0, "", 0, 0, no_site, no_site};
  if (finding.access.file.empty()) {  // no line of a kernel's: those of the program
    std::get<8>(key) = finding.kind == Kind::leak ? finding.allocated : finding.launch;
    std::get<9>(key) = finding.other_launch;
  }
  auto [at, is_new] = known_.try_emplace(std::move(key), all_.size());
  if (is_new)
    all_.push_back(std::move(finding));
  else
    ++all_[at->second].count;
}

namespace {

bool are_of_one_pair(const Finding& a, const Finding& b) {
  auto place = [](const Access& access) { return std::tie(access.file, access.line, access.column); };
  return a.kernel == b.kernel && ((place(a.access) == place(b.access) && place(a.other) == place(b.other)) ||
                                  (place(a.access) == place(b.other) && place(a.other) == place(b.access)));
}

}  // namespace

std::vector<Finding> Findings::take() {
  std::lock_guard hold(lock_);
  known_.clear();
  std::vector<Finding> out = std::exchange(all_, {});
  // What lanes of one warp do to each other, and threads of several warps, too, is one mistake.
  auto is_warps = [](const Finding& one) { return one.kind == Kind::race && one.of_warp; };
  for (Finding& one : out) {
    if (!is_warps(one)) continue;
    auto same = std::ranges::find_if(
        out, [&](const Finding& other) { return other.kind == Kind::race && !other.of_warp && are_of_one_pair(one, other); });
    if (same != out.end()) same->count += std::exchange(one.count, 0);
  }
  std::erase_if(out, [](const Finding& one) { return one.count == 0; });
  return out;
}

}  // namespace quern::check
