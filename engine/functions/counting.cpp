#include "functions/counting.h"

#include <cmath>

#include "core/error.h"
#include "functions/ranges.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
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
  Array keep =
      compute(Op::logical_and, compute(Op::greater_equal, elements, bins.first), compute(Op::less_equal, elements, bins.last));
  Array work = as_type(elements, edges.dtype());
  Array far = compute(Op::true_divide, compute(Op::subtract, work, bins.first), bins.width);
  Array place = astype(compute(Op::multiply, far, bins.count), DType::int64);
  place = compute(Op::minimum, compute(Op::maximum, place, 0), bins.count - 1);
  place = compute(Op::subtract, place, compute(Op::less, work, at(edges, place)));
  Array above = at(edges, compute(Op::minimum, compute(Op::maximum, compute(Op::add, place, 1), 0), bins.count));
  Array is_next =
      compute(Op::logical_and, compute(Op::greater_equal, work, above), compute(Op::not_equal, place, bins.count - 1));
  place = compute(Op::where, keep, compute(Op::add, place, is_next), -1);
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
  return compute(Op::subtract, part(found, 0, 1, n), part(found, 0, 0, n - 1));
}

}  // namespace

Array bincount(const Array& numbers, const Array* weights, int64_t least) {
  if (numbers.rank() != 1) raise(ErrorKind::value, "[bincount] the numbers have {} dimensions; give them one", numbers.rank());
  if (!is_whole(numbers.dtype()))
    raise(ErrorKind::type, "[bincount] Cannot cast array data from {} to int64 according to the rule 'safe'",
          row(numbers.dtype()).name);
  if (least < 0) raise(ErrorKind::value, "[bincount] 'minlength' must not be negative, as {} is", least);
  Array real;
  if (weights) {
    if (is_complex(weights->dtype()))
      raise(ErrorKind::type, "[bincount] Cannot cast the weights from {} to float64 according to the rule 'safe'",
            row(weights->dtype()).name);
    if (weights->shape() != numbers.shape())
      raise(ErrorKind::value, "[bincount] The weights and list don't have the same length.");
    real = as_type(*weights, DType::float64);
  }
  int64_t bins = least;
  if (numbers.size() > 0) {
    std::vector<Array> ends = {reduced(Reduction::minimum, numbers, -1, true), reduced(Reduction::maximum, numbers, -1, true)};
    std::vector<int64_t> found = values_of<int64_t>(joined(ends, 0));
    if (found[0] < 0) raise(ErrorKind::value, "[bincount] the numbers must have no negative elements");
    bins = std::max(bins, found[1] + 1);
  }
  return counts_of(numbers, weights ? &real : nullptr, bins);
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
Scalar moved(const Scalar& limit, double by) {
  return limit.is_weak ? real_number(real_of(limit) + by) : computed(Op::add, limit, real_number(by), limit.dtype);
}

void check_real(const Array& array, const Array* weights) {
  if (is_complex(array.dtype()) || (weights && is_complex(weights->dtype())))
    raise(ErrorKind::type, "[histogram] complex numbers have no order and make no counts; take their real parts");
  if (weights && weights->shape() != array.shape())
    raise(ErrorKind::value, "[histogram] weights should have the same shape as a");
}

Array elements_of(const Array& array) {
  Array flat = raveled(array, Order::c);
  return flat.dtype() == DType::boolean ? astype(flat, DType::uint8) : flat;
}

EvenBins even_bins(const Array& array, int64_t count, const Scalar* first, const Scalar* last) {
  check_real(array, nullptr);
  if (count < 1) raise(ErrorKind::value, "[histogram] there are {} bins; `bins` must be positive, when an integer", count);
  Array elements = elements_of(array);
  EvenBins out{first ? *first : whole(0), last ? *last : whole(1), {}, count, {}};
  if (!first && elements.size() > 0) {
    out.first = scalar_in(reduced(Reduction::minimum, elements));
    out.last = scalar_in(reduced(Reduction::maximum, elements));
  }
  double low = real_of(out.first), high = real_of(out.last);
  if (!std::isfinite(low) || !std::isfinite(high))
    raise(ErrorKind::value, "[histogram] the {} range of [{}, {}] is not finite", first ? "supplied" : "autodetected", low, high);
  if (low > high) raise(ErrorKind::value, "[histogram] the range of [{}, {}] falls; max must be larger than min", low, high);
  if (low == high) {  // nothing is divided by a width of zero
    out.first = moved(out.first, -0.5);
    out.last = moved(out.last, 0.5);
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
  return {compute(Op::true_divide, compute(Op::true_divide, counts, widths), sum(counts, all_axes(counts))), edges};
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

}  // namespace quern
