"""Arrays of a GPU that is not the current one, and copies from one GPU to another.

Where there are not two GPUs, the tests' own driver and NVRTC stand in for them (tests/engine/fake_cuda): kernels compute, on the CPU, and
work runs as late as the order of streams and events allows, so that a wait that is missing gives wrong values.
"""

import json
import os

import pytest
import two_gpus
from places import TESTS
from programs import python, stand_in
from quern.lib import _engine

HAS_GPUS = _engine.cuda_count() >= 2


def told(wanted, **environment):
    """What the program says of these cases."""
    program = TESTS / "support" / "two_gpus.py"
    if not HAS_GPUS:
        driver = stand_in()
        if not driver:
            pytest.skip("no two GPUs, and the tests' own driver is not built (ninja -C build/develop)")
        toolkit = os.path.join(os.path.dirname(driver), "fake_toolkit")
        environment.update(QUERN_CUDA_DRIVER=driver, CUDA_HOME=toolkit, FAKE_CUDA_DEVICES=2, FAKE_CUDA_LATE=1)
    done = python(program, json.dumps(wanted), timeout=550, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def results():
    return told(two_gpus.names(HAS_GPUS))


@pytest.mark.parametrize("case", two_gpus.names(HAS_GPUS))
def test_two_gpus(results, case):
    assert not results[case], results[case]


def test_copies_where_no_gpu_sees_another_ones_memory():
    if HAS_GPUS:
        pytest.skip("the GPUs see each other's memory")
    wanted = [f.__name__ for f in two_gpus.COPIES]
    results = told(wanted, FAKE_CUDA_NO_PEERS=1)
    assert not any(results.values()), "\n".join(results.values())

