"""What the CPU makes of many narrow blocks, of comparisons with indices, and of atomic additions: nobody must see it."""

import random

import numpy as np
import pytest
import quern
from kernels import module_of
from quern import cuda

TYPES = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64}
SHAPES = [((64, 16), (16, 4)), ((16, 64), (5, 3)), ((1024, 1), (32, 2)), ((96, 12), (128, 1)), ((7, 130), (16, 1))]
WIDTH, HEIGHT = 901, 57


def written(source, name, arguments, grid, block):
    kernel = quern.RawKernel(source, name)
    kernel(grid, block, tuple(arguments))
    return kernel


class Case:
    """A kernel whose threads ask in many ways where they are, and NumPy's answer to the same questions."""

    def __init__(self, seed):
        pick = random.Random(seed)
        self.type = pick.choice(list(TYPES))
        self.grid, self.block = pick.choice(SHAPES)
        self.turned = pick.random() < 0.4  # threadIdx.x beside blockIdx.y
        self.guards = [self.condition(pick) for _ in range(pick.randrange(3))]
        self.choices = [self.condition(pick) for _ in range(pick.randrange(1, 4))]
        self.leaves = pick.random() < 0.5

    def condition(self, pick):
        value = pick.choice(["j", "j", "j", "i"])
        shift = pick.choice([0, 0, -1, -2, 1, 3])
        return value, shift, pick.choice(["<", "<=", ">", ">="]), pick.choice([0, 1, 5, "w", "w", "h", "w - 1"])

    def text_of(self, condition):
        value, shift, operator, limit = condition
        return f"(T)({value} + (T)({shift})) {operator} (T)({limit})"

    def source(self):
        x, y = ("y", "x") if self.turned else ("x", "y")
        guards = " && ".join(map(self.text_of, self.guards)) or "true"
        inside = f"i < (T)h && j < (T)w && {guards}"
        lines = [f"if (!({inside})) return;" if self.leaves else f"if ({inside}) {{"]
        lines.append("int v = a[(size_t)i * w + j];")
        for k, choice in enumerate(self.choices):
            lines.append(f"v += {self.text_of(choice)} ? {k + 2} * (int)j : (int)i - {k};")
        lines.append("out[(size_t)i * w + j] = v;")
        lines += [] if self.leaves else ["}"]
        return f"""
            typedef {self.type} T;
            extern "C" __global__ void k(const int* a, int* out, int w, int h) {{
              T j = (T)blockIdx.{x} * (T)blockDim.x + (T)threadIdx.x;
              T i = (T)blockIdx.{y} * (T)blockDim.y + (T)threadIdx.y;
              {chr(10).join(lines)}
            }}"""

    def expected(self, a, out):
        dtype = TYPES[self.type]
        columns, rows = self.grid[::-1] if self.turned else self.grid
        h, w = min(HEIGHT, rows * self.block[1]), min(WIDTH, columns * self.block[0])
        i, j = (x.astype(dtype) for x in np.mgrid[:h, :w])
        limits = {"w": WIDTH, "h": HEIGHT, "w - 1": WIDTH - 1}

        def holds(condition):
            value, shift, operator, limit = condition
            left = (i if value == "i" else j) + np.array(shift).astype(dtype)
            right = dtype(limits.get(limit, limit))
            return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]

        v = a[:h, :w].copy()
        for k, choice in enumerate(self.choices):
            v += np.where(holds(choice), (k + 2) * j.astype(np.int32), i.astype(np.int32) - k)
        written_to = np.logical_and.reduce([np.ones((h, w), bool), *map(holds, self.guards)])
        out[:h, :w][written_to] = v[written_to]


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_all_kinds(device, seed):
    case = Case(seed)
    a = np.arange(WIDTH * HEIGHT, dtype=np.int32).reshape(HEIGHT, WIDTH)
    expected = np.full_like(a, -1)
    case.expected(a, expected)
    on_device, out = cuda.to_device(a), cuda.to_device(np.full_like(a, -1))
    written(case.source(), "k", (on_device, out, np.int32(WIDTH), np.int32(HEIGHT)), case.grid, case.block)
    assert np.array_equal(out.copy_to_host(), expected), case.source()


