// The CPU as a device. Start reading at launch(), then CpuStream::submit() and CpuDevice::run() in cpu_stream.cpp.
#include "device/cpu.h"
#include "device/last_words.h"
#include "device/textures.h"

#include "core/error.h"
#include "core/log.h"
#include "core/print.h"
#include "core/wait.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace quern {

namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  std::string line;
  while (std::getline(in, line))
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "CPU";
}

unsigned usable_threads() {
  if (const char* wish = std::getenv("QUERN_NUM_THREADS"))
    if (int n = std::atoi(wish); n > 0) return static_cast<unsigned>(n);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

CpuDevice* the_device = nullptr;

}  // namespace

Device& cpu_device() {
  static CpuDevice* device = [] {
    auto* d = new CpuDevice;  // never destroyed: work may still be pending when statics die
    the_device = d;
    std::atexit([] { the_device->shut_down(); });
    pthread_atfork([] { the_device->before_fork(); }, [] { the_device->after_fork_in_parent(); },
                   [] { the_device->after_fork_in_child(); });
    return d;
  }();
  return *device;
}

CpuDevice::CpuDevice() {
  kind = DeviceKind::cpu;
  install_last_words();  // before the compiler's handlers, which pass on to those that were there
  threads_ = usable_threads();
  info_.name = cpu_name() + " (CPU)";
  info_.pci_bus_id = "0000:00:00.0";
  info_.major = 9;
  info_.minor = 0;
  info_.total_memory = memory().total;
  info_.multiprocessors = threads_;
  info_.max_shared = 48 * 1024;
  info_.max_shared_optin = 227 * 1024;
}

const DeviceInfo& CpuDevice::info() { return info_; }

// Attributes that mean nothing here are 0, those that are newer than the table likewise.
int CpuDevice::attribute(int number) {
  switch (number) {
#define QUERN_ATTRIBUTE(number, name, runtime, value) \
  case number:                                        \
    return static_cast<int>(value);
#define QUERN_ATTRIBUTE_OF_DRIVER(number, name, value) QUERN_ATTRIBUTE(number, name, , value)
#define QUERN_ATTRIBUTE_OF_RUNTIME(number, runtime, value) QUERN_ATTRIBUTE(number, , runtime, value)
#define QUERN_ATTRIBUTE_ALIAS(number, name)
#include "device/attributes.def"
    default:
      if (number < 1 || number > 200) raise(ErrorKind::value, "[attribute] {} is not a device attribute", number);
      return 0;
  }
}

Target CpuDevice::target() { return {DeviceKind::cpu, ""}; }

void on_cpu_threads(size_t count, const std::function<void(size_t)>& f) {
  auto& device = static_cast<CpuDevice&>(cpu_device());
  const std::atomic<bool>* stop = StopsWith::flag();
  auto part = [&](size_t i) {
    if (stop && stop->load(std::memory_order_relaxed)) throw Interrupt{};
    f(i);
  };
  if (count <= 1 || device.threads() == 1) {
    for (size_t i = 0; i < count; ++i) part(i);
    return;
  }
  device.pool().for_each(count, part);
}

unsigned cpu_threads() { return static_cast<CpuDevice&>(cpu_device()).threads(); }

ThreadPool& CpuDevice::pool() {
  std::lock_guard hold(pool_lock_);
  if (!pool_) pool_ = new ThreadPool(threads_);  // never destroyed: its threads may be at work when the process ends
  return *pool_;
}

// ---- streams

Stream& CpuDevice::default_stream() {
  std::call_once(default_once_, [this] { default_stream_ = std::make_unique<CpuStream>(*this, StreamOptions{}, true); });
  return *default_stream_;
}

std::unique_ptr<Stream> CpuDevice::create_stream(StreamOptions options) {
  default_stream();
  auto stream = std::make_unique<CpuStream>(*this, options, false);
  std::lock_guard hold(streams_lock_);
  std::erase_if(streams_, [](auto& weak) { return weak.expired(); });
  streams_.push_back(stream->state);
  if (!options.non_blocking) ++blocking_streams_;
  return stream;
}

std::unique_ptr<Stream> CpuDevice::foreign_stream(uintptr_t) {
  raise(ErrorKind::value, "[stream] streams of other libraries are not supported on the CPU");
}

std::unique_ptr<Event> CpuDevice::create_event(EventOptions options) { return std::make_unique<CpuEvent>(options); }

