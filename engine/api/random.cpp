// quern/random.h on functions/distributions.h; python/quern/arrays/random/generator.py draws the same. Start at Drawing.
#include "quern/random.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "api/bodies.h"
#include "functions/distributions.h"
#include "quern/picking.h"
#include "run/calls/random.h"
#include "run/calls/sorting.h"

namespace qn::random {

using namespace inside;
using namespace quern::steps;

namespace {

uint64_t key_of(const std::vector<uint64_t>& seed) {
  std::vector<uint32_t> words;
  for (uint64_t number : seed) {
    words.push_back(static_cast<uint32_t>(number));
    if (number >> 32) words.push_back(static_cast<uint32_t>(number >> 32));
  }
  return quern::random_key(words);
}

quern::Array in_loop(Op op, DType compute, DType result, std::initializer_list<quern::Argument> operands) {
  return quern::elementwise(op, {operands.begin(), operands.size()}, nullptr, quern::Loop{compute, result});
}

Scalar natural(uint64_t value) { return scalar_of(Operand(value)); }

// The least and the greatest value of an integer type, the latter as bits.
std::pair<int64_t, uint64_t> limits_of(DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  size_t bits = 8 * quern::size_of(dtype);
  if (quern::row(dtype).kind == quern::DTypeKind::natural) return {0, ~uint64_t{0} >> (64 - bits)};
  return {std::numeric_limits<int64_t>::min() >> (64 - bits), ~uint64_t{0} >> (65 - bits)};
}

}  // namespace

// The rows that a generator draws with.
struct Generator::Drawing {
  Stream& stream;
  quern::DeviceId device;

