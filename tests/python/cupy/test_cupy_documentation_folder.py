"""What the programs in the folder of examples of CuPy do, in our own words."""

import contextlib
import math
import time

import numpy as np
import pytest
from quern import cupy as cp
from quern.cupyx import jit
from test_cupy_documentation_examples import close

# ---- the folder of examples: equations, prices, products, groups


@contextlib.contextmanager
def timed(seconds):
    cp.cuda.Stream.null.synchronize()
    began = time.time()
    yield
    cp.cuda.Stream.null.synchronize()
    seconds.append(time.time() - began)


def test_equations_by_conjugate_gradients(device):
    def solved(matrix, right, tolerance, most):
        xp = cp.get_array_module(matrix)
        x = xp.zeros_like(right, dtype=np.float64)
        left = way = right - xp.dot(matrix, x)
        length = xp.inner(left, left)
        for _ in range(most):
            along = xp.dot(matrix, way)
            step = length / xp.inner(way, along)
            x += step * way
            left = left - step * along
            length, before = xp.inner(left, left), length
            if xp.linalg.norm(left) < tolerance:
                return x
            way = left + length / before * way
        raise AssertionError("no convergence")

    root = np.random.default_rng(1).integers(-5, 6, (60, 60)).astype(np.float64)
    matrix = root @ root.T + 60 * np.eye(60)
    wanted = np.arange(60.0) - 30
    seconds = []
    with timed(seconds):
        np.testing.assert_allclose(solved(matrix, matrix @ wanted, 1e-6, 500), wanted, atol=1e-6)
    with cp.cuda.Device(cp.cuda.Device().id), timed(seconds):
        found = solved(cp.asarray(matrix), cp.asarray(matrix @ wanted), 1e-6, 500)
    close(found, wanted, 1e-6)
    assert len(seconds) == 2 and min(seconds) >= 0


SIGMOIDS = r"""
    __device__ inline T sigmoid(T x) {
        const T HALF = 0.5;
        T y = 1 / (1 + exp(-abs(x)));
        if (x < 0) {
            y = 1 - y;
        }
        return HALF + (y - HALF) * HALF;
    }
"""

two_prices = cp.ElementwiseKernel(
    "T start, T goal, T years, T rate, T width",
    "T up, T down",
    """
    const T far = (log(start / goal) + rate * years) / (width * sqrt(years));
    const T near = far - width;
    up = start * sigmoid(far) - goal * exp(-rate * years) * sigmoid(near);
    down = goal * (1 - sigmoid(near)) - start * (1 - sigmoid(far));
    """,
    "two_prices",
    preamble=SIGMOIDS,
)


def prices(xp, start, goal, years, rate, width):
    def sigmoid(x):
        y = 1 / (1 + xp.exp(-xp.abs(x)))
        return 0.5 + (xp.where(x < 0, 1 - y, y) - 0.5) * 0.5

    far = (xp.log(start / goal) + rate * years) / (width * xp.sqrt(years))
    near = far - width
    up = start * sigmoid(far) - goal * xp.exp(-rate * years) * sigmoid(near)
    return up, goal * (1 - sigmoid(near)) - start * (1 - sigmoid(far))


def drawn(low, high, count=500):
    return (low + (high - low) * cp.random.rand(count)).astype(np.float64)


def test_prices_by_a_kernel_with_functions(device):
    start, goal, years = drawn(5, 30), drawn(1, 100), drawn(0.25, 10)
    wanted = prices(np, start.get(), goal.get(), years.get(), 0.02, 0.3)
    for found in (prices(cp, start, goal, years, 0.02, 0.3), two_prices(start, goal, years, 0.02, 0.3)):
        for ours, theirs in zip(found, wanted, strict=True):
            cp.testing.assert_allclose(theirs, ours, rtol=1e-9)
    as_floats = two_prices(*(x.astype(np.float32) for x in (start, goal, years)), 0.02, 0.3)
    assert as_floats[0].dtype == as_floats[1].dtype == np.float32
    close(as_floats[0], wanted[0], 1e-3)


