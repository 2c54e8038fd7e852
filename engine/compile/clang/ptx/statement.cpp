#include "compile/clang/ptx/statement.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>

#include "compile/clang/ptx/names.h"
#include "compile/clang/ptx/registers.h"
#include "compile/clang/ptx/text.h"

namespace quern::plugin::ptx {
namespace {

using llvm::BasicBlock;
using llvm::Value;

// The template as clang keeps it, with its escapes taken back: "$0" is an argument, "$(" a brace of PTX.
std::string ptx_of(llvm::StringRef kept, unsigned number) {
  std::string out;
  for (size_t i = 0; i < kept.size(); ++i) {
    char next = i + 1 < kept.size() ? kept[i + 1] : '\0';
    if (kept[i] != '$') {
      out += kept[i] == argument_mark ? ' ' : kept[i];
    } else if (next == '(' || next == '|' || next == ')' || next == '$') {
      out += next == '(' ? '{' : next == ')' ? '}' : next;
      ++i;
    } else if (kept.substr(i).starts_with("${:uid}")) {
      out += std::to_string(number);
      i += 6;
    } else {
      bool braced = next == '{';
      size_t end = i + 1 + braced;
      out += argument_mark;
      while (end < kept.size() && llvm::isDigit(kept[end])) out += kept[end++];
      out += argument_mark;
      if (braced) end = std::min(kept.find('}', end), kept.size() - 1) + 1;
      i = end - 1;
    }
  }
  return out;
}

bool has(const Statement& statement, std::string_view part) {
  return std::find(statement.parts.begin() + 1, statement.parts.end(), part) != statement.parts.end();
}

class Translator {
 public:
  Translator(llvm::CallInst& call, bool in_kernel)
      : call_(call), module_(*call.getModule()), in_kernel_(in_kernel), builder_(call.getContext()) {}

  void run(const std::vector<Statement>& statements) {
    BasicBlock* head = call_.getParent();
    BasicBlock* tail = head->splitBasicBlock(&call_);
    head->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(head);
    builder_.SetCurrentDebugLocation(call_.getDebugLoc());
    Registers registers(call_, builder_);
    registers_ = &registers;
    if (statements.empty()) keep_order();
    for (const Statement& statement : statements) add(statement);
    builder_.CreateBr(tail);
    for (auto& [name, label] : labels_) {
      if (!label.defined) throw Refusal("undefined label '" + name + "'", label.line);
    }
    builder_.SetInsertPoint(&call_);
    if (Value* results = registers.results(builder_)) call_.replaceAllUsesWith(results);
    call_.eraseFromParent();
  }

 private:
  struct Label {
    BasicBlock* block = nullptr;
    bool defined = false;
    unsigned line = 0;
  };

  BasicBlock* new_block() { return BasicBlock::Create(builder_.getContext(), "ptx", call_.getFunction()); }

  // asm volatile("" ::: "memory") holds the compiler to the order of memory.
  void keep_order() {
    auto* text = llvm::cast<llvm::InlineAsm>(call_.getCalledOperand());
    if (llvm::StringRef(text->getConstraintString()).contains("~{memory}")) {
      builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
    }
  }

  Label& label(const std::string& name, unsigned line) {
    Label& out = labels_[name];
    if (!out.block) out = {new_block(), false, line};
    return out;
  }

  void add(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::open:
        return registers_->open();
      case Statement::Kind::close:
        return registers_->close(statement.line);
      case Statement::Kind::declaration:
        return registers_->declare(statement);
      case Statement::Kind::label: {
        Label& here = label(statement.word, statement.line);
        if (here.defined) throw Refusal("the label '" + statement.word + "' is defined twice", statement.line);
        here.defined = true;
        builder_.CreateBr(here.block);
        return builder_.SetInsertPoint(here.block);
      }
      case Statement::Kind::instruction:
        break;
    }
    if (!statement.guarded) return instruction(statement);
    BasicBlock* then = new_block();
    BasicBlock* after = new_block();
    builder_.CreateCondBr(registers_->predicate(statement.guard, statement.guard_negated, statement), then, after);
    builder_.SetInsertPoint(then);
    instruction(statement);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
  }

  void instruction(const Statement& statement) {
    const std::string& opcode = statement.parts[0];
    if (opcode == "mov" && statement.parts.size() == 2) return move(statement);
    if (opcode == "bra") return branch(statement);
    if (opcode == "exit") return leave(statement);
    if (opcode == "setp" || opcode == "set") return compare(statement);
    if (opcode == "ld" || opcode == "ldu" || opcode == "st") return memory(statement);
    if (opcode == "cvta" && !has(statement, "shared") && !has(statement, "shared::cta") && !has(statement, "local")) {
      want(statement, 2);
      llvm::Type* type = builder_.getInt64Ty();
      return registers_->write(statement.operands[0], registers_->read(statement.operands[1], type, statement), statement);
    }
    call(statement);
  }

