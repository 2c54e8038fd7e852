#!/usr/bin/env python3
"""All tests: CTest for the engine, pytest for Python. Last line: `N passed, N failed, N skipped`; fails when nothing ran.

Called by `./quern test [pytest arguments]`; with arguments only pytest runs.
"""

import os
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def stream(command, **named):
    """Runs a command, shows what it prints, and returns (exit status, text)."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **named)
    text = []
    for line in process.stdout:
        print(line, end="", flush=True)
        text.append(line)
    return process.wait(), "".join(text)


def engine():
    folder = os.path.join(ROOT, "build", "develop")
    status, text = stream(["ctest", "--test-dir", folder, "-j", str(os.cpu_count() or 1), "--output-on-failure", "--no-tests=error"])
    found = re.search(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)", text)
    if not found:
        return 0, 1, 0
    failed, total = int(found[2]), int(found[3])
    skipped = len(re.findall(r"\*\*\*Skipped", text))
    return total - failed - skipped, max(failed, 1 if status and not failed else 0), skipped


def python(arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        status, _ = stream([sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments], cwd=ROOT)
        try:
            suite = ElementTree.parse(report).getroot().find("testsuite").attrib
        except (OSError, ElementTree.ParseError):
            return 0, 1, 0
    total, failed, skipped = (sum(int(suite[k]) for k in keys) for keys in (["tests"], ["failures", "errors"], ["skipped"]))
    return total - failed - skipped, max(failed, 1 if status else 0), skipped


def main():
    arguments = sys.argv[1:]
    results = [python(arguments)] if arguments else [engine(), python([])]
    passed, failed, skipped = (sum(r[i] for r in results) for i in range(3))
    if passed + failed == 0:
        print("no test ran")
        failed = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
