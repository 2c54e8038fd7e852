#include "graph/rounds.h"

#include "graph/call.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

namespace quern {

namespace {

constexpr size_t most_bodies = 256;
constexpr size_t longest = 1024;    // body
constexpr size_t most_nodes = 112;  // of several rounds taken together: what one kernel holds
constexpr std::array<size_t, 3> multiples = {16, 4, 1};

uint64_t mix(uint64_t hash, uint64_t word) { return (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29); }

uint64_t token_of(const Node& node) {
  uint64_t hash = static_cast<uint64_t>(node.op) | static_cast<uint64_t>(node.dtype) << 16 |
                  uint64_t{static_cast<uint8_t>(node.device)} << 24 | uint64_t{node.site} << 32;
  hash = mix(hash, node.space->form);
  if (node.writes()) hash = mix(hash, node.target->form);
  if (node.op == Op::reduce) hash = mix(hash, static_cast<uint64_t>(node.reduction));
  if (node.op == Op::user) hash = mix(hash, node.user->hash + node.output);
  if (node.op == Op::call) hash = mix(hash, std::hash<std::string_view>()(node.call->body->name()));
  for (const Operand& o : node.inputs()) hash = mix(hash, o.space->form ^ static_cast<uint64_t>(o.dtype));
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
  for (size_t multiple : multiples) {
    size_t count = multiple * length;
    if (multiple > 1 && count > most_nodes) continue;
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

size_t largest_multiple(size_t length) {
  return *std::find_if(multiples.begin(), multiples.end(), [&](size_t m) { return m == 1 || m * length <= most_nodes; });
}

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
    if (length == 0) length = learned_at(begin, nodes);
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
  if (best > 0) remember(begin, best);
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
