// Sorting on a GPU: rows of n values that lie one after the other.
//
// Short rows are sorted in shared memory (sort_rows). Long ones by radix, eight bits a pass from the lowest: sort_counts counts
// every digit of every pass, sort_starts turns the counts into starts, and sort_pass moves the keys. There a tile learns how many
// of each digit stand before it from the tiles before it, which say so as soon as they know. All of it is stable.
#pragma once

#include "quern/order.cuh"

extern "C++" {
namespace quern {
namespace op {

constexpr int sort_row_elements = 2048, sort_row_threads = 512;

// Rows of at most sort_row_elements, `width` apart in shared memory (a power of two). Pairs are compared and swapped; the place
// decides between equal keys.
template <class O>
__QUERN_DEVICE void sort_rows(const typename O::Bits* in, typename O::Bits* out, long long* places, long long rows, int n, int width,
                              bool descending) {
  typedef typename O::Key Key;
  __shared__ Key keys[sort_row_elements];
  __shared__ unsigned short index[sort_row_elements];
  const int held = sort_row_elements / width;
  const long long first = static_cast<long long>(blockIdx.x) * held;
  for (int e = threadIdx.x; e < sort_row_elements; e += sort_row_threads) {
    const int r = e / width, c = e % width;
    Key k = last_key<Key>();
    if (c < n && first + r < rows) {
      k = O::key(in[(first + r) * n + c], places != nullptr);
      if (descending) k = inverse_key(k);
    }
    keys[e] = k;
    index[e] = static_cast<unsigned short>(c);
  }
  __syncthreads();
  for (int k = 2; k <= width; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      for (int c = threadIdx.x; c < sort_row_elements / 2; c += sort_row_threads) {
        const int a = 2 * c - (c & (j - 1)), b = a + j;
        const bool up = (a & (width - 1) & k) == 0;
        const Key x = keys[a], y = keys[b];
        const unsigned short p = index[a], q = index[b];
        const bool after = y < x || (x == y && q < p);
        if (after == up) {
          keys[a] = y;
          keys[b] = x;
          index[a] = q;
          index[b] = p;
        }
      }
      __syncthreads();
    }
  }
  for (int e = threadIdx.x; e < sort_row_elements; e += sort_row_threads) {
    const int r = e / width, c = e % width;
    if (c >= n || first + r >= rows) continue;
    const long long to = (first + r) * n + c;
    if (places)
      places[to] = index[e];
    else if constexpr (O::has_bits)
      out[to] = O::bits(descending ? inverse_key(keys[e]) : keys[e]);
  }
}

constexpr int sort_threads = 512;
template <class K>
struct SortTile {
  static constexpr int passes = sizeof(K), items = sizeof(K) <= 4 ? 16 : sizeof(K) == 8 ? 10 : 5, size = items * sort_threads;
};

// counts[row][pass][digit] of each row; `parts` blocks share a row.
template <class O, class Count>
__QUERN_DEVICE void sort_counts(const typename O::Bits* in, Count* counts, long long n, int parts, bool joined, bool descending) {
  constexpr int passes = SortTile<typename O::Key>::passes;
  __shared__ unsigned int mine[passes * 256];
  for (int i = threadIdx.x; i < passes * 256; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts, share = (n + parts - 1) / parts;
  const long long end = (part + 1) * share < n ? (part + 1) * share : n;
  for (long long i = part * share + threadIdx.x; i < end; i += blockDim.x) {
    typename O::Key k = O::key(in[row * n + i], joined);
    if (descending) k = inverse_key(k);
    for (int pass = 0; pass < passes; ++pass) atomicAdd(&mine[pass * 256 + key_digit(k, pass)], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < passes * 256; i += blockDim.x) {
    if (mine[i]) atomicAdd(&counts[row * passes * 256 + i], static_cast<Count>(mine[i]));
  }
}

// What comes before each of 256 values, one for each of the first 256 threads of a block.
template <class Count>
__QUERN_DEVICE Count sort_before(Count mine, Count* sums) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Count sum = mine;
  for (int d = 1; d < 32; d *= 2) {
    const Count other = __shfl_up_sync(0xffffffffu, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31 && warp < 8) sums[warp] = sum;
  __syncthreads();
  Count start = 0;
  for (int w = 0; w < 8; ++w) {
    if (w < warp) start += sums[w];
  }
  return start + sum - mine;
}

template <class Count>
__QUERN_DEVICE void sort_starts(Count* counts) {
  __shared__ Count sums[8];
  Count* here = counts + static_cast<long long>(blockIdx.x) * 256;
  const Count mine = here[threadIdx.x];
  here[threadIdx.x] = sort_before(mine, sums);
}

// One pass. `first`: the input is values, and their places count from 0; `last`: the output is values, or places as int64.
// `status` has 256 words for each tile, all 0, and a ticket behind them. Its two highest bits say what a word holds.
template <class O, class Count, class Index, bool with_places>
__QUERN_DEVICE void sort_pass(const void* in, void* out, const Index* in_places, void* out_places, const Count* starts, Count* status,
                              unsigned int* ticket, long long n, int tiles, int pass, bool first, bool last, bool descending) {
  typedef typename O::Key Key;
  typedef typename O::Bits Bits;
  typedef SortTile<Key> Tile;
  constexpr int items = Tile::items, warps = sort_threads / 32;
  constexpr int widest = with_places && sizeof(Index) > sizeof(Key) ? sizeof(Index) : sizeof(Key);
  constexpr int bytes = widest * Tile::size > warps * 1024 ? widest * Tile::size : warps * 1024;
  constexpr Count alone = Count(1) << (sizeof(Count) * 8 - 2), with_all = alone * 2, number = alone - 1;
  __shared__ __align__(16) char memory[bytes];
  __shared__ Count base[256];
  __shared__ unsigned int starts_here[256];
  __shared__ unsigned int sums[8];
  __shared__ unsigned int taken;
  unsigned int(*counts)[256] = reinterpret_cast<unsigned int(*)[256]>(memory);
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;

  if (thread == 0) taken = atomicAdd(ticket, 1u);
  for (int i = thread; i < warps * 256; i += sort_threads) (&counts[0][0])[i] = 0;
  __syncthreads();
  const long long tile = taken, row = tile / tiles, t = tile % tiles, begin = t * Tile::size;
  const int held = n - begin < Tile::size ? static_cast<int>(n - begin) : Tile::size;
  const long long from = row * n + begin;

  Key keys[items];
  const int mine = warp * 32 * items + lane;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int e = mine + i * 32;
    Key k = last_key<Key>();
    if (e < held) {
      if (first) {
        k = O::key(static_cast<const Bits*>(in)[from + e], with_places);
        if (descending) k = inverse_key(k);
      } else {
        k = static_cast<const Key*>(in)[from + e];
      }
    }
    keys[i] = k;
  }

  // How many of the same digit stand before each key in its warp's part.
  unsigned int ranks[items];
  const unsigned int lower = (1u << lane) - 1;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned int digit = key_digit(keys[i], pass);
    unsigned int peers = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      const bool is_set = digit >> bit & 1;
      const unsigned int with = __ballot_sync(0xffffffffu, is_set);
      peers &= is_set ? with : ~with;
    }
    const unsigned int before = counts[warp][digit];
    __syncwarp();
    if ((peers & lower) == 0) counts[warp][digit] = before + __popc(peers);
    __syncwarp();
    ranks[i] = before + __popc(peers & lower);
  }
  __syncthreads();

  unsigned int in_tile = 0;
  if (thread < 256) {
    for (int w = 0; w < warps; ++w) {
      const unsigned int c = counts[w][thread];
      counts[w][thread] = in_tile;
      in_tile += c;
    }
    *const_cast<volatile Count*>(&status[tile * 256 + thread]) = static_cast<Count>(in_tile) | (t == 0 ? with_all : alone);
  }
  const unsigned int start = sort_before(in_tile, sums);
  if (thread < 256) {
    starts_here[thread] = start;
    Count before = 0;
    for (long long k = tile - 1; k >= row * tiles; --k) {
      Count word;
      do {
        word = *const_cast<volatile Count*>(&status[k * 256 + thread]);
      } while ((word & ~number) == 0);
      before += word & number;
      if (word & with_all) break;
    }
    if (t != 0) *const_cast<volatile Count*>(&status[tile * 256 + thread]) = (before + in_tile) | with_all;
    base[thread] = starts[(row * Tile::passes + pass) * 256 + thread] + before - start;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned int digit = key_digit(keys[i], pass);
    ranks[i] += counts[warp][digit] + starts_here[digit];
  }
  __syncthreads();

  // In the order of the digits, so that neighbours are written together.
  Key* sorted = reinterpret_cast<Key*>(memory);
#pragma unroll
  for (int i = 0; i < items; ++i) sorted[ranks[i]] = keys[i];
  __syncthreads();
  Count to[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int j = thread + i * sort_threads;
    if (j >= held) continue;
    const Key k = sorted[j];
    to[i] = base[key_digit(k, pass)] + j;
    if (!last) {
      static_cast<Key*>(out)[row * n + to[i]] = k;
    } else if constexpr (!with_places) {
      static_cast<Bits*>(out)[row * n + to[i]] = O::bits(descending ? inverse_key(k) : k);
    }
  }
  if constexpr (with_places) {
    __syncthreads();
    Index* places = reinterpret_cast<Index*>(memory);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const int e = mine + i * 32;
      if (e < held) places[ranks[i]] = first ? static_cast<Index>(begin + e) : in_places[from + e];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const int j = thread + i * sort_threads;
      if (j >= held) continue;
      if (last)
        static_cast<long long*>(out_places)[row * n + to[i]] = places[j];
      else
        static_cast<Index*>(out_places)[row * n + to[i]] = places[j];
    }
  }
}

}  // namespace op
}  // namespace quern
}  // extern "C++"

