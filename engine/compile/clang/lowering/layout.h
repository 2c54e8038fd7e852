// Access to the structs of cpu_module.h from generated code.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstddef>

#include "compile/cpu_module.h"

namespace quern::lowering {

inline llvm::Value* field(llvm::IRBuilder<>& builder, llvm::Value* base, size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
}

// A field that does not change while a kernel runs.
inline llvm::LoadInst* load_field(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* base, size_t offset,
                                  const llvm::Twine& name = "") {
  llvm::LoadInst* load = builder.CreateLoad(type, field(builder, base, offset), name);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

}  // namespace quern::lowering
