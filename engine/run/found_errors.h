// Errors that follow from values on the device: an index out of range, a singular matrix. Work that may find one asks for a
// FoundError; its kernel, on the stream of array work, sets it; whoever next waits for that confirms the error
// (graph/deferred_errors.h), and reading what depends on it raises it, naming the line that recorded the work.
#pragma once

#include "core/error.h"
#include "graph/deferred_errors.h"
#include "run/context.h"

#include <atomic>
#include <functional>

namespace quern {

// Two words: which error there is (0: none), and a number for its text.
struct FoundError {
  int64_t* on_host = nullptr;
  int64_t* on_device = nullptr;
  DeferredError error;
  using Text = std::function<std::string(int64_t number, int64_t which)>;
  void set(int64_t number) const {  // for work on the CPU; several of its threads may
    std::atomic_ref(on_host[1]).store(number, std::memory_order_relaxed);
    std::atomic_ref(on_host[0]).store(1, std::memory_order_relaxed);
  }
};

FoundError watch_for_error(Context& context, ErrorKind kind, FoundError::Text text, Site site);

// The graph's lock held: the work of all that watch now is submitted.
void watched_work_is_submitted();
// Whose work is submitted: to be asked before a wait, which need not see the work that others submit meanwhile.
uint64_t last_watch();

// Between iterations: so that errors are collected without a wait, also in a loop that never waits.
void settle_done(Context& context);

// After a wait for a stream, or for all (none): resolves or confirms the deferred errors of its work, up to that watch.
void settle_found_errors(Context& context, const Stream* waited, uint64_t last);

}  // namespace quern
