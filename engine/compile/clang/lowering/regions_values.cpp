// Where values live once threads are loops: in registers of the block or warp (wide values), computed again where they
// are needed (cheap ones), or in slots, arrays with one element for each thread. Slots are allocas until place_slots().
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <functional>

#include "compile/clang/lowering/prepare.h"
#include "compile/clang/lowering/regions.h"

namespace quern::lowering {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

constexpr int max_cheap_depth = 6;
constexpr uint32_t thread_rounding = 64;  // slots have room for a multiple of so many threads

bool is_movable(const Instruction& inst) {
  if (inst.isTerminator() || inst.getType()->isVoidTy() || llvm::isa<llvm::AllocaInst>(inst) || inst.isEHPad()) return false;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
    if (!load->hasMetadata(llvm::LLVMContext::MD_invariant_load) || !load->isSimple()) return false;
    if (llvm::isa<llvm::Argument>(load->getPointerOperand()->stripInBoundsConstantOffsets())) return true;  // a parameter
    if (load->hasMetadata(always_loaded)) return true;
  } else if (inst.mayReadOrWriteMemory()) {
    return false;
  }
  return llvm::isSafeToSpeculativelyExecute(&inst);
}

// Where the thread is, or where its buffers are.
bool is_place(const Instruction& inst) {
  Op op = recognise(&inst).op;
  return op == Op::tid || op == Op::lane || op == Op::warp_buffer || op == Op::block_buffer || op == Op::shared_base;
}

// What is better computed again than kept.
bool is_light(const Instruction& inst) {
  if (is_place(inst)) return true;
  if (!is_movable(inst)) return false;
  switch (inst.getOpcode()) {
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::SDiv:
    case Instruction::SRem:
    case Instruction::UDiv:
    case Instruction::URem:
      return false;
    default:
      return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::GetElementPtrInst, llvm::SelectInst,
                       llvm::MinMaxIntrinsic>(inst) &&
             !inst.getType()->isFPOrFPVectorTy();
  }
}

}  // namespace

bool Regions::is_wide(const Value* value, const Group* group) const {
  if (llvm::isa<llvm::Constant, llvm::Argument>(value)) return true;
  auto found = wide_.find(value);
  return found != wide_.end() && (found->second == nullptr || found->second == group);
}

void Regions::choose_wide_values() {
  llvm::ReversePostOrderTraversal<llvm::Function*> order(body_);
  // First for the block, then for warps: begin with all candidates, drop those with operands that are not wide.
  for (bool for_warp : {false, true}) {
    llvm::SetVector<Instruction*> candidates;
    for (BasicBlock* block : order) {
      Leaf* leaf = leaf_of(block);
      if (!leaf || (for_warp && !leaf->group)) continue;
      BasicBlock* entry = leaf->group && !for_warp ? leaf->group->entry : leaf->entry;
      for (Instruction& inst : *block) {
        if (wide_.count(&inst)) continue;
        if (llvm::isa<llvm::PHINode>(inst)) {
          if (block == entry) candidates.insert(&inst);
        } else if (is_movable(inst) && level_of(&inst) <= (for_warp ? Level::warp : Level::block)) {
          candidates.insert(&inst);
        }
      }
    }
    auto is_ready = [&](Instruction* inst) {
      Group* group = for_warp ? leaf_of(inst->getParent())->group : nullptr;
      return llvm::all_of(inst->operands(), [&](Value* operand) {
        auto* other = llvm::dyn_cast<Instruction>(operand);
        if (is_wide(operand, group) || llvm::isa<llvm::Function>(operand)) return true;
        if (!other) return false;
        if (candidates.count(other)) return !for_warp || leaf_of(other->getParent())->group == group;
        // Lane 0 computes what the warp agrees on.
        return for_warp && !llvm::isa<llvm::PHINode>(inst) && level_of(inst) == Level::warp &&
               is_cheap(other, group, max_cheap_depth);
      });
    };
    for (bool changed = true; changed;) {
      changed = candidates.remove_if([&](Instruction* inst) { return !is_ready(inst); });
    }
    for (Instruction* inst : candidates) {
      wide_[inst] = for_warp ? leaf_of(inst->getParent())->group : nullptr;
      wide_order_.push_back(inst);
    }
  }
}

