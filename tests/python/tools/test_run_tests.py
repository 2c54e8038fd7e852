"""`./quern test` and tools/run_tests.py: arguments, which are answered before anything is set up, and exit codes."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest
from _pytest.config import _prepareconfig
from setup_stubs import ROOT, RUN_TESTS, Clone

sys.path.insert(0, str(ROOT / "tools"))
import long_tests  # noqa: E402
import run_tests_arguments  # noqa: E402

ANSWERED = {
    "--help": (0, "usage: ./quern test"),
    "-h": (0, "-k TEXT"),
    "tests/python/test_a.py --help": (0, "5 no test was selected"),
    "--long --help": (0, "--minutes"),
    "--long --list": (0, "python -m pytest"),
    "--list --long --only aliases": (0, "views and aliases 1/2"),
    "--long --part 0/3": (2, "1 <= K <= N"),
    "--long --part 4/3": (2, "--part 4/3: K/N"),
    "--long --part x": (2, "for example 2/8"),
    "--long --part": (2, "--part: expected one argument"),
    "--long --only nonsense": (2, "no item of part 1/1 has a name that contains 'nonsense'; --list shows all names"),
    "--long --minutes -3": (2, "'-3' is not a number of minutes"),
    "--long --minutes nan": (2, "'nan' is not a number of minutes"),
    "--long --seed x": (2, "--seed: invalid int value: 'x'"),
    "--long --only LOOPS --list": (0, "loops of 10,000 iterations"),
    "--long --only erfc --list": (0, ": 1 part of less than an hour"),
    "--long --what": (2, "there is no option --what of the long tests\n"),
    "--long --lst": (2, "there is no option --lst of the long tests; did you mean --list?"),
    "--long --parts=2/3": (2, "there is no option --parts of the long tests; did you mean --part?"),
    "--long tests/python/test_a.py": (2, "tests/python/test_a.py is no argument of the long tests, which are chosen by --only TEXT"),
    "--long=2": (2, "--long takes no value"),
    "--part 1/3": (2, "./quern test --long --part"),
    "tests/python/test_missing.py": (2, "there is no file or folder tests/python/test_missing.py"),
    "tests/python/test_b.py": (2, "did you mean tests/python/test_a.py?"),
    "test_a.py::test_first": (2, "did you mean tests/python/test_a.py?"),
    "-xvs tests/cython": (2, "there is no file or folder tests/cython"),
    "tests ::test_first": (2, "there is no file or folder '' in"),
    "cupy": (2, "./quern test -k cupy"),
    "--maxfial 3": (2, "there is no option --maxfial; did you mean --maxfail?"),
    "--numproceses=3": (2, "did you mean --numprocesses?"),
    "-y": (2, "there is no option -y"),
    "-k": (2, "-k: expected one argument"),
    "-k one)": (2, "'one)' must be names with and, or, not and parentheses"),
    "-k one,two": (2, "'one,two' must be names"),
    "-knot": (2, "'not' must be names"),
    "--tb nice": (2, "--tb: invalid choice: 'nice'"),
    "-n many": (2, "'many' is not a number of processes"),
    "--maxfail=x": (2, "--maxfail: invalid int value: 'x'"),
}
PASSED_ON = ["-k x", "-k (a)or(not[b-1.5+2j:/])", "tests/python/test_a.py::test_first -xvs", "-n2 -rA --tb=short tests", "-p plugin --option-of-it", "--co -q", "-W error -m alone"]


@pytest.fixture
def clone(tmp_path):
    made = Clone(tmp_path)
    made.write(made.root / "tests/python/test_a.py", "")
    return made


@pytest.mark.parametrize("arguments", ANSWERED)
def test_arguments_that_run_no_test_are_answered_at_once(clone, arguments):
    status, expected = ANSWERED[arguments]
    process = clone.start("test", *arguments.split(), streams=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    assert process.returncode == status and expected in (err if status else out), out + err
    assert not (out if status else err) and len(err.splitlines()) in (0, 2) and "Traceback" not in err
    assert not clone.log() and not (clone.root / "build").exists()


@pytest.mark.parametrize("arguments", PASSED_ON)
def test_other_arguments_are_passed_on(clone, arguments):
    assert f"started {clone.root}/tools/run_tests.py {arguments}\n" in clone.quern("test", *arguments.split())


def test_the_options_are_those_of_pytest(monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # others have options of their own
    flags, values, numbers, optional, choices = set(), set(), {}, set(), {}
    parser = _prepareconfig(["--co", "-p", "xdist", "/dev/null"])._parser
    for option in (option for group in [parser._anonymous, *parser._groups] for option in group.options):
        attributes = option.attrs()
        for name in option.names():
            if attributes.get("nargs") == 0:
                flags.add(name)
            elif attributes.get("nargs") == "?":
                optional.add(name)
            elif attributes.get("choices"):
                choices[name] = " ".join(attributes["choices"])
            elif attributes.get("type") in (int, float):
                numbers[name] = attributes["type"]
            else:
                values.add(name)
    known = run_tests_arguments
    # Those of an older or newer pytest may be among them, too.
    assert flags - {"-h", "--help"} <= set(known.FLAGS) and values - {"-k", "-n", "--numprocesses"} <= set(known.VALUES)
    assert numbers.items() <= known.NUMBERS.items() and optional <= set(known.OPTIONAL) and choices.items() <= known.CHOICES.items()


# ---- the runs

TESTS = """\
import os, signal, sys, time
import pytest
def test_first(): pass
def test_two(): assert os.environ.get("WELL")
@pytest.mark.alone
def test_alone(): pass
@pytest.mark.skip
def test_left_out(): pass
@pytest.mark.skipif("SLOW" not in os.environ, reason="for one test")
def test_slow(): open("begun", "w"); time.sleep(20)
"""
RUNS = {
    "--ignore tests/engine": (1, "3 passed, 1 failed, 2 skipped"),
    "-k first": (0, "1 passed, 0 failed, 0 skipped"),
    "tests/python/test_a.py -k first": (0, "1 passed, 0 failed, 0 skipped"),
    "-k alone --junitxml own.xml": (0, "1 passed, 0 failed, 0 skipped"),
    "-k first_or_two_or_alone": (5, "no test was selected by: -k first_or_two_or_alone"),
    "tests/python/test_a.py -k nothing": (5, "no test was selected by: tests/python/test_a.py -k nothing"),
    "tests/python/test_a.py -k two": (1, "0 passed, 1 failed, 0 skipped"),
    "tests/python/test_a.py -k left_out": (1, "0 passed, 0 failed, 1 skipped"),
    "--co -k first": (0, "test_a.py::test_first"),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("tree")
    for file in RUN_TESTS:
        (root / file).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / file, root / file)
    shutil.copytree(ROOT / "tools/setup", root / "tools/setup", ignore=shutil.ignore_patterns("__pycache__"))
    Clone.write(root / "tests/python/test_a.py", TESTS)
    Clone.write(root / "tests/python/test_b.py", "def test_other(): pass\n")
    Clone.write(root / "pytest.ini", "[pytest]\nmarkers = alone\naddopts = -q -p no:cacheprovider\n")
    return root


def started(tree, *arguments):
    command = [sys.executable, str(tree / "tools/run_tests.py"), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tree, start_new_session=True)


@pytest.mark.parametrize("arguments", RUNS)
def test_runs(tree, arguments):
    status, expected = RUNS[arguments]
    process = started(tree, *arguments.split())
    text = process.communicate(timeout=100)[0]
    assert process.returncode == status and expected in text, text
    assert (text.splitlines()[-1] == expected) == ("--co" not in arguments)
    assert ("bringing up nodes" in text) == ("--ignore" in arguments)  # a few tests need none


@pytest.mark.parametrize("arguments", ["tests/python/test_a.py::test_none", "-p no_such_plugin"])
def test_what_only_pytest_can_refuse_is_said_once(tree, arguments):
    process = started(tree, *arguments.split())
    text = process.communicate(timeout=100)[0]
    assert process.returncode in (1, 4) and "passed," not in text, text
    assert sum(line.lower().startswith(("error", "importerror")) for line in text.splitlines()) == 1, text


def test_a_reader_that_ends_early(tree):
    command = f"{sys.executable} tools/run_tests.py tests/python/test_a.py -k first | head -1"
    quiet = {**os.environ, "PYTEST_ADDOPTS": "-p no:benchmark"}  # which warns where it is
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tree, timeout=100, env=quiet)
    assert len(done.stdout.splitlines()) == 1, done.stdout


def test_the_first_failure_ends_the_run(tree):
    process = started(tree, "-x", "-k", "two or alone")
    text = process.communicate(timeout=100)[0]
    assert process.returncode == 1 and text.splitlines()[-1] == "0 passed, 1 failed, 0 skipped", text


def wait_for(file):
    for _ in range(500):
        if file.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"{file} is not there after ten seconds")


def processes_that_write(file):
    """Return the processes whose standard output is this open pipe."""
    pipe, found = os.stat(f"/proc/self/fd/{file.fileno()}").st_ino, []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if process != str(os.getpid()) and os.stat(f"/proc/{process}/fd/1").st_ino == pipe:
                found.append(process)
    return found


def test_interrupting(tree, monkeypatch):
    monkeypatch.setenv("SLOW", "1")
    (tree / "begun").unlink(missing_ok=True)
    process = started(tree, "tests/python/test_a.py", "-k", "slow")
    wait_for(tree / "begun")
    os.killpg(process.pid, signal.SIGINT)
    text = process.communicate(timeout=15)[0]
    assert process.returncode == 130 and "KeyboardInterrupt" in text and "run_tests.py" not in text, text


def test_ending_ends_the_tests_too(tree, monkeypatch):
    monkeypatch.setenv("SLOW", "1")
    (tree / "begun").unlink(missing_ok=True)
    process = started(tree, "tests/python/test_a.py", "-k", "slow")
    wait_for(tree / "begun")
    process.terminate()
    assert process.wait(15) == 128 + signal.SIGTERM and not processes_that_write(process.stdout)
    process.communicate()


LONG_TEST = """\
import os, pathlib, time
def test_tiny():
    pathlib.Path("item", os.environ["QUERN_FIRST_SEED"]).write_text(str(os.getpid()))
    if os.path.exists("slow"): time.sleep(20)
