"""The same of kernels in Python (test_check_planted.py): six wrong ones of each family, and six that look wrong and are right.

Three families have no kernels here: indices are 64-bit numbers, elements of arrays are aligned, and an array keeps its memory.
"""

import numpy as np
import pytest
import quern as qn
from quern import cuda
from quern.cuda import int32

pytestmark = pytest.mark.usefixtures("on_the_cpu")  # where checks look

N = 64  # threads of a block; launches have two


# ---- out of bounds


def beyond_the_last(x, y, m):
    y[cuda.grid(1) + 1] = 1


def index_of_another(x, y, m):
    i = cuda.grid(1)
    y[i] = x[x[i] + 128]


def transposed(x, y, m):
    i = cuda.threadIdx.x
    m[i % 4, i % 8] = 1


def shared_too_short(x, y, m):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    y[t] = s[t % 32]


def local_too_short(x, y, m):
    a = cuda.local.array(4, int32)
    for k in range(5):
        a[k] = k
    y[cuda.grid(1)] = a[1]


def before_the_first(x, y, m):
    i = cuda.grid(1)
    y[i] = x[i - 200]


# ---- data races


def all_write_one(x, y, m):
    y[0] = cuda.threadIdx.x


def no_barrier(x, y, m):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = t
    y[cuda.grid(1)] = s[63 - t]


def histogram(x, y, m):
    y[cuda.threadIdx.x % 4] += 1


def store_beside_atomic(x, y, m):
    s = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        s[0] = 0
    cuda.atomic.add(s, 0, 1)
    cuda.syncthreads()
    y[cuda.blockIdx.x] = s[0]


def in_place(x, y, m):
    i = cuda.grid(1)
    if i + 1 < y.size:
        y[i] = y[i + 1] + i


def tree_without_barriers(x, y, m):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    d = 32
    while d > 0:
        if t < d:
            s[t] += s[t + d]
        d //= 2
    if t == 0:
        y[cuda.blockIdx.x] = s[0]


# ---- uninitialized reads


def shared_never_filled(x, y, m):
    s = cuda.shared.array(64, int32)
    y[cuda.grid(1)] = s[cuda.threadIdx.x]


def half_filled(x, y, m):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if t % 2:
        s[t] = t
    cuda.syncthreads()
    y[cuda.grid(1)] = s[t]


def counter_never_set(x, y, m):
    s = cuda.shared.array(1, int32)
    cuda.atomic.add(s, 0, 1)
    cuda.syncthreads()
    y[cuda.blockIdx.x] = s[0]


def local_never_filled(x, y, m):
    a = cuda.local.array(4, int32)
    a[0] = 1
    y[cuda.grid(1)] = a[1 + cuda.threadIdx.x % 3]


def halo_left_out(x, y, m):
    s = cuda.shared.array(66, int32)
    t = cuda.threadIdx.x
    s[t + 1] = t
    cuda.syncthreads()
    y[cuda.grid(1)] = s[t] + s[t + 2]


def sum_never_set(x, y, m):
    a = cuda.local.array(1, int32)
    for k in range(4):
        a[0] += k
    y[cuda.grid(1)] = a[0]


# ---- divergent barriers


def in_both_branches(x, y, m):
    if cuda.threadIdx.x % 2:
        cuda.syncthreads()
        y[cuda.grid(1)] = 1
    else:
        cuda.syncthreads()
        y[cuda.grid(1)] = 2


def in_rounds_that_differ(x, y, m):
    for _ in range(cuda.threadIdx.x % 3):
        cuda.syncthreads()
    y[cuda.grid(1)] = 1
    cuda.syncthreads()


def in_three_branches(x, y, m):
    t = cuda.threadIdx.x
    if t < 20:
        cuda.syncthreads()
    elif t < 40:
        y[cuda.grid(1)] = 1
        cuda.syncthreads()
    else:
        cuda.syncthreads()


def a_mask_without_its_lane(x, y, m):
    if cuda.threadIdx.x == 3:
        cuda.syncwarp(0x1)
    y[cuda.grid(1)] = 1


def lanes_in_two_functions(x, y, m):
    t = cuda.threadIdx.x
    if t % 32 < 16:
        y[cuda.grid(1)] = cuda.shfl_down_sync(0xFFFF, t, 1)
    else:
        y[cuda.grid(1)] = cuda.shfl_up_sync(0xFFFFFFFF, t, 1)


