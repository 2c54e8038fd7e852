// Numbers in even steps, and their powers.
#pragma once

#include <optional>
#include <utility>

#include "graph/array.h"

namespace quern {

// From start to stop, which is the last of them where `endpoint` says so; computed in `work`, a type of real numbers, as NumPy's
// linspace does it. Raises ErrorKind::value for a negative count.
Array numbers_between(const Scalar& start, const Scalar& stop, int64_t count, bool endpoint, DType dtype, DeviceId device,
                      DType work = DType::float64);
// The powers of `base` whose exponents are such numbers.
Array powers_between(double start, double stop, int64_t count, bool endpoint, double base, DType dtype, DeviceId device);

// The same between numbers or arrays that broadcast, as rows: a new axis counts.
struct Ends {
  Argument start, stop;
  int64_t count;
  bool endpoint;
  DType work, type;           // computed in `work`; `type` is that of the result unless another is asked for
  bool become_whole = false;  // for a result of integers
};
struct Spread {
  int64_t axis;  // of the result, which counts; may count from the end
  std::optional<DType> dtype;
  std::optional<DeviceId> device;  // none: that of the arrays
};
// How many axes the result has; `base`: it broadcasts, too.
size_t rank_of_spread(const Ends& ends, const Argument* base = nullptr);
struct NumbersAndStep {
  Array numbers;
  bool has_step;
  double step;                      // between numbers
  std::optional<Array> steps = {};  // between arrays
};

}  // namespace quern
