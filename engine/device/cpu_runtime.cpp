// What kernel code on the CPU may call: the runtime table of cpu_module.h.
#include "core/error.h"
#include "core/print.h"
#include "device/check/checked_launch.h"
#include "device/cpu.h"

#include <x86intrin.h>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace quern {

namespace {

// ---- printf

template <class T>
void append(std::string& out, const std::string& spec, T value) {
  size_t before = out.size();
  char piece[128];
  auto length = static_cast<size_t>(std::snprintf(piece, sizeof piece, spec.c_str(), value));
  if (length < sizeof piece) {
    out.append(piece, length);
    return;
  }
  out.resize(before + length + 1);
  std::snprintf(out.data() + before, length + 1, spec.c_str(), value);
  out.pop_back();
}

// `Wide` as the type of so many l less h in front of the conversion.
template <class Wide, class Int, class Short, class Char>
Wide narrowed(uint64_t bits, int longs) {
  return longs > 0      ? static_cast<Wide>(bits)
         : longs <= -20 ? static_cast<Char>(bits)
         : longs < 0    ? static_cast<Short>(bits)
                        : static_cast<Int>(bits);
}

// A float as Python writes it: the fewest digits that give it again. `spec` may have a + for a sign always, a # for no `.0`.
void append_as_python(std::string& out, const std::string& spec, double x) {
  if (x != x) x = std::numeric_limits<double>::quiet_NaN();  // of no sign
  std::string digits = spec.find('+') != std::string::npos ? fmt::format("{:+}", x) : fmt::format("{}", x);
  if (spec.find('#') == std::string::npos && digits.find_first_not_of("+-0123456789") == std::string::npos) digits += ".0";
  out += digits;
}

// A complex number as Python writes it.
void append_as_python(std::string& out, double real, double imaginary) {
  bool has_real = real != 0 || std::signbit(real);
  if (has_real) append_as_python(out += '(', "#", real);
  append_as_python(out, has_real ? "+#" : "#", imaginary);
  out += has_real ? "j)" : "j";
}

void append_conversion(std::string& out, std::string spec, char c, int longs, uint64_t bits) {
  switch (c) {
    case 'd':
    case 'i':
      return append(out, spec + "lld", narrowed<long long, int, short, signed char>(bits, longs));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return append(out, spec + "ll" + c, narrowed<unsigned long long, unsigned, unsigned short, unsigned char>(bits, longs));
    case 'c':
      return append(out, spec + c, static_cast<int>(bits));
    case 'p':
      return append(out, spec + c, reinterpret_cast<void*>(bits));
    case 's':
      return append(out, spec + c, bits ? reinterpret_cast<const char*>(bits) : "(null)");
    case 'r':
      return append_as_python(out, spec, std::bit_cast<double>(bits));
    default:
      return append(out, spec + c, std::bit_cast<double>(bits));
  }
}

// Formats like C's printf, and %r and %R (Python's repr of a float, and of a complex number of two arguments); each argument lies
// in 8 bytes as the default promotions leave it.
std::string format(const char* f, const uint64_t* args, uint32_t count) {
  std::string out;
  uint32_t used = 0;
  auto next = [&]() -> uint64_t { return used < count ? args[used++] : 0; };
  while (*f) {
    if (*f != '%' || f[1] == '%') {
      out += *f;
      f += *f == '%' ? 2 : 1;
      continue;
    }
    std::string spec = "%";
    for (++f; *f && std::strchr("-+ #0123456789.*", *f); ++f) {
      if (*f == '*')
        spec += std::to_string(static_cast<int>(next()));
      else
        spec += *f;
    }
    int longs = 0;
    for (; *f && std::strchr("hlLqjzt", *f); ++f) longs += *f == 'h' ? -10 : *f == 'L' ? 0 : 1;
    if (!*f) return out + spec;
    char c = *f++;
    if (c == 'R') {
      double real = std::bit_cast<double>(next());
      append_as_python(out, real, std::bit_cast<double>(next()));
    } else if (std::strchr("diuxXocpsreEfFgGaA", c))
      append_conversion(out, std::move(spec), c, longs, next());
    else
      out += spec + c;
  }
  return out;
}

int print(const QuernCpuLaunch*, const char* text, const uint64_t* args, uint32_t count) {
  append_print(format(text, args, count));
  return static_cast<int>(count);
}

void assert_fail(const QuernCpuLaunch*, const char* condition, const char* file, uint32_t line, const char* function,
                 const uint32_t block[3], const uint32_t thread[3]) {
  end_kernel(formatted("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed", file, line, function, block[0],
                       block[1], block[2], thread[0], thread[1], thread[2], condition));
}

void fail(const QuernCpuLaunch*, const char* text) { end_kernel(text); }

uint64_t clock_cycles() { return __rdtsc(); }

uint64_t clock_nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

void* allocate(uint64_t bytes) {
  void* pointer = std::malloc(bytes);
  if (check::on() && pointer) check::unwritten(pointer, bytes);
  return pointer;
}
void release(void* pointer) {
  if (check::on()) check::freed(pointer);
  std::free(pointer);
}

}  // namespace

const QuernCpuRuntime cpu_runtime = {QUERN_CPU_ABI,      print,
                                     assert_fail,        fail,
                                     clock_cycles,       clock_nanoseconds,
                                     allocate,           release,
                                     cpu_textures,       check::check_access,
                                     check::check_event, check::check_value,
                                     check::check_local, check::check_index,
                                     check::check_lane,  check::check_give};

}  // namespace quern
