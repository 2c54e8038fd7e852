// The greatest and the least of many numbers, and where it stands first, in vectors. For extremes.cpp alone, once for each level,
// with Vectors<T> of it:
//
//   Vector, width, load(p), all(number), outer<least>(a, b): a where it is beyond b, else b
//   differ(a, b): a mask, with those lanes in which either is NaN; equal(a, b): a mask; either(x, y): of both masks; is_any(mask)
//
// and QUERN_EXTREMES: the attributes of its functions.

// The extreme, while no number is NaN. The first lanes' vectors begin with the first numbers, and the last ones may come twice.
template <class T, bool least>
QUERN_EXTREMES inline T extreme_of(const T* p, int64_t n, bool& has_nan) {
  using X = Vectors<T>;
  constexpr int64_t w = X::width, step = 4 * w;
  T best = p[0];
  if (n < step) {
    bool none = false;
    for (int64_t i = 0; i < n; ++i) {
      best = (least ? p[i] < best : p[i] > best) ? p[i] : best;
      none |= p[i] != p[i];
    }
    has_nan = none;
    return best;
  }
  auto a = X::load(p), b = X::load(p + w), c = X::load(p + 2 * w), d = X::load(p + 3 * w);
  auto none = X::either(X::differ(a, b), X::differ(c, d));
  for (int64_t i = step; i < n; i += step) {
    if (i + step > n) i = n - step;
    auto e = X::load(p + i), f = X::load(p + i + w), g = X::load(p + i + 2 * w), h = X::load(p + i + 3 * w);
    none = X::either(none, X::either(X::differ(e, f), X::differ(g, h)));
    a = X::template outer<least>(e, a);
    b = X::template outer<least>(f, b);
    c = X::template outer<least>(g, c);
    d = X::template outer<least>(h, d);
  }
  has_nan = X::is_any(none);
  a = X::template outer<least>(X::template outer<least>(a, b), X::template outer<least>(c, d));
  alignas(64) T lanes[w];
  X::store(lanes, a);
  for (int64_t l = 0; l < w; ++l) best = (least ? lanes[l] < best : lanes[l] > best) ? lanes[l] : best;
  return best;
}

// The first that equals `number`; n: there is none.
template <class T>
QUERN_EXTREMES inline int64_t first_equal(const T* p, int64_t n, T number) {
  using X = Vectors<T>;
  int64_t i = 0;
  for (auto same = X::all(number); i + X::width <= n; i += X::width)
    if (X::is_any(X::equal(X::load(p + i), same))) break;
  while (i < n && !(p[i] == number)) ++i;
  return i;
}

// In parts that the first cache holds: the place is looked for in the part that has it.
template <class T, bool least>
QUERN_EXTREMES int64_t place(const char* values, int64_t n) {
  constexpr int64_t part = 8192 / sizeof(T);
  const T* p = reinterpret_cast<const T*>(values);
  int64_t found = 0;
  T best = p[0];
  for (int64_t first = 0; first < n; first += part) {
    bool has_nan;
    T here = extreme_of<T, least>(p + first, n - first < part ? n - first : part, has_nan);
    if (has_nan) {
      while (p[first] == p[first]) ++first;
      return first;
    }
    if (first == 0 || (least ? here < best : here > best)) {
      best = here;
      found = first;
    }
  }
  return found + first_equal(p + found, n - found, best);
}

template <class T, bool least>
QUERN_EXTREMES bool value(const char* values, int64_t n, char* out) {
  const T* p = reinterpret_cast<const T*>(values);
  bool has_nan;
  T best = extreme_of<T, least>(p, n, has_nan);
  if (has_nan) return false;
  if constexpr (std::is_floating_point_v<T>) {  // zeros are equal, and differ
    using Bits = std::conditional_t<sizeof(T) == 8, long long, int>;
    if (best == T(0)) {
      const Bits* bits = reinterpret_cast<const Bits*>(values);
      if (first_equal<Bits>(bits, n, std::bit_cast<Bits>(T(-0.0))) < n) return false;
      best = T(0);
    }
  }
  *reinterpret_cast<T*>(out) = best;
  return true;
}
