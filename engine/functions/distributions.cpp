#include "functions/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "functions/ordering.h"
#include "functions/parts.h"
#include "functions/reductions.h"
#include "functions/refusals.h"
#include "functions/rounding.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/random.h"

namespace quern::random {

using namespace steps;

namespace {

// Parameters and draws as operands of the formulas below, which are NumPy's operations in NumPy's order.
struct Value {
  double number = 0;
  std::optional<Array> array{};
  Value(double value) : number(value) {}
  Value(const Array& value) : array(value) {}
  Value(const Parameter& value) : number(value.number), array(value.array) {}
  Argument argument() const { return array ? Argument(*array) : Argument(real_number(number)); }
};

template <class F>
Value both(Op op, const Value& a, const Value& b, F&& of_numbers) {
  if (!a.array && !b.array) return Value(of_numbers(a.number, b.number));
  return Value(compute(op, a.argument(), b.argument()));
}
Value operator+(const Value& a, const Value& b) {
  return both(Op::add, a, b, [](double x, double y) { return x + y; });
}
Value operator-(const Value& a, const Value& b) {
  return both(Op::subtract, a, b, [](double x, double y) { return x - y; });
}
Value operator*(const Value& a, const Value& b) {
  return both(Op::multiply, a, b, [](double x, double y) { return x * y; });
}
Value operator/(const Value& a, const Value& b) {
  return both(Op::true_divide, a, b, [](double x, double y) { return x / y; });
}
Value operator-(const Value& a) { return a.array ? Value(compute(Op::negative, *a.array)) : Value(-a.number); }
Value of(Op op, const Value& a) { return Value(compute(op, a.argument())); }
Value of(Op op, const Value& a, const Value& b) { return Value(compute(op, a.argument(), b.argument())); }
Value choice(const Value& condition, const Value& a, const Value& b) {
  return Value(compute(Op::where, *condition.array, a.argument(), b.argument()));
}
Value log(const Value& a) { return of(Op::log, a); }
Value sqrt(const Value& a) { return of(Op::sqrt, a); }

// ---- what is no distribution

bool is_true_somewhere(const Array& condition) {
  return scalar_in(reduce(Reduction::any, condition, std::vector<bool>(condition.rank(), true), false)).integer != 0;
}

// Whether a parameter compares so with a limit; NaN does not.
bool is_somewhere(const Value& value, Op op, double limit) {
  if (value.array) return is_true_somewhere(compute(op, *value.array, limit));
  const double x = value.number;
  return op == Op::less ? x < limit : op == Op::less_equal ? x <= limit : op == Op::greater ? x > limit : x >= limit;
}
bool is_nan_somewhere(const Value& value) {
  return value.array ? is_true_somewhere(compute(Op::isnan, *value.array)) : std::isnan(value.number);
}

// -0.0 counts as negative, as in NumPy.
bool is_negative_somewhere(const Parameter& value) {
  if (!value.array) return std::signbit(value.number) && !std::isnan(value.number);
  return is_true_somewhere(
      compute(Op::logical_and, compute(Op::less_equal, *value.array, 0), compute(Op::signbit, *value.array)));
}
void check_not_negative(const char* name, const Parameter& value) {
  if (is_negative_somewhere(value)) raise(ErrorKind::value, "{} < 0; it must not be negative", name);
}
void check_positive(const char* name, const Parameter& value) {
  if (is_somewhere(value, Op::less_equal, 0)) raise(ErrorKind::value, "{} <= 0; it must be above 0", name);
}
void check_mean(const Parameter& mean) {
  if (is_somewhere(mean, Op::less, 0) || is_somewhere(mean, Op::greater_equal, 9.2e18) || is_nan_somewhere(mean))
    raise(ErrorKind::value, "lam < 0 or lam is NaN or too large");
}
void check_probability(const Parameter& p) {
  if (is_somewhere(p, Op::less, 0) || is_somewhere(p, Op::greater, 1) || is_nan_somewhere(p))
    raise(ErrorKind::value, "p < 0, p > 1 or p is NaN; a probability is from 0 to 1");
}

// ---- draws

// Draws of one call: all of one shape, on one device.
class Draws {
 public:
  Draws(const Stream& stream, const Size& size, std::initializer_list<const Parameter*> parameters)
      : stream_(stream), device_(size.device) {
    std::vector<Shape> shapes;
    for (const Parameter* one : parameters) {
      if (!one->array) continue;
      if (shapes.empty()) device_ = one->array->device();
      shapes.push_back(one->array->shape());
    }
    const Shape together = broadcast_shapes(shapes);
    shape_ = size.shape.value_or(together);
    if (std::any_of(shape_.begin(), shape_.end(), [](int64_t n) { return n < 0; }))
      raise(ErrorKind::value, "negative dimensions are not allowed");
    if (!size.shape || shapes.empty()) return;
    shapes.push_back(shape_);
    if (together.size() > shape_.size() || broadcast_shapes(shapes) != shape_)
      raise(ErrorKind::value, "Output size {} is not compatible with broadcast dimensions of inputs {}.", to_string(shape_),
            to_string(together));
  }

