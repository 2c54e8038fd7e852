// Keeps and formats the trace: a Traced makes one record of one call, a Recorder keeps them.
#pragma once

#include "core/trace.h"
#include "device/cupti.h"
#include "device/device.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace quern {

// One event, of fixed size: texts, kernels and lists of lines are numbers in TraceTables, 0 for none. What reads many events
// reads these; the rest reads records().
struct TraceRow {
  uint64_t id = 0, stream = 0, bytes = 0, fetched = 0, operations = 0;
  int64_t start_ns = 0, host_ns = 0, device_start_ns = 0;
  int64_t device_ns = -1;  // how long the device took; -1 when not measured
  int64_t thread_ns = 0;   // on the CPU: of all threads of the pool together
  uint32_t site = 0, lines = 0, name = 0, detail = 0, kernel = 0;
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared = 0, static_shared = 0;
  uint16_t registers = 0;
  TraceKind kind{};
  int8_t device = -1, from = no_device;  // DeviceId's numbers
  static constexpr int8_t no_device = -2;
};

struct TraceTables {
  std::vector<std::string> texts{""};
  std::vector<std::shared_ptr<const KernelIdentity>> kernels{nullptr};
  std::vector<std::vector<Site>> lines{{}};
};

struct Trace {
  std::vector<TraceRow> rows;  // in the order of the calls' ends
  TraceTables tables;
};

std::vector<TraceRecord> records_of(const Trace& trace);

class Recorder : public TraceSink {
 public:
  void record(TraceRecord record) override;
  bool wants_releases() const override { return wants_releases_; }
  size_t length() {
    std::lock_guard hold(lock_);
    return trace_.rows.size();
  }
  void want_releases(bool wants) { wants_releases_ = wants; }
  Trace take(bool waits = false);  // device times of finished work are filled in; `waits` for the rest
  void add_pending(TraceRecord record, std::shared_ptr<Event> start, std::shared_ptr<Event> end);
  std::shared_ptr<Event> event(Device& device);  // used ones serve again
  void add(const cupti::Found& found);           // what CUPTI saw: times of rows, and rows of what others submitted

 private:
  // A moment of both clocks. The stream is one of its own: nothing is before the event.
  struct Moment {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> event;
    int64_t host_ns = 0;
  };
  struct Pending {
    size_t row;
    std::shared_ptr<Event> start, end;
    std::shared_ptr<Moment> moment;
  };
  TraceRow row_of(TraceRecord&& record);
  uint32_t text(std::string&& text);
  void know_clock(Device& device);  // before the first event of its in a trace
  enum class Settle : uint8_t { what_is_done, all, all_waited_for };
  void settle(Settle how);
  void fill_in(const Pending& pending);

  std::mutex lock_;
  std::atomic<bool> wants_releases_{false};
  Trace trace_;
  std::unordered_map<std::string, uint32_t> texts_;
  std::unordered_map<const KernelIdentity*, uint32_t> kernels_;
  std::map<std::vector<Site>, uint32_t> lines_;
  std::deque<Pending> pending_;
  std::map<DeviceId, std::shared_ptr<Moment>> moments_;
  std::map<DeviceId, std::vector<std::shared_ptr<Event>>> spare_;
};

// Starts and stops the process's recorder. For a profile: with releases of memory, and by CUPTI where that can be.
void start_trace(bool for_profile = false);
Trace stop_trace(bool waits = false);
// How the GPUs of the last trace for a profile were timed: "CUPTI", or why by events.
std::string trace_timing();
size_t trace_length();  // events so far

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
  void detail(const char* text) {
    if (on_) record_.detail = text;
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
  void kernel(std::shared_ptr<const KernelIdentity> identity, const KernelInfo& info, const LaunchShape& shape) {
    kernel(std::move(identity));
    record_.grid = shape.grid;
    record_.block = shape.block;
    record_.dynamic_shared = shape.dynamic_shared;
    record_.static_shared = info.static_shared;
    record_.registers = info.registers;
  }
  void work(TracedWork work) {
    if (!on_) return;
    record_.lines = std::move(work.lines);
    if (work.is_single) record_.detail = of_single;
    record_.bytes = work.bytes, record_.fetched = work.fetched, record_.operations = work.operations;
  }

 private:
  void begin(TraceKind kind, DeviceId device, Stream* stream, uint64_t bytes, Site site);
  void end();
  bool on_, is_numbered_ = false;
  uint64_t before_ = 0;  // cupti::set_ours()
  TraceRecord record_;
  int64_t took_ns_ = -1;
  Stream* stream_ = nullptr;
  std::shared_ptr<Event> start_;
};

}  // namespace quern