  quern::Array row(Op op, const Shape& shape, DType dtype) const {
    auto count = static_cast<uint64_t>(Layout::contiguous(checked(shape)).size());
    return quern::random_row(op, shape, stream.key, stream.counter.fetch_add(count), dtype, device);
  }
  quern::Array bits(const Shape& shape) const { return row(Op::random_bits, shape, DType::uint64); }
  // A distribution of functions/distributions.h, and one of a type of real numbers.
  template <class Body, class... Numbers>
  quern::Array of(Body body, const Shape& shape, Numbers... numbers) const {
    return body({stream.key, stream.counter}, quern::random::Parameter{numbers, {}}..., {shape, device});
  }
  template <class Body, class... Numbers>
  quern::Array real(const char* name, Body body, const Shape& shape, DType type, Numbers... numbers) const {
    if (type != DType::float32 && type != DType::float64)
      raise(ErrorKind::type, "[{}] numbers of {} are not drawn; ask for float64 or float32", name, name_of(type));
    return body({stream.key, stream.counter}, quern::random::Parameter{numbers, {}}..., {shape, device}, {type});
  }
  quern::Array order(int64_t count) const { return quern::sorted_places(bits({count}), false); }
  quern::Array below(uint64_t range, const Shape& shape) const {  // 0: all 64 bits
    return in_loop(Op::random_below, DType::uint64, DType::uint64, {operand(bits(shape)), operand(natural(range))});
  }
};

Generator::Generator(const Device& device) : device_(device) {
  std::random_device source;
  stream_->key = static_cast<uint64_t>(source()) << 32 | source();
}
Generator::Generator(uint64_t seed, const Device& device) : Generator(std::vector<uint64_t>{seed}, device) {}
Generator::Generator(const std::vector<uint64_t>& seed, const Device& device) : device_(device) { stream_->key = key_of(seed); }

#define DRAW \
  Drawing { *stream_, number_of(device_) }

Array Generator::random(const Shape& shape, DType dtype, Here here) {
  return asked(here, [&] { return wrap(DRAW.real("random", quern::random::unit, shape, dtype)); });
}
Array Generator::uniform(double low, double high, const Shape& shape, DType dtype, Here here) {
  return asked(here, [&] { return wrap(DRAW.real("uniform", quern::random::uniform, shape, dtype, low, high)); });
}

Array Generator::integers(int64_t low, int64_t high, const Shape& shape, DType dtype, bool endpoint, Here here) {
  return asked(here, [&] {
    if (!is_whole(dtype)) raise(ErrorKind::type, "[integers] {} is no type of integers", name_of(dtype));
    auto [least, most] = limits_of(dtype);
    if (endpoint ? low > high : low >= high) raise(ErrorKind::value, "[integers] there are none from {} to {}", low, high);
    int64_t last = endpoint ? high : high - 1;
    if (low < least) raise(ErrorKind::value, "[integers] low is out of bounds for {}", name_of(dtype));
    if (last > 0 && static_cast<uint64_t>(last) > most)
      raise(ErrorKind::value, "[integers] high is out of bounds for {}", name_of(dtype));
    quern::Array out = DRAW.below(static_cast<uint64_t>(last) - static_cast<uint64_t>(low) + 1, shape);
    if (low != 0)
      out = in_loop(Op::add, DType::uint64, DType::uint64, {operand(out), operand(natural(static_cast<uint64_t>(low)))});
    return wrap(as_type(out, dtype));
  });
}

Array Generator::standard_normal(const Shape& shape, DType dtype, Here here) {
  return asked(here, [&] { return wrap(DRAW.real("standard_normal", quern::random::standard_normal, shape, dtype)); });
}
Array Generator::normal(double mean, double deviation, const Shape& shape, DType dtype, Here here) {
  return asked(here, [&] { return wrap(DRAW.real("normal", quern::random::normal, shape, dtype, mean, deviation)); });
}
Array Generator::standard_exponential(const Shape& shape, DType dtype, Here here) {
  return asked(here, [&] { return wrap(DRAW.real("standard_exponential", quern::random::standard_exponential, shape, dtype)); });
}
Array Generator::exponential(double scale, const Shape& shape, DType dtype, Here here) {
  return asked(here, [&] { return wrap(DRAW.real("exponential", quern::random::exponential, shape, dtype, scale)); });
}

Array Generator::gamma(double form, double scale, const Shape& shape, Here here) {
  return asked(here, [&] { return wrap(DRAW.of(quern::random::gamma, shape, form, scale)); });
}
Array Generator::poisson(double mean, const Shape& shape, Here here) {
  return asked(here, [&] { return wrap(DRAW.of(quern::random::poisson, shape, mean)); });
}
Array Generator::binomial(int64_t n, double probability, const Shape& shape, Here here) {
  return asked(here, [&] { return wrap(DRAW.of(quern::random::binomial, shape, static_cast<double>(n), probability)); });
}

Array Generator::permutation(int64_t n, Here here) {
  return asked(here, [&] { return wrap(DRAW.order(std::max<int64_t>(n, 0))); });
}
Array Generator::permutation(const Array& a, int axis, Here here) {
  return asked(here, [&] {
    size_t n = checked_axis(axis, a.handle().rank());
    Drawing draw{*stream_, number_of(a.device())};
    return take(a, wrap(draw.order(a.shape()[n])), axis, here);
  });
}
void Generator::shuffle(const Array& a, int axis, Here here) {
  asked(here, [&] {
    if (a.handle().rank() == 0) raise(ErrorKind::type, "[shuffle] the array has no axes; it must have one or more");
    quern::assign(a.handle(), operand(permutation(a, axis, here).handle()));
  });
}

Array Generator::choice(int64_t n, const Shape& shape, bool replace, Here here) {
  return asked(here, [&] {
    int64_t wanted = Layout::contiguous(checked(shape)).size();
    if (n <= 0 && wanted > 0) raise(ErrorKind::value, "[choice] there is nothing to pick from");
    if (replace) return wrap(as_type(DRAW.below(static_cast<uint64_t>(std::max<int64_t>(n, 1)), shape), DType::int64));
    if (wanted > n) raise(ErrorKind::value, "[choice] {} picks are more than the {} that there are", wanted, n);
    return wrap(quern::reshape(part(DRAW.order(n), 0, 0, wanted), shape));
  });
}
Array Generator::choice(const Array& a, const Shape& shape, bool replace, int axis, Here here) {
  return asked(here, [&] {
    Generator there = *this;
    there.device_ = a.device();
    return take(a, there.choice(a.shape()[checked_axis(axis, a.handle().rank())], shape, replace, here), axis, here);
  });
}

}  // namespace qn::random
