// Who asked for this work: a site is an interned number for a place in the user's program.
//
// The bindings make sites from (code object, instruction); C++ callers from std::source_location. Here is only the number, and
// two hooks that whoever makes sites installs: where we are now, and how to print a site. Nothing here holds a frame.
#pragma once

#include <cstdint>
#include <string>

namespace quern {

using Site = uint32_t;
inline constexpr Site no_site = 0;

struct SiteHooks {
  Site (*current)() = nullptr;              // cheap: called for every launch and copy
  std::string (*describe)(Site) = nullptr;  // "script.py:12"; may be called from any thread
};

void set_site_hooks(SiteHooks hooks);
Site current_site();
std::string describe_site(Site site);  // "" for no_site

}  // namespace quern
