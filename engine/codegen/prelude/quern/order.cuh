// The order of values as NumPy's sort has it: each value becomes a key, an unsigned number, and keys order as the values do.
// NaN comes last; complex numbers order by the real part, then the imaginary one, those with a NaN after all others.
// Compiled for GPUs as kernels, and into quern itself for the CPU.
#pragma once

namespace quern {
namespace op {

struct WideKey {
  unsigned long long low, high;
};
__QUERN_BOTH bool operator<(const WideKey& a, const WideKey& b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
__QUERN_BOTH bool operator==(const WideKey& a, const WideKey& b) { return a.high == b.high && a.low == b.low; }

template <class K>
__QUERN_BOTH K inverse_key(const K& k) {
  return static_cast<K>(~k);
}
__QUERN_BOTH WideKey inverse_key(const WideKey& k) { return WideKey{~k.low, ~k.high}; }
template <class K>
__QUERN_BOTH K last_key() {
  return static_cast<K>(~K(0));
}
template <>
__QUERN_BOTH WideKey last_key<WideKey>() {
  return WideKey{~0ull, ~0ull};
}
// The eight bits that pass number `pass` of a radix sort reads.
template <class K>
__QUERN_BOTH unsigned int key_digit(const K& k, int pass) {
  return static_cast<unsigned int>(k >> (8 * pass)) & 255u;
}
__QUERN_BOTH unsigned int key_digit(const WideKey& k, int pass) {
  return key_digit(pass < 8 ? k.low : k.high, pass & 7);
}

// Each has: Bits (what lies in memory), Key, key(bits, joined), bits(key), is_nan(key). `joined`: -0 and 0 get one key, as they
// are equal; without it bits() (where `has_bits`) gives back what key() took, but for the bits inside a NaN.

template <class B>
struct NaturalOrder {
  typedef B Bits;
  typedef B Key;
  static constexpr bool has_bits = true;
  __QUERN_BOTH static Key key(Bits b, bool) { return b; }
  __QUERN_BOTH static Bits bits(Key k) { return k; }
  __QUERN_BOTH static bool is_nan(Key) { return false; }
};

struct TruthOrder : NaturalOrder<unsigned char> {  // any byte but 0 is true
  __QUERN_BOTH static Key key(Bits b, bool) { return b != 0; }
};

template <class B>
struct IntegerOrder {
  typedef B Bits;
  typedef B Key;
  static constexpr bool has_bits = true;
  static constexpr B sign = static_cast<B>(B(1) << (sizeof(B) * 8 - 1));
  __QUERN_BOTH static Key key(Bits b, bool) { return static_cast<B>(b ^ sign); }
  __QUERN_BOTH static Bits bits(Key k) { return static_cast<B>(k ^ sign); }
  __QUERN_BOTH static bool is_nan(Key) { return false; }
};

template <class B, B infinity>
struct RealOrder {
  typedef B Bits;
  typedef B Key;
  static constexpr bool has_bits = true;
  static constexpr B sign = static_cast<B>(B(1) << (sizeof(B) * 8 - 1));
  __QUERN_BOTH static Key key(Bits b, bool joined) {
    if (static_cast<B>(b & ~sign) > infinity) return last_key<B>();
    if (joined && b == sign) b = 0;
    return static_cast<B>(b & sign ? ~b : b | sign);
  }
  __QUERN_BOTH static Bits bits(Key k) {
    if (is_nan(k)) return static_cast<B>(infinity | (infinity & ~(infinity << 1)) >> 1);
    return static_cast<B>(k & sign ? k ^ sign : ~k);
  }
  __QUERN_BOTH static bool is_nan(Key k) { return k == last_key<B>(); }
};

template <class P>
struct KeyOfTwo {
  typedef unsigned long long Key;
  __QUERN_BOTH static Key make(P high, P low) { return static_cast<Key>(high) << 32 | low; }
  __QUERN_BOTH static P high(Key k) { return static_cast<P>(k >> 32); }
};
template <>
struct KeyOfTwo<unsigned long long> {
  typedef WideKey Key;
  __QUERN_BOTH static Key make(unsigned long long high, unsigned long long low) { return WideKey{low, high}; }
  __QUERN_BOTH static unsigned long long high(const Key& k) { return k.high; }
};

template <class P>
struct TwoBits {
  P re, im;
};

template <class P, P infinity>
struct ComplexOrder {
  typedef TwoBits<P> Bits;
  typedef KeyOfTwo<P> Two;
  typedef typename Two::Key Key;
  static constexpr bool has_bits = false;
  typedef RealOrder<P, infinity> Part;
  static constexpr P top = infinity | Part::sign;
  __QUERN_BOTH static Key key(const Bits& b, bool) {
    const P re = Part::key(b.re, true), im = Part::key(b.im, true);
    if (!Part::is_nan(re)) return Part::is_nan(im) ? Two::make(top + 1, re) : Two::make(re, im);
    return Part::is_nan(im) ? Two::make(top + 3, 0) : Two::make(top + 2, im);
  }
  __QUERN_BOTH static bool is_nan(const Key& k) { return Two::high(k) > top; }
};

// What argmax and argmin compare: the greatest key wins, and a NaN is greater than all.
template <class O, bool least>
__QUERN_BOTH typename O::Key extreme_key(const typename O::Bits& bits) {
  const typename O::Key k = O::key(bits, true);
  if (O::is_nan(k)) return last_key<typename O::Key>();
  return least ? inverse_key(k) : k;
}

// How many of n sorted values come before the one with this key; `right`: or equal it.
template <class O>
__QUERN_BOTH long long place_of(const typename O::Bits* sorted, long long n, const typename O::Key& key, bool right) {
  long long low = 0, high = n;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    const typename O::Key k = O::key(sorted[middle], true);
    if (k < key || (right && k == key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace op
}  // namespace quern
