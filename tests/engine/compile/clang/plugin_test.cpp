// The CPU compiler through its C ABI: what a compiled text exports, how parameters reach kernels, names, globals, options and
// messages. The functions of the prelude are tested in prelude_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <thread>

#include "plugin_runner.h"

using namespace quern_test;

namespace {

const char* const saxpy = R"(
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

void check_saxpy(const Module& module) {
  std::vector<float> x(1000), y(1000, 1.0f);
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>(i);
  module.launch("saxpy", {8}, {128}, 0, 2.0f, x.data(), y.data(), 1000);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(y[i], 2.0f * i + 1.0f);
}

TEST(Plugin, Identity) {
  EXPECT_EQ(plugin().abi(), QUERN_CLANG_ABI);
  EXPECT_TRUE(contains(plugin().version(), "clang 19"));
  EXPECT_TRUE(contains(plugin().host_cpu(), ":"));
  quern_clang_request request = {};
  request.abi = 77;
  quern_clang_result* result = plugin().compile(&request);
  EXPECT_FALSE(result->ok);
  EXPECT_TRUE(contains(result->log, "ABI")) << result->log;
  plugin().free(result);
}

TEST(Plugin, SaxpyAndItsTable) {
  Module module(saxpy);
  ASSERT_EQ(module.table().kernel_count, 1u);
  const QuernCpuKernel& kernel = module.table().kernels[0];
  EXPECT_STREQ(kernel.symbol, "saxpy");
  EXPECT_STREQ(kernel.name, "saxpy");
  EXPECT_STREQ(kernel.signature, "fPKfPfi");
  EXPECT_EQ(kernel.param_count, 4u);
  EXPECT_EQ(kernel.param_bytes, 28u);
  EXPECT_EQ(kernel.params[1].offset, 8u);
  EXPECT_EQ(kernel.params[3].offset, 24u);
  EXPECT_EQ(kernel.params[1].access, static_cast<uint32_t>(QUERN_ACCESS_READ));
  EXPECT_TRUE(kernel.params[2].access & QUERN_ACCESS_WRITE);
  EXPECT_EQ(kernel.max_threads, 1024u);
  check_saxpy(module);
}

TEST(Plugin, IndicesInThreeDimensions) {
  Module module(R"(
extern "C" __global__ void index(int* out) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  uint3 t = threadIdx;
  dim3 size = blockDim;
  unsigned thread = (t.z * size.y + t.y) * size.x + t.x;
  out[block * size.x * size.y * size.z + thread] = 1000 * block + thread;
}
)");
  std::vector<int> out(2 * 3 * 4 * 5 * 2 * 3, -1);
  module.launch("index", {2, 3, 4}, {5, 2, 3}, 0, out.data());
  for (int b = 0; b < 24; ++b) {
    for (int t = 0; t < 30; ++t) ASSERT_EQ(out[b * 30 + t], 1000 * b + t);
  }
}

// ---- parameters

struct Small {
  char c;
  short s;
};
struct Mixed {
  float f;
  int i;
  char c;
};
struct Three {
  float x, y, z;
};
struct Odd {
  char c[7];
};
struct Large {
  double d[5];
  int i;
};
struct alignas(16) Four {
  float x, y, z, w;
};
struct alignas(16) Two {
  double x, y;
};

