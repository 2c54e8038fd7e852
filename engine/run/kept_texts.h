// QUERN_KEEP_TEXTS=FOLDER keeps what was printed and compiled, for whoever wants to read it or to compile it with another
// compiler.
#pragma once

#include <string>

namespace quern {

void keep_text(const std::string& text);

}  // namespace quern
