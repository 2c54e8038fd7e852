"""Warnings of launches: of host arrays that are copied, of grids too small for a device. Warnings of names that are not set everywhere."""

import pickle
import warnings

import numpy as np
import pytest
from programs import python
from quern import cuda
from quern.cuda import config
from quern.cuda.errors import NumbaInvalidConfigWarning, NumbaPerformanceWarning, NumbaWarning
from quern.device import door_devices
from quern.kernel.dispatcher import Dispatcher
from quern.lib import _engine
from quern.numba import guvectorize


def increment(x, amount):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += amount


def told(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    assert all(w.category is NumbaPerformanceWarning for w in seen)
    return [(str(w.message), w.filename, w.lineno) for w in seen]


def test_nothing_is_warned_of_where_nothing_is_asked_for(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 0)
    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0)
    kernel = cuda.jit(increment)
    assert type(kernel) is Dispatcher
    assert type(kernel[1, 8]) is _engine.Launch
    assert told(lambda: kernel[1, 8](np.zeros(8), 1)) == []


def test_what_is_asked_for_may_change(device, monkeypatch):
    kernel, x = cuda.jit(increment), np.zeros(8)
    launch = kernel[1, 8]
    for name, call in (("CUDA_WARN_ON_IMPLICIT_COPY", lambda: launch(x, 1)), ("CUDA_LOW_OCCUPANCY_WARNINGS", lambda: kernel[1, 8])):
        monkeypatch.setattr(config, name, 1)
        assert len(told(call)) == 1
        monkeypatch.setattr(config, "DISABLE_PERFORMANCE_WARNINGS", 1)
        assert told(call) == []
        monkeypatch.setattr(config, "DISABLE_PERFORMANCE_WARNINGS", 0)
        assert len(told(call)) == 1
        monkeypatch.setattr(config, name, 0)
        assert told(call) == []


def test_host_arrays(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0)
    kernel = cuda.jit(increment)
    x = np.zeros(8)
    launch = kernel[1, 8]
    here = told(lambda: launch(x, 1))
    assert len(here) == 1
    text, file, line = here[0]
    assert "'increment'" in text
    assert text.startswith("Host array used in CUDA kernel will incur copy overhead to/from device")
    assert "'x'" in text
    assert file == __file__
    assert line == test_host_arrays.__code__.co_firstlineno + 6
    assert x.tolist() == [1] * 8
    assert launch.griddim == (1, 1, 1)
    # all ways to launch
    for call in (
        lambda: kernel.forall(8)(x, 1),
        lambda: kernel.configure(1, 8)(x, 1),
        lambda: kernel.call((x, 1), kernel[1, 8]),
        lambda: kernel.specialize(x, 1)[1, 8](x, 1),
        lambda: cuda.jit("void(float64[:], int64)")(increment)[1, 8](x, 1),
        lambda: cuda.jit(increment, extensions=[Same()])[1, 8](x, 1),
    ):
        seen = told(call)
        assert [w[1] for w in seen] == [__file__]
    assert x.tolist() == [7] * 8
    # what is no copy that nobody asked for
    mapped, there = cuda.mapped_array(8), cuda.to_device(x)
    mapped[:] = 0
    assert len(told(lambda: kernel[1, 8](cuda.pinned_array(8), 1))) == 1
    for given in (there, there[2:], mapped, mapped[2:], cuda.In(x), cuda.Out(x), cuda.InOut(x), cuda.managed_array(8)):
        assert told(lambda: kernel[1, 8](given, 1)) == []  # noqa: B023
    cuda.synchronize()
    assert mapped.tolist() == [1, 1, *[2] * 6]


class Same:
    def prepare_args(self, type_, value, stream, retr):
        return type_, value


def test_arrays_in_tuples_and_several(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)

    @cuda.jit
    def kernel(pair, out, there):
        out[0] = pair[0][0] + pair[1] + there[0]

    out = np.zeros(1)
    seen = told(lambda: kernel[1, 1]((np.ones(1), 2), out, cuda.to_device(np.ones(1))))
    assert [("'pair'" in w[0], "'out'" in w[0]) for w in seen] == [(True, False), (False, True)]
    assert out[0] == 4
    with pytest.raises(TypeError):
        told(lambda: kernel[1, 1](out))


def test_small_grids(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 0)
    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 1)
    kernel = cuda.jit(increment)
    x = cuda.to_device(np.zeros(8))
    assert told(lambda: kernel[128, 8](x, 0)) == []
    assert told(lambda: kernel[(16, 4, 2), (8, 1)](x, 0)) == []
    for grid, blocks in ((127, 127), ((9, 14), 126), (1, 1)):
        ((text, file, _),) = told(lambda: kernel[grid, 8])  # noqa: B023
        assert text.startswith(f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy ('increment')")
        assert file == __file__
    launch = kernel[128, 8]
    assert told(lambda: launch(x, 0)) == []
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    assert len(told(lambda: cuda.jit(increment)[1, 8](np.zeros(8), 0))) == 2
    with pytest.raises(ValueError):
        kernel[0, 8]


def test_grids_of_generalized_functions(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 1)

    def doubled(x, out):
        out[0] = x[0] * 2

    for target, count in (("cuda", 1), ("cpu", 0)):
        f = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target=target)(doubled)
        seen = told(lambda: f(np.zeros((4, 8))))  # noqa: B023
        assert len(seen) == count and all("low occupancy ('doubled')" in w[0] for w in seen)
    assert told(lambda: f(np.zeros((128 * 128, 1)))) == []


