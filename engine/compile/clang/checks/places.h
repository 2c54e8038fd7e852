// The places and objects that checked code names: numbers into two tables of its module (QuernCpuPlace, QuernCpuObject).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace llvm {
class DILocation;
}

namespace quern::lowering {

struct Place {
  std::string file, function;
  uint32_t line = 0, column = 0;
  auto operator<=>(const Place&) const = default;
};

// An array that the code itself declares, or a parameter that points to one.
struct Object {
  std::string name;
  uint32_t kind = 0;  // QUERN_OBJECT_...
  uint64_t bytes = 0;
  auto operator<=>(const Object&) const = default;
};

class CheckTables {
 public:
  uint32_t number_of(const Place& place) { return number_in(places_, place_numbers_, place); }
  uint32_t number_of(const Object& object) { return number_in(objects_, object_numbers_, object); }
  const std::vector<Place>& places() const { return places_; }
  const std::vector<Object>& objects() const { return objects_; }

 private:
  template <class T>
  static uint32_t number_in(std::vector<T>& all, std::map<T, uint32_t>& numbers, const T& one) {
    auto [at, is_new] = numbers.try_emplace(one, static_cast<uint32_t>(all.size()));
    if (is_new) all.push_back(one);
    return at->second;
  }
  std::vector<Place> places_{{}};  // 0: unknown
  std::vector<Object> objects_{{}};
  std::map<Place, uint32_t> place_numbers_;
  std::map<Object, uint32_t> object_numbers_;
};

}  // namespace quern::lowering
