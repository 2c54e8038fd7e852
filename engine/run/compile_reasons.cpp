#include "run/compile_reasons.h"

#include <string_view>

namespace quern {

namespace {

std::vector<const char*> differing(std::span<const KernelTrait> now, std::span<const KernelTrait> before) {
  std::vector<const char*> out;
  bool other_rank = false;
  for (size_t i = 0; i < now.size(); ++i) {
    if (i < before.size() && now[i].value == before[i].value) continue;
    other_rank |= std::string_view(now[i].what) == "number of dimensions";
    if (other_rank && std::string_view(now[i].what) == "layout class") continue;  // each number of dimensions has its own
    out.push_back(now[i].what);
  }
  return out;
}

}  // namespace

std::string CompileReasons::note(uint64_t work, std::span<const KernelTrait> traits, std::string_view first,
                                 std::string_view same) {
  std::lock_guard hold(lock_);
  auto& known = known_[work];
  std::string reason{first};
  if (!known.empty()) {
    std::vector<const char*> least = differing(traits, known.front());
    for (const auto& before : known) {
      std::vector<const char*> these = differing(traits, before);
      if (these.size() < least.size()) least = std::move(these);
    }
    reason = least.empty() ? same : "new ";
    for (size_t i = 0; i < least.size(); ++i) {
      if (i > 0) reason += i + 1 == least.size() ? " and " : ", ";
      reason += least[i];
    }
  }
  known.emplace_back(traits.begin(), traits.end());
  return reason;
}

CompileReasons& compile_reasons() {
  static auto* one = new CompileReasons;  // calls may come while the process ends
  return *one;
}

}  // namespace quern
