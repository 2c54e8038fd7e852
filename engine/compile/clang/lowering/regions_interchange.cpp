// Thread loops want to be innermost. A loop in the thread's code that all threads of a block run alike is turned inside
// out by a soft barrier at its head: for each round, for each thread. A loop over i = base + threadIdx.x, i += step
// first becomes one:
//
//   for (u = base; u < n; u += step) if (u + threadIdx.x < n) ...
//
// One that the threads of each warp run alike is turned so for warps, where the kernel has loops over warps anyway.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "compile/clang/lowering/regions.h"

namespace quern::lowering {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
namespace match = llvm::PatternMatch;

namespace {

constexpr int max_index_depth = 12;
constexpr unsigned max_carried = 8;       // values in slots that a round loads and stores
constexpr uint64_t most_interleaved = 4;  // members of a structure, each of which is a part of every access

class Strides {
 public:
  Strides(const Uniformity& uniform, const llvm::Loop& loop, const llvm::DataLayout& layout)
      : uniform_(uniform), loop_(loop), layout_(layout) {}

  // By how much a value grows from one thread to its neighbour in x (a pointer: in bytes); none if that is not known.
  std::optional<int64_t> of(const Value* value, int depth = max_index_depth) const {
    if (uniform_.of(value) == Level::block) return 0;
    auto* inst = llvm::dyn_cast<Instruction>(value);
    if (!inst || depth == 0) return std::nullopt;
    if (Special special = recognise(inst); special.op == Op::tid) return special.dim == 0 ? 1 : 0;
    const Value *a, *b;
    const llvm::APInt* constant;
    if (match::match(inst, match::m_Add(match::m_Value(a), match::m_Value(b))) ||
        match::match(inst, match::m_DisjointOr(match::m_Value(a), match::m_Value(b)))) {
      return plus(of(a, depth - 1), of(b, depth - 1), 1);
    }
    if (match::match(inst, match::m_Sub(match::m_Value(a), match::m_Value(b)))) {
      return plus(of(a, depth - 1), of(b, depth - 1), -1);
    }
    if (match::match(inst, match::m_Shl(match::m_Value(a), match::m_APInt(constant))) && constant->ult(32)) {
      return plus(0, of(a, depth - 1), int64_t(1) << constant->getZExtValue());
    }
    if (match::match(inst, match::m_Mul(match::m_Value(a), match::m_APInt(constant)))) {
      return plus(0, of(a, depth - 1), constant->getSExtValue());
    }
    if (match::match(inst, match::m_ZExtOrSExt(match::m_Value(a)))) return of(a, depth - 1);
    if (match::match(inst, match::m_Mul(match::m_Value(a), match::m_Value(b)))) {
      auto left = of(a, depth - 1), right = of(b, depth - 1);
      return left == 0 && right == 0 ? left : std::nullopt;
    }
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(inst)) return of_address(*gep, depth);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(inst)) return of_phi(*phi, depth);
    return std::nullopt;
  }

 private:
  static std::optional<int64_t> plus(std::optional<int64_t> a, std::optional<int64_t> b, int64_t factor) {
    if (!a || !b) return std::nullopt;
    return *a + factor * *b;
  }

  std::optional<int64_t> of_address(const llvm::GetElementPtrInst& gep, int depth) const {
    llvm::MapVector<Value*, llvm::APInt> offsets;
    llvm::APInt constant(64, 0);
    if (!gep.collectOffset(layout_, 64, offsets, constant)) return std::nullopt;
    auto stride = of(gep.getPointerOperand(), depth - 1);
    for (auto& [index, scale] : offsets) stride = plus(stride, of(index, depth - 1), scale.getSExtValue());
    return stride;
  }

  // One that goes on by the same step for all threads.
  std::optional<int64_t> of_phi(const llvm::PHINode& phi, int depth) const {
    if (phi.getParent() != loop_.getHeader() || phi.getNumIncomingValues() != 2) return std::nullopt;
    int back = phi.getBasicBlockIndex(loop_.getLoopLatch());
    auto* next = back < 0 ? nullptr : llvm::dyn_cast<Instruction>(phi.getIncomingValue(back));
    if (!next || !llvm::isa<llvm::BinaryOperator, llvm::GetElementPtrInst>(next)) return std::nullopt;
    for (const Value* operand : next->operands()) {
      if (operand != &phi && uniform_.of(operand) != Level::block) return std::nullopt;
    }
    if (llvm::isa<llvm::BinaryOperator>(next) && next->getOpcode() != Instruction::Add) return std::nullopt;
    return of(phi.getIncomingValue(1 - back), depth - 1);
  }

  const Uniformity& uniform_;
  const llvm::Loop& loop_;
  const llvm::DataLayout& layout_;
};

struct Accesses {
  int neighbours = 0, same = 0, scattered = 0;
  bool other_effects = false;
};

