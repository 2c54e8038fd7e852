// What NVIDIA's driver itself takes for a launch with four arguments: prints the median of five times, in microseconds.
// bench/spine.py compiles and runs it, to compare it with quern's own calls.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

// As spine.py's: three pointers and an int.
constexpr char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry f(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) { ret; }
)";

template <class F>
F found(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}
void check(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s fails with %d\n", what, result);
  std::exit(1);
}

}  // namespace

int main() {
  void* cuda = dlopen("libcuda.so.1", RTLD_NOW);
  if (!cuda) return std::fprintf(stderr, "no driver\n"), 1;
  void *context = nullptr, *module = nullptr, *function = nullptr, *stream = nullptr;
  unsigned long long memory = 0;
  check(found<int (*)(unsigned)>(cuda, "cuInit")(0), "cuInit");
  check(found<int (*)(void**, int)>(cuda, "cuDevicePrimaryCtxRetain")(&context, 0), "cuDevicePrimaryCtxRetain");
  check(found<int (*)(void*)>(cuda, "cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  check(found<int (*)(void**, const void*)>(cuda, "cuModuleLoadData")(&module, ptx), "cuModuleLoadData");
  check(found<int (*)(void**, void*, const char*)>(cuda, "cuModuleGetFunction")(&function, module, "f"), "cuModuleGetFunction");
  check(found<int (*)(unsigned long long*, size_t)>(cuda, "cuMemAlloc_v2")(&memory, 64), "cuMemAlloc");
  check(found<int (*)(void**, unsigned)>(cuda, "cuStreamCreate")(&stream, 1), "cuStreamCreate");
  auto wait = found<int (*)(void*)>(cuda, "cuStreamSynchronize");
  using Unsigned = unsigned;
  auto launch =
      found<int (*)(void*, Unsigned, Unsigned, Unsigned, Unsigned, Unsigned, Unsigned, Unsigned, void*, void**, void**)>(
          cuda, "cuLaunchKernel");
  int n = 5;
  void* arguments[] = {&memory, &memory, &memory, &n};
  constexpr int launches = 10000;
  double times[5];
  auto many = [&](int count) {
    for (int i = 0; i < count; ++i) check(launch(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr), "cuLaunchKernel");
  };
  many(500);
  for (double& time : times) {
    check(wait(stream), "cuStreamSynchronize");
    auto start = std::chrono::steady_clock::now();
    many(launches);
    time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / launches;
  }
  check(wait(stream), "cuStreamSynchronize");
  std::sort(times, times + 5);
  std::printf("%.3f\n", times[2]);
}
