#include "compile/clang/analyses/bounded.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstIterator.h>

namespace quern::lowering {

namespace {

constexpr uint64_t most_rounds = 1 << 12;  // of nested loops together

// Those of the C library end; a function of the kernel's own that was not inlined may call itself.
bool calls_may_go_on(const llvm::Function& thread) {
  return llvm::any_of(llvm::instructions(thread), [](const llvm::Instruction& inst) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
    return call && (!call->getCalledFunction() || !call->getCalledFunction()->isDeclaration());
  });
}

uint64_t rounds_of(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  uint64_t rounds = 1;
  for (const llvm::Loop* at = &loop; at; at = at->getParentLoop()) {
    unsigned own = evolution.getSmallConstantMaxTripCount(at);
    if (own == 0) return ~uint64_t{0};
    rounds = rounds > most_rounds ? rounds : rounds * own;
  }
  return rounds;
}

}  // namespace

bool is_bounded(LoweringState& kernel) {
  llvm::Function& thread = *kernel.thread;
  if (calls_may_go_on(thread)) return false;
  auto& analyses = kernel.passes.functions;
  analyses.clear(thread, thread.getName());
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(thread);
  llvm::ReversePostOrderTraversal<const llvm::Function*> order(&thread);
  if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops)) return false;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(thread);
  bool bounded = llvm::all_of(loops.getLoopsInPreorder(),
                              [&](const llvm::Loop* loop) { return rounds_of(*loop, evolution) <= most_rounds; });
  analyses.clear(thread, thread.getName());  // passes to come change it
  return bounded;
}

}  // namespace quern::lowering
