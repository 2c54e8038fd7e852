#include "functions/windows.h"

#include <numbers>

#include "core/error.h"
#include "functions/steps.h"

namespace quern {

using namespace steps;

namespace {

// `formula` of 1 - M, 3 - M ... M - 1, for a window of M points; one of fewer than two points has no formula.
template <class F>
Array made_of(const WindowSize& size, F&& formula) {
  if (size.count <= 0) return full({0}, whole(0), size.dtype, size.device);
  if (size.points <= 1) return full({size.count}, whole(1), size.dtype, size.device);
  const Array twice = multiply(as_type(arange(size.count, size.device), DType::float64), 2.0);
  return as_type(formula(add(twice, 1 - size.points), size.points - 1), size.dtype);
}

Array cosine(double factor, const Array& n, double width) { return cos(true_divide(multiply(factor, n), width)); }

}  // namespace

// a triangle
Array bartlett(const WindowSize& size) {
  return made_of(size, [](const Array& n, double width) {
    const Array part = true_divide(n, width);
    return where(less_equal(n, 0.0), add(1.0, part), subtract(1.0, part));
  });
}

Array blackman(const WindowSize& size) {
  return made_of(size, [](const Array& n, double width) {
    const Array first = multiply(0.5, cosine(std::numbers::pi, n, width));
    const Array second = multiply(0.08, cosine(2 * std::numbers::pi, n, width));
    return add(add(0.42, first), second);
  });
}

Array hanning(const WindowSize& size) { return hamming(size, 0.5, 0.5); }

Array hamming(const WindowSize& size, std::optional<double> alpha, std::optional<double> beta) {
  return made_of(size, [&](const Array& n, double width) {
    return add(alpha.value_or(0.54), multiply(beta.value_or(0.46), cosine(std::numbers::pi, n, width)));
  });
}

Array kaiser(const WindowSize& size, const Argument& beta) {
  if (beta.array() && beta.array()->rank() > 0)
    raise(ErrorKind::value, "[kaiser] beta must be a number, not an array of shape {}", to_string(beta.array()->shape()));
  const Array factor =
      beta.array() ? as_type(*beta.array(), DType::float64) : full({}, beta.scalar(), DType::float64, size.device);
  WindowSize there = size;
  there.device = factor.device();
  return made_of(there, [&](const Array& n, double width) {
    const Array part = true_divide(n, width);
    const Array height = sqrt(subtract(1.0, multiply(part, part)));
    return true_divide(bessel_i0(multiply(factor, height)), bessel_i0(factor));
  });
}

}  // namespace quern
