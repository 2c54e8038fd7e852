// Regions: the code between barriers, each wrapped in loops over the threads of a block.
//
// Start reading at Regions::lower() in regions.cpp. Vocabulary:
//
//   sync block   holds nothing but a barrier, or nothing but a branch that a whole block (or warp) takes together;
//                it runs once for the block (or warp)
//   leaf         a region that runs for every thread: one entry, one tail, inside loops over the threads
//   group        a region at block level that has warp barriers inside: a loop over warps, with leaves and sync blocks
//   of its
//                own, each leaf in a loop over the 32 lanes
//   wide value   an SSA value that lives outside of the thread loops: computed once for the block (or for the warp)
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <deque>
#include <map>
#include <optional>

#include "compile/clang/analyses/divergence.h"
#include "compile/clang/analyses/flow.h"
#include "compile/clang/analyses/intrinsics.h"
#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// Where the body finds what is the same for a whole block: the arguments of its function.
struct BodyArguments {
  llvm::Value *args, *launch, *shared, *slots, *warp_buffer, *block_buffer;
  llvm::Value *ctaid[3], *nctaid[3], *ntid[3];
};

struct RegionResult {
  llvm::Function* body = nullptr;  // runs one block; null when regions cannot run this kernel
  uint32_t slot_bytes = 0;
  bool needs_full_warps = false;  // blockDim.x must be a multiple of 32
  std::string reason;             // why there is no body
};

struct Group;

struct Leaf {
  llvm::BasicBlock* entry = nullptr;
  llvm::BasicBlock* tail = nullptr;    // its only way out
  llvm::BasicBlock* target = nullptr;  // where the tail goes
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
  Group* group = nullptr;  // null at block level
  // Once wrapped:
  llvm::BasicBlock *before = nullptr, *after = nullptr;  // run once
  llvm::BasicBlock* row = nullptr;                       // runs once for each row of threads (in a group: for the warp)
  llvm::Value* lane = nullptr;                           // in a group
  llvm::Value* index[3] = {};                            // the thread's
  llvm::Value* linear = nullptr;                         // its number in the block, 64 bits
  llvm::BasicBlock *chooser = nullptr, *head = nullptr, *latch = nullptr;    // of the innermost loop
  llvm::Value *low = nullptr, *high = nullptr;                               // the threads of the innermost loop, and of them
  llvm::Value *inner_low = nullptr, *inner_high = nullptr;                   // those whose inner compares are known
  llvm::SmallVector<std::pair<llvm::Instruction*, bool>, 4> inner_compares;  // and what they say
  int64_t lane_split = 0;  // where the loop over lanes is cut in two; 0 for nowhere
  llvm::SmallVector<std::pair<llvm::Instruction*, bool>, 4> lane_compares;  // true: they hold below
};

struct Group {
  llvm::BasicBlock *entry = nullptr, *target = nullptr;
  llvm::SmallVector<llvm::BasicBlock*, 16> blocks;
  llvm::BasicBlock *before = nullptr, *after = nullptr;
  llvm::BasicBlock *head = nullptr, *latch = nullptr;  // of the loop over warps
  llvm::Value* index[3] = {};                          // of lane 0
  llvm::Value* linear = nullptr;
};

// Where the threads of a leaf leave what a warp, or else the block, decides by. It begins with what holds when no thread does.
struct Cell {
  Leaf* leaf;
  llvm::AllocaInst* alloca;
  llvm::Constant* begin;
  bool of_warp;
};

// A condition that must hold, or not hold.
struct Conjunct {
  llvm::Value* value;
  bool negated;
};

// Raised inside the region passes only, and caught in lower(): this kernel needs coroutines.
struct Refused {
  std::string reason;
};

class Regions {
 public:
  Regions(LoweringState& kernel, llvm::Function* body, const BodyArguments& arguments, bool interchange);
  void lower(RegionResult& result);
  bool interchanged() const { return interchanged_; }

 private:
  // regions.cpp
  void normalise();
  void begin_warps_late();
  void isolate_syncs();
  void drop_volatile();
  void name_lanes();
  Level level_of(const llvm::Value* value) const { return is(value, Op::any) ? Level::block : uniform_->of(value); }
  Leaf* leaf_of(const llvm::BasicBlock* block) const { return leaf_.lookup(block); }
  Group* group_of(const llvm::BasicBlock* block) const { return group_.lookup(block); }
  bool is_block_sync_block(const llvm::BasicBlock* block) const {
    return block_sync_.count(const_cast<llvm::BasicBlock*>(block));
  }
  bool is_warp_sync_block(const llvm::BasicBlock* block) const { return warp_sync_.count(const_cast<llvm::BasicBlock*>(block)); }
  bool is_sync_block(const llvm::BasicBlock* block) const { return is_block_sync_block(block) || is_warp_sync_block(block); }

