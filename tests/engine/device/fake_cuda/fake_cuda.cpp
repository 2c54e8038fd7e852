// The fake driver. Every exported cu* function does what the real one promises, on host memory, and nothing more.
#include "fake_cuda/fake_cuda.h"

#include "fake_cuda/cpu_code.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using Result = int;
using Address = unsigned long long;

enum : Result {
  ok = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  no_device = 100,
  invalid_image = 200,
  invalid_context = 201,
  peer_access_unsupported = 217,
  already_registered = 712,
  not_registered = 713,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  peer_access_already_enabled = 704,
  out_of_resources = 701,
  cooperative_too_large = 720,
};

// A piece of submitted work, when work is late: it runs when somebody waits for it or for what comes after it.
struct Work {
  std::function<void()> run;
  std::vector<std::shared_ptr<Work>> after;
  bool done = false;
};
using WorkPtr = std::shared_ptr<Work>;

struct Context {
  int device;
  WorkPtr last = nullptr;          // of the default stream
  std::vector<WorkPtr> left = {};  // of streams that are gone
  int asked = 0;
};
struct StreamObject {
  Context* context;
  unsigned flags;
  int priority;
  WorkPtr last = nullptr;
  int asked = 0;
  bool blocking() const { return (flags & 1) == 0; }
};
struct EventObject {
  Context* context;
  unsigned flags;
  uint64_t time = 0;  // 0: not recorded
  WorkPtr work = nullptr;
  int asked = 0;
};
struct Kernel;
struct Module;
struct Function {
  const Kernel* kernel;
  Module* module;
  std::map<int, int> attributes;
  const CpuKernel* on_cpu = nullptr;
  int max_threads() const;
};
struct Module {
  int registers = 0;                                // of a thread, by the cubin
  std::map<std::string, std::vector<Kernel>> made;  // for kernels of the cubin that are not in kernels(): one each
  std::map<std::string, Function> functions;
  std::unique_ptr<CpuCode> code;  // what computes, where the cubin carries it
  float coefficients[4] = {1, 2, 3, 4};
};

struct LinkObject {
  char* log = nullptr;
  size_t log_bytes = 0;
  std::vector<std::string> codes;
  std::string name, kinds;
  void say(const std::string& text) const {
    if (log && log_bytes) std::snprintf(log, log_bytes, "%s", text.c_str());
  }
};

// What a kernel gets: one call for each thread would be slow and prove nothing, so it runs once for the grid.
struct Call {
  const unsigned char* args;
  size_t arg_bytes;
  uint64_t threads;
  template <class T>
  T at(size_t offset) const {
    T value;
    std::memcpy(&value, args + offset, sizeof value);
    return value;
  }
};

struct Param {
  size_t offset, size;
};
struct Kernel {
  const char* symbol;
  void (*run)(const Call&);
  std::vector<Param> params;
  int max_threads, shared, constant, local, registers;
};

// A multiprocessor has 65,536 registers, which threads get by eights and in warps.
int Function::max_threads() const {
  int each = (module->registers + 7) / 8 * 8;
  return each == 0 ? kernel->max_threads : std::min(kernel->max_threads, 65536 / each / 32 * 32);
}

struct Memory {
  size_t bytes;
  int device;
};

// Leaked on purpose: calls may come while the process ends.
struct State {
  std::mutex mutex;
  bool initialised = false;
  int version = 13000, devices = 2;
  Context contexts[8] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  Result lost = ok;     // every call that touches the GPU returns it
  Result pending = ok;  // becomes `lost` at the next wait
  std::string printed;
  size_t free_memory = size_t{1} << 30;
  std::map<Address, Memory> memory;
  std::set<std::pair<int, int>> peers;  // who may see whose memory
  std::map<void*, size_t> host, registered;
  std::set<StreamObject*> streams;
  std::set<EventObject*> events;
  std::set<Module*> modules;
  std::set<LinkObject*> links;
  std::string last_link;
  std::map<std::string, Result> failures;
  std::vector<FakeCudaLaunch> launches;
  std::vector<std::pair<void (*)(void*), void*>> held;
  uint64_t calls = 0, clock = 0;
  unsigned last_flags = 0;
  bool hold = false;
  bool late = false, has_peers = true;
};

