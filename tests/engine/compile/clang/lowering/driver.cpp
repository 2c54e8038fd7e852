// Runs the kernels of a .cu file by regions and by coroutines on the same data and compares every buffer. The `// run:`
// lines in the file say with what; kernels.cu explains them. A development tool: it needs clang-19 and a shared LLVM.
//
//   driver kernels.cu [--dump NAME] [--only NAME] [--time N]     --time: measure instead of comparing
#include <llvm/ADT/StringExtras.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <vector>

#include "compile/clang/lowering/lower.h"
#include "compile/cpu_module.h"

namespace {

using quern::lowering::Strategy;
llvm::ExitOnError check;

// Of this thread: other work on the machine does not count.
double cpu_ms() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

struct Arg {
  char kind;  // f u z buffers, i int
  long value;
};
struct Run {
  std::string kernel, by;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared = 0;
  std::vector<Arg> args;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<Run> read_runs(const std::string& file) {
  std::ifstream in(file);
  std::vector<Run> runs;
  size_t unnamed = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("// run:", 0) == 0) {
      Run run;
      for (const std::string& word : split(line.substr(7), ' ')) {
        size_t equals = word.find('=');
        if (equals == std::string::npos) continue;
        std::string key = word.substr(0, equals);
        auto values = split(word.substr(equals + 1), ',');
        for (size_t i = 0; i < values.size(); ++i) {
          if (key == "grid") run.grid[i] = std::stoul(values[i]);
          if (key == "block") run.block[i] = std::stoul(values[i]);
          if (key == "shared") run.shared = std::stoul(values[i]);
          if (key == "by") run.by = values[i];
          if (key == "args") run.args.push_back({values[i][0], std::stol(values[i].substr(1))});
        }
      }
      runs.push_back(run);
    }
    size_t at = line.find("__global__ void ");
    if (at == std::string::npos) continue;
    std::string name = line.substr(at + 16, line.find('(') - at - 16);
    for (; unnamed < runs.size(); ++unnamed) runs[unnamed].kernel = name;
  }
  return runs;
}

std::string compile(const std::string& file, const std::string& prelude) {
  std::string ll = "/tmp/lowering_driver_" + std::to_string(getpid()) + ".ll";
  std::string command =
      "/usr/lib/llvm-19/bin/clang-19 -cc1 -triple x86_64-unknown-linux-gnu -x cuda -fcuda-is-device "
      "-fcuda-allow-variadic-functions -fdeclspec -std=c++20 -O2 -disable-llvm-passes -emit-llvm -w -ffp-contract=fast "
      "-mrelocation-model pic -pic-level 2 -nostdsysteminc -nobuiltininc -nostdinc++ -include " +
      prelude + " -o " + ll + " " + file;
  if (std::system(command.c_str()) != 0) std::exit(1);
  return ll;
}

// void thread(ptr args), as the front end makes it.
llvm::Function* make_thread(llvm::Module& module, llvm::Function* kernel, std::vector<quern::lowering::KernelParam>& params) {
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::getUnqual(context)}, false);
  auto* thread = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "thread." + kernel->getName(), module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", thread));
  std::vector<llvm::Value*> values;
  uint32_t end = 0;
  for (llvm::Argument& argument : kernel->args()) {
    uint32_t size = module.getDataLayout().getTypeAllocSize(argument.getType());
    end = (end + size - 1) / size * size;
    auto* value =
        builder.CreateLoad(argument.getType(), builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread->getArg(0), end));
    value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
    values.push_back(value);
    params.push_back({end, size, size, argument.getType()->isPointerTy(), false, 0});
    end += size;
  }
  thread->addParamAttr(0, llvm::Attribute::NoAlias);
  thread->addParamAttr(0, llvm::Attribute::ReadOnly);
  thread->addDereferenceableParamAttr(0, end);
  builder.CreateCall(kernel, values);
  builder.CreateRetVoid();
  return thread;
}

struct Compiled {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  quern::lowering::LoweredKernel info;
  bool has_blocks = false, has_start = false;
  QuernCpuBlocks blocks = nullptr;
  QuernCpuStart start = nullptr;
  uint64_t frame_bytes = 0;
  double lower_ms = 0, optimise_ms = 0;
};

bool dump_now = false;

