// File: quern/array.h
//
// N-dimensional arrays with NumPy's semantics: the same dtypes, shapes, views, broadcasting and results as in Python, on the same
// engine.
//
//   qn::Array u = qn::zeros({200, 200});                 // float64, on the default device
//   u(0) = 100.0;                                        // the first row: a view is written to
//   qn::Array inside = u({1, -1}, {1, -1});              // u[1:-1, 1:-1]
//   inside += 0.1 * (u({{}, -2}, {1, -1}) - inside);     // updates u as well
//   std::cout << u.sum().item<double>();                 // evaluates
//
// Operations are recorded and run later. Reading a value (item, to_vector, copy_to, printing, a condition) evaluates what it
// depends on, fused into few kernels. Invalid shapes, types and scalars throw quern::Error at the call. Errors that depend on
// values (an index out of range, a singular matrix) are thrown when the value is read, and name the line that recorded the
// operation; the trace and explain() name it too.
//
// An Array is a handle, like a Python variable: copying one is cheap and refers to the same array.
//
//   b = a;                b refers to the same array as a; nothing is copied, and the array that b referred to is unchanged
//   a({0, 3}) = b;        assigning to the result of a call writes: the elements of b are copied into that part of a
//   v = a({0, 3});        v is a view of that part of a
//   v.assign(b);          writes the elements of b through v; v = b would only make v refer to the array b
//   v += b;               updates the elements in place, through the view
//   b = a.copy();         a new array
//   a(a < 0) = 0;         indexing with an array selects elements; assigning to the result writes them
//   p = a(a < 0);         read, the selected elements are a new array, a copy of their current values
//
// A 0-d result such as a.sum() is a value: s += 1 makes s refer to a new one, and copies of s keep the old one.
//
// A const Array cannot be made to refer to another array; its elements can still be written, as through a const pointer.
//
// Scalars beside an array are converted to its dtype (float32 * 2.0 is float32) unless their kind is higher (int32 * 2.0 is
// float64); a scalar that the dtype cannot hold throws ErrorKind::overflow. / is true division for integers too, % has the sign
// of the divisor, == is elementwise and returns bools. Only an array of one element can be used as a condition.
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

#ifndef __cpp_lib_source_location
#error "quern's headers need std::source_location of C++20: GCC 11, clang 16 or newer, with -std=c++20"
#endif

namespace quern {
class Array;
}

namespace qn {

class Array;

using Shape = std::vector<int64_t>;  // {rows, columns}; {} is 0-d

// The caller's source location, for messages and the trace. Functions that record or may throw take it as their last argument;
// leave it at its default.
using Here = std::source_location;

// A function's argument that is an array or a scalar; converts from both and captures the source location.
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
  int64_t integer() const { return integer_; }  // of an unsigned integer its bits
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

// What `out << array` prints, with the source location of the caller.
struct Printed {
  const Array& array;
  Here here;
  Printed(const Array& array, Here here = Here::current()) : array(array), here(here) {}
};

// ---- indexing

// Python's start:stop:step. Negative positions count from the end, {} is the end, and positions out of range are clamped.
struct Slice {
  std::optional<int64_t> start = {}, stop = {};
  int64_t step = 1;
};

// The types of `newaxis` and `ellipsis`, parts of an index.
struct NewAxis {};
inline constexpr NewAxis newaxis;  // inserts an axis of length 1
struct Ellipsis {};
inline constexpr Ellipsis ellipsis;  // all axes that are not indexed

// One part of an index: a(3), a({1, -1}), a({}, 0), a({{}, {}, 2}), a(qn::ellipsis, 0), a({}, qn::newaxis), a(a > 0), a(places).
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

// An axis or several: 1, {0, -1}, or {} for all.
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

// A multidimensional array on a device, by reference: copies share the elements, operations are recorded and run when a value is
// needed.
class Array {
 public:
  Array() = default;  // refers to no array; using it throws ErrorKind::value
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  ~Array() = default;
  bool valid() const { return handle_ != nullptr || picked_ != nullptr; }  // refers to an array

  // Rebinds the handle; on the result of a call, writes elements. See the head of this file.
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  void operator=(const Operand& value) && { std::move(*this).assign(value); }
  // Overwrites the elements with those of `value`, broadcast and converted to this array's dtype.
  void assign(const Operand& value) &;
  void assign(const Operand& value) &&;

  // Properties; these do not evaluate.
  Shape shape() const;
  int64_t shape(int axis, Here here = Here::current()) const;  // of one axis; throws ErrorKind::index for an axis out of range
  int ndim() const;                                            // number of axes
  int64_t size() const;                                        // elements
  DType dtype() const;
  Device device() const;
  bool is_read_only() const;                      // true for the result of broadcast_to()
  bool shares_memory_with(const Array& b) const;  // whether both are views of the same memory

