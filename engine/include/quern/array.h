// File: quern/array.h
//
// Arrays with NumPy's meaning: the same types, shapes, views, broadcasting and results as in Python, on the same engine.
//
//   qn::Array u = qn::zeros({200, 200});                 // float64, on the default device
//   u(0) = 100.0;                                        // the first row: a view is written to
//   qn::Array inside = u({1, -1}, {1, -1});              // u[1:-1, 1:-1]
//   inside += 0.1 * (u({{}, -2}, {1, -1}) - inside);     // seen through u
//   std::cout << u.sum().item<double>();                 // a look: now it is computed
//
// An operation is recorded, not run; a look (item, to_vector, copy_to, printing, `if`) computes what it needs, in few kernels.
// Shapes, types and numbers that do not fit throw quern::Error at once, on your line; what only the values can show (an index out
// of range, a matrix without an inverse) is thrown by a look, and names the line that recorded it. So do the trace and explain().
//
// An Array is a handle, as a name is in Python: copying one is cheap and means the same array.
//
//   b = a;                b is another name of the array a. Nothing is copied; what b named before stays as it is
//   a({0, 3}) = b;        what a call returned is written to: the elements of b go into that part of a
//   v = a({0, 3});        v is a name of that part of a: a view
//   v.assign(b);          writes into what v names; v = b would only give the name v to the array b
//   v += b;               writes into what v names
//   b = a.copy();         new elements
//   a(a < 0) = 0;         an array between the brackets picks elements; they are written to as a part is
//   p = a(a < 0);         but named, what was picked is an array of its own, with the values of this moment
//
// What has no axes because an operation took them, as a.sum(), is a number: s += 1 gives the name s another one.
//
// Like a pointer, a const Array keeps its name to itself and not its elements.
//
// Numbers beside an array take its type (float32 * 2.0 is float32) unless their kind is higher (int32 * 2.0 is float64); numbers
// that do not fit into it throw ErrorKind::overflow. / is a true division also of integers, % has the sign of the divisor, ==
// gives an array of bools. Only an array of one element can be a condition.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <ranges>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/device.h"
#include "quern/dtype.h"

namespace quern {
class Array;
}

namespace qn {

class Array;

using Shape = std::vector<int64_t>;  // {rows, columns}; {} is a single number

// The line that calls. Every function that can fail or record takes it as its last argument: leave it out.
using Here = std::source_location;

// What stands in an expression: an array or a number. You never name it; it knows the line it stands in.
class Operand {
 public:
  Operand(const Array& array, Here here = Here::current()) : array_(&array), here_(here) {}
  template <Number T>
  Operand(T number, Here here = Here::current()) : here_(here) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::boolean;
      integer_ = number;
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = std::is_signed_v<T> ? Kind::integer : Kind::natural;
      integer_ = static_cast<int64_t>(number);
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = Kind::real;
      re_ = static_cast<double>(number);
    } else {
      kind_ = Kind::complex;
      re_ = number.real();
      im_ = number.imag();
    }
  }

  enum class Kind : uint8_t { array, boolean, integer, natural, real, complex };
  Kind kind() const { return kind_; }
  const Array* array() const { return array_; }
  int64_t integer() const { return integer_; }  // a natural one's bits
  double re() const { return re_; }
  double im() const { return im_; }
  Here here() const { return here_; }

 private:
  const Array* array_ = nullptr;
  Kind kind_ = Kind::array;
  int64_t integer_ = 0;
  double re_ = 0, im_ = 0;
  Here here_;
};

// ---- parts of an array

// start, stop and step as in Python's start:stop:step. Negative ones count from the end, {} is the end itself, and what is out of
// range is cut off.
struct Slice {
  std::optional<int64_t> start = {}, stop = {};
  int64_t step = 1;
};

struct NewAxis {};
inline constexpr NewAxis newaxis;  // puts in an axis of one element
struct Ellipsis {};
inline constexpr Ellipsis ellipsis;  // all axes that are not named

// One place in an index: a(3), a({1, -1}), a({}, 0), a({{}, {}, 2}), a(qn::ellipsis, 0), a({}, qn::newaxis), a(a > 0), a(places).
class Index {
 public:
  enum class Kind : uint8_t { slice, integer, newaxis, ellipsis, array, absent };

