// Kernels of one flush that nobody has yet: several threads compile them, while the first ones run already.
//
//   SideBySide compilers(batches);
//   for (Batch& batch : batches) run(batch);  // looks each kernel up, and waits where its compiler is still at work
//
// The threads put what they make into the cache of compiled code (compile/cache.h). What fails there is tried again, and
// reported, by the group that needs it.
#pragma once

#include "run/batch.h"

#include <memory>
#include <span>
#include <vector>

namespace quern {

class SideBySide {
 public:
  // Prints the texts and starts the threads; does nothing for one kernel, nor with QUERN_NUM_THREADS=1.
  explicit SideBySide(std::span<Batch> batches);
  ~SideBySide();  // what no thread has begun is not begun
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

 private:
  struct Wanted;
  struct Queue;
  static void add_missing(std::vector<Wanted>& all, const Wanted& wanted);
  static std::vector<Wanted> missing(std::span<Batch> batches);
  static std::shared_ptr<Queue> queue_of(std::span<const Wanted> all);
  void drop();  // what no thread has begun

  std::shared_ptr<Queue> queue_;  // the threads', too: an interrupted flush leaves them at work
};

}  // namespace quern