// The legacy default stream waits for all blocking streams, and they for it. A stream that went away stays in `streams_` while
// it has work.
std::vector<Dependency> CpuDevice::dependencies(const CpuStream& stream) {
  std::vector<Dependency> out;
  if (stream.is_default) {
    if (blocking_streams_.load(std::memory_order_relaxed) == 0) return out;
    std::lock_guard hold(streams_lock_);
    int alive = 0;
    for (auto& weak : streams_) {
      auto s = weak.lock();
      if (!s || !s->blocking) continue;
      ++alive;
      if (!s->idle()) out.push_back({s, s->submitted.load()});
    }
    blocking_streams_ = alive;
  } else if (stream.state->blocking && default_stream_ && !default_stream_->state->idle()) {
    out.push_back({default_stream_->state, default_stream_->state->submitted.load()});
  }
  return out;
}

std::vector<std::shared_ptr<StreamState>> CpuDevice::states() {
  std::vector<std::shared_ptr<StreamState>> all;
  {
    std::lock_guard hold(streams_lock_);
    for (auto& weak : streams_)
      if (auto s = weak.lock()) all.push_back(s);
  }
  all.push_back(static_cast<CpuStream&>(default_stream()).state);
  return all;
}

void CpuDevice::synchronize() {
  std::vector<std::shared_ptr<StreamState>> all = states();
  std::optional<Failure> first;
  for (auto& s : all) {
    wait_until(*s, s->submitted.load());
    std::lock_guard hold(s->failure_lock);
    if (s->failure && !first) first = s->failure;
    s->failure.reset();
  }
  deliver_prints();
  if (first) first->raise();
}

// ---- code

Binary CpuDevice::link(const Binary&, const std::string& name, const std::vector<LinkedCode>&, unsigned) {
  bug("{} was to be linked on the CPU", name);
}

std::shared_ptr<LoadedModule> CpuDevice::load(const Binary& binary) { return std::make_shared<CpuModule>(binary); }

void CpuDevice::launch(Stream& stream, LoadedKernel& kernel, const LaunchShape& shape, const void* args, size_t arg_bytes,
                       Site site) {
  auto& cpu_kernel = static_cast<CpuKernel&>(kernel);
  static_cast<CpuStream&>(stream).submit([&](Command& command) {
    command.what = Command::What::launch;
    command.module = cpu_kernel.module->shared_from_this();
    command.kernel = &cpu_kernel;
    command.shape = shape;
    command.site = site;
    command.arg_bytes = static_cast<uint32_t>(arg_bytes);
    if (arg_bytes > command.small_args.size()) command.large_args = std::make_unique<char[]>(arg_bytes);
    std::memcpy(command.large_args ? command.large_args.get() : command.small_args.data(), args, arg_bytes);
  });
}

// ---- exit and fork

void CpuDevice::finish_work() noexcept {
  if (shut_.load()) return;
  try {
    synchronize();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "quern: at exit: %s\n", e.what());
  } catch (const Interrupted&) {  // the user waits no longer
  }
}

void CpuDevice::shut_down() noexcept {
  finish_work();
  shut_ = true;
}

// The parent finishes what is submitted and holds still while the process is copied; the child starts threads of its own.
void CpuDevice::before_fork() {
  std::vector<std::shared_ptr<StreamState>> all;
  streams_lock_.lock();
  for (auto& weak : streams_)
    if (auto s = weak.lock()) all.push_back(s);
  if (default_stream_) all.push_back(default_stream_->state);
  for (auto& s : all) finish(*s, s->submitted.load());
  for (auto& s : all) {
    s->producers.lock();
    s->baton.lock();
  }
  memory_lock_.lock();
  pool_lock_.lock();
}

namespace {
template <class Streams>
void unlock_all(Streams& streams, CpuStream* first) {
  auto unlock = [](StreamState& s) {
    s.baton.unlock();
    s.producers.unlock();
  };
  for (auto& weak : streams)
    if (auto s = weak.lock()) unlock(*s);
  if (first) unlock(*first->state);
}
}  // namespace

void CpuDevice::after_fork_in_parent() {
  pool_lock_.unlock();
  memory_lock_.unlock();
  unlock_all(streams_, default_stream_.get());
  streams_lock_.unlock();
}

void CpuDevice::after_fork_in_child() {
  // The threads behind these are gone; their objects are given up, not joined.
  pool_ = nullptr;
  auto drop_worker = [](StreamState& s) { new (&s.worker) std::thread(); };
  for (auto& weak : streams_)
    if (auto s = weak.lock()) drop_worker(*s);
  if (default_stream_) drop_worker(*default_stream_->state);
  after_fork_in_parent();
}

}  // namespace quern
