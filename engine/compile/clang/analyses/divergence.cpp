#include <algorithm>

#include "compile/clang/analyses/divergence.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compile/clang/analyses/intrinsics.h"

namespace quern::lowering {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
namespace match = llvm::PatternMatch;

constexpr unsigned warp_bits = 5;
static_assert(warp_size == 1u << warp_bits);
constexpr int max_depth = 6;

Level higher(Level a, Level b) { return std::max(a, b); }

}  // namespace

Value* branch_condition(const BasicBlock& block) {
  auto* end = const_cast<Instruction*>(block.getTerminator());
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(end)) return branch->isConditional() ? branch->getCondition() : nullptr;
  if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end)) return choice->getCondition();
  if (auto* jump = llvm::dyn_cast<llvm::IndirectBrInst>(end)) return jump->getAddress();
  return nullptr;
}

Uniformity::Uniformity(llvm::Function& function, bool full_warps)
    : function_(function), full_warps_(full_warps), meeting_(function) {
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  order_.assign(order.begin(), order.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock* block : order_) {
      for (const Instruction& inst : *block) {
        if (!inst.getType()->isVoidTy()) changed |= raise(&inst, compute(inst));
      }
      if (Value* condition = branch_condition(*block)) changed |= spread_branch(*block, of(condition));
    }
  }
}

bool Uniformity::raise(const Value* value, Level level) {
  if (level <= of(value)) return false;
  levels_[value] = level;
  return true;
}

Level Uniformity::of_operands(const Instruction& inst) const {
  Level level = Level::block;
  for (const llvm::Use& operand : inst.operands()) level = higher(level, of(operand));
  return level;
}

Level Uniformity::of_load(const llvm::LoadInst& load) const {
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(load.getPointerOperand(), objects);
  bool shared = true, warp_buffer = false, block_buffer = false;
  for (const Value* object : objects) {
    if (llvm::isa<llvm::AllocaInst>(object)) return Level::thread;
    warp_buffer |= is(object, Op::warp_buffer);
    block_buffer |= is(object, Op::block_buffer);
    shared &= is(object, Op::shared_base);
  }
  if (!warp_buffer && !block_buffer) {
    if (load.isAtomic()) return Level::thread;
    if (load.isVolatile() && !shared) return Level::thread;
  }
  return of(load.getPointerOperand());
}

Level Uniformity::compute(const Instruction& inst) const {
  switch (Special special = recognise(&inst); special.op) {
    case Op::tid:
      return special.dim == 0 || !full_warps_ ? Level::thread : Level::warp;
    case Op::lane:
      return Level::thread;
    case Op::warp_buffer:
      return Level::warp;
    case Op::none:
      break;
    default:
      return Level::block;
  }
  if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::VAArgInst>(inst)) return Level::thread;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) return of_load(*load);
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
    return call->doesNotAccessMemory() ? of_operands(inst) : Level::thread;
  }
  if (inst.mayReadOrWriteMemory()) return Level::thread;
  Level level = of_operands(inst);
  if (level == Level::thread && full_warps_ && splits_warps_evenly(inst)) return Level::warp;
  return level;
}

bool Uniformity::is_multiple_of_warp(const Value* value, int depth) const {
  const llvm::APInt* constant;
  if (match::match(value, match::m_APInt(constant))) return constant->countr_zero() >= warp_bits;
  if (depth == 0 || of(value) == Level::thread) return false;
  if (Special special = recognise(value); special.op == Op::ntid) return special.dim == 0 && full_warps_;
  if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return full_warps_ && argument->getName() == "ntid.x";
  const Value *a, *b;
  if (match::match(value, match::m_Mul(match::m_Value(a), match::m_Value(b)))) {
    return is_multiple_of_warp(a, depth - 1) || is_multiple_of_warp(b, depth - 1);
  }
  if (match::match(value, match::m_Shl(match::m_Value(a), match::m_APInt(constant)))) {
    return constant->uge(warp_bits) || is_multiple_of_warp(a, depth - 1);
  }
  if (match::match(value, match::m_And(match::m_Value(a), match::m_Value(b)))) {
    return is_multiple_of_warp(a, depth - 1) || is_multiple_of_warp(b, depth - 1);
  }
  if (match::match(value, match::m_Add(match::m_Value(a), match::m_Value(b))) ||
      match::match(value, match::m_Sub(match::m_Value(a), match::m_Value(b)))) {
    return is_multiple_of_warp(a, depth - 1) && is_multiple_of_warp(b, depth - 1);
  }
  if (match::match(value, match::m_ZExtOrSExt(match::m_Value(a)))) return is_multiple_of_warp(a, depth - 1);
  return false;
}

// The value is a multiple of 32, the same for the warp, plus the lane.
bool Uniformity::is_base_plus_lane(const Value* value, int depth) const {
  if (is(value, Op::lane)) return true;
  if (Special special = recognise(value); special.op == Op::tid) return special.dim == 0;
  if (depth == 0) return false;
  const Value *a, *b;
  if (match::match(value, match::m_c_Add(match::m_Value(a), match::m_Value(b))) ||
      match::match(value, match::m_c_Or(match::m_Value(a), match::m_Value(b)))) {
    return (is_base_plus_lane(a, depth - 1) && is_multiple_of_warp(b, depth - 1)) ||
           (is_base_plus_lane(b, depth - 1) && is_multiple_of_warp(a, depth - 1));
  }
  if (match::match(value, match::m_ZExt(match::m_Value(a)))) return is_base_plus_lane(a, depth - 1);
  return false;
}

