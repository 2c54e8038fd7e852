#include "functions/distributions.h"

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "functions/draws.h"

namespace quern::random {

using namespace steps;

namespace {

void check_mean(const Parameter& mean) {
  if (is_somewhere(mean, Op::less, 0) || is_somewhere(mean, Op::greater_equal, 9.2e18) || is_nan_somewhere(mean))
    raise(ErrorKind::value, "lam < 0 or lam is NaN or too large");
}
void check_probability(const Parameter& p) {
  if (is_somewhere(p, Op::less, 0) || is_somewhere(p, Op::greater, 1) || is_nan_somewhere(p))
    raise(ErrorKind::value, "p < 0, p > 1 or p is NaN; a probability is from 0 to 1");
}

}  // namespace

// ---- of one draw each

Array unit(const Stream& stream, const Size& size) { return as_asked(Draws(stream, size, {}).unit(size.real()), size); }
Array standard_normal(const Stream& stream, const Size& size) {
  return as_asked(Draws(stream, size, {}).normal(size.real()), size);
}
Array standard_exponential(const Stream& stream, const Size& size) {
  return as_asked(-log(Draws(stream, size, {}).open(size.real())), size);
}
Array standard_gamma(const Stream& stream, const Parameter& form, const Size& size) {
  check_not_negative("shape", form);
  return as_asked(Draws(stream, size, {&form}).gamma(form), size);
}
Array standard_cauchy(const Stream& stream, const Size& size) {
  return as_asked(of(Op::tan, (Draws(stream, size, {}).unit() - 0.5) * std::numbers::pi), size);
}

Array uniform(const Stream& stream, const Parameter& low, const Parameter& high, const Size& size) {
  Draws draws(stream, size, {&low, &high});
  Value range = Value(high) - Value(low);
  const bool is_finite = range.array ? !is_true_somewhere(logical_not(isfinite(*range.array))) : std::isfinite(range.number);
  if (!is_finite) raise(ErrorKind::overflow, "Range exceeds valid bounds; it must be finite");
  return as_asked(draws.unit(size.real()) * range + low, size);
}

Array uniform_in_order(const Stream& stream, const Parameter& low, const Parameter& high, const Size& size) {
  if (is_somewhere(Value(high) - Value(low), Op::less, 0)) raise(ErrorKind::value, "high - low < 0");
  return uniform(stream, low, high, size);
}

Array normal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size) {
  check_not_negative("scale", deviation);
  return as_asked(Draws(stream, size, {&mean, &deviation}).normal(size.real()) * deviation + mean, size);
}

Array exponential(const Stream& stream, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  return as_asked(-log(Draws(stream, size, {&scale}).open(size.real())) * scale, size);
}

Array lognormal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size) {
  check_not_negative("sigma", deviation);
  return as_asked(of(Op::exp, Draws(stream, size, {&mean, &deviation}).normal() * deviation + mean), size);
}

Array laplace(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  Value u = Draws(stream, size, {&mean, &scale}).inside();
  return as_asked(where(of(Op::less, u, 0.5), log(2.0 * u), -log(2.0 * (1.0 - u))) * scale + mean, size);
}

Array logistic(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  Value u = Draws(stream, size, {&mean, &scale}).inside();
  return as_asked(log(u / (1.0 - u)) * scale + mean, size);
}

Array gumbel(const Stream& stream, const Parameter& mode, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  return as_asked(Value(mode) - log(-log(Draws(stream, size, {&mode, &scale}).inside())) * scale, size);
}

Array rayleigh(const Stream& stream, const Parameter& scale, const Size& size) {
  check_not_negative("scale", scale);
  return as_asked(sqrt(-2.0 * log(Draws(stream, size, {&scale}).open())) * scale, size);
}

Array weibull(const Stream& stream, const Parameter& form, const Size& size) {
  check_not_negative("a", form);
  return as_asked(of(Op::power, -log(Draws(stream, size, {&form}).open()), 1.0 / Value(form)), size);
}