Accesses look_at_accesses(const llvm::Loop& loop, const Strides& strides, const llvm::DataLayout& layout) {
  Accesses found;
  for (const BasicBlock* block : loop.blocks()) {
    for (const Instruction& inst : *block) {
      const Value* pointer = llvm::getLoadStorePointerOperand(&inst);
      if (!pointer) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
        bool harmless = call && (call->doesNotAccessMemory() || llvm::isa<llvm::DbgInfoIntrinsic>(call));
        if (inst.mayReadOrWriteMemory() && !harmless) found.other_effects = true;
        continue;
      }
      if (inst.isVolatile() || inst.isAtomic()) found.other_effects = true;
      auto stride = strides.of(pointer);
      uint64_t size = layout.getTypeStoreSize(llvm::getLoadStoreType(const_cast<Instruction*>(&inst)));
      if (!stride) {
        ++found.scattered;
      } else if (*stride == 0) {
        ++found.same;
      } else if (uint64_t(std::abs(*stride)) <= most_interleaved * size) {
        ++found.neighbours;
      } else {
        ++found.scattered;
      }
    }
  }
  return found;
}

bool depends_on_loads(const Value* value) {
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

// for (i = base + x; i < n; i += step): the head tests, and does nothing else.
struct CountedLoop {
  explicit CountedLoop(llvm::Loop& loop) : loop(loop) {}
  llvm::Loop& loop;
  BasicBlock *head = loop.getHeader(), *latch = loop.getLoopLatch(), *front = loop.getLoopPreheader();
  llvm::BranchInst* branch = nullptr;
  llvm::ICmpInst* compare = nullptr;
  llvm::CastInst* widened = nullptr;  // the counter, before it is compared
  llvm::PHINode* index = nullptr;
  Value *limit = nullptr, *step = nullptr, *base = nullptr, *x = nullptr;
};

bool is_used_within(const Instruction& inst, const llvm::Loop& loop) {
  return llvm::all_of(inst.users(), [&](const llvm::User* user) { return loop.contains(llvm::cast<Instruction>(user)); });
}

bool find_test(CountedLoop& found) {
  llvm::Loop& loop = found.loop;
  BasicBlock* head = found.head;
  found.branch = llvm::dyn_cast<llvm::BranchInst>(head->getTerminator());
  if (!found.branch || !found.branch->isConditional() || loop.getExitingBlock() != head ||
      !loop.contains(found.branch->getSuccessor(0)))
    return false;
  found.compare = llvm::dyn_cast<llvm::ICmpInst>(found.branch->getCondition());
  if (!found.compare || found.compare->getParent() != head || !found.compare->hasOneUse()) return false;
  auto predicate = found.compare->getPredicate();
  if (predicate != llvm::ICmpInst::ICMP_SLT && predicate != llvm::ICmpInst::ICMP_ULT) return false;
  found.limit = found.compare->getOperand(1);
  Value* counter = found.compare->getOperand(0);
  if (!llvm::isa<llvm::PHINode>(counter)) {
    found.widened = llvm::dyn_cast<llvm::CastInst>(counter);
    if (!found.widened || !llvm::isa<llvm::ZExtInst, llvm::SExtInst>(found.widened) || found.widened->getParent() != head)
      return false;
    counter = found.widened->getOperand(0);
  }
  found.index = llvm::dyn_cast<llvm::PHINode>(counter);
  if (!found.index || found.index->getParent() != head || found.index->getNumIncomingValues() != 2) return false;
  for (Instruction& inst : *head) {
    if (!llvm::isa<llvm::PHINode>(inst) && &inst != found.compare && &inst != found.branch && &inst != found.widened)
      return false;
  }
  return is_used_within(*found.index, loop) && (!found.widened || is_used_within(*found.widened, loop));
}

// The first index is `base` + `x`.
bool find_begin(CountedLoop& found, const Uniformity& uniform) {
  auto is_x = [](Value* value) {
    Value* narrow;
    if (match::match(value, match::m_ZExt(match::m_Value(narrow)))) value = narrow;
    Special special = recognise(value);
    return special.op == Op::tid && special.dim == 0;
  };
  Value *&base = found.base, *&x = found.x, *begin = found.index->getIncomingValueForBlock(found.front);
  auto parts_fit = [&] {
    if (is_x(base)) std::swap(base, x);
    return is_x(x) && uniform.of(base) == Level::block;
  };
  if (is_x(begin)) {
    base = llvm::ConstantInt::get(begin->getType(), 0);
    x = begin;
    return true;
  }
  if (auto* wide = llvm::dyn_cast<llvm::ZExtInst>(begin);
      wide && match::match(wide->getOperand(0), match::m_NUWAdd(match::m_Value(base), match::m_Value(x)))) {
    // A sum that was widened: widen its parts instead.
    if (!parts_fit()) return false;
    llvm::IRBuilder<> parts(found.front->getTerminator());
    base = parts.CreateZExt(base, begin->getType());
    x = parts.CreateZExt(x, begin->getType());
    return true;
  }
  return match::match(begin, match::m_Add(match::m_Value(base), match::m_Value(x))) && parts_fit();
}

bool find_step(CountedLoop& found, const Uniformity& uniform) {
  auto* next = llvm::dyn_cast<Instruction>(found.index->getIncomingValueForBlock(found.latch));
  if (!next || !match::match(next, match::m_c_Add(match::m_Specific(found.index), match::m_Value(found.step)))) return false;
  if (uniform.of(found.step) != Level::block || llvm::isa<llvm::Constant>(found.step)) return false;
  auto* made = llvm::dyn_cast<Instruction>(found.step);
  bool changed = false;
  return !made || !found.loop.contains(made) || found.loop.makeLoopInvariant(found.step, changed);
}

// head: u < n; gate: i = u + x, i < n; the old body, or round.end, where u goes on.
void go_by_rounds(CountedLoop& found) {
  auto [head, latch, branch, compare, widened, index] =
      std::tuple(found.head, found.latch, found.branch, found.compare, found.widened, found.index);
  llvm::Function* function = head->getParent();
  BasicBlock* body = branch->getSuccessor(0);
  auto* round = llvm::PHINode::Create(index->getType(), 2, "round", head->begin());
  round->addIncoming(found.base, found.front);
  BasicBlock* gate = BasicBlock::Create(head->getContext(), "gate", function, body);
  BasicBlock* end = BasicBlock::Create(head->getContext(), "round.end", function);
  llvm::IRBuilder<> builder(gate);
  Value* i = builder.CreateAdd(round, found.x, "i");
  Value* compared = widened ? builder.CreateCast(widened->getOpcode(), i, widened->getType()) : i;
  builder.CreateCondBr(builder.CreateICmp(compare->getPredicate(), compared, found.limit), body, end);
  body->replacePhiUsesWith(head, gate);
  builder.SetInsertPoint(end);
  for (llvm::PHINode& phi : head->phis()) {
    if (&phi == round || &phi == index) continue;
    llvm::PHINode* kept = builder.CreatePHI(phi.getType(), 2, phi.getName());
    kept->addIncoming(phi.getIncomingValueForBlock(latch), latch);
    kept->addIncoming(&phi, gate);
    phi.setIncomingValueForBlock(latch, kept);
    phi.replaceIncomingBlockWith(latch, end);
  }
  round->addIncoming(builder.CreateAdd(round, found.step, "round.next"), end);
  builder.CreateBr(head);
  latch->getTerminator()->replaceSuccessorWith(head, end);
  latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
  branch->setSuccessor(0, gate);
  if (widened) {
    builder.SetInsertPoint(compare);
    compare->setOperand(0, builder.CreateCast(widened->getOpcode(), round, widened->getType()));
    widened->replaceAllUsesWith(compared);
    widened->eraseFromParent();
  } else {
    compare->setOperand(0, round);
  }
  index->replaceAllUsesWith(i);
  index->eraseFromParent();
}

}  // namespace

