#include "functions/signals.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "functions/fourier_axes.h"
#include "functions/ordering.h"
#include "functions/picking.h"
#include "functions/reductions.h"
#include "functions/rounding.h"
#include "graph/memory_order.h"
#include "run/calls/indexing.h"
#include "run/calls/matmul.h"

namespace quern {

using namespace steps;

// Pieces of a length along the last axis, each `stride` further. Raises ErrorKind::value where there is no last axis, and for
// strides that are not positive.
Array pieces_along_last(const Array& a, int64_t length, int64_t stride) {
  if (a.rank() == 0) raise(ErrorKind::value, "[extract_sequences] the input must be at least 1-D");
  if (stride <= 0) raise(ErrorKind::value, "[extract_sequences] `sequence_stride` must be positive, not {}", stride);
  const int64_t count = std::max<int64_t>((last_size(a) - (length - stride)) / stride, 0);
  const Array starts = reshape(multiply(arange(count, a.device()), stride), {count, 1});
  return take_along(a, add(starts, arange(length, a.device())), a.rank() - 1);
}

namespace {

bool is_torch(const Rules& rules) { return rules.types == TypeRules::torch; }

// The samples from `start` on, without `less` at the end.
Array samples(const Array& a, size_t axis, int64_t start, int64_t less) {
  const int64_t count = a.shape()[axis];
  return part(a, static_cast<int>(axis), std::min(start, count), std::max<int64_t>(count - less, 0));
}

// A line along one of `rank` axes.
Array laid_along(const Array& line, size_t axis, size_t rank) {
  Shape shape(rank, 1);
  shape[axis] = line.size();
  return reshape(line, shape);
}

const Array& needed(const Array* array, const char* function, const char* name) {
  if (!array) raise(ErrorKind::type, "[{}] `{}` must be an array or numbers, not None", function, name);
  return *array;
}

}  // namespace

// ---- differences

// The differences of neighbours, taken `times`; of bools: where they differ. `prepend` and `append` are put before and after the
// samples first; an array without dimensions counts as one element of each line. Nothing: the array itself, where times is 0.
std::optional<Array> differences_with(const Rules& rules, const Array& a, int64_t times, SampledAxis axis, const Array* prepend,
                                      const Array* append) {
  if (times < 0) raise(ErrorKind::value, "[diff] order must be non-negative but got {}", times);
  if (times == 0) return is_torch(rules) ? std::optional(copied(a, a.dtype(), Order::keep)) : std::nullopt;
  std::vector<Array> parts;
  std::vector<OperandType> types;
  for (const Array* one : {prepend, &a, append}) {
    if (!one) continue;
    Shape shape = a.shape();
    shape[axis.place] = 1;
    parts.push_back(one->rank() == 0 && !is_torch(rules) ? broadcast_view(*one, shape) : *one);
    types.push_back({one->dtype()});
  }
  Array all =
      parts.size() == 1 ? a : joined(parts, axis.place, is_torch(rules) ? common_type_as_torch(types) : common_type(types));
  return differences(all, std::min(times, std::max<int64_t>(all.shape()[axis.place], 1)), axis.place);  // more change nothing
}

// Of the flattened array, with what stands after and before. Raises ErrorKind::type for what has no type of the same kind.
Array flat_differences(const Array& a, const Array* to_end, const Array* to_begin) {
  Array flat = raveled(a, Order::c);
  auto end_of = [&](const Array* given, const char* name) {
    if (!can_cast_same_kind(given->dtype(), flat.dtype()))
      raise(ErrorKind::type, "dtype of `{}` must be compatible with input `ary` under the `same_kind` rule.", name);
    return as_type(raveled(*given, Order::c), flat.dtype());
  };
  std::vector<Array> parts{subtract(samples(flat, 0, 1, 0), samples(flat, 0, 0, 1))};
  if (to_begin) parts.insert(parts.begin(), end_of(to_begin, "to_begin"));
  if (to_end) parts.push_back(end_of(to_end, "to_end"));
  return parts.size() == 1 ? parts[0] : joined(parts, 0);
}

// ---- slopes

namespace {

// The distance of an axis' neighbours, or the distance of each pair along the axis of an array of so many dimensions.
struct Steps {
  double number = 1;
  std::optional<Array> one, each;
};

Steps steps_of(const Rules& rules, const Spacing& spacing, int64_t size, size_t axis, size_t rank) {
  if (!spacing.array) return {.number = spacing.number, .one = {}, .each = {}};
  const Array& given = *spacing.array;
  if (given.rank() == 0) return {.number = 1, .one = given, .each = {}};
  if (given.rank() != 1) raise(ErrorKind::value, "[gradient] distances must be either scalars or 1d");
  if (given.size() != size)
    raise(ErrorKind::value, "[gradient] when 1d, distances must match the length of the corresponding dimension: {} for {}",
          given.size(), size);
  const DType type = !is_whole(given.dtype()) ? given.dtype() : is_torch(rules) ? torch_default() : DType::float64;
  Array each = differences(as_type(given, type), 1, 0);
  if (!is_torch(rules) && size > 1) {
    Array first = element(each, 0, 0), is_even = equal(each, first);
    if (scalar_in(reduced(Reduction::all, is_even)).integer != 0) return {.number = 1, .one = first, .each = {}};
  }
  return {.number = 1, .one = {}, .each = laid_along(each, axis, rank)};
}

// Weights of neighbours, all of one distance or each of its own.
struct Weight {
  double number = 0;
  std::optional<Array> array{};
  Array times(const Rules& rules, const Array& x) const {
    return array ? rules(Op::multiply, *array, x) : rules(Op::multiply, number, x);
  }
};

class Slopes {
 public:
  Slopes(const Rules& rules, const Array& f, size_t axis, const Steps& steps)
      : rules_(rules), f_(f), axis_(axis), steps_(steps) {}

