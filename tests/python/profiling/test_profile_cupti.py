"""`quern profile`: GPU times by CUPTI's activity records, those of other libraries' work too.

Without a GPU the tests' own driver, NVRTC and CUPTI stand in (tests/engine/device/fake_cuda): there each piece of work takes a microsecond
by a clock of its own. On a machine with a GPU and libcupti `-k real` tests the real ones.
"""

import os

import pytest
from profiles import figures, line
from programs import quern, stand_in
from quern.lib import _engine

PROGRAM = """\
import ctypes, os
import numpy as np
import cupy as cp
x = cp.asarray(np.arange(100_000.0))
for i in range(5):
    y = cp.sin(x) * 2
    total = float(y.sum())
driver = ctypes.PyDLL(os.environ["QUERN_CUDA_DRIVER"])
for i in range(3):
    assert driver.cuMemsetD8Async(ctypes.c_uint64(x.data.ptr), 0, ctypes.c_size_t(64), None) == 0
print(total > 0)
"""
COPY_IN, SINE, LOOK, OTHERS = 4, 6, 7, 10


@pytest.fixture
def stood_in():
    """The environment with the stand-ins."""
    driver = stand_in()
    cupti = driver and os.path.join(os.path.dirname(driver), "libfake_cupti.so")
    if not driver or not os.path.exists(cupti):
        pytest.skip("the tests' own driver and CUPTI are not built (ninja -C build/develop)")
    toolkit = os.path.join(os.path.dirname(driver), "fake_toolkit")
    return {"QUERN_CUDA_DRIVER": driver, "CUDA_HOME": toolkit, "FAKE_CUDA_DEVICES": 1, "QUERN_CUPTI": cupti, "device": "cuda:0"}


def test_times_are_cuptis(program, stood_in):
    found = figures(program(PROGRAM), **stood_in)
    assert found["timing"] == "GPU times by CUPTI, work of other libraries with them"
    sine, look, into = (line(found, n) for n in (SINE, LOOK, COPY_IN))
    launches = sum(work["calls"] for work in found["work"] if not work["name"].startswith("[CUDA"))
    assert launches >= 5
    for work in found["work"]:
        assert work["seconds"] == pytest.approx(work["calls"] * 1e-6, rel=0.3), work
    assert sine["device_seconds"] > 0 and look["copies"] == {"device_to_host": 5}
    assert into["device_seconds"] == pytest.approx(1e-6, rel=0.3) and into["copied_bytes"] == {"host_to_device": 800_000}


def test_work_of_others_is_seen_at_its_line(program, stood_in):
    found = figures(program(PROGRAM), **stood_in)
    fills = next(work for work in found["work"] if work["name"] == "[CUDA memset]")
    assert fills["calls"] >= 3
    assert line(found, OTHERS)["device_seconds"] == pytest.approx(3e-6, rel=0.3)


def test_work_of_others_without_pythons_lock_is_reported_where_the_program_was(program, stood_in):
    found = figures(
        program("""\
        import ctypes, os, time
        import cupy as cp
        x = cp.zeros(1000)
        cp.cuda.Device().synchronize()
        driver = ctypes.CDLL(os.environ["QUERN_CUDA_DRIVER"])
        def work(seconds):
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                driver.cuMemsetD8Async(ctypes.c_uint64(x.data.ptr), 0, ctypes.c_size_t(64), None)
        work(0.2)
        """),
        **stood_in,
    )
    inside = [one for one in found["lines"] if one["line"] in (8, 9)]
    assert sum(one["device_seconds"] for one in inside) > 0.8 * found["total"]["device_seconds"], found["lines"]


def test_the_timeline_has_them_in_order(program, stood_in):
    stood_in["QUERN_DEVICE"] = stood_in.pop("device")
    done = quern("profile", "--print-gpu-trace", program(PROGRAM), **stood_in)
    assert done.returncode == 0, done.stderr
    rows = [row for row in done.stderr.splitlines()[1:] if "cuda" in row or "[CUDA" in row or "sin" in row]
    assert sum("[CUDA memset]" in row for row in rows) >= 3 and sum("[CUDA memcpy DtoH]" in row for row in rows) == 5
    assert any("sin" in row and "(program.py:" in row for row in rows), rows


