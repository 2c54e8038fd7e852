"""cooperative_groups.h as programs use it: groups of every kind, what they tell each other, reductions, scans, copies."""

import numpy as np
import pytest
import quern as qn
from quern.pycuda import driver as drv

FIRST = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
"""
N = 96


def run(body, threads=N, blocks=1, kind="uint32", given=None, before="", shape=(N,), **options):
    """What a kernel with this body writes to `out`; `t` is the thread's number, `x` its number in `in`."""
    text = f"""{FIRST}{before}
extern "C" __global__ void f({"unsigned" if kind == "uint32" else "float"}* out, const unsigned* in)
{{
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t];
  cg::thread_block block = cg::this_thread_block();
  {body}
}}"""
    out = qn.zeros(shape, kind)
    qn.RawKernel(text, "f", **options)((blocks,), (threads,), (out, qn.asarray(numbers() if given is None else given)))
    return qn.asnumpy(out)


def numbers():
    return np.random.default_rng(5).integers(0, 50, N, dtype=np.uint32)


def by_tiles(f, size):
    return np.concatenate([np.broadcast_to(f(part), part.shape) for part in numbers().reshape(-1, size)]).ravel()


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("parent", ["block", "cg::tiled_partition<32>(block)"])
def test_tiles(device, size, parent):
    tile = f"auto tile = cg::tiled_partition<{size}>({parent}); "
    rows, own = numbers().reshape(-1, size), np.arange(N) % size
    np.testing.assert_array_equal(run(tile + "out[t] = tile.thread_rank() + 100 * tile.size() + 10000 * tile.num_threads();"), own + 10100 * size)
    np.testing.assert_array_equal(run(tile + "out[t] = cg::reduce(tile, x, cg::plus<unsigned>());"), by_tiles(np.sum, size))
    np.testing.assert_array_equal(run(tile + "out[t] = cg::reduce(tile, x, cg::greater<unsigned>());"), by_tiles(np.max, size))
    np.testing.assert_array_equal(run(tile + "out[t] = cg::reduce(tile, x, cg::less<unsigned>());"), by_tiles(np.min, size))
    np.testing.assert_array_equal(run(tile + "out[t] = cg::reduce(tile, x, cg::bit_xor<unsigned>());"), by_tiles(np.bitwise_xor.reduce, size))
    np.testing.assert_array_equal(run(tile + "out[t] = cg::inclusive_scan(tile, x);"), np.cumsum(rows, axis=1).ravel())
    np.testing.assert_array_equal(run(tile + "out[t] = cg::exclusive_scan(tile, x);"), (np.cumsum(rows, axis=1) - rows).ravel())
    np.testing.assert_array_equal(
        run(tile + "out[t] = cg::inclusive_scan(tile, x, cg::greater<unsigned>());"), np.maximum.accumulate(rows, axis=1).ravel()
    )
    np.testing.assert_array_equal(run(tile + f"out[t] = tile.shfl(x, {size - 1});"), np.repeat(rows[:, -1], size))
    wanted = ((rows % 2) << np.arange(size)).sum(axis=1)
    np.testing.assert_array_equal(run(tile + "tile.sync(); out[t] = tile.ballot(x & 1);"), np.repeat(wanted, size))
    np.testing.assert_array_equal(run(tile + "out[t] = tile.any(x == 7) + 2 * tile.all(x < 40);"), np.repeat((rows == 7).any(1) + 2 * (rows < 40).all(1), size))
    ranks = np.arange(N) // size if parent == "block" else np.arange(N) % 32 // size
    many = N // size if parent == "block" else 32 // size
    np.testing.assert_array_equal(run(tile + "out[t] = tile.meta_group_rank() + 1000 * tile.meta_group_size();"), ranks + 1000 * many)


def test_structures_are_shuffled(device):
    before = "struct Pair { double weight; int place; };"
    body = """
  auto warp = cg::tiled_partition<32>(block);
  Pair best{(double)x, (int)t};
  for (int step = 16; step > 0; step /= 2) {
    Pair other = warp.shfl_down(best, step);
    if (other.weight > best.weight || (other.weight == best.weight && other.place < best.place)) best = other;
  }
  out[t] = warp.shfl(best, 0).place;"""
    wanted = [32 * k + np.argmax(part) for k, part in enumerate(numbers().reshape(-1, 32))]
    np.testing.assert_array_equal(run(body, before=before), np.repeat(wanted, 32))


