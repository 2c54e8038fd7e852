#include "device/allocator.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/room.h"
#include "core/trace.h"
#include "core/wait.h"
#include "device/check/checker.h"
#include "device/memory_watch.h"
#include "device/stream_order.h"

#include <algorithm>
#include <bit>

namespace quern {

namespace {

constexpr size_t alignment = 256;
constexpr size_t tight_from = size_t{64} << 10;

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// Capacities in eighths of a power of two: at most an eighth is wasted, and sizes that are nearly equal share blocks.
size_t capacity_for(size_t bytes) {
  size_t n = round_up(std::max<size_t>(bytes, 1), alignment);
  if (n <= 8 * alignment) return n;
  size_t step = std::bit_floor(n) / 8;
  n = round_up(n, std::max(step, alignment));
  return n >= tight_from ? round_up(n, 4096) : n;
}

// A stream that failed says so to whoever waits for its results.
void wait_quietly(Event& event) {
  try {
    event.synchronize();
  } catch (const Error&) {
  }
}

}  // namespace

namespace {
// Those of device memory.
struct Pools {
  std::mutex lock;
  std::vector<Pool*> all;
};
Pools& pools() {
  static auto* one = new Pools;
  return *one;
}
const bool finds_memory = (set_finder_of_memory([](DeviceId id) {
                             Device& device = id.is_gpu() ? cuda_device(id.number()) : cpu_device();
                             return static_cast<size_t>(device.info().total_memory);
                           }),
                           true);
void note(MemoryEvent::Kind kind, DeviceId device, const Block& block) noexcept {
  note_memory({kind, device, block.bytes, block.capacity, block.pointer, block.site});
}

}  // namespace

Pool::Pool(Device& device, std::optional<PinnedOptions> pinned) : device_(device), pinned_(pinned) {
  std::lock_guard hold(pools().lock);
  if (pinned_) return;
  pools().all.push_back(this);
  set_room(device_.id(), device_.info().total_memory, 0);
}

Pool::~Pool() {
  std::lock_guard hold(pools().lock);
  std::erase(pools().all, this);
}

std::string Pool::name() const { return pinned_ ? "the host, pinned for " + device_.info().name : device_.info().name; }

void Pool::release(void* base) noexcept { pinned_ ? device_.release_pinned(base) : device_.release(base); }

void Pool::refuse(size_t bytes, size_t capacity) {
  PoolInfo pool = info();
  if (pool.limit != 0 && pool.held + pool.kept + capacity > pool.limit)
    raise(ErrorKind::out_of_memory,
          "[memory] out of memory: no room for {} on {}: the pool's limit is {}, of which {} are in use; raise the limit{}",
          readable_bytes(bytes), name(), readable_bytes(pool.limit), readable_bytes(pool.held), largest());
  if (pinned_)
    raise(ErrorKind::out_of_memory, "[memory] out of memory: no room for {} on {}{}", readable_bytes(bytes), name(), largest());
  MemoryInfo memory = device_.memory();
  raise(ErrorKind::out_of_memory, "[memory] out of memory: no room for {} on {} ({} free of {}){}", readable_bytes(bytes),
        device_.info().name, readable_bytes(memory.free), readable_bytes(memory.total), largest());
}

Buffer Pool::allocate(size_t bytes, Site site, bool in_order) {
  size_t capacity = capacity_for(bytes);
  if (capacity < bytes) raise(ErrorKind::out_of_memory, "[memory] {} bytes are more than any device has", bytes);
  size_t quick = capacity / alignment;
  if (quick < quick_classes) {
    std::lock_guard hold(lock_);
    if (!quick_[quick].empty()) {
      Block* block = quick_[quick].back();
      quick_[quick].pop_back();
      block->writes = 0;
      kept_ -= capacity;
      block->bytes = bytes;
      block->site = site;
      link(block);
      if (check::on()) tell_checks(*block);
      if (!pinned_ && memory_is_watched()) note(MemoryEvent::Kind::taken, device_.id(), *block);
      return Buffer(block);
    }
  }
  std::optional<Idle> idle = take_idle(capacity, in_order);
  void* base = idle ? idle->base : in_order ? nullptr : take_out_of_order(capacity);
  if (!base) base = take_new(capacity);
  if (!base) {
    {
      Waiting waiting;
      int64_t start = now_ns();
      device_.synchronize();  // what waits for pending work can go too
      trace_host(TraceKind::wait, device_.id(), site, start, "room in memory");
    }
    trim();
    base = take_new(capacity);
  }
  if (!base) refuse(bytes, capacity);
  auto block = new Block;
  block->base = base;
  block->capacity = capacity;
  block->bytes = bytes;
  block->owner = this;
  block->site = site;
  block->escaped = pinned_.has_value();
  if (idle && idle->in_order) use_on(idle->in_order, *block, true);
  // On the CPU a large block ends where its mapping ends, at a guard page: running past the end faults.
  bool tight = !pinned_ && device_.kind == DeviceKind::cpu && capacity >= tight_from;
  block->pointer = tight ? static_cast<char*>(base) + capacity - round_up(bytes, alignment) : base;
  if (!pinned_ && memory_is_watched())
    note(idle ? MemoryEvent::Kind::taken : MemoryEvent::Kind::taken_anew, device_.id(), *block);
  std::lock_guard hold(lock_);
  link(block);
  if (check::on()) tell_checks(*block);
  return Buffer(block);
}

void Pool::tell_checks(const Block& block) const {
  if (device_.kind == DeviceKind::cpu) check::allocated(block);
}

void Pool::link(Block* block) {
  block->previous = nullptr;
  block->next = live_;
  if (live_) live_->previous = block;
  live_ = block;
  ++live_count_;
  used_ += block->bytes;
  held_ += block->capacity;
}

void Pool::unlink(Block* block) {
  (block->previous ? block->previous->next : live_) = block->next;
  if (block->next) block->next->previous = block->previous;
  --live_count_;
  used_ -= block->bytes;
  held_ -= block->capacity;
}

std::optional<Pool::Idle> Pool::take_idle(size_t capacity, bool in_order) {
  // Blocks come back in the order of their work, mostly: between the latest, which are still in the caches, and the earliest,
  // which are the first to be done, there is nothing to look for.
  constexpr size_t at_an_end = 4;
  std::lock_guard hold(lock_);
  auto found = idle_.find(capacity);
  if (found == idle_.end()) return std::nullopt;
  if (in_order && !found->second.in_order.empty()) {
    kept_ -= capacity;
    return found->second.take_latest();
  }
  std::deque<Idle>& list = found->second.fenced;
  for (size_t k = 0; k < std::min(list.size(), 2 * at_an_end); ++k) {
    size_t i = k < at_an_end ? list.size() - 1 - k : k - at_an_end;
    Idle& idle = list[i];
    if (!std::all_of(idle.fences.begin(), idle.fences.end(), [](auto& fence) { return fence->done(); })) continue;
    Idle taken = std::move(idle);
    list.erase(list.begin() + static_cast<long>(i));
    kept_ -= capacity;
    return taken;
  }
  return std::nullopt;
}

Pool::Idle Pool::IdleBlocks::take_latest() {
  Idle taken = std::move(in_order.back());
  in_order.pop_back();
  marked = std::min(marked, in_order.size());
  return taken;
}

Pool::Idle Pool::IdleBlocks::take_first() {
  Idle taken = std::move(in_order.front());
  in_order.pop_front();
  if (marked > 0) --marked;
  return taken;
}

// A block that the default stream's work used, when that is done. One mark in that stream covers all blocks that came back
// before; it is set while half of them still have one, so that a program that goes on in this way is given the same blocks again
// and again.
void* Pool::take_out_of_order(size_t capacity) {
  void* taken = nullptr;
  bool too_few_marks;
  uint64_t before;
  {
    std::lock_guard hold(lock_);
    auto found = idle_.find(capacity);
    if (found == idle_.end() || found->second.in_order.empty()) return nullptr;
    IdleBlocks& blocks = found->second;
    if (blocks.marked > 0 && blocks.in_order.front().mark->done()) {
      taken = blocks.take_first().base;
      kept_ -= capacity;
    }
    too_few_marks = 2 * blocks.marked < blocks.in_order.size();
    before = came_back_;
  }
  if (!taken && device_.default_stream().idle()) {
    std::lock_guard hold(lock_);
    auto found = idle_.find(capacity);
    if (found == idle_.end() || found->second.in_order.empty() || found->second.in_order.front().number > before) return nullptr;
    kept_ -= capacity;
    return found->second.take_first().base;
  }
  if (!too_few_marks) return taken;
  std::shared_ptr<Event> mark = device_.create_event({false, false});
  mark->record(device_.default_stream());
  std::lock_guard hold(lock_);
  if (auto found = idle_.find(capacity); found != idle_.end()) {
    IdleBlocks& blocks = found->second;
    for (; blocks.marked < blocks.in_order.size() && blocks.in_order[blocks.marked].number <= before; ++blocks.marked)
      blocks.in_order[blocks.marked].mark = mark;
  }
  return taken;
}

// Memory of the device's, unless that is over the limit. Threads that ask at once may each just fit: the limit is for programs
// that want to leave room, not for safety.
void* Pool::take_new(size_t capacity) {
  {
    std::lock_guard hold(lock_);
    if (limit_ != 0 && held_ + kept_ + capacity > limit_) return nullptr;
  }
  return pinned_ ? device_.allocate_pinned(capacity, *pinned_) : device_.allocate(capacity);
}

// An event on every stream that may still use the block.
void Pool::fence(Idle& idle, Block& block) {
  auto mark = [&](Stream& stream) {
    if (stream.idle()) return;
    auto event = stream.device.create_event({false, false});
    event->record(stream);
    idle.fences.push_back(std::move(event));
  };
  auto mark_all = [&](Pool& pool) {
    mark(pool.device_.default_stream());
    for (auto& stream : pool.streams()) mark(*stream);
  };
  if (pinned_) {
    std::lock_guard hold(pools().lock);
    for (Pool* pool : pools().all)
      if (pool->device_.kind == device_.kind) mark_all(*pool);
    return;
  }
  if (block.escaped) mark_all(*this);
  for (auto& use : block.uses) {
    Stream& stream = *std::static_pointer_cast<Stream>(use.stream);
    if (!block.escaped || &stream.device != &device_) mark(stream);  // another device's copies
  }
}

static void tell_release(TraceSink& sink, DeviceId device, const Block& block) noexcept {
  try {
    if (!sink.wants_releases()) return;
    TraceRecord record{};
    record.kind = TraceKind::release;
    record.device = device;
    record.site = block.site;
    record.bytes = block.bytes;
    record.start_ns = now_ns();
    sink.record(std::move(record));
  } catch (const std::exception&) {
    // Without memory for the trace the program goes on.
  }
}

void Pool::give_back(Block* block) noexcept {
  if (check::on() && device_.kind == DeviceKind::cpu && !pinned_ && !(block = check::rest(block))) return;
  if (TraceSink* sink = trace_listener()) tell_release(*sink, device_.id(), *block);
  if (!pinned_ && memory_is_watched()) note(MemoryEvent::Kind::given_back, device_.id(), *block);
  size_t quick = block->capacity / alignment;
  if (quick < quick_classes && block->uses.empty() && !block->escaped) {
    std::lock_guard hold(lock_);
    unlink(block);
    kept_ += block->capacity;
    quick_[quick].push_back(block);
    return;
  }
  Idle idle{.base = block->base};
  bool usable = true;
  try {
    if (!block->escaped && block->uses.size() == 1 && block->uses[0].stream.get() == &device_.default_stream()) {
      idle.in_order = std::static_pointer_cast<Stream>(block->uses[0].stream);
    } else {
      fence(idle, *block);
    }
  } catch (const std::exception&) {
    usable = false;  // the device failed: its next call raises, this block is not reused
  }
  std::lock_guard hold(lock_);
  unlink(block);
  if (usable) {
    if (idle.in_order) idle.number = ++came_back_;
    idle_[block->capacity].add(std::move(idle));
    kept_ += block->capacity;
  }
  delete block;
}

size_t Pool::trim(bool wait) {
  std::map<size_t, IdleBlocks> mine;
  std::vector<Block*> quick;
  {
    std::lock_guard hold(lock_);
    mine.swap(idle_);
    for (auto& blocks : quick_) {
      quick.insert(quick.end(), blocks.begin(), blocks.end());
      blocks.clear();
    }
    kept_ = 0;
  }
  size_t freed = 0;
  if (pinned_ && wait)
    for (auto& [capacity, blocks] : mine)
      for (Idle& idle : blocks.fenced)
        for (auto& f : idle.fences) wait_quietly(*f);
  const bool idle_now = device_.default_stream().idle();
  for (Block* block : quick) {
    release(block->base);
    freed += block->capacity;
    delete block;
  }
  for (auto& [capacity, blocks] : mine) {
    std::vector<Idle> pending;
    for (std::deque<Idle>* list : {&blocks.in_order, &blocks.fenced})
      for (Idle& idle : *list) {
        bool free = !idle.in_order || idle_now || (idle.mark && idle.mark->done());
        for (auto& f : idle.fences) free = free && f->done();
        if (!free) {
          pending.push_back(std::move(idle));
          continue;
        }
        release(idle.base);
        freed += capacity;
      }
    if (pending.empty()) continue;
    std::lock_guard hold(lock_);
    for (Idle& idle : pending) {
      idle.mark = nullptr;
      idle_[capacity].add(std::move(idle));
      kept_ += capacity;
    }
  }
  return freed;
}

PoolInfo Pool::info() {
  std::lock_guard hold(lock_);
  size_t waiting = 0;
  for (auto& blocks : quick_) waiting += blocks.size();
  for (auto& [capacity, blocks] : idle_) waiting += blocks.size();
  return {used_, held_, kept_, live_count_, waiting, limit_};
}

void Pool::set_limit(size_t bytes) {
  std::lock_guard hold(lock_);
  limit_ = bytes;
  if (!pinned_) set_room(device_.id(), device_.info().total_memory, bytes);
}

Block* Pool::find(const void* pointer) {
  const char* p = static_cast<const char*>(pointer);
  for (Block* b = live_; b; b = b->next) {
    const char* start = static_cast<const char*>(b->pointer);
    if (start <= p && p < start + b->bytes) return b;
  }
  return nullptr;
}

bool Pool::holds(const void* pointer) {
  std::lock_guard hold(lock_);
  return find(pointer) != nullptr;
}

std::optional<Pool::Room> Pool::room_at(const void* pointer) {
  std::lock_guard hold(lock_);
  Block* block = find(pointer);
  if (!block) return std::nullopt;
  auto distance = [&](const void* from) {
    return static_cast<size_t>(static_cast<const char*>(pointer) - static_cast<const char*>(from));
  };
  return Room{distance(block->pointer), block->bytes, block->capacity - distance(block->base)};
}

std::string Pool::describe(const void* pointer) {
  size_t bytes;
  Site site;
  {
    std::lock_guard hold(lock_);
    Block* block = find(pointer);
    if (!block) return "";
    bytes = block->bytes;
    site = block->site;
  }
  std::string line = describe_site(site);
  return readable_bytes(bytes) + (line.empty() ? "" : " made at " + line);
}

std::vector<std::shared_ptr<Stream>> Pool::streams() {
  std::lock_guard hold(lock_);
  std::vector<std::shared_ptr<Stream>> all;
  for (auto& weak : streams_)
    if (auto s = weak.lock()) all.push_back(std::move(s));
  return all;
}

void Pool::know(const std::shared_ptr<Stream>& stream) {
  std::lock_guard hold(lock_);
  std::erase_if(streams_, [](auto& weak) { return weak.expired(); });
  streams_.push_back(stream);
}

std::string Pool::largest() {
  std::vector<std::pair<size_t, Site>> live;
  {
    std::lock_guard hold(lock_);
    for (Block* b = live_; b; b = b->next) live.emplace_back(b->bytes, b->site);
  }
  std::sort(live.rbegin(), live.rend());
  std::string out;
  for (size_t i = 0; i < std::min<size_t>(live.size(), 5); ++i) {
    std::string line = describe_site(live[i].second);
    out += formatted("{}{}{}", i ? ", " : "; the largest live blocks: ", readable_bytes(live[i].first),
                     line.empty() ? "" : " from " + line);
  }
  return out;
}

}  // namespace quern
