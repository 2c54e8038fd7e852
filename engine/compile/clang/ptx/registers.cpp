#include "compile/clang/ptx/registers.h"

#include <llvm/IR/InlineAsm.h>

#include <bit>

#include "compile/clang/ptx/names.h"

namespace quern::plugin::ptx {
namespace {

constexpr unsigned warp_size = 32;
constexpr size_t most_registers = 4096;  // in one statement

std::string shown(const Operand& operand) {
  if (operand.kind == Operand::Kind::argument) return "%" + std::to_string(operand.number);
  return operand.kind == Operand::Kind::name ? operand.name : "an operand";
}

unsigned bits_of(llvm::Type* type) { return type->isPointerTy() ? 64 : type->getPrimitiveSizeInBits().getFixedValue(); }

void refuse_other_types(llvm::Type* type) {
  bool number = type->isPointerTy() || type->isIntegerTy() || type->isFloatingPointTy();
  if (!number || bits_of(type) > 64) throw Refusal("operands are numbers of up to 64 bits and pointers", 0);
}

llvm::Type* declared_type(llvm::LLVMContext& context, const Statement& statement) {
  std::string type = statement.parts.empty() ? "" : statement.parts.back();
  if (type == "pred" && statement.parts.size() == 1) return llvm::Type::getInt1Ty(context);
  if (statement.parts.size() == 1 && type.size() >= 2 && std::string("busf").find(type[0]) != std::string::npos) {
    for (unsigned bits : {8u, 16u, 32u, 64u}) {
      if (type.substr(1) == std::to_string(bits)) return llvm::Type::getIntNTy(context, bits);
    }
    if (type == "f16x2") return llvm::Type::getInt32Ty(context);
  }
  throw Refusal("registers of the type '." + type + "' are not supported on the CPU", statement.line);
}

}  // namespace

llvm::Function* row(llvm::Module& module, const std::string& name) {
  llvm::Function* function = module.getFunction(name);
  return function && !function->isDeclaration() ? function : nullptr;
}

Registers::Registers(llvm::CallInst& call, llvm::IRBuilder<>& builder) : call_(call), builder_(builder) {
  auto* text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  llvm::Type* type = call.getType();
  auto* several = llvm::dyn_cast<llvm::StructType>(type);
  unsigned outputs = 0, inputs = 0;
  for (const llvm::InlineAsm::ConstraintInfo& constraint : text->ParseConstraints()) {
    if (constraint.Type == llvm::InlineAsm::isClobber) continue;
    if (constraint.Type == llvm::InlineAsm::isLabel) throw Refusal("asm goto is not supported", 0);
    bool names_register = !constraint.Codes.empty() && constraint.Codes[0][0] == '{';
    if (constraint.isIndirect || names_register) {
      throw Refusal("operands are registers (\"r\", \"l\", \"f\", \"d\", \"h\") or numbers (\"n\")", 0);
    }
    if (constraint.Type == llvm::InlineAsm::isOutput) {
      llvm::Type* own = several ? several->getElementType(outputs) : type;
      refuse_other_types(own);
      ++outputs;
      arguments_.push_back({variable(builder_.getIntNTy(bits_of(own))), nullptr});
      continue;
    }
    llvm::Value* value = call.getArgOperand(inputs++);
    unsigned tied = ~0u;
    bool is_tied = !llvm::StringRef(constraint.Codes.empty() ? "" : constraint.Codes[0]).getAsInteger(10, tied);
    refuse_other_types(value->getType());
    if (is_tied && tied < arguments_.size() && arguments_[tied].slot) {
      llvm::AllocaInst* slot = arguments_[tied].slot;
      Statement start;
      start.word = "an input that shares its register with an output";
      builder_.CreateStore(fitted(value, slot->getAllocatedType(), start, {}, "%" + std::to_string(arguments_.size())), slot);
      arguments_.push_back({slot, nullptr});
      continue;
    }
    arguments_.push_back({nullptr, value});
  }
  scopes_.emplace_back();
}

llvm::AllocaInst* Registers::variable(llvm::Type* type) {
  llvm::BasicBlock& entry = call_.getFunction()->getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  return builder.CreateAlloca(type, nullptr, "ptx");
}

void Registers::close(unsigned line) {
  if (scopes_.size() == 1) throw Refusal("'}' without '{'", line);
  scopes_.pop_back();
}

void Registers::declare(const Statement& statement) {
  if (statement.operands.empty()) return;  // a .pragma
  llvm::Type* type = declared_type(builder_.getContext(), statement);
  for (const Operand& operand : statement.operands) {
    declared_ += operand.number + 1;
    if (declared_ > most_registers) throw Refusal("more than 4096 registers", statement.line);
    if (operand.number == 0) scopes_.back()[operand.name] = variable(type);
    for (uint64_t i = 0; i < operand.number; ++i) scopes_.back()[operand.name + std::to_string(i)] = variable(type);
  }
}

llvm::AllocaInst* Registers::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto found = scope->find(name);
    if (found != scope->end()) return found->second;
  }
  return nullptr;
}