bool Regions::all_go_alike(const llvm::Loop& loop, Level level) const {
  llvm::SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  if (exiting.empty()) return false;
  unsigned carried = 0;
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) carried += uniform_->of(&phi) > level;
  return carried <= max_carried && llvm::all_of(exiting, [&](const BasicBlock* block) {
           const Value* condition = branch_condition(*block);
           return uniform_->of(condition) <= level && !depends_on_loads(condition);
         });
}

bool Regions::make_loop_alike(llvm::Loop& loop) {
  CountedLoop found(loop);
  if (!find_test(found) || uniform_->of(found.limit) != Level::block || !loop.isLoopInvariant(found.limit)) return false;
  if (!find_step(found, *uniform_) || !find_begin(found, *uniform_)) return false;
  go_by_rounds(found);
  return true;
}

void Regions::interchange_loops() {
  llvm::DominatorTree dominators(*body_);
  llvm::LoopInfo loops(dominators);
  if (loops.empty()) return;
  bool full_warps = llvm::any_of(llvm::instructions(*body_), [](const Instruction& inst) { return is(&inst, Op::warp_barrier); });
  uniform_ = std::make_unique<Uniformity>(*body_, full_warps);
  const llvm::DataLayout& layout = kernel_.module.getDataLayout();
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopLatch() || !loop->getLoopPreheader()) continue;
    if (llvm::any_of(loop->blocks(), [](const BasicBlock* block) { return contains_sync(*block); })) continue;
    Strides strides(*uniform_, *loop, layout);
    Accesses accesses = look_at_accesses(*loop, strides, layout);
    if (accesses.other_effects) continue;
    BasicBlock* head = loop->getHeader();
    bool alike = all_go_alike(*loop, Level::block);
    bool alike_in_warps = !alike && full_warps && all_go_alike(*loop, Level::warp);
    bool worth_it = alike || alike_in_warps ? accesses.scattered == 0 : accesses.neighbours > 0;
    if (!worth_it || (!alike && !alike_in_warps && !make_loop_alike(*loop))) continue;
    Op barrier = alike_in_warps ? Op::lockstep : Op::soft_barrier;
    llvm::IRBuilder<>(&*head->getFirstInsertionPt()).CreateCall(declare(kernel_.module, barrier));
    interchanged_ = true;
  }
}

}  // namespace quern::lowering
