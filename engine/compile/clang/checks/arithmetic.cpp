// Divisions by 0, shifts by more than there are bits, variables that are read before anything was stored in them.
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compile/clang/checks/calls.h"
#include "compile/clang/checks/instrument.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::Instruction;
using llvm::Value;

bool is_signed(const Instruction& inst) { return inst.getOpcode() == Instruction::SDiv || inst.getOpcode() == Instruction::SRem; }

void check_division(CheckCalls& calls, llvm::BinaryOperator& division) {
  Value *number = division.getOperand(0), *divisor = division.getOperand(1);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(divisor); known && !known->isZero() && !known->isMinusOne()) return;
  llvm::IRBuilder<> builder(&division);
  llvm::Type* type = division.getType();
  Value* wrong = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
  if (is_signed(division)) {
    llvm::APInt least = llvm::APInt::getSignedMinValue(type->getIntegerBitWidth());
    wrong = builder.CreateOr(wrong, builder.CreateAnd(builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
                                                      builder.CreateICmpEQ(number, llvm::ConstantInt::get(type, least))));
  }
  calls.value_if(wrong, division, QUERN_CHECK_DIVISION, calls.place_of(division), number, divisor);
}

void check_shift(CheckCalls& calls, llvm::BinaryOperator& shift) {
  Value* amount = shift.getOperand(1);
  unsigned width = shift.getType()->getIntegerBitWidth();
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(amount); known && known->getValue().ult(width)) return;
  llvm::IRBuilder<> builder(&shift);
  Value* wrong = builder.CreateICmpUGE(amount, llvm::ConstantInt::get(amount->getType(), width));
  calls.value_if(wrong, shift, QUERN_CHECK_SHIFT, calls.place_of(shift), amount, builder.getInt64(width));
}

// ---- variables

// Those that clang makes for itself.
bool has_users_name(const llvm::AllocaInst& local) {
  llvm::StringRef name = local.getName();
  for (llvm::StringRef made : {"retval", "ref.", "agg.", "cleanup.", "coerce", "saved_stack", "exn.", "__"})
    if (name.starts_with(made)) return false;
  return !name.empty() && !name.ends_with(".addr") && !name.contains(".addr.");
}

// A number or pointer of which all uses are loads and stores.
struct Variable {
  llvm::AllocaInst* local;
  llvm::SmallVector<llvm::StoreInst*, 4> stores;
  llvm::SmallVector<llvm::LoadInst*, 4> loads;
};

bool is_plain(Variable& variable) {
  llvm::Type* type = variable.local->getAllocatedType();
  if (!type->isIntOrPtrTy() && !type->isFloatingPointTy()) return false;
  for (llvm::User* user : variable.local->users()) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store && store->getPointerOperand() == variable.local && store->getValueOperand() != variable.local) {
      variable.stores.push_back(store);
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      variable.loads.push_back(load);
    } else if (auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(user); !mark || !mark->isLifetimeStartOrEnd()) {
      return false;
    }
  }
  return true;
}

// Loads that a store comes before on every way to them read what was stored.
void keep_doubtful_loads(Variable& variable, const llvm::DominatorTree& order) {
  llvm::erase_if(variable.loads, [&](llvm::LoadInst* load) {
    return !is_users(*load) ||
           llvm::any_of(variable.stores, [&](llvm::StoreInst* store) { return order.dominates(store, load); });
  });
}

void check_variable(CheckCalls& calls, Variable& variable) {
  if (variable.loads.empty()) return;
  llvm::IRBuilder<> builder(variable.local);
  llvm::AllocaInst* is_set = builder.CreateAlloca(builder.getInt8Ty());
  builder.SetInsertPoint(variable.local->getNextNode());
  builder.CreateStore(builder.getInt8(0), is_set);
  for (llvm::StoreInst* store : variable.stores) {
    builder.SetInsertPoint(store);
    builder.CreateStore(builder.getInt8(1), is_set);
  }
  uint64_t bytes = variable.local->getDataLayout().getTypeStoreSize(variable.local->getAllocatedType());
  uint32_t object = calls.number(name_of(*variable.local), QUERN_OBJECT_LOCAL, bytes);
  for (llvm::LoadInst* load : variable.loads) {
    builder.SetInsertPoint(load);
    Value* unset = builder.CreateICmpEQ(builder.CreateLoad(builder.getInt8Ty(), is_set), builder.getInt8(0));
    calls.value_if(unset, *load, QUERN_CHECK_UNSET, calls.place_of(*load), builder.getInt64(object), builder.getInt64(bytes));
  }
}

}  // namespace

void check_arithmetic(LoweringState& kernel) {
  CheckCalls calls(kernel);
  llvm::SmallVector<llvm::BinaryOperator*, 16> divisions, shifts;
  std::vector<Variable> variables;
  for (Instruction& inst : llvm::instructions(*kernel.thread)) {
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&inst)) {
      Variable variable{local, {}, {}};
      if (has_users_name(*local) && is_plain(variable)) variables.push_back(std::move(variable));
      continue;
    }
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&inst);
    if (!operation || !is_users(inst) || !inst.getType()->isIntegerTy()) continue;
    if (operation->isIntDivRem()) divisions.push_back(operation);
    if (operation->isShift()) shifts.push_back(operation);
  }
  llvm::DominatorTree order(*kernel.thread);
  for (Variable& variable : variables) keep_doubtful_loads(variable, order);
  for (Variable& variable : variables) check_variable(calls, variable);
  for (llvm::BinaryOperator* division : divisions) check_division(calls, *division);
  for (llvm::BinaryOperator* shift : shifts) check_shift(calls, *shift);
}

}  // namespace quern::lowering
