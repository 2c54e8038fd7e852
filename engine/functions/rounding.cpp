#include "functions/rounding.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/sorting.h"

namespace quern {

using namespace steps;

namespace {

// An array, or a number that has no type of its own yet.
struct Value {
  std::optional<Array> array;
  Scalar number;
  Value(const Argument& given) : number(given.scalar()) {
    if (given.array()) array = *given.array();
  }
  Value(Array made) : array(std::move(made)) {}
  Value(double made) : number(real_number(made)) {}
  Argument argument() const { return array ? Argument(*array) : Argument(number); }
  double real() const {
    if (number.is_natural) return static_cast<double>(number.natural);
    bool is_whole = number.kind == WeakScalar::integer || number.kind == WeakScalar::boolean;
    return is_whole && !number.is_huge ? static_cast<double>(number.integer) : number.re;
  }
};

// The op on arrays, `f` on numbers.
template <class F>
Value either(const Rules& rules, Op op, const Value& x, F&& f) {
  return x.array ? Value(rules(op, x.argument())) : Value(f(x.number, x.real()));
}
template <class F>
Value either(const Rules& rules, Op op, const Value& x, const Value& y, F&& f) {
  return x.array || y.array ? Value(rules(op, x.argument(), y.argument())) : Value(f(x.real(), y.real()));
}
double size_of_number(const Scalar& number, double real) {
  return number.kind == WeakScalar::complex ? std::hypot(number.re, number.im) : std::abs(real);
}
bool is_nan(const Scalar& number, double real) { return std::isnan(size_of_number(number, real)); }

Array both(Op op, const Array& test, const Value& other) {
  return other.array ? compute(op, test, *other.array)
                     : compute(op, test, full({}, whole(other.real() != 0), DType::boolean, test.device()));
}

}  // namespace

Array rounded(const Rules& rules, const Array& array, int64_t decimals) {
  DType type = array.dtype();
  if (is_complex(type)) {
    Array out = copied(array, type, Order::keep);
    assign(out.real(), Argument(rounded(rules, array.real(), decimals)));
    assign(out.imag(), Argument(rounded(rules, array.imag(), decimals)));
    return out;
  }
  if (is_integer(type) && decimals >= 0) return copied(array, type, Order::keep);
  if (decimals == 0) return rint(array);
  if (type == DType::boolean) raise(ErrorKind::type, "[round] dtype bool is not supported; convert to integers first");
  Array work = is_integer(type) ? astype(array, DType::float64) : array;
  if (rules.types == TypeRules::torch && !is_integer(type)) work = as_type(work, wide_type(type));
  double by = std::abs(decimals) < 309 ? std::pow(10.0, static_cast<double>(std::abs(decimals)))
                                       : std::numeric_limits<double>::infinity();
  bool columns = !is_in_order(work, Order::c) && is_in_order(work, Order::fortran);
  work = in_order(work, columns ? Order::fortran : Order::c);
  Op there = decimals > 0 ? Op::multiply : Op::true_divide, back = decimals > 0 ? Op::true_divide : Op::multiply;
  return as_type(compute(back, rint(compute(there, work, by)), by), type);
}

// Real numbers as integers of a type, whose ends stand for what lies beyond them.
static Array limited_to(const Array& array, DType type) {
  const bool is_signed = row(type).kind == DTypeKind::integer;
  const int bits = static_cast<int>(8 * size_of(type));
  const double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0, beyond = std::ldexp(1.0, bits - is_signed);
  const double high = bits == 64 ? std::nextafter(beyond, 0.0) : beyond - 1;
  return as_type(minimum(maximum(as_type(array, DType::float64), low), high), type);
}

// Rounded after a multiplication by a power of ten, as JAX rounds; integers and what has no such decimals stay as they are.
Array rounded_by_scale(const Array& array, int64_t decimals) {
  const DType type = array.dtype();
  if (type == DType::boolean) raise(ErrorKind::value, "[round] dtype bool is not supported; convert with cast()");
  if (is_complex(type)) {
    Array out = copied(array, type, Order::keep);
    assign(out.real(), Argument(rounded_by_scale(array.real(), decimals)));
    assign(out.imag(), Argument(rounded_by_scale(array.imag(), decimals)));
    return out;
  }
  const bool is_of_integers = is_integer(type);
  if ((is_of_integers && decimals >= 0) ||
      static_cast<double>(decimals) > std::log10(largest(is_of_integers ? DType::float32 : type)))
    return copied(array, type, Order::keep);
  if (decimals == 0) return rint(array);
  const Array work = is_of_integers || type == DType::float16 ? as_type(array, DType::float32) : array;
  const double factor = std::pow(10.0, static_cast<double>(decimals));
  const Array out = true_divide(rint(multiply(work, factor)), factor);
  return is_of_integers ? limited_to(out, type) : as_type(out, type);
}

Array near(const Rules& rules, const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol, bool equal_nan) {
  Value x = a, y = b;
  auto is_of_bools = [](const Value& one) { return one.array && one.array->dtype() == DType::boolean; };
  if (rules.types == TypeRules::torch && is_of_bools(x) && is_of_bools(y)) return rules(Op::equal, a, b);  // no differences
  if (y.array) {
    OperandType types[] = {{y.array->dtype()}, {DType::boolean, true, WeakScalar::real}};
    y = as_type(*y.array, common_type(types));
  } else if (y.number.kind == WeakScalar::integer || y.number.kind == WeakScalar::boolean) {
    y = y.real();
  }
  Value size = either(rules, Op::absolute, y, size_of_number);
  Value scaled = either(rules, Op::multiply, rtol, size, [](double r, double s) { return r * s; });
  Value limit = either(rules, Op::add, atol, scaled, [](double t, double s) { return t + s; });
  Array distance = rules(Op::absolute, rules(Op::subtract, x.argument(), y.argument()));
  Array is_near = rules(Op::less_equal, distance, limit.argument());
  is_near = both(Op::bitwise_and, is_near, either(rules, Op::isfinite, y, [](const Scalar& n, double r) {
                   return std::isfinite(size_of_number(n, r)) ? 1.0 : 0.0;
                 }));
  is_near = rules(Op::bitwise_or, is_near, rules(Op::equal, x.argument(), y.argument()));
  if (!equal_nan) return is_near;
  auto nan = [](const Scalar& n, double r) { return is_nan(n, r) ? 1.0 : 0.0; };
  Value left = either(rules, Op::isnan, x, nan), right = either(rules, Op::isnan, y, nan);
  Array no_numbers = left.array ? both(Op::bitwise_and, *left.array, right) : both(Op::bitwise_and, *right.array, left);
  return rules(Op::bitwise_or, is_near, no_numbers);
}

Array all_near(const Rules& rules, const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol,
               bool equal_nan) {
  const Array is_near = near(rules, a, b, rtol, atol, equal_nan);
  return reduce(Reduction::all, is_near, std::vector<bool>(is_near.rank(), true), false);
}
bool are_all_near(const Rules& rules, const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol,
                  bool equal_nan) {
  return scalar_in(all_near(rules, a, b, rtol, atol, equal_nan)).integer != 0;
}

Array differences(const Array& array, int64_t times, size_t axis) {
  if (times < 0) raise(ErrorKind::value, "[diff] order must be non-negative but got {}", times);
  Array out = array;
  auto along = static_cast<int>(axis);
  for (int64_t n = 0; n < times; ++n) {
    int64_t count = out.shape()[axis];
    Array after = part(out, along, std::min<int64_t>(1, count), count),
          before = part(out, along, 0, std::max<int64_t>(count - 1, 0));
    out = compute(array.dtype() == DType::boolean ? Op::not_equal : Op::subtract, after, before);
  }
  return out;
}

std::optional<Array> accumulated(const Array& array, std::string_view op, std::optional<size_t> axis,
                                 std::optional<DType> dtype) {
  DType type = op == "add" || op == "multiply" ? dtype.value_or(summed_type(array.dtype()))
               : op.starts_with("logical")     ? DType::boolean
                                               : dtype.value_or(array.dtype());
  if (!has_scan(op, type)) return {};
  bool is_flat = !axis || array.rank() == 0;
  Array lines = is_flat && array.rank() != 1 ? raveled(array, Order::c) : array;
  if (lines.dtype() != type) lines = astype(lines, type);
  return running(lines, op, is_flat ? 0 : *axis);
}

namespace {

Array running_result(std::string_view op, const Array& array, std::optional<size_t> axis, std::optional<DType> dtype) {
  DType type = dtype.value_or(summed_type(array.dtype()));
  if (array.rank() == 0 && axis) return copied(array, type);
  if (std::optional<Array> out = accumulated(array, op, axis, type)) return *std::move(out);
  raise(ErrorKind::type, "[{}] elements of {} cannot be accumulated", op == "add" ? "cumsum" : "cumprod", row(type).name);
}

}  // namespace

Array running_sum(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype) {
  return running_result("add", array, axis, dtype);
}
Array running_product(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype) {
  return running_result("multiply", array, axis, dtype);
}

namespace {

// Each step adds what stands 1, 2, 4 ... places before.
Array log_sums(const Array& given, size_t axis) {
  const int64_t n = given.shape()[axis];
  Array x = copied(given, given.dtype());
  Shape shape = x.shape();
  for (int64_t step = 1; step < n; step *= 2) {
    shape[axis] = step;
    const Array nothing = full(shape, real_number(-std::numeric_limits<double>::infinity()), x.dtype(), x.device());
    const Array before = joined({nothing, part(x, static_cast<int>(axis), 0, n - step)}, axis);
    x = log_of_sum(numpys_rules, x, before);
  }
  return in_order(x, Order::c);
}

// The gradient is summed by logarithms, its positive and its negative part apart.
class RunningLogSum : public GradientBody {
 public:
  explicit RunningLogSum(size_t axis) : axis_(axis) {}
  std::string_view name() const override { return "logcumsumexp"; }
  Gradients gradients(const GradientCall& call) const override {
    const DType wide = wide_type(call.types[0]);
    const Array x = as_type(call.operands[0], wide), y = as_type(call.results[0], wide), g = as_type(*call.given[0], wide);
    const Array size = log(absolute(g));
    const auto sum = [&](const Array& counts) {
      const Array terms = subtract(where(counts, size, -largest(wide)), y);
      return exp(add(flipped(running_log_sum(flipped(terms, Axes{axis_}), axis_), Axes{axis_}), x));
    };
    return {subtract(sum(greater(g, 0)), sum(less(g, 0)))};
  }

