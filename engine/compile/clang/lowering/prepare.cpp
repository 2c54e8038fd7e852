#include "compile/clang/lowering/prepare.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <map>
#include <stdexcept>

#include "compile/clang/analyses/intrinsics.h"
#include "compile/clang/checks/instrument.h"
#include "compile/clang/lowering/arithmetic.h"

namespace quern::lowering {
namespace {

constexpr uint64_t shared_align = 64;
constexpr const char* carry_name = "__quern_ptx_carry";
constexpr const char* defined_name = "quern-arithmetic";  // of functions whose arithmetic is defined
constexpr unsigned max_exchange_rounds = 8;
constexpr size_t most_written_out = 400;  // instructions of a loop's rounds together

// Calls are kept with the chain of functions they came from, so that recursion is left as a call.
struct CallSite {
  llvm::CallBase* call;
  int came_from;
};
struct Inlined {
  llvm::Function* function;
  int came_from;
};

// Is what the pointer leads to read, and nothing else?
bool is_only_read(const llvm::Value& pointer, llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  if (!seen.insert(&pointer).second) return true;
  for (const llvm::Use& use : pointer.uses()) {
    const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isVolatile()) return false;
    } else if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::AddrSpaceCastInst>(user)) {
      if (!is_only_read(*user, seen)) return false;
    } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      if (use.getOperandNo() != 1 || copy->isVolatile()) return false;
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
      const llvm::Function* callee = call->getCalledFunction();
      if (!call->isArgOperand(&use) || !callee || callee->isDeclaration() || callee->isVarArg()) return false;
      if (!is_only_read(*callee->getArg(call->getArgOperandNo(&use)), seen)) return false;
    } else if (!llvm::isa<llvm::ICmpInst>(user)) {
      return false;
    }
  }
  return true;
}

// A kernel's structs stay where the launch has put them; only one that the kernel changes is copied for each thread.
void share_what_is_only_read(llvm::CallBase& kernel) {
  llvm::Function* callee = kernel.getCalledFunction();
  if (!callee || callee->isDeclaration() || !callee->hasOneUse()) return;
  for (llvm::Argument& argument : callee->args()) {
    llvm::SmallPtrSet<const llvm::Value*, 32> seen;
    if (!argument.hasByValAttr() || !is_only_read(argument, seen)) continue;
    for (const llvm::Value* pointer : seen) {
      for (const llvm::User* user : pointer->users()) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(const_cast<llvm::User*>(user));
        if (!load) continue;
        llvm::MDNode* marked = llvm::MDNode::get(load->getContext(), {});
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, marked);
        // Every thread begins with it: it may be made earlier, wherever clean-up puts it.
        if (load->getParent() == &callee->getEntryBlock()) load->setMetadata(always_loaded, marked);
      }
    }
    argument.removeAttr(llvm::Attribute::ByVal);
    kernel.removeParamAttr(argument.getArgNo(), llvm::Attribute::ByVal);
  }
}

void inline_everything(llvm::Function& thread) {
  std::vector<CallSite> open;
  std::vector<Inlined> history;
  auto collect = [&](auto&& calls, int came_from) {
    for (llvm::CallBase* call : calls) open.push_back({call, came_from});
  };
  llvm::SmallVector<llvm::CallBase*, 32> first;
  for (llvm::Instruction& inst : llvm::instructions(thread)) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) first.push_back(call);
  }
  for (llvm::CallBase* call : first) share_what_is_only_read(*call);
  collect(first, -1);

  while (!open.empty()) {
    CallSite site = open.back();
    open.pop_back();
    llvm::Function* callee = site.call->getCalledFunction();
    if (!callee || callee->isDeclaration() || callee == &thread) continue;
    bool recursive = false;
    for (int at = site.came_from; at >= 0; at = history[at].came_from) recursive |= history[at].function == callee;
    if (recursive) continue;
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*site.call, info).isSuccess()) continue;
    history.push_back({callee, site.came_from});
    collect(info.InlinedCallSites, static_cast<int>(history.size()) - 1);
  }
}

