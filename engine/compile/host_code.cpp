#include "compile/host_code.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace quern {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), out_(text) {}

  std::string read() {
    while (at_ < text_.size()) declaration();
    return out_;
  }
  std::set<std::string> host_functions;

 private:
  // What lies between two declarations' ends: its words outside of parentheses, and what else determines its kind.
  struct Head {
    size_t begin = 0;
    std::vector<std::string> words;
    std::string name;  // of a function
    bool has_call = false, is_given_a_value = false;
    bool has(std::string_view word) const { return std::ranges::find(words, word) != words.end(); }
  };

  // Comments, literals and lines of the preprocessor; false: here is none.
  bool pass_over() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) return to(rest.find('\n'));
    if (rest.starts_with("/*")) return to(rest.find("*/", 2), 2);
    if (rest.starts_with("R\"") && (at_ == 0 || !is_word(text_[at_ - 1]))) {
      const size_t open = rest.find('(');
      if (open == rest.npos) return to(rest.npos);
      const std::string close = ")" + std::string(rest.substr(2, open - 2)) + "\"";
      return to(rest.find(close, open), close.size());
    }
    if (rest[0] == '"' || (rest[0] == '\'' && (at_ == 0 || !std::isdigit(static_cast<unsigned char>(text_[at_ - 1]))))) {
      size_t end = 1;
      while (end < rest.size() && rest[end] != rest[0]) end += rest[end] == '\\' ? 2 : 1;
      return to(end, 1);
    }
    if (rest[0] == '#') return directive();
    return false;
  }
  bool to(size_t offset, size_t more = 0) {
    at_ = offset == text_.npos ? text_.size() : std::min(text_.size(), at_ + offset + more);
    return true;
  }

  // A macro that has a function space in it is one itself, for the functions below.
  bool directive() {
    size_t end = at_;
    while (end < text_.size() && (text_[end] != '\n' || text_[end - 1] == '\\')) ++end;
    const std::string_view line = text_.substr(at_, end - at_);
    if (size_t name = line.find("define"); name != line.npos && (has(line, "__device__") || has(line, "__global__"))) {
      name = line.find_first_not_of(" \t", name + 6);
      size_t stop = name;
      while (stop < line.size() && is_word(line[stop])) ++stop;
      if (name != line.npos) of_device_.emplace(line.substr(name, stop - name));
    }
    at_ = end;
    return true;
  }

  void declaration() {
    Head head;
    head.begin = text_.size();
    for (int parentheses = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (pass_over()) continue;
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++at_;
        continue;
      }
      head.begin = std::min(head.begin, at_);
      if (is_word(c)) {
        size_t end = at_;
        while (end < text_.size() && is_word(text_[end])) ++end;
        if (parentheses == 0 || text_.substr(at_, 2) == "__") head.words.emplace_back(text_.substr(at_, end - at_));
        at_ = end;
        if (!head.words.empty() && head.words.back() == "template") pass_over_parameters();
        continue;
      }
      if (c == '{' && parentheses == 0) return body(head);
      ++at_;
      if (c == '(' && !head.has_call && !head.words.empty()) head.name = head.words.back();
      if (c == '(') ++parentheses, head.has_call = true;
      if (c == ')') --parentheses;
      if (c == '=' && parentheses == 0 && !head.has("operator")) head.is_given_a_value = true;
      if ((c == ';' || c == '}') && parentheses <= 0) return;
    }
  }

  void pass_over_parameters() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ >= text_.size() || text_[at_] != '<') return;
    for (int depth = 0; at_ < text_.size();) {
      depth += (text_[at_] == '<') - (text_[at_] == '>');
      ++at_;
      if (depth == 0) return;
    }
  }

  void body(const Head& head) {
    ++at_;
    if (head.has("namespace") || (head.has("extern") && !head.has_call && head.words.size() == 1))
      return;  // what is inside counts
    for (int depth = 1; at_ < text_.size() && depth > 0;) {
      if (pass_over()) continue;
      depth += (text_[at_] == '{') - (text_[at_] == '}');
      ++at_;
    }
    if (!head.has_call || head.is_given_a_value || is_of_device(head)) return;
    host_functions.insert(head.name);
    for (size_t i = head.begin; i < at_; ++i)
      if (out_[i] != '\n') out_[i] = ' ';
  }

  bool is_of_device(const Head& head) const {
    static constexpr std::string_view marks[] = {"__device__", "__global__", "__QUERN_DEVICE", "constexpr", "consteval",
                                                 "class",      "struct",     "union",          "enum"};
    return std::ranges::any_of(head.words, [&](const std::string& word) {
      return std::ranges::find(marks, word) != std::end(marks) || of_device_.contains(word);
    });
  }

  const std::string_view text_;
  std::string out_;
  size_t at_ = 0;
  std::set<std::string, std::less<>> of_device_;  // macros
};

}  // namespace

std::string without_host_code(std::string_view text, std::set<std::string>* names) {
  Reader reader(text);
  std::string out = reader.read();
  if (names) *names = std::move(reader.host_functions);
  return out;
}

std::string quoting_whole_lines(std::string message, std::string_view text, std::string_view without_host_code) {
  for (size_t begin = 0, end; begin < text.size() && begin < without_host_code.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::string_view whole = text.substr(begin, end - begin), part = without_host_code.substr(begin, end - begin);
    if (part == whole || part.find_first_not_of(" \t\r") == part.npos) continue;
    for (size_t at = 0; (at = message.find(part, at)) != message.npos; at += whole.size())
      message.replace(at, part.size(), whole);
  }
  return message;
}

std::string naming_host_functions(std::string message, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    const std::string said = "'" + name + "' is a host function, which kernels cannot call; add `__device__` to its definition";
    // As clang says it, and as NVRTC does.
    for (const std::string& unknown : {"use of undeclared identifier '" + name + "'", "identifier \"" + name + "\" is undefined"})
      for (size_t at = 0; (at = message.find(unknown, at)) != message.npos; at += said.size())
        message.replace(at, unknown.size(), said);
  }
  return message;
}

}  // namespace quern
