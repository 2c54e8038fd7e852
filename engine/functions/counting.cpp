#include "functions/counting.h"

#include "core/error.h"
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

// The place is computed; rounding may have put it beside the right one, which the edges tell.
Array counts_in_even_bins(const Array& elements, const Array& edges, const EvenBins& bins, const Array* weights) {
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

Array histogram_counts(const Array& array, const Array& edges, const EvenBins* even, const Array* weights, bool density) {
  if (is_complex(array.dtype()) || (weights && is_complex(weights->dtype())))
    raise(ErrorKind::type, "[histogram] complex numbers have no order and make no counts; take their real parts");
  if (weights && weights->shape() != array.shape())
    raise(ErrorKind::value, "[histogram] weights should have the same shape as a");
  Array elements = raveled(array, Order::c), flat = weights ? raveled(*weights, Order::c) : Array();
  if (elements.dtype() == DType::boolean) elements = astype(elements, DType::uint8);
  const Array* given = weights ? &flat : nullptr;
  Array counts = even ? counts_in_even_bins(elements, edges, *even, given) : counts_between(elements, edges, given);
  if (!density) return counts;
  int64_t n = std::max<int64_t>(edges.size(), 1);
  Op op = edges.dtype() == DType::boolean ? Op::not_equal : Op::subtract;
  Array widths = as_type(compute(op, part(edges, 0, 1, n), part(edges, 0, 0, n - 1)), DType::float64);
  return compute(Op::true_divide, compute(Op::true_divide, counts, widths), sum(counts, all_axes(counts)));
}

}  // namespace quern
