"""The rules: each checks a Machine and returns a Finding, or None where nothing is wrong. find() asks all of them.

Those of GPUs and NVIDIA's libraries are in rules_cuda.py, those of environment variables in rules_environment.py.
"""

from __future__ import annotations

import os
import re
import shlex
import sys

from quern_doctor import commands, rules_cuda, rules_environment
from quern_doctor.findings import BROKEN, EXIT_CODES, LIMIT, NOTE, Finding, Step, pip_install

OLDEST_PYTHON = (3, 10)
OLDEST_NUMPY = (1, 26)
LEAST_FREE = 64 << 20  # bytes for compiled code
REINSTALL = Step(
    "install quern's wheel again: pip install --force-reinstall --no-deps quern-*.whl; in a clone: rm -r build && ./quern setup"
)


def numbers(version):
    """The leading numbers of a version: (2, 4, 6) of "2.4.6rc1"."""
    return tuple(int(n) for n in re.findall(r"\d+", re.split(r"[a-zA-Z+]", version, maxsplit=1)[0]))


def _too_old(name, version, oldest, step):
    if numbers(version) >= oldest:
        return None
    needed = f"quern needs {name} {'.'.join(map(str, oldest))} or newer"
    return Finding(f"{name.lower()}_too_old", BROKEN, f"{name} {version} is too old: {needed}", steps=[step])


def python_too_old(m):
    newer = Step("make an environment of a newer Python: python3.12 -m venv quern-env, and install quern there")
    return _too_old("Python", ".".join(map(str, m.python)), OLDEST_PYTHON, newer)


def free_threaded_python(m):
    if not m.free_threaded:
        return None
    if m.engine.get("problem"):
        return Finding(
            "free_threaded_python",
            BROKEN,
            "this Python is free-threaded (built without the global interpreter lock), and quern has no build for it",
            steps=[Step("use the ordinary build of the same Python version: python3.13 in place of python3.13t")],
        )
    if m.engine.get("gil", True):
        return Finding(
            "free_threaded_python",
            LIMIT,
            "this Python is free-threaded; importing quern turns its global interpreter lock on",
            "programs run as on an ordinary Python: Python code of several threads does not run at once",
        )
    return None


def clone_not_built(m):
    if not m.unbuilt_clone:
        return None
    if m.is_building:
        return Finding(
            "clone_not_built",
            BROKEN,
            f"the clone {m.unbuilt_clone} is being built",
            "a set-up of it runs now; programs run when it has ended",
            [Step("wait until it ends, then run quern doctor again")],
        )
    return Finding(
        "clone_not_built",
        BROKEN,
        f"the clone {m.unbuilt_clone} is not built yet",
        "its Python packages and its libraries are missing; ./quern setup brings both, the packages into .venv",
        [Step(f"build it: {shlex.quote(os.path.join(m.unbuilt_clone, 'quern'))} setup")],
    )


def numpy_too_old(m):
    version = m.packages.get("numpy", "")
    newer = pip_install(f"numpy>={'.'.join(map(str, OLDEST_NUMPY))}")
    if not version:
        return Finding("numpy_missing", BROKEN, "NumPy is not installed", steps=[newer])
    return _too_old("NumPy", version, OLDEST_NUMPY, newer)


def packages_missing(m):
    missing = [name for name in ("ml_dtypes", "rich") if not m.packages.get(name)]
    if not missing:
        return None
    return Finding(
        "packages_missing", BROKEN, f"packages that quern needs are not installed: {', '.join(missing)}", steps=[pip_install(*missing)]
    )


def two_installations(m):
    if len(m.installations) < 2:
        return None
    used, *others = m.installations
    return Finding(
        "two_installations",
        LIMIT,
        f"there are {len(m.installations)} installations of quern: {', '.join(m.installations)}",
        f"{used} is used; which one a program gets depends on its folder and on PYTHONPATH",
        [Step(f"remove the one that you do not want ({', '.join(others)}): pip uninstall quern, or take its folder out of PYTHONPATH")],
    )


def engine_broken(m):
    """The engine cannot be loaded, for none of the reasons that have rules of their own."""
    problem = m.engine.get("problem", "")
    known = (python_too_old, numpy_too_old, packages_missing, plugin_broken, rules_cuda.gpu_lost, rules_environment.device_unknown)
    if not problem or m.free_threaded or any(rule(m) for rule in known):
        return None
    if m.engine.get("signal") == 4:  # SIGILL
        return Finding("engine_broken", BROKEN, "the engine has instructions that this processor does not know", problem, [REINSTALL])
    if m.architecture != "x86_64":
        return Finding("engine_broken", BROKEN, f"quern is built for x86-64 processors; this one is {m.architecture}", problem)
    return Finding("engine_broken", BROKEN, f"quern cannot be imported: {problem}", steps=[REINSTALL])


