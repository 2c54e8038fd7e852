// Wraps leaves and groups in loops. For a leaf at block level:
//
//   before                  wide values; runs once
//   for z, for y:           row
//     for piece:            one piece as a rule; see regions_bounds.cpp
//       for x in [low, high)  the leaf's blocks
//   after
//
// For a group: for z, for y, for x in steps of 32; its leaves are loops over 32 lanes.
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compile/clang/lowering/regions.h"
#include "compile/clang/lowering/spins.h"

namespace quern::lowering {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

void mark_loop(Instruction* back_edge, bool vectorize, llvm::MDNode* access_group) {
  llvm::LLVMContext& context = back_edge->getContext();
  auto text = [&](llvm::StringRef name) { return llvm::MDString::get(context, name); };
  auto* choice = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getBool(context, vectorize));
  llvm::SmallVector<llvm::Metadata*, 5> properties{nullptr};
  if (access_group) properties.push_back(llvm::MDNode::get(context, {text("llvm.loop.parallel_accesses"), access_group}));
  properties.push_back(llvm::MDNode::get(context, {text("llvm.loop.vectorize.enable"), choice}));
  properties.push_back(llvm::MDNode::get(context, {text("llvm.loop.unroll.disable")}));
  properties.push_back(llvm::MDNode::get(context, {text("llvm.loop.mustprogress")}));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, properties);
  loop->replaceOperandWith(0, loop);
  back_edge->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

// for (index = begin; index < end; index += step), from block `from` (which gets its end here) to block `to`. The body
// goes between head and latch, which the caller connects.
Regions::Loop Regions::make_loop(BasicBlock* from, BasicBlock* to, Value* begin, Value* end, Value* step, const char* name,
                                 BasicBlock* latch) {
  BasicBlock* head = BasicBlock::Create(context_, llvm::Twine(name) + ".head", body_, to);
  if (!latch) latch = BasicBlock::Create(context_, llvm::Twine(name) + ".latch", body_, to);
  llvm::IRBuilder<> builder(from);
  auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
  bool certain =
      first && first->isZero() && (end == arguments_.ntid[0] || end == arguments_.ntid[1] || end == arguments_.ntid[2]);
  if (certain || (first && last && first->getValue().ult(last->getValue()))) {
    builder.CreateBr(head);
  } else {
    builder.CreateCondBr(builder.CreateICmpULT(begin, end), head, to);
  }
  builder.SetInsertPoint(head);
  llvm::PHINode* index = builder.CreatePHI(begin->getType(), 2, name);
  index->addIncoming(begin, from);
  builder.SetInsertPoint(latch);
  Value* next = builder.CreateAdd(index, step, llvm::Twine(name) + ".next", /*nuw=*/true, /*nsw=*/true);
  index->addIncoming(next, latch);
  builder.CreateCondBr(builder.CreateICmpULT(next, end), head, to);
  return {head, latch, index};
}

// Everybody who went to `entry` goes to `before`, which takes its phis along.
void Regions::enter_through(BasicBlock* entry, BasicBlock* before) {
  llvm::SmallVector<BasicBlock*, 4> from(llvm::predecessors(entry));
  llvm::SmallPtrSet<BasicBlock*, 4> done;
  for (BasicBlock* block : from) {
    if (done.insert(block).second) block->getTerminator()->replaceSuccessorWith(entry, before);
  }
  while (auto* phi = llvm::dyn_cast<llvm::PHINode>(&entry->front())) phi->moveBefore(*before, before->getFirstNonPHIIt());
}

// `tail` goes to `latch`; `after` goes where it went.
void Regions::leave_through(BasicBlock* tail, BasicBlock* latch, BasicBlock* after) {
  BasicBlock* target = tail->getSingleSuccessor();
  tail->getTerminator()->replaceSuccessorWith(target, latch);
  target->replacePhiUsesWith(tail, after);
  llvm::BranchInst::Create(target, after);
}

void Regions::wrap_groups() {
  for (Group& group : groups_) wrap_group(group);
}

static void reset(const Cell& cell, BasicBlock* at) { new llvm::StoreInst(cell.begin, cell.alloca, at); }

void Regions::wrap_group(Group& group) {
  llvm::IRBuilder<> builder(context_);
  group.before = BasicBlock::Create(context_, "warps", body_, group.entry);
  group.after = BasicBlock::Create(context_, "warps.done", body_, group.target);
  enter_through(group.entry, group.before);
  for (const Cell& cell : reset_cells_) {
    if (cell.leaf->group == &group && !cell.of_warp) reset(cell, group.before);
  }

  Value *zero = builder.getInt32(0), *one = builder.getInt32(1);
  Loop z = make_loop(group.before, group.after, zero, arguments_.ntid[2], one, "warp.z");
  Loop y = make_loop(z.head, z.latch, zero, arguments_.ntid[1], one, "warp.y");
  Loop x = make_loop(y.head, y.latch, zero, arguments_.ntid[0], builder.getInt32(warp_size), "warp.x");
  builder.SetInsertPoint(x.head);
  Value* row = builder.CreateAdd(builder.CreateMul(z.index, arguments_.ntid[1], "", true, true), y.index, "", true, true);
  Value* linear = builder.CreateAdd(builder.CreateMul(row, arguments_.ntid[0], "", true, true), x.index, "", true, true);
  group.linear = builder.CreateZExt(linear, builder.getInt64Ty(), "warp.linear");
  builder.CreateBr(group.entry);
  group.index[0] = x.index;
  group.index[1] = y.index;
  group.index[2] = z.index;
  group.head = x.head;
  group.latch = x.latch;

  for (Leaf& leaf : leaves_) {
    if (leaf.group == &group && leaf.target == group.target) leave_through(leaf.tail, group.latch, group.after);
  }
}

