// Post-dominance as threads see it: only paths that end in a return count. Paths that end in a trap never meet anybody
// again.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

#include <vector>

namespace quern::lowering {

using Blocks = llvm::SmallSetVector<llvm::BasicBlock*, 16>;

class PostDominance {
 public:
  explicit PostDominance(const llvm::Function& function);

  bool returns(const llvm::BasicBlock* block) const { return number_.count(block) != 0; }  // some path from it does
  // Where all of a block's paths meet first; null for the end of the function.
  llvm::BasicBlock* next_meeting(const llvm::BasicBlock* block) const;
  bool post_dominates(const llvm::BasicBlock* later, const llvm::BasicBlock* earlier) const;

 private:
  llvm::DenseMap<const llvm::BasicBlock*, int> number_;  // 0 is the virtual end; children have larger numbers
  std::vector<const llvm::BasicBlock*> blocks_;
  std::vector<int> parent_;
};

// The blocks from which one of `goals` can be reached, goals included.
Blocks reaching(const Blocks& goals);

// Whether the block stands in a loop.
bool reaches_itself(llvm::BasicBlock* block);

// The blocks whose branches decide whether, or how often, one of `goals` is reached, and so on for those blocks
// themselves.
Blocks deciding(llvm::Function& function, const Blocks& goals, const PostDominance& meeting);

}  // namespace quern::lowering
