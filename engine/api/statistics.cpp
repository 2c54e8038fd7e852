// quern/statistics.h on functions/: reductions.h, quantiles.h, averages.h, counting.h, rounding.h.
#include "quern/statistics.h"

#include "api/bodies.h"
#include "functions/averages.h"
#include "functions/counting.h"
#include "functions/quantiles.h"
#include "functions/rounding.h"

namespace qn {

using namespace inside;

namespace {

Axes one_or_all(std::optional<int> axis) { return axis ? Axes(*axis) : Axes(); }

Array quantiles(const Array& a, std::vector<double> q, bool is_one, double scale, std::optional<int> axis, QuantileMethod method,
                bool keepdims, Here here) {
  return asked(here, [&] {
    for (double& one : q) one /= scale;
    Shape shape;
    if (!is_one) shape.push_back(static_cast<int64_t>(q.size()));
    quern::Quantiles which{std::move(q), std::move(shape), {false, is_one, DType::float64}};
    if (scale != 1) which.function = "percentile", which.whole = scale;
    return wrap(quern::quantile(a.handle(), which, given(Over{a, one_or_all(axis), keepdims}),
                                {quern::quantile_methods[static_cast<size_t>(method)]}, false));
  });
}

quern::Array covariances(const Array& m, const CovarianceOptions& options) {
  auto weights = [](const std::optional<Array>& given) { return given ? &given->handle() : nullptr; };
  return quern::covariance(m.handle(), nullptr, true, options.ddof, weights(options.fweights), weights(options.aweights), {})
      .values;
}

Histogram wrapped(std::pair<quern::Array, quern::Array>&& made) {
  return {wrap(std::move(made.first)), wrap(std::move(made.second))};
}
const quern::Array* weights_in(const HistogramOptions& options) { return options.weights ? &options.weights->handle() : nullptr; }

}  // namespace

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

Array cov(const Array& m, const CovarianceOptions& options, Here here) {
  return asked(here, [&] { return wrap(covariances(m, options)); });
}
Array corrcoef(const Array& m, Here here) {
  return asked(here, [&] { return wrap(quern::correlation(covariances(m, {}))); });
}

Histogram histogram(const Array& a, int64_t bins, const HistogramOptions& options, Here here) {
  return asked(here, [&] {
    auto [first, last] = options.range.value_or(std::pair(0.0, 0.0));
    Scalar low = real_number(first), high = real_number(last);
    bool has_range = options.range.has_value();
    return wrapped(quern::even_histogram(a.handle(), bins, has_range ? &low : nullptr, has_range ? &high : nullptr,
                                         weights_in(options), options.density));
  });
}
Histogram histogram(const Array& a, const std::vector<double>& edges, const HistogramOptions& options, Here here) {
  return asked(here, [&] {
    if (!std::is_sorted(edges.begin(), edges.end())) raise(ErrorKind::value, "[histogram] `bins` must increase monotonically");
    Array on_device = array(edges, a.device(), here);
    return wrapped(quern::histogram(a.handle(), on_device.handle(), weights_in(options), options.density));
  });
}

Array isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return asked(a.here(), [&] {
    Array first;
    if (!a.array() && !b.array()) first = made({}, scalar_of(a), default_type(scalar_of(a)), Device());
    quern::Argument x = a.array() || b.array() ? argument_of(a) : quern::Argument(first.handle());
    return wrap(quern::near(quern::numpys_rules, x, argument_of(b), real_number(rtol), real_number(atol), equal_nan));
  });
}

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return asked(a.here(), [&] { return bool(isclose(a, b, rtol, atol, equal_nan).all({}, false, a.here())); });
}

bool array_equal(const Array& a, const Array& b, Here here) {
  return asked(here, [&] { return a.shape() == b.shape() && bool(equal({a, here}, {b, here}).all({}, false, here)); });
}

}  // namespace qn
