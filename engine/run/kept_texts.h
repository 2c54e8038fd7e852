// QUERN_KEEP_TEXTS=FOLDER keeps what was printed and compiled, for whoever wants to read it or to compile it with another
// compiler. The kernel cache hands over every text of the engine's, the binding of this every kernel written in Python.
#pragma once

#include "compile/compiler.h"

#include <string>

namespace quern {

// A text that a user's options belong to is not kept: which of them another compiler takes is not known.
void keep_text(const std::string& text, const CompileOptions& options = {});

}  // namespace quern
