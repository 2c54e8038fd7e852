"""Every test runs on every device present: ask for the fixture `device`."""

import os
import random
import signal
import sys
import textwrap
import warnings
import zlib

# What a shell's background or nohup ignores, programs that tests interrupt would ignore, too.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)
for name in ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY"):  # tests launch small grids, on arrays of the host
    os.environ.setdefault("NUMBA_" + name, "0")
os.environ.pop("QUERN_COMMAND", None)  # ./quern test sets it; messages are expected without
# What tests share is imported by its own name. pytest put this folder on the path, whose folders would pass for packages there: torch.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [os.path.join(HERE, "support"), *(path for path in sys.path if path != HERE)]
from places import PACKAGE  # noqa: E402

if os.path.isdir(os.path.join(PACKAGE, "quern", "lib")):
    sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import quern as qn  # noqa: E402
from devices import DEVICES  # noqa: E402
from hypothesis import settings  # noqa: E402
from quern.device import set_current_device  # noqa: E402
from quern.lib import _engine  # noqa: E402

# The same examples in every run, but in long tests, which have seeds of their own.
settings.register_profile("fixed", derandomize="QUERN_FIRST_SEED" not in os.environ, database=None)
settings.load_profile("fixed")


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory):
    """Nothing that a test compiles goes to the user's own cache; programs that tests start share the session's."""
    if "QUERN_CACHE_DIR" not in os.environ:
        os.environ["QUERN_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session", autouse=True)
def exact_convolutions():
    """Convolutions on a GPU have the precision of float32, not of TF32: they are compared with those on a CPU."""
    _engine.set_cudnn_settings({**_engine.cudnn_settings(), "allow_tf32": False})


@pytest.fixture(autouse=True)
def seeded(request):
    """Random numbers without a seed are the same in every run, others in every test: a bound that they pass stays passed."""
    path, _, test = request.node.nodeid.partition("::")
    number = zlib.crc32(f"tests/python/{os.path.basename(path)}::{test}".encode())
    random.seed(number)
    np.random.seed(number)
    qn.random.seed(number)
    for name, seed in (("quern.cupy.random", "seed"), ("quern.torch.random", "manual_seed")):
        if name in sys.modules:
            getattr(sys.modules[name], seed)(number)


@pytest.fixture(params=DEVICES)
def device(request):
    """The current device of this test, as the engine's object."""
    import quern

    chosen = quern.device(request.param)
    set_current_device(chosen)
    yield chosen
    try:
        chosen.synchronize()
    except quern.Error:
        pass  # the test has seen to its own failures
    set_current_device(None)


@pytest.fixture
def on_the_cpu():
    """The CPU is the current device, as it is under `quern check`."""
    before = _engine.current_device()
    _engine.set_current_device(_engine.cpu())
    yield
    _engine.set_current_device(before)


@pytest.fixture
def quiet():
    """What runs through NumPy, and what is infinite or no number, does not warn."""
    before = qn.set_fallback("silent")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
    qn.set_fallback(before)


@pytest.fixture
def no_fallback():
    """What NumPy or Python would run is an error."""
    before = qn.set_fallback("error")
    yield
    qn.set_fallback(before)


@pytest.fixture
def silent_fallback():
    """What NumPy or Python would run does not warn."""
    before = qn.set_fallback("silent")
    yield
    qn.set_fallback(before)


@pytest.fixture(params=["tiny", "compiled"])
def tier(request):
    """Both ways to run small work; a GPU has only the second."""
    if request.param == "compiled":
        _engine.set_tier0_limit(0)
    yield request.param
    _engine.set_tier0_limit(_engine.tier0_limit)


@pytest.fixture
def compiled():
    """Small work is compiled, too."""
    _engine.set_tier0_limit(0)
    yield
    _engine.set_tier0_limit(_engine.tier0_limit)


@pytest.fixture
def fused():
    """Groups wait for their own kernels: what is launched and compiled does not depend on how far the compiler is."""
    before = _engine.set_tiered(False)
    yield
    _engine.set_tiered(before)


@pytest.fixture
def program(tmp_path):
    """Writes a program and gives its path."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return write


@pytest.fixture
def no_allocator():
    """As where no program has set an allocator, which CuPy's front end asks for every result from then on."""
    from quern.cupy._array import ndarray
    from quern.cupy.cuda import memory

    _engine.set_placer(ndarray, None)
    yield
    for wants in memory._of_own if memory._own else ():
        wants()
