#include "functions/convolution.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "functions/backward.h"
#include "functions/padding.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/convolution.h"
#include "run/calls/matmul.h"

namespace quern::nn {

using namespace steps;

namespace {

// The numbers of each axis stand at the end of Steps.
size_t slot(size_t axis, size_t axes) { return Steps::axes - axes + axis; }

// ---- one autograd node

// Inputs x, weight and perhaps a bias, which has an element for each channel of the result.
class ConvolutionGradient : public GradientBody {
 public:
  ConvolutionGradient(Convolved what, const Steps& steps) : what_(what), steps_(steps) {}
  std::string_view name() const override { return "convolution"; }
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(call.wanted.size());
    const Array& g = *call.given[0];
    const bool is_plain = what_ == Convolved::result;
    if (call.wanted[0]) {
      const Convolved of_x = is_plain ? Convolved::input : Convolved::result;
      const Layout& layout = *call.layouts[0];
      out[0] = convolve(of_x, g, conj(call.operands[1]), steps_, layout.shape, is_plain && suggests_channels_last(layout));
    }
    if (call.wanted[1]) {
      const Array x = conj(call.operands[0]);
      out[1] = convolve(Convolved::weight, is_plain ? x : g, is_plain ? g : x, steps_, call.layouts[1]->shape);
    }
    if (call.wanted.size() > 2 && call.wanted[2]) {
      std::vector<bool> others(g.rank(), true);
      others[1] = false;
      out[2] = reduce(Reduction::sum, g, others, false);
    }
    return out;
  }

