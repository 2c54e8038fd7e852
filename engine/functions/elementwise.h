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

// a / b; `rounding`: "trunc", "floor" or none.
Array divided(const Rules& rules, const Argument& a, const Argument& b, std::optional<std::string_view> rounding);
Array inverse_root(const Rules& rules, const Array& x);
Array logistic(const Rules& rules, const Array& x);
// log(x / (1 - x)), of x limited to [eps, 1 - eps] where eps is given.
Array log_odds(const Rules& rules, const Array& x, std::optional<double> eps);
// -1, 0 or 1; of complex numbers those of size 1 with their angle. Bools stay.
Array direction(const Rules& rules, const Array& x);
// log(exp(a) + exp(b)) without overflow, also of complex numbers.
Array log_of_sum(const Rules& rules, const Argument& a, const Argument& b);
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
  std::optional<DType> type;  // to compute in, where the rules of types do not say it
};
// a + weight (b - a)
Array between(const Rules& rules, const Array& a, const Argument& b, const Argument& weight);
// The number whose erf is x: infinite at -1 and 1, NaN outside. Raises ErrorKind::not_implemented for complex numbers.
Array inverse_error(const Rules& rules, const Array& x);
// sin(pi x) / (pi x), 1 at 0.
Array sine_cardinal(const Rules& rules, const Array& x);

// Two operands in the type that the front end computes both in.
struct Alike {
  Array a, b;
};
// The same of arrays that are no numbers of Python's; the second may be missing.
struct AlikeArrays {
  Array a;
  std::optional<Array> b;
};

// Choices with their conditions, and what is chosen where none holds; all choices have one type.
struct Cases {
  std::vector<Array> conditions, choices;
  Array otherwise;
};

}  // namespace quern