  Value unit(DType type = DType::float64) const {
    return in_loop(type == DType::float32 ? Op::random_unit32 : Op::random_unit, DType::uint64, type, {Value(bits())});
  }
  Value open(DType type = DType::float64) const { return 1.0 - unit(type); }                     // in (0, 1]
  Value inside() const { return (unit() + std::ldexp(1.0, -54)) * (1 - std::ldexp(1.0, -53)); }  // in (0, 1)
  Value normal(DType type = DType::float64) const {
    return row(type == DType::float32 ? Op::random_normal32 : Op::random_normal, type);
  }
  // Of a distribution that rejects.
  Value seeded(Op op, std::initializer_list<Value> parameters) const {
    std::vector<Value> all{Value(bits())};
    all.insert(all.end(), parameters);
    return in_loop(op, DType::float64, DType::float64, all);
  }
  // One of the first `count` integers, each as likely.
  Array below(uint64_t count) const {
    Scalar end = whole(static_cast<int64_t>(count));
    end.is_natural = count >> 63, end.natural = count;
    return *in_loop(Op::random_below, DType::uint64, DType::uint64, {Value(bits())}, &end).array;
  }
  Array bits() const { return row(Op::random_bits, DType::uint64); }
  // A number as an array on the device, which computes with it.
  Value there(const Parameter& x) const {
    return x.array ? Value(x) : Value(full({}, real_number(x.number), DType::float64, device_));
  }
  Value gamma(const Value& form) const { return of_number(seeded(Op::random_gamma, {form}), form); }
  Value poisson(const Value& mean) const { return of_number(seeded(Op::random_poisson, {mean}), mean); }
  // The logarithm, which is a number where the draw itself would round to 0: gamma(a) is gamma(a + 1) times a power of a unit.
  Value log_gamma(const Value& form) const { return log(gamma(form + 1.0)) + log(open()) / form; }

 private:
  // NaN where the parameter is.
  static Value of_number(const Value& drawn, const Value& parameter) {
    if (!parameter.array) return std::isnan(parameter.number) ? drawn * parameter : drawn;
    return choice(of(Op::isnan, parameter), parameter, drawn);
  }
  Array row(Op op, DType type) const {
    auto count = static_cast<uint64_t>(Layout::contiguous(shape_).size());
    return random_row(op, shape_, stream_.key, stream_.place.fetch_add(count), type, device_);
  }
  static Value in_loop(Op op, DType type, DType result, const std::vector<Value>& values, const Scalar* last = nullptr) {
    std::vector<Argument> operands;
    for (const Value& one : values) operands.push_back(one.argument());
    if (last) operands.push_back(Argument(*last));
    return Value(elementwise(op, operands, nullptr, Loop{type, result}));
  }

  const Stream& stream_;
  DeviceId device_;
  Shape shape_;
};

Array as_whole(const Value& value) { return as_type(*value.array, DType::int64); }

}  // namespace

// ---- of one draw each

Array unit(const Stream& stream, const Size& size, RealType type) { return *Draws(stream, size, {}).unit(type.value).array; }
Array standard_normal(const Stream& stream, const Size& size, RealType type) {
  return *Draws(stream, size, {}).normal(type.value).array;
}
Array standard_exponential(const Stream& stream, const Size& size, RealType type) {
  return *(-log(Draws(stream, size, {}).open(type.value))).array;
}
Array standard_gamma(const Stream& stream, const Parameter& form, const Size& size, RealType type) {
  check_not_negative("shape", form);
  return as_type(*Draws(stream, size, {&form}).gamma(form).array, type.value);
}
Array standard_cauchy(const Stream& stream, const Size& size) {
  return *of(Op::tan, (Draws(stream, size, {}).unit() - 0.5) * std::numbers::pi).array;
}

Array uniform(const Stream& stream, const Parameter& low, const Parameter& high, const Size& size, RealType type) {
  Draws draws(stream, size, {&low, &high});
  Value range = Value(high) - Value(low);
  const bool is_finite = range.array ? !is_true_somewhere(compute(Op::logical_not, compute(Op::isfinite, *range.array)))
                                     : std::isfinite(range.number);
  if (!is_finite) raise(ErrorKind::overflow, "Range exceeds valid bounds; it must be finite");
  return as_type(*(draws.unit(type.value) * range + low).array, type.value);
}

Array uniform_in_order(const Stream& stream, const Parameter& low, const Parameter& high, const Size& size, RealType type) {
  if (is_somewhere(Value(high) - Value(low), Op::less, 0)) raise(ErrorKind::value, "high - low < 0");
  return uniform(stream, low, high, size, type);
}

Array normal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size, RealType type) {
  check_not_negative("scale", deviation);
  return as_type(*(Draws(stream, size, {&mean, &deviation}).normal(type.value) * deviation + mean).array, type.value);
}

