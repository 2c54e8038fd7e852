// What the device finds out about values that are not known on the host: the work of a Check (graph/node.h), and of a Refusal.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "graph/call.h"

namespace quern {

void run_check(const Check& check, const CallRun& run);

// Bools or integers that a function refuses: all that are not from `low` up to `high`, and are not `except`. `texts`: the first
// is of what lies below, the second of `high`, the third of the next number, the last of all others; {} stands for the number.
struct Refusal {
  ErrorKind kind = ErrorKind::runtime;
  std::vector<std::string> texts;
  int64_t low = 1, high = 2, except = 1;
  bool is_refused(int64_t number) const { return (number < low || number >= high) && number != except; }
  std::string told(int64_t number) const;
};

// True, of no dimensions: what depends on it gets the error once a number is refused.
Array nothing_refused(const Array& numbers, Refusal refusal);

// Have these numbers been looked through, and was none refused? Of numbers that nothing has written to since. Nothing is waited
// for.
bool is_known_to_pass(const Array& numbers, const Refusal& refusal);

}  // namespace quern