  Array inside() const {
    Array before = samples(f_, axis_, 0, 2), here = samples(f_, axis_, 1, 1), after = samples(f_, axis_, 2, 0);
    if (!steps_.each) return over(rules_(Op::subtract, after, before), 2.0);
    Array d1 = samples(*steps_.each, axis_, 0, 1), d2 = samples(*steps_.each, axis_, 1, 0), both = rules_(Op::add, d1, d2);
    Array a = rules_(Op::true_divide, rules_(Op::negative, d2), rules_(Op::multiply, d1, both));
    Array b = rules_(Op::true_divide, rules_(Op::subtract, d2, d1), rules_(Op::multiply, d1, d2));
    Array c = rules_(Op::true_divide, d1, rules_(Op::multiply, d2, both));
    Array sum = rules_(Op::add, rules_(Op::multiply, a, before), rules_(Op::multiply, b, here));
    return rules_(Op::add, sum, rules_(Op::multiply, c, after));
  }

  Array at_end(bool is_last, int64_t order) const {
    Array near = sample(is_last, 0), next = sample(is_last, 1);
    if (order == 1) {
      Array rise = is_last ? rules_(Op::subtract, near, next) : rules_(Op::subtract, next, near);
      return steps_.each ? rules_(Op::true_divide, rise, step(is_last, 0)) : over(rise, 1.0);
    }
    Array far = sample(is_last, 2);
    auto [a, b, c] = weights(is_last);
    if (!is_last) {
      Array sum = rules_(Op::subtract, b.times(rules_, next), a.times(rules_, near));
      return rules_(Op::subtract, sum, c.times(rules_, far));
    }
    Array sum = rules_(Op::subtract, c.times(rules_, far), b.times(rules_, next));
    return rules_(Op::add, sum, a.times(rules_, near));
  }