def test_debugging_with_optimisation_and_lines():
    def kernel(x):
        x[0] = 1

    def seen(**options):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            cuda.jit(**options)(kernel)
        assert all(w.category is NumbaInvalidConfigWarning and w.filename == __file__ for w in seen)
        return ["not supported by CUDA" in str(w.message) or "mutually exclusive" in str(w.message) for w in seen]

    assert seen(debug=True) == seen(debug=True, opt=True) == [True]
    assert seen(debug=True, opt=False) == seen(opt=True) == seen(lineinfo=True) == []
    assert seen(debug=True, opt=False, lineinfo=True) == [True] and len(seen(debug=True, lineinfo=True)) == 2
    config.CUDA_DEBUGINFO_DEFAULT = 1
    try:
        assert seen() == [True] and seen(debug=False) == seen(opt=False) == []
    finally:
        config.CUDA_DEBUGINFO_DEFAULT = 0


def unset(x):
    if x[0] > 0:
        a = 1
    elif x[0] < 0:
        return
    else:
        b = a = 2
    for i in range(3):
        if x[i] > 2:
            c = i
            break
        d = i
    else:
        c = 5
    while True:
        e = x[1]
        if e > 0:
            f = 1
            break
        if e < -9:
            g = 1
        x[3] = g
        continue
    x[2] = a + b + c + d + e + f
    a, (h, x[0]) = 1, (2, 3)
    x[3] = sum_of(h)


def sum_of(y):
    return y + unknown if y > 10 else y + 1


unknown = 3


def test_names_that_are_not_set_everywhere(device, monkeypatch):
    kernel = cuda.jit(unset)
    assert told(lambda: kernel[1, 1](np.ones(4))) == []
    monkeypatch.setattr(config, "ALWAYS_WARN_UNINIT_VAR", 1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        cuda.jit(unset)[1, 1](np.ones(4, np.float32))
    assert all(w.category is NumbaWarning and w.filename == __file__ for w in seen)
    assert [str(w.message).partition(":")[0] for w in seen] == [f"Detected uninitialized variable {name}" for name in "gbd"]
    line = unset.__code__.co_firstlineno + 21
    assert f"{__file__}:{line} [unset]" in str(seen[0].message)


def test_it_is_a_dispatcher_like_others(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    kernel = cuda.jit(warned_kernel)
    assert isinstance(kernel, cuda.dispatcher.CUDADispatcher)
    assert type(kernel) is type(cuda.jit(increment))
    monkeypatch.setitem(globals(), "warned_kernel", kernel)
    assert pickle.loads(pickle.dumps(kernel)) is kernel


def warned_kernel(x):
    x[0] = 1


ON_GPU = any(d.kind != "cpu" for d in door_devices())  # where nothing was set, the CPU warns of nothing: it copies no arrays
PROGRAM = """
import numpy as np
from quern import cuda, numba

@cuda.jit
def kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1

x = np.zeros(8)
for _ in range(3):
    kernel[1, 8](x)
kernel[1, 8](x)
assert x.tolist() == [4] * 8
"""


@pytest.mark.parametrize(
    ("variables", "lines"),
    [
        ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": 0}, []),
        ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": 1}, [13, 14]),
        ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": None}, [13, 14] if ON_GPU else []),
        ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": None, "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": None}, [13, 13, 14, 14] if ON_GPU else []),
        ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": 1, "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": 1}, [13, 13, 14, 14]),
        ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": 1, "NUMBA_DISABLE_PERFORMANCE_WARNINGS": 1}, []),
    ],
)
def test_the_variable_and_one_warning_for_a_line(variables, lines, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = python(path, PYTHONWARNINGS=None, **variables)
    assert done.returncode == 0, done.stderr
    seen = [line.split(":")[1] for line in done.stderr.splitlines() if "NumbaPerformanceWarning" in line]
    assert seen == list(map(str, lines))


def test_what_numbas_compiler_has_can_be_read_and_set(monkeypatch):
    assert (config.OPT, config.BOUNDSCHECK, config.DUMP_ASSEMBLY, config.CUDA_DEALLOCS_COUNT, config.THREADING_LAYER) == (3, None, 0, 10, "default")
    assert 1 <= config.NUMBA_NUM_THREADS <= config.NUMBA_DEFAULT_NUM_THREADS
    for name in ("OPT", "BOUNDSCHECK", "DUMP_IR", "FULL_TRACEBACKS", "CACHE_DIR", "COLOR_SCHEME", "JIT_COVERAGE"):
        monkeypatch.setattr(config, name, 1)
        assert getattr(config, name) == 1
    with pytest.raises(AttributeError):
        config.NO_SUCH_THING  # noqa: B018
