#include "compile/clang/lowering/arithmetic.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace quern::lowering {
namespace {

using llvm::Instruction;
using llvm::Value;

void define_shift(llvm::BinaryOperator& shift) {
  if (llvm::isa<llvm::Constant>(shift.getOperand(1))) return;
  shift.dropPoisonGeneratingFlags();
  llvm::IRBuilder<> builder(&shift);
  llvm::Type* type = shift.getType();
  unsigned width = type->getScalarSizeInBits();
  // Frozen, because it is used twice and must be the same number in both.
  Value* amount = builder.CreateFreeze(shift.getOperand(1));
  if (shift.getOpcode() == Instruction::AShr) {
    Value* most = llvm::ConstantInt::get(type, width - 1);
    shift.setOperand(1, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, most));
    return;
  }
  shift.setOperand(1, amount);
  builder.SetInsertPoint(shift.getNextNode());
  Value* within = builder.CreateICmpULT(amount, llvm::ConstantInt::get(type, width));
  Value* zero = llvm::Constant::getNullValue(type);
  Value* result = builder.CreateSelect(within, &shift, zero);
  shift.replaceUsesWithIf(result, [&](llvm::Use& use) { return use.getUser() != result; });
}

void define_cast(llvm::CastInst& cast) {
  bool is_signed = cast.getOpcode() == Instruction::FPToSI;
  llvm::IRBuilder<> builder(&cast);
  llvm::Type* type = cast.getType();
  // Narrow types go by way of 32 bits, as the hardware's conversion does.
  llvm::Type* wide = type;
  if (type->getScalarSizeInBits() < 32) wide = type->getWithNewType(builder.getInt32Ty());
  auto id = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value* real = cast.getOperand(0);
  Value* result = builder.CreateIntrinsic(id, {wide, real->getType()}, {real});
  // No number is 0 as a 32-bit integer of a float; where 64 bits come or go, the highest bit alone.
  unsigned width = wide->getScalarSizeInBits();
  if (type == wide && (width == 64 || real->getType()->getScalarType()->isDoubleTy())) {
    Value* none = llvm::ConstantInt::get(wide, llvm::APInt::getSignMask(width));
    result = builder.CreateSelect(builder.CreateFCmpUNO(real, real), none, result);
  }
  cast.replaceAllUsesWith(builder.CreateTrunc(result, type));
  cast.eraseFromParent();
}

// What quern/casts.cuh asks for where it has made sure that the integer holds the number.
void define_call(llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return;
  llvm::StringRef name = callee->getName();
  if (!name.consume_front("__quern_float_to_") && !name.consume_front("__quern_double_to_")) return;
  llvm::IRBuilder<> builder(&call);
  call.replaceAllUsesWith(builder.CreateFPToSI(call.getArgOperand(0), call.getType()));
  call.eraseFromParent();
}

}  // namespace

void define_division(llvm::BinaryOperator& division) {
  Value* divisor = division.getOperand(1);
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(divisor)) {
    if (!constant->isZero() && !constant->isMinusOne()) return;
  }
  llvm::IRBuilder<> builder(&division);
  llvm::Type* type = division.getType();
  divisor = builder.CreateFreeze(divisor);
  Value* bad = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
  if (division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem) {
    Value* number = builder.CreateFreeze(division.getOperand(0));
    division.setOperand(0, number);
    llvm::APInt least = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
    Value* overflows = builder.CreateAnd(builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
                                         builder.CreateICmpEQ(number, llvm::ConstantInt::get(type, least)));
    bad = builder.CreateOr(bad, overflows);
  }
  division.setOperand(1, builder.CreateSelect(bad, llvm::ConstantInt::get(type, 1), divisor));
}

void define_arithmetic(llvm::Function& function) {
  for (Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    switch (inst.getOpcode()) {
      case Instruction::Shl:
      case Instruction::LShr:
      case Instruction::AShr:
        define_shift(llvm::cast<llvm::BinaryOperator>(inst));
        break;
      case Instruction::FPToSI:
      case Instruction::FPToUI:
        define_cast(llvm::cast<llvm::CastInst>(inst));
        break;
      case Instruction::Call:
        define_call(llvm::cast<llvm::CallInst>(inst));
        break;
      case Instruction::SDiv:
      case Instruction::SRem:
      case Instruction::UDiv:
      case Instruction::URem:
        define_division(llvm::cast<llvm::BinaryOperator>(inst));
        break;
      default:
        break;
    }
  }
}

}  // namespace quern::lowering