bool Uniformity::is_lane(const llvm::Value* value) const {
  const Value* a;
  return full_warps_ && match::match(value, match::m_And(match::m_Value(a), match::m_SpecificInt(warp_size - 1))) &&
         is_base_plus_lane(a, max_depth);
}

// base + lane, cut at a multiple of 32.
bool Uniformity::splits_warps_evenly(const Instruction& inst) const {
  const Value *a, *b;
  const llvm::APInt* constant;
  if (match::match(&inst, match::m_LShr(match::m_Value(a), match::m_APInt(constant))) ||
      match::match(&inst, match::m_AShr(match::m_Value(a), match::m_APInt(constant)))) {
    return constant->uge(warp_bits) && is_base_plus_lane(a, max_depth);
  }
  if (match::match(&inst, match::m_UDiv(match::m_Value(a), match::m_APInt(constant)))) {
    return constant->countr_zero() >= warp_bits && is_base_plus_lane(a, max_depth);
  }
  if (match::match(&inst, match::m_And(match::m_Value(a), match::m_APInt(constant)))) {
    return constant->countr_zero() >= warp_bits && is_base_plus_lane(a, max_depth);
  }
  if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&inst)) {
    auto predicate = compare->getPredicate();
    a = compare->getOperand(0);
    b = compare->getOperand(1);
    if (is_multiple_of_warp(a, max_depth)) {
      std::swap(a, b);
      predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
    }
    if (!is_base_plus_lane(a, max_depth)) return false;
    // x > 31 is how x >= 32 is written.
    if (predicate == llvm::ICmpInst::ICMP_UGT || predicate == llvm::ICmpInst::ICMP_SGT) {
      return match::match(b, match::m_APInt(constant)) && (*constant + 1).countr_zero() >= warp_bits;
    }
    bool cuts_below = predicate == llvm::ICmpInst::ICMP_ULT || predicate == llvm::ICmpInst::ICMP_SLT ||
                      predicate == llvm::ICmpInst::ICMP_UGE || predicate == llvm::ICmpInst::ICMP_SGE;
    return cuts_below && is_multiple_of_warp(b, max_depth);
  }
  return false;
}

// Threads that part at the end of this block: where they meet again, what phis choose differs between them; and what a
// loop left at different times computed differs outside of it.
bool Uniformity::spread_branch(const BasicBlock& block, Level level) {
  if (level == Level::block) return false;
  auto [known, fresh] = spread_.try_emplace(&block, level);
  if (!fresh && known->second >= level) return false;
  known->second = level;

  // Labels flow from the successors to where all have met; a block that two labels reach is a place to meet.
  const BasicBlock* end = meeting_.next_meeting(&block);
  llvm::DenseMap<const BasicBlock*, const BasicBlock*> label;
  llvm::SmallPtrSet<const BasicBlock*, 8> joins;
  for (const BasicBlock* next : llvm::successors(&block)) label[next] = next;
  bool in_loop = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (const BasicBlock* at : order_) {
      auto found = label.find(at);
      if (found == label.end()) continue;
      if (at == &block) {
        in_loop = true;
        continue;
      }
      if (at == end) continue;
      const BasicBlock* mine = found->second;
      for (const BasicBlock* next : llvm::successors(at)) {
        auto [there, first] = label.try_emplace(next, mine);
        if (first) {
          moved = true;
        } else if (there->second != mine && there->second != next) {
          there->second = next;  // it starts a label of its own
          joins.insert(next);
          moved = true;
        } else if (there->second == next && mine != next) {
          joins.insert(next);
        }
      }
    }
  }
  for (const BasicBlock* join : joins) {
    for (const llvm::PHINode& phi : join->phis()) raise(&phi, level);
  }
  if (!in_loop) return true;
  auto is_reached = [&](const BasicBlock* at) { return at != end && label.count(at) != 0; };
  spread_left_loop(block, is_reached, level);
  return true;
}

// The loop: what the labels reach that reaches this block again.
void Uniformity::spread_left_loop(const BasicBlock& block, llvm::function_ref<bool(const BasicBlock*)> is_reached, Level level) {
  llvm::SmallPtrSet<const BasicBlock*, 16> loop;
  llvm::SmallVector<const BasicBlock*, 16> open{&block};
  while (!open.empty()) {
    const BasicBlock* at = open.pop_back_val();
    if (!loop.insert(at).second) continue;
    for (const BasicBlock* from : llvm::predecessors(at)) {
      if (is_reached(from)) open.push_back(from);
    }
  }
  for (const BasicBlock* inside : loop) {
    for (const Instruction& inst : *inside) {
      for (const llvm::User* user : inst.users()) {
        auto* outside = llvm::cast<Instruction>(user);
        if (!loop.count(outside->getParent()) && !outside->getType()->isVoidTy()) raise(outside, level);
      }
    }
  }
}

}  // namespace quern::lowering
