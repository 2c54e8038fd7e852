#include "functions/elementwise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "functions/activations.h"
#include "graph/memory_order.h"
#include "graph/tape.h"

namespace quern {

using namespace steps;

const Rules numpys_rules{TypeRules::numpy, [](Op op, std::span<const Argument> operands) { return elementwise(op, operands); }};

namespace {

bool is_one(const Argument& number) {
  const Scalar& value = number.scalar();
  return !number.array() && value.kind == WeakScalar::integer && !value.is_natural && value.integer == 1;
}

double real_of(const Scalar& number) {
  if (number.kind == WeakScalar::real || number.kind == WeakScalar::complex) return number.re;
  return number.is_natural ? static_cast<double>(number.natural) : static_cast<double>(number.integer);
}
bool is_true(const Scalar& number) { return real_of(number) != 0 || (number.kind == WeakScalar::complex && number.im != 0); }
Scalar truth(bool value) {
  Scalar out = whole(value);
  out.kind = WeakScalar::boolean;
  return out;
}

OperandType type_of(const Argument& operand) {
  OperandType out = operand.type();
  out.is_0d = operand.array() && operand.array()->rank() == 0;
  return out;
}
DType computed_type(const Rules& rules, Op op, const Argument& a, const Argument& b) {
  const OperandType types[] = {type_of(a), type_of(b)};
  return resolve(op, types, rules.types).compute;
}
// The product of two of Python's numbers, for a type.
Scalar product_of(const Scalar& a, const Scalar& b, DType type) {
  Scalar out;
  out.kind = std::max(std::max(a.kind, b.kind), WeakScalar::integer);
  const double x = real_of(a), y = real_of(b);
  if (out.kind == WeakScalar::integer && !is_whole(type)) out.kind = WeakScalar::real;
  if (out.kind == WeakScalar::integer) {
    out.integer = static_cast<int64_t>(static_cast<uint64_t>(a.integer) * static_cast<uint64_t>(b.integer));
  } else {
    const double u = a.kind == WeakScalar::complex ? a.im : 0, v = b.kind == WeakScalar::complex ? b.im : 0;
    out.re = u == 0 && v == 0 ? x * y : x * y - u * v;
    out.im = x * v + u * y;
  }
  return out;
}

// A factor must not change the type.
void check_alpha(const Scalar& alpha, DType type) {
  if (alpha.kind == WeakScalar::boolean && type != DType::boolean)
    raise(ErrorKind::runtime, "Boolean alpha only supported for Boolean results.");
  if (alpha.kind == WeakScalar::real && is_whole(type))
    raise(ErrorKind::runtime, "For integral input tensors, argument alpha must not be a floating point number.");
  if (alpha.kind == WeakScalar::complex && !is_complex(type))
    raise(ErrorKind::runtime, "For non-complex input tensors, argument alpha must not be a complex number.");
}

Array with_multiple(const Rules& rules, Op op, const Argument& a, const Argument& b, const Argument* alpha) {
  if (!alpha || is_one(*alpha)) return rules(op, a, b);
  const DType type = computed_type(rules, op, a, b);
  check_alpha(alpha->scalar(), type);
  const Scalar factor = fitted_as_torch(alpha->scalar(), type);
  if (!b.array())
    return rules(op, a,
                 type == DType::boolean ? truth(is_true(b.scalar()) && is_true(factor)) : product_of(b.scalar(), factor, type));
  // Of 16 bits the factor is rounded, unlike that of a product.
  const Array rounded = full({}, type == DType::boolean ? truth(is_true(factor)) : factor, type, b.array()->device());
  return rules(op, a, rules(Op::multiply, as_type(*b.array(), type), rounded));
}

// Where a number takes over: everywhere if it is NaN.
Array is_beyond(const Rules& rules, Op op, const Array& x, const Argument& limit) {
  Array beyond = rules(op, x, limit);
  const bool is_nan = limit.scalar().kind == WeakScalar::real && std::isnan(limit.scalar().re);
  return is_nan ? rules(Op::logical_not, beyond) : beyond;
}

bool records(const Array& x) { return GradientMode::is_on() && wants_gradient(x); }
bool records(const Argument* x) { return x && x->array() && records(*x->array()); }

}  // namespace

Array as_reals(const Rules& rules, const Array& x) {
  if (!is_whole(x.dtype())) return x;
  const OperandType type{x.dtype()};
  return astype(x, rules.types == TypeRules::torch ? torch_default() : resolve(Op::exp, {&type, 1}, rules.types).result);
}

// a + alpha b and a - alpha b, where alpha b has the type of the result; no alpha: 1.
Array plus_multiple(const Rules& rules, const Argument& a, const Argument& b, const Argument* alpha) {
  return with_multiple(rules, Op::add, a, b, alpha);
}
Array less_multiple(const Rules& rules, const Argument& a, const Argument& b, const Argument* alpha) {
  return with_multiple(rules, Op::subtract, a, b, alpha);
}

Array divided(const Rules& rules, const Argument& a, const Argument& b, std::optional<std::string_view> rounding) {
  if (!rounding) return rules(Op::true_divide, a, b);
  if (*rounding == "floor") return rules(Op::floor_divide, a, b);
  if (*rounding != "trunc")
    raise(ErrorKind::runtime, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", *rounding);
  if (!is_whole(computed_type(rules, Op::floor_divide, a, b))) return rules(Op::trunc, rules(Op::true_divide, a, b));
  // The remainder has the divisor's sign: one more where the quotient is negative and not whole.
  const Array quotient = rules(Op::floor_divide, a, b), rest = rules(Op::remainder, a, b);
  return rules(Op::add, quotient, rules(Op::bitwise_and, rules(Op::not_equal, rest, 0), rules(Op::less, quotient, 0)));
}

Array inverse_root(const Rules& rules, const Array& x) {
  if (!records(x)) return rules(Op::reciprocal, rules(Op::sqrt, x));
  return recorded_as(SmoothValue::inverse_root, x, rules(Op::reciprocal, rules(Op::sqrt, detached(x))));
}

Array logistic(const Rules& rules, const Array& x) {
  if (!is_complex(x.dtype())) return rules(Op::sigmoid, x);
  return rules(Op::reciprocal, rules(Op::add, rules(Op::exp, rules(Op::negative, x)), 1));
}

Array log_odds(const Rules& rules, const Array& given, std::optional<double> eps) {
  Array x = as_reals(rules, given);
  const DType type = x.dtype();
  if (eps) {
    const double low = *eps, high = 1 - low;
    x = rules(Op::where, rules(Op::less, x, low), low, rules(Op::where, rules(Op::greater, x, high), high, x));
    x = as_type(x, type);
  }
  const Array plain = detached(x);
  const Array odds = rules(Op::true_divide, plain, rules(Op::subtract, 1, plain));
  return recorded_as(SmoothValue::log_odds, x, rules(Op::log, odds));
}

Array direction(const Rules& rules, const Array& x) {
  if (x.dtype() == DType::boolean) return copied(x, x.dtype());
  const Array sign = rules(Op::sign, x);
  if (is_whole(x.dtype()) || is_complex(x.dtype())) return sign;
  return as_type(rules(Op::where, rules(Op::isnan, x), 0.0, sign), x.dtype());
}

// x less its whole part.
Array fraction(const Rules& rules, const Array& x) { return rules(Op::subtract, x, rules(Op::trunc, x)); }

// An integer limit as the nearest number that the type has; a RuntimeError where no number of the type is within it.
static Argument within_type(const Argument& limit, DType type, bool is_low) {
  if (limit.array() || limit.scalar().kind != WeakScalar::integer || !is_integer(type)) return limit;
  const bool is_signed = row(type).kind == DTypeKind::integer;
  const size_t bits = 8 * size_of(type) - is_signed;
  const int64_t most = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  const int64_t least = is_signed ? -most - 1 : 0;
  Scalar out = limit.scalar();
  const bool is_above = type == DType::uint64 ? out.is_huge && out.re > 0
                        : out.is_huge         ? out.re > 0
                                              : out.is_natural || out.integer > most;
  const bool is_below = out.is_huge ? out.re < 0 : !out.is_natural && out.integer < least;
  if (is_low ? is_above : is_below)
    raise(ErrorKind::runtime, "Clamp {} value {} is outside the representable range of {}", is_low ? "min" : "max",
          out.is_huge      ? out.re
          : out.is_natural ? static_cast<double>(out.natural)
                           : static_cast<double>(out.integer),
          row(type).name);
  if (!is_above && !is_below) return limit;
  out.is_natural = out.is_huge = false;
  out.integer = is_above ? most : least;
  return Argument(out);
}

// Limits of one kind: a tensor of one number beside a number stands for its value.
static Argument beside_number(const Argument& limit) {
  if (!limit.array()) return limit;
  if (limit.array()->rank() > 0) raise(ErrorKind::type, "clamp(): 'min' and 'max' must be two numbers or two Tensors");
  Scalar value = scalar_in(detached(*limit.array()));
  value.is_weak = true;
  return Argument(value);
}

// x limited to [low, high]. No gradient passes where x equals a number or is NaN; of what it has in common with a tensor both get
// half.
Array clamped(const Rules& rules, const Array& x, const Argument* low, const Argument* high) {
  if (low && high && !low->array() != !high->array()) {
    const Argument both[] = {beside_number(*low), beside_number(*high)};
    return clamped(rules, x, &both[0], &both[1]);
  }
  if (low && high) {  // of one type, all three
    const OperandType types[] = {type_of(Argument(x)), type_of(*low), type_of(*high)};
    const DType type = common_type_as_torch(types);
    const auto is_other = [&](const Argument& one) { return one.array() && one.array()->dtype() != type; };
    if (type != x.dtype() || is_other(*low) || is_other(*high)) {
      const auto in_type = [&](const Argument& one) { return one.array() ? as_type(*one.array(), type) : x; };
      const Array least = in_type(*low), most = in_type(*high);
      const Argument both[] = {low->array() ? Argument(least) : *low, high->array() ? Argument(most) : *high};
      return clamped(rules, as_type(x, type), &both[0], &both[1]);
    }
  }
  const bool is_recorded = records(x) || records(low) || records(high);
  if (x.dtype() == DType::boolean) {
    const auto is_bool = [](const Argument* one) {
      const OperandType type = one ? type_of(*one) : OperandType{DType::boolean};
      return type.is_weak ? type.weak == WeakScalar::boolean : type.dtype == DType::boolean;
    };
    const bool has_number = (low && !low->array()) || (high && !high->array());
    if (is_bool(low) && is_bool(high) && ((low && high) || has_number))
      raise(ErrorKind::not_implemented, "\"clamp\" not implemented for 'Bool'");
  }
  for (const Argument* limit : {low, high})
    if (limit && !limit->array() && limit->scalar().kind == WeakScalar::real && is_whole(x.dtype()))
      fitted_as_torch(limit->scalar(), torch_default());
  Array out = x;
  const auto limited = [&](const Argument* limit, Op beyond, Op extreme) {
    if (!limit) return;
    const Argument near = within_type(*limit, x.dtype(), extreme == Op::maximum);
    if (!near.array() && !is_whole(x.dtype())) fitted_as_torch(near.scalar(), x.dtype());
    if (!is_recorded || near.array()) {
      out = rules(extreme, out, near);
      return;
    }
    const Array at = detached(out), is_nan = rules(Op::isnan, at);
    const Array outside = rules(Op::logical_or, is_beyond(rules, beyond, out, near), is_nan);
    out = rules(Op::where, outside, rules(Op::where, is_nan, at, near), out);
  };
  limited(low, Op::less_equal, Op::maximum);
  limited(high, Op::greater_equal, Op::minimum);
  return out;
}

Array chosen(const Rules& rules, const Array& condition, const Choices& choices) {
  if (!choices.x || !choices.y) raise(ErrorKind::value, "either both or neither of x and y should be given");
  return rules(Op::where, condition, *choices.x, *choices.y);
}

namespace {

// Is a number at the end of what the type holds, or beyond it?
bool is_out_of_reach(const Argument& limit, DType type, bool is_low) {
  const Scalar& number = limit.scalar();
  if (limit.array() || !number.is_weak || number.kind != WeakScalar::integer) return false;
  if (number.is_huge) return (number.re < 0) == is_low;
  const bool is_signed = row(type).kind == DTypeKind::integer;
  const size_t bits = 8 * size_of(type) - is_signed;
  if (is_low) return !number.is_natural && number.integer <= (is_signed ? std::numeric_limits<int64_t>::min() >> (63 - bits) : 0);
  const uint64_t most = std::numeric_limits<uint64_t>::max() >> (64 - bits);
  return number.is_natural ? number.natural >= most : number.integer >= 0 && static_cast<uint64_t>(number.integer) >= most;
}

}  // namespace

Array between_limits(const Rules& rules, const Array& given, const ClipLimits& limits, std::optional<DType> dtype) {
  const Argument only(given);
  if (limits.type) dtype = limits.type;
  Array x = dtype && *dtype != given.dtype() ? copied(given, *dtype, result_layout(given.shape(), {&only, 1})) : given;
  std::optional<Argument> low = limits.low, high = limits.high;
  if (is_integer(x.dtype()) && low && is_out_of_reach(*low, x.dtype(), true)) low.reset();
  if (is_integer(x.dtype()) && high && is_out_of_reach(*high, x.dtype(), false)) high.reset();
  if (!low && !high) x = rules(Op::positive, x);
  if (low && high) {  // two steps one after the other might promote further than all three at once
    const auto differs = [&](const Argument& limit) { return limit.array() && limit.array()->dtype() != x.dtype(); };
    OperandType types[] = {type_of(Argument(x)), type_of(*low), type_of(*high)};
    // Reals first: uint8, int8 and float16 meet in float16, the first two of them in int16.
    std::ranges::stable_sort(types, std::greater(),
                             [](const OperandType& one) { return one.is_weak ? -1 : rank(row(one.dtype).kind); });
    if (differs(*low) || differs(*high)) x = as_type(x, common_type(types));
  }
  if (low) x = rules(Op::maximum, x, *low);
  if (high) x = rules(Op::minimum, x, *high);
  if (limits.order != Order::any) return in_order(x, limits.order);
  return in_order(x, given.layout().is_fortran() && !given.layout().is_contiguous() ? Order::fortran : Order::c);
}

static Array real_numbers_for_nan(const Rules& rules, const Array& x, const Argument* nan, const Argument* posinf,
                                  const Argument* neginf) {
  const Argument zero(real_number(0)), most(real_number(largest(x.dtype()))), least(real_number(-largest(x.dtype())));
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Array out = rules(Op::where, rules(Op::isnan, x), nan ? *nan : zero, x);
  out = rules(Op::where, rules(Op::equal, x, infinite), posinf ? *posinf : most, out);
  out = rules(Op::where, rules(Op::equal, x, -infinite), neginf ? *neginf : least, out);
  if (is_complex(out.dtype()))
    raise(ErrorKind::type, "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule 'same_kind'",
          row(out.dtype()).name, row(x.dtype()).name);
  if (out.shape() != x.shape())
    raise(ErrorKind::value, "could not broadcast input array from shape {} into shape {}", to_string(out.shape()),
          to_string(x.shape()));
  return as_type(out, x.dtype());
}

// Numbers for NaN and the infinities: by default 0, the largest and the smallest of the type. Integers stay. Where `copy` is
// false they are written into x, which is the result.
Array numbers_for_nan(const Rules& rules, const Array& x, std::optional<bool> copy, const Argument* nan, const Argument* posinf,
                      const Argument* neginf) {
  if (is_whole(x.dtype())) return copy.value_or(true) ? copied(x, x.dtype(), Order::keep) : x;
  auto without = [&](const Array& part) { return real_numbers_for_nan(rules, part, nan, posinf, neginf); };
  if (!is_complex(x.dtype())) {
    if (copy.value_or(true)) return without(x);
    assign(x, Argument(without(x)));
    return x;
  }
  Array out = copy.value_or(true) ? copied(x, x.dtype(), Order::keep) : x;
  assign(out.real(), Argument(without(x.real())));
  assign(out.imag(), Argument(without(x.imag())));
  return out;
}

// Array code in float32 where x is of 16-bit reals, whose numbers it takes with all their digits.
template <class Body>
static Array in_wide(const Array& x, const Argument& a, const Argument& b, const Body& body) {
  const DType wide = wide_type(x.dtype());
  if (wide == x.dtype()) return body(x, a, b);
  std::optional<Array> kept[2];
  const auto widened = [&](const Argument& one, std::optional<Array>& place) {
    return one.array() ? Argument(place.emplace(as_type(*one.array(), wide))) : one;
  };
  return as_type(body(as_type(x, wide), widened(a, kept[0]), widened(b, kept[1])), x.dtype());
}

// From the nearer end, so that a weight of 1 gives b. One minus a number is a Python float's difference: two numbers alone would
// be computed in the default type, with too few digits for float64.
static Array between_by_number(const Rules& rules, const Array& start, const Argument& end, const Scalar& given) {
  const Scalar weight = fitted_as_torch(given, start.dtype());
  Scalar rest = weight.kind == WeakScalar::complex ? weight : real_number(0);
  const double part = weight.kind >= WeakScalar::real ? weight.re : static_cast<double>(weight.integer);
  rest.re = 1 - part;
  rest.im = weight.kind == WeakScalar::complex ? -weight.im : 0;
  const Array way = rules(Op::subtract, end, start);
  if ((weight.kind == WeakScalar::complex ? std::hypot(part, weight.im) : std::abs(part)) < 0.5)
    return rules(Op::add, start, rules(Op::multiply, weight, way));
  return rules(Op::subtract, end, rules(Op::multiply, way, rest));
}

Array between(const Rules& rules, const Array& a, const Argument& b, const Argument& weight) {
  if (is_whole(a.dtype()))
    raise(ErrorKind::not_implemented, "\"lerp\" not implemented for '{}'; convert to a floating point dtype",
          torch_name_of(a.dtype()));
  return in_wide(a, b, weight, [&](const Array& start, const Argument& end, const Argument& w) {
    if (!w.array()) return between_by_number(rules, start, end, w.scalar());
    const Array part = as_type(*w.array(), start.dtype()), way = rules(Op::subtract, end, start);
    const Array from_end = rules(Op::subtract, end, rules(Op::multiply, way, rules(Op::subtract, whole(1), part)));
    return rules(Op::where, rules(Op::less, rules(Op::absolute, part), 0.5),
                 rules(Op::add, start, rules(Op::multiply, part, way)), from_end);
  });
}

static bool are_narrow(const Array& a, const Argument& x, const Argument& y) {
  const auto is_alike = [&](const Argument& one) { return one.array() && one.array()->dtype() == a.dtype(); };
  return wide_type(a.dtype()) != a.dtype() && is_alike(x) && is_alike(y);
}

// a + value x y and a + value x / y; no value: 1.
Array plus_product(const Rules& rules, const Array& a, const Argument& x, const Argument& y, const Argument* value) {
  if (are_narrow(a, x, y)) {
    const auto body = [&](const Array& sum, const Argument& p, const Argument& q) {
      return plus_product(rules, sum, p, q, value);
    };
    return in_wide(a, x, y, body);
  }
  Array product = rules(Op::multiply, x, y);
  if (product.dtype() == DType::boolean && a.dtype() == DType::boolean)
    raise(ErrorKind::not_implemented, "\"addcmul\" not implemented for 'Bool'; convert to another dtype");
  if (value && !is_one(*value)) {
    Scalar factor = fitted_as_torch(value->scalar(), wide_type(product.dtype()));  // which does not change the type
    if (product.dtype() == DType::boolean) factor = truth(is_true(factor));
    product = rules(Op::multiply, product, factor);
  }
  return rules(Op::add, a, product);
}
Array plus_quotient(const Rules& rules, const Array& a, const Argument& x, const Argument& y, const Argument* value) {
  if (are_narrow(a, x, y)) {
    const auto body = [&](const Array& sum, const Argument& p, const Argument& q) {
      return plus_quotient(rules, sum, p, q, value);
    };
    return in_wide(a, x, y, body);
  }
  const Array quotient = rules(Op::true_divide, x, y);
  return rules(Op::add, a, value && !is_one(*value) ? rules(Op::multiply, quotient, *value) : quotient);
}

// By Newton's steps from a rational first guess (Giles, 2010).
Array inverse_error(const Rules& rules, const Array& x) {
  if (is_complex(x.dtype())) raise(ErrorKind::not_implemented, "\"erfinv\" not implemented for '{}'", torch_name_of(x.dtype()));
  const Array reals = as_reals(rules, x);
  if (records(reals)) return recorded_as(SmoothValue::inverse_error, reals, inverse_error(rules, detached(reals)));
  const Array given = as_type(reals, DType::float64);
  const Array is_end = equal(absolute(given), 1);
  const Array ends = multiply(given, where(is_end, std::numeric_limits<double>::infinity(), 1.0));
  const Array wide = where(is_end, 0.0, given);
  const Array w = negative(log(multiply(subtract(1, wide), add(1, wide))));
  const auto series = [](const Array& by, std::initializer_list<double> terms) {
    Array sum = add(multiply(by, 0.0), *terms.begin());
    for (const double* term = terms.begin() + 1; term != terms.end(); ++term) sum = add(multiply(sum, by), *term);
    return sum;
  };
  const Array near = series(subtract(w, 2.5), {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                               -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  const Array far =
      series(subtract(sqrt(maximum(w, 0.25)), 3.0), {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
                                                     0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  Array y = multiply(where(less(w, 5.0), near, far), wide);
  for (int step = 0; step < 2; ++step) {  // to all digits
    const Array slope = exp(multiply(negative(y), y));
    const Array error = subtract(erf(y), wide);
    y = subtract(y, true_divide(error, multiply(slope, 1.1283791670955126)));
  }
  return as_type(where(is_end, ends, y), reals.dtype());
}

Array sine_cardinal(const Rules& rules, const Array& given) {
  // PyTorch rounds numbers of 16 bits once, NumPy after each operation.
  if (rules.types == TypeRules::torch && row(given.dtype()).kind == DTypeKind::real && size_of(given.dtype()) == 2)
    return as_type(sine_cardinal(rules, astype(given, DType::float32)), given.dtype());
  const Array x = rules(Op::multiply, given, std::numbers::pi);
  // Near 0, where the digits of the quotient's derivative cancel out, the series has them: its next term is below 3e-18.
  const Array is_near = rules(Op::less, rules(Op::absolute, x), 0.1), safe = rules(Op::where, is_near, 1.0, x);
  const Array square = rules(Op::square, rules(Op::where, is_near, x, 0.0));
  Array near_zero = rules(Op::subtract, 1, rules(Op::true_divide, square, 72));
  for (int divisor : {42, 20, 6})
    near_zero = rules(Op::subtract, 1, rules(Op::multiply, rules(Op::true_divide, square, divisor), near_zero));
  return as_type(rules(Op::where, is_near, near_zero, rules(Op::true_divide, rules(Op::sin, safe), safe)), x.dtype());
}

// Both choices are made before the division: of a quotient by zero the derivative would be NaN.
// a / b, and 0 where b is 0.
Array quotient_or_zero(const Alike& of) {
  const Array is_zero = equal(of.b, 0);
  return where(is_zero, 0, true_divide(of.a, where(is_zero, 1, of.b)));
}

static Array all_of(const Array& like, bool value) { return full(like.shape(), truth(value), DType::boolean, like.device()); }

static Array is_infinity(const Rules& rules, const Array& x, double infinity) {
  if (is_complex(x.dtype()))
    raise(ErrorKind::type, "This operation is not supported for {} values because it would be ambiguous.", row(x.dtype()).name);
  return is_whole(x.dtype()) ? all_of(x, false) : rules(Op::equal, x, infinity);
}
// Where an element is that infinity. Raises ErrorKind::type for complex numbers.
Array is_positive_infinity(const Rules& rules, const Array& x) {
  return is_infinity(rules, x, std::numeric_limits<double>::infinity());
}
Array is_negative_infinity(const Rules& rules, const Array& x) {
  return is_infinity(rules, x, -std::numeric_limits<double>::infinity());
}

// Where the imaginary part is 0, and where it is not.
Array is_without_imaginary(const Rules& rules, const Array& x) {
  return is_complex(x.dtype()) ? rules(Op::equal, x.imag(), 0) : all_of(x, true);
}
Array is_with_imaginary(const Rules& rules, const Array& x) {
  return is_complex(x.dtype()) ? rules(Op::not_equal, x.imag(), 0) : all_of(x, false);
}

// 0 where x is negative or NaN, 1 where it is positive, `values` where it is 0.
Array step_at_zero(const Rules& rules, const Array& x, const Argument& values) {
  return rules(Op::where, rules(Op::equal, x, 0), values, as_type(rules(Op::greater, x, 0), x.dtype()));
}

// log(exp(a) + exp(b)) without overflow, also of complex numbers.
Array log_of_sum(const Rules& rules, const Argument& a, const Argument& b) {
  const OperandType types[] = {type_of(a), type_of(b)};
  if (!is_complex(types[0].dtype) && !is_complex(types[1].dtype)) return rules(Op::logaddexp, a, b);
  const DType type = resolve(Op::add, types, rules.types).compute;
  const Array x = as_type(*a.array(), type), y = as_type(*b.array(), type);
  // By the one with the larger real part.
  const Array is_larger = rules(Op::greater_equal, x.real(), y.real());
  const Array top = rules(Op::where, is_larger, x, y), low = rules(Op::where, is_larger, y, x);
  return rules(Op::add, top, rules(Op::log, rules(Op::add, rules(Op::exp, rules(Op::subtract, low, top)), 1)));
}

// Have both one shape and the same values? This waits for them.
bool are_equal(const Rules& rules, const Array& a, const Argument& b) {
  if (a.shape() != b.shape()) return false;
  const Array same = rules(Op::equal, a, b);
  return scalar_in(reduce(Reduction::all, same, std::vector<bool>(same.rank(), true), false)).integer != 0;
}

// Views of the parts of complex numbers. The real part of others is the array itself, which nothing stands for.
std::optional<Array> real_part(const Array& x) {
  if (!is_complex(x.dtype())) return {};
  return x.real();
}
Array imaginary_part(const Array& x) { return x.imag(); }

// The angle of a number in the plane, in radians or degrees. PyTorch's of -0.0 is 0.
Array angle_of(const Rules& rules, const Array& x, bool in_degrees) {
  Array out;
  if (is_complex(x.dtype())) {
    out = rules(Op::arctan2, x.imag(), x.real());
  } else if (rules.types == TypeRules::torch) {
    const Array reals = as_reals(rules, x);
    const Array is_negative = as_type(rules(Op::less, reals, 0), reals.dtype());
    out = rules(Op::where, rules(Op::isnan, reals), reals, rules(Op::multiply, is_negative, std::numbers::pi));
  } else {
    out = rules(Op::arctan2, 0, x);
  }
  return in_degrees ? rules(Op::multiply, out, 180 / std::numbers::pi) : out;
}

// x * 2 ** exponent, in the type of x.
Array scaled_by_power(const Array& x, const Array& exponent) {
  if (!is_integer(exponent.dtype()))
    raise(ErrorKind::type, "ldexp exponent must be an integer type. Received: x2 dtype={}", row(exponent.dtype()).name);
  if (is_complex(x.dtype())) raise(ErrorKind::value, "[ldexp] complex numbers are not supported; pass real and imaginary parts");
  const DType type = x.dtype(), wide = wide_type(type);
  return as_type(compute(Op::ldexp, as_type(x, wide), as_type(exponent, wide)), type);
}

// Elements of the first choice whose condition holds.
Array first_of_cases(const Cases& cases) {
  Array out = cases.otherwise;
  for (size_t n = cases.conditions.size(); n-- > 0;) out = where(cases.conditions[n], cases.choices[n], out);
  return in_order(out, Order::c);
}

}  // namespace quern