Array exponential(const Stream& stream, const Parameter& scale, const Size& size, RealType type) {
  check_not_negative("scale", scale);
  return as_type(*(-log(Draws(stream, size, {&scale}).open(type.value)) * scale).array, type.value);
}

Array lognormal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size) {
  check_not_negative("sigma", deviation);
  return *of(Op::exp, Draws(stream, size, {&mean, &deviation}).normal() * deviation + mean).array;
}

Array laplace(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  Value u = Draws(stream, size, {&mean, &scale}).inside();
  return *(choice(of(Op::less, u, 0.5), log(2.0 * u), -log(2.0 * (1.0 - u))) * scale + mean).array;
}

Array logistic(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  Value u = Draws(stream, size, {&mean, &scale}).inside();
  return *(log(u / (1.0 - u)) * scale + mean).array;
}

Array gumbel(const Stream& stream, const Parameter& mode, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  return *(Value(mode) - log(-log(Draws(stream, size, {&mode, &scale}).inside())) * scale).array;
}

Array rayleigh(const Stream& stream, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  return *(sqrt(-2.0 * log(Draws(stream, size, {&scale}).open())) * scale).array;
}

Array weibull(const Stream& stream, const Parameter& form, const Size& size) {
  check_not_negative("a", form);
  return *of(Op::power, -log(Draws(stream, size, {&form}).open()), 1.0 / Value(form)).array;
}

Array pareto(const Stream& stream, const Parameter& form, const Size& size) {
  check_positive("a", form);
  return *(of(Op::exp, -log(Draws(stream, size, {&form}).open()) / form) - 1.0).array;
}

Array power(const Stream& stream, const Parameter& form, const Size& size) {
  check_positive("a", form);
  return *of(Op::power, Draws(stream, size, {&form}).open(), 1.0 / Value(form)).array;
}

Array triangular(const Stream& stream, const Parameter& left, const Parameter& mode, const Parameter& right, const Size& size) {
  Draws draws(stream, size, {&left, &mode, &right});
  if (is_somewhere(Value(left) - mode, Op::greater, 0)) raise(ErrorKind::value, "left > mode");
  if (is_somewhere(Value(mode) - right, Op::greater, 0)) raise(ErrorKind::value, "mode > right");
  Value whole = Value(right) - left, low = Value(mode) - left;
  if (is_somewhere(whole, Op::less_equal, 0)) raise(ErrorKind::value, "left == right");
  Value u = draws.unit();
  Value below = Value(left) + sqrt(u * whole * low), above = Value(right) - sqrt((1.0 - u) * whole * (Value(right) - mode));
  return *choice(of(Op::less_equal, u, low / whole), below, above).array;
}

Array wald(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size) {
  check_positive("mean", mean);
  check_positive("scale", scale);
  Draws draws(stream, size, {&mean, &scale});
  Value y = draws.normal(), m = mean, half = m * y * y / (2.0 * Value(scale));
  Value x = m / (1.0 + half + sqrt(half * (half + 2.0)));  // the difference in the usual formula loses digits
  return *choice(of(Op::greater, draws.unit(), m / (m + x)), m * m / x, x).array;
}

// ---- by rejection

// Gamma numbers of smaller forms may round to 0.
constexpr double least_form = 0.1;

Array gamma(const Stream& stream, const Parameter& form, const Parameter& scale, const Size& size) {
  check_not_negative("shape", form);
  check_not_negative("scale", scale);
  return *(Draws(stream, size, {&form, &scale}).gamma(form) * scale).array;
}

Array beta(const Stream& stream, const Parameter& a, const Parameter& b, const Size& size) {
  check_positive("a", a);
  check_positive("b", b);
  Draws draws(stream, size, {&a, &b});
  if (is_somewhere(a, Op::less, least_form) && is_somewhere(b, Op::less, least_form)) {
    Value first = draws.log_gamma(a), second = draws.log_gamma(b);
    return *(1.0 / (of(Op::exp, second - first) + 1.0)).array;
  }
  Value first = draws.gamma(a), second = draws.gamma(b);
  return *(first / (first + second)).array;
}

Array dirichlet(const Stream& stream, const Parameter& alpha, const Size& size) {
  if (!alpha.array) raise(ErrorKind::type, "alpha must be a one-dimensional sequence, not a number");
  if (alpha.array->rank() != 1) raise(ErrorKind::value, "alpha must be a one-dimensional sequence");
  if (is_somewhere(alpha, Op::less, 0)) raise(ErrorKind::value, "alpha < 0");
  const int64_t count = alpha.array->size();
  Size all = size;
  all.shape = size.shape.value_or(Shape{});
  all.shape->push_back(count);
  Draws draws(stream, all, {&alpha});
  if (count == 0 || !is_somewhere(alpha, Op::less, least_form)) {
    Array drawn = *draws.gamma(alpha).array;
    return compute(Op::true_divide, drawn, reduced(Reduction::sum, drawn, -1, true));
  }
  Array logs = *draws.log_gamma(alpha).array;
  const Array top = reduced(Reduction::maximum, logs, -1, true);
  Array drawn = compute(Op::exp, compute(Op::subtract, logs, compute(Op::where, compute(Op::isinf, top), 0.0, top)));
  const Array sums = reduced(Reduction::sum, drawn, -1, true);  // 0 where all of alpha are
  return compute(Op::true_divide, drawn, compute(Op::where, compute(Op::equal, sums, 0.0), 1.0, sums));
}

