#include "functions/reductions.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "functions/activations.h"
#include "functions/steps.h"
#include "graph/tape.h"

namespace quern {

using namespace steps;

namespace {

struct Row {
  Reduction reduction;
  Op op;                        // puts two values together
  std::optional<bool> neutral;  // what elements count as that are left out
  bool is_test;
};
constexpr Row rows[] = {
    {Reduction::sum, Op::add, false, false},       {Reduction::product, Op::multiply, true, false},
    {Reduction::maximum, Op::maximum, {}, false},  {Reduction::minimum, Op::minimum, {}, false},
    {Reduction::any, Op::logical_or, false, true}, {Reduction::all, Op::logical_and, true, true},
};
const Row& row_of(Reduction reduction) {
  return *std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.reduction == reduction; });
}

DType type_of(const Row& row, const Array& array, const Over& over) {
  return row.is_test ? DType::boolean : over.dtype.value_or(array.dtype());
}

// With what counts for nothing where elements are left out.
Array chosen(const Array& array, const Row& row, const Over& over, const Array* start) {
  Array a = as_type(array, type_of(row, array, over));
  if (!row.neutral) return where(*over.where, a, *start);
  return where(*over.where, a, full({}, whole(*row.neutral), a.dtype(), a.device()));
}

// Raises where there is nothing to start with.
void check_start(const Row& row, const Array& array, const Over& over, const Initial& initial) {
  if (initial.value || (row.neutral && !initial.is_none)) return;
  if (over.where)
    raise(ErrorKind::value,
          "reduction operation '{}' does not have an identity, so to use a where mask one has to specify 'initial'",
          name_of(row.op));
  if (initial.is_none && count_over(array, over) == 0)
    raise(ErrorKind::value, "zero-size array to reduction operation {} which has no identity", name_of(row.op));
}

// The type in which means are computed: 16 bits hold neither sums nor counts of many elements.
DType averaging_type(DType type) {
  if (is_whole(type)) return DType::float64;
  return type == DType::float16 || type == DType::bfloat16 ? DType::float32 : type;
}

// `total` divided by how many elements it is made of, less some; in the type of the total.
Array divided(const Array& total, const Array& array, const Over& over, double less) {
  if (!over.where) {
    auto count = static_cast<double>(count_over(array, over));
    Array wide = as_type(total, averaging_type(total.dtype()));
    return laid_as(as_type(true_divide(wide, std::max(count - less, 0.0)), total.dtype()), total);
  }
  Array all = over.where->view(over.where->layout().broadcast_to(array.shape()));
  Array count = reduce(Reduction::sum, all, over.axes, over.keep_dims, DType::int64);
  if (less != 0) count = maximum(subtract(count, less), 0);
  return laid_as(as_type(true_divide(total, count), total.dtype()), total);
}

}  // namespace

Over all_axes(const Array& array) { return {std::vector<bool>(array.rank(), true)}; }
Over last_axis(const Array& array, bool keep_dims) {
  Over over{std::vector<bool>(array.rank(), false), keep_dims};
  over.axes.back() = true;
  return over;
}

Shape shape_over(const Array& array, const Over& over) {
  Shape out;
  for (size_t n = 0; n < array.rank(); ++n) {
    bool goes = n < over.axes.size() && over.axes[n];
    if (!goes || over.keep_dims) out.push_back(goes ? 1 : array.shape()[n]);
  }
  return out;
}

int64_t count_over(const Array& array, const Over& over) {
  int64_t count = 1;
  for (size_t n = 0; n < over.axes.size(); ++n) count *= over.axes[n] ? array.shape()[n] : 1;
  return count;
}

DType summed_type(DType type) {
  switch (row(type).kind) {
    case DTypeKind::boolean:
    case DTypeKind::integer:
      return DType::int64;
    case DTypeKind::natural:
      return DType::uint64;
    default:
      return type;
  }
}

Array reduced(Reduction reduction, const Array& array, const Over& over, const Initial& initial) {
  if (!over.where && !initial.value && !initial.is_none) return reduce(reduction, array, over.axes, over.keep_dims, over.dtype);
  const Row& row = row_of(reduction);
  check_start(row, array, over, initial);
  if (!initial.value) {
    Array a = over.where ? chosen(array, row, over, nullptr) : array;
    return reduce(reduction, a, over.axes, over.keep_dims, over.dtype);
  }
  const DType type = type_of(row, array, over);
  bool is_empty = !row.neutral && count_over(array, over) == 0;
  Array start = full(is_empty ? shape_over(array, over) : Shape{}, Scalar{}, type, array.device());
  assign(start, *initial.value);
  if (is_empty) return start;
  Array a = over.where ? chosen(array, row, over, &start) : array;
  return compute(row.op, reduce(reduction, a, over.axes, over.keep_dims, over.dtype), start);
}

Array sum(const Array& array, Over over, const Initial& initial) {
  if (!over.dtype) over.dtype = summed_type(array.dtype());
  return reduced(Reduction::sum, array, over, initial);
}

Array product(const Array& array, Over over, const Initial& initial) {
  if (!over.dtype) over.dtype = summed_type(array.dtype());
  return reduced(Reduction::product, array, over, initial);
}

Array largest(const Array& array, const Over& over, const Initial& initial) {
  return reduced(Reduction::maximum, array, over, initial);
}
Array smallest(const Array& array, const Over& over, const Initial& initial) {
  return reduced(Reduction::minimum, array, over, initial);
}
Array any_true(const Array& array, const Over& over, const Initial& initial) {
  return reduced(Reduction::any, array, over, initial);
}
Array all_true(const Array& array, const Over& over, const Initial& initial) {
  return reduced(Reduction::all, array, over, initial);
}

