// A loop over few elements that must become vectors before it is unrolled, as the one over a reduction's lanes, says so by
// `#pragma clang loop unroll(disable) vectorize(enable)`. Once it has become some rounds over vectors it is unrolled after all:
// then an array that only such loops use lies in registers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace quern::plugin {

// Runs behind LoopVectorize, before a LoopFullUnrollPass that unrolls what is forced.
class UnrolledVectorsPass : public llvm::PassInfoMixin<UnrolledVectorsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace quern::plugin