thread_local Context* current = nullptr;

State& state() {
  static State& state = *new State;
  return state;
}

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

// What each call does first. Returns true when the call must return `result` at once.
bool refused(const char* symbol, Result& result, bool touches_gpu) {
  State& s = state();
  ++s.calls;
  if (fake_cuda_observer) fake_cuda_observer(symbol, nullptr);
  if (auto planned = s.failures.find(symbol); planned != s.failures.end()) {
    result = planned->second;
    s.failures.erase(planned);
    if (result >= illegal_address && result < 720) s.lost = result;
    return true;
  }
  if (!s.initialised) {
    result = not_initialized;
    return true;
  }
  if (touches_gpu && s.lost != ok) {
    result = s.lost;
    return true;
  }
  if (touches_gpu && !current) {
    result = invalid_context;
    return true;
  }
  return false;
}

#define ENTER(symbol, touches_gpu) \
  State& s = state();              \
  std::lock_guard lock(s.mutex);   \
  if (Result refusal; refused(symbol, refusal, touches_gpu)) return refusal

// What a wait brings out.
Result settle(State& s) {
  if (!s.printed.empty()) {
    std::fputs(s.printed.c_str(), stdout);  // as the real driver does: not flushed
    s.printed.clear();
  }
  if (s.pending != ok) {
    s.lost = s.pending;
    s.pending = ok;
  }
  return s.lost;
}

bool valid(State& s, StreamObject* stream) { return !stream || s.streams.count(stream); }

// The piece of memory that the address points into.
std::map<Address, Memory>::iterator holder_of(State& s, Address address) {
  auto it = s.memory.upper_bound(address);
  if (it == s.memory.begin()) return s.memory.end();
  --it;
  return address < it->first + it->second.bytes ? it : s.memory.end();
}

bool inside(State& s, Address address, size_t bytes) {
  auto it = holder_of(s, address);
  return it != s.memory.end() && address + bytes <= it->first + it->second.bytes;
}

bool is_exposed(const std::map<void*, size_t>& host, const void* pointer) {
  const char* p = static_cast<const char*>(pointer);
  for (const auto& [start, bytes] : host) {
    if (p >= start && p < static_cast<const char*>(start) + bytes) return true;
  }
  return false;
}

// ---- work that is late

void finish(const WorkPtr& work) {
  std::vector<WorkPtr> stack{work};
  while (!stack.empty()) {
    WorkPtr now = stack.back();
    if (!now || now->done) {
      stack.pop_back();
      continue;
    }
    auto before = std::find_if(now->after.begin(), now->after.end(), [](const WorkPtr& w) { return w && !w->done; });
    if (before != now->after.end()) {
      stack.push_back(*before);
      continue;
    }
    now->done = true;
    now->after.clear();
    if (now->run) std::exchange(now->run, nullptr)();
  }
}

// In the order of the stream, and as the legacy default stream and the others of its context wait for each other.
WorkPtr submit(State& s, StreamObject* stream, std::function<void()> f, const WorkPtr& after = nullptr) {
  if (!s.late) {
    if (f) f();
    return nullptr;
  }
  Context* context = stream ? stream->context : current;
  WorkPtr& last = stream ? stream->last : context->last;
  auto work = std::make_shared<Work>(Work{std::move(f), {last, after}, false});
  if (stream && stream->blocking()) work->after.push_back(context->last);
  for (StreamObject* other : s.streams) {
    if (!stream && other->context == context && other->blocking()) work->after.push_back(other->last);
  }
  return last = work;
}

void finish(State& s, StreamObject* stream) { finish(submit(s, stream, nullptr)); }

void finish_context(State& s, Context* context) {
  finish(context->last);
  for (StreamObject* stream : s.streams) {
    if (stream->context == context) finish(stream->last);
  }
  for (const WorkPtr& work : std::exchange(context->left, {})) finish(work);
}