def test_coalesced_threads(device):
    """Half of the threads take the branch; what they do together does not depend on who is there at once."""
    x = numbers()
    body = """
  __shared__ unsigned total;
  if (t == 0) total = 0;
  __syncthreads();
  if (x % 2) {
    auto here = cg::coalesced_threads();
    unsigned sum = cg::reduce(here, x, cg::plus<unsigned>());
    if (here.thread_rank() == 0) atomicAdd(&total, sum);
    here.sync();
  }
  __syncthreads();
  out[t] = total;"""
    assert (run(body) == x[x % 2 == 1].sum()).all()
    whole = "auto warp = cg::coalesced_threads(); out[t] = "
    rows = x.reshape(-1, 32)
    np.testing.assert_array_equal(run(whole + "warp.shfl(x, 3);"), np.repeat(rows[:, 3], 32))
    np.testing.assert_array_equal(run(whole + "warp.size() + 100 * warp.thread_rank();"), 32 + 100 * (np.arange(N) % 32))
    np.testing.assert_array_equal(run(whole + "cg::inclusive_scan(warp, x);"), np.cumsum(rows, 1).ravel())
    np.testing.assert_array_equal(run(whole + "warp.shfl_down(x, 2);"), np.concatenate([rows[:, 2:], rows[:, 30:]], 1).ravel())


def test_others_of_the_warp_wait_elsewhere(device):
    """What lanes that wait for a vote have said is not taken for theirs who ask who is there; nor the other way."""
    x = numbers()
    body = """
  unsigned sum = 0;
  if (x % 2) {
    auto here = cg::coalesced_threads();
    sum = cg::reduce(here, 1u, cg::plus<unsigned>());
    if (here.thread_rank() != 0) sum = 0;
  }
  unsigned odd = __ballot_sync(~0u, x & 1);
  unsigned all = 0;
  if (t % 8 < 4) all = cg::tiled_partition<4>(block).ballot(x & 1);
  else { auto here = cg::coalesced_threads(); here.sync(); }
  out[t] = cg::reduce(cg::tiled_partition<32>(block), sum, cg::plus<unsigned>()) + 100 * __popc(odd) + 10000 * all;"""
    rows = x.reshape(-1, 32)
    odd = (rows % 2).sum(1, keepdims=True)
    tiles = ((x.reshape(-1, 4) % 2) << np.arange(4)).sum(1)
    all_ = np.where(np.arange(N) % 8 < 4, np.repeat(tiles, 4), 0)
    np.testing.assert_array_equal(run(body), (np.broadcast_to(odd * 101, rows.shape)).ravel() + 10000 * all_)


def test_partitions(device):
    x = numbers()
    rows = x.reshape(-1, 32)
    warp = "auto warp = cg::tiled_partition<32>(block); "
    odd = np.where(rows % 2, (rows * (rows % 2)).sum(1, keepdims=True), (rows * (1 - rows % 2)).sum(1, keepdims=True)).ravel()
    np.testing.assert_array_equal(
        run(warp + "auto part = cg::binary_partition(warp, x & 1); out[t] = cg::reduce(part, x, cg::plus<unsigned>());"), odd
    )
    like = (rows[:, :, None] % 5 == rows[:, None, :] % 5).sum(2).ravel()
    np.testing.assert_array_equal(run(warp + "out[t] = cg::labeled_partition(warp, x % 5).size();"), like)
    before = (np.tril(rows[:, :, None] % 5 == rows[:, None, :] % 5, -1)).sum(2).ravel()
    np.testing.assert_array_equal(run(warp + "out[t] = cg::labeled_partition(warp, x % 5).thread_rank();"), before)
    np.testing.assert_array_equal(
        run(warp + "auto part = cg::labeled_partition(warp, x % 3); out[t] = part.shfl(x, 0) + 100 * part.ballot(x > 20);"),
        np.concatenate([_of_parts(row) for row in rows]),
    )