 private:
  Convolved what_;
  Steps steps_;
};

// ---- integers, which have no gradient: a product for each element of the kernel, modulo 2^64

// The elements along an axis that one element of the kernel joins: those of the result from `first` on, and of the input.
struct Reach {
  int64_t first = 0, count = 0, input = 0;
};
Reach reach_of(int64_t stride, int64_t shift, int64_t in, int64_t out) {  // input = result * stride + shift
  const int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
  const int64_t last = in - 1 < shift ? -1 : std::min((in - 1 - shift) / stride, out - 1);
  return {first, std::max<int64_t>(last - first + 1, 0), first * stride + shift};
}

Array whole_convolution(Convolved what, const Array& given, const Array& given_weight, const Steps& steps, const Shape& shape) {
  const Array x = as_type(given, DType::int64), weight = as_type(given_weight, DType::int64);
  const bool is_plain = what == Convolved::result;
  const Array out = full(shape, whole(0), DType::int64, x.device());
  const Array &wide = is_plain ? x : out, &narrow = is_plain ? out : x;
  const size_t axes = shape.size() - 2;
  const int64_t groups = steps.groups, samples = shape[0];
  const Shape kernel(weight.shape().begin() + 2, weight.shape().end());
  const int64_t size = std::accumulate(kernel.begin(), kernel.end(), int64_t{1}, std::multiplies<>());
  const Array terms = reshape(weight, {groups, weight.shape()[0] / groups, weight.shape()[1], size});
  for (int64_t k = 0; k < size; ++k) {
    Layout of_wide = wide.layout(), of_narrow = narrow.layout();
    int64_t rest = k;
    for (size_t i = axes; i-- > 0; rest /= kernel[i]) {
      const size_t at = slot(i, axes);
      const int64_t shift = rest % kernel[i] * steps.dilation[at] - steps.before[at];
      const Reach reach = reach_of(steps.stride[at], shift, wide.shape()[2 + i], narrow.shape()[2 + i]);
      of_wide = of_wide.sliced(2 + i, reach.count ? reach.input : 0, reach.count, steps.stride[at]);
      of_narrow = of_narrow.sliced(2 + i, reach.count ? reach.first : 0, reach.count, 1);
    }
    if (of_narrow.size() == 0) continue;
    const Array from = is_plain ? wide.view(of_wide) : narrow.view(of_narrow), to = out.view(is_plain ? of_narrow : of_wide);
    const Array term = reshape(part(terms, 3, k, k + 1), {groups, terms.shape()[1], terms.shape()[2]});
    const int64_t elements = of_narrow.size() / std::max<int64_t>(1, samples * narrow.shape()[1]);
    const Array columns = reshape(from, {samples, groups, from.shape()[1] / groups, elements});
    const Array products = matmul(is_plain ? term : transpose(term, {0, 2, 1}), columns);
    assign(to, Argument(add(to, reshape(products, to.shape()))));
  }
  return as_type(out, given.dtype());
}

// `what`: the result or, of a transposed convolution, the input; `shape` is that of what is returned. `in_order`: that
// is in C order, however the operands lie.
Array convolution(Convolved what, const Array& x, const Array& weight, const Array* bias, const Steps& steps, const Shape& shape,
                  bool in_order = false) {
  if (is_integer(x.dtype())) {
    const Array y = whole_convolution(what, x, weight, steps, shape);
    Shape along(shape.size(), 1);
    if (bias) along[1] = bias->size();
    return bias ? add(y, reshape(*bias, along)) : y;
  }
  std::vector<Array> inputs{x, weight};
  if (bias) inputs.push_back(*bias);
  const Kept kept{{wants_gradient(weight), wants_gradient(x), false}, {}};  // each for the other's gradient
  return differentiable(std::make_shared<ConvolutionGradient>(what, steps), inputs, kept, [&]() -> std::vector<Array> {
    const bool is_turned = in_order && !(x.layout().is_contiguous() && weight.layout().is_contiguous());
    Array y =
        is_turned ? convolve(what, in_c_order(x), in_c_order(weight), steps, shape) : convolve(what, x, weight, steps, shape);
    if (!bias) return {y};
    Shape along(shape.size(), 1);
    along[1] = bias->size();
    return {add(y, reshape(*bias, along))};
  })[0];
}

// ---- arguments

int64_t reach(int64_t kernel, int64_t dilation) { return dilation * (kernel - 1) + 1; }

void check_numbers(const char* name, const ForEachAxis& given, size_t axes) {
  if (given.numbers.size() == 1 || given.numbers.size() == axes) return;
  raise(ErrorKind::runtime,
        "expected {} to be a single integer value or a list of {} values to match the convolution dimensions, but got {}={}",
        name, axes, name, in_brackets(given.numbers));
}
void check_positive(const char* name, const ForEachAxis& given) {
  if (std::ranges::any_of(given.numbers, [](int64_t n) { return n <= 0; }))
    raise(ErrorKind::runtime, "non-positive {} is not supported", name);
}
void check_no_negatives(const char* name, const ForEachAxis& given) {
  if (std::ranges::any_of(given.numbers, [](int64_t n) { return n < 0; }))
    raise(ErrorKind::runtime, "negative {} is not supported", name);
}

// PyTorch has convolutions of integers on the CPU alone, and dilated and transposed ones of int64.
void check_types(const Array& x, const Array& weight, const Array* bias, bool is_simple) {
  const DType type = x.dtype();
  const bool is_supported = !x.device().is_gpu() && (type == DType::int64 || (is_integer(type) && is_simple));
  if (!is_complex(type) && row(type).kind != DTypeKind::real && !is_supported)
    raise(ErrorKind::not_implemented, "convolutions of {} are not supported; convert the input and the weight, as with float()",
          torch_name_of(type));
  for (const auto& [other, name] : {std::pair(&weight, "weight"), std::pair(bias, "bias")})
    if (other && other->dtype() != type)
      raise(ErrorKind::runtime, "Input type ({}) and {} type ({}) should be the same", torch_name_of(type), name,
            torch_name_of(other->dtype()));
}

struct Given {
  const char* name;
  size_t axes;
  bool is_transposed = false;
};

// The input with an axis of samples.
Array with_samples(const Given& given, const Array& x, const Array& weight) {
  const std::string name = formatted("conv{}{}d", given.is_transposed ? "_transpose" : "", given.axes);
  if (x.rank() != given.axes + 1 && x.rank() != given.axes + 2)
    raise(ErrorKind::runtime, "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}", given.axes + 1,
          given.axes + 2, name, in_brackets(x.shape()));
  if (weight.rank() != given.axes + 2)
    raise(ErrorKind::runtime, "Expected {}D weight of {}, but got weight of size: {}", given.axes + 2, name,
          in_brackets(weight.shape()));
  return x.rank() == given.axes + 2 ? x : expand_dims(x, 0);
}

void check_channels(const Given& given, const Array& x, const Array& weight, const Array* bias, int64_t groups) {
  if (groups <= 0) raise(ErrorKind::runtime, "non-positive groups is not supported");
  const Shape& w = weight.shape();
  const std::string sizes = in_brackets(w);
  if (w[0] < groups)
    raise(ErrorKind::runtime,
          "Given groups={}, expected weight to be at least {} at dimension 0, but got weight of size [{}] instead", groups,
          groups, sizes);
  if (w[0] % groups != 0)
    raise(ErrorKind::runtime,
          "Given groups={}, expected weight to be divisible by {} at dimension 0, but got weight of size [{}] instead", groups,
          groups, sizes);
  const int64_t channels = given.is_transposed ? w[0] : w[1] * groups;
  if (x.shape()[1] != channels)
    raise(ErrorKind::runtime, "Given {}={}, weight of size {}, expected input{} to have {} channels, but got {} channels instead",
          given.is_transposed ? "transposed" : "groups", given.is_transposed ? 1 : groups, sizes, in_brackets(x.shape()),
          channels, x.shape()[1]);
  const int64_t results = given.is_transposed ? w[1] * groups : w[0];
  if (bias && (bias->rank() != 1 || bias->size() != results))
    raise(ErrorKind::runtime,
          "Given {}weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias of size {} instead",
          given.is_transposed ? "transposed=1, " : "", sizes, results, in_brackets(bias->shape()));
}

// The steps without the padding.
Steps steps_of(size_t axes, const ForEachAxis& stride, const ForEachAxis& dilation, int64_t groups) {
  Steps steps;
  steps.groups = groups;
  for (size_t i = 0; i < axes; ++i) {
    steps.stride[slot(i, axes)] = stride.along(i);
    steps.dilation[slot(i, axes)] = dilation.along(i);
  }
  return steps;
}

// Zeros before and after each axis.
using Sides = std::vector<std::pair<int64_t, int64_t>>;

Sides sides_of(const Shape& in, const Shape& kernel, const Steps& steps, const Around& padding) {
  const size_t axes = in.size();
  Sides out(axes, {0, 0});
  for (size_t i = 0; i < axes; ++i) {
    const int64_t stride = steps.stride[slot(i, axes)], wide = reach(kernel[i], steps.dilation[slot(i, axes)]);
    if (!padding.name) {
      out[i] = {padding.sizes.along(i), padding.sizes.along(i)};
    } else if (*padding.name == "same") {
      const int64_t all = std::max<int64_t>(((in[i] + stride - 1) / stride - 1) * stride + wide - in[i], 0);
      out[i] = {all / 2, all - all / 2};
    }
  }
  return out;
}

Shape sizes_behind(const Array& x, size_t first) {
  return {x.shape().begin() + static_cast<std::ptrdiff_t>(first), x.shape().end()};
}

// cuDNN has as many zeros before an axis as after it: more of them become part of the array.
Array with_even_sides(const Array& x, Sides& sides) {
  std::vector<int64_t> widths;
  for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
    const int64_t more = std::max<int64_t>(0, side->second - side->first);
    widths.insert(widths.end(), {0, more});
    side->second -= more;
  }
  const bool are_even = std::ranges::all_of(widths, [](int64_t n) { return n == 0; });
  return are_even ? x : pad(numpys_rules, x, widths, "constant", 0.0);
}

