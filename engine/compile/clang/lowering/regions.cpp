#include "compile/clang/lowering/regions.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compile/clang/lowering/exchanges.h"

namespace quern::lowering {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

Regions::Regions(LoweringState& kernel, llvm::Function* body, const BodyArguments& arguments, bool interchange)
    : kernel_(kernel), body_(body), arguments_(arguments), context_(body->getContext()), interchange_(interchange) {}

void Regions::lower(RegionResult& result) {
  // The shape of the code: which blocks run once for a block or warp, and which for each thread.
  normalise();
  merge_warp_exchanges(*body_);
  if (interchange_) begin_warps_late();
  isolate_syncs();
  predicate_exits();
  choose_block_branches();
  choose_warp_branches();
  partition();
  add_guards();
  verify(*body_, "partition into regions");

  // The values: what is the same for a block or warp stays in registers; what a thread keeps across regions goes to
  // slots.
  choose_wide_values();
  split_edges_into_phis();
  demote_phis();
  place_values();
  copy_for_lane_0();
  choose_private_slots();
  verify(*body_, "spilling");

  // The loops over warps and threads.
  wrap_groups();
  wrap_leaves();
  place_wide_values();
  bind_all_indices();
  place_slots();
  split_off_edges();
  split_lanes();
  verify(*body_, "making thread loops");

  result.body = body_;
  result.slot_bytes = slot_bytes_;
  result.needs_full_warps = has_warp_syncs_;
}

// The ends that trap are not shared: each belongs to the region it is reached from.
static void separate_traps(llvm::Function& body) {
  llvm::SmallVector<BasicBlock*, 4> traps;
  for (BasicBlock& block : body) {
    if (llvm::isa<llvm::UnreachableInst>(block.getTerminator())) traps.push_back(&block);
  }
  for (BasicBlock* trap : traps) {
    llvm::SmallSetVector<BasicBlock*, 4> from(llvm::pred_begin(trap), llvm::pred_end(trap));
    for (BasicBlock* block : llvm::drop_begin(from)) {
      llvm::ValueToValueMapTy map;
      BasicBlock* copy = llvm::CloneBasicBlock(trap, map, "", &body);
      llvm::remapInstructionsInBlocks({copy}, map);
      for (llvm::PHINode& phi : llvm::make_early_inc_range(copy->phis())) {
        phi.replaceAllUsesWith(phi.getIncomingValueForBlock(block));
        phi.eraseFromParent();
      }
      trap->removePredecessor(block, /*KeepOneInputPHIs=*/true);
      block->getTerminator()->replaceSuccessorWith(trap, copy);
    }
  }
}

// One return in a block of its own, an entry block with nothing but allocas, loops in LCSSA form: then a value that
// leaves a loop is spilled once, behind the loop.
void Regions::normalise() {
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  for (BasicBlock& block : *body_) {
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) returns.push_back(ret);
  }
  if (returns.empty()) throw Refused{"the kernel never returns"};
  end_ = BasicBlock::Create(context_, "end", body_);
  llvm::ReturnInst::Create(context_, end_);
  for (llvm::ReturnInst* ret : returns) llvm::ReplaceInstWithInst(ret, llvm::BranchInst::Create(end_));

  separate_traps(*body_);
  gather_allocas(*body_);
  BasicBlock& entry = body_->getEntryBlock();
  BasicBlock* first = entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca(), "first");
  first->splitBasicBlock(first->begin(), "body");  // what is put into `first` runs exactly once

  bool has_syncs = llvm::any_of(*body_, contains_sync);
  if (has_syncs || interchange_) {
    llvm::FunctionPassManager loops;
    loops.addPass(llvm::LoopSimplifyPass());
    loops.addPass(llvm::LCSSAPass());
    kernel_.passes.run(loops, *body_);
  }
  if (interchange_) interchange_loops();
  block_sync_.insert(&entry);
  block_sync_.insert(end_);
}

// What comes before the first shuffle runs better in loops over whole rows than warp by warp.
void Regions::begin_warps_late() {
  bool loads_before = false;
  llvm::ReversePostOrderTraversal<llvm::Function*> order(body_);
  for (BasicBlock* block : order) {
    for (Instruction& inst : *block) {
      if (is_sync(&inst)) return;
      const Value* pointer = llvm::getLoadStorePointerOperand(&inst);
      if (!pointer) continue;
      if (!is(llvm::getUnderlyingObject(pointer), Op::warp_buffer)) {
        loads_before |= llvm::isa<llvm::LoadInst>(inst) && !inst.hasMetadata(llvm::LLVMContext::MD_invariant_load);
        continue;
      }
      PostDominance meeting(*body_);
      if (!loads_before || reaches_itself(block) || !meeting.post_dominates(block, &body_->getEntryBlock())) return;
      llvm::IRBuilder<>(&inst).CreateCall(declare(kernel_.module, Op::soft_barrier));
      interchanged_ = true;
      return;
    }
  }
}

void Regions::isolate_syncs() {
  llvm::SmallVector<Instruction*, 16> syncs;
  for (Instruction& inst : llvm::instructions(body_)) {
    if (is_sync(&inst)) syncs.push_back(&inst);
  }
  for (Instruction* sync : syncs) {
    if (is(sync, Op::warp_barrier)) sync->setOperand(0, llvm::PoisonValue::get(sync->getOperand(0)->getType()));  // unused
    BasicBlock* block = sync->getParent()->splitBasicBlock(sync, "sync");
    block->splitBasicBlock(sync->getNextNode(), "after.sync");
    if (is_block_sync(sync)) {
      block_sync_.insert(block);
      has_block_syncs_ = true;
    } else {
      warp_sync_.insert(block);
      has_warp_syncs_ = true;
    }
  }
  uniform_ = std::make_unique<Uniformity>(*body_, has_warp_syncs_);
  drop_volatile();
  name_lanes();
}

// The number in the warp becomes a value of its own: in a loop over lanes it is the loop's index.
void Regions::name_lanes() {
  if (!has_warp_syncs_) return;
  llvm::SmallVector<Instruction*, 8> lanes;
  for (Instruction& inst : llvm::instructions(body_)) {
    if (inst.getOpcode() == Instruction::And && uniform_->is_lane(&inst)) lanes.push_back(&inst);
  }
  if (lanes.empty()) return;
  for (Instruction* inst : lanes) {
    llvm::IRBuilder<> builder(inst);
    Value* lane = builder.CreateCall(declare(kernel_.module, Op::lane), {}, "lane");
    inst->replaceAllUsesWith(builder.CreateIntCast(lane, inst->getType(), false));
    inst->eraseFromParent();
  }
  uniform_ = std::make_unique<Uniformity>(*body_, has_warp_syncs_);
}

// Threads see each other's writes to shared memory at barriers; between them nothing is gained by volatile, and much
// lost.
void Regions::drop_volatile() {
  for (Instruction& inst : llvm::instructions(body_)) {
    Value* pointer = llvm::getLoadStorePointerOperand(&inst);
    if (!pointer || !inst.isVolatile() || !is(llvm::getUnderlyingObject(pointer), Op::shared_base)) continue;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) load->setVolatile(false);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) store->setVolatile(false);
  }
}

}  // namespace quern::lowering
