// Shuffles and votes are: write to the warp buffer, barrier, read, barrier. The second barrier keeps the next exchange
// from overwriting what other lanes have still to read; where the next one can use another buffer, it is not needed.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
}

namespace quern::lowering {

inline constexpr uint64_t exchange_bytes = 32 * 16;  // one buffer; regions have two, one behind the other

void merge_warp_exchanges(llvm::Function& body);

}  // namespace quern::lowering
