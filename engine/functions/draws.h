// What distributions of random numbers are made of: parameters and draws as operands of formulas, which are NumPy's operations in
// NumPy's order, what is no distribution, and the draws of one call. For the bodies of distributions.h and sampling.h alone.
#pragma once

#include <initializer_list>
#include <utility>

#include "functions/distributions.h"
#include "functions/steps.h"

namespace quern::random {

// A number or an array.
struct Value {
  double number = 0;
  std::optional<Array> array{};
  Value(double value) : number(value) {}
  Value(const Array& value) : array(value) {}
  Value(const Parameter& value) : number(value.number), array(value.array) {}
  Argument argument() const { return array ? Argument(*array) : Argument(steps::real_number(number)); }
};
Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value operator-(const Value& a);
Value of(Op op, const Value& a);
Value of(Op op, const Value& a, const Value& b);
Value where(const Value& condition, const Value& a, const Value& b);
inline Value log(const Value& a) { return of(Op::log, a); }
inline Value sqrt(const Value& a) { return of(Op::sqrt, a); }

// In the type that was asked for: by default float64, or int64.
Array as_asked(const Value& value, const Size& size);
Array as_whole(const Value& value, const Size& size);
// With types of their own for the operation and its result.
Array in_loop(Op op, DType type, DType result, std::initializer_list<Argument> operands);

// ---- what is no distribution

bool is_true_somewhere(const Array& condition);
// Whether a parameter compares so with a limit; NaN does not.
bool is_somewhere(const Value& value, Op op, double limit);
bool is_nan_somewhere(const Value& value);
// Raise ErrorKind::value. -0.0 counts as negative, as in NumPy.
void check_not_negative(const char* name, const Parameter& value);
void check_positive(const char* name, const Parameter& value);
void check_no_negative_size(const Shape& shape);

// The least and the greatest integer that a type holds with all between them.
std::pair<int64_t, uint64_t> range_of(DType type);

// ---- draws

// Draws of one call: all of one shape, on one device, that of the first array among the parameters.
class Draws {
 public:
  Draws(const Stream& stream, const Size& size, std::initializer_list<const Parameter*> parameters);
  const Shape& shape() const { return shape_; }
  DeviceId device() const { return device_; }

  Value unit(DType type = DType::float64) const;                              // in [0, 1)
  Value open(DType type = DType::float64) const { return 1.0 - unit(type); }  // in (0, 1]
  Value inside() const { return inside(bits()); }                             // in (0, 1)
  Value normal(DType type = DType::float64) const;
  // Of a distribution that rejects.
  Value seeded(Op op, std::initializer_list<Value> parameters) const;
  // One of the first `count` integers, each as likely; 0 stands for all of 64 bits.
  Array below(uint64_t count) const;
  Array below(const Array& counts) const { return in_loop(Op::random_below, DType::uint64, DType::uint64, {bits(), counts}); }
  Array bits() const { return row(Op::random_bits, DType::uint64); }
  // A number as an array on the device, which computes with it.
  Value there(const Parameter& x) const;
  Value gamma(const Value& form) const { return of_number(seeded(Op::random_gamma, {form}), form); }
  Value poisson(const Value& mean) const { return of_number(seeded(Op::random_poisson, {mean}), mean); }
  // The logarithm, which is a number where the draw itself would round to 0: gamma(a) is gamma(a + 1) times a power of a unit.
  Value log_gamma(const Value& form) const { return log(gamma(form + 1.0)) + log(open()) / form; }

  // `attempt` takes so many arrays in (0, 1) and gives values and which of them are taken; repeated until all are. A round's
  // numbers come from each element's own places under the round's own key: who needs more rounds changes nothing for others.
  template <class Attempt>
  Value by_rejection(size_t numbers, Attempt&& attempt) const {
    std::vector<uint64_t> firsts;
    for (size_t n = 0; n < numbers; ++n) firsts.push_back(take());
    std::optional<Array> result, are_taken;
    for (uint64_t turn = 1; turn < 200; ++turn) {
      std::vector<Value> units;
      for (uint64_t first : firsts) units.push_back(inside(of_turn(turn, first)));
      const std::pair<Value, Value> made = attempt(units);
      result = result ? *where(*are_taken, *result, made.first).array : *made.first.array;
      are_taken = are_taken ? *of(Op::logical_or, *are_taken, made.second).array : *made.second.array;
      if (!is_true_somewhere(*of(Op::logical_not, *are_taken).array)) break;
    }
    return *result;
  }

 private:
  static Value inside(const Array& bits);
  // NaN where the parameter is.
  static Value of_number(const Value& drawn, const Value& parameter);
  uint64_t take() const;  // the place of the first of one number for each element
  Array row(Op op, DType type) const;
  Array of_turn(uint64_t turn, uint64_t first) const;

  const Stream& stream_;
  DeviceId device_;
  Shape shape_;
};

}  // namespace quern::random
