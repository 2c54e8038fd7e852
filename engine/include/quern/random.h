// File: quern/random.h
//
// Random numbers, as numpy.random.Generator draws them: the distributions are NumPy's, the numbers come from Philox4x32-10. The
// same seed and the same calls give the same numbers in C++ and in Python (quern.random.default_rng), and on every device:
// integers and numbers in [0, 1) bit for bit.
//
//   qn::random::Generator rng(42);
//   qn::Array noise = rng.normal(0.0, 0.1, {1000, 3});
//   qn::Array order = rng.permutation(1000);
//
// A draw is recorded like any operation, and fuses with what uses it. Each takes the next numbers of the stream, one for each
// element.
#pragma once

#include <atomic>

#include "quern/array.h"

namespace qn::random {

// A handle: a copy draws from the same stream. Without a seed, nobody knows it. `device`: where the numbers are made.
class Generator {
 public:
  explicit Generator(const Device& device = Device());
  explicit Generator(uint64_t seed, const Device& device = Device());
  // Of several numbers, as default_rng([1, 2]) has it.
  explicit Generator(const std::vector<uint64_t>& seed, const Device& device = Device());

  // In [0, 1), each as likely: float64 or float32, else ErrorKind::type.
  Array random(const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  // In [low, high). Throws ErrorKind::overflow where high - low is not finite.
  Array uniform(double low, double high, const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  // Integers in [low, high), with `endpoint` in [low, high]. Throws ErrorKind::value for limits that the type does not hold or
  // that leave nothing, ErrorKind::type for a type that is neither integer nor bool.
  Array integers(int64_t low, int64_t high, const Shape& shape = {}, DType dtype = DType::int64, bool endpoint = false,
                 Here here = Here::current());

  // Of the normal distribution with mean `mean` and standard deviation `deviation`, the exponential one with mean `scale`. Throw
  // ErrorKind::value for a negative deviation or scale.
  Array standard_normal(const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  Array normal(double mean, double deviation, const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  Array standard_exponential(const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  Array exponential(double scale, const Shape& shape = {}, DType dtype = DType::float64, Here here = Here::current());
  // Of the gamma distribution: float64. Throws ErrorKind::value for negative parameters.
  Array gamma(double form, double scale, const Shape& shape = {}, Here here = Here::current());
  // How many rare events there are, `mean` on average; how many of n tries succeed: int64. Throw ErrorKind::value for a negative
  // mean or n, and for a probability outside [0, 1].
  Array poisson(double mean, const Shape& shape = {}, Here here = Here::current());
  Array binomial(int64_t n, double probability, const Shape& shape = {}, Here here = Here::current());

  // 0 ... n - 1 in another order, int64; a copy of an array in another order along an axis.
  Array permutation(int64_t n, Here here = Here::current());
  Array permutation(const Array& a, int axis = 0, Here here = Here::current());
  // The array itself is put in another order along an axis.
  void shuffle(const Array& a, int axis = 0, Here here = Here::current());
  // Picks of 0 ... n - 1 (int64), or of an array along an axis; `replace`: one may be picked again. Throws ErrorKind::value for
  // more picks than there are.
  Array choice(int64_t n, const Shape& shape = {}, bool replace = true, Here here = Here::current());
  Array choice(const Array& a, const Shape& shape = {}, bool replace = true, int axis = 0, Here here = Here::current());

  // What the stream starts from and the place of its next number, which may be set.
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
