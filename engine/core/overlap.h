// Do two arrays over the same memory have a byte in common?
#pragma once

#include "core/layout.h"

#include <optional>

namespace quern {

// Exact: a bounded linear equation is solved for integers. Layouts count in elements of `bytes_a` and `bytes_b`. Nothing when the
// answer takes more than `work` steps; work < 0: as many as it takes.
std::optional<bool> overlap(const Layout& a, int64_t bytes_a, const Layout& b, int64_t bytes_b, int64_t work = -1);

}  // namespace quern
