// Training by gradient steps: a line through points, and a network of two layers that learns a curve. The line is checked against
// the numbers that made the points, the network against the curve.
//
//   train [steps]
#include <quern/quern.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// y = slope x + offset, from points with noise.
double train_line(qn::random::Generator& rng, int steps) {
  qn::Array x = rng.uniform(-1, 1, {256}), y = 3.0 * x - 1.0 + rng.normal(0, 0.01, {256});
  std::vector<qn::Array> parameters{qn::zeros({1}), qn::zeros({1})};
  for (qn::Array& p : parameters) qn::requires_grad(p);
  qn::optim::Optimizer optimizer(parameters, qn::optim::SGD{.lr = 0.3});
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    qn::backward(qn::square(parameters[0] * x + parameters[1] - y).mean());
    optimizer.step();
  }
  double slope = parameters[0].item<double>(), offset = parameters[1].item<double>();
  std::printf("line: slope %.3f, offset %.3f after %d steps\n", slope, offset, steps);
  return std::max(std::abs(slope - 3), std::abs(offset + 1));
}

// sin(3 x) by tanh(x a + b) c + d. Returns the largest difference at points between those that it learnt from.
double train_network(qn::random::Generator& rng, int steps) {
  const int64_t width = 16;
  auto curve = [](const qn::Array& x) { return qn::sin(3.0 * x); };
  auto line = [&](int64_t count) { return qn::linspace(-1, 1, count).reshape({count, 1}); };
  qn::Array x = line(128), y = curve(x);
  std::vector<qn::Array> p{rng.normal(0, 2, {1, width}), rng.normal(0, 1, {width}), rng.normal(0, 0.3, {width, 1}),
                           rng.normal(0, 0.1, {1})};
  for (qn::Array& one : p) qn::requires_grad(one);
  auto network = [&](const qn::Array& at) { return qn::matmul(qn::tanh(qn::matmul(at, p[0]) + p[1]), p[2]) + p[3]; };

  qn::optim::Optimizer optimizer(p, qn::optim::SGD{.lr = 0.1});
  double first = 0, last = 0;
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    qn::Array loss = qn::square(network(x) - y).mean();
    qn::backward(loss);
    optimizer.step();
    if (i == 0) first = loss.item<double>();
    if (i == steps - 1) last = loss.item<double>();
  }
  qn::NoGradient off;
  qn::Array between = line(101);
  double difference = qn::abs(network(between) - curve(between)).max().item<double>();
  std::printf("network: loss %.4f, then %.1e after %d steps; %.3f from the curve at most\n", first, last, steps, difference);
  return difference;
}

int main(int count, char** arguments) try {
  const int steps = count > 1 ? std::atoi(arguments[1]) : 3000;
  if (steps < 1) {
    std::fprintf(stderr, "train [steps, 1 or more]\n");
    return 1;
  }
  qn::random::Generator rng(7);
  double line = train_line(rng, 100), network = train_network(rng, steps);
  return !(line < 0.01 && (steps < 3000 || network < 0.1));
} catch (const quern::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