  Index() = default;  // {}: the whole axis
  template <std::integral T>
    requires(!std::is_same_v<T, bool>)
  Index(T number) : kind_(Kind::integer), integer_(static_cast<int64_t>(number)) {}
  Index(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step = 1) : slice_{start, stop, step} {}
  Index(const Slice& slice) : slice_(slice) {}
  Index(NewAxis) : kind_(Kind::newaxis) {}
  Index(Ellipsis) : kind_(Kind::ellipsis) {}
  Index(const Array& array);  // integers or bools
  static Index absent() {
    Index out;
    out.kind_ = Kind::absent;
    return out;
  }

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }
  const Slice& slice() const { return slice_; }
  const Array& array() const { return *array_; }

 private:
  Kind kind_ = Kind::slice;
  int64_t integer_ = 0;
  Slice slice_;
  std::shared_ptr<const Array> array_;
};

// Which axes: 1, {0, -1}, or {} for all of them.
class Axes {
 public:
  Axes() = default;
  template <std::signed_integral T>
  Axes(T axis) : list_{static_cast<int>(axis)}, all_(false) {}
  Axes(std::initializer_list<int> axes) : list_(axes), all_(false) {}
  explicit Axes(std::vector<int> axes) : list_(std::move(axes)), all_(false) {}
  bool all() const { return all_; }
  const std::vector<int>& list() const { return list_; }

 private:
  std::vector<int> list_;
  bool all_ = true;
};

namespace detail {
class Picked;
}

// ---- arrays

class Array {
 public:
  Array() = default;  // names no array; whatever is asked of it throws ErrorKind::value
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  ~Array() = default;
  bool valid() const { return handle_ != nullptr || picked_ != nullptr; }  // does it name one?

  // Another name, and writing into what a call returned; see the head of this file.
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  void operator=(const Operand& value) && { std::move(*this).assign(value); }
  // The elements become those of `value`, which is broadcast, and converted to this array's type.
  void assign(const Operand& value) &;
  void assign(const Operand& value) &&;

  // Asking; nothing is computed.
  Shape shape() const;
  int64_t shape(int axis, Here here = Here::current()) const;
  int ndim() const;
  int64_t size() const;  // elements
  DType dtype() const;
  Device device() const;
  bool is_read_only() const;                      // a view made by broadcast_to() is
  bool shares_memory_with(const Array& b) const;  // are both views of the same elements' memory?

  // Looks. They compute the values and wait for them.
  //
  // The elements in C order, as T: converted as astype() does, but complex numbers only to complex ones (ErrorKind::type).
  template <Element T>
  std::vector<T> to_vector(Here here = Here::current()) const;
  template <Element T>
  void copy_to(std::span<T> out, Here here = Here::current()) const;  // throws ErrorKind::value for another number of elements
  template <Element T>
  T item(Here here = Here::current()) const;  // the only element; throws ErrorKind::value when there are more or none
  explicit operator bool() const;             // if (a.sum() > 0): the truth of the only element
  std::string to_string(Here here = Here::current()) const;  // "[[1, 2], [3, 4]]"; more than 1000 elements are shortened
  friend std::ostream& operator<<(std::ostream& out, const Array& array);

  // Parts: views, that share the elements. Up to six places by (), any number by at(). An integer takes its axis away, so a(1, 2)
  // of a matrix is a view of one element, without axes. Throws ErrorKind::index for an integer out of range or too many places.
  //
  // With arrays among the places, the elements that they pick, as in NumPy: integers pick along one axis (-1 is the last), bools
  // where they are true along as many axes as they have. All of them broadcast together; their shape stands where the first one
  // stands, or in front when a slice is between them. That is a new array; but what is written to it at once, as in a(mask) = 0
  // or a(places) += 1, is written to a: where an element is picked several times, the last value stays, and sums do not add up.
  // Throws ErrorKind::index for arrays of other types, and for bools of another shape; for integers out of range at a look. How
  // many bools are true is waited for, but not to write a number where a mask of a's own shape is true.
  Array operator()(const Index& a, const Index& b = Index::absent(), const Index& c = Index::absent(),
                   const Index& d = Index::absent(), const Index& e = Index::absent(), const Index& f = Index::absent(),
                   Here here = Here::current()) const;
  Array at(std::span<const Index> places, Here here = Here::current()) const;
  Array slice(int axis, std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step = 1,
              Here here = Here::current()) const;

