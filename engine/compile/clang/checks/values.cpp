// What numbers become: indices that overflow 32 bits, floats that become NaN or infinite.
#include <llvm/ADT/SetVector.h>
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

constexpr size_t most_steps = 256;  // back from a value to what it is made of

// ---- indices

llvm::Intrinsic::ID with_overflow(unsigned opcode) {
  switch (opcode) {
    case Instruction::Add:
      return llvm::Intrinsic::sadd_with_overflow;
    case Instruction::Sub:
      return llvm::Intrinsic::ssub_with_overflow;
    case Instruction::Mul:
      return llvm::Intrinsic::smul_with_overflow;
    default:
      return llvm::Intrinsic::not_intrinsic;
  }
}

uint32_t sign_of(unsigned opcode) { return opcode == Instruction::Add ? '+' : opcode == Instruction::Sub ? '-' : '*'; }

bool may_overflow(const Instruction& inst) {
  return inst.getType()->isIntegerTy(32) && with_overflow(inst.getOpcode()) != llvm::Intrinsic::not_intrinsic &&
         inst.hasNoSignedWrap() && is_users(inst);
}

// Does an index depend on the operands of this instruction?
bool index_passes_through(const Instruction& inst) {
  return llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(inst) ||
         (llvm::isa<llvm::BinaryOperator>(inst) && inst.getType()->isIntegerTy());
}

// ---- floats

bool is_real(const Value& value) { return value.getType()->isFloatTy() || value.getType()->isDoubleTy(); }

bool computes(const Instruction& inst) {
  if (!is_real(inst) || !is_users(inst)) return false;
  switch (inst.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::FPTrunc:
      return true;
    default:
      return llvm::isa<llvm::IntrinsicInst>(inst);
  }
}

// A value of the prelude's that the program's own code takes: what a function of it returns.
bool leaves_prelude(const Instruction& inst) {
  const llvm::DILocation* at = inst.getDebugLoc();
  if (!is_real(inst) || !at || !is_own(*at) || !at->getInlinedAt() || inst.mayReadFromMemory()) return false;
  return llvm::any_of(inst.users(), [](const llvm::User* user) {
    auto* taker = llvm::dyn_cast<Instruction>(user);
    return taker && is_users(*taker);
  });
}

// What a value of the prelude's is made from: the program's own numbers. False where one of them is not known there.
bool find_given(Instruction& made, const llvm::DominatorTree& order, llvm::SmallVectorImpl<Value*>& given) {
  llvm::SmallSetVector<Instruction*, 16> all;
  all.insert(&made);
  for (size_t i = 0; i < all.size(); ++i) {
    for (Value* operand : all[i]->operands()) {
      auto* inst = llvm::dyn_cast<Instruction>(operand);
      bool inside = inst && !is_users(*inst) && !inst->mayReadFromMemory();
      if (inside) {
        all.insert(inst);
        if (all.size() > most_steps) return false;
      } else if (is_real(*operand) && !llvm::isa<llvm::Constant>(operand)) {
        if (inst && !order.dominates(inst, &made)) return false;
        if (!llvm::is_contained(given, operand)) given.push_back(operand);
      }
    }
  }
  return !given.empty();
}

// What an atomic addition makes.
Instruction* sum_of(llvm::AtomicRMWInst& update) {
  llvm::IRBuilder<> builder(update.getNextNode());
  Value *before = &update, *more = update.getValOperand();
  auto* sum = llvm::dyn_cast<Instruction>(update.getOperation() == llvm::AtomicRMWInst::FAdd ? builder.CreateFAdd(before, more)
                                                                                             : builder.CreateFSub(before, more));
  if (sum) sum->setDebugLoc(update.getDebugLoc());
  return sum;
}

struct Computed {
  Instruction* result;
  llvm::SmallVector<Value*, 3> given;
};

Value* is_finite(llvm::IRBuilder<>& builder, Value* value) {
  Value* size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  return builder.CreateFCmpOLT(size, llvm::ConstantFP::getInfinity(value->getType()));
}

void check_computed(CheckCalls& calls, const Computed& computed) {
  Instruction* behind = llvm::isa<llvm::PHINode>(computed.result) ? &*computed.result->getParent()->getFirstInsertionPt()
                                                                  : computed.result->getNextNode();
  llvm::IRBuilder<> builder(behind);
  Value* wrong = builder.CreateNot(is_finite(builder, computed.result));
  for (Value* value : computed.given) wrong = builder.CreateAnd(wrong, is_finite(builder, value));
  calls.value_if(wrong, *behind, QUERN_CHECK_NOT_FINITE, calls.place_of(*computed.result), computed.result, computed.given[0]);
}

}  // namespace

void check_indices(LoweringState& kernel) {
  llvm::SmallSetVector<Instruction*, 32> lead_to_addresses;
  auto add = [&](Value* value) {
    auto* inst = llvm::dyn_cast<Instruction>(value);
    if (inst && index_passes_through(*inst)) lead_to_addresses.insert(inst);
  };
  for (Instruction& inst : llvm::instructions(*kernel.thread))
    if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(&inst))
      for (Value* index : step->indices()) add(index);
  for (size_t i = 0; i < lead_to_addresses.size(); ++i)
    for (Value* operand : lead_to_addresses[i]->operands()) add(operand);
  CheckCalls calls(kernel);
  for (Instruction* inst : lead_to_addresses) {
    if (!may_overflow(*inst)) continue;
    Value *first = inst->getOperand(0), *second = inst->getOperand(1);
    llvm::IRBuilder<> builder(inst);
    Value* both = builder.CreateBinaryIntrinsic(with_overflow(inst->getOpcode()), first, second);
    inst->dropPoisonGeneratingFlags();
    calls.value_if(builder.CreateExtractValue(both, 1), *inst,
                   QUERN_CHECK_OVERFLOW | sign_of(inst->getOpcode()) << QUERN_CHECK_SIGN_SHIFT, calls.place_of(*inst), first,
                   second);
  }
}

void check_finite(LoweringState& kernel) {
  std::vector<Computed> all;
  for (Instruction& inst : llvm::make_early_inc_range(llvm::instructions(*kernel.thread)))
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst); update && is_real(inst) && update->isFloatingPointOperation())
      if (update->getOperation() == llvm::AtomicRMWInst::FAdd || update->getOperation() == llvm::AtomicRMWInst::FSub)
        if (Instruction* sum = sum_of(*update)) all.push_back({sum, {update, update->getValOperand()}});
  llvm::DominatorTree order(*kernel.thread);
  for (Instruction& inst : llvm::instructions(*kernel.thread)) {
    Computed computed{&inst, {}};
    if (computes(inst)) {
      for (Value* operand : inst.operands())
        if (is_real(*operand)) computed.given.push_back(operand);
      if (!computed.given.empty()) all.push_back(std::move(computed));
    } else if (leaves_prelude(inst) && find_given(inst, order, computed.given)) {
      all.push_back(std::move(computed));
    }
  }
  CheckCalls calls(kernel);
  for (const Computed& computed : all) check_computed(calls, computed);
}

}  // namespace quern::lowering
