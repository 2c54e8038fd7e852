// Which blocks run for the block, for the warp and for the thread; how threads that left, or stay aside, are passed
// over.
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compile/clang/lowering/regions.h"

namespace quern::lowering {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

constexpr unsigned max_cloned_instructions = 2000;

Blocks reachable_until(BasicBlock* from, const BasicBlock* stop) {
  Blocks found;
  llvm::SmallVector<BasicBlock*, 16> open{from};
  while (!open.empty()) {
    BasicBlock* block = open.pop_back_val();
    if (block == stop || !found.insert(block)) continue;
    for (BasicBlock* next : llvm::successors(block)) open.push_back(next);
  }
  return found;
}

bool depends_on_memory(const Value* value) {
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> open{value};
  while (!open.empty()) {
    auto* inst = llvm::dyn_cast<Instruction>(open.pop_back_val());
    if (!inst || !seen.insert(inst).second) continue;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(inst);
    if (load && !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return true;
    open.append(inst->op_begin(), inst->op_end());
  }
  return false;
}

}  // namespace

bool Regions::decides_by_memory(const Blocks& blocks) const {
  return llvm::any_of(blocks, [&](const BasicBlock* block) {
    Value* condition = branch_condition(*block);
    return condition && level_of(condition) != Level::thread && depends_on_memory(condition);
  });
}

// Early exits such as `if (i >= n) return;` before a barrier: a thread for which a branch leads past all further barriers
// leaves. Threads that left take no part in barriers, so the others' way is the block's.
void Regions::predicate_exits() {
  Blocks block_goals, goals;
  for (BasicBlock* block : block_sync_) {
    if (contains_sync(*block)) block_goals.insert(block);
  }
  goals = block_goals;
  goals.insert(warp_sync_.begin(), warp_sync_.end());
  if (goals.empty()) return;
  Blocks to_block_sync = reaching(block_goals), to_sync = reaching(goals);
  PostDominance meeting(*body_);

  std::vector<std::pair<BasicBlock*, unsigned>> exits;
  for (BasicBlock* block : to_sync) {
    Value* condition = branch_condition(*block);
    if (!condition || level_of(condition) == Level::block) continue;
    llvm::SmallVector<unsigned, 2> dead;
    bool lives_to_block_sync = false, lives = false;
    unsigned index = 0;
    for (BasicBlock* next : llvm::successors(block)) {
      if (to_sync.count(next)) lives = true;
      if (to_block_sync.count(next)) lives_to_block_sync = true;
      if (!to_sync.count(next) && meeting.returns(next)) dead.push_back(index);
      ++index;
    }
    if (dead.empty() || !lives) continue;
    if (level_of(condition) == Level::warp && !lives_to_block_sync) continue;  // the warp goes together
    if (index != 2) throw Refused{"a switch with a return before a barrier"};
    exits.push_back({block, dead[0]});
  }
  if (exits.empty()) return;
  bool by_memory = decides_by_memory(to_sync);
  for (auto [block, side] : exits) turn_exit_into_leave(block, side, by_memory || reaches_itself(block));
  drop_unreachable_blocks();
  for (Leaving& leaving : leavings_) leaving.repeats = reaches_itself(leaving.marker->getParent());
  uniform_ = std::make_unique<Uniformity>(*body_, has_warp_syncs_);
  verify(*body_, "predicating exits");
}

// What nobody comes to any more goes, and is no barrier any more. Branches that are decided by now are folded on the way.
void Regions::drop_unreachable_blocks() {
  std::vector<BasicBlock*> homes;
  for (const Leaving& leaving : leavings_) homes.push_back(leaving.marker->getParent());
  llvm::removeUnreachableBlocks(*body_);
  llvm::SmallPtrSet<const BasicBlock*, 32> left;
  for (const BasicBlock& block : *body_) left.insert(&block);
  auto is_gone = [&](const BasicBlock* block) { return !left.count(block); };
  if (is_gone(end_)) throw Refused{"the kernel never returns"};
  block_sync_.remove_if(is_gone);
  warp_sync_.remove_if(is_gone);
  size_t kept = 0;
  for (size_t i = 0; i < homes.size(); ++i) {
    if (!is_gone(homes[i])) leavings_[kept++] = leavings_[i];
  }
  leavings_.resize(kept);
}

// The dead side's code is copied, so that it ends here, where the other threads go on:
//
//   block:  if (dead) { copy of the dead side }
//   joined: leave(dead); goto live side
void Regions::turn_exit_into_leave(BasicBlock* block, unsigned dead_side, bool check_anybody_left) {
  auto* branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
  BasicBlock* dead = branch->getSuccessor(dead_side);
  BasicBlock* live = branch->getSuccessor(1 - dead_side);
  llvm::IRBuilder<> builder(branch);
  Value* leaves = branch->getCondition();
  if (dead_side == 1) leaves = builder.CreateNot(leaves, "leaves");

  BasicBlock* joined = BasicBlock::Create(context_, "joined", body_, live);
  live->replacePhiUsesWith(block, joined);
  builder.SetInsertPoint(joined);
  llvm::CallInst* marker = builder.CreateCall(declare(kernel_.module, Op::leave), {leaves});
  if (check_anybody_left) {
    Value* anybody = builder.CreateCall(declare(kernel_.module, Op::any), {builder.CreateNot(leaves)}, "anybody.left");
    builder.CreateCondBr(anybody, live, end_);
  } else {
    builder.CreateBr(live);
  }
  leavings_.push_back({marker, false});

  Blocks side = reachable_until(dead, end_);
  unsigned size = 0;
  for (BasicBlock* copied : side) size += copied->size();
  if (size > max_cloned_instructions) throw Refused{"much code behind a return before a barrier"};
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<BasicBlock*, 8> copies;
  for (BasicBlock* copied : side) {
    BasicBlock* copy = llvm::CloneBasicBlock(copied, map, ".left", body_);
    map[copied] = copy;
    copies.push_back(copy);
  }
  map[end_] = joined;
  llvm::remapInstructionsInBlocks(copies, map);
  for (size_t i = 0; i < copies.size(); ++i) {
    for (llvm::PHINode& phi : llvm::make_early_inc_range(copies[i]->phis())) {
      for (unsigned in = phi.getNumIncomingValues(); in-- > 0;) {
        BasicBlock* from = phi.getIncomingBlock(in);
        bool kept = llvm::is_contained(copies, from) || (from == block && side[i] == dead);
        if (!kept) phi.removeIncomingValue(in, /*DeletePHIIfEmpty=*/false);
      }
    }
  }
  dead->removePredecessor(block, /*KeepOneInputPHIs=*/true);
  BasicBlock* entered = dead == end_ ? joined : llvm::cast<BasicBlock>(map[dead]);
  builder.SetInsertPoint(branch);
  if (entered == joined) {
    builder.CreateBr(joined);
  } else {
    builder.CreateCondBr(leaves, entered, joined);
  }
  branch->eraseFromParent();
}

// Branches that decide about block barriers are the block's; all its threads must agree.
void Regions::choose_block_branches() {
  Blocks goals;
  for (BasicBlock* block : block_sync_) {
    if (contains_sync(*block)) goals.insert(block);
  }
  if (goals.empty()) return;
  PostDominance meeting(*body_);
  for (BasicBlock* block : deciding(*body_, goals, meeting)) {
    if (level_of(branch_condition(*block)) != Level::block) {
      throw Refused{"a barrier depends on a condition that threads may disagree on"};
    }
    block_sync_.insert(block->splitBasicBlock(block->getTerminator(), "block.branch"));
  }
}

// Branches that decide about warp barriers are the warp's. Where lanes may disagree, `if (c) { ... }` is entered when
// any lane wants to, and the others are passed over inside.
void Regions::choose_warp_branches() {
  if (!has_warp_syncs_) return;
  for (bool again = true; again;) {
    again = false;
    PostDominance meeting(*body_);
    Blocks goals = warp_sync_;
    for (BasicBlock* block : deciding(*body_, goals, meeting)) {
      if (block_sync_.count(block) || level_of(branch_condition(*block)) != Level::thread) continue;
      if (!predicate_branch(block, goals, meeting)) {
        throw Refused{"a warp barrier depends on a condition that lanes may disagree on"};
      }
      again = true;
      break;
    }
    if (again) continue;
    for (BasicBlock* block : deciding(*body_, goals, meeting)) {
      if (!block_sync_.count(block)) warp_sync_.insert(block->splitBasicBlock(block->getTerminator(), "warp.branch"));
    }
  }
}

bool Regions::predicate_branch(BasicBlock* block, const Blocks& goals, const PostDominance& meeting) {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  BasicBlock* join = meeting.next_meeting(block);
  if (!branch || !join) return false;
  // Exactly one side has barriers; the other may have plain code.
  bool has_syncs[2] = {};
  Blocks sides[2];
  for (unsigned i = 0; i < 2; ++i) {
    sides[i] = reachable_until(branch->getSuccessor(i), join);
    has_syncs[i] = llvm::any_of(sides[i], [&](BasicBlock* at) { return goals.count(at) || block_sync_.count(at); });
    if (sides[i].count(block)) return false;  // a loop
  }
  if (has_syncs[0] == has_syncs[1]) return false;
  unsigned taken = has_syncs[0] ? 0 : 1;
  Blocks &inside = sides[taken], &other = sides[1 - taken];
  for (BasicBlock* at : inside) {
    if (other.count(at) || block_sync_.count(at)) return false;
    for (BasicBlock* from : llvm::predecessors(at)) {
      if (!inside.count(from) && !(from == block && at == branch->getSuccessor(taken))) return false;
    }
  }

  // What threads bring to the meeting goes by memory: a lane that is passed over keeps what it had.
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  for (llvm::PHINode& phi : join->phis()) phis.push_back(&phi);
  for (llvm::PHINode* phi : phis) llvm::DemotePHIToStack(phi, body_->getEntryBlock().begin());

  llvm::IRBuilder<> builder(branch);
  Value* condition = branch->getCondition();
  if (taken == 1) condition = builder.CreateNot(condition, "stays");
  BasicBlock* entered = branch->getSuccessor(taken);
  BasicBlock* aside = branch->getSuccessor(1 - taken);
  BasicBlock* gate = BasicBlock::Create(context_, "gate", body_, entered);
  builder.SetInsertPoint(gate);
  llvm::CallInst* any = builder.CreateCall(declare(kernel_.module, Op::any), {condition}, "any.lane");
  builder.CreateCondBr(any, entered, join);
  entered->replacePhiUsesWith(block, gate);
  for (BasicBlock* at : other) at->getTerminator()->replaceSuccessorWith(join, gate);
  builder.SetInsertPoint(branch);
  if (aside == join) {
    builder.CreateBr(gate);
  } else {
    builder.CreateCondBr(condition, gate, aside);
  }
  branch->eraseFromParent();
  predicated_.push_back({condition, any});
  verify(*body_, "predicating a branch");
  return true;
}

// Divides `universe` without `syncs` into regions with one entry each. Where two regions meet, a third begins.
std::map<BasicBlock*, std::vector<BasicBlock*>> Regions::grow(const Blocks& universe, const Blocks& syncs, Blocks entries) {
  auto inside = [&](BasicBlock* block) { return universe.count(block) && !syncs.count(block); };
  std::map<BasicBlock*, std::vector<BasicBlock*>> regions;
  llvm::DenseMap<BasicBlock*, BasicBlock*> region;
  for (bool again = true; again;) {
    again = false;
    regions.clear();
    region.clear();
    for (BasicBlock* entry : entries) {
      llvm::SmallVector<BasicBlock*, 16> open{entry};
      while (!open.empty() && !again) {
        BasicBlock* block = open.pop_back_val();
        auto [known, fresh] = region.try_emplace(block, entry);
        if (!fresh) {
          if (known->second != entry) again = entries.insert(block);
          continue;
        }
        regions[entry].push_back(block);
        for (BasicBlock* next : llvm::successors(block)) {
          if (inside(next) && !entries.count(next)) open.push_back(next);
        }
      }
      if (again) break;
    }
  }
  return regions;
}

// An entry that threads come back to within their region (the head of a loop of their own) gets a block in front.
static void put_loop_heads_inside(const Blocks& syncs, const Blocks& universe, Blocks& entries, Blocks& added) {
  Blocks result;
  for (BasicBlock* entry : entries) {
    // What can be reached from the entry without passing a sync.
    Blocks own;
    llvm::SmallVector<BasicBlock*, 16> open{entry};
    while (!open.empty()) {
      BasicBlock* block = open.pop_back_val();
      if (syncs.count(block) || !universe.count(block) || !own.insert(block)) continue;
      for (BasicBlock* next : llvm::successors(block)) open.push_back(next);
    }
    llvm::SmallVector<BasicBlock*, 4> outer;
    bool returns = false;
    for (BasicBlock* from : llvm::predecessors(entry)) {
      if (own.count(from)) {
        returns = true;
      } else if (!llvm::is_contained(outer, from)) {
        outer.push_back(from);
      }
    }
    if (!returns) {
      result.insert(entry);
      continue;
    }
    BasicBlock* front = llvm::SplitBlockPredecessors(entry, outer, ".front");
    added.insert(front);
    result.insert(front);
  }
  entries = result;
}

void Regions::partition() {
  Blocks universe;
  for (BasicBlock& block : *body_) universe.insert(&block);
  Blocks entries;
  for (BasicBlock* sync : block_sync_) {
    for (BasicBlock* next : llvm::successors(sync)) {
      if (!block_sync_.count(next)) entries.insert(next);
    }
  }
  // A warp barrier right at an entry gets a block in front, where the loop over warps begins.
  Blocks fronts;
  for (BasicBlock* entry : entries) {
    if (!warp_sync_.count(entry)) {
      fronts.insert(entry);
      continue;
    }
    llvm::SmallVector<BasicBlock*, 4> outer(llvm::predecessors(entry));
    BasicBlock* front = llvm::SplitBlockPredecessors(entry, outer, ".front");
    universe.insert(front);
    fronts.insert(front);
  }
  entries = fronts;
  Blocks added;
  put_loop_heads_inside(block_sync_, universe, entries, added);
  for (BasicBlock* block : added) universe.insert(block);

  auto regions = grow(universe, block_sync_, entries);
  for (auto& [entry, blocks] : regions) {
    bool has_warps = llvm::any_of(blocks, [&](BasicBlock* block) { return warp_sync_.count(block); });
    if (!has_warps) {
      Leaf& leaf = leaves_.emplace_back();
      leaf.entry = entry;
      leaf.blocks.assign(blocks.begin(), blocks.end());
      continue;
    }
    if (warp_sync_.count(entry)) throw Refused{"regions that share a warp barrier"};
    Group& group = groups_.emplace_back();
    group.entry = entry;
    group.blocks.assign(blocks.begin(), blocks.end());
    BasicBlock* tail = single_way_out(group.blocks, entry, group.target);
    group.blocks.push_back(tail);
  }
  for (Group& group : groups_) partition_group(group);
  for (Leaf& leaf : leaves_) finish_leaf(leaf);
  for (Leaf& leaf : leaves_) {
    if (leaf.entry->getSinglePredecessor()) llvm::FoldSingleEntryPHINodes(leaf.entry);
  }
}

void Regions::partition_group(Group& group) {
  Blocks universe(group.blocks.begin(), group.blocks.end());
  Blocks entries;
  entries.insert(group.entry);
  for (BasicBlock* block : group.blocks) {
    if (!warp_sync_.count(block)) continue;
    for (BasicBlock* next : llvm::successors(block)) {
      if (universe.count(next) && !warp_sync_.count(next)) entries.insert(next);
    }
  }
  Blocks added;
  BasicBlock* entry = group.entry;
  put_loop_heads_inside(warp_sync_, universe, entries, added);
  for (BasicBlock* block : added) {
    universe.insert(block);
    group.blocks.push_back(block);
    if (block->getSingleSuccessor() == entry && !entries.count(entry)) group.entry = block;
  }
  for (BasicBlock* block : group.blocks) group_[block] = &group;
  for (auto& [start, blocks] : grow(universe, warp_sync_, entries)) {
    Leaf& leaf = leaves_.emplace_back();
    leaf.entry = start;
    leaf.blocks.assign(blocks.begin(), blocks.end());
    leaf.group = &group;
  }
}

void Regions::finish_leaf(Leaf& leaf) {
  leaf.tail = single_way_out(leaf.blocks, leaf.entry, leaf.target);
  leaf.blocks.push_back(leaf.tail);
  for (BasicBlock* block : leaf.blocks) {
    leaf_[block] = &leaf;
    if (leaf.group) group_[block] = leaf.group;
  }
  if (leaf.group && !llvm::is_contained(leaf.group->blocks, leaf.tail)) leaf.group->blocks.push_back(leaf.tail);
}

BasicBlock* Regions::single_way_out(llvm::ArrayRef<BasicBlock*> blocks, BasicBlock* entry, BasicBlock*& target) {
  llvm::SmallPtrSet<BasicBlock*, 16> inside(blocks.begin(), blocks.end());
  llvm::SmallVector<BasicBlock*, 4> from;
  target = nullptr;
  for (BasicBlock* block : blocks) {
    for (BasicBlock* next : llvm::successors(block)) {
      if (inside.count(next) && next != entry) continue;
      if (next == entry && inside.count(entry)) throw Refused{"a region that begins where it ends"};
      if (target && target != next) throw Refused{"a region with two ways out"};
      target = next;
      if (!llvm::is_contained(from, block)) from.push_back(block);
    }
  }
  if (!target) throw Refused{"a region without a way out"};
  return llvm::SplitBlockPredecessors(target, from, ".tail");
}

void Regions::guard(Leaf& leaf, Value* condition) {
  llvm::IRBuilder<> builder(&*leaf.entry->getFirstInsertionPt());
  builder.CreateCall(declare(kernel_.module, Op::guard), {condition});
}

void Regions::add_guards() {
  for (const Predicated& predicated : predicated_) {
    auto* branch = llvm::cast<llvm::BranchInst>(*predicated.any->user_begin());
    Blocks inside = reachable_until(branch->getSuccessor(0), branch->getSuccessor(1));
    for (Leaf& leaf : leaves_) {
      if (inside.count(leaf.entry)) guard(leaf, predicated.condition);
    }
  }
  if (leavings_.empty()) return;

  llvm::DominatorTree dominators(*body_);
  auto by_value = [&](const Leaving& leaving, const Leaf& leaf) {
    return !leaving.repeats && dominators.dominates(leaving.marker->getParent(), leaf.entry);
  };
  bool uses_alive = false;
  for (Leaf& leaf : leaves_) {
    llvm::SmallVector<const Leaving*, 4> before;
    for (const Leaving& leaving : leavings_) {
      Leaf* own = leaf_of(leaving.marker->getParent());
      bool reached = llvm::any_of(llvm::successors(own->tail),
                                  [&](BasicBlock* next) { return reachable_until(next, nullptr).count(leaf.entry); });
      if (reached) before.push_back(&leaving);
    }
    bool all_by_value = llvm::all_of(before, [&](const Leaving* leaving) { return by_value(*leaving, leaf); });
    if (!all_by_value) {
      llvm::IRBuilder<> builder(&*leaf.entry->getFirstInsertionPt());
      if (!alive_) {
        alive_ = new llvm::AllocaInst(builder.getInt8Ty(), 0, "alive", body_->getEntryBlock().begin());
      }
      uses_alive = true;
      Value* alive = builder.CreateICmpNE(builder.CreateLoad(builder.getInt8Ty(), alive_), builder.getInt8(0), "alive");
      builder.CreateCall(declare(kernel_.module, Op::guard), {alive});
      continue;
    }
    for (const Leaving* leaving : before) {
      Value* leaves = leaving->marker->getArgOperand(0);
      Value* stays = nullptr;
      if (!llvm::PatternMatch::match(leaves, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(stays)))) {
        stays = llvm::IRBuilder<>(leaving->marker).CreateNot(leaves, "stays");
      }
      guard(leaf, stays);
    }
  }
  if (!uses_alive) return;
  llvm::IRBuilder<> builder(context_);
  for (const Leaving& leaving : leavings_) {
    builder.SetInsertPoint(leaving.marker);
    Value* stays = builder.CreateNot(leaving.marker->getArgOperand(0));
    builder.CreateStore(builder.CreateZExt(stays, builder.getInt8Ty()), alive_);
  }
  BasicBlock* first = body_->getEntryBlock().getSingleSuccessor();
  builder.SetInsertPoint(first, first->getFirstInsertionPt());
  builder.CreateStore(builder.getInt8(1), alive_);
}

}  // namespace quern::lowering