  // The same elements in another shape. All are views, but for reshape() and ravel(), which copy where no view can be.
  Array reshape(const Shape& shape, Here here = Here::current()) const;  // one of them may be -1: what is left
  Array ravel(Here here = Here::current()) const;                        // one axis
  Array transpose(Here here = Here::current()) const;                    // axes in reversed order
  Array transpose(const std::vector<int>& axes, Here here = Here::current()) const;
  Array swapaxes(int a, int b, Here here = Here::current()) const;
  Array moveaxis(int from, int to, Here here = Here::current()) const;
  Array broadcast_to(const Shape& shape, Here here = Here::current()) const;  // read-only
  Array expand_dims(int axis, Here here = Here::current()) const;             // an axis of one element put in
  Array squeeze(const Axes& axes = {}, Here here = Here::current()) const;    // axes of one element taken out
  Array flip(const Axes& axes = {}, Here here = Here::current()) const;       // in the other direction
  Array real(Here here = Here::current()) const;                              // a view; of real numbers the array itself
  Array imag(Here here = Here::current()) const;                              // a view; of real numbers zeros

  // New elements.
  Array copy(Here here = Here::current()) const;
  Array astype(DType dtype, Here here = Here::current()) const;  // always a copy
  template <Element T>
  Array astype(Here here = Here::current()) const {
    return astype(dtype_of<T>(), here);
  }
  Array to_device(const Device& device, Here here = Here::current()) const;  // the array itself where it is there already