// Of arrays (samples, channels, sizes) and (results, channels of a group, sizes).
Array convolved(const Array& given, const Array& weight, const Array* bias, Steps steps, Sides sides, bool in_order = false) {
  const Array x = is_convolved_by_cudnn(given) ? with_even_sides(given, sides) : given;
  const size_t axes = x.rank() - 2;
  Shape shape{x.shape()[0], weight.shape()[0]};
  for (size_t i = 0; i < axes; ++i) {
    const size_t at = slot(i, axes);
    const int64_t wide = reach(weight.shape()[2 + i], steps.dilation[at]);
    const int64_t in = x.shape()[2 + i] + sides[i].first + sides[i].second;
    steps.before[at] = sides[i].first;
    shape.push_back((in - wide) / steps.stride[at] + 1);
  }
  return convolution(Convolved::result, x, weight, bias, steps, shape, in_order);
}

// PyTorch's results are channels-last where an operand is one of images or volumes that lies exactly so.
bool has_c_order(const Array& x, const Array& weight) {
  return !suggests_channels_last(x.layout()) && !suggests_channels_last(weight.layout());
}

void check_sizes(const Array& x, const Array& weight, const Steps& steps, const Sides& sides) {
  const size_t axes = x.rank() - 2;
  std::string padded, kernel;
  bool is_larger = false;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t in = x.shape()[2 + i] + sides[i].first + sides[i].second;
    const int64_t wide = reach(weight.shape()[2 + i], steps.dilation[slot(i, axes)]);
    is_larger |= in < wide;
    padded += (i ? " x " : "") + std::to_string(in);
    kernel += (i ? " x " : "") + std::to_string(wide);
    if (weight.shape()[2 + i] == 0)
      raise(ErrorKind::runtime, "kernel size should be greater than zero, but got shape {}", in_brackets(weight.shape()));
  }
  if (std::ranges::any_of(sizes_behind(x, 2), [](int64_t n) { return n == 0; }) && !is_larger)
    raise(ErrorKind::runtime, "Only zero batch or zero channel inputs are supported, but got input shape: {}",
          in_brackets(x.shape()));
  if (is_larger)
    raise(
        ErrorKind::runtime,
        "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be greater than actual input size",
        padded, kernel);
}

