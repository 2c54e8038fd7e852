#include "core/error.h"

#include "core/log.h"

namespace quern {

void raise_text(ErrorKind kind, std::string text) {
  log(LogLevel::errors, "error: {}", text);
  throw Error(kind, text);
}

void bug_text(std::string text) {
  throw Error(ErrorKind::bug, "This is an error in quern itself, not in your program; please report it: " + text);
}

}  // namespace quern
