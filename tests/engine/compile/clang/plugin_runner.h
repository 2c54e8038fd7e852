// Compiles texts with the clang plug-in, loads the result and runs it, with nothing of the engine in between: what a test of
// the compiler needs and no more. One block at a time on the calling thread.
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "compile/clang/plugin.h"
#include "compile/cpu_module.h"

namespace quern_test {

struct Plugin {
  decltype(&quern_clang_abi) abi;
  decltype(&quern_clang_version) version;
  decltype(&quern_clang_host_cpu) host_cpu;
  decltype(&quern_clang_compile) compile;
  decltype(&quern_clang_free) free;
  decltype(&quern_clang_precompile) precompile;

  Plugin() {
    const char* path = std::getenv("QUERN_CLANG_PLUGIN");
    void* library = dlopen(path ? path : QUERN_CLANG_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      if (!function) throw std::runtime_error(name);
    };
    find(abi, "quern_clang_abi");
    find(version, "quern_clang_version");
    find(host_cpu, "quern_clang_host_cpu");
    find(compile, "quern_clang_compile");
    find(free, "quern_clang_free");
    find(precompile, "quern_clang_precompile");
  }
};

inline Plugin& plugin() {
  static Plugin loaded;
  return loaded;
}

// The prelude as it lies in the source tree: names as #include gives them, the force-included one first.
inline const std::vector<std::pair<std::string, std::string>>& prelude() {
  static const auto files = [] {
    std::vector<std::pair<std::string, std::string>> out;
    std::istringstream folders(QUERN_PRELUDE_FOLDERS);
    for (std::string root; std::getline(folders, root, ':');) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        std::string name = std::filesystem::relative(entry.path(), root).string();
        if (!entry.is_regular_file() || name.starts_with("cuda_compat/")) continue;  // which is a folder of its own
        std::ifstream in(entry.path());
        std::stringstream text;
        text << in.rdbuf();
        out.emplace(name == "quern/device.cuh" ? out.begin() : out.end(), name, text.str());
      }
    }
    return out;
  }();
  return files;
}

struct Options {
  std::vector<std::string> flags, names;
  uint32_t request_flags = 0;
  std::string file = "kernel.cu", pch;
  std::string cpu, features;  // none: this machine's
};

// Keeps what a request points to.
class RequestData {
 public:
  RequestData(const std::string& text, const Options& options) : text_(text), options_(options) {
    for (const auto& [path, body] : prelude()) headers_.push_back({path.c_str(), body.c_str(), body.size()});
    for (const auto& flag : options_.flags) flags_.push_back(flag.c_str());
    for (const auto& name : options_.names) names_.push_back(name.c_str());
    request.abi = QUERN_CLANG_ABI;
    request.flags = options_.request_flags;
    request.text = text_.c_str();
    request.text_size = text_.size();
    request.name = options_.file.c_str();
    request.cpu = options_.cpu.c_str();
    request.features = options_.features.c_str();
    request.options = flags_.data();
    request.option_count = flags_.size();
    request.name_expressions = names_.data();
    request.name_expression_count = names_.size();
    request.headers = headers_.data();
    request.header_count = headers_.size();
    request.pch = options_.pch.c_str();
  }
  RequestData(const RequestData&) = delete;

  quern_clang_request request = {};

 private:
  std::string text_;
  Options options_;
  std::vector<quern_clang_header> headers_;
  std::vector<const char*> flags_, names_;
};

struct Compiled {
  bool ok = false;
  std::vector<char> code;
  std::string log;
  std::vector<std::string> symbols;
};

inline Compiled compile(const std::string& text, const Options& options = {}) {
  RequestData data(text, options);
  quern_clang_result* result = plugin().compile(&data.request);
  Compiled out;
  out.ok = result->ok;
  out.log = result->log;
  if (result->ok) {
    out.code.assign(result->code, result->code + result->code_size);
    for (size_t i = 0; i < options.names.size(); ++i) out.symbols.push_back(result->symbols[i]);
  }
  plugin().free(result);
  return out;
}

// ---- the runtime table: records instead of printing, and ends a launch by an exception

struct LaunchEnded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Printed {
  std::string format;
  std::vector<uint64_t> words;
};
inline std::vector<Printed>& printed() {
  static std::vector<Printed> list;
  return list;
}

