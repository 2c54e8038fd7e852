// Pooling: what is largest, or the mean, of the elements in windows. On a GPU an element of a result at a time, each a loop over a
// window or over the windows that an element lies in. Which elements a window has is compiled into quern itself, too, for the CPU.
#pragma once

namespace quern {
namespace op {

// Axes: sample, channel, then three sizes. Steps are in elements.
struct PoolPlan {
  int samples, channels;
  int in[3], out[3], window[3], stride[3], before[3], dilation[3];
  int is_adaptive;  // windows cover the input evenly, whatever its size is
  int counts_border;
  long long divisor;                // of means; 0: how many elements a window has
  long long wide[5], narrow[5];     // the input's and the result's steps
  int is_last;                      // elements are numbered with the channels last
};

struct PoolPlace {
  int sample, channel, at[3];
};
template <class I>
__QUERN_BOTH PoolPlace pool_place_of(const PoolPlan& p, I i, const int* size) {
  PoolPlace place;
  const I channels = static_cast<I>(p.channels);
  if (p.is_last) place.channel = static_cast<int>(i % channels), i /= channels;
  for (int d = 2; d >= 0; --d) {
    const I n = static_cast<I>(size[d]);
    place.at[d] = n == 1 ? 0 : static_cast<int>(i % n), i = n == 1 ? i : i / n;
  }
  if (!p.is_last) place.channel = static_cast<int>(i % channels), i /= channels;
  place.sample = static_cast<int>(i);
  return place;
}
// A GPU divides numbers of 32 bits much faster.
__QUERN_BOTH PoolPlace pool_place(const PoolPlan& p, long long i, const int* size) {
  return i >> 32 ? pool_place_of(p, i, size) : pool_place_of(p, static_cast<unsigned>(i), size);
}
__QUERN_BOTH long long pool_offset(const PoolPlace& at, const long long* steps) {
  return at.sample * steps[0] + at.channel * steps[1] + at.at[0] * steps[2] + at.at[1] * steps[3] + at.at[2] * steps[4];
}

// The elements of an axis in a window: from, from + step ... below end.
struct PoolRange {
  int from, end, step;
};
__QUERN_BOTH PoolRange pool_range(const PoolPlan& p, int d, int out) {
  if (p.is_adaptive) {
    const long long in = p.in[d], n = p.out[d];
    return PoolRange{static_cast<int>(out * in / n), static_cast<int>(((out + 1) * in + n - 1) / n), 1};
  }
  PoolRange r;
  r.from = out * p.stride[d] - p.before[d];
  r.step = p.dilation[d];
  r.end = r.from + (p.window[d] - 1) * r.step + 1;
  if (r.end > p.in[d]) r.end = p.in[d];
  if (r.from < 0) r.from += (-r.from + r.step - 1) / r.step * r.step;
  return r;
}
// The windows of an axis in which an element may lie.
__QUERN_BOTH PoolRange pool_windows(const PoolPlan& p, int d, int in) {
  PoolRange r;
  r.step = 1;
  if (p.is_adaptive) {
    const long long size = p.in[d], n = p.out[d];
    r.from = static_cast<int>(in * n / size);
    r.end = static_cast<int>(((in + 1) * n + size - 1) / size);
    return r;
  }
  const int at = in + p.before[d], wide = (p.window[d] - 1) * p.dilation[d] + 1;
  r.from = at < wide ? 0 : (at - wide) / p.stride[d] + 1;
  r.end = at / p.stride[d] + 1;
  if (r.end > p.out[d]) r.end = p.out[d];
  return r;
}

// By how much the sum of a window is divided.
__QUERN_BOTH double pool_divisor(const PoolPlan& p, const int* out) {
  if (p.divisor != 0) return static_cast<double>(p.divisor);
  double count = 1;
  for (int d = 0; d < 3; ++d) {
    const PoolRange r = pool_range(p, d, out[d]);
    int n = r.end - r.from;
    if (!p.is_adaptive && p.counts_border) {
      const int from = out[d] * p.stride[d] - p.before[d], end = from + p.window[d], most = p.in[d] + p.before[d];
      n = (end < most ? end : most) - from;
    }
    count *= n;
  }
  return count;
}

// Below all others: what a window without elements has.
template <class T>
__QUERN_BOTH T pool_least() {
  return static_cast<T>(-1.7976931348623157e308) * static_cast<T>(2);
}
template <>
__QUERN_BOTH long long pool_least<long long>() {
  return -9223372036854775807ll - 1;
}

#define QUERN_EACH_IN(a, b, c)                         \
  for (int z = a.from; z < a.end; z += a.step)         \
    for (int y = b.from; y < b.end; y += b.step)       \
      for (int x = c.from; x < c.end; x += c.step)

// The largest element of a window and its place in the plane; of equal ones the first, of NaN the last.
template <class T>
__QUERN_BOTH void pool_largest(const PoolPlan& p, const T* in, T* out, long long* places, long long i) {
  const PoolPlace at = pool_place(p, i, p.out);
  const T* plane = in + at.sample * p.wide[0] + at.channel * p.wide[1];
  const PoolRange a = pool_range(p, 0, at.at[0]), b = pool_range(p, 1, at.at[1]), c = pool_range(p, 2, at.at[2]);
  long long place = -1;
  T largest = pool_least<T>();
  QUERN_EACH_IN(a, b, c) {
    const T value = plane[z * p.wide[2] + y * p.wide[3] + x * p.wide[4]];
    if (place < 0 || value > largest || value != value) {
      largest = value;
      place = (static_cast<long long>(z) * p.in[1] + y) * p.in[2] + x;
    }
  }
  const long long to = pool_offset(at, p.narrow);
  out[to] = largest;
  places[to] = place;
}

// What lies at these places of an array like the input: the same elements of another one.
template <class T>
__QUERN_BOTH void pool_pick(const PoolPlan& p, const T* in, const long long* places, T* out, long long i) {
  const PoolPlace at = pool_place(p, i, p.out);
  const long long from = pool_offset(at, p.narrow), place = places[from], row = place / p.in[2];
  PoolPlace source = at;
  source.at[0] = static_cast<int>(row / p.in[1]), source.at[1] = static_cast<int>(row % p.in[1]);
  source.at[2] = static_cast<int>(place % p.in[2]);
  out[from] = place < 0 ? T() : in[pool_offset(source, p.wide)];
}

// For an element of the input the sum of what is given to the windows whose place it is.
template <class T>
__QUERN_BOTH void pool_spread(const PoolPlan& p, const T* given, const long long* places, T* out, long long i) {
  const PoolPlace at = pool_place(p, i, p.in);
  const long long base = at.sample * p.narrow[0] + at.channel * p.narrow[1];
  const long long mine = (static_cast<long long>(at.at[0]) * p.in[1] + at.at[1]) * p.in[2] + at.at[2];
  const PoolRange a = pool_windows(p, 0, at.at[0]), b = pool_windows(p, 1, at.at[1]), c = pool_windows(p, 2, at.at[2]);
  T sum = T();
  QUERN_EACH_IN(a, b, c) {
    const long long from = base + z * p.narrow[2] + y * p.narrow[3] + x * p.narrow[4];
    if (places[from] == mine) sum += given[from];
  }
  out[pool_offset(at, p.wide)] = sum;
}

template <class T>
__QUERN_BOTH void pool_mean(const PoolPlan& p, const T* in, T* out, long long i) {
  const PoolPlace at = pool_place(p, i, p.out);
  const T* plane = in + at.sample * p.wide[0] + at.channel * p.wide[1];
  const PoolRange a = pool_range(p, 0, at.at[0]), b = pool_range(p, 1, at.at[1]), c = pool_range(p, 2, at.at[2]);
  T sum = T();
  QUERN_EACH_IN(a, b, c) sum += plane[z * p.wide[2] + y * p.wide[3] + x * p.wide[4]];
  out[pool_offset(at, p.narrow)] = sum / static_cast<T>(pool_divisor(p, at.at));
}

// For an element of the input the sum of its parts of what is given to the means.
template <class T>
__QUERN_BOTH void pool_share(const PoolPlan& p, const T* given, T* out, long long i) {
  const PoolPlace at = pool_place(p, i, p.in);
  const long long base = at.sample * p.narrow[0] + at.channel * p.narrow[1];
  const PoolRange a = pool_windows(p, 0, at.at[0]), b = pool_windows(p, 1, at.at[1]), c = pool_windows(p, 2, at.at[2]);
  T sum = T();
  QUERN_EACH_IN(a, b, c) {
    const int window[3] = {z, y, x};
    sum += given[base + z * p.narrow[2] + y * p.narrow[3] + x * p.narrow[4]] / static_cast<T>(pool_divisor(p, window));
  }
  out[pool_offset(at, p.wide)] = sum;
}

}  // namespace op
}  // namespace quern
