#include "core/record.h"

#include "core/error.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace quern {

namespace {

// Made once, never changed, never moved.
struct Known {
  RecordType type;
  DTypeRow row;
};

constexpr size_t most_types = 65000;

struct Registry {
  std::mutex lock;
  std::deque<Known> types;
  std::map<std::pair<std::string, size_t>, DType> by_text;  // with the unit
};

Registry& registry() {
  static auto* made = new Registry;
  return *made;
}

// By the type's number. Whoever has one finds it without the lock.
std::array<std::atomic<const Known*>, most_types> places;

const Known& known(DType type) { return *places[static_cast<size_t>(type) - first_record].load(std::memory_order_acquire); }

size_t natural_unit(size_t size) {
  size_t unit = 8;
  while (size % unit != 0) unit /= 2;
  return unit;
}

DType made(RecordType type) {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  auto [place, is_new] = all.by_text.try_emplace({type.text, type.unit}, DType::boolean);
  if (!is_new) return place->second;
  if (all.types.size() == most_types) {
    all.by_text.erase(place);
    raise(ErrorKind::value, "[dtype] more than {} structured dtypes in one process are not supported", most_types);
  }
  auto dtype = static_cast<DType>(first_record + all.types.size());
  Known& added = all.types.emplace_back();
  added.type = std::move(type);
  added.row = {added.type.text, DTypeKind::record, static_cast<uint32_t>(added.type.size), "", ""};
  places[all.types.size() - 1].store(&added, std::memory_order_release);
  return place->second = dtype;
}

}  // namespace

const DTypeRow& record_row(DType type) { return known(type).row; }
const RecordType& record_of(DType type) { return known(type).type; }
size_t record_unit(DType type) { return known(type).type.unit; }

DType record_type(std::string text, size_t size, std::vector<RecordField> fields, std::optional<DType> joined) {
  if (size > size_t{1} << 30) raise(ErrorKind::value, "[dtype] a type of {} bytes is too large", size);
  return made({std::move(text), size, natural_unit(size), std::move(fields), std::nullopt, std::nullopt, joined});
}

DType in_units_of(DType type, size_t unit) {
  if (unit >= unit_of(type)) return type;
  if (is_record(type)) {
    RecordType smaller = record_of(type);
    smaller.unit = unit;
    smaller.natural = natural_of(type);
    return made(std::move(smaller));
  }
  return made({std::string(row(type).name), size_of(type), unit, {}, type, std::nullopt, std::nullopt});
}

std::optional<DType> record_named(std::string_view text) {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  for (size_t unit : {8, 4, 2, 1}) {
    auto found = all.by_text.find({std::string(text), unit});
    if (found != all.by_text.end()) return found->second;
  }
  return std::nullopt;
}

bool are_same_records(DType a, DType b) {
  if (a == b) return true;
  if (!is_record(a) || !is_record(b)) return false;
  return lies_anywhere(a) ? record_of(a).number == record_of(b).number : natural_of(a) == natural_of(b);
}
DType natural_of(DType record) { return record_of(record).natural.value_or(record); }

}  // namespace quern