def _of_parts(row):
    out = np.zeros(32, np.uint32)
    for label in range(3):
        places = np.flatnonzero(row % 3 == label)
        if places.size:
            out[places] = row[places[0]] + 100 * ((row[places] > 20).astype(np.uint64) << np.arange(places.size, dtype=np.uint64)).sum()
    return out


@pytest.mark.parametrize("group", ["block", "cg::tiled_partition(block, 8)", "cg::tiled_partition<16>(block)"])
def test_groups_of_any_kind(device, group):
    """A function that takes a thread_group, as in NVIDIA's own articles."""
    before = """
__device__ unsigned sum_of(cg::thread_group g, unsigned* room, unsigned value)
{
  unsigned lane = g.thread_rank();
  for (unsigned i = g.size() / 2; i > 0; i /= 2) {
    room[lane] = value;
    g.sync();
    if (lane < i) value += room[lane + i];
    g.sync();
  }
  return value;
}"""
    size = {"block": 64, "cg::tiled_partition(block, 8)": 8}.get(group, 16)
    body = f"""
  __shared__ unsigned room[64];
  cg::thread_group g = {group};
  unsigned sum = sum_of(g, room + threadIdx.x - g.thread_rank(), x);
  out[t] = g.thread_rank() == 0 ? sum : g.size();"""
    x = np.random.default_rng(0).integers(0, 9, 128, dtype=np.uint32)
    wanted = np.full((128 // size, size), size)
    wanted[:, 0] = x.reshape(-1, size).sum(1)
    np.testing.assert_array_equal(run(body, threads=64, blocks=2, given=x, shape=(128,), before=before), wanted.ravel())


def test_copies_barriers_and_one_thread(device):
    body = """
  __shared__ unsigned tile[96], others[96];
  cg::memcpy_async(block, tile, in, sizeof(unsigned) * 96);
  cg::memcpy_async(block, others, 96, in, 50);
  cg::wait(block);
  auto token = block.barrier_arrive();
  block.barrier_wait(static_cast<decltype(token)&&>(token));
  auto warp = cg::tiled_partition<32>(block);
  __shared__ unsigned count;
  if (t == 0) count = 0;
  cg::sync(block);
  cg::invoke_one(warp, [&] { atomicAdd(&count, 1u); });
  unsigned first = cg::invoke_one_broadcast(warp, [&] { return x; });
  block.sync();
  out[t] = tile[95 - t] + (t < 50 ? 1000 * others[t] : 0) + 100000 * count + 10000000 * (first == in[t & ~31u]);"""
    x = numbers()
    wanted = x[::-1] + np.where(np.arange(N) < 50, 1000 * x, 0) + 300000 + 10000000
    np.testing.assert_array_equal(run(body), wanted)


def test_the_grid(device):
    body = """
  cg::grid_group grid = cg::this_grid();
  out[t] = x;
  grid.sync();
  unsigned sum = 0;
  for (unsigned i = 0; i < grid.size(); ++i) sum += out[i];
  grid.sync();
  out[t] = sum + (grid.thread_rank() == t) + 2 * (grid.block_rank() == blockIdx.x) + 4 * (grid.num_blocks() == 3);"""
    assert (run(body, threads=32, blocks=3, enable_cooperative_groups=True) == numbers().sum() + 7).all()


TILES = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int* x, int* out) {
  __shared__ int copied[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, copied, x, sizeof(int) * 64);
  cg::wait(block);
  int v = copied[block.thread_rank()];
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  int* o = out + 16 * block.thread_rank();
  o[0] = cg::reduce(tile, v, cg::plus<int>());
  o[1] = cg::reduce(warp, v, cg::greater<int>());
  o[2] = cg::reduce(tile, v, [](int a, int b) { return a * 3 < b ? a : b; }) < 1000;
  o[3] = cg::inclusive_scan(tile, v);
  o[4] = cg::exclusive_scan(tile, v);
  o[5] = cg::inclusive_scan(warp, v, cg::less<int>());
  o[6] = tile.meta_group_rank() + 100 * tile.meta_group_size();
  o[7] = cg::invoke_one_broadcast(tile, [&] { return v; });
  cg::thread_group small = cg::tiled_partition(block, 4);
  o[8] = small.thread_rank() + 100 * small.size();
  small.sync();
  auto parts = cg::binary_partition(warp, v % 2 == 0);
  o[9] = cg::reduce(parts, v, cg::plus<int>()) ;
  auto labels = cg::labeled_partition(tile, v % 3);
  o[10] = cg::reduce(labels, v, cg::plus<int>());
  o[11] = labels.thread_rank() + 100 * labels.size() + 10000 * labels.meta_group_size();
  o[12] = 0;
  if (v % 3 == 0) {
    auto active = cg::coalesced_threads();
    o[12] = cg::reduce(active, v, cg::bit_xor<int>()) + active.size();
    o[13] = cg::exclusive_scan(active, v) + (int)active.shfl(v, 0);
    o[14] = active.ballot(v % 2) ;
    cg::invoke_one(active, [&] { o[15] = 7; });
  }
}
"""


def test_groups_in_one_kernel(device):
    x = np.random.default_rng(5).integers(1, 500, 64).astype(np.int32)
    out = np.zeros((64, 16), np.int32)
    places = [drv.to_device(x), drv.to_device(out)]
    qn.RawKernel(TILES, "tiles")((1,), (64,), tuple(places))
    out = drv.from_device_like(places[1], out)
    for i, v in enumerate(x):
        first, tile, warp = i // 8 * 8, x[i // 8 * 8 :][:8], x[i // 32 * 32 :][:32]
        o = out[i]
        assert o[0] == tile.sum() and o[1] == warp.max() and o[2] == 1
        assert o[3] == x[first : i + 1].sum() and o[4] == x[first:i].sum()
        assert o[5] == x[i // 32 * 32 : i + 1].min()
        assert o[6] == i % 32 // 8 + 400 and o[7] == tile[0] and o[8] == i % 4 + 400
        assert o[9] == warp[warp % 2 == v % 2].sum()
        same = tile % 3 == v % 3
        assert o[10] == tile[same].sum()
        assert o[11] == same[: i - first].sum() + 100 * same.sum() + 10000 * len(set(tile % 3))
        if v % 3 == 0:
            active = warp[warp % 3 == 0]
            rank = int((warp[: i % 32] % 3 == 0).sum())
            assert o[12] == np.bitwise_xor.reduce(active) + active.size
            assert o[13] == active[:rank].sum() + active[0]
            assert o[14] == np.int64(sum(int(a % 2) << k for k, a in enumerate(active))).astype(np.int32)
            assert o[15] == (7 if rank == 0 else 0)
        else:
            assert o[12] == 0


WARPS = [0, 0b111, 0b110, 0b101, 0b001]
LOOPS = {
    "halving": "for (int i = g.size() / 2; i > 0; i /= 2) sum += g.shfl_down(sum, i);",
    "doubling": "for (int i = 1; i < g.size(); i *= 2) sum += g.shfl_down(sum, i);",
    "until": "int k = 1; do { sum += g.shfl_down(sum, k); k *= 2; } while (g.any(k < 32));",
    "by what was read": "for (int i = 1; i < in[96 + t / 32]; i *= 2) { if (in[99] == i) break; sum += g.shfl_down(sum, i); }",
    "chosen": """for (int i = 1; i < 32;) {
  switch (in[99 + (t / 32 > 5)]) {
    case 0: sum += g.shfl_down(sum, i); i *= 2; break;
    case 1: g.sync(); continue;
    default: i = 32;
  }
}""",
    "reduce": "sum = cg::reduce(g, sum, cg::plus<unsigned>());",
}


# None of a warp's threads may be there to say how the warp's loops end.
@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("aside", ["if (!x) return;", "if (x) {"])
def test_loops_of_warps_that_have_left(device, name, aside):
    for warps in WARPS:
        x = np.repeat([warps >> i & 1 for i in range(3)], 32).astype(np.uint32)
        given = np.concatenate([x, np.array([32, 32, 32, 0, 0], np.uint32)])
        body = f"{aside} cg::coalesced_group g = cg::coalesced_threads(); unsigned sum = t; {LOOPS[name]} out[t] = g.shfl(sum, 0);"
        got = run(body + ("}" if aside.endswith("{") else ""), given=given)
        expected = np.arange(N, dtype=np.uint32).reshape(3, 32).sum(1).repeat(32) * x
        assert (got == expected).all()
