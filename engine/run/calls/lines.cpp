#include "run/calls/lines.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "run/calls/call_launch.h"

namespace quern {

namespace {

// Of the rows that are brought in together: at least so many as share a line of the cache, more where they fit into it.
constexpr int64_t least_together = 8, most_together = 16;
constexpr int64_t cached_bytes = 1 << 18, most_bytes = 1 << 26;

struct Sixteen {
  uint64_t low, high;
};

template <class F>
void with_size(size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Sixteen{});
  }
}

}  // namespace

Lines::Lines(const Layout& in, const Layout& out, size_t axis)
    : in_length_(in.shape[axis]), out_length_(out.shape[axis]), in_step_(in.strides[axis]), out_step_(out.strides[axis]) {
  std::vector<size_t> order;
  for (size_t i = 0; i < out.rank(); ++i)
    if (i != axis) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return std::abs(out.strides[x]) > std::abs(out.strides[y]); });
  for (size_t i : order) {
    count_ *= out.shape[i];
    in_rest_.shape.push_back(out.shape[i]);
    in_rest_.strides.push_back(in.strides[i]);
    out_rest_.strides.push_back(out.strides[i]);
  }
  out_rest_.shape = in_rest_.shape;
  std::vector<Layout> both{in_rest_, out_rest_};
  collapse(both);
  in_rest_ = both[0];
  out_rest_ = both[1];
  auto are = [&](const Layout& rest, int64_t length, int64_t step) {
    return (length == 1 || step == 1) && (rest.rank() == 0 || (rest.rank() == 1 && rest.strides[0] == length));
  };
  are_rows_ = are(in_rest_, in_length_, in_step_) && are(out_rest_, out_length_, out_step_);
}

Lines::Line Lines::line(int64_t i) const {
  Line out{0, 0};
  for (size_t d = in_rest_.rank(); d-- > 0;) {
    int64_t at = i % in_rest_.shape[d];
    i /= in_rest_.shape[d];
    out.in += at * in_rest_.strides[d];
    out.out += at * out_rest_.strides[d];
  }
  return out;
}

void Lines::places(int64_t first, int64_t count, int64_t* in, int64_t* out) const {
  bool is_one = in_rest_.rank() == 0;
  int64_t inner = is_one ? count : in_rest_.shape.back(), left = inner - first % inner;
  int64_t in_next = is_one ? 0 : in_rest_.strides.back(), out_next = is_one ? 0 : out_rest_.strides.back();
  Line at = line(first);
  for (int64_t l = 0; l < count; ++l, --left) {
    if (left == 0) {
      at = line(first + l);
      left = inner;
    }
    in[l] = at.in;
    out[l] = at.out;
    at.in += in_next;
    at.out += out_next;
  }
}

int64_t Lines::side_by_side() const {
  bool beside = in_rest_.rank() > 0 && in_rest_.strides.back() == 1 && out_rest_.strides.back() == 1;
  return beside ? in_rest_.shape.back() : 0;
}

void Lines::each_beside(const char* in, size_t in_bytes, char* out, size_t out_bytes, int64_t most,
                        const std::function<void(const char*, char*, int64_t)>& f) const {
  int64_t inner = side_by_side(), parts = (inner + most - 1) / most;
  auto part = [&](int64_t from, int64_t to) {
    for (int64_t k = from; k < to; ++k) {
      int64_t first = inner * (k % parts) / parts, end = inner * (k % parts + 1) / parts;
      Line at = line(k / parts * inner + first);
      f(in + at.in * static_cast<int64_t>(in_bytes), out + at.out * static_cast<int64_t>(out_bytes), end - first);
    }
  };
  in_slices(count_ / inner * parts, part, std::max<int64_t>(1, 16384 / std::max<int64_t>(in_length_ * inner / parts, 1)));
}

void Lines::each(const char* in, size_t in_bytes, char* out, size_t out_bytes,
                 const std::function<void(const char*, char*, int64_t)>& f, int64_t least) const {
  auto in_row = static_cast<size_t>(in_length_) * in_bytes, out_row = static_cast<size_t>(out_length_) * out_bytes;
  if (are_rows_) {
    in_slices(
        count_,
        [&](int64_t from, int64_t to) {
          f(in + static_cast<size_t>(from) * in_row, out + static_cast<size_t>(from) * out_row, to - from);
        },
        least);
    return;
  }
  auto both = static_cast<int64_t>(in_row + out_row + 1);
  int64_t together = std::clamp<int64_t>(cached_bytes / both, least_together, most_together);
  together = std::min(together, std::max<int64_t>(most_bytes / both, 1));
  int64_t inner = in_rest_.rank() == 0 ? 1 : in_rest_.shape.back();
  auto part = [&](int64_t from, int64_t to) {
    auto room = std::make_unique_for_overwrite<char[]>((in_row + out_row) * static_cast<size_t>(together) + 64);
    char* ins = room.get();
    char* outs = ins + (in_row * static_cast<size_t>(together) + 15) / 16 * 16;
    for (int64_t i = from; i < to;) {
      // Neighbours: lines of the innermost of the other axes.
      int64_t rows = std::min({together, to - i, inner - i % inner});
      Line first = line(i);
      int64_t in_next = in_rest_.rank() == 0 ? 0 : in_rest_.strides.back(),
              out_next = in_rest_.rank() == 0 ? 0 : out_rest_.strides.back();
      with_size(in_bytes, [&](auto zero) {
        using T = decltype(zero);
        const T* source = reinterpret_cast<const T*>(in) + first.in;
        T* target = reinterpret_cast<T*>(ins);
        for (int64_t k = 0; k < in_length_; ++k)
          for (int64_t r = 0; r < rows; ++r) target[r * in_length_ + k] = source[k * in_step_ + r * in_next];
      });
      f(ins, outs, rows);
      with_size(out_bytes, [&](auto zero) {
        using T = decltype(zero);
        const T* source = reinterpret_cast<const T*>(outs);
        T* target = reinterpret_cast<T*>(out) + first.out;
        for (int64_t k = 0; k < out_length_; ++k)
          for (int64_t r = 0; r < rows; ++r) target[k * out_step_ + r * out_next] = source[r * out_length_ + k];
      });
      i += rows;
    }
  };
  in_slices(count_, part, std::max<int64_t>(least, 1));
}

}  // namespace quern
