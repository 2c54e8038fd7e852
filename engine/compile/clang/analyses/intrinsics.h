// Recognises the functions through which the prelude speaks to the lowering (listed in lower.h), and a few of the
// lowering's own that live only between its steps.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace quern::lowering {

inline constexpr uint32_t warp_size = 32;

enum class Op : uint8_t {
  none,
  tid,
  ctaid,
  ntid,
  nctaid,
  lane,
  barrier,
  warp_barrier,
  grid_barrier,
  warp_buffer,
  block_buffer,
  launch,
  place,  // u32: from 1 to 255, a number of this place in the code
  // The lowering's own:
  shared_base,   // ptr: the block's shared memory
  soft_barrier,  // a block barrier that only says where to split; it orders nothing
  leave,         // (i1) the thread takes no part in what follows if true
  guard,         // (i1) the rest of this region is only for threads where true
  any,           // i1 (i1): whether it is true for any thread of the block (or warp); decides a branch that they take together
  lockstep,      // lanes of a warp that run together go on together
  turn,          // the other threads get a turn before this one goes on (coroutines)
};

struct Special {
  Op op = Op::none;
  unsigned dim = 0;  // of tid, ctaid, ntid, nctaid: 0 x, 1 y, 2 z
};

Special recognise(const llvm::Value* value);
inline bool is(const llvm::Value* value, Op op) { return recognise(value).op == op; }

// Barriers that split a region, by the level at which they split.
inline bool is_block_sync(const llvm::Value* value) {
  Op op = recognise(value).op;
  return op == Op::barrier || op == Op::soft_barrier || op == Op::grid_barrier;
}
inline bool is_sync(const llvm::Value* value) {
  return is_block_sync(value) || is(value, Op::warp_barrier) || is(value, Op::lockstep);
}
bool contains_sync(const llvm::BasicBlock& block);

// The declaration of one of these functions, with the attributes that let LLVM's passes move and merge the pure ones.
llvm::Function* declare(llvm::Module& module, Op op, unsigned dim = 0);
// Gives the declarations already in the module those attributes.
void annotate_declarations(llvm::Module& module);

}  // namespace quern::lowering