inline const QuernCpuRuntime test_runtime = {
    QUERN_CPU_ABI,
    [](const QuernCpuLaunch*, const char* format, const uint64_t* args, uint32_t count) {
      printed().push_back({format, {args, args + count}});
      return static_cast<int>(count);
    },
    [](const QuernCpuLaunch*, const char* condition, const char* file, uint32_t line, const char* function, const uint32_t* block,
       const uint32_t* thread) {
      std::ostringstream text;
      text << condition << "|" << file << "|" << line << "|" << function << "|" << block[0] << "|" << thread[0];
      throw LaunchEnded(text.str());
    },
    [](const QuernCpuLaunch*, const char* text) { throw LaunchEnded(text); },
    [] { return uint64_t{12345}; },
    [] { return uint64_t{67890}; },
    [](uint64_t bytes) { return std::malloc(bytes); },
    [](void* pointer) { std::free(pointer); },
    nullptr,
};

// ---- loading and running

struct Dim {
  uint32_t x = 1, y = 1, z = 1;
};

class AlignedBytes {
 public:
  explicit AlignedBytes(size_t size) : bytes_(size + 64, 0) {}
  char* get() { return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(bytes_.data()) + 63) / 64 * 64); }

 private:
  std::vector<char> bytes_;
};

class Module {
 public:
  explicit Module(const Compiled& compiled) {
    if (!compiled.ok) throw std::runtime_error("does not compile:\n" + compiled.log);
    // Open as long as the module lives: the loader takes two files of one path for one library.
    descriptor_ = memfd_create("kernel", 0);
    if (write(descriptor_, compiled.code.data(), compiled.code.size()) != static_cast<ssize_t>(compiled.code.size())) {
      throw std::runtime_error("cannot write the code");
    }
    library_ = dlopen(("/proc/self/fd/" + std::to_string(descriptor_)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw std::runtime_error(dlerror());
    table_ = static_cast<const QuernCpuModule*>(dlsym(library_, "quern_module"));
    *static_cast<const QuernCpuRuntime**>(dlsym(library_, "quern_runtime")) = &test_runtime;
  }
  explicit Module(const std::string& text, const Options& options = {}) : Module(compile(text, options)) {}
  ~Module() {
    dlclose(library_);
    close(descriptor_);
  }
  Module(const Module&) = delete;

  const QuernCpuModule& table() const { return *table_; }

  const QuernCpuKernel& kernel(const std::string& symbol) const {
    for (uint32_t i = 0; i < table_->kernel_count; ++i) {
      if (table_->kernels[i].symbol == symbol) return table_->kernels[i];
    }
    throw std::runtime_error("no kernel " + symbol);
  }
  const QuernCpuGlobal& global(const std::string& name) const {
    for (uint32_t i = 0; i < table_->global_count; ++i) {
      if (table_->globals[i].name == name) return table_->globals[i];
    }
    throw std::runtime_error("no global " + name);
  }

  // Packs the arguments at their natural alignment and runs the grid.
  template <class... Args>
  void launch(const std::string& symbol, Dim grid, Dim block, uint32_t dynamic_shared, const Args&... args) const {
    std::vector<char> packed;
    (
        [&] {
          packed.resize((packed.size() + alignof(Args) - 1) / alignof(Args) * alignof(Args));
          packed.insert(packed.end(), reinterpret_cast<const char*>(&args), reinterpret_cast<const char*>(&args) + sizeof(Args));
        }(),
        ...);
    const QuernCpuKernel& found = kernel(symbol);
    if (packed.size() != found.param_bytes) throw std::runtime_error("arguments do not fit " + symbol);
    AlignedBytes arguments(packed.size());
    std::memcpy(arguments.get(), packed.data(), packed.size());
    run(found, grid, block, dynamic_shared, arguments.get());
  }

 private:
  static void run(const QuernCpuKernel& kernel, Dim grid, Dim block, uint32_t dynamic_shared, const char* args) {
    QuernCpuLaunch launch = {args,           {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                             dynamic_shared, QUERN_LAUNCH_SMALL_GRID,  nullptr};
    uint32_t threads = block.x * block.y * block.z;
    uint64_t blocks = static_cast<uint64_t>(grid.x) * grid.y * grid.z;
    bool whole = kernel.blocks && (!(kernel.flags & QUERN_KERNEL_FULL_WARPS) || block.x % 32 == 0);
    if (whole) {
      AlignedBytes shared((kernel.static_shared + 63) / 64 * 64 + dynamic_shared),
          slots(static_cast<size_t>(kernel.slot_bytes) * ((threads + 63) / 64 * 64));
      kernel.blocks(&launch, 0, blocks, shared.get(), slots.get());
      return;
    }
    for (uint64_t b = 0; b < blocks; ++b) run_threads(kernel, launch, b, threads, dynamic_shared);
  }

  static void resume(void* handle) { (*static_cast<void (**)(void*)>(handle))(handle); }

  static void run_threads(const QuernCpuKernel& kernel, const QuernCpuLaunch& launch, uint64_t index, uint32_t count,
                          uint32_t dynamic_shared) {
    uint32_t warps = (count + 31) / 32;
    AlignedBytes slots(static_cast<size_t>(kernel.slot_bytes) * ((count + 63) / 64 * 64));
    if (kernel.flags & QUERN_KERNEL_WHOLE_BLOCKS) count = 1;
    uint64_t frame = (kernel.frame_bytes + 63) / 64 * 64;
    AlignedBytes shared((kernel.static_shared + 63) / 64 * 64 + dynamic_shared), warp_buffers(256 + 512 * warps),
        block_buffer(64), frames(frame * count);
    std::vector<QuernCpuThread> state(count);
    std::vector<void*> handles(count);
    for (uint32_t t = 0; t < count; ++t) {
      QuernCpuThread& thread = state[t];
      thread = {};
      thread.thread[0] = t % launch.block[0];
      thread.thread[1] = t / launch.block[0] % launch.block[1];
      thread.thread[2] = t / launch.block[0] / launch.block[1];
      thread.block[0] = static_cast<uint32_t>(index % launch.grid[0]);
      thread.block[1] = static_cast<uint32_t>(index / launch.grid[0] % launch.grid[1]);
      thread.block[2] = static_cast<uint32_t>(index / launch.grid[0] / launch.grid[1]);
      thread.shared = shared.get();
      thread.warp_buffer = warp_buffers.get() + 256 + 512 * (t / 32);
      thread.block_buffer = block_buffer.get();
      thread.frame = frames.get() + frame * t;
      thread.slots = slots.get();
      handles[t] = kernel.start(&launch, &thread);
    }
    // A grid of one block: its grid barrier is the block's.
    auto is_barrier = [&](uint32_t wait) {
      return wait == QUERN_WAIT_BARRIER || (wait == QUERN_WAIT_GRID && launch.grid[0] == 1);
    };
    auto warp_ready = [&](uint32_t t) {
      for (uint32_t u = t / 32 * 32; u < std::min(count, t / 32 * 32 + 32); ++u) {
        bool named = (state[t].mask >> (u % 32)) & 1;
        if (named && state[u].wait != QUERN_WAIT_FINISHED && state[u].wait != QUERN_WAIT_WARP) return false;
      }
      return true;
    };
    for (bool any = true; any;) {
      any = false;
      bool all_at_barrier = true;
      for (uint32_t t = 0; t < count; ++t) {
        all_at_barrier &= state[t].wait == QUERN_WAIT_FINISHED || is_barrier(state[t].wait);
      }
      std::vector<uint32_t> ready;
      for (uint32_t t = 0; t < count; ++t) {
        uint32_t wait = state[t].wait;
        if (wait == QUERN_WAIT_YIELD || (wait == QUERN_WAIT_WARP && warp_ready(t)) || (is_barrier(wait) && all_at_barrier)) {
          ready.push_back(t);
        }
      }
      for (uint32_t t : ready) resume(handles[t]);
      any = !ready.empty();
    }
    for (uint32_t t = 0; t < count; ++t) {
      if (state[t].wait != QUERN_WAIT_FINISHED) throw std::runtime_error("threads wait for ever");
    }
  }

  int descriptor_;
  void* library_;
  const QuernCpuModule* table_;
};

}  // namespace quern_test
