// Random numbers in the type of a tensor that takes them: what distributions.h has of PyTorch's.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "functions/draws.h"
#include "functions/ordering.h"
#include "functions/parts.h"
#include "functions/reductions.h"
#include "functions/refusals.h"
#include "functions/rounding.h"
#include "graph/tape.h"

namespace quern::random {

using namespace steps;

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
      made = true_divide(floor(multiply(made, steps)), steps);
    }
    return as_type(made, type);
  }
  const DType real = type == DType::complex128 ? DType::float64 : DType::float32;
  Scalar unit = real_number(0);
  unit.kind = WeakScalar::complex, unit.im = 1;
  Array first = *(draws.*draw)(real).array, second = *(draws.*draw)(real).array;
  Array made = add(first, multiply(second, unit));
  return draw == &Draws::normal ? true_divide(made, std::numbers::sqrt2) : made;
}

Array of_size(const Stream& stream, const Shape& shape, std::optional<DType> type, DeviceId device, const char* name, Draw draw) {
  const DType wanted = type.value_or(torch_default());
  check_inexact(name, wanted);
  int64_t count = 1;
  for (int64_t n : shape) {
    if (n < 0) raise(ErrorKind::runtime, "Trying to create tensor with negative dimension {}: {}", n, in_brackets(shape));
    if (__builtin_mul_overflow(count, n, &count) || count >= int64_t{1} << 46)
      raise(ErrorKind::out_of_memory, "[memory] out of memory: can't allocate memory for a tensor of size {}; make it smaller",
            in_brackets(shape));
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
  const LayoutRef place = layout_like(like, to);
  return place == contiguous_layout(place->shape) ? make(place->shape) : make({place->elements}).view(*place);
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
  return as_type(bounds.low ? add(made, bounds.low) : made, type);
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
// of 0, 1, 2 ...
Array permutation_of_size(const Stream& stream, int64_t count, const Making& how) {
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

void check_real(const char* name, DType type) {
  if (row(type).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", name, torch_name_of(type));
}

// The least number above 0 that a type holds with all its bits.
double least_normal(DType type) { return type == DType::float16 ? 0x1p-14 : type == DType::float64 ? 0x1p-1022 : 0x1p-126; }

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
  return add(made, as_type(reduced(Reduction::sum, none, 0, false), made.dtype()));
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
  const Array are_above = over_all(Reduction::all, greater_equal(weights, 0));
  const Array is_infinite = over_all(Reduction::any, equal(weights, std::numeric_limits<double>::infinity()));
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

// 1 with the probability that each element says, or p, else 0; gradients of 0.
Array trials(const Rules& rules, const Array& tensor, std::optional<double> p, const Stream& stream) {
  const Argument odds = p ? Argument(real_number(*p)) : Argument(tensor);
  return without_slope(as_type(are_hits(rules, tensor, odds, stream), tensor.dtype()), tensor);
}

// The same with the elements of tensors as parameters, which a device refuses where it finds no distribution in them
// (refusals.h): no gradient passes.
Array normal_of_numbers(const Stream& stream, double mean, double deviation, const Shape& shape, std::optional<DType> type,
                        DeviceId device) {
  check_deviation(deviation);
  const Array made = of_size(stream, shape, type, device, "normal", &Draws::normal);
  return add(multiply(made, deviation), mean);
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

// Gamma numbers of scale 1, drawn in 64 bits; each moves with its shape (gamma_slope), so gradients pass.
Array gamma_around(const Array& forms, const Stream& stream) {
  check_real("_standard_gamma", forms.dtype());
  const Draws draws(stream, {forms.shape(), forms.device()}, {});
  const Value made = draws.seeded(Op::random_gamma, {Value(as_type(forms, DType::float64))});
  const double least = least_normal(forms.dtype());
  return as_type(*where(of(Op::less, made, least), least, made).array, forms.dtype());
}

// Gamma numbers over their sum along the last axis. Those of shapes below 1 are kept as logarithms, as they may round to 0.
Array dirichlet_around(const Array& forms, const Stream& stream) {
  check_real("dirichlet", forms.dtype());
  if (forms.rank() == 0) raise(ErrorKind::runtime, "[_sample_dirichlet] the concentrations must have an axis, not 0");
  const Draws draws(stream, {forms.shape(), forms.device()}, {});
  const Value wide = as_type(forms, DType::float64), is_small = of(Op::less, wide, 1.0);
  const Value drawn = draws.seeded(Op::random_gamma, {where(is_small, wide + 1.0, wide)});
  const Value logs = log(drawn) + where(is_small, log(draws.open()) / wide, 0.0);
  const Array top = detached(reduced(Reduction::maximum, *logs.array, -1, true));
  const Array parts = exp(subtract(*logs.array, top));
  const Array made = true_divide(parts, reduced(Reduction::sum, parts, -1, true));
  const double least = least_normal(forms.dtype());
  return as_type(compute(Op::where, less(made, least), least, made), forms.dtype());
}

// How many of `counts` trials succeed.
Array binomial_around(const Array& counts, const Array& odds, const Stream& stream) {
  for (const auto& [name, one] : {std::pair("count", &counts), std::pair("prob", &odds)})
    if (row(one->dtype()).kind != DTypeKind::real)
      raise(ErrorKind::runtime, "binomial only supports floating-point dtypes for {}, got: {}", name,
            torch_name_of(one->dtype()));
  if (counts.dtype() != odds.dtype())
    raise(ErrorKind::runtime, "Found dtype {} but expected {}", torch_name_of(odds.dtype()), torch_name_of(counts.dtype()));
  const std::vector<Shape> shapes = {counts.shape(), odds.shape()};
  const Draws draws(stream, {broadcast_shapes(shapes), counts.device()}, {});
  const Value n = as_type(detached(counts), DType::float64), p = as_type(detached(odds), DType::float64);
  const Array made = as_type(*draws.seeded(Op::random_binomial, {n, p}).array, counts.dtype());
  const double most = std::numeric_limits<double>::infinity();
  return unless_beyond(unless_beyond(made, detached(counts), 0, most, "binomial expects all counts to be non-negative"),
                       detached(odds), 0, 1, "binomial expects all probabilities to be within [0, 1]");
}

// Places along the last axis, with the elements as weights: `count` of them, each of which may come again where `replaces`.
Array places_by_weight(const Rules& rules, const Array& given, int64_t count, bool replaces, const Stream& stream) {
  check_weights(given, count, replaces);
  const Array weights = detached(given), wide = as_type(weights, DType::float64);
  if (!replaces) {  // those with the largest of random keys (Efraimidis, 2006)
    const Value units = Draws(stream, {weights.shape(), weights.device()}, {}).open();
    const Array waits = true_divide(*(-log(units)).array, wide);
    const double never = std::numeric_limits<double>::infinity();
    const Array keys = compute(Op::where, greater(weights, 0), waits, never);
    const Array picked = part(ordered_places(keys, false, keys.rank() - 1), -1, 0, count);
    return unless_no_distribution(copied(picked, picked.dtype()), weights, false);
  }
  const size_t last = weights.rank() - 1;
  const Array ends = accumulated(wide, "add", last, {}).value_or(wide);
  Shape shape = weights.shape();
  shape[last] = count;
  const Array units = *Draws(stream, {shape, weights.device()}, {}).unit(DType::float64).array;
  const Array at = multiply(units, part(ends, -1, last_size(ends) - 1, last_size(ends)));
  const Array is_passed = less_equal(expand_dims(ends, last), expand_dims(at, last + 1));
  const Array places = reduced(Reduction::sum, is_passed, -1, false, DType::int64);
  return unless_no_distribution(rules(Op::minimum, places, last_size(ends) - 1), weights, count > 1);
}

// ---- of layers

namespace {

DType drawn_type(const Size& size) { return size.real() == DType::float64 ? DType::float64 : DType::float32; }
Value scaled(const Value& made, const Value& by, const Value& start) {
  const bool is_same = !by.array && !start.array && by.number == 1 && start.number == 0;
  return is_same ? made : made * by + start;
}

}  // namespace

Array scaled_normal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size) {
  const Draws draws(stream, size, {&mean, &deviation});
  return as_asked(scaled(draws.normal(drawn_type(size)), deviation, mean), size);
}

Array scaled_unit(const Stream& stream, const Parameter& low, const Parameter& high, const Size& size) {
  const Draws draws(stream, size, {&low, &high});
  const Array made = as_asked(scaled(draws.unit(drawn_type(size)), Value(high) - Value(low), low), size);
  if (working_type(made.dtype()) == made.dtype()) return made;
  return as_asked(where(of(Op::less, made, high), made, low), size);  // 16 bits may be rounded up to `high`
}

// No further than two standard deviations from the mean.
Array truncated_normal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size) {
  const Draws draws(stream, size, {&mean, &deviation});
  const double edge = std::erf(std::numbers::sqrt2);
  const Value units = draws.unit() * (2 * edge) - edge;
  const Value made = Value(inverse_error(numpys_rules, *units.array)) * std::numbers::sqrt2;
  return as_asked(scaled(of(Op::minimum, of(Op::maximum, made, -2.0), 2.0), deviation, mean), size);
}

// Places along the last axis of two, drawn by the logarithms of their odds: `count` for each row. Raises ErrorKind::value for
// another number of axes.
Array places_by_logarithm(const Stream& stream, const Array& logits, int64_t count, const Size& size) {
  if (logits.rank() != 2) raise(ErrorKind::value, "logits must have two axes, not {}", logits.rank());
  const Shape shape{logits.shape()[0], count, logits.shape()[1]};
  const Draws draws(stream, {shape, logits.device()}, {});
  const Value units = of(Op::minimum, of(Op::maximum, draws.unit(), 1e-300), 1.0 - 1e-16), noise = -log(-log(units));
  const Array lines = expand_dims(as_type(detached(logits), DType::float64), 1);
  return as_type(extreme(*(Value(lines) + noise).array, 2, false, false), size.type.value_or(DType::int64));
}

std::optional<Array> dropped(const Stream& stream, const Array& x, double rate, const SharedAxes& given) {
  if (rate == 0) return {};
  if (rate >= 1) return multiply(x, 0);
  Shape shape = x.shape();
  if (given) {
    if (given->size() != shape.size())
      raise(ErrorKind::value, "noise_shape has {} axes, the inputs {}", given->size(), shape.size());
    for (size_t n = 0; n < shape.size(); ++n) shape[n] = (*given)[n].value_or(shape[n]);
  }
  const Array units = *Draws(stream, {shape, x.device()}, {}).unit(DType::float32).array;
  const Array zero = full({}, whole(0), x.dtype(), x.device());
  return compute(Op::where, greater_equal(units, rate), multiply(x, 1 / (1 - rate)), zero);
}

}  // namespace quern::random