  static void want(const Statement& statement, size_t count) {
    if (statement.operands.size() == count) return;
    throw Refusal("'" + statement.word + "' takes " + std::to_string(count) + " operand" + (count == 1 ? "" : "s") +
                      " on the CPU, not " + std::to_string(statement.operands.size()),
                  statement.line);
  }

  static unsigned width(const Statement& statement) {
    const std::string& type = statement.parts.back();
    if (type == "pred") return 1;
    for (unsigned bits : {8u, 16u, 32u, 64u}) {
      if (type.size() > 1 && llvm::StringRef("busf").contains(type[0]) && type.substr(1) == std::to_string(bits)) return bits;
    }
    if (type == "f16x2" || type == "bf16x2") return 32;
    refuse(statement);
  }

  [[noreturn]] static void refuse(const Statement& statement) {
    throw Refusal("'" + statement.word + "' is not supported on the CPU; write it in CUDA C++ where __QUERN_CPU__ is defined",
                  statement.line);
  }

  // Between registers, and into and out of {a, b}.
  void move(const Statement& statement) {
    want(statement, 2);
    unsigned bits = width(statement);
    const Operand& to = statement.operands[0];
    const Operand& from = statement.operands[1];
    llvm::Type* type = builder_.getIntNTy(bits);
    auto part_type = [&](const Operand& operand) {
      if (bits % operand.parts.size()) throw Refusal("'" + statement.word + "' moves parts of one width", statement.line);
      return builder_.getIntNTy(bits / static_cast<unsigned>(operand.parts.size()));
    };
    Value* value = nullptr;
    if (from.kind == Operand::Kind::vector) {
      llvm::Type* part = part_type(from);
      value = llvm::ConstantInt::get(type, 0);
      for (size_t i = 0; i < from.parts.size(); ++i) {
        Value* piece = builder_.CreateZExt(registers_->read(from.parts[i], part, statement), type);
        value = builder_.CreateOr(value, builder_.CreateShl(piece, i * part->getIntegerBitWidth()));
      }
    } else {
      value = registers_->read(from, type, statement);
    }
    if (to.kind != Operand::Kind::vector) return registers_->write(to, value, statement);
    llvm::Type* part = part_type(to);
    for (size_t i = 0; i < to.parts.size(); ++i) {
      Value* piece = builder_.CreateTrunc(builder_.CreateLShr(value, i * part->getIntegerBitWidth()), part);
      registers_->write(to.parts[i], piece, statement);
    }
  }

  void branch(const Statement& statement) {
    want(statement, 1);
    builder_.CreateBr(label(statement.operands[0].name, statement.line).block);
    builder_.SetInsertPoint(new_block());  // nothing comes here
  }

  void leave(const Statement& statement) {
    if (!in_kernel_ || !call_.getFunction()->getReturnType()->isVoidTy()) {
      throw Refusal("'exit' is supported on the CPU in a kernel only; return from this function instead", statement.line);
    }
    builder_.CreateRetVoid();
    builder_.SetInsertPoint(new_block());
  }

  llvm::Function& function_of(const Statement& statement, const std::string& name) {
    llvm::Function* function = row(module_, name);
    if (!function) refuse(statement);
    return *function;
  }

  // setp.lt.and.s32 p|q, a, b, c: what is compared is a row, what it is joined with is done here. set gives all ones or 1.0.
  void compare(const Statement& statement) {
    std::vector<std::string> parts = statement.parts;
    bool number = parts[0] == "set";
    std::string result = number && parts.size() > 3 ? parts[parts.size() - 2] : "";
    if (number && result != "u32" && result != "s32" && result != "f32") refuse(statement);
    if (number) parts[0] = "setp", parts.erase(parts.end() - 2);
    llvm::Function& function = function_of(statement, row_of(parts));
    bool joined = has(statement, "and") || has(statement, "or") || has(statement, "xor");
    want(statement, joined ? 4 : 3);
    Value* a = registers_->read(statement.operands[1], function.getArg(0)->getType(), statement);
    Value* b = registers_->read(statement.operands[2], function.getArg(1)->getType(), statement);
    Value* yes = builder_.CreateCall(&function, {a, b});
    Value* no = builder_.CreateNot(yes);
    if (joined) {
      Value* other = registers_->read(statement.operands[3], builder_.getInt1Ty(), statement);
      auto join = [&](Value* value) {
        if (has(statement, "and")) return builder_.CreateAnd(value, other);
        return has(statement, "or") ? builder_.CreateOr(value, other) : builder_.CreateXor(value, other);
      };
      yes = join(yes), no = join(no);
    }
    const Operand& to = statement.operands[0];
    if (number) {
      Value* one = builder_.getInt32(result == "f32" ? 0x3f800000 : 0xffffffff);
      return registers_->write(to, builder_.CreateSelect(yes, one, builder_.getInt32(0)), statement);
    }
    bool both = to.kind == Operand::Kind::pair;
    registers_->write(both ? to.parts[0] : to, yes, statement);
    if (both) registers_->write(to.parts[1], no, statement);
  }

