// Cooperative groups: the block, the grid, tiles of a warp, and the threads of a warp that run together.
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

}  // namespace quern_details

class thread_block {
 public:
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
  __QUERN_DEVICE static unsigned int meta_group_rank() { return quern_details::thread_in_block() / Size; }
  __QUERN_DEVICE static unsigned int meta_group_size() { return (quern_details::threads_of_block() + Size - 1) / Size; }
  template <class T>
  __QUERN_DEVICE T shfl(T value, int source) const {
    return __shfl_sync(mask(), value, source, Size);
  }
  template <class T>
  __QUERN_DEVICE T shfl_up(T value, unsigned int delta) const {
    return __shfl_up_sync(mask(), value, delta, Size);
  }
  template <class T>
  __QUERN_DEVICE T shfl_down(T value, unsigned int delta) const {
    return __shfl_down_sync(mask(), value, delta, Size);
  }
  template <class T>
  __QUERN_DEVICE T shfl_xor(T value, unsigned int lane_mask) const {
    return __shfl_xor_sync(mask(), value, static_cast<int>(lane_mask), Size);
  }
  __QUERN_DEVICE int any(int predicate) const { return __any_sync(mask(), predicate); }
  __QUERN_DEVICE int all(int predicate) const { return __all_sync(mask(), predicate); }
  __QUERN_DEVICE unsigned int ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first(); }
  template <class T>
  __QUERN_DEVICE unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> first();
  }

 private:
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
  __QUERN_DEVICE explicit coalesced_group(unsigned int mask) : mask_(mask) {}
  __QUERN_DEVICE void sync() const { __syncwarp(mask_); }
  __QUERN_DEVICE unsigned int size() const { return static_cast<unsigned int>(__popc(mask_)); }
  __QUERN_DEVICE unsigned int num_threads() const { return size(); }
  __QUERN_DEVICE unsigned int thread_rank() const {
    return static_cast<unsigned int>(__popc(mask_ & ((1u << (quern_details::thread_in_block() & 31)) - 1)));
  }
  template <class T>
  __QUERN_DEVICE T shfl(T value, unsigned int rank) const {
    unsigned int left = mask_;
    for (unsigned int i = 0; i < rank; ++i) left &= left - 1;
    return __shfl_sync(mask_, value, __ffs(static_cast<int>(left)) - 1);
  }
  __QUERN_DEVICE int any(int predicate) const { return __any_sync(mask_, predicate); }
  __QUERN_DEVICE int all(int predicate) const { return __all_sync(mask_, predicate); }

 private:
  unsigned int mask_;
};
__QUERN_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
__QUERN_DEVICE void sync(const Group& group) {
  group.sync();
}

template <class T = void>
struct plus {
  __QUERN_DEVICE T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  __QUERN_DEVICE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  __QUERN_DEVICE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned int Size, class Parent, class T, class Op>
__QUERN_DEVICE T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op op) {
  for (unsigned int step = Size / 2; step > 0; step /= 2) value = op(value, tile.shfl_xor(value, step));
  return value;
}

}  // namespace cooperative_groups
}  // extern "C++"
