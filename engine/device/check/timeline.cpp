#include "device/check/timeline.h"

#include <algorithm>

#include "device/check/host_pages.h"
#include "device/check/state.h"
#include "device/cpu.h"

namespace quern::check {

namespace {

void join(Clock& clock, const Clock& other) {
  for (auto [stream, number] : other) {
    uint64_t& mine = clock[stream];
    mine = std::max(mine, number);
  }
}

uint64_t reached(const Clock& clock, uint64_t stream) {
  auto found = clock.find(stream);
  return found == clock.end() ? 0 : found->second;
}

}  // namespace

Timeline& timeline() {
  static auto* one = new Timeline;
  return *one;
}

void Timeline::clear() {
  std::lock_guard hold(lock_);
  lines_.clear();
  events_.clear();
  host_.clear();
}

Timeline::Line& Timeline::line_of(const StreamState& stream) {
  auto [at, is_new] = lines_.try_emplace(stream.number);
  if (is_new) {
    at->second.is_default = stream.is_default;
    at->second.is_blocking = stream.blocking;
  }
  return at->second;
}

void Timeline::join_default(Line& line) {
  for (auto& [number, other] : lines_)
    if (line.is_default ? other.is_blocking : other.is_default && line.is_blocking) join(line.clock, other.clock);
}

WorkPtr Timeline::submit(const StreamState& stream, std::string name, Site site, std::vector<WorkPtr>& others) {
  std::lock_guard hold(lock_);
  Line& line = line_of(stream);
  join(line.clock, host_);
  join_default(line);
  for (auto& [number, other] : lines_) {
    if (&other == &line) continue;
    uint64_t until = reached(line.clock, number);
    for (const WorkPtr& work : other.pending)
      if (work->number > until) others.push_back(work);
  }
  auto work = std::make_shared<Work>();
  work->name = std::move(name), work->site = site;
  work->stream = stream.number, work->number = ++line.submitted;
  line.clock[stream.number] = work->number;
  constexpr size_t most_pending = 4096;  // programs that never wait
  if (line.pending.size() >= most_pending) line.pending.pop_front();
  line.pending.push_back(work);
  return work;
}

void Timeline::record(const Event* event, const StreamState& stream) {
  std::lock_guard hold(lock_);
  Line& line = line_of(stream);
  join(line.clock, host_);
  join_default(line);
  events_[event] = line.clock;
}

void Timeline::wait(const StreamState& stream, const Event* event) {
  std::lock_guard hold(lock_);
  if (auto found = events_.find(event); found != events_.end()) join(line_of(stream).clock, found->second);
}

void Timeline::wait(const Event* event) {
  std::lock_guard hold(lock_);
  if (auto found = events_.find(event); found != events_.end()) host_knows(found->second);
}

void Timeline::wait(const StreamState& stream) {
  std::lock_guard hold(lock_);
  Line& line = line_of(stream);
  join_default(line);
  host_knows(line.clock);
}

void Timeline::wait_all() {
  std::lock_guard hold(lock_);
  for (auto& [number, line] : lines_) host_knows(line.clock);
}

void Timeline::host_knows(const Clock& clock) {
  join(host_, clock);
  for (auto& [number, line] : lines_)
    std::erase_if(line.pending, [&, until = reached(host_, number)](const WorkPtr& work) { return work->number <= until; });
}

bool Timeline::is_over(const Work& work) {
  std::lock_guard hold(lock_);
  return work.number <= reached(host_, work.stream);
}

// ---- hooks

namespace {

const StreamState& state_of(const Stream& stream) { return *static_cast<const CpuStream&>(stream).state; }

bool is_followed(const Stream& stream) { return stream.device.kind == DeviceKind::cpu && ArrayWork::current() == 0; }

void add(const Work& mine, const Work& other, const Range& range) {
  Finding found;
  found.kind = Kind::unordered;
  found.work = mine.name, found.launch = mine.site;
  found.other_work = other.name, found.other_launch = other.site;
  found.bytes = range.end - range.begin;
  if (auto region = state().map.find(range.begin)) found.allocated = region->site, found.has_allocation = true;
  state().findings.add(std::move(found));
}

bool is_of(uint32_t tick, const Work& work) { return tick && tick >= work.first_tick && tick <= work.last_tick; }

// Has a launch used what lies in the range?
bool used(const Work& launch, const Range& range) {
  auto region = state().map.find(range.begin);
  if (!region) return false;
  bool found = false;
  region->shadow.each(range.begin - region->begin, range.end - range.begin, [&](const Cell& cell) {
    found = found || is_of(cell.write.tick, launch) || (range.written && is_of(cell.read.tick, launch));
  });
  return found;
}

void moved(const Stream& stream, const char* name, std::vector<Range> ranges, bool host_waits) {
  if (!is_followed(stream)) return;
  std::vector<WorkPtr> others;
  WorkPtr mine = timeline().submit(state_of(stream), name, current_site(), others);
  mine->ranges = std::move(ranges);
  for (const WorkPtr& other : others) {
    for (const Range& range : mine->ranges) {
      bool meet = other->first_tick && used(*other, range);
      for (const Range& theirs : other->ranges) meet = meet || (range.overlaps(theirs) && (range.written || theirs.written));
      if (meet) add(*mine, *other, range);
    }
  }
  if (host_waits) return check::host_waits(stream);
  for (const Range& range : mine->ranges) keep_from_host(mine, range);
}

Range range_of(const void* pointer, size_t bytes, bool written) {
  auto begin = reinterpret_cast<uintptr_t>(pointer);
  return {begin, begin + bytes, written};
}

}  // namespace

void copied(const Stream& stream, const void* dst, const void* src, size_t bytes, bool host_waits) {
  moved(stream, "a copy", {range_of(dst, bytes, true), range_of(src, bytes, false)}, host_waits);
}

void filled(const Stream& stream, const void* dst, size_t bytes) { moved(stream, "a fill", {range_of(dst, bytes, true)}, false); }

void recorded(const Event& event, const Stream& stream) {
  if (is_followed(stream)) timeline().record(&event, state_of(stream));
}

void stream_waits(const Stream& stream, const Event& event) {
  if (is_followed(stream)) timeline().wait(state_of(stream), &event);
}

void host_waits(const Event& event) {
  timeline().wait(&event);
  give_back_to_host();
}

void host_waits(const Stream& stream) {
  if (stream.device.kind != DeviceKind::cpu) return;
  timeline().wait(state_of(stream));
  give_back_to_host();
}

void host_waits_for_all() {
  timeline().wait_all();
  give_back_to_host();
}

}  // namespace quern::check
