#include "core/trace.h"

namespace quern {

std::atomic<TraceSink*> trace_sink{nullptr};

}  // namespace quern
