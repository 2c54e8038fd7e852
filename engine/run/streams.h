// The streams that are current in a thread, one for each device: where the array work that it records goes, and raw kernels that
// are launched without one. What is pending belongs to the streams that were current when it was recorded.
#pragma once

#include "run/context.h"

namespace quern {

const StreamPtr& current_stream(Context& context);
// None: the default stream.
void set_current_stream(Context& context, StreamPtr stream);

// What is recorded is submitted to its streams; from here on what is recorded goes to those of this thread. The executor's.
void change_streams();
// The same, when they are others. Recording does it by itself.
void use_current_streams();

// Has all array work that was submitted there ended? Only the default stream has some until somebody chooses another.
bool array_work_ended(Context& context);
// Waits for it, and collects the errors that it found.
void finish_array_work(Context& context);

// Another library's stream, by its handle, waits for all that the device's streams have; or, `back`, array work for that stream.
void order_foreign_stream(Context& context, uintptr_t handle, bool back);
// The default stream waits for all others: whoever gets an address waits for that one.
void gather_streams(Context& context);

}  // namespace quern
