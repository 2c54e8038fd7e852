// Whole arrays in kernels written in Python: reductions, ufuncs' loops, other shapes and types over the same memory, copies. One thread does
// all of it. Apart from python.cuh, since few kernels need it and NVRTC reads every line anew.
#pragma once

#include "quern/python.cuh"

extern "C++" {
namespace quern {
namespace py {
namespace whole {

// ---- elements as numbers, in C order

template <class A>
__QUERN_DEVICE typename number_of<typename A::value_type>::type item(const A& a, long long k) {
  return number_of<typename A::value_type>::load(in_order(a, k));
}
template <class A, class B>
__QUERN_DEVICE typename number_of<typename B::value_type>::type item_beside(const A& a, const B& b, long long k) {
  return number_of<typename B::value_type>::load(beside(a, b, k));
}
template <class A, class T>
__QUERN_DEVICE void store(const A& a, long long k, const T& value) {
  in_order(a, k) = stored<typename number_of<typename A::value_type>::type>::from(value);
}
// Is `b` as long as `a` along each axis, or of one element there?
template <class A, class B>
__QUERN_DEVICE bool fits(const A& a, const B& b) {
  for (int i = A::ndim - 1, j = B::ndim - 1; j >= 0; --i, --j)
    if (b.extent(j) != 1 && b.extent(j) != a.extent(i)) return false;
  return true;
}

// ---- reductions. `skips`: NaN counts for nothing.

template <class To, bool skips, class A>
__QUERN_DEVICE To sum(const A& a) {
  To out = To(0);
  const long long size = a.size();
  for (long long k = 0; k < size; ++k) {
    const auto x = item(a, k);
    if (!skips || !op::is_nan(x)) out = op::add(out, cast<To>(x));
  }
  return out;
}
template <class To, bool skips, class A>
__QUERN_DEVICE To product(const A& a) {
  To out = To(1);
  const long long size = a.size();
  for (long long k = 0; k < size; ++k) {
    const auto x = item(a, k);
    if (!skips || !op::is_nan(x)) out = op::multiply(out, cast<To>(x));
  }
  return out;
}
template <bool skips, class A>
__QUERN_DEVICE long long count(const A& a) {
  const long long size = a.size();
  long long out = 0;
  for (long long k = 0; k < size; ++k) out += !skips || !op::is_nan(item(a, k));
  return out;
}
template <class T>
__QUERN_DEVICE T quotient(const T& total, double n) {
  return op::true_divide(total, static_cast<T>(n));
}
// As Python divides complex numbers, by one whose imaginary part is 0.
template <class P>
__QUERN_DEVICE complex<P> quotient(const complex<P>& total, double n) {
  return complex<P>((total.re + total.im * P(0)) / static_cast<P>(n), (total.im - total.re * P(0)) / static_cast<P>(n));
}
// Sums are of type `Work`.
template <class Work, class To, bool skips, class A>
__QUERN_DEVICE To mean(const A& a) {
  const To total = cast<To>(sum<Work, skips>(a));
  const double n = static_cast<double>(count<skips>(a));
  return skips ? op::true_divide(total, To(n)) : quotient(total, n);
}
template <class P>
__QUERN_DEVICE P squared(const complex<P>& z) {
  return z.re * z.re + z.im * z.im;
}
__QUERN_DEVICE double squared(double x) { return x * x; }
__QUERN_DEVICE float squared(float x) { return x * x; }
// The mean has type `Middle`, and the squares have its reals'.
template <class Work, class To, class Middle, bool skips, class A>
__QUERN_DEVICE double variance(const A& a) {
  const Middle middle = cast<Middle>(mean<Work, To, skips>(a));
  const long long size = a.size();
  double out = 0;
  for (long long k = 0; k < size; ++k) {
    const auto x = item(a, k);
    if (!skips || !op::is_nan(x)) out += static_cast<double>(squared(op::subtract(cast<Middle>(x), middle)));
  }
  return out / static_cast<double>(count<skips>(a));
}
// Where the first one is that none is less than: NaN where there is one, unless `skips`.
template <bool skips, bool greatest, class A>
__QUERN_DEVICE long long place_of_extreme(const A& a) {
  const long long size = a.size();
  long long place = 0;
  for (long long k = 1; k < size; ++k) {
    const auto best = item(a, place), x = item(a, k);
    const bool is_better = greatest ? op::less(best, x) : op::less(x, best);
    if (op::is_nan(best) ? skips && !op::is_nan(x) : is_better || (!skips && op::is_nan(x))) place = k;
  }
  return place;
}
template <bool skips, bool greatest, class A>
__QUERN_DEVICE typename number_of<typename A::value_type>::type extreme(const A& a) {
  typedef typename number_of<typename A::value_type>::type T;
  return a.size() > 0 ? item(a, place_of_extreme<skips, greatest>(a)) : T(0);
}
template <class A>
__QUERN_DEVICE long long count_true(const A& a) {
  const long long size = a.size();
  long long out = 0;
  for (long long k = 0; k < size; ++k) out += op::to<bool>(item(a, k));
  return out;
}
template <class A>
__QUERN_DEVICE bool all(const A& a) {
  const long long size = a.size();
  for (long long k = 0; k < size; ++k)
    if (!op::to<bool>(item(a, k))) return false;
  return true;
}
template <class A>
__QUERN_DEVICE bool any(const A& a) {
  const long long size = a.size();
  for (long long k = 0; k < size; ++k)
    if (op::to<bool>(item(a, k))) return true;
  return false;
}

// ---- the same memory in another way

// In C order; one length may be -1. Where the lengths do not fit there are no elements, and `data` is null.
template <class From, class... Lengths>
__QUERN_DEVICE array<typename From::value_type, static_cast<int>(sizeof...(Lengths)), true> reshaped(const From& from, Lengths... lengths) {
  constexpr int n = static_cast<int>(sizeof...(Lengths));
  array<typename From::value_type, n, true> out;
  const long long wanted[] = {static_cast<long long>(lengths)..., 0};
  const long long size = from.size();
  long long known = 1;
  int open = 0;
  bool is_right = true;
  for (int i = 0; i < n; ++i) {
    out.shape[i] = wanted[i];
    open += wanted[i] == -1;
    is_right = is_right && wanted[i] >= -1;
    known *= wanted[i] == -1 ? 1 : wanted[i];
  }
  if (open == 1 && known > 0 && size % known == 0) {
    for (int i = 0; i < n; ++i) out.shape[i] = wanted[i] == -1 ? size / known : wanted[i];
    known = size;
    open = 0;
  }
  is_right = is_right && open == 0 && known == size;
  long long step = sizeof(typename From::value_type);
  for (int i = n - 1; i >= 0; --i) {
    if (!is_right) out.shape[i] = 0;
    out.strides[i] = step;
    step *= out.shape[i];
  }
  out.data = is_right ? from.data : nullptr;
  return out;
}
// Elements of another type; of another size, they must lie side by side along the last axis. `data` is null where that does not go.
template <class T, class From>
__QUERN_DEVICE array<T, From::ndim, From::is_contiguous> viewed(const From& from) {
  constexpr int last = From::ndim - 1;
  constexpr long long before = sizeof(typename From::value_type), after = sizeof(T);
  array<T, From::ndim, From::is_contiguous> out;
  out.data = reinterpret_cast<T*>(from.data);
  for (int i = 0; i < From::ndim; ++i) {
    out.shape[i] = from.extent(i);
    out.strides[i] = from.step(i);
  }
  if constexpr (before != after && last >= 0) {
    const long long bytes = from.extent(last) * before;
    bool is_right = true;
#ifndef __QUERN_CPU__
    // A GPU reads whole numbers where they lie at multiples of their size.
    is_right = reinterpret_cast<unsigned long long>(from.data) % alignof(T) == 0;
    for (int i = 0; i < last; ++i) is_right = is_right && from.step(i) % static_cast<long long>(alignof(T)) == 0;
#endif
    if (!is_right || (from.extent(last) > 1 && from.step(last) != before) || bytes % after != 0) {
      out.data = nullptr;
      for (int i = 0; i < From::ndim; ++i) out.shape[i] = 0;
      return out;
    }
    out.shape[last] = bytes / after;
    out.strides[last] = after;
  }
  return out;
}
// The parts of complex numbers: `which` is 0 of the real ones, 1 of the imaginary ones.
template <class P, int which, class From>
__QUERN_DEVICE array<P, From::ndim, false> part(const From& from) {
  array<P, From::ndim, false> out;
  out.data = reinterpret_cast<P*>(from.data) + which;
  for (int i = 0; i < From::ndim; ++i) {
    out.shape[i] = from.extent(i);
    out.strides[i] = from.step(i);
  }
  return out;
}
// Axes in another order.
template <int... axes, class From>
__QUERN_DEVICE array<typename From::value_type, From::ndim, false> turned(const From& from) {
  array<typename From::value_type, From::ndim, false> out;
  const int order[] = {axes..., 0};
  out.data = from.data;
  for (int i = 0; i < From::ndim; ++i) {
    out.shape[i] = from.extent(order[i]);
    out.strides[i] = from.step(order[i]);
  }
  return out;
}

// ---- copies, in memory that goes when the function returns

struct heap {
  void* last = nullptr;
  __QUERN_DEVICE ~heap() {
    while (last) {
      void* next = *static_cast<void**>(last);
      ::free(last);
      last = next;
    }
  }
  // `data` is null where there is no memory.
  template <class T>
  __QUERN_DEVICE T* take(long long n) {
    char* made = static_cast<char*>(::malloc(static_cast<size_t>(16 + n * static_cast<long long>(sizeof(T)))));
    if (!made) return nullptr;
    *reinterpret_cast<void**>(made) = last;
    last = made;
    return reinterpret_cast<T*>(made + 16);
  }
};
template <class T, class From>
__QUERN_DEVICE array<T, From::ndim, true> copied(heap& memory, const From& from) {
  array<T, From::ndim, true> out;
  out.data = memory.take<T>(from.size());
  long long step = sizeof(T);
  for (int i = From::ndim - 1; i >= 0; --i) {
    out.shape[i] = out.data ? from.extent(i) : 0;
    out.strides[i] = step;
    step *= out.shape[i];
  }
  if (out.data) assign(out, from);
  return out;
}

// ---- elements of one array into another that may share its memory

template <class A>
__QUERN_DEVICE void bytes_of(const A& a, const char*& first, const char*& end) {
  first = end = reinterpret_cast<const char*>(a.data);
  for (int i = 0; i < A::ndim; ++i) {
    const long long reach = (a.extent(i) - 1) * a.step(i);
    (reach < 0 ? first : end) += reach;
  }
  end += sizeof(typename A::value_type);
}
template <class A, class B>
__QUERN_DEVICE bool overlap(const A& a, const B& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const char *first_of_a, *end_of_a, *first_of_b, *end_of_b;
  bytes_of(a, first_of_a, end_of_a);
  bytes_of(b, first_of_b, end_of_b);
  return first_of_a < end_of_b && first_of_b < end_of_a;
}
// Does each element of `a` lie where the one of `b` that goes with it does?
template <class A, class B>
__QUERN_DEVICE bool same_places(const A& a, const B& b) {
  if (A::ndim != B::ndim || sizeof(typename A::value_type) != sizeof(typename B::value_type)) return false;
  bool same = static_cast<const void*>(a.data) == static_cast<const void*>(b.data);
  for (int i = 0; i < A::ndim; ++i)
    same = same && a.extent(i) == b.extent(i) && (a.extent(i) == 1 || a.step(i) == b.step(i));
  return same;
}
// As if `from` were read before `a` is written, which takes a copy where they overlap. False where there is no memory for it.
template <class A, class B>
__QUERN_DEVICE bool assign_all(const A& a, const B& from) {
  if (!overlap(a, from) || same_places(a, from)) {
    assign(a, from);
    return true;
  }
  heap memory;
  const auto before = copied<typename B::value_type>(memory, from);
  if (!before.data) return false;
  assign(a, before);
  return true;
}

}  // namespace whole
}  // namespace py
}  // namespace quern
}
