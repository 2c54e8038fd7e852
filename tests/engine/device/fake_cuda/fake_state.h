// What the parts of the fake driver share: its objects, its state, and what each call does first.
#pragma once

#include "fake_cuda/cpu_code.h"
#include "fake_cuda/fake_cuda.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fake {

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
  bool late = false, has_peers = true, has_host_thread = false;
  std::atomic<int> host_calls = 0;  // to come, where there is a host thread
};

extern thread_local Context* current;
State& state();

// What each call does first. Returns true when the call must return `result` at once.
bool refused(const char* symbol, Result& result, bool touches_gpu);

#define ENTER(symbol, touches_gpu) \
  State& s = state();              \
  std::lock_guard lock(s.mutex);   \
  if (Result refusal; refused(symbol, refusal, touches_gpu)) return refusal

// What the driver's calls that may wait for host functions do before anything else.
void wait_for_host_calls();

bool valid(State& s, StreamObject* stream);
// The piece of memory that the address points into.
std::map<Address, Memory>::iterator holder_of(State& s, Address address);
// In the order of the stream, and as the legacy default stream and the others of its context wait for each other.
WorkPtr submit(State& s, StreamObject* stream, std::function<void()> f, const WorkPtr& after = nullptr);
void finish_context(State& s, Context* context);
// The kernels that every module has (fake_modules.cpp).
const std::vector<Kernel>& kernels();

}  // namespace fake