# Each element draws numbers of its own, seeded by its place; the names of types are the text's own, as no header brings them.
mean_of_draws = cp.ElementwiseKernel(
    "T scale, int32 count, int32 seed",
    "T mean",
    """
    uint64_t state[1];
    seeded(state, i, seed);
    T sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += exp(scale * normal(state));
    }
    mean = sum / count;
    """,
    "mean_of_draws",
    preamble=r"""
    typedef unsigned int uint32_t;
    typedef unsigned long long uint64_t;

    __device__ inline void seeded(uint64_t* state, int i, int seed) {
        state[0] = 0xd1342543de82ef95 * (uint64_t(i) + 1) + seed;
    }

    __device__ inline uint64_t next(uint64_t* state) {
        uint64_t z = (state[0] += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    __device__ inline T normal(uint64_t* state) {
        const T uniform = (T(uint32_t(next(state) >> 32)) + T(0.5)) / T(4294967296.0);
        return -T(1.4142135623730951) * erfcinv(2 * uniform);
    }
    """,
)


def test_expectations_by_random_numbers(device):
    scales = cp.linspace(0.1, 0.6, 4)
    found = cp.empty((4, 200), dtype=np.float64)
    mean_of_draws(scales[:, None], 150, 7, found)
    close(found.mean(axis=1), np.exp(np.linspace(0.1, 0.6, 4) ** 2 / 2), 0.03)
    again = cp.empty_like(found)
    mean_of_draws(scales[:, None], 150, 7, again)
    assert (found == again).all()


@pytest.mark.parametrize(
    "named",
    [
        "typedef unsigned long long uint64_t;",
        "typedef long long int64_t;\n    typedef unsigned long long int\n    uint64_t;  // of 64 bits",
        "using uint64_t = unsigned long long;",
        "typedef unsigned long uint64_t;",
        "#include <stdint.h>",
        "",
    ],
)
def test_types_that_a_text_names_itself(device, named):
    halves = f"{named}\n__device__ uint64_t swapped(uint64_t x) {{ return (x << 32) | (x >> 32); }}"
    x = np.arange(6, dtype=np.uint64) + (np.uint64(9) << np.uint64(32))
    wanted = (x << np.uint64(32)) | (x >> np.uint64(32))
    fused = cp.ElementwiseKernel("uint64 x", "uint64 y", "y = swapped(x)", "fused", preamble=halves)
    close(fused(cp.asarray(x)), wanted)
    own = cp.ElementwiseKernel("raw uint64 x", "uint64 y", "uint64_t z = x[n - 1 - i]; y = swapped(z)", "own", preamble=halves)
    close(own(cp.asarray(x), cp.empty(6, np.uint64)), wanted[::-1])
    most = cp.ReductionKernel("uint64 x", "uint64 y", "swapped(x)", "max(a, b)", "y = a", "0", "most", preamble=halves)
    assert int(most(cp.asarray(x))) == int(wanted.max())


def test_expectations_on_several_devices(device):
    scales, found = np.linspace(0.2, 0.5, 3), []
    places = range(cp.cuda.runtime.getDeviceCount())
    for number in places:
        with cp.cuda.Device(number):
            of_device = cp.array(scales), cp.empty((3, 100), dtype=np.float64)
            mean_of_draws(of_device[0][:, None], 100, number, of_device[1])
            found.append(of_device[1])
    means = np.concatenate([part.get() for part in found]).reshape(len(places), 3, 100).mean(axis=(0, 2))
    np.testing.assert_allclose(means, np.exp(scales**2 / 2), rtol=0.05)


