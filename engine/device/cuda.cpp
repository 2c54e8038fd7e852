// The CUDA device on the primary context: making it, launching, and what its errors mean.
//
// Start at CudaDevice::launch for the hot path and at CudaDevice::fail for errors. Memory, copies and fills are in
// cuda_memory.cpp, streams and events in cuda_stream.cpp, modules and kernels in cuda_module.cpp, linking in
// cuda_link.cpp.
#include "device/cuda.h"

#include "device/attributes.h"

#include "core/error.h"
#include "core/user_command.h"

#include <algorithm>
#include <cstdio>

namespace quern {

using namespace cuda;

namespace {

// After one of these nothing works any more in this context.
bool loses_context(Result result) {
  switch (result) {
    case error_deinitialized:
    case error_ecc:
    case error_nvlink:
    case error_contained:
    case error_illegal_address:
    case error_launch_timeout:
    case error_context_is_destroyed:
    case error_assert:
    case error_hardware_stack:
    case error_illegal_instruction:
    case error_misaligned_address:
    case error_invalid_address_space:
    case error_invalid_pc:
    case error_launch_failed:
    case error_tensor_memory_leak:
    case error_unknown:
      return true;
    default:
      return false;
  }
}

bool by_kernel(Result result) { return result >= error_illegal_address && result != error_context_is_destroyed; }

int read_attribute(DeviceHandle id, int number) {
  int value = 0;
  Result result = driver().cuDeviceGetAttribute(&value, number, id);
  if (result != success) raise(ErrorKind::runtime, "[device] attribute {} cannot be read: {}", number, describe(result));
  return value;
}

Dim3 read_dim3(DeviceHandle id, int first) {
  Dim3 dims;
  for (int i = 0; i < 3; ++i) dims[i] = static_cast<uint32_t>(read_attribute(id, first + i));
  return dims;
}

std::string place(Site site) {
  std::string where = describe_site(site);
  return where.empty() ? "at an unknown line" : "at " + where;
}

}  // namespace

CudaDevice::CudaDevice(int number) {
  kind = DeviceKind::cuda;
  index = number;
  Result result = driver().cuDeviceGet(&id_, number);
  if (result == success) result = driver().cuDevicePrimaryCtxRetain(&context_, id_);
  if (result != success) raise(ErrorKind::runtime, "[device] cuda:{} cannot be used: {}", number, describe(result));
  char text[256] = {};
  if (driver().cuDeviceGetName(text, sizeof text - 1, id_) == success) info_.name = text;
  char bus[32] = {};
  if (driver().cuDeviceGetPCIBusId(bus, sizeof bus - 1, id_) == success) info_.pci_bus_id = bus;
  driver().cuDeviceTotalMem_v2(&info_.total_memory, id_);
  info_.major = read_attribute(id_, device_attribute::compute_capability_major);
  info_.minor = read_attribute(id_, device_attribute::compute_capability_minor);
  info_.max_threads_per_block = static_cast<uint32_t>(read_attribute(id_, device_attribute::max_threads_per_block));
  info_.max_block = read_dim3(id_, device_attribute::max_block_dim_x);
  info_.max_grid = read_dim3(id_, device_attribute::max_grid_dim_x);
  info_.max_shared = static_cast<size_t>(read_attribute(id_, device_attribute::max_shared_memory_per_block));
  info_.max_shared_optin = static_cast<size_t>(read_attribute(id_, device_attribute::max_shared_memory_per_block_optin));
  info_.multiprocessors = static_cast<uint32_t>(read_attribute(id_, device_attribute::multiprocessor_count));
  info_.warp_size = static_cast<uint32_t>(read_attribute(id_, device_attribute::warp_size));
  default_stream_ = std::make_unique<CudaStream>(*this, nullptr, false);
}

int CudaDevice::attribute(int number) {
  Use use(*this, "attribute");
  if (!use) return 0;
  int value = 0;
  Result result = driver().cuDeviceGetAttribute(&value, number, id_);
  if (result == error_invalid_value) raise(ErrorKind::value, "[attribute] this driver has no device attribute {}", number);
  check(result, "attribute", "cuDeviceGetAttribute");
  return value;
}

Target CudaDevice::target() { return {DeviceKind::cuda, formatted("sm_{}{}", info_.major, info_.minor)}; }

// What a GPU runs cannot be stopped. The kernels are those not known to have ended, the most likely one first.
std::vector<Stopped> CudaDevice::interrupt() noexcept {
  std::vector<Stopped> out;
  if (!usable()) return out;
  try {
    Use use(*this, "interrupt");
    if (!use || driver().cuStreamQuery(nullptr) != error_not_ready) return out;
    left_running_ = true;
    std::vector<Recent> running;
    {
      std::lock_guard lock(recent_mutex_);
      for (const Recent& recent : recent_) {
        if (recent.kernel) running.push_back(recent);
      }
    }
    std::sort(running.begin(), running.end(), [](const Recent& a, const Recent& b) { return a.number < b.number; });
    for (const Recent& recent : running) out.push_back({*recent.kernel, recent.site, true, {}});
  } catch (...) {
  }
  return out;
}

void CudaDevice::launch(Stream& stream, LoadedKernel& kernel, const LaunchShape& shape, const void* args, size_t arg_bytes,
                        Site site) {
  Use use(*this, "launch");
  if (!use) return;
  CudaStream& s = own(stream, "launch");
  CudaKernel& k = static_cast<CudaKernel&>(kernel);
  if (k.device != this) [[unlikely]] {
    raise(ErrorKind::value, "[launch] {} was loaded on cuda:{}, not on cuda:{}", k.info.name, k.device->index, index);
  }
  if (arg_bytes < k.info.param_bytes && k.info.params_known) [[unlikely]] {
    raise(ErrorKind::value, "[launch] {} takes {} bytes of arguments; {} were given", k.info.name, k.info.param_bytes, arg_bytes);
  }
  if (shape.dynamic_shared > k.dynamic_shared_limit.load(std::memory_order_relaxed)) [[unlikely]] {
    allow_shared(k, shape.dynamic_shared);
  }
  CudaLaunch launch{k.function, shape.grid, shape.block, shape.dynamic_shared, arg_bytes, k.shown_name, &k, site};
  if (!shape.cooperative) [[likely]]
    return this->launch(s, launch, args);
  void* extra[] = {launch_param_buffer, const_cast<void*>(args), launch_param_size, &arg_bytes, launch_param_end};
  LaunchAttribute attribute{};
  attribute.id = launch_attribute_cooperative;
  attribute.value.cooperative = 1;
  StreamHandle handle = s.handle();
  LaunchConfig config{shape.grid[0],  shape.grid[1],        shape.grid[2], shape.block[0], shape.block[1],
                      shape.block[2], shape.dynamic_shared, handle,        &attribute,     1};
  Result result = driver().cuLaunchKernelEx(&config, k.function, nullptr, arg_bytes ? extra : nullptr);
  if (result != success) [[unlikely]]
    refuse_launch(result, launch);
  launched(handle, launch);
}

void CudaDevice::launch(CudaStream& stream, const CudaLaunch& launch, const void* args) {
  if (together.collects(stream) && together.add(stream, launch, args)) return;
  Result result = try_launch(stream.bare_handle(), launch, args);
  if (result != success) [[unlikely]]
    refuse_launch(result, launch);
}

Result CudaDevice::try_launch(StreamHandle stream, const CudaLaunch& launch, const void* args) {
  size_t bytes = launch.arg_bytes;
  void* extra[] = {launch_param_buffer, const_cast<void*>(args), launch_param_size, &bytes, launch_param_end};
  Result result =
      driver().cuLaunchKernel(launch.function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
                              launch.block[2], launch.shared, stream, nullptr, bytes ? extra : nullptr);
  if (result == success) launched(stream, launch);
  return result;
}

void CudaDevice::launched(StreamHandle stream, const CudaLaunch& launch) {
  if (launch.kernel && launch.kernel->info.prints) printed_.store(true, std::memory_order_relaxed);
  std::lock_guard lock(recent_mutex_);
  uint64_t number = launches_.load(std::memory_order_relaxed) + 1;
  launches_.store(number, std::memory_order_relaxed);
  recent_[number % recent_count] = {launch.name, launch.site, reinterpret_cast<uintptr_t>(stream), number};
}

// More than 48 KiB of shared memory must be asked for by name; nvcc's users do it with cudaFuncSetAttribute, we do it for them.
void CudaDevice::allow_shared(CudaKernel& kernel, uint32_t bytes) {
  size_t room = info_.max_shared_optin - std::min<size_t>(info_.max_shared_optin, kernel.info.static_shared);
  if (bytes > room) {
    raise(ErrorKind::value,
          "[launch] {} was given {} bytes of dynamic shared memory; {} allows {} a block, of which the kernel "
          "itself uses {}",
          kernel.info.name, bytes, info_.name, info_.max_shared_optin, kernel.info.static_shared);
  }
  QUERN_CU(*this, "launch", cuFuncSetAttribute(kernel.function, function_max_dynamic_shared, static_cast<int>(bytes)));
  kernel.dynamic_shared_limit.store(bytes, std::memory_order_relaxed);
}

// The driver only says "invalid value": this says which.
void CudaDevice::refuse_launch(Result result, const CudaLaunch& shape) {
  if (loses_context(result) || !shape.kernel) fail(result, "launch", "cuLaunchKernel");
  const KernelInfo& k = shape.kernel->info;
  uint64_t threads = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  constexpr const char* axis = "xyz";
  for (int i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.block[i] == 0) {
      raise(ErrorKind::value, "[launch] {}: grid ({}, {}, {}) and block ({}, {}, {}) must be 1 or more in every dimension",
            k.name, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2]);
    }
    if (shape.grid[i] > info_.max_grid[i]) {
      raise(ErrorKind::value, "[launch] {}: the grid has {} blocks in {}; the limit is {}", k.name, shape.grid[i], axis[i],
            info_.max_grid[i]);
    }
    if (shape.block[i] > info_.max_block[i]) {
      raise(ErrorKind::value, "[launch] {}: the block has {} threads in {}; the limit is {}", k.name, shape.block[i], axis[i],
            info_.max_block[i]);
    }
  }
  if (threads > info_.max_threads_per_block) {
    raise(ErrorKind::value, "[launch] {}: the block has {} threads; the limit is {}", k.name, threads,
          info_.max_threads_per_block);
  }
  if (threads > k.max_threads || result == error_launch_out_of_resources) {
    raise(ErrorKind::value,
          "[launch] {}: a block of {} threads is too large for this kernel, which uses {} registers a thread and "
          "can have {} threads: take smaller blocks or __launch_bounds__",
          k.name, threads, k.registers, k.max_threads);
  }
  if (result == error_cooperative_too_large) {
    raise(ErrorKind::value,
          "[launch] {}: a cooperative launch must fit on the GPU at once; {} blocks of {} threads do not: take "
          "fewer blocks",
          k.name, uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2], threads);
  }
  raise(result == error_out_of_memory ? ErrorKind::out_of_memory : ErrorKind::runtime, "[launch] {} was not started: {}", k.name,
        describe(result));
}

