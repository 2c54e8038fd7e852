// Convolutions on the CPU.
//
// The positions of the result (of all samples, one after the other) are cut into tiles. The patches of a tile, the elements of
// the input under the kernel at each position, are gathered into a matrix that stays in the cache, and the host's BLAS multiplies
// it by the weights. Channels-last arrays have their patches as rows, others as columns, so that both are gathered along memory.
#pragma once

#include "graph/call.h"
#include "run/calls/convolution.h"

namespace quern {

struct ConvolutionSizes {
  int64_t samples, channels, results;  // channels and results of all groups
  std::array<int64_t, Steps::axes> in, kernel, out;
};

// The three arrays, of float32, float64 or complex numbers; weights and result have a unit step either along their channels or
// along all other axes taken as one.
struct ConvolutionOnHost {
  Convolved what;
  Steps steps;
  CallView input, weight, result;
  bool is_last;  // in which order the weights count a patch: channels last, or first
  ConvolutionSizes sizes() const;
};

// Is a patch of these weights, counted in that order, a row with one step?
bool is_matrix(const Layout& weight, bool is_last);

void convolve_on_host(const ConvolutionOnHost& convolution);

}  // namespace quern
