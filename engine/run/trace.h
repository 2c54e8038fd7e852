// Keeps and formats the trace: a Traced makes one record of one call, a Recorder keeps them.
#pragma once

#include "core/trace.h"
#include "device/device.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace quern {

class Recorder : public TraceSink {
 public:
  void record(TraceRecord record) override;
  std::vector<TraceRecord> take();  // in the order of their ends; device times of finished work are filled in
  void add_pending(TraceRecord record, std::shared_ptr<Event> start, std::shared_ptr<Event> end);

 private:
  struct Pending {
    TraceRecord record;
    std::shared_ptr<Event> start, end;
  };
  std::mutex lock_;
  std::vector<Pending> records_;
};

// Starts and stops the process's recorder.
void start_trace();
std::vector<TraceRecord> stop_trace();

// Around one call: nothing but a load when nobody traces.
class Traced {
 public:
  Traced(TraceKind kind, int device, Stream* stream, uint64_t bytes, Site site) : on_(tracing()) {
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

 private:
  void begin(TraceKind kind, int device, Stream* stream, uint64_t bytes, Site site);
  void end();
  bool on_;
  TraceRecord record_;
  Stream* stream_ = nullptr;
  std::shared_ptr<Event> start_;
};

}  // namespace quern
