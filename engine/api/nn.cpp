// quern/nn.h on functions/: activations.h, attention.h, grid_sampling.h, losses.h, networks.h, norms.h, pooling.h, recurrent.h,
// resizing.h.
#include "quern/nn.h"

#include "api/bodies.h"
#include "core/error.h"
#include "functions/activations.h"
#include "functions/attention.h"
#include "functions/grid_sampling.h"
#include "functions/losses.h"
#include "functions/networks.h"
#include "functions/norms.h"
#include "functions/pooling.h"
#include "functions/recurrent.h"
#include "functions/resizing.h"

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
Array interpolate(const Array& x, const std::vector<int64_t>& size, std::string_view mode, bool align_corners, bool antialias,
                  Here here) {
  const std::optional<bool> corners = align_corners ? std::optional(true) : std::nullopt;
  return asked(
      here, [&] { return wrap(bodies::interpolate(x.handle(), {{size, size.size() == 1}}, {}, mode, corners, {}, antialias)); });
}
Array grid_sample(const Array& x, const Array& grid, std::string_view mode, std::string_view padding_mode, bool align_corners,
                  Here here) {
  return asked(here, [&] { return wrap(bodies::grid_sample(x.handle(), grid.handle(), mode, padding_mode, align_corners)); });
}

Array attention(const Array& query, const Array& key, const Array& value, const AttentionOptions& options, Here here) {
  return asked(here, [&] {
    for (const Array* one : {&key, &value})
      if (one->handle().dtype() != query.handle().dtype())
        raise(ErrorKind::type, "[attention] query, key and value must have one dtype; convert them with astype()");
    std::atomic<uint64_t> place{0};  // nothing is drawn
    return wrap(bodies::attention(query.handle(), key.handle(), value.handle(), handle_in(options.mask), 0.0, options.is_causal,
                                  options.scale, options.has_groups, {0, place}));
  });
}

// ---- recurrent networks

namespace {

// The networks' arguments.
class Network {
 public:
  Network(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options) : options_(options) {
    for (const Array& one : params) params_.all.push_back(one.handle());
    const size_t each = options.has_biases ? 4 : 2, all = params.size() / each;
    if (all == 0 || params.size() % each || (options.bidirectional && all % 2) || x.handle().rank() != 3)
      raise(ErrorKind::value,
            "[recurrent network] expected an input of 3 dimensions, and {} parameters for each layer{}; got {} dimensions and {} "
            "parameters",
            each, options.bidirectional ? " and direction" : "", x.handle().rank(), params.size());
    layers_ = static_cast<int64_t>(options.bidirectional ? all / 2 : all);
    shape_ = {static_cast<int64_t>(all), x.handle().shape()[options.batch_first ? 0 : 1], params_.all[1].shape().back()};
  }
  quern::Array hidden() const { return states(options_.hidden); }
  quern::Array cells() const { return states(options_.cells); }

  // `body`: of the network; `states`: as it takes them.
  template <class Body, class States>
  RecurrentResult call(Body* body, const Array& x, const States& states) const {
    std::atomic<uint64_t> place{0};  // nothing is drawn
    std::vector<quern::Array> found = body(x.handle(), states, params_, options_.has_biases, layers_, 0.0, false,
                                           options_.bidirectional, options_.batch_first, {0, place});
    RecurrentResult out{wrap(std::move(found[0])), wrap(std::move(found[1])), {}};
    if (found.size() > 2) out.cells = wrap(std::move(found[2]));
    return out;
  }

 private:
  quern::Array states(const std::optional<Array>& given) const {
    if (given) return given->handle();
    return quern::full(shape_, quern::Scalar{}, params_.all[0].dtype(), params_.all[0].device());
  }

  const RecurrentOptions& options_;
  bodies::Tensors params_;
  int64_t layers_;
  quern::Shape shape_;
};

}  // namespace

RecurrentResult lstm(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options, Here here) {
  return asked(here, [&] {
    const Network network(x, params, options);
    return network.call(bodies::lstm, x, bodies::Tensors{{network.hidden(), network.cells()}});
  });
}
RecurrentResult gru(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options, Here here) {
  return asked(here, [&] {
    const Network network(x, params, options);
    return network.call(bodies::gru, x, network.hidden());
  });
}
RecurrentResult rnn_tanh(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options, Here here) {
  return asked(here, [&] {
    const Network network(x, params, options);
    return network.call(bodies::rnn_tanh, x, network.hidden());
  });
}
RecurrentResult rnn_relu(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options, Here here) {
  return asked(here, [&] {
    const Network network(x, params, options);
    return network.call(bodies::rnn_relu, x, network.hidden());
  });
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
