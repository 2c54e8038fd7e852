// Work that was interrupted: it was submitted and never done, or only a part of it. Each piece of array work has a number, which
// its results keep; numbers of work that was dropped are kept, and reading such a result, or what depends on it, raises.
#pragma once

#include <cstdint>
#include <span>

namespace quern {

// While one lives, what the calling thread submits belongs to a new piece of array work.
class ArrayWork {
 public:
  ArrayWork();
  ~ArrayWork() { current_ = before_; }
  ArrayWork(const ArrayWork&) = delete;
  ArrayWork& operator=(const ArrayWork&) = delete;
  static uint64_t current() { return current_; }  // 0: of no array

 private:
  static thread_local uint64_t current_;
  uint64_t before_;
};

// What is recorded to be made of it is dropped with it.
void drop_work(uint64_t number);
bool is_dropped(uint64_t number);  // quick while nothing ever was
// `number` is made of these; for work that is submitted while they may still be dropped.
void record_inputs(uint64_t number, std::span<const uint64_t> inputs);

}  // namespace quern
