// Rounds: where pending work is cut, so that a loop's kernels are compiled once.
//
// A program's loop records the same operations again and again, but reads values (or synchronizes) after any number of
// iterations. Were everything that is pending scheduled as one, each number of rounds would make kernels of its own. So what is
// pending is cut at the loop's own rounds: each segment holds a fixed number of whole rounds (1, 4, 16; 2 or 3 of long ones), or
// what lies outside of loops, and is scheduled by itself.
//
// Operations are compared by what they are and who recorded them, not by what they read; a cut can be better or worse, never
// wrong. Start at cut() in rounds.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quern {

struct Node;

class Rounds {
 public:
  using Segments = std::vector<std::span<Node* const>>;

  // All of the nodes, in order.
  Segments cut(std::span<Node* const> nodes);
  // The same when the program is in the middle of a loop and nobody reads values: only iterations whose values the next ones have
  // replaced. The others wait. Empty: no loop is seen.
  Segments cut_what_is_over(std::span<Node* const> nodes);
  // Whether the newest of the nodes that were cut last have come before, further away than a loop was looked for: it may be worth
  // waiting for a second round.
  bool may_come_again() const;
  // So many nodes more and a round of a known loop is over; 0: not known.
  size_t missing() const { return missing_; }

 private:
  struct Body {
    std::vector<uint64_t> tokens;
    uint64_t used = 0;
  };
  // Some rounds of one body, each of `length` nodes; or what lies outside of loops, as one.
  struct Stretch {
    std::span<Node* const> nodes;
    size_t length;
    bool is_loop;
  };

  void read(std::span<Node* const> nodes);
  std::vector<Stretch> stretches(std::span<Node* const> nodes);
  size_t known_at(size_t begin);
  size_t learned_at(size_t begin, std::span<Node* const> nodes);
  size_t repeats(size_t begin, size_t length) const;
  static size_t best_cut(std::span<Node* const> nodes, size_t length);
  void remember(size_t begin, size_t length);

  std::vector<uint64_t> tokens_;                       // of the nodes that are being cut
  std::vector<std::pair<uint64_t, uint32_t>> places_;  // where each token comes, sorted
  size_t missing_ = 0;
  size_t apart_until_ = 0;                          // up to here what repeats does not go on from round to round
  std::unordered_multimap<uint64_t, Body> bodies_;  // by their first token
  uint64_t uses_ = 0;
};

}  // namespace quern
