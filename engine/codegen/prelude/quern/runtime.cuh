// CPU: what needs the host while a kernel runs (printf, assert, clocks, device-side malloc), through the table that the loader
// sets. The structs are those of compile/cpu_module.h.
#pragma once

struct __quern_launch_record;
struct __quern_texture;
struct __quern_runtime_table {
  unsigned int abi;
  int (*print)(const __quern_launch_record*, const char*, const unsigned long long*, unsigned int);
  void (*assert_fail)(const __quern_launch_record*, const char*, const char*, unsigned int, const char*, const unsigned int*,
                      const unsigned int*);
  void (*fail)(const __quern_launch_record*, const char*);
  unsigned long long (*clock_cycles)();
  unsigned long long (*clock_nanoseconds)();
  void* (*allocate)(unsigned long long);
  void (*release)(void*);
  const __quern_texture* textures;  // texture.cuh
};
static constexpr unsigned int __quern_texture_count = 65536;
extern "C" {
extern __device__ const __quern_runtime_table* quern_runtime;
__device__ __attribute__((const, nothrow)) const __quern_launch_record* __quern_launch();
}

// ---- printf: each argument in eight bytes, as C's default promotions leave it

__QUERN_DEVICE unsigned long long __quern_word(double x) { return __builtin_bit_cast(unsigned long long, x); }
__QUERN_DEVICE unsigned long long __quern_word(float x) { return __quern_word(static_cast<double>(x)); }
template <class T>
__QUERN_DEVICE unsigned long long __quern_word(T* x) {
  return reinterpret_cast<unsigned long long>(x);
}
__QUERN_DEVICE unsigned long long __quern_word(decltype(nullptr)) { return 0; }
template <class T>
__QUERN_DEVICE typename __quern_enable_if<__quern_is_integer<T>::value || __is_enum(T), unsigned long long>::type __quern_word(
    T x) {
  return static_cast<unsigned long long>(static_cast<long long>(x));
}
// The front end finds the kernels that print by their way to this function.
extern "C" __QUERN_DEVICE int __quern_print(const char* format, const unsigned long long* words, unsigned int count) {
  return quern_runtime->print(__quern_launch(), format, words, count);
}
template <class... Args>
__device__ inline int printf(const char* format, Args... args) {
  // One element more, since an array needs one.
  unsigned long long words[sizeof...(Args) + 1] = {__quern_word(args)..., 0ull};
  return __quern_print(format, words, sizeof...(Args));
}

// ---- ends of a launch

__device__ __attribute__((noinline, cold, noreturn)) inline void __quern_assert_fail(const char* condition, const char* file,
                                                                                     unsigned int line, const char* function) {
  unsigned int block[3] = {__quern_ctaid_x(), __quern_ctaid_y(), __quern_ctaid_z()};
  unsigned int thread[3] = {__quern_tid_x(), __quern_tid_y(), __quern_tid_z()};
  quern_runtime->assert_fail(__quern_launch(), condition, file, line, function, block, thread);
  __builtin_unreachable();
}
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition) ((condition) ? static_cast<void>(0) : __quern_assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif

__device__ __attribute__((noreturn)) inline void __trap() {
  quern_runtime->fail(__quern_launch(), "the kernel called __trap()");
  __builtin_unreachable();
}
__device__ __attribute__((noreturn)) inline void abort() {
  quern_runtime->fail(__quern_launch(), "the kernel called abort()");
  __builtin_unreachable();
}
__QUERN_DEVICE void __brkpt() {}
__QUERN_DEVICE void __prof_trigger(int) {}

// ---- time

__QUERN_DEVICE clock_t clock() { return static_cast<clock_t>(quern_runtime->clock_cycles()); }
__QUERN_DEVICE long long clock64() { return static_cast<long long>(quern_runtime->clock_cycles()); }
__QUERN_DEVICE unsigned long long globaltimer() { return quern_runtime->clock_nanoseconds(); }
// A hint to let others run; a kernel that waits for memory is lowered to take turns anyway.
__QUERN_DEVICE void __nanosleep(unsigned int) { __builtin_ia32_pause(); }

// ---- memory

__QUERN_DEVICE void* malloc(size_t bytes) { return quern_runtime->allocate(bytes); }
__QUERN_DEVICE void free(void* pointer) { quern_runtime->release(pointer); }
__QUERN_DEVICE void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__QUERN_DEVICE void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
__QUERN_DEVICE void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
__QUERN_DEVICE int memcmp(const void* a, const void* b, size_t bytes) { return __builtin_memcmp(a, b, bytes); }
__QUERN_DEVICE void* operator new(size_t bytes) { return malloc(bytes); }
__QUERN_DEVICE void* operator new[](size_t bytes) { return malloc(bytes); }
__QUERN_DEVICE void* operator new(size_t, void* place) noexcept { return place; }
__QUERN_DEVICE void* operator new[](size_t, void* place) noexcept { return place; }
__QUERN_DEVICE void operator delete(void* pointer) noexcept { free(pointer); }
__QUERN_DEVICE void operator delete[](void* pointer) noexcept { free(pointer); }
__QUERN_DEVICE void operator delete(void* pointer, size_t) noexcept { free(pointer); }
__QUERN_DEVICE void operator delete[](void* pointer, size_t) noexcept { free(pointer); }

// ---- loads and stores with a hint for a cache: plain ones here

#define __QUERN_LOAD(name)            \
  template <class T>                  \
  __QUERN_DEVICE T name(const T* p) { \
    return *p;                        \
  }
__QUERN_LOAD(__ldg)
__QUERN_LOAD(__ldca)
__QUERN_LOAD(__ldcg)
__QUERN_LOAD(__ldcs)
__QUERN_LOAD(__ldlu)
__QUERN_LOAD(__ldcv)
#undef __QUERN_LOAD
#define __QUERN_STORE(name)                 \
  template <class T>                        \
  __QUERN_DEVICE void name(T* p, T value) { \
    *p = value;                             \
  }
__QUERN_STORE(__stwb)
__QUERN_STORE(__stcg)
__QUERN_STORE(__stcs)
__QUERN_STORE(__stwt)
#undef __QUERN_STORE
