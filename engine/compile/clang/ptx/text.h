// The text of an asm statement as a list of PTX statements. Any text is taken: what is wrong is a Refusal, never a crash.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace quern::plugin::ptx {

// What the user reads, and the line of the text (from 0) that is meant.
struct Refusal : std::runtime_error {
  Refusal(const std::string& text, unsigned of_line) : std::runtime_error(text), line(of_line) {}
  unsigned line;
};

struct Operand {
  enum class Kind {
    argument,  // of the asm statement: number
    name,      // a register that the text declares, a label, or a special register
    integer,   // number
    real,      // number: the bits of a double; single: they came as a float's
    vector,    // {parts}
    address,   // [parts[0] + number]
    pair,      // parts[0]|parts[1]
    sink,      // _
  };
  Kind kind = Kind::sink;
  bool negated = false;  // !p, and -x of a register is none
  bool single = false;
  uint64_t number = 0;
  std::string name;
  std::vector<Operand> parts;
};

struct Statement {
  enum class Kind { instruction, label, declaration, open, close };
  Kind kind = Kind::instruction;
  unsigned line = 0;
  bool guarded = false, guard_negated = false;
  std::string guard;               // @guard
  std::vector<std::string> parts;  // the instruction at its dots; of a declaration: its type
  std::string word;                // as it is written; of a label: its name
  std::vector<Operand>
      operands;  // of a declaration: names; number says how many registers `name<number>` are, 0 for a plain name
};

// In the text, argument N of the statement stands as argument_mark, N in decimal, argument_mark.
inline constexpr char argument_mark = '\1';

std::vector<Statement> parse(std::string_view text);

}  // namespace quern::plugin::ptx