def test_products_by_tiles(device, tmp_path):
    (tmp_path / "product.cu").write_text(r"""
    // nvrtc: -DTILE=8 -DEACH=1
    extern "C" __global__ void product(int rows, int columns, int inner, const float* A, const float* B, float* C) {
        extern __shared__ float tiles[];
        float* a = tiles;
        float* b = tiles + TILE * (TILE + 1);
        int row = blockIdx.x * TILE + threadIdx.x, column = blockIdx.y * TILE + threadIdx.y;
        float sum[EACH];
        #pragma unroll
        for (int e = 0; e < EACH; ++e) sum[e] = 0;
        for (int start = 0; start < inner; start += TILE) {
            int k = start + threadIdx.y, l = start + threadIdx.x;
            a[threadIdx.y * (TILE + 1) + threadIdx.x] = row < rows && k < inner ? A[k * rows + row] : 0;
            b[threadIdx.y * (TILE + 1) + threadIdx.x] = column < columns && l < inner ? B[column * inner + l] : 0;
            __syncthreads();
            #pragma unroll
            for (int t = 0; t < TILE; ++t) sum[0] += a[t * (TILE + 1) + threadIdx.x] * b[threadIdx.y * (TILE + 1) + t];
            __syncthreads();
        }
        if (row < rows && column < columns) C[column * rows + row] = sum[0];
    }""")

    def with_definitions(name, definitions):
        code = (tmp_path / name).read_text()
        for key, value in definitions.items():
            code = f"#define {key} {value}\n{code}"
        return code

    def product(a, b, tile=8):
        (m, k), n = a.shape, b.shape[1]
        a, b = cp.asfortranarray(a), cp.asfortranarray(b)
        c = cp.empty((m, n), dtype=cp.float32, order="F")
        kernel = cp.RawModule(code=with_definitions("product.cu", {"TILE": tile, "EACH": 1})).get_function("product")
        grid = math.ceil(m / tile), math.ceil(n / tile), 1
        kernel(grid, (tile, tile, 1), args=(m, n, k, a, b, c), shared_mem=2 * tile * (tile + 1) * 4)
        return c

    a = cp.random.uniform(low=-1.0, high=1.0, size=(37, 21)).astype(cp.float32)
    b = cp.random.uniform(low=-1.0, high=1.0, size=(21, 45)).astype(cp.float32)
    made = product(a, b)
    assert made.flags.f_contiguous
    cp.testing.assert_allclose(made, cp.dot(a, b), rtol=1e-4, atol=1e-5)
    close(product(a, b, 4), a.get() @ b.get(), 1e-4)
    milliseconds = []
    for _ in range(3):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        product(a, b)
        end.record()
        end.synchronize()
        milliseconds.append(cp.cuda.get_elapsed_time(start, end))
    assert np.mean(milliseconds) >= 0


def test_a_mixture_of_distributions(device):
    def log_likelihoods(x, means, precisions):
        xp = cp.get_array_module(x)
        squares = xp.dot(x**2, precisions.T**2) - 2 * xp.dot(x, (means * precisions**2).T) + xp.sum((means * precisions) ** 2, axis=1)
        return xp.sum(xp.log(precisions), axis=1) - 0.5 * (x.shape[1] * xp.log(2 * np.pi) + squares)

    def fitted(x, means, most=60, tolerance=1e-4):
        xp = cp.get_array_module(x)
        weights, precisions, before = xp.full(2, 0.5), xp.ones_like(means), -np.inf
        for _ in range(most):
            logs = log_likelihoods(x, means, precisions) + xp.log(weights)
            of_each = xp.log(xp.sum(xp.exp(logs), axis=1))
            share = xp.exp(logs - of_each[:, None])
            count = xp.sum(share, axis=0)
            means = xp.dot(share.T, x) / count[:, None]
            precisions = 1 / xp.sqrt(xp.dot(share.T, x * x) / count[:, None] - means**2 + 1e-6)
            weights, now = count / len(x), xp.mean(of_each)
            if abs(now - before) < tolerance:
                return weights, means, precisions
            before = now
        raise AssertionError("no convergence")

    rng = np.random.default_rng(4)
    x = np.concatenate([rng.normal(3, [1, 2], (300, 2)), rng.normal(-3, [2, 1], (200, 2))])
    first = np.array([[1.0, 1.0], [-1.0, -1.0]])
    wanted, found = fitted(x, first), fitted(cp.asarray(x), cp.asarray(first))
    for ours, theirs in zip(found, wanted, strict=True):
        close(ours, theirs, 1e-6)
    weights, means, precisions = found
    chosen = (log_likelihoods(cp.asarray(x), means, precisions) + cp.log(weights)).argmax(axis=1)
    assert float(cp.mean(chosen == cp.asarray(np.repeat([0, 1], [300, 200]))) * 100) > 95


