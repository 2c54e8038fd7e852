// Indices beyond a row of an array of arrays, or beyond an array in a structure, that end in other memory of the same object.
//
// An index into the object itself is left to the bounds of its memory, and so is one into the first row, a[0][i]: that is how
// programs walk through all rows.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compile/clang/checks/calls.h"
#include "compile/clang/checks/instrument.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::GetElementPtrInst;
using llvm::Value;

// The number of elements of the array that the instruction steps into; 0 where it steps otherwise.
uint64_t extent_of(const GetElementPtrInst& step) {
  const auto* array = llvm::dyn_cast<llvm::ArrayType>(step.getSourceElementType());
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(step.getOperand(1));
  return array && step.getNumIndices() == 2 && first && first->isZero() ? array->getNumElements() : 0;
}

bool is_structure(const Value& object) {
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&object)) return local->getAllocatedType()->isStructTy();
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object);
  return variable && variable->getValueType()->isStructTy();
}

// What the index must stay below: the row's elements, those of all rows for the first of them; 0 where memory has its own bounds.
uint64_t limit_of(const GetElementPtrInst& step) {
  uint64_t limit = extent_of(step);
  if (limit < 2) return 0;  // one element: an array whose length the structure's memory gives
  const Value* from = step.getPointerOperand();
  while (const auto* outer = llvm::dyn_cast<GetElementPtrInst>(from)) {
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(outer->getOperand(outer->getNumOperands() - 1));
    if (!index || !index->isZero() || outer->getSourceElementType()->isStructTy()) return limit;
    uint64_t rows = extent_of(*outer);
    if (rows == 0) return 0;
    limit *= rows;
    from = outer->getPointerOperand();
  }
  return is_structure(*from) ? limit : 0;
}

// One past the end is an address like any other until somebody reads or writes there.
bool is_accessed(const GetElementPtrInst& step) {
  return !step.use_empty() && llvm::all_of(step.uses(), [](const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    if (const auto* further = llvm::dyn_cast<GetElementPtrInst>(user)) return is_accessed(*further);
    if (llvm::isa<llvm::StoreInst>(user)) return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
    return llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user);
  });
}

// Where the index is wrong, other memory stands in the element's place.
void check_row(CheckCalls& calls, llvm::FunctionCallee index_function, GetElementPtrInst& step, uint64_t limit) {
  llvm::IRBuilder<> builder(step.getNextNode());
  builder.SetCurrentDebugLocation(step.getDebugLoc());
  Value* index = builder.CreateSExtOrTrunc(step.getOperand(2), builder.getInt64Ty());
  Value* wrong = builder.CreateICmpUGE(index, builder.getInt64(limit));
  llvm::BasicBlock* before = step.getParent();
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(wrong, &*builder.GetInsertPoint(), /*Unreachable=*/false);
  builder.SetInsertPoint(then);
  builder.SetCurrentDebugLocation(step.getDebugLoc());
  Value* instead = builder.CreateCall(
      index_function, {step.getPointerOperand(), index, builder.getInt64(limit), builder.getInt32(QUERN_CHECK_ROW)});
  llvm::BasicBlock* behind = then->getSuccessor(0);
  builder.SetInsertPoint(behind, behind->begin());
  llvm::PHINode* place = builder.CreatePHI(builder.getPtrTy(), 2);
  step.replaceUsesWithIf(place, [&](const llvm::Use& use) { return use.getUser() != place; });
  place->addIncoming(&step, before);
  place->addIncoming(instead, then->getParent());
}

}  // namespace

void check_rows(LoweringState& kernel) {
  std::vector<std::pair<GetElementPtrInst*, uint64_t>> rows;
  for (llvm::Instruction& inst : llvm::instructions(*kernel.thread)) {
    auto* step = llvm::dyn_cast<GetElementPtrInst>(&inst);
    if (!step || !is_users(*step) || step->getType()->isVectorTy()) continue;
    uint64_t limit = limit_of(*step);
    const auto* known = limit ? llvm::dyn_cast<llvm::ConstantInt>(step->getOperand(2)) : nullptr;
    if (limit && !(known && known->getValue().ult(limit)) && is_accessed(*step)) rows.emplace_back(step, limit);
  }
  if (rows.empty()) return;
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *wide = llvm::Type::getInt64Ty(context);
  llvm::FunctionCallee index_function =
      kernel.module.getOrInsertFunction(index_function_name, pointer, pointer, wide, wide, llvm::Type::getInt32Ty(context));
  CheckCalls calls(kernel);
  for (auto [step, limit] : rows) check_row(calls, index_function, *step, limit);
}

}  // namespace quern::lowering
