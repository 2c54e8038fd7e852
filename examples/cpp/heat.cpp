// Heat that spreads over a plate, with arrays from C++: the explicit scheme for u_t = u_xx + u_yy, written with slices and an
// update in place. The edges keep their temperature. The plate is checked against the same steps in a plain loop.
//
//   heat [points along an edge] [steps]
#include <quern/quern.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr double k = 0.24;  // dt / dx^2, at most 1/4

// The plate at time 0: cold, with a hot upper edge and a warm left one.
qn::Array plate(int64_t size, const qn::Device& device) {
  qn::Array u = qn::zeros({size, size}, qn::DType::float64, device);
  u(0) = 100.0;
  u({}, 0) = 50.0;
  return u;
}

void spread(qn::Array& u, int steps) {
  qn::Array inside = u({1, -1}, {1, -1});  // a view: what is added to it changes the plate
  for (int i = 0; i < steps; ++i)
    inside += k * (u({{}, -2}, {1, -1}) + u({2, {}}, {1, -1}) + u({1, -1}, {{}, -2}) + u({1, -1}, {2, {}}) - 4 * inside);
}

void spread_in_a_loop(std::vector<double>& u, int64_t size, int steps) {
  std::vector<double> next = u;
  for (int i = 0; i < steps; ++i) {
    for (int64_t y = 1; y + 1 < size; ++y) {
      for (int64_t x = y * size + 1; x + 1 < (y + 1) * size; ++x)
        next[x] = u[x] + k * (u[x - size] + u[x + size] + u[x - 1] + u[x + 1] - 4 * u[x]);
    }
    std::swap(u, next);
  }
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int main(int count, char** arguments) try {
  const int64_t size = count > 1 ? std::atoi(arguments[1]) : 200;
  const int steps = count > 2 ? std::atoi(arguments[2]) : 500;
  if (size < 3 || steps < 1) {
    std::fprintf(stderr, "heat [points along an edge, 3 or more] [steps, 1 or more]\n");
    return 1;
  }

  qn::Device device;
  qn::Array u = plate(size, device);
  std::vector<double> expected = u.to_vector<double>();
  qn::Array first = u.copy();
  spread(first, std::min(steps, 200));  // the first round compiles, and its memory serves the next one
  qn::synchronize(device);

  auto begin = std::chrono::steady_clock::now();
  spread(u, steps);
  qn::synchronize(device);
  double took = milliseconds_since(begin);

  begin = std::chrono::steady_clock::now();
  spread_in_a_loop(expected, size, steps);
  double took_loop = milliseconds_since(begin);

  double difference = qn::abs(u - qn::array(expected, {size, size}, device)).max().item<double>();
  std::printf("heat: %lld x %lld points, %d steps on %s\n", static_cast<long long>(size), static_cast<long long>(size), steps,
              device.description().c_str());
  std::printf("%.4f ms a step, %.4f ms in a plain loop; largest difference %.1e\n", took / steps, took_loop / steps, difference);
  return !(difference < 1e-9);
} catch (const quern::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
