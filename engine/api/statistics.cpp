// quern/statistics.h on operations of arrays and on run/calls/: sorting.h, quantiles.h, averages.h, counting.h.
#include "quern/statistics.h"

#include <cmath>

#include "api/bodies.h"
#include "functions/averages.h"
#include "functions/counting.h"
#include "functions/quantiles.h"
#include "functions/rounding.h"
#include "run/calls/sorting.h"

namespace qn {

using namespace inside;

namespace {

Array running(const char* op, const Array& a, std::optional<int> axis, std::optional<DType> dtype, Here here) {
  return asked(here, [&] {
    if (axis && a.handle().rank() == 0) checked_axis(*axis, 1);
    bool flat = !axis || a.handle().rank() == 0;
    Array all = flat ? a.ravel(here) : a;
    size_t n = flat ? 0 : checked_axis(*axis, a.handle().rank());
    DType type = dtype.value_or(quern::summed_type(a.dtype()));
    if (!quern::has_scan(op, type)) raise(ErrorKind::type, "[cumsum] running values of {} are not served", name_of(type));
    return wrap(quern::running(as_type(all, type).handle(), op, n));
  });
}

}  // namespace

Array var(const Array& a, const Axes& axes, double ddof, bool keepdims, Here here) {
  return asked(here, [&] { return wrap(quern::variance(a.handle(), over(a, axes, keepdims), ddof)); });
}

Array std(const Array& a, const Axes& axes, double ddof, bool keepdims, Here here) {
  return asked(here, [&] { return wrap(quern::deviation(a.handle(), over(a, axes, keepdims), ddof)); });
}

Array ptp(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return asked(here, [&] { return wrap(quern::spread(a.handle(), over(a, axes, keepdims))); });
}

namespace {

quern::Over over_one(const Array& a, std::optional<int> axis, bool keepdims) {
  return over(a, axis ? Axes(*axis) : Axes(), keepdims);
}

const char* name_of_method(QuantileMethod method) {
  static constexpr const char* names[] = {"linear",
                                          "lower",
                                          "higher",
                                          "midpoint",
                                          "nearest",
                                          "inverted_cdf",
                                          "averaged_inverted_cdf",
                                          "closest_observation",
                                          "interpolated_inverted_cdf",
                                          "hazen",
                                          "weibull",
                                          "median_unbiased",
                                          "normal_unbiased"};
  return names[static_cast<size_t>(method)];
}

Array quantiles(const Array& a, std::vector<double> q, bool is_one, double scale, std::optional<int> axis, QuantileMethod method,
                bool keepdims, Here here) {
  return asked(here, [&] {
    for (double& one : q) one /= scale;
    Shape shape;
    if (!is_one) shape.push_back(static_cast<int64_t>(q.size()));
    return wrap(quern::quantiles(a.handle(), over_one(a, axis, keepdims), q, shape, name_of_method(method),
                                 {false, is_one, DType::float64}, false));
  });
}

Array cumulative(const char* op, const Array& a, std::optional<int> axis, std::optional<DType> dtype, bool include_initial,
                 int initial, Here here) {
  return asked(here, [&] {
    if (!axis && a.ndim() > 1) raise(ErrorKind::value, "[cumulative_{}] the array has several axes; name one", op);
    Array out = running(op == std::string_view("sum") ? "add" : "multiply", a, axis, dtype, here);
    return include_initial
               ? wrap(quern::with_first(out.handle(), whole(initial), checked_axis(axis.value_or(0), out.handle().rank())))
               : out;
  });
}

// As a matrix of rows, in float64 at least.
Array variables(const Array& m, Here here) {
  if (m.ndim() > 2) raise(ErrorKind::value, "[cov] m has more than 2 dimensions");
  Array rows = m.ndim() == 2 ? m : m.reshape({1, m.size()}, here);
  return as_type(rows, common_type({m.dtype(), DType::float64}));
}

Array covariances(const Array& m, const CovarianceOptions& options, Here here) {
  Array rows = variables(m, here);
  if (rows.shape(0) == 0) return made({0, 0}, whole(0), DType::float64, m.device());
  auto weights = [](const std::optional<Array>& given) {
    return given ? as_type(*given, DType::float64).handle() : quern::Array();
  };
  quern::Array repeated = weights(options.fweights), counting = weights(options.aweights);
  return wrap(std::move(quern::covariance(rows.handle(), options.ddof, options.fweights ? &repeated : nullptr,
                                          options.aweights ? &counting : nullptr)
                            .values));
}

Histogram counted_in(const Array& a, const Array& edges, const quern::EvenBins* even, const HistogramOptions& options) {
  const quern::Array* weights = options.weights ? &options.weights->handle() : nullptr;
  return {wrap(quern::histogram_counts(a.handle(), edges.handle(), even, weights, options.density)), edges};
}

}  // namespace

Array median(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return asked(here, [&] { return wrap(quern::median(a.handle(), over_one(a, axis, keepdims))); });
}

Array quantile(const Array& a, double q, std::optional<int> axis, QuantileMethod method, bool keepdims, Here here) {
  return quantiles(a, {q}, true, 1, axis, method, keepdims, here);
}
Array quantile(const Array& a, const std::vector<double>& q, std::optional<int> axis, QuantileMethod method, bool keepdims,
               Here here) {
  return quantiles(a, q, false, 1, axis, method, keepdims, here);
}
Array percentile(const Array& a, double q, std::optional<int> axis, QuantileMethod method, bool keepdims, Here here) {
  return quantiles(a, {q}, true, 100, axis, method, keepdims, here);
}
Array percentile(const Array& a, const std::vector<double>& q, std::optional<int> axis, QuantileMethod method, bool keepdims,
                 Here here) {
  return quantiles(a, q, false, 100, axis, method, keepdims, here);
}

Array average(const Array& a, const Array& weights, const Axes& axes, bool keepdims, Here here) {
  return asked(here, [&] {
    std::vector<bool> goes = chosen(axes, a.handle().rank());
    std::vector<int> named;
    for (int axis : axes.list()) named.push_back(static_cast<int>(checked_axis(axis, goes.size())));
    quern::Array fitted = quern::fitted_weights(a.handle(), weights.handle(), axes.all() ? nullptr : &named);
    DType type = common_type({a.dtype(), weights.dtype()});
    if (is_integer_or_bool(a.dtype())) type = common_type({type, DType::float64});
    return wrap(std::move(quern::average(a.handle(), fitted, goes, keepdims, type).mean));
  });
}

Array cov(const Array& m, const CovarianceOptions& options, Here here) {
  return asked(here, [&] { return covariances(m, options, here); });
}
Array corrcoef(const Array& m, Here here) {
  return asked(here, [&] { return wrap(quern::correlation(covariances(m, {}, here).handle())); });
}

Array bincount(const Array& a, int64_t minlength, Here here) {
  return asked(here, [&] { return wrap(quern::bincount(a.handle(), nullptr, minlength)); });
}
Array bincount(const Array& a, const Array& weights, int64_t minlength, Here here) {
  return asked(here, [&] { return wrap(quern::bincount(a.handle(), &weights.handle(), minlength)); });
}

Histogram histogram(const Array& a, int64_t bins, const HistogramOptions& options, Here here) {
  return asked(here, [&] {
    if (bins < 1) raise(ErrorKind::value, "[histogram] there are {} bins; it must be one or more", bins);
    if (quern::is_complex(a.dtype())) raise(ErrorKind::type, "[histogram] complex numbers have no order; take their real parts");
    auto [first, last] = options.range.value_or(std::pair(0.0, 1.0));
    if (!options.range && a.size() > 0) {
      first = a.min({}, false, here).item<double>(here);
      last = a.max({}, false, here).item<double>(here);
    }
    if (!(std::isfinite(first) && std::isfinite(last)))
      raise(ErrorKind::value, "[histogram] the range of [{}, {}] is not finite", first, last);
    if (first > last)
      raise(ErrorKind::value, "[histogram] the range of [{}, {}] falls; max must be larger than min", first, last);
    if (first == last) {
      first -= 0.5;
      last += 0.5;
    }
    DType type = is_integer_or_bool(a.dtype()) ? DType::float64 : a.dtype();
    Array edges = linspace(first, last, bins + 1, true, type, a.device(), here);
    quern::EvenBins even{real_number(first), real_number(last), real_number(last - first), bins};
    return counted_in(a, edges, &even, options);
  });
}
Histogram histogram(const Array& a, const std::vector<double>& edges, const HistogramOptions& options, Here here) {
  return asked(here, [&] {
    if (!std::is_sorted(edges.begin(), edges.end())) raise(ErrorKind::value, "[histogram] the edges fall; they must rise");
    return counted_in(a, array(edges, a.device(), here), nullptr, options);
  });
}

Array cumulative_sum(const Array& a, std::optional<int> axis, std::optional<DType> dtype, bool include_initial, Here here) {
  return cumulative("sum", a, axis, dtype, include_initial, 0, here);
}
Array cumulative_prod(const Array& a, std::optional<int> axis, std::optional<DType> dtype, bool include_initial, Here here) {
  return cumulative("prod", a, axis, dtype, include_initial, 1, here);
}

Array cumsum(const Array& a, std::optional<int> axis, std::optional<DType> dtype, Here here) {
  return running("add", a, axis, dtype, here);
}
Array cumprod(const Array& a, std::optional<int> axis, std::optional<DType> dtype, Here here) {
  return running("multiply", a, axis, dtype, here);
}

Array diff(const Array& a, int n, int axis, Here here) {
  return asked(here, [&] {
    if (a.handle().rank() == 0) raise(ErrorKind::value, "[diff] the array has no axes");
    return wrap(quern::differences(a.handle(), n, checked_axis(axis, a.handle().rank())));
  });
}

Array round(const Array& a, int decimals, Here here) {
  return asked(here, [&] { return wrap(quern::rounded(a.handle(), decimals)); });
}

Array isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return asked(a.here(), [&] {
    Array first;
    if (!a.array() && !b.array()) first = made({}, scalar_of(a), default_type(scalar_of(a)), Device());
    quern::Argument x = a.array() || b.array() ? argument_of(a) : operand(first);
    return wrap(quern::near(x, argument_of(b), real_number(rtol), real_number(atol), equal_nan));
  });
}

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return asked(a.here(), [&] { return bool(isclose(a, b, rtol, atol, equal_nan).all({}, false, a.here())); });
}

bool array_equal(const Array& a, const Array& b, Here here) {
  return asked(here, [&] { return a.shape() == b.shape() && bool(compute(Op::equal, a, b).all({}, false, here)); });
}

}  // namespace qn
