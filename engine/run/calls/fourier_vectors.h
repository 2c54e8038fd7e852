// What the transforms' kernels compute with: vectors of the level that a file stands for (fourier_levels.h), complex numbers of
// them, discrete transforms of a few such numbers in registers, and matrices of a vector's width turned over.
//
// Every lane of a vector is of another line: no number of one line meets those of another.
//
// A function carries the level's attributes itself. Were they on a caller alone, the compiler would cut its vectors into
// smaller ones before it puts it into the caller.
#pragma once

#include <cstdint>
#include <utility>

namespace quern::fft {

inline namespace QUERN_FOURIER_LEVEL {  // so that the names of functions say whose instructions they have
namespace {

#define FN [[gnu::always_inline QUERN_FOURIER_TARGET]] inline

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(QUERN_FOURIER_BYTES)));
  typedef T anywhere __attribute__((vector_size(QUERN_FOURIER_BYTES), aligned(alignof(T)), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int64_t width = QUERN_FOURIER_BYTES / static_cast<int64_t>(sizeof(T));

template <class T>
FN Vector<T> load(const T* p) {
  return *reinterpret_cast<const typename VectorOf<T>::anywhere*>(p);
}
template <class T>
FN void store(T* p, Vector<T> v) {
  *reinterpret_cast<typename VectorOf<T>::anywhere*>(p) = v;
}

// A complex number, or one in each lane.
template <class V>
struct Complex {
  V re, im;
};
template <class T>
using Number = Complex<T>;
template <class T>
using Pair = Complex<Vector<T>>;

template <class V>
FN Complex<V> operator+(Complex<V> a, Complex<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
FN Complex<V> operator-(Complex<V> a, Complex<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V, class T>
FN Complex<V> operator*(Complex<V> a, T b) {
  return {a.re * b, a.im * b};
}
template <class V>
FN Complex<V> operator*(Complex<V> a, Complex<V> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// By a number that all lanes share.
template <class V, class T>
FN Complex<V> times(Complex<V> a, const T* w) {
  return {a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
}
template <class V>
FN Complex<V> conjugate(Complex<V> a) {
  return {a.re, -a.im};
}
template <class V>
FN Complex<V> exchanged(Complex<V> a) {
  return {a.im, a.re};
}
// a - i b and a + i b.
template <class V>
FN Complex<V> less_turned(Complex<V> a, Complex<V> b) {
  return {a.re + b.im, a.im - b.re};
}
template <class V>
FN Complex<V> plus_turned(Complex<V> a, Complex<V> b) {
  return {a.re - b.im, a.im + b.re};
}

// ---- constants: cos and sin of 2 pi k / n, exact to more than a double's digits

constexpr long double tau = 6.283185307179586476925286766559005768L;
constexpr long double series(long double x, bool is_sine) {
  long double term = is_sine ? x : 1, sum = term;
  for (int i = is_sine ? 2 : 1; i < 40; i += 2) {
    term *= -x * x / (static_cast<long double>(i) * (i + 1));
    sum += term;
  }
  return sum;
}
constexpr long double cosine(int k, int n) {
  k = (k % n + n) % n;
  if (2 * k > n) k = n - k;
  if (4 * k > n) return -cosine(n - 2 * k, 2 * n);
  if (8 * k > n) return series(tau / 4 * (n - 4 * k) / n, true);
  return series(tau * k / n, false);
}
constexpr long double sine(int k, int n) { return cosine(4 * k - n, 4 * n); }

template <class T, int n>
struct Circle {
  T cos[n]{}, sin[n]{};
  constexpr Circle() {
    for (int k = 0; k < n; ++k) {
      cos[k] = static_cast<T>(cosine(k, n));
      sin[k] = static_cast<T>(sine(k, n));
    }
  }
};
template <class T, int n>
inline constexpr Circle<T, n> circle{};

// ---- transforms of n numbers in registers, in place, in natural order: e^-i

#define UNROLLED _Pragma("GCC unroll 16")

// Of an odd prime: the cosines go with sums of numbers that lie opposite each other, the sines with differences.
template <class T, int n>
struct Short {
  FN static void run(Pair<T>* a) {
    constexpr int half = n / 2;
    Pair<T> sums[half + 1], rests[half + 1], first = a[0];
    UNROLLED for (int j = 1; j <= half; ++j) {
      sums[j] = a[j] + a[n - j];
      rests[j] = a[j] - a[n - j];
    }
    Pair<T> all = first;
    UNROLLED for (int j = 1; j <= half; ++j) all = all + sums[j];
    a[0] = all;
    UNROLLED for (int k = 1; k <= half; ++k) {
      Pair<T> even = first + sums[1] * circle<T, n>.cos[k], odd = rests[1] * circle<T, n>.sin[k];
      UNROLLED for (int j = 2; j <= half; ++j) {
        even = even + sums[j] * circle<T, n>.cos[j * k % n];
        odd = odd + rests[j] * circle<T, n>.sin[j * k % n];
      }
      a[k] = less_turned(even, odd);
      a[n - k] = plus_turned(even, odd);
    }
  }
};

template <class T>
struct Short<T, 1> {
  FN static void run(Pair<T>*) {}
};

template <class T>
struct Short<T, 2> {
  FN static void run(Pair<T>* a) {
    Pair<T> less = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = less;
  }
};

template <class T>
struct Short<T, 4> {
  FN static void run(Pair<T>* a) {
    Pair<T> sum = a[0] + a[2], less = a[0] - a[2], other = a[1] + a[3], rest = a[1] - a[3];
    a[0] = sum + other;
    a[1] = less_turned(less, rest);
    a[2] = sum - other;
    a[3] = plus_turned(less, rest);
  }
};

template <class T>
struct Short<T, 8> {
  FN static void run(Pair<T>* a) {
    constexpr T root = circle<T, 8>.cos[1];
    Pair<T> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
    Short<T, 4>::run(even);
    Short<T, 4>::run(odd);
    Pair<T> one{odd[1].re + odd[1].im, odd[1].im - odd[1].re};    // times 1 - i
    Pair<T> three{odd[3].im - odd[3].re, odd[3].re + odd[3].im};  // times -1 - i, conjugated twice: see below
    one = one * root;
    three = three * root;
    a[0] = even[0] + odd[0];
    a[4] = even[0] - odd[0];
    a[1] = even[1] + one;
    a[5] = even[1] - one;
    a[2] = less_turned(even[2], odd[2]);
    a[6] = plus_turned(even[2], odd[2]);
    a[3] = {even[3].re + three.re, even[3].im - three.im};
    a[7] = {even[3].re - three.re, even[3].im + three.im};
  }
};

// Of a product without common factors: places are counted so that no factors are left between the two.
template <class T, int n1, int n2>
struct Coprime {
  static constexpr int inverse(int a, int m) {
    for (int i = 1; i < m; ++i)
      if (a * i % m == 1) return i;
    return 1;
  }
  FN static void run(Pair<T>* a) {
    constexpr int n = n1 * n2, first = n2 * inverse(n2 % n1, n1), second = n1 * inverse(n1 % n2, n2);
    Pair<T> b[n2][n1];
    UNROLLED for (int j = 0; j < n2; ++j) {
      UNROLLED for (int i = 0; i < n1; ++i) b[j][i] = a[(n2 * i + n1 * j) % n];
      Short<T, n1>::run(b[j]);
    }
    UNROLLED for (int i = 0; i < n1; ++i) {
      Pair<T> c[n2];
      UNROLLED for (int j = 0; j < n2; ++j) c[j] = b[j][i];
      Short<T, n2>::run(c);
      UNROLLED for (int j = 0; j < n2; ++j) a[(first * i + second * j) % n] = c[j];
    }
  }
};
template <class T, int n1, int n2>
struct Product {
  FN static void run(Pair<T>* a) {
    constexpr int n = n1 * n2;
    Pair<T> b[n2][n1];
    UNROLLED for (int j = 0; j < n2; ++j) {
      UNROLLED for (int i = 0; i < n1; ++i) b[j][i] = a[n2 * i + j];
      Short<T, n1>::run(b[j]);
      UNROLLED for (int i = 1; i < n1; ++i) {
        if (j == 0) continue;
        Pair<T> x = b[j][i];
        T c = circle<T, n>.cos[i * j], s = circle<T, n>.sin[i * j];
        b[j][i] = {x.re * c + x.im * s, x.im * c - x.re * s};
      }
    }
    UNROLLED for (int i = 0; i < n1; ++i) {
      Pair<T> c[n2];
      UNROLLED for (int j = 0; j < n2; ++j) c[j] = b[j][i];
      Short<T, n2>::run(c);
      UNROLLED for (int j = 0; j < n2; ++j) a[i + n1 * j] = c[j];
    }
  }
};
template <class T>
struct Short<T, 6> : Coprime<T, 2, 3> {};
template <class T>
struct Short<T, 9> : Product<T, 3, 3> {};
template <class T>
struct Short<T, 10> : Coprime<T, 2, 5> {};
template <class T>
struct Short<T, 12> : Coprime<T, 4, 3> {};
template <class T>
struct Short<T, 15> : Coprime<T, 3, 5> {};
template <class T>
struct Short<T, 16> : Product<T, 4, 4> {};

// ---- lanes moved about

// A pattern as a type: at(k) says which element of both vectors, one behind the other, comes to lane k.
template <class T, class Pattern, int... k>
FN Vector<T> picked_by(Vector<T> a, Vector<T> b, std::integer_sequence<int, k...>) {
  return __builtin_shufflevector(a, b, Pattern::at(k)...);
}
template <class T, class Pattern>
FN Vector<T> picked(Vector<T> a, Vector<T> b) {
  return picked_by<T, Pattern>(a, b, std::make_integer_sequence<int, static_cast<int>(width<T>)>{});
}

// Within 16 bytes each: the first halves' (or the second halves') groups of g elements, in turn from a and b.
template <class T, int g, bool second>
struct Unpack {
  static constexpr int at(int k) {
    constexpr int w = static_cast<int>(width<T>), lane = 16 / static_cast<int>(sizeof(T));
    int base = k / lane * lane, rest = k % lane, group = rest / g, inside = rest % g;
    return base + (second ? lane / 2 : 0) + group / 2 * g + inside + (group % 2 ? w : 0);
  }
};
// Blocks of b elements: those at even places of both, in turn; or those at odd ones.
template <class T, int b, bool second>
struct Blocks {
  static constexpr int at(int k) {
    constexpr int w = static_cast<int>(width<T>);
    int block = k / b, inside = k % b;
    return (block / 2 * 2 + (second ? 1 : 0)) * b + inside + (block % 2 ? w : 0);
  }
};
// The even or the odd elements of a and b, one behind the other; and what makes that undone.
template <class T, bool second>
struct Parted {
  static constexpr int at(int k) { return 2 * k + (second ? 1 : 0); }
};
template <class T, bool second>
struct Joined {
  static constexpr int at(int k) {
    constexpr int w = static_cast<int>(width<T>);
    return k / 2 + (second ? w / 2 : 0) + (k % 2 ? w : 0);
  }
};
template <class T>
struct Reversed {
  static constexpr int at(int k) { return static_cast<int>(width<T>) - 1 - k; }
};

// A square of vectors turned over: element k of vector i is afterwards element i of vector k.
template <class T, int b>
FN void turn_blocks(Vector<T>* x) {
  constexpr int w = static_cast<int>(width<T>);
  if constexpr (b < w) {
    UNROLLED for (int i = 0; i < w; ++i) {
      if (i & b) continue;
      Vector<T> low = picked<T, Blocks<T, b, false>>(x[i], x[i + b]), high = picked<T, Blocks<T, b, true>>(x[i], x[i + b]);
      x[i] = low;
      x[i + b] = high;
    }
    turn_blocks<T, 2 * b>(x);
  }
}
template <class T>
FN void turn_over(Vector<T>* x) {
  constexpr int w = static_cast<int>(width<T>);
  if constexpr (sizeof(T) == 8) {
    turn_blocks<T, 1>(x);
  } else {
    UNROLLED for (int i = 0; i < w; i += 4) {
      Vector<T> a = picked<T, Unpack<T, 1, false>>(x[i], x[i + 1]), b = picked<T, Unpack<T, 1, true>>(x[i], x[i + 1]);
      Vector<T> c = picked<T, Unpack<T, 1, false>>(x[i + 2], x[i + 3]), d = picked<T, Unpack<T, 1, true>>(x[i + 2], x[i + 3]);
      x[i] = picked<T, Unpack<T, 2, false>>(a, c);
      x[i + 1] = picked<T, Unpack<T, 2, true>>(a, c);
      x[i + 2] = picked<T, Unpack<T, 2, false>>(b, d);
      x[i + 3] = picked<T, Unpack<T, 2, true>>(b, d);
    }
    turn_blocks<T, 4>(x);
  }
}

}  // namespace
}  // namespace QUERN_FOURIER_LEVEL

}  // namespace quern::fft