Array mean(const Array& array, Counted over) {
  DType type = array.dtype(), wide = averaging_type(type), result = over.dtype.value_or(is_whole(type) ? wide : type);
  if (!over.dtype) over.dtype = wide;
  const Array total = reduced(Reduction::sum, array, over);
  set_gradient_apart(total);
  return as_type(divided(total, array, over, 0), result);
}

// Reals of 16 bits: squares of what they hold are beyond their range.
static bool averages_wider(const Array& array, const Over& over) {
  return !over.dtype && !is_whole(array.dtype()) && averaging_type(array.dtype()) != array.dtype();
}

Array variance(const Array& given, const Counted& over, double ddof, const Argument* center) {
  const bool is_short = averages_wider(given, over);
  Array array = is_short ? astype(given, averaging_type(given.dtype())) : given, middle;
  std::optional<Argument> own;
  if (!center) {
    Over kept = over;
    kept.keep_dims = true;
    middle = mean(array, std::move(kept));
    center = &own.emplace(middle);
  }
  // The mean of integers may be given as an integer; the squares of what is left are divided all the same.
  if (is_whole(array.dtype()) && is_whole(center->type().dtype)) array = astype(array, over.dtype.value_or(DType::float64));
  Array far = subtract(array, *center);
  if (far.shape() != array.shape())
    raise(ErrorKind::value, "[var] a mean of shape {} does not broadcast to the array's shape {}", to_string(center->shape()),
          to_string(array.shape()));
  Array squares = multiply(far, is_complex(far.dtype()) ? conjugate(far) : far);
  if (is_complex(squares.dtype())) squares = squares.real();
  Array out = divided(sum(squares, over), array, over, ddof);
  return is_short ? astype(out, given.dtype()) : out;
}

// Where all elements are equal its derivative is 0, not infinite.
static Array root_of(const Array& square, const Array& root) {
  if (!GradientMode::is_on() || !wants_gradient(square)) return laid_as(root, square);
  if (WithSlopes::now() == Slopes::tensorflow) return sqrt(square);
  return recorded_as(SmoothValue::root, square, root);
}

// The root of the variance. That of 32-bit numbers is computed in 64 bits: it may be within a range that the variance is beyond.
static Array root_of_variance(const Array& square, const Array& array, const Counted& over, double ddof, const Argument* center) {
  GradientMode off(false);
  if (over.dtype || is_whole(array.dtype()) || square.dtype() != DType::float32) return sqrt(detached(square));
  const DType wide = is_complex(array.dtype()) ? DType::complex128 : DType::float64;
  return astype(sqrt(variance(astype(detached(array), wide), over, ddof, center)), square.dtype());
}

Array deviation(const Array& array, const Counted& over, double ddof, const Argument* center) {
  if (averages_wider(array, over))
    return astype(deviation(astype(array, averaging_type(array.dtype())), over, ddof, center), array.dtype());
  const Array square = variance(array, over, ddof, center);
  Array root = root_of(square, root_of_variance(square, array, over, ddof, center));
  if (!over.dtype || !is_whole(*over.dtype)) return root;
  // NumPy writes roots into the integers of the variances, which only those without dimensions can be.
  if (root.rank() > 0)
    raise(ErrorKind::type, "Cannot cast ufunc 'sqrt' output from dtype('float64') to dtype('{}') with casting rule 'same_kind'",
          row(*over.dtype).name);
  return as_type(root, *over.dtype);
}

std::vector<Array> variance_and_mean(const Array& array, const Counted& over, double ddof) {
  Over kept = over;
  kept.keep_dims = true;
  Array middle = mean(array, std::move(kept));
  Argument center(middle);
  Array square = variance(array, over, ddof, &center);
  return {square, over.keep_dims ? middle : reshape(middle, square.shape())};
}
std::vector<Array> deviation_and_mean(const Array& array, const Counted& over, double ddof) {
  if (averages_wider(array, over)) {
    std::vector<Array> wide = deviation_and_mean(astype(array, averaging_type(array.dtype())), over, ddof);
    return {astype(wide[0], array.dtype()), astype(wide[1], array.dtype())};
  }
  std::vector<Array> both = variance_and_mean(array, over, ddof);
  return {root_of(both[0], root_of_variance(both[0], array, over, ddof, nullptr)), both[1]};
}

Array spread(const Array& array, const Over& over) {
  return subtract(reduced(Reduction::maximum, array, over), reduced(Reduction::minimum, array, over));
}

// {smallest, largest}, along one axis or of all elements.
std::pair<Array, Array> both_extremes(const Array& array, std::optional<size_t> axis, bool keep_dims) {
  Over over{std::vector<bool>(array.rank(), !axis), keep_dims};
  if (axis && array.rank() > 0) over.axes[*axis] = true;
  return {smallest(array, over), largest(array, over)};
}

// The logarithm of the sum of the exponentials, without overflow; -infinity of nothing.
Array log_of_exponentials(const Array& given, const Over& over) {
  Array array = over.dtype ? as_type(given, *over.dtype) : given, x = detached(array);
  Over kept{over.axes, true};
  Initial least;
  Scalar nothing = real_number(-std::numeric_limits<double>::infinity());
  least.value.emplace(nothing);
  Array top = largest(is_complex(x.dtype()) ? x.real() : x, kept, least);
  top = where(isinf(top), real_number(0), top);
  Array sums = sum(exp(subtract(x, top)), kept);
  std::vector<size_t> gone;
  for (size_t d = 0; d < over.axes.size() && !over.keep_dims; ++d)
    if (over.axes[d]) gone.push_back(d);
  return log_sum_exp(array, add(log(sums), top), gone);
}

Array limited(const Array& array, const Scalar& low, const Scalar& high) { return minimum(maximum(array, low), high); }

}  // namespace quern
