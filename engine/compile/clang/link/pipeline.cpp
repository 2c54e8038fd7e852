#include "compile/clang/link/pipeline.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/InjectTLIMappings.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include <algorithm>

#include "compile/clang/link/before_vectorizer.h"
#include "compile/clang/link/unrolled_vectors.h"
#include "compile/clang/link/vector_math.h"
#include "compile/cpu_module.h"

namespace quern::plugin {
namespace {

using lowering::LoweredKernel;

void internalise(llvm::Module& module, const std::vector<LoweredKernel>& kernels) {
  auto is_entry = [&](const llvm::Function& function) {
    for (const LoweredKernel& kernel : kernels) {
      if (&function == kernel.blocks || &function == kernel.start) return true;
    }
    return false;
  };
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.setComdat(nullptr);
    function.setLinkage(is_entry(function) ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage);
    function.setVisibility(is_entry(function) ? llvm::GlobalValue::HiddenVisibility : llvm::GlobalValue::DefaultVisibility);
    function.setDSOLocal(true);
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || variable.hasAppendingLinkage()) continue;
    variable.setComdat(nullptr);
    bool read_later = variable.isExternallyInitialized();  // by the host
    for (const LoweredKernel& kernel : kernels) read_later |= &variable == kernel.frame_bytes;
    variable.setLinkage(read_later ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage);
    variable.setVisibility(read_later ? llvm::GlobalValue::HiddenVisibility : llvm::GlobalValue::DefaultVisibility);
    variable.setDSOLocal(true);
  }
}

// Whether the kernel has loops besides those over blocks and threads (three dimensions each).
bool has_own_loops(const llvm::Function& blocks) {
  constexpr unsigned outer_loops = 4;
  llvm::DominatorTree dominators(const_cast<llvm::Function&>(blocks));
  llvm::LoopInfo loops(dominators);
  return loops.getLoopsInPreorder().size() > outer_loops;
}

bool is_elementwise(const LoweredKernel& kernel) {
  return !kernel.start && !(kernel.flags & QUERN_KERNEL_BARRIERS) && !has_own_loops(*kernel.blocks);
}

template <class... Passes>
llvm::FunctionToLoopPassAdaptor loop_passes(bool memory_ssa, Passes... passes) {
  llvm::LoopPassManager manager;
  (manager.addPass(std::move(passes)), ...);
  return llvm::createFunctionToLoopPassAdaptor(std::move(manager), memory_ssa, /*UseBlockFrequencyInfo=*/true);
}

// The pipeline of every kernel that is made of loops: straighten, rotate and hoist, vectorise, clean up. -O3 takes twice to
// four times as long over the same kernels (most of it in what comes after: it unrolls) and its code is no faster.
//
// `thorough` is for kernels with barriers or loops of their own, which run long enough to repay interleaving.
llvm::ModulePassManager loop_pipeline(bool thorough) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(loop_passes(true, llvm::LoopRotatePass(), llvm::LICMPass(llvm::LICMOptions())));
  passes.addPass(loop_passes(false, llvm::IndVarSimplifyPass(), llvm::LoopDeletionPass(), llvm::LoopFullUnrollPass(3)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InjectTLIMappings());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(BeforeVectorizerPass());
  // An elementwise kernel is not interleaved: it is a third less code, and its loops wait for memory anyway.
  passes.addPass(llvm::LoopVectorizePass(llvm::LoopVectorizeOptions(/*InterleaveOnlyWhenForced=*/!thorough,
                                                                    /*VectorizeOnlyWhenForced=*/false)));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  if (thorough) {
    passes.addPass(UnrolledVectorsPass());
    passes.addPass(loop_passes(false, llvm::LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    passes.addPass(llvm::SLPVectorizerPass());
    passes.addPass(llvm::EarlyCSEPass());
  }
  passes.addPass(loop_passes(true, llvm::LICMPass(llvm::LICMOptions())));
  passes.addPass(llvm::SimplifyCFGPass());

  llvm::ModulePassManager module_passes;
  module_passes.addPass(llvm::AlwaysInlinerPass());
  module_passes.addPass(llvm::GlobalDCEPass());
  module_passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  return module_passes;
}

// Comparisons of half-precision numbers, to which InstCombine narrows those of converted ones, become comparisons of floats
// again. Without AVX512-FP16 the code generator takes vectors of them apart, number by number; with it, LLVM 19 swaps the
// operands of a masked VCMPPH to fold a load and leaves its predicate as it was.
void compare_halves_as_floats(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& inst : llvm::instructions(function)) {
      auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&inst);
      if (!compare || !compare->getOperand(0)->getType()->getScalarType()->isHalfTy()) continue;
      llvm::IRBuilder<> builder(compare);
      for (llvm::Use& operand : compare->operands()) {
        llvm::Type* wide = operand->getType()->getWithNewType(builder.getFloatTy());
        operand.set(builder.CreateFPExt(operand, wide));
      }
    }
  }
}