Array convolution_layer(size_t axes, const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                        const Around& padding, const ForEachAxis& dilation, int64_t groups) {
  const Given given{"conv", axes};
  const Array batch = with_samples(given, x, weight);
  check_types(x, weight, bias, std::ranges::all_of(dilation.numbers, [](int64_t n) { return n == 1; }));
  check_numbers("stride", stride, axes);
  check_numbers("dilation", dilation, axes);
  check_positive("stride", stride);
  check_positive("dilation", dilation);
  if (padding.name) {
    if (*padding.name != "same" && *padding.name != "valid")
      raise(ErrorKind::runtime, "Invalid padding string: '{}'", *padding.name);
    if (*padding.name == "same" && std::ranges::any_of(stride.numbers, [](int64_t n) { return n != 1; }))
      raise(ErrorKind::runtime, "padding='same' is not supported for strided convolutions");
  } else {
    check_numbers("padding", padding.sizes, axes);
    check_no_negatives("padding", padding.sizes);
  }
  check_channels(given, batch, weight, bias, groups);
  const Steps steps = steps_of(axes, stride, dilation, groups);
  const Sides sides = sides_of(sizes_behind(batch, 2), sizes_behind(weight, 2), steps, padding);
  check_sizes(batch, weight, steps, sides);
  const Array y = convolved(batch, weight, bias, steps, sides, has_c_order(batch, weight));
  return x.rank() == batch.rank() ? y : reshape(y, sizes_behind(y, 1));
}

Array transposed_layer(size_t axes, const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                       const ForEachAxis& padding, const ForEachAxis& more, int64_t groups, const ForEachAxis& dilation) {
  const Given given{"conv_transpose", axes, true};
  const Array batch = with_samples(given, x, weight);
  check_types(x, weight, bias, false);
  for (const auto& [name, numbers] : {std::pair("stride", &stride), std::pair("padding", &padding),
                                      std::pair("output_padding", &more), std::pair("dilation", &dilation)})
    check_numbers(name, *numbers, axes);
  check_positive("stride", stride);
  check_positive("dilation", dilation);
  check_no_negatives("padding", padding);
  check_no_negatives("output_padding", more);
  check_channels(given, batch, weight, bias, groups);
  Steps steps = steps_of(axes, stride, dilation, groups);
  Shape shape{batch.shape()[0], weight.shape()[1] * groups};
  for (size_t i = 0; i < axes; ++i) {
    if (more.along(i) >= std::max(stride.along(i), dilation.along(i)))
      raise(ErrorKind::runtime,
            "output padding must be smaller than either stride or dilation, but got output_padding: {} stride: {} "
            "dilation: {}",
            more.along(i), stride.along(i), dilation.along(i));
    steps.before[slot(i, axes)] = padding.along(i);
    const int64_t size = (batch.shape()[2 + i] - 1) * stride.along(i) - 2 * padding.along(i) +
                         reach(weight.shape()[2 + i], dilation.along(i)) + more.along(i);
    if (size < 0)
      raise(ErrorKind::runtime,
            "Given input size per channel: ({}). Calculated output size per channel: ({}). Output size is too small",
            batch.shape()[2 + i], size);
    shape.push_back(size);
  }
  const Array y = convolution(Convolved::input, batch, weight, bias, steps, shape, has_c_order(batch, weight));
  return x.rank() == batch.rank() ? y : reshape(y, sizes_behind(y, 1));
}

}  // namespace

