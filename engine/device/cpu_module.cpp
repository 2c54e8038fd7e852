// A compiled object as a module: what is in its table. How it comes into memory: cpu_image.h.
#include "core/error.h"
#include "core/kernel_names.h"
#include "device/cpu.h"

namespace quern {

namespace {

// "ns::saxpy<float>" -> "saxpy"
std::string base_name(const std::string& name) {
  std::string plain = name.substr(0, name.find('<'));
  size_t colons = plain.rfind("::");
  return colons == std::string::npos ? plain : plain.substr(colons + 2);
}

void describe(CpuKernel& kernel, const QuernCpuKernel& code) {
  kernel.code = &code;
  KernelInfo& info = kernel.info;
  info.symbol = code.symbol;
  info.name = shown_kernel_name(info.symbol, code.name);
  info.signature = code.signature;
  for (uint32_t i = 0; i < code.param_count; ++i)
    info.params.push_back({code.params[i].offset, code.params[i].size, static_cast<Access>(code.params[i].access)});
  info.param_bytes = code.param_bytes;
  info.static_shared = code.static_shared;
  info.max_threads = code.max_threads;
  info.prints = (code.flags & QUERN_KERNEL_PRINTS) != 0;
}

}  // namespace

CpuModule::CpuModule(const Binary& binary) : image_(binary.code, "quern_runtime", &cpu_runtime) {
  table_ = static_cast<const QuernCpuModule*>(image_.symbol("quern_module"));
  if (!table_ || table_->abi != QUERN_CPU_ABI) bug("a compiled kernel has no module table of version {}", QUERN_CPU_ABI);
  for (uint32_t i = 0; i < table_->kernel_count; ++i) {
    auto kernel = std::make_unique<CpuKernel>();
    kernel->module = this;
    describe(*kernel, table_->kernels[i]);
    kernel->is_checked = table_->place_count > 0;
    kernels_.push_back(std::move(kernel));
  }
}

LoadedKernel* CpuModule::kernel(const std::string& name) {
  for (auto& k : kernels_)
    if (k->info.symbol == name || k->info.name == name) return k.get();
  CpuKernel* found = nullptr;
  for (auto& k : kernels_)
    if (base_name(k->info.name) == name) {
      if (found) return nullptr;  // not unique
      found = k.get();
    }
  return found;
}

std::vector<std::string> CpuModule::kernel_names() {
  std::vector<std::string> names;
  for (auto& k : kernels_) names.push_back(k->info.name);
  return names;
}

std::optional<GlobalInfo> CpuModule::global(const std::string& name) {
  for (uint32_t i = 0; i < table_->global_count; ++i) {
    const QuernCpuGlobal& g = table_->globals[i];
    if (name == g.name || name == g.symbol) return GlobalInfo{g.address, static_cast<size_t>(g.size)};
  }
  return std::nullopt;
}

}  // namespace quern
