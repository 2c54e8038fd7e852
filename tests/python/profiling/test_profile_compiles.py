"""The reasons of compiles are the engine's: what distinguishes a kernel from those of the same work that were compiled before it."""

import json

import pytest
from programs import quern

# (program, a part of the reasons of its marked line, what must not be there)
LOOPS = {
    "other dtypes": (
        'for t in ("float32", "float64", "int32"):\n    x = qn.arange(5000).astype(t)\n    qn.synchronize()\n    np.asarray(x * 3 - 1)  # here',
        ["new dtypes"],
        ["new layout", "new number"],
    ),
    "other numbers of dimensions": (
        "a, b = qn.ones((60, 3000)), qn.ones((6, 8, 3000))\nqn.synchronize()\n"
        "for v in (a[:, ::2], b[::2, ::2, ::2]):\n    np.asarray(qn.cos(v) * 2)  # here",
        ["new number of dimensions:"],
        ["new dtypes", "layout"],
    ),
    "other layouts": (
        "x = qn.ones((300, 400))\nqn.synchronize()\nfor v in (x, x[:, ::2], x[::2].T):\n    np.asarray(qn.arctan(v) + qn.ones(v.shape))  # here",
        ["new layout class"],
        ["dtypes change", "kernel source"],
    ),
    "other expressions": (
        "x = qn.ones(5000)\nqn.synchronize()\nfor k in range(1, 5):\n    y = x\n    for _ in range(k):\n        y = qn.tanh(y) + 1  # here\n    np.asarray(y)",
        ["new expression"],
        ["layout", "dtypes", "size class"],
    ),
    "a test of a mean": (
        "for n in (1, 10, 100, 1000, 3000):\n    e = qn.arange(1000.0 * n)\n    qn.synchronize()\n    int((e > e.mean()).sum())  # here",
        ["new expression"],
        ["new dtypes:", "new layout", "new number"],
    ),
    "other scalars": (
        "x = qn.ones(5000)\nqn.synchronize()\nfor k in range(6):\n    np.asarray(x * k + 0.5 * k)  # here",
        ["new expression"],
        ["dtypes", "layout", "dimensions and"],
    ),
    "one expression": ("for k in range(5):\n    np.asarray(qn.sinh(qn.ones(5000)) * 3)  # here", ["new expression"], [" times", "layout"]),
    "other sources": (
        'for k in range(3):\n    f = qn.RawKernel(\'extern "C" __global__ void f(float* x) { x[threadIdx.x] += %d; }\' % k, "f")\n'
        '    f((1,), (32,), (qn.ones(32, dtype="float32"),))  # here',
        ["3 times new kernel source"],
        ["layout", "dtypes"],
    ),
    "other options": (
        "for k in range(3):\n    f = qn.RawKernel('extern \"C\" __global__ void f(float* x) { x[threadIdx.x] += K; }', \"f\", options=(f\"-DK={k}\",))\n"
        '    f((1,), (32,), (qn.ones(32, dtype="float32"),))  # here',
        ["new compile options", "new kernel source"],
        ["layout", "dtypes"],
    ),
    "other types of arguments": (
        "@cuda.jit\ndef add(x, k):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] += k\n"
        "for t in (np.float32, np.float64, np.int32):\n    add[1, 32](np.ones(32, t), t(1))  # here",
        ["2 times new argument types", "new kernel"],
        ["captured", "layout"],
    ),
    "other captured values": (
        "for k in (1, 2, 3):\n    @cuda.jit\n    def inner(x):\n        x[cuda.grid(1)] = k\n    inner[1, 32](np.ones(32))  # here",
        ["2 times new captured values or source"],
        ["argument types:", "layout"],
    ),
    "other axes": (
        "x = qn.ones((200, 300))\nqn.synchronize()\nfor a in (0, 1, None):\n    np.asarray(qn.sqrt(x).sum(axis=a))  # here",
        ["new expression"],
        ["dtypes"],
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_reasons(name, tmp_path):
    text, wanted, unwanted = LOOPS[name]
    path = tmp_path / "program.py"
    path.write_text("import numpy as np\nimport quern as qn\nfrom quern import cuda\n" + text + "\n")
    done = quern("profile", "--json", "out.json", path, cwd=tmp_path, QUERN_DEVICE="cpu", QUERN_CACHE_DIR=tmp_path / "cache")
    assert done.returncode == 0, done.stderr[-3000:]
    number = next(i for i, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# here"))
    found = json.loads((tmp_path / "out.json").read_text())
    why = " / ".join(one for line in found["lines"] if line["line"] == number for one in line["why"] if "compile" in one)
    assert all(word in why for word in wanted), why
    assert not any(word in why for word in unwanted), why


def test_advice_names_what_changes(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import quern as qn\nfor k in range(40):\n"
        "    f = qn.RawKernel('extern \"C\" __global__ void f(float* x) { x[threadIdx.x] += %d; }' % k, 'f')\n"
        "    f((1,), (32,), (qn.ones(32, dtype='float32'),))\n"
    )
    done = quern("profile", path, cwd=tmp_path, QUERN_DEVICE="cpu", QUERN_CACHE_DIR=tmp_path / "cache")
    assert "keep the source of kernels the same; pass numbers that change as arguments" in done.stderr
    assert "memory layout" not in done.stderr and "dimensions" not in done.stderr.partition("Advice")[2]
