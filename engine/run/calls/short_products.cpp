// The host's library has no products of 16-bit numbers. A tile of each operand goes to float32 in memory of the thread's own, as
// it lies (turned or not), and the library multiplies tiles into one of the result; its rows are rounded when k is through.
#include "run/calls/short_products.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "device/cpu.h"
#include "device/host_gemm.h"
#include "graph/tier0/loops.h"
#include "run/calls/call_launch.h"

namespace quern {

namespace {

// A tile's sides: three of them stay in a core's cache, and a number that is converted is used some hundreds of times.
constexpr int64_t tile = 384;
constexpr int64_t for_a_thread = 200'000;  // multiplications

// Rows and columns [row, row + rows) x [column, column + columns) of a matrix as float32, line by line as it lies.
void convert(tier0::Convert to_float, const MatrixBatch& matrix, int64_t row, int64_t rows, int64_t column, int64_t columns,
             float* out) {
  if (matrix.transposed) std::swap(row, column), std::swap(rows, columns);
  const char* from = static_cast<const char*>(matrix.data) + (row * matrix.step + column) * 2;
  if (matrix.step == columns) return to_float(from, 1, out, 1, rows * columns);
  for (int64_t i = 0; i < rows; ++i) to_float(from + i * matrix.step * 2, 1, out + i * columns, 1, columns);
}

// A part of the result: rows and columns of it, all of k.
void multiply_part(const MatrixProduct& p, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  thread_local std::unique_ptr<float[]> room;
  if (!room) room.reset(new float[3 * tile * tile]);
  float *a = room.get(), *b = a + tile * tile, *c = b + tile * tile;
  tier0::Convert to_float = tier0::conversion(p.dtype, DType::float32), back = tier0::conversion(DType::float32, p.dtype);
  for (int64_t i = row; i < row + rows; i += tile) {
    const int64_t m = std::min(tile, row + rows - i);
    for (int64_t j = column; j < column + columns; j += tile) {
      const int64_t n = std::min(tile, column + columns - j);
      for (int64_t l = 0; l < p.k; l += tile) {
        const int64_t k = std::min(tile, p.k - l);
        convert(to_float, p.a, i, m, l, k, a);
        convert(to_float, p.b, l, k, j, n, b);
        const HostMatrix<const float> left = p.a.transposed ? HostMatrix<const float>{a, 1, m} : HostMatrix<const float>{a, k, 1};
        const HostMatrix<const float> right =
            p.b.transposed ? HostMatrix<const float>{b, 1, k} : HostMatrix<const float>{b, n, 1};
        multiply_matrices<float>(left, right, {c, n, 1}, m, n, k, l > 0);
      }
      for (int64_t line = 0; line < m; ++line) back(c + line * n, 1, static_cast<char*>(p.c) + ((i + line) * p.n + j) * 2, 1, n);
    }
  }
}

}  // namespace

void multiply_short(const MatrixProduct& p, const std::vector<int64_t>& a_starts, const std::vector<int64_t>& b_starts) {
  const auto count = static_cast<int64_t>(a_starts.size());
  if (p.k == 0) return std::memset(p.c, 0, static_cast<size_t>(count * p.m * p.n) * 2), void();
  OneBlasThread alone;
  // Each product in a grid of parts that are about as high as wide.
  const int64_t work = p.m * p.n * p.k, slices = std::clamp<int64_t>(work * count / for_a_thread, 1, cpu_threads());
  int64_t down = 1, across = 1;
  while (down * across * count < slices && (down < p.m || across < p.n)) {
    const bool higher = across >= p.n || (down < p.m && p.m * across >= p.n * down);
    higher ? down *= 2 : across *= 2;
  }
  down = std::min(down, p.m), across = std::min(across, p.n);
  const int64_t parts = down * across;
  auto part = [&](int64_t from, int64_t to) {
    for (int64_t u = from; u < to; ++u) {
      const int64_t which = u / parts, y = u % parts / across, x = u % across;
      MatrixProduct one = p;
      one.a.data = static_cast<char*>(p.a.data) + a_starts[static_cast<size_t>(which)] * 2;
      one.b.data = static_cast<char*>(p.b.data) + b_starts[static_cast<size_t>(which)] * 2;
      one.c = static_cast<char*>(p.c) + which * p.m * p.n * 2;
      const int64_t row = p.m * y / down, column = p.n * x / across;
      multiply_part(one, row, p.m * (y + 1) / down - row, column, p.n * (x + 1) / across - column);
    }
  };
  in_slices(count * parts, part, std::max<int64_t>(1, count * parts / slices));
}

}  // namespace quern
