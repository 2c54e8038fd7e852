#include "fake_cuda/cpu_code.h"

#include "core/error.h"
#include "device/device.h"

#include <algorithm>

struct CpuKernel {
  quern::LoadedKernel* loaded;
};

namespace {

class Code : public CpuCode {
 public:
  explicit Code(const quern::Binary& binary) : module_(quern::cpu_device().load(binary)) {}
  const CpuKernel* kernel(const std::string& symbol) override {
    quern::LoadedKernel* loaded = module_->kernel(symbol);
    if (!loaded) return nullptr;
    auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](auto& k) { return k->loaded == loaded; });
    if (known != kernels_.end()) return known->get();
    return kernels_.emplace_back(std::make_unique<CpuKernel>(CpuKernel{loaded})).get();
  }
  CpuGlobal global(const std::string& name) override {
    auto found = module_->global(name);
    return found ? CpuGlobal{found->address, found->size} : CpuGlobal{};
  }

 private:
  std::shared_ptr<quern::LoadedModule> module_;
  std::vector<std::unique_ptr<CpuKernel>> kernels_;
};

}  // namespace

std::unique_ptr<CpuCode> load_cpu_code(const char* code, size_t bytes) {
  quern::Binary binary;
  binary.code.assign(reinterpret_cast<const std::byte*>(code), reinterpret_cast<const std::byte*>(code) + bytes);
  return std::make_unique<Code>(binary);
}

CpuKernelInfo info_of(const CpuKernel& kernel) {
  const quern::KernelInfo& info = kernel.loaded->info;
  return {static_cast<int>(info.max_threads), static_cast<int>(info.static_shared), info.params.size(), &kernel};
}
size_t CpuKernelInfo::offset(size_t param) const { return kernel->loaded->info.params[param].offset; }
size_t CpuKernelInfo::bytes(size_t param) const { return kernel->loaded->info.params[param].size; }

std::string run_on_cpu(const CpuKernel& kernel, const unsigned grid[3], const unsigned block[3], unsigned shared,
                       bool cooperative, const void* args, size_t arg_bytes) {
  // A stream of its own: the program's work on the CPU is not waited for.
  static auto& stream = *new std::unique_ptr<quern::Stream>(quern::cpu_device().create_stream({true, 0}));
  quern::LaunchShape shape;
  std::copy_n(grid, 3, shape.grid.begin());
  std::copy_n(block, 3, shape.block.begin());
  shape.dynamic_shared = shared;
  shape.cooperative = cooperative;
  try {
    quern::cpu_device().launch(*stream, *kernel.loaded, shape, args, arg_bytes, quern::no_site);
    stream->synchronize();
  } catch (const quern::Error& error) {
    return error.what();
  }
  return "";
}
