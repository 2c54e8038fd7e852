#include "functions/networks.h"

#include <algorithm>

#include "core/error.h"
#include "functions/backward.h"
#include "functions/parts.h"
#include "functions/reductions.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/matmul.h"

namespace quern {

using namespace steps;

namespace {

// Two dimensions: all but the last axis as one.
Array rows(const Array& x) {
  if (x.rank() == 2) return x;
  int64_t count = 1;
  for (size_t i = 0; i + 1 < x.rank(); ++i) count *= x.shape()[i];
  return reshape(x, {count, last_size(x)});
}

class Linear : public GradientBody {
 public:
  std::string_view name() const override { return "addmm"; }
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(call.wanted.size());
    const Array& given = *call.given[0];
    Array g = rows(given);
    if (call.wanted[0]) out[0] = reshape(matmul(g, conj(call.operands[1])), call.layouts[0]->shape);
    if (call.wanted[1]) out[1] = matmul(matrix_transpose(g), conj(rows(call.operands[0])));
    if (call.wanted.size() > 2 && call.wanted[2]) out[2] = reduced(Reduction::sum, g, 0);
    return out;
  }
};

}  // namespace

// The weight is a matrix with a row for each result.
static Array linear(const Array& x, const Array& weight, const Array* bias) {
  if (weight.rank() != 2 || x.rank() == 0) bug("a linear layer of {} and {}", to_string(x.shape()), to_string(weight.shape()));
  std::vector<Array> inputs{x, weight};
  if (bias) inputs.push_back(*bias);
  const Kept kept{{wants_gradient(weight), wants_gradient(x), false}, {}};  // each for the other's gradient
  return differentiable(std::make_shared<Linear>(), inputs, kept, [&]() -> std::vector<Array> {
    Array y = matmul(rows(x), matrix_transpose(weight));
    if (bias) y = add(y, *bias);
    if (x.rank() == 2) return {y};
    Shape shape = x.shape();
    shape.back() = weight.shape()[0];
    return {reshape(y, shape)};
  })[0];
}

// ---- layers that normalise

namespace {

// Mean 0 and variance 1 over some axes, then times weight plus bias, which lie over those axes (layers) or, with one element
// along each of them, over the others (channels).
class Normalised : public GradientBody {
 public:
  Normalised(std::vector<bool> inner, bool of_channels, bool has_weight, bool has_bias)
      : inner_(std::move(inner)), of_channels_(of_channels), has_weight_(has_weight), has_bias_(has_bias) {}
  std::string_view name() const override { return of_channels_ ? "native_batch_norm" : "native_layer_norm"; }
  // Inputs x, weight, bias; results y, mean, one over the deviation.
  Gradients gradients(const GradientCall& call) const override {
    if (of_channels_) return of_channels(call);
    Gradients out(call.wanted.size());
    const Array& x = call.operands[0];
    DType wide = wide_type(x.dtype());
    Array g = given(call, wide);
    Array normal = multiply(subtract(as_type(x, wide), call.results[1]), call.results[2]);
    if (call.wanted[0]) {
      Array scaled = has_weight_ ? multiply(g, as_type(call.operands[1], wide)) : g;
      const double n = elements_over(x, inner_);
      Array first = true_divide(reduce(Reduction::sum, scaled, inner_, true), n);
      Array second = true_divide(reduce(Reduction::sum, multiply(scaled, normal), inner_, true), n);
      Array away = subtract(subtract(scaled, first), multiply(normal, second));
      out[0] = multiply(away, call.results[2]);
      if (call.given[1]) out[0] = added(out[0], true_divide(*call.given[1], n));
      if (call.given[2]) {
        Array slope = multiply(square(call.results[2]), normal);
        out[0] = subtract(*out[0], true_divide(multiply(slope, *call.given[2]), n));
      }
    }
    std::vector<bool> others = inner_;
    others.flip();
    auto over_others = [&](const Array& a) { return reduce(Reduction::sum, a, others, false); };
    size_t at = 1;
    if (has_weight_ && call.wanted[at]) out[at] = over_others(multiply(g, normal));
    if (has_weight_) ++at;
    if (has_bias_ && call.wanted[at]) out[at] = over_others(g);
    return out;
  }