  // regions_interchange.cpp: loops of the thread's own, turned inside out
  void interchange_loops();
  bool all_go_alike(const llvm::Loop& loop, Level level) const;
  bool make_loop_alike(llvm::Loop& loop);

  // regions_plan.cpp: which blocks go together
  void predicate_exits();
  void drop_unreachable_blocks();
  void turn_exit_into_leave(llvm::BasicBlock* block, unsigned dead_side, bool check_anybody_left);
  bool decides_by_memory(const Blocks& blocks) const;
  void choose_block_branches();
  void choose_warp_branches();
  bool predicate_branch(llvm::BasicBlock* block, const Blocks& goals, const PostDominance& meeting);
  void partition();
  void partition_group(Group& group);
  std::map<llvm::BasicBlock*, std::vector<llvm::BasicBlock*>> grow(const Blocks& universe, const Blocks& syncs, Blocks entries);
  void finish_leaf(Leaf& leaf);
  llvm::BasicBlock* single_way_out(llvm::ArrayRef<llvm::BasicBlock*> blocks, llvm::BasicBlock* entry, llvm::BasicBlock*& target);
  void add_guards();
  void guard(Leaf& leaf, llvm::Value* condition);

  // regions_values.cpp: where values live
  void choose_wide_values();
  void copy_for_lane_0();
  bool is_wide_phi(const llvm::PHINode& phi) const;
  bool is_wide(const llvm::Value* value, const Group* group) const;
  void split_edges_into_phis();
  void demote_phis();
  void place_values();
  void place_value(llvm::Instruction& value);
  bool is_cheap(const llvm::Value* value, const Group* group, int depth) const;
  llvm::Value* recompute(llvm::Value* value, llvm::Instruction* at, const Group* group);
  llvm::Value* read_cell(llvm::Instruction& value, llvm::BasicBlock* sync);
  llvm::Constant* shortest_way(const llvm::Value* value, llvm::BasicBlock* sync, llvm::Type* type);
  Leaf* leaf_before(llvm::BasicBlock* sync);
  llvm::AllocaInst* new_slot(llvm::Type* type, const llvm::Twine& name);
  void store_slot(llvm::Value* value, llvm::AllocaInst* slot, llvm::BasicBlock::iterator at);
  llvm::Value* load_slot(llvm::Type* type, llvm::AllocaInst* slot, llvm::BasicBlock::iterator at, const llvm::Twine& name);
  void choose_private_slots();
  void place_slots();

  // regions_loops.cpp: loops over threads
  struct Loop {
    llvm::BasicBlock *head, *latch;
    llvm::PHINode* index;
  };
  void wrap_groups();
  void wrap_leaves();
  void wrap_group(Group& group);
  void wrap_leaf(Leaf& leaf);
  bool is_empty(const Leaf& leaf) const;
  Loop make_loop(llvm::BasicBlock* from, llvm::BasicBlock* to, llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                 const char* name, llvm::BasicBlock* latch = nullptr);
  void enter_through(llvm::BasicBlock* entry, llvm::BasicBlock* before);
  void leave_through(llvm::BasicBlock* tail, llvm::BasicBlock* latch, llvm::BasicBlock* after);
  void expand_guards(Leaf& leaf, llvm::BasicBlock* skip);
  void place_wide_values();
  void bind_indices(llvm::BasicBlock& block, llvm::Value* const index[3], llvm::Value* lane);
  void bind_all_indices();
  void mark_parallel(Leaf& leaf, llvm::Instruction* back_edge);

