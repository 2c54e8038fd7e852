// Arrays of the host's, an element after the other: into C order and back, by layouts. What tier 0 and recomputation share.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/node.h"
#include "graph/tier0/loops.h"

namespace quern {

// Walks an array in C order of its dimensions, a row of the last one at a time.
template <class F>
void for_rows(const Layout& layout, F&& f) {
  size_t rank = layout.rank();
  if (std::find(layout.shape.begin(), layout.shape.end(), 0) != layout.shape.end()) return;
  if (rank == 0) return f(layout.offset, int64_t{0}, int64_t{1});
  int64_t width = layout.shape[rank - 1], step = layout.strides[rank - 1];
  if (rank == 1) return f(layout.offset, step, width);
  std::vector<int64_t> at(rank, 0);
  int64_t offset = layout.offset;
  for (int64_t row = 0;; ++row) {
    f(offset, step, width);
    size_t d = rank - 1;
    for (;; --d) {
      if (d == 0) return;
      offset += layout.strides[d - 1];
      if (++at[d - 1] < layout.shape[d - 1]) break;
      offset -= layout.strides[d - 1] * at[d - 1];
      at[d - 1] = 0;
    }
  }
}

// An array's elements, in C order and as type `to`.
inline void gather(const char* memory, DType from, const Layout& layout, DType to, char* out) {
  size_t from_size = size_of(from), to_size = size_of(to);
  tier0::Convert run = tier0::conversion(from, to);
  for_rows(layout, [&](int64_t offset, int64_t step, int64_t width) {
    run(memory + offset * static_cast<int64_t>(from_size), step, out, 1, width);
    out += width * static_cast<int64_t>(to_size);
  });
}

// The same of Op::index, whose elements are their own places.
inline void gather_positions(const Layout& layout, DType to, char* out) {
  tier0::Convert run = tier0::conversion(DType::int64, to);
  for_rows(layout, [&](int64_t offset, int64_t step, int64_t width) {
    for (int64_t i = 0; i < width; ++i, out += size_of(to)) {
      int64_t position = offset + i * step;
      run(&position, 1, out, 1, 1);
    }
  });
}

inline void scatter(const char* in, DType from, char* memory, const Layout& layout, DType to) {
  size_t from_size = size_of(from), to_size = size_of(to);
  tier0::Convert run = tier0::conversion(from, to);
  for_rows(layout, [&](int64_t offset, int64_t step, int64_t width) {
    run(in, 1, memory + offset * static_cast<int64_t>(to_size), step, width);
    in += width * static_cast<int64_t>(from_size);
  });
}

// The axes of what a reduction is over: those that stay, then those that go, each in their order; how many results there are, and
// how many elements each is made of.
struct KeptFirst {
  std::vector<int> order;
  int64_t results = 1, count = 1;
};
inline KeptFirst kept_first(const Node& reduction, const Shape& shape) {
  KeptFirst out;
  for (bool goes : {false, true}) {
    for (size_t i = 0; i < reduction.axes.size(); ++i) {
      if (reduction.axes[i] != goes) continue;
      out.order.push_back(static_cast<int>(i));
      (goes ? out.count : out.results) *= shape[i];
    }
  }
  return out;
}

}  // namespace quern
