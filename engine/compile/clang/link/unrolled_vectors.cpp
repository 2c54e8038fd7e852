#include "compile/clang/link/unrolled_vectors.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

namespace quern::plugin {
namespace {

constexpr unsigned most_rounds = 8;        // 32 lanes in vectors of four
constexpr size_t most_instructions = 256;  // of all rounds: what computes more does not wait for its lanes

bool is_small(const llvm::Loop& loop, unsigned rounds) {
  size_t instructions = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) instructions += block->size();
  return instructions * rounds <= most_instructions;
}

}  // namespace

llvm::PreservedAnalyses UnrolledVectorsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  llvm::LLVMContext& context = function.getContext();
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !llvm::getBooleanLoopAttribute(loop, "llvm.loop.isvectorized")) continue;
    if (!llvm::getBooleanLoopAttribute(loop, "llvm.loop.unroll.disable")) continue;
    unsigned rounds = evolution.getSmallConstantTripCount(loop);
    if (rounds == 0 || rounds > most_rounds || !is_small(*loop, rounds)) continue;
    llvm::MDNode* full = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.full"));
    loop->setLoopID(llvm::makePostTransformationMetadata(context, loop->getLoopID(), {"llvm.loop.unroll."}, {full}));
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace quern::plugin
