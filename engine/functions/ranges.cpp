#include "functions/ranges.h"

#include "core/error.h"
#include "functions/steps.h"

namespace quern {

using namespace steps;

Array numbers_between(const Scalar& start, const Scalar& stop, int64_t count, bool endpoint, DType dtype, DeviceId device,
                      DType work) {
  if (count < 0) raise(ErrorKind::value, "[linspace] {} numbers were asked for; it must be none or more", count);
  int64_t parts = endpoint ? count - 1 : count;
  auto in_work = [&](Op op, const Scalar& a, const Scalar& b) {
    return scalar_in(compute(op, full({}, a, work, DeviceId::cpu()), full({}, b, work, DeviceId::cpu())));
  };
  Array out = as_type(counted(count, device), work);
  auto apply = [&](Op op, const Scalar& by) {
    Argument both[] = {Argument(out), Argument(by)};
    elementwise(op, both, &out);  // in place: in the type of the work
  };
  if (parts > 0) {
    Scalar delta = in_work(Op::subtract, stop, start), step = in_work(Op::true_divide, delta, whole(parts));
    if (step.re != 0) {
      apply(Op::multiply, step);
    } else {  // too small for the type
      apply(Op::true_divide, whole(parts));
      apply(Op::multiply, delta);
    }
  }
  apply(Op::add, start);  // what is not divided is one zero, or nothing
  if (endpoint && parts > 0) assign(element(out, 0, parts), Argument(stop));
  return as_type(is_integer(dtype) ? compute(Op::floor, out) : out, dtype);
}

Array powers_between(double start, double stop, int64_t count, bool endpoint, double base, DType dtype, DeviceId device) {
  Array exponents = numbers_between(real_number(start), real_number(stop), count, endpoint, DType::float64, device);
  return as_type(compute(Op::power, base, exponents), dtype);
}

}  // namespace quern
