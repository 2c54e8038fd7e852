// Work for a line that another line asks for: what backward() computes is for the lines that were recorded.
//
// A pair is a site like others (bit 30 marks it); describe_site() says the line that it is for.
#pragma once

#include "core/site.h"

#include <optional>

namespace quern {

struct SitePair {
  Site of, asked_by;
};

// `of` alone where nobody is known to have asked; a pair as `of` means its line.
Site site_pair(Site of, Site asked_by);
std::optional<SitePair> pair_of(Site site);  // nothing: it is one line's

}  // namespace quern
