"""Warnings of launches: of host arrays that are copied, of grids too small for the device."""

import pickle
import warnings

import numpy as np
import pytest
from programs import python
from quern import cuda
from quern.cuda import config
from quern.cuda.errors import NumbaPerformanceWarning
from quern.kernel.dispatcher import Dispatcher
from quern.lib import _engine


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


def test_host_arrays(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0)
    kernel = cuda.jit(increment)
    x = np.zeros(8)
    launch = kernel[1, 8]
    here = told(lambda: launch(x, 1))
    assert len(here) == 1
    text, file, line = here[0]
    assert "[increment]" in text
    assert "Host array used in a CUDA kernel" in text
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
    there = device.attribute(16)
    x = cuda.to_device(np.zeros(8))
    assert told(lambda: kernel[there, 8](x, 0)) == []
    assert told(lambda: kernel[(there, 2), (8, 1)](x, 0)) == []
    for grid in (there - 1, (there - 1, 1)):
        if there > 1:
            ((text, file, _),) = told(lambda: kernel[grid, 8](x, 0))  # noqa: B023
            assert f"[increment] Grid size {there - 1} " in text
            assert f" {there} multiprocessors" in text
            assert file == __file__
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    both = told(lambda: cuda.jit(increment)[1, 8](np.zeros(8), 0))
    assert len(both) == 1 + (there > 1)
    with pytest.raises(ValueError):
        kernel[0, 8]


def test_it_is_a_dispatcher_like_others(device, monkeypatch):
    monkeypatch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    kernel = cuda.jit(warned_kernel)
    assert isinstance(kernel, cuda.dispatcher.CUDADispatcher)
    assert type(kernel) is type(cuda.jit(increment))
    monkeypatch.setitem(globals(), "warned_kernel", kernel)
    assert pickle.loads(pickle.dumps(kernel)) is kernel


def warned_kernel(x):
    x[0] = 1


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
    [({}, []), ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": 0}, []), ({"NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": 1}, [13, 14])],
)
def test_the_variable_and_one_warning_for_a_line(variables, lines, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = python(path, PYTHONWARNINGS=None, **variables)
    assert done.returncode == 0, done.stderr
    seen = [line.split(":")[1] for line in done.stderr.splitlines() if "NumbaPerformanceWarning" in line]
    assert seen == list(map(str, lines))