TEST(Plugin, ParametersOfEveryShape) {
  Module module(R"(
struct Small { char c; short s; };
struct Mixed { float f; int i; char c; };
struct Odd { char c[7]; };
struct Large { double d[5]; int i; };
extern "C" __global__ void all(bool flag, char c, Small small, unsigned char u, Mixed mixed, float3 three, Odd odd, float4 four,
                               short s, double2 two, Large large, long long wide, float2 pair, double d, double* out) {
  large.d[0] += 1;  // its own copy
  double v[] = {(double)flag, (double)c, (double)small.c, (double)small.s, (double)u, mixed.f, (double)mixed.i, (double)mixed.c,
                three.x, three.y, three.z, (double)odd.c[0], (double)odd.c[6], four.x, four.y, four.z, four.w, (double)s, two.x,
                two.y, large.d[0], large.d[4], (double)large.i, (double)wide, pair.x, pair.y, d};
  for (int i = 0; i < 27; ++i) out[threadIdx.x * 27 + i] = v[i];
}
)");
  std::vector<double> out(2 * 27);
  Odd odd = {{11, 0, 0, 0, 0, 0, -12}};
  struct alignas(8) Pair {
    float x, y;
  };
  module.launch("all", {1}, {2}, 0, true, static_cast<char>(-3), Small{4, -5}, static_cast<unsigned char>(250),
                Mixed{6.5f, -7, 8}, Three{1, 2, 3}, odd, Four{4, 5, 6, 7}, static_cast<short>(-9), Two{2.5, 3.5},
                Large{{10, 0, 0, 0, 20}, 30}, static_cast<long long>(1) << 40, Pair{0.5f, 0.25f}, 99.0, out.data());
  double expected[27] = {
      1, -3, 4, -5, 250, 6.5, -7, 8, 1, 2, 3, 11, -12, 4, 5, 6, 7, -9, 2.5, 3.5, 11, 20, 30, 1099511627776.0, 0.5, 0.25, 99};
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < 27; ++i) EXPECT_EQ(out[t * 27 + i], expected[i]) << "value " << i << " thread " << t;
  }
}

// A struct that is only read is the launch's own; one that a thread changes is the thread's.
TEST(Plugin, TablesAsParameters) {
  struct Table {
    int first[64];
    struct {
      const int* from;
      int* to;
      int size;
    } rows[32];
  };
  Module module(R"(
struct Row { const int* from; int* to; int size; };
struct Table { int first[64]; Row rows[32]; };
__device__ int place(const Table& all, int block) {
  int at = 0;
  while (at < 31 && block >= all.first[at + 1]) ++at;
  return at;
}
extern "C" __global__ void copy(const Table all) {
  const int at = place(all, blockIdx.x);
  const Row row = all.rows[at];
  const int i = (blockIdx.x - all.first[at]) * blockDim.x + threadIdx.x;
  if (i >= row.size) return;
  row.to[i] = row.from[i] + all.first[threadIdx.x % 64];
}
extern "C" __global__ void change(Table all) {
  const int i = threadIdx.x;
  all.first[i % 64] += i;
  if (i < 40) all.rows[0].to[i] = all.first[i % 64];
  if (i < 32 && all.rows[i].size > 4) all.rows[i].to[0] = all.rows[i].size;
}
)");
  Table table = {};
  std::vector<std::vector<int>> from(32), to(32);
  int blocks = 0;
  for (int r = 0; r < 32; ++r) {
    from[r].assign(40 + 9 * r, r);
    to[r].assign(40 + 9 * r, -1);
    table.rows[r] = {from[r].data(), to[r].data(), 40 + 9 * r};
    table.first[r] = blocks;
    blocks += (40 + 9 * r + 63) / 64;
  }
  module.launch("copy", {static_cast<uint32_t>(blocks)}, {64}, 0, table);
  for (int r = 0; r < 32; ++r) {
    for (int i = 0; i < 40 + 9 * r; ++i) ASSERT_EQ(to[r][i], r + table.first[i % 64]) << r << " " << i;
  }
  module.launch("change", {1}, {128}, 0, table);
  for (int i = 1; i < 40; ++i) ASSERT_EQ(to[0][i], table.first[i] + i);
  for (int r = 1; r < 32; ++r) ASSERT_EQ(to[r][0], 40 + 9 * r);
}

