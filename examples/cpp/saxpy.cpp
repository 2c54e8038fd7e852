// saxpy from C++: device buffers, a kernel from source, a launch, the result copied back and checked.
#include <quern/quern.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() try {
  const int n = 1 << 20;
  const float a = 2.5f;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.5f * static_cast<float>(i % 1000);
    y[i] = static_cast<float>(i % 7);
  }

  qn::Device device;
  qn::Program program(device, R"(
    __global__ void saxpy(float a, const float* x, float* y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = a * x[i] + y[i];
    })");
  qn::Kernel saxpy = program.kernel("saxpy");

  qn::Buffer<float> device_x(device, x), device_y(device, y);
  saxpy({(n + 255) / 256}, {256}, a, device_x, device_y, n);
  std::vector<float> result = device_y.to_vector();

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += std::fabs(result[i] - (a * x[i] + y[i])) > 1e-3f;
  std::printf("saxpy(%s) of %d values on %s: %d wrong\n", saxpy.signature().c_str(), n, device.description().c_str(), wrong);
  return wrong != 0;
} catch (const quern::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
