// Text from fmt's format strings, which are checked when they are compiled. Only format.cpp compiles fmt's implementation: in
// every other file it took a compiler 2.4 seconds.
#pragma once

#if __has_include(<fmt/base.h>)
#include <fmt/base.h>
#else
#include <fmt/core.h>
#endif

#include <string>
#include <string_view>

namespace quern {

std::string format_arguments(fmt::string_view format, fmt::format_args arguments);

template <class... Args>
std::string formatted(fmt::format_string<Args...> format, Args&&... args) {
  return format_arguments(format, fmt::make_format_args(args...));
}

// The elements of a list as text, with a separator between them.
template <class List>
std::string join_text(const List& list, std::string_view separator) {
  std::string text;
  for (bool first = true; const auto& element : list) {
    if (!first) text += separator;
    first = false;
    text += formatted("{}", element);
  }
  return text;
}

}  // namespace quern
