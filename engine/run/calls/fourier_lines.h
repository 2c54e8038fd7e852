// Fourier transforms of an array on the CPU: along one axis, or along several, one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/layout.h"
#include "run/calls/fourier_levels.h"

namespace quern::fft {

// Along one axis, every line.
struct Stage {
  Kind kind;
  int64_t n;  // of the line's numbers, complex or real
  double scale;
  size_t axis;
};

// Stages; only the first one may take reals, only the last one may give them. Those from the second on work where the one before
// left its results: where the operation's go, or, if these are reals, in memory of that layout.
struct Work {
  std::vector<Stage> stages;
  Layout in, between, out;

  bool has_between() const { return stages.size() > 1 && stages.back().kind == Kind::whole; }
  size_t between_bytes(bool is_double) const { return static_cast<size_t>(between.size()) * (is_double ? 16 : 8); }
};

// Memory that transform() wants beside a thread's own, in bytes.
template <class T>
size_t memory_for(const Work& work);
// Without `memory` it takes what it needs from the system.
template <class T>
void transform(const Work& work, const char* in, char* between, char* out, void* memory);

}  // namespace quern::fft
