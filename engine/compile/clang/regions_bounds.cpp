// What a row of threads has to do, found before its loop is made:
//
//   if (base + x < n) ...       at the start of a leaf bounds the loop instead of masking it
//   a[base + x]                 is a run of neighbours only if base + x does not wrap around in 32 bits
//
// Both hold when base is not within a block's width of the largest number. That is checked for each row; a row that
// fails is run in pieces of one thread, for which both hold trivially.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compile/clang/regions.h"

namespace quern::lowering {

using llvm::BasicBlock;
using llvm::CmpInst;
using llvm::Instruction;
using llvm::Value;
namespace match = llvm::PatternMatch;

namespace {

constexpr int max_depth = 8;
constexpr unsigned warp_size = 32;

bool has_effects(const BasicBlock& block) {
  return llvm::any_of(block, [](const Instruction& inst) { return inst.mayHaveSideEffects(); });
}

// Whether a way leads to `skip` through nothing but branches.
bool leads_to(const BasicBlock* from, const BasicBlock* skip) {
  for (int steps = 0; from != skip; ++steps) {
    const BasicBlock* next = from->getSingleSuccessor();
    if (steps == 4 || !next || !from->front().isTerminator()) return false;
    from = next;
  }
  return true;
}

// a && b (or, negated, !(a || b)) taken apart.
void take_apart(Value* value, bool negated, llvm::SmallVectorImpl<Conjunct>& parts) {
  Value *a, *b;
  if (match::match(value, match::m_Not(match::m_Value(a)))) return take_apart(a, !negated, parts);
  bool both = negated ? match::match(value, match::m_LogicalOr(match::m_Value(a), match::m_Value(b)))
                      : match::match(value, match::m_LogicalAnd(match::m_Value(a), match::m_Value(b)));
  if (!both) {
    parts.push_back({value, negated});
    return;
  }
  take_apart(a, negated, parts);
  take_apart(b, negated, parts);
}

}  // namespace

// The same for all threads of a row (in a group: of a warp), and computed in a few steps.
bool Regions::is_row_value(const Value* value, const Leaf& leaf, int depth) const {
  if (is_wide(value, leaf.group)) return true;
  auto* inst = llvm::dyn_cast<Instruction>(value);
  if (!inst || depth == 0) return false;
  Special special = recognise(inst);
  if (special.op == Op::tid) return special.dim > 0;
  if (special.op != Op::none || !is_cheap(inst, leaf.group, depth)) return false;
  return llvm::all_of(inst->operands(), [&](const Value* operand) { return is_row_value(operand, leaf, depth - 1); });
}

// value = terms + x, or fails. In a group x is the lane, and threadIdx.x is the warp's first plus x.
bool Regions::take_sum_apart(Value* value, const Leaf& leaf, Terms& terms, int depth) const {
  if (is_row_value(value, leaf, max_depth)) {
    terms.row.push_back({value, false});
    return true;
  }
  Value* narrow;
  bool widened = match::match(value, match::m_ZExt(match::m_Value(narrow)));  // x itself is small
  Special special = recognise(widened ? narrow : value);
  if (special.op == Op::tid || special.op == Op::lane) {
    if (special.op == Op::lane && !leaf.group) return false;
    terms.from_first |= special.op == Op::tid;
    return ++terms.count_of_x == 1;
  }
  Value *a, *b;
  if (depth == 0) return false;
  if (match::match(value, match::m_Add(match::m_Value(a), match::m_Value(b))) ||
      match::match(value, match::m_DisjointOr(match::m_Value(a), match::m_Value(b)))) {
    return take_sum_apart(a, leaf, terms, depth - 1) && take_sum_apart(b, leaf, terms, depth - 1);
  }
  if (match::match(value, match::m_Sub(match::m_Value(a), match::m_Value(b))) && is_row_value(b, leaf, max_depth)) {
    terms.row.push_back({b, true});
    return take_sum_apart(a, leaf, terms, depth - 1);
  }
  return false;
}

// A comparison as `base + x predicate limit`.
bool Regions::find_bound(const Conjunct& part, const Leaf& leaf, Bound& bound) const {
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(part.value);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy()) return false;
  bound.predicate = part.negated ? compare->getInversePredicate() : compare->getPredicate();
  Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  if (is_row_value(left, leaf, max_depth)) {
    std::swap(left, right);
    bound.predicate = CmpInst::getSwappedPredicate(bound.predicate);
  }
  if (bound.predicate == CmpInst::ICMP_NE || !is_row_value(right, leaf, max_depth)) return false;
  bound.limit = right;
  bound.widened = Widened::no;
  Value* narrow;
  if (match::match(left, match::m_SExt(match::m_Value(narrow)))) bound.widened = Widened::as_signed;
  if (match::match(left, match::m_ZExt(match::m_Value(narrow)))) bound.widened = Widened::as_unsigned;
  if (bound.widened != Widened::no) left = narrow;
  if (left->getType()->getIntegerBitWidth() < 32) return false;
  bound.terms = {};
  bound.terms.type = left->getType();
  return take_sum_apart(left, leaf, bound.terms, max_depth) && bound.terms.count_of_x == 1;
}