def plugin_broken(m):
    """The compiler for the CPU is a plug-in beside the engine."""
    clang = m.engine.get("clang")
    failed = [d["problem"] for d in m.engine.get("devices", []) if d["name"] == "cpu" and "the compiler for the CPU" in d["problem"]]
    problem = (clang or {}).get("problem") or "".join(failed)
    if not problem:
        return None
    chosen = m.environment.get("QUERN_CLANG_PLUGIN")
    steps = [Step(f"take QUERN_CLANG_PLUGIN={chosen} out of the environment: unset QUERN_CLANG_PLUGIN")] if chosen else [REINSTALL]
    what = "is missing" if not clang["there"] else "is damaged"
    why = f"{problem}; kernels cannot be compiled for the CPU"
    return Finding("plugin_broken", BROKEN, f"the compiler for the CPU {what}: {clang['path']}", why, steps)


def kernel_fails(m):
    """A kernel did not run on a device, and no other rule says why."""
    if m.engine.get("problem") or plugin_broken(m):
        return None
    failed = [d for d in m.engine.get("devices", []) if d["problem"] and (d["name"] == "cpu" or not rules_cuda.says_why(m))]
    if not failed:
        return None
    level = BROKEN if any(d["name"] in ("cpu", m.engine.get("default")) for d in failed) else LIMIT
    return Finding("kernel_fails", level, "; ".join(f"a kernel does not run on {d['name']}: {d['problem']}" for d in failed))


def cache_unusable(m):
    """The folder for compiled code: cannot be written, belongs to another user, or its disk is full."""
    cache = m.cache
    if not cache:
        return None
    folder, named = cache["directory"], "QUERN_CACHE_DIR" in m.environment
    why = "compiled code is not kept: each process compiles its kernels anew"
    other = Step("unset QUERN_CACHE_DIR, or set it to a folder of yours" if named else "export QUERN_CACHE_DIR=/a/folder/of/yours")
    if named and os.path.isfile(folder):
        return Finding("cache_unwritable", LIMIT, f"QUERN_CACHE_DIR names {folder}, which is a file", why, [other])
    if cache["there"] and cache["owner"] not in (-1, cache["user"]):
        return Finding(
            "cache_foreign",
            LIMIT,
            f"the cache folder {folder} belongs to user {cache['owner']}, not to you ({cache['user']})",
            why,
            [Step(f"let it belong to you, as root: chown -R {cache['user']} {folder}"), other],
        )
    if not cache["writable"]:
        steps = (
            [Step(f"make it writable: chmod u+rwx {folder}", ["chmod", "u+rwx", folder])]
            if cache["there"] and os.path.isdir(folder)
            else []
        )
        return Finding("cache_unwritable", LIMIT, f"the cache folder {folder} cannot be written", why, [*steps, other])
    if 0 <= cache["free"] < LEAST_FREE:
        return Finding(
            "cache_full",
            LIMIT,
            f"the disk of the cache folder {folder} is full: {cache['free'] / 2**20:.0f} MiB are free",
            why,
            [Step(f"remove compiled code: {commands.typed('cache clear')}", [sys.executable, "-m", "quern", "cache", "clear"]), other],
        )
    problem = m.engine.get("cache", {}).get("problem", "")
    if problem:
        return Finding("cache_unwritable", LIMIT, f"the cache is not used: {problem}", why, [other])
    return None


def no_avx2(m):
    if not m.cpu_features or "avx2" in m.cpu_features:
        return None
    return Finding(
        "no_avx2", LIMIT, "this processor has no AVX2", "work on the CPU runs, with vectors of 16 bytes: about half as fast or less"
    )


def wsl(m):
    if not m.wsl:
        return None
    driver = m.engine.get("driver", {})
    if driver and not driver["problem"]:
        return Finding("wsl", NOTE, "this is WSL; the GPU uses the NVIDIA driver of Windows")
    return Finding(
        "wsl",
        NOTE,
        "this is WSL, and no GPU is available",
        "a GPU uses the NVIDIA driver of Windows through /usr/lib/wsl/lib; a Linux driver must not be installed",
        [Step("with an NVIDIA GPU: update its driver in Windows, then `wsl --update` and `wsl --shutdown` in a Windows terminal")],
    )


# What can be said of a clone that is not built: what it lacks is no fault of the Python that the doctor runs in.
BEFORE_A_BUILD = (python_too_old, clone_not_built, cache_unusable, no_avx2, wsl)
RULES = (
    python_too_old,
    free_threaded_python,
    numpy_too_old,
    packages_missing,
    two_installations,
    engine_broken,
    plugin_broken,
    *rules_cuda.RULES,
    *rules_environment.RULES,
    kernel_fails,
    cache_unusable,
    no_avx2,
    wsl,
)


def find(machine):
    """All that is wrong with a machine, the worst first."""
    found = [finding for rule in (BEFORE_A_BUILD if machine.unbuilt_clone else RULES) for finding in [rule(machine)] if finding]
    return sorted(found, key=lambda finding: -EXIT_CODES[finding.level])