CudaStream& CudaDevice::own(Stream& stream, const char* op) {
  if (&stream.device != this) [[unlikely]] {
    raise(ErrorKind::value, "[{}] the stream belongs to {}, not to cuda:{}", op,
          stream.device.kind == DeviceKind::cpu ? std::string("the CPU") : formatted("cuda:{}", stream.device.index), index);
  }
  return static_cast<CudaStream&>(stream);
}

// Errors.

void CudaDevice::fail(Result result, const char* op, const char* call) {
  if (loses_context(result)) {
    lose(result);
    raise_unusable(op);
  }
  std::string name(call, std::find_if(call, call + std::char_traits<char>::length(call), [](char c) { return c == '('; }));
  if (result == error_out_of_memory) {
    raise(ErrorKind::out_of_memory, "[{}] out of memory on cuda:{} ({} failed): free what is no longer needed", op, index, name);
  }
  raise(result == error_invalid_value ? ErrorKind::value : ErrorKind::runtime, "[{}] {} failed on cuda:{}: {}", op, name, index,
        describe(result));
}

void CudaDevice::note(Result result) noexcept {
  if (result != success && loses_context(result)) lose(result);
}

// The first failure decides the text; later ones only echo it. Describing a site may ask Python: no lock is held meanwhile.
void CudaDevice::lose(Result result) noexcept {
  std::string text;
  try {
    std::vector<Recent> running;
    {
      std::lock_guard lock(recent_mutex_);
      if (state_.load(std::memory_order_relaxed) != State::alive) return;
      for (const Recent& recent : recent_) {
        if (recent.kernel) running.push_back(recent);
      }
    }
    std::sort(running.begin(), running.end(), [](const Recent& a, const Recent& b) { return a.number < b.number; });
    text = lost_text(result, running);
  } catch (...) {
  }
  std::lock_guard lock(recent_mutex_);
  if (state_.load(std::memory_order_relaxed) != State::alive) return;
  lost_text_ = std::move(text);
  state_.store(State::lost, std::memory_order_release);
}