// Looks at the branches at the start of the leaf that pass a thread over, and takes out what the loop's bounds will
// say.
void Regions::find_bounds(Leaf& leaf, BasicBlock* skip, Row& row) {
  for (BasicBlock* block = leaf.entry; block && !has_effects(*block);) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch) return;
    if (branch->isUnconditional()) {
      block = branch->getSuccessor(0);
      if (block == skip || block->getSinglePredecessor() == nullptr || leaf_of(block) != &leaf) return;
      continue;
    }
    bool out[2] = {leads_to(branch->getSuccessor(0), skip), leads_to(branch->getSuccessor(1), skip)};
    if (out[0] == out[1]) return;
    llvm::SmallVector<Conjunct, 4> parts, rest;
    take_apart(branch->getCondition(), /*negated=*/out[0], parts);
    for (const Conjunct& part : parts) {
      Bound bound;
      if (is_row_value(part.value, leaf, max_depth)) {
        row.conditions.push_back(part);
      } else if (find_bound(part, leaf, bound) && (!leaf.group || bound.predicate == CmpInst::ICMP_EQ)) {
        // (Lanes are 32 always: a loop of a known length with a mask is better than one that is a little shorter.)
        row.bounds.push_back(bound);
      } else {
        rest.push_back(part);
      }
    }
    if (rest.size() == parts.size()) return;
    BasicBlock *stay = branch->getSuccessor(out[0] ? 1 : 0), *leave = branch->getSuccessor(out[0] ? 0 : 1);
    llvm::IRBuilder<> builder(branch);
    if (rest.empty()) {
      builder.CreateBr(stay);
      leave->removePredecessor(block);
      branch->eraseFromParent();
      if (!stay->getSinglePredecessor() || stay == skip || leaf_of(stay) != &leaf) return;
      block = stay;
      continue;
    }
    Value* condition = nullptr;
    for (const Conjunct& part : rest) {
      Value* value = part.negated ? builder.CreateNot(part.value) : part.value;
      condition = condition ? builder.CreateLogicalAnd(condition, value) : value;
    }
    builder.CreateCondBr(condition, stay, leave);
    branch->eraseFromParent();
    return;
  }
}

