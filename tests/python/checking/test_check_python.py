"""Wrong kernels written in Python: arrays by the names, axes and sizes that the program gave them, and Python's own lines."""

import operator
import os
import pathlib

import numpy as np
import pytest
import quern as qn
from checked import kinds
from programs import ROOT, quern
from quern import cuda

N = 64


pytestmark = pytest.mark.usefixtures("on_the_cpu")


def in_python(kernel, *arguments, grid=1, block=N, **checks):
    with qn.check(**checks) as report:
        compiled = cuda.jit(kernel)
        try:
            compiled[grid, block](*arguments)
            cuda.synchronize()
        except qn.LaunchError:
            pass
    return report


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


# ---- indices. Each has a mistake in the line that ends in "# <-", and what is said of it.


def behind_a_row(x, y):
    i = cuda.threadIdx.x
    if i < 16:
        y[i] = x[i, 4]  # <-


def behind_the_rows(x, y):
    i = cuda.threadIdx.x
    y[i] = x[i, 0]  # <-


def before_the_beginning(x, y):
    i = cuda.threadIdx.x
    if i < 16:
        y[i] = x[-17 - i, 1]  # <-


def a_view_of_no_row(x, y):
    row = x[16]  # <-
    y[cuda.threadIdx.x] = row[0]


def a_part_that_is_shorter(x, y):
    part = x[2:10]
    i = cuda.threadIdx.x
    if i < 9:
        y[i] = part[i, 0]  # <-


def a_transposed_matrix(x, y):
    t = x.T
    i = cuda.threadIdx.x
    if i < 16:
        y[i] = t[i, 0]  # <-


def a_stride(x, y):
    i = cuda.grid(1)
    y[2 * i] = 1  # <-


def an_atomic(x, y):
    cuda.atomic.add(y, cuda.threadIdx.x + 1, 1)  # <-


def in_a_loop(x, y):
    s = 0.0
    for j in range(5):
        s += x[0, j]  # <-
    y[cuda.threadIdx.x] = s


def by_data(x, y):
    i = cuda.threadIdx.x
    if i < 16:
        y[int(x[i, 3]) + 2] = 0  # <-


INDICES = [
    (behind_a_row, "index 4 is outside of axis 1 of 'x', which has 4 elements"),
    (behind_the_rows, "index 16 is outside of axis 0 of 'x', which has 16 elements"),
    (before_the_beginning, "index -17 is outside of axis 0 of 'x', which has 16 elements"),
    (a_view_of_no_row, "index 16 is outside of axis 0 of 'x', which has 16 elements"),
    (a_part_that_is_shorter, "index 8 is outside of axis 0"),
    (a_transposed_matrix, "index 4 is outside of axis 0"),
    (a_stride, "index 64 is outside of axis 0 of 'y', which has 64 elements"),
    (an_atomic, "index 64 is outside of axis 0 of 'y', which has 64 elements"),
    (in_a_loop, "index 4 is outside of axis 1 of 'x', which has 4 elements"),
    (by_data, "outside of axis 0 of 'y', which has 64 elements"),
]


def line_of_mistake(function):
    import inspect

    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if "# <-" in line)


def is_found(report, kind, function):
    found = [one for one in report if one.kind == kind]
    assert found, f"{report}"
    places = [place for one in found for place in (one.access, one.other) if place]
    assert line_of_mistake(function) in [place["line"] for place in places], f"{report}"
    assert all(os.path.samefile(place["file"], __file__) for place in places)
    return found[0]


@pytest.mark.parametrize("function, title", INDICES, ids=[f.__name__ for f, _ in INDICES])
def test_indices_outside_of_the_shape(function, title):
    x, y = numbers(16, 4), np.zeros(N, np.float32)
    found = is_found(in_python(function, x, y), "out_of_bounds", function)
    assert title in found.title and found.access["function"] == function.__name__


def test_an_index_outside_of_its_array_and_inside_of_the_memory():
    """The address is one of the array's; the element is not the one that the index names."""

    def diagonal(x, y):
        i = cuda.threadIdx.x
        if i < 10:
            y[i] = x[i, i]  # <-

    report = in_python(diagonal, numbers(16, 4), np.zeros(N, np.float32))
    assert len(report) == 1 and report[0].count == 6 and "index 4 is outside of axis 1 of 'x'" in str(report)
    assert "parameter 'x', 4 elements along axis 1" in str(report)


