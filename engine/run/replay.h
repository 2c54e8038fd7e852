// Replay: what a loop's body comes to is scheduled once. When the same sequence (graph/sequence.h) has been pending twice, its
// groups, forms and kernels are remembered; from then on only the nodes of the day are put into them. Memory is the pool's each
// time, and whatever depends on it (alignment, who else reads what is overwritten) is checked each time.
#pragma once

#include "graph/sequence.h"
#include "run/batch.h"

#include <array>
#include <memory>
#include <unordered_map>

namespace quern {

class Replay {
 public:
  Replay(const Sequence& sequence, std::vector<Batch> batches);

  size_t size() const { return batches_.size(); }
  DeviceId device() const { return batches_[0].batch.members[0].group.device; }  // of the first batch
  bool fits(const Sequence& sequence) const { return words_ == sequence.words; }
  size_t words() const { return words_.size(); }
  // The batch as it is today.
  Batch& batch(size_t i, const Sequence& sequence);

 private:
  struct Numbers {
    std::vector<uint32_t> nodes, loads, constants;
  };
  struct Kept {
    Batch batch;
    std::vector<Numbers> numbers;  // of each member
  };
  std::vector<uint64_t> words_;
  std::vector<LayoutRef> layouts_;
  std::vector<Kept> batches_;
};

class Replays {
 public:
  // Nothing: it has to be scheduled. What is found stays while the caller holds it.
  std::shared_ptr<Replay> find(const Sequence& sequence);
  // Whether it was scheduled before, not long ago.
  bool comes_again(const Sequence& sequence);
  // Where there are many already, those that were not needed for longest go.
  std::shared_ptr<Replay> keep(const Sequence& sequence, std::vector<Batch> batches);
  size_t count() const { return all_.size(); }

 private:
  struct Entry {
    std::shared_ptr<Replay> replay;
    uint64_t used;
  };
  void remove(std::unordered_map<uint64_t, Entry>::iterator entry);
  std::unordered_map<uint64_t, Entry> all_;
  uint64_t uses_ = 0;
  std::array<std::array<uint64_t, 4>, 64> seen_{};
  size_t words_ = 0;
};

}  // namespace quern
