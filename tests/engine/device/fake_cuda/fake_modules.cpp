// The fake driver's modules: cubins, the linker, functions and launches.
#include "fake_cuda/fake_state.h"

#include <elf.h>

#include <algorithm>

namespace fake {

// A multiprocessor has 65,536 registers, which threads get by eights and in warps.
int Function::max_threads() const {
  int each = (module->registers + 7) / 8 * 8;
  return each == 0 ? kernel->max_threads : std::min(kernel->max_threads, 65536 / each / 32 * 32);
}

namespace {

void saxpy(const Call& call) {  // (float a, const float* x, float* y, int n)
  float a = call.at<float>(0);
  const float* x = call.at<const float*>(8);
  float* y = call.at<float*>(16);
  int n = call.at<int>(24);
  for (int i = 0; i < n && static_cast<uint64_t>(i) < call.threads; ++i) y[i] = a * x[i] + y[i];
}
void crash(const Call&) { state().pending = illegal_address; }
void stop(const Call&) { state().pending = 710; }
void shout(const Call& call) { state().printed += "hi " + std::to_string(call.at<int>(0)) + "\n"; }
void nothing(const Call&) {}

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel>& all = *new std::vector<Kernel>{
      {"_Z5saxpyfPKfPfi", saxpy, {{0, 4}, {8, 8}, {16, 8}, {24, 4}}, 1024, 0, 16, 0, 12},
      {"_ZN2ns6reduceIfLi3EEEvPKT_PS1_i", nothing, {{0, 8}, {8, 8}, {16, 4}}, 512, 4096, 0, 8, 40},
      {"_ZN2ns6reduceIdLi3EEEvPKT_PS1_i", nothing, {{0, 8}, {8, 8}, {16, 4}}, 512, 4096, 0, 8, 40},
      {"plain", nothing, {{0, 8}, {8, 8}, {16, 1}}, 1024, 0, 0, 0, 10},
      {"_Z5crashPf", crash, {{0, 8}}, 1024, 0, 0, 0, 8},
      {"_Z4stopv", stop, {}, 1024, 0, 0, 0, 8},
      {"_Z5shouti", shout, {{0, 4}}, 1024, 0, 0, 0, 20},
      {"_Z4nonev", nothing, {}, 1024, 0, 0, 0, 4},
  };
  return all;
}

namespace {

// Of an ELF file: functions without a body.
std::vector<std::string> missing_functions(const std::string& code) {
  static const std::set<std::string> known{"vprintf", "malloc", "free", "__assertfail"};  // the driver's own
  std::vector<std::string> names;
  Elf64_Ehdr head;
  if (code.size() < sizeof head || code.compare(0, 4, "\177ELF") != 0) return names;
  std::memcpy(&head, code.data(), sizeof head);
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  std::memcpy(sections.data(), code.data() + head.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB) continue;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, code.data() + table.sh_offset + at, sizeof symbol);
      std::string name = code.data() + sections[table.sh_link].sh_offset + symbol.st_name;
      if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && known.count(name) == 0)
        names.push_back(name);
    }
  }
  return names;
}

template <class T>
T read(const char* cubin, uint64_t offset) {
  T value;
  std::memcpy(&value, cubin + offset, sizeof value);
  return value;
}

// f(name, header) of each section.
template <class F>
void each_section(const char* cubin, F&& f) {
  auto header = read<Elf64_Ehdr>(cubin, 0);
  auto names = read<Elf64_Shdr>(cubin, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    auto section = read<Elf64_Shdr>(cubin, header.e_shoff + i * sizeof(Elf64_Shdr));
    f(std::string(cubin + names.sh_offset + section.sh_name), section);
  }
}

// The most registers that a kernel of a cubin takes: section .nv.info has a record of each.
int registers_in(const char* cubin) {
  int most = 0;
  each_section(cubin, [&](const std::string& name, const Elf64_Shdr& section) {
    if (name != ".nv.info") return;
    for (uint64_t p = section.sh_offset, end = p + section.sh_size; p + 4 <= end;) {
      auto format = read<uint8_t>(cubin, p), attribute = read<uint8_t>(cubin, p + 1);
      auto bytes = read<uint16_t>(cubin, p + 2);
      constexpr uint8_t block = 4, register_count = 0x2f;  // the symbol, the number
      if (format == block && attribute == register_count) most = std::max(most, read<int>(cubin, p + 8));
      p += format == block ? 4u + bytes : 4u;
    }
  });
  return most;
}

