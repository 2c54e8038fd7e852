#include "functions/norms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "functions/elementwise.h"
#include "functions/reductions.h"
#include "functions/steps.h"
#include "functions/tensor_algebra.h"

namespace quern {

using namespace steps;

namespace {

DType real_type(DType type) {
  return type == DType::complex64 ? DType::float32 : type == DType::complex128 ? DType::float64 : wide_type(type);
}

template <class X, class Y, class Z>
Array chosen(const X& where, const Y& y, const Z& z) {
  return compute(Op::where, where, y, z);
}

// g / size, and 0 where that is 0, also in what is made of it.
Array quotient(const Array& g, const Array& size) {
  Array is_zero = equal(size, 0.0);
  return chosen(is_zero, 0.0, true_divide(g, GradientMode::is_on() ? chosen(is_zero, 1.0, size) : size));
}

// From g, the gradient of the norms `size` of x, which have one element along each of the axes. Quotients of x and its norm are
// at most 1: no power of them is too large.
Array norm_gradient(const Array& g, const Array& x, const Array& size, double order, const std::vector<bool>& axes) {
  if (order == 0) return full(x.shape(), real_number(0), x.dtype(), x.device());
  if (order == 1) return multiply(direction(numpys_rules, x), g);
  if (std::isinf(order)) {  // those that are as large have equal shares; NaN has no sign
    Array mine = equal(absolute(x), size);
    Array count = maximum(reduce(Reduction::sum, as_type(mine, g.dtype()), axes, true), 1.0);
    return chosen(mine, multiply(sign(x), true_divide(g, count)), 0.0);
  }
  if (order == 2) return multiply(x, quotient(g, size));
  Array is_zero = equal(size, 0.0), safe = chosen(is_zero, 1.0, size);
  Array lengths = absolute(x), nothing = logical_or(equal(lengths, 0.0), is_zero);
  Array part = true_divide(chosen(nothing, safe, lengths), safe);
  Array slope = chosen(nothing, 0.0, order == 3 ? square(part) : power(part, order - 1));
  return multiply(multiply(sign(x), slope), chosen(isnan(size), size, g));
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
  bool goes_through_results() const override { return false; }
  // Input x, if the order is not 2; results y, if it is, and the norm.
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]), real = real_type(call.types[0]);
    Array size = as_type(call.results[1], real);
    Array is_small = less_equal(size, eps_), divisor = chosen(is_small, eps_, size), x, y;
    if (order_ == 2)
      y = as_type(call.results[0], wide);
    else
      x = as_type(call.operands[0], wide), y = true_divide(x, divisor);
    auto through_size = [&](const Array& g) {
      return order_ == 2 ? multiply(y, quotient(multiply(g, divisor), size)) : norm_gradient(g, x, size, order_, axes_);
    };
    std::optional<Array> out;
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide), along = multiply(g, conj(y));
      if (is_complex(along.dtype())) along = along.real();
      along = chosen(is_small, 0.0, reduce(Reduction::sum, along, axes_, true));
      Array through = order_ == 2 ? multiply(y, along) : through_size(along);
      out = true_divide(subtract(g, through), divisor);
    }
    if (call.given[1]) out = added(out, through_size(as_type(*call.given[1], real)));  // of second derivatives
    return {out};
  }

 private:
  double order_;
  std::vector<bool> axes_;
  double eps_;
};

// The sum of products of vectors along an axis, over their norms, as divisors at least so large: with the norms' slopes even
// then.
class Cosine : public GradientBody {
 public:
  explicit Cosine(size_t axis) : axis_(axis) {}
  std::string_view name() const override { return "cosine_similarity"; }
  bool goes_through_results() const override { return false; }
  // Inputs two arrays of one shape; results the cosines, the two norms, which keep the axis, and the two divisors.
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]);
    const std::array<Array, 2> x{as_type(call.operands[0], wide), as_type(call.operands[1], wide)};
    std::array<Array, 2> size{as_type(call.results[1], wide), as_type(call.results[2], wide)};
    std::array<Array, 2> divisor{as_type(call.results[3], wide), as_type(call.results[4], wide)};
    Gradients out(2);
    for (size_t i = 0; i < 2; ++i) {
      if (!call.wanted[i]) continue;
      std::optional<Array> of_size;
      if (call.given[0]) {
        Array g = expand_dims(as_type(*call.given[0], wide), axis_), y = expand_dims(as_type(call.results[0], wide), axis_);
        of_size = negative(true_divide(multiply(g, y), divisor[i]));
        out[i] = multiply(x[1 - i], true_divide(g, multiply(divisor[0], divisor[1])));
      }
      for (size_t k : {i + 1, i + 3})  // of second derivatives
        if (call.given[k]) of_size = added(of_size, as_type(*call.given[k], wide));
      if (of_size) out[i] = added(out[i], multiply(x[i], quotient(*of_size, size[i])));
    }
    return out;
  }

 private:
  size_t axis_;
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

