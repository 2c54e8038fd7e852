// What kernels written in Python stand on: arrays with shapes and strides, tuples, views. Numbers are quern/array.cuh's.
//
// Indices count from the front here; the compiler puts from_end() around those that may be negative. Strides are in bytes.
#pragma once

#include "quern/array.cuh"

extern "C++" {
namespace quern {
namespace py {

using quern::complex;
namespace op = quern::op;

// ---- numbers

__QUERN_DEVICE long long from_end(long long i, long long extent) { return i < 0 ? i + extent : i; }

// An integer and a natural number, compared as the numbers they are.
__QUERN_DEVICE bool same(long long a, unsigned long long b) { return a >= 0 && static_cast<unsigned long long>(a) == b; }
__QUERN_DEVICE bool same(unsigned long long a, long long b) { return same(b, a); }
__QUERN_DEVICE bool below(long long a, unsigned long long b) { return a < 0 || static_cast<unsigned long long>(a) < b; }
__QUERN_DEVICE bool below(unsigned long long a, long long b) { return b >= 0 && a < static_cast<unsigned long long>(b); }

template <class T>
__QUERN_DEVICE T square(const T& x) {
  return x * x;
}
template <class T>
__QUERN_DEVICE T cube(const T& x) {
  return x * x * x;
}

template <class T>
__QUERN_DEVICE T round_to(const T& x, long long digits) {
  const double scale = ::pow(10.0, static_cast<double>(digits < 0 ? -digits : digits));
  const double wide = static_cast<double>(x);
  const double y = ::rint(digits < 0 ? wide / scale : wide * scale);
  return static_cast<T>(digits < 0 ? y * scale : y / scale);
}

__QUERN_DEVICE long long range_length(long long start, long long stop, long long step) {
  if (step > 0) return start < stop ? (stop - start + step - 1) / step : 0;
  return step < 0 && start > stop ? (start - stop - step - 1) / -step : 0;
}

// ---- tuples

template <class... Types>
struct tuple {};
template <class First, class... Rest>
struct tuple<First, Rest...> {
  First first;
  tuple<Rest...> rest;
  tuple() = default;
  __QUERN_DEVICE tuple(const First& a, const Rest&... b) : first(a), rest{b...} {}
  template <int i>
  __QUERN_DEVICE const auto& get() const {
    if constexpr (i == 0)
      return first;
    else
      return rest.template get<i - 1>();
  }
  // Of elements that are all of one type.
  __QUERN_DEVICE First at(long long i) const {
    if constexpr (sizeof...(Rest) == 0)
      return first;
    else
      return (i < 0 ? i + 1 + static_cast<long long>(sizeof...(Rest)) : i) == 0
                 ? first
                 : rest.at((i < 0 ? i + 1 + static_cast<long long>(sizeof...(Rest)) : i) - 1);
  }
};

// ---- arrays

// `contiguous`: in C order; the strides are then known from the shape.
template <class T, int n, bool contiguous>
struct array {
  T* data;
  long long shape[n > 0 ? n : 1];
  long long strides[n > 0 ? n : 1];

  static constexpr int ndim = n;
  static constexpr bool is_contiguous = contiguous;
  typedef T value_type;

  __QUERN_DEVICE long long extent(int axis) const { return shape[axis]; }
  __QUERN_DEVICE long long step(int axis) const { return strides[axis]; }
  __QUERN_DEVICE long long size() const {
    long long all = 1;
    for (int i = 0; i < n; ++i) all *= shape[i];
    return all;
  }
  template <class... Index>
  __QUERN_DEVICE T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == n, "an index for each axis");
    const long long at[] = {static_cast<long long>(index)...};
    if constexpr (contiguous) {
      long long place = at[0];
      for (int i = 1; i < n; ++i) place = place * shape[i] + at[i];
      return data[place];
    } else {
      long long place = 0;
      for (int i = 0; i < n; ++i) place += at[i] * strides[i];
      return *reinterpret_cast<T*>(reinterpret_cast<char*>(data) + place);
    }
  }

  array() = default;
  template <class Other, int = Other::ndim>
  __QUERN_DEVICE explicit array(const Other& other) : data(other.data) {
    for (int i = 0; i < n; ++i) {
      shape[i] = other.extent(i);
      strides[i] = other.step(i);
    }
  }
};

// Memory of the kernel's own, whose shape is known: shared and local arrays.
template <class T, long long... dims>
struct fixed_array {
  T* data;

  static constexpr int ndim = sizeof...(dims);
  static constexpr bool is_contiguous = true;
  typedef T value_type;

  __QUERN_DEVICE static constexpr long long extent(int axis) {
    const long long all[] = {dims...};
    return all[axis];
  }
  __QUERN_DEVICE static constexpr long long step(int axis) {
    long long out = sizeof(T);
    for (int i = ndim - 1; i > axis; --i) out *= extent(i);
    return out;
  }
  __QUERN_DEVICE static constexpr long long size() { return (dims * ... * 1); }
  template <class... Index>
  __QUERN_DEVICE T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == ndim, "an index for each axis");
    const long long at[] = {static_cast<long long>(index)...};
    long long place = at[0];
    for (int i = 1; i < ndim; ++i) place = place * extent(i) + at[i];
    return data[place];
  }
};

