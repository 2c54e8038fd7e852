// blockIdx * blockDim.x + threadIdx.x stays what it is when k blocks become one of k * blockDim.x threads, and so does
// gridDim * blockDim.x. A kernel that uses the four in no other way, and has nothing that belongs to a block (barriers, shared
// memory, warps), cannot tell. blockIdx and gridDim may be of any one axis: turned kernels have blockIdx.y beside threadIdx.x.
#include "compile/clang/analyses/joining.h"

#include <llvm/IR/InstIterator.h>

#include "compile/clang/analyses/intrinsics.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::Instruction;
using llvm::Value;

const Value* before_casts(const Value* value) {
  while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
    if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(cast)) break;
    value = cast->getOperand(0);
  }
  return value;
}

// Whether every use, behind widening, is accepted.
template <class Accept>
bool all_uses(const Value& value, Accept&& accept) {
  return llvm::all_of(value.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(user)) return all_uses(*user, accept);
    return accept(*llvm::cast<Instruction>(user), value);
  });
}

const Value& other_operand(const Instruction& inst, const Value& operand) {
  return *before_casts(inst.getOperand(inst.getOperand(0) == &operand ? 1 : 0));
}

bool is_special(const Value& value, Op op, unsigned dim) {
  Special special = recognise(&value);
  return special.op == op && special.dim == dim;
}

class JoinFinder {
 public:
  explicit JoinFinder(unsigned axis) : axis_(axis) {}

  // Whether this call is used as joining allows.
  bool allows(const Instruction& call, Special special) const {
    auto product_with = [&](const Instruction& user, const Value& used, auto&& accept) {
      return user.getOpcode() == Instruction::Mul && user.getOperand(0) != user.getOperand(1) &&
             accept(other_operand(user, used));
    };
    auto is_first = [&](const Value& value) { return is_first_of_block(value); };
    switch (special.op) {
      case Op::tid:
        return special.dim != 0 || all_uses(call, [&](const Instruction& user, const Value& used) {
                 return user.getOpcode() == Instruction::Add && is_first(other_operand(user, used));
               });
      case Op::ctaid:
        return special.dim != axis_ || all_uses(call, [&](const Instruction& user, const Value& used) {
                 return product_with(user, used, [&](const Value& by) { return is_special(by, Op::ntid, 0); }) &&
                        only_begins(user);
               });
      case Op::ntid:
        return special.dim != 0 || all_uses(call, [&](const Instruction& user, const Value& used) {
                 return product_with(user, used, [&](const Value& by) {
                   return is_special(by, Op::ctaid, axis_) || is_special(by, Op::nctaid, axis_);
                 });
               });
      case Op::nctaid:
        return special.dim != axis_ || all_uses(call, [&](const Instruction& user, const Value& used) {
                 return product_with(user, used, [&](const Value& by) { return is_special(by, Op::ntid, 0); });
               });
      default:
        return false;
    }
  }

 private:
  // blockIdx * blockDim.x
  bool is_first_of_block(const Value& value) const {
    auto* product = llvm::dyn_cast<Instruction>(&value);
    if (!product || product->getOpcode() != Instruction::Mul) return false;
    const Value &a = *before_casts(product->getOperand(0)), &b = *before_casts(product->getOperand(1));
    return (is_special(a, Op::ctaid, axis_) && is_special(b, Op::ntid, 0)) ||
           (is_special(b, Op::ctaid, axis_) && is_special(a, Op::ntid, 0));
  }

  // Such a product must not be seen without threadIdx.x.
  static bool only_begins(const Instruction& product) {
    return all_uses(product, [](const Instruction& user, const Value& used) {
      return user.getOpcode() == Instruction::Add && is_special(other_operand(user, used), Op::tid, 0);
    });
  }

  unsigned axis_;
};

bool joins(const llvm::Function& thread, unsigned axis) {
  JoinFinder finder(axis);
  bool has_x = false;
  for (const Instruction& inst : llvm::instructions(thread)) {
    Special special = recognise(&inst);
    switch (special.op) {
      case Op::none: {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (callee && callee->isDeclaration() && !callee->isIntrinsic() && callee->getName().starts_with("__quern_"))
          return false;
        if (call && !callee) return false;
        break;
      }
      case Op::launch:
        break;
      default:
        if (!finder.allows(inst, special)) return false;
        has_x |= special.op == Op::tid && special.dim == 0;
    }
  }
  return has_x;
}

}  // namespace

uint32_t find_joins(const llvm::Function& thread) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (joins(thread, axis)) return QUERN_KERNEL_JOINS_X << axis;
  }
  return 0;
}

}  // namespace quern::lowering
