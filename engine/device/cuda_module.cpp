// Loading code on a GPU: kernels by name, what is known of them, and global variables.
//
// A kernel is found by its symbol, by a name expression it was compiled with, or by its name in the source when that is unique.
#include "compile/c_kernels.h"
#include "compile/signature.h"
#include "core/error.h"
#include "core/kernel_names.h"
#include "device/cubin.h"
#include "device/cuda.h"

#include <algorithm>
#include <set>

namespace quern {

using namespace cuda;

namespace {

// Names of kernels in messages outlive their modules.
const std::string* keep_name(const std::string& name) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& names = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return &*names.insert(name).first;
}

// "reduce<float,256>" and "reduce< float, 256 >" are one name.
std::string without_spaces(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c != ' ' && c != '\t' && c != '\n') result += c;
  }
  return result;
}

Access access_of(const ParamType& type) {
  if (type.kind == ParamType::Kind::scalar) return Access::none;
  if (type.kind == ParamType::Kind::pointer) return type.pointee_const ? Access::read : Access::both;
  return Access::both;  // a class: it may hold pointers
}

}  // namespace

struct CudaModule::Entry {
  CubinKernel found;
  SymbolName name;
  std::unique_ptr<CudaKernel> kernel;  // made when it is first asked for
};

std::shared_ptr<LoadedModule> CudaDevice::load(const Binary& binary) { return std::make_shared<CudaModule>(*this, binary); }

