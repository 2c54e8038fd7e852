"""What the build needs that no package name guarantees: the processor, variables that name tools, versions of compilers and of CMake."""

import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile

from setup import building
from setup.messages import fail

# std::source_location and std::bit_cast in the engine; version 3 of presets in CMakePresets.json.
GCC, CLANG, CMAKE = (11, 0), (16, 0), (3, 21)
LLVM_FILES = ("bin/llvm-config", "bin/ld.lld", "lib/libclangFrontend.a", "lib/liblldELF.a")
NEEDED = f"GCC {GCC[0]} or clang {CLANG[0]}, or newer"
EXAMPLE = "Debian, Ubuntu: apt-get install g++-12; CXX=g++-12 CC=gcc-12 ./quern setup"


def check_machine():
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64"):
        fail(f"quern runs on Linux on x86-64; this machine is {platform.system()} on {platform.machine()}.")


def check_variables(root):
    """End the set-up where a variable names a compiler or an LLVM that is not there, before anything is installed."""
    for language, variable in building.LANGUAGES.items():
        text = os.environ.get(variable, "")
        command = building.compiler(root, language)
        if text and not (command and shutil.which(command[0])):
            fail(f"{variable}={text} names no command that can be found. Name {NEEDED} ({EXAMPLE}), or unset {variable}.")
    llvm = os.environ.get("QUERN_LLVM_ROOT")
    if llvm and (missing := [file for file in LLVM_FILES if not os.path.exists(os.path.join(llvm, file))]):
        fail(
            f"QUERN_LLVM_ROOT={llvm} has no {', '.join(missing)}. Name the folder of an LLVM 19 with clang, lld and static libraries, "
            "such as /usr/lib/llvm-19, or unset QUERN_LLVM_ROOT: set-up then installs it where there is apt-get."
        )


def check_tools(root):
    """End the set-up when CMake or a compiler is too old, or cannot build a program."""
    text = _run(["cmake", "--version"])[1]
    found = re.search(r"version (\d+)\.(\d+)", text)
    if not found:
        fail(f"{shutil.which('cmake')} does not work: cmake --version prints {text[:200] or 'nothing'}")
    if (int(found[1]), int(found[2])) < CMAKE:
        fail(
            f"cmake is {found[1]}.{found[2]}; the build needs {CMAKE[0]}.{CMAKE[1]} or newer. Install a newer one (a release of your "
            "distribution that has it, or pipx install cmake), first in PATH, then run this again."
        )
    for language in building.LANGUAGES:
        _check_compiler(building.compiler(root, language), language)


def _check_compiler(command, language):
    option, flags = ("c++", "CXXFLAGS") if language == "CXX" else ("c", "CFLAGS")
    name = " ".join(command)
    text = _run([*command, "-dM", "-E", "-x", option, os.devnull])[1]
    macros = dict(re.findall(r"^#define (__GNUC__|__GNUC_MINOR__|__clang_major__|__clang_minor__) (\d+)$", text, re.MULTILINE))
    if "__GNUC__" not in macros:
        said = f" ({text.splitlines()[0]})" if text.strip() else ""
        fail(f"{name} is neither GCC nor clang{said}. The build needs {NEEDED} ({EXAMPLE}).")
    family, prefix, least = ("clang", "__clang_", CLANG) if "__clang_major__" in macros else ("GCC", "__GNUC", GCC)
    major, minor = ("major__", "minor__") if family == "clang" else ("__", "_MINOR__")
    version = int(macros[prefix + major]), int(macros[prefix + minor])
    if version < least:
        fail(f"the compiler {name} is {family} {version[0]}.{version[1]}; the engine's C++20 needs {NEEDED} ({EXAMPLE}).")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "main.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write("int main(void) { return 0; }\n")
        given = {one: os.environ[one] for one in (flags, "LDFLAGS") if os.environ.get(one)}
        words = [shlex.split(given.get(one, "")) for one in (flags, "LDFLAGS")]
        status, text = _run([*command, *words[0], "-x", option, source, "-x", "none", *words[1], "-o", os.path.join(folder, "main")])
    if status:
        by = "".join(f" {one}={value}" for one, value in given.items())
        lines = [line for line in text.splitlines() if re.search("error|cannot find", line)] or text.splitlines()
        todo = f"Unset {' and '.join(given)}" if given else f"Install all of it, or {NEEDED} ({EXAMPLE})"
        fail(f"{name} cannot build a program{' with' + by if by else ''}:\n    {''.join(lines[:1])}\n{todo}, then run this again.")


def _run(command):
    """Return the exit code and the output of a program; 127 and the reason where it cannot be started."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 127, "it does not end within 60 s"
    except OSError as error:
        return 127, error.strerror
    return done.returncode, done.stdout