def test_groups_around_centres(device):
    def distances_by_a_kernel(x, centres):
        count, width = x.shape
        out = cp.zeros((count, len(centres)), dtype=np.float32)
        cp.ElementwiseKernel(
            "S value, raw S centres, int32 groups, int32 width",
            "raw S out",
            """
            for (int g = 0; g < groups; ++g) {
                ptrdiff_t from[] = {g, i % width};
                ptrdiff_t to[] = {i / width, g};
                S off = value - centres[from];
                atomicAdd(&out[to], off * off);
            }
            """,
            "squares",
        )(x, centres, len(centres), width, out)
        return out

    def centres_by_a_kernel(x, group, groups):
        sums, counts = cp.zeros((groups, x.shape[1]), dtype=np.float32), cp.zeros(groups, dtype=np.float32)
        cp.ElementwiseKernel(
            "S value, T group, int32 width",
            "raw S sums, raw S counts",
            """
            int to[] = {group, i % width};
            atomicAdd(&sums[to], value);
            atomicAdd(&counts[group], 1);
            """,
            "sums",
        )(x, group[:, None], x.shape[1], sums, counts)
        return sums / (counts / x.shape[1])[:, None]

    def grouped(x, centres, with_kernels):
        xp = cp.get_array_module(x)
        group = xp.zeros(len(x), dtype=np.int32)
        for _ in range(10):
            if with_kernels:
                distances = distances_by_a_kernel(x, centres)
            else:
                distances = xp.linalg.norm(x[:, None, :] - centres[None, :, :], axis=2)
            before, group = group, xp.argmin(distances, axis=1).astype(np.int32)
            if xp.all(group == before):
                break
            if with_kernels:
                centres = centres_by_a_kernel(x, group, len(centres))
            else:
                centres = xp.stack([x[group == g].mean(axis=0) for g in range(len(centres))])
        return centres, group

    noise = np.random.default_rng(6).normal(size=(200, 2)).astype(np.float32) / 2
    x = np.r_[noise + 2, noise - 2, noise + [[2, -2]]].astype(np.float32)
    first = x[[5, 250, 450]]
    wanted = grouped(x, first, False)
    for with_kernels in (False, True):
        centres, group = grouped(cp.asarray(x), cp.asarray(first), with_kernels)
        close(centres, wanted[0], 1e-3)
        assert (group.get() == wanted[1]).all()


# ---- the folder of examples: structures


def test_vectors_as_arguments(device):
    code = r"""
    __device__ float4 operator*(float factor, const float4& v) {
        return make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
    }
    __device__ float4 operator-(const float4& a, const float4& b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
    extern "C" __global__ void moved(const float4* from, float4 by, float4* to) {
        int i = threadIdx.x;
        to[i] = 2.f * from[i] - by;
    }"""
    float4 = np.dtype({"names": list("xyzw"), "formats": [np.float32] * 4})
    x, by = cp.random.rand(7 * 4, dtype=np.float32).reshape(7, 4), np.array([1, -2, 0.5, 8], np.float32)
    out = cp.empty_like(x)
    cp.RawKernel(code, "moved")((1,), (7,), (x, by.view(float4), out))
    cp.testing.assert_array_equal(2 * x - cp.asarray(by[None, :]), out)


