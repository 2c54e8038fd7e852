"""Running programs in processes of their own."""

import glob
import json
import os
import subprocess
import sys

from places import PACKAGE, ROOT


def stand_in():
    """The tests' own driver, of the newest build that is no sanitizer's; None where there is none (ninja -C build/develop)."""
    found = glob.glob(os.path.join(ROOT, "build", "*", "tests", "engine", "libfake_cuda.so"))
    return max((path for path in found if f"{os.sep}sanitize-" not in path), key=os.path.getmtime, default=None)


def environment(**changes):
    env = dict(os.environ)
    if os.path.isdir(os.path.join(PACKAGE, "quern", "lib")):
        env["PYTHONPATH"] = os.pathsep.join(p for p in (PACKAGE, env.get("PYTHONPATH")) if p)
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


TOGETHER = """
import contextlib, io, json, sys, traceback
out = []
for path in sys.argv[1:]:
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(open(path).read(), path, "exec"), {"__name__": "__main__", "__file__": path})
        except BaseException:
            error = traceback.format_exc()
    out.append((printed.getvalue(), error))
print(json.dumps(out))
"""


_together = {}


def together(texts, folder, **named):
    """Runs programs in one process of `quern run`, one after the other, once in this process: name -> (output, traceback or "").

    Parameters: ``texts``: name -> source; ``folder``: where their files are written.
    """
    key = (tuple(texts.items()), tuple(named.items()))
    if key not in _together:
        _together[key] = _run_together(texts, folder, **named)
    return _together[key]


def _run_together(texts, folder, **named):
    paths = []
    for k, text in enumerate(texts.values()):
        paths.append(os.path.join(folder, f"program_{k}.py"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    driver = os.path.join(folder, "together.py")
    with open(driver, "w", encoding="utf-8") as file:
        file.write(TOGETHER)
    done = quern("run", driver, *paths, cwd=folder, **named)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(zip(texts, json.loads(done.stdout.splitlines()[-1]), strict=True))


def code(text, **named):
    """Runs a piece of Python."""
    return python("-c", text, **named)


def has_nvrtc():
    from quern.lib import _engine

    return any(library["name"] == "nvrtc" and library["path"] for library in _engine.nvidia_libraries())
