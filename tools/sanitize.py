#!/usr/bin/env python3
"""The engine under sanitizers: builds libquern and its C++ tests with them in build/sanitize-KIND, and runs tests on it.

    tools/sanitize.py              all of it: address, then thread
    tools/sanitize.py address      AddressSanitizer and UBSan: the C++ tests, then tests/python/arrays/test_array_*.py
    tools/sanitize.py thread       ThreadSanitizer: the C++ tests, then those in Python that use arrays from several threads
    tools/sanitize.py part         what .ci/run has time for: ThreadSanitizer, the C++ tests whose work is on several threads

    tools/sanitize.py address tests/python/source/test_raw.py -k templates      instead of the tests in Python: pytest's arguments

The compiler for the CPU is that of the usual build, which must be there; kernels that it compiles are not checked, nor are Python, NumPy
and OpenBLAS. Before the tests, a mistake made on purpose shows that the sanitizer is at work in the library that
they load.
"""

import glob
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "tests", "python")

# What code that was compiled with the sanitizer calls.
CALLS = {"address": ["__asan_report_load", "__ubsan_handle_"], "thread": ["__tsan_read", "__tsan_write"]}

# CUB's headers keep NVRTC busy for minutes, and nothing of the engine with them.
NOT_IN_CPP = {"address": "fuzz_lowering|cub_test", "thread": "fuzz_lowering|cub_test"}

# Those with threads of their own, and of what threads share: the pools, streams, caches, traces. The long tests run all of them.
OF_THREADS = """thread_test stream_order_test allocator_test cache_folder_test batch_test replay_test trace_test fourier_test
cuda_test cuda_together_test""".split()

# They measure the process's memory, most of which is AddressSanitizer's here.
NOT_IN_PYTHON = "not test_a_chain_of_a_million_ops and not test_work_that_nobody_wants_takes_no_memory"

NOTHING_SELECTED = 5  # pytest's exit code

LOADED = "print(*{line.split()[-1] for line in open('/proc/self/maps') if '/libquern' in line and '_clang' not in line})"

# As the tests and the programs that they start load the engine; then it copies one number more than there is memory for.
PROBE = f"""
import sys
sys.path[:0] = {[TESTS, os.path.join(TESTS, "support")]!r}
import conftest, ctypes, programs, quern
import numpy as np
{LOADED}
done = programs.code("import quern; " + {LOADED!r})
print(done.stdout + done.stderr, flush=True)
if "address" in sys.argv:
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    numbers = (ctypes.c_double * 9).from_address(malloc(64))
    quern.asarray(np.ctypeslib.as_array(numbers))
"""


def fail(text):
    sys.exit(f"sanitize: {text}")


def run(command, **changes):
    print("sanitize:", " ".join(command), flush=True)
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **changes}).returncode


def output(command, **changes):
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **changes}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def build(kind, folder, targets):
    usual = os.path.join(ROOT, "python", "quern", "lib")
    if not glob.glob(os.path.join(usual, "_engine.*.so")):
        fail("there is no usual build; make it first: ./quern setup")
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        options = ["-DCMAKE_BUILD_TYPE=Release", f"-DQUERN_SANITIZE={kind}", "-DQUERN_TESTS=ON"]
        options.append(f"-DPython_EXECUTABLE={sys.executable}")
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        if run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *options]):
            fail("cmake failed")
    if run(["ninja", "-C", folder, *targets]):
        fail("the build failed")
    package(usual, os.path.join(folder, "python", "quern"))


def package(usual, made):
    """quern's Python files around the new libraries, with all others as they are."""
    lib = os.path.join(made, "lib")
    for source, to in ((os.path.dirname(usual), made), (usual, lib)):
        for name in os.listdir(source):
            if name in ("lib", "libquern.so", "__pycache__") or name.startswith("_engine."):
                continue
            at = os.path.join(to, name)
            if os.path.lexists(at):
                os.remove(at)
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
        "TSAN_OPTIONS": f"second_deadlock_stack=1:suppressions={ROOT}/tools/sanitize_thread.txt",
    }
    options = {name: os.environ.get(name, text) for name, text in options.items()}
    return {**options, "QUERN_PACKAGE": os.path.join(folder, "python"), "QUERN_CACHE_DIR": os.path.join(folder, "cache")}


