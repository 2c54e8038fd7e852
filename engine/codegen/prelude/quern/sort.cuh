// Sorting on a GPU: rows of n values that lie one after the other. NVIDIA's CUB does the work; here is what ties it to quern.
//
// Short rows are sorted by a few threads or a block each, in registers and shared memory: sort_short_rows by merging,
// sort_block_rows by radix. Long ones by radix, eight bits a pass from the lowest: sort_counts counts every digit of every pass,
// sort_starts turns the counts into starts, and SortAgent moves the keys. A row has its own counts, tickets and
// words for looking back, so that all rows go out in one launch. All of it is stable.
//
// Only for NVRTC: the host's code and the CPU's kernels sort in run/calls/sort.cpp. The sizes of blocks stand there too.
#pragma once

// Not used here: half types, which would come from quern's headers of the same names, and launches that overlap.
#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT
#define CCCL_DISABLE_PDL

#include <cub/agent/agent_radix_sort_histogram.cuh>
#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>

#include "quern/order.cuh"

namespace quern {
namespace op {

template <class K>
__QUERN_DEVICE unsigned int key_bits(const K& k, int bit, unsigned int mask) {
  return static_cast<unsigned int>(k >> bit) & mask;
}
__QUERN_DEVICE unsigned int key_bits(const WideKey& k, int bit, unsigned int mask) {
  if (bit >= 64) return static_cast<unsigned int>(k.high >> (bit - 64)) & mask;
  const unsigned long long over = bit ? k.high << (64 - bit) : 0;
  return static_cast<unsigned int>(k.low >> bit | over) & mask;
}

// What CUB sorts: a value as it lies in memory, which becomes a key where it is read and a value again where it is written.
template <class O, bool joined>
struct SortedValue {
  typedef O Order;
  typedef typename O::Key Key;
  typename O::Bits bits;
  __QUERN_DEVICE static Key in(const Key& k) { return O::key(k, joined); }
  __QUERN_DEVICE static Key out(const Key& k) { return O::bits(k); }
};
// The same of what is a key already.
template <class K>
struct SortedKey {
  typedef K Key;
  Key bits;
  __QUERN_DEVICE static Key in(const Key& k) { return k; }
  __QUERN_DEVICE static Key out(const Key& k) { return k; }
};

struct SortDigits {
  int bit;
  unsigned int mask;
  template <class K>
  __QUERN_DEVICE unsigned int Digit(const K& k) const {
    return key_bits(k, bit, mask);
  }
};

// CUB's view of such a type T.
template <class T>
struct SortTraits {
  typedef typename T::Key bit_ordered_type;
  struct bit_ordered_conversion_policy {
    template <class D>
    __QUERN_DEVICE static bit_ordered_type to_bit_ordered(D, const bit_ordered_type& k) {
      return T::in(k);
    }
    template <class D>
    __QUERN_DEVICE static bit_ordered_type from_bit_ordered(D, const bit_ordered_type& k) {
      return T::out(k);
    }
  };
  struct bit_ordered_inversion_policy {
    template <class D>
    __QUERN_DEVICE static bit_ordered_type inverse(D, const bit_ordered_type& k) {
      return inverse_key(k);
    }
  };
  template <class, class>
  using digit_extractor_t = SortDigits;
  template <class, class D>
  __QUERN_DEVICE static SortDigits digit_extractor(int bit, int count, D) {
    return SortDigits{bit, (1u << count) - 1};
  }
  // What CUB would read behind the end. There may be no value whose key comes last in every pass: load_part() has the key itself.
  template <class D>
  __QUERN_DEVICE static bit_ordered_type min_raw_binary_key(D) {
    return bit_ordered_type();
  }
  template <class D>
  __QUERN_DEVICE static bit_ordered_type max_raw_binary_key(D) {
    return bit_ordered_type();
  }
  template <class D>
  __QUERN_DEVICE static int default_end_bit(D) {
    return sizeof(bit_ordered_type) * 8;
  }
};

}  // namespace op
}  // namespace quern

CUB_NAMESPACE_BEGIN
namespace detail {
namespace radix {
template <class O, bool joined>
struct traits_t<quern::op::SortedValue<O, joined>, false> : quern::op::SortTraits<quern::op::SortedValue<O, joined>> {};
template <class K>
struct traits_t<quern::op::SortedKey<K>, false> : quern::op::SortTraits<quern::op::SortedKey<K>> {};
}  // namespace radix
}  // namespace detail
CUB_NAMESPACE_END