TEST(Plugin, ComplexAndHalfParameters) {
  Module module(R"(
#include <cuda_fp16.h>
#include <cupy/complex.cuh>
extern "C" __global__ void take(half h, complex<float> z, half2 pair, complex<double> w, double* out) {
  out[0] = __half2float(h); out[1] = z.real(); out[2] = z.imag(); out[3] = __low2float(pair); out[4] = __high2float(pair);
  out[5] = w.real(); out[6] = w.imag();
}
)");
  struct alignas(4) HalfPair {
    uint16_t x, y;
  };
  struct alignas(8) ComplexFloat {
    float re, im;
  };
  double out[7];
  module.launch("take", {1}, {1}, 0, static_cast<uint16_t>(0x3e00), ComplexFloat{2, -3}, HalfPair{0x4000, 0xc400}, Two{5, -6},
                static_cast<double*>(out));
  double expected[7] = {1.5, 2, -3, 2, -4, 5, -6};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST(Plugin, SignaturesAndBounds) {
  Module module(R"(
namespace ns { struct P { int a; }; }
__global__ void __launch_bounds__(256) one(const ns::P* p, unsigned long long n, const double* const* q) {}
__global__ void two() {}
)");
  const QuernCpuKernel& one = module.kernel("_Z3onePKN2ns1PEyPKPKd");
  EXPECT_STREQ(one.signature, "PKN2ns1PEyPKPKd");
  EXPECT_STREQ(one.name, "one");
  EXPECT_EQ(one.max_threads, 256u);
  EXPECT_STREQ(module.kernel("_Z3twov").signature, "v");
}

TEST(Plugin, ReferenceParametersAreRefused) {
  Compiled result = compile("__global__ void k(int& x) { x = 1; }");
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(contains(result.log, "kernel.cu:1: error")) << result.log;
  EXPECT_TRUE(contains(result.log, "reference")) << result.log;
}

// ---- names

TEST(Plugin, NameExpressions) {
  const char* text = R"(
namespace ns {
template <class T, int N> __global__ void fill(T* out) { out[threadIdx.x] = N; }
__device__ int counter = 3;
}
template <class T> __global__ void twice(T* out) { out[threadIdx.x] *= 2; }
__global__ void plain(float* out) { out[0] = 7; }
)";
  Options options;
  options.names = {"ns::fill<float, 5>", "twice<double>", "plain", "&ns::counter", "ns::fill<int, -2>"};
  Compiled compiled = compile(text, options);
  ASSERT_TRUE(compiled.ok) << compiled.log;
  EXPECT_EQ(compiled.symbols[0], "_ZN2ns4fillIfLi5EEEvPT_");
  Module module(compiled);
  EXPECT_EQ(module.table().kernel_count, 4u);
  std::vector<float> out(4);
  module.launch(compiled.symbols[0], {1}, {4}, 0, out.data());
  EXPECT_EQ(out[3], 5.0f);
  std::vector<double> twice = {1, 2};
  module.launch(compiled.symbols[1], {1}, {2}, 0, twice.data());
  EXPECT_EQ(twice[1], 4.0);
  module.launch(compiled.symbols[2], {1}, {1}, 0, out.data());
  EXPECT_EQ(out[0], 7.0f);
  EXPECT_EQ(module.global("ns::counter").symbol, compiled.symbols[3]);
  EXPECT_STREQ(module.kernel(compiled.symbols[0]).name, "ns::fill<float, 5>");

  for (const char* bad : {"missing<int>", "3 + 4", "fill<"}) {
    options.names = {bad};
    EXPECT_FALSE(compile(text, options).ok) << bad;
  }
}

