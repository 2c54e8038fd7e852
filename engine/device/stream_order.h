// The order of streams that work on the same memory: what writes waits for all that other streams do with it, what reads for what
// they write.
#pragma once

#include "core/buffer.h"
#include "device/device.h"

#include <memory>

namespace quern {

// To be called before the work is submitted. Marks the block as used on the stream, too.
void use_on(const std::shared_ptr<Stream>& stream, Block& block, bool writes);

// The same by whoever sees to the order of the streams.
void used_on(const std::shared_ptr<Stream>& stream, Block& block);

// `stream` waits for what the other has now.
void wait_for(Stream& stream, Stream& other);

}  // namespace quern