namespace nn {

Array normalize(const Array& x, const linalg::NormOrder& order, const Axes& given, double eps) {
  Axes axes;
  std::vector<bool> over(x.rank(), false);
  for (size_t axis : given)
    if (axis < x.rank()) axes.push_back(axis), over[axis] = true;
  const double number = order.number ? linalg::value_of(*order.number) : 2;
  auto body = std::make_shared<Normalized>(number, over, eps);
  return differentiable(std::move(body), {&x, 1}, {{number != 2}, {number == 2, true}}, [&]() -> std::vector<Array> {
    const Array wide = as_type(x, wide_type(x.dtype()));
    Array size = linalg::tensor_norm(wide, order, axes, true, {});
    return {as_type(true_divide(wide, maximum(size, eps)), x.dtype()), size};
  })[0];
}

Array cosine_similarity(const Rules& rules, const Array& given1, const Array& given2, int64_t given_axis, double eps) {
  const OperandType types[] = {{given1.dtype(), false, WeakScalar::boolean, given1.rank() == 0},
                               {given2.dtype(), false, WeakScalar::boolean, given2.rank() == 0}};
  const DType type = resolve(Op::true_divide, types, rules.types).compute;
  const Shape shapes[] = {given1.shape(), given2.shape()}, shape = broadcast_shapes(shapes);
  auto as_both = [&](const Array& x) {
    const Array same = as_type(x, type);
    return same.shape() == shape ? same : same.view(same.layout().broadcast_to(shape));
  };
  const Array x1 = as_both(given1), x2 = as_both(given2);
  const auto most = static_cast<int64_t>(std::max<size_t>(shape.size(), 1));
  if (given_axis < -most || given_axis >= most)
    raise(ErrorKind::index, "Dimension out of range (expected to be in range of [{}, {}], but got {})", -most, most - 1,
          given_axis);
  const auto axis = static_cast<size_t>(given_axis < 0 ? given_axis + most : given_axis);
  const Axes axes = shape.empty() ? Axes{} : Axes{axis};
  auto made = [&](const Array& a, const Array& b) -> std::vector<Array> {
    const Array sizes[] = {linalg::tensor_vector_norm(a, {}, axes, true, {}), linalg::tensor_vector_norm(b, {}, axes, true, {})};
    const Array divisors[] = {maximum(sizes[0], eps), maximum(sizes[1], eps)};
    Array cos = multiply(true_divide(a, divisors[0]), true_divide(b, divisors[1]));
    if (!axes.empty()) cos = reduced(Reduction::sum, cos, static_cast<int>(axis));
    return {cos, sizes[0], sizes[1], divisors[0], divisors[1]};
  };
  if (is_complex(type) || shape.empty()) return made(x1, x2)[0];
  const std::array<Array, 2> inputs{x1, x2};
  return differentiable(std::make_shared<Cosine>(axis), inputs, {{true, true}, {true, true, true, true, true}}, [&] {
    std::vector<Array> out = made(as_type(x1, wide_type(type)), as_type(x2, wide_type(type)));
    out[0] = as_type(out[0], type);
    return out;
  })[0];
}

Array pairwise_distance(const Rules& rules, const Array& x1, const Array& x2, const linalg::NormOrder& order, double eps,
                        bool keep_dims) {
  const Array away = rules(Op::add, rules(Op::subtract, x1, x2), eps);
  return linalg::tensor_norm(away, order, away.rank() ? Axes{away.rank() - 1} : Axes{}, keep_dims, {});
}

}  // namespace nn

namespace {

// From each row of x to each row of y.
Array differences_of_rows(const Rules& rules, const Array& x, const Array& y) {
  return rules(Op::subtract, expand_dims(x, x.rank() - 1), expand_dims(y, y.rank() - 2));
}

}  // namespace

// The norms of the differences of each row of x and each row of y.
Array distances(const Rules& rules, const Array& x, const Array& y, const linalg::NormOrder& order) {
  for (const Array* one : {&x, &y}) {
    const char* name = one == &x ? "X1" : "X2";
    if (row(one->dtype()).kind != DTypeKind::real)
      raise(ErrorKind::runtime, "cdist only supports floating-point dtypes, {} got: {}", name, torch_name_of(one->dtype()));
    if (one->rank() < 2) raise(ErrorKind::runtime, "cdist only supports at least 2D tensors, {} got: {}D", name, one->rank());
  }
  if (x.shape().back() != y.shape().back())
    raise(ErrorKind::runtime, "X1 and X2 must have the same number of columns. X1: {} X2: {}", x.shape().back(),
          y.shape().back());
  if (x.dtype() != y.dtype())
    raise(ErrorKind::runtime, "expected scalar type {} but found {}", torch_name_of(x.dtype()), torch_name_of(y.dtype()));
  if (order.number && linalg::value_of(*order.number) < 0) raise(ErrorKind::runtime, "cdist only supports non-negative p values");
  const Array away = differences_of_rows(rules, x, y);
  return linalg::tensor_norm(away, order, Axes{away.rank() - 1}, false, {});
}
// The same of real numbers of one type, by Euclid's norm.
Array distances_of_alike(const Alike& of) {
  if (of.a.rank() < 2 || of.b.rank() < 2) raise(ErrorKind::value, "`cdist` inputs must have rank >= 2");
  if (of.a.shape().back() != of.b.shape().back()) raise(ErrorKind::value, "Last dimension of inputs to `cdist` must match");
  const Array away = differences_of_rows(numpys_rules, of.a, of.b);
  return linalg::tensor_vector_norm(away, {}, Axes{away.rank() - 1}, false, {});
}

// The peak signal-to-noise ratio in decibels, of numbers up to `top`: 20 log10(top) - 10 log10(mean((a - b)^2)).
Array peak_signal_to_noise(const Alike& of, const Argument& top) {
  if (of.a.shape() != of.b.shape())
    raise(ErrorKind::value, "Input shapes {} and {} must match for PSNR calculation. ", to_string(of.a.shape()),
          to_string(of.b.shape()));
  const DType type = of.a.dtype(), wide = wide_type(type);
  const Array away = subtract(as_type(of.a, wide), as_type(of.b, wide));
  const Array noise = mean(multiply(away, away), all_axes(away));
  const Array peak = top.array() ? as_type(*top.array(), wide) : full({}, top.scalar(), wide, away.device());
  return as_type(subtract(multiply(log10(peak), 20.0), multiply(log10(noise), 10.0)), type);
}

}  // namespace quern
