// Numbers in even steps.
#pragma once

#include "graph/array.h"

namespace quern {

// From start to stop, which is the last of them where `endpoint` says so; computed in `work`, a type of real numbers, as NumPy's
// linspace does it. Raises ErrorKind::value for a negative count.
Array numbers_between(const Scalar& start, const Scalar& stop, int64_t count, bool endpoint, DType dtype, DeviceId device,
                      DType work = DType::float64);
// The powers of `base` whose exponents are such numbers.
Array powers_between(double start, double stop, int64_t count, bool endpoint, double base, DType dtype, DeviceId device);

}  // namespace quern