std::string CudaDevice::lost_text(Result result, const std::vector<Recent>& running) {
  constexpr const char* advice = "The CUDA context of this process is lost, with everything on the GPU: start the program again";
  if (!by_kernel(result) || running.empty()) {
    return formatted("[launch] cuda:{} failed: {}. {}.", index, describe(result), advice);
  }
  if (running.size() == 1) {
    return formatted("[launch] the kernel {}, launched {}, failed: {}. {}. {} finds the line in the kernel.", *running[0].kernel,
                     place(running[0].site), describe(result), advice, user_command("check FILE"));
  }
  constexpr size_t shown = 8;
  std::string list;
  for (size_t i = 0; i < running.size() && i < shown; ++i) {
    list += formatted("\n  {}, launched {}", *running[i].kernel, place(running[i].site));
  }
  if (running.size() > shown) list += formatted("\n  and {} later ones", running.size() - shown);
  return formatted(
      "[launch] a kernel failed: {}. It is one of these, most likely the first:{}\n{}. {} or quern.set_debug(\"eager\") "
      "finds which one.",
      describe(result), list, advice, user_command("check FILE"));
}

void CudaDevice::raise_unusable(const char* op) {
  if (forked()) {
    raise(ErrorKind::runtime,
          "[{}] this process was forked after CUDA was initialised, and CUDA does not live through a fork: "
          "start the processes with multiprocessing's \"spawn\" or \"forkserver\", or fork before CUDA is first used",
          op);
  }
  raise_text(ErrorKind::launch, lost_text_.empty() ? "[launch] the CUDA context of this process is lost" : lost_text_);
}