Array pareto(const Stream& stream, const Parameter& form, const Size& size) {
  check_positive("a", form);
  return as_asked(of(Op::exp, -log(Draws(stream, size, {&form}).open()) / form) - 1.0, size);
}

Array power(const Stream& stream, const Parameter& form, const Size& size) {
  check_positive("a", form);
  return as_asked(of(Op::power, Draws(stream, size, {&form}).open(), 1.0 / Value(form)), size);
}

Array triangular(const Stream& stream, const Parameter& left, const Parameter& mode, const Parameter& right, const Size& size) {
  Draws draws(stream, size, {&left, &mode, &right});
  if (is_somewhere(Value(left) - mode, Op::greater, 0)) raise(ErrorKind::value, "left > mode");
  if (is_somewhere(Value(mode) - right, Op::greater, 0)) raise(ErrorKind::value, "mode > right");
  Value whole = Value(right) - left, low = Value(mode) - left;
  if (is_somewhere(whole, Op::less_equal, 0)) raise(ErrorKind::value, "left == right");
  Value u = draws.unit();
  Value below = Value(left) + sqrt(u * whole * low), above = Value(right) - sqrt((1.0 - u) * whole * (Value(right) - mode));
  return as_asked(where(of(Op::less_equal, u, low / whole), below, above), size);
}

Array wald(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size) {
  check_positive("mean", mean);
  check_positive("scale", scale);
  Draws draws(stream, size, {&mean, &scale});
  Value y = draws.normal(), m = mean, half = m * y * y / (2.0 * Value(scale));
  Value x = m / (1.0 + half + sqrt(half * (half + 2.0)));  // the difference in the usual formula loses digits
  return as_asked(where(of(Op::greater, draws.unit(), m / (m + x)), m * m / x, x), size);
}

Array vonmises(const Stream& stream, const Parameter& mu, const Parameter& kappa, const Size& size) {
  check_not_negative("kappa", kappa);
  const Draws draws(stream, size, {&mu, &kappa});
  const double pi = std::numbers::pi;
  const Value k = draws.there(kappa);
  // Around 1e-5 the general way loses all its digits; the distribution is uniform there. Beyond 1e10 it is normal.
  const Value is_wide = of(Op::less, k, 1e-5), safe = of(Op::minimum, of(Op::maximum, k, 1e-5), 1e10);
  const Value r = 1.0 + sqrt(1.0 + 4.0 * safe * safe), rho = (r - sqrt(2.0 * r)) / (2.0 * safe);
  const Value s = (1.0 + rho * rho) / (2.0 * rho);
  Value angle = draws.by_rejection(3, [&](const std::vector<Value>& u) {
    const Value z = of(Op::cos, pi * u[0]), w = (1.0 + s * z) / (s + z), y = safe * (s - w);
    const Value is_quick = of(Op::greater_equal, y * (2.0 - y) - u[1], 0.0);
    const Value is_good = of(Op::logical_or, is_quick, of(Op::greater_equal, log(y / u[1]) + 1.0 - y, 0.0));
    const Value size = of(Op::arccos, of(Op::minimum, of(Op::maximum, w, -1.0), 1.0));
    const Value turned = where(of(Op::less, u[2], 0.5), -size, size);
    const Value is_done = of(Op::logical_or, is_wide, of(Op::isnan, k));
    return std::pair(where(is_wide, (2.0 * u[2] - 1.0) * pi, turned), of(Op::logical_or, is_good, is_done));
  });
  if (is_somewhere(kappa, Op::greater, 1e10)) angle = where(of(Op::greater, k, 1e10), draws.normal() / sqrt(k), angle);
  angle = angle + mu;
  return as_asked(angle - 2.0 * pi * of(Op::floor, (angle + pi) / (2.0 * pi)), size);
}

// ---- by rejection

// Gamma numbers of smaller forms may round to 0.
constexpr double least_form = 0.1;

