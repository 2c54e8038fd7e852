// One switch for seeing what goes on: QUERN_DEBUG=0..5, read once; lines go to standard error.
//
//   1 errors as they are raised   2 compiles and cache hits   3 launches, copies, waits   4 kernel source   5 everything (IR)
#pragma once

#include <string>

#include "core/format.h"

namespace quern {

enum class LogLevel { errors = 1, compiles = 2, launches = 3, source = 4, everything = 5 };

extern int log_level;  // from QUERN_DEBUG

void set_log_level(int level);
void log_text(const std::string& line);

inline bool logs(LogLevel level) { return log_level >= static_cast<int>(level); }

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (logs(level)) log_text(formatted(format, std::forward<Args>(args)...));
}

}  // namespace quern
