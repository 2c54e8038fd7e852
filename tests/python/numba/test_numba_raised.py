"""Exceptions of kernels under debug=True: a thread that raises ends, the others go on, and the launch raises it on the host."""

import re

import numpy as np
import pytest
from quern import cuda, numba
from quern.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
from quern.errors import LaunchError


class OwnError(Exception):
    pass


TEXT = "of the module"
MADE = OwnError("made before", 7)


def raised(launch, *arguments):
    """The exception that a launch raises, and its place: (function, thread, block), z, y and x."""
    with pytest.raises(Exception) as caught:
        launch(*arguments)
    found = re.match(r"In function '(\w+)', file (\S+), line \d+, tid=\[(.*?)\] ctaid=\[(.*?)\](: |$)", str(caught.value.args[0]))
    assert found and found[2] == __file__
    place = found[1], tuple(map(int, found[3].split(", "))), tuple(map(int, found[4].split(", ")))
    said = caught.value.args[0][found.end() :]
    return type(caught.value), *((said,) if found[5] else ()), *caught.value.args[1:], place


# ---- raise and assert


@cuda.jit(debug=True, opt=False)
def raising(which, out):
    i = cuda.grid(1)
    local = "of the kernel"
    if i == 37:
        if which == 0:
            raise ValueError("a text", 3, 2.5, None)
        if which == 1:
            raise ValueError
        if which == 2:
            raise ValueError()
        if which == 3:
            raise OwnError(TEXT)
        if which == 4:
            raise OwnError(local, i)
        if which == 5:
            raise MADE
        if which == 6:
            assert i != 37
        if which == 7:
            assert i != 37, "not 37"
        if which == 8:
            raise numba.core.errors.TypingError("of a module's attribute")
        if which == 9:
            raise ValueError(f"at {i}") from None
    out[i] = 1


@pytest.mark.parametrize(
    "which, wanted",
    [
        (0, (ValueError, "a text", 3, 2.5, None)),
        (1, (ValueError,)),
        (2, (ValueError,)),
        (3, (OwnError, "of the module")),
        (4, (OwnError, "of the kernel", "i")),
        (5, (OwnError, "made before", 7)),
        (6, (AssertionError,)),
        (7, (AssertionError, "not 37")),
        (8, (numba.core.errors.TypingError, "of a module's attribute")),
        (9, (ValueError, "at {i}")),
    ],
)
def test_what_is_raised(device, which, wanted):
    out = np.zeros(64)
    assert raised(raising[2, 32], which, out) == (*wanted, ("raising", (0, 0, 5), (0, 0, 1)))
    assert out.sum() == 63 and out[37] == 0  # the others went on
    raising[2, 32](-1, out)
    assert out.sum() == 64