@pytest.mark.parametrize(
    "setting, why",
    [({"FAKE_CUPTI_HELD": 1}, "another tool holds CUPTI (a profiler or a debugger of NVIDIA's, torch.profiler)"),
     ({"FAKE_CUPTI_REFUSES": 1}, "CUPTI refuses: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
     ({"QUERN_CUPTI": "/none/libcupti.so"}, "/none/libcupti.so does not load: "),
     ({"QUERN_CUPTI": None}, "CUPTI is not installed (pip install nvidia-cuda-cupti")],
)  # fmt: skip
def test_without_it_events_time(program, stood_in, setting, why):
    found = figures(program(PROGRAM), **{**stood_in, **setting})
    assert found["timing"].startswith("GPU times by events, without work of other libraries: " + why), found["timing"]
    assert line(found, SINE)["device_seconds"] > 0 and not any(one["line"] == OTHERS for one in found["lines"])


def test_one_profile_after_another(program, stood_in):
    stood_in["QUERN_DEVICE"] = stood_in.pop("device")
    path = program("""\
        import numpy as np, quern as qn
        x = qn.asarray(np.ones(100_000))
        for i in range(3):
            with qn.profile() as p:
                float((x + i).sum())
            launches = p.recording.of_kind("launch")
            print(p.recording.timing, sorted(set(launches["device_ns"].tolist()))[0] > 0, p.total.copies["device_to_host"])
        with qn.trace() as events:  # a plain trace times by events
            float((x + 1).sum())
        print(any(event["kind"] == "launch" for event in events))
        """)
    done = quern("run", path, **stood_in)
    assert done.stdout == "CUPTI True 1\n" * 3 + "True\n", done.stdout + done.stderr


def test_the_cpu_alone_asks_for_no_cupti(program):
    found = figures(program("import quern as qn\nprint(float((qn.ones(5000) + 1).sum()))\n"), QUERN_CUPTI="/none/libcupti.so")
    assert found["timing"] == ""


def real(found):
    """Skips where the true libcupti is not there."""
    if not found["timing"].startswith("GPU times by CUPTI"):
        pytest.skip(found["timing"])
    return found


REAL = pytest.mark.skipif(_engine.cuda_count() == 0, reason="no GPU")


@REAL
def test_real_times(program):
    """By CUPTI and by events the same kernels take about as long."""
    path = program("""\
        import numpy as np
        import cupy as cp
        x = cp.asarray(np.random.rand(20_000_000))
        for i in range(20):
            y = cp.sin(x) * 2 + x
            seen = float(y.sum())
        """)
    by_cupti, by_events = real(figures(path, device="cuda:0")), figures(path, device="cuda:0", QUERN_CUPTI="/none")
    assert by_events["timing"].startswith("GPU times by events")
    for number in (5, 6):
        assert line(by_cupti, number)["launches"] == line(by_events, number)["launches"]
    works = [{one["name"]: one for one in found["work"] if one["calls"] == 20} for found in (by_cupti, by_events)]
    assert len(works[0]) >= 2 and works[0].keys() == works[1].keys(), works
    for a, b in zip(*(list(map(work.get, sorted(works[0]))) for work in works), strict=True):
        # The shortest of 20: events count what comes between, where the host is late with the next one.
        assert 0.3 < (a["least"] + 1e-5) / (b["least"] + 1e-5) < 1.5, (a, b)


@REAL
def test_real_work_of_others(program):
    found = real(
        figures(
            program("""\
        import ctypes
        import cupy as cp
        x = cp.zeros(1 << 24, dtype="int8")
        cp.cuda.Device().synchronize()
        driver = ctypes.PyDLL("libcuda.so.1")
        for i in range(3):
            assert driver.cuMemsetD8Async(ctypes.c_uint64(x.data.ptr), 0, ctypes.c_size_t(1 << 24), None) == 0
        cp.cuda.Device().synchronize()
        """),
            device="cuda:0",
        )
    )
    assert line(found, 7)["device_seconds"] > 1e-6
