// What a process says when memory that a CPU kernel has damaged ends it: which kernel ran last, and how to find the access.
//
// A kernel that writes outside of its arrays, but into mapped memory, is not caught; the process dies later, in malloc, say. The
// handler prints one line and lets the process die by the same signal. It is there only where nobody else handles the signal.
#pragma once

#include <string>

namespace quern {

void install_last_words();                                 // a second call does nothing
const char* kept_for_last_words(const std::string& name);  // as long as the process lives
void ran_last(const char* kept);                           // of the user's kernels alone: those of arrays stay within them

}  // namespace quern
