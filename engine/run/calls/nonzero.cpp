// true_positions(): counts, then writes where.
#include <cstring>

#include "run/calls/indexing.h"
#include "run/calls/machine.h"

namespace quern {

namespace {

// A block looks at `tile` elements. First each counts, then one block adds the counts up, then each writes its positions.
constexpr int64_t tile = 4096;
constexpr const char* text = R"(
constexpr int threads = 256, each = 16;
// How many there are before this thread in the block, and in the block together.
__device__ int before(int mine, int* all) {
  __shared__ int sums[threads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = mine;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  int start = 0, total = 0;
  for (int w = 0; w < threads / 32; ++w) {
    if (w == warp) start = total;
    total += sums[w];
  }
  *all = total;
  return start + sum - mine;
}
__device__ unsigned int flags(const unsigned char* mask, long long n, long long first) {
  unsigned int bits = 0;
  if (first + each <= n && (unsigned long long)(mask + first) % 16 == 0) {
    const uint4 four = *(const uint4*)(mask + first);
    const unsigned int words[4] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < each; ++k) bits |= ((words[k / 4] >> k % 4 * 8 & 0xff) != 0) << k;
  } else {
    for (int k = 0; k < each; ++k)
      if (first + k < n && mask[first + k]) bits |= 1u << k;
  }
  return bits;
}
extern "C" __global__ void counts(const unsigned char* mask, long long n, long long* out) {
  int all;
  before(__popc(flags(mask, n, ((long long)blockIdx.x * threads + threadIdx.x) * each)), &all);
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}
extern "C" __global__ void starts(long long* counts, long long blocks) {
  __shared__ long long sums[1024];
  long long carry = 0;
  for (long long first = 0; first < blocks; first += 1024) {
    const long long i = first + threadIdx.x;
    const long long mine = i < blocks ? counts[i] : 0;
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
      const long long other = (int)threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
      __syncthreads();
      sums[threadIdx.x] += other;
      __syncthreads();
    }
    if (i < blocks) counts[i] = carry + sums[threadIdx.x] - mine;
    carry += sums[1023];
    __syncthreads();
  }
  if (threadIdx.x == 0) counts[blocks] = carry;
}
extern "C" __global__ void places(const unsigned char* mask, long long n, const long long* starts, long long* out) {
  int all;
  const long long first = ((long long)blockIdx.x * threads + threadIdx.x) * each;
  unsigned int bits = flags(mask, n, first);
  long long at = starts[blockIdx.x] + before(__popc(bits), &all);
  for (; bits; bits &= bits - 1) out[at++] = first + __ffs(bits) - 1;
}
)";

Array on_gpu(Context& context, const CallRun& run, const CallView& mask, int64_t n) {
  int64_t blocks = (n + tile - 1) / tile;
  Buffer counts = temporary(run, static_cast<size_t>(blocks + 1) * 8);
  LaunchShape shape;
  shape.block[0] = 256;
  shape.grid[0] = static_cast<uint32_t>(blocks);
  launch(run, kernel_of(context, text, "counts"), shape,
         Packed().add(mask.data).add(static_cast<long long>(n)).add(counts.pointer()), {&counts, 1});
  LaunchShape one;
  one.block[0] = 1024;
  launch(run, kernel_of(context, text, "starts"), one, Packed().add(counts.pointer()).add(static_cast<long long>(blocks)),
         {&counts, 1});
  int64_t total = 0;
  context.copy(context.work_stream, &total, static_cast<int64_t*>(counts.pointer()) + blocks, 8, CopyKind::device_to_host, true);
  Buffer out = context.allocate(std::max<size_t>(static_cast<size_t>(total) * 8, 1), run.site);
  Buffer both[] = {counts, out};
  launch(run, kernel_of(context, text, "places"), shape,
         Packed().add(mask.data).add(static_cast<long long>(n)).add(counts.pointer()).add(out.pointer()), both);
  return from_memory(std::move(out), {total}, DType::int64, run.device);
}

Array on_host(Context& context, const CallView& mask, int64_t n, Site site) {
  use_on(context.work_stream, *mask.block, false);
  context.wait(context.work_stream);
  const auto* flags = reinterpret_cast<const uint8_t*>(mask.data);
  int64_t slices = (n + tile - 1) / tile;
  std::vector<int64_t> starts(static_cast<size_t>(slices) + 1, 0);
  auto each = [&](auto&& f) {
    in_slices(
        slices,
        [&](int64_t from, int64_t to) {
          for (int64_t s = from; s < to; ++s) f(s, s * tile, std::min(n, (s + 1) * tile));
        },
        8);
  };
  each([&](int64_t s, int64_t from, int64_t to) {
    int64_t count = 0;
    for (int64_t i = from; i < to; ++i) count += flags[i] != 0;
    starts[static_cast<size_t>(s) + 1] = count;
  });
  for (size_t s = 1; s < starts.size(); ++s) starts[s] += starts[s - 1];
  Buffer out = context.allocate(std::max<size_t>(static_cast<size_t>(starts.back()) * 8, 1), site);
  auto* places = static_cast<int64_t*>(out.pointer());
  each([&](int64_t s, int64_t from, int64_t to) {
    int64_t* to_here = places + starts[static_cast<size_t>(s)];
    int64_t* end = places + starts[static_cast<size_t>(s) + 1];
    // Without a branch for each element: the next place is written anyway, and kept when it is one.
    for (int64_t i = from; i < to && to_here < end; ++i) {
      *to_here = i;
      to_here += flags[i] != 0;
    }
  });
  return from_memory(std::move(out), {starts.back()}, DType::int64, -1);
}

}  // namespace

Array true_positions(const Array& given) {
  Site site = current_site();
  Array mask = in_c_order(given, DType::boolean);
  int64_t n = mask.size();
  if (n == 0) return full({0}, Scalar{}, DType::int64, mask.device());
  Buffer buffer = evaluate(mask);
  CallView view{static_cast<char*>(buffer.pointer()) + mask.layout().offset, buffer.block(), mask.space(), DType::boolean};
  Context& context = context_on(mask.device());
  if (mask.device() < 0) return on_host(context, view, n, site);
  return on_gpu(context, {{&view, 1}, {}, mask.device(), site}, view, n);
}

}  // namespace quern