TEST(Plugin, KernelsNamedLikeLibraryFunctions) {
  Module module(R"(
extern "C" __global__ void exp(float* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void floor(const float* in, float* out) { out[threadIdx.x] = floorf(in[threadIdx.x]); }
extern "C" __global__ void memcpy(char* to, const char* from, unsigned long n) { to[threadIdx.x] = from[threadIdx.x]; }
)");
  float out[2] = {};
  module.launch("exp", {1}, {2}, 0, static_cast<float*>(out));
  EXPECT_EQ(out[1], 1.0f);
  float in[2] = {1.5f, -1.5f};
  module.launch("floor", {1}, {2}, 0, static_cast<float*>(in), static_cast<float*>(out));
  EXPECT_EQ(out[1], -2.0f);
}

// ---- globals

TEST(Plugin, GlobalsAreTheHosts) {
  const char* text = R"(
__constant__ float weights[4];
__constant__ int scale = 3;
static __constant__ int quiet = 5;
__device__ double total = 1.5;
namespace ns { __device__ int counts[2] = {1, 2}; }
extern "C" __global__ void use(float* out) {
  out[threadIdx.x] = weights[threadIdx.x] * scale + ns::counts[0] + quiet;
  if (threadIdx.x == 0) total += 1;
}
)";
  Compiled compiled = compile(text);
  Module first(compiled), second(compiled);
  EXPECT_EQ(first.global("weights").size, 16u);
  EXPECT_EQ(first.global("ns::counts").size, 8u);
  float out[4];
  auto set = [](const Module& module, float base, int scale) {
    float weights[4] = {base, base + 1, base + 2, base + 3};
    std::memcpy(module.global("weights").address, weights, sizeof weights);
    *static_cast<int*>(module.global("scale").address) = scale;
  };
  set(first, 1, 10);
  set(second, 2, 100);
  *static_cast<int*>(first.global("quiet").address) = 7;
  first.launch("use", {1}, {4}, 0, static_cast<float*>(out));
  EXPECT_EQ(out[2], 30 + 1 + 7);
  second.launch("use", {1}, {4}, 0, static_cast<float*>(out));
  EXPECT_EQ(out[2], 400 + 1 + 5);
  EXPECT_EQ(*static_cast<double*>(first.global("total").address), 2.5);
}

TEST(Plugin, SharedMemory) {
  Module module(R"(
__device__ void reverse(int* data) {
  __shared__ int copy[64];
  copy[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void fixed(int* data) { reverse(data + blockIdx.x * blockDim.x); }
extern "C" __global__ void dynamic(int* data) {
  extern __shared__ int room[];
  __shared__ int base;
  if (threadIdx.x == 0) base = 100;
  room[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = base + room[blockDim.x - 1 - threadIdx.x];
}
)");
  std::vector<int> data(128);
  for (int i = 0; i < 128; ++i) data[i] = i;
  module.launch("fixed", {2}, {64}, 0, data.data());
  EXPECT_EQ(data[0], 63);
  EXPECT_EQ(data[127], 64);
  EXPECT_EQ(module.kernel("fixed").static_shared, 256u);
  module.launch("dynamic", {1}, {64}, 256, data.data());
  EXPECT_EQ(data[0], 100);
  EXPECT_EQ(data[63], 163);
  EXPECT_LE(module.kernel("dynamic").static_shared, 64u);
}

// ---- options

TEST(Plugin, Options) {
  const char* text = R"(
#if VALUE != 7 || defined(GONE) || !defined(PLAIN)
#error options
#endif
extern "C" __global__ void k(int* out) { out[0] = VALUE + PLAIN; out[1] = __cplusplus / 100; }
)";
  Options options;
  options.flags = {"-DVALUE=7",
                   "-D",
                   "GONE=1",
                   "-UGONE",
                   "--define-macro=PLAIN",
                   "-arch=sm_80",
                   "-gencode",
                   "arch=compute_80,code=sm_80",
                   "--gpu-architecture=compute_70",
                   "-I/no/such/folder",
                   "-lineinfo",
                   "-O3",
                   "--std=c++20",
                   "-Xptxas",
                   "-v",
                   "-maxrregcount=32",
                   "--use_fast_math",
                   "-fmad=false"};
  Compiled compiled = compile(text, options);
  ASSERT_TRUE(compiled.ok) << compiled.log;
  EXPECT_EQ(compiled.log, "");
  int out[2];
  Module(compiled).launch("k", {1}, {1}, 0, static_cast<int*>(out));
  EXPECT_EQ(out[0], 8);
  EXPECT_EQ(out[1], 2020);

  for (auto [flag, version] : {std::pair{"-std=c++11", 2011}, {"-std=c++14", 2014}, {"-std=c++17", 2017}, {"", 2017}}) {
    options.flags = {flag, "-DVALUE=7", "-DPLAIN"};
    Module(text, options).launch("k", {1}, {1}, 0, static_cast<int*>(out));
    EXPECT_EQ(out[1], version);
  }

  options.flags = {"--frobnicate"};
  compiled = compile(saxpy, options);
  EXPECT_TRUE(compiled.ok);
  EXPECT_TRUE(contains(compiled.log, "--frobnicate")) << compiled.log;
}

TEST(Plugin, IncludeFolders) {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("quern-plugin-test-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.cuh") << "#define MINE 42\n";
  Options options;
  options.flags = {"-I" + folder.string()};
  int out = 0;
  Module("#include \"mine.cuh\"\n#include <stdint.h>\nextern \"C\" __global__ void k(int32_t* out) { *out = MINE; }", options)
      .launch("k", {1}, {1}, 0, &out);
  EXPECT_EQ(out, 42);
  for (std::vector<std::string> include : {std::vector<std::string>{"-include", "mine.cuh"}, {"--pre-include=mine.cuh"}}) {
    Options before = options;
    before.flags.insert(before.flags.end(), include.begin(), include.end());
    out = 0;
    Module("extern \"C\" __global__ void k(int* out) { *out = MINE + __LINE__; }", before).launch("k", {1}, {1}, 0, &out);
    EXPECT_EQ(out, 43);
  }
  // Ours are found before those of a toolkit.
  std::ofstream(folder / "cuda_fp16.h") << "#error the other header\n";
  Module("#include <cuda_fp16.h>\nextern \"C\" __global__ void k(half* out) { *out = 1.0f; }", options);
  std::filesystem::remove_all(folder);
}

TEST(Plugin, KernelsOfEveryLinkage) {
  Module module(R"(
template <class T> __global__ void twice(T* x) { *x *= 2; }
template __global__ void twice<int>(int*);
static __global__ void quiet(int* x) { *x += 1; }
namespace { __global__ void hidden(int* x) { *x += 10; } }
struct Base { __device__ virtual int value() { return 1; } __device__ virtual ~Base() {} };
struct Derived : Base { __device__ int value() override { return 100; } };
extern "C" __global__ void objects(int* x) {
  Base* object = new Derived;
  auto add = [=](int n) { return n + object->value(); };
  *x = add(*x);
  delete object;
}
)");
  EXPECT_EQ(module.table().kernel_count, 4u);
  int x = 5;
  for (uint32_t i = 0; i < 4; ++i) module.launch(module.table().kernels[i].symbol, {1}, {1}, 0, &x);
  std::vector<std::string> names;
  for (uint32_t i = 0; i < 4; ++i) names.push_back(module.table().kernels[i].name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"(anonymous namespace)::hidden", "objects", "quiet", "twice<int>"}));
  x = 3;
  module.launch("objects", {1}, {1}, 0, &x);
  EXPECT_EQ(x, 103);
}

