#include "compile/clang/analyses/access.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

constexpr uint32_t read = QUERN_ACCESS_READ, write = QUERN_ACCESS_WRITE, both = read | write;

// What one use of a pointer does to the memory behind it; `passes_on` when its result is such a pointer itself.
uint32_t access_of(const llvm::Use& use, bool& passes_on) {
  const auto* inst = llvm::cast<llvm::Instruction>(use.getUser());
  if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst, llvm::AddrSpaceCastInst>(inst)) {
    passes_on = true;
    return 0;
  }
  if (llvm::isa<llvm::ICmpInst>(inst)) return 0;
  if (llvm::isa<llvm::LoadInst>(inst)) return read;
  if (llvm::isa<llvm::StoreInst>(inst)) {
    return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex() ? write : both;  // else it escapes
  }
  if (auto* set = llvm::dyn_cast<llvm::MemIntrinsic>(inst)) {
    if (use.getOperandNo() == 0) return write;
    if (llvm::isa<llvm::MemTransferInst>(set)) return read;
  }
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(inst)) {
    if (intrinsic->isAssumeLikeIntrinsic()) return 0;
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::prefetch) return 0;
  }
  return both;
}

uint32_t follow(const llvm::Instruction* pointer) {
  uint32_t access = 0;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  llvm::SmallVector<const llvm::Value*, 16> open{pointer};
  while (!open.empty() && access != both) {
    const llvm::Value* value = open.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::Use& use : value->uses()) {
      bool passes_on = false;
      access |= access_of(use, passes_on);
      if (passes_on) open.push_back(use.getUser());
    }
  }
  return access;
}

}  // namespace

std::vector<KernelParam> find_accesses(const LoweringState& kernel) {
  std::vector<KernelParam> params = kernel.input.params;
  const llvm::DataLayout& layout = kernel.module.getDataLayout();
  auto at = [&](int64_t offset) -> KernelParam* {
    for (KernelParam& param : params) {
      if (param.pointer && offset == param.offset) return &param;
    }
    return nullptr;
  };
  auto hide = [&] {
    for (KernelParam& param : params) {
      if (param.pointer) param.access = both;
    }
  };

  // Every use of the parameter block: loads at known places, or else nothing is known.
  llvm::SmallVector<std::pair<const llvm::Value*, int64_t>, 16> open{{kernel.thread->getArg(0), 0}};
  while (!open.empty()) {
    auto [value, offset] = open.pop_back_val();
    for (const llvm::Use& use : value->uses()) {
      const auto* inst = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (auto* gep = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(inst)) {
        llvm::APInt step(64, 0);
        if (gep->accumulateConstantOffset(layout, step)) {
          open.push_back({gep, offset + step.getSExtValue()});
          continue;
        }
      }
      auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(inst);
      if (load && (load->getType()->isPointerTy() || !at(offset))) {
        if (KernelParam* param = at(offset)) param->access |= follow(load);
        continue;
      }
      if (inst && llvm::isa<llvm::MemTransferInst>(inst) && !at(offset)) continue;  // a struct parameter's own copy
      hide();
      return params;
    }
  }
  return params;
}

}  // namespace quern::lowering
