// Cooperative groups: the block, the grid, tiles of a warp, and the threads of a warp that run together. What arrives somewhere
// arrives as a whole: a token of a barrier waits for all.
#pragma once

extern "C++" {
namespace cooperative_groups {

namespace quern_details {

__QUERN_DEVICE unsigned int thread_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__QUERN_DEVICE unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
__QUERN_DEVICE unsigned int block_in_grid() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__QUERN_DEVICE unsigned int blocks_of_grid() { return gridDim.x * gridDim.y * gridDim.z; }

#ifdef __QUERN_CPU__
__QUERN_DEVICE void sync_grid() { __quern_grid_barrier(); }
#else
// The driver leaves the address of a counter in two registers of a cooperative launch. One block adds what makes the sum of all
// blocks flip the topmost bit; each waits until that bit differs from what it saw.
__QUERN_DEVICE void sync_grid() {
  __syncthreads();
  if (thread_in_block() == 0) {
    unsigned int high, low;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    unsigned int* counter = reinterpret_cast<unsigned int*>((static_cast<unsigned long long>(high) << 32 | low) + 4);
    unsigned int step = block_in_grid() == 0 ? 0x80000000u - (blocks_of_grid() - 1) : 1;
    __threadfence();
    unsigned int before = atomicAdd(counter, step);
    while (((before ^ *reinterpret_cast<volatile unsigned int*>(counter)) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
#endif

__QUERN_DEVICE unsigned int lane() { return thread_in_block() & 31; }

// The rank-th lane of a mask.
__QUERN_DEVICE int lane_of_rank(unsigned int mask, unsigned int rank) {
  for (unsigned int i = 0; i < rank; ++i) mask &= mask - 1;
  return __ffs(static_cast<int>(mask)) - 1;
}
// Those bits of `bits` whose lanes are in a mask, by rank.
__QUERN_DEVICE unsigned int by_rank(unsigned int mask, unsigned int bits) {
  unsigned int out = 0;
  for (unsigned int rank = 0; mask != 0; mask &= mask - 1, ++rank)
    out |= (bits >> (__ffs(static_cast<int>(mask)) - 1) & 1u) << rank;
  return out;
}

// What a thread of the warp has, for a type of any kind: numbers as they are, others word by word.
#define __QUERN_SHUFFLE_BY(Name, function, Lane) \
  struct Name {                                  \
    unsigned int mask;                           \
    Lane lane;                                   \
    int width;                                   \
    template <class T>                           \
    __QUERN_DEVICE T operator()(T x) const {     \
      return function(mask, x, lane, width);     \
    }                                            \
  };
__QUERN_SHUFFLE_BY(Shuffle, __shfl_sync, int)
__QUERN_SHUFFLE_BY(ShuffleUp, __shfl_up_sync, unsigned int)
__QUERN_SHUFFLE_BY(ShuffleDown, __shfl_down_sync, unsigned int)
__QUERN_SHUFFLE_BY(ShuffleXor, __shfl_xor_sync, int)
#undef __QUERN_SHUFFLE_BY
template <class T>
struct Words {
  template <class F>
  __QUERN_DEVICE static T shuffled(T value, F shuffle) {
    constexpr unsigned int count = (sizeof(T) + 3) / 4;
    unsigned int words[count] = {};
    memcpy(words, &value, sizeof(T));
    for (unsigned int i = 0; i < count; ++i) words[i] = shuffle(words[i]);
    memcpy(&value, words, sizeof(T));
    return value;
  }
};
#define __QUERN_SHUFFLED_AT_ONCE(T)                        \
  template <>                                              \
  struct Words<T> {                                        \
    template <class F>                                     \
    __QUERN_DEVICE static T shuffled(T value, F shuffle) { \
      return shuffle(value);                               \
    }                                                      \
  };
__QUERN_SHUFFLED_AT_ONCE(int)
__QUERN_SHUFFLED_AT_ONCE(unsigned int)
__QUERN_SHUFFLED_AT_ONCE(long)
__QUERN_SHUFFLED_AT_ONCE(unsigned long)
__QUERN_SHUFFLED_AT_ONCE(long long)
__QUERN_SHUFFLED_AT_ONCE(unsigned long long)
__QUERN_SHUFFLED_AT_ONCE(float)
__QUERN_SHUFFLED_AT_ONCE(double)
#undef __QUERN_SHUFFLED_AT_ONCE
template <class T, class F>
__QUERN_DEVICE T shuffled(T value, F shuffle) {
  return Words<T>::shuffled(value, shuffle);
}

struct token {};

}  // namespace quern_details

class thread_block {
 public:
  using arrival_token = quern_details::token;
  __QUERN_DEVICE static arrival_token barrier_arrive() { return {}; }
  __QUERN_DEVICE static void barrier_wait(arrival_token) { sync(); }
  __QUERN_DEVICE static void sync() { __syncthreads(); }
  __QUERN_DEVICE static unsigned int thread_rank() { return quern_details::thread_in_block(); }
  __QUERN_DEVICE static unsigned int size() { return quern_details::threads_of_block(); }
  __QUERN_DEVICE static unsigned int num_threads() { return size(); }
  __QUERN_DEVICE static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __QUERN_DEVICE static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __QUERN_DEVICE static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __QUERN_DEVICE static dim3 dim_threads() { return group_dim(); }
};
__QUERN_DEVICE thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  using arrival_token = quern_details::token;
  __QUERN_DEVICE static arrival_token barrier_arrive() { return {}; }
  __QUERN_DEVICE static void barrier_wait(arrival_token) { sync(); }
  __QUERN_DEVICE static bool is_valid() { return true; }
  __QUERN_DEVICE static void sync() { quern_details::sync_grid(); }
  __QUERN_DEVICE static unsigned long long thread_rank() {
    return static_cast<unsigned long long>(block_rank()) * quern_details::threads_of_block() + quern_details::thread_in_block();
  }
  __QUERN_DEVICE static unsigned long long size() {
    return static_cast<unsigned long long>(num_blocks()) * quern_details::threads_of_block();
  }
  __QUERN_DEVICE static unsigned long long num_threads() { return size(); }
  __QUERN_DEVICE static unsigned int block_rank() { return quern_details::block_in_grid(); }
  __QUERN_DEVICE static unsigned int num_blocks() { return quern_details::blocks_of_grid(); }
  __QUERN_DEVICE static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __QUERN_DEVICE static dim3 dim_blocks() { return group_dim(); }
  __QUERN_DEVICE static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__QUERN_DEVICE grid_group this_grid() { return grid_group(); }

template <unsigned int Size, class Parent>
class thread_block_tile;

namespace quern_details {
template <class Parent>
struct parent {
  __QUERN_DEVICE static unsigned int rank() { return thread_in_block(); }
  __QUERN_DEVICE static unsigned int size() { return threads_of_block(); }
};
template <unsigned int Size, class Parent>
struct parent<thread_block_tile<Size, Parent>> {
  __QUERN_DEVICE static unsigned int rank() { return thread_in_block() & (Size - 1); }
  __QUERN_DEVICE static unsigned int size() { return Size; }
};
}  // namespace quern_details

// `size` neighbouring threads of a warp; a power of two up to 32.
template <unsigned int Size, class Parent = void>
class thread_block_tile {
 public:
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two up to 32");
  thread_block_tile() = default;
  template <class Other>
  __QUERN_DEVICE thread_block_tile(const thread_block_tile<Size, Other>&) {}
  __QUERN_DEVICE void sync() const { __syncwarp(mask()); }
  __QUERN_DEVICE static unsigned int thread_rank() { return quern_details::thread_in_block() & (Size - 1); }
  __QUERN_DEVICE static constexpr unsigned int size() { return Size; }
  __QUERN_DEVICE static constexpr unsigned int num_threads() { return Size; }
  // Of the tiles that the parent was cut into.
  __QUERN_DEVICE static unsigned int meta_group_rank() { return quern_details::parent<Parent>::rank() / Size; }
  __QUERN_DEVICE static unsigned int meta_group_size() { return (quern_details::parent<Parent>::size() + Size - 1) / Size; }
  template <class T>
  __QUERN_DEVICE T shfl(T value, int source) const {
    return quern_details::shuffled(value, quern_details::Shuffle{mask(), source, int(Size)});
  }
  template <class T>
  __QUERN_DEVICE T shfl_up(T value, unsigned int delta) const {
    return quern_details::shuffled(value, quern_details::ShuffleUp{mask(), delta, int(Size)});
  }
  template <class T>
  __QUERN_DEVICE T shfl_down(T value, unsigned int delta) const {
    return quern_details::shuffled(value, quern_details::ShuffleDown{mask(), delta, int(Size)});
  }
  template <class T>
  __QUERN_DEVICE T shfl_xor(T value, unsigned int lane_mask) const {
    return quern_details::shuffled(value, quern_details::ShuffleXor{mask(), static_cast<int>(lane_mask), int(Size)});
  }
  __QUERN_DEVICE int any(int predicate) const { return __any_sync(mask(), predicate); }
  __QUERN_DEVICE int all(int predicate) const { return __all_sync(mask(), predicate); }
  __QUERN_DEVICE unsigned int ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first(); }
  template <class T>
  __QUERN_DEVICE unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> first();
  }
  template <class T>
  __QUERN_DEVICE unsigned int match_all(T value, int& predicate) const {
    return __match_all_sync(mask(), value, &predicate) >> first();
  }

 private:
  friend class thread_group;
  __QUERN_DEVICE static unsigned int first() { return (quern_details::thread_in_block() & 31) & ~(Size - 1); }
  __QUERN_DEVICE static unsigned int mask() { return (Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1) << first(); }
};
template <unsigned int Size, class Parent>
__QUERN_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

// The threads of this warp that are active here.
class coalesced_group {
 public:
  __QUERN_DEVICE explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  __QUERN_DEVICE void sync() const { __syncwarp(mask_); }
  __QUERN_DEVICE unsigned int size() const { return static_cast<unsigned int>(__popc(mask_)); }
  __QUERN_DEVICE unsigned int num_threads() const { return size(); }
  __QUERN_DEVICE unsigned int thread_rank() const {
    return static_cast<unsigned int>(__popc(mask_ & ((1u << (quern_details::thread_in_block() & 31)) - 1)));
  }
  // Of the parts of a partition, in the order of their first threads.
  __QUERN_DEVICE unsigned int meta_group_rank() const { return meta_rank_; }
  __QUERN_DEVICE unsigned int meta_group_size() const { return meta_size_; }
  template <class T>
  __QUERN_DEVICE T shfl(T value, unsigned int rank) const {
    int lane = quern_details::lane_of_rank(mask_, rank % size());
    return quern_details::shuffled(value, quern_details::Shuffle{mask_, lane, 32});
  }
  // Beyond the ends a thread keeps its own value.
  template <class T>
  __QUERN_DEVICE T shfl_up(T value, unsigned int delta) const {
    return shfl(value, thread_rank() < delta ? thread_rank() : thread_rank() - delta);
  }
  template <class T>
  __QUERN_DEVICE T shfl_down(T value, unsigned int delta) const {
    return shfl(value, thread_rank() + delta < size() ? thread_rank() + delta : thread_rank());
  }
  __QUERN_DEVICE unsigned int ballot(int predicate) const {
    return quern_details::by_rank(mask_, __ballot_sync(mask_, predicate));
  }
  template <class T>
  __QUERN_DEVICE unsigned int match_any(T value) const {
    return quern_details::by_rank(mask_, __match_any_sync(mask_, value));
  }
  template <class T>
  __QUERN_DEVICE unsigned int match_all(T value, int& predicate) const {
    return quern_details::by_rank(mask_, __match_all_sync(mask_, value, &predicate));
  }
  __QUERN_DEVICE int any(int predicate) const { return __any_sync(mask_, predicate); }
  __QUERN_DEVICE int all(int predicate) const { return __all_sync(mask_, predicate); }

 private:
  friend class thread_group;
  unsigned int mask_, meta_rank_, meta_size_;
};
__QUERN_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A group of any kind: the block, or lanes of a warp.
class thread_group {
 public:
  __QUERN_DEVICE thread_group(const thread_block&) {}
  template <unsigned int Size, class Parent>
  __QUERN_DEVICE thread_group(const thread_block_tile<Size, Parent>& tile) : mask_(tile.mask()) {}
  __QUERN_DEVICE thread_group(const coalesced_group& group) : mask_(group.mask_) {}
  __QUERN_DEVICE explicit thread_group(unsigned int mask) : mask_(mask) {}
  __QUERN_DEVICE void sync() const {
    if (mask_ == 0)
      __syncthreads();
    else
      __syncwarp(mask_);
  }
  __QUERN_DEVICE unsigned int size() const {
    return mask_ == 0 ? quern_details::threads_of_block() : static_cast<unsigned int>(__popc(mask_));
  }
  __QUERN_DEVICE unsigned int num_threads() const { return size(); }
  __QUERN_DEVICE unsigned int thread_rank() const {
    return mask_ == 0 ? quern_details::thread_in_block()
                      : static_cast<unsigned int>(__popc(mask_ & ((1u << quern_details::lane()) - 1)));
  }
  __QUERN_DEVICE static bool is_valid() { return true; }
  __QUERN_DEVICE unsigned int mask() const { return mask_; }

 private:
  unsigned int mask_ = 0;  // none: the block
};

__QUERN_DEVICE thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }

// Parts of `size` threads, a power of two up to 32.
__QUERN_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  unsigned int rank = parent.thread_rank() & ~(size - 1);
  if (parent.mask() == 0) return thread_group((size == 32 ? ~0u : (1u << size) - 1) << (rank & 31));
  unsigned int mask = 0;
  for (unsigned int i = rank; i < rank + size && i < parent.size(); ++i)
    mask |= 1u << quern_details::lane_of_rank(parent.mask(), i);
  return thread_group(mask);
}
// Those of a group of a warp's threads that have the same label; those for which something holds, and the others.
template <class Group, class Label>
__QUERN_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  unsigned int all = thread_group(group).mask(), mine = __match_any_sync(all, label);
  int first = __ffs(static_cast<int>(mine)) - 1;
  unsigned int firsts = __ballot_sync(all, static_cast<unsigned int>(first) == quern_details::lane());
  return coalesced_group(mine, static_cast<unsigned int>(__popc(firsts & ((1u << first) - 1))),
                         static_cast<unsigned int>(__popc(firsts)));
}
template <class Group>
__QUERN_DEVICE coalesced_group binary_partition(const Group& group, bool predicate) {
  return labeled_partition(group, static_cast<int>(predicate));
}

template <class Group>
__QUERN_DEVICE void sync(const Group& group) {
  group.sync();
}

// f(arguments...) by one thread of the group; and what it returns, for all.
template <class Group, class F, class... A>
__QUERN_DEVICE void invoke_one(const Group& group, F&& f, A&&... arguments) {
  if (group.thread_rank() == 0) f(static_cast<A&&>(arguments)...);
}
template <class Group, class F, class... A>
__QUERN_DEVICE auto invoke_one_broadcast(const Group& group, F&& f, A&&... arguments)
    -> decltype(f(static_cast<A&&>(arguments)...)) {
  decltype(f(static_cast<A&&>(arguments)...)) out{};
  if (group.thread_rank() == 0) out = f(static_cast<A&&>(arguments)...);
  return group.shfl(out, 0);
}

#define __QUERN_GROUP_OP(name, value)                             \
  template <class T = void>                                       \
  struct name {                                                   \
    __QUERN_DEVICE T operator()(T a, T b) const { return value; } \
  };                                                              \
  template <>                                                     \
  struct name<void> {                                             \
    template <class T>                                            \
    __QUERN_DEVICE T operator()(T a, T b) const {                 \
      return value;                                               \
    }                                                             \
  };
__QUERN_GROUP_OP(plus, a + b)
__QUERN_GROUP_OP(less, b < a ? b : a)
__QUERN_GROUP_OP(greater, a < b ? b : a)
__QUERN_GROUP_OP(bit_and, a& b)
__QUERN_GROUP_OP(bit_or, a | b)
__QUERN_GROUP_OP(bit_xor, a ^ b)
#undef __QUERN_GROUP_OP

template <unsigned int Size, class Parent, class T, class Op>
__QUERN_DEVICE T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op op) {
  for (unsigned int step = Size / 2; step > 0; step /= 2) value = op(value, tile.shfl_xor(value, step));
  return value;
}
template <class T, class Op>
__QUERN_DEVICE T reduce(const coalesced_group& group, T value, Op op) {
  for (unsigned int step = 1; step < group.size(); step *= 2) {
    T other = group.shfl_down(value, step);
    if (group.thread_rank() + step < group.size()) value = op(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups
}  // extern "C++"
