// Runs what arrays have recorded. Start at GroupEvaluator::evaluate() in eval.cpp.
#pragma once

namespace quern {

// Makes arrays evaluate through this; once, before the first array.
void install_evaluator();

}  // namespace quern
