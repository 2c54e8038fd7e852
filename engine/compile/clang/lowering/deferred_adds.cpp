// CUDA orders relaxed atomics of different threads in no way, so that an addition may come late; but a thread sees its own.
// Hence, for kernels without barriers and fences: what a thread may load or store after such an addition looks whether it waits
// in the table.
#include "compile/clang/lowering/deferred_adds.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compile/clang/analyses/intrinsics.h"

namespace quern::lowering {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr uint64_t table_entries = 64;
constexpr char deferred_name[] = "quern.deferred", looks_name[] = "quern.looks";

bool is_private(const Value* pointer) {
  const Value* object = llvm::getUnderlyingObject(pointer);
  return llvm::isa<llvm::AllocaInst>(object) || is(object, Op::shared_base);
}

// An addition to global memory for its effect alone.
llvm::AtomicRMWInst* as_plain_add(Instruction& inst) {
  auto* add = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst);
  if (!add || !add->use_empty() || add->isVolatile() || add->getOrdering() != llvm::AtomicOrdering::Monotonic) return nullptr;
  llvm::Type* type = add->getValOperand()->getType();
  bool integer = add->getOperation() == llvm::AtomicRMWInst::Add && (type->isIntegerTy(32) || type->isIntegerTy(64));
  bool real = add->getOperation() == llvm::AtomicRMWInst::FAdd && (type->isFloatTy() || type->isDoubleTy());
  return (integer || real) && !is_private(add->getPointerOperand()) ? add : nullptr;
}

// The address that an access has, and how many bytes; none of what is no single access.
Value* accessed(Instruction& inst, uint64_t& bytes) {
  const llvm::DataLayout& layout = inst.getModule()->getDataLayout();
  if (Value* pointer = llvm::getLoadStorePointerOperand(&inst)) {
    bytes = layout.getTypeStoreSize(llvm::getLoadStoreType(&inst));
    return pointer;
  }
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
    bytes = layout.getTypeStoreSize(update->getType());
    return update->getPointerOperand();
  }
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) {
    bytes = layout.getTypeStoreSize(exchange->getCompareOperand()->getType());
    return exchange->getPointerOperand();
  }
  return nullptr;
}

