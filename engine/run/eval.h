// Runs what arrays have recorded. Start at GroupEvaluator::evaluate() in eval.cpp.
#pragma once

#include <string>

namespace quern {

// Makes arrays evaluate through this; once, before the first array.
void install_evaluator();

// QUERN_KEEP_TEXTS=FOLDER keeps what was printed and compiled, for whoever wants to read it or to compile it with another
// compiler.
void keep_text(const std::string& text);

}  // namespace quern