Array conv1d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride, const Around& padding,
             const ForEachAxis& dilation, int64_t groups) {
  return convolution_layer(1, x, weight, bias, stride, padding, dilation, groups);
}
Array conv2d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride, const Around& padding,
             const ForEachAxis& dilation, int64_t groups) {
  return convolution_layer(2, x, weight, bias, stride, padding, dilation, groups);
}
Array conv3d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride, const Around& padding,
             const ForEachAxis& dilation, int64_t groups) {
  return convolution_layer(3, x, weight, bias, stride, padding, dilation, groups);
}

Array conv_transpose1d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                       const ForEachAxis& padding, const ForEachAxis& output_padding, int64_t groups,
                       const ForEachAxis& dilation) {
  return transposed_layer(1, x, weight, bias, stride, padding, output_padding, groups, dilation);
}
Array conv_transpose2d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                       const ForEachAxis& padding, const ForEachAxis& output_padding, int64_t groups,
                       const ForEachAxis& dilation) {
  return transposed_layer(2, x, weight, bias, stride, padding, output_padding, groups, dilation);
}
Array conv_transpose3d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                       const ForEachAxis& padding, const ForEachAxis& output_padding, int64_t groups,
                       const ForEachAxis& dilation) {
  return transposed_layer(3, x, weight, bias, stride, padding, output_padding, groups, dilation);
}

// ---- Keras

bool are_channels_last(std::optional<std::string_view> format) {
  if (!format || *format == "channels_last") return true;
  if (*format == "channels_first") return false;
  raise(ErrorKind::value,
        "The `data_format` argument must be one of {{'channels_first', 'channels_last'}}. Received: data_format={}", *format);
}

namespace {

// (samples, channels, sizes).
Array channels_first(const Array& x, bool are_last) { return are_last ? moveaxis(x, x.rank() - 1, 1) : x; }
Array as_given(const Array& y, bool were_last) { return were_last ? moveaxis(y, 1, y.rank() - 1) : y; }

// (sizes, second, first) -> (first, second, sizes).
Array turned_weight(const Array& weight) {
  const size_t r = weight.rank();
  return moveaxis(moveaxis(weight, r - 1, 0), r - 1, 1);
}

Around named(const Around& padding) {
  if (!padding.name) return padding;
  const bool is_same = *padding.name == "same" || *padding.name == "SAME";
  if (!is_same && *padding.name != "valid" && *padding.name != "VALID")
    raise(ErrorKind::value, "The `padding` argument must be one of 'valid', 'same'. Received: padding={}", *padding.name);
  return {{}, is_same ? "same" : "valid"};
}

void check_ranks(const char* name, const Array& x, const Array& weight) {
  if (x.rank() >= 3 && x.rank() <= Steps::axes + 2 && weight.rank() == x.rank()) return;
  raise(ErrorKind::value, "[{}] the inputs have the shape {} and the kernel {}; both need one to three axes and two more", name,
        to_string(x.shape()), to_string(weight.shape()));
}
void check_numbers_of_keras(const char* name, const ForEachAxis& given, size_t axes) {
  if ((given.numbers.size() != 1 && given.numbers.size() != axes) ||
      std::ranges::any_of(given.numbers, [](int64_t n) { return n < 1; }))
    raise(ErrorKind::value, "`{}` must be a positive integer or {} of them. Received: {}", name, axes,
          in_brackets(given.numbers));
}

}  // namespace

