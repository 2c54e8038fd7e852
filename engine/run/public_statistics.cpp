// quern/statistics.h on operations of arrays and on run/calls/sorting.h.
#include "quern/statistics.h"

#include <cmath>

#include "run/calls/sorting.h"
#include "run/public_array.h"

namespace qn {

using namespace inside;

namespace {

Array added(const Array& a, const Axes& axes, bool keepdims) {
  return reduced(Reduction::sum, a, axes, keepdims, quern::summed_type(a.dtype()));
}

Array running(const char* op, const Array& a, std::optional<int> axis, std::optional<DType> dtype, Here here) {
  return asked(here, [&] {
    if (axis && a.handle().rank() == 0) checked_axis(*axis, 1);
    bool flat = !axis || a.handle().rank() == 0;
    Array all = flat ? a.ravel(here) : a;
    size_t n = flat ? 0 : checked_axis(*axis, a.handle().rank());
    DType type = dtype.value_or(quern::summed_type(a.dtype()));
    if (!quern::has_scan(op, type)) raise(ErrorKind::type, "[cumsum] running values of {} are not served", name_of(type));
    return from_last(wrap(quern::running(with_last(as_type(all, type), n).handle(), op)), n);
  });
}

// A number becomes an array of the type that it takes beside the other one.
Array beside(const Operand& x, const Operand& other) {
  if (x.array()) return *x.array();
  Scalar number = scalar_of(x);
  if (!other.array()) return made({}, number, default_type(number), Device());
  quern::OperandType types[] = {{other.array()->dtype()}, {DType::boolean, true, number.kind}};
  return made({}, number, quern::common_type(types), other.array()->device());
}

}  // namespace

Array var(const Array& a, const Axes& axes, double ddof, bool keepdims, Here here) {
  return asked(here, [&] {
    Array far = compute(Op::subtract, a, a.mean(axes, true, here));
    Array squares = quern::is_complex(far.dtype()) ? compute(Op::multiply, far, compute(Op::conjugate, far)).real(here)
                                                   : compute(Op::multiply, far, far);
    Array total = added(squares, axes, keepdims);
    double left = std::max(static_cast<double>(counted(a, axes)) - ddof, 0.0);
    return as_type(compute(Op::true_divide, total, left), total.dtype());
  });
}

Array std(const Array& a, const Axes& axes, double ddof, bool keepdims, Here here) {
  return asked(here, [&] { return compute(Op::sqrt, var(a, axes, ddof, keepdims, here)); });
}

Array ptp(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return asked(here, [&] { return compute(Op::subtract, a.max(axes, keepdims, here), a.min(axes, keepdims, here)); });
}

Array median(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return asked(here, [&] {
    Shape shape = a.shape();
    size_t gone = axis ? checked_axis(*axis, shape.size()) : 0;
    Array lines = axis ? with_last(a, gone) : a.ravel(here);
    size_t last = lines.handle().rank() - 1;
    int64_t n = lines.shape()[last];
    Array out;
    if (n == 0) {
      out = lines.mean(-1, false, here);
    } else {
      if (quern::is_complex(a.dtype())) raise(ErrorKind::type, "[median] complex numbers have no median; take their real parts");
      lines = wrap(quern::sorted(lines.handle(), false));
      out = cut(lines, last, (n - 1) / 2, n / 2 + 1).mean(-1, false, here);
      if (!is_integer_or_bool(a.dtype())) {
        Array greatest = view(lines, lines.handle().layout().without(last, n - 1));
        out = compute(Op::where, compute(Op::isnan, greatest), greatest, out);
      }
    }
    if (!keepdims) return out;
    if (axis) {
      shape[gone] = 1;
    } else {
      std::fill(shape.begin(), shape.end(), 1);
    }
    return out.reshape(shape, here);
  });
}

Array cumsum(const Array& a, std::optional<int> axis, std::optional<DType> dtype, Here here) {
  return running("add", a, axis, dtype, here);
}
Array cumprod(const Array& a, std::optional<int> axis, std::optional<DType> dtype, Here here) {
  return running("multiply", a, axis, dtype, here);
}

Array diff(const Array& a, int n, int axis, Here here) {
  return asked(here, [&] {
    if (n < 0) raise(ErrorKind::value, "[diff] the differences are taken {} times; it must be none or more", n);
    if (a.handle().rank() == 0) raise(ErrorKind::value, "[diff] the array has no axes");
    size_t along = checked_axis(axis, a.handle().rank());
    Array out = a;
    for (int i = 0; i < n; ++i)
      out = compute(a.dtype() == DType::boolean ? Op::not_equal : Op::subtract, cut(out, along, 1, {}), cut(out, along, {}, -1));
    return out;
  });
}

Array round(const Array& a, int decimals, Here here) {
  return asked(here, [&]() -> Array {
    if (quern::is_complex(a.dtype())) {
      Array out = a.copy(here);
      quern::assign(out.real(here).handle(), operand(round(a.real(here), decimals, here)));
      quern::assign(out.imag(here).handle(), operand(round(a.imag(here), decimals, here)));
      return out;
    }
    bool is_whole = quern::is_integer(a.dtype());
    if (is_whole && decimals >= 0) return a.copy(here);
    if (decimals == 0) return compute(Op::rint, a);
    if (a.dtype() == DType::boolean) raise(ErrorKind::type, "[round] bools have no decimals; convert them first");
    Array work = is_whole ? as_type(a, DType::float64) : a;
    double by = std::pow(10.0, std::abs(decimals));
    Op there = decimals > 0 ? Op::multiply : Op::true_divide, back = decimals > 0 ? Op::true_divide : Op::multiply;
    return as_type(compute(back, compute(Op::rint, compute(there, work, by)), by), a.dtype());
  });
}

Array isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return asked(a.here(), [&] {
    Array x = beside(a, b), y = beside(b, a);
    quern::OperandType types[] = {{y.dtype()}, {DType::boolean, true, WeakScalar::real}};
    y = as_type(y, quern::common_type(types));
    Array limit = compute(Op::add, compute(Op::multiply, compute(Op::absolute, y), rtol), atol);
    Array near = compute(Op::less_equal, compute(Op::absolute, compute(Op::subtract, x, y)), limit);
    near = compute(Op::bitwise_or, compute(Op::bitwise_and, near, compute(Op::isfinite, y)), compute(Op::equal, x, y));
    if (!equal_nan) return near;
    return compute(Op::bitwise_or, near, compute(Op::bitwise_and, compute(Op::isnan, x), compute(Op::isnan, y)));
  });
}

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return asked(a.here(), [&] { return bool(isclose(a, b, rtol, atol, equal_nan).all({}, false, a.here())); });
}

bool array_equal(const Array& a, const Array& b, Here here) {
  return asked(here, [&] { return a.shape() == b.shape() && bool(compute(Op::equal, a, b).all({}, false, here)); });
}

}  // namespace qn