Array dirichlet_above_zero(const Stream& stream, const Parameter& alpha, const Size& size) {
  if (is_somewhere(alpha, Op::less_equal, 0)) raise(ErrorKind::value, "alpha <= 0");
  return dirichlet(stream, alpha, size);
}

Array chisquare(const Stream& stream, const Parameter& df, const Size& size) {
  check_positive("df", df);
  return *(Draws(stream, size, {&df}).gamma(Value(df) / 2.0) * 2.0).array;
}

static Value noncentral(const Draws& draws, const Value& df, const Value& nonc) {
  Value more = draws.poisson(nonc / 2.0);
  return draws.gamma(df / 2.0 + more) * 2.0;
}

Array noncentral_chisquare(const Stream& stream, const Parameter& df, const Parameter& nonc, const Size& size) {
  check_positive("df", df);
  check_not_negative("nonc", nonc);
  return *noncentral(Draws(stream, size, {&df, &nonc}), df, nonc).array;
}

Array f(const Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Size& size) {
  check_positive("dfnum", dfnum);
  check_positive("dfden", dfden);
  Draws draws(stream, size, {&dfnum, &dfden});
  Value above = draws.gamma(Value(dfnum) / 2.0) * dfden, below = draws.gamma(Value(dfden) / 2.0) * dfnum;
  return *(above / below).array;
}

Array noncentral_f(const Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Parameter& nonc,
                   const Size& size) {
  check_positive("dfnum", dfnum);
  check_positive("dfden", dfden);
  check_not_negative("nonc", nonc);
  Draws draws(stream, size, {&dfnum, &dfden, &nonc});
  Value above = noncentral(draws, dfnum, nonc) / dfnum;
  return *(above / (draws.gamma(Value(dfden) / 2.0) * 2.0 / dfden)).array;
}

Array standard_t(const Stream& stream, const Parameter& df, const Size& size) {
  check_positive("df", df);
  Draws draws(stream, size, {&df});
  Value above = draws.normal();
  return *(above / sqrt(draws.gamma(Value(df) / 2.0) * 2.0 / df)).array;
}

// ---- of integers

Array poisson(const Stream& stream, const Parameter& mean, const Size& size) {
  check_mean(mean);
  return as_whole(Draws(stream, size, {&mean}).poisson(mean));
}

Array binomial(const Stream& stream, const Parameter& given, const Parameter& p, const Size& size) {
  if (is_nan_somewhere(given)) raise(ErrorKind::value, "cannot convert float NaN to integer");
  const Parameter n{std::trunc(given.number), given.array};  // an array has integers
  check_not_negative("n", n);
  check_probability(p);
  return as_whole(Draws(stream, size, {&n, &p}).seeded(Op::random_binomial, {n, p}));
}

Array negative_binomial(const Stream& stream, const Parameter& n, const Parameter& p, const Size& size) {
  if (is_nan_somewhere(n)) raise(ErrorKind::value, "n must not be NaN");
  check_positive("n", n);
  if (is_somewhere(p, Op::less_equal, 0) || is_somewhere(p, Op::greater, 1) || is_nan_somewhere(p))
    raise(ErrorKind::value, "p <= 0, p > 1 or p contains NaNs");
  const Value largest = (1.0 - Value(p)) / p * (Value(n) + 10.0 * sqrt(n));  // of the means below
  if (is_somewhere(largest, Op::greater, 9.2e18))
    raise(ErrorKind::value, "n too large or p too small, see Generator.negative_binomial Notes");
  Draws draws(stream, size, {&n, &p});
  Value mean = draws.gamma(n) * ((1.0 - Value(p)) / p);
  return as_whole(draws.poisson(mean));
}

Array geometric(const Stream& stream, const Parameter& p, const Size& size) {
  if (is_somewhere(p, Op::less_equal, 0) || is_somewhere(p, Op::greater, 1) || is_nan_somewhere(p))
    raise(ErrorKind::value, "p <= 0, p > 1 or p contains NaNs");
  Draws draws(stream, size, {&p});
  Value fails = of(Op::log1p, -draws.there(p));
  return as_whole(of(Op::maximum, of(Op::ceil, log(draws.open()) / fails), 1.0));
}

Array logseries(const Stream& stream, const Parameter& p, const Size& size) {
  if (is_somewhere(p, Op::less, 0) || is_somewhere(p, Op::greater_equal, 1) || is_nan_somewhere(p))
    raise(ErrorKind::value, "p < 0, p >= 1 or p is NaN");
  Draws draws(stream, size, {&p});
  Value rest = of(Op::log1p, -draws.there(p));
  Value q = -of(Op::expm1, rest * draws.inside()), v = draws.inside();
  Value many = of(Op::maximum, of(Op::floor, 1.0 + log(v) / log(q)), 1.0);
  Value few = choice(of(Op::greater_equal, v, q), 1.0, 2.0);
  return as_whole(choice(of(Op::greater_equal, v, p), 1.0, choice(of(Op::less_equal, v, q * q), many, few)));
}