// Lane 0 computes what the warp agrees on: the operands that are not wide get copies that are.
void Regions::copy_for_lane_0() {
  std::vector<Instruction*> order;
  std::function<Value*(Value*, Instruction*, Group*)> copy = [&](Value* value, Instruction* at, Group* group) -> Value* {
    if (is_wide(value, group) || llvm::isa<llvm::AllocaInst>(value)) return value;
    Instruction* clone = llvm::cast<Instruction>(value)->clone();
    clone->insertBefore(at->getIterator());
    clone->setName(value->getName());
    for (llvm::Use& operand : clone->operands()) {
      if (!llvm::isa<llvm::Function>(operand)) operand.set(copy(operand, clone, group));
    }
    wide_[clone] = group;
    order.push_back(clone);
    return clone;
  };
  for (Instruction* inst : wide_order_) {
    Group* group = wide_.lookup(inst);
    if (group && !llvm::isa<llvm::PHINode>(inst)) {
      for (llvm::Use& operand : inst->operands()) {
        if (!llvm::isa<llvm::Function>(operand)) operand.set(copy(operand, inst, group));
      }
    }
    order.push_back(inst);
  }
  wide_order_ = std::move(order);
}

// A slot must be written by every thread; a sync block runs once. So an edge from a sync block into a phi that is not
// wide gets a leaf of its own.
void Regions::split_edges_into_phis() {
  llvm::SmallSetVector<std::pair<BasicBlock*, BasicBlock*>, 8> edges;  // the cases of a switch may go to one block
  for (Leaf& leaf : leaves_) {
    bool has_slots = llvm::any_of(leaf.entry->phis(), [&](llvm::PHINode& phi) { return !wide_.count(&phi); });
    if (!has_slots) continue;
    for (BasicBlock* from : llvm::predecessors(leaf.entry)) {
      if (is_sync_block(from)) edges.insert({from, leaf.entry});
    }
  }
  for (auto [from, to] : edges) {
    BasicBlock* middle = llvm::SplitBlockPredecessors(to, {from}, ".copies");
    Leaf& leaf = leaves_.emplace_back();
    leaf.entry = leaf.tail = middle;
    leaf.target = to;
    leaf.blocks.push_back(middle);
    leaf_[middle] = &leaf;
    if (is_warp_sync_block(from)) {
      leaf.group = group_of(to);
      group_[middle] = leaf.group;
      leaf.group->blocks.push_back(middle);
    }
  }
}

// A new leaf of its group that every way into a warp's sync block passes.
Leaf* Regions::leaf_before(BasicBlock* sync) {
  llvm::SmallVector<BasicBlock*, 4> from(llvm::predecessors(sync));
  BasicBlock* middle = llvm::SplitBlockPredecessors(sync, from, ".hand.over");
  for (Leaf& leaf : leaves_) {
    if (leaf.target == sync) leaf.target = middle;
  }
  Leaf& leaf = leaves_.emplace_back();
  leaf.entry = leaf.tail = middle;
  leaf.target = sync;
  leaf.blocks.push_back(middle);
  leaf.group = group_of(sync);
  leaf_[middle] = &leaf;
  group_[middle] = leaf.group;
  leaf.group->blocks.push_back(middle);
  if (leaf.group->entry == sync) leaf.group->entry = middle;
  for (Group& group : groups_) {
    if (group.target == sync) group.target = middle;
  }
  return &leaf;
}

llvm::AllocaInst* Regions::new_slot(llvm::Type* type, const llvm::Twine& name) {
  if (type->isIntegerTy(1)) type = llvm::Type::getInt8Ty(context_);  // bits are no memory that vectorises
  auto* slot = new llvm::AllocaInst(type, 0, name, body_->getEntryBlock().begin());
  slots_.push_back(slot);
  return slot;
}

