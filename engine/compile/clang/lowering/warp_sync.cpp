#include "compile/clang/lowering/warp_sync.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include "compile/clang/analyses/divergence.h"
#include "compile/clang/analyses/intrinsics.h"

namespace quern::lowering {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// The address of a volatile access to shared memory, or null.
Value* volatile_shared_address(Instruction& inst) {
  Value* pointer = llvm::getLoadStorePointerOperand(&inst);
  if (!pointer || !inst.isVolatile()) return nullptr;
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  bool shared = llvm::all_of(objects, [](const Value* object) { return is(object, Op::shared_base); });
  return shared ? pointer : nullptr;
}

// Addresses that the lanes may have loaded from and stored to since they were last in step.
struct State {
  llvm::SmallSetVector<Value*, 4> loaded, stored;
  bool add(const State& other) {
    size_t before = loaded.size() + stored.size();
    loaded.insert(other.loaded.begin(), other.loaded.end());
    stored.insert(other.stored.begin(), other.stored.end());
    return loaded.size() + stored.size() != before;
  }
};

class StepFinder {
 public:
  explicit StepFinder(llvm::Function& function) : uniform_(function, /*full_warps=*/false) {}

  // Goes through a block; `found` collects the accesses before which the lanes must be in step.
  void pass(BasicBlock& block, State& state, llvm::SmallSetVector<Instruction*, 8>* found) const {
    for (Instruction& inst : block) {
      if (is_sync(&inst)) state = {};
      Value* address = volatile_shared_address(inst);
      if (!address) continue;
      bool loads = llvm::isa<llvm::LoadInst>(inst);
      if (conflicts(address, loads ? state.stored : state.loaded)) {
        state = {};
        if (found) found->insert(&inst);
      }
      (loads ? state.loaded : state.stored).insert(address);
    }
  }

 private:
  // A lane's own element, by the same address, concerns nobody else.
  bool conflicts(Value* address, const llvm::SmallSetVector<Value*, 4>& others) const {
    return llvm::any_of(others, [&](Value* other) { return other != address || uniform_.of(address) != Level::thread; });
  }

  Uniformity uniform_;
};

}  // namespace

void keep_warps_in_step(LoweringState& kernel) {
  llvm::Function& thread = *kernel.thread;
  bool concerned = llvm::any_of(llvm::instructions(thread), [](Instruction& inst) { return volatile_shared_address(inst); });
  if (!concerned) return;
  StepFinder finder(thread);
  llvm::DenseMap<BasicBlock*, State> before;
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&thread);
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock* block : order) {
      State state = before[block];
      finder.pass(*block, state, nullptr);
      for (BasicBlock* next : llvm::successors(block)) changed |= before[next].add(state);
    }
  }
  llvm::SmallSetVector<Instruction*, 8> found;
  for (BasicBlock* block : order) {
    State state = before[block];
    finder.pass(*block, state, &found);
  }
  for (Instruction* inst : found) llvm::IRBuilder<>(inst).CreateCall(declare(kernel.module, Op::lockstep));
}

void expand_lanes(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  for (Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is(&inst, Op::lane)) continue;
    llvm::IRBuilder<> builder(&inst);
    auto read = [&](Op op, unsigned dim) -> Value* { return builder.CreateCall(declare(module, op, dim)); };
    Value* row = builder.CreateAdd(builder.CreateMul(read(Op::tid, 2), read(Op::ntid, 1)), read(Op::tid, 1));
    Value* linear = builder.CreateAdd(builder.CreateMul(row, read(Op::ntid, 0)), read(Op::tid, 0));
    inst.replaceAllUsesWith(builder.CreateAnd(linear, builder.getInt32(warp_size - 1)));
    inst.eraseFromParent();
  }
}

}  // namespace quern::lowering
