"""What goes wrong with arrays: no memory, values that cannot be, an interrupt, many threads, an end in the middle of work.

One clear error where the value is read, which names the line that recorded the op; everything else goes on.
"""

import inspect
import os
import random
import threading
import warnings

import numpy as np
import pytest
import quern as qn
from programs import code
from quern import cupy, torch
from quern.device import set_current_device
from quern.lib import _engine

HERE = os.path.basename(__file__)


def here():
    return inspect.currentframe().f_back.f_lineno


# ---- no memory


def test_out_of_memory_names_the_largest_arrays_and_their_lines(device):
    line = here() + 1
    kept = qn.asarray(np.zeros(3 << 20)) + 1
    qn.synchronize()
    large = qn.broadcast_to(kept, (1 << 25, 3 << 20)) * 2  # recorded: nothing is wrong yet
    with pytest.raises(qn.OutOfMemoryError, match=rf"no room for .* largest live blocks: .*24\.0 MiB from .*{HERE}:{line}"):
        _engine.array_evaluate(large)
    assert issubclass(qn.OutOfMemoryError, MemoryError)


TOO_LARGE = """torch.ones(N) | torch.zeros(N) | torch.empty(N) | torch.full((N,), 2.0) | torch.eye(1 << 22) | torch.arange(N) | torch.rand(N)
torch.linspace(0, 1, N) | torch.ones(3).repeat(N) | torch.ones(3).expand(N, 3).contiguous() | torch.ones(3).expand(N, 3).clone()
torch.empty_like(torch.ones(3).expand(N, 3)) | torch.outer(ROWS, ROWS) | torch.ones(1 << 22, 1) @ torch.ones(1, 1 << 22) | torch.diag(ROWS)
torch.cat([torch.zeros(1).expand(N)] * 2) | torch.nn.functional.pad(torch.ones(3), (0, N)) | torch.tril_indices(1 << 22, 1 << 22)
torch.ones(3).repeat_interleave(N) | torch.ones(2).repeat_interleave(torch.tensor([1, N])) | torch.zeros(3).resize_(N) | torch.combinations(ROWS)
torch.vander(ROWS, 1 << 22) | torch.nn.Linear(1 << 22, 1 << 22) | torch.tensor([1.0]).new_zeros(N) | torch.zeros(1)[torch.zeros(1, dtype=int).expand(N)]
qn.arange(N) | qn.empty(N).copy() | qn.ones(N).astype(int, copy=True) | qn.zeros(N).reshape(2, -1).copy()
qn.tile(qn.ones(3), N) | qn.repeat(qn.ones(3), N) | qn.repeat(qn.ones(2), [1, N]) | qn.broadcast_to(qn.ones(1), (N,)).copy() | qn.pad(qn.ones(3), (0, N))
qn.concatenate([qn.broadcast_to(qn.ones(1), (N,))] * 2) | qn.fft.fft(qn.ones(3), N) | qn.random.rand(N) | qn.histogram(qn.ones(3), bins=N)
cupy.ones(N) | cupy.tile(cupy.ones(3), N) | cupy.random.rand(N) | cupy.cuda.alloc(8 * N) | cupy.broadcast_to(cupy.ones(1), (N,)).copy()"""


@pytest.mark.parametrize("text", [text for line in TOO_LARGE.splitlines() for text in line.split(" | ")])
def test_what_is_too_large_raises_at_the_call(text):
    """In a new process nothing has asked for the device's memory yet; here for some."""
    names = {"qn": qn, "cupy": cupy, "torch": torch, "N": 1 << 44, "ROWS": torch.ones(1 << 22)}
    with pytest.raises(qn.OutOfMemoryError):
        eval(text, names)
    assert issubclass(torch.OutOfMemoryError, RuntimeError) and issubclass(qn.OutOfMemoryError, MemoryError)
    assert float(qn.ones(3).sum()) == 3


def test_what_is_too_large_is_known_before_the_first_evaluation():
    done = code("""
from quern import torch
try:
    torch.ones(1 << 44)
except torch.OutOfMemoryError as error:
    print("no room" in str(error))
""")
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize("repeats", [1 << 62, [1 << 62, 1 << 62], [1, 1 << 62]])
def test_repeats_beyond_64_bits(repeats):
    with pytest.raises((ValueError, MemoryError)):
        qn.repeat(qn.ones((2, 4)), repeats, axis=0)