void Regions::store_slot(Value* value, llvm::AllocaInst* slot, BasicBlock::iterator at) {
  llvm::IRBuilder<> builder(at->getParent(), at);
  if (value->getType() != slot->getAllocatedType()) value = builder.CreateZExt(value, slot->getAllocatedType());
  builder.CreateStore(value, slot);
}

Value* Regions::load_slot(llvm::Type* type, llvm::AllocaInst* slot, BasicBlock::iterator at, const llvm::Twine& name) {
  llvm::IRBuilder<> builder(at->getParent(), at);
  Value* value = builder.CreateLoad(slot->getAllocatedType(), slot, name);
  if (value->getType() != type) value = builder.CreateTrunc(value, type);
  return value;
}

void Regions::demote_phis() {
  std::vector<llvm::PHINode*> phis;
  for (Leaf& leaf : leaves_) {
    for (llvm::PHINode& phi : leaf.entry->phis()) {
      if (!wide_.count(&phi)) phis.push_back(&phi);
    }
  }
  for (llvm::PHINode* phi : phis) {
    llvm::AllocaInst* slot = new_slot(phi->getType(), phi->getName() + ".slot");
    llvm::SmallPtrSet<BasicBlock*, 4> done;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      BasicBlock* from = phi->getIncomingBlock(i);
      if (done.insert(from).second) store_slot(phi->getIncomingValue(i), slot, from->getTerminator()->getIterator());
    }
    Value* value = load_slot(phi->getType(), slot, phi->getParent()->getFirstInsertionPt(), phi->getName());
    phi_slots_[value] = slot;
    phi->replaceAllUsesWith(value);
    phi->eraseFromParent();
  }
}

// Few steps from thread indices and wide values, without memory.
bool Regions::is_cheap(const Value* value, const Group* group, int depth) const {
  if (is_wide(value, group) || llvm::isa<llvm::AllocaInst>(value)) return true;
  auto* inst = llvm::dyn_cast<Instruction>(value);
  if (!inst || depth == 0 || !is_light(*inst)) return false;
  if (is_place(*inst)) return true;
  return llvm::all_of(inst->operands(), [&](const Value* operand) { return is_cheap(operand, group, depth - 1); });
}

Value* Regions::recompute(Value* value, Instruction* at, const Group* group) {
  if (is_wide(value, group) || llvm::isa<llvm::AllocaInst>(value)) return value;
  if (llvm::isa<llvm::PHINode>(value)) return value;  // an index of the loop over warps, which is bound already
  Instruction* copy = llvm::cast<Instruction>(value)->clone();
  copy->insertBefore(at->getIterator());
  copy->setName(value->getName());
  for (llvm::Use& operand : copy->operands()) {
    if (!llvm::isa<llvm::Function>(operand)) operand.set(recompute(operand, copy, group));
  }
  return copy;
}

void Regions::place_values() {
  std::vector<Instruction*> values;
  for (Leaf& leaf : leaves_) {
    for (BasicBlock* block : leaf.blocks) {
      for (Instruction& inst : *block) {
        if (!inst.getType()->isVoidTy() && !llvm::isa<llvm::AllocaInst>(inst)) values.push_back(&inst);
      }
    }
  }
  for (Instruction* value : values) place_value(*value);
  for (auto [value, slot] : phi_slots_) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
}

