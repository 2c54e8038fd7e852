#include "functions/counting.h"

#include <cmath>
#include <tuple>

#include "core/error.h"
#include "functions/ranges.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"

namespace quern {

using namespace steps;

namespace {

Array at(const Array& array, const Array& places) {
  Pick pick{0, places};
  return take(array, {&pick, 1});
}

// Bins of one width: how many, from where to where.
struct EvenBins {
  Scalar first, last, width;
  int64_t count;
  Array edges;
};

// The place is computed; rounding may have put it beside the right one, which the edges tell.
Array counts_in_even_bins(const Array& elements, const EvenBins& bins, const Array* weights) {
  const Array& edges = bins.edges;
  Array keep = logical_and(greater_equal(elements, bins.first), less_equal(elements, bins.last));
  Array work = as_type(elements, edges.dtype());
  Array far = true_divide(subtract(work, bins.first), bins.width);
  Array place = astype(multiply(far, bins.count), DType::int64);
  place = minimum(maximum(place, 0), bins.count - 1);
  place = subtract(place, less(work, at(edges, place)));
  Array above = at(edges, minimum(maximum(add(place, 1), 0), bins.count));
  Array is_next = logical_and(greater_equal(work, above), not_equal(place, bins.count - 1));
  place = where(keep, add(place, is_next), -1);
  if (!weights) return counts_of(place, nullptr, bins.count);
  Array real = as_type(*weights, DType::float64);
  return as_type(counts_of(place, &real, bins.count), weights->dtype());
}

// The place is searched for.
Array counts_between(const Array& elements, const Array& edges, const Array* weights) {
  Array places = weights ? sorted_places(elements, false) : Array();
  Array ordered = weights ? at(elements, places) : sorted(elements, false);
  DType type = common(ordered.dtype(), edges.dtype());
  ordered = as_type(ordered, type);
  Array limits = as_type(edges, type);
  int64_t n = limits.size();
  if (n < 2) return full({0}, whole(0), weights ? summed_type(weights->dtype()) : DType::int64, elements.device());
  std::vector<Array> both = {places_in(ordered, part(limits, 0, 0, n - 1), false),
                             places_in(ordered, part(limits, 0, n - 1, n), true)};
  Array found = joined(both, 0);
  if (weights) {
    DType added = summed_type(weights->dtype());
    if (!has_scan("add", added)) added = DType::float64;
    Array sums = running(as_type(at(*weights, places), added), "add", 0);
    std::vector<Array> with_none = {full({1}, whole(0), added, sums.device()), sums};
    found = at(joined(with_none, 0), found);
  }
  return subtract(part(found, 0, 1, n), part(found, 0, 0, n - 1));
}

}  // namespace

static int64_t bins_for(const Array& numbers, int64_t least, const char* refusal) {
  if (numbers.size() == 0) return least;
  std::vector<Array> ends = {reduced(Reduction::minimum, numbers, -1, true), reduced(Reduction::maximum, numbers, -1, true)};
  std::vector<int64_t> found = values_of<int64_t>(joined(ends, 0));
  if (found[0] < 0) raise(ErrorKind::value, "{}", refusal);
  return std::max(least, found[1] + 1);
}

Array bincount(const Array& numbers, const Array* weights, int64_t least) {
  if (numbers.rank() != 1)
    raise(ErrorKind::value, "[bincount] object too deep for desired array: `x` must be 1-D, not {}-D", numbers.rank());
  if (!is_whole(numbers.dtype()))
    raise(ErrorKind::type, "[bincount] Cannot cast array data from {} to int64 according to the rule 'safe'",
          row(numbers.dtype()).name);
  if (least < 0) raise(ErrorKind::value, "[bincount] 'minlength' must not be negative, but is {}", least);
  Array real;
  if (weights) {
    if (is_complex(weights->dtype()))
      raise(ErrorKind::type, "[bincount] Cannot cast the weights from {} to float64 according to the rule 'safe'",
            row(weights->dtype()).name);
    if (weights->shape() != numbers.shape())
      raise(ErrorKind::value, "[bincount] The weights and list don't have the same length.");
    real = as_type(*weights, DType::float64);
    if (numbers.size() == 0) weights = nullptr;  // NumPy counts nothing at all in integers
  }
  int64_t bins = bins_for(numbers, least, "[bincount] 'list' argument must have no negative elements");
  return counts_of(numbers, weights ? &real : nullptr, bins);
}

Array counts_in(const WholeNumbers& numbers, const Array* weights, int64_t least) {
  return bincount(untaped(numbers.values), weights, least);
}

// PyTorch's: sums of float32 have that type.
Array bincount_as_torch(const Array& numbers, const Array* weights, int64_t least) {
  constexpr const char* refusal = "bincount only supports 1-d non-negative integral inputs.";
  if (!is_integer(numbers.dtype()))
    raise(ErrorKind::not_implemented, "\"bincount_cpu\" not implemented for '{}'", torch_name_of(numbers.dtype()));
  if (least < 0) raise(ErrorKind::runtime, "minlength should be >= 0");
  if (numbers.rank() != 1) raise(ErrorKind::runtime, refusal);
  if (weights && weights->shape() != numbers.shape())
    raise(ErrorKind::runtime, "weights should be 1-d and have the same length as input");
  Array given = untaped(numbers), real;
  if (weights && given.size() == 0) weights = nullptr;
  if (weights) real = as_type(*weights, DType::float64);
  Array out = counts_of(given, weights ? &real : nullptr, bins_for(given, least, refusal));
  return weights && weights->dtype() == DType::float32 ? as_type(out, DType::float32) : out;
}

// Of the numbers of a line, or of each row: counts of int32, or sums of the weights in their type.
Array counts_of_rows(const Array& numbers, const Array* weights, int64_t least, bool is_sparse) {
  if (is_sparse) raise(ErrorKind::value, "Unsupported value `sparse=True` with quern backend");
  if (weights && weights->dtype() == DType::boolean)
    raise(ErrorKind::type, "[bincount] weights of dtype bool are not supported; convert them with cast()");
  if (numbers.rank() == 2) {
    if (weights && weights->shape() != numbers.shape())
      raise(ErrorKind::value, "[bincount] weights of shape {} do not match `x` of shape {}", to_string(weights->shape()),
            to_string(numbers.shape()));
    std::vector<Array> rows;
    for (int64_t n = 0; n < numbers.shape()[0]; ++n) {
      std::optional<Array> own;
      if (weights) own = element(*weights, 0, n);
      rows.push_back(counts_of_rows(element(numbers, 0, n), own ? &*own : nullptr, least, false));
    }
    return stacked(rows, 0);
  }
  const Array counts = bincount(untaped(numbers), weights, std::max<int64_t>(least, 0));
  return as_type(counts, weights ? weights->dtype() : DType::int32);
}

namespace {

double real_of(const Scalar& number) {
  if (number.kind == WeakScalar::real) return number.re;
  return number.is_natural ? static_cast<double>(number.natural) : static_cast<double>(number.integer);
}

// Of numbers with types of their own the result has one.
Scalar computed(Op op, const Scalar& a, const Scalar& b, DType type) {
  return scalar_in(compute(op, full({}, a, type, DeviceId::cpu()), b));
}
Scalar moveaxis(const Scalar& limit, double by) {
  return limit.is_weak ? real_number(real_of(limit) + by) : computed(Op::add, limit, real_number(by), limit.dtype);
}

void check_real(const Array& array, const Array* weights) {
  if (is_complex(array.dtype()) || (weights && is_complex(weights->dtype())))
    raise(ErrorKind::type, "[histogram] complex arrays are not supported; pass their real parts");
  if (weights && weights->shape() != array.shape())
    raise(ErrorKind::value, "[histogram] weights should have the same shape as a");
}

Array elements_of(const Array& array) {
  Array flat = raveled(array, Order::c);
  return flat.dtype() == DType::boolean ? astype(flat, DType::uint8) : flat;
}

EvenBins even_bins(const Array& array, int64_t count, const Scalar* first, const Scalar* last) {
  check_real(array, nullptr);
  if (count < 1) raise(ErrorKind::value, "[histogram] `bins` must be positive, when an integer, not {}", count);
  Array elements = elements_of(array);
  EvenBins out{first ? *first : whole(0), last ? *last : whole(1), {}, count, {}};
  if (!first && elements.size() > 0) {
    out.first = scalar_in(reduced(Reduction::minimum, elements));
    out.last = scalar_in(reduced(Reduction::maximum, elements));
  }
  double low = real_of(out.first), high = real_of(out.last);
  if (!std::isfinite(low) || !std::isfinite(high))
    raise(ErrorKind::value, "[histogram] the {} range of [{}, {}] is not finite", first ? "supplied" : "autodetected", low, high);
  if (low > high) raise(ErrorKind::value, "[histogram] max must be larger than min in range parameter: [{}, {}]", low, high);
  if (low == high) {  // nothing is divided by a width of zero
    out.first = moveaxis(out.first, -0.5);
    out.last = moveaxis(out.last, 0.5);
  }
  auto type_of = [](const Scalar& number) { return OperandType{number.dtype, number.is_weak, number.kind}; };
  OperandType limits[] = {type_of(out.first), type_of(out.last), {DType::boolean, true, WeakScalar::real}};
  OperandType all[] = {limits[0], limits[1], {elements.dtype()}};
  DType type = common_type(all);
  if (is_whole(type)) type = DType::float64;
  out.edges = numbers_between(out.first, out.last, count + 1, true, type, array.device(), common_type(limits));
  out.width = out.last.is_weak ? real_number(real_of(out.last) - real_of(out.first))
                               : computed(Op::subtract, out.last, scalar_in(full({}, out.first, type, DeviceId::cpu())), type);
  return out;
}

std::pair<Array, Array> with_edges(Array counts, const Array& edges, bool density) {
  if (!density) return {counts, edges};
  int64_t n = std::max<int64_t>(edges.size(), 1);
  Op op = edges.dtype() == DType::boolean ? Op::not_equal : Op::subtract;
  Array widths = as_type(compute(op, part(edges, 0, 1, n), part(edges, 0, 0, n - 1)), DType::float64);
  return {true_divide(true_divide(counts, widths), sum(counts, all_axes(counts))), edges};
}

}  // namespace

Array even_edges(const Array& array, int64_t count, const Scalar* first, const Scalar* last) {
  return even_bins(array, count, first, last).edges;
}

std::pair<Array, Array> histogram(const Array& array, const Array& edges, const Array* weights, bool density) {
  check_real(array, weights);
  Array flat = weights ? raveled(*weights, Order::c) : Array();
  return with_edges(counts_between(elements_of(array), edges, weights ? &flat : nullptr), edges, density);
}

std::pair<Array, Array> even_histogram(const Array& array, int64_t count, const Scalar* first, const Scalar* last,
                                       const Array* weights, bool density) {
  check_real(array, weights);
  EvenBins bins = even_bins(array, count, first, last);
  Array flat = weights ? raveled(*weights, Order::c) : Array();
  return with_edges(counts_in_even_bins(elements_of(array), bins, weights ? &flat : nullptr), bins.edges, density);
}

static const Scalar* first_of(const Limits& limits) { return limits.both ? &limits.both->first : nullptr; }
static const Scalar* last_of(const Limits& limits) { return limits.both ? &limits.both->second : nullptr; }

static const Array& checked_edges(const Array& edges) {
  if (edges.rank() != 1) raise(ErrorKind::value, "`bins` must be 1d, when an array");
  std::vector<double> values = values_of<double>(edges);
  for (size_t n = 1; n < values.size(); ++n)
    if (values[n - 1] > values[n]) raise(ErrorKind::value, "`bins` must increase monotonically, when an array");
  return edges;
}

// NumPy's. Raises ErrorKind::value for edges of more than one dimension and for such that fall (they are read).
std::pair<Array, Array> histogram_in(const Array& array, const Bins& bins, const Limits& limits, bool density,
                                     const Array* weights) {
  if (bins.edges) return histogram(array, checked_edges(*bins.edges), weights, density);
  return even_histogram(array, bins.count, first_of(limits), last_of(limits), weights, density);
}
Array histogram_edges(const Array& array, const Bins& bins, const Limits& limits, const Array* weights) {
  check_real(array, weights);
  return bins.edges ? checked_edges(*bins.edges) : even_edges(array, bins.count, first_of(limits), last_of(limits));
}

// The least and the greatest element.
static std::pair<double, double> ends_of(const Array& flat) {
  std::vector<Array> ends = {reduced(Reduction::minimum, flat, -1, true), reduced(Reduction::maximum, flat, -1, true)};
  std::vector<double> found = values_of<double>(joined(ends, 0));
  return {found[0], found[1]};
}

// PyTorch's, in the type of the elements.
std::pair<Array, Array> histogram_of_floats(const Array& array, const Bins& bins, const Limits& limits, const Array* weights,
                                            bool density) {
  if (row(array.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"histogramdd\" not implemented for '{}'", torch_name_of(array.dtype()));
  if (bins.edges && bins.edges->rank() != 1)
    raise(ErrorKind::runtime,
          "torch.histogramdd: bins tensor should have one dimension, but got {} dimensions in the bins tensor for dimension 0",
          bins.edges->rank());
  if (bins.edges && bins.edges->dtype() != array.dtype())
    raise(ErrorKind::runtime, "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got {} and {}",
          torch_name_of(array.dtype()), torch_name_of(bins.edges->dtype()));
  const int64_t count = bins.edges ? bins.edges->size() - 1 : bins.count;
  if (count <= 0) raise(ErrorKind::runtime, "torch.histogram(): bins must be > 0, but got {} for dimension 0", count);
  if (weights && weights->size() != array.size())
    raise(ErrorKind::runtime,
          "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor");
  Array flat = raveled(untaped(array), Order::c), edges, real;
  if (bins.edges) {
    edges = copied(untaped(*bins.edges), bins.edges->dtype());
  } else {
    auto [low, high] = limits.both        ? std::pair(real_of(limits.both->first), real_of(limits.both->second))
                       : flat.size() == 0 ? std::pair(0.0, 1.0)
                                          : ends_of(flat);
    if (!std::isfinite(low) || !std::isfinite(high))
      raise(ErrorKind::runtime, "torch.histogramdd: dimension 0's range [{}, {}] is not finite", low, high);
    if (low > high)
      raise(ErrorKind::runtime, "torch.histogramdd: min should not exceed max, but got min {} max {} for dimension 0", low, high);
    if (low == high) low -= 0.5, high += 0.5;
    edges = numbers_between(real_number(low), real_number(high), count + 1, true, array.dtype(), array.device());
  }
  if (weights) real = as_type(raveled(untaped(*weights), Order::c), DType::float64);
  std::pair<Array, Array> out = with_edges(counts_between(flat, edges, weights ? &real : nullptr), edges, density);
  out.first = as_type(out.first, array.dtype());
  return out;
}

// Keras's: both in the type of the elements, which are real; the edges of even bins have a derivative.
std::pair<Array, Array> histogram_of_reals(const Array& array, const Bins& bins, const Limits& limits) {
  auto [counts, edges] = histogram_in(untaped(array), bins, limits, false, nullptr);
  counts = as_type(counts, array.dtype()), edges = as_type(edges, array.dtype());
  if (limits.both || bins.edges || array.size() == 0 || !wants_gradient(array)) return {counts, edges};
  const Array flat = raveled(array, Order::c);
  const Array low = reduced(Reduction::minimum, flat, -1, true), high = reduced(Reduction::maximum, flat, -1, true);
  const Array parts = evenly_spaced(real_number(0), real_number(1.0 / static_cast<double>(bins.count)), bins.count + 1,
                                    array.dtype(), array.device());
  const Array between = add(low, multiply(subtract(high, low), parts));
  // Where all elements are equal the edges are set around them.
  return {counts, where(equal(low, high), edges, between)};
}

// Only the counts; without limits from the least to the greatest element.
Array histc(const Array& array, int64_t bins, double low, double high) {
  if (is_complex(array.dtype())) raise(ErrorKind::type, "histc not implemented for {}", torch_name_of(array.dtype()));
  if (row(array.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"histogram_cpu\" not implemented for '{}'", torch_name_of(array.dtype()));
  if (bins <= 0) raise(ErrorKind::runtime, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins);
  Array flat = raveled(untaped(array), Order::c);
  if (low == high && flat.size() > 0) std::tie(low, high) = ends_of(flat);
  if (!std::isfinite(low) || !std::isfinite(high))
    raise(ErrorKind::runtime, "torch.histc: range of [{}, {}] is not finite", low, high);
  if (low > high) raise(ErrorKind::runtime, "torch.histc: max must be larger than min");
  if (low == high) low -= 1, high += 1;
  Array inside = logical_and(greater_equal(flat, low), less_equal(flat, high));
  Array place = floor(multiply(subtract(flat, low), static_cast<double>(bins) / (high - low)));
  place = minimum(astype(where(inside, place, -1.0), DType::int64), bins - 1);
  return as_type(counts_of(place, nullptr, bins), array.dtype());
}

}  // namespace quern