// Calls `visit` for each instruction that the thread may run after one of these; stops at false.
template <class Visit>
bool all_after(llvm::ArrayRef<llvm::AtomicRMWInst*> from, Visit&& visit) {
  llvm::SmallPtrSet<BasicBlock*, 16> seen;
  llvm::SmallVector<BasicBlock*, 16> open;
  for (llvm::AtomicRMWInst* add : from) {
    for (Instruction* inst = add->getNextNode(); inst; inst = inst->getNextNode()) {
      if (!visit(*inst)) return false;
    }
    open.append(llvm::succ_begin(add->getParent()), llvm::succ_end(add->getParent()));
  }
  while (!open.empty()) {
    BasicBlock* block = open.pop_back_val();
    if (!seen.insert(block).second) continue;
    for (Instruction& inst : *block) {
      if (!visit(inst)) return false;
    }
    open.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
  return true;
}

// One type's table: addresses, and what is to be added there.
class Table {
 public:
  Table(llvm::Function& blocks, llvm::Type* type) : type_(type), blocks_(blocks) {
    const llvm::DataLayout& layout = blocks.getParent()->getDataLayout();
    bytes_ = layout.getTypeStoreSize(type);
    shift_ = llvm::Log2_64(bytes_);
    BasicBlock& entry = blocks.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    llvm::Type* pointer = builder.getPtrTy();
    addresses_ = builder.CreateAlloca(llvm::ArrayType::get(pointer, table_entries), nullptr, "addresses");
    values_ = builder.CreateAlloca(llvm::ArrayType::get(type, table_entries), nullptr, "values");
    make_memory_add();
    builder.CreateMemSet(addresses_, builder.getInt8(0), table_entries * layout.getPointerSize(),
                         layout.getPointerABIAlignment(0));
  }

  uint64_t bytes() const { return bytes_; }

  void replace(llvm::AtomicRMWInst* add) {
    llvm::IRBuilder<> builder(add);
    Value *pointer = add->getPointerOperand(), *value = add->getValOperand();
    auto [address, waiting] = entry_of(builder, pointer);
    Value* there = builder.CreateLoad(builder.getPtrTy(), address);
    Value* is_same = builder.CreateICmpEQ(there, pointer);
    BasicBlock *before = add->getParent(), *after = before->splitBasicBlock(add, "added");
    BasicBlock *same = new_block("same", after), *other = new_block("other", after);
    branch(before, is_same, same, other);
    builder.SetInsertPoint(same);
    builder.CreateStore(plus(builder, builder.CreateLoad(type_, waiting), value), waiting);
    builder.CreateBr(after);
    builder.SetInsertPoint(other);
    BasicBlock *full = new_block("full", after), *free = new_block("free", after);
    builder.CreateCondBr(builder.CreateIsNotNull(there), full, free);
    builder.SetInsertPoint(full);
    add_to_memory(builder, there, waiting);
    builder.CreateBr(free);
    builder.SetInsertPoint(free);
    builder.CreateStore(pointer, address);
    builder.CreateStore(value, waiting);
    builder.CreateBr(after);
    add->eraseFromParent();
  }

  // Before an access: what waits for its bytes is added now.
  void look_before(Instruction* access, Value* pointer, uint64_t bytes) {
    for (uint64_t offset = 0; offset < std::max(bytes, bytes_); offset += bytes_) {
      llvm::IRBuilder<> builder(access);
      Value* at = builder.CreateConstGEP1_64(builder.getInt8Ty(), pointer, offset);
      if (bytes < bytes_) {
        Value* mask = builder.getInt64(~(bytes_ - 1));
        at = builder.CreateIntrinsic(llvm::Intrinsic::ptrmask, {at->getType(), mask->getType()}, {at, mask});
      }
      auto [address, waiting] = entry_of(builder, at);
      Value* there = builder.CreateLoad(builder.getPtrTy(), address);
      Value* is_waiting = builder.CreateICmpEQ(there, at);
      BasicBlock *before = access->getParent(), *after = before->splitBasicBlock(access, "looked");
      BasicBlock* found = new_block("found", after);
      branch(before, is_waiting, found, after);
      builder.SetInsertPoint(found);
      add_to_memory(builder, there, waiting);
      builder.CreateStore(llvm::ConstantPointerNull::get(builder.getPtrTy()), address);
      builder.CreateBr(after);
    }
  }

  // Before the function returns.
  void empty(llvm::ReturnInst* end) {
    BasicBlock *before = end->getParent(), *after = before->splitBasicBlock(end, "emptied");
    BasicBlock *loop = new_block("entry.head", after), *full = new_block("full", after), *next = new_block("entry.latch", after);
    before->getTerminator()->setSuccessor(0, loop);
    llvm::IRBuilder<> builder(loop);
    llvm::PHINode* i = builder.CreatePHI(builder.getInt64Ty(), 2);
    i->addIncoming(builder.getInt64(0), before);
    auto [address, waiting] = entry_at(builder, i);
    Value* there = builder.CreateLoad(builder.getPtrTy(), address);
    builder.CreateCondBr(builder.CreateIsNotNull(there), full, next);
    builder.SetInsertPoint(full);
    add_to_memory(builder, there, waiting);
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
    Value* following = builder.CreateAdd(i, builder.getInt64(1), "", true, true);
    i->addIncoming(following, next);
    builder.CreateCondBr(builder.CreateICmpULT(following, builder.getInt64(table_entries)), loop, after);
  }

 private:
  std::pair<Value*, Value*> entry_at(llvm::IRBuilder<>& builder, Value* index) {
    return {builder.CreateInBoundsGEP(builder.getPtrTy(), addresses_, index), builder.CreateInBoundsGEP(type_, values_, index)};
  }
  std::pair<Value*, Value*> entry_of(llvm::IRBuilder<>& builder, Value* pointer) {
    Value* number = builder.CreateLShr(builder.CreatePtrToInt(pointer, builder.getInt64Ty()), shift_);
    return entry_at(builder, builder.CreateAnd(number, builder.getInt64(table_entries - 1)));
  }
  Value* plus(llvm::IRBuilder<>& builder, Value* a, Value* b) const {
    return type_->isIntegerTy() ? builder.CreateAdd(a, b) : builder.CreateFAdd(a, b);
  }
  void add_to_memory(llvm::IRBuilder<>& builder, Value* address, Value* waiting) const {
    builder.CreateCall(memory_add_, {address, builder.CreateLoad(type_, waiting)});
  }
  // A function of its own: it is rare, and a loop where the machine adds no such numbers.
  void make_memory_add() {
    llvm::LLVMContext& context = blocks_.getContext();
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::getUnqual(context), type_}, false);
    memory_add_ =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, blocks_.getName() + ".add", blocks_.getParent());
    memory_add_->setAttributes(llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex,
                                                        llvm::AttrBuilder(context, blocks_.getAttributes().getFnAttrs())));
    memory_add_->addFnAttr(llvm::Attribute::NoInline);
    memory_add_->addFnAttr(llvm::Attribute::Cold);
    memory_add_->setDoesNotThrow();
    llvm::IRBuilder<> builder(BasicBlock::Create(context, "entry", memory_add_));
    auto operation = type_->isIntegerTy() ? llvm::AtomicRMWInst::Add : llvm::AtomicRMWInst::FAdd;
    builder.CreateAtomicRMW(operation, memory_add_->getArg(0), memory_add_->getArg(1), llvm::Align(bytes_),
                            llvm::AtomicOrdering::Monotonic);
    builder.CreateRetVoid();
  }
  BasicBlock* new_block(const char* name, BasicBlock* before) {
    return BasicBlock::Create(blocks_.getContext(), name, &blocks_, before);
  }
  static void branch(BasicBlock* from, Value* condition, BasicBlock* yes, BasicBlock* no) {
    llvm::ReplaceInstWithInst(from->getTerminator(), llvm::BranchInst::Create(yes, no, condition));
  }

  llvm::Type* type_;
  llvm::Function& blocks_;
  llvm::Function* memory_add_ = nullptr;
  Value *addresses_ = nullptr, *values_ = nullptr;
  uint64_t bytes_, shift_;
};

}  // namespace