def test_the_line_that_allocated_the_array_is_reported():
    x = cuda.to_device(numbers(16, 4))
    report = in_python(behind_a_row, x, np.zeros(N, np.float32))
    assert os.path.basename(report[0].allocated).startswith("test_check_python.py:") and "its memory was allocated at" in str(report)


# ---- arrays of the kernel's own


def a_shared_array(x, y):
    tile = cuda.shared.array(32, np.float32)
    i = cuda.threadIdx.x
    tile[i] = i  # <-
    y[i] = 1


def a_shared_matrix(x, y):
    tile = cuda.shared.array((8, 8), np.float32)
    i = cuda.threadIdx.x
    tile[i // 7, i % 7] = i  # <-


def a_local_array(x, y):
    mine = cuda.local.array(4, np.int32)
    for j in range(5):
        mine[j] = j  # <-
    y[cuda.threadIdx.x] = mine[0]


@pytest.mark.parametrize(
    "function, name, kind", [(a_shared_array, "tile", "shared"), (a_shared_matrix, "tile", "shared"), (a_local_array, "mine", "local")]
)
def test_arrays_of_the_kernels_own_have_their_names(function, name, kind):
    found = is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32)), "out_of_bounds", function)
    assert found.object == name and found.object_kind == kind and f"of '{name}', which has" in found.title


def never_filled(x, y):
    tile = cuda.shared.array(64, np.float32)
    y[cuda.threadIdx.x] = tile[cuda.threadIdx.x]  # <-


def half_filled(x, y):
    mine = cuda.local.array(8, np.float32)
    for j in range(4):
        mine[j] = j
    s = 0.0
    for j in range(8):
        s += mine[j]  # <-
    y[cuda.threadIdx.x] = s


@pytest.mark.parametrize("function, name", [(never_filled, "tile"), (half_filled, "mine")])
def test_reads_of_what_nobody_wrote(function, name):
    assert is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32)), "never_written", function).object == name


# ---- races and barriers


def without_a_barrier(x, y):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    tile[i] = i  # <-
    y[i] = tile[63 - i]


def a_sum_of_all(x, y):
    y[0] += x[cuda.threadIdx.x % 16, 0]  # <-


def between_blocks(x, y):
    i = cuda.grid(1)
    y[i % 32] = i  # <-


def a_reduction_in_steps(x, y):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    tile[i] = i
    cuda.syncthreads()
    d = 32
    while d > 0:
        if i < d:
            tile[i] += tile[i + d]  # <-
        d //= 2
    y[0] = tile[0]


def neighbours(x, y):
    i = cuda.grid(1)
    if i < 63:
        y[i] = y[i + 1]  # <-


def a_warp_that_is_not_enough(x, y):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    tile[i] = i  # <-
    cuda.syncwarp()
    y[i] = tile[(i + 32) % 64]


RACES = [
    (without_a_barrier, 1),
    (a_sum_of_all, 1),
    (between_blocks, 2),
    (a_reduction_in_steps, 1),
    (neighbours, 2),
    (a_warp_that_is_not_enough, 1),
]


@pytest.mark.parametrize("function, grid", RACES, ids=[f.__name__ for f, _ in RACES])
def test_races(function, grid):
    is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32), grid=grid, block=N // grid), "race", function)


def one_side_alone(x, y):
    if cuda.threadIdx.x < 8:
        y[0] = 1
        cuda.syncthreads()
    else:
        cuda.syncthreads()  # <-


def test_barriers():
    is_found(in_python(one_side_alone, numbers(16, 4), np.zeros(N, np.float32)), "barrier_places", one_side_alone)


# ---- arithmetic


def a_remainder(x, y):
    i = cuda.threadIdx.x
    y[i] = 7 % i  # <-


def a_quotient(x, y):
    y[0] = 10 // (x.shape[0] - 16)  # <-


def a_quotient_in_place(x, y):
    total = 100
    for j in range(3):
        total //= 2 - j  # <-
    y[0] = total


def both_at_once(x, y):
    q, r = divmod(10, cuda.threadIdx.x)  # <-
    y[0] = q + r


def by_the_operator_module(x, y):
    i = cuda.threadIdx.x
    y[i] = operator.floordiv(10, i) + operator.mod(10, i)  # <-


@pytest.mark.parametrize("function", [a_remainder, a_quotient, a_quotient_in_place, both_at_once, by_the_operator_module])
def test_divisions_by_zero(function):
    is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32)), "division", function)