def test_differences_of_all_pairs_need_no_memory(device):
    x = qn.asarray(np.arange(100000, dtype="f4"))
    nearest = ((x[:, None] - x) ** 2).min(axis=1).sum()  # apart from the assertion, which keeps what it compares
    assert float(nearest) == 0


def test_out_of_memory_leaves_the_work_pending(device):
    x = qn.asarray(np.arange(1000.0))
    large = qn.broadcast_to(x, (1 << 40, 1000)) * 2
    after = large[0, :5] + 1
    other = x * 3
    for _ in range(3):
        with pytest.raises(qn.OutOfMemoryError):
            qn.asnumpy(after)
    assert qn.asnumpy(other)[7] == 21  # not spoiled
    del after, large
    assert _engine.array_pending() == 0
    qn.synchronize()
    assert qn.asnumpy(x + 1)[1] == 2


def test_reading_again_tries_again():
    """Where memory has become free meanwhile, the value is there."""
    done = code("""
import resource
import numpy as np
import quern as qn
from quern.device import set_current_device
set_current_device(qn.device("cpu"))
x = qn.asarray(np.ones(1 << 16))
y = qn.asnumpy((qn.broadcast_to(x, (2, 1 << 16)) * 2)[1, :3])  # what is compiled needs memory of its own
large = qn.broadcast_to(x, (1 << 10, 1 << 16)) * 2  # 512 MiB
with open("/proc/self/statm") as f:
    now = int(f.read().split()[0]) * resource.getpagesize()
limits = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (now + (1 << 27), limits[1]))
for _ in range(2):
    try:
        qn.asnumpy(large[1023, :3])
    except qn.OutOfMemoryError as error:
        print("no room" in str(error))
resource.setrlimit(resource.RLIMIT_AS, limits)
print(qn.asnumpy(large[1023, :3]).tolist())
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["True", "True", "[2.0, 2.0, 2.0]"]


# ---- values that cannot be


@pytest.mark.parametrize("n", [5, 2000])
def test_an_index_out_of_range(device, n):
    x = qn.asarray(np.arange(2000.0))
    where = qn.asarray(np.full(n, 3)) * 1000
    other = x * 2
    line = here() + 1
    taken = x[where]
    after = taken + 1
    with pytest.raises(IndexError, match=rf"index 3000 is out of bounds for axis 0 with size 2000.*{HERE}:{line}"):
        qn.asnumpy(after)
    assert np.array_equal(qn.asnumpy(other), np.arange(2000.0) * 2)
    qn.synchronize()  # raised once, where the wrong value is read
    for spoiled in (after, taken, after[:3] * 2, taken.sum(), after):
        with pytest.raises(IndexError, match="index 3000"):
            qn.asnumpy(spoiled)
    assert np.array_equal(qn.asnumpy(x[qn.asarray(np.full(n, 3))]), np.full(n, 3.0))


def test_an_index_out_of_range_where_elements_are_set(device):
    x = qn.asarray(np.zeros(2000))
    y = x + 1
    where = qn.asarray(np.full(1500, 3)) * 1000
    line = here() + 1
    x[where] = 7
    with pytest.raises(IndexError, match=rf"index 3000 is out of bounds.*{HERE}:{line}"):
        qn.asnumpy(x)
    assert np.array_equal(qn.asnumpy(y), np.ones(2000))
    assert x.shape == qn.asnumpy(x).shape  # the array lives on


def test_a_singular_matrix(device):
    good = qn.asarray(np.eye(60) * 2)
    line = here() + 1
    bad = qn.linalg.inv(good * 0)
    right = qn.linalg.inv(good) + 1
    with pytest.raises(np.linalg.LinAlgError, match=rf"Singular matrix.*{HERE}:{line}"):
        qn.asnumpy(bad + 1)
    assert np.array_equal(qn.asnumpy(right), np.eye(60) / 2 + 1)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        qn.asnumpy(bad)
    qn.synchronize()  # said once
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):  # tiny work too
        qn.asnumpy(qn.linalg.inv(qn.zeros((3, 3))))


# ---- threads


@pytest.mark.parametrize("limit", [_engine.tier0_limit, 0])
def test_eight_threads_record_at_once(device, limit):
    """Arrays of their own and shared ones, which all read and one writes; reads, pressure and releases in between."""
    _engine.set_tier0_limit(limit)
    shared = [qn.asarray(np.arange(n, dtype=np.float64)) for n in (10, 700, 5000)]
    problems = []

    def work(seed):
        rng = random.Random(seed)
        try:
            set_current_device(device)
            own = [(np.full(n, float(seed)), qn.asarray(np.full(n, float(seed)))) for n in (10, 700, 5000)]
            for _ in range(400):
                k = rng.randrange(3)
                host, x = own[k]
                action = rng.randrange(5)
                if action == 0:
                    own[k] = host * 0.5 + shared_host[k], x * 0.5 + shared[k]
                elif action == 1:
                    host += 1
                    x += 1
                elif action == 2:
                    host[1:] -= host[:-1]
                    x[1:] -= x[:-1]
                    host *= 0.25
                    x *= 0.25
                elif action == 3:
                    x + shared[k] * 2  # nobody reads it
                elif not np.array_equal(qn.asnumpy(x), host):
                    problems.append(f"thread {seed}: wrong values")
            for host, x in own:
                if not np.array_equal(qn.asnumpy(x), host):
                    problems.append(f"thread {seed}: wrong values at the end")
        except Exception as error:
            problems.append(f"thread {seed}: {error!r}")

    shared_host = [np.arange(n, dtype=np.float64) for n in (10, 700, 5000)]
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)
    assert not problems, problems
    assert all(np.array_equal(qn.asnumpy(x), host) for x, host in zip(shared, shared_host, strict=True))


def test_threads_add_to_one_array(device):
    """Each update is whole: none is lost, whoever records it."""
    x = qn.asarray(np.zeros(3000))
    one = qn.asarray(np.ones(3000))
    errors = []

    def work():
        try:
            set_current_device(device)
            for n in range(300):
                _engine.array_op("add", x, one, into=x)
                if n % 100 == 50:
                    qn.asnumpy(x)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    assert np.array_equal(qn.asnumpy(x), np.full(3000, 2400.0))


# ---- processes

SETUP = """
import os, signal, sys, threading, time
import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine
device = qn.device(DEVICE)
set_current_device(device)
n = 1 << 22 if device.kind == "cpu" else 1 << 26
x = qn.asarray(np.full(n, 0.5))


def slow(rounds):
    y = x
    for _ in range(rounds):
        for _ in range(20):
            y = qn.sin(y) + 0.25
        _engine.array_evaluate(y)
    return y


def works():
    z = qn.asarray(np.arange(3000.0))
    assert np.array_equal(qn.asnumpy(z * 2 + 1), np.arange(3000.0) * 2 + 1)
"""


def run(device, text, **named):
    return code(SETUP.replace("DEVICE", repr(device.name)) + text, **named)


def test_ctrl_c_while_waiting_for_arrays(device):
    done = run(
        device,
        """
signal.signal(signal.SIGINT, signal.default_int_handler)
works()
want = qn.asnumpy(slow(1)[:3])
y = slow(3 if device.kind == "cpu" else 100)
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    qn.asnumpy(y)
    time.sleep(0.5)
except KeyboardInterrupt:
    print("interrupted")
works()
assert np.isfinite(qn.asnumpy(y)).all()
assert np.array_equal(qn.asnumpy(slow(1)[:3]), want)
""",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "interrupted" and done.stderr == ""


@pytest.mark.parametrize(
    "end",
    [
        "y = x + 1",
        "y = slow(3)",
        "y = slow(2) + 1",
        "keep = _engine.KeepPending(); y = x\nfor _ in range(5000): y = y + 1",
        "y = x[qn.asarray(np.full(2000, 5)) * n]",
        "y = x[qn.asarray(np.full(2000, 5)) * n]; _engine.array_evaluate(y)",
        "sys.modules['for ever'] = (slow(1), x + 1)",
        "t = threading.Thread(target=lambda: (set_current_device(device), qn.asnumpy(slow(2))), daemon=True); t.start(); y = x + 1",
        "y = qn.broadcast_to(x, (1 << 30, n)) * 2",
        "import atexit; y = slow(1); atexit.register(lambda: y + 1)",
    ],
)
def test_exit_with_work_pending(device, end):
    done = run(device, end)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_negative_exponent_that_only_the_device_knows(device):
    base, exponents = qn.arange(5), qn.asarray([0, 1, -1, 2, 3])
    line = here() + 1
    x = base**exponents
    after = x + 1
    for _ in range(2):
        with pytest.raises(ValueError, match=rf"Integers to negative integer powers are not allowed.*{HERE}:{line}"):
            qn.asnumpy(after)
    fine = qn.power(base, exponents, where=exponents >= 0, out=qn.zeros(5, int))
    assert qn.asnumpy(fine).tolist() == [1, 1, 0, 9, 64]
    large = np.arange(20000) % 7
    assert np.array_equal(qn.asnumpy(qn.asarray(large) ** qn.asarray(large[::-1])), large ** large[::-1])
    with pytest.raises(ValueError, match="negative integer powers"):
        qn.asnumpy(qn.asarray(large) ** qn.asarray(large - 1)[::-1])
    assert qn.asnumpy(qn.asarray(large) ** qn.asarray(large, dtype="uint8")).dtype == (large ** large.astype("uint8")).dtype
    assert qn.asnumpy(qn.asarray([2.0]) ** exponents)[2] == 0.5
    assert qn.asnumpy(qn.asarray(2) ** qn.asarray(np.zeros((0, 3), int))).shape == (0, 3)


@pytest.mark.parametrize("seen", [np.asarray, memoryview, qn.asnumpy, lambda x: np.from_dlpack(x), lambda x: x.tolist(), str])
def test_an_error_is_raised_by_whatever_reads(seen):
    """Also where the memory itself is handed out and nothing is left to wait for."""
    x = qn.asarray([1, 2, 3], device="cpu")[qn.asarray([7, 1], device="cpu")]
    for _ in range(2):
        with pytest.raises(IndexError, match="index 7 is out of bounds"):
            seen(x)


LIMITS = [float(2**k) for k in (7, 8, 15, 16, 31, 32, 63, 64)]
NUMBERS = [m * sign - (sign < 0) * off for m in LIMITS for sign in (1, -1) for off in (0, 1)]
NUMBERS += [0.9, -0.9, 127.9, -128.9, -1.0, 300.5, float("nan"), float("inf"), -float("inf")]


def test_an_error_is_raised_by_reading_what_depends_on_it_and_by_nothing_else(device):
    x = qn.asarray(np.arange(2000.0))
    wrong = x[qn.asarray(np.full(1500, 3000))]
    right = x + 1
    for _ in range(3):
        qn.synchronize()
        device.synchronize()
        device.default_stream().synchronize()
        assert np.array_equal(qn.asnumpy(right), np.arange(2000.0) + 1)
        assert float((right * 2).sum()) == 2001 * 2000
        with pytest.raises(IndexError, match="index 3000"):
            qn.asnumpy(wrong)
        with pytest.raises(IndexError, match="index 3000"):
            float(wrong.sum())


def test_a_failed_array_says_so_in_its_repr(device):
    wrong = qn.asarray(np.arange(3.0))[qn.asarray([7, 1])]
    for array in (wrong, wrong * 2):
        for _ in range(2):
            assert "failed array" in repr(array) and "index 7 is out of bounds" in repr(array) and "shape=(2,)" in repr(array)
            with pytest.raises(IndexError, match="index 7"):
                str(array)


def test_an_error_of_a_value_that_is_not_read_is_not_raised(device):
    x = qn.asarray(np.arange(2000.0))
    for _ in range(3):
        x[qn.asarray(np.full(1500, 3000))] + 1
        qn.linalg.inv(qn.zeros((40, 40)))
        qn.synchronize()
    x[qn.asarray(np.full(1500, 3000))] = 1
    qn.synchronize()
    assert qn.asnumpy(qn.ones(3)).tolist() == [1, 1, 1]
    with pytest.raises(IndexError, match="index 3000"):
        qn.asnumpy(x)


def outcome(array, key, number):
    """What the array holds after an assignment, or the type of the error."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            array[key] = number
            return np.array(qn.asnumpy(array) if isinstance(array, qn.Array) else array).tolist()
    except (OverflowError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_numbers_that_an_integer_type_cannot_hold(device, dtype):
    """Assigned as Python's numbers, as NumPy's, and as results that only the device knows: OverflowError and ValueError as in NumPy."""
    numbers = NUMBERS + [int(n) for n in NUMBERS if np.isfinite(n)]
    numbers += [np.float64(n) for n in NUMBERS] + [np.float32(n) for n in NUMBERS]
    numbers += [np.int64(n) for n in numbers if type(n) is int and -(2**63) <= n < 2**63]
    numbers += [np.uint64(n) for n in numbers if type(n) is int and 0 <= n < 2**64]

    for number in numbers:
        finite = not isinstance(number, (float, np.floating)) or np.isfinite(number)
        for key in (slice(None), 1, slice(0, 0), [0, 1]):
            want = outcome(np.zeros(3, dtype), key, number)
            got = outcome(qn.zeros(3, dtype=dtype), key, number)
            floats = isinstance(number, np.floating) and isinstance(want, list)  # C leaves open what these become
            assert isinstance(got, list) if floats else got == want, (number, key)
        if isinstance(number, np.generic) and finite:
            want = outcome(np.zeros(3, dtype), slice(None), number)
            got = outcome(qn.zeros(3, dtype=dtype), slice(None), qn.asarray(np.array([number])).max())
            assert isinstance(got, list) if isinstance(want, list) else got is want, number


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e30, 1.0])
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8"])
def test_a_number_that_does_not_fit_an_empty_part(device, number, dtype):
    want = outcome(np.zeros(3, dtype), slice(0, 0), np.float64(number))
    assert outcome(qn.zeros(3, dtype=dtype), slice(0, 0), qn.asarray([number]).max()) == want


