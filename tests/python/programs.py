"""Running programs in processes of their own."""

import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def stand_in():
    """The tests' own driver, of the newest build that is no sanitizer's; None where there is none (ninja -C build/develop)."""
    found = glob.glob(os.path.join(ROOT, "build", "*", "tests", "engine", "libfake_cuda.so"))
    return max((path for path in found if f"{os.sep}sanitize-" not in path), key=os.path.getmtime, default=None)


def environment(**changes):
    env = dict(os.environ)
    package = os.environ.get("QUERN_PACKAGE") or os.path.join(ROOT, "python")
    if os.path.isdir(os.path.join(package, "quern", "lib")):
        env["PYTHONPATH"] = os.pathsep.join(p for p in (package, env.get("PYTHONPATH")) if p)
    env.update({k: str(v) for k, v in changes.items() if v is not None})
    for name, value in changes.items():
        if value is None:
            env.pop(name, None)
    return env


def python(*arguments, cwd=None, timeout=300, **changes):
    """Runs Python with these arguments and returns the finished process, its output as text."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=timeout, env=environment(**changes)
    )


def quern(*arguments, **named):
    """Runs the command line."""
    return python("-m", "quern", *arguments, **named)


def code(text, **named):
    """Runs a piece of Python."""
    return python("-c", text, **named)


def has_nvrtc():
    from quern.lib import _engine

    return any(library["name"] == "nvrtc" and library["path"] for library in _engine.nvidia_libraries())
