// Runs compiler code so that nothing it does ends the process: on a thread of its own with a large stack, with LLVM's fatal
// errors, crashes and stack overflows caught and turned into text.
#pragma once

#include <functional>
#include <string>

namespace quern::plugin {

// Returns "" or what went wrong. Exceptions of `work` are caught too; their text comes back.
std::string run_guarded(const std::function<void()>& work);

}  // namespace quern::plugin
