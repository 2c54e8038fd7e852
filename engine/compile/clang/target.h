// The CPU that code is made for.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace quern::plugin {

void initialise_target();  // LLVM's X86 parts, once

struct Cpu {
  std::string name, features;
};
const Cpu& host_cpu();

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Cpu& cpu);

// The front end works for plain x86-64, so that one precompiled prelude serves every CPU; this sets the real one.
void set_cpu_attributes(llvm::Module& module, const Cpu& cpu);

bool has_avx512(const Cpu& cpu);

}  // namespace quern::plugin