TEST(Plugin, ContractionAndExactArithmetic) {
  const char* text = "extern \"C\" __global__ void k(const double* x, double* out) { out[0] = x[0] * x[1] + x[2]; }";
  double x[3] = {1.0 + 0x1p-30, 1.0 - 0x1p-30, -1.0}, out;
  double rounded = x[0] * x[1];
  Module(text).launch("k", {1}, {1}, 0, static_cast<double*>(x), &out);
  bool has_fma = contains(plugin().host_cpu(), "+fma,");
  EXPECT_EQ(out, has_fma ? -0x1p-60 : rounded - 1.0);
  Options exact;
  exact.request_flags = QUERN_CLANG_EXACT;
  Module(text, exact).launch("k", {1}, {1}, 0, static_cast<double*>(x), &out);
  EXPECT_EQ(out, rounded - 1.0);
  exact.request_flags = 0;
  exact.flags = {"-fmad=false"};
  Module(text, exact).launch("k", {1}, {1}, 0, static_cast<double*>(x), &out);
  EXPECT_EQ(out, rounded - 1.0);
}

// ---- messages

TEST(Plugin, ErrorsShowTheUsersPlace) {
  Options options;
  options.file = "my \"odd\" file.cu";
  options.flags = {"-DX=1"};
  Compiled result = compile("__global__ void k(float* x) {\n  x[0] = undefined_name;\n}\n", options);
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(contains(result.log, "my \"odd\" file.cu:2:10: error:")) << result.log;
  EXPECT_TRUE(contains(result.log, "x[0] = undefined_name;")) << result.log;
  EXPECT_TRUE(contains(result.log, "^")) << result.log;

  result = compile("#line 40 \"script.py\"\n__global__ void k(float* x) { x = 3.5; }\n");
  EXPECT_TRUE(contains(result.log, "script.py:40:")) << result.log;
}