llvm::Value* Registers::special(const std::string& name, const Statement& at) {
  if (name == "WARP_SZ") return builder_.getInt32(warp_size);
  if (name[0] != '%') throw Refusal("'" + name + "' in '" + at.word + "' is not a register that the statement declares", at.line);
  llvm::Function* function = row(*call_.getModule(), row_of_special_register(name));
  if (!function) throw Refusal("the special register '" + name + "' is not supported on the CPU", at.line);
  return builder_.CreateCall(function);
}

// Of a register or argument.
llvm::Value* Registers::raw(const Operand& operand, const Statement& at) {
  llvm::AllocaInst* slot = nullptr;
  if (operand.kind == Operand::Kind::argument) {
    if (operand.number >= arguments_.size()) throw Refusal("no operand %" + std::to_string(operand.number), at.line);
    slot = arguments_[operand.number].slot;
    if (!slot) return arguments_[operand.number].value;
  } else if (operand.kind == Operand::Kind::name) {
    slot = find(operand.name);
    if (!slot) return special(operand.name, at);
  } else {
    throw Refusal("'" + at.word + "' requires a register or a number here", at.line);
  }
  return builder_.CreateLoad(slot->getAllocatedType(), slot);
}

llvm::Value* Registers::literal(const Operand& operand, llvm::Type* type, const Statement& at) {
  bool real = operand.kind == Operand::Kind::real;
  if (type->isPointerTy()) return builder_.CreateIntToPtr(builder_.getInt64(operand.number), type);
  if (!type->isIntegerTy() && !type->isFloatTy() && !type->isDoubleTy())
    throw Refusal("'" + at.word + "' accepts no number here", at.line);
  unsigned bits = bits_of(type);
  if (type->isIntegerTy(1)) return builder_.getInt1(operand.number != 0);
  uint64_t image = operand.number;
  if (real || !type->isIntegerTy()) {
    double value = operand.single ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.number)))
                   : real         ? std::bit_cast<double>(operand.number)
                                  : static_cast<double>(static_cast<int64_t>(operand.number));
    bool exact = real && operand.single == (bits == 32);  // the bits of a NaN stay
    if (!exact) image = bits == 64 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(static_cast<float>(value));
    if (bits != 32 && bits != 64) throw Refusal("'" + at.word + "' accepts no floating-point number", at.line);
  }
  llvm::Constant* number = llvm::ConstantInt::get(builder_.getIntNTy(bits), llvm::APInt(64, image).trunc(bits));
  return type->isIntegerTy() ? number : builder_.CreateBitCast(number, type);
}

llvm::Value* Registers::fitted(llvm::Value* value, llvm::Type* type, const Statement& at, Fit fit, const std::string& name) {
  llvm::Type* from = value->getType();
  if (from == type) return value;
  unsigned has = bits_of(from), wants = bits_of(type);
  if (from->isIntegerTy(1) != type->isIntegerTy(1) && (has == 1 || wants == 1) && !(has == 1 && wants == 8)) {
    throw Refusal("'" + at.word + "': " + name + (wants == 1 ? " is not a predicate" : " is a predicate"), at.line);
  }
  if (has != wants && !fit.wider) {
    throw Refusal("'" + at.word + "': " + name + " has " + std::to_string(has) + " bits, not " + std::to_string(wants), at.line);
  }
  if (from->isPointerTy())
    value = builder_.CreatePtrToInt(value, builder_.getInt64Ty());
  else if (!from->isIntegerTy())
    value = builder_.CreateBitCast(value, builder_.getIntNTy(has));
  llvm::Type* whole = builder_.getIntNTy(wants);
  value = fit.is_signed ? builder_.CreateSExtOrTrunc(value, whole) : builder_.CreateZExtOrTrunc(value, whole);
  if (type->isPointerTy()) return builder_.CreateIntToPtr(value, type);
  return type->isIntegerTy() ? value : builder_.CreateBitCast(value, type);
}