  // Reading values: these evaluate and wait.
  //
  // Copies the elements in C order, converted to T as by astype(); complex to real throws ErrorKind::type.
  template <Element T>
  std::vector<T> to_vector(Here here = Here::current()) const;
  template <Element T>
  void copy_to(std::span<T> out, Here here = Here::current()) const;  // throws ErrorKind::value unless the sizes are equal
  template <Element T>
  T item(Here here = Here::current()) const;                 // of an array of size 1; throws ErrorKind::value for other sizes
  explicit operator bool() const;                            // if (a.sum() > 0); for arrays of size 1, as item()
  std::string to_string(Here here = Here::current()) const;  // "[[1, 2], [3, 4]]"; above 1000 elements abbreviated
  // As to_string(); errors name the line that prints.
  friend std::ostream& operator<<(std::ostream& out, const Printed& printed);

  // Basic indexing returns views. operator() takes up to six indices, at() any number. An integer removes its axis, so a(1, 2) of
  // a matrix is a 0-d view. Throws ErrorKind::index for an integer out of range or too many indices.
  //
  // Advanced indexing, with arrays among the indices, follows NumPy: integer arrays index one axis (-1 is the last position), a
  // boolean mask of k dimensions selects along k axes. Index arrays broadcast against each other; the result's axes replace the
  // first indexed axis, or come first when a slice separates the index arrays. The result is a copy, but assigning to the
  // returned expression writes to this array: a(mask) = 0, a(indices) += 1. With duplicate indices the last value is kept; +=
  // does not accumulate. Throws ErrorKind::index for index arrays of other types and for masks of another shape; for indices out
  // of range when the result is evaluated. A mask is evaluated to count its true elements, except when a scalar is assigned and
  // the mask has this array's shape.
  Array operator()(const Index& a, const Index& b = Index::absent(), const Index& c = Index::absent(),
                   const Index& d = Index::absent(), const Index& e = Index::absent(), const Index& f = Index::absent(),
                   Here here = Here::current()) const;
  // Indexing with any number of indices, as operator().
  Array at(std::span<const Index> places, Here here = Here::current()) const;
  // A view of start:stop:step along one axis; {} is the first or the last position. Throws ErrorKind::index for an axis out of
  // range.
  Array slice(int axis, std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step = 1,
              Here here = Here::current()) const;

  // Views in another shape or order of axes. reshape() and ravel() work in C order and return a view when strides allow, else a
  // copy.
  Array reshape(const Shape& shape, Here here = Here::current()) const;  // one length may be -1: inferred
  Array ravel(Here here = Here::current()) const;                        // flattened to one axis
  Array transpose(Here here = Here::current()) const;                    // reverses the axes
  // In the given order of all axes; with two axes swapped; with one axis moved. Throw ErrorKind::index for an axis out of range,
  // ErrorKind::value unless each axis is named once.
  Array transpose(const std::vector<int>& axes, Here here = Here::current()) const;
  Array swapaxes(int a, int b, Here here = Here::current()) const;
  Array moveaxis(int from, int to, Here here = Here::current()) const;
  Array broadcast_to(const Shape& shape, Here here = Here::current()) const;  // read-only
  Array expand_dims(int axis, Here here = Here::current()) const;             // inserts an axis of length 1
  Array squeeze(const Axes& axes = {}, Here here = Here::current()) const;    // removes axes of length 1
  Array flip(const Axes& axes = {}, Here here = Here::current()) const;       // reverses the elements along the axes
  Array real(Here here = Here::current()) const;                              // a view; for real dtypes the array itself
  Array imag(Here here = Here::current()) const;                              // a view; for real dtypes zeros

  // Copies.
  Array copy(Here here = Here::current()) const;
  Array astype(DType dtype, Here here = Here::current()) const;  // always a copy
  template <Element T>
  Array astype(Here here = Here::current()) const {
    return astype(dtype_of<T>(), here);
  }
  Array to_device(const Device& device, Here here = Here::current()) const;  // returns the array itself if it is on that device