namespace quern {
namespace op {

// ---- long rows

// What the passes of a sort move. Complex numbers have keys that are no values: sort_keys makes them first.
template <class O, bool joined, bool has_bits = O::has_bits>
struct SortedTypeOf {
  typedef SortedValue<O, joined> type;
};
template <class O, bool joined>
struct SortedTypeOf<O, joined, false> {
  typedef SortedKey<typename O::Key> type;
};

template <class O>
__QUERN_DEVICE void sort_keys(const typename O::Bits* in, typename O::Key* out, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) out[i] = O::key(in[i], true);
}

// The keys of places first, first + step ... of a row, those from `held` on as keys that come last.
template <class T, bool descending, int step, int items>
__QUERN_DEVICE void load_part(const T* row, int first, int held, typename T::Key (&keys)[items]) {
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int e = first + i * step;
    keys[i] = e < held ? cub::RadixSortTwiddle<descending, T>::In(row[e].bits) : last_key<typename T::Key>();
  }
}

// counts[row][pass][digit]: gridDim.x blocks share a row.
template <class T, bool descending, class Count>
__QUERN_DEVICE void sort_counts(const T* in, Count* counts, long long n, long long rows) {
  constexpr int key_bytes = sizeof(T);
  constexpr int threads = 128, items = 16, tile = threads * items;
  typedef cub::detail::agent_radix_sort_histogram_policy<threads, items, 1, void, 8> Policy;
  typedef cub::detail::radix_sort::AgentRadixSortHistogram<Policy, descending, T, Count> Agent;
  __shared__ typename Agent::TempStorage memory;
  for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
    Agent agent(memory, counts + row * key_bytes * 256, in + row * n, static_cast<Count>(n), 0, key_bytes * 8);
    agent.Init();
    for (long long at = static_cast<long long>(blockIdx.x) * tile; at < n; at += static_cast<long long>(gridDim.x) * tile) {
      typename T::Key keys[items];
      if (n - at >= tile)
        agent.LoadTileKeys(static_cast<Count>(at), keys);
      else
        load_part<T, descending, threads>(in + row * n + at, threadIdx.x, static_cast<int>(n - at), keys);
      agent.AccumulateSharedHistograms(static_cast<Count>(at), keys);
    }
    __syncthreads();
    agent.AccumulateGlobalHistograms();
    __syncthreads();
  }
}

template <class Count>
__QUERN_DEVICE void sort_starts(Count* counts) {
  typedef cub::BlockScan<Count, 256> Scan;
  __shared__ typename Scan::TempStorage memory;
  Count* mine = counts + static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  Count start;
  Scan(memory).ExclusiveSum(*mine, start);
  *mine = start;
}

template <int threads, int items>
using SortPolicy =
    cub::detail::agent_radix_sort_onesweep_policy<0, 0, void, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                                  cub::RADIX_SORT_STORE_DIRECT, 8, cub::detail::NoScaling<threads, items>>;
template <class Count, bool with_places>
using SortPlace = cuda::std::conditional_t<with_places, Count, cub::NullType>;
template <class T, bool descending, class Count, int threads, int items, bool with_places>
using CubAgent = cub::detail::radix_sort::AgentRadixSortOnesweep<SortPolicy<threads, items>, descending, T,
                                                                 SortPlace<Count, with_places>, Count, int>;

// What one pass works with. It takes [begin, begin + held) of each row, since the words in `look_back`, 256 for each tile, all 0,
// have room for smaller counts than a row may need. `starts` of a row lie starts_step apart; next_starts, or none, gets those of
// what comes after this part.
template <class Count>
struct SortPass {
  const Count* starts;
  Count* next_starts;
  int* look_back;
  int* tickets;  // one for each row
  long long n, begin;
  int held, tiles, starts_step, pass;
};

// CUB's pass with our ends: the first one has no places to read, and the last one writes nothing but places, as int64.
template <class T, bool descending, class Count, int threads, int items, bool with_places>
struct SortAgent : CubAgent<T, descending, Count, threads, items, with_places> {
  typedef CubAgent<T, descending, Count, threads, items, with_places> Agent;
  typedef typename T::Key Key;
  static constexpr int bins = Agent::BINS_PER_THREAD;

  struct Counted {
    static constexpr bool EMPTY = false;
    SortAgent& pass;
    int (&found)[bins];
    Key (&keys)[items];
    bool can_copy;
    __QUERN_DEVICE void operator()(int (&counts)[bins]) {
#pragma unroll
      for (int i = 0; i < bins; ++i) found[i] = counts[i];
      pass.LookbackPartial(found);
      if (can_copy) pass.TryShortCircuit(keys, found);  // where all digits of the tile are the same
    }
  };

  template <class... A>
  __QUERN_DEVICE SortAgent(A&&... arguments) : Agent(static_cast<A&&>(arguments)...) {}

