// The source line of work: a site is an interned number for a line of the user's program.
//
// The bindings make sites from (code object, instruction) and install two hooks: where we are now, and how to print a site. C++
// callers hand over a std::source_location, which is interned here; its numbers have the highest bit set, so that both kinds live
// in one process. Nothing here holds a frame.
#pragma once

#include <cstdint>
#include <source_location>
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
// " (recorded at script.py:12)", the end of an error's text; "" for no_site, and for a line of an installed package, such as
// Keras.
std::string recorded_at(Site site);

// A place in a C++ program.
Site site_of(const std::source_location& place);

// While it lives, what this thread does is asked for by that place.
class AtSite {
 public:
  explicit AtSite(Site site);
  ~AtSite();
  AtSite(const AtSite&) = delete;
  AtSite& operator=(const AtSite&) = delete;

 private:
  Site before_;
};

}  // namespace quern
