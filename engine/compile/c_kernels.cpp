// A reader of words, which knows comments, strings and braces, and no more of C++.
#include "compile/c_kernels.h"

#include "compile/signature.h"

#include <algorithm>
#include <cctype>

namespace quern {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Names, strings as they stand, and every other sign by itself; no comments, no lines of the preprocessor.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  bool line_begins = true;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    std::string_view rest = text.substr(i);
    if (rest.starts_with("//") || (line_begins && text[i] == '#')) {
      while (end < text.size() && (text[end] != '\n' || text[end - 1] == '\\')) ++end;
    } else if (rest.starts_with("/*")) {
      end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      words.push_back(text.substr(i, end - i));
    } else if (is_name(text[i])) {
      while (end < text.size() && is_name(text[end])) ++end;
      words.push_back(text.substr(i, end - i));
    } else if (!std::isspace(static_cast<unsigned char>(text[i]))) {
      words.push_back(rest.substr(0, 1));
    }
    line_begins = text[i] == '\n' || (line_begins && std::isspace(static_cast<unsigned char>(text[i])));
    i = end;
  }
  return words;
}

}  // namespace

std::vector<std::string> c_kernels(std::string_view text) {
  if (text.find("__global__") == text.npos || text.find("\"C\"") == text.npos) return {};
  std::vector<std::string_view> words = words_of(text);
  std::vector<std::string> out;
  int depth = 0, c_depth = 0;  // of braces; the one in which everything is extern "C", if any
  bool is_c = false, is_template = false;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "{") ++depth;
    if (word == "}" && depth-- == c_depth) c_depth = 0;
    if (word == "{" || word == "}" || word == ";") is_c = is_template = false;
    if (word == "template") is_template = true;
    if (word == "extern" && i + 2 < words.size() && words[i + 1] == "\"C\"") {
      if (words[i + 2] == "{") {
        if (c_depth == 0) c_depth = depth + 1;
      } else {
        is_c = true;
      }
    }
    if (word != "__global__" || is_template || !(is_c || (c_depth > 0 && depth == c_depth))) continue;
    // Its name stands before the first parenthesis that is not an attribute's.
    for (size_t n = i + 1; n + 1 < words.size() && words[n] != ";" && words[n] != "{"; ++n) {
      if (words[n + 1] != "(" || !is_name(words[n][0])) continue;
      if (words[n].starts_with("__")) {  // __launch_bounds__(...), __attribute__((...))
        int open = 0;
        do {
          ++n;
          open += words[n] == "(" ? 1 : words[n] == ")" ? -1 : 0;
        } while (open > 0 && n + 1 < words.size());
        continue;
      }
      if (std::find(out.begin(), out.end(), words[n]) == out.end()) out.emplace_back(words[n]);
      break;
    }
  }
  return out;
}

std::string type_request(std::string_view kernel) { return "__quern_types<decltype(&" + std::string(kernel) + ")>"; }

bool is_of_type_request(std::string_view symbol) { return symbol.starts_with("_Z13__quern_types"); }

std::string type_told(std::string_view symbol) {
  std::string type = read_symbol(symbol).signature;  // of a pointer to a function without a result
  if (!type.starts_with("PFv") || !type.ends_with("E")) return "";
  return type.substr(3, type.size() - 4);
}

}  // namespace quern
