#include "compile/clang/target.h"

#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "compile/clang/request.h"

namespace quern::plugin {

void initialise_target() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
}

const Cpu& host_cpu() {
  static const Cpu cpu = [] {
    Cpu found;
    found.name = llvm::sys::getHostCPUName().str();
    std::vector<std::string> features;
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      features.push_back((feature.second ? "+" : "-") + feature.first().str());
    }
    std::sort(features.begin(), features.end());  // the text is part of cache keys
    for (const std::string& feature : features) found.features += (found.features.empty() ? "" : ",") + feature;
    return found;
  }();
  return cpu;
}

bool has_avx512(const Cpu& cpu) { return cpu.features.find("+avx512f") != std::string::npos; }

namespace {

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Cpu& cpu) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) throw CompileError("[compile] no code generator for " + std::string(triple) + ": " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // fuse what the front end marked, nothing else
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.name, cpu.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

struct IdleMachines {
  std::mutex mutex;
  std::multimap<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
};
IdleMachines& idle() {
  static IdleMachines& machines = *new IdleMachines;  // never destroyed: threads may still compile at exit
  return machines;
}

}  // namespace

BorrowedMachine::BorrowedMachine(const Cpu& cpu) : key_(cpu.name + ":" + cpu.features) {
  {
    std::lock_guard lock(idle().mutex);
    auto found = idle().machines.find(key_);
    if (found != idle().machines.end()) {
      machine_ = std::move(found->second);
      idle().machines.erase(found);
    }
  }
  if (!machine_) machine_ = make_target_machine(cpu);
}

BorrowedMachine::~BorrowedMachine() {
  std::lock_guard lock(idle().mutex);
  idle().machines.emplace(key_, std::move(machine_));
}

void set_cpu_attributes(llvm::Module& module, const Cpu& cpu) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.removeFnAttr("tune-cpu");
    function.addFnAttr("target-cpu", cpu.name);
    function.addFnAttr("target-features", cpu.features);
    // A frame of more than a page touches each, so that none reaches past the guard page at the end of the stack.
    function.addFnAttr("probe-stack", "inline-asm");
    if (has_avx512(cpu)) function.addFnAttr("prefer-vector-width", "512");
  }
}

}  // namespace quern::plugin
