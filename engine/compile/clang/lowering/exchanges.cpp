#include "compile/clang/lowering/exchanges.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include "compile/clang/analyses/intrinsics.h"

namespace quern::lowering {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool in_warp_buffer(const Value* pointer) { return is(llvm::getUnderlyingObject(pointer), Op::warp_buffer); }

// All in one block: writes, `first`, reads, `second`.
struct Exchange {
  Instruction *first = nullptr, *second = nullptr;
  llvm::SmallVector<Instruction*, 4> accesses;
};

bool is_simple_access(const Instruction& inst) {
  return in_warp_buffer(llvm::getLoadStorePointerOperand(&inst)) && !inst.isVolatile() && !inst.isAtomic();
}

bool touches_warp_buffer(const Instruction& inst) {
  if (!inst.mayReadOrWriteMemory()) return false;
  return llvm::any_of(inst.operands(), [](const llvm::Use& use) { return use->getType()->isPointerTy() && in_warp_buffer(use); });
}

// A vote that is taken back: it belongs to the exchange before it.
bool is_clearing(const Instruction& inst) {
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst);
  auto* value = store ? llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand()) : nullptr;
  return value && value->isZero() && value->getType()->isIntegerTy(8);
}

// The exchanges of a block, in order; false if something in it uses the buffer in another way.
bool find_exchanges(BasicBlock& block, std::vector<Exchange>& found) {
  Exchange current;
  for (Instruction& inst : block) {
    if (is(&inst, Op::warp_barrier)) {
      if (current.first) {
        current.second = &inst;
        found.push_back(current);
        current = {};
      } else if (!current.accesses.empty()) {
        current.first = &inst;
      }
    } else if (touches_warp_buffer(inst)) {
      if (!current.first && current.accesses.empty() && is_clearing(inst)) {
        if (found.empty() || found.back().second->getParent() != &block) return false;
        found.back().accesses.push_back(&inst);
        continue;
      }
      bool expected = current.first ? llvm::isa<llvm::LoadInst>(inst) : llvm::isa<llvm::StoreInst>(inst);
      if (!expected || !is_simple_access(inst)) return false;
      current.accesses.push_back(&inst);
    } else if (current.first && inst.mayReadOrWriteMemory()) {
      return false;  // the second barrier may matter to this, too
    } else if (is_sync(&inst) && !current.accesses.empty()) {
      return false;
    }
  }
  return current.accesses.empty();
}

// Whether some way from behind `from` comes to an access to this buffer before the next barrier.
bool meets_buffer(Instruction* from, unsigned buffer, const llvm::DenseMap<Instruction*, unsigned>& buffers) {
  llvm::SmallPtrSet<BasicBlock*, 16> seen;
  llvm::SmallVector<Instruction*, 8> open{from->getNextNode()};
  while (!open.empty()) {
    Instruction* at = open.pop_back_val();
    BasicBlock* block = at->getParent();
    for (; at && !is_sync(at); at = at->getNextNode()) {
      auto known = buffers.find(at);
      if (known != buffers.end() && known->second == buffer) return true;
    }
    if (at) continue;
    for (BasicBlock* next : llvm::successors(block)) {
      if (seen.insert(next).second) open.push_back(&next->front());
    }
  }
  return false;
}

void move_to_second_buffer(Instruction* access) {
  unsigned operand = llvm::isa<llvm::StoreInst>(access) ? llvm::StoreInst::getPointerOperandIndex() : 0;
  llvm::IRBuilder<> builder(access);
  Value* moved = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), access->getOperand(operand), exchange_bytes);
  access->setOperand(operand, moved);
}

}  // namespace

void merge_warp_exchanges(llvm::Function& body) {
  std::vector<Exchange> exchanges;
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&body);
  for (BasicBlock* block : order) {
    if (!find_exchanges(*block, exchanges)) return;
  }
  llvm::DenseMap<Instruction*, unsigned> buffers;
  for (size_t i = 0; i < exchanges.size(); ++i) {
    for (Instruction* access : exchanges[i].accesses) buffers[access] = i % 2;
  }
  llvm::SmallVector<Instruction*, 8> needless;
  for (size_t i = 0; i < exchanges.size(); ++i) {
    if (!meets_buffer(exchanges[i].second, i % 2, buffers)) needless.push_back(exchanges[i].second);
  }
  for (auto [access, buffer] : buffers) {
    if (buffer == 1) move_to_second_buffer(access);
  }
  for (Instruction* barrier : needless) barrier->eraseFromParent();
}

}  // namespace quern::lowering
