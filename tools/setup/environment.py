"""The virtual environment .venv, with the Python packages that the build, the examples and the tests need.

Its stamp lists what is installed: the tests' packages are added to an environment that has only those for running. While pip works, a
second file says so: an environment that it left unfinished is made anew, as nobody can tell which files are whole.
"""

import os
import shutil
import sys

from setup.messages import fail, say
from setup.processes import explain, run

# For the build, quern itself, and what README's programs and Keras programs import.
RUN = [
    "nanobind==3.1.0",
    "scikit-build-core==1.1.2",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "numpy",
    "ml_dtypes",
    "rich",
    "matplotlib",
    "keras==3.15.1",
    "h5py",
]
TEST = [
    "pytest",
    "pytest-xdist==3.8.0",
    "hypothesis",
    "mpmath",
    "nbclient",
    "ipykernel",
    "ruff==0.14.5",
    "clang-format==19.1.7",
    "check-jsonschema==0.39.0",
    "codespell==2.4.3",
    "numpydoc==1.11.0",
    "mypy==2.4.1",
]
# What tests of njit functions compare with. In a folder of its own: in the environment `import numba` is quern's front end or nothing.
NUMBA = "numba==0.68.1"


def wanted(part):
    return [*RUN, *TEST, NUMBA] if part == "test" else RUN


def python(root):
    return os.path.join(root, ".venv", "bin", "python")


def _file(root, name):
    return os.path.join(root, ".venv", name)


def stamps(root):
    return [_file(root, "quern-packages")]


def _stamp(root):
    """Return the lines of the stamp: folder, Python version, packages. Empty where the environment cannot be used."""
    try:
        with open(_file(root, "quern-packages"), encoding="utf-8") as f:
            lines = f.read().split("\n")
    except OSError:
        return []
    if lines[0] != root or not os.path.exists(python(root)):  # the clone was moved, or the Python behind it removed
        return []
    same = os.path.realpath(python(root)) == os.path.realpath(sys.executable)
    if same and lines[1:2] != [_version()]:  # the system's Python became another one
        return []
    return lines


def _version():
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def python_version(root):
    """Return the version of the environment's Python, as 3.11."""
    return "".join(_stamp(root)[1:2])


def exists(root):
    """Return whether there is an environment that can be used or completed."""
    return bool(_stamp(root)) and not os.path.exists(_file(root, "quern-unfinished"))


def is_ready(root, part):
    return set(wanted(part)) <= set(_stamp(root)[2:])


def make(root, part, held):
    """Make or complete the environment; return whether there was anything to do."""
    if is_ready(root, part):
        return False
    unfinished = _file(root, "quern-unfinished")
    if not exists(root):
        _create(root, held)
    new = [p for p in wanted(part) if p not in _stamp(root)[2:]]
    say(f"installing {len(new)} Python packages into .venv (about a minute)")
    _write(unfinished, "")
    command = [python(root), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input"]
    done = run([*command, *(p for p in wanted(part) if p != NUMBA)], held, waiting="installing Python packages", env=_variables())
    if done.status != 0:
        lines = [line for line in done.output.splitlines() if line.strip() and not line.startswith("WARNING: Retrying")]
        todo = explain(done.output, root) or "Fix what pip reports, then run this again."
        fail("pip could not install the Python packages:\n" + "\n".join("    " + line for line in lines[-8:]) + "\n" + todo)
    if NUMBA in new:
        _add_numba(root, command, held)
    _write(_file(root, "quern-packages"), "\n".join([*_stamp(root)[:2], *dict.fromkeys([*_stamp(root)[2:], *wanted(part)])]))
    os.remove(unfinished)
    return True


def _variables():
    """Return the environment for pip, without variables by which it would install elsewhere or count what is elsewhere as installed."""
    elsewhere = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_DRY_RUN", "PYTHONPATH", "PYTHONHOME")
    return {name: value for name, value in os.environ.items() if name not in elsewhere}


def _add_numba(root, command, held):
    """Install Numba into .venv/numba. Where it has no wheel .venv/numba-missing says why, and the tests that need it are skipped."""
    folder = _file(root, "numba")
    shutil.rmtree(folder, ignore_errors=True)
    command = [*command, "--only-binary", ":all:", "--target", folder, NUMBA]
    done = run(command, held, waiting="installing Numba, which tests compare with", env=_variables())
    if done.status == 0:
        return
    lines = [line.removeprefix("ERROR: ") for line in done.output.splitlines() if line.startswith("ERROR: ")]
    why = f"{NUMBA} cannot be installed: {lines[-1] if lines else 'pip does not say why'}"
    say(f"{why}. Tests that compare with it are skipped")
    _write(_file(root, "numba-missing"), why)


def _create(root, held):
    say("making a virtual environment in .venv")
    # Without pip's own files it cannot be used: it is empty until the stamp says otherwise.
    done = run([sys.executable, "-m", "venv", "--clear", os.path.join(root, ".venv")], held, waiting="making a virtual environment")
    if done.status != 0:
        todo = explain(done.output, root) or f"Try it by hand: {sys.executable} -m venv --clear .venv"
        fail(f"the virtual environment .venv could not be made:\n{done.output[-1500:]}\n{todo}")
    _write(_file(root, "quern-packages"), "\n".join([root, _version()]))


def _write(path, text):
    """Write a file whole or not at all."""
    try:
        with open(path + ".new", "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(path + ".new", path)
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}\n{explain(error.strerror, os.path.dirname(path))}")
