// Functions of each element, or of one of each operand, that are made of several operations.
#pragma once

#include <optional>
#include <string_view>

#include "functions/steps.h"

namespace quern {

// The operations of a body, by the rules of the front end that calls it: types of results, which operands stand together, errors.
// A body is written as with steps::compute: rules(Op::add, a, 1.0).
struct Rules {
  TypeRules types;
  Array (*compute)(Op op, std::span<const Argument> operands);
  template <class... T>
  Array operator()(Op op, const T&... operands) const {
    Argument all[] = {steps::operand(operands)...};
    return compute(op, {all, sizeof...(T)});
  }
};
extern const Rules numpys_rules;
// Integers and bools as the real numbers that functions of reals make of them; others stay.
Array as_reals(const Rules& rules, const Array& x);

// a + alpha b and a - alpha b, where alpha b has the type of the result; no alpha: 1.
Array plus_multiple(const Rules& rules, const Argument& a, const Argument& b, const Argument* alpha);
Array less_multiple(const Rules& rules, const Argument& a, const Argument& b, const Argument* alpha);
// a / b; `rounding`: "trunc", "floor" or none.
Array divided(const Rules& rules, const Argument& a, const Argument& b, std::optional<std::string_view> rounding);
Array inverse_root(const Rules& rules, const Array& x);
Array logistic(const Rules& rules, const Array& x);
// log(x / (1 - x)), of x limited to [eps, 1 - eps] where eps is given.
Array log_odds(const Rules& rules, const Array& x, std::optional<double> eps);
// -1, 0 or 1; of complex numbers those of size 1 with their angle. Bools stay.
Array direction(const Rules& rules, const Array& x);
// The same of real numbers, where NaN has no sign: 0.
Array fraction(const Rules& rules, const Array& x);
// x limited to [low, high]. No gradient passes where it equals a limit.
Array clamped(const Rules& rules, const Array& x, const Argument* low, const Argument* high);
// From x where the condition holds, else from y. Raises ErrorKind::value where one of them is missing.
struct Choices {
  std::optional<Argument> x, y;
};
Array chosen(const Rules& rules, const Array& condition, const Choices& choices);
// x limited to [low, high] by minimum and maximum, in the type of all three together, or in `dtype`. A limit that the type of
// integers cannot reach changes nothing.
struct ClipLimits {
  std::optional<Argument> low, high;
  Order order = Order::keep;  // of the result in memory
};
Array between_limits(const Rules& rules, const Array& x, const ClipLimits& limits, std::optional<DType> dtype);
// Numbers for NaN and the infinities: by default 0, the largest and the smallest of the type. Integers stay. Where `copy` is
// false they are written into x, which is the result.
Array numbers_for_nan(const Rules& rules, const Array& x, std::optional<bool> copy, const Argument* nan, const Argument* posinf,
                      const Argument* neginf);
// a + weight (b - a)
Array between(const Rules& rules, const Array& a, const Argument& b, const Argument& weight);
// a + value x y and a + value x / y; no value: 1.
Array plus_product(const Rules& rules, const Array& a, const Argument& x, const Argument& y, const Argument* value);
Array plus_quotient(const Rules& rules, const Array& a, const Argument& x, const Argument& y, const Argument* value);
// The number whose erf is x: infinite at -1 and 1, NaN outside. Raises ErrorKind::not_implemented for complex numbers.
Array inverse_error(const Rules& rules, const Array& x);
// sin(pi x) / (pi x), 1 at 0.
Array sine_cardinal(const Rules& rules, const Array& x);

// Where an element is that infinity. Raises ErrorKind::type for complex numbers.
Array is_positive_infinity(const Rules& rules, const Array& x);
Array is_negative_infinity(const Rules& rules, const Array& x);
// Where the imaginary part is 0, and where it is not.
Array is_without_imaginary(const Rules& rules, const Array& x);
Array is_with_imaginary(const Rules& rules, const Array& x);
// 0 where x is negative or NaN, 1 where it is positive, `values` where it is 0.
Array step_at_zero(const Rules& rules, const Array& x, const Argument& values);
// Two operands in the type that the front end computes both in.
struct Alike {
  Array a, b;
};
// a / b, and 0 where b is 0.
Array quotient_or_zero(const Alike& of);
// log(exp(a) + exp(b)) without overflow, also of complex numbers.
Array log_of_sum(const Rules& rules, const Argument& a, const Argument& b);
// Have both one shape and the same values? This waits for them.
bool are_equal(const Rules& rules, const Array& a, const Argument& b);

}  // namespace quern