  __QUERN_DEVICE void run(bool first, Count begin, long long* last) {
    const int tile = this->block_idx * Agent::TILE_ITEMS, mine = this->warp * 32 * items + this->lane;
    Key keys[items];
    int ranks[items], before[bins], found[bins];
    if (this->full_block)
      this->LoadKeys(tile, keys);
    else
      load_part<T, descending, 32>(reinterpret_cast<const T*>(this->d_keys_in) + tile, mine, this->num_items - tile, keys);
    typename Agent::BlockRadixRankT(this->s.rank_temp_storage)
        .RankKeys(keys, ranks, this->digit_extractor(), before, Counted{*this, found, keys, !with_places || !(first || last)});
    __syncthreads();
    this->ScatterKeysShared(keys, ranks);
    this->LoadBinsToOffsetsGlobal(before);
    this->LookbackGlobal(found);
    this->UpdateBinsGlobal(found, before);
    __syncthreads();
    if (!last) this->ScatterKeysGlobal();
    if constexpr (with_places) {
      int digits[items];
      this->ComputeKeyDigits(digits);
      Count places[items];
      if (first) {
#pragma unroll
        for (int i = 0; i < items; ++i) places[i] = begin + static_cast<Count>(tile + mine + 32 * i);
      } else {
        this->LoadValues(tile, places);
      }
      __syncthreads();
      this->ScatterValuesShared(places, ranks);
      __syncthreads();
      if (last)
        put_places(last, digits);
      else
        this->ScatterValuesGlobal(digits);
    }
  }

  __QUERN_DEVICE void put_places(long long* out, const int (&digits)[items]) {
    const int held = this->full_block ? Agent::TILE_ITEMS : this->num_items - this->block_idx * Agent::TILE_ITEMS;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const int j = threadIdx.x + i * threads;
      const Count to = j + this->s.global_offsets[digits[i]];
      if (j < held) out[to] = this->s.values_out[j];
    }
  }
};

template <class T, bool descending, class Count, int threads, int items>
__QUERN_DEVICE void sort_values(const SortPass<Count>& p, const T* in, T* out) {
  typedef SortAgent<T, descending, Count, threads, items, false> Agent;
  __shared__ typename Agent::TempStorage memory;
  const long long row = blockIdx.x / p.tiles, at = row * p.n;
  Agent(memory, p.look_back + row * p.tiles * 256, p.tickets + row, p.next_starts ? p.next_starts + row * 256 : nullptr,
        p.starts + row * p.starts_step, out + at, in + at + p.begin, nullptr, nullptr, p.held, p.pass * 8, 8)
      .run(false, 0, nullptr);
}

template <class T, bool descending, class Count, int threads, int items>
__QUERN_DEVICE void sort_places(const SortPass<Count>& p, const T* in, T* out, const Count* in_places, Count* out_places, bool first,
                                long long* last) {
  typedef SortAgent<T, descending, Count, threads, items, true> Agent;
  __shared__ typename Agent::TempStorage memory;
  const long long row = blockIdx.x / p.tiles, at = row * p.n;
  Agent(memory, p.look_back + row * p.tiles * 256, p.tickets + row, p.next_starts ? p.next_starts + row * 256 : nullptr,
        p.starts + row * p.starts_step, out + at, in + at + p.begin, out_places + at, in_places + at + p.begin, p.held, p.pass * 8, 8)
      .run(first, static_cast<Count>(p.begin), last ? last + at : nullptr);
}

// ---- short rows

template <class O, bool joined, bool descending>
__QUERN_DEVICE typename O::Key sort_key(const typename O::Bits* row, int i, int n) {
  if (i >= n) return last_key<typename O::Key>();
  const typename O::Key k = O::key(row[i], joined);
  return descending ? inverse_key(k) : k;
}
template <class O, bool joined, bool descending>
__QUERN_DEVICE void sort_put(typename O::Bits* out, long long* places, long long at, const typename O::Key& k, int place) {
  if constexpr (joined)
    places[at] = place;
  else
    out[at] = O::bits(descending ? inverse_key(k) : k);
}

struct IsBefore {
  template <class K>
  __QUERN_DEVICE bool operator()(const K& a, const K& b) const {
    return a < b;
  }
};

// `lanes` threads for a row of at most lanes * items.
template <class O, bool with_places, bool descending, int threads, int lanes, int items>
__QUERN_DEVICE void sort_short_rows(const typename O::Bits* in, typename O::Bits* out, long long* places, long long rows, int n) {
  typedef typename O::Key Key;
  constexpr int held = threads / lanes;
  const int group = threadIdx.x / lanes, first = threadIdx.x % lanes * items;
  const long long row = static_cast<long long>(blockIdx.x) * held + group;
  const int count = row < rows ? n : 0;
  Key keys[items];
  unsigned short index[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    keys[i] = sort_key<O, with_places, descending>(in + row * n, first + i, count);
    index[i] = static_cast<unsigned short>(first + i);
  }
  if constexpr (with_places) {
    typedef cub::WarpMergeSort<Key, items, lanes, unsigned short> Sort;
    __shared__ typename Sort::TempStorage memory[held];
    Sort(memory[group]).StableSort(keys, index, IsBefore());
  } else {
    typedef cub::WarpMergeSort<Key, items, lanes> Sort;
    __shared__ typename Sort::TempStorage memory[held];
    Sort(memory[group]).Sort(keys, IsBefore());
  }
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (first + i < count) sort_put<O, with_places, descending>(out, places, row * n + first + i, keys[i], index[i]);
  }
}

