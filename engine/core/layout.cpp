#include "core/layout.h"

#include "core/error.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace quern {

namespace {

int64_t product(const Shape& shape) {
  constexpr size_t most_dimensions = 64;
  if (shape.size() > most_dimensions)
    raise(ErrorKind::value, "maximum supported dimension for an ndarray is currently {}, found {}", most_dimensions,
          shape.size());
  int64_t n = 1;
  for (int64_t d : shape)
    if (__builtin_mul_overflow(n, d, &n)) raise(ErrorKind::value, "[shape] {} has too many elements", to_string(shape));
  return n;
}

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Layout Layout::contiguous(Shape shape) {
  Layout out{std::move(shape), {}, 0};
  out.strides.resize(out.rank());
  int64_t step = product(out.shape) == 0 ? 0 : 1;
  for (size_t i = out.rank(); i-- > 0;) {
    out.strides[i] = step;
    step *= out.shape[i];
  }
  return out;
}

Layout Layout::fortran(Shape shape) {
  Layout out{std::move(shape), {}, 0};
  out.strides.resize(out.rank());
  int64_t step = product(out.shape) == 0 ? 0 : 1;
  for (size_t i = 0; i < out.rank(); ++i) {
    out.strides[i] = step;
    step *= out.shape[i];
  }
  return out;
}

Layout Layout::ordered(Shape shape, std::span<const int64_t> strides) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return std::abs(strides[x]) > std::abs(strides[y]); });
  Layout out{std::move(shape), {}, 0};
  out.strides.resize(out.rank());
  int64_t step = product(out.shape) == 0 ? 0 : 1;
  for (size_t i = out.rank(); i-- > 0;) {
    out.strides[order[i]] = step;
    step *= out.shape[order[i]];
  }
  return out;
}

int64_t Layout::size() const { return product(shape); }

