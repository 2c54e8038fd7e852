#include "run/calls/random.h"

#include <array>
#include <limits>

#include "core/room.h"

namespace quern {

namespace {

// Each word is multiplied by another number: those are powers of one.
struct Scrambler {
  uint32_t constant, factor;
  uint32_t operator()(uint32_t word) {
    word ^= constant;
    constant *= factor;
    word *= constant;
    return word ^ word >> 16;
  }
};

uint32_t joined(uint32_t a, uint32_t b) {
  uint32_t word = 0xca01f9ddu * a - 0x4973f715u * b;
  return word ^ word >> 16;
}

Scalar number(uint64_t value) {
  Scalar out{true, WeakScalar::integer};
  out.is_natural = value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (out.is_natural) {
    out.natural = value;
  } else {
    out.integer = static_cast<int64_t>(value);
  }
  return out;
}

}  // namespace

uint64_t random_key(const std::vector<uint32_t>& words) {
  std::array<uint32_t, 4> pool;
  Scrambler scramble{0x43b0d7e5u, 0x931e8875u};
  for (size_t i = 0; i < pool.size(); ++i) pool[i] = scramble(i < words.size() ? words[i] : 0);
  for (size_t from = 0; from < pool.size(); ++from)
    for (size_t to = 0; to < pool.size(); ++to)
      if (from != to) pool[to] = joined(pool[to], scramble(pool[from]));
  for (size_t i = pool.size(); i < words.size(); ++i)
    for (uint32_t& word : pool) word = joined(word, scramble(words[i]));
  Scrambler out{0x8b51f9ddu, 0x58f38dedu};
  uint64_t low = out(pool[0]);
  return low | static_cast<uint64_t>(out(pool[1])) << 32;
}

Array random_row(Op op, const Shape& shape, uint64_t key, uint64_t first, DType dtype, DeviceId device) {
  check_room(Layout::contiguous(shape).size(), dtype, device);
  Array place = positions(shape, device);
  Argument arguments[] = {Argument(place), Argument(number(key)), Argument(number(first))};
  return elementwise(op, arguments, nullptr, Loop{DType::uint64, dtype});
}

}  // namespace quern
