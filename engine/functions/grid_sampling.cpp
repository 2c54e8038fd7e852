#include "functions/grid_sampling.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

Array elements_between(const Array& rows, const Shape& sizes, const std::optional<Array>& first,
                       const std::vector<std::vector<TakenPlace>>& axes, double fill) {
  size_t combinations = 1;
  for (const auto& axis : axes) combinations *= axis.size();
  std::optional<Array> total;
  for (size_t n = 0; n < combinations; ++n) {
    std::optional<Array> place = first, weight, is_there;
    size_t rest = n;
    for (size_t i = 0; i < axes.size(); ++i) {
      const TakenPlace& one = axes[i][rest % axes[i].size()];
      rest /= axes[i].size();
      int64_t step = 1;
      for (size_t k = i + 1; k < sizes.size(); ++k) step *= sizes[k];
      const Array safe = one.is_there ? where(*one.is_there, one.place, 0) : one.place;
      const Array along = multiply(safe, step);
      place = place ? add(*place, along) : along;
      if (one.weight) weight = weight ? multiply(*weight, *one.weight) : *one.weight;
      if (one.is_there) is_there = is_there ? logical_and(*is_there, *one.is_there) : *one.is_there;
    }
    Array term = take_along(rows, *place, 0);
    if (is_there)
      term = where(expand_dims(*is_there, is_there->rank()), term,
                   as_type(full({}, real_number(fill), DType::float64, rows.device()), rows.dtype()));
    if (weight) term = multiply(term, expand_dims(*weight, weight->rank()));
    total = total ? add(*total, term) : term;
  }
  return *total;
}