  // regions_bounds.cpp: which part of a row of threads has anything to do; index sums that do not wrap
  struct Terms {
    llvm::SmallVector<std::pair<llvm::Value*, bool>, 4> row;  // of the row; true: subtracted
    int count_of_x = 0;
    llvm::Type* type = nullptr;
    bool from_first = false;  // in a group: threadIdx.x of lane 0 is one of them
  };
  enum class Widened : uint8_t { no, as_signed, as_unsigned };
  struct Bound {  // terms + x compared with limit
    llvm::CmpInst::Predicate predicate;
    Widened widened;  // the sum, before it is compared
    Terms terms;
    llvm::Value* limit;
  };
  struct Sum {  // an index in 32 bits: terms + x
    llvm::Instruction* value;
    Terms terms;
    bool is_signed, is_unsigned;  // how it is widened
  };
  struct ThreadRow {
    llvm::SmallVector<Bound, 2> bounds;
    llvm::SmallVector<Conjunct, 2> conditions;  // of the row: nothing to do if one does not hold
    std::vector<Sum> sums;
    std::vector<llvm::ICmpInst*> inner_conditions;  // of the row
    std::vector<Bound> inner_bounds;
    std::vector<std::pair<llvm::ICmpInst*, bool>> inner_compares;  // one for each, and what it says where the bound holds
  };
  bool is_row_value(const llvm::Value* value, const Leaf& leaf, int depth) const;
  bool take_sum_apart(llvm::Value* value, const Leaf& leaf, Terms& terms, int depth) const;
  bool find_bound(const Conjunct& part, const Leaf& leaf, Bound& bound) const;
  void find_bounds(Leaf& leaf, llvm::BasicBlock* skip, ThreadRow& row);
  void find_sums(Leaf& leaf, ThreadRow& row);
  void find_inner_bounds(Leaf& leaf, ThreadRow& row);
  static std::optional<int64_t> distance_from_lane(const Leaf& leaf, const Terms& terms);
  void note_lane_split(Leaf& leaf, llvm::ICmpInst* compare, const Bound& bound, int64_t distance);
  llvm::SmallVector<llvm::BasicBlock*, 8> copy_loop(const Leaf& leaf, const char* suffix, llvm::ValueToValueMapTy& map);
  void split_off_edges();
  void split_lanes();
  static void copy_loop_properties(llvm::Instruction* from, llvm::Instruction* to);
  static void mark_edge_loop(llvm::Instruction* back_edge);
  llvm::Value* add_terms(const Terms& terms, const Leaf& leaf, llvm::BasicBlock* at);
  llvm::Value* compute_for_row(llvm::Value* value, const Leaf& leaf, llvm::BasicBlock* at);
  // 0 <= i && i < n as one unsigned comparison: the sum goes from below 0 to above.
  static bool passes_zero(const Bound& bound) {
    return bound.widened == Widened::no &&
           (bound.predicate == llvm::CmpInst::ICMP_ULT || bound.predicate == llvm::CmpInst::ICMP_ULE);
  }
  static std::pair<llvm::Value*, llvm::Value*> find_interval(llvm::IRBuilder<>& builder, const Bound& bound, llvm::Value* base,
                                                             llvm::Value* limit, llvm::Value* length);
  Loop make_row_loop(Leaf& leaf, const ThreadRow& row, llvm::BasicBlock* before, llvm::BasicBlock* after, llvm::Value* width,
                     llvm::BasicBlock* latch);

  LoweringState& kernel_;
  llvm::Function* body_;
  BodyArguments arguments_;
  llvm::LLVMContext& context_;
  std::unique_ptr<Uniformity> uniform_;
  bool interchange_, interchanged_ = false;  // may be, was
  bool has_warp_syncs_ = false, has_block_syncs_ = false;

  llvm::BasicBlock* end_ = nullptr;  // the return
  Blocks block_sync_, warp_sync_;
  std::deque<Leaf> leaves_;
  std::deque<Group> groups_;
  llvm::DenseMap<const llvm::BasicBlock*, Leaf*> leaf_;
  llvm::DenseMap<const llvm::BasicBlock*, Group*> group_;

  struct Leaving {
    llvm::CallInst* marker;
    bool repeats;  // it stands in a loop
  };
  std::vector<Leaving> leavings_;
  llvm::AllocaInst* alive_ = nullptr;
  struct Predicated {  // between the two sides of any's branch, code runs only for the lanes for which the condition
                       // holds
    llvm::Value* condition;
    llvm::CallInst* any;
  };
  std::vector<Predicated> predicated_;

  llvm::DenseMap<const llvm::Value*, Group*> wide_;  // null: wide for the block
  std::vector<llvm::Instruction*> wide_order_;
  llvm::SmallVector<llvm::AllocaInst*, 8> slots_;    // one element for each thread
  llvm::SmallPtrSet<const llvm::Value*, 16> cells_;  // one for all
  std::vector<Cell> reset_cells_;
  std::map<std::pair<llvm::Value*, llvm::BasicBlock*>, llvm::Value*> reloads_;
  llvm::DenseMap<llvm::Value*, llvm::AllocaInst*> phi_slots_;  // what is read where a phi was -> the phi's slot
  uint32_t slot_bytes_ = 0;
};

}  // namespace quern::lowering