// A block for a row of at most threads * items.
template <class O, bool with_places, bool descending, int threads, int items>
__QUERN_DEVICE void sort_block_rows(const typename O::Bits* in, typename O::Bits* out, long long* places, int n) {
  typedef SortedKey<typename O::Key> T;
  constexpr int bits = threads > 256 ? 5 : 6;  // of a pass: a thread has 4 << bits / 2 bytes of counters
  const long long at = static_cast<long long>(blockIdx.x) * n;
  T keys[items];
  unsigned short index[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    // Places need neighbours in a thread; without them any order will do, and this one reads memory as it lies.
    const int e = with_places ? threadIdx.x * items + i : threadIdx.x + i * threads;
    keys[i].bits = sort_key<O, with_places, descending>(in + at, e, n);
    index[i] = static_cast<unsigned short>(e);
  }
  if constexpr (with_places) {
    typedef cub::BlockRadixSort<T, threads, items, unsigned short, bits> Sort;
    __shared__ typename Sort::TempStorage memory;
    Sort(memory).SortBlockedToStriped(keys, index);
  } else {
    typedef cub::BlockRadixSort<T, threads, items, cub::NullType, bits> Sort;
    __shared__ typename Sort::TempStorage memory;
    Sort(memory).SortBlockedToStriped(keys);
  }
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int e = threadIdx.x + i * threads;
    if (e < n) sort_put<O, with_places, descending>(out, places, at + e, keys[i].bits, index[i]);
  }
}

}  // namespace op
}  // namespace quern

// The kernels of one type, by the names that run/calls/sort.cpp asks for.
#define QUERN_SORT_SHORT(Order, with_places, descending, threads, lanes, items)                                               \
  extern "C" __global__ void __launch_bounds__(threads)                                                                       \
      rows(const Order::Bits* in, Order::Bits* out, long long* places, long long rows, int n) {                               \
    quern::op::sort_short_rows<Order, with_places, descending, threads, lanes, items>(in, out, places, rows, n);              \
  }
#define QUERN_SORT_BLOCK(Order, with_places, descending, threads, items)                                                      \
  extern "C" __global__ void __launch_bounds__(threads)                                                                       \
      rows(const Order::Bits* in, Order::Bits* out, long long* places, long long rows, int n) {                               \
    quern::op::sort_block_rows<Order, with_places, descending, threads, items>(in, out, places, n);                           \
  }
#define QUERN_SORT_COUNTS(Order, with_places, descending, Count)                                                              \
  typedef quern::op::SortedTypeOf<Order, with_places>::type Sorted;                                                           \
  extern "C" __global__ void __launch_bounds__(128) counts(const Sorted* in, Count* counts, long long n, long long rows) {    \
    quern::op::sort_counts<Sorted, descending, Count>(in, counts, n, rows);                                                   \
  }                                                                                                                           \
  extern "C" __global__ void __launch_bounds__(256) starts(Count* counts) { quern::op::sort_starts<Count>(counts); }
#define QUERN_SORT_VALUES(Order, descending, Count, threads, items)                                                           \
  QUERN_SORT_COUNTS(Order, false, descending, Count)                                                                          \
  extern "C" __global__ void __launch_bounds__(threads, 2)                                                                    \
      pass(const __grid_constant__ quern::op::SortPass<Count> p, const Sorted* in, Sorted* out) {                             \
    quern::op::sort_values<Sorted, descending, Count, threads, items>(p, in, out);                                            \
  }
#define QUERN_SORT_PLACES(Order, descending, Count, threads, items)                                                           \
  QUERN_SORT_COUNTS(Order, true, descending, Count)                                                                           \
  extern "C" __global__ void keys(const Order::Bits* in, Order::Key* out, long long n) {                                      \
    quern::op::sort_keys<Order>(in, out, n);                                                                                  \
  }                                                                                                                           \
  extern "C" __global__ void __launch_bounds__(threads, 2)                                                                    \
      pass(const __grid_constant__ quern::op::SortPass<Count> p, const Sorted* in, Sorted* out, const Count* in_places,       \
           Count* out_places, int first, long long* last) {                                                                   \
    quern::op::sort_places<Sorted, descending, Count, threads, items>(p, in, out, in_places, out_places, first, last);        \
  }