bool has_zero(const llvm::Constant& bits) {
  unsigned count = llvm::cast<llvm::FixedVectorType>(bits.getType())->getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    if (bits.getAggregateElement(i)->isNullValue()) return true;
  }
  return false;
}

// The elements that `mask` keeps of a vector are taken beside zeros by a shuffle; the other bits of a mask stay a mask.
void mask_by_shuffle(llvm::BinaryOperator& mask, const llvm::Constant& bits) {
  auto* type = llvm::cast<llvm::FixedVectorType>(mask.getType());
  unsigned count = type->getNumElements();
  llvm::SmallVector<llvm::Constant*, 16> kept;
  llvm::SmallVector<int, 16> from;
  for (unsigned i = 0; i < count; ++i) {
    llvm::Constant* element = bits.getAggregateElement(i);
    bool zero = element->isNullValue();
    kept.push_back(zero ? llvm::Constant::getAllOnesValue(type->getElementType()) : element);
    from.push_back(static_cast<int>(zero ? count + i : i));
  }
  llvm::IRBuilder<> builder(&mask);
  llvm::Value* masked = builder.CreateAnd(mask.getOperand(0), llvm::ConstantVector::get(kept));
  mask.replaceAllUsesWith(builder.CreateShuffleVector(masked, llvm::Constant::getNullValue(type), from));
  mask.eraseFromParent();
}

// LLVM 19 reduces "(v & <3, 0, 0, 0>) + 1" to anything at all: where v is put together from single numbers, as a quotient is,
// its code generator forgets those that the mask makes zero, and then that they are zero.
void mask_by_shuffles(llvm::Module& module) {
  std::vector<std::pair<llvm::BinaryOperator*, llvm::Constant*>> masks;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& inst : llvm::instructions(function)) {
      if (inst.getOpcode() != llvm::Instruction::And || !inst.getType()->isVectorTy()) continue;
      auto* bits = llvm::dyn_cast<llvm::Constant>(inst.getOperand(1));  // InstCombine has put it there
      if (bits && !bits->isNullValue() && has_zero(*bits)) masks.emplace_back(llvm::cast<llvm::BinaryOperator>(&inst), bits);
    }
  }
  for (auto [mask, bits] : masks) mask_by_shuffle(*mask, *bits);
}

}  // namespace

void allow_any_order(llvm::Module& module) {
  constexpr const char* space = "N5quern4fast";
  llvm::FastMathFlags any_order;
  any_order.setFast();
  for (llvm::Function& function : module) {
    if (!function.getName().contains(space)) continue;
    for (llvm::Instruction& inst : llvm::instructions(function))
      if (llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator>(inst) && llvm::isa<llvm::FPMathOperator>(inst))
        inst.setFastMathFlags(any_order);
  }
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const Cpu& cpu, const std::vector<LoweredKernel>& kernels,
              bool alike) {
  internalise(module, kernels);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);

  llvm::TargetLibraryInfoImpl library{llvm::Triple(module.getTargetTriple())};
  library.addVectorizableFunctions(vector_functions(cpu, alike));
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes = loop_pipeline(!std::all_of(kernels.begin(), kernels.end(), is_elementwise));
  passes.run(module, modules);
  write_far_calls(module);
  if (alike) write_alike_calls(module, cpu);
  compare_halves_as_floats(module);
  mask_by_shuffles(module);
}

}  // namespace quern::plugin