  // The same with two sums over x's elements, as all else has one element for each channel. What x is away from the mean is
  // computed twice: as one array it would be stored.
  Gradients of_channels(const GradientCall& call) const {
    Gradients out(call.wanted.size());
    const DType wide = wide_type(call.operands[0].dtype());
    const Array x = as_type(call.operands[0], wide), &mean = call.results[1], &scale = call.results[2];
    const Array g = given(call, wide);
    auto over_all = [&](const Array& a) { return reduce(Reduction::sum, a, inner_, true); };
    const Array sum = over_all(g), along = multiply(over_all(multiply(g, subtract(x, mean))), scale);
    if (call.wanted[0]) {
      const double n = elements_over(x, inner_);
      const Array factor = has_weight_ ? multiply(scale, as_type(call.operands[1], wide)) : scale;
      const Array slope = true_divide(multiply(along, scale), n), away = subtract(x, mean);
      out[0] = multiply(subtract(subtract(g, true_divide(sum, n)), multiply(away, slope)), factor);
      if (call.given[1]) out[0] = added(out[0], true_divide(*call.given[1], n));
      if (call.given[2]) {
        const Array part = multiply(multiply(square(scale), scale), true_divide(*call.given[2], n));
        out[0] = subtract(*out[0], multiply(away, part));
      }
    }
    size_t at = 1;
    if (has_weight_ && call.wanted[at]) out[at] = along;
    if (has_weight_) ++at;
    if (has_bias_ && call.wanted[at]) out[at] = sum;
    return out;
  }

  static double elements_over(const Array& x, const std::vector<bool>& axes) {
    double n = 1;
    for (size_t i = 0; i < x.rank(); ++i)
      if (axes[i]) n *= static_cast<double>(x.shape()[i]);
    return n;
  }

 private:
  static Array given(const GradientCall& call, DType wide) {
    return call.given[0] ? as_type(*call.given[0], wide) : full(call.layouts[0]->shape, Scalar{}, wide, call.device);
  }

  std::vector<bool> inner_;
  bool of_channels_, has_weight_, has_bias_;
};

// {y, mean, one over the deviation}; `spread`, where wanted, is the variance.
std::vector<Array> normalised(const Array& x, std::vector<bool> inner, bool of_channels, const Array* weight, const Array* bias,
                              double eps, std::optional<Array>* spread_out) {
  std::vector<Array> inputs{x};
  if (weight) inputs.push_back(*weight);
  if (bias) inputs.push_back(*bias);
  Kept kept{{true, weight != nullptr, false}, {false, true, true}};
  auto body = std::make_shared<Normalised>(inner, of_channels, weight != nullptr, bias != nullptr);
  return differentiable(std::move(body), inputs, kept, [&]() -> std::vector<Array> {
    DType wide = wide_type(x.dtype());
    Array a = as_type(x, wide);
    const double n = Normalised::elements_over(x, inner);
    auto mean_of = [&](const Array& values) { return true_divide(reduce(Reduction::sum, values, inner, true), n); };
    Array mean = mean_of(a), away = subtract(a, mean);
    Array spread = mean_of(multiply(away, away));
    if (of_channels) {  // of many elements: what the mean was rounded by counts where it is large beside the deviation
      const Array rest = mean_of(away);
      spread = maximum(subtract(spread, multiply(rest, rest)), 0.0);
      away = subtract(subtract(a, mean), rest);  // as an array that the sums share it would be stored
      mean = add(mean, rest);
    }
    if (spread_out) *spread_out = spread;
    Array scale = reciprocal(sqrt(add(spread, eps)));
    Array y = multiply(away, scale);
    if (weight) y = multiply(y, as_type(*weight, wide));
    if (bias) y = add(y, as_type(*bias, wide));
    return {as_type(y, x.dtype()), mean, scale};
  });
}

}  // namespace

// Over the last `count` axes; halves in float32.
static Array layer_norm(const Array& x, size_t count, const Array* weight, const Array* bias, double eps) {
  std::vector<bool> inner(x.rank(), false);
  std::fill(inner.end() - static_cast<std::ptrdiff_t>(count), inner.end(), true);
  return normalised(x, std::move(inner), false, weight, bias, eps, nullptr)[0];
}