// Who asks often enough sees the work end: a wait that polls ends.
bool is_late(const WorkPtr& work, int& asked) {
  if (!work || work->done) return false;
  if (++asked % 8) return true;
  finish(work);
  return false;
}

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
Result fill(State& s, Address dst, size_t pitch, T value, size_t width, size_t height, StreamObject* stream) {
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, dst, pitch * (height - 1) + width * sizeof(T))) return invalid_value;
  submit(s, stream, [=] {
    for (size_t row = 0; row < height; ++row) {
      unsigned char* p = reinterpret_cast<unsigned char*>(dst) + row * pitch;
      for (size_t i = 0; i < width; ++i) std::memcpy(p + i * sizeof(T), &value, sizeof(T));
    }
  });
  return ok;
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

extern "C" {

// Controls.

void fake_cuda_reset() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.free_memory = size_t{1} << 30;
  s.failures.clear();
  s.launches.clear();
  s.hold = false;
}
void fake_cuda_fail_next(const char* symbol, int result) {
  std::lock_guard lock(state().mutex);
  state().failures[symbol] = result;
}
void fake_cuda_set_memory(size_t bytes) {
  std::lock_guard lock(state().mutex);
  state().free_memory = bytes;
}
size_t fake_cuda_launch_count() {
  std::lock_guard lock(state().mutex);
  return state().launches.size();
}
int fake_cuda_last_launch(FakeCudaLaunch* launch) {
  std::lock_guard lock(state().mutex);
  if (state().launches.empty()) return 0;
  *launch = state().launches.back();
  return 1;
}
size_t fake_cuda_live(const char* what) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  std::string kind = what;
  if (kind == "memory") return s.memory.size();
  if (kind == "host") return s.host.size();
  if (kind == "stream") return s.streams.size();
  if (kind == "event") return s.events.size();
  if (kind == "link") return s.links.size();
  return s.modules.size();
}
const char* fake_cuda_last_link() {
  std::lock_guard lock(state().mutex);
  return state().last_link.c_str();
}
uint64_t fake_cuda_calls() {
  std::lock_guard lock(state().mutex);
  return state().calls;
}
void fake_cuda_hold(int on) {
  State& s = state();
  std::vector<std::pair<void (*)(void*), void*>> run;
  {
    std::lock_guard lock(s.mutex);
    s.hold = on != 0;
    if (!on) run.swap(s.held);
  }
  for (auto& [function, data] : run) function(data);
}
unsigned fake_cuda_last_flags() {
  std::lock_guard lock(state().mutex);
  return state().last_flags;
}
int fake_cuda_function_attribute(const char* symbol, int attribute) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  for (Module* module : s.modules) {
    auto it = module->functions.find(symbol);
    if (it != module->functions.end() && it->second.attributes.count(attribute)) return it->second.attributes[attribute];
  }
  return -1;
}

// The driver and its devices.

