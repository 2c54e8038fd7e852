#!/usr/bin/env python3
"""The engine under sanitizers: builds libquern and its C++ tests with them in build/sanitize-KIND, and runs tests on it.

    tools/sanitize.py address                  AddressSanitizer and UBSan: the C++ tests, then tests/python/test_array_*.py
    tools/sanitize.py address tests/python/test_array_ops.py -k sum     C++ tests and these

The compiler for the CPU and the bindings are those of the usual build, which must be there; kernels that they compile are not looked at,
nor are Python, NumPy and OpenBLAS.
"""

import glob
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "tests", "python")


def fail(text):
    sys.exit(f"sanitize: {text}")


def run(command, **changes):
    print("sanitize:", " ".join(command), flush=True)
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **changes}).returncode


def build(kind, folder):
    usual = os.path.join(ROOT, "python", "quern", "lib")
    if not glob.glob(os.path.join(usual, "_engine.*.so")):
        fail("there is no usual build; make it first: ./quern setup")
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        options = ["-DCMAKE_BUILD_TYPE=Release", f"-DQUERN_SANITIZE={kind}", "-DQUERN_PYTHON=OFF", "-DQUERN_TESTS=ON"]
        options.append(f"-DPython_EXECUTABLE={sys.executable}")
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        if run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *options]):
            fail("cmake failed")
    if run(["ninja", "-C", folder]):
        fail("the build failed")
    package(usual, os.path.join(folder, "python", "quern"))


def package(usual, made):
    """quern's Python files around the new libquern.so, with all other libraries as they are."""
    lib = os.path.join(made, "lib")
    for source, to in ((os.path.dirname(usual), made), (usual, lib)):
        for name in os.listdir(source):
            if name in ("lib", "libquern.so", "__pycache__"):
                continue
            at = os.path.join(to, name)
            if os.path.lexists(at):
                os.remove(at)
            if name.startswith("_engine."):
                shutil.copy2(os.path.join(source, name), at)  # it looks for libquern.so where it lies itself
            else:
                os.symlink(os.path.join(source, name), at)
        for name in os.listdir(to):  # of an older build
            at = os.path.join(to, name)
            if os.path.islink(at) and not os.path.exists(at):
                os.remove(at)


def environment(folder):
    options = {
        # Faults of kernels are caught by the engine, on a signal stack of its own. Python keeps what it has until the end.
        "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0:allow_user_segv_handler=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0"
        ":handle_sigill=0:detect_stack_use_after_return=0:alloc_dealloc_mismatch=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }
    options = {name: os.environ.get(name, text) for name, text in options.items()}
    return {**options, "QUERN_PACKAGE": os.path.join(folder, "python"), "QUERN_CACHE_DIR": os.path.join(folder, "cache")}


def preloaded():
    """Before Python itself, which is not built so: the sanitizers' libraries, and libstdc++, whose exceptions they look at."""
    compiler, found = os.environ.get("CXX", "c++"), []
    for name in ("libasan.so", "libubsan.so", "libstdc++.so.6"):
        found.append(subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip())
    return ":".join(found)


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] != "address":
        fail(f"which?\n{__doc__}")
    kind, *given = arguments
    folder = os.path.join(ROOT, "build", f"sanitize-{kind}")
    build(kind, folder)
    changes = environment(folder)
    # CUB's headers keep NVRTC busy for minutes, and nothing of the engine with them.
    statuses = [run(["ctest", "--test-dir", folder, "--output-on-failure", "-E", "fuzz_lowering|cub_test", "--no-tests=error"], **changes)]
    tests = given or sorted(glob.glob(os.path.join(TESTS, "test_array_*.py")))
    python = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    statuses.append(run([*python, *tests], LD_PRELOAD=preloaded(), **changes))
    print("sanitize:", "all is well" if not any(statuses) else "something was found")
    return 1 if any(statuses) else 0


if __name__ == "__main__":
    sys.exit(main())
