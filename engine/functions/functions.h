// The table of functions of arrays: functions.def with what its rows name. Start there; a new function is a row and a body.
#pragma once

#include <cstdint>
#include <string_view>

#include "functions/picking.h"
#include "functions/reductions.h"
#include "functions/shaping.h"

namespace quern {

// Functions whose operand and result types follow one rule.
enum class Family : uint8_t {
  sums,      // integers are added up in 64 bits
  extremes,  // the operand's type; elements need an order
  tests,     // bools
  averages,  // real or complex numbers
  views,     // any elements, which stay where they are
  repeats,   // the same, where elements repeat
  turned,    // the same, in some front ends in new memory
  moves,     // any elements, in new memory
};

// The rows, by their numbers.
enum class Function : uint16_t {
#define QUERN_FUNCTION(name, family, body, parameters) name##_,
#include "functions/functions.def"
  count
};

constexpr size_t count_words(std::string_view text) {
  size_t words = 0;
  for (size_t i = 0; i < text.size(); ++i) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  return words;
}

}  // namespace quern
