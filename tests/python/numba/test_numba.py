"""The Numba front end: arrays on the device, streams, events, devices; programs that were written for Numba."""

import os

import numpy as np
import pytest
import quern as qn
from devices import DEVICES
from programs import quern
from quern import cuda, numba

PROGRAMS = os.environ.get("QUERN_PROGRAMS")


@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


# ---- arrays on the device


def test_to_device_and_back(device):
    host = np.arange(12.0).reshape(3, 4)
    for given in (host, host.T, host[::2, ::-1], host.tolist(), 5, np.float32(2)):
        made = cuda.to_device(given)
        assert isinstance(made, cuda.DeviceNDArray)
        expected = np.asarray(given)
        back = made.copy_to_host()
        assert isinstance(back, np.ndarray) and back.dtype == expected.dtype and back.shape == expected.shape
        np.testing.assert_array_equal(back, expected)
    made = cuda.to_device(host)
    host[:] = 0
    assert made.copy_to_host()[2, 3] == 11
    assert cuda.to_device(np.asfortranarray(np.ones((3, 4)))).is_f_contiguous()
    assert cuda.to_device(made, copy=False) is made


def test_copy_to_host_into_an_array(device):
    made = cuda.to_device(np.arange(4))
    out = np.zeros(4, int)
    assert made.copy_to_host(out) is out and list(out) == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="incompatible dtype"):
        made.copy_to_host(np.zeros(4))
    with pytest.raises(ValueError, match="incompatible shape"):
        made.copy_to_host(np.zeros(5, int))


def test_copy_to_device(device):
    made = cuda.device_array((2, 3), np.int32)
    made.copy_to_device(np.arange(6, dtype=np.int32).reshape(2, 3))
    assert made.copy_to_host()[1, 2] == 5
    made.copy_to_device(cuda.to_device(np.ones((2, 3), np.int32)))
    assert (made.copy_to_host() == 1).all()
    assert cuda.to_device(np.full((2, 3), 7, np.int32), to=made) is made
    assert (made.copy_to_host() == 7).all()
    with pytest.raises(TypeError):
        made.copy_to_device(np.zeros((2, 3)))
    with pytest.raises(ValueError):
        made.copy_to_device(np.zeros((2, 4), np.int32))


def test_device_array(device):
    made = cuda.device_array((3, 4), np.float32, order="F")
    assert made.shape == (3, 4) and made.dtype == np.float32 and made.is_f_contiguous() and not made.is_c_contiguous()
    assert made.strides == (4, 12) and made.alloc_size == 48 and made.nbytes == 48 and made.size == 12 and made.ndim == 2
    assert cuda.device_array(5).dtype == np.float64
    like = cuda.device_array_like(made)
    assert like.shape == (3, 4) and like.is_f_contiguous() and isinstance(like, cuda.DeviceNDArray)
    assert cuda.device_array_like(np.zeros((2, 2), np.int8)).dtype == np.int8
    assert cuda.device_array((3, 4), np.float32, strides=(16, 4)).is_c_contiguous()
    with pytest.raises(NotImplementedError):
        cuda.device_array((3, 4), np.float32, strides=(32, 4))


def test_parts_share_memory(device):
    made = cuda.to_device(np.arange(12))
    part = made[2:8]
    assert isinstance(part, cuda.DeviceNDArray)
    increment[1, 32](part)
    expected = np.arange(12)
    expected[2:8] += 1
    np.testing.assert_array_equal(made.copy_to_host(), expected)
    table = made.reshape(3, 4)
    table[1] = 0
    table[2, 1:3] = np.array([50, 60])
    table[0, 0] = 9
    expected = expected.reshape(3, 4)
    expected[1], expected[2, 1:3], expected[0, 0] = 0, [50, 60], 9
    np.testing.assert_array_equal(made.copy_to_host(), expected.ravel())
    np.testing.assert_array_equal(table.T.copy_to_host(), expected.T)
    np.testing.assert_array_equal(table.ravel().copy_to_host(), expected.ravel())
    np.testing.assert_array_equal(table.transpose().copy_to_host(), expected.T)
    assert [p.copy_to_host().tolist() for p in made.split(5)] == [expected.ravel()[i : i + 5].tolist() for i in (0, 5, 10)]
    np.testing.assert_array_equal(made.view(np.int32).copy_to_host(), expected.ravel().view(np.int32))
    with pytest.raises(NotImplementedError):
        table.T[::2].ravel()
    with pytest.raises(ValueError):
        list(table.split(2))


