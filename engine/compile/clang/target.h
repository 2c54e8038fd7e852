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

// A target machine for one compilation. Making one costs as much as a pass or two, so finished compilations leave theirs to the
// next; it serves one thread at a time.
class BorrowedMachine {
 public:
  explicit BorrowedMachine(const Cpu& cpu);
  ~BorrowedMachine();
  BorrowedMachine(const BorrowedMachine&) = delete;
  BorrowedMachine& operator=(const BorrowedMachine&) = delete;

  llvm::TargetMachine& operator*() const { return *machine_; }

 private:
  std::string key_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

// The front end works for plain x86-64, so that one precompiled prelude serves every CPU; this sets the real one.
void set_cpu_attributes(llvm::Module& module, const Cpu& cpu);

bool has_avx512(const Cpu& cpu);

}  // namespace quern::plugin
