#include "functions/averages.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"

namespace quern {

using namespace steps;

namespace {

bool any(const Array& test) {
  bool out;
  read_into(reduced(Reduction::any, test, all_axes(test)), &out, sizeof out);
  return out;
}

void check_sum(const Array& total, const char* text) {
  if (any(equal(total, 0))) raise(ErrorKind::zero_division, "{}, can't be normalized", text);
}

void check_weights(const Array& weights, const char* name, int64_t count, bool must_be_whole) {
  if (must_be_whole && any(not_equal(weights, rint(weights)))) raise(ErrorKind::type, "[cov] {} must be integer", name);
  if (weights.rank() > 1) raise(ErrorKind::runtime, "[cov] cannot handle multidimensional {}", name);
  if (weights.rank() == 0 || weights.shape()[0] != count)
    raise(ErrorKind::runtime, "[cov] incompatible numbers of samples and {}", name);
  if (any(less(weights, 0))) raise(ErrorKind::value, "cov(): {} cannot be negative", name);
}

Array limited_parts(const Array& a) {
  if (!is_complex(a.dtype())) return minimum(maximum(a, -1), 1);
  Array out = copied(a, a.dtype());
  for (const Array& part : {out.real(), out.imag()}) assign(part, Argument(limited_parts(part)));
  return out;
}

}  // namespace

// Weights of the array's shape, or of that of its axes in this order, as they broadcast to it.
static Array fitted(const Array& array, const Array& weights, const std::optional<std::vector<size_t>>& axes, ErrorKind refusal) {
  if (array.shape() == weights.shape()) return weights;
  if (!axes) raise(refusal, "[average] Axis must be specified when shapes of a and weights differ.");
  Layout out{Shape(array.rank(), 1), std::vector<int64_t>(array.rank(), 0), weights.layout().offset};
  Shape named;
  for (size_t axis : *axes) named.push_back(array.shape()[axis]);
  if (weights.shape() != named)
    raise(ErrorKind::value, "[average] Shape of weights must be consistent with shape of a along specified axis.");
  for (size_t n = 0; n < named.size(); ++n) {
    out.shape[(*axes)[n]] = named[n];
    out.strides[(*axes)[n]] = weights.layout().strides[n];
  }
  return weights.view(std::move(out));
}

Average average(const Array& array, const Array& weights, const std::optional<std::vector<size_t>>& axes, bool keep_dims) {
  Array given = fitted(array, weights, axes, ErrorKind::type);
  DType type = common(array.dtype(), weights.dtype());
  if (is_whole(array.dtype())) type = common(type, DType::float64);
  std::vector<bool> goes(array.rank(), !axes);
  for (size_t axis : axes.value_or(std::vector<size_t>())) goes[axis] = true;
  Array counted = as_type(given, type), total = reduce(Reduction::sum, counted, goes, keep_dims, type);
  check_sum(total, "[average] Weights sum to zero");
  Array product = multiply(as_type(array, type), counted);
  return {true_divide(reduce(Reduction::sum, product, goes, keep_dims, type), total), total};
}

// The same in the type that both have together; weights whose sum is 0 give infinities or NaN.
Array average_of_alike(const AlikeArrays& of, const std::optional<std::vector<size_t>>& axes) {
  const DType type = of.a.dtype(), wide = wide_type(type);
  Over over{std::vector<bool>(of.a.rank(), !axes)};
  for (size_t axis : axes.value_or(std::vector<size_t>())) over.axes[axis] = true;
  if (!of.b) return as_type(mean(of.a, over), type);
  const Array weights = as_type(fitted(of.a, *of.b, axes, ErrorKind::value), wide);
  return as_type(true_divide(sum(multiply(as_type(of.a, wide), weights), over), sum(weights, over)), type);
}

// Variables in rows.
static Array rows_of(const char* name, const Array& m, bool in_rows, DType type) {
  if (m.rank() > 2) raise(ErrorKind::value, "[cov] {} has more than 2 dimensions", name);
  Array rows = as_type(m, type);
  if (m.rank() < 2) return reshape(rows, {1, m.size()});
  return in_rows ? rows : transpose(rows, {1, 0});
}

Covariance covariance(const Array& m, const Array* more, bool in_rows, double ddof, const Array* given_repeated,
                      const Array* given_counting, std::optional<DType> dtype) {
  DType type = dtype.value_or(common(common(m.dtype(), more ? more->dtype() : m.dtype()), DType::float64));
  Array x = rows_of("m", m, in_rows, type), y;
  if (more) y = rows_of("y", *more, in_rows || more->rank() < 2 || more->shape()[0] == 1, type);
  if (x.shape()[0] == 0) return {full({0, 0}, whole(0), DType::float64, m.device())};
  if (more) x = joined({x, y}, 0);
  Array weights_of[2];
  const Array *repeated = nullptr, *counting = nullptr;
  if (given_repeated) repeated = &(weights_of[0] = as_type(*given_repeated, DType::float64));
  if (given_counting) counting = &(weights_of[1] = as_type(*given_counting, DType::float64));
  int64_t count = x.shape()[1];
  if (repeated) check_weights(*repeated, "fweights", count, true);
  if (counting) check_weights(*counting, "aweights", count, false);
  Covariance out;
  Array mean, weights, scale;
  if (!repeated && !counting) {
    double divisor = static_cast<double>(count) - ddof;
    out.is_degenerate = divisor <= 0;
    mean = quern::mean(x, last_axis(x, true));
    scale = full({}, real_number(out.is_degenerate ? std::numeric_limits<double>::infinity() : 1 / divisor), DType::float64,
                 x.device());
  } else {
    weights = !repeated ? *counting : !counting ? *repeated : multiply(*repeated, *counting);
    Array lines = weights.view(weights.layout().broadcast_to({1, count}));
    DType type = common(x.dtype(), weights.dtype());
    // The sum of the weights is the same for each row.
    Array total = reduced(Reduction::sum, weights, -1, false, DType::float64);
    check_sum(total, "cov(): weights sum to zero");
    Array product = multiply(as_type(x, type), lines);
    mean = true_divide(reduced(Reduction::sum, product, -1, true, type), total);
    Array divisor = total;
    if (ddof != 0 && !counting) {
      divisor = subtract(total, ddof);
    } else if (ddof != 0) {
      Array squares = reduced(Reduction::sum, multiply(weights, *counting), -1, false, DType::float64);
      divisor = subtract(total, true_divide(multiply(squares, ddof), total));
    }
    out.is_degenerate = !(values_of<double>(divisor)[0] > 0);
    scale = true_divide(1, maximum(divisor, 0.0));
  }
  Array far = subtract(x, mean), other = far;
  if (weights) other = multiply(far, weights.view(weights.layout().broadcast_to({1, count})));
  if (is_complex(other.dtype())) other = conjugate(other);
  Array products = multiply(expand_dims(far, 1), expand_dims(other, 0));
  Array sums = reduced(Reduction::sum, products, -1, false, products.dtype());
  out.values = as_type(multiply(sums, scale), sums.dtype());
  if (x.shape()[0] == 1) out.values = reshape(out.values, {});
  return out;
}

Array correlation(const Array& c) {
  if (c.rank() == 0) return true_divide(c, c);
  const Layout& layout = c.layout();
  Array diagonal = c.view({{layout.shape[0]}, {layout.strides[0] + layout.strides[1]}, layout.offset}).real();
  Array deviation = sqrt(diagonal);
  Array scaled = true_divide(true_divide(c, expand_dims(deviation, 1)), expand_dims(deviation, 0));
  return limited_parts(scaled);
}

Averages averages(const Array& array, const std::optional<std::vector<size_t>>& axes, const Array* weights, bool gives_total,
                  bool keep_dims) {
  Array result, total;
  if (weights) {
    Average made = average(array, *weights, axes, keep_dims);
    result = made.mean, total = made.total;
  } else {
    Over over{std::vector<bool>(array.rank(), !axes), keep_dims};
    for (size_t axis : axes.value_or(std::vector<size_t>())) over.axes[axis] = true;
    result = mean(array, over);
    if (gives_total) total = full({}, real_number(static_cast<double>(count_over(array, over))), result.dtype(), array.device());
  }
  if (!gives_total) return {{result}};
  if (total.shape() != result.shape()) total = copied(total.view(total.layout().broadcast_to(result.shape())), total.dtype());
  return {{result, total}};
}

Covariance covariances(const Array& m, const Array* more, bool in_rows, bool is_biased, std::optional<double> ddof,
                       const Array* repeated, const Array* counting, std::optional<DType> dtype) {
  if (ddof && *ddof != std::trunc(*ddof)) raise(ErrorKind::value, "ddof must be integer");
  if (dtype && is_whole(*dtype))  // the means, which have fractions, are subtracted in it
    raise(ErrorKind::type, "Cannot cast array data from float64 to {} according to the rule 'same_kind'", row(*dtype).name);
  return covariance(m, more, in_rows, ddof.value_or(is_biased ? 0 : 1), repeated, counting, dtype);
}

static Covariance correlated(Covariance&& found) {
  found.values = correlation(found.values);
  return std::move(found);
}
Covariance correlations(const Array& m, const Array* more, bool in_rows, WithoutEffect, std::optional<DType> dtype) {
  return correlated(covariances(m, more, in_rows, false, {}, nullptr, nullptr, dtype));
}

Covariance covariances_of_rows(const Array& m, int64_t ddof, const Array* repeated, const Array* counting,
                               std::optional<DType> dtype) {
  Covariance out = covariance(m, nullptr, true, static_cast<double>(ddof), repeated, counting, dtype);
  DType type = dtype.value_or(m.dtype());
  out.values = as_type(out.values, counting ? common(type, counting->dtype()) : type);
  return out;
}
Covariance correlations_of_rows(const Array& m, std::optional<DType> dtype) {
  return correlated(covariances_of_rows(m, 1, nullptr, nullptr, dtype));
}

}  // namespace quern
