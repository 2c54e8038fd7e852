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

#include "compile/clang/lowering/regions.h"

namespace quern::lowering {

using llvm::BasicBlock;
using llvm::CmpInst;
using llvm::Instruction;
using llvm::Value;
namespace match = llvm::PatternMatch;

namespace {

constexpr int max_bound_depth = 8;

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

bool is_upper_bound(CmpInst::Predicate predicate) {
  return predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_ULT || predicate == CmpInst::ICMP_SLE ||
         predicate == CmpInst::ICMP_ULE;
}

// Whether an index compares with this limit so for most threads. That is not known: but small constants are where things begin,
// and other limits where they end.
bool is_likely(CmpInst::Predicate predicate, const Value* limit) {
  constexpr uint64_t small = 64;
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(limit);
  bool is_begin = constant && constant->getValue().abs().ule(small);
  return is_upper_bound(predicate) != is_begin;
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
  if (is_row_value(value, leaf, max_bound_depth)) {
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
  if (match::match(value, match::m_Sub(match::m_Value(a), match::m_Value(b))) && is_row_value(b, leaf, max_bound_depth)) {
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
  if (is_row_value(left, leaf, max_bound_depth)) {
    std::swap(left, right);
    bound.predicate = CmpInst::getSwappedPredicate(bound.predicate);
  }
  if (bound.predicate == CmpInst::ICMP_NE || !is_row_value(right, leaf, max_bound_depth)) return false;
  bound.limit = right;
  bound.widened = Widened::no;
  Value* narrow;
  if (match::match(left, match::m_SExt(match::m_Value(narrow)))) bound.widened = Widened::as_signed;
  if (match::match(left, match::m_ZExt(match::m_Value(narrow)))) bound.widened = Widened::as_unsigned;
  if (bound.widened != Widened::no) left = narrow;
  if (left->getType()->getIntegerBitWidth() < 32) return false;
  bound.terms = {};
  bound.terms.type = left->getType();
  return take_sum_apart(left, leaf, bound.terms, max_bound_depth) && bound.terms.count_of_x == 1;
}

// Examines the branches at the start of the leaf that pass a thread over, and takes out what the loop's bounds will
// say.
void Regions::find_bounds(Leaf& leaf, BasicBlock* skip, ThreadRow& row) {
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
      if (is_row_value(part.value, leaf, max_bound_depth)) {
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
void Regions::find_sums(Leaf& leaf, ThreadRow& row) {
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
      if (take_sum_apart(&inst, leaf, sum.terms, max_bound_depth) && sum.terms.count_of_x == 1 && !sum.terms.row.empty() &&
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

// Comparisons such as lane < 24, as shuffles and scans have them: the loop over lanes can be cut there.
void Regions::note_lane_split(Leaf& leaf, llvm::ICmpInst* compare, const Bound& bound, int64_t distance) {
  auto* limit = llvm::dyn_cast<llvm::ConstantInt>(bound.limit);
  if (!limit || limit->getValue().ugt(2 * warp_size) || distance < 0) return;
  // What only chooses between two values is done in vectors as it stands.
  if (llvm::all_of(compare->users(), [](const llvm::User* user) { return llvm::isa<llvm::SelectInst>(user); })) return;
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
void Regions::find_inner_bounds(Leaf& leaf, ThreadRow& row) {
  for (BasicBlock* block : leaf.blocks) {
    for (Instruction& inst : *block) {
      auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&inst);
      if (!compare || compare->isEquality() || wide_.count(compare) || compare->use_empty()) continue;
      if (compare->getPredicate() == CmpInst::ICMP_ULT && is_row_value(compare, leaf, max_bound_depth)) {
        row.inner_conditions.push_back(compare);  // an index of the row's that is within its range
        continue;
      }
      Bound bound;
      if (!find_bound({compare, false}, leaf, bound)) continue;
      if (std::optional<int64_t> distance = distance_from_lane(leaf, bound.terms)) {
        note_lane_split(leaf, compare, bound, *distance);
        continue;
      }
      if (bound.terms.row.empty()) continue;
      bool holds = is_likely(bound.predicate, bound.limit);
      if (!holds) bound.predicate = CmpInst::getInversePredicate(bound.predicate);
      row.inner_bounds.push_back(bound);
      row.inner_compares.push_back({compare, holds});
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

// The threads [first, end) of a piece for which base + x compares with the limit as the bound says, where the sum does not wrap
// (it may go from below 0 to above, if the limit is not negative).
std::pair<Value*, Value*> Regions::find_interval(llvm::IRBuilder<>& builder, const Bound& bound, Value* base, Value* limit,
                                                 Value* length) {
  llvm::Type *type = limit->getType(), *i32 = builder.getInt32Ty();
  Value *zero = builder.getInt32(0), *none = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  Value* steps = builder.CreateSub(limit, base);
  Value* most = builder.CreateIntCast(length, type, false);
  if (bound.predicate == CmpInst::ICMP_EQ) {
    Value* within = builder.CreateICmpULT(steps, most);
    Value* only = builder.CreateIntCast(steps, i32, false);
    return {only, builder.CreateSelect(within, builder.CreateAdd(only, builder.getInt32(1)), zero)};
  }
  bool is_signed = CmpInst::isSigned(bound.predicate), is_upper = is_upper_bound(bound.predicate);
  bool with_limit = CmpInst::isNonStrictPredicate(bound.predicate) == is_upper;
  // How many x there are before the limit (or up to it), at most `length`.
  Value* some = builder.CreateICmp(
      with_limit ? (is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE) : (is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT),
      base, limit);
  Value* from = zero;
  if (passes_zero(bound)) {
    Value* passes = builder.CreateAnd(builder.CreateICmpSLT(base, none), builder.CreateICmpSGE(limit, none));
    Value* below = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, builder.CreateNeg(base), most);
    from = builder.CreateIntCast(builder.CreateSelect(passes, below, none), i32, false);
    some = builder.CreateOr(some, passes);
  }
  Value* number = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, steps, with_limit ? builder.CreateSub(most, one) : most);
  if (with_limit) number = builder.CreateAdd(number, one);
  Value* count = builder.CreateIntCast(builder.CreateSelect(some, number, none), i32, false);
  return is_upper ? std::pair(from, count) : std::pair(count, length);
}

// Makes the loop over a row's threads, from `before` (which runs for the row) to `after`.
Regions::Loop Regions::make_row_loop(Leaf& leaf, const ThreadRow& row, BasicBlock* before, BasicBlock* after, Value* width,
                                     BasicBlock* latch) {
  llvm::IRBuilder<> builder(before);
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
  auto check = [&](Value* safe_too) {
    safe = builder.CreateAnd(safe, safe_too);
    has_checks = true;
  };
  struct Side {
    Value *base, *limit;
  };
  auto is_safe = [&](const Bound& bound, const Side& side) {
    bool is_signed = bound.widened == Widened::no ? CmpInst::isSigned(bound.predicate) : bound.widened == Widened::as_signed;
    Value* stays = never_wraps(side.base, is_signed);
    if (!passes_zero(bound)) return stays;
    Value* none = llvm::ConstantInt::get(side.base->getType(), 0);
    Value* passes = builder.CreateAnd(builder.CreateICmpSLT(side.base, none), builder.CreateICmpSGE(side.limit, none));
    return builder.CreateOr(stays, passes);
  };
  llvm::SmallVector<Side, 2> sides;
  for (const Bound& bound : row.bounds) {
    Side side{add_terms(bound.terms, leaf, before), compute_for_row(bound.limit, leaf, before)};
    builder.SetInsertPoint(before);
    sides.push_back(side);
    bool exact = bound.predicate == CmpInst::ICMP_EQ && bound.widened == Widened::no;
    if (exact || llvm::isa<llvm::Constant>(side.base)) continue;
    check(is_safe(bound, side));
  }
  llvm::SmallVector<Side, 2> inner_sides;
  Value* inner_safe = builder.getTrue();
  for (const Bound& bound : row.inner_bounds) {
    Side side{add_terms(bound.terms, leaf, before), compute_for_row(bound.limit, leaf, before)};
    builder.SetInsertPoint(before);
    inner_sides.push_back(side);
    inner_safe = builder.CreateAnd(inner_safe, is_safe(bound, side));
  }
  for (Value* condition : row.inner_conditions) {
    Value* holds = compute_for_row(condition, leaf, before);
    builder.SetInsertPoint(before);
    inner_safe = builder.CreateAnd(inner_safe, holds);
  }
  llvm::SmallVector<Value*, 4> bases;
  for (const Sum& sum : row.sums) {
    Value* base = add_terms(sum.terms, leaf, before);
    builder.SetInsertPoint(before);
    bases.push_back(base);
    if (sum.is_signed) check(never_wraps(base, true));
    if (sum.is_unsigned) check(never_wraps(base, false));
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

  auto interval_of = [&](const Bound& bound, const Side& side) {
    Value* base = builder.CreateAdd(side.base, builder.CreateZExt(start, side.base->getType()));
    base = builder.CreateIntCast(base, side.limit->getType(), bound.widened == Widened::as_signed);
    return find_interval(builder, bound, base, side.limit, length);
  };
  auto smaller = [&](Value* a, Value* b) {
    return b == length ? a : builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);  // none is longer
  };
  auto larger = [&](Value* a, Value* b) { return b == zero ? a : builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b); };
  Value *low = zero, *high = length;
  for (auto [bound, side] : llvm::zip(row.bounds, sides)) {
    auto [first, end] = interval_of(bound, side);
    low = larger(low, first);
    high = smaller(high, end);
  }
  if (!row.conditions.empty()) high = builder.CreateSelect(wanted, high, zero);
  // The threads for which all inner compares are known.
  if (!row.inner_compares.empty() || !row.inner_conditions.empty()) {
    Value *first = low, *end = high;
    for (auto [bound, side] : llvm::zip(row.inner_bounds, inner_sides)) {
      auto [from, to] = interval_of(bound, side);
      first = larger(first, from);
      end = smaller(end, to);
    }
    Value* any = builder.CreateAnd(inner_safe, builder.CreateICmpULT(first, end));
    leaf.low = low;
    leaf.high = high;
    leaf.inner_low = builder.CreateSelect(any, first, high);
    leaf.inner_high = builder.CreateSelect(any, end, high);
  }
  leaf.inner_compares.assign(row.inner_compares.begin(), row.inner_compares.end());
  for (llvm::ICmpInst* condition : row.inner_conditions) leaf.inner_compares.push_back({condition, true});
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

// A leaf with inner bounds gets a second loop: in the first they are known, so that nothing is masked; the second, for the
// threads at both ends of a row, stays as it was. The row is run in three pieces: [low, inner_low), [inner_low, inner_high),
// [inner_high, high).
void Regions::split_off_edges() {
  for (Leaf& leaf : leaves_) {
    if (!leaf.inner_low) continue;
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<BasicBlock*, 8> copies = copy_loop(leaf, ".edge", map);
    BasicBlock* edge = copies.front();
    auto* index = llvm::cast<llvm::PHINode>(&leaf.head->front());
    auto* edge_index = llvm::cast<llvm::PHINode>(map[index]);

    BasicBlock* part = BasicBlock::Create(context_, "part", body_, leaf.head);
    BasicBlock* choose = BasicBlock::Create(context_, "choose", body_, leaf.head);
    BasicBlock* next = BasicBlock::Create(context_, "part.latch", body_, leaf.head);
    leaf.chooser->getTerminator()->replaceSuccessorWith(leaf.head, part);
    llvm::IRBuilder<> builder(part);
    Value *zero = builder.getInt32(0), *one = builder.getInt32(1), *two = builder.getInt32(2);
    llvm::PHINode* number = builder.CreatePHI(builder.getInt32Ty(), 2, "part");
    Value *is_first = builder.CreateICmpEQ(number, zero), *is_inner = builder.CreateICmpEQ(number, one);
    auto one_of = [&](Value* a, Value* b, Value* c) {
      return builder.CreateSelect(is_first, a, builder.CreateSelect(is_inner, b, c));
    };
    Value* begin = one_of(leaf.low, leaf.inner_low, leaf.inner_high);
    Value* end = one_of(leaf.inner_low, leaf.inner_high, leaf.high);
    builder.CreateCondBr(builder.CreateICmpULT(begin, end), choose, next);
    builder.SetInsertPoint(choose);
    builder.CreateCondBr(is_inner, leaf.head, edge);

    BasicBlock* behind = nullptr;
    auto leave_to_next = [&](BasicBlock* head, BasicBlock* latch) {
      auto* back = llvm::cast<llvm::BranchInst>(latch->getTerminator());
      unsigned out = back->getSuccessor(0) == head ? 1 : 0;
      behind = back->getSuccessor(out);
      back->setSuccessor(out, next);
      llvm::cast<llvm::ICmpInst>(back->getCondition())->setOperand(1, end);
    };
    leave_to_next(leaf.head, leaf.latch);
    leave_to_next(edge, copies.back());
    for (llvm::PHINode* at : {index, edge_index}) {
      int before = at->getBasicBlockIndex(leaf.chooser);
      at->setIncomingBlock(before, choose);
      at->setIncomingValue(before, begin);
    }
    builder.SetInsertPoint(next);
    Value* following = builder.CreateAdd(number, one, "", true, true);
    builder.CreateCondBr(builder.CreateICmpULE(following, two), part, behind);
    number->addIncoming(zero, leaf.chooser);
    number->addIncoming(following, next);

    for (auto [compare, holds] : leaf.inner_compares) {
      compare->replaceAllUsesWith(llvm::ConstantInt::getBool(context_, holds));
      compare->eraseFromParent();
    }
    mark_edge_loop(copies.back()->getTerminator());
  }
}

// for lane in [0, 32) becomes [0, split) and [split, 32): what is compared with lanes is known in each.
void Regions::split_lanes() {
  for (Leaf& leaf : leaves_) {
    if (!leaf.lane_split || leaf.inner_low) continue;
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
