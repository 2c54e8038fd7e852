// What an asm statement's operands stand for: the statement's own arguments, registers that it declares, special registers,
// numbers.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <vector>

#include "compile/clang/ptx/text.h"

namespace quern::plugin::ptx {

// How an instruction treats a register of another width than its own: ld, st and cvt take wider ones.
struct Fit {
  bool wider = false, is_signed = false;
};

class Registers {
 public:
  Registers(llvm::CallInst& call, llvm::IRBuilder<>& builder);

  void open() { scopes_.emplace_back(); }
  void close(unsigned line);
  void declare(const Statement& statement);

  // The value of an operand in the type that an instruction wants.
  llvm::Value* read(const Operand& operand, llvm::Type* type, const Statement& at, Fit fit = {});
  void write(const Operand& operand, llvm::Value* value, const Statement& at, Fit fit = {});
  // The pointer of [a + number]; `shared`: the number counts within the block's shared memory.
  llvm::Value* address(const Operand& operand, bool shared, const Statement& at);
  llvm::Value* predicate(const std::string& name, bool negated, const Statement& at);

  // What takes the statement's place as a value, null if it has none.
  llvm::Value* results(llvm::IRBuilder<>& builder);

 private:
  struct Argument {
    llvm::AllocaInst* slot = nullptr;  // of an output
    llvm::Value* value = nullptr;      // of an input
  };

  llvm::AllocaInst* variable(llvm::Type* type);
  llvm::AllocaInst* find(const std::string& name) const;
  llvm::Value* raw(const Operand& operand, const Statement& at);
  llvm::Value* literal(const Operand& operand, llvm::Type* type, const Statement& at);
  llvm::Value* fitted(llvm::Value* value, llvm::Type* type, const Statement& at, Fit fit, const std::string& name);
  llvm::Value* special(const std::string& name, const Statement& at);

  llvm::CallInst& call_;
  llvm::IRBuilder<>& builder_;
  std::vector<Argument> arguments_;
  std::vector<std::map<std::string, llvm::AllocaInst*>> scopes_;
  size_t declared_ = 0;
};

// The function of quern/ptx.cuh by its name, or null.
llvm::Function* row(llvm::Module& module, const std::string& name);

}  // namespace quern::plugin::ptx
