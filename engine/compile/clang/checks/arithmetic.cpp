// Divisions by 0, shifts by more than there are bits.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

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

}  // namespace

// A constant that shifts too far, or that is no divisor, would make the inliner forget the operation: in memory it is not seen.
void keep_wrong_constants(llvm::Module& module) {
  for (llvm::Function& function : module) {
    llvm::SmallVector<llvm::BinaryOperator*, 4> wrong;
    for (Instruction& inst : llvm::instructions(function)) {
      auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&inst);
      auto* known = operation ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1)) : nullptr;
      if (!known || !is_users(inst)) continue;
      if ((operation->isIntDivRem() && known->isZero()) ||
          (operation->isShift() && known->getValue().uge(known->getType()->getIntegerBitWidth())))
        wrong.push_back(operation);
    }
    for (llvm::BinaryOperator* operation : wrong) {
      Value* known = operation->getOperand(1);
      llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
      llvm::AllocaInst* memory = builder.CreateAlloca(known->getType());
      builder.SetInsertPoint(operation);
      builder.CreateStore(known, memory);
      operation->setOperand(1, builder.CreateLoad(known->getType(), memory));
    }
  }
}

void check_arithmetic(LoweringState& kernel) {
  CheckCalls calls(kernel);
  llvm::SmallVector<llvm::BinaryOperator*, 16> divisions, shifts;
  for (Instruction& inst : llvm::instructions(*kernel.thread)) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&inst);
    if (!operation || !is_users(inst) || !inst.getType()->isIntegerTy()) continue;
    if (operation->isIntDivRem()) divisions.push_back(operation);
    if (operation->isShift()) shifts.push_back(operation);
  }
  check_variables(kernel);
  check_rows(kernel);
  check_passed_barriers(kernel);
  for (llvm::BinaryOperator* division : divisions) check_division(calls, *division);
  for (llvm::BinaryOperator* shift : shifts) check_shift(calls, *shift);
}

}  // namespace quern::lowering
