// One set of LLVM's analyses for a whole call of lower(): making one costs more than most of the passes it serves.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace quern::lowering {

struct Passes {
  Passes() {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
  }

  void run(llvm::FunctionPassManager& manager, llvm::Function& function) {
    functions.clear(function, function.getName());
    manager.run(function, functions);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};

}  // namespace quern::lowering
