#include "core/user_command.h"

#include <cstdlib>

#include "core/format.h"

namespace quern {

std::string user_command(std::string_view arguments) {
  const char* command = std::getenv("QUERN_COMMAND");
  if (command && *command) return formatted("`{} {}`", command, arguments);
  return formatted("`quern {0}` (in a clone `./quern {0}`)", arguments);
}

}  // namespace quern