def test_single_elements_are_numpy_scalars(device):
    made = cuda.to_device(np.arange(4, dtype=np.complex64).reshape(2, 2))
    assert type(made[1, 0]) is np.complex64 and made[1, 0] == 2
    assert len(made) == 2 and isinstance(made[0], cuda.DeviceNDArray)


def test_the_cuda_array_interface(device):
    made = cuda.to_device(np.arange(5.0))
    assert cuda.is_cuda_array(made) and not cuda.is_cuda_array(np.zeros(2)) and cuda.as_cuda_array(made) is made
    with pytest.raises(TypeError):
        cuda.as_cuda_array(np.zeros(3))
    if device.kind == "cpu":
        pytest.skip("the interface is of GPU memory")
    interface = made.__cuda_array_interface__
    assert interface["shape"] == (5,) and interface["typestr"] == "<f8"

    class Holder:
        __cuda_array_interface__ = interface

    for alias in (cuda.as_cuda_array(Holder()), cuda.from_cuda_array_interface(interface, owner=made)):
        assert isinstance(alias, cuda.DeviceNDArray)
        increment[1, 8](alias)
    increment[1, 8](Holder())
    cuda.synchronize()
    np.testing.assert_array_equal(made.copy_to_host(), np.arange(5.0) + 3)


def test_arrays_of_other_front_ends(device):
    from quern import cupy as cp

    x = cp.zeros(4)
    increment[1, 4](x)
    y = qn.zeros(4)
    increment[1, 4](y)
    assert x.get().all() and np.asarray(y).all()
    assert (cuda.as_cuda_array(y) + 1).copy_to_host()[0] == 2


# ---- streams, events, devices


def test_streams(device):
    stream = cuda.stream()
    x = cuda.to_device(np.zeros(100), stream=stream)
    for _ in range(10):
        increment[4, 32, stream](x)
    stream.synchronize()
    assert (x.copy_to_host(stream=stream) == 10).all()
    with stream.auto_synchronize():
        increment[4, 32, stream](x)
    assert (x.copy_to_host() == 11).all()
    for other in (cuda.default_stream(), cuda.legacy_default_stream(), cuda.per_thread_default_stream(), 0):
        increment[4, 32, other](x)
    assert (x.copy_to_host() == 15).all()


def test_callbacks(device):
    seen = []
    stream = cuda.stream()
    stream.add_callback(lambda s, status, arg: seen.append((s, status, arg)), "mine")
    stream.synchronize()
    assert seen == [(stream, 0, "mine")]


def test_events(device):
    start, end = cuda.event(), cuda.event(timing=True)
    x = cuda.to_device(np.zeros(1000))
    start.record()
    increment[8, 128](x)
    end.record()
    end.synchronize()
    assert end.query() and cuda.event_elapsed_time(start, end) >= 0 and start.elapsed_time(end) >= 0
    stream = cuda.stream()
    end.wait(stream)
    stream.synchronize()


def test_devices(device):
    assert cuda.is_available() and len(cuda.gpus) >= 1 and cuda.gpus.current.id == cuda.get_current_device().id
    first = cuda.gpus[0]
    assert isinstance(first.name, bytes) and len(first.compute_capability) == 2 and first in list(cuda.gpus.lst)
    assert "device 0" in repr(cuda.gpus) and first.uuid and first.supports_float16
    assert len(cuda.list_devices()) == len(cuda.gpus)
    with first:
        assert cuda.get_current_device() == first
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    with pytest.raises(ValueError, match="invalid device number 99"):
        cuda.select_device(99)
    assert first.MAX_THREADS_PER_BLOCK >= 1024 and first.MULTIPROCESSOR_COUNT >= 1 and first.WARP_SIZE == 32
    assert (first.MAX_SHARED_MEMORY_PER_BLOCK, first.MAX_GRID_DIM_X) == (49152, 2**31 - 1) and first.MAX_TEXTURE_2D_WIDTH >= 16384
    assert first.COMPUTE_CAPABILITY_MAJOR == first.compute_capability[0] and hasattr(first, "CLOCK_RATE")
    assert first.MAX_THREADS_PER_MULTI_PROCESSOR >= 1024 and not hasattr(first, "MAX_NOTHING")
    first.reset()
    cuda.close()


def test_detect(device, capsys):
    assert cuda.detect() is True
    assert capsys.readouterr().out.startswith("Found ")


