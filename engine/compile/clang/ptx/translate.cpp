#include "compile/clang/ptx/translate.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include <set>

#include "compile/clang/ptx/names.h"
#include "compile/clang/ptx/statement.h"
#include "compile/clang/ptx/text.h"

namespace quern::plugin::ptx {
namespace {

using llvm::CallInst;
using llvm::Function;

llvm::InlineAsm* asm_of(llvm::Instruction& inst) {
  auto* call = llvm::dyn_cast<CallInst>(&inst);
  return call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
}

// All functions that code of `roots` calls or names, also by way of tables.
llvm::SmallPtrSet<const llvm::Value*, 32> reached_from(const std::vector<Function*>& roots) {
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  std::vector<const llvm::Value*> open(roots.begin(), roots.end());
  auto add = [&](const llvm::Value* value) {
    if (llvm::isa<llvm::Constant>(value) && !llvm::isa<llvm::ConstantData>(value)) open.push_back(value);
  };
  while (!open.empty()) {
    const llvm::Value* value = open.back();
    open.pop_back();
    if (!seen.insert(value).second) continue;
    if (auto* function = llvm::dyn_cast<Function>(value)) {
      for (const llvm::Instruction& inst : llvm::instructions(*function)) {
        for (const llvm::Value* operand : inst.operands()) add(operand);
      }
    } else if (auto* user = llvm::dyn_cast<llvm::User>(value)) {
      for (const llvm::Value* operand : user->operands()) add(operand);
    }
  }
  return seen;
}

unsigned place_of(const CallInst& call, unsigned line) {
  const llvm::MDNode* lines = call.getMetadata("srcloc");
  if (!lines || lines->getNumOperands() == 0) return 0;
  auto* place = llvm::mdconst::dyn_extract<llvm::ConstantInt>(lines->getOperand(line < lines->getNumOperands() ? line : 0));
  return place ? static_cast<unsigned>(place->getZExtValue()) : 0;
}

void drop(CallInst& call) {
  if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(llvm::PoisonValue::get(call.getType()));
  call.eraseFromParent();
}

// What the translation asked for and does not use, or nobody calls, need not be compiled.
void drop_unused_rows(llvm::Module& module) {
  for (Function& function : llvm::make_early_inc_range(module)) {
    if (function.getName().starts_with("__quern_ptx_") && function.use_empty()) function.eraseFromParent();
  }
}

}  // namespace

void translate(llvm::Module& module, const std::vector<Function*>& threads, const Report& report) {
  std::vector<CallInst*> statements;
  for (Function& function : module) {
    for (llvm::Instruction& inst : llvm::instructions(function)) {
      if (asm_of(inst)) statements.push_back(llvm::cast<CallInst>(&inst));
    }
  }
  if (statements.empty()) return;
  auto reached = reached_from(threads);
  llvm::SmallPtrSet<const Function*, 8> kernels;
  for (Function* thread : threads) {
    for (llvm::Instruction& inst : llvm::instructions(*thread)) {
      if (auto* call = llvm::dyn_cast<CallInst>(&inst)) kernels.insert(call->getCalledFunction());
    }
  }
  std::set<std::pair<std::string, unsigned>> told;  // once for all instances of a template
  unsigned number = 0;
  for (CallInst* call : statements) {
    if (!reached.contains(call->getFunction())) {
      drop(*call);
      continue;
    }
    try {
      translate_statement(*call, kernels.contains(call->getFunction()), ++number);
    } catch (const Refusal& refusal) {
      unsigned place = place_of(*call, refusal.line);
      if (told.emplace(refusal.what(), place).second) report("[compile] inline PTX: " + std::string(refusal.what()), place);
    }
  }
  drop_unused_rows(module);
}

}  // namespace quern::plugin::ptx
