// quern/nn.h on functions/: activations.h, losses.h, networks.h, norms.h, pooling.h.
#include "quern/nn.h"

#include "api/bodies.h"
#include "functions/activations.h"
#include "functions/losses.h"
#include "functions/networks.h"
#include "functions/norms.h"
#include "functions/pooling.h"

namespace qn::nn {

using namespace inside;
namespace bodies = quern::nn;

namespace {

bodies::LossReduction given(Reduction reduction) {
  using R = bodies::LossReduction;
  return reduction == Reduction::none ? R::none : reduction == Reduction::mean ? R::mean : R::sum;
}

const quern::Array* handle_in(const std::optional<Array>& array) { return array ? &array->handle() : nullptr; }

// Integers as the class numbers that bodies take.
quern::Array classes_of(const Array& target) {
  const quern::Array& array = target.handle();
  return quern::is_integer(array.dtype()) ? quern::steps::as_type(array, DType::int64) : array;
}

}  // namespace

// ---- activations

Array softplus(const Array& x, double beta, Here here) {
  return asked(here, [&] { return wrap(bodies::softplus(x.handle(), beta, {})); });
}
Array celu(const Array& x, double alpha, Here here) {
  if (alpha == 0) raise(ErrorKind::value, "[celu] alpha must not be 0");
  return call(here, bodies::celu, x, alpha);
}

// ---- layers

Array normalize(const Array& x, int axis, double eps, Here here) {
  return asked(here, [&] {
    const quern::Array real = quern::as_reals(quern::numpys_rules, x.handle());
    return wrap(bodies::normalize(real, {}, {inside::given(Along{x, axis})}, eps));
  });
}

Array max_pool2d(const Array& x, const std::vector<int64_t>& kernel_size, Here here) {
  return asked(here, [&] {
    return wrap(std::move(bodies::max_pool2d(x.handle(), {kernel_size}, {}, {{0}}, {{1}}, false, false).arrays[0]));
  });
}
Array avg_pool2d(const Array& x, const std::vector<int64_t>& kernel_size, Here here) {
  return asked(here, [&] { return wrap(bodies::avg_pool2d(x.handle(), {kernel_size}, {}, {{0}}, false, true, {})); });
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