// The index sums that are widened to an address, which must not wrap.
void Regions::find_sums(Leaf& leaf, Row& row) {
  for (BasicBlock* block : leaf.blocks) {
    for (Instruction& inst : *block) {
      if (!inst.getType()->isIntegerTy(32) || wide_.count(&inst)) continue;
      bool adds = inst.getOpcode() == Instruction::Add || inst.getOpcode() == Instruction::Sub ||
                  match::match(&inst, match::m_DisjointOr(match::m_Value(), match::m_Value()));
      if (!adds) continue;
      Sum sum{&inst, {}, false, false};
      sum.terms.type = inst.getType();
      for (const llvm::User* user : inst.users()) {
        auto* by = llvm::cast<Instruction>(user);
        auto* compare = llvm::dyn_cast<llvm::ICmpInst>(by);
        sum.is_signed |= llvm::isa<llvm::SExtInst, llvm::SIToFPInst>(by) || (compare && compare->isSigned());
        sum.is_unsigned |= llvm::isa<llvm::ZExtInst, llvm::UIToFPInst>(by) || (compare && compare->isUnsigned());
        if (auto* arithmetic = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(by)) {
          sum.is_signed |= arithmetic->hasNoSignedWrap();
          sum.is_unsigned |= arithmetic->hasNoUnsignedWrap();
        }
      }
      if (!sum.is_signed && !sum.is_unsigned) continue;
      if (take_sum_apart(&inst, leaf, sum.terms, max_depth) && sum.terms.count_of_x == 1 && !sum.terms.row.empty() &&
          !distance_from_lane(leaf, sum.terms)) {
        row.sums.push_back(sum);
      }
    }
  }
}

// How far lane + constant is from the lane, if terms are no more than that.
std::optional<int64_t> Regions::distance_from_lane(const Leaf& leaf, const Terms& terms) {
  if (!leaf.group || terms.from_first) return std::nullopt;
  int64_t distance = 0;
  for (auto [value, subtracted] : terms.row) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!constant || constant->getValue().abs().ugt(1024)) return std::nullopt;
    distance += subtracted ? -constant->getSExtValue() : constant->getSExtValue();
  }
  return distance;
}

// lane < 24 and its like, as shuffles and scans have them: the loop over lanes can be cut there.
void Regions::note_lane_split(Leaf& leaf, llvm::ICmpInst* compare, const Bound& bound, int64_t distance) {
  auto* limit = llvm::dyn_cast<llvm::ConstantInt>(bound.limit);
  if (!limit || limit->getValue().ugt(2 * warp_size) || distance < 0) return;
  bool up_to = bound.predicate == CmpInst::ICMP_ULE || bound.predicate == CmpInst::ICMP_SLE ||
               bound.predicate == CmpInst::ICMP_UGT || bound.predicate == CmpInst::ICMP_SGT;
  int64_t first = static_cast<int64_t>(limit->getZExtValue()) + up_to - distance;
  if (first <= 0 || first >= warp_size || (leaf.lane_split && leaf.lane_split != first)) return;
  leaf.lane_split = first;
  bool below = bound.predicate == CmpInst::ICMP_ULT || bound.predicate == CmpInst::ICMP_SLT ||
               bound.predicate == CmpInst::ICMP_ULE || bound.predicate == CmpInst::ICMP_SLE;
  leaf.lane_compares.push_back({compare, below});
}

// The comparisons inside of the leaf that may well hold for all threads of the row.
void Regions::find_inner_bounds(Leaf& leaf, Row& row) {
  for (BasicBlock* block : leaf.blocks) {
    for (Instruction& inst : *block) {
      auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&inst);
      if (!compare || compare->isEquality() || wide_.count(compare) || compare->use_empty()) continue;
      Bound bound;
      if (!find_bound({compare, false}, leaf, bound)) continue;
      if (std::optional<int64_t> distance = distance_from_lane(leaf, bound.terms)) {
        note_lane_split(leaf, compare, bound, *distance);
        continue;
      }
      if (bound.terms.row.empty()) continue;
      // Which way is rare is not known; that an index is below a limit is likely.
      row.inner_bounds.push_back(bound);
      row.inner_compares.push_back(compare);
    }
  }
}

