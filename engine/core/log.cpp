#include "core/log.h"

#include <cstdio>
#include <cstdlib>

namespace quern {

namespace {
int level_from_environment() {
  const char* text = std::getenv("QUERN_DEBUG");
  return text ? std::atoi(text) : 0;
}
}  // namespace

int log_level = level_from_environment();

void set_log_level(int level) { log_level = level; }

void log_text(const std::string& line) { std::fprintf(stderr, "[quern] %s\n", line.c_str()); }

}  // namespace quern
