// What LLVM 19's LoopVectorize gets wrong is kept from it. Found by fuzz_lowering; each of these has a test in
// tests/python/source/test_raw_vectors.py:
//
//   - accesses whose addresses are a stride apart from round to round become one wide access of all that lies between. Loads move
//     up to where the first of their neighbours stands, stores down to the last. Whether they may, the loop's dependences say;
//     of a loop that is annotated as parallel none are recorded: not between threads, which is right, and not within one either.
//   - an index that wraps, as (5 * i) % 64 does, is taken for one that does not, provided that a check at run time says so. For
//   an
//     index that starts at 0 that check is left out (SCEVExpander::generateOverflowCheck()).
//   - a division that is the same in all rounds but stands behind a condition is computed when the first of the rounds that are
//     taken together meets the condition, and used by them all.
#pragma once

#include <llvm/IR/PassManager.h>

namespace quern::plugin {

// Runs before LoopVectorize. Such accesses get an address that it cannot follow, so that they are gathered or scattered; such
// divisions move out of the loop.
class BeforeVectorizerPass : public llvm::PassInfoMixin<BeforeVectorizerPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace quern::plugin