Result cuInit(unsigned) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  ++s.calls;
  if (const char* devices = std::getenv("FAKE_CUDA_DEVICES")) s.devices = std::atoi(devices);
  s.late = std::getenv("FAKE_CUDA_LATE") != nullptr;
  s.has_peers = std::getenv("FAKE_CUDA_NO_PEERS") == nullptr;
  if (s.devices == 0) return no_device;
  s.initialised = true;
  return ok;
}
Result cuDriverGetVersion(int* version) {
  const char* chosen = std::getenv("FAKE_CUDA_VERSION");
  *version = chosen ? std::atoi(chosen) : state().version;
  return ok;
}
Result cuGetErrorName(Result error, const char** text) {
  *text = error == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == no_device     ? "CUDA_ERROR_NO_DEVICE"
          : error == 710           ? "CUDA_ERROR_ASSERT"
                                   : "CUDA_ERROR_OTHER";
  return ok;
}
Result cuGetErrorString(Result error, const char** text) {
  *text = error == illegal_address ? "an illegal memory access was encountered"
          : error == out_of_memory ? "out of memory"
          : error == no_device     ? "no CUDA-capable device is detected"
          : error == 710           ? "device-side assert triggered"
                                   : "some other error";
  return ok;
}
Result cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount", false);
  *count = s.devices;
  return ok;
}
Result cuDeviceGet(int* device, int ordinal) {
  ENTER("cuDeviceGet", false);
  if (ordinal < 0 || ordinal >= s.devices) return 101;
  *device = ordinal;
  return ok;
}
Result cuDeviceGetName(char* name, int bytes, int device) {
  ENTER("cuDeviceGetName", false);
  std::snprintf(name, static_cast<size_t>(bytes), "Fake GPU %d", device);
  return ok;
}
Result cuDeviceGetPCIBusId(char* text, int bytes, int device) {
  ENTER("cuDeviceGetPCIBusId", false);
  std::snprintf(text, static_cast<size_t>(bytes), "0000:0%d:00.0", device);
  return ok;
}
Result cuDeviceTotalMem_v2(size_t* bytes, int) {
  ENTER("cuDeviceTotalMem_v2", false);
  *bytes = size_t{80} << 30;
  return ok;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER("cuDeviceGetAttribute", false);
  static const std::map<int, int>& values =
      *new std::map<int, int>{{1, 1024},  {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535},  {7, 65535},
                              {8, 49152}, {10, 32},  {16, 132}, {75, 9}, {76, 0},         {97, 232448}};
  auto it = values.find(attribute);
  if (it == values.end()) return invalid_value;
  *value = it->second;
  return ok;
}

// The primary context.

Result cuDevicePrimaryCtxRetain(Context** context, int device) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  *context = &s.contexts[device];
  return ok;
}
Result cuCtxGetCurrent(Context** context) {
  ENTER("cuCtxGetCurrent", false);
  *context = current;
  return ok;
}
Result cuCtxSetCurrent(Context* context) {
  ENTER("cuCtxSetCurrent", false);
  current = context;
  return ok;
}
Result cuDeviceCanAccessPeer(int* can, int device, int peer) {
  ENTER("cuDeviceCanAccessPeer", false);
  *can = s.has_peers && device != peer;
  return ok;
}
Result cuCtxEnablePeerAccess(Context* peer, unsigned flags) {
  ENTER("cuCtxEnablePeerAccess", true);
  if (flags != 0 || peer == current) return invalid_value;
  if (!s.has_peers) return peer_access_unsupported;
  return s.peers.emplace(current->device, peer->device).second ? ok : peer_access_already_enabled;
}
Result cuCtxSynchronize() {
  ENTER("cuCtxSynchronize", true);
  finish_context(s, current);
  return settle(s);
}

// Memory.

Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  ENTER("cuMemGetInfo_v2", true);
  *free = s.free_memory;
  *total = size_t{80} << 30;
  return ok;
}
static Result take(State& s, Address* pointer, size_t bytes) {
  if (bytes == 0) return invalid_value;
  if (bytes > s.free_memory) return out_of_memory;
  s.free_memory -= bytes;
  void* memory = std::aligned_alloc(256, (bytes + 255) & ~size_t{255});
  std::memset(memory, 0, bytes);  // what kernels that compute nothing leave
  *pointer = reinterpret_cast<Address>(memory);
  s.memory[*pointer] = {bytes, current->device};
  return ok;
}
Result cuMemAlloc_v2(Address* pointer, size_t bytes) {
  ENTER("cuMemAlloc_v2", true);
  return take(s, pointer, bytes);
}
Result cuMemAllocManaged(Address* pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemAllocManaged", true);
  if (flags != 1 && flags != 2) return invalid_value;
  return take(s, pointer, bytes);
}
Result cuMemFree_v2(Address pointer) {
  ENTER("cuMemFree_v2", true);
  auto it = s.memory.find(pointer);
  if (it == s.memory.end()) return invalid_value;
  finish_context(s, current);
  s.free_memory += it->second.bytes;
  if (s.late) std::memset(reinterpret_cast<void*>(pointer), 0xdd, it->second.bytes);  // for who still reads it
  std::free(reinterpret_cast<void*>(pointer));
  s.memory.erase(it);
  return ok;
}
Result cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemHostAlloc", true);
  *pointer = std::malloc(bytes);
  s.host[*pointer] = bytes;
  s.last_flags = flags;
  return ok;
}
Result cuMemFreeHost(void* pointer) {
  ENTER("cuMemFreeHost", true);
  finish_context(s, current);
  if (!s.host.erase(pointer)) return invalid_value;
  std::free(pointer);
  return ok;
}
Result cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemHostRegister_v2", true);
  if (!s.registered.emplace(pointer, bytes).second) return already_registered;
  s.last_flags = flags;
  return ok;
}
Result cuMemHostUnregister(void* pointer) {
  ENTER("cuMemHostUnregister", true);
  return s.registered.erase(pointer) ? ok : not_registered;
}
Result cuMemHostGetDevicePointer_v2(Address* device, void* host, unsigned) {
  ENTER("cuMemHostGetDevicePointer_v2", true);
  if (!s.host.count(host) && !s.registered.count(host)) return invalid_value;
  *device = reinterpret_cast<Address>(host);
  return ok;
}

