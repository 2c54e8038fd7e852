#include "functions/ranges.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "functions/shaping.h"
#include "functions/steps.h"

namespace quern {

using namespace steps;

namespace {

double real_of(const Scalar& number) {
  if (number.kind == WeakScalar::real || number.is_huge) return number.re;
  return number.is_natural ? static_cast<double>(number.natural) : static_cast<double>(number.integer);
}

// As the type of the work computes it. Float64 needs no arrays, whose values are read: a profile counts that as copies.
Scalar computed_in(DType work, Op op, const Scalar& a, const Scalar& b) {
  if (work != DType::float64)
    return scalar_in(compute(op, full({}, a, work, DeviceId::cpu()), full({}, b, work, DeviceId::cpu())));
  return real_number(op == Op::subtract ? real_of(a) - real_of(b) : real_of(a) / real_of(b));
}

}  // namespace

Array numbers_between(const Scalar& start, const Scalar& stop, int64_t count, bool endpoint, DType dtype, DeviceId device,
                      DType work) {
  if (count < 0) raise(ErrorKind::value, "[linspace] Number of samples, {}, must be non-negative.", count);
  int64_t parts = endpoint ? count - 1 : count;
  Array out = as_type(arange(count, device), work);
  auto apply = [&](Op op, const Scalar& by) {
    Argument both[] = {Argument(out), Argument(by)};
    elementwise(op, both, &out);  // in place: in the type of the work
  };
  if (parts > 0) {
    const Scalar delta = computed_in(work, Op::subtract, stop, start),
                 step = computed_in(work, Op::true_divide, delta, whole(parts));
    if (step.re != 0) {
      apply(Op::multiply, step);
    } else {  // too small for the type
      apply(Op::true_divide, whole(parts));
      apply(Op::multiply, delta);
    }
  }
  apply(Op::add, start);  // what is not divided is one zero, or nothing
  if (endpoint && parts > 0) assign(element(out, 0, parts), Argument(stop));
  return as_type(is_integer(dtype) ? floor(out) : out, dtype);
}

Array powers_between(double start, double stop, int64_t count, bool endpoint, double base, DType dtype, DeviceId device) {
  Array exponents = numbers_between(real_number(start), real_number(stop), count, endpoint, DType::float64, device);
  return as_type(power(base, exponents), dtype);
}

// ---- between arrays

namespace {

DeviceId device_of(const Ends& ends, const Spread& spread, const Argument* base = nullptr) {
  if (spread.device) return *spread.device;
  for (const Argument* one : {&ends.start, &ends.stop, base})
    if (one && one->array()) return one->array()->device();
  bug("numbers are spread on no device");
}

// With axes of one element in front, as many as `rank`.
Array with_rank_in_front(Array array, size_t rank) {
  while (array.rank() < rank) array = expand_dims(array, 0);
  return array;
}

// An end as an array of the type that is computed in.
Array end_of(const Argument& end, DType work, DeviceId device, size_t rank) {
  const Array made = end.array() ? as_type(*end.array(), work) : full({}, end.scalar(), work, device);
  return with_rank_in_front(made, rank);
}

// Which of them each number is, along the first axis of `rank`.
Array places_of(int64_t count, size_t rank, DeviceId device) {
  Shape shape(rank, 1);
  shape[0] = count;
  return reshaped(arange(count, device), shape, Order::c);
}

struct Line {
  Array numbers, step;  // along the first axis
};
Line line_between(const Array& first, const Array& last, const Ends& ends) {
  if (ends.count < 0) raise(ErrorKind::value, "Number of samples, {}, must be non-negative.", ends.count);
  const Array width = subtract(last, first);
  const Array places = places_of(ends.count, width.rank() + 1, first.device()), numbers = as_type(places, ends.work);
  const int64_t parts = ends.endpoint ? ends.count - 1 : ends.count;
  if (parts <= 0) {
    const Array none = full({}, real_number(std::numeric_limits<double>::quiet_NaN()), ends.work, first.device());
    return {add(multiply(numbers, width), first), none};
  }
  const Array step = true_divide(width, parts);
  // A step that is too small for the type is 0.
  const Array divided = multiply(true_divide(numbers, parts), width);
  const Array stepped = where(equal(step, 0), divided, multiply(numbers, step));
  const Array made = add(stepped, first);
  return {ends.endpoint ? where(equal(places, parts), last, made) : made, step};
}

Array along(const Array& line, int64_t axis) {
  return moveaxis(line, 0, static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(line.rank()) : axis));
}

Scalar without_fraction(const Argument& number) {
  return number.scalar().kind == WeakScalar::real ? whole(static_cast<int64_t>(number.scalar().re)) : number.scalar();
}

}  // namespace