// The kernels of one type, by the names that run/calls/sort.cpp asks for.
#define QUERN_SORT_ROWS(Order)                                                                                                \
  extern "C" __global__ void rows(const Order::Bits* in, Order::Bits* out, long long* places, long long rows, int n,          \
                                  int width, int descending) {                                                                \
    quern::op::sort_rows<Order>(in, out, places, rows, n, width, descending);                                                 \
  }
#define QUERN_SORT_COUNTS(Order, Count)                                                                                       \
  extern "C" __global__ void counts(const Order::Bits* in, Count* counts, long long n, int parts, int joined,                 \
                                    int descending) {                                                                         \
    quern::op::sort_counts<Order, Count>(in, counts, n, parts, joined, descending);                                           \
  }                                                                                                                           \
  extern "C" __global__ void starts(Count* counts) { quern::op::sort_starts<Count>(counts); }
#define QUERN_SORT_PLACES(Order, Count)                                                                                       \
  QUERN_SORT_COUNTS(Order, Count)                                                                                             \
  extern "C" __global__ void __launch_bounds__(512, 2)                                                                        \
      pass_places(const void* in, void* out, const Count* in_places, void* out_places, const Count* starts, Count* status,    \
                  unsigned int* ticket, long long n, int tiles, int pass, int first, int last, int descending) {              \
    quern::op::sort_pass<Order, Count, Count, true>(in, out, in_places, out_places, starts, status, ticket, n, tiles, pass,   \
                                                    first, last, descending);                                                 \
  }
#define QUERN_SORT_VALUES(Order, Count)                                                                                       \
  QUERN_SORT_COUNTS(Order, Count)                                                                                             \
  extern "C" __global__ void __launch_bounds__(512, 2)                                                                        \
      pass_values(const void* in, void* out, const Count* in_places, void* out_places, const Count* starts, Count* status,    \
                  unsigned int* ticket, long long n, int tiles, int pass, int first, int last, int descending) {              \
    quern::op::sort_pass<Order, Count, Count, false>(in, out, in_places, out_places, starts, status, ticket, n, tiles, pass,  \
                                                     first, last, descending);                                                \
  }