// Nothing for threads to do: wide values, and the way to the target.
bool Regions::is_empty(const Leaf& leaf) const {
  return llvm::all_of(leaf.blocks, [&](const BasicBlock* block) {
    return block->getSingleSuccessor() &&
           llvm::all_of(*block, [&](const Instruction& inst) { return llvm::isa<llvm::BranchInst>(inst) || wide_.count(&inst); });
  });
}

void Regions::wrap_leaves() {
  for (Leaf& leaf : leaves_) {
    if (!is_empty(leaf)) wrap_leaf(leaf);
  }
}

// Threads that have left, or stay aside, skip to the end of the leaf.
void Regions::expand_guards(Leaf& leaf, BasicBlock* skip) {
  llvm::SmallVector<llvm::CallInst*, 4> guards;
  for (BasicBlock* block : leaf.blocks) {
    for (Instruction& inst : *block) {
      Op op = recognise(&inst).op;
      if (op == Op::guard || op == Op::leave || op == Op::any) guards.push_back(llvm::cast<llvm::CallInst>(&inst));
    }
  }
  for (llvm::CallInst* guard : guards) {
    Op op = recognise(guard).op;
    Value* condition = guard->getArgOperand(0);
    if (op == Op::any) {
      guard->replaceAllUsesWith(condition);  // nobody else asks
      guard->eraseFromParent();
      continue;
    }
    BasicBlock* block = guard->getParent();
    BasicBlock* rest = block->splitBasicBlock(guard, "stays");
    leaf_[rest] = &leaf;
    leaf.blocks.push_back(rest);
    if (leaf.tail == block) leaf.tail = rest;
    if (leaf.group) group_[rest] = leaf.group;
    block->getTerminator()->eraseFromParent();
    if (op == Op::guard) {
      llvm::BranchInst::Create(rest, skip, condition, block);
    } else {
      llvm::BranchInst::Create(skip, rest, condition, block);
    }
    guard->eraseFromParent();
  }
}

void Regions::mark_parallel(Leaf& leaf, Instruction* back_edge) {
  llvm::MDNode* access_group = llvm::MDNode::getDistinct(context_, {});
  llvm::SmallPtrSet<const Value*, 16> slots(slots_.begin(), slots_.end());
  for (BasicBlock* block : leaf.blocks) {
    for (Instruction& inst : *block) {
      Value* pointer = llvm::getLoadStorePointerOperand(&inst);
      if (!pointer || inst.hasMetadata(one_by_one_name)) continue;
      // What is not in a slot is one variable used by every thread in turn.
      llvm::SmallVector<const Value*, 4> objects;
      llvm::getUnderlyingObjects(pointer, objects);
      bool shared_by_turns = llvm::any_of(objects, [&](const Value* object) {
        return cells_.count(object) || object == arguments_.block_buffer || is(object, Op::block_buffer) ||
               (llvm::isa<llvm::AllocaInst>(object) && !slots.count(object));
      });
      if (!shared_by_turns) inst.setMetadata(llvm::LLVMContext::MD_access_group, access_group);
    }
  }
  mark_loop(back_edge, true, access_group);
}

