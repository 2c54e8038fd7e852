// What comes before what on a GPU, among launches, copies, fills and the host: by streams, events and waits that the program asks
// for, whatever the order in which the CPU carries them out.
//
// Each piece of work has a number in its stream. A clock says of each stream up to which number work has ended: the host's, of
// what it has waited for; a stream's, of what its next work waits for; an event's, of the moment when it was recorded. Work whose
// number a clock has not reached may still run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/site.h"
#include "device/device.h"

namespace quern {
struct StreamState;
}

namespace quern::check {

using Clock = std::map<uint64_t, uint64_t>;  // by the streams' numbers

struct Range {
  uintptr_t begin = 0, end = 0;
  bool written = false;
  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

// A launch, with the ticks of its accesses (shadow.h), or a copy or fill, with its ranges.
struct Work {
  std::string name;  // "kernel 'k'", "a copy", "a fill"
  Site site = no_site;
  uint64_t stream = 0, number = 0;
  uint32_t first_tick = 0, last_tick = 0;
  std::vector<Range> ranges;
};
using WorkPtr = std::shared_ptr<Work>;

class Timeline {
 public:
  void clear();
  // Work is submitted. `others`: what may run beside it.
  WorkPtr submit(const StreamState& stream, std::string name, Site site, std::vector<WorkPtr>& others);
  void record(const Event* event, const StreamState& stream);
  void wait(const StreamState& stream, const Event* event);  // the stream waits
  void wait(const Event* event);                             // the host waits
  void wait(const StreamState& stream);
  void wait_all();
  bool is_over(const Work& work);  // for the host

 private:
  struct Line {
    Clock clock;
    uint64_t submitted = 0;
    bool is_blocking = false, is_default = false;
    std::deque<WorkPtr> pending;  // that the host has not waited for
  };
  Line& line_of(const StreamState& stream);
  void join_default(Line& line);  // the legacy default stream waits for the blocking ones, and they for it
  void host_knows(const Clock& clock);

  std::mutex lock_;
  std::map<uint64_t, Line> lines_;
  std::map<const Event*, Clock> events_;
  Clock host_;
};

Timeline& timeline();

// Hooks: what programs do while checks are on; nothing for GPUs.
void copied(const Stream& stream, const void* dst, const void* src, size_t bytes, bool host_waits);
void filled(const Stream& stream, const void* dst, size_t bytes);
void recorded(const Event& event, const Stream& stream);
void stream_waits(const Stream& stream, const Event& event);
void host_waits(const Event& event);
void host_waits(const Stream& stream);
void host_waits_for_all();

}  // namespace quern::check
