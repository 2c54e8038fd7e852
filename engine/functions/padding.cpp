#include "functions/padding.h"

#include "core/error.h"
#include "functions/border.h"
#include "functions/creation.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

namespace quern::nn {

using namespace steps;

namespace {

struct Sides {
  int64_t before, after;
  bool is_too_long(int64_t most) const { return std::max(before, after) > most; }
};

// Those of the axis that is so many from the end.
Sides sides_of(const std::vector<int64_t>& widths, size_t from_end) { return {widths[2 * from_end], widths[2 * from_end + 1]}; }

// What negative widths leave of an axis.
Array cut(const Array& x, int axis, Sides by) {
  if (by.before >= 0 && by.after >= 0) return x;
  const int64_t n = x.shape()[axis_of(x, axis)];
  return part(x, axis, std::max<int64_t>(-by.before, 0), n - std::max<int64_t>(-by.after, 0));
}

// Where nothing of x is left its gradient is zeros, as PyTorch has it, not missing.
Array beside_nothing(const Array& x, const Array& padded) {
  if (!GradientMode::is_on() || !wants_gradient(x) || wants_gradient(padded)) return padded;
  const Array nothing = reduced(Reduction::sum, part(reshape(x, {x.size()}), 0, 0, 0));
  return add(padded, as_type(nothing, padded.dtype()));
}

Array with_constant(const Rules& rules, const Array& x, const std::vector<int64_t>& widths, std::optional<double> value) {
  std::vector<std::pair<int64_t, int64_t>> more(x.rank(), {0, 0});
  Array inner = x;
  for (size_t i = 0; i < widths.size() / 2; ++i) {
    const size_t axis = x.rank() - 1 - i;
    const auto [before, after] = sides_of(widths, i);
    if (const int64_t n = x.shape()[axis]; n + before + after < 0)
      raise(ErrorKind::runtime,
            "The input size {}, plus negative padding {} and {} resulted in a negative output size, which is invalid. Check "
            "dimension {} of your input.",
            n, before, after, axis);
    inner = cut(inner, static_cast<int>(axis), {before, after});
    more[axis] = {std::max<int64_t>(before, 0), std::max<int64_t>(after, 0)};
  }
  Scalar number = whole(0);
  if (value && *value < 0 && x.dtype() == DType::uint8)
    raise(ErrorKind::runtime, "value cannot be converted to type uint8_t without overflow");
  if (value) {  // a number that the type cannot have is refused there
    const Array filled = filled_with(rules, {}, operand(*value), {.dtype = x.dtype(), .device = x.device()});
    number = is_whole(x.dtype()) ? scalar_in(filled) : real_number(*value);
  }
  const Array bordered =
      with_border(inner, more, Border::constant, {.constants = std::vector(x.rank(), std::pair(number, number))});
  return arranged(bordered, format_beside(x, bordered.shape()));
}

// What PyTorch refuses of the elements of x itself around it.
void check_mirrored(const Array& x, const std::vector<int64_t>& widths, Border mode) {
  const size_t axes = widths.size() / 2;
  if (axes < 1 || axes > 3 || (x.rank() != axes + 1 && x.rank() != axes + 2))
    raise(
        ErrorKind::not_implemented,
        "Padding size {} is not supported for {}D input tensor.\nSupported for non-constant padding: size 2 of 2D or 3D, size 4 "
        "of 3D or 4D, size 6 of 4D or 5D tensors",
        widths.size(), x.rank());
  if (mode == Border::wrap) return;
  if (x.dtype() == DType::boolean)
    raise(ErrorKind::not_implemented, "\"{}_pad{}d\" not implemented for 'Bool'",
          mode == Border::reflect ? "reflection" : "replication", axes);
  for (size_t i = x.rank() == axes + 2 ? 1 : 0; i < x.rank(); ++i)
    if (x.shape()[i] == 0)
      raise(ErrorKind::runtime,
            "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
            "got: {}",
            axes + 1, axes + 2, in_brackets(x.shape()));
}

void check_axis(const Array& x, const Array& inner, size_t axis, Sides by, Border mode) {
  const int64_t n = x.shape()[axis], after = n + by.before + by.after;
  if (mode == Border::reflect && by.is_too_long(n - 1))
    raise(
        ErrorKind::runtime,
        "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding ({}, {}) at dimension "
        "{} of input {}",
        by.before, by.after, axis, in_brackets(x.shape()));
  if (mode == Border::wrap && by.is_too_long(inner.shape()[axis]))
    raise(ErrorKind::runtime, "Padding value causes wrapping around more than once.");
  if (mode == Border::wrap && after < 0) raise(ErrorKind::runtime, "Negative padding value is resulting in an empty dimension");
  const char name = "WHD"[x.rank() - 1 - axis];
  if (mode != Border::wrap && after < 1)
    raise(ErrorKind::runtime, "input ({}: {}) is too small. Calculated output {}: {}", name, n, name, after);
}

Array mirrored(const Array& x, const std::vector<int64_t>& widths, Border mode) {
  check_mirrored(x, widths, mode);
  Array out = x;
  for (size_t i = 0; i < widths.size() / 2; ++i) {
    const int axis = static_cast<int>(x.rank() - 1 - i);
    const Sides by = sides_of(widths, i);
    // What comes from the other end is what negative widths leave; mirrored elements may be among those that are cut.
    const Array inner = mode == Border::wrap ? cut(out, axis, by) : out;
    check_axis(out, inner, static_cast<size_t>(axis), by, mode);
    std::vector<std::pair<int64_t, int64_t>> more(x.rank(), {0, 0});
    more[static_cast<size_t>(axis)] = {std::max<int64_t>(by.before, 0), std::max<int64_t>(by.after, 0)};
    out = with_border(inner, more, inner.size() ? mode : Border::constant);
    if (mode != Border::wrap) out = cut(out, axis, by);
  }
  const LayoutRef layout = mode == Border::wrap ? contiguous_layout(out.shape()) : format_beside(x, out.shape());
  return out.cell() == x.cell() ? copied(out, out.dtype(), layout) : arranged(out, layout);
}

}  // namespace

Array pad(const Rules& rules, const Array& x, const std::vector<int64_t>& widths, std::optional<std::string_view> mode,
          std::optional<double> value) {
  const bool is_constant = mode == "constant";
  if (!is_constant && mode != "reflect" && mode != "replicate" && mode != "circular")
    raise(ErrorKind::not_implemented, "Unrecognised padding mode {}", mode.value_or("None"));
  if (widths.size() % 2) raise(ErrorKind::runtime, "Padding length must be divisible by 2");
  if (widths.size() > 2 * x.rank())
    raise(ErrorKind::runtime,
          "Padding length should be less than or equal to two times the input dimension but got padding length {} and input of "
          "dimension {}",
          widths.size(), x.rank());
  if (is_constant) return beside_nothing(x, with_constant(rules, x, widths, value));
  if (value && *value != 0) raise(ErrorKind::runtime, "Padding mode \"{}\" doesn't take in value argument", *mode);
  const Border border = mode == "reflect" ? Border::reflect : mode == "replicate" ? Border::edge : Border::wrap;
  return beside_nothing(x, mirrored(x, widths, border));
}

// x divided by (k + alpha * the mean of the squares of `size` neighbouring channels) ** beta, of (N, C, L, ...); of no elements x
// itself. Integers have a mean without its fraction.
std::optional<Array> local_response_norm(const Rules& rules, const Array& x, int64_t size, double alpha, double beta, double k) {
  if (x.rank() < 3)
    raise(ErrorKind::value, "Expected 3D or higher dimensionality                          input (got {} dimensions)", x.rank());
  if (x.size() == 0) return {};
  if (size < 1) raise(ErrorKind::runtime, "kernel size should be greater than zero, but got kH: {} kW: 1", size);
  std::vector<std::pair<int64_t, int64_t>> more(x.rank(), {0, 0});
  more[1] = {size / 2, (size - 1) / 2};
  const Array squares = with_border(multiply(x, x), more, Border::constant);
  const int64_t channels = x.shape()[1];
  Array total = part(squares, 1, 0, channels);
  for (int64_t i = 1; i < size; ++i) total = add(total, part(squares, 1, i, i + channels));
  const Array mean = compute(is_whole(x.dtype()) ? Op::floor_divide : Op::true_divide, total, size);
  const Array scale = add(multiply(as_reals(rules, mean), alpha), k);
  return true_divide(as_reals(rules, x), raised(Argument(scale), operand(beta)));
}

// ---- channels and pixels

namespace {

void check_pixels(const char* name, const char* factor_name, const Array& x, int64_t factor) {
  if (x.rank() < 3)
    raise(ErrorKind::runtime, "{} expects input to have at least 3 dimensions, but got input with {} dimension(s)", name,
          x.rank());
  if (factor <= 0) raise(ErrorKind::runtime, "{} expects a positive {}, but got {}", name, factor_name, factor);
}

// x in a shape whose axes then go to the order given for the last ones; the result has the shape `last`.
Array rearranged(const Array& x, const Shape& shape, const std::vector<int>& order, const Shape& last) {
  const int leading = static_cast<int>(shape.size() - order.size());
  std::vector<int> axes;
  for (int i = 0; i < leading; ++i) axes.push_back(i);
  for (int one : order) axes.push_back(leading + one);
  return reshape(copied(transpose(reshape(x, shape), axes), x.dtype()), last);
}

Shape with_end(const Array& x, std::initializer_list<int64_t> end) {
  Shape out(x.shape().begin(), x.shape().end() - 3);
  out.insert(out.end(), end);
  return out;
}

}  // namespace

// Channels, the axis 1: those of all groups by turns.
Array channel_shuffle(const Array& x, int64_t groups) {
  if (x.rank() < 3)
    raise(ErrorKind::runtime, "channel_shuffle expects input with > 2 dims, but got input with sizes {}", in_brackets(x.shape()));
  if (groups <= 0)
    raise(ErrorKind::runtime, "Number of groups to divide channels in must be positive. Value of groups:{}", groups);
  const int64_t channels = x.shape()[1];
  if (channels % groups)
    raise(ErrorKind::runtime, "Number of channels must be divisible by groups. Got {} channels and {} groups.", channels, groups);
  const int64_t n = x.shape()[0], each = channels / groups, inner = channels && n ? x.size() / (n * channels) : 0;
  if (x.size() == 0) return copied(x, x.dtype());
  return arranged(rearranged(x, {n, groups, each, inner}, {0, 2, 1, 3}, x.shape()), format_beside(x, x.shape()));
}

// (..., C * r * r, H, W) as (..., C, H * r, W * r), and back.
Array pixel_shuffle(const Array& x, int64_t r) {
  check_pixels("pixel_shuffle", "upscale_factor", x, r);
  if (r > 0xffffffff / 2)
    raise(ErrorKind::value, "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={}", r);
  const int64_t c = x.shape()[x.rank() - 3], h = x.shape()[x.rank() - 2], w = last_size(x);
  if (c % (r * r))
    raise(ErrorKind::runtime,
          "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
          "input.size(-3)={} is not divisible by {}",
          c, r * r);
  const int64_t fewer = c / (r * r);
  return rearranged(x, with_end(x, {fewer, r, r, h, w}), {0, 3, 1, 4, 2}, with_end(x, {fewer, h * r, w * r}));
}

Array pixel_unshuffle(const Array& x, int64_t r) {
  check_pixels("pixel_unshuffle", "downscale_factor", x, r);
  const int64_t c = x.shape()[x.rank() - 3], h = x.shape()[x.rank() - 2], w = last_size(x);
  for (const auto& [name, axis, size] : {std::tuple("height", -2, h), std::tuple("width", -1, w)})
    if (size % r)
      raise(ErrorKind::runtime,
            "pixel_unshuffle expects {} to be divisible by downscale_factor, but input.size({})={} is not divisible by {}", name,
            axis, size, r);
  return rearranged(x, with_end(x, {c, h / r, r, w / r, r}), {0, 2, 4, 1, 3}, with_end(x, {c * r * r, h / r, w / r}));
}

}  // namespace quern::nn
