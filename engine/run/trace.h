// Keeps and formats the trace: a Traced makes one record of one call, a Recorder keeps them.
#pragma once

#include "core/trace.h"
#include "device/device.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace quern {

class Recorder : public TraceSink {
 public:
  void record(TraceRecord record) override;
  std::vector<TraceRecord> take();  // in the order of the calls' ends; device times of finished work are filled in
  void add_pending(TraceRecord record, std::shared_ptr<Event> start, std::shared_ptr<Event> end);
  void know_clock(Device& device);  // before the first event of its in a trace

 private:
  struct Pending {
    TraceRecord record;
    std::shared_ptr<Event> start, end;
  };
  // A moment of both clocks. The stream is one of its own: nothing is before the event.
  struct Moment {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> event;
    int64_t host_ns;
  };
  static void fill_in(Pending& pending, const Moment* moment);

  std::mutex lock_;
  std::vector<Pending> records_;
  std::map<DeviceId, Moment> moments_;
};

// Starts and stops the process's recorder.
void start_trace();
std::vector<TraceRecord> stop_trace();

// Around one call: nothing but a load when nobody traces.
class Traced {
 public:
  Traced(TraceKind kind, DeviceId device, Stream* stream, uint64_t bytes, Site site) : on_(tracing()) {
    if (on_) begin(kind, device, stream, bytes, site);
  }
  ~Traced() {
    if (on_) end();
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;
  bool on() const { return on_; }
  void name(std::string text) {
    if (on_) record_.name = std::move(text);
  }
  void detail(std::string text) {
    if (on_) record_.detail = std::move(text);
  }
  void from(DeviceId device) {
    if (on_) record_.from = device;
  }
  // The work was another thread's, at that time.
  void took(int64_t start_ns, int64_t end_ns) {
    record_.start_ns = start_ns;
    took_ns_ = end_ns - start_ns;
  }
  void kernel(std::shared_ptr<const KernelIdentity> identity) {
    if (on_) record_.kernel = std::move(identity);
  }
  void kernel(std::shared_ptr<const KernelIdentity> identity, const LaunchShape& shape) {
    kernel(std::move(identity));
    record_.grid = shape.grid;
    record_.block = shape.block;
    record_.dynamic_shared = shape.dynamic_shared;
  }

 private:
  void begin(TraceKind kind, DeviceId device, Stream* stream, uint64_t bytes, Site site);
  void end();
  bool on_;
  TraceRecord record_;
  int64_t took_ns_ = -1;
  Stream* stream_ = nullptr;
  std::shared_ptr<Event> start_;
};

}  // namespace quern
