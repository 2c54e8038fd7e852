// quern/nn.h on functions/: activations.h, losses.h, networks.h, norms.h.
#include "quern/nn.h"

#include "api/bodies.h"
#include "functions/activations.h"
#include "functions/losses.h"
#include "functions/networks.h"
#include "functions/norms.h"

namespace qn::nn {

using namespace inside;
namespace bodies = quern::nn;

namespace {

bodies::LossReduction given(Reduction reduction) {
  using R = bodies::LossReduction;
  return reduction == Reduction::none ? R::none : reduction == Reduction::mean ? R::mean : R::sum;
}

const quern::Array* handle_in(const std::optional<Array>& array) { return array ? &array->handle() : nullptr; }

bodies::SoftmaxAxes softmax_axes(const Array& x, const Axes& axes) { return {inside::given(Over{x, axes, true}).axes}; }

// Integers as the class numbers that bodies take.
quern::Array classes_of(const Array& target) {
  const quern::Array& array = target.handle();
  return quern::is_integer(array.dtype()) ? quern::steps::as_type(array, DType::int64) : array;
}

}  // namespace

// ---- activations

Array gelu(const Array& x, Gelu formula, Here here) {
  const bool is_exact = formula == Gelu::exact;
  return call(here, bodies::gelu, x, is_exact ? bodies::GeluFormula::exact : bodies::GeluFormula::tangent);
}
Array silu(const Array& x, Here here) { return call(here, bodies::silu, x); }
Array mish(const Array& x, Here here) { return call(here, bodies::mish, x); }
Array softplus(const Array& x, double beta, Here here) {
  return asked(here, [&] { return wrap(bodies::softplus(x.handle(), beta, {})); });
}
Array log_sigmoid(const Array& x, Here here) { return call(here, bodies::log_sigmoid, x); }
Array elu(const Array& x, double alpha, Here here) { return call(here, bodies::elu, x, alpha); }
Array celu(const Array& x, double alpha, Here here) {
  if (alpha == 0) raise(ErrorKind::value, "[celu] alpha must not be 0");
  return call(here, bodies::celu, x, alpha);
}
Array selu(const Array& x, Here here) { return call(here, bodies::selu, x); }
Array leaky_relu(const Array& x, double negative_slope, Here here) { return call(here, bodies::leaky_relu, x, negative_slope); }
Array prelu(const Array& x, const Array& weight, Here here) { return call(here, bodies::prelu, x, weight); }
Array hardtanh(const Array& x, double low, double high, Here here) { return call(here, bodies::hardtanh, x, low, high); }
Array hardsigmoid(const Array& x, Here here) { return call(here, bodies::hardsigmoid, x); }
Array hardswish(const Array& x, Here here) { return call(here, bodies::hardswish, x); }
Array softshrink(const Array& x, double lambda, Here here) { return call(here, bodies::softshrink, x, lambda); }
Array hardshrink(const Array& x, double lambda, Here here) { return call(here, bodies::hardshrink, x, lambda); }
Array softsign(const Array& x, Here here) { return call(here, bodies::softsign, quern::numpys_rules, x); }
Array tanhshrink(const Array& x, Here here) { return call(here, bodies::tanhshrink, quern::numpys_rules, x); }
Array glu(const Array& x, int axis, Here here) { return call(here, bodies::glu, x, Along{x, axis}); }

Array softmax(const Array& x, const Axes& axes, Here here) {
  return asked(here, [&] { return wrap(bodies::softmax(x.handle(), softmax_axes(x, axes), {})); });
}
Array log_softmax(const Array& x, const Axes& axes, Here here) {
  return asked(here, [&] { return wrap(bodies::log_softmax(x.handle(), softmax_axes(x, axes), {})); });
}

// ---- layers

Array linear(const Array& x, const Array& weight, const std::optional<Array>& bias, Here here) {
  return call(here, bodies::linear, x, weight, handle_in(bias));
}
Array layer_norm(const Array& x, const Shape& sizes, const NormOptions& options, Here here) {
  return call(here, bodies::layer_norm, x, sizes, handle_in(options.weight), handle_in(options.bias), options.eps);
}
Array group_norm(const Array& x, int64_t groups, const NormOptions& options, Here here) {
  return call(here, bodies::group_norm, x, groups, handle_in(options.weight), handle_in(options.bias), options.eps);
}
Array rms_norm(const Array& x, const Shape& sizes, const std::optional<Array>& weight, std::optional<double> eps, Here here) {
  return call(here, bodies::rms_norm, x, sizes, handle_in(weight), eps);
}
Array normalize(const Array& x, int axis, double eps, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::normalize(real, {}, {inside::given(Along{x, axis})}, eps));
  });
}
Array cosine_similarity(const Array& x1, const Array& x2, int axis, double eps, Here here) {
  return call(here, bodies::cosine_similarity, quern::numpys_rules, x1, x2, int64_t{axis}, eps);
}

// ---- losses

Array l1_loss(const Array& x, const Array& target, Reduction reduction, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::l1_loss(quern::numpys_rules, real, target.handle(), nullptr, given(reduction)));
  });
}
Array mse_loss(const Array& x, const Array& target, Reduction reduction, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::mse_loss(real, target.handle(), nullptr, given(reduction)));
  });
}
Array smooth_l1_loss(const Array& x, const Array& target, double beta, Reduction reduction, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::smooth_l1_loss(real, target.handle(), beta, given(reduction)));
  });
}
Array huber_loss(const Array& x, const Array& target, double delta, Reduction reduction, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::huber_loss(real, target.handle(), delta, nullptr, given(reduction)));
  });
}
Array binary_cross_entropy(const Array& x, const Array& target, Reduction reduction, Here here) {
  return asked(here, [&] { return wrap(bodies::binary_cross_entropy(x.handle(), target.handle(), nullptr, given(reduction))); });
}
Array binary_cross_entropy_with_logits(const Array& x, const Array& target, Reduction reduction, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::binary_cross_entropy_with_logits(real, target.handle(), nullptr, nullptr, given(reduction)));
  });
}
Array kl_div(const Array& x, const Array& target, Reduction reduction, Here here) {
  return asked(here, [&] { return wrap(bodies::kl_div(x.handle(), target.handle(), false, given(reduction))); });
}

Array cross_entropy(const Array& x, const Array& target, const ClassLossOptions& options, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::cross_entropy(real, classes_of(target), handle_in(options.weight), options.ignore_index,
                                      options.label_smoothing, given(options.reduction)));
  });
}
Array nll_loss(const Array& x, const Array& target, const ClassLossOptions& options, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(
        bodies::nll_loss(real, classes_of(target), handle_in(options.weight), options.ignore_index, given(options.reduction)));
  });
}

}  // namespace qn::nn
