// Errors: two verbs and nothing else.
//
//   raise(ErrorKind::value, "[launch] block has {} threads; the limit is {}", n, limit)
//       the user can fix it: the message names the operation, what is wrong and what to do
//   bug("plan has no roots")
//       our own fault: the text says so and asks for a report
//
// An ErrorKind is what the Python bindings turn into an exception type; see bindings/errors.cpp.
#pragma once

#include <string>
#include <utility>

#include "core/format.h"
#include "include/quern/error.h"

namespace quern {

[[noreturn]] void raise_text(ErrorKind kind, std::string text);
[[noreturn]] void bug_text(std::string text);

template <class... Args>
[[noreturn]] void raise(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  raise_text(kind, formatted(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void bug(fmt::format_string<Args...> format, Args&&... args) {
  bug_text(formatted(format, std::forward<Args>(args)...));
}

}  // namespace quern
