// The C ABI of the plug-in. compile() is the list of steps of a compilation.
#include "compile/clang/plugin.h"

#include <clang/Basic/Version.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <chrono>
#include <new>
#include <string>
#include <vector>

#include "compile/clang/checks/instrument.h"
#include "compile/clang/front_end/frontend.h"
#include "compile/clang/guard.h"
#include "compile/clang/link/link.h"
#include "compile/clang/link/module_table.h"
#include "compile/clang/link/pipeline.h"
#include "compile/clang/link/vector_math.h"
#include "compile/clang/lowering/lower.h"
#include "compile/clang/request.h"
#include "compile/clang/target.h"

namespace quern::plugin {
namespace {

// What quern_clang_result points into.
struct Result : quern_clang_result {
  std::vector<char> code_bytes;
  std::string log_text;
  std::vector<std::string> symbol_texts;
  std::vector<const char*> symbol_pointers;
  HostFiles host_files;
  std::vector<quern_clang_file> file_list;

  Result() : quern_clang_result{} {}

  void publish() {
    code = code_bytes.data();
    code_size = code_bytes.size();
    log = log_text.c_str();
    for (const std::string& text : symbol_texts) symbol_pointers.push_back(text.c_str());
    symbols = symbol_pointers.data();
    for (const auto& [path, file] : host_files.seen) {
      const FileStamp& stamp = file.stamp;
      file_list.push_back(
          {path.c_str(), file.kind, {stamp.size, stamp.written, stamp.changed, stamp.inode}, {file.hash[0], file.hash[1]}});
    }
    if (!host_files.relative_to.empty()) file_list.push_back({host_files.relative_to.c_str(), QUERN_CLANG_CURRENT, {}, {}});
    files = file_list.data();
    file_count = file_list.size();
    files_steady = host_files.steady;
  }
};

// Adds the time since the last step to a field of the result.
class Stopwatch {
 public:
  void add_to(double& field) {
    auto now = std::chrono::steady_clock::now();
    field += std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

lowering::Strategy strategy(const Request& request) {
  if (request.has(QUERN_CLANG_COROUTINES)) return lowering::Strategy::coroutines;
  if (request.has(QUERN_CLANG_REGIONS)) return lowering::Strategy::regions;
  return lowering::Strategy::automatic;
}

std::vector<lowering::LoweredKernel> lower_kernels(Program& program, const Request& request) {
  std::vector<lowering::LoweredKernel> lowered;
  for (const KernelEntry& kernel : program.kernels) {
    lowering::KernelInput input;
    input.thread = kernel.thread;
    input.symbol = kernel.symbol;
    input.params = kernel.params;
    input.shared = program.shared;
    input.dynamic_shared = program.dynamic_shared;
    input.max_threads = kernel.max_threads;
    input.strategy = strategy(request);
    if (request.options.checked) {
      input.checks = &program.checks;
      input.checks_nan = request.options.checked_nan;
      input.param_names = kernel.param_names;
    }
    lowered.push_back(lowering::lower(*program.module, input));
  }
  lowering::drop_left_checks(*program.module);
  return lowered;
}

void keep_ir(const Request& request, const llvm::Module& module, const char* title, std::string& log) {
  if (!request.has(QUERN_CLANG_KEEP_IR)) return;
  llvm::raw_string_ostream out(log);
  out << "; ---- " << title << "\n";
  module.print(out, nullptr);
}

void compile(const quern_clang_request& raw, Result& result) {
  Stopwatch watch;
  initialise_target();
  Request request = unpack(raw);
  Cpu cpu = request.cpu.empty() ? host_cpu() : Cpu{request.cpu, request.features};
  std::string& log = result.log_text;

  Program program = parse(request, log);
  result.host_files = std::move(program.host_files);
  set_cpu_attributes(*program.module, cpu);
  tell_of_cpu(*program.module, cpu);
  watch.add_to(result.parse_ms);

  if (request.has(QUERN_CLANG_FAST)) allow_any_order(*program.module);

  keep_ir(request, *program.module, "before lowering", log);
  std::vector<lowering::LoweredKernel> lowered = lower_kernels(program, request);
  set_cpu_attributes(*program.module, cpu);
  keep_ir(request, *program.module, "after lowering", log);
  watch.add_to(result.lower_ms);

  BorrowedMachine machine(cpu);
  program.module->setDataLayout((*machine).createDataLayout());
  optimise(*program.module, *machine, cpu, lowered, request.has(QUERN_CLANG_EXACT));
  add_module_table(program, lowered);
  keep_ir(request, *program.module, "after optimisation", log);
  watch.add_to(result.optimise_ms);

  llvm::SmallVector<char, 0> object = emit_object(*program.module, *machine);
  watch.add_to(result.emit_ms);
  if (!program.errors->empty()) throw CompileError(log + *program.errors);

  result.code_bytes = link_object(object);
  result.symbol_texts = program.name_symbols;
  watch.add_to(result.link_ms);
}

}  // namespace
}  // namespace quern::plugin

using namespace quern::plugin;

extern "C" {

__attribute__((visibility("default"))) uint32_t quern_clang_abi(void) { return QUERN_CLANG_ABI; }

__attribute__((visibility("default"))) const char* quern_clang_version(void) { return "clang " CLANG_VERSION_STRING; }

__attribute__((visibility("default"))) const char* quern_clang_host_cpu(void) {
  static const std::string text = host_cpu().name + ":" + host_cpu().features;
  return text.c_str();
}

__attribute__((visibility("default"))) quern_clang_result* quern_clang_compile(const quern_clang_request* request) {
  auto* result = new Result;
  std::string error = run_guarded([&] { compile(*request, *result); });
  result->ok = error.empty();
  if (!result->ok) {
    result->log_text = error;
    result->code_bytes.clear();
  }
  result->publish();
  return result;
}

__attribute__((visibility("default"))) void quern_clang_free(quern_clang_result* result) { delete static_cast<Result*>(result); }

__attribute__((visibility("default"))) const char* quern_clang_precompile(const quern_clang_request* request, const char* path) {
  thread_local std::string error;
  error = run_guarded([&] {
    initialise_target();
    precompile(unpack(*request), path);
  });
  return error.empty() ? nullptr : error.c_str();
}

// Instead of the C library's, for all of LLVM: its static objects stay until the process is gone, since another thread may be
// compiling when destructors run.
__attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

}  // extern "C"
