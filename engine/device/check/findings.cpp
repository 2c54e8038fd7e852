#include "device/check/findings.h"

#include <utility>

namespace quern::check {

void Findings::add(Finding finding) {
  std::lock_guard hold(lock_);
  // The order in which two racing lines come says nothing.
  auto here = std::tie(finding.access.file, finding.access.line, finding.access.column);
  auto there = std::tie(finding.other.file, finding.other.line, finding.other.column);
  const auto &a = here < there ? finding.access : finding.other, &b = here < there ? finding.other : finding.access;
  Key key{finding.kind, finding.kernel, a.file, a.line, a.column, b.file, b.line, b.column, no_site, no_site};
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

std::vector<Finding> Findings::take() {
  std::lock_guard hold(lock_);
  known_.clear();
  return std::exchange(all_, {});
}

}  // namespace quern::check
