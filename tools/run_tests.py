#!/usr/bin/env python3
"""Run all tests on all cores: CTest for the engine, pytest for Python. Last line: `N passed, N failed, N skipped`.

    tools/run_tests.py                       everything; `./quern test` sets up first, then calls this
    tools/run_tests.py [pytest arguments]    pytest alone; in one process when the arguments name up to three files
    tools/run_tests.py --long [--part K/N]   the long tests of tools/long_tests.py

pytest runs on as many workers as there are cores. Tests marked `alone` (they need all cores, measure time or memory, or write into the
clone) run after the others, in one process. All processes share one folder of compiled kernels. The run fails when nothing ran.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORES = len(os.sched_getaffinity(0))
GIGABYTES_A_WORKER = 2
FEW_FILES = 3  # workers take seconds to start and to import everything
ONE_PROCESS = ("-s", "--pdb", "--trace", "--capture", "-n", "--numprocesses", "--collect-only", "--co", "--fixtures", "-h", "--help")


def stream(command, **named):
    """Run a command, show what it prints, and return (exit status, output)."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **named)
    text = []
    for line in process.stdout:
        print(line, end="", flush=True)
        text.append(line)
    return process.wait(), "".join(text)


def engine():
    """Run CTest and return the numbers of passed, failed and skipped tests."""
    folder = os.path.join(ROOT, "build", "develop")
    status, text = stream(["ctest", "--test-dir", folder, "-j", str(CORES), "--output-on-failure", "--no-tests=error"])
    found = re.search(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)", text)
    if not found:
        return 0, 1, 0
    failed, total = int(found[2]), int(found[3])
    skipped = len(re.findall(r"\*\*\*Skipped", text))
    return total - failed - skipped, max(failed, 1 if status and not failed else 0), skipped


def workers():
    """Return how many processes run tests: as many as cores, where the memory is enough."""
    gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    return max(1, min(CORES, gigabytes // GIGABYTES_A_WORKER))


def pytest(arguments, empty_is_right=False, **environment):
    """Run pytest and return the numbers of passed, failed and skipped tests."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments]
        status = subprocess.run(command, cwd=ROOT, env={**environment, **os.environ}).returncode  # it keeps the terminal, for --pdb
        if status == 5 and empty_is_right:
            return 0, 0, 0
        try:
            suite = ElementTree.parse(report).getroot().find("testsuite").attrib
        except (OSError, ElementTree.ParseError):
            return 0, 1, 0
    total, failed, skipped = (sum(int(suite[k]) for k in keys) for keys in (["tests"], ["failures", "errors"], ["skipped"]))
    return total - failed - skipped, max(failed, 1 if status else 0), skipped


def in_one_process(arguments):
    """Whether these arguments of pytest ask for few tests, or for what workers cannot do."""
    if any(word.split("=")[0] in ONE_PROCESS or re.match(r"-n\d", word) for word in arguments):
        return True
    named = [word.split("::")[0] for word in arguments if not word.startswith("-")]
    files = {path for path in named if path.endswith(".py") and os.path.exists(os.path.join(ROOT, path))}
    folders = [path for path in named if os.path.isdir(os.path.join(ROOT, path))]
    return 0 < len(files) <= FEW_FILES and not folders


def python(arguments):
    """Run pytest on all cores, then the tests that must be alone."""
    if workers() == 1 or (arguments and in_one_process(arguments)):
        return [pytest(arguments)]
    spread = ["-n", str(workers()), "--dist", "worksteal", *arguments]
    # Threads of OpenBLAS spin while they wait, which doubles the time of linear algebra where each core has a worker.
    one_thread = {"OPENBLAS_NUM_THREADS": "1"}
    if any(re.match(r"-m\b|--markexpr", word) for word in arguments):
        return [pytest(spread, **one_thread)]
    return [
        pytest([*spread, "-m", "not alone"], empty_is_right=True, **one_thread),
        pytest(["-m", "alone", *arguments], empty_is_right=True),
    ]


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--long"]:
        import long_tests

        return long_tests.main(arguments[1:])
    with tempfile.TemporaryDirectory(prefix="quern-tests-") as folder:
        os.environ.setdefault("QUERN_CACHE_DIR", folder)
        parts, begin = [], time.monotonic()
        if not arguments:
            parts.append(engine())
            print(f"C++ tests: {time.monotonic() - begin:.0f} s", flush=True)
        parts += python(arguments)
    passed, failed, skipped = (sum(part[i] for part in parts) for i in range(3))
    if passed + failed == 0:
        print("no test ran")
        failed = 1
    print(f"{time.monotonic() - begin:.0f} s on {CORES} cores")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
