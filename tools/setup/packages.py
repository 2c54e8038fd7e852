"""The system's packages that the build needs: found by what they install, installed by apt-get where there is one."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from typing import NamedTuple

from setup import building, environment
from setup.messages import fail, say
from setup.processes import explain, run

PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"


class Package(NamedTuple):
    debian: str
    fedora: str
    arch: str
    there: object  # whether it is installed, for a clone: by a file or a command of it
    tests: bool = False  # only the tests need it


def _header(name):
    return lambda root: os.path.exists(os.path.join("/usr/include", name))


def _command(*names):
    return lambda root: any(shutil.which(name) for name in names)


def _llvm(path):
    return lambda root: os.path.exists(os.path.join(building.llvm_root(root), path))


PACKAGES = [
    Package("g++", "gcc-c++", "gcc", lambda root: all(building.compiler(root, one) for one in building.LANGUAGES)),
    Package("cmake", "cmake", "cmake", _command("cmake")),
    Package("ninja-build", "ninja-build", "ninja", _command("ninja")),
    # The Python that starts the set-up counts until there is an environment; later it may be any.
    Package(f"{PYTHON}-dev", "python3-devel", "python", lambda root: environment.exists(root) or has_python_headers()),
    Package(f"{PYTHON}-venv", "python3", "python", lambda root: environment.exists(root) or has_venv()),
    # Fedora and Arch have no static libraries of clang, and other versions of LLVM.
    Package("llvm-19-dev", "", "", _llvm("bin/llvm-config")),
    Package("libclang-19-dev", "", "", _llvm("lib/libclangFrontend.a")),
    Package("liblld-19-dev", "", "", _llvm("lib/liblldELF.a")),
    Package("lld-19", "", "", _llvm("bin/ld.lld")),
    Package("libzstd-dev", "libzstd-devel", "zstd", _header("zstd.h")),
    Package("zlib1g-dev", "zlib-devel", "zlib", _header("zlib.h")),
    Package("libfmt-dev", "fmt-devel", "fmt", _header("fmt/core.h")),
    Package("libxxhash-dev", "xxhash-devel", "xxhash", _header("xxhash.h")),
    Package("libgtest-dev", "gtest-devel", "gtest", _header("gtest/gtest.h"), tests=True),
    Package("make", "make", "make", _command("make"), tests=True),  # CMake's usual generator for programs that use quern
]


def has_venv():
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def has_python_headers():
    return os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))


def missing(root, part):
    return [p for p in PACKAGES if (part == "test" or not p.tests) and not p.there(root)]


def install(root, part):
    """Install what is missing; return whether anything was."""
    wanted = missing(root, part)
    if not wanted:
        return False
    _check_python(wanted)
    names = [p.debian for p in wanted]
    prefix = _root_prefix()
    if shutil.which("apt-get") is None:
        fail(_without_apt(wanted))
    if prefix is None:
        why = "sudo asks for a password" if shutil.which("sudo") else "this user is not root, and there is no sudo"
        fail(f"packages are missing, and {why}. Install them, then run this again:\n    {_by_hand(names)}")
    say(f"installing {' '.join(names)} (about a minute)")
    _apt(prefix, names, root)
    if still := [p.debian for p in missing(root, part)]:
        fail(f"apt-get has ended well, but these still cannot be found: {' '.join(still)}. Check PATH, then run this again.")
    return True


def _by_hand(names):
    commands = ["apt-get update", f"apt-get install -y --no-install-recommends {' '.join(names)}"]
    if shutil.which("sudo") or os.geteuid() == 0:
        sudo = "sudo " * (os.geteuid() != 0)
        return " && ".join(sudo + command for command in commands)
    return f"su -c '{' && '.join(commands)}'"


def _check_python(wanted):
    """End the set-up where apt-get cannot help: its packages have headers and venv only for the Pythons in /usr/bin."""
    own = os.path.realpath(sys.executable).startswith("/usr/bin/")
    if own or not any(p.debian.startswith(PYTHON) for p in wanted):
        return
    lacking = "no headers (Python.h)" if not has_python_headers() else "no venv or ensurepip module"
    fail(
        f"{sys.executable} (Python {sys.version.split()[0]}) has {lacking}, which quern's build needs.\n"
        f"Run this with the system's Python: /usr/bin/python3 quern {' '.join(sys.argv[1:])}\n"
        "or with a complete installation of Python 3.10 or newer (python.org, pyenv, conda: not a copy that was stripped)."
    )


def _without_apt(wanted):
    """Return the message for systems without apt-get, with the names of other distributions."""
    text = "packages are missing, and there is no apt-get to install them. Install them, then run this again:\n"
    for system, command, field in (
        ("Debian, Ubuntu", "apt-get install", "debian"),
        ("Fedora", "dnf install", "fedora"),
        ("Arch", "pacman -S --needed", "arch"),
    ):
        names = dict.fromkeys(name for p in wanted if (name := getattr(p, field)))
        if names:
            text += f"    {system + ':':<16}{command} {' '.join(names)}\n"
    if any(not p.fedora for p in wanted):
        text += (
            "LLVM 19 with the static libraries of LLVM, clang and lld is missing too; Fedora and Arch do not package those.\n"
            "Unpack LLVM-19.1.7-Linux-X64.tar.xz from https://github.com/llvm/llvm-project/releases/tag/llvmorg-19.1.7 and set\n"
            "QUERN_LLVM_ROOT to its folder."
        )
    return text


def _root_prefix():
    """Return how to run apt-get as root: nothing when we are root, sudo when it asks no password, else None."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def _apt(prefix, names, root):
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]  # sudo drops the environment
    update = [*quiet, "apt-get", "update", "-qq"]
    get = [*quiet, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600", *names]

    def step(command, waiting):
        return run(command, waiting=waiting, patient=True, own_session=not prefix)

    updated = step(update, "reading the lists of packages")  # old lists may do, so that the installation decides
    done = step(get, "installing packages")
    if done.status != 0 and (re.search(r"dpkg --configure -a|--fix-broken", done.output) or _half_unpacked()):
        say("an earlier installation was interrupted; completing it (dpkg --configure -a, apt-get --fix-broken install)")
        for repair in _repairs():
            step([*quiet, *repair], "completing an earlier installation")
        done = step(get, "installing packages")
    if done.status == 0:
        return
    todo = explain(done.output, "/usr")
    if not todo and "Unable to locate package" in done.output:  # the lists of packages are old, or there are none
        todo = explain(updated.output, "/usr")
    todo = todo or _apt_remedy(done.output) or f"Install them by hand, then run this again:\n    {_by_hand(names)}"
    fail(f"apt-get could not install {' '.join(names)}:\n{_tail(done.output)}\n{todo}")


def _repairs():
    """Yield commands that complete an interrupted installation. Each leaves to the next what it cannot do."""
    yield ["dpkg", "--configure", "-a", "--force-confold"]
    install = ["apt-get", "install", "-y", "-qq", "--no-remove"]
    if again := _half_unpacked():
        yield [*install, "--reinstall", *again]
    yield [*install, "--fix-broken"]


def _half_unpacked():
    """Return the packages that dpkg was unpacking when it was killed: only unpacking them again helps."""
    query = ["dpkg-query", "-W", "-f", "${db:Status-Eflag} ${binary:Package}\n"]
    lines = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[1] for line in lines if line.startswith("reinstreq ")]


def _apt_remedy(output):
    if "Unable to locate package" in output or "has no installation candidate" in output:
        return (
            "This release lacks such packages. Debian 12, Ubuntu 24.04 and newer ones have them all; for older ones, "
            "https://apt.llvm.org has LLVM 19. Install them, then run this again."
        )
    if "Could not get lock" in output or "Unable to acquire the dpkg frontend lock" in output:
        return "Another program installs packages. Wait until it has ended, then run this again."
    if "--fix-broken" in output or "dpkg --configure -a" in output:
        return (
            "An earlier installation was interrupted and could not be completed. Complete it as root, then run this again:\n"
            "    dpkg --configure -a; apt-get --fix-broken install; dpkg --audit"
        )
    return ""


def _tail(text):
    """Return the lines that name the cause."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = list(dict.fromkeys(line for line in lines if line.startswith(("E:", "dpkg: error", "Err:"))))
    return "\n".join("    " + line for line in (errors or lines)[:3])