// The carry of PTX's add.cc and addc (quern/ptx.cuh).
void give_own_carry(llvm::Function& thread) {
  llvm::Function* carry = thread.getParent()->getFunction(carry_name);
  if (!carry) return;
  llvm::BasicBlock& entry = thread.getEntryBlock();
  llvm::AllocaInst* own = nullptr;
  for (llvm::User* user : llvm::make_early_inc_range(carry->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || call->getFunction() != &thread) continue;
    if (!own) {
      llvm::IRBuilder<> builder(&entry, entry.begin());
      own = builder.CreateAlloca(builder.getInt32Ty());
      builder.CreateStore(builder.getInt32(0), own);
    }
    call->replaceAllUsesWith(own);
    call->eraseFromParent();
  }
}

void number_places(llvm::Function& thread) {
  constexpr uint32_t most = 255;
  uint32_t number = 0;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(thread))) {
    if (!is(&inst, Op::place)) continue;
    inst.replaceAllUsesWith(llvm::ConstantInt::get(inst.getType(), number++ % most + 1));
    inst.eraseFromParent();
  }
}

// What stays a call (recursion, function pointers, virtual functions) must not ask where it runs: nobody could tell it.
// Returns what does.
llvm::SmallVector<llvm::Function*, 8> refuse_places_in_calls(const LoweringState& kernel) {
  llvm::SmallPtrSet<const llvm::Function*, 8> seen;
  llvm::SmallVector<llvm::Function*, 8> open{kernel.thread}, stay;
  llvm::SmallPtrSet<const llvm::Constant*, 16> seen_constants;
  auto look_at = [&](const llvm::Value* value, auto&& look_at) -> void {
    if (auto* function = llvm::dyn_cast<llvm::Function>(value)) {
      if (!function->isDeclaration() && seen.insert(function).second) open.push_back(const_cast<llvm::Function*>(function));
      return;
    }
    auto* constant = llvm::dyn_cast<llvm::Constant>(value);  // a table of functions, by way of its address
    if (!constant || llvm::isa<llvm::ConstantData>(constant) || !seen_constants.insert(constant).second) return;
    auto* global = llvm::dyn_cast<llvm::GlobalVariable>(constant);
    if (global && global->hasInitializer()) look_at(global->getInitializer(), look_at);
    for (const llvm::Use& operand : constant->operands()) look_at(operand.get(), look_at);
  };
  auto refuse = [&](const char* what) {
    throw std::runtime_error("[compile] kernel " + kernel.input.symbol +
                             " calls a function by recursion or through a pointer, and " + "that function " + what +
                             "; pass it what it needs as arguments");
  };
  auto is_shared = [&](const llvm::GlobalVariable* variable) {
    return llvm::is_contained(kernel.input.shared, variable) || llvm::is_contained(kernel.input.dynamic_shared, variable);
  };
  while (!open.empty()) {
    llvm::Function* function = open.pop_back_val();
    if (function != kernel.thread) stay.push_back(function);
    for (const llvm::Instruction& inst : llvm::instructions(function)) {
      if (function != kernel.thread && recognise(&inst).op != Op::none) {
        refuse("uses threadIdx, shuffles or barriers");
      }
      auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == carry_name) {
        refuse("uses the carry of inline PTX");
      }
      for (const llvm::Use& operand : inst.operands()) {
        auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(operand->stripInBoundsConstantOffsets());
        if (function != kernel.thread && variable && is_shared(variable)) refuse("uses shared memory");
        look_at(operand.get(), look_at);
      }
    }
  }
  return stay;
}

