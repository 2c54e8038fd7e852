// cuFFT, found at run time: Fourier transforms on a GPU. No CUDA header is used; the numbers are those of cufft.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.h"

namespace quern {

// Of `count` rows that lie one after the other: complex to complex (e^+i for `backward`), n real numbers to n / 2 + 1 complex
// ones
// (`half`), or back (`whole`; the operand may be overwritten). Not scaled.
struct TransformOnGpu {
  bool is_double, half, whole, backward;
  int64_t n, count;
};
size_t transform_workspace(Device& device, const TransformOnGpu& transform);
// Raises ErrorKind::runtime with the library's status.
void transform_on_gpu(Device& device, Stream& stream, const TransformOnGpu& transform, const void* in, void* out,
                      void* workspace);

}  // namespace quern
