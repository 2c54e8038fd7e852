"""What findings say of kernels written in Python: their names, how often they were found, what to write there."""

import numpy as np
import programs
import pytest
import quern as qn
from quern import cuda, cupy
from quern.cupyx import jit
from quern.numba import float32, guvectorize, njit

pytestmark = pytest.mark.usefixtures("on_the_cpu")


def findings(launch):
    with qn.check() as report:
        launch()
        cuda.synchronize()
    return list(report)


@cuda.jit
def div(x):  # `div` is a function of C's
    x[cuda.threadIdx.x] = 1


@cuda.jit
def main(x):
    x[cuda.threadIdx.x] = 1


@cuda.jit
def größe(x):  # noqa: PLC2401
    x[cuda.threadIdx.x] = 1


@cuda.jit
def plain(x):
    x[cuda.threadIdx.x] = 1


@pytest.mark.parametrize("kernel", [div, main, größe, plain])
def test_kernels_have_their_names_in_python(kernel):
    (found,) = findings(lambda: kernel[1, 5](np.zeros(4)))
    assert found.kernel == kernel.__name__ and f"in kernel '{kernel.__name__}'" in str(found)


def test_functions_have_their_names_in_python():
    @njit
    def exp(a, i):
        return a[i]

    @guvectorize(["f8[:],f8[:]"], "(n)->(n)")
    def shifted(x, r):
        for i in range(r.size):
            r[i] = x[i + 1]

    (found,) = findings(lambda: exp(np.zeros(4), 4))
    assert found.kernel == "exp"
    (found,) = findings(lambda: shifted(np.zeros(4)))
    assert found.kernel == "shifted"


def test_errors_of_launches_name_kernels_as_python_does():
    with pytest.raises(qn.LogicError, match="block.x of 'div' is 5000"):
        div[1, 5000](np.zeros(4))


@cuda.jit
def reversed_without_barrier(x):
    s = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    x[i] = s[63 - i]


