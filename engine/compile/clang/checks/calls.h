// Calls that checked code makes to tell the device of itself: the functions of QuernCpuRuntime, places and objects by number.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

#include "compile/clang/checks/places.h"
#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// The variable with the functions of QuernCpuRuntime.
inline constexpr llvm::StringLiteral runtime_name = "quern_runtime";

// The prelude's function for an element that is not there, in quern/python_checked.cuh.
inline constexpr llvm::StringLiteral index_function_name = "__quern_check_index";

// Is it a place in the prelude, or in CCCL's headers?
bool is_own(const llvm::DILocation& location);
// The same of an instruction itself; one that has no place is the compiler's own.
bool is_users(const llvm::Instruction& inst);
// A function by the name that programs call it by.
llvm::StringRef called_name(const llvm::DILocation& location);
// "_ZZ4sortPfE4tile", which demangles as "sort(float*)::tile" -> "tile"
std::string plain_name(llvm::StringRef symbol);
std::string name_of(const llvm::AllocaInst& local);

class CheckCalls {
 public:
  explicit CheckCalls(LoweringState& kernel) : tables_(*kernel.input.checks), module_(kernel.module) {}

  uint32_t place_of(const llvm::Instruction& inst);  // where the program's own text asked for it, not the prelude's
  uint32_t number(const std::string& name, uint32_t kind, uint64_t bytes) { return tables_.number_of(Object{name, kind, bytes}); }

  // The address that an access is to use.
  llvm::CallInst* access(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* bytes, uint32_t what, uint32_t place,
                         llvm::Value* base, uint64_t size, uint32_t object);
  // The address of an element that is not there.
  llvm::CallInst* index(llvm::IRBuilder<>& builder, llvm::Value* data, llvm::Value* index, llvm::Value* extent, llvm::Value* axis,
                        uint32_t place, uint32_t object);
  void event(llvm::IRBuilder<>& builder, uint32_t what, uint32_t place);
  void value(llvm::IRBuilder<>& builder, uint32_t what, uint32_t place, llvm::Value* first, llvm::Value* second);
  void local(llvm::IRBuilder<>& builder, llvm::Value* base, uint64_t bytes);
  // Reports about the value that a shuffle reads; that a value is given.
  llvm::CallInst* lane(llvm::IRBuilder<>& builder, llvm::Value* lane, uint32_t place);
  void give(llvm::IRBuilder<>& builder, llvm::Value* doubt);
  // A call of value() where `wrong` is true, before the instruction; splits its block.
  void value_if(llvm::Value* wrong, llvm::Instruction& before, uint32_t what, uint32_t place, llvm::Value* first,
                llvm::Value* second);

 private:
  llvm::CallInst* call(llvm::IRBuilder<>& builder, uint64_t field, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);

  CheckTables& tables_;
  llvm::Module& module_;
};

}  // namespace quern::lowering