bool Layout::is_contiguous() const {
  int64_t step = 1;
  if (size() == 0) return true;
  for (size_t i = rank(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

bool Layout::is_fortran() const {
  int64_t step = 1;
  if (size() == 0) return true;
  for (size_t i = 0; i < rank(); ++i) {
    if (shape[i] != 1 && strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

std::pair<int64_t, int64_t> Layout::extent() const {
  int64_t low = offset, high = offset;
  for (size_t i = 0; i < rank(); ++i) {
    if (shape[i] == 0) return {offset, offset};
    int64_t reach = (shape[i] - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return {low, high + 1};
}

Layout Layout::transposed(std::span<const int> axes) const {
  if (axes.size() != rank()) raise(ErrorKind::value, "[transpose] axes don't match array");
  Layout out{Shape(rank()), std::vector<int64_t>(rank()), offset};
  std::vector<bool> seen(rank());
  for (size_t i = 0; i < rank(); ++i) {
    size_t from = axes[i];
    if (from >= rank() || seen[from]) raise(ErrorKind::value, "[transpose] axes must be a permutation");
    seen[from] = true;
    out.shape[i] = shape[from];
    out.strides[i] = strides[from];
  }
  return out;
}

Layout Layout::sliced(size_t axis, int64_t start, int64_t count, int64_t step) const {
  Layout out = *this;
  if (count > 0) out.offset += start * strides[axis];
  out.shape[axis] = std::max<int64_t>(count, 0);
  out.strides[axis] *= step;
  return out;
}

Layout Layout::without(size_t axis, int64_t index) const {
  Layout out = *this;
  out.offset += index * strides[axis];
  out.shape.erase(out.shape.begin() + axis);
  out.strides.erase(out.strides.begin() + axis);
  return out;
}

Layout Layout::broadcast_to(const Shape& to) const {
  if (to.size() < rank())
    raise(ErrorKind::value, "[broadcast] shape {} does not broadcast to {}", to_string(shape), to_string(to));
  Layout out{to, std::vector<int64_t>(to.size(), 0), offset};
  size_t lead = to.size() - rank();
  for (size_t i = 0; i < rank(); ++i) {
    if (shape[i] == to[lead + i])
      out.strides[lead + i] = strides[i];
    else if (shape[i] != 1)
      raise(ErrorKind::value, "[broadcast] shape {} does not broadcast to {}", to_string(shape), to_string(to));
  }
  return out;
}

// Walks runs of old dimensions against runs of new ones with the same product; a run must be walkable as one dimension.
std::optional<Layout> Layout::reshaped(const Shape& to) const {
  if (product(to) != size())
    raise(ErrorKind::value, "[reshape] cannot reshape array of size {} into shape {}", size(), to_string(to));
  Layout out{to, std::vector<int64_t>(to.size(), 0), offset};
  if (size() == 0) {
    int64_t step = 1;
    for (size_t i = to.size(); i-- > 0; step *= std::max<int64_t>(to[i], 1)) out.strides[i] = step;
    return out;
  }
  Shape old_shape;
  std::vector<int64_t> old_strides;
  for (size_t i = 0; i < rank(); ++i)
    if (shape[i] != 1) old_shape.push_back(shape[i]), old_strides.push_back(strides[i]);
  size_t oi = 0, ni = 0;
  while (oi < old_shape.size() && ni < to.size()) {
    size_t oj = oi + 1, nj = ni + 1;
    int64_t have = old_shape[oi], want = to[ni];
    while (have != want) {
      if (want < have)
        want *= to[nj++];
      else
        have *= old_shape[oj++];
    }
    for (size_t k = oi; k + 1 < oj; ++k)
      if (old_strides[k] != old_strides[k + 1] * old_shape[k + 1]) return std::nullopt;
    int64_t step = old_strides[oj - 1];
    for (size_t k = nj; k-- > ni;) {
      out.strides[k] = step;
      step *= to[k];
    }
    oi = oj;
    ni = nj;
  }
  int64_t last = ni > 0 ? out.strides[ni - 1] : 1;
  for (; ni < to.size(); ++ni) out.strides[ni] = last;
  return out;
}

Shape known_shape(const Shape& given, int64_t size) {
  Shape shape = given;
  int64_t* unknown = nullptr;
  int64_t known = 1;
  for (int64_t& n : shape) {
    if (n < -1) raise(ErrorKind::value, "[reshape] {} has a negative number", to_string(given));
    if (n == -1 && unknown) raise(ErrorKind::value, "[reshape] {} has -1 twice", to_string(given));
    if (n == -1)
      unknown = &n;
    else if (__builtin_mul_overflow(known, n, &known))
      raise(ErrorKind::value, "[reshape] {} has too many elements", to_string(given));
  }
  if (unknown ? known == 0 || size % known != 0 : known != size)
    raise(ErrorKind::value, "[reshape] cannot reshape array of size {} into shape {}", size, to_string(given));
  if (unknown) *unknown = size / known;
  return shape;
}

Shape broadcast_shapes(std::span<const Shape> shapes) {
  Shape out;
  for (const Shape& s : shapes) {
    if (s.size() > out.size()) out.insert(out.begin(), s.size() - out.size(), 1);
    size_t lead = out.size() - s.size();
    for (size_t i = 0; i < s.size(); ++i) {
      int64_t& d = out[lead + i];
      if (d == 1)
        d = s[i];
      else if (s[i] != 1 && s[i] != d) {
        std::string all;
        for (const Shape& t : shapes) all += (all.empty() ? "" : " ") + to_string(t);
        for (size_t at; (at = all.find(", ")) != std::string::npos;) all.erase(at + 1, 1);  // "(2,3) (4,5)", in NumPy's words
        raise(ErrorKind::value, "[broadcast] operands could not be broadcast together with shapes {}", all);
      }
    }
  }
  return out;
}

void collapse(std::vector<Layout>& layouts) {
  if (layouts.empty()) return;
  size_t rank = layouts[0].rank();
  auto erase = [&](size_t axis) {
    for (Layout& l : layouts) {
      l.shape.erase(l.shape.begin() + axis);
      l.strides.erase(l.strides.begin() + axis);
    }
  };
  for (size_t i = rank; i-- > 0;)
    if (layouts[0].shape[i] == 1) erase(i);
  for (size_t i = layouts[0].rank(); i-- > 1;) {
    bool merges = std::all_of(layouts.begin(), layouts.end(),
                              [&](const Layout& l) { return l.strides[i - 1] == l.strides[i] * l.shape[i]; });
    if (!merges) continue;
    for (Layout& l : layouts) {
      l.shape[i - 1] *= l.shape[i];
      l.strides[i - 1] = l.strides[i];
    }
    erase(i);
  }
}

}  // namespace quern