// {normalised for each channel, the means, the variances}, of which the first one has a derivative here.
static std::vector<Array> batch_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  std::vector<bool> inner(x.rank(), true);
  inner[1] = false;
  Shape sizes(x.rank(), 1);
  sizes[1] = x.shape()[1];
  std::optional<Array> factor, shift, spread;
  if (weight) factor = reshape(*weight, sizes);
  if (bias) shift = reshape(*bias, sizes);
  std::vector<Array> out =
      normalised(x, std::move(inner), true, factor ? &*factor : nullptr, shift ? &*shift : nullptr, eps, &spread);
  return {out[0], out[1], *spread};
}

namespace {

std::vector<bool> last_axes(const Array& x, size_t count) {
  std::vector<bool> out(x.rank(), false);
  for (size_t i = x.rank() - count; i < x.rank(); ++i) out[i] = true;
  return out;
}

Array mean_over(const Array& x, const std::vector<bool>& axes) {
  double n = 1;
  for (size_t i = 0; i < x.rank(); ++i)
    if (axes[i]) n *= static_cast<double>(x.shape()[i]);
  return true_divide(reduce(Reduction::sum, x, axes, true), n);
}

class RmsNorm : public GradientBody {
 public:
  explicit RmsNorm(size_t count) : count_(count) {}
  std::string_view name() const override { return "fused_rms_norm"; }
  // Inputs x, weight; results y, one over the root.
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(call.wanted.size());
    const Array& x = call.operands[0];
    DType wide = wide_type(x.dtype());
    const Array scale = conj(call.results[1]);
    Array normal = multiply(conj(as_type(x, wide)), scale);
    std::vector<bool> inner = last_axes(x, count_);
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide);
      if (call.wanted[0]) {
        Array scaled = call.wanted.size() > 1 ? multiply(g, conj(as_type(call.operands[1], wide))) : g;
        Array along = multiply(normal, mean_over(multiply(scaled, normal), inner));
        out[0] = multiply(subtract(scaled, along), scale);
      }
      if (call.wanted.size() > 1 && call.wanted[1]) {
        std::vector<bool> outer = inner;
        outer.flip();
        out[1] = reduce(Reduction::sum, multiply(g, normal), outer, false);
      }
    }
    if (call.given[1] && call.wanted[0]) {  // of second derivatives
      double n = 1;
      for (size_t i = x.rank() - count_; i < x.rank(); ++i) n *= static_cast<double>(x.shape()[i]);
      Array slope = multiply(multiply(square(scale), normal), *call.given[1]);
      Array more = true_divide(slope, -n);
      out[0] = added(out[0], more);
    }
    return out;
  }

 private:
  size_t count_;
};

}  // namespace

// Over the last `count` axes; halves in float32.
static Array rms_norm(const Array& x, size_t count, const Array* weight, double eps) {
  std::vector<Array> inputs{x};
  if (weight) inputs.push_back(*weight);
  return differentiable(std::make_shared<RmsNorm>(count), inputs, {{true, true}, {false, true}}, [&]() -> std::vector<Array> {
    DType wide = wide_type(x.dtype());
    Array a = as_type(x, wide);
    Array mean = mean_over(square(a), last_axes(x, count));
    Array scale = reciprocal(sqrt(add(mean, eps)));
    Array y = multiply(a, scale);
    if (weight) y = multiply(y, as_type(*weight, wide));
    return {as_type(y, x.dtype()), scale};
  })[0];
}

