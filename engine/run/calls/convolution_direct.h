// Direct convolutions on the CPU, for few channels: patches of few elements cost more to gather than to multiply.
//
// Each plane of a sample is copied once, with the zeros around it; with a stride, as one plane for each remainder of a position
// by the stride. Then an element of the kernel is a distance in memory, the same for all positions, and the loops
// (convolution_loops.h) run over whole planes, the columns of zeros included. The gradient by the input is the same with the
// roles exchanged. Start reading at Direct::run().
#pragma once

#include "run/calls/convolution_tiles.h"

namespace quern {

// Is this the faster way?
bool is_for_direct(const ConvolutionOnHost& convolution);
// False: weights were asked for, and the input has infinities or NaN, which zeros do not blot out; they are to be computed by
// another way.
bool convolve_directly(const ConvolutionOnHost& convolution);

}  // namespace quern
