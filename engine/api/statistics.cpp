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

Array running(const char* op, const Array& a, std::optional<int> axis, std::optional<DType> dtype, Here here) {
  return asked(here, [&] {
    std::optional<size_t> n;
    if (axis) n = checked_axis(*axis, std::max<size_t>(a.handle().rank(), 1));
    std::optional<quern::Array> out = quern::accumulated(a.handle(), op, n, dtype);
    if (!out) raise(ErrorKind::type, "[cumsum] running values of {} are not served", name_of(dtype.value_or(a.dtype())));
    return wrap(std::move(*out));
  });
}

Axes one_or_all(std::optional<int> axis) { return axis ? Axes(*axis) : Axes(); }

Array quantiles(const Array& a, std::vector<double> q, bool is_one, double scale, std::optional<int> axis, QuantileMethod method,
                bool keepdims, Here here) {
  return asked(here, [&] {
    for (double& one : q) one /= scale;
    Shape shape;
    if (!is_one) shape.push_back(static_cast<int64_t>(q.size()));
    quern::Quantiles which{std::move(q), std::move(shape), {false, is_one, DType::float64}};
    return wrap(quern::quantile(a.handle(), which, given(Over{a, one_or_all(axis), keepdims}),
                                {quern::quantile_methods[static_cast<size_t>(method)]}, false));
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

Array var(const Array& a, const Axes& axes, double ddof, bool keepdims, Here here) {
  return call(here, quern::variance, a, Over{a, axes, keepdims}, ddof, nullptr);
}
Array std(const Array& a, const Axes& axes, double ddof, bool keepdims, Here here) {
  return call(here, quern::deviation, a, Over{a, axes, keepdims}, ddof, nullptr);
}
Array ptp(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return call(here, quern::spread, a, Over{a, axes, keepdims});
}
Array median(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return call(here, quern::median, a, Over{a, one_or_all(axis), keepdims});
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
    chosen(axes, a.handle().rank());  // none twice
    std::optional<std::vector<size_t>> named;
    if (!axes.all()) named.emplace();
    for (int axis : axes.list()) named->push_back(given(Along{a, axis}));
    return wrap(std::move(quern::average(a.handle(), weights.handle(), named, keepdims).mean));
  });
}

Array cov(const Array& m, const CovarianceOptions& options, Here here) {
  return asked(here, [&] { return wrap(covariances(m, options)); });
}
Array corrcoef(const Array& m, Here here) {
  return asked(here, [&] { return wrap(quern::correlation(covariances(m, {}))); });
}

Array bincount(const Array& a, int64_t minlength, Here here) { return call(here, quern::bincount, a, nullptr, minlength); }
Array bincount(const Array& a, const Array& weights, int64_t minlength, Here here) {
  return call(here, quern::bincount, a, &weights.handle(), minlength);
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
    if (!std::is_sorted(edges.begin(), edges.end())) raise(ErrorKind::value, "[histogram] the edges fall; they must rise");
    Array on_device = array(edges, a.device(), here);
    return wrapped(quern::histogram(a.handle(), on_device.handle(), weights_in(options), options.density));
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

Array round(const Array& a, int decimals, Here here) { return call(here, quern::rounded, a, decimals); }

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
