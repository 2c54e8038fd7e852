// The function that comes in waits at calls (barriers, turns). Each becomes: say in QuernCpuThread why, suspend.
// CoroSplit runs here and not in the front end's pipeline, so that the frame's size is known when lower() returns.
#include "compile/clang/lowering/coroutines.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <stdexcept>

#include "compile/clang/analyses/intrinsics.h"
#include "compile/clang/lowering/blocks.h"
#include "compile/clang/lowering/layout.h"
#include "compile/clang/lowering/warp_sync.h"

namespace quern::lowering {
namespace {

constexpr uint32_t frame_align = 64;

llvm::Function* intrinsic(llvm::Module& module, llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types = {}) {
  return llvm::Intrinsic::getDeclaration(&module, id, types);
}

// ptr start(ptr launch, ptr thread), still empty, with the attributes of `from`.
llvm::Function* declare_start(LoweringState& kernel, llvm::Function& from) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* start = llvm::Function::Create(llvm::FunctionType::get(pointer, {pointer, pointer}, false),
                                       llvm::GlobalValue::InternalLinkage, kernel.input.symbol + ".start", kernel.module);
  start->copyAttributesFrom(&from);
  start->setAttributes(llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex,
                                                llvm::AttrBuilder(context, from.getAttributes().getFnAttrs())));
  start->setLinkage(llvm::GlobalValue::InternalLinkage);
  start->setDoesNotThrow();
  start->setPresplitCoroutine();
  start->setSubprogram(from.getSubprogram());
  from.setSubprogram(nullptr);
  start->getArg(0)->setName("launch");
  start->getArg(1)->setName("thread");
  for (llvm::Argument& argument : start->args()) argument.addAttr(llvm::Attribute::NoAlias);
  return start;
}

llvm::Function* take_thread(LoweringState& kernel) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(kernel.module.getContext());
  llvm::Function& from = *kernel.thread;
  llvm::Function* start = declare_start(kernel, from);
  start->splice(start->begin(), &from);
  llvm::IRBuilder<> builder(&*start->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  from.getArg(0)->replaceAllUsesWith(load_field(builder, pointer, start->getArg(0), offsetof(QuernCpuLaunch, args), "args"));
  return start;
}

llvm::Function* take_block(LoweringState& kernel, llvm::Function* body) {
  llvm::Function* start = declare_start(kernel, *body);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(start->getContext(), "entry", start));
  llvm::Value *launch = start->getArg(0), *thread = start->getArg(1);
  llvm::Type *pointer = builder.getPtrTy(), *i32 = builder.getInt32Ty();
  BodyArguments arguments;
  arguments.args = load_field(builder, pointer, launch, offsetof(QuernCpuLaunch, args), "args");
  arguments.launch = launch;
  arguments.shared = load_field(builder, pointer, thread, offsetof(QuernCpuThread, shared), "shared");
  arguments.slots = load_field(builder, pointer, thread, offsetof(QuernCpuThread, slots), "slots");
  arguments.warp_buffer = load_field(builder, pointer, thread, offsetof(QuernCpuThread, warp_buffer));
  arguments.block_buffer = load_field(builder, pointer, thread, offsetof(QuernCpuThread, block_buffer));
  for (unsigned dim = 0; dim < 3; ++dim) {
    size_t element = dim * sizeof(uint32_t);
    arguments.ctaid[dim] = load_field(builder, i32, thread, offsetof(QuernCpuThread, block) + element);
    arguments.nctaid[dim] = load_field(builder, i32, launch, offsetof(QuernCpuLaunch, grid) + element);
    arguments.ntid[dim] = load_field(builder, i32, launch, offsetof(QuernCpuLaunch, block) + element);
  }
  llvm::CallInst* call = call_body(builder, body, arguments);
  builder.Insert(llvm::ReturnInst::Create(start->getContext()));
  llvm::InlineFunctionInfo info;
  if (!llvm::InlineFunction(*call, info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false).isSuccess()) {
    throw std::runtime_error("[compile] the loops of kernel " + kernel.input.symbol + " do not become a coroutine");
  }
  body->eraseFromParent();
  return start;
}