TEST(Plugin, WhatIsNotServedIsSaidOnce) {
  auto log_of = [](const char* text) {
    Compiled result = compile(text);
    EXPECT_FALSE(result.ok) << text;
    EXPECT_EQ(count(result.log, "error:"), 1u) << result.log;
    return result.log;
  };
  EXPECT_TRUE(contains(log_of("__global__ void k() { asm volatile(\"wgmma.fence.sync.aligned;\"); }"),
                       "inline PTX: 'wgmma.fence.sync.aligned' is not supported on the CPU"));
  EXPECT_TRUE(
      contains(log_of("texture<float, 2> image;\n__global__ void k(float* x) { x[0] = tex2D(image, 0, 0); }"), "texture"));
  EXPECT_TRUE(contains(log_of("__global__ void k(cudaTextureObject_t t, float* x) { x[0] = texCubemap<float>(t, 0, 0, 0); }"),
                       "cube map"));
  EXPECT_TRUE(contains(log_of("#include <thrust/sort.h>\n__global__ void k(float* x) { thrust::sort(x, x); }"), "Thrust"));
  EXPECT_TRUE(contains(log_of("#include <cub/cub.cuh>\n__global__ void k() { cub::BlockReduce<int, 3> r; }"), "CUB"));
  EXPECT_TRUE(contains(log_of("#include <vector>\n"), "<vector>"));
  std::string undefined = log_of("__device__ float missing(float);\n__global__ void k(float* x) { x[0] = missing(x[1]); }");
  EXPECT_TRUE(contains(undefined, "missing(float)")) << undefined;
}

TEST(Plugin, WarningsDoNotFail) {
  Compiled result = compile("extern \"C\" __global__ void k(int* x) { int y[2]; y[0] = y[1] = 1; x[0] = y[5]; }");
  EXPECT_TRUE(result.ok);
  EXPECT_TRUE(contains(result.log, "kernel.cu:1:")) << result.log;
  EXPECT_TRUE(contains(result.log, "warning:")) << result.log;
  EXPECT_EQ(compile(saxpy).log, "");
}

TEST(Plugin, BadTextNeverEndsTheProcess) {
  std::string sum = "__device__ int x = 1";
  for (int i = 0; i < 200000; ++i) sum += "+1";
  std::string deep(20000, '('),
      templates = "template <int N> struct S { static const int v = S<N + 1>::v; }; __device__ int x = S<0>::v;";
  for (const std::string& text :
       {std::string("\0\x01\xff", 3), deep, std::string("__global__ void k() { " + deep), templates, sum + ";",
        "__global__ void k(int* p) { *p = " + sum.substr(21) + "; }",
        std::string("__global__ void k(int n) { int a[1 << 30][1 << 30]; a[n][n] = n; }"), std::string("#include \"kernel.cu\""),
        std::string("__global__ int k() { return 1; }"), std::string("int main() { return 0; }"), std::string()}) {
    compile(text);
  }
  check_saxpy(Module(saxpy));
}

// ---- running

TEST(Plugin, DivisionDoesNotTrap) {
  Module module(R"(
extern "C" __global__ void k(const int* a, const int* b, int* out, unsigned* u, long long* w) {
  int i = threadIdx.x;
  out[2 * i] = a[i] / b[i];
  out[2 * i + 1] = a[i] % b[i];
  u[i] = (unsigned)a[i] / (unsigned)b[i];
  w[i] = (long long)a[i] % (long long)b[i];
}
)");
  int a[4] = {7, INT32_MIN, -7, 9}, b[4] = {0, -1, 2, -1}, out[8];
  unsigned u[4];
  long long w[4];
  module.launch("k", {1}, {4}, 0, static_cast<int*>(a), static_cast<int*>(b), static_cast<int*>(out), static_cast<unsigned*>(u),
                static_cast<long long*>(w));
  EXPECT_EQ(out[4], -3);
  EXPECT_EQ(out[5], -1);
  EXPECT_EQ(out[6], -9);
  EXPECT_EQ(out[2], INT32_MIN);
}

