#include "graph/user_row.h"

#include "core/hash.h"
#include "graph/node.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace quern {

const UserRow& add_row(UserRow row) {
  GraphLock lock;
  static auto* rows = new std::unordered_map<uint64_t, std::unique_ptr<const UserRow>>;
  uint64_t hash = 0;
  auto mix = [&](uint64_t x) { hash = mixed(hash, x); };
  for (const std::string* text : {&row.name, &row.preamble, &row.body}) mix(std::hash<std::string>()(*text));
  for (const auto& o : row.operands) mix(std::hash<std::string>()(o.name) + static_cast<uint64_t>(o.dtype));
  for (const auto& r : row.results)
    mix(std::hash<std::string>()(r.name) + static_cast<uint64_t>(r.dtype) + (static_cast<uint64_t>(r.start + 1) << 8));
  for (;; ++hash) {  // another text of the same hash moves on to the next number
    std::unique_ptr<const UserRow>& found = (*rows)[hash];
    if (!found) {
      row.hash = hash;
      found = std::make_unique<const UserRow>(std::move(row));
    } else if (!found->same_text(row)) {
      continue;
    }
    return *found;
  }
}

}  // namespace quern
