// File: quern/random.h
//
// Random numbers with the distributions of numpy.random.Generator, drawn by Philox4x32-10. The same seed and calls give the same
// numbers in C++ and in Python (quern.random.default_rng) and on every device; integers and uniform numbers bit for bit.
//
//   qn::random::Generator rng(42);
//   qn::Array noise = rng.normal(0.0, 0.1, {1000, 3});
//   qn::Array order = rng.permutation(1000);
//
// A draw is recorded like any operation and fuses with its consumers. It takes one position of the stream for each element.
#pragma once

#include <atomic>

#include "quern/array.h"

namespace qn::random {

// A stream of random numbers, by reference: a copy draws from the same stream. Results are on `device`.
class Generator {
 public:
  // Without a seed, one is drawn from the system's entropy.
  explicit Generator(const Device& device = Device());
  explicit Generator(uint64_t seed, const Device& device = Device());
  // A seed of several words, as default_rng([1, 2]).
  explicit Generator(const std::vector<uint64_t>& seed, const Device& device = Device());

  // Uniform in [0, 1): float64 or float32; other dtypes throw ErrorKind::type.
  Array random(const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  // Uniform in [low, high). Throws ErrorKind::overflow if high - low is not finite.
  Array uniform(double low, double high, const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  // Integers in [low, high), or [low, high] with `endpoint`. Throws ErrorKind::value for bounds out of the dtype's range and for
  // an empty range, ErrorKind::type for a dtype that is neither integer nor bool.
  Array integers(int64_t low, int64_t high, const Shape& shape = {}, DType dtype = DType::int64, bool endpoint = false,
                 Here here = Here::current());

  // Normal distribution with mean `mean` and standard deviation `deviation`; exponential distribution with mean `scale`. Throw
  // ErrorKind::value for a negative deviation or scale.
  Array standard_normal(const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  Array normal(double mean, double deviation, const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  Array standard_exponential(const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  Array exponential(double scale, const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  // Gamma distribution with shape parameter `form`: float64. Throws ErrorKind::value for negative parameters.
  Array gamma(double form, double scale, const Shape& shape = {}, Here here = Here::current());
  // Poisson and binomial distributions: int64. Throw ErrorKind::value for a negative mean or n and for a probability outside
  // [0, 1].
  Array poisson(double mean, const Shape& shape = {}, Here here = Here::current());
  Array binomial(int64_t n, double probability, const Shape& shape = {}, Here here = Here::current());

  // A random permutation of 0 ... n - 1 (int64), or a copy of an array permuted along an axis.
  Array permutation(int64_t n, Here here = Here::current());
  Array permutation(const Array& a, int axis = 0, Here here = Here::current());
  // Permutes the array in place along an axis.
  void shuffle(const Array& a, int axis = 0, Here here = Here::current());
  // A random sample of 0 ... n - 1 (int64), or of an array along an axis, with or without replacement. Throws ErrorKind::value
  // for a sample larger than the population without replacement.
  Array choice(int64_t n, const Shape& shape = {}, bool replace = true, Here here = Here::current());
  Array choice(const Array& a, const Shape& shape = {}, bool replace = true, int axis = 0, Here here = Here::current());

  // The stream's key, and the position of its next number, which can be set.
  uint64_t key() const { return stream_->key; }
  uint64_t counter() const { return stream_->counter; }
  void set_counter(uint64_t counter) { stream_->counter = counter; }

 private:
  struct Stream {
    uint64_t key = 0;
    std::atomic<uint64_t> counter = 0;
  };
  struct Drawing;
  std::shared_ptr<Stream> stream_ = std::make_shared<Stream>();
  Device device_;
};

}  // namespace qn::random