def too_many_bits(x, y):
    y[0] = 1 << (x.shape[0] * 4)  # <-


def a_negative_amount(x, y):
    i = cuda.threadIdx.x
    y[i] = 1024 >> (i - 3)  # <-


def a_literal_amount(x, y):
    i = cuda.threadIdx.x
    y[i] = i << 70  # <-


def a_shift_by_the_operator_module(x, y):
    i = cuda.threadIdx.x
    y[i] = operator.rshift(1024, i - 3)  # <-


@pytest.mark.parametrize("function", [too_many_bits, a_negative_amount, a_literal_amount, a_shift_by_the_operator_module])
def test_shifts(function):
    is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32)), "shift", function)


def a_logarithm(x, y):
    import math

    i = cuda.threadIdx.x
    y[i] = math.log(x[i % 16, 0] - 4)  # <-


def a_fraction(x, y):
    i = cuda.threadIdx.x
    y[i] = x[i % 16, 0] / x[0, i % 4]  # <-


@pytest.mark.parametrize("function", [a_fraction])
def test_numbers_that_are_none(function):
    is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32), nan=True), "not_finite", function)


def a_short_warp(x, y):
    i = cuda.threadIdx.x
    y[i] = cuda.shfl_down_sync(0xFFFFFFFF, i, 16)  # <-


def a_loop_for_each_lane(x, y):
    i = cuda.threadIdx.x
    if i < 7:
        cuda.syncwarp()  # <-
    else:
        cuda.syncthreads()


@pytest.mark.parametrize("function, threads", [(a_short_warp, 40), (a_loop_for_each_lane, 32)])
def test_lanes_that_are_not_there(function, threads):
    is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32), block=threads), "barrier_missing", function)


def a_shuffle_as_a_barrier(x, y):
    tile = cuda.shared.array(32, np.float32)
    i = cuda.threadIdx.x
    tile[i] = i  # <-
    y[i] = tile[i ^ 1] + cuda.shfl_sync(0xFFFFFFFF, i, 0)


def a_ticket_without_a_fence(x, y):
    if cuda.threadIdx.x == 0:
        y[8 + cuda.blockIdx.x] = 5
        if cuda.atomic.add(y, 0, 1) == 3:
            y[20] = y[8] + y[9]  # <-


@pytest.mark.parametrize("function, grid, threads", [(a_shuffle_as_a_barrier, 1, 32), (a_ticket_without_a_fence, 4, 16)])
def test_what_orders_nothing(function, grid, threads):
    is_found(in_python(function, numbers(16, 4), np.zeros(N, np.float32), grid=grid, block=threads), "race", function)


# ---- cupyx.jit


def test_kernels_of_cupyx_jit():
    import quern.cupy as cp
    from quern.cupyx import jit

    @jit.rawkernel()
    def shifted(x, y):
        i = jit.threadIdx.x
        tile = jit.shared_memory(np.float32, 32)
        if i < 32:
            tile[i] = x[i, 0]
        jit.syncthreads()
        y[i] = tile[i] + x[i, 4] + 5 // i  # <-

    with qn.check() as report:
        x, y = cp.asarray(numbers(64, 4)), cp.zeros(64, np.float32)
        shifted((1,), (64,), (x, y))
        cp.cuda.get_current_stream().synchronize()
    titles = " ".join(one.title for one in report)
    assert kinds(report) == {"out_of_bounds", "division"}, f"{report}"
    assert "index 32 is outside of axis 0 of 'tile', which has 32 elements" in titles
    assert "index 4 is outside of axis 1 of 'x', which has 4 elements" in titles and "divided by 0" in titles


# ---- right ones