namespace nn {

Array linear(const Array& given, const Array& given_weight, const Array* bias) {
  const DType type = common(given.dtype(), given_weight.dtype());
  const Array x = as_type(given, type), weight = as_type(given_weight, type);
  if (weight.rank() != 2 || x.rank() == 0) {
    const Array y = matmul(x, weight.rank() <= 1 ? weight : moveaxis(weight, weight.rank() - 2, weight.rank() - 1));
    return bias ? add(y, *bias) : y;
  }
  const bool fits = bias && bias->rank() == 1 && bias->shape()[0] == weight.shape()[0] && bias->dtype() == type;
  if (last_size(x) != weight.shape()[1]) return matmul(x, matrix_transpose(weight));  // says what does not fit
  const Array y = quern::linear(x, weight, fits ? bias : nullptr);
  if (!bias || fits) return y;
  const Array sum = add(y, *bias);
  return sum.shape() == y.shape() ? sum : reshape(sum, y.shape());
}

static void check_last_sizes(const Array& x, const Shape& shape, const Array* weight, const Array* bias, const char* between) {
  if (shape.empty())
    raise(ErrorKind::runtime,
          "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
          "normalized_shape = []");
  for (const auto& [name, one] : {std::pair("weight", weight), std::pair("bias", bias)})
    if (one && one->shape() != shape)
      raise(ErrorKind::runtime,
            "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and normalized_shape = {}", name, name,
            in_brackets(one->shape()), in_brackets(shape));
  if (x.rank() >= shape.size() && std::equal(shape.rbegin(), shape.rend(), x.shape().rbegin())) return;
  const std::string sizes = in_brackets(shape);
  raise(ErrorKind::runtime, "Given normalized_shape={}, expected input with shape [*{}{}, but got input of size{}", sizes,
        between, sizes.substr(1), in_brackets(x.shape()));
}

Array layer_norm(const Array& x, const Shape& shape, const Array* weight, const Array* bias, double eps) {
  check_last_sizes(x, shape, weight, bias, ", ");
  return quern::layer_norm(as_reals(numpys_rules, x), shape.size(), weight, bias, eps);
}

// Of the type that is computed in: of 16 bits that is float32.
static double epsilon_of(DType type) { return type == DType::float64 || type == DType::complex128 ? 0x1p-52 : 0x1p-23; }

Array rms_norm(const Array& given, const Shape& shape, const Array* weight, std::optional<double> eps) {
  check_last_sizes(given, shape, weight, nullptr, "");
  const Array x = as_reals(numpys_rules, given);
  return quern::rms_norm(x, shape.size(), weight, eps ? *eps : epsilon_of(x.dtype()));
}

static Array for_each_channel(const Array& x, const Array* weight, const Array* bias) {
  Shape each(x.rank(), 1);
  each[1] = x.shape()[1];
  const Array y = weight ? multiply(x, reshape(*weight, each)) : x;
  return as_type(bias ? add(y, reshape(*bias, each)) : y, x.dtype());  // factors may be of float32 where x is of 16 bits
}

Array group_norm(const Array& given, int64_t groups, const Array* weight, const Array* bias, double eps) {
  const Array x = as_reals(numpys_rules, given);
  if (x.rank() < 2) raise(ErrorKind::runtime, "Expected at least 2 dimensions for input tensor but received {}", x.rank());
  if (groups <= 0) raise(ErrorKind::runtime, "Expected num groups to be greater than 0, got {}", groups);
  const int64_t n = x.shape()[0], channels = x.shape()[1];
  if (channels % groups)
    raise(ErrorKind::runtime,
          "Expected number of channels in input to be divisible by num_groups, but got input of shape {} and num_groups={}",
          in_brackets(x.shape()), groups);
  for (const auto& [name, one] : {std::pair("weight", weight), std::pair("bias", bias)})
    if (one && (one->rank() != 1 || one->size() != channels))
      raise(ErrorKind::runtime,
            "Expected {} to be a vector of size equal to the number of channels in input, but got {} of shape {} and input of "
            "shape {}",
            name, name, in_brackets(one->shape()), in_brackets(x.shape()));
  const int64_t inner = n ? x.size() / (n * groups) : channels / groups;
  Array y = reshape(quern::layer_norm(reshape(x, {n, groups, inner}), 1, nullptr, nullptr, eps), x.shape());
  return for_each_channel(y, weight, bias);
}

// The means and variances of a batch, for each channel, become part of the running ones.
static void move_towards(const Array* running, const Array& of_batch, double momentum) {
  if (!running) return;
  const Array moved = add(multiply(*running, 1 - momentum), multiply(reshape(of_batch, running->shape()), momentum));
  assign(*running, Argument(as_type(moved, running->dtype())));
}

static Array normalised_by(const Array& x, const Array& mean, const Array& variance, const Array* weight, const Array* bias,
                           double eps) {
  const DType wide = wide_type(x.dtype());
  auto as_channels = [&](const Array& line) {
    Shape each(x.rank(), 1);
    each[1] = line.size();
    return reshape(as_type(line, wide), each);
  };
  Array scale = inverse_root(numpys_rules, add(as_channels(variance), eps));
  if (weight) scale = multiply(scale, as_channels(*weight));
  Array y = multiply(subtract(as_type(x, wide), as_channels(mean)), scale);
  return as_type(bias ? add(y, as_channels(*bias)) : y, x.dtype());
}

Array batch_norm(const Array& given, const Array* running_mean, const Array* running_var, const Array* weight, const Array* bias,
                 bool is_training, double momentum, double eps) {
  const Array x = as_reals(numpys_rules, given);
  for (const auto& [name, one] : {std::pair("running_mean", running_mean), std::pair("running_var", running_var),
                                  std::pair("weight", weight), std::pair("bias", bias)}) {
    if (!one && !is_training && std::string_view(name).starts_with("running"))
      raise(ErrorKind::runtime, "{} must be defined in evaluation mode", name);
    if (one && x.rank() > 1 && one->size() != x.shape()[1])
      raise(ErrorKind::runtime, "{} should contain {} elements not {}", name, x.shape()[1], one->size());
  }
  if (x.rank() < 2) {
    if (x.size() == 0) return copied(x, x.dtype());
    raise(ErrorKind::runtime, "batch_norm: expected input of shape (N, C, ...), got size {}", in_brackets(x.shape()));
  }
  if (!is_training) return normalised_by(x, *running_mean, *running_var, weight, bias, eps);
  std::vector<Array> made = quern::batch_norm(x, weight, bias, eps);
  GradientMode off(false);
  move_towards(running_mean, made[1], momentum);
  const double n = static_cast<double>(x.size()) / static_cast<double>(std::max<int64_t>(x.shape()[1], 1));
  move_towards(running_var, multiply(made[2], n / (n - 1)), momentum);
  return made[0];
}

// For each sample and channel; without `use_own` by the running mean and variance.
Array instance_norm(const Array& given, const Array* running_mean, const Array* running_var, const Array* weight,
                    const Array* bias, bool use_own, double momentum, double eps) {
  if (!use_own && !(running_mean && running_var))
    raise(ErrorKind::runtime, "Expected running_mean and running_var to be defined when use_input_stats is false");
  if (!use_own) return batch_norm(given, running_mean, running_var, weight, bias, false, momentum, eps);
  if (!running_mean != !running_var)
    raise(ErrorKind::value, "running_mean and running_var must either both be None or neither be None");
  if (given.rank() < 3) raise(ErrorKind::value, "[instance_norm] expected input of shape (N, C, L, ...)");
  const Array x = as_reals(numpys_rules, given);
  const int64_t n = x.shape()[0], channels = x.shape()[1], inner = x.size() / std::max<int64_t>(n * channels, 1);
  const Array lines = reshape(x, {n, channels, inner});
  if (running_mean) {
    GradientMode off(false);
    const Over over_lines{{false, false, true}}, over_samples{{true, false}};
    move_towards(running_mean, mean(mean(detached(lines), over_lines), over_samples), momentum);
    move_towards(running_var, mean(variance(detached(lines), over_lines, 1, nullptr), over_samples), momentum);
  }
  return for_each_channel(reshape(quern::layer_norm(lines, 1, nullptr, nullptr, eps), x.shape()), weight, bias);
}

// Mean and variance along axes; halves in float32, and within the range of their type. As Keras has it.
std::pair<Array, Array> moments(const RealOperand& given, const SoftmaxAxes& axes, bool keep_dims, bool is_synchronized) {
  if (is_synchronized) raise(ErrorKind::not_implemented, "Argument synchronized=True is not supported with quern.");
  const DType type = given.array.dtype();
  const Array x = as_type(given.array, wide_type(type));
  auto mean_of = [&](const Array& a, bool keep) { return quern::mean(a, Over{axes.over, keep}); };
  const Array mean = mean_of(x, true), away = subtract(x, mean);
  // From the differences: exact where the mean is far from 0, too.
  const Array variance = mean_of(multiply(away, away), keep_dims), shown = keep_dims ? mean : mean_of(x, false);
  auto fitted = [&](const Array& a) {
    constexpr double most = 65504;
    return type == DType::float16 ? minimum(maximum(a, -most), most) : a;
  };
  return {as_type(fitted(shown), type), as_type(fitted(variance), type)};
}

// (x - mean) / sqrt(variance + eps) * scale + offset along an axis of channels, in the type of all three. As Keras has it.
Array batch_normalization(const Array& x, const Array& mean, const Array& variance, size_t axis, const Array* offset,
                          const Array* scale, double eps) {
  Shape sizes(x.rank(), 1);
  sizes[axis] = x.shape()[axis];
  const OperandType types[] = {{x.dtype()}, {steps::common(mean.dtype(), variance.dtype())}};
  DType type = resolve_as_keras(Op::multiply, types).result;
  if (x.dtype() != DType::float64 && type == DType::float64) type = DType::float32;  // moments do not widen x
  auto channels = [&](const char* name, const Array& line) {
    if (line.size() != sizes[axis])
      raise(ErrorKind::value, "[batch_normalization] `{}` has {} elements, but `x` has {} channels", name, line.size(),
            sizes[axis]);
    return reshape(as_type(line, type), sizes);
  };
  Array factor = true_divide(1.0, sqrt(add(channels("variance", variance), eps)));
  if (scale) factor = multiply(factor, channels("scale", *scale));
  Array shift = multiply(negative(channels("mean", mean)), factor);
  if (offset) shift = add(shift, channels("offset", *offset));
  return add(multiply(as_type(x, type), factor), shift);
}

Array bilinear(const Array& x1, const Array& x2, const Array& weight, const Array* bias) {
  const Shape &left = x1.shape(), &right = x2.shape();
  if (left.empty() || left.size() != right.size() || !std::equal(left.begin(), left.end() - 1, right.begin()))
    raise(ErrorKind::runtime, "bilinear(): input batch dimensions do not match: got {} and {}", in_brackets(left),
          in_brackets(right));
  if (weight.rank() != 3)
    raise(ErrorKind::index, "Dimension out of range: bilinear() needs a weight of 3 dimensions, not {}", weight.rank());
  const int64_t out = weight.shape()[0], n1 = weight.shape()[1], n2 = weight.shape()[2];
  for (const auto& [number, size, expected] : {std::tuple(1, left.back(), n1), std::tuple(2, right.back(), n2)})
    if (size != expected)
      raise(ErrorKind::runtime, "bilinear(): input{} size does not match weight size: got {} but expected {}", number, size,
            expected);
  if (bias && bias->size() != out)
    raise(ErrorKind::runtime, "bilinear(): bias size does not match weight size: got {} but expected {}", bias->size(), out);
  const int64_t samples = n1 ? x1.size() / n1 : 0;
  const Array matrix = reshape(transpose(weight, {1, 0, 2}), {n1, out * n2});
  const Array products = reshape(matmul(reshape(x1, {samples, n1}), matrix), {samples, out, n2});
  Shape shape(left.begin(), left.end() - 1);
  shape.push_back(out);
  const Array y = reshape(matmul(products, reshape(x2, {samples, n2, 1})), shape);
  return bias ? add(y, *bias) : y;
}

}  // namespace nn

void apply_in_place(const UserRow& row, const std::vector<Array>& written, const std::vector<Argument>& read) {
  GradientMode off(false);
  std::vector<Argument> arguments;
  {
    GraphLock lock;
    for (const Array& array : written) check_may_write(array);
  }
  for (const Array& array : written) arguments.emplace_back(array);
  arguments.insert(arguments.end(), read.begin(), read.end());
  std::vector<Array> out = apply(row, arguments, written[0].shape(), written[0].device());
  GraphLock lock;
  for (size_t i = 0; i < out.size(); ++i) {
    const Array& target = written[i];
    if (target.is_whole() && !target.is_exposed() && out[i].layout_ref() == target.layout_ref()) {
      target.cell()->set(out[i].cell()->node);
      ++target.cell()->version;
    } else {
      assign(target, Argument(out[i]));
    }
  }
}

}  // namespace quern