def test_a_structure_as_the_device_lays_it_out(device):
    structure = "struct Parts { short3 places; bool on; float weights[3]; double4 wide; unsigned char kind; long long numbers[2]; };"
    names, formats = (
        ["places", "on", "weights", "wide", "kind", "numbers"],
        [np.int16, np.bool_, np.float32, np.float64, np.uint8, np.int64],
    )
    lines = "".join(f"sizes[{n}] = sizeof(p->{name}); starts[{n}] = (unsigned long long)&p->{name};\n" for n, name in enumerate(names))
    asked = f"""{structure}
    extern "C" __global__ void told(unsigned long long* whole, unsigned long long* sizes, unsigned long long* starts) {{
        const Parts* p = nullptr;
        whole[0] = sizeof(Parts);
        {lines}
    }}"""
    whole, sizes, starts = (cp.ndarray(shape=(n,), dtype=np.uint64) for n in (1, 6, 6))
    cp.RawKernel(asked, "told", options=("--std=c++11",))((1,), (1,), (whole, sizes, starts))
    whole, sizes, starts = map(cp.asnumpy, (whole, sizes, starts))
    counts = [3, 1, 3, 4, 1, 2]
    types = [
        np.dtype({"names": list("xyzw")[:count], "formats": [kind] * count, "itemsize": int(size)})
        for kind, count, size in zip(formats, counts, sizes, strict=True)
    ]
    parts = np.dtype({"names": names, "formats": types, "offsets": [int(s) for s in starts], "itemsize": whole.item()})
    given = np.zeros((1,), dtype=parts)
    for n, (name, count, kind) in enumerate(zip(names, counts, formats, strict=True)):
        for k in range(count):
            given[name]["xyzw"[k]] = kind(10 * n + k + 1)
    summed = f"""{structure}
    extern "C" __global__ void summed(const Parts p, double* out) {{
        double sum = p.places.x + p.places.y + p.places.z + (p.on ? 100 : 0) + p.weights[0] + p.weights[1] + p.weights[2];
        sum += p.wide.x + p.wide.y + p.wide.z + p.wide.w + p.kind + p.numbers[0] + p.numbers[1];
        out[threadIdx.x] = sum * (threadIdx.x + 1);
    }}"""
    out = cp.empty(shape=(4,), dtype=np.float64)
    cp.RawKernel(summed, "summed")((1,), (4,), (given, out))
    total = 1 + 2 + 3 + 100 + 21 + 22 + 23 + 31 + 32 + 33 + 34 + 41 + 51 + 52
    cp.testing.assert_array_almost_equal(cp.arange(1, 5) * float(total), out)


def test_matrices_as_arguments(device):
    code = r"""
    template <class T> struct Square {
        T at[3][3];
        __device__ T& operator()(int i, int j) { return at[i][j]; }
        __device__ const T& operator()(int i, int j) const { return at[i][j]; }
    };
    template <class T> __device__ Square<T> operator-(const Square<T>& a, const Square<T>& b) {
        Square<T> out;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) out(i, j) = a(i, j) - b(i, j);
        return out;
    }
    template <class T> __device__ Square<T> operator*(const Square<T>& a, const Square<T>& b) {
        Square<T> out;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                out(i, j) = T(0);
                for (int k = 0; k < 3; ++k) out(i, j) += a(i, k) * b(k, j);
            }
        return out;
    }
    template <class T> __global__ void commuted(const Square<T>* a, const Square<T> b, Square<T>* out) {
        int i = threadIdx.x;
        out[i] = a[i] * b - b * a[i];
    }"""
    module = cp.RawModule(code=code, options=("-std=c++11",), name_expressions=("commuted<float>", "commuted<double>"))
    for name, dtype in (("float", np.float32), ("double", np.float64)):
        a, b = cp.random.rand(6 * 9, dtype=dtype).reshape(6, 3, 3), np.random.default_rng(2).random((3, 3)).astype(dtype)
        out = cp.empty_like(a)
        square = np.dtype({"names": ["at"], "formats": [(dtype, (3, 3))]})
        module.get_function(f"commuted<{name}>")((1,), (6,), (a, b.ravel().view(square), out))
        cp.testing.assert_array_almost_equal(cp.matmul(a, cp.asarray(b)) - cp.matmul(cp.asarray(b), a), out, decimal=5)