void Regions::place_value(Instruction& value) {
  Leaf* home = leaf_of(value.getParent());
  auto wide = wide_.find(&value);
  if (wide != wide_.end() && wide->second == nullptr) return;
  auto place_of = [](llvm::Use& use) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    return phi ? phi->getIncomingBlock(use)->getTerminator() : user;
  };
  llvm::SmallVector<llvm::Use*, 8> far;
  for (llvm::Use& use : value.uses()) {
    BasicBlock* block = place_of(use)->getParent();
    if (leaf_of(block) == home && !is_sync_block(block)) continue;
    if (wide != wide_.end() && group_of(block) == wide->second) continue;
    far.push_back(&use);
  }
  if (far.empty()) return;

  llvm::AllocaInst* slot = nullptr;
  auto slot_of_value = [&] {
    if (slot) return slot;
    // A phi's slot holds the phi's value until the way back to it is taken.
    if ((slot = phi_slots_.lookup(&value))) return slot;
    slot = new_slot(value.getType(), value.getName() + ".slot");
    auto at = llvm::isa<llvm::PHINode>(value) ? value.getParent()->getFirstInsertionPt() : std::next(value.getIterator());
    store_slot(&value, slot, at);
    return slot;
  };
  for (llvm::Use* use : far) {
    Instruction* at = place_of(*use);
    BasicBlock* block = at->getParent();
    Group* group = group_of(block);
    if (is_sync_block(block)) {
      // One place serves a warp only when the warp itself writes it: from outside of its group the last warp's value
      // would stand. So its threads hand it over in front of the branch.
      Instruction* mine = &value;
      if (is_warp_sync_block(block) && home->group != group) {
        Instruction* end = leaf_before(block)->entry->getTerminator();
        Value* again = is_cheap(&value, group, max_cheap_depth)
                           ? recompute(&value, end, group)
                           : load_slot(value.getType(), slot_of_value(), end->getIterator(), value.getName() + ".again");
        mine = llvm::cast<Instruction>(again);
      }
      use->set(read_cell(*mine, block));
    } else if (is_cheap(&value, group, max_cheap_depth)) {
      use->set(recompute(&value, at, group));
    } else {
      Leaf* leaf = leaf_of(block);
      Value*& reload = reloads_[{&value, leaf->entry}];
      if (!reload) {
        reload = load_slot(value.getType(), slot_of_value(), leaf->entry->getFirstInsertionPt(), value.getName() + ".again");
      }
      use->set(reload);
    }
  }
}

// A value that decides where the block (or warp) goes, but cannot be computed for it: every thread leaves it in one
// place, where the sync block reads it. For an `any`, the threads' values are put together there.
Value* Regions::read_cell(Instruction& value, BasicBlock* sync) {
  llvm::IRBuilder<> builder(context_);
  llvm::Type* type = value.getType()->isIntegerTy(1) ? builder.getInt8Ty() : value.getType();
  auto* cell = new llvm::AllocaInst(type, 0, value.getName() + ".cell", body_->getEntryBlock().begin());
  cells_.insert(cell);
  if (is(&value, Op::any)) {
    Value* mine = llvm::cast<llvm::CallInst>(value).getArgOperand(0);
    builder.SetInsertPoint(value.getNextNode());
    Value* so_far = builder.CreateLoad(type, cell);
    builder.CreateStore(builder.CreateOr(so_far, builder.CreateZExt(mine, type)), cell);
    reset_cells_.push_back({leaf_of(value.getParent()), cell, llvm::Constant::getNullValue(type), is_warp_sync_block(sync)});
  } else {
    auto at = llvm::isa<llvm::PHINode>(value) ? value.getParent()->getFirstInsertionPt() : std::next(value.getIterator());
    store_slot(&value, cell, at);
    if (is_warp_sync_block(sync))
      reset_cells_.push_back({leaf_of(value.getParent()), cell, shortest_way(&value, sync, type), true});
  }
  return load_slot(value.getType(), cell, sync->getTerminator()->getIterator(), value.getName() + ".read");
}

