// What kernels written in Python stand on: arrays with shapes and strides, tuples, records, views. Numbers are quern/array.cuh's.
//
// Indices count from the front here; the compiler puts from_end() around those that may be negative. Strides are in bytes.
#pragma once

#include "quern/array.cuh"
#ifndef QUERN_NO_SHORT_FLOATS
#include "quern/bfloat_functions.cuh"
#endif

extern "C++" {
namespace quern {
namespace py {

using quern::complex;
namespace op = quern::op;

// ---- numbers

// As arrays convert, and Numba's functions for the CPU.
namespace host {
template <class To, class From>
__QUERN_DEVICE To cast(From x) {
  return op::to<To>(x);
}
}  // namespace host

// As CUDA converts: an integer takes of a real what comes nearest.
template <class To, class From>
__QUERN_DEVICE To cast(From x) {
  if constexpr (op::Type<To>::is_integer && !op::Type<From>::is_integer && !op::Type<From>::is_complex) {
    return static_cast<To>(op::to<typename op::Math<From>::type>(x));
  } else {
    return op::to<To>(x);
  }
}

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

// a ** b of integers; below 0 the exponent has its own type's sign. As Numba has it on GPUs: 0 to a negative power is the lowest
// integer, and from 65537 on a power that does not fit is the highest one, or the lowest.
template <class T, class E>
__QUERN_DEVICE T integer_power(const T& a, const E& b) {
  constexpr int bits = sizeof(T) * 8;
  constexpr T lowest = op::Type<T>::is_signed ? static_cast<T>(1ull << (bits - 1)) : T(0);
  const bool is_odd = (b & 1) != 0;
  if (op::Type<E>::is_signed && b < E(0))
    return a == T(0) ? lowest : a == T(1) ? a : op::Type<T>::is_signed && a == T(-1) ? (is_odd ? a : T(1)) : T(0);
  if (b > E(65536)) {
    if (a == T(0) || a == T(1)) return a;
    if (op::Type<T>::is_signed && a == T(-1)) return is_odd ? a : T(1);
    return a < T(0) && is_odd ? lowest : static_cast<T>(~lowest);
  }
  return op::power(a, static_cast<T>(b));
}

template <class T>
__QUERN_DEVICE T round_to(const T& x, long long digits) {
  const double scale = ::pow(10.0, static_cast<double>(digits < 0 ? -digits : digits));
  const double wide = static_cast<double>(x);
  const double scaled = digits < 0 ? wide / scale : wide * scale;
  if (!(scaled - scaled == 0.0)) return x;  // it has no such digits
  const double y = ::rint(scaled);
  return static_cast<T>(digits < 0 ? y * scale : y / scale);
}
// To tens, hundreds and so on for negative `digits`; halves to even ones.
__QUERN_DEVICE long long round_integer(long long x, long long digits) {
  if (digits >= 0) return x;
  if (digits < -18) return 0;
  long long scale = 1;
  for (; digits < 0; ++digits) scale *= 10;
  const long long whole = op::floor_divide(x, scale), rest = op::remainder(x, scale);
  const bool up = rest > scale - rest || (rest == scale - rest && whole % 2 != 0);
  return op::multiply(up ? whole + 1 : whole, scale);
}

// Without a sign, since distances may be longer than the largest number.
__QUERN_DEVICE long long range_length(long long start, long long stop, long long step) {
  typedef unsigned long long U;
  const bool up = step > 0;
  if (step == 0 || (up ? start >= stop : start <= stop)) return 0;
  const U distance = up ? static_cast<U>(stop) - static_cast<U>(start) : static_cast<U>(start) - static_cast<U>(stop);
  return static_cast<long long>((distance - 1) / (up ? static_cast<U>(step) : 0 - static_cast<U>(step)) + 1);
}

// A range whose start and step are not negative. On the CPU threads go round together as long as any has something to do: they are asked
// for their index, not for how many rounds are left. As an unsigned number it cannot pass the end unseen.
#ifdef __QUERN_CPU__
template <class T>
__QUERN_DEVICE long long end_of_rounds(T, T stop, T step) {
  return step > 0 && stop > 0 ? stop : 0;
}
__QUERN_DEVICE bool has_rounds(int i, long long end) { return static_cast<unsigned int>(i) < static_cast<unsigned int>(end); }
__QUERN_DEVICE bool has_rounds(long long i, long long end) {
  return static_cast<unsigned long long>(i) < static_cast<unsigned long long>(end);
}
__QUERN_DEVICE void next_round(int& i, long long, int step) {
  i = static_cast<int>(static_cast<unsigned int>(i) + static_cast<unsigned int>(step));
}
__QUERN_DEVICE void next_round(long long& i, long long, long long step) {
  i = static_cast<long long>(static_cast<unsigned long long>(i) + static_cast<unsigned long long>(step));
}
#else
template <class T>
__QUERN_DEVICE long long end_of_rounds(T first, T stop, T step) {
  return range_length(first, stop, step);
}
template <class T>
__QUERN_DEVICE bool has_rounds(T, long long left) {
  return left > 0;
}
template <class T>
__QUERN_DEVICE void next_round(T& i, long long& left, T step) {
  --left;
  i += step;
}
#endif

// a % b of a divisor that is not negative. What is in [0, b) already, as most indices that are wrapped are, takes no division; 0 divides
// as 1 does.
template <class T>
__QUERN_DEVICE T remainder_of_natural(T a, T b) {
  typedef typename op::Wrap<T>::type Bits;
  if (static_cast<Bits>(a) < static_cast<Bits>(b)) return a;
  const T by = b > T(0) ? b : T(1);
  const T rest = static_cast<T>(a % by);
  return rest < T(0) ? static_cast<T>(rest + b) : rest;
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

// ---- what may be None

template <class T>
struct perhaps {
  bool given = false;
  T value{};
  perhaps() = default;
  __QUERN_DEVICE perhaps(bool is_given, const T& x) : given(is_given), value(x) {}
};

// ---- arrays

// Checks of indices, in kernels under `quern check`: python_checked.cuh has it for all types.
template <class T, class = void>
struct element_check {
  static constexpr bool is_on = false;
};

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
    const long long at[] = {static_cast<long long>(index)..., 0};
    if constexpr (element_check<T>::is_on) {
      return *element_check<T>::within(*this, at, place_of(at));
    } else {
      return *place_of(at);
    }
  }
  __QUERN_DEVICE T* place_of(const long long* at) const {
    if constexpr (n == 0) {
      return data;
    } else if constexpr (contiguous) {
      long long place = at[0];
      for (int i = 1; i < n; ++i) place = place * shape[i] + at[i];
      return data + place;
    } else {
      long long place = 0;
      for (int i = 0; i < n; ++i) place += at[i] * strides[i];
      return reinterpret_cast<T*>(reinterpret_cast<char*>(data) + place);
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
    const long long all[] = {dims..., 1};
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
    const long long at[] = {static_cast<long long>(index)..., 0};
    if constexpr (element_check<T>::is_on) {
      return *element_check<T>::within(*this, at, place_of(at));
    } else {
      return *place_of(at);
    }
  }
  __QUERN_DEVICE T* place_of(const long long* at) const {
    long long place = at[0];
    for (int i = 1; i < ndim; ++i) place = place * extent(i) + at[i];
    return data + place;
  }
};

// ---- records: NumPy's structured types. A value of one is the address of its bytes; `r = a[i]` sees the array's memory.

template <int size>
struct record {
  unsigned char bytes[size];
};
// A number that need not lie where its type wants it.
template <class T>
struct packed {
  unsigned char bytes[sizeof(T)];
  __QUERN_DEVICE T load() const {
    T out;
    for (unsigned int i = 0; i < sizeof(T); ++i) reinterpret_cast<unsigned char*>(&out)[i] = bytes[i];
    return out;
  }
  __QUERN_DEVICE packed& operator=(const T& value) {
    for (unsigned int i = 0; i < sizeof(T); ++i) bytes[i] = reinterpret_cast<const unsigned char*>(&value)[i];
    return *this;
  }
};
template <class T>
struct number_of {
  typedef T type;
  __QUERN_DEVICE static const T& load(const T& x) { return x; }
};
template <class T>
struct number_of<packed<T>> {
  typedef T type;
  __QUERN_DEVICE static T load(const packed<T>& x) { return x.load(); }
};

// What lies so many bytes behind the beginning.
template <class T, int offset, class Record>
__QUERN_DEVICE T& place(Record* r) {
  return *reinterpret_cast<T*>(r->bytes + offset);
}
// A field of each record; `dims`: the field's own axes.
template <class T, int offset, long long... dims, class From>
__QUERN_DEVICE array<T, From::ndim + static_cast<int>(sizeof...(dims)), false> field_view(const From& from) {
  array<T, From::ndim + static_cast<int>(sizeof...(dims)), false> out;
  out.data = reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(from.data) + offset);
  for (int i = 0; i < From::ndim; ++i) {
    out.shape[i] = from.extent(i);
    out.strides[i] = from.step(i);
  }
  const long long more[] = {dims..., 0};
  long long step = sizeof(T);
  for (int i = static_cast<int>(sizeof...(dims)) - 1; i >= 0; --i) {
    out.shape[From::ndim + i] = more[i];
    out.strides[From::ndim + i] = step;
    step *= more[i];
  }
  return out;
}

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
  if constexpr (element_check<typename From::value_type>::is_on) {
    data = element_check<typename From::value_type>::within_axis(from, part.index, axis, data);
  }
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
  if constexpr (A::is_contiguous) {
    return a.data[k];
  } else {
    char* place = reinterpret_cast<char*>(a.data);
    for (int i = A::ndim - 1; i > 0; --i) {
      place += k % a.extent(i) * a.step(i);
      k /= a.extent(i);
    }
    if constexpr (A::ndim > 0) place += k * a.step(0);
    return *reinterpret_cast<typename A::value_type*>(place);
  }
}
// The element of `from` that goes with element k of `a`: axes of one element, and those that `from` has not, are repeated.
template <class A, class B>
__QUERN_DEVICE typename B::value_type& beside(const A& a, const B& from, long long k) {
  char* place = reinterpret_cast<char*>(from.data);
  for (int i = A::ndim - 1, j = B::ndim - 1; j >= 0; --i, --j) {
    if (from.extent(j) != 1) place += (i > 0 ? k % a.extent(i) : k) * from.step(j);
    if (i > 0) k /= a.extent(i);
  }
  return *reinterpret_cast<typename B::value_type*>(place);
}
// As a number is stored: rounded once, also where arrays' conversion to bfloat16, as NumPy's, goes by way of float.
template <class To>
struct stored {
  template <class From>
  __QUERN_DEVICE static To from(const From& x) {
    return cast<To>(x);
  }
};
#ifndef QUERN_NO_SHORT_FLOATS
template <>
struct stored<op::bfloat16> {
  template <class From>
  __QUERN_DEVICE static op::bfloat16 from(const From& x) {
    return op::bfloat16(x);
  }
};
#endif
template <class A, class T>
__QUERN_DEVICE void fill(const A& a, const T& value) {
  const long long size = a.size();
  for (long long k = 0; k < size; ++k) in_order(a, k) = value;
}
template <class A, class B>
__QUERN_DEVICE void assign(const A& a, const B& from) {
  typedef typename B::value_type Given;
  const long long size = a.size();
  for (long long k = 0; k < size; ++k)
    in_order(a, k) =
        stored<typename number_of<typename A::value_type>::type>::from(number_of<Given>::load(beside(a, from, k)));
}

// ---- threads

#ifdef __QUERN_CPU__
// The right side of a division where one by 0 is an error, as in Python; `error` is a failed assert's text.
template <class T>
__QUERN_DEVICE T divisor(const T& b, const char* error, const char* file, unsigned int line) {
  if (b == T(0)) __quern_assert_fail(error, file, line, "");
  return b;
}
// An index of an axis.
__QUERN_DEVICE long long index_within(long long i, long long extent, const char* error, const char* file, unsigned int line) {
  if (i < 0 || i >= extent) __quern_assert_fail(error, file, line, "");
  return i;
}
// The left side of a power: 0 has none below 0.
template <class T, class E>
__QUERN_DEVICE T base(const T& a, const E& b, const char* error, const char* file, unsigned int line) {
  if (b < E(0) && a == T(0)) __quern_assert_fail(error, file, line, "");
  return a;
}
__QUERN_DEVICE int lane_id() { return static_cast<int>(__quern_lane()); }
// As QuernCpuLaunch (compile/cpu_module.h) begins.
struct launch_record {
  const char* args;
  unsigned int grid[3], block[3], dynamic_shared;
};
__QUERN_DEVICE unsigned int dynamic_shared_bytes() {
  return reinterpret_cast<const launch_record*>(__quern_launch())->dynamic_shared;
}
#else
__QUERN_DEVICE int lane_id() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__QUERN_DEVICE unsigned int dynamic_shared_bytes() {
  unsigned int bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
#endif

__QUERN_DEVICE bool same_in_warp(unsigned int mask, bool predicate) {
  const unsigned int yes = __ballot_sync(mask, predicate);
  return yes == 0 || yes == mask;
}

// All of a block's dynamic shared memory.
template <class T>
__QUERN_DEVICE array<T, 1, true> dynamic_array() {
  extern __shared__ __align__(16) unsigned char quern_dynamic_shared[];
  array<T, 1, true> out;
  out.data = reinterpret_cast<T*>(quern_dynamic_shared);
  out.shape[0] = dynamic_shared_bytes() / static_cast<long long>(sizeof(T));
  out.strides[0] = sizeof(T);
  return out;
}

// ---- a value as its bits

template <int bytes>
struct bits_of;
template <>
struct bits_of<2> {
  typedef unsigned short type;
};
template <>
struct bits_of<4> {
  typedef unsigned int type;
};
template <>
struct bits_of<8> {
  typedef unsigned long long type;
};
template <class T>
__QUERN_DEVICE typename bits_of<sizeof(T)>::type bits(const T& x) {
  return *reinterpret_cast<const typename bits_of<sizeof(T)>::type*>(&x);
}
template <class T>
__QUERN_DEVICE T of_bits(const typename bits_of<sizeof(T)>::type& x) {
  return *reinterpret_cast<const T*>(&x);
}

}  // namespace py
}  // namespace quern
}