// The copy of a loop is a loop of its own, over the same parallel accesses.
void Regions::copy_loop_properties(Instruction* from, Instruction* to) {
  llvm::MDNode* old = from->getMetadata(llvm::LLVMContext::MD_loop);
  if (!old) return;
  llvm::SmallVector<llvm::Metadata*, 5> properties(old->op_begin(), old->op_end());
  llvm::MDNode* loop = llvm::MDNode::getDistinct(to->getContext(), properties);
  loop->replaceOperandWith(0, loop);
  to->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

void Regions::mark_edge_loop(Instruction* back_edge) { mark_loop(back_edge, false, nullptr); }

void Regions::wrap_leaf(Leaf& leaf) {
  llvm::IRBuilder<> builder(context_);
  leaf.before = BasicBlock::Create(context_, "threads", body_, leaf.entry);
  leaf.after = BasicBlock::Create(context_, "threads.done", body_, leaf.entry);
  enter_through(leaf.entry, leaf.before);
  builder.SetInsertPoint(leaf.before);
  for (const Cell& cell : reset_cells_) {
    if (cell.leaf == &leaf && (cell.of_warp || !leaf.group)) reset(cell, leaf.before);
  }

  BasicBlock* skip = BasicBlock::Create(context_, "next.thread", body_, leaf.after);
  expand_guards(leaf, skip);
  leave_through(leaf.tail, skip, leaf.after);
  ThreadRow row;
  find_bounds(leaf, skip, row);
  find_sums(leaf, row);
  find_inner_bounds(leaf, row);

  Value *zero = builder.getInt32(0), *one = builder.getInt32(1);
  Value* linear;
  Loop inner;
  if (Group* group = leaf.group) {
    leaf.row = BasicBlock::Create(context_, "warp", body_, leaf.entry);
    builder.CreateBr(leaf.row);
    linear = group->linear;
    inner = make_row_loop(leaf, row, leaf.row, leaf.after, builder.getInt32(warp_size), skip);
    builder.SetInsertPoint(inner.head);
    leaf.index[0] = builder.CreateAdd(group->index[0], leaf.lane, "x", true, true);
    leaf.index[1] = group->index[1];
    leaf.index[2] = group->index[2];
  } else {
    Loop z = make_loop(leaf.before, leaf.after, zero, arguments_.ntid[2], one, "z");
    Loop y = make_loop(z.head, z.latch, zero, arguments_.ntid[1], one, "y");
    leaf.row = y.head;
    builder.SetInsertPoint(leaf.row);
    linear = builder.CreateAdd(builder.CreateMul(z.index, arguments_.ntid[1], "", true, true), y.index, "", true, true);
    linear = builder.CreateZExt(builder.CreateMul(linear, arguments_.ntid[0], "", true, true), builder.getInt64Ty(), "row");
    inner = make_row_loop(leaf, row, leaf.row, y.latch, arguments_.ntid[0], skip);
    leaf.index[0] = leaf.lane;
    leaf.index[1] = y.index;
    leaf.index[2] = z.index;
  }
  builder.SetInsertPoint(inner.head);
  leaf.linear = builder.CreateAdd(linear, builder.CreateZExt(leaf.lane, builder.getInt64Ty()), "linear", true, true);
  if (!leaf.group && has_warp_syncs_) {
    leaf.lane = builder.CreateAnd(builder.CreateTrunc(leaf.linear, builder.getInt32Ty()), builder.getInt32(warp_size - 1));
  }
  builder.CreateBr(leaf.entry);
  mark_parallel(leaf, inner.latch->getTerminator());
}

// Wide values move to where they run once; phis moved there when their region was wrapped.
void Regions::place_wide_values() {
  for (Instruction* inst : wide_order_) {
    Leaf* leaf = leaf_of(inst->getParent());
    if (!leaf || llvm::isa<llvm::PHINode>(inst)) continue;
    BasicBlock* before = leaf->group && !wide_.lookup(inst) ? leaf->group->before : leaf->before;
    if (before) {  // else the leaf was empty, and runs once itself
      inst->dropUBImplyingAttrsAndUnknownMetadata({llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_tbaa});
      inst->moveBefore(*before, before->getTerminator()->getIterator());
    }
  }
}

void Regions::bind_indices(BasicBlock& block, Value* const index[3], Value* lane) {
  for (Instruction& inst : llvm::make_early_inc_range(block)) {
    Special special = recognise(&inst);
    if (special.op == Op::tid) inst.replaceAllUsesWith(index[special.dim]);
    if (special.op == Op::lane) inst.replaceAllUsesWith(lane);
    if (special.op == Op::tid || special.op == Op::lane || (is_sync(&inst) && special.op != Op::grid_barrier)) {
      inst.eraseFromParent();
    }
  }
}

void Regions::bind_all_indices() {
  Value* lane_0 = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), 0);
  for (Leaf& leaf : leaves_) {
    bool runs_once = leaf.group && !leaf.before;
    for (BasicBlock* block : leaf.blocks) {
      bind_indices(*block, runs_once ? leaf.group->index : leaf.index, runs_once ? lane_0 : leaf.lane);
    }
    if (leaf.row) bind_indices(*leaf.row, leaf.group ? leaf.group->index : leaf.index, lane_0);
    if (leaf.group && leaf.before) bind_indices(*leaf.before, leaf.group->index, lane_0);
  }
  for (Instruction& inst : llvm::make_early_inc_range(llvm::instructions(body_))) {
    Op op = recognise(&inst).op;
    Value* buffer = op == Op::warp_buffer    ? arguments_.warp_buffer
                    : op == Op::block_buffer ? arguments_.block_buffer
                    : op == Op::shared_base  ? arguments_.shared
                                             : nullptr;
    if (!buffer) continue;
    inst.replaceAllUsesWith(buffer);
    inst.eraseFromParent();
  }
  for (BasicBlock* sync : block_sync_) bind_indices(*sync, nullptr, nullptr);  // only barriers are there
  for (BasicBlock* sync : warp_sync_) bind_indices(*sync, nullptr, nullptr);
}

}  // namespace quern::lowering