@cuda.jit
def shifted_in_warp(x):
    s = cuda.shared.array(32, float32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    x[i] = s[i ^ 1]


@cuda.jit
def before(x):
    i = cuda.grid(1)
    if x[i - 100] > 0:
        x[i] = 1


@cuda.jit
def before_and_here(x):
    i = cuda.grid(1)
    x[i] = x[i - 100] + x[i]


@cuda.jit
def counted(x):
    i = cuda.grid(1)
    x[i % 4] += 1


@cuda.jit
def half_atomic(x):
    if cuda.threadIdx.x == 0:
        x[0] = 0
    cuda.atomic.add(x, 0, 1)


@cuda.jit
def unfilled(x):
    s = cuda.shared.array(64, float32)
    x[cuda.threadIdx.x] = s[cuda.threadIdx.x]


@cuda.jit
def two_barriers(x):
    if cuda.threadIdx.x < 32:
        x[0] = 1
        cuda.syncthreads()
    else:
        cuda.syncthreads()


@cuda.jit
def divided(x):
    x[0] = 7 // int(x[0])


@cuda.jit
def moved(x):
    x[0] = 1 << (int(x[0]) + 70)


@pytest.mark.parametrize(
    "kernel, shape, advice",
    [
        (plain, (1, 65), "check the index that is used against the array's size before the access: if 0 <= cuda.threadIdx.x < x.shape[0]:"),
        (before, (1, 32), "before the access: if 0 <= i - 100 < x.shape[0]:"),
        (before_and_here, (1, 32), "before the access: if 0 <= i - 100 < x.shape[0]:"),
        (reversed_without_barrier, (1, 64), "put cuda.syncthreads() between the two accesses"),
        (shifted_in_warp, (1, 32), "put cuda.syncwarp() between the two accesses (cuda.syncthreads() where other warps take part, too)"),
        (counted, (2, 32), "use an atomic (cuda.atomic.add()), give each block its own part"),
        (counted, (1, 64), "several threads change the element in one statement: use an atomic (cuda.atomic.add()), or let one thread alone"),
        (half_atomic, (1, 64), "let both be atomic (cuda.atomic), or put a barrier between the two accesses"),
        (unfilled, (1, 64), "fill the memory first (zeros, memset, cuda.syncthreads() after the store that fills it)"),
        (two_barriers, (1, 64), "let all threads of a block pass the same cuda.syncthreads()"),
        (divided, (1, 1), "test the divisor first: if d != 0:"),
        (moved, (1, 1), "shift by less than the width, or take a wider type: np.uint64(1) << n"),
    ],
)
def test_advice_is_in_python(kernel, shape, advice):
    found = findings(lambda: kernel[shape](np.zeros(64)))
    assert any(advice in one.advice for one in found), [one.advice for one in found]
    for one in found:
        assert not any(word in str(one).split("\n")[-1] for word in ("__sync", "atomicAdd", "if (", "ull", "(long long)", "float4")), str(one)


@jit.rawkernel()
def reversed_by_cupy(x):
    s = jit.shared_memory(cupy.float32, 64)
    i = jit.threadIdx.x
    s[i] = x[i]
    x[i] = s[63 - i]


@jit.rawkernel()
def counted_by_cupy(x):
    x[jit.threadIdx.x % 4] += 1


def test_advice_for_cupys_kernels_is_in_its_names():
    x = cupy.zeros(64, cupy.float32)
    found = findings(lambda: reversed_by_cupy((1,), (64,), (x,)))
    assert found and all("jit.syncthreads()" in one.advice for one in found)
    found = findings(lambda: counted_by_cupy((2,), (1,), (x,)))
    assert found and all("use an atomic (jit.atomic_add())" in one.advice for one in found)


def test_findings_are_not_counted_as_launches():
    found = findings(lambda: unfilled[1, 64](np.zeros(64)))
    (one,) = [f for f in found if f.kind == "never_written"]
    assert one.count == 64 and f"launched at {one.launched} (found 64 times)" in str(one)


SCALARS = """
extern "C" __global__ void scalars(float* x, int n) {
  __shared__ float s;
  float a, b[2];
  if (n > 1000) a = 1, b[0] = 1;
  x[threadIdx.x] = a;
  x[threadIdx.x] += s;
  x[threadIdx.x] += b[n & 1];
}
"""


def test_scalars_are_variables():
    kernel = qn.RawKernel(SCALARS, "scalars")
    found = findings(lambda: kernel((1,), (1,), (qn.zeros(4, np.float32), np.int32(3))))
    text = "\n".join(map(str, found))
    assert "local variable 'a', 4 bytes" in text and "shared variable 's', 4 bytes" in text and "local array 'b', 8 bytes" in text
    assert "give it a value where it is declared" in text and "__syncthreads()" in text  # of C++, in its words


FAR = """
import numpy as np
from numba import cuda

@cuda.jit
def hist(bins, x):
    b = int(x[cuda.grid(1)])
    bins[b] += 1

hist[1, 4](np.zeros(8), np.array([1.0, 2.0, 9.0, 3.0]))
cuda.synchronize()
"""


def test_the_line_is_shown_from_any_folder_and_once(tmp_path):
    """The program's folder and the current one have a parent in common; the index of one statement is one finding."""
    (tmp_path / "clone").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "far.py").write_text(FAR)
    done = programs.quern("check", tmp_path / "mine" / "far.py", cwd=tmp_path / "clone")
    shown = done.stdout + done.stderr
    assert "far.py:8: bins[b] += 1" in shown and "quern check: 1 finding\n" in shown, shown


@cuda.jit
def several(x, n):
    i = cuda.grid(1)
    x[i] = x[i + 1] + x[i] + (
        x[i + 64])  # in another line
    größe = 1; x[i] += n[0] // n[i] * größe  # fmt: skip # noqa: E702
    cuda.atomic.add(x, i + 70, 1)


CARETS = ("x[i + 1]", "x[i + 64]", "n[0] // n[i]", "cuda.atomic.add")  # what a caret stands under


@pytest.mark.parametrize("place", CARETS)
def test_carets_in_python(place):
    found = findings(lambda: several[1, 64](np.zeros(64), np.zeros(64, np.int64)))
    lines = "\n".join(map(str, found)).split("\n")
    carets = [(line, below.index("^")) for line, below in zip(lines, lines[1:], strict=False) if "^ thread" in below]
    assert any(line[column:].startswith(place) for line, column in carets), "\n".join(lines)
    assert all(line[column] in "xnc" for line, column in carets), "\n".join(lines)
