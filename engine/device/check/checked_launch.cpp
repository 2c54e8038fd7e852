#include "device/check/checked_launch.h"
#include "core/format.h"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "device/check/host_pages.h"
#include "device/check/state.h"
#include "device/cpu.h"

namespace quern::check {

namespace {

thread_local CheckedLaunch* running = nullptr;

constexpr uintptr_t null_page = 4096;
constexpr uint32_t doubt_shift = 6;
// What wrong accesses get instead: no thread's data, and none is seen by another launch.
constexpr size_t harmless_bytes = 1 << 12;
alignas(64) thread_local char harmless[harmless_bytes];

void* no_memory() {
  std::memset(harmless, 0, sizeof harmless);
  return harmless;
}

// The stack of this host thread: what a kernel's recursive functions have as locals.
bool is_on_stack(uintptr_t address) {
  struct Bounds {
    uintptr_t begin = 0, end = 0;
    Bounds() {
      pthread_attr_t attributes;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
      void* base = nullptr;
      size_t size = 0;
      pthread_attr_getstack(&attributes, &base, &size);
      pthread_attr_destroy(&attributes);
      begin = reinterpret_cast<uintptr_t>(base), end = begin + size;
    }
  };
  thread_local Bounds bounds;
  return address >= bounds.begin && address < bounds.end;
}

uint16_t marks_of(uint32_t what) {
  return static_cast<uint16_t>((what & QUERN_CHECK_ATOMIC ? Cell::is_atomic : 0) |
                               (what & QUERN_CHECK_VOLATILE ? Cell::is_volatile : 0) |
                               (what & QUERN_CHECK_OF_BLOCK && what & QUERN_CHECK_WRITE ? Cell::of_block : 0));
}

uint32_t what_of(uint32_t kind, uint16_t marks) {
  if (marks & Cell::is_atomic) kind |= QUERN_CHECK_ATOMIC;
  if (marks & Cell::is_volatile) kind |= QUERN_CHECK_VOLATILE;
  if (kind & QUERN_CHECK_WRITE && marks & Cell::of_block) kind |= QUERN_CHECK_OF_BLOCK;
  return kind;
}

// A line of the text that a module was compiled from; "" where its places are in files.
std::string line_of(const void* module, const std::string& file, uint32_t line) {
  std::lock_guard hold(state().texts_lock);
  auto found = state().texts.find(module);
  if (found == state().texts.end() || found->second.name != file) return "";
  const std::string& text = found->second.text;
  size_t begin = 0;
  for (uint32_t n = 1; n < line; ++n) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) return "";
    begin = end + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

// ---- a block

CheckedBlock::CheckedBlock(CheckedLaunch& launch, uint64_t number, uint32_t threads, char* shared, size_t shared_bytes,
                           char* private_begin, char* private_end)
    : launch(launch),
      number(number),
      threads(threads),
      tick(std::max(launch.first_tick_, launch.grid_tick_)),
      barrier_tick(tick),
      shared(shared),
      private_begin(private_begin),
      private_end(private_end),
      shared_shadow(shared_bytes),
      joined((threads + 31) / 32),
      points(threads),
      passed_by(threads),
      releases(threads),
      exchanges(joined.size()) {
  for (auto& warp : joined) warp.fill(0);
}

void CheckedBlock::enter(size_t thread) {
  launch.block_ = this;
  launch.thread_ = static_cast<uint32_t>(thread);
  launch.first_ = static_cast<uint32_t>(number * threads);
  launch.me_ = launch.first_ + launch.thread_;
}

void CheckedBlock::next_tick() {
  ++tick;
  launch.last_tick_ = std::max(launch.last_tick_, tick);
}

void CheckedBlock::pass_barrier(const std::vector<uint32_t>& waiting) {
  next_tick();
  barrier_tick = tick;
  releases.pass_barrier();
  find_absent(waiting);
  for (uint32_t t : waiting) {
    const Point &first = points[waiting[0]], &here = points[t];
    if (here.place == first.place) continue;
    enter(t);
    Finding found = launch.finding(Kind::barrier_places, 0, here.place, 0);
    found.other = launch.access_of(static_cast<uint32_t>(number * threads + waiting[0]), 0, first.place);
    launch.tell(std::move(found));
    break;
  }
}

// A thread that has ended since, and that went around the barrier at which others wait once more than they did.
void CheckedBlock::find_absent(const std::vector<uint32_t>& waiting) {
  uint32_t place = points[waiting[0]].place;
  auto count = [&](uint32_t thread) {
    auto found = passed_by[thread].find(place);
    return found == passed_by[thread].end() ? 0 : found->second;
  };
  if (waiting.size() < threads) {
    uint32_t of_waiting = count(waiting[0]);
    std::vector<bool> waits(threads);
    for (uint32_t t : waiting) waits[t] = true;
    for (uint32_t t = 0; t < threads; ++t) {
      if (waits[t] || count(t) <= of_waiting) continue;
      enter(waiting[0]);
      Finding found = launch.finding(Kind::barrier_missing, 0, place, 0);
      found.other = launch.access_of(static_cast<uint32_t>(number * threads + t), 0, place);
      found.passed_by = true;
      found.bytes = waiting.size();
      found.size = threads;
      launch.tell(std::move(found));
      break;
    }
  }
  for (uint32_t t : waiting) passed_by[t].clear();
}

void CheckedBlock::pass_warp_barrier(size_t warp, uint32_t lanes) {
  exchanges[warp].present = lanes;
  auto point_of = [&](uint32_t lane) -> const Point& { return points[warp * 32 + lane]; };
  auto first = static_cast<uint32_t>(std::countr_zero(lanes));
  for (uint32_t lane = first + 1; lane < 32; ++lane) {
    if (!(lanes >> lane & 1) || point_of(lane).what == point_of(first).what) continue;
    enter(warp * 32 + lane);
    Finding found = launch.finding(Kind::barrier_places, 0, point_of(lane).place, 0);
    found.other = launch.access_of(static_cast<uint32_t>(number * threads + warp * 32 + first), 0, point_of(first).place);
    found.bytes = 32;
    launch.tell(std::move(found));
    break;
  }
  // Shuffles and votes exchange values, and order no memory.
  if ((point_of(first).what & QUERN_CHECK_EVENT_MASK) != QUERN_CHECK_WARP_BARRIER) return;
  next_tick();
  releases.pass_warp_barrier(warp, lanes);
  auto& table = joined[warp];
  std::array<uint32_t, 32> all{};
  for (uint32_t y = 0; y < 32; ++y)
    if (lanes >> y & 1)
      for (uint32_t x = 0; x < 32; ++x) all[x] = std::max(all[x], lanes >> x & 1 ? tick : table[y * 32 + x]);
  for (uint32_t y = 0; y < 32; ++y)
    if (lanes >> y & 1) std::copy(all.begin(), all.end(), table.begin() + y * 32);
}

void CheckedBlock::stuck(const std::vector<uint32_t>& of_warps, const std::vector<uint32_t>& of_block) {
  const std::vector<uint32_t>& waiting = of_warps.empty() ? of_block : of_warps;
  if (waiting.empty()) return;
  const Point& first = points[waiting[0]];
  enter(waiting[0]);
  Finding found = launch.finding(Kind::barrier_missing, 0, first.place, 0);
  for (const std::vector<uint32_t>* those : {&of_warps, &of_block})
    for (uint32_t t : *those)
      if (points[t].place != first.place && found.other.file.empty())
        found.other = launch.access_of(static_cast<uint32_t>(number * threads + t), 0, points[t].place);
  found.bytes = waiting.size();
  found.size = threads;
  launch.tell(std::move(found));
}

void CheckedBlock::left_out(uint32_t thread) {
  enter(thread);
  launch.tell(launch.finding(Kind::barrier_missing, 0, points[thread].place, 0));
}

// ---- a launch

CheckedLaunch::CheckedLaunch(const CpuKernel& kernel, const QuernCpuLaunch& launch, const StreamState& stream, Site site,
                             bool is_turned)
    : kernel_(kernel),
      module_(kernel.module->table()),
      launch_(launch),
      site_(site),
      number_(++state().launches),
      is_turned_(is_turned),
      first_tick_(state().next_tick.load()),
      last_tick_(first_tick_),
      threads_in_block_(launch.block[0] * launch.block[1] * launch.block[2]) {
  work_ = timeline().submit(stream, formatted("kernel '{}'", kernel.info.name), site, others_);
  work_->first_tick = first_tick_;
  const Options& asked = state().options;
  orders_.begin(asked.orders, uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2], asked.seed);
  elsewhere_ = harmless;
  running = this;
}

void CheckedLaunch::tell(Finding found) {
  ++told_;
  if (orders_.now == 0) state().findings.add(std::move(found));  // another order finds the same once more
}

CheckedLaunch::~CheckedLaunch() {
  settle_write();
  for (auto& [of, found] : doubtful_) state().findings.add(std::move(found));
  state().next_tick = last_tick_ + 1;
  work_->last_tick = last_tick_;
  for (auto& [region, range] : host_used_) keep_from_host(work_, range);
  running = nullptr;
}

CheckedBlock& CheckedLaunch::begin_block(uint64_t number, uint32_t threads, char* shared, size_t shared_bytes,
                                         char* private_begin, char* private_end) {
  return *blocks_.emplace_back(
      std::make_unique<CheckedBlock>(*this, number, threads, shared, shared_bytes, private_begin, private_end));
}

void CheckedLaunch::end_block(CheckedBlock& block) {
  settle_write();
  std::erase_if(blocks_, [&](const auto& one) { return one.get() == &block; });
  block_ = nullptr;
}

void CheckedLaunch::pass_grid_barrier(uint64_t finished) {
  if (finished > 0 && !blocks_.empty()) {
    CheckedBlock& waiting = *blocks_.front();
    auto at = std::find_if(waiting.points.begin(), waiting.points.end(), [](const CheckedBlock::Point& point) {
      return (point.what & QUERN_CHECK_EVENT_MASK) == QUERN_CHECK_GRID_BARRIER;
    });
    waiting.enter(static_cast<size_t>(at - waiting.points.begin()) % waiting.threads);
    Finding found = finding(Kind::barrier_missing, 0, at != waiting.points.end() ? at->place : 0, 0);
    found.bytes = blocks_.size(), found.size = blocks_.size() + finished, found.of_grid = true;
    tell(std::move(found));
  }
  grid_tick_ = ++last_tick_;
  releases_.clear();
  for (auto& block : blocks_) {
    block->tick = block->barrier_tick = grid_tick_;
    block->releases.clear();
  }
}

Access CheckedLaunch::access_of(uint32_t thread, uint32_t what, uint32_t place) const {
  Access out;
  if (place < module_.place_count) {
    const QuernCpuPlace& at = module_.places[place];
    out.file = at.file, out.function = at.function, out.line = at.line, out.column = at.column;
    out.source = line_of(static_cast<const LoadedModule*>(kernel_.module), out.file, out.line);
  }
  out.what = what;
  uint64_t block = thread / threads_in_block_;
  uint32_t t = thread % threads_in_block_;
  out.thread = {t % launch_.block[0], t / launch_.block[0] % launch_.block[1], t / launch_.block[0] / launch_.block[1]};
  if (is_turned_) std::swap(out.thread[0], out.thread[1]);
  out.block = {static_cast<uint32_t>(block % launch_.grid[0]), static_cast<uint32_t>(block / launch_.grid[0] % launch_.grid[1]),
               static_cast<uint32_t>(block / launch_.grid[0] / launch_.grid[1])};
  return out;
}

Finding CheckedLaunch::finding(Kind kind, uint32_t what, uint32_t place, uint32_t object) const {
  Finding out;
  out.kind = kind;
  out.kernel = kernel_.info.name;
  out.launch = site_;
  out.access = access_of(me_, what, place);
  if (object < module_.object_count) {
    out.object = module_.objects[object].name;
    out.object_kind = module_.objects[object].kind;
    out.size = module_.objects[object].bytes;
  }
  return out;
}

Region* CheckedLaunch::recent_at(uintptr_t address, uint32_t object) {
  Region* recent = recents_[object % recents_.size()].get();
  return recent && recent->is_live && address >= recent->begin && address < recent->end ? recent : nullptr;
}

Region* CheckedLaunch::region_at(uintptr_t address, uint32_t object) {
  if (Region* recent = recent_at(address, object)) return recent;
  auto& place = recents_[object % recents_.size()];
  place = state().map.find(address);
  return place.get();
}

// What a thread has written of an array of its own.
void CheckedLaunch::follow_local(size_t offset, uint64_t bytes, uint32_t what, uint32_t place, uintptr_t base, uint32_t object) {
  auto found = locals_.find(base);
  if (found == locals_.end()) return;
  std::vector<bool>& written = found->second;
  size_t end = std::min<size_t>(offset + bytes, written.size());
  if (what & QUERN_CHECK_READ && !(what & QUERN_CHECK_COPIED) && state().options.never_written &&
      std::find(written.begin() + static_cast<ptrdiff_t>(offset), written.begin() + static_cast<ptrdiff_t>(end), false) !=
          written.begin() + static_cast<ptrdiff_t>(end)) {
    Finding told = finding(Kind::never_written, what, place, object);
    told.bytes = bytes, told.offset = static_cast<int64_t>(offset);
    tell(std::move(told));
  } else if (!(what & QUERN_CHECK_WRITE)) {
    return;
  }
  std::fill(written.begin() + static_cast<ptrdiff_t>(offset), written.begin() + static_cast<ptrdiff_t>(end), true);
}

void* CheckedLaunch::access(void* pointer, uint64_t bytes, uint32_t what, uint32_t place, void* base, uint64_t size,
                            uint32_t object) {
  settle_write();
  if (bytes == 0) return pointer;
  auto at = reinterpret_cast<uintptr_t>(pointer);
  auto wrong = [&] [[gnu::noinline, gnu::cold]] (Kind kind, int64_t offset, uint64_t of_size, const Region* near) -> void* {
    Finding found = finding(kind, what, place, object);
    found.bytes = bytes, found.offset = offset;
    if (of_size) found.size = of_size;
    if (near) found.allocated = near->site, found.has_allocation = true;
    tell(std::move(found));
    return no_memory();  // the code copies nothing where this is not the address it asked for
  };
  if (what & QUERN_CHECK_CONST && what & QUERN_CHECK_WRITE) wrong(Kind::const_written, 0, 0, nullptr);

  if (pointer >= elsewhere_ && pointer < elsewhere_ + harmless_bytes) return pointer;  // in an element that is not there
  Shadow* shadow = nullptr;
  size_t offset = 0;
  here_ = nullptr;
  if (base) {
    auto begin = reinterpret_cast<uintptr_t>(base);
    if (what & QUERN_CHECK_DYNAMIC) size = launch_.dynamic_shared;
    if (at < begin || at + bytes > begin + size || at + bytes < at)
      return wrong(Kind::out_of_bounds, static_cast<int64_t>(at - begin), size, nullptr);
    if (what & QUERN_CHECK_FOLLOWED) follow_local(at - begin, bytes, what, place, begin, object);
    if (what & QUERN_CHECK_LOCAL) return pointer;
  }
  auto misaligned = [&](size_t offset) -> void* {
    uint64_t align = uint64_t{1} << (what >> QUERN_CHECK_ALIGN_SHIFT & 15);
    return at % align != 0 ? wrong(Kind::misaligned, static_cast<int64_t>(offset), 0, nullptr) : nullptr;
  };
  auto in_region = [&](Region& region) -> void* {
    here_ = &region;
    offset = at - region.begin;
    if (!region.is_live) return wrong(Kind::after_release, static_cast<int64_t>(offset), region.size(), &region);
    // Atomics of bytes and shorts exchange the word that they lie in, which may be longer than the array.
    if (at + bytes > region.end && what & QUERN_CHECK_ATOMIC) bytes = region.end - at;
    if (at + bytes > region.end) return wrong(Kind::out_of_bounds, static_cast<int64_t>(offset), region.size(), &region);
    shadow = &region.shadow;
    return nullptr;
  };
  auto shared = reinterpret_cast<uintptr_t>(block_->shared);
  if (at >= shared && at < shared + block_->shared_shadow.size()) {
    offset = at - shared;
    if (offset + bytes > block_->shared_shadow.size())
      return wrong(Kind::out_of_bounds, static_cast<int64_t>(offset), block_->shared_shadow.size(), nullptr);
    shadow = &block_->shared_shadow;
  } else if (Region* recent = recent_at(at, object)) {
    if (void* instead = in_region(*recent)) return instead;
  } else if ((at >= reinterpret_cast<uintptr_t>(block_->private_begin) &&
              at < reinterpret_cast<uintptr_t>(block_->private_end)) ||
             is_on_stack(at)) {
    return pointer;  // locals that are reached by pointers
  } else if (Region* region = region_at(at, object)) {
    if (void* instead = in_region(*region)) return instead;
  } else if (kernel_.module->contains(pointer)) {
    if (void* instead = misaligned(0)) return instead;
    if (!base) return pointer;  // a variable or constant of the code, nobody knows which
    known(base, size);
    if (void* instead = in_region(*region_at(at, object))) return instead;
  } else if (at < null_page) {
    return wrong(Kind::null, static_cast<int64_t>(at), 0, nullptr);
  } else {
    auto near = state().map.nearest(at);
    return wrong(Kind::out_of_bounds, near ? static_cast<int64_t>(at - near->begin) : 0, near ? near->size() : 0, near.get());
  }
  if (void* instead = misaligned(offset)) return instead;

  if (what & QUERN_CHECK_READ && !(what & QUERN_CHECK_COPIED) && state().options.never_written &&
      !shadow->is_written(offset, bytes)) {
    wrong(Kind::never_written, static_cast<int64_t>(offset), here_ ? here_->size() : 0, here_);
    shadow->mark_written(offset, bytes);  // reported once
  }
  if (what & QUERN_CHECK_WRITE) shadow->mark_written(offset, bytes);
  if (what & (QUERN_CHECK_ATOMIC | QUERN_CHECK_VOLATILE)) {
    if (what & (QUERN_CHECK_EXCHANGE | QUERN_CHECK_VOLATILE)) drop_doubtful(at);
    if (what & QUERN_CHECK_READ) acquire(at);
    if (what & QUERN_CHECK_WRITE) release(at);
  }
  if (here_) {
    if (what & QUERN_CHECK_WRITE) orders_.keep(at, bytes, what);
    if (!others_.empty()) meet_ranges(at, bytes, what, place, object);
    if (here_->is_hosts()) {
      Range& used = host_used_.try_emplace(here_, Range{here_->begin, here_->end, false}).first->second;
      used.written = used.written || (what & QUERN_CHECK_WRITE);
    }
  }
  follow(*shadow, pointer, offset, bytes, what, place, object);
  return pointer;
}

// ---- orders

bool CheckedLaunch::begin_order() {
  settle_write();
  if (!orders_.any()) return false;
  if (auto differs = orders_.end_one()) {
    Finding found;
    found.kind = Kind::block_order;
    found.kernel = kernel_.info.name, found.launch = site_;
    if (Region* region = region_at(*differs, 0)) {
      found.offset = static_cast<int64_t>(*differs - region->begin), found.size = region->size();
      found.allocated = region->site, found.has_allocation = true;
    }
    state().findings.add(std::move(found));
    return false;
  }
  if (!orders_.begin_next()) return false;
  first_tick_ = ++last_tick_;
  releases_.clear();
  return true;
}

// ---- other work

const Work* CheckedLaunch::beside(uint32_t tick) const {
  for (const WorkPtr& other : others_)
    if (tick >= other->first_tick && tick <= other->last_tick) return other.get();
  return nullptr;
}

void CheckedLaunch::meet(const Work& other, const Region* region, uint32_t what, uint32_t place, uint32_t object,
                         uint64_t bytes) {
  Finding found = finding(Kind::unordered, what, place, object);
  found.work = work_->name, found.other_work = other.name, found.other_launch = other.site;
  found.bytes = bytes;
  if (region) found.allocated = region->site, found.has_allocation = true;
  tell(std::move(found));
}

// Copies and fills that may run beside this launch.
void CheckedLaunch::meet_ranges(uintptr_t at, uint64_t bytes, uint32_t what, uint32_t place, uint32_t object) {
  const Range mine{at, at + bytes, (what & QUERN_CHECK_WRITE) != 0};
  for (const WorkPtr& other : others_)
    for (const Range& range : other->ranges)
      if (mine.overlaps(range) && (mine.written || range.written)) return meet(*other, here_, what, place, object, bytes);
}

// ---- races

bool CheckedLaunch::released_to_us(Stamp before) const {
  uint64_t block = before.thread / threads_in_block_;
  return releases_.lead_to(block_->releases, thread_, block_->number, block, before.thread % threads_in_block_, before.tick);
}

// A thread that puts back what it has just read there writes nothing that others could see; nor does one that writes the same
// as another has written, a flag that all set.
void CheckedLaunch::settle_pending_write() {
  if (std::memcmp(written_.pointer, written_.before.data(), written_.bytes) == 0) {
    std::copy_n(written_.cells.begin(), written_.count, written_.first);
  } else if (written_.race) {
    tell(std::move(*written_.race));
  }
  written_.pointer = nullptr;
  written_.race.reset();
}

void CheckedLaunch::follow(Shadow& shadow, const void* pointer, size_t offset, uint64_t bytes, uint32_t what, uint32_t place,
                           uint32_t object) {
  const uint32_t me = me_;
  const Stamp now{me, block_->tick};
  const uint16_t marks = marks_of(what);
  const auto kept_place = static_cast<uint16_t>((place < Cell::place_mask ? place : 0) | marks);
  // Accesses that may meet: both atomic or volatile, in the scope of both.
  constexpr uint16_t strong = Cell::is_atomic | Cell::is_volatile;
  auto may_meet = [&](const Stamp& by, uint16_t other, bool is_write) {
    const uint16_t scopes = marks | (is_write ? other : uint16_t{0});
    return (marks & strong) != 0 && (other & strong) != 0 && (!(scopes & Cell::of_block) || is_of_block(by.thread));
  };
  auto [cell, count] = shadow.cells(offset, bytes);
  bool told = false;
  const bool may_put_back = what & QUERN_CHECK_WRITE && !(what & QUERN_CHECK_ATOMIC) && bytes <= written_.before.size() &&
                            count <= written_.cells.size() && cell->read.thread == me && cell->read.tick == now.tick;
  if (may_put_back) {
    written_.pointer = pointer, written_.bytes = bytes, written_.first = cell, written_.count = count;
    std::memcpy(written_.before.data(), pointer, bytes);
    std::copy_n(cell, count, written_.cells.begin());
  }
  const bool may_write_the_same =
      what & QUERN_CHECK_WRITE && !(what & (QUERN_CHECK_ATOMIC | QUERN_CHECK_READ)) && bytes <= written_.before.size();
  // Whoever reads a word as it is, then exchanges it by an atomic that compares, has read it in the right way: CUDA's own manual
  // adds doubles so. Other atomics excuse no read.
  auto is_doubtful = [&](uint32_t mine, uint32_t others, uint16_t other_marks) {
    bool i_am_atomic = marks & Cell::is_atomic, other_is_atomic = other_marks & Cell::is_atomic;
    return (i_am_atomic && !(others & QUERN_CHECK_WRITE)) || (other_is_atomic && !(mine & QUERN_CHECK_WRITE));
  };
  auto race = [&] [[gnu::noinline, gnu::cold]] (const Stamp& other, uint32_t kind, uint16_t other_place, size_t at) {
    if (other.tick < first_tick_) return meet(*beside(other.tick), here_, what, place, object, bytes);
    Finding found = finding(Kind::race, what, place, object);
    found.of_warp = is_of_block(other.thread) && (other.thread - first_) / 32 == thread_ / 32;
    found.other = access_of(other.thread, what_of(kind, other_place), other_place & Cell::place_mask);
    found.bytes = bytes;
    found.offset = static_cast<int64_t>(at);
    if (here_) found.allocated = here_->site, found.has_allocation = true;
    if (is_doubtful(what, kind, other_place)) {
      uint32_t reader = what & QUERN_CHECK_WRITE ? other.thread : me;
      doubtful_.try_emplace({reader, reinterpret_cast<uintptr_t>(pointer)}, std::move(found));
    } else if (may_put_back) {
      written_.race = std::move(found);
    } else if (may_write_the_same && kind == QUERN_CHECK_WRITE) {
      written_.pointer = pointer, written_.bytes = bytes, written_.count = 0;
      std::memcpy(written_.before.data(), pointer, bytes);
      written_.race = std::move(found);
    } else {
      tell(std::move(found));
    }
  };

  for (Cell* end = cell + count; cell != end; ++cell) {
    if (what & QUERN_CHECK_EXCHANGE && is_mine(cell->read) && !(cell->read_place & (Cell::by_many | Cell::by_many_blocks)))
      cell->read = {};
    if (!told && cell->write.tick && !is_mine(cell->write) && !may_meet(cell->write, cell->write_place, true) &&
        !ordered(cell->write)) {
      race(cell->write, QUERN_CHECK_WRITE, cell->write_place, offset);
      told = true;
    }
    if (what & QUERN_CHECK_WRITE) {
      bool by_others = !is_mine(cell->read) || (cell->read_place & (Cell::by_many | Cell::by_many_blocks));
      if (!told && cell->read.tick && by_others && !may_meet(cell->read, cell->read_place, false)) {
        bool is_ordered = ordered(cell->read);
        // Among several readers the one that is kept may be this thread, or one that this block has waited for.
        if (is_mine(cell->read)) is_ordered = cell->read.tick < block_->barrier_tick;
        if (!is_ordered) {
          const Stamp reader{is_mine(cell->read) ? cell->other_reader : cell->read.thread, cell->read.tick};
          race(reader, QUERN_CHECK_READ, cell->read_place, offset);
          told = true;
        }
      }
      // Beside an own plain write that nothing has ordered yet an atomic one is no news: others may not meet the plain one.
      const bool was_plain = is_mine(cell->write) && cell->write.tick == now.tick && !(cell->write_place & strong);
      if (!(marks & strong && was_plain)) {
        cell->write = now;
        cell->write_place = kept_place | Cell::is_written;
      }
    }
    if (what & QUERN_CHECK_READ && !(what & QUERN_CHECK_WRITE)) {
      if (!others_.empty() && cell->read.tick && beside(cell->read.tick)) continue;  // whoever writes there is to know of it
      uint16_t many = 0;
      if (is_mine(cell->read) && cell->read.tick == now.tick) {
        many = cell->read_place & (Cell::by_many | Cell::by_many_blocks);
      } else if (cell->read.tick && !is_mine(cell->read) && !ordered(cell->read)) {
        many = static_cast<uint16_t>(Cell::by_many | (cell->read_place & Cell::by_many_blocks));
        if (!is_of_block(cell->read.thread)) many |= Cell::by_many_blocks;
        if (is_of_block(cell->read.thread) && cell->read.tick == now.tick) {  // the first of them stays
          cell->read_place |= many;
          cell->other_reader = me;
          continue;
        }
        cell->other_reader = cell->read.thread;
      }
      cell->read = now;
      cell->read_place = static_cast<uint16_t>((kept_place & ~(Cell::by_many | Cell::by_many_blocks)) | many);
    }
  }
}

void CheckedLaunch::drop_doubtful(uintptr_t address) {
  if (!doubtful_.empty()) doubtful_.erase({me_, address});
}

void CheckedLaunch::release(uintptr_t address) {
  if (auto told = block_->releases.told_by(thread_)) releases_.add(address, block_->number, std::move(told));
}

void CheckedLaunch::acquire(uintptr_t address) {
  if (uint64_t number = releases_.known_at(address)) block_->releases.see(thread_, address, number);
}

void CheckedLaunch::event(uint32_t what, uint32_t place) {
  settle_write();
  if (what == QUERN_CHECK_FENCE || what == QUERN_CHECK_BLOCK_FENCE) {
    Scope scope = what == QUERN_CHECK_FENCE ? of_device : of_block;
    block_->releases.fence(thread_, scope, block_->tick, block_->barrier_tick, block_->joined[thread_ / 32]);
    block_->next_tick();
  } else if (what == QUERN_CHECK_PASSED_BY) {
    ++block_->passed_by[thread_][place];
  } else {
    block_->points[thread_] = {what, place};
  }
}

// ---- values

void CheckedLaunch::value(uint32_t what, uint32_t place, int64_t first, int64_t second) {
  constexpr Kind kinds[] = {Kind::division, Kind::division,   Kind::shift,          Kind::never_written,
                            Kind::overflow, Kind::not_finite, Kind::barrier_missing};
  uint32_t kind = what & ((1u << QUERN_CHECK_SIGN_SHIFT) - 1);
  if (kind == QUERN_CHECK_UNSET && !state().options.never_written) return;
  if (kind == QUERN_CHECK_LANE) {
    auto doubt = static_cast<uint32_t>(first);
    Finding found = finding(Kind::barrier_missing, 0, doubt >> doubt_shift, 0);
    found.other = access_of(me_, 0, place);
    found.first = doubt & ((1u << doubt_shift) - 1);
    return tell(std::move(found));
  }
  Finding found = finding(kinds[kind], kind == QUERN_CHECK_UNSET ? QUERN_CHECK_READ : 0, place,
                          kind == QUERN_CHECK_UNSET ? static_cast<uint32_t>(first) : 0);
  if (kind == QUERN_CHECK_UNSET) {
    found.bytes = static_cast<uint64_t>(second);
  } else {
    found.first = first, found.second = second;
    found.sign = what >> QUERN_CHECK_SIGN_SHIFT;
  }
  tell(std::move(found));
}

void CheckedLaunch::local(const void* base, uint64_t bytes) { locals_[reinterpret_cast<uintptr_t>(base)].assign(bytes, false); }

void* CheckedLaunch::index(const void* data, int64_t index, int64_t extent, uint32_t axis, uint32_t place, uint32_t object) {
  Finding found = finding(Kind::out_of_bounds, 0, place, object);
  // Python's, below 0, was counted from the end already.
  found.offset = index < 0 && axis != QUERN_CHECK_ROW ? index - extent : index;
  found.size = static_cast<uint64_t>(extent);
  found.axis = static_cast<int32_t>(axis);
  if (auto region = state().map.find(reinterpret_cast<uintptr_t>(data))) {
    found.allocated = region->site, found.has_allocation = true;
  }
  tell(std::move(found));
  return no_memory();
}

// ---- lanes. lane() returns the number of the lane that gave nothing, counted from 1, and the shuffle's place; 0: none.

uint32_t CheckedLaunch::lane(int64_t lane, uint32_t place) const {
  if (lane < 0 || lane >= 32) return 0;  // there is no such lane; the thread takes its own value
  const CheckedBlock::Exchange& all = block_->exchanges[thread_ / 32];
  if (all.present >> lane & 1) return all.doubts[static_cast<size_t>(lane)];
  return place << doubt_shift | static_cast<uint32_t>(lane + 1);
}

void CheckedLaunch::give(uint32_t doubt) { block_->exchanges[thread_ / 32].doubts[thread_ % 32] = doubt; }

// ---- what kernels call

CheckedLaunch* current_launch() { return running; }

namespace {

// A loop that goes wrong in each of its rounds may have no end. No object of C++ is between here and the kernel's code.
void end_if_too_many() {
  if (running->told() < CheckedLaunch::most_told) [[likely]]
    return;
  end_kernel("[check] the launch was stopped after a million findings");
}

}  // namespace

void* check_access(void* pointer, uint64_t bytes, uint32_t what, uint32_t place, void* base, uint64_t size, uint32_t object) {
  if (!running) return pointer;
  void* const at = running->access(pointer, bytes, what, place, base, size, object);
  end_if_too_many();
  return at;
}

void check_event(uint32_t what, uint32_t place) {
  if (running) running->event(what, place);
}

void check_value(uint32_t what, uint32_t place, int64_t first, int64_t second) {
  if (!running) return;
  running->value(what, place, first, second);
  end_if_too_many();
}

void check_local(const void* base, uint64_t bytes) {
  if (running) running->local(base, bytes);
}

void* check_index(const void* data, int64_t index, int64_t extent, uint32_t axis, uint32_t place, uint32_t object) {
  if (!running) return no_memory();
  void* const at = running->index(data, index, extent, axis, place, object);
  end_if_too_many();
  return at;
}

uint32_t check_lane(int64_t lane, uint32_t place) { return running ? running->lane(lane, place) : 0; }

void check_give(uint32_t doubt) {
  if (running) running->give(doubt);
}

}  // namespace quern::check