size_t rank_of_spread(const Ends& ends, const Argument* base) {
  size_t rank = 0;
  for (const Argument* one : {&ends.start, &ends.stop, base})
    if (one && one->array()) rank = std::max(rank, one->array()->rank());
  return rank + 1;
}

NumbersAndStep evenly_spread(const Ends& ends, bool has_step, const Spread& spread) {
  const DType type = spread.dtype.value_or(ends.type);
  const DeviceId device = device_of(ends, spread);
  if (!ends.start.array() && !ends.stop.array() && !is_complex(ends.work)) {
    const bool cuts = ends.become_whole && is_whole(type);
    const Scalar start = cuts ? without_fraction(ends.start) : ends.start.scalar();
    const Scalar stop = cuts ? without_fraction(ends.stop) : ends.stop.scalar();
    const int64_t parts = ends.endpoint ? ends.count - 1 : ends.count;
    const double none = std::numeric_limits<double>::quiet_NaN();
    // PyTorch cuts the numbers between, too, where NumPy rounds them down.
    const Array made = numbers_between(start, stop, ends.count, ends.endpoint, cuts ? ends.work : type, device, ends.work);
    return {as_type(made, type), has_step, parts > 0 ? (real_of(stop) - real_of(start)) / static_cast<double>(parts) : none};
  }
  const Array first = end_of(ends.start, ends.work, device, 0), last = end_of(ends.stop, ends.work, device, 0);
  Line line = line_between(first, last, ends);
  Array out = along(line.numbers, spread.axis);
  if (is_integer(type)) out = floor(out);
  return {as_type(out, type), has_step, 0, line.step};
}

// The powers of `base` with evenly spread exponents.
Array powers_spread(const Ends& ends, const Argument& base, const Spread& spread) {
  const DType type = spread.dtype.value_or(ends.type);
  const DeviceId device = device_of(ends, spread, &base);
  const size_t rank = rank_of_spread(ends, &base) - 1;
  const bool cuts = ends.become_whole && is_whole(type);
  const Argument start = cuts ? Argument(without_fraction(ends.start)) : ends.start;
  const Argument stop = cuts ? Argument(without_fraction(ends.stop)) : ends.stop;
  const Array first = end_of(start, ends.work, device, rank), last = end_of(stop, ends.work, device, rank);
  const Array exponents = along(line_between(first, last, ends).numbers, spread.axis);
  if (!base.array()) return as_type(power(base, exponents), type);
  const auto axis = static_cast<size_t>(spread.axis < 0 ? spread.axis + static_cast<int64_t>(rank) + 1 : spread.axis);
  const Array bases = expand_dims(with_rank_in_front(*base.array(), rank), axis);
  const Array made = power(bases, exponents);
  if (ends.work == ends.type) return as_type(made, spread.dtype.value_or(made.dtype()));
  return as_type(made, is_whole(bases.dtype()) ? type : spread.dtype.value_or(common(type, bases.dtype())));
}

// Each the same multiple of the one before. Raises ErrorKind::value for an end of zero.
Array multiples_spread(const Ends& ends, const Spread& spread) {
  const DeviceId device = device_of(ends, spread);
  const DType type = spread.dtype.value_or(ends.type), work = is_whole(type) ? ends.work : common(ends.work, type);
  Ends exponents = ends;
  exponents.work = work;
  const Array first = end_of(ends.start, work, device, 0), last = end_of(ends.stop, work, device, 0);
  for (const Array* one : {&first, &last}) {
    const Array zeros = equal(*one, 0);
    const std::vector<bool> all(zeros.rank(), true);
    if (scalar_in(reduce(Reduction::any, zeros, all, false)).integer != 0)
      raise(ErrorKind::value, "Geometric sequence cannot include zero");
  }
  // Turned until the first is above 0: real ends may be negative, complex ones keep parts of 0.
  const Array turn = is_complex(work) ? true_divide(first, absolute(first)) : sign(first);
  const Array from = true_divide(first, turn), to = true_divide(last, turn);
  const Line line = line_between(log10(from), log10(to), exponents);
  Array made = power(10.0, line.numbers);
  const Array places = places_of(ends.count, made.rank(), device);
  made = where(equal(places, 0), from, made);
  if (ends.endpoint && ends.count > 1) made = where(equal(places, ends.count - 1), to, made);
  return as_type(along(multiply(made, turn), spread.axis), type);
}

}  // namespace quern