  // Reductions over axes; `keepdims` keeps the reduced axes with length 1. Sums and products of integers are 64-bit, means of
  // integers float64. max() and min() propagate NaN and throw ErrorKind::value for empty reductions.
  Array sum(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array prod(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array max(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array min(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array mean(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array any(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;
  Array all(const Axes& axes = {}, bool keepdims = false, Here here = Here::current()) const;

  // Elementwise operators, with broadcasting.
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
  friend Array operator!(const Array& a);  // logical_not; && and || evaluate their operands as conditions

  // In-place operators: all views of the elements see the change. The dtype does not change; a result of a higher kind (int32 +=
  // 0.5) throws ErrorKind::type, a shape that does not broadcast to this one ErrorKind::value.
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
  // On the result of a call; see the head of this file.
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

  // Submits the work that computes the array, without waiting for it.
  void evaluate(Here here = Here::current()) const;
  // Describes what evaluating would run: fused groups, the lines that recorded them, the kernels' source. Runs nothing.
  std::string explain(Here here = Here::current()) const;

  // For the other headers of the engine.
  explicit Array(std::shared_ptr<quern::Array> handle) : handle_(std::move(handle)) {}
  quern::Array& handle() const;

 private:
  explicit Array(std::shared_ptr<detail::Picked> picked) : picked_(std::move(picked)) {}
  void read(void* out, size_t count, DType as, Here here) const;
  std::shared_ptr<quern::Array> handle_;
  std::shared_ptr<detail::Picked> picked_;  // the selection of an advanced index, read or written later
};

// ---- creating arrays
//
// Each throws ErrorKind::value for a negative length and for a size that is too large.

// Arrays of one value, 0 or 1, and without set values.
Array zeros(const Shape& shape, DType dtype = DType::float64, const Device& device = Device(), Here here = Here::current());
Array ones(const Shape& shape, DType dtype = DType::float64, const Device& device = Device(), Here here = Here::current());
Array empty(const Shape& shape, DType dtype = DType::float64, const Device& device = Device(),
            Here here = Here::current());  // unspecified values; at present zeros
// All elements are `value`, a scalar or an array that broadcasts to `shape`. `dtype`: by default the value's.
Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype = {}, const Device& device = Device());

// The same with the shape, dtype and device of `a`.
Array zeros_like(const Array& a, Here here = Here::current());
Array ones_like(const Array& a, Here here = Here::current());
Array empty_like(const Array& a, Here here = Here::current());
Array full_like(const Array& a, const Operand& value);

// Evenly spaced values in [start, stop). Default dtype: int64, or float64 if any argument is real.
Array arange(const Operand& start, const Operand& stop, const Operand& step = 1, std::optional<DType> dtype = {},
             const Device& device = Device());
Array arange(const Operand& stop, std::optional<DType> dtype = {}, const Device& device = Device());
// `num` evenly spaced values from start to stop; `endpoint`: stop is the last value.
Array linspace(double start, double stop, int64_t num = 50, bool endpoint = true, DType dtype = DType::float64,
               const Device& device = Device(), Here here = Here::current());
// An n x columns matrix with ones on the k-th diagonal; by default square.
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
      throw quern::Error(quern::ErrorKind::value, "[array] the rows have different lengths; pass rows of equal length");
    values.insert(values.end(), row);
  }
  Shape shape{static_cast<int64_t>(rows.size()), rows.size() ? static_cast<int64_t>(rows.begin()->size()) : 0};
  return from_host(values.data(), values.size(), dtype_of<T>(), shape, device, here);
}
}  // namespace detail

// An array with a copy of host values: a std::vector, span or array, or {1, 2, 3}; 1-d, or in a shape of the same size.
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

// Joins arrays along an existing axis, or along a new one (stack); in their common dtype.
Array concatenate(const std::vector<Array>& arrays, int axis = 0, Here here = Here::current());
Array stack(const std::vector<Array>& arrays, int axis = 0, Here here = Here::current());

// ---- products and reductions

// Matrix product over the last two axes; leading axes broadcast. A 1-d operand is a row on the left, a column on the right.
// Floating-point products use a library: cuBLASLt on a GPU; on the CPU an OpenBLAS with 64-bit integers, the system's
// libopenblas64 or the file named by QUERN_BLAS; without any of them loops of its own, which are slower and say so once.
Array matmul(const Array& a, const Array& b, Here here = Here::current());

// The reductions of Array as functions.
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

// Submits everything recorded and waits for the device; throws the error of work that failed.
void synchronize(const Device& device = Device(), Here here = Here::current());

// ---- elementwise functions
//
// One function for each row of quern/ops.def except the inner ones: NumPy's ufuncs under NumPy's names, and those NumPy lacks.
//
//   Array exp(const Operand& a);
//   Array add(const Operand& a, const Operand& b);
//   Array where(const Operand& a, const Operand& b, const Operand& c);
//
// Floating-point functions convert integers to a floating-point dtype that holds them (int32 to float64). A dtype for which the
// function is not defined throws ErrorKind::type.
#define QUERN_OPERANDS_1 const Operand& a
#define QUERN_OPERANDS_2 QUERN_OPERANDS_1, const Operand& b
#define QUERN_OPERANDS_3 QUERN_OPERANDS_2, const Operand& c
#define QUERN_ROW(name, operands, ...) Array name(QUERN_OPERANDS_##operands);
#define QUERN_INNER(...)
#include "quern/ops.def"

Array abs(const Operand& a);                                            // absolute()
Array clip(const Operand& a, const Operand& low, const Operand& high);  // propagates NaN

// ---- definitions of templates

template <Element T>
void Array::copy_to(std::span<T> out, Here here) const {
  read(out.data(), out.size(), dtype_of<T>(), here);
}

template <Element T>
std::vector<T> Array::to_vector(Here here) const {
  std::vector<T> out(static_cast<size_t>(size()));
  if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> has no contiguous storage
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