// What is known to have finished.

void CudaDevice::finished(uintptr_t stream, uint64_t last) {
  {
    std::lock_guard lock(recent_mutex_);
    for (Recent& recent : recent_) {
      if (recent.kernel && recent.stream == stream && recent.number <= last) recent.kernel = nullptr;
    }
  }
  // The driver writes what kernels printed to C's stdout while it waits.
  if (printed_.load(std::memory_order_relaxed)) std::fflush(stdout);
  if (has_failure_.load(std::memory_order_acquire)) raise_kept_failure();
}

void CudaDevice::finished_all() {
  {
    std::lock_guard lock(recent_mutex_);
    for (Recent& recent : recent_) recent.kernel = nullptr;
  }
  if (printed_.exchange(false, std::memory_order_relaxed)) std::fflush(stdout);
  if (has_failure_.load(std::memory_order_acquire)) raise_kept_failure();
}

void CudaDevice::keep_failure(std::exception_ptr failure) noexcept {
  std::lock_guard lock(kept_mutex_);
  if (!failure_) failure_ = std::move(failure);
  has_failure_.store(true, std::memory_order_release);
}

void CudaDevice::raise_kept_failure() {
  std::exception_ptr failure;
  {
    std::lock_guard lock(kept_mutex_);
    failure = std::exchange(failure_, nullptr);
    has_failure_.store(false, std::memory_order_release);
  }
  if (failure) std::rethrow_exception(failure);
}

