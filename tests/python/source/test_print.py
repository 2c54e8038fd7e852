"""printf from kernels: in order with Python's own output, and wherever that goes."""

import contextlib
import io
import os

import pytest
from programs import code, quern

PROGRAM = """
import pycuda.autoinit
import pycuda.driver as cuda
import numpy as np
from pycuda.compiler import SourceModule
f = SourceModule(r'__global__ void f(float x) { printf("thread %d of %d: %g %s %5.2f%%\\n", threadIdx.x, blockDim.x, x, "text", 12.345); }').get_function("f")
print("before")
f(np.float32(0.5), block=(2, 1, 1))
cuda.Context.synchronize()
print("after")
"""
EXPECTED = ["before", "thread 0 of 2: 0.5 text 12.35%", "thread 1 of 2: 0.5 text 12.35%", "after"]


def test_order_through_a_pipe(tmp_path):
    path = tmp_path / "prints.py"
    path.write_text(PROGRAM)
    done = quern("run", path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "before" and lines[-1] == "after" and sorted(lines) == sorted(EXPECTED)


def test_goes_to_sys_stdout(device):
    if device.kind == "cuda":
        pytest.skip("the driver writes to C's standard output")
    from quern.pycuda.compiler import SourceModule

    f = SourceModule(
        r'__global__ void f(long long a, unsigned b, char c, void* p) { printf("%lld %u %c %x %05d|%-4d|%+d\n", a, b, c, b, 42, 7, 5); }'
    ).get_function("f")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        f(-(2**40), 7, 65, 0, block=(1, 1, 1))
        device.synchronize()
    assert out.getvalue() == f"{-(2**40)} 7 A 7 00042|7   |+5\n"


def test_pieces_of_any_length(device):
    if device.kind == "cuda":
        pytest.skip("the driver writes to C's standard output")
    from quern.pycuda.compiler import SourceModule

    f = SourceModule(r"""__global__ void f() { printf("[%600d|%-700s|%0*.3f|%5.1f%%]\n", 7, "left", 300, 2.5, 0.25); }""").get_function("f")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        f(block=(1, 1, 1))
        device.synchronize()
    assert out.getvalue() == f"[{7:600d}|{'left':700}|{2.5:0300.3f}|{0.25:5.1f}%]\n"


def test_what_is_pending_at_exit_is_printed():
    done = code(
        PROGRAM.replace("import pycuda", "import quern.pycuda")
        .replace("from pycuda", "from quern.pycuda")
        .replace("pycuda.driver as cuda", "pycuda.driver as cuda")
        .replace("cuda.Context.synchronize()\n", ""),
        QUERN_DEVICE=os.environ.get("QUERN_DEVICE"),
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == sorted(EXPECTED)
