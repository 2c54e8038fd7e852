// The CUDA device on a real GPU: what the fake driver of cuda_test.cpp can only claim. Skipped where there is none.
#include "compile/nvrtc.h"
#include "core/error.h"
#include "core/nvidia_libraries.h"
#include "device/cubin.h"
#include "device/device.h"
#include "python_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <numeric>

namespace quern {
namespace {

std::string site_text(Site site) { return "script.py:" + std::to_string(site); }

constexpr const char* text = R"(
__constant__ float table[4];
namespace ns {
template <class T, int N> __global__ void scale(const T* x, T* y, T by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * by + T(N);
}
}
__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void look(float* out) { out[threadIdx.x] = table[threadIdx.x]; }
extern "C" __global__ void large(int* out) {
  extern __shared__ int room[];
  for (int i = threadIdx.x; i < 25000; i += blockDim.x) room[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = room[24999];
}
extern "C" __global__ void count(unsigned* total) { atomicAdd(total, 1u); }
extern "C" __global__ void crash(float* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void shout(int n) { printf("hi %d\n", n); }
extern "C" __global__ void none() {}
)";

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
    static const std::vector<std::string> paths = python_paths();
    set_nvidia_search_paths(paths);
    set_site_hooks({nullptr, site_text});
    device = &cuda_device(0);
    if (!chosen_nvidia_source()) GTEST_SKIP() << "no NVRTC on this machine";
  }
  std::shared_ptr<LoadedModule> module() {
    static Binary binary = [&] {
      CompileOptions options;
      options.name_expressions = {"ns::scale<double, 3>"};
      return nvrtc_compiler().compile({text, "gpu_test.cu"}, options, device->target());
    }();
    return device->load(binary);
  }
  template <class T>
  std::vector<T> read(void* pointer, size_t count) {
    std::vector<T> values(count);
    device->copy(device->default_stream(), values.data(), pointer, count * sizeof(T), CopyKind::device_to_host);
    device->default_stream().synchronize();
    return values;
  }
  Device* device = nullptr;
};

TEST_F(Gpu, LaunchAndCopy) {
  auto code = module();
  LoadedKernel* saxpy = code->kernel("saxpy");
  ASSERT_NE(saxpy, nullptr);
  EXPECT_EQ(saxpy->info.signature, "fPKfPfi");
  EXPECT_EQ(saxpy->info.param_bytes, 28u);
  EXPECT_TRUE(saxpy->info.params_known);
  EXPECT_GT(saxpy->info.registers, 0u);
  constexpr int n = 100000;
  std::vector<float> x(n);
  std::iota(x.begin(), x.end(), 0.0f);
  void *dx = device->allocate(n * 4), *dy = device->allocate(n * 4);
  auto stream = device->create_stream({true, 0});
  auto start = device->create_event({}), end = device->create_event({});
  start->record(*stream);
  device->copy(*stream, dx, x.data(), n * 4, CopyKind::host_to_device);
  device->fill(*stream, dy, 0x3f800000, 4, n);
  struct {
    float a;
    void *x, *y;
    int n;
  } args{2, dx, dy, n};
  LaunchShape shape;
  shape.grid = {(n + 255) / 256, 1, 1};
  shape.block = {256, 1, 1};
  device->launch(*stream, *saxpy, shape, &args, 28, 1);
  end->record(*stream);
  end->synchronize();
  EXPECT_GT(end->elapsed_ms(*start), 0);
  EXPECT_TRUE(stream->done());
  std::vector<float> y = read<float>(dy, n);
  for (int i = 0; i < n; i += 777) EXPECT_EQ(y[i], 2.0f * x[i] + 1.0f);
  device->release(dx);
  device->release(dy);
}

TEST_F(Gpu, TemplatesAndConstants) {
  auto code = module();
  LoadedKernel* scale = code->kernel("ns::scale<double,3>");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(scale, code->kernel("scale"));
  EXPECT_EQ(scale->info.signature, "PKdPddi");
  auto table = code->global("table");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->size, 16u);
  const float values[] = {1, 2, 3, 4};
  Stream& stream = device->default_stream();
  device->copy(stream, table->address, values, 16, CopyKind::host_to_device);
  void* out = device->allocate(16);
  LaunchShape shape;
  shape.block = {4, 1, 1};
  device->launch(stream, *code->kernel("look"), shape, &out, 8, 1);
  EXPECT_EQ(read<float>(out, 4), (std::vector<float>{1, 2, 3, 4}));
  device->release(out);
}