// What a cubin has beside kernels() computes nothing, unless it carries code for the CPU.
void make_kernels(Module& module, const char* cubin) {
  each_section(cubin, [&](const std::string& name, const Elf64_Shdr& section) {
    if (name == ".quern.cpu") module.code = load_cpu_code(cubin + section.sh_offset, section.sh_size);
  });
  each_section(cubin, [&](const std::string& name, const Elf64_Shdr&) {
    if (name.rfind(".text.", 0) != 0 || (!module.code && module.functions.count(name.substr(6)))) return;
    auto it = module.made.emplace(name.substr(6), 1).first;
    Kernel& kernel = it->second[0] = {it->first.c_str(), nothing, {}, 1024, 0, 0, 0, 16};
    const CpuKernel* on_cpu = module.code ? module.code->kernel(it->first) : nullptr;
    if (on_cpu) {
      CpuKernelInfo info = info_of(*on_cpu);
      kernel.max_threads = info.max_threads;
      kernel.shared = info.shared;
      for (size_t i = 0; i < info.params; ++i) kernel.params.push_back({info.offset(i), info.bytes(i)});
    }
    module.functions[it->first] = {&kernel, &module, {}, on_cpu};
  });
}

// Kernels are given memory of their own device alone: asked of parameters that are pointers, not of those in structs.
bool sees_others(State& s, const Kernel& kernel, const FakeCudaLaunch& launch) {
  for (const Param& param : kernel.params) {
    Address word;
    if (param.size != sizeof word) continue;
    std::memcpy(&word, launch.args + param.offset, sizeof word);
    auto it = holder_of(s, word);
    if (it == s.memory.end() || it->second.device == current->device) continue;
    std::fprintf(stderr, "the tests' driver: cuda:%d gives a kernel memory of cuda:%d\n", current->device, it->second.device);
    return true;
  }
  return false;
}

void compute(State& s, const Function& function, const FakeCudaLaunch& launch, uint64_t threads) {
  if (!function.on_cpu) return function.kernel->run({launch.args, launch.arg_bytes, threads});
  std::string wrong = run_on_cpu(*function.on_cpu, launch.grid, launch.block, launch.shared_bytes, launch.cooperative != 0,
                                 launch.args, launch.arg_bytes);
  if (wrong.empty()) return;
  std::fprintf(stderr, "the tests' driver: %s\n", wrong.c_str());
  s.pending = illegal_address;
}

Result run(State& s, Function* function, const unsigned grid[3], const unsigned block[3], unsigned shared, StreamObject* stream,
           void** extra, int cooperative) {
  if (!valid(s, stream)) return invalid_handle;
  const Kernel& kernel = *function->kernel;
  uint64_t threads = 1, blocks = 1;
  for (int i = 0; i < 3; ++i) {
    threads *= block[i];
    blocks *= grid[i];
  }
  if (threads == 0 || blocks == 0 || threads > 1024 || grid[1] > 65535 || grid[2] > 65535) return invalid_value;
  if (threads > static_cast<uint64_t>(function->max_threads())) return out_of_resources;
  int allowed = function->attributes.count(8) ? function->attributes[8] : 49152 - kernel.shared;
  if (shared > static_cast<unsigned>(allowed)) return invalid_value;
  if (cooperative && blocks > 132 * 2) return cooperative_too_large;
  FakeCudaLaunch launch{};
  std::snprintf(launch.symbol, sizeof launch.symbol, "%s", kernel.symbol);
  std::memcpy(launch.grid, grid, sizeof launch.grid);
  std::memcpy(launch.block, block, sizeof launch.block);
  launch.shared_bytes = shared;
  launch.stream = stream;
  launch.cooperative = cooperative;
  const void* args = nullptr;
  for (void** word = extra; word && *word; word += 2) {
    if (word[0] == reinterpret_cast<void*>(1)) args = word[1];
    if (word[0] == reinterpret_cast<void*>(2)) launch.arg_bytes = *static_cast<size_t*>(word[1]);
  }
  size_t needed = kernel.params.empty() ? 0 : kernel.params.back().offset + kernel.params.back().size;
  if (launch.arg_bytes < needed || launch.arg_bytes > sizeof launch.args) return invalid_value;
  if (args) std::memcpy(launch.args, args, launch.arg_bytes);
  s.launches.push_back(launch);
  if (function->on_cpu && sees_others(s, kernel, launch)) s.pending = illegal_address;
  if (fake_cuda_observer) fake_cuda_observer("", &launch);
  submit(s, stream, [&s, function, launch, n = threads * blocks] { compute(s, *function, launch, n); });
  return ok;
}

}  // namespace

}  // namespace fake

using namespace fake;