  bool in_shared(const Statement& statement) const { return has(statement, "shared") || has(statement, "shared::cta"); }

  void fence(const Statement& statement, std::initializer_list<const char*> words) {
    bool wanted = std::any_of(words.begin(), words.end(), [&](const char* word) { return has(statement, word); });
    if (wanted) builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  }

  // Each element of a vector is loaded or stored by itself.
  void memory(const Statement& statement) {
    bool store = statement.parts[0] == "st";
    want(statement, 2);
    const Operand& values = statement.operands[store];
    const Operand& place = statement.operands[!store];
    unsigned count = has(statement, "v2") ? 2 : has(statement, "v4") ? 4 : 1;
    bool vector = values.kind == Operand::Kind::vector;
    if (vector ? values.parts.size() != count : count != 1) {
      throw Refusal("'" + statement.word + "' requires " + std::to_string(count) + " registers", statement.line);
    }
    llvm::Function& function = function_of(statement, row_of(statement.parts));
    Fit fit;
    fit.wider = true;
    fit.is_signed = statement.parts.back()[0] == 's';
    Value* pointer = registers_->address(place, in_shared(statement), statement);
    fence(statement, {"release"});
    std::vector<Value*> loaded;
    for (unsigned i = 0; i < count; ++i) {
      Value* at = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), pointer, i * (width(statement) / 8));
      const Operand& value = vector ? values.parts[i] : values;
      if (store) {
        builder_.CreateCall(&function, {at, registers_->read(value, function.getArg(1)->getType(), statement, fit)});
      } else {
        loaded.push_back(builder_.CreateCall(&function, {at}));
      }
    }
    // The address may stand in a register that is written here.
    for (unsigned i = 0; i < loaded.size(); ++i) registers_->write(vector ? values.parts[i] : values, loaded[i], statement, fit);
    fence(statement, {"acquire"});
  }

  // All others: the row's parameters say what the operands are.
  void call(const Statement& statement) {
    const std::string& opcode = statement.parts[0];
    bool pair = !statement.operands.empty() && statement.operands[0].kind == Operand::Kind::pair;
    llvm::Function& function = function_of(statement, row_of(statement.parts) + (pair ? pair_suffix : ""));
    bool gives = !function.getReturnType()->isVoidTy() && opcode != "red";
    want(statement, function.arg_size() - pair + gives);
    Fit fit;
    bool converts = opcode == "cvt";
    fit.wider = converts;
    bool atomic = opcode == "atom" || opcode == "red";
    std::vector<Value*> arguments;
    for (unsigned i = 0; i < function.arg_size() - pair; ++i) {
      const Operand& operand = statement.operands[i + gives];
      llvm::Type* type = function.getArg(i)->getType();
      arguments.push_back(type->isPointerTy() ? registers_->address(operand, in_shared(statement), statement)
                                              : registers_->read(operand, type, statement, fit));
    }
    if (atomic) fence(statement, {"release", "acq_rel"});
    llvm::AllocaInst* second = nullptr;
    if (pair) {
      BasicBlock& entry = call_.getFunction()->getEntryBlock();
      second = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(builder_.getInt8Ty());
      arguments.push_back(second);
    }
    Value* value = builder_.CreateCall(&function, arguments);
    if (atomic) fence(statement, {"acquire", "acq_rel"});
    if (!gives) return;
    fit.is_signed = converts && statement.parts.size() > 2 && statement.parts[statement.parts.size() - 2][0] == 's';
    const Operand& to = statement.operands[0];
    registers_->write(pair ? to.parts[0] : to, value, statement, fit);
    if (pair)
      registers_->write(to.parts[1], builder_.CreateIsNotNull(builder_.CreateLoad(builder_.getInt8Ty(), second)), statement);
  }

  llvm::CallInst& call_;
  llvm::Module& module_;
  bool in_kernel_;
  llvm::IRBuilder<> builder_;
  Registers* registers_ = nullptr;
  std::map<std::string, Label> labels_;
};

}  // namespace

void translate_statement(llvm::CallInst& call, bool in_kernel, unsigned number) {
  auto* text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  std::vector<Statement> statements = parse(ptx_of(text->getAsmString(), number));
  Translator(call, in_kernel).run(statements);
}

}  // namespace quern::plugin::ptx