namespace nn {

namespace {

enum class Between : uint8_t { linear, nearest, cubic };
enum class Outside : uint8_t { zeros, border, reflection };

struct Sampling {
  Between mode;
  Outside outside;
  bool keeps_corners;
};

Array limited(const Array& u, int64_t n) {
  // Not minimum() and maximum(): a place at the border has no gradient.
  return where(less_equal(u, 0), 0, where(greater_equal(u, n - 1), n - 1, u));
}

Array reflected(const Array& u, double low, double high) {
  if (low == high) return multiply(u, 0);
  const double span = high - low;
  const Array from_low = subtract(u, low), distance = where(less(from_low, 0), negative(from_low), from_low);
  const Array rest = fmod(distance, span), turns = floor(true_divide(untaped(distance), span));
  return where(equal(fmod(turns, 2), 0), add(rest, low), subtract(span + low, rest));
}

// Places outside, in the image where `how` has elements there.
Array put_inside(const Array& u, int64_t n, const Sampling& how) {
  if (how.outside == Outside::zeros) return u;
  if (how.outside == Outside::border) return limited(u, n);
  const auto last = static_cast<double>(n - 1);
  return limited(how.keeps_corners ? reflected(u, 0, last) : reflected(u, -0.5, last + 0.5), n);
}

// -1 to 1 as places.
Array place_in(const Array& u, int64_t n, bool keeps_corners) {
  if (keeps_corners) return multiply(true_divide(add(u, 1), 2), n - 1);
  return true_divide(subtract(multiply(add(u, 1), n), 1), 2);
}

TakenPlace taken_at(const Array& place, int64_t n, const std::optional<Array>& weight) {
  const Array is_there = logical_and(greater_equal(place, 0), less_equal(place, n - 1));
  return {as_type(where(is_there, place, 0), DType::int64), weight, is_there};
}

// The weights of four elements at the distances 1 + t, t, 1 - t and 2 - t.
std::vector<Array> cubic_weights(const Array& t) {
  static constexpr double a = -0.75;
  const auto near = [](const Array& x) { return add(multiply(multiply(subtract(multiply(x, a + 2), a + 3), x), x), 1); };
  const auto far = [](const Array& x) {
    return subtract(multiply(add(multiply(subtract(multiply(x, a), 5 * a), x), 8 * a), x), 4 * a);
  };
  return {far(add(t, 1)), near(t), near(subtract(1, t)), far(subtract(2, t))};
}

std::vector<TakenPlace> taken_along(const Array& grid, int64_t n, const Sampling& how) {
  const Array anywhere = place_in(grid, n, how.keeps_corners);
  if (how.mode == Between::cubic) {
    const Array below = floor(untaped(anywhere));
    std::vector<TakenPlace> out;
    for (const Array& weight : cubic_weights(subtract(anywhere, below))) {
      const auto k = static_cast<int64_t>(out.size()) - 1;
      out.push_back(taken_at(put_inside(add(below, k), n, how), n, weight));
    }
    return out;
  }
  const Array u = put_inside(anywhere, n, how);
  if (how.mode == Between::nearest) return {taken_at(rint(untaped(u)), n, {})};
  const Array below = floor(untaped(u)), above = add(below, 1);
  return {taken_at(below, n, subtract(above, u)), taken_at(above, n, subtract(u, below))};
}

// `rank`: 4 or 5, or 0 for either.
void check_sampled(const Array& x, const Array& grid, size_t rank) {
  if (x.device() != grid.device())
    raise(ErrorKind::runtime, "grid_sampler(): expected input and grid to be on same device; move one of them");
  if (x.rank() < 2 || grid.rank() < 1)
    raise(ErrorKind::runtime,
          "grid_sampler(): expected 4D or 5D input and grid, but got input with sizes {} and grid with sizes {}",
          in_brackets(x.shape()), in_brackets(grid.shape()));
  if (x.shape()[0] != grid.shape()[0])
    raise(ErrorKind::runtime,
          "grid_sampler(): expected grid and input to have same batch size, but got input with sizes {} and grid with sizes {}",
          in_brackets(x.shape()), in_brackets(grid.shape()));
  const auto axes = static_cast<int64_t>(x.rank()) - 2;
  if (last_size(grid) != axes)
    raise(ErrorKind::runtime, "grid_sampler(): expected grid to have size {} in last dimension, but got grid with sizes {}", axes,
          in_brackets(grid.shape()));
  for (size_t i = 2; i < x.rank(); ++i)
    if (x.shape()[i] == 0)
      raise(ErrorKind::runtime,
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {} with dimension {} being "
            "empty",
            in_brackets(x.shape()), i);
  if ((x.rank() != 4 && x.rank() != 5) || x.rank() != grid.rank() || (rank && x.rank() != rank))
    raise(ErrorKind::runtime,
          "grid_sampler(): expected {}D input and grid with same number of dimensions, but got input with sizes {} and grid with "
          "sizes {}",
          rank            ? rank
          : x.rank() == 5 ? 5
                          : 4,
          in_brackets(x.shape()), in_brackets(grid.shape()));
  if (row(x.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'",
          x.rank() == 4 ? "grid_sampler_2d_cpu_kernel_impl" : "grid_sampler3d_cpu", torch_name_of(x.dtype()));
  if (grid.dtype() != x.dtype())
    raise(ErrorKind::runtime, "expected scalar type {} but found {}", torch_name_of(x.dtype()), torch_name_of(grid.dtype()));
}

Array sampled(const Array& x, const Array& grid, const Sampling& how, size_t rank = 0) {
  check_sampled(x, grid, rank);
  const int64_t samples = x.shape()[0], channels = x.shape()[1];
  Shape sizes(x.shape().begin() + 2, x.shape().end()), out(grid.shape().begin(), grid.shape().end() - 1);
  int64_t plane = 1;
  for (int64_t n : sizes) plane *= n;
  Shape result = out;
  result.insert(result.begin() + 1, channels);
  const DType type = wide_type(x.dtype());
  const Array wide = as_type(grid, type);
  // Where nothing is sampled the gradients are zeros, not missing; so is that of a grid whose places are rounded.
  const Array nothing = add(reduced(Reduction::sum, part(reshape(wide, {wide.size()}), 0, 0, 0)),
                            reduced(Reduction::sum, part(reshape(as_type(x, type), {x.size()}), 0, 0, 0)));
  if (samples * channels * plane == 0 || grid.size() == 0)
    return as_type(add(zeros(result, type, x.device()), nothing), x.dtype());
  const Array rows = reshape(in_order(with_last(as_type(x, type), 1), Order::c), {samples * plane, channels});
  Shape firsts(out.size(), 1);
  firsts[0] = samples;
  const Array first = reshape(multiply(arange(samples, x.device()), plane), firsts);
  std::vector<std::vector<TakenPlace>> axes;
  for (size_t i = 0; i < sizes.size(); ++i)
    axes.push_back(taken_along(element(wide, -1, static_cast<int64_t>(sizes.size() - 1 - i)), sizes[i], how));
  Array y = from_last(elements_between(rows, sizes, first, axes, 0), 1);
  if (how.mode == Between::nearest && wants_gradient(grid)) y = add(y, nothing);
  return in_order(as_type(y, x.dtype()), Order::c);
}

Sampling numbered(int64_t mode, int64_t padding, bool align_corners) {
  if (mode < 0 || mode > 2)
    raise(ErrorKind::value, "[grid_sampler] interpolation_mode must be 0 (bilinear), 1 (nearest) or 2 (bicubic), not {}", mode);
  if (padding < 0 || padding > 2)
    raise(ErrorKind::value, "[grid_sampler] padding_mode must be 0 (zeros), 1 (border) or 2 (reflection), not {}", padding);
  return {static_cast<Between>(mode), static_cast<Outside>(padding), align_corners};
}

}  // namespace

Array grid_sample(const Array& x, const Array& grid, std::optional<std::string_view> mode,
                  std::optional<std::string_view> padding_mode, std::optional<bool> align_corners) {
  constexpr std::string_view modes[] = {"bilinear", "nearest", "bicubic"}, paddings[] = {"zeros", "border", "reflection"};
  const auto by = std::ranges::find(modes, mode.value_or("None")),
             beyond = std::ranges::find(paddings, padding_mode.value_or("None"));
  if (by == std::end(modes))
    raise(ErrorKind::value, "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{}'",
          mode.value_or("None"));
  if (beyond == std::end(paddings))
    raise(ErrorKind::value,
          "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{}'",
          padding_mode.value_or("None"));
  return sampled(x, grid, numbered(by - std::begin(modes), beyond - std::begin(paddings), align_corners.value_or(false)));
}

// The same by numbers.
Array grid_sampler(const Array& x, const Array& grid, int64_t mode, int64_t padding_mode, bool align_corners) {
  return sampled(x, grid, numbered(mode, padding_mode, align_corners));
}
Array grid_sampler_2d(const Array& x, const Array& grid, int64_t mode, int64_t padding_mode, bool align_corners) {
  return sampled(x, grid, numbered(mode, padding_mode, align_corners), 4);
}
Array grid_sampler_3d(const Array& x, const Array& grid, int64_t mode, int64_t padding_mode, bool align_corners) {
  return sampled(x, grid, numbered(mode, padding_mode, align_corners), 5);
}

// ---- grids

namespace {

// The places of the elements of an axis of the result, from -1 to 1.
Array centers(int64_t n, bool keeps_corners, DType type, DeviceId device) {
  if (n <= 1) return zeros({n}, type, device);
  const Array numbers = as_type(arange(n, device), DType::float64);
  const Array out = keeps_corners ? subtract(true_divide(multiply(numbers, 2.0), static_cast<double>(n - 1)), 1.0)
                                  : subtract(true_divide(add(multiply(numbers, 2.0), 1.0), static_cast<double>(n)), 1.0);
  return as_type(out, type);
}

Array grid_of(const Array& theta, const Shape& size, bool keeps_corners) {
  const size_t axes = size.size() - 2;
  const DType type = wide_type(theta.dtype());
  Shape matrices(axes + 1, 1);
  matrices[0] = theta.shape()[0];
  Array factors = as_type(theta, type);
  Shape shape = matrices;
  shape.insert(shape.end(), {static_cast<int64_t>(axes), static_cast<int64_t>(axes) + 1});
  factors = reshape(factors, shape);
  // Columns of the matrices: of the last axis first, then the shift.
  Array sum = element(factors, -1, static_cast<int64_t>(axes));
  for (size_t i = 0; i < axes; ++i) {
    const size_t axis = axes - 1 - i;
    Shape along(axes + 2, 1);
    along[1 + axis] = size[2 + axis];
    const Array places = reshape(centers(size[2 + axis], keeps_corners, type, theta.device()), along);
    sum = add(sum, multiply(places, element(factors, -1, static_cast<int64_t>(i))));
  }
  Shape out{theta.shape()[0]};
  out.insert(out.end(), size.begin() + 2, size.end());
  out.push_back(static_cast<int64_t>(axes));
  return in_order(as_type(sum, theta.dtype()), Order::c);
}

}  // namespace

Array affine_grid(const Array& theta, const Shape& size, std::optional<bool> align_corners) {
  if (row(theta.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::value, "Expected theta to have floating point type, but got {}",
          "torch." + std::string(row(theta.dtype()).name));
  if (size.size() != 4 && size.size() != 5)
    raise(ErrorKind::not_implemented,
          "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {}.",
          to_string(size));
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  if (theta.rank() != 3 || theta.shape()[1] != axes || theta.shape()[2] != axes + 1)
    raise(ErrorKind::value, "Expected a batch of {}D affine matrices of shape Nx{}x{} for size {}. Got torch.Size({}).", axes,
          axes, axes + 1, to_string(size), in_brackets(theta.shape()));
  const bool keeps_corners = align_corners.value_or(false);
  const bool is_unit = keeps_corners && *std::min_element(size.begin() + 2, size.end()) == 1;
  if (!is_unit && *std::ranges::min_element(size) <= 0)
    raise(ErrorKind::value, "Expected non-zero, positive output size. Got {}", to_string(size));
  if (size[0] != theta.shape()[0])
    raise(ErrorKind::runtime, "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
          size[0], axes + 1, theta.shape()[0], axes + 1);
  return grid_of(theta, size, keeps_corners);
}

Array affine_grid_generator(const Array& theta, const Shape& size, bool align_corners) {
  if (size.size() != 4 && size.size() != 5)
    raise(ErrorKind::runtime, "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  if (theta.rank() != 3) raise(ErrorKind::index, "Dimension out of range: theta must have 3 dimensions, not {}", theta.rank());
  return affine_grid(theta, size, align_corners);
}

}  // namespace nn
}  // namespace quern
