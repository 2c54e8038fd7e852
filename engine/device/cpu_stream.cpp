// CPU streams and events. A stream is a ring of commands with two ends: submit() fills it, finish() and the stream's own thread
// carry commands out. Whoever waits works, so that a launch followed by a wait costs no thread switch.
#include "core/error.h"
#include "core/log.h"
#include "core/print.h"
#include "core/spin.h"
#include "core/trace.h"
#include "core/wait.h"
#include "device/check/checker.h"
#include "device/check/host_pages.h"
#include "device/cpu.h"
#include "device/cpu_interrupt.h"
#include "device/cpu_work.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace quern {

namespace {

constexpr int spins_before_sleep = 2000;  // some tens of microseconds

// The next one; the caller holds the baton and knows that there is one.
Command& next_command(StreamState& stream) {
  return stream.slots[stream.completed.load(std::memory_order_relaxed) % StreamState::capacity];
}

void carry_out(StreamState& stream, Command& command) noexcept {
  uint32_t number = stream.completed.load(std::memory_order_relaxed) + 1;
  for (const Dependency& d : command.after) finish(*d.stream, d.sequence);
  stream.device.run(stream, command);
  if (command.is_heavy) {
    stream.heavy.fetch_sub(1, std::memory_order_relaxed);
    stream.device.heavy.fetch_sub(1, std::memory_order_relaxed);
  }
  command.clear();  // before its slot is free
  stream.complete(number);
}

// Carries out what is submitted, up to `until`; the caller holds the baton.
void work(StreamState& stream, uint32_t until) noexcept {
  while (!stream.reached(until)) carry_out(stream, next_command(stream));
}

// Will it be done soon, as far as is known?
bool takes_short(const Command& command) {
  constexpr float most_ns = 1e6f;
  switch (command.what) {
    case Command::What::launch: {
      float each = command.kernel->nanoseconds_per_block.load(std::memory_order_relaxed);
      float blocks = 1;
      for (uint32_t n : command.shape.grid) blocks *= static_cast<float>(n);
      return each >= 0 && each * blocks < most_ns;
    }
    case Command::What::call:
      return false;
    default:
      return true;
  }
}

void worker_main(std::shared_ptr<StreamState> stream) {
  for (;;) {
    uint32_t seen = stream->submitted.load(std::memory_order_acquire);
    if (stream->reached(seen)) {
      if (stream->closing.load()) return;
      // More often comes at once: look for a while before sleeping, since waking costs the submitter more than its call.
      spin_while(spins_before_sleep, [&] { return stream->submitted.load(std::memory_order_relaxed) == seen; });
      stream->submitted.wait(seen, std::memory_order_acquire);
      continue;
    }
    std::lock_guard hold(stream->baton);
    work(*stream, seen);
  }
}

// Not only as far as is known: kernels and callbacks of the user's may be endless, and printing may wait for a reader.
bool is_short(const Command& command) {
  bool is_sure = command.work != 0 ? !command.is_heavy : command.what != Command::What::call;
  if (command.work == 0 && command.what == Command::What::launch) {
    constexpr uint32_t asked = QUERN_KERNEL_BOUNDED | QUERN_KERNEL_PRINTS;
    is_sure = (command.kernel->code->flags & asked) == QUERN_KERNEL_BOUNDED && takes_short(command);
  }
  return is_sure && std::all_of(command.after.begin(), command.after.end(),
                                [](const Dependency& d) { return d.stream->reached(d.sequence); });
}

// Not for a stream that goes: whoever waits for the little that it has left does that work himself.
void start_worker(StreamState& stream) {
  if (!stream.worker.joinable() && !stream.closing.load()) stream.worker = std::thread(worker_main, stream.shared_from_this());
}

// Makes the stream's own thread carry out what is submitted.
void wake_worker(StreamState& stream) {
  {
    std::lock_guard hold(stream.producers);
    start_worker(stream);
  }
  stream.submitted.notify_one();
}

}  // namespace

