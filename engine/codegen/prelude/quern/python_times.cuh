// datetime64 and timedelta64 of kernels written in Python: integers of 64 bits, of which the lowest is NaT. The compiler has both sides of
// an operation in one unit: see python/quern/kernel/times.py.
#pragma once

extern "C++" {
namespace quern {
namespace py {
namespace times {

constexpr long long nat = -9223372036854775807LL - 1;

__QUERN_DEVICE bool is_nat(long long a) { return a == nat; }

// ---- units

__QUERN_DEVICE long long scaled(long long a, long long factor) { return a == nat ? nat : op::multiply(a, factor); }
// The day that a month begins with, both counted from 1970.
__QUERN_DEVICE long long day_of_month(long long months) {
  if (months == nat) return nat;
  const long long year = op::floor_divide(months, 12LL) + 1970, month = op::remainder(months, 12LL);
  const long long shifted = month < 2 ? year - 1 : year;  // years begin with March, so that a leap day is a year's last one
  const long long era = op::floor_divide(shifted, 400LL), in_era = shifted - era * 400;
  const long long day = (153 * ((month + 10) % 12) + 2) / 5;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + day - 719468;
}
__QUERN_DEVICE long long month_of_day(long long days) {
  if (days == nat) return nat;
  const long long shifted = days + 719468, era = op::floor_divide(shifted, 146097LL), in_era = shifted - era * 146097;
  const long long year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const long long month = (5 * (in_era - (365 * year + year / 4 - year / 100)) + 2) / 153;  // 0: March
  return (era * 400 + year - 1970) * 12 + month + 2;
}

// ---- arithmetic

__QUERN_DEVICE long long sum(long long a, long long b) { return a == nat || b == nat ? nat : op::add(a, b); }
__QUERN_DEVICE long long difference(long long a, long long b) { return a == nat || b == nat ? nat : op::subtract(a, b); }
__QUERN_DEVICE long long whole(double x) {
  return x - x == 0.0 && x < 9223372036854775808.0 && x > -9223372036854775808.0 ? static_cast<long long>(x) : nat;
}
__QUERN_DEVICE long long product(long long a, long long b) { return a == nat ? nat : op::multiply(a, b); }
__QUERN_DEVICE long long product(long long a, double b) { return a == nat ? nat : whole(static_cast<double>(a) * b); }
__QUERN_DEVICE long long quotient(long long a, long long b) { return a == nat || b == 0 ? nat : b == -1 ? -a : a / b; }
__QUERN_DEVICE long long quotient(long long a, double b) { return a == nat || b == 0.0 ? nat : whole(static_cast<double>(a) / b); }
__QUERN_DEVICE long long floor_quotient(long long a, long long b) { return a == nat || b == 0 ? nat : op::floor_divide(a, b); }
// Of two timedeltas.
__QUERN_DEVICE double ratio(long long a, long long b) {
  return a == nat || b == nat ? static_cast<double>(__uint_as_float(0x7fc00000u)) : static_cast<double>(a) / static_cast<double>(b);
}
__QUERN_DEVICE long long floor_ratio(long long a, long long b) {
  return a == nat || b == nat || b == 0 ? 0 : op::floor_divide(a, b);
}
__QUERN_DEVICE long long remainder(long long a, long long b) {
  return a == nat || b == nat || b == 0 ? nat : op::remainder(a, b);
}

// ---- comparisons: nothing is equal to NaT, less or greater

__QUERN_DEVICE bool equal(long long a, long long b) { return a == b && a != nat; }
__QUERN_DEVICE bool less(long long a, long long b) { return a < b && a != nat && b != nat; }
__QUERN_DEVICE bool less_equal(long long a, long long b) { return a <= b && a != nat && b != nat; }
__QUERN_DEVICE long long least(long long a, long long b) { return a == nat || b == nat ? nat : a < b ? a : b; }
__QUERN_DEVICE long long greatest(long long a, long long b) { return a == nat || b == nat ? nat : a > b ? a : b; }
__QUERN_DEVICE long long fmin(long long a, long long b) { return a == nat ? b : b == nat ? a : least(a, b); }
__QUERN_DEVICE long long fmax(long long a, long long b) { return a == nat ? b : b == nat ? a : greatest(a, b); }

}  // namespace times
}  // namespace py
}  // namespace quern
}
