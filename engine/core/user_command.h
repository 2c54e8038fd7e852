// How the user types quern's commands, for messages.
#pragma once

#include <string>
#include <string_view>

namespace quern {

// "`./quern check FILE`" of "check FILE", as the user started this program (QUERN_COMMAND, which ./quern and the wheel's command
// set); both ways where that is not known.
std::string user_command(std::string_view arguments);

}  // namespace quern