 private:
  // One of the samples, counted from an end, as a line of one.
  Array sample(bool is_last, int64_t place) const {
    return is_last ? samples(f_, axis_, f_.shape()[axis_] - 1 - place, place)
                   : samples(f_, axis_, place, f_.shape()[axis_] - 1 - place);
  }
  Array step(bool is_last, int64_t place) const {
    const int64_t count = steps_.each->shape()[axis_];
    return is_last ? samples(*steps_.each, axis_, count - 1 - place, place)
                   : samples(*steps_.each, axis_, place, count - 1 - place);
  }
  // x / (factor * step)
  Array over(const Array& x, double factor) const {
    if (steps_.one) return rules_(Op::true_divide, x, rules_(Op::multiply, factor, *steps_.one));
    return rules_(Op::true_divide, x, factor * steps_.number);
  }
  Weight part_of_step(double factor) const {
    if (steps_.one) return {0, rules_(Op::true_divide, factor, *steps_.one)};
    return {factor / steps_.number};
  }
  // Without their signs, of the three samples at an end.
  std::array<Weight, 3> weights(bool is_last) const {
    if (!steps_.each) return {part_of_step(1.5), part_of_step(2.0), part_of_step(0.5)};
    Array d1 = step(is_last, 0), d2 = step(is_last, 1), both = rules_(Op::add, d1, d2);
    Array a = rules_(Op::true_divide, rules_(Op::add, rules_(Op::multiply, 2.0, d1), d2), rules_(Op::multiply, d1, both));
    Array b = rules_(Op::true_divide, both, rules_(Op::multiply, d1, d2));
    Array c = rules_(Op::true_divide, d1, rules_(Op::multiply, d2, both));
    return {Weight{0, a}, Weight{0, b}, Weight{0, c}};
  }

