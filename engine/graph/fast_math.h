// fastmath(): while it is on, what this thread records may be computed with other rounding: sums and products in any order,
// products fused with sums, division by a product with the reciprocal, no regard to the sign of 0. What is or becomes NaN or
// infinite may be anything. Each node says whether it was recorded so (Node::is_fast), and kernels hold one kind or the other.
#pragma once

#include <atomic>

namespace quern {

extern std::atomic<bool> any_fast_math;  // has it ever been on? Reading a thread's variable costs a call
bool is_fast_math_here();
inline bool is_fast_math() { return any_fast_math.load(std::memory_order_relaxed) && is_fast_math_here(); }
bool set_fast_math(bool on);  // of this thread; returns how it was

}  // namespace quern
