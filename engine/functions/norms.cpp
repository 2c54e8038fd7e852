#include "functions/norms.h"

#include <cmath>
#include <string_view>

#include "functions/steps.h"
#include "graph/tape.h"

namespace quern {

using namespace steps;

namespace {

using Gradients = std::vector<std::optional<Array>>;

DType wide_type(DType type) { return type == DType::float16 || type == DType::bfloat16 ? DType::float32 : type; }
DType real_type(DType type) {
  return type == DType::complex64 ? DType::float32 : type == DType::complex128 ? DType::float64 : wide_type(type);
}

template <class X, class Y>
Array product(const X& x, const Y& y) {
  return compute(Op::multiply, x, y);
}
template <class X, class Y, class Z>
Array chosen(const X& where, const Y& y, const Z& z) {
  return compute(Op::where, where, y, z);
}

// g / size, and 0 where that is 0, also in what is made of it.
Array quotient(const Array& g, const Array& size) {
  Array is_zero = compute(Op::equal, size, 0.0);
  return chosen(is_zero, 0.0, compute(Op::true_divide, g, GradientMode::is_on() ? chosen(is_zero, 1.0, size) : size));
}

// From g, the gradient of the norms `size` of x, which have one element along each of the axes. Quotients of x and its norm are at
// most 1: no power of them is too large.
Array norm_gradient(const Array& g, const Array& x, const Array& size, double order, const std::vector<bool>& axes) {
  if (order == 0) return full(x.shape(), real_number(0), x.dtype(), x.device());
  if (order == 1) return product(compute(Op::sign, x), g);
  if (std::isinf(order)) {  // those that are as large have equal shares; of NaN the sign is NaN
    Array mine = compute(Op::equal, compute(Op::absolute, x), size);
    Array count = compute(Op::maximum, reduce(Reduction::sum, as_type(mine, g.dtype()), axes, true), 1.0);
    return product(compute(Op::sign, x), chosen(mine, compute(Op::true_divide, g, count), 0.0));
  }
  if (order == 2) return product(x, quotient(g, size));
  Array is_zero = compute(Op::equal, size, 0.0), safe = chosen(is_zero, 1.0, size);
  Array lengths = compute(Op::absolute, x), nothing = compute(Op::logical_or, compute(Op::equal, lengths, 0.0), is_zero);
  Array part = compute(Op::true_divide, chosen(nothing, safe, lengths), safe);
  Array slope = chosen(nothing, 0.0, order == 3 ? compute(Op::square, part) : compute(Op::power, part, order - 1));
  return product(product(compute(Op::sign, x), slope), chosen(compute(Op::isnan, size), size, g));
}

class VectorNorm : public GradientBody {
 public:
  VectorNorm(double order, std::vector<bool> axes) : order_(order), axes_(std::move(axes)) {}
  std::string_view name() const override { return "linalg_vector_norm"; }
  Gradients gradients(const GradientCall& call) const override {
    const Layout& layout = *call.layouts[0];
    Shape shape = layout.shape;
    for (size_t i = 0; i < shape.size(); ++i)
      if (axes_[i]) shape[i] = 1;
    DType real = real_type(call.types[0]);
    if (order_ == 0) return {full(layout.shape, real_number(0), call.types[0], call.device)};
    Array g = reshape(as_type(*call.given[0], real), shape), size;
    if (order_ != 1) size = reshape(as_type(call.results[0], real), shape);
    return {norm_gradient(g, as_type(call.operands[0], wide_type(call.types[0])), size, order_, axes_)};
  }

 private:
  double order_;
  std::vector<bool> axes_;
};

class Normalized : public GradientBody {
 public:
  Normalized(double order, std::vector<bool> axes, double eps) : order_(order), axes_(std::move(axes)), eps_(eps) {}
  std::string_view name() const override { return "normalize"; }
  // Input x, if the order is not 2; results y, if it is, and the norm.
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]), real = real_type(call.types[0]);
    Array size = as_type(call.results[1], real);
    Array is_small = compute(Op::less_equal, size, eps_), divisor = chosen(is_small, eps_, size), x, y;
    if (order_ == 2)
      y = as_type(call.results[0], wide);
    else
      x = as_type(call.operands[0], wide), y = compute(Op::true_divide, x, divisor);
    auto through_size = [&](const Array& g) {
      return order_ == 2 ? product(y, quotient(product(g, divisor), size)) : norm_gradient(g, x, size, order_, axes_);
    };
    std::optional<Array> out;
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide), along = product(g, conjugated(y));
      if (is_complex(along.dtype())) along = along.real();
      along = chosen(is_small, 0.0, reduce(Reduction::sum, along, axes_, true));
      Array through = order_ == 2 ? product(y, along) : through_size(along);
      out = compute(Op::true_divide, compute(Op::subtract, g, through), divisor);
    }
    if (call.given[1]) {  // of second derivatives
      Array more = through_size(as_type(*call.given[1], real));
      out = out ? compute(Op::add, *out, more) : more;
    }
    return {out};
  }

 private:
  double order_;
  std::vector<bool> axes_;
  double eps_;
};

std::vector<bool> over_axes(const Array& x, const std::vector<int>& axes) {
  std::vector<bool> over(x.rank(), false);
  for (int axis : axes) over[axis_of(x, axis)] = true;
  return over;
}

}  // namespace

Array vector_norm_of(const Array& x, const Array& y, double order, const std::vector<int>& axes) {
  Kept kept{{order != 0}, {order != 0 && order != 1}};
  return differentiable(std::make_shared<VectorNorm>(order, over_axes(x, axes)), {&x, 1}, kept,
                        [&] { return std::vector<Array>{y}; })[0];
}

Array normalized(const Array& x, const Array& y, const Array& size, double order, const std::vector<int>& axes, double eps) {
  auto body = std::make_shared<Normalized>(order, over_axes(x, axes), eps);
  return differentiable(std::move(body), {&x, 1}, {{order != 2}, {order == 2, true}},
                        [&] { return std::vector<Array>{y, size}; })[0];
}

}  // namespace quern