// The compiler's own table of parameters says what the driver says.
TEST_F(Gpu, ParametersInTheCode) {
  Binary binary = nvrtc_compiler().compile({text, "gpu_test.cu"}, {}, device->target());
  auto code = device->load(binary);
  auto contents = read_cubin(binary.code);
  ASSERT_TRUE(contents.has_value());
  for (const CubinKernel& kernel : contents->kernels) {
    const KernelInfo& info = code->kernel(kernel.symbol)->info;
    ASSERT_EQ(info.params.size(), kernel.params.size()) << kernel.symbol;
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      EXPECT_EQ(info.params[i].offset, kernel.params[i].offset);
      EXPECT_EQ(info.params[i].size, kernel.params[i].size);
    }
  }
}

TEST_F(Gpu, LargeSharedAndCooperative) {
  auto code = module();
  void* out = device->allocate(4);
  Stream& stream = device->default_stream();
  if (device->info().max_shared_optin >= 100000) {
    LaunchShape shape;
    shape.block = {128, 1, 1};
    shape.dynamic_shared = 100000;
    device->launch(stream, *code->kernel("large"), shape, &out, 8, 1);
    EXPECT_EQ(read<int>(out, 1)[0], 24999);
  }
  device->fill(stream, out, 0, 4, 1);
  LaunchShape shape;
  shape.cooperative = true;
  shape.grid = {device->info().multiprocessors, 1, 1};
  shape.block = {32, 1, 1};
  device->launch(stream, *code->kernel("count"), shape, &out, 8, 1);
  EXPECT_EQ(read<unsigned>(out, 1)[0], device->info().multiprocessors * 32);
  shape.grid = {1000000, 1, 1};
  EXPECT_THROW(device->launch(stream, *code->kernel("count"), shape, &out, 8, 1), Error);
  shape.cooperative = false;
  shape.block = {2048, 1, 1};
  EXPECT_THROW(device->launch(stream, *code->kernel("count"), shape, &out, 8, 1), Error);
  device->synchronize();  // neither lost the context
  device->release(out);
}

TEST_F(Gpu, MemoryKinds) {
  auto code = module();
  Stream& stream = device->default_stream();
  LaunchShape shape;
  shape.block = {64, 1, 1};
  auto* pinned = static_cast<unsigned*>(device->allocate_pinned(4096, {true, true, false}));
  *pinned = 0;
  void* seen = device->device_pointer(pinned);
  device->launch(stream, *code->kernel("count"), shape, &seen, 8, 1);
  stream.synchronize();
  EXPECT_EQ(*pinned, 64u);
  device->release_pinned(pinned);
  auto* managed = static_cast<unsigned*>(device->allocate_managed(4096, 0));
  *managed = 1;
  device->launch(stream, *code->kernel("count"), shape, &managed, 8, 1);
  stream.synchronize();
  EXPECT_EQ(*managed, 65u);
  device->release_managed(managed);
  std::vector<char> host(1 << 20);
  device->register_host(host.data(), host.size(), 0);
  EXPECT_THROW(device->register_host(host.data(), host.size(), 0), Error);
  device->unregister_host(host.data());
  EXPECT_EQ(device->allocate(size_t{1} << 44), nullptr);
  EXPECT_GT(device->memory().free, 0u);
}

TEST_F(Gpu, HostCallsInOrder) {
  std::vector<int> order;
  auto stream = device->create_stream({});
  for (int i = 0; i < 3; ++i) stream->call([&order, i] { order.push_back(i); });
  stream->call([] { throw std::out_of_range("from the function"); });
  EXPECT_THROW(stream->synchronize(), std::out_of_range);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

using GpuDeathTest = Gpu;

TEST_F(GpuDeathTest, LostContext) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto lost = [&] {
    auto code = module();
    void* bad = reinterpret_cast<void*>(uintptr_t{64});
    device->launch(device->default_stream(), *code->kernel("none"), {}, nullptr, 0, 1);
    device->synchronize();
    device->launch(device->default_stream(), *code->kernel("crash"), {}, &bad, 8, 77);
    for (int i = 0; i < 2; ++i) {
      try {
        device->synchronize();
        std::exit(1);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::launch) std::exit(2);
        if (i == 1) std::fprintf(stderr, "%s\n", error.what());
      }
    }
    code.reset();
    device->shut_down();
    std::exit(0);
  };
  EXPECT_EXIT(lost(), testing::ExitedWithCode(0),
              "the kernel crash, launched at script.py:77, failed: .*CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(GpuDeathTest, PrintfComesOutAtAWait) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  std::string path = testing::TempDir() + "quern_gpu_printf.txt";
  auto print = [&] {
    if (!std::freopen(path.c_str(), "w", stdout)) std::exit(1);
    auto code = module();
    int n = 42;
    device->launch(device->default_stream(), *code->kernel("shout"), {}, &n, 4, 1);
    device->default_stream().synchronize();
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    std::fprintf(stderr, "[%s]\n", line.c_str());
    std::exit(0);
  };
  EXPECT_EXIT(print(), testing::ExitedWithCode(0), "\\[hi 42\\]");
  unlink(path.c_str());
}

}  // namespace
}  // namespace quern