"""


@pytest.mark.parametrize("number, to_all", [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, True)])
def test_interrupted_long_tests_end_and_go_on(tree, number, to_all):
    Clone.write(tree / "tests/python/arrays/test_array_alias.py", LONG_TEST)
    shutil.rmtree(tree / "item", ignore_errors=True)
    (tree / "item").mkdir()
    (tree / "slow").touch()
    arguments = ("--long", "--only", "aliases", "--seed", str(int(number)))
    process = started(tree, *arguments)
    wait_for(tree / "item" / str(int(number) + long_tests.SEEDS_APART * 20))
    (os.killpg if to_all else os.kill)(process.pid, number)
    text = process.communicate(timeout=15)[0]
    assert process.returncode == 128 + number and text.splitlines()[-1].startswith("interrupted; 0 items are finished"), text
    assert "FAILED" not in text and "Traceback" not in text
    pids = [one.read_text() for one in (tree / "item").iterdir()]  # empty where the signal came first
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids if pid)
    (tree / "slow").unlink()
    for again in (arguments, arguments[:3]):
        text = started(tree, *again).communicate(timeout=60)[0]
        assert f"base seed {int(number)}," in text and text.splitlines()[-1] == "2 passed, 0 failed, 0 skipped", text
    assert "begins" not in text and "2 items were finished by an earlier call" in text


def test_parts_of_the_long_tests_keep_each_others_items(tmp_path, monkeypatch):
    monkeypatch.setattr(long_tests, "STATE", str(tmp_path / "build" / "long-tests.json"))
    one, two = ({"sources": "a", "seed": 7, "finished": {}} for _ in range(2))
    for state, item in [(one, "x"), (two, "y"), (one, "z")]:
        state["finished"][item] = 1.0
        long_tests.save_state(state)
    assert set(long_tests.read_state()["finished"]) == {"x", "y", "z"}
    long_tests.save_state({"sources": "b", "seed": 7, "finished": {}})
    assert long_tests.read_state()["finished"] == {}
    for text in ("[]", '{"finished": 3}', "{"):
        pathlib.Path(long_tests.STATE).write_text(text)
        assert long_tests.read_state() == {}


@pytest.mark.parametrize("git", ["echo 'fatal: detected dubious ownership' >&2; exit 128", None])
def test_long_tests_are_listed_without_git(tmp_path, git):
    folder = tmp_path / "bin"
    folder.mkdir()
    if git:
        (folder / "git").write_text(f"#!/bin/sh\n{git}\n")
        (folder / "git").chmod(0o755)
    command = [sys.executable, os.path.join(ROOT, "tools", "run_tests.py"), "--long", "--list"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": f"{folder}:/bin" if git else str(folder)})
    assert done.returncode == 0 and not done.stderr and "arrays 1/20" in done.stdout
