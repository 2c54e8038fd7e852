#include "functions/draws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "run/calls/random.h"

namespace quern::random {

using namespace steps;

template <class F>
static Value both(Op op, const Value& a, const Value& b, F&& of_numbers) {
  if (!a.array && !b.array) return Value(of_numbers(a.number, b.number));
  return Value(compute(op, a.argument(), b.argument()));
}
Value operator+(const Value& a, const Value& b) {
  return both(Op::add, a, b, [](double x, double y) { return x + y; });
}
Value operator-(const Value& a, const Value& b) {
  return both(Op::subtract, a, b, [](double x, double y) { return x - y; });
}
Value operator*(const Value& a, const Value& b) {
  return both(Op::multiply, a, b, [](double x, double y) { return x * y; });
}
Value operator/(const Value& a, const Value& b) {
  return both(Op::true_divide, a, b, [](double x, double y) { return x / y; });
}
Value operator-(const Value& a) { return a.array ? Value(negative(*a.array)) : Value(-a.number); }
Value of(Op op, const Value& a) { return Value(compute(op, a.argument())); }
Value of(Op op, const Value& a, const Value& b) { return Value(compute(op, a.argument(), b.argument())); }
Value where(const Value& condition, const Value& a, const Value& b) {
  return Value(compute(Op::where, *condition.array, a.argument(), b.argument()));
}

Array as_asked(const Value& value, const Size& size) { return as_type(*value.array, size.real()); }
Array as_whole(const Value& value, const Size& size) {
  return as_type(as_type(*value.array, DType::int64), size.type.value_or(DType::int64));
}
Array in_loop(Op op, DType type, DType result, std::initializer_list<Argument> operands) {
  return elementwise(op, {operands.begin(), operands.size()}, nullptr, Loop{type, result});
}

// ---- what is no distribution

bool is_true_somewhere(const Array& condition) {
  return scalar_in(reduce(Reduction::any, condition, std::vector<bool>(condition.rank(), true), false)).integer != 0;
}
bool is_somewhere(const Value& value, Op op, double limit) {
  if (value.array) return is_true_somewhere(compute(op, *value.array, limit));
  const double x = value.number;
  return op == Op::less ? x < limit : op == Op::less_equal ? x <= limit : op == Op::greater ? x > limit : x >= limit;
}
bool is_nan_somewhere(const Value& value) {
  return value.array ? is_true_somewhere(isnan(*value.array)) : std::isnan(value.number);
}

static bool is_negative_somewhere(const Parameter& value) {
  if (!value.array) return std::signbit(value.number) && !std::isnan(value.number);
  return is_true_somewhere(logical_and(less_equal(*value.array, 0), signbit(*value.array)));
}
void check_not_negative(const char* name, const Parameter& value) {
  if (is_negative_somewhere(value)) raise(ErrorKind::value, "{} < 0; it must not be negative", name);
}
void check_positive(const char* name, const Parameter& value) {
  if (is_somewhere(value, Op::less_equal, 0)) raise(ErrorKind::value, "{} <= 0; it must be above 0", name);
}
void check_no_negative_size(const Shape& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 0; }))
    raise(ErrorKind::value, "negative dimensions are not allowed");
}

std::pair<int64_t, uint64_t> range_of(DType type) {
  if (type == DType::boolean) return {0, 1};
  const size_t bits = 8 * size_of(type);
  switch (row(type).kind) {
    case DTypeKind::integer:
      return {std::numeric_limits<int64_t>::min() >> (64 - bits), std::numeric_limits<int64_t>::max() >> (64 - bits)};
    case DTypeKind::natural:
      return {0, std::numeric_limits<uint64_t>::max() >> (64 - bits)};
    default: {
      const int digits = type == DType::float64 ? 53 : type == DType::float32 ? 24 : type == DType::float16 ? 11 : 8;
      return {-(int64_t{1} << digits), uint64_t{1} << digits};
    }
  }
}

// ---- draws

Draws::Draws(const Stream& stream, const Size& size, std::initializer_list<const Parameter*> parameters)
    : stream_(stream), device_(size.device) {
  std::vector<Shape> shapes;
  for (const Parameter* one : parameters) {
    if (!one->array) continue;
    if (shapes.empty()) device_ = one->array->device();
    shapes.push_back(one->array->shape());
  }
  const Shape together = broadcast_shapes(shapes);
  shape_ = size.shape.value_or(together);
  check_no_negative_size(shape_);
  if (!size.shape || shapes.empty()) return;
  shapes.push_back(shape_);
  if (together.size() > shape_.size() || broadcast_shapes(shapes) != shape_)
    raise(ErrorKind::value, "Output size {} is not compatible with broadcast dimensions of inputs {}.", to_string(shape_),
          to_string(together));
}

Value Draws::unit(DType type) const {
  return in_loop(type == DType::float32 ? Op::random_unit32 : Op::random_unit, DType::uint64, type, {bits()});
}
Value Draws::normal(DType type) const { return row(type == DType::float32 ? Op::random_normal32 : Op::random_normal, type); }

Value Draws::seeded(Op op, std::initializer_list<Value> parameters) const {
  const Array seeds = bits();
  std::vector<Argument> operands{seeds};
  for (const Value& one : parameters) operands.push_back(one.argument());
  return elementwise(op, operands, nullptr, Loop{DType::float64, DType::float64});
}

Array Draws::below(uint64_t count) const {
  Scalar end = whole(static_cast<int64_t>(count));
  end.is_natural = count >> 63, end.natural = count;
  return in_loop(Op::random_below, DType::uint64, DType::uint64, {bits(), end});
}

Value Draws::there(const Parameter& x) const {
  return x.array ? Value(x) : Value(full({}, real_number(x.number), DType::float64, device_));
}

Value Draws::inside(const Array& bits) {
  const Value unit = in_loop(Op::random_unit, DType::uint64, DType::float64, {bits});
  return (unit + std::ldexp(1.0, -54)) * (1 - std::ldexp(1.0, -53));
}

Value Draws::of_number(const Value& drawn, const Value& parameter) {
  if (!parameter.array) return std::isnan(parameter.number) ? drawn * parameter : drawn;
  return where(of(Op::isnan, parameter), parameter, drawn);
}

uint64_t Draws::take() const { return stream_.place.fetch_add(static_cast<uint64_t>(Layout::contiguous(shape_).size())); }
Array Draws::row(Op op, DType type) const { return random_row(op, shape_, stream_.key, take(), type, device_); }
Array Draws::of_turn(uint64_t turn, uint64_t first) const {
  return random_row(Op::random_bits, shape_, stream_.key + turn * 0x9E3779B97F4A7C15u, first, DType::uint64, device_);
}

}  // namespace quern::random