// ---- views

constexpr long long none_given = -9223372036854775807LL - 1;

struct slice_of {
  long long start, stop, step;
  __QUERN_DEVICE slice_of(long long from, long long to, long long by) : start(from), stop(to), step(by == none_given ? 1 : by) {}
  __QUERN_DEVICE static long long within(long long i, long long extent, long long least, long long most) {
    i = i < 0 ? i + extent : i;
    return i < least ? least : i > most ? most : i;
  }
  // As Python's slice.indices(): where it starts, and how many.
  __QUERN_DEVICE void in(long long extent, long long& from, long long& count) const {
    const long long least = step < 0 ? -1 : 0, most = step < 0 ? extent - 1 : extent;
    from = start == none_given ? (step < 0 ? most : least) : within(start, extent, least, most);
    const long long to = stop == none_given ? (step < 0 ? least : most) : within(stop, extent, least, most);
    count = range_length(from, to, step);
  }
};
struct at {
  long long index;
  __QUERN_DEVICE explicit at(long long i) : index(i) {}
};

template <class To, class From>
__QUERN_DEVICE void view_axis(To& to, const From& from, int axis, int& made, char*& data, const slice_of& part) {
  long long first, count;
  part.in(from.extent(axis), first, count);
  data += (count > 0 ? first : 0) * from.step(axis);
  to.shape[made] = count;
  to.strides[made++] = from.step(axis) * part.step;
}
template <class To, class From>
__QUERN_DEVICE void view_axis(To&, const From& from, int axis, int&, char*& data, const at& part) {
  data += part.index * from.step(axis);
}
template <int n, bool contiguous, class From, class... Parts>
__QUERN_DEVICE array<typename From::value_type, n, contiguous> view(const From& from, const Parts&... parts) {
  array<typename From::value_type, n, contiguous> out;
  char* data = reinterpret_cast<char*>(from.data);
  int axis = 0, made = 0;
  (view_axis(out, from, axis++, made, data, parts), ...);
  out.data = reinterpret_cast<typename From::value_type*>(data);
  return out;
}

template <class From>
__QUERN_DEVICE array<typename From::value_type, From::ndim, false> transposed(const From& from) {
  array<typename From::value_type, From::ndim, false> out;
  out.data = from.data;
  for (int i = 0; i < From::ndim; ++i) {
    out.shape[i] = from.extent(From::ndim - 1 - i);
    out.strides[i] = from.step(From::ndim - 1 - i);
  }
  return out;
}

// Element k in C order.
template <class A>
__QUERN_DEVICE typename A::value_type& in_order(const A& a, long long k) {
  char* place = reinterpret_cast<char*>(a.data);
  for (int i = A::ndim - 1; i >= 0; --i) {
    place += k % a.extent(i) * a.step(i);
    k /= a.extent(i);
  }
  return *reinterpret_cast<typename A::value_type*>(place);
}
template <class A, class T>
__QUERN_DEVICE void fill(const A& a, const T& value) {
  const long long size = a.size();
  for (long long k = 0; k < size; ++k) in_order(a, k) = value;
}
// Axes of one element, and those that `from` has not, are repeated.
template <class A, class B>
__QUERN_DEVICE void assign(const A& a, const B& from) {
  const long long size = a.size();
  for (long long k = 0; k < size; ++k) {
    char* place = reinterpret_cast<char*>(from.data);
    long long rest = k;
    for (int i = A::ndim - 1, j = B::ndim - 1; i >= 0; --i, --j) {
      if (j >= 0 && from.extent(j) != 1) place += rest % a.extent(i) * from.step(j);
      rest /= a.extent(i);
    }
    in_order(a, k) = op::to<typename A::value_type>(*reinterpret_cast<typename B::value_type*>(place));
  }
}

}  // namespace py
}  // namespace quern
}