TEST(Plugin, PrintAssertAndTrap) {
  Module module(R"(
#include <stdio.h>
#include <assert.h>
extern "C" __global__ void say(float f, const char* unused) {
  printf("%d %f %s %c %llu %p\n", -5, f, "text", 'x', 1ull << 40, (void*)16);
  printf("none\n");
}
extern "C" __global__ void check(int n) { assert(n == 3); }
extern "C" __global__ void stop() { __trap(); }
)");
  printed().clear();
  module.launch("say", {1}, {1}, 0, 1.5f, static_cast<const char*>(nullptr));
  ASSERT_EQ(printed().size(), 2u);
  EXPECT_EQ(printed()[0].format, "%d %f %s %c %llu %p\n");
  const std::vector<uint64_t>& words = printed()[0].words;
  ASSERT_EQ(words.size(), 6u);
  EXPECT_EQ(static_cast<int>(words[0]), -5);
  double value;
  std::memcpy(&value, &words[1], 8);
  EXPECT_EQ(value, 1.5);
  EXPECT_EQ(words[3], static_cast<uint64_t>('x'));
  EXPECT_EQ(words[4], 1ull << 40);
  EXPECT_EQ(words[5], 16u);
  EXPECT_TRUE(printed()[1].words.empty());
  EXPECT_TRUE(module.kernel("say").flags & QUERN_KERNEL_PRINTS);

  module.launch("check", {1}, {1}, 0, 3);
  // Kernel code has no unwind tables to throw through, so the failing calls are only checked for being there.
  Options no_debug;
  no_debug.flags = {"-DNDEBUG"};
  EXPECT_FALSE(contains(
      std::string(
          compile("#include <cassert>\nextern \"C\" __global__ void c(int n) { assert(n == 12321); }", no_debug).code.data(), 64),
      "12321"));
}

TEST(Plugin, KernelsWhoseEndIsKnown) {
  Module module(R"(
    extern "C" __global__ void plain(float* a) { a[threadIdx.x] += 1; }
    extern "C" __global__ void rounds(float* a) { for (int i = 0; i < 50; ++i) a[i] += sinf(a[i]); }
    extern "C" __global__ void leaves(float* a) { for (int i = 0; i < 100 && a[i] > 0; ++i) a[i] = 0; }
    extern "C" __global__ void meets(float* a) {
      __shared__ float s[64];
      s[threadIdx.x] = a[threadIdx.x];
      for (int step = 32; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
      }
      if (threadIdx.x == 0) *a = s[0];
    }
    extern "C" __global__ void many(float* a) { for (int i = 0; i < 100000; ++i) for (int k = 0; k < i; ++k) a[i] += sinf(a[k]); }
    extern "C" __global__ void counted(float* a, long long n) { for (long long i = 0; i < n; ++i) a[0] += sinf(a[1]); }
    extern "C" __global__ void memory(float* a) { while (a[0] < a[1]) a[0] = a[0] * a[2]; }
    extern "C" __global__ void waits(volatile int* a) { while (a[0] == 0) {} }
    __device__ float tree(float x, int n) { return n == 0 ? x : tree(x * 2, n - 1) + tree(x, n - 1); }
    extern "C" __global__ void calls(float* a, int n) { a[0] = tree(a[1], n); }
    extern "C" __global__ void chosen(float* a, int n) { float (*f)(float, int) = n > 2 ? tree : nullptr; a[0] = f(a[1], n); }
  )");
  for (const char* name : {"plain", "rounds", "leaves", "meets"})
    EXPECT_TRUE(module.kernel(name).flags & QUERN_KERNEL_BOUNDED) << name;
  for (const char* name : {"many", "counted", "memory", "waits", "calls", "chosen"})
    EXPECT_FALSE(module.kernel(name).flags & QUERN_KERNEL_BOUNDED) << name;
}