extern "C" {

Result cuModuleLoadDataEx(Module** module, const void* image, unsigned, int*, void**) {
  wait_for_host_calls();
  ENTER("cuModuleLoadDataEx", true);
  bool elf = std::memcmp(image, "\177ELF", 4) == 0;
  if (!elf && std::strncmp(static_cast<const char*>(image), ".version", 8) != 0) return invalid_image;
  *module = new Module;
  for (const Kernel& kernel : kernels()) (*module)->functions[kernel.symbol] = {&kernel, *module, {}};
  if (elf) (*module)->registers = registers_in(static_cast<const char*>(image));
  if (elf) make_kernels(**module, static_cast<const char*>(image));
  s.modules.insert(*module);
  return ok;
}
// The linker: the cubin that comes first is what it makes, once every function that it lacks is named somewhere in the others.
Result cuLinkCreate_v2(unsigned count, int* options, void** values, LinkObject** link) {
  ENTER("cuLinkCreate_v2", true);
  *link = new LinkObject;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5) (*link)->log = static_cast<char*>(values[i]);
    if (options[i] == 6) (*link)->log_bytes = reinterpret_cast<size_t>(values[i]);
  }
  s.links.insert(*link);
  return ok;
}
Result cuLinkAddData_v2(LinkObject* link, int kind, void* data, size_t bytes, const char* name, unsigned, int*, void**) {
  ENTER("cuLinkAddData_v2", true);
  if (!s.links.count(link)) return invalid_handle;
  std::string code(static_cast<const char*>(data), bytes);
  if (kind == 1 && (code.empty() || code.back() != '\0')) return invalid_value;
  if (kind == 1 && code.find("rat;") != std::string::npos) {
    link->say("ptxas application ptx input, line 1; error   : Not a name of any known instruction: 'rat'");
    return 218;
  }
  if (link->codes.empty()) link->name = name;
  link->kinds += std::to_string(kind);
  link->codes.push_back(std::move(code));
  return ok;
}
Result cuLinkComplete(LinkObject* link, void** code, size_t* bytes) {
  ENTER("cuLinkComplete", true);
  if (!s.links.count(link) || link->codes.empty()) return invalid_handle;
  for (const std::string& wanted : missing_functions(link->codes[0])) {
    bool found = false;
    for (size_t i = 1; i < link->codes.size(); ++i) found |= link->codes[i].find(wanted) != std::string::npos;
    if (found) continue;
    link->say("error   : Undefined reference to '" + wanted + "' in '" + link->name + "'");
    return 999;  // so the real one does, with nothing lost
  }
  s.last_link = link->kinds;
  *code = link->codes[0].data();
  *bytes = link->codes[0].size();
  return ok;
}
Result cuLinkDestroy(LinkObject* link) {
  ENTER("cuLinkDestroy", true);
  if (!s.links.erase(link)) return invalid_handle;
  delete link;
  return ok;
}
Result cuModuleUnload(Module* module) {
  ENTER("cuModuleUnload", true);
  if (!s.modules.erase(module)) return invalid_handle;
  finish_context(s, current);
  delete module;
  return ok;
}
Result cuModuleGetFunction(Function** function, Module* module, const char* name) {
  ENTER("cuModuleGetFunction", true);
  auto it = module->functions.find(name);
  if (it == module->functions.end()) return not_found;
  *function = &it->second;
  return ok;
}
Result cuModuleGetGlobal_v2(Address* pointer, size_t* bytes, Module* module, const char* name) {
  ENTER("cuModuleGetGlobal_v2", true);
  if (CpuGlobal found = module->code ? module->code->global(name) : CpuGlobal{}; found.address) {
    *pointer = reinterpret_cast<Address>(found.address);
    *bytes = found.bytes;
    return ok;
  }
  if (std::strcmp(name, "_ZN2ns12coefficientsE") != 0 && std::strcmp(name, "quern_state") != 0) return not_found;
  *pointer = reinterpret_cast<Address>(module->coefficients);
  *bytes = sizeof module->coefficients;
  return ok;
}
Result cuFuncGetAttribute(int* value, int attribute, Function* function) {
  ENTER("cuFuncGetAttribute", true);
  const Kernel& kernel = *function->kernel;
  const int values[] = {function->max_threads(), kernel.shared, kernel.constant, kernel.local,
                        std::max(kernel.registers, function->module->registers)};
  if (attribute < 0 || attribute > 4) return invalid_value;
  *value = values[attribute];
  return ok;
}
Result cuFuncSetAttribute(Function* function, int attribute, int value) {
  ENTER("cuFuncSetAttribute", true);
  if (attribute != 8 || value > 232448 - function->kernel->shared) return invalid_value;
  function->attributes[attribute] = value;
  return ok;
}
Result cuFuncGetParamInfo(Function* function, size_t index, size_t* offset, size_t* bytes) {
  ENTER("cuFuncGetParamInfo", true);
  if (index >= function->kernel->params.size()) return invalid_value;
  *offset = function->kernel->params[index].offset;
  *bytes = function->kernel->params[index].size;
  return ok;
}
Result cuLaunchKernel(Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, StreamObject* stream, void** params, void** extra) {
  ENTER("cuLaunchKernel", true);
  if (params) return invalid_value;
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return run(s, function, grid, block, shared, stream, extra, 0);
}

struct FakeAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
  } value;
};
struct FakeConfig {
  unsigned grid[3], block[3], shared;
  StreamObject* stream;
  FakeAttribute* attributes;
  unsigned count;
};
Result cuLaunchKernelEx(const FakeConfig* config, Function* function, void** params, void** extra) {
  wait_for_host_calls();
  ENTER("cuLaunchKernelEx", true);
  if (params) return invalid_value;
  int cooperative = 0;
  for (unsigned i = 0; i < config->count; ++i) {
    if (config->attributes[i].id == 2) cooperative = config->attributes[i].value.cooperative;
  }
  return run(s, function, config->grid, config->block, config->shared, config->stream, extra, cooperative);
}

}  // extern "C"
