#!/usr/bin/env python3
"""All tests: CTest for the engine, pytest for Python. Last line: `N passed, N failed, N skipped`; fails when nothing ran.

Called by `./quern test [pytest arguments]`; with arguments only pytest runs.
"""

import os
import re
import subprocess
import sys

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
    status, text = stream(["ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error"])
    found = re.search(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)", text)
    if not found:
        return 0, 1, 0
    failed, total = int(found[2]), int(found[3])
    skipped = len(re.findall(r"\*\*\*Skipped", text))
    return total - failed - skipped, max(failed, 1 if status and not failed else 0), skipped


def python(arguments):
    status, text = stream([sys.executable, "-m", "pytest", *arguments], cwd=ROOT)
    summary = text.strip().splitlines()[-1] if text.strip() else ""
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)", summary)}
    failed = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    if status not in (0, 1) and not failed:
        failed = 1
    return counts.get("passed", 0), failed, counts.get("skipped", 0)


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
