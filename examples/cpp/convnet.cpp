// Training a convolutional network: digits of a small font, at a random place in 8 x 8 pixels and with noise. The network is
// checked with digits that it had not seen.
//
//   convnet [epochs]
#include <quern/quern.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

struct Digits {
  qn::Array images, classes;  // (count, 1, 8, 8), (count)
};

Digits drawn(int64_t count, unsigned seed) {
  // Each digit: seven rows of five pixels.
  static constexpr const char* font[10] = {".###.#...##..###.#.###..##...#.###.", "..#...##....#....#....#....#...###.",
                                           ".###.#...#....#...#...#...#...#####", ".###.#...#....#..##.....##...#.###.",
                                           "...#...##..#.#.#..#.#####...#....#.", "#####.#....####.....#....##...#.###",
                                           ".###.#....#....####.#...##...#.###.", "#####....#...#...#...#....#....#...",
                                           ".###.#...##...#.###.#...##...#.###.", ".###.#...##...#.####....#....#.###."};
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 0.15f);
  std::vector<float> pixels(static_cast<size_t>(count * 64));
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < count; ++i) {
    const auto digit = static_cast<int64_t>(random() % 10);
    const size_t top = random() % 2, left = random() % 4;
    float* image = &pixels[static_cast<size_t>(i * 64)];
    for (size_t k = 0; k < 64; ++k) image[k] = noise(random);
    for (size_t k = 0; k < 35; ++k)
      if (font[digit][k] == '#') image[(top + k / 5) * 8 + left + k % 5] += 0.8f;
    classes.push_back(digit);
  }
  return {qn::array(pixels).reshape({count, 1, 8, 8}), qn::array(classes)};
}

struct Network {
  std::vector<qn::Array> p;

  explicit Network(qn::random::Generator& rng) {
    const std::vector<qn::Shape> shapes{{16, 1, 3, 3}, {16}, {32, 16, 3, 3}, {32}, {10, 128}, {10}};
    const double scales[] = {0.4, 0, 0.12, 0, 0.1, 0};
    for (size_t i = 0; i < shapes.size(); ++i) p.push_back(rng.normal(0, scales[i], shapes[i]).astype(qn::DType::float32));
    for (qn::Array& one : p) qn::requires_grad(one);
  }
  qn::Array operator()(const qn::Array& images) const {
    namespace nn = qn::nn;
    qn::Array x = qn::relu(nn::conv2d(images, p[0], {.bias = p[1], .padding = {1}}));
    x = qn::relu(nn::conv2d(nn::max_pool2d(x, {2}), p[2], {.bias = p[3], .padding = {1}}));
    return nn::linear(nn::max_pool2d(x, {2}).reshape({images.shape()[0], 128}), p[4], p[5]);
  }
};

int main(int count, char** arguments) try {
  const int epochs = count > 1 ? std::atoi(arguments[1]) : 8;
  const int64_t batch = 64, batches = 32;
  const Digits known = drawn(batch * batches, 1), unseen = drawn(500, 2);
  qn::random::Generator rng(7);
  Network network(rng);
  qn::optim::Optimizer optimizer(network.p, qn::optim::Adam{.lr = 3e-3});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    qn::Array loss;
    for (int64_t i = 0; i < batches; ++i) {
      const qn::Slice picked(i * batch, (i + 1) * batch);
      optimizer.zero_grad();
      loss = qn::nn::cross_entropy(network(known.images(picked)), known.classes(picked));
      qn::backward(loss);
      optimizer.step();
    }
    std::printf("epoch %d: loss %.4f\n", epoch + 1, loss.item<double>());
  }
  qn::NoGradient off;
  const qn::Array found = qn::argmax(network(unseen.images), 1);
  const double right = qn::equal(found, unseen.classes).mean().item<double>();
  std::printf("%.1f%% of 500 digits that it had not seen are right\n", right * 100);
  return epochs >= 8 && right < 0.98;
} catch (const quern::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