void bind_specials(llvm::Function& start) {
  llvm::Value* launch = start.getArg(0);
  llvm::Value* thread = start.getArg(1);
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(start))) {
    Special special = recognise(&inst);
    llvm::IRBuilder<> builder(&inst);
    llvm::Type* type = inst.getType();
    llvm::Value* value = nullptr;
    size_t element = special.dim * sizeof(uint32_t);
    switch (special.op) {
      case Op::tid:
        value = load_field(builder, type, thread, offsetof(QuernCpuThread, thread) + element);
        break;
      case Op::ctaid:
        value = load_field(builder, type, thread, offsetof(QuernCpuThread, block) + element);
        break;
      case Op::ntid:
        value = load_field(builder, type, launch, offsetof(QuernCpuLaunch, block) + element);
        break;
      case Op::nctaid:
        value = load_field(builder, type, launch, offsetof(QuernCpuLaunch, grid) + element);
        break;
      case Op::warp_buffer:
        value = load_field(builder, type, thread, offsetof(QuernCpuThread, warp_buffer));
        break;
      case Op::block_buffer:
        value = load_field(builder, type, thread, offsetof(QuernCpuThread, block_buffer));
        break;
      case Op::shared_base:
        value = load_field(builder, type, thread, offsetof(QuernCpuThread, shared));
        break;
      case Op::launch:
        value = launch;
        break;
      default:
        continue;
    }
    inst.replaceAllUsesWith(value);
    inst.eraseFromParent();
  }
}

int wait_kind(Op op) {
  switch (op) {
    case Op::barrier:
      return QUERN_WAIT_BARRIER;
    case Op::warp_barrier:
      return QUERN_WAIT_WARP;
    case Op::grid_barrier:
      return QUERN_WAIT_GRID;
    case Op::turn:
    case Op::lockstep:  // each lane runs up to here before the first goes on
      return QUERN_WAIT_YIELD;
    default:
      return -1;
  }
}

class SuspendWriter {
 public:
  SuspendWriter(llvm::Function& start, llvm::GlobalVariable* frame_bytes)
      : start_(start), module_(*start.getParent()), builder_(module_.getContext()) {
    llvm::LLVMContext& context = module_.getContext();
    none_ = llvm::ConstantTokenNone::get(context);
    llvm::BasicBlock& entry = start.getEntryBlock();
    llvm::BasicBlock* body = entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca(), "body");
    builder_.SetInsertPoint(body->getSinglePredecessor()->getTerminator());
    auto* null = llvm::ConstantPointerNull::get(builder_.getPtrTy());
    auto* id =
        builder_.CreateCall(intrinsic(module_, llvm::Intrinsic::coro_id), {builder_.getInt32(frame_align), null, null, null});
    auto* size = builder_.CreateCall(intrinsic(module_, llvm::Intrinsic::coro_size, {builder_.getInt64Ty()}));
    builder_.CreateStore(size, frame_bytes, /*isVolatile=*/true);  // taken out by read_frame_size()
    auto* frame = load_field(builder_, builder_.getPtrTy(), start.getArg(1), offsetof(QuernCpuThread, frame), "frame");
    handle_ = builder_.CreateCall(intrinsic(module_, llvm::Intrinsic::coro_begin), {id, frame});

    suspended_ = llvm::BasicBlock::Create(context, "suspended", &start);
    destroyed_ = llvm::BasicBlock::Create(context, "destroyed", &start);
    builder_.SetInsertPoint(destroyed_);
    builder_.CreateCall(intrinsic(module_, llvm::Intrinsic::coro_free), {id, handle_});
    builder_.CreateBr(suspended_);
    builder_.SetInsertPoint(suspended_);
    builder_.CreateCall(intrinsic(module_, llvm::Intrinsic::coro_end), {handle_, builder_.getFalse(), none_});
    builder_.CreateRet(handle_);
  }

  void suspend_at(llvm::CallInst* wait) {
    int kind = wait_kind(recognise(wait).op);
    llvm::BasicBlock* before = wait->getParent();
    llvm::BasicBlock* after = before->splitBasicBlock(wait, "resumed");
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    if (kind == QUERN_WAIT_WARP) {
      store(offsetof(QuernCpuThread, mask), wait->getArgOperand(0));
      store(offsetof(QuernCpuThread, place), builder_.getInt32(places_++));
    }
    store(offsetof(QuernCpuThread, wait), builder_.getInt32(kind));
    llvm::SwitchInst* next = suspend(/*final=*/false);
    next->addCase(builder_.getInt8(0), after);
    wait->eraseFromParent();
  }

  void finish_at(llvm::ArrayRef<llvm::ReturnInst*> returns) {
    auto* finished = llvm::BasicBlock::Create(module_.getContext(), "finished", &start_);
    for (llvm::ReturnInst* ret : returns) {
      builder_.SetInsertPoint(ret);
      builder_.CreateBr(finished);
      ret->eraseFromParent();
    }
    builder_.SetInsertPoint(finished);
    store(offsetof(QuernCpuThread, wait), builder_.getInt32(QUERN_WAIT_FINISHED));
    suspend(/*final=*/true);
  }

 private:
  void store(size_t offset, llvm::Value* value) { builder_.CreateStore(value, field(builder_, start_.getArg(1), offset)); }

  llvm::SwitchInst* suspend(bool final) {
    auto* why = builder_.CreateCall(intrinsic(module_, llvm::Intrinsic::coro_suspend), {none_, builder_.getInt1(final)});
    llvm::SwitchInst* next = builder_.CreateSwitch(why, suspended_, 2);
    next->addCase(builder_.getInt8(1), destroyed_);
    return next;
  }

  uint32_t places_ = 0;
  llvm::Function& start_;
  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  llvm::Value* none_;
  llvm::CallInst* handle_;
  llvm::BasicBlock* suspended_;
  llvm::BasicBlock* destroyed_;
};

