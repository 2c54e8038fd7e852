// A device whose work ends when a test says so: what the tests of memory and of the order of streams submit to. Its memory is the
// host's, and it computes nothing.
#pragma once

#include "core/error.h"
#include "core/format.h"
#include "device/device.h"

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace quern {

// What was submitted to a stream, by numbers; events outlive streams.
struct FakeWork {
  std::string stream;
  uint64_t submitted = 0, finished = 0;
};

class FakeStream : public Stream {
 public:
  FakeStream(Device& device, std::shared_ptr<FakeWork> work, std::vector<std::string>& log)
      : Stream(device), work(std::move(work)), log_(log) {}
  void submit() { ++work->submitted; }
  void finish() { work->finished = work->submitted; }
  void synchronize() override { finish(); }
  bool done() override { return work->finished == work->submitted; }
  void wait(Event& event) override;
  void call(std::function<void()>) override { throw std::logic_error("no host functions"); }
  uintptr_t native() override { return 0; }

  const std::shared_ptr<FakeWork> work;

 private:
  std::vector<std::string>& log_;
};

class FakeEvent : public Event {
 public:
  void record(Stream& stream) override {
    of = static_cast<FakeStream&>(stream).work;
    number = of->submitted;
  }
  void synchronize() override { of->finished = std::max(of->finished, number); }
  bool done() override { return of->finished >= number; }
  double elapsed_ms(Event&) override { return 0; }
  uintptr_t native() override { return 0; }

  std::shared_ptr<FakeWork> of;
  uint64_t number = 0;
};

inline void FakeStream::wait(Event& event) {
  auto& other = static_cast<FakeEvent&>(event);
  log_.push_back(formatted("{} waits for {} {}", work->stream, other.of->stream, other.number));
}

class FakeDevice : public Device {
 public:
  FakeDevice() {
    kind = DeviceKind::cuda;
    info_.name = "a fake";
  }
  ~FakeDevice() override {
    for (auto [pointer, bytes] : live) std::free(pointer);
  }

  FakeStream& main() { return *main_; }
  std::shared_ptr<FakeStream> stream(const std::string& name) {
    works_.push_back(std::make_shared<FakeWork>(FakeWork{name}));
    return std::make_shared<FakeStream>(*this, works_.back(), log);
  }
  // The waits since it was asked last.
  std::vector<std::string> waits() { return std::exchange(log, {}); }

  size_t room = size_t{1} << 30;
  std::map<void*, size_t> live;  // and its bytes
  size_t allocations = 0;
  std::vector<std::string> log;

  const DeviceInfo& info() override { return info_; }
  MemoryInfo memory() override { return {room, size_t{1} << 30}; }
  void* allocate(size_t bytes) override {
    if (bytes > room) return nullptr;
    room -= bytes;
    ++allocations;
    void* pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    live[pointer] = bytes;
    return pointer;
  }
  void release(void* pointer) noexcept override {
    room += live[pointer];
    live.erase(pointer);
    std::free(pointer);
  }
  Stream& default_stream() override { return *main_; }
  std::shared_ptr<FakeStream> main_stream() { return main_; }
  std::unique_ptr<Event> create_event(EventOptions) override { return std::make_unique<FakeEvent>(); }
  void synchronize() override {
    for (auto& work : works_) work->finished = work->submitted;
  }

  int attribute(int) override { return none(); }
  Target target() override { throw std::logic_error("not a fake's"); }
  void* allocate_pinned(size_t, PinnedOptions) override { return nothing(); }
  void release_pinned(void*) noexcept override {}
  void register_host(void*, size_t, unsigned) override { none(); }
  void unregister_host(void*) noexcept override {}
  void* device_pointer(void*) override { return nothing(); }
  void* allocate_managed(size_t, unsigned) override { return nothing(); }
  void release_managed(void*) noexcept override {}
  std::unique_ptr<Stream> create_stream(StreamOptions) override { throw std::logic_error("not a fake's"); }
  std::unique_ptr<Stream> foreign_stream(uintptr_t) override { throw std::logic_error("not a fake's"); }
  void copy(Stream&, void*, const void*, size_t, CopyKind) override { none(); }
  void fill(Stream&, void*, uint32_t, unsigned, size_t) override { none(); }
  void fill_2d(Stream&, void*, size_t, uint32_t, unsigned, size_t, size_t) override { none(); }
  Binary link(const Binary&, const std::string&, const std::vector<LinkedCode>&, unsigned) override {
    throw std::logic_error("not a fake's");
  }
  std::shared_ptr<LoadedModule> load(const Binary&) override { throw std::logic_error("not a fake's"); }
  void launch(Stream&, LoadedKernel&, const LaunchShape&, const void*, size_t, Site) override { none(); }
  std::vector<Stopped> interrupt() noexcept override { return {}; }
  void finish_work() noexcept override {}
  void shut_down() noexcept override {}

 private:
  static int none() { throw std::logic_error("not a fake's"); }
  static void* nothing() { throw std::logic_error("not a fake's"); }
  DeviceInfo info_;
  std::vector<std::shared_ptr<FakeWork>> works_;
  std::shared_ptr<FakeStream> main_ = stream("main");
};

}  // namespace quern
