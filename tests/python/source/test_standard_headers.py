"""What kernels have of the host's standard library: pairs, arrays and related headers, and headers that are there to be included."""

import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

VALUES = r"""
#include <algorithm>
#include <array>
#include <cinttypes>
#include <iostream>
#include <string>
#include <utility>
#include <vector>
#include <stdio.h>
using namespace std;
struct Node {
  float key;
  int value;
  __device__ bool operator<(const Node& other) const { return key < other.key; }
};
struct Last {
  __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
extern "C" __global__ void f(const int* x, int* out) {
  int t = threadIdx.x, a = x[t], b = x[t + 1];
  std::swap(a, b);
  pair<int, int> ordered = make_pair(std::min(a, b), std::max(a, b));
  std::array<int, 3> three = {a, b, 7};
  int sum = 0;
  for (int v : three) sum += v;
  array more{1, 2};
  Node most = std::max(Node{1.0f, a}, Node{2.0f, b}), moved = std::move(most);
  int row[2] = {1, 2}, other[2] = {3, 4};
  swap(row, other);
  int* o = out + 5 * t;
  o[0] = ordered.first * 1000 + ordered.second;
  o[1] = sum + (int)three.size() + more[1];
  o[2] = std::clamp(a, 10, 20) + moved.value;
  o[3] = std::exchange(a, 5) + a + row[0] + other[1];
  o[4] = std::min(x[t], x[t + 1], Last()) + 1000 * (make_pair(1, b) < make_pair(1, 50)) + 2000 * (std::pair<int, int>(t, 1) == make_pair(t, 1));
}
"""


def test_values(device):
    x = np.random.default_rng(0).integers(0, 99, 65).astype(np.int32)
    place, out = drv.to_device(x), drv.to_device(np.zeros((64, 5), np.int32))
    quern.RawKernel(VALUES, "f", options=("-std=c++17",))((1,), (64,), (place, out))
    b, a = x[:-1], x[1:]
    wanted = [np.minimum(a, b) * 1000 + np.maximum(a, b), a + b + 7 + 3 + 2, np.clip(a, 10, 20) + b, a + 5 + 3 + 2]
    wanted.append(np.where(a % 10 < b % 10, a, b) + 1000 * (b < 50) + 2000)
    np.testing.assert_array_equal(drv.from_device(out, (64, 5), np.int32), np.stack(wanted, 1))


HEADERS = r"""
#include <atomic>
#include <cerrno>
#include <chrono>
#include <complex>
#include <ctype.h>
#include <exception>
#include <fstream>
#include <functional>
#include <inttypes.h>
#include <iomanip>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <stdarg.h>
#include <stdexcept>
#include <string_view>
#include <sys/time.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <unordered_map>
using namespace std;
__global__ void f(int64_t* x) { x[threadIdx.x] += 1; }
"""


@pytest.mark.parametrize("no_extern_c", [False, True])
def test_headers_of_the_host_may_be_included(device, no_extern_c):
    x = np.arange(8)
    SourceModule(HEADERS, no_extern_c=no_extern_c).get_function("f")(drv.InOut(x), block=(8, 1, 1))
    assert x.tolist() == list(range(1, 9))


# A whole program, as nvcc is given it.
PROGRAM = r"""  // nvrtc: skip
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(call) check((call), #call, __LINE__)
#define ON_DEVICE __device__ __forceinline__

static void check(cudaError_t status, const char* call, int line) {
  if (status != cudaSuccess) {
    fprintf(stderr, "%s in line %d: {%s}\n", call, line, cudaGetErrorString(status));
    exit(1);
  }
}

namespace sizes {
constexpr int twice(int n) { return 2 * n; }
double seconds() { return clock() / double(CLOCKS_PER_SEC); }
}

ON_DEVICE float square(float a) { return a * a; }

__global__ void f(float *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = square(x[i]) + sizes::twice(n);
}

template <class T>
std::vector<T> filled(size_t n, T value = T()) { return std::vector<T>(n, value); }

int main(int argc, char **argv) {
  std::vector<float> host = filled<float>(32, 1.0f);
  float *x;
  CHECK(cudaMalloc(&x, host.size() * sizeof(float)));
  CHECK(cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  f<<<1, 32>>>(x, 32);
  CHECK(cudaDeviceSynchronize());
  std::cout << "done: " << host[0] << '\n';
  return 0;
}
"""


@pytest.mark.parametrize("no_extern_c", [False, True])
def test_a_whole_program(device, no_extern_c):
    """Its kernels are there; its host code is passed over, as by nvcc. (extern "C" admits no templates.)"""
    text = PROGRAM if no_extern_c else PROGRAM.replace("template <class T>", "").replace("T()", "1.0f").replace("T", "float")
    x = np.arange(8, dtype=np.float32)
    f = SourceModule(text, no_extern_c=no_extern_c).get_function("_Z1fPfi" if no_extern_c else "f")
    f(drv.InOut(x), np.int32(8), block=(8, 1, 1))
    assert x.tolist() == [i * i + 16 for i in range(8)]


def test_a_mistake_in_a_whole_program_is_the_kernels(device):
    with pytest.raises(drv.CompileError) as error:
        SourceModule(PROGRAM.replace("square(x[i])", "squared(x[i])"), no_extern_c=True)
    assert "squared" in str(error.value) and "cudaMalloc" not in str(error.value)


@pytest.mark.parametrize("use", ["vector<int> v", "cout << 1", "sort(o, o + 3)", "tuple<int> t"])
def test_what_is_the_hosts_says_so(device, use):
    text = "#include <vector>\n" + 'extern "C" __global__ void f(int* o) { std::' + use + "; }  // nvrtc: skip"
    said = "'std::" + use.split("<")[0].split("(")[0].strip() + "'.*cuda/std" if device.kind == "cpu" else "std"
    with pytest.raises(quern.CompileError, match=said):
        quern.RawKernel(text, "f").compile()
