// Barriers that some threads pass by: on each way around one stands a call that reports it to the device.
//
// A thread that ends early orders nothing with those that go on, as CUDA has it. So a way counts only if it leads to code that
// writes and that the threads from the barrier come to as well: the thread was alive, and others waited for it.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compile/clang/analyses/intrinsics.h"
#include "compile/clang/checks/calls.h"
#include "compile/clang/checks/instrument.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

bool writes(const BasicBlock& block) {
  return llvm::any_of(block, [](const Instruction& inst) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
    return inst.mayWriteToMemory() && is_users(inst) && !(intrinsic && intrinsic->isLifetimeStartOrEnd());
  });
}

// Does every way from here to the end lead through code that writes?
bool leads_to_writes(const BasicBlock& from, const llvm::PostDominatorTree& ends) {
  for (auto* node = ends.getNode(&from); node && node->getBlock(); node = node->getIDom())
    if (writes(*node->getBlock())) return true;
  return false;
}

bool can_reach(BasicBlock* from, const BasicBlock* to, BasicBlock* without) {
  llvm::df_iterator_default_set<BasicBlock*> seen;
  seen.insert(without);
  if (from == without) return false;
  for (BasicBlock* block : llvm::depth_first_ext(from, seen))
    if (block == to) return true;
  return false;
}

struct Way {
  BasicBlock *from, *to;
  Instruction* barrier;
};

// The edges that lead around the barrier.
void find_ways(Instruction& barrier, const llvm::PostDominatorTree& ends, std::vector<Way>& ways) {
  BasicBlock* at = barrier.getParent();
  for (BasicBlock& block : *at->getParent()) {
    Instruction* branch = block.getTerminator();
    if (branch->getNumSuccessors() < 2 || (ends.dominates(at, &block) && at != &block)) continue;
    auto* node = ends.getNode(&block);
    BasicBlock* meeting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!meeting || !leads_to_writes(*meeting, ends)) continue;
    llvm::SmallVector<BasicBlock*, 4> around;
    for (BasicBlock* next : llvm::successors(&block))
      if (!can_reach(next, at, meeting)) around.push_back(next);
    if (around.size() == branch->getNumSuccessors()) continue;
    for (BasicBlock* next : around) ways.push_back({&block, next, &barrier});
  }
}

}  // namespace

void check_passed_barriers(LoweringState& kernel) {
  llvm::SmallVector<Instruction*, 8> barriers;
  for (Instruction& inst : llvm::instructions(*kernel.thread))
    if (is(&inst, Op::barrier)) barriers.push_back(&inst);
  if (barriers.empty()) return;
  std::vector<Way> ways;
  llvm::PostDominatorTree ends(*kernel.thread);
  for (Instruction* barrier : barriers) find_ways(*barrier, ends, ways);
  CheckCalls calls(kernel);
  llvm::DenseMap<std::pair<BasicBlock*, BasicBlock*>, BasicBlock*> between;  // of several barriers one edge may lead around
  for (const Way& way : ways) {
    BasicBlock*& block = between[{way.from, way.to}];
    if (!block) block = llvm::SplitEdge(way.from, way.to);
    llvm::IRBuilder<> builder(block->getTerminator());
    calls.event(builder, QUERN_CHECK_PASSED_BY, calls.place_of(*way.barrier));
  }
}

}  // namespace quern::lowering