llvm::Value* Registers::read(const Operand& operand, llvm::Type* type, const Statement& at, Fit fit) {
  llvm::Value* value = nullptr;
  if (operand.kind == Operand::Kind::integer || operand.kind == Operand::Kind::real) {
    value = literal(operand, type, at);
  } else {
    value = raw(operand, at);
    bool free_width = operand.kind == Operand::Kind::name && !find(operand.name);  // a special register
    if (llvm::isa<llvm::ConstantInt>(value)) free_width |= type->isIntegerTy();    // "n"
    // Of a wider register the low bits count; one that is too narrow fits nowhere.
    if (free_width)
      fit.wider = true;
    else if (bits_of(value->getType()) < bits_of(type))
      fit.wider = false;
    if (llvm::isa<llvm::ConstantInt>(value)) fit.is_signed = true;
    value = fitted(value, type, at, fit, shown(operand));
  }
  return operand.negated ? builder_.CreateNot(value) : value;
}

void Registers::write(const Operand& operand, llvm::Value* value, const Statement& at, Fit fit) {
  llvm::AllocaInst* slot = nullptr;
  if (operand.kind == Operand::Kind::sink) return;
  if (operand.kind == Operand::Kind::argument) {
    if (operand.number >= arguments_.size()) throw Refusal("no operand %" + std::to_string(operand.number), at.line);
    slot = arguments_[operand.number].slot;
    if (!slot) throw Refusal("'" + at.word + "' writes %" + std::to_string(operand.number) + ", which is an input", at.line);
  } else if (operand.kind == Operand::Kind::name) {
    slot = find(operand.name);
    if (!slot)
      throw Refusal("'" + operand.name + "' in '" + at.word + "' is not a register that the statement declares", at.line);
  } else {
    throw Refusal("'" + at.word + "' requires a register for its result", at.line);
  }
  if (bits_of(slot->getAllocatedType()) < bits_of(value->getType())) fit.wider = false;
  builder_.CreateStore(fitted(value, slot->getAllocatedType(), at, fit, shown(operand)), slot);
}

llvm::Value* Registers::address(const Operand& operand, bool shared, const Statement& at) {
  if (operand.kind != Operand::Kind::address) throw Refusal("'" + at.word + "' requires an [address]", at.line);
  const Operand& base = operand.parts[0];
  bool number = base.kind == Operand::Kind::integer;
  llvm::Value* value = number ? builder_.getInt64(base.number) : raw(base, at);
  llvm::Type* pointer = builder_.getPtrTy();
  if (shared) {
    llvm::Function* within = row(*call_.getModule(), "__quern_ptx_shared_address");
    if (!within) throw Refusal("'" + at.word + "' is not supported on the CPU", at.line);
    Fit any;
    any.wider = true;
    value = builder_.CreateCall(within, {fitted(value, builder_.getInt64Ty(), at, any, "the address")});
  } else if (bits_of(value->getType()) != 64) {
    throw Refusal("'" + at.word + "': the address has " + std::to_string(bits_of(value->getType())) +
                      " bits, not 64; pass the pointer (\"l\")",
                  at.line);
  } else {
    value = fitted(value, pointer, at, {}, "the address");
  }
  if (operand.parts.size() == 1) return value;
  llvm::Value* offset = read(operand.parts[1], builder_.getInt64Ty(), at);
  return builder_.CreateGEP(builder_.getInt8Ty(), value, offset);
}

llvm::Value* Registers::predicate(const std::string& name, bool negated, const Statement& at) {
  Operand operand;
  operand.kind = Operand::Kind::name;
  operand.name = name;
  operand.negated = negated;
  return read(operand, builder_.getInt1Ty(), at);
}

llvm::Value* Registers::results(llvm::IRBuilder<>& builder) {
  llvm::Type* type = call_.getType();
  if (type->isVoidTy()) return nullptr;
  auto value_of = [&](unsigned i, llvm::Type* own) -> llvm::Value* {
    llvm::AllocaInst* slot = arguments_[i].slot;
    llvm::Value* value = builder.CreateLoad(slot->getAllocatedType(), slot);
    if (own->isPointerTy()) return builder.CreateIntToPtr(value, own);
    return builder.CreateBitCast(value, own);
  };
  auto* several = llvm::dyn_cast<llvm::StructType>(type);
  if (!several) return value_of(0, type);
  llvm::Value* all = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < several->getNumElements(); ++i) {
    all = builder.CreateInsertValue(all, value_of(i, several->getElementType(i)), i);
  }
  return all;
}

}  // namespace quern::plugin::ptx