// terms without x, at the end of a block that runs for each row.
Value* Regions::add_terms(const Terms& terms, const Leaf& leaf, BasicBlock* at) {
  llvm::IRBuilder<> builder(at);
  Value* sum = nullptr;
  if (terms.from_first && leaf.group) sum = builder.CreateZExt(leaf.group->index[0], terms.type);
  for (auto [value, subtracted] : terms.row) {
    // A dummy end, in front of which row values can be computed again.
    Instruction* end = builder.CreateUnreachable();
    Value* term = recompute(value, end, leaf.group);
    end->eraseFromParent();
    builder.SetInsertPoint(at);
    if (subtracted) term = builder.CreateNeg(term);
    sum = sum ? builder.CreateAdd(sum, term) : term;
  }
  return sum ? builder.CreateFreeze(sum, "base") : llvm::ConstantInt::get(terms.type, 0);
}

Value* Regions::compute_for_row(Value* value, const Leaf& leaf, BasicBlock* at) {
  llvm::IRBuilder<> builder(at);
  Instruction* end = builder.CreateUnreachable();
  Value* result = recompute(value, end, leaf.group);
  end->eraseFromParent();
  builder.SetInsertPoint(at);
  return builder.CreateFreeze(result);
}

// Makes the loop over a row's threads, from `before` (which runs for the row) to `after`.
Regions::Loop Regions::make_row_loop(Leaf& leaf, const Row& row, BasicBlock* before, BasicBlock* after, Value* width,
                                     BasicBlock* latch) {
  llvm::IRBuilder<> builder(before);
  llvm::Type* i32 = builder.getInt32Ty();
  Value *zero = builder.getInt32(0), *one = builder.getInt32(1);

  Value* wanted = builder.getTrue();
  for (const Conjunct& part : row.conditions) {
    Value* condition = compute_for_row(part.value, leaf, before);
    if (part.negated) condition = builder.CreateNot(condition);
    wanted = builder.CreateAnd(wanted, condition);
  }

  // Bases, and whether base + x wraps for some x.
  Value* safe = builder.getTrue();
  bool has_checks = false;
  auto never_wraps = [&](Value* base, bool is_signed) {
    unsigned bits = base->getType()->getIntegerBitWidth();
    llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    Value* last = builder.CreateSub(llvm::ConstantInt::get(base->getType(), most), builder.CreateZExt(width, base->getType()));
    return builder.CreateICmp(is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, base, last);
  };
  auto check = [&](Value* base, bool is_signed) {
    safe = builder.CreateAnd(safe, never_wraps(base, is_signed));
    has_checks = true;
  };
  struct Side {
    Value *base, *limit;
  };
  llvm::SmallVector<Side, 2> sides;
  for (const Bound& bound : row.bounds) {
    Side side{add_terms(bound.terms, leaf, before), compute_for_row(bound.limit, leaf, before)};
    builder.SetInsertPoint(before);
    sides.push_back(side);
    bool exact = bound.predicate == CmpInst::ICMP_EQ && bound.widened == Widened::no;
    if (exact || llvm::isa<llvm::Constant>(side.base)) continue;
    if (bound.widened != Widened::no) {
      check(side.base, bound.widened == Widened::as_signed);
    } else {
      check(side.base, CmpInst::isSigned(bound.predicate));
    }
  }
  llvm::SmallVector<Side, 2> inner_sides;
  Value* inner_safe = builder.getTrue();
  for (const Bound& bound : row.inner_bounds) {
    Side side{add_terms(bound.terms, leaf, before), compute_for_row(bound.limit, leaf, before)};
    builder.SetInsertPoint(before);
    inner_sides.push_back(side);
    bool is_signed = bound.widened == Widened::no ? CmpInst::isSigned(bound.predicate) : bound.widened == Widened::as_signed;
    inner_safe = builder.CreateAnd(inner_safe, never_wraps(side.base, is_signed));
  }
  llvm::SmallVector<Value*, 4> bases;
  for (const Sum& sum : row.sums) {
    Value* base = add_terms(sum.terms, leaf, before);
    builder.SetInsertPoint(before);
    bases.push_back(base);
    if (sum.is_signed) check(base, true);
    if (sum.is_unsigned) check(base, false);
  }

  // Pieces: the whole row, or each thread alone.
  BasicBlock* inside = before;
  BasicBlock* behind = after;
  Value* start = zero;
  Value* length = width;
  if (has_checks) {
    length = builder.CreateSelect(safe, width, one, "piece");
    Loop pieces = make_loop(before, after, zero, width, length, "piece");
    inside = pieces.head;
    behind = pieces.latch;
    start = pieces.index;
  }
  builder.SetInsertPoint(inside);

  auto base_of = [&](const Bound& bound, const Side& side) {
    Value* base = builder.CreateAdd(side.base, builder.CreateZExt(start, side.base->getType()));
    return builder.CreateIntCast(base, side.limit->getType(), bound.widened == Widened::as_signed);
  };
  Value *low = zero, *high = length;
  for (auto [bound, side] : llvm::zip(row.bounds, sides)) {
    Value* base = base_of(bound, side);
    Value* limit = side.limit;
    llvm::Type* type = limit->getType();
    Value* steps = builder.CreateSub(limit, base);
    Value* most = builder.CreateIntCast(length, type, false);
    bool is_signed = CmpInst::isSigned(bound.predicate);
    // How many x there are before the limit (or up to it), at most `length`.
    auto count = [&](bool with_limit) {
      Value* some = builder.CreateICmp(
          with_limit ? (is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE) : (is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT),
          base, limit);
      Value* number = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, steps,
                                                    with_limit ? builder.CreateSub(most, llvm::ConstantInt::get(type, 1)) : most);
      if (with_limit) number = builder.CreateAdd(number, llvm::ConstantInt::get(type, 1));
      return builder.CreateIntCast(builder.CreateSelect(some, number, llvm::ConstantInt::get(type, 0)), i32, false);
    };
    switch (bound.predicate) {
      case CmpInst::ICMP_SLT:
      case CmpInst::ICMP_ULT:
        high = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, high, count(false));
        break;
      case CmpInst::ICMP_SLE:
      case CmpInst::ICMP_ULE:
        high = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, high, count(true));
        break;
      case CmpInst::ICMP_SGE:
      case CmpInst::ICMP_UGE:
        low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, low, count(false));
        break;
      case CmpInst::ICMP_SGT:
      case CmpInst::ICMP_UGT:
        low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, low, count(true));
        break;
      default: {  // equal
        Value* within = builder.CreateICmpULT(steps, most);
        Value* only = builder.CreateIntCast(steps, i32, false);
        low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, low, only);
        Value* end = builder.CreateSelect(within, builder.CreateAdd(only, one), zero);
        high = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, high, end);
        break;
      }
    }
  }
  if (!row.conditions.empty()) high = builder.CreateSelect(wanted, high, zero);
  // Whether the inner bounds hold from the first thread to the last.
  if (!row.inner_bounds.empty()) leaf.all_inside = inner_safe;
  for (auto [bound, side] : llvm::zip(row.inner_bounds, inner_sides)) {
    Value* base = base_of(bound, side);
    bool below = bound.predicate == CmpInst::ICMP_SLT || bound.predicate == CmpInst::ICMP_ULT ||
                 bound.predicate == CmpInst::ICMP_SLE || bound.predicate == CmpInst::ICMP_ULE;
    Value* extreme = below ? builder.CreateSub(high, one) : low;
    Value* last = builder.CreateAdd(base, builder.CreateZExt(extreme, base->getType()));
    leaf.all_inside = builder.CreateAnd(leaf.all_inside, builder.CreateICmp(bound.predicate, last, side.limit));
  }
  leaf.inner_compares.assign(row.inner_compares.begin(), row.inner_compares.end());
  llvm::SmallVector<Value*, 4> piece_bases;
  for (Value* base : bases) piece_bases.push_back(builder.CreateAdd(base, start));

  Loop loop = make_loop(inside, behind, low, high, one, leaf.group ? "lane" : "x", latch);
  builder.SetInsertPoint(loop.head);
  leaf.lane = builder.CreateAdd(start, loop.index, "", true, true);
  bool whole_warp = low == zero && high == width && !has_checks;
  if (!whole_warp) leaf.lane_split = 0;
  leaf.head = loop.head;
  leaf.latch = loop.latch;
  leaf.chooser = inside;
  for (auto [sum, base] : llvm::zip(row.sums, piece_bases)) {
    builder.SetInsertPoint(sum.value);
    Value* index = builder.CreateAdd(base, loop.index, "index", sum.is_unsigned, sum.is_signed);
    sum.value->replaceAllUsesWith(index);
  }
  return loop;
}

