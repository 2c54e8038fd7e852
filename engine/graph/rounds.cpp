#include "graph/rounds.h"

#include "core/hash.h"
#include "graph/call.h"
#include "graph/schedule.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace quern {

namespace {

constexpr size_t most_bodies = 256;
constexpr size_t longest = 1024;    // body
constexpr size_t most_nodes = 112;  // of several rounds taken together: what one kernel holds

// How many rounds of so many nodes go together: few numbers, so that kernels come again, the largest in front.
std::vector<size_t> multiples_of(size_t length) {
  size_t most = most_nodes / length;
  if (most >= 16) return {16, 4, 1};
  if (most >= 4) return {4, 1};
  if (most >= 2) return {most, 1};
  return {1};
}

uint64_t token_of(const Node& node) {
  uint64_t hash = static_cast<uint64_t>(node.op) | static_cast<uint64_t>(node.dtype) << 16 | node.device.key() << 24 |
                  uint64_t{node.site} << 32;
  hash = mixed(hash, node.layout->form);
  if (node.writes()) hash = mixed(hash, node.target->form);
  if (node.op == Op::reduce) hash = mixed(hash, static_cast<uint64_t>(node.reduction));
  if (node.op == Op::user) hash = mixed(hash, node.user->hash + node.output);
  if (node.op == Op::call) hash = mixed(hash, std::hash<std::string_view>()(node.call->name()));
  for (const Operand& o : node.inputs()) hash = mixed(hash, o.layout->form ^ static_cast<uint64_t>(o.dtype));
  return hash | 1;
}

// Short stretches repeat by chance, or because a function is called twice.
size_t enough_rounds(size_t length) { return length < 16 ? 3 : 2; }

// A loop's round goes on from the one before it. What does not (a function of each of many arrays) is no loop over time.
bool goes_on(std::span<Node* const> nodes, size_t begin, size_t length) {
  auto first = nodes.begin() + static_cast<ptrdiff_t>(begin), second = first + static_cast<ptrdiff_t>(length);
  return std::any_of(second, second + static_cast<ptrdiff_t>(length), [&](Node* node) {
    auto inputs = node->inputs();
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const Operand& o) { return std::find(first, second, o.node.get()) != second; });
  });
}

// Cuts the rounds, each of `length` nodes, into multiples; nothing is left.
void cut_rounds(std::span<Node* const> rounds, size_t length, Rounds::Segments& out) {
  for (size_t multiple : multiples_of(length)) {
    size_t count = multiple * length;
    for (; rounds.size() >= count; rounds = rounds.subspan(count)) out.push_back(rounds.first(count));
  }
}

// Of a round, which values are needed after it.
std::vector<bool> kept(std::span<Node* const> round) {
  for (Node* node : round) node->uses = 0;
  for (Node* node : round) {
    for (Operand& o : node->inputs()) ++o.node->uses;
  }
  std::vector<bool> out;
  for (Node* node : round) out.push_back(node->references > node->uses);
  return out;
}

// The last round by itself where it keeps more: what it computes on the way may still have names.
void cut_loop(std::span<Node* const> loop, size_t length, Rounds::Segments& out) {
  std::span<Node* const> last = loop.last(length), before = loop.first(loop.size() - length);
  if (!before.empty() && kept(last) == kept(before.last(length))) return cut_rounds(loop, length, out);
  cut_rounds(before, length, out);
  out.push_back(last);
}

size_t largest_multiple(size_t length) { return multiples_of(length).front(); }

}  // namespace

Rounds::Segments Rounds::cut(std::span<Node* const> nodes) {
  read(nodes);
  Segments out;
  for (const Stretch& s : stretches(nodes)) cut_loop(s.nodes, s.length, out);
  return out;
}