# ---- the folder of examples: streams, kernels in Python, devices


@pytest.fixture
def null_stream():
    """What use() made current is not left to the tests that follow."""
    yield
    cp.cuda.Stream.null.use()


STREAMED = {
    "kernels": lambda: cp.linalg.norm(cp.array([3, -4, 12])),
    "cublas": lambda: cp.matmul(cp.array([2, 0, 5]), cp.array([[1], [7], [-2]])),
    "cufft": lambda: cp.fft.fft(cp.array([2, 0, 1, 0, 4, 0, 3], dtype=float)),
    "cusolver": lambda: cp.linalg.eigh(cp.array([[2, 0, 1], [0, 7, 0], [4, 0, 5]], float), UPLO="U"),
    "curand": lambda: cp.random.RandomState(seed=6).lognormal(size=(1, 3)),
    "thrust": lambda: cp.sort(cp.array([5, 1, 4])),
}


@pytest.mark.parametrize("name", STREAMED)
def test_work_in_streams(device, null_stream, name):
    work = STREAMED[name]
    expected = work()
    cp.cuda.Device().synchronize()
    stream = cp.cuda.stream.Stream()
    with stream:
        inside = work()
    stream.synchronize()
    other = cp.cuda.stream.Stream()
    other.use()
    after = work()
    other.synchronize()
    for found in (inside, after):
        for ours, theirs in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
            cp.testing.assert_array_equal(ours, theirs)


def test_sorts_in_place_in_a_stream(device, null_stream):
    x = cp.array([5, 1, 4])
    with cp.cuda.stream.Stream():
        assert x.sort() is None
    cp.cuda.stream.Stream().use()
    x[1] = 0
    x.sort()
    assert x.tolist() == [0, 1, 5]


def test_events_around_work(device, null_stream):
    x = cp.array([2, 3, 6])
    start, stop = cp.cuda.stream.Event(), cp.cuda.stream.Event()

    def norm_and_time():
        start.record()
        y = cp.linalg.norm(x)
        stop.record()
        stop.synchronize()
        return float(y), cp.cuda.get_elapsed_time(start, stop)

    with cp.cuda.stream.Stream():
        found = [norm_and_time()]
    cp.cuda.stream.Stream().use()
    found.append(norm_and_time())
    assert all(norm == 7 and milliseconds >= 0 for norm, milliseconds in found)


def test_copies_in_streams(device, null_stream):
    pool = cp.cuda.PinnedMemoryPool()
    cp.cuda.set_pinned_memory_allocator(pool.malloc)
    try:

        def pinned(array):
            memory = cp.cuda.alloc_pinned_memory(array.nbytes)
            out = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
            out[...] = array
            return out

        size = 5000
        of_host, of_device = np.arange(size, dtype=np.float32), cp.arange(size, dtype=np.float32) * 2
        stream = cp.cuda.Stream.null
        start = stream.record()
        there = cp.empty(of_host.shape, of_host.dtype)
        there.set(of_host)
        back = of_device.get()
        end = stream.record()
        assert cp.cuda.get_elapsed_time(start, end) >= 0  # the page does not wait for it
        close(there, of_host)
        np.testing.assert_array_equal(back, of_host * 2)

        there = cp.empty(of_host.shape, of_host.dtype)
        source, goal = pinned(of_host), pinned(np.zeros_like(of_host))
        with cp.cuda.stream.Stream() as up:
            start = up.record()
            there.set(source)
            with cp.cuda.stream.Stream() as down:
                of_device.get(out=goal)
                down.synchronize()
            up.synchronize()
            end = up.record()
        assert cp.cuda.get_elapsed_time(start, end) >= 0
        close(there, of_host)
        np.testing.assert_array_equal(goal, of_host * 2)
    finally:
        cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)


