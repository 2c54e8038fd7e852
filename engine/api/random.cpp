// quern/random.h on functions/distributions.h and sampling.h, as quern.random. Start at Drawing.
#include "quern/random.h"

#include <random>

#include "api/bodies.h"
#include "functions/sampling.h"
#include "run/calls/random.h"

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

}  // namespace

// What a generator's calls draw with.
struct Generator::Drawing {
  Stream& stream;
  quern::DeviceId device;

  quern::random::Stream numbers() const { return {stream.key, stream.counter}; }
  // A body of functions/distributions.h, and one of a type of real numbers.
  template <class Body, class... Numbers>
  quern::Array of(Body body, const Shape& shape, Numbers... numbers) const {
    return body(this->numbers(), quern::random::Parameter{numbers, {}}..., {shape, device});
  }
  template <class Body, class... Numbers>
  quern::Array real(const char* name, Body body, const Shape& shape, DType type, Numbers... numbers) const {
    if (type != DType::float32 && type != DType::float64)
      raise(ErrorKind::type, "[{}] unsupported dtype {}; use float64 or float32", name, name_of(type));
    return body(this->numbers(), quern::random::Parameter{numbers, {}}..., {shape, device, type});
  }
};

// What is picked from, along an axis.
static quern::random::Population population_of(const Array& a, int axis) {
  const size_t n = checked_axis(axis, a.handle().rank());
  return {a.shape()[n], a.handle(), n};
}

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
    if (!is_whole(dtype)) raise(ErrorKind::type, "[integers] the dtype must be an integer dtype, not {}", name_of(dtype));
    const quern::random::Limits limits{{low}, quern::random::Whole{high}};
    return wrap(quern::random::integers(DRAW.numbers(), limits, {shape, number_of(device_), dtype}, endpoint));
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
  return asked(here, [&] { return wrap(quern::random::permutation(DRAW.numbers(), {n}, {{}, number_of(device_)})); });
}
Array Generator::permutation(const Array& a, int axis, Here here) {
  return asked(
      here, [&] { return wrap(quern::random::permutation(DRAW.numbers(), population_of(a, axis), {{}, number_of(device_)})); });
}
void Generator::shuffle(const Array& a, int axis, Here here) {
  asked(here, [&] {
    if (a.handle().rank() == 0) raise(ErrorKind::type, "[shuffle] the array has no axes; it must have one or more");
    quern::assign(a.handle(), operand(permutation(a, axis, here).handle()));
  });
}

Array Generator::choice(int64_t n, const Shape& shape, bool replace, Here here) {
  return asked(here, [&] { return wrap(quern::random::choice(DRAW.numbers(), {n}, {}, {shape, number_of(device_)}, replace)); });
}
Array Generator::choice(const Array& a, const Shape& shape, bool replace, int axis, Here here) {
  return asked(here, [&] {
    return wrap(quern::random::choice(DRAW.numbers(), population_of(a, axis), {}, {shape, number_of(device_)}, replace));
  });
}

}  // namespace qn::random
