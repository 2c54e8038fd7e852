// An axis in another size: each element of the result is a sum of few elements of the axis with weights that the host computes.
// What layers and functions of images have in common; resizing.cpp says which elements PyTorch and Keras take. Start at
// resampled().
#pragma once

#include <vector>

#include "graph/array.h"

namespace quern {

// The elements that a result of `size` elements is made of: its i-th one is the sum over t of weights[t * size + i] times the
// element at places[t * size + i]. No weights: it is the element.
struct Taps {
  int64_t size = 0;
  std::vector<int64_t> places = {};
  std::vector<double> weights = {};
  int64_t each() const { return size ? static_cast<int64_t>(places.size()) / size : 0; }
};

// Taps of different numbers for each element: first[i] and what follows it. Short ones are filled up by dividing their last tap,
// so that no element takes part that has no weight.
Taps taps_of(const std::vector<int64_t>& first, const std::vector<std::vector<double>>& weights);

// The last axes of `x`, one for each of `along`, from the last one to the first. Real numbers of 16 bits are computed with 32
// bits and rounded once. Channels (axis 1) that lie last stay there.
Array resampled(const Array& x, const std::vector<Taps>& along);
// The same of whole numbers from 0 to 255: weights are numbers of 16 bits, each axis is rounded.
Array resampled_bytes(const Array& x, const std::vector<Taps>& along);
// One axis alone, in C order.
Array resampled_along(const Array& x, size_t axis, const Taps& taps);

}  // namespace quern