def test_places_in_a_block_stay(device):
    source = """
        extern "C" __global__ void places(int* out) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          out[3 * i] = threadIdx.x;
          out[3 * i + 1] = blockIdx.x;
          out[3 * i + 2] = blockDim.x * 1000 + gridDim.x;
        }"""
    out = cuda.to_device(np.zeros((640 * 8, 3), np.int32))
    written(source, "places", (out,), (640,), (8,))
    i = np.arange(640 * 8)
    assert np.array_equal(out.copy_to_host(), np.stack([i % 8, i // 8, np.full_like(i, 8640)], 1))


def test_strides_of_the_whole_grid(device, tmp_path):
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = 2 * x[i] + 1
""",
    ).kernel
    for n in (0, 1, 77, 4096, 100_003):
        x = np.arange(n)
        out = cuda.to_device(np.zeros(n, np.int64))
        kernel[(96,), (16,)](cuda.to_device(x), out)
        assert np.array_equal(out.copy_to_host(), 2 * x + 1)


# ---- ranges and remainders of numbers that cannot be negative


MOST = 2**63 - 1
RANGES = [
    (0, 10, 3),
    (0, 10, 0),
    (5, 5, 1),
    (7, 3, 2),
    (0, -4, 2),
    (3, 4, 100),
    (MOST - 5, MOST, 2),
    (MOST - 1, MOST, MOST),
    (0, MOST, MOST),
]


def test_ranges_upwards(device, tmp_path):
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(given, out):
    i = cuda.grid(1)
    if i < given.shape[0]:
        rounds, total = 0, 0
        for k in range(abs(given[i, 0]), given[i, 1], abs(given[i, 2])):
            rounds += 1
            total ^= k
        out[i, 0], out[i, 1] = rounds, total
""",
    ).kernel
    given = np.array(RANGES)
    out = cuda.to_device(np.zeros((len(RANGES), 2), np.int64))
    kernel[1, 32](cuda.to_device(given), out)
    expected = []
    for start, stop, step in RANGES:
        numbers = list(range(start, stop, step)) if step else []
        expected.append((len(numbers), int(np.bitwise_xor.reduce(np.array(numbers or [0], dtype=np.int64)))))
    assert out.copy_to_host().tolist() == [list(x) for x in expected]


def test_ranges_of_all_steps(device, tmp_path):
    """Where a start or a step may be negative, rounds are counted beforehand."""
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(given, out):
    i = cuda.grid(1)
    if i < given.shape[0]:
        rounds, last = 0, 0
        for k in range(given[i, 0], given[i, 1], given[i, 2]):
            rounds += 1
            last = k
        out[i, 0], out[i, 1] = rounds, last
""",
    ).kernel
    least = -(2**63)
    down = [(10, 0, -3), (0, 10, -1), (5, 5, -1), (MOST, least, least), (least, MOST, MOST), (MOST, MOST - 3, -1), (-7, 9, 4), (9, -7, -4)]
    ranges = [*RANGES, *down]
    out = cuda.to_device(np.zeros((len(ranges), 2), np.int64))
    kernel[1, 32](cuda.to_device(np.array(ranges)), out)
    numbers = [range(*r) if r[2] else range(0) for r in ranges]
    assert out.copy_to_host().tolist() == [[len(r), r[-1] if r else 0] for r in numbers]


def test_ranges_upwards_of_small_integers(device, tmp_path):
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(stop, out):
    rounds = 0
    for k in range(cuda.threadIdx.x, stop, cuda.blockDim.x):
        rounds += 1
    out[cuda.threadIdx.x] = rounds
""",
    ).kernel
    out = cuda.to_device(np.zeros(64, np.int64))
    for stop in (np.int32(0), np.int32(-7), np.int32(64), np.int32(1000)):
        kernel[1, 64](stop, out)
        assert out.copy_to_host().tolist() == [len(range(t, int(stop), 64)) for t in range(64)]


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint32, np.uint64, np.uint8])
def test_remainders_by_natural_numbers(device, tmp_path, dtype):
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] % abs(b[i])
""",
    ).kernel
    info = np.iinfo(dtype)
    edges = np.array([0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1], dtype)
    a, b = (x.ravel() for x in np.meshgrid(edges, edges))
    keep = b != info.min if info.min else b == b  # abs() of the lowest is itself
    a, b = a[keep], b[keep]
    out = cuda.to_device(np.zeros(a.size, np.int64 if info.min else np.uint64))
    kernel[2, 64](cuda.to_device(a), cuda.to_device(b), out)
    expected = [int(x) % abs(int(y)) if y else 0 for x, y in zip(a, b, strict=True)]
    assert out.copy_to_host().tolist() == expected


def test_neighbours_around_the_edges(device, tmp_path):
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(x, out):
    i, j = cuda.grid(2)
    rows, columns = x.shape
    if i < rows and j < columns:
        total = 0
        for di in range(-2, 3):
            for dj in range(-1, 2):
                total += x[(i + di) % rows, (j + dj) % columns]
        out[i, j] = total
""",
    ).kernel
    for shape in ((67, 130), (1, 1), (2, 300), (129, 3)):
        x = np.random.default_rng(1).integers(0, 100, shape)
        out = cuda.to_device(np.zeros(shape, np.int64))
        kernel[(-(-shape[0] // 8) + 1, -(-shape[1] // 8) + 1), (8, 8)](cuda.to_device(x), out)
        expected = sum(np.roll(x, (di, dj), (0, 1)) for di in range(-2, 3) for dj in range(-1, 2))
        assert np.array_equal(out.copy_to_host(), expected)


# ---- atomic additions


def test_additions_to_few_places(device):
    source = """
        extern "C" __global__ void count(const unsigned char* x, int* ints, unsigned long long* longs, float* floats, double* doubles, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          atomicAdd(&ints[x[i]], 1);
          atomicAdd(&longs[x[i] & 7], (unsigned long long)i);
          atomicAdd(&floats[x[i] >> 4], 0.5f);
          atomicAdd(&doubles[3 * x[i]], 2.0);
        }"""
    x = np.random.default_rng(3).integers(0, 256, 200_000).astype(np.uint8)
    made = [cuda.to_device(np.zeros(n, t)) for n, t in ((256, np.int32), (8, np.uint64), (16, np.float32), (768, np.float64))]
    written(source, "count", (cuda.to_device(x), *made, np.int32(x.size)), (-(-x.size // 64),), (64,))
    ints, longs, floats, doubles = (m.copy_to_host() for m in made)
    assert np.array_equal(ints, np.bincount(x, minlength=256))
    assert longs.tolist() == [int(np.flatnonzero((x & 7) == k).sum()) for k in range(8)]
    assert np.array_equal(floats, 0.5 * np.bincount(x >> 4, minlength=16))
    assert np.array_equal(doubles[::3], 2.0 * np.bincount(x, minlength=256)) and not doubles[1::3].any()


@pytest.mark.parametrize("stride", [1, 64, 512])
def test_a_thread_sees_its_own_addition(device, stride):
    source = """
        extern "C" __global__ void own(int* x, double* y, int* seen, double* seen_too, int stride) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          atomicAdd(&x[i * stride], 5);
          atomicAdd(&y[i * stride], 0.25);
          seen[2 * i] = x[i * stride];
          seen_too[i] = y[i * stride];
          atomicAdd(&x[i * stride], 1);
          x[i * stride] = 2 * x[i * stride];
          atomicAdd(&x[i * stride], 3);
          atomicMax(&x[i * stride], -7);
          seen[2 * i + 1] = atomicExch(&x[i * stride], i);
        }"""
    n = 64 * 40
    x, y = cuda.to_device(np.arange(n * stride, dtype=np.int32)), cuda.to_device(np.ones(n * stride))
    seen, seen_too = cuda.to_device(np.zeros((n, 2), np.int32)), cuda.to_device(np.zeros(n))
    written(source, "own", (x, y, seen, seen_too, np.int32(stride)), (n // 64,), (64,))
    first = np.arange(n) * stride
    assert np.array_equal(seen.copy_to_host(), np.stack([first + 5, 2 * (first + 6) + 3], 1))
    assert np.array_equal(seen_too.copy_to_host(), np.full(n, 1.25))
    assert np.array_equal(x.copy_to_host()[::stride], np.arange(n))
    assert np.array_equal(y.copy_to_host()[::stride], np.full(n, 1.25))


def test_additions_seen_by_other_widths(device):
    source = """
        extern "C" __global__ void widths(int* x, double* y, unsigned long long* pairs, unsigned* halves) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          atomicAdd(&x[2 * i], 1);
          atomicAdd(&x[2 * i + 1], 2);
          pairs[i] = *(unsigned long long*)&x[2 * i];
          atomicAdd(&y[i], 1.0);
          halves[i] = ((unsigned*)y)[2 * i + 1];
        }"""
    n = 64 * 64
    x, y = cuda.to_device(np.zeros(2 * n, np.int32)), cuda.to_device(np.zeros(n))
    pairs, halves = cuda.to_device(np.zeros(n, np.uint64)), cuda.to_device(np.zeros(n, np.uint32))
    written(source, "widths", (x, y, pairs, halves), (n // 64,), (64,))
    assert np.array_equal(pairs.copy_to_host(), np.full(n, (2 << 32) + 1, np.uint64))
    assert np.array_equal(halves.copy_to_host(), np.full(n, 0x3FF00000, np.uint32))


def test_the_sign_of_zero_is_kept(device):
    source = 'extern "C" __global__ void add(double* x) { atomicAdd(x + (blockIdx.x * blockDim.x + threadIdx.x) % 4, -0.0); }'
    x = cuda.to_device(np.array([-0.0, 0.0, -0.0, 1.0]))
    written(source, "add", (x,), (64,), (32,))
    assert np.signbit(x.copy_to_host()).tolist() == [True, False, True, False]
