#include "compile/clang/link/before_vectorizer.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdlib>

#include "compile/clang/lowering/arithmetic.h"

namespace quern::plugin {
namespace {

struct Access {
  llvm::Instruction* inst;
  const llvm::SCEVAddRecExpr* address = nullptr;  // where that is a fixed stride apart from round to round, with gaps between
  const llvm::SCEV* base = nullptr;
  bool writes() const { return llvm::isa<llvm::StoreInst>(inst); }
};

// `evolution` takes for granted, as the vectoriser will, that indices do not wrap.
Access access_of(llvm::Instruction& inst, llvm::Value* pointer, const llvm::Loop& loop,
                 llvm::PredicatedScalarEvolution& evolution) {
  const llvm::SCEVAddRecExpr* steps = evolution.getAsAddRec(pointer);
  if (!steps || steps->getLoop() != &loop || !steps->isAffine()) return {&inst};
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(steps->getStepRecurrence(*evolution.getSE()));
  if (!step) return {&inst};
  const llvm::DataLayout& layout = inst.getModule()->getDataLayout();
  auto bytes = static_cast<int64_t>(layout.getTypeStoreSize(llvm::getLoadStoreType(&inst)).getFixedValue());
  if (std::abs(step->getAPInt().getSExtValue()) <= bytes) return {&inst};
  return {&inst, steps, evolution.getSE()->getPointerBase(steps)};
}

// Is a part of the address an index from 0 in steps of more than one, which may wrap?
bool may_wrap(const llvm::SCEV* address, const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  return llvm::SCEVExprContains(address, [&](const llvm::SCEV* part) {
    const auto* wide = llvm::dyn_cast<llvm::SCEVZeroExtendExpr>(part);
    const auto* steps = wide ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(wide->getOperand()) : nullptr;
    return steps && steps->getLoop() == &loop && steps->getStart()->isZero() && !steps->getStepRecurrence(evolution)->isOne();
  });
}

// Could the two be parts of one wide access?
bool are_neighbours(const Access& a, const Access& b, llvm::ScalarEvolution& evolution) {
  if (!a.address || !b.address || a.base != b.base || a.writes() != b.writes()) return false;
  if (a.address->getStepRecurrence(evolution) != b.address->getStepRecurrence(evolution)) return false;
  const auto* distance = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(b.address, a.address));
  return distance && !distance->isZero();
}

llvm::SmallVector<llvm::Instruction*, 32> accesses_in(const llvm::Loop& loop, llvm::LoopInfo& loops) {
  llvm::SmallVector<llvm::Instruction*, 32> out;
  llvm::LoopBlocksRPO blocks(const_cast<llvm::Loop*>(&loop));
  blocks.perform(&loops);
  for (llvm::BasicBlock* block : blocks) {
    for (llvm::Instruction& inst : *block) {
      if (llvm::getLoadStorePointerOperand(&inst)) out.push_back(&inst);
    }
  }
  return out;
}

// Those that would move past another one which may be of the same memory.
void find_moved(llvm::ArrayRef<llvm::Instruction*> instructions, llvm::Loop& loop, llvm::ScalarEvolution& evolution,
                llvm::AAResults& aliases, llvm::SmallSetVector<llvm::Instruction*, 8>& alone) {
  if (llvm::none_of(instructions, [](llvm::Instruction* inst) { return llvm::isa<llvm::StoreInst>(inst); })) return;
  llvm::PredicatedScalarEvolution assuming(evolution, loop);
  llvm::SmallVector<Access, 32> accesses;
  for (llvm::Instruction* inst : instructions)
    accesses.push_back(access_of(*inst, llvm::getLoadStorePointerOperand(inst), loop, assuming));
  for (size_t at = 0; at < accesses.size(); ++at) {
    const Access& moved = accesses[at];
    auto is_neighbour = [&](const Access& other) { return are_neighbours(moved, other, evolution); };
    llvm::ArrayRef<Access> all = accesses, passed;
    if (moved.writes()) {
      auto later = all.drop_front(at + 1);
      while (!later.empty() && !is_neighbour(later.back())) later = later.drop_back();
      passed = later;
    } else {
      auto earlier = all.take_front(at);
      while (!earlier.empty() && !is_neighbour(earlier.front())) earlier = earlier.drop_front();
      passed = earlier;
    }
    bool disturbs = llvm::any_of(passed, [&](const Access& other) {
      return (moved.writes() || other.writes()) &&
             !aliases.isNoAlias(llvm::MemoryLocation::get(moved.inst), llvm::MemoryLocation::get(other.inst));
    });
    if (disturbs) alone.insert(moved.inst);
  }
}

// ScalarEvolution does not look through a freeze.
void hide_address(llvm::Instruction& inst) {
  llvm::IRBuilder<> builder(&inst);
  llvm::Use& address = inst.getOperandUse(llvm::isa<llvm::StoreInst>(inst) ? llvm::StoreInst::getPointerOperandIndex()
                                                                           : llvm::LoadInst::getPointerOperandIndex());
  address.set(builder.CreateFreeze(address.get()));
}

void move_divisions_out(llvm::Loop& loop, llvm::LoopInfo& loops) {
  llvm::BasicBlock* before = loop.getLoopPreheader();
  if (!before) return;
  llvm::LoopBlocksRPO blocks(&loop);
  blocks.perform(&loops);
  for (llvm::BasicBlock* block : blocks) {
    for (llvm::Instruction& inst : llvm::make_early_inc_range(*block)) {
      if (!inst.isIntDivRem() || llvm::isa<llvm::Constant>(inst.getOperand(1))) continue;
      bool changed = false;
      llvm::Instruction* end = before->getTerminator();
      if (!loop.makeLoopInvariant(inst.getOperand(0), changed, end) || !loop.makeLoopInvariant(inst.getOperand(1), changed, end))
        continue;
      inst.moveBefore(end);
      lowering::define_division(llvm::cast<llvm::BinaryOperator>(inst));  // its condition may have kept it from trapping
    }
  }
}

}  // namespace

llvm::PreservedAnalyses BeforeVectorizerPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& aliases = analyses.getResult<llvm::AAManager>(function);
  llvm::SmallSetVector<llvm::Instruction*, 8> alone;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    move_divisions_out(*loop, loops);
    llvm::SmallVector<llvm::Instruction*, 32> accesses = accesses_in(*loop, loops);
    for (llvm::Instruction* access : accesses) {
      if (may_wrap(evolution.getSCEV(llvm::getLoadStorePointerOperand(access)), *loop, evolution)) alone.insert(access);
    }
    if (loop->isAnnotatedParallel()) find_moved(accesses, *loop, evolution, aliases, alone);
  }
  for (llvm::Instruction* inst : alone) hide_address(*inst);
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace quern::plugin
