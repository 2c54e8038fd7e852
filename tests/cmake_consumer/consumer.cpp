// Array work and a kernel from CUDA C++ text, on the default device; each answer is checked.
#include <quern/quern.h>

#include <cstdio>
#include <vector>

static_assert(__cplusplus >= 202002L, "quern::quern asks for C++20");

int main() try {
  const int n = 1000;
  qn::Array x = qn::arange(n, qn::DType::float64);
  double sum = (x * x + 1.0).sum().item<double>();

  qn::Device device;
  qn::Program program(device, R"(
    __global__ void cube(const double* x, double* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = x[i] * x[i] * x[i];
    })");
  qn::Buffer<double> out(device, n);
  program.kernel("cube")({(n + 255) / 256}, {256}, x, out, n);
  std::vector<double> cubes = out.to_vector();

  int wrong = sum != 332833500.0 + n;
  for (int i = 0; i < n; ++i) wrong += cubes[i] != static_cast<double>(i) * i * i;
  try {
    qn::Program(device, "__global__ void f(int* p) { p[0] = nothing; }");
    ++wrong;
  } catch (const quern::Error& error) {
    wrong += error.kind() != quern::ErrorKind::compile;
  }
  std::printf("%s: %d wrong\n", device.name().c_str(), wrong);
  return wrong != 0;
} catch (const quern::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
