// Empty stand-ins for parts of LLVM that its libraries refer to and that nothing here uses: every target but X86 (lld
// initialises all that LLVM was built with) and Polly. Without them the plug-in would be several times as large.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassPlugin.h>

#define QUERN_UNUSED(name) \
  extern "C" void name() {}
#define QUERN_UNUSED_TARGET(name)                \
  QUERN_UNUSED(LLVMInitialize##name##TargetInfo) \
  QUERN_UNUSED(LLVMInitialize##name##Target)     \
  QUERN_UNUSED(LLVMInitialize##name##TargetMC)
#define QUERN_UNUSED_PRINTER(name) QUERN_UNUSED(LLVMInitialize##name##AsmPrinter)
#define QUERN_UNUSED_PARSER(name) QUERN_UNUSED(LLVMInitialize##name##AsmParser)

// LLVM's lists name every target; the one that is used gets functions of another name, since its own ones exist.
#define X86 QuernX86
#define LLVM_TARGET(name) QUERN_UNUSED_TARGET(name)
#define LLVM_ASM_PRINTER(name) QUERN_UNUSED_PRINTER(name)
#define LLVM_ASM_PARSER(name) QUERN_UNUSED_PARSER(name)
#include <llvm/Config/AsmParsers.def>
#include <llvm/Config/AsmPrinters.def>
#include <llvm/Config/Targets.def>
#undef X86

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {LLVM_PLUGIN_API_VERSION, "", "", nullptr}; }