// Shared variables lie one behind the other at the start of the block's shared memory; all dynamic ones at its end.
void place_shared(LoweringState& kernel) {
  llvm::SmallVector<llvm::Constant*, 8> all(kernel.input.shared.begin(), kernel.input.shared.end());
  all.append(kernel.input.dynamic_shared.begin(), kernel.input.dynamic_shared.end());
  if (all.empty()) return;
  llvm::convertUsersOfConstantsToInstructions(all, kernel.thread, /*RemoveDeadConstants=*/false);

  llvm::Instruction* base = nullptr;
  auto size_of = [&](const llvm::GlobalVariable& variable) -> uint64_t {
    return kernel.module.getDataLayout().getTypeAllocSize(variable.getValueType());
  };
  auto put = [&](llvm::GlobalVariable* variable, uint64_t offset) {
    if (!base) {
      llvm::IRBuilder<> builder(&*kernel.thread->getEntryBlock().getFirstInsertionPt());
      base = builder.CreateCall(declare(kernel.module, Op::shared_base));
    }
    llvm::IRBuilder<> builder(base->getNextNode());
    llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
    bool is_static = llvm::is_contained(kernel.input.shared, variable);
    kernel.shared_objects[place] = {variable->getName().str(), is_static ? size_of(*variable) : 0};
    variable->replaceUsesWithIf(place, [&](llvm::Use& use) {
      auto* inst = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return inst && inst->getFunction() == kernel.thread;
    });
  };
  auto used = [&](llvm::GlobalVariable* variable) {
    return llvm::any_of(variable->users(), [&](llvm::User* user) {
      auto* inst = llvm::dyn_cast<llvm::Instruction>(user);
      return inst && inst->getFunction() == kernel.thread;
    });
  };

  uint64_t end = 0;
  for (llvm::GlobalVariable* variable : kernel.input.shared) {
    if (!used(variable)) continue;
    uint64_t align = std::max<uint64_t>(16, variable->getAlign().valueOrOne().value());
    end = llvm::alignTo(end, align);
    put(variable, end);
    end += size_of(*variable);
  }
  uint64_t bytes = end;
  end = llvm::alignTo(end, shared_align);
  for (llvm::GlobalVariable* variable : kernel.input.dynamic_shared) {
    if (used(variable)) put(variable, end);
  }
  if (end > UINT32_MAX) throw std::runtime_error("[compile] kernel " + kernel.input.symbol + " has over 4 GB of shared memory");
  kernel.static_shared = static_cast<uint32_t>(bytes);
}

// Loops of a few known rounds are written out before barriers split them and threads become loops around them: index
// sums and shuffle distances become constants, local arrays become registers, and the innermost loop is the one over
// threads. Returns whether there were any: loops around them may be short now.
bool unroll_short_loops(LoweringState& kernel) {
  llvm::DominatorTree dominators(*kernel.thread);
  llvm::LoopInfo loops(dominators);
  if (loops.empty()) return false;
  kernel.passes.functions.clear(*kernel.thread, kernel.thread->getName());
  size_t before = loops.getLoopsInPreorder().size();
  // Shuffles look large to the unroller, and gain most: their distances become constants.
  auto& evolution = kernel.passes.functions.getResult<llvm::ScalarEvolutionAnalysis>(*kernel.thread);
  for (llvm::Loop* loop : kernel.passes.functions.getResult<llvm::LoopAnalysis>(*kernel.thread).getLoopsInPreorder()) {
    bool exchanges = loop->isInnermost() && llvm::any_of(loop->blocks(), [](const llvm::BasicBlock* block) {
                       return llvm::any_of(*block, [](const llvm::Instruction& inst) { return is(&inst, Op::warp_barrier); });
                     });
    if (!loop->isInnermost() || !loop->getLoopLatch()) continue;
    unsigned rounds = evolution.getSmallConstantTripCount(loop);
    size_t size = 0;
    for (const llvm::BasicBlock* block : loop->blocks()) size += block->sizeWithoutDebug();
    bool is_short = rounds > 0 && (exchanges ? rounds <= max_exchange_rounds : rounds * size <= most_written_out);
    if (is_short) llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
  }
  llvm::FunctionPassManager unroll;
  unroll.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(/*OptLevel=*/2), false, false));
  kernel.passes.run(unroll, *kernel.thread);
  if (llvm::LoopInfo(llvm::DominatorTree(*kernel.thread)).getLoopsInPreorder().size() == before) return false;
  llvm::FunctionPassManager cleanup;
  cleanup.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  cleanup.addPass(llvm::EarlyCSEPass(true));
  cleanup.addPass(llvm::InstCombinePass());
  cleanup.addPass(llvm::SimplifyCFGPass());
  kernel.passes.run(cleanup, *kernel.thread);
  return true;
}

