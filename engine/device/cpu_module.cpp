// Loads a compiled object: bytes -> memfd -> dlopen, so that nothing touches the file system and every module has its own
// globals.
#include "core/error.h"
#include "core/log.h"
#include "device/cpu.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace quern {

namespace {

// "ns::saxpy<float>" -> "saxpy"
std::string base_name(const std::string& name) {
  std::string plain = name.substr(0, name.find('<'));
  size_t colons = plain.rfind("::");
  return colons == std::string::npos ? plain : plain.substr(colons + 2);
}

// The loader takes two equal names for one library, and numbers of closed files come again: every load writes its path in another
// way, with a count spelled as "./" and "/" that mean nothing to the file system.
std::string unique_path(int fd) {
  static std::atomic<uint32_t> count{0};
  std::string path = "/proc/self/fd/";
  for (uint32_t n = count++, bit = 0; bit < 32; ++bit) path += n >> bit & 1 ? "./" : "/";
  return path + std::to_string(fd);
}

void describe(CpuKernel& kernel, const QuernCpuKernel& code) {
  kernel.code = &code;
  KernelInfo& info = kernel.info;
  info.symbol = code.symbol;
  info.name = code.name;
  info.signature = code.signature;
  for (uint32_t i = 0; i < code.param_count; ++i)
    info.params.push_back({code.params[i].offset, code.params[i].size, static_cast<Access>(code.params[i].access)});
  info.param_bytes = code.param_bytes;
  info.static_shared = code.static_shared;
  info.max_threads = code.max_threads;
  info.prints = (code.flags & QUERN_KERNEL_PRINTS) != 0;
}

}  // namespace

CpuModule::CpuModule(const Binary& binary) {
  int fd = memfd_create("quern-kernel", MFD_CLOEXEC);
  if (fd < 0) raise(ErrorKind::os, "[load] no memory file could be made for a kernel: {}", std::strerror(errno));
  size_t done = 0;
  while (done < binary.code.size()) {
    ssize_t n = write(fd, binary.code.data() + done, binary.code.size() - done);
    if (n <= 0) {
      close(fd);
      raise(ErrorKind::os, "[load] a kernel's code could not be written to memory: {}", std::strerror(errno));
    }
    done += static_cast<size_t>(n);
  }
  std::string path = unique_path(fd);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string why = handle_ ? "" : dlerror();
  close(fd);
  if (!handle_) bug("a compiled kernel does not load: {}", why);
  table_ = static_cast<const QuernCpuModule*>(dlsym(handle_, "quern_module"));
  auto runtime = static_cast<const QuernCpuRuntime**>(dlsym(handle_, "quern_runtime"));
  if (!table_ || !runtime || table_->abi != QUERN_CPU_ABI) {
    dlclose(handle_);
    handle_ = nullptr;
    bug("a compiled kernel has no module table of version {}", QUERN_CPU_ABI);
  }
  *runtime = &cpu_runtime;
  for (uint32_t i = 0; i < table_->kernel_count; ++i) {
    auto kernel = std::make_unique<CpuKernel>();
    kernel->module = this;
    describe(*kernel, table_->kernels[i]);
    kernels_.push_back(std::move(kernel));
  }
}

CpuModule::~CpuModule() {
  if (handle_) dlclose(handle_);
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