def test_locks_tickets_and_barriers_of_the_grid():
    def lock(y, taken):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.compare_and_swap(taken, 0, 1) != 0:
                pass
            cuda.threadfence()
            y[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(taken, 0, 0)

    def ticket(y, taken):
        if cuda.threadIdx.x == 0:
            y[8 + cuda.blockIdx.x] = 5
            cuda.threadfence()
            if cuda.atomic.add(taken, 0, 1) == 3:
                y[20] = y[8] + y[9] + y[10] + y[11]

    def in_step(y, taken):
        i = cuda.grid(1)
        y[i] = i
        cuda.cg.this_grid().sync()
        j = y[63 - i]
        cuda.cg.this_grid().sync()
        y[i] = j

    for kernel, at, expected in ((lock, 0, 4), (ticket, 20, 20), (in_step, 3, 60)):
        y = np.zeros(N, np.float32)
        report = in_python(kernel, y, np.zeros(1, np.int32), grid=4, block=16)
        assert not len(report) and y[at] == expected, f"{report}"


def test_indices_that_count_from_the_end():
    def last(x, y):
        i = cuda.threadIdx.x
        if i < 16:
            y[i] = x[i, -1] + x[-1, 3] + x[i - 16, 0]
        row = x[-1]
        y[20] = row[-4]
        y[21:24] = x[0, :3]

    x, y = numbers(16, 4), np.zeros(N, np.float32)
    report = in_python(last, x, y)
    assert {one.kind for one in report} <= {"race"}, f"{report}"
    assert (y[:16] == x[:, 3] + x[15, 3] + x[:, 0]).all() and (y[21:24] == x[0, :3]).all()


def test_kernels_compiled_under_a_check_run_without_one():
    def double(x, y):
        i = cuda.threadIdx.x
        y[i] = x[i % 16, 0] * 2 + i // (i + 1)

    compiled = cuda.jit(double)
    x, y = numbers(16, 4), np.zeros(N, np.float32)
    with qn.check() as report:
        compiled[1, N](x, y)
        cuda.synchronize()
    compiled[1, N](x, y)
    compiled[1, N](numbers(16, 4).astype(np.float64), y)
    cuda.synchronize()
    assert not len(report) and (y == np.tile(x[:, 0] * 2, 4)).all()


DIAGONAL = """\
import numpy as np
from numba import cuda

@cuda.jit
def diagonal(x, y):
    i = cuda.threadIdx.x
    y[i] = x[i, i]

diagonal[1, 16](np.zeros((16, 4), np.float32), np.zeros(16, np.float32))
"""


def test_the_page_about_indices(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(DIAGONAL)
    done = quern("check", "program.py", cwd=tmp_path)
    page = pathlib.Path(ROOT, "docs", "check.md").read_text()
    shown = page[page.index("out of bounds in kernel 'diagonal'") :].partition("```")[0]
    assert done.returncode == 3 and done.stderr.startswith(shown), done.stderr


def test_fields_that_lie_between_each_other():
    """Views of the same records, handed over as two arrays."""

    def exchange(a, b):
        i = cuda.threadIdx.x
        if i < a.size:
            a[i], b[i] = b[i], a[i]

    records = np.zeros(20, np.dtype([("x", "f4"), ("y", "f4"), ("z", "f8")]))
    records["x"] = np.arange(20)
    report = in_python(exchange, records["x"], records["y"])
    assert not len(report), f"{report}"
    assert (records["y"] == np.arange(20)).all() and not records["x"].any()


def test_threads_have_the_programs_own_coordinates():
    """Also where the compiler lets x and y of a block change places (kernel/transposed_indexing.py)."""

    def row_by_row(x, y):
        i, j = cuda.grid(2)
        y[i, j] = x[i, j]  # <-

    report = in_python(row_by_row, np.ones((4, 8)), np.zeros((4, 8)), block=(5, 8))
    assert is_found(report, "out_of_bounds", row_by_row).access["thread"] == (4, 0, 0), f"{report}"


def test_too_little_dynamic_shared_memory():
    """An index outside of a dynamic shared array is a launch with too few bytes; one outside of another array is not."""

    def turned(o):
        s = cuda.shared.array(0, np.float32)
        t = cuda.threadIdx.x
        s[t] = t
        cuda.syncthreads()
        o[t] = s[63 - t]

    def outside(o):
        s = cuda.shared.array(0, np.float32)
        s[cuda.threadIdx.x] = 1
        o[cuda.threadIdx.x + 1] = s[0]

    def two_kinds(o):
        s, fixed = cuda.shared.array(0, np.float32), cuda.shared.array(8, np.float32)
        part = fixed[2:4]
        s[0] = part[cuda.threadIdx.x]
        o[cuda.threadIdx.x] = s[0]

    def launched(kernel, size):
        with qn.check() as report:
            cuda.jit(kernel)[1, N, 0, size](qn.zeros(N, dtype="float32"))
        return [f.advice for f in report if f.kind == "out_of_bounds"]

    assert not launched(turned, 4 * N)
    few = launched(turned, 128)
    assert few and all("as many bytes of dynamic shared memory" in said and "the array has 128" in said for said in few)
    for kernel in (outside, two_kinds):
        said = launched(kernel, 4 * N)
        assert said and all(one.startswith("check the index") for one in said)
