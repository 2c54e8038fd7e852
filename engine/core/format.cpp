// The one file with fmt's implementation in it; no other one may define FMT_HEADER_ONLY.
#define FMT_HEADER_ONLY
#include "core/format.h"

#include <fmt/format.h>

namespace quern {

std::string format_arguments(fmt::string_view format, fmt::format_args arguments) { return fmt::vformat(format, arguments); }

}  // namespace quern
