#include "functions/averages.h"

#include <limits>
#include <numeric>

#include "core/error.h"
#include "functions/reductions.h"
#include "functions/steps.h"

namespace quern {

using namespace steps;

namespace {

bool any(const Array& test) {
  bool out;
  read_into(reduced(Reduction::any, test, all_axes(test)), &out, sizeof out);
  return out;
}

void check_sum(const Array& total) {
  if (any(compute(Op::equal, total, 0))) raise(ErrorKind::zero_division, "[average] Weights sum to zero, can't be normalized");
}

void check_weights(const Array& weights, const char* name, int64_t count, bool must_be_whole) {
  if (must_be_whole && any(compute(Op::not_equal, weights, compute(Op::rint, weights))))
    raise(ErrorKind::type, "[cov] {} must be integer", name);
  if (weights.rank() > 1) raise(ErrorKind::runtime, "[cov] cannot handle multidimensional {}", name);
  if (weights.rank() == 0 || weights.shape()[0] != count)
    raise(ErrorKind::runtime, "[cov] incompatible numbers of samples and {}", name);
  if (any(compute(Op::less, weights, 0))) raise(ErrorKind::value, "[cov] {} cannot be negative", name);
}

Array limited_parts(const Array& a) {
  if (!is_complex(a.dtype())) return compute(Op::minimum, compute(Op::maximum, a, -1), 1);
  Array out = copied(a, a.dtype());
  for (const Array& part : {out.real(), out.imag()}) assign(part, Argument(limited_parts(part)));
  return out;
}

}  // namespace

Array fitted_weights(const Array& array, const Array& weights, const std::vector<int>* axes) {
  if (array.shape() == weights.shape()) return weights;
  if (!axes) raise(ErrorKind::type, "[average] Axis must be specified when shapes of a and weights differ.");
  Shape named;
  for (int axis : *axes) named.push_back(array.shape()[static_cast<size_t>(axis)]);
  if (weights.shape() != named)
    raise(ErrorKind::value, "[average] Shape of weights must be consistent with shape of a along specified axis.");
  Layout out;
  out.offset = weights.layout().offset;
  out.shape.assign(array.rank(), 1);
  out.strides.assign(array.rank(), 0);
  for (size_t n = 0; n < axes->size(); ++n) {
    auto axis = static_cast<size_t>((*axes)[n]);
    out.shape[axis] = named[n];
    out.strides[axis] = weights.layout().strides[n];
  }
  return weights.view(std::move(out));
}

Average average(const Array& array, const Array& weights, const std::vector<bool>& axes, bool keep_dims, DType type) {
  Array counted = as_type(weights, type), total = reduce(Reduction::sum, counted, axes, keep_dims, type);
  check_sum(total);
  Array product = compute(Op::multiply, as_type(array, type), counted);
  return {compute(Op::true_divide, reduce(Reduction::sum, product, axes, keep_dims, type), total), total};
}

Covariance covariance(const Array& x, double ddof, const Array* repeated, const Array* counting) {
  int64_t count = x.shape()[1];
  if (repeated) check_weights(*repeated, "fweights", count, true);
  if (counting) check_weights(*counting, "aweights", count, false);
  Covariance out;
  Array mean, weights, scale;
  if (!repeated && !counting) {
    double divisor = static_cast<double>(count) - ddof;
    out.is_degenerate = divisor <= 0;
    mean = quern::mean(x, last_axis(x, true));
    scale = full({}, real_number(out.is_degenerate ? std::numeric_limits<double>::infinity() : 1 / divisor), DType::float64,
                 x.device());
  } else {
    weights = !repeated ? *counting : !counting ? *repeated : compute(Op::multiply, *repeated, *counting);
    Array lines = weights.view(weights.layout().broadcast_to({1, count}));
    DType type = common(x.dtype(), weights.dtype());
    // The sum of the weights is the same for each row.
    Array total = reduced(Reduction::sum, weights, -1, false, DType::float64);
    check_sum(total);
    Array product = compute(Op::multiply, as_type(x, type), lines);
    mean = compute(Op::true_divide, reduced(Reduction::sum, product, -1, true, type), total);
    Array divisor = total;
    if (ddof != 0 && !counting) {
      divisor = compute(Op::subtract, total, ddof);
    } else if (ddof != 0) {
      Array squares = reduced(Reduction::sum, compute(Op::multiply, weights, *counting), -1, false, DType::float64);
      divisor = compute(Op::subtract, total, compute(Op::true_divide, compute(Op::multiply, squares, ddof), total));
    }
    out.is_degenerate = !(values_of<double>(divisor)[0] > 0);
    scale = compute(Op::true_divide, 1, compute(Op::maximum, divisor, 0.0));
  }
  Array far = compute(Op::subtract, x, mean), other = far;
  if (weights) other = compute(Op::multiply, far, weights.view(weights.layout().broadcast_to({1, count})));
  if (is_complex(other.dtype())) other = compute(Op::conjugate, other);
  Array products = compute(Op::multiply, with_axis(far, 1), with_axis(other, 0));
  Array sums = reduced(Reduction::sum, products, -1, false, products.dtype());
  out.values = as_type(compute(Op::multiply, sums, scale), sums.dtype());
  if (x.shape()[0] == 1) out.values = reshape(out.values, {});
  return out;
}

Array correlation(const Array& c) {
  if (c.rank() == 0) return compute(Op::true_divide, c, c);
  const Layout& layout = c.layout();
  Array diagonal = c.view({{layout.shape[0]}, {layout.strides[0] + layout.strides[1]}, layout.offset}).real();
  Array deviation = compute(Op::sqrt, diagonal);
  Array scaled = compute(Op::true_divide, compute(Op::true_divide, c, with_axis(deviation, 1)), with_axis(deviation, 0));
  return limited_parts(scaled);
}

}  // namespace quern
