#!/usr/bin/env python3
"""Run all tests on all cores: CTest for the engine, pytest for Python. Last line: `N passed, N failed, N skipped`.

    tools/run_tests.py                       everything; `./quern test` sets up first, then calls this
    tools/run_tests.py [pytest arguments]    pytest alone; in one process when the arguments name up to three files
    tools/run_tests.py --long [--part K/N]   the long tests of tools/long_tests.py

pytest runs on as many workers as there are cores. Tests marked `alone` (they need all cores, measure time or memory, or write into the
clone) run after the others, in one process. All processes share one folder of compiled kernels. The run fails when nothing ran. Wrong
arguments are answered before anything starts (run_tests_arguments.py).
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple
from xml.etree import ElementTree

import run_tests_arguments

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORES = len(os.sched_getaffinity(0))
GIGABYTES_A_WORKER = 2
FEW_FILES, FEW_TESTS = 3, 50  # workers take seconds to start and to import everything
ONE_PROCESS = ("-s", "--pdb", "--trace", "--capture", "-n", "--numprocesses", "--junitxml", "--junit-xml", *run_tests_arguments.SHOWS)
# Exit codes of pytest.
PASSED, FAILED, INTERRUPTED, INTERNAL_ERROR, USAGE_ERROR, NOTHING_SELECTED = range(6)


class Result(NamedTuple):
    """What ended: numbers of tests, the exit code of pytest or CTest, and whether it came as far as running tests."""

    passed: int
    failed: int
    skipped: int
    status: int
    began: bool = True


@contextlib.contextmanager
def child(command, **named):
    """Start a process, which SIGTERM ends when it ends this one."""
    process = subprocess.Popen(command, **named)
    try:
        yield process
    except SystemExit:
        process.terminate()
        process.wait()
        raise


def stream(command, **named):
    """Run a command, show what it prints, and return (exit status, output)."""
    text = []
    with child(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **named) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            text.append(line)
        return process.wait(), "".join(text)


def engine():
    """Run CTest and return its Result."""
    folder = os.path.join(ROOT, "build", "develop")
    status, text = stream(["ctest", "--test-dir", folder, "-j", str(CORES), "--output-on-failure", "--no-tests=error"])
    found = re.search(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)", text)
    if not found:
        return Result(0, 1, 0, FAILED)
    failed, total = int(found[2]), int(found[3])
    skipped = len(re.findall(r"\*\*\*Skipped", text))
    return Result(total - failed - skipped, failed or int(status != 0), skipped, FAILED if status else PASSED)


def workers():
    """Return how many processes run tests: as many as cores, where the memory is enough."""
    gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    return max(1, min(CORES, gigabytes // GIGABYTES_A_WORKER))


def pytest(arguments, **environment):
    """Run pytest and return its Result, with no numbers where it did not begin."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        named = run_tests_arguments.parser().parse_known_args(arguments)[0]
        own = named.junitxml or named.junit_xml
        command = [sys.executable, "-m", "pytest", *([] if own else [f"--junitxml={report}"]), *arguments]
        with child(command, cwd=ROOT, env={**environment, **os.environ}) as process:  # it keeps the terminal, for --pdb
            status = wait(process)
        try:
            suite = ElementTree.parse(os.path.join(ROOT, own) if own else report).getroot().find("testsuite").attrib
        except (OSError, ElementTree.ParseError):
            return Result(0, 0, 0, status or FAILED, began=False)
    total, failed, skipped = (sum(int(suite[k]) for k in keys) for keys in (["tests"], ["failures", "errors"], ["skipped"]))
    outside = int(status in (FAILED, INTERRUPTED, INTERNAL_ERROR))  # a failure outside of all tests has no number
    return Result(total - failed - skipped, max(failed, outside), skipped, status, status not in (INTERNAL_ERROR, USAGE_ERROR))


