#!/usr/bin/env python3
"""The format of the sources: clang-format for C++, ruff for Python. `--fix` puts it right."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tool(name):
    """The tool of the environment that runs this, so that everybody formats with one version."""
    beside = pathlib.Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        sys.exit(f"{name} is not installed; run ./quern setup test")
    return found


def tracked(*suffixes):
    out = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [p for p in out.splitlines() if p.endswith(suffixes) and (ROOT / p).exists()]


def main():
    fix = "--fix" in sys.argv[1:]
    cpp = [p for p in tracked(".cpp", ".h")]
    bad = 0
    arguments = ["-i"] if fix else ["--dry-run", "--Werror"]
    done = subprocess.run([tool("clang-format"), *arguments, *cpp], cwd=ROOT)
    bad += done.returncode != 0
    done = subprocess.run([tool("ruff"), "check", *(["--fix"] if fix else []), "."], cwd=ROOT)
    bad += done.returncode != 0
    print(f"format: {len(cpp)} C++ files, {'something is wrong' if bad else 'all is well'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