def test_work_of_many_streams_is_gathered(device):
    here, pool = cp.cuda.Device(), cp.cuda.MemoryPool()
    cp.cuda.set_allocator(pool.malloc)
    try:
        rng = cp.random.RandomState(seed=1)
        streams, gathering = [cp.cuda.stream.Stream() for _ in range(5)], cp.cuda.stream.Stream()
        parts, ends, wanted = [], [], 0
        for stream in streams:
            with stream:
                a, b = rng.normal(size=(1, 512)), rng.normal(size=(512, 1))
                parts.append(cp.matmul(a, b))
            ends.append(stream.record())
            wanted += float((a.get() @ b.get())[0, 0])
        for end in ends:
            gathering.wait_event(end)
        with gathering:
            total = sum(parts)
        here.synchronize()
        assert float(total[0, 0]) == pytest.approx(wanted)
        before = pool.total_bytes()
        for stream in streams:
            pool.free_all_blocks(stream=stream)
        assert 0 < pool.total_bytes() <= before
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


@jit.rawkernel()
def largest_of_a_block(x, y, size):
    place, step = jit.threadIdx.x, jit.blockDim.x
    best = cp.float32(-1)
    for i in range(place, size, step):
        best = max(best, x[i])
    shared = jit.shared_memory(cp.float32, 512)
    shared[place] = best
    jit.syncthreads()
    if place == cp.uint32(0):
        best = cp.float32(-1)
        for i in range(step):
            best = max(best, shared[i])
        y[0] = best


@jit.rawkernel()
def sums_of_blocks(x, y, size):
    place = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    step = jit.blockDim.x * jit.gridDim.x
    own = cp.float32(0)
    for i in range(place, size, step):
        own += x[i] * x[i]
    shared = jit.shared_memory(cp.float32, 256)
    shared[jit.threadIdx.x] = own
    jit.syncthreads()
    if jit.threadIdx.x == cp.uint32(0):
        own = cp.float32(0)
        for i in range(jit.blockDim.x):
            own += shared[i]
        jit.atomic_add(y, 0, own)


def test_reductions_in_python(device, capsys):
    size = cp.uint32(3000)
    x = cp.random.random(size=(size,)).astype(cp.float32)
    best = cp.empty((1,), dtype=cp.float32)
    largest_of_a_block[1, 512](x, best, size)
    print(best[0])
    assert capsys.readouterr().out.strip() == str(x.get().max())
    total = cp.zeros((1,), dtype=cp.float32)
    sums_of_blocks[6, 256](x, total, size)
    assert float(total[0]) == pytest.approx(float((x.get().astype(float) ** 2).sum()), rel=1e-4)


def test_which_devices_reach_each_other(device):
    runtime = cp.cuda.runtime
    count = runtime.getDeviceCount()
    for one in range(count):
        for other in range(count):
            if one != other:
                assert runtime.deviceCanAccessPeer(one, other) in (0, 1)
    assert count >= 1


@pytest.mark.parametrize("name", ["cudnn", "cusparse", "cuda.cudnn", "cuda.graph_functional_api", "sparse"])
def test_unsupported_libraries(name):
    import importlib

    from quern.tools.imports import _import_ours

    with pytest.raises(ModuleNotFoundError, match="quern does not support this module of cupy"):
        _import_ours(f"cupy.{name}", f"quern.cupy.{name}")
    assert importlib.util.find_spec("quern.cupy") is not None
