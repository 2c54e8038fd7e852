#include "compile/clang/analyses/flow.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace quern::lowering {

using llvm::BasicBlock;

// Cooper, Harvey and Kennedy's algorithm on the reversed graph.
PostDominance::PostDominance(const llvm::Function& function) {
  // Reverse post-order of the reversed graph, from a virtual end.
  std::vector<const BasicBlock*> post_order;
  llvm::SmallPtrSet<const BasicBlock*, 32> seen;
  struct Step {
    const BasicBlock* block;
    llvm::const_pred_iterator next, end;
  };
  std::vector<Step> stack;
  for (const BasicBlock& root : function) {
    if (!llvm::isa<llvm::ReturnInst>(root.getTerminator()) || !seen.insert(&root).second) continue;
    stack.push_back({&root, llvm::pred_begin(&root), llvm::pred_end(&root)});
    while (!stack.empty()) {
      Step& top = stack.back();
      if (top.next == top.end) {
        post_order.push_back(top.block);
        stack.pop_back();
        continue;
      }
      const BasicBlock* before = *top.next++;
      if (seen.insert(before).second) stack.push_back({before, llvm::pred_begin(before), llvm::pred_end(before)});
    }
  }
  blocks_.push_back(nullptr);
  for (const BasicBlock* block : llvm::reverse(post_order)) {
    number_[block] = static_cast<int>(blocks_.size());
    blocks_.push_back(block);
  }
  parent_.assign(blocks_.size(), -1);
  parent_[0] = 0;

  auto meet = [&](int a, int b) {
    while (a != b) {
      while (a > b) a = parent_[a];
      while (b > a) b = parent_[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < blocks_.size(); ++i) {
      int parent = llvm::isa<llvm::ReturnInst>(blocks_[i]->getTerminator()) ? 0 : -1;
      for (const BasicBlock* next : llvm::successors(blocks_[i])) {
        auto found = number_.find(next);
        if (found == number_.end() || parent_[found->second] < 0) continue;
        parent = parent < 0 ? found->second : meet(parent, found->second);
      }
      if (parent >= 0 && parent_[i] != parent) {
        parent_[i] = parent;
        changed = true;
      }
    }
  }
}

BasicBlock* PostDominance::next_meeting(const BasicBlock* block) const {
  auto found = number_.find(block);
  return found == number_.end() ? nullptr : const_cast<BasicBlock*>(blocks_[parent_[found->second]]);
}

bool PostDominance::post_dominates(const BasicBlock* later, const BasicBlock* earlier) const {
  auto goal = number_.find(later), from = number_.find(earlier);
  if (goal == number_.end() || from == number_.end()) return later == earlier;
  int at = from->second;
  while (at > goal->second) at = parent_[at];
  return at == goal->second;
}

Blocks reaching(const Blocks& goals) {
  Blocks found;
  llvm::SmallVector<BasicBlock*, 16> open(goals.begin(), goals.end());
  while (!open.empty()) {
    BasicBlock* block = open.pop_back_val();
    if (!found.insert(block)) continue;
    for (BasicBlock* before : llvm::predecessors(block)) open.push_back(before);
  }
  return found;
}

Blocks deciding(llvm::Function& function, const Blocks& goals, const PostDominance& meeting) {
  Blocks deciders, seen = goals;
  llvm::SmallVector<BasicBlock*, 16> open(goals.begin(), goals.end());
  while (!open.empty()) {
    BasicBlock* goal = open.pop_back_val();
    for (BasicBlock& block : function) {
      if (block.getTerminator()->getNumSuccessors() < 2 || !meeting.returns(&block)) continue;
      if (&block != goal && meeting.post_dominates(goal, &block)) continue;
      bool decides = llvm::any_of(llvm::successors(&block),
                                  [&](BasicBlock* next) { return meeting.returns(next) && meeting.post_dominates(goal, next); });
      if (!decides) continue;
      deciders.insert(&block);
      if (seen.insert(&block)) open.push_back(&block);
    }
  }
  return deciders;
}

bool reaches_itself(BasicBlock* block) {
  llvm::SmallPtrSet<BasicBlock*, 16> seen;
  llvm::SmallVector<BasicBlock*, 16> open(llvm::successors(block));
  while (!open.empty()) {
    BasicBlock* at = open.pop_back_val();
    if (at == block) return true;
    if (seen.insert(at).second) open.append(llvm::succ_begin(at), llvm::succ_end(at));
  }
  return false;
}

}  // namespace quern::lowering