void mark_deferred_adds(llvm::Function& thread) {
  llvm::SmallVector<llvm::AtomicRMWInst*, 4> adds;
  for (Instruction& inst : llvm::instructions(thread)) {
    if (is_sync(&inst) || llvm::isa<llvm::FenceInst>(inst)) return;
    if (auto* add = as_plain_add(inst)) adds.push_back(add);
  }
  if (adds.empty()) return;
  llvm::SmallPtrSet<Instruction*, 16> looking;
  bool all_known = all_after(adds, [&](Instruction& inst) {
    if (as_plain_add(inst) || !inst.mayReadOrWriteMemory() || inst.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return true;
    auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
    if (call && (recognise(call).op != Op::none || call->doesNotAccessMemory() || llvm::isa<llvm::DbgInfoIntrinsic>(call)))
      return true;
    uint64_t bytes = 0;
    Value* pointer = accessed(inst, bytes);
    if (!pointer || bytes > 8 || inst.isVolatile()) return false;
    if (!is_private(pointer)) looking.insert(&inst);
    return true;
  });
  if (!all_known) return;
  llvm::MDNode* marked = llvm::MDNode::get(thread.getContext(), {});
  for (llvm::AtomicRMWInst* add : adds) add->setMetadata(deferred_name, marked);
  for (Instruction* inst : looking) inst->setMetadata(looks_name, marked);
}

void defer_adds(llvm::Function& blocks) {
  llvm::SmallVector<llvm::AtomicRMWInst*, 4> adds;
  llvm::SmallVector<Instruction*, 8> looking;
  llvm::SmallVector<llvm::ReturnInst*, 1> ends;
  for (Instruction& inst : llvm::instructions(blocks)) {
    if (inst.hasMetadata(deferred_name)) adds.push_back(llvm::cast<llvm::AtomicRMWInst>(&inst));
    if (inst.hasMetadata(looks_name)) looking.push_back(&inst);
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(&inst)) ends.push_back(end);
  }
  if (adds.empty()) return;
  llvm::MapVector<llvm::Type*, Table> tables;
  for (llvm::AtomicRMWInst* add : adds) {
    llvm::Type* type = add->getValOperand()->getType();
    auto found = tables.find(type);
    if (found == tables.end()) found = tables.insert({type, Table(blocks, type)}).first;
    found->second.replace(add);
  }
  for (auto& [type, table] : tables) {
    for (Instruction* inst : looking) {
      uint64_t bytes = 0;
      Value* pointer = accessed(*inst, bytes);
      table.look_before(inst, pointer, bytes);
    }
    for (llvm::ReturnInst* end : ends) table.empty(end);
  }
}

}  // namespace quern::lowering
