// Errors that follow from values on the device: an index out of range, a singular matrix. Work that may find one asks for a
// FoundError; its kernel, on the stream of array work, sets it; whoever next waits for that confirms the doubt (graph/doubts.h),
// and a look at what depends on it raises it, naming the line that recorded the work.
#pragma once

#include "core/error.h"
#include "run/context.h"

#include <functional>

namespace quern {

// Two words: is there an error (not 0), and a number for its text.
struct FoundError {
  int64_t* on_host = nullptr;
  int64_t* on_device = nullptr;
  void set(int64_t number) const {  // for work on the CPU
    on_host[1] = number;
    on_host[0] = 1;
  }
};

FoundError watch_for_error(Context& context, ErrorKind kind, std::function<std::string(int64_t number)> text, Site site);

// After a wait for a stream, or for all (none): settles or confirms the doubts of its work.
void settle_found_errors(Context& context, const Stream* waited);

}  // namespace quern