Array gamma(const Stream& stream, const Parameter& form, const Parameter& scale, const Size& size) {
  check_not_negative("shape", form);
  check_not_negative("scale", scale);
  return as_asked(Draws(stream, size, {&form, &scale}).gamma(form) * scale, size);
}

Array beta(const Stream& stream, const Parameter& a, const Parameter& b, const Size& size) {
  check_positive("a", a);
  check_positive("b", b);
  Draws draws(stream, size, {&a, &b});
  if (is_somewhere(a, Op::less, least_form) && is_somewhere(b, Op::less, least_form)) {
    Value first = draws.log_gamma(a), second = draws.log_gamma(b);
    return as_asked(1.0 / (of(Op::exp, second - first) + 1.0), size);
  }
  Value first = draws.gamma(a), second = draws.gamma(b);
  return as_asked(first / (first + second), size);
}

Array dirichlet(const Stream& stream, const Parameter& alpha, const Size& size) {
  if (!alpha.array) raise(ErrorKind::type, "alpha must be a one-dimensional sequence, not a scalar");
  if (alpha.array->rank() != 1) raise(ErrorKind::value, "alpha must be a one-dimensional sequence");
  if (is_somewhere(alpha, Op::less, 0)) raise(ErrorKind::value, "alpha < 0");
  const int64_t count = alpha.array->size();
  Size all = size;
  all.shape = size.shape.value_or(Shape{});
  all.shape->push_back(count);
  Draws draws(stream, all, {&alpha});
  if (count == 0 || !is_somewhere(alpha, Op::less, least_form)) {
    Array drawn = *draws.gamma(alpha).array;
    return as_asked(true_divide(drawn, reduced(Reduction::sum, drawn, -1, true)), size);
  }
  Array logs = *draws.log_gamma(alpha).array;
  const Array top = reduced(Reduction::maximum, logs, -1, true);
  Array drawn = exp(subtract(logs, compute(Op::where, isinf(top), 0.0, top)));
  const Array sums = reduced(Reduction::sum, drawn, -1, true);  // 0 where all of alpha are
  return as_asked(true_divide(drawn, compute(Op::where, equal(sums, 0.0), 1.0, sums)), size);
}

Array dirichlet_above_zero(const Stream& stream, const Parameter& alpha, const Size& size) {
  if (is_somewhere(alpha, Op::less_equal, 0)) raise(ErrorKind::value, "alpha <= 0");
  return dirichlet(stream, alpha, size);
}

Array dirichlet_of_one_too(const Stream& stream, const Parameter& alpha, const Size& size) {
  if ((alpha.array && alpha.array->rank() > 0) || !size.shape || size.shape->empty()) return dirichlet(stream, alpha, size);
  check_no_negative_size(*size.shape);
  const Shape line{size.shape->back()}, outer(size.shape->begin(), size.shape->end() - 1);
  const Array one = alpha.array ? *alpha.array : full({}, real_number(alpha.number), DType::float64, size.device);
  return dirichlet(stream, {0, one.view(one.layout().broadcast_to(line))}, {outer, size.device, size.type});
}

Array chisquare(const Stream& stream, const Parameter& df, const Size& size) {
  check_positive("df", df);
  return as_asked(Draws(stream, size, {&df}).gamma(Value(df) / 2.0) * 2.0, size);
}

static Value noncentral(const Draws& draws, const Value& df, const Value& nonc) {
  Value more = draws.poisson(nonc / 2.0);
  return draws.gamma(df / 2.0 + more) * 2.0;
}

Array noncentral_chisquare(const Stream& stream, const Parameter& df, const Parameter& nonc, const Size& size) {
  check_positive("df", df);
  check_not_negative("nonc", nonc);
  return as_asked(noncentral(Draws(stream, size, {&df, &nonc}), df, nonc), size);
}

Array f(const Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Size& size) {
  check_positive("dfnum", dfnum);
  check_positive("dfden", dfden);
  Draws draws(stream, size, {&dfnum, &dfden});
  Value above = draws.gamma(Value(dfnum) / 2.0) * dfden, below = draws.gamma(Value(dfden) / 2.0) * dfnum;
  return as_asked(above / below, size);
}