Array conv(const Array& x, const Array& weight, const ForEachAxis& stride, const Around& padding,
           std::optional<std::string_view> format, const ForEachAxis& dilation) {
  check_ranks("conv", x, weight);
  const size_t axes = x.rank() - 2;
  check_numbers_of_keras("strides", stride, axes);
  check_numbers_of_keras("dilation_rate", dilation, axes);
  const bool are_last = are_channels_last(format);
  const Array in = channels_first(as_type(x, weight.dtype()), are_last), turned = turned_weight(weight);
  const int64_t channels = in.shape()[1], of_group = turned.shape()[1];
  if (of_group == 0 || channels % of_group != 0)
    raise(ErrorKind::value,
          "The number of input channels must be evenly divisible by kernel's in_channels. Received input channels {} and kernel "
          "in_channels {}.",
          channels, of_group);
  if (turned.shape()[0] % (channels / of_group) != 0)
    raise(ErrorKind::value, "The number of filters, {}, must be evenly divisible by the number of groups, {}.", turned.shape()[0],
          channels / of_group);
  const Steps steps = steps_of(axes, stride, dilation, channels / of_group);
  const Sides sides = sides_of(sizes_behind(in, 2), sizes_behind(turned, 2), steps, named(padding));
  for (size_t i = 0; i < axes; ++i)
    if (in.shape()[2 + i] + sides[i].first + sides[i].second < reach(turned.shape()[2 + i], dilation.along(i)))
      raise(
          ErrorKind::value,
          "The convolution operation resulted in an empty output. This can happen if the input is too small for the given kernel "
          "size, strides, dilation rate, and padding mode. Please check the input shape and convolution parameters.");
  return as_given(convolved(in, turned, nullptr, steps, sides), are_last);
}

Array depthwise_conv(const Array& x, const Array& weight, const ForEachAxis& stride, const Around& padding,
                     std::optional<std::string_view> format, const ForEachAxis& dilation) {
  check_ranks("depthwise_conv", x, weight);
  const int64_t channels = x.shape()[are_channels_last(format) ? x.rank() - 1 : 1];
  Shape shape = weight.shape();
  const size_t r = shape.size();
  if (shape[r - 2] != channels)
    raise(ErrorKind::value,
          "The number of input channels must equal the kernel's. Received input channels {} and kernel channels {}.", channels,
          shape[r - 2]);
  shape[r - 1] *= channels;
  shape[r - 2] = 1;
  return conv(x, reshape(weight, shape), stride, padding, format, dilation);
}

Array separable_conv(const Array& x, const Array& depthwise, const Array& pointwise, const ForEachAxis& stride,
                     const Around& padding, std::optional<std::string_view> format, const ForEachAxis& dilation) {
  const Array each = depthwise_conv(x, depthwise, stride, padding, format, dilation);
  return conv(each, pointwise, {{1}}, {{}, "valid"}, format, dilation);
}

Array conv_transpose(const Array& x, const Array& weight, const ForEachAxis& stride, const Around& padding,
                     const std::optional<ForEachAxis>& output_padding, std::optional<std::string_view> format,
                     const ForEachAxis& dilation) {
  check_ranks("conv_transpose", x, weight);
  const size_t axes = x.rank() - 2;
  check_numbers_of_keras("strides", stride, axes);
  check_numbers_of_keras("dilation_rate", dilation, axes);
  if (output_padding && output_padding->numbers.size() != 1 && output_padding->numbers.size() != axes)
    raise(ErrorKind::value, "`output_padding` must be an integer or {} of them. Received: {}", axes,
          in_brackets(output_padding->numbers));
  const bool are_last = are_channels_last(format), is_same = *named(padding).name == "same";
  const Array in = channels_first(as_type(x, weight.dtype()), are_last), turned = turned_weight(weight);
  if (turned.shape()[0] != in.shape()[1])
    raise(ErrorKind::value,
          "The number of input channels must equal the kernel's. Received input channels {} and kernel channels {}.",
          in.shape()[1], turned.shape()[0]);
  Steps steps = steps_of(axes, stride, dilation, 1);
  Shape shape{in.shape()[0], turned.shape()[1]};
  for (size_t i = 0; i < axes; ++i) {
    const int64_t step = stride.along(i), wide = reach(turned.shape()[2 + i], dilation.along(i));
    std::optional<int64_t> more;
    if (output_padding) more = output_padding->along(i);
    // Keras: without output_padding the result has the input's size times the stride ("same"), or what all of it reaches.
    int64_t left = wide - 1, right = wide - 1 + more.value_or(std::max(wide, step) - wide);
    if (is_same) {
      const int64_t all = more ? wide + wide % 2 - 2 + *more : step + wide - 2;
      left = std::min(all / 2 + all % 2, wide - 1);
      right = all - left;
    }
    steps.before[slot(i, axes)] = wide - 1 - left;
    shape.push_back(std::max<int64_t>(0, (in.shape()[2 + i] - 1) * step + left + right - wide + 2));
  }
  return as_given(convolution(Convolved::input, in, turned, nullptr, steps, shape), are_last);
}

}  // namespace quern::nn
