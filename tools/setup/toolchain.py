"""What the build needs that no package name guarantees: the processor, and versions of the compiler and of CMake."""

import platform
import re
import subprocess

from setup import building
from setup.messages import fail

# std::source_location and std::bit_cast in the engine; version 3 of presets in CMakePresets.json.
GCC, CLANG, CMAKE = (11, 0), (16, 0), (3, 21)


def check_machine():
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64"):
        fail(f"quern runs on Linux on x86-64; this machine is {platform.system()} on {platform.machine()}.")


def check_tools(root):
    """End the set-up when CMake or the compiler is too old."""
    cmake = _version("cmake")
    found = re.search(r"version (\d+)\.(\d+)", cmake)
    if found and (int(found[1]), int(found[2])) < CMAKE:
        fail(
            f"cmake is {found[1]}.{found[2]}; the build needs {CMAKE[0]}.{CMAKE[1]} or newer. Install a newer one (a release of your "
            "distribution that has it, or pipx install cmake), first in PATH, then run this again."
        )
    _check_compiler(root)


def _check_compiler(root):
    compiler = building.compiler(root)
    text = _version(compiler).splitlines()
    first = text[0] if text else ""
    is_clang = "clang" in first
    # g++ (Debian 12.2.0-14) 12.2.0: the version stands behind the parentheses
    found = re.search(r"version (\d+)\.(\d+)" if is_clang else r"\s(\d+)\.(\d+)", re.sub(r"\(.*?\)", "", first))
    if not found:
        fail(f"{compiler} --version does not tell a version:\n    {first}\nSet CXX to g++ {GCC[0]} or newer, then run this again.")
    least = CLANG if is_clang else GCC
    if (int(found[1]), int(found[2])) < least:
        fail(
            f"the compiler {compiler} is {'clang' if is_clang else 'GCC'} {found[1]}.{found[2]}; the engine's C++20 needs GCC {GCC[0]} or "
            f"clang {CLANG[0]}, or newer. Install one (Debian, Ubuntu: apt-get install g++-12) and name it in CXX: CXX=g++-12 ./quern setup"
        )


def _version(command):
    try:
        return subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