def test_the_place_of_a_thread(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(at):
        if (cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z) == at and cuda.blockIdx.x == 1 and cuda.blockIdx.z == 2:
            raise IndexError("there")

    assert raised(kernel[(2, 1, 3), (4, 3, 2)], (3, 2, 1)) == (IndexError, "there", ("kernel", (1, 2, 3), (2, 0, 1)))


def test_on_a_stream_for_all_and_with_extensions(device):
    class Halves:
        def prepare_args(self, type_, value, stream, retr):
            return type_, value // 2 if isinstance(value, int) else value

    def body(n):
        if n == 4:
            raise OwnError("four")

    plain, extended = cuda.jit(debug=True, opt=False)(body), cuda.jit(debug=True, opt=False, extensions=[Halves()])(body)
    assert raised(plain[2, 32, cuda.stream()], 4)[:2] == (OwnError, "four")
    assert raised(plain.forall(10), 4)[:2] == (OwnError, "four")
    assert raised(extended[1, 1], 8)[:2] == (OwnError, "four")
    extended[1, 1](4)
    assert plain[2, 32].griddim == (2, 1, 1) and raised(plain.specialize(4)[1, 1], 4)[:2] == (OwnError, "four")
    with pytest.raises(OwnError):
        cuda.jit("void(int32)", debug=True, opt=False)(body)[1, 1](4)


def test_without_debugging_nothing_is_raised(device):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        assert i != 2, "two"
        out[i] = 1 / x[i]
        if i == 3:
            raise ValueError("three")
        out[i] += 1

    out = np.zeros(4)
    kernel[1, 4](np.array([0.0, 1, 2, 4]), out)
    assert out.tolist() == [np.inf, 2, 1.5, 0.25]


# ---- functions


@cuda.jit(device=True)
def of_both(a, b):
    if a == b:
        raise OwnError("both", 1)
    return a - b


@cuda.jit(device=True)
def returns_nothing(x, i):
    if x[i] < 0:
        raise ValueError("negative")
    x[i] += 1


@cuda.jit(device=True)
def deeper(x, i):
    returns_nothing(x, i)
    return x[i]


@cuda.jit(device=True)
def down(n):
    if n < 0:
        raise ValueError("below")
    if n == 0:
        return 0
    return down(n - 2) + 1


@cuda.jit(device=True)
def if_given(a):
    if a > 5:
        raise OwnError("large")
    if a > 2:
        return a


def test_a_function_raises_for_its_kernel(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(x, out, which):
        i = cuda.grid(1)
        if which == 0:
            out[i] = of_both(x[i], 3.0) + of_both(x[i], 7.0)
        if which == 1:
            returns_nothing(x, i)
            out[i] = 1
        if which == 2:
            out[i] = deeper(x, i)
            x[i] = 50
        if which == 3:
            out[i] = down(int(x[i]))
        if which == 4:
            got = if_given(x[i])
            out[i] = -1 if got is None else got

    def after(which, x):
        x, out = np.array(x, float), np.zeros(len(x))
        error = raised(kernel[1, len(x)], x, out, which)
        return error[0], error[1], error[-1][0], out.tolist(), x.tolist()

    assert after(0, [1, 7, 2]) == (OwnError, "both", "of_both", [-8, 0, -6], [1, 7, 2])
    assert after(1, [1, -7, 2]) == (ValueError, "negative", "returns_nothing", [1, 0, 1], [2, -7, 3])
    assert after(2, [1, -7, 2]) == (ValueError, "negative", "returns_nothing", [2, 0, 3], [50, -7, 50])
    assert after(3, [6, 5, 4]) == (ValueError, "below", "down", [3, 0, 2], [6, 5, 4])
    assert after(4, [1, 6, 4]) == (OwnError, "large", "if_given", [-1, 0, 4], [1, 6, 4])


def test_what_stands_before_a_call_is_computed_before(device):
    @cuda.jit(device=True)
    def twice(a):
        a[0] *= 2
        return a[0]

    @cuda.jit(debug=True, opt=False)
    def kernel(a, out):
        out[0] = a[0] + twice(a)
        out[1] = a[0] < twice(a)
        out[2], out[3] = a[0], twice(a)
        out[4] = max(a[0], 3 * twice(a), a[0])
        a[0] += twice(a)
        out[5] = a[0]

    def in_python(a, out):
        out[0] = a[0] + in_python.twice(a)
        out[1] = a[0] < in_python.twice(a)
        out[2], out[3] = a[0], in_python.twice(a)
        out[4] = max(a[0], 3 * in_python.twice(a), a[0])
        a[0] += in_python.twice(a)
        out[5] = a[0]

    in_python.twice = twice.py_func
    got, want = [(np.ones(1), np.zeros(6)) for _ in range(2)]
    kernel[1, 1](*got)
    in_python(*want)
    assert got[1].tolist() == want[1].tolist()


def test_what_is_not_evaluated_does_not_raise(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(x, out):
        i = cuda.grid(1)
        if x[i] == 0 or 1 / x[i] > 0.4:
            out[0, i] = 1
        if x[i] != 0 and of_both(x[i], 0.0) > 1:
            out[1, i] = 1
        out[2, i] = 9.0 if x[i] == 0 else 1 / x[i]
        out[3, i] = 1 < x[i] < 8 // x[i]
        out[4, i] = x[i] and 2 / x[i] or 5
        while x[i] and 4 / x[i] > 1:
            x[i] += 1
            out[5, i] += 1

    out = np.zeros((6, 3))
    kernel[1, 3](np.array([0.0, 2, 4]), out)
    assert out.tolist() == [[1, 1, 0], [0, 1, 1], [9, 0.5, 0.25], [0, 1, 0], [5, 1, 0.5], [0, 2, 0]]


def test_a_choice_computes_what_it_takes_only(device):
    """Without debugging, too: elements that are not there are not read."""

    @cuda.jit
    def kernel(x, out, n):
        i = cuda.grid(1)
        out[0, i] = i < n and min(x[i], 5) > 2
        out[1, i] = max(x[i], 3) if i < n else -1
        out[2, i] = i < n and x[i] and 7

    got, x = np.zeros((3, 64), np.int64), np.array([1, 4, 0, 9])
    kernel[1, 64](x, got, 4)
    want = np.zeros((3, 64), np.int64)
    want[1] = -1
    want[:, :4] = [[0, 1, 0, 1], [3, 4, 3, 9], [7, 7, 0, 7]]
    assert got.tolist() == want.tolist()


def test_functions_of_querns_own(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(states, out):
        i = cuda.grid(1)
        out[i] = xoroshiro128p_uniform_float32(states, i)

    wanted, got = np.zeros(4, np.float32), np.zeros(4, np.float32)
    kernel[1, 4](create_xoroshiro128p_states(4, 1), got)
    cuda.jit(kernel.py_func)[1, 4](create_xoroshiro128p_states(4, 1), wanted)
    assert got.tolist() == wanted.tolist() and got.any()


# ---- what Python itself raises


@cuda.jit(debug=True, opt=False)
def dividing(which, a, b, out):
    i = cuda.grid(1)
    if which == 0:
        out[i] = a[i] / b[i]
    if which == 1:
        out[i] = a[i] // b[i]
    if which == 2:
        out[i] = a[i] % b[i]
    if which == 3:
        out[i] = divmod(a[i], b[i])[1]
    if which == 4:
        out[i] /= b[i]
    if which == 5:
        out[i] = 1 / 0


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("which, said", list(enumerate(["division", "division", "modulo", "divmod", "division", "division"])))
def test_divisions_by_zero(device, dtype, which, said):
    a, b, out = np.array([7, 7, 9], dtype), np.array([2, 0, 4], dtype), np.full(3, 8.0)
    kind, text, (_, thread, _) = raised(dividing[1, 3], which, a, b, out)
    if said == "divmod" and a.dtype.kind == "f":
        said = "modulo"
    assert kind is ZeroDivisionError and text.endswith(f"{said} by zero")
    assert text.startswith("integer") == (dtype in (np.int32, np.uint8) and which in (1, 2, 3))
    if which < 5:
        assert thread == (0, 0, 1) and out[1] == 8
        assert out[[0, 2]].tolist() == [[3.5, 2.25], [3, 2], [1, 1], [1, 1], [4, 2]][which]


def test_a_complex_division_by_zero(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(a, b):
        a[cuda.grid(1)] /= b[cuda.grid(1)]

    a = np.array([2j, 4])
    assert raised(kernel[1, 2], a, np.array([0, 2j]))[:2] == (ZeroDivisionError, "complex division by zero")
    assert a.tolist() == [2j, -2j]


def test_what_lies_outside(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(which, x, t, n, out):
        if which == 0:
            out[0] = x.shape[n]
        if which == 1:
            out[0] = t[n]
        if which == 2:
            for i in range(0, 10, n):
                out[0] += i
        if which == 3:
            out[:] = x[0, ::n]
        if which == 4:
            out[:] = x[0, :n]
        if which == 5:
            out.reshape(n, n)[0, 0] = 1
        if which == 6:
            np.add(x[0, :n], 1, out)

    x, t = np.arange(12.0).reshape(3, 4), (5.0, 6.0)

    def ends(which, n):
        return raised(kernel[1, 1], which, x, t, n, np.zeros(4))[:2]

    def makes(which, n):
        out = np.zeros(4)
        kernel[1, 1](which, x, t, n, out)
        return out.tolist()

    assert ends(0, 2) == ends(0, -3) == ends(1, 2) == (IndexError, "tuple index out of range")
    assert (makes(0, -2), makes(0, 1), makes(1, -1)) == ([3, 0, 0, 0], [4, 0, 0, 0], [6, 0, 0, 0])
    assert ends(2, 0) == (ValueError, "range() arg 3 must not be zero") and makes(2, 4) == [12, 0, 0, 0]
    assert ends(3, 0) == (ValueError, "slice step cannot be zero") and makes(3, 1) == [0, 1, 2, 3]
    assert ends(4, 3) == (ValueError, "cannot assign slice from input of different size") and makes(4, 4) == [0, 1, 2, 3]
    assert ends(5, 3)[0] is ends(6, 3)[0] is ValueError and makes(5, 2) == [1, 0, 0, 0] and makes(6, 1) == [1, 1, 1, 1]


# ---- barriers


def test_barriers_of_a_block_go_on_without_it(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(x, out):
        shared = cuda.shared.array(64, numba.float64)
        t = cuda.threadIdx.x
        if x[t] < 0:
            raise ValueError("negative")
        shared[t] = x[t]
        cuda.syncthreads()
        out[t] = shared[(t + 1) % 64] if (t + 1) % 64 != 5 else -1
        out[t] += 1000 * cuda.syncthreads_count(1)

    x, out = np.arange(64.0), np.zeros(64)
    x[5] = -3
    assert raised(kernel[1, 64], x, out) == (ValueError, "negative", ("kernel", (0, 0, 5), (0, 0, 0)))
    want = np.roll(x, -1) + 63000
    want[4], want[5] = 62999, 0
    assert out.tolist() == want.tolist()


def test_threads_part_and_meet_again(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(x, y):
        t, n = cuda.threadIdx.x, cuda.blockDim.x
        if t > 12:
            for i in range(n):
                y[i] += x[i] // y[i]
        cuda.syncthreads()
        if t < 17:
            for i in range(n):
                x[i] += x[i] // y[i]

    assert raised(kernel[1, 32], np.arange(32), np.zeros(32, np.int64))[:2] == (ZeroDivisionError, "integer division by zero")


def test_barriers_of_the_grid_end_where_a_thread_has_left(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(x, out):
        grid, i = cuda.cg.this_grid(), cuda.grid(1)
        for k in range(5):
            if k == 3 and x[i] < 0:
                raise ValueError("negative")
            out[i] += 1
            grid.sync()

    x, out = np.ones(256), np.zeros(256)
    kernel[8, 32](x, out)
    assert (out == 5).all()
    for at in (0, 40):
        x[at] = -1
        out[:] = 0
        assert raised(kernel[8, 32], x, out) == (ValueError, "negative", ("kernel", (0, 0, at % 32), (0, 0, at // 32)))
        assert out[at] == 3 and set(out.tolist()) <= {3, 4}
        x[at] = 1
    out[:] = 0
    kernel[8, 32](x, out)
    assert (out == 5).all()


def test_an_assertion_of_linked_cuda_keeps_its_meaning(device):
    if device.kind != "cpu":
        pytest.skip("a failed assertion ends a GPU's context")
    source = cuda.CUSource("extern \"C\" __device__ int check(int* out, int x) { assert(x > 0); *out = x; return 0; }")
    check = cuda.declare_device("check", "int32(int32)", link=source)

    @cuda.jit(debug=True, opt=False)
    def kernel(x):
        x[0] = check(x[0])

    with pytest.raises(LaunchError, match="x > 0"):
        kernel[1, 1](np.zeros(1, np.int32))