Rounds::Segments Rounds::cut_what_is_over(std::span<Node* const> nodes) {
  read(nodes);
  std::vector<Stretch> all = stretches(nodes);
  // The loop that the program is in: the last stretch, or the one before a round that is not whole yet.
  size_t after = 0;
  for (; !all.empty() && !all.back().is_loop; all.pop_back()) after += all.back().nodes.size();
  if (all.empty() || after >= all.back().length) return {};
  Stretch loop = all.back();
  all.pop_back();
  size_t rounds = loop.nodes.size() / loop.length - 1;
  size_t together = largest_multiple(loop.length);
  rounds -= rounds % together;
  if (rounds == 0) {
    missing_ = (together + 1) * loop.length - loop.nodes.size() - after;
    return {};
  }
  Segments out;
  for (const Stretch& s : all) cut_loop(s.nodes, s.length, out);
  cut_rounds(loop.nodes.first(rounds * loop.length), loop.length, out);
  return out;
}

bool Rounds::may_come_again() const {
  constexpr size_t enough = 64, known = 512;  // nodes
  if (missing_ > 0) return true;
  if (places_.size() < enough) return false;
  size_t last = tokens_.size() - 1;
  auto it = std::lower_bound(places_.begin(), places_.end(), std::pair(tokens_[last], static_cast<uint32_t>(last)));
  if (it == places_.begin() || std::prev(it)->first != tokens_[last]) return false;
  size_t before = std::prev(it)->second;
  return last - before > known && before >= enough &&
         std::equal(tokens_.rbegin(), tokens_.rbegin() + enough, tokens_.rbegin() + static_cast<ptrdiff_t>(last - before));
}

void Rounds::read(std::span<Node* const> nodes) {
  tokens_.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i]->token) nodes[i]->token = token_of(*nodes[i]);
    tokens_[i] = nodes[i]->token;
  }
  places_.clear();
  apart_until_ = missing_ = 0;
}

std::vector<Rounds::Stretch> Rounds::stretches(std::span<Node* const> nodes) {
  std::vector<Stretch> all;
  size_t begin = 0, outside = 0;
  auto add_outside = [&] {
    if (outside < begin) all.push_back({nodes.subspan(outside, begin - outside), begin - outside, false});
  };
  while (begin < nodes.size()) {
    size_t length = known_at(begin);
    if (length == 0) {
      length = learned_at(begin, nodes);
      if (length > 0) {
        begin += best_cut(nodes.subspan(begin), length);
        remember(begin, length);
      }
    }
    if (length == 0) {
      ++begin;
      continue;
    }
    add_outside();
    size_t count = repeats(begin, length) * length;
    all.push_back({nodes.subspan(begin, count), length, true});
    begin = outside = begin + count;
  }
  add_outside();
  return all;
}

// How often the `length` nodes from `begin` on come one after the other.
size_t Rounds::repeats(size_t begin, size_t length) const {
  auto first = tokens_.begin() + static_cast<ptrdiff_t>(begin);
  auto differs = std::mismatch(first + static_cast<ptrdiff_t>(length), tokens_.end(), first);
  return static_cast<size_t>(differs.first - first) / length;
}

// The length of the longest known body that comes here; 0: none.
size_t Rounds::known_at(size_t begin) {
  Body* best = nullptr;
  auto [from, to] = bodies_.equal_range(tokens_[begin]);
  for (auto it = from; it != to; ++it) {
    Body& body = it->second;
    size_t length = body.tokens.size();
    if (begin + length > tokens_.size() || (best && best->tokens.size() >= length)) continue;
    if (std::equal(body.tokens.begin(), body.tokens.end(), tokens_.begin() + static_cast<ptrdiff_t>(begin))) best = &body;
  }
  if (!best) return 0;
  best->used = ++uses_;
  return best->tokens.size();
}