CudaModule::CudaModule(CudaDevice& device, const Binary& binary) : device_(device), names_(binary.names) {
  Use use(device_, "load");
  if (!use) return;
  std::optional<CubinContents> contents = read_cubin(binary.code);
  if (!contents) raise(ErrorKind::value, "[load] these {} bytes are neither a cubin nor PTX", binary.code.size());
  Result result;
  if (contents->is_ptx) {
    std::string text(reinterpret_cast<const char*>(binary.code.data()), binary.code.size());
    char log[4096] = {};
    int options[] = {jit_error_log, jit_error_log_bytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
    result = driver().cuModuleLoadDataEx(&module_, text.c_str(), 2, options, values);
    if (result == error_invalid_ptx || result == error_unsupported_ptx_version) {
      raise(ErrorKind::compile, "[load] the driver refuses the PTX: {}\n{}", describe(result), log);
    }
  } else {
    result = driver().cuModuleLoadDataEx(&module_, binary.code.data(), 0, nullptr, nullptr);
  }
  if (result == error_no_binary_for_gpu || result == error_invalid_image) {
    raise(ErrorKind::value, "[load] this code was not compiled for {} (compute capability {}.{}): {}", device_.info().name,
          device_.info().major, device_.info().minor, describe(result));
  }
  device_.check(result, "load", "cuModuleLoadDataEx");
  prints_ = contents->prints;
  globals_ = std::move(contents->globals);
  for (CubinKernel& kernel : contents->kernels) {
    auto entry = std::make_unique<Entry>();
    entry->name = read_symbol(kernel.symbol);
    if (entry->name.signature.empty()) learn_type(entry->name, kernel.symbol);
    entry->found = std::move(kernel);
    entries_.push_back(std::move(entry));
  }
}

void CudaModule::learn_type(SymbolName& name, const std::string& symbol) const {
  const std::string request = type_request(symbol);
  for (const auto& [expression, told] : names_) {
    if (expression != request) continue;
    name.signature = type_told(told);
    name.params = read_signature(name.signature).value_or(std::vector<ParamType>{});
  }
}

CudaModule::~CudaModule() {
  if (module_ && device_.usable()) device_.retire(module_);
}

CudaModule::Entry* CudaModule::find(const std::string& name) {
  for (auto& entry : entries_) {
    if (entry->found.symbol == name) return entry.get();
  }
  std::string compact = without_spaces(name);
  for (const auto& [expression, symbol] : names_) {
    if (without_spaces(expression) != compact) continue;
    for (auto& entry : entries_) {
      if (entry->found.symbol == symbol) return entry.get();
    }
  }
  // The more is said the better it fits: ns::f<int>, then ns::f, then f.
  for (std::string SymbolName::* form : {&SymbolName::name, &SymbolName::qualified, &SymbolName::plain}) {
    Entry* found = nullptr;
    size_t count = 0;
    for (auto& entry : entries_) {
      if (without_spaces(entry->name.*form) != compact) continue;
      found = entry.get();
      ++count;
    }
    if (count == 1) return found;
    if (count > 1) return nullptr;
  }
  return nullptr;
}

LoadedKernel* CudaModule::kernel(const std::string& name) {
  std::lock_guard lock(mutex_);
  Entry* entry = find(name);
  if (!entry) return nullptr;
  if (!entry->kernel) entry->kernel = make_kernel(*entry);
  return entry->kernel.get();
}

std::unique_ptr<CudaKernel> CudaModule::make_kernel(const Entry& entry) {
  Use use(device_, "load");
  auto kernel = std::make_unique<CudaKernel>();
  kernel->device = &device_;
  KernelInfo& info = kernel->info;
  info.symbol = entry.found.symbol;
  info.name = shown_kernel_name(info.symbol, entry.name.name);
  kernel->shown_name = keep_name(info.name);
  info.signature = entry.name.signature;
  info.prints = prints_;
  if (!use) return kernel;

  QUERN_CU(device_, "load", cuModuleGetFunction(&kernel->function, module_, info.symbol.c_str()));
  auto read = [&](int attribute) {
    int value = 0;
    QUERN_CU(device_, "load", cuFuncGetAttribute(&value, attribute, kernel->function));
    return static_cast<uint32_t>(value);
  };
  info.max_threads = read(function_max_threads);
  info.static_shared = read(function_shared_bytes);
  info.const_bytes = read(function_const_bytes);
  info.local_bytes = read(function_local_bytes);
  info.registers = read(function_registers);
  // Up to 48 KiB in all a launch needs no permission.
  uint32_t plain = static_cast<uint32_t>(device_.info().max_shared);
  kernel->dynamic_shared_limit = plain - std::min(plain, info.static_shared);

  // Sizes: from the driver where it reports them, else as the compiler wrote them into the code.
  std::vector<CubinKernel::Param> params = entry.found.params;
  info.params_known = entry.found.params_known;
  if (driver().cuFuncGetParamInfo) {
    params.clear();
    size_t offset = 0, size = 0;
    while (driver().cuFuncGetParamInfo(kernel->function, params.size(), &offset, &size) == success) {
      params.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
    }
    info.params_known = true;
  }
  const std::vector<ParamType>& types = entry.name.params;
  bool types_known = !info.signature.empty() && types.size() == params.size();
  if (!types_known) info.signature.clear();
  for (size_t i = 0; i < params.size(); ++i) {
    Access access = types_known ? access_of(types[i]) : params[i].size < sizeof(void*) ? Access::none : Access::both;
    info.params.push_back({params[i].offset, params[i].size, access});
    info.param_bytes = std::max(info.param_bytes, params[i].offset + params[i].size);
  }
  return kernel;
}

std::vector<std::string> CudaModule::kernel_names() {
  std::vector<std::string> names;
  for (auto& entry : entries_) names.push_back(entry->name.name);
  return names;
}

std::optional<GlobalInfo> CudaModule::global(const std::string& name) {
  Use use(device_, "global");
  if (!use || !module_) return std::nullopt;
  std::string symbol = name;
  if (std::find(globals_.begin(), globals_.end(), name) == globals_.end()) {
    std::vector<std::string> matches;
    for (const auto& [expression, lowered] : names_) {
      if (expression == name || expression == "&" + name) matches.push_back(lowered);
    }
    if (matches.empty()) {
      for (const std::string& global : globals_) {
        SymbolName read = read_symbol(global);
        if (read.qualified == name || read.plain == name) matches.push_back(global);
      }
    }
    if (matches.size() > 1) return std::nullopt;
    if (!matches.empty()) symbol = matches[0];
  }
  Address address = 0;
  size_t bytes = 0;
  Result result = driver().cuModuleGetGlobal_v2(&address, &bytes, module_, symbol.c_str());
  if (result == error_not_found) return std::nullopt;
  device_.check(result, "global", "cuModuleGetGlobal");
  return GlobalInfo{reinterpret_cast<void*>(static_cast<uintptr_t>(address)), bytes};
}

}  // namespace quern
