"""Functions of Python's that the command line wraps keep their names, texts, signatures and pickles, as packages read them."""

import os
import textwrap

import pytest
from programs import python, quern

NAMES = """
import builtins, copy, importlib, importlib.util, inspect, multiprocessing.process, multiprocessing.spawn, pickle, time, timeit

def signature(f):
    try:
        return str(inspect.signature(f))
    except ValueError:
        return "none"

wrapped = [getattr(time, name) for name in "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns".split()]
wrapped += [timeit.default_timer, builtins.__import__, importlib.import_module, importlib.util.find_spec]
wrapped += [multiprocessing.spawn.get_preparation_data, multiprocessing.process.BaseProcess._bootstrap]
for f in wrapped:
    print(f.__module__, f.__name__, f.__qualname__, signature(f), f.__doc__)
    print(pickle.loads(pickle.dumps(f)) is f, copy.deepcopy(f) is f, callable(f), eval(f"{f.__module__}.{f.__qualname__}") is f)
print(timeit.default_timer is time.perf_counter, timeit.timeit.__defaults__[2] is timeit.default_timer)
print(signature(timeit.timeit).replace(str(timeit.default_timer), "timer"), signature(timeit.repeat).count("timer="))
"""
# What pytest-benchmark does with the timer, in few lines.
BENCHMARK = """
import sys, timeit
import pytest

def name_of(target):
    return f"{target.__module__}.{target.__name__}"

def pytest_addoption(parser):
    parser.addoption("--timer", default=name_of(timeit.default_timer))

@pytest.fixture
def benchmark(request):
    module, _, name = request.config.getoption("--timer").rpartition(".")
    timer = getattr(sys.modules[module], name)
    def run(function):
        begin = timer()
        result = function()
        return result, timer() - begin
    return run
"""


@pytest.mark.parametrize("command", [("run",), ("profile",), ("check",), ("run", "--raw-clock")], ids=" ".join)
def test_names(tmp_path, command):
    path = tmp_path / "program.py"
    path.write_text(NAMES)
    plain, ours = python(path), quern(*command, path)
    assert plain.returncode == ours.returncode == 0, ours.stderr[-2000:]
    assert ours.stdout.splitlines() == plain.stdout.splitlines()


def test_a_plugin_that_finds_the_timer_by_its_name(tmp_path):
    package = tmp_path / "site-packages" / "pytest_benchmark"  # whose clocks measure the user's functions
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(BENCHMARK)
    (tmp_path / "test_speed.py").write_text(
        textwrap.dedent(
            """
            import quern as qn
            def test_speed(benchmark):
                result, seconds = benchmark(lambda: qn.arange(1000.0).sum())
                assert float(result) == 499500 and seconds > 0
            def test_work_is_waited_for(benchmark):
                x = qn.ones((400, 400))
                recorded, seconds = benchmark(lambda: x @ x @ x)
                assert not qn.is_pending(recorded) if hasattr(qn, "is_pending") else seconds > 0
            """
        )
    )
    done = quern(
        "run", "-m", "pytest", "-q", "-p", "pytest_benchmark", "-p", "no:cacheprovider", tmp_path / "test_speed.py",
        cwd=tmp_path, PYTHONPATH=os.pathsep.join((str(tmp_path / "site-packages"), os.environ.get("PYTHONPATH", ""))),
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert "2 passed" in done.stdout