def count(arguments):
    """Return how many tests arguments select, or pytest's Result where there is none; one process finds out faster than workers."""
    print("collecting tests", flush=True)
    command = [sys.executable, "-m", "pytest", "--collect-only", *arguments, "--verbosity=0"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.findall(r"(\d+)(?:/\d+)? tests? collected", done.stdout)
    if done.returncode == PASSED and found:
        return int(found[-1])
    if done.returncode != NOTHING_SELECTED:
        print(done.stdout, end="")
    return Result(0, 0, 0, done.returncode or FAILED, began=done.returncode == NOTHING_SELECTED)


def wait(process):
    """Return a process's exit code. Ctrl-C reaches the process, too, which ends by itself and prints what it has found."""
    interrupted = False
    while True:
        try:
            status = process.wait()
            break
        except KeyboardInterrupt:
            interrupted = True
    if interrupted and status == INTERRUPTED:
        raise KeyboardInterrupt
    return status


def in_one_process(arguments):
    """Whether these arguments of pytest ask for few tests, or for what workers cannot do."""
    if any(word.split("=")[0] in ONE_PROCESS or re.match(r"-n\d", word) for word in arguments):
        return True
    named = [word.split("::")[0] for word in run_tests_arguments.names(arguments)]
    files = {path for path in named if path.endswith(".py") and os.path.exists(os.path.join(ROOT, path))}
    folders = [path for path in named if os.path.isdir(os.path.join(ROOT, path))]
    return 0 < len(files) <= FEW_FILES and not folders


def python(arguments):
    """Run pytest on all cores, then the tests that must be alone."""
    if workers() == 1 or (arguments and in_one_process(arguments)):
        return [pytest(arguments)]
    options = run_tests_arguments.parser().parse_known_args(arguments)[0]
    if options.k:
        selected = count(arguments)
        if isinstance(selected, Result):
            return [selected]
        if selected <= FEW_TESTS:
            return [pytest(arguments)]
    spread = ["-n", str(workers()), "--dist", "worksteal", *arguments]
    # Threads of OpenBLAS spin while they wait, which doubles the time of linear algebra where each core has a worker.
    one_thread = {"OPENBLAS_NUM_THREADS": "1"}
    if any(re.match(r"-m\b|--markexpr", word) for word in arguments):
        return [pytest(spread, **one_thread)]
    first = pytest([*spread, "-m", "not alone"], **one_thread)
    if not first.began or (first.failed and (options.x or options.exitfirst or options.maxfail)):
        return [first]
    return [first, pytest(["-m", "alone", *arguments])]


def main():
    arguments = sys.argv[1:]
    answered = run_tests_arguments.answer(ROOT, arguments)
    if answered is not None:
        return answered
    if "--long" in arguments:
        import long_tests

        return long_tests.main([word for word in arguments if word != "--long"])
    with tempfile.TemporaryDirectory(prefix="quern-tests-") as folder:
        os.environ.setdefault("QUERN_CACHE_DIR", folder)
        parts, begin = [], time.monotonic()
        if not arguments:
            parts.append(engine())
            print(f"C++ tests: {time.monotonic() - begin:.0f} s", flush=True)
        parts += python(arguments)
    return verdict(arguments, parts, time.monotonic() - begin)


def verdict(arguments, parts, seconds):
    """Print the numbers of tests and return the exit code: pytest's where it ran no test."""
    for part in parts:
        if not part.began or set(arguments) & set(run_tests_arguments.SHOWS):
            return part.status
    passed, failed, skipped = (sum(part[i] for part in parts) for i in range(3))
    if passed + failed + skipped == 0:
        print(f"no test was selected by: {' '.join(arguments)}")
        return NOTHING_SELECTED
    if passed + failed == 0:
        print("no test ran: all were skipped; -rs shows why")
    print(f"{seconds:.0f} s on {CORES} cores")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return FAILED if failed or not passed else PASSED


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        status = main()
        sys.stdout.flush()
        sys.exit(status)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader has ended, as in ./quern test | head -1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
