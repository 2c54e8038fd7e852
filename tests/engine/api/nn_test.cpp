// quern/nn.h: values of PyTorch's as numbers, derivatives by differences.
#include "arrays_fixture.h"

#include <cmath>

namespace {

using namespace arrays_test;
namespace nn = qn::nn;

class Networks : public OnDevices {
 protected:
  qn::Array points() const { return qn::array({-4.0, -0.5, 0.25, 2.0, 30.0}, device()); }
  // The slope of the sum of f(x) in a direction, compared with a difference.
  template <class F>
  void expect_slope(F&& f) const {
    qn::Array x = points(), direction = qn::array({1.0, -2.0, 0.5, 3.0, -1.0}, device());
    qn::requires_grad(x);
    qn::backward(f(x).sum());
    const double h = 1e-6;
    qn::Array low = points() - h * direction, high = points() + h * direction;
    const qn::Array away = f(high) - f(low);
    const double difference = away.sum().template item<double>() / (2 * h);
    EXPECT_NEAR(qn::Array(*qn::gradient(x) * direction).sum().template item<double>(), difference,
                1e-6 * (1 + std::abs(difference)));
  }
};
ON_DEVICES(Networks);

TEST_P(Networks, Activations) {
  expect_near(nn::gelu(points()), {-0.00012668496733247991, -0.15426876936299344, 0.14967658142073093, 1.9544997361036416, 30});
  expect_near(nn::gelu(points(), nn::Gelu::tanh),
              {-7.024594819227126e-05, -0.15428599017485606, 0.149675350701685, 1.954597694087775, 30});
  expect_near(nn::silu(points()), {-0.07194483984836623, -0.1887703343990727, 0.14054412522144952, 1.7615941559557646, 30},
              1e-11);
  expect_near(nn::softplus(points()), {0.018149927917809738, 0.4740769841801067, 0.8259394198788436, 2.1269280110429727, 30});
  expect_near(nn::hardtanh(points()), {-1, -0.5, 0.25, 1, 1});
  expect_near(nn::leaky_relu(points(), 0.5), {-2, -0.25, 0.25, 2, 30});
  expect_near(nn::hardsigmoid(points()), {0, 2.5 / 6, 3.25 / 6, 5.0 / 6, 1});
  expect_near(nn::softshrink(points()), {-3.5, 0, 0, 1.5, 29.5});
  EXPECT_EQ(nn::gelu(qn::arange(3, DType::int64, device())).dtype(), DType::float64);
  EXPECT_EQ(nn::gelu(qn::ones({3}, DType::float16, device())).dtype(), DType::float16);
  expect_error(ErrorKind::value, "min_val", [&] { nn::hardtanh(points(), 1, -1); });
  expect_error(ErrorKind::runtime, "must be even", [&] { nn::glu(points()); });
}

TEST_P(Networks, SlopesOfActivations) {
  expect_slope([](const qn::Array& x) { return nn::gelu(x); });
  expect_slope([](const qn::Array& x) { return nn::gelu(x, nn::Gelu::tanh); });
  expect_slope([](const qn::Array& x) { return nn::mish(x); });
  expect_slope([](const qn::Array& x) { return nn::softplus(x, 2); });
  expect_slope([](const qn::Array& x) { return nn::selu(x); });
  expect_slope([](const qn::Array& x) { return nn::celu(x, 0.5); });
  expect_slope([](const qn::Array& x) { return nn::hardswish(x); });
  expect_slope([](const qn::Array& x) { return nn::log_sigmoid(x); });
  expect_slope([](const qn::Array& x) { return qn::square(nn::log_softmax(x)); });
  expect_slope([](const qn::Array& x) { return nn::layer_norm(x, {5}) * qn::arange(5, DType::float64, x.device()); });
}

TEST_P(Networks, Softmax) {
  qn::Array x = qn::array({1.0, 2.0, 3.0, 1.0, 2.0, 3.0}, device()).reshape({2, 3});
  const Reals each = {0.09003057317038046, 0.24472847105479767, 0.6652409557748219};
  expect_near(nn::softmax(x)(0), each);
  expect_near(nn::softmax(x, 0), Reals(6, 0.5));
  expect_near(nn::softmax(x, {}).sum(), {1});
  expect_near(qn::exp(nn::log_softmax(x))(1), each);
  expect_near(nn::softmax(qn::array({1000.0, 0.0}, device())), {1, 0});
  expect_error(ErrorKind::index, "2", [&] { nn::softmax(x, 2); });
}

TEST_P(Networks, Layers) {
  qn::Array x = qn::arange(6, DType::float64, device()).reshape({2, 3}), weight = qn::ones({4, 3}, DType::float64, device());
  if (has_blas()) {
    expect_near(nn::linear(x, weight, qn::arange(4, DType::float64, device())), {3, 4, 5, 6, 12, 13, 14, 15});
    expect_near(nn::linear(x, weight), {3, 3, 3, 3, 12, 12, 12, 12});
    expect_error(ErrorKind::value, "", [&] { nn::linear(x, qn::full({}, 2.0)); });
  }
  const double root = 1.2247356859083902;
  expect_near(nn::layer_norm(x, {3}), {-root, 0, root, -root, 0, root});
  expect_near(nn::group_norm(x, 3), Reals(6, 0));
  expect_near(nn::rms_norm(x, {3}, {}, 0.0)(0), {0, 0.7745966692414834, 1.5491933384829668});
  expect_near(nn::normalize(qn::array({3.0, 4.0}, device()), 0), {0.6, 0.8});
  expect_near(nn::cosine_similarity(x, x), {1, 1});
  expect_error(ErrorKind::runtime, "normalized_shape=[2]", [&] { nn::layer_norm(x, {2}); });
  expect_error(ErrorKind::runtime, "divisible", [&] { nn::group_norm(x, 2); });
}

TEST_P(Networks, ConvolutionsAndPools) {
  qn::Array image = qn::arange(16, DType::float64, device()).reshape({1, 1, 4, 4});
  expect_near(nn::interpolate(qn::arange(4, DType::float64, device()).reshape({1, 1, 4}), {2}, "linear"), {0.5, 2.5});
  expect_near(nn::unfold(image, {3}, {1}, {0}, {1})(0)(4), {5, 6, 9, 10});
  expect_near(nn::fold(nn::unfold(image, {2}, {1}, {0}, {2}), {4}, {2}, {1}, {0}, {2})(0)(0)(3), {12, 13, 14, 15});
  const qn::Array theta = qn::array({1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, device()).reshape({1, 2, 3});
  expect_near(nn::grid_sample(image, nn::affine_grid(theta, {1, 1, 2, 2})), {2.5, 4.5, 10.5, 12.5});
  expect_near(nn::max_pool2d(image, {2}), {5, 7, 13, 15});
  expect_near(nn::avg_pool2d(image, {2}), {2.5, 4.5, 10.5, 12.5});
  expect_error(ErrorKind::runtime, "Output size is too small", [&] { nn::max_pool2d(image, {5}); });
  expect_slope([](const qn::Array& x) { return qn::square(nn::avg_pool2d(x.reshape({1, 1, 1, 5}), {1, 2})); });
  expect_error(ErrorKind::runtime, "to have 2 channels",
               [&] { nn::conv2d(image, qn::ones({1, 2, 2, 2}, DType::float64, device())); });
  if (!has_blas()) return;
  qn::Array kernel = qn::ones({1, 1, 2, 2}, DType::float64, device());
  expect_near(nn::conv2d(image, kernel, {.stride = {2}}), {10, 18, 42, 50});
  expect_near(nn::conv2d(image(0), kernel, {.bias = qn::ones({1}, DType::float64, device()), .stride = {2}, .dilation = {2}}),
              {21});
  qn::Array line = qn::array({1.0, 2.0, 4.0}, device()).reshape({1, 1, 3});
  expect_near(nn::conv1d(line, qn::array({1.0, -1.0}, device()).reshape({1, 1, 2}), {.padding = {1}}), {-1, -1, -2, 4});
  expect_near(
      nn::conv3d(qn::ones({1, 1, 2, 2, 2}, DType::float64, device()), qn::ones({1, 1, 2, 2, 2}, DType::float64, device())), {8});
  expect_slope([](const qn::Array& x) {
    return qn::square(
        nn::conv1d(x.reshape({1, 1, 5}), qn::arange(3, DType::float64, x.device()).reshape({1, 1, 3}), {.padding = {1}}));
  });
}

TEST_P(Networks, Recurrent) {
  if (!has_blas()) return;
  const qn::Array x = qn::ones({2, 1, 1}, DType::float64, device());
  auto params = [&](int64_t gates) {
    return std::vector{qn::ones({gates, 1}, DType::float64, device()), qn::zeros({gates, 1}, DType::float64, device())};
  };
  const double lstm[] = {0.36960635293570576, 0.5453460789068416}, gru[] = {0.20482421480982513, 0.3545627141577027};
  const nn::RecurrentResult found = nn::lstm(x, params(4), {.has_biases = false});
  expect_near(found.output, {lstm[0], lstm[1]}, 1e-12);
  expect_near(found.hidden, {lstm[1]}, 1e-12);
  EXPECT_EQ(found.cells->shape(), (qn::Shape{1, 1, 1}));
  expect_near(nn::gru(x, params(3), {.has_biases = false}).output, {gru[0], gru[1]}, 1e-12);
  std::vector<qn::Array> both = params(1);
  for (const qn::Array& one : params(1)) both.push_back(one);
  const qn::Array start = qn::full({2, 1, 1}, 2.0, DType::float64, device());
  expect_near(nn::rnn_relu(x, both, {.hidden = start, .has_biases = false, .bidirectional = true}).output, {1, 1, 1, 1});
  expect_near(nn::rnn_tanh(x.reshape({1, 2, 1}), params(1), {.has_biases = false, .batch_first = true}).hidden,
              {0.7615941559557649}, 1e-12);
  expect_error(ErrorKind::value, "expected an input of 3 dimensions", [&] { nn::lstm(x(0), params(4)); });
  expect_error(ErrorKind::runtime, "weight_ih", [&] { nn::gru(x, params(4), {.has_biases = false}); });
  expect_slope(
      [&](const qn::Array& y) { return qn::square(nn::lstm(y.reshape({5, 1, 1}), params(4), {.has_biases = false}).output); });
}

TEST_P(Networks, Attention) {
  if (!has_blas()) return;
  auto rows = [&](std::initializer_list<double> values) { return qn::array(values, device()).reshape({3, 2}); };
  const qn::Array query = rows({0.2, -1.0, 0.5, 0.3, 1.5, 0.1}), key = rows({0.3, 0.6, -0.4, 1.0, 0.9, -0.2}),
                  value = rows({1.0, 2.0, 3.0, -1.0, 0.5, 4.0});
  expect_near(
      nn::attention(query, key, value),
      {1.1130607194377415, 2.4960373415387687, 1.4072020990529432, 1.839962651002939, 1.0263557657770366, 2.641975249736422},
      1e-12);
  expect_near(nn::attention(query, key, value, {.is_causal = true}),
              {1.0, 2.0, 1.9188614841852334, 0.6217077737221499, 1.0263557657770366, 2.641975249736422}, 1e-12);
  const qn::Array mask = qn::not_equal(qn::arange(3, DType::int64, device()), 1);
  expect_near(
      nn::attention(query, key, value, {.mask = mask, .scale = 0.5}),
      {0.6934929119303324, 3.226028352278671, 0.7462502812246897, 3.0149988751012406, 0.6994560605758151, 3.2021757576967396},
      1e-12);
  expect_error(ErrorKind::type, "must have one dtype", [&] { nn::attention(query, key.astype(DType::float32), value); });
  expect_slope([&](const qn::Array& x) {
    const qn::Array y = x.reshape({5, 1});
    return qn::square(nn::attention(y, y, y));
  });
}

TEST_P(Networks, Losses) {
  qn::Array x = qn::array({1.0, 3.0}, device()), target = qn::array({2.0, 0.0}, device());
  expect_near(nn::mse_loss(x, target), {5});
  expect_near(nn::mse_loss(x, target, nn::Reduction::none), {1, 9});
  expect_near(nn::l1_loss(x, target, nn::Reduction::sum), {4});
  expect_near(nn::huber_loss(x, target), {1.5});
  expect_near(nn::binary_cross_entropy_with_logits(x, qn::array({1.0, 0.0}, device())), {1.6809245195459});
  qn::Array logits = qn::array({1.0, 2.0, 3.0, 0.0, 0.0, 0.0}, device()).reshape({2, 3});
  qn::Array classes = qn::array({2, 0}, device());
  const double first = 0.40760596444438, second = 1.09861228866811;
  expect_near(nn::cross_entropy(logits, classes), {(first + second) / 2});
  nn::ClassLossOptions options;
  options.reduction = nn::Reduction::none;
  options.ignore_index = 0;
  expect_near(nn::cross_entropy(logits, classes, options), {first, 0});
  expect_near(nn::nll_loss(nn::log_softmax(logits), classes, options), {first, 0});
  expect_error(ErrorKind::index, "3", [&] { nn::cross_entropy(logits, qn::array({2, 3}, device())).item<double>(); });
  expect_error(ErrorKind::value, "batch_size", [&] { nn::cross_entropy(logits, qn::array({2}, device())); });

  qn::requires_grad(logits);
  qn::backward(nn::cross_entropy(logits, classes, {.weight = {}, .reduction = nn::Reduction::sum}));
  expect_near(*qn::gradient(logits),
              {0.09003057317038046, 0.24472847105479767, 0.6652409557748219 - 1, -2.0 / 3, 1.0 / 3, 1.0 / 3});
}

}  // namespace