// What a thread reads of the launch's arguments, behind whatever conditions, it reads at its beginning: nobody writes there. So
// the parts of a struct, such as an array's address, are found once for all threads.
void read_arguments_first(LoweringState& kernel) {
  llvm::Function& thread = *kernel.thread;
  llvm::Argument& arguments = *thread.getArg(0);
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  if (!is_only_read(arguments, seen)) return;
  int64_t end = 0;
  for (const KernelParam& param : kernel.input.params) end = std::max<int64_t>(end, int64_t{param.offset} + param.size);
  const llvm::DataLayout& layout = kernel.module.getDataLayout();
  std::map<std::pair<int64_t, llvm::Type*>, llvm::LoadInst*> first;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(thread))) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst);
    if (!load || !load->isSimple() || load->hasMetadata(always_loaded)) continue;
    llvm::APInt offset(layout.getIndexSizeInBits(0), 0);
    const llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    int64_t at = offset.getSExtValue(), size = static_cast<int64_t>(layout.getTypeStoreSize(load->getType()).getFixedValue());
    if (base != &arguments || at < 0 || at + size > end) continue;
    llvm::LoadInst*& made = first[{at, load->getType()}];
    if (!made) {
      llvm::IRBuilder<> builder(&*thread.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &arguments, static_cast<uint64_t>(at));
      made = builder.CreateAlignedLoad(load->getType(), place, load->getAlign(), load->getName());
      llvm::MDNode* marked = llvm::MDNode::get(thread.getContext(), {});
      made->setMetadata(llvm::LLVMContext::MD_invariant_load, marked);
      made->setMetadata(always_loaded, marked);
    }
    load->replaceAllUsesWith(made);
    load->eraseFromParent();
  }
}

}  // namespace

void gather_allocas(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::SmallVector<llvm::AllocaInst*, 8> allocas;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&inst)) allocas.push_back(alloca);
  }
  for (llvm::AllocaInst* alloca : llvm::reverse(allocas)) {
    if (llvm::isa<llvm::Constant>(alloca->getArraySize())) alloca->moveBefore(entry, entry.begin());
  }
}

void verify(const llvm::Function& function, const char* step) {
#ifndef NDEBUG
  if (!llvm::verifyFunction(function, &llvm::errs())) return;
  function.print(llvm::errs());
  throw std::runtime_error(std::string("quern bug: invalid code after ") + step);
#endif
}

void prepare(LoweringState& kernel) {
  llvm::Function& thread = *kernel.thread;
  thread.removeFnAttr(llvm::Attribute::NoInline);
  thread.removeFnAttr(llvm::Attribute::OptimizeNone);
  if (kernel.input.checks) keep_wrong_constants(kernel.module);
  inline_everything(thread);
  give_own_carry(thread);
  number_places(thread);
  auto called = refuse_places_in_calls(kernel);
  thread.removeFnAttr(llvm::Attribute::Convergent);
  annotate_declarations(kernel.module);
  if (kernel.input.checks) check_arithmetic(kernel);
  define_arithmetic(thread);
  for (llvm::Function* function : called) {
    if (!function->hasFnAttribute(defined_name)) define_arithmetic(*function);  // another kernel may call it, too
    function->addFnAttr(defined_name);
  }
  place_shared(kernel);
  llvm::removeUnreachableBlocks(thread);
  gather_allocas(thread);
  verify(thread, "inlining");

  llvm::FunctionPassManager cleanup;
  cleanup.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  if (kernel.input.checks) {  // every access of the text's is to be seen
    kernel.passes.run(cleanup, thread);
    return gather_allocas(thread);
  }
  // Pairs of floats come out of the front end as <2 x float>, which no loop over threads can be vectorised around.
  llvm::ScalarizerPassOptions split;
  split.ScalarizeLoadStore = true;
  cleanup.addPass(llvm::ScalarizerPass(split));
  cleanup.addPass(llvm::EarlyCSEPass(true));
  cleanup.addPass(llvm::InstCombinePass());
  cleanup.addPass(llvm::SimplifyCFGPass());
  kernel.passes.run(cleanup, thread);
  if (unroll_short_loops(kernel)) unroll_short_loops(kernel);
  read_arguments_first(kernel);
  gather_allocas(thread);
  verify(thread, "clean-up");
}

}  // namespace quern::lowering
