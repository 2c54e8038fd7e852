#include "compile/clang/ptx/names.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace quern::plugin::ptx {
namespace {

constexpr std::string_view prefix = "__quern_ptx_";

// Modifiers that change nothing here, by opcode: scopes, spaces of addresses and hints for caches, and precision that a CPU gives
// anyway. Where an order of memory is asked for, the translation adds a fence (order_of).
struct Left {
  std::string_view opcodes, modifiers;
};
constexpr Left left_out[] = {
    {" ld ldu ", " global shared shared::cta const local param generic ca cs lu nc weak cta gpu sys cluster unified "},
    {" st ", " global shared shared::cta local generic wb cs wt weak cta gpu sys cluster "},
    {" atom red ", " global shared shared::cta generic relaxed acquire release acq_rel cta gpu sys cluster noftz "},
    {" prefetch prefetchu ", " global local L1 L2 L2::evict_last L2::evict_normal tensormap "},
    {" membar fence ", " gl sys gpu cluster sc acq_rel acquire release proxy async alias global shared::cta "},
    {" bar barrier ", " cta aligned "},
    {" rcp ", " approx rn ftz "},
    {" sqrt ", " approx rn ftz "},
    {" div ", " approx full rn ftz "},
    {" rsqrt sin cos ex2 lg2 tanh ", " approx ftz "},
    {" add sub mul fma ", " rn ftz "},
    {" mad ", " rn ftz "},
    {" min max abs neg setp set selp slct testp ", " ftz "},
    {" cvt ", " ftz "},
    {" cvta ", " global const local param "},
    {" bra ", " uni "},
};

// A load or store of these may wait for what another thread writes, or tell it: it happens each time.
constexpr std::string_view anew = " volatile relaxed acquire release mmio cg cv ";

bool lists(std::string_view words, std::string_view word) {
  if (word.empty()) return false;
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%' || c == ':'; }

}  // namespace

std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts;
  while (!word.empty()) {
    size_t dot = std::min(word.find('.'), word.size());
    parts.emplace_back(word.substr(0, dot));
    word.remove_prefix(std::min(dot + 1, word.size()));
  }
  return parts;
}

std::string row_of(std::vector<std::string> instruction) {
  if (instruction.empty()) return "";
  std::string opcode = instruction[0];
  // vote.ballot.sync is vote.sync.ballot, too.
  if (opcode == "vote")
    std::stable_partition(instruction.begin() + 1, instruction.end(), [](const auto& part) { return part == "sync"; });
  std::string_view skipped;
  for (const Left& row : left_out) {
    if (lists(row.opcodes, opcode)) skipped = row.modifiers;
  }
  bool memory = opcode == "ld" || opcode == "ldu" || opcode == "st";
  bool of_setp = opcode == "setp" || opcode == "set";
  if (opcode == "red") opcode = "atom";  // whose result nobody wants
  if (opcode == "barrier") opcode = "bar";
  if (opcode == "fence") opcode = "membar";
  if (opcode == "ldu") opcode = "ld";
  if (opcode == "prefetchu") opcode = "prefetch";
  bool looks_anew =
      memory && std::any_of(instruction.begin(), instruction.end(), [](const auto& part) { return lists(anew, part); });
  std::string name = std::string(prefix) + opcode + (looks_anew ? "_volatile" : "");
  for (size_t i = 1; i < instruction.size(); ++i) {
    const std::string& part = instruction[i];
    if (lists(skipped, part)) continue;
    if (memory && (part == "v2" || part == "v4" || part.rfind("L1::", 0) == 0 || part.rfind("L2::", 0) == 0)) continue;
    if (of_setp && (part == "and" || part == "or" || part == "xor")) continue;
    if (memory && lists(anew, part)) continue;
    name += "_" + part;
  }
  return name;
}

std::string row_of_special_register(std::string_view name) {
  std::string out = std::string(prefix) + "special_";
  for (char c : name) {
    if (c != '%') out += c == '.' ? '_' : c;
  }
  return out;
}

std::vector<std::string> rows_named_in(std::string_view text) {
  std::set<std::string> names = {std::string(prefix) + "trap", std::string(prefix) + "shared_address"};
  for (size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    at = end;
    if (word[0] == '%') {
      names.insert(row_of_special_register(word));
    } else {
      std::string row = row_of(parts_of(word));
      names.insert(row);
      names.insert(row + pair_suffix);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace quern::plugin::ptx