 private:
  size_t axis_;
};

}  // namespace

Array running_log_sum(const Array& array, size_t axis) {
  const DType type = array.dtype();
  if (is_whole(type)) raise(ErrorKind::not_implemented, "\"logcumsumexp\" not implemented for '{}'", torch_name_of(type));
  if (array.rank() == 0 || array.size() == 0) return copied(array, type);
  if (is_complex(type)) return log_sums(array, axis);  // its operations have the derivatives
  return differentiable(std::make_shared<RunningLogSum>(axis), {&array, 1}, {{true}, {true}},
                        [&] { return std::vector<Array>{as_type(log_sums(as_type(array, wide_type(type)), axis), type)}; })[0];
}

Array with_first(const Array& array, const Scalar& value, size_t axis) {
  Shape first = array.shape();
  first[axis] = 1;
  return joined({full(first, value, array.dtype(), array.device()), array}, axis);
}

static Array cumulative(Array (*run)(const Array&, std::optional<size_t>, std::optional<DType>), const Array& array,
                        RunningAxis axis, std::optional<DType> dtype, int64_t initial, bool include_initial) {
  if (!axis.place && array.rank() > 1)
    raise(ErrorKind::value, "For arrays which have more than one dimension ``axis`` argument is required.");
  const size_t place = axis.place.value_or(0);
  Array made = run(array.rank() == 0 ? reshape(array, {1}) : array, place, dtype);
  return include_initial ? with_first(made, whole(initial), place) : made;
}

Array cumulative_sum(const Array& array, RunningAxis axis, std::optional<DType> dtype, bool include_initial) {
  return cumulative(running_sum, array, axis, dtype, 0, include_initial);
}
Array cumulative_product(const Array& array, RunningAxis axis, std::optional<DType> dtype, bool include_initial) {
  return cumulative(running_product, array, axis, dtype, 1, include_initial);
}

}  // namespace quern