// A copy of the innermost loop: its head first, its latch last.
llvm::SmallVector<BasicBlock*, 8> Regions::copy_loop(const Leaf& leaf, const char* suffix, llvm::ValueToValueMapTy& map) {
  llvm::SmallVector<BasicBlock*, 8> blocks{leaf.head}, copies;
  blocks.append(leaf.blocks.begin(), leaf.blocks.end());
  blocks.push_back(leaf.latch);
  for (BasicBlock* block : blocks) {
    BasicBlock* copy = llvm::CloneBasicBlock(block, map, suffix, body_);
    map[block] = copy;
    copies.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(copies, map);
  return copies;
}

// A leaf with inner bounds gets a second loop: in the first they are known to hold, so that nothing is masked; the
// second, for the rows at an edge, stays as it was.
void Regions::split_off_edges() {
  for (Leaf& leaf : leaves_) {
    if (!leaf.all_inside) continue;
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<BasicBlock*, 8> copies = copy_loop(leaf, ".edge", map);

    BasicBlock* choose = BasicBlock::Create(context_, "choose", body_, leaf.head);
    leaf.chooser->getTerminator()->replaceSuccessorWith(leaf.head, choose);
    llvm::BranchInst::Create(leaf.head, copies.front(), leaf.all_inside, choose);
    leaf.head->replacePhiUsesWith(leaf.chooser, choose);
    copies.front()->replacePhiUsesWith(leaf.chooser, choose);
    for (llvm::Instruction* compare : leaf.inner_compares) {
      compare->replaceAllUsesWith(llvm::ConstantInt::getTrue(context_));
      compare->eraseFromParent();
    }
    mark_edge_loop(copies.back()->getTerminator());
  }
}

// for lane in [0, 32) becomes [0, split) and [split, 32): what is compared with lanes is known in each.
void Regions::split_lanes() {
  for (Leaf& leaf : leaves_) {
    if (!leaf.lane_split || leaf.all_inside) continue;
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<BasicBlock*, 8> copies = copy_loop(leaf, ".rest", map);
    Value* split = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), leaf.lane_split);
    auto* lane = llvm::cast<llvm::PHINode>(&leaf.head->front());
    auto* rest = llvm::cast<llvm::PHINode>(map[lane]);

    // The first part's way out leads to the rest.
    auto* end = llvm::cast<llvm::BranchInst>(leaf.latch->getTerminator());
    unsigned out = end->getSuccessor(0) == leaf.head ? 1 : 0;
    BasicBlock* between = BasicBlock::Create(context_, "rest", body_, copies.front());
    llvm::BranchInst::Create(copies.front(), between);
    end->getSuccessor(out)->replacePhiUsesWith(leaf.latch, copies.back());
    end->setSuccessor(out, between);
    auto* goes_on = llvm::cast<llvm::ICmpInst>(end->getCondition());
    goes_on->setOperand(1, split);
    rest->setIncomingBlock(rest->getBasicBlockIndex(leaf.chooser), between);
    rest->setIncomingValueForBlock(between, split);

    for (auto [compare, below] : leaf.lane_compares) {
      map[compare]->replaceAllUsesWith(llvm::ConstantInt::getBool(context_, !below));
      compare->replaceAllUsesWith(llvm::ConstantInt::getBool(context_, below));
    }
    copy_loop_properties(leaf.latch->getTerminator(), copies.back()->getTerminator());
  }
}

}  // namespace quern::lowering
