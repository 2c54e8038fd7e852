"""What the script ./quern does on first use: packages, a virtual environment, the build. Standard library only.

Start reading at ready(), which is the list of steps. Each step first looks whether there is anything to do.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time

# What the build needs from Debian or Ubuntu, and how to see that it is there.
APT_PACKAGES = [
    ("g++", lambda: shutil.which("g++")),
    ("cmake", lambda: shutil.which("cmake")),
    ("ninja-build", lambda: shutil.which("ninja")),
    ("make", lambda: shutil.which("make")),  # what CMake takes for C++ programs that use quern, unless told otherwise
    ("python3-dev", lambda: os.path.exists(os.path.join(_python_include(), "Python.h"))),
    ("python3-venv", lambda: _has_module("ensurepip") and _has_module("venv")),
    ("llvm-19-dev", lambda: os.path.exists("/usr/lib/llvm-19/bin/llvm-config")),
    ("libclang-19-dev", lambda: os.path.exists("/usr/lib/llvm-19/lib/libclangFrontend.a")),
    ("liblld-19-dev", lambda: os.path.exists("/usr/lib/llvm-19/lib/liblldELF.a")),
    ("lld-19", lambda: os.path.exists("/usr/lib/llvm-19/bin/ld.lld")),
    ("libzstd-dev", lambda: os.path.exists("/usr/include/zstd.h")),
    ("zlib1g-dev", lambda: os.path.exists("/usr/include/zlib.h")),
    ("libfmt-dev", lambda: os.path.exists("/usr/include/fmt/core.h")),
    ("libxxhash-dev", lambda: os.path.exists("/usr/include/xxhash.h")),
    ("libgtest-dev", lambda: os.path.exists("/usr/include/gtest/gtest.h")),
]
PIP_PACKAGES = [
    "nanobind==3.1.0",
    "scikit-build-core==1.1.2",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "numpy",
    "ml_dtypes",
    "pytest",
    "hypothesis",
    "matplotlib",
    "mpmath",
    "keras==3.15.1",
    "h5py",
    "rich",
    "nbclient",
    "ipykernel",
    "ruff==0.14.5",
    "clang-format==19.1.7",
]


def _python_include():
    import sysconfig

    return sysconfig.get_paths()["include"]


def _has_module(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None


def ready(root, quiet=True):
    """Sets up what is missing and returns the virtual environment's Python. Says nothing when all is there and `quiet`."""
    start = time.time()
    work = [install_packages(), make_environment(root), build(root)]
    if any(work):
        say(f"done ({time.time() - start:.0f} s); running it again does nothing of this")
    elif not quiet:
        print("quern is set up already.", flush=True)
    return environment_python(root)


def say(text):
    print(f"quern set-up: {text}", file=sys.stderr, flush=True)


def fail(text):
    sys.exit(f"quern set-up: {text}")


# ---- Debian packages


def install_packages():
    missing = [name for name, there in APT_PACKAGES if not there()]
    if not missing:
        return False
    command = "apt-get install -y --no-install-recommends " + " ".join(missing)
    prefix = _root_prefix()
    if shutil.which("apt-get") is None or prefix is None:
        fail(
            f"these packages are missing: {' '.join(missing)}\nInstall them, then run this again:\n"
            f"    sudo apt-get update && sudo {command}"
        )
    say(f"installing {' '.join(missing)} (some minutes)")
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for arguments in (["apt-get", "update", "-qq"], [*command.split(), "-qq"]):
        done = subprocess.run([*prefix, *arguments], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{' '.join(arguments)} failed:\n{done.stderr.strip()}\nMend it, then run this again.")
    still = [name for name, there in APT_PACKAGES if not there()]
    if still:
        fail(f"after the installation these are still missing: {' '.join(still)}; is python3 ({sys.executable}) the system's own?")
    return True


def _root_prefix():
    """How to run apt-get as root: nothing when we are root, sudo when it asks no password, else None."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo"]
    return None


# ---- the virtual environment


def environment_python(root):
    return os.path.join(root, ".venv", "bin", "python")


def make_environment(root):
    python = environment_python(root)
    stamp = os.path.join(root, ".venv", "quern-packages")
    wish = "\n".join([platform.python_version(), *PIP_PACKAGES])
    if os.path.exists(python) and os.path.exists(stamp) and open(stamp).read() == wish:
        return False
    say("making a virtual environment in .venv and installing Python packages")
    run([sys.executable, "-m", "venv", "--clear", os.path.join(root, ".venv")], "the virtual environment could not be made")
    run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PIP_PACKAGES], "pip could not install the packages")
    with open(stamp, "w") as f:
        f.write(wish)
    return True


# ---- the build


def build(root):
    folder = os.path.join(root, "build", "develop")
    stamp = os.path.join(folder, "quern-built")
    now = source_state(root)
    if os.path.exists(stamp) and open(stamp).read() == now:
        return False
    python = environment_python(root)
    environment = dict(os.environ, PATH=os.path.dirname(python) + os.pathsep + os.environ["PATH"])
    first = not os.path.exists(os.path.join(folder, "build.ninja"))
    if first:
        say("building (about ten minutes on two cores; later builds take seconds)")
    run(["cmake", "--preset", "develop", f"-DPython_EXECUTABLE={python}"], "cmake failed", cwd=root, env=environment)
    show_progress(["ninja", "-C", folder], environment)
    with open(stamp, "w") as f:
        f.write(now)
    return True


def source_state(root):
    """Changes whenever a file that the build reads does."""
    digest = hashlib.sha256()
    for part in ("CMakeLists.txt", "CMakePresets.json", "engine", "bindings", "tests/engine", "examples/cpp", "tools"):
        top = os.path.join(root, part)
        files = [top] if os.path.isfile(top) else [os.path.join(d, f) for d, _, names in os.walk(top) for f in names]
        for path in sorted(files):
            if "__pycache__" in path:
                continue
            s = os.stat(path)
            digest.update(f"{path}\0{s.st_size}\0{s.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def show_progress(command, environment):
    """Runs ninja; on a terminal its steps overwrite one line, otherwise one line for each tenth."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    terminal = sys.stderr.isatty()
    log, tenth = [], -1
    for line in process.stdout:
        log.append(line)
        if not line.startswith("["):
            continue
        done, _, total = line[1 : line.find("]")].partition("/")
        if not (done.isdigit() and total.isdigit()):
            continue
        if terminal:
            print(f"\rquern set-up: {line.strip()[:100]:<100}", end="", file=sys.stderr, flush=True)
        elif int(done) * 10 // int(total) != tenth:
            tenth = int(done) * 10 // int(total)
            say(f"built {done} of {total}")
    if terminal:
        print(file=sys.stderr)
    if process.wait() != 0:
        fail("the build failed:\n" + "".join(log[-60:]))


def run(command, problem, **named):
    done = subprocess.run(command, capture_output=True, text=True, **named)
    if done.returncode != 0:
        fail(f"{problem}: {' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
