#include "core/site.h"

#include <atomic>

namespace quern {

namespace {
std::atomic<Site (*)()> current_hook{nullptr};
std::atomic<std::string (*)(Site)> describe_hook{nullptr};
}  // namespace

void set_site_hooks(SiteHooks hooks) {
  current_hook = hooks.current;
  describe_hook = hooks.describe;
}

Site current_site() {
  auto hook = current_hook.load(std::memory_order_relaxed);
  return hook ? hook() : no_site;
}

std::string describe_site(Site site) {
  auto hook = describe_hook.load(std::memory_order_relaxed);
  return hook && site != no_site ? hook(site) : std::string();
}

}  // namespace quern