// A kernel of the module may still run: it is unloaded when the device was waited for, or when there are too many.
void CudaDevice::retire(ModuleHandle module) noexcept {
  constexpr size_t most = 64;
  bool too_many;
  {
    std::lock_guard lock(kept_mutex_);
    retired_.push_back(module);
    too_many = retired_.size() >= most;
  }
  if (!too_many) return;
  try {
    Use use(*this, "unload");
    if (!use) return;
    std::vector<ModuleHandle> unused = take_retired();
    together.submit();
    Result result = driver().cuCtxSynchronize();
    note(result);
    if (result == success) unload(unused);
  } catch (...) {
  }
}

// What is taken before a wait, and before what is collected is submitted for it, is used by nothing after it.
std::vector<ModuleHandle> CudaDevice::take_retired() noexcept {
  std::lock_guard lock(kept_mutex_);
  return std::exchange(retired_, {});
}

void CudaDevice::unload(const std::vector<ModuleHandle>& modules) noexcept {
  if (!modules.empty()) together.forget_graphs();
  for (ModuleHandle module : modules) note(driver().cuModuleUnload(module));
}

// The context is left to the driver, which takes it down with the process; other libraries may still use it.
std::shared_ptr<void> CudaDevice::use() { return std::make_shared<Use>(*this, "library"); }

void CudaDevice::finish_work() noexcept {
  if (!usable()) return;
  try {
    Use use(*this, "exit");
    if (!use) return;
    // An endless kernel that the user has interrupted is left to the driver, which ends it with the process.
    if (!(left_running_ && driver().cuStreamQuery(nullptr) == error_not_ready)) driver().cuCtxSynchronize();
    std::fflush(stdout);
  } catch (...) {
  }
}

void CudaDevice::shut_down() noexcept {
  finish_work();
  state_.store(State::shut_down, std::memory_order_release);
}

// The devices.

int cuda_device_count() noexcept { return driver_report().devices; }

std::string cuda_unavailable_reason() { return driver_report().reason; }

Device& cuda_device(int number) {
  struct Devices {
    std::mutex mutex;
    std::vector<CudaDevice*> made;  // never destroyed
  };
  static Devices& devices = *new Devices;
  int count = cuda_device_count();
  if (count == 0) raise(ErrorKind::runtime, "[device] there is no GPU: {}", cuda_unavailable_reason());
  if (number < 0 || number >= count) {
    raise(ErrorKind::index, "[device] there is no cuda:{}; this machine has {} GPU{}", number, count, count == 1 ? "" : "s");
  }
  if (forked()) {
    raise(ErrorKind::runtime,
          "[device] this process was forked after CUDA was initialised, and CUDA does not live through a fork: "
          "start the processes with multiprocessing's \"spawn\" or \"forkserver\", or fork before CUDA is first used");
  }
  std::lock_guard lock(devices.mutex);
  if (devices.made.empty()) devices.made.resize(static_cast<size_t>(count));
  CudaDevice*& device = devices.made[static_cast<size_t>(number)];
  if (!device) device = new CudaDevice(number);
  return *device;
}

}  // namespace quern