def a_warp_waits_for_lanes_elsewhere(x, y, m):
    if cuda.threadIdx.x < 16:
        cuda.syncwarp(0xFFFFFFFF)
    y[cuda.grid(1)] = 1
    cuda.syncthreads()


def passed_by_some(x, y, m):
    t = cuda.threadIdx.x
    if t < 40:
        cuda.syncthreads()
    y[cuda.grid(1)] = t


def passed_by_in_the_last_round(x, y, m):
    t = cuda.threadIdx.x
    for k in range(3):
        if k == 2 and t > 8:
            continue
        cuda.syncthreads()
    y[cuda.grid(1)] = t


WRONG = {
    "out of bounds": (beyond_the_last, index_of_another, transposed, shared_too_short, local_too_short, before_the_first),
    "data race": (all_write_one, no_barrier, histogram, store_beside_atomic, in_place, tree_without_barriers),
    "uninitialized read": (shared_never_filled, half_filled, counter_never_set, local_never_filled, halo_left_out, sum_never_set),
    "divergent barrier": (
        in_both_branches,
        in_rounds_that_differ,
        in_three_branches,
        a_mask_without_its_lane,
        lanes_in_two_functions,
        a_warp_waits_for_lanes_elsewhere,
        passed_by_some,
        passed_by_in_the_last_round,
    ),
}


# ---- right


def all_write_the_same(x, y, m):
    if x[cuda.grid(1)] == 0:
        y[0] = 1


def counted_behind_a_barrier(x, y, m):
    s = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        s[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(s, 0, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        y[cuda.blockIdx.x] = s[0]


def from_the_end(x, y, m):
    i = cuda.grid(1)
    y[i] = x[-1 - i]


def within_a_warp(x, y, m):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncwarp()
    y[cuda.grid(1)] = s[t ^ 1]


def threads_that_end_early(x, y, m):
    if cuda.threadIdx.x >= 40:
        return
    cuda.syncthreads()
    y[cuda.grid(1)] = 1


def a_barrier_in_a_branch_of_blocks(x, y, m):
    if cuda.blockIdx.x == 0:
        cuda.syncthreads()
    y[cuda.grid(1)] = 1


def atomics_of_all_blocks(x, y, m):
    cuda.atomic.max(y, 0, cuda.grid(1))
    cuda.atomic.add(y, 1, 1)


def half_used(x, y, m):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if t < 32:
        s[t] = t
    cuda.syncthreads()
    y[cuda.grid(1)] = s[t % 32]


def swapped_in_turns(x, y, m):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    v = s[63 - t]
    cuda.syncthreads()
    s[t] = v
    y[cuda.grid(1)] = s[t]


def in_strides(x, y, m):
    for i in range(cuda.grid(1), y.size, cuda.gridsize(1)):
        y[i] = x[i] + 1


RIGHT = (
    all_write_the_same,
    counted_behind_a_barrier,
    from_the_end,
    within_a_warp,
    threads_that_end_early,
    a_barrier_in_a_branch_of_blocks,
    atomics_of_all_blocks,
    half_used,
    swapped_in_turns,
    in_strides,
)


def checked(function):
    x, y, m = np.zeros(2 * N, np.int32), np.zeros(2 * N, np.int32), np.zeros((8, 4), np.int32)
    arrays = [cuda.to_device(a) for a in (x, y, m)]
    with qn.check() as report:
        try:
            cuda.jit(function)[2, N](*arrays)
            cuda.synchronize()
        except qn.LaunchError:  # threads that wait for ever
            pass
    return report


@pytest.mark.parametrize(("title", "function"), [(title, function) for title in WRONG for function in WRONG[title]])
def test_mistakes_in_python(title, function):
    report = checked(function)
    told = [one for one in report if str(one).startswith(f"{title} in kernel '{function.__name__}'")]
    assert told and told[0].advice, f"{report}"
    if title == "data race":
        mine, other = told[0].access, told[0].other
        assert (mine["thread"], mine["block"]) != (other["thread"], other["block"])


@pytest.mark.parametrize("function", RIGHT)
def test_what_looks_wrong_in_python(function):
    report = checked(function)
    assert not len(report), str(report)