// The length of a body that repeats from here on: of several, the one that covers most, since loops hold loops. 0: none.
size_t Rounds::learned_at(size_t begin, std::span<Node* const> nodes) {
  if (places_.empty()) {
    for (uint32_t i = 0; i < tokens_.size(); ++i) places_.emplace_back(tokens_[i], i);
    std::sort(places_.begin(), places_.end());
  }
  size_t best = 0, covers = 0;
  uint64_t token = tokens_[begin];
  auto place = std::pair(token, static_cast<uint32_t>(std::max(begin + 1, apart_until_)));
  for (auto it = std::lower_bound(places_.begin(), places_.end(), place); it != places_.end() && it->first == token; ++it) {
    size_t length = it->second - begin;
    if (length > longest || begin + 2 * length > nodes.size()) break;
    if (it->second < apart_until_ || (nodes.size() - begin) / length * length <= covers) continue;
    size_t rounds = repeats(begin, length);
    if (rounds < enough_rounds(length) || rounds * length <= covers) continue;
    if (goes_on(nodes, begin, length)) {
      best = length;
      covers = rounds * length;
    } else {
      apart_until_ = begin + rounds * length;
    }
  }
  return best;
}

namespace {

// Of each place in a round, how many bytes are computed before it and read after it, perhaps in the next round. Of two rounds.
std::vector<int64_t> live_bytes(std::span<Node* const> nodes, size_t length) {
  std::unordered_map<const Node*, size_t> made;  // where
  for (size_t i = 0; i < 2 * length; ++i) made.emplace(nodes[i], i);
  std::vector<size_t> distance(length);  // from where a value is made to where it is read last
  for (size_t i = length; i < 2 * length; ++i) {
    for (const Operand& o : nodes[i]->inputs()) {
      auto found = made.find(o.node.get());
      if (found == made.end()) continue;
      size_t& furthest = distance[found->second % length];
      furthest = std::max(furthest, i - found->second);
    }
  }
  std::vector<int64_t> live(length);
  for (size_t i = 0; i < length; ++i) {
    int64_t bytes = nodes[i]->size() * static_cast<int64_t>(size_of(nodes[i]->dtype));
    for (size_t place = i + 1; place <= i + distance[i]; ++place) live[place % length] += bytes;
  }
  return live;
}

// What a round costs that begins there: kernels, and the bytes that they read and write.
std::pair<size_t, int64_t> cost_of(std::span<Node* const> round) {
  std::pair<size_t, int64_t> cost{0, 0};
  for (const Group& group : schedule(round)) {
    ++cost.first;
    for (const Load& load : group.loads) cost.second += load.node->size() * static_cast<int64_t>(size_of(load.dtype));
    for (uint32_t s : group.stores) cost.second += group.nodes[s]->size() * static_cast<int64_t>(size_of(group.nodes[s]->dtype));
  }
  return cost;
}

}  // namespace

// How far behind the first node a round should begin: there (0) unless it takes fewer kernels elsewhere.
size_t Rounds::best_cut(std::span<Node* const> nodes, size_t length) {
  constexpr size_t tries = 12;
  auto first = cost_of(nodes.first(length));
  if (first.first < 2) return 0;
  std::vector<int64_t> live = live_bytes(nodes, length);
  std::vector<size_t> places(length - 1);
  std::iota(places.begin(), places.end(), size_t{1});
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) { return live[a] < live[b]; });
  if (places.size() > tries) places.resize(tries);
  size_t best = 0;
  auto least = first;
  for (size_t cut : places) {
    auto cost = cost_of(nodes.subspan(cut, length));
    if (cost.first >= first.first || cost >= least) continue;
    least = cost;
    best = cut;
  }
  return best;
}

void Rounds::remember(size_t begin, size_t length) {
  if (bodies_.size() >= most_bodies) {
    bodies_.erase(std::min_element(bodies_.begin(), bodies_.end(),
                                   [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  }
  auto first = tokens_.begin() + static_cast<ptrdiff_t>(begin);
  bodies_.emplace(*first, Body{{first, first + static_cast<ptrdiff_t>(length)}, ++uses_});
}

}  // namespace quern