  // What takes axes away (`keepdims`: leaves one element of each). Sums and products of integers have 64 bits; the mean of
  // integers is float64. max() and min() give NaN where there is one, and throw ErrorKind::value where there is nothing to choose
  // from.
  Array sum(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array prod(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array max(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array min(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array mean(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array any(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array all(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;

  // Operators; arrays broadcast.
  friend Array operator+(const Operand& a, const Operand& b);
  friend Array operator-(const Operand& a, const Operand& b);
  friend Array operator*(const Operand& a, const Operand& b);
  friend Array operator/(const Operand& a, const Operand& b);
  friend Array operator%(const Operand& a, const Operand& b);
  friend Array operator&(const Operand& a, const Operand& b);
  friend Array operator|(const Operand& a, const Operand& b);
  friend Array operator^(const Operand& a, const Operand& b);
  friend Array operator<<(const Operand& a, const Operand& b);
  friend Array operator>>(const Operand& a, const Operand& b);
  friend Array operator==(const Operand& a, const Operand& b);
  friend Array operator!=(const Operand& a, const Operand& b);
  friend Array operator<(const Operand& a, const Operand& b);
  friend Array operator<=(const Operand& a, const Operand& b);
  friend Array operator>(const Operand& a, const Operand& b);
  friend Array operator>=(const Operand& a, const Operand& b);
  friend Array operator+(const Operand& a);
  friend Array operator-(const Operand& a);
  friend Array operator~(const Operand& a);
  friend Array operator!(const Array& a);  // logical_not; && and || look at both, as `if` does

  // In place: the elements change, whoever looks at them. The array keeps its type; a result of a higher kind (int32 += 0.5)
  // throws ErrorKind::type, one that does not broadcast to this shape ErrorKind::value.
  Array& operator+=(const Operand& b) &;
  Array& operator-=(const Operand& b) &;
  Array& operator*=(const Operand& b) &;
  Array& operator/=(const Operand& b) &;
  Array& operator%=(const Operand& b) &;
  Array& operator&=(const Operand& b) &;
  Array& operator|=(const Operand& b) &;
  Array& operator^=(const Operand& b) &;
  Array& operator<<=(const Operand& b) &;
  Array& operator>>=(const Operand& b) &;
  // Of what a call returned; see the head of this file.
  void operator+=(const Operand& b) &&;
  void operator-=(const Operand& b) &&;
  void operator*=(const Operand& b) &&;
  void operator/=(const Operand& b) &&;
  void operator%=(const Operand& b) &&;
  void operator&=(const Operand& b) &&;
  void operator|=(const Operand& b) &&;
  void operator^=(const Operand& b) &&;
  void operator<<=(const Operand& b) &&;
  void operator>>=(const Operand& b) &&;

  // Submits what computes it, without waiting.
  void evaluate(Here here = Here::current()) const;
  // What would run to compute it: groups, the lines that recorded them, the kernels' texts. Nothing is run.
  std::string explain(Here here = Here::current()) const;

  // The engine's own, for its other headers.
  explicit Array(std::shared_ptr<quern::Array> handle) : handle_(std::move(handle)) {}
  quern::Array& handle() const;

 private:
  explicit Array(std::shared_ptr<detail::Picked> picked) : picked_(std::move(picked)) {}
  void read(void* out, size_t count, DType as, Here here) const;
  std::shared_ptr<quern::Array> handle_;
  std::shared_ptr<detail::Picked> picked_;  // what was picked, until somebody asks for it
};

// ---- new arrays
//
// Each throws ErrorKind::value for a shape with a negative number, or with too many elements.

Array zeros(const Shape& shape, DType dtype = DType::float64, const Device& device = Device(), Here here = Here::current());
Array ones(const Shape& shape, DType dtype = DType::float64, const Device& device = Device(), Here here = Here::current());
Array empty(const Shape& shape, DType dtype = DType::float64, const Device& device = Device(),
            Here here = Here::current());  // the values do not matter; they are zero
// `dtype`: by default that of the value.
Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype = {}, const Device& device = Device());

// Of an array's shape, type and device.
Array zeros_like(const Array& a, Here here = Here::current());
Array ones_like(const Array& a, Here here = Here::current());
Array empty_like(const Array& a, Here here = Here::current());
Array full_like(const Array& a, const Operand& value);

// Numbers from start, `step` apart, before stop: int64, or float64 when one of them is real, if `dtype` does not say otherwise.
Array arange(const Operand& start, const Operand& stop, const Operand& step = 1, std::optional<DType> dtype = {},
             const Device& device = Device());
Array arange(const Operand& stop, std::optional<DType> dtype = {}, const Device& device = Device());
// `num` numbers, evenly spaced from start to stop, which `endpoint` makes the last one.
Array linspace(double start, double stop, int64_t num = 50, bool endpoint = true, DType dtype = DType::float64,
               const Device& device = Device(), Here here = Here::current());
// Ones on the k-th diagonal of a matrix of n rows; as many columns, if `columns` does not say otherwise.
Array eye(int64_t n, std::optional<int64_t> columns = {}, int64_t k = 0, DType dtype = DType::float64,
          const Device& device = Device(), Here here = Here::current());

namespace detail {
Array from_host(const void* values, size_t count, DType dtype, const Shape& shape, const Device& device, Here here);

template <class R>
concept Values = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && Element<std::ranges::range_value_t<R>>;

template <class T>
Array from_rows(std::initializer_list<std::initializer_list<T>> rows, const Device& device, Here here) {
  std::vector<T> values;
  for (const auto& row : rows) {
    if (row.size() != rows.begin()->size())
      throw quern::Error(quern::ErrorKind::value, "[array] the rows have different lengths; give all as many values");
    values.insert(values.end(), row);
  }
  Shape shape{static_cast<int64_t>(rows.size()), rows.size() ? static_cast<int64_t>(rows.begin()->size()) : 0};
  return from_host(values.data(), values.size(), dtype_of<T>(), shape, device, here);
}
}  // namespace detail

// Copies of values: a std::vector, span or array, or {1, 2, 3}. In one dimension, or in a shape that has as many elements.
template <detail::Values R>
Array array(const R& values, const Shape& shape, const Device& device = Device(), Here here = Here::current()) {
  return detail::from_host(std::ranges::data(values), std::ranges::size(values), dtype_of<std::ranges::range_value_t<R>>(), shape,
                           device, here);
}
template <detail::Values R>
Array array(const R& values, const Device& device = Device(), Here here = Here::current()) {
  return array(values, Shape{static_cast<int64_t>(std::ranges::size(values))}, device, here);
}
template <Element T>
Array array(std::initializer_list<T> values, const Shape& shape, const Device& device = Device(), Here here = Here::current()) {
  return detail::from_host(std::data(values), values.size(), dtype_of<T>(), shape, device, here);
}
template <Element T>
Array array(std::initializer_list<T> values, const Device& device = Device(), Here here = Here::current()) {
  return detail::from_host(std::data(values), values.size(), dtype_of<T>(), Shape{static_cast<int64_t>(values.size())}, device,
                           here);
}
template <Element T>
Array array(std::initializer_list<std::initializer_list<T>> rows, const Device& device = Device(), Here here = Here::current()) {
  return detail::from_rows<T>(rows, device, here);
}

// One after the other along an axis that they have, or along a new one; in the type of all together.
Array concatenate(const std::vector<Array>& arrays, int axis = 0, Here here = Here::current());
Array stack(const std::vector<Array>& arrays, int axis = 0, Here here = Here::current());

// ---- whole arrays

// The product of matrices: the last two axes; those before them broadcast. A vector is a row on the left, a column on the right.
// Real and complex ones need a library: cuBLASLt on a GPU; on the CPU an OpenBLAS with 64-bit integers, the system's
// libopenblas64 or the file that QUERN_BLAS names.
Array matmul(const Array& a, const Array& b, Here here = Here::current());

inline Array sum(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) {
  return a.sum(axes, keepdims, here);
}
inline Array prod(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) {
  return a.prod(axes, keepdims, here);
}
inline Array max(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) {
  return a.max(axes, keepdims, here);
}
inline Array min(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) {
  return a.min(axes, keepdims, here);
}
inline Array mean(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) {
  return a.mean(axes, keepdims, here);
}
inline Array any(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) {
  return a.any(axes, keepdims, here);
}
inline Array all(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) {
  return a.all(axes, keepdims, here);
}

// Submits all that is recorded and waits until the device has done it; throws what failed in it.
void synchronize(const Device& device = Device(), Here here = Here::current());

// ---- element by element
//
// A function for each row of quern/ops.def but the inner ones: NumPy's ufuncs, by NumPy's names, and those that NumPy lacks.
//
//   Array exp(const Operand& a);
//   Array add(const Operand& a, const Operand& b);
//   Array where(const Operand& a, const Operand& b, const Operand& c);
//
// Functions of reals give integers a real type that holds them (int32 gives float64). Types that a function is not defined for
// throw ErrorKind::type.
#define QUERN_OPERANDS_1 const Operand& a
#define QUERN_OPERANDS_2 QUERN_OPERANDS_1, const Operand& b
#define QUERN_OPERANDS_3 QUERN_OPERANDS_2, const Operand& c
#define QUERN_ROW(name, operands, ...) Array name(QUERN_OPERANDS_##operands);
#define QUERN_INNER(...)
#include "quern/ops.def"

Array abs(const Operand& a);                                            // absolute()
Array clip(const Operand& a, const Operand& low, const Operand& high);  // NaN where one is NaN

// ---- the looks' bodies

template <Element T>
void Array::copy_to(std::span<T> out, Here here) const {
  read(out.data(), out.size(), dtype_of<T>(), here);
}

template <Element T>
std::vector<T> Array::to_vector(Here here) const {
  std::vector<T> out(static_cast<size_t>(size()));
  if constexpr (std::is_same_v<T, bool>) {  // whose elements have no addresses
    auto values = std::make_unique<bool[]>(out.size());
    read(values.get(), out.size(), DType::boolean, here);
    out.assign(values.get(), values.get() + out.size());
  } else {
    read(out.data(), out.size(), dtype_of<T>(), here);
  }
  return out;
}

template <Element T>
T Array::item(Here here) const {
  T out{};
  read(&out, 1, dtype_of<T>(), here);
  return out;
}

}  // namespace qn