Result cuPointerGetAttribute(void* value, int attribute, Address pointer) {
  ENTER("cuPointerGetAttribute", true);
  bool is_host = s.host.count(reinterpret_cast<void*>(pointer)) || s.registered.count(reinterpret_cast<void*>(pointer));
  if (attribute == 9 ? !inside(s, pointer, 1) : attribute != 2 || !is_host) return invalid_value;
  *static_cast<int*>(value) = attribute == 9 ? holder_of(s, pointer)->second.device : 1;
  return ok;
}

// Copies and fills.

Result cuMemcpyHtoDAsync_v2(Address dst, const void* src, size_t bytes, StreamObject* stream) {
  ENTER("cuMemcpyHtoDAsync_v2", true);
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, dst, bytes)) return invalid_value;
  bool at_once = !s.late || !(is_exposed(s.host, src) || is_exposed(s.registered, src));
  std::string staged(at_once ? static_cast<const char*>(src) : "", at_once ? bytes : 0);
  submit(s, stream, [=] { std::memcpy(reinterpret_cast<void*>(dst), at_once ? staged.data() : src, bytes); });
  return ok;
}
Result cuMemcpyDtoHAsync_v2(void* dst, Address src, size_t bytes, StreamObject* stream) {
  ENTER("cuMemcpyDtoHAsync_v2", true);
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, src, bytes)) return invalid_value;
  WorkPtr work = submit(s, stream, [=] { std::memcpy(dst, reinterpret_cast<void*>(src), bytes); });
  if (!is_exposed(s.host, dst) && !is_exposed(s.registered, dst)) finish(work);
  return ok;
}
Result cuMemcpyAsync(Address dst, Address src, size_t bytes, StreamObject* stream) {
  ENTER("cuMemcpyAsync", true);
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, dst, bytes) || !inside(s, src, bytes)) return invalid_value;
  submit(s, stream, [=] { std::memmove(reinterpret_cast<void*>(dst), reinterpret_cast<void*>(src), bytes); });
  return ok;
}
#define FILL(name, type)                                                              \
  Result cuMemset##name##Async(Address dst, type value, size_t n, StreamObject* st) { \
    ENTER("cuMemset" #name "Async", true);                                            \
    return fill(s, dst, 0, value, n, 1, st);                                          \
  }
FILL(D8, unsigned char)
FILL(D16, unsigned short)
FILL(D32, unsigned)
#define FILL_2D(name, type)                                                                                              \
  Result cuMemsetD2##name##Async(Address dst, size_t pitch, type value, size_t width, size_t height, StreamObject* st) { \
    ENTER("cuMemsetD2" #name "Async", true);                                                                             \
    return fill(s, dst, pitch, value, width, height, st);                                                                \
  }
FILL_2D(D8, unsigned char)
FILL_2D(D16, unsigned short)
FILL_2D(D32, unsigned)

// Streams and events.