// What `value` is to be for a warp none of whose threads is there: they have left, or stay aside. It takes the branch at `sync`
// that is nearer to the end of its group, and so comes out of every loop.
llvm::Constant* Regions::shortest_way(const Value* value, BasicBlock* sync, llvm::Type* type) {
  Group* group = group_of(sync);
  llvm::DenseMap<const BasicBlock*, unsigned> distance{{group->target, 0}};
  std::deque<BasicBlock*> open{group->target};
  for (; !open.empty(); open.pop_front()) {
    for (BasicBlock* from : llvm::predecessors(open.front())) {
      if (group_of(from) == group && distance.try_emplace(from, distance.lookup(open.front()) + 1).second) open.push_back(from);
    }
  }
  auto is_nearer = [&](const BasicBlock* a, const BasicBlock* b) {
    return distance.count(a) && (!distance.count(b) || distance.lookup(a) < distance.lookup(b));
  };
  Instruction* end = sync->getTerminator();
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
      branch && branch->isConditional() && branch->getCondition() == value) {
    return llvm::ConstantInt::get(type, is_nearer(branch->getSuccessor(0), branch->getSuccessor(1)));
  }
  auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end);
  if (!choice || choice->getCondition() != value) return llvm::Constant::getNullValue(type);  // a barrier's mask
  const BasicBlock* nearest = choice->getDefaultDest();
  llvm::Constant* result = nullptr;
  for (auto& way : choice->cases()) {
    if (!is_nearer(way.getCaseSuccessor(), nearest)) continue;
    nearest = way.getCaseSuccessor();
    result = way.getCaseValue();
  }
  uint64_t other = 0;  // none of the cases
  while (!result) {
    auto* number = llvm::ConstantInt::get(llvm::cast<llvm::IntegerType>(type), other++);
    if (choice->findCaseValue(number) == choice->case_default()) result = number;
  }
  return result;
}

// Local arrays and variables with an address: their life may go on behind a barrier, so each thread has its own.
void Regions::choose_private_slots() {
  if (!has_block_syncs_ && !has_warp_syncs_) return;
  llvm::SmallPtrSet<const Value*, 16> known(slots_.begin(), slots_.end());
  for (Instruction& inst : body_->getEntryBlock()) {
    auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&inst);
    if (alloca && !known.count(alloca) && !cells_.count(alloca)) slots_.push_back(alloca);
  }
}

// Slot s of thread t lies at slots + offset(s) * threads + t * size(s).
void Regions::place_slots() {
  if (slots_.empty()) return;
  const llvm::DataLayout& layout = kernel_.module.getDataLayout();
  llvm::IRBuilder<> builder(body_->getEntryBlock().getTerminator());
  Value* threads = builder.CreateMul(builder.CreateMul(arguments_.ntid[0], arguments_.ntid[1], "", true, true),
                                     arguments_.ntid[2], "", true, true);
  threads = builder.CreateAnd(builder.CreateAdd(threads, builder.getInt32(thread_rounding - 1), "", true, true),
                              builder.getInt32(~(thread_rounding - 1)), "threads");
  threads = builder.CreateZExt(threads, builder.getInt64Ty());
  uint64_t offset = 0;
  for (llvm::AllocaInst* slot : slots_) {
    builder.SetInsertPoint(body_->getEntryBlock().getTerminator());
    Value* base = builder.CreateInBoundsGEP(builder.getInt8Ty(), arguments_.slots,
                                            builder.CreateMul(threads, builder.getInt64(offset), "", true, true),
                                            slot->getName() + ".base");
    std::map<Leaf*, Value*> place;
    for (llvm::Use& use : llvm::make_early_inc_range(slot->uses())) {
      auto* user = llvm::cast<Instruction>(use.getUser());
      if (user->isLifetimeStartOrEnd()) {
        user->eraseFromParent();
        continue;
      }
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      BasicBlock* block = phi ? phi->getIncomingBlock(use) : user->getParent();
      Leaf* leaf = leaf_of(block);
      if (!leaf) throw Refused{"a local variable's address is used between regions"};
      Value*& address = place[leaf];
      if (!address) {
        builder.SetInsertPoint(leaf->entry, leaf->entry->getFirstInsertionPt());
        address = builder.CreateInBoundsGEP(slot->getAllocatedType(), base, leaf->linear, slot->getName());
      }
      use.set(address);
    }
    uint64_t size = layout.getTypeAllocSize(slot->getAllocatedType());
    if (auto* count = llvm::dyn_cast<llvm::ConstantInt>(slot->getArraySize())) size *= count->getZExtValue();
    offset += size;
    slot->eraseFromParent();
  }
  if (offset > UINT32_MAX) throw Refused{"over 4 GB of local variables"};
  slot_bytes_ = static_cast<uint32_t>(offset);
}

}  // namespace quern::lowering
