#include "compile/clang/lowering/spins.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "compile/clang/analyses/divergence.h"
#include "compile/clang/analyses/intrinsics.h"

namespace quern::lowering {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

enum class Memory { own, exchange_buffer, shared, other };

Memory memory_of(const Value* pointer) {
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  auto all = [&](auto&& test) { return llvm::all_of(objects, test); };
  if (all([](const Value* object) { return llvm::isa<llvm::AllocaInst>(object); })) return Memory::own;
  if (all([](const Value* object) { return is(object, Op::warp_buffer) || is(object, Op::block_buffer); })) {
    return Memory::exchange_buffer;
  }
  if (all([](const Value* object) { return is(object, Op::shared_base); })) return Memory::shared;
  return Memory::other;
}

// What the conditions that end a loop are computed from, inside the loop.
llvm::SmallPtrSet<const Instruction*, 32> what_ends(const llvm::Loop& loop) {
  llvm::SmallPtrSet<const Instruction*, 32> slice;
  llvm::SmallVector<const Value*, 16> open;
  auto add_condition = [&](const BasicBlock* block) {
    if (const Value* condition = branch_condition(*block)) open.push_back(condition);
  };
  llvm::SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  // An exit may itself stand behind a condition.
  bool exits_behind_conditions = exiting.size() > 1;
  for (const BasicBlock* block : exiting) add_condition(block);
  bool all_conditions = false;
  while (!open.empty()) {
    auto* inst = llvm::dyn_cast<Instruction>(open.pop_back_val());
    if (!inst || !loop.contains(inst) || !slice.insert(inst).second) continue;
    open.append(inst->op_begin(), inst->op_end());
    bool merges = false;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(inst)) {
      unsigned from_inside = llvm::count_if(phi->blocks(), [&](const BasicBlock* from) { return loop.contains(from); });
      merges = from_inside > 1;
    }
    if ((merges || exits_behind_conditions) && !all_conditions) {
      all_conditions = true;
      for (const BasicBlock* block : loop.blocks()) add_condition(block);
    }
  }
  return slice;
}

// `do { old = ...; } while (atomicCAS(p, old, f(old)) != old)` tries again with what it found: somebody always gets on.
bool tries_again(const llvm::AtomicCmpXchgInst& exchange, const llvm::Loop& loop) {
  return !loop.isLoopInvariant(exchange.getCompareOperand());
}

bool only_feeds_exchanges(const Instruction& load) {
  return !load.use_empty() && llvm::all_of(load.users(), [&](const llvm::User* user) {
    auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(user);
    return exchange && exchange->getCompareOperand() == &load;
  });
}

bool spins(const llvm::Loop& loop) {
  bool has_barrier = false, waits_on_shared_only = true;
  llvm::SmallVector<const Instruction*, 8> waits;
  for (const BasicBlock* block : loop.blocks()) {
    for (const Instruction& inst : *block) {
      has_barrier |= is(&inst, Op::barrier);
      const Value* pointer = nullptr;
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
        if ((load->isVolatile() || load->isAtomic()) && !only_feeds_exchanges(*load)) pointer = load->getPointerOperand();
      } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
        // Adding is progress of one's own; what takes a lock or looks for a flag is not.
        bool counts = update->getOperation() == llvm::AtomicRMWInst::Add || update->getOperation() == llvm::AtomicRMWInst::Sub ||
                      update->getOperation() == llvm::AtomicRMWInst::FAdd;
        auto* step = llvm::dyn_cast<llvm::Constant>(update->getValOperand());
        if (!counts || (step && step->isZeroValue())) pointer = update->getPointerOperand();
      } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) {
        if (!tries_again(*exchange, loop)) pointer = exchange->getPointerOperand();
      }
      if (!pointer) continue;
      Memory memory = memory_of(pointer);
      if (memory == Memory::own || memory == Memory::exchange_buffer) continue;
      waits_on_shared_only &= memory == Memory::shared;
      waits.push_back(&inst);
    }
  }
  if (waits.empty()) return false;
  // Threads that meet at a barrier in each round see each other's work.
  if (has_barrier && waits_on_shared_only) return false;

  auto slice = what_ends(loop);
  bool looks_at_memory = false, looks_at_shared = false;
  for (const Instruction* inst : slice) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(inst)) {
      looks_at_memory |= !load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
      looks_at_shared |= memory_of(load->getPointerOperand()) == Memory::shared;
    }
  }
  return llvm::any_of(waits, [&](const Instruction* wait) {
    if (slice.count(wait) || looks_at_shared) return true;
    return looks_at_memory && llvm::isa<llvm::LoadInst>(wait);  // what it finds may come back by way of memory
  });
}

}  // namespace

bool mark_spins(LoweringState& kernel) {
  llvm::Function& thread = *kernel.thread;
  bool may_spin = llvm::any_of(llvm::instructions(thread), [](const Instruction& inst) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst);
    return inst.isAtomic() || (load && load->isVolatile());
  });
  if (!may_spin) return false;
  llvm::DominatorTree dominators(thread);
  llvm::LoopInfo loops(dominators);
  llvm::SmallSetVector<Instruction*, 4> back_edges;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!spins(*loop)) continue;
    llvm::SmallVector<BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    for (BasicBlock* latch : latches) back_edges.insert(latch->getTerminator());
  }
  for (Instruction* back_edge : back_edges) {
    llvm::IRBuilder<>(back_edge).CreateCall(declare(kernel.module, Op::turn));
  }
  return !back_edges.empty();
}

void relax_shared_atomics(LoweringState& kernel) {
  unsigned one_by_one = kernel.module.getContext().getMDKindID(one_by_one_name);
  for (Instruction& inst : llvm::make_early_inc_range(llvm::instructions(kernel.thread))) {
    const Value* pointer = nullptr;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) pointer = update->getPointerOperand();
    if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) pointer = exchange->getPointerOperand();
    if (!pointer || inst.isVolatile()) continue;
    Memory memory = memory_of(pointer);
    if (memory != Memory::shared && memory != Memory::exchange_buffer) continue;
    Instruction* before = inst.getPrevNode();
    Instruction* after = inst.getNextNode();
    BasicBlock* block = inst.getParent();
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
      llvm::lowerAtomicRMWInst(update);
    } else {
      llvm::lowerAtomicCmpXchgInst(llvm::cast<llvm::AtomicCmpXchgInst>(&inst));
    }
    for (Instruction* made = before ? before->getNextNode() : &block->front(); made != after; made = made->getNextNode()) {
      made->setMetadata(one_by_one, llvm::MDNode::get(made->getContext(), {}));
    }
  }
}

}  // namespace quern::lowering