def test_a_number_that_does_not_fit_names_its_line(device):
    x = qn.zeros(3, dtype="int8")
    total = qn.arange(100).sum()
    line = here() + 1
    x[:] = total
    with pytest.raises(OverflowError, match=rf"Python integer 4950 out of bounds for int8.*{HERE}:{line}"):
        qn.asnumpy(x)


ERRORS = """
qn.take(x, far)
x[far]
x.reshape(2, 5)[:, far]
qn.linalg.inv(singular)
qn.linalg.cholesky(-qn.eye(2))
"""


def test_errors_that_nobody_holds_are_freed():
    """Errors that were raised, and errors of values that were never read: heap bytes after many of each."""
    done = code(
        "import ctypes, gc, numpy as np, quern as qn\n"
        "class Info(ctypes.Structure):\n"
        "    _fields_ = [(n, ctypes.c_size_t) for n in 'arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost'.split()]\n"
        "info = ctypes.CDLL(None).mallinfo2\ninfo.restype = Info\n"
        "x, far, singular = qn.arange(10.0), qn.asarray(np.array([100])), qn.zeros((2, 2))\n"
        "def used():\n    gc.collect()\n    return info().uordblks + info().hblkhd\n"
        "def once(text, looks):\n"
        "    y = eval(text)\n"
        "    if looks:\n"
        "        try: qn.asnumpy(y)\n"
        "        except (IndexError, ValueError): return\n"
        "        raise AssertionError(text)\n"
        f"for text in {ERRORS.strip().splitlines()!r}:\n"
        "    text = compile(text, 'text', 'eval')\n"
        "    for looks in (True, False):\n"
        "        for _ in range(300): once(text, looks)\n"
        "        qn.synchronize()\n"
        "        before = used()\n"
        "        for _ in range(4000): once(text, looks)\n"
        "        qn.synchronize()\n"
        "        print((used() - before) / 4000)\n",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    grown = [float(n) for n in done.stdout.split()]
    assert len(grown) == 10 and max(grown) < 25, grown


@pytest.mark.parametrize("read", [qn.asnumpy, str, repr, lambda a: a.tolist()])
def test_an_array_too_large_for_the_host_says_its_size(read):
    if qn.current_device().kind != "cpu":
        pytest.skip("the device's memory is asked first, and says its own size")
    a = qn.broadcast_to(qn.zeros(3), (10**12, 3))
    with pytest.raises(qn.OutOfMemoryError, match=r"no room for 22351.7 GiB, an array of shape \(1000000000000, 3\) and dtype float64"):
        read(a)
