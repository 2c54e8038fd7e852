"""Kernels whose source is in no file: made by exec, eval and compile. The programs run in processes of their own, since what is kept stays."""

import os
import subprocess
import sys

import pytest

HEAD = """
import numpy as np
from numba import cuda, vectorize
r = np.zeros(1)
"""
BODIES = {
    "of exec": """
names = {}
exec('''
from numba import cuda
import math
K = 3
@cuda.jit(device=True)
def scaled(x):
    return math.sqrt(x) * K
@cuda.jit
def kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = scaled(a[i])
''', names)
a = np.array([4.0, 9.0])
names["kernel"][1, 2](a)
assert a.tolist() == [6, 9]
""",
    "of eval": """
f = cuda.jit(device=True)(eval(" lambda x, y: x * y + 1"))
g = cuda.jit(device=True)(eval("lambda x, y: x * y + 2"))
@cuda.jit
def kernel(r):
    r[0] = f(3, 4) * 100 + g(3, 4)
kernel[1, 1](r)
assert r[0] == 1314
assert vectorize(["f8(f8)"], target="cuda")(eval("lambda v: v * 2"))(np.arange(3.0)).tolist() == [0, 2, 4]
""",
    "of texts that look alike": """
for i in range(3):
    names = {}
    exec(f"def kernel(r):\\n    r[0] = {i}\\n", names)
    cuda.jit(names["kernel"])[1, 1](r)
    assert r[0] == i
names = {}
exec("fs = [lambda x: x + 1, lambda x: x + 2]", names)
h = cuda.jit(device=True)(names["fs"][1])
@cuda.jit
def kernel(r):
    r[0] = h(3)
kernel[1, 1](r)
assert r[0] == 5
""",
    "of compile, with a signature": """
names = {"cuda": cuda}
exec(compile("@cuda.jit('void(f8[:])')\\ndef kernel(r):\\n    r[0] = 77\\n", "<made-1>", "exec"), names)
names["kernel"][1, 1](r)
assert r[0] == 77
""",
    "in closures": """
def made(n):
    names = {}
    exec("def make(n):\\n def inner(r):\\n  r[0] = n\\n return inner", names)
    return cuda.jit(names["make"](n))
for n in (5, 6):
    made(n)[1, 1](r)
    assert r[0] == n
""",
    "with errors that show the line": """
names = {}
exec("from __future__ import annotations\\ndef kernel(r: int):\\n    x = 1\\n    r[0] = bad(x)\\n", names)
try:
    cuda.jit(names["kernel"])[1, 1](r)
except Exception as e:
    assert "<string>:4: [kernel] the name 'bad' is not defined" in str(e) and "r[0] = bad(x)" in str(e), e
else:
    raise AssertionError("no error")
""",
}


def run(device, folder, text, *command):
    path = folder / "program.py"
    path.write_text(text)
    environment = {**os.environ, "QUERN_DEVICE": device.name, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, *command, str(path)], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("name", BODIES)
def test_under_quern_run(device, tmp_path, name):
    done = run(device, tmp_path, HEAD + BODIES[name], "-m", "quern", "run")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("keeps", [False, True])
def test_elsewhere(device, tmp_path, keeps):
    text = (HEAD + BODIES["of exec"]).replace("from numba", "from quern.numba").replace("from quern.numba import cuda\nimport", "import")
    text = text.replace("K = 3", "K = 3\nfrom quern import cuda")
    done = run(device, tmp_path, "import quern\nquern.keep_sources()\n" * keeps + text)
    assert (done.returncode == 0) == keeps, done.stderr
    if not keeps:
        assert "the source of this function cannot be read; write it into a file" in done.stderr
        assert "quern.keep_sources()" in done.stderr
