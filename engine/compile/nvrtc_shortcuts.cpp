#include "compile/nvrtc_shortcuts.h"

#include <algorithm>

namespace quern {
namespace {

constexpr uint32_t most_heads = 8;
constexpr std::string_view space = " \t\r\n\f\v";

// The text's first line, with those that a backslash joins to it; without the line's end.
std::string_view first_line(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && (text[end] != '\n' || (end > 0 && text[end - 1] == '\\'))) ++end;
  return text.substr(0, end);
}

// What comes after white space and comments.
size_t past_comments(std::string_view text, size_t at) {
  for (;;) {
    at = std::min(text.find_first_not_of(space, at), text.size());
    std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      at += first_line(rest).size();
    } else if (rest.starts_with("/*")) {
      size_t end = text.find("*/", at + 2);
      at = end == text.npos ? text.size() : end + 2;
    } else {
      return at;
    }
  }
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Headers whose parsing takes longer than all else.
bool is_heavy(std::string_view head) {
  return has(head, "cub/") || has(head, "cuda/") || has(head, "thrust/") || has(head, "quern/sort.cuh") ||
         has(head, "quern/select.cuh");
}

}  // namespace

bool is_minimal(std::string_view text) {
  for (std::string_view part : {"cuda", "cub/", "tex", "surf", "<<<", "thrust/", "quern/sort.cuh", "quern/select.cuh"}) {
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
      size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
      if (!text.substr(line).starts_with("#line")) return false;
    }
  }
  return true;
}

std::string_view head_of(std::string_view text) {
  size_t end = 0;
  for (size_t at = past_comments(text, 0); at < text.size() && text[at] == '#'; at = past_comments(text, at)) {
    at += first_line(text.substr(at)).size();
    end = at;
  }
  return text.substr(0, end);
}

bool Heads::returns(std::string_view text, const std::vector<std::string>& words) {
  std::string_view head = head_of(text);
  if (!has(head, "#include")) return false;
  std::string key(head);
  for (const std::string& word : words) key.append("\n").append(word);
  std::lock_guard lock(mutex_);
  uint32_t& seen = seen_[std::move(key)];
  const uint32_t enough = is_heavy(head) ? 2 : 3;
  if (seen < enough && ++seen == enough) {
    if (kept_ == most_heads)
      --seen;
    else
      ++kept_;
  }
  return seen == enough;
}

}  // namespace quern