// ---- in the type of a tensor

namespace {

using Draw = Value (Draws::*)(DType type) const;

void check_inexact(const char* name, DType type) {
  if (!is_complex(type) && row(type).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", name, torch_name_of(type));
}

// What 16 bits are computed in: rounded at once, a number from [0, 1) may be 1.
DType working_type(DType type) { return type == DType::float16 || type == DType::bfloat16 ? DType::float32 : type; }

Array drawn_as(const Draws& draws, Draw draw, DType type) {
  if (!is_complex(type)) {
    Array made = *(draws.*draw)(type == DType::float64 ? type : DType::float32).array;
    if (draw == &Draws::unit && working_type(type) != type) {  // as many bits as the type has below 1, and no rounding up
      const double steps = type == DType::float16 ? 2048 : 256;
      made = compute(Op::true_divide, compute(Op::floor, compute(Op::multiply, made, steps)), steps);
    }
    return as_type(made, type);
  }
  const DType real = type == DType::complex128 ? DType::float64 : DType::float32;
  Scalar unit = real_number(0);
  unit.kind = WeakScalar::complex, unit.im = 1;
  Array first = *(draws.*draw)(real).array, second = *(draws.*draw)(real).array;
  Array made = compute(Op::add, first, compute(Op::multiply, second, unit));
  return draw == &Draws::normal ? compute(Op::true_divide, made, std::numbers::sqrt2) : made;
}

Array of_size(const Stream& stream, const Shape& shape, std::optional<DType> type, DeviceId device, const char* name, Draw draw) {
  const DType wanted = type.value_or(torch_default());
  check_inexact(name, wanted);
  int64_t count = 1;
  for (int64_t n : shape) {
    if (n < 0) raise(ErrorKind::runtime, "Trying to create tensor with negative dimension {}: {}", n, in_brackets(shape));
    if (__builtin_mul_overflow(count, n, &count) || count >= int64_t{1} << 46)
      raise(ErrorKind::runtime, "[enforce fail] there is no memory for a tensor of size {}", in_brackets(shape));
  }
  return drawn_as(Draws(stream, {shape, device}, {}), draw, wanted);
}

Array values_for(const Array& tensor, const Stream& stream, Draw draw, std::optional<DType> type = {}) {
  return drawn_as(Draws(stream, {tensor.shape(), tensor.device()}, {}), draw, type.value_or(tensor.dtype()));
}

}  // namespace

Array unit_of_size(const Stream& stream, const Shape& shape, std::optional<DType> type, DeviceId device) {
  return of_size(stream, shape, type, device, "rand", &Draws::unit);
}
Array normal_of_size(const Stream& stream, const Shape& shape, std::optional<DType> type, DeviceId device) {
  return of_size(stream, shape, type, device, "randn", &Draws::normal);
}

namespace {

// Made in the order in which the elements lie in memory.
template <class Make>
Array laid_out_like(const Array& like, const MakingLike& to, Make&& make) {
  const Shape& shape = to.shape ? *to.shape : like.shape();
  const std::vector<size_t> axes = to.shape ? std::vector<size_t>() : axes_in_memory(like, to.how);
  if (axes.empty()) return make(shape);
  Shape turned;
  std::vector<int> back(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    turned.push_back(shape[axes[i]]);
    back[axes[i]] = static_cast<int>(i);
  }
  return transposed(make(turned), back);
}

// The least and the greatest integer that a type holds with all between them.
std::pair<int64_t, uint64_t> range_of(DType type) {
  if (type == DType::boolean) return {0, 1};
  const size_t bits = 8 * size_of(type);
  switch (row(type).kind) {
    case DTypeKind::integer:
      return {std::numeric_limits<int64_t>::min() >> (64 - bits), std::numeric_limits<int64_t>::max() >> (64 - bits)};
    case DTypeKind::natural:
      return {0, std::numeric_limits<uint64_t>::max() >> (64 - bits)};
    default: {
      const int digits = type == DType::float64 ? 53 : type == DType::float32 ? 24 : type == DType::float16 ? 11 : 8;
      return {-(int64_t{1} << digits), uint64_t{1} << digits};
    }
  }
}

void check_bounds(const Bounds& bounds, DType type) {
  if (is_complex(type)) raise(ErrorKind::runtime, "check_random_bounds handles only integral, floating-point and boolean types");
  const auto [least, most] = range_of(type);
  const int64_t last = static_cast<int64_t>(static_cast<uint64_t>(bounds.low) + bounds.count - 1);
  if (bounds.low < least) raise(ErrorKind::runtime, "from is out of bounds for {}", row(type).name);
  const bool is_beyond = last < bounds.low ? most <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                                           : last >= 0 && static_cast<uint64_t>(last) > most;
  if (is_beyond) raise(ErrorKind::runtime, "to - 1 is out of bounds for {}", row(type).name);
}

Array integers_in(const Stream& stream, const Bounds& bounds, const Shape& shape, DType type, DeviceId device) {
  check_bounds(bounds, type);
  const Array made = as_type(Draws(stream, {shape, device}, {}).below(bounds.count), DType::int64);
  return as_type(bounds.low ? compute(Op::add, made, bounds.low) : made, type);
}

}  // namespace

Array unit_like(const Array& like, const MakingLike& to, const Stream& stream) {
  const DType type = to.how.dtype.value_or(like.dtype());
  return laid_out_like(like, to, [&](const Shape& shape) { return unit_of_size(stream, shape, type, to.how.device); });
}
Array normal_like(const Array& like, const MakingLike& to, const Stream& stream) {
  const DType type = to.how.dtype.value_or(like.dtype());
  return laid_out_like(like, to, [&](const Shape& shape) { return normal_of_size(stream, shape, type, to.how.device); });
}
Array integers_of_size(const Stream& stream, const Bounds& bounds, const Shape& shape, const Making& how) {
  return integers_in(stream, bounds, shape, how.dtype.value_or(DType::int64), how.device);
}
Array integers_like(const Array& like, const Bounds& bounds, const MakingLike& to, const Stream& stream) {
  const DType type = to.how.dtype.value_or(like.dtype());
  return laid_out_like(like, to, [&](const Shape& shape) { return integers_in(stream, bounds, shape, type, to.how.device); });
}
Array permutation(const Stream& stream, int64_t count, const Making& how) {
  const DType type = how.dtype.value_or(DType::int64);
  if (!is_complex(type) && count > 0 && static_cast<uint64_t>(count - 1) > range_of(type).second)
    raise(ErrorKind::runtime, "n is too large for result tensor type: '{}'", row(type).name);
  const Array keys = Draws(stream, {Shape{count}, how.device}, {}).bits();
  return as_type(count > 0 ? ordered_places(keys, false, 0) : keys, type);
}

Array uniform_for(const Rules& rules, const Array& tensor, double low, double high, const Stream& stream) {
  check_inexact("check_uniform_bounds", tensor.dtype());
  if (low > high)
    raise(ErrorKind::runtime, "uniform_ expects to return a [from, to) range, but found from={:g} > to={:g}", low, high);
  if (!std::isfinite(high - low))
    raise(ErrorKind::runtime, "uniform_ expects to-from <= std::numeric_limits<scalar_t>::max(), but found to={:g} and from={:g}",
          high, low);
  Array made = rules(Op::add, rules(Op::multiply, values_for(tensor, stream, &Draws::unit), high - low), low);
  if (is_complex(tensor.dtype())) return made;
  return rules(Op::where, rules(Op::less, made, high), made, low);  // it may be rounded up to `high`
}

Array normal_for(const Rules& rules, const Array& tensor, double mean, double deviation, const Stream& stream) {
  check_inexact("normal_", tensor.dtype());
  if (!(deviation >= 0)) raise(ErrorKind::runtime, "normal expects std >= 0.0, but found std {:g}", deviation);
  Array made = values_for(tensor, stream, &Draws::normal);
  return mean == 0 && deviation == 1 ? made : rules(Op::add, rules(Op::multiply, made, deviation), mean);
}

Array exponential_for(const Rules& rules, const Array& tensor, double rate, const Stream& stream) {
  check_inexact("exponential", tensor.dtype());
  if (is_complex(tensor.dtype()))
    raise(ErrorKind::runtime,
          "Exponential distribution is a continuous probability distribution. dtype must be a floating point");
  if (!(rate > 0)) raise(ErrorKind::runtime, "exponential_ expects lambda > 0.0, but found lambda={:g}", rate);
  const DType type = working_type(tensor.dtype());
  Array open = rules(Op::subtract, 1, values_for(tensor, stream, &Draws::unit, type));
  const double least = type == DType::float64 ? 0x1p-53 : 0x1p-24;  // never 0, whose logarithm programs take
  Array made = rules(Op::maximum, rules(Op::negative, rules(Op::log, open)), least);
  return as_type(rules(Op::true_divide, made, rate), tensor.dtype());
}

Array cauchy_for(const Rules& rules, const Array& tensor, double median, double sigma, const Stream& stream) {
  check_inexact("cauchy", tensor.dtype());
  if (!(sigma > 0)) raise(ErrorKind::runtime, "cauchy_ expects sigma > 0.0, but found sigma={:g}", sigma);
  Array middle = rules(Op::subtract, values_for(tensor, stream, &Draws::unit), 0.5);
  return rules(Op::add, median, rules(Op::multiply, sigma, rules(Op::tan, rules(Op::multiply, std::numbers::pi, middle))));
}

Array lognormal_for(const Rules& rules, const Array& tensor, double mean, double deviation, const Stream& stream) {
  check_inexact("log_normal", tensor.dtype());
  if (!(deviation > 0)) raise(ErrorKind::runtime, "log_normal_ expects std > 0.0, but found std={:g}", deviation);
  Array made = values_for(tensor, stream, &Draws::normal);
  return rules(Op::exp, rules(Op::add, rules(Op::multiply, made, deviation), mean));
}

Array geometric_for(const Rules& rules, const Array& tensor, double p, const Stream& stream) {
  if (!(p > 0 && p < 1)) raise(ErrorKind::runtime, "geometric_ expects p to be in (0, 1), but got p={:g}", p);
  const DType type = steps::is_whole(tensor.dtype()) ? DType::float32 : working_type(tensor.dtype());
  Array open = rules(Op::subtract, 1, values_for(tensor, stream, &Draws::unit, type));
  Array tries = rules(Op::ceil, rules(Op::true_divide, rules(Op::log, open), std::log1p(-p)));
  return as_type(rules(Op::maximum, tries, 1), tensor.dtype());
}

Array integers_for(const Array& tensor, const Bounds& bounds, const Stream& stream) {
  if (is_complex(tensor.dtype()))
    raise(ErrorKind::not_implemented, "\"random_\" not implemented for '{}'", torch_name_of(tensor.dtype()));
  Bounds wanted = bounds;
  if (bounds.are_all) {
    const bool is_real = row(tensor.dtype()).kind == DTypeKind::real;
    const uint64_t most = range_of(tensor.dtype()).second;
    wanted.count = is_real ? most : std::min(most, static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) + 1;
  }
  return integers_in(stream, wanted, tensor.shape(), tensor.dtype(), tensor.device());
}

// ---- of tensors of parameters

namespace {

double real_of(const Scalar& number) { return number.kind == WeakScalar::real ? number.re : static_cast<double>(number.integer); }

void check_deviation(double deviation) {
  if (!(deviation >= 0)) raise(ErrorKind::runtime, "normal expects std >= 0.0, but found std {:g}", deviation);
}

// For whoever may see it only where all values are within limits.
Array unless_beyond(const Array& made, const Array& values, double low, double high, const char* text) {
  std::optional<Array> are_within = unless_known_within(values, low, high);
  return are_within ? unless_refused(made, *are_within, {ErrorKind::runtime, {text}}) : made;
}

// True with that probability, for each element of a tensor of `like`.
Array are_hits(const Rules& rules, const Array& like, const Argument& given, const Stream& stream) {
  const auto units = [&] { return *Draws(stream, {like.shape(), like.device()}, {}).unit(DType::float32).array; };
  if (!given.array()) {
    const double p = real_of(given.scalar());
    if (!(p >= 0 && p <= 1)) raise(ErrorKind::runtime, "bernoulli_ expects p to be in [0, 1], but got p={:g}", p);
    return rules(Op::less, units(), p);
  }
  const Array p = detached(*given.array());
  if (row(p.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"bernoulli_tensor_cpu_p_\" not implemented for '{}'", torch_name_of(p.dtype()));
  return unless_beyond(rules(Op::less, units(), p), p, 0, 1, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
}

// What is drawn, which has a gradient of 0 where the tensor wants one.
Array without_slope(const Array& made, const Array& tensor) {
  if (!wants_gradient(tensor)) return made;
  const Array none = part(reshaped(tensor, {tensor.size()}, Order::c), 0, 0, 0);
  return compute(Op::add, made, as_type(reduced(Reduction::sum, none, 0, false), made.dtype()));
}

// The least number above 0 and the greatest one of a type of real numbers.
std::pair<double, double> limits_of(DType type) {
  switch (type) {
    case DType::float16:
      return {0x1p-24, 65504};
    case DType::bfloat16:
      return {0x1p-133, 0x1.fep127};
    case DType::float32:
      return {std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()};
    default:
      return {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
  }
}

// For whoever may see it only where each row of weights is a distribution's.
Array unless_no_distribution(const Array& made, const Array& weights, bool is_drawn_again) {
  const auto [least, most] = limits_of(weights.dtype());
  std::optional<Array> are_finite = unless_known_within(weights, 0, most);
  std::optional<Array> are_filled = unless_known_within(reduced(Reduction::sum, weights, -1, false), least, most);
  if (!are_finite && !are_filled) return made;
  std::vector<std::string> texts = {"invalid multinomial distribution (sum of probabilities <= 0)"};
  if (is_drawn_again) {
    texts.push_back("invalid multinomial distribution (encountering probability entry < 0)");
    texts.push_back("invalid multinomial distribution (encountering probability entry = infinity or NaN)");
  } else {
    texts.push_back("probability tensor contains either `inf`, `nan` or element < 0");
  }
  const auto over_all = [](Reduction reduction, const Array& a) {
    return reduce(reduction, a, std::vector<bool>(a.rank(), true), false);
  };
  const Array are_above = over_all(Reduction::all, compute(Op::greater_equal, weights, 0));
  const Array is_infinite = over_all(Reduction::any, compute(Op::equal, weights, std::numeric_limits<double>::infinity()));
  const Array sums = are_filled ? compute(Op::where, *are_filled, 0, -1) : full({}, whole(0), DType::int64, weights.device());
  const Array codes = compute(Op::where, are_above, compute(Op::where, is_infinite, 2, sums), 1);
  return unless_refused(made, as_type(codes, DType::int64), {ErrorKind::runtime, texts, 0, 1, 0});
}

void check_weights(const Array& weights, int64_t count, bool replaces) {
  if (weights.rank() != 1 && weights.rank() != 2) raise(ErrorKind::runtime, "prob_dist must be 1 or 2 dim");
  if (row(weights.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::runtime, "multinomial only supports floating-point dtypes for input, got: {}",
          torch_name_of(weights.dtype()));
  if (count <= 0) raise(ErrorKind::runtime, "cannot sample n_sample <= 0 samples");
  if (!replaces && count > last_size(weights))
    raise(ErrorKind::runtime, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  if (replaces && last_size(weights) == 0) raise(ErrorKind::runtime, "cannot sample from prob_dist without categories");
}

}  // namespace

Array trials_for(const Rules& rules, const Array& tensor, const Argument& p, const Stream& stream) {
  return as_type(are_hits(rules, tensor, p, stream), tensor.dtype());
}

Array trials(const Rules& rules, const Array& tensor, std::optional<double> p, const Stream& stream) {
  const Argument odds = p ? Argument(real_number(*p)) : Argument(tensor);
  return without_slope(as_type(are_hits(rules, tensor, odds, stream), tensor.dtype()), tensor);
}

Array normal_of_numbers(const Stream& stream, double mean, double deviation, const Shape& shape, std::optional<DType> type,
                        DeviceId device) {
  check_deviation(deviation);
  const Array made = of_size(stream, shape, type, device, "normal", &Draws::normal);
  return compute(Op::add, compute(Op::multiply, made, deviation), mean);
}

Array normal_around(const Rules& rules, const Argument& mean, const Argument& deviation, const Stream& stream) {
  if (!deviation.array()) check_deviation(real_of(deviation.scalar()));
  const Array& first = mean.array() ? *mean.array() : *deviation.array();
  std::vector<Shape> shapes;
  for (const Argument* one : {&mean, &deviation})
    if (one->array()) shapes.push_back(one->array()->shape());
  const Draws draws(stream, {broadcast_shapes(shapes), first.device()}, {});
  check_inexact("normal", first.dtype());
  const Array made = rules(Op::add, mean, rules(Op::multiply, deviation, drawn_as(draws, &Draws::normal, first.dtype())));
  if (const Array* values = deviation.array())
    return unless_beyond(made, *values, 0, std::numeric_limits<double>::infinity(), "normal expects all elements of std >= 0.0");
  return made;
}

Array poisson_around(const Array& rates, const Stream& stream) {
  if (row(rates.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"poisson_cpu\" not implemented for '{}'", torch_name_of(rates.dtype()));
  const Array means = detached(rates);
  const Draws draws(stream, {means.shape(), means.device()}, {});
  const Array made = *draws.seeded(Op::random_poisson, {Value(as_type(means, DType::float64))}).array;
  return unless_beyond(as_type(made, means.dtype()), means, 0, std::numeric_limits<double>::infinity(),
                       "invalid Poisson rate, expected rate to be non-negative");
}

Array places_by_weight(const Rules& rules, const Array& given, int64_t count, bool replaces, const Stream& stream) {
  check_weights(given, count, replaces);
  const Array weights = detached(given), wide = as_type(weights, DType::float64);
  if (!replaces) {  // those with the largest of random keys (Efraimidis, 2006)
    const Value units = Draws(stream, {weights.shape(), weights.device()}, {}).open();
    const Array waits = compute(Op::true_divide, *(-log(units)).array, wide);
    const double never = std::numeric_limits<double>::infinity();
    const Array keys = compute(Op::where, compute(Op::greater, weights, 0), waits, never);
    const Array picked = part(ordered_places(keys, false, keys.rank() - 1), -1, 0, count);
    return unless_no_distribution(copied(picked, picked.dtype()), weights, false);
  }
  const size_t last = weights.rank() - 1;
  const Array ends = accumulated(wide, "add", last, {}).value_or(wide);
  Shape shape = weights.shape();
  shape[last] = count;
  const Array units = *Draws(stream, {shape, weights.device()}, {}).unit(DType::float64).array;
  const Array at = compute(Op::multiply, units, part(ends, -1, last_size(ends) - 1, last_size(ends)));
  const Array is_passed = compute(Op::less_equal, with_axis(ends, last), with_axis(at, last + 1));
  const Array places = reduced(Reduction::sum, is_passed, -1, false, DType::int64);
  return unless_no_distribution(rules(Op::minimum, places, last_size(ends) - 1), weights, count > 1);
}

}  // namespace quern::random