def preloaded(kind):
    """Before Python itself, which is not built so: the sanitizers' libraries, and libstdc++, whose exceptions they look at."""
    compiler, found = os.environ.get("CXX", "c++"), []
    for name in {"address": ("libasan.so", "libubsan.so"), "thread": ("libtsan.so",)}[kind] + ("libstdc++.so.6",):
        found.append(subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip())
    return ":".join(found)


def check_library(kind, library):
    _, names = output(["nm", "-D", "--undefined-only", library])
    missing = [name for name in CALLS[kind] if name not in names]
    if missing:
        fail(f"{library} is not built with the sanitizer: it calls no {', '.join(missing)}")


def check_race(folder, changes):
    """A race in the engine, that a test makes on purpose."""
    test = os.path.join(folder, "tests", "engine", "thread_test")
    status, said = output(
        [test, "--gtest_also_run_disabled_tests", "--gtest_filter=ThreadSanitizer.*"],
        TSAN_OPTIONS="halt_on_error=1",
        **{k: v for k, v in changes.items() if k != "TSAN_OPTIONS"},
    )
    if status == 0 or "data race" not in said or "quern::CpuDevice::copy_bytes" not in said:
        fail(f"ThreadSanitizer does not find a race in the engine that was made on purpose:\n{said}")


def check_python(kind, library, changes):
    status, said = output([sys.executable, "-c", PROBE, kind], **changes)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if lines[:2] != [library, library]:
        fail(f"tests in Python do not load {library}, but:\n{said}")
    if kind == "address" and (status == 0 or "heap-buffer-overflow" not in said or "in quern::CpuDevice::copy_bytes" not in said):
        fail(f"AddressSanitizer does not find a mistake in the engine that was made on purpose:\n{said}")
    if kind == "thread" and status != 0:
        fail(f"Python does not run under ThreadSanitizer:\n{said}")


def python_tests(kind):
    """The arguments of pytest, a process for each: what one finds ends it."""
    if kind == "address":
        return [[test, "-k", NOT_IN_PYTHON] for test in sorted(glob.glob(os.path.join(TESTS, "arrays", "test_array_*.py")))]
    return [
        [os.path.join(TESTS, "arrays", "test_array_streams.py")],
        [os.path.join(TESTS, "arrays", "test_array_trouble.py"), "-k", "threads"],
        [os.path.join(TESTS, "arrays", "test_array_exchange.py"), "-k", "thread"],
        [os.path.join(TESTS, "arrays", "test_array_side_by_side.py")],
        [os.path.join(TESTS, "torch", "test_torch_autograd_threads.py")],
        [os.path.join(TESTS, "torch", "test_torch_autograd_nodes.py"), "-k", "threads"],
        [os.path.join(TESTS, "torch", "test_torch_inference_mode.py")],
    ]


def look(kind, given, only=None):
    """Builds and runs all tests, or ``only`` these in C++."""
    folder = os.path.join(ROOT, "build", f"sanitize-{kind}")
    build(kind, folder, only or ["all", "_engine"])
    changes = environment(folder)
    library = os.path.join(folder, "python", "quern", "lib", "libquern.so")
    check_library(kind, library)
    if kind == "thread":
        check_race(folder, changes)
    which = ["-R", f"^({'|'.join(only)})$"] if only else ["-E", NOT_IN_CPP[kind]]
    statuses = [run(["ctest", "--test-dir", folder, "--output-on-failure", *which, "--no-tests=error"], **changes)]
    if not only:
        changes["LD_PRELOAD"] = preloaded(kind)
        check_python(kind, library, changes)
        for arguments in [given] if given else python_tests(kind):
            pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys"]
            statuses.append(run([*pytest, *arguments], **changes))
            if statuses[-1] == NOTHING_SELECTED:
                fail(f"no test is selected by {' '.join(arguments)}")
    print(f"sanitize: {kind}:", "all is well" if not any(statuses) else "something was found", flush=True)
    return any(statuses)


def main():
    what, *given = sys.argv[1:] or ["all"]
    if what not in ("all", "part", "address", "thread") or (given and what not in ("address", "thread")):
        fail(f"which?\n{__doc__}")
    if what == "part":
        return look("thread", [], OF_THREADS)
    return max([look(kind, given) for kind in ("address", "thread") if what in ("all", kind)])


if __name__ == "__main__":
    sys.exit(main())
