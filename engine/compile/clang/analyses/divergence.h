// Which values are the same for all threads of a block, or of a warp.
//
// A load from one address counts as uniform: a program in which two threads read different values there without a
// barrier between has a race, and no defined result. Such a value may decide where a block or warp goes, but must not
// be moved.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compile/clang/analyses/flow.h"

namespace quern::lowering {

enum class Level : uint8_t { block, warp, thread };  // the largest group that agrees on the value

class Uniformity {
 public:
  // full_warps: blockDim.x is a multiple of 32, so that a warp is 32 neighbours in x.
  Uniformity(llvm::Function& function, bool full_warps);

  Level of(const llvm::Value* value) const {
    auto found = levels_.find(value);
    return found == levels_.end() ? Level::block : found->second;
  }

  // Written as (base + threadIdx.x) & 31: the thread's number in its warp.
  bool is_lane(const llvm::Value* value) const;

 private:
  Level compute(const llvm::Instruction& inst) const;
  Level of_load(const llvm::LoadInst& load) const;
  Level of_operands(const llvm::Instruction& inst) const;
  bool splits_warps_evenly(const llvm::Instruction& inst) const;
  bool is_multiple_of_warp(const llvm::Value* value, int depth) const;
  bool is_base_plus_lane(const llvm::Value* value, int depth) const;
  bool raise(const llvm::Value* value, Level level);
  bool spread_branch(const llvm::BasicBlock& block, Level level);
  void spread_left_loop(const llvm::BasicBlock& block, llvm::function_ref<bool(const llvm::BasicBlock*)> is_reached, Level level);

  llvm::Function& function_;
  bool full_warps_;
  PostDominance meeting_;
  llvm::DenseMap<const llvm::Value*, Level> levels_;
  llvm::DenseMap<const llvm::BasicBlock*, Level> spread_;
  std::vector<const llvm::BasicBlock*> order_;  // reverse post-order
};

// The condition by which a block chooses its successor; null if it has none.
llvm::Value* branch_condition(const llvm::BasicBlock& block);

}  // namespace quern::lowering