quern::lowering::KernelInput input_of(llvm::Module& module, llvm::Function* kernel, Strategy strategy) {
  quern::lowering::KernelInput input;
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.hasInitializer() && llvm::isa<llvm::UndefValue>(global.getInitializer())) input.shared.push_back(&global);
    auto* array = llvm::dyn_cast<llvm::ArrayType>(global.getValueType());
    if (global.isDeclaration() && array && array->getNumElements() == 0) input.dynamic_shared.push_back(&global);
  }
  input.thread = make_thread(module, kernel, input.params);
  input.symbol = kernel->getName().str();
  input.strategy = strategy;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (&function != kernel && &function != input.thread && !function.isDeclaration()) {
      if (function.hasFnAttribute("kernel") || function.getCallingConv() == llvm::CallingConv::C)
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
  return input;
}

void optimise(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
  llvm::PassBuilder passes(&target, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graphs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graphs, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

Compiled build(const std::string& ll, const std::string& name, Strategy strategy) {
  Compiled out;
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {});
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseIRFile(ll, diagnostic, *context);
  llvm::Function* kernel = module->getFunction(name);
  kernel->setLinkage(llvm::GlobalValue::InternalLinkage);
  const quern::lowering::KernelInput input = input_of(*module, kernel, strategy);
  double t0 = cpu_ms();
  out.info = quern::lowering::lower(*module, input);
  out.lower_ms = cpu_ms() - t0;
  out.has_blocks = out.info.blocks;
  out.has_start = out.info.start;
  if (out.info.blocks) {
    out.info.blocks->setName("the_blocks");
    out.info.blocks->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  if (out.info.start) {
    out.info.start->setName("the_start");
    out.info.start->setLinkage(llvm::GlobalValue::ExternalLinkage);
    out.frame_bytes = llvm::cast<llvm::ConstantInt>(out.info.frame_bytes->getInitializer())->getZExtValue();
  }

  auto builder = check(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Standard;
  auto target = check(builder.createTargetMachine());
  module->setDataLayout(target->createDataLayout());
  std::string features = builder.getFeatures().getString();
  for (llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", builder.getCPU());
    function.addFnAttr("target-features", features);
  }
  auto dump = [&](const char* stage) {
    if (!dump_now) return;
    std::error_code error;
    llvm::raw_fd_ostream file("/tmp/" + name + "." + stage + ".ll", error);
    module->print(file, nullptr);
  };
  if (strategy == Strategy::automatic) dump("lowered");
  t0 = cpu_ms();
  optimise(*module, *target);
  out.optimise_ms = cpu_ms() - t0;
  if (strategy == Strategy::automatic) dump("optimised");

  out.jit = check(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
  out.jit->getMainJITDylib().addGenerator(check(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0')));
  check(out.jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  if (out.has_blocks) out.blocks = check(out.jit->lookup("the_blocks")).toPtr<QuernCpuBlocks>();
  if (out.has_start) out.start = check(out.jit->lookup("the_start")).toPtr<QuernCpuStart>();
  return out;
}

void* aligned(size_t bytes) {
  bytes = (bytes + 4095) / 4096 * 4096 + 4096;
  void* memory = std::aligned_alloc(4096, bytes);
  std::memset(memory, 0xcd, bytes);  // nobody may count on zeros
  return memory;
}

using Free = std::unique_ptr<void, decltype(&std::free)>;

struct Launch {
  QuernCpuLaunch launch = {};
  uint64_t blocks = 0;
  unsigned threads = 0;
  std::vector<std::vector<char>> buffers;
  std::vector<char> args;
};

std::unique_ptr<Launch> make_launch(const Run& run) {
  auto out = std::make_unique<Launch>();
  out->args.resize(256);
  size_t end = 0;
  out->buffers.reserve(run.args.size());
  uint32_t random = 1;
  for (const Arg& arg : run.args) {
    if (arg.kind == 'i') {
      int value = static_cast<int>(arg.value);
      std::memcpy(&out->args[end], &value, 4);
      end += 4;
      continue;
    }
    auto& buffer = out->buffers.emplace_back(arg.value * 4 + 64);
    for (long i = 0; i < arg.value; ++i) {
      random = random * 1664525 + 1013904223;
      float f = (random >> 8) / 16777216.f;
      int u = arg.kind == 'z' ? 0 : (random >> 16) % 9;
      std::memcpy(&buffer[i * 4], arg.kind == 'f' ? static_cast<void*>(&f) : &u, 4);
    }
    end = (end + 7) / 8 * 8;
    void* pointer = buffer.data();
    std::memcpy(&out->args[end], &pointer, 8);
    end += 8;
  }
  QuernCpuLaunch& launch = out->launch;
  launch.args = out->args.data();
  std::memcpy(launch.grid, run.grid, sizeof run.grid);
  std::memcpy(launch.block, run.block, sizeof run.block);
  launch.dynamic_shared = run.shared;
  launch.flags = QUERN_LAUNCH_SMALL_GRID;
  out->blocks = uint64_t(run.grid[0]) * run.grid[1] * run.grid[2];
  out->threads = run.block[0] * run.block[1] * run.block[2];
  return out;
}

void run_blocks(const Compiled& compiled, Launch& launch) {
  Free shared(aligned((compiled.info.static_shared + 63) / 64 * 64 + launch.launch.dynamic_shared), std::free);
  Free slots(aligned(uint64_t(compiled.info.slot_bytes) * ((launch.threads + 63) / 64 * 64)), std::free);
  compiled.blocks(&launch.launch, 0, launch.blocks, static_cast<char*>(shared.get()), static_cast<char*>(slots.get()));
}

struct Thread {
  QuernCpuThread state;
  void* handle;
  bool waits() const { return state.wait != QUERN_WAIT_FINISHED; }
  void resume() { (*static_cast<void (**)(void*)>(handle))(handle); }
};

// Gives a block its memory and its threads their frames, and begins each of them.
template <class F>
void start_block(const Compiled& compiled, Launch& launch, uint64_t b, std::span<Thread> threads, char* frames, F take) {
  char* shared = take((compiled.info.static_shared + 63) / 64 * 64 + launch.launch.dynamic_shared);
  char* warp_buffers = take(256 + (threads.size() + 31) / 32 * 512) + 256;
  char* block_buffer = take(64);
  std::memset(block_buffer, 0, 64);
  char* slots = take(uint64_t(compiled.info.slot_bytes) * ((launch.threads + 63) / 64 * 64));
  for (unsigned t = 0; t < threads.size(); ++t) {
    Thread& thread = threads[t];
    const uint32_t *block = launch.launch.block, *grid = launch.launch.grid;
    thread.state = {{t % block[0], t / block[0] % block[1], t / block[0] / block[1]},
                    0,
                    {uint32_t(b % grid[0]), uint32_t(b / grid[0] % grid[1]), uint32_t(b / grid[0] / grid[1])},
                    0,
                    0,
                    shared,
                    warp_buffers + t / 32 * 512,
                    block_buffer,
                    frames + (b * threads.size() + t) * compiled.frame_bytes,
                    slots};
    thread.handle = compiled.start(&launch.launch, &thread.state);
  }
}

// Those of a warp go on whom all that they wait for have reached. Was there one?
bool resume_warp(Thread* block, unsigned first, unsigned last) {
  uint32_t ready = 0;
  for (unsigned t = first; t < last; ++t) {
    if (block[t].state.wait != QUERN_WAIT_WARP) continue;
    bool all = true;
    for (unsigned u = first; u < last; ++u) {
      if (!(block[t].state.mask >> (u - first) & 1) || !block[u].waits()) continue;
      all &= block[u].state.wait == QUERN_WAIT_WARP && block[u].state.mask == block[t].state.mask;
    }
    if (all) ready |= 1u << (t - first);
  }
  for (unsigned t = first; t < last; ++t) {
    if (!(ready >> (t - first) & 1)) continue;
    block[t].resume();
  }
  return ready != 0;
}

// All blocks together, one thread after the other, by the rules in cpu_module.h.
bool run_coroutines(const Compiled& compiled, Launch& launch) {
  bool whole = compiled.info.flags & QUERN_KERNEL_WHOLE_BLOCKS;
  unsigned count = whole ? 1 : launch.threads;
  std::vector<Thread> threads(launch.blocks * count);
  std::vector<Free> memory;
  auto take = [&](size_t bytes) {
    memory.emplace_back(aligned(bytes), std::free);
    return static_cast<char*>(memory.back().get());
  };
  char* frames = take(compiled.frame_bytes * threads.size());
  for (uint64_t b = 0; b < launch.blocks; ++b) start_block(compiled, launch, b, {&threads[b * count], count}, frames, take);
  for (bool progress = true; progress;) {
    progress = false;
    bool all_at_grid = true, any = false;
    for (uint64_t b = 0; b < launch.blocks; ++b) {
      Thread* block = &threads[b * count];
      for (unsigned t = 0; t < count; ++t) {
        if (block[t].state.wait != QUERN_WAIT_YIELD) continue;
        block[t].resume();
        progress = true;
      }
      for (unsigned first = 0; first < count; first += 32) progress |= resume_warp(block, first, std::min(count, first + 32));
      bool at_barrier = true, waits = false;
      for (unsigned t = 0; t < count; ++t) {
        if (!block[t].waits()) continue;
        waits = any = true;
        at_barrier &= block[t].state.wait == QUERN_WAIT_BARRIER;
        all_at_grid &= block[t].state.wait == QUERN_WAIT_GRID;
      }
      if (waits && at_barrier) {
        for (unsigned t = 0; t < count; ++t) {
          if (block[t].waits()) block[t].resume();
        }
        progress = true;
      }
    }
    if (any && all_at_grid && !progress) {
      for (Thread& thread : threads) {
        if (thread.waits()) thread.resume();
      }
      progress = true;
    }
  }
  for (Thread& thread : threads) {
    if (thread.waits()) return false;
  }
  return true;
}

std::string differences(const Launch& expected, const Launch& got) {
  std::string verdict;
  for (size_t i = 0; i < expected.buffers.size(); ++i) {
    auto &a = expected.buffers[i], &b = got.buffers[i];
    if (a == b) continue;
    // The order of a sum may differ in the last bits.
    int wrong = 0;
    for (size_t k = 0; k + 4 <= a.size(); k += 4) {
      float x, y;
      std::memcpy(&x, &a[k], 4);
      std::memcpy(&y, &b[k], 4);
      if (std::memcmp(&x, &y, 4) != 0 && !(std::abs(x - y) <= 1e-5f * std::abs(x))) {
        if (wrong++ == 0)
          verdict += " WRONG buffer " + std::to_string(i) + "[" + std::to_string(k / 4) + "] " + std::to_string(x) +
                     " != " + std::to_string(y);
      }
    }
    if (wrong) verdict += " and " + std::to_string(wrong - 1) + " more";
  }
  return verdict;
}

}  // namespace

int main(int argc, char** argv) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::string file = argc > 1 ? argv[1] : "kernels.cu", only, dump;
  int times = 0;
  for (int i = 2; i + 1 < argc; i += 2) {
    std::string option = argv[i];
    if (option == "--only") only = argv[i + 1];
    if (option == "--dump") only = dump = argv[i + 1];
    if (option == "--time") times = std::atoi(argv[i + 1]);
  }
  dump_now = !dump.empty();
  std::string folder = file.substr(0, file.find_last_of('/') + 1);
  std::string ll = compile(file, std::getenv("PRELUDE") ? std::getenv("PRELUDE") : folder + "prelude.cuh");

  int failures = 0;
  std::map<std::string, std::pair<Compiled, Compiled>> compiled;
  for (const Run& run : read_runs(file)) {
    if (!only.empty() && run.kernel != only) continue;
    if (!compiled.count(run.kernel)) {
      compiled[run.kernel] = {build(ll, run.kernel, Strategy::automatic), build(ll, run.kernel, Strategy::coroutines)};
    }
    auto& [automatic, coroutine] = compiled[run.kernel];
    std::string by = automatic.has_blocks ? automatic.has_start ? "both" : "regions" : "coroutines";
    std::string verdict = by == run.by ? "" : " SERVED BY " + by + " (" + automatic.info.reason + ")";
    auto expected = make_launch(run), got = make_launch(run);
    if (times)
      expected = make_launch(run);
    else if (!run_coroutines(coroutine, *expected))
      verdict += " STUCK";
    bool full_warps = run.block[0] % 32 == 0 || !(automatic.info.flags & QUERN_KERNEL_FULL_WARPS);
    if (automatic.has_blocks && full_warps) {
      run_blocks(automatic, *got);
    } else if (!run_coroutines(automatic, *got)) {
      verdict += " STUCK";
    }
    if (!times) verdict += differences(*expected, *got);
    failures += !verdict.empty();
    std::printf("%-24s %-10s lower %.1f ms, optimise %.1f ms, slots %u, frame %lu, flags %u%s\n", run.kernel.c_str(), by.c_str(),
                automatic.lower_ms, automatic.optimise_ms, automatic.info.slot_bytes, coroutine.frame_bytes, automatic.info.flags,
                verdict.empty() ? "" : ("  <<<" + verdict).c_str());
    double best = 1e9;
    for (int i = 0; i < times; ++i) {
      double t = cpu_ms();
      if (automatic.has_blocks)
        run_blocks(automatic, *got);
      else
        run_coroutines(automatic, *got);
      best = std::min(best, cpu_ms() - t);
    }
    if (times && dump_now) std::printf("  blocks at %p\n", reinterpret_cast<void*>(automatic.blocks));
    if (times) std::printf("  best of %d, one thread: %.2f ms\n", times, best);
  }
  std::printf("%d failures\n", failures);
  std::fflush(stdout);
  std::_Exit(failures != 0);
}
