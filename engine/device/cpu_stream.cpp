// CPU streams and events. A stream is a ring of commands with two ends: submit() fills it, finish() and the stream's own thread
// carry commands out. Whoever waits works, so that a launch followed by a wait costs no thread switch.
#include "core/error.h"
#include "core/log.h"
#include "core/print.h"
#include "core/wait.h"
#include "device/cpu.h"

#include <immintrin.h>

#include <chrono>

namespace quern {

namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr int spins_before_sleep = 2000;  // some tens of microseconds

// Carries out what is submitted, up to `until`; the caller holds the baton.
void work(StreamState& stream, uint32_t until) noexcept {
  while (!stream.reached(until)) {
    uint32_t next = stream.completed.load(std::memory_order_relaxed);
    Command& command = stream.slots[next % StreamState::capacity];
    for (const Dependency& d : command.after) finish(*d.stream, d.sequence);
    stream.device.run(stream, command);
    command.clear();  // before its slot is free
    stream.completed.store(next + 1, std::memory_order_release);
    stream.completed.notify_all();
  }
}

void worker_main(std::shared_ptr<StreamState> stream) {
  for (;;) {
    uint32_t seen = stream->submitted.load(std::memory_order_acquire);
    if (stream->reached(seen)) {
      if (stream->closing.load()) return;
      // More often comes at once: look for a while before sleeping, since waking costs the submitter more than its call.
      for (int i = 0; i < spins_before_sleep && stream->submitted.load(std::memory_order_relaxed) == seen; ++i) _mm_pause();
      stream->submitted.wait(seen, std::memory_order_acquire);
      continue;
    }
    std::lock_guard hold(stream->baton);
    work(*stream, seen);
  }
}

}  // namespace

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
      stream.completed.wait(seen, std::memory_order_acquire);
    }
  }
}

CpuStream::CpuStream(CpuDevice& device, StreamOptions options, bool is_default)
    : Stream(device), state(std::make_shared<StreamState>(device, !options.non_blocking)), is_default(is_default) {}

CpuStream::~CpuStream() {
  state->closing = true;
  std::lock_guard hold(state->producers);
  if (state->worker.joinable()) {
    // A stream that is idle may be asleep on `submitted`: a number nobody waits for wakes it.
    finish(*state, state->submitted.load());
    state->submitted.notify_all();
    state->worker.detach();
  }
}

bool CpuStream::is_shut() const { return static_cast<CpuDevice&>(device).shut(); }

std::vector<Dependency> CpuStream::dependencies() const { return static_cast<CpuDevice&>(device).dependencies(*this); }

Command& CpuStream::next_slot() {
  uint32_t tail = state->submitted.load(std::memory_order_relaxed);
  if (tail - state->completed.load(std::memory_order_acquire) >= StreamState::capacity) {
    Waiting waiting;
    finish(*state, tail - StreamState::capacity / 2);
  }
  return state->slots[tail % StreamState::capacity];
}

uint32_t CpuStream::publish(std::unique_lock<std::mutex>& hold, Wake wake) {
  if (WaitsSoon::here()) wake = Wake::by_waiter;
  uint32_t sequence = state->submitted.load(std::memory_order_relaxed) + 1;
  state->submitted.store(sequence, std::memory_order_release);
  if (wake == Wake::now && !state->worker.joinable()) state->worker = std::thread(worker_main, state);
  hold.unlock();
  if (wake == Wake::now) state->submitted.notify_one();
  return sequence;
}

void CpuStream::drain() noexcept {
  auto& device = static_cast<CpuDevice&>(this->device);
  for (const Dependency& d : device.dependencies(*this)) finish(*d.stream, d.sequence);
  finish(*state, state->submitted.load(std::memory_order_acquire));
}

void CpuStream::synchronize() {
  drain();
  raise_failure(*state);
}

bool CpuStream::done() {
  if (!state->idle()) {
    // Somebody polls: make sure that somebody works.
    std::lock_guard hold(state->producers);
    if (!state->worker.joinable()) state->worker = std::thread(worker_main, state);
    state->submitted.notify_one();
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
  finish(*state->stream, state->sequence.load());
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
    raise(ErrorKind::logic, "[event] elapsed time asked of an event that was never recorded; record both events first");
  if (!options.timing || !first.options.timing)
    raise(ErrorKind::logic, "[event] elapsed time asked of an event made without timing");
  if (!done() || !first.done())
    raise(ErrorKind::logic, "[event] elapsed time asked before the event was reached; synchronize it first");
  return static_cast<double>(state->time_ns.load() - first.state->time_ns.load()) * 1e-6;
}

uintptr_t CpuEvent::native() { return reinterpret_cast<uintptr_t>(state.get()); }

// One command; failures stay with the stream until somebody waits.
void CpuDevice::run(StreamState& stream, Command& command) noexcept {
  if (shut()) return;
  switch (command.what) {
    case Command::What::nothing:
      break;
    case Command::What::launch:
      if (auto failure = run_launch(command)) {
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
      command.event->time_ns = now_ns();
      break;
    case Command::What::call:
      try {
        command.call();
      } catch (const std::exception& e) {
        std::lock_guard hold(stream.failure_lock);
        if (!stream.failure)
          stream.failure = Failure{ErrorKind::runtime, std::string("[stream] a callback raised: ") + e.what(), no_site};
      }
      break;
  }
}

}  // namespace quern