def test_typeof():
    assert str(numba.typeof(np.zeros((2, 3), np.float32))) == "array(float32, 2d, C)"
    assert numba.typeof(3) == numba.int64 and numba.typeof(1.5) == numba.float64 and numba.typeof(True) == numba.boolean
    assert str(numba.typeof((1, 2.0))) == "Tuple(int64, float64)" and numba.typeof(None) == numba.none
    assert numba.typeof("text") == numba.types.unicode_type
    with pytest.raises(TypeError):
        numba.typeof(object())


def test_names_of_types():
    assert numba.f4 is numba.float32 and numba.intp is numba.int64 and numba.types.c8 is numba.complex64
    assert numba.types.double is numba.float64 and numba.b1 is numba.boolean


def test_unsupported_names_raise():
    with pytest.raises(AttributeError, match="quern does not support"):
        numba.stencil  # noqa: B018


# ---- programs


def test_ways_to_import(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numba.cuda\nfrom numba import cuda, njit, vectorize, guvectorize, float32, types\nimport numba as nb\n"
        "from numba.cuda import jit, to_device\nfrom numba.types import int64\n"
        "assert nb.cuda is cuda and numba.cuda.jit is jit and nb.types.int64 is int64\nprint(numba.__name__, cuda.__name__)\n"
    )
    done = quern("run", program)
    assert done.returncode == 0 and done.stdout.split() == ["quern.numba", "quern.cuda"], done.stderr


def test_another_package_may_lead_numba_cuda_elsewhere(tmp_path):
    """As numba-cuda does, by a finder that claims every name with "numba.cuda" in it."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n\nclass Finder:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if 'numba.cuda' in name:\n            raise RuntimeError('led astray: ' + name)\n\nsys.meta_path.insert(0, Finder())\n"
        "from numba import cuda\nimport numba.cuda\nprint(cuda.__name__)\n"
    )
    done = quern("run", program)
    assert done.returncode == 0 and done.stdout.strip() == "quern.cuda", done.stderr


@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", ["numba_add.py", "numba_add_shared.py"])
@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_programs_that_add(name, where):
    done = quern("run", os.path.join(PROGRAMS, name), QUERN_DEVICE=where)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[") and done.stdout.count(".") >= 6


@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize(
    "name, lines",
    [
        ("numba_vecadd_auto.py", ["gpu vector add time", "cpu vector add time", "result correct"]),
        ("numba_vecadd_device.py", ["gpu vector add time", "cpu vector add time", "result correct!"]),
        ("numba_gpus.py", ["<Managed Devices", "True"]),
        ("rk4_copies.py", ["old time:", "delta time:  (1+0j)", "delta time:  (26214", "delta time:  (1.361"]),
        ("rk4_device.py", ["old time:", "new time:", "delta time:  (1+0j)", "delta time:  (26214", "delta time:  (1.361"]),
    ],
)
@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_programs_print_what_they_should(name, lines, where):
    done = quern("run", os.path.join(PROGRAMS, name), QUERN_DEVICE=where)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    assert len(printed) == len(lines) and all(p.startswith(line) for p, line in zip(printed, lines, strict=True)), done.stdout


@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_print_keeps_its_place_in_a_pipe(where):
    done = quern("run", os.path.join(PROGRAMS, "numba_print.py"), QUERN_DEVICE=where)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "gpu print:" and lines[9] == "cpu print:" and len(lines) == 18
    assert sorted(lines[1:9]) == sorted(lines[10:]) == [str(i) for i in range(8)]


@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_a_wrong_program_gets_a_clear_error(where, tmp_path):
    path = os.path.join(PROGRAMS, "numba_add_shared_wrong.py")
    done = quern("run", path, QUERN_DEVICE=where)
    assert done.returncode == 1
    assert f"{path}:6: [add_arrays_shared] the name 'numba' is not defined; is `import numba` missing?" in done.stderr
    assert "shared_a = cuda.shared.array(shape=0, dtype=numba.float32)" in done.stderr
    fixed = tmp_path / "fixed.py"
    with open(path) as f:
        fixed.write_text("import numba\n" + f.read())
    done = quern("run", fixed, QUERN_DEVICE=where)
    assert done.returncode == 1 and f"dynamic shared memory ({fixed}:7) and is launched with 0 bytes" in done.stderr


def test_deallocations_of_a_context(device):
    """Nothing waits to be freed, whatever programs ask."""
    pending = cuda.current_context().deallocations
    assert len(pending) == 0 and pending is cuda.current_context().deallocations and pending.memory_capacity > 0
    with pending.disable():
        assert pending.is_disabled
        cuda.to_device(np.zeros(10))
    pending.clear()
    assert len(pending) == 0 and not pending.is_disabled
