// Variables, and members of structures, that are read before anything was stored in them.
//
// A word beside each such variable has a bit for each of its bytes: a store sets those of its own, a load asks for them.
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "compile/clang/checks/calls.h"
#include "compile/clang/checks/instrument.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr uint64_t most_bytes = 64;

// Those that clang makes for itself.
bool has_users_name(const llvm::AllocaInst& local) {
  llvm::StringRef name = local.getName();
  for (llvm::StringRef made : {"retval", "ref.", "agg.", "cleanup.", "coerce", "saved_stack", "exn.", "__"})
    if (name.starts_with(made)) return false;
  return !name.empty() && !name.ends_with(".addr") && !name.contains(".addr.");
}

uint64_t bits_of(uint64_t offset, uint64_t bytes) {
  if (offset >= most_bytes) return 0;
  return (bytes >= most_bytes ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1) << offset;
}

struct Touch {
  Instruction* inst;
  uint64_t bits;
};

// A variable of which each use is an access at a known place.
struct Variable {
  llvm::AllocaInst* local;
  uint64_t bytes = 0;
  llvm::SmallVector<Touch, 4> stores, loads;
};

// Does the text itself read a number here? What is copied whole may be unset in part; a bit field is read to be written.
bool reads_value(const llvm::LoadInst& load, const Variable& variable) {
  const Value* pointer = load.getPointerOperand();
  if (!is_users(load) || load.getName().starts_with("bf.") || !load.getType()->isSingleValueType() ||
      load.getType()->isVectorTy())
    return false;
  return pointer == variable.local ? variable.local->getAllocatedType()->isSingleValueType()
                                   : pointer->hasName() && !pointer->getName().starts_with("coerce");
}

bool add_uses(Value& pointer, uint64_t offset, Variable& variable) {
  const llvm::DataLayout& layout = variable.local->getDataLayout();
  for (llvm::Use& use : pointer.uses()) {
    auto* inst = llvm::dyn_cast<Instruction>(use.getUser());
    if (!inst) return false;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(inst)) {
      if (reads_value(*load, variable))
        variable.loads.push_back({load, bits_of(offset, layout.getTypeStoreSize(load->getType()).getFixedValue())});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(inst); store && use.getOperandNo() == 1) {
      uint64_t bytes = layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
      variable.stores.push_back({store, bits_of(offset, bytes)});
    } else if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(inst)) {
      llvm::APInt more(64, 0);
      if (!step->accumulateConstantOffset(layout, more) || more.isNegative()) return false;
      if (!add_uses(*step, offset + more.getZExtValue(), variable)) return false;
    } else if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(inst)) {
      if (use.getOperandNo() == 0) variable.stores.push_back({copy, bits_of(offset, variable.bytes)});
    } else if (auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(inst); !mark || !mark->isLifetimeStartOrEnd()) {
      return false;
    }
  }
  return true;
}

// Loads that such a store comes before on every way to them read what was stored.
void keep_doubtful_loads(Variable& variable, const llvm::DominatorTree& order) {
  llvm::erase_if(variable.loads, [&](const Touch& load) {
    return llvm::any_of(variable.stores, [&](const Touch& store) {
      return (load.bits & ~store.bits) == 0 && order.dominates(store.inst, load.inst);
    });
  });
}

void check_variable(CheckCalls& calls, Variable& variable) {
  if (variable.loads.empty()) return;
  llvm::IRBuilder<> builder(variable.local);
  llvm::Type* word = builder.getInt64Ty();
  llvm::AllocaInst* set = builder.CreateAlloca(word);
  builder.SetInsertPoint(variable.local->getNextNode());
  builder.CreateStore(builder.getInt64(0), set);
  for (const Touch& store : variable.stores) {
    builder.SetInsertPoint(store.inst);
    builder.CreateStore(builder.CreateOr(builder.CreateLoad(word, set), builder.getInt64(store.bits)), set);
  }
  uint32_t object = calls.number(name_of(*variable.local), QUERN_OBJECT_LOCAL, variable.bytes);
  for (const Touch& load : variable.loads) {
    builder.SetInsertPoint(load.inst);
    Value* is_set = builder.CreateAnd(builder.CreateLoad(word, set), builder.getInt64(load.bits));
    Value* unset = builder.CreateICmpNE(is_set, builder.getInt64(load.bits));
    calls.value_if(unset, *load.inst, QUERN_CHECK_UNSET, calls.place_of(*load.inst), builder.getInt64(object),
                   builder.getInt64(llvm::popcount(load.bits)));
  }
}

// The pointers that functions took, now that they are inlined: what they point to is seen then.
void promote_taken_pointers(llvm::Function& thread) {
  llvm::SmallVector<llvm::AllocaInst*, 16> taken;
  for (Instruction& inst : llvm::instructions(thread))
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&inst))
      if (local->getAllocatedType()->isPointerTy() && local->getName().contains(".addr") && llvm::isAllocaPromotable(local))
        taken.push_back(local);
  if (taken.empty()) return;
  llvm::DominatorTree order(thread);
  llvm::PromoteMemToReg(taken, order);
}

}  // namespace

void check_variables(LoweringState& kernel) {
  promote_taken_pointers(*kernel.thread);
  std::vector<Variable> variables;
  for (Instruction& inst : llvm::instructions(*kernel.thread)) {
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(&inst);
    if (!local || !has_users_name(*local)) continue;
    Variable variable{local, local->getDataLayout().getTypeStoreSize(local->getAllocatedType()).getFixedValue(), {}, {}};
    if (!local->isArrayAllocation() && variable.bytes <= most_bytes && add_uses(*local, 0, variable))
      variables.push_back(std::move(variable));
  }
  llvm::DominatorTree order(*kernel.thread);
  for (Variable& variable : variables) keep_doubtful_loads(variable, order);
  CheckCalls calls(kernel);
  for (Variable& variable : variables) check_variable(calls, variable);
}

}  // namespace quern::lowering
