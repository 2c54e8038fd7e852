#include "compile/include_walk.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace quern {

namespace {

constexpr size_t most_files = 20'000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// What a text says about others.
struct Mentions {
  std::vector<std::string> names;       // in an #include or __has_include
  std::vector<std::string> possible;    // anything else that looks like a header's name where a macro may take it
  std::vector<std::string> macros;      // #include NAME
  std::map<std::string, bool> defined;  // #define NAME: is it a header's name by itself?
  bool asks_by_macro = false;           // __has_include(NAME)
  bool hopeless = false;                // #include NAME(...), or what cannot be read
};

// Lines that a backslash continues, made one.
std::string spliced(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      size_t end = i + 1;
      while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')) ++end;
      if (end < text.size() && text[end] == '\n') {
        i = end;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  size_t at = 0;

  bool ended() const { return at >= text_.size(); }
  char now() const { return ended() ? '\n' : text_[at]; }
  bool starts(std::string_view with) const { return text_.substr(std::min(at, text_.size()), with.size()) == with; }

  // Over blanks and comments, in one line.
  void blanks() {
    for (;;) {
      if (now() == ' ' || now() == '\t' || now() == '\r' || now() == '\f' || now() == '\v') {
        ++at;
        if (ended()) return;
      } else if (starts("/*")) {
        size_t end = text_.find("*/", at + 2);
        at = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  std::string word() {
    size_t start = at;
    while (!ended() && is_word(now())) ++at;
    return std::string(text_.substr(start, at - start));
  }

  // "name" or <name>; "" when none stands here.
  std::string header() {
    char close = now() == '"' ? '"' : now() == '<' ? '>' : 0;
    if (!close || ended()) return "";
    size_t end = text_.find_first_of(std::string{close, '\n'}, at + 1);
    if (end == std::string_view::npos || text_[end] != close) return "";
    std::string name(text_.substr(at + 1, end - at - 1));
    at = end + 1;
    return name;
  }

  std::string_view rest_of_line() const {
    size_t end = text_.find('\n', std::min(at, text_.size()));
    return text_.substr(std::min(at, text_.size()), end == std::string_view::npos ? end : end - at);
  }

 private:
  std::string_view text_;
};

// Header names anywhere in a piece of text: behind an opening parenthesis, or all of them.
void take_possible(std::string_view text, bool all, std::vector<std::string>& out) {
  Reader reader(text);
  bool after_parenthesis = false;
  while (!reader.ended()) {
    char c = reader.now();
    if (c == '"' || c == '<') {
      size_t start = reader.at;
      std::string name = reader.header();
      bool fit = !name.empty() && std::all_of(name.begin(), name.end(),
                                              [](char c) { return is_word(c) || c == '.' || c == '/' || c == '-' || c == '+'; });
      if (fit && (all || after_parenthesis)) out.push_back(name);
      reader.at = start + 1;
    } else {
      ++reader.at;
    }
    if (c != ' ' && c != '\t') after_parenthesis = c == '(' || c == ',';
  }
}

void read_directive(Reader& reader, bool in_code, Mentions& out) {
  reader.blanks();
  std::string word = reader.word();
  if (word == "include" || word == "include_next" || word == "import" || word == "embed") {
    reader.blanks();
    std::string name = reader.header();
    if (!name.empty()) {
      out.names.push_back(name);
    } else if (in_code && is_word(reader.now())) {
      std::string macro = reader.word();
      reader.blanks();
      if (reader.now() == '(') out.hopeless = true;
      out.macros.push_back(macro);
    } else if (in_code && reader.now() != '\n') {
      out.hopeless = true;
    }
  } else if (word == "define") {
    reader.blanks();
    std::string name = reader.word();
    bool takes_arguments = reader.now() == '(';
    take_possible(reader.rest_of_line(), true, out.possible);
    reader.blanks();
    std::string header = reader.header();
    bool plain = !takes_arguments && !header.empty();
    auto [known, fresh] = out.defined.try_emplace(name, plain);
    known->second = known->second && plain;
  }
}

// `__has_include(<header>)`, of which `reader` is at the first letter.
void read_question(Reader reader, Mentions& out) {
  reader.word();
  reader.blanks();
  if (reader.now() == '(') {
    ++reader.at;
    reader.blanks();
    std::string name = reader.header();
    if (!name.empty())
      out.names.push_back(name);
    else
      out.asks_by_macro = true;
  } else if (reader.now() != '\n' && reader.now() != ')') {
    out.asks_by_macro = true;
  }
}

Mentions read_mentions(std::string_view raw) {
  Mentions out;
  std::string text = spliced(raw);
  // Directives: wherever they stand, also where this reader takes code for a comment.
  enum class In { code, line_comment, comment, text, character } in = In::code;
  bool at_start = true;  // of a line, comments aside
  for (Reader reader(text); !reader.ended();) {
    char c = reader.now();
    size_t marks = c == '#' ? 1 : reader.starts("%:") ? 2 : reader.starts("?\?=") ? 3 : 0;
    if (marks) {
      Reader inner = reader;
      inner.at += marks;
      read_directive(inner, in == In::code && at_start, out);
    }
    if (c == '_' && (reader.at == 0 || !is_word(text[reader.at - 1])) &&
        (reader.starts("__has_include") || reader.starts("__has_embed")))
      read_question(reader, out);
    if (c == '\n') {
      at_start = true;
      if (in != In::comment) in = In::code;
    } else if (in == In::code) {
      if (reader.starts("//"))
        in = In::line_comment;
      else if (reader.starts("/*")) {
        in = In::comment;
        ++reader.at;
      } else {
        if (c == '"') in = In::text;
        if (c == '\'') in = In::character;
        if (c != ' ' && c != '\t' && c != '\r') at_start = false;
      }
    } else if (in == In::comment) {
      if (reader.starts("*/")) {
        in = In::code;
        ++reader.at;
      }
    } else if (in == In::text || in == In::character) {
      if (c == '\\')
        ++reader.at;
      else if (c == (in == In::text ? '"' : '\''))
        in = In::code;
    }
    ++reader.at;
  }
  take_possible(text, false, out.possible);
  return out;
}

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

class Walk {
 public:
  explicit Walk(const IncludeRoot& root) : root_(root), current_(current_folder()) {
    root_folder_ = absolute(folder_of(root.name));
    for (const std::string& folder : root.folders) folders_.push_back(absolute(folder + "/"));
  }

  IncludeWalk run() {
    std::string before;
    for (const std::string& name : root_.before) before += "#include \"" + name + "\"\n";
    for (const std::string& definition : root_.definitions) {
      size_t equals = definition.find('=');
      before += "#define " + definition.substr(0, equals) +
                (equals == std::string::npos ? "" : " " + definition.substr(equals + 1)) + "\n";
    }
    add(before, root_folder_);
    add(root_.text, root_folder_);
    do {
      while (!waiting_.empty()) {
        auto [text, folder] = std::move(waiting_.front());
        waiting_.pop_front();
        add(text, folder);
      }
      take_possible_names();
    } while (!waiting_.empty());
    for (const std::string& macro : macros_) {
      auto found = defined_.find(macro);
      if (found == defined_.end() || !found->second) out_.complete = false;
    }
    if (!out_.files.empty()) out_.files.push_back(current_);
    return std::move(out_);
  }

 private:
  std::string absolute(const std::string& path) const {
    return !path.empty() && path[0] == '/' ? path : current_.path + "/" + path;
  }

  void add(std::string_view text, const std::string& folder) {
    Mentions mentions = read_mentions(text);
    for (const std::string& name : mentions.names) look_for(name, folder);
    for (const std::string& name : mentions.possible) possible_.insert({name, folder});
    for (const std::string& macro : mentions.macros) macros_.insert(macro);
    for (auto& [name, plain] : mentions.defined) {
      auto [known, fresh] = defined_.try_emplace(name, plain);
      known->second = known->second && plain;
    }
    asks_by_macro_ |= mentions.asks_by_macro;
    if (mentions.hopeless) out_.complete = false;
  }

  // Macros stand for a name: every text that could be one is looked for.
  void take_possible_names() {
    if (macros_.empty() && !asks_by_macro_) return;
    for (auto& [name, folder] : std::exchange(possible_, {})) look_for(name, folder);
  }

  void look_for(const std::string& name, const std::string& folder) {
    if (root_.ours(name)) return;
    if (name[0] == '/') return look(name);
    look(folder + name);
    look(root_folder_ + name);
    for (const std::string& searched : folders_) look(searched + name);
  }

  void look(const std::string& path) {
    if (!out_.complete || !seen_.insert(path).second) return;
    if (seen_.size() > most_files) {
      out_.complete = false;
      return;
    }
    std::string content;
    out_.files.push_back(look_at(path, &content));
    if (out_.files.back().kind == FileRead::Kind::read) waiting_.emplace_back(std::move(content), folder_of(path));
  }

  const IncludeRoot& root_;
  FileRead current_;
  std::string root_folder_;
  std::vector<std::string> folders_;
  IncludeWalk out_;
  std::deque<std::pair<std::string, std::string>> waiting_;  // text and folder of headers that were found
  std::set<std::string> seen_, macros_;
  std::set<std::pair<std::string, std::string>> possible_;
  std::map<std::string, bool> defined_;
  bool asks_by_macro_ = false;
};

}  // namespace

IncludeWalk walk_includes(const IncludeRoot& root) { return Walk(root).run(); }

}  // namespace quern
