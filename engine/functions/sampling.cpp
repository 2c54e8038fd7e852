#include "functions/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/error.h"
#include "functions/draws.h"
#include "functions/elementwise.h"
#include "functions/ordering.h"
#include "functions/picking.h"
#include "functions/reductions.h"
#include "functions/rounding.h"
#include "functions/shaping.h"
#include "run/calls/lapack.h"
#include "run/calls/matmul.h"

namespace quern::random {

using namespace steps;

// ---- integers

namespace {

Scalar scalar_of(__int128 number) {
  Scalar out = whole(static_cast<int64_t>(number));
  out.is_natural = number > std::numeric_limits<int64_t>::max(), out.natural = static_cast<uint64_t>(number);
  return out;
}

// Does it compare so with a number somewhere? Arrays are of 64 bits.
bool is_somewhere(const Whole& value, Op op, __int128 limit) {
  const bool is_less = op == Op::less;
  if (!value.array) return is_less ? value.number < limit : value.number > limit;
  limit -= value.more;
  const bool is_natural = value.array->dtype() == DType::uint64;
  const __int128 least = is_natural ? 0 : std::numeric_limits<int64_t>::min();
  const __int128 most = is_natural ? __int128{std::numeric_limits<uint64_t>::max()} : std::numeric_limits<int64_t>::max();
  if (is_less ? limit <= least : limit >= most) return false;
  if (is_less ? limit > most : limit < least) return value.array->size() > 0;
  return is_true_somewhere(compute(op, *value.array, scalar_of(limit)));
}

// The first of the integers that are drawn and how many there are, as 64 bits; 0: all of these.
struct Interval {
  uint64_t first = 0, count = 0;
  Parameter firsts{}, counts{};
};

Interval interval_of(const Whole& low, const Whole& high, bool has_end, DType type) {
  const auto [first, last] = range_of(type);
  const __int128 least = first, most = last, end = has_end ? 0 : 1;
  if (is_somewhere(low, Op::less, least)) raise(ErrorKind::value, "low is out of bounds for {}", row(type).name);
  if (is_somewhere(high, Op::greater, most + end)) raise(ErrorKind::value, "high is out of bounds for {}", row(type).name);
  const bool are_numbers = !low.array && !high.array;
  const auto refuse = [&] {
    raise(ErrorKind::value, "{}; there are none between them",
          has_end                          ? "low > high"
          : are_numbers && low.number == 0 ? "high <= 0"
                                           : "low >= high");
  };
  if (is_somewhere(high, Op::less, least + end) || is_somewhere(low, Op::greater, most)) refuse();
  if (are_numbers) {
    if (low.number > high.number - end) refuse();
    return {static_cast<uint64_t>(low.number), static_cast<uint64_t>(high.number - end - low.number + 1)};
  }
  const DType work = type == DType::uint64 ? type : DType::int64;
  const DeviceId device = (low.array ? low.array : high.array)->device();
  const auto there = [&](const Whole& one, __int128 less) {
    if (!one.array) return full({}, scalar_of(one.number - less), work, device);
    const Array as_work = as_type(*one.array, work);
    return less > one.more ? in_loop(Op::subtract, work, work, {as_work, whole(1)}) : as_work;
  };
  const Array from = there(low, 0), to = there(high, end);
  if (is_true_somewhere(greater(from, to))) refuse();
  const DType bits = DType::uint64;
  const Array start = as_type(from, bits);
  const Array width = in_loop(Op::subtract, bits, bits, {as_type(to, bits), start});
  return {0, 0, {0, start}, {0, in_loop(Op::add, bits, bits, {width, whole(1)})}};
}

Array integers_of(const Stream& stream, const Whole& low, const Whole& high, const Size& size, bool has_end) {
  const DType type = size.type.value_or(DType::int64);
  const Interval interval = interval_of(low, high, has_end, type);
  const Draws draws(stream, size, {&interval.firsts, &interval.counts});
  const std::optional<Array>& firsts = interval.firsts.array;
  Array made = firsts ? draws.below(*interval.counts.array) : draws.below(interval.count);
  const Argument start = firsts ? Argument(*firsts) : Argument(scalar_of(interval.first));
  if (firsts || interval.first) made = in_loop(Op::add, DType::uint64, DType::uint64, {made, start});
  return as_type(made, type);
}

}  // namespace

Array integers(const Stream& stream, const Limits& limits, const Size& size, bool has_end) {
  return limits.high ? integers_of(stream, limits.low, *limits.high, size, has_end)
                     : integers_of(stream, {}, limits.low, size, has_end);
}
Array integers_to_end(const Stream& stream, const Limits& limits, const Size& size) {
  return limits.high ? integers_of(stream, limits.low, *limits.high, size, true)
                     : integers_of(stream, {1}, limits.low, size, true);
}
Array natural_integers(const Stream& stream, const Size& size) {
  return integers_of(stream, {}, {std::numeric_limits<int64_t>::max()}, size, true);
}

Array integers_by_unit(const Stream& stream, const Limits& limits, const Size& size) {
  const Whole &low = limits.low, &high = *limits.high;
  const Parameter lows{0, low.array}, highs{0, high.array};
  const Draws draws(stream, size, {&lows, &highs});
  const auto argument = [](const Whole& one) { return one.array ? Argument(*one.array) : Argument(scalar_of(one.number)); };
  const auto value = [](const Whole& one) { return one.array ? Value(*one.array) : Value(static_cast<double>(one.number)); };
  const Array steps = *of(Op::floor, draws.unit() * (value(high) - value(low))).array;
  const Array made = add(as_type(steps, DType::int64), argument(low));
  const Array last = high.array ? subtract(*high.array, 1) : full({}, scalar_of(high.number - 1), DType::int64, made.device());
  return as_type(minimum(made, last), size.type.value_or(DType::int64));
}

// ---- picks

namespace {

int64_t count_of(const Shape& shape) { return Layout::contiguous(shape).size(); }

void check_odds(const Odds& odds, int64_t count) {
  const std::vector<double>& p = odds.values;
  if (odds.shape.size() != 1) raise(ErrorKind::value, "p must be 1-dimensional");
  if (odds.shape[0] != count) raise(ErrorKind::value, "a and p must have same size");
  if (std::any_of(p.begin(), p.end(), [](double x) { return std::isnan(x); }))
    raise(ErrorKind::value, "Probabilities contain NaN");
  if (std::any_of(p.begin(), p.end(), [](double x) { return x < 0; }))
    raise(ErrorKind::value, "Probabilities are not non-negative");
  const double sum = static_cast<double>(std::accumulate(p.begin(), p.end(), 0.0L));
  if (!(std::abs(sum - 1) <= std::max(1e-8, std::sqrt(odds.precision))))
    raise(ErrorKind::value, "Probabilities do not sum to 1, but to {}; divide them by their sum", sum);
}

// Walker's alias method: how likely each pick is kept, and what stands beside it.
struct Aliases {
  std::vector<double> keep;
  std::vector<int64_t> beside;
};
Aliases aliases_of(const std::vector<double>& p) {
  const size_t count = p.size();
  const double factor = static_cast<double>(count) / std::accumulate(p.begin(), p.end(), 0.0);
  std::vector<double> scaled;
  std::vector<size_t> small, large;
  for (size_t n = 0; n < count; ++n) {
    scaled.push_back(p[n] * factor);
    (scaled[n] < 1 ? small : large).push_back(n);
  }
  Aliases out{std::vector<double>(count, 1.0), std::vector<int64_t>(count)};
  std::iota(out.beside.begin(), out.beside.end(), 0);
  while (!small.empty() && !large.empty()) {
    const size_t few = small.back(), many = large.back();
    small.pop_back();
    out.keep[few] = scaled[few], out.beside[few] = static_cast<int64_t>(many);
    scaled[many] -= 1 - scaled[few];
    if (scaled[many] < 1) large.pop_back(), small.push_back(many);
  }
  for (size_t few : small)  // what rounding left over
    if (p[few] == 0) out.keep[few] = 0, out.beside[few] = std::max_element(p.begin(), p.end()) - p.begin();
  return out;
}

Array picked_of(const Array& values, const Array& places) { return taken(values, places, 0, "raise"); }

// Places of the table, each as likely as it says: one, all alike, or what stands beside it.
Array by_aliases(const Draws& draws, const Aliases& aliases) {
  const Array picks = as_type(draws.below(aliases.keep.size()), DType::int64);
  const Array keep = picked_of(array_of(aliases.keep, draws.device()), picks);
  return compute(Op::where, less(*draws.unit().array, keep), picks, picked_of(array_of(aliases.beside, draws.device()), picks));
}

Array from_population(const Population& from, const Array& places) {
  return from.array ? taken(*from.array, places, from.axis, "raise") : places;
}

// Without picking one again: the first of random keys, or of exponential clocks that tick at the rates p.
Array picked_once(const Stream& stream, int64_t count, const std::optional<Odds>& odds, int64_t wanted, DeviceId device) {
  if (wanted > count)
    raise(ErrorKind::value,
          "Cannot take a larger sample than population when replace is False: {} picks are more than the {} that there are",
          wanted, count);
  if (odds && std::count_if(odds->values.begin(), odds->values.end(), [](double p) { return p != 0; }) < wanted)
    raise(ErrorKind::value, "Fewer non-zero entries in p than size");
  const Draws draws(stream, {Shape{count}, device}, {});
  Array keys = odds ? *draws.unit().array : draws.bits();
  if (odds) {
    std::vector<double> rates;
    for (double p : odds->values) rates.push_back(1 / p);
    keys = *(-log(1.0 - Value(keys) + std::ldexp(1.0, -60)) * array_of(rates, device)).array;
    keys = compute(Op::where, isnan(keys), std::numeric_limits<double>::infinity(), keys);
  }
  return part(ordered_places(keys, false, 0), 0, 0, wanted);
}

}  // namespace

Array choice(const Stream& stream, const Population& from, const std::optional<Odds>& odds, const Size& size, bool replaces) {
  const Shape shape = size.shape.value_or(Shape{});
  check_no_negative_size(shape);
  const int64_t wanted = count_of(shape);
  if (from.count <= 0 && wanted != 0)
    raise(ErrorKind::value, "a {} unless no samples are taken", from.array ? "cannot be empty" : "must be a positive integer");
  if (odds) check_odds(*odds, from.count);
  const DeviceId device = from.array ? from.array->device() : odds ? odds->device.value_or(size.device) : size.device;
  if (!replaces) {
    const Array places = picked_once(stream, std::max<int64_t>(from.count, 0), odds, wanted, device);
    return from_population(from, reshape(places, shape));
  }
  const Draws draws(stream, {shape, device}, {});
  const Array places = odds && from.count > 0
                           ? by_aliases(draws, aliases_of(odds->values))
                           : as_type(draws.below(static_cast<uint64_t>(std::max<int64_t>(from.count, 1))), DType::int64);
  return from_population(from, places);
}

Array permutation(const Stream& stream, const Population& of, const Size& size) {
  const DeviceId device = of.array ? of.array->device() : size.device;
  const Draws draws(stream, {Shape{std::max<int64_t>(of.count, 0)}, device}, {});
  return from_population(of, ordered_places(draws.bits(), false, 0));
}

Array permuted(const Stream& stream, const Array& array, std::optional<size_t> axis) {
  const Array lines = axis ? array : reshape(array, {array.size()});
  const Draws draws(stream, {lines.shape(), lines.device()}, {});
  const size_t along = axis.value_or(0);
  return reshape(taken_along(lines, ordered_places(draws.bits(), false, along), along), array.shape());
}

// ---- how many of what is picked

namespace {

constexpr int64_t longest_table = 1 << 20;

using Case = std::array<int64_t, 3>;  // good ones, bad ones, picks
int64_t least_of(const Case& one) { return std::max<int64_t>(0, one[2] - one[1]); }
int64_t most_of(const Case& one) { return std::min(one[2], one[0]); }

// How likely each number of good ones is, from the least on.
Aliases aliases_of(const Case& one) {
  const auto [good, bad, picks] = one;
  std::vector<double> likely{0};
  for (int64_t n = least_of(one); n < most_of(one); ++n) {
    const auto k = static_cast<double>(n);
    const double up = (static_cast<double>(good) - k) * (static_cast<double>(picks) - k);
    likely.push_back(likely.back() + std::log(up / ((k + 1) * (static_cast<double>(bad - picks) + k + 1))));
  }
  const double top = *std::max_element(likely.begin(), likely.end());
  for (double& one_of : likely) one_of = std::exp(one_of - top);
  const double sum = std::accumulate(likely.begin(), likely.end(), 0.0);
  for (double& one_of : likely) one_of /= sum;
  return aliases_of(likely);
}

// Numbers repeated to a shape that they broadcast to.
template <class T>
std::vector<T> repeated(const HostNumbers<T>& numbers, const Shape& shape) {
  const Array there = reshape(array_of(numbers.values, DeviceId::cpu()), numbers.shape);
  return values_of<T>(there.view(there.layout().broadcast_to(shape)));
}

struct Cases {
  Shape shape;
  std::vector<Case> all;
  std::map<Case, int64_t> widths;  // of the tables, each case once
  int64_t width = 0;               // of all of them
};

Cases cases_of(const Counts& good, const Counts& bad, const Counts& picked) {
  const Shape shapes[] = {good.shape, bad.shape, picked.shape};
  Cases out{broadcast_shapes(shapes), {}, {}};
  const std::vector<int64_t> goods = repeated(good, out.shape), bads = repeated(bad, out.shape);
  const std::vector<int64_t> picks = repeated(picked, out.shape);
  for (size_t n = 0; n < goods.size(); ++n) {
    const Case one{goods[n], bads[n], picks[n]};
    out.all.push_back(one);
    out.widths.emplace(one, most_of(one) - least_of(one) + 1);
  }
  for (const auto& [one, width] : out.widths) out.width += width;
  return out;
}

void check_counts(const char* name, const Counts& counts) {
  if (std::any_of(counts.values.begin(), counts.values.end(), [](int64_t n) { return n < 0; }))
    raise(ErrorKind::value, "{} < 0", name);
}

DeviceId device_of(std::initializer_list<const std::optional<DeviceId>*> devices, DeviceId otherwise) {
  for (const auto* one : devices)
    if (*one) return **one;
  return otherwise;
}

// An array that stands for its shape and device alone.
Parameter of_shape(const Shape& shape, DeviceId device) { return {0, full(shape, whole(0), DType::float64, device)}; }

}  // namespace

bool has_tables(const Counts& good, const Counts& bad, const Counts& picked) {
  return cases_of(good, bad, picked).width < longest_table;
}

Array hypergeometric(const Stream& stream, const Counts& good, const Counts& bad, const Counts& picked, const Size& size) {
  check_counts("ngood", good), check_counts("nbad", bad), check_counts("nsample", picked);
  const Cases cases = cases_of(good, bad, picked);
  for (const Case& one : cases.all)
    if (one[2] > one[0] + one[1]) raise(ErrorKind::value, "ngood + nbad < nsample");
  const DeviceId device = device_of({&good.device, &bad.device, &picked.device}, size.device);
  const Parameter shaped = of_shape(cases.shape, device);
  const Draws draws(stream, {size.shape, device}, {&shaped});
  if (cases.shape.empty()) {
    const Case& one = cases.all[0];
    return as_whole(add(by_aliases(draws, aliases_of(one)), least_of(one)), size);
  }
  // The tables of all cases one after the other: an element picks in that of its own.
  Aliases tables;
  std::map<Case, int64_t> starts;
  for (const auto& [one, width] : cases.widths) {
    starts[one] = static_cast<int64_t>(tables.keep.size());
    const Aliases table = aliases_of(one);
    tables.keep.insert(tables.keep.end(), table.keep.begin(), table.keep.end());
    tables.beside.insert(tables.beside.end(), table.beside.begin(), table.beside.end());
  }
  if (tables.keep.empty()) return as_whole(*draws.unit().array, size);  // there are no elements
  std::vector<int64_t> widths, firsts, from;
  for (const Case& one : cases.all)
    widths.push_back(cases.widths.at(one)), firsts.push_back(starts.at(one)), from.push_back(least_of(one));
  const auto there = [&](const std::vector<int64_t>& values) { return reshape(array_of(values, device), cases.shape); };
  const Array picks = as_type(draws.below(as_type(there(widths), DType::uint64)), DType::int64);
  const Array places = add(picks, there(firsts));
  const Array is_kept = compute(Op::less, *draws.unit().array, picked_of(array_of(tables.keep, device), places));
  const Array beside = picked_of(array_of(tables.beside, device), places);
  return as_whole(add(compute(Op::where, is_kept, picks, beside), there(from)), size);
}

Array hypergeometric_at_most(const Stream& stream, const Counts& good, const Counts& bad, const Counts& picked,
                             const Size& size) {
  if (std::any_of(picked.values.begin(), picked.values.end(), [](int64_t n) { return n < 1; }))
    raise(ErrorKind::value, "nsample < 1");
  check_counts("ngood", good), check_counts("nbad", bad);
  const Cases cases = cases_of(good, bad, picked);
  Counts most{cases.shape, {}, picked.device};
  for (const Case& one : cases.all) most.values.push_back(std::min(one[2], one[0] + one[1]));
  return hypergeometric(stream, good, bad, most, size);
}

bool are_few(const Counts& colors, const Size& size) {
  const double keys = static_cast<double>(std::accumulate(colors.values.begin(), colors.values.end(), int64_t{0}));
  const double rows = static_cast<double>(count_of(size.shape.value_or(Shape{})));
  return colors.values.size() <= 64 && rows * keys <= 16.0 * longest_table;
}

Array multivariate_hypergeometric(const Stream& stream, const Counts& colors, int64_t picked, PickMethod, const Size& size) {
  if (colors.shape.size() != 1 || std::any_of(colors.values.begin(), colors.values.end(), [](int64_t n) { return n < 0; }))
    raise(ErrorKind::value, "colors must be a one-dimensional sequence of nonnegative integers");
  if (picked < 0) raise(ErrorKind::value, "nsample must be nonnegative");
  std::vector<int64_t> color;
  for (size_t n = 0; n < colors.values.size(); ++n)
    color.insert(color.end(), static_cast<size_t>(colors.values[n]), static_cast<int64_t>(n));
  if (picked > static_cast<int64_t>(color.size())) raise(ErrorKind::value, "nsample > sum(colors)");
  const DeviceId device = colors.device.value_or(size.device);
  Shape shape = size.shape.value_or(Shape{});
  shape.push_back(static_cast<int64_t>(color.size()));
  const Draws draws(stream, {shape, device}, {});
  const Array order = part(ordered_places(draws.bits(), false, shape.size() - 1), -1, 0, picked);
  const Array of_picks = expand_dims(picked_of(array_of(color, device), order), shape.size() - 1);
  const Array each = expand_dims(arange(colors.shape[0], device), 1);
  return reduced(Reduction::sum, equal(of_picks, each), -1, false, DType::int64);
}

// ---- tries

namespace {

void check_outcomes(const Odds& odds) {
  if (odds.shape.empty() || odds.shape.back() == 0)
    raise(ErrorKind::value, "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.");
  const std::vector<double>& p = odds.values;
  if (!std::all_of(p.begin(), p.end(), [](double x) { return x >= 0 && x <= 1; }))
    raise(ErrorKind::value, "pvals < 0, pvals > 1 or pvals contains NaNs");
}

// Sums of two neighbours each.
std::vector<double> halved(const std::vector<double>& p) {
  std::vector<double> out;
  for (size_t n = 0; n < p.size(); n += 2) out.push_back(p[n] + p[n + 1]);
  return out;
}

// The odds by lines of a power of 2; the last outcome takes what the others leave of 1.
std::vector<double> filled_lines(const Odds& odds, size_t width) {
  const auto count = static_cast<size_t>(odds.shape.back());
  std::vector<double> lines;
  for (size_t start = 0; start < odds.values.size(); start += count) {
    const auto line = odds.values.begin() + static_cast<ptrdiff_t>(start), last = line + static_cast<ptrdiff_t>(count) - 1;
    const double others = std::accumulate(line, last, 0.0);
    if (others > 1 + 1e-12) raise(ErrorKind::value, "sum(pvals[:-1]) > 1.0");
    lines.insert(lines.end(), line, last);
    lines.push_back(std::max(1 - others, 0.0));
    lines.resize(lines.size() + width - count);
  }
  return lines;
}

}  // namespace

// How often each outcome comes in n tries: one axis more; the last one takes what the others leave of 1. Raises ErrorKind::value
// for a negative n, and for odds that are no distribution.
Array multinomial(const Stream& stream, const Counts& n, const Odds& odds, const Size& size) {
  check_outcomes(odds);
  check_counts("n", n);
  const int64_t count = odds.shape.back();
  size_t width = 1;
  while (static_cast<int64_t>(width) < count) width *= 2;
  // Each half of the outcomes gets its part of the tries, then each half of a half...
  std::vector<std::vector<double>> levels{filled_lines(odds, width)};
  for (size_t w = width; w > 1; w /= 2) levels.push_back(halved(levels.back()));
  const Shape lines(odds.shape.begin(), odds.shape.end() - 1);
  const Shape shapes[] = {n.shape, lines};
  const Shape outer = broadcast_shapes(shapes);
  const DeviceId device = device_of({&n.device, &odds.device}, size.device);
  const Parameter shaped = of_shape(outer, device);
  Shape shape = Draws(stream, {size.shape, device}, {&shaped}).shape();
  const auto along_last = [](Shape all, int64_t last) {
    all.push_back(last);
    return all;
  };
  Array out = as_type(reshape(array_of(repeated(n, outer), device), along_last(outer, 1)), DType::float64);
  for (size_t level = levels.size() - 1; level-- > 0;) {
    std::vector<double> part_of_two;
    for (size_t k = 0; k < levels[level].size(); k += 2) {
      const double whole = levels[level + 1][k / 2];
      part_of_two.push_back(whole > 0 ? levels[level][k] / whole : 0);
    }
    const int64_t parts = int64_t{1} << (levels.size() - 2 - level);
    const Draws draws(stream, {along_last(shape, parts), device}, {});
    const Array share = reshape(array_of(part_of_two, device), along_last(lines, parts));
    const Array left = *draws.seeded(Op::random_binomial, {out, share}).array;
    const Array both[] = {left, subtract(out, left)};
    out = reshape(stacked({both[0], both[1]}, left.rank()), along_last(shape, 2 * parts));
  }
  out = part(out.view(out.layout().broadcast_to(along_last(shape, out.shape().back()))), -1, 0, count);
  return as_type(astype(out, DType::int64), size.type.value_or(DType::int64));
}

// ---- vectors

NormalVectors normal_vectors(const Array& mean, const Array& covariance, FactorBy by) {
  if (mean.rank() != 1) raise(ErrorKind::value, "mean must be 1 dimensional");
  if (covariance.rank() != 2 || covariance.shape()[0] != covariance.shape()[1])
    raise(ErrorKind::value, "cov must be 2 dimensional and square");
  if (covariance.shape()[0] != mean.shape()[0]) raise(ErrorKind::value, "mean and cov must have same length");
  const Array operands[] = {covariance};
  if (by == FactorBy::cholesky) return {mean, transpose(factor("cholesky", operands, "l", 0)[0], {1, 0})};
  const std::vector<Array> parts = factor("eigh", operands, "Lv", 0);
  const Array roots = compute(Op::sqrt, maximum(parts[0], 0));
  return {mean, transpose(multiply(parts[1], roots), {1, 0})};
}

bool has_covariance(const NormalVectors& vectors, const Array& covariance, double tolerance) {
  const Array again = matmul(transpose(vectors.factor, {1, 0}), vectors.factor);
  return are_all_near(numpys_rules, again, covariance, real_number(tolerance), real_number(tolerance), false);
}

Array multivariate_normal(const Stream& stream, const NormalVectors& vectors, const Size& size) {
  Shape shape = size.shape.value_or(Shape{});
  shape.push_back(vectors.mean.shape()[0]);
  const Draws draws(stream, {shape, vectors.mean.device()}, {});
  return as_asked(add(matmul(*draws.normal().array, vectors.factor), vectors.mean), size);
}

}  // namespace quern::random
