// Fourier transforms of an array's lines on the CPU.
#pragma once

#include "run/calls/fourier_levels.h"
#include "run/calls/lines.h"

#include <cstddef>

namespace quern::fft {

// How all lines of a call are to be transformed.
struct Task {
  Kind kind;
  int64_t n;  // of the line's numbers, complex or real
  double scale;
};

// Memory that transform() wants beside a thread's own, in bytes.
template <class T>
size_t memory_for(const Task& task, const Lines& lines);
template <class T>
void transform(const Task& task, const Lines& lines, const char* in, char* out, void* memory);

}  // namespace quern::fft