Result cuStreamCreateWithPriority(StreamObject** stream, unsigned flags, int priority) {
  ENTER("cuStreamCreateWithPriority", true);
  *stream = new StreamObject{current, flags, priority};
  s.streams.insert(*stream);
  s.last_flags = flags;
  return ok;
}
Result cuStreamDestroy_v2(StreamObject* stream) {
  ENTER("cuStreamDestroy_v2", true);
  if (!s.streams.erase(stream)) return invalid_handle;
  if (stream->last) stream->context->left.push_back(stream->last);
  delete stream;
  return ok;
}
Result cuStreamSynchronize(StreamObject* stream) {
  ENTER("cuStreamSynchronize", true);
  if (!valid(s, stream)) return invalid_handle;
  finish(s, stream);
  return settle(s);
}
Result cuStreamQuery(StreamObject* stream) {
  ENTER("cuStreamQuery", true);
  if (!valid(s, stream)) return invalid_handle;
  if (s.hold) return not_ready;
  if (is_late(stream ? stream->last : current->last, stream ? stream->asked : current->asked)) return not_ready;
  for (StreamObject* other : s.streams) {
    if (!stream && other->context == current && other->blocking() && is_late(other->last, other->asked)) return not_ready;
  }
  return settle(s);
}
Result cuStreamWaitEvent(StreamObject* stream, EventObject* event, unsigned) {
  ENTER("cuStreamWaitEvent", true);
  if (!valid(s, stream) || !s.events.count(event)) return invalid_handle;
  submit(s, stream, nullptr, event->work);
  return ok;
}
Result cuLaunchHostFunc(StreamObject* stream, void (*call)(void*), void* data) {
  {
    ENTER("cuLaunchHostFunc", true);
    if (!valid(s, stream)) return invalid_handle;
    if (s.hold) {
      s.held.emplace_back(call, data);
      return ok;
    }
    if (s.late) {
      submit(s, stream, [=] { call(data); });
      return ok;
    }
  }
  call(data);
  return ok;
}
Result cuEventCreate(EventObject** event, unsigned flags) {
  ENTER("cuEventCreate", true);
  *event = new EventObject{current, flags};
  s.events.insert(*event);
  s.last_flags = flags;
  return ok;
}
Result cuEventDestroy_v2(EventObject* event) {
  ENTER("cuEventDestroy_v2", true);
  if (!s.events.erase(event)) return invalid_handle;
  delete event;
  return ok;
}
Result cuEventRecord(EventObject* event, StreamObject* stream) {
  ENTER("cuEventRecord", true);
  if (!s.events.count(event) || !valid(s, stream)) return invalid_handle;
  if (event->context != (stream ? stream->context : current)) return invalid_handle;
  event->time = ++s.clock;
  event->work = submit(s, stream, nullptr);
  return ok;
}
Result cuEventSynchronize(EventObject* event) {
  ENTER("cuEventSynchronize", true);
  if (!s.events.count(event)) return invalid_handle;
  finish(event->work);
  return settle(s);
}
Result cuEventQuery(EventObject* event) {
  ENTER("cuEventQuery", true);
  if (!s.events.count(event)) return invalid_handle;
  if ((s.hold && event->time) || is_late(event->work, event->asked)) return not_ready;
  return settle(s);
}
Result cuEventElapsedTime(float* milliseconds, EventObject* start, EventObject* end) {
  ENTER("cuEventElapsedTime", true);
  if (!s.events.count(start) || !s.events.count(end) || !start->time || !end->time) return invalid_handle;
  if (s.hold || (start->work && !start->work->done) || (end->work && !end->work->done)) return not_ready;
  *milliseconds = static_cast<float>(end->time - start->time);
  return ok;
}

// Code.

Result cuModuleLoadDataEx(Module** module, const void* image, unsigned, int*, void**) {
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
  ENTER("cuLaunchKernelEx", true);
  if (params) return invalid_value;
  int cooperative = 0;
  for (unsigned i = 0; i < config->count; ++i) {
    if (config->attributes[i].id == 2) cooperative = config->attributes[i].value.cooperative;
  }
  return run(s, function, config->grid, config->block, config->shared, config->stream, extra, cooperative);
}

}  // extern "C"
