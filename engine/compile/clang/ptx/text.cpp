#include "compile/clang/ptx/text.h"

#include <bit>
#include <cctype>
#include <cstdlib>

#include "compile/clang/ptx/names.h"

namespace quern::plugin::ptx {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Statement> all() {
    std::vector<Statement> out;
    for (skip(); at_ < text_.size(); skip()) {
      if (take(';')) continue;
      out.push_back(statement());
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Refusal(what, line_); }

  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  void step() {
    if (here() == '\n') ++line_;
    ++at_;
  }

  void skip() {  // blanks and comments
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(here()))) {
        step();
      } else if (here() == '/' && next() == '/') {
        while (at_ < text_.size() && here() != '\n') step();
      } else if (here() == '/' && next() == '*') {
        size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) refuse("a comment without an end");
        while (at_ < end + 2) step();
      } else {
        return;
      }
    }
  }
  bool take(char c) {
    skip();
    if (here() != c) return false;
    step();
    return true;
  }
  void expect(char c) {
    if (!take(c))
      refuse(std::string("'") + c + "' is missing" + (at_ < text_.size() ? " before '" + rest() + "'" : " at the end"));
  }
  std::string rest() const {
    std::string out;
    for (size_t i = at_; i < text_.size() && i < at_ + 16 && text_[i] != '\n'; ++i) {
      out += std::isprint(static_cast<unsigned char>(text_[i])) ? text_[i] : '%';
    }
    return out;
  }

  std::string name() {
    skip();
    if (!starts_name(here())) refuse("a name is missing before '" + rest() + "'");
    std::string out;
    while (in_name(here()) || (here() == ':' && next() == ':')) {
      if (here() == ':') {
        out += "::";
        at_ += 2;
      } else {
        out += here();
        ++at_;
      }
    }
    return out;
  }

  Statement statement() {
    Statement out;
    out.line = line_;
    if (take('{')) return (out.kind = Statement::Kind::open, out);
    if (take('}')) return (out.kind = Statement::Kind::close, out);
    if (take('@')) {
      out.guarded = true;
      out.guard_negated = take('!');
      out.guard = name();
    }
    skip();
    out.line = line_;
    out.word = name();
    if (out.word[0] == '.') return declaration(std::move(out));
    if (!out.guarded && take(':')) return (out.kind = Statement::Kind::label, out);
    out.parts = parts_of(out.word);
    skip();
    if (here() == '\0' || here() == ';') return end(std::move(out));
    do out.operands.push_back(operand());
    while (take(','));
    return end(std::move(out));
  }

  // The last statement of a text may lack its semicolon; so may one before a brace.
  Statement end(Statement out) {
    skip();
    if (at_ < text_.size() && here() != '}') expect(';');
    return out;
  }

  Statement declaration(Statement out) {
    out.kind = Statement::Kind::declaration;
    if (out.word == ".pragma" || out.word == ".loc") {
      while (at_ < text_.size() && here() != ';' && here() != '\n') step();
      return out;
    }
    std::string type = out.word.rfind(".reg.", 0) == 0 ? out.word.substr(4) : "";
    if (type.empty() && out.word != ".reg")
      refuse("'" + out.word + "' is not supported on the CPU; declare registers (.reg) or __shared__ variables in CUDA C++");
    if (type.empty()) type = name();
    if (type[0] != '.') refuse("'.reg " + type + "' names no type");
    out.parts = parts_of(std::string_view(type).substr(1));
    do {
      Operand declared;
      declared.kind = Operand::Kind::name;
      declared.name = name();
      if (take('<')) {
        skip();
        declared.number = is_digit(here()) ? integer() : 0;
        if (declared.number == 0 || declared.number > most_registers)
          refuse("'.reg' declares 1 to 4096 registers by name<count>");
        expect('>');
      }
      out.operands.push_back(std::move(declared));
    } while (take(','));
    return end(std::move(out));
  }

  Operand operand(int depth = 0) {
    Operand out = single(depth);
    if (take('|')) {
      Operand both;
      both.kind = Operand::Kind::pair;
      both.parts = {std::move(out), single(depth)};
      return both;
    }
    return out;
  }

  Operand single(int depth) {
    if (depth > 3) refuse("braces and brackets are nested too deeply");
    skip();
    Operand out;
    if (take('!')) {
      out = single(depth + 1);
      out.negated = !out.negated;
      return out;
    }
    if (take('{')) return list(depth);
    if (take('[')) return address(depth);
    if (here() == argument_mark) {
      step();
      out.kind = Operand::Kind::argument;
      while (is_digit(here()) && out.number < 1000) out.number = out.number * 10 + static_cast<uint64_t>(here() - '0'), step();
      if (here() != argument_mark) refuse("an operand's number is wrong");
      step();
      return out;
    }
    if (is_digit(here()) || here() == '-' || here() == '+') return number();
    out.kind = Operand::Kind::name;
    out.name = name();
    if (out.name == "_") out.kind = Operand::Kind::sink;
    return out;
  }

  Operand list(int depth) {
    Operand out;
    out.kind = Operand::Kind::vector;
    do out.parts.push_back(operand(depth + 1));
    while (out.parts.size() < 8 && take(','));
    expect('}');
    return out;
  }

  Operand address(int depth) {
    Operand out;
    out.kind = Operand::Kind::address;
    out.parts.push_back(single(depth + 1));
    skip();
    if (here() == '+' || here() == '-') {
      bool minus = here() == '-';
      step();
      skip();
      Operand offset = single(depth + 1);  // [a + %1] with an "n" operand is one, too
      if (offset.kind == Operand::Kind::integer && minus) offset.number = 0 - offset.number;
      if (minus && offset.kind != Operand::Kind::integer) refuse("an address takes a number after '-'");
      out.parts.push_back(std::move(offset));
    }
    expect(']');
    return out;
  }

  uint64_t integer() {
    int base = 10;
    if (here() == '0' && (next() == 'x' || next() == 'X'))
      base = 16, at_ += 2;
    else if (here() == '0' && (next() == 'b' || next() == 'B'))
      base = 2, at_ += 2;
    else if (here() == '0' && is_digit(next()))
      base = 8;
    std::string digits;
    while (std::isxdigit(static_cast<unsigned char>(here())) && (base == 16 || is_digit(here()))) digits += here(), ++at_;
    if (here() == 'U' || here() == 'u') ++at_;
    char* stop = nullptr;
    uint64_t value = std::strtoull(digits.c_str(), &stop, base);
    if (digits.empty() || *stop != '\0' || in_name(here())) refuse("'" + digits + rest() + "' is not a number");
    return value;
  }

  Operand number() {
    bool minus = false;
    for (; here() == '-' || here() == '+'; skip()) {
      minus ^= here() == '-';
      step();
    }
    if (!is_digit(here())) refuse("a number is missing before '" + rest() + "'");
    Operand out;
    if (here() == '0' && (next() == 'f' || next() == 'F' || next() == 'd' || next() == 'D')) return bits(minus);
    size_t end = at_;
    bool hex = here() == '0' && (next() == 'x' || next() == 'X');
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (!hex && end < text_.size() && (text_[end] == '.' || text_[end] == 'e' || text_[end] == 'E')) return decimal(minus);
    out.kind = Operand::Kind::integer;
    out.number = integer();
    if (minus) out.number = 0 - out.number;
    return out;
  }

  Operand bits(bool minus) {  // 0f3F800000, 0d3FF0000000000000
    Operand out;
    out.kind = Operand::Kind::real;
    out.single = next() == 'f' || next() == 'F';
    at_ += 2;
    std::string digits;
    while (std::isxdigit(static_cast<unsigned char>(here()))) digits += here(), ++at_;
    if (digits.size() != (out.single ? 8u : 16u))
      refuse("'" + digits + "' must be a float's 8 or a double's 16 hexadecimal digits");
    uint64_t value = std::strtoull(digits.c_str(), nullptr, 16);
    if (minus) value ^= out.single ? 1ull << 31 : 1ull << 63;
    out.number = value;
    return out;
  }

  Operand decimal(bool minus) {
    std::string digits;
    while (is_digit(here()) || here() == '.' || here() == 'e' || here() == 'E' ||
           ((here() == '-' || here() == '+') && (digits.back() == 'e' || digits.back() == 'E'))) {
      digits += here(), ++at_;
    }
    char* stop = nullptr;
    double value = std::strtod(digits.c_str(), &stop);
    if (*stop != '\0') refuse("'" + digits + "' is not a number");
    Operand out;
    out.kind = Operand::Kind::real;
    out.number = std::bit_cast<uint64_t>(minus ? -value : value);
    return out;
  }

  static constexpr uint64_t most_registers = 4096;
  std::string_view text_;
  size_t at_ = 0;
  unsigned line_ = 0;
};

}  // namespace

std::vector<Statement> parse(std::string_view text) { return Parser(text).all(); }

}  // namespace quern::plugin::ptx