// After splitting, coro.size is a number: it moves from the code into the variable.
void read_frame_size(llvm::GlobalVariable* frame_bytes) {
  for (llvm::User* user : llvm::make_early_inc_range(frame_bytes->users())) {
    auto* store = llvm::cast<llvm::StoreInst>(user);
    auto* size = llvm::cast<llvm::ConstantInt>(store->getValueOperand());
    frame_bytes->setInitializer(llvm::ConstantInt::get(size->getType(), llvm::alignTo(size->getZExtValue(), frame_align)));
    store->eraseFromParent();
  }
  frame_bytes->setConstant(true);
}

// Nobody destroys a handle: the functions for it need not be compiled.
void drop_destroyers(llvm::Module& module, llvm::StringRef start) {
  for (const char* suffix : {".destroy", ".cleanup"}) {
    llvm::Function* function = module.getFunction((start + suffix).str());
    if (!function) continue;
    function->replaceAllUsesWith(llvm::ConstantPointerNull::get(function->getType()));
    function->eraseFromParent();
  }
}

}  // namespace

static Coroutine split(LoweringState& kernel, llvm::Function* start) {
  llvm::Module& module = kernel.module;
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  auto* frame_bytes = new llvm::GlobalVariable(module, i64, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                               llvm::ConstantInt::get(i64, 0), kernel.input.symbol + ".frame_bytes");
  gather_allocas(*start);

  llvm::SmallVector<llvm::CallInst*, 8> waits;
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  for (llvm::Instruction& inst : llvm::instructions(start)) {
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&inst)) returns.push_back(ret);
    if (wait_kind(recognise(&inst).op) >= 0) waits.push_back(llvm::cast<llvm::CallInst>(&inst));
  }
  expand_lanes(*start);
  bind_specials(*start);
  SuspendWriter writer(*start, frame_bytes);
  for (llvm::CallInst* wait : waits) writer.suspend_at(wait);
  writer.finish_at(returns);
  verify(*start, "making a coroutine");

  std::string name = start->getName().str();
  llvm::ModulePassManager passes;
  passes.addPass(llvm::CoroEarlyPass());
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(/*OptimizeFrame=*/true)));
  passes.addPass(llvm::CoroCleanupPass());
  kernel.passes.functions.clear();
  kernel.passes.modules.clear();
  start->setLinkage(llvm::GlobalValue::ExternalLinkage);  // the call graph passes over what nobody calls
  passes.run(module, kernel.passes.modules);
  start->setLinkage(llvm::GlobalValue::InternalLinkage);
  read_frame_size(frame_bytes);
  drop_destroyers(module, name);
  // What is kept in the frame is reached through it alone: no store to an array changes it.
  if (llvm::Function* resume = module.getFunction(name + ".resume")) resume->addParamAttr(0, llvm::Attribute::NoAlias);
  return {start, frame_bytes};
}

Coroutine make_coroutine(LoweringState& kernel) { return split(kernel, take_thread(kernel)); }
Coroutine make_block_coroutine(LoweringState& kernel, llvm::Function* body) { return split(kernel, take_block(kernel, body)); }

}  // namespace quern::lowering
