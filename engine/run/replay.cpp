#include "run/replay.h"

#include <algorithm>

namespace quern {

Replay::Replay(const Sequence& sequence, std::vector<Batch> batches) : words_(sequence.words), layouts_(layouts_of(sequence)) {
  for (Batch& batch : batches) {
    Kept kept;
    for (const Batch::Member& member : batch.members) {
      Numbers& numbers = kept.numbers.emplace_back();
      for (Node* node : member.group.nodes) numbers.nodes.push_back(node->number);
      for (const Load& load : member.group.loads) numbers.loads.push_back(load.node->number);
      for (Node* node : member.group.constants) numbers.constants.push_back(node->number);
    }
    kept.batch = std::move(batch);
    batches_.push_back(std::move(kept));
  }
}

Batch& Replay::batch(size_t i, const Sequence& sequence) {
  Kept& kept = batches_[i];
  for (size_t m = 0; m < kept.numbers.size(); ++m) {
    const Numbers& numbers = kept.numbers[m];
    Group& group = kept.batch.members[m].group;
    for (size_t k = 0; k < numbers.nodes.size(); ++k) group.nodes[k] = sequence.nodes[numbers.nodes[k]];
    for (size_t k = 0; k < numbers.loads.size(); ++k) group.loads[k].node = sequence.nodes[numbers.loads[k]];
    for (size_t k = 0; k < numbers.constants.size(); ++k) group.constants[k] = sequence.nodes[numbers.constants[k]];
  }
  return kept.batch;
}

std::shared_ptr<Replay> Replays::find(const Sequence& sequence) {
  auto found = all_.find(sequence.hash);
  if (found == all_.end() || !found->second.replay->fits(sequence)) return nullptr;
  found->second.used = ++uses_;
  return found->second.replay;
}

bool Replays::comes_again(const Sequence& sequence) {
  // Places for four each, the newest in front: loops that take turns must not push one another out.
  auto& seen = seen_[sequence.hash >> 58];
  auto found = std::find(seen.begin(), seen.end(), sequence.hash);
  bool again = found != seen.end();
  std::rotate(seen.begin(), again ? found : seen.end() - 1, again ? found + 1 : seen.end());
  seen.front() = sequence.hash;
  return again;
}

std::shared_ptr<Replay> Replays::keep(const Sequence& sequence, std::vector<Batch> batches) {
  constexpr size_t most = 256, most_words = 1 << 20;
  if (auto same = all_.find(sequence.hash); same != all_.end()) remove(same);
  while (!all_.empty() && (all_.size() >= most || words_ + sequence.words.size() > most_words))
    remove(std::min_element(all_.begin(), all_.end(), [](auto& a, auto& b) { return a.second.used < b.second.used; }));
  auto replay = std::make_shared<Replay>(sequence, std::move(batches));
  all_.emplace(sequence.hash, Entry{replay, ++uses_});
  words_ += sequence.words.size();
  return replay;
}

void Replays::remove(std::unordered_map<uint64_t, Entry>::iterator entry) {
  words_ -= entry->second.replay->words();
  all_.erase(entry);
}

}  // namespace quern
