// What programs do with devices, streams and events. Each of these first submits what arrays have recorded, as if every operation
// had been submitted when it was called. The engine's own waits (Context::wait(), Event::record()) do not.
#pragma once

#include "run/context.h"

#include <functional>

namespace quern {

// Waits; raises what failed in the work waited for.
void synchronize(Context& context);
void synchronize(Context& context, const StreamPtr& stream);
void synchronize(Context& context, Event& event);

bool is_done(Stream& stream);
bool is_done(Event& event);
void record(Event& event, const StreamPtr& stream);
void wait_for(Stream& stream, Event& event);
void call_after(Stream& stream, std::function<void()> f);

// Gives memory that nobody uses back to the device, when the work before is done; returns the bytes.
size_t give_back_unused(Context& context);
// Memory in use, of what is recorded included.
PoolInfo pool_info(Context& context);

}  // namespace quern
