// What kernel code on the CPU may call: the runtime table of cpu_module.h.
#include "core/error.h"
#include "core/print.h"
#include "device/cpu.h"

#include <x86intrin.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace quern {

namespace {

// ---- printf

// Formats like C's printf; each argument lies in 8 bytes as the default promotions leave it.
std::string format(const char* f, const uint64_t* args, uint32_t count) {
  std::string out;
  uint32_t used = 0;
  auto next = [&]() -> uint64_t { return used < count ? args[used++] : 0; };
  char piece[512];
  while (*f) {
    if (*f != '%') {
      out += *f++;
      continue;
    }
    if (f[1] == '%') {
      out += '%';
      f += 2;
      continue;
    }
    std::string spec = "%";
    ++f;
    while (*f && std::strchr("-+ #0123456789.*", *f)) {
      if (*f == '*')
        spec += std::to_string(static_cast<int>(next()));
      else
        spec += *f;
      ++f;
    }
    int longs = 0;
    while (*f && std::strchr("hlLqjzt", *f)) {
      if (*f == 'l' || *f == 'q' || *f == 'j' || *f == 'z' || *f == 't') ++longs;
      if (*f == 'h') longs -= 10;
      ++f;
    }
    char c = *f ? *f++ : '\0';
    switch (c) {
      case 'd':
      case 'i': {
        uint64_t v = next();
        long long value = longs > 0      ? static_cast<long long>(v)
                          : longs <= -20 ? static_cast<signed char>(v)
                          : longs < 0    ? static_cast<short>(v)
                                         : static_cast<int>(v);
        std::snprintf(piece, sizeof piece, (spec + "lld").c_str(), value);
        out += piece;
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        uint64_t v = next();
        unsigned long long value = longs > 0      ? v
                                   : longs <= -20 ? static_cast<unsigned char>(v)
                                   : longs < 0    ? static_cast<unsigned short>(v)
                                                  : static_cast<unsigned>(v);
        std::snprintf(piece, sizeof piece, (spec + "ll" + c).c_str(), value);
        out += piece;
        break;
      }
      case 'c':
        std::snprintf(piece, sizeof piece, (spec + "c").c_str(), static_cast<int>(next()));
        out += piece;
        break;
      case 'p':
        std::snprintf(piece, sizeof piece, (spec + "p").c_str(), reinterpret_cast<void*>(next()));
        out += piece;
        break;
      case 's': {
        const char* text = reinterpret_cast<const char*>(next());
        if (!text) text = "(null)";
        int n = std::snprintf(piece, sizeof piece, (spec + "s").c_str(), text);
        if (n < static_cast<int>(sizeof piece)) {
          out += piece;
        } else {
          std::string big(static_cast<size_t>(n) + 1, '\0');
          std::snprintf(big.data(), big.size(), (spec + "s").c_str(), text);
          big.pop_back();
          out += big;
        }
        break;
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        uint64_t bits = next();
        double value;
        std::memcpy(&value, &bits, sizeof value);
        std::snprintf(piece, sizeof piece, (spec + c).c_str(), value);
        out += piece;
        break;
      }
      default:
        out += spec;
        if (c) out += c;
    }
  }
  return out;
}

int print(const QuernCpuLaunch*, const char* text, const uint64_t* args, uint32_t count) {
  append_print(format(text, args, count));
  return static_cast<int>(count);
}

void assert_fail(const QuernCpuLaunch*, const char* condition, const char* file, uint32_t line, const char* function,
                 const uint32_t block[3], const uint32_t thread[3]) {
  end_kernel(fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed", file, line, function, block[0],
                         block[1], block[2], thread[0], thread[1], thread[2], condition));
}

void fail(const QuernCpuLaunch*, const char* text) { end_kernel(text); }

uint64_t clock_cycles() { return __rdtsc(); }

uint64_t clock_nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

void* allocate(uint64_t bytes) { return std::malloc(bytes); }
void release(void* pointer) { std::free(pointer); }

}  // namespace

const QuernCpuRuntime cpu_runtime = {QUERN_CPU_ABI, print, assert_fail, fail, clock_cycles, clock_nanoseconds, allocate, release};

}  // namespace quern