  const Rules& rules_;
  const Array& f_;
  size_t axis_;
  const Steps& steps_;
};

Array slope(const Rules& rules, const Array& f, size_t axis, const Steps& steps, int64_t edge_order) {
  const int64_t size = f.shape()[axis];
  if (size < edge_order + 1)
    raise(ErrorKind::value, "{}",
          is_torch(rules) ? "torch.gradient expected each dimension size to be at least edge_order+1"
                          : "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                            "required.");
  const bool has_slopes = is_complex(f.dtype()) || row(f.dtype()).kind == DTypeKind::real;
  Slopes found(rules, f, axis, steps);
  GraphLock lock;
  const Array inside = found.inside();
  const DType type = is_torch(rules) && (steps.each || is_complex(inside.dtype())) ? inside.dtype()
                     : has_slopes                                                  ? f.dtype()
                                                                                   : DType::float64;
  Array out = full_in(copied_layout(f, Order::keep), Scalar{}, type, f.device());
  assign(samples(out, axis, 1, 1), Argument(inside));
  assign(samples(out, axis, 0, size - 1), Argument(found.at_end(false, edge_order)));
  assign(samples(out, axis, size - 1, 0), Argument(found.at_end(true, edge_order)));
  return out;
}

}  // namespace

static void check_lengths_as_torch(size_t count, const Array& f, const std::optional<Axes>& axes) {
  if (count == (axes ? axes->size() : f.rank())) return;
  if (axes)
    raise(ErrorKind::value,
          "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same "
          "length, but "
          "got a spacing argument of length {} and a dim argument of length {}.",
          count, axes->size());
  raise(ErrorKind::value,
        "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = {}', since dim "
        "argument was not given, but got a list of length {}",
        f.rank(), count);
}

OneForEach slopes(const Rules& rules, const Array& f, const Spacings& spacings, const std::optional<Axes>& given,
                  int64_t edge_order) {
  Axes axes = given ? *given : Axes{};
  for (size_t axis = 0; !given && axis < f.rank(); ++axis) axes.push_back(axis);
  std::vector<Spacing> each = spacings.of_axes;
  if (each.empty() || (each.size() == 1 && spacings.is_one)) each.assign(axes.size(), each.empty() ? Spacing{} : each[0]);
  if (is_torch(rules) && spacings.is_given && !spacings.is_one) check_lengths_as_torch(spacings.of_axes.size(), f, given);
  if (each.size() != axes.size())
    raise(ErrorKind::type, "[gradient] invalid number of arguments: {} distances for {} axes", each.size(), axes.size());
  if (edge_order > 2 || (edge_order < 1 && is_torch(rules)))
    raise(ErrorKind::value, "{}",
          is_torch(rules) ? "torch.gradient only supports edge_order=1 and edge_order=2."
                          : "[gradient] 'edge_order' greater than 2 not supported");
  if (f.rank() == 0 && !axes.empty()) raise(ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", axes[0]);
  if (is_torch(rules) && f.dtype() == DType::boolean)
    raise(ErrorKind::not_implemented,
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
          "instead.");
  Array samples = f;
  if (is_torch(rules) && is_whole(f.dtype())) samples = as_type(f, torch_default());
  if (!is_torch(rules) && is_integer(f.dtype())) samples = as_type(f, DType::float64);
  OneForEach out{.arrays = {}, .is_always_tuple = is_torch(rules)};
  for (size_t i = 0; i < axes.size(); ++i)
    out.arrays.push_back(slope(rules, samples, axes[i], steps_of(rules, each[i], f.shape()[axes[i]], axes[i], f.rank()),
                               std::max<int64_t>(edge_order, 1)));
  return out;
}

// ---- areas

namespace {

// Of each pair of neighbours, twice the area between them.
Array double_areas(const Rules& rules, const Array& y, const Array* x, const Argument* dx, size_t axis) {
  Array both = rules(Op::add, samples(y, axis, 1, 0), samples(y, axis, 0, 1));
  if (!x) return dx ? rules(Op::multiply, both, *dx) : both;
  const size_t behind = y.rank() - axis;  // axes, this one too
  if (is_torch(rules) && x->rank() > 0 && (x->rank() == 1 || x->rank() >= behind)) {
    const int64_t points = x->shape()[x->rank() == 1 ? 0 : x->rank() - behind];
    if (points != y.shape()[axis])
      raise(ErrorKind::runtime, "There must be one `x` value for each sample point: there are {} of them, and {} sample points",
            points, y.shape()[axis]);
  }
  if (x->rank() == 1) return rules(Op::multiply, laid_along(differences(*x, 1, 0), axis, y.rank()), both);
  size_t from_end = y.rank() - axis;
  if (from_end > x->rank())
    raise(ErrorKind::value, "[trapezoid] the coordinates have {} dimensions, which do not reach to axis {} of {}", x->rank(),
          axis, y.rank());
  return rules(Op::multiply, differences(*x, 1, x->rank() - from_end), both);
}

}  // namespace

// PyTorch's for steps of one length: what is added is the sum of all, in the sum's type, less half of both ends.
static Array area_of_even_steps(const Rules& rules, const Array& y, const Argument* dx, size_t axis) {
  const int64_t size = y.shape()[axis];
  const auto along = static_cast<int>(axis);
  Array total = reduced(Reduction::sum, y, along, false, is_whole(y.dtype()) ? DType::int64 : y.dtype());
  if (size == 0) return as_type(total, y.dtype());
  const Array ends = rules(Op::add, element(y, along, 0), element(y, along, size - 1));
  total = rules(Op::subtract, total, rules(Op::multiply, ends, 0.5));
  return dx ? rules(Op::multiply, total, *dx) : rules(Op::multiply, total, 1.0);
}

// The area under y by trapezoids, between coordinates x or steps of dx; and up to each sample.
Array area(const Rules& rules, const Array& y, const Array* x, const Argument* dx, SampledAxis axis) {
  if (is_torch(rules) && !x) return area_of_even_steps(rules, y, dx, axis.place);
  Array areas = double_areas(rules, y, x, dx, axis.place);
  Over over{.axes = std::vector<bool>(areas.rank(), false)};
  over.axes[areas.rank() - (y.rank() - axis.place)] = true;
  // The order of both is the peers'.
  if (is_torch(rules)) return rules(Op::true_divide, sum(areas, over), 2);
  return sum(rules(Op::true_divide, areas, 2.0), over);
}

// The same in the type of all together.
Array area_of_alike(const AlikeArrays& of, const Array& dx, SampledAxis axis) {
  const DType type = of.a.dtype(), wide = wide_type(type);
  const Array y = as_type(of.a, wide);
  if (!of.b) {
    const Array step = as_type(dx, wide);
    const Argument argument(step);
    return as_type(area(numpys_rules, y, nullptr, &argument, axis), type);
  }
  const Array x = as_type(*of.b, wide);
  return as_type(area(numpys_rules, y, &x, nullptr, axis), type);
}

Array running_area(const Rules& rules, const Array& y, const Array* x, const Argument* dx, SampledAxis axis) {
  Array areas = double_areas(rules, y, x, dx, axis.place);
  return rules(Op::true_divide, running_sum(areas, areas.rank() - (y.rank() - axis.place), {}), 2);
}

// ---- sums of products

namespace {

constexpr int64_t products_at_once = int64_t{1} << 22;
// More are taken by transforms of both, whose errors are those of the largest element, and whose NaN are everywhere.
constexpr int64_t most_products = int64_t{1} << 27;

Array by_transforms(const Array& a, const Array& v, int64_t left, int64_t count) {
  const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(a.size() + v.size())));
  const bool is_real = !is_complex(a.dtype());
  auto transform = [&](const Array& x, const char* kind) { return fft::transformed(x, kind, size, 0, fft::Norm::backward); };
  const char* forward = is_real ? "half" : "forward";
  Array product = multiply(transform(a, forward), transform(flipped(v, {}), forward));
  const int64_t first = v.size() - 1 - left;
  return as_type(part(transform(product, is_real ? "whole" : "backward"), 0, first, first + count), a.dtype());
}

// sum(a[k + i] v[i]) for k from `first`, `count` of them; what lies outside of a is no product, not one with 0: v may have
// infinities.
Array sums_at_edge(const Array& a, const Array& v, int64_t first, int64_t count) {
  const int64_t n = a.size(), each = std::max<int64_t>(products_at_once / count, 1);
  std::optional<Array> total;
  for (int64_t j = 0; j < v.size(); j += each) {
    Array some = part(v, 0, j, std::min(j + each, v.size()));
    Array starts = reshape(evenly_spaced(whole(first + j), whole(1), count, DType::int64, a.device()), {count, 1});
    Array places = add(starts, arange(some.size(), a.device()));
    Array inside = bitwise_and(greater_equal(places, 0), compute(Op::less, places, n));
    Array products = multiply(taken(a, places, 0, "clip"), some);
    Array found = sum(where(inside, products, as_type(full({}, whole(0), a.dtype(), a.device()), products.dtype())),
                      {.axes = {false, true}});
    total = total ? add(*total, found) : found;
  }
  return as_type(*total, a.dtype());
}

// sum(a[k + i] v[i]) for all k where the two overlap; a is the longer one.
Array sums_of_products(Array a, Array v, Overlap mode) {
  const int64_t n = a.size(), m = v.size();
  const int64_t left = mode == Overlap::full ? m - 1 : mode == Overlap::same ? m / 2 : 0;
  const int64_t right = mode == Overlap::full ? m - 1 : mode == Overlap::same ? (m - 1) / 2 : 0;
  const DType type = common(a.dtype(), v.dtype());
  a = as_type(a, type), v = as_type(v, type);
  const bool is_inexact = is_complex(type) || row(type).kind == DTypeKind::real;
  if (n * m > most_products && is_inexact) return by_transforms(a, v, left, n + left + right - m + 1);
  const int64_t count = n - m + 1, each = std::max<int64_t>(products_at_once / count, 1);  // so many of v at a time
  std::optional<Array> total;
  for (int64_t j = 0; j < m; j += each) {
    Array some = part(v, 0, j, std::min(j + each, m));
    Array starts = reshape(evenly_spaced(whole(j), whole(1), count, DType::int64, a.device()), {count, 1});
    Array places = add(starts, arange(some.size(), a.device()));
    Array found = matmul(taken(a, places, 0, "clip"), some);
    total = total ? add(*total, found) : found;
  }
  std::vector<Array> pieces{*total};
  if (left > 0) pieces.insert(pieces.begin(), sums_at_edge(a, v, -left, left));
  if (right > 0) pieces.push_back(sums_at_edge(a, v, count, right));
  return pieces.size() == 1 ? pieces[0] : joined(pieces, 0);
}

Array line_of(const Array& a, const char* name) {
  if (a.rank() > 1)
    raise(ErrorKind::value, "object too deep for desired array: `{}` has {} dimensions; it can have one", name, a.rank());
  if (a.size() == 0) raise(ErrorKind::value, "{} cannot be empty", name);
  return a.rank() == 0 ? reshape(a, {1}) : a;
}

}  // namespace

Array convolution(const Array& first, const Array* second, Overlap mode) {
  Array a = line_of(first, "a"), v = line_of(needed(second, "convolve", "v"), "v");
  if (v.size() > a.size()) std::swap(a, v);
  return sums_of_products(a, flipped(v, {}), mode);
}

Array correlation_of_alike(const Alike& of, Overlap mode) { return cross_correlation(of.a, &of.b, mode); }
Array cross_correlation(const Array& first, const Array* second, Overlap mode) {
  Array a = line_of(first, "first array argument"), v = line_of(needed(second, "correlate", "v"), "second array argument");
  v = conj(v);
  if (v.size() <= a.size()) return sums_of_products(a, v, mode);
  return copied(flipped(sums_of_products(v, a, mode), {}), common(a.dtype(), v.dtype()), Order::c);  // from the other end
}

// ---- between points

namespace {

struct Points {
  Array x, f;
};

void check_points(const Points& points, const char* why) {
  if (points.x.rank() != 1 || points.f.rank() != 1) raise(ErrorKind::value, "{}", why);
  if (points.x.size() == 0) raise(ErrorKind::value, "array of sample points is empty");
  if (points.x.size() != points.f.size()) raise(ErrorKind::value, "fp and xp are not of the same length.");
}

// Of one period, in order, with the nearest points of the periods beside it.
Points of_period(const Points& points, double period) {
  check_points(points, "Data points must be 1-D sequences");
  Array x = remainder(points.x, period), order = ordered_places(x, false, 0);
  x = taken(x, order, 0, "clip");
  Array f = taken(points.f, order, 0, "clip");
  const int64_t n = x.size();
  Array before = subtract(part(x, 0, n - 1, n), period), after = add(part(x, 0, 0, 1), period);
  return {joined({before, x, after}, 0), joined({part(f, 0, n - 1, n), f, part(f, 0, 0, 1)}, 0)};
}

Array value_between(const Array& x, const Points& points) {
  const int64_t n = points.x.size();
  Array at = subtract(searched(points.x, x, true, nullptr), 1);
  at = minimum(maximum(at, 0), n - 2);
  Array next = add(at, 1);
  Array x0 = taken(points.x, at, 0, "clip"), x1 = taken(points.x, next, 0, "clip");
  Array f0 = taken(points.f, at, 0, "clip"), f1 = taken(points.f, next, 0, "clip");
  Array slope = true_divide(subtract(f1, f0), subtract(x1, x0));
  auto from = [&](const Array& start, const Array& value) { return add(multiply(slope, subtract(x, start)), value); };
  Array made = from(x0, f0);
  // Where an end is infinite the other one may tell, and equal ends tell in any case.
  Array other = where(isnan(made), from(x1, f1), made);
  Array is_level = bitwise_or(equal(f0, f1), equal(x, x0));
  made = where(bitwise_and(isnan(other), is_level), f0, other);
  return where(equal(x, element(points.x, 0, n - 1)), element(points.f, 0, n - 1), made);
}

}  // namespace

// The values at x of the lines between points (xp, fp), where xp rises; beyond the ends `left` and `right`, by default the values
// there. With a period of x and xp these need not rise.
Array interpolated(const Array& at, const Array* xp, const Array* fp, const Argument* left, const Argument* right,
                   std::optional<double> period) {
  const Array& values = needed(fp, "interp", "fp");
  Points points{as_type(needed(xp, "interp", "xp"), DType::float64),
                as_type(values, is_complex(values.dtype()) ? DType::complex128 : DType::float64)};
  if (is_complex(at.dtype())) raise(ErrorKind::type, "[interp] complex `x` is not supported; pass its real part");
  Array x = as_type(at, DType::float64);
  if (period) {
    if (*period == 0) raise(ErrorKind::value, "period must be a non-zero value");
    x = remainder(x, std::abs(*period));
    points = of_period(points, std::abs(*period));
    left = right = nullptr;
  }
  check_points(points, "object too deep for desired array");
  const int64_t n = points.x.size();
  Array first = element(points.x, 0, 0), last = element(points.x, 0, n - 1);
  Array made = n == 1 ? element(points.f, 0, 0) : value_between(x, points);
  made = where(compute(Op::less, x, first), left ? *left : Argument(element(points.f, 0, 0)), made);
  made = where(greater(x, last), right ? *right : Argument(element(points.f, 0, n - 1)), made);
  if (n > 1) made = where(isnan(x), x, made);
  if (made.rank() == 0) made.set_value(true);  // NumPy gives a scalar
  return made;
}

}  // namespace quern
