// Runs what arrays have recorded. Start at GroupEvaluator::evaluate() in eval.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace quern {

class Array;

// Makes arrays evaluate through this; before the first array, and as often as one likes.
void install_evaluator();

// What would run to compute the array, in words and with the kernels' texts; nothing is run.
std::string explain(const Array& array);

// How many submissions were replays (run/replay.h) of earlier ones.
uint64_t replayed();

// QUERN_KEEP_TEXTS=FOLDER keeps what was printed and compiled, for whoever wants to read it or to compile it with another
// compiler.
void keep_text(const std::string& text);

}  // namespace quern