Array noncentral_f(const Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Parameter& nonc,
                   const Size& size) {
  check_positive("dfnum", dfnum);
  check_positive("dfden", dfden);
  check_not_negative("nonc", nonc);
  Draws draws(stream, size, {&dfnum, &dfden, &nonc});
  Value above = noncentral(draws, dfnum, nonc) / dfnum;
  return as_asked(above / (draws.gamma(Value(dfden) / 2.0) * 2.0 / dfden), size);
}

Array standard_t(const Stream& stream, const Parameter& df, const Size& size) {
  check_positive("df", df);
  Draws draws(stream, size, {&df});
  Value above = draws.normal();
  return as_asked(above / sqrt(draws.gamma(Value(df) / 2.0) * 2.0 / df), size);
}

// ---- of integers

Array poisson(const Stream& stream, const Parameter& mean, const Size& size) {
  check_mean(mean);
  return as_whole(Draws(stream, size, {&mean}).poisson(mean), size);
}

Array binomial(const Stream& stream, const Parameter& given, const Parameter& p, const Size& size) {
  if (is_nan_somewhere(given)) raise(ErrorKind::value, "cannot convert float NaN to integer");
  const Parameter n{std::trunc(given.number), given.array};  // an array has integers
  check_not_negative("n", n);
  check_probability(p);
  return as_whole(Draws(stream, size, {&n, &p}).seeded(Op::random_binomial, {n, p}), size);
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
  return as_whole(draws.poisson(mean), size);
}

Array geometric(const Stream& stream, const Parameter& p, const Size& size) {
  if (is_somewhere(p, Op::less_equal, 0) || is_somewhere(p, Op::greater, 1) || is_nan_somewhere(p))
    raise(ErrorKind::value, "p <= 0, p > 1 or p contains NaNs");
  Draws draws(stream, size, {&p});
  Value fails = of(Op::log1p, -draws.there(p));
  return as_whole(of(Op::maximum, of(Op::ceil, log(draws.open()) / fails), 1.0), size);
}

Array logseries(const Stream& stream, const Parameter& p, const Size& size) {
  if (is_somewhere(p, Op::less, 0) || is_somewhere(p, Op::greater_equal, 1) || is_nan_somewhere(p))
    raise(ErrorKind::value, "p < 0, p >= 1 or p is NaN");
  Draws draws(stream, size, {&p});
  Value rest = of(Op::log1p, -draws.there(p));
  Value q = -of(Op::expm1, rest * draws.inside()), v = draws.inside();
  Value many = of(Op::maximum, of(Op::floor, 1.0 + log(v) / log(q)), 1.0);
  Value few = where(of(Op::greater_equal, v, q), 1.0, 2.0);
  return as_whole(where(of(Op::greater_equal, v, p), 1.0, where(of(Op::less_equal, v, q * q), many, few)), size);
}

Array zipf(const Stream& stream, const Parameter& a, const Size& size) {
  if (is_somewhere(a, Op::less_equal, 1) || is_nan_somewhere(a)) raise(ErrorKind::value, "a <= 1 or a is NaN");
  const Draws draws(stream, size, {&a});
  const Value less = of(Op::minimum, draws.there(a) - 1.0, 999.0);  // beyond that only 1 is likely
  const Value b = of(Op::power, 2.0, less);
  const Value least = of(Op::power, std::ldexp(1.0, 62), -less);  // close to 1, nearly all numbers would be too large
  const Value drawn = draws.by_rejection(2, [&](const std::vector<Value>& u) {
    const Value x = of(Op::maximum, of(Op::floor, of(Op::power, u[0] + (1.0 - u[0]) * least, -1.0 / less)), 1.0);
    const Value t = of(Op::power, 1.0 + 1.0 / x, less);
    return std::pair(x, of(Op::less_equal, u[1] * x * (t - 1.0) / (b - 1.0), t / b));
  });
  return as_whole(drawn, size);
}

}  // namespace quern::random
