#include "functions/without_nan.h"

#include <limits>

#include "core/error.h"
#include "functions/rounding.h"
#include "functions/steps.h"

namespace quern {

using namespace steps;

namespace {

bool has_nan(const Array& array) { return !is_whole(array.dtype()); }

// The elements that are numbers, of those that `over` chooses.
class Numbers {
 public:
  Numbers(const Array& array, const Over& over) : over(over) {
    if (!has_nan(array)) return;
    mask_ = logical_not(isnan(array));
    if (over.where) mask_ = logical_and(mask_, *over.where);
    this->over.where = &mask_;
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  Over over;

  Array count() const { return reduce(Reduction::sum, mask_, over.axes, over.keep_dims, DType::int64); }

 private:
  Array mask_;
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// What is chosen after a reduction is a number still where that gives one.
Array chosen_as(const Array& out, const Array& nothing_left) {
  Array chosen = as_type(where(nothing_left, nan, out), out.dtype());
  chosen.set_value(out.is_value());
  return chosen;
}

Scalar limit_of(DType type, double value) {
  Scalar out = real_number(value);
  if (is_complex(type)) out.kind = WeakScalar::complex, out.im = value;
  return out;
}

// What there is nothing greater (or smaller) than, and NaN where there was nothing else.
Array extreme_without_nan(Reduction reduction, const Array& array, const Over& over, const Initial& initial, double least) {
  if (!has_nan(array) || initial.value || count_over(array, over) == 0) {
    Numbers numbers(array, over);
    return reduced(reduction, array, numbers.over, initial);
  }
  Numbers numbers(array, over);
  Initial start{operand(limit_of(array.dtype(), least))};
  Array out = reduced(reduction, array, numbers.over, start);
  return chosen_as(out, equal(numbers.count(), 0));
}

void check_fractions(const Array& array, const Over& over) {
  if (over.dtype && is_whole(*over.dtype) && has_nan(array))
    raise(ErrorKind::type, "If a is inexact, then dtype must be inexact");
}

Array with_value_for_nan(const Array& array, int64_t value) {
  if (!has_nan(array)) return array;
  return as_type(where(isnan(array), value, array), array.dtype());
}

}  // namespace

Array sum_without_nan(const Array& array, const Over& over, const Initial& initial) {
  return sum(array, Numbers(array, over).over, initial);
}
Array product_without_nan(const Array& array, const Over& over, const Initial& initial) {
  return product(array, Numbers(array, over).over, initial);
}

// NaN where there is no number. Raise ErrorKind::value for no elements at all without an initial value.
Array largest_without_nan(const Array& array, const Over& over, const Initial& initial) {
  return extreme_without_nan(Reduction::maximum, array, over, initial, -infinity);
}
Array smallest_without_nan(const Array& array, const Over& over, const Initial& initial) {
  return extreme_without_nan(Reduction::minimum, array, over, initial, infinity);
}

Array mean_without_nan(const Array& array, const Over& over) {
  check_fractions(array, over);
  return mean(array, Numbers(array, over).over);
}

Array variance_without_nan(const Array& array, const Over& over, double ddof, const Argument* center) {
  check_fractions(array, over);
  Numbers numbers(array, over);
  Array out = variance(with_value_for_nan(array, 0), numbers.over, ddof, center);  // a NaN would come into the derivative
  if (!has_nan(array)) return out;
  return chosen_as(out, less_equal(numbers.count(), ddof));
}

Array deviation_without_nan(const Array& array, const Over& over, double ddof, const Argument* center) {
  return sqrt(variance_without_nan(array, over, ddof, center));
}

// Running sums and products (rounding.h) with 0 and 1 in place of NaN.
Array running_sum_without_nan(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype) {
  return running_sum(with_value_for_nan(array, 0), axis, dtype);
}
Array running_product_without_nan(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype) {
  return running_product(with_value_for_nan(array, 1), axis, dtype);
}

}  // namespace quern