TEST(Plugin, VectorMathIsUsed) {
  Compiled compiled = compile(R"(
extern "C" __global__ void k(const float* x, float* y, const double* z, double* w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = tanhf(x[i]) + sinf(x[i]); w[i] = pow(z[i], 1.5); }
}
)");
  ASSERT_TRUE(compiled.ok) << compiled.log;
  std::string code(compiled.code.begin(), compiled.code.end());
  EXPECT_TRUE(contains(code, "v_tanhf")) << "no vector variant is called";
  EXPECT_TRUE(contains(code, "v_sinf"));
  EXPECT_TRUE(contains(code, "vv_pow"));
  EXPECT_TRUE(contains(code, "libmvec.so.1"));
  Module module(compiled);
  const int n = 1003;
  std::vector<float> x(n), y(n);
  std::vector<double> z(n), w(n);
  for (int i = 0; i < n; ++i) x[i] = i * 0.01f, z[i] = i * 0.5;
  module.launch("k", {8}, {128}, 0, x.data(), y.data(), z.data(), w.data(), n);
  for (int i = 0; i < n; ++i) {
    double exact = std::tanh(static_cast<double>(x[i])) + std::sin(static_cast<double>(x[i]));
    ASSERT_NEAR(y[i], exact, 5e-7 * std::abs(exact) + 5e-7) << i;
    ASSERT_NEAR(w[i], std::pow(z[i], 1.5), 1e-14 * std::pow(z[i], 1.5)) << i;
  }
}

TEST(Plugin, PrecompiledPrelude) {
  std::string path = std::filesystem::temp_directory_path() / ("quern-plugin-test-" + std::to_string(getpid()) + ".pch");
  RequestData data("", {});
  const char* error = plugin().precompile(&data.request, path.c_str());
  ASSERT_EQ(error, nullptr) << error;
  Options options;
  options.pch = path;
  check_saxpy(Module(saxpy, options));
  options.flags = {"-DN=5", "-use_fast_math"};
  float out[1];
  Module(
      "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(float* out) { half h = N; out[0] = __half2float(h) + fmaxf(1, 2); "
      "}",
      options)
      .launch("k", {1}, {1}, 0, static_cast<float*>(out));
  EXPECT_EQ(out[0], 7.0f);
  // A file of another build, or of nothing, falls back on the text.
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "CPCH this is no such file";
  options.flags.clear();
  check_saxpy(Module(saxpy, options));
  std::ofstream(path, std::ios::binary | std::ios::trunc);
  check_saxpy(Module(saxpy, options));
  options.pch = "/no/such/file.pch";
  check_saxpy(Module(saxpy, options));
  std::filesystem::remove(path);
  EXPECT_NE(plugin().precompile(&data.request, "/no/such/folder/x.pch"), nullptr);
}

TEST(Plugin, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 3; ++i) {
        check_saxpy(Module(saxpy));
        EXPECT_FALSE(compile("__global__ void k() { nonsense; }").ok);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Plugin, LargeObjects) {
  Module module(
      "__device__ int table[1 << 20] = {1, 2, 3};\nextern \"C\" __global__ void k(int* out) { out[0] = table[2] + table[1 << "
      "19]; }");
  int out = 0;
  module.launch("k", {1}, {1}, 0, &out);
  EXPECT_EQ(out, 3);
  EXPECT_EQ(module.global("table").size, 4u << 20);
}

TEST(Plugin, KeepsTheIrOnRequest) {
  Options options;
  options.request_flags = QUERN_CLANG_KEEP_IR;
  Compiled compiled = compile(saxpy, options);
  EXPECT_TRUE(contains(compiled.log, "before lowering"));
  EXPECT_TRUE(contains(compiled.log, "after lowering"));
  EXPECT_TRUE(contains(compiled.log, "define"));
}

}  // namespace