void StreamState::complete(uint32_t sequence) {
  completed.store(sequence, std::memory_order_seq_cst);
  if (waiters.load(std::memory_order_seq_cst) > 0)
    syscall(SYS_futex, &completed, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

void StreamState::wait_for_change(uint32_t seen, std::chrono::nanoseconds time) {
  static_assert(sizeof completed == sizeof(uint32_t));
  timespec limit{time.count() / 1'000'000'000, time.count() % 1'000'000'000};
  waiters.fetch_add(1, std::memory_order_seq_cst);
  if (completed.load(std::memory_order_seq_cst) == seen)
    syscall(SYS_futex, &completed, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
  waiters.fetch_sub(1, std::memory_order_relaxed);
}

void Failure::raise() const {
  std::string line = describe_site(site);
  raise_text(kind, line.empty() ? text : text + "; launched at " + line);
}

void raise_failure(StreamState& state) {
  std::optional<Failure> failure;
  {
    std::lock_guard hold(state.failure_lock);
    failure.swap(state.failure);
  }
  deliver_prints();
  if (failure) failure->raise();
}

void finish(StreamState& stream, uint32_t sequence) noexcept {
  while (!stream.reached(sequence)) {
    uint32_t seen = stream.completed.load(std::memory_order_acquire);
    if (stream.baton.try_lock()) {
      work(stream, sequence);
      stream.baton.unlock();
    } else if (static_cast<int32_t>(seen - sequence) < 0) {
      stream.wait_for_change(seen, std::chrono::seconds(1));
      stop_what_was_left(stream);
    }
  }
}

void wait_until(StreamState& stream, uint32_t sequence) {
  if (stream.reached(sequence)) return;
  if (!handles_signals()) return finish(stream, sequence);
  bool woken = false;
  while (!stream.reached(sequence)) {
    uint32_t seen = stream.completed.load(std::memory_order_acquire);
    if (stream.baton.try_lock()) {
      while (!stream.reached(sequence) && is_short(next_command(stream))) carry_out(stream, next_command(stream));
      stream.baton.unlock();
      if (stream.reached(sequence)) return;
      if (!woken) wake_worker(stream);
      woken = true;
      seen = stream.completed.load(std::memory_order_acquire);
    }
    spin_while(spins_before_sleep, [&] { return stream.completed.load(std::memory_order_relaxed) == seen; });
    stream.wait_for_change(seen, slice);
    stop_what_was_left(stream);
    look_at_signals();
  }
}

CpuStream::CpuStream(CpuDevice& device, StreamOptions options, bool is_default)
    : Stream(device), state(std::make_shared<StreamState>(device, !options.non_blocking)), is_default(is_default) {
  state->number = number;
  state->is_default = is_default;
}

CpuStream::~CpuStream() {
  {
    std::lock_guard hold(state->producers);
    if (!state->idle()) finish(*state, state->submitted.load());
    state->closing = true;
    if (!state->worker.joinable()) return;
  }
  // Its thread is asleep until `submitted` changes; then it sees that this was the end.
  submit([](Command& command) { command.what = Command::What::nothing; });
  std::lock_guard hold(state->producers);
  state->worker.detach();
}

bool CpuStream::is_shut() const { return static_cast<CpuDevice&>(device).shut(); }

std::vector<Dependency> CpuStream::dependencies() const { return static_cast<CpuDevice&>(device).dependencies(*this); }

// Of launches of the user's: array work sees to that before it begins a group.
void CpuStream::make_room_for_launches() {
  uint32_t tail = state->submitted.load(std::memory_order_relaxed);
  constexpr uint32_t spare = 64;
  if (tail - state->completed.load(std::memory_order_acquire) < StreamState::capacity - spare || !handles_signals()) return;
  Waiting waiting;
  wait_until(*state, tail - StreamState::capacity / 2);
}

Command& CpuStream::next_slot() {
  uint32_t tail = state->submitted.load(std::memory_order_relaxed);
  if (tail - state->completed.load(std::memory_order_acquire) >= StreamState::capacity) {
    Waiting waiting;
    finish(*state, tail - StreamState::capacity / 2);
  }
  return state->slots[tail % StreamState::capacity];
}

void CpuStream::weigh(Command& command) {
  command.is_heavy = command.work != 0 && !takes_short(command);
  if (!command.is_heavy) return;
  state->heavy.fetch_add(1, std::memory_order_relaxed);
  state->device.heavy.fetch_add(1, std::memory_order_relaxed);
}

uint32_t CpuStream::publish(std::unique_lock<std::mutex>& hold, Wake wake) {
  if (WaitsSoon::here()) wake = Wake::by_waiter;
  uint32_t sequence = state->submitted.load(std::memory_order_relaxed) + 1;
  state->submitted.store(sequence, std::memory_order_release);
  if (wake == Wake::now) start_worker(*state);
  hold.unlock();
  if (wake == Wake::now) state->submitted.notify_one();
  return sequence;
}

void CpuStream::drain() noexcept {
  auto& device = static_cast<CpuDevice&>(this->device);
  for (const Dependency& d : device.dependencies(*this)) finish(*d.stream, d.sequence);
  finish(*state, state->submitted.load(std::memory_order_acquire));
}

void CpuStream::make_room() {
  uint32_t tail = state->submitted.load(std::memory_order_relaxed);
  uint32_t waits = tail - state->completed.load(std::memory_order_acquire);
  // What is not submitted is not lost by an interrupt: of work that takes long, little is.
  constexpr uint32_t few = 3;
  if (state->heavy.load(std::memory_order_relaxed) >= few && handles_signals()) {
    Waiting waiting;
    while (state->heavy.load(std::memory_order_relaxed) >= few) wait_until(*state, state->completed.load() + 1);
  } else if (waits >= StreamState::capacity / 2) {
    Waiting waiting;
    wait_until(*state, tail - StreamState::capacity / 4);
  }
}

void CpuStream::synchronize() {
  auto& device = static_cast<CpuDevice&>(this->device);
  for (const Dependency& d : device.dependencies(*this)) wait_until(*d.stream, d.sequence);
  wait_until(*state, state->submitted.load(std::memory_order_acquire));
  raise_failure(*state);
}

bool CpuStream::done() {
  if (!state->idle()) {
    wake_worker(*state);  // somebody polls: make sure that somebody works
    return false;
  }
  raise_failure(*state);
  return true;
}

void CpuStream::wait(Event& event) {
  auto& other = static_cast<CpuEvent&>(event);
  if (!other.state || !other.state->recorded.load()) return;
  submit([state = other.state](Command& command) {
    command.what = Command::What::call;
    command.call = [state] { finish(*state->stream, state->sequence.load()); };
  });
}

void CpuStream::call(std::function<void()> f) {
  submit([&](Command& command) {
    command.what = Command::What::call;
    command.call = std::move(f);
  });
}

uintptr_t CpuStream::native() { return is_default ? 0 : reinterpret_cast<uintptr_t>(state.get()); }

void CpuEvent::record(Stream& stream) {
  auto& on = static_cast<CpuStream&>(stream);
  state = std::make_shared<EventState>();
  state->stream = on.state;
  // Nothing is left to do: the stream is there already.
  std::vector<Dependency> after = static_cast<CpuDevice&>(on.device).dependencies(on);
  if (on.state->idle() && std::ranges::all_of(after, [](const Dependency& d) { return d.stream->reached(d.sequence); })) {
    state->sequence = on.state->completed.load();
    state->reached(*on.state);
    state->recorded = true;
    return;
  }
  // The sequence is known only after submit(); until then a waiter waits for everything submitted, which includes it.
  state->sequence = on.state->submitted.load() + 1;
  state->recorded = true;
  state->sequence = on.submit([this](Command& command) {
    command.what = Command::What::record;
    command.event = state;
  });
}

void CpuEvent::synchronize() {
  if (!state) return;
  wait_until(*state->stream, state->sequence.load());
  raise_failure(*state->stream);
}

bool CpuEvent::done() {
  if (!state || state->stream->reached(state->sequence.load())) return true;
  state->stream->submitted.notify_one();
  return false;
}

double CpuEvent::elapsed_ms(Event& start) {
  auto& first = static_cast<CpuEvent&>(start);
  if (!state || !first.state)
    raise(ErrorKind::logic, "[event] elapsed time of an event that was never recorded; record both events first");
  if (!options.timing || !first.options.timing)
    raise(ErrorKind::logic, "[event] elapsed time of an event created without timing");
  if (!done() || !first.done())
    raise(ErrorKind::logic, "[event] elapsed time of an event that has not happened yet; synchronize it first");
  return static_cast<double>(state->time_ns.load() - first.state->time_ns.load()) * 1e-6;
}

void EventState::reached(const StreamState& by) {
  pool_ns = ThreadPool::time_in_bodies();
  worked_ns = by.worked_ns.load();
  time_ns = now_ns();
}

CpuWork work_between(Event& start, Event& end) {
  const EventState &first = *static_cast<CpuEvent&>(start).state, &last = *static_cast<CpuEvent&>(end).state;
  CpuWork out;
  out.end_ns = last.time_ns;
  out.work_ns = last.worked_ns - first.worked_ns;
  if (out.work_ns == 0) out.work_ns = last.time_ns - first.time_ns;  // done at once, on the caller's thread
  int64_t pool = last.pool_ns - first.pool_ns;
  out.thread_ns = pool > 0 ? pool : out.work_ns;
  return out;
}

uintptr_t CpuEvent::native() { return reinterpret_cast<uintptr_t>(state.get()); }

// One command; failures stay with the stream until somebody waits.
void CpuDevice::run(StreamState& stream, Command& command) noexcept {
  if (shut()) return;
  if (is_cancelled(stream, command)) return drop_work(command.work);
  Running running(stream, command);
  const int64_t began = tracing() ? now_ns() : 0;
  std::optional<check::HostPagesOpen> open;
  if (check::on()) open.emplace();
  switch (command.what) {
    case Command::What::nothing:
      break;
    case Command::What::launch:
      if (auto failure = run_launch(stream, command)) {
        std::lock_guard hold(stream.failure_lock);
        if (!stream.failure) stream.failure = std::move(failure);
      }
      break;
    case Command::What::copy:
      copy_bytes(command.dst, command.src, command.bytes);
      break;
    case Command::What::fill:
      fill_bytes(command);
      break;
    case Command::What::record:
      command.event->reached(stream);
      break;
    case Command::What::call:
      try {
        StopsWith stops(stream.stop);
        command.call();
      } catch (const Interrupt&) {
        drop_work(command.work);
      } catch (const std::exception& e) {
        std::lock_guard hold(stream.failure_lock);
        if (!stream.failure)
          stream.failure = Failure{ErrorKind::runtime, std::string("[stream] a callback raised: ") + e.what(), no_site};
      }
      break;
  }
  if (began) stream.worked_ns.fetch_add(now_ns() - began, std::memory_order_relaxed);
}

}  // namespace quern
