// Windows: weights of the samples of a signal, computed as float64.
#pragma once

#include <optional>

#include "graph/array.h"

namespace quern {

// A window of `points` samples (which need not be whole, as in NumPy), of which `count` are made: one less of a periodic one.
struct WindowSize {
  double points;
  int64_t count;
  DType dtype;
  DeviceId device;
};
// alpha + beta * cos(..), by default 0.54 and 0.46.
Array hamming(const WindowSize& size, std::optional<double> alpha, std::optional<double> beta);
Array kaiser(const WindowSize& size, const Argument& beta);  // beta: a number, or an array without dimensions

}  // namespace quern
