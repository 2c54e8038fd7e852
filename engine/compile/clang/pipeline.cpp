#include "compile/clang/pipeline.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
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
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include "compile/clang/vector_math.h"
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

bool is_simple(const std::vector<LoweredKernel>& kernels) {
  for (const LoweredKernel& kernel : kernels) {
    if (kernel.start || (kernel.flags & QUERN_KERNEL_BARRIERS)) return false;
  }
  return true;
}

template <class... Passes>
llvm::FunctionToLoopPassAdaptor loop_passes(bool memory_ssa, Passes... passes) {
  llvm::LoopPassManager manager;
  (manager.addPass(std::move(passes)), ...);
  return llvm::createFunctionToLoopPassAdaptor(std::move(manager), memory_ssa, /*UseBlockFrequencyInfo=*/true);
}

// What an elementwise kernel needs: straighten, rotate and hoist, vectorise, clean up. A third of the time of -O3.
llvm::ModulePassManager quick_pipeline() {
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
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(loop_passes(true, llvm::LICMPass(llvm::LICMOptions())));
  passes.addPass(llvm::SimplifyCFGPass());

  llvm::ModulePassManager module_passes;
  module_passes.addPass(llvm::AlwaysInlinerPass());
  module_passes.addPass(llvm::GlobalDCEPass());
  module_passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  return module_passes;
}

llvm::ModulePassManager full_pipeline(llvm::PassBuilder& builder) {
  llvm::ModulePassManager module_passes;
  module_passes.addPass(llvm::AlwaysInlinerPass());
  module_passes.addPass(llvm::GlobalDCEPass());
  module_passes.addPass(builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
  return module_passes;
}

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const Cpu& cpu,
              const std::vector<LoweredKernel>& kernels) {
  internalise(module, kernels);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = tuning.LoopUnrolling = tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);

  llvm::TargetLibraryInfoImpl library{llvm::Triple(module.getTargetTriple())};
  library.addVectorizableFunctions(vector_functions(cpu));
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes = is_simple(kernels) ? quick_pipeline() : full_pipeline(builder);
  passes.run(module, modules);
}

}  // namespace quern::plugin
