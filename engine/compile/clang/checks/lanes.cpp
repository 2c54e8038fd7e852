// What shuffles take of lanes that give nothing: those that have left, or that the mask does not name.
//
// Such a value is reported only where it is used: where it, or what was made of it, is stored, or becomes an address. Sums over a
// part of a warp make many that nobody reads. Each value that depends on a shuffle has a word in doubts_, 0 where the value is
// valid; it goes through arithmetic, and through further shuffles with the lane's value.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compile/clang/analyses/intrinsics.h"
#include "compile/clang/checks/calls.h"
#include "compile/clang/checks/instrument.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::Instruction;
using llvm::Value;

// The buffer of the warp that a shuffle's own load or store is in; null for others.
Value* buffer_of(const Instruction& inst, Value* pointer) {
  const llvm::DILocation* at = inst.getDebugLoc();
  if (!at || !is_own(*at) || !called_name(*at).starts_with("__quern_shuffle")) return nullptr;
  Value* buffer = llvm::getUnderlyingObject(pointer, 0);
  return is(buffer, Op::warp_buffer) ? buffer : nullptr;
}

bool value_passes_through(const Instruction& inst) {
  if (llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::SelectInst, llvm::PHINode, llvm::CmpInst,
                llvm::FreezeInst, llvm::ExtractValueInst, llvm::InsertValueInst, llvm::ExtractElementInst,
                llvm::InsertElementInst, llvm::GetElementPtrInst>(inst))
    return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
  return call && !call->getType()->isVoidTy() && call->doesNotAccessMemory() && recognise(call).op == Op::none;
}

class Lanes {
 public:
  explicit Lanes(LoweringState& kernel) : calls_(kernel), kernel_(kernel) {}

  void run() {
    for (Instruction& inst : llvm::instructions(*kernel_.thread)) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
        if (buffer_of(inst, load->getPointerOperand())) all_.insert(load);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
        if (buffer_of(inst, store->getPointerOperand())) given_.push_back(store);
      }
    }
    for (size_t i = 0; i < all_.size(); ++i)
      for (llvm::User* user : all_[i]->users())
        if (auto* inst = llvm::dyn_cast<Instruction>(user); inst && value_passes_through(*inst)) all_.insert(inst);
    find_uses();
    for (Instruction* inst : all_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(inst))
        doubts_[phi] = llvm::PHINode::Create(word(), phi->getNumIncomingValues(), "", phi->getIterator());
    for (Instruction* inst : all_) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(inst);
      if (!phi) {
        doubt_of(inst);
        continue;
      }
      auto* doubt = llvm::cast<llvm::PHINode>(doubts_[phi]);
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        doubt->addIncoming(doubt_of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    }
    for (llvm::StoreInst* store : given_) {
      llvm::IRBuilder<> builder(store);
      calls_.give(builder, doubt_of(store->getValueOperand()));
    }
    for (auto [user, value] : uses_) {
      llvm::IRBuilder<> builder(user);
      Value* wrong = builder.CreateICmpNE(doubts_[value], builder.getInt32(0));
      calls_.value_if(wrong, *user, QUERN_CHECK_LANE, calls_.place_of(*user), doubts_[value], builder.getInt32(0));
    }
  }

 private:
  llvm::Type* word() const { return llvm::Type::getInt32Ty(kernel_.module.getContext()); }

  void find_uses() {
    for (Instruction* inst : all_) {
      for (llvm::User* user : inst->users()) {
        auto* taker = llvm::cast<Instruction>(user);
        auto* store = llvm::dyn_cast<llvm::StoreInst>(taker);
        bool is_used = llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(taker);
        if (store)
          is_used = !llvm::is_contained(given_, store) &&
                    !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand(), 0));
        if (is_used && !llvm::is_contained(all_, taker)) uses_.emplace_back(taker, inst);
      }
    }
  }

  Value* doubt_of(Value* value) {
    auto* inst = llvm::dyn_cast<Instruction>(value);
    if (!inst || !all_.contains(inst)) return llvm::ConstantInt::get(word(), 0);
    if (auto found = doubts_.find(inst); found != doubts_.end()) return found->second;
    llvm::SmallVector<Value*, 4> operands;
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(inst)) {
      Value *first = doubt_of(choice->getTrueValue()), *second = doubt_of(choice->getFalseValue());
      operands.push_back(doubt_of(choice->getCondition()));
      llvm::IRBuilder<> builder(inst->getNextNode());
      operands.push_back(builder.CreateSelect(choice->getCondition(), first, second));
    } else if (!llvm::isa<llvm::LoadInst>(inst)) {
      for (Value* operand : inst->operands()) operands.push_back(doubt_of(operand));
    }
    Instruction* behind = inst->getNextNode();
    while (!operands.empty() && llvm::is_contained(operands, behind)) behind = behind->getNextNode();
    llvm::IRBuilder<> builder(behind);
    Value* doubt = nullptr;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(inst)) {
      Value* from = builder.CreatePtrToInt(load->getPointerOperand(), builder.getInt64Ty());
      Value* buffer = builder.CreatePtrToInt(buffer_of(*load, load->getPointerOperand()), builder.getInt64Ty());
      uint64_t bytes = kernel_.module.getDataLayout().getTypeAllocSize(load->getType()).getFixedValue();
      doubt = calls_.lane(builder, builder.CreateSDiv(builder.CreateSub(from, buffer), builder.getInt64(bytes)),
                          calls_.place_of(*load));
    } else {
      for (Value* operand : operands)
        if (!llvm::isa<llvm::Constant>(operand))
          doubt = doubt ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, doubt, operand) : operand;
      if (!doubt) doubt = builder.getInt32(0);
    }
    return doubts_[inst] = doubt;
  }

  CheckCalls calls_;
  LoweringState& kernel_;
  llvm::SetVector<Instruction*> all_;  // what shuffles lead to
  std::vector<llvm::StoreInst*> given_;
  std::vector<std::pair<Instruction*, Instruction*>> uses_;
  llvm::DenseMap<Value*, Value*> doubts_;
};

}  // namespace

void check_lanes(LoweringState& kernel) { Lanes(kernel).run(); }

}  // namespace quern::lowering
