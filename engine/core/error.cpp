#include "core/error.h"

#include "core/expected_errors.h"
#include "core/log.h"

namespace quern {

static thread_local int expecting = 0;  // how many ExpectedErrors live

ExpectedErrors::ExpectedErrors() { ++expecting; }
ExpectedErrors::~ExpectedErrors() { --expecting; }

void raise_text(ErrorKind kind, std::string text) {
  if (expecting == 0) log(LogLevel::errors, "error: {}", text);
  throw Error(kind, text);
}

void bug_text(std::string text) {
  throw Error(ErrorKind::bug, "This is an error in quern itself, not in your program; please report it: " + text);
}

}  // namespace quern
